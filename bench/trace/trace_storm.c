/* SPDX-License-Identifier: MIT
 *
 * Does anything get lost? Programs with points that die at random instants, fork, make threads, are interrupted: what is in their files, held against what they
 * say that they passed.
 *
 *     trace_storm SUBJECT FOLDER WHAT TIMES SIZE          WHAT: kills forks threads signals; FOLDER is there and empty
 *
 * Lines, one for each way to end: WAY RUNS CERTAIN FOUND LOST DOUBLED CROSSED UNREADABLE UNBORN HALF
 *     CERTAIN  passes of which the program had said that they are done    FOUND  passes in the files
 *     LOST     CERTAIN that are not there, or missing between two that are    DOUBLED  there twice, or more than were made
 *     CROSSED  in the row of another thread or process    UNREADABLE  files that the reader refuses, though passes were done
 *     UNBORN   files without a head of processes that had passed nothing yet    HALF  passes whose value was not stored any more: the instant struck there */
#include "buf.h"
#include "trace_events.h"
#include "trace_request.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { COUNTERS = 4096, PATH_ROOM = 4096 };

static const char *const ways[] = {"kill", "abort", "exit", "exec", "segv", "forks", "threads", "signals"};
enum { WAYS = sizeof ways / sizeof *ways, DEADLY = 5 };

struct tally {
    long runs;
    uint64_t certain, found, lost, doubled, crossed, unreadable, unborn, half;
};

struct storm {
    const char *subject, *folder;
    char counters_path[PATH_ROOM];
    uint64_t *counters;      /* the subject's */
    uint64_t seen[COUNTERS]; /* of each thread: the number that comes next */
    uint64_t handlers;       /* likewise, of the signal handler */
    struct tally tally[WAYS];
};

static uint64_t state;

static uint64_t below(uint64_t limit)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state % limit;
}

static void die(const char *what, const char *more)
{
    fprintf(stderr, "trace_storm: %s %s\n", what, more);
    exit(2);
}

static void see_step(struct storm *s, struct tally *t, uint64_t value, uint64_t *thread, bool last)
{
    const uint64_t who = value >> 32, number = value & UINT32_MAX;
    if (last && !value && *thread != UINT64_MAX &&
        (*thread || s->seen[0])) { /* the word is there, its value was not stored any more */
        t->half++;
        return;
    }
    if (who >= COUNTERS) {
        t->crossed++;
        return;
    }
    t->crossed += who != *thread && *thread != UINT64_MAX && number;
    *thread = who;
    t->found++;
    if (number < s->seen[who])
        t->doubled++;
    else
        t->lost += number - s->seen[who];
    if (number >= s->seen[who])
        s->seen[who] = number + 1;
}

static void see_handler(struct storm *s, struct tally *t, uint64_t value)
{
    t->found++;
    t->doubled += value < s->handlers;
    t->lost += value > s->handlers ? value - s->handlers : 0;
    s->handlers = value + 1;
}

/* One behind, so that the last is known as such. */
static void read_thread(struct storm *s, struct tally *t, const struct trace_file *f, int index)
{
    struct trace_events *it;
    struct trace_event e;
    struct tare_err err;
    const struct trace_window w = {.thread = index, .from_ns = INT64_MIN, .to_ns = INT64_MAX};
    if (trace_events_open(&it, f, &w, &err) != TARE_OK)
        die("events can't be read:", err.text);
    uint64_t thread = UINT64_MAX, waiting = 0;
    bool any = false;
    while (trace_events_next(it, &e)) {
        if (e.kind != EVENT_POINT)
            continue;
        if (!strcmp(e.point->name, "handler")) {
            see_handler(s, t, e.u64);
            continue;
        }
        if (any)
            see_step(s, t, waiting, &thread, false);
        waiting = e.u64;
        any = true;
    }
    if (any)
        see_step(s, t, waiting, &thread, true);
    if (trace_events_close(it, &err) != TARE_OK)
        t->unreadable++;
}

static void read_file(struct storm *s, struct tally *t, const char *path)
{
    struct trace_file *f;
    struct tare_err err;
    if (trace_file_open(&f, path, &err) != TARE_OK) {
        bool nothing = true;
        for (int i = 0; i < COUNTERS; i++)
            nothing = nothing && !s->counters[i];
        *(nothing ? &t->unborn : &t->unreadable) += 1;
        return;
    }
    const struct trace_thread *threads;
    const int n = trace_file_threads(f, &threads);
    for (int i = 0; i < n; i++)
        read_thread(s, t, f, i);
    trace_file_close(f);
}

