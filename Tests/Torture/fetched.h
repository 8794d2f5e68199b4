// Images at URLs that tell by their bytes whose they are and of which version, and a look at all that a store holds of them.
//
// There is a brand of BRAND images, whose versions follow from one generation, so that a mixture of two is seen; and SINGLES
// that are fetched one by one.
#ifndef FETCHED_H
#define FETCHED_H

#include "torture.h"

#include <livery/fetch.h>

enum { BRAND = 12, SINGLES = 6, IMAGE_ROOM = 48 << 10 };

#define FETCHED_HOST "http://fetched.test/"

/** The version of an image of the brand at a generation: some change with each, others every few; images 6 and 7 are alike. */
UNUSED static uint64_t brand_version(unsigned number, uint64_t generation) {
  return generation - generation % (number ? 1 + number % 6 % 4 : 1);
}

/** The bytes of an image, `kind` 'b' for one of the brand or 's': a GIF whose size and content follow from the version. */
UNUSED static size_t fetched_image(char kind, unsigned number, uint64_t version, unsigned char bytes[IMAGE_ROOM]) {
  if (kind == 'b' && number == 7) number = 6;
  uint64_t bits = mixed(version * 64 + number * 2 + (kind == 'b'));
  unsigned width = 1 + number + (kind == 'b' ? 100 : 0), height = 1 + version % 60000;
  memcpy(bytes, "GIF89a", 6);
  memcpy(bytes + 6, (unsigned char[]){width & 255, width >> 8, height & 255, height >> 8, 0, 0, 0}, 7);
  size_t length = 13 + (size_t)sprintf((char *)bytes + 13, "%c%u-%" PRIu64 ".", kind, number, version);
  size_t whole = length + (bits % 8 ? bits % 3000 : bits % (IMAGE_ROOM - 100));
  for (; length < whole; length++) bytes[length] = (unsigned char)(bits >> (length * 7 % 57));
  return length;
}

UNUSED static void brand_setting(unsigned number, char name[40]) { snprintf(name, 40, "branding.image.i%u", number); }

/** Has a store show a brand that nobody has fetched yet. */
UNUSED static livery_status put_brand(livery_store *store) {
  livery_change *change = NULL;
  livery_status status = livery_change_begin(store, LIVERY_LAYER_BUNDLE, &change);
  for (unsigned number = 0; number < BRAND && status == LIVERY_OK; number++) {
    char name[40], json[100];
    livery_value *variants = NULL;
    brand_setting(number, name);
    snprintf(json, sizeof json, "[{\"image\": \"" FETCHED_HOST "b%u\"}]", number);
    status = livery_value_from_json(json, LIVERY_ZERO_TERMINATED, &variants);
    if (status == LIVERY_OK) status = livery_change_set_value(change, name, variants);
    livery_value_release(variants);
  }
  if (status == LIVERY_OK) status = livery_change_commit(change, NULL);
  if (status != LIVERY_OK) livery_change_discard(change);
  return status;
}

// What is told apart by its name in a URL or an ETag: kind, number, and in the latter the version.
typedef struct fetched_name {
  char kind;
  unsigned number;
  uint64_t version;
} fetched_name;

UNUSED static bool parse_tag(const char *tag, fetched_name *name) {
  int end = 0;
  return sscanf(tag, "\"%c%u-%" SCNu64 "\"%n", &name->kind, &name->number, &name->version, &end) == 3 && end > 0 && !tag[end];
}
UNUSED static bool parse_url(const char *url, fetched_name *name) {
  size_t host = strlen(FETCHED_HOST);
  return strncmp(url, FETCHED_HOST, host) == 0 && sscanf(url + host, "%c%u", &name->kind, &name->number) == 2
    && ((name->kind == 'b' && name->number < BRAND) || (name->kind == 's' && name->number < SINGLES));
}

// What a store holds: the generation of its brand and the versions of the singles, 0 for what was never fetched.
typedef struct holding {
  uint64_t revision, generation, singles[SINGLES];
} holding;

// Why it is not true.
static char fetched_fault[1200];
__attribute__((format(printf, 1, 2))) UNUSED static bool is_false(const char *format, ...) {
  va_list list;
  va_start(list, format);
  vsnprintf(fetched_fault, sizeof fetched_fault, format, list);
  va_end(list);
  return false;
}

