/* SPDX-License-Identifier: MIT */
#include "qualify.h"
#include "buf.h"
#include "clocks.h"
#include "plat.h"

enum { ROUND_NS = 20000000, SLICE_NS = 250000000, APART_MAX = 6 };

static void say_progress(struct qualify *q, const char *what, double left_s)
{
    if (q->phase)
        q->phase(q->context, what, left_s);
}

static enum tare_status add_row(struct qualify *q, int series, int64_t start_ns, const double *values)
{
    const struct row row = {.round = q->record->series[series].main.n, .start_ns = start_ns - q->start_ns, .values = values};
    if (record_append_row(q->record, series, &row))
        return TARE_NO_MEMORY;
    if (q->after_row)
        q->after_row(q->context, series);
    return TARE_OK;
}

/* All where they are few, else evenly over them. */
static int choose(const struct cpu_list *from, int most, int *out)
{
    int count = cpu_list_count(from), wanted = count < most ? count : most, n = 0, passed = 0;
    for (int cpu = cpu_list_next(from, 0); cpu >= 0 && n < wanted; cpu = cpu_list_next(from, cpu + 1))
        if (passed++ >= (int)((int64_t)n * count / wanted))
            out[n++] = cpu;
    return n;
}

/* The threads of the core that this CPU is one of. */
static bool siblings_of(int cpu, struct cpu_list *out)
{
    char path[128];
    struct buf name = buf_over(path, sizeof path), text = BUF_INIT(1 << 16);
    buf_format(&name, "/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list", cpu);
    bool told = !plat_file_read(path, &text, NULL) && !cpu_list_parse(out, buf_text(&text)) && cpu_list_has(out, cpu);
    buf_finish(&text);
    return told;
}

static void add_pair(struct qualify *q, int a, int b)
{
    struct cpu_list siblings;
    if (q->n_pairs >= QUALIFY_PAIRS_MAX || a == b || a < 0 || b < 0)
        return;
    for (int i = 0; i < q->n_pairs; i++)
        if ((q->pair[i].a == a && q->pair[i].b == b) || (q->pair[i].a == b && q->pair[i].b == a))
            return;
    q->pair[q->n_pairs++] = (struct qualify_pair){a, b, siblings_of(a, &siblings) ? cpu_list_has(&siblings, b) : NAN};
}

static int add_subject(struct qualify *q, const char *what, int cpu, const char *const *columns, int n)
{
    char name[64], number[16];
    struct buf b = buf_over(name, sizeof name), c = buf_over(number, sizeof number);
    buf_format(&b, cpu < 0 ? "%s" : "%s of CPU %d", what, cpu);
    buf_format(&c, "%d", cpu);
    const struct parameter parameters[] = {{"what", what}, {"cpu", number}};
    const struct subject s = {
        .kind = SUBJECT_HOST, .name = name, .command = name, .parameters = parameters, .n_parameters = cpu < 0 ? 1 : 2};
    return record_add_subject(q->record, &s, columns, n);
}

enum { STRETCH_FIRST = 9 };

static const char *const stretch_columns[STRETCH_FIRST] = {"wall",   "lost",        "largest", "delay", "throttled",
                                                           "stolen", "involuntary", "core_hz", "least"};

static int add_jitter(struct qualify *q, int cpu)
{
    const char *columns[STRETCH_FIRST + JITTER_CLASSES];
    char names[JITTER_CLASSES][32];
    for (int i = 0; i < STRETCH_FIRST; i++)
        columns[i] = stretch_columns[i];
    for (int i = 0; i < JITTER_CLASSES; i++) {
        struct buf b = buf_over(names[i], sizeof names[i]);
        buf_format(&b, "gaps_%lld", (long long)jitter_class_ns[i]);
        columns[STRETCH_FIRST + i] = names[i];
    }
    return add_subject(q, "jitter", cpu, columns, STRETCH_FIRST + JITTER_CLASSES);
}

