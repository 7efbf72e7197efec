/* SPDX-License-Identifier: MIT
 *
 * What a benchmark asks and says outside of its loop.
 */
#include "probe.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The one thing that a barrier, which has no state at hand, can reach. */
static _Thread_local __attribute__((tls_model("initial-exec"))) struct tare_state *current; /* no call of the loader */

void probe_current(struct tare_state *st)
{
    current = st;
}

void tare_saw_constant(void)
{
    if (current)
        current->saw_constant = true;
}

int64_t tare_arg(const struct tare_state *st, int index)
{
    return index >= 0 && index < st->the_case->n_args ? st->the_case->args[index].value : 0;
}

const char *tare_word(const struct tare_state *st, int index)
{
    return index >= 0 && index < st->the_case->n_args ? st->the_case->args[index].word : "";
}

uint64_t tare_seed(const struct tare_state *st)
{
    return st->seed;
}

void *tare_context(const struct tare_state *st)
{
    return st->context;
}

void tare_set_context(struct tare_state *st, void *context)
{
    st->context = context;
}

int tare_thread(const struct tare_state *st)
{
    return st->thread;
}

int tare_threads(const struct tare_state *st)
{
    return st->the_case->threads;
}

enum { LINE = 64, PAGE = 4096 };

void *tare_alloc(struct tare_state *st, size_t bytes)
{
    size_t more = sizeof(struct probe_memory) + LINE + PAGE;
    struct probe_memory *m = bytes <= SIZE_MAX - more ? malloc(bytes + more) : NULL;
    if (!m) {
        probe_end(st, WIRE_FAILED, "no memory for %zu bytes", bytes);
        return NULL;
    }
    m->next = st->memory;
    st->memory = m;
    uintptr_t first = ((uintptr_t)(m + 1) + LINE - 1) / LINE * LINE;
    return (char *)m + (first - (uintptr_t)m) + rng_below(&st->rng, PAGE / LINE) * LINE;
}

void probe_memory_release(struct tare_state *st)
{
    while (st->memory) {
        struct probe_memory *m = st->memory;
        st->memory = m->next;
        free(m);
    }
}

void probe_end(struct tare_state *st, enum wire_state end, const char *format, ...)
{
    if (st->end != WIRE_OK)
        return;
    st->end = end;
    struct buf reason = buf_over(st->reason, sizeof st->reason);
    va_list ap;
    va_start(ap, format);
    buf_vformat(&reason, format, ap);
    va_end(ap);
}

void tare_skip(struct tare_state *st, const char *reason)
{
    probe_end(st, WIRE_SKIPPED, "%s", reason ? reason : "");
}

void tare_fail(struct tare_state *st, const char *reason)
{
    probe_end(st, WIRE_FAILED, "%s", reason ? reason : "");
}

void tare_check_failed(struct tare_state *st, const char *condition, const char *file, int line)
{
    probe_end(st, WIRE_FAILED, "%s:%d: not true: %s", file, line, condition);
}

static void set_rate(struct tare_state *st, double *rate, double value, const char *what)
{
    if (!isfinite(value) || value < 0)
        probe_end(st, WIRE_FAILED, "%s of an iteration cannot be %g", what, value);
    else if (*rate > 0 && *rate != value)
        probe_end(st, WIRE_FAILED, "%s of an iteration changed from %g to %g", what, *rate, value);
    else
        *rate = value;
}

void tare_items(struct tare_state *st, double items)
{
    set_rate(st, &st->items, items, "the items");
}

void tare_bytes(struct tare_state *st, double bytes)
{
    set_rate(st, &st->bytes, bytes, "the bytes");
}

void tare_manual_ns(struct tare_state *st, double ns)
{
    const double sum = st->manual_ns + ns, most = 1e18; /* 30 years */
    st->reported = true;
    if (sum > -most && sum < most)
        st->manual_ns = sum;
    else
        probe_end(st, WIRE_FAILED, "the time that it reports (tare_manual_ns) cannot be %g ns", ns);
}

static void copy_name(char out[64], const char *text)
{
    struct buf b = buf_over(out, 64);
    buf_str(&b, text ? text : "");
}

void tare_counter(struct tare_state *st, const char *name, double value, const char *unit, enum tare_per per)
{
    int i = 0;
    while (i < st->n_counters && strcmp(st->counters[i].name, name) != 0)
        i++;
    if (!isfinite(value)) {
        probe_end(st, WIRE_FAILED, "the counter %s is not a number", name);
        return;
    }
    if (i == WIRE_COUNTERS_MAX) {
        probe_end(st, WIRE_FAILED, "more than %d counters", WIRE_COUNTERS_MAX);
        return;
    }
    if ((per & 15) > TARE_TOTAL) {
        probe_end(st, WIRE_FAILED, "the counter %s is per iteration, per second or in all", name);
        return;
    }
    copy_name(st->counter_names[i][0], name);
    copy_name(st->counter_names[i][1], unit);
    st->counters[i] = (struct wire_counter){.name = st->counter_names[i][0],
                                            .unit = st->counter_names[i][1],
                                            .value = value,
                                            .per = (enum wire_per)(per & 15),
                                            .inverted = per & TARE_INVERTED};
    st->counter_of_all[i] = (uint32_t)per & (TARE_OF_ALL | TARE_MEAN_OF_ALL);
    st->n_counters += i == st->n_counters;
}

void tare_label(struct tare_state *st, const char *text)
{
    struct buf b = buf_over(st->label, sizeof st->label);
    buf_str(&b, text ? text : "");
}
