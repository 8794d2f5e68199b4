// Memory ends, at any allocation, once or for good. Every call then gives a status, and all works when there is memory again.
// And what is freed holds no secret.
#include "every_call.h"
#include "memory.h"
#include "seen.h"

#include <poll.h>

// Nothing is left

static const char *path;

static void refuse_everything(void) {
  livery_store *store = ready_store(path, KIOSK_SCHEMA), *other = NULL;
  livery_change *change = NULL;
  livery_snapshot *snapshot = NULL;
  livery_key *key = NULL;
  livery_watch *watch = NULL;
  livery_value *list = json("[1, {\"a\": 2}]"), *item = NULL;
  int64_t number = 0;
  size_t count = 0;
  char *text = NULL;
  OK(livery_get_int(store, "pair.a", &number));
  OK(livery_change_begin(store, user, &change));
  OK(livery_change_set_int(change, "pair.b", 2));
  OK(livery_snapshot_open(store, &snapshot));
  OK(livery_key_open(store, "title", &key));
  OK(livery_watch_start(store, NULL, NULL, every_event, NULL, every_destroy, &watch));

  memory_ends_after(0, true);
  // What is under way when memory ends is completed.
  OK(livery_copy_string(store, "note", &text, NULL));
  EXPECT_TEXT("before", text);
  every_read(LIVERY_ERROR_NO_MEMORY, store);
  every_write_of(LIVERY_ERROR_NO_MEMORY, store, list);
  every_snapshot_call(LIVERY_ERROR_NO_MEMORY, snapshot);
  every_change_call(LIVERY_ERROR_NO_MEMORY, change, list);
  every_key_call(LIVERY_ERROR_NO_MEMORY, key);
  EXPECT_STATUS(LIVERY_ERROR_NO_MEMORY, livery_open(path, NULL, &other));
  EXPECT_STATUS(LIVERY_ERROR_NO_MEMORY, livery_check(path, &item));
  EXPECT_STATUS(LIVERY_ERROR_NO_MEMORY, livery_value_from_json("1", 1, &item));
  EXPECT_STATUS(LIVERY_ERROR_NO_MEMORY, livery_value_at(list, 0, &item));
  EXPECT_STATUS(LIVERY_ERROR_NO_MEMORY, livery_value_make_int(1, &item));
  EXPECT(item == NULL && other == NULL);
  // What is known is read, what is there can be looked at, and everything can be given back.
  OK(livery_get_int(store, "pair.a", &number));
  EXPECT_INT(1, number);
  OK(livery_value_count(list, &count));
  EXPECT_INT(2, count);
  livery_free(text);
  OK(livery_value_release(list));
  OK(livery_key_close(key));
  OK(livery_snapshot_close(snapshot));
  OK(livery_watch_stop(watch));
  OK(livery_change_discard(change));
  OK(livery_change_discard(NULL));

  memory_is_back();
  expect_all_well(store);
  memory_ends_after(0, true);
  OK(livery_close(store));
  memory_is_back();
  store = open_store(path);
  expect_all_well(store);
  OK(livery_close(store));
}

TEST("without memory every call is refused, what gives back works, and all works when there is memory again", refused) {
  if (!can_run_out()) SKIP("Swift's runtime ends the process when memory ends");
  path = fresh_path();
  IN_CHILD(refuse_everything);
}

// Memory ends within a call

static char large[200000], document[400000];

