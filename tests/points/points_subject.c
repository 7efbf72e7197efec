/* SPDX-License-Identifier: MIT
 *
 * A program with control points that behaves as its first argument says: threads, forks, signals, sudden ends. What it passed is known to
 * the test that starts it.
 *
 *     points_subject CASE [NUMBER [FILE]]
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <tare/point.h>
#include <unistd.h>

static char *program;

/* n passes of "step" with 0 .. n - 1, between "begin" and "end". */
static void steps(int n)
{
    TARE_POINT_NAMED("begin");
    for (int i = 0; i < n; i++)
        TARE_POINT_VALUE("step", i);
    TARE_POINT_NAMED("end");
}

static void plain(int n, const char *file)
{
    (void)file;
    steps(n);
}

/* ---- values ---- */

static void values(int n, const char *file)
{
    (void)file;
    (void)n;
    TARE_POINT_VALUE("value", 0);
    TARE_POINT_VALUE("value", UINT64_MAX);
    TARE_POINT_VALUE("value", 1);
    TARE_POINT_VALUE("value", 0xff80);
    TARE_POINT_VALUE("value", 0xfff0);
    TARE_POINT_VALUE("value", (uint64_t)0xfff5 << 16 | 3);
    TARE_POINT_VALUE_I64("signed", -7);
    TARE_POINT_VALUE_F64("real", 0.5);
    TARE_COUNTER("counter", -3);
    TARE_COUNTER_F64("level", 1e300);
    TARE_ITERATION(42);
    tare_mark("12345678");
    tare_mark("");
    tare_mark("a remark of more than one word");
    tare_lane(5);
    TARE_BREAK();
    TARE_POINT_FAST_NAMED("fast");
    TARE_POINT_PRECISE_NAMED("precise");
    tare_lane(0);
    tare_trace_thread_name("first");
    if (n < 0)
        TARE_POINT_NAMED("never");
}

/* ---- scopes ---- */

static int nested(int depth)
{
    TARE_SCOPE("nested");
    if (depth == 0)
        return 0;
    TARE_SCOPE_BEGIN("by hand");
    int deeper = nested(depth - 1);
    TARE_SCOPE_END("by hand");
    return deeper + 1;
}

static void scopes(int n, const char *file)
{
    (void)file;
    for (int i = 0; i < n; i++) {
        TARE_SCOPE("outer");
        TARE_SCOPE("inner");
        if (i % 2)
            continue;
        nested(3);
    }
}

/* ---- threads ---- */

static pthread_key_t late;

static void late_points(void *value)
{
    (void)value;
    TARE_POINT_NAMED("late");
}

static void *worker(void *argument)
{
    steps((int)(intptr_t)argument);
    return NULL;
}

static void *late_worker(void *argument)
{
    pthread_setspecific(late, "");
    steps((int)(intptr_t)argument);
    return NULL;
}

static void run_threads(void *(*run)(void *), int threads, int n)
{
    enum { THREADS_MAX = 256 };
    pthread_t id[THREADS_MAX];
    for (int i = 0; i < threads; i++)
        if (pthread_create(&id[i], NULL, run, (void *)(intptr_t)n))
            exit(3);
    for (int i = 0; i < threads; i++)
        pthread_join(id[i], NULL);
}

static void threads(int n, const char *file)
{
    (void)file;
    run_threads(worker, 8, n);
}

static void short_threads(int n, const char *file)
{
    (void)file;
    for (int i = 0; i < n; i += 20)
        run_threads(worker, 20, 1);
}

static void late_threads(int n, const char *file)
{
    (void)file;
    if (pthread_key_create(&late, late_points))
        exit(3);
    run_threads(late_worker, 4, n);
}

/* ---- processes ---- */

static void wait_all(void)
{
    int status;
    while (wait(&status) > 0)
        if (!WIFEXITED(status) || WEXITSTATUS(status))
            exit(4);
}