static bool add_subjects(struct qualify *q)
{
    static const char *const pair[] = {"cpu_a", "cpu_b", "alone_a", "alone_b", "together_a", "together_b", "siblings"};
    static const char *const slice[] = {"wall", "done", "of_cpu_time", "had"};
    static const char *const counters[] = {"rate_ppm", "rate_bound_ppm", "skew_ns", "skew_bound_ns", "impossible", "others"};
    static const char *const planted[] = {"planted", "shift", "low", "high", "rounds", "found", "wrong"};
    q->sharing = add_subject(q, "sharing", -1, pair, 7);
    q->counters = add_subject(q, "counters", -1, counters, 6);
    q->planted = add_subject(q, "planted", -1, planted, 7);
    bool good = q->sharing >= 0 && q->planted >= 0 && q->counters >= 0;
    for (int i = 0; i < q->n_probed && good; i++)
        good = (q->jitter[i] = add_jitter(q, q->probed[i])) >= 0;
    for (int i = 0; i < q->n_cpus && good; i++)
        good = (q->throughput[i] = add_subject(q, "throughput", q->cpu[i], slice, 4)) >= 0;
    return good;
}

enum tare_status qualify_describe(struct qualify *q, struct tare_err *err)
{
    for (int cpu = cpu_list_next(&q->cpus, 0); cpu >= 0; cpu = cpu_list_next(&q->cpus, cpu + 1))
        if (!plat_cpu_allowed(cpu))
            return err_set(err, TARE_INVALID, "CPU %d is offline or not allowed to us", cpu);
    q->n_cpus = choose(&q->cpus, QUALIFY_CPUS_MAX, q->cpu);
    q->n_probed = choose(&q->cpus, QUALIFY_PROBED_MAX, q->probed);
    q->n_pairs = 0;
    /* All of them where CPUs are few. Else those that the system says are threads of one core, and those which numbering makes likely to be: neighbours, and half of all apart. */
    for (int i = 0; i < q->n_cpus && q->n_cpus <= APART_MAX; i++)
        for (int k = i + 1; k < q->n_cpus; k++)
            add_pair(q, q->cpu[i], q->cpu[k]);
    for (int i = 0; i < q->n_cpus && q->n_pairs < QUALIFY_PAIRS_MAX / 2; i++) {
        struct cpu_list siblings;
        if (!siblings_of(q->cpu[i], &siblings))
            continue;
        cpu_list_keep(&siblings, &q->cpus);
        add_pair(q, q->cpu[i], cpu_list_next(&siblings, q->cpu[i] + 1));
    }
    for (int i = 0; i + 1 < q->n_cpus; i += 2) {
        add_pair(q, q->cpu[i], q->cpu[i + 1]);
        add_pair(q, q->cpu[i / 2], q->cpu[i / 2 + q->n_cpus / 2]);
    }
    return record_add_host_metrics(q->record) || !add_subjects(q) ? err_no_memory(err) : TARE_OK;
}

static double of_cpu_time(const struct plat_stressed *b)
{
    int64_t ns = b->cpu_ns > 0 ? b->cpu_ns : b->wall_ns;
    return ns > 0 ? b->multiplies * 1e9 / (double)ns : NAN;
}

/* Alone, alone, together: within 60 ms, so that what drifts hits all three. */
static enum tare_status measure_pair(struct qualify *q, const struct qualify_pair *pair, struct tare_err *err)
{
    struct plat_stressed a, b, both[2];
    int64_t start = plat_now_ns();
    enum tare_status status = plat_stress(&pair->a, 1, ROUND_NS, &a, err);
    if (!status)
        status = plat_stress(&pair->b, 1, ROUND_NS, &b, err);
    if (!status)
        status = plat_stress((const int[]){pair->a, pair->b}, 2, ROUND_NS, both, err);
    if (status || plat_signal())
        return status;
    const double values[] = {pair->a,       pair->b, of_cpu_time(&a), of_cpu_time(&b), of_cpu_time(both), of_cpu_time(both + 1),
                             pair->siblings};
    return add_row(q, q->sharing, start, values) ? err_no_memory(err) : TARE_OK;
}

