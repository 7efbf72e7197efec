#!/bin/sh
# SPDX-License-Identifier: MIT
# All four searches of the worked example, by 1 to 8 threads, against lists whose answer is known; and what happens when they cannot.
# The hashes come from sha256sum.
#
#   tests/hashcrack/hashcrack_test.sh HASHCRACK MAKE-WORDS
set -eu
crack=$1 make=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
bad=0 cases=0

searches() { # one a line: options of hashcrack
    printf '%s\n' '-m array' '-m stream'
    for threads in 1 2 3 4 5 6 7 8; do
        printf '%s\n' "-m threads -t $threads" "-m threads-stop -t $threads"
    done
}

hash_of() { # BYTES
    printf %s "$1" | sha256sum | cut -c1-64
}

expect() { # WHAT CODE OUTPUT PATTERN COMMAND...: exit code, standard output, and a pattern that fits the standard error's lines
    what=$1 code=$2 output=$3 pattern=$4
    shift 4
    cases=$((cases + 1)) got=0
    "$@" >out 2>err || got=$?
    if [ "$got" != "$code" ] || [ "$(cat out)" != "$output" ] || ! grep -q "$pattern" err && [ -n "$pattern" ]; then
        printf '%s\n  %s\n  exit %s, expected %s; output "%s", expected "%s"; error "%s", expected /%s/\n' \
            "WRONG: $what" "$*" "$got" "$code" "$(head -c 200 out)" "$output" "$(head -c 400 err)" "$pattern"
        bad=1
    fi
}

everywhere() { # FILE CODE WORD PATTERN: by all searches
    hash=$(hash_of "$3")
    answer=
    [ "$2" != 0 ] || answer=$3
    searches >list_of_searches
    while read -r options; do
        # shellcheck disable=SC2086 # words
        expect "$1" "$2" "$answer" "$4" "$crack" $options "$hash" "$1"
    done <list_of_searches
}

# ---- the generator ----

for depth in 0% 5% 50% 100% absent; do
    "$make" --depth $depth 80000 "at_$depth"
    [ "$(wc -l <"at_$depth")" -eq 80000 ] || { echo "WRONG: at_$depth has $(wc -l <"at_$depth") lines" && bad=1; }
    echo "$depth $(grep -nx open-sesame "at_$depth" || :)"
done >depths
printf '%s\n' '0% 1:open-sesame' '5% 4000:open-sesame' '50% 40000:open-sesame' '100% 80000:open-sesame' 'absent ' | diff - depths || bad=1
printf '%s\n' kisym2746 fotuva04 borazo kemosuryr ved8931 >first_words
head -5 at_5% | diff first_words - || bad=1
"$make" -d absent -s 1 80000 again
cmp again at_absent || bad=1
"$make" -d absent -s 2 80000 other
! cmp -s other at_absent || { echo "WRONG: another seed, the same list" && bad=1; }
"$make" -d absent -a ved8931 5 without
! grep -qx ved8931 without || { echo "WRONG: an absent answer is there" && bad=1; }

# ---- right answers; these lists have three parts for the threads ----

[ "$(wc -c <at_5%)" -gt 600000 ] || { echo "WRONG: the lists are too small to be divided" && bad=1; }
for depth in 0% 5% 50% 100%; do
    everywhere "at_$depth" 0 open-sesame ''
done
everywhere at_absent 1 open-sesame 'at_absent: no word has this hash'

"$make" --crlf --depth 100% 1000 crlf
everywhere crlf 0 open-sesame ''
head -c -2 crlf >crlf_unended
everywhere crlf_unended 0 open-sesame ''
printf 'last' >one
everywhere one 0 last ''
printf 'a\n\nb\n' >empty_line
everywhere empty_line 0 '' ''
printf 'a\nb\n' >no_empty_line
everywhere no_empty_line 1 '' 'no word has this hash'
printf 'a\r\r\nb\n' >two_returns
everywhere two_returns 0 "$(printf 'a\r')" ''
: >empty
everywhere empty 1 x 'the file is empty'

# a word with a zero byte, which a shell cannot hold
printf 'ab\nx\000y\nz\n' >zeros
hash=$(printf 'x\000y' | sha256sum | cut -c1-64)
searches >list_of_searches
while read -r options; do
    cases=$((cases + 1))
    # shellcheck disable=SC2086
    "$crack" $options "$hash" zeros >out || { echo "WRONG: no word with a zero byte by $options" && bad=1; }
    printf 'x\000y\n' | cmp - out || bad=1
done <list_of_searches

