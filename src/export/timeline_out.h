/* SPDX-License-Identifier: MIT
 *
 * timeline_out.h - the two forms of --export-timeline; timeline_export.c chooses.
 */
#ifndef TIMELINE_OUT_H
#define TIMELINE_OUT_H

#include "export_out.h"
#include "record.h"

void timeline_svg(struct export_out *out, const struct record *r);

#endif
