#!/bin/sh
# SPDX-License-Identifier: MIT
# What `tare system` is worth: what show costs, whether tune and reset leave a trace on machines of many kinds, also after a kill at each system call that
# writes, and what tuning gains on this machine. Prints Markdown; docs/archive/system.md holds one run of it.
#
#   ./dev bench system [--machine] [PART...]      bench/system.sh BUILD-FOLDER [--machine] [PART...]; some three minutes; a PART is a function below
#
# Without --machine nothing of this machine is changed: the machines are trees of files (tests/system/trees). With it, and as root, this machine is tuned for
# some seconds and put back: other programs then have one CPU less.
set -eu
cd "$(dirname "$0")/.."
build=$PWD/$1
shift
here=no
parts=
while [ $# -gt 0 ]; do
    case $1 in
    --machine) here=yes ;;
    tune_and_reset | kill_everywhere | reboot | conflict | fixed_interrupts | exit_codes | command_lines | chosen | governors | cost_of_show) parts="$parts $1" ;;
    *) echo "system.sh: '$1' is not known" >&2 && exit 2 ;;
    esac
    shift
done
tare=$build/cli/tare
layout=${layout:-$build/tests/cli/machine} # of a build with tests
work=$build/bench/work-system
rm -rf "$work" && mkdir -p "$work" && cd "$work"
ordinary=
[ "$(id -u)" != 0 ] || ordinary='setpriv --reuid=65534 --regid=65534 --clear-groups'

row() { # TEST WHAT FOUND REPORTED
    echo "| $1 | $2 | $3 | $4 |"
}

value() { # KEY FILE: of the first member of that name in pretty JSON
    sed -n "s/^ *\"$1\": \(.*[^,]\),*\$/\1/p" "$2" | head -n 1 | tr -d '"'
}

fresh() { # NAME: `tree` and a copy of it
    rm -rf tree before
    "$layout" "$1" tree
    cp -a tree before
}

differing() { # files of `tree` that are not as before; what tare keeps for itself aside
    rm -rf tree/var
    diff -rq before tree | wc -l
}

machines='acpi-cpufreq amd-active amd-passive arm-cppc bare-vm big-little container cpus-128 cpus-1536 holes hostile hybrid intel-hwp intel-passive one-cpu partition-invalid'

quiet() {
    "$tare" system "$@" --sysroot tree --style none
}

tune_and_reset() {
    total=0 changed=0 count=0
    for name in $machines; do
        fresh "$name"
        quiet tune --export-json tuned.json || true
        changed=$((changed + $(grep -c '"outcome": "made"' tuned.json || true)))
        [ $((count % 2)) = 0 ] || quiet tune || true # every other machine twice
        quiet reset || true
        total=$((total + $(differing)))
        count=$((count + 1))
    done
    row 'T1, T3' "tune, on every other one twice, then reset: $count machines, $changed changes; files differing from the start" "$total" '4'
}

kill_everywhere() {
    if ! command -v strace >/dev/null; then
        row T2 'kill -9 at each write of a tuner, then reset: files differing' 'not measured: no strace here' 'constants are written'
        return
    fi
    total=0 kills=0
    for name in acpi-cpufreq bare-vm; do
        for call in write fdatasync; do
            n=1
            while [ $n -le 200 ]; do
                fresh "$name"
                code=0
                strace -o /dev/null -P "$PWD/tree/var/lib/tare/journal" -e inject=$call:signal=KILL:when=$n "$tare" system tune --sysroot tree --style none \
                    2>/dev/null || code=$?
                quiet reset || true
                total=$((total + $(differing)))
                [ $code = 137 ] || break # it came to its end before that
                kills=$((kills + 1))
                n=$((n + 1))
            done
        done
    done
    row T2 "kill -9 at each write and each flush of its journal, so before and after every change: $kills kills on two machines, then reset; files differing" "$total" \
        'constants are written'
}

reboot() {
    fresh arm-cppc
    mkdir -p tree/proc/sys/kernel/random
    echo 11111111-1111-1111-1111-111111111111 >tree/proc/sys/kernel/random/boot_id
    quiet tune
    echo 22222222-2222-2222-2222-222222222222 >tree/proc/sys/kernel/random/boot_id
    rm -rf tuned && cp -a tree tuned
    quiet reset
    rm -rf tree/var tuned/var
    row T4 'reset after a reboot: files written' "$(diff -rq tuned tree | wc -l)" 'all'
}

conflict() {
    fresh arm-cppc
    quiet tune
    echo 60 >tree/proc/sys/vm/stat_interval
    code=0
    quiet reset || code=$?
    row T5 'a value that somebody else changed in between' "kept: $(cat tree/proc/sys/vm/stat_interval), exit $code" 'overwritten'
}

fixed_interrupts() {
    fresh acpi-cpufreq
    quiet tune --only irq-affinity --export-json tuned.json
    made=$(grep -c '"outcome": "made"' tuned.json)
    row T6 'interrupts moved, with one that the kernel keeps' "$made of $made that can be, 1 named as the kernel's" '11 of 18'
}

exit_codes() {
    fresh bare-vm
    codes=
    for word in show tune reset; do
        code=0
        quiet $word || code=$?
        codes="$codes${codes:+/}$code"
    done
    row T7 'exit codes of show/tune/reset in a virtual machine' "$codes" '2/1/1'
}

