/* SPDX-License-Identifier: MIT
 *
 * One run. The child is created suspended, in a job object of its own, on the CPU and with the priority that it is to have; then the clock is
 * read and it is let go, with nothing of ours between. We sleep until its process object is signalled, and read the clock again. The job counts what all that it
 * started used, and is what a timeout ends.
 */
#include "command_line.h"
#include "descriptors.h"
#include "nt.h"
#include "real.h"
#include "spawner.h"
#include <stdlib.h>
#include <string.h>

enum { UNIT_NS = 100, GROUP = 64, KILLED = 1, STREAMS = 3 };
_Static_assert((int)CHILD_REPORT == (int)DESCRIPTOR_GIVEN, "a report has the first descriptor behind the standard streams");

static const int64_t GRACE_NS = INT64_C(5000000000); /* for a killed child to end */
static const int64_t TRIM_NS = 100000000;            /* how often what is written too much is given back */

struct starting {
    STARTUPINFOEXW info;
    HANDLE inherited[STREAMS + 1]; /* copies: the standard streams, and a report */
    struct descriptors descriptors;
    wchar_t *path, *line, *environment, *folder;
    GROUP_AFFINITY group;
    bool has_list;
};

static void starting_finish(struct starting *s)
{
    if (s->has_list)
        DeleteProcThreadAttributeList(s->info.lpAttributeList);
    for (int i = 0; i <= STREAMS; i++)
        if (s->inherited[i])
            CloseHandle(s->inherited[i]);
    free(s->info.lpAttributeList);
    free(s->path);
    free(s->line);
    free(s->environment);
    free(s->folder);
}

static size_t name_units(const wchar_t *variable)
{
    const wchar_t *equals = wcschr(variable + (*variable == '='), '=');
    return equals ? (size_t)(equals - variable) : wcslen(variable);
}

/* By name, as CreateProcess wants them. */
static int by_name(const void *a, const void *b)
{
    const wchar_t *left = *(wchar_t *const *)a, *right = *(wchar_t *const *)b;
    return CompareStringOrdinal(left, (int)name_units(left), right, (int)name_units(right), TRUE) - CSTR_EQUAL;
}

static wchar_t *join(wchar_t **variables, size_t n)
{
    size_t units = 2; /* an empty one is closed twice, too */
    for (size_t i = 0; i < n; i++)
        units += wcslen(variables[i]) + 1;
    wchar_t *block = calloc(units, sizeof *block), *at = block;
    for (size_t i = 0; block && i < n; i++) {
        wcscpy(at, variables[i]);
        at += wcslen(at) + 1;
    }
    return block;
}

/* NULL: no memory, or a variable that is no UTF-8. */
static wchar_t *environment_block(const char *const *envp)
{
    size_t n = 0, made = 0;
    while (envp[n])
        n++;
    wchar_t **variables = calloc(n + 1, sizeof *variables), *block = NULL;
    while (variables && made < n && (variables[made] = wide_of(envp[made])))
        made++;
    if (variables && made == n) {
        qsort(variables, n, sizeof *variables, by_name);
        block = join(variables, n);
    }
    for (size_t i = 0; i < made; i++)
        free(variables[i]);
    free(variables);
    return block;
}

/* The text of the words, of which the first is what the user calls the program. */
static enum tare_status put_line(struct starting *s, const struct plat_child_spec *spec, struct tare_err *err)
{
    struct buf line = BUF_INIT(1 << 20);
    enum tare_status status = command_line(spec->argv, &line, err);
    s->line = status ? NULL : wide_of(buf_text(&line));
    buf_finish(&line);
    if (status)
        return status;
    if (s->line && wcslen(s->line) >= COMMAND_LINE_UNITS)
        return err_set(err, TARE_TOO_LARGE, "arguments of %s exceed %d characters, the most that Windows takes", spec->path,
                       COMMAND_LINE_UNITS - 1);
    return TARE_OK;
}

/* Takes a long path and returns the same one by the short names of its folders, where the volume has them; else as it was. */
static wchar_t *shortened(wchar_t *path)
{
    const DWORD units = path ? GetShortPathNameW(path, NULL, 0) : 0;
    wchar_t *shorter = units ? malloc(units * sizeof *shorter) : NULL;
    if (shorter && GetShortPathNameW(path, shorter, units)) {
        free(path);
        return shorter;
    }
    free(shorter);
    return path;
}

