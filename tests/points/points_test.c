/* SPDX-License-Identifier: MIT
 *
 * What programs with control points leave behind, however they behave and end. The program is points_subject; what it left is decoded by
 * points_seen.c, which shares nothing with the reader.
 */
#include "points_world.h"
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- what is expected ---- */

#define assert_passes(s, name, n) assert_int_equal(seen_passes(s, name), n)

/* Of each thread of the file the values of `step` count up from 0, begun anew behind each `begin`; ticks go up. killed: the value of the very
 * last one may not have been stored any more. */
static uint64_t check_steps_of(const struct seen_file *f, bool killed)
{
    uint64_t wanted = 0, last = 0, steps = 0;
    uint32_t thread = UINT32_MAX;
    for (size_t i = 0; i < f->n_events; i++) {
        const struct seen_event *e = &f->events[i];
        if (!e->point)
            continue;
        if (e->thread != thread || !strcmp(e->point->name, "begin"))
            wanted = 0;
        if (e->thread == thread && e->tick < last)
            fail_msg("thread %u: tick %llu comes behind %llu", thread, (unsigned long long)e->tick, (unsigned long long)last);
        if (!strcmp(e->point->name, "step")) {
            if (e->value != wanted && !(killed && !e->value && i + 1 == f->n_events))
                fail_msg("thread %u: step %llu where %llu was to come", e->thread, (unsigned long long)e->value,
                         (unsigned long long)wanted);
            wanted++;
            steps++;
        }
        thread = e->thread;
        last = e->tick;
    }
    return steps;
}

static uint64_t check_steps(const struct seen_file *f)
{
    return check_steps_of(f, false);
}

static void a_file_says_who_left_it(void **state)
{
    const struct world *w = *state;
    struct seen *s = world_run(w, "plain", 1000, NULL);
    assert_int_equal(s->n, 1);
    const struct trace_head *h = &s->files[0].head;
    assert_int_equal(h->version, TRACE_VERSION);
    assert_int_equal(h->head_bytes, sizeof *h);
    assert_int_equal(h->session, 99);
    assert_int_equal(h->parent, getpid());
    assert_int_equal(h->end, TRACE_ENDED);
    assert_int_equal(h->argc, 3);
    assert_memory_equal(h->arguments + strlen(h->arguments) + 1, "plain", 6);
    assert_non_null(strstr(h->program, "points_subject"));
    assert_int_equal(h->threads, 1);
    assert_int_equal(h->lost, 0);
    assert_true(h->last.tick > h->start.tick);
    assert_passes(s, "begin", 1);
    assert_passes(s, "step", 1000);
    assert_passes(s, "end", 1);
    assert_int_equal(check_steps(&s->files[0]), 1000);
    assert_true(seen_control(s, CONTROL_WEIGH) >= 17);
    seen_free(s);
}

static void points_never_passed_are_in_the_table(void **state)
{
    const struct world *w = *state;
    struct seen *s = world_run(w, "plain", 1, NULL);
    const struct seen_point *never = seen_point_named(&s->files[0], "never");
    assert_non_null(never);
    assert_string_equal(never->function, "values");
    assert_passes(s, "never", 0);
    seen_free(s);
}

static void segments_follow_each_other_without_a_word_lost(void **state)
{
    const struct world *w = *state;
    struct seen *s = world_run(w, "plain", 3000000, NULL);
    assert_int_equal(check_steps(&s->files[0]), 3000000);
    assert_int_equal(seen_lost(s), 0);
    assert_true(s->files[0].segments > 20);
    assert_true(seen_control(s, CONTROL_GAP) >= s->files[0].segments - 2);
    seen_free(s);
}

