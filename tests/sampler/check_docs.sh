#!/bin/sh
# SPDX-License-Identifier: MIT
# The commands of docs/sampler.md, as they stand there, on examples/sampler; what needs a program that is not installed is left out, and said. The two that
# make all tables and pictures (tables.sh, sizes.sh) have fewer runs and sizes here than by themselves.
#
#   tests/sampler/check_docs.sh SOURCE BUILD TARE TEST_SUB FLAGS WORK-FOLDER
set -eu
source=$1 build=$2 tare=$3 test_sub=$4 flags=$5 work=$6
rm -rf "$work"
mkdir -p "$work/bin"
ln -s "$tare" "$work/bin/tare"
ln -s "$source/tools/sampler-repeat" "$work/bin/sampler-repeat"
ln -s "$test_sub" "$work/test_sub"
ln -s "$source/examples" "$work/examples"
PATH=$work/bin:$PATH
cd "$work"
awk '/^```sh$/ { on = 1; next } /^```$/ { on = 0 } on' "$source/docs/sampler.md" >commands
[ "$(grep -c . commands)" -ge 8 ] || { echo "docs/sampler.md: too few commands" && exit 1; }
FLAGS=$flags RUNS=8 SIZES='1000 10000 100000'
export FLAGS RUNS SIZES
while read -r command; do
    [ -n "$(command -v "${command%% *}")" ] || { echo "left out, not installed: $command" && continue; }
    sh -c "$command" >said 2>&1 </dev/null || { cat said && echo "docs/sampler.md: $command" && exit 1; }
done <commands
[ "$(grep -c '"dt":' sampler.out)" -eq 120 ] || { echo "sampler.out: not 30 runs of four arcs" && exit 1; }
[ "$(grep -c '^| [0-9]' table.md)" -eq 4 ] || { cat table.md && exit 1; }
[ -z "$(command -v dot)" ] || [ "$(od -An -c -N 4 graph.png | tr -d ' ')" = '211PNG' ]
if [ -n "$(command -v pandoc)" ]; then
    grep -q calls table.txt
    [ "$(od -An -c -N 2 table.odt | tr -d ' ')" = PK ]
fi

for made in cold.md touched.md sub.md cold.svg touched.dot sizes.csv sizes.svg; do
    [ -s "sampler/$made" ] || { echo "no $made" && exit 1; }
done
# three programs, by means and by medians: what each of four arcs is to the first. A run that stood still between two stamps may carry a mean below 0.
awk 'NF == 10 && $4 == 1 && ($3 == "mean_ns:" ? $6 $8 $10 ~ /^[-0-9.]+$/ : $6 > 0 && $8 > 0 && $10 > 0) { n++ } END { exit n != 6 }' sampler/ratios.txt || { cat sampler/ratios.txt && exit 1; }
[ "$(grep -c 'loops:.*[0-9] \{0,1\}\(%\|×\|x\) \(faster\|slower\|(\)' sampler/compared.txt)" -ge 4 ] || { cat sampler/compared.txt && exit 1; }
# the first four arcs apart from the rest, in both programs: each round is a row of four times, and the first is beside the later ones
[ "$(grep -c '^| round [123]' sampler/rounds.md)" -eq 6 ] || { cat sampler/rounds.md && exit 1; }
[ "$(grep -c '^| first / later | [0-9.]* | [0-9.]* | [0-9.]* | [0-9.]* |' sampler/rounds.md)" -eq 2 ] ||
    { cat sampler/rounds.md && exit 1; }
awk -F '|' '/round/ && !($3 > 0 && $4 > 0 && $5 > 0 && $6 > 0) { exit 1 }' sampler/rounds.md || { cat sampler/rounds.md && exit 1; }
# a word for each arc
[ "$(grep -c '^| .* | [0-9.]* | \[[0-9.]*, [0-9.]*\] | [a-z]* |$' sampler/verdicts.md)" -ge 4 ] || { cat sampler/verdicts.md && exit 1; }
# over SIZE: a line of the file for each, and a point of each of three lines of the picture
awk -F, 'NR > 1 && $2 == 4 * $1 && $3 > 0 && $4 > 0 && $5 > 0 { n++ } END { exit n != 3 }' sampler/sizes.csv || { cat sampler/sizes.csv && exit 1; }
[ "$(grep -c 'stroke-width="2" d="M[0-9. ]*L[0-9. ]*L[0-9. ]*"' sampler/sizes.svg)" -eq 3 ] || { cat sampler/sizes.svg && exit 1; }
# and what the page shows of all this is what comes out today
MADE=$work/sampler "$source/bench/pictures.sh" "$build" --check sampler
