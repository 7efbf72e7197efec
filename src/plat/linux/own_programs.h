/* SPDX-License-Identifier: MIT
 *
 * own_programs.h - the small programs that belong to tare: files beside it (programs_beside.c), or parts of one static tare
 * (programs_within.c, with TARE_ONE_FILE). Never included outside src/plat/linux.
 */
#ifndef OWN_PROGRAMS_H
#define OWN_PROGRAMS_H

#include <tare/status.h>

enum program { PROGRAM_SPAWN, PROGRAM_NOOP, PROGRAM_WORK, PROGRAMS };

/* Paths that can be executed while tare lives. The caller frees them, those too that are there after a failure. */
enum tare_status programs_find(char *paths[PROGRAMS], struct tare_err *err);
/* Those of a folder, whether they are there or not. */
enum tare_status programs_name(char *paths[PROGRAMS], const char *folder, struct tare_err *err);

#endif
