/* SPDX-License-Identifier: MIT */
#include "cli.h"
#include "buf.h"
#include "help.h"
#include "nearest.h"
#include "plat.h"
#include "plat_process.h"
#include "self_trace.h"
#include <string.h>

enum { TEXT_MAX = 1 << 20 };

static int (*const functions[])(struct cli *, const void *) = {
#define COMMAND(name) cmd_##name,
#include "commands.def"
};

enum { OUTPUT = 1, ERRORS };

/* Not through stdio, which drops what a stream that is never waited for does not take at once. */
static enum tare_status write_stream(int stream, const void *bytes, size_t n, struct tare_err *err)
{
    struct tare_err why;
    if (!plat_process_write(stream, bytes, n, &why))
        return TARE_OK;
    const char *reason = strchr(why.text, ':'); /* the number of the descriptor says nothing to the user */
    return err_set(err, TARE_IO, "cannot write%s", reason ? reason : "");
}

static enum tare_status write_out(void *context, const void *bytes, size_t n, struct tare_err *err)
{
    struct cli *cli = context;
    struct tare_err own;
    enum tare_status s = write_stream(OUTPUT, bytes, n, &own);
    if (s && !cli->out_failed) {
        cli->out_failed = true;
        cli->out_err = own;
    }
    return s ? err_set(err, s, "%s", own.text) : s;
}

static enum tare_status write_talk(void *context, const void *bytes, size_t n, struct tare_err *err)
{
    (void)context;
    return write_stream(ERRORS, bytes, n, err);
}

static enum exit_code print_help(struct cli *cli, bool all)
{
    struct buf b = BUF_INIT(TEXT_MAX);
    if (cli->command)
        help_command(&b, cli->command, all);
    else
        help_tool(&b);
    return cli_print(cli, &b);
}

static enum exit_code print_version(struct cli *cli)
{
    struct buf b = BUF_INIT(TEXT_MAX);
    const bool known = *cli_commit;
    buf_format(&b, "tare " CLI_VERSION "%s%s%s\n", known ? " (" : "", cli_commit, known ? ")" : "");
    return cli_print(cli, &b);
}

/* Before anything is begun: a stack that is used up ends the session without a word. */
static bool stack_too_small(struct tare_err *err)
{
    enum { LEAST_KIB = 256 };
    const int64_t kib = plat_stack_limit() / 1024;
    if (kib < LEAST_KIB)
        err_set(err, TARE_NO_MEMORY, "the stack is limited to %lld KiB, and tare needs %d KiB: raise it with ulimit -s",
                (long long)kib, LEAST_KIB);
    return kib < LEAST_KIB;
}

/* Where the option that was not known is one of c->elsewhere: what to do about it, in place of what err says. */
static void hint_elsewhere(const struct command *c, const struct option_operands *operands, struct tare_err *err)
{
    const char *name = operands->unknown;
    for (const struct command_elsewhere *o = c->elsewhere; o && o->name; o++)
        if (!strcmp(name, o->name) || (*name && !name[1] && *name == o->letter))
            err_set(err, TARE_INVALID, "--%s %s", o->name, o->advice);
}

/* n_words: of the command line, that name the command. */
static enum exit_code run_command(struct cli *cli, int index, int n_words)
{
    const struct command *c = cli->command = commands[index];
    struct tare_err err = {0};
    void *options = arena_alloc(cli->arena, c->options.size);
    if (!options) {
        err_no_memory(&err);
        return cli_fail(cli, EXIT_TOOL, &err);
    }
    TARE_POINT_NAMED("options");
    option_defaults(&c->options, options);
    int before = 1 + n_words;
    enum tare_status s =
        option_parse(&c->options, options, cli->argc - before, cli->argv + before, &cli->operands, cli->arena, &err);
    const struct option_base *base = options;
    if (cli->operands.foreign)
        command_hint_quotes(c, &cli->operands, cli->argc - before, cli->argv + before, &err);
    if (s)
        hint_elsewhere(c, &cli->operands, &err);
    if (s == TARE_OK && base->help)
        return print_help(cli, base->help_all);
    if (s == TARE_OK && base->version)
        return print_version(cli);
    if (s == TARE_OK && c->check)
        s = c->check(options, &cli->operands, cli->arena, &err);
    if (s)
        return cli_fail(cli, s == TARE_NO_MEMORY ? EXIT_TOOL : EXIT_USAGE, &err);
    if (stack_too_small(&err))
        return cli_fail(cli, EXIT_TOOL, &err);
    TARE_POINT_NAMED("command");
    return functions[index](cli, options);
}

