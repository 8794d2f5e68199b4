// What the library has in place of libm, beside libm: what rounds and what remains is the same to the last bit, whatever the
// number; what colors and aspects need beside that is as near as math.c says.
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

double own_trunc(double x), own_floor(double x), own_ceil(double x), own_round(double x), own_log(double x), own_sin(double x),
  own_cos(double x), own_remainder(double x, double y), own_pow(double x, double y);
float own_roundf(float x);

#define LIVERY_EMBEDDED
#define trunc own_trunc
#define floor own_floor
#define ceil own_ceil
#define round own_round
#define roundf own_roundf
#define remainder own_remainder
#define log own_log
#define pow own_pow
#define sin own_sin
#define cos own_cos
#include "../../Sources/CSystem/math.c"
#undef trunc
#undef floor
#undef ceil
#undef round
#undef roundf
#undef remainder
#undef log
#undef pow
#undef sin
#undef cos

static uint64_t state = 0x9E3779B97F4A7C15;
static long failures;

static uint64_t next(void) {
  state ^= state << 13;
  state ^= state >> 7;
  return state ^= state << 17;
}

/** Any number: of any size, near whole ones and halves, infinite, or none. */
static double any(void) {
  static const double special[] = {0.0, -0.0, 0.5, -0.5, 0.49999999999999994, 4503599627370495.5, -4503599627370497.0, DBL_MAX,
                                   DBL_MIN, 5e-324, INFINITY, -INFINITY, NAN};
  uint64_t bits = next();
  double number;
  switch (next() % 4) {
    case 0: return special[next() % (sizeof special / sizeof *special)];
    case 1: return (double)(int64_t)(bits >> 32) / 2 - 1073741824.0;
    case 2: return (double)(int64_t)bits / (double)((uint64_t)1 << next() % 63);
    default: memcpy(&number, &bits, sizeof number); return number;
  }
}

static bool same(double one, double other) {
  return memcmp(&one, &other, sizeof one) == 0 || (isnan(one) && isnan(other));
}

static void expect(bool is_so, const char *name, double x, double y, double found, double wanted) {
  if (is_so) return;
  if (++failures <= 20) fprintf(stderr, "%s(%a, %a) is %a, not %a\n", name, x, y, found, wanted);
}

#define EXACT(function, x) expect(same(own_##function(x), function(x)), #function, x, 0, own_##function(x), function(x))
#define NEAR(function, x, units)                                                                                       \
  expect(fabs(own_##function(x) - function(x)) <= (units) * DBL_EPSILON * fabs(function(x)), #function, x, 0,          \
         own_##function(x), function(x))

int main(void) {
  for (long i = 0; i < 2000000; i++) {
    double x = any();
    EXACT(trunc, x);
    EXACT(floor, x);
    EXACT(ceil, x);
    EXACT(round, x);
    float narrow = (float)x;
    expect(same(own_roundf(narrow), roundf(narrow)), "roundf", narrow, 0, own_roundf(narrow), roundf(narrow));
  }
  for (long i = 0; i < 100000; i++) {
    static const double divisors[] = {360, 12, -360, 0.5};
    double x = any(), y = i % 2 ? any() : divisors[next() % 4];
    double found = own_remainder(x, y), wanted = remainder(x, y);
    // Of the smallest divisors libm's may have lost the sign of a remainder that is 0.
    expect(same(found, wanted) || (found == 0 && wanted == 0), "remainder", x, y, found, wanted);
  }
  for (long i = 0; i < 1000000; i++) {
    static const double exponents[] = {563.0 / 256, 256.0 / 563, 1.8, 1 / 1.8, 2.4, 1 / 2.4, 1.0 / 3};
    double share = (double)(next() >> 11) / (double)((uint64_t)1 << 53), power = exponents[next() % 7];
    NEAR(log, share + 0x1p-60, 2);
    NEAR(log, exp((share - 0.5) * 1000), 2);
    for (double base = share; base < 6; base += 5 * share + 1)
      expect(fabs(own_pow(base, power) - pow(base, power)) <= 32 * DBL_EPSILON * pow(base, power), "pow", base, power,
             own_pow(base, power), pow(base, power));
    double angle = (share - 0.5) * 100;
    expect(fabs(own_sin(angle) - sin(angle)) <= DBL_EPSILON, "sin", angle, 0, own_sin(angle), sin(angle));
    expect(fabs(own_cos(angle) - cos(angle)) <= DBL_EPSILON, "cos", angle, 0, own_cos(angle), cos(angle));
  }
  // Black and white, and no turn at all.
  expect(own_pow(0, 2.4) == 0 && own_pow(1, 2.4) == 1, "pow", 0, 2.4, own_pow(0, 2.4), 0);
  EXACT(log, 1.0);
  EXACT(sin, 0.0);
  EXACT(cos, 0.0);
  puts(failures ? "failed" : "ok");
  return failures > 0;
}
