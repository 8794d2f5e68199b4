/**
 * @file livery/value.h
 * Typed, immutable, reference-counted values.
 *
 * A #livery_value holds a setting's value, and also every report, listing and inspection, so that all languages read
 * them alike. Values never change; they may be shared between threads. Any function here given a value that was released
 * returns #LIVERY_ERROR_CLOSED, and in a forked child #LIVERY_ERROR_FORKED.
 */
#ifndef LIVERY_VALUE_H
#define LIVERY_VALUE_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A value; see the file's comment. */
typedef struct livery_value livery_value;

/** Types of values. The numbers are pinned for ever. */
typedef int32_t livery_type;
enum {
  LIVERY_TYPE_BOOL = 1,
  /** A whole number of 64 bits with sign. */
  LIVERY_TYPE_INT = 2,
  /** An IEEE 754 double, never NaN or infinite. */
  LIVERY_TYPE_DOUBLE = 3,
  /** UTF-8; may contain NUL. */
  LIVERY_TYPE_STRING = 4,
  /** Bytes. */
  LIVERY_TYPE_DATA = 5,
  /**
   * Text that is empty or an absolute URL: RFC 3986, with characters beyond ASCII as in RFC 3987. It begins with a
   * scheme; `http`, `https`, `ws`, `wss` and `ftp` need a host, others may be anything such as `mailto:a@b.example`. A
   * port is at most 65535, `%` is followed by two hexadecimal digits, and there is no space and none of `<` `>` `"` `{`
   * `}` `|` `\` `^` and the backtick. Nothing is looked up, and nothing is changed: the text is kept byte for byte.
   */
  LIVERY_TYPE_URL = 6,
  /** A moment: microseconds since 1970-01-01T00:00:00Z, of the years 1 to 9999. */
  LIVERY_TYPE_DATE = 7,
  /** An sRGB color with alpha. */
  LIVERY_TYPE_COLOR = 8,
  /** A reference to an image asset: text of 1 to 1,024 bytes without control characters, by convention the SHA-256 of its
      bytes in hexadecimal. */
  LIVERY_TYPE_IMAGE = 9,
  /** Values in order. */
  LIVERY_TYPE_LIST = 10,
  /** Members with distinct keys; the order carries no meaning. */
  LIVERY_TYPE_OBJECT = 11
};

/** An sRGB color, components and alpha from 0 to 1, alpha not premultiplied. */
typedef struct livery_color {
  float red, green, blue, alpha;
} livery_color;

/**
 * Take one more reference to a value.
 *
 * Threads: any. Never blocks.
 *
 * @param value  a value
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  `value` is NULL
 * @since 0.1
 */
LIVERY_API livery_status livery_value_retain(livery_value *value);

/**
 * Give back one reference; with the last one the value goes, and text borrowed from it with it.
 *
 * Threads: any. Never blocks.
 *
 * @param value  a value, or NULL for nothing to happen
 * @return #LIVERY_OK
 * @since 0.1
 */
LIVERY_API livery_status livery_value_release(livery_value *value);

/**
 * The type of a value.
 *
 * Threads: any. Never blocks.
 *
 * @param value      a value
 * @param[out] type  one of `LIVERY_TYPE_*`
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  a pointer is NULL
 * @since 0.1
 */
LIVERY_API livery_status livery_value_type(livery_value *value, livery_type *type);

/**
 * Read a value as a truth value.
 *
 * The strings "1", "true" and "yes" convert to true, "0", "false" and "no" to false, in any letter case.
 *
 * Threads: any. Never blocks.
 *
 * @param value        a value
 * @param[out] result  untouched on failure
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_TYPE_MISMATCH     the value neither is a truth value nor spells one
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  a pointer is NULL
 * @since 0.1
 */
LIVERY_API livery_status livery_value_as_bool(livery_value *value, bool *result);

