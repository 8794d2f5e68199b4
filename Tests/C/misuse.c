// Random calls with random arguments: NULL, stale, foreign and invented handles, broken text, extreme numbers. Whatever
// comes in, a status comes out. $LIVERY_MISUSE_CALLS sets how many; the seed is printed and taken from $LIVERY_SEED.
#include "every_call.h"

static uint64_t state;

static uint64_t random_bits(void) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state;
}
static size_t below(size_t limit) { return (size_t)(random_bits() % limit); }

enum { HANDLES = 64 };
static void *handles[HANDLES];

// Mostly a handle that was seen, of any kind and perhaps closed; else NULL or anything.
static void *a_handle(void) {
  switch (below(12)) {
    case 0: return NULL;
    case 1: return (void *)(uintptr_t)random_bits();
    case 2: return (void *)((uintptr_t)handles[below(HANDLES)] ^ ((uintptr_t)1 << below(64)));
    default: return handles[below(HANDLES)];
  }
}

static const char *a_name(void) {
  static char long_name[LIVERY_NAME_MAX + 2];
  if (!long_name[0]) memset(long_name, 'l', sizeof long_name - 1);
  static const char *const names[] = {"title", "pin", "note", "attractLoop", "idleResetSeconds", "volume", "home",
                                      "opens", "branding.color.Toolbar", "branding.logo", "blob", "language",
                                      "playlist", "device.id", "titel", "", "a\nb", "\xff", "**", "pair.?", "[",
                                      "{\"a\":1}", "[1,2", "null", long_name, NULL};
  return names[below(COUNT(names))];
}

static size_t a_length(void) { return below(3) ? LIVERY_ZERO_TERMINATED : 0; }

static int64_t an_integer(void) {
  static const int64_t numbers[] = {0, 1, -1, 60, 601, INT64_MIN, INT64_MAX, 1000000};
  return below(4) ? numbers[below(COUNT(numbers))] : (int64_t)random_bits();
}

static double a_double(void) {
  static const double numbers[] = {0, -0.0, 0.5, 2, NAN, INFINITY, -INFINITY, 1e308, 5e-324};
  return numbers[below(COUNT(numbers))];
}

static livery_layer a_layer(void) { return below(8) ? (livery_layer)below(7) : (livery_layer)an_integer(); }
static uint32_t some_flags(void) { return below(4) ? (uint32_t)below(2) : (uint32_t)random_bits(); }

static char bytes[4096];
static const char *path;

// An id that was given, or anything.
static char id[LIVERY_ASSET_ID_SIZE] = "00";
static const char *an_id(void) { return below(3) ? id : a_name(); }

static const char *some_image(void) {
  static char images[4][64] = {"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\1\0\0\0\1\10\2\0\0\0\x90\x77\x53\xde", "GIF89a\1\0\1\0",
                               "<svg width='1' height='1'/>", "\xff\xd8\xff\xc0\0\x0b\10\0\1\0\1\1\1\x11"};
  return below(16) ? images[below(4)] : NULL;
}

static livery_traits *some_traits(void) {
  static livery_traits traits;
  traits = (livery_traits){below(4) ? sizeof traits : below(sizeof traits), (int32_t)below(7), (int32_t)below(4),
                           (int32_t)below(4), (int32_t)below(4), a_double(), a_double(), a_double(), a_name()};
  return below(4) ? &traits : NULL;
}

static void *or_null(void *pointer) { return below(16) ? pointer : NULL; }

// Keeps a handle that a call made, in the place of an older one, which leaks into the store's close or a release.
static void keep(void *handle) {
  if (handle == UNTOUCHED) return;
  size_t index = below(HANDLES);
  livery_value_release(handles[index]);
  livery_change_discard(handles[index]);
  livery_snapshot_close(handles[index]);
  livery_key_close(handles[index]);
  livery_watch_stop(handles[index]);
  handles[index] = handle;
}

