/* SPDX-License-Identifier: MIT
 *
 * system_report.h - what tare system tune and reset say: what would be written, and what came of it. Used by cli/system only.
 */
#ifndef SYSTEM_REPORT_H
#define SYSTEM_REPORT_H

#include "cli.h"
#include "display_options.h"
#include "outputs.h"
#include "render.h"
#include "tune.h"

/* Each file that tune would write: now and then, risk, how it is undone; with -v those left alone too, and why. */
void system_plan_page(const struct look *l, const struct render_options *o, struct buf *out);
/* What is done to it, "powersave → performance", and how it is undone; added to the page's piece. */
struct page;
void system_put_deed(struct page *p, const struct setting *s);
int system_pending(const struct look *l); /* how many of them */

/* A line a knob, of changes that came out alike; each change that was refused, had no effect or is a conflict by itself, with the reason. The
 * last line says it all. undoing: it is the report of a reset, where undone is what is wanted. */
void system_report_page(const struct tune_report *r, bool undoing, const struct render_options *o, struct buf *out);
/* Whether the i-th change was made and not taken back afterwards; and how many were. */
bool system_stands(const struct tune_report *r, int i);
int system_standing(const struct tune_report *r);
/* Of an outcome that tune_apply calls good: nothing could be changed, and who we are may be why. PERMISSION then. */
enum tare_status system_check_allowed(const struct tune_report *r, struct tare_err *err);

/* Ends with the failure; for who is not root that is the same command line with sudo in front. */
enum exit_code system_denied(struct cli *cli, struct tare_err *err);

/* {"command": "tune", "dry_run": false, ...} into the file that was asked for. look or report may be NULL. */
enum exit_code system_export(struct outputs *outputs, struct cli *cli, const char *command, bool dry_run, const struct look *look,
                             const struct tune_report *report);

#endif
