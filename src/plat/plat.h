/* SPDX-License-Identifier: MIT
 *
 * plat.h - the one interface to the operating system. linux/ implements it, with what POSIX systems share in posix/, and tests/fake: a platform like the others,
 * whose clock, children, signals and /proc follow a script. A program is linked with one of them.
 *
 * A feature that a platform lacks returns TARE_UNSUPPORTED with a reason in err; that is a value, not a crash.
 * Ownership: what a call opens, its twin closes. One thread unless said otherwise.
 */
#ifndef PLAT_H
#define PLAT_H

#include "buf.h"
#include "sink.h"
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <tare/status.h>

/* ---- clock ---- */

int64_t plat_now_ns(void);      /* monotonic, for durations; never steps */
int64_t plat_utc_ns(void);      /* wall clock since 1970; may step, only for labels */
void plat_sleep_ns(int64_t ns); /* returns early on a signal of plat_signal */
/* One sleep as any program asks the system for it, to see how long it then lasts; a signal ends it early. */
void plat_nap_ns(int64_t ns);
/* Where sleeps end with the next interrupt of a timer whose period programs can see and shorten (Windows). */
struct plat_timer_period {
    int64_t now_ns, finest_ns, coarsest_ns; /* coarsest: where nobody asked for a shorter one */
    int64_t day_ns; /* by which the time of day moves on at each; with day_slew_ns more where time keeping slews it */
    int64_t day_slew_ns;
};
/* NOT_FOUND: this system has no such period. UNSUPPORTED: it does not tell, err says why. */
enum tare_status plat_timer_period(struct plat_timer_period *out, struct tare_err *err);
/* Asks for so short a period, for us; 0 takes the wish back. */
enum tare_status plat_timer_wish(int64_t ns, struct tare_err *err);
int64_t plat_timer_slack_ns(void); /* by which the kernel may put off the end of our sleeps; -1: it does not tell */

/* ---- signals that end a session ---- */

/* After this, SIGINT SIGTERM SIGHUP, on Linux also SIGQUIT SIGALRM SIGUSR1 SIGUSR2 SIGXCPU, are noted instead of fatal; a second one
 * kills at once (the same within 0.1 s is the same one, delivered twice). SIGPIPE is ignored: a reader that went away (`| head`, or
 * `| tee` on ^C) makes writing fail, and the files are still kept. */
enum tare_status plat_signals_watch(void);
int plat_signal(void);                    /* number of the one noted, 0 = none */
void plat_signal_clear(void);             /* forgets it, so that cleaning up may run children; the next one kills all the same */
const char *plat_signal_name(int number); /* "SIGINT"; never NULL */
/* The exit code that the system gives a program for what it did ("access violation"); NULL: it is the program's own. */
const char *plat_exit_code_name(int code);
const char *plat_errno_text(int error);   /* "No such file or directory"; for the code of CHILD_NOT_STARTED */
const char *plat_start_advice(int error); /* what to do about that code: " (a script needs ...)"; "" where its text says all */
_Noreturn void plat_die_of(int signal_number); /* default action restored, then raised */

/* ---- children ---- */

struct plat_spawner; /* the helper process that starts and reaps them */

