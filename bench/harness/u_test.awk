# SPDX-License-Identifier: MIT
#
# Mann-Whitney's U test as two tools apply it to the repetitions of two runs, one after the other, at 5 %:
#   -v tool=compare.py   google/benchmark's: scipy.stats.mannwhitneyu, two-sided, of 9 or more values a side by the normal law with a correction for
#                        continuity and ties
#   -v tool=benchstat    exact where no two values are equal, else by the normal law
# Standard input: "NAME SIDE VALUE" with side 0 or 1. Prints "NAME VERDICT RATIO P": slower, faster or same (p is 5 % or more), the ratio of the medians.

function tail(z,    t) { # of the normal law, above z >= 0; to 1e-7 (Abramowitz and Stegun 26.2.17)
    t = 1 / (1 + 0.2316419 * z)
    t *= 0.319381530 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429)))
    return exp(-z * z / 2) / 2.5066282746310002 * t
}

# How many of the arrangements of m and n values have this U.
function ways(u, m, n) {
    if (u < 0 || u > m * n)
        return 0
    if (m == 0 || n == 0)
        return 1
    if (!((u, m, n) in known))
        known[u, m, n] = ways(u - n, m - 1, n) + ways(u, m, n - 1)
    return known[u, m, n]
}

function exact_p(u, m, n,    i, all, sum) {
    all = 1
    for (i = 1; i <= m; i++)
        all *= (n + i) / i
    for (i = 0; i <= u; i++)
        sum += ways(i, m, n)
    return 2 * sum / all > 1 ? 1 : 2 * sum / all
}

function normal_p(u, m, n, ties,    sd, z) {
    sd = sqrt(m * n / 12 * (m + n + 1 - ties / ((m + n) * (m + n - 1))))
    z = sd > 0 ? (m * n / 2 - u - 0.5) / sd : 0
    return z > 0 ? 2 * tail(z) : 1
}

function median(name, side,    k, a, b, x, n) {
    n = count[name, side]
    for (a = 1; a <= n; a++) {
        x = value[name, side, a]
        for (b = a - 1; b >= 1 && sorted[b] > x; b--)
            sorted[b + 1] = sorted[b]
        sorted[b + 1] = x
    }
    return n % 2 ? sorted[(n + 1) / 2] : (sorted[n / 2] + sorted[n / 2 + 1]) / 2
}

function tell(name,    m, n, i, k, below, equal, all, s, same, ties, u, p, ratio) {
    m = count[name, 0]
    n = count[name, 1]
    for (i = 1; i <= m; i++)
        for (k = 1; k <= n; k++) {
            below += (value[name, 1, k] < value[name, 0, i])
            equal += (value[name, 1, k] == value[name, 0, i])
        }
    for (s = 0; s < 2; s++)
        for (i = 1; i <= count[name, s]; i++)
            all[value[name, s, i]]++
    for (i in all)
        ties += all[i] ^ 3 - all[i]
    u = below + equal / 2
    u = u < m * n - u ? u : m * n - u
    p = (tool == "benchstat" ? !ties : m < 9 && !ties) ? exact_p(u, m, n) : normal_p(u, m, n, ties)
    ratio = median(name, 1) / median(name, 0)
    print name, (p >= 0.05 ? "same" : ratio > 1 ? "slower" : "faster"), ratio, p
}

{
    if (!(($1, 0) in count) && !(($1, 1) in count))
        names[++n_names] = $1
    value[$1, $2, ++count[$1, $2]] = $3
}
END {
    for (a_name = 1; a_name <= n_names; a_name++)
        tell(names[a_name])
}
