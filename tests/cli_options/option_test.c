/* SPDX-License-Identifier: MIT
 *
 * The parser, on a table of its own that has each type once. */
#include "buf.h"
#include "nearest.h"
#include "option_check.h"
#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

struct sample {
    struct option_base base;
    bool flag;
    int count, number, choice;
    uint64_t big;
    double share;
    int64_t time, size;
    struct option_margin margin;
    const char *text, *once, *word, *secret, *maybe;
    struct option_codes codes;
    struct option_list list, pairs;
};

#define AT(f) .group = "All", .help = "Help.", .offset = offsetof(struct sample, f)

static const struct option items[] = {
    {AT(flag), .name = "flag", .letter = 'f', .type = OPTION_FLAG},
    {AT(count), .letter = 'v', .type = OPTION_COUNT},
    {AT(number), .name = "number", .letter = 'n', .type = OPTION_INT, .arg = "N", .unit = "run", .preset = "10", .min = -5,
     .max = 100},
    {AT(big), .name = "big", .type = OPTION_UINT64, .arg = "N"},
    {AT(share), .name = "share", .letter = 's', .type = OPTION_PERCENT, .arg = "P", .absent = NAN, .min = 0.5, .max = 50},
    {AT(time), .name = "time", .letter = 't', .type = OPTION_DURATION, .arg = "T", .absent = -1, .min = 1e-9, .max = 1e6},
    {AT(margin), .name = "margin", .type = OPTION_MARGIN, .arg = "SIZE", .preset = "1%"},
    {AT(text), .name = "text", .letter = 'x', .type = OPTION_TEXT, .arg = "TEXT"},
    {AT(once), .name = "once", .type = OPTION_FILE, .once = true, .arg = "FILE"},
    {AT(word), .name = "word", .type = OPTION_WORD, .arg = "WORD", .choices = "left right"},
    {AT(choice), .name = "choice", .type = OPTION_CHOICE, .arg = "WORD", .preset = "two", .choices = "one two three"},
    {AT(codes), .name = "ignore", .letter = 'i', .type = OPTION_CODES, .arg = "CODES"},
    {AT(list), .name = "list", .letter = 'l', .type = OPTION_LIST, .arg = "ITEM"},
    {AT(pairs), .name = "pairs", .letter = 'P', .type = OPTION_LIST, .words = 2, .arg = "NAME VALUE"},
    {AT(size), .name = "size", .type = OPTION_SIZE, .arg = "SIZE", .absent = 0, .min = 1000, .max = 1e15},
    {AT(maybe), .name = "maybe", .letter = 'm', .type = OPTION_TEXT, .bare = "all", .arg = "WORD"},
    {AT(secret), .name = "flagrant", .type = OPTION_TEXT, .hidden = true, .arg = "TEXT"},
    {.group = "Help", .help = "Help.", .name = "help", .letter = 'h', .type = OPTION_HELP},
    {.group = "Help", .help = "Help.", .name = "help-all", .type = OPTION_HELP_ALL},
    {.group = "Help", .help = "Help.", .name = "version", .letter = 'V', .type = OPTION_VERSION},
};
static const struct option_set set = {items, sizeof items / sizeof *items, sizeof(struct sample)};

static struct arena arena;
static struct sample sample;
static struct option_operands operands;
static struct tare_err err;

static int forget(void **state)
{
    (void)state;
    arena_finish(&arena);
    return 0;
}

enum { WORDS_MAX = 20 };

/* Parses the words up to NULL; "" when it went well, else the message. */
static const char *parse(const char *first, ...)
{
    char *argv[WORDS_MAX];
    int argc = 0;
    va_list ap;
    va_start(ap, first);
    for (const char *word = first; word; word = va_arg(ap, const char *))
        argv[argc++] = arena_strdup(&arena, word);
    va_end(ap);
    option_defaults(&set, &sample);
    err = (struct tare_err){0};
    return option_parse(&set, &sample, argc, argv, &operands, &arena, &err) ? err.text : "";
}
#define PARSES(...)         assert_string_equal(parse(__VA_ARGS__, NULL), "")
#define FAILS(message, ...) assert_string_equal(parse(__VA_ARGS__, NULL), message)