/* Where a child's standard streams go: a descriptor of ours, which the child gets as 0, 1 or 2. */
struct plat_child_spec {
    const char *path;        /* file to execute, resolved before (plat_find_program), as seen from cwd */
    const char *const *argv; /* closed by NULL */
    const char *const *envp; /* closed by NULL */
    const char *cwd;         /* NULL = ours */
    int fd_in, fd_out, fd_err;
    int64_t timeout_ns; /* 0 = none; at its end all that it started is killed */
    int pin_cpu;        /* -1 = as we run */
    bool give_terminal; /* make the child's group the terminal's foreground while it runs */
    /* Run although a signal of plat_signal is noted already (clean-up); such a run ends by itself or by its timeout. */
    bool after_signal;
    bool
        count_waits; /* ask the kernel how long all that it starts waits for a CPU: costs each task that ends some 3 us of its time */
    bool chain;      /* time a reference chain just before the start, for the core's frequency; only where plat_ticks_allowed */
    int drain_fd; /* -1, or the read end of a pipe that must be emptied and discarded while the child runs */
    /* 0, or fd_out, and fd_err unless it is our own 0, 1 or 2, are files of plat_open_scratch that keep so many bytes each. A child that writes more meets no error; what lies beyond is
     * given back: ten times a second while it runs (that one look is then all that wakes us), and at its end. */
    int64_t scratch_bytes;
    /* Follow it and all that it starts, for peak_bytes: much slower, so its times are worth nothing. Where that is refused the program is not run: end is
     * CHILD_NOT_STARTED with code 0, and peak_why says why. */
    bool peak;
    /* NULL, or, in runs whose time nobody counts, called as soon as the child may run and then whenever so many ns went by as it
     * returned; 0 or less: not again. Not after the child's end. */
    int64_t (*watch)(void *context);
    void *watch_context;
    /* 0, or a file of plat_open_scratch that the child gets as descriptor CHILD_REPORT, open for writing at its start; it keeps the
     * first report_bytes, on the same terms. */
    int fd_report;
    int64_t report_bytes;
};
enum { CHILD_REPORT = 3 };

/* Why peak_bytes or tree_bytes is not there. */
enum plat_peak_why {
    PEAK_KNOWN,
    PEAK_NOT_ASKED,
    PEAK_TRACED_ALREADY,  /* a debugger or strace follows us */
    PEAK_FILTERED,        /* a filter of system calls forbids ptrace */
    PEAK_YAMA,            /* kernel.yama.ptrace_scope does */
    PEAK_FORBIDDEN,       /* something else does */
    PEAK_NO_PTRACE,       /* this system has none */
    PEAK_NOT_BEGUN,       /* tare lacks what it needs: a /proc with our process numbers, memory, a thread */
    PEAK_PRIVILEGED,      /* it would have run without the privileges that its file gives it */
    PEAK_LESS_PRIVILEGED, /* it ran, and a program that it started lacked them */
    PEAK_UNREADABLE,      /* it ran, and the kernel did not tell */
    PEAK_NO_GROUP         /* tree_bytes: no control group of our own can be made, or it has no memory.peak */
};

enum plat_child_end { CHILD_EXITED, CHILD_SIGNALLED, CHILD_TIMED_OUT, CHILD_NOT_STARTED, CHILD_INTERRUPTED };

/* Times are read in the child just before exec and by the waiter at its exit: nothing of ours lies between. */
struct plat_child_result {
    enum plat_child_end end;
    /* Exit code; signal number (SIGTTIN and SIGTTOU: ended as it wanted the terminal); errno for NOT_STARTED. */
    int code;
    int64_t start_ns, end_ns; /* plat_now_ns clock */
    int64_t user_ns, sys_ns;  /* these and what follows up to ctx_involuntary: -1, the system does not tell */
    /* The kernel's peak. Since 6.2 Linux counts pages per CPU in batches, so a few 100 kB may be missing; a tiny program reads 0. */
    int64_t rss_bytes;
    int64_t minflt, majflt, ctx_voluntary, ctx_involuntary;
    /* The first thread's own account between the two times, for telling what made a run long; all unknown with end NOT_STARTED. */
    double run_ns;   /* it had a CPU; NaN: not known */
    double delay_ns; /* it, or the waiter after its end, was ready and had none; NaN: not known */
    bool
        whole; /* nothing else ran that was waited for: no further thread, no child. Not seen: a child that was never waited for */
    /* With spec.count_waits, of all threads and processes of the run; NaN: not known. What they waited for a CPU in all, perhaps for each other; the part of it
     * that was surely for others; and how many tasks ended on the machine meanwhile, each of which paid for being counted. */
    double tree_delay_ns, tree_delay_least_ns;
    int tasks_counted;
    bool paused;             /* a signal stopped it, or the waiter, for a while */
    int first_cpu, last_cpu; /* -1: not known */
    int64_t chain_ticks;     /* of the reference chain (clock_chain_hz); 0: none was timed */
    /* What a platform knows of each run by itself; NaN: it does not, ask the chain and noise_quota. */
    double core_hz, throttled_ns;
    /* With spec.peak: the largest resident size that any one process had, as the kernel keeps it (VmHWM), from the exec of the program on; and
     * the most memory charged to all of them together (memory.peak of a control group, page cache included). -1: see why. */
    int64_t peak_bytes, tree_bytes;
    enum plat_peak_why peak_why, tree_why;
};

