#!/bin/sh
# SPDX-License-Identifier: MIT
# A history in PostgreSQL: what every command says of it is what it says of the same history in a folder; roles, projects, what is added twice or at once, and
# what happens when the server or tare is stopped in the middle. The server is a cluster of its own in a scratch folder, on a socket alone. 77: there is none, or
# tare was built without libpq.
#
#   tests/store/postgres.sh TARE
set -eu
tare=$1
fail() {
    echo "$*"
    exit 1
}
# shellcheck source=tests/store/database.sh
. "$(dirname "$0")/database.sh"
has_postgresql || { echo "skipped: there is no PostgreSQL (./dev deps ports installs it)" && exit 77; }
! "$tare" history list --dir postgresql:///x 2>&1 | grep -q 'without libpq' || { echo "skipped: tare was built without libpq" && exit 77; }

# The server refuses to run as root, and so nothing does but what measures.
place=${2:-$(mktemp -d)}
if [ $# -eq 1 ]; then
    trap 'rm -rf "$place"' EXIT
    "$tare" run -r 6 --style none --save "$place/session.jsonl" true 'sleep 0'
    "$tare" run -r 12 --style none --anchor true --save "$place/anchored.jsonl" 'sleep 0'
    "$tare" fleet run --dir "$place/fleet" --nodes 3 --style none -q -- run -r 2 -w 0 true 'sleep 0'
    mkdir -p "$place/bin" "$place/libexec/tare"
    cp "$0" "$(dirname "$0")/database.sh" "$tare" "$place/bin/"
    cp "$(dirname "$tare")/../libexec/tare/tare-spawn" "$place/libexec/tare/"
    as=''
    if [ "$(id -u)" -eq 0 ]; then
        user=$(getent passwd postgres nobody | head -n 1 | cut -d: -f1)
        chown -R "$user" "$place"
        as="setpriv --reuid=$user --regid=$(id -g "$user") --clear-groups"
    fi
    # shellcheck disable=SC2086 # words
    $as env HOME="$place" TMPDIR="$place" "$place/bin/postgres.sh" "$place/bin/tare" "$place"
    exit
fi
umask 000
scratch=$place
server='' holder=''
at_end() {
    [ -z "$holder" ] || kill "$holder" 2>/dev/null || :
    [ -z "$server" ] || stop_server QUIT
}
trap at_end EXIT
unset PGHOST PGPORT PGUSER PGDATABASE PGSERVICE PGOPTIONS
export HOME="$place" XDG_STATE_HOME="$place/state" GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null NO_COLOR=1 PGTZ=UTC
until_true() { # WHAT COMMAND...: a minute at most
    what=$1 tries=0
    shift
    until "$@" >/dev/null 2>&1; do
        tries=$((tries + 1))
        [ $tries -lt 600 ] || fail "waited a minute for $what"
        sleep 0.1
    done
}
exits() { # CODE WORD...: tare history with them
    wanted=$1 code=0
    shift
    "$tare" history "$@" >"$place/said" 2>&1 </dev/null || code=$?
    [ $code -eq "$wanted" ] || fail "tare history $*: code $code, not $wanted: $(cat "$place/said")"
}
says() { # TEXT
    grep -q -e "$1" "$place/said" || fail "nothing like '$1' in: $(cat "$place/said")"
}
count() { # TABLE
    sql "SELECT count(*) FROM tare.$1"
}
same() { # WORD...: of tare history, about the folder and the database: text, errors and code; notes were made one after the other
    for of in "$folder" "$(url)"; do
        code=0
        "$tare" history "$@" --dir "$of" >"$place/out" 2>&1 </dev/null || code=$?
        echo "exit $code" >>"$place/out"
        sed "s|$of|HISTORY|g; /^ *\"time\": /d; /^ *\"id\": \"[0-9a-f]\{32\}\"/d; s/^  20[-0-9T:]*Z  \([a-z]* .* by \)/\1/" "$place/out" >"$place/said.$([ "$of" = "$folder" ] && echo folder || echo database)"
    done
    diff "$place/said.folder" "$place/said.database" || fail "of tare history $* differs"
}

make_server "$place/data" || fail "the server does not come up: $(tail -n 5 "$sockets.log")"
create bench
folder=$place/folder

# Functions of another role that fit tare's arguments better than PostgreSQL's own are never called: each would end what follows.
sql 'CREATE ROLE planter LOGIN; GRANT CREATE ON SCHEMA public TO planter'
for planted in 'pg_advisory_xact_lock(integer)' 'array_position(bigint[], bigint)' 'cardinality(double precision[])'; do
    sql "CREATE FUNCTION public.$planted RETURNS integer LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RAISE EXCEPTION \$\$planted\$\$; END'" planter
done

# Commits, and results of each: a step, an anchor, samples, names with all that could be taken for something else.
git init -q "$place/repository"
cd "$place/repository"
git config user.name Ann
git config user.email ann@example.org
echo 'commit,benchmark,metric,value' >../all.csv
for i in $(seq 40); do
    echo "$i" >file
    git add file
    GIT_COMMITTER_DATE="$((1700000000 + i * 86400)) +0000" git commit -q -m "change $i" --date "$((1700000000 + i * 86400)) +0000"
    hash=$(git rev-parse HEAD)
    [ "$i" -lt 20 ] && step=100 || step=130
    for k in 1 2 3 4 5; do
        echo "$hash,sort,wall,$((step * 1000 + i * 37 % 11 * 100 + k * 13)).25"
        echo "$hash,\"it's \"\"{,}\\ NULL; ''); --\",wall,$((5000000 + i * 71 % 17 * 1000 + k))"
    done >>../all.csv
done
echo '{"results":[{"command":"old","mean":1.1,"stddev":0.1,"median":1.1,"user":1,"system":0.1,"min":1,"max":1.2,"times":[1,1.05,1.1,1.15,1.2,1.1234567,1.0000000000000002]},
    {"command":"older","mean":1.1,"stddev":0.1,"median":1.1,"user":1,"system":0.1,"min":1,"max":1.2,"times":[1,1.1,1.2,1,1.2]}]}' >../hyperfine.json
