/* SPDX-License-Identifier: MIT
 *
 * What disturbed the runs is told with its cause and remedy, and only where it matters.
 */
#include "accounted_record.h"
#include "check.h"
#include "rng.h"
#include "rng_normal.h"
#include "tabled_record.h"
#include <stdio.h>
#include <tare/stats.h>

enum { N = 40 };

static struct record checked(int n_commands, int rounds, const struct accounted_run *runs, const struct check_facts *facts,
                             const char *users)
{
    struct record r;
    accounted_record(&r, n_commands, rounds, runs);
    if (users) {
        assert_int_equal(facts_add_text(&r, &r.after, "cpu_users", users), TARE_OK);
        assert_int_equal(facts_add_number(&r, &r.after, "cpu_users_seconds", 4), TARE_OK);
    }
    facts_add_number(&r, &r.before, "cpus_allowed", 2);
    facts_add_number(&r, &r.machine, "cpus_online", 2);
    struct look look = tabled_look(rounds, 0.05);
    tabled_analyse(&r, &look);
    assert_int_equal(check_record(&r, facts, NULL), TARE_OK);
    return r;
}

static const struct finding *find(const struct record *r, const char *id)
{
    for (int i = 0; i < r->n_findings; i++)
        if (!strcmp(r->findings[i].id, id))
            return &r->findings[i];
    return NULL;
}

static const struct finding *found(const struct record *r, const char *id)
{
    const struct finding *f = find(r, id);
    for (int i = 0; !f && i < r->n_findings; i++)
        print_error("found %s: %s\n", r->findings[i].id, r->findings[i].text);
    if (!f)
        fail_msg("no finding %s", id);
    return f;
}

static const struct finding *heaviest(const struct record *r)
{
    const struct finding *best = NULL;
    for (int i = 0; i < r->n_findings; i++)
        if (!best || r->findings[i].weight > best->weight)
            best = &r->findings[i];
    return best;
}

static const struct check_facts adaptive = {.adaptive = true}, pinned = {.pinned = true}, none = {0};

static void a_first_run_that_waited_for_a_cpu_is_no_cold_start(void **state)
{
    (void)state;
    struct accounted_run runs[N];
    accounted_fill(runs, N, 20e6);
    runs[0] = accounted_preempted(runs[0], 60e6);
    struct record r = checked(1, N, runs, &adaptive, NULL);
    assert_null(find(&r, "first_run"));
    record_finish(&r);
    runs[0].wall += 40e6; /* besides */
    r = checked(1, N, runs, &adaptive, NULL);
    found(&r, "first_run");
    record_finish(&r);
}

/* All wait a little, 5 enough to be flagged. */
static void what_flagged_runs_waited_is_not_what_all_did(void **state)
{
    (void)state;
    struct accounted_run runs[N];
    accounted_fill(runs, N, 20e6);
    for (int i = 0; i < N; i++) {
        const uint32_t quiet = runs[i].flags;
        runs[i] = accounted_preempted(runs[i], i % 8 ? 1.5e5 : 2e6);
        runs[i].flags = i % 8 ? quiet : runs[i].flags;
    }
    struct record r = checked(1, N, runs, &adaptive, NULL);
    assert_string_equal(found(&r, "preempted")->text, "5 of 40 runs waited 10.0 ms for a CPU (1.2 % of the time)");
    record_finish(&r);
}

static void a_spinner_is_named_and_outweighs_what_it_causes(void **state)
{
    (void)state;
    struct accounted_run runs[N];
    accounted_fill(runs, N, 20e6);
    for (int i = 12; i < 24; i++)
        runs[i] = accounted_preempted(runs[i], 15e6 + 1e6 * (i % 5));
    struct record r = checked(1, N, runs, &adaptive, "yes (pid 12) 3.20 s");
    const struct finding *f = found(&r, "preempted");
    assert_ptr_equal(heaviest(&r), f);
    assert_string_equal(f->text, "12 of 40 runs waited 205 ms for a CPU (20 % of the time)");
    assert_string_equal(f->advice, "end yes, or use --pin");
    assert_string_equal(f->detail, "This explains 100 % of the variance. tare system show says how to keep a CPU idle. "
                                   "Other processes meanwhile: yes (pid 12) 3.20 s. --on-dirty=rerun repeats such rounds.");
    found(&r, "unstable");
    record_finish(&r);
    struct record p = checked(1, N, runs, &pinned, NULL);
    assert_string_equal(found(&p, "preempted")->advice, "end other programs, or --pin another CPU");
    record_finish(&p);
    struct record i = checked(1, N, runs, &adaptive, "init (pid 1) 3.20 s"); /* which ends with the system */
    assert_string_equal(found(&i, "preempted")->advice, "end other programs, or use --pin");
    record_finish(&i);
}

