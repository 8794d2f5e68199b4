// libFuzzer's entry to one parser, PARSER: a program holds that one alone, so that little is to be looked through for
// what an input has reached.
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

void PARSER(const uint8_t *bytes, ptrdiff_t count);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
  static int is_broken = -1;
  if (is_broken < 0) is_broken = getenv("FUZZ_BROKEN") != NULL;
  // For seeing the fuzzer find something.
  if (is_broken && count > 1 && bytes[0] == 'b' && bytes[1] == 'a') abort();
  PARSER(bytes, (ptrdiff_t)count);
  return 0;
}
