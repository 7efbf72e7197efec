/* SPDX-License-Identifier: MIT
 *
 * command_line.h - words into the one text that a program of Windows is started with, so that its C library makes the same words of it.
 *
 *     struct buf line = BUF_INIT(COMMAND_LINE_MOST);
 *     command_line((const char *[]){"a b.exe", "say \"x\"", NULL}, &line, &err);   // "a b.exe" "say \"x\""
 *
 * No system in it, so that tests link it anywhere. The text for cmd.exe /c is handed on as it is, since cmd.exe reads no backslashes.
 */
#ifndef COMMAND_LINE_H
#define COMMAND_LINE_H

#include "buf.h"
#include <tare/status.h>

/* UTF-16 units of a command line, its closing zero included: CreateProcess takes no longer one. */
enum { COMMAND_LINE_UNITS = 32767 };

/* INVALID: the name of a program cannot contain a quote. TOO_LARGE, NO_MEMORY: `out` does not hold it. */
enum tare_status command_line(const char *const *argv, struct buf *out, struct tare_err *err);

#endif
