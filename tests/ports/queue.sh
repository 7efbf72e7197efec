#!/bin/sh
# SPDX-License-Identifier: MIT
#
# tare fleet run --engine queue, and tare fleet work on four hosts, over a PostgreSQL server that is brought up here without privileges. The hosts are processes
# of this machine with names and folders of their own, so what is tested is who measures what and what survives, and no time. The values are drawn
# from the seeds of the plan: however disturbed, the final table is that of --engine local.
#
#   tests/ports/queue.sh BUILD-FOLDER        77: a package is missing, or tare was built without libpq
# shellcheck disable=SC2317 # what wait_for calls
set -u
tare=$(cd "$1" && pwd)/cli/tare
schema=$(cd "$(dirname "$0")/../../src/store" && pwd)/server_schema.sql
# shellcheck source=tests/ports/script.sh
. "$(dirname "$0")/script.sh"
# shellcheck source=tests/store/database.sh
. "$(dirname "$0")/../store/database.sh"
has_postgresql || { echo "skipped: there is no PostgreSQL (./dev deps ports installs it)" && exit 77; }
! "$tare" history list --dir postgresql:///x 2>&1 | grep -q 'without libpq' || { echo "skipped: tare was built without libpq" && exit 77; }
here=$(mktemp -d) || exit 1
chmod 755 "$here"
cd "$here" || exit 1
export XDG_STATE_HOME="$here/state" NO_COLOR=1
unset PGHOST PGPORT PGUSER PGDATABASE PGSERVICE PGOPTIONS TARE_FLEET_HOST SLURMD_NODENAME
server='' workers='' leader='' scratch=$here

bring_down() {
    for pid in $workers $leader; do kill -CONT "$pid"; kill -9 "$pid"; done 2>/dev/null
    [ -z "$server" ] || stop_server QUIT
    cd / || exit 1
    umount "$here/spool.h1" 2>/dev/null
    rm -rf "$here"
}

# ---- what is measured ----

# disturb.sh of a test says what happens to it.
make_program() {
    cat >unit <<'END'
#!/bin/sh
[ ! -e disturb.sh ] || . ./disturb.sh
mean=1000000
[ "$1" = old ] || mean=1050000
set -- $(printf '%s' "${#HYPERFINE_RANDOMIZED_ENVIRONMENT_OFFSET} $HYPERFINE_ITERATION $1" | cksum)
echo "value $((mean + $1 % 8000))"
END
    chmod +x unit
}

