# SPDX-License-Identifier: MIT
# The raw lines of bench/trace.sh as tables in Markdown.
#   columns: 1 part 2 label 3 unix 4 load 5 what 6 setting 7... the values:
#   cost      ns of a pass (median of the rounds of a process), ns more than the reference that `setting` names, mean; bytes_*: bytes of a pass
#   ladder, coarse, compilers       what: order, setting: links; truth ns, mean without interrupted passages, median, mean, weight of the probe, ends of the mean's interval
#   kills forks threads signals       as trace_storm.c says
#   crowd     setting: threads; CPU time of a pass, ns
#   preempt   what: alone or crowded, the rest as ladder; interrupted: passages, of them interrupted
#   fit       ns from the first moment to the last, ppm that the worst of them lies off the line, jumps, steps
#   simulated what: world, setting: fixed, looks or equal; sessions whose interval held the truth (equal: with a false word), sessions
#   nested    setting: inner points; ns of a region: all, without interrupted passages, by medians
#   sort      setting: passes; ns without points, ratio with points off, ratio traced, ns a pass
#   analyse   what: events asked for, setting: workers; events, bytes, seconds, CPU seconds, peak bytes
#   branches  setting: runs; passages that must be there, those that are, arcs, arcs of every run
#   aa        what: word; ratio, low, high, one for each arc; session: some or none (words of difference), arcs
#   off       what: compiler, setting: level, yes or no

# Sets middle, low, high, number: the median of values and its interval at 95 % by order statistics (binomial), nan for fewer than six
function summarize(text,    a, n, i, k, term, sum) {
    number = n = split(text, a, " ")
    for (i = 1; i <= n; i++)
        a[i] += 0
    sort_numbers(a, n)
    middle = n ? (a[int((n + 1) / 2)] + a[int(n / 2) + 1]) / 2 : "nan"
    low = high = "nan"
    term = -n * log(2)
    sum = 0
    for (k = 0; k < n / 2; k++) { # P(Binomial(n, 1/2) <= k) <= 0.025
        sum += exp(term)
        if (sum > 0.025)
            break
        low = a[k + 1]
        high = a[n - k]
        term += log(n - k) - log(k + 1)
    }
}

function figure(x, digits) {
    return x == "nan" || x == "-nan" || x == "" ? "-" : sprintf("%." digits "f", x)
}

function with_interval(text, digits) {
    summarize(text)
    return figure(middle, digits) (low == "nan" ? "" : " (" figure(low, digits) " to " figure(high, digits) ")")
}

# Digits that follow the size
function short(x) {
    return x == "nan" ? "-" : x >= 100 || x <= -100 ? sprintf("%.0f", x) : x >= 10 || x <= -10 ? sprintf("%.1f", x) : sprintf("%.2f", x)
}

# The upper end of the exact binomial interval (Clopper-Pearson, 97.5 %) for none of n
function upper_of_none(n) {
    return n ? 1 - exp(log(0.025) / n) : 1
}

function add(key, value) {
    values[key] = values[key] == "" ? value : values[key] " " value
}

function remember(list, name) { # in the order in which they came
    if (!((list, name) in known)) {
        known[list, name] = 1
        names[list, ++count[list]] = name
    }
}

