/* SPDX-License-Identifier: MIT
 *
 * The list of benchmarks, in the order in which they were registered, and the combinations of arguments of each. A case is found by its
 * number, so that nothing is kept of a million of them.
 */
#include "probe.h"
#include "sized.h"
#include <stdlib.h>
#include <string.h>

static struct sized_list benches;

static const struct tare_bench *bench_after(const struct tare_bench *b)
{
    return sized_list_next(&benches, b);
}

struct note {
    struct wire_note said;
    char name[WIRE_LABEL_MAX], text[WIRE_LABEL_MAX];
};

static struct note *notes[WIRE_NOTES_MAX];

void tare_bench_register(const struct tare_bench *bench)
{
    sized_list_register(&benches, bench, sizeof *bench, offsetof(struct tare_bench, args), bench->file, bench->line);
}

enum tare_status tare_bench_add(const char *name, void (*fn)(struct tare_state *st), void *context)
{
    if (!name || !fn)
        return TARE_INVALID;
    size_t n = strlen(name) + 1;
    struct tare_bench *mine = sized_list_add(&benches, sizeof *mine + n);
    if (!mine)
        return TARE_NO_MEMORY;
    *mine = (struct tare_bench){.name = memcpy(mine + 1, name, n), .run = fn, .file = "", .context = context};
    return TARE_OK;
}

static bool is_note_text(const char *text)
{
    return text && probe_printable(text) && strlen(text) < WIRE_LABEL_MAX;
}

enum tare_status tare_bench_note(const char *name, const char *text)
{
    int i = 0;
    if (!is_note_text(name) || !is_note_text(text))
        return TARE_INVALID;
    while (i < WIRE_NOTES_MAX && notes[i] && strcmp(notes[i]->name, name) != 0)
        i++;
    if (i == WIRE_NOTES_MAX)
        return TARE_INVALID;
    struct note *n = notes[i] ? notes[i] : malloc(sizeof *n);
    if (!n)
        return TARE_NO_MEMORY;
    memcpy(n->name, name, strlen(name) + 1);
    memcpy(n->text, text, strlen(text) + 1);
    n->said = (struct wire_note){n->name, n->text};
    notes[i] = n;
    return TARE_OK;
}

uint32_t probe_notes(struct wire_note out[WIRE_NOTES_MAX])
{
    uint32_t n = 0;
    for (; n < WIRE_NOTES_MAX && notes[n]; n++)
        out[n] = notes[n]->said;
    return n;
}

/* The step after `at` of a range; its end is always a member. */
static int64_t range_next(const struct tare_values *v, int64_t at)
{
    return at > v->high / v->factor ? v->high : at * v->factor;
}

/* An empty list counts as one that is not there. */
int probe_values_n(const struct tare_values *v)
{
    if (!v->n && v->step) {
        /* high - low may not fit a signed number. */
        uint64_t steps = v->high < v->low || v->step < 1 ? 0 : ((uint64_t)v->high - (uint64_t)v->low) / (uint64_t)v->step;
        return steps < PROBE_VALUES_MAX ? (int)steps + 1 : PROBE_VALUES_MAX + 1;
    }
    if (v->n || !v->factor)
        return v->n;
    int n = 1;
    for (int64_t at = v->low; at < v->high && n <= PROBE_VALUES_MAX; at = range_next(v, at))
        n++;
    return n;
}

int64_t probe_value_at(const struct tare_values *v, int i)
{
    if (v->values)
        return v->values[i];
    if (!v->words && v->step)
        return v->low + i * v->step;
    if (!v->factor)
        return i;
    int64_t at = v->low;
    while (i-- > 0)
        at = range_next(v, at);
    return at;
}

static struct wire_arg arg_at(const struct tare_values *v, int i)
{
    return (struct wire_arg){
        .name = v->name ? v->name : "", .value = probe_value_at(v, i), .word = v->words && !v->values ? v->words[i] : ""};
}

