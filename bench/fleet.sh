#!/bin/sh
# SPDX-License-Identifier: MIT
# What `tare fleet` adds to what it measures, how much its queue and a history take, and what 1000 nodes come to. Prints Markdown; docs/archive/fleet.md holds one run.
#
#   ./dev bench fleet [OPTION...]                 bench/fleet.sh BUILD-FOLDER [OPTION...]
#       --part NAME     only this one; repeatable: step queue store samples nodes
#       --scale X       so much of it (1): --scale 0.1 has 1000 series of 100 commits in place of 10 000 of 1000, and 100 nodes
#       --label TEXT    what is said of the machine, kept in every line
#       --out FOLDER    where the raw lines and all data go (BUILD-FOLDER/bench/fleet), 7 GB at most; a later call appends lines
#       --summary       print the tables of what is there and end
#       --page          put them into docs/archive/fleet.md, below its marker, and end
#
# step     units whose program does nothing, by what an engine runs for a unit, and the same tare run alone; on this machine, on a Slurm cluster of virtual nodes, and
#          through the queue. The first two in rounds, in drawn order (tare run); of the queue ten units at a time, and as many sessions alone before or after them
# queue    clients that call what a worker calls (take, beat, deliver), on a server with its data in /dev/shm, so without the disk; records of 50 kB
# store    a history with a result of each series in each commit, in a folder and in PostgreSQL, filled by what tare history add does and asked by tare history. A tenth of
#          the series comes first: it says how long the rest takes, and what grows with the number of series. A few sessions are added by one process, the rest by two at
#          once, to PostgreSQL without looking up each row's series and file (session_replication_role): that they are there is checked afterwards, and the rows of the
#          first sessions are held against those that were added with it. Then: the first list, which makes the index, or vacuum. Of PostgreSQL a reader asks, to whom
#          policies of rows apply
# samples  results with 1000 samples each, a tenth at a time. What 10^9 would take is the median rate and the size, times as many: so it assumes that
#          both stay, which the rate of the last tenth against the first is printed for
# nodes    plans; and fleets with a planted ratio of 1.05, whose records stand-in nodes made, each a session of its own with the host's name: the answer, and what it takes
#
# Cold: nothing of the store's files is in the kernel's cache, and the server has just been started. A median has its exact 95 % interval from six values on.
set -eu
cd "$(dirname "$0")/.."
build=$(cd "$1" && pwd)
shift
PATH=$PATH:/usr/sbin:/sbin

script=fleet
minutes=0 scale=1 label=unnamed out=$build/bench/fleet wanted='' summary=no
# shellcheck source=tests/ports/script.sh
. tests/ports/script.sh
# shellcheck source=tests/ports/cluster.sh
. tests/ports/cluster.sh
# shellcheck source=tests/store/database.sh
. tests/store/database.sh
# shellcheck source=bench/script.sh
. bench/script.sh
read_options part scale -- "$@"
case $scale in '' | *[!0-9.]* | *.*.*) fail "--scale: a number" ;; esac
check_wanted part step queue store samples nodes
open_folder
tare=$build/cli/tare
ingest=$build/bench/ingest
noop=$build/libexec/tare/tare-noop
schema=$PWD/src/store
unset PGHOST PGPORT PGUSER PGDATABASE PGSERVICE PGOPTIONS TARE_FLEET_HOST SLURMD_NODENAME
export XDG_STATE_HOME="$work/state" NO_COLOR=1

# ---- lines and tables

keep() { # PART ROW FIGURE: each line of standard input is a value
    while read -r value || [ "$value" ]; do # the last one may have no line feed
        printf '%s\t%s\t%s\t%s\t%s\t%s\n' "$1" "$2" "$3" "$value" "$(load1)" "$label" >>"$raw"
    done
}

