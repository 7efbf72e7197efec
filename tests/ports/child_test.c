/* SPDX-License-Identifier: MIT
 *
 * Children on Windows: command lines as the system itself reads them, reports, and the figures of a run, where the calls that tell them are replaced (nt.h),
 * as Wine tells none.
 */
#include "command_line.h"
#include "nt.h"
#include "plat_process.h"
#include "plat_trace.h"
#include "rng.h"
#include "same.h"
#include <aclapi.h>
#include <io.h>
#include <shellapi.h>
#include <stdlib.h>
#include <winioctl.h>

/* ---- command lines ---- */

static void random_word(struct rng *r, char *word)
{
    static const char letters[] = "\\\\\\\"\"  \tab'^%&|<>";
    const size_t n = (size_t)rng_below(r, 12);
    for (size_t i = 0; i < n; i++)
        word[i] = letters[rng_below(r, sizeof letters - 1)];
    word[n] = 0;
}

static void the_system_reads(const char *line, const char *const *argv, int n)
{
    int found = 0;
    wchar_t *wide = wide_of(line), **words = wide ? CommandLineToArgvW(wide, &found) : NULL;
    same_number(line, found, n);
    for (int i = 0; words && i < n && i < found; i++) {
        struct buf b = BUF_INIT(1 << 10);
        utf8_add(&b, words[i]);
        same_text(line, buf_text(&b), argv[i]);
        buf_finish(&b);
    }
    LocalFree(words);
    free(wide);
}

static void any_words_reach_a_program(void)
{
    struct rng r = rng_seeded(23);
    char room[6][16];
    for (int round = 0; round < 5000 && failures < 5; round++) {
        const char *argv[8] = {"a b.exe"};
        const int n = 1 + (int)rng_below(&r, 6);
        for (int i = 1; i < n; i++) {
            random_word(&r, room[i]);
            argv[i] = room[i];
        }
        argv[n] = NULL;
        struct buf line = BUF_INIT(1 << 16);
        same_number("status", command_line(argv, &line, NULL), TARE_OK);
        the_system_reads(buf_text(&line), argv, n);
        buf_finish(&line);
    }
}

/* ---- a scripted system that tells the figures of a run ---- */

static BOOL WINAPI job(HANDLE of, JOBOBJECTINFOCLASS class, void *out, DWORD size, DWORD *needed)
{
    JOBOBJECT_BASIC_AND_IO_ACCOUNTING_INFORMATION counted = {.BasicInfo.TotalUserTime.QuadPart = 30000,
                                                             .BasicInfo.TotalKernelTime.QuadPart = 20000,
                                                             .BasicInfo.TotalPageFaultCount = 700,
                                                             .IoInfo = {.ReadOperationCount = 1, .ReadTransferCount = 4096}};
    (void)of, (void)needed;
    if (class == JobObjectExtendedLimitInformation)
        ((JOBOBJECT_EXTENDED_LIMIT_INFORMATION *)out)->PeakJobMemoryUsed = 9000000;
    else
        memcpy(out, &counted, size < sizeof counted ? size : sizeof counted);
    return TRUE;
}

static BOOL WINAPI memory(HANDLE of, PROCESS_MEMORY_COUNTERS *out, DWORD size)
{
    (void)of, (void)size;
    out->PeakWorkingSetSize = 5000000;
    return TRUE;
}

static BOOL WINAPI cycles(HANDLE of, ULONG64 *out)
{
    (void)of;
    *out = 123456;
    return TRUE;
}

static struct plat_child_spec spec_of(const char *const *argv, int null)
{
    return (struct plat_child_spec){.path = argv[0],
                                    .argv = argv,
                                    .envp = plat_environment(),
                                    .fd_in = null,
                                    .fd_out = null,
                                    .fd_err = null,
                                    .pin_cpu = -1,
                                    .drain_fd = -1};
}

static struct plat_child_result run(struct plat_spawner *s, const char *const *argv, bool peak)
{
    struct tare_err err = {""};
    struct plat_child_result result;
    const int null = plat_open_null();
    struct plat_child_spec spec = spec_of(argv, null);
    spec.peak = peak;
    same_number("status of the run", plat_child_run(s, &spec, &result, &err), TARE_OK);
    same_text("its message", err.text, "");
    plat_close(null);
    return result;
}