static void where_all_cpus_are_busy_another_one_is_no_remedy(void **state)
{
    (void)state;
    struct accounted_run runs[N];
    accounted_fill(runs, N, 20e6);
    for (int i = 0; i < N; i++)
        runs[i] = accounted_preempted(runs[i], 15e6 + 1e6 * (i % 5));
    struct record r = checked(1, N, runs, &adaptive, NULL);
    assert_string_equal(found(&r, "preempted")->advice, "end other programs, or compare CPU time: --metric cpu");
    r.rule.metric = "cpu";
    r.n_findings = 0;
    assert_int_equal(check_record(&r, &adaptive, NULL), TARE_OK);
    assert_string_equal(found(&r, "preempted")->advice, "end other programs, or measure when the CPUs are idle");
    record_finish(&r);
    for (int i = 0; i < N; i += 2)
        runs[i] = accounted_preempted(runs[i], 30e6);
    r = checked(1, N, runs, &adaptive, NULL);
    assert_string_equal(found(&r, "unstable")->advice, "measure when the CPUs are idle, or read the median");
    record_finish(&r);
}

static void where_others_use_all_cpus_another_one_is_no_remedy(void **state)
{
    (void)state;
    struct accounted_run runs[N];
    accounted_fill(runs, N, 20e6);
    for (int i = 12; i < 24; i++) /* 20 % of the time */
        runs[i] = accounted_preempted(runs[i], 15e6 + 1e6 * (i % 5));
    struct record r = checked(1, N, runs, &adaptive, "yes (pid 12) 3.20 s");
    assert_int_equal(facts_add_number(&r, &r.after, "cpu_watch_seconds", 2.5), TARE_OK); /* 1.6 of 2 CPUs */
    r.n_findings = 0;
    assert_int_equal(check_record(&r, &adaptive, NULL), TARE_OK);
    assert_string_equal(found(&r, "preempted")->advice, "end yes, or compare CPU time: --metric cpu");
    assert_string_equal(found(&r, "unstable")->advice, "measure when the CPUs are idle, or read the median");
    for (int i = 0; i < r.machine.n; i++) /* of 64 most are idle, whichever two are ours */
        if (!strcmp(r.machine.items[i].key, "cpus_online"))
            r.machine.items[i].number = 64;
    r.n_findings = 0;
    assert_int_equal(check_record(&r, &adaptive, NULL), TARE_OK);
    assert_non_null(strstr(found(&r, "preempted")->advice, "--pin"));
    record_finish(&r);
}

static void little_is_not_told(void **state)
{
    (void)state;
    struct accounted_run runs[N];
    accounted_fill(runs, N, 20e6);
    runs[3].flags |= ROW_PREEMPTED | ROW_STOLEN | ROW_THROTTLED; /* of which nothing came */
    struct record r = checked(1, N, runs, &none, NULL);
    assert_null(find(&r, "preempted"));
    assert_null(find(&r, "stolen"));
    assert_null(find(&r, "throttled"));
    assert_null(find(&r, "cpu_placement"));
    record_finish(&r);
}

static void each_outlier_is_told_with_its_cause(void **state)
{
    (void)state;
    struct accounted_run runs[N];
    accounted_fill(runs, N, 20e6);
    runs[5] = accounted_preempted(runs[5], 9e6);
    runs[9] = accounted_preempted(runs[9], 9e6);
    runs[9].flags |= ROW_MIGRATED;
    runs[20].wall *= 1.5;
    runs[20].flags |= ROW_UNEXPLAINED;
    struct record r = checked(1, N, runs, &none, NULL);
    assert_non_null(strstr(found(&r, "outliers")->text, "3 of 40 runs are"));
    assert_non_null(strstr(found(&r, "outliers")->detail, "Causes: 2 preempted, 1 migrated, 1 unknown; some have several."));
    record_finish(&r);
}