# The first run of the program on a host waits for a file.
hold() { # HOST FILE [HOST FILE]
    rm -rf held.* began.* go go4 disturb.sh
    while [ $# -gt 1 ]; do
        cat >>disturb.sh <<END
if [ "\$TARE_FLEET_HOST" = $1 ] && mkdir held.$1 2>/dev/null; then
    : >began.$1
    until [ -e $2 ] || [ ! -e unit ]; do sleep 0.1; done
fi
END
        shift 2
    done
}

engine() { # FOLDER OPTION...: the plan of all tests
    folder=$1
    shift
    ${leads-} "$tare" fleet run --dir "$folder" --style basic --nodes 4 --blocks 5 --seed 7 "$@" \
        -- run -r 6 -w 0 -N --metric 'regex:value=value ([0-9]+)' './unit old' './unit new'
}

fleet() { # FOLDER OPTION...
    folder=$1
    shift
    engine "$folder" --engine queue --queue "$(url lead)" "$@"
}

work() { # HOST OPTION...: $worker
    host=$1
    shift
    "$tare" fleet work --name "$host" --dir "$here/spool.$host" "$(url hosts)" "${@:---yes}" >>"$host.out" 2>&1 &
    worker=$!
    workers="$workers $worker"
}

table() { # FOLDER: the answer, without the hours, widths, and what is said of the machine
    "$tare" fleet collect --dir "$1" --style basic -q 2>&1 | sed 's/block/node/g' | tr -s ' ' | grep -v '^ 4 nodes\|^ ! '
}

same_table() { # FOLDER
    table "$1" | diff undisturbed - || fail "$1: the table is not that of the undisturbed run"
    expect "$1: units" "20 of 20 units measured" "$("$tare" fleet status --dir "$1" -q | sed 's/.*: //')"
}

begin() { # FOLDER OPTION...: in the background
    leads='exec' # so that $! is tare
    fleet "$@" >"$1.out" 2>&1 &
    leads=
    leader=$!
}

wait_leader() { # NAME: its exit code
    wait "$leader"
    expect "$1: exit code" "$2" $?
}

of_queue() { # FOLDER: its name there
    echo "$(sed -n '1s/.*"id":"\([0-9a-f]*\)".*/\1/p' "$1/plan.jsonl")-$(cat "$1/queue")"
}

in_queue() { # FOLDER
    [ -s "$1/queue" ] && [ "$(sql "SELECT count(*) FROM tare.fleet WHERE name='$(of_queue "$1")'" 2>/dev/null)" = 1 ]
}

has_records() { # FOLDER NUMBER
    [ "$(find "$1" -name 'unit-*.jsonl' | wc -l)" -ge "$2" ]
}

by_host() { # FOLDER: how many units each host measured
    grep -ho '"fleet_host":"[^"]*"' "$1"/unit-*.jsonl | sort | uniq -c | tr -s ' \n' ' '
}

stop_workers() { # PID...
    kill -TERM "$@" 2>/dev/null
    for pid in "$@"; do wait "$pid" 2>/dev/null; done
}

# ---- the tests ----

trap 'bring_down; exit 1' HUP INT TERM
make_server "$here/data" || { tail -n 5 data.log; fail "the server does not come up"; bring_down; exit 1; }
create bench
make_program
engine local.d --engine local -q >out 2>err || fail "local: $(cat err)"
table local.d >undisturbed
cat undisturbed
grep -q '% more' undisturbed || fail "no verdict: $(cat undisturbed err)"

# The owner's first use makes the tables; who has a role may then.
"$tare" fleet work --yes --idle 0.1 -q "$(url)" || fail "the owner's first use"
expect "version" 3 "$(sql 'SELECT version FROM tare.version')"
sql "CREATE ROLE lead LOGIN; CREATE ROLE lead2 LOGIN; CREATE ROLE hosts LOGIN; CREATE ROLE hosts2 LOGIN; CREATE ROLE guest LOGIN; CREATE ROLE nobody LOGIN;
     GRANT tare_leader TO lead, lead2; GRANT tare_worker TO hosts, hosts2; GRANT tare_reader TO guest; INSERT INTO tare.member VALUES ('guest', '*')"

work h1 && w1=$worker
work h2 && w2=$worker
work h3 && w3=$worker
work h4 && w4=$worker
fleet undisturbed.d >out 2>err
expect "undisturbed: exit code" 0 $?
same_table undisturbed.d
expect "undisturbed: hosts" ' 5 "fleet_host":"h1" 5 "fleet_host":"h2" 5 "fleet_host":"h3" 5 "fleet_host":"h4" ' "$(by_host undisturbed.d)"
expect "undisturbed: the queue" 0 "$(sql 'SELECT count(*) FROM tare.fleet')"
expect "undisturbed: said" 20 "$(grep -c '^note: unit [0-9]* of 20: node [1-4], h[1-4]$' err)"
no_spool() { [ -z "$(find "$here"/spool.* -name 'unit-*')" ]; }
wait_for 30 no_spool || fail "undisturbed: hosts keep $(find "$here"/spool.* -name 'unit-*')"

# A worker is killed in a unit and started again: the unit is measured to its end, or anew.
hold h3 go
begin killed.d --lost-after 2
wait_for 60 test -e began.h3 || fail "worker killed: h3 has not begun"
kill -9 "$w3"
wait "$w3" 2>/dev/null
work h3 && w3=$worker
sleep 3
: >go
wait_leader "worker killed" 0
same_table killed.d

# A worker is stopped for longer than the queue waits: another host measures its unit, and what it brings later is dropped.
hold h3 go h4 go4
: >h3.out
begin stopped.d --lost-after 2
wait_for 60 test -e began.h3 || fail "worker stopped: h3 has not begun"
wait_for 60 test -e began.h4 || fail "worker stopped: h4 has not begun"
wait_for 60 has_records stopped.d 10 || fail "worker stopped: the others do not measure"
kill -STOP "$w3"
work h5 && w5=$worker
wait_for 60 has_records stopped.d 15 || fail "worker stopped: h5 does not measure: $(cat h5.out stopped.d.out)"
: >go
kill -CONT "$w3"
dropped() { grep -q 'another host has it by now' h3.out; }
wait_for 60 dropped || fail "worker stopped: its record was not dropped: $(cat h3.out)"
: >go4
wait_leader "worker stopped" 0
same_table stopped.d
expect "worker stopped: hosts" ' 5 "fleet_host":"h1" 5 "fleet_host":"h2" 5 "fleet_host":"h4" 5 "fleet_host":"h5" ' "$(by_host stopped.d)"
grep -q 'h5: attempt 2, as nothing was heard of host h3 any more' stopped.d.out || fail "worker stopped: nothing said: $(cat stopped.d.out)"
stop_workers "$w5"

# The server is stopped in the middle of a unit: all wait for it, and what was measured meanwhile is delivered.
hold h3 go
begin away.d
wait_for 60 test -e began.h3 || fail "database away: h3 has not begun"
wait_for 60 has_records away.d 15 || fail "database away: the others do not measure"
stop_server QUIT
: >go
sleep 3
start_server
wait_leader "database away" 0
same_table away.d
grep -q 'waiting for it' away.d.out || fail "database away: nothing said: $(cat away.d.out)"
expect "database away: no unit was measured twice" 20 "$(grep -l '"fleet_attempt":1[,}]' away.d/unit-*.jsonl | wc -l)"

# The same, and the worker is killed before the server is back: the next one there delivers it.
hold h3 go
begin kept.d
wait_for 60 test -e began.h3 || fail "record kept: h3 has not begun"
wait_for 60 has_records kept.d 15 || fail "record kept: the others do not measure"
stop_server QUIT
: >go
kept() { [ -n "$(find spool.h3 -name 'unit-*.jsonl')" ]; }
wait_for 60 kept || fail "record kept: there is none"
kill -9 "$w3"
wait "$w3" 2>/dev/null
start_server
work h3 && w3=$worker
wait_leader "record kept" 0
same_table kept.d
expect "record kept: no unit was measured twice" 20 "$(grep -l '"fleet_attempt":1[,}]' kept.d/unit-*.jsonl | wc -l)"

# What a database answers that is being changed or restored says nothing of the record: the worker ends and keeps it, and the next one there delivers it.
hold h3 go
begin changed.d
wait_for 60 test -e began.h3 || fail "database changed: h3 has not begun"
wait_for 60 has_records changed.d 15 || fail "database changed: the others do not measure"
sql 'ALTER FUNCTION tare.fleet_deliver RENAME TO away'
: >go
gone() { ! kill -0 "$w3" 2>/dev/null; }
wait_for 60 gone || fail "database changed: the worker goes on: $(cat h3.out)"
kept || fail "database changed: the record is gone"
sql 'ALTER FUNCTION tare.away RENAME TO fleet_deliver'
work h3 && w3=$worker
wait_leader "database changed" 0
same_table changed.d
expect "database changed: no unit was measured twice" 20 "$(grep -l '"fleet_attempt":1[,}]' changed.d/unit-*.jsonl | wc -l)"

# Two leaders: in one folder the second is refused; the same plan of another folder is another one. Both are given to the same hosts.
hold h3 go
begin one.d
first=$leader
wait_for 60 test -e began.h3 || fail "two leaders: h3 has not begun"
fleet one.d -q >out 2>err
expect "two leaders, one folder: exit code" 6 $?
grep -q 'another tare is measuring all nodes' err || fail "two leaders, one folder: $(cat err)"
begin two.d
wait_for 60 in_queue two.d || fail "two leaders: the second plan is not in the queue"
: >go
wait_leader "two leaders, second" 0
leader=$first
wait_leader "two leaders, first" 0
same_table one.d
same_table two.d

# A leader is killed, and the same command collects what was measured meanwhile; a signal lets no more units be given out.
hold h3 go
begin leader.d
wait_for 60 test -e began.h3 || fail "leader killed: h3 has not begun"
kill -9 "$leader"
wait "$leader" 2>/dev/null
: >go
all_measured() { [ "$(sql "SELECT count(*) FROM tare.fleet_unit WHERE fleet='$(of_queue leader.d)' AND id IS NOT NULL")" = 20 ]; }
wait_for 60 all_measured || fail "leader killed: the hosts have stopped"
fleet leader.d -q >out 2>err
expect "leader killed: exit code" 0 $?
same_table leader.d

hold h3 go
begin interrupted.d
wait_for 60 test -e began.h3 || fail "interrupted: h3 has not begun"
"$tare" fleet status --dir interrupted.d --queue "$(url guest)" >out
grep -q 'h3 *measuring on h3, attempt 1\|measuring on h3, attempt 1' out || fail "status: $(cat out)"
kill -TERM "$leader"
wait_leader "interrupted" 143
expect "interrupted: given out" f "$(sql "SELECT open FROM tare.fleet WHERE name='$(of_queue interrupted.d)'")"
: >go
fleet interrupted.d -q >out 2>err
expect "interrupted, then the same command: exit code" 0 $?
same_table interrupted.d

# The server hangs: a signal ends all the same who waits for its answer.
hold h3 go
begin hangs.d
wait_for 60 test -e began.h3 || fail "server hangs: h3 has not begun"
halted=$(pgrep -P "$server")
# shellcheck disable=SC2086 # words
kill -STOP $halted
sleep 2
kill -TERM "$leader" "$w3"
(sleep 60 && kill -9 "$leader" "$w3" 2>/dev/null) &
killer=$!
wait_leader "server hangs, leader" 143
wait "$w3"
expect "server hangs, worker: exit code" 143 $?
kill "$killer"
grep -q 'does not answer' hangs.d.out || fail "server hangs: nothing said: $(cat hangs.d.out)"
# shellcheck disable=SC2086 # words
kill -CONT $halted
: >go
stop_workers "$w1" "$w2" "$w4"
sql "DELETE FROM tare.fleet"

# All attempts are lost: it is said, the others are measured, and the same command makes up for it. What fails by itself is not tried again.
rm -f disturb.sh
one_block="--nodes 4 --blocks 1 --seed 9"
# shellcheck disable=SC2086 # words
"$tare" fleet run --dir local1.d --style basic -q $one_block -- run -r 6 -w 0 -N --metric 'regex:value=value ([0-9]+)' './unit old' './unit new' >/dev/null
cat >disturb.sh <<'END'
[ "$TARE_FLEET_HOST" != h2 ] || sleep 600
END
work h1 && w1=$worker
work h2 && w2=$worker
work h3 && w3=$worker
work h4 && w4=$worker
lose() {
    # shellcheck disable=SC2086 # words
    "$tare" fleet run --dir lost.d --style basic -q --engine queue --queue "$(url lead)" --attempts 2 --step-timeout 2 $one_block \
        -- run -r 6 -w 0 -N --metric 'regex:value=value ([0-9]+)' './unit old' './unit new' >out 2>err
}
lose
expect "a host loses all: exit code" 5 $?
expect "a host loses all: status" "3 of 4 units measured, 1 failed" "$("$tare" fleet status --dir lost.d -q | sed 's/.*: //')"
"$tare" fleet status --dir lost.d | grep -q 'failed 2 times: it took longer' || fail "a host loses all: no reason: $("$tare" fleet status --dir lost.d)"
rm disturb.sh
lose
expect "made up: exit code" 0 $?
table local1.d >one
table lost.d | diff one - || fail "made up: the table is not that of the undisturbed run"
grep -q '"fleet_attempt":3' lost.d/unit-*.jsonl || fail "made up: no third attempt"
"$tare" fleet run --dir fails.d -q --engine queue --queue "$(url lead)" --nodes 3 -- run -r 1 -w 0 ./no_such_unit >out 2>err
expect "the program fails: exit code" 5 $?
"$tare" fleet status --dir fails.d | grep -c 'failed 1 time: .*No such file' | grep -qx 3 || fail "the program fails: $("$tare" fleet status --dir fails.d)"
stop_workers "$w1" "$w2" "$w3" "$w4"

# A host that is none of the class is given nothing, though it asks first; and what it measured before it was known to be none is measured by another, though it is
# gone.
class() { # HOST...: these are none
    echo '{"type":"class","schema":1,"plan":"0123456789ab","metric":"wall","bound":0.05,"center":1,"hosts":'$#'}'
    for host in "$@"; do
        echo '{"type":"host","host":"'"$host"'","out":"it is being repaired","reference":1,"noise":0.01,"sessions":1,"wrong":0}'
    done
}
of_class() { # in the background
    # shellcheck disable=SC2086 # words
    exec "$tare" fleet run --dir class.d --style basic -q --engine queue --queue "$(url lead)" $one_block \
        -- run -r 6 -w 0 -N --metric 'regex:value=value ([0-9]+)' './unit old' './unit new'
}
rm -f disturb.sh
mkdir class.d
work h1 && w1=$worker
work h2 && w2=$worker
of_class >out 2>err &
leader=$!
wait_for 60 has_records class.d 2 || fail "class: $(cat err h1.out h2.out)"
kill -TERM "$leader"
wait_leader "class, interrupted" 143
stop_workers "$w2"
class h1 h2 >class.d/class.jsonl
of_class >out 2>err &
leader=$!
again() { in_queue class.d && [ "$(sql "SELECT open FROM tare.fleet WHERE name='$(of_queue class.d)'")" = t ]; }
wait_for 60 again || fail "class: the plan is not in the queue again"
set -- "$w1"
for name in h3 h4 h5 h6; do
    work $name
    set -- "$@" "$worker"
done
wait_leader "class" 0
table class.d | grep -v '^ ! excluded' | diff one - || fail "class: the table is not that of the undisturbed run"
expect "class: hosts" ' 1 "fleet_host":"h3" 1 "fleet_host":"h4" 1 "fleet_host":"h5" 1 "fleet_host":"h6" ' "$(by_host class.d)"
stop_workers "$@"

# A host that lies: records of another plan, another unit and another host, and what is no record, do not count; each is said, and its unit measured again. What
# is delivered twice is there once.
as_host() { # UNIT ATTEMPT HOST FILE [ROLE]: what the queue says of this record
    psql -qAtX -h "$sockets" -U "${5:-hosts}" -d "$database" -v name="$name" -v unit="$1" -v attempt="$2" -v host="$3" \
        -v id="$(sha256sum "$4" | cut -c1-64)" -v content="$(cat "$4")" <<'END'
SELECT tare.fleet_deliver(:'name', :unit, :attempt, :'host', :'id', :'content' || E'\n')
END
}
engine another.d --engine local -q --seed 8 >/dev/null 2>&1
begin lies.d --attempts 9
wait_for 60 in_queue lies.d || fail "lies: the plan is not in the queue"
name=$(of_queue lies.d)
echo '{"type":"nonsense"}' >nonsense
refused_there() { [ "$(sql "SELECT failure LIKE 'its record did not count%' AND id IS NULL FROM tare.fleet_unit WHERE fleet='$name' AND unit=1")" = t ]; }
attempt=0
for lie in another.d/unit-0001.jsonl undisturbed.d/unit-0002.jsonl undisturbed.d/unit-0001.jsonl nonsense; do
    attempt=$((attempt + 1))
    expect "lies: the unit and attempt" "1 $attempt" "$(sql "SELECT unit || ' ' || attempt FROM tare.fleet_take(ARRAY['$name'], 'liar')" hosts)"
    expect "lies: one at a time" "" "$(sql "SELECT unit FROM tare.fleet_take(ARRAY['$name'], 'liar')" hosts)"
    expect "lies: by another role" other "$(as_host 1 $attempt liar "$lie" hosts2)"
    expect "lies: of an attempt that it was not given" other "$(as_host 1 $((attempt + 1)) liar "$lie")"
    expect "lies: of a unit that it was not given" other "$(as_host 2 1 liar "$lie")"
    expect "lies: $lie" added "$(as_host 1 $attempt liar "$lie")"
    wait_for 30 refused_there || fail "lies: $lie counts: $(cat lies.d.out)"
done
for why in 'another plan' 'another unit' 'another host' 'cannot be read'; do
    grep -q "liar: its record did not count: .*$why" lies.d.out || fail "lies: no word of $why: $(cat lies.d.out)"
done
hold h4 go
work h1 --allow 'run -r * -w 0 -N --metric * ./unit\ old ./unit\ new' && w1=$worker
work h2 --allow 'run ./something' --allow 'run -r 6 -w 0 -N --metric * ./unit\ old ./unit\ new' && w2=$worker
work h3 && w3=$worker
work h4 && w4=$worker
work none --allow 'run ./unit\ old ./unit\ new' --allow 'run -r 6 *' --allow '*' && w5=$worker
wait_for 60 has_records lies.d 15 || fail "lies: $(cat h1.out h2.out h3.out)"
set -- "$(find lies.d -name 'unit-*.jsonl' | sort | head -n 1)"
unit=$(echo "$1" | sed 's/.*unit-0*//; s/\..*//')
host=$(sed -n 's/.*"fleet_host":"\([^"]*\)".*/\1/p' "$1")
attempt=$(sql "SELECT attempt FROM tare.fleet_unit WHERE fleet='$name' AND unit=$unit")
expect "delivered twice" there "$(as_host "$unit" "$attempt" "$host" "$1")"
expect "delivered twice, another record" other "$(as_host "$unit" "$attempt" "$host" nonsense)"
: >go
wait_leader "lies" 0
same_table lies.d
grep -q 'is left to others, as no --allow matches: tare run -r 6' none.out || fail "not allowed: $(cat none.out)"
expect "not allowed: spool" "" "$(find spool.none -name 'plan*')"
stop_workers "$w1" "$w2" "$w3" "$w4" "$w5"

# Leaders are killed at instants that a seed draws, until one comes to its end.
rm -f disturb.sh
work h1 && w1=$worker
work h2 && w2=$worker
work h3 && w3=$worker
work h4 && w4=$worker
instants=$(awk 'BEGIN { srand(18); for (i = 0; i < 6; i++) printf "%.2f ", 0.2 + 2 * rand() }')
for instant in $instants; do
    begin kills.d -q
    sleep "$instant"
    kill -9 "$leader" 2>/dev/null
    wait "$leader" 2>/dev/null
done
fleet kills.d -q >out 2>err
expect "leaders killed: exit code" 0 $?
same_table kills.d

# A host whose spool has no room for a record: its unit is measured by another, which is told why.
stop_workers "$w1"
cp spool.h1/key kept_key
rm -rf spool.h1
mkdir -m 700 spool.h1
if mount -t tmpfs -o size=16k,mode=700 tmpfs spool.h1 2>/dev/null; then
    cp kept_key spool.h1/key
    work h1 && w1=$worker
    begin full.d
    no_room() { grep -q 'as .*No space left on device' full.d.out; }
    given_up() { grep -q 'No space left on device' h1.out; }
    wait_for 60 given_up || fail "spool full: nothing said: $(cat h1.out)"
    work h5 && w5=$worker
    wait_for 60 no_room || fail "spool full: the leader says nothing: $(cat full.d.out)"
    wait_leader "spool full" 0
    same_table full.d
    stop_workers "$w1" "$w5"
    umount spool.h1
else
    echo "not tried without the right to mount: a full spool"
fi
cp kept_key spool.h1/key # of who is called h1

# Records that arrive in another order than they were measured in, and twice each, also after others have come.
stop_workers "$w2" "$w3" "$w4"
key_of() { echo "-c tare.worker=$(cat "spool.$1/key")"; }
begin order.d
wait_for 60 in_queue order.d || fail "order: the plan is not in the queue"
name=$(of_queue order.d)
arrive() { # UNIT: as the host that measured it
    host=$(sed -n 's/.*"fleet_host":"\([^"]*\)".*/\1/p' "undisturbed.d/unit-$1.jsonl")
    PGOPTIONS=$(key_of "$host") as_host "${1#00}" 1 "$host" "undisturbed.d/unit-$1.jsonl"
}
for first in 1 5 9 13 17; do
    units=$(seq -f '%04g' $first $((first + 3)))
    for unit in $units; do
        host=$(sed -n 's/.*"fleet_host":"\([^"]*\)".*/\1/p' "undisturbed.d/unit-$unit.jsonl")
        expect "order: the unit" "$((1$unit - 10000)) 1" "$(PGOPTIONS=$(key_of "$host") sql "SELECT unit || ' ' || attempt FROM tare.fleet_take(ARRAY['$name'], '$host')" hosts)"
    done
    for unit in $(echo "$units" | tac); do
        expect "order: unit $unit" added "$(arrive "$unit")"
        [ "$unit" = 0017 ] || expect "order: unit $unit, twice" there "$(arrive "$unit")" # the last of all: then the plan leaves the queue
    done
    [ $first = 1 ] || [ $first = 17 ] || expect "order: unit 0002 again" there "$(arrive 0002)"
done
wait_leader "order" 0
same_table order.d

# Benchmarks of two builds; each host has a folder of its own, into which its programs write their results.
cat >suite <<'END'
#!/bin/sh
set -- $(printf '%s' "$TARE_FLEET_HOST $1" | cksum) "$1"
mean=1000000
[ "$3" = old ] || mean=1050000
{ echo "sort $((mean + $1 % 8000)).000 us"; echo "copy $((1000000 + $1 % 80)).000 us"; } >r.txt
END
chmod +x suite
set --
for name in h1 h2 h3; do
    mkdir "at.$name"
    cd "at.$name" || exit 1
    work $name --allow 'bench -r 6 --results r.txt ../suite\ old ../suite\ new'
    cd "$here" || exit 1
    set -- "$@" "$worker"
done
"$tare" fleet run --dir bench.d --style basic -q --engine queue --queue "$(url lead)" --nodes 3 \
    -- bench -r 6 --results r.txt '../suite old' '../suite new' >out 2>err
expect "benchmarks: exit code" 0 $?
grep -q '^ *sort .* % slower' out || fail "benchmarks: $(cat out err)"
grep -q '^ *copy ' out || fail "benchmarks: $(cat out err)"
expect "benchmarks: hosts" ' 1 "fleet_host":"h1" 1 "fleet_host":"h2" 1 "fleet_host":"h3" ' "$(by_host bench.d)"
stop_workers "$@"

# Two commits, which each host builds in a clone of its own.
cat >suite <<'END'
#!/bin/sh
set -- $(printf '%s' "$TARE_FLEET_HOST $(cat built)" | cksum) "$(cat built)"
{ echo "sort $(($3 + $1 % 8000)).000 us"; echo "copy 1000000.000 us"; } >r.txt
END
chmod +x suite
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null
git init -q repository
for mean in 1000000 1050000; do
    echo $mean >repository/mean
    cp suite repository/
    git -C repository add . && git -C repository -c user.name=Ann -c user.email=ann@example.org commit -qm "mean $mean"
done
set --
for name in h1 h2 h3; do
    git clone -q repository "clone.$name"
    cd "clone.$name" || exit 1
    work $name
    cd "$here" || exit 1
    set -- "$@" "$worker"
done
cd repository || exit 1
"$tare" fleet run --dir ../rev.d --style basic -q --engine queue --queue "$(url lead)" --nodes 3 \
    -- bench -r 6 --results r.txt --rev HEAD~1 --rev HEAD --build 'cp mean built' ./suite >../out 2>../err
expect "two commits: exit code" 0 $?
cd "$here" || exit 1
grep -q '^ *sort .* [45][.0-9]* % slower' out || fail "two commits: $(cat out err; "$tare" fleet status --dir rev.d)"
grep -q '^ *copy .* same' out || fail "two commits: $(cat out err)"
expect "two commits: work trees left" 3 "$(for name in h1 h2 h3; do git -C clone.$name worktree list; done | wc -l)"
stop_workers "$@"

# A leader is killed, and the folder is completed without the queue: the same command takes the plan out of it.
begin left.d
wait_for 60 in_queue left.d || fail "left: the plan is not in the queue"
kill -9 "$leader"
wait "$leader" 2>/dev/null
name=$(of_queue left.d)
engine left.d --engine local -q >/dev/null 2>&1
expect "left: in the queue" 1 "$(sql "SELECT count(*) FROM tare.fleet WHERE name='$name'")"
fleet left.d -q >out 2>err
expect "left: exit code" 0 $?
expect "left: taken out" 0 "$(sql "SELECT count(*) FROM tare.fleet WHERE name='$name'")"
same_table left.d

# Roles.
begin roles.d
wait_for 60 in_queue roles.d || fail "roles: the plan is not in the queue"
name=$(of_queue roles.d)
for role in hosts guest nobody; do
    for table in fleet fleet_node fleet_unit; do
        for statement in "UPDATE tare.$table SET ${table#fleet_}=NULL" "DELETE FROM tare.$table" "TRUNCATE tare.$table" "INSERT INTO tare.$table DEFAULT VALUES"; do
            case $table in fleet) statement=$(echo "$statement" | sed 's/SET fleet=/SET class=/') ;; esac
            refused $role "$statement"
        done
        [ $role = guest ] || refused $role "SELECT FROM tare.$table"
    done
