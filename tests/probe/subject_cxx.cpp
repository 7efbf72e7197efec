/* SPDX-License-Identifier: MIT
 *
 * The C++ form: options, arguments of each kind, templates, barriers of each type, an exception, leak targets.
 */
#include <cstring>
#include <stdexcept>
#include <tare/tare.h>
#include <vector>

TARE_BENCH(plain)
{
    auto x = tare_seed(st);
    TARE_LOOP(st)
    {
        x = x * 3 + 1;
        tare_chain(x);
    }
}

TARE_BENCH(sum, tare::opts().args(100, 1000).words(1, "of", "int", "long").baseline())
{
    std::vector<int> v(static_cast<std::size_t>(tare_arg(st, 0)), 3);
    TARE_LOOP(st)
    {
        long sum = 0;
        tare_use_mem(v.data(), v.size() * sizeof v[0]);
        for (int i : v)
            sum += i;
        tare_use(sum);
    }
    tare_items(st, static_cast<double>(v.size()));
}

TARE_BENCH(each, tare::opts().range(0, 8, 64, 2).inputs(TARE_INPUTS_HOT))
{
    auto n = static_cast<std::size_t>(tare_arg(st, 0));
    TARE_EACH(st, double, v, n, for (std::size_t i = 0; i < n; i++) v[i] = 1.5)
    {
        for (std::size_t i = 1; i < n; i++)
            v[i] *= v[i - 1];
        tare_use_mem(v, n * sizeof *v);
    }
}

TARE_BENCH(stepped, tare::opts().steps(0, -1, 1, 2, "sign").range(1, 8, 16, 2, "size"))
{
    uint64_t x = tare_seed(st) | 1;
    TARE_LOOP(st)
    {
        x *= 3;
        tare_chain(x);
    }
    tare_label(st, "in C++");
    tare_counter(st, "products", 1, "", TARE_PER_SECOND | TARE_INVERTED);
}

TARE_BENCH(types)
{
    float f = 1;
    double d = 1;
    unsigned char c = 1;
    const char *text = "text";
    enum class colour { red } e = colour::red;
    TARE_LOOP(st)
    {
        f = f * 0.5f + 1;
        d = d * 0.5 + 1;
        tare_chain(f);
        tare_chain(d);
        tare_chain(c);
        tare_chain(e);
        tare_use(std::strlen(tare_opaque(text)));
        tare_use(tare_opaque(true));
    }
}

TARE_BENCH(throws)
{
    int n = 0;
    TARE_LOOP(st)
    {
        if (tare_opaque(++n) > 100)
            throw std::runtime_error("too many");
    }
}

/* One of three threads throws, while the others compute or wait for it: in the code under test, in the middle of a batch, ... */
static void thrown_by(tare_state *st, int thread, int after)
{
    int made = 0;
    TARE_EACH(st, int, v, 4, v[0] = ++made)
    {
        v[1] = v[0] * 3;
        tare_use_mem(v, 4 * sizeof *v);
        if (tare_thread(st) == thread && made > after)
            throw std::runtime_error("one of many");
    }
}

TARE_BENCH(throws_in_each, tare::opts().threads(3))
{
    thrown_by(st, 1, 100);
}

TARE_BENCH(throws_in_each_first, tare::opts().threads(3))
{
    thrown_by(st, 0, 100);
}

/* ... and while it makes its inputs. */
TARE_BENCH(throws_making_inputs, tare::opts().threads(3))
{
    int made = 0;
    TARE_EACH(st, int, v, 4, if (++made > 100 && tare_thread(st) == 2) throw std::runtime_error("no more inputs"); v[0] = made)
    {
        v[1] = v[0] * 3;
        tare_use_mem(v, 4 * sizeof *v);
    }
}

TARE_LEAK(compare, tare::leak_opts().bytes(64).classes("equal", "random").secret(0, 32))
{
    return static_cast<uint64_t>(std::memcmp(in, in + 32, 32));
}

static void *vector_of(void *, int64_t n)
{
    return new std::vector<int>(static_cast<std::size_t>(n));
}

static void free_vector(void *structure)
{
    delete static_cast<std::vector<int> *>(structure);
}

TARE_LEAK(vector_size, tare::leak_opts().growth(1, 10, 100).build(vector_of).destroy(free_vector))
{
    return static_cast<std::vector<int> *>(state)->size();
}

template <class T> static void filled(tare_state *st)
{
    T value = 0;
    TARE_LOOP(st)
    {
        value = value * 3 + 1;
        tare_chain(value);
    }
}

static tare::registered filled_by_size("filled<long>", tare::guarded<filled<long>>, __FILE__, __LINE__,
                                       tare::opts().range(0, 10, 100, 10));

int main(int argc, char **argv)
{
    if (tare_bench_add("filled<int>", filled<int>, nullptr) ||
        tare_bench_add("filled<double>", tare::guarded<filled<double>>, nullptr))
        return 1;
    return tare_bench_main(argc, argv, tare_write_stdout, nullptr);
}