/** The text of a member, "" if there is none. */
static const char *member_text(livery_value *value, const char *key, char *room, size_t size) {
  livery_value *member = NULL;
  const char *text = "";
  if (livery_value_member(value, key, &member) == LIVERY_OK && livery_value_as_string(member, &text, NULL) != LIVERY_OK) text = "";
  snprintf(room, size, "%s", text);
  livery_value_release(member);
  return room;
}

/** Whether some bytes are those of an image in a version. */
UNUSED static bool are_bytes_of(const fetched_name *name, const void *bytes, size_t length) {
  unsigned char *wanted = malloc(IMAGE_ROOM);
  bool are = fetched_image(name->kind, name->number, name->version, wanted) == length && memcmp(wanted, bytes, length) == 0;
  free(wanted);
  return are;
}

static bool is_number(livery_value *facts, const char *key, int64_t wanted) {
  livery_value *member = NULL;
  int64_t number = -1;
  bool is = livery_value_member(facts, key, &member) == LIVERY_OK && livery_value_as_int(member, &number) == LIVERY_OK && number == wanted;
  livery_value_release(member);
  return is;
}

/** Whether an asset is an image in a version: its bytes, the id that they give, and what its header is said to tell. */
static bool is_asset_of(livery_store *store, livery_snapshot *snapshot, const char *id, const fetched_name *name) {
  const void *bytes = NULL;
  size_t length = 0;
  char text[LIVERY_ASSET_ID_SIZE];
  livery_value *told = NULL, *facts = NULL;
  if (livery_snapshot_asset(snapshot, id, &bytes, &length) != LIVERY_OK)
    return is_false("image %.8s of %c%u is lost: %s", id, name->kind, name->number, livery_last_error()->message);
  if (!are_bytes_of(name, bytes, length))
    return is_false("image %.8s of %zu bytes is not version %" PRIu64 " of %c%u", id, length, name->version, name->kind, name->number);
  bool is_its_id = livery_asset_describe(bytes, length, 0, &told) == LIVERY_OK && strcmp(member_text(told, "id", text, sizeof text), id) == 0;
  livery_value_release(told);
  if (!is_its_id) return is_false("the bytes of image %.8s have the id %.8s", id, text);
  const unsigned char *header = bytes;
  livery_status status = livery_asset_info(store, id, &facts);
  // What a newer one has taken the place of meanwhile may be gone.
  bool are_true = status == LIVERY_ERROR_NOT_FOUND
    || (status == LIVERY_OK && is_number(facts, "width", header[6] | header[7] << 8)
        && is_number(facts, "height", header[8] | header[9] << 8) && is_number(facts, "bytes", (int64_t)length));
  livery_value_release(facts);
  return are_true || is_false("what is known of image %.8s is not so: %s", id, livery_status_name(status));
}

/** Looks at one image of the brand; `generation` is that of the first one, and 0 before anything was fetched. */
static bool is_brand_image_true(livery_store *store, livery_snapshot *snapshot, unsigned number, uint64_t *generation) {
  livery_value *variants = NULL, *variant = NULL;
  char setting[40], image[200], source[200], tag[80], state[20];
  brand_setting(number, setting);
  livery_status status = livery_snapshot_get(snapshot, setting, &variants);
  if (status == LIVERY_OK) status = livery_value_at(variants, 0, &variant);
  if (status == LIVERY_OK) {
    member_text(variant, "image", image, sizeof image);
    member_text(variant, "source", source, sizeof source);
    member_text(variant, "etag", tag, sizeof tag);
    member_text(variant, "state", state, sizeof state);
  }
  livery_value_release(variant);
  livery_value_release(variants);
  if (status != LIVERY_OK) return is_false("%s: %s", setting, livery_last_error()->message);
  bool is_fetched = strncmp(image, "http", 4) != 0;
  fetched_name url = {0}, name = {0};
  if (!parse_url(is_fetched ? source : image, &url) || url.kind != 'b' || url.number != number)
    return is_false("%s shows %s of %s", setting, image, source);
  if (is_fetched && (!parse_tag(tag, &name) || name.kind != 'b' || name.number != number || strcmp(state, "ready") != 0))
    return is_false("%s is %s with %s", setting, state, tag);
  if (number == 0) *generation = name.version;
  if (name.version != brand_version(number, *generation) || is_fetched != (*generation > 0))
    return is_false("%s shows version %" PRIu64 " beside generation %" PRIu64, setting, name.version, *generation);
  return !is_fetched || is_asset_of(store, snapshot, image, &name);
}

