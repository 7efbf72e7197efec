#!/bin/sh
# SPDX-License-Identifier: MIT
# The unpacked source of a Debian package, into a folder of ours; nothing outside of it is written, and no rights are needed.
#
#   examples/real/fetch_source.sh PACKAGE FOLDER      the last line it prints is the path of the source's own folder
#
# The archives are those that this machine's apt uses for its release, asked for sources too: their lists go to FOLDER/apt. What is there
# already is used again. Exit 77: there is nothing to fetch it with, or from.
set -eu
[ $# -eq 2 ] || { echo 'Usage: examples/real/fetch_source.sh PACKAGE FOLDER' >&2 && exit 2; }
package=$1
mkdir -p "$2"
folder=$(cd "$2" && pwd)

# The newest folder that has PACKAGE's source; nothing where there is none
unpacked() {
    for control in "$folder"/*/debian/control; do
        [ ! -f "$control" ] || ! grep -q "^Source: $package\$" "$control" || dirname "$(dirname "$control")"
    done | tail -n 1
}

skip() {
    echo "$package is not fetched: $1" >&2
    exit 77
}

# Entries of this release, for sources. From both forms of apt's lists: paragraphs with fields, and lines.
sources_of() { # CODENAME
    for list in /etc/apt/sources.list.d/*.sources; do
        [ ! -f "$list" ] || awk -v release="$1" 'BEGIN { RS = ""; ORS = "\n\n" }
            (" " $0 " ") ~ "\nSuites:[^\n]*[ \t]" release "[ \t\n]" && /(^|\n)Types:[^\n]*deb/ && !/(^|\n)Enabled: *no/ {
                gsub(/(^|\n)Types:[^\n]*/, "\nTypes: deb-src")
                gsub(/\nSuites:[^\n]*/, "\nSuites: " release)
                sub(/^\n/, "")
                print
            }' "$list"
    done >"$folder/apt/sources.list.d/of-this-release.sources"
    for list in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
        [ ! -f "$list" ] || awk -v release="$1" '$1 == "deb" {
            at = 2
            if ($2 ~ /^\[/) while ($(at++) !~ /\]$/ && at <= NF) { }
            if ($(at + 1) == release) { sub(/^[ \t]*deb/, "deb-src"); print }
        }' "$list"
    done >"$folder/apt/sources.list.d/of-this-release.list"
}

here=$(unpacked)
if [ -z "$here" ]; then
    for tool in apt-get dpkg-source; do
        [ -n "$(command -v $tool)" ] || skip "there is no $tool"
    done
    release=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
    mkdir -p "$folder/apt/sources.list.d" "$folder/apt/lists/partial" "$folder/apt/cache/archives/partial"
    sources_of "$release"
    [ -s "$folder/apt/sources.list.d/of-this-release.sources" ] || [ -s "$folder/apt/sources.list.d/of-this-release.list" ] ||
        skip "apt's lists name no archive of '$release'"
    cat >"$folder/apt/apt.conf" <<END
Dir::Etc::sourcelist "/dev/null";
Dir::Etc::sourceparts "$folder/apt/sources.list.d";
Dir::State::lists "$folder/apt/lists";
Dir::Cache "$folder/apt/cache";
Acquire::Languages "none";
Acquire::Retries "1";
Acquire::http::Timeout "20";
Acquire::https::Timeout "20";
$([ "$(id -u)" -ne 0 ] || echo 'APT::Sandbox::User "root";')
END
    APT_CONFIG=$folder/apt/apt.conf
    export APT_CONFIG
    cd "$folder"
    within='timeout 300' # a network that is there and brings nothing is none
    $within apt-get -q update >apt/log 2>&1 </dev/null || { cat apt/log >&2 && skip "no list of sources could be fetched; is there a network?"; }
    ls apt/lists/*Sources* >>apt/log 2>&1 || { cat apt/log >&2 && skip "no list of sources could be fetched; is there a network?"; }
    $within apt-get -q source --only-source "$package" >>apt/log 2>&1 </dev/null || { cat apt/log >&2 && skip "apt-get source failed"; }
    here=$(unpacked)
    rm -rf "$folder/apt/lists" # large, and out of date tomorrow
    [ -n "$here" ] || { cat apt/log >&2 && echo "apt-get source left no $package" >&2 && exit 1; }
fi
echo "$here"
