#!/bin/sh
# SPDX-License-Identifier: MIT
# Shell scripts by shellcheck, spelling by codespell. Exit 0 fine, 1 not.
set -eu
cd "$(dirname "$0")/.."
scripts=$(find . -path './build*' -prune -o -path ./.git -prune -o -type f -name '*.sh' -print)
bad=0
# shellcheck disable=SC2086 # a list of files
shellcheck dev .ci/run $scripts || bad=1
codespell --skip './build*,./.git,./tools/site/node_modules,*.jsonl,./fuzz/corpus' --ignore-words tools/words.txt . || bad=1
exit $bad
