/* SPDX-License-Identifier: MIT
 *
 * tare/leak.h - does the time of this code depend on its secret input? Targets for `tare leak`.
 *
 *     #include <tare/tare.h>
 *
 *     TARE_LEAK(memcmp32, .bytes = 64, .classes = TARE_CLASSES("equal", "random")) {
 *         return (uint64_t)memcmp(in, in + 32, 32);        // `in` has 64 bytes; what is returned must be what was computed
 *     }
 *
 *     static void keys(void *state, int which, unsigned char *in, struct tare_random *random) {
 *         tare_random_bytes(random, in, 32);               // the same work for each class ...
 *         in[0] = (unsigned char)(which ? in[0] | 0x80 : in[0] & 0x7f);
 *     }
 *     TARE_LEAK(ladder, .bytes = 32, .classes = TARE_CLASSES("short", "long"), .make = keys, .setup = curve_open) {
 *         return scalar_multiply(state, in);               // `state` is what curve_open returned
 *     }
 *
 *     TARE_LEAK(size, .build = queue_of, .destroy = queue_free) {   // is it O(1)? `tare leak --growth`
 *         return (uint64_t)queue_size(state);              // `state` is a structure of n elements that queue_of made
 *     }
 *
 *     TARE_MAIN()
 *
 * `tare leak ./program` runs it in many fresh processes and says, for each target: a leak and how large; none larger than Δ, for this
 * processor, this binary and these classes; or what is missing for an answer. Targets and benchmarks (tare/bench.h) live in one program.
 *
 * How a target is called. Inputs come in classes. A block is one call with an input of each class, in an order drawn from a generator that
 * nobody foretells. Before each block inputs of all classes are made, in another such order; before each call the one that is its turn is
 * copied, by an operation that does not branch and reads all of them, into one buffer whose place is the same for all. Between the two
 * readings of the clock there is the call of the target and nothing else, however coarse the clock is. With `tare leak --repeat NUM` there are several, each with an
 * input of its own beside those of the others. The value that it returns is used, so that nothing of it is optimised away; a target without a
 * value returns 0, and then nobody can tell whether it computes the same again from the same input.
 * The buffer ends (in half of the processes: begins) at a page that cannot be touched. A target that reads or writes outside of it,
 * crashes, or whose classes are always equal is not judged; the report says which. A process that a target forks is ended when it comes back
 * from the target.
 *
 * Which classes to compare matters more than anything behind it: two random inputs of a comparison differ in their first byte, and so
 * never show that it stops there. The ready ones, by name:
 *     zero ones random      all bits 0, all 1, at random
 *     fixed fixed2          a random value that is always the same one, and another: "fixed" against "random", "fixed" against "fixed2"
 *     low-weight high-weight one-hot      1 bit in 16 set, 15 in 16, exactly one at random
 *     equal differs-first differs-middle differs-last prefix:K
 *                           for comparisons: against .reference, if there is one; else the second half of the input against the first,
 *                           which is random. prefix:K: the first K bytes are equal, the next differs, the rest is random
 *     short long leading-zeros trailing-zeros sparse
 *                           for big numbers, most significant byte first: 3/4 zeros and then random; random with the highest bit set; a quarter of
 *                           zeros at either end; 7 bytes in 8 zero
 *     length:K              K random bytes of 1 to 255, then zeros: texts, and what stops at a zero
 *     small large power-of-two minus-one
 *                           for divisions: 64-bit integers of 1 to 15, with the highest bit set, with one bit set, and -1
 *     normal denormal infinite nan normal32 denormal32
 *                           doubles, and floats: normal is 1 to 2, denormal below the least normal one
 *     file:PATH             records of .bytes each from a file, one at random
 *
 * Marks for `tare leak --taint`, which runs the targets under valgrind, or as a build with clang -fsanitize=memory: the secret bytes of the
 * input are marked by the harness; tare_secret marks more, tare_public takes the mark off what may be known (a ciphertext, the result of a
 * check). Without either they cost a few instructions and change nothing.
 *
 * C11 and later; C++17 and later, with tare::leak_opts(). What it does not do: judge. Alone the program lists its targets.
 * Threads: one. Targets are registered before tare_bench_main, by one thread.
 */
#ifndef TARE_LEAK_H
#define TARE_LEAK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tare/bench.h>
#include <tare/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- random numbers, for generators of inputs ---- */

struct tare_random;                                                      /* seeded anew in each process; libtare's */
uint64_t tare_random_next(struct tare_random *random);                   /* 64 random bits */
uint64_t tare_random_below(struct tare_random *random, uint64_t limit);  /* 0 to limit - 1; limit > 0 */
void tare_random_bytes(struct tare_random *random, void *out, size_t n); /* n random bytes */

