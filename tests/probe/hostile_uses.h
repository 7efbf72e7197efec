/* SPDX-License-Identifier: MIT
 *
 * What the macros of the public headers expand to, behind a program's own macros of all sorts (check_compile.sh). */
#ifdef __cplusplus
TARE_BENCH(hostile, tare::opts().args(1, 2).words(1, "k", "a", "b").range(2, 1, 8, 2))
#else
TARE_BENCH(hostile, .args = TARE_ARGS(1, 2), .args2 = TARE_WORDS("k", "a", "b"), .args3 = TARE_RANGE(1, 8, 2),
           .args4 = TARE_STEPS(1, 8, 2))
#endif
{
    uint64_t sum = tare_seed(st);
    struct tare_bracket bracket;
    TARE_START(bracket);
    TARE_LOOP(st)
    {
        sum += 3;
        tare_chain(sum);
    }
    TARE_STOP(bracket);
    tare_use(sum);
    tare_use(1.5 * (double)tare_opaque(sum));
    tare_check(st, sum != 1);
}

#ifdef __cplusplus
TARE_BENCH(hostile_each, tare::opts().threads(1))
#else
TARE_BENCH(hostile_each, .threads = TARE_ARGS(1))
#endif
{
    TARE_EACH(st, int, v, 4, (void)v)
    {
        tare_use_mem(v, sizeof *v);
    }
}

#ifdef __cplusplus
TARE_LEAK(hostile_leak, tare::leak_opts().bytes(8).classes("zero", "ones").growth(1, 2))
#else
TARE_LEAK(hostile_leak, .bytes = 8, .classes = TARE_CLASSES("zero", "ones"), .growth = TARE_ARGS(1, 2))
#endif
{
    return in[0];
}

/* As functions of the library end: tare_bench_add and others. */
#define HOSTILE_NAME(name) \
    TARE_BENCH(name)       \
    {                      \
        TARE_LOOP(st)      \
        {                  \
            tare_use(st);  \
        }                  \
    }
HOSTILE_NAME(add)
HOSTILE_NAME(main)
HOSTILE_NAME(note)
TARE_LEAK(add)
{
    return in[0];
}
TARE_LEAK(memory)
{
    return in[0];
}

void hostile_points(int);
void hostile_points(int i)
{
    TARE_SCOPE("all");
    TARE_POINT();
    TARE_POINT_NAMED("named");
    TARE_POINT_VALUE("value", i);
    TARE_POINT_VALUE_F64("value", i);
    TARE_POINT_FAST();
    TARE_POINT_PRECISE();
    TARE_COUNTER("counter", i);
    TARE_ITERATION(i);
    TARE_BREAK();
    SAMPLE;
#ifdef __cplusplus
    tare_trace_options o = TARE_INIT(tare_trace_options);
    tare_measure how = TARE_MEASURE_DEFAULT;
#else
    struct tare_trace_options o = TARE_INIT(struct tare_trace_options, .mode = TARE_TRACE_OFF);
    struct tare_measure how = TARE_MEASURE_DEFAULT;
#endif
    how.runs = (int)tare_trace_start(&o, NULL);
    tare_use(how.runs);
}

TARE_MAIN()
