# SPDX-License-Identifier: MIT
# What the tables of several bench scripts are computed with; read in front of their own programs.

# The upper end of the exact binomial interval (Clopper-Pearson, 97.5 %) for k of n: where P(X <= k) = 0.025, by halving.
function upper(k, n,    low, high, p, i, j, sum, term) {
    if (n == 0 || k >= n)
        return 1
    low = 0
    high = 1
    for (i = 0; i < 60; i++) {
        p = (low + high) / 2
        term = n * log(1 - p)
        sum = 0
        for (j = 0; j <= k; j++) {
            sum += exp(term)
            term += log(n - j) - log(j + 1) + log(p) - log(1 - p)
        }
        if (sum > 0.025)
            low = p
        else
            high = p
    }
    return high
}

function sort_numbers(a, n,    i, j, x) {
    for (i = 2; i <= n; i++) {
        x = a[i]
        for (j = i - 1; j >= 1 && a[j] > x; j--)
            a[j + 1] = a[j]
        a[j + 1] = x
    }
}

function least(k, n) { return 1 - upper(n - k, n) }

function exact_share(k, n) { return sprintf("%d of %d (%.1f to %.1f %%)", k, n, 100 * least(k, n), 100 * upper(k, n)) }

# The median of the sorted x[1..n]; from six values on with its exact interval (order statistics, 95 %).
function exact_median(x, n,    k, sum, term, middle) {
    middle = figure((x[int((n + 1) / 2)] + x[int(n / 2) + 1]) / 2)
    term = 0.5 ^ n
    for (k = 0; sum + term <= 0.025; k++) {
        sum += term
        term *= (n - k) / (k + 1)
    }
    return k ? middle " (" figure(x[k]) " to " figure(x[n + 1 - k]) ")" : middle
}

function figure(x,    size, text) {
    size = x < 0 ? -x : x
    text = sprintf(size >= 100 ? "%.0f" : size >= 10 ? "%.1f" : size >= 1 ? "%.2f" : size > 0 ? "%.3f" : "%d", size)
    return (x < 0 ? "−" : "") text
}
