#!/bin/bash
# SPDX-License-Identifier: MIT
# program.sh FIRN: the program as a shell sees it - exit codes, which stream says what, help, completions.
# Prints one line a check that fails; the exit code is the number of failures.
firn=$1
failures=0
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
fail() { echo "failed: $*"; failures=$((failures + 1)); }

# expect CODE WORDS ARGUMENTS...: exit code, and what stderr must contain ("" : nothing at all on stderr)
expect() {
    local code=$1 words=$2
    shift 2
    "$firn" "$@" >"$folder/out" 2>"$folder/err" </dev/null
    local got=$?
    [ $got -eq "$code" ] || fail "firn $*: exit code $got, expected $code"
    if [ -z "$words" ]; then [ ! -s "$folder/err" ] || fail "firn $*: says on stderr: $(head -1 "$folder/err")"
    else grep -qF -- "$words" "$folder/err" || fail "firn $*: stderr lacks '$words': $(head -1 "$folder/err")"; fi
}

expect 1 "Usage"
expect 0 "" --help
expect 0 "" --version
for word in compiler "instruction sets" OpenVDB LAPACKE Partio Embree; do
    grep -q "$word" "$folder/out" || fail "--version does not name $word"
done
expect 1 "did you mean \`firn help\`" hlep
expect 1 "unknown option --verbose" --verbose
expect 1 "firn run scene.yaml" scene.yaml
expect 1 "unknown verb 'xyzzy'; \`firn help\` lists all" xyzzy
expect 1 "help: unknown topic 'xyzzy'; allowed: run " help xyzzy

# every verb that help lists explains itself, in both ways and alike
verbs=$("$firn" help | awk '/^Verbs/ { on = 1; next } /^$/ { on = 0 } on && /^  [a-z]/ { print $1 }')
[ -n "$verbs" ] || fail "help lists no verbs"
for verb in $verbs; do
    expect 0 "" "$verb" --help
    cp "$folder/out" "$folder/help"
    expect 0 "" help "$verb"
    cmp -s "$folder/out" "$folder/help" || fail "firn $verb --help and firn help $verb differ"
    expect 1 "unknown option --no-such-option" "$verb" --no-such-option
done

# colour neither in files nor with NO_COLOR
"$firn" hlep 2>"$folder/err"
grep -q $'\033' "$folder/err" && fail "colour in a file"

# a full disk behind standard output is an error; a closed pipe is not a crash
if [ -w /dev/full ]; then
    "$firn" help >/dev/full 2>"$folder/err"
    [ $? -eq 4 ] || fail "help > /dev/full: not exit code 4"
    grep -q "standard output" "$folder/err" || fail "help > /dev/full: no sentence"
    for words in help "help --man" "materials" "check $(dirname "$0")/tiny.yaml --seconds 0"; do
        "$firn" $words >/dev/full 2>"$folder/err"
        [ $? -eq 4 ] || fail "$words > /dev/full: not exit code 4"
        [ "$(cat "$folder/err")" = "firn: error: standard output: the disk is full; try: make room, or another folder" ] ||
            fail "$words > /dev/full: not one sentence: $(cat "$folder/err")"
    done
fi
"$firn" help --man | head -n 1 >"$folder/out" || fail "help | head"

# completions parse, and bash's completes verbs and options
"$firn" help --completion bash >"$folder/firn.bash"
bash -n "$folder/firn.bash" || fail "the bash completion does not parse"
answer=$(bash -c 'compopt() { :; }; source "$0"; COMP_WORDS=(firn hel); COMP_CWORD=1; _firn; echo "${COMPREPLY[@]}"' "$folder/firn.bash")
[ "$answer" = help ] || fail "completing 'firn hel' gives '$answer'"
answer=$(bash -c 'compopt() { :; }; source "$0"; COMP_WORDS=(firn help --completion = z); COMP_CWORD=4; _firn; echo "${COMPREPLY[@]}"' "$folder/firn.bash")
[ "$answer" = zsh ] || fail "completing 'firn help --completion=z' gives '$answer'"
answer=$(bash -c 'compopt() { :; }; source "$0"; COMP_WORDS=("$1" materials bread_d); COMP_CWORD=2; _firn; echo "${COMPREPLY[@]}"' "$folder/firn.bash" "$firn")
[ "$answer" = bread_dough ] || fail "completing 'firn materials bread_d' gives '$answer'"
"$firn" help --completion zsh >"$folder/_firn"
if command -v zsh >/dev/null; then zsh -n "$folder/_firn" || fail "the zsh completion does not parse"; fi

# OpenMP's places bind the threads of a run and do not take them away
threads() { env -u OMP_WAIT_POLICY "$@" "$firn" bench --particles 20000 --steps 1 --repeats 1 --csv | awk -F, 'NR == 2 { print $3 }'; }
[ "$(threads OMP_PLACES=cores)" = "$(threads A=1)" ] || fail "OMP_PLACES leaves fewer threads"

# the man page has no roff warning
"$firn" help --man >"$folder/firn.1"
if command -v groff >/dev/null; then
    groff -man -Tascii -ww "$folder/firn.1" >/dev/null 2>"$folder/err"
    [ ! -s "$folder/err" ] || fail "groff: $(head -1 "$folder/err")"
fi

[ $failures -eq 0 ] && echo "all checks of the program passed"
exit $((failures > 0))
