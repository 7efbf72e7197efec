/* SPDX-License-Identifier: MIT
 * The runs of a subject side by side, and what the probe weighs in each: arcs.c says how. */
#include "arc_runs.h"
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <tare/stats.h>

/* Runs stand in the order of rounds, so the next one is found soon behind the last; -1 at first. */
static int run_of_round(const struct traced *t, int subject, int round, int last)
{
    for (int k = 1; k <= t->n_runs; k++) {
        int i = (last + k) % t->n_runs;
        if (t->runs[i].subject == subject && t->runs[i].round == round)
            return i;
    }
    return -1;
}

double arc_ns_per_unit(const struct traced_run *run)
{
    return 1e9 / run->hz;
}

double arc_weight_in(const struct arc_scope *s, int round)
{
    const struct traced_run *run = &s->r->traced->runs[s->run[round]];
    return run->weight * arc_ns_per_unit(run);
}

static double member_of(const struct traced_run *run, size_t offset)
{
    double member;
    memcpy(&member, (const char *)run + offset, sizeof member);
    return member;
}

/* Of the runs that have such a weight. */
static struct tare_moments moments_over(const struct arc_scope *s, size_t offset)
{
    struct tare_moments m = {0};
    for (int i = 0; i < s->rounds; i++) {
        const struct traced_run *run = s->run[i] >= 0 ? &s->r->traced->runs[s->run[i]] : NULL;
        if (run && run->hz > 0 && member_of(run, offset) > 0)
            tare_moments_add(&m, member_of(run, offset) * arc_ns_per_unit(run));
    }
    return m;
}

/* 0: none has. */
static double mean_over(const struct arc_scope *s, size_t offset)
{
    struct tare_moments m = moments_over(s, offset);
    return m.n ? tare_moments_mean(&m) : 0;
}

static double largest_over(const struct arc_scope *s, size_t offset)
{
    double most = 0;
    for (int i = 0; i < s->rounds; i++) {
        const struct traced_run *run = s->run[i] >= 0 ? &s->r->traced->runs[s->run[i]] : NULL;
        most = run && run->hz > 0 ? fmax(most, member_of(run, offset) * arc_ns_per_unit(run)) : most;
    }
    return most;
}

static void weigh_probe(struct arc_scope *s)
{
    struct tare_moments m = {0};
    struct probe *p = &s->probe;
    const struct traced_run *last = NULL;
    p->step = p->ns = NAN;
    for (int i = 0; i < s->rounds; i++) {
        const struct traced_run *run = s->run[i] >= 0 ? &s->r->traced->runs[s->run[i]] : NULL;
        if (!run || !(run->hz > 0))
            continue;
        p->step = fmax(p->step, run->step * arc_ns_per_unit(run));
        if (isnan(run->weight))
            continue;
        tare_moments_add(&m, run->weight * arc_ns_per_unit(run));
        last = run;
    }
    p->fast_ns = mean_over(s, offsetof(struct traced_run, weight_fast));
    p->word_ns = mean_over(s, offsetof(struct traced_run, weight_word));
    p->added_ns = mean_over(s, offsetof(struct traced_run, weight_added));
    p->around_ns = mean_over(s, offsetof(struct traced_run, weight_around));
    p->moved_ns = largest_over(s, offsetof(struct traced_run, weight_moved));
    const struct tare_moments loose = moments_over(s, offsetof(struct traced_run, loose));
    p->loose_ns = loose.n ? tare_moments_mean(&loose) : 0;
    p->loose_df = loose.n > 1 ? (double)(loose.n - 1) : 0;
    p->loose_error = loose.n > 1 ? sqrt(tare_moments_variance(&loose) / (double)loose.n) : 0;
    if (!m.n)
        return;
    p->ns = tare_moments_mean(&m);
    p->df = (double)(m.n - 1);
    p->error = sqrt(tare_moments_variance(&m) / (double)m.n);
    if (m.n == 1) { /* the rows of the only run */
        p->error = last->weight_sd * arc_ns_per_unit(last) / sqrt((double)last->weight_rows);
        p->df = (double)last->weight_rows - 1;
    }
}

