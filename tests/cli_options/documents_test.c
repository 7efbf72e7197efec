/* SPDX-License-Identifier: MIT
 *
 * Parser, help, manual and completions say the same: each option of each table is looked for in all of them, and what the
 * manual's prose mentions must exist. */
#include "buf.h"
#include "command.h"
#include "completion.h"
#include "help.h"
#include "manual.h"
#include "option_value.h"
#include "record.h"
#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static struct arena arena;

static int forget(void **state)
{
    (void)state;
    arena_finish(&arena);
    return 0;
}

static const char *kept(struct buf *b)
{
    const char *text = arena_copy(&arena, buf_text(b), b->len);
    assert_int_equal(b->status, TARE_OK);
    buf_finish(b);
    return text;
}

static const char *format(const char *pattern, ...)
{
    struct buf b = BUF_INIT(1 << 16);
    va_list ap;
    va_start(ap, pattern);
    buf_vformat(&b, pattern, ap);
    va_end(ap);
    return kept(&b);
}

static const char *file_text(const char *path)
{
    struct buf b = BUF_INIT(1 << 20);
    char piece[4096];
    size_t n;
    FILE *f = fopen(path, "r");
    if (!f)
        fail_msg("%s cannot be read", path);
    while ((n = fread(piece, 1, sizeof piece, f)) > 0)
        buf_add(&b, piece, n);
    fclose(f);
    return kept(&b);
}

static const char *page_text(const char *name)
{
    return file_text(format("%s/docs/man/%s.scd", SOURCE_DIR, name));
}

static const char *filled_page(const char *name)
{
    struct buf b = BUF_INIT(1 << 20);
    struct tare_err err;
    if (manual_fill(&b, page_text(name), "1.2.3", &err))
        fail_msg("%s: %s", name, err.text);
    return kept(&b);
}

static const char *help_text(const struct command *c, bool all)
{
    struct buf b = BUF_INIT(1 << 20);
    help_command(&b, c, all);
    return kept(&b);
}

static int count_lines(const char *text)
{
    int lines = 0;
    for (const char *line = text; *line; line += strcspn(line, "\n") + 1)
        lines++;
    return lines;
}

static const char knobs[] = "turbo governor";

static const char *completion_text(void (*write)(struct buf *b, const char *knobs))
{
    struct buf b = BUF_INIT(1 << 20);
    write(&b, knobs);
    return kept(&b);
}

static void must_hold(const char *where, const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("%s lacks: %s", where, part);
}

static void must_lack(const char *where, const char *text, const char *part)
{
    if (strstr(text, part))
        fail_msg("%s has: %s", where, part);
}

