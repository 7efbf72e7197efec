/* SPDX-License-Identifier: MIT
 *
 * system_qualify.h - the command `tare system qualify`, and its pictures, which are those of stored records too.
 */
#ifndef SYSTEM_QUALIFY_H
#define SYSTEM_QUALIFY_H

#include "cli.h"
#include "record.h"

int cmd_system_qualify(struct cli *cli, const void *options);

/* Pictures of gaps and throughput into r->pages, in the arena. False: no memory. */
bool qualify_make_pages(struct record *r, struct arena *a);

#endif
