#!/bin/sh
# SPDX-License-Identifier: MIT
# Which product file needs which, by the symbols of a build's objects.
#
#   tools/linked.sh BUILD-FOLDER      lines: `circle N FILE` for each file of a group that need each other, `arrow FILE FILE`, and last
#                                     `functions N ONE NONE`: global ones, those that one other file uses, those that none uses
#
# A file that is compiled into several programs counts once. BUILD-FOLDER holds the objects of this tree.
set -eu
cd "$(dirname "$0")/.."
build=${1:?usage: tools/linked.sh BUILD-FOLDER}
build=${build#"$PWD"/}

# FILE OBJECT, one object a source that is still there
objects() {
    find "$build/src" "$build/cli" -name '*.c.o' | sort | awk -v build="$build/" '
        { source = $0; sub(/.*\/CMakeFiles\/[^\/]*\.dir\//, "", source); sub(/\.o$/, "", source)
          folder = $0; sub(/\/CMakeFiles\/.*/, "", folder)
          file = substr(folder "/" source, length(build) + 1)
          if (!seen[file]++) print file, $0 }' | while read -r file object; do
        [ ! -f "$file" ] || echo "$object"
    done
}

objects | xargs nm -A | awk -v build="$build/" '
    {
        split($0, part, ":")
        object = part[1]
        if (!(object in file_of)) {
            source = folder = object
            sub(/.*\/CMakeFiles\/[^\/]*\.dir\//, "", source)
            sub(/\.o$/, "", source)
            sub(/\/CMakeFiles\/.*/, "", folder)
            file_of[object] = substr(folder "/" source, length(build) + 1)
        }
        file = file_of[object]
    }
    $(NF - 1) ~ /^[TBDRVWC]$/ { if (!($NF in home)) home[$NF] = file; if ($(NF - 1) == "T") is_function[$NF] = 1 }
    $(NF - 1) ~ /U$/ { needs[file, $NF] = 1 }
    END {
        for (pair in needs) {
            split(pair, p, SUBSEP)
            to = home[p[2]]
            if (to == "" || to == p[1])
                continue
            users[p[2]]++
            if (!arrow[p[1], to]++) {
                out[p[1]] = out[p[1]] " " to
                print "arrow", p[1], to
            }
        }
        for (f in is_function) {
            functions++
            none += !users[f]
            one += users[f] == 1
        }
        for (file in out)
            if (!(file in number))
                visit(file)
        print "functions", functions + 0, one + 0, none + 0
    }
    # the strongly connected groups, by the method of Tarjan
    function visit(v,   w, i, n, size, member) {
        number[v] = low[v] = ++counter
        stack[++depth] = v
        on[v] = 1
        n = split(out[v], next_of, " ")
        for (i = 1; i <= n; i++)
            follow[v, i] = next_of[i]
        for (i = 1; i <= n; i++) {
            w = follow[v, i]
            if (!(w in number)) {
                visit(w)
                if (low[w] < low[v]) low[v] = low[w]
            } else if (on[w] && number[w] < low[v])
                low[v] = number[w]
        }
        if (low[v] != number[v])
            return
        do {
            w = stack[depth--]
            on[w] = 0
            member[++size] = w
        } while (w != v)
        circles += size > 1
        for (i = 1; i <= size && size > 1; i++)
            print "circle", circles, member[i]
    }'
