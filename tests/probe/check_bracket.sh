#!/bin/sh
# SPDX-License-Identifier: MIT
# Between the two readings around a single call there is the call, and what moves the first reading and the arguments into place: no branch, no
# other call, no access to memory.
#
#   tests/probe/check_bracket.sh ARCHIVE OBJDUMP      exit 77: not this processor, or there is no objdump
set -eu
archive=$1
objdump=$2
[ "$(uname -m)" = x86_64 ] && command -v "$objdump" >/dev/null || exit 77
"$objdump" -d --no-show-raw-insn "$archive" | awk '
    /<(bracket|fenced)_once>:/ { inside = 1; between = 0 }
    inside && /\trdtscp? *$/ && between { inside = between = 0; closed++; next }
    inside && /\trdtsc *$/ { between = 1; next }
    between && /\tcall / { calls++; next }
    between && /\(/ { print "touches memory: " $0; bad = 1 }
    between && !/\t(mov|shl|or|lfence)/ { print "not expected here: " $0; bad = 1 }
    END {
        if (closed != 2) { print closed + 0 " brackets, not 2"; exit 1 }
        if (calls != 2) { print calls + 0 " calls, not 2"; exit 1 }
        exit bad
    }'
