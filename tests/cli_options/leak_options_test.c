/* SPDX-License-Identifier: MIT
 *
 * The options of `tare leak`, each in each kind of work: what has a meaning is taken, all else is refused, nothing is passed over. */
#include "buf.h"
#include "command.h"
#include "leak_options.h"
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum { WORDS_MAX = 16 };

struct line {
    char *words[WORDS_MAX];
    int n;
};

static void add(struct line *l, const char *word)
{
    assert_true(l->n < WORDS_MAX);
    l->words[l->n++] = (char *)(uintptr_t)word;
}

static void add_words(struct line *l, struct arena *a, const char *text)
{
    for (const char *at = text; *at; at += strspn(at, " ")) {
        size_t n = strcspn(at, " ");
        add(l, arena_copy(a, at, n));
        at += n;
    }
}

/* A value that the option accepts; NULL: it takes none. */
static const char *value_of(const struct option *o)
{
    static const struct {
        const char *name, *value;
    } own[] = {{"percentiles", "50"},   {"symbol", "libc.so.6:memcmp(in:8,in:8,len)"},
               {"env", "A=b"},          {"class", "zero"},
               {"threshold", "5"},      {"order", "1"},
               {"measurements", "100"}, {"method", "dudect"}};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (!strcmp(o->name, own[i].name))
            return own[i].value;
    static char choice[32];
    if (!option_words(o))
        return NULL;
    switch (o->type) {
    case OPTION_NUMBER:
        return "0.01";
    case OPTION_PERCENT:
        return "95%";
    case OPTION_DURATION:
        return "2s";
    case OPTION_MARGIN:
        return "5ns";
    case OPTION_DIRECTORY:
        return ".";
    case OPTION_CHOICE:
    case OPTION_WORD:
        choice[0] = 0;
        strncat(choice, o->choices, strcspn(o->choices, " "));
        return choice;
    case OPTION_FILE:
        return o->name; /* a file of its own */
    default:
        return "7";
    }
}

/* What another option needs beside it to have a meaning at all. */
static const char *companion_of(const struct option *o)
{
    static const char *const of_dudect[] = {"measurements", "drop", "threshold", "percentiles", "order"};
    for (size_t i = 0; i < sizeof of_dudect / sizeof *of_dudect; i++)
        if (!strcmp(o->name, of_dudect[i]))
            return "--method dudect";
    if (!strcmp(o->name, "every"))
        return "--sessions 3";
    return !strcmp(o->name, "suppressions") ? "--taint" : !strcmp(o->name, "class") ? "--class one" : "";
}

static enum tare_status try_line(const struct line *l, struct arena *a, struct tare_err *err)
{
    struct leak_options o;
    struct option_operands operands;
    option_defaults(&leak_option_set, &o);
    enum tare_status status = option_parse(&leak_option_set, &o, l->n, l->words, &operands, a, err);
    return status ? status : command_named("leak")->check(&o, &operands, a, err);
}

static bool named(const char *words, const char *name)
{
    char word[80];
    struct buf b = buf_over(word, sizeof word);
    buf_format(&b, " %s ", name);
    return strstr(words, buf_text(&b)) != NULL;
}

/* mode: words of the line; taken: options that are taken beside them. */
static void check_mode(const char *mode, const char *taken)
{
    struct arena a = {0};
    for (int i = 0; i < leak_option_set.n; i++) {
        const struct option *o = &leak_option_set.items[i];
        struct line l = {.n = 0};
        struct tare_err err = {{0}};
        char flag[80];
        struct buf b = buf_over(flag, sizeof flag);
        if (!o->name || !o->offset) /* --help, --version */
            continue;
        buf_format(&b, "--%s", o->name);
        if (strstr(mode, flag))
            continue;
        add_words(&l, &a, mode);
        add_words(&l, &a, companion_of(o));
        add(&l, flag);
        if (value_of(o))
            add(&l, value_of(o));
        enum tare_status status = try_line(&l, &a, &err);
        bool wanted = named(taken, o->name);
        if (wanted && status)
            fail_msg("%s --%s is refused: %s", mode, o->name, err.text);
        if (!wanted && (status != TARE_INVALID || !err.text[0]))
            fail_msg("%s --%s is taken", mode, o->name);
    }
    arena_finish(&a);
}

