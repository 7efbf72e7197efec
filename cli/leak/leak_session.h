/* SPDX-License-Identifier: MIT
 *
 * leak_session.h - what `tare leak` holds while it works: a session as `tare run` has it, with targets of programs in place of commands.
 * Used by cli/leak, and by cli/stored for records of targets.
 *
 * The programs are asked for their targets first (leak_programs.c); each becomes a subject, and from there on the session is that of cli/run:
 * the same plan, rounds, record, findings, screen and files. What differs is that a report goes to the target's judge (leak_judges.h) and
 * to the file of raw times (leak_pages.c), and that a look asks the judges (cmd_leak.c).
 */
#ifndef LEAK_SESSION_H
#define LEAK_SESSION_H

#include "leak_judges.h"
#include "leak_options.h"
#include "plat.h"
#include "run.h"

struct leak_raw {           /* the file of raw times beside a record; zeroed: closed */
    struct plat_file *file; /* NULL: nothing is kept */
    int64_t at;
    struct tare_err err; /* of the first write that failed */
    bool failed;
    bool replaces;  /* a file with times */
    bool keeps_old; /* which stay, as the new ones cannot be written */
};

struct leak_program {
    const char *path;  /* as the user named it */
    const char *label; /* behind the names of its targets; NULL: there is one program */
    const char *const *argv;
    const char **targets;  /* those that fit what is asked */
    const char **troubles; /* of each: why it cannot be run; NULL: it can */
    int *calls;            /* of each: in a block */
    int n_targets;
    uint32_t taint;      /* wire_hello.taint */
    const char *library; /* --symbol: the file that has the function; NULL: a program */
};

struct leak_ledger;
struct taint_result;

struct leak {
    struct run run; /* first: what exec calls back gets it */
    const struct leak_options *o;
    struct leak_options own; /* --continue: o, with what the earlier session asked */
    struct leak_program *programs;
    int n_programs;
    struct leak_request *requests; /* one for each subject */
    struct leak_judges judges;
    struct leak_raw raw;
    struct record before; /* --continue; zeroed without */
    struct leak_ledger *ledger;
    struct spent spent;
    int looks;
    struct taint_result *taint; /* of each program; NULL: not asked, or not yet */
    struct tare_err take_error; /* the first report that could not be judged for want of memory or a rule that fits */
    enum tare_status take_status;
};

/* ---- programs and subjects: leak_programs.c ---- */

/* Names, asks, makes subjects and requests, settles the rule. CHILD, VERSION, NOT_FOUND (nothing that fits), INVALID, INTERRUPTED. */
enum tare_status leak_describe(struct leak *k, struct tare_err *err);
/* The subject of a program's target, or of a file with times. */
enum tare_status leak_one_subject(struct leak *k, const char *name, const char *program, struct tare_err *err);
void leak_rule_from_options(const struct leak_options *o, struct rule *rule);

/* ---- files of raw times and ledgers: leak_pages.c ---- */

/* Where it begins; -1: it was not kept. */
int64_t leak_raw_add(struct leak_raw *raw, const void *bytes, size_t n);

/* The reports of all rows to the judges of their subjects. `keep`, if given, gets them all, and the rows' raw_at become places in it. FORMAT: the file is
 * not as it was written (its length, where the session came to its end, and the hash of each report are held against the record), or is of another
 * record; IO: it is not there or cannot be read; UNSUPPORTED: the record has none; else as leak_judge_take. *left_out: processes without
 * times, which a full disk kept from being written; the record has them no more. */
enum tare_status leak_raw_judge(const char *record_path, struct record *r, struct leak_judge *const *judges,
                                struct leak_raw *keep, int *left_out, struct tare_err *err);

/* Refuses exports, and a record, where the times of this one lie, whatever it is called now: INVALID. save may be NULL. */
enum tare_status leak_raw_check(const char *record_path, const struct record *r, const struct display_options *display,
                                const char *save, struct tare_err *err);

const struct leak_runs *leak_ledger_runs(const struct leak_ledger *ledger); /* until it is closed; NULL: there is none */

/* ---- records: leak_rejudge.c ---- */

/* All verdicts of the record once more, from the times beside it, by its rule. The judges were opened. As leak_raw_judge. */
enum tare_status leak_rejudge(struct cli *cli, bool quiet, const char *path, struct record *r, struct leak_judges *all,
                              struct tare_err *err);
enum exit_code leak_from_replay(struct leak *k);
/* Of a stored session that could not be judged or continued: FORMAT is a file that is not as it was written (EXIT_INVALID), INVALID wrong use, all
 * else what cannot be read. */
enum exit_code leak_stored_code(enum tare_status status);
/* --continue: reads the session; its programs, rule and kind become those of k, by options of its own. INVALID: it cannot go on. */
enum tare_status leak_continue_load(struct leak *k, struct tare_err *err);
/* Before any program that the file names is executed: refuses those that are other files now, shows them and asks, as --yes says. After an error line
 * EXIT_USAGE or EXIT_TOOL. */
enum exit_code leak_continue_consent(const struct leak *k);
/* Its rows and times, once the record of this session is open. INVALID: a program is another file now. */
enum tare_status leak_continue_take(struct leak *k, struct tare_err *err);

/* ---- the end: leak_pages.c ---- */

/* By verdicts, failures and what --taint found, the precedence of cli.h. */
enum exit_code leak_code(const struct record *r);
/* The files of --ledger and --save (times), those that were asked for; what there is to say of the ledger is said. */
enum tare_status leak_open_files(struct leak *k, const struct buf *file, struct tare_err *err);
/* The times take their place with the record, once outputs_open was called. */
void leak_save_raw(struct leak *k);
/* After the last call: how long the file of times is goes into the record; the ledger gets the verdicts. An error was printed. */
enum exit_code leak_close_raw(struct leak *k);
enum exit_code leak_add_to_ledger(struct leak *k);
/* Pictures of all targets into the record, for the exports. Before the record is shown. */
enum exit_code leak_draw(struct leak *k);
/* Pictures on the screen, with -v. After the record was shown. */
enum exit_code leak_show_pictures(struct cli *cli, const struct display_options *d, const struct record *r);
bool leak_make_pages(const struct leak_judges *all, struct record *r, struct arena *arena); /* false: no memory */
/* Open judges, pages, files. */
void leak_close(struct leak *k);

#endif