/* Before anything is known of a run: what needs the kernel's word says that it has none. */
static inline struct plat_child_result plat_child_unknown(void)
{
    return (struct plat_child_result){.user_ns = -1,
                                      .sys_ns = -1,
                                      .rss_bytes = -1,
                                      .minflt = -1,
                                      .majflt = -1,
                                      .ctx_voluntary = -1,
                                      .ctx_involuntary = -1,
                                      .run_ns = NAN,
                                      .delay_ns = NAN,
                                      .tree_delay_ns = NAN,
                                      .tree_delay_least_ns = NAN,
                                      .first_cpu = -1,
                                      .last_cpu = -1,
                                      .core_hz = NAN,
                                      .throttled_ns = NAN,
                                      .peak_bytes = -1,
                                      .tree_bytes = -1,
                                      .peak_why = PEAK_NOT_ASKED,
                                      .tree_why = PEAK_NOT_ASKED};
}

/* Why no run has a value of this metric of every run ("ctx") on this system; NULL: it tells. */
const char *plat_metric_unknown(const char *id);
/* The same of an option that needs what not every system has ("--taint"). */
const char *plat_option_unknown(const char *option);

/* helper_path NULL: found relative to the running program. */
enum tare_status plat_spawner_create(struct plat_spawner **out, const char *helper_path, struct tare_err *err);
void plat_spawner_destroy(struct plat_spawner *s);
/* Runs one child to its end. TARE_OK: result is filled, whatever the child's fate (see end). Other statuses: ours (helper died ...).
 * When plat_signal() becomes non-zero during the run the child's group is killed and end is CHILD_INTERRUPTED. */
enum tare_status plat_child_run(struct plat_spawner *s, const struct plat_child_spec *spec, struct plat_child_result *result,
                                struct tare_err *err);
int plat_spawner_pid(const struct plat_spawner *s);
/* Below what rss_bytes says nothing. UNSUPPORTED: the platform does not tell. */
struct plat_rss_floor {
    int64_t helper_bytes; /* the helper's own peak, which the kernel folds into every child's */
    int64_t unseen_bytes; /* what the kernel's counters may hold back on each CPU that the child ran on */
};
enum tare_status plat_rss_floor(const struct plat_spawner *s, struct plat_rss_floor *out);
/* Path of the no-op program used to weigh the spawner itself (exits at once, no libc). */
const char *plat_noop_path(const struct plat_spawner *s);
/* Path of the program that works: "tare-work THOUSANDS KIB" makes so many thousand multiplies that wait for each other, touches so much fresh
 * memory twice, and ends with code 0. For measuring a machine with a program whose work is known. */
const char *plat_work_path(const struct plat_spawner *s);

/* Finds `name` on PATH of envp (or checks it when it has a slash) as exec would. NOT_FOUND, PERMISSION (there, not executable or a directory). */
enum tare_status plat_find_program(const char *name, const char *const *envp, const char *cwd, struct buf *out,
                                   struct tare_err *err);

/* ---- counters (perf events of the kernel) ---- */

struct plat_counter;
/* `event` as perf names it: "instructions", "cycles", "L1-dcache-load-misses", "page-faults", "task-clock" (ns), "r01c2" (raw,
 * hexadecimal); ":u" at its end asks for user space only. INVALID: no such name. UNSUPPORTED: no such counter on this machine.
 * PERMISSION: err names the setting to change. Counted in each child from its exec to its end, children of it included. */