/^#/ {
    if ($0 ~ /^# [0-9]/)
        version = substr($0, 3)
    next
}
{
    lines[$1]++
    if (!($2 in labels)) {
        labels[$2] = 1
        all_labels = all_labels == "" ? $2 : all_labels ", " $2
    }
    least = least == "" || $4 < least ? $4 : least
    most = most == "" || $4 > most ? $4 : most
    first = first == "" || $3 < first ? $3 : first
    last = last == "" || $3 > last ? $3 : last
}
$1 == "cost" {
    remember("cost", $5)
    reference[$5] = $6
    add("ns " $5, $7)
    add("more " $5, $8)
    add("mean " $5, $9)
}
$1 == "ladder" || $1 == "coarse" || $1 == "compilers" {
    remember("rungs", $6)
    remember($1, $5)
    add("truth " $6, $7)
    if ($8 != "nan")
        add("clean " $5 " " $6, $8 - $7)
    if ($9 != "nan")
        add("median " $5 " " $6, $9 - $7)
    add("mean " $5 " " $6, $10 - $7)
    if ($13 != "" && $13 != "nan") {
        total["held", $5] += ($12 <= $7 && $7 <= $13)
        total["intervals", $5]++
    }
}
$1 == "preempt" && $5 != "interrupted" {
    remember("preempted", $6)
    add("truth " $6, $7)
    add("preempt " $5 " " $6, $8)
    add("preempt median " $5 " " $6, $9)
    if ($5 == "alone")
        alone[$6] = $8
    else if (alone[$6])
        add("preempt change " $6, 100 * ($8 / alone[$6] - 1))
}
$1 == "preempt" && $5 == "interrupted" {
    preempt_n += $7
    preempt_of += $8
}
$1 == "crowd" {
    remember("crowds", $6)
    add("crowd " $6, $7)
}
$1 == "fit" {
    add("fit ppm", $8)
    fit_s = $7 / 1e9 > fit_s ? $7 / 1e9 : fit_s
    fit_jumps += $9
    fit_steps += $10
}
$1 == "simulated" {
    remember("worlds", $6 "\t" $5)
    world_hits[$6 "\t" $5] += $7
    world_of[$6 "\t" $5] += $8
}
$1 == "kills" || $1 == "forks" || $1 == "threads" || $1 == "signals" {
    remember("ways", $5)
    for (i = 7; i <= 15; i++)
        total[$5, i] += $i
}
$1 == "nested" {
    remember("inner", $6)
    if ($6 == 0) {
        none_clean = $8
        none_median = $9
    }
    add("region " $6, $8)
    if (none_clean) {
        add("drift " $6, 100 * ($8 / none_clean - 1))
        add("drift median " $6, 100 * ($9 / none_median - 1))
    }
}
$1 == "sort" {
    remember("sorts", $6)
    add("sort off " $6, 100 * ($8 - 1))
    add("sort traced " $6, 100 * ($9 - 1))
    add("sort pass " $6, $10)
    add("sort ns " $6, $7 / 1e6)
}
$1 == "analyse" {
    remember("reads", $5 "\t" $6)
    add("read wall " $5 "\t" $6, 1e9 * $9 / $7)
    add("read cpu " $5 "\t" $6, 1e9 * $10 / $7)
    add("read peak " $5 "\t" $6, $11 / 1048576)
    add("read bytes " $5 "\t" $6, $8 / $7)
    read_wrong += $7 != $5
}
$1 == "branches" {
    branch_blocks++
    branch_right += $7 == $8
    branch_arcs += $9
    branch_every += $10
}
$1 == "aa" && $5 == "session" {
    sessions++
    sessions_some += $6 == "some"
}
$1 == "aa" && $5 != "session" {
    remember("words", $5)
    words[$5]++
    all_words++
    if ($8 != "nan") {
        intervals++
        intervals_hold += $8 <= 1 && 1 <= $9
    }
}
$1 == "off" {
    off_n++
    off_same += $7 == "yes"
}

function cost_table(    i, what) {
    print "## A pass\n"
    print "ns, the median over the rounds of a process, then over processes with its interval at 95 %; `more` is beside the reference in the same rounds. A reading in a row of"
    print "readings, 50 rounds of each in random order in each process; `mean` has what the machine did meanwhile, and making room for more.\n"
    print "| | a pass, ns | more than | ns | mean, ns | processes |\n|---|---|---|---|---|---|"
    for (i = 1; i <= count["cost"]; i++) {
        what = names["cost", i]
        if (what ~ /^bytes_/)
            continue
        summarize(values["ns " what])
        print "| " what " | " with_interval(values["ns " what], 2) " | " (reference[what] == what ? "" : reference[what]) " | " \
            (reference[what] == what ? "" : with_interval(values["more " what], 2)) " | " with_interval(values["mean " what], 1) " | " number " |"
    }
    print "\n| | bytes of an event |\n|---|---|"
    for (i = 1; i <= count["cost"]; i++)
        if (names["cost", i] ~ /^bytes_/)
            print "| " substr(names["cost", i], 7) " | " with_interval(values["ns " names["cost", i]], 2) " |"
    print ""
}