static livery_status release(livery_status status, livery_value *value) {
  livery_value_release(value);
  return status;
}
static livery_status do_set(livery_store *s) { return livery_set_string(s, user, "free.large", large, sizeof large); }
static livery_status do_change(livery_store *s) {
  livery_change *change = NULL;
  livery_status status = livery_change_begin(s, user, &change);
  for (int index = 0; index < 20 && status == LIVERY_OK; index++) {
    char name[32];
    snprintf(name, sizeof name, "many.%d", index);
    status = livery_change_set_string(change, name, large, (size_t)index * 100);
  }
  if (status == LIVERY_OK) status = livery_change_commit(change, NULL);
  if (status != LIVERY_OK) livery_change_discard(change);
  return status;
}
static livery_status do_copy(livery_store *s) {
  char *text = NULL;
  livery_status status = livery_copy_string(s, "title", &text, NULL);
  livery_free(text);
  return status;
}
static livery_status do_list(livery_store *s) {
  livery_value *value = NULL;
  return release(livery_list(s, NULL, NULL, &value), value);
}
static livery_status do_inspect(livery_store *s) {
  livery_value *value = NULL;
  return release(livery_inspect(s, "note", &value), value);
}
static livery_status do_history(livery_store *s) {
  livery_value *value = NULL;
  return release(livery_history(s, NULL, &value), value);
}
static livery_status do_form(livery_store *s) {
  livery_value *value = NULL;
  return release(livery_form(s, NULL, &value), value);
}
static livery_status do_search(livery_store *s) {
  livery_value *value = NULL;
  return release(livery_search(s, "a", NULL, &value), value);
}
static livery_status do_export(livery_store *s) {
  char *text = NULL;
  livery_status status = livery_export_json(s, LIVERY_EXPORT_LAYERS, &text, NULL);
  livery_free(text);
  return status;
}
static livery_status do_import(livery_store *s) {
  return livery_import_json(s, user, document, LIVERY_ZERO_TERMINATED, 0, NULL);
}
static livery_status do_import_plist(livery_store *s) {
  return livery_import_plist(s, user, TEXT(PLIST("<key>title</key><string>p</string>")), 0, NULL);
}
// Settings that the schema does not know are set aside.
static livery_status do_apply(livery_store *s) {
  livery_value *report = NULL;
  return release(livery_schema_apply(s, KIOSK_SCHEMA, LIVERY_ZERO_TERMINATED, NULL, &report), report);
}
static livery_status do_snapshot(livery_store *s) {
  livery_snapshot *snapshot = NULL;
  livery_value *value = NULL;
  char name[LIVERY_NAME_MAX + 1] = "";
  livery_status status = livery_snapshot_open(s, &snapshot);
  if (status == LIVERY_OK) status = livery_snapshot_next(snapshot, NULL, name, &value);
  livery_value_release(value);
  livery_snapshot_close(snapshot);
  return status;
}
static livery_status do_watch(livery_store *s) {
  livery_watch *watch = NULL;
  livery_status status = livery_watch_start(s, NULL, NULL, every_event, NULL, NULL, &watch);
  if (status == LIVERY_OK) status = livery_set_int(s, user, "pair.a", 5);
  livery_watch_stop(watch);
  return status;
}
static livery_status do_brand(livery_store *s) {
  livery_value *payload = NULL;
  livery_status status = livery_value_from_json(
      "{\"colors\": {\"Toolbar\": \"#204060\"}, \"images\": {\"logo\": {\"phone@2x\": \"https://a.example/p.png\"}}}",
      LIVERY_ZERO_TERMINATED, &payload);
  return release(status == LIVERY_OK ? livery_branding_apply_console(s, payload, NULL, NULL) : status, payload);
}
static livery_status do_asset(livery_store *s) {
  return livery_asset_put(s, large, sizeof large, LIVERY_ASSET_ANY, NULL);
}
static livery_status do_undo(livery_store *s) { return livery_undo(s, 2, 1, NULL); }
static livery_status do_backup(livery_store *s) { return livery_backup(s, NULL); }
static livery_status do_check(livery_store *s) {
  livery_value *report = NULL;
  (void)s;
  return release(livery_check(path, &report), report);
}
static livery_status do_open(livery_store *s) {
  livery_store *second = NULL;
  (void)s;
  livery_status status = livery_open(path, NULL, &second);
  livery_close(second);
  return status;
}

static const struct { const char *name; livery_status (*run)(livery_store *); } operations[] = {
  {"set", do_set}, {"change", do_change}, {"copy", do_copy}, {"list", do_list}, {"inspect", do_inspect},
  {"history", do_history}, {"form", do_form}, {"search", do_search}, {"export", do_export}, {"import", do_import},
  {"import_plist", do_import_plist},
  {"snapshot", do_snapshot}, {"watch", do_watch}, {"brand", do_brand}, {"asset", do_asset},
  {"undo", do_undo}, {"backup", do_backup}, {"check", do_check}, {"open", do_open}, {"apply", do_apply},
};

