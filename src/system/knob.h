/* SPDX-License-Identifier: MIT
 *
 * knob.h - what can make results jitter on this machine: one row a source, its state, and the files that would have to change.
 *
 *     struct arena a = {0};
 *     struct look look;
 *     status = look_at_machine(&look, &root, &wishes, &a, &err);     // rootless, 20 ms
 *     for (int i = 0; i < look.n_rows; i++)
 *         ... look.rows[i].knob->title, .state, .value, .why, .advice
 *     for (int i = 0; i < look.n_settings; i++)
 *         ... look.settings[i].path, .now -> .wanted                 // what tune would write, in the order of writing
 *
 * show, tune --dry-run, tune and reset all go by one list: a source of noise is a row in the file of its group (knobs_memory.c), and nothing else. Nothing is
 * written here: see tune.h.
 * What is not there on this machine is NOT_APPLICABLE, what may not be read is UNKNOWN; neither is an error.
 * Source: the table of noise sources in docs/system.md. Ownership: all texts lie in the arena.
 */
#ifndef KNOB_H
#define KNOB_H

#include "arena.h"
#include "cpu_list.h"
#include "root.h"
#include <stdbool.h>

enum knob_state { KNOB_OK, KNOB_NOISY, KNOB_UNKNOWN, KNOB_NOT_APPLICABLE };

/* What a change risks. tune does A and B; C only when named with --only; D is advice. */
enum knob_risk {
    RISK_SELF_UNDOING, /* A: a descriptor that is held, or of one process */
    RISK_REVERSIBLE,   /* B: a file of the running kernel, which a reboot forgets */
    RISK_DISRUPTIVE,   /* C: takes a CPU, a service or another user's choice away */
    RISK_BOOT          /* D: advice: the kernel's command line, the firmware, another host, or people who end what runs */
};

/* The order of writing: tune goes down, reset goes up but for what is said in tune.h. */
enum knob_stage {
    STAGE_EPP_SAVED,
    STAGE_GOVERNOR,
    STAGE_EPP,
    STAGE_LIMITS,
    STAGE_TURBO,
    STAGE_PARTITION,
    STAGE_TASKS,
    STAGE_MASKS,
    STAGE_SYSCTL,
    STAGE_OFFLINE, /* a CPU that goes takes masks with it, so they are put back after it is there again */
    STAGE_HELD,
    STAGE_NONE
};

/* What a knob does with a file. */
enum knob_use {
    KNOB_WRITES = 'w',  /* it gets a value */
    KNOB_MAKES = 'm',   /* a control group, made and removed */
    KNOB_FILLS = 'f',   /* a list that tasks are put into ... */
    KNOB_EMPTIES = 'e', /* ... and the one that they come from */
    KNOB_READS = 'r'    /* its text says what a setting belongs to */
};

/* A knob that is one whole number in one file, noisy within a range. In `noisy` and `quiet`, the row's value, '#' stands for the number. */
struct knob_number {
    const char *path;
    int64_t noisy_from, noisy_to;
    const char *wanted, *noisy, *quiet;
    const char *why;    /* it is noisy */
    const char *absent; /* why there is no such file */
};

struct look;
struct knob {
    const char *id;    /* "governor", "irq-affinity": for --only, --without, JSON */
    const char *title; /* a few words for the table */
    const char *group; /* the heading that it stands below */
    enum knob_risk risk;
    enum knob_stage stage;
    int effect;       /* 0 to 100: how much it has been seen to move results (docs/system.md); advice is ordered by it */
    const char *keep; /* how to keep it over a reboot; NULL: nothing to keep */
    /* Adds one row, and settings if the machine has any. NO_MEMORY is its only failure. */
    enum tare_status (*look)(struct look *l, const struct knob *k);
    /* Every file that its settings name, but the number's: "w:/proc/irq/#/smp_affinity r:/sys/kernel/irq/#/actions". '#' stands for a number, '@' for the folder
     * of control groups that have CPU sets. NULL: none. */
    const char *files;
    struct knob_number number; /* path NULL: it is none */
    bool windows;              /* of Windows; else of Linux */
};
const struct knob *knob_at(int i);            /* in the order of the table; NULL past the end */
const struct knob *knob_find(const char *id); /* NULL: none */
/* Whether any knob does that with it. What is in no list is not tuned, and no journal makes anybody write it. */
bool knob_may(enum knob_use use, const char *path);

/* What tune may change.
 * FILE: one write of `wanted`.
 * FOLDER: a control group is made; undone by removing it.
 * HELD: `wanted` is written to a descriptor that stays open; undone by closing it.
 * TASKS: each process in the list `from` is written to the list `path`, one write each, as far as the kernel lets it go (threads bound to a CPU stay);
 *        undone the other way round: whatever is in `path` by then goes to `from`. */
