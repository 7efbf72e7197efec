/* SPDX-License-Identifier: MIT
 *
 * What is said of leak targets, held by golden files: each verdict and each kind of question, widths, signs without Unicode, colours. */
#include "golden.h"
#include "leak_reason.h"
#include "leak_sentences.h"
#include "leak_target.h"
#include "render.h"
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void begin(struct record *r, const char *kind)
{
    static const char *const argv[] = {"tare", "leak", "./ct_tests", NULL};
    record_init(r);
    r->argv = arena_words(&r->arena, argv);
    r->tool_version = "test";
    r->rule = (struct rule){.method = METHOD_ANYTIME,
                            .metric = "wall",
                            .confidence = .99,
                            .margin = 1,
                            .margin_unit = "ns",
                            .fail_if_slower = NAN,
                            .leaks = {.kind = kind, .cache = "warm", .alpha = 1e-5, .advantage = .01, .selfcheck = 5}};
    r->ended = "answered";
    r->seconds = 2.5;
    r->rounds = r->look = 4;
}

static struct leak_target add(struct record *r, const char *name, enum verdict verdict)
{
    const struct subject s = {
        .kind = SUBJECT_LEAK, .name = name, .command = name, .program = "./ct_tests", .benchmark = name, .reference = -1};
    struct leak_target t;
    leak_target_init(&t, record_add_subject(r, &s, NULL, 0));
    t.verdict = verdict;
    t.kind = r->rule.leaks.kind;
    t.first = "equal";
    t.second = "random";
    t.classes = "equal, random";
    *(strcmp(t.kind, "growth") ? &t.processes : &t.growth_processes) = 17;
    t.program_hash = "0123456789abcdef";
    t.cpu = "Example 3000";
    t.calls = 214000;
    t.blocks = 96000;
    t.seconds = .62;
    t.margin_ns = 1;
    t.tolerated_advantage = .01;
    t.cycles_per_tick = 1.5;
    t.ticks_hz = 2e9;
    t.aa_blocks = t.spike_blocks = 4800;
    t.aa_log10_e = .4;
    t.aa_limit_log10_e = 3;
    t.spike_planted_ns = 1;
    t.spike_found_after = 420;
    t.decided = true;
    return t;
}

static void size(struct leak_target *t, double point, double half)
{
    t->difference_ns = point;
    t->low_ns = t->least_ns = point - half;
    t->high_ns = t->most_ns = point + half;
    t->difference_cycles = 3 * point;
    t->clip = .5;
}

static void evidence(struct leak_target *t, double log10_e, const char *family, const char *component, double at)
{
    t->log10_e = t->log10_e_most = log10_e;
    t->family = family;
    t->component = component;
    t->component_at = at;
}

static void keep(struct record *r, const struct leak_target *t)
{
    assert_int_equal(record_set_leak_target(r, t), TARE_OK);
}

static const char equal_classes[] =
    "failed: the classes zeros and ones gave the same input 16 times: they cannot be distinguished";

