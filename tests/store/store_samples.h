/* SPDX-License-Identifier: MIT
 *
 * store_samples.h - a folder for a test, and sessions to put into it.
 */
#ifndef STORE_SAMPLES_H
#define STORE_SAMPLES_H

#include "history.h"

enum { SAMPLE_RESULTS = 2, SAMPLE_VALUES = 5 };

/* Session i was measured i hours after the first; result k is of benchmark "sort" with "n=K+1", its median 1000 + i + 100 k. */
struct sample_session {
    struct history_entry entry;
    struct history_result results[SAMPLE_RESULTS];
    double values[SAMPLE_RESULTS][SAMPLE_VALUES];
    char revision[41];
};
/* A test fails with the status and its message. */
void sample_ok(enum tare_status status, const struct tare_err *err);

void sample_session(struct sample_session *s, int i);
struct history_event sample_event(enum history_event_kind kind, int i);

/* A new folder, given back by sample_folder_remove; the history lies in its folder "h". */
void sample_folder(char path[256]);
void sample_folder_remove(const char *path);

extern const struct metric sample_wall, sample_rate;

#endif
