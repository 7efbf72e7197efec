#!/bin/sh
# SPDX-License-Identifier: MIT
# Are the C sources laid out as .clang-format says? Exit 0 yes, 1 no, 77 this clang-format is not version 14, whose layout we use.
#
#   tools/check_layout.sh [--fix]
set -eu
cd "$(dirname "$0")/.."
format=clang-format-14
command -v $format >/dev/null || format=clang-format
if ! $format --version | grep -q 'version 14\.'; then
    echo "skipped: clang-format 14 is wanted, here is: $($format --version)"
    exit 77
fi
[ "${1:-}" = --fix ] && mode=-i || mode='--dry-run -Werror'
# shellcheck disable=SC2086 # two words
for folder in include src cli examples tests fuzz bench tools; do
    [ ! -d "$folder" ] || find "$folder" -type f -name '*.[ch]'
done | sort | xargs "$format" $mode