both() { # WORD...: of tare history, for the folder and the database
    exits 0 "$@" --dir "$folder"
    exits 0 "$@" --dir "$(url)"
}
exits 0 list --dir "$(url)"
says 'has no results yet'
both import ../all.csv
both add --class ci ../session.jsonl
both add --class ci --rev HEAD~3 ../session.jsonl ../anchored.jsonl
both add --rev HEAD~5 ../hyperfine.json
for of in "$folder" "$(url)"; do
    "$tare" fleet collect --dir ../fleet --style none --history="$of" --class ci >"$place/said" 2>&1 || fail "fleet: $(cat "$place/said")"
    says '3 sessions added'
done
both note sort HEAD~20 --accepted --note "it's meant \"so\"" --who Ann
both note all HEAD~30 --reset --who Ann
both note --alias sort=sorted --who Ann
[ "$(count file)" -eq "$(find "$folder" -name '*.jsonl' | wc -l)" ] || fail "the database has $(count file) files"
[ "$(sql "SELECT count(DISTINCT tableoid) FROM tare.result")" -ge 2 ] || fail "no months"
[ "$(count result_other)" -eq 0 ] || fail "results of no month"

sql "SELECT id FROM tare.file WHERE head LIKE '{\"type\":\"history\",%' ORDER BY id" >"$place/ids"
grep -l '^{"type":"history",' "$folder"/*.jsonl | sed 's|.*/||; s|\.jsonl||' | sort | diff - "$place/ids" || fail "sessions have other ids"

# The queries.
same list
same list -v
same show sorted
same show -v "it's"
same show -v true
same check
same check --margin 50%
same bisect sorted --dry-run --build true
for format in json csv otava github-action-benchmark; do
    same export --format $format -
done
same list --export-json -
same list --class ci --export-csv -
same prune --older-than 1d --dry-run
"$tare" history html --dir "$folder" "$place/html" >/dev/null 2>&1
"$tare" history html --dir "$(url)" "$place/html.database" >/dev/null 2>&1
diff -r -x site.manifest "$place/html" "$place/html.database" >/dev/null || fail "the pages differ: $(diff -r -x site.manifest "$place/html" "$place/html.database" | head -n 20)"

