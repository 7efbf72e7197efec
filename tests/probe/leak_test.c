/* SPDX-License-Identifier: MIT
 *
 * Each target of leak_subject.c ends as it must, in a real process, as a runner sees it. No time is asserted, but of one target in which
 * one class takes twice as long as the other.
 */
#include "plat_process.h"
#include "wire.h"
#include "wire_child.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { REASON = 512, KEPT = 4096, BLOCKS = 2000 };

struct seen {
    struct wire_hello hello;
    struct wire_target target;
    struct wire_target_end end;
    char reason[REASON], remark[REASON], class_0[64], dit[REASON];
    int hellos, clocks, targets, ends, byes, code;
    struct wire_clock clock;                                                   /* without its texts */
    uint64_t blocks[WIRE_BLOCKS_KINDS], calls, first_place[WIRE_BLOCKS_KINDS]; /* blocks in which class 0 was first */
    uint64_t slower[WIRE_BLOCKS_KINDS]; /* blocks of two in which class 1 took longer than class 0 */
    uint64_t scanned[WIRE_GROWTH_SIZES][2], slow[WIRE_GROWTH_SIZES][2]; /* calls of a scan by bit 0; of them long ones */
    uint32_t k[WIRE_BLOCKS_KINDS], repeat, secret_bytes;
    uint8_t secrets[KEPT];
};

static void copy(char *out, size_t size, const char *text)
{
    struct buf b = buf_over(out, size);
    buf_str(&b, text);
}

static void take_blocks(struct seen *s, const struct wire_blocks *b)
{
    s->blocks[b->kind] += b->n;
    s->k[b->kind] = b->k;
    s->repeat = b->repeat;
    for (size_t i = 0; i < (size_t)b->n * b->k; i++)
        s->first_place[b->kind] += i % b->k == 0 && b->classes[i] == 0;
    for (size_t i = 0; i + 1 < (size_t)b->n * b->k && b->k == 2; i += 2) {
        uint32_t first = wire_ticks_at(b->ticks, i), second = wire_ticks_at(b->ticks, i + 1);
        s->slower[b->kind] += b->classes[i] ? first > second : second > first;
    }
}

static void take_calls(struct seen *s, const struct wire_calls *c)
{
    uint32_t least = UINT32_MAX;
    for (uint32_t i = 0; i < c->n; i++)
        least = wire_ticks_at(c->ticks, i) < least ? wire_ticks_at(c->ticks, i) : least;
    for (uint32_t i = 0; i < c->n; i++) {
        int bit = c->secrets[(size_t)i * c->secret_bytes] & 1;
        s->scanned[c->kind][bit]++;
        s->slow[c->kind][bit] += wire_ticks_at(c->ticks, i) > 4 * (uint64_t)least;
    }
    if (c->kind != WIRE_MAIN)
        return;
    if (!s->calls)
        memcpy(s->secrets, c->secrets, c->n * c->secret_bytes < KEPT ? c->n * c->secret_bytes : KEPT);
    s->calls += c->n;
    s->secret_bytes = c->secret_bytes;
}

static void take(struct seen *s, const struct wire_frame *f)
{
    s->hellos += f->type == WIRE_HELLO;
    s->clocks += f->type == WIRE_CLOCK;
    s->byes += f->type == WIRE_BYE;
    if (f->type == WIRE_HELLO)
        s->hello = f->u.hello;
    if (f->type == WIRE_CLOCK)
        s->clock = f->u.clock;
    if (f->type == WIRE_TARGET && ++s->targets) {
        s->target = f->u.target;
        copy(s->class_0, sizeof s->class_0, f->u.target.n_classes ? f->u.target.classes[0] : "");
        copy(s->dit, sizeof s->dit, f->u.target.dit_words);
    }
    if (f->type == WIRE_BLOCKS)
        take_blocks(s, &f->u.blocks);
    if (f->type == WIRE_CALLS)
        take_calls(s, &f->u.calls);
    if (f->type == WIRE_TARGET_END && ++s->ends) {
        s->end = f->u.target_end;
        copy(s->reason, sizeof s->reason, f->u.target_end.reason);
        copy(s->remark, sizeof s->remark, f->u.target_end.remark);
    }
}

