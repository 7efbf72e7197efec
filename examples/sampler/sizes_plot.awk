# SPDX-License-Identifier: MIT
# sizes.csv as a picture: awk -F, -v caches="L1d:32768 L2:2097152" -v title=TEXT -f sizes_plot.awk sizes.csv >sizes.svg
#
# x: bytes of the array, y: ns for each number, both by octaves. A line for each column behind the second, named by the heading.
NR == 1 {
    for (i = 3; i <= NF; i++)
        name[i - 2] = $i
    lines = NF - 2
    next
}
{
    x[++n] = log($2) / log(2)
    for (i = 1; i <= lines; i++) {
        v = $(i + 2)
        y[i, n] = v > 0 ? log(v) / log(2) : 0
        top = n + i == 2 || y[i, n] > top ? y[i, n] : top
        least = n + i == 2 || y[i, n] < least ? y[i, n] : least
    }
}

function bytes(b) {
    return b >= 1048576 ? sprintf("%g MiB", b / 1048576) : b >= 1024 ? sprintf("%g KiB", b / 1024) : b " B"
}

function at_x(v) {
    return left + (v - low) / (high - low) * width
}

function at_y(v) {
    return above + height - (v - least) / (top - least) * height
}

function text(px, py, anchor, what) {
    printf "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>\n", px, py, anchor, what
}

END {
    if (n < 2) {
        print "sizes_plot.awk: fewer than two sizes" >"/dev/stderr"
        exit 1
    }
    left = 60; above = 40; width = 640; height = 300
    low = int(x[1]); high = int(x[n]) + 1
    least = int(least + 1000) - 1000
    top = int(top + 1000) - 999
    split("#1b6ca8 #c4452b #3c8d40 #7a4fa3", colour, " ")
    print "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"760\" height=\"" above + height + 60 + 18 * lines "\" font-family=\"sans-serif\" font-size=\"12\">"
    print "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>"
    text(left, 14, "start", title)
    for (v = least; v <= top; v++) {
        printf "<path d=\"M%.1f %.1fH%.1f\" stroke=\"#ddd\"/>\n", left, at_y(v), left + width
        text(left - 6, at_y(v) + 4, "end", sprintf("%g", 2 ^ v))
    }
    for (v = low; v <= high; v += 2)
        text(at_x(v), above + height + 16, "middle", bytes(2 ^ v))
    text(left + width / 2, above + height + 34, "middle", "the array")
    text(8, above - 8, "start", "ns a number")
    marks = split(caches, mark, " ")
    for (i = 1; i <= marks; i++) {
        split(mark[i], part, ":")
        v = part[2] > 0 ? log(part[2]) / log(2) : 0
        if (v < low || v > high)
            continue
        printf "<path d=\"M%.1f %.1fV%.1f\" stroke=\"#888\" stroke-dasharray=\"4 3\"/>\n", at_x(v), above, above + height
        text(at_x(v) + 3, above + 10, "start", part[1] " " bytes(part[2]))
    }
    for (i = 1; i <= lines; i++) {
        printf "<path fill=\"none\" stroke=\"%s\" stroke-width=\"2\" d=\"", colour[i]
        for (k = 1; k <= n; k++)
            printf "%s%.1f %.1f", (k > 1 ? "L" : "M"), at_x(x[k]), at_y(y[i, k])
        print "\"/>"
        printf "<rect x=\"%d\" y=\"%d\" width=\"12\" height=\"12\" fill=\"%s\"/>\n", left, above + height + 32 + 18 * i, colour[i]
        text(left + 18, above + height + 42 + 18 * i, "start", name[i])
    }
    print "</svg>"
}
