#!/bin/sh
# Compiles each public header alone, twice included, and all together: as C11 and as C++17, without a warning.
#
#   headers.sh INCLUDE_FOLDER CC CXX
set -eu
include=$1 cc=$2 cxx=$3
warnings="-Wall -Wextra -Wpedantic -Werror -Wshadow -Wundef"
cd "$include"
for header in livery.h livery/*.h; do
  text="#include <$header>
#include <$header>
int livery_header_test(void);
int livery_header_test(void) { return LIVERY_OK; }"
  echo "$text" | "$cc" -std=c11 $warnings -Wstrict-prototypes -I. -fsyntax-only -x c -
  echo "$text" | "$cxx" -std=c++17 $warnings -Wold-style-cast -I. -fsyntax-only -x c++ -
  echo "ok $header"
done