enum setting_kind { SETTING_FILE, SETTING_FOLDER, SETTING_HELD, SETTING_TASKS };

/* Kernels answer in another form than the one they take. */
enum setting_form {
    FORM_TEXT,     /* the same words */
    FORM_NUMBER,   /* "0x10" and "16" are the same */
    FORM_SELECTED, /* "always [madvise] never": the word in brackets */
    FORM_LIST,     /* CPUs: "0-3,8" */
    FORM_MASK,     /* CPUs: "ff", "00000000,000000ff" */
    FORM_SWITCH    /* "+cpuset", "-cpuset": the word stands among others, or does not */
};
/* Whether what was read is what `value` asks for. Blanks at either end never count; so "\n" is the empty value. */
bool setting_holds(enum setting_form form, const char *read, const char *value);
/* What would have to be written to get back what was read, appended: without blanks at its ends, the selected word alone. */
void setting_value(struct buf *out, enum setting_form form, const char *read);

struct setting {
    const struct knob *knob;
    enum setting_kind kind;
    enum setting_form form;
    enum knob_stage stage;
    const char *path; /* "/sys/devices/system/cpu/cpu1/cpufreq/scaling_governor" */
    const char *from; /* TASKS: the list that they are in now; else NULL */
    const char
        *identity; /* what must still be the same at reset: name of the interrupt's action, the policy's driver; "" : nothing */
    const char *identity_path; /* the file in which it stands, whole and without its line end; NULL: nothing */
    const char
        *now; /* as it would have to be written to get it back: the selected word of "always [madvise] never", "\n" of a list
                        that is empty; NULL: nothing is written back (a folder, tasks) */
    const char *
        wanted; /* exact text to write; NULL: it is not written, but saved and put back at its stage, for others change it (EPP, tasks) */
    const char *otherwise; /* to be written when `wanted` is not what is read back then; NULL: none */
    const char *why_not;   /* it will not be changed, and why: managed by the kernel, not allowed ...; NULL: it can be tried */
};

struct knob_row {
    const struct knob *knob;
    enum knob_state state;
    const char *value;  /* "powersave on 4 of 8 CPUs"; never NULL */
    const char *why;    /* why this is noisy or not known; "" when OK */
    const char *advice; /* what to do where tune cannot; "" : tune does it, or nothing to do */
    const char *by;     /* id of another knob whose settings quiet it too; NULL: none */
    bool
        outside; /* noisy, and what tune leaves of it nothing quiets here before the next start: firmware, host, kernel, other hardware */
};

struct wishes {           /* what the user asks for */
    struct cpu_list cpus; /* to measure on; empty: chosen (see look.bench) */
    enum { FREQUENCY_BASE, FREQUENCY_LOWEST, FREQUENCY_HZ } frequency;
    int64_t hz;                               /* with FREQUENCY_HZ */
    const char *const *only, *const *without; /* ids, closed by NULL; NULL: all, none */
    bool probed;                              /* what uses CPU time is watched as well: no row advises it */
};

struct look {
    const struct system_root *root;
    const struct wishes *wishes;
    struct arena *arena;
    struct cpu_list online, present;
    struct cpu_list isolated;     /* by the kernel's command line, or by a group of ours */
    struct cpu_list bench;        /* where it will be measured: one CPU a core, unless the user says otherwise */
    struct cpu_list reserved;     /* the other threads of those cores, to be left idle */
    struct cpu_list housekeeping; /* all others that are online; empty on a machine with one CPU, and then nothing is steered */
    bool windows;                 /* which knobs have rows */
    const char *why_bench;        /* "the last core, away from CPU 0 and from the CPU with most interrupts" */
    const char
        *bench_tasks; /* where a process has to write itself before it can run on them, once tuned; NULL: pinning is enough */
    struct look_sources *sources; /* of the tables alone */
    struct knob_row *rows;
    int n_rows, room_rows;
    struct setting *settings;
    int n_settings, room_settings;
    const char *command_line; /* what the kernel's command line would need, ready to paste; NULL: nothing */
    const char *read_only;    /* where settings lie that nobody can write, as it is mounted so; NULL: nowhere */
};

/* INVALID: CPUs that are not there, not online, not among those isolated, or leave none for the rest; an id that no knob has; a frequency that these CPUs
 * do not have. NO_MEMORY. UNSUPPORTED: neither /sys nor /proc tells of a CPU. */
enum tare_status look_at_machine(struct look *out, const struct system_root *root, const struct wishes *wishes, struct arena *a,
                                 struct tare_err *err);

/* For the tables' rows. Texts are copied. A setting of a knob that was not asked for is left out. */
enum tare_status look_add_setting(struct look *l, const struct setting *s);

/* "ok", "noisy", "unknown", "not applicable"; "A" to "D". */
const char *knob_state_text(enum knob_state s);
const char *knob_risk_text(enum knob_risk r);

#endif
