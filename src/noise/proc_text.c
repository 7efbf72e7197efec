/* SPDX-License-Identifier: MIT
 *
 * Processes and the whole machine. Apart from control groups, which measured programs read too.
 */
#include "proc_text.h"
#include "proc_rest.h"

/* One field of any kind, up to the next blank. */
static bool skip_field(struct rest *r)
{
    skip_blanks(r);
    const char *first = r->p;
    while (r->p < r->end && *r->p != ' ' && *r->p != '\n')
        r->p++;
    return r->p > first;
}

/* Sums of counters stay far from the end of the type, whatever a file claims. */
static bool is_sane(const int64_t *v, int n)
{
    for (int i = 0; i < n; i++)
        if (v[i] > INT64_MAX / 16)
            return false;
    return true;
}

bool proc_cpu_parse(const char *text, size_t n, struct proc_cpu *out)
{
    enum { USER, NICE, SYSTEM, IDLE, IOWAIT, IRQ, SOFTIRQ, STEAL, FIELDS };
    struct rest r = rest_of(text, n);
    int64_t v[FIELDS];
    if (!take_word(&r, "cpu "))
        return false;
    for (int i = 0; i < FIELDS; i++)
        if (!take_number(&r, &v[i]))
            return false;
    if (!is_sane(v, FIELDS))
        return false;
    *out = (struct proc_cpu){v[USER] + v[NICE] + v[SYSTEM] + v[IRQ] + v[SOFTIRQ], v[IDLE] + v[IOWAIT], v[STEAL]};
    return true;
}

bool proc_pressure_parse(const char *text, size_t n, int64_t *some_us)
{
    struct rest r = rest_of(text, n);
    if (!take_word(&r, "some "))
        return false;
    for (; r.p < r.end && *r.p != '\n'; skip_field(&r)) {
        skip_blanks(&r);
        if (take_word(&r, "total="))
            return take_number(&r, some_us);
    }
    return false;
}

static const char *last_of(const char *first, const char *end, char c)
{
    while (end > first)
        if (*--end == c)
            return end;
    return NULL;
}

/* A name may hold blanks and parentheses of its own, so it ends at the last one. */
static bool take_name(struct rest *r, char *name)
{
    skip_blanks(r);
    const char *first = r->p + 1, *last = last_of(r->p, r->end, ')');
    if (r->p >= r->end || *r->p != '(' || !last || last < first)
        return false;
    size_t n = (size_t)(last - first);
    n = n < PROC_NAME_MAX ? n : PROC_NAME_MAX - 1;
    memcpy(name, first, n);
    name[n] = 0;
    r->p = last + 1;
    return true;
}

static bool skip_fields(struct rest *r, int count)
{
    for (int i = 0; i < count; i++)
        if (!skip_field(r))
            return false;
    return true;
}

static bool take_state(struct rest *r, bool *ended)
{
    skip_blanks(r);
    *ended = r->p < r->end && *r->p == 'Z';
    return skip_field(r);
}

/* pid (name) state ppid, 9 fields, utime stime cutime cstime, 4 fields, starttime: proc(5). */
bool proc_process_parse(const char *text, size_t n, struct proc_process *out)
{
    struct rest r = rest_of(text, n);
    struct proc_process p;
    int64_t v[4];
    bool good = take_number(&r, &p.id) && take_name(&r, p.name) && take_state(&r, &p.ended) && take_number(&r, &p.parent) &&
                skip_fields(&r, 9);
    for (int i = 0; i < 4; i++)
        good = good && take_number(&r, &v[i]);
    if (!good || !skip_fields(&r, 4) || !take_number(&r, &p.started) || !is_sane(v, 4))
        return false;
    p.ticks = v[0] + v[1];
    p.children_ticks = v[2] + v[3];
    *out = p;
    return true;
}
