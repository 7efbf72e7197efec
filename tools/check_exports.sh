#!/bin/sh
# SPDX-License-Identifier: MIT
# src/libtare.exports, the public headers, the archive and the shared library name the same functions, and the libraries need
# nothing but libc, libm and, for the memory of threads, the loader. The headers bring no macros but their own, and no stdio.
#
#   tools/check_exports.sh BUILD-FOLDER      differences as a diff; exit 1 if there are any
set -eu
build=$(cd "$1" && pwd)
cd "$(dirname "$0")/.."
work=$build/exports
mkdir -p "$work"

grep -v '^#' src/libtare.exports | sort >"$work/list"

for header in include/tare/*.h; do
    echo "#include <tare/$(basename "$header")>"
done >"$work/all.c"
cc -std=c17 -Iinclude -aux-info "$work/prototypes" -fsyntax-only "$work/all.c"
# lines such as: /* include/tare/status.h:53:NC */ extern const char *tare_status_text (enum tare_status);
sed -n 's|^/\* include/tare/[^ ]* \*/ extern [^(]*[ *]\(tare_[a-z0-9_]*\) (.*|\1|p' "$work/prototypes" >"$work/functions"
# and the few things that are no functions, one a line
sed -n 's/^extern \(__thread \)\{0,1\}struct [a-z_]* \(tare_[a-z_]*\)[[; ].*/\2/p' include/tare/*.h include/tare/detail/*.h >"$work/things"
sort -u "$work/functions" "$work/things" >"$work/headers"

# those behind tare__ are of the members among themselves
nm -g --defined-only "$build/src/libtare.a" | awk 'NF == 3 && $3 !~ /^tare__/ { print $3 }' | sort >"$work/archive"
nm -D --defined-only "$build/src/libtare.so" | awk 'NF == 3 { print $3 }' | sort >"$work/shared"

bad=0
for other in headers archive shared; do
    diff -u --label src/libtare.exports --label "$other" "$work/list" "$work/$other" || bad=1
done
[ -s "$work/list" ] || { echo "the list is empty" && bad=1; }

readelf -d "$build/src/libtare.so" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | grep -vE '^(lib[cm]\.so\.6|ld-linux.*)$' &&
    echo "libtare may need libc, libm and the loader only" && bad=1

grep -rnE '^ *# *(define|undef) ' include/tare | grep -vE '(define|undef) +(TARE|tare)_' &&
    echo "macros of public headers have the prefix TARE_ (what reads as a call, tare_), and others are left alone" && bad=1
cc -std=c17 -Iinclude -M "$work/all.c" | grep -E 'stdio\.h|unistd\.h' && echo "no public header includes these" && bad=1
exit $bad
