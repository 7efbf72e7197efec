/* SPDX-License-Identifier: MIT
 *
 * Who may have what is ours. What we make for ourselves alone is for our user, whatever rights this process has besides, for the system and for
 * administrators, as root may read what has mode 0600 elsewhere. So it is also for us in a process with fewer rights, or with more.
 */
#include "win32.h"
#include <aclapi.h>
#include <sddl.h>
#include <stdlib.h>
#include <wchar.h>

enum { SID_ROOM = 256 };

union user {
    TOKEN_USER user;
    char room[SID_ROOM];
};

static bool find_user(union user *us)
{
    HANDLE token;
    DWORD size;
    if (!OpenProcessToken(GetCurrentProcess(), TOKEN_QUERY, &token))
        return false;
    const BOOL told = GetTokenInformation(token, TokenUser, us, sizeof *us, &size);
    CloseHandle(token);
    return told;
}

/* `label`: an administrator's process would give it the high level, at which the same user's other processes may not write. */
static PSECURITY_DESCRIPTOR describe(const wchar_t *user, const wchar_t *label)
{
    wchar_t text[SID_ROOM + 128];
    PSECURITY_DESCRIPTOR made = NULL;
    _snwprintf(text, sizeof text / sizeof *text, L"D:P(A;OICI;GA;;;%ls)(A;OICI;GA;;;SY)(A;OICI;GA;;;BA)%ls", user, label);
    ConvertStringSecurityDescriptorToSecurityDescriptorW(text, SDDL_REVISION_1, &made, NULL);
    return made;
}

static SECURITY_ATTRIBUTES *make(const wchar_t *label)
{
    union user us;
    wchar_t *user = NULL;
    SECURITY_ATTRIBUTES *made = calloc(1, sizeof *made);
    if (made && find_user(&us) && ConvertSidToStringSidW(us.user.User.Sid, &user))
        *made = (SECURITY_ATTRIBUTES){.nLength = sizeof *made, .lpSecurityDescriptor = describe(user, label)};
    LocalFree(user);
    if (made && made->lpSecurityDescriptor)
        return made;
    free(made);
    return NULL;
}

/* Made once, never freed; of threads that make it at once one wins. */
static SECURITY_ATTRIBUTES *made_once(SECURITY_ATTRIBUTES *volatile *place, const wchar_t *label)
{
    if (!*place) {
        SECURITY_ATTRIBUTES *made = make(label);
        if (made && InterlockedCompareExchangePointer((void *volatile *)place, made, NULL)) {
            LocalFree(made->lpSecurityDescriptor);
            free(made);
        }
    }
    return *place;
}

SECURITY_ATTRIBUTES *win32_private(void)
{
    static SECURITY_ATTRIBUTES *volatile all;
    return made_once(&all, L"");
}

SECURITY_ATTRIBUTES *win32_private_at_any_level(void)
{
    static SECURITY_ATTRIBUTES *volatile all;
    return made_once(&all, L"S:(ML;;NW;;;ME)");
}

/* Whom we trust with what we read and act by. */
static bool is_trusted(PSID who)
{
    union user us;
    static const WELL_KNOWN_SID_TYPE as_good[] = {WinBuiltinAdministratorsSid, WinLocalSystemSid, WinCreatorOwnerSid,
                                                  WinCreatorOwnerRightsSid};
    for (size_t i = 0; i < sizeof as_good / sizeof *as_good; i++)
        if (IsWellKnownSid(who, as_good[i]))
            return true;
    return find_user(&us) && EqualSid(us.user.User.Sid, who);
}

static bool lets_write(const ACCESS_ALLOWED_ACE *ace)
{
    enum {
        WRITES = FILE_WRITE_DATA | FILE_APPEND_DATA | FILE_DELETE_CHILD | DELETE | WRITE_DAC | WRITE_OWNER | GENERIC_WRITE |
                 GENERIC_ALL
    };
    return ace->Header.AceType == ACCESS_ALLOWED_ACE_TYPE && !(ace->Header.AceFlags & INHERIT_ONLY_ACE) && ace->Mask & WRITES;
}

/* No list at all lets everybody. */
static bool others_may_write(ACL *list)
{
    if (!list)
        return true;
    for (DWORD i = 0; i < list->AceCount; i++) {
        ACCESS_ALLOWED_ACE *ace;
        if (GetAce(list, i, (void **)&ace) && lets_write(ace) && !is_trusted(&ace->SidStart))
            return true;
    }
    return false;
}

const char *win32_distrust(const char *path)
{
    PSID owner;
    ACL *list;
    PSECURITY_DESCRIPTOR all = NULL;
    wchar_t *wide = wide_path(path);
    const char *why = "its owner cannot be determined";
    enum { ASKED = OWNER_SECURITY_INFORMATION | DACL_SECURITY_INFORMATION };
    if (wide && !GetNamedSecurityInfoW(wide, SE_FILE_OBJECT, ASKED, &owner, NULL, &list, NULL, &all))
        why = !is_trusted(owner) ? "it belongs to another user" : others_may_write(list) ? "other users may write there" : NULL;
    LocalFree(all);
    free(wide);
    return why;
}