static void figures_come_from_the_job(struct plat_spawner *s)
{
    const char *const argv[] = {plat_noop_path(s), NULL};
    struct plat_counter *ticks, *bytes;
    double total, running;
    same_number("counter", plat_counter_open(&ticks, s, "ref-cycles", NULL), TARE_OK);
    same_number("counter", plat_counter_open(&bytes, s, "read-bytes", NULL), TARE_OK);
    const struct plat_child_result r = run(s, argv, true);
    same_number("end", r.end, CHILD_EXITED);
    same_number("code", r.code, 0);
    same_number("the clock goes on", r.end_ns > r.start_ns, true);
    same_number("user time", (double)r.user_ns, 3000000);
    same_number("system time", (double)r.sys_ns, 2000000);
    same_number("page faults", (double)r.minflt, 700);
    same_number("faults with disk", (double)r.majflt, -1);
    same_number("working set", (double)r.rss_bytes, 5000000);
    same_number("peak", (double)r.peak_bytes, 5000000);
    same_number("of all", (double)r.tree_bytes, 9000000);
    plat_counter_read(ticks, &total, &running);
    same_number("cycles", total, 123456);
    plat_counter_read(bytes, &total, &running);
    same_number("bytes read", total, 4096);
    plat_counter_close(ticks);
    plat_counter_close(bytes);
}

/* ---- reports ---- */

enum { REPORT_BYTES = 10000, KEPT_BYTES = 4096 };

/* This program, started again: its answer to whoever asks is in its exit code. */
static int start_outside(void);
static int flood(void);

static int as_child(const char *what)
{
    char bytes[REPORT_BYTES];
    memset(bytes, 'r', sizeof bytes);
    if (!strcmp(what, "report"))
        return plat_process_write(CHILD_REPORT, bytes, sizeof bytes, NULL) != TARE_OK;
    return !strcmp(what, "breakaway") ? start_outside()
           : !strcmp(what, "flood")   ? flood()
                                      : _get_osfhandle(CHILD_REPORT) != -1; /* "bare" */
}

static struct {
    int sparse, trims;
    int64_t from, to;
} given_back;

/* What Wine does not do. */
static BOOL WINAPI control(HANDLE of, DWORD code, void *in, DWORD in_size, void *out, DWORD out_size, DWORD *n, OVERLAPPED *o)
{
    (void)of, (void)out, (void)out_size, (void)n, (void)o;
    given_back.sparse += code == FSCTL_SET_SPARSE;
    if (code != FSCTL_SET_ZERO_DATA || in_size != sizeof(FILE_ZERO_DATA_INFORMATION))
        return TRUE;
    const FILE_ZERO_DATA_INFORMATION *beyond = in;
    given_back.trims++;
    given_back.from = beyond->FileOffset.QuadPart;
    given_back.to = beyond->BeyondFinalZero.QuadPart;
    return TRUE;
}

static struct plat_child_result report_into(struct plat_spawner *s, int report, const char *what)
{
    char self[MAX_PATH];
    struct plat_child_result result;
    const int null = plat_open_null();
    GetModuleFileNameA(NULL, self, sizeof self);
    const char *const argv[] = {self, what, NULL};
    struct plat_child_spec spec = spec_of(argv, null);
    spec.fd_report = report;
    spec.report_bytes = KEPT_BYTES;
    same_number("status of the run", plat_child_run(s, &spec, &result, NULL), TARE_OK);
    plat_close(null);
    return result;
}