static livery_status call(void) {
  livery_reading reading;
  void *made = UNTOUCHED, *text = NULL;
  livery_value *two[2] = {a_handle(), a_handle()};
  const char *keys[2] = {a_name(), a_name()};
  int64_t number;
  uint64_t revision;
  double real;
  float single;
  bool truth;
  size_t length;
  int descriptor;
  int32_t type;
  const void *borrowed;
  char name[LIVERY_NAME_MAX + 1];
  livery_color color = {(float)a_double(), 0.5f, 0.5f, 1};
  livery_status status = LIVERY_OK;
  const char *given = a_name();
  if (given && strlen(given) < sizeof name) {
    strcpy(name, given);
  } else {
    name[0] = 0;
  }
  switch (below(181)) {
    case 0: status = livery_revision(a_handle(), or_null(&revision)); break;
    case 1: status = livery_get_bool(a_handle(), a_name(), or_null(&truth)); break;
    case 2: status = livery_get_int(a_handle(), a_name(), or_null(&number)); break;
    case 3: status = livery_get_float(a_handle(), a_name(), or_null(&single)); break;
    case 4: status = livery_get_double(a_handle(), a_name(), or_null(&real)); break;
    case 5: status = livery_get_string(a_handle(), a_name(), or_null(bytes), below(sizeof bytes), or_null(&length)); break;
    case 6: status = livery_get_data(a_handle(), a_name(), or_null(bytes), below(sizeof bytes), or_null(&length)); break;
    case 7: status = livery_get_url(a_handle(), a_name(), or_null(bytes), below(sizeof bytes), or_null(&length)); break;
    case 8: status = livery_get_date(a_handle(), a_name(), or_null(&number)); break;
    case 9: status = livery_get_color(a_handle(), a_name(), or_null(&color)); break;
    case 10: status = livery_get_list(a_handle(), a_name(), or_null(&made)); break;
    case 11: status = livery_get_object(a_handle(), a_name(), or_null(&made)); break;
    case 12: status = livery_get_value(a_handle(), a_name(), or_null(&made)); break;
    case 13: status = livery_copy_string(a_handle(), a_name(), or_null(&text), or_null(&length)); break;
    case 14: status = livery_copy_data(a_handle(), a_name(), or_null(&text), or_null(&length)); break;
    case 15: case 16: status = livery_key_open(a_handle(), a_name(), or_null(&made)); break;
    case 17: status = livery_key_close(a_handle()); break;
    case 18: status = livery_key_get_bool(a_handle(), or_null(&truth)); break;
    case 19: status = livery_key_get_int(a_handle(), or_null(&number)); break;
    case 20: status = livery_key_get_double(a_handle(), or_null(&real)); break;
    case 21: status = livery_key_get_string(a_handle(), or_null(bytes), below(64), or_null(&length)); break;
    case 22: case 23: status = livery_snapshot_open(a_handle(), or_null(&made)); break;
    case 24: status = livery_snapshot_close(a_handle()); break;
    case 25: status = livery_snapshot_revision(a_handle(), or_null(&revision)); break;
    case 26: status = livery_snapshot_get(a_handle(), a_name(), or_null(&made)); break;
    case 27: status = livery_snapshot_next(a_handle(), a_name(), or_null(name), or_null(&made)); break;
    case 28: status = livery_list(a_handle(), a_name(), NULL, or_null(&made)); break;
    case 29: {
      livery_list_options options = {below(4) ? sizeof options : below(sizeof options), a_name(), below(5)};
      status = livery_list(a_handle(), a_name(), or_null(&options), or_null(&made));
      break;
    }
    case 30: status = livery_inspect(a_handle(), a_name(), or_null(&made)); break;
    case 31: status = livery_schema_version(a_handle(), or_null(&revision)); break;
    case 32: status = livery_schema_copy_json(a_handle(), or_null(&text), or_null(&length)); break;
    case 33: status = livery_settings(a_handle(), or_null(&made)); break;
    case 34: status = livery_export_json(a_handle(), some_flags(), or_null(&text), or_null(&length)); break;
    case 35: status = livery_schema_check(a_handle(), a_name(), a_length(), or_null(&made)); break;
    case 36:
      status = below(2) ? livery_schema_apply(a_handle(), a_name(), a_length(), NULL, or_null(&made))
                        : livery_schema_compare(a_name(), a_length(), a_name(), a_length(), or_null(&made));
      break;
    case 37: status = livery_import_json(a_handle(), a_layer(), a_name(), a_length(), some_flags(), or_null(&made)); break;
    case 38: status = livery_import_plist(a_handle(), a_layer(), TEXT(PLIST("<key>note</key><true/>")), some_flags(),
                                          or_null(&made)); break;
    case 39: status = livery_set_bool(a_handle(), a_layer(), a_name(), below(2)); break;
    case 40: status = livery_set_int(a_handle(), a_layer(), a_name(), an_integer()); break;
    case 41: status = livery_set_double(a_handle(), a_layer(), a_name(), a_double()); break;
    case 42: status = livery_set_string(a_handle(), a_layer(), a_name(), a_name(), a_length()); break;
    case 43: status = livery_set_data(a_handle(), a_layer(), a_name(), or_null(bytes), below(sizeof bytes)); break;
    case 44: status = livery_set_color(a_handle(), a_layer(), a_name(), color); break;
    case 45: status = livery_set_value(a_handle(), a_layer(), a_name(), a_handle()); break;
    case 46: status = livery_reset(a_handle(), a_layer(), a_name()); break;
    case 47: case 48: status = livery_change_begin(a_handle(), a_layer(), or_null(&made)); break;
    case 49: status = livery_change_set_bool(a_handle(), a_name(), below(2)); break;
    case 50: status = livery_change_set_int(a_handle(), a_name(), an_integer()); break;
    case 51: status = livery_change_set_double(a_handle(), a_name(), a_double()); break;
    case 52: status = livery_change_set_string(a_handle(), a_name(), a_name(), a_length()); break;
    case 53: status = livery_change_set_data(a_handle(), a_name(), or_null(bytes), below(sizeof bytes)); break;
    case 54: status = livery_change_set_color(a_handle(), a_name(), color); break;
    case 55: status = livery_change_set_value(a_handle(), a_name(), a_handle()); break;
    case 56: status = livery_change_reset(a_handle(), a_name()); break;
    case 57: status = livery_change_reset_all(a_handle()); break;
    case 58: status = livery_change_expires(a_handle(), an_integer()); break;
    case 59: status = livery_change_expect(a_handle(), a_name(), (uint64_t)an_integer()); break;
    case 60: status = livery_change_origin(a_handle(), a_name()); break;
    case 61: status = livery_change_commit(a_handle(), or_null(&revision)); break;
    case 62: status = livery_change_violations(a_handle(), or_null(&made)); break;
    case 63: status = livery_change_discard(a_handle()); break;
    case 64: status = livery_value_release(a_handle()); break;
    case 65: status = livery_value_type(a_handle(), or_null(&type)); break;
    case 66: status = livery_value_as_bool(a_handle(), or_null(&truth)); break;
    case 67: status = livery_value_as_int(a_handle(), or_null(&number)); break;
    case 68: status = livery_value_as_double(a_handle(), or_null(&real)); break;
    case 69: status = livery_value_as_string(a_handle(), or_null(&borrowed), or_null(&length)); break;
    case 70: status = livery_value_as_data(a_handle(), or_null(&borrowed), or_null(&length)); break;
    case 71: status = livery_value_as_color(a_handle(), or_null(&color)); break;
    case 72: status = livery_value_as_date(a_handle(), or_null(&number)); break;
    case 73: status = livery_value_count(a_handle(), or_null(&length)); break;
    case 74: status = livery_value_at(a_handle(), (size_t)an_integer(), or_null(&made)); break;
    case 75: status = livery_value_member(a_handle(), a_name(), or_null(&made)); break;
    case 76: status = livery_value_key_at(a_handle(), (size_t)an_integer(), or_null(&borrowed), or_null(&length)); break;
    case 77: status = livery_value_equal(a_handle(), a_handle(), or_null(&truth)); break;
    case 78: status = livery_value_make_bool(below(2), or_null(&made)); break;
    case 79: status = livery_value_make_int(an_integer(), or_null(&made)); break;
    case 80: status = livery_value_make_double(a_double(), or_null(&made)); break;
    case 81: status = livery_value_make_string(a_name(), a_length(), or_null(&made)); break;
    case 82: status = livery_value_make_data(or_null(bytes), below(sizeof bytes), or_null(&made)); break;
    case 83: status = livery_value_make_url(a_name(), a_length(), or_null(&made)); break;
    case 84: status = livery_value_make_date(an_integer(), or_null(&made)); break;
    case 85: status = livery_value_make_color(color, or_null(&made)); break;
    case 86: status = livery_value_make_image(a_name(), a_length(), or_null(&made)); break;
    case 87: status = livery_value_make_list(or_null(two), below(3), or_null(&made)); break;
    case 88: status = livery_value_make_object(or_null(keys), or_null(two), below(3), or_null(&made)); break;
    case 89: status = livery_value_from_json(a_name(), a_length(), or_null(&made)); break;
    case 90: status = livery_value_to_json(a_handle(), some_flags(), or_null(&text), or_null(&length)); break;
    case 91: status = below(40) ? LIVERY_OK : livery_close(a_handle()); break;
    case 92: {
      livery_watch_options options = {below(4) ? sizeof options : below(sizeof options), some_flags(), (uint32_t)below(9)};
      status = livery_watch_start(a_handle(), a_name(), or_null(&options), every_event, NULL, every_destroy,
                                  or_null(&made));
      break;
    }
    case 93: status = livery_watch_stop(a_handle()); break;
    case 94: status = livery_event_fd(a_handle(), or_null(&descriptor)); break;
    case 95: status = livery_dispatch(a_handle(), or_null(&length)); break;
    case 96: case 97: {
      livery_history_options options = {below(4) ? sizeof options : below(sizeof options), a_name(), a_layer(), below(2),
                                        a_name(), an_integer(), an_integer(), (uint64_t)an_integer(), below(9)};
      status = livery_history(a_handle(), or_null(&options), or_null(&made));
      break;
    }
    case 98: status = livery_undo(a_handle(), below(2) ? below(300) : (uint64_t)an_integer(), some_flags(),
                                  or_null(&revision)); break;
    case 145: status = livery_check(below(4) ? path : a_name(), or_null(&made)); break;
    case 146: status = livery_backup(a_handle(), NULL); break;
    case 147: status = livery_backups(a_handle(), or_null(&made)); break;
    case 148: status = livery_restore(a_handle(), below(2) ? NULL : a_name(), a_name(), or_null(&revision)); break;
    case 149: status = below(10) ? LIVERY_OK : livery_compact(a_handle()); break;
    case 151: status = below(10) ? LIVERY_OK : livery_forget(a_handle(), a_name(), some_flags(), or_null(&made)); break;
    case 152: status = livery_change_replace(a_handle(), a_name(), a_handle()); break;
    case 153: status = livery_change_layer(a_handle(), a_layer()); break;
    case 154: status = livery_change_get(a_handle(), a_name(), or_null(&made)); break;
    case 155: status = livery_edit(a_handle(), a_layer(), below(16) ? every_edit : NULL, NULL, or_null(&revision), or_null(&made)); break;
    case 156: status = livery_post(a_handle(), some_flags(), below(16) ? every_post : NULL, NULL, NULL); break;
    case 157: status = livery_claim(a_handle(), a_name(), below(16) ? every_check : NULL, NULL, NULL); break;
    case 158: livery_error_leave((livery_status)below(40) - 30, a_name()); break;
    case 159: status = livery_change_get_layer(a_handle(), a_layer(), a_name(), or_null(&made)); break;
    case 160: status = livery_change_list(a_handle(), a_layer(), a_name(), or_null(&made)); break;
    case 161: status = livery_change_ignore_locks(a_handle()); break;
    case 174: status = livery_claim_secret(a_handle(), a_name()); break;
    case 175: status = livery_change_session_ends(a_handle(), an_integer()); break;
    case 176: status = livery_change_trial(a_handle(), below(2) ? (int64_t)below(3000) : an_integer()); break;
    case 177: status = livery_trial_confirm(a_handle(), below(2) ? below(300) : (uint64_t)an_integer(), a_name()); break;
    case 178: status = livery_trial_revert(a_handle(), below(2) ? below(2) : (uint64_t)an_integer(), a_name()); break;
    case 179: status = livery_trial_status(a_handle(), or_null(&made)); break;
    case 180: status = livery_change_attribute(a_handle(), below(4) ? a_name() : NULL); break;
    case 162: status = livery_snapshot_get_layer(a_handle(), a_layer(), a_name(), or_null(&made)); break;
    case 163: status = livery_snapshot_list(a_handle(), a_layer(), a_name(), or_null(&made)); break;
    case 150: status = livery_stats(a_handle(), or_null(&made)); break;
    case 99: status = livery_asset_describe(some_image(), below(64), some_flags(), or_null(&made)); break;
    case 100: case 101: status = livery_asset_put(a_handle(), some_image(), below(64), some_flags(), or_null(id)); break;
    case 102: status = livery_change_put_asset(a_handle(), some_image(), below(64), some_flags(), or_null(id)); break;
    case 103: status = livery_asset_get(a_handle(), an_id(), or_null(&text), or_null(&length)); break;
    case 104: status = livery_snapshot_asset(a_handle(), an_id(), or_null(&borrowed), or_null(&length)); break;
    case 105: status = livery_asset_info(a_handle(), an_id(), or_null(&made)); break;
    case 106: status = livery_asset_list(a_handle(), or_null(&made)); break;
    case 107: status = livery_asset_remove(a_handle(), an_id(), some_flags()); break;
    case 108: {
      livery_collect_options options = {below(4) ? sizeof options : below(sizeof options), some_flags(), (uint32_t)below(9)};
      status = livery_asset_collect(a_handle(), or_null(&options), or_null(&made));
      break;
    }
    case 113: status = livery_migration_register(a_handle(), a_name(), every_step, NULL, NULL); break;
    case 114: status = livery_migration_layer(a_handle(), or_null(&type)); break;
    case 115: status = livery_migration_version(a_handle(), or_null(&revision)); break;
    case 116: status = livery_migration_get(a_handle(), a_name(), or_null(&made)); break;
    case 117: status = livery_migration_set(a_handle(), a_name(), a_handle()); break;
    case 118: status = livery_migration_remove(a_handle(), a_name()); break;
    case 119: status = livery_migration_names(a_handle(), or_null(&made)); break;
    case 120: status = livery_migration_fail(a_handle(), a_name()); break;
    case 121: status = livery_color_parse(a_name(), a_length(), or_null(&color)); break;
    case 122: status = livery_color_format(color, (int32_t)below(7), or_null(bytes), below(16), or_null(&length)); break;
    case 123: status = livery_color_contrast(color, color, or_null(&real)); break;
    case 124: status = livery_color_legible_on(color, or_null(&color)); break;
    case 125: status = livery_color_nearest_passing(color, color, a_double(), or_null(&color)); break;
    case 126: {
      livery_rect rect;
      status = livery_aspect_fit(a_double(), a_double(), a_double(), a_double(), or_null(&rect));
      break;
    }
    case 127: status = livery_branding_match(a_handle(), some_traits(), or_null(&made)); break;
    case 128: status = livery_branding_color(a_handle(), a_name(), or_null(&color)); break;
    case 129: status = livery_branding_set_color(a_handle(), a_layer(), a_name(), color); break;
    case 130: status = livery_branding_set_image(a_handle(), a_layer(), a_name(), a_handle()); break;
    case 131: status = livery_branding_image(a_handle(), a_name(), some_traits(), or_null(&made)); break;
    case 132: status = livery_branding_explain(a_handle(), a_name(), some_traits(), or_null(&made)); break;
    case 133: {
      livery_branding_options options = {below(4) ? sizeof options : below(sizeof options), a_name(), a_name(), a_name(),
                                         some_flags(), (uint32_t)(below(8) == 0)};
      status = livery_branding_apply_plist(a_handle(), TEXT(PLIST("<key>UsePrimaryImage</key><true/>")),
                                           or_null(&options), or_null(&made));
      break;
    }
    case 134: status = livery_branding_apply_console(a_handle(), a_handle(), a_name(), or_null(&made)); break;
    case 135: status = livery_branding_enabled(a_handle(), a_layer(), or_null(&truth)); break;
    case 136: status = livery_branding_set_enabled(a_handle(), a_layer(), below(2)); break;
    case 137: status = livery_branding_wipe(a_handle()); break;
    case 138: status = livery_branding_use(a_handle(), a_name()); break;
    case 139: status = livery_branding_remove(a_handle(), a_name()); break;
    case 140: status = livery_branding_list(a_handle(), or_null(&made)); break;
    case 141: status = livery_branding_get(a_handle(), a_name(), or_null(&made)); break;
    case 142: status = livery_branding_check(a_handle(), a_name(), some_traits(), or_null(&made)); break;
    case 164: status = livery_read(a_handle(), a_name(), or_null(bytes), below(sizeof bytes), or_null(&reading)); break;
    case 165: status = livery_branding_gradient(a_handle(), a_name(), or_null(&color), or_null(&color)); break;
    case 166: {
      livery_branding_options options = {below(4) ? sizeof options : below(sizeof options), a_name(), a_name(), a_name(),
                                         some_flags(), (uint32_t)(below(8) == 0)};
      status = livery_branding_apply_directory(a_handle(), below(4) ? a_name() : FIXTURES "/branding", or_null(&options),
                                               or_null(&made));
      break;
    }
    case 167: status = livery_branding_shown_color(a_handle(), a_name(), or_null(&color), or_null(&truth)); break;
    case 168: status = livery_asset_fact(a_handle(), an_id(), a_name(), or_null(&text), or_null(&length)); break;
    case 169: status = livery_change_put_fact(a_handle(), an_id(), a_name(), some_image(), below(64)); break;
    case 170: {
      livery_form_options options = {below(4) ? sizeof options : below(sizeof options), a_layer(), below(2), below(2),
                                     below(2) ? "de-AT" : a_name()};
      status = livery_form(a_handle(), or_null(&options), or_null(&made));
      break;
    }
    case 171: {
      livery_search_options options = {below(4) ? sizeof options : below(sizeof options), below(9),
                                       below(2) ? "de-AT" : a_name(), below(2)};
      status = livery_search(a_handle(), a_name(), or_null(&options), or_null(&made));
      break;
    }
    case 173: status = livery_watch_pause(a_handle(), below(2)); break;
    case 172: {
      livery_value *report = NULL;
      status = livery_branding_preview(a_handle(), some_traits(), or_null(&made), or_null(&report));
      livery_value_release(report);
      break;
    }
    default: status = livery_open(below(4) ? path : a_name(), NULL, or_null(&made)); break;
  }
  if (status != LIVERY_OK) {
    EXPECT(made == UNTOUCHED || status == LIVERY_ERROR_PARSE || status == LIVERY_ERROR_INVALID_VALUE
           || status == LIVERY_ERROR_SCHEMA_INVALID || status == LIVERY_ERROR_SCHEMA_NEWER || made != NULL);
    EXPECT(livery_last_error()->status == status);
  }
  livery_free(text);
  keep(made);
  return status;
}