static void verdicts(struct record *r)
{
    begin(r, "pairs");
    struct leak_target t = add(r, "memcmp_32", VERDICT_LEAK);
    size(&t, -12.4, .3);
    evidence(&t, 612.3, "location", "mean", .5);
    t.advantage = t.advantage_low = t.advantage_high = .8;
    t.calls_to_distinguish = t.calls_to_distinguish_low = 14.4;
    keep(r, &t);
    t = add(r, "table", VERDICT_LEAK);
    size(&t, .31, .04);
    evidence(&t, 41.2, "tail", "mcnemar", .99);
    t.advantage = .05;
    t.advantage_low = .04;
    t.advantage_high = .06;
    t.calls_to_distinguish = 3684;
    keep(r, &t);
    t = add(r, "slow_start", VERDICT_LEAK);
    size(&t, 1.1, .4);
    evidence(&t, 6.1, "spread", "spread", .9);
    t.why = "its size is not yet settled";
    keep(r, &t);
    t = add(r, "mask", VERDICT_LEAK_SMALL);
    size(&t, .02, .004);
    evidence(&t, 9.6, "location", "sign", NAN);
    t.calls_to_distinguish = INFINITY;
    t.calls_to_distinguish_low = 92103;
    keep(r, &t);
    t = add(r, "ct_memcmp", VERDICT_NO_LEAK);
    size(&t, .001, .03);
    evidence(&t, .2, "tail", "mean", 1);
    t.advantage_high = .0074;
    t.taint = "clean";
    keep(r, &t);
    t = add(r, "long_run", VERDICT_UNDECIDED);
    size(&t, .4, 1.9);
    evidence(&t, -.3, "tail", "mean", 1);
    t.spike_found_after = NAN;
    t.why = "the intervals still reach beyond what is tolerated";
    t.blocks_needed = 1.2e6;
    t.seconds_needed = 8.1;
    keep(r, &t);
    t = add(r, "biased", VERDICT_INVALID);
    t.why = "the harness itself makes a difference between two classes that are the same";
    t.aa_log10_e = 12;
    evidence(&t, .1, NULL, NULL, NAN);
    keep(r, &t);
    t = add(r, "crash", VERDICT_INVALID);
    assert_int_equal(record_set_failure(r, t.subject, "was ended by SIGSEGV in process 1"), TARE_OK);
    t.why = r->subjects[t.subject].failure;
    t.calls = 0;
    keep(r, &t);
    t = add(r, "same", VERDICT_INVALID);
    assert_int_equal(record_set_failure(r, t.subject, equal_classes), TARE_OK);
    t.why = r->subjects[t.subject].failure;
    t.calls = 0;
    t.unfit = 1;
    keep(r, &t);
    add(r, "not_reached", VERDICT_UNDECIDED);
}

static void kinds(struct record *r, const char *kind)
{
    begin(r, kind);
    struct leak_target t = add(r, "one", VERDICT_LEAK);
    bool scan = !strcmp(kind, "scan");
    if (scan) {
        size(&t, 4.06, .49);
        t.scan_bits = 256;
        t.scan_leaking = 3;
        t.scan_worst_bit = 13;
        t.bits = "0.3, 1.5, 12.7";
    } else {
        t.growth_first = 1;
        t.growth_last = 131072;
        t.growth_ns = 117000;
        t.growth_low_ns = 116000;
        t.growth_high_ns = 118000;
        t.growth_element_ns = .893;
        t.growth_element_low_ns = .885;
        t.growth_element_high_ns = .9;
        t.growth_bound_ns = 4.2;
        t.growth_slope = .99;
        t.growth_slope_low = .97;
        t.growth_slope_high = 1.01;
        t.complexity = "n";
        t.complexity_or = "n log n";
    }
    keep(r, &t);
    struct leak_target other = add(r, "other", VERDICT_NO_LEAK);
    int subject = other.subject;
    other = t;
    other.subject = subject;
    other.verdict = VERDICT_NO_LEAK;
    other.growth_ns = .1;
    other.growth_low_ns = -.2;
    other.growth_high_ns = .4;
    other.bits = NULL;
    keep(r, &other);
    other.subject = add(r, "third", VERDICT_UNDECIDED).subject;
    other.verdict = VERDICT_UNDECIDED;
    other.growth_high_ns = 9;
    other.seconds_needed = 120;
    other.blocks_needed = 4e5;
    keep(r, &other);
}

static void check(const char *name, const struct record *r, struct render_options o)
{
    char file[64];
    snprintf(file, sizeof file, "leak_%s", name);
    struct buf b = BUF_INIT(1 << 20);
    render_result(r, &o, &b);
    assert_golden(file, &b);
    buf_finish(&b);
}

static void each_verdict_has_its_sentence(void **state)
{
    (void)state;
    struct record r = {0};
    verdicts(&r);
    check("verdicts.pipe", &r, (struct render_options){.unicode = true});
    check("verdicts.80", &r, (struct render_options){.unicode = true, .width = 80});
    check("verdicts.60", &r, (struct render_options){.unicode = true, .width = 60});
    check("verdicts.40", &r, (struct render_options){.unicode = true, .width = 40});
    check("verdicts.ascii", &r, (struct render_options){.width = 80});
    check("verdicts.colour", &r, (struct render_options){.unicode = true, .width = 80, .colour = true});
    check("verdicts.quiet", &r, (struct render_options){.unicode = true, .width = 80, .verbosity = -1});
    check("verdicts.verbose", &r, (struct render_options){.unicode = true, .width = 100, .verbosity = 1});
    r.partial = true;
    r.ended = "interrupted";
    check("partial", &r, (struct render_options){.unicode = true, .width = 80, .verbosity = -1});
    record_finish(&r);
}