/* The words of a list, joined by |. */
static const char *joined(const char *const *words, int n)
{
    struct buf b = BUF_INIT(1 << 16);
    for (int i = 0; i < n; i++)
        buf_format(&b, "%s%s", i ? "|" : "", words[i]);
    const char *text = arena_copy(&arena, buf_text(&b), b.len);
    buf_finish(&b);
    return text;
}

static const char *number(double x)
{
    static char room[40];
    struct buf b = buf_over(room, sizeof room);
    buf_format(&b, "%g", x);
    return room;
}
#define NUMBER(actual, expected) assert_string_equal(number(actual), number(expected))

static void the_sample_table_is_right(void **state)
{
    (void)state;
    enum tare_status s = option_set_check(&set, &err);
    assert_string_equal(s ? err.text : "", "");
}

static void nothing_given_leaves_the_defaults(void **state)
{
    (void)state;
    PARSES("a");
    assert_false(sample.flag);
    assert_int_equal(sample.count, 0);
    assert_int_equal(sample.number, 10);
    assert_int_equal(sample.choice, 1);
    NUMBER(sample.share, NAN);
    assert_int_equal(sample.time, -1);
    NUMBER(sample.margin.value, 0.01);
    assert_null(sample.margin.unit);
    assert_null(sample.text);
    assert_false(sample.codes.any);
    assert_int_equal(sample.list.n, 0);
    assert_false(option_given(&set, &sample, offsetof(struct sample, number)));
}

static void a_value_follows_as_a_word_or_in_the_same_one(void **state)
{
    (void)state;
    const char *lines[][3] = {{"--number", "7"}, {"--number=7"}, {"-n", "7"}, {"-n7"}, {"-n=7"}, {"--num", "7"}, {"--nu=7"}};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        PARSES(lines[i][0], lines[i][1]);
        assert_int_equal(sample.number, 7);
        assert_int_equal(operands.n, 0);
        assert_true(option_given(&set, &sample, offsetof(struct sample, number)));
    }
}

static void a_value_may_look_like_an_option(void **state)
{
    (void)state;
    PARSES("--number", "-5", "--text", "--flag", "-x", "--", "-l", "-h");
    assert_int_equal(sample.number, -5);
    assert_string_equal(sample.text, "--");
    assert_string_equal(joined(sample.list.items, sample.list.n), "-h");
    assert_false(sample.flag);
    assert_false(sample.base.help);
}

static void letters_are_joined(void **state)
{
    (void)state;
    PARSES("-vfvn5");
    assert_int_equal(sample.count, 2);
    assert_true(sample.flag);
    assert_int_equal(sample.number, 5);
    PARSES("-fvx", "words");
    assert_string_equal(sample.text, "words");
}

static void options_stand_before_and_after_operands_up_to_two_dashes(void **state)
{
    (void)state;
    PARSES("a", "-f", "-", "--number", "3", "b", "--", "-v", "--", "c");
    assert_string_equal(joined(operands.items, operands.n), "a|-|b|-v|--|c");
    assert_int_equal(operands.after, 3);
    assert_true(operands.dashes);
    assert_int_equal(sample.count, 0);
    assert_null(operands.items[operands.n]);
    PARSES("a", "b");
    assert_int_equal(operands.after, 2);
    assert_false(operands.dashes);
    PARSES("--");
    assert_int_equal(operands.n, 0);
    assert_true(operands.dashes);
}

static void a_beginning_of_a_name_is_enough_when_only_one_begins_so(void **state)
{
    (void)state;
    PARSES("--fla", "--te=x", "--wo", "left");
    assert_true(sample.flag);
    assert_string_equal(sample.word, "left");
    FAILS("--t could be any of --time, --text; write more of it", "--t", "1");
    PARSES("--flag"); /* a whole name counts, though another begins so too */
    assert_true(sample.flag);
}