# Twice, at once.
before=$(count result)
exits 0 add --class ci ../session.jsonl --dir "$(url)"
says 'there already'
exits 0 import ../all.csv --dir "$(url)"
[ "$(count result)" -eq "$before" ] || fail "what was added twice is there twice"
pids=''
for i in 1 2 3 4 5 6 7 8; do
    "$tare" history add --class "pool $((i % 4))" ../session.jsonl ../anchored.jsonl --dir "$(url)" >"$place/at_once.$i" 2>&1 &
    pids="$pids $!"
done
for pid in $pids; do
    wait "$pid" || fail "one of several failed: $(cat "$place"/at_once.*)"
done
for i in 0 1 2 3; do
    exits 0 add --class "pool $i" ../session.jsonl ../anchored.jsonl --dir "$folder"
done
same list -v
same export --format json -

# Who makes a month waits for those who are adding, and they for nothing that it holds.
psql -qAtX -v ON_ERROR_STOP=1 -h "$sockets" -U owner -d "$database" >"$place/said" 2>&1 <<'END' &
BEGIN;
INSERT INTO tare.file(project,id,measured,head) SELECT key,md5('adding'),now(),'' FROM tare.project LIMIT 1;
DO $$ BEGIN WHILE NOT EXISTS (SELECT FROM pg_locks WHERE NOT granted) LOOP PERFORM pg_sleep(0.05); END LOOP; END $$;
SELECT FROM tare.result LIMIT 1;
ROLLBACK;
END
holder=$!
until_true "who is adding" sh -c "psql -qAtX -h '$sockets' -U owner -d '$database' -c \"SELECT query FROM pg_stat_activity WHERE pid<>pg_backend_pid()\" | grep -q '^DO'"
sql "SELECT tare.add_month('2040-01-01')" >/dev/null || fail "no month is made while somebody adds"
wait "$holder" || fail "who adds while a month is made fails: $(cat "$place/said")"
holder=''

# Roles. What they may is by role and project.
project=$(git rev-list --max-parents=0 HEAD)
sql "CREATE ROLE ci LOGIN; CREATE ROLE guest LOGIN; CREATE ROLE other LOGIN; CREATE ROLE nobody LOGIN;
     GRANT tare_writer TO ci, other; GRANT tare_reader TO guest;
     INSERT INTO tare.member VALUES ('ci', '$project'), ('guest', '*'), ('other', 'another project')"
"$tare" history list --dir "$(url)" >"$place/all"
for role in ci guest; do
    "$tare" history list --dir "$(url $role)" | diff "$place/all" - || fail "$role sees something else"
done
exits 0 list --dir "$(url other)"
says 'has no results yet'
exits 6 list --dir "$(url nobody)"
says 'permission denied'
exits 0 add --class 'of ci' ../session.jsonl --dir "$(url ci)"
exits 0 note sorted HEAD --note 'by ci' --who ci --dir "$(url ci)"
exits 6 add --class 'of guest' ../session.jsonl --dir "$(url guest)"
says 'may read results and not add'
exits 6 add --class 'of another' ../session.jsonl --dir "$(url other)"
says 'row-level security'
exits 6 prune --older-than 1d --keep-quantiles 3 --dir "$(url ci)"
says 'permission denied'
for table in version member project file series result; do
    column=$(sql "SELECT column_name FROM information_schema.columns WHERE table_schema='tare' AND table_name='$table' AND is_identity='NO' LIMIT 1")
    for statement in "UPDATE tare.$table SET $column=NULL" "DELETE FROM tare.$table" "TRUNCATE tare.$table" "DROP TABLE tare.$table"; do
        refused guest "$statement"
        refused ci "$statement"
    done
    refused guest "INSERT INTO tare.$table DEFAULT VALUES"
done
refused ci "INSERT INTO tare.member VALUES ('ci', '*')"
refused ci "INSERT INTO tare.file(project,key,id,measured,head) OVERRIDING SYSTEM VALUE SELECT project,key+99,md5('x'),measured,head FROM tare.file LIMIT 1"
refused ci "SELECT count(*) FROM tare.result_2023_12"
refused ci "CREATE TABLE tare.mine()"
refused other "INSERT INTO tare.file(project,id,measured,head) VALUES (1,md5('x'),now(),'{}')"
refused guest "SELECT tare.add_month(now())"
sql "CREATE SCHEMA of_other AUTHORIZATION other"
sql "CREATE FUNCTION of_other.yes(name, name) RETURNS boolean LANGUAGE sql AS 'SELECT true';
     CREATE OPERATOR of_other.= (LEFTARG = name, RIGHTARG = name, FUNCTION = of_other.yes)" other
