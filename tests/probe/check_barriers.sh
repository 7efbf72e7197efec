#!/bin/sh
# SPDX-License-Identifier: MIT
# The barriers of tare/bench.h in the machine code of tests/probe/barriers.c: by gcc and clang, at each level, by link-time optimisation. Of each case the instruction
# is in a loop of kept_NAME and not in one of gone_NAME. A loop is what lies between a jump backwards and where it goes.
#
#   tests/probe/check_barriers.sh FOLDER      exit 77: no compiler or no objdump is there, or the processor is neither x86-64 nor aarch64
set -eu
work=$1
cd "$(dirname "$0")/../.."
mkdir -p "$work"
command -v objdump >/dev/null || exit 77
case $(uname -m) in x86_64 | aarch64) ;; *) exit 77 ;; esac

check() { # PROGRAM
    objdump -d --no-show-raw-insn "$1" >"$work/text"
    sed -n 's/^CASE(\([a-z_]*\), "\([a-z_]*\)".*/\1 \2/p' tests/probe/barriers.c >"$work/cases"
    awk '
        BEGIN {
            means["multiply"] = "^(imul|mul|mulx|madd)[lq]?$"
            means["multiply_double"] = "^(v?mul[sp]d|fmul)$"
            means["multiply_float"] = "^(v?mul[sp]s|fmul)$"
        }
        function number(hex,  i, n) {
            n = 0
            for (i = 1; i <= length(hex); i++)
                n = n * 16 + index("0123456789abcdef", substr(hex, i, 1)) - 1
            return n
        }
        FNR == NR { wanted[$1] = $2; names[++cases] = $1; next }
        /^[0-9a-f]+ <.*>:$/ { f = $2; gsub(/[<>:]/, "", f); n[f] = 0; next }
        f != "" && /^ *[0-9a-f]+:\t/ {
            at = $1; sub(/:/, "", at)
            i = ++n[f]
            where[f, i] = number(at); what[f, i] = $2
            if ($2 ~ /^(j|b|cb|tb)/ && match($0, /[ ,][0-9a-f]+ </))
                to[f, i] = number(substr($0, RSTART + 1, RLENGTH - 3))
        }
        function looped(f, pattern,  i, k) {
            for (i = 1; i <= n[f]; i++)
                if ((f, i) in to && to[f, i] <= where[f, i])
                    for (k = 1; k <= n[f]; k++)
                        if (where[f, k] >= to[f, i] && where[f, k] <= where[f, i] && what[f, k] ~ pattern)
                            return 1
            return 0
        }
        END {
            for (c = 1; c <= cases; c++) {
                name = names[c]
                if (!n["kept_" name] || !n["gone_" name] || !(wanted[name] in means)) {
                    print "BAD " name " is not there"; bad++
                    continue
                }
                kept = looped("kept_" name, means[wanted[name]]); gone = !looped("gone_" name, means[wanted[name]])
                print (kept && gone ? "ok  " : "BAD "), name, kept ? "kept" : "LOST", gone ? "" : "(and kept without a barrier)"
                bad += !(kept && gone)
            }
            print cases " cases, " bad + 0 " bad"
            exit bad > 0 || cases < 20
        }' "$work/cases" "$work/text"
}

built=0
for compiler in gcc clang; do
    command -v "$compiler" >/dev/null || continue
    for flags in -O2 -O3 "-O2 -flto" "-O3 -flto"; do
        program=$work/barriers_$compiler$(printf '%s' "$flags" | tr -d ' ')
        # shellcheck disable=SC2086 # words
        "$compiler" -std=c17 -w $flags -Iinclude tests/probe/barriers.c -o "$program" 2>"$program.txt" || { cat "$program.txt" && exit 1; }
        echo "-- $compiler $flags"
        check "$program"
        built=$((built + 1))
    done
done
[ "$built" -gt 0 ] || exit 77
