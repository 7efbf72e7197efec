/* SPDX-License-Identifier: MIT */
#include "private.h"
#include <stdlib.h>

enum { SID_ROOM = 68 }; /* the longest that there is */

/* One entry: the user that we are. Protected, so that nothing of the folder's is added. */
struct private_access {
    SECURITY_ATTRIBUTES attributes;
    SECURITY_DESCRIPTOR descriptor;
    union {
        TOKEN_USER user;
        char room[sizeof(TOKEN_USER) + SID_ROOM];
    } us;
    union {
        ACL list;
        char room[sizeof(ACL) + sizeof(ACCESS_ALLOWED_ACE) + SID_ROOM];
    } access;
};

static bool ask_who(struct private_access *p)
{
    HANDLE token;
    DWORD size;
    if (!OpenProcessToken(GetCurrentProcess(), TOKEN_QUERY, &token))
        return false;
    const BOOL told = GetTokenInformation(token, TokenUser, &p->us, sizeof p->us, &size);
    CloseHandle(token);
    return told;
}

static bool fill(struct private_access *p)
{
    p->attributes = (SECURITY_ATTRIBUTES){sizeof p->attributes, &p->descriptor, FALSE};
    return ask_who(p) && InitializeAcl(&p->access.list, sizeof p->access, ACL_REVISION) &&
           AddAccessAllowedAce(&p->access.list, ACL_REVISION, GENERIC_ALL, p->us.user.User.Sid) &&
           InitializeSecurityDescriptor(&p->descriptor, SECURITY_DESCRIPTOR_REVISION) &&
           SetSecurityDescriptorDacl(&p->descriptor, TRUE, &p->access.list, FALSE) &&
           SetSecurityDescriptorControl(&p->descriptor, SE_DACL_PROTECTED, SE_DACL_PROTECTED);
}

SECURITY_ATTRIBUTES *private_access(void)
{
    struct private_access *p = malloc(sizeof *p);
    if (p && fill(p))
        return &p->attributes;
    const DWORD error = p ? GetLastError() : ERROR_OUTOFMEMORY;
    free(p);
    SetLastError(error);
    return NULL;
}

void private_free(SECURITY_ATTRIBUTES *attributes)
{
    free(attributes); /* the first member of what it lies in */
}
