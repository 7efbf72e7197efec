#!/bin/sh
# SPDX-License-Identifier: MIT
#
# tare fleet run --engine slurm on a Slurm cluster of four virtual nodes, which is brought up here without privileges: munge with a key of its
# own, the controller and four node daemons on private ports, stopped by their ids. The nodes share this machine, so what is tested is who
# measures what and what survives, and no time. The values are drawn from the plan's seed by the program that is measured: however disturbed,
# the final table is that of an undisturbed run. Slurm's prolog and epilog tune and reset a copied tree of each node.
#
#   tests/ports/slurm.sh BUILD-FOLDER        77: a package is missing
# shellcheck disable=SC2317 # what wait_for calls
set -u
PATH=$PATH:/usr/sbin:/sbin
tare=$(cd "$1" && pwd)/cli/tare
machine=${tare%/cli/tare}/tests/cli/machine
# shellcheck source=tests/ports/script.sh
. "$(dirname "$0")/script.sh"
# shellcheck source=tests/ports/cluster.sh
. "$(dirname "$0")/cluster.sh"
# shellcheck source=tests/store/database.sh
. "$(dirname "$0")/../store/database.sh"
why=$(has_slurm) || { echo "skipped: $why" && exit 77; }
here=$(mktemp -d) || exit 1
chmod 755 "$here"
cd "$here" || exit 1
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null
unset PGHOST PGPORT PGUSER PGDATABASE PGSERVICE PGOPTIONS TARE_FLEET_HOST
server='' scratch=$here

two_jobs() {
    [ "$(squeue --noheader --format=%i 2>/dev/null | wc -l)" = 2 ]
}

# ---- the nodes' settings: what tare-fleet(1) has as scripts, with a tree for each node ----

make_scripts() {
    "$machine" acpi-cpufreq machine || fail "no tree"
    for n in 1 2 3 4; do cp -a machine machine.n$n; done
    cat >prolog <<END
#!/bin/sh
test "\$SLURM_JOB_PARTITION" = all || exit 0
exec "$tare" system tune --quiet --cpus 3 --without isolation --sysroot "$here/machine.\$SLURMD_NODENAME"
END
    cat >epilog <<END
#!/bin/sh
exec "$tare" system reset --quiet --sysroot "$here/machine.\$SLURMD_NODENAME"
END
    chmod +x prolog epilog
    configured="Prolog=$here/prolog
Epilog=$here/epilog
PrologFlags=Alloc"
}

given_back() { # NAME [NODE...]: no node is held, and all but these have the settings that they had
    name=$1
    shift
    wait_for 60 no_jobs || fail "$name: the allocation is still there: $(squeue --noheader)"
    for n in n1 n2 n3 n4; do
        case " $* " in *" $n "*) continue ;; esac
        diff -r -x var machine machine.$n >difference || fail "$name: $n is not restored: $(cat difference)"
        [ ! -e machine.$n/var/lib/tare/journal ] || fail "$name: $n has a journal"
    done
}

# ---- what is measured ----

# disturb.sh of a test says what happens to it. That a step's node is not tuned is noted.
make_program() {
    cat >unit <<'END'
#!/bin/sh
[ -z "${SLURM_STEP_ID-}" ] || { read -r ksm <"machine.$SLURMD_NODENAME/sys/kernel/mm/ksm/run" && [ "$ksm" = 0 ]; } || echo "$PLAN $SLURMD_NODENAME" >>untuned
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
    units=$("$tare" fleet status --dir "$1" -q | sed 's/.*: //')
    [ "$units" = "20 of 20 units measured" ] || fail "$1: $("$tare" fleet status --dir "$1"; cat "$1"/*.failed err)"
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
    [ -z "$server" ] || stop_server QUIT
    cd / || exit 1
    umount "$here/full.d" 2>/dev/null
    rm -rf "$here"
}

