/* SPDX-License-Identifier: MIT
 *
 * other_bench.hpp - benchmarks that are written for libtare, measured by google/benchmark: its loop, its barriers, its pause around what makes fresh
 * input, as its guide advises. Only what bench/functions and tests/probe/traps.c use.
 *
 *     #define OTHER_BENCH
 *     #include "kernels.c"                 // a C++ file of two lines; link it with -lbenchmark
 */
#ifndef OTHER_BENCH_HPP
#define OTHER_BENCH_HPP

#include <benchmark/benchmark.h>
#include <cstdint>
#include <cstdlib>
#include <utility>
#include <vector>

struct tare_state {
    benchmark::State &google;
    auto begin()
    {
        return google.begin();
    }
    auto end()
    {
        return google.end();
    }
};

static inline std::uint64_t tare_seed(const struct tare_state *)
{
    static volatile std::uint64_t seed = 42; /* not known to the compiler */
    return seed;
}

static inline void *tare_alloc(struct tare_state *, std::size_t bytes)
{
    return std::aligned_alloc(64, (bytes + 63) / 64 * 64); /* for as long as the process lives */
}

/* It hides no inputs: what its guide offers is to have the value consumed. */
template <class T> static inline T tare_opaque(T x)
{
    benchmark::DoNotOptimize(x);
    return x;
}

#define TARE_BENCH(name)                                     \
    static void tare_run_##name(struct tare_state *st);      \
    static void tare_google_##name(benchmark::State &google) \
    {                                                        \
        struct tare_state st = {google};                     \
        tare_run_##name(&st);                                \
    }                                                        \
    BENCHMARK(tare_google_##name)->Name(#name);              \
    static void tare_run_##name(struct tare_state *st)
#define TARE_LOOP(st) for (auto tare_unused_ [[maybe_unused]] : *(st))
#define TARE_EACH(st, type, v, n, ...)                                                                 \
    for (std::pair<std::vector<type>, bool> tare_room_(std::vector<type>(n), true); tare_room_.second; \
         tare_room_.second = false)                                                                    \
        TARE_LOOP(st)                                                                                  \
    if (type *v = tare_room_.first.data(); ((st)->google.PauseTiming(), (void)(__VA_ARGS__), (st)->google.ResumeTiming(), true))
#define tare_use(x)        benchmark::DoNotOptimize(x)
#define tare_chain(x)      benchmark::DoNotOptimize(x)
#define tare_use_mem(p, n) (benchmark::DoNotOptimize(p), benchmark::ClobberMemory())
#define tare_clobber()     benchmark::ClobberMemory()
#define TARE_MAIN()        BENCHMARK_MAIN();

#endif
