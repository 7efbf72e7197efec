/* SPDX-License-Identifier: MIT
 *
 * tare/bench.h - benchmarks of functions, in the program that has the functions.
 *
 *     #include <tare/tare.h>
 *
 *     TARE_BENCH(sort_ints, .args = TARE_ARGS(100, 1000, 10000)) {      // what is outside of the loop is not timed
 *         size_t n = (size_t)tare_arg(st, 0);
 *         int *proto = random_ints(n, tare_seed(st));
 *         TARE_EACH(st, int, v, n, memcpy(v, proto, n * sizeof *v)) {   // fresh inputs, made before the clock starts
 *             qsort(v, n, sizeof *v, by_value);
 *             tare_use_mem(v, n * sizeof *v);
 *         }
 *         tare_items(st, (double)n);
 *         free(proto);
 *     }
 *
 *     TARE_BENCH(hash_latency) {
 *         uint64_t x = tare_seed(st);
 *         TARE_LOOP(st) {
 *             x = hash(x);
 *             tare_chain(x);                                            // the next iteration waits for this one
 *         }
 *     }
 *
 *     TARE_MAIN()
 *
 * Run alone the program prints a table, for a first look. `tare bench ./program` runs it in many fresh processes, which is what a
 * figure needs: where code and data happen to lie in one process often matters more than what is compared.
 *
 * The body of a benchmark is a function that gets `struct tare_state *st`. It is called once a process; its loop, of which there is
 * exactly one, runs the code between the two readings of the clock again and again: to find out how many iterations make a sample, to see
 * whether the compiler left anything to measure, to warm up, and for the samples. Leaving the loop by break, goto or return makes the
 * benchmark fail; continue is fine.
 *
 * C11 and later; C++17 and later, with tare/bench_cxx.hpp: TARE_BENCH(sort_ints, tare::opts().args(100, 1000, 10000)) { ... }.
 *
 * Optimisers take away what nobody uses and do once what is the same each time. Four barriers say what counts:
 *     x = tare_opaque(x)     x has a value that the compiler cannot know, from here on: put inputs that do not change through it
 *     tare_use(x)            x must have been computed, in each iteration: throughput, iterations may overlap
 *     tare_chain(x)          both; x goes on into the next iteration, which so waits for this one: latency
 *     tare_use_mem(p, n)     the n bytes at p must be in memory as the program says; tare_clobber(): all memory
 * None of them takes an instruction of its own. Where they were forgotten libtare tries to notice, by the times of 0, 1, n and 2 n iterations,
 * and prints OPTIMISED-AWAY in place of a figure. An iteration of less than a cycle keeps its figure, with a remark.
 *
 * How the figure is made: a sample is so many iterations between two ordered readings of the processor's counter (tare/ticks.h), some 100 us;
 * what comes off is the median of the last four pairs of readings around an empty loop, never a loop's own counting. Alone the program prints the
 * median of its samples with the interval of order statistics (tare_median_ci_binomial); core cycles are those of a chain of multiplies, of
 * known length, that runs before and after each sample. What `tare bench` makes of the samples of many processes is in its manual.
 *
 * What it does not do: print (only through the function that TARE_MAIN hands it), exit, start threads unasked, allocate or call the
 * kernel between the samples of a benchmark.
 * Threads: calls with a state belong to the thread that got it, for as long as the body or hook that got it runs. Registration is for one
 * thread, before tare_bench_main.
 * Failures: a call with a state reports by ending the benchmark (FAILED, with the reason in the result); the first reason counts. The others
 * return a status.
 */
#ifndef TARE_BENCH_H
#define TARE_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tare/status.h>
#include <tare/ticks.h>

