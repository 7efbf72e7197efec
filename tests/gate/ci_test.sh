#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The shell steps of action/ and docs/ci, in a repository with a change that makes a benchmark slower, with the variables that such a runner sets.
#
#   ci_test.sh TARE SOURCE
set -eu
tare=$1 source=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export HOME="$work" GIT_CONFIG_GLOBAL=/dev/null RUNNER_TEMP="$work/temp"
mkdir "$work/bin" "$work/temp" "$work/origin"
printf '#!/bin/sh\nexec "%s" "$@"\n' "$tare" >"$work/bin/tare"
chmod +x "$work/bin/tare"
PATH=$work/bin:$PATH

commit() {
    git add -A
    git -c user.name=t -c user.email=t@example.org -c commit.gpgsign=false commit -qm "$1"
}

expect() { # WHAT EXIT-CODE COMMAND...
    what=$1 wanted=$2
    shift 2
    code=0
    "$@" >"$work/out" 2>"$work/err" || code=$?
    [ "$code" = "$wanted" ] && return
    echo "$what: exit $code instead of $wanted" >&2
    cat "$work/out" "$work/err" >&2
    exit 1
}

contains() { # FILE TEXT
    grep -qF "$2" "$1" || { echo "$1 has no '$2'" >&2 && cat "$1" >&2 && exit 1; }
}

cd "$work/origin"
git init -q -b stable .
awk '/^@@ / { on = $2 == "program"; next } on' "$source/tests/cli/gate.case" >program
printf 'bench:\n\tcp program bench && chmod +x bench\n' >Makefile
printf 'bench\ngate.xml\n' >.gitignore
echo 'add 100' >./times
commit first
git clone -q "$work/origin" "$work/clone"
cd "$work/clone"
git checkout -q -b change
echo 'add 150' >./times
mkdir .tare
echo '--accept add' >.tare/gate # what the examples leave out
commit slower

# GitHub
export GITHUB_BASE_REF=stable GITHUB_STEP_SUMMARY="$work/summary" GITHUB_OUTPUT="$work/output" GITHUB_ACTION_PATH="$source/action"
export TARE_BUILD='make bench' TARE_BENCH=./bench TARE_OPTIONS="--max-time 30s --fail-if-slower 'a*=3%'" TARE_UNDECIDED=warn
sh -ec "$(sed -n 's/^ *- run: //p' "$source/docs/ci/github.yml")"
step=$(sed -n 's/^ *run: //p' "$source/action/action.yml")
expect GitHub 1 sh -c "$step"
contains "$work/summary" 'FAIL: the benchmark is slower by 3 % or more'
contains "$work/out" '::error title=tare gate%3A FAIL::add: '
contains "$work/output" "comment=$work/temp/tare-comment.md"
contains "$work/temp/tare-comment.md" '<!-- tare gate -->'
TARE_OPTIONS='--fail-if-slower 60%' expect 'GitHub, allowed' 0 sh -c "$step"
printf '#!/bin/sh\nexit 3\n' >"$work/bin/tare" # CANNOT TELL
expect 'GitHub, undecided: warn' 0 sh -c "$step"
contains "$work/out" '::warning title=tare gate::CANNOT TELL'
TARE_UNDECIDED=fail expect 'GitHub, undecided: fail' 3 sh -c "$step"
TARE_UNDECIDED=maybe expect 'GitHub, wrong input' 2 sh -c "$step"
GITHUB_BASE_REF=nowhere expect 'GitHub, not fetched' 2 sh -c "$step"
[ ! -e "$work/temp/tare-comment.md" ] || { echo 'a comment of another step is left' >&2 && exit 1; }
printf '#!/bin/sh\nexec "%s" "$@"\n' "$tare" >"$work/bin/tare"

# The comment: a new one, and the one with the marker
awk '/^ *run: \|/ { on = 1; next } on' "$source/docs/ci/github.yml" >"$work/comment_step"
cat >"$work/bin/gh" <<'END'
#!/bin/sh
echo "$*" >>"$ASKED"
case $* in *--paginate*) jq -r "$5" "$COMMENTS" ;; esac
END
# shellcheck disable=SC2016 # for the script
command -v jq >"$work/out" || printf '#!/bin/sh\n! grep -q "id.: 7" "$3" || echo 7\n' >"$work/bin/jq"
chmod +x "$work/bin/"*
expect 'GitHub, again' 1 sh -c "$step"
export GITHUB_REPOSITORY=a/b NUMBER=5 COMMENT="$work/temp/tare-comment.md" ASKED="$work/asked" COMMENTS="$work/comments"
others='{"id": 5, "user": {"login": "github-actions[bot]"}, "body": "of another tool"}, {"id": 6, "user": {"login": "somebody"}, "body": "<!-- tare gate -->PASS"}'
echo "[$others]" >"$COMMENTS"
expect 'comment, new' 0 sh -e "$work/comment_step"
contains "$work/asked" "pr comment 5 --body-file $COMMENT"
echo "[$others, {\"id\": 7, \"user\": {\"login\": \"github-actions[bot]\"}, \"body\": \"<!-- tare gate -->FAIL\"}]" >"$COMMENTS"
expect 'comment, updated' 0 sh -e "$work/comment_step"
contains "$work/asked" "api -X PATCH repos/a/b/issues/comments/7 -F body=@$COMMENT"

# GitLab
git checkout -q HEAD -- .tare/gate
CI_MERGE_REQUEST_DIFF_BASE_SHA=$(git rev-parse stable)
export CI_MERGE_REQUEST_DIFF_BASE_SHA
expect GitLab 1 sh -c "$(sed -n '/^  script:/,/^  [a-z]/s/^    - //p' "$source/docs/ci/gitlab.yml")"
contains gate.xml '<failure message="FAIL: add: '
rm gate.xml

# Jenkins
git checkout -q HEAD -- .tare/gate
export CHANGE_TARGET=stable
expect Jenkins 1 sh -e -c "$(awk "/'''\\)/ { on = 0 } on; /'''\$/ { on = 1 }" "$source/docs/ci/Jenkinsfile")"
contains gate.xml '<failure message="FAIL: add: '