enum tare_status plat_counter_open(struct plat_counter **out, struct plat_spawner *s, const char *event, struct tare_err *err);
/* Adds nothing to the child's time: read between runs. *total since open, where the kernel counted only part of the time (too
 * few hardware counters) scaled up; *running_ratio is that part since the read before: 1 all of it, 0 not counted at all, and
 * then *total did not move. */
enum tare_status plat_counter_read(struct plat_counter *c, double *total, double *running_ratio);
/* True when the kernel allows only what happens in user space to be counted; say so beside the figure (perf writes ":u"). */
bool plat_counter_user_only(const struct plat_counter *c);
/* What perf_event_open takes for it, so that a program can count it in itself (plat_event_open). */
void plat_counter_event(const struct plat_counter *c, uint64_t *type, uint64_t *config);
void plat_counter_close(struct plat_counter *c);

/* ---- files ---- */

/* The whole file appended to out (cap of the buf holds). Also for /proc and /sys: sizes of 0 are read to their end. */
enum tare_status plat_file_read(const char *path, struct buf *out, struct tare_err *err);
/* The same, handed on piece by piece; a status of the sink ends it. Memory: 64 KiB, whatever the file's size. */
enum tare_status plat_file_pour(const char *path, const struct sink *sink, struct tare_err *err);
struct plat_file_state {
    int64_t bytes, modified_utc_ns;
    int64_t changed_utc_ns; /* of its content, name or rights, which nobody can set back; 0: not known */
    uint64_t device, inode; /* which file it is, whatever its name */
    bool regular;
    bool named_pipe; /* where nobody may ever write; not those that a shell gives to a process */
};
enum tare_status plat_file_state(const char *path, struct plat_file_state *out, struct tare_err *err);
enum tare_status plat_file_remove(const char *path, struct tare_err *err); /* OK too when it is not there */
/* As plat_file_read, "-" is standard input. */
enum tare_status plat_input_read(const char *path, struct buf *out, struct tare_err *err);
/* As plat_file_pour, "-" is standard input. */
enum tare_status plat_input_pour(const char *path, const struct sink *sink, struct tare_err *err);

struct plat_file;
/* Incremental record; export written aside and renamed at commit. */
enum plat_file_mode { PLAT_FILE_APPEND_NEW, PLAT_FILE_APPEND, PLAT_FILE_APPEND_ASIDE, PLAT_FILE_REPLACE };
/* "-" is standard output (all modes). REPLACE keeps an existing file untouched until commit, APPEND_ASIDE until it is settled; APPEND_NEW
 * empties it, APPEND adds to what is there. The three are BUSY while another has it open so. */
enum tare_status plat_file_create(struct plat_file **out, const char *path, enum plat_file_mode mode, struct tare_err *err);
/* Whole or error, unbuffered. */
enum tare_status plat_file_write(struct plat_file *f, const void *bytes, size_t n, struct tare_err *err);
/* What stands behind so many bytes goes, of a file that was opened to be added to. */
enum tare_status plat_file_cut(struct plat_file *f, int64_t bytes, struct tare_err *err);
/* APPEND_ASIDE: what was written so far takes the place of what was there, and from now on it grows there. Else, and the second time, nothing. */
enum tare_status plat_file_settle(struct plat_file *f, struct tare_err *err);
/* Both are settled, `beside` first. What that replaces has a name of its own, PATH.XXXXXXXX.tmp, until f is settled too, and its place again where f
 * cannot be. beside may be NULL. */
enum tare_status plat_file_settle_both(struct plat_file *f, struct plat_file *beside, struct tare_err *err);
/* Of a file that grows: false when it was deleted, replaced or changed by others. It is read once. */
bool plat_file_intact(const struct plat_file *f);
/* For one that is not intact: a new one, as REPLACE makes it, for the place where `lost` was. A link that was put there is replaced. */
enum tare_status plat_file_renew(struct plat_file **out, const struct plat_file *lost, struct tare_err *err);
/* Closes; REPLACE: flushed and renamed into place. APPEND_ASIDE that was never settled: dropped where there was a file with content,
 * else settled. f is gone either way. */
