// The memory of the process ends at random points, for one allocation, for good, or by a limit of the system: every call
// of a random workload has to give a status and no signal. What is acknowledged is there afterwards, and when there is
// memory again everything works.
//
//     memory_ends [--rounds N] [--seed S] [--from N] [--only OPERATION] [--broken]
//
// Allocations of everything in the process come by here. The libraries for property lists are left out: they do not look
// whether they got any memory. Only the device build promises this.
#include "../C/allocator.h"
#include "batches.h"

static _Atomic int64_t until_end;
static _Atomic bool is_armed, is_sticky;

// Where libjansson lies. One failure alone in its scanner, with memory before and after, reads beyond a text that it has not
// kept: docs/reliability.md says so, and no caller can help it.
static uintptr_t jansson_start, jansson_end;

static int find_jansson(struct dl_phdr_info *info, size_t size, void *unused) {
  (void)size, (void)unused;
  if (!strstr(info->dlpi_name, "libjansson")) return 0;
  jansson_start = info->dlpi_addr;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    uintptr_t end = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr + info->dlpi_phdr[i].p_memsz;
    if (info->dlpi_phdr[i].p_type == PT_LOAD && end > jansson_end) jansson_end = end;
  }
  return 1;
}

// All threads share the count, but for this one when it is not to be disturbed.
static bool has_none_for(const void *caller) {
  if (!is_armed) return false;
  if (!is_sticky && (uintptr_t)caller >= jansson_start && (uintptr_t)caller < jansson_end) return false;
  int64_t left = --until_end;
  if (left > 0 || (left < 0 && !is_sticky)) return false;
  errno = ENOMEM;
  return true;
}

#define has_none() has_none_for(__builtin_return_address(0))
void *malloc(size_t size) { return has_none() ? NULL : __libc_malloc(size); }
void *calloc(size_t count, size_t size) { return has_none() ? NULL : __libc_calloc(count, size); }
void *realloc(void *place, size_t size) { return has_none() ? NULL : __libc_realloc(place, size); }
int posix_memalign(void **place, size_t alignment, size_t size) {
  void *made = has_none() ? NULL : __libc_memalign(alignment, size);
  if (!made) return ENOMEM;
  *place = made;
  return 0;
}
void *aligned_alloc(size_t alignment, size_t size) { return has_none() ? NULL : __libc_memalign(alignment, size); }
void *memalign(size_t alignment, size_t size) { return has_none() ? NULL : __libc_memalign(alignment, size); }
void *mmap(void *place, size_t length, int protection, int flags, int descriptor, off_t offset) {
  static void *(*found)(void *, size_t, int, int, int, off_t);
  if (!found) found = (void *(*)(void *, size_t, int, int, int, off_t))(uintptr_t)dlsym(RTLD_NEXT, "mmap");
  return has_none() ? MAP_FAILED : found(place, length, protection, flags, descriptor, offset);
}

// What the store holds, for as long as this process knows it; shared, so that it outlives the process.
enum { NAMES = 10, LARGE = 300000 };
typedef struct known { int64_t value, other; bool may_be_other; } known;
static struct shared {
  known ints[NAMES], texts[NAMES];
  _Atomic uint64_t calls, refused, no_memory;
} *shared;

static char place[300], template[300], backup_path[300];
static livery_store *store;
static char large[LARGE];
static bool is_broken;
static const char *only;
static _Atomic uint64_t heard;

static const char *name_of(char kind, unsigned index) {
  static char names[4][24];
  static int next;
  char *name = names[next++ % 4];
  snprintf(name, sizeof names[0], "%c%u", kind, index);
  return name;
}

/** The text of a number: its length and letters come from it. */
static size_t length_of(int64_t number) { return (size_t)(number % 7 == 0 ? (uint64_t)number % LARGE : (uint64_t)number % 400); }

static bool accepts(livery_status status) {
  static const livery_status accepted[] = {
    LIVERY_ERROR_NO_MEMORY, LIVERY_ERROR_IO, LIVERY_ERROR_NO_SPACE, LIVERY_ERROR_BUSY, 0};
  shared->calls++;
  if (status == LIVERY_OK) return true;
  shared->refused++;
  shared->no_memory += status == LIVERY_ERROR_NO_MEMORY;
  for (const livery_status *next = accepted; *next; next++)
    if (*next == status) return true;
  return false;
}

/** Judges what a call gave while memory may have ended. */
static livery_status said(const char *what, livery_status status) {
  if (!accepts(status)) {
    is_armed = false;
    wrong("%s: %s", what, livery_status_name(status));
  }
  return status;
}