static void values_are_kept_whatever_they_look_like(void **state)
{
    const struct world *w = *state;
    struct seen *s = world_run(w, "values", 1, NULL);
    static const uint64_t wanted[] = {0, UINT64_MAX, 1, 0xff80, 0xfff0, (uint64_t)0xfff5 << 16 | 3};
    const struct seen_file *f = &s->files[0];
    size_t n = 0;
    double real = 0;
    for (size_t i = 0; i < f->n_events; i++) {
        const struct seen_event *e = &f->events[i];
        if (e->point && !strcmp(e->point->name, "value"))
            assert_int_equal(e->value, wanted[n++]);
        if (e->point && !strcmp(e->point->name, "signed"))
            assert_int_equal((int64_t)e->value, -7);
        if (e->point && !strcmp(e->point->name, "real")) {
            memcpy(&real, &e->value, sizeof real);
            assert_true(real == 0.5);
        }
        if (e->id == CONTROL_ITERATION)
            assert_int_equal(e->value, 42);
        if (e->id == CONTROL_STAMPS) {
            assert_string_equal(e->point->name, "precise");
            assert_true((e->data[1] & 0xffffffffffff) >= e->tick && e->data[2] >= e->data[1] && e->data[3] >= e->data[2]);
        }
    }
    assert_int_equal(n, sizeof wanted / sizeof *wanted);
    assert_int_equal(seen_control(s, CONTROL_ITERATION), 1);
    assert_int_equal(seen_control(s, CONTROL_STAMPS), 1);
    assert_int_equal(seen_control(s, CONTROL_MARK), 3);
    assert_int_equal(seen_control(s, CONTROL_LANE), 2);
    assert_int_equal(seen_control(s, CONTROL_BREAK), 1);
    assert_int_equal(seen_control(s, CONTROL_THREAD_NAME), 1);
    assert_passes(s, "counter", 1);
    assert_passes(s, "fast", 1);
    seen_free(s);
}

static void scopes_open_and_close_in_pairs(void **state)
{
    const struct world *w = *state;
    struct seen *s = world_run(w, "scopes", 10, NULL);
    const struct seen_file *f = &s->files[0];
    const char *open[64];
    int depth = 0;
    for (size_t i = 0; i < f->n_events; i++) {
        const struct seen_point *p = f->events[i].point;
        if (p && p->kind == TRACE_SCOPE_BEGIN)
            open[depth++] = p->name;
        if (p && p->kind == TRACE_SCOPE_END)
            assert_string_equal(open[--depth], p->name);
    }
    assert_int_equal(depth, 0);
    assert_passes(s, "outer", 20);
    assert_passes(s, "nested", 2 * 5 * 4);
    assert_passes(s, "by hand", 2 * 5 * 3);
    const struct seen_point *outer = seen_point_named(f, "outer");
    assert_int_not_equal(outer->partner, 0);
    assert_int_not_equal(outer->partner, outer->id);
    seen_free(s);
}

static void each_thread_has_its_own_words(void **state)
{
    const struct world *w = *state;
    struct seen *s = world_run(w, "threads", 50000, NULL);
    assert_int_equal(check_steps(&s->files[0]), 8 * 50000);
    assert_passes(s, "begin", 8);
    assert_passes(s, "end", 8);
    assert_int_equal(seen_lost(s), 0);
    seen_free(s);
}

static void threads_that_come_before_the_points_are_known_agree_who_traces(void **state)
{
    const struct world *w = *state;
    for (int i = 0; i < 30; i++) {
        assert_int_equal(world_finish(world_start(w, POINTS_EARLY, "x", 1, NULL)), 0);
        struct seen *s = seen_folder(w->folder);
        assert_int_equal(s->n, 1);
        assert_passes(s, "early", 8 * 100);
        assert_passes(s, "late", 1);
        seen_free(s);
        world_clean(w);
    }
}

static void a_thousand_short_threads_lose_nothing(void **state)
{
    const struct world *w = *state;
    struct seen *s = world_run(w, "short", 1000, NULL);
    assert_int_equal(check_steps(&s->files[0]), 1000);
    assert_passes(s, "end", 1000);
    assert_true(s->files[0].head.threads >= 1000);
    seen_free(s);
}

static void points_in_a_threads_last_destructors_are_kept(void **state)
{
    const struct world *w = *state;
    struct seen *s = world_run(w, "late", 10, NULL);
    assert_passes(s, "end", 4);
    assert_passes(s, "late", 4);
    seen_free(s);
}

static void forked_children_leave_files_of_their_own(void **state)
{
    const struct world *w = *state;
    struct seen *s = world_run(w, "forks", 100, NULL);
    assert_int_equal(s->n, 1 + 100 + 10);
    assert_passes(s, "child", 100);
    assert_passes(s, "grandchild", 10);
    assert_passes(s, "forked", 100);
    assert_passes(s, "parent", 2);
    for (size_t i = 0; i < s->n; i++)
        assert_int_equal(s->files[i].n_points, s->files[0].n_points);
    assert_int_equal(seen_lost(s), 0);
    seen_free(s);
}

