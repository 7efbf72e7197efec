# SPDX-License-Identifier: MIT
# The four loops of test_cyc, by the round that they are in: awk -v title=TEXT -f rounds.awk cold.out >rounds.md
#
# sampler.out is in the order of time, so the first four arcs of a run, which find a cold cache, can be told from the same arcs later. Each time is
# compensated by SAMPLER's formula, dt - (ref_start + ref_end)/2, and is the median over the runs.
function number(key,   at) {
    at = index($0, "\"" key "\":")
    return substr($0, at + length(key) + 3) + 0
}

function line_of(key,   at, rest) {
    at = index($0, "\"" key "\":{")
    rest = substr($0, at)
    return substr(rest, index(rest, "\"line\":") + 7) + 0
}

function median(round, loop,   n, i, k, v, sorted) {
    n = runs[round, loop]
    for (i = 1; i <= n; i++) {
        v = time[round, loop, i]
        for (k = i - 1; k > 0 && sorted[k] > v; k--)
            sorted[k + 1] = sorted[k]
        sorted[k + 1] = v
    }
    return (sorted[int((n + 1) / 2)] + sorted[int(n / 2) + 1]) / 2
}

/^$/ { arcs = 0 }

# from the last point back to the first: between two rounds
/"dt":/ && line_of("prev") < line_of("curr") {
    round = int(arcs / 4) + 1
    loop = arcs % 4 + 1
    arcs++
    time[round, loop, ++runs[round, loop]] = number("dt") - (number("ref_start") + number("ref_end")) / 2
    rounds = round > rounds ? round : rounds
}

function row(name, values, digits,   i, text) {
    text = "| " name
    for (i = 1; i <= 4; i++)
        text = text sprintf(" | %.*f", digits, values[i])
    text = text " | "
    for (i = 1; i <= 4; i++)
        text = text sprintf("%s%.2f", i > 1 ? " : " : "", values[i] / values[1])
    print text " |"
}

END {
    if (!rounds) {
        print "rounds.awk: no arcs" >"/dev/stderr"
        exit 1
    }
    print title ", ns, medians of " runs[1, 1] " runs\n"
    print "| | 1/10 | 2/10 | 5/10 | all | as 1 : 2 : 5 : 10 |"
    print "|---|---:|---:|---:|---:|---|"
    for (round = 1; round <= rounds; round++) {
        for (i = 1; i <= 4; i++) {
            values[i] = median(round, i)
            if (round == 1)
                first[i] = values[i]
            else
                later[i] += values[i] / (rounds - 1)
        }
        row("round " round (round == 1 ? ": the first four arcs" : ""), values, 0)
    }
    if (rounds > 1) {
        text = "| first / later"
        for (i = 1; i <= 4; i++)
            text = text sprintf(" | %.2f", first[i] / later[i])
        print text " | |"
    }
    print ""
}
