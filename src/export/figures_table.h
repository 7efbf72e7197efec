/* SPDX-License-Identifier: MIT
 *
 * figures_table.h - results that are no commands as a table: the targets of tare leak, and the figures of clocks and hosts, one in a row. In CSV numbers
 * are in base units (nanoseconds, bytes), elsewhere in the unit that fits.
 */
#ifndef FIGURES_TABLE_H
#define FIGURES_TABLE_H

#include "export_kind.h"

kind_write targets_csv_write, figures_csv_write;
enum tare_status targets_table_write(const struct markup *m, const struct record *r, const struct export_options *o,
                                     const struct sink *sink, struct tare_err *err);
enum tare_status figures_table_write(const struct markup *m, const struct record *r, const struct export_options *o,
                                     const struct sink *sink, struct tare_err *err);
/* Those of one kind of subject. */
enum tare_status figures_of_kind_write(const struct markup *m, const struct record *r, enum subject_kind kind,
                                       const struct sink *sink, struct tare_err *err);

#endif