#ifdef __cplusplus
extern "C" {
#endif

struct tare_state; /* of one benchmark in one thread; libtare's */

/* ---- a benchmark ---- */

/* A list of values that a benchmark is run with, one after the other. Write it by the macros below. A zeroed one is no list. */
struct tare_values {
    const char *name; /* NULL or "": has none */
    const int64_t *values;
    const char *const *words; /* instead of values */
    int n;
    int64_t low, high;
    int64_t factor; /* instead of both: low, low * factor ... up to high, which is always among them */
    int64_t step;   /* instead of all these: low, low + step ... up to high, which is among them where a step meets it */
};

/* Where the inputs of TARE_EACH are when the clock starts. */
enum tare_inputs {
    TARE_INPUTS_L2,  /* as many as fit 128 KiB, just written; one if a single one is larger */
    TARE_INPUTS_HOT, /* as many as fit 16 KiB */
    TARE_INPUTS_COLD /* as many as fit 1 MiB, and out of all caches again */
};

/* Begin with TARE_INIT (tare/status.h), which sets size; zero is the default of each other field. Strings, lists and functions must live as long as
 * the program. */
struct tare_bench {
    size_t size;
    const char *name;
    void (*run)(struct tare_state *st);
    const char *file;
    int line;
    struct tare_values args, args2, args3, args4, args5, args6; /* all combinations; tare_arg(st, 0) to 5 */
    struct tare_values
        threads;      /* how many run it at once, 1 to 1024; by default 1. A sample is from the first start to the last end */
    bool zip;         /* not all combinations: first with first, second with second; lists of one length */
    bool baseline;    /* `tare bench` compares the others of the program, with the same arguments, with this one */
    bool complexity;  /* `tare bench` says how time grows with the first argument */
    bool manual_time; /* time is what the body reports by tare_manual_ns */
    enum tare_inputs inputs;
    void (*setup)(struct tare_state *st),
        (*teardown)(struct tare_state *st);                                 /* once a process, around run; by its first thread */
    void (*before)(struct tare_state *st), (*after)(struct tare_state *st); /* around each sample, not timed */
    void *context;                                                          /* tare_context(st) */
    const char
        *version; /* of what it measures, such as "2": results of another version are not compared with these. NULL: none */
};

/* Whole numbers: TARE_ARGS(100, 1000). With a name: TARE_NAMED("size", 100, 1000). Words: TARE_WORDS("order", "sorted", "random"), of
 * which tare_word(st, i) is the word. TARE_RANGE(8, 4096, 4): 8 32 128 512 2048 4096. TARE_STEPS(0, 100, 30): 0 30 60 90. With a name:
 * TARE_RANGE_NAMED("size", 8, 4096, 4), TARE_STEPS_NAMED("load", 0, 100, 30). At most 1000 values each. C only; C++: opts(). */
#define TARE_ARGS(...) TARE_NAMED(NULL, __VA_ARGS__)
#define TARE_NAMED(title, ...)                                                                                                   \
    {                                                                                                                            \
        title, (const int64_t[]){__VA_ARGS__}, NULL, (int)(sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t)), 0, 0, 0, 0 \
    }
#define TARE_WORDS(title, ...)                                                                                                  \
    {                                                                                                                           \
        title, NULL, (const char *const[]){__VA_ARGS__}, (int)(sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *)), 0, \
            0, 0, 0                                                                                                             \
    }
#define TARE_RANGE_NAMED(title, from, to, times) \
    {                                            \
        title, NULL, NULL, 0, from, to, times, 0 \
    }
#define TARE_RANGE(from, to, times) TARE_RANGE_NAMED(NULL, from, to, times)
#define TARE_STEPS_NAMED(title, from, to, by) \
    {                                         \
        title, NULL, NULL, 0, from, to, 0, by \
    }
#define TARE_STEPS(from, to, by) TARE_STEPS_NAMED(NULL, from, to, by)

/* Puts a copy of the struct on the list; once, however often. What is wrong with it (no size, two of one name, lists that do not fit, over a million
 * combinations) is reported by tare_bench_main, and so is a lack of memory. */
void tare_bench_register(const struct tare_bench *bench);
/* The same at run time, for tables, generated code and programs without constructors; name is copied. fn finds context by
 * tare_context(st). INVALID: no name or no fn. NO_MEMORY. */
enum tare_status tare_bench_add(const char *name, void (*fn)(struct tare_state *st), void *context);
/* A line about the program that every result should carry, such as "allocator", "jemalloc 5.3": before tare_bench_main, or by a
 * constructor. `tare bench` keeps it in the record and shows it. Both texts are copied; a name that is there already gets the new text. At
 * most 16 notes. INVALID: no name or text, one of over 255 bytes, or with control characters; one note too many. NO_MEMORY. */
enum tare_status tare_bench_note(const char *name, const char *text);

