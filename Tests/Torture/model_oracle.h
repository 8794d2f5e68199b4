// What the store promises about layers, locks, schemas, the log and revisions, without a store: a table in memory.
#ifndef MODEL_ORACLE_H
#define MODEL_ORACLE_H

#include "torture.h"

enum { MODEL_NAMES = 12, MODEL_LAYERS = 6, MODEL_EDITS = 6, MODEL_REPLACED = 40, MODEL_COMMITS = 1200 };

typedef struct model_value {
  char kind;  // 0 none, 'i' integer, 't' text
  int64_t number;
  char text[16];
} model_value;

typedef struct model_edit {
  int name;
  bool is_reset;
  model_value value;
} model_edit;

typedef struct model_change {
  livery_layer layer;
  bool clears, has_expectation;
  int expected_name;
  uint64_t expected_revision;
  uint64_t passed_locks;  // locks of this revision and of those before hold up nothing
  bool restores;          // undoes what was committed under the same schema: also what is read-only or orphaned
  int count;
  model_edit edits[MODEL_REPLACED];
} model_change;

typedef struct model_declaration {
  bool is_declared, is_integer, is_read_only;
  int64_t maximum;
  model_value otherwise;
} model_declaration;

// What was removed keeps the revision that removed it.
typedef struct model_entry {
  bool is_there, is_rejected;
  model_value value;
  uint64_t revision;
} model_entry;

typedef struct model_effective {
  bool is_known, is_locked;
  model_value value;
  livery_layer layer;
  uint64_t revision;
} model_effective;

// An entry of the log: what a commit replaced.
typedef struct model_commit {
  bool is_schema;
  livery_layer layer;
  int count;
  struct { int name; model_value old; bool was_there; } replaced[MODEL_REPLACED];
} model_commit;

typedef struct oracle {
  uint64_t revision, version;
  bool is_open;
  model_declaration declared[MODEL_NAMES];
  model_entry layers[MODEL_LAYERS][MODEL_NAMES];
  model_effective effective[MODEL_NAMES];
} oracle;

// By revision.
static model_commit model_log[MODEL_COMMITS];
// For seeing the test fail: the oracle knows of no locks.
static bool oracle_forgets_locks;

/** In the order of their bytes. */
UNUSED static const char *model_name(int index) {
  static const char *const names[MODEL_NAMES] = {"a", "b", "b.c", "c", "d", "e.long.name.of.a.setting", "f", "g", "u", "v", "w", "x"};
  return names[index];
}

static bool same_value(const model_value *a, const model_value *b) {
  return a->kind == b->kind && (a->kind != 'i' || a->number == b->number) && (a->kind != 't' || strcmp(a->text, b->text) == 0);
}

static bool model_exists(const oracle *oracle, int name) { return oracle->declared[name].is_declared || oracle->is_open; }

/** What a value becomes in a setting; or the status with which it is refused. */
static livery_status model_fits(const oracle *oracle, int name, const model_value *given, model_value *result) {
  const model_declaration *declared = &oracle->declared[name];
  *result = *given;
  if (!declared->is_declared) return LIVERY_OK;
  if (declared->is_integer && given->kind == 't') {
    char *end = NULL;
    if (!given->text[0]) return LIVERY_ERROR_TYPE_MISMATCH;
    int64_t number = strtoll(given->text, &end, 10);
    if (*end) return LIVERY_ERROR_TYPE_MISMATCH;
    *result = (model_value){.kind = 'i', .number = number};
  }
  if (declared->is_integer) return result->number <= declared->maximum ? LIVERY_OK : LIVERY_ERROR_INVALID_VALUE;
  if (given->kind != 't') return LIVERY_ERROR_TYPE_MISMATCH;
  return (int64_t)strlen(given->text) <= declared->maximum ? LIVERY_OK : LIVERY_ERROR_INVALID_VALUE;
}

static model_effective model_state(const oracle *oracle, int name) {
  model_effective state = {.is_known = true};
  if (!model_exists(oracle, name)) return state;
  for (int layer = 0; layer < MODEL_LAYERS; layer++) {
    const model_entry *entry = &oracle->layers[layer][name];
    if (!entry->is_there || entry->is_rejected) continue;
    if (model_fits(oracle, name, &entry->value, &state.value) != LIVERY_OK) state.value = entry->value;
    state.layer = layer;
    if (layer == LIVERY_LAYER_ENFORCED) state.is_locked = true;
  }
  return state;
}