function ladder_table(list,    i, j, rung, order, truth, bound, text, worst) {
    if (list == "ladder") {
        print "## Known times\n"
        print "What is measured less the truth, ns: medians over sessions of the mean without interrupted passages (of `stamps`, four readings of the system's clock, the mean of all); in"
        print "brackets by the median passage. Bold: further away than 2 ns and 2 %.\n"
    } else if (list == "coarse") {
        print "## Known times on a coarse counter\n"
        print "The same program, on a counter whose ticks are rounded down to steps of 26 with a drawn origin (tests/coarse): what libtare reads when it reads it, the words of points when the"
        print "program has ended.\n"
    } else {
        print "## Known times by compiler\n"
        print "The same by ordered readings, of the same program as other compilers make it.\n"
    }
    text = "| links | truth, ns |"
    for (j = 1; j <= count[list]; j++)
        text = text " " names[list, j] " |"
    print text
    gsub(/[^|]+/, "---", text)
    print text
    for (i = 1; i <= count["rungs"]; i++)
        by_length[i] = names["rungs", i]
    sort_numbers(by_length, count["rungs"])
    for (i = 1; i <= count["rungs"]; i++) {
        rung = by_length[i]
        summarize(values["truth " rung])
        truth = middle
        bound = 0.02 * truth > 2 ? 0.02 * truth : 2
        text = "| " rung " | " short(truth) " |"
        for (j = 1; j <= count[list]; j++) {
            order = names[list, j]
            summarize(values[(order == "stamps" ? "mean " : "clean ") order " " rung])
            worst = middle > bound || -middle > bound
            text = text " " (worst ? "**" short(middle) "**" : short(middle))
            if (order != "stamps") {
                summarize(values["median " order " " rung])
                text = text " (" short(middle) ")"
            }
            text = text " |"
        }
        print text
    }
    text = ""
    for (j = 1; j <= count[list]; j++)
        if (total["intervals", names[list, j]])
            text = text (text ? ", " : "") names[list, j] " " total["held", names[list, j]] " of " total["intervals", names[list, j]]
    if (text)
        print "\nIntervals of the mean (95 %) that hold the truth, over all lengths and sessions: " text "."
    print ""
}

function storm_table(    i, k, way, text) {
    print "## What is lost\n"
    print "Passes of which the program had said that they are done, those that are in the files, and what is wrong with them (bench/trace/trace_storm.c says what is counted). `half`: the"
    print "instant struck between a word and its value. `unborn`: killed before there was a head, and before the first pass.\n"
    print "| way | runs | done | found | lost | doubled | crossed | unreadable | unborn | half |\n|---|---|---|---|---|---|---|---|---|---|"
    for (i = 1; i <= count["ways"]; i++) {
        way = names["ways", i]
        text = "| " way " |"
        for (k = 7; k <= 15; k++)
            text = text " " sprintf("%d", total[way, k]) " |"
        print text
    }
    print ""
}

function middle_of(mean, median,    text) {
    summarize(values["preempt " mean])
    text = short(middle)
    summarize(values["preempt " median])
    return text " (" short(middle) ")"
}

function preempt_table(    i, rung, n) {
    print "## Crowded CPUs\n"
    print "Twice as many programs that only spin as there are CPUs, beside the traced one; means without interrupted passages (in brackets the median passage), in the same block without them, and"
    print "how far they move. " preempt_of " of " preempt_n " passages in crowded sessions were interrupted. How long a thread was off its CPU in one is not known: the kernel tells that to nobody who has no rights.\n"
    print "| links | truth, ns | alone, ns | crowded, ns | change, % |\n|---|---|---|---|---|"
    n = count["preempted"]
    for (i = 1; i <= n; i++)
        by_length[i] = names["preempted", i]
    sort_numbers(by_length, n)
    for (i = 1; i <= n; i++) {
        rung = by_length[i]
        summarize(values["truth " rung])
        print "| " rung " | " short(middle) " | " middle_of("alone " rung, "median alone " rung) " | " middle_of("crowded " rung, "median crowded " rung) " | " \
            with_interval(values["preempt change " rung], 2) " |"
    }
    print ""
}

function crowd_table(    i) {
    print "## Many threads\n"
    print "CPU time of a pass, ns, with the drawing of the next of sixteen points and making room in it, by threads of one process.\n"
    print "| threads | ns |\n|---|---|"
    for (i = 1; i <= count["crowds"]; i++)
        print "| " names["crowds", i] " | " with_interval(values["crowd " names["crowds", i]], 2) " |"
    print ""
}

function fit_table() {
    print "## The clocks\n"
    print "One run of " figure(fit_s, 0) " s: the worst moment lies " with_interval(values["fit ppm"], 3) " ppm off the line through the moments (one in each segment) at which both clocks were read; " fit_jumps " jumps, " fit_steps " steps.\n"
}