/* TARE_BENCH(name) or TARE_BENCH(name, .field = ..., ...) { body } */
#ifndef __cplusplus
#define TARE_BENCH(...) TARE_BENCH_AS(__VA_ARGS__, .line = __LINE__)
#define TARE_BENCH_AS(title, ...)                                                                             \
    static void tare_run_##title(struct tare_state *st);                                                      \
    static const struct tare_bench tare_benchmark_##title =                                                   \
        TARE_INIT(struct tare_bench, .name = #title, .run = tare_run_##title, .file = __FILE__, __VA_ARGS__); \
    __attribute__((__constructor__)) static void tare_register_##title(void)                                  \
    {                                                                                                         \
        tare_bench_register(&tare_benchmark_##title);                                                         \
    }                                                                                                         \
    static void tare_run_##title(struct tare_state *st)
#endif

/* ---- the program ---- */

/* Writes n bytes of text, which are gone after the call; 0 on success. */
typedef int tare_write(void *context, const char *text, size_t n);
/* Runs what is registered, as the arguments (`--help` lists them) or a runner ask for. A main of your own takes its own arguments out of argv
 * first. What is to be read goes through write(context, ...), in this thread; under a runner nothing does. Once in a process. Returns what
 * main should return: 0 done, 2 wrong arguments or no benchmark of such a name, 5 a benchmark failed, 6 it could not be done: a list that is wrong,
 * no memory, a clock that cannot be read, nothing could be written. */
int tare_bench_main(int argc, char **argv, tare_write *write, void *context);

/* To standard output, at once, by <stdio.h>: in order with what the program itself prints there. For TARE_MAIN and a main like it; libtare calls
 * it only where it is handed in. */
int tare_write_stdout(void *context, const char *text, size_t n);

#define TARE_MAIN()                                                  \
    int main(int argc, char **argv)                                  \
    {                                                                \
        return tare_bench_main(argc, argv, tare_write_stdout, NULL); \
    }

/* ---- inside of a benchmark, outside of its loop ---- */

int64_t tare_arg(const struct tare_state *st, int index); /* of a word its place in the list; 0 where there is no such argument */
const char *tare_word(const struct tare_state *st, int index); /* "" where the argument is no word */
uint64_t tare_seed(
    const struct tare_state *st); /* 64 bits; of this process and thread; the same for all benchmarks that are compared */
void *tare_context(const struct tare_state *st);             /* .context, or what setup put in its place */
void tare_set_context(struct tare_state *st, void *context); /* in setup: for run and the other hooks of all threads */
int tare_thread(const struct tare_state *st);                /* 0 .. tare_threads(st) - 1 */
int tare_threads(const struct tare_state *st);               /* how many run the benchmark at once */
/* Memory for the benchmark, of any content, aligned to 64 bytes, at a random multiple of 64 within its page. It is libtare's, which gives it back after
 * teardown. Before the loop, or in setup. 0 bytes are fine. NULL: there is none, and the benchmark has failed: return. */
void *tare_alloc(struct tare_state *st, size_t bytes);

/* What one iteration does, anywhere in the body outside of the loop: shown as rates. Finite, at least 0, and the same each time, else the benchmark
 * fails. With threads each says what its own iteration does, and the rate is that of all. */
void tare_items(struct tare_state *st, double items);
void tare_bytes(struct tare_state *st, double bytes);
enum tare_per {
    TARE_PER_ITERATION,
    TARE_PER_SECOND,
    TARE_TOTAL,
    /* To be added (by |) to one of these: */
    TARE_INVERTED = 16,   /* what one of them takes: iterations, or time, for one */
    TARE_OF_ALL = 32,     /* with threads: the sum of what they say; else what the first one says counts */
    TARE_MEAN_OF_ALL = 64 /* or its mean over the threads */
};
/* A counter of your own. value: per iteration (PER_SECOND shows it as a rate), or in all (TOTAL); finite, else the benchmark fails. The last value set
 * counts; at most 32. name (not NULL) and unit (NULL: none) are copied, 63 bytes of each. An inverted counter of 0 has no figure. */
void tare_counter(struct tare_state *st, const char *name, double value, const char *unit, enum tare_per per);

/* A text that is shown beside the figure: "sse4.2". The last one set by the first thread counts; its first 255 bytes. NULL: none. */
void tare_label(struct tare_state *st, const char *text);

/* The benchmark does not apply here, or has failed. Before the loop, which then is passed over, and return; within it the pass goes on to its end.
 * Shown with its reason (NULL: none; copied, 1023 bytes of it). `tare bench` ends with 5 where one failed, not where one was skipped. */
void tare_skip(struct tare_state *st, const char *reason);
void tare_fail(struct tare_state *st, const char *reason);
/* A result that must hold; otherwise the benchmark fails, with the text of the condition. Also in the loop, where it costs a test. */
#define tare_check(st, condition) ((condition) ? (void)0 : tare_check_failed(st, #condition, __FILE__, __LINE__))
void tare_check_failed(struct tare_state *st, const char *condition, const char *file, int line);
/* manual_time: what an iteration took by your own clock, in nanoseconds, within the loop; added up over the sample. What is not finite fails, and
 * a sample without any. Without manual_time it does nothing. */
void tare_manual_ns(struct tare_state *st, double ns);

/* ---- the loop ---- */

/* What the macros below keep between libtare and the code under test. */
struct tare_loop {
    struct tare_state *state;
    uint64_t count; /* iterations of the coming pass */
    struct tare_ticks start, stop;
    enum tare_ticks_way way;
    int cpu; /* where the last read was made; -1: not known */
    char *first, *last;
    size_t stride; /* of the inputs of TARE_EACH */
    uint64_t left; /* iterations that did not happen */
};
struct tare_loop tare_loop_open(struct tare_state *st);
struct tare_loop tare_each_open(struct tare_state *st, size_t bytes);
bool tare_loop_next(struct tare_loop *l);
void tare_each_ready(struct tare_loop *l); /* inputs are made */
struct tare_ticks tare_loop_ticks(const struct tare_loop *l);

/* The measured path: from the read in tare_loop_start to that in tare_loop_end nothing runs but the countdown and the code under test. The count
 * becomes known only behind the first read, so that the loop cannot begin before it; what is left of it is used before the second. */
static inline void tare_loop_start(struct tare_loop *l)
{
#if TARE_TICKS_INLINE
    if (l->way) {
        l->start = tare_ticks_begin();
        return;
    }
#endif
    l->start = tare_loop_ticks(l);
}

static inline void tare_loop_end(struct tare_loop *l, uint64_t left)
{
    __asm__ __volatile__("" : "+r"(left) : : "memory");
#if TARE_TICKS_INLINE
    if (l->way == TARE_TICKS_IN_LINE)
        l->stop = tare_ticks_end(&l->cpu);
    else if (l->way == TARE_TICKS_FENCED)
        l->stop = tare_ticks_begin();
    else
#endif
        l->stop = tare_loop_ticks(l);
    l->left = left;
}

static inline uint64_t tare_loop_begin(struct tare_loop *l)
{
    uint64_t count = l->count;
    tare_loop_start(l);
    __asm__ __volatile__("" : "+r"(count));
    return count;
}

static inline char *tare_each_begin(struct tare_loop *l)
{
    char *first = l->first;
    tare_loop_start(l);
    __asm__ __volatile__("" : "+r"(first));
    return first;
}

#include <tare/detail/bench_loop.h>

/* Four iterations for each countdown where the compiler can do that (gcc's link-time optimisation does not): work that waits for itself takes
 * a cycle or more, nothing at all takes half of one or less, and so libtare can tell them apart. */
#if defined(__clang__)
#define TARE_UNROLLED _Pragma("clang loop unroll_count(4)")
#elif defined(__GNUC__) && __GNUC__ >= 8
#define TARE_UNROLLED _Pragma("GCC unroll 4")
#else
#define TARE_UNROLLED
#endif

/* TARE_LOOP(st) { code under test }: a statement. Under `--profile startup`, memory and once the body runs once. */
#define TARE_LOOP(st)                                                                        \
    for (struct tare_loop tare_loop_ = tare_loop_open(st); tare_loop_next(&tare_loop_);)     \
        for (uint64_t tare_left_ = tare_loop_begin(&tare_loop_), tare_once_ = 1; tare_once_; \
             tare_once_ = 0, tare_loop_end(&tare_loop_, tare_left_))                         \
    TARE_UNROLLED TARE_FOR(TARE_NO_FIRST tare_left_; tare_left_--)

/* TARE_EACH(st, int, v, n, fill(v)) { code under test }: in each iteration v is an `int *` to n ints of its own, which `fill(v)` has made
 * before the clock started, outside of it again for each sample. n, of at least 0, is looked at once. Each input begins at a multiple of 16 bytes;
 * they are libtare's, as tare_alloc's are. What the statement leaves in an input is overwritten by the next filling; it owns nothing beyond
 * its bytes. As many inputs make a sample as .inputs has room for, at least one. */
#define TARE_EACH(st, type, v, n, ...)                                                                                       \
    for (struct tare_loop tare_loop_ = tare_each_open(st, sizeof(type) * TARE_AS(size_t, n)); tare_loop_next(&tare_loop_);)  \
        for (int tare_pass_ = 0; tare_pass_ < 2; tare_pass_++)                                                               \
            if (tare_pass_ == 0) {                                                                                           \
                for (char *tare_at_ = tare_loop_.first; tare_at_ != tare_loop_.last; tare_at_ += tare_loop_.stride) {        \
                    type *v = TARE_AT(type, TARE_AT(void, tare_at_));                                                        \
                    __VA_ARGS__;                                                                                             \
                }                                                                                                            \
                tare_each_ready(&tare_loop_);                                                                                \
            } else                                                                                                           \
                for (char *tare_last_ = tare_loop_.last, *tare_at_ = tare_each_begin(&tare_loop_), *tare_once_ = tare_last_; \
                     tare_once_; tare_once_ = NULL, tare_loop_end(&tare_loop_, TARE_AS(uint64_t, tare_last_ - tare_at_)))    \
                    for (type * v; (v = TARE_AT(type, TARE_AT(void, tare_at_)), tare_at_ != tare_last_);                     \
                         tare_at_ += tare_loop_.stride)

/* ---- barriers ---- */

/* A constant in a barrier that wants a result was computed by the compiler: the benchmark is then reported as optimised away. */
void tare_saw_constant(void);

#if defined(__SSE2__)
#define TARE_FLOAT_REGISTER "x"
#elif defined(__aarch64__)
#define TARE_FLOAT_REGISTER "w"
#else
#define TARE_FLOAT_REGISTER "m"
#endif

#ifndef __cplusplus
#define TARE_BARRIERS(name, type, place)                                             \
    __attribute__((__always_inline__)) static inline type tare_opaque_##name(type x) \
    {                                                                                \
        __asm__ __volatile__("" : "+" place(x));                                     \
        return x;                                                                    \
    }                                                                                \
    __attribute__((__always_inline__)) static inline void tare_use_##name(type x)    \
    {                                                                                \
        if (__builtin_constant_p(x))                                                 \
            tare_saw_constant();                                                     \
        __asm__ __volatile__("" : : place(x));                                       \
    }

#define TARE_REGISTER_TYPES(X)             \
    X(bool, _Bool, "r")                    \
    X(char, char, "r")                     \
    X(schar, signed char, "r")             \
    X(uchar, unsigned char, "r")           \
    X(short, short, "r")                   \
    X(ushort, unsigned short, "r")         \
    X(int, int, "r")                       \
    X(uint, unsigned int, "r")             \
    X(long, long, "r")                     \
    X(ulong, unsigned long, "r")           \
    X(llong, long long, "r")               \
    X(ullong, unsigned long long, "r")     \
    X(float, float, TARE_FLOAT_REGISTER)   \
    X(double, double, TARE_FLOAT_REGISTER) \
    X(ldouble, long double, "m")
#if defined(__GNUC__) || defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdouble-promotion" /* a float in __builtin_constant_p */
#endif
TARE_REGISTER_TYPES(TARE_BARRIERS)
#if defined(__GNUC__) || defined(__clang__)
#pragma GCC diagnostic pop
#endif
#undef TARE_REGISTER_TYPES
#undef TARE_BARRIERS

__attribute__((__always_inline__)) static inline void *tare_opaque_pointer(const volatile void *p)
{
    void *q = (void *)(uintptr_t)p;
    __asm__ __volatile__("" : "+r"(q));
    return q;
}
__attribute__((__always_inline__)) static inline void tare_use_pointer(const volatile void *p)
{
    __asm__ __volatile__("" : : "r"(p));
}

/* The barrier of that kind for the type of x; a struct is an error: use its members, or tare_use_mem. */
#define TARE_BARRIER(kind, x)                   \
    _Generic((x), _Bool                         \
             : kind##_bool, char                \
             : kind##_char, signed char         \
             : kind##_schar, unsigned char      \
             : kind##_uchar, short              \
             : kind##_short, unsigned short     \
             : kind##_ushort, int               \
             : kind##_int, unsigned int         \
             : kind##_uint, long                \
             : kind##_long, unsigned long       \
             : kind##_ulong, long long          \
             : kind##_llong, unsigned long long \
             : kind##_ullong, float             \
             : kind##_float, double             \
             : kind##_double, long double       \
             : kind##_ldouble, default          \
             : kind##_pointer)(x)

/* Numbers and pointers. tare_opaque returns x (a pointer as void *); x of tare_chain is an lvalue. */
#define tare_opaque(x) TARE_BARRIER(tare_opaque, x)
#define tare_use(x)    TARE_BARRIER(tare_use, x)
#define tare_chain(x)  ((void)((x) = tare_opaque(x)))
#endif

static inline void tare_clobber(void)
{
    __asm__ __volatile__("" : : : "memory");
}

/* p may point to const. */
static inline void tare_use_mem(const void *p, size_t n)
{
    (void)n;
    __asm__ __volatile__("" : : "r"(p) : "memory");
}

#ifdef __cplusplus
}
#endif

#ifdef __cplusplus
#include <tare/bench_cxx.hpp>
#endif
#endif