static void model_settle(oracle *oracle, const bool touched[MODEL_NAMES]) {
  for (int name = 0; name < MODEL_NAMES; name++) {
    if (!touched[name]) continue;
    model_effective *old = &oracle->effective[name];
    if (!model_exists(oracle, name)) {
      *old = (model_effective){0};
      continue;
    }
    model_effective state = model_state(oracle, name);
    if (!old->is_known) {
      state.revision = state.value.kind ? oracle->revision : 0;
      *old = state;
    } else if (!same_value(&old->value, &state.value) || old->layer != state.layer || old->is_locked != state.is_locked) {
      state.revision = oracle->revision;
      *old = state;
    }
  }
}

static bool model_is_locked(const oracle *oracle, int name, uint64_t since) {
  const model_entry *enforced = &oracle->layers[LIVERY_LAYER_ENFORCED][name];
  if (!enforced->is_there || enforced->is_rejected) return false;
  return since == 0 || enforced->revision > since || oracle->effective[name].revision > since;
}

static livery_status model_refusal(const oracle *oracle, const model_change *change, const model_edit *edit) {
  livery_layer layer = change->layer;
  const model_declaration *declared = &oracle->declared[edit->name];
  bool is_console = layer == LIVERY_LAYER_RECOMMENDED || layer == LIVERY_LAYER_ENFORCED;
  bool is_known = model_exists(oracle, edit->name);
  if (!is_known && !(edit->is_reset ? oracle->layers[layer][edit->name].is_there : change->restores)) return LIVERY_ERROR_NOT_FOUND;
  if (declared->is_declared && declared->is_read_only && !is_console && !change->restores) return LIVERY_ERROR_READ_ONLY;
  if (is_known && !oracle_forgets_locks && layer < LIVERY_LAYER_ENFORCED && model_is_locked(oracle, edit->name, change->passed_locks))
    return LIVERY_ERROR_LOCKED;
  model_value fitted;
  return edit->is_reset || !is_known ? LIVERY_OK : model_fits(oracle, edit->name, &edit->value, &fitted);
}

/** Commits a change; the status of its first refusal if it is refused, and then nothing is changed. */
static livery_status model_commit_change(oracle *self, const model_change *change) {
  oracle next = *self;
  bool touched[MODEL_NAMES] = {false}, is_touched = false;
  model_commit record = {.layer = change->layer};
  model_entry *entries = next.layers[change->layer];
  if (change->has_expectation) {
    uint64_t effective = self->effective[change->expected_name].revision;
    uint64_t own = entries[change->expected_name].revision;
    if ((effective > own ? effective : own) > change->expected_revision) return LIVERY_ERROR_CONFLICT;
  }
#define REPLACED(which)                                                                                                \
  do {                                                                                                                 \
    if (record.count < MODEL_REPLACED) {                                                                               \
      record.replaced[record.count].name = (which);                                                                    \
      record.replaced[record.count].was_there = entries[which].is_there;                                               \
      record.replaced[record.count++].old = entries[which].value;                                                      \
    }                                                                                                                  \
    touched[which] = is_touched = true;                                                                                \
  } while (0)
  if (change->clears) {
    for (int name = 0; name < MODEL_NAMES; name++) {
      bool is_set_again = false;
      for (int index = 0; index < change->count; index++)
        is_set_again |= change->edits[index].name == name && !change->edits[index].is_reset;
      if (is_set_again || !entries[name].is_there) continue;
      REPLACED(name);
      entries[name] = (model_entry){.revision = self->revision + 1};
    }
  }
  for (int index = 0; index < change->count; index++) {
    const model_edit *edit = &change->edits[index];
    livery_status refusal = model_refusal(&next, change, edit);
    if (refusal != LIVERY_OK) return refusal;
    model_entry *old = &entries[edit->name], fresh = {.is_there = true, .revision = self->revision + 1};
    if (edit->is_reset) {
      if (!old->is_there) continue;
      REPLACED(edit->name);
      *old = (model_entry){.revision = self->revision + 1};
      continue;
    }
    model_fits(&next, edit->name, &edit->value, &fresh.value);
    if (old->is_there && !old->is_rejected && same_value(&old->value, &fresh.value)) continue;
    REPLACED(edit->name);
    *old = fresh;
  }
#undef REPLACED
  if (!is_touched) return LIVERY_OK;
  next.revision++;
  model_settle(&next, touched);
  if (next.revision < MODEL_COMMITS) model_log[next.revision] = record;
  *self = next;
  return LIVERY_OK;
}