enum tare_status plat_file_commit(struct plat_file *f, struct tare_err *err);
/* All of a file: create with REPLACE, write and commit. */
enum tare_status plat_file_replace(const char *path, const void *bytes, size_t n, struct tare_err *err);
/* All of a file that could be made again: by a temporary name beside it (PATH.XXXXXXXX.tmp) and a rename, without waiting for the disk. A link of
 * that name is replaced, not followed. */
enum tare_status plat_file_put(const char *path, const void *bytes, size_t n, struct tare_err *err);
/* Of "NAME.12345678.tmp", which a killed process leaves, the length of NAME; 0: it is no such name. */
static inline size_t plat_file_left_over(const char *name)
{
    const size_t n = strlen(name), end = sizeof ".12345678.tmp" - 1;
    return n > end && !strcmp(name + n - 4, ".tmp") && name[n - end] == '.' && strspn(name + n - end + 1, "0123456789abcdef") == 8
               ? n - end
               : 0;
}
void plat_file_abandon(struct plat_file *f); /* closes; REPLACE: the new content is removed. NULL is fine */

/* A new folder for us alone, named PREFIX and six more characters, in TMPDIR (else /tmp); its path, absolute and without links, is appended. */
enum tare_status plat_directory_private(struct buf *path, const char *prefix, struct tare_err *err);
/* A new folder in one that is there; a failure when it is there already. */
enum tare_status plat_directory_new(const char *path, struct tare_err *err);
/* The same, and OK when it is there already. */
enum tare_status plat_directory_make(const char *path, struct tare_err *err);
/* Of a folder that is there its path, absolute and without links, appended. */
enum tare_status plat_directory_path(const char *path, struct buf *out, struct tare_err *err);
/* The names of what lies in the folder, each closed by a zero byte, in the order of their bytes; *n of them, appended to `names`. */
enum tare_status plat_directory_list(const char *path, struct buf *names, int *n, struct tare_err *err);
/* Whether it is a folder (no link to one) that belongs to the user that we are. */
bool plat_directory_own(const char *path);
/* The folder with all in it: no link is followed, no other file system entered, write-protected folders go too. OK too when it is
 * not there. After a failure what could be removed is gone; err has the reason of the first that stayed. */
enum tare_status plat_directory_remove(const char *path, struct tare_err *err);

bool plat_is_directory(const char *path); /* or a link to one */
bool plat_is_link(const char *path);
/* Whether it names the same file wherever we are: "/usr/bin/cc", on Windows "C:\\cc.exe" too. */
bool plat_path_is_absolute(const char *path);
bool plat_is_slash(char c); /* between the names of a path: '/', on Windows '\\' too */
/* What is behind its last slash, on Windows behind a drive too; the path itself: it is a name. */
const char *plat_base_name(const char *path);

/* Whether two paths name one regular file, there or not yet there. Devices, pipes and "-" never do. */
bool plat_same_file(const char *a, const char *b);
/* Whether what is written to one path comes behind what is written to the other: one descriptor ("-", /dev/stdout, /dev/fd/5) or one named pipe. */
bool plat_same_stream(const char *a, const char *b);

/* First of all: a standard stream that is closed gets its place kept, or what we open next would take its number and what
 * is meant for the screen would end in it. Reading from such a place and writing to it fail. So does writing more than ulimit -f allows, which
 * would end us in the middle of a file. */