/* A current folder is never longer than MAX_PATH, nor is it "\\?\..." */
static wchar_t *folder_of(const char *cwd)
{
    static const wchar_t prefix[] = L"\\\\?\\";
    enum { PREFIX = 4 };
    wchar_t *path = wide_path(cwd);
    if (path && wcslen(path) >= MAX_PATH)
        path = shortened(path);
    if (path && !wcsncmp(path, prefix, PREFIX) && path[PREFIX + 1] == ':')
        memmove(path, path + PREFIX, (wcslen(path + PREFIX) + 1) * sizeof *path);
    return path;
}

static enum tare_status put_texts(struct starting *s, const struct plat_child_spec *spec, struct tare_err *err)
{
    enum tare_status status = put_line(s, spec, err);
    if (status)
        return status;
    s->path = wide_path(spec->path);
    s->environment = environment_block(spec->envp);
    s->folder = spec->cwd ? folder_of(spec->cwd) : NULL;
    if (s->path && s->line && s->environment && (s->folder || !spec->cwd))
        return TARE_OK;
    return err_set(err, TARE_INVALID, "cannot run %s: an argument or a variable is no UTF-8, or there is no memory", spec->path);
}

static bool put_stream(struct starting *s, int i, int fd)
{
    HANDLE h = win32_handle(fd), us = GetCurrentProcess();
    return h != INVALID_HANDLE_VALUE && DuplicateHandle(us, h, us, &s->inherited[i], 0, TRUE, DUPLICATE_SAME_ACCESS);
}

/* Nothing but these handles is inherited, whatever else of ours could be. */
static enum tare_status put_attributes(struct starting *s, const struct plat_child_spec *spec, struct tare_err *err)
{
    SIZE_T bytes = 0;
    const bool grouped = spec->pin_cpu >= 0 && nt()->groups() > 1; /* else the system chooses one */
    const SIZE_T handed = (STREAMS + (spec->fd_report != 0)) * sizeof *s->inherited;
    InitializeProcThreadAttributeList(NULL, 2, 0, &bytes);
    s->info.lpAttributeList = calloc(1, bytes ? bytes : 1);
    s->has_list = s->info.lpAttributeList && InitializeProcThreadAttributeList(s->info.lpAttributeList, 2, 0, &bytes);
    bool done = s->has_list && UpdateProcThreadAttribute(s->info.lpAttributeList, 0, PROC_THREAD_ATTRIBUTE_HANDLE_LIST,
                                                         s->inherited, handed, NULL, NULL);
    if (done && grouped) {
        s->group = (GROUP_AFFINITY){.Group = (WORD)(spec->pin_cpu / GROUP), .Mask = (KAFFINITY)1 << spec->pin_cpu % GROUP};
        done = UpdateProcThreadAttribute(s->info.lpAttributeList, 0, PROC_THREAD_ATTRIBUTE_GROUP_AFFINITY, &s->group,
                                         sizeof s->group, NULL, NULL);
    }
    return done ? TARE_OK : win32_fail(err, GetLastError(), "cannot hand the standard streams to %s", spec->path);
}

static enum tare_status prepare(struct starting *s, const struct plat_child_spec *spec, struct tare_err *err)
{
    enum tare_status status = put_texts(s, spec, err);
    if (status)
        return status;
    if (!put_stream(s, 0, spec->fd_in) || !put_stream(s, 1, spec->fd_out) || !put_stream(s, 2, spec->fd_err))
        return err_set(err, TARE_INVALID, "a standard stream of %s is not open (%d, %d, %d)", spec->path, spec->fd_in,
                       spec->fd_out, spec->fd_err);
    s->info.StartupInfo = (STARTUPINFOW){.cb = sizeof s->info,
                                         .dwFlags = STARTF_USESTDHANDLES,
                                         .hStdInput = s->inherited[0],
                                         .hStdOutput = s->inherited[1],
                                         .hStdError = s->inherited[2]};
    if (spec->fd_report && !put_stream(s, CHILD_REPORT, spec->fd_report))
        return win32_fail(err, GetLastError(), "cannot hand %s what its report goes to", spec->path);
    if (spec->fd_report)
        descriptors_give(&s->info.StartupInfo, &s->descriptors, s->inherited[CHILD_REPORT]);
    return put_attributes(s, spec, err);
}

struct run {
    struct plat_spawner *s;
    const struct plat_child_spec *spec;
    PROCESS_INFORMATION child;
    HANDLE job;
    OVERLAPPED reading; /* of the pipe that is drained */
    bool pending;
    char *drained;
    enum { NOT_CUT, CUT_TIMEOUT, CUT_SIGNAL } cut;
};

/* While we live what the child started is ended with us; not behind a run that ended by itself, as programs may leave others to work on. Programs that
 * take a child out of any job (browsers, build servers) do so here as they do without us: that child is neither counted nor ended. */