static struct seen look(const char *lines)
{
    struct buf record = BUF_INIT(1 << 26), all = BUF_INIT(8192);
    struct seen s = {.hellos = 0};
    buf_format(&all, "mode leak\nleak-ns 600000000000\n%s", lines);
    s.code = wire_child(LEAK_SUBJECT, buf_text(&all), &record);
    struct wire_reader r = {record.data, record.len, 0};
    struct wire_frame f;
    enum tare_status status;
    while ((status = wire_next(&r, &f, NULL)) == TARE_OK)
        take(&s, &f);
    if (status != TARE_TRUNCATED || r.at != record.len || s.hellos != 1 || s.byes != 1)
        fail_msg("%s: the record is not whole: %s, %d HELLO, %d BYE, exit code %d", lines, tare_status_name(status), s.hellos,
                 s.byes, s.code);
    buf_finish(&record);
    buf_finish(&all);
    return s;
}

static struct seen run(const char *name, const char *lines)
{
    char text[512];
    struct buf b = buf_over(text, sizeof text);
    buf_format(&b, "%srun %d %s\n", lines, BLOCKS, name);
    return look(text);
}

/* What depends on the machine, and not on the target. */
enum { OF_MACHINE = WIRE_TOO_SLOW | WIRE_DRAWN_PHASE | WIRE_FIXED_PHASE };

static void write_there(void *at)
{
    *(volatile unsigned char *)at = 1;
}

/* Those of riscv do not say whether it was a read, nor does qemu-user for aarch64; unit.guarded holds all others to it. */
static bool faults_say_which(void)
{
    struct plat_guarded g;
    struct plat_fault f = {.access = PLAT_ACCESS_UNKNOWN};
    assert_int_equal(plat_guarded_create(&g, 1, NULL), TARE_OK);
    assert_false(plat_fault_catch(write_there, g.memory + g.size, &f));
    plat_guarded_destroy(&g);
    return f.access != PLAT_ACCESS_UNKNOWN;
}

static bool says(const struct seen *s, uint32_t facts, const char *reason)
{
    return (s->end.facts & ~(uint32_t)OF_MACHINE) == facts && strstr(s->reason, reason);
}

static struct seen ends(const char *name, enum wire_state state, uint32_t facts, const char *reason)
{
    struct seen s = run(name, "seed 1\n");
    enum { EITHER = WIRE_READ_OUTSIDE | WIRE_WROTE_OUTSIDE };
    const char *outside = strstr(reason, "outside of ");
    const bool good =
        says(&s, facts, reason) || (facts & EITHER && says(&s, EITHER, outside ? outside : reason) && !faults_say_which());
    if (s.ends != 1 || s.end.state != state || !good)
        fail_msg("%s: %s, facts %u (%s), expected %s, facts %u (%s)", name, wire_state_word(s.end.state), s.end.facts, s.reason,
                 wire_state_word(state), facts, reason);
    return s;
}

/* ---- sound targets ---- */

static void a_sound_target_gives_blocks_and_its_end(void **state)
{
    (void)state;
    struct seen s = run("even", "seed 3\nspike-ns 100\n");
    assert_int_equal(s.code, 0);
    assert_true(s.clocks == 1 && s.targets == 1 && s.ends == 1);
    assert_string_equal(s.class_0, "off");
    assert_int_equal(s.end.state, WIRE_OK);
    assert_int_equal(s.blocks[WIRE_MAIN] + s.blocks[WIRE_AA] + s.blocks[WIRE_SPIKE], BLOCKS);
    assert_int_equal(s.k[WIRE_MAIN], 2);
    assert_true(s.end.calls == 2 * (s.blocks[WIRE_MAIN] + s.blocks[WIRE_AA] + s.blocks[WIRE_SPIKE]));
    assert_true(s.end.repeat >= 1 && s.end.repeat == s.repeat);
    assert_true(s.end.checked & WIRE_EQUAL_CLASSES && s.end.checked & WIRE_WROTE_OUTSIDE &&
                s.end.checked & WIRE_NOT_DETERMINISTIC);
    assert_int_equal(s.end.facts & ~(uint32_t)OF_MACHINE, 0);
}