done
for role in guest nobody lead; do
    refused $role "SELECT tare.fleet_take(ARRAY['$name'], 'x')"
    refused $role "SELECT tare.fleet_deliver('$name', 1, 1, 'x', repeat('0', 64), '')"
done
refused hosts "SELECT tare.fleet_hold('$name', 1, 1, 'x')"
refused hosts "SELECT tare.mine()"
expect "a leader sees its own plans" 0 "$(sql 'SELECT count(*) FROM tare.fleet' lead2)"
expect "a leader changes its own plans" 0 "$(sql "WITH x AS (UPDATE tare.fleet_unit SET tries=0 RETURNING 1) SELECT count(*) FROM x" lead2)"
expect "a leader removes its own plans" 0 "$(sql "WITH x AS (DELETE FROM tare.fleet RETURNING 1) SELECT count(*) FROM x" lead2)"
refused lead2 "INSERT INTO tare.fleet_unit(fleet,unit,node,attempt) VALUES ('$name',99,1,0)"
refused lead "INSERT INTO tare.fleet(name,plan,attempts,lost,timeout_s,open,put_by) VALUES ('0','',1,'1min',0,true,'lead2')"
expect "a guest sees all" 1 "$(sql 'SELECT count(*) FROM tare.fleet' guest)"
kill -TERM "$leader"
wait "$leader" 2>/dev/null
"$tare" fleet run --dir guest.d -q --engine queue --queue "$(url guest)" --nodes 3 -- run -r 1 -w 0 true >out 2>err
expect "a guest leads: exit code" 6 $?
"$tare" fleet work --yes -q --dir spool.guest "$(url guest)" >out 2>err
expect "a guest works: exit code" 6 $?
work h1 && w1=$worker
connected() { [ "$(sql "SELECT count(*) FROM pg_stat_activity WHERE usename='hosts'")" = 1 ]; }
wait_for 30 connected || fail "two workers in one folder: the first is not there"
"$tare" fleet work --yes -q --dir spool.h1 --idle 1 "$(url hosts)" >out 2>err
expect "two workers in one folder: exit code" 6 $?
grep -q 'another worker keeps its records' err || fail "two workers in one folder: $(cat err)"
# Nor in another folder by its name, or by its name alone.
"$tare" fleet work --yes -q --name h1 --dir spool.other --idle 1 "$(url hosts)" >out 2>err
expect "two workers of one name: exit code" 6 $?
grep -q 'another worker was called h1' err || fail "two workers of one name: $(cat err)"
expect "by the name of a worker: its units" "0 0" "$(sql "SELECT tare.fleet_called('h1') || ' ' || tare.fleet_beat('$name', 1, 1, 'h1')" hosts)"
stop_workers "$w1"