/* Too few processes for an interval: the sentence says so, and not that it reaches from minus infinity to infinity. */
static void an_open_interval_is_said_in_words(void **state)
{
    (void)state;
    static const struct {
        double low, high;
        const char *sentence;
    } cases[] = {{-INFINITY, INFINITY, "12.4 ns (no interval yet) between equal and random"},
                 {-INFINITY, -12.1, "12.4 ns (at least 12.1) between equal and random"},
                 {-12.7, INFINITY, "−12.4 ns (at least −12.7) between equal and random"}};
    for (int i = 0; i < 3; i++) {
        struct record r = {0};
        begin(&r, "pairs");
        struct leak_target t = add(&r, "memcmp_32", VERDICT_LEAK);
        size(&t, -12.4, .3);
        t.low_ns = cases[i].low;
        t.high_ns = cases[i].high;
        evidence(&t, 612.3, "location", "mean", .5);
        t.advantage = .9;
        t.advantage_low = 0; /* so that it is not known how many calls an attacker needs */
        t.advantage_high = 1;
        t.calls_to_distinguish = 11.4;
        keep(&r, &t);
        struct buf b = BUF_INIT(1 << 20);
        render_result(&r, &(struct render_options){.unicode = true}, &b);
        if (!strstr(buf_text(&b), cases[i].sentence) || strstr(buf_text(&b), "∞") || strstr(buf_text(&b), "attacker"))
            fail_msg("not \"%s\": %s", cases[i].sentence, buf_text(&b));
        buf_clear(&b);
        leak_details(&r, &t, &b);
        assert_int_equal(!strstr(buf_text(&b), "confidence"), !i); /* there is none in what has no bound */
        assert_non_null(strstr(buf_text(&b), "over 17 processes"));
        buf_finish(&b);
        record_finish(&r);
    }
}

/* Several processes with few calls each count as one. */
static void processes_that_count_together_are_groups(void **state)
{
    (void)state;
    struct record r = {0};
    begin(&r, "pairs");
    struct leak_target t = add(&r, "memcmp_32", VERDICT_LEAK);
    size(&t, -12.4, .3);
    keep(&r, &t);
    for (int i = 0; i < 38; i++)
        assert_int_equal(record_append_row(&r, t.subject, &(struct row){.round = i}), TARE_OK);
    struct buf b = BUF_INIT(1 << 20);
    leak_details(&r, &t, &b);
    if (!strstr(buf_text(&b), "99 % confidence over 38 processes in 17 groups of this session"))
        fail_msg("%s", buf_text(&b));
    record_finish(&r);
    begin(&r, "growth");
    t = add(&r, "sort", VERDICT_UNDECIDED);
    t.why = leak_reason_text(LEAK_WHY_PROCESSES_GROWTH);
    t.growth_ns = 820;
    t.growth_processes = 5;
    t.starved = 1;
    keep(&r, &t);
    for (int i = 0; i < 7; i++)
        assert_int_equal(record_append_row(&r, t.subject, &(struct row){.round = i}), TARE_OK);
    buf_clear(&b);
    leak_answer(&r, &t, &b);
    if (!strstr(buf_text(&b), "over 7 processes in 5 groups; a verdict needs 6 processes with enough calls"))
        fail_msg("%s", buf_text(&b));
    buf_finish(&b);
    record_finish(&r);
}

