/* SPDX-License-Identifier: MIT */
#include "history_view_world.h"

/* ---- a store, a detector and a git of our own ---- */

static struct stats_change planted[4];
static int n_planted;
int world_n_detected, world_detected[4][2]; /* lengths and first values of what was looked at */
enum stats_course world_course;

const struct history_series *history_series_at(const struct history *h, int i)
{
    (void)i;
    return &h->series;
}

const struct history_session *history_session_at(const struct history *h, int i)
{
    return &h->sessions[i];
}

int history_n_sessions(const struct history *h)
{
    return h->n;
}

void history_forget_points(struct history *h, int series)
{
    (void)h, (void)series;
}

enum tare_status history_points(struct history *h, int series, struct history_points *out, struct tare_err *err)
{
    (void)series, (void)err;
    *out = (struct history_points){h->points, h->n};
    return TARE_OK;
}

enum tare_status history_values(struct history *h, const struct history_point *p, double **values, int *n, double *step,
                                struct tare_err *err)
{
    (void)h, (void)p, (void)n;
    *values = NULL;
    *step = 0;
    return err_set(err, TARE_NOT_FOUND, "no runs here");
}

int history_n_events(const struct history *h)
{
    return h->n_events;
}

const struct history_event *history_event_at(const struct history *h, int i)
{
    return &h->events[i];
}

size_t stats_changes_scratch_bytes(ptrdiff_t n)
{
    return (size_t)n;
}

/* Finds what is planted in the first part it is asked about that is long enough. */
enum tare_status stats_changes(const double *x, ptrdiff_t n, double least, double tick, void *scratch,
                               struct stats_change *changes, ptrdiff_t room, struct stats_changes *out)
{
    (void)least, (void)tick, (void)scratch, (void)room;
    world_detected[world_n_detected][0] = (int)n;
    world_detected[world_n_detected++][1] = (int)x[0];
    const bool here = n_planted && planted[n_planted - 1].last < n;
    *out = (struct stats_changes){.course = here && world_course == STATS_COURSE_FLAT ? STATS_COURSE_STEPS : world_course,
                                  .n = here ? n_planted : 0};
    out->drift = world_course == STATS_COURSE_EITHER ? log(1.2) : NAN;
    for (int i = 0; here && i < n_planted; i++)
        changes[i] = planted[i];
    return TARE_OK;
}

const char *world_patch;

enum tare_status git_ask(struct git *g, struct buf *out, struct tare_err *err, ...)
{
    (void)g, (void)out;
    return err_set(err, TARE_CHILD, "not asked here");
}

enum tare_status git_text(struct git *g, const char **out, struct tare_err *err, ...)
{
    (void)g, (void)out;
    return err_set(err, TARE_CHILD, "not asked here");
}

enum tare_status git_commit(struct git *g, const char *name, const char **hash, struct tare_err *err)
{
    (void)g, (void)name, (void)hash;
    return err_set(err, TARE_CHILD, "not asked here");
}

const char *git_no_such_commit(struct git *g)
{
    (void)g;
    return "no such commit";
}

enum tare_status git_patch_ids(struct git *g, struct buf *out, struct tare_err *err, const char *most, const char *hash)
{
    (void)g, (void)err, (void)most, (void)hash;
    buf_str(out, world_patch);
    return TARE_OK;
}

/* ---- a history of ten commits ---- */

const char *const world_hashes[COMMITS] = {"h0", "h1", "h2", "h3", "h4", "h5", "h6", "h7", "h8", "h9"};

void world_begin(struct world *w)
{
    *w = (struct world){
        .h = {.series = {.id = "s",
                         .benchmark = "parse",
                         .arguments = "",
                         .metric = {.id = "wall", .title = "wall time", .unit = "ns", .direction = METRIC_LOWER}}}};
    for (int i = 0; i < COMMITS; i++) {
        w->commits[i] = (struct history_commit){.hash = world_hashes[i], .subject = "", .author = "", .time_s = 1000 + i};
        w->sorted[i] = i;
    }
    w->line = (struct history_line){.commits = w->commits,
                                    .n = COMMITS,
                                    .root = "h0",
                                    .sorted = w->sorted,
                                    .git = &w->git,
                                    .arena = &w->arena,
                                    .patches = w->patches};
    n_planted = world_n_detected = 0;
    world_course = STATS_COURSE_FLAT;
    world_patch = "";
}

void world_add(struct world *w, const char *revision, double value, bool dirty)
{
    struct history *h = &w->h;
    h->sessions[h->n] = (struct history_session){.revision = revision, .dirty = dirty};
    h->points[h->n] = (struct history_point){.session = h->n,
                                             .median = value,
                                             .low = value - 1,
                                             .high = value + 1,
                                             .ratio = NAN,
                                             .ratio_low = NAN,
                                             .ratio_high = NAN,
                                             .n = 10};
    h->n++;
}

void world_add_all(struct world *w)
{
    for (int i = 0; i < COMMITS; i++)
        world_add(w, world_hashes[i], i < 5 ? 100 : 120, false);
}

/* At point `at`, somewhere in [first, last], 20 % more. */
void world_plant(int at, int first, int last)
{
    const double shift = log(1.2);
    planted[n_planted++] = (struct stats_change){at, first, last, 100, 120, shift, shift - 0.01, shift + 0.01};
}

struct history_event *world_note(struct world *w, enum history_event_kind kind, const char *revision)
{
    struct history_event *e = &w->h.events[w->h.n_events++];
    *e = (struct history_event){.kind = kind, .id = "", .revision = revision, .shift = NAN, .low = NAN, .high = NAN};
    return e;
}

void world_make(struct world *w, bool line)
{
    struct tare_err err;
    w->h.series.n = w->h.n;
    assert_int_equal(history_view_make(&w->v, &w->h, 0, line ? &w->line : NULL, &w->o, &w->arena, &err), TARE_OK);
}

void world_end(struct world *w)
{
    arena_finish(&w->arena);
}
