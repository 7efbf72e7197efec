#!/bin/sh
# SPDX-License-Identifier: MIT
# The texts of a release: what it is made of (SPDX 2.3), and from packaging/ how its files are installed and recipes for the packages of other systems.
#
#   tools/release_texts.sh SOURCE-TREE FOLDER VERSION COMMIT      FOLDER has the release's other files
set -eu
tree=$1 to=$2 version=$3 commit=$4
place=https://example.org/tare
if [ -n "${TARE_URL:-}" ]; then
    place=${TARE_URL%/}
else
    echo "note: TARE_URL is not set, so the recipes name $place, which is nobody's" >&2
fi

checksum() { # FILE
    sha256sum "$to/$1" | cut -d' ' -f1
}

source_sha=$(checksum "tare-$version.tar.gz")
source_sha512=$(sha512sum "$to/tare-$version.tar.gz" | cut -d' ' -f1) # Alpine's
maintainer=$(dpkg-deb -f "$to"/tare_*.deb Maintainer)
windows=tare-$version-windows-x86_64.zip
windows_sha=$(checksum "$windows")
(cd "$tree/packaging" && find . -name '*.in') | sort | while read -r file; do
    target=$to/packaging/${file%.in}
    [ "$file" != ./INSTALL.md.in ] || target=$to/INSTALL.md
    mkdir -p "$(dirname "$target")"
    sed "s|@VERSION@|$version|g; s|@URL@|$place|g; s|@SOURCE_SHA256@|$source_sha|g; s|@WINDOWS_SHA256@|$windows_sha|g
s|@MAINTAINER@|$maintainer|g; s|@SOURCE_SHA512@|$source_sha512|g" "$tree/packaging/$file" >"$target"
done

debian() { # PACKAGE: its version
    dpkg-query -W -f='${source:Version}' "$1"
}
library() { # SOURCE: the version that tools/libraries.txt names
    awk -v source="$1" '$1 == source { print $2 }' "$tree/tools/libraries.txt"
}
part() { # NAME VERSION LICENCE ID
    cat <<END
    {"SPDXID": "SPDXRef-$4", "name": "$1", "versionInfo": "$2", "licenseDeclared": "$3", "licenseConcluded": "$3",
     "downloadLocation": "NOASSERTION", "filesAnalyzed": false, "copyrightText": "NOASSERTION"},
END
}
artefact() { # FILE ID
    cat <<END
    {"SPDXID": "SPDXRef-$2", "name": "$1", "versionInfo": "$version", "licenseDeclared": "MIT", "licenseConcluded": "MIT",
     "downloadLocation": "$place/$1", "filesAnalyzed": false, "copyrightText": "NOASSERTION", "packageFileName": "$1",
     "checksums": [{"algorithm": "SHA256", "checksumValue": "$(checksum "$1")"}]},
END
}
relation() { # A TYPE B
    printf '    {"spdxElementId": "SPDXRef-%s", "relationshipType": "%s", "relatedSpdxElement": "SPDXRef-%s"},\n' "$1" "$2" "$3"
}
without_last_comma() {
    sed '$ s/,$//'
}
linked() { # ARTEFACT-ID PART-ID...
    id=$1
    shift
    relation DOCUMENT DESCRIBES "$id"
    relation "$id" GENERATED_FROM source
    for element; do
        relation "$id" STATIC_LINK "$element"
    done
}
packages() {
    artefact "tare-$version.tar.gz" source
    artefact "tare-$version-linux-x86_64.tar.gz" linux
    artefact "tare-$version-linux-aarch64.tar.gz" linux-aarch64
    for deb in "$to"/*.deb; do
        name=$(basename "$deb")
        artefact "$name" "deb-${name%%_*}"
    done
    part cJSON "$(library cjson)" MIT cjson
    part zlib "$(library zlib)" Zlib zlib
    part musl "$(debian musl-dev)" MIT musl
    part glibc "$(dpkg-query -W -f='${Version}' libc6-dev-arm64-cross)" LGPL-2.1-or-later glibc
    artefact "$windows" windows
    part mingw-w64 "$(debian mingw-w64-common)" ZPL-2.1 mingw
}
relations() {
    relation DOCUMENT DESCRIBES source
    linked linux cjson zlib musl
    linked linux-aarch64 cjson zlib glibc
    for deb in "$to"/*.deb; do
        name=$(basename "$deb")
        linked "deb-${name%%_*}"
    done
    linked windows cjson zlib mingw
}
cat >"$to/tare-$version.spdx.json" <<END
{
  "spdxVersion": "SPDX-2.3",
  "dataLicense": "CC0-1.0",
  "SPDXID": "SPDXRef-DOCUMENT",
  "name": "tare-$version",
  "documentNamespace": "https://spdx.org/spdxdocs/tare-$version-$commit",
  "creationInfo": {"created": "$(date -u -d "@$SOURCE_DATE_EPOCH" +%Y-%m-%dT%H:%M:%SZ)", "creators": ["Tool: tare-release-$version"]},
  "packages": [
$(packages | without_last_comma)
  ],
  "relationships": [
$(relations | without_last_comma)
  ]
}
END
