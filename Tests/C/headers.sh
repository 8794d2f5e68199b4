#!/bin/sh
# Compiles each public header alone, twice included, and all together: as C11 and as C++17, without a warning.
#
#   headers.sh INCLUDE_FOLDER CC CXX [FOLDER_OF_WHAT_IT_INCLUDES]
set -eu
include=$1 cc=$2 cxx=$3 base=${4:-$1}
warnings="-Wall -Wextra -Wpedantic -Werror -Wshadow -Wundef"
cd "$include"
for header in *.h livery/*.h; do
  [ -f "$header" ] || continue
  text="#include <$header>
#include <$header>
int livery_header_test(void);
int livery_header_test(void) { return LIVERY_OK; }"
  echo "$text" | "$cc" -std=c11 $warnings -Wstrict-prototypes -I. -isystem "$base" -fsyntax-only -x c -
  echo "$text" | "$cxx" -std=c++17 $warnings -Wold-style-cast -I. -isystem "$base" -fsyntax-only -x c++ -
  echo "ok $header"
done