static void forks(int n, const char *file)
{
    (void)file;
    TARE_POINT_NAMED("parent");
    for (int i = 0; i < n; i++) {
        pid_t child = fork();
        if (child < 0)
            exit(3);
        if (child == 0) {
            TARE_POINT_VALUE("child", i);
            if (i % 10 == 0 && fork() == 0)
                TARE_POINT_NAMED("grandchild");
            wait_all();
            _exit(0);
        }
        TARE_POINT_NAMED("forked");
    }
    wait_all();
    TARE_POINT_NAMED("parent");
}

static void forks_in_threads(int n, const char *file)
{
    (void)file;
    pthread_t id;
    if (pthread_create(&id, NULL, worker, (void *)(intptr_t)100000))
        exit(3);
    forks(n, NULL);
    pthread_join(id, NULL);
}

static void raw_clone(int n, const char *file)
{
    (void)n;
    (void)file;
    TARE_POINT_NAMED("parent");
    long child = syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
    if (child == 0) {
        TARE_POINT_NAMED("child");
        _exit(0);
    }
    wait_all();
    TARE_POINT_NAMED("parent");
}

static void by_vfork(int n, const char *file)
{
    (void)n;
    (void)file;
    TARE_POINT_NAMED("parent");
    pid_t child = vfork();
    if (child == 0) {
        TARE_POINT_NAMED("child");
        _exit(0);
    }
    wait_all();
    TARE_POINT_NAMED("parent");
}

static void executes(int n, const char *file)
{
    char number[16];
    (void)file;
    snprintf(number, sizeof number, "%d", n);
    steps(n);
    execl(program, program, "plain", number, (char *)NULL);
    exit(3);
}

static void leaves(int n, const char *file)
{
    (void)file;
    steps(n);
    _exit(0);
}

static void aborts(int n, const char *file)
{
    struct rlimit none = {0, 0};
    (void)file;
    setrlimit(RLIMIT_CORE, &none);
    steps(n);
    abort();
}

/* Says in `file` how far it came; killed by the test. Stands still at last, as a test that is not let on for long would find a full disk. */
static void endless(int n, const char *file)
{
    enum { MOST = 1 << 21 };
    int fd = open(file, O_RDWR);
    volatile uint64_t *came = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    (void)n;
    for (uint64_t i = 0; i < MOST; i++) {
        TARE_POINT_VALUE("step", i);
        *came = i + 1;
    }
    for (;;)
        pause();
}

/* ---- signals ---- */

static volatile uint64_t handled;

static void on_alarm(int number)
{
    (void)number;
    TARE_SCOPE("handler");
    TARE_POINT_VALUE("handled", handled);
    handled++;
}

/* Ten thousand a second, as far as the machine can. Says how many there were by a point with a value. */
static void storm(int n, const char *file)
{
    const struct itimerval often = {{0, 100}, {0, 100}}, never = {{0, 0}, {0, 0}};
    struct sigaction act = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};
    (void)file;
    sigaction(SIGALRM, &act, NULL);
    setitimer(ITIMER_REAL, &often, NULL);
    TARE_POINT_NAMED("begin");
    for (int i = 0; handled < (uint64_t)n; i++)
        TARE_POINT_VALUE("step", i);
    setitimer(ITIMER_REAL, &never, NULL);
    TARE_POINT_VALUE("handled in all", handled);
}

/* ---- shared objects ---- */

static void *open_plugin(const char *file, void (**work)(int))
{
    void *plugin = dlopen(file, RTLD_NOW);
    *work = plugin ? (void (*)(int))(intptr_t)dlsym(plugin, "points_plugin_work") : NULL;
    if (!*work) {
        fprintf(stderr, "%s\n", dlerror());
        exit(3);
    }
    return plugin;
}

static void plugins(int n, const char *file)
{
    for (int i = 0; i < n; i++) {
        void (*work)(int);
        void *plugin = open_plugin(file, &work);
        TARE_POINT_NAMED("before");
        work(10);
        TARE_POINT_NAMED("after");
        dlclose(plugin);
        TARE_POINT_NAMED("closed");
    }
}

