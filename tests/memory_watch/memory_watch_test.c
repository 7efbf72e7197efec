/* SPDX-License-Identifier: MIT
 *
 * Real programs with a known heap (alloc_subject.c). Where a shape is looked for, the program holds each state until it was looked at
 * twice, however slow the machine is. */
#include "memory_watch.h"
#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define ARGS(...) ((const char *const[]){__VA_ARGS__, NULL})

enum { MB = 1 << 20, STATES_MAX = 16 };

static struct plat_spawner *spawner;
static int null_fd;

static int begin(void **state)
{
    (void)state;
    struct tare_err err;
    null_fd = plat_open_null();
    if (!plat_spawner_create(&spawner, NULL, &err))
        return 0;
    fprintf(stderr, "%s\n", err.text);
    return -1;
}

static int end(void **state)
{
    (void)state;
    plat_spawner_destroy(spawner);
    plat_close(null_fd);
    return 0;
}

/* ---- one watched run ---- */

struct run {
    struct memory_watch *watch;
    struct plat_child_result result;
    const struct timeline *t;
    int states;
    /* the conversation with the program */
    int64_t (*look)(void *context);
    int from_program, to_program, looks_left;
};

static int64_t look_and_answer(void *context)
{
    struct run *r = context;
    char byte;
    int64_t wait = r->look(r->watch);
    if (!r->looks_left && read(r->from_program, &byte, 1) == 1)
        r->looks_left = 3;
    else if (r->looks_left && !--r->looks_left && write(r->to_program, "x", 1) == 1 && r->states < STATES_MAX)
        r->states++;
    return wait;
}

static void open_pipes(struct run *r, struct plat_child_spec *spec)
{
    struct tare_err err;
    if (plat_pipe(&r->from_program, &spec->fd_out, &err) || plat_pipe(&spec->fd_in, &r->to_program, &err))
        fail_msg("%s", err.text);
    fcntl(r->from_program, F_SETFL, O_NONBLOCK);
}

static void watch_run(struct run *r, const char *const *argv, const char *const *environment)
{
    struct tare_err err;
    *r = (struct run){0};
    if (memory_watch_create(&r->watch, spawner, &err))
        fail_msg("%s", err.text);
    struct plat_child_spec spec = {.path = argv[0],
                                   .argv = argv,
                                   .envp = environment ? environment : plat_environment(),
                                   .fd_err = STDERR_FILENO,
                                   .pin_cpu = -1,
                                   .drain_fd = -1};
    open_pipes(r, &spec);
    memory_watch_adjust(r->watch, &spec);
    r->look = spec.watch;
    spec.watch = look_and_answer;
    spec.watch_context = r;
    if (plat_child_run(spawner, &spec, &r->result, &err))
        fail_msg("%s", err.text);
    r->t = memory_watch_end(r->watch, &r->result);
    plat_close(r->from_program);
    plat_close(r->to_program);
    plat_close(spec.fd_in);
    plat_close(spec.fd_out);
}

static void finish(struct run *r)
{
    memory_watch_destroy(r->watch);
}

static void assert_between(double value, double low, double high, const char *what)
{
    if (!(value >= low && value <= high))
        fail_msg("%s is %.0f, expected %.0f to %.0f", what, value, low, high);
}

static void assert_ended(const struct run *r, int code)
{
    if (r->result.end != CHILD_EXITED || r->result.code != code)
        fail_msg("end %d code %d, expected exit code %d", (int)r->result.end, r->result.code, code);
}

static void assert_has_heap(const struct timeline *t)
{
    if (t->heap_reason)
        fail_msg("no heap: %s", t->heap_reason);
}

/* ---- shape ---- */

/* The largest sample from index `from` on, or the smallest; its index in *at. */
static double extreme(const struct timeline *t, const double *values, int from, int to, bool largest, int *at)
{
    double best = largest ? -INFINITY : INFINITY;
    for (int i = from; i < to; i++)
        if (largest ? values[i] > best : values[i] < best) {
            best = values[i];
            *at = i;
        }
    assert_true(to <= t->n);
    return best;
}

