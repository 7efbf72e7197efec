/* SPDX-License-Identifier: MIT
 *
 * tare/bench_cxx.hpp - how C++17 writes what tare/bench.h has as macros for C. Included by it.
 *
 *     TARE_BENCH(sort_ints, tare::opts().args(100, 1000, 10000)) {
 *         auto n = static_cast<std::size_t>(tare_arg(st, 0));
 *         ...
 *     }
 *     template <class Operand> void fill(tare_state *st) { ... }
 *     tare_bench_add("fill<int>", fill<int>, nullptr);               // in main, before tare_bench_main
 *     static tare::registered fill_int("fill<int>", tare::guarded<fill<int>>, __FILE__, __LINE__, tare::opts().args(10, 100));
 *
 * An exception that leaves a benchmark makes it fail, and the others go on. (Of one from tare_bench_add's function: wrap it in
 * tare::guarded<fill<int>>.) TARE_EACH hands out raw bytes: of a class with a constructor make objects in them by placement new; they are never
 * destroyed. What it does not do: include the standard library.
 */
#ifndef TARE_BENCH_CXX_H
#define TARE_BENCH_CXX_H

#ifndef __cplusplus
#error "tare/bench_cxx.hpp is for C++; include tare/bench.h"
#endif

#include <tare/bench.h>

namespace tare
{

/* ---- options ---- */

/* The options of a benchmark, each by the name that it has in struct tare_bench. At most 64 values in a list. */
class opts
{
  public:
    template <class... Members> opts &args(Members... values)
    {
        return set_list(0, nullptr, values...);
    }
    template <class... Members> opts &args2(Members... values)
    {
        return set_list(1, nullptr, values...);
    }
    template <class... Members> opts &args3(Members... values)
    {
        return set_list(2, nullptr, values...);
    }
    template <class... Members> opts &args4(Members... values)
    {
        return set_list(3, nullptr, values...);
    }
    template <class... Members> opts &args5(Members... values)
    {
        return set_list(4, nullptr, values...);
    }
    template <class... Members> opts &args6(Members... values)
    {
        return set_list(5, nullptr, values...);
    }
    template <class... Members> opts &threads(Members... values)
    {
        return set_list(of_threads, nullptr, values...);
    }
    /* which, here and below: 0 for args, 1 for args2 ... 5 for args6; tare::opts::of_threads */
    static constexpr int of_threads = 6;
    template <class... Members> opts &named(int which, const char *name, Members... values)
    {
        return set_list(which, name, values...);
    }
    template <class... Members> opts &words(int which, const char *name, Members... texts)
    {
        static_assert(sizeof...(Members) <= most, "at most 64 values in a list");
        const char *const all[] = {texts...};
        for (unsigned i = 0; i < sizeof...(Members); i++)
            words_[which][i] = all[i];
        lists_[which] = {name, nullptr, words_[which], static_cast<int>(sizeof...(Members)), 0, 0, 0, 0};
        return *this;
    }
    /* low, low * factor ... up to high, which is always among them */
    opts &range(int which, int64_t low, int64_t high, int64_t factor, const char *name = nullptr)
    {
        lists_[which] = {name, nullptr, nullptr, 0, low, high, factor, 0};
        return *this;
    }
    /* low, low + step ... up to high */
    opts &steps(int which, int64_t low, int64_t high, int64_t step, const char *name = nullptr)
    {
        lists_[which] = {name, nullptr, nullptr, 0, low, high, 0, step};
        return *this;
    }
    opts &zip(bool on = true)
    {
        return set(bench_.zip, on);
    }
    opts &baseline(bool on = true)
    {
        return set(bench_.baseline, on);
    }
    opts &complexity(bool on = true)
    {
        return set(bench_.complexity, on);
    }
    opts &manual_time(bool on = true)
    {
        return set(bench_.manual_time, on);
    }
    opts &version(const char *text)
    {
        return set(bench_.version, text);
    }
    opts &inputs(tare_inputs where)
    {
        return set(bench_.inputs, where);
    }
    using hook = void (*)(tare_state *st);
    opts &setup(hook f)
    {
        return set(bench_.setup, f);
    }
    opts &teardown(hook f)
    {
        return set(bench_.teardown, f);
    }
    opts &before(hook f)
    {
        return set(bench_.before, f);
    }
    opts &after(hook f)
    {
        return set(bench_.after, f);
    }
    opts &context(void *context)
    {
        return set(bench_.context, context);
    }

  private:
    friend class registered;
    static constexpr int most = 64;
    tare_bench bench_ = TARE_INIT(tare_bench);
    tare_values lists_[of_threads + 1] = {};
    int64_t numbers_[of_threads + 1][most] = {};
    const char *words_[of_threads + 1][most] = {};

