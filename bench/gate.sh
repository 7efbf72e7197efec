#!/bin/sh
# SPDX-License-Identifier: MIT
# How often a gate answers right. Prints Markdown; docs/how-it-works/gate.md holds one run of it.
#
#   ./dev bench gate --simulated [GATES [SLOWER [QUALIFIED]]]      bench/gate.sh BUILD-FOLDER --simulated ...
#
# --simulated: gates on simulated machines (tests/analyse/gate_world.h): GATES for each row without a slowdown (3334: 10 000 over the three machines), SLOWER for each
# with one, and QUALIFIED for each of gates that 19 others qualified. Some two hours of one processor with the defaults.
set -eu
cd "$(dirname "$0")/.."
build=$(cd "$1" && pwd)
shift
[ "${1:-}" = --simulated ] || {
    echo "gate.sh: --simulated is what there is" >&2
    exit 2
}
shift
echo "Machine: $(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -1), $(nproc) CPUs, kernel $(uname -r), $(date -u +%Y-%m-%d)." \
    "tare $("$build/cli/tare" --version | awk 'NR == 1 { print $NF }'), ${1:-3334} gates for a row without a slowdown."
echo
exec "$build/bench/gate_simulated" "${1:-3334}" "${2:-1000}" "${3:-200}"