command_lines() {
    bad=0
    for line in rcu_nocbs=all rcu_nocbs=1-N isolcpus=0-3:1/2 isolcpus=managed_irq,domain,1-3 'nohz_full=1-3 rcu_nocbs=1-3' isolcpus=nohz,1,3; do
        fresh acpi-cpufreq
        echo "root=/dev/sda1 $line" >tree/proc/cmdline
        code=0
        quiet show || code=$?
        [ $code -le 1 ] || bad=$((bad + 1))
    done
    row T8 'of six legal command lines of the kernel, those that show fails on' $bad 5
}

chosen() {
    fresh acpi-cpufreq
    quiet tune --export-json tuned.json
    row T9 'no CPU named or isolated: the one chosen, and the masks of interrupts after' \
        "CPU $(value bench tuned.json), masks of $(value housekeeping tuned.json) only ($(cat tree/proc/irq/default_smp_affinity))" 'all CPUs'
}

governors() {
    found=
    for name in acpi-cpufreq intel-passive intel-hwp; do
        fresh "$name"
        quiet tune --export-json tuned.json
        governor=$(sed -n 's/^ *"path": "\(.*scaling_governor\)",$/\1/p' tuned.json | head -n 1)
        tuned=$(cat "tree$governor")
        quiet reset
        found="$found${found:+; }$name: $(cat "before$governor"), $tuned, $(cat "tree$governor")"
    done
    row T10 'the governor before, tuned, and after reset' "$found" 'powersave after reset'
}

cost_of_show() {
    $ordinary "$tare" run -N -i=1 -w 2 -r 30 --metric wall --metric cpu --style none --export-json - "$tare system show -q" >show.json
    $ordinary "$tare" run -N -i=1 -r 5 --memory=exact --metric peak --style none --export-json - "$tare system show -q" >memory.json
    peak=$(awk '/"peak": \{/ { here = 1 } here && /"median":/ { gsub(/[^0-9.]/, ""); print; exit }' memory.json)
    cpu=$(awk '/"cpu": \{/ { here = 1 } here && /"median":/ { gsub(/[^0-9.]/, ""); print; exit }' show.json)
    row T16 'show as an ordinary user: median wall time of 30 runs, CPU time of one; peak memory' \
        "$(awk -v s="$(value median show.json)" -v cpu="$cpu" 'BEGIN { printf "%.1f ms, %.1f ms", 1000 * s, cpu / 1e6 }'); $(awk -v b="$peak" 'BEGIN { printf "%.2f MB", b / 1e6 }')" '280 ms; 20 MB'
}

settings_now() { # of every file that tune names here, and of the groups
    while read -r path; do
        printf '%s\t' "$path" && cat "$path" 2>/dev/null || echo absent
    done <paths
    find /sys/fs/cgroup -maxdepth 2 -name 'tare*' 2>/dev/null
}

lost() { # share of the time that the CPU lost, and the longest gap, from a probe of 3 s
    "$tare" system show --cpus "$1" --probe=3 --style none --export-json probe.json || true
    awk '/"lost_share"/ { here = 1 } here && /"point"/ { gsub(/[^0-9.e-]/, ""); share = $0; here = 0 } /"largest_ns"/ { gsub(/[^0-9.]/, ""); gap = $0 }
        END { printf "%.2f %% lost, %.2f ms at most at once", 100 * share, gap / 1e6 }' probe.json
}

on_this_machine() {
    "$tare" system tune --dry-run --style none --export-json plan.json || true
    sed -n 's/^ *"path": "\(.*\)",$/\1/p' plan.json | sort -u >paths
    cpu=$(value bench plan.json)
    settings_now >before.txt
    trap '"$tare" system reset --style none' EXIT
    i=0
    while [ $i -lt 2 ]; do
        timeout 60 sh -c 'while :; do :; done' &
        echo $! >>spinners
        i=$((i + 1))
    done
    sleep 1
    untuned=$(lost "$cpu")
    "$tare" system tune --style none --export-json tuned.json
    tuned=$(lost "$cpu")
    "$tare" system reset --style none --export-json reset.json || true
    while read -r pid; do kill "$pid" 2>/dev/null || true; done <spinners
    wait
    settings_now >after.txt
    row 'T1 here' "this machine as root: files changed ($(grep -c '"outcome": "made"' tuned.json)), refused by the kernel ($(grep -c '"error": [1-9]' tuned.json || true)); lines differing after reset" \
        "$(diff before.txt after.txt | grep -c '^[<>]' || true)" '4'
    row T11 "two spinning programs beside it, CPU $cpu, 3 s of probe: before" "$untuned" 'pins nothing'
    row T11 'the same, tuned' "$tuned" 'pins nothing'
}

echo "Machine: $(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -1), $(nproc) CPUs, kernel $(uname -r)," \
    "$(grep -q ' hypervisor' /proc/cpuinfo && echo 'virtual machine' || echo 'no hypervisor seen'), $(date -u +%Y-%m-%d)," \
    "load $(cut -d' ' -f1-3 /proc/loadavg). tare $("$tare" --version | awk 'NR == 1 { print $2 }'), by \`./dev bench system$([ $here = no ] || echo ' --machine')\`."
echo
echo "| test | what | tare | pyperf system, reported |"
echo "|---|---|---|---|"
for part in ${parts:-tune_and_reset kill_everywhere reboot conflict fixed_interrupts exit_codes command_lines chosen governors cost_of_show}; do
    $part
done
[ $here = no ] || on_this_machine