static void a_hidden_option_must_be_written_out(void **state)
{
    (void)state;
    PARSES("--flagrant", "x");
    assert_string_equal(sample.secret, "x");
    FAILS("unknown option --flagr; did you mean --flag?", "--flagr", "x");
}

static void the_nearest_name_is_suggested(void **state)
{
    (void)state;
    FAILS("unknown option --numbre; did you mean --number?", "--numbre");
    FAILS("unknown option --tmie; did you mean --time?", "--tmie=3");
    FAILS("unknown option --unlike-anything; --help-all lists the options, -- ends them", "--unlike-anything");
    FAILS("unknown option -z; --help-all lists the options, -- ends them", "-z");
    FAILS("unknown option -z in '-fz'; --help-all lists the options, -- ends them", "-fz");
    FAILS("-number is read as -n with a value; long names have two dashes: --number", "-number", "3");
    FAILS("unknown option -word; long names have two dashes: --word", "-word", "left");
}

static void slips_are_counted(void **state)
{
    (void)state;
    assert_int_equal(nearest_slips("", ""), 0);
    assert_int_equal(nearest_slips("", "abc"), 3);
    assert_int_equal(nearest_slips("abc", ""), 3);
    assert_int_equal(nearest_slips("precison", "precision"), 1);
    assert_int_equal(nearest_slips("wramup", "warmup"), 1);
    assert_int_equal(nearest_slips("ca", "abc"), 3); /* optimal string alignment: swapped letters are not edited again */
    assert_int_equal(nearest_slips("kitten", "sitting"), 3);
    assert_int_equal(nearest_slips("a-word-of-more-than-forty-letters-that-nobody-means", "a"), INT_MAX);
}

static void a_missing_value_is_named(void **state)
{
    (void)state;
    FAILS("--number needs N after it", "--number");
    FAILS("--text needs TEXT after it", "-fx");
    FAILS("--pairs needs NAME VALUE after it", "-P", "a");
    FAILS("--flag takes no value; omit '=yes'", "--flag=yes");
    FAILS("--help takes no value; omit '=x'", "--help=x");
}

static void the_last_value_counts_but_nothing_is_dropped_in_silence(void **state)
{
    (void)state;
    PARSES("--number", "3", "-n4");
    assert_int_equal(sample.number, 4);
    FAILS("--once is given twice; give it once", "--once", "a", "--once", "b");
}