# A row a row, a column a figure, in the order in which they came first
table() { # PART HEADING
    awk -F'\t' -v part="$1" -v heading="$2" "$figures"'
        function cell(row, column,    n, i, x) {
            n = count[row, column]
            for (i = 1; i <= n; i++) {
                x[i] = value[row, column, i]
                if (x[i] !~ /^-?[0-9.]+(e[-+]?[0-9]+)?$/) return x[i]
                x[i] += 0 }
            sort_numbers(x, n)
            return n ? exact_median(x, n) : "" }
        $1 == part {
            if (!($2 in most)) rows[++n_rows] = $2
            if (!($3 in known)) { known[$3]; columns[++n_columns] = $3 }
            k = ++count[$2, $3]; value[$2, $3, k] = $4
            if (k > most[$2]) most[$2] = k
            if (!from || $5 < from) from = $5
            if ($5 > to) to = $5 }
        END {
            if (!n_rows) exit
            printf "\n| %s |", heading
            for (c = 1; c <= n_columns; c++) printf " %s |", columns[c]
            printf " values |\n|---|"
            for (c = 1; c <= n_columns; c++) printf "---:|"
            print "---:|"
            for (r = 1; r <= n_rows; r++) {
                printf "| %s |", rows[r]
                for (c = 1; c <= n_columns; c++) printf " %s |", cell(rows[r], columns[c])
                print " " most[rows[r]] " |" }
            printf "\nLoad average: %s to %s.\n", from, to }' "$raw"
}

tables_of() { # PART
    case $1 in
    step) table step 'a unit' ;;
    queue) table queue clients ;;
    store) table fill 'history' && table query 'history, query' ;;
    samples) table samples store ;;
    nodes) table plan plan && table nodes nodes ;;
    esac
}

tables() {
    sed -n 's/^# \([0-9].*\)/- \1/p' "$raw"
    for of in $(wanted_of step queue store samples nodes); do
        tables_of "$of"
    done
}

