/* SPDX-License-Identifier: MIT
 *
 * site_files.h - the folder of the pages: what changed is written, what vanished is removed, and nothing else is touched.
 *
 *     status = site_files_open(&f, "public", state, arena, &err);
 *     for (each page)
 *         if (!(cards = site_files_known(f, "1a2b3c4d5e6f", key, n)))       // its input is what it was
 *             status = site_files_page(f, "1a2b3c4d5e6f", key, &text, cards, n, &err);
 *     status = site_files_put(f, "index.html", &text, &err);
 *     status = site_files_close(f, &err);
 *
 * A file `site.manifest` there says what was written, each page with a key of its input and with its part of the index. A folder that has other files
 * and no manifest is refused; names that begin with a point (.git) do not count. While pages are written the manifest is only its first line, so after a run
 * that was ended early all are made anew. Each file is complete at all times.
 */
#ifndef SITE_FILES_H
#define SITE_FILES_H

#include "site.h"

struct site_files;

/* `state`: all that is in every page (version, title, addresses); with another one than last time nothing is known. One line of text. All memory is the
 * arena's. INVALID: the folder holds files of others. */
enum tare_status site_files_open(struct site_files **out, const char *folder, const char *state, struct arena *a,
                                 struct tare_err *err);
/* What the caller wrote down last time with site_files_note; "": nothing, or another state. */
const char *site_files_noted(const struct site_files *f);
void site_files_forget(struct site_files *f); /* from now on nothing is known */
/* The n cards of this page if it was written with this key, and it stays; else NULL. */
const struct site_card *site_files_known(struct site_files *f, const char *name, const char *key, int n);
/* The page NAME.html. A file that has this content already is not written. */
enum tare_status site_files_page(struct site_files *f, const char *name, const char *key, const struct buf *text,
                                 const struct site_card *cards, int n, struct tare_err *err);
/* A page that was made in a forked process: there its facts are put into `out`, here they are taken. Returns its cards; NULL: no memory. */
void site_files_tell(const struct site_files *f, const char *name, struct buf *out);
const struct site_card *site_files_told(struct site_files *f, const char *facts, size_t n, struct tare_err *err);
enum tare_status site_files_put(struct site_files *f, const char *name, const void *bytes, size_t n, struct tare_err *err);
int site_files_written(const struct site_files *f);
const char *site_files_written_name(const struct site_files *f, int i);
/* Removes the pages that were not named since it was opened, and writes the manifest with `note`, one line of text. */
enum tare_status site_files_close(struct site_files *f, const char *note, struct tare_err *err);

#endif