/* ---- a target ---- */

struct tare_names {
    const char *const *names;
    int n;
};

/* Begin with TARE_INIT (tare/status.h), which sets size; zero is the default of each other field. Texts, lists and functions must live as long as the
 * program. */
struct tare_leak {
    size_t size;
    const char *name;
    uint64_t (*run)(void *state, const unsigned char *in);
    const char *file;
    int line;
    size_t bytes;              /* of the input; at most 16 MiB */
    struct tare_names classes; /* 2 to 16, the first is what the others are compared with: ready ones, or, with make, yours */
    /* Fills all of `in`, which holds whatever was there, for class number `which`. Called for every class before every block, so what
     * it takes is the same for all. Never reads the clock of its own work: what it leaves in caches is there for all classes alike. */
    void (*make)(void *state, int which, unsigned char *in, struct tare_random *random);
    const void *reference;          /* bytes bytes: what the comparing classes are compared with */
    size_t secret_at, secret_bytes; /* the secret part of the input, for --taint and --scan; 0 bytes: all of it */
    size_t align;                   /* of the buffer, a power of two up to 4096; 0: the largest that divides bytes, at most 64 */
    void *(*setup)(
        void *context); /* once a process; what it returns is `state`. NULL: it could not. Without it state is context */
    void (*teardown)(void *state);
    void (*reset)(void *state); /* before each call, not timed: puts back what a call changes. Each call is then timed alone */
    void *context;
    bool varies;         /* the same input may give another result (blinding): this is no fault then */
    bool dit;            /* switch data-independent timing on, where the processor lets a program do it */
    const void *memory;  /* what the target reads beside its input (a table), for --cache cold; more by */
    size_t memory_bytes; /* tare_leak_memory */
    /* Growth: how time depends on the size of a structure. */
    struct tare_values
        growth; /* sizes, rising, 2 to 32: TARE_ARGS(...), TARE_RANGE(...), TARE_STEPS(...). By default 1, 2, 4 ... 131072 */
    void *(*build)(void *state, int64_t n); /* a structure of n elements; run gets it as its state. NULL: it could not */
    /* Before each call, not timed: brings it into the state of caches that you want. Self-checks touch the largest structure before the
     * smallest, to see what that leaves behind. */
    void (*touch)(void *structure);
    void (*undo)(
        void
            *structure); /* after each call, not timed: there are n elements again. Without it run may be called again as it is */
    void (*destroy)(void *structure);
};

#ifndef __cplusplus
#define TARE_CLASSES(...)                                                                                            \
    {                                                                                                                \
        (const char *const[]){__VA_ARGS__}, (int)(sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *)) \
    }

/* TARE_LEAK(name, .field = ..., ...) { body that returns uint64_t and may use `state` and `in` } */
#define TARE_LEAK(...) TARE_LEAK_AS(__VA_ARGS__, .line = __LINE__)
#define TARE_LEAK_AS(title, ...)                                                                                \
    static uint64_t tare_target_##title(void *state, const unsigned char *in);                                  \
    static const struct tare_leak tare_leak_target_##title =                                                    \
        TARE_INIT(struct tare_leak, .name = #title, .run = tare_target_##title, .file = __FILE__, __VA_ARGS__); \
    __attribute__((__constructor__)) static void tare_register_leak_##title(void)                               \
    {                                                                                                           \
        tare_leak_register(&tare_leak_target_##title);                                                          \
    }                                                                                                           \
    static uint64_t tare_target_##title(__attribute__((__unused__)) void *state,                                \
                                        __attribute__((__unused__)) const unsigned char *in)
#endif

/* Puts a copy of the struct on the list; once, however often. What is wrong with it is reported by tare_bench_main. */
void tare_leak_register(const struct tare_leak *leak);
/* The same at run time: its name and its names of classes are copied too, and each call adds one. INVALID: no size (TARE_INIT), no name or no run.
 * NO_MEMORY. */
enum tare_status tare_leak_add(const struct tare_leak *leak);

/* In setup or build: n bytes at p are read by the target, so `--cache cold` puts them out of the caches too. At most 64 such; false:
 * there were more already, or no target is being set up. */
bool tare_leak_memory(const void *p, size_t n);

/* ---- marks ---- */

/* The n bytes at p are secret: what branches or addresses by them is reported from now on. */
void tare_secret(const void *p, size_t n);
/* They may be known. */
void tare_public(const void *p, size_t n);
/* Whether any of them is marked; false where marks have no effect. */
bool tare_is_secret(const void *p, size_t n);
/* Whether marks have an effect in this process. */
bool tare_taint_active(void);

#ifdef __cplusplus
}
#endif

#ifdef __cplusplus
#include <tare/leak_cxx.hpp>
#endif
#endif
