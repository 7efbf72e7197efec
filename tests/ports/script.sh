# shellcheck shell=sh disable=SC2034 # variables of the scripts that read this
# SPDX-License-Identifier: MIT
# What the tests of engines have in common: they go on behind a failure, and wait for what others do.
failed=0

fail() {
    echo "FAILED: $*"
    failed=1
}

expect() { # WHAT EXPECTED GOT
    [ "$2" = "$3" ] || fail "$1: expected $2, got $3"
}

wait_for() { # SECONDS COMMAND...: until it holds
    tries=$(($1 * 10))
    shift
    until "$@"; do
        tries=$((tries - 1))
        [ $tries -gt 0 ] || return 1
        sleep 0.1
    done
}
