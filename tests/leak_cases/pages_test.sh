#!/bin/sh
# SPDX-License-Identifier: MIT
# pages_test.sh BUILD-FOLDER TARE PAGE: the C of a page on leaks compiles without a warning, has the targets that it shows, and its commands run,
# with libtare in ~/.local as a newcomer has it. `tare leak` is told to measure less than it would, so many calls, however long they take; figures are
# not judged here.
set -eu
build=$1 tare=$2 page=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/home" "$work/here"
HOME=$work/home
export HOME
for component in development library; do
    cmake --install "$build" --prefix "$HOME/.local" --component $component >"$work/install.log" || { cat "$work/install.log" && exit 1; }
done
mkdir -p "$HOME/.local/bin"
cat >"$HOME/.local/bin/tare" <<END
#!/bin/sh
before=
case " \$* " in
*" --replay "* | *" --list "*) exec "$tare" "\$@" ;;
esac
if [ "\$1" = leak ]; then
    shift
    for word; do # sessions hours apart: two at once
        shift
        case \$before in
        --sessions) word=2 ;;
        --every) word=0s ;;
        esac
        before=\$word
        set -- "\$@" "\$word"
    done
    exec "$tare" leak --max-calls 20000 --max-time 900 --timeout 900 "\$@"
fi
exec "$tare" "\$@"
END
chmod +x "$HOME/.local/bin/tare"
PATH=$HOME/.local/bin:$PATH

cd "$work/here"
awk '
    /^```/ { kind = kind ? "" : substr($0, 4); next }
    kind == "c" { print >"ct_tests.c" }
    kind == "sh" { print >"commands.sh" }
' "$page"
cc -std=c11 -O2 -Wall -Wextra -Wpedantic -Werror -I "$HOME/.local/include" ct_tests.c -o ct_tests "$HOME/.local/lib/libtare.a" -lm
names=$(sed -n 's/^TARE_LEAK(\([a-z0-9_]*\),.*/\1/p' ct_tests.c | sort)
[ "$(tare leak --list ./ct_tests | sort)" = "$names" ] || { echo "$page: other targets than it shows" && exit 1; }

# An answer of any word is fine (0, 1, 3, 4); wrong use, a failure of the program or of tare is not. 6 only for a valgrind that is not there.
bad=0 n=0
[ -f commands.sh ] || exit 0
while IFS= read -r line; do
    n=$((n + 1)) code=0
    sh -c "$line" >out 2>err </dev/null || code=$?
    case $code in
    0 | 1 | 3 | 4) ;;
    6) grep -q 'Debian: ' err || { printf '%s\n  exit %s\n' "$line" "$code" && cat out err && bad=1; } ;;
    *) printf '%s\n  exit %s\n' "$line" "$code" && cat out err && bad=1 ;;
    esac
done <commands.sh
echo "$n commands"
exit $bad
