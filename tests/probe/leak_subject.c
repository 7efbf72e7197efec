/* SPDX-License-Identifier: MIT
 *
 * Leak targets of each fate, for leak_test.c.
 */
#include <stdlib.h>
#include <string.h>
#include <tare/tare.h>

/* ---- sound ---- */

TARE_LEAK(compare, .bytes = 64, .classes = TARE_CLASSES("equal", "random"))
{
    return (uint64_t)(uint32_t)memcmp(in, in + 32, 32);
}

/* Sums 1 or 2000 multiplies by the first bit: a difference that no noise hides. */
static void first_bit(void *state, int which, unsigned char *in, struct tare_random *random)
{
    (void)state;
    tare_random_bytes(random, in, 16);
    in[0] = (unsigned char)((in[0] & 0xfe) | which);
}

static uint64_t multiplies(int n)
{
    uint64_t x = 3;
    for (int i = 0; i < n; i++) {
        x *= 0x9e3779b97f4a7c15u;
        tare_chain(x);
    }
    return x;
}

TARE_LEAK(leaks, .bytes = 16, .classes = TARE_CLASSES("off", "on"), .make = first_bit)
{
    return multiplies(in[0] & 1 ? 2000 : 1000);
}

TARE_LEAK(even, .bytes = 16, .classes = TARE_CLASSES("off", "on"), .make = first_bit)
{
    return multiplies(100) ^ in[3];
}

TARE_LEAK(three, .bytes = 8, .classes = TARE_CLASSES("zero", "ones", "random"))
{
    uint64_t x;
    memcpy(&x, in, 8);
    return x + multiplies(30);
}

TARE_LEAK(short_call, .bytes = 8, .classes = TARE_CLASSES("zero", "random"))
{
    return in[0];
}

TARE_LEAK(scanned, .bytes = 24, .secret_at = 8, .secret_bytes = 16)
{
    return multiplies(100) ^ in[8];
}

/* Its time does not follow its input: what the making of inputs leaves behind does, as lines that it put out of the caches would. */
static int left_behind;

static void leave_by_bit(void *state, int which, unsigned char *in, struct tare_random *random)
{
    (void)state, (void)which;
    tare_random_bytes(random, in, 16);
    left_behind += in[0] & 1 ? 3000 : 0;
}

TARE_LEAK(making_leaks, .bytes = 16, .classes = TARE_CLASSES("one", "other"), .make = leave_by_bit)
{
    int n = 100 + left_behind;
    left_behind = 0;
    return multiplies(n) & 0 ? 1 : in[3];
}

/* ---- with state ---- */

struct counter {
    uint64_t calls, resets;
};

static void *open_counter(void *context)
{
    (void)context;
    return calloc(1, sizeof(struct counter));
}

/* A table that the target reads is said where it is made; later there is nobody to hear it. */
static unsigned char table[4096];
static bool heard_later;

static void *make_table(void *context)
{
    (void)context;
    return tare_leak_memory(table, sizeof table) ? table : NULL;
}

static void report_too_late(void *state)
{
    heard_later |= tare_leak_memory(state, 1);
}

TARE_LEAK(looks_up, .bytes = 8, .classes = TARE_CLASSES("zero", "random"), .setup = make_table, .reset = report_too_late,
          .memory = table, .memory_bytes = 64)
{
    const unsigned char *at = state;
    if (heard_later)
        abort();
    return at[in[0] * 16] + (uint64_t)in[1];
}

static void reset_counter(void *state)
{
    struct counter *c = state;
    c->calls = 0;
    c->resets++;
}

TARE_LEAK(put_back, .bytes = 8, .classes = TARE_CLASSES("zero", "random"), .setup = open_counter, .reset = reset_counter,
          .teardown = free)
{
    struct counter *c = state;
    return c->calls++ * 1000 + in[0];
}

TARE_LEAK(changes_input, .bytes = 8, .classes = TARE_CLASSES("zero", "random"))
{
    unsigned char *mine = (unsigned char *)(uintptr_t)in;
    for (int i = 0; i < 8; i++)
        mine[i] = (unsigned char)(mine[i] * 3 + 1);
    return mine[0];
}

