/* SPDX-License-Identifier: MIT
 *
 * What the four barriers leave in the machine code, for check_barriers.sh, which compiles and disassembles this file. Each case stands here twice: kept_NAME has
 * a barrier, and the instruction that is its work must be in a loop of the function; gone_NAME has none, and there is no such instruction in a loop, which
 * shows that the compiler would have taken it and that the check would have seen it.
 *
 *     CASE(name, "instruction", what is there before the loop, with the barrier, without it)
 *
 * The instruction is one of the words of check_barriers.sh.
 */
#include <tare/bench.h>

#define FUNCTION __attribute__((noinline, used)) void
#define CASE(name, instruction, before, with, without) \
    FUNCTION kept_##name(uint64_t k, double d)         \
    {                                                  \
        (void)k;                                       \
        (void)d;                                       \
        before;                                        \
        for (int i = 0; i < 1000; i++) {               \
            with;                                      \
        }                                              \
    }                                                  \
    FUNCTION gone_##name(uint64_t k, double d)         \
    {                                                  \
        (void)k;                                       \
        (void)d;                                       \
        before;                                        \
        for (int i = 0; i < 1000; i++) {               \
            without;                                   \
        }                                              \
    }

static inline uint64_t work(uint64_t x)
{
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    return (x ^ x >> 27) * 0x94d049bb133111ebu;
}

struct pair {
    uint64_t a, b;
};

static uint64_t global_out, global_in;

void tare_saw_constant(void) /* of libtare, which is not linked here */
{
    global_in++;
}

#define U(x)  ((uint64_t)(x))
#define COMMA ,

/* An input that the compiler knows, or that is the same each time: tare_opaque. The result is wanted by tare_use in both. */
CASE(opaque_constant, "multiply", , tare_use(work(tare_opaque(U(42)))), tare_use(work(42)))
CASE(opaque_invariant, "multiply", , tare_use(work(tare_opaque(k))), tare_use(work(k)))
CASE(opaque_int, "multiply", int n = (int)k, tare_use(work(U(tare_opaque(n)))), tare_use(work(U(n))))
CASE(opaque_bool, "multiply", bool b = k > 3, tare_use(work(tare_opaque(b))), tare_use(work(b)))
CASE(opaque_char, "multiply", char c = (char)k, tare_use(work(U(tare_opaque(c)))), tare_use(work(U(c))))
CASE(opaque_pointer, "multiply", static const uint64_t table[] = {3 COMMA 5},
     tare_use(work(*(const uint64_t *)tare_opaque(table))), tare_use(work(*table)))
CASE(opaque_double, "multiply_double", , tare_use(tare_opaque(d) * d), tare_use(d *d))
CASE(opaque_float, "multiply_float", float f = (float)d, tare_use(tare_opaque(f) * f), tare_use(f *f))

/* A result that nobody wants: tare_use. */
CASE(use_number, "multiply", , tare_use(work(U(i))), (void)work(U(i)))
CASE(use_int, "multiply", , tare_use((int)work(U(i))), (void)(int)work(U(i)))
CASE(use_char, "multiply", , tare_use((unsigned char)(work(U(i)) >> 56)), (void)(unsigned char)(work(U(i)) >> 56))
CASE(use_short, "multiply", , tare_use((short)(work(U(i)) >> 48)), (void)(short)(work(U(i)) >> 48))
CASE(use_bool, "multiply", , tare_use((bool)(work(U(i)) > k)), (void)(work(U(i)) > k))
CASE(use_pointer, "multiply", static char room[8], tare_use(room + work(U(i)) % 8), (void)(room + work(U(i)) % 8))
CASE(use_double, "multiply_double", , tare_use(i *d), (void)(i *d))
CASE(use_float, "multiply_float", float f = (float)d, tare_use((float)i *f), (void)((float)i *f))

/* Iterations that wait for each other: tare_chain. */
CASE(chain_number, "multiply", uint64_t x = k, (x = work(x), tare_chain(x)), x = work(x))
CASE(chain_int, "multiply", unsigned x = (unsigned)k, (x = (unsigned)work(x), tare_chain(x)), x = (unsigned)work(x))
CASE(chain_double, "multiply_double", double x = d, (x = x * d, tare_chain(x)), x = x * d)

/* What is written and never read, or read and never changed: tare_use_mem. */
CASE(memory_written, "multiply", uint64_t room[8], (room[i % 8] = work(U(i)), tare_use_mem(room, sizeof room)),
     room[i % 8] = work(U(i)))
CASE(memory_struct, "multiply", struct pair p, (p.b = work(U(i)), tare_use_mem(&p, sizeof p)), p.b = work(U(i)))
CASE(memory_read, "multiply", struct pair p = {k COMMA 1}, (tare_use_mem(&p, sizeof p), tare_use(work(p.a))), tare_use(work(p.a)))

/* All of memory: tare_clobber. */
CASE(clobber_written, "multiply", , (global_out = work(U(i)), tare_clobber()), global_out = work(U(i)))
CASE(clobber_read, "multiply", uint64_t sum = 0, (tare_clobber(), sum += work(global_in), tare_use(sum)), sum += work(global_in))

int main(int argc, char **argv)
{
    (void)argv;
    return (int)(global_out & 1) + argc;
}
