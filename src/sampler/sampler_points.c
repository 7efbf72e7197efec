/* SPDX-License-Identifier: MIT
 *
 * SAMPLER v2's points. Where somebody traces the process, a pass is one of tare's points with four stamps; else it writes a line. The
 * four readings of the clock and what lies between t4 and t1 are all that a pass consists of.
 */
#include "buf.h"
#include "json_write.h"
#include "plat_clock.h"
#include "plat_process.h"
#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#define TARE_POINTS_LIBRARY
#include <sampler.h>
#include <tare/point.h>

/* A sampler_point is a tare_point, told without its header. */
#define SAME(ours, theirs) _Static_assert(offsetof(struct sampler_point, ours) == offsetof(struct tare_point, theirs), "the same")
SAME(number, number);
SAME(file, file);
SAME(func, function);
SAME(name, name);
SAME(line, line);
SAME(kind, kind);
SAME(order, order);
SAME(partner, partner);
SAME(next, next);
SAME(row, row);
SAME(unit, unit);
SAME(count, count);
_Static_assert(sizeof(struct sampler_point) == sizeof(struct tare_point), "the same");
_Static_assert(TARE_KIND_POINT == 1 && TARE_PRECISE == 2, "what sampler.h has as numbers");

enum { OUTPUT_STANDARD = 1, STANDARD_ERROR = 2, LINE_MAX_BYTES = 16384 };
static atomic_int output = OUTPUT_STANDARD;
static atomic_int failed;             /* of one byte it would need libatomic on riscv64 */
static _Atomic int64_t first_process; /* it ends the run; 0: no point was passed */

static void report_error(const char *what)
{
    char room[512];
    struct buf b = buf_over(room, sizeof room);
    buf_format(&b, "sampler: %s\n", what);
    plat_process_write(STANDARD_ERROR, b.data, b.len, NULL);
}

static void put_line(const struct buf *line)
{
    struct tare_err err;
    enum tare_status status = line->status ? err_set(&err, TARE_TOO_LARGE, "a line of more than %d bytes", (int)LINE_MAX_BYTES)
                                           : plat_process_write(atomic_load(&output), line->data, line->len, &err);
    if (status && !atomic_exchange(&failed, 1)) {
        char room[512];
        buf_print(room, sizeof room, "arcs are missing in the output: %s", err.text);
        report_error(room);
    }
}

struct chain {
    const struct sampler_point *from; /* NULL: no arc has begun */
    long long stamps[2];              /* t1, t2 */
    int clock;
    int64_t process;
    volatile bool busy; /* a pass is in hand */
};
static __thread struct chain chain;
static __thread long long nowhere[2];

static void put_place(struct json_write *j, const char *key, const struct sampler_point *p)
{
    json_object(j, key);
    json_string(j, "file", p->file);
    json_integer(j, "line", p->line);
    json_string(j, "func", p->func);
    json_end(j);
}

static void write_arc(const struct sampler_point *from, const struct sampler_point *to, const long long *stamps, long long t3,
                      long long t4)
{
    char room[LINE_MAX_BYTES];
    struct buf line = buf_over(room, sizeof room);
    struct json_write json = json_into(&line, 0), *j = &json;
    json_object(j, NULL);
    put_place(j, "prev", from);
    put_place(j, "curr", to);
    json_integer(j, "dt", t3 - stamps[1]);
    json_integer(j, "ref_start", stamps[1] - stamps[0]);
    json_integer(j, "ref_end", t4 - t3);
    json_end(j);
    buf_char(&line, '\n');
    put_line(&line);
}

static bool is_traced(void)
{
    return !tare_trace_off(tare_trace_word(0));
}

