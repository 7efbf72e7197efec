# SPDX-License-Identifier: MIT
# Records of tare in, the talk's two tables, a scan over the depth, and its lessons held against them out, as Markdown.
#
#   awk -v lines=N -v where=TEXT -f tables.awk hashed.txt RECORD...     called by demo.sh, which names the records
#
# Figures and verdicts are tare's; here they are only laid out. A comparison holds ln(ratio to the array).

function field(name,    at) { # of the line at hand; "" where there is none, "null" as it stands
    at = index($0, "\"" name "\":")
    if (!at) return ""
    text = substr($0, at + length(name) + 3)
    sub(/^"/, "", text)
    sub(/["},].*/, "", text)
    return text
}

function known(text) { return text != "" && text != "null" }

FNR == 1 { session = FILENAME; sub(/.*\//, "", session); sub(/\.jsonl$/, "", session) }
session == "hashed.txt" { hashed[$1] = $2 }
/^{"type":"estimate"/ {
    key = session SUBSEP field("subject") SUBSEP field("metric") SUBSEP field("statistic")
    point[key] = field("point"); low[key] = field("low"); high[key] = field("high"); n[key] = field("n")
}
/^{"type":"comparison"/ {
    key = session SUBSEP field("subject")
    verdict[key] = field("verdict"); shift[key] = field("shift"); from[key] = field("low"); to[key] = field("high")
}
/^{"type":"finding"/ && field("severity") == "warning" { if (!warnings[field("id")]++) kinds[++count] = field("id") }

function figure(x, like) { # three digits of `like`
    like = like < 0 ? -like : like
    return sprintf(like < 0.9995 ? "%.3f" : like < 9.995 ? "%.2f" : like < 99.95 ? "%.1f" : "%.0f", x)
}

function bound(x, scale, like) { return known(x) ? figure(x / scale, like) : "?" }

function estimate(session, subject, metric, statistic, scale,    key, like) {
    key = session SUBSEP subject SUBSEP metric SUBSEP statistic
    if (!known(point[key])) return "not measured"
    like = point[key] / scale
    if (!known(low[key]) && !known(high[key])) return figure(like, like) " (no interval)"
    return figure(like, like) " [" bound(low[key], scale, like) ", " bound(high[key], scale, like) "]"
}

function alone(session, subject, metric,    key) { # the median in ms, without its interval
    key = session SUBSEP subject SUBSEP metric SUBSEP "median"
    return known(point[key]) ? figure(point[key] / 1e6, point[key] / 1e6) : "?"
}

function width(session, subject, metric,    key) {
    key = session SUBSEP subject SUBSEP metric SUBSEP "mean"
    if (!known(point[key])) return "not measured"
    if (!known(low[key]) || !known(high[key]) || point[key] <= 0) return "no interval, n = " n[key]
    return figure(100 * (high[key] - low[key]) / point[key], 100 * (high[key] - low[key]) / point[key]) " %, n = " n[key]
}

function ratio(x) { return known(x) ? figure(exp(x), exp(x)) : "?" }

function percent(x) { return known(x) ? sprintf("%.1f", 100 * (exp(x) - 1)) : "?" }

function signed(x,    text) {
    text = sprintf("%+.1f", 100 * (exp(x) - 1))
    sub(/^-/, "−", text)
    return known(x) ? text : "?"
}

# "3.21× faster (3.10–3.35)", below 10 % "3.1 % slower (2.4–3.8)", without a proven sign "undecided, +1.0 % (−0.8 to +2.6)": as tare prints them
function against(session, subject, less, more,    key, word, x, lower, upper) {
    key = session SUBSEP subject
    word = verdict[key]
    if (word == "") return "not measured"
    if (!known(shift[key])) return word
    x = shift[key]; lower = from[key]; upper = to[key]
    if (word !~ /^(faster|slower|lower|higher)$/)
        return word ", " signed(x) " % (" signed(lower) " to " signed(upper) ")"
    if (x < 0) { x = -shift[key]; lower = known(to[key]) ? -to[key] : ""; upper = known(from[key]) ? -from[key] : "" }
    word = shift[key] < 0 ? less : more
    if (x >= log(1.1)) return ratio(x) "× " word " (" ratio(lower) "–" ratio(upper) ")"
    return percent(x) " % " word " (" percent(lower) "–" percent(upper) ")"
}

function time_against(session, subject) { return against(session, subject, "faster", "slower") }
function memory_against(session, subject) { return against(session, subject, "less", "more") }

function row(first, rest) { print "| " first " | " rest " |" }

function time_table(    i) {
    print "### Time, answer at 5 %, in ms\n"
    row("", "single runs | Startup: mean [95 %] | width | Steady: mean [95 %] | width | tare: median [95 %] | against `array` | CPU time")
    print "|:---|---:|---:|---:|---:|---:|---:|:---|---:|"
    for (i = 0; i < 4; i++)
        row("`" name[i] "`", alone("single-1", i, "wall") ", " alone("single-2", i, "wall") ", " alone("single-3", i, "wall") " | " \
            estimate("startup", i, "wall", "mean", 1e6) " | " width("startup", i, "wall") " | " \
            estimate("steady", i, "ns", "mean", 1e6) " | " width("steady", i, "ns") " | " \
            estimate("time-5", i, "wall", "median", 1e6) " | " \
            (i ? time_against("time-5", i) : "reference") " | " alone("time-5", i, "cpu"))
    print "\nStartup and tare measure the program from its start to its end. Steady is the search alone, in a process that repeats it until its times settle."
}

function memory_table(    i) {
    print "\n### Peak memory, answer at 5 %, in MB\n"
    row("", "Startup: mean [95 %] | width | tare: median [95 %] | against `array`")
    print "|:---|---:|---:|---:|:---|"
    for (i = 0; i < 4; i++)
        row("`" name[i] "`", estimate("memory-startup", i, "rss", "mean", 1e6) " | " width("memory-startup", i, "rss") " | " \
            estimate("memory-5", i, "rss", "median", 1e6) " | " (i ? memory_against("memory-5", i) : "reference"))
}

function depth_table(    i) {
    print "\n### Time by the depth of the answer: median in ms, and against `array` at the same depth\n"
    row("", "5 % | | 50 % | | absent |")
    print "|:---|---:|:---|---:|:---|---:|:---|"
    for (i = 0; i < 4; i++)
        row("`" name[i] "`", depth_cell("time-5", i) " | " depth_cell("time-50", i) " | " depth_cell("time-absent", i))
}

function depth_cell(session, subject) {
    return estimate(session, subject, "wall", "median", 1e6) " | " (subject ? time_against(session, subject) : "")
}

# Do the ratios at 5 % and with an absent answer differ beyond their intervals?
function gain_shrinks(subject,    early, late) {
    early = "time-5" SUBSEP subject
    late = "time-absent" SUBSEP subject
    if (!known(to[early]) || !known(from[late])) return "Not answered here: an interval has no bound."
    if (to[early] + 0 < from[late] + 0) return "Yes: the intervals at 5 % and without an answer lie apart; streaming gains more where the match comes early."
    if (to[late] + 0 < from[early] + 0) return "No: here streaming gains more when there is no match at all."
    return "Not shown here: the intervals at 5 % and without an answer overlap."
}

function largest(    i, best) { # median at 5 %
    best = 0
    for (i = 1; i < 4; i++)
        if (point["time-5", i, "wall", "median"] + 0 > point["time-5", best, "wall", "median"] + 0) best = i
    return name[best]
}

function lessons() {
    print "\n### The talk's lessons, and what was found here\n"
    print "1. *Streaming is 3 times faster and 44 times smaller.* Here, against `array`: time " time_against("time-5", 1) "; memory " memory_against("memory-5", 1) "."
    print "2. *Because the match comes early.* `stream` against `array` in time: at 5 % " time_against("time-5", 1) "; at 50 % " \
        time_against("time-50", 1) "; absent " time_against("time-absent", 1) ". " gain_shrinks(1)
    print "3. *The parallel one is the slowest, because it does not stop.* The largest median is that of `" largest() "`. Words hashed: `stream` " hashed["stream"] \
        ", `threads` " hashed["threads"] ", `threads-stop` " hashed["threads-stop"] ". Against `array`: `threads` " time_against("time-5", 2) \
        "; `threads-stop` " time_against("time-5", 3) "."
    print "4. *So the depth decides.* With the answer absent, where nothing can stop early: `threads` " time_against("time-absent", 2) \
        "; `threads-stop` " time_against("time-absent", 3) "."
}

function remarks(    i, list) {
    for (i = 1; i <= count; i++) list = list (i > 1 ? ", " : "") kinds[i] " (" warnings[kinds[i]] ")"
    printf "\nMachine: %s; %s lines. ", where, lines
    print count ? "tare's warnings about these sessions, by kind: " list "; `tare show` of the records prints them in full." : "tare had no warning."
}

END {
    split("array stream threads threads-stop", names, " ")
    for (i = 0; i < 4; i++) name[i] = names[i + 1]
    time_table()
    memory_table()
    depth_table()
    lessons()
    remarks()
}
