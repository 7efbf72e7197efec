/* SPDX-License-Identifier: MIT
 *
 * knob_look.h - what the families of knobs share: files that are read once, rows and settings in few words.
 *
 *     const char *text = look_text(l, "/sys/kernel/mm/ksm/run");
 *     if (!text)
 *         return row_absent(l, k, "this kernel has none");
 *     return strcmp(text, "1") ? row_ok(l, k, "off") : row_noisy(l, k, "on", "it merges pages of all programs", "");
 *
 * Private to the tables. Texts lie in the look's arena. When memory is exhausted sources->no_memory is set and the calls go on with harmless values; it
 * is checked once, at the end. Control characters in rows are masked as they are added, for files may hold anything.
 */
#ifndef KNOB_LOOK_H
#define KNOB_LOOK_H

#include "identity.h"
#include "knob.h"

/* The frequency policy of one or more of the CPUs that are measured on. */
struct policy {
    int cpu;                                                 /* by which its folder is found */
    const char *driver, *governor, *governors, *epp, *epps;  /* NULL: not there */
    int64_t min_khz, max_khz, lowest_khz, top_khz, base_khz; /* -1: not told */
};

struct core {
    int cpu;
    bool told;
    struct cpu_list threads;
};
enum { CORES_KEPT = 8 };

struct look_sources {
    struct buf file;         /* the one file that is being read */
    enum tare_status read;   /* how reading the last one went */
    struct tare_err reason;  /* why the last one gave nothing; "" */
    struct tare_err why;     /* of no_memory, where a file could not be opened for it; else "" */
    struct identity machine; /* classes of cores, hypervisor, memory nodes */
    bool sys, proc, hypervisor, no_memory;
    const char *command_line;      /* of the kernel; "" */
    const char *flags, *vendor;    /* of the first processor in /proc/cpuinfo; "" */
    const char *interrupts;        /* /proc/interrupts; NULL */
    const char *mounts, *groups;   /* /proc/self/mountinfo and /proc/self/cgroup; "" */
    const char *allowed;           /* CPUs that this process may use, as /proc/self/status has them; NULL: it does not tell */
    struct core cores[CORES_KEPT]; /* those that were asked for last */
    int n_cores;
    const char *meminfo;      /* NULL: not read, or not there */
    const char *names;        /* of the processes, each closed by a zero byte, the last one empty */
    bool names_whole;         /* all processes were looked at */
    struct cpu_list measured; /* bench and reserved */
    struct policy *policies;
    int n_policies;
    const char *group_folder; /* of control groups with CPU sets, "/sys/fs/cgroup"; NULL: there is none */
    int group_version;        /* 1, 2 */
};

/* ---- files ---- */

/* The file without blanks at its ends, the path from a format; NULL: not there, not readable, empty, or no text; sources->read says which. */
BUF_FORMATS(2, 3) const char *look_text(struct look *l, const char *format, ...);
/* The same of its first `bytes` at most. */
const char *look_start(struct look *l, const char *path, size_t bytes);
/* A whole number >= 0 and nothing else. False: as NULL above, or something else. */
BUF_FORMATS(3, 4) bool look_number(struct look *l, int64_t *out, const char *format, ...);
/* A list of CPUs, also one with blanks between. "(null)", which some kernels write for no list, is the empty one. */
BUF_FORMATS(3, 4) bool look_cpus(struct look *l, struct cpu_list *out, const char *format, ...);
/* The threads of the core that this CPU belongs to, those offline too. False: the system does not say; *out is this CPU alone. */
bool look_core(struct look *l, int cpu, struct cpu_list *out);

/* ---- text ---- */

