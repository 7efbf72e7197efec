/* SPDX-License-Identifier: MIT
 *
 * Files of github-action-benchmark: the list [{"name", "value", "unit"}] of its custom tools (customSmallerIsBetter), and its data.js, {"entries":
 * {"SUITE": [{"commit", "benches": [...]}]}}, of which the newest entry of each suite is read. The texts "range" and "extra" have no
 * form and are not read. A name "parse [rss]", as tare writes it, is that metric of parse. Suites may be machines with the same benchmarks: then the name
 * of the suite is put before theirs.
 */
#include "foreign.h"
#include "series_name.h"
#include <stdlib.h>
#include <string.h>

static const struct foreign_source source = {
    .format = "github-action-benchmark JSON",
    .value = "one figure, as its tool summed it up",
    .order = "unknown: the file has one figure for each benchmark",
    .limits = "a file of github-action-benchmark has one figure for each benchmark, without its spread",
};

static bool is_bench(const struct json_value *v)
{
    double value;
    return json_member(v, "name") && json_number_of(json_member(v, "value"), &value);
}

bool action_file(const struct json_value *root)
{
    return json_is_array(root) ? is_bench(json_first(root))
                               : json_is_object(json_member(root, "entries")) && json_member(root, "lastUpdate");
}

/* ---- suites ---- */

static const struct json_value *newest_of(const struct json_value *suite)
{
    const struct json_value *newest = NULL;
    for (const struct json_value *entry = json_first(suite); entry; entry = json_next(entry))
        newest = entry;
    return json_member(newest, "benches");
}

struct named {
    const char *name;
    const struct json_value *suite;
};

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct named *)a)->name, ((const struct named *)b)->name);
}

enum tare_status action_suites_overlap(const struct json_value *entries, struct arena *a, bool *overlap, struct tare_err *err)
{
    size_t room = 1, n = 0;
    for (const struct json_value *s = json_first(entries); s; s = json_next(s))
        room += (size_t)json_count(newest_of(s));
    struct named *all = arena_array(a, room, sizeof *all);
    if (!all)
        return err_no_memory(err);
    for (const struct json_value *s = json_first(entries); s; s = json_next(s))
        for (const struct json_value *b = json_first(newest_of(s)); b; b = json_next(b))
            if (json_text_of(json_member(b, "name"), &all[n].name))
                all[n++].suite = s;
    qsort(all, n, sizeof *all, by_name);
    *overlap = false;
    for (size_t i = 1; i < n; i++)
        *overlap |= all[i].suite != all[i - 1].suite && !by_name(&all[i], &all[i - 1]);
    return TARE_OK;
}

const char *action_name(const char *suite, const char *benchmark, struct arena *a)
{
    return suite ? arena_format(a, "%s: %s", suite, benchmark) : benchmark;
}

/* ---- values ---- */

static enum tare_status read_bench(struct foreign *f, const char *suite, const struct json_value *bench)
{
    const char *name, *benchmark, *unit = "";
    double value;
    struct foreign_unit to;
    if (!json_text_of(json_member(bench, "name"), &name))
        return foreign_wrong(f, "a benchmark without its name");
    if (!json_number_of(json_member(bench, "value"), &value))
        return foreign_left_out(f, name);
    json_text_of(json_member(bench, "unit"), &unit);
    const char *id = series_name_split(&f->arena, name, &benchmark);
    if (!benchmark || !(benchmark = action_name(suite, benchmark, &f->arena)))
        return err_no_memory(f->err);
    enum tare_status status = foreign_named_unit(f, id, unit, &to);
    return status ? status : foreign_cell(f, benchmark, to.column, value * to.factor);
}

static enum tare_status read_list(struct foreign *f, const char *suite, const struct json_value *benches)
{
    enum tare_status status = TARE_OK;
    for (const struct json_value *b = json_first(benches); b && !status; b = json_next(b))
        status = read_bench(f, suite, b);
    return status;
}

enum tare_status action_read(struct foreign *f, const struct json_value *root)
{
    const struct json_value *entries = json_member(root, "entries");
    bool overlap = false;
    enum tare_status status = foreign_describe(f, &source);
    if (!status && json_is_array(root))
        status = read_list(f, NULL, root);
    if (!status)
        status = action_suites_overlap(entries, &f->arena, &overlap, f->err);
    for (const struct json_value *s = json_first(entries); s && !status; s = json_next(s)) {
        if (json_count(s) > 1)
            foreign_note(f, "only the newest entry was read; tare history import reads those of all commits");
        status = read_list(f, overlap ? json_key(s) : NULL, newest_of(s));
    }
    return status ? status : foreign_cells_end(f);
}