static void whole_numbers_are_exact_and_limited(void **state)
{
    (void)state;
    PARSES("-n", "100", "--big", "18446744073709551615");
    assert_int_equal(sample.number, 100);
    assert_true(sample.big == UINT64_MAX);
    FAILS("--number: '101' is too large; allowed: -5 to 100 runs", "-n", "101");
    FAILS("--number: '-6' is too small; allowed: -5 to 100 runs", "-n", "-6");
    FAILS("--number: '3.5' is not a whole number; allowed: -5 to 100 runs", "-n", "3.5");
    const char *wrong[] = {"", "x", "1x", " 1", "1 ", "+1", "0x10", "1e1", "nan", "inf", "--", "-"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_non_null(strstr(parse("-n", wrong[i], NULL), "' is not a whole number; allowed: "));
    FAILS("--number: '99999999999999999999' is too large; allowed: -5 to 100 runs", "-n", "99999999999999999999");
    FAILS("--big: '18446744073709551616' is too large; the largest is 18446744073709551615", "--big", "18446744073709551616");
    FAILS("--big: '-1' is not a whole number from 0 to 18446744073709551615", "--big", "-1");
}

static void shares_are_written_with_or_without_their_sign(void **state)
{
    (void)state;
    PARSES("--share", "2%");
    NUMBER(sample.share, 0.02);
    PARSES("-s2.5");
    NUMBER(sample.share, 0.025);
    PARSES("--share=.5%");
    NUMBER(sample.share, 0.005);
    FAILS("--share: '0.4%' is too small; allowed: 0.5 to 50%", "-s", "0.4%");
    FAILS("--share: '-3' is too small; allowed: 0.5 to 50%", "-s", "-3");
    const char *wrong[] = {"", "%", "nan", "-nan", "inf", "0x1p3", "2%%", "2 %", "two", "1e999", "."};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_non_null(strstr(parse("-s", wrong[i], NULL), "' is not a percentage; write it like 2%"));
}

static void durations_have_units_and_a_bare_number_is_seconds(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t ns;
    } good[] = {{"5ns", 5},
                {"20us", 20000},
                {"20µs", 20000},
                {"500ms", 500000000},
                {"2s", 2000000000},
                {"2", 2000000000},
                {"0.1", 100000000},
                {"1min", 60000000000},
                {"1h", 3600000000000},
                {"1.5", 1500000000},
                {"1e3", 1000000000000},
                {".25s", 250000000},
                {"2second", 2000000000}};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        PARSES("--time", good[i].text);
        assert_int_equal(sample.time, good[i].ns);
    }
    FAILS("--time: '0' is too small; allowed: 1e-09 to 1000000 s", "-t", "0");
    FAILS("--time: '-2s' is too small; allowed: 1e-09 to 1000000 s", "-t", "-2s");
    FAILS("--time: '0.4ns' is too small; allowed: 1e-09 to 1000000 s", "-t", "0.4ns");
    FAILS("--time: '278h' is too large; allowed: 1e-09 to 1000000 s", "-t", "278h");
    const char *wrong[] = {"", "s", "2 s", "2sec", "nan", "inf", "1h30", "2S", "5%"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_non_null(strstr(parse("-t", wrong[i], NULL), "' is not a duration; write it like 5ns"));
}

static void sizes_have_units_and_a_bare_number_is_bytes(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t bytes;
    } good[] = {{"1000", 1000},     {"1500B", 1500},     {"64kB", 64000},
                {"2.5MB", 2500000}, {"2GB", 2000000000}, {"1TB", 1000000000000}};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        PARSES("--size", good[i].text);
        assert_int_equal(sample.size, good[i].bytes);
    }
    FAILS("--size: '999' is too small; allowed: 1000 to 1000000000000000 bytes", "--size", "999");
    FAILS("--size: '1001TB' is too large; allowed: 1000 to 1000000000000000 bytes", "--size", "1001TB");
    const char *wrong[] = {"", "kB", "2 kB", "5ns", "5%", "2KB", "nan"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_non_null(strstr(parse("--size", wrong[i], NULL), "' is not a size; write it like 64kB"));
}

static void margins_carry_their_unit(void **state)
{
    (void)state;
    static const struct {
        const char *text, *unit;
        double value;
    } good[] = {{"2%", NULL, 0.02}, {"5ns", "ns", 5}, {"1.5ms", "ns", 1.5e6},     {"3kB", "bytes", 3000},
                {"7", "1", 7},      {"0%", NULL, 0},  {"20cycles", "cycles", 20}, {"100B", "bytes", 100}};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        PARSES("--margin", good[i].text);
        NUMBER(sample.margin.value, good[i].value);
        assert_string_equal(sample.margin.unit ? sample.margin.unit : "relative", good[i].unit ? good[i].unit : "relative");
    }
    FAILS("--margin: '-1%' is negative; a margin is a size, so omit the minus sign", "--margin", "-1%");
    FAILS("--margin: '3 apples' has an unknown unit; write it like 1%, 5ns, 20cycles, 3kB, or 2 for a count", "--margin",
          "3 apples");
    FAILS("--margin: 'nan' is not a margin; write it like 1%, 5ns, 20cycles, 3kB, or 2 for a count", "--margin", "nan");
}