static const struct tare_values *list_of(const struct tare_bench *b, int i)
{
    const struct tare_values *const lists[PROBE_LISTS] = {&b->args,  &b->args2, &b->args3,  &b->args4,
                                                          &b->args5, &b->args6, &b->threads};
    return lists[i];
}

/* It has the place of the first list; the threads are combined with whatever the arguments are. */
static bool goes_along(const struct tare_bench *b, int list)
{
    return b->zip && list > 0 && list < PROBE_ARGS;
}

/* More than PROBE_CASES_MAX: too many, however many there are. */
static int64_t combinations_of(const struct tare_bench *b)
{
    int64_t n = 1;
    for (int i = 0; i < PROBE_LISTS && n <= PROBE_CASES_MAX; i++) {
        int values = probe_values_n(list_of(b, i));
        if (values > 0 && !goes_along(b, i))
            n *= values;
    }
    return n;
}

int64_t probe_cases(void)
{
    int64_t n = 0;
    for (const struct tare_bench *b = NULL; (b = bench_after(b));)
        n += combinations_of(b);
    return n;
}

static void add_arg(struct buf *name, const struct wire_arg *a, const char *title)
{
    buf_char(name, '/');
    if (title[0])
        buf_format(name, "%s:", title);
    if (a->word[0])
        buf_str(name, a->word);
    else
        buf_format(name, "%lld", (long long)a->value);
}

/* The last list varies fastest. */
static void choose_values(struct probe_case *c, int64_t number)
{
    int place[PROBE_LISTS] = {0};
    for (int i = PROBE_LISTS - 1; i >= 0; i--) {
        int n = probe_values_n(list_of(c->bench, i));
        if (n < 1 || goes_along(c->bench, i))
            continue;
        place[i] = (int)(number % n);
        number /= n;
    }
    struct buf name = buf_over(c->name, sizeof c->name);
    buf_str(&name, c->bench->name);
    for (int i = 0; i < PROBE_ARGS; i++) {
        const struct tare_values *v = list_of(c->bench, i);
        if (probe_values_n(v) < 1)
            continue;
        c->args[c->n_args] = arg_at(v, c->bench->zip ? place[0] : place[i]);
        add_arg(&name, &c->args[c->n_args], c->args[c->n_args].name);
        c->n_args++;
    }
    if (probe_values_n(&c->bench->threads) > 0) {
        struct wire_arg threads = arg_at(&c->bench->threads, place[PROBE_ARGS]);
        c->threads = (int)threads.value;
        add_arg(&name, &threads, "threads");
    }
}

bool probe_case_at(int64_t number, struct probe_case *out)
{
    *out = (struct probe_case){.number = number, .threads = 1};
    while ((out->bench = bench_after(out->bench))) {
        int64_t n = combinations_of(out->bench);
        if (number < n) {
            choose_values(out, number);
            return true;
        }
        number -= n;
    }
    return false;
}

bool probe_case_wanted(const struct wire_request *q, int64_t *number, struct probe_case *out)
{
    while (probe_case_at((*number)++, out))
        if (wire_request_wants(q, out->name))
            return true;
    return false;
}

enum { THREADS_MAX = 1024 };

bool probe_printable(const char *name)
{
    for (const unsigned char *at = (const unsigned char *)name; *at; at++)
        if (*at < ' ' || *at == 127)
            return false;
    return name[0] != 0;
}

enum tare_status probe_check_values(const struct tare_values *v, struct tare_err *err)
{
    if (v->n > 0 && !v->values && !v->words)
        return err_set(err, TARE_INVALID, "a list of %d arguments without values", v->n);
    if (!v->n && v->step && (v->step < 1 || v->high < v->low))
        return err_set(err, TARE_INVALID, "steps go up, by at least 1, not from %lld to %lld by %lld", (long long)v->low,
                       (long long)v->high, (long long)v->step);
    if (!v->n && !v->step && v->factor && (v->factor < 2 || v->low < 1 || v->high < v->low))
        return err_set(err, TARE_INVALID,
                       "a range goes from at least 1 up, by a factor of at least 2, not from %lld to %lld by %lld",
                       (long long)v->low, (long long)v->high, (long long)v->factor);
    if (v->n < 0 || probe_values_n(v) > PROBE_VALUES_MAX)
        return err_set(err, TARE_INVALID, "a list of arguments has 1 to %d values", PROBE_VALUES_MAX);
    return TARE_OK;
}