# One run, which some end with code 3: sets its wall seconds, CPU seconds and peak MB; what it prints is in $work/said
run_once() { # COMMAND...
    # shellcheck disable=SC2046 # three words
    set -- $("$tare" run -w 0 -r 1 -i --style none --output "$work/said" --cwd "$repository" --export-csv - -- "$@" 2>"$work/err" |
        awk -F, 'NR == 2 { print $2, $5 + $6, $15 / 1e6 }')
    if [ $# -ne 3 ] || [ ! -s "$work/said" ]; then
        fail "a command to be measured failed: $(cat "$work/err" "$work/said")"
    fi
    wall=$1 cpu=$2 peak=$3
}

scaled() { # NUMBER LEAST
    calculate "$1 * $scale < $2 ? $2 : int($1 * $scale)"
}

make_database() { # NAME: with its tables
    create "$1"
    sql "$(cat "$schema/server_schema.sql" "$schema/queue_schema.sql" "$schema/queue_names.sql")"
}

end_server() {
    [ -z "$server" ] || stop_server INT
}

at_end() {
    # shellcheck disable=SC2086 # none, or one
    [ -z "$leader" ] || kill $leader 2>/dev/null || :
    end_server
    [ -z "$here" ] || (cd "$here" && bring_down)
    wait 2>/dev/null || :
    rm -rf "$shm" "$here" "$work/server" "$work/history" "$work/samples" "$work/site" "$work/nodes"
}

# ---- step

# Of each round of a record: what command A takes, and what B takes more, in ms
pairs() { # FILE A B
    awk -F'[][,:]' -v a="$2" -v b="$3" '/^{"type":"row"/ { ms[$4, $8] = $13 / 1e6; rounds = $8 > rounds ? $8 : rounds }
        END { for (i = 0; i <= rounds; i++) if ((a, i) in ms && (b, i) in ms) print ms[a, i], ms[b, i] - ms[a, i] }' "$1"
}

keep_pairs() { # ROW FILE A B
    pairs "$2" "$3" "$4" >"$work/pairs"
    cut -d' ' -f1 "$work/pairs" | keep step "$1" 'tare run alone, ms'
    cut -d' ' -f2 "$work/pairs" | keep step "$1" 'more, ms'
}

unit='run -N -w 0 -r 10'

make_command() { # FILE WORD...
    command=$1
    shift
    printf '#!/bin/sh\nexec %s\n' "$*" >"$command"
    chmod +x "$command"
}

make_commands() { # NAME [WORD...]: alone.NAME and step.NAME, behind these words
    name=$1
    shift
    rm -rf "$work/fleet.$name"
    # shellcheck disable=SC2086 # words
    "$tare" fleet plan --nodes 3 --blocks 100 --seed 1 -- $unit "$noop" >"$work/plan"
    mkdir "$work/fleet.$name"
    mv "$work/plan" "$work/fleet.$name/plan.jsonl"
    # shellcheck disable=SC2016 # for the script
    make_command "$work/step.$name" "$@" "$tare" fleet run --dir "$work/fleet.$name" --node 1 --block '$((HYPERFINE_ITERATION + 1))' --yes --quiet
    # shellcheck disable=SC2086 # words
    make_command "$work/alone.$name" "$@" "$tare" $unit --style none --save "$work/alone.jsonl" "$noop"
}

step_here() {
    cd "$work"
    rounds=$(scaled 60 10)
    make_commands local
    set -- ./alone.local ./step.local
    slurm=no
    if why=$(has_slurm); then
        here=$(mktemp -d)
        chmod 755 "$here"
        cd "$here"
        bring_up || fail "the cluster does not come up"
        cd "$work"
        salloc --no-shell --nodes=1 --nodelist=n1 2>"$work/err" || fail "$(cat "$work/err")"
        make_commands slurm srun --jobid="$(sed -n 's/.*Granted job allocation //p' "$work/err")" --nodelist=n1 --nodes=1 --ntasks=1 --input=none --export=ALL \
            --cpu-bind=none --overlap --quiet
        set -- "$@" ./alone.slurm ./step.slurm
        slurm=yes
    else
        echo "Slurm is left out: $why." >&2
    fi
    "$tare" run -N -w 0 -r "$rounds" --style none --save "$work/step.jsonl" "$@" 2>"$work/err" || fail "$(cat "$work/err")"
    keep_pairs 'tare fleet run --node, no engine' "$work/step.jsonl" 0 1
    if [ $slurm = yes ]; then
        keep_pairs 'a step of Slurm: tare fleet run in srun' "$work/step.jsonl" 2 3
        keep_pairs 'for comparison: tare run in srun' "$work/step.jsonl" 0 2
        (cd "$here" && bring_down)
        rm -rf "$here"
        here=''
    fi
    cd "$root"
}

# The ms between the times on standard input
intervals() {
    awk 'NR > 1 { printf "%.6f\n", ($1 - before) * 1000 } { before = $1 }'
}

median_of() {
    awk "$figures"'{ x[NR] = $1 } END { sort_numbers(x, NR); print (x[int((NR + 1) / 2)] + x[int(NR / 2) + 1]) / 2 }'
}

sessions_alone() {
    for i in 1 2 3 4 5 6 7 8 9 10 11; do
        now
        "$work/alone.local"
    done | intervals | median_of
}

# The plan of a leader that was killed stays in the queue; one host measures the eleven units of a node.
units_of_queue() { # ROUND
    rm -rf "$work/fleet.queue" "$work/spool"
    # shellcheck disable=SC2086 # words
    "$tare" fleet run --dir "$work/fleet.queue" --engine queue --queue "$(url)" --nodes 3 --blocks 11 --seed "$1" -q -- $unit "$noop" >/dev/null 2>&1 &
    leader=$!
    wait_for 60 plan_is_there || fail "the plan does not come into the queue"
    kill -9 "$leader"
    wait "$leader" 2>/dev/null || :
    leader=''
    "$tare" fleet work --yes --name "host$1" --dir "$work/spool" --idle 0.1 "$(url)" 2>&1 |
        while read -r line; do case $line in *': node '*) now ;; esac done | intervals | median_of
    sql "DELETE FROM tare.fleet"
}