static void a_ramp_a_fall_and_a_second_peak_have_their_sizes(void **state)
{
    (void)state;
    struct run r;
    watch_run(&r, ARGS(SUBJECT, "ramp", "64", "48"), NULL);
    assert_ended(&r, 0);
    assert_has_heap(r.t);
    assert_int_equal(r.states, 5);
    const double slack = MB / 4; /* headers of blocks, the table of pointers, standard streams */
    assert_true(r.t->heap_peak_exact);
    assert_between(r.t->heap_peak, 80 * MB, 80 * MB + slack, "peak of the heap");
    int peak = 0, valley = 0, first = 0;
    assert_between(extreme(r.t, r.t->heap, 0, r.t->n, true, &peak), 80 * MB, 80 * MB + slack, "largest sample");
    for (int i = peak; i >= 0 && r.t->heap[i] > 79 * MB; i--)
        peak = i;
    assert_between(extreme(r.t, r.t->heap, 0, peak, true, &first), 64 * MB, 64 * MB + slack, "first peak");
    assert_between(extreme(r.t, r.t->heap, first, peak, false, &valley), 32 * MB, 32 * MB + slack, "what lies between");
    assert_true(first < valley && valley < peak);
    assert_between(r.t->heap[r.t->n - 1], 0, slack, "heap at the end");
    assert_between(r.t->heap_left, 0, slack, "what is left");
    assert_between(r.t->rss_peak, 80 * MB, 96 * MB, "peak of what is resident");
    assert_between(r.t->largest_process, 79 * MB, 96 * MB, "the kernel's peak");
    assert_between(r.t->allocated_bytes, 112 * MB, 112 * MB + slack, "allocated in all");
    assert_int_equal(r.t->processes, 1);
    assert_int_equal(r.t->unwatched, 0);
    finish(&r);
}

static void every_block_of_every_thread_counts_once(void **state)
{
    (void)state;
    enum { THREADS = 8, BLOCKS = 500, BLOCK_BYTES = 4096 };
    struct run none, r;
    watch_run(&none, ARGS(SUBJECT, "none"), NULL);
    watch_run(&r, ARGS(SUBJECT, "threads"), NULL);
    assert_ended(&r, 0);
    assert_has_heap(r.t);
    /* what pthread_create takes for each thread comes on top */
    assert_between(r.t->allocations - (isnan(none.t->allocations) ? 0 : none.t->allocations), 2 * THREADS * BLOCKS,
                   2 * THREADS * BLOCKS + 8 * THREADS, "allocations");
    assert_between(r.t->heap_left, THREADS * BLOCKS * BLOCK_BYTES, THREADS * BLOCKS * (BLOCK_BYTES + 64) + MB / 4, "live heap");
    assert_true(r.t->heap_peak >= r.t->heap_left);
    finish(&none);
    finish(&r);
}

static void a_forked_process_counts_for_itself(void **state)
{
    (void)state;
    static const char *const ways[] = {"library", "raw"};
    for (int i = 0; i < 2; i++) {
        struct run r;
        watch_run(&r, ARGS(SUBJECT, "fork", ways[i]), NULL);
        assert_ended(&r, 0);
        assert_has_heap(r.t);
        assert_int_equal(r.t->processes, 2);
        assert_int_equal(r.t->unwatched, 0);
        assert_false(r.t->heap_peak_exact);
        /* the child gave back 32 MB of its copy and took 8: below nothing; the parent still has its 32 */
        assert_between(r.t->heap_peak, 32 * MB, 32 * MB + MB / 4, "peak");
        assert_between(r.t->heap_left, 32 * MB, 32 * MB + MB / 4, "left by both");
        assert_between(r.t->allocated_bytes, 40 * MB, 40 * MB + MB / 4, "allocated by both");
        finish(&r);
    }
}