/* Who forgets the family's name. */
static const struct command *command_ending_in(const char *word)
{
    for (int i = 0; commands[i]; i++)
        if (!strcmp(command_last_word(commands[i]), word))
            return commands[i];
    return NULL;
}

static enum exit_code unknown_of_family(struct cli *cli, const struct command_family *family, const char *word)
{
    struct tare_err err;
    struct nearest near = {.word = word};
    for (int i = 0; commands[i]; i++)
        if (command_family_of(commands[i]) == family)
            nearest_try(&near, command_last_word(commands[i]));
    if (near.best)
        err_set(&err, TARE_INVALID, "unknown command '%s %.60s'; did you mean tare %s %s?", family->name, word, family->name,
                near.best);
    else if (word[0] == '-')
        err_set(&err, TARE_INVALID, "unknown option %.60s; options follow a command; tare %s -h lists the commands", word,
                family->name);
    else
        err_set(&err, TARE_INVALID, "unknown command '%s %.60s'; tare %s -h lists the commands", family->name, word,
                family->name);
    return cli_fail(cli, EXIT_USAGE, &err);
}

static enum exit_code unknown_command(struct cli *cli, const char *word)
{
    struct tare_err err;
    struct nearest near = {.word = word};
    for (int i = 0; commands[i]; i++)
        nearest_try(&near, commands[i]->name);
    for (int i = 0; command_families[i]; i++)
        nearest_try(&near, command_families[i]->name);
    const struct command *second = command_ending_in(word);
    struct nearest option = {.word = word + 2};
    if (word[0] == '-' && word[1] == '-') {
        nearest_try(&option, "version");
        nearest_try(&option, "help");
    }
    if (option.best)
        err_set(&err, TARE_INVALID, "unknown option %.60s; did you mean --%s?", word, option.best);
    else if (word[0] == '-')
        err_set(&err, TARE_INVALID, "unknown option %.60s; options follow a command, as in tare run %.60s", word, word);
    else if (second || near.best)
        err_set(&err, TARE_INVALID, "unknown command '%.60s'; did you mean tare %s?", word, second ? second->name : near.best);
    else
        err_set(&err, TARE_INVALID, "unknown command '%.60s'; to measure it: tare run '%.60s'; to see the commands: tare -h",
                word, word);
    return cli_fail(cli, EXIT_USAGE, &err);
}

static bool is_help(const char *word)
{
    return !strcmp(word, "-h") || !strcmp(word, "--help");
}

static bool is_version(const char *word)
{
    return !strcmp(word, "-V") || !strcmp(word, "--version");
}

static enum exit_code dispatch_family(struct cli *cli, const struct command_family *family)
{
    const char *word = cli->argc > 2 ? cli->argv[2] : "-h";
    if (is_help(word)) {
        struct buf b = BUF_INIT(TEXT_MAX);
        help_family(&b, family);
        return cli_print(cli, &b);
    }
    return is_version(word) ? print_version(cli) : unknown_of_family(cli, family, word);
}

static enum exit_code dispatch_words(struct cli *cli)
{
    if (cli->argc < 2)
        return print_help(cli, false);
    const char *word = cli->argv[1];
    if (is_help(word))
        return print_help(cli, false);
    if (is_version(word))
        return print_version(cli);
    int n_words, index = command_of_words(cli->argc - 1, (const char *const *)cli->argv + 1, &n_words);
    if (index >= 0)
        return run_command(cli, index, n_words);
    return n_words ? dispatch_family(cli, command_family_named(word)) : unknown_command(cli, word);
}

int cli_main(int argc, char **argv)
{
    TARE_POINT_NAMED("tare");
    plat_keep_standard_streams();
    plat_arguments(&argc, &argv);
    struct arena arena = {0};
    struct cli cli = {.arena = &arena, .argc = argc, .argv = argv};
    cli.out = (struct sink){write_out, &cli};
    cli.talk = (struct sink){write_talk, &cli};
    enum exit_code code = dispatch_words(&cli);
    if (cli.out_failed) {
        struct tare_err err;
        err_set(&err, TARE_IO, "standard output: %s; the result was not written", cli.out_err.text);
        code = cli_worse(cli_fail(&cli, EXIT_TOOL, &err), code);
    }
    arena_finish(&arena);
    TARE_POINT_NAMED("end");
    return code;
}