/** Looks at what the cache holds for a URL. */
static bool is_entry_true(livery_store *store, livery_snapshot *snapshot, const char *setting, holding *held) {
  livery_value *entry = NULL;
  char url[200], image[200], tag[80];
  fetched_name name = {0}, told = {0};
  if (livery_snapshot_get_layer(snapshot, LIVERY_LAYER_BUNDLE, setting, &entry) != LIVERY_OK)
    return is_false("%s: %s", setting, livery_last_error()->message);
  member_text(entry, "url", url, sizeof url);
  member_text(entry, "image", image, sizeof image);
  member_text(entry, "etag", tag, sizeof tag);
  livery_value_release(entry);
  if (!parse_url(url, &name) || !parse_tag(tag, &told) || told.kind != name.kind || told.number != name.number)
    return is_false("%s is of %s with %s", setting, url, tag);
  if (told.kind == 's') held->singles[told.number] = told.version;
  // The brand and the cache's settings are changed by one commit.
  if (told.kind == 'b' && told.version != brand_version(told.number, held->generation))
    return is_false("the cache has version %" PRIu64 " of %s beside generation %" PRIu64, told.version, url, held->generation);
  return is_asset_of(store, snapshot, image, &told);
}

/** Looks at all that was fetched into a store, in one snapshot: false, with `fetched_fault`, if not all of it is true. */
UNUSED static bool is_all_true(livery_store *store, holding *held) {
  livery_snapshot *snapshot = NULL;
  livery_value *names = NULL;
  size_t count = 0;
  *held = (holding){0};
  if (livery_snapshot_open(store, &snapshot) != LIVERY_OK) return is_false("no snapshot: %s", livery_last_error()->message);
  bool is_true = livery_snapshot_revision(snapshot, &held->revision) == LIVERY_OK || is_false("no revision");
  livery_value *first = NULL;
  bool has_brand = livery_snapshot_get(snapshot, "branding.image.i0", &first) != LIVERY_ERROR_NOT_FOUND;
  livery_value_release(first);
  for (unsigned number = 0; has_brand && number < BRAND && is_true; number++)
    is_true = is_brand_image_true(store, snapshot, number, &held->generation);
  if (is_true && (livery_snapshot_list(snapshot, LIVERY_LAYER_BUNDLE, "fetch.*", &names) != LIVERY_OK
                  || livery_value_count(names, &count) != LIVERY_OK))
    is_true = is_false("no names: %s", livery_last_error()->message);
  for (size_t index = 0; index < count && is_true; index++) {
    livery_value *item = NULL;
    const char *setting = "";
    is_true = livery_value_at(names, index, &item) == LIVERY_OK && livery_value_as_string(item, &setting, NULL) == LIVERY_OK;
    if (is_true && strcmp(setting, "fetch.former") != 0) is_true = is_entry_true(store, snapshot, setting, held);
    livery_value_release(item);
  }
  livery_value_release(names);
  livery_snapshot_close(snapshot);
  return is_true;
}

/** How many assets no setting refers to. */
UNUSED static size_t unused_assets(livery_store *store) {
  livery_value *list = NULL;
  size_t count = 0, unused = 0;
  if (livery_asset_list(store, &list) == LIVERY_OK) livery_value_count(list, &count);
  for (size_t index = 0; index < count; index++) {
    livery_value *item = NULL, *uses = NULL;
    size_t used = 0;
    livery_value_at(list, index, &item);
    if (livery_value_member(item, "uses", &uses) == LIVERY_OK) livery_value_count(uses, &used);
    unused += used == 0;
    livery_value_release(uses);
    livery_value_release(item);
  }
  livery_value_release(list);
  return unused;
}

// One fetch at a time, and its end

typedef struct fetched_end {
  _Atomic int is_over;
  livery_status status;
  char message[300];
  int64_t counts[3];
} fetched_end;

UNUSED static void note_brand_end(livery_status status, const char *message, livery_value *report, void *user_data) {
  static const char *const keys[] = {"ready", "stale", "failed"};
  fetched_end *end = user_data;
  end->status = status;
  snprintf(end->message, sizeof end->message, "%s", message ? message : "");
  for (int index = 0; index < 3; index++) {
    livery_value *member = NULL;
    if (report && livery_value_member(report, keys[index], &member) == LIVERY_OK) livery_value_as_int(member, &end->counts[index]);
    livery_value_release(member);
  }
  end->is_over = 1;
}

/** Whether it came to its end within some time. */
UNUSED static bool wait_for_end(fetched_end *end, double seconds) {
  for (double limit = seconds_now() + seconds; !end->is_over && seconds_now() < limit;) sleep_us(100);
  return end->is_over;
}

#endif