static void a_report_has_its_descriptor_and_keeps_its_first_bytes(struct plat_spawner *s)
{
    char bytes[REPORT_BYTES] = "";
    const int report = plat_open_scratch(NULL);
    same_number("made sparse", given_back.sparse, 1);
    const struct plat_child_result r = report_into(s, report, "report");
    same_number("end", r.end, CHILD_EXITED);
    same_number("code", r.code, 0);
    same_number("size", (double)plat_scratch_size(report), REPORT_BYTES);
    same_number("read", plat_scratch_read(report, 0, bytes, KEPT_BYTES, NULL), TARE_OK);
    same_number("first", bytes[0], 'r');
    same_number("last", bytes[KEPT_BYTES - 1], 'r');
    same_number("given back at its end", given_back.trims > 0, true);
    same_number("from", (double)given_back.from, KEPT_BYTES);
    same_number("to", (double)given_back.to, REPORT_BYTES);
    const struct plat_child_result bare = report_into(s, 0, "bare");
    same_number("end without one", bare.end, CHILD_EXITED);
    same_number("without one there is no descriptor", bare.code, 0);
    plat_close(report);
}

/* As a child that writes while the file is cut. */
static BOOL WINAPI write_meanwhile(HANDLE of, DWORD code, void *in, DWORD in_size, void *out, DWORD out_size, DWORD *n,
                                   OVERLAPPED *o)
{
    static const char more[REPORT_BYTES];
    (void)in, (void)in_size, (void)out, (void)out_size, (void)o;
    if (code == FSCTL_SET_ZERO_DATA)
        WriteFile(of, more, sizeof more, n, NULL);
    return FALSE;
}

static void what_is_written_while_it_is_cut_counts(void)
{
    static const char bytes[REPORT_BYTES];
    struct nt_calls no_holes = *nt();
    no_holes.control = write_meanwhile;
    nt_replace(&no_holes);
    const int fd = plat_open_scratch(NULL);
    same_number("written", plat_scratch_write(fd, bytes, sizeof bytes, NULL), TARE_OK);
    plat_scratch_trim(fd, KEPT_BYTES);
    same_number("bytes", (double)plat_scratch_size(fd), 2 * REPORT_BYTES);
    plat_close(fd);
    nt_replace(NULL);
}

static void what_is_written_is_for_this_user_alone(void)
{
    PACL list = NULL;
    PSECURITY_DESCRIPTOR all = NULL;
    PSID owner;
    const int fd = plat_open_scratch(NULL);
    same_number("asked for its access",
                GetSecurityInfo(win32_handle(fd), SE_FILE_OBJECT, OWNER_SECURITY_INFORMATION | DACL_SECURITY_INFORMATION, &owner,
                                NULL, &list, NULL, &all),
                ERROR_SUCCESS);
    same_number("has a list", list != NULL, true);
    for (DWORD i = 0; list && i < list->AceCount; i++) {
        ACCESS_ALLOWED_ACE *entry;
        GetAce(list, i, (void **)&entry);
        const PSID who = &entry->SidStart;
        same_number("for its owner, or who may read all anyway",
                    EqualSid(owner, who) || IsWellKnownSid(who, WinLocalSystemSid) ||
                        IsWellKnownSid(who, WinBuiltinAdministratorsSid),
                    true);
    }
    LocalFree(all);
    plat_close(fd);
}

/* ---- what is not there ---- */

static void what_is_not_told_says_so(struct plat_spawner *s)
{
    const char *const argv[] = {plat_noop_path(s), NULL}, *const missing[] = {"Z:\\no such program.exe", NULL};
    struct tare_err err = {""};
    struct plat_counter *c;
    const struct plat_child_result r = run(s, argv, false), none = run(s, missing, false);
    same_number("user time", (double)r.user_ns, -1);
    same_number("working set", (double)r.rss_bytes, -1);
    same_number("a program that is not there", none.end, CHILD_NOT_STARTED);
    same_number("why", none.code, ERROR_FILE_NOT_FOUND);
    same_number("no such counter", plat_counter_open(&c, s, "instructions", &err), TARE_UNSUPPORTED);
    same_text("why", err.text,
              "Windows gives programs no counter of the processor; it counts ref-cycles, read-bytes and write-bytes");
}

/* ---- where we lie ---- */

static const wchar_t *behind;

static DWORD WINAPI final_path(HANDLE of, wchar_t *path, DWORD units, DWORD flags)
{
    (void)of, (void)units, (void)flags;
    wcscpy(path, behind);
    return (DWORD)wcslen(behind);
}