static void children_of_a_process_with_threads_do_not_stick(void **state)
{
    const struct world *w = *state;
    struct seen *s = world_run(w, "forks-threads", 30, NULL);
    assert_passes(s, "child", 30);
    assert_passes(s, "step", 100000);
    seen_free(s);
}

static void a_child_by_plain_clone_is_seen_to_be_one(void **state)
{
    const struct world *w = *state;
    struct seen *s = world_run(w, "clone", 1, NULL);
    assert_int_equal(s->n, 2);
    assert_passes(s, "child", 1);
    assert_passes(s, "parent", 2);
    seen_free(s);
}

static void a_child_by_vfork_writes_into_its_parents_lane(void **state)
{
    const struct world *w = *state;
    struct seen *s = world_run(w, "vfork", 1, NULL);
    assert_int_equal(s->n, 1);
    assert_passes(s, "child", 1);
    assert_passes(s, "parent", 2);
    seen_free(s);
}

static void what_was_written_before_exec_stays(void **state)
{
    const struct world *w = *state;
    struct seen *s = world_run(w, "executes", 1000, NULL);
    assert_int_equal(s->n, 2);
    assert_int_equal(s->files[0].head.pid, s->files[1].head.pid);
    assert_passes(s, "step", 2000);
    assert_passes(s, "end", 2);
    const bool first_is_old = s->files[0].head.start.tick < s->files[1].head.start.tick;
    assert_int_equal(s->files[first_is_old ? 0 : 1].head.end, TRACE_EXECED);
    assert_int_equal(s->files[first_is_old ? 1 : 0].head.end, TRACE_ENDED);
    seen_free(s);
}

static void sudden_ends_lose_nothing(void **state)
{
    const struct world *w = *state;
    struct seen *s = world_run(w, "leaves", 1000, NULL);
    assert_passes(s, "step", 1000);
    assert_passes(s, "end", 1);
    assert_int_equal(s->files[0].head.end, TRACE_RUNNING);
    seen_free(s);
    assert_true(WIFSIGNALED(world_finish(world_start(w, POINTS_SUBJECT, "aborts", 1000, NULL))));
    s = seen_folder(w->folder);
    assert_passes(s, "step", 2000);
    seen_free(s);
}

/* The test's own random instants; what was passed stands in memory that both share. */
static void killed_at_any_instant_it_has_lost_nothing(void **state)
{
    struct world *w = *state;
    char file[128];
    snprintf(file, sizeof file, "%s/came", w->folder);
    int fd = open(file, O_RDWR | O_CREAT, 0600);
    assert_true(fd >= 0 && !ftruncate(fd, 4096));
    volatile uint64_t *came = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    uint64_t random = 12345;
    for (int i = 0; i < 100; i++) {
        *came = 0;
        pid_t child = world_start(w, POINTS_SUBJECT, "endless", 0, file);
        random = random * 6364136223846793005u + 1442695040888963407u;
        const struct timespec moment = {0, (long)(random >> 40) % (i < 50 ? 3000000 : 20000000)};
        nanosleep(&moment, NULL);
        kill(child, SIGKILL);
        assert_true(WIFSIGNALED(world_finish(child)));
        const uint64_t passed = *came;
        struct seen *s = seen_folder(w->folder);
        const uint64_t written = s->n ? check_steps_of(&s->files[0], true) : 0;
        if (written < passed || written > passed + 1)
            fail_msg("kill %d: %llu steps are written, %llu were passed", i, (unsigned long long)written,
                     (unsigned long long)passed);
        for (size_t k = 0; k < s->n; k++)
            assert_int_equal(unlink(s->files[k].path), 0);
        seen_free(s);
    }
    close(fd);
}

static void handlers_that_pass_points_disturb_nobody(void **state)
{
    const struct world *w = *state;
    struct seen *s = world_run(w, "storm", 5000, NULL);
    const struct seen_file *f = &s->files[0];
    uint64_t steps = 0, handled = 0, in_all = 0;
    for (size_t i = 0; i < f->n_events; i++) {
        const struct seen_event *e = &f->events[i];
        if (e->point && !strcmp(e->point->name, "step"))
            assert_int_equal(e->value, steps++);
        if (e->point && !strcmp(e->point->name, "handled"))
            assert_int_equal(e->value, handled++);
        if (e->point && !strcmp(e->point->name, "handled in all"))
            in_all = e->value;
    }
    assert_true(in_all >= 5000);
    assert_int_equal(handled, in_all);
    assert_passes(s, "handler", 2 * in_all);
    assert_int_equal(seen_lost(s), 0);
    seen_free(s);
}