static enum tare_status interrupted(struct tare_err *err, const char *what)
{
    return err_set(err, TARE_INTERRUPTED, "interrupted while %s", what);
}

static enum tare_status qualify_measure_pairs(struct qualify *q, struct tare_err *err)
{
    for (int round = 0; round < QUALIFY_PAIR_ROUNDS; round++)
        for (int i = 0; i < q->n_pairs; i++) {
            say_progress(q, "which CPUs share a core", (double)(QUALIFY_PAIR_ROUNDS - round) * q->n_pairs * 3 * ROUND_NS / 1e9);
            enum tare_status status = measure_pair(q, &q->pair[i], err);
            if (status)
                return status;
            if (plat_signal())
                return interrupted(err, "pairs of CPUs were measured");
        }
    return TARE_OK;
}

static enum tare_status add_stretch(struct qualify *q, int series, const struct jitter_stretch *s)
{
    double values[STRETCH_FIRST + JITTER_CLASSES] = {s->wall_ns,     s->lost_ns,      s->largest_ns,
                                                     s->delay_ns,    s->throttled_ns, s->wall_ns - s->cpu_ns - s->delay_ns,
                                                     s->involuntary, s->core_hz,      s->least_ns};
    for (int i = 0; i < JITTER_CLASSES; i++)
        values[STRETCH_FIRST + i] = (double)s->gaps[i];
    return add_row(q, series, s->start_ns, values);
}

static void jitter_progress(void *context, int cpu, double done)
{
    struct qualify *q = context;
    char text[64];
    buf_print(text, sizeof text, "gaps on CPU %d", cpu);
    say_progress(q, text, (1 - done) * q->n_probed * (double)q->jitter_ns / 1e9);
}

static enum tare_status add_interrupts(struct qualify *q, const struct jitter_cpu *cpu)
{
    struct record *r = q->record;
    char key[64];
    struct buf name = buf_over(key, sizeof key), text = BUF_INIT(4096);
    buf_format(&name, "interrupts_of_cpu_%d", cpu->cpu);
    for (int i = 0; i < cpu->n_interrupts && i < 4 && cpu->window_seconds > 0; i++)
        buf_format(&text, "%s%.0f/s %.40s", i ? "; " : "", (double)cpu->top[i].count / cpu->window_seconds, cpu->top[i].name);
    bool told = cpu->interrupts >= 0 && cpu->window_seconds > 0;
    enum tare_status status = !told ? facts_add_unknown(r, &r->after, key, "the system does not say")
                                    : facts_add_text(r, &r->after, key, buf_text(&text));
    buf_finish(&text);
    return status;
}

static enum tare_status qualify_measure_jitter(struct qualify *q, struct arena *a, struct tare_err *err)
{
    struct jitter j;
    const struct jitter_options o = {
        .cpus = q->probed, .n_cpus = q->n_probed, .duration_ns = q->jitter_ns, .progress = jitter_progress, .context = q};
    enum tare_status status = jitter_measure(&j, &o, a, err), kept = TARE_OK;
    for (int i = 0; i < j.n_cpus && !kept; i++) {
        for (int s = 0; s < j.cpus[i].n && !kept; s++)
            kept = add_stretch(q, q->jitter[i], &j.cpus[i].stretches[s]);
        if (!kept)
            kept = add_interrupts(q, &j.cpus[i]);
        if (!kept) {
            char key[64];
            struct buf name = buf_over(key, sizeof key);
            struct record *r = q->record;
            buf_format(&name, "timer_interrupts_of_cpu_%d_hz", j.cpus[i].cpu);
            kept = isnan(j.cpus[i].ticks_per_second) ? facts_add_unknown(r, &r->after, key, "the system does not say")
                                                     : facts_add_number(r, &r->after, key, j.cpus[i].ticks_per_second);
        }
    }
    return status ? status : kept ? err_no_memory(err) : TARE_OK;
}

