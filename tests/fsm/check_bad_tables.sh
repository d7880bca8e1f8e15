#!/usr/bin/env bash
# Compiles each table of this folder and asserts that a bad one is refused with a message that names what is wrong:
# every `// EXPECT: text` of the file must stand in what the compiler says. A file with `// COMPILES` must compile.
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
  local file=$1 name said compiled text
  shift
  name=$(basename "$file")
  said=$("$compiler" -std=c++26 -fsyntax-only -fno-color-diagnostics -I"$source_dir/src" -I"$here" "$@" "$file" 2>&1)
  compiled=$?
  if grep -q '^// COMPILES' "$file"; then
    [ "$compiled" -eq 0 ] || fail "$name" "does not compile: $said"
    return
  fi
  [ "$compiled" -ne 0 ] || fail "$name" "compiles, and should not"
  grep -q '^// EXPECT: ' "$file" || fail "$name" "expects nothing"
  while read -r text; do
    grep -qF -- "$text" <<< "$said" || fail "$name" "the compiler does not say \`$text\`, but: $said"
  done < <(sed -n 's|^// EXPECT: ||p' "$file")
}

for file in "$here"/*.cpp; do
  check "$file" "$@"
done
[ "$failures" -eq 0 ] && echo "every table is judged as it should be"
exit "$((failures > 0))"