/* Wine tells the name of the link. */
static void beside(const wchar_t *program, const char *noop)
{
    struct plat_spawner *s = NULL;
    struct nt_calls linked = *nt();
    linked.final_path = final_path;
    behind = program;
    nt_replace(&linked);
    same_number("spawner", plat_spawner_create(&s, NULL, NULL), TARE_OK);
    nt_replace(NULL);
    same_text("its own programs", s ? plat_noop_path(s) : "", noop);
    plat_spawner_destroy(s);
}

static void a_link_leads_to_what_lies_beside_its_program(void)
{
    beside(L"\\\\?\\Z:\\no such place\\bin\\tare.exe", "Z:\\no such place\\bin\\.\\tare-noop.exe");
    beside(L"\\\\?\\UNC\\localhost\\none\\tare.exe", "\\\\localhost\\none\\.\\tare-noop.exe");
}

/* ---- jobs ---- */

static char self[4096];

/* A build tool's servers, browsers: they take their children out of any job, and fail where that is forbidden. */
static void a_program_may_take_its_children_out_of_the_job(struct plat_spawner *s)
{
    const char *const argv[] = {self, "breakaway", NULL};
    const struct plat_child_result r = run(s, argv, false);
    same_number("end", r.end, CHILD_EXITED);
    same_number("error of the program", r.code, 0);
}

static int start_outside(void)
{
    wchar_t path[4096], line[] = L"noop";
    STARTUPINFOW start = {.cb = sizeof start};
    PROCESS_INFORMATION p;
    GetModuleFileNameW(NULL, path, 4096);
    if (!CreateProcessW(path, line, NULL, NULL, FALSE, CREATE_BREAKAWAY_FROM_JOB | CREATE_SUSPENDED, NULL, NULL, &start, &p))
        return (int)GetLastError();
    TerminateProcess(p.hProcess, 0);
    CloseHandle(p.hThread);
    CloseHandle(p.hProcess);
    return 0;
}

static BOOL WINAPI refuse_job(HANDLE of, HANDLE process)
{
    (void)of, (void)process;
    SetLastError(ERROR_ACCESS_DENIED);
    return FALSE;
}

static void a_job_around_us_may_forbid_one_within(struct plat_spawner *s)
{
    const char *const argv[] = {plat_noop_path(s), NULL};
    struct nt_calls refusing = *nt();
    struct tare_err err = {""};
    struct plat_child_result result;
    const int null = plat_open_null();
    const struct plat_child_spec spec = spec_of(argv, null);
    refusing.assign_job = refuse_job;
    nt_replace(&refusing);
    same_number("status", plat_child_run(s, &spec, &result, &err), TARE_PERMISSION);
    nt_replace(NULL);
    same_number("why", strstr(err.text, "the job object that tare runs in allows none within it") != NULL, true);
    plat_close(null);
}

/* ---- power throttling ---- */

static struct nt_throttling of_us, of_child;

static struct nt_throttling *throttling_of(HANDLE process)
{
    return process == GetCurrentProcess() ? &of_us : &of_child;
}

static BOOL WINAPI get_throttling(HANDLE of, int class, void *out, DWORD size)
{
    memcpy(out, throttling_of(of), size);
    return class == POWER_THROTTLING;
}

static BOOL WINAPI set_throttling(HANDLE of, int class, void *in, DWORD size)
{
    memcpy(throttling_of(of), in, size);
    return class == POWER_THROTTLING;
}

static BOOL WINAPI ignore_throttling(HANDLE of, int class, void *in, DWORD size)
{
    (void)of, (void)class, (void)in, (void)size;
    return TRUE;
}

/* Turned off for us, and for a child once that is asked for. */
static BOOL boosts_of_child_off, boosts_stay;

static BOOL WINAPI get_boosts(HANDLE of, BOOL *off)
{
    *off = of == GetCurrentProcess() || boosts_of_child_off;
    return TRUE;
}

static BOOL WINAPI set_boosts(HANDLE of, BOOL off)
{
    (void)of;
    boosts_of_child_off = off && !boosts_stay;
    return TRUE;
}