[ "$(sql 'SET search_path = of_other, pg_catalog; SELECT count(*) FROM tare.file' other)" -eq 0 ] || fail "an operator of one's own shows all projects"
sql "GRANT SELECT ON tare.result_2023_12 TO other"
[ "$(sql 'SELECT count(*) FROM tare.result_2023_12' other)" -eq 0 ] || fail "a partition shows all projects"
sql "INSERT INTO tare.result(project,measured,series,file,place,n) SELECT f.project,'2033-05-05',s.key,f.key,1000000,1
     FROM tare.file f JOIN tare.series s USING (project) LIMIT 1; SELECT tare.add_month('2033-05-06')" ci
sql "DELETE FROM tare.result WHERE place=1000000"
create planted
sql 'GRANT CREATE ON DATABASE planted TO planter'
sql 'CREATE SCHEMA tare; CREATE TABLE tare.version(version integer NOT NULL); INSERT INTO tare.version VALUES (3)' planter
exits 6 add ../session.jsonl --dir "$(url)"
says 'the schema tare belongs to planter'
exits 6 list --dir "$(url)"
sql 'ALTER DATABASE planted OWNER TO planter'
sql 'DROP TABLE tare.version'
exits 0 list --dir "$(url)"
database=bench
[ -z "$(find "$XDG_STATE_HOME" -name '*.jsonl' 2>/dev/null)" ] || fail "what is refused waits for another try"

# Away: kept, and sent by the next one; also where it goes away in the middle, and where tare is killed there.
exits 0 add --class 'of ci' ../session.jsonl --dir "$folder"
exits 0 note sorted HEAD --note 'by ci' --who ci --dir "$folder"
hold() { # till $holder ends nobody can add a result; tare history WORD... begins to, as $adding
    psql -qX -h "$sockets" -U owner -d "$database" -c "BEGIN; LOCK TABLE tare.result; SELECT pg_sleep(3600)" >/dev/null 2>&1 &
    holder=$!
    until_true "the lock" sh -c "[ \"\$(psql -qAtX -h '$sockets' -U owner -d '$database' -c \"SELECT count(*) FROM pg_locks WHERE granted AND mode='AccessExclusiveLock' AND relation='tare.result'::regclass\")\" = 1 ]"
    "$tare" history "$@" >"$place/said" 2>&1 </dev/null &
    adding=$!
    until_true "tare in the middle" sh -c "[ \"\$(psql -qAtX -h '$sockets' -U owner -d '$database' -c \"SELECT count(*) FROM pg_locks l JOIN pg_stat_activity USING (pid) WHERE NOT granted AND application_name='tare'\")\" = 1 ]"
}
before=$(count file)
hold add --class killed ../session.jsonl --dir "$(url)"
kill -9 "$adding"
wait "$adding" 2>/dev/null || :
kill "$holder"
wait "$holder" 2>/dev/null || :
sql "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE '%pg_sleep(3600)%' AND pid<>pg_backend_pid()" >/dev/null
until_true "the end of what was killed" sh -c "[ \"\$(psql -qAtX -h '$sockets' -U owner -d '$database' -c \"SELECT count(*) FROM pg_stat_activity WHERE application_name='tare'\")\" = 0 ]"
[ "$(count file)" -eq "$before" ] || fail "half of what was killed is there"
both add --class killed ../session.jsonl

hold add --class interrupted ../session.jsonl --dir "$(url)"
stop_server QUIT
code=0
wait "$adding" || code=$?
wait "$holder" 2>/dev/null || :
holder=''
[ $code -eq 6 ] || fail "away in the middle: code $code: $(cat "$place/said")"
says "kept in $XDG_STATE_HOME/tare/unsent/"
[ -z "$(find "$XDG_STATE_HOME" -type d -perm /022)" ] || fail "others may write to $(find "$XDG_STATE_HOME" -type d -perm /022)"
exits 6 add --class away ../session.jsonl ../anchored.jsonl --dir "$(url)"
says "kept in $XDG_STATE_HOME/tare/unsent/"
exits 6 note sorted HEAD~1 --note away --who Ann --dir "$(url)"
exits 6 list --dir "$(url)"
says 'the database: connection to server'
[ "$(find "$XDG_STATE_HOME" -name '*.jsonl' | wc -l)" -eq 3 ] || fail "not three are kept"
start_server || fail "the server does not come up again"
exits 0 add --class back ../session.jsonl --dir "$(url)"
[ -z "$(find "$XDG_STATE_HOME" -name '*.jsonl')" ] || fail "something still waits"
exits 0 add --class interrupted ../session.jsonl --dir "$folder"
exits 0 add --class away ../session.jsonl ../anchored.jsonl --dir "$folder"
exits 0 add --class back ../session.jsonl --dir "$folder"
same list -v
same export --format json -

