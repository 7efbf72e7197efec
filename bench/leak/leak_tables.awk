# SPDX-License-Identifier: MIT
# The raw lines of bench/leak.sh as tables in Markdown.
#   columns: 1 part 2 label 3 unix 4 load 5 case 6 setting 7 expected 8 got 9 right 10 seconds 11... of the part

function share(k, n) { return n ? sprintf("%d of %d", k, n) : "-" }

function quantile(text, q,    a, n, i) {
    n = split(text, a, " ")
    for (i = 1; i <= n; i++)
        a[i] += 0
    sort_numbers(a, n)
    return n ? a[int((n - 1) * q) + 1] : "-"
}

# Of n values the triples, one after the other, whose mean -+ t standard errors holds the mean of all.
function triples_hold(x, n, order, t,    i, k, mean, m, s, held) {
    for (i = 1; i <= n; i++)
        mean += x[i] / n
    for (i = 1; i + 2 <= n; i += 3) {
        m = s = 0
        for (k = 0; k < 3; k++)
            m += x[order[i + k]] / 3
        for (k = 0; k < 3; k++)
            s += (x[order[i + k]] - m) ^ 2 / 2
        held += (m - mean) ^ 2 <= t ^ 2 * s / 3
    }
    return held + 0
}

# Shuffled by a seed that is always the same.
function shuffle(order, n,    i, k, x) {
    srand(1)
    for (i = 1; i <= n; i++)
        order[i] = i
    for (i = n; i > 1; i--) {
        k = 1 + int(i * rand())
        x = order[i]
        order[i] = order[k]
        order[k] = x
    }
}

function remember(name) {
    if (!(name in place)) {
        place[name] = ++names
        name_at[names] = name
    }
}

/^#/ {
    if ($0 ~ /^# [0-9]/)
        version = substr($0, 3)
    next
}
{
    remember($1 "\t" $5)
    remember($1 "\t" $5 "\t" $6)
}
$1 == "suite" {
    n[$5]++
    expected[$5] = $7
    got[$5, $8]++
    words[$8] = 1
    good[$5] += $9 == "yes"
    judged[$5] += $9 != "-"
    seconds[$5] = seconds[$5] " " $10
    calls[$5] = calls[$5] " " $11
    suite_n++
    suite_judged += $9 != "-"
    suite_good += $9 == "yes"
}
# 11 difference 12 low 13 high
$1 == "sessions" && $8 ~ /^leak/ && $11 ~ /[0-9]/ && $12 ~ /[0-9]/ {
    k = ++session_n[$5]
    session_size[$5] = session_size[$5] " " $11
    session_width[$5] = session_width[$5] " " ($13 - $12) / 2
    session_sum[$5] += $11
    session_at[$5, k] = $11
    session_low[$5, k] = $12
    session_high[$5, k] = $13
}
# 11 ns 12 cycles
$1 == "triples" && $11 ~ /[0-9]/ {
    k = ++triple_n[$5]
    triple_ns[$5, k] = $11
    triple_cycles[$5, k] = $12
    triple_list[$5] = triple_list[$5] " " $11
}
$1 == "taint" {
    taint_expected[$5] = $7
    taint_got[$5] = $8
    taint_right[$5] = $9
    taint_jumps[$5] = $11
    taint_addresses[$5] = $12
}
$1 == "growth" {
    growth_expected[$5] = $7
    growth_word[$7, $8]++
    growth_got[$5] = growth_got[$5] (growth_got[$5] ? ", " : "") $8
    growth_class[$5] = $11 ($12 != "" && $12 != "null" ? " or " $12 : "")
    growth_seconds[$5] = growth_seconds[$5] " " $10
    growth_good += $9 == "yes"
    growth_all++
}
$1 == "again" {
    again_n++
    again_alarms += $9 == "no"
    again_word[$8]++
    again_calls += $11
}
$1 == "settled" {
    settled_n[$6]++
    settled_good[$6] += $8 == "no_leak"
    settled_seconds[$6] = settled_seconds[$6] " " $10
}
# 11 seed 12 delay 13 share 14 margin 15 calls 16 verdict 17 tare 18 t10 19 t4.5 20 t10 corrected 21 t4.5 corrected 22 23 t 24 looks 25 26 27 missed
$1 == "planted" {
    s = $6
    p_n[s]++
    for (i = 17; i <= 21; i++) {
        p_found[s, i] += $i >= 0
        if ($i >= 0)
            p_after[s, i] = p_after[s, i] " " $i
    }
    for (i = 25; i <= 27; i++)
        p_missed[s, i] += $i > 0
}
# 5 clock 6 case 7 leak (else a line of before) 9 right 11 calls to distinguish 12..14 difference and its interval, ns
$1 == "clocks" && $7 == "leak" {
    c = $6 SUBSEP $5
    if (!(c in clock_n))
        clock_at[++clocks] = c
    clock_n[c]++
    clock_right[c] += $9 == "yes"
    clock_calls[c] = clock_calls[c] " " $11
    clock_size[c] = clock_size[c] " " $12
    clock_last[c] = sprintf("%.3g [%.3g, %.3g]", $12, $13, $14)
}
# 5 step of the counter, ns 6 adds 11 error of the mean, ns; a line is a process
$1 == "chains" {
    c = $5 SUBSEP $6
    if (!(c in h_n))
        h_at[++chains] = c
    h_n[c]++
    h_sum[c] += $11
    h_square[c] += $11 * $11
}
$1 == "cost" && $6 == "calls" {
    cost_ns = cost_ns " " ($12 * 1e9 / $11 - $13)
}
$1 == "cost" && $6 == "first" {
    first_seconds = first_seconds " " $10
}

