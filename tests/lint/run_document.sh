#!/bin/bash
# Does what a document says: runs its commands, and checks the output and the sources it shows.
#   run_document.sh DOCUMENT BUILD_DIR WORK_DIR        in the project's folder
# A comment before a fenced block says what to do with it; other blocks are only text:
#   <!-- test: run -->          run it with sh; every line has to succeed, or all end with the code of "run exit 3"
#   <!-- test: output -->       its lines stand, in this order, in what the last block printed; ... stands for anything
#   <!-- test: file PATH -->    it is a part of that file
#   <!-- test: columns N COMMAND -->  its lines of N words and more are those of what the command prints, by their first
#                               N words: for a table whose other columns take long. They are not checked.
# In commands build/release/ means BUILD_DIR and every other build/... a folder in WORK_DIR, HOME too.
set -eu
document=$1
build=$2
work=$3

fail() {
  echo "$document:$line_number: $*" >&2
  exit 1
}

run_block() {
  local want=${1:-0} got=0 script
  script=$(sed -e 's#\bbuild/release\b#@BUILD@#g' -e "s#\\bbuild/#$work/#g" -e "s#@BUILD@#$build#g" <<<"$block")
  echo "\$ $block"
  HOME=$work PATH=$build:$PATH sh -euc "$script" >"$work/output" 2>&1 || got=$?
  cat "$work/output"
  [ "$got" -eq "$want" ] || fail "the commands end with $got, not $want"
}

check_output() {
  local expected actual found pattern
  exec 3<"$work/output"
  while IFS= read -r expected; do
    [ -n "$expected" ] && [ "$expected" != ... ] || continue
    pattern=$(sed -e 's/[][\*?]/\\&/g' -e 's/\.\.\./*/g' <<<"$expected")
    found=
    while IFS= read -r actual <&3; do
      # shellcheck disable=SC2053  # a pattern it is
      if [[ $actual == $pattern ]]; then
        found=yes
        break
      fi
    done
    [ -n "$found" ] || fail "the output has no (further) line: $expected"
  done <<<"$block"
  exec 3<&-
}

check_columns() {
  local columns=${1%% *} shown=$block
  block=${1#* }
  run_block 0 </dev/null
  first_columns() { awk -v n="$columns" 'NF >= n { for (i = 1; i < n; ++i) printf "%s ", $i; print $n }'; }
  first_columns <<<"$shown" >"$work/shown"
  [ -s "$work/shown" ] || fail "no line of the block has $columns words"
  first_columns <"$work/output" | diff "$work/shown" - || fail "shown (<) and printed (>) differ"
}

check_file() {
  local whole
  whole=$(cat "$1") || fail "no file $1"
  [[ $whole == *"$block"* ]] || fail "the block is not a part of $1"
}

rm -rf "$work"
mkdir -p "$work"
line_number=0
directive=
fence=
block=
checked=0
while IFS= read -r line || [ -n "$line" ]; do
  line_number=$((line_number + 1))
  if [ -z "$fence" ]; then
    case $line in
      '<!-- test: '*' -->') directive=${line#'<!-- test: '} directive=${directive%' -->'} ;;
      '```'*) fence=open block= ;;
      '') ;;
      *) [ -z "$directive" ] || fail "a test comment without a fenced block behind it" ;;
    esac
  elif [ "$line" != '```' ]; then
    block=${block:+$block$'\n'}$line
  else
    fence=
    case $directive in
      '') ;;
      run) run_block 0 </dev/null ;;
      'run exit '*) run_block "${directive#run exit }" </dev/null ;;
      output) check_output ;;
      'columns '*) check_columns "${directive#columns }" ;;
      'file '*) check_file "${directive#file }" ;;
      *) fail "unknown test comment '$directive'; known: run, run exit N, output, columns N COMMAND, file PATH" ;;
    esac
    [ -z "$directive" ] || checked=$((checked + 1))
    directive=
  fi
done <"$document"
[ "$checked" -gt 0 ] || fail "no block is marked with <!-- test: ... -->"
echo "$document: $checked blocks hold"