/** The change that undoes a commit; or the status with which that is refused. */
static livery_status model_undoing(const oracle *self, uint64_t revision, bool is_forced, model_change *change) {
  if (revision == 0 || revision > self->revision) return LIVERY_ERROR_NOT_FOUND;
  const model_commit *commit = &model_log[revision];
  if (commit->is_schema) return LIVERY_ERROR_READ_ONLY;
  *change = (model_change){.layer = commit->layer, .passed_locks = revision};
  change->restores = true;
  for (uint64_t later = revision + 1; later <= self->revision; later++) change->restores &= !model_log[later].is_schema;
  bool is_seen[MODEL_NAMES] = {false};
  // In the order of names.
  for (int name = 0; name < MODEL_NAMES; name++) {
    for (int index = 0; index < commit->count && !is_seen[name]; index++) {
      if (commit->replaced[index].name != name) continue;
      // The first replaced value of a place is the one before the commit.
      is_seen[name] = true;
      change->edits[change->count++] =
          (model_edit){.name = name, .is_reset = !commit->replaced[index].was_there, .value = commit->replaced[index].old};
    }
  }
  for (uint64_t later = revision + 1; later <= self->revision && !is_forced; later++)
    for (int index = 0; index < model_log[later].count; index++)
      if (is_seen[model_log[later].replaced[index].name]) return LIVERY_ERROR_CONFLICT;
  return LIVERY_OK;
}

static void model_apply(oracle *self, uint64_t version, bool is_open, const model_declaration fresh[MODEL_NAMES]) {
  if (version <= self->version) return;
  bool touched[MODEL_NAMES];
  // What neither schema declares and no layer holds stays as it was.
  for (int name = 0; name < MODEL_NAMES; name++) {
    touched[name] = fresh[name].is_declared || self->declared[name].is_declared;
    for (int layer = 0; layer < MODEL_LAYERS; layer++) touched[name] |= self->layers[layer][name].is_there;
  }
  self->version = version;
  self->is_open = is_open;
  self->revision++;
  memcpy(self->declared, fresh, sizeof self->declared);
  for (int name = 0; name < MODEL_NAMES; name++) {
    model_entry *entry = &self->layers[LIVERY_LAYER_DEFAULTS][name];
    if (!fresh[name].is_declared || !fresh[name].otherwise.kind) {
      *entry = (model_entry){0};
    } else if (!entry->is_there || !same_value(&entry->value, &fresh[name].otherwise)) {
      *entry = (model_entry){.is_there = true, .value = fresh[name].otherwise, .revision = self->revision};
    }
    for (int layer = 1; layer < MODEL_LAYERS; layer++) {
      model_value fitted;
      model_entry *own = &self->layers[layer][name];
      own->is_rejected = own->is_there && model_fits(self, name, &own->value, &fitted) != LIVERY_OK;
    }
  }
  model_settle(self, touched);
  if (self->revision < MODEL_COMMITS) model_log[self->revision] = (model_commit){.is_schema = true};
}

static void put_model_value(char *text, size_t size, const model_value *value) {
  if (value->kind == 'i') {
    snprintf(text, size, "%lld", (long long)value->number);
  } else {
    snprintf(text, size, "\"%s\"", value->text);
  }
}

/** What livery_export_json() is to write. */
static void model_export(const oracle *self, char *text, size_t size) {
  size_t used = (size_t)snprintf(text, size, "{\"Version\":%llu,\"Values\":{", (unsigned long long)self->version);
  const char *comma = "";
  for (int name = 0; name < MODEL_NAMES; name++) {
    char value[64];
    model_effective state = model_state(self, name);
    if (!state.value.kind) continue;
    put_model_value(value, sizeof value, &state.value);
    used += (size_t)snprintf(text + used, size - used, "%s\"%s\":%s", comma, model_name(name), value);
    comma = ",";
  }
  snprintf(text + used, size - used, "}}");
}

#endif