static void handlers_are_added_up_too(void **state)
{
    struct world *w = *state;
    static const enum trace_mode modes[] = {TRACE_AGGREGATE, TRACE_COUNT};
    for (size_t i = 0; i < 2; i++) {
        w->request.mode = modes[i];
        struct seen *s = world_run(w, "storm", 3000, NULL);
        /* On a slow machine more handlers may come while one pass is added than can wait: each of their hits is counted, or said to be lost. */
        const uint64_t lost = seen_lost(s), hits = seen_added(s, "handler") + seen_added(s, "handled") + lost;
        assert_int_equal(hits % 3, 0);
        assert_true(hits >= 3 * 3000);
        if (!lost)
            assert_int_equal(seen_added(s, "handler"), 2 * seen_added(s, "handled"));
        for (size_t k = 0; k < s->files[0].n_arcs; k++)
            assert_int_equal(s->files[0].arcs[k].negative, 0);
        assert_int_equal(unlink(s->files[0].path), 0);
        seen_free(s);
    }
}

static void shared_objects_come_and_go(void **state)
{
    const struct world *w = *state;
    struct seen *s = world_run(w, "plugins", 5, POINTS_PLUGIN);
    assert_passes(s, "before", 5);
    assert_passes(s, "plugin", 10);
    assert_passes(s, "in plugin", 50);
    assert_passes(s, "closed", 5);
    seen_free(s);
}

/* The overhead of a thread's last points is measured by their own code, which is gone here. */
static void the_code_of_a_shared_object_that_left_is_not_run(void **state)
{
    struct world *w = *state;
    w->request.order = TRACE_PRECISE;
    struct seen *s = world_run(w, "left-plugins", 1, POINTS_PLUGIN);
    assert_passes(s, "in plugin", 10);
    seen_free(s);
}

static void a_program_may_close_all_descriptors_and_change_its_folder(void **state)
{
    const struct world *w = *state;
    struct seen *s = world_run(w, "closes", 200000, NULL);
    assert_int_equal(s->n, 1);
    assert_int_equal(check_steps(&s->files[0]), 400000);
    assert_int_equal(seen_lost(s), 0);
    seen_free(s);
}

static void a_folder_that_vanishes_does_no_harm(void **state)
{
    struct world *w = *state;
    assert_int_equal(world_finish(world_start(w, POINTS_SUBJECT, "vanishes", 100000, w->folder)), 0);
    assert_int_equal(mkdir(w->folder, 0700), 0);
}

static void a_folder_that_cannot_be_written_does_no_harm(void **state)
{
    struct world *w = *state;
    snprintf(w->request.folder, sizeof w->request.folder, "%s/none", w->folder);
    assert_int_equal(world_finish(world_start(w, POINTS_SUBJECT, "plain", 1000, NULL)), 0);
    snprintf(w->request.folder, sizeof w->request.folder, "/proc");
    assert_int_equal(world_finish(world_start(w, POINTS_SUBJECT, "plain", 1000, NULL)), 0);
}

/* ---- full ---- */

/* A thread that begins when there is no more room has none for its sums either: it counts what it loses. */
static void what_has_no_room_is_added_up(void **state)
{
    struct world *w = *state;
    w->request.limit_bytes = 1 << 20;
    struct seen *s = world_run(w, "threads", 50000, NULL);
    assert_int_equal(s->files[0].head.full_error, EFBIG);
    assert_true(s->files[0].head.full_at > 0);
    assert_true(seen_added(s, "step") > 0);
    assert_int_equal(seen_passes(s, "step") + seen_passes(s, "begin") + seen_passes(s, "end") + seen_lost(s), 8 * (50000 + 2));
    seen_free(s);
}

static void or_counted_as_lost(void **state)
{
    struct world *w = *state;
    w->request.limit_bytes = 1 << 20;
    w->request.full = TRACE_FULL_STOP;
    struct seen *s = world_run(w, "plain", 200000, NULL);
    const uint64_t steps = seen_written(s, "step");
    assert_int_equal(seen_added(s, "step"), 0);
    assert_int_equal(2 * steps + seen_lost(s), 2 * 200000 + 1);
    seen_free(s);
}

