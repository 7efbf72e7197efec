// SPDX-License-Identifier: MIT
//
// bench/harness.sh: the same work as suite_test.go, UNITS times. A program with 1020 units does 2 % more than one with 1000.
#include <algorithm>
#include <benchmark/benchmark.h>
#include <cstring>
#include <unordered_map>
#include <vector>

static unsigned long next(unsigned long x)
{
    return x * 6364136223846793005ul + 1442695040888963407ul;
}

// Each step waits for the one before it: of known length.
static void chain(benchmark::State &st)
{
    unsigned long x = 1;
    for (auto _ : st)
        for (int i = 0; i < UNITS; i++)
            benchmark::DoNotOptimize(x = next(x));
}
BENCHMARK(chain);

static void sort(benchmark::State &st)
{
    std::vector<unsigned> drawn(64), v(64);
    unsigned long x = 1;
    for (auto &d : drawn)
        d = (unsigned)((x = next(x)) >> 33);
    for (auto _ : st)
        for (int i = 0; i < UNITS / 5; i++) {
            v = drawn;
            std::sort(v.begin(), v.end());
            benchmark::DoNotOptimize(v.data());
        }
}
BENCHMARK(sort);

static void map(benchmark::State &st)
{
    std::unordered_map<unsigned, unsigned> m;
    for (unsigned i = 0; i < 4096; i++)
        m[i * 2654435761u] = i;
    unsigned k = 0;
    for (auto _ : st)
        for (int i = 0; i < UNITS; i++)
            benchmark::DoNotOptimize(m[(k++ & 4095) * 2654435761u]);
}
BENCHMARK(map);

static void copy(benchmark::State &st)
{
    std::vector<char> from(1 << 14, 1), to(1 << 14);
    for (auto _ : st)
        for (int i = 0; i < UNITS / 5; i++) {
            memcpy(to.data(), from.data(), to.size());
            benchmark::DoNotOptimize(to.data());
            benchmark::ClobberMemory();
        }
}
BENCHMARK(copy);

BENCHMARK_MAIN();