/* s->round from s->run */
static void index_rounds(struct arc_scope *s)
{
    for (int i = 0; i < s->r->traced->n_runs; i++)
        s->round[i] = -1;
    for (int i = 0; i < s->rounds; i++)
        if (s->run[i] >= 0)
            s->round[s->run[i]] = i;
}

void arc_scope_fill(struct arc_scope *s, struct record *r, const struct look *look, int subject, int *run)
{
    const struct rows *rows = &r->series[subject].main;
    *s = (struct arc_scope){.r = r, .look = look, .subject = subject, .run = run};
    s->rounds = look->number && look->rounds < rows->n ? look->rounds : rows->n;
    for (int i = 0, last = -1; i < s->rounds; i++) {
        run[i] = run_of_round(r->traced, subject, rows->round[i], last);
        last = run[i] >= 0 ? run[i] : last;
    }
    s->round = run + rows->n;
    index_rounds(s);
    weigh_probe(s);
}

/* Runs with one word a pass, where there are some. */
void arc_scope_of_plain(struct arc_scope *plain, const struct arc_scope *all, int *run)
{
    bool any = false;
    *plain = *all;
    for (int i = 0; i < all->rounds; i++) {
        bool is = all->run[i] >= 0 && all->r->traced->runs[all->run[i]].repeat == 1;
        run[i] = is ? all->run[i] : -1;
        any |= is;
    }
    plain->run = any ? run : all->run;
    plain->round = run + all->r->series[all->subject].main.n;
    index_rounds(plain);
    weigh_probe(plain);
}

struct sorted {
    int from, to, arc;
};

static int by_arc(const void *a, const void *b)
{
    const struct sorted *x = a, *y = b;
    return x->from != y->from ? x->from - y->from : x->to != y->to ? x->to - y->to : x->arc - y->arc;
}

int arcs_sorted(const struct arc_scope *s, int *out)
{
    const struct traced *t = s->r->traced;
    struct sorted *all = malloc(((size_t)t->n_arcs + 1) * sizeof *all);
    int n = 0;
    for (int i = 0; all && i < t->n_arcs; i++)
        if (t->runs[t->arcs[i].run].subject == s->subject && t->runs[t->arcs[i].run].round >= 0)
            all[n++] = (struct sorted){t->arcs[i].from, t->arcs[i].to, i};
    if (!all)
        return -1;
    qsort(all, (size_t)n, sizeof *all, by_arc);
    for (int i = 0; i < n; i++)
        out[i] = all[i].arc;
    free(all);
    return n;
}

int arc_end(const struct arc_scope *s, const int *arcs, int n, int from)
{
    const struct traced_arc *all = s->r->traced->arcs, *first = &all[arcs[from]];
    while (from < n && all[arcs[from]].from == first->from && all[arcs[from]].to == first->to)
        from++;
    return from;
}

void arc_runs_fill(const struct arc_scope *s, const int *arcs, int n_arcs, double *room, struct arc_runs *out)
{
    const struct traced *t = s->r->traced;
    const size_t rounds = (size_t)s->rounds;
    *out = (struct arc_runs){.from = t->arcs[arcs[0]].from,
                             .to = t->arcs[arcs[0]].to,
                             .n = room,
                             .ns = room + rounds,
                             .passes = room + 2 * rounds,
                             .probes = room + 3 * rounds,
                             .weight = room + 4 * rounds,
                             .loose = room + 5 * rounds};
    memset(room, 0, ARC_RUNS_ROOM * rounds * sizeof *room);
    for (int i = 0; i < n_arcs; i++) {
        const struct traced_arc *a = &t->arcs[arcs[i]];
        int round = s->round[a->run];
        if (round < 0)
            continue;
        out->n[round] += (double)a->n;
        out->ns[round] += (double)a->sum * arc_ns_per_unit(&t->runs[a->run]);
        out->passes[round] += (double)a->passes;
        out->added |= a->added > 0;
        out->system |= !strcmp(t->runs[a->run].clock, "raw");
        out->fast |= a->fast || !strcmp(t->runs[a->run].order, "fast");
    }
}