static bool is_fitting(livery_status status) {
  return status == LIVERY_OK || status == LIVERY_ERROR_NO_MEMORY;
}

static void end_within_calls(void) {
  livery_store *store = ready_store(path, NULL);
  for (size_t which = 0; which < COUNT(operations); which++) {
    for (int for_good = 0; for_good < 2; for_good++) {
      // Each place for the first allocations, and then wider and wider apart.
      for (long count = 0;; count += 1 + count / 16) {
        memory_ends_after(count, for_good);
        livery_status status = operations[which].run(store);
        memory_is_back();
        if (!is_fitting(status))
          check_fail(__FILE__, __LINE__, "%s without memory after %ld allocations%s: %s: %s", operations[which].name, count,
                     for_good ? " for good" : "", livery_status_name(status), livery_last_error()->message);
        if (struck == 0) break;
      }
      expect_all_well(store);
    }
  }
  OK(livery_close(store));
}

TEST("memory that ends within a call, at any allocation, is a status or is overcome", within_calls) {
  if (!can_run_out()) SKIP("Swift's runtime ends the process when memory ends");
  memset(large, 'l', sizeof large);
  strcpy(document, "{\"title\": \"i\"");
  for (int index = 0; index < 300; index++)
    sprintf(document + strlen(document), ", \"imported.%d\": [%d, {\"a\": \"%.*s\"}]", index, index, index, large);
  strcat(document, "}");
  path = fresh_path();
  IN_CHILD(end_within_calls);
}

// What is waited for comes when there is memory

static _Atomic int told;

static void tell(const livery_event *events, size_t count, void *user_data) {
  (void)events, (void)user_data;
  told += (int)count;
}

static void commit_elsewhere(void) {
  memory_is_back();
  livery_store *store = open_store(path);
  OK(livery_set_int(store, user, "pair.a", 70));
  OK(livery_close(store));
}

static void tell_later(void) {
  livery_store *store = ready_store(path, KIOSK_SCHEMA);
  char *text = NULL;
  livery_watch *watch = NULL;
  OK(livery_watch_start(store, "pair.*", NULL, tell, NULL, NULL, &watch));
  memory_ends_after(0, true);
  OK(livery_copy_string(store, "note", &text, NULL));
  EXPECT_STATUS(LIVERY_ERROR_NO_MEMORY, livery_set_int(store, user, "pair.b", 71));
  IN_CHILD(commit_elsewhere);
  sleep_ms(300);
  EXPECT_INT(0, told);
  memory_is_back();
  livery_free(text);
  for (int pause = 0; pause < 300 && told == 0; pause++) sleep_ms(10);
  EXPECT(told >= 1);
  OK(livery_watch_stop(watch));
  expect_all_well(store);
  OK(livery_close(store));
}

TEST("a watch is told of what was committed when there is memory to read it", told_later) {
  if (!can_run_out()) SKIP("Swift's runtime ends the process when memory ends");
  path = fresh_path();
  IN_CHILD(tell_later);
}

static void dispatch_later(void) {
  livery_store *store = ready_store(path, KIOSK_SCHEMA);
  static seen seen;
  struct pollfd entry = {.events = POLLIN};
  size_t count = 0;
  OK(livery_event_fd(store, &entry.fd));
  if (!seen_start(&seen, store, "pair.a", LIVERY_WATCH_DISPATCH, 0)) return;
  OK(livery_dispatch(store, NULL));
  OK(livery_set_int(store, user, "pair.a", 5));
  EXPECT_INT(1, poll(&entry, 1, 5000));
  memory_ends_after(0, true);
  livery_status status = livery_dispatch(store, &count);
  memory_is_back();
  EXPECT_INT(LIVERY_ERROR_NO_MEMORY, status);
  EXPECT_INT(0, seen.count);
  EXPECT_INT(1, poll(&entry, 1, 5000));
  OK(livery_dispatch(store, &count));
  EXPECT_INT(1, count);
  EXPECT_EVENT(LIVERY_EVENT_CHANGED, "pair.a", "1", "5", &seen.events[0]);
  OK(livery_close(store));
}