/* The process is asked for each time: a child that was not made by the C library's fork knows nothing else. */
static void end_arc(struct chain *c, const struct sampler_point *p, int clock, long long t3, long long t4)
{
    const int error = errno;
    const int64_t process = plat_process_id();
    int64_t none = 0;
    atomic_compare_exchange_strong(&first_process, &none, process);
    if (c->from && c->process == process && c->clock == clock)
        write_arc(c->from, p, c->stamps, t3, t4);
    c->from = p;
    c->process = process;
    c->clock = clock;
    errno = error;
}

/* By the way that passes take, so that libtare can measure their overhead. */
static void run_row(struct tare_point *p, int passes, int links)
{
    uint64_t x = 3;
    for (int i = 0; i < passes; i++) {
        sampler_pass((struct sampler_point *)p, SAMPLER_CLOCK);
        for (int k = 0; k < links; k++)
            TARE_POINT_LINKS(x);
    }
}

/* The first time libtare finds out whether anybody traces. */
static bool passed_as_point(struct sampler_point *p)
{
    struct tare_point *const point = (struct tare_point *)p;
    if (is_traced()) {
        __atomic_store_n(&point->row, run_row, __ATOMIC_RELAXED);
        tare_point_other(point, 0);
    }
    return is_traced();
}

long long *sampler_arrive(struct sampler_point *p, int clock, long long t3, long long t4)
{
    if (chain.busy || passed_as_point(p))
        return nowhere;
    chain.busy = true;
    end_arc(&chain, p, clock, t3, t4);
    chain.busy = false;
    return chain.stamps;
}

void sampler_pass(struct sampler_point *p, int clock)
{
    struct chain *const c = &chain;
    if (c->busy || passed_as_point(p))
        return;
    c->busy = true;
    const long long t3 = plat_clock_number_ns(clock), t4 = plat_clock_number_ns(clock);
    end_arc(c, p, clock, t3, t4);
    c->stamps[0] = plat_clock_number_ns(clock);
    c->stamps[1] = plat_clock_number_ns(clock);
    c->busy = false;
}

void sampler_points_enter(struct sampler_point **first, struct sampler_point **end)
{
    tare_points_enter((struct tare_point **)first, (struct tare_point **)end);
}

void sampler_points_leave(struct sampler_point **first)
{
    tare_points_leave((struct tare_point **)first);
}

static _Noreturn void refuse_arguments(const char *what)
{
    report_error(what);
    exit(2);
}

static int descriptor_of(const char *text)
{
    int fd = 0;
    bool digits = *text != 0;
    for (const char *at = text; *at; at++) {
        digits &= *at >= '0' && *at <= '9' && fd < 1000000;
        fd = digits ? 10 * fd + (*at - '0') : fd;
    }
    if (!digits)
        refuse_arguments("-O needs the number of an open descriptor");
    return fd;
}

static void open_output(const char *path)
{
    struct tare_err err;
    int fd = plat_process_open_output(path, &err);
    if (fd < 0)
        refuse_arguments(err.text);
    atomic_store(&output, fd);
}

int sampler_init(int *argc, char **argv)
{
    int next = 1;
    for (bool ended = false; next < *argc && !ended; next++) {
        const bool file = !strcmp(argv[next], "-o"), descriptor = !strcmp(argv[next], "-O");
        ended = !strcmp(argv[next], "--");
        if (!file && !descriptor && !ended)
            break;
        if (ended)
            continue;
        if (++next >= *argc)
            refuse_arguments(file ? "-o needs the name of a file" : "-O needs the number of an open descriptor");
        if (file)
            open_output(argv[next]);
        else
            atomic_store(&output, descriptor_of(argv[next]));
    }
    if (next > *argc || *argc < 1)
        return 0;
    for (int from = next, to = 1; from <= *argc; from++, to++)
        argv[to] = argv[from];
    *argc -= next - 1;
    return 0;
}

__attribute__((destructor(102))) static void run_ends(void)
{
    char room[8];
    struct buf line = buf_over(room, sizeof room);
    buf_char(&line, '\n');
    if (atomic_load(&first_process) && atomic_load(&first_process) == plat_process_id())
        put_line(&line);
}
