#!/bin/sh
# SPDX-License-Identifier: MIT
# Who may include whom: the arrows of the design, held against the sources. The build's include paths enforce most of this;
# here the drawing itself is written down a second time, so that a widened DEPS line does not pass unseen. No files need each other in a
# circle, by the symbols that they link.
#
#   tools/check_arrows.sh [BUILD-FOLDER]      one line per offence; exit 1 if there is any. Circles are looked for where a build is given
set -eu
build=${1:-}
cd "$(dirname "$0")/.."
offences=$(mktemp)
trap 'rm -f "$offences"' EXIT

# base is open to all; "linux" and the other folders of plat/ belong to plat.
arrows() {
    cat <<'END'
base
stats
plat
record
clock plat
identity plat
noise plat
probe noise clock plat stats
sampler plat
plan record stats
exec record noise clock stats plat
trace record stats plat
system record noise identity clock stats plat
check record stats
analyse record stats
store record plat
fleet record
harness record plat
export record trace
render record
END
}

# The folders of cli; "cli" is its own files.
cli_arrows() {
    cat <<'END'
words
options words
cli options
run cli options words stored system history
bench options run clock
gate cli options run bench stored
fleet cli options words run bench stored history
trace options run
leak cli options run clock stored
clock cli options stored system
stored cli options gate leak trace system
rerun cli options run bench trace stored
history cli options words run stored bench trace rerun
system cli options run leak
symbol
END
}

allowed() { # MODULE TARGET: is there an arrow?
    [ "$1" = "$2" ] || [ "$2" = base ] || arrows | awk -v from="$1" -v to="$2" '
        $1 == from { for (i = 2; i <= NF; i++) if ($i == to) found = 1 }
        END { exit !found }'
}

offence() {
    printf '%s\n' "$*" >>"$offences"
}

sources() { # FOLDER...
    find "$@" -type f \( -name '*.c' -o -name '*.h' -o -name '*.def' \) | sort
}

for folder in src/*/; do
    module=$(basename "$folder")
    arrows | grep -q "^$module\( \|$\)" || offence "src/$module: the design draws no such module"
    [ -f "$folder/CMakeLists.txt" ] || continue
    # the words after DEPS in each tare_module call
    deps=$(tr '\n()' '  ;' <"$folder/CMakeLists.txt" | tr ';' '\n' |
        sed -n 's/.*tare_module .* DEPS \([a-z_ ]*\).*/\1/p')
    for dep in $deps; do
        allowed "$module" "$dep" || offence "$folder""CMakeLists.txt: $module may not depend on $dep"
    done
done

