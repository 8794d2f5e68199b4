// Small or huge inputs that are made to take for ever or to fill the memory. Each gets a status, whatever it is, within
// 100 ms and with at most 16 MiB of memory beside two copies of the input. Large inputs that are read to their end are
// marked as such: time and memory are to be in proportion to them. A bomb that takes longer is tried again: the machine may
// have been slow, the input would be slow each time.
//
//     bombs [--only NAME] [--all] [--broken]      --all tells each
#include "torture.h"

#include <sys/times.h>

enum { LIMIT_MS = 100, LIMIT_KIB = 16384, LARGE_NS_A_BYTE = 400, LARGE_BYTES_A_BYTE = 80, TRIES = 5 };

typedef struct bomb {
  const char *name;
  // Writes the input to memory that it returns; whole mebibytes may be mapped many times.
  unsigned char *(*make)(size_t *length);
  livery_status (*run)(livery_store *store, const unsigned char *bytes, size_t length);
  bool is_large;
} bomb;

static char path[256];
static struct outcome { double milliseconds, wall; long kibibytes; livery_status status; size_t length; } *outcome;

// What takes the inputs

static livery_status as_json(livery_store *store, const unsigned char *bytes, size_t length) {
  livery_value *value = NULL;
  (void)store;
  livery_status status = livery_value_from_json((const char *)bytes, length, &value);
  livery_value_release(value);
  return status;
}
static livery_status as_schema(livery_store *store, const unsigned char *bytes, size_t length) {
  livery_value *report = NULL;
  livery_status status = livery_schema_check(store, (const char *)bytes, length, &report);
  livery_value_release(report);
  return status;
}
static livery_status as_applied(livery_store *store, const unsigned char *bytes, size_t length) {
  livery_value *report = NULL;
  livery_status status = livery_schema_apply(store, (const char *)bytes, length, NULL, &report);
  livery_value_release(report);
  // The patterns of a schema are tried on values.
  if (status == LIVERY_OK)
    status = livery_set_string(store, LIVERY_LAYER_USER, "a", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaac", LIVERY_ZERO_TERMINATED);
  return status;
}
static livery_status as_plist(livery_store *store, const unsigned char *bytes, size_t length) {
  livery_value *report = NULL;
  livery_status status = livery_import_plist(store, LIVERY_LAYER_BUNDLE, bytes, length, 0, &report);
  livery_value_release(report);
  return status;
}
static livery_status as_import(livery_store *store, const unsigned char *bytes, size_t length) {
  livery_value *report = NULL;
  livery_status status = livery_import_json(store, LIVERY_LAYER_USER, (const char *)bytes, length, 0, &report);
  livery_value_release(report);
  return status;
}
static livery_status as_pattern(livery_store *store, const unsigned char *bytes, size_t length) {
  livery_value *list = NULL;
  (void)length;
  livery_status status = livery_list(store, (const char *)bytes, NULL, &list);
  livery_value_release(list);
  return status;
}
static livery_status as_name(livery_store *store, const unsigned char *bytes, size_t length) {
  int64_t number;
  (void)length;
  return livery_get_int(store, (const char *)bytes, &number);
}
static livery_status as_text(livery_store *store, const unsigned char *bytes, size_t length) {
  return livery_set_string(store, LIVERY_LAYER_USER, "text", (const char *)bytes, length);
}
static livery_status as_data(livery_store *store, const unsigned char *bytes, size_t length) {
  return livery_set_data(store, LIVERY_LAYER_USER, "data", bytes, length);
}
static livery_status as_url(livery_store *store, const unsigned char *bytes, size_t length) {
  livery_value *value = NULL;
  (void)store;
  livery_status status = livery_value_make_url((const char *)bytes, length, &value);
  livery_value_release(value);
  return status;
}

// What makes them

static unsigned char *filled(size_t length, char with) {
  unsigned char *bytes = malloc(length + 1);
  memset(bytes, with, length);
  bytes[length] = 0;
  return bytes;
}

static unsigned char *wrapped(const char *head, size_t count, const char *each, const char *tail, size_t *length) {
  size_t first = strlen(head), middle = strlen(each), last = strlen(tail);
  unsigned char *bytes = malloc(first + count * middle + last + 1), *next = bytes;
  memcpy(next, head, first);
  next += first;
  for (size_t index = 0; index < count; index++, next += middle) memcpy(next, each, middle);
  memcpy(next, tail, last + 1);
  *length = first + count * middle + last;
  return bytes;
}

/** A gibibyte of one byte that takes a mebibyte: the same pages again and again. */
static unsigned char *gibibyte(char with, size_t *length) {
  enum { PIECE = 1 << 20, PIECES = 1024 };
  int file = memfd_create("bomb", 0);
  unsigned char *piece = filled(PIECE, with);
  if (file < 0 || write(file, piece, PIECE) != PIECE) give_up("memfd");
  free(piece);
  unsigned char *place = mmap(NULL, (size_t)PIECE * PIECES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  for (int index = 0; index < PIECES; index++)
    mmap(place + (size_t)index * PIECE, PIECE, PROT_READ, MAP_SHARED | MAP_FIXED, file, 0);
  close(file);
  *length = (size_t)PIECE * PIECES;
  return place;
}

#define NESTED_JSON(name, depth, open) \
  static unsigned char *name(size_t *length) { return wrapped("", depth, open, "", length); }
NESTED_JSON(lists_million, 1000000, "[")
NESTED_JSON(objects_million, 1000000, "{\"a\":")
NESTED_JSON(mixed_million, 500000, "[{\"a\":")
NESTED_JSON(lists_deep, 20000000, "[")
static unsigned char *lists_closed(size_t *length) {
  unsigned char *bytes = filled(2000000, '[');
  memset(bytes + 1000000, ']', 1000000);
  *length = 2000000;
  return bytes;
}
static unsigned char *commas(size_t *length) { return wrapped("[1", 1000000, ",1", "]", length); }
static unsigned char *empty_lists(size_t *length) { return wrapped("[[]", 500000, ",[]", "]", length); }
static unsigned char *empty_objects(size_t *length) { return wrapped("[{}", 500000, ",{}", "]", length); }
static unsigned char *same_keys(size_t *length) { return wrapped("{\"a\":1", 300000, ",\"a\":1", "}", length); }
static unsigned char *escapes(size_t *length) { return wrapped("\"", 1000000, "\\u00e9", "\"", length); }
static unsigned char *surrogates(size_t *length) { return wrapped("\"", 300000, "\\ud83d\\ude00", "\"", length); }
static unsigned char *long_number(size_t *length) { return wrapped("", 10000000, "9", "", length); }
static unsigned char *long_fraction(size_t *length) { return wrapped("0.", 10000000, "1", "", length); }
static unsigned char *long_exponent(size_t *length) { return wrapped("1e", 10000000, "9", "", length); }
static unsigned char *spaces(size_t *length) { return wrapped("", 60000000, " ", "1", length); }
static unsigned char *new_lines(size_t *length) { return wrapped("", 30000000, "\n", "x", length); }
static unsigned char *gibibyte_of_digits(size_t *length) { return gibibyte('9', length); }
static unsigned char *gibibyte_of_lists(size_t *length) { return gibibyte('[', length); }
static unsigned char *gibibyte_of_letters(size_t *length) { return gibibyte('a', length); }
static unsigned char *gibibyte_of_elements(size_t *length) { return gibibyte('<', length); }

#define HEAD "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
static unsigned char *laughs(size_t *length) {
  char text[4096];
  size_t used = (size_t)snprintf(text, sizeof text, HEAD "<!DOCTYPE plist [<!ENTITY a0 \"lol\">");
  for (int index = 1; index < 20; index++) {
    used += (size_t)snprintf(text + used, sizeof text - used, "<!ENTITY a%d \"", index);
    for (int count = 0; count < 10; count++) used += (size_t)snprintf(text + used, sizeof text - used, "&a%d;", index - 1);
    used += (size_t)snprintf(text + used, sizeof text - used, "\">");
  }
  used += (size_t)snprintf(text + used, sizeof text - used,
                           "]><plist version=\"1.0\"><dict><key>a</key><string>&a19;</string></dict></plist>");
  *length = used;
  return (unsigned char *)strdup(text);
}
static unsigned char *entity_squared(size_t *length) {
  size_t inner;
  unsigned char *value = wrapped(HEAD "<!DOCTYPE plist [<!ENTITY a \"", 100000, "a", "\">]><plist version=\"1.0\"><dict><key>a</key><string>", &inner);
  unsigned char *bytes = wrapped((char *)value, 100000, "&a;", "</string></dict></plist>", length);
  free(value);
  return bytes;
}
static unsigned char *external_entity(size_t *length) {
  static const char text[] = HEAD "<!DOCTYPE plist [<!ENTITY a SYSTEM \"file:///dev/zero\">]><plist version=\"1.0\"><dict>"
                             "<key>a</key><string>&a;</string></dict></plist>";
  *length = sizeof text - 1;
  return (unsigned char *)strdup(text);
}
#define PLIST(name, count, each) \
  static unsigned char *name(size_t *length) { \
    return wrapped(HEAD "<plist version=\"1.0\"><dict><key>a</key>", count, each, "", length); }
PLIST(xml_arrays, 1000000, "<array>")
PLIST(xml_dicts, 500000, "<dict><key>a</key>")
PLIST(xml_comments, 1000000, "<!---->")
PLIST(xml_open_comments, 1000000, "<!--")
PLIST(xml_openers, 5000000, "<")
PLIST(xml_entities, 1000000, "<string>&lt;</string><key>a</key>")
PLIST(xml_sections, 300000, "<string><![CDATA[x]]></string><key>a</key>")
static unsigned char *xml_number(size_t *length) {
  return wrapped(HEAD "<plist version=\"1.0\"><dict><key>a</key><integer>", 10000000, "9", "</integer></dict></plist>", length);
}
static unsigned char *xml_base64(size_t *length) {
  return wrapped(HEAD "<plist version=\"1.0\"><dict><key>a</key><data>", 5000000, "AAAA", "</data></dict></plist>", length);
}
static unsigned char *xml_same_keys(size_t *length) {
  return wrapped(HEAD "<plist version=\"1.0\"><dict>", 200000, "<key>a</key><true/>", "</dict></plist>", length);
}

// A binary property list of objects that are given as bytes.
static unsigned char *binary(const unsigned char *objects, size_t size, const uint32_t *offsets, size_t count, size_t *length) {
  unsigned char *bytes = calloc(1, 8 + size + count * 4 + 32), *next = bytes;
  memcpy(next, "bplist00", 8);
  next += 8;
  memcpy(next, objects, size);
  next += size;
  for (size_t index = 0; index < count; index++) {
    for (int byte = 3; byte >= 0; byte--) *next++ = (unsigned char)((offsets[index] + 8) >> (byte * 8));
  }
  next[6] = 4;
  next[7] = 4;
  for (int byte = 0; byte < 8; byte++) next[8 + byte] = (unsigned char)((uint64_t)count >> (56 - byte * 8));
  for (int byte = 0; byte < 8; byte++) next[24 + byte] = (unsigned char)((uint64_t)(8 + size) >> (56 - byte * 8));
  *length = 8 + size + count * 4 + 32;
  return bytes;
}
// Each array holds the next one so often: all of it written out is that to the power of the levels.
static unsigned char *binary_shared(size_t levels, size_t times, bool is_cycle, size_t *length) {
  unsigned char *objects = calloc(levels + 2, 16 + times * 4);
  uint32_t *offsets = calloc(levels + 2, 4);
  size_t size = 0;
  // { "a": the first array }
  offsets[0] = 0;
  memcpy(objects, "\xd1\x00\x00\x00\x01\x00\x00\x00\x02", 9);
  size = 9;
  offsets[1] = (uint32_t)size;
  memcpy(objects + size, "\x51" "a", 2);
  size += 2;
  for (size_t level = 0; level < levels; level++) {
    offsets[level + 2] = (uint32_t)size;
    bool is_last = level + 1 == levels;
    objects[size++] = is_last && !is_cycle ? 0x09 : (unsigned char)(0xa0 | times);
    for (size_t index = 0; index < times && !(is_last && !is_cycle); index++) {
      uint32_t next = (uint32_t)(is_last ? 2 : level + 3);
      for (int byte = 3; byte >= 0; byte--) objects[size++] = (unsigned char)(next >> (byte * 8));
    }
  }
  unsigned char *bytes = binary(objects, size, offsets, levels + 2, length);
  free(objects);
  free(offsets);
  return bytes;
}
static unsigned char *binary_doubling(size_t *length) { return binary_shared(60, 2, false, length); }
static unsigned char *binary_tenfold(size_t *length) { return binary_shared(12, 10, false, length); }
static unsigned char *binary_doubling_shallow(size_t *length) { return binary_shared(28, 2, false, length); }
static unsigned char *binary_deep(size_t *length) { return binary_shared(200000, 1, false, length); }
static unsigned char *binary_cycle(size_t *length) { return binary_shared(3, 1, true, length); }
static unsigned char *binary_wide_cycle(size_t *length) { return binary_shared(3, 14, true, length); }
static unsigned char *binary_length(unsigned char kind, size_t *length) {
  unsigned char objects[] = {0xd1, 0, 0, 0, 1, 0, 0, 0, 2, 0x51, 'a', 0, 0x13, 0x3f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
  const uint32_t offsets[] = {0, 9, 11};
  objects[11] = kind;
  return binary(objects, sizeof objects, offsets, 3, length);
}
static unsigned char *binary_huge_data(size_t *length) { return binary_length(0x4f, length); }
static unsigned char *binary_huge_text(size_t *length) { return binary_length(0x5f, length); }
static unsigned char *binary_huge_wide_text(size_t *length) { return binary_length(0x6f, length); }
static unsigned char *binary_huge_array(size_t *length) { return binary_length(0xaf, length); }
static unsigned char *binary_huge_dict(size_t *length) { return binary_length(0xdf, length); }
static unsigned char *binary_huge_table(size_t *length) {
  unsigned char *bytes = binary_length(0x4f, length);
  memset(bytes + *length - 24, 0x7f, 8);
  return bytes;
}

#define SCHEMA_HEAD "{\"Version\": 1, \"Groups\": [{\"Title\": \"G\", \"Settings\": ["
static unsigned char *nested_panes(size_t *length) {
  return wrapped(SCHEMA_HEAD, 100000, "{\"Type\": \"Pane\", \"Title\": \"P\", \"Settings\": [", "", length);
}
static unsigned char *nested_lists(size_t *length) {
  size_t inner;
  unsigned char *open = wrapped(SCHEMA_HEAD, 2000, "{\"Type\": \"List\", \"Title\": \"P\", \"Key\": \"k\", \"ItemTemplate\": [", "", &inner);
  unsigned char *bytes = wrapped((char *)open, 2000, "]}", "]}]}", length);
  free(open);
  return bytes;
}
static unsigned char *unknown_types(size_t *length) {
  return wrapped(SCHEMA_HEAD "{}", 100000, ",{\"Typo\":1}", "]}]}", length);
}
static unsigned char *same_settings(size_t *length) {
  return wrapped(SCHEMA_HEAD "{}", 30000, ",{\"Type\": \"TextField\", \"Title\": \"T\", \"Key\": \"k\"}", "]}]}", length);
}
static unsigned char *many_options(size_t *length) {
  return wrapped(SCHEMA_HEAD "{\"Type\": \"ComboBox\", \"Title\": \"T\", \"Key\": \"a\", \"Class\": [\"Single\"], \"Value\": \"b\", \"Options\": [{}",
                 50000, ",{\"Title\":\"x\",\"Value\":\"y\"}", "]}]}]}", length);
}
static unsigned char *pattern(const char *text, size_t *length) {
  char schema[2000];
  *length = (size_t)snprintf(schema, sizeof schema, SCHEMA_HEAD "{\"Type\": \"TextField\", \"Title\": \"T\", \"Key\": \"a\", "
                             "\"Value\": \"\", \"Pattern\": \"%s\"}]}]}", text);
  return (unsigned char *)strdup(schema);
}
static unsigned char *pattern_repeats(size_t *length) {
  return pattern("^(((((a{1,255}){1,255}){1,255}){1,255}){1,255})*$", length);
}
static unsigned char *pattern_square(size_t *length) { return pattern("^(a{1,255}){1,255}$", length); }
static unsigned char *pattern_stars(size_t *length) { return pattern("^((((((a*)*)*)*)*)*)*b$", length); }
static unsigned char *pattern_references(size_t *length) { return pattern("^(a*)*\\\\1*\\\\1*\\\\1*b$", length); }
static unsigned char *pattern_choices(size_t *length) { return pattern("^(a|a|a|a|aa)*(a|aa)*(a|aa)*b$", length); }
static unsigned char *pattern_nested(size_t *length) {
  size_t inner;
  unsigned char *open = wrapped(SCHEMA_HEAD "{\"Type\": \"TextField\", \"Title\": \"T\", \"Key\": \"a\", \"Pattern\": \"", 200000, "(", "", &inner);
  unsigned char *bytes = wrapped((char *)open, 200000, ")", "\"}]}]}", length);
  free(open);
  return bytes;
}

static unsigned char *glob_stars(size_t *length) { return wrapped("", 60, "*l", "x", length); }
static unsigned char *glob_double_stars(size_t *length) { return wrapped("", 40, "**l", "x", length); }
static unsigned char *glob_long(size_t *length) { return wrapped("", 5000000, "*", "", length); }
static unsigned char *name_long(size_t *length) { return wrapped("", 5000000, "n", "", length); }
static unsigned char *url_long(size_t *length) { return wrapped("http://", 5000000, "a.", "/", length); }
static unsigned char *url_percent(size_t *length) { return wrapped("http://a/", 2000000, "%41", "", length); }
static unsigned char *text_large(size_t *length) {
  *length = 60000000;
  return filled(*length, 'x');
}

static const bomb bombs[] = {
  {"json: a million lists", lists_million, as_json, false}, {"json: a million objects", objects_million, as_json, false},
  {"json: a million of both", mixed_million, as_json, false}, {"json: twenty million lists", lists_deep, as_json, false},
  {"json: a million lists, closed", lists_closed, as_json, false}, {"json: a million items", commas, as_json, true},
  {"json: 500,000 empty lists", empty_lists, as_json, true}, {"json: 500,000 empty objects", empty_objects, as_json, true},
  {"json: one key often", same_keys, as_json, false}, {"json: a million escapes", escapes, as_json, true},
  {"json: surrogates", surrogates, as_json, true}, {"json: ten million digits", long_number, as_json, false},
  {"json: ten million digits behind the point", long_fraction, as_json, false}, {"json: ten million digits of exponent", long_exponent, as_json, false},
  {"json: sixty million spaces", spaces, as_json, true}, {"json: thirty million lines", new_lines, as_json, true},
  {"json: a gigabyte of digits", gibibyte_of_digits, as_json, false}, {"json: a gigabyte of lists", gibibyte_of_lists, as_json, false},
  {"import: a million lists", lists_million, as_import, false}, {"import: a gigabyte", gibibyte_of_lists, as_import, false},
  {"import: one key often", same_keys, as_import, false}, {"schema: a million lists", lists_million, as_schema, false},
  {"schema: a gigabyte", gibibyte_of_lists, as_schema, false}, {"schema: 100,000 panes", nested_panes, as_schema, false},
  {"schema: 2,000 lists", nested_lists, as_schema, false}, {"schema: 100,000 mistakes", unknown_types, as_schema, true},
  {"schema: 30,000 times one setting", same_settings, as_schema, true}, {"schema: 50,000 options", many_options, as_schema, true},
  {"schema: a pattern of repeats", pattern_repeats, as_applied, false}, {"schema: a pattern of squared repeats", pattern_square, as_applied, false},
  {"schema: a pattern of stars", pattern_stars, as_applied, false}, {"schema: a pattern of references", pattern_references, as_applied, false},
  {"schema: a pattern of choices", pattern_choices, as_applied, false}, {"schema: a pattern of 200,000 groups", pattern_nested, as_applied, false},
  {"plist: a billion laughs", laughs, as_plist, false}, {"plist: squared entities", entity_squared, as_plist, false},
  {"plist: an external entity", external_entity, as_plist, false}, {"plist: a million arrays", xml_arrays, as_plist, false},
  {"plist: 500,000 dictionaries", xml_dicts, as_plist, false}, {"plist: a million comments", xml_comments, as_plist, true},
  {"plist: a million open comments", xml_open_comments, as_plist, false}, {"plist: five million brackets", xml_openers, as_plist, false},
  {"plist: a million entities", xml_entities, as_plist, true}, {"plist: 300,000 sections", xml_sections, as_plist, true},
  {"plist: ten million digits", xml_number, as_plist, false}, {"plist: 20 megabytes of base64", xml_base64, as_plist, true},
  {"plist: one key often", xml_same_keys, as_plist, false}, {"plist: a gigabyte", gibibyte_of_elements, as_plist, false},
  {"binary plist: doubling", binary_doubling, as_plist, false}, {"binary plist: tenfold", binary_tenfold, as_plist, false},
  {"binary plist: doubling, within the depth", binary_doubling_shallow, as_plist, false}, {"binary plist: 200,000 deep", binary_deep, as_plist, false},
  {"binary plist: a cycle", binary_cycle, as_plist, false}, {"binary plist: a wide cycle", binary_wide_cycle, as_plist, false},
  {"binary plist: huge data", binary_huge_data, as_plist, false}, {"binary plist: a huge text", binary_huge_text, as_plist, false},
  {"binary plist: a huge wide text", binary_huge_wide_text, as_plist, false}, {"binary plist: a huge array", binary_huge_array, as_plist, false},
  {"binary plist: a huge dictionary", binary_huge_dict, as_plist, false}, {"binary plist: a huge table", binary_huge_table, as_plist, false},
  {"pattern: 60 stars", glob_stars, as_pattern, false}, {"pattern: 40 double stars", glob_double_stars, as_pattern, false},
  {"pattern: five million stars", glob_long, as_pattern, false}, {"name: five megabytes", name_long, as_name, false},
  {"value: 60 megabytes of text", text_large, as_text, false}, {"value: a gigabyte of text", gibibyte_of_letters, as_text, false},
  {"value: a gigabyte of data", gibibyte_of_letters, as_data, false}, {"url: five million labels", url_long, as_url, false},
  {"url: two million percents", url_percent, as_url, false}, {"url: a gigabyte", gibibyte_of_letters, as_url, false},
};

static long peak_kibibytes(void) {
  char text[4096];
  int file = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
  ssize_t length = read(file, text, sizeof text - 1);
  close(file);
  text[length > 0 ? length : 0] = 0;
  const char *peak = strstr(text, "VmHWM:");
  return peak ? atol(peak + 6) : 0;
}

static double cpu_milliseconds(void) {
  struct timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

static void explode(const bomb *bomb) {
  livery_store *store = NULL;
  size_t length = 0;
  unsigned char *bytes = bomb->make(&length);
  livery_open_options options = LIVERY_OPEN_OPTIONS_INIT;
  options.flags = LIVERY_OPEN_CREATE;
  remove_tree(path);
  if (livery_open(path, &options, &store) != LIVERY_OK) _exit(9);
  // Names that patterns have to work for.
  char name[LIVERY_NAME_MAX + 1];
  memset(name, 'l', sizeof name - 1);
  name[sizeof name - 1] = 0;
  livery_set_int(store, LIVERY_LAYER_USER, name, 1);
  // What a first call makes once is not the bomb's.
  livery_value *value = NULL;
  livery_value_from_json("{\"a\": [1, 2.5, \"b\"]}", LIVERY_ZERO_TERMINATED, &value);
  livery_value_release(value);
  volatile unsigned char touched = 0;
  for (size_t at = 0; at < length; at += 4096) touched ^= bytes[at];
  int clear = open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC);
  if (write(clear, "5", 1) != 1) _exit(9);
  close(clear);
  long before = peak_kibibytes();
  double began = cpu_milliseconds(), wall = seconds_now();
  livery_status status = bomb->run(store, bytes, length);
  outcome->milliseconds = cpu_milliseconds() - began;
  outcome->wall = (seconds_now() - wall) * 1e3;
  outcome->kibibytes = peak_kibibytes() - before;
  outcome->status = status;
  outcome->length = length;
  livery_close(store);
}

// How a process ended in which the bomb exploded.
static int exploded(const bomb *bomb) {
  memset(outcome, 0, sizeof *outcome);
  outcome->status = 1;
  pid_t child = fork();
  if (child == 0) {
    struct rlimit limit = {20, 20};
    setrlimit(RLIMIT_CPU, &limit);
    explode(bomb);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

int main(int argc, char **argv) {
  begin_torture("bombs", argc, argv);
  const char *only = option_text("--only", NULL);
  snprintf(path, sizeof path, "%s/store", torture_directory);
  outcome = shared_memory(sizeof *outcome);
  double began = seconds_now(), slowest = 0;
  long largest = 0;
  int count = 0, large = 0;
  for (size_t index = 0; index < COUNT_OF(bombs); index++) {
    const bomb *bomb = &bombs[index];
    if (only && !strstr(bomb->name, only)) continue;
    double limit_ms = 0, limit_kib = 0;
    int status = 0;
    for (int tries = 0; tries < TRIES; tries++) {
      status = exploded(bomb);
      limit_ms = option_given("--broken") ? -1 : LIMIT_MS;
      limit_kib = LIMIT_KIB + 2 * (double)outcome->length / 1024;
      if (bomb->is_large) {
        limit_ms += LARGE_NS_A_BYTE * (double)outcome->length / 1e6;
        limit_kib += LARGE_BYTES_A_BYTE * (double)outcome->length / 1024;
      }
      if (status != 0 || outcome->milliseconds <= limit_ms) break;
    }
    count++;
    if (status != 0) {
      finding("bombs: %s: the process %s\n  again: scripts/torture again bombs --only '%s'", bomb->name, ending(status), bomb->name);
      continue;
    }
    if (option_given("--all"))
      printf("  %-46s %-32s %7.1f ms %7ld KiB\n", bomb->name, livery_status_name(outcome->status), outcome->milliseconds,
             outcome->kibibytes);
    if (bomb->is_large) {
      large++;
    } else {
      if (outcome->milliseconds > slowest) slowest = outcome->milliseconds;
      if (outcome->kibibytes > largest) largest = outcome->kibibytes;
    }
    if (outcome->milliseconds > limit_ms || (double)outcome->kibibytes > limit_kib)
      finding("bombs: %s: %.1f ms of the processor's time (%.1f ms in all) and %ld KiB for %s\n"
              "  again: scripts/torture again bombs --only '%s'", bomb->name, outcome->milliseconds, outcome->wall,
              outcome->kibibytes, livery_status_name(outcome->status), bomb->name);
  }
  printf("bombs: bombs=%d large=%d ms_max=%.1f kib_max=%ld errors=%llu seconds=%.1f\n", count - large, large, slowest, largest,
         (unsigned long long)findings(), seconds_now() - began);
  return findings() ? 1 : 0;
}