# Values are thinned by the owner, but not where some of a session could not be read and would be lost.
before=$(count result)
sql "UPDATE tare.series SET unit=unit||'x' WHERE benchmark='older'"
exits 6 prune --older-than 1d --keep-quantiles 3 --dir "$(url)"
says 'left as it is'
[ "$(count result)" -eq "$before" ] || fail "what could not be read was removed"
sql "UPDATE tare.series SET unit=left(unit,-1) WHERE benchmark='older'"
both prune --older-than 1d --keep-quantiles 3
same show -v sorted
same export --format json -

# An event is about series of its own project alone.
sql "INSERT INTO tare.project(name) VALUES ('another project')" other
sql "INSERT INTO tare.file(project,id,measured,head) SELECT key,md5('reset'),now(),
     '{\"type\":\"history_event\",\"schema\":1,\"at\":\"2026-11-28T09:00:00.000000000Z\",\"kind\":\"reset\",\"project\":\"another project\",\"revision\":\"$(git rev-parse HEAD)\",\"who\":\"other\"}'
     FROM tare.project" other
same check
same show sorted
sql "DELETE FROM tare.file WHERE id=md5('reset')"

# What others may have written there is left out and named, as is what a member of one project says of all; of a newer tare nothing is
# taken; an older version is brought to this one.
sql "INSERT INTO tare.file(project,id,measured,head) SELECT key,md5('bad'),now(),'{\"type\":\"history\",\"schema\":1' FROM tare.project LIMIT 1;
     INSERT INTO tare.series(project,id,benchmark,arguments,class,version,metric,title,unit,kind,direction)
     SELECT key,'0123456789ab',E'\\e[2J','','','','m','m','u','time','lower' FROM tare.project LIMIT 1"
sql "INSERT INTO tare.file(project,id,measured,head) SELECT key,md5('all'),now(),
     '{\"type\":\"history_event\",\"schema\":1,\"at\":\"2026-11-28T09:00:00.000000000Z\",\"kind\":\"alias\",\"who\":\"ci\",\"from\":\"sorted\",\"to\":\"mine\"}'
     FROM tare.project WHERE name='$project'" ci
exits 0 list --dir "$(url)"
says "$(echo bad | tr -d '\n' | md5sum | cut -c1-32).*line 1"
says 'series [0-9]*: not what tare writes'
says 'of another project'
says 'sorted'
sql "UPDATE tare.version SET version=4"
for command in list "add ../session.jsonl"; do
    # shellcheck disable=SC2086 # words
    exits 6 $command --dir "$(url)"
    says 'use a newer tare'
done
create old
sql "CREATE SCHEMA tare; CREATE TABLE tare.version(version integer NOT NULL); INSERT INTO tare.version VALUES (0)"
exits 0 list --dir "$(url)"
exits 0 add ../session.jsonl --dir "$(url)"
[ "$(sql 'SELECT version FROM tare.version')" -eq 3 ] || fail "still of version 0"
exits 2 list --dir "postgresql://owner:secret@/old?host=$sockets"
says 'PGPASSFILE'
exits 2 list --dir "postgresql:///old?host=$sockets&sslpassword=secret"
says 'PGPASSFILE'
exits 2 list --dir "postgresql://x?nonsense=1"
create measured
# What opens a database is not for the programs that are measured.
PGPASSWORD=secret PGPASSFILE="$place/none" PGAPPNAME=kept "$tare" run -q -r 2 -w 0 --history="$(url)" 'env | grep ^PG >pg' >/dev/null 2>&1 || fail "run --history"
[ "$(grep -v PGTZ= pg)" = PGAPPNAME=kept ] || fail "a program that is measured gets $(cat pg)"

echo "a history in PostgreSQL says what the same folder says"
