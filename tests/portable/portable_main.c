/* SPDX-License-Identifier: MIT
 *
 * Prints what must not depend on the platform: random numbers, figures as text, and statistics of seeded data. Integers and shortest
 * decimals agree to the last digit; what went through the C library's exp and log is shown with 10 digits.
 *
 *     u 5e0b... x 0.5707...      the generator and the shortest decimal
 *     hl 30 0.0123... [..., ...] Hodges-Lehmann of 30 seeded differences
 */
#include "buf.h"
#include "rng.h"
#include "rng_normal.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <tare/stats.h>

static void print_generator(struct buf *out)
{
    struct rng r = rng_seeded(12);
    for (int i = 0; i < 200; i++) {
        unsigned long long bits = rng_next(&r);
        int exponent = (int)rng_below(&r, 600) - 300;
        double x = ldexp(rng_uniform(&r), exponent);
        buf_format(out, "u %016llx x %g %.3f\n", bits, x, fmod(x, 1e6));
    }
}

/* Text with 10 significant digits, so that a difference in the last bits of exp or log is not seen. */
static void add_rounded(struct buf *out, double x)
{
    double size = x != 0 && isfinite(x) ? pow(10, 9 - floor(log10(fabs(x)))) : 1;
    buf_format(out, " %.0f/%g", x * size, size);
}

static void print_interval(struct buf *out, const char *name, const struct tare_interval *t)
{
    buf_format(out, "%s %td", name, t->n);
    add_rounded(out, t->point);
    add_rounded(out, t->low);
    add_rounded(out, t->high);
    buf_char(out, '\n');
}

static enum tare_status print_sample(struct buf *out, ptrdiff_t n)
{
    struct rng r = rng_seeded((uint64_t)n);
    double *d = calloc((size_t)n, sizeof *d);
    void *scratch = malloc(tare_hl_scratch_bytes(n));
    enum tare_status status = d && scratch ? TARE_OK : TARE_NO_MEMORY;
    struct tare_interval t;
    for (ptrdiff_t i = 0; status == TARE_OK && i < n; i++)
        d[i] = 0.01 + 0.03 * rng_normal(&r);
    if (status == TARE_OK && (status = tare_hl_ci_walsh(d, n, 0.05, scratch, &t)) == TARE_OK)
        print_interval(out, "hl", &t);
    if (status == TARE_OK && (status = tare_mean_ci_student(d, n, 0.01, &t)) == TARE_OK)
        print_interval(out, "mean", &t);
    if (status == TARE_OK)
        tare_sort(d, n);
    if (status == TARE_OK && (status = tare_median_ci_binomial(d, n, 0.05, &t)) == TARE_OK)
        print_interval(out, "median", &t);
    free(d);
    free(scratch);
    return status;
}

static enum tare_status print_looks(struct buf *out)
{
    const int at[] = {10, 15, 23, 35, 53, 80, 120};
    for (int k = 1; k <= 7; k++) {
        double level;
        enum tare_status status = tare_looks_level(at, k, 0.05, &level);
        if (status != TARE_OK)
            return status;
        buf_format(out, "looks %d %.7f\n", k, level);
    }
    return TARE_OK;
}

int main(void)
{
    struct buf out = BUF_INIT(1 << 20);
    print_generator(&out);
    enum tare_status status = print_looks(&out);
    for (ptrdiff_t n = 6; status == TARE_OK && n < 2000; n = n * 2 + 1)
        status = print_sample(&out, n);
    if (status == TARE_OK)
        status = out.status;
    if (status != TARE_OK)
        fprintf(stderr, "%s\n", tare_status_text(status));
    else if (fwrite(buf_text(&out), 1, out.len, stdout) != out.len || fflush(stdout) != 0)
        status = TARE_IO;
    buf_finish(&out);
    return status != TARE_OK;
}
