/* SPDX-License-Identifier: MIT
 *
 * From the first kept sample to the last the library calls the kernel never and touches no fresh page: a tracer counts the calls between two
 * marks, which the benchmark's own hooks make. Of a leak target each call is a mark: within a batch nothing lies between them.
 */
#include "wire.h"
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <tare/bench.h>
#include <tare/leak.h>
#include <unistd.h>

#include <cmocka.h>

enum { SAMPLES = 40, LOOP_ITERATIONS = 20000, BLOCKS = 300 };

/* ---- the measured program ---- */

static int begun, done;
static long faults;

static long faults_so_far(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_minflt + usage.ru_majflt;
}

static void mark(void)
{
    syscall(SYS_getppid);
}

static void before(struct tare_state *st)
{
    (void)st;
    if (begun++ == 0) {
        faults = faults_so_far();
        mark();
    }
}

static void after(struct tare_state *st)
{
    if (++done == SAMPLES) {
        mark();
        tare_counter(st, "faults", (double)(faults_so_far() - faults), "", TARE_TOTAL);
    }
}

static void loop(struct tare_state *st)
{
    uint64_t x = tare_seed(st);
    TARE_LOOP(st)
    {
        x = x * 3 + 1;
        tare_chain(x);
    }
}

static void each(struct tare_state *st)
{
    TARE_EACH(st, int, v, 10, memset(v, 1, 10 * sizeof *v))
    {
        tare_use_mem(v, 10 * sizeof *v);
    }
}

static struct tare_bench benches[] = {
    TARE_INIT(struct tare_bench, .name = "loop", .run = loop, .before = before, .after = after),
    TARE_INIT(struct tare_bench, .name = "each", .run = each, .before = before, .after = after)};

static uint64_t marked(void *state, const unsigned char *in)
{
    (void)state;
    mark();
    return in[0];
}

static const char *const classes[] = {"zero", "random"};
static struct tare_leak leak = TARE_INIT(struct tare_leak, .name = "leak", .run = marked, .bytes = 32, .classes = {classes, 2});

/* ---- the tracer ---- */

struct traced {
    long calls; /* between the marks */
    int marks;
    int row, longest_row; /* of marks with nothing between them */
    struct buf record;
};

static void child(const char *name, int fd)
{
    char self[] = "silent";
    struct buf request = BUF_INIT(4096);
    if (strcmp(name, "leak") == 0)
        buf_format(&request, "tare-wire %d %d\nmode leak\nleak-ns 60000000000\nrepeat 1\nrun %d leak\n", WIRE_VERSION, fd,
                   BLOCKS);
    else
        buf_format(&request, "tare-wire %d %d\nsamples %d\nwarmup 0\nguard 0\nrun %d %s\n", WIRE_VERSION, fd, SAMPLES,
                   LOOP_ITERATIONS, name);
    setenv(WIRE_VARIABLE, buf_text(&request), 1);
    tare_bench_register(&benches[0]);
    tare_bench_register(&benches[1]);
    tare_leak_register(&leak);
    if (ptrace(PTRACE_TRACEME, 0, NULL, NULL))
        _exit(77);
    raise(SIGSTOP);
    _exit(tare_bench_main(1, (char *[]){self, NULL}, tare_write_stdout, NULL));
}

/* Both the entry and the return of a call stop the child; the entry is what counts. */
static bool is_mark(pid_t pid)
{
    struct __ptrace_syscall_info info;
    memset(&info, 0, sizeof info);
    ptrace(PTRACE_GET_SYSCALL_INFO, pid, (void *)sizeof info, &info);
    return info.op == PTRACE_SYSCALL_INFO_ENTRY && info.entry.nr == SYS_getppid;
}

static bool is_entry(pid_t pid)
{
    struct __ptrace_syscall_info info;
    memset(&info, 0, sizeof info);
    ptrace(PTRACE_GET_SYSCALL_INFO, pid, (void *)sizeof info, &info);
    return info.op == PTRACE_SYSCALL_INFO_ENTRY;
}