mkdir open
chmod 777 open
"$tare" fleet work --yes -q --dir open "$(url hosts)" >out 2>err
expect "a folder that others may write to: exit code" 6 $?

# A database of version 1, of a history alone, is brought to this one by its owner.
create old
psql -qX -v ON_ERROR_STOP=1 -h "$here/data" -U owner -d old -f "$schema" >/dev/null || fail "version 1"
"$tare" history list --dir "$(url)" >out 2>&1 || fail "version 1: $(cat out)"
expect "version 1 is read" 1 "$(sql 'SELECT version FROM tare.version')"
"$tare" fleet work --yes --idle 0.1 -q "$(url)" || fail "version 1: work"
expect "version 1 is brought to 3" 3 "$(sql 'SELECT version FROM tare.version')"
# One of version 2, whose queue knows no names: a leader goes on with it, the owner's worker brings it to this one.
create second
psql -qX -v ON_ERROR_STOP=1 -h "$here/data" -U owner -d second -f "$schema" -f "${schema%/*}/queue_schema.sql" >/dev/null || fail "version 2"
"$tare" fleet work --yes --idle 0.1 -q --dir spool.second "$(url)" >out 2>&1 || fail "version 2: work: $(cat out)"
expect "version 2 is brought to 3" 3 "$(sql 'SELECT version FROM tare.version')"
expect "version 2: the name of a worker" 1 "$(sql 'SELECT count(*) FROM tare.fleet_worker')"

