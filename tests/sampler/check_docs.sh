#!/bin/sh
# SPDX-License-Identifier: MIT
# The commands of docs/sampler.md, as they stand there, on examples/sampler; what needs a program that is not installed is left out, and said. Then
# what examples/sampler/tables.sh makes.
#
#   tests/sampler/check_docs.sh SOURCE TARE TEST_SUB FLAGS WORK-FOLDER
set -eu
source=$1 tare=$2 test_sub=$3 flags=$4 work=$5
rm -rf "$work"
mkdir -p "$work/bin" "$work/tables"
ln -s "$tare" "$work/bin/tare"
ln -s "$source/tools/sampler-repeat" "$work/bin/sampler-repeat"
ln -s "$test_sub" "$work/test_sub"
PATH=$work/bin:$PATH
cd "$work"
awk '/^```sh$/ { on = 1; next } /^```$/ { on = 0 } on' "$source/docs/sampler.md" >commands
[ "$(grep -c . commands)" -ge 8 ] || { echo "docs/sampler.md: too few commands" && exit 1; }
while read -r command; do
    [ -n "$(command -v "${command%% *}")" ] || { echo "left out, not installed: $command" && continue; }
    sh -c "$command" >said 2>&1 </dev/null || { cat said && echo "docs/sampler.md: $command" && exit 1; }
done <commands
[ "$(grep -c '"dt":' sampler.out)" -eq 120 ] || { echo "sampler.out: not 30 runs of four arcs" && exit 1; }
[ "$(grep -c '^| [0-9]' table.md)" -eq 4 ] || { cat table.md && exit 1; }
[ -z "$(command -v dot)" ] || [ "$(od -An -c -N 4 graph.png | tr -d ' ')" = '211PNG' ]
if [ -n "$(command -v pandoc)" ]; then
    grep -q passages table.txt
    [ "$(od -An -c -N 2 table.odt | tr -d ' ')" = PK ]
fi

FLAGS=$flags RUNS=8 "$source/examples/sampler/tables.sh" "$work/tables" >said 2>&1 || { cat said && exit 1; }
for made in cold.md touched.md sub.md cold.svg touched.dot; do
    [ -s "tables/$made" ] || { echo "tables.sh: no $made" && exit 1; }
done
# three programs, by means and by least: what each of four arcs is to the first
awk 'NF == 10 && $4 == 1 && $6 > 0 && $8 > 0 && $10 > 0 { n++ } END { exit n != 6 }' tables/ratios.txt || { cat tables/ratios.txt && exit 1; }
[ "$(grep -c 'loops:.*ratio\|[0-9] × \[\|[0-9] x \[' tables/compared.txt)" -ge 4 ] || { cat tables/compared.txt && exit 1; }