static void other_causes_have_findings_of_their_own(void **state)
{
    (void)state;
    struct accounted_run runs[N];
    accounted_fill(runs, N, 20e6);
    for (int i = 0; i < N; i += 4) {
        runs[i].steal = 2e6;
        runs[i + 1].throttled = 8e6;
        runs[i].flags |= ROW_STOLEN;
        runs[i + 1].flags |= ROW_THROTTLED;
        runs[i].wall += 2e6;
        runs[i + 1].wall += 8e6;
        runs[i + 2].flags |= ROW_MIGRATED;
        runs[i + 2].wall *= 1.6;
    }
    for (int i = 0; i < N; i++)
        runs[i].throttled = runs[i].throttled > 0 ? runs[i].throttled : 0;
    runs[7].flags |= ROW_CLOCK;
    runs[11].flags |= ROW_PAUSED;
    struct record r = checked(1, N, runs, &none, NULL);
    assert_non_null(strstr(found(&r, "stolen")->text, "a hypervisor, interrupts or firmware took 20.0 ms from 10 of 40 runs"));
    assert_non_null(strstr(found(&r, "throttled")->text, "a CPU quota stopped 10 of 40 runs for 80.0 ms"));
    assert_string_equal(found(&r, "migrated")->text, "10 runs that moved to another CPU took 46 % longer");
    assert_string_equal(found(&r, "clock")->text, "clocks disagreed or ran backwards in 1 of 40 runs");
    assert_string_equal(found(&r, "paused")->text, "a signal paused 1 of 40 runs, which the time includes");
    assert_string_equal(found(&r, "paused")->advice, "measure again"); /* the number of rounds was given */
    record_finish(&r);
    r = checked(1, N, runs, &adaptive, NULL);
    assert_string_equal(found(&r, "paused")->advice, "measure again, or use --on-dirty=rerun");
    record_finish(&r);
}

/* Blocked runs say nothing of stolen time; of the few others it may be just those that lost much. */
static void what_few_runs_tell_is_no_share_of_the_time(void **state)
{
    (void)state;
    struct accounted_run runs[N];
    accounted_fill(runs, N, 20e6);
    for (int i = 0; i < N; i++) {
        const bool tells = i % 8 == 0;
        runs[i].steal = tells ? 16e6 : NAN;
        runs[i].wall += tells ? 16e6 : 0;
        runs[i].flags |= tells ? ROW_STOLEN : 0;
    }
    struct record r = checked(1, N, runs, &none, NULL);
    assert_string_equal(found(&r, "stolen")->text, "a hypervisor, interrupts or firmware took 80.0 ms from 5 of 5 observed runs");
    assert_null(record_estimate(&r, 0, "wall", "stolen_time_share"));
    record_finish(&r);
}

/* Whoever is killed within a round leaves a run more of some commands; what it lost is known. */
static void a_run_of_an_unfinished_round_is_not_one_that_was_not_observed(void **state)
{
    (void)state;
    struct accounted_run runs[2 * N];
    accounted_fill(runs, 2 * N, 20e6);
    for (int i = 0; i < 2 * N; i += 2)
        runs[i] = accounted_preempted(runs[i], 20e6);
    struct record r;
    accounted_record(&r, 2, N, runs);
    r.series[1].main.n--;
    struct look look = tabled_look(N - 1, 0.05);
    tabled_analyse(&r, &look);
    assert_int_equal(check_record(&r, &none, NULL), TARE_OK);
    assert_non_null(strstr(found(&r, "preempted")->text, " of 39 runs waited "));
    record_finish(&r);
}

