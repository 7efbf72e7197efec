/* SPDX-License-Identifier: MIT
 *
 * gate_show.h - the page of a gate from its record, for tare show, on the screen and as HTML.
 */
#ifndef GATE_SHOW_H
#define GATE_SHOW_H

#include "stored_file.h"

/* They are those of one gate: of several, each is a session like any other. */
bool gate_recorded_alone(const struct kept_sessions *k);
/* The answer as it was asked for then: limits, accepted slowdowns and controls are in the record. k: all sessions of the file, gate_recorded_alone. */
enum exit_code gate_show(struct cli *cli, const struct display_options *d, const char *path, const struct kept_sessions *k,
                         struct outputs *files);

#endif