plan_is_there() {
    [ "$(sql 'SELECT count(*) FROM tare.fleet_unit' 2>/dev/null)" = 33 ]
}

step_queue() {
    make_server "$shm/step" || fail "the server does not come up: $(tail -n 3 "$shm/step.log")"
    create bench
    "$tare" fleet work --yes --idle 0.1 -q --dir "$work/spool" "$(url)"
    i=0
    while [ $i -lt "$(scaled 10 6)" ]; do
        i=$((i + 1))
        if [ "$(random 2)" = 0 ]; then
            alone=$(sessions_alone)
            queued=$(units_of_queue $i)
        else
            queued=$(units_of_queue $i)
            alone=$(sessions_alone)
        fi
        echo "$alone" | keep step 'a unit of tare fleet work, from the queue' 'tare run alone, ms'
        calculate "$queued - $alone" | keep step 'a unit of tare fleet work, from the queue' 'more, ms'
    done
    end_server
}

part_step() {
    step_here
    ! has_postgresql || step_queue
}

# ---- queue

put_plans() { # CLIENTS BLOCKS
    sql "INSERT INTO tare.fleet(name,plan,attempts,lost,timeout_s,open) SELECT format('%s-0123456789abcdef', lpad(p::text, 12, '0')),'',3,'1min',0,true FROM generate_series(1,5) p;
        INSERT INTO tare.fleet_node(fleet,node,kept) SELECT name,n,false FROM tare.fleet, generate_series(1,$1) n;
        INSERT INTO tare.fleet_unit(fleet,unit,node,attempt) SELECT name,(b-1)*$1+n,n,0 FROM tare.fleet, generate_series(1,$1) n, generate_series(1,$2) b"
    cat >"$work/unit.sql" <<END
SELECT quote_literal(name) AS name, unit, attempt FROM tare.fleet_take('$(sql "SELECT array_agg(name) FROM tare.fleet")', 'host' || :client_id) \gset
SELECT tare.fleet_beat(:name, :unit, :attempt, 'host' || :client_id);
SELECT tare.fleet_deliver(:name, :unit, :attempt, 'host' || :client_id, encode(sha256(convert_to(r, 'UTF8')), 'hex'), r) FROM (SELECT repeat(md5(:name || :unit), 50 * 32) r) x;
END
}

queue_of() { # CLIENTS BLOCKS: of a node for each client
    make_database "queue$1"
    put_plans "$1" "$2"
    "$bin/pgbench" -n -h "$sockets" -U hosts -d "$database" -c "$1" -j "$1" -t $((5 * $2)) -f "$work/unit.sql" >"$work/said" 2>&1 || fail "$(cat "$work/said")"
    awk '/^tps/ { print $3 }' "$work/said" | keep queue "$1" 'units a second'
    awk '/^latency average/ { print $4 }' "$work/said" | keep queue "$1" 'ms from take to delivered'
    sql "SELECT count(id) || ' of ' || count(*) FROM tare.fleet_unit" | keep queue "$1" delivered
    sql "SELECT count(*) FILTER (WHERE attempt<>1) FROM tare.fleet_unit" | keep queue "$1" 'given out twice'
    [ "$(sql "SELECT count(*) FROM tare.fleet_unit WHERE id IS NULL OR attempt<>1")" = 0 ] || fail "units are missing, or were given out twice"
}

part_queue() {
    [ -x "$bin/pgbench" ] || { echo "The queue is left out: there is no pgbench." >&2 && return; }
    make_server "$shm/queue" || fail "the server does not come up: $(tail -n 3 "$shm/queue.log")"
    make_database queue
    sql 'CREATE ROLE hosts LOGIN; GRANT tare_worker TO hosts'
    for clients in 1 2 4 8; do
        queue_of $clients "$(scaled 100 10)"
    done
    end_server
    rm -rf "$shm/queue"
}

