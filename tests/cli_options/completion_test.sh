#!/bin/bash
# SPDX-License-Identifier: MIT
# The completions at work: completion_test.sh TARE
# bash is asked by calling the function that readline would call, fish by `complete -C`; zsh only reads its script. A shell
# that is not installed is skipped, bash never.
set -u
tare=$1
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
mkdir empty folder && cd folder || exit 1
: >"a file.jsonl"
: >b.jsonl
mkdir sub
bad=0

expect() { # WHERE LINE ACTUAL EXPECTED
    [ "$3" = "$4" ] && return
    printf '%s: %s\n  offers   %s\n  expected %s\n' "$1" "$2" "$3" "$4"
    bad=1
}

"$tare" completion bash >../tare.bash || exit 1
bash -n ../tare.bash || exit 1
# shellcheck disable=SC1091
source ../tare.bash

offers() { # EXPECTED WORD...: the last word is under the cursor; expected are the offers, sorted, with | between
    local expected=$1
    shift
    COMP_WORDS=(tare "$@")
    COMP_CWORD=$#
    COMPREPLY=()
    # shellcheck disable=SC2034
    COMP_WORDBREAKS=$' \t\n"\'><=;|&(:'
    _tare 2>/dev/null # compopt complains outside of readline
    local actual
    actual=$(printf '%s\n' "${COMPREPLY[@]}" | LC_ALL=C sort -u | paste -sd '|')
    expect bash "tare $*" "$actual" "$expected"
}

offers 'bench|clock|compare|completion|fleet|gate|help|history|leak|rerun|run|show|system|trace' ''
offers 'show|system' s
offers 'qualify|reset|show|tune' system ''
offers 'show' system s
offers '--help|--version' system --
offers '--probe' system show --pr
offers '' system tune --pr
offers 'base|lowest' system tune --freq ''
offers 'turbo' system tune --only tu
offers 'aslr,turbo' system tune --only aslr,tu
offers 'governor' run --tune = g
offers 'governor,turbo' run --tune = governor,tu
offers 'turbo' system tune --without tu
offers 'wall' run --metric w
offers 'cpu_time|cycles|ns|peak|rss' bench --metric ''
offers 'wall' compare --metric w
offers 'auto|command|mean-time' run --sort ''
offers 'microsecond|millisecond|min|minute|ms' show -u m
offers 'a file.jsonl|b.jsonl|sub' leak --csv ''
offers 'b.jsonl' bench --baseline b
offers 'a file.jsonl|b.jsonl|sub' compare ''
offers 'aggregate' trace --mode ag
offers '' show --pr
offers '--help|--version' --
offers '--help|--help-all' clock --he
offers '--style' run --st
offers 'auto|basic|color|full|nocolor|none' run --style ''
offers 'auto' run --style = a
offers 'auto|basic|color|full|nocolor|none' run --style =
offers 'a file.jsonl|b.jsonl|sub' run --export-csv ''
offers 'b.jsonl' run --export-csv = b
offers 'sub' run --cwd ''
offers 'a file.jsonl|b.jsonl|inherit|null|pipe|sub' run --output ''
offers '' run -L a ''
offers '--sort' run -P a b c --so
offers '--sort' run -Pa b c --so
offers '--sort' run --parameter-scan = a b c --so
offers 'cycles|instructions' run --metric perf : ''
offers 'perf:cycles|perf:instructions' run --metric perf
offers '' run -Nr ''
offers '--priority' run -r5 --pri
offers '--precision|--prepare' run --method = georges --pre
offers '' run --min-b
offers 'a file.jsonl|b.jsonl|sub' run -- ls ''
offers '' run -- ls --st
offers 'a file.jsonl|b.jsonl|sub' show ''
offers '--sort' show --so
offers 'class|clock|compare|completion|confidence|confirmed|control-point|covariate|cycle' help c
offers 'record|reference|refuted|rerun|resolution|round|run' help r
offers 'effective-sample-size' help eff
offers 'glossary' help gl
offers 'bash|fish|zsh' completion ''
offers '' nothing ''

fish_offers() { # EXPECTED LINE
    expect fish "$2" "$(fish --no-config -c "source ../tare.fish; complete -C '$2'" | cut -f 1 | LC_ALL=C sort -u | paste -sd '|')" "$1"
}

"$tare" completion fish >../tare.fish || exit 1
if command -v fish >/dev/null; then
    export HOME=$scratch XDG_CONFIG_HOME=$scratch XDG_DATA_HOME=$scratch
    PATH=$(dirname "$tare"):$PATH
    fish_offers 'bench|clock|compare|completion|fleet|gate|help|history|leak|rerun|run|show|system|trace' 'tare '
    fish_offers '--style' 'tare run --sty'
    fish_offers 'qualify|reset|show|tune' 'tare system '
    fish_offers '--probe' 'tare system show --pr'
    fish_offers '' 'tare show --pr'
    fish_offers '--dry-run' 'tare system tune --dry'
    fish_offers 'auto|basic|color|full|nocolor|none' 'tare run --style '
    fish_offers '--style=full' 'tare run --style=f'
    fish_offers 'sub/' 'tare run --cwd '
    fish_offers 'a file.jsonl|b.jsonl|sub/' 'tare show '
    fish_offers 'bash|fish|zsh' 'tare completion '
    fish_offers '' 'tare run --min-benchmarking-t'
fi

"$tare" completion zsh >../_tare || exit 1
if command -v zsh >/dev/null; then
    zsh -n ../_tare || bad=1
    zsh -f -c 'autoload -Uz compinit && compinit -u -D && source ../_tare && [[ $_comps[tare] == _tare ]]' || {
        echo 'zsh: the script does not register itself'
        bad=1
    }
fi
exit $bad