/**
 * Read a value as a 64-bit integer.
 *
 * A double that is a whole number in range converts, and a string that spells a whole decimal number. Nothing else does.
 *
 * Threads: any. Never blocks.
 *
 * @param value        a value
 * @param[out] result  untouched on failure
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_TYPE_MISMATCH     the value is not a whole number in the range of int64_t
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  a pointer is NULL
 * @since 0.1
 */
LIVERY_API livery_status livery_value_as_int(livery_value *value, int64_t *result);

/**
 * Read a value as a double.
 *
 * An integer that a double holds exactly converts, and a string that spells a finite decimal number.
 *
 * Threads: any. Never blocks.
 *
 * @param value        a value
 * @param[out] result  untouched on failure
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_TYPE_MISMATCH     the value is not a number that a double holds
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  a pointer is NULL
 * @since 0.1
 */
LIVERY_API livery_status livery_value_as_double(livery_value *value, double *result);

/**
 * Read the text of a string, URL or image reference.
 *
 * Threads: any. Never blocks.
 *
 * @param value        a value
 * @param[out] text    UTF-8, followed by a NUL; borrowed: valid until the value's last reference is released
 * @param[out] length  in bytes, without the NUL; may be NULL
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_TYPE_MISMATCH     the value is no text
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  `value` or `text` is NULL
 * @since 0.1
 */
LIVERY_API livery_status livery_value_as_string(livery_value *value, const char **text, size_t *length);

/**
 * Read the bytes of a data value; a string converts if it is base64 (RFC 4648 §4).
 *
 * Threads: any. Never blocks.
 *
 * @param value        a value
 * @param[out] bytes   borrowed: valid until the value's last reference is released; not NULL, even for no bytes
 * @param[out] length  in bytes
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_TYPE_MISMATCH     the value is neither data nor base64
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  a pointer is NULL
 * @since 0.1
 */
LIVERY_API livery_status livery_value_as_data(livery_value *value, const void **bytes, size_t *length);

/**
 * Read a color; a string converts if it is written `#RGB`, `#RRGGBB` or `#RRGGBBAA`.
 *
 * Threads: any. Never blocks.
 *
 * @param value        a value
 * @param[out] result  untouched on failure
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_TYPE_MISMATCH     the value neither is a color nor spells one
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  a pointer is NULL
 * @since 0.1
 */
LIVERY_API livery_status livery_value_as_color(livery_value *value, livery_color *result);

/**
 * Read a moment; a string converts if it is an RFC 3339 date-time.
 *
 * Threads: any. Never blocks.
 *
 * @param value              a value
 * @param[out] microseconds  since 1970-01-01T00:00:00Z; untouched on failure
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_TYPE_MISMATCH     the value neither is a moment nor spells one
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  a pointer is NULL
 * @since 0.1
 */
LIVERY_API livery_status livery_value_as_date(livery_value *value, int64_t *microseconds);

/**
 * The number of items of a list or members of an object; 0 for a scalar.
 *
 * Threads: any. Never blocks.
 *
 * @param value       a value
 * @param[out] count  untouched on failure
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  a pointer is NULL
 * @since 0.1
 */
LIVERY_API livery_status livery_value_count(livery_value *value, size_t *count);

/**
 * An item of a list, or the value of an object's member, by position.
 *
 * Threads: any. Never blocks.
 *
 * @param value      a list or object
 * @param index      from 0 to count − 1
 * @param[out] item  a new reference: release it; untouched on failure
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_NOT_FOUND         `index` is past the end
 *   - #LIVERY_ERROR_TYPE_MISMATCH     the value is a scalar
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  a pointer is NULL
 * @since 0.1
 */
LIVERY_API livery_status livery_value_at(livery_value *value, size_t index, livery_value **item);

/**
 * The value of an object's member, by key.
 *
 * Threads: any. Never blocks.
 *
 * @param value        an object
 * @param key          the member's key
 * @param[out] member  a new reference: release it; untouched on failure
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_NOT_FOUND         there is no such member
 *   - #LIVERY_ERROR_TYPE_MISMATCH     the value is no object
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  a pointer is NULL
 * @since 0.1
 */
LIVERY_API livery_status livery_value_member(livery_value *value, const char *key, livery_value **member);

