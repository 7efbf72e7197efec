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
    /<bracket_once>:/ { inside = 1 }
    inside && /\trdtsc *$/ { between = 1; next }
    inside && /\trdtscp *$/ { closed = between; exit }
    between && /\tcall / { calls++; next }
    between && /\(/ { print "touches memory: " $0; bad = 1 }
    between && !/\t(mov|shl|or|lfence)/ { print "not expected here: " $0; bad = 1 }
    END {
        if (!closed) { print "no bracket was found"; exit 1 }
        if (calls != 1) { print calls + 0 " calls, not 1"; exit 1 }
        exit bad
    }'
