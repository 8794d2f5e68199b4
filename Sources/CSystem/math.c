// The functions of libm that the library calls, hidden in it: a program that opens a store need not load another library for
// what it seldom asks. Colors become the same numbers on every machine, whichever libm it has.
//
// What rounds is exact, and so is `remainder`. `log`, `sin` and `cos` are within two units of the last place, `pow` within
// 32; of bases that are not negative, and angles of less than a million, since colors and aspects have no others.
#include "csystem.h"

#if defined(LIVERY_EMBEDDED)

#include <float.h>

#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#endif

#define HIDDEN __attribute__((visibility("hidden")))

// From here on every double is a whole number.
static const double WHOLE = 4503599627370496.0;

static double power_of_two(int64_t exponent) {
  uint64_t bits = (uint64_t)(exponent + 1023) << 52;
  double power;
  memcpy(&power, &bits, 8);
  return power;
}

// The functions call these: one that called another by its name in libm the compiler might make call itself.
static inline double whole_of(double x) {
  if (!(__builtin_fabs(x) < WHOLE)) return x;
  return __builtin_copysign((double)(int64_t)x, x);
}

static inline double nearest_to(double x) {
  double whole = whole_of(x);
  return __builtin_fabs(x - whole) >= 0.5 ? whole + __builtin_copysign(1.0, x) : whole;
}

HIDDEN double trunc(double x) { return whole_of(x); }

HIDDEN double floor(double x) {
  double whole = whole_of(x);
  return whole > x ? whole - 1 : whole;
}

HIDDEN double ceil(double x) {
  double whole = whole_of(x);
  return whole < x ? __builtin_copysign(whole + 1, x) : whole;
}

// Halves go away from 0.
HIDDEN double round(double x) { return nearest_to(x); }

// A float has few enough places that nothing of it is lost in a double.
HIDDEN float roundf(float x) { return (float)nearest_to(x); }

// What is no number loses.
HIDDEN double fmax(double x, double y) { return x > y || y != y ? x : y; }
HIDDEN double fmin(double x, double y) { return x < y || y != y ? x : y; }

HIDDEN double remainder(double x, double y) {
  double rest = __builtin_fabs(x), divisor = __builtin_fabs(y);
  if (!(rest <= DBL_MAX) || !(divisor > 0)) return __builtin_nan("");
  if (!(divisor <= DBL_MAX)) return divisor != divisor ? y : x;
  // The largest multiple by a power of two, and from there downwards: each difference is exact.
  double part = divisor;
  while (part <= rest / 2) part *= 2;
  bool is_odd = false;
  for (; part >= divisor; part /= 2) {
    is_odd = rest >= part;
    if (is_odd) rest -= part;
    if (part == divisor) break;
  }
  double above = divisor - rest;
  if (rest > above || (rest == above && is_odd)) rest -= divisor;
  return __builtin_signbit(x) ? -rest : rest;
}

static const double LN2 = 6.93147180369123816490e-01, LN2_REST = 1.90821492927058770002e-10;

static double logarithm(double x) {
  if (!(x > 0)) return x == 0 ? -__builtin_inf() : __builtin_nan("");
  if (!(x <= DBL_MAX)) return x;
  int64_t exponent = 0;
  if (x < DBL_MIN) x *= 0x1p54, exponent = -54;
  uint64_t bits;
  memcpy(&bits, &x, 8);
  exponent += (int64_t)(bits >> 52) - 1023;
  bits = (bits & 0xfffffffffffffu) | (uint64_t)1023 << 52;
  memcpy(&x, &bits, 8);
  if (x > 1.4142135623730951) x /= 2, exponent += 1;
  // ln x is twice the area tangent of s.
  double s = (x - 1) / (x + 1), square = s * s, series = 0;
  for (int odd = 25; odd >= 3; odd -= 2) series = series * square + 1.0 / odd;
  double rest = 2 * s * square * series;
  return (double)exponent * LN2 + (2 * s + (rest + (double)exponent * LN2_REST));
}

HIDDEN double log(double x) { return logarithm(x); }

static double exponential(double x) {
  if (!(x < 709.78)) return x != x ? x : __builtin_inf();
  if (x < -745.2) return 0;
  int64_t power = (int64_t)nearest_to(x * 1.44269504088896340736);
  double rest = x - (double)power * LN2 - (double)power * LN2_REST, series = 1;
  for (int term = 14; term >= 1; term--) series = series * rest / term + 1;
  if (power >= -1022) return series * power_of_two(power / 2) * power_of_two(power - power / 2);
  return series * power_of_two(power + 600) * power_of_two(-600);
}

HIDDEN double pow(double x, double y) {
  if (x == 1 || y == 0) return 1;
  if (x == 0) return y > 0 ? 0 : __builtin_inf();
  return exponential(y * logarithm(x));
}

// With the sine of a quarter turn more for the cosine.
static double sine(double x, int64_t quarters) {
  if (!(__builtin_fabs(x) < 1e6)) return __builtin_nan("");
  double whole = nearest_to(x * 0.63661977236758134308);
  double rest = x - whole * 1.57079632673412561417e+00 - whole * 6.07710050650619224932e-11, square = rest * rest;
  quarters += (int64_t)whole;
  double series = 0;
  if (quarters & 1) {
    for (int term = 18; term >= 2; term -= 2) series = (series + 1) * -square / (term * (term - 1));
    series += 1;
  } else {
    for (int term = 19; term >= 3; term -= 2) series = (series + 1) * -square / (term * (term - 1));
    series = rest + rest * series;
  }
  return quarters & 2 ? -series : series;
}

HIDDEN double sin(double x) { return sine(x, 0); }
HIDDEN double cos(double x) { return sine(x, 1); }

// The compiler calls it where both are asked for.
HIDDEN void sincos(double x, double *sine_of_x, double *cosine_of_x) {
  *sine_of_x = sine(x, 0);
  *cosine_of_x = sine(x, 1);
}

#endif