/**
 * The key of an object's member, by position.
 *
 * Threads: any. Never blocks.
 *
 * @param value        an object
 * @param index        from 0 to count − 1
 * @param[out] key     UTF-8, followed by a NUL; borrowed: valid until the value's last reference is released
 * @param[out] length  in bytes, without the NUL; may be NULL
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_NOT_FOUND         `index` is past the end
 *   - #LIVERY_ERROR_TYPE_MISMATCH     the value is no object
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  `value` or `key` is NULL
 * @since 0.1
 */
LIVERY_API livery_status livery_value_key_at(livery_value *value, size_t index, const char **key, size_t *length);

/**
 * Whether two values are the same: of one type, with equal content. Members of objects are compared without regard to
 * order, text byte by byte; the integer 2 and the double 2.0 differ, and so do the doubles 0.0 and -0.0.
 *
 * Threads: any. Never blocks.
 *
 * @param left, right  values
 * @param[out] equal   untouched on failure
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  a pointer is NULL
 * @since 0.1
 */
LIVERY_API livery_status livery_value_equal(livery_value *left, livery_value *right, bool *equal);

/**
 * Make a truth value.
 *
 * Threads: any.
 *
 * @param content     the content
 * @param[out] value  a new reference: release it
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  `value` is NULL
 * @since 0.1
 */
LIVERY_API livery_status livery_value_make_bool(bool content, livery_value **value);

/**
 * Make an integer.
 *
 * Threads: any.
 *
 * @param content     the content
 * @param[out] value  a new reference: release it
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  `value` is NULL
 * @since 0.1
 */
LIVERY_API livery_status livery_value_make_int(int64_t content, livery_value **value);

/**
 * Make a double.
 *
 * Threads: any.
 *
 * @param content     the content; finite
 * @param[out] value  a new reference: release it; untouched on failure
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_INVALID_VALUE     `content` is NaN or infinite
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  `value` is NULL
 * @since 0.1
 */
LIVERY_API livery_status livery_value_make_double(double content, livery_value **value);

/**
 * Make a string.
 *
 * Threads: any.
 *
 * @param text        UTF-8; may contain NUL when `length` is given; copied
 * @param length      in bytes, or #LIVERY_ZERO_TERMINATED
 * @param[out] value  a new reference: release it; untouched on failure
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_INVALID_VALUE     `text` is not UTF-8, or is longer than #LIVERY_VALUE_MAX
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  a pointer is NULL
 * @since 0.1
 */
LIVERY_API livery_status livery_value_make_string(const char *text, size_t length, livery_value **value);

/**
 * Make a data value.
 *
 * Threads: any.
 *
 * @param bytes       copied; may be NULL when `length` is 0
 * @param length      in bytes
 * @param[out] value  a new reference: release it; untouched on failure
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_INVALID_VALUE     longer than #LIVERY_VALUE_MAX
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  a pointer is NULL
 * @since 0.1
 */
LIVERY_API livery_status livery_value_make_data(const void *bytes, size_t length, livery_value **value);

/**
 * Make a URL.
 *
 * Threads: any.
 *
 * @param text        empty, or an absolute URL; copied
 * @param length      in bytes, or #LIVERY_ZERO_TERMINATED
 * @param[out] value  a new reference: release it; untouched on failure
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_INVALID_VALUE     `text` is neither empty nor an absolute URL
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  a pointer is NULL
 * @since 0.1
 */
LIVERY_API livery_status livery_value_make_url(const char *text, size_t length, livery_value **value);

/**
 * Make a moment.
 *
 * Threads: any.
 *
 * @param microseconds  since 1970-01-01T00:00:00Z, within the years 1 to 9999
 * @param[out] value    a new reference: release it; untouched on failure
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_INVALID_VALUE     outside the years 1 to 9999
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  `value` is NULL
 * @since 0.1
 */
LIVERY_API livery_status livery_value_make_date(int64_t microseconds, livery_value **value);

