# SPDX-License-Identifier: MIT
# Draws what a command printed in a terminal as SVG: awk -v command=TEXT -v columns=NUM -f tools/screen_svg.awk. It knows the colours that tare sets (src/render/style.c).
function escaped(text) {
    gsub(/&/, "\\&amp;", text)
    gsub(/</, "\\&lt;", text)
    gsub(/>/, "\\&gt;", text)
    return text
}

function span(class, text) {
    return text == "" ? "" : class == "" ? escaped(text) : "<tspan class=\"" class "\">" escaped(text) "</tspan>"
}

function drawn(line,    out, class, codes) {
    while (match(line, /\033\[[0-9;]*m/)) {
        out = out span(class, substr(line, 1, RSTART - 1))
        codes = substr(line, RSTART + 2, RLENGTH - 3)
        class = codes == "1" ? "b" : codes == "2" ? "d" : codes == "1;32" ? "b g" : codes == "1;31" ? "b r" : ""
        line = substr(line, RSTART + RLENGTH)
    }
    return out span(class, line)
}

{ lines[++n] = drawn($0) }

END {
    width = columns * 8.43 + 32
    height = (n + 1) * 19 + 28
    printf "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" role=\"img\">\n", width, height, width, height
    printf "<title>%s</title>\n", escaped("$ " command)
    print "<style>"
    print "  rect { fill: #16191d } text { fill: #d8dde3; font: 14px ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace; white-space: pre }"
    print "  .b { font-weight: bold; fill: #fff } .d { fill: #8a939e } .g { fill: #5fd38d } .r { fill: #ff7b72 }"
    print "</style>"
    printf "<rect width=\"100%%\" height=\"100%%\" rx=\"6\"/>\n"
    printf "<text x=\"16\" y=\"28\" xml:space=\"preserve\">%s</text>\n", span("d", "$ ") escaped(command)
    for (i = 1; i <= n; i++)
        if (lines[i] != "")
            printf "<text x=\"16\" y=\"%d\" xml:space=\"preserve\">%s</text>\n", 28 + 19 * i, lines[i]
    print "</svg>"
}
