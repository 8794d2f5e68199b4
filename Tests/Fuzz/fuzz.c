// libFuzzer's entry: $FUZZ_TARGET is the number of the parser in Targets.swift.
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

bool fuzz_run(int32_t target, const uint8_t *bytes, ptrdiff_t count);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
  static int target = -1;
  static bool is_broken;
  if (target < 0) {
    const char *number = getenv("FUZZ_TARGET");
    target = number ? atoi(number) : 0;
    is_broken = getenv("FUZZ_BROKEN") != NULL;
  }
  // For seeing the fuzzer find something.
  if (is_broken && count > 1 && bytes[0] == 'b' && bytes[1] == 'a') abort();
  if (!fuzz_run(target, bytes, (ptrdiff_t)count)) abort();
  return 0;
}