# ---- store

make_repository() { # COMMITS
    repository=$work/repository
    rm -rf "$repository"
    git init -q -b main "$repository"
    awk -v n="$1" 'BEGIN {
        for (i = 0; i < n; i++)
            printf "commit refs/heads/main\ncommitter t <t@example.org> %d +0000\ndata 4\nstep\nM 644 inline f\ndata 4\n%04d\n", 1764000000 + 28800 * i, i
    }' | git -C "$repository" fast-import --quiet
    git -C "$repository" log --reverse --format=%H >"$work/commits"
}

bytes_of() { # FILE...
    du -cB1 "$@" | tail -n 1 | cut -f1
}

forget_cache() { # FOLDER
    find "$1" -type f -exec sync -d {} +
    find "$1" -type f -exec dd if={} iflag=nocache count=0 status=none \;
}

# fill FROM FOLDER: the sessions from FROM on, by two processes, as there are two CPUs or more; sets the seconds
fill() {
    middle=$((($1 + commits) / 2))
    begun=$(now)
    "$ingest" -w "$1" $middle "$2" "$commits" "$series" 1 1 "$work/commits" >/dev/null &
    filling=$!
    "$ingest" -w $middle "$commits" "$2" "$commits" "$series" 1 1 "$work/commits" >/dev/null
    wait $filling || fail "$2 was not filled"
    filled=$(calculate "$(now) - $begun")
}

fill_folder() { # FOLDER ROW
    took=$("$ingest" -w 0 "$some" "$1" "$commits" "$series" 1 1 "$work/commits")
    calculate "$series * $some / $took" | keep fill "$2" 'added, results a second'
    fill "$some" "$1"
    calculate "$series * ($commits - $some) / $filled" | keep fill "$2" 'two at once'
    run_once "$tare" history list -q --dir "$1"
    echo "$wall" | keep fill "$2" 'then, s'
    calculate "$(bytes_of "$1") / $results" | keep fill "$2" 'bytes a result'
    calculate "$(bytes_of "$1"/index.sqlite) / $results" | keep fill "$2" 'of these indexes'
}

# All columns of all rows of a database's first sessions, without keys that the server gave
rows_of() { # SESSIONS
    sql "SELECT md5(string_agg(x::text, E'\n' ORDER BY x.id, x.place)) FROM (SELECT f.id, f.head, f.measured AS at, p.name, s.id AS series, s.benchmark, s.arguments, s.class, s.version,
        s.anchor, s.metric, s.title, s.unit, s.kind, s.direction, s.definition, r.measured, r.place, r.n, r.median, r.low, r.high, r.ratio, r.ratio_low, r.ratio_high, r.step, r.samples
        FROM (SELECT * FROM tare.file ORDER BY measured LIMIT $1) f JOIN tare.result r ON r.file=f.key JOIN tare.series s ON s.key=r.series JOIN tare.project p ON p.key=f.project) x"
}

bytes_in_database() { # total_relation_size or indexes_size
    sql "SELECT sum(pg_$1(c.oid)) FROM pg_class c JOIN pg_namespace n ON n.oid=c.relnamespace WHERE nspname='tare' AND relkind='r'"
}