# lines that are longer than a part: the answer before, behind, and the long line itself
long=$(head -c 90000 /dev/zero | tr '\0' a)
{ echo before && echo "$long" && head -c 900000 /dev/zero | tr '\0' b && echo && echo behind; } >long
everywhere long 0 before ''
everywhere long 0 behind ''
everywhere long 0 "$long" ''
everywhere long 1 "${long}a" 'no word'
# each place of a part's border against the line's end
for size in 262140 262141 262142 262143 262144 262145; do
    { head -c "$size" /dev/zero | tr '\0' c && printf '\nat-border\nd\n'; } >border
    everywhere border 0 at-border ''
done

# ---- how much is looked at: with one thread this is no matter of luck ----

looked() { # FILE COUNT OPTIONS...
    file=$1 count=$2
    shift 2
    expect "looks at $count words" 0 open-sesame "looked at $count words" "$crack" -v "$@" "$(hash_of open-sesame)" "$file"
}
looked at_5% 4000 -m array
looked at_5% 4000 -m stream
looked at_5% 80000 -m threads -t 1
looked at_5% 80000 -m threads -t 8
looked at_5% 4000 -m threads-stop -t 1

# ---- what cannot be done ----

some=$(hash_of open-sesame)
upper=$(printf %s "$some" | tr a-f A-F)
mkdir folder
expect 'upper case' 0 open-sesame '' "$crack" "$upper" at_5%
searches >list_of_searches
while read -r options; do
    # shellcheck disable=SC2086
    {
        expect 'no file' 2 '' 'nothing_here: opening: No such file' "$crack" $options "$some" nothing_here
        expect 'a folder' 2 '' 'folder: \(reading: Is a directory\|dividing it\)' "$crack" $options "$some" folder
    }
done <list_of_searches
expect 'a short hash' 2 '' '64 hexadecimal digits' "$crack" "${some%?}" at_5%
expect 'a long hash' 2 '' '64 hexadecimal digits' "$crack" "${some}0" at_5%
expect 'no digits' 2 '' '64 hexadecimal digits' "$crack" "${some%?}g" at_5%
expect 'no hash' 2 '' 'a hash and a file' "$crack" at_5%
expect 'too much' 2 '' 'a hash and a file' "$crack" "$some" at_5% more
expect 'no method' 2 '' 'no method best' "$crack" -m best "$some" at_5%
expect 'no thread' 2 '' '1 to 256' "$crack" -m threads -t 0 "$some" at_5%
expect 'too many threads' 2 '' '1 to 256' "$crack" -m threads -t 257 "$some" at_5%
expect 'half a thread' 2 '' '1 to 256' "$crack" -m threads -t 1.5 "$some" at_5%
expect 'threads without meaning' 2 '' 'no meaning with --method stream' "$crack" -t 2 "$some" at_5%
expect 'an unknown option' 2 '' 'quick' "$crack" --quick "$some" at_5%
expect 'a hundred threads' 0 open-sesame '' "$crack" -m threads-stop -t 100 "$some" at_50%
"$crack" --help >out || bad=1
grep -q '^Usage: hashcrack' out || { echo "WRONG: no help" && bad=1; }

# shellcheck disable=SC2016 # expanded by the inner shell
piped='cat at_50% | "$0" -m "$1" "$2" /dev/stdin' full='"$0" "$1" at_5% >/dev/full'
expect 'a pipe, streaming' 0 open-sesame '' sh -c "$piped" "$crack" stream "$some"
expect 'a pipe, array' 0 open-sesame '' sh -c "$piped" "$crack" array "$some"
expect 'a pipe, threads' 2 '' 'no regular file; take --method stream' sh -c "$piped" "$crack" threads "$some"
expect 'a full disk' 2 '' 'writing the answer: No space left' sh -c "$full" "$crack" "$some"

# the array of this list needs 20 MB
"$make" -d absent 400000 large
limit=--as=20000000
if prlimit $limit "$crack" --help >/dev/null 2>&1; then
    expect 'out of memory' 2 '' 'large: reading: Cannot allocate memory' prlimit $limit "$crack" -m array "$some" large
    expect 'little memory is enough' 1 '' 'no word has this hash' prlimit $limit "$crack" -m stream "$some" large
else
    echo "not tried: out of memory (this build needs more address space than the limit)"
fi

expect 'no lines' 2 '' 'LINES is 1 to' "$make" 0 list
expect 'no number' 2 '' 'LINES is 1 to' "$make" many list
expect 'too deep' 2 '' '0% to 100%' "$make" -d 101% 10 list
expect 'a minus' 2 '' '0% to 100%' "$make" -d -5 10 list
expect 'no seed' 2 '' 'whole number' "$make" -s x 10 list
expect 'two lines' 2 '' 'one line' "$make" -a "$(printf 'a\nb')" 10 list
expect 'no folder' 2 '' 'writing nowhere/list: No such file' "$make" 10 nowhere/list
expect 'a full disk for the list' 2 '' 'No space left' "$make" 10000 /dev/full

echo "$cases cases"
exit $bad
