#!/usr/bin/env bash
# Compiles each table of this folder and asserts that the compiler rejects an invalid one with a message that names the
# error: the output must contain every `// EXPECT: text` of the file. A file with `// COMPILES` must compile.
#   check_bad_tables.sh COMPILER SOURCE_DIR [COMPILER ARGUMENTS…]
set -u
compiler=$1
source_dir=$2
shift 2
here=$source_dir/tests/fsm
failures=0

fail() {
  printf 'FAILED %s: %s\n' "$1" "$2"
  failures=$((failures + 1))
}

check() {
  local file=$1 name output compiled text
  shift
  name=$(basename "$file")
  output=$("$compiler" -std=c++26 -fsyntax-only -fno-color-diagnostics -I"$source_dir/src" -I"$here" "$@" "$file" 2>&1)
  compiled=$?
  if grep -q '^// COMPILES' "$file"; then
    [ "$compiled" -eq 0 ] || fail "$name" "does not compile: $output"
    return
  fi
  [ "$compiled" -ne 0 ] || fail "$name" "compiles, but must not"
  grep -q '^// EXPECT: ' "$file" || fail "$name" "has no EXPECT line"
  while read -r text; do
    grep -qF -- "$text" <<< "$output" || fail "$name" "the compiler does not report \`$text\`, but: $output"
  done < <(sed -n 's|^// EXPECT: ||p' "$file")
}

for file in "$here"/*.cpp; do
  check "$file" "$@"
done
[ "$failures" -eq 0 ] && echo "every table was judged correctly"
exit "$((failures > 0))"
