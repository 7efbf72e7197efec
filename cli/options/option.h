/* SPDX-License-Identifier: MIT
 *
 * option.h - a command's options as one const table, and the parser that reads a command line by it.
 *
 *     struct fetch { struct option_base base; int tries; const char *url; };
 *     static const struct option items[] = {
 *         {.group = "Network", .name = "tries", .letter = 't', .type = OPTION_INT, .offset = offsetof(struct fetch, tries),
 *          .arg = "NUM", .unit = "attempt", .preset = "3", .min = 1, .max = 100, .help = "Give up after NUM attempts."},
 *     };
 *     static const struct option_set set = {items, 1, sizeof(struct fetch)};
 *     struct fetch f;
 *     option_defaults(&set, &f);
 *     status = option_parse(&set, &f, argc, argv, &operands, &arena, &err);
 *
 * The table is the only place that knows an option: parser, help, manual, completions and tests all read it.
 * It holds offsets and no addresses, so a command can run twice in one process.
 *
 * Grammar, as getopt_long reads it: `--name VALUE`, `--name=VALUE`, any unambiguous beginning of a long name, `-n VALUE`,
 * `-nVALUE`, clusters of letters (`-Nr5`), options before and after operands, `--` ends them, a lone `-` is an operand.
 * A value is taken as it stands, also when it begins with a minus. As users of hyperfine write it, `-n=VALUE` is accepted
 * too; an optional value is given only with `=` (`-i=1,2`, `--ignore-failure=1,2`). A value given twice: the last counts,
 * unless the option is marked `once`; that is refused.
 *
 * Does not print, read files or the environment, or look at more than one option at a time (a command's check does).
 * Ownership: parsed texts point into argv or the table; lists, codes and operands live in the arena. Thread-safe.
 */
#ifndef OPTION_H
#define OPTION_H

#include "arena.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tare/status.h>

enum option_type {                 /* what lies at the offset, and how its value is written */
                   OPTION_FLAG,    /* bool */
                   OPTION_COUNT,   /* int, one more each time it is given */
                   OPTION_INT,     /* int: a whole decimal number */
                   OPTION_UINT64,  /* uint64_t, all 64 bits; has no limits */
                   OPTION_NUMBER,  /* double, as it is: "1e-5", "0.01" */
                   OPTION_PERCENT, /* double, a ratio: "2%" and "2" are 0.02; limits and messages are in percent */
                   OPTION_DURATION, /* int64_t nanoseconds: "5ns", "500ms", "2s", "1min", "1h"; a bare number is seconds, as are limits */
                   OPTION_SIZE,      /* int64_t bytes: "64kB", "500MB", "2GB"; a bare number is bytes, as are limits */
                   OPTION_MARGIN,    /* struct option_margin: "1%", "5ns", "20cycles", "3kB"; a bare number is a count */
                   OPTION_TEXT,      /* const char *, not empty */
                   OPTION_FILE,      /* the same, a file's path or "-" */
                   OPTION_DIRECTORY, /* the same, a directory's path */
                   OPTION_WORD,      /* const char *, one of `choices` */
                   OPTION_CHOICE,    /* int, index into `choices` */
                   OPTION_CODES,     /* struct option_codes: optional value, exit codes "1,2" */
                   OPTION_LIST,      /* struct option_list: `words` words each time it is given */
                   OPTION_HELP,      /* sets base.help and ends the parsing; has no field */
                   OPTION_HELP_ALL,  /* sets base.help_all too */
                   OPTION_VERSION    /* sets base.version, the same */
};

enum option_suggest {
    SUGGEST_NOTHING,
    SUGGEST_FILES,
    SUGGEST_DIRECTORIES,
    SUGGEST_COMMANDS,
    SUGGEST_TOPICS, /* of tare help */
    SUGGEST_KNOBS   /* what tare system tune can change, with commas between */
};

struct option_margin {
    double value;     /* in `unit`; a ratio when unit is NULL */
    const char *unit; /* NULL relative, "ns", "bytes", "cycles", "1", or a word that the command knows or refuses */
};

struct option_codes {
    bool any, all;    /* given at all; given without a list: every non-zero code */
    const int *items; /* 1..255 */
    int n;
};

struct option_list {
    const char *const *items; /* words of all uses, in order: n of them; NULL when n is 0 */
    int n;
};

struct option;