static bool hold_all(HANDLE job, bool hold)
{
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits = {
        .BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_BREAKAWAY_OK | (hold ? JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE : 0)};
    return SetInformationJobObject(job, JobObjectExtendedLimitInformation, &limits, sizeof limits);
}

/* The class of a child is normal whatever ours is, unless it is said. A group of its own, so that Ctrl-C ends us, and we it; not where it is to have
 * the console. */
static DWORD creation_flags(const struct plat_child_spec *spec)
{
    const DWORD group = spec->give_terminal ? 0 : CREATE_NEW_PROCESS_GROUP;
    return CREATE_SUSPENDED | CREATE_UNICODE_ENVIRONMENT | EXTENDED_STARTUPINFO_PRESENT | group |
           GetPriorityClass(GetCurrentProcess());
}

static bool create_once(struct run *r, struct starting *s)
{
    return CreateProcessW(s->path, s->line, NULL, NULL, TRUE, creation_flags(r->spec), s->environment, s->folder,
                          &s->info.StartupInfo, &r->child);
}

/* 0, or the error. Not every system starts a program by a long path, even where it opens it as a file. */
static DWORD create(struct run *r, struct starting *s)
{
    if (create_once(r, s))
        return 0;
    const DWORD error = GetLastError();
    if (wcslen(s->path) >= MAX_PATH && win32_status(error) == TARE_NOT_FOUND) {
        s->path = shortened(s->path);
        if (create_once(r, s))
            return 0;
    }
    return error ? error : ERROR_GEN_FAILURE;
}

/* What is held for us (--tune) is held for it too: it inherits none of it. */
static bool share_throttling(HANDLE child)
{
    struct nt_throttling ours = {.version = 1}, given = ours;
    if (!nt()->get_process || !nt()->set_process ||
        !nt()->get_process(GetCurrentProcess(), POWER_THROTTLING, &ours, sizeof ours) || !ours.control)
        return true;
    return nt()->set_process(child, POWER_THROTTLING, &ours, sizeof ours) &&
           nt()->get_process(child, POWER_THROTTLING, &given, sizeof given) && given.control == ours.control &&
           given.state == ours.state;
}

static bool share_boosts(HANDLE child)
{
    BOOL ours = FALSE, given = FALSE;
    if (!nt()->get_boosts || !nt()->set_boosts || !nt()->get_boosts(GetCurrentProcess(), &ours) || !ours)
        return true;
    return nt()->set_boosts(child, TRUE) && nt()->get_boosts(child, &given) && given;
}

static enum tare_status place(struct run *r, struct tare_err *err)
{
    const struct plat_child_spec *spec = r->spec;
    if (!nt()->assign_job(r->job, r->child.hProcess)) {
        const DWORD error = GetLastError();
        if (error != ERROR_ACCESS_DENIED)
            return win32_fail(err, error, "cannot put %s into a job object", spec->path);
        return err_set(
            err, TARE_PERMISSION,
            "cannot put %s into a job object: the job object that tare runs in allows none within it; start tare outside of "
            "it",
            spec->path);
    }
    const DWORD class = GetPriorityClass(GetCurrentProcess());
    if (GetPriorityClass(r->child.hProcess) != class) /* Wine takes no class at the creation */
        SetPriorityClass(r->child.hProcess, class);
    int ours, given;
    const bool told = !process_base_priority(GetCurrentProcess(), &ours) && !process_base_priority(r->child.hProcess, &given);
    if (GetPriorityClass(r->child.hProcess) != class || (told && given != ours))
        return err_set(err, TARE_UNSUPPORTED, "cannot run %s: the system did not give it our priority", spec->path);
    if (!share_throttling(r->child.hProcess))
        return err_set(err, TARE_UNSUPPORTED, "cannot run %s: the system did not give it our power throttling", spec->path);
    if (!share_boosts(r->child.hProcess))
        return err_set(err, TARE_UNSUPPORTED, "cannot run %s: the system did not turn off its priority boosts as ours",
                       spec->path);
    if (spec->pin_cpu < 0)
        return TARE_OK;
    DWORD_PTR mask = 0, all = 0;
    const DWORD_PTR wanted = (DWORD_PTR)1 << spec->pin_cpu % GROUP;
    if (!SetProcessAffinityMask(r->child.hProcess, wanted))
        return win32_fail(err, GetLastError(), "cannot pin to CPU %d, which this process may not use", spec->pin_cpu);
    if (!GetProcessAffinityMask(r->child.hProcess, &mask, &all) || mask != wanted)
        return err_set(err, TARE_UNSUPPORTED, "cannot pin to CPU %d: the system accepted it and did not keep it", spec->pin_cpu);
    return TARE_OK;
}