/* Of a file more cannot be measured, and a session whose time was over would not have gone on. */
static void a_session_that_ended_with_dudects_answer_says_what_settles_the_size(void **state)
{
    (void)state;
    static const struct {
        const char *ended, *kind;
        bool dudect, says;
    } cases[] = {{"answered", "pairs", true, true},
                 {"budget", "pairs", true, false},
                 {"answered", "csv", true, false},
                 {"answered", "pairs", false, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct record r = {0};
        begin(&r, cases[i].kind);
        r.rule.leaks.dudect = cases[i].dudect;
        r.ended = cases[i].ended;
        struct leak_target t = add(&r, "memcmp_32", VERDICT_LEAK);
        size(&t, 9.85, INFINITY);
        t.why = leak_reason_text(LEAK_WHY_UNSETTLED);
        keep(&r, &t);
        struct buf b = BUF_INIT(1 << 16);
        leak_answer(&r, &t, &b);
        const bool says =
            strstr(buf_text(&b), "its size is not yet settled; without --method dudect the session goes on until it is");
        if (says != cases[i].says)
            fail_msg("%zu: %s", i, buf_text(&b));
        buf_finish(&b);
        record_finish(&r);
    }
}

static void growth_says_where_its_tolerance_comes_from(void **state)
{
    (void)state;
    struct record r = {0};
    begin(&r, "growth");
    struct leak_target t = add(&r, "sort", VERDICT_UNDECIDED);
    keep(&r, &t);
    struct buf b = BUF_INIT(1 << 16);
    leak_claim(&r, &b);
    assert_null(strstr(buf_text(&b), "Tolerated")); /* it was given, and stands in each line */
    r.rule.margin = .5;
    r.rule.margin_unit = NULL;
    r.rule.leaks.latency_ns = 64.34;
    buf_clear(&b);
    leak_claim(&r, &b);
    assert_non_null(strstr(buf_text(&b),
                           "not included. Tolerated are four memory accesses of 64.34 ns each, or 50 % of the typical time "
                           "at the smallest size in the warm-up if that is more."));
    buf_finish(&b);
    record_finish(&r);
}

static void a_bit_of_which_nothing_is_settled_is_named_without_its_value(void **state)
{
    (void)state;
    struct record r = {0};
    begin(&r, "scan");
    struct leak_target t = add(&r, "aes", VERDICT_UNDECIDED);
    size(&t, -.1, .4);
    t.scan_bits = 256;
    t.scan_worst_bit = 21 * 8 + 2;
    keep(&r, &t);
    struct buf b = BUF_INIT(1 << 20);
    render_result(&r, &(struct render_options){.unicode = true, .verbosity = 1}, &b);
    if (!strstr(buf_text(&b), "the strongest evidence is for bit 2 of byte 21: "))
        fail_msg("%s", buf_text(&b));
    buf_finish(&b);
    record_finish(&r);
}

/* Bets that lost everything, and a t of times that do not vary, are said in words. */
static void what_is_infinite_is_never_shown_as_a_number(void **state)
{
    (void)state;
    struct record r = {0};
    begin(&r, "pairs");
    r.rule.leaks.dudect = true;
    struct leak_target t = add(&r, "memcmp_32", VERDICT_UNDECIDED);
    size(&t, -12.4, INFINITY);
    evidence(&t, -INFINITY, "location", "mean", .5);
    t.dudect = t.corrected = "probably not constant time";
    t.dudect_t = t.corrected_t = -INFINITY;
    t.why = "too few processes so far";
    keep(&r, &t);
    for (int verbosity = -1; verbosity < 3; verbosity++) {
        struct buf b = BUF_INIT(1 << 20);
        render_result(&r, &(struct render_options){.unicode = true, .verbosity = verbosity}, &b);
        if (strstr(buf_text(&b), "∞") || strstr(buf_text(&b), "inf") || strstr(buf_text(&b), "nan"))
            fail_msg("%s", buf_text(&b));
        buf_finish(&b);
    }
    record_finish(&r);
}

/* A bound on the mean of several calls says so: what only the first of them shows is divided by their number. */
static void a_bound_on_throughput_says_so(void **state)
{
    (void)state;
    struct record r = {0};
    char text[200];
    begin(&r, "pairs");
    struct leak_target t = add(&r, "ct_memcmp", VERDICT_NO_LEAK);
    size(&t, .001, .03);
    t.repeat = 16;
    struct buf b = buf_over(text, sizeof text);
    leak_answer(&r, &t, &b);
    assert_string_equal(text, "below 1 ns (bound 0.0310 ns, mean of 16 calls, 99 % confidence)");
    r.rule.margin_unit = "cycles";
    r.rule.margin = 3;
    buf_clear(&b);
    leak_answer(&r, &t, &b);
    assert_string_equal(text, "below 3 cycles = 1 ns (bound 0.0310 ns, mean of 16 calls, 99 % confidence)");
    record_finish(&r);
}

/* A long name is cut in its middle, and what is wide wraps below its own column: verdict and bound stay. */
static void a_narrow_screen_keeps_verdict_and_bound(void **state)
{
    (void)state;
    struct record r = {0};
    begin(&r, "pairs");
    struct leak_target t = add(&r, "crypto_verify_of_a_long_name_32_in_the_first_mode", VERDICT_NO_LEAK);
    size(&t, .001, .03);
    keep(&r, &t);
    t.subject = add(&r, "crypto_verify_of_a_long_name_32_in_the_second_mode", VERDICT_LEAK).subject;
    size(&t, 12.4, .3);
    t.verdict = VERDICT_LEAK;
    keep(&r, &t);
    check("long_names.60", &r, (struct render_options){.unicode = true, .width = 60});
    record_finish(&r);
}

static void each_kind_of_question_has_its_words(void **state)
{
    (void)state;
    static const char *const all[] = {"scan", "growth"};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        struct record r = {0};
        kinds(&r, all[i]);
        check(all[i], &r, (struct render_options){.unicode = true, .width = 80});
        struct buf b = BUF_INIT(1 << 20);
        char file[64];
        snprintf(file, sizeof file, "leak_%s.dry", all[i]);
        render_leak_dry_run(&r, 30, &(struct render_options){.width = 80}, &b);
        assert_golden(file, &b);
        buf_finish(&b);
        record_finish(&r);
    }
}

