/* SPDX-License-Identifier: MIT
 *
 * A program with benchmarks of every fate, for tests of the library and of whoever runs such programs: chains of a known number of cycles,
 * fresh inputs, and what is skipped, fails, is optimised away.
 */
#include <stdlib.h>
#include <string.h>
#include <tare/tare.h>

/* n dependent multiplies of 3 cycles each on x86-64. */
#define MULTIPLY(x) ((x) = (x)*0x9e3779b97f4a7c15u, tare_chain(x))

TARE_BENCH(chain_3)
{
    uint64_t x = tare_seed(st) | 1;
    TARE_LOOP(st)
    {
        MULTIPLY(x);
    }
}

TARE_BENCH(chain_15)
{
    uint64_t x = tare_seed(st) | 1;
    TARE_LOOP(st)
    {
        MULTIPLY(x);
        MULTIPLY(x);
        MULTIPLY(x);
        MULTIPLY(x);
        MULTIPLY(x);
    }
}

static int by_value(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

TARE_BENCH(sort_ints, .args = TARE_ARGS(8, 100, 1000))
{
    size_t n = (size_t)tare_arg(st, 0);
    uint64_t random = tare_seed(st);
    int *proto = tare_alloc(st, n * sizeof *proto);
    if (!proto)
        return;
    for (size_t i = 0; i < n; i++)
        proto[i] = (int)((random = random * 6364136223846793005u + 1442695040888963407u) >> 40);
    TARE_EACH(st, int, v, n, memcpy(v, proto, n * sizeof *v))
    {
        qsort(v, n, sizeof *v, by_value);
        tare_use_mem(v, n * sizeof *v);
    }
    tare_items(st, (double)n);
}

TARE_BENCH(copy, .args = TARE_RANGE(16, 65536, 16), .baseline = true)
{
    size_t n = (size_t)tare_arg(st, 0);
    char *from = tare_alloc(st, n), *to = tare_alloc(st, n);
    if (!from || !to)
        return;
    memset(from, 1, n);
    TARE_LOOP(st)
    {
        memcpy(to, from, n);
        tare_use_mem(to, n);
    }
    tare_bytes(st, (double)n);
}

TARE_BENCH(not_here)
{
    tare_skip(st, "it needs a moon");
}

TARE_BENCH(wrong)
{
    int sum = 0;
    TARE_LOOP(st)
    {
        sum += tare_opaque(1);
        tare_check(st, sum < 1000);
    }
}

TARE_BENCH(nothing_left)
{
    uint64_t x = tare_seed(st);
    TARE_LOOP(st)
    {
        x = x * 3 + 1;
    }
}

static void *shared_setup_place;

static void shared_setup(struct tare_state *st)
{
    shared_setup_place = tare_alloc(st, 64);
    tare_set_context(st, shared_setup_place);
}

TARE_BENCH(threads, .threads = TARE_RANGE(1, 4, 2), .setup = shared_setup)
{
    uint64_t x = tare_seed(st) | 1;
    tare_check(st, tare_context(st) == shared_setup_place && tare_thread(st) < tare_threads(st));
    TARE_LOOP(st)
    {
        MULTIPLY(x);
    }
}

TARE_BENCH(thread_inputs, .threads = TARE_ARGS(2))
{
    TARE_EACH(st, uint64_t, v, 4, memset(v, 1, 32))
    {
        v[0] *= v[1];
        tare_use_mem(v, 32);
    }
}

TARE_BENCH(input_maker_returns, .threads = TARE_ARGS(3))
{
    int made = 0;
    TARE_EACH(st, uint64_t, v, 4, if (tare_thread(st) == 1 && made++ > 2) return; memset(v, 1, 32))
    {
        v[0] *= v[1];
        tare_use_mem(v, 32);
    }
}

TARE_BENCH(first_input_maker_returns, .threads = TARE_ARGS(3))
{
    int made = 0;
    TARE_EACH(st, uint64_t, v, 4, if (tare_thread(st) == 0 && made++ > 2) return; memset(v, 1, 32))
    {
        v[0] *= v[1];
        tare_use_mem(v, 32);
    }
}

TARE_BENCH(input_user_returns, .threads = TARE_ARGS(3))
{
    int used = 0;
    TARE_EACH(st, uint64_t, v, 4, memset(v, 1, 32))
    {
        v[0] *= v[1];
        tare_use_mem(v, 32);
        if (tare_thread(st) == 2 && used++ > 2)
            return;
    }
}

TARE_BENCH(one_thread_is_wrong, .threads = TARE_ARGS(3))
{
    uint64_t x = 1;
    TARE_LOOP(st)
    {
        MULTIPLY(x);
        tare_check(st, tare_thread(st) != 1);
    }
}

TARE_BENCH(one_thread_returns, .threads = TARE_ARGS(3))
{
    uint64_t x = 1;
    TARE_LOOP(st)
    {
        MULTIPLY(x);
        if (tare_thread(st) == 2)
            return;
    }
}

TARE_BENCH(first_thread_returns, .threads = TARE_ARGS(3))
{
    uint64_t x = 1;
    TARE_LOOP(st)
    {
        MULTIPLY(x);
        if (tare_thread(st) == 0)
            return;
    }
}

TARE_BENCH(first_thread_skips, .threads = TARE_ARGS(3))
{
    uint64_t x = 1;
    if (tare_thread(st) == 0) {
        tare_skip(st, "no");
        return;
    }
    TARE_LOOP(st)
    {
        MULTIPLY(x);
    }
}

TARE_BENCH(leaves_by_break)
{
    uint64_t x = 1;
    TARE_LOOP(st)
    {
        MULTIPLY(x);
        if (x) /* a loop that never runs twice is no loop, and the compiler says so */
            break;
    }
}

TARE_BENCH(two_loops)
{
    uint64_t x = 1;
    TARE_LOOP(st)
    {
        MULTIPLY(x);
    }
    TARE_LOOP(st)
    {
        MULTIPLY(x);
    }
}

TARE_BENCH(no_loop)
{
    tare_items(st, 1);
}

TARE_BENCH(own_clock, .manual_time = true)
{
    TARE_LOOP(st)
    {
        tare_manual_ns(st, 250);
    }
}

TARE_BENCH(own_short, .manual_time = true)
{
    TARE_LOOP(st)
    {
        tare_manual_ns(st, 12.4);
    }
}

TARE_BENCH(own_backwards, .manual_time = true)
{
    TARE_LOOP(st)
    {
        tare_manual_ns(st, -12.4);
    }
}

static int samples_begun, samples_done, runs_set_up;

static void count_setup(struct tare_state *st)
{
    (void)st;
    runs_set_up++;
}

static void count_before(struct tare_state *st)
{
    (void)st;
    samples_begun++;
}

static void count_after(struct tare_state *st)
{
    (void)st;
    samples_done++;
}

TARE_BENCH(hooks, .setup = count_setup, .before = count_before, .after = count_after)
{
    uint64_t x = 1;
    TARE_LOOP(st)
    {
        MULTIPLY(x);
    }
    tare_counter(st, "begun less done", samples_begun - samples_done, "", TARE_TOTAL);
    tare_counter(st, "set up", runs_set_up, "", TARE_TOTAL);
    tare_counter(st, "swaps", 3, "swap", TARE_PER_SECOND);
}

TARE_BENCH(together, .args = TARE_NAMED("rows", 1, 2), .args2 = TARE_WORDS("order", "up", "down"), .zip = true)
{
    uint64_t x = 1;
    tare_check(st, (tare_arg(st, 0) == 1) == (strcmp(tare_word(st, 1), "up") == 0));
    TARE_LOOP(st)
    {
        MULTIPLY(x);
    }
}

TARE_BENCH(steps, .args = TARE_STEPS_NAMED("load", -30, 60, 40), .args2 = TARE_RANGE_NAMED("size", 8, 20, 2))
{
    uint64_t x = 1;
    tare_check(st, tare_arg(st, 0) >= -30 && tare_arg(st, 1) <= 20);
    TARE_LOOP(st)
    {
        MULTIPLY(x);
    }
}

TARE_BENCH(six, .args = TARE_ARGS(1, 2), .args2 = TARE_ARGS(3), .args3 = TARE_NAMED("c", 4), .args4 = TARE_WORDS("d", "x", "y"),
           .args5 = TARE_ARGS(5), .args6 = TARE_ARGS(6, 7))
{
    uint64_t x = 1;
    tare_check(st, tare_arg(st, 1) == 3 && tare_arg(st, 2) == 4 && tare_arg(st, 4) == 5 && tare_arg(st, 5) >= 6 &&
                       tare_arg(st, 6) == 0);
    TARE_LOOP(st)
    {
        MULTIPLY(x);
    }
}

TARE_BENCH(stands_still, .manual_time = true)
{
    TARE_LOOP(st)
    {
        tare_manual_ns(st, 0);
    }
}

/* Each thread says another number: 1, 2, 3. */
TARE_BENCH(says_much, .threads = TARE_ARGS(3))
{
    uint64_t x = 1;
    double mine = tare_thread(st) + 1;
    TARE_LOOP(st)
    {
        MULTIPLY(x);
    }
    tare_items(st, mine);
    tare_bytes(st, 16);
    tare_label(st, tare_thread(st) ? "of another thread" : "by multiplying");
    tare_counter(st, "first", mine, "", TARE_PER_ITERATION);
    tare_counter(st, "sum", mine, "", TARE_PER_SECOND | TARE_OF_ALL);
    tare_counter(st, "mean", mine, "", TARE_TOTAL | TARE_MEAN_OF_ALL | TARE_INVERTED);
}

__attribute__((constructor)) static void say_notes(void)
{
    tare_bench_note("allocator", "none yet");
    tare_bench_note("data", "made up");
    tare_bench_note("allocator", "the C library's");
}

TARE_MAIN()
