/* SPDX-License-Identifier: MIT
 *
 * Catch2 (https://github.com/catchorg/Catch2), versions 2.9 to 3: what its XML reporter prints is read. A BENCHMARK is known when its test case runs, so
 * to be listed all test cases run once, but for hidden ones without the tag [!benchmark]. There is no filter for a benchmark: its test case runs, and
 * a process measures all in it. It has one mean of a benchmark, whose length is a number of Catch2's own samples; before, it measures its clock.
 */
#include "catch2_walk.h"
#include "fnv.h"
#include "harness.h"
#include <math.h>
#include <string.h>

enum { FIRST_SAMPLES = 10, MOST_SAMPLES = 10000000, SLOTS = 1 << 18 /* a power of 2 above twice HARNESS_LISTED_MAX */ };

static const char begins[] = "<?xml "; /* the first line of a result */
static const char *const marks[] = {"benchmark-no-analysis", "libCatch2", NULL};
static const char *const list[] = {"~[.],[!benchmark]",         "-r", "xml", "--benchmark-samples=1", "--benchmark-no-analysis",
                                   "--benchmark-warmup-time=1", NULL};
static const char *const one[] = {HARNESS_NAME, "-r", "xml", HARNESS_TIME, "--benchmark-no-analysis", "--benchmark-warmup-time=1",
                                  NULL};

/* Of "a/b/c" the test case is "a" or "a/b": either is asked for, and what else runs is not looked at. A star at either end stays a wildcard. */
static void put_name(struct buf *b, const char *name)
{
    for (const char *slash = strchr(name, '/'); slash; slash = strchr(slash + 1, '/')) {
        buf_str(b, slash == strchr(name, '/') ? "\"" : ",\"");
        for (const char *at = name; at < slash; at++)
            buf_format(b, "%s%c", strchr("\\,[]\"", *at) ? "\\" : "", *at);
        buf_char(b, '"');
    }
}

static void put_time(struct buf *b, struct harness_words *w, int64_t ns)
{
    const double n = w->own_ns > 0 ? (double)ns * w->samples / w->own_ns : FIRST_SAMPLES;
    struct harness_words *process = w->first ? w->first : w;
    struct buf shared = buf_over(process->time, sizeof process->time);
    w->wanted = (int)fmin(MOST_SAMPLES, fmax(1, round(n)));
    process->own_samples = w->wanted;
    for (const struct harness_words *other = w->first; other; other = other->next)
        process->own_samples = other->wanted > process->own_samples ? other->wanted : process->own_samples;
    buf_format(w->first ? &shared : b, "--benchmark-samples=%d", process->own_samples);
}

/* ---- the list ---- */

struct listing {
    struct harness_names *names;
    int first;  /* of the test case at hand */
    int *slots; /* by name: 1 + index of the last one */
    struct tare_err *err;
};

static int *slot_of(const struct listing *l, const char *name)
{
    uint64_t at = fnv1a64(FNV1A64_EMPTY, name, strlen(name)) % SLOTS;
    while (l->slots[at] && strcmp(l->names->items[l->slots[at] - 1], name) != 0)
        at = (at + 1) % SLOTS;
    return &l->slots[at];
}

static enum tare_status list_item(void *context, const struct catch2_item *item)
{
    struct listing *l = context;
    if (item->kind == CATCH2_BEGINS)
        l->first = l->names->n;
    int *slot = item->kind == CATCH2_BENCHMARK ? slot_of(l, item->name) : NULL;
    if (!slot || *slot > l->first) /* one that runs in each of several sections is one */
        return TARE_OK;
    char *name = arena_strdup(&l->names->arena, item->name);
    const enum tare_status status = name ? harness_add_name(l->names, name, l->err) : err_no_memory(l->err);
    *slot = status ? *slot : l->names->n;
    return status;
}

static enum tare_status take_names(const char *text, size_t n, struct harness_names *names, struct tare_err *err)
{
    struct listing l = {.names = names, .slots = arena_array(&names->arena, SLOTS, sizeof *l.slots), .err = err};
    if (!l.slots)
        return err_no_memory(err);
    const bool xml = n >= strlen(begins) && !memcmp(text, begins, strlen(begins));
    return xml ? catch2_walk(text, n, list_item, &l, err) : err_set(err, TARE_FORMAT, "it printed no XML of Catch2");
}

static enum tare_status keep_last(void *context, const struct catch2_item *item)
{
    struct buf *last = context;
    if (item->kind == CATCH2_BEGINS) {
        buf_clear(last);
        buf_str(last, item->name);
    }
    return TARE_OK;
}

static void last_name(const char *text, size_t n, struct buf *out)
{
    catch2_walk(text, n, keep_last, out, NULL);
}

/* ---- a result ---- */

struct search {
    const char *benchmark;
    struct buf *why;
    bool *skipped;
};

static bool is_in(const char *benchmark, const char *test)
{
    const size_t n = strlen(test);
    return !strncmp(benchmark, test, n) && benchmark[n] == '/';
}

static enum tare_status find_failure(void *context, const struct catch2_item *item)
{
    const struct search *s = context;
    if (!*item->failure || s->why->len)
        return TARE_OK;
    if (item->kind == CATCH2_BENCHMARK && !strcmp(item->name, s->benchmark))
        buf_str(s->why, item->failure);
    else if (item->kind == CATCH2_ENDS && is_in(s->benchmark, item->name))
        buf_format(s->why, "its test case: %s", item->failure);
    *s->skipped = s->why->len && item->skipped;
    return TARE_OK;
}

static void failure(const char *text, size_t n, const char *benchmark, struct buf *why, bool *skipped)
{
    catch2_walk(text, n, find_failure, &(struct search){benchmark, why, skipped}, NULL);
}

const struct harness catch2 = {
    .name = "catch2",
    .what = "Catch2 XML",
    .marks = marks,
    .list = list,
    .one = one,
    .begins = begins,
    .list_code = 255,
    .samples = 1,
    .most_samples = 1,
    .runs_to_list = true,
    .runs_others = true,
    .put_name = put_name,
    .put_time = put_time,
    .take_names = take_names,
    .last_name = last_name,
    .failure = failure,
};