/* First member of every command's options. */
struct option_base {
    uint64_t given[2]; /* see option_given */
    bool help, help_all, version;
    const struct option *last; /* the last option that took a word for itself, and the word; NULL: none did */
    const char *last_word;
};
enum { OPTIONS_MAX = 128 };
#define OPTION_UNKNOWN \
    "; --help-all lists the options, -- ends them" /* ends the message about an option like none that there is */

struct option {
    const char *group; /* heading in the help; options of a group stand together */
    const char *name;  /* without dashes; NULL: only a letter */
    char letter;       /* 0: only a name */
    enum option_type type;
    int words;                   /* OPTION_LIST: words each time, 0 means 1 */
    bool once;                   /* giving it twice is an error, for nothing may be dropped in silence */
    bool may_be_empty;           /* OPTION_TEXT: "" is a value */
    bool common;                 /* in the short help too: most people need it sooner or later */
    bool hidden;                 /* works, but is not in help and completions; the manual has it */
    enum option_suggest suggest; /* what completions offer as value, beside the choices */
    size_t offset;               /* of the field in the command's struct */
    const char *arg;             /* the value's name in the help: "NUM", "VAR MIN MAX"; NULL for flags */
    const char *unit;            /* singular, for numbers: "run" */
    const char *preset;          /* default, parsed like a given value; NULL: `absent` (numbers), else zero */
    const char *bare;            /* OPTION_INT, _TEXT: the value may be left away, and is this then; given with `=` only */
    const char *preset_note;     /* shown as the default when it depends on others: "5 s for each command" */
    double absent;       /* OPTION_INT, _NUMBER, _PERCENT, _DURATION without preset: the value stored; NAN fits the doubles */
    double min, max;     /* allowed values as the user writes them (percent, seconds); both 0: no limits */
    const char *choices; /* words separated by blanks; for _TEXT and _LIST only what completions offer */
    const char *help;    /* one to three sentences */
    const char *detail;  /* more, for the manual only; may be NULL */
};

struct option_set {
    const struct option *items;
    int n;
    size_t size; /* of the command's struct */
};

struct option_operands {
    const char *const *items; /* closed by NULL */
    int n;
    int after;        /* index of the first that stood after `--`; n when none did */
    bool dashes;      /* there was a `--` */
    int first;        /* how many words stood before the first */
    bool foreign;     /* option_parse failed at an option that may be meant for the operand before it */
    char unknown[64]; /* at one that is not in the table: its name, or its letter; "" */
};

/* Every field at its default; must come before option_parse. `options` has set->size bytes. */
void option_defaults(const struct option_set *set, void *options);

/* Reads argc words (program and command name already taken off). INVALID: err says which word is wrong and what would be
 * right; options and operands are then those before it. NO_MEMORY. After -h or -V nothing more is read. */
enum tare_status option_parse(const struct option_set *set, void *options, int argc, char *const *argv,
                              struct option_operands *out, struct arena *a, struct tare_err *err);

/* INVALID where there are more than n operands: "unexpected argument 'x'", and `what` behind it. */
enum tare_status option_operands_end(const struct option_operands *operands, int n, const char *what, struct tare_err *err);

/* The words as typed, closed by NULL, without the options that `left_out` names; a cluster of letters goes only if all of it does. NULL: option_parse refuses
 * them, or out of memory. */
const char **option_words_without(const struct option_set *set, bool (*left_out)(const struct option *o), int argc,
                                  char *const *argv, struct arena *a);

/* Parses one value into its field, as option_parse does; err lacks the option's name. text NULL: value left out. */
enum tare_status option_value_set(const struct option *o, const char *text, void *field, struct arena *a, struct tare_err *err);

/* Whether the option whose field lies at `offset` stood on the command line. */
bool option_given(const struct option_set *set, const void *options, size_t offset);

/* From now on as if it had not stood there; its value stays. */
void option_forget(const struct option_set *set, void *options, size_t offset);

/* Adds " ('WORD' was taken by --OPTION ARG)" to err when an option took the last word: for commands that miss an operand. */
void option_hint_taken(const struct option_base *base, struct tare_err *err);

/* By full name or letter; NULL when there is none. */
const struct option *option_named(const struct option_set *set, const char *name);
const struct option *option_lettered(const struct option_set *set, char letter);
enum option_suggest option_suggests(const struct option *o); /* its `suggest`, or what its type implies */
bool option_takes_value(const struct option *o);             /* a value must follow */
bool option_may_take_value(const struct option *o);          /* one may follow, behind an equals sign */
int option_words(const struct option *o);                    /* how many words: 0 for flags */

#endif