fill_database() { # ROW
    make_database own
    took=$("$ingest" -w 0 "$some" "$(url)" "$commits" "$series" 1 1 "$work/commits")
    calculate "$series * $some / $took" | keep fill "$1" 'added, results a second'
    own_rows=$(rows_of "$some")
    make_database bench
    fill 0 "$(url)&options=-csession_replication_role%3Dreplica"
    calculate "$results / $filled" | keep fill "$1" 'two at once'
    [ "$(rows_of "$some")" = "$own_rows" ] || fail "the rows of $some sessions are not those that are added with look-ups"
    strays=$(sql "SELECT (SELECT count(*) FROM tare.result r WHERE NOT EXISTS (SELECT FROM tare.series s WHERE s.project=r.project AND s.key=r.series))
        + (SELECT count(*) FROM tare.result r WHERE NOT EXISTS (SELECT FROM tare.file f WHERE f.project=r.project AND f.key=r.file))")
    [ "$strays" = 0 ] || fail "$strays results have no series or file"
    begun=$(now)
    sql "VACUUM (ANALYZE) tare.result, tare.file, tare.series"
    calculate "$(now) - $begun" | keep fill "$1" 'then, s'
    calculate "$(bytes_in_database total_relation_size) / $results" | keep fill "$1" 'bytes a result'
    calculate "$(bytes_in_database indexes_size) / $results" | keep fill "$1" 'of these indexes'
    plan_of_points >"$work/explained.$series"
    sql "CREATE ROLE guest LOGIN; GRANT tare_reader TO guest; INSERT INTO tare.member VALUES ('guest', '*')"
}

# How the results of one series are found
plan_of_points() {
    keys="'$(sql "SELECT array_agg(key) FROM tare.series WHERE benchmark='suite/benchmark_7'")'::int8[]"
    sql "EXPLAIN (ANALYZE, BUFFERS, COSTS OFF) SELECT file,place::int8,n::int8,median,low,high,ratio,ratio_low,ratio_high,array_position($keys,series)::int8 FROM tare.result
        WHERE series=ANY($keys)"
}

make_cold() { # $of
    case $of in
    postgresql:*)
        end_server
        forget_cache "$sockets"
        start_server || fail "the server does not come up again"
        ;;
    *) forget_cache "$of" ;;
    esac
}

queries() { # STORE FOLDER
    store=$1 of=$2
    for query in 'show of one' 'list' 'check since HEAD~1' 'html' 'html again'; do
        case $query in
        show*) set -- 9 show suite/benchmark_7 ;;
        list) set -- 1 list ;;
        check*) set -- 1 check --since HEAD~1 ;;
        *) set -- 1 html "$work/site" ;;
        esac
        times=$1
        shift
        row="$store, $query"
        [ "$query" != html ] || rm -rf "$work/site"
        case $query in
        show* | list)
            make_cold
            run_once "$tare" history "$@" --dir "$of"
            echo "$wall" | keep query "$row" 'cold, s'
            ;;
        esac
        i=0
        while [ $i -lt "$times" ]; do
            i=$((i + 1))
            [ "$1" != show ] || set -- show "suite/benchmark_$((i * 97 % series))"
            run_once "$tare" history "$@" --dir "$of"
            echo "$wall" | keep query "$row" 'warm, s'
            echo "$cpu" | keep query "$row" 'CPU of tare, s'
            echo "$peak" | keep query "$row" MB
        done
        sed "s|$of|HISTORY|g" "$work/said" >"$work/answer.${query%% *}.$kind"
    done
}

# In folder and database are the same results, so what is said of them is the same.
same_answers() {
    for query in show list check; do
        cmp -s "$work/answer.$query.folder" "$work/answer.$query.database" || fail "tare history $query says something else of the database; see $work/answer.$query.*"
    done
}

store_of() { # SERIES
    series=$1
    results=$((series * commits))
    many="$series series of $commits commits"
    rm -rf "$work/history"
    fill_folder "$work/history" "folder with SQLite, $many"
    kind=folder
    queries "folder with SQLite, $many" "$work/history"
    has_postgresql || return 0
    make_server "$work/server" -c max_wal_size=8GB || fail "the server does not come up: $(tail -n 3 "$work/server.log")"
    fill_database "PostgreSQL, $many"
    kind=database
    queries "PostgreSQL, $many" "$(url guest)" # whom policies of rows are about
    same_answers
    end_server
    rm -rf "$work/server" "$work/history"
}