/* Behind the plugin's points comes one that is nobody's code: an index. */
static const char *plugin_file;

static void *leave_plugin(void *argument)
{
    void (*work)(int);
    void *plugin = open_plugin(plugin_file, &work);
    (void)argument;
    work(10);
    dlclose(plugin);
    TARE_ITERATION(1);
    return NULL;
}

static void left_plugins(int n, const char *file)
{
    plugin_file = file;
    run_threads(leave_plugin, n, 0);
}

/* ---- what programs do to our descriptor and folder ---- */

static void closes(int n, const char *file)
{
    (void)file;
    steps(n);
    for (int fd = 3; fd < 4096; fd++)
        close(fd);
    int mine = open("/dev/null", O_RDONLY); /* whatever number it gets is the program's */
    for (int i = 0; i < 1200; i++)
        if (dup(mine) < 0)
            break;
    if (chdir("/"))
        exit(3);
    steps(n);
}

static void vanishes(int n, const char *file)
{
    char command[512];
    steps(n);
    for (int fd = 3; fd < 4096; fd++)
        close(fd);
    snprintf(command, sizeof command, "rm -rf %s", file);
    if (system(command))
        exit(3);
    steps(n);
    if (fork() == 0) {
        steps(n);
        _exit(0);
    }
    wait_all();
}

static void limited(int n, const char *file)
{
    const struct rlimit small = {200000, 200000};
    (void)file;
    if (setrlimit(RLIMIT_FSIZE, &small))
        exit(3);
    steps(n);
}

static void narrow(int n, const char *file)
{
    TARE_POINT_NAMED("narrow");
    threads(n, file);
}

/* Addresses are limited before libtare meets the process: it executes itself. */
static void narrows(int n, const char *file)
{
    const struct rlimit small = {300000000, 300000000};
    char number[16];
    (void)file;
    snprintf(number, sizeof number, "%d", n);
    if (setrlimit(RLIMIT_AS, &small))
        exit(3);
    execl(program, program, "narrow", number, (char *)NULL);
    exit(3);
}

/* There are fewer addresses than are used already. */
static void crowded(int n, const char *file)
{
    const struct rlimit small = {1 << 20, 1 << 20};
    (void)file;
    if (setrlimit(RLIMIT_AS, &small))
        exit(3);
    steps(n);
}

/* ---- switching ---- */

static void modes(int n, const char *file)
{
    (void)file;
    steps(n);
    tare_trace_stop();
    steps(n);
    tare_trace_modes(UINT32_MAX, TARE_TRACE_EVENTS);
    steps(n);
    tare_trace_modes(UINT32_MAX, TARE_TRACE_AGGREGATE);
    steps(n);
    tare_trace_flush();
}

static void groups(int n, const char *file)
{
    (void)file;
#undef TARE_GROUP
#define TARE_GROUP 3
    for (int i = 0; i < n; i++) {
        TARE_ITERATION(i);
        TARE_POINT_NAMED("three");
    }
#undef TARE_GROUP
#define TARE_GROUP 4
    for (int i = 0; i < n; i++)
        TARE_POINT_NAMED("four");
#undef TARE_GROUP
#define TARE_GROUP 0
    steps(n);
}

/* Of two groups in turn, on lanes, and by modes of its own where file is "modes". */
static void in_turns(int n, const char *file)
{
    for (int i = 0; i < n; i++) {
        if (file && i % 100 == 0)
            tare_trace_modes(UINT32_MAX, i % 200 ? TARE_TRACE_COUNT : TARE_TRACE_AGGREGATE);
        tare_lane((uint64_t)(i % 3));
#undef TARE_GROUP
#define TARE_GROUP 3
        TARE_POINT_NAMED("three");
#undef TARE_GROUP
#define TARE_GROUP 0
        TARE_POINT_NAMED("none");
    }
}

static void on_small_stack(int number)
{
    if (number == SIGUSR1)
        TARE_POINT_NAMED("handled");
}

