/* SPDX-License-Identifier: MIT
 *
 * The option parser over every command's real table, with the command's own check behind it. Input: one byte that chooses
 * the command, then words that end at a zero byte or a newline.
 */
#include "buf.h"
#include "command.h"
#include "run_options.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { WORDS_MAX = 4000 };

static void must(bool holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "%s\n", what);
        abort();
    }
}

static int split(char *text, size_t n, char **argv)
{
    int argc = 0;
    for (size_t at = 0; at < n && argc < WORDS_MAX;) {
        argv[argc++] = text + at;
        at += strcspn(text + at, "\n");
        text[at++] = '\0';
    }
    return argc;
}

static const struct command *chosen(uint8_t byte)
{
    int n = 0;
    while (commands[n])
        n++;
    return commands[byte % n];
}

static enum tare_status parse(const struct command *c, int argc, char **argv, struct arena *a, void **options,
                              struct tare_err *err)
{
    struct option_operands operands;
    *options = arena_alloc(a, c->options.size);
    option_defaults(&c->options, *options);
    enum tare_status s = option_parse(&c->options, *options, argc, argv, &operands, a, err);
    if (s)
        return s;
    must(operands.n >= 0 && operands.n <= argc, "more operands than words");
    must(operands.after >= 0 && operands.after <= operands.n, "operands after -- lie outside");
    must(operands.items[operands.n] == NULL, "operands are not closed");
    const struct option_base *base = *options;
    return c->check && !base->help && !base->version ? c->check(*options, &operands, a, err) : TARE_OK;
}

/* What the rest of tare relies on without looking again. */
static void check_run(const struct run_options *o)
{
    struct rule rule;
    if (o->base.help || o->base.version) /* the rest is not looked at, and not checked */
        return;
    must(o->metrics.n > 0, "no metric decides");
    must(o->min_runs >= 1 && (!o->max_runs || o->max_runs >= o->min_runs), "numbers of runs disagree");
    must(o->confidence >= 0.5 && o->confidence < 1, "confidence out of range");
    must(!(o->precision <= 0), "precision out of range");
    must(o->margin.value >= 0, "margin out of range");
    must(o->lists.n % 2 == 0 && o->scan.n % 3 == 0, "half a parameter");
    if (o->metrics.n)
        run_options_rule(o, 2, &rule);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char *argv[WORDS_MAX];
    if (size == 0)
        return 0;
    const struct command *c = chosen(data[0]);
    struct arena arena = {0};
    char *text = arena_copy(&arena, (const char *)data + 1, size - 1);
    int argc = split(text, size - 1, argv);
    struct tare_err err = {0}, again_err = {0};
    void *options, *again;
    enum tare_status s = parse(c, argc, argv, &arena, &options, &err);
    enum tare_status again_s = parse(c, argc, argv, &arena, &again, &again_err);
    must(s == again_s && !strcmp(err.text, again_err.text), "a second reading of the same words ends otherwise");
    must(s == TARE_OK || s == TARE_INVALID, "an unexpected status");
    must(!s == !*err.text, "a failure without a message, or a message without a failure");
    if (s == TARE_OK && c == command_named("run"))
        check_run(options);
    arena_finish(&arena);
    return 0;
}