static void after_set(known *known, int64_t value, livery_status status) {
  if (status == LIVERY_OK) {
    known->value = value;
    known->may_be_other = false;
  } else if (status != LIVERY_ERROR_NO_MEMORY) {
    // It may have been committed, and only that could not be told.
    known->other = value;
    known->may_be_other = true;
  }
}

static void *text_of(int64_t number) {
  large[0] = (char)('a' + number % 26);
  return large;
}

static void do_set(void) {
  unsigned index = (unsigned)below(NAMES);
  int64_t value = (int64_t)(random_bits() >> 8);
  if (below(3)) {
    after_set(&shared->ints[index], value, said("set_int", livery_set_int(store, LIVERY_LAYER_USER, name_of('i', index), value)));
  } else {
    after_set(&shared->texts[index], value,
              said("set_string", livery_set_string(store, LIVERY_LAYER_USER, name_of('t', index), text_of(value), length_of(value))));
  }
}

static void do_change(void) {
  livery_change *change = NULL;
  int64_t values[NAMES] = {0};
  unsigned count = 1 + (unsigned)below(NAMES);
  livery_status status = said("begin", livery_change_begin(store, LIVERY_LAYER_USER, &change));
  for (unsigned index = 0; index < count && status == LIVERY_OK; index++) {
    values[index] = (int64_t)(random_bits() >> 8);
    status = said("change_set_int", livery_change_set_int(change, name_of('i', index), values[index]));
  }
  if (status != LIVERY_OK) {
    livery_change_discard(change);
    return;
  }
  status = said("commit", livery_change_commit(change, NULL));
  for (unsigned index = 0; index < count; index++) after_set(&shared->ints[index], values[index], status);
  if (status != LIVERY_OK) livery_change_discard(change);
}

static void do_get(void) {
  unsigned index = (unsigned)below(NAMES);
  const known *known = &shared->ints[index];
  int64_t value = 0;
  livery_status status = said("get_int", livery_get_int(store, name_of('i', index), &value));
  if (status == LIVERY_OK && value != known->value && !(known->may_be_other && value == known->other))
    wrong("get_int gives another value");
}

static void do_copy(void) {
  unsigned index = (unsigned)below(NAMES);
  char *text = NULL;
  size_t length = 0;
  livery_status status = said("copy_string", livery_copy_string(store, name_of('t', index), &text, &length));
  const known *known = &shared->texts[index];
  if (status == LIVERY_OK && length != length_of(known->value) && !(known->may_be_other && length == length_of(known->other)))
    wrong("copy_string gives another text");
  livery_free(text);
}

