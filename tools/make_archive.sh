#!/bin/sh
# SPDX-License-Identifier: MIT
# The static libtare out of the archives of its modules: one member for each source, so that a program gets those that it needs. Names that are
# not in the list of exports are put behind tare__, where no program's own names are.
#
#   tools/make_archive.sh OUT.a EXPORTS NM OBJCOPY AR ARCHIVE...
set -eu
out=$1 exports=$2 nm=$3 objcopy=$4 ar=$5
shift 5
work=$out.members
rm -rf "$work"
mkdir -p "$work"

for archive; do
    module=$(basename "$archive" .a)
    mkdir "$work/$module"
    (cd "$work/$module" && "$ar" x "$archive")
    for member in "$work/$module"/*; do
        mv "$member" "$work/${module#libtare_}_$(basename "$member")"
    done
    rmdir "$work/$module"
done
grep -v '^#' "$exports" | sed 'p; s|^|__emutls_v.|' | sort >"$work.exports"
"$nm" -g --defined-only "$work"/* | awk 'NF == 3 { print $3 }' | sort -u | comm -23 - "$work.exports" | awk '{ print $1, "tare__" $1 }' >"$work.names"
for member in "$work"/*; do
    "$objcopy" --redefine-syms="$work.names" "$member"
done
rm -f "$out"
"$ar" rcsD "$out" "$work"/*
rm -rf "$work" "$work.exports" "$work.names"