void plat_keep_standard_streams(void);
int plat_open_null(void);                                     /* read-write /dev/null, close-on-exec; -1 on failure */
int plat_open_input(const char *path, struct tare_err *err);  /* -1 on failure */
int plat_open_output(const char *path, struct tare_err *err); /* created, truncated */
int64_t plat_input_bytes(int fd);                             /* of a file that is open; 0 where it has no size */
/* A part of it: whole or error. Any thread. */
enum tare_status plat_input_part(int fd, int64_t offset, void *bytes, size_t n, struct tare_err *err);
int64_t plat_input_data(int fd, int64_t offset); /* from there on, where a hole of a sparse file ends; else `offset` itself */
enum tare_status plat_pipe(int *read_end, int *write_end, struct tare_err *err);
/* Work for n processes of our own at once, at most PLAT_SHARES_MOST, each forked from this one. What worker i puts into its `out`, which is empty there, is in out[i]
 * afterwards; whatever else it changes in memory stays its own. It opens anew what a forked process must not share: a database, a spawner. Returns once all
 * have ended: the first failure of one with its message; CHILD where one died; UNSUPPORTED, and nothing was done: this system copies no processes. A signal that we watch is handed on to them. */
enum { PLAT_SHARES_MOST = 64 };
typedef enum tare_status plat_share_work(void *context, int i, struct buf *out, struct tare_err *err);
enum tare_status plat_share(int n, plat_share_work *work, void *context, struct buf out[], struct tare_err *err);

/* A function of a library that is loaded when it is needed: what it pulls in would slow down every start. place: of the pointer to it. */
struct plat_library_function {
    const char *name;
    void *place;
};
/* By its name on Linux ("libpq.so.5"; on Windows libpq.dll). It stays loaded. UNSUPPORTED: it is not there, or has not all of them. */
enum tare_status plat_library_load(const char *name, const struct plat_library_function *functions, int n, struct tare_err *err);

enum tare_status plat_rewind(int fd); /* back to the start, where the file allows it */
bool plat_rewinds(int fd);            /* whether plat_rewind has an effect: not on a pipe or terminal */
bool plat_is_file(int fd); /* a regular file, which opening it anew reads from its start: no pipe, terminal or device */
void plat_close(int fd);   /* -1 is fine */
/* Until the socket can be read, or written likewise, or may be: no longer than that, and a signal of plat_signal ends it. */
void plat_wait_socket(int fd, bool writing, int64_t ns);

/* A file in memory without a name, for what a child writes: what it writes there waits for nobody. Read and written, not inherited.
 * -1: err says why not. */
int plat_open_scratch(struct tare_err *err);
/* Appends a path by which another program of this user can open it while we live. */
void plat_scratch_path(int fd, struct buf *path);
int64_t plat_scratch_size(int fd);             /* bytes written, those given back included */
void plat_scratch_trim(int fd, int64_t bytes); /* gives back the memory of what lies beyond so many bytes; the size stays */
enum tare_status plat_scratch_read(int fd, int64_t offset, void *bytes, size_t n, struct tare_err *err); /* whole or error */
enum tare_status plat_scratch_write(int fd, const void *bytes, size_t n,
                                    struct tare_err *err); /* whole or error, where it stands */

/* ---- the machine ---- */

int plat_cpus_allowed(void);
bool plat_cpu_allowed(int cpu);
struct plat_uname {
    char os[64], release[128], version[256], machine[64];
    char node[256]; /* by which others call this machine; "": it has no such name */
};
void plat_uname(struct plat_uname *out);
enum plat_priority { PRIORITY_IDLE, PRIORITY_NORMAL, PRIORITY_HIGH, PRIORITY_REALTIME };
/* Of the helper and so of the children: call before plat_spawner_create. */
enum tare_status plat_set_priority(enum plat_priority p, struct tare_err *err);

/* Our own, as the kernel has it now: what a change of priority came to. */
struct plat_scheduling {
    const char *policy; /* "other", "batch", "idle", "fifo", "rr", "deadline"; "unknown" */
    int nice, real_time;
    int base; /* Windows: the priority from 1 to 31 that the class gives (8 normal, 13 high), as read back; policy is then the class. 0: nothing like it,
                 or not told, and why */
    const char *base_unknown; /* NULL: base is known, or there is no such thing */
};
enum tare_status plat_scheduling(struct plat_scheduling *out, struct tare_err *err);

/* How long the scheduler lets one of us run when two want the same CPU: two threads spin on it for duration_ns, and each stretch that
 * one of them ran without a gap is one value of slice_ns, at most `max` of them; *n says how many. What else runs there
 * cuts stretches short. UNSUPPORTED: threads or pinning are not to be had. */
