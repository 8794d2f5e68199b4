// The arguments of misuse.c: good ones, and bad ones of every kind. Included by what misuse_calls.py makes.

#define UNTOUCHED ((void *)(uintptr_t)0x5a5a5a5a)

enum { HANDLES_A_KIND = 12, BUFFER = 4096 };

// Which arguments of the call are bad: one, all at random, or none.
static int bad_position;
enum { NONE_BAD = -1, SOME_BAD = -2 };

static bool is_bad(int position) {
  return bad_position == SOME_BAD ? below(6) == 0 : bad_position == position;
}

// Handles that calls have made, by kind; some have been closed since.
static void *handles[KINDS][HANDLES_A_KIND];
static void *kept_store;
static uint64_t callback_calls;
static void call_from_callback(void);

static void *a_handle(handle_kind kind, bool is_wrong) {
  if (!is_wrong) {
    if (kind == KIND_STORE && below(8)) return kept_store;
    return handles[kind][below(HANDLES_A_KIND)];
  }
  void *other = handles[below(KINDS)][below(HANDLES_A_KIND)];
  switch (below(6)) {
    case 0: return NULL;
    case 1: return (void *)(uintptr_t)random_bits();
    case 2: return (void *)((uintptr_t)other ^ ((uintptr_t)1 << below(64)));
    case 3: return (void *)&handles;
    case 4: return (void *)(uintptr_t)(below(4) ? below(16) : SIZE_MAX - below(16));
    default: return other;
  }
}

static void *some_handle_of_values(void) { return handles[KIND_VALUE][below(HANDLES_A_KIND)]; }

static livery_value *const *some_values(bool is_wrong) {
  static livery_value *values[4];
  for (size_t index = 0; index < COUNT_OF(values); index++) values[index] = some_handle_of_values();
  if (is_wrong) values[below(4)] = a_handle(KIND_VALUE, true);
  return is_wrong && below(3) == 0 ? NULL : values;
}

typedef enum text_purpose { TEXT_ANY, TEXT_NAME, TEXT_JSON, TEXT_SCHEMA, TEXT_PATH, TEXT_BYTES, PURPOSES } text_purpose;

typedef struct piece { const void *bytes; size_t length; } piece;
#define PIECE(literal) {literal, sizeof(literal) - 1}

static char long_name[LIVERY_NAME_MAX + 2], longest_name[LIVERY_NAME_MAX + 1];