static enum tare_status check_zip(const struct tare_bench *b, struct tare_err *err)
{
    const int n = probe_values_n(&b->args);
    for (int i = 1; b->zip && i < PROBE_ARGS; i++) {
        int other = probe_values_n(list_of(b, i));
        if (other && other != n)
            return err_set(err, TARE_INVALID, "%s: lists that go together have one length, not %d and %d", b->name, n, other);
    }
    return TARE_OK;
}

static enum tare_status check_threads(const struct tare_bench *b, struct tare_err *err)
{
    for (int i = 0; i < probe_values_n(&b->threads); i++) {
        int64_t n = probe_value_at(&b->threads, i);
        if (n < 1 || n > THREADS_MAX)
            return err_set(err, TARE_INVALID, "%s: 1 to %d threads, not %lld", b->name, THREADS_MAX, (long long)n);
    }
    return TARE_OK;
}

static enum tare_status check_one(const struct tare_bench *b, struct tare_err *err)
{
    if (!b->name || !b->run || !probe_printable(b->name))
        return err_set(err, TARE_INVALID, "a benchmark (%s:%d) has no function, or a name that cannot be printed",
                       b->file ? b->file : "", b->line);
    if (b->version && (!probe_printable(b->version) || strlen(b->version) >= WIRE_LABEL_MAX))
        return err_set(err, TARE_INVALID, "%s: a version has 1 to %d bytes that can be printed", b->name, WIRE_LABEL_MAX - 1);
    enum tare_status status = TARE_OK;
    for (int i = 0; !status && i < PROBE_LISTS; i++)
        status = probe_check_values(list_of(b, i), err);
    if (status)
        err_prefix(err, b->name);
    status = status ? status : check_zip(b, err);
    status = status ? status : check_threads(b, err);
    struct probe_case longest = {.bench = b, .threads = 1};
    if (status)
        return status;
    choose_values(&longest, combinations_of(b) - 1);
    if (strlen(longest.name) >= WIRE_NAME_MAX - 1)
        return err_set(err, TARE_INVALID, "%.40s...: its name with arguments is longer than %d bytes", b->name,
                       WIRE_NAME_MAX - 2);
    return TARE_OK;
}

static const char *place_name(const char *file)
{
    return file && file[0] ? file : "added at run time";
}

enum tare_status probe_refuse_twins(const char *what, const char *name, const char *file, int line, const char *other_file,
                                    int other_line, struct tare_err *err)
{
    return err_set(err, TARE_INVALID, "two %s have the name %s: %s:%d and %s:%d", what, name, place_name(file), line,
                   place_name(other_file), other_line);
}

static enum tare_status check_twins(const struct tare_bench *b, struct tare_err *err)
{
    for (const struct tare_bench *other = b; (other = bench_after(other));)
        if (other->name && strcmp(b->name, other->name) == 0)
            return probe_refuse_twins("benchmarks", b->name, b->file, b->line, other->file, other->line, err);
    return TARE_OK;
}

enum tare_status probe_check_list(struct tare_err *err)
{
    enum tare_status status = TARE_OK;
    if (benches.refused)
        return err_set(err, TARE_INVALID, "a benchmark is registered %s", benches.refused);
    for (const struct tare_bench *b = NULL; !status && (b = bench_after(b));) {
        status = check_one(b, err);
        status = status ? status : check_twins(b, err);
    }
    if (!status && probe_cases() > PROBE_CASES_MAX)
        return err_set(err, TARE_INVALID, "the benchmarks have more than %d combinations of arguments", PROBE_CASES_MAX);
    return status;
}
