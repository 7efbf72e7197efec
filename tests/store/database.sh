# shellcheck shell=sh disable=SC2154 # variables of the scripts that read this
# SPDX-License-Identifier: MIT
# Statements for a server that a test has brought up. The script has `fail`, $sockets (the folder of the server's socket), $scratch, and $database after `create`.

bin=$(find /usr/lib/postgresql -maxdepth 2 -name bin 2>/dev/null | sort -V | tail -n 1)
has_postgresql() {
    [ -x "$bin/initdb" ] && command -v psql >/dev/null
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