BUF_FORMATS(2, 3) const char *look_say(struct look *l, const char *format, ...); /* never NULL */
const char *look_list(struct look *l, const struct cpu_list *cpus);              /* "0-3,8"; "none" */
const char *look_named(struct look *l, const struct cpu_list *cpus);             /* "CPU 3", "CPUs 0-3,8" */
bool text_has_word(const char *text, const char *word);                          /* words between blanks */
bool text_take_hundredths(const char **p, double *out);                          /* "12.05", as kernels write shares and loads */
void cpus_join(struct cpu_list *list, const struct cpu_list *others);
bool cpus_overlap(const struct cpu_list *a, const struct cpu_list *b);
bool cpus_within(const struct cpu_list *part, const struct cpu_list *whole);

enum boot_list { BOOT_ABSENT, BOOT_UNREADABLE, BOOT_CPUS };
/* The CPUs that a parameter of the kernel's command line names; flags before the list are skipped. *out is empty without BOOT_CPUS. */
enum boot_list boot_cpus(const struct look *l, const char *name, struct cpu_list *out);

/* ---- rows ---- */

enum tare_status row_ok(struct look *l, const struct knob *k, const char *value);
/* Whoever sits at the machine can quiet it at run time, where no setting of the knob does. */
enum tare_status row_noisy(struct look *l, const struct knob *k, const char *value, const char *why, const char *advice);
/* The settings of knob `by` quiet it too. */
enum tare_status row_noisy_by(struct look *l, const struct knob *k, const char *value, const char *why, const char *advice,
                              const char *by);
/* Nobody can, but by settings that the knob may have; see knob_row.outside. */
enum tare_status row_stays_noisy(struct look *l, const struct knob *k, const char *value, const char *why, const char *advice);
enum tare_status row_unknown(struct look *l, const struct knob *k, const char *value, const char *why, const char *advice);
enum tare_status row_none(struct look *l, const struct knob *k, const char *why); /* not applicable */
/* After a file gave nothing: unknown where it may not be read, holds something else, or /sys or /proc is missing; else not applicable. */
enum tare_status row_absent(struct look *l, const struct knob *k, const char *why);
/* A file was read and holds something else than expected. */
enum tare_status row_malformed(struct look *l, const struct knob *k);
/* The same as row_absent for what a hypervisor keeps to itself: unknown under one. */
enum tare_status row_hidden(struct look *l, const struct knob *k, const char *why);

/* ---- settings ---- */

/* One file of the knob's own stage, `now` from what was just read. Nothing when it holds already. */
enum tare_status set_number(struct look *l, const struct knob *k, const char *path, int64_t now, const char *wanted);
enum tare_status set_file(struct look *l, const struct knob *k, enum setting_form form, const char *path, const char *read,
                          const char *wanted);

/* The masks of interrupts that may come to these CPUs alone: they are lost when the CPUs go offline, so they are saved, and put back after. */
enum tare_status save_masks(struct look *l, const struct knob *k, const struct cpu_list *cpus);

/* ---- parts of the look ---- */

void look_boot(struct look *l);   /* command_line */
void look_groups(struct look *l); /* the folder of control groups and what our own says */
void look_policies(struct look *l);

/* ---- the knobs ---- */

struct knob_group {
    const struct knob *knobs;
    int n;
};
extern const struct knob_group knobs_of_work, knobs_of_speed, knobs_of_memory, knobs_of_kernel, knobs_of_hardware, knobs_of_host,
    knobs_of_now, knobs_of_windows;

/* For knobs that have a `number`. */
enum tare_status look_one_number(struct look *l, const struct knob *k);

#define CPU "/sys/devices/system/cpu/"

#define KEEP_SYSCTL(name, value) "a line '" name " = " value "' in a file of /etc/sysctl.d"
#define KEEP_BOOT                "the kernel's command line"
#define KEEP_AT_START            "a unit of systemd, ordered after sysinit.target, that runs 'tare system tune'"

/* ---- programs that turn the same knobs ---- */

struct program {
    const char *name;    /* as it calls itself, 15 bytes at most as the kernel keeps it */
    const char *service; /* of systemd; NULL: it is none */
    unsigned stages;     /* bits 1 << enum knob_stage: what tune leaves to it */
};
extern const struct program tuners[];
extern const int n_tuners;

#endif