static void self_checks_have_their_share(void **state)
{
    (void)state;
    struct seen s = run("even", "seed 4\nspike-ns 200\nselfcheck 10\n");
    uint64_t all = s.blocks[WIRE_MAIN] + s.blocks[WIRE_AA] + s.blocks[WIRE_SPIKE];
    assert_true(s.blocks[WIRE_AA] * 10 <= all && s.blocks[WIRE_AA] * 10 + 20 >= all);
    assert_true(s.blocks[WIRE_SPIKE] * 10 <= all && s.blocks[WIRE_SPIKE] * 10 + 20 >= all);
    assert_true(s.end.spike_ticks > 0 && s.end.spike_cycles >= 1);
    s = run("even", "seed 4\nselfcheck 0\nspike-ns 200\n");
    assert_true(s.blocks[WIRE_AA] == 0 && s.blocks[WIRE_SPIKE] == 0 && isnan(s.end.spike_ticks));
    s = run("even", "seed 4\n");
    assert_true(s.blocks[WIRE_AA] > 0 && s.blocks[WIRE_SPIKE] == 0);
}

static void a_leak_of_a_thousand_multiplies_is_in_the_times(void **state)
{
    (void)state;
    struct seen s = run("leaks", "seed 5\n");
    if (s.slower[WIRE_MAIN] * 4 < s.blocks[WIRE_MAIN] * 3)
        fail_msg("twice the work takes longer in %g of %g blocks", (double)s.slower[WIRE_MAIN], (double)s.blocks[WIRE_MAIN]);
}

/* At most 5 standard deviations of a fair coin. */
static void either_class_is_first_as_often(void **state)
{
    (void)state;
    struct seen s = run("even", "seed 6\nspike-ns 50\n");
    for (int kind = WIRE_MAIN; kind <= WIRE_SPIKE; kind++) {
        double n = (double)s.blocks[kind], off = (double)s.first_place[kind] - n / 2;
        if (!(off * off <= 25 * n / 4))
            fail_msg("blocks of kind %d: class 0 is first in %g of %g", kind, (double)s.first_place[kind], n);
    }
}

/* So few calls that one batch has room for them also where each takes a millisecond. */
static void the_same_seed_gives_the_same_inputs_and_another_others(void **state)
{
    (void)state;
    static const char seven[] = "seed 7\nleak-kind scan\nrun 12 scanned\n", eight[] = "seed 8\nleak-kind scan\nrun 12 scanned\n";
    struct seen a = look(seven), b = look(seven), c = look(eight);
    assert_int_equal(a.secret_bytes, 16);
    assert_memory_equal(a.secrets, b.secrets, 64);
    assert_true(memcmp(a.secrets, c.secrets, 64) != 0);
    assert_true(a.calls > 4 && b.calls > 4);
}

static void more_classes_make_larger_blocks(void **state)
{
    (void)state;
    struct seen s = run("three", "seed 9\n");
    assert_int_equal(s.k[WIRE_MAIN], 3);
    assert_int_equal(s.k[WIRE_AA], 2);
    assert_int_equal(s.end.state, WIRE_OK);
}

static void a_limit_of_blocks_is_kept(void **state)
{
    (void)state;
    struct seen s = look("selfcheck 0\nrun 17 even\n");
    assert_int_equal(s.blocks[WIRE_MAIN], 17);
    s = look("leak-kind scan\nselfcheck 0\nrun 5 scanned\n");
    assert_int_equal(s.calls, 5);
}

static void the_count_of_calls_in_a_reading_can_be_handed_down(void **state)
{
    (void)state;
    struct seen s = run("short_call", "seed 10\nrepeat 77\n");
    assert_int_equal(s.end.state, WIRE_OK);
    assert_int_equal(s.repeat, 77);
    assert_int_equal(s.end.repeat, 77);
}

