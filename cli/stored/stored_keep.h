/* SPDX-License-Identifier: MIT
 *
 * stored_keep.h - what --save does not replace: sessions of a plan, a session of tare leak whose times would stay beside another
 * record, and times without a record. Any other record, and a file that is none, is replaced with the first finished run.
 */
#ifndef STORED_KEEP_H
#define STORED_KEEP_H

#include <stdbool.h>
#include <tare/status.h>

struct stored_keep { /* what is to be saved */
    bool sessions;   /* several; --continue would add them */
    bool leaks;      /* of tare leak */
};

/* path NULL: nothing is saved. It reads no further than the head of the first session. INVALID: the file is to be kept; of sessions also what
 * reading it gave, for what cannot be read may be hours of measurements too. */
enum tare_status stored_keep(const char *path, struct stored_keep by, struct tare_err *err);

#endif
