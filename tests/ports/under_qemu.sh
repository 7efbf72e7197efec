#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs COMMAND where programs of another processor start under qemu-user, whoever starts them: by a binfmt_misc of a namespace of its own, which
# nothing outside sees (Linux 6.7). COMMAND is an ordinary user there.
#
#   tests/ports/under_qemu.sh PROCESSOR COMMAND...      77: it cannot be had here
set -eu
processor=$1
shift
case $processor in
aarch64) machine='\xb7' ;;
riscv64) machine='\xf3' ;;
*) exec "$@" ;; # i686: this machine itself
esac
qemu=$(command -v "qemu-$processor-static") || { echo "skipped: there is no qemu-$processor-static (./dev deps processor installs it)" && exit 77; }
etc=$(mktemp -d)
trap 'rm -rf "$etc"' EXIT
mkdir "$etc/qemu-binfmt" # where Debian's qemu looks for loader and libraries
ln -s "/usr/$processor-linux-gnu" "$etc/qemu-binfmt/$processor"
magic='\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00'$machine'\x00'
mask='\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff'
# shellcheck disable=SC2016 # the shell inside expands them
unshare --user --map-root-user --mount sh -c '
    set -e
    mount -t binfmt_misc none /proc/sys/fs/binfmt_misc && printf "%s" "$1" >/proc/sys/fs/binfmt_misc/register &&
        mount -t overlay overlay -o "lowerdir=$2:/etc" /etc || { echo "skipped: the kernel has no binfmt_misc in namespaces" && exit 77; }
    shift 2
    exec unshare --user --map-user=1000 --map-group=1000 "$@"
' sh ":$processor:M::$magic:$mask:$qemu:PF" "$etc" "$@"