#define SHOWN    " style quiet verbose "
#define KEPT     " export-asciidoc export-csv export-html export-json export-markdown export-orgmode export-svg "
#define JUDGED   " margin advantage alpha confidence exact strict method measurements drop threshold percentiles order "
#define RUNNING  " seed max-time max-calls timeout show-output env cwd pin tune priority dry-run "
#define MEASURED " cache dit repeat clock selfcheck save taint suppressions filter list "

static void a_program_is_measured_with_all_but_what_names_another_source(void **state)
{
    (void)state;
    check_mode("prog", SHOWN KEPT JUDGED RUNNING MEASURED " scan growth ledger sessions every ");
}

static void a_function_of_a_library_has_classes_and_no_sizes(void **state)
{
    (void)state;
    check_mode("--symbol x:f(in:1)", SHOWN KEPT JUDGED RUNNING MEASURED " scan class ledger sessions every ");
}

static void stored_times_are_judged_and_nothing_is_measured(void **state)
{
    (void)state;
    check_mode("--csv file.csv", SHOWN KEPT JUDGED " save ledger ");
    check_mode("--replay file.jsonl", SHOWN KEPT JUDGED);
}

static void a_session_that_goes_on_keeps_its_rule(void **state)
{
    (void)state;
    check_mode("--continue file.jsonl", SHOWN KEPT RUNNING " strict ledger save taint suppressions list yes ");
}

static void sessions_are_of_pairs_and_are_gone_on_with_by_the_same_line(void **state)
{
    (void)state;
    check_mode("--sessions 3 prog",
               SHOWN " export-asciidoc export-csv export-json export-markdown export-orgmode margin advantage alpha confidence "
                     "exact strict seed max-time max-calls timeout show-output env cwd "
                     "pin priority dry-run cache dit repeat clock selfcheck save filter every continue ");
    struct arena a = {0};
    struct line l = {.n = 0};
    struct tare_err err;
    add_words(&l, &a, "--sessions 3 --continue file.jsonl");
    assert_int_equal(try_line(&l, &a, &err), TARE_INVALID);
    arena_finish(&a);
}

static void a_list_of_names_has_no_measuring(void **state)
{
    (void)state;
    check_mode("--list prog", SHOWN " filter scan growth max-time timeout show-output env cwd priority ");
}

static void growth_and_scans_have_no_self_checks_and_no_betting(void **state)
{
    (void)state;
    check_mode("--growth prog", SHOWN KEPT RUNNING " margin confidence cache dit repeat clock selfcheck save filter list ");
    check_mode("--scan prog", SHOWN KEPT RUNNING
               " margin alpha confidence strict cache dit clock selfcheck save taint suppressions filter list ledger ");
}

static void options_of_dudect_need_its_method(void **state)
{
    (void)state;
    static const char *const lines[] = {"prog --measurements 100", "prog --drop 20", "prog --threshold 5",
                                        "prog --percentiles off", "prog --order 1"};
    struct arena a = {0};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        struct line l = {.n = 0};
        struct tare_err err;
        add_words(&l, &a, lines[i]);
        assert_int_equal(try_line(&l, &a, &err), TARE_INVALID);
        add_words(&l, &a, "--method dudect");
        assert_int_equal(try_line(&l, &a, &err), TARE_OK);
    }
    arena_finish(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_program_is_measured_with_all_but_what_names_another_source),
                                       cmocka_unit_test(a_function_of_a_library_has_classes_and_no_sizes),
                                       cmocka_unit_test(stored_times_are_judged_and_nothing_is_measured),
                                       cmocka_unit_test(a_session_that_goes_on_keeps_its_rule),
                                       cmocka_unit_test(sessions_are_of_pairs_and_are_gone_on_with_by_the_same_line),
                                       cmocka_unit_test(a_list_of_names_has_no_measuring),
                                       cmocka_unit_test(growth_and_scans_have_no_self_checks_and_no_betting),
                                       cmocka_unit_test(options_of_dudect_need_its_method)};
    return cmocka_run_group_tests_name("leak_options", tests, NULL, NULL);
}
