#!/bin/sh
# SPDX-License-Identifier: MIT
# tools/check_phrases.sh finds a phrase wherever users read it, and none in a name or a comment: check_phrases_planted.sh ROOT FOLDER
set -eu
root=$1 folder=$2
rm -rf "$folder"
mkdir -p "$folder/src" "$folder/docs/man"
cd "$folder"

cat >src/named.c <<'END'
/* the whole passage */
static int passage; // it lies
static const char *const key = "passage";
END
cat >README.md <<'END'
A `passage` of names.
```
the whole
```
END
"$root/tools/check_phrases.sh" .

printf 'static const char *const text = "in the "\n    /* a comment */ "whole\\nfile";\n' >src/text.c
echo 'SUBJECT(A, "it Lies here")' >src/list.def
echo 'All of it, 3 looks.' >docs/leak.md
echo 'weighs *weighs* nothing' >docs/man/page.1.scd
found=$("$root/tools/check_phrases.sh" . | grep -v '^  ' | cut -d: -f1,2 | LC_ALL=C sort | tr '\n' ' ') || true
[ "$found" = "docs/leak.md:1 docs/man/page.1.scd:1 src/list.def:1 src/text.c:1 " ] || {
    echo "found only in: $found"
    exit 1
}