static void words_and_choices_are_checked(void **state)
{
    (void)state;
    PARSES("--word", "right", "--choice=three");
    assert_string_equal(sample.word, "right");
    assert_int_equal(sample.choice, 2);
    FAILS("--choice: 'four' is not known; choose one of: one, two, three", "--choice", "four");
    FAILS("--choice: 'one two' is not known; choose one of: one, two, three", "--choice", "one two");
    FAILS("--word: '' is not known; choose one of: left, right", "--word", "");
    FAILS("--text: the value is empty; give a text, or omit the option", "--text=");
}

static const char *codes_text(void)
{
    struct buf b = BUF_INIT(4096);
    buf_str(&b, sample.codes.any ? sample.codes.all ? "all" : "" : "none");
    for (int i = 0; i < sample.codes.n; i++)
        buf_format(&b, "%s%d", i ? "," : "", sample.codes.items[i]);
    const char *text = arena_copy(&arena, buf_text(&b), b.len);
    buf_finish(&b);
    return text;
}

static void codes_need_an_equals_sign_so_that_the_letter_can_be_joined(void **state)
{
    (void)state;
    PARSES("--ignore", "1,2");
    assert_string_equal(codes_text(), "all");
    assert_string_equal(joined(operands.items, operands.n), "1,2");
    PARSES("-ifn3");
    assert_string_equal(codes_text(), "all");
    assert_int_equal(sample.number, 3);
    PARSES("-i=1,22 , 255");
    assert_string_equal(codes_text(), "1,22,255");
    PARSES("--ignore=3");
    assert_string_equal(codes_text(), "3");
    PARSES("--ignore=all-non-zero");
    assert_string_equal(codes_text(), "all");
    PARSES("--ignore=1,2,3,4,5,6,7,8,9");
    assert_string_equal(codes_text(), "1,2,3,4,5,6,7,8,9");
    PARSES("-i=0xc0000005,7,0xFF");
    assert_string_equal(codes_text(), "-1073741819,7,255");
    const char *wrong[] = {"--ignore=0",     "--ignore=256", "--ignore=1,", "--ignore=,1",    "--ignore=1;2", "--ignore=-1",
                           "--ignore=00001", "--ignore=0x",  "-i=0x0",      "-i=0x1c0000005", "-i=0xg"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_non_null(strstr(parse(wrong[i], NULL), "is not a list of exit codes from 1 to 255"));
}

static void a_text_may_be_left_away_where_another_stands_for_it(void **state)
{
    (void)state;
    PARSES("-f");
    assert_null(sample.maybe);
    PARSES("--maybe", "some");
    assert_string_equal(sample.maybe, "all");
    assert_string_equal(joined(operands.items, operands.n), "some");
    PARSES("--maybe=some");
    assert_string_equal(sample.maybe, "some");
    PARSES("-fmn3");
    assert_string_equal(sample.maybe, "all");
    assert_int_equal(sample.number, 3);
    FAILS("--maybe: the value is empty; give a text, or omit the option", "--maybe=");
}

static void lists_keep_their_order(void **state)
{
    (void)state;
    PARSES("-l", "a", "--list=b", "-lc", "-P", "k", "v", "--pairs", "k2", "-v2", "-Pk3", "", "x");
    assert_string_equal(joined(sample.list.items, sample.list.n), "a|b|c");
    assert_string_equal(joined(sample.pairs.items, sample.pairs.n), "k|v|k2|-v2|k3|");
    assert_string_equal(joined(operands.items, operands.n), "x");
}

static void many_uses_of_a_list_are_kept(void **state)
{
    (void)state;
    enum { MANY = 5000 };
    char *argv[2 * MANY];
    for (int i = 0; i < MANY; i++) {
        argv[2 * i] = arena_strdup(&arena, "-l");
        argv[2 * i + 1] = arena_strdup(&arena, i % 7 ? "x" : "seventh");
    }
    option_defaults(&set, &sample);
    assert_int_equal(option_parse(&set, &sample, 2 * MANY, argv, &operands, &arena, &err), TARE_OK);
    assert_int_equal(sample.list.n, MANY);
    assert_string_equal(sample.list.items[MANY - 1], (MANY - 1) % 7 ? "x" : "seventh");
    assert_string_equal(sample.list.items[4900], "seventh");
}

static void help_and_version_end_the_reading(void **state)
{
    (void)state;
    PARSES("-fh", "--nonsense");
    assert_true(sample.base.help);
    assert_true(sample.flag);
    PARSES("--hel");
    assert_true(sample.base.help && !sample.base.help_all);
    PARSES("--help-a", "--nonsense");
    assert_true(sample.base.help && sample.base.help_all);
    PARSES("--version", "--number", "x");
    assert_true(sample.base.version);
    FAILS("--number: 'x' is not a whole number; allowed: -5 to 100 runs", "--number", "x", "--help");
}

static void an_option_that_may_be_meant_for_an_operand_is_told_apart(void **state)
{
    (void)state;
    static const struct {
        const char *words[4];
        int first, n;
        bool foreign;
    } cases[] = {{{"-f", "ls", "-z", NULL}, 1, 1, true},       {{"-n", "5", "ls", "--color"}, 2, 1, true},
                 {{"ls", "-n", "x", NULL}, 0, 1, true},        {{"ls", "sort", "-n", "x"}, 0, 2, false},
                 {{"ls", "--number", "x", NULL}, 0, 1, false}, {{"ls", "--numbr", "x", NULL}, 0, 1, false},
                 {{"-z", "ls", NULL, NULL}, 1, 0, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *const *w = cases[i].words;
        assert_string_not_equal(parse(w[0], w[1], w[2], w[3], NULL), "");
        assert_int_equal(operands.first, cases[i].first);
        assert_int_equal(operands.n, cases[i].n);
        assert_int_equal(operands.foreign, cases[i].foreign);
        assert_null(operands.items[operands.n]);
    }
    PARSES("-f", "ls");
    assert_int_equal(operands.first, 1);
    assert_false(operands.foreign);
}

static void a_second_parsing_starts_afresh(void **state)
{
    (void)state;
    PARSES("-fvv", "--list", "a", "--number", "3");
    PARSES("b");
    assert_false(sample.flag);
    assert_int_equal(sample.count, 0);
    assert_int_equal(sample.list.n, 0);
    assert_int_equal(sample.number, 10);
    assert_false(option_given(&set, &sample, offsetof(struct sample, flag)));
}

static void messages_may_be_left_out(void **state)
{
    (void)state;
    char word[] = "--nonsense", *argv[] = {word};
    option_defaults(&set, &sample);
    assert_int_equal(option_parse(&set, &sample, 1, argv, &operands, &arena, NULL), TARE_INVALID);
}

/* ---- the table's own check finds what is wrong ---- */

static const char *complaint(struct option a, struct option b)
{
    struct option pair[] = {a, b};
    struct option_set two = {pair, 2, sizeof(struct sample)};
    err = (struct tare_err){0};
    return option_set_check(&two, &err) ? err.text : "";
}

static void a_table_with_a_fault_is_found_out(void **state)
{
    (void)state;
    const struct option flag = items[0], integer = items[2], list = items[12];
    struct option o = integer;
    assert_string_equal(complaint(flag, o), "");
    o.preset = "101";
    assert_string_equal(complaint(flag, o), "number: '101' is too large; allowed: -5 to 100 runs");
    o = integer, o.max = -6;
    assert_string_equal(complaint(flag, o), "number: no limits, or none that leave something");
    o = integer, o.name = "flag";
    assert_string_equal(complaint(flag, o), "flag: the name is there twice");
    o = integer, o.letter = 'f';
    assert_string_equal(complaint(flag, o), "number: the letter -f is there twice");
    o = integer, o.offset = flag.offset;
    assert_string_equal(complaint(flag, o), "number: shares its field with --flag");
    o = integer, o.offset = sizeof(struct sample);
    assert_string_equal(complaint(flag, o), "number: the field lies outside the struct");
    o = integer, o.offset = 0;
    assert_string_equal(complaint(flag, o), "number: the field lies outside the struct");
    o = integer, o.help = "No full stop";
    assert_string_equal(complaint(flag, o), "number: the help is missing or does not end a sentence");
    o = integer, o.arg = "A B";
    assert_string_equal(complaint(flag, o), "number: 1 words are read, and 'A B' names 2");
    o = integer, o.name = "Number";
    assert_string_equal(complaint(flag, o), "Number: name 'Number' is not lower case with dashes");
    o = integer, o.absent = 3;
    assert_string_equal(complaint(flag, o), "number: both a default and a value for absent");
    o = list, o.preset = "x";
    assert_string_equal(complaint(flag, o), "list: this type cannot have a default");
    o = flag, o.name = NULL, o.letter = 0;
    assert_string_equal(complaint(integer, o), "an option without name: an option of group 'All' has neither name nor letter");
}

static void a_scattered_group_is_found_out(void **state)
{
    (void)state;
    struct option three[] = {items[0], items[1], items[2]};
    three[1].group = "Other";
    struct option_set scattered = {three, 3, sizeof(struct sample)};
    assert_int_equal(option_set_check(&scattered, &err), TARE_INVALID);
    assert_string_equal(err.text, "number: the group 'All' is scattered");
}

#define TEST(f) cmocka_unit_test_teardown(f, forget)

static bool is_flag_or_pair(const struct option *o)
{
    return o->type == OPTION_FLAG || o->words == 2 || (o->name && !strcmp(o->name, "maybe"));
}

static void words_can_be_had_without_some_options(void **state)
{
    static const char *given[] = {"-f", "--pairs", "a", "b", "one", "-fv", "--maybe=here", "-n3", "-Pc", "d", "--", "-f"};
    static const char *const left[] = {"one", "-fv", "-n3", "--", "-f", NULL};
    (void)state;
    char *const *argv = (char *const *)(const void *)given;
    const char **words = option_words_without(&set, is_flag_or_pair, sizeof given / sizeof *given, argv, &arena);
    for (int i = 0; left[i]; i++)
        assert_string_equal(words[i], left[i]);
    assert_null(words[5]);
    given[7] = "-n1000"; /* more than the table allows */
    assert_null(option_words_without(&set, is_flag_or_pair, sizeof given / sizeof *given, argv, &arena));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_sample_table_is_right),
        TEST(nothing_given_leaves_the_defaults),
        TEST(a_value_follows_as_a_word_or_in_the_same_one),
        TEST(a_value_may_look_like_an_option),
        TEST(letters_are_joined),
        TEST(options_stand_before_and_after_operands_up_to_two_dashes),
        TEST(a_beginning_of_a_name_is_enough_when_only_one_begins_so),
        TEST(a_hidden_option_must_be_written_out),
        TEST(the_nearest_name_is_suggested),
        TEST(slips_are_counted),
        TEST(a_missing_value_is_named),
        TEST(the_last_value_counts_but_nothing_is_dropped_in_silence),
        TEST(whole_numbers_are_exact_and_limited),
        TEST(shares_are_written_with_or_without_their_sign),
        TEST(durations_have_units_and_a_bare_number_is_seconds),
        TEST(sizes_have_units_and_a_bare_number_is_bytes),
        TEST(margins_carry_their_unit),
        TEST(words_and_choices_are_checked),
        TEST(codes_need_an_equals_sign_so_that_the_letter_can_be_joined),
        TEST(a_text_may_be_left_away_where_another_stands_for_it),
        TEST(lists_keep_their_order),
        TEST(many_uses_of_a_list_are_kept),
        TEST(help_and_version_end_the_reading),
        TEST(an_option_that_may_be_meant_for_an_operand_is_told_apart),
        TEST(a_second_parsing_starts_afresh),
        TEST(messages_may_be_left_out),
        TEST(a_table_with_a_fault_is_found_out),
        TEST(a_scattered_group_is_found_out),
        TEST(words_can_be_had_without_some_options),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
