/* SPDX-License-Identifier: MIT
 *
 * Suites of data.js: where two have a benchmark of one name, the name of the suite belongs to it.
 */
#include "foreign.h"
#include "same_text.h"
#include <stdlib.h>

const struct json_value *action_newest(const struct json_value *suite)
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

enum tare_status action_suites_overlap(const struct json_value *entries, struct arena *a, bool *overlap, struct tare_err *err)
{
    size_t room = 1, n = 0;
    for (const struct json_value *s = json_first(entries); s; s = json_next(s))
        room += (size_t)json_count(action_newest(s));
    struct named *all = arena_array(a, room, sizeof *all);
    if (!all)
        return err_no_memory(err);
    for (const struct json_value *s = json_first(entries); s; s = json_next(s))
        for (const struct json_value *b = json_first(action_newest(s)); b; b = json_next(b))
            if (json_text_of(json_member(b, "name"), &all[n].name))
                all[n++].suite = s;
    qsort(all, n, sizeof *all, text_order);
    *overlap = false;
    for (size_t i = 1; i < n; i++)
        *overlap |= all[i].suite != all[i - 1].suite && !text_order(&all[i], &all[i - 1]);
    return TARE_OK;
}

const char *action_name(const char *suite, const char *benchmark, struct arena *a)
{
    return suite ? arena_format(a, "%s: %s", suite, benchmark) : benchmark;
}