TEST("what could not be dispatched is signalled again", undispatched) {
  if (!can_run_out()) SKIP("Swift's runtime ends the process when memory ends");
  path = fresh_path();
  IN_CHILD(dispatch_later);
}

// A child of a process whose memory has ended

static void open_anew(void) {
  livery_store *store = open_store(path);
  expect_all_well(store);
  OK(livery_close(store));
}

static void fork_without_memory(void) {
  livery_store *store = ready_store(path, KIOSK_SCHEMA);
  char *text = NULL;
  memory_ends_after(0, true);
  OK(livery_copy_string(store, "note", &text, NULL));
  memory_is_back();
  IN_CHILD(open_anew);
  livery_free(text);
  expect_all_well(store);
  OK(livery_close(store));
}

TEST("a child of a process whose memory has ended can use the store", forked) {
  if (!can_run_out()) SKIP("Swift's runtime ends the process when memory ends");
  path = fresh_path();
  IN_CHILD(fork_without_memory);
}

// What is freed

/** How often a text, each byte of which has been changed by 0x5a, is in the memory of the process, the stacks apart. */
static int count_in_memory(const unsigned char *changed, size_t length) {
  FILE *maps = fopen("/proc/self/maps", "r");
  int memory = open("/proc/self/mem", O_RDONLY | O_CLOEXEC), count = 0;
  char line[512];
  unsigned char *page = malloc(8192);
  while (maps && fgets(line, sizeof line, maps)) {
    unsigned long begin, end;
    if (sscanf(line, "%lx-%lx rw-p", &begin, &end) != 2 || !strstr(line, " rw-p ") || strstr(line, "stack")) continue;
    for (unsigned long place = begin; place < end; place += 4096) {
      // One page and what follows.
      ssize_t got = pread(memory, page, end - place > 4096 ? 4096 + length : 4096, (off_t)place);
      for (ssize_t at = 0; at + (ssize_t)length <= got; at++) {
        size_t same = 0;
        while (same < length && (page[at + (ssize_t)same] ^ 0x5a) == changed[same]) same++;
        count += same == length;
      }
      memset(page, 0, 8192);
    }
  }
  free(page);
  if (maps) fclose(maps);
  close(memory);
  return count;
}

static void use_a_secret(void) {
  static unsigned char changed[24];
  char secret[24];
  for (size_t index = 0; index < sizeof changed; index++) changed[index] = (unsigned char)(('A' + (int)index) ^ 0x5a);
  livery_store *store = new_store(path, "{\"Version\": 1, \"Groups\": [{\"Title\": \"All\", \"Settings\": [{\"Type\": "
                                        "\"TextField\", \"Title\": \"S\", \"Key\": \"secret\", \"Class\": [\"Password\"]}]}]}");
  OK(livery_close(store));
  store = open_store(path);
  for (size_t index = 0; index < sizeof secret; index++) secret[index] = (char)(changed[index] ^ 0x5a);
  OK(livery_set_string(store, user, "secret", secret, sizeof secret));
  explicit_bzero(secret, sizeof secret);
  livery_value *value = NULL;
  char *text = NULL;
  OK(livery_get_value(store, "secret", &value));
  OK(livery_value_release(value));
  OK(livery_copy_string(store, "secret", &text, NULL));
  livery_free(text);
  OK(livery_list(store, NULL, NULL, &value));
  OK(livery_value_release(value));
  OK(livery_history(store, NULL, &value));
  OK(livery_value_release(value));
  OK(livery_export_json(store, 0, &text, NULL));
  livery_free(text);
  OK(livery_set_string(store, user, "secret", TEXT("another")));
  OK(livery_close(store));
  EXPECT_INT(0, count_in_memory(changed, sizeof changed));
}

TEST("when a store is closed no freed memory holds what was a secret", wiped) {
  if (!can_run_out()) SKIP("Swift's runtime does not wipe what it frees");
#ifdef LIVERY_SANITIZED
  SKIP("a sanitizer keeps what is freed");
#endif
  path = fresh_path();
  IN_CHILD(use_a_secret);
}
