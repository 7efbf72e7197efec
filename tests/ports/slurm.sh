#!/bin/sh
# SPDX-License-Identifier: MIT
#
# tare fleet run --engine slurm on a Slurm cluster of four virtual nodes, which is brought up here without privileges: munge with a key of its
# own, the controller and four node daemons on private ports, stopped by their ids. The nodes share this machine, so what is tested is who
# measures what and what survives, and no time. The values are drawn from the plan's seed by the program that is measured: however disturbed,
# the final table is that of an undisturbed run.
#
#   tests/ports/slurm.sh BUILD-FOLDER        77: a package is missing
# shellcheck disable=SC2317 # what wait_for calls
set -u
PATH=$PATH:/usr/sbin:/sbin
tare=$(cd "$1" && pwd)/cli/tare
# shellcheck source=tests/ports/script.sh
. "$(dirname "$0")/script.sh"
# shellcheck source=tests/ports/cluster.sh
. "$(dirname "$0")/cluster.sh"
why=$(has_slurm) || { echo "skipped: $why" && exit 77; }
here=$(mktemp -d) || exit 1
chmod 755 "$here"
cd "$here" || exit 1

two_jobs() {
    [ "$(squeue --noheader --format=%i 2>/dev/null | wc -l)" = 2 ]
}

# ---- what is measured ----

# disturb.sh of a test says what happens to it.
make_program() {
    cat >unit <<'END'
#!/bin/sh
seed=$(sed -n '1s/.*"seed":\([0-9]*\).*/\1/p' "$PLAN")
[ ! -e disturb.sh ] || . ./disturb.sh
mean=${base-1000000}
[ "$1" = old ] || mean=$((mean * 105 / 100))
set -- $(printf '%s' "$seed $SLURMD_NODENAME $HYPERFINE_ITERATION $1" | cksum)
echo "value $((mean + $1 % 8000))"
END
    chmod +x unit
}

# One run of the program waits for the file `go`, once, on node n3; the file `manager` then has the id of the manager of its step.
hold_n3() {
    rm -rf held manager go
    cat >disturb.sh <<'END'
if [ "$SLURMD_NODENAME" = n3 ] && mkdir held 2>/dev/null; then
    sed 's/.*) . //; s/ .*//' "/proc/$SLURM_TASK_PID/stat" >manager
    until [ -e go ]; do sleep 0.1; done
fi
END
}

fleet() { # FOLDER OPTION...: the plan of all tests, placed by Slurm
    folder=$1
    shift
    ${leads-} env PLAN="$here/$folder/plan.jsonl" "$tare" fleet run --engine slurm --class class --dir "$folder" --style basic --nodes 4 --blocks 5 --seed 7 "$@" \
        -- run -r 6 -w 0 -N --metric 'regex:value=value ([0-9]+)' './unit old' './unit new'
}

table() { # FOLDER: the answer, without the hours and without what is said of the machine
    "$tare" fleet collect --dir "$1" --style basic -q 2>&1 | grep -v '^  4 nodes, \|^  ! '
}

same_table() { # FOLDER
    table "$1" | diff undisturbed - || fail "$1: the table is not that of the undisturbed run"
    expect "$1: units" "20 of 20 units measured" "$("$tare" fleet status --dir "$1" -q | sed 's/.*: //')"
}

begin() { # FOLDER OPTION...: in the background, up to the program that waits
    leads='exec' # so that $! is tare
    fleet "$@" -q >"$1.out" 2>&1 &
    leads=
    leader=$!
    wait_for 60 test -s manager || fail "$1: n3 has not begun"
}

wait_leader() { # NAME: its exit code
    wait "$leader"
    ended=$?
    [ -z "${1-}" ] || expect "$1: exit code" "$2" "$ended"
}

# ---- the tests ----

tidy() {
    bring_down
    cd / || exit 1
    umount "$here/full.d" 2>/dev/null
    rm -rf "$here"
}