/**
 * Make a color.
 *
 * Threads: any.
 *
 * @param content     components from 0 to 1
 * @param[out] value  a new reference: release it; untouched on failure
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_INVALID_VALUE     a component is outside 0 to 1, or NaN
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  `value` is NULL
 * @since 0.1
 */
LIVERY_API livery_status livery_value_make_color(livery_color content, livery_value **value);

/**
 * Make a reference to an image asset.
 *
 * Threads: any.
 *
 * @param text        1 to 1,024 bytes of UTF-8 without control characters; copied
 * @param length      in bytes, or #LIVERY_ZERO_TERMINATED
 * @param[out] value  a new reference: release it; untouched on failure
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_INVALID_VALUE     `text` is not such a text
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  a pointer is NULL
 * @since 0.1
 */
LIVERY_API livery_status livery_value_make_image(const char *text, size_t length, livery_value **value);

/**
 * Make a list.
 *
 * Threads: any.
 *
 * @param items       `count` values; the list takes references of its own; may be NULL when `count` is 0
 * @param count       the number of items
 * @param[out] value  a new reference: release it; untouched on failure
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_INVALID_VALUE     deeper than #LIVERY_DEPTH_MAX or larger than #LIVERY_VALUE_MAX
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  a pointer is NULL
 * @since 0.1
 */
LIVERY_API livery_status livery_value_make_list(livery_value *const *items, size_t count, livery_value **value);

/**
 * Make an object.
 *
 * Threads: any.
 *
 * @param keys        `count` distinct NUL-terminated UTF-8 keys; copied; may be NULL when `count` is 0
 * @param members     `count` values; the object takes references of its own; may be NULL when `count` is 0
 * @param count       the number of members
 * @param[out] value  a new reference: release it; untouched on failure
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_INVALID_VALUE     a key twice or not UTF-8, deeper than #LIVERY_DEPTH_MAX or larger than #LIVERY_VALUE_MAX
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  a pointer is NULL
 * @since 0.1
 */
LIVERY_API livery_status livery_value_make_object(const char *const *keys, livery_value *const *members, size_t count,
                                                  livery_value **value);

/**
 * Read a value from JSON (RFC 8259): true and false, numbers (those written with a fraction or exponent are doubles, all
 * others integers), strings, arrays, objects. JSON has no data, URLs, dates, colors or images: those come as strings and
 * convert when they are set on a setting of that type.
 *
 * Threads: any.
 *
 * @param json        UTF-8
 * @param length      in bytes, or #LIVERY_ZERO_TERMINATED; at most #LIVERY_DOCUMENT_MAX
 * @param[out] value  a new reference: release it; untouched on failure
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_PARSE             not JSON, a member twice, or a number out of range; the error has line and column
 *   - #LIVERY_ERROR_INVALID_VALUE     a null, or deeper than #LIVERY_DEPTH_MAX
 *   - #LIVERY_ERROR_IO                the library that reads JSON is not installed, or cannot be loaded
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  a pointer is NULL
 * @since 0.1
 */
LIVERY_API livery_status livery_value_from_json(const char *json, size_t length, livery_value **value);

/** Bits for functions that write JSON. */
enum {
  /** Indented by two spaces, with a line for each member. */
  LIVERY_JSON_PRETTY = 1 << 0
};

/**
 * Write a value as JSON: data as base64, colors as `#RRGGBBAA`, dates as RFC 3339 in UTC, URLs and images as text.
 * Doubles always carry a fraction or an exponent, so that they come back as doubles.
 *
 * Threads: any.
 *
 * @param value        a value
 * @param flags        a sum of `LIVERY_JSON_*` bits
 * @param[out] json    UTF-8, followed by a NUL; free it with livery_free(); untouched on failure
 * @param[out] length  in bytes, without the NUL; may be NULL
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  `value` or `json` is NULL, or an unknown flag
 * @since 0.1
 */
LIVERY_API livery_status livery_value_to_json(livery_value *value, uint32_t flags, char **json, size_t *length);

#ifdef __cplusplus
}
#endif

#endif
