/* SPDX-License-Identifier: MIT */
#include "cli.h"
#include "buf.h"
#include "help.h"
#include "nearest.h"
#include "plat.h"
#include "self_trace.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { TEXT_MAX = 1 << 20 };

static int (*const functions[])(struct cli *, const void *) = {
#define COMMAND(name) cmd_##name,
#include "commands.def"
#undef COMMAND
};

/* ---- output ---- */

static enum tare_status write_stream(FILE *stream, const void *bytes, size_t n, struct tare_err *err)
{
    errno = 0;
    if (fwrite(bytes, 1, n, stream) == n && fflush(stream) == 0)
        return TARE_OK;
    return err_set(err, TARE_IO, "cannot write: %s", errno ? strerror(errno) : "unknown reason");
}

static enum tare_status write_out(void *context, const void *bytes, size_t n, struct tare_err *err)
{
    struct cli *cli = context;
    struct tare_err own;
    enum tare_status s = write_stream(stdout, bytes, n, &own);
    if (s && !cli->out_failed) {
        cli->out_failed = true;
        cli->out_err = own;
    }
    return s ? err_set(err, s, "%s", own.text) : s;
}

static enum tare_status write_talk(void *context, const void *bytes, size_t n, struct tare_err *err)
{
    (void)context;
    return write_stream(stderr, bytes, n, err);
}

/* ---- commands ---- */

static int print_help(struct cli *cli)
{
    struct buf b = BUF_INIT(TEXT_MAX);
    if (cli->command)
        help_command(&b, cli->command);
    else
        help_tool(&b);
    return cli_print(cli, &b);
}

static int print_version(struct cli *cli)
{
    struct buf b = BUF_INIT(TEXT_MAX);
    buf_format(&b, "tare %s\n", CLI_VERSION);
    return cli_print(cli, &b);
}

static int run_command(struct cli *cli, int index)
{
    const struct command *c = cli->command = commands[index];
    struct tare_err err = {0};
    void *options = arena_alloc(cli->arena, c->options.size);
    if (!options) {
        err_set(&err, TARE_NO_MEMORY, "out of memory");
        return cli_fail(cli, EXIT_TOOL, &err);
    }
    TARE_POINT_NAMED("options");
    option_defaults(&c->options, options);
    enum tare_status s = option_parse(&c->options, options, cli->argc - 2, cli->argv + 2, &cli->operands, cli->arena, &err);
    const struct option_base *base = options;
    if (s == TARE_OK && base->help)
        return print_help(cli);
    if (s == TARE_OK && base->version)
        return print_version(cli);
    if (s == TARE_OK && c->check)
        s = c->check(options, &cli->operands, cli->arena, &err);
    if (s)
        return cli_fail(cli, s == TARE_NO_MEMORY ? EXIT_TOOL : EXIT_USAGE, &err);
    TARE_POINT_NAMED("command");
    return functions[index](cli, options);
}

static int unknown_command(struct cli *cli, const char *word)
{
    struct tare_err err;
    struct nearest near = {.word = word};
    for (int i = 0; commands[i]; i++)
        nearest_try(&near, commands[i]->name);
    struct nearest option = {.word = word + 2};
    if (word[0] == '-' && word[1] == '-') {
        nearest_try(&option, "version");
        nearest_try(&option, "help");
    }
    if (option.best)
        err_set(&err, TARE_INVALID, "unknown option %.60s; did you mean --%s?", word, option.best);
    else if (word[0] == '-')
        err_set(&err, TARE_INVALID, "unknown option %.60s; options stand behind a command, as in tare run %.60s", word, word);
    else if (near.best)
        err_set(&err, TARE_INVALID, "unknown command '%.60s'; did you mean tare %s?", word, near.best);
    else
        err_set(&err, TARE_INVALID, "unknown command '%.60s'; to measure it: tare run '%.60s'; to see the commands: tare -h",
                word, word);
    return cli_fail(cli, EXIT_USAGE, &err);
}

static int dispatch(struct cli *cli)
{
    if (cli->argc < 2)
        return print_help(cli);
    const char *word = cli->argv[1];
    if (!strcmp(word, "-h") || !strcmp(word, "--help"))
        return print_help(cli);
    if (!strcmp(word, "-V") || !strcmp(word, "--version"))
        return print_version(cli);
    for (int i = 0; commands[i]; i++)
        if (!strcmp(commands[i]->name, word))
            return run_command(cli, i);
    return unknown_command(cli, word);
}

int cli_main(int argc, char **argv)
{
    TARE_POINT_NAMED("tare");
    plat_keep_standard_streams();
    struct arena arena = {0};
    struct cli cli = {.arena = &arena, .argc = argc, .argv = argv};
    cli.out = (struct sink){write_out, &cli};
    cli.talk = (struct sink){write_talk, &cli};
    int code = dispatch(&cli);
    if (cli.out_failed) {
        struct tare_err err;
        err_set(&err, TARE_IO, "standard output: %s; the result did not arrive", cli.out_err.text);
        code = (int)cli_worse((enum exit_code)cli_fail(&cli, EXIT_TOOL, &err), (enum exit_code)code);
    }
    arena_finish(&arena);
    TARE_POINT_NAMED("end");
    return code;
}
