/* SPDX-License-Identifier: MIT
 *
 * private.h - access for the user that we are and nobody else, whatever the folder gives: what mode 0600 is elsewhere.
 *
 *     SECURITY_ATTRIBUTES *mine = private_access();
 *     HANDLE h = mine ? CreateFileW(path, access, share, mine, CREATE_NEW, flags, NULL) : INVALID_HANDLE_VALUE;
 *     private_free(mine);
 *
 * Only src/plat/win32 includes it.
 */
#ifndef PRIVATE_H
#define PRIVATE_H

#include "win32.h"

SECURITY_ATTRIBUTES *private_access(void); /* NULL with the error set */
void private_free(SECURITY_ATTRIBUTES *attributes);

#endif
