# SPDX-License-Identifier: MIT
# One source file with points in it: awk -v file=NAME -f insert_points.awk TABLE FILE >FILE-WITH-POINTS
#
# A line of the table is NAME, what a line of that file holds, and what comes in its place, apart by tabs; & in the last stands for what was found.
# Lines that begin with # and empty ones are passed over. Each must be found once, and once only: a source that has changed is said to have. Points
# go into lines that are there, so that every line keeps its number.
BEGIN { FS = "\t" }
FNR == NR {
    if ($0 !~ /^#/ && NF == 3 && $1 == file) {
        what[++n] = $2
        text[n] = $3
    } else if ($0 !~ /^#/ && NF && NF != 3) {
        print FILENAME ":" FNR ": three fields apart by tabs" >"/dev/stderr"
        bad = 1
    }
    next
}
{
    for (i = 1; i <= n; i++)
        if (at = index($0, what[i])) {
            with = text[i]
            out = ""
            while (mark = index(with, "&")) {
                out = out substr(with, 1, mark - 1) what[i]
                with = substr(with, mark + 1)
            }
            $0 = substr($0, 1, at - 1) out with substr($0, at + length(what[i]))
            found[i]++
        }
    print
}
END {
    for (i = 1; i <= n; i++)
        if (found[i] != 1) {
            print file ": " (found[i] + 0) " lines with '" what[i] "', one is meant" >"/dev/stderr"
            bad = 1
        }
    exit bad
}
