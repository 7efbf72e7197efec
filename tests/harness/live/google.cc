// SPDX-License-Identifier: MIT
//
// A program of google/benchmark with what its names, times and counters can be. WORK: how much there is to do.
#include <benchmark/benchmark.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#ifndef WORK
#define WORK 1000
#endif

static bool is_bad(const char *how)
{
    const char *bad = getenv("HARNESS_BAD");
    return bad && !strcmp(bad, how);
}

static void work(benchmark::State &st, long n)
{
    unsigned long x = 1;
    for (auto _ : st)
        for (long i = 0; i < n; i++)
            benchmark::DoNotOptimize(x = x * 6364136223846793005ul + 1);
}

static void plain(benchmark::State &st)
{
    work(st, WORK);
    st.SetBytesProcessed(st.iterations() * 64);
    st.counters["work"] = WORK;
}
BENCHMARK(plain);

static void wall(benchmark::State &st)
{
    work(st, WORK);
    st.SetItemsProcessed(st.iterations() * 8);
}
BENCHMARK(wall)->UseRealTime();
BENCHMARK(plain)->Name("parallel")->Threads(2);
BENCHMARK(plain)->Name("repeated")->Repetitions(2)->Iterations(100);

static void by_hand(benchmark::State &st)
{
    for (auto _ : st)
        st.SetIterationTime(WORK * 1e-6);
}
BENCHMARK(by_hand)->UseManualTime();

static void named(benchmark::State &st)
{
    work(st, st.range(0));
}
BENCHMARK(named)->Name("a name (|x) a+b*")->Arg(100)->Unit(benchmark::kMillisecond);

template <class T> static void filled(benchmark::State &st)
{
    for (auto _ : st)
        benchmark::DoNotOptimize(T(100, 1).data());
}
BENCHMARK_TEMPLATE(filled, std::vector<int>);

static void fails(benchmark::State &st)
{
    st.SkipWithError("no data here");
    for (auto _ : st) {
    }
}
BENCHMARK(fails);

static void crashes(benchmark::State &st)
{
    work(st, WORK);
    if (is_bad("crash"))
        abort();
}
BENCHMARK(crashes);

int main(int argc, char **argv)
{
    puts("a line before");
    benchmark::Initialize(&argc, argv);
    benchmark::RunSpecifiedBenchmarks();
    puts("and one behind");
}
