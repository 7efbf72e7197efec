// SPDX-License-Identifier: MIT
//
// bench/gate.sh --live: 44 benchmarks of four kinds in eleven sizes, a microsecond to some milliseconds long. Each does a piece of work 100 times; number
// SLOWER (-1: none) does it PERCENT times more. These two are data that no compiler sees, so the code of all builds is the same, at the same addresses.
#include <algorithm>
#include <benchmark/benchmark.h>
#include <cstring>
#include <string>
#include <unordered_map>
#include <vector>

static volatile const int slower = SLOWER, percent = PERCENT;

static unsigned long next(unsigned long x)
{
    return x * 6364136223846793005ul + 1442695040888963407ul;
}

static int pieces(int number)
{
    return 100 + (number == slower ? percent : 0);
}

// Each step waits for the one before it.
static void chain(benchmark::State &st, int number, int size)
{
    const int n = pieces(number);
    unsigned long x = 1;
    for (auto _ : st)
        for (int i = 0; i < n; i++)
            for (int k = 0; k < size; k++)
                benchmark::DoNotOptimize(x = next(x));
}

static void sort(benchmark::State &st, int number, int size)
{
    const int n = pieces(number);
    std::vector<unsigned> drawn(size), v(size);
    unsigned long x = 1;
    for (auto &d : drawn)
        d = (unsigned)((x = next(x)) >> 33);
    for (auto _ : st)
        for (int i = 0; i < n; i++) {
            v = drawn;
            std::sort(v.begin(), v.end());
            benchmark::DoNotOptimize(v.data());
        }
}

static void map(benchmark::State &st, int number, int size)
{
    const int n = pieces(number);
    std::unordered_map<unsigned, unsigned> m;
    for (int i = 0; i < size; i++)
        m[(unsigned)i * 2654435761u] = (unsigned)i;
    for (auto _ : st)
        for (int i = 0; i < n; i++)
            for (int k = 0; k < size; k++)
                benchmark::DoNotOptimize(m[(unsigned)k * 2654435761u]);
}

static void copy(benchmark::State &st, int number, int size)
{
    const int n = pieces(number);
    std::vector<char> from(size, 1), to(size);
    for (auto _ : st)
        for (int i = 0; i < n; i++) {
            memcpy(to.data(), from.data(), to.size());
            benchmark::DoNotOptimize(to.data());
            benchmark::ClobberMemory();
        }
}

static const struct {
    const char *name;
    void (*work)(benchmark::State &, int, int);
    int smallest;
} kinds[] = {{"chain", chain, 8}, {"sort", sort, 2}, {"map", map, 4}, {"copy", copy, 256}};

int main(int argc, char **argv)
{
    int number = 0;
    for (const auto &kind : kinds)
        for (int size = kind.smallest; size <= kind.smallest << 10; size *= 2)
            benchmark::RegisterBenchmark((kind.name + ("/" + std::to_string(size))).c_str(), kind.work, number++, size);
    benchmark::Initialize(&argc, argv);
    benchmark::RunSpecifiedBenchmarks();
}
