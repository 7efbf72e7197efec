/* SPDX-License-Identifier: MIT
 *
 * history_import.h - results of many commits from other tools' files, gathered row by row and written as sessions.
 *
 *     struct history_import im = {.arena = a, .project = root, .class = class, .revision = head};
 *     status = history_import_csv(&im, text, n, &err);
 *     for (int i = 0; i < im.n_sessions && !status; i++)
 *         status = history_import_entry(&im, i, &entry, &err);      // for history_add
 *
 * Rows of one commit, time and class are one session. Pure: it reads no files and asks no repository.
 */
#ifndef HISTORY_IMPORT_H
#define HISTORY_IMPORT_H

#include "arena.h"
#include "history.h"

struct import_row {
    int next; /* of the session; 0: none */
    struct metric metric;
    struct history_result result; /* its metric is that */
};

struct import_session {
    struct history_session s;
    int first, last, n; /* rows */
};

struct history_import {
    /* the caller's */
    struct arena *arena;
    const char *project, *folder;
    const char *class;    /* of rows that name none; NULL: "imported" */
    const char *revision; /* of rows that name none */
    /* ours */
    struct import_session *sessions;
    int n_sessions, room_sessions;
    int *places; /* of sessions, by hash: open addressing; 0: free, else the session + 1 */
    int room_places;
    struct import_row *rows;
    int n_rows, room_rows;
};

/* Columns benchmark, metric, value; what tare history export writes. FORMAT, with the line. */
enum tare_status history_import_csv(struct history_import *im, const char *text, size_t n, struct tare_err *err);
/* Columns time and commit, and one a metric: "parse [wall]". */
enum tare_status history_import_otava(struct history_import *im, const char *text, size_t n, struct tare_err *err);
/* data.js of github-action-benchmark, or its JSON. */
enum tare_status history_import_action(struct history_import *im, const char *text, size_t n, struct tare_err *err);
/* By what the text looks like. FORMAT: none of them. */
enum tare_status history_import_any(struct history_import *im, const char *text, size_t n, struct tare_err *err);
void history_import_finish(struct history_import *im); /* its arrays */
/* Results are the arena's. */
enum tare_status history_import_entry(const struct history_import *im, int session, struct history_entry *e,
                                      struct tare_err *err);

#endif
