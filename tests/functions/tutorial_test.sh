#!/bin/sh
# SPDX-License-Identifier: MIT
# Follows docs/tutorial-bench.md word for word, as a newcomer with libtare in ~/.local: writes its files, runs its commands in order.
#
#   tests/functions/tutorial_test.sh BUILD-FOLDER TARE TUTORIAL
#
# A C block is a file, named by the comment in its first line; each line of a sh block is a command, which must end with 0. What the page shows as
# output has the headings and the names that are printed today. `tare bench` is told to measure less than it would: figures are not judged here.
set -eu
build=$1 tare=$2 tutorial=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/home" "$work/here"
HOME=$work/home
export HOME

for component in development library; do
    cmake --install "$build" --prefix "$HOME/.local" --component $component >"$work/install.log" || { cat "$work/install.log" && exit 1; }
done
mkdir -p "$HOME/.local/bin"
cat >"$HOME/.local/bin/tare" <<EOF
#!/bin/sh
if [ "\$1" = bench ]; then
    shift
    exec "$tare" bench --timeout 900 --min-runs 6 --max-runs 6 --sample-time 50us --samples 5 "\$@"
fi
exec "$tare" "\$@"
EOF
chmod +x "$HOME/.local/bin/tare"

cd "$work/here"
awk '
    /^```/ { kind = kind ? "" : substr($0, 4); file = ""; next }
    kind == "c" && !file { file = $2 }
    kind == "c" { print >file }
    kind == "sh" { print >"commands.sh" }
    kind == "text" { print >"shown" }
' "$tutorial"

bad=0 n=0
: >printed
while IFS= read -r line; do
    n=$((n + 1)) code=0
    case $line in
    export*) eval "$line" ;;
    *) sh -c "$line" >out 2>err </dev/null || code=$? ;;
    esac
    case $line:$code in
    *:0 | *--fail-if-slower*:3) ;; # six processes on a busy machine may leave it undecided
    *) printf '%s\n  exit %s\n' "$line" "$code" && cat out err && bad=1 ;;
    esac
    [ ! -e out ] || cat out >>printed
done <commands.sh
[ "$n" -ge 10 ] || { echo "$tutorial has $n commands" && bad=1; }

squeeze() { # FILE: headings as they are but for the width of columns, the names of benchmarks, and what the figures are
    sed -n 's/  */ /g; s/^ //; /^benchmark /p; s/^\([a-z_]*\/bytes:[0-9]*\( (\.\/[a-z]*)\)\{0,1\}\) .*/\1/p; s/^\(mix_[a-z]*\) .*/\1/p; s/.*\(OPTIMISED-AWAY.*\)/\1/p; s/^[0-9]* processes each · \(median .*\)/\1/p' "$1" | sort -u
}
squeeze shown >shown_lines
squeeze printed >printed_lines
[ "$(grep -c . shown_lines)" -ge 10 ] || { echo "$tutorial shows no output" && bad=1; }
missing=$(comm -23 shown_lines printed_lines)
[ -z "$missing" ] || { echo "shown on the page, and not printed today:" && echo "$missing" && bad=1; }
echo "$n commands"
exit $bad