/* It keeps what it allocates, and so is seen. */
static void *kept;
TARE_LEAK(allocates, .bytes = 8, .classes = TARE_CLASSES("zero", "random"))
{
    void **block = malloc(100);
    if (!block)
        return 0;
    *block = kept;
    kept = block;
    return in[0];
}

/* ---- faults ---- */

TARE_LEAK(reads_behind, .bytes = 24, .classes = TARE_CLASSES("zero", "random"))
{
    return *(const volatile unsigned char *)(in + 24 + 2);
}

static void one_too_many(void *state, int which, unsigned char *in, struct tare_random *random)
{
    (void)state, (void)random;
    memset(in, which, 65);
}

TARE_LEAK(makes_too_much, .bytes = 64, .classes = TARE_CLASSES("off", "on"), .make = one_too_many)
{
    return in[0];
}

static void one_too_early(void *state, int which, unsigned char *in, struct tare_random *random)
{
    (void)state, (void)random;
    memset(in - 1, which, 65);
}

TARE_LEAK(makes_too_early, .bytes = 64, .classes = TARE_CLASSES("off", "on"), .make = one_too_early)
{
    return in[0];
}

TARE_LEAK(reads_before, .bytes = 24, .classes = TARE_CLASSES("zero", "random"))
{
    return *(const volatile unsigned char *)(in - 1) & 0;
}

TARE_LEAK(writes_behind, .bytes = 24, .classes = TARE_CLASSES("zero", "random"))
{
    *(volatile unsigned char *)(uintptr_t)(in + 24) = 1;
    return in[0];
}

TARE_LEAK(writes_before, .bytes = 24, .classes = TARE_CLASSES("zero", "random"))
{
    *(volatile unsigned char *)(uintptr_t)(in - 1) = 1;
    return in[0];
}

TARE_LEAK(crashes, .bytes = 8, .classes = TARE_CLASSES("zero", "random"))
{
    uintptr_t nowhere = 8;
    tare_chain(nowhere);
    return *(const volatile unsigned char *)nowhere ^ in[0];
}

static int depth(int n)
{
    volatile char room[4096];
    room[0] = (char)n;
    return n == tare_opaque(-1) ? 0 : depth(n + 1) + room[0];
}

TARE_LEAK(overflows_stack, .bytes = 8, .classes = TARE_CLASSES("zero", "random"))
{
    return (uint64_t)depth(in[0]);
}

TARE_LEAK(aborts, .bytes = 8, .classes = TARE_CLASSES("zero", "random"))
{
    if (in[0])
        abort();
    return 0;
}

static void *no_setup(void *context)
{
    (void)context;
    return NULL;
}

TARE_LEAK(without_setup, .bytes = 8, .classes = TARE_CLASSES("zero", "random"), .setup = no_setup)
{
    return in[0];
}

static void *no_setup_of(void *state, int64_t n)
{
    (void)n;
    return state;
}

static void *crash_setup(void *context)
{
    abort();
    return context;
}

TARE_LEAK(crashes_in_setup, .bytes = 8, .classes = TARE_CLASSES("zero", "random"), .setup = crash_setup)
{
    return in[0];
}

static void same(void *state, int which, unsigned char *in, struct tare_random *random)
{
    (void)state;
    (void)which;
    (void)random;
    memset(in, 7, 8);
}

TARE_LEAK(equal_classes, .bytes = 8, .classes = TARE_CLASSES("one", "other"), .make = same)
{
    return in[0];
}

TARE_LEAK(not_deterministic, .bytes = 8, .classes = TARE_CLASSES("zero", "random"))
{
    static uint64_t calls;
    return calls++ + in[0];
}

TARE_LEAK(blinded, .bytes = 8, .classes = TARE_CLASSES("zero", "random"), .varies = true)
{
    static uint64_t calls;
    return calls++ + multiplies(50) + in[0];
}

TARE_LEAK(no_such_file, .bytes = 8, .classes = TARE_CLASSES("zero", "file:/nonexistent/records"))
{
    return in[0];
}

/* ---- descriptors that are wrong ---- */

TARE_LEAK(no_such_class, .bytes = 8, .classes = TARE_CLASSES("zero", "nothing"))
{
    return in[0];
}