static void each_call_is_counted(void **state)
{
    (void)state;
    struct run none, r;
    watch_run(&none, ARGS(SUBJECT, "fail", "0"), NULL);
    watch_run(&r, ARGS(SUBJECT, "calls"), NULL);
    assert_ended(&r, 0);
    assert_has_heap(r.t);
    /* `fail` makes one allocation, of a megabyte; rooms are rounded up to pages */
    assert_int_equal(r.t->allocations - none.t->allocations + 1, 10);
    assert_int_equal(r.t->frees - none.t->frees, 9);
    assert_int_equal(r.t->reallocations, 2);
    assert_between(r.t->heap_left - (none.t->heap_left - MB), 190000, 220000, "left");
    finish(&none);
    finish(&r);
}

static void what_comes_before_main_counts(void **state)
{
    (void)state;
    struct run r;
    watch_run(&r, ARGS(SUBJECT, "early"), NULL);
    assert_ended(&r, 0);
    assert_has_heap(r.t);
    assert_between(r.t->heap_peak, 5 * MB, 5 * MB + MB / 4, "peak");
    assert_between(r.t->heap[r.t->n - 1], 5 * MB, 5 * MB + MB / 4, "heap in main");
    finish(&r);
}

static void a_heap_ends_with_its_program(void **state)
{
    (void)state;
    static const char *const next[] = {SUBJECT, SUBJECT_STATIC};
    for (int i = 0; i < 2; i++) {
        struct run r;
        watch_run(&r, ARGS(SUBJECT, "exec", next[i]), NULL);
        assert_ended(&r, 0);
        assert_has_heap(r.t);
        assert_between(r.t->heap_peak, 20 * MB, 20 * MB + MB / 4, "peak of the first");
        if (i)
            assert_true(isnan(r.t->heap[r.t->n - 1])); /* of a static one nothing is known */
        else
            assert_between(r.t->heap[r.t->n - 1], 2 * MB, 2 * MB + MB / 4, "heap of the second");
        assert_int_equal(r.t->left_count, i);
        assert_int_equal(r.t->unwatched, 0);
        finish(&r);
    }
}

/* ---- no heap ---- */

static void assert_no_heap(const struct timeline *t, const char *reason)
{
    if (!t->heap_reason || !strstr(t->heap_reason, reason))
        fail_msg("reason is '%s', expected '%s'", t->heap_reason ? t->heap_reason : "(none)", reason);
    assert_true(isnan(t->heap_peak) && isnan(t->allocations) && isnan(t->heap_left));
    for (int i = 0; i < t->n; i++)
        assert_true(isnan(t->heap[i]));
}

static void a_static_program_has_no_heap_and_is_resident_all_the_same(void **state)
{
    (void)state;
    struct run r;
    watch_run(&r, ARGS(SUBJECT_STATIC, "ramp", "16", "4"), NULL);
    assert_ended(&r, 0);
    assert_no_heap(r.t, "statically linked");
    assert_between(r.t->rss_peak, 16 * MB, 24 * MB, "peak of what is resident");
    finish(&r);
}

static void an_allocator_of_its_own_is_told(void **state)
{
    (void)state;
    struct run r;
    watch_run(&r, ARGS(OWN_ALLOCATOR), NULL);
    assert_ended(&r, 0);
    assert_no_heap(r.t, "an allocator of its own");
    finish(&r);
}

/* Nothing is preloaded into it, or it would end at once. Its search for leaks traces the process, which emulators cannot. */
static void a_program_with_a_sanitizer_runs_and_has_no_heap(void **state)
{
    (void)state;
    struct run r;
    if (!*SANITIZED)
        skip(); /* this compiler has none that is a shared library */
    watch_run(&r, ARGS(SANITIZED, "hold"), ARGS("ASAN_OPTIONS=detect_leaks=0"));
    assert_ended(&r, 0);
    assert_no_heap(r.t, "sanitizer");
    finish(&r);
}

static void copy_file(const char *from, const char *to)
{
    char command[1024];
    snprintf(command, sizeof command, "cp '%s' '%s'", from, to);
    assert_int_equal(system(command), 0);
}