function simulated_table(    i, key, part) {
    print "## Intervals and words, simulated\n"
    print "Seeded sessions whose truth is known (tests/analyse/arcs_sim_test.c). `fixed` and `looks`: in how many the interval of the mean holds it, of 95 % promised, and at least 93 with looks;"
    print "`equal`: how many call equal programs different, of 5 % promised.\n"
    print "| | world | sessions | | % |\n|---|---|---|---|---|"
    for (i = 1; i <= count["worlds"]; i++) {
        key = names["worlds", i]
        split(key, part, "\t")
        print "| " part[1] " | " part[2] " | " world_of[key] " | " world_hits[key] " | " figure(100 * world_hits[key] / world_of[key], 2) " |"
    }
    print ""
}

function nested_table(    i, inner) {
    print "## A region with points in it\n"
    print "A region of 20 000 links, cut by points: its time from the sum of its arcs, without interrupted passages, and how far that moves from the region without inner points in the"
    print "same block, in %; also by the medians of arcs.\n"
    print "| inner points | region, ns | drift, % | by medians, % |\n|---|---|---|---|"
    for (i = 1; i <= count["inner"]; i++) {
        inner = names["inner", i]
        print "| " inner " | " with_interval(values["region " inner], 0) " | " with_interval(values["drift " inner], 2) " | " with_interval(values["drift median " inner], 2) " |"
    }
    print ""
}

function sort_table(    i, n) {
    print "## A sort with points\n"
    print "A merge sort, two points in each merge above a size; the same numbers without points, with points off and traced, in turns.\n"
    print "| passes | without points, ms | off, % longer | traced, % longer | ns a pass |\n|---|---|---|---|---|"
    for (i = 1; i <= count["sorts"]; i++) {
        n = names["sorts", i]
        print "| " n " | " with_interval(values["sort ns " n], 1) " | " with_interval(values["sort off " n], 2) " | " with_interval(values["sort traced " n], 2) " | " \
            with_interval(values["sort pass " n], 1) " |"
    }
    print ""
}

function read_table(    i, what) {
    print "## The reader\n"
    print "Sixteen points in random order (256 arcs) passed by four threads, all sums of all arcs; the file lies in memory.\n"
    print "| events | workers | ns an event | CPU, ns | peak memory, MiB | bytes an event |\n|---|---|---|---|---|---|"
    for (i = 1; i <= count["reads"]; i++) {
        what = names["reads", i]
        print "| " substr(what, 1, index(what, "\t") - 1) " | " substr(what, index(what, "\t") + 1) " | " with_interval(values["read wall " what], 2) " | " \
            with_interval(values["read cpu " what], 2) " | " with_interval(values["read peak " what], 1) " | " with_interval(values["read bytes " what], 2) " |"
    }
    if (read_wrong)
        print "\n**In " read_wrong " of them the number of events was not that which was passed.**"
    print ""
}

function rest(    i) {
    print "## Paths, words, intervals, nothing\n"
    print "| | of | |\n|---|---|---|"
    if (branch_blocks) {
        print "| sessions whose runs take random paths: all passages counted exactly | " branch_blocks " | " branch_right " |"
        print "| arcs of them, and those that every run took | " branch_arcs " | " branch_every " |"
    }
    for (i = 1; i <= count["words"]; i++)
        print "| a program against itself: `" names["words", i] "` | " all_words " | " words[names["words", i]] " |"
    if (sessions)
        print "| sessions of them with any word of difference | " sessions " | " sessions_some " |"
    if (intervals)
        print "| intervals of their ratios that hold 1 | " intervals " | " intervals_hold " (" figure(100 * intervals_hold / intervals, 1) " %) |"
    if (off_n)
        print "| objects with points compiled out, the same to the byte as without | " off_n " | " off_same " |"
    print ""
}

END {
    if (!last) {
        print "There is nothing yet."
        exit
    }
    print version "."
    print "Load of the machine meanwhile: " least " to " most "; said of it: " all_labels ".\n"
    if (lines["cost"])
        cost_table()
    if (lines["ladder"])
        ladder_table("ladder")
    if (lines["coarse"])
        ladder_table("coarse")
    if (lines["compilers"])
        ladder_table("compilers")
    if (count["ways"])
        storm_table()
    if (lines["crowd"])
        crowd_table()
    if (lines["preempt"])
        preempt_table()
    if (lines["fit"])
        fit_table()
    if (lines["simulated"])
        simulated_table()
    if (lines["nested"])
        nested_table()
    if (lines["sort"])
        sort_table()
    if (lines["analyse"])
        read_table()
    if (lines["branches"] + lines["aa"] + lines["off"])
        rest()
}