enum tare_status plat_slices_measure(int cpu, int64_t duration_ns, double *slice_ns, int max, int *n, struct tare_err *err);
int64_t plat_slice_told_ns(void); /* what the kernel calls our slice; -1: it does not tell */

/* What CPUs get done when they are all busy at once. */
struct plat_stressed {
    double multiplies; /* done: 64-bit ones, of which none waits for another, so that the core is as full as they can make it */
    int64_t wall_ns;   /* from the common start to the end */
    int64_t cpu_ns;    /* that its thread had; -1: not told */
};
/* A thread on each of these CPUs does nothing but multiply for duration_ns, all over the same time; out[i] is of cpus[i]. Less where a signal came.
 * INVALID: a CPU that is not there, offline, not allowed to us. UNSUPPORTED, IO: threads or pinning are not to be had. */
enum tare_status plat_stress(const int *cpus, int n, int64_t duration_ns, struct plat_stressed *out, struct tare_err *err);

/* ---- others on the machine ---- */

int plat_pid(void);
/* The ids of all processes that we may see, kernel threads included, in no order: how many there are, of which the first `room` stand in ids. -1: the
 * system does not tell. */
int plat_process_ids(int *ids, int room);
/* When a process began, in ticks after boot: with its number a name that is not used twice in a boot (plat_process_start: of our own). -1: there is none, it has ended
 * and only waits to be noticed, or the system does not say. */
int64_t plat_process_began(int id);
/* The processes below this one that began with the text (not empty) in their environment: its children, orphans that came to it, and the children of
 * these, as far as first threads made them. How many stand in ids, at most `room`; 0 too where the system does not say. */
int plat_process_below(int id, const char *text, int *ids, int room);
/* The program file that it runs, for plat_file_pour: appended. */
void plat_process_image(int id, struct buf *path);
/* What names this process among those of all machines, boots and containers, as a part of a file's name: appended. False: the system does not say
 * enough. */
bool plat_process_mark(struct buf *out);
/* Whether the text is the mark of a process of this machine, boot and container that has ended. False wherever that is not certain. */
bool plat_process_mark_ended(const char *mark);

/* That a session of tare is measuring, for other sessions to see: advice, not a lock. It writes no file and ends with the process.
 * Seen within one network namespace, across users. */
struct plat_presence;
/* UNSUPPORTED: this system allows no such sign. */
enum tare_status plat_presence_create(struct plat_presence **out, struct tare_err *err);
/* The other sessions since the creation, those that have ended since included: how many, of which the first `room` stand in pids; 0 as an id:
 * it belongs to a container that we cannot see; -1: it has not listened for so long that it cannot be asked. Sessions that started us or that we started do not count: one waits
 * while the other measures. */
int plat_presence_others(struct plat_presence *p, int *pids, int room);
/* Between runs, some microseconds: a session that never listens before its end has no room for all who call meanwhile. */
void plat_presence_listen(struct plat_presence *p);
void plat_presence_destroy(struct plat_presence *p); /* NULL is fine */

/* ---- the terminal and the environment ---- */

bool plat_is_terminal(int fd);
int plat_terminal_width(int fd); /* columns; 80 when unknown */
bool plat_terminal_utf8(int fd); /* what is written there is taken for UTF-8 whatever the environment says of locales */
/* What main got, in UTF-8 where the system gives it otherwise; before anything else. */
void plat_arguments(int *argc, char ***argv);
const char *const *plat_environment(void); /* closed by NULL */
const char *plat_getenv(const char *name);
bool plat_words_are_windows(
    void); /* texts of commands are split and given to a shell as Windows does, and variables have names without case */
int64_t plat_stack_limit(void);                                               /* bytes; INT64_MAX: none, or not known */
enum tare_status plat_working_folder(struct buf *path, struct tare_err *err); /* the one we were started in, absolute; appended */
uint64_t plat_random_seed(void);

#endif