# Each quoted header that is among the owners (NAME FOLDER lines): is there an arrow from the folder of the file that includes it?
# `depth` is the place of that folder in the path, `lone` what a file of no folder belongs to.
held() { # DRAWING OWNERS DEPTH LONE < FILES
    # shellcheck disable=SC2016 # awk's own fields
    drawn=$1 owners=$2 depth=$3 lone=$4 xargs awk '
        BEGIN {
            depth = ENVIRON["depth"]
            lone = ENVIRON["lone"]
            n = split(ENVIRON["drawn"], line, "\n")
            for (i = 1; i <= n; i++) {
                words = split(line[i], word, " ")
                for (k = 2; k <= words; k++)
                    arrow[word[1], word[k]] = 1
            }
            n = split(ENVIRON["owners"], line, "\n")
            for (i = 1; i <= n; i++) {
                split(line[i], word, " ")
                if (!(word[1] in owner))
                    owner[word[1]] = word[2]
            }
        }
        FNR == 1 {
            folders = split(FILENAME, at, "/")
            module = folders > depth ? at[depth] : lone
        }
        /^ *# *include *"/ {
            header = name = $0
            sub(/^[^"]*"/, "", header)
            sub(/".*/, "", header)
            name = header
            sub(/.*\//, "", name)
            to = owner[name]
            if (to == "" && lone == "")
                print FILENAME ": includes \"" header "\", which is in no module"
            else if (to != "" && to != module && to != "base" && !((module, to) in arrow))
                print FILENAME ": includes \"" header "\" of " to "; there is no such arrow"
        }'
}
sources src | held "$(arrows)" "$(find src -name '*.h' -o -name '*.def' | awk -F/ '{ print $NF, $2 }')" 2 '' >>"$offences"
sources cli | held "$(cli_arrows)" "$(find cli -name '*.h' -o -name '*.def' | awk -F/ '{ print $NF, (NF > 2 ? $2 : "cli") }')" 2 cli >>"$offences"

# ISO C without stdio and without what reaches the operating system (signal, time, threads, locale); cJSON, zlib, SQLite, libpq and valgrind are counted below.
pure='assert ctype errno float inttypes iso646 limits math stdalign stdarg stdatomic stdbool stddef stdint stdlib stdnoreturn string'
export pure
# shellcheck disable=SC2016 # awk's own fields
sources src | xargs awk '
    BEGIN {
        n = split(ENVIRON["pure"], word, " ")
        for (i = 1; i <= n; i++)
            fine[word[i] ".h"] = 1
        fine["cjson/cJSON.h"] = fine["zlib.h"] = fine["sqlite3.h"] = fine["libpq-fe.h"] = fine["valgrind/memcheck.h"] = 1
    }
    FNR == 1 {
        split(FILENAME, at, "/")
        module = at[2]
    }
    /^ *# *include *</ && module != "plat" {
        header = $0
        sub(/^[^<]*</, "", header)
        sub(/>.*/, "", header)
        # sampler.h is public as those of tare/ are
        if (header ~ /^tare\// || (header == "sampler.h" && module == "sampler") || header in fine)
            next
        print FILENAME ": includes <" header ">; operating system, clock and stdio headers belong to src/plat and cli"
    }' >>"$offences"
readers=$(sources src cli 2>/dev/null | xargs grep -l '<cjson/cJSON.h>' || true)
[ "$(printf '%s' "$readers" | grep -c .)" -le 1 ] || offence "cJSON stays behind one reader; it is included by: $readers"
readers=$(sources src cli 2>/dev/null | xargs grep -l '<zlib.h>' || true)
[ "$(printf '%s' "$readers" | grep -c .)" -le 1 ] || offence "zlib stays behind gunzip.h; it is included by: $readers"
readers=$(sources src cli 2>/dev/null | xargs grep -l '<sqlite3.h>' || true)
[ "$(printf '%s' "$readers" | grep -c .)" -le 1 ] || offence "SQLite stays behind history_index.h; it is included by: $readers"
readers=$(sources src cli 2>/dev/null | xargs grep -l '<libpq' || true)
[ "$(printf '%s' "$readers" | grep -c .)" -le 1 ] || offence "libpq stays behind server.h; it is included by: $readers"
readers=$(sources src cli include 2>/dev/null | xargs grep -l '<valgrind/' || true)
[ "$(printf '%s' "$readers" | grep -c .)" -le 1 ] || offence "valgrind's requests stay in one file; they are included by: $readers"

# Parts that live in measured programs neither print nor exit.
for part in base stats plat clock noise probe; do
    [ -d "src/$part" ] || continue
    # write_stdout.c is handed in by the program's own main
    sources "src/$part" | grep -v '^src/plat/posix/write_stdout\.c$' | xargs grep -nE '(^|[^a-zA-Z0-9_.>])(v?f?printf|v?sn?printf|f?puts|putchar|fwrite|perror|exit|abort) *\(' |
        grep -v '^[^:]*:[0-9]*: *\(\*\|/\*\|//\)' | while read -r line; do
        offence "$line: libtare neither prints nor exits"
    done
done

circles() { # a group a line, its files in order
    awk '$1 == "circle" { print $2, $3 }' | sort | awk '$1 != n { if (n != "") print line; n = $1; line = $2; next } { line = line " " $2 } END { if (n != "") print line }'
}

if [ -n "$build" ]; then
    tools/linked.sh "$build" | circles | sed 's/$/: these files need each other in a circle/' >>"$offences"
fi

cat "$offences"
[ ! -s "$offences" ]
