/* SPDX-License-Identifier: MIT
 *
 * history_table.h - cells of tables with a series or a change a row. A row is a struct found_change, or begins with one.
 */
#ifndef HISTORY_TABLE_H
#define HISTORY_TABLE_H

#include "history_reading.h"
#include "layout.h"

enum { TABLE_NAME_COLUMNS = 40 };

void history_cell_name(struct page *p, const void *row);
/* Of a change: its effect in colour; "1a2b3c4", "1a2b3c4 its subject"; "confirmed worse", "refuted (same)". */
void history_cell_effect(struct page *p, const void *row);
void history_cell_commits(struct page *p, const void *row);
void history_cell_commit(struct page *p, const void *row);
void history_cell_state(struct page *p, const void *row);
/* Of n rows of so many bytes: a column with their classes where they differ. */
void history_class_column(struct table *t, int importance, const void *rows, int n, size_t row_bytes);

#endif