static void the_live_line_has_calls_evidence_and_size(void **state)
{
    (void)state;
    struct record r = {0}, one = {0};
    struct buf b = BUF_INIT(1 << 20);
    const struct render_options o = {.unicode = true, .width = 80, .live = true},
                                wide = {.unicode = true, .width = 160, .live = true};
    const struct render_progress progress = {.rounds = 4, .share = 0.25, .groups = 1, .elapsed_s = 2.5, .left_s = NAN};
    verdicts(&r);
    begin(&one, "pairs");
    struct leak_target t = add(&one, "long_run", VERDICT_UNDECIDED);
    size(&t, .4, 1.9);
    evidence(&t, -.3, "tail", "mean", 1);
    t.seconds_needed = 8.1;
    keep(&one, &t);
    render_live(&one, &progress, &o, &b);
    buf_char(&b, '\n');
    render_live(&one, &progress, &wide, &b);
    buf_char(&b, '\n');
    render_live(&r, &progress, &o, &b);
    buf_char(&b, '\n');
    assert_golden("leak_live", &b);
    buf_finish(&b);
    record_finish(&r);
    record_finish(&one);
}

/* It is what such a tool must never say: a bound on some classes is no proof for code. */
static void nothing_is_called_constant_time(void **state)
{
    (void)state;
    for (int v = VERDICT_NONE; v <= VERDICT_NO_LEAK; v++) {
        struct record r = {0};
        verdicts(&r);
        for (int i = 0; i < r.n_leak_targets; i++)
            r.leak_targets[i].verdict = (enum verdict)v;
        struct buf b = BUF_INIT(1 << 20);
        render_result(&r, &(struct render_options){.unicode = true, .verbosity = 2}, &b);
        if (strstr(buf_text(&b), "onstant time") || strstr(buf_text(&b), "onstant-time"))
            fail_msg("with every verdict %s: %s", verdict_name((enum verdict)v), buf_text(&b));
        buf_finish(&b);
        record_finish(&r);
    }
}

/* ---- where it ran ---- */

static void put(const struct leak_target *t, char *out, size_t room)
{
    struct buf b = buf_over(out, room);
    leak_places(t, &b);
}

