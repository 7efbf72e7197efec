// SPDX-License-Identifier: MIT
//
// A program of Catch2 with what its test cases and benchmarks can be. How much there is to do is in a source of its own, as this one compiles for long,
// even without the optimiser, which it does not need.
#define CATCH_CONFIG_MAIN
#define CATCH_CONFIG_ENABLE_BENCHMARKING
#include <catch2/catch.hpp>
#include <cstdio>
#include <cstdlib>
#include <cstring>

extern const long amount;

static bool is_bad(const char *how)
{
    const char *bad = getenv("HARNESS_BAD");
    return bad && !strcmp(bad, how);
}

static unsigned long work(long n)
{
    unsigned long x = 1;
    for (long i = 0; i < n; i++) {
        x = x * 6364136223846793005ul + 1;
        __asm__ volatile("" : "+r"(x));
    }
    return x;
}

TEST_CASE("chain")
{
    puts("a line before");
    BENCHMARK("plain") { return work(amount); };
    SECTION("one") { BENCHMARK("a/b & <c> \"d\"") { return work(amount); }; }
    SECTION("two") { BENCHMARK("plain") { return work(amount); }; }
}

TEST_CASE("of [x], \"y\" \\ *", "[!benchmark]")
{
    BENCHMARK_ADVANCED("made by hand")(Catch::Benchmark::Chronometer m)
    {
        m.measure([] { return work(amount); });
    };
}

TEST_CASE("no benchmark")
{
    REQUIRE(work(1) == 1 + 6364136223846793005ul);
}

TEST_CASE("never run", "[.]")
{
    BENCHMARK("hidden") { abort(); };
}

TEST_CASE("throws")
{
    BENCHMARK("t") { if (is_bad("throw")) throw std::runtime_error("no data here"); return 1; };
}

TEST_CASE("asserts")
{
    REQUIRE_FALSE(is_bad("assert"));
    BENCHMARK("a") { return 1; };
}

TEST_CASE("crashes")
{
    BENCHMARK("c") { if (is_bad("crash")) abort(); return 1; };
}
