#!/bin/sh
# SPDX-License-Identifier: MIT
# The pages of the file formats name every member that is written: members_test.sh TARE-FAKE FOLDER-OF-PAGES
#
# A session with parameters, warm-up, hooks and a failing run is saved and exported; each name in the files must stand in
# bold in its page. Names of facts are those of the machine, and of metrics those of metrics.def: both are left out.
set -u
here=$(cd "$(dirname "$0")" && pwd)
fake=$1 pages=$2
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
TARE_FAKE_SCRIPT=$here/script
export TARE_FAKE_SCRIPT
"$fake" run -i -w 1 -r 12 -L place 1,2 -s 'sort set' -p 'uniq pre' -C 'uniq post' -c 'sort clean' --method tare \
    --save s.jsonl --export-json e.json --export-csv e.csv 'make {place}' 'sleep {place}' >/dev/null 2>err ||
    { cat err; exit 1; }
"$fake" run --method georges -r 6 --save g.jsonl 'sleep 0.1' >/dev/null 2>err || { cat err; exit 1; }
"$fake" clock -r 1 --save c.jsonl --export-json c.json >/dev/null 2>err || { cat err; exit 1; }
bad=0

names() { # of members, one a line; objects of facts and reasons and of parameters are skipped
    sed -e 's/"\(facts\|reasons\|parameters\)":{[^}]*}/"\1":0/g' | grep -o '"[a-z_]*":' | tr -d '":' | sort -u
}

compact() { # pretty JSON as one line, without blanks between members
    awk '{ sub(/^ +/, ""); gsub(/": /, "\":"); printf "%s", $0 }' "$1"
}

named() { # PAGE: reads names, complains of those that the page lacks
    while read -r name; do
        case $name in
        wall | cpu | user | sys | rss | majflt | minflt | ctx | place) continue ;;
        esac
        escaped=$(printf '%s' "$name" | sed 's/_/\\\\_/g')
        grep -q "\*$escaped\*" "$pages/$1" && continue
        echo "$1 does not name $name"
        bad=1
    done
}

for list in record.5:s.jsonl record.5:g.jsonl export.5:e.json record.5:c.jsonl export.5:c.json; do
    compact "${list#*:}" | names >found
    [ "$(wc -l <found)" -gt 20 ] || { echo "${list#*:}: too few names found"; bad=1; }
    named "tare-${list%:*}.scd" <found
done
head -n 1 e.csv | tr ',' '\n' | sed 's/^parameter_.*/parameter_/' >found
named tare-export.5.scd <found
exit $bad
