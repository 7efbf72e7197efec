/* SPDX-License-Identifier: MIT
 * The root finder of stats_core.h. */
#include "stats_core.h"

struct bracket {
    double a, fa; /* newest end */
    double b, fb; /* the other end: the sign differs */
    double c, fc; /* the end before */
};

/* Where to look next, as a fraction of the way from a to b. */
static double chandrupatla_step(const struct bracket *k)
{
    double xi = (k->a - k->b) / (k->c - k->b), phi = (k->fa - k->fb) / (k->fc - k->fb);
    if (!(phi * phi < xi && (1 - phi) * (1 - phi) < 1 - xi))
        return 0.5;
    return k->fa / (k->fb - k->fa) * (k->fc / (k->fb - k->fc)) +
           (k->c - k->a) / (k->b - k->a) * (k->fa / (k->fc - k->fa)) * (k->fb / (k->fc - k->fb));
}

double stats_root(double (*f)(double, const void *), const void *context, double lo, double hi)
{
    struct bracket k = {.a = lo, .fa = f(lo, context), .b = hi, .fb = f(hi, context)};
    double t = 0.5;
    for (int i = 0; i < 200 && k.fa != 0 && k.fb != 0; i++) {
        double x = k.a + t * (k.b - k.a), fx = f(x, context);
        if ((fx > 0) == (k.fa > 0)) {
            k.c = k.a, k.fc = k.fa;
        } else {
            k.c = k.b, k.fc = k.fb;
            k.b = k.a, k.fb = k.fa;
        }
        k.a = x, k.fa = fx;
        double best = fabs(k.fa) < fabs(k.fb) ? k.a : k.b;
        double smallest = (4e-16 * fabs(best) + 1e-300) / fabs(k.b - k.a);
        if (smallest >= 0.5)
            break;
        t = chandrupatla_step(&k);
        t = t > smallest ? t < 1 - smallest ? t : 1 - smallest : smallest;
    }
    return fabs(k.fa) < fabs(k.fb) ? k.a : k.b;
}