part_store() {
    commits=$(scaled 1000 20) all=$(scaled 10000 100)
    some=$(calculate "$commits < 300 ? 3 : int($commits / 100)")
    make_repository "$commits"
    begun_store=$(now)
    store_of $((all / 10))
    echo "fleet: a tenth of the series took $(calculate "int($(now) - $begun_store)") s; all of them will take about ten times as long" >&2
    store_of "$all"
    echo
    echo "How PostgreSQL finds the results of one of $all series:"
    echo
    sed 's/^/    /' "$work/explained.$all"
}

# ---- samples

insert_tenths() { # FOLDER ROW
    tenth=0 first='' last=''
    while [ $tenth -lt 10 ]; do
        last=$("$ingest" -w $((tenth * sessions)) $(((tenth + 1) * sessions)) "$1" $((10 * sessions)) 100 1000 1)
        first=${first:-$last}
        calculate "$sessions * 1e5 / $last" | keep samples "$2" 'samples a second'
        tenth=$((tenth + 1))
    done
    calculate "$first / $last" | keep samples "$2" 'rate of the last tenth / of the first'
}

keep_billion() { # ROW BYTES
    rate=$(awk -F'\t' -v row="$1" '$1 == "samples" && $2 == row && $3 == "samples a second" { print $4 }' "$raw" | median_of)
    calculate "$2 / $sessions / 1e6" | keep samples "$1" 'bytes a sample'
    calculate "1e9 / $rate / 60" | keep samples "$1" '10^9 of them: minutes'
    calculate "$2 / $sessions / 1e6" | keep samples "$1" 'GB'
}

part_samples() {
    sessions=$(scaled 10 1)
    of=$(calculate "$sessions * 1e6 / 1e6")
    rm -rf "$work/samples"
    insert_tenths "$work/samples" "files of a folder, $of million"
    keep_billion "files of a folder, $of million" "$(bytes_of "$work/samples")"
    rm -rf "$work/samples"
    has_postgresql || return 0
    make_server "$work/server" -c max_wal_size=8GB || fail "the server does not come up: $(tail -n 3 "$work/server.log")"
    make_database samples
    insert_tenths "$(url)" "PostgreSQL, $of million"
    keep_billion "PostgreSQL, $of million" "$(bytes_in_database total_relation_size)"
    end_server
    rm -rf "$work/server"
}

# ---- nodes

