# SPDX-License-Identifier: MIT
# The string literals of C sources, those that stand side by side as one: FILE:LINE:TEXT. Comments, includes, assertions and texts without a blank,
# which are names, are left out.
#
#   awk -f tools/visible_strings.awk src/base/*.c

function flush_text() {
    gsub(/\\[nt]/, " ", text)
    if (text ~ /[^ ] +[^ ]/)
        print file ":" line ":" text
    text = ""
}

FNR == 1 {
    flush_text()
    file = FILENAME
    comment = 0
}

/^ *#|^_Static_assert/ { next }

{
    rest = $0
    while (rest != "") {
        if (comment) {
            end = index(rest, "*/")
            rest = end ? substr(rest, end + 2) : ""
            comment = !end
        } else if (match(rest, /^[ \t]+/)) {
            rest = substr(rest, RLENGTH + 1)
        } else if (substr(rest, 1, 2) == "/*") {
            comment = 1
            rest = substr(rest, 3)
        } else if (match(rest, /^"([^"\\]|\\.)*"/)) {
            if (text == "")
                line = FNR
            text = text substr(rest, 2, RLENGTH - 2)
            rest = substr(rest, RLENGTH + 1)
        } else {
            flush_text()
            match(rest, /^('([^'\\]|\\.)*'|[A-Za-z0-9_]+|.)/)
            rest = substr(rest, RLENGTH + 1)
        }
    }
}

END { flush_text() }
