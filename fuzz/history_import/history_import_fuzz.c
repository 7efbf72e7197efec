/* SPDX-License-Identifier: MIT
 *
 * A file for tare history import, read as each of its formats. Whatever it makes of it, each result belongs to a session and has a name, a metric and a
 * value, and a refusal says why. */
#include "history_import.h"
#include "require.h"
#include <math.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef enum tare_status reader(struct history_import *, const char *, size_t, struct tare_err *);

static void check_entry(const struct history_import *im, int session)
{
    struct history_entry e;
    struct tare_err err;
    require(!history_import_entry(im, session, &e, &err) && e.n > 0, "a session without results", "");
    require(e.session.revision && e.session.class && e.session.tool, "a session that lacks where it was measured", "");
    for (int i = 0; i < e.n; i++) {
        const struct history_result *r = &e.results[i];
        require(r->benchmark && r->arguments && r->version && r->metric->id && r->metric->title && r->metric->unit,
                "a result that lacks a text", "");
        require(isfinite(r->point.median) || isfinite(r->point.ratio), "a result without a value", r->benchmark);
    }
}

static void try_reader(reader *read, const char *text, size_t n)
{
    struct arena arena = {0};
    struct tare_err err = {.text = ""};
    struct history_import im = {.arena = &arena, .project = "", .folder = "", .revision = "HEAD"};
    enum tare_status status = read(&im, text, n, &err);
    require(!status || *err.text, "a refusal without a reason", "");
    enum { CHECKED = 100 };
    for (int i = 0; !status && i < im.n_sessions && i < CHECKED; i++)
        check_entry(&im, i);
    history_import_finish(&im);
    arena_finish(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static reader *const readers[] = {history_import_csv, history_import_otava, history_import_action, history_import_any};
    char *text = malloc(size + 1); /* no byte more than there is may be read */
    require(text, "no memory", "");
    if (size)
        memcpy(text, data, size);
    text[size] = 0;
    for (size_t i = 0; i < sizeof readers / sizeof *readers; i++)
        try_reader(readers[i], text, size);
    free(text);
    return 0;
}