TEST("whatever random calls pass, a status comes out", random_calls) {
  const char *calls = getenv("LIVERY_MISUSE_CALLS"), *seed = getenv("LIVERY_SEED");
  long count = calls ? atol(calls) : 20000;
  state = seed ? strtoull(seed, NULL, 0) : ((uint64_t)time(NULL) << 16) ^ (uint64_t)getpid();
  fprintf(stderr, "LIVERY_SEED=%llu\n", (unsigned long long)state);
  path = fresh_path();
  livery_store *stores[2] = {new_store(path, KIOSK_SCHEMA), open_store_with(path, LIVERY_OPEN_ALLOW_OVERRIDE, 0)};
  for (size_t index = 0; index < HANDLES; index++) handles[index] = stores[index % 2];
  livery_store *kept = open_store(path);
  if (chdir(check_directory) != 0) return;
  for (long round = 0; round < count; round++) {
    livery_status status = call();
    EXPECT(strcmp(livery_status_name(status), "LIVERY_ERROR_UNKNOWN") != 0);
    // Some stores stay within reach, whatever was closed.
    if (round % 500 == 0) handles[below(HANDLES)] = open_store_with(path, LIVERY_OPEN_ALLOW_OVERRIDE, 0);
  }
  uint64_t revision = 0;
  OK(livery_revision(kept, &revision));
  OK(livery_close(kept));
}
