/* SPDX-License-Identifier: MIT
 *
 * welch N1 MEAN1 SD1 N2 MEAN2 SD2 [STEP]: what a careful user makes of two means that a tool prints: Welch's t-test of the second
 * against the first at 5 %. Prints one line
 *
 *     WORD LN LOW HIGH SCORE
 *
 * WORD: slower, faster, or none (no difference found); LN: log of the ratio of means, LOW ... HIGH its 95 % interval by the delta
 * method; SCORE: |t| over its critical value, above 1 for a word. STEP: the printed figures are rounded to it, which adds
 * STEP^2/12 to each variance of the mean. It is the decision of the Welch recipe that hyperfine has among its scripts, done anew.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <tare/stats.h>

struct side {
    double n, mean, of_mean; /* of_mean: variance of the mean */
};

static struct side side_of(char **word, double step)
{
    double n = atof(word[0]), sd = atof(word[2]);
    return (struct side){.n = n, .mean = atof(word[1]), .of_mean = sd * sd / n + step * step / 12};
}

static double welch_df(const struct side *a, const struct side *b)
{
    double v = a->of_mean + b->of_mean;
    return v * v / (a->of_mean * a->of_mean / (a->n - 1) + b->of_mean * b->of_mean / (b->n - 1));
}

int main(int argc, char **argv)
{
    if (argc < 7)
        return 2;
    double step = argc > 7 ? atof(argv[7]) : 0;
    struct side a = side_of(argv + 1, step), b = side_of(argv + 4, step);
    double se = sqrt(a.of_mean + b.of_mean);
    if (!(a.n >= 2 && b.n >= 2 && a.mean > 0 && b.mean > 0 && se > 0))
        return 1;
    double critical = tare_student_quantile(.975, welch_df(&a, &b)), score = fabs(b.mean - a.mean) / se / critical;
    double ln = log(b.mean / a.mean), half = critical * sqrt(a.of_mean / (a.mean * a.mean) + b.of_mean / (b.mean * b.mean));
    printf("%s %.6f %.6f %.6f %.4f\n",
           score <= 1        ? "none"
           : b.mean > a.mean ? "slower"
                             : "faster",
           ln, ln - half, ln + half, score);
    return 0;
}