TARE_LEAK(one_class, .bytes = 8, .classes = TARE_CLASSES("zero"))
{
    return in[0];
}

TARE_LEAK(sizes_fall, .build = no_setup_of, .growth = TARE_ARGS(2, 1))
{
    return state != NULL;
}

static uint64_t twin(void *state, const unsigned char *in)
{
    (void)state;
    return in[0];
}

static const char *const of_twins[] = {"zero", "random"};
static struct tare_leak twins[2] = {TARE_INIT(struct tare_leak, .name = "twin", .run = twin, .bytes = 8,
                                              .classes = {of_twins, 2}),
                                    TARE_INIT(struct tare_leak, .name = "twin", .run = twin, .bytes = 8,
                                              .classes = {of_twins, 2})},
                        nameless = TARE_INIT(struct tare_leak, .run = twin, .bytes = 8, .classes = {of_twins, 2}),
                        many = TARE_INIT(struct tare_leak, .name = "seventeen_classes", .run = twin, .bytes = 8,
                                         .classes = {of_twins, 17});

__attribute__((constructor)) static void add_wrong_ones(void)
{
    tare_leak_register(&twins[0]);
    tare_leak_register(&twins[1]);
    tare_leak_register(&nameless);
    tare_leak_register(&many);
}

/* ---- marks ---- */

TARE_LEAK(branches_on_secret, .bytes = 8, .classes = TARE_CLASSES("zero", "random"))
{
    uint64_t x = 1;
    if (tare_taint_active() && !tare_is_secret(in, 8))
        return 1;
    if (in[3] == 7) /* BRANCH: reported, at this line */
        tare_chain(x);
    return x;
}

TARE_LEAK(declassifies, .bytes = 8, .classes = TARE_CLASSES("zero", "random"))
{
    uint64_t x = 1;
    tare_public(in, 4);
    if (in[3] == 7)
        tare_chain(x);
    return x;
}

/* ---- growth ---- */

struct list {
    struct list *next;
};

static void free_list(void *structure)
{
    for (struct list *l = structure, *next; l; l = next) {
        next = l->next;
        free(l);
    }
}

static void *build_list(void *state, int64_t n)
{
    struct list *first = NULL;
    (void)state;
    for (int64_t i = 0; i < n; i++) {
        struct list *l = malloc(sizeof *l);
        if (!l) {
            free_list(first);
            return NULL;
        }
        l->next = first;
        first = l;
    }
    return first;
}

TARE_LEAK(length, .build = build_list, .destroy = free_list, .growth = TARE_RANGE(1, 1000, 10))
{
    uint64_t n = 0;
    for (struct list *l = state; l; l = l->next)
        n++;
    return n;
}

static void *build_none(void *state, int64_t n)
{
    return n < 4 ? build_list(state, n) : NULL;
}

TARE_LEAK(cannot_build, .build = build_none, .destroy = free_list)
{
    return state != NULL;
}

struct stack {
    uint64_t n, room[4096];
};

static void *build_stack(void *state, int64_t n)
{
    (void)state;
    struct stack *s = calloc(1, sizeof *s);
    if (s)
        s->n = (uint64_t)n;
    return s;
}

static void pop(void *structure)
{
    ((struct stack *)structure)->n--;
}

TARE_LEAK(push, .build = build_stack, .destroy = free, .undo = pop, .growth = TARE_ARGS(0, 10, 4000))
{
    struct stack *s = state;
    s->room[s->n++] = 1;
    return s->n;
}

static void leave_by_size(void *structure)
{
    left_behind += (int)((struct stack *)structure)->n;
}

TARE_LEAK(touch_leaks, .build = build_stack, .destroy = free, .touch = leave_by_size, .growth = TARE_ARGS(0, 10, 4000))
{
    struct stack *s = state;
    int n = 100 + left_behind;
    left_behind = 0;
    return multiplies(n) & 0 ? 1 : s->room[0];
}

TARE_BENCH(a_bench_beside)
{
    uint64_t x = tare_seed(st);
    TARE_LOOP(st)
    {
        x = x * 3 + 1;
        tare_chain(x);
    }
}

TARE_MAIN()