static void a_clock_can_be_handed_down(void **state)
{
    (void)state;
    struct seen s = run("even", "seed 1\n"), told;
    if (!s.clock.counter || !s.clock.core) {
        print_message("no counter that can be trusted, or no core cycles, here\n");
        skip();
    }
    char lines[200];
    struct buf b = buf_over(lines, sizeof lines);
    buf_format(&b, "seed 1\ntick-hz %.6f\ntick-ppm 2.5\ntick-step 7\nchain-cycles %.0f\n", s.clock.hz / 2, s.clock.chain_cycles);
    told = run("even", lines);
    assert_int_equal(told.end.state, WIRE_OK);
    assert_true(fabs(told.clock.hz - s.clock.hz / 2) < 1e-3); /* said, not measured */
    assert_true(told.clock.error_ppm == 2.5 && told.clock.step_ticks == 7 && told.clock.core);
    assert_true(told.clock.chain_cycles == s.clock.chain_cycles && told.clock.chain_empty_ticks > 0);
}

static void what_cannot_be_a_clock_is_refused_in_one_line(void **state)
{
    (void)state;
    struct buf record = BUF_INIT(1 << 16);
    assert_int_equal(wire_child(LEAK_SUBJECT, "mode leak\ntick-hz 0\nrun 1 even\n", &record), 6);
    struct wire_reader r = {record.data, record.len, 0};
    struct wire_frame f;
    assert_int_equal(wire_next(&r, &f, NULL), TARE_OK);
    assert_int_equal(f.type, WIRE_HELLO);
    assert_non_null(strstr(f.u.hello.trouble, "\"tick-hz 0\" is not understood"));
    assert_int_equal(r.at, record.len);
    buf_finish(&record);
}

static void what_a_call_changes_is_put_back_and_each_call_is_alone(void **state)
{
    (void)state;
    struct seen s = run("put_back", "seed 11\nrepeat 50\n");
    assert_int_equal(s.end.state, WIRE_OK);
    assert_int_equal(s.end.repeat, 1);
    assert_true(s.target.flags & WIRE_TARGET_RESET);
}

static void an_input_that_is_changed_is_noticed(void **state)
{
    (void)state;
    assert_int_equal(ends("changes_input", WIRE_OK, WIRE_INPUT_CHANGED, "").end.repeat, 1);
}

static void memory_that_is_kept_is_noticed(void **state)
{
    (void)state;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) /* their malloc does not tell */
    ends("allocates", WIRE_OK, 0, "");
#else
    ends("allocates", WIRE_OK, WIRE_ALLOCATED, "");
#endif
}

static void each_cache_policy_and_clock_measures(void **state)
{
    (void)state;
    assert_int_equal(run("compare", "cache cold\n").end.state, WIRE_OK);
    assert_int_equal(run("compare", "cache random\n").end.state, WIRE_OK);
    struct seen s = run("compare", "clock raw\n");
    assert_int_equal(s.end.state, WIRE_OK);
    assert_true(s.blocks[WIRE_MAIN] > 0);
}

static void memory_of_a_target_is_told_while_it_is_set_up(void **state)
{
    (void)state;
    struct seen s = run("looks_up", "cache cold\n");
    if (s.end.state != WIRE_OK)
        fail_msg("%s", s.reason);
}

static void data_independent_timing_is_reported(void **state)
{
    (void)state;
    struct seen s = run("even", "dit 1\n");
    assert_true(s.target.dit == WIRE_DIT_ON || s.dit[0]);
    assert_true(s.target.dit == WIRE_DIT_ON || strstr(s.remark, "cannot be switched on"));
}

/* ---- kinds ---- */

static void a_scan_sends_the_secret_bytes_alone(void **state)
{
    (void)state;
    struct seen s = run("scanned", "leak-kind scan\n");
    assert_true(s.target.secret_at == 8 && s.target.secret_bytes == 16 && s.target.flags & WIRE_TARGET_SECRET);
    assert_int_equal(s.secret_bytes, 16);
    s = run("scanned", "leak-kind scan\nbits 12\n");
    assert_int_equal(s.secret_bytes, 2);
}

