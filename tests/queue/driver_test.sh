#!/bin/sh
# SPDX-License-Identifier: MIT
# The queue driver, told what to do by a file: driver_test.sh QUEUE-DRIVER
set -u
driver=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0

check() { # NAME EXIT-CODE: input on standard input of this function is in $work/in, what is expected in $work/want
    "$driver" <"$work/in" >"$work/out" 2>"$work/err"
    code=$?
    [ "$code" = "$2" ] || { echo "$1: exit code $code, expected $2" && bad=1; }
    diff -u "$work/want" "$work/out" >"$work/diff" || { echo "$1:" && cat "$work/diff" && bad=1; }
}

cat >"$work/in" <<'END'
# comments and empty lines are passed over

insert tail pear
insert head fig
insert walk apple
show
size
size walk
sort
show
remove
remove tail
reverse
insert tail nut 30
size
remove head 2
show
new
size
END
{
    printf '%s\n' fig pear apple 3 3 apple fig pear apple pear 31 nut
    i=0
    while [ $i -lt 20 ]; do echo nut && i=$((i + 1)); done
    echo "... 29 in all"
    echo 0
} >"$work/want"
check "a session" 0

printf 'insert tail a\nsort\nquit\nsize\n' >"$work/in"
: >"$work/want"
check "nothing after quit" 0

printf 'jump\nremove\ninsert\ninsert tail a 0\ninsert tail a x\nremove middle\ntime\ntime time size\nsize\n' >"$work/in"
echo 0 >"$work/want"
check "what is wrong is said, and goes on" 1
[ "$(wc -l <"$work/err")" = 8 ] || { echo "expected 8 complaints:" && cat "$work/err" && bad=1; }

printf 'insert tail a 100\ntime size\n' >"$work/in"
"$driver" <"$work/in" >"$work/out" 2>&1 || { echo "time: not exit code 0" && bad=1; }
[ "$(head -1 "$work/out")" = 100 ] || { echo "time: the answer is missing" && bad=1; }
grep -Eq '^-?[0-9]+ ticks, -?[0-9]+\.[0-9]{3} us' "$work/out" || { echo "time:" && cat "$work/out" && bad=1; }

# A long line, a zero byte, no line feed at the end
{ head -c 10000 /dev/zero | tr '\0' 'a' && echo && printf 'size\0x\nsize'; } >"$work/in"
printf '0\n' >"$work/want"
check "odd input" 1

help=$(printf 'help\n' | "$driver")
for word in help insert remove size sort reverse shuffle show new time quit; do
    printf '%s\n' "$help" | grep -q "^$word" || { echo "help does not name $word" && bad=1; }
done
exit $bad
