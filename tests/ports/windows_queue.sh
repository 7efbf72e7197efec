# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2154 # read by windows.sh, whose variables and functions these are
# tare fleet and tare history with PostgreSQL: the server and the leader are here, the hosts are processes under Wine. The values are drawn from the seeds of
# the plan, so the table of hosts that were disturbed is that of one that measured all.
native=$(cd "$folder/.." && pwd)/cli/tare
! "$native" history list --dir postgresql:///x 2>&1 | grep -q 'without libpq' || { echo "skipped: tare was built without libpq" && exit 77; }
library=$(cd "$folder-libraries/bin" && pwd)/libpq.dll
scratch=$(mktemp -d)
chmod 755 "$scratch"
x86_64-w64-mingw32-gcc -O2 "$here/measured.c" -o "$scratch/measured.exe" -municode -static
tare=$(cd "$folder" && pwd)/cli/tare.exe out=$scratch/out
cd "$scratch" || exit
server='' started=''
# shellcheck disable=SC2086 # ids
trap 'code=$?; kill -9 $started 2>/dev/null || :; [ -z "$server" ] || stop_server QUIT; wineserver -k 2>/dev/null || :; rm -rf "$WINEPREFIX" "$scratch"; exit "$code"' EXIT
unset PGHOST PGUSER PGDATABASE PGSERVICE PGOPTIONS TARE_FLEET_HOST SLURMD_NODENAME
export PGPORT=$((20000 + $$ % 20000)) XDG_STATE_HOME="$scratch/state" NO_COLOR=1
make_server "$scratch/data" -c listen_addresses=127.0.0.1 || { tail -n 5 data.log && exit 1; }
create bench >/dev/null
at=postgresql://owner@127.0.0.1:$PGPORT/bench

# libpq.dll is not taken from the current folder, however PATH names that, and one that does not load is named.
cp "$library" .
mkdir broken "sou;nd"
echo 'no library' >broken/libpq.dll
export WINEPATH='.;\;'
set -- fleet work --yes "$at"
run library_missing 6 "$tare" "$@"
talks 'PostgreSQL needs libpq: libpq.dll is neither beside tare.exe nor in a folder of PATH'
WINEPATH=$(winepath -w broken)
run library_broken 6 "$tare" "$@"
talks 'cannot load .*broken.libpq.dll'
mv libpq.dll "sou;nd"
WINEPATH="$WINEPATH;\"$(winepath -w 'sou;nd')\""
run password 2 "$tare" fleet work --yes "postgresql://owner:secret@127.0.0.1:$PGPORT/bench"
talks 'put it into PGPASSFILE'
run unasked 2 "$tare" fleet work "$at"
talks 'no terminal to ask on'
run tables 0 "$tare" fleet work --yes --idle 0.1 "$at"
expect tables 3 "$(sql 'SELECT version FROM tare.version')"

# One machine alone: the reference.
set -- --nodes 3 --blocks 2 --seed 7 -- run -r 6 -w 0 -N --metric 'regex:value=value ([0-9]+)' 'measured value old' 'measured value new'
table() { # FOLDER: the answer, without widths and what is said of the machine
    "$native" fleet collect --dir "$1" --style basic -q 2>&1 | sed 's/block/node/g' | tr -s ' ' | grep -v '^ 3 nodes\|^ ! '
}
run plan 0 "$tare" fleet plan "$@"
shows '"type":"plan"'
run alone 0 "$tare" fleet run --dir local.d --style basic "$@"
shows '[0-9] % more'
run status 0 "$tare" fleet status --dir local.d
shows '6 of 6 units measured'
run collect 0 "$tare" fleet collect --dir local.d --style basic
shows '[0-9] % more'
table local.d >wanted

# Ended by Ctrl-C in a unit, killed in one, and the other hosts.
allowed='run -r 6 -w 0 -N --metric * "measured value old" "measured value new"'
work() { # HOST OPTION...: $worker
    host=$1
    shift
    pgpassword=secret wine "$tare" fleet work --name "$host" --dir "spool.$host" "$@" "$at" >>"$host.txt" 2>&1 </dev/null &
    worker=$!
    started="$started $worker"
}
touch held.w2 held.w3
"$native" fleet run --dir queue.d --style basic --engine queue --queue "$(url)" --lost-after 20 "$@" >leader.txt 2>&1 &
leader=$! started="$started $!"
work w1 --allow "$allowed"
work w2 --yes && killed=$worker
wait_for 120 test -s began.w2 || fail "queue: w2 does not begin: $(cat leader.txt w1.txt w2.txt)"
{
    until_there . began.w3 && printf '\003' && until_there . returned
} | timeout 600 script -qec "wine '$tare' fleet work --name w3 --dir spool.w3 --yes '$at'" /dev/null >w3.txt 2>&1 &
started="$started $!"
returned() { [ "$(sql "SELECT count(*) FROM tare.fleet_unit WHERE failure='its worker was interrupted' AND heard IS NULL")" = 1 ]; }
wait_for 120 returned || fail "Ctrl-C: the unit was not returned: $(cat w3.txt)"
echo yes >returned
kill -9 "$killed"
rm held.w2 held.w3
work w3 --yes
work w4 --yes
code=0
wait "$leader" || code=$?
expect "queue: exit code" 0 $code
table queue.d | diff wanted - || fail "queue: the table is not that of the undisturbed run: $(cat leader.txt w1.txt w4.txt)"
expect "queue: hosts" ' 2 "fleet_host":"w1" 2 "fleet_host":"w3" 2 "fleet_host":"w4" ' "$(grep -ho '"fleet_host":"[^"]*"' queue.d/unit-*.jsonl | sort | uniq -c | tr -s ' \n' ' ')"
expect "queue: records" 6 "$(find queue.d -name 'unit-*.jsonl' | wc -l)"
grep -q 'attempt 2, as nothing was heard of host w2 any more' leader.txt || fail "queue: the killed host is not named: $(cat leader.txt)"
[ ! -e late.w2 ] || fail "queue: the program of a killed worker lived on"
[ ! -e late.w3 ] || fail "queue: the program of an interrupted worker lived on"
run status_queue 0 "$tare" fleet status --dir queue.d
shows '6 of 6 units measured'

# A history in the same database, written there and here.
x86_64-w64-mingw32-gcc -O2 "$here/git_stand_in.c" -o git.exe -static
run history 0 "$tare" fleet collect --dir queue.d -q --history="$at"
rm git.exe
run history_list 0 "$tare" history list --dir "$at"
"$native" history list --dir "$(url)" | tr -s ' ' >here.txt
tr -d '\r' <"$out" | tr -s ' ' | diff - here.txt || fail "history: the lists differ"
