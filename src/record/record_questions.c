/* SPDX-License-Identifier: MIT
 *
 * What is asked of a finished record, and what nothing in record.c needs. */
#include "record_kind.h"
#include "same_text.h"
#include <string.h>

int record_clock_in_use(const struct record *r)
{
    int first = -1;
    for (int i = r->n_subjects - 1; i >= 0; i--) {
        const struct subject *s = &r->subjects[i];
        if (s->kind == SUBJECT_CLOCK && subject_parameter(s, "used_by_brackets"))
            return i;
        if (s->kind == SUBJECT_CLOCK && !subject_parameter(s, "distrusted"))
            first = i;
    }
    return first;
}

const char *subject_host_part(const struct subject *s)
{
    const char *part = s->kind == SUBJECT_HOST ? subject_parameter(s, "what") : NULL;
    return part ? part : "";
}

bool record_is_host_part(const struct record *r, int subject, const char *part)
{
    return !strcmp(subject_host_part(&r->subjects[subject]), part);
}

bool record_has_plan(const struct record *r)
{
    static const char *const repeatable[] = {"run", "bench", "trace"};
    if (record_source(r) || record_kind(r)->again || !r->argv || !r->argv[0] || !r->argv[1])
        return false;
    return text_among(r->argv[1], repeatable, sizeof repeatable / sizeof *repeatable);
}