static void read_folder(struct storm *s, struct tally *t)
{
    DIR *d = opendir(s->folder);
    if (!d)
        die("can't read", s->folder);
    for (struct dirent *e; (e = readdir(d));) {
        char path[PATH_ROOM];
        if (!strstr(e->d_name, TRACE_SUFFIX))
            continue;
        snprintf(path, sizeof path, "%s/%s", s->folder, e->d_name);
        read_file(s, t, path);
        remove(path);
    }
    closedir(d);
}

static void compare(struct storm *s, struct tally *t, bool signals)
{
    for (int i = 0; i < COUNTERS; i++) {
        const uint64_t certain = s->counters[i], seen = signals && i == 1 ? s->handlers : s->seen[i];
        t->certain += certain;
        t->lost += certain > seen ? certain - seen : 0;
        t->doubled += seen > certain + 1 ? seen - certain - 1 : 0; /* one may be stored and not yet said */
    }
}

static pid_t start(const struct storm *s, const char *way, uint64_t at)
{
    struct trace_request q = trace_request_default(s->folder);
    struct buf request = BUF_INIT(1 << 16);
    char number[32];
    trace_request_write(&request, &q);
    snprintf(number, sizeof number, "%llu", (unsigned long long)at);
    const pid_t child = fork();
    if (child == 0) {
        setenv(TRACE_VARIABLE, buf_text(&request), 1);
        execl(s->subject, s->subject, way, number, s->counters_path, (char *)NULL);
        _exit(127);
    }
    buf_finish(&request);
    if (child < 0)
        die("can't start", s->subject);
    return child;
}

static void wait_us(uint64_t us)
{
    const struct timespec t = {(time_t)(us / 1000000), (long)(us % 1000000) * 1000};
    nanosleep(&t, NULL);
}

/* Half of them from the start on, half after the first passes. */
static void kill_somewhen(const struct storm *s, pid_t child)
{
    if (below(2))
        for (int i = 0; i < 10000 && !__atomic_load_n(&s->counters[0], __ATOMIC_RELAXED); i++)
            wait_us(50);
    wait_us(below(UINT64_C(1) << below(15)));
    kill(child, SIGKILL);
}

static bool ended_as_meant(int way, int status)
{
    switch (way) {
    case 0:
        return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
    case 1:
        return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
    case 4:
        return WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV;
    default:
        return WIFEXITED(status) && WEXITSTATUS(status) == 0;
    }
}

static void run(struct storm *s, int way, uint64_t at)
{
    memset(s->counters, 0, COUNTERS * sizeof *s->counters);
    memset(s->seen, 0, sizeof s->seen);
    s->handlers = 0;
    const pid_t child = start(s, ways[way], at);
    if (way == 0)
        kill_somewhen(s, child);
    int status;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            die("can't wait for", s->subject);
    if (!ended_as_meant(way, status))
        die("the subject ended in another way than it was told:", ways[way]);
    struct tally *t = &s->tally[way];
    t->runs++;
    read_folder(s, t);
    compare(s, t, !strcmp(ways[way], "signals"));
}

static void report(const struct storm *s)
{
    for (int i = 0; i < WAYS; i++) {
        const struct tally *t = &s->tally[i];
        if (t->runs)
            printf("%s %ld %llu %llu %llu %llu %llu %llu %llu %llu\n", ways[i], t->runs, (unsigned long long)t->certain,
                   (unsigned long long)t->found, (unsigned long long)t->lost, (unsigned long long)t->doubled,
                   (unsigned long long)t->crossed, (unsigned long long)t->unreadable, (unsigned long long)t->unborn,
                   (unsigned long long)t->half);
    }
}

static void share_counters(struct storm *s)
{
    snprintf(s->counters_path, sizeof s->counters_path, "%s/counters", s->folder);
    const int file = open(s->counters_path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (file < 0 || ftruncate(file, COUNTERS * sizeof *s->counters))
        die("can't write", s->counters_path);
    s->counters = mmap(NULL, COUNTERS * sizeof *s->counters, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (s->counters == MAP_FAILED)
        die("can't map", s->counters_path);
}

int main(int argc, char **argv)
{
    if (argc != 6)
        die("trace_storm", "SUBJECT FOLDER WHAT TIMES SIZE");
    static struct storm s;
    s.subject = argv[1];
    s.folder = argv[2];
    share_counters(&s);
    state = (uint64_t)time(NULL) << 20 | (uint64_t)getpid() << 1 | 1;
    const long times = atol(argv[4]);
    for (long i = 0; i < times; i++) {
        if (!strcmp(argv[3], "kills")) {
            const int way = (int)below(DEADLY);
            run(&s, way, 1 + below(UINT64_C(1) << below(18)));
            continue;
        }
        int way = DEADLY;
        while (way < WAYS && strcmp(ways[way], argv[3]))
            way++;
        if (way == WAYS)
            die("there is no", argv[3]);
        run(&s, way, (uint64_t)atol(argv[5]));
    }
    remove(s.counters_path);
    report(&s);
    return 0;
}
