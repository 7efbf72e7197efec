/* SPDX-License-Identifier: MIT
 *
 * golden.h - text that is compared with a file of the tree: TESTS_DIR/NAME.golden.
 *
 * TARE_RERECORD=1 in the environment writes the files instead; read the difference before committing it.
 */
#ifndef GOLDEN_H
#define GOLDEN_H

#include "buf.h"

/* Fails the running cmocka test, showing the first line that differs. */
void assert_golden(const char *name, const struct buf *text);

/* Takes the bytes of the record out of a page, which say in base64 what another test checks, and the script, which is a file of its own. */
void golden_without_record(struct buf *text);

#endif