#define EACH_OPTION(c, o)                                            \
    for (int c##_i = 0; commands[c##_i]; c##_i++)                    \
        for (const struct command *c = commands[c##_i]; c; c = NULL) \
            for (const struct option *o = c->options.items; o < c->options.items + c->options.n; o++)

/* ---- help ---- */

static void all_the_help_of_a_command_has_every_option(void **state)
{
    (void)state;
    EACH_OPTION(c, o)
    {
        struct buf head = BUF_INIT(4096);
        help_option_head(&head, o);
        const char *name = format("tare %s --help-all", c->name), *text = help_text(c, true), *line = format(" %s", kept(&head));
        if (o->hidden) {
            must_lack(name, text, line);
            continue;
        }
        must_hold(name, text, line);
    }
}

static void the_short_help_fits_two_screens_and_has_the_common_options(void **state)
{
    (void)state;
    for (int i = 0; commands[i]; i++) {
        const struct command *c = commands[i];
        const char *name = format("tare %s --help", c->name), *text = help_text(c, false);
        if (count_lines(text) > HELP_LINES)
            fail_msg("%s has %d lines", name, count_lines(text));
        for (int e = 0; e < c->n_examples && e < HELP_EXAMPLES; e++)
            must_hold(name, text, format("\n  %s\n", c->examples[e].line));
        for (const struct option *o = c->options.items; o < c->options.items + c->options.n; o++) {
            struct buf head = BUF_INIT(4096);
            buf_str(&head, " ");
            help_option_head(&head, o);
            (o->common ? must_hold : must_lack)(name, strstr(text, "\nOptions:\n"), kept(&head));
        }
    }
}

/* The words of `text` in their order, whatever lines and columns they stand in. */
static bool holds_words(const char *text, const char *words)
{
    for (const char *at = text; (at = strchr(at, *words)); at++) {
        const char *p = at, *w = words;
        while (*w && *p && (*p == *w || (*w == ' ' && *p == '\n'))) {
            p += *w == ' ' ? strspn(p, " \n") : 1;
            w++;
        }
        if (!*w)
            return true;
    }
    return false;
}

static void the_help_says_what_holds_when_nothing_is_given(void **state)
{
    (void)state;
    EACH_OPTION(c, o)
    {
        if (o->hidden || !help_default(o))
            continue;
        const char *words = format("(default: %s)", help_default(o));
        if (!holds_words(help_text(c, true), words))
            fail_msg("tare %s --help-all lacks for --%s: %s", c->name, o->name, words);
    }
}

static void no_line_of_the_help_is_wider_than_80_columns(void **state)
{
    (void)state;
    for (int i = 0; commands[i]; i++)
        for (int all = 0; all < 2; all++)
            for (const char *line = help_text(commands[i], all); *line; line += strcspn(line, "\n") + 1)
                if (strcspn(line, "\n") > HELP_COLUMNS)
                    fail_msg("tare %s -h: too wide: %.*s", commands[i]->name, (int)strcspn(line, "\n"), line);
}

static void tare_alone_fits_a_small_screen_and_names_every_command(void **state)
{
    (void)state;
    struct buf b = BUF_INIT(1 << 16);
    help_tool(&b);
    const char *text = kept(&b);
    for (const char *line = text; *line; line += strcspn(line, "\n") + 1)
        assert_in_range(strcspn(line, "\n"), 0, HELP_COLUMNS);
    assert_in_range(count_lines(text), 5, 23);
    for (int i = 0; commands[i]; i++) {
        const struct command_family *family = command_family_of(commands[i]);
        must_hold("tare", text, format(" %s ", command_page(commands[i])));
        must_hold("tare", text, family ? family->summary : commands[i]->summary);
    }
}

static void words_are_a_command_only_where_all_of_its_name_is_there(void **state)
{
    (void)state;
    static const struct {
        const char *words[3];
        const char *name; /* NULL: none */
        int n_words;
    } cases[] = {{{"run", "x", NULL}, "run", 1},        {{"system", "show", NULL}, "system show", 2},
                 {{"show", "system", NULL}, "show", 1}, {{"system", "shw", NULL}, NULL, 1},
                 {{"system", NULL, NULL}, NULL, 1},     {{"system show", NULL, NULL}, NULL, 0},
                 {{"sys", "show", NULL}, NULL, 0},      {{"system", "system", NULL}, NULL, 1},
                 {{"system", "--help", NULL}, NULL, 1}, {{NULL, NULL, NULL}, NULL, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int n = 0, n_words = -1;
        while (cases[i].words[n])
            n++;
        int index = command_of_words(n, cases[i].words, &n_words);
        const char *found = index < 0 ? "none" : commands[index]->name;
        assert_string_equal(found, cases[i].name ? cases[i].name : "none");
        assert_int_equal(n_words, cases[i].n_words);
    }
}

static void the_help_of_a_family_names_its_commands(void **state)
{
    (void)state;
    for (int i = 0; command_families[i]; i++) {
        struct buf b = BUF_INIT(1 << 16);
        help_family(&b, command_families[i]);
        const char *text = kept(&b);
        int members = 0;
        for (int k = 0; commands[k]; k++) {
            if (command_family_of(commands[k]) != command_families[i])
                continue;
            members++;
            must_hold(command_families[i]->name, text, format("\n  %s ", command_last_word(commands[k])));
            assert_string_equal(commands[k]->group, command_families[i]->group);
        }
        assert_in_range(members, 2, 20);
        for (const char *line = text; *line; line += strcspn(line, "\n") + 1)
            assert_in_range(strcspn(line, "\n"), 0, HELP_COLUMNS);
    }
}

/* ---- terms ---- */

static void every_term_of_the_glossary_can_be_asked_for(void **state)
{
    (void)state;
    const char *page = file_text(format("%s/docs/glossary.md", SOURCE_DIR));
    int rows = 0, terms = 0;
    for (const char *at = page; (at = strstr(at, "\n| ")); at++)
        rows++;
    for (const struct glossary_term *t = glossary; t->name; t++, terms++) {
        must_hold("the page", page, format("\n| %s | ", t->name));
        assert_ptr_equal(glossary_find(t->name), t);
        assert_null(strpbrk(t->meaning, "`|[]"));
    }
    assert_int_equal(terms, rows - 1); /* less the heading */
    static const char *const asked[] = {
        "margin",   "interval",     "confidence", "interim analysis", "same",  "undecided", "effective-sample-size",
        "Overhead", "steady_state", "e-value",    "false positive",   "slower"};
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++)
        if (!glossary_find(asked[i]))
            fail_msg("no term %s", asked[i]);
    assert_null(glossary_find(""));
    assert_null(glossary_find("inter"));
    assert_null(glossary_find("lower"));
}

/* ---- manual ---- */

static const char *escaped(const char *text)
{
    struct buf b = BUF_INIT(1 << 16);
    for (const char *p = text; *p; p++)
        buf_format(&b, "%s%c", strchr("*_\\#`~<>[]|", *p) ? "\\" : "", *p);
    return kept(&b);
}

/* The part of the page below "# OPTIONS", or "# OPTIONS OF SHOW" where it has several commands. */
static const char *options_part(const char *name, const char *page, const struct command *c)
{
    struct buf heading = BUF_INIT(256);
    buf_str(&heading, command_family_of(c) ? "\n# OPTIONS OF " : "\n# OPTIONS");
    for (const char *p = command_family_of(c) ? command_last_word(c) : ""; *p; p++)
        buf_char(&heading, (char)toupper((unsigned char)*p));
    buf_char(&heading, '\n');
    const char *part = strstr(page, kept(&heading));
    if (!part)
        fail_msg("%s has no options of tare %s", name, c->name);
    const char *end = strstr(part + 1, "\n# ");
    return end ? arena_copy(&arena, part, (size_t)(end - part)) : part;
}

static void the_manual_has_every_option_with_help_and_default(void **state)
{
    (void)state;
    EACH_OPTION(c, o)
    {
        const char *name = format("tare-%s.1", command_page(c)), *text = options_part(name, filled_page(name), c);
        const char *head = format("%s%s%s", o->letter ? format("*-%c*", o->letter) : "", o->letter && o->name ? ", " : "",
                                  o->name ? format("*--%s*", o->name) : "");
        const char *entry = strstr(text, format("\n%s", head));
        if (!entry)
            fail_msg("%s lacks: %s", name, head);
        const char *end = strstr(entry, "\n\n"), *body = arena_copy(&arena, entry, (size_t)(end - entry));
        must_hold(head, body, escaped(o->help));
        if (o->detail)
            must_hold(head, body, escaped(o->detail));
        if (help_default(o))
            must_hold(head, body, escaped(format("Default: %s.", help_default(o))));
    }
}

static void each_command_has_a_page_that_is_named_in_the_first(void **state)
{
    (void)state;
    const char *first = filled_page("tare.1");
    for (int i = 0; commands[i]; i++) {
        const char *page = filled_page(format("tare-%s.1", command_page(commands[i])));
        must_hold("tare.1", first, format("*tare-%s*(1)", command_page(commands[i])));
        must_hold(commands[i]->name, page, format("tare-%s - ", command_page(commands[i])));
        must_hold(commands[i]->name, page, format("*tare %s* ", commands[i]->name));
        must_hold(commands[i]->name, page, "\"tare 1.2.3\"");
        for (int e = 0; e < commands[i]->n_examples; e++)
            must_hold(commands[i]->name, page, format("```\n%s\n```", commands[i]->examples[e].line));
    }
}

static bool option_exists(const char *name)
{
    EACH_OPTION(c, o)
    {
        if (o->name && !strcmp(o->name, name))
            return true;
    }
    return false;
}

static void the_prose_of_the_manual_mentions_only_options_that_exist(void **state)
{
    (void)state;
    static const char *const pages[] = {"tare.1",      "tare-run.1",     "tare-show.1",       "tare-clock.1",  "tare-system.1",
                                        "tare-help.1", "tare-history.1", "tare-completion.1", "tare-record.5", "tare-export.5"};
    for (size_t i = 0; i < sizeof pages / sizeof *pages; i++)
        for (const char *p = filled_page(pages[i]); (p = strstr(p, "--")); p += 2) {
            size_t len = 0;
            while (islower((unsigned char)p[2 + len]) || (len && p[2 + len] == '-'))
                len++;
            const char *name = arena_copy(&arena, p + 2, len);
            if (len && strcmp(name, "its-own") && strcmp(name, "norc") && !option_exists(name))
                fail_msg("%s mentions --%s, which no command has", pages[i], name);
        }
}

/* The row of a format below the heading of a table, and the cell of the column-th command in it. */
static const char *format_cell(const char *page, const char *heading, const char *name, int column)
{
    const char *table = strstr(page, format("\n|[ *%s*\n", heading)),
               *row = table ? strstr(table, format("\n|  %s\n", name)) : NULL;
    const char *cell = row ? row + 1 : NULL;
    for (int i = 0; cell && i <= column; i++)
        cell = strstr(cell, "\n:  ") + 1;
    return cell ? format("%c", cell[3]) : "no row";
}

static void the_page_of_exports_has_every_format_of_every_command(void **state)
{
    (void)state;
    const char *page = filled_page("tare-export.5");
    EACH_OPTION(c, o)
    {
        const struct command_family *f = command_family_of(c);
        int column = 0;
        if (!o->name || strncmp(o->name, "export-", 7))
            continue;
        for (int i = 0; commands[i] != c; i++) {
            bool exports = false;
            for (int k = 0; k < commands[i]->options.n; k++)
                exports |= commands[i]->options.items[k].name && !strncmp(commands[i]->options.items[k].name, "export-", 7);
            column += exports && command_family_of(commands[i]) == f;
        }
        const char *cell = format_cell(page, f ? f->name : "format", o->name + 7, column);
        if (strcmp(cell, "x"))
            fail_msg("tare %s --%s is not in the table: %s", c->name, o->name, cell);
    }
    assert_string_equal(format_cell(page, "format", "speedscope", 0), "-"); /* of tare run */
    assert_string_equal(format_cell(page, "system", "svg", 0), "-");
}

static void a_template_that_names_what_is_not_there_is_refused(void **state)
{
    (void)state;
    static const char *const wrong[] = {"@options walk\n", "@option run\n", "@\n", "@name \n", "text\n@commandss\n"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct buf b = BUF_INIT(1 << 20);
        struct tare_err err;
        assert_int_equal(manual_fill(&b, wrong[i], "1", &err), TARE_INVALID);
        must_hold("the message", err.text, "is no part of the manual");
        buf_finish(&b);
    }
}

/* ---- completions ---- */

static void check_bash(const char *text, const struct command *c, const struct option *o)
{
    const char *name = o->name ? format("--%s ", o->name) : format("-%c ", o->letter);
    const char *from = strstr(text, format("\n    '%s')\n", c->name)), *to = strstr(from, ";;");
    const char *list = arena_copy(&arena, from, (size_t)(to - from));
    (o->hidden ? must_lack : must_hold)("bash", list, name);
    if (!o->hidden && option_words(o))
        must_hold("bash", text,
                  format("'%s %s') words=%d choices='%s'", c->name, o->name ? format("--%s", o->name) : format("-%c", o->letter),
                         option_words(o), completion_choices(o, knobs) ? completion_choices(o, knobs) : ""));
}

static void check_fish(const char *text, const struct command *c, const struct option *o)
{
    const char *letter = o->letter ? format(" -s %c", o->letter) : "", *name = o->name ? format(" -l %s ", o->name) : " ";
    (o->hidden ? must_lack : must_hold)("fish", text, format("__tare_is %s'%s%s", c->name, letter, name));
    if (!o->hidden && option_suggests(o) == SUGGEST_KNOBS)
        must_hold("fish", text, " -a '(__fish_append , turbo governor)'");
    if (!o->hidden && o->choices)
        must_hold("fish", text, format(" -a '%s", o->choices));
}

static void check_zsh(const char *text, const struct command *c, const struct option *o)
{
    const char *from = strstr(text, format("\n    '%s')\n", c->name)), *to = strstr(from, ";;\n");
    const char *part = arena_copy(&arena, from, (size_t)(to - from));
    if (o->name)
        (o->hidden ? must_lack : must_hold)("zsh", part, format("--%s%s", o->name, option_words(o) ? "=" : ""));
    if (o->letter)
        must_hold("zsh", part, format("-%c", o->letter));
}

static void completions_offer_every_option_of_every_command(void **state)
{
    (void)state;
    const char *bash = completion_text(completion_write_bash), *zsh = completion_text(completion_write_zsh),
               *fish = completion_text(completion_write_fish);
    EACH_OPTION(c, o)
    {
        check_bash(bash, c, o);
        check_fish(fish, c, o);
        check_zsh(zsh, c, o);
    }
}

/* ---- parser ---- */

static const char *some_value(const struct option *o)
{
    const char *word;
    int len;
    switch (o->type) {
    case OPTION_INT:
    case OPTION_NUMBER:
    case OPTION_PERCENT:
    case OPTION_DURATION:
    case OPTION_SIZE:
        return format("%g", o->min > 0 ? o->min : 1.0);
    case OPTION_WORD:
    case OPTION_CHOICE:
        return option_choice(o, 0, &word, &len) ? format("%.*s", len, word) : "";
    default:
        return "1";
    }
}

/* Parses it by this spelling; true when its bit and no other was set. */
static bool parses_alone(const struct command *c, const struct option *o, const char *spelling)
{
    char *argv[8] = {arena_strdup(&arena, spelling)};
    int argc = 1;
    struct option_operands operands;
    struct tare_err err = {0};
    for (int i = 0; i < option_words(o); i++)
        argv[argc++] = arena_strdup(&arena, some_value(o));
    struct option_base *options = arena_alloc(&arena, c->options.size);
    option_defaults(&c->options, options);
    if (option_parse(&c->options, options, argc, argv, &operands, &arena, &err))
        fail_msg("tare %s %s %s: %s", c->name, spelling, argv[1] ? argv[1] : "", err.text);
    long index = o - c->options.items;
    uint64_t expected[2] = {0};
    expected[index / 64] = (uint64_t)1 << (index % 64);
    return !memcmp(options->given, expected, sizeof expected) && operands.n == 0;
}

static int metrics_builtin(void)
{
    int n = 0;
    while (metric_builtin(n))
        n++;
    return n;
}

static bool is_choice(const char *choices, const char *word)
{
    size_t n = strlen(word);
    for (const char *at = choices; (at = strstr(at, word)); at += n)
        if ((at == choices || at[-1] == ' ') && (at[n] == ' ' || !at[n]))
            return true;
    return false;
}

static void every_metric_of_runs_is_offered_where_one_is_chosen(void **state)
{
    (void)state;
    int found = 0;
    EACH_OPTION(c, o)
    {
        if ((strcmp(c->name, "run") && strcmp(c->name, "compare")) || !o->name || strcmp(o->name, "metric"))
            continue;
        const struct metric *m;
        found++;
        for (int i = 0; (m = metric_builtin(i)) || (m = metric_followed(i - metrics_builtin())); i++)
            if (!is_choice(o->choices, m->id))
                fail_msg("tare %s --metric does not offer %s", c->name, m->id);
    }
    assert_int_equal(found, 2);
}

static void the_parser_reads_every_option_by_each_of_its_names(void **state)
{
    (void)state;
    EACH_OPTION(c, o)
    {
        if (o->name)
            assert_true(parses_alone(c, o, format("--%s", o->name)));
        if (o->letter)
            assert_true(parses_alone(c, o, format("-%c", o->letter)));
    }
}

/* An example as a shell splits it: blanks and '; a redirection ends it. Without "tare NAME". */
static int example_words(const char *line, char **argv, int room)
{
    int argc = 0;
    for (const char *p = line; *p && *p != '>' && *p != '<' && argc < room; p += strspn(p, " ")) {
        struct buf word = BUF_INIT(4096);
        for (bool quoted = false; *p && (quoted || *p != ' '); p++) {
            if (*p == '\'')
                quoted = !quoted;
            else
                buf_char(&word, *p);
        }
        argv[argc++] = arena_strdup(&arena, kept(&word));
    }
    return argc;
}

/* c: the command that it must be of; NULL: any. */
static void check_example(const char *line, const struct command *c)
{
    char *argv[20] = {NULL};
    struct option_operands operands;
    struct tare_err err = {0};
    int argc = example_words(line, argv, 20);
    if (argc && !strcmp(argv[0], "sudo")) { /* what needs root is shown as it is typed */
        memmove(argv, argv + 1, sizeof *argv * (size_t)(argc - 1));
        argc--;
    }
    assert_string_equal(argv[0], "tare");
    int n_words, index = command_of_words(argc - 1, (const char *const *)argv + 1, &n_words);
    if (index < 0 || (c && commands[index] != c))
        fail_msg("%s: no example of tare %s", line, c ? c->name : "COMMAND");
    int before = 1 + n_words;
    c = commands[index];
    void *options = arena_alloc(&arena, c->options.size);
    option_defaults(&c->options, options);
    enum tare_status s = option_parse(&c->options, options, argc - before, argv + before, &operands, &arena, &err);
    if (s == TARE_OK && c->check)
        s = c->check(options, &operands, &arena, &err);
    if (s)
        fail_msg("%s: %s", line, err.text);
}

static void every_example_is_a_line_that_its_command_accepts(void **state)
{
    (void)state;
    for (int i = 0; commands[i]; i++)
        for (int e = 0; e < commands[i]->n_examples; e++)
            check_example(commands[i]->examples[e].line, commands[i]);
    for (int e = 0; e < HELP_TOOL_EXAMPLES; e++)
        check_example(help_tool_examples[e].line, NULL);
}

#define TEST(f) cmocka_unit_test_teardown(f, forget)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(all_the_help_of_a_command_has_every_option),
        TEST(the_short_help_fits_two_screens_and_has_the_common_options),
        TEST(the_help_says_what_holds_when_nothing_is_given),
        TEST(no_line_of_the_help_is_wider_than_80_columns),
        TEST(tare_alone_fits_a_small_screen_and_names_every_command),
        TEST(words_are_a_command_only_where_all_of_its_name_is_there),
        TEST(the_help_of_a_family_names_its_commands),
        TEST(every_term_of_the_glossary_can_be_asked_for),
        TEST(the_manual_has_every_option_with_help_and_default),
        TEST(each_command_has_a_page_that_is_named_in_the_first),
        TEST(the_prose_of_the_manual_mentions_only_options_that_exist),
        TEST(the_page_of_exports_has_every_format_of_every_command),
        TEST(a_template_that_names_what_is_not_there_is_refused),
        TEST(completions_offer_every_option_of_every_command),
        TEST(every_metric_of_runs_is_offered_where_one_is_chosen),
        TEST(the_parser_reads_every_option_by_each_of_its_names),
        TEST(every_example_is_a_line_that_its_command_accepts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