static int follow(pid_t pid, struct traced *t)
{
    int status = 0, signal = 0;
    if (waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status))
        return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    ptrace(PTRACE_SETOPTIONS, pid, NULL, (void *)PTRACE_O_TRACESYSGOOD);
    while (ptrace(PTRACE_SYSCALL, pid, NULL, (void *)(intptr_t)signal) == 0 && waitpid(pid, &status, 0) == pid &&
           WIFSTOPPED(status)) {
        bool call = WSTOPSIG(status) == (SIGTRAP | 0x80);
        signal = call ? 0 : WSTOPSIG(status);
        if (call && is_mark(pid)) {
            t->marks++;
            t->longest_row = ++t->row > t->longest_row ? t->row : t->longest_row;
        } else if (call && is_entry(pid)) {
            t->calls += t->marks == 1;
            t->row = 0;
        }
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int trace(const char *name, struct traced *t)
{
    int ends[2];
    *t = (struct traced){.record = BUF_INIT(1 << 20)};
    if (pipe(ends))
        return -1;
    pid_t pid = fork();
    if (pid == 0) {
        close(ends[0]);
        child(name, ends[1]);
    }
    close(ends[1]);
    int code = follow(pid, t);
    char bytes[65536]; /* as much as a pipe holds: the child never waits for us */
    ssize_t n;
    while ((n = read(ends[0], bytes, sizeof bytes)) > 0)
        buf_add(&t->record, bytes, (size_t)n);
    close(ends[0]);
    return code;
}

static double faults_in(const char *name)
{
    struct traced t;
    int code = trace(name, &t);
    if (code == 77)
        skip();
    assert_int_equal(code, 0);
    struct wire_reader r = {t.record.data, t.record.len, 0};
    struct wire_frame f;
    double found_faults = -1;
    uint32_t rows = 0;
    bool counter = false;
    while (wire_next(&r, &f, NULL) == TARE_OK) {
        if (f.type == WIRE_CLOCK)
            counter = f.u.clock.counter;
        if (f.type == WIRE_SAMPLES)
            rows = f.u.samples.n;
        if (f.type == WIRE_END && f.u.end.n_counters)
            found_faults = f.u.end.counters[0].value;
    }
    buf_finish(&t.record);
    if (!counter)
        skip(); /* other clocks are the kernel's */
    assert_int_equal(rows, SAMPLES);
    assert_int_equal(t.marks, 2);
    assert_int_equal(t.calls, 0);
    return found_faults;
}

/* A page that the library touches anew it touches each time; one that the kernel took away, when it is short of memory, it does not. */
static void check(const char *name)
{
    double touched = -1;
    for (int tries = 0; tries < 20 && touched != 0; tries++)
        touched = faults_in(name);
    assert_true(touched == 0);
}

static void between_the_samples_of_a_loop_the_kernel_is_not_called(void **state)
{
    (void)state;
    check("loop");
}

static void nor_between_those_with_fresh_inputs(void **state)
{
    (void)state;
    check("each");
}

/* All blocks but those that checks and warming up took, in as few batches as their length allows: in each the calls of the largest batch
 * follow each other. */
static void nor_between_the_calls_of_a_leak_target(void **state)
{
    (void)state;
    struct traced t;
    int code = trace("leak", &t);
    if (code == 77)
        skip();
    assert_int_equal(code, 0);
    struct wire_reader r = {t.record.data, t.record.len, 0};
    struct wire_frame f;
    int64_t batch_ns = -1;
    int in_batch = 0, largest = 0;
    bool counter = false;
    while (wire_next(&r, &f, NULL) == TARE_OK) {
        if (f.type == WIRE_CLOCK)
            counter = f.u.clock.counter;
        if (f.type != WIRE_BLOCKS)
            continue;
        in_batch = f.u.blocks.start_ns == batch_ns ? in_batch : 0;
        batch_ns = f.u.blocks.start_ns;
        in_batch += (int)(f.u.blocks.n * f.u.blocks.k);
        largest = in_batch > largest ? in_batch : largest;
    }
    buf_finish(&t.record);
    if (!counter)
        skip();
    assert_true(largest > 1);
    if (t.longest_row < largest)
        fail_msg("a batch of %d calls, but at most %d calls in a row without the kernel", largest, t.longest_row);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(between_the_samples_of_a_loop_the_kernel_is_not_called),
        cmocka_unit_test(nor_between_those_with_fresh_inputs),
        cmocka_unit_test(nor_between_the_calls_of_a_leak_target),
    };
    return cmocka_run_group_tests_name("silent", tests, NULL, NULL);
}
