# shellcheck shell=sh disable=SC2154 # variables of the scripts that read this
# SPDX-License-Identifier: MIT
# A server of PostgreSQL on a socket alone, and statements for one that is up. The script has `fail`, $sockets (the folder of the socket), $scratch, and $database
# after `create`.

bin=$(find /usr/lib/postgresql -maxdepth 2 -name bin 2>/dev/null | sort -V | tail -n 1)
has_postgresql() {
    [ -x "$bin/initdb" ] && command -v psql >/dev/null
}

answers() {
    psql -qAtX -h "$sockets" -U owner -d postgres -c 'SELECT 1' >/dev/null 2>&1
}

# A server whose data go into the folder, which is $sockets from now on; it refuses to run as root. False: it does not come up, and $sockets.log says why.
make_server() { # NEW-FOLDER [OPTION...]
    sockets=$1 server_as=''
    shift
    server_options=$*
    mkdir "$sockets"
    chmod 700 "$sockets"
    if [ "$(id -u)" -eq 0 ]; then
        user=$(getent passwd postgres nobody | head -n 1 | cut -d: -f1)
        server_as="setpriv --reuid=$user --regid=$(id -g "$user") --clear-groups"
        chown "$user" "$sockets"
    fi
    # shellcheck disable=SC2086 # words
    LC_ALL=C $server_as "$bin/initdb" -D "$sockets" -A trust -U owner -E UTF8 --no-sync >"$sockets.log" 2>&1 || return 1
    start_server
}

start_server() { # $server is its id
    # shellcheck disable=SC2086 # words
    $server_as "$bin/postgres" -D "$sockets" -k "$sockets" -c unix_socket_permissions=0777 -c listen_addresses= -c fsync=off $server_options >>"$sockets.log" 2>&1 &
    server=$! server_tries=600
    until answers; do
        server_tries=$((server_tries - 1))
        [ $server_tries -gt 0 ] || return 1
        sleep 0.1
    done
}

stop_server() { # SIGNAL
    kill "-$1" "$server" 2>/dev/null || :
    wait "$server" 2>/dev/null || :
    server=''
}

sql() { # STATEMENT [ROLE]: of the database at hand
    psql -qAtX -v ON_ERROR_STOP=1 -h "$sockets" -U "${2:-owner}" -d "$database" -c "$1"
}

url() { # [ROLE]
    echo "postgresql://${1:-owner}@/$database?host=$sockets"
}

create() { # DATABASE
    database=$1
    psql -qX -h "$sockets" -U owner -d postgres -c "CREATE DATABASE $1"
}

refused() { # ROLE STATEMENT
    ! sql "$2" "$1" >"$scratch/said" 2>&1 || fail "$1 may: $2"
    grep -q -e 'permission denied' -e 'row-level security' -e 'must be owner' "$scratch/said" || fail "$1: $2: $(cat "$scratch/said")"
}
