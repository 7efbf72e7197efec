#!/bin/sh
# SPDX-License-Identifier: MIT
# How many units a second the queue of tare fleet gives out and takes back: clients that call what a worker calls (take, beat, deliver), on a PostgreSQL server of its
# own with its data in /dev/shm, so without the disk. Each unit has to be there exactly once at the end. Prints Markdown.
#
#   ./dev bench queue [CLIENTS [KILOBYTES]]      bench/queue.sh BUILD-FOLDER [CLIENTS [KILOBYTES of a record]]
set -eu
cd "$(dirname "$0")/.."
build=$(cd "$1" && pwd)
clients=${2:-4}
kilobytes=${3:-50}
plans=5 blocks=100 # of a node for each client
bin=$(find /usr/lib/postgresql -maxdepth 2 -name bin | sort -V | tail -n 1)
[ -x "$bin/pgbench" ] || { echo "there is no PostgreSQL with pgbench (./dev deps ports installs it)" >&2 && exit 77; }

folder=$(mktemp -d /dev/shm/tare-queue.XXXXXX)
chmod 755 "$folder"
mkdir "$folder/data"
as=''
[ "$(id -u)" -ne 0 ] || {
    user=$(getent passwd postgres nobody | head -n 1 | cut -d: -f1)
    as="setpriv --reuid=$user --regid=$(id -g "$user") --clear-groups"
    chown "$user" "$folder/data"
}
server=''
at_end() {
    [ -z "$server" ] || kill -QUIT "$server" 2>/dev/null || :
    wait 2>/dev/null || :
    rm -rf "$folder"
}
trap at_end EXIT
trap 'exit 1' HUP INT TERM
# shellcheck disable=SC2086 # words
LC_ALL=C $as "$bin/initdb" -D "$folder/data" -A trust -U owner -E UTF8 --no-sync >"$folder/log"
# shellcheck disable=SC2086 # words
$as "$bin/postgres" -D "$folder/data" -k "$folder/data" -c unix_socket_permissions=0777 -c listen_addresses= >>"$folder/log" 2>&1 &
server=$!
sql() {
    psql -qAtX -v ON_ERROR_STOP=1 -h "$folder/data" -U owner -d postgres "$@"
}
tries=600
until sql -c 'SELECT 1' >/dev/null 2>&1; do
    tries=$((tries - 1))
    [ $tries -gt 0 ] || exit 1
    sleep 0.1
done
sql -f src/store/server_schema.sql
sql -f src/store/queue_schema.sql
sql -c "CREATE ROLE hosts LOGIN; GRANT tare_worker TO hosts;
    INSERT INTO tare.fleet(name,plan,attempts,lost,timeout_s,open) SELECT format('%s-0123456789abcdef', lpad(p::text, 12, '0')),'',3,'1min',0,true FROM generate_series(1,$plans) p;
    INSERT INTO tare.fleet_node(fleet,node,kept) SELECT name,n,false FROM tare.fleet, generate_series(1,$clients) n;
    INSERT INTO tare.fleet_unit(fleet,unit,node,attempt) SELECT name,(b-1)*$clients+n,n,0 FROM tare.fleet, generate_series(1,$clients) n, generate_series(1,$blocks) b"
names=$(sql -c "SELECT array_agg(name) FROM tare.fleet")
cat >"$folder/unit.sql" <<END
SELECT quote_literal(name) AS name, unit, attempt FROM tare.fleet_take('$names', 'host' || :client_id) \gset
SELECT tare.fleet_beat(:name, :unit, :attempt, 'host' || :client_id);
SELECT tare.fleet_deliver(:name, :unit, :attempt, 'host' || :client_id, encode(sha256(convert_to(r, 'UTF8')), 'hex'), r) FROM (SELECT repeat(md5(:name || :unit), $kilobytes * 32) r) x;
END
units=$((clients * plans * blocks))
echo "Machine: $(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -1), $(nproc) CPUs, kernel $(uname -r), $(date -u +%Y-%m-%d). PostgreSQL $("$bin/postgres" --version | sed 's/.*) //')," \
    "tare $("$build/cli/tare" --version | awk 'NR == 1 { print $2 }'), load average $(cut -d' ' -f1 /proc/loadavg) at the start."
echo
"$bin/pgbench" -n -h "$folder/data" -U hosts -d postgres -c "$clients" -j "$clients" -t $((plans * blocks)) -f "$folder/unit.sql" >"$folder/said" 2>&1 || { cat "$folder/said" >&2 && exit 1; }
delivered=$(sql -c "SELECT count(id) FROM tare.fleet_unit")
twice=$(sql -c "SELECT count(*) FROM tare.fleet_unit WHERE attempt<>1")
echo "| clients | records of | units a second | ms from take to delivered | done | given out twice |"
echo "|---:|---:|---:|---:|---:|---:|"
awk -v clients="$clients" -v kb="$kilobytes" -v of="$delivered of $units" -v twice="$twice" '
    /^latency average/ { ms = $4 }
    /^tps/ { printf "| %d | %d kB | %.0f | %.2f | %s | %d |\n", clients, kb, $3, ms, of, twice }' "$folder/said"
[ "$delivered" -eq "$units" ] && [ "$twice" -eq 0 ]