/* A weight of that run, where it has one; else the mean over runs, where any has; else what is taken otherwise. */
static double own_or(const struct traced_run *run, double own, double mean_ns, double otherwise_ns)
{
    return own > 0 ? own * arc_ns_per_unit(run) : mean_ns > 0 ? mean_ns : otherwise_ns;
}

/* Of all probes in the passages of an entry: those at their ends, which weigh less where they read the clock unordered and more where the program
 * added up, and those of words in them. */
double arc_weight_of(const struct arc_scope *s, const struct traced_arc *a)
{
    const struct traced_run *run = &s->r->traced->runs[a->run];
    const struct probe *p = &s->probe;
    const double weighed = arc_weight_in(s, s->round[a->run]), mean = isnan(p->ns) ? 0 : p->ns;
    const double own = isnan(weighed) ? mean : weighed; /* as it was weighed there, else as on average */
    const double end = a->fast ? own_or(run, run->weight_fast, p->fast_ns, own) : own;
    const double added = own_or(run, run->weight_added, p->added_ns, end), word = own_or(run, run->weight_word, p->word_ns, own);
    return (double)(a->n - a->added) * end + (double)a->added * added + (double)a->words * word + (double)a->n * s->hidden_ns;
}

/* How much more they weigh where no work hides a part of them. */
static double loose_of(const struct arc_scope *s, const struct traced_arc *a)
{
    const struct traced_run *run = &s->r->traced->runs[a->run];
    const double own = own_or(run, run->loose, s->probe.loose_ns, 0), end = a->fast ? own_or(run, run->loose_fast, own, 0) : own;
    return (double)(a->n - a->added) * end + (double)a->added * own_or(run, run->loose_added, end, 0) + (double)a->words * own;
}

void arc_runs_weigh(const struct arc_scope *s, const int *arcs, int n_arcs, struct arc_runs *a)
{
    for (int i = 0; i < n_arcs; i++) {
        const struct traced_arc *x = &s->r->traced->arcs[arcs[i]];
        int round = s->round[x->run];
        if (round < 0 || !x->n)
            continue;
        a->weight[round] += arc_weight_of(s, x);
        a->loose[round] += loose_of(s, x);
        a->probes[round] += (double)x->n + (double)x->words;
    }
}

void arc_runs_keep_plain(const struct arc_scope *s, struct arc_runs *a)
{
    bool plain = false;
    for (int i = 0; i < s->rounds; i++)
        plain |= s->run[i] >= 0 && s->r->traced->runs[s->run[i]].repeat == 1;
    for (int i = 0; plain && i < s->rounds; i++)
        if (s->run[i] >= 0 && s->r->traced->runs[s->run[i]].repeat > 1)
            a->n[i] = a->ns[i] = a->passes[i] = 0;
}

bool arc_keeps_in_step(const struct arc_scope *s, const int *arcs, int n_arcs)
{
    static const double nearly = .99;
    int runs = 0;
    for (int i = 0; i < n_arcs && s->probe.step >= ARC_COARSE_NS; i++) {
        const struct traced_arc *a = &s->r->traced->arcs[arcs[i]];
        uint64_t most = 0;
        if (s->round[a->run] < 0 || !a->n)
            continue;
        for (int k = 0; k < a->n_bins; k++)
            most = a->bins[k].n > most ? a->bins[k].n : most;
        if ((double)most < nearly * (double)a->n)
            return false;
        runs++;
    }
    return runs > 0;
}

struct doubt arc_doubts(double one, double df_one, double other, double df_other)
{
    double sum = one + other;
    double low = (df_one > 0 ? one * one / df_one : 0) + (df_other > 0 ? other * other / df_other : 0);
    return (struct doubt){sqrt(sum), low > 0 ? sum * sum / low : INFINITY};
}