static enum tare_status measure_slice(struct qualify *q, int64_t ns, struct tare_err *err)
{
    struct plat_stressed found[QUALIFY_CPUS_MAX];
    int64_t start = plat_now_ns();
    enum tare_status status = plat_stress(q->cpu, q->n_cpus, ns, found, err);
    if (status || plat_signal())
        return status;
    for (int i = 0; i < q->n_cpus && !status; i++) {
        double wall = (double)found[i].wall_ns;
        const double values[] = {wall, wall > 0 ? found[i].multiplies * 1e9 / wall : NAN, of_cpu_time(&found[i]),
                                 wall > 0 && found[i].cpu_ns >= 0 ? (double)found[i].cpu_ns / wall : NAN};
        status = add_row(q, q->throughput[i], start, values);
    }
    return status ? err_no_memory(err) : TARE_OK;
}

static enum tare_status qualify_measure_throughput(struct qualify *q, struct tare_err *err)
{
    int64_t end = plat_now_ns() + q->watch_ns, left = q->watch_ns;
    for (bool first = true; first || left > SLICE_NS / 2;
         first = false, left = end - plat_now_ns()) { /* a short one would scatter more */
        say_progress(q, "throughput with all CPUs busy", (double)left / 1e9);
        enum tare_status status = measure_slice(q, left < SLICE_NS ? left : SLICE_NS, err);
        if (status)
            return status;
        if (plat_signal())
            return interrupted(err, "the throughput was watched");
    }
    return TARE_OK;
}

static enum tare_status qualify_measure_counters(struct qualify *q, struct tare_err *err)
{
    struct clock_pair since = clock_state()->start;
    double ppm, bound, skew_ns, skew_bound_ns;
    int impossible;
    int64_t start = plat_now_ns();
    say_progress(q, "counters", NAN);
    if (clock_drift(&since, &ppm, &bound, NULL))
        ppm = bound = NAN;
    /* Largest over the CPUs, each against the first. */
    enum { OTHERS = 8 };
    int seen = 0;
    skew_ns = skew_bound_ns = NAN;
    impossible = 0;
    for (int i = 1; i < q->n_cpus && i <= OTHERS; i++) {
        struct clock_skew s;
        if (clock_skew(q->cpu[0], q->cpu[i], &s, NULL))
            continue;
        double ns_per_tick = 1e9 / clock_state()->hz;
        skew_ns = fmax(seen ? skew_ns : 0, fabs(s.ticks) * ns_per_tick);
        skew_bound_ns = fmax(seen ? skew_bound_ns : 0, s.bound_ticks * ns_per_tick);
        impossible += s.impossible;
        seen++;
    }
    const double values[] = {ppm, bound, skew_ns, skew_bound_ns, seen ? impossible : NAN, seen};
    return add_row(q, q->counters, start, values) ? err_no_memory(err) : TARE_OK;
}

enum tare_status qualify_measure(struct qualify *q, struct arena *a, struct tare_err *err)
{
    clock_state(); /* from here on the counter is held against the clock */
    enum tare_status status = qualify_measure_pairs(q, err);
    if (!status)
        status = qualify_measure_jitter(q, a, err);
    if (!status)
        status = qualify_measure_throughput(q, err);
    return status ? status : qualify_measure_counters(q, err);
}

enum tare_status qualify_add_planted(struct qualify *q, const struct qualify_planted *p, struct tare_err *err)
{
    const double values[] = {p->planted, p->shift, p->low, p->high, p->rounds, p->found, p->wrong};
    return add_row(q, q->planted, plat_now_ns(), values) ? err_no_memory(err) : TARE_OK;
}
