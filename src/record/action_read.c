/* SPDX-License-Identifier: MIT
 *
 * Files of github-action-benchmark: the list [{"name", "value", "unit"}] of its custom tools (customSmallerIsBetter), and its data.js, {"entries":
 * {"SUITE": [{"commit", "benches": [...]}]}}, of which the newest entry of each suite is read. The texts "range" and "extra" have no
 * form and are not read. A name "parse [rss]", as tare writes it, is that metric of parse. Suites may be machines with the same benchmarks: then the name
 * of the suite is put before theirs.
 */
#include "foreign.h"

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

static bool action_file(const struct json_value *root)
{
    return json_is_array(root) ? is_bench(json_first(root))
                               : json_is_object(json_member(root, "entries")) && json_member(root, "lastUpdate");
}

static enum tare_status read_bench(struct foreign *f, const char *suite, const struct json_value *bench)
{
    const char *name, *benchmark, *unit = "";
    double value;
    struct foreign_unit to;
    if (!json_text_of(json_member(bench, "name"), &name))
        return foreign_wrong(f, "a benchmark without its name");
    json_text_of(json_member(bench, "unit"), &unit);
    const char *id = series_name_split(&f->arena, name, &benchmark);
    if (!benchmark || !(benchmark = action_name(suite, benchmark, &f->arena)))
        return err_no_memory(f->err);
    if (!json_number_of(json_member(bench, "value"), &value))
        return foreign_left_out(f, benchmark);
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

static enum tare_status action_read(struct foreign *f, const struct json_value *root)
{
    const struct json_value *entries = json_member(root, "entries");
    bool overlap = false;
    enum tare_status status = json_is_array(root) ? read_list(f, NULL, root) : TARE_OK;
    if (!status)
        status = action_suites_overlap(entries, &f->arena, &overlap, f->err);
    for (const struct json_value *s = json_first(entries); s && !status; s = json_next(s)) {
        if (json_count(s) > 1)
            foreign_note(f, "only the newest entry was read; tare history import reads those of all commits");
        status = read_list(f, overlap ? json_key(s) : NULL, action_newest(s));
    }
    return status ? status : foreign_cells_end(f);
}

const struct json_format action_format = {action_file, action_read, &source};