/* --aa: beside "where it matters most" there is a share of the time, so that no other copy may have a larger one. */
static void of_copies_the_one_that_waited_the_largest_share_is_named(void **state)
{
    (void)state;
    struct accounted_run runs[2 * N];
    accounted_fill(runs, 2 * N, 20e6);
    for (int i = 0; i < N; i++)
        runs[i] = accounted_preempted(runs[i], 20e6);
    runs[N] = accounted_preempted(runs[N], 400e6);
    struct record r;
    accounted_record(&r, 2, N, runs);
    struct look look = tabled_look(N, 0.05);
    tabled_analyse(&r, &look);
    r.rule.against_itself = 1;
    assert_int_equal(check_record(&r, &none, NULL), TARE_OK);
    const char *text = found(&r, "preempted")->text;
    if (!strstr(text, "40 of 40 runs waited ") ||
        !strstr(text, "(50 % of the time) (of #1, where it matters most; in 2 of 2 copies)"))
        fail_msg("%s", text);
    record_finish(&r);
}

static void what_takes_many_times_as_long_has_no_percentage(void **state)
{
    (void)state;
    struct accounted_run runs[N];
    accounted_fill(runs, N, 20e6);
    for (int i = 0; i < N; i += 4) {
        runs[i].flags |= ROW_MIGRATED;
        runs[i].wall *= 12;
    }
    struct record r = checked(1, N, runs, &none, NULL);
    assert_string_equal(found(&r, "migrated")->text, "10 runs that moved to another CPU took 12 times as long");
    record_finish(&r);
}

/* A kernel may keep interrupts out of CPU times; where no hypervisor is seen it must not be blamed for them. */
static void time_taken_where_no_hypervisor_is_seen_is_put_down_to_interrupts(void **state)
{
    (void)state;
    static const char *const words[] = {"not seen", "yes"};
    for (int i = 0; i < 2; i++) {
        struct accounted_run runs[N];
        accounted_fill(runs, N, 20e6);
        for (int k = 0; k < N; k += 4) {
            runs[k].steal = 2e6;
            runs[k].wall += 2e6;
            runs[k].flags |= ROW_STOLEN;
        }
        struct record r = checked(1, N, runs, &none, NULL);
        assert_int_equal(facts_add_text(&r, &r.machine, "virtual_machine", words[i]), TARE_OK);
        int before = r.n_findings;
        assert_int_equal(check_record(&r, &none, NULL), TARE_OK);
        const struct finding *f = NULL;
        for (int k = before; k < r.n_findings; k++)
            f = strcmp(r.findings[k].id, "stolen") ? f : &r.findings[k];
        assert_non_null(f);
        if (!strstr(f->text, i ? "the hypervisor took" : "interrupts or firmware took"))
            fail_msg("%s: %s", words[i], f->text);
        record_finish(&r);
    }
}

static void the_frequency_is_told_where_the_time_follows_it(void **state)
{
    (void)state;
    for (int bound = 0; bound < 2; bound++) {
        struct accounted_run runs[N];
        accounted_fill(runs, N, 20e6);
        for (int i = 0; i < N; i++) {
            runs[i].core_hz = 2e9 * (1 + 0.01 * (i * 7 % 11));
            if (bound)
                runs[i].cpu *= 2e9 / runs[i].core_hz;
        }
        struct record r = checked(1, N, runs, &none, NULL);
        assert_true(!find(&r, "frequency") == !bound);
        if (bound)
            assert_non_null(strstr(found(&r, "frequency")->detail, "The exponent is −"));
        record_finish(&r);
    }
}

static void threads_on_one_cpu_and_beyond_all_are_told(void **state)
{
    (void)state;
    struct accounted_run runs[N];
    accounted_fill(runs, N, 20e6);
    for (int i = 0; i < N; i++)
        runs[i].delay = runs[i].steal = NAN;
    struct record r = checked(1, N, runs, &pinned, NULL);
    found(&r, "threads_pinned");
    record_finish(&r);
    for (int i = 0; i < N; i++)
        runs[i].cpu = 1.95 * runs[i].wall;
    r = checked(1, N, runs, &none, NULL);
    assert_string_equal(found(&r, "threads")->text, "it used 1.9 of 2 CPUs");
    record_finish(&r);
}