static void a_scan_has_calls_of_its_own_for_self_checks(void **state)
{
    (void)state;
    struct seen s = run("scanned", "leak-kind scan\nseed 5\nselfcheck 10\nspike-ns 200\n");
    uint64_t kinds[3], all = 0;
    for (int i = 0; i < 3; i++)
        all += kinds[i] = s.scanned[i][0] + s.scanned[i][1];
    assert_true(kinds[WIRE_AA] * 10 <= all && kinds[WIRE_AA] * 10 + 20 >= all);
    assert_true(kinds[WIRE_SPIKE] * 10 <= all && kinds[WIRE_SPIKE] * 10 + 20 >= all);
    assert_true(s.scanned[WIRE_SPIKE][0] > 40 && s.scanned[WIRE_SPIKE][1] > 40); /* coins */
    assert_true(s.end.spike_ticks > 0);
    s = run("scanned", "leak-kind scan\nselfcheck 0\nspike-ns 200\n");
    assert_true(s.scanned[WIRE_AA][0] + s.scanned[WIRE_AA][1] + s.scanned[WIRE_SPIKE][0] + s.scanned[WIRE_SPIKE][1] == 0);
    assert_int_equal(s.calls, BLOCKS);
}

/* Three thousand multiplies more for each input that was made with bit 0 set: the one that was not called with shows in A/A. */
static void what_the_making_of_inputs_leaves_behind_is_in_the_self_checks(void **state)
{
    (void)state;
    struct seen s = run("making_leaks", "leak-kind scan\nseed 6\nselfcheck 30\n");
    assert_int_equal(s.end.state, WIRE_OK);
    if (s.slow[WIRE_AA][1] * 10 < s.scanned[WIRE_AA][1] * 9 || s.slow[WIRE_AA][0] * 10 > s.scanned[WIRE_AA][0] * 7)
        fail_msg("long are %g of %g A/A calls with the bit set, %g of %g without", (double)s.slow[WIRE_AA][1],
                 (double)s.scanned[WIRE_AA][1], (double)s.slow[WIRE_AA][0], (double)s.scanned[WIRE_AA][0]);
    s = run("making_leaks", "seed 6\nselfcheck 30\n"); /* of blocks both inputs are made before both calls: no class has it */
    assert_true(s.slower[WIRE_AA] * 10 > s.blocks[WIRE_AA] * 3 && s.slower[WIRE_AA] * 10 < s.blocks[WIRE_AA] * 7);
}

/* The touch of the largest structure costs the call behind it four thousand multiplies. */
static void what_the_touch_of_a_structure_leaves_behind_is_in_the_self_checks(void **state)
{
    (void)state;
    struct seen s = run("touch_leaks", "leak-kind growth\nseed 6\nselfcheck 30\n");
    assert_int_equal(s.end.state, WIRE_OK);
    if (s.slower[WIRE_AA] * 10 < s.blocks[WIRE_AA] * 9)
        fail_msg("behind the largest one's touch %g of %g calls take longer", (double)s.slower[WIRE_AA],
                 (double)s.blocks[WIRE_AA]);
    s = run("push", "leak-kind growth\nseed 6\nspike-ns 20000\n");
    assert_true(s.blocks[WIRE_SPIKE] > 0 && s.slower[WIRE_SPIKE] * 10 > s.blocks[WIRE_SPIKE] * 9);
}

static void growth_has_a_call_of_each_size_in_each_block(void **state)
{
    (void)state;
    struct seen s = run("length", "leak-kind growth\nspike-ns 100\n");
    assert_int_equal(s.target.n_sizes, 4);
    assert_true(s.target.sizes[3] == 1000 && s.target.flags & WIRE_TARGET_GROWTH);
    assert_int_equal(s.end.state, WIRE_OK);
    assert_int_equal(s.k[WIRE_GROWTH_SIZES], 4);
    assert_true(s.blocks[WIRE_GROWTH_SIZES] > BLOCKS / 2 && s.blocks[WIRE_AA] > 0);
    s = run("push", "leak-kind growth\n");
    assert_int_equal(s.end.state, WIRE_OK);
    assert_int_equal(s.end.repeat, 1);
}

