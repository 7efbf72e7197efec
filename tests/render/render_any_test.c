/* SPDX-License-Identifier: MIT
 *
 * What holds for every record: random ones, with odd texts, unbounded numbers and gaps, as a damaged or foreign file may
 * bring them. Texts are never trusted, colour never carries meaning, lines keep to the terminal. */
#include "quote.h"
#include "random_record.h"
#include "render.h"
#include "rng.h"
#include "rng_normal.h"
#include "sample_record.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { RECORDS = 1000 };

/* ---- records whose results concern metrics that exist ---- */

static double odd_number(struct rng *g)
{
    static const double odd[] = {0, 1, -1, NAN, INFINITY, -INFINITY, 1e-300, 1e300, -1e300, 5, 12.3e6, 3.2e9, 1e-9};
    uint64_t i = rng_below(g, 2 * sizeof odd / sizeof *odd);
    return i < sizeof odd / sizeof *odd ? odd[i] : rng_normal(g) * 1e6;
}

static const char *odd_text(struct rng *g)
{
    static const char *const texts[] = {NULL,           "",           "plain words", "\033[31mred\033[0m",
                                        "\xff\xfe\x80", "日本\u202e", "a\nb\tc",     "100 % sure"};
    return texts[rng_below(g, sizeof texts / sizeof *texts)];
}

static void add_estimates(struct record *r, struct rng *g)
{
    static const char *const metrics[] = {"wall", "cpu", "user", "sys", "rss", "minflt", "perf:cycles"};
    static const char *const statistics[] = {"median", "mean", "min", "max", "stddev", "p10", "p90"};
    for (int i = 0; i < 200; i++) {
        struct estimate e = {.subject = (int)rng_below(g, (uint64_t)r->n_subjects), .metric = metrics[rng_below(g, 7)]};
        e.statistic = statistics[rng_below(g, 7)];
        e.method = odd_text(g);
        e.reason = odd_text(g);
        e.point = odd_number(g), e.low = odd_number(g), e.high = odd_number(g);
        e.confidence = rng_below(g, 3) ? 0.95 : 0;
        e.n = (int)rng_below(g, 100);
        e.n_effective = odd_number(g);
        record_add_estimate(r, &e);
    }
}

static void add_comparisons(struct record *r, struct rng *g)
{
    for (int i = 0; i < r->n_subjects; i++) {
        struct comparison c = {.reference = (int)rng_below(g, (uint64_t)r->n_subjects), .subject = i, .metric = r->rule.metric};
        c.kind = (enum metric_kind)rng_below(g, 3);
        c.shift = odd_number(g), c.low = odd_number(g), c.high = odd_number(g);
        c.mean_ratio = odd_number(g), c.mean_low = odd_number(g), c.mean_high = odd_number(g);
        c.confidence = 0.95, c.margin = odd_number(g);
        c.look = (int)rng_below(g, 12), c.looks_planned = (int)rng_below(g, 12);
        c.verdict = (enum verdict)rng_below(g, VERDICT_NOT_COMPARABLE + 1);
        c.better = i, c.beyond_margin = rng_below(g, 2), c.sign_proven = rng_below(g, 2);
        c.rounds = (int)rng_below(g, 100), c.rounds_needed = odd_number(g), c.seconds = odd_number(g);
        c.slot_effect = odd_number(g), c.slot_p = odd_number(g);
        c.reason = odd_text(g);
        record_add_comparison(r, &c);
    }
}

static void any_record(struct record *r, uint64_t seed)
{
    struct rng g = rng_seeded(seed ^ 0x5eed);
    random_record(r, seed);
    for (int i = 0; metric_builtin(i); i++)
        record_add_metric(r, metric_builtin(i));
    const struct metric odd = {"perf:cycles", "cy\033[1mcles", "\007", METRIC_COUNT, METRIC_HIGHER, NULL};
    record_add_metric(r, &odd);
    r->rule.metric = rng_below(&g, 3) ? "wall" : "perf:cycles";
    r->rule.reference = 0;
    if (r->n_subjects) {
        add_estimates(r, &g);
        add_comparisons(r, &g);
    }
    for (int i = 0; i < 3; i++) {
        const char *text = odd_text(&g), *advice = odd_text(&g), *detail = odd_text(&g);
        const struct finding f = {
            text ? text : "", (enum severity)rng_below(&g, 3), -1, text ? text : "", advice, odd_number(&g), detail, NAN};
        record_add_finding(r, &f);
    }
}

/* ---- what every text must fulfil ---- */

static void show_all(const struct record *r, const struct render_options *o, struct buf *b)
{
    const struct render_progress progress = {.rounds = 3, .groups = 2, .elapsed_s = 1, .left_s = 1e300};
    const struct render_plan plan = {.warmup = 1, .first_look = 10, .max_time_s = 5, .why_blocks = "\033["};
    render_result(r, o, b);
    buf_char(b, '\n');
    render_dry_run(r, &plan, o, b);
    render_live(r, &progress, o, b);
    assert_int_equal(b->status, TARE_OK);
}