static void a_limit_of_the_system_is_met_without_its_signal(void **state)
{
    const struct world *w = *state;
    struct seen *s = world_run(w, "limited", 100000, NULL);
    assert_int_equal(s->files[0].head.full_error, EFBIG);
    assert_passes(s, "step", 100000);
    assert_passes(s, "end", 1);
    seen_free(s);
}

static void where_addresses_are_few_most_are_left_to_the_program(void **state)
{
#if !defined(__SANITIZE_ADDRESS__) /* which takes more than all of them */
    const struct world *w = *state;
    struct seen *s = world_run(w, "narrows", 50000, NULL);
    assert_passes(s, "narrow", 1);
    assert_passes(s, "step", 8 * 50000);
    assert_int_equal(seen_lost(s), 0);
    seen_free(s);
#else
    (void)state;
    skip();
#endif
}

static void passes_of_threads_for_which_there_is_no_memory_are_counted_as_lost(void **state)
{
#if !defined(__SANITIZE_ADDRESS__)
    const struct world *w = *state;
    struct seen *s = world_run(w, "crowded", 1000, NULL);
    assert_passes(s, "step", 0);
    assert_int_equal(seen_lost(s), 2 + 2 * 1000); /* steps have a value */
    seen_free(s);
#else
    (void)state;
    skip();
#endif
}

/* ---- modes ---- */

static void arcs_are_counted_exactly_in_each_mode(void **state)
{
    struct world *w = *state;
    for (int mode = TRACE_COUNT; mode < TRACE_MODES; mode++) {
        w->request.mode = (enum trace_mode)mode;
        w->request.burst = 50;
        w->request.burst_gap = 500;
        struct seen *s = world_run(w, "threads", 10000, NULL);
        const uint64_t added = seen_added(s, "step"), written = seen_written(s, "step");
        assert_int_equal(added, mode == TRACE_TRACE ? 0 : 80000);
        assert_int_equal(seen_added(s, "end"), mode == TRACE_TRACE ? 0 : 8);
        if (mode == TRACE_BURST) {
            assert_true(written > 2000 && written < 30000);
            assert_true(seen_control(s, CONTROL_BURST) >= seen_control(s, CONTROL_BURST_END));
        } else
            assert_int_equal(written, mode == TRACE_TRACE ? 80000 : 0);
        assert_int_equal(unlink(s->files[0].path), 0);
        seen_free(s);
    }
}

static void modes_change_at_run_time(void **state)
{
    const struct world *w = *state;
    struct seen *s = world_run(w, "modes", 1000, NULL);
    assert_int_equal(seen_written(s, "step"), 2000);
    assert_int_equal(seen_added(s, "step"), 1000);
    assert_true(seen_control(s, CONTROL_MASKED) >= 1);
    seen_free(s);
}

static void groups_have_modes_of_their_own(void **state)
{
    struct world *w = *state;
    w->request.modes[3] = TRACE_OFF;
    w->request.modes[4] = TRACE_COUNT;
    struct seen *s = world_run(w, "groups", 100, NULL);
    assert_passes(s, "three", 0);
    assert_int_equal(seen_added(s, "four"), 100);
    assert_int_equal(seen_written(s, "step"), 100);
    assert_int_equal(seen_point_named(&s->files[0], "three")->group, 3);
    seen_free(s);
}