static void cpus_and_frequencies_are_named_where_they_explain(void **state)
{
    (void)state;
    static const struct leak_place two[] = {{0, 9, .95, .8, 1.1}, {1, 8, .52, .4, .6}},
                                   six[] = {{0, 3, 5, 0, 9}, {1, 3, 6, 0, 9}, {2, 3, 7, 0, 9},
                                            {3, 3, 4, 0, 9}, {4, 3, 5, 0, 9}, {5, 3, 5, 0, 9}};
    char text[400];
    struct record r;
    begin(&r, "pairs");
    struct leak_target t = add(&r, "memcmp", VERDICT_LEAK);
    t.difference_ns = .75;
    t.places = two;
    t.n_places = 2;
    t.cpus_differ = 0;
    put(&t, text, sizeof text);
    assert_string_equal(text, "");
    t.cpus_differ = 1;
    put(&t, text, sizeof text);
    assert_string_equal(text, "the size differs between CPUs: 0.950 ns on CPU 0 (9 processes), 0.520 ns on CPU 1 (8 processes)");
    static const struct leak_place alike[] = {{0, 9, 2.27, 2.26, 2.28}, {1, 8, 2.26, 2.25, 2.262}},
                                   far[] = {{0, 9, 520, 500, 540}, {1, 8, 540, 530, 550}};
    t.places = alike;
    t.difference_ns = 2.265;
    put(&t, text, sizeof text);
    assert_string_equal(text, "");
    t.places = far; /* more than the margin, and a twenty-sixth */
    t.difference_ns = 530;
    put(&t, text, sizeof text);
    assert_string_equal(text, "");
    t.difference_ns = .75;
    t.places = six;
    t.n_places = 6;
    put(&t, text, sizeof text);
    assert_string_equal(
        text, "the size differs between CPUs: 4.00 ns on CPU 3 (3 processes) to 7.00 ns on CPU 2 (3 processes), 6 CPUs in all");
    t.cpus_differ = NAN;
    t.difference_ns = -5;
    t.low_ns = -6;
    t.high_ns = -4;
    t.difference_cycles = -15;
    t.low_cycles = -16;
    t.high_cycles = -14;
    t.core_hz_low = 2.6e9;
    t.core_hz_high = 3.4e9;
    put(&t, text, sizeof text);
    assert_string_equal(text, "the core ran at 2.60 GHz to 3.40 GHz; in its cycles the size is known better: 15 (14–16) cycles");
    t.core_hz_high = 2.61e9; /* it hardly moved */
    put(&t, text, sizeof text);
    assert_string_equal(text, "");
    t.core_hz_high = 3.4e9;
    t.low_cycles = -19; /* no better */
    put(&t, text, sizeof text);
    assert_string_equal(text, "");
    record_finish(&r);
}

/* ---- over sessions ---- */

static void states_of_cpus_and_blind_sessions_are_said_over_sessions(void **state)
{
    (void)state;
    char text[1000];
    struct record r;
    begin(&r, "pairs");
    struct leak_target t = add(&r, "memcmp", VERDICT_LEAK);
    t.sessions = 12;
    t.size_sd_ns = 4;
    t.difference_ns = -26;
    t.sessions_cpus_differ = 2;
    t.places_low_ns = -50.2;
    t.places_high_ns = -24.6;
    t.sessions_blind = 1;
    struct buf b = buf_over(text, sizeof text);
    leak_evidence(&r, &t, &b);
    if (!strstr(text, "; CPUs differed in 2 of 12 sessions (a CPU in a session: 24.6 ns to 50.2 ns); 1 session found neither a "
                      "difference nor the injected delay"))
        fail_msg("%s", text);
    record_finish(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cpus_and_frequencies_are_named_where_they_explain),
        cmocka_unit_test(states_of_cpus_and_blind_sessions_are_said_over_sessions),
        cmocka_unit_test(each_verdict_has_its_sentence),
        cmocka_unit_test(an_open_interval_is_said_in_words),
        cmocka_unit_test(processes_that_count_together_are_groups),
        cmocka_unit_test(a_session_that_ended_with_dudects_answer_says_what_settles_the_size),
        cmocka_unit_test(growth_says_where_its_tolerance_comes_from),
        cmocka_unit_test(a_bit_of_which_nothing_is_settled_is_named_without_its_value),
        cmocka_unit_test(what_is_infinite_is_never_shown_as_a_number),
        cmocka_unit_test(a_bound_on_throughput_says_so),
        cmocka_unit_test(a_narrow_screen_keeps_verdict_and_bound),
        cmocka_unit_test(each_kind_of_question_has_its_words),
        cmocka_unit_test(the_live_line_has_calls_evidence_and_size),
        cmocka_unit_test(nothing_is_called_constant_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