static void a_structure_that_cannot_be_built_is_said(void **state)
{
    (void)state;
    struct seen s = run("cannot_build", "leak-kind growth\n");
    assert_int_equal(s.end.state, WIRE_FAILED);
    assert_non_null(strstr(s.reason, "structure of 4"));
}

static void work_that_does_not_fit_is_skipped_with_its_reason(void **state)
{
    (void)state;
    assert_int_equal(run("length", "").end.state, WIRE_SKIPPED);
    assert_int_equal(run("length", "leak-kind scan\n").end.state, WIRE_SKIPPED);
    assert_int_equal(run("even", "leak-kind growth\n").end.state, WIRE_SKIPPED);
    struct seen s = run("even", "leak-kind taint\n");
    assert_true(s.end.state == WIRE_SKIPPED && s.clocks == 0);
    assert_non_null(strstr(s.reason, "valgrind"));
}

/* ---- faults ---- */

static void steps_outside_of_the_input_are_told_with_their_place(void **state)
{
    (void)state;
    ends("reads_behind", WIRE_FAILED, WIRE_READ_OUTSIDE, "read outside of its input of 24 bytes, 3 bytes behind its last");
    ends("reads_before", WIRE_FAILED, WIRE_READ_OUTSIDE, "1 byte before its first");
    ends("writes_behind", WIRE_FAILED, WIRE_WROTE_OUTSIDE, "wrote outside of its input of 24 bytes, 1 byte behind");
    assert_non_null(strstr(run("writes_before", "").reason, "wrote outside"));
}

static void a_generator_that_steps_outside_is_told_apart_from_the_target(void **state)
{
    (void)state;
    ends("makes_too_much", WIRE_FAILED, WIRE_WROTE_OUTSIDE, "its .make wrote outside of its input of 64 bytes, 1 byte behind");
    ends("makes_too_early", WIRE_FAILED, WIRE_WROTE_OUTSIDE, "its .make wrote outside of its input of 64 bytes");
}

static void a_crash_is_told_and_the_record_is_whole(void **state)
{
    (void)state;
    assert_int_equal(ends("crashes", WIRE_FAILED, WIRE_CRASHED, "SIGSEGV in a call").code, 5);
    ends("overflows_stack", WIRE_FAILED, WIRE_CRASHED, "SIGSEGV in a call");
    ends("aborts", WIRE_FAILED, WIRE_CRASHED, "SIGABRT in a call");
    ends("crashes_in_setup", WIRE_FAILED, WIRE_CRASHED, "SIGABRT in its .setup");
}

static void nothing_is_done_after_a_crash(void **state)
{
    (void)state;
    struct seen s = look("run 9 crashes\nrun 9 even\n");
    assert_true(s.targets == 1 && s.ends == 1);
}

static void what_cannot_be_judged_is_said(void **state)
{
    (void)state;
    ends("equal_classes", WIRE_FAILED, WIRE_EQUAL_CLASSES, "the classes one and other");
    ends("not_deterministic", WIRE_FAILED, WIRE_NOT_DETERMINISTIC, "two results");
    ends("without_setup", WIRE_FAILED, 0, ".setup returned NULL");
    ends("no_such_file", WIRE_FAILED, 0, "/nonexistent/records");
    ends("blinded", WIRE_OK, 0, "");
}

static void a_wrong_descriptor_fails_alone(void **state)
{
    (void)state;
    ends("no_such_class", WIRE_FAILED, 0, "no predefined class \"nothing\"");
    ends("one_class", WIRE_FAILED, 0, "1 classes; 2 to 16");
    ends("seventeen_classes", WIRE_FAILED, 0, "17 classes; 2 to 16");
    ends("twin", WIRE_FAILED, 0, "two targets have the name twin");
    ends("(without a name)", WIRE_FAILED, 0, "has no name");
    struct seen s = run("sizes_fall", "leak-kind growth\n");
    assert_int_equal(s.end.state, WIRE_FAILED);
    assert_non_null(strstr(s.reason, "sizes of growth rise"));
    s = run("even", "seed 1\n");
    assert_int_equal(s.end.state, WIRE_OK);
}

