/* SPDX-License-Identifier: MIT
 *
 * tare/leak_cxx.hpp - how C++17 writes what tare/leak.h has as macros for C. Included by it.
 *
 *     TARE_LEAK(memcmp32, tare::leak_opts().bytes(64).classes("equal", "random")) {
 *         return static_cast<std::uint64_t>(std::memcmp(in, in + 32, 32));
 *     }
 *
 * An exception that leaves a target ends the program, as one that leaves a thread does: catch it in the body. What it does not do: include the
 * standard library.
 */
#ifndef TARE_LEAK_CXX_H
#define TARE_LEAK_CXX_H

#ifndef __cplusplus
#error "tare/leak_cxx.hpp is for C++; include tare/leak.h"
#endif

#include <tare/leak.h>

namespace tare
{

/* The fields of struct tare_leak, each by its name. */
class leak_opts
{
  public:
    leak_opts &bytes(size_t n)
    {
        return set(leak_.bytes, n);
    }
    template <class... Members> leak_opts &classes(Members... names)
    {
        static_assert(sizeof...(Members) <= most_classes, "at most 16 classes");
        const char *const all[] = {names...};
        for (unsigned i = 0; i < sizeof...(Members); i++)
            names_[i] = all[i];
        leak_.classes.n = static_cast<int>(sizeof...(Members));
        return *this;
    }
    leak_opts &make(void (*f)(void *state, int which, unsigned char *in, tare_random *random))
    {
        return set(leak_.make, f);
    }
    leak_opts &reference(const void *p)
    {
        return set(leak_.reference, p);
    }
    leak_opts &secret(size_t at, size_t n)
    {
        leak_.secret_at = at;
        return set(leak_.secret_bytes, n);
    }
    leak_opts &align(size_t n)
    {
        return set(leak_.align, n);
    }
    leak_opts &setup(void *(*f)(void *context))
    {
        return set(leak_.setup, f);
    }
    leak_opts &teardown(void (*f)(void *state))
    {
        return set(leak_.teardown, f);
    }
    leak_opts &reset(void (*f)(void *state))
    {
        return set(leak_.reset, f);
    }
    leak_opts &context(void *p)
    {
        return set(leak_.context, p);
    }
    leak_opts &varies(bool on = true)
    {
        return set(leak_.varies, on);
    }
    leak_opts &dit(bool on = true)
    {
        return set(leak_.dit, on);
    }
    leak_opts &memory(const void *p, size_t n)
    {
        leak_.memory = p;
        return set(leak_.memory_bytes, n);
    }
    template <class... Members> leak_opts &growth(Members... sizes)
    {
        static_assert(sizeof...(Members) <= most_sizes, "at most 32 sizes");
        const int64_t all[] = {static_cast<int64_t>(sizes)...};
        for (unsigned i = 0; i < sizeof...(Members); i++)
            sizes_[i] = all[i];
        leak_.growth.n = static_cast<int>(sizeof...(Members));
        return *this;
    }
    leak_opts &build(void *(*f)(void *state, int64_t n))
    {
        return set(leak_.build, f);
    }
    leak_opts &touch(void (*f)(void *structure))
    {
        return set(leak_.touch, f);
    }
    leak_opts &undo(void (*f)(void *structure))
    {
        return set(leak_.undo, f);
    }
    leak_opts &destroy(void (*f)(void *structure))
    {
        return set(leak_.destroy, f);
    }

  private:
    friend class leak_registered;
    static constexpr int most_classes = 16, most_sizes = 32;
    tare_leak leak_ = TARE_INIT(tare_leak);
    const char *names_[most_classes] = {};
    int64_t sizes_[most_sizes] = {};

    template <class Field> leak_opts &set(Field &field, Field value)
    {
        field = value;
        return *this;
    }
};

/* What TARE_LEAK makes: it holds the options as long as the program runs. */
class leak_registered
{
  public:
    leak_registered(const char *name, uint64_t (*run)(void *state, const unsigned char *in), const char *file, int line,
                    const leak_opts &options)
        : own_(options)
    {
        tare_leak &l = own_.leak_;
        l.name = name;
        l.run = run;
        l.file = file;
        l.line = line;
        if (l.classes.n)
            l.classes.names = own_.names_;
        if (l.growth.n)
            l.growth.values = own_.sizes_;
        tare_leak_register(&l);
    }
    leak_registered(const leak_registered &) = delete;
    leak_registered &operator=(const leak_registered &) = delete;

  private:
    leak_opts own_;
};

} // namespace tare

/* TARE_LEAK(name, tare::leak_opts()...) { body } */
#define TARE_LEAK(...) TARE_LEAK_AS(__VA_ARGS__, ::tare::leak_opts(), 0)
#define TARE_LEAK_AS(title, options, ...)                                                                       \
    static_assert(#options[0] != '.', "in C++ write TARE_LEAK(" #title ", tare::leak_opts().bytes(64)), not .bytes = ..."); \
    static uint64_t tare_target_##title(void *state, const unsigned char *in);                                  \
    static ::tare::leak_registered tare_leak_target_##title(#title, tare_target_##title, __FILE__, __LINE__, options); \
    static uint64_t tare_target_##title([[maybe_unused]] void *state, [[maybe_unused]] const unsigned char *in)

#endif