static void check_printable(const struct buf *b, bool unicode, uint64_t seed)
{
    for (size_t i = 0; i < b->len; i++) {
        unsigned char c = (unsigned char)b->data[i];
        if ((c < 0x20 && c != '\n') || c == 0x7f || (!unicode && c > 0x7f))
            fail_msg("record %llu: byte 0x%02x at %zu after [%.*s]", (unsigned long long)seed, c, i, 40,
                     b->data + (i > 40 ? i - 40 : 0));
    }
    struct buf masked = BUF_INIT(1 << 24);
    for (const char *line = b->data; line < b->data + b->len;) {
        size_t n = strcspn(line, "\n");
        char *copy = malloc(n + 1);
        assert_non_null(copy);
        memcpy(copy, line, n);
        copy[n] = 0;
        quote_mask(&masked, copy, unicode);
        if (masked.len != n)
            fail_msg("record %llu: not printable as it stands [%s]", (unsigned long long)seed, copy);
        buf_clear(&masked);
        free(copy);
        line += n + 1;
    }
    buf_finish(&masked);
}

static void foreign_text_never_reaches_the_terminal_unmasked(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < RECORDS; seed++) {
        struct record r = {0};
        any_record(&r, seed);
        struct render_options o = {.unicode = seed % 2, .width = (int)(seed % 7) * 20, .verbosity = (int)(seed % 4) - 1};
        struct buf b = BUF_INIT(1 << 24);
        show_all(&r, &o, &b);
        check_printable(&b, o.unicode, seed);
        buf_finish(&b);
        record_finish(&r);
    }
}

static void strip_colours(struct buf *b)
{
    size_t kept = 0;
    for (size_t i = 0; i < b->len; i++) {
        if (b->data[i] == '\033' && b->data[i + 1] == '[')
            while (b->data[i] != 'm')
                i++;
        else
            b->data[kept++] = b->data[i];
    }
    b->len = kept;
    b->data[kept] = 0;
}

static void check_equal(const struct buf *a, const struct buf *b, uint64_t seed)
{
    size_t i = 0;
    while (i < a->len && a->data[i] == b->data[i])
        i++;
    size_t from = i > 40 ? i - 40 : 0;
    if (i < a->len || i < b->len)
        fail_msg("record %llu, byte %zu: plain [%.80s], coloured [%.80s]", (unsigned long long)seed, i, a->data + from,
                 b->data + from);
}

static void colour_adds_nothing_but_colour(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < RECORDS; seed++) {
        struct record r = {0};
        any_record(&r, seed);
        struct render_options plain = {.unicode = true, .width = (int)(seed % 7) * 20, .verbosity = (int)(seed % 4) - 1};
        struct render_options coloured = plain;
        coloured.colour = true;
        struct buf a = BUF_INIT(1 << 24), b = BUF_INIT(1 << 24);
        show_all(&r, &plain, &a);
        show_all(&r, &coloured, &b);
        strip_colours(&b);
        check_equal(&a, &b, seed);
        buf_finish(&a);
        buf_finish(&b);
        record_finish(&r);
    }
}

static void check_widths(const struct buf *b, int width)
{
    for (const char *line = b->data; *line;) {
        size_t n = strcspn(line, "\n");
        if (text_columns(line, n) > width)
            fail_msg("%d columns on a terminal of %d: [%.*s]", text_columns(line, n), width, (int)n, line);
        if (n && line[n - 1] == ' ')
            fail_msg("a line ends in a blank: [%.*s]", (int)n, line);
        line += n + (line[n] == '\n');
    }
}

static void lines_keep_to_the_terminal(void **state)
{
    (void)state;
    for (int commands = 1; commands <= 7; commands += 3) {
        struct record r = {0};
        sample_begin(&r, 50, 9);
        for (int i = 0; i < commands; i++) {
            char name[64];
            snprintf(name, sizeof name, "sort --parallel=%d --buffer-size 16M big.txt", i);
            sample_command(&r, name, 12.3e6 * (1 + i), 0.085e6);
            struct comparison c =
                sample_comparison(&r, i, (enum verdict)(VERDICT_FASTER + i), 0.01 * i, 0.01 * i - 0.02, 0.01 * i + 0.02);
            if (i)
                record_add_comparison(&r, &c);
        }
        for (int width = 44; width <= 160; width++) {
            struct buf b = BUF_INIT(1 << 20);
            struct render_options o = {.width = width, .unicode = width % 2, .verbosity = width % 3 - 1};
            render_result(&r, &o, &b);
            check_widths(&b, width);
            buf_finish(&b);
        }
        record_finish(&r);
    }
}

static void a_full_buffer_is_a_status_and_not_a_crash(void **state)
{
    (void)state;
    struct record r = {0};
    sample_begin(&r, 50, 9);
    sample_command(&r, "old", 12.30e6, 0.085e6);
    for (size_t size = 1; size < 3000; size += 37) {
        struct buf b = BUF_INIT(size);
        const struct render_options o = {.width = 80, .unicode = true, .verbosity = 2};
        render_result(&r, &o, &b);
        assert_int_equal(b.status, TARE_TOO_LARGE);
        buf_finish(&b);
    }
    record_finish(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(foreign_text_never_reaches_the_terminal_unmasked),
        cmocka_unit_test(colour_adds_nothing_but_colour),
        cmocka_unit_test(lines_keep_to_the_terminal),
        cmocka_unit_test(a_full_buffer_is_a_status_and_not_a_crash),
    };
    return cmocka_run_group_tests_name("render_any", tests, NULL, NULL);
}