trap 'tidy; exit 1' HUP INT TERM
bring_up || { tail -n 5 "$here"/*.log; fail "the cluster does not come up"; tidy; exit 1; }
make_program

fleet undisturbed.d >out 2>err
expect "undisturbed: exit code" 0 $?
table undisturbed.d >undisturbed
cat undisturbed
grep -q '% more' undisturbed || fail "no verdict: $(cat undisturbed err)"
wait_for 15 no_jobs || fail "the allocation is still there"

# Each tenth step is killed, by Slurm or by kill -9 of tare on the node.
cat >disturb.sh <<'END'
case $SLURM_STEP_ID in
*13) kill -9 "$SLURM_TASK_PID"; sleep 60 ;;
*3) scancel "$SLURM_JOB_ID.$SLURM_STEP_ID"; sleep 60 ;;
esac
END
fleet killed.d >out 2>err
expect "steps killed: exit code" 0 $?
same_table killed.d
expect "steps killed: placed again" 2 "$(grep -c 'placed again, attempt 2 of 3' err)"
expect "steps killed: the record has its attempt" 2 "$(grep -l '"fleet_attempt":2' killed.d/unit-*.jsonl | wc -l)"

# All attempts are lost: it is said, and the others are measured; then the same command makes up for it.
cat >disturb.sh <<'END'
[ "$SLURMD_NODENAME" != n2 ] || { kill -9 "$SLURM_TASK_PID"; sleep 60; }
END
fleet lost.d --attempts 1 -q >out 2>err
expect "a node loses all: exit code" 5 $?
expect "a node loses all: status" "15 of 20 units measured, 5 failed" "$("$tare" fleet status --dir lost.d -q | sed 's/.*: //')"
"$tare" fleet status --dir lost.d | grep -q 'n2: *task 0: Killed' || fail "a node loses all: no reason: $("$tare" fleet status --dir lost.d)"
rm disturb.sh
fleet lost.d -q >out 2>err
expect "made up: exit code" 0 $?
same_table lost.d

# The daemon of a node and the manager of its step are killed, and the daemon comes back: Slurm goes on waiting for the step.
hold_n3
begin back.d --step-timeout 10
stop slurmd.n3.pid KILL
kill -9 "$(cat manager)"
slurmd -N n3
: >go
wait_leader "node back" 0
same_table back.d

# A session hangs, and its tare with it, which holds the node: it is ended, and the unit placed again.
cat >disturb.sh <<'END'
[ "$SLURMD_NODENAME" != n3 ] || ! mkdir hung 2>/dev/null || sleep 600
END
fleet hung.d --step-timeout 20 -q >out 2>err
expect "session hangs: exit code" 0 $?
same_table hung.d
expect "session hangs: placed again" 1 "$(grep -l '"fleet_attempt":[23]' hung.d/unit-*.jsonl | wc -l)"

# The same, and it stays away until the others are measured.
hold_n3
begin away.d --attempts 1
stop slurmd.n3.pid KILL
kill -9 "$(cat manager)"
: >go
wait_leader "node away" 5
expect "node away: the others" 15 "$(grep -l '"fleet_host":"n[124]"' away.d/unit-*.jsonl | wc -l)"
slurmd -N n3
wait_for 60 all_idle || fail "node away: $(sinfo --noheader)"
fleet away.d -q >out 2>err
expect "node away, then the same command: exit code" 0 $?
same_table away.d

# The controller is stopped and started again while steps run.
hold_n3
begin controller.d
stop slurmctld.pid
slurmctld
: >go
wait_leader "controller restarted" 0
same_table controller.d

# Two leaders of one plan; then the first is killed, and what it left to be done is done.
hold_n3
begin leader.d
fleet leader.d -q >out 2>err
expect "two leaders: exit code" 6 $?
grep -q 'another tare is measuring all nodes' err || fail "two leaders: $(cat err)"
kill -9 "$leader"
wait "$leader" 2>/dev/null
: >go
wait_for 60 no_jobs || fail "leader killed: the allocation is still there"
"$tare" fleet collect --dir leader.d -q >out 2>err || expect "leader killed: collect" 4 $?
fleet leader.d -q >out 2>err
expect "leader killed: exit code" 0 $?
same_table leader.d

# The same plan in two folders: the second leader waits for the nodes, and ends nothing of the first.
hold_n3
begin one.d
first=$leader
fleet two.d -q >two.d.out 2>&1 &
leader=$!
wait_for 60 two_jobs || fail "two folders: $(squeue --noheader; cat one.d.out two.d.out)"
: >go
wait_leader "two folders, second" 0
leader=$first
wait_leader "two folders, first" 0
same_table one.d
same_table two.d

# A signal that ends it gives the nodes back.
hold_n3
begin interrupted.d
kill -TERM "$leader"
wait_leader "interrupted" 143
wait_for 60 no_jobs || fail "interrupted: the allocation is still there"
grep -q 'the nodes were given back' interrupted.d.out || fail "interrupted: $(cat interrupted.d.out)"
rm disturb.sh
fleet interrupted.d -q >out 2>err
expect "interrupted, then the same command: exit code" 0 $?
same_table interrupted.d

# A record that arrives twice counts once, one of another plan not at all.
cp undisturbed.d/unit-0003.jsonl killed.d/
same_table killed.d
sed 's/"fleet_plan":"/&0/' undisturbed.d/unit-0003.jsonl >lost.d/unit-0003.jsonl
"$tare" fleet collect --dir lost.d -q >out 2>err
expect "another plan: exit code" 4 $?
fleet lost.d -q >out 2>err
expect "another plan, measured again: exit code" 0 $?
same_table lost.d

# The disk of the folder is full, and then is not.
mkdir full.d
if mount -t tmpfs -o size=200k tmpfs full.d 2>/dev/null; then
    fleet full.d -q >out 2>err
    expect "disk full: exit code" 5 $?
    "$tare" fleet status --dir full.d | grep -q 'No space left on device' || fail "disk full: no reason: $("$tare" fleet status --dir full.d)"
    mount -o remount,size=20m full.d
    fleet full.d -q >out 2>err
    expect "disk full, then the same command: exit code" 0 $?
    same_table full.d
    umount full.d
else
    echo "not tried without the right to mount: a full disk"
fi

# One node is slow, with the new build more than with the old one: its reference workload excludes it, and steps that are killed meanwhile are made up.
cat >reference <<'END'
#!/bin/sh
case $SLURMD_NODENAME in n4) mean=1300000 ;; *) mean=1000000 ;; esac
set -- $(printf '%s' "$SLURMD_NODENAME $HYPERFINE_ITERATION" | cksum)
echo "value $((mean + $1 % 8000))"
END
chmod +x reference
cat >disturb.sh <<'END'
[ "$SLURMD_NODENAME" != n4 ] || { base=1300000; [ "$1" = old ] || base=1600000; }
[ "$SLURMD_NODENAME" != n2 ] || ! mkdir once 2>/dev/null || { scancel "$SLURM_JOB_ID.$SLURM_STEP_ID"; sleep 60; }
END
"$tare" fleet qualify --engine slurm --class class --dir slow.d --style basic --nodes 4 --seed 7 --aa 4 --load 1000 \
    -- run -r 6 -w 0 -N --metric 'regex:value=value ([0-9]+)' ./reference >out 2>err
expect "slow node: exit code of qualify" 1 $?
cat out
grep -q '3 of 4 hosts are of one class' out || fail "slow node: $(cat out err)"
fleet slow.d >out 2>err
expect "slow node: exit code" 0 $?
cat out
grep -q '^  ! excluded: n4: the reference workload is [23][0-9.]* % more than on the class' out || fail "slow node: no reason: $(cat out err)"
grep -q '^  3 nodes, ' out || fail "slow node: $(cat out err)"
grep -q '[45][0-9.]* % more' out || fail "slow node: no verdict: $(cat out err)"
expect "slow node: status" "15 of 20 units measured, 5 excluded" "$("$tare" fleet status --dir slow.d -q | sed 's/.*: //')"
grep -q 'placed again, attempt 2 of 3' err || fail "slow node: no step was killed: $(cat err)"
wait_for 15 no_jobs || fail "slow node: the allocation is still there"
rm disturb.sh

fleet nothing.d --class nonesuch -q >out 2>err
expect "no such class: exit code" 6 $?
grep -q 'salloc: .*[Ff]eature' err || fail "no such class: $(cat err)"

tidy
exit $failed