static const piece good_texts[PURPOSES][10] = {
  [TEXT_ANY] = {PIECE("some text"), PIECE("1"), PIECE("#336699"), PIECE("https://example.com/"), PIECE("true"), PIECE("2026-01-02T03:04:05Z"),
                PIECE("AQID"), PIECE("caf\xc3\xa9"), PIECE("console"), PIECE("")},
  [TEXT_NAME] = {PIECE("title"), PIECE("number"), PIECE("list"), PIECE("color"), PIECE("a.b.c"), PIECE("data"), PIECE("url"), PIECE("date"),
                 PIECE("flag"), PIECE("image")},
  [TEXT_JSON] = {PIECE("{\"title\": \"x\"}"), PIECE("{\"number\": 3, \"flag\": true}"), PIECE("[1, 2.5, null, {\"a\": []}]"), PIECE("{}"),
                 PIECE("{\"Version\": 1, \"Values\": {\"title\": \"y\"}}"), PIECE("17"), PIECE("\"text\""),
                 PIECE("{\"Version\": 1, \"Layers\": {\"user\": {\"number\": {\"value\": 5, \"revision\": 2, \"time\": \"2026-03-01T09:30:00Z\"}}}}"),
                 PIECE("true"), PIECE("{\"list\": [1, 2]}")},
  [TEXT_SCHEMA] = {PIECE("{\"Version\": 1, \"Open\": true, \"Groups\": [{\"Title\": \"G\", \"Settings\": [{\"Type\": \"TextField\", \"Title\": \"T\", \"Key\": \"title\", \"Value\": \"v\"}]}]}"),
                   PIECE("{\"Version\": 2, \"Open\": true, \"Groups\": [{\"Title\": \"G\", \"Settings\": [{\"Type\": \"Number\", \"Format\": \"integer\", \"Title\": \"T\", \"Key\": \"number\", \"Value\": 4, \"Maximum\": 9}]}]}"),
                   PIECE("{\"Version\": 3, \"Open\": true, \"Groups\": []}"), PIECE("{\"Version\": 1, \"Groups\": 5}"), PIECE("{}"),
                   PIECE("[]"), PIECE("{\"Version\": 2, \"Open\": true, \"Groups\": []}"), PIECE("{\"Version\": 4, \"Open\": true, \"Groups\": []}"),
                   PIECE("{\"Version\": 1}"), PIECE("{\"Version\": 5, \"Open\": true, \"Groups\": [], \"Migrations\": [{\"To\": 2, \"Steps\": [{\"Op\": \"call\", \"Name\": \"title\"}]}, {\"To\": 5, \"Steps\": [{\"Op\": \"call\", \"Name\": \"number\"}]}]}")},
  [TEXT_PATH] = {PIECE("store"), PIECE("store"), PIECE("other"), PIECE("third"), PIECE("file"), PIECE("./store"), PIECE("copy"), PIECE("copy"),
                 PIECE("store/"), PIECE("missing/below")},
  [TEXT_BYTES] = {PIECE("\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x10\0\0\0\x10\x08\6\0\0\0"), PIECE("bytes"), PIECE("\0\0\0"), PIECE("GIF89a\1\0\1\0"),
                  PIECE("<?xml version=\"1.0\"?><plist version=\"1.0\"><dict><key>title</key><string>p</string></dict></plist>"),
                  PIECE("bplist00\xd0\x08\0\0\0\0\0\0\1\1\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x09"), PIECE("x"),
                  PIECE("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"1\" height=\"1\"/>"), PIECE("\xff\xd8\xff\xe0\0\x10JFIF"), PIECE("")},
};

static const piece bad_texts[] = {
  {NULL, 0}, PIECE(""), PIECE("\xff\xfe"), PIECE("\xc3"), PIECE("\xed\xa0\x80"), PIECE("\xf4\x90\x80\x80"), PIECE("\xc0\x80"), PIECE("a\nb"),
  PIECE("\x7f"), PIECE("**"), PIECE("[["), PIECE("?*?*?*"), PIECE("{"), PIECE("{\"a\""), PIECE("[1e999]"), PIECE("\"\\ud800\""),
  PIECE("<plist>"), PIECE("bplist00"), PIECE("bplist00\xaf\x13\xff\xff\xff\xff\xff\xff\xff\xff"), PIECE("%s%n%x"), PIECE("../.."),
  PIECE("titel"), PIECE("NaN"), PIECE("-9223372036854775809"), PIECE("\xef\xbb\xbf{}"), {long_name, LIVERY_NAME_MAX + 1},
  {longest_name, LIVERY_NAME_MAX}, PIECE("\0embedded"),
};

static piece last_piece;

static const void *a_text(text_purpose purpose, bool is_wrong) {
  last_piece = is_wrong && below(8) ? bad_texts[below(COUNT_OF(bad_texts))]
    : good_texts[is_wrong ? below(PURPOSES) : (uint64_t)purpose][below(10)];
  return last_piece.bytes;
}

static size_t a_length(const void *text, bool is_wrong) {
  (void)text;
  if (!is_wrong) return below(3) ? last_piece.length : LIVERY_ZERO_TERMINATED;
  // Longer than what is there only by so much that nobody can mean it.
  static const size_t lengths[] = {0, SIZE_MAX, SIZE_MAX - 1, SIZE_MAX / 2, SIZE_MAX / 2 + 1};
  return below(3) ? lengths[below(COUNT_OF(lengths))] : last_piece.length / 2;
}

static const char *const *some_keys(bool is_wrong) {
  static const char *keys[4];
  for (size_t index = 0; index < COUNT_OF(keys); index++) keys[index] = good_texts[TEXT_NAME][(index + below(3)) % 10].bytes;
  if (is_wrong) keys[below(4)] = a_text(TEXT_ANY, true);
  return is_wrong && below(3) == 0 ? NULL : keys;
}

