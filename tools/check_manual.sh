#!/bin/sh
# SPDX-License-Identifier: MIT
# Manual pages by mandoc: tools/check_manual.sh PAGE...      exit 1 when a page has a warning or an error.
#
# Two warnings are let pass, because scdoc makes them in every page and they change nothing on the screen: a paragraph macro
# that is empty, and one right after a heading.
set -eu
found=$(mandoc -T lint -W warning "$@" | grep -v 'WARNING: skipping paragraph macro: PP \(empty\|after S[HS]\)$') || true
[ -z "$found" ] || { printf '%s\n' "$found"; exit 1; }