/* Several processes: the system says of none of the runs how long they waited. */
static void where_waiting_is_not_visible_that_is_told_if_it_may_matter(void **state)
{
    (void)state;
    struct accounted_run runs[N];
    accounted_fill(runs, N, 66e6);
    for (int i = 0; i < N; i++) {
        runs[i].cpu = 30.8e6;
        runs[i].delay = runs[i].steal = NAN;
    }
    struct record r = checked(1, N, runs, &none, "noise 90 %");
    const struct finding *f = found(&r, "waiting_unseen");
    assert_string_equal(f->text, "30.8 ms of CPU time in 66.0 ms: the rest may be waiting for a CPU");
    assert_int_equal(f->severity, SEVERITY_NOTE);
    assert_non_null(strstr(f->detail, "concerns 40 of 40 runs. Other processes meanwhile: noise 90 %."));
    assert_string_equal(f->advice, "compare CPU time: --metric cpu");
    r.n_findings = 0;
    r.subjects[0].shell = true; /* which is there because the command needs one, or as it was asked for: -N is no advice */
    assert_int_equal(check_record(&r, &none, NULL), TARE_OK);
    assert_string_equal(found(&r, "waiting_unseen")->advice, "compare CPU time: --metric cpu");
    record_finish(&r);
    for (int i = 0; i < N; i++)
        runs[i].cpu = 0.97 * runs[i].wall; /* little waiting is possible at all, unless it ran side by side */
    r = checked(1, N, runs, &none, NULL);
    assert_null(find(&r, "waiting_unseen"));
    r.rule.on_dirty = DIRTY_DROP;
    assert_int_equal(check_record(&r, &none, NULL), TARE_OK);
    assert_int_equal(found(&r, "waiting_unseen")->severity, SEVERITY_WARNING);
    r.n_findings = 0;
    r.rule.metric = "cpu";
    assert_int_equal(check_record(&r, &none, NULL), TARE_OK);
    assert_null(found(&r, "waiting_unseen")->advice);
    record_finish(&r);
    for (int i = 0; i < N; i++) /* most are seen, and did not wait: the rest of their time they slept */
        runs[i].cpu = 30.8e6, runs[i].delay = i < N / 4 ? NAN : 0;
    r = checked(1, N, runs, &none, NULL);
    assert_null(find(&r, "waiting_unseen"));
    record_finish(&r);
}

/* ---- placement ---- */

/* Two commands whose pairs scatter by `shared` on one CPU and by `apart` on two; half of the pairs each. */
static struct record placed(double shared, double apart, uint64_t seed, const struct check_facts *facts)
{
    struct accounted_run runs[2 * N];
    struct rng rng = rng_seeded(seed);
    for (int i = 0; i < 2 * N; i++) {
        bool same = rng_uniform(&rng) < 0.5;
        int pair = i % N;
        if (i >= N)
            same = runs[pair].first_cpu == 0;
        double own = 10e6 * exp((same ? shared : apart) * rng_normal(&rng) / sqrt(2));
        int cpu = same ? 0 : i < N ? 1 : 2;
        runs[i] =
            (struct accounted_run){.wall = own, .cpu = own, .throttled = NAN, .first_cpu = cpu, .last_cpu = cpu, .core_hz = NAN};
    }
    return checked(2, N, runs, facts, NULL);
}

static void pairs_on_different_cpus_that_scatter_more_are_told(void **state)
{
    (void)state;
    struct record r = placed(0.01, 0.04, 3, &none);
    const struct finding *f = found(&r, "cpu_placement");
    assert_string_equal(f->advice, "use --same-cpu");
    record_finish(&r);
    r = placed(0.01, 0.04, 3, &pinned);
    assert_null(find(&r, "cpu_placement"));
    record_finish(&r);
}

/* Its level is 1 %: counted against the exact binomial limit of 1 in 1000. */
static void equal_scatter_is_rarely_taken_for_placement(void **state)
{
    (void)state;
    enum { SESSIONS = 400 };
    int told = 0, most = 0;
    for (int i = 0; i < SESSIONS; i++) {
        struct record r = placed(0.02, 0.02, (uint64_t)i + 1, &none);
        told += find(&r, "cpu_placement") != NULL;
        record_finish(&r);
    }
    while (1 - tare_binomial_cdf(most, SESSIONS, 0.01) > 0.001)
        most++;
    printf("  told in %d of %d sessions, at most %d\n", told, SESSIONS, most);
    assert_in_range(told, 0, most);
}