// With a margin that must stay as it is.
static unsigned char buffer[BUFFER + 64];
static char name_buffer[LIVERY_NAME_MAX + 1 + 64];

static char *a_name_buffer(bool is_wrong) {
  const char *name = a_text(TEXT_NAME, is_wrong);
  if (!name) return NULL;
  snprintf(name_buffer, LIVERY_NAME_MAX + 1, "%s", name);
  if (is_wrong && below(2)) name_buffer[0] = '\xff';
  return name_buffer;
}

static size_t a_capacity(bool is_wrong) {
  static const size_t sizes[] = {0, 1, 2, 3, 7, BUFFER - 1};
  return is_wrong ? sizes[below(COUNT_OF(sizes))] : BUFFER;
}
static size_t a_count(bool is_wrong) {
  static const size_t counts[] = {0, SIZE_MAX, SIZE_MAX / 8, SIZE_MAX / 16 + 1, SIZE_MAX / 2};
  return is_wrong ? counts[below(COUNT_OF(counts))] : below(5);
}
static size_t a_size(size_t right, bool is_wrong) {
  const size_t sizes[] = {0, 1, sizeof(size_t), right - 1, right + 8, right + 64, SIZE_MAX, right / 2};
  return is_wrong && below(2) ? sizes[below(COUNT_OF(sizes))] : right;
}
// What lies behind a struct that says that it is longer.
static void *options_place(int position) {
  static unsigned char places[8][512];
  memset(places[position & 7], below(2) ? 0 : 0xa5, sizeof places[0]);
  return places[position & 7];
}

static int64_t an_integer(bool is_wrong) {
  static const int64_t numbers[] = {INT64_MIN, INT64_MAX, -1, INT64_MIN + 1, 253402300800000000, -62135596800000001};
  if (!is_wrong) return (int64_t)below(100);
  return below(4) ? numbers[below(COUNT_OF(numbers))] : (int64_t)random_bits();
}
static uint64_t a_large_number(bool is_wrong) { return is_wrong ? (uint64_t)an_integer(true) : below(20); }
static uint32_t some_flags(bool is_wrong) { return is_wrong ? (below(2) ? (uint32_t)random_bits() : 1u << below(32)) : (uint32_t)below(2); }
static int32_t a_small_number(bool is_wrong) { return is_wrong ? (int32_t)random_bits() : (int32_t)below(8); }
static livery_layer a_layer(bool is_wrong) {
  static const livery_layer layers[] = {-1, 7, INT32_MIN, INT32_MAX, 255, 256, LIVERY_LAYER_DEFAULTS, LIVERY_LAYER_OVERRIDE};
  return is_wrong ? layers[below(COUNT_OF(layers))] : (livery_layer)(1 + below(4));
}
static size_t an_index(bool is_wrong) {
  static const size_t indexes[] = {SIZE_MAX, SIZE_MAX / 2, SIZE_MAX / 2 + 1, SIZE_MAX / 8, 1000000};
  return is_wrong ? indexes[below(COUNT_OF(indexes))] : below(4);
}
static double a_double(bool is_wrong) {
  static const double numbers[] = {__builtin_nan(""), __builtin_inf(), -__builtin_inf(), 1e308, 5e-324, -0.0, 9.3e18, -9.3e18};
  return is_wrong ? numbers[below(COUNT_OF(numbers))] : (double)below(100) / 8;
}
UNUSED static float a_single(bool is_wrong) { return (float)a_double(is_wrong); }
static livery_color a_color(bool is_wrong) {
  livery_color color = {0.25f, 0.5f, 0.75f, 1};
  if (is_wrong) (&color.red)[below(4)] = (float)a_double(true);
  return color;
}
// Any byte may stand where C has a truth value.
static bool a_truth(bool is_wrong) {
  (void)is_wrong;
  return below(2);
}

static void check_made(livery_status status, bool is_made, bool may_be_made_on_failure);
static void check_untouched(livery_status status, const void *result, size_t size);
static void note_status(const char *function, livery_status status, const livery_status *listed);
static void keep(handle_kind kind, void *handle);
