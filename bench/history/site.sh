#!/bin/sh
# SPDX-License-Identifier: MIT
# How long the pages of tare history html take: 10 000 series of 1000 commits, all of them and then again after a new result in 100 series. Reading the
# history and finding changes is not in these figures (bench/history.sh has them).
#
#   bench/history/site.sh BUILD-FOLDER [SERIES [POINTS [CHANGED]]]
set -eu
build=$1 series=${2:-10000} points=${3:-1000} changed=${4:-100}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
trap 'exit 1' HUP INT TERM
printf '%s series of %s commits, then %s of them again; %s\n' "$series" "$points" "$changed" "$(uname -m)"
"$build/bench/history_site" "$folder/site" "$series" "$points" "$changed"
printf '%s kB in %s files\n' "$(du -sk "$folder/site" | cut -f1)" "$(find "$folder/site" -type f | wc -l)"