static void what_is_held_for_us_is_held_for_a_child(struct plat_spawner *s)
{
    enum { BOTH = THROTTLED_SPEED | THROTTLED_TIMERS };
    const char *const argv[] = {plat_noop_path(s), NULL};
    const int null = plat_open_null();
    const struct plat_child_spec spec = spec_of(argv, null);
    struct plat_child_result result;
    struct nt_calls throttled = *nt();
    throttled.get_process = get_throttling;
    throttled.set_process = set_throttling;
    nt_replace(&throttled);
    of_us.version = 1;
    run(s, argv, false);
    same_number("left to the system", of_child.version, 0);
    of_us.control = BOTH;
    run(s, argv, false);
    same_number("controlled", of_child.control, BOTH);
    same_number("neither slowed down nor put off", of_child.state, 0);
    throttled.set_process = ignore_throttling;
    of_child.control = 0;
    same_number("not given", plat_child_run(s, &spec, &result, NULL), TARE_UNSUPPORTED);
    throttled.set_process = set_throttling;
    throttled.get_boosts = get_boosts;
    throttled.set_boosts = set_boosts;
    run(s, argv, false);
    same_number("no priority boosts", boosts_of_child_off, TRUE);
    boosts_stay = TRUE;
    same_number("boosts that stay", plat_child_run(s, &spec, &result, NULL), TARE_UNSUPPORTED);
    nt_replace(NULL);
    plat_close(null);
}

/* ---- output ---- */

enum { FLOOD = 1 << 22, KEPT = 1 << 16 };

static int flood(void)
{
    static char piece[1 << 16];
    memset(piece, 'x', sizeof piece);
    for (int i = 0; i < FLOOD / (int)sizeof piece; i++)
        if (win32_write(GetStdHandle(STD_OUTPUT_HANDLE), piece, sizeof piece))
            return 1;
    return 0;
}

static void what_a_program_writes_takes_no_more_room_than_it_may(struct plat_spawner *s)
{
    const char *const argv[] = {self, "flood", NULL};
    struct plat_child_result result;
    FILE_STANDARD_INFO i = {.AllocationSize.QuadPart = -1};
    const int null = plat_open_null(), out = plat_open_scratch(NULL);
    struct plat_child_spec spec = spec_of(argv, null);
    spec.fd_out = out;
    spec.scratch_bytes = KEPT;
    same_number("status", plat_child_run(s, &spec, &result, NULL), TARE_OK);
    same_number("end", result.end, CHILD_EXITED);
    same_number("code", result.code, 0);
    same_number("bytes written", (double)plat_scratch_size(out), FLOOD);
    GetFileInformationByHandleEx(win32_handle(out), FileStandardInfo, &i, sizeof i);
    same_number("most of them are given back", i.AllocationSize.QuadPart < FLOOD / 2, true);
    plat_close(out);
    plat_close(null);
}

int main(int argc, char **argv)
{
    if (argc == 2)
        return as_child(argv[1]);
    struct plat_spawner *s = NULL;
    plat_process_program(self, sizeof self);
    struct nt_calls scripted = *nt();
    const bool wine = nt()->wine_version;
    scripted.wine_version = NULL;
    scripted.job = job;
    scripted.process_memory = memory;
    scripted.process_cycles = cycles;
    scripted.control = control;
    any_words_reach_a_program();
    what_is_written_is_for_this_user_alone();
    what_is_written_while_it_is_cut_counts();
    a_link_leads_to_what_lies_beside_its_program();
    same_number("spawner", plat_spawner_create(&s, NULL, NULL), TARE_OK);
    if (s && wine)
        what_is_not_told_says_so(s);
    nt_replace(&scripted);
    if (s) {
        figures_come_from_the_job(s);
        a_report_has_its_descriptor_and_keeps_its_first_bytes(s);
    }
    nt_replace(NULL);
    if (s) {
        a_program_may_take_its_children_out_of_the_job(s);
        a_job_around_us_may_forbid_one_within(s);
        what_is_held_for_us_is_held_for_a_child(s);
        what_a_program_writes_takes_no_more_room_than_it_may(s);
    }
    plat_spawner_destroy(s);
    return same_end();
}
