"""Finds the tools, and makes headers to read."""

import os
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
HEADERS = ROOT / "include" / "livery"
sys.path.insert(0, os.fspath(ROOT / "tools"))

#: Everything that a header may have.
SAMPLE = '''/**
 * @file livery/sample.h
 * What a header may have.
 *
 *     indented = stays;
 */
#ifndef LIVERY_SAMPLE_H
#define LIVERY_SAMPLE_H

#include <stdint.h>

#define LIVERY_API __attribute__((visibility("default")))

#ifdef __cplusplus
extern "C" {
#endif

/* Nobody's: LIVERY_API int not_declared(void); */
// Nor this.
#define LIVERY_MOST 255
/** The double. */
#define LIVERY_DOUBLE (LIVERY_MOST * 2)
#define LIVERY_WHOLE SIZE_MAX

/** A number. */
typedef int32_t livery_status;
enum {
  /** Success. */
  LIVERY_OK = 0,
  LIVERY_ERROR_CLOSED = -2,
  /** Over
      two lines. */
  LIVERY_ERROR_LATER = -(1 << 4) + 1
};

/** Bits. */
enum { LIVERY_BIT_LOW = 1 << 0, LIVERY_BIT_BOTH = LIVERY_BIT_LOW | 1 << 8, };

/** A handle. */
typedef struct livery_thing livery_thing;

/** Options. */
typedef struct livery_options {
  /** sizeof(livery_options) */
  size_t struct_size;
  const char *const *names;
  /** Two. */
  livery_thing *first, *second;
} livery_options;
#define LIVERY_OPTIONS_INIT { sizeof(livery_options), \\
                              NULL, NULL, NULL }

/** Called. */
typedef livery_status (*livery_call_fn)(const livery_options *options, void *user_data);

/**
 * Do it, over
 * two lines.
 *
 * More of it:
 *
 *     code();
 *
 * Threads: any. Never
 * blocks.
 *
 * @param thing        a thing
 * @param options      or NULL
 * @param call, other  functions
 * @param user_data    handed on
 * @param[out] result  over
 *   two lines
 * @return #LIVERY_OK if it was done, or
 *   - #LIVERY_ERROR_CLOSED  it was closed,
 *     long ago
 *   - #LIVERY_ERROR_LATER   not yet
 * @since 0.2
 * @deprecated since 0.3: do something else
 */
LIVERY_API livery_status livery_do(livery_thing *thing, const livery_options *options, livery_call_fn call,
                                   livery_call_fn other, void *user_data, livery_thing **result);

/**
 * Say it.
 *
 * Threads: any.
 *
 * @return text
 * @since 0.1
 */
LIVERY_API const char *livery_say(void);

#ifdef __cplusplus
}
#endif

#endif
'''


@pytest.fixture
def folder(tmp_path):
  """A folder of headers whose one header is the sample."""
  made = tmp_path / "include" / "livery"
  made.mkdir(parents=True)
  (made / "sample.h").write_text(SAMPLE, encoding="utf-8")
  return made
