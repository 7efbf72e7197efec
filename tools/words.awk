# SPDX-License-Identifier: MIT
# Word-like text, the same on every machine: syllables make 4096 words, a few of them frequent. About BYTES bytes.
#
#   awk -v bytes=20000000 -f tools/words.awk
#
# The generator is Park and Miller's (1988): its products stay below 2^53, so any awk computes them exactly.
function random() {
    state = (state * 16807) % 2147483647
    return state
}

function new_word(    text, syllables) {
    for (syllables = 1 + random() % 4; syllables > 0; syllables--)
        text = text substr("bcdfghklmnprstvz", 1 + random() % 16, 1) substr("aeiou", 1 + random() % 5, 1)
    return text
}

BEGIN {
    state = 20261121
    for (i = 0; i < 4096; i++)
        word[i] = new_word()
    while (written < bytes) {
        share = random() / 2147483647
        line = line word[int(4096 * share * share * share)] " "
        if (length(line) > 60) {
            print line
            written += length(line) + 1
            line = ""
        }
    }
}
