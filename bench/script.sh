# shellcheck shell=sh disable=SC2034,SC2154 # variables of the scripts that read this
# SPDX-License-Identifier: MIT
# What scripts that measure for a given time have in common: their first options, arithmetic, loads, what is said of tool and machine. Read by them from the
# root of the tree, after `build`, `script` (their name) and what their options are without being given: minutes label out wanted summary, and their own.

fail() {
    echo "$script: $*" >&2
    exit 2
}

# read_options OWN... -- ARGUMENT...: [MINUTES] and options, those of all and the OWN ones; part and scenario are repeatable, into `wanted`
read_options() {
    known=' minutes label out '
    while [ "$1" != -- ]; do
        known="$known$1 "
        shift
    done
    shift
    [ $# -eq 0 ] || case $1 in -*) ;; *) minutes=$1 && shift ;; esac
    while [ $# -gt 0 ]; do
        option=${1#--}
        case $1 in
        --summary | --page) summary=$option && shift && continue ;;
        --*) case $known in *" $option "*) ;; *) fail "'$1' is not known" ;; esac ;;
        *) fail "'$1' is not known" ;;
        esac
        [ $# -ge 2 ] || fail "$1 needs a value"
        case $option in
        minutes) minutes=$2 ;;
        label) label=$2 ;;
        out) out=$2 ;;
        part | scenario) wanted="$wanted $2" ;;
        case) cases=$2 ;;
        budget) budget=$2 ;;
        sizes) sizes=$2 ;;
        time) time=$2 ;;
        apart) apart=$2 ;;
        sides) sides=$2 ;;
        scale) scale=$2 ;;
        groups) groups=$2 ;;
        esac
        shift 2
    done
    case $label in *[!A-Za-z0-9_-]*) fail "--label: letters, digits, - and _ only" ;; esac
    case $minutes in '' | *[!0-9]*) fail "--minutes: a whole number" ;; esac
}

check_wanted() { # WHAT NAME...: of what may be wanted
    what=$1
    shift
    for name in $wanted; do
        case " $* " in *" $name "*) ;; *) fail "no $what '$name'; there are: $*" ;; esac
    done
}

wanted_of() { # NAME...: those of them that are wanted; all, where none is
    found=''
    for name; do
        case " $wanted " in *" $name "*) found="$found $name" ;; esac
    done
    echo "${found:-$*}"
}

# The folder of the raw lines: sets out, raw and work
open_folder() {
    mkdir -p "$out/work"
    out=$(cd "$out" && pwd)
    raw=$out/raw.tsv
    work=$out/work
}

# answer_summary PAGE COMMAND...: for --summary runs the command, for --page puts what it prints into the page below its marker; both end here
answer_summary() {
    page=$1
    shift
    case $summary in
    summary) "$@" && exit ;;
    page)
        awk '{ print } /^<!-- below: / { exit }' "$page" >"$work/page"
        { echo && "$@"; } >>"$work/page"
        exec cp "$work/page" "$page"
        ;;
    esac
}

figures=$(cat bench/figures.awk) # for programs of awk within a script

calculate() { # EXPRESSION [awk options]
    expression=$1
    shift
    awk "$@" "BEGIN { printf \"%.9g\", ($expression) }"
}

now() {
    date +%s.%N
}

random() { # LIMIT: 0 .. LIMIT - 1
    od -An -N4 -tu4 /dev/urandom | awk -v limit="$1" '{ print $1 % limit }'
}

load1() {
    cut -d' ' -f1 /proc/loadavg
}

google_values() { # SIDE: "NAME SIDE NANOSECONDS" of each repetition in the CSV of one program, without their means
    awk -F, -v side="$1" '/^"/ && $1 !~ /_(mean|median|stddev|cv)"$/ { gsub(/"/, "", $1); sub(/\/repeats:.*/, "", $1); print $1, side, $3 }'
}

busy='' # processes

begin_load() { # a busy loop on every second CPU
    i=0
    while [ $i -lt $((($(nproc) + 1) / 2)) ]; do
        "$build/bench/real_work" spin 1000000000000 &
        busy="$busy $!"
        i=$((i + 1))
    done
}

end_load() {
    # shellcheck disable=SC2086 # one word for each
    [ -z "$busy" ] || kill $busy 2>/dev/null || :
    wait 2>/dev/null || :
    busy=''
}

end_with() { # COMMAND: whatever ends the script
    # shellcheck disable=SC2064 # as it is now
    trap "$1" EXIT
    trap 'exit 1' HUP INT TERM
}

begin_minutes() {
    end=$(($(date +%s) + minutes * 60))
}

within() {
    [ "$(date +%s)" -lt "$end" ]
}

failures=0

run_part() { # NAME FILE...: part_NAME; where it fails the ends of the files are said, and five in a row end the script
    part=$1
    shift
    "part_$part" && failures=0 && return
    failures=$((failures + 1))
    echo "$script: a block of $part failed: $(tail -n 1 "$@" 2>/dev/null | tr '\n' ' ')" >&2
    [ $failures -lt 5 ] || fail "five blocks in a row failed; see $work"
}

# What was run where: a line of the raw file that begins so

begin_file() { # COLUMNS...
    [ -f "$raw" ] || echo "# $*" >"$raw"
}

version_line() { # WHAT ELSE
    echo "# $(date -u +%Y-%m-%dT%H:%M:%SZ) label $label; $("$tare" --version | head -1) (sha256 of the program $(sha256sum "$tare" | cut -c1-12));" \
        "$1; $(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -1), $(nproc) CPUs, kernel $(uname -r)," \
        "$(grep -q ' hypervisor' /proc/cpuinfo && echo 'virtual machine' || echo 'no hypervisor seen')${2:+; $2}" >>"$raw"
}
