// SPDX-License-Identifier: MIT
//
// Control points where C++ can have them: inline functions, templates, lambdas, members, destructors, exceptions.
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <tare/point.h>
#include <thread>
#include <vector>

inline int twice(int x)
{
    TARE_POINT_NAMED("inline");
    return 2 * x;
}

template <class T> T grown(T x)
{
    TARE_SCOPE("template");
    TARE_POINT_VALUE_F64("value", static_cast<double>(x));
    return x + 1;
}

struct member {
    int state = 0;
    member()
    {
        TARE_POINT_NAMED("constructor");
    }
    ~member()
    {
        TARE_POINT_NAMED("destructor");
    }
    int operator()(int x)
    {
        TARE_POINT_FAST_NAMED("call");
        return state += x;
    }
};

namespace
{
int fails(int x)
{
    TARE_SCOPE("fails");
    if (x > 1)
        throw std::runtime_error("too many");
    return x;
}
} // namespace

static member global;

int main(int argc, char **argv)
{
    const int rounds = argc > 1 ? std::atoi(argv[1]) : 3;
    int sum = 0;
    TARE_POINT();
    for (int i = 0; i < rounds; i++) {
        TARE_ITERATION(i);
        member m;
        sum += m(twice(i)) + grown(i) + static_cast<int>(grown(0.5 * i));
        const auto lambda = [&](int x) {
            TARE_SCOPE("lambda");
            TARE_COUNTER("sum", sum);
            return x;
        };
        sum += lambda(i);
        try {
            sum += fails(i);
        } catch (const std::exception &) {
            TARE_POINT_NAMED("caught");
        }
    }
    std::vector<std::thread> threads;
    for (int i = 0; i < 2; i++)
        threads.emplace_back([i] {
            TARE_POINT_NAMED("thread");
            tare_mark("hello");
            twice(i);
        });
    for (auto &t : threads)
        t.join();
    if (rounds < 0)
        TARE_POINT_PRECISE_NAMED("never");
    std::printf("%d\n", sum);
}