#if defined(__SANITIZE_ADDRESS__) /* whose frames take 9.2 KiB */
enum { SMALL_STACK = 16384, POINT_STACK = 16384 };
#else
enum { SMALL_STACK = 8192, POINT_STACK = 3072 };
#endif

/* How much of this stack a handler took: what lies above the lowest byte that changed. */
static size_t taken(unsigned char *stack, int number)
{
    size_t untouched = 0;
    memset(stack, 0xA5, SMALL_STACK);
    raise(number);
    while (untouched < SMALL_STACK && stack[untouched] == 0xA5)
        untouched++;
    return SMALL_STACK - untouched;
}

/* The first hit of a child is in a handler on a stack of 8 KiB, below which nothing may be written. Of it the kernel takes some 3 where the processor has AVX-512,
 * as much as a handler without a point takes, and a search of the loader as much again. */
static void small_stack(int n, const char *file)
{
    const size_t guard = (size_t)sysconf(_SC_PAGESIZE);
    unsigned char *below = mmap(NULL, guard + SMALL_STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    const stack_t small = {.ss_sp = below + guard, .ss_size = SMALL_STACK};
    const struct sigaction act = {.sa_handler = on_small_stack, .sa_flags = SA_ONSTACK};
    int status = 0;
    (void)file;
    if (below == MAP_FAILED || mprotect(below, guard, PROT_NONE))
        exit(3);
    if (sigaltstack(&small, NULL)) /* a processor whose state alone is larger */
        exit(77);
    sigaction(SIGUSR1, &act, NULL);
    sigaction(SIGUSR2, &act, NULL);
    for (int i = 0; i < n; i++)
        if (fork() == 0) {
            const size_t empty = taken(below + guard, SIGUSR2), point = taken(below + guard, SIGUSR1) - empty;
            if (point > POINT_STACK)
                fprintf(stderr, "the first hit takes %zu bytes of stack beside the kernel's %zu\n", point, empty);
            _exit(point > POINT_STACK ? 5 : 0);
        }
    for (int i = 0; i < n; i++)
        if (wait(&status) < 0 || status)
            exit(4);
}

static void starts(int n, const char *file)
{
    struct tare_trace_options o = TARE_INIT(struct tare_trace_options, .folder = file, .mode = TARE_TRACE_EVENTS);
    struct tare_err err;
    steps(n);
    if (tare_trace_start(&o, &err) != TARE_OK || tare_trace_start(&o, &err) != TARE_BUSY)
        exit(3);
    steps(n);
    if (fork() == 0) {
        steps(n);
        _exit(0);
    }
    wait_all();
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(int n, const char *file);
    } cases[] = {{"plain", plain},
                 {"values", values},
                 {"scopes", scopes},
                 {"threads", threads},
                 {"short", short_threads},
                 {"late", late_threads},
                 {"forks", forks},
                 {"forks-threads", forks_in_threads},
                 {"clone", raw_clone},
                 {"vfork", by_vfork},
                 {"executes", executes},
                 {"leaves", leaves},
                 {"aborts", aborts},
                 {"endless", endless},
                 {"storm", storm},
                 {"plugins", plugins},
                 {"left-plugins", left_plugins},
                 {"closes", closes},
                 {"vanishes", vanishes},
                 {"limited", limited},
                 {"narrow", narrow},
                 {"narrows", narrows},
                 {"modes", modes},
                 {"groups", groups},
                 {"starts", starts},
                 {"crowded", crowded},
                 {"in-turns", in_turns},
                 {"small-stack", small_stack}};
    program = argv[0];
    for (size_t i = 0; argc > 1 && i < sizeof cases / sizeof *cases; i++)
        if (!strcmp(argv[1], cases[i].name)) {
            cases[i].run(argc > 2 ? atoi(argv[2]) : 1, argc > 3 ? argv[3] : NULL);
            return 0;
        }
    fprintf(stderr, "no such case\n");
    return 2;
}