# TLS: a server is known by its certificate alone (sslmode=verify-full), for history and queue; another authority's and another name are refused.
authority() { # NAME
    openssl req -x509 -newkey rsa:2048 -nodes -keyout "$1.key" -out "$1.crt" -days 2 -subj "/CN=$1" 2>/dev/null
}
authority ca
authority other
openssl req -newkey rsa:2048 -nodes -keyout tls.key -out tls.csr -subj /CN=localhost 2>/dev/null
openssl x509 -req -in tls.csr -CA ca.crt -CAkey ca.key -CAcreateserial -days 2 -out tls.crt 2>/dev/null || fail "TLS: no certificate"
stop_server QUIT
chown "$(stat -c %u "$sockets")" tls.key
chmod 600 tls.key
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
server_options="-c listen_addresses=127.0.0.1 -c port=$port -c ssl=on -c ssl_cert_file=$here/tls.crt -c ssl_key_file=$here/tls.key"
echo 'hostssl all all 127.0.0.1/32 trust' >"$here/hba" # and nothing without TLS
grep '^local' "$sockets/pg_hba.conf" >>"$here/hba"
cat "$here/hba" >"$sockets/pg_hba.conf"
export PGPORT="$port"
start_server || fail "TLS: the server does not come up: $(tail -n 5 "$sockets.log")"
tls() { # HOST AUTHORITY [MODE]
    echo "postgresql://owner@$1:$port/bench?hostaddr=127.0.0.1&sslmode=${3-verify-full}&sslrootcert=$here/$2.crt"
}
"$tare" history list --dir "$(tls localhost ca)" >out 2>&1 || fail "TLS: history: $(cat out)"
"$tare" fleet work --yes -q --name tls --dir spool.tls --idle 0.1 "$(tls localhost ca)" >out 2>&1 || fail "TLS: work: $(cat out)"
not_by() { # WHY HOST AUTHORITY [MODE]
    why=$1
    shift
    for command in "history list --dir" "fleet work --yes -q --dir spool.tls --idle 0.1"; do
        # shellcheck disable=SC2086 # words
        "$tare" $command "$(tls "$@")" >out 2>&1
        expect "TLS, $why: exit code of $command" 6 $?
        grep -q "$why" out || fail "TLS, $why: $(cat out)"
    done
}
not_by 'certificate verify failed' localhost other
not_by 'does not match host name' elsewhere ca
not_by 'no encryption' localhost ca disable
unset PGPORT

# Settings of a machine are its root's: a session with --tune says so, and its node measures nothing else.
mkdir tuned
chmod 777 tuned
cd tuned || exit 1
HOME=$PWD $server_as "$tare" fleet run --dir f --nodes 3 -- run --tune -r 6 -w 0 true >../out 2>&1
expect "--tune: exit code" 6 $?
cd "$here" || exit 1
grep -q 'needs root' out || fail "--tune: $(cat out)"
[ -z "$(find tuned/f -name 'unit-*.jsonl')" ] || fail "--tune: measured all the same"

bring_down
exit $failed