/* ---- lists ---- */

static void a_list_has_targets_beside_benchmarks(void **state)
{
    (void)state;
    struct seen s = look("mode list\n");
    assert_true(s.hello.targets > 20 && s.hello.benchmarks == 1);
    assert_int_equal(s.targets, s.hello.targets);
    s = look("mode list\nfilter reads_\n");
    assert_int_equal(s.targets, 2);
}

/* ---- under valgrind ---- */

static void marks_are_seen_by_valgrind(void **state)
{
    (void)state;
    if (!VALGRIND[0] || !(look("mode list\n").hello.taint & WIRE_TAINT_MEMCHECK))
        skip();
    struct buf record = BUF_INIT(1 << 20);
    static const struct {
        const char *name;
        int code;
    } cases[] = {{"branches_on_secret", 99}, {"declassifies", 0}};
    for (size_t i = 0; i < 2; i++) {
        char text[128];
        struct buf b = buf_over(text, sizeof text);
        buf_format(&b, "mode leak\nleak-kind taint\nrun 0 %s\n", cases[i].name);
        int code = wire_child_under(VALGRIND, LEAK_SUBJECT, text, &record);
        if (code != cases[i].code)
            fail_msg("%s under valgrind: exit code %d, not %d", cases[i].name, code, cases[i].code);
    }
    buf_finish(&record);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sound_target_gives_blocks_and_its_end),
        cmocka_unit_test(self_checks_have_their_share),
        cmocka_unit_test(a_leak_of_a_thousand_multiplies_is_in_the_times),
        cmocka_unit_test(either_class_is_first_as_often),
        cmocka_unit_test(the_same_seed_gives_the_same_inputs_and_another_others),
        cmocka_unit_test(more_classes_make_larger_blocks),
        cmocka_unit_test(a_limit_of_blocks_is_kept),
        cmocka_unit_test(the_count_of_calls_in_a_reading_can_be_handed_down),
        cmocka_unit_test(a_clock_can_be_handed_down),
        cmocka_unit_test(what_cannot_be_a_clock_is_refused_in_one_line),
        cmocka_unit_test(what_a_call_changes_is_put_back_and_each_call_is_alone),
        cmocka_unit_test(an_input_that_is_changed_is_noticed),
        cmocka_unit_test(memory_that_is_kept_is_noticed),
        cmocka_unit_test(each_cache_policy_and_clock_measures),
        cmocka_unit_test(memory_of_a_target_is_told_while_it_is_set_up),
        cmocka_unit_test(data_independent_timing_is_reported),
        cmocka_unit_test(a_scan_sends_the_secret_bytes_alone),
        cmocka_unit_test(a_scan_has_calls_of_its_own_for_self_checks),
        cmocka_unit_test(what_the_making_of_inputs_leaves_behind_is_in_the_self_checks),
        cmocka_unit_test(what_the_touch_of_a_structure_leaves_behind_is_in_the_self_checks),
        cmocka_unit_test(growth_has_a_call_of_each_size_in_each_block),
        cmocka_unit_test(a_structure_that_cannot_be_built_is_said),
        cmocka_unit_test(work_that_does_not_fit_is_skipped_with_its_reason),
        cmocka_unit_test(steps_outside_of_the_input_are_told_with_their_place),
        cmocka_unit_test(a_generator_that_steps_outside_is_told_apart_from_the_target),
        cmocka_unit_test(a_crash_is_told_and_the_record_is_whole),
        cmocka_unit_test(nothing_is_done_after_a_crash),
        cmocka_unit_test(what_cannot_be_judged_is_said),
        cmocka_unit_test(a_wrong_descriptor_fails_alone),
        cmocka_unit_test(a_list_has_targets_beside_benchmarks),
        cmocka_unit_test(marks_are_seen_by_valgrind),
    };
    return cmocka_run_group_tests_name("leak", tests, NULL, NULL);
}