    template <class... Members> opts &set_list(int which, const char *name, Members... values)
    {
        static_assert(sizeof...(Members) <= most, "at most 64 values in a list");
        const int64_t all[] = {static_cast<int64_t>(values)...};
        for (unsigned i = 0; i < sizeof...(Members); i++)
            numbers_[which][i] = all[i];
        lists_[which] = {name, numbers_[which], nullptr, static_cast<int>(sizeof...(Members)), 0, 0, 0, 0};
        return *this;
    }
    template <class Field> opts &set(Field &field, Field value)
    {
        field = value;
        return *this;
    }
};

/* ---- registration ---- */

template <void (*run)(tare_state *st)> void guarded(tare_state *st)
{
#if defined(__cpp_exceptions)
    try {
        run(st);
    } catch (...) {
        tare_fail(st, "it threw an exception");
    }
#else
    run(st);
#endif
}

/* What TARE_BENCH makes: it holds the options as long as the program runs. For templates make one yourself, static; name lives as long. */
class registered
{
  public:
    registered(const char *name, void (*run)(tare_state *st), const char *file, int line, const opts &options) : own_(options)
    {
        for (int i = 0; i <= opts::of_threads; i++) {
            if (own_.lists_[i].values)
                own_.lists_[i].values = own_.numbers_[i];
            if (own_.lists_[i].words)
                own_.lists_[i].words = own_.words_[i];
        }
        tare_bench &b = own_.bench_;
        b.name = name;
        b.run = run;
        b.file = file;
        b.line = line;
        b.args = own_.lists_[0];
        b.args2 = own_.lists_[1];
        b.args3 = own_.lists_[2];
        b.args4 = own_.lists_[3];
        b.args5 = own_.lists_[4];
        b.args6 = own_.lists_[5];
        b.threads = own_.lists_[opts::of_threads];
        tare_bench_register(&b);
    }
    registered(const registered &) = delete;
    registered &operator=(const registered &) = delete;

  private:
    opts own_;
};

/* ---- barriers ---- */

template <class Operand> struct register_kind {
    static constexpr int value = 0;
};
template <> struct register_kind<float> {
    static constexpr int value = 1;
};
template <> struct register_kind<double> {
    static constexpr int value = 1;
};
template <> struct register_kind<long double> {
    static constexpr int value = 2;
};

template <class Operand> struct is_plain {
    static constexpr bool value = !__is_class(Operand) && !__is_union(Operand);
};

} // namespace tare

/* TARE_PER_SECOND | TARE_INVERTED */
constexpr tare_per operator|(tare_per a, tare_per b)
{
    return static_cast<tare_per>(static_cast<int>(a) | static_cast<int>(b));
}

/* TARE_BENCH(name) or TARE_BENCH(name, tare::opts()...) { body }. The designators of C are refused by a sentence, not by the parser. */
#define TARE_BENCH(...) TARE_BENCH_AS(__VA_ARGS__, ::tare::opts(), 0)
#define TARE_BENCH_AS(title, options, ...)                                                                                \
    static_assert(#options[0] != '.', "in C++ write TARE_BENCH(" #title ", tare::opts().args(100, 1000)), not .args = ..."); \
    static void tare_run_##title(tare_state *st);                                                                         \
    static ::tare::registered tare_benchmark_##title(#title, ::tare::guarded<tare_run_##title>, __FILE__, __LINE__, options); \
    static void tare_run_##title([[maybe_unused]] tare_state *st)

template <class Operand> __attribute__((__always_inline__)) inline Operand tare_opaque(Operand x)
{
    static_assert(::tare::is_plain<Operand>::value,
                  "numbers and pointers only: put a member through it, or the object through tare_use_mem");
    if constexpr (::tare::register_kind<Operand>::value == 1)
        __asm__ __volatile__("" : "+" TARE_FLOAT_REGISTER(x));
    else if constexpr (::tare::register_kind<Operand>::value == 2)
        __asm__ __volatile__("" : "+m"(x));
    else
        __asm__ __volatile__("" : "+r"(x));
    return x;
}

template <class Operand> __attribute__((__always_inline__)) inline void tare_use(Operand x)
{
    static_assert(::tare::is_plain<Operand>::value, "numbers and pointers only: use its members, or tare_use_mem");
    if (__builtin_constant_p(x))
        tare_saw_constant();
    if constexpr (::tare::register_kind<Operand>::value == 1)
        __asm__ __volatile__("" : : TARE_FLOAT_REGISTER(x));
    else if constexpr (::tare::register_kind<Operand>::value == 2)
        __asm__ __volatile__("" : : "m"(x));
    else
        __asm__ __volatile__("" : : "r"(x));
}

template <class Operand> __attribute__((__always_inline__)) inline void tare_chain(Operand &x)
{
    x = tare_opaque(x);
}

#endif
