// A seeded workload of every way to change a store; shared by the harnesses that watch what it writes or break it.
#ifndef WORKLOAD_H
#define WORKLOAD_H

#include "torture.h"

enum { WORKLOAD_NAMES = 24 };

UNUSED static const char *workload_name(unsigned index) {
  static char names[8][40];
  static int next;
  char *name = names[next++ % 8];
  snprintf(name, sizeof names[0], "group%u.setting%u", index % 4, index);
  return name;
}

/** A schema of a version: its settings, defaults and limits differ from those of other versions. */
UNUSED static size_t workload_schema(char *schema, size_t size, unsigned version) {
  size_t used = (size_t)snprintf(schema, size, "{\"Version\": %u, \"Open\": true, \"Groups\": [{\"Title\": \"All\", "
                                 "\"Settings\": [{\"Type\": \"Header\", \"Title\": \"%u\"}", version, version);
  for (unsigned index = 0; index < 8; index++)
    used += (size_t)snprintf(schema + used, size - used,
                             ", {\"Type\": \"Number\", \"Format\": \"integer\", \"Title\": \"N\", \"Key\": \"declared%u\", "
                             "\"Value\": %u, \"Minimum\": 0, \"Maximum\": %u}", (index + version) % 11, index * version,
                             1000 + 500 * (version % 3));
  used += (size_t)snprintf(schema + used, size - used,
                           ", {\"Type\": \"TextField\", \"Title\": \"T\", \"Key\": \"declared.text\", \"Value\": \"v%u\"}]}]",
                           version);
  // Every upgrade moves values too, to where nothing is yet.
  if (version > 1)
    used += (size_t)snprintf(schema + used, size - used,
                             ", \"Migrations\": [{\"To\": %u, \"Steps\": [{\"Op\": \"set\", \"Key\": \"upgraded\", \"Value\": %u}, "
                             "{\"Op\": \"copy\", \"From\": \"%s\", \"Into\": \"copied%u\"}, "
                             "{\"Op\": \"rename\", \"From\": \"%s\", \"Into\": \"renamed%u\"}]}]", version, version,
                             workload_name(version % WORKLOAD_NAMES), version, workload_name((version * 5 + 1) % WORKLOAD_NAMES),
                             version);
  used += (size_t)snprintf(schema + used, size - used, "}");
  return used;
}

UNUSED static size_t workload_text(char *text, size_t limit) {
  size_t length = (size_t)(below(10) ? below(80) : below(limit));
  for (size_t index = 0; index < length; index++) text[index] = (char)('a' + below(26));
  return length;
}

UNUSED static livery_layer workload_layer(void) {
  static const livery_layer layers[] = {LIVERY_LAYER_BUNDLE, LIVERY_LAYER_RECOMMENDED, LIVERY_LAYER_USER,
                                        LIVERY_LAYER_USER, LIVERY_LAYER_SESSION, LIVERY_LAYER_ENFORCED};
  return layers[below(COUNT_OF(layers))];
}

enum { WORKLOAD_TEXT = 24000 };

UNUSED static livery_status workload_change_set(livery_store *store) {
  static char text[WORKLOAD_TEXT];
  livery_change *change = NULL;
  livery_status status = livery_change_begin(store, workload_layer(), &change);
  if (status != LIVERY_OK) return status;
  livery_change_origin(change, "workload");
  if (below(12) == 0) status = livery_change_reset_all(change);
  for (uint64_t edits = 1 + below(12); edits > 0 && status == LIVERY_OK; edits--) {
    const char *name = workload_name((unsigned)below(WORKLOAD_NAMES));
    switch (below(5)) {
      case 0: status = livery_change_set_int(change, name, (int64_t)random_bits()); break;
      case 1: status = livery_change_set_string(change, name, text, workload_text(text, WORKLOAD_TEXT)); break;
      case 2: status = livery_change_set_bool(change, name, below(2)); break;
      case 3: status = livery_change_set_double(change, name, (double)below(1 << 20) / 8); break;
      default: status = livery_change_reset(change, name); break;
    }
  }
  if (status == LIVERY_OK) status = livery_change_commit(change, NULL);
  // After a commit that succeeded the handle is closed.
  if (status != LIVERY_OK) livery_change_discard(change);
  return status;
}