static void do_list(void) {
  livery_value *list = NULL;
  size_t count = 0;
  if (said("list", livery_list(store, below(2) ? NULL : "i*", NULL, &list)) == LIVERY_OK) said("count", livery_value_count(list, &count));
  livery_value_release(list);
}
static void do_inspect(void) {
  livery_value *value = NULL;
  said("inspect", livery_inspect(store, name_of(below(2) ? 'i' : 't', (unsigned)below(NAMES)), &value));
  livery_value_release(value);
}
static void do_export(void) {
  char *text = NULL;
  size_t length = 0;
  said("export", livery_export_json(store, below(2) ? LIVERY_EXPORT_LAYERS : 0, &text, &length));
  livery_free(text);
}
static void do_import(void) {
  char json[400];
  size_t length = 1;
  int64_t values[NAMES];
  json[0] = '{';
  for (unsigned index = 0; index < NAMES; index++) {
    values[index] = (int64_t)(random_bits() >> 20);
    length += (size_t)snprintf(json + length, sizeof json - length, "%s\"i%u\": %lld", index ? ", " : "", index, (long long)values[index]);
  }
  json[length++] = '}';
  livery_status status = said("import", livery_import_json(store, LIVERY_LAYER_USER, json, length, 0, NULL));
  for (unsigned index = 0; index < NAMES; index++) after_set(&shared->ints[index], values[index], status);
}
static void do_history(void) {
  livery_value *value = NULL;
  said("history", livery_history(store, NULL, &value));
  livery_value_release(value);
}
static void do_form(void) {
  livery_value *value = NULL;
  said("form", livery_form(store, NULL, &value));
  livery_value_release(value);
}
static void do_search(void) {
  livery_value *value = NULL;
  said("search", livery_search(store, "i1", NULL, &value));
  livery_value_release(value);
}
static void do_stats(void) {
  livery_value *value = NULL;
  said("stats", livery_stats(store, &value));
  livery_value_release(value);
}
static void do_asset(void) {
  char id[LIVERY_ASSET_ID_SIZE];
  void *bytes = NULL;
  size_t length = 1 + below(LARGE - 1), got = 0;
  large[0] = (char)below(256);
  if (said("asset_put", livery_asset_put(store, large, length, LIVERY_ASSET_ANY, id)) != LIVERY_OK) return;
  if (said("asset_get", livery_asset_get(store, id, &bytes, &got)) == LIVERY_OK && (got != length || memcmp(bytes, large, length) != 0))
    wrong("asset_get gives other bytes");
  livery_free(bytes);
  livery_value *list = NULL;
  said("asset_list", livery_asset_list(store, &list));
  livery_value_release(list);
  said("asset_remove", livery_asset_remove(store, id, 0));
}
static void do_snapshot(void) {
  livery_snapshot *snapshot = NULL;
  if (said("snapshot_open", livery_snapshot_open(store, &snapshot)) != LIVERY_OK) return;
  for (unsigned index = 0; index < 3; index++) {
    livery_value *value = NULL;
    said("snapshot_get", livery_snapshot_get(snapshot, name_of('i', index), &value));
    livery_value_release(value);
  }
  livery_snapshot_close(snapshot);
}
static void hear(const livery_event *events, size_t count, void *context) {
  (void)events, (void)context;
  heard += count;
}
static livery_watch *watch;
static void do_watch(void) {
  livery_watch_stop(watch);
  watch = NULL;
  said("watch", livery_watch_start(store, NULL, NULL, hear, NULL, NULL, &watch));
}
static void do_backup(void) { said("backup", livery_backup(store, below(2) ? backup_path : NULL)); }
static void do_compact(void) { said("compact", livery_compact(store)); }
static void do_value(void) {
  livery_value *value = NULL;
  char *text = NULL;
  size_t length = 0;
  if (said("from_json", livery_value_from_json("{\"a\": [1, 2.5, \"x\", {\"b\": true}], \"c\": \"dddddddddddddddddddddddddd\"}",
                                               LIVERY_ZERO_TERMINATED, &value)) == LIVERY_ERROR_PARSE) return;
  if (value) said("to_json", livery_value_to_json(value, 0, &text, &length));
  livery_free(text);
  livery_value_release(value);
}
static void do_key(void) {
  livery_key *key = NULL;
  int64_t value = 0;
  unsigned index = (unsigned)below(NAMES);
  if (said("key_open", livery_key_open(store, name_of('i', index), &key)) != LIVERY_OK) return;
  said("key_get", livery_key_get_int(key, &value));
  livery_key_close(key);
}
static livery_status open_store(void) {
  livery_open_options options = LIVERY_OPEN_OPTIONS_INIT;
  options.flags = LIVERY_OPEN_DEFERRED;
  options.map_size = 1 << 24;
  options.busy_timeout_ms = 1000;
  if (below(3) == 0) options.backup_commits = 1 + (uint32_t)below(3);
  return livery_open(place, &options, &store);
}
static void close_store(void) {
  livery_watch_stop(watch);
  livery_close(store);
  watch = NULL;
  store = NULL;
}
static void disarm(void) {
  struct rlimit limit = {RLIM_INFINITY, RLIM_INFINITY};
  is_armed = false;
  setrlimit(RLIMIT_AS, &limit);
}

static void do_open(void) {
  close_store();
  if (said("open", open_store()) == LIVERY_OK) return;
  disarm();
  if (open_store() != LIVERY_OK) wrong("it does not open when there is memory again");
}

static const struct operation { const char *name; void (*run)(void); } operations[] = {
  {"set", do_set}, {"set", do_set}, {"change", do_change}, {"get", do_get}, {"copy", do_copy}, {"list", do_list},
  {"inspect", do_inspect}, {"export", do_export}, {"import", do_import}, {"history", do_history}, {"stats", do_stats},
  {"form", do_form}, {"search", do_search},
  {"asset", do_asset}, {"snapshot", do_snapshot}, {"watch", do_watch}, {"backup", do_backup}, {"compact", do_compact},
  {"value", do_value}, {"key", do_key}, {"open", do_open},
};

static void check_all(const char *when) {
  for (unsigned index = 0; index < NAMES; index++) {
    int64_t value = 0;
    char *text = NULL;
    size_t length = 0;
    known *known = &shared->ints[index];
    livery_status status = livery_get_int(store, name_of('i', index), &value);
    if (status != LIVERY_OK || (value != known->value && !(known->may_be_other && value == known->other)))
      wrong("%s a number is %s", when, status == LIVERY_OK ? "another" : livery_status_name(status));
    known->value = value;
    known->may_be_other = false;
    known = &shared->texts[index];
    status = livery_copy_string(store, name_of('t', index), &text, &length);
    int64_t number = length == length_of(known->value) ? known->value : known->other;
    if (status != LIVERY_OK || (number != known->value && !known->may_be_other) || length != length_of(number)
        || (length && text[0] != (char)('a' + number % 26)))
      wrong("%s a text is %s", when, status == LIVERY_OK ? "another" : livery_status_name(status));
    known->value = number;
    known->may_be_other = false;
    livery_free(text);
  }
}