enum { DRAIN_BYTES = 1 << 16 };

/* Asks for more of the pipe; whatever is there already is dropped at once. */
static void drain(struct run *r)
{
    HANDLE pipe = win32_handle(r->spec->drain_fd);
    r->pending = false;
    while (ReadFile(pipe, r->drained, DRAIN_BYTES, NULL, &r->reading))
        ;
    r->pending = GetLastError() == ERROR_IO_PENDING;
}

/* What was written before the end, so that the next run finds an empty pipe; it never waits. */
static void drain_end(struct run *r)
{
    DWORD n;
    HANDLE pipe = win32_handle(r->spec->drain_fd);
    while (r->pending && WaitForSingleObject(r->reading.hEvent, 0) == WAIT_OBJECT_0)
        drain(r);
    if (r->pending) {
        CancelIoEx(pipe, &r->reading);
        GetOverlappedResult(pipe, &r->reading, &n, TRUE);
    }
}

/* How long to sleep until the deadline, where there is one, or whatever comes before. */
static int64_t sleep_ns(const struct plat_child_spec *spec, int64_t deadline, int64_t *due)
{
    const int64_t now = plat_now_ns(), left = deadline < 0 ? -1 : deadline > now ? deadline - now : 0;
    return real_watch(spec, due, spec->fd_report || spec->scratch_bytes ? real_sooner(left, TRIM_NS) : left);
}

static void cut(struct run *r, int why)
{
    r->cut = why;
    TerminateJobObject(r->job, KILLED);
    TerminateProcess(r->child.hProcess, KILLED); /* where the job is only half of one (Wine) */
}

/* Until its end, by itself or by us; false: it was killed and does not end, or cannot be waited for. Nothing wakes us meanwhile but what the spec
 * asks for. */
static bool wait_for_end(struct run *r, struct plat_child_result *result)
{
    const struct plat_child_spec *spec = r->spec;
    int64_t deadline = spec->timeout_ns ? plat_now_ns() + spec->timeout_ns : -1, due = 0;
    for (;;) {
        HANDLE events[3] = {r->child.hProcess};
        DWORD n = 1;
        if (r->pending)
            events[n++] = r->reading.hEvent;
        if (signal_event() && !spec->after_signal && !r->cut)
            events[n++] = signal_event();
        const DWORD got = win32_wait_any(events, n, sleep_ns(spec, deadline, &due));
        result->end_ns = plat_now_ns();
        if (got == WAIT_OBJECT_0 || got == WAIT_FAILED)
            return got == WAIT_OBJECT_0;
        if (got == WAIT_TIMEOUT)
            real_trim(spec);
        if (r->pending && got == WAIT_OBJECT_0 + 1) {
            drain(r);
        } else if (got < WAIT_OBJECT_0 + n) {
            cut(r, CUT_SIGNAL);
            deadline = plat_now_ns() + GRACE_NS;
        } else if (deadline >= 0 && result->end_ns >= deadline) {
            if (r->cut)
                return false;
            cut(r, CUT_TIMEOUT);
            deadline = plat_now_ns() + GRACE_NS;
        }
    }
}

/* Of all processes of the job, those that nobody waited for included. */
static void take_times(const struct run *r, struct plat_child_result *result)
{
    JOBOBJECT_BASIC_ACCOUNTING_INFORMATION all = {0};
    if (!nt()->job(r->job, JobObjectBasicAccountingInformation, &all, sizeof all, NULL))
        return;
    result->user_ns = all.TotalUserTime.QuadPart * UNIT_NS;
    result->sys_ns = all.TotalKernelTime.QuadPart * UNIT_NS;
    result->minflt = all.TotalPageFaultCount;
}

static void take_memory(const struct run *r, struct plat_child_result *result)
{
    PROCESS_MEMORY_COUNTERS own = {.cb = sizeof own};
    if (nt()->process_memory(r->child.hProcess, &own, sizeof own))
        result->rss_bytes = (int64_t)own.PeakWorkingSetSize;
    if (!r->spec->peak)
        return;
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION all = {0};
    result->peak_bytes = result->rss_bytes;
    result->peak_why = result->rss_bytes < 0 ? PEAK_UNREADABLE : PEAK_KNOWN;
    const bool told = nt()->job(r->job, JobObjectExtendedLimitInformation, &all, sizeof all, NULL) && all.PeakJobMemoryUsed;
    result->tree_bytes = told ? (int64_t)all.PeakJobMemoryUsed : -1;
    result->tree_why = told ? PEAK_KNOWN : PEAK_UNREADABLE;
}