static void a_program_with_rights_of_its_own_has_no_heap(void **state)
{
    (void)state;
    if (geteuid())
        skip(); /* a set-user-id program for another user takes the superuser to make */
    char folder[] = "/tmp/tare-watch-XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    chmod(folder, 0755);
    snprintf(path, sizeof path, "%s/subject", folder);
    copy_file(SUBJECT, path);
    assert_int_equal(chown(path, 65534, 65534) || chmod(path, 04755), 0);
    struct run r;
    watch_run(&r, ARGS(path, "ramp", "8", "4"), NULL);
    remove(path);
    rmdir(folder);
    assert_ended(&r, 0);
    assert_no_heap(r.t, "rights of its own");
    assert_between(r.t->rss_peak, 8 * MB, 16 * MB, "peak of what is resident");
    finish(&r);
}

static void a_program_that_drops_its_environment_is_told(void **state)
{
    (void)state;
    struct run r;
    watch_run(&r, ARGS(SUBJECT, "forget", SUBJECT), NULL);
    assert_ended(&r, 0);
    assert_has_heap(r.t); /* the first one had the counter */
    assert_between(r.t->heap_peak, 0, MB, "peak of the first");
    assert_true(isnan(r.t->heap[r.t->n - 1])); /* of the second nothing is known, and that is said */
    assert_int_equal(r.t->left_count, 1);
    assert_int_equal(r.t->unwatched, 0);
    assert_false(r.t->heap_peak_exact);
    finish(&r);
}

/* ---- what the program sees ---- */

static void what_the_user_preloads_stays(void **state)
{
    (void)state;
    struct run r;
    watch_run(&r, ARGS(SUBJECT, "preloads", "/libtare_alloc.so:libm.so.6"), ARGS("LD_PRELOAD=libm.so.6"));
    assert_ended(&r, 0);
    assert_has_heap(r.t);
    finish(&r);
}

static void a_failure_is_kept_with_its_picture(void **state)
{
    (void)state;
    struct run r;
    watch_run(&r, ARGS(SUBJECT, "fail", "7"), NULL);
    assert_ended(&r, 7);
    assert_string_equal(r.t->exit_status, "ended with exit code 7");
    finish(&r);
    watch_run(&r, ARGS("/no/such/program"), NULL);
    assert_string_equal(r.t->exit_status, "was not started");
    assert_int_equal(r.t->n, 0);
    finish(&r);
}

static void a_program_that_writes_into_the_counts_harms_nobody(void **state)
{
    (void)state;
    struct run r;
    watch_run(&r, ARGS(SUBJECT, "lies"), NULL);
    assert_ended(&r, 0);
    assert_has_heap(r.t);
    assert_true(r.t->unwatched > 0 && r.t->frees >= 0 && r.t->left_count == 0);
    assert_false(r.t->heap_peak_exact);
    finish(&r);
    watch_run(&r, ARGS(SUBJECT, "lies", "impossible"), NULL); /* a record with that could not be read */
    assert_ended(&r, 0);
    assert_no_heap(r.t, "impossible numbers");
    finish(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ramp_a_fall_and_a_second_peak_have_their_sizes),
        cmocka_unit_test(every_block_of_every_thread_counts_once),
        cmocka_unit_test(a_forked_process_counts_for_itself),
        cmocka_unit_test(each_call_is_counted),
        cmocka_unit_test(what_comes_before_main_counts),
        cmocka_unit_test(a_heap_ends_with_its_program),
        cmocka_unit_test(a_static_program_has_no_heap_and_is_resident_all_the_same),
        cmocka_unit_test(an_allocator_of_its_own_is_told),
        cmocka_unit_test(a_program_with_a_sanitizer_runs_and_has_no_heap),
        cmocka_unit_test(a_program_with_rights_of_its_own_has_no_heap),
        cmocka_unit_test(a_program_that_drops_its_environment_is_told),
        cmocka_unit_test(what_the_user_preloads_stays),
        cmocka_unit_test(a_failure_is_kept_with_its_picture),
        cmocka_unit_test(a_program_that_writes_into_the_counts_harms_nobody),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