static void make_template(void) {
  snprintf(place, sizeof place, "%s", template);
  livery_open_options options = LIVERY_OPEN_OPTIONS_INIT;
  options.flags = LIVERY_OPEN_CREATE;
  if (livery_open(place, &options, &store) != LIVERY_OK) give_up("the store");
  for (unsigned index = 0; index < NAMES; index++) {
    livery_set_int(store, LIVERY_LAYER_USER, name_of('i', index), shared->ints[index].value);
    livery_set_string(store, LIVERY_LAYER_USER, name_of('t', index), text_of(shared->texts[index].value), length_of(shared->texts[index].value));
  }
  livery_close(store);
}

static uint64_t address_space(void) {
  char text[64] = "";
  int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  if (file >= 0 && read(file, text, sizeof text - 1) < 0) text[0] = 0;
  close(file);
  return strtoull(text, NULL, 10) * 4096;
}

static void arm(void) {
  if (below(4) == 0) {
    struct rlimit limit = {address_space() + (below(3) ? below(1 << 16) : below(8 << 20)), RLIM_INFINITY};
    setrlimit(RLIMIT_AS, &limit);
    return;
  }
  // More often soon than late.
  until_end = 1 + (int64_t)below(1u << below(11));
  is_sticky = below(2);
  is_armed = true;
}

static void one_round(void) {
  if (!jansson_end) {
    // It is loaded when the first JSON is read.
    livery_value *value = NULL;
    if (livery_value_from_json("[0]", 3, &value) == LIVERY_OK) livery_value_release(value);
    dl_iterate_phdr(find_jansson, NULL);
  }
  memset(large, 'x', sizeof large);
  // The file stays from round to round of this process; the first one makes it anew.
  if (!store && rounds->round == rounds->first) {
    copy_tree(template, place);
    for (unsigned index = 0; index < NAMES; index++) {
      shared->ints[index] = (known){.value = index};
      shared->texts[index] = (known){.value = 7 * index};
    }
  }
  doing("opening");
  if (!store && !is_fit("opening", open_store(), NULL)) return;
  char done[120] = "";
  if (below(3) == 0) do_watch();
  arm();
  for (uint64_t left = 1 + below(6); left > 0 && store; left--) {
    const struct operation *operation = &operations[below(COUNT_OF(operations))];
    if (only && strcmp(only, operation->name) != 0) {
      left++;
      continue;
    }
    size_t length = strlen(done);
    snprintf(done + length, sizeof done - length, " %s", operation->name);
    snprintf(rounds->doing, sizeof rounds->doing, "%s,%s", is_armed ? is_sticky ? "for good" : "once" : "limit", done);
    rounds->beat_ns = now_ns();
    operation->run();
    // For seeing the harness fail: what is acknowledged is lost.
    if (is_broken && below(3) == 0) livery_set_int(store, LIVERY_LAYER_USER, "i1", -1);
  }
  disarm();
  if (!store) return;
  check_all("with memory again");
  if (watch) {
    // A watch goes on hearing.
    uint64_t before = heard, limit = now_ns() + 3000000000u;
    shared->ints[0].value = (int64_t)(random_bits() >> 8);
    is_fit("setting with memory again", livery_set_int(store, LIVERY_LAYER_USER, "i0", shared->ints[0].value), NULL);
    while (heard == before && now_ns() < limit) sleep_us(500);
    if (heard == before) wrong("a watch does not hear any more");
  }
  do_set();
  do_list();
  if (below(4) == 0 || rounds->round % 20 == 19) {
    close_store();
    if (!is_fit("opening anew", open_store(), NULL)) return;
    check_all("opened anew");
  }
}

int main(int argc, char **argv) {
  begin_rounds("memory_ends", argc, argv, 15000);
  is_broken = option_given("--broken");
  only = option_text("--only", NULL);
  shared = shared_memory(sizeof *shared);
  for (unsigned index = 0; index < NAMES; index++) {
    shared->ints[index].value = index;
    shared->texts[index].value = 7 * index;
  }
  memset(large, 'x', sizeof large);
  snprintf(template, sizeof template, "%s/template", torture_directory);
  snprintf(backup_path, sizeof backup_path, "%s/copy.mdb", torture_directory);
  in_process(make_template);
  snprintf(place, sizeof place, "%s/store", torture_directory);
  run_rounds(one_round, 20);
  figure("calls", shared->calls);
  figure("refused", shared->refused);
  figure("no_memory", shared->no_memory);
  return end_rounds();
}
