/* SPDX-License-Identifier: MIT
 *
 * cli.h - what a command's function gets, and how it reports.
 *
 *     int cmd_show(struct cli *cli, const void *options)
 *     {
 *         const struct show_options *o = options;
 *         if (record_read(cli->operands.items[0], ..., &err))
 *             return cli_fail(cli, EXIT_TOOL, &err);
 *         return EXIT_ANSWERED;
 *     }
 *
 * stdout is the result, stderr is talk. Both sinks write at once, so that what a command prints and what a measured program
 * prints stay in order. That the result arrived is checked once, after the command, by cli_main.
 */
#ifndef CLI_H
#define CLI_H

#include "buf.h"
#include "command.h"
#include "sink.h"

enum exit_code { /* the same for all commands; where several apply: 2 before 6 before 5 before 4 before 1 before 3 */
                 EXIT_ANSWERED = 0, /* the question was answered; without --fail-if-* that includes every verdict */
                 EXIT_BAD = 1,      /* the bad answer that was asked about: slower than allowed */
                 EXIT_USAGE = 2,
                 EXIT_UNDECIDED = 3, /* a decision was asked for and not reached */
                 EXIT_INVALID = 4,   /* not comparable, invalid or unstable measurement */
                 EXIT_CHILD = 5,     /* the measured program failed, crashed or timed out */
                 EXIT_TOOL = 6       /* tare could not do its work */
};

struct cli {
    struct sink out;  /* the result */
    struct sink talk; /* notes, progress, errors */
    bool out_failed;  /* something could not be written to `out`; out_err says why */
    struct tare_err out_err;
    const struct command *command;
    struct option_operands operands;
    struct arena *arena; /* lives as long as the command */
    int argc;            /* tare's own command line, for the record's header */
    char *const *argv;   /* closed by NULL */
};

extern const char cli_commit[]; /* that was built, with ", changed" where the sources differ from it; "" where it is not known */

/* Each command's work; options as described beside its table. Returns the exit code. */
#define COMMAND(name) int cmd_##name(struct cli *cli, const void *options);
#include "commands.def"

/* Writes "WHERE: TEXT" to `talk` as one line, with escapes for what must not reach a terminal. */
void cli_note(struct cli *cli, const char *where, const char *text);
void cli_say(struct cli *cli, bool quiet, struct buf *text); /* as "note: TEXT", unless quiet or empty; it is finished */
/* Prints "tare run: TEXT" like cli_note; returns `code`. */
enum exit_code cli_fail(struct cli *cli, enum exit_code code, const struct tare_err *err);
/* The same; returns EXIT_USAGE where the request was wrong (TARE_INVALID), else EXIT_TOOL. */
enum exit_code cli_refuse(struct cli *cli, enum tare_status status, const struct tare_err *err);
/* A line of --list: a name that a measured program gave, behind its program's label where there is one; with escapes as in cli_note. */
void cli_put_name(struct buf *b, const char *label, const char *name);
/* Writes a composed text to `out` and frees it. Returns EXIT_ANSWERED, or EXIT_TOOL after an error line when the text is
 * incomplete; a failed write is reported at the end, once. */
enum exit_code cli_print(struct cli *cli, struct buf *b);
/* The exit code that wins when a session earned both. */
enum exit_code cli_worse(enum exit_code a, enum exit_code b);

/* The whole tool: finds the command, parses, runs, checks that the result was written. Returns the exit code.
 * Several calls in one process are fine. */
int cli_main(int argc, char **argv);

#endif