# Values in drawn noise of 0.3 % about a level of the node's; the second command takes 5 % more, 0.5 % (standard deviation) more or less on each node.
make_unit() {
    cat >"$work/unit" <<'END'
#!/bin/sh
node=${TARE_FLEET_HOST#h} sum=0
draw() { # SEED: about 0, standard deviation 1000, of four uniform numbers
    x=$1 sum=-3464
    for i in 1 2 3 4; do
        x=$(((x * 1103515245 + 12345) % 2147483648))
        sum=$((sum + x / 65536 % 1733))
    done
}
draw $((node * 7919 + 1))
value=$((10000000 + sum * 20)) side=0
if [ "$1" = new ]; then
    draw $((node * 104729 + 2))
    value=$((value / 1000 * (1050000 + sum * 5) / 1000)) side=32452843
fi
draw $((node * 1299709 + HYPERFINE_ITERATION * 15485863 + side + 3))
echo "value $((value + sum * 30))"
END
    chmod +x "$work/unit"
}

measured='run -r 3 -w 0 -N'

plan_of_nodes() { # NODES BLOCKS
    # shellcheck disable=SC2086 # words
    "$tare" fleet plan --nodes "$1" --blocks "$2" --seed 1 -- $measured --metric 'regex:value=value ([0-9]+)' './unit old' './unit new'
}

part_plan() {
    for of in "$(scaled 10 3) 1" "$(scaled 100 5) 1" "$(scaled 1000 10) 1" "$(scaled 1000 10) 100"; do
        row="${of% *} nodes, ${of#* } block(s)"
        i=0
        while [ $i -lt 7 ]; do
            # shellcheck disable=SC2086 # two words
            begun=$(now) && plan_of_nodes $of >"$work/plan" && calculate "($(now) - $begun) * 1000" | keep plan "$row" ms
            i=$((i + 1))
        done
        calculate "$(wc -c <"$work/plan") / 1000" | keep plan "$row" kB
    done
}

# Each node measures in a folder of its own, as machines without a common one do.
make_records() { # NODES
    rm -rf "$work/nodes"
    mkdir -p "$work/nodes/all"
    plan_of_nodes "$1" 1 >"$work/nodes/all/plan.jsonl"
    node=0
    while [ $node -lt "$1" ]; do
        node=$((node + 1))
        mkdir "$work/nodes/one"
        cp "$work/nodes/all/plan.jsonl" "$work/nodes/one/"
        TARE_FLEET_HOST=h$node "$tare" fleet run --dir "$work/nodes/one" --node $node --yes -q 2>"$work/err" || fail "node $node: $(cat "$work/err")"
        mv "$work"/nodes/one/unit-*.jsonl "$work/nodes/all/"
        rm -rf "$work/nodes/one"
    done
}

# What the last unit takes in a folder that has all others
step_among() { # NODES
    unit_file=$(grep -l '"fleet_node":1[,}]' "$work"/nodes/all/unit-*.jsonl)
    rm "$unit_file"
    begun=$(now)
    TARE_FLEET_HOST=h1 "$tare" fleet run --dir "$work/nodes/all" --node 1 --yes -q 2>"$work/err" || fail "$(cat "$work/err")"
    calculate "($(now) - $begun) * 1000"
}

answer_of() { # NODES
    repository=$work
    i=0
    while [ $i -lt 3 ]; do
        run_once "$tare" fleet collect --dir "$work/nodes/all" --style basic --export-csv "$work/answer.csv"
        echo "$wall" | keep nodes "$1" 'collect, s'
        echo "$peak" | keep nodes "$1" MB
        i=$((i + 1))
    done
    awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i } $at["verdict"] != "reference" && NR > 1 && $at["ratio"] != "" {
        printf "%.4f (%.4f to %.4f), %s\n", $at["ratio"], $at["ratio_low"], $at["ratio_high"], $at["verdict"] }' "$work/answer.csv" | keep nodes "$1" 'ratio (planted: 1.05), verdict'
}

part_nodes() {
    cd "$work"
    make_unit
    part_plan
    for nodes in $(scaled 10 3) $(scaled 100 5) $(scaled 1000 10); do
        make_records "$nodes"
        answer_of "$nodes"
        step_among "$nodes" | keep nodes "$nodes" 'a step among all records, ms'
    done
    cd "$root"
}

# ---- all

[ "$summary" = no ] || [ -f "$raw" ] || fail "nothing is there yet"
answer_summary docs/archive/fleet.md tables
begin_file part row figure value load label
version_line "scale $scale; $(! has_postgresql || "$bin/postgres" --version)"
root=$PWD shm=$(mktemp -d /dev/shm/tare-fleet.XXXXXX) scratch=$work here='' server='' leader='' repository=$work
chmod 755 "$shm"
end_with at_end
parts=$(wanted_of step queue store samples nodes)
echo "\`./dev bench fleet $*\`: $(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -1), $(nproc) CPUs, kernel $(uname -r)," \
    "$(grep -q ' hypervisor' /proc/cpuinfo && echo 'virtual machine' || echo 'no hypervisor seen'), $(date -u +%Y-%m-%d)," \
    "tare $("$tare" --version | awk 'NR == 1 { print $2 }')$(! has_postgresql || "$bin/postgres" --version | sed 's/.*) \([0-9.]*\).*/, PostgreSQL \1/')."
for part in $parts; do
    begun_part=$(now)
    "part_$part"
    echo "fleet: $part took $(calculate "int($(now) - $begun_part)") s" >&2
    tables_of "$part"
done