/** An asset with a setting that names it, in one commit; or one goes. */
UNUSED static livery_status workload_asset(livery_store *store) {
  static char text[WORKLOAD_TEXT], ids[6][LIVERY_ASSET_ID_SIZE];
  char *id = ids[below(COUNT_OF(ids))];
  livery_change *change = NULL;
  if (id[0] && below(3) == 0) {
    livery_status status = livery_asset_remove(store, id, LIVERY_ASSET_FORCE);
    id[0] = 0;
    return status;
  }
  livery_status status = livery_change_begin(store, LIVERY_LAYER_BUNDLE, &change);
  if (status == LIVERY_OK)
    status = livery_change_put_asset(change, text, 1 + workload_text(text, WORKLOAD_TEXT - 1), LIVERY_ASSET_ANY, id);
  if (status == LIVERY_OK) status = livery_change_set_string(change, "branding.logo", id, LIVERY_ZERO_TERMINATED);
  if (status == LIVERY_OK) status = livery_change_commit(change, NULL);
  if (status != LIVERY_OK) livery_change_discard(change);
  return status;
}

/** One random change; the status of the call that commits. Refusals, such as LOCKED, are part of it. Without a `version`
    the schema stays. */
UNUSED static livery_status workload_step(livery_store *store, unsigned *version) {
  static char text[WORKLOAD_TEXT];
  const char *name = workload_name((unsigned)below(WORKLOAD_NAMES));
  livery_layer layer = workload_layer();
  switch (below(16)) {
    case 0: return livery_set_bool(store, layer, name, below(2));
    case 1: return livery_set_int(store, layer, name, (int64_t)random_bits());
    case 2: return livery_set_double(store, layer, name, (double)below(1000) / 4);
    case 3: return livery_set_string(store, layer, name, text, workload_text(text, WORKLOAD_TEXT));
    case 4: return livery_set_data(store, layer, name, text, workload_text(text, 4000));
    case 5: return livery_set_color(store, layer, name, (livery_color){(float)below(2), 0.5f, 0.25f, 1});
    case 6: {
      livery_value *value = NULL;
      char json[200];
      snprintf(json, sizeof json, "{\"a\": [1, 2.5, %" PRIu64 ", true], \"b\": \"%" PRIx64 "\"}", below(9), random_bits());
      livery_status status = livery_value_from_json(json, LIVERY_ZERO_TERMINATED, &value);
      if (status == LIVERY_OK) status = livery_set_value(store, layer, name, value);
      livery_value_release(value);
      return status;
    }
    case 7: return livery_reset(store, layer, name);
    case 8: {
      char json[300];
      snprintf(json, sizeof json, "{\"%s\": %" PRIu64 ", \"declared%u\": %u}", name, below(100000),
               (unsigned)below(11), (unsigned)below(900));
      return livery_import_json(store, layer, json, LIVERY_ZERO_TERMINATED, 0, NULL);
    }
    case 9: {
      int length = snprintf(text, sizeof text,
                            "<?xml version=\"1.0\" encoding=\"UTF-8\"?><plist version=\"1.0\"><dict><key>%s</key><integer>%"
                            PRIu64 "</integer></dict></plist>", name, below(100000));
      return livery_import_plist(store, layer, text, (size_t)length, 0, NULL);
    }
    case 10: {
      uint64_t revision = 0;
      livery_status status = livery_revision(store, &revision);
      return status == LIVERY_OK ? livery_undo(store, revision, below(2) ? LIVERY_UNDO_FORCE : 0, NULL) : status;
    }
    case 11: {
      if (!version || below(4)) return workload_change_set(store);
      static char schema[8192];
      size_t length = workload_schema(schema, sizeof schema, *version + 1);
      livery_status status = livery_schema_apply(store, schema, length, NULL, NULL);
      if (status == LIVERY_OK) ++*version;
      return status;
    }
    case 12: return workload_asset(store);
    default: return workload_change_set(store);
  }
}

/** Whether a status is one that a sound store may give to a change of the workload. */
UNUSED static bool workload_accepts(livery_status status) {
  return status == LIVERY_OK || status == LIVERY_ERROR_LOCKED || status == LIVERY_ERROR_CONFLICT
    || status == LIVERY_ERROR_INVALID_VALUE || status == LIVERY_ERROR_TYPE_MISMATCH || status == LIVERY_ERROR_READ_ONLY
    || status == LIVERY_ERROR_NOT_FOUND || status == LIVERY_ERROR_MIGRATION;
}

#endif