/* Points that are counted read no clock, so from one of them to one that is added up there is no time. */
static void no_time_begins_at_a_point_that_was_counted(void **state)
{
    struct world *w = *state;
    const struct {
        enum trace_mode first, second;
        const char *change;
    } cases[] = {{TRACE_COUNT, TRACE_AGGREGATE, NULL},
                 {TRACE_AGGREGATE, TRACE_COUNT, NULL},
                 {TRACE_BURST, TRACE_AGGREGATE, NULL},
                 {TRACE_AGGREGATE, TRACE_AGGREGATE, "modes"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        w->request.modes[0] = (uint8_t)cases[i].first;
        w->request.modes[3] = (uint8_t)cases[i].second;
        struct seen *s = world_run(w, "in-turns", 10000, cases[i].change);
        const struct seen_file *f = &s->files[0];
        uint64_t ticks = 0;
        for (size_t k = 0; k < f->n_arcs; k++)
            ticks += f->arcs[k].sum;
        assert_true(ticks < 3 * (f->head.last.tick - f->head.start.tick)); /* three lanes */
        assert_true(cases[i].change || !ticks);                            /* each comes from the other group */
        assert_int_equal(seen_added(s, "three"), 10000);
        assert_int_equal(seen_added(s, "none"), 10000);
        seen_free(s);
        world_clean(w);
    }
}

static void a_childs_first_hit_fits_a_small_stack_of_signals(void **state)
{
    const struct world *w = *state;
    const int status = world_finish(world_start(w, POINTS_SUBJECT, "small-stack", 3, NULL));
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
        skip();
    assert_int_equal(status, 0);
    struct seen *s = seen_folder(w->folder);
    assert_passes(s, "handled", 3);
    seen_free(s);
}

/* The first passes of a thread, and those of a full segment, are not written in line. */
static void iterations_belong_to_the_group_that_they_stand_in(void **state)
{
    enum { N = 200000 };
    struct world *w = *state;
    w->request.modes[0] = TRACE_OFF;
    struct seen *s = world_run(w, "groups", N, NULL);
    uint64_t wanted = 0;
    for (size_t i = 0; i < s->files[0].n_events; i++)
        if (s->files[0].events[i].id == CONTROL_ITERATION)
            assert_int_equal(s->files[0].events[i].value, wanted++);
    assert_int_equal(wanted, N);
    assert_true(s->files[0].segments > 2);
    seen_free(s);
}

static void iterations_of_a_group_that_is_added_up_are_not_written(void **state)
{
    struct world *w = *state;
    w->request.modes[3] = TRACE_AGGREGATE;
    struct seen *s = world_run(w, "groups", 100, NULL);
    assert_int_equal(seen_control(s, CONTROL_ITERATION), 0);
    seen_free(s);
}

static void each_pass_can_be_written_twice_or_thrice(void **state)
{
    struct world *w = *state;
    w->request.repeat = 3;
    struct seen *s = world_run(w, "plain", 20000, NULL);
    assert_passes(s, "step", 60000);
    assert_passes(s, "end", 3);
    seen_free(s);
}

static void other_clocks_and_orders_work_as_well(void **state)
{
    struct world *w = *state;
    snprintf(w->request.clock, sizeof w->request.clock, "raw");
    struct seen *s = world_run(w, "plain", 20000, NULL);
    assert_int_equal(s->files[0].head.clock, TRACE_CLOCK_RAW);
    assert_true(s->files[0].head.hz == 1e9);
    assert_true(s->files[0].head.reason[0]);
    assert_int_equal(check_steps(&s->files[0]), 20000);
    assert_int_equal(unlink(s->files[0].path), 0);
    seen_free(s);
    snprintf(w->request.clock, sizeof w->request.clock, "auto");
    w->request.order = TRACE_FAST;
    s = world_run(w, "plain", 20000, NULL);
    assert_passes(s, "step", 20000);
    assert_int_equal(unlink(s->files[0].path), 0);
    seen_free(s);
    w->request.order = TRACE_PRECISE;
    s = world_run(w, "scopes", 1000, NULL);
    assert_passes(s, "outer", 2000);
    assert_int_equal(seen_control(s, CONTROL_STAMPS), 2000 + 2000 + 500 * 2 * 4 + 500 * 2 * 3);
    seen_free(s);
}

/* So that what is taken off an arc lies in it. */
static void a_pass_with_four_stamps_stands_behind_the_room_made_for_it(void **state)
{
    struct world *w = *state;
    w->request.order = TRACE_PRECISE;
    struct seen *s = world_run(w, "scopes", 3000, NULL);
    const struct seen_file *f = &s->files[0];
    uint64_t gap_end = 0, gaps = 0;
    for (size_t i = 0; i < f->n_events; i++) {
        const struct seen_event *e = &f->events[i];
        if (e->id == CONTROL_GAP) {
            gap_end = e->data[0] & 0xffffffffffff;
            gaps++;
        }
        if (e->id == CONTROL_STAMPS && e->tick < gap_end)
            fail_msg("pass %zu: t3 %llu lies before %llu, where room had been made", i, (unsigned long long)e->tick,
                     (unsigned long long)gap_end);
    }
    assert_true(gaps >= 3);
    seen_free(s);
}

static void a_program_may_trace_itself(void **state)
{
    struct world *w = *state;
    pid_t child = fork();
    if (child == 0) {
        unsetenv(TRACE_VARIABLE);
        execl(POINTS_SUBJECT, POINTS_SUBJECT, "starts", "100", w->folder, (char *)NULL);
        _exit(127);
    }
    assert_int_equal(world_finish(child), 0);
    struct seen *s = seen_folder(w->folder);
    assert_int_equal(s->n, 2);
    assert_passes(s, "step", 200);
    seen_free(s);
}

static void untraced_it_leaves_nothing(void **state)
{
    struct world *w = *state;
    w->request.mode = TRACE_OFF;
    struct seen *s = world_run(w, "plain", 100, NULL);
    assert_passes(s, "step", 0);
    seen_free(s);
}

static void more_points_than_fit_a_word_have_numbers_too(void **state)
{
    const struct world *w = *state;
    assert_int_equal(world_finish(world_start(w, POINTS_MANY, "x", 1, NULL)), 0);
    struct seen *s = seen_folder(w->folder);
    assert_true(s->files[0].n_points > TRACE_ID_LAST);
    assert_int_equal(s->files[0].n_points, s->files[0].head.points);
    uint64_t wide = seen_control(s, CONTROL_WIDE), passes = seen_passes(s, "one of many");
    assert_int_equal(passes, 70000);
    assert_true(wide >= 70000 - TRACE_ID_LAST && wide <= 70001 - TRACE_ID_LAST);
    seen_free(s);
}

#define in_a_world(test) cmocka_unit_test_setup_teardown(test, world_set_up, world_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        in_a_world(a_file_says_who_left_it),
        in_a_world(points_never_passed_are_in_the_table),
        in_a_world(segments_follow_each_other_without_a_word_lost),
        in_a_world(values_are_kept_whatever_they_look_like),
        in_a_world(scopes_open_and_close_in_pairs),
        in_a_world(each_thread_has_its_own_words),
        in_a_world(threads_that_come_before_the_points_are_known_agree_who_traces),
        in_a_world(a_thousand_short_threads_lose_nothing),
        in_a_world(points_in_a_threads_last_destructors_are_kept),
        in_a_world(forked_children_leave_files_of_their_own),
        in_a_world(children_of_a_process_with_threads_do_not_stick),
        in_a_world(a_child_by_plain_clone_is_seen_to_be_one),
        in_a_world(a_child_by_vfork_writes_into_its_parents_lane),
        in_a_world(a_childs_first_hit_fits_a_small_stack_of_signals),
        in_a_world(no_time_begins_at_a_point_that_was_counted),
        in_a_world(what_was_written_before_exec_stays),
        in_a_world(sudden_ends_lose_nothing),
        in_a_world(killed_at_any_instant_it_has_lost_nothing),
        in_a_world(handlers_that_pass_points_disturb_nobody),
        in_a_world(handlers_are_added_up_too),
        in_a_world(shared_objects_come_and_go),
        in_a_world(the_code_of_a_shared_object_that_left_is_not_run),
        in_a_world(a_program_may_close_all_descriptors_and_change_its_folder),
        in_a_world(a_folder_that_vanishes_does_no_harm),
        in_a_world(a_folder_that_cannot_be_written_does_no_harm),
        in_a_world(what_has_no_room_is_added_up),
        in_a_world(or_counted_as_lost),
        in_a_world(a_limit_of_the_system_is_met_without_its_signal),
        in_a_world(where_addresses_are_few_most_are_left_to_the_program),
        in_a_world(passes_of_threads_for_which_there_is_no_memory_are_counted_as_lost),
        in_a_world(arcs_are_counted_exactly_in_each_mode),
        in_a_world(modes_change_at_run_time),
        in_a_world(groups_have_modes_of_their_own),
        in_a_world(iterations_belong_to_the_group_that_they_stand_in),
        in_a_world(iterations_of_a_group_that_is_added_up_are_not_written),
        in_a_world(each_pass_can_be_written_twice_or_thrice),
        in_a_world(other_clocks_and_orders_work_as_well),
        in_a_world(a_pass_with_four_stamps_stands_behind_the_room_made_for_it),
        in_a_world(a_program_may_trace_itself),
        in_a_world(untraced_it_leaves_nothing),
        in_a_world(more_points_than_fit_a_word_have_numbers_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
