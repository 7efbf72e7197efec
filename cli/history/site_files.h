/* SPDX-License-Identifier: MIT
 *
 * site_files.h - the folder of the pages: what changed is written, pages that are of no series any more are removed, and nothing else is touched.
 *
 *     status = site_files_open(&f, "public", state, arena, &err);
 *     bool complete = site_files_keep(&f, "1a2b3c4d5e6f.html");       // each file that belongs there
 *     if (!f.same || !complete)
 *         status = site_files_begin(&f, &err), site_files_put(&f, "1a2b3c4d5e6f.html", bytes, n, &written, &err), site_files_close(&f, &err);
 *
 * The file `site.manifest` says what the pages were made from. A folder that has other files and no manifest is refused; names that begin with a point
 * (.git) do not count. While files are written the manifest is only its first line, so after a run that was ended early all are made again. Each file is
 * complete at all times.
 */
#ifndef SITE_FILES_H
#define SITE_FILES_H

#include "site.h"

struct site_files {
    const char *folder, *state;
    const char **names; /* of what was in the folder, sorted */
    bool *kept;         /* of each: it belongs there */
    int n;
    bool same; /* the last run came to its end, with the same state */
};

/* `state`: one line of text, of everything that pages are made from. All memory is the arena's. INVALID: the folder holds files of others. */
enum tare_status site_files_open(struct site_files *f, const char *folder, const char *state, struct arena *a,
                                 struct tare_err *err);
/* The file is not removed by site_files_close. Returns whether it is there. */
bool site_files_keep(struct site_files *f, const char *name);
/* Before the first file is written: until site_files_close the folder counts as incomplete. */
enum tare_status site_files_begin(const struct site_files *f, struct tare_err *err);
/* A file that has this content already is not written. Processes that were forked may write files as well. */
enum tare_status site_files_put(const struct site_files *f, const char *name, const void *bytes, size_t n, bool *written,
                                struct tare_err *err);
/* Removes the pages that were not kept, and notes the state. */
enum tare_status site_files_close(const struct site_files *f, struct tare_err *err);

#endif