END {
    print "Measured by `./dev bench leak`, " version "."
    if (suite_n) {
        print "\n### Known cases\n\nRight: " share(suite_good, suite_judged) " runs that can be judged.\n"
        print "| case | expected | found | right | median s | median calls |\n|---|---|---|---:|---:|---:|"
        for (i = 1; i <= names; i++) {
            split(name_at[i], f, "\t")
            if (f[1] != "suite" || f[3] != "" || !(f[2] in n) || index(substr(name_at[i], 7), "\t"))
                continue
            c = f[2]
            text = ""
            for (w in words)
                if ((c, w) in got)
                    text = text (text ? ", " : "") w (n[c] > 1 ? " " got[c, w] : "")
            e = expected[c]
            gsub(/\|/, " or ", e)
            printf "| %s | %s | %s | %s | %.1f | %.0f |\n", c, e, text, judged[c] ? share(good[c], judged[c]) : "-", quantile(seconds[c], 0.5), quantile(calls[c], 0.5)
        }
    }
    for (c in session_n)
        any_session += session_n[c]
    if (any_session) {
        print "\n### Sizes from session to session\n"
        print "The mean over all sessions of a case stands for the truth: an interval of 99 % should hold it.\n"
        print "| case | sessions | least, ns | median | most | median half width | intervals that hold the mean |\n|---|---:|---:|---:|---:|---:|---:|"
        for (i = 1; i <= names; i++) {
            split(name_at[i], f, "\t")
            c = f[2]
            if (f[1] != "sessions" || !(c in session_n) || index(substr(name_at[i], 10), "\t"))
                continue
            held = 0
            mean = session_sum[c] / session_n[c]
            for (k = 1; k <= session_n[c]; k++) {
                held += session_low[c, k] <= mean && mean <= session_high[c, k]
                near += (session_at[c, k] - mean) ^ 2 <= (mean / 5) ^ 2
            }
            held_all += held
            printf "| %s | %d | %.3g | %.3g | %.3g | %.2g | %s |\n", c, session_n[c], quantile(session_size[c], 0), quantile(session_size[c], 0.5), quantile(session_size[c], 1), quantile(session_width[c], 0.5), share(held, session_n[c])
        }
        print ""
        print "In all: " share(held_all, any_session) "; within a fifth of that mean: " share(near, any_session) "."
    }
    for (c in triple_n)
        any_triple = 1
    if (any_triple) {
        print "\n### Sizes over three sessions\n"
        print "Short sessions; disjoint triples, drawn at random from all: intervals over a triple that hold the mean of all, by Student at 99 % (2 degrees of freedom: 9.92 standard errors), and as tare prints them, at 99 % for the three sizes of a pair together (24.5). Neighbours: triples as they followed each other, at 99 %.\n"
        print "| case | sessions | least, ns | median | most | 99 %, ns | in core cycles | as printed, ns | in core cycles | neighbours, ns |\n|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|"
        for (c in triple_n) {
            n_of = triple_n[c]
            shuffle(drawn, n_of)
            for (k = 1; k <= n_of; k++) {
                straight[k] = k
                values[k] = triple_ns[c, k]
                in_cycles[k] = triple_cycles[c, k]
            }
            printf "| %s | %d | %.3g | %.3g | %.3g |", c, n_of, quantile(triple_list[c], 0), quantile(triple_list[c], 0.5), quantile(triple_list[c], 1)
            sets = int(n_of / 3)
            printf " %s | %s |", share(triples_hold(values, n_of, drawn, 9.92484), sets), share(triples_hold(in_cycles, n_of, drawn, 9.92484), sets)
            printf " %s | %s |", share(triples_hold(values, n_of, drawn, 24.4643), sets), share(triples_hold(in_cycles, n_of, drawn, 24.4643), sets)
            printf " %s |\n", share(triples_hold(values, n_of, straight, 9.92484), sets)
        }
    }
    for (c in taint_expected)
        any_taint = 1
    if (any_taint) {
        print "\n### Taint\n\n| case | expected | found | jumps | addresses | right |\n|---|---|---|---:|---:|---|"
        for (i = 1; i <= names; i++) {
            split(name_at[i], f, "\t")
            c = f[2]
            if (f[1] == "taint" && !index(substr(name_at[i], 7), "\t"))
                printf "| %s | %s | %s | %s | %s | %s |\n", c, taint_expected[c], taint_got[c], taint_jumps[c], taint_addresses[c], taint_right[c]
        }
    }
    if (growth_all) {
        print "\n### Is it O(1)?\n\nRight: " share(growth_good, growth_all) ".\n"
        print "| truth | said bounded | said grows | undecided | invalid |\n|---|---:|---:|---:|---:|"
        split("bounded grows", truth, " ")
        for (i = 1; i <= 2; i++) {
            t = truth[i]
            printf "| %s | %d | %d | %d | %d |\n", t, growth_word[t, "bounded"], growth_word[t, "grows"], growth_word[t, "undecided"], growth_word[t, "invalid"]
        }
        print "\n| operation | expected | said | looks like | median s |\n|---|---|---|---|---:|"
        for (i = 1; i <= names; i++) {
            split(name_at[i], f, "\t")
            c = f[2]
            if (f[1] == "growth" && !index(substr(name_at[i], 8), "\t"))
                printf "| %s | %s | %s | %s | %.1f |\n", c, growth_expected[c], growth_got[c], growth_class[c], quantile(growth_seconds[c], 0.5)
        }
    }
    if (again_n) {
        print "\n### False alarms\n"
        printf "A/A runs: %d, %.3g calls in all. False alarms: %d", again_n, again_calls, again_alarms
        printf "; the true rate is below %.2g with 97.5 %% confidence (Clopper-Pearson).", upper(again_alarms, again_n)
        text = ""
        for (w in again_word)
            text = text (text ? ", " : "") w " " again_word[w]
        print " Verdicts: " text "."
    }
    for (m in settled_n)
        any_settled = 1
    if (any_settled) {
        print "\n### Settled within 10 s\n\n| margin, cycles | settled as no_leak | median s |\n|---:|---:|---:|"
        split("1 5 50", margins, " ")
        for (i = 1; i <= 3; i++)
            if (margins[i] in settled_n)
                printf "| %s | %s | %.1f |\n", margins[i], share(settled_good[margins[i]], settled_n[margins[i]]), quantile(settled_seconds[margins[i]], 0.5)
    }
    for (s in p_n)
        any_planted = 1
    if (any_planted) {
        print "\n### Planted in recorded A/A calls: found, and median calls until then\n"
        print "Delay in ticks of the counter. 0 is no leak: what is found there is a false alarm. The intervals: runs with an interval that did not hold the planted difference at one look or more, promised at most 1 in 100.\n"
        print "| delay, share of calls | runs | tare | dudect, t > 10 | t > 4.5 | mended, t > 10 | mended, t > 4.5 | intervals that missed (clip 50, 90, 99 %) |\n|---|---:|---:|---:|---:|---:|---:|---:|"
        delays = split("0 x 1;0.1 x 1;0.3 x 1;1 x 1;3 x 1;10 x 1;100 x 1;0.1 x 0.01;0.3 x 0.01;1 x 0.01;3 x 0.01;10 x 0.01;100 x 0.01", order, ";")
        for (k = 1; k <= delays; k++) {
            s = order[k]
            if (!(s in p_n))
                continue
            printf "| %s | %d |", s, p_n[s]
            for (i = 17; i <= 21; i++)
                printf " %d%s |", p_found[s, i], p_found[s, i] ? sprintf(" (%.0f)", quantile(p_after[s, i], 0.5)) : ""
            printf " %d, %d, %d |\n", p_missed[s, 25], p_missed[s, 26], p_missed[s, 27]
        }
    }
    if (clocks) {
        print "\n### Two leaks by three clocks\n"
        print "| case | clock | sessions | leak | calls to distinguish, median | size, ns, median | the last, 99 % |\n|---|---|---:|---:|---:|---:|---:|"
        for (i = 1; i <= clocks; i++) {
            c = clock_at[i]
            split(c, part_of, SUBSEP)
            printf "| %s | %s | %d | %d | %.3g | %.3g | %s |\n", part_of[1], part_of[2], clock_n[c], clock_right[c], quantile(clock_calls[c], 0.5), quantile(clock_size[c], 0.5), clock_last[c]
        }
    }
    if (chains) {
        print "\n### Chains of adds\n\nThe error of the mean reading, over processes, and its standard error; right where it is within 0.02 ns and four of these.\n"
        print "| step of the counter, ns | cycles | processes | error, ns | right |\n|---:|---:|---:|---:|---|"
        for (i = 1; i <= chains; i++) {
            c = h_at[i]
            off = h_sum[c] / h_n[c]
            wrong = h_n[c] > 1 ? sqrt((h_square[c] / h_n[c] - off * off) / (h_n[c] - 1)) : 0
            split(c, part_of, SUBSEP)
            printf "| %s | %s | %d | %+.3f ± %.3f | %s |\n", part_of[1], part_of[2], h_n[c], off, wrong, h_n[c] < 2 ? "-" : (off < 0 ? -off : off) <= .02 + 4 * wrong ? "yes" : "no"
        }
    }
    if (cost_ns != "")
        printf "\n### Cost\n\nThe harness takes %.0f ns a call beside the call itself (median of runs; processes and analysis included).", quantile(cost_ns, 0.5)
    if (first_seconds != "")
        printf " The leak of `memcmp` is said after %.2f s (median).", quantile(first_seconds, 0.5)
    if (cost_ns != "" || first_seconds != "")
        print ""
}