/* ---- layout ---- */

static void two_builds_of_one_program_are_told(void **state)
{
    (void)state;
    static const struct {
        const char *path, *hash, *other_path, *other_hash;
        bool told;
    } cases[] = {{"/old/sort", "1", "/new/sort", "2", true},
                 {"/old/sort", NULL, "/new/sort", NULL, true},
                 {"/old/sort", "1", "/new/sort", "1", false},
                 {"/bin/sort", "1", "/bin/sort", "1", false},
                 {"/bin/sort", "1", "/bin/tsort", "2", false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct accounted_run runs[2 * N];
        struct record r;
        accounted_fill(runs, 2 * N, 10e6);
        accounted_record(&r, 2, N, runs);
        facts_add_text(&r, &r.build, "program_1_path", cases[i].path);
        facts_add_text(&r, &r.build, "program_2_path", cases[i].other_path);
        if (cases[i].hash) {
            facts_add_text(&r, &r.build, "program_1_fnv1a64", cases[i].hash);
            facts_add_text(&r, &r.build, "program_2_fnv1a64", cases[i].other_hash);
        }
        struct look look = tabled_look(N, 0.05);
        tabled_analyse(&r, &look);
        assert_int_equal(check_record(&r, &none, NULL), TARE_OK);
        if (!find(&r, "layout") != !cases[i].told)
            fail_msg("%s and %s: told is %d", cases[i].path, cases[i].other_path, !cases[i].told);
        record_finish(&r);
    }
}

/* ---- the table and the page ---- */

static void every_finding_of_the_table_is_documented(void **state)
{
    (void)state;
    static char page[1 << 16];
    FILE *f = fopen(TESTS_DIR "/../../docs/findings.md", "rb");
    assert_non_null(f);
    page[fread(page, 1, sizeof page - 1, f)] = 0;
    fclose(f);
    for (int i = 0; check_ids(i); i++)
        for (const char *at = check_ids(i); *at; at += strcspn(at, " "), at += strspn(at, " ")) {
            char quoted[64];
            snprintf(quoted, sizeof quoted, "`%.*s`", (int)strcspn(at, " "), at);
            if (!strstr(page, quoted))
                fail_msg("docs/findings.md does not name %s", quoted);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_first_run_that_waited_for_a_cpu_is_no_cold_start),
        cmocka_unit_test(what_flagged_runs_waited_is_not_what_all_did),
        cmocka_unit_test(a_spinner_is_named_and_outweighs_what_it_causes),
        cmocka_unit_test(where_all_cpus_are_busy_another_one_is_no_remedy),
        cmocka_unit_test(where_others_use_all_cpus_another_one_is_no_remedy),
        cmocka_unit_test(little_is_not_told),
        cmocka_unit_test(each_outlier_is_told_with_its_cause),
        cmocka_unit_test(other_causes_have_findings_of_their_own),
        cmocka_unit_test(what_few_runs_tell_is_no_share_of_the_time),
        cmocka_unit_test(a_run_of_an_unfinished_round_is_not_one_that_was_not_observed),
        cmocka_unit_test(of_copies_the_one_that_waited_the_largest_share_is_named),
        cmocka_unit_test(what_takes_many_times_as_long_has_no_percentage),
        cmocka_unit_test(time_taken_where_no_hypervisor_is_seen_is_put_down_to_interrupts),
        cmocka_unit_test(the_frequency_is_told_where_the_time_follows_it),
        cmocka_unit_test(where_waiting_is_not_visible_that_is_told_if_it_may_matter),
        cmocka_unit_test(threads_on_one_cpu_and_beyond_all_are_told),
        cmocka_unit_test(pairs_on_different_cpus_that_scatter_more_are_told),
        cmocka_unit_test(equal_scatter_is_rarely_taken_for_placement),
        cmocka_unit_test(two_builds_of_one_program_are_told),
        cmocka_unit_test(every_finding_of_the_table_is_documented),
    };
    return cmocka_run_group_tests_name("causes", tests, NULL, NULL);
}