/* Wine answers for a process that ended with its own times, no memory, and jobs that count nothing. */
static void take_figures(const struct run *r, struct plat_child_result *result)
{
    if (r->spec->peak)
        result->peak_why = result->tree_why = PEAK_UNREADABLE;
    if (nt()->wine_version)
        return;
    take_times(r, result);
    take_memory(r, result);
}

static void name_end(const struct run *r, struct plat_child_result *result)
{
    DWORD code = 0;
    GetExitCodeProcess(r->child.hProcess, &code);
    result->end = CHILD_EXITED;
    result->code = (int)code;
    if (code == (DWORD)STATUS_CONTROL_C_EXIT) {
        result->end = CHILD_SIGNALLED;
        result->code = SIGNAL_INTERRUPT;
    }
    if (r->cut && code == KILLED)
        result->end = r->cut == CUT_TIMEOUT ? CHILD_TIMED_OUT : CHILD_INTERRUPTED;
}

const char *plat_metric_unknown(const char *id)
{
    if (!strcmp(id, "wall"))
        return NULL;
    if (nt()->wine_version)
        return "Wine does not report what a process used that has ended";
    return !strcmp(id, "majflt") ? "Windows does not count those with disk apart"
           : !strcmp(id, "ctx")  ? "Windows counts them only for threads that live"
                                 : NULL;
}

static enum tare_status run_placed(struct run *r, struct plat_child_result *result, struct tare_err *err)
{
    enum tare_status status = place(r, err);
    if (status) {
        TerminateProcess(r->child.hProcess, KILLED);
        return status;
    }
    if (r->spec->drain_fd >= 0)
        drain(r);
    r->s->job = r->job;
    result->start_ns = plat_now_ns();
    ResumeThread(r->child.hThread);
    const bool ended = wait_for_end(r, result);
    r->s->job = NULL;
    if (r->spec->drain_fd >= 0)
        drain_end(r);
    if (!ended)
        return err_set(err, TARE_IO, "%s was killed and does not end: it waits in the system for a device or a file server",
                       r->spec->path);
    real_trim(r->spec);
    hold_all(r->job, false);
    counters_collect(r->s->counters, r->child.hProcess, r->job);
    take_figures(r, result);
    name_end(r, result);
    return TARE_OK;
}

static enum tare_status open_job(struct run *r, struct tare_err *err)
{
    r->job = CreateJobObjectW(NULL, NULL);
    if (!r->job || !hold_all(r->job, true))
        return win32_fail(err, GetLastError(), "cannot make a job object for %s", r->spec->path);
    if (r->spec->drain_fd < 0)
        return TARE_OK;
    r->reading.hEvent = CreateEventW(NULL, TRUE, FALSE, NULL);
    r->drained = malloc(DRAIN_BYTES);
    return r->reading.hEvent && r->drained ? TARE_OK
                                           : err_set(err, TARE_NO_MEMORY, "no memory to read what %s writes", r->spec->path);
}

static void run_finish(struct run *r)
{
    HANDLE all[] = {r->child.hThread, r->child.hProcess, r->job, r->reading.hEvent};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i])
            CloseHandle(all[i]);
    free(r->drained);
}

static enum tare_status run_once(struct run *r, struct plat_child_result *result, struct tare_err *err)
{
    struct starting starting = {.has_list = false};
    enum tare_status status = prepare(&starting, r->spec, err);
    if (!status)
        status = open_job(r, err);
    const DWORD error = status ? 0 : create(r, &starting);
    starting_finish(&starting);
    if (error) {
        result->end = CHILD_NOT_STARTED;
        result->code = (int)error;
    } else if (!status) {
        status = run_placed(r, result, err);
    }
    return status;
}

enum tare_status plat_child_run(struct plat_spawner *s, const struct plat_child_spec *spec, struct plat_child_result *result,
                                struct tare_err *err)
{
    *result = plat_child_unknown();
    if (spec->timeout_ns < 0 || spec->pin_cpu >= GROUP * GROUP)
        return err_set(err, TARE_INVALID, "cannot run %s: timeout or CPU number out of range", spec->path);
    if (plat_signal() && !spec->after_signal) {
        result->end = CHILD_INTERRUPTED;
        result->code = plat_signal();
        return TARE_OK;
    }
    struct run r = {.s = s, .spec = spec};
    enum tare_status status = run_once(&r, result, err);
    run_finish(&r);
    if (!status && !spec->after_signal && plat_signal() && result->end == CHILD_SIGNALLED)
        result->end = CHILD_INTERRUPTED; /* both are on this console; Ctrl-Break ends a program with the same code as Ctrl-C */
    return status;
}