trap 'tidy; exit 1' HUP INT TERM
make_scripts
bring_up || { tail -n 5 "$here"/*.log; fail "the cluster does not come up"; tidy; exit 1; }
make_program
git init -q .
git config user.name Ann
git config user.email ann@example.org
echo '*' >.gitignore # the records of the tests are no changes

fleet undisturbed.d >out 2>err
expect "undisturbed: exit code" 0 $?
table undisturbed.d >undisturbed
cat undisturbed
grep -q '% more' undisturbed || fail "no verdict: $(cat undisturbed err)"
given_back undisturbed

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
given_back "node back"

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
given_back "node away" n3
slurmd -N n3
wait_for 60 all_idle || fail "node away: $(sinfo --noheader)"
fleet away.d -q >out 2>err
expect "node away, then the same command: exit code" 0 $?
same_table away.d
given_back "node away, then the same command"

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
given_back "leader killed"
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
given_back interrupted
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
given_back "slow node"
# What Slurm gave, in a history in PostgreSQL; and the same again without both: on this machine alone, each node in turn, in SQLite. Class, table and history are
# the same. A tare that is killed meanwhile is made up for.
at_node() { # NODE COMMAND...
    node=$1
    shift
    ${leads-} env SLURMD_NODENAME="n$node" PLAN="$here/slow.d/plan.jsonl" "$tare" fleet "$@" >>alone.out 2>&1
}
qualify_at() {
    at_node "$1" qualify --dir alone.d --node "$1" --nodes 4 --seed 7 --aa 4 --load 1000 \
        -- run -r 6 -w 0 -N --metric 'regex:value=value ([0-9]+)' ./reference
}
mkdir alone.d alone later.d
for n in 1 2 3 4; do qualify_at $n; done
"$tare" fleet qualify --dir alone.d --style basic --nodes 4 --seed 7 --aa 4 --load 1000 \
    -- run -r 6 -w 0 -N --metric 'regex:value=value ([0-9]+)' ./reference >alone.class 2>&1
expect "alone: exit code of qualify" 1 $?
classes() { sed 's/"plan":"[^"]*"//' "$1/class.jsonl"; }
classes slow.d >one
classes alone.d | diff one - || fail "alone: another class: $(cat alone.class alone.out)"
cp slow.d/plan.jsonl alone.d/
cat >>disturb.sh <<'END'
[ "$SLURMD_NODENAME" != n2 ] || [ -e alone/go ] || ! mkdir alone/held 2>/dev/null || until [ -e alone/go ]; do sleep 0.1; done
END
leads='exec' # so that $! is tare
at_node 2 run --dir alone.d --node 2 --yes -q &
leader=$!
leads=
wait_for 60 test -e alone/held || fail "alone: n2 has not begun: $(cat alone.out)"
kill -9 "$leader"
wait "$leader" 2>/dev/null
: >alone/go
not_busy() { at_node 2 run --dir alone.d --node 2 --yes -q; }
wait_for 30 not_busy || fail "alone: n2 does not go on: $(cat alone.out)"
for n in 1 3 4; do at_node $n run --dir alone.d --node $n --yes -q; done
whole_table() { # FOLDER: the answer, without the hours and without which other tare, of these nodes or of another test, ran at the same time
    "$tare" fleet collect --dir "$1" --style basic -q 2>&1 | sed '/^  ! other tare:/d; s/[0-9-]*T[0-9:]*Z/TIME/g; s/TIME.*TIME/TIME/; s/TIME, all begun within a second/TIME/'
}
whole_table slow.d >one
whole_table alone.d | diff one - || fail "alone: another table: $(cat alone.out)"
expect "alone: status" "15 of 20 units measured, 5 excluded" "$("$tare" fleet status --dir alone.d -q | sed 's/.*: //')"
if has_postgresql && ! "$tare" history list --dir postgresql:///x 2>&1 | grep -q 'without libpq'; then
    make_server "$here/data" || fail "the database does not come up: $(tail -n 5 data.log)"
    create history
    place=$(url owner)
    answers() { # PLACE: what it says of the values; times and memory are those of this run
        for words in list "show -v $old" "show -v $new" check; do
            # shellcheck disable=SC2086 # words
            "$tare" history $words --dir "$1" --style basic
        done 2>&1 | tr -s ' ' | grep -v ' wall\| rss \| peak resident \| series: \|^ *$'
    }
    cp slow.d/class.jsonl later.d/
    cat >>disturb.sh <<'END'
base=$((${base-1000000} * 11 / 10))
END
    fleet later.d --blocks 1 -q >out 2>err || fail "later: $(cat out err)"
    cp -r later.d alone.later.d
    rm alone.later.d/unit-*
    for n in 1 2 3 4; do at_node $n run --dir alone.later.d --node $n --yes -q; done
    for commit in 01 02 03 04 05 06 07 08 09 10 11 12 13 14; do
        set=.
        [ $commit -le 08 ] || set=.later.
        echo $commit >commit
        git add -f unit commit
        GIT_AUTHOR_DATE="17000000$commit +0000" GIT_COMMITTER_DATE="17000000$commit +0000" git commit -qm $commit
        from=slow.d
        [ $commit -le 08 ] || from=later.d
        "$tare" fleet collect --dir $from -q --style none --history="$place" --class class >out 2>&1 || fail "history in PostgreSQL: $(cat out)"
        "$tare" fleet collect --dir "alone${set}d" -q --style none --history=kept --class class >out 2>&1 || fail "history in SQLite: $(cat out)"
    done
    old=$("$tare" history list --dir kept | sed -n 's/^\([0-9a-f]*\)  .*unit old *value .*/\1/p')
    new=$("$tare" history list --dir kept | sed -n 's/^\([0-9a-f]*\)  .*unit new *value .*/\1/p')
    answers "$place" >one
    answers kept | diff one - || fail "history: PostgreSQL and SQLite do not say the same"
    grep -q 'unit new value 10.0 % more .* nominated' one || fail "history: no change: $(cat one)"
    stop_server QUIT
else
    echo "not tried without PostgreSQL or libpq: a history in it"
fi
rm disturb.sh

# Two commits, which each node builds: of commands, and of benchmarks.
cat >build <<'END'
#!/bin/sh
cp mean built
END
cat >built_unit <<'END'
#!/bin/sh
mean=$(cat built)
set -- $(printf '%s' "$SLURMD_NODENAME $HYPERFINE_ITERATION $mean" | cksum) "$mean"
echo "value $(($3 + $1 % 8000))"
{ echo "sort $(($3 + $1 % 8000)).000 us"; echo "copy 1000000.000 us"; } >r.txt
END
chmod +x build built_unit
for mean in 1000000 1050000; do
    echo $mean >mean
    git add -f build built_unit mean
    git commit -qm "mean $mean"
done
"$tare" fleet run --engine slurm --class class --dir rev.d --style basic --nodes 4 --seed 7 \
    -- run -r 6 -w 0 -N --metric 'regex:value=value ([0-9]+)' --rev HEAD~1 --rev HEAD --build ./build ./built_unit >out 2>err
expect "two commits: exit code" 0 $?
grep -q ' (HEAD) .* [45][.0-9]* % more' out || fail "two commits: $(cat out err)"
"$tare" fleet run --engine slurm --class class --dir bench.d --style basic --nodes 4 --seed 7 \
    -- bench -r 6 --results r.txt --rev HEAD~1 --rev HEAD --build ./build ./built_unit >out 2>err
expect "benchmarks of two commits: exit code" 0 $?
grep -q '^ *sort .* [45][.0-9]* % slower' out || fail "benchmarks of two commits: $(cat out err)"
grep -q '^ *copy .* same' out || fail "benchmarks of two commits: $(cat out err)"
expect "benchmarks of two commits: hosts" 4 "$(grep -ho '"fleet_host":"n[1-4]"' bench.d/unit-*.jsonl | sort -u | wc -l)"
expect "two commits: work trees left" 1 "$(git worktree list | wc -l)"
given_back "two commits"

# Leaders are killed at instants that a seed draws, until one comes to its end.
instants=$(awk 'BEGIN { srand(18); for (i = 0; i < 4; i++) printf "%.2f ", 0.3 + 3 * rand() }')
for instant in $instants; do
    leads='exec'
    fleet kills.d -q >kills.out 2>&1 &
    leads=
    leader=$!
    sleep "$instant"
    kill -9 "$leader" 2>/dev/null
    wait "$leader" 2>/dev/null
    wait_for 60 no_jobs || fail "leaders killed: the allocation is still there: $(squeue --noheader)"
done
fleet kills.d -q >out 2>err
expect "leaders killed: exit code" 0 $?
same_table kills.d
given_back "leaders killed"

# One is killed while Slurm has no nodes for it: what is granted later is nobody's.
salloc --no-shell --exclusive --nodes=4 --job-name=other 2>/dev/null || fail "leader killed early: no nodes for another"
leads='exec'
fleet early.d -q >/dev/null 2>&1 &
leads=
leader=$!
waits() { squeue --noheader --states=PENDING --format=%j | grep -q '^tare-'; }
wait_for 30 waits || fail "leader killed early: it does not wait"
kill -9 "$leader"
wait "$leader" 2>/dev/null
scancel --name=other
wait_for 60 no_jobs || fail "leader killed early: the allocation is still there: $(squeue --noheader)"

fleet nothing.d --class nonesuch -q >out 2>err
expect "no such class: exit code" 6 $?
grep -q 'salloc: .*[Ff]eature' err || fail "no such class: $(cat err)"

[ ! -e untuned ] || fail "measured without the settings: $(sort untuned | uniq -c)"
tidy
exit $failed
