#!/usr/bin/env bash
# Compiles and runs the examples of docs/swift.md: all ```swift blocks as one program, in order, in a directory of its
# own.
#
# A block that imports PackageDescription is the program's Package.swift, with the path of this repository in place of
# "../livery". A ```text block after an example is what it must print. Compiler errors name the place in the guide.
#
#     swift_blocks.sh [SCRATCH]        builds in SCRATCH, build/docs-swift if not given; quick when built before
set -u
repository=$(cd "$(dirname "$0")/../.." && pwd)
guide=$repository/docs/swift.md
scratch=${1:-$repository/build/docs-swift}
package=$scratch/package
mkdir -p "$package/Sources/kiosk" || exit 1
scratch=$(cd "$scratch" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Writes Package.swift and main.swift, which prints a line with the number of each block before it runs, and what the
# blocks should print.
awk -v repository="$repository" -v work="$work" '
  function close_block() {
    if (kind == "swift" && text ~ /import PackageDescription/) {
      gsub(/"\.\.\/livery"/, "\"" repository "\"", text)
      printf "%s", text >(work "/Package.swift")
    } else if (kind == "swift") {
      number++
      place[number] = start
      printf "#sourceLocation(file: \"docs/swift.md\", line: %d)\n%s", start, text >(work "/main.swift")
      printf "#sourceLocation()\nprint(\"\\u{1}%d\")\n", number >(work "/main.swift")
      printf "" >(work "/wanted." number)
    } else if (kind == "text" && number) {
      printf "%s", text >(work "/wanted." number)
    }
    kind = ""
  }
  /^```$/ && kind != "" { close_block(); next }
  /^```/ && kind == "" { kind = substr($0, 4); start = NR + 1; text = ""; next }
  kind != "" { text = text $0 "\n" }
  END { for (i = 1; i <= number; i++) print place[i] >(work "/places") }
' "$guide"
blocks=$(wc -l <"$work/places")

# Left alone when they are the same, so that nothing is built again.
cmp -s "$work/Package.swift" "$package/Package.swift" || cp "$work/Package.swift" "$package/"
cmp -s "$work/main.swift" "$package/Sources/kiosk/main.swift" || cp "$work/main.swift" "$package/Sources/kiosk/"

if ! swift build --package-path "$package" --scratch-path "$scratch" >"$work/build.log" 2>&1; then
  grep -E "error:|docs/swift.md" "$work/build.log" || cat "$work/build.log"
  echo "0 passed, $blocks failed"
  exit 1
fi
mkdir "$work/run"
program=$(swift build --package-path "$package" --scratch-path "$scratch" --show-bin-path)/kiosk
(cd "$work/run" && timeout 60 "$program") >"$work/out" 2>"$work/err"
status=$?

passed=0
failed=0
number=0
while IFS= read -r line; do
  number=$((number + 1))
  awk -v number=$number -v work="$work" '
    /^\001/ { if ($0 == "\001" number) { found = 1; exit } text = ""; next }
    { text = text $0 "\n" }
    END { printf "%s", text >(work "/printed"); exit !found }' "$work/out"
  reached=$?
  if [ $reached -eq 0 ] && cmp -s "$work/printed" "$work/wanted.$number"; then
    passed=$((passed + 1))
    continue
  fi
  failed=$((failed + 1))
  echo "not ok - docs/swift.md:$line"
  if [ $reached -ne 0 ]; then
    echo "the program ended here or before, with status $status:"
    cat "$work/err"
  else
    diff -u --label wanted --label printed "$work/wanted.$number" "$work/printed"
  fi
done <"$work/places"
[ $status -eq 0 ] || [ $failed -gt 0 ] || { echo "not ok - status $status" && failed=1; }
echo "$passed passed, $failed failed"
[ $failed -eq 0 ] && [ $passed -gt 0 ]
