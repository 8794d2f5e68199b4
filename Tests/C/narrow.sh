#!/bin/sh
# That a target whose pointers have 32 bits is refused when Livery is built, and with a sentence:
#
#   narrow.sh REPOSITORY CC
set -u
root=$1 compiler=$2
sentence="Livery needs a 64-bit target"
for file in Sources/CLivery/header.c Sources/CSystem/errors.c; do
  said=$("$compiler" -m32 -fsyntax-only -I "$root/include" -I "$root/Sources/CSystem/include" "$root/$file" 2>&1) && {
    echo "$file is compiled for 32 bits" >&2
    exit 1
  }
  case $said in
    *"$sentence"*) ;;
    *) printf '%s: no such sentence: %s\n%s\n' "$file" "$sentence" "$said" >&2; exit 1 ;;
  esac
done

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat >"$work/narrow.cmake" <<'END'
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_C_FLAGS_INIT -m32)
set(CMAKE_CXX_FLAGS_INIT -m32)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
END
said=$(cmake -S "$root" -B "$work/build" --toolchain "$work/narrow.cmake" 2>&1) && { echo "CMake takes 32 bits" >&2; exit 1; }
printf '%s' "$said" | tr -s '\n ' '  ' | grep -q "$sentence" || { printf 'CMake: no such sentence\n%s\n' "$said" >&2; exit 1; }
