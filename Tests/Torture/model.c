// Random operations on one store from three processes, and on an oracle in memory, which have to agree after each. A
// process is sometimes killed, closes and opens the store, or holds a snapshot; each follows the store by a watch.
//
//     model [--seeds N] [--from S] [--operations N]
//     model --seed S                   one run, operation by operation the same
//     model --broken             must find something
#include "model_oracle.h"

#include <poll.h>

enum { PROCESSES = 3, TEXT = 8192 };

typedef enum request_kind {
  OPEN, CLOSE, CHANGE, SET, UNDO, APPLY, READ, EXPORT, DISPATCH, HOLD, READ_HELD, RELEASE, IMPORT, LAST
} request_kind;

// A request to a process, and its answer, in memory that both see.
typedef struct mailbox {
  request_kind kind;
  char path[256];
  model_change change;
  int name;
  uint64_t revision;
  bool is_forced;
  livery_status status;
  uint64_t answered_revision;
  char text[TEXT], message[300];
} mailbox;

static mailbox *mail;
static int requests[PROCESSES][2], answers[PROCESSES][2];
static pid_t processes[PROCESSES];
static char path[256];

// In a process

static livery_store *store;
static livery_snapshot *held;
static livery_watch *watch;
static char mirror[MODEL_NAMES][40];
static uint64_t watched_revision;
static bool went_back;

static void put_json(livery_value *value, char *text, size_t size) {
  char *json = NULL;
  if (!value || livery_value_to_json(value, 0, &json, NULL) != LIVERY_OK) {
    text[0] = 0;
  } else {
    snprintf(text, size, "%s", json);
  }
  livery_free(json);
}

static void take_events(const livery_event *events, size_t count, void *user_data) {
  (void)user_data;
  for (size_t index = 0; index < count; index++) {
    const livery_event *event = &events[index];
    if (event->kind != LIVERY_EVENT_INITIAL && event->revision < watched_revision) went_back = true;
    watched_revision = event->revision;
    for (int name = 0; name < MODEL_NAMES && event->name; name++)
      if (strcmp(event->name, model_name(name)) == 0) put_json(event->new_value, mirror[name], sizeof mirror[0]);
  }
}

static livery_status open_store(const char *where) {
  livery_open_options options = LIVERY_OPEN_OPTIONS_INIT;
  livery_watch_options watching = LIVERY_WATCH_OPTIONS_INIT;
  options.flags = LIVERY_OPEN_CREATE;
  options.max_readers = 16;
  memset(mirror, 0, sizeof mirror);
  watched_revision = 0;
  watching.flags = LIVERY_WATCH_DISPATCH | LIVERY_WATCH_INITIAL;
  livery_status status = livery_open(where, &options, &store);
  if (status == LIVERY_OK) status = livery_watch_start(store, NULL, &watching, take_events, NULL, NULL, &watch);
  return status;
}

static livery_status commit_change(const model_change *change, uint64_t *revision) {
  livery_change *set = NULL;
  livery_status status = livery_change_begin(store, change->layer, &set);
  if (status == LIVERY_OK && change->clears) status = livery_change_reset_all(set);
  for (int index = 0; index < change->count && status == LIVERY_OK; index++) {
    const model_edit *edit = &change->edits[index];
    const char *name = model_name(edit->name);
    if (edit->is_reset) {
      status = livery_change_reset(set, name);
    } else if (edit->value.kind == 'i') {
      status = livery_change_set_int(set, name, edit->value.number);
    } else {
      status = livery_change_set_string(set, name, edit->value.text, LIVERY_ZERO_TERMINATED);
    }
  }
  if (status == LIVERY_OK && change->has_expectation)
    status = livery_change_expect(set, model_name(change->expected_name), change->expected_revision);
  if (status == LIVERY_OK) status = livery_change_commit(set, revision);
  if (status != LIVERY_OK) livery_change_discard(set);
  return status;
}

static livery_status set_one(const model_change *change) {
  const model_edit *edit = &change->edits[0];
  const char *name = model_name(edit->name);
  if (edit->is_reset) return livery_reset(store, change->layer, name);
  return edit->value.kind == 'i' ? livery_set_int(store, change->layer, name, edit->value.number)
                                 : livery_set_string(store, change->layer, name, edit->value.text, LIVERY_ZERO_TERMINATED);
}

static livery_status import(const model_change *change) {
  char json[1024] = "{";
  size_t used = 1;
  for (int index = 0; index < change->count; index++) {
    char value[64];
    put_model_value(value, sizeof value, &change->edits[index].value);
    used += (size_t)snprintf(json + used, sizeof json - used, "%s\"%s\": %s", index ? ", " : "",
                             model_name(change->edits[index].name), value);
  }
  snprintf(json + used, sizeof json - used, "}");
  return livery_import_json(store, change->layer, json, LIVERY_ZERO_TERMINATED, 0, NULL);
}

static livery_status do_request(mailbox *box) {
  livery_value *value = NULL;
  livery_status status = LIVERY_OK;
  char *json = NULL;
  size_t used = 0;
  switch (box->kind) {
    case OPEN: status = open_store(box->path); break;
    case CLOSE:
      status = livery_close(store);
      store = NULL;
      held = NULL;
      return status;
    case CHANGE: status = commit_change(&box->change, NULL); break;
    case SET: status = set_one(&box->change); break;
    case IMPORT: status = import(&box->change); break;
    case UNDO: status = livery_undo(store, box->revision, box->is_forced ? LIVERY_UNDO_FORCE : 0, NULL); break;
    case APPLY: status = livery_schema_apply(store, box->text, LIVERY_ZERO_TERMINATED, NULL, NULL); break;
    case READ:
      status = livery_get_value(store, model_name(box->name), &value);
      if (status == LIVERY_OK) put_json(value, box->text, TEXT);
      livery_value_release(value);
      break;
    case EXPORT:
      status = livery_export_json(store, 0, &json, NULL);
      if (status == LIVERY_OK) snprintf(box->text, TEXT, "%s", json);
      livery_free(json);
      break;
    case DISPATCH:
      status = livery_dispatch(store, NULL);
      box->text[0] = 0;
      for (int name = 0; name < MODEL_NAMES; name++)
        used += (size_t)snprintf(box->text + used, TEXT - used, "%s=%s;", model_name(name), mirror[name]);
      if (went_back) snprintf(box->text, TEXT, "a revision went back");
      break;
    case HOLD: status = livery_snapshot_open(store, &held); break;
    case READ_HELD:
      status = livery_snapshot_get(held, model_name(box->name), &value);
      if (status == LIVERY_OK) put_json(value, box->text, TEXT);
      livery_value_release(value);
      if (livery_snapshot_revision(held, &box->answered_revision) != LIVERY_OK) status = LIVERY_ERROR_IO;
      return status;
    case RELEASE:
      status = livery_snapshot_close(held);
      held = NULL;
      break;
    case LAST: break;
  }
  if (livery_revision(store, &box->answered_revision) != LIVERY_OK) box->answered_revision = UINT64_MAX;
  return status;
}

static void serve(int index) {
  char byte;
  while (read(requests[index][0], &byte, 1) == 1) {
    mail[index].status = do_request(&mail[index]);
    snprintf(mail[index].message, sizeof mail[index].message, "%s", livery_last_error()->message);
    if (write(answers[index][1], &byte, 1) != 1) break;
  }
  _exit(0);
}

// In the parent

static bool has_failed;
static uint64_t seed;
static int operation;
static char told[512];

static void start(int index) {
  processes[index] = fork();
  if (processes[index] == 0) serve(index);
}

__attribute__((format(printf, 1, 2))) static void wrong(const char *format, ...) {
  char text[900];
  va_list list;
  va_start(list, format);
  vsnprintf(text, sizeof text, format, list);
  va_end(list);
  finding("model: operation %d (%s): %s\n  again: scripts/torture again model --seed %llu", operation, told, text, (unsigned long long)seed);
  has_failed = true;
}

static livery_status ask(int index, request_kind kind) {
  char byte = 0;
  mail[index].kind = kind;
  if (write(requests[index][1], &byte, 1) != 1) give_up("writing to a process");
  struct pollfd waiting = {.fd = answers[index][0], .events = POLLIN};
  if (poll(&waiting, 1, 60000) != 1 || read(answers[index][0], &byte, 1) != 1) {
    wrong("process %d does not answer", index);
    kill(processes[index], SIGKILL);
    return LIVERY_ERROR_IO;
  }
  return mail[index].status;
}

static void expect_status(livery_status got, livery_status expected, const oracle *oracle, int index) {
  if (got != expected)
    wrong("gave %s (%s), should be %s", livery_status_name(got), mail[index].message, livery_status_name(expected));
  if (mail[index].answered_revision != oracle->revision)
    wrong("the revision is %llu, should be %llu", (unsigned long long)mail[index].answered_revision,
          (unsigned long long)oracle->revision);
}

static void expect_value(livery_status got, const oracle *oracle, int index, int name, const char *how) {
  model_effective state = model_state(oracle, name);
  char text[64];
  put_model_value(text, sizeof text, &state.value);
  livery_status expected = state.value.kind ? LIVERY_OK
    : oracle->declared[name].is_declared ? LIVERY_ERROR_NO_VALUE : LIVERY_ERROR_NOT_FOUND;
  if (got != expected)
    wrong("%s of %s in process %d gave %s, should be %s", how, model_name(name), index, livery_status_name(got),
          livery_status_name(expected));
  else if (got == LIVERY_OK && strcmp(mail[index].text, text) != 0)
    wrong("%s of %s in process %d gave %.100s, should be %s", how, model_name(name), index, mail[index].text, text);
}

static model_value some_value(void) {
  static const char *const texts[] = {"", "x", "word", "a long text"};
  model_value value = {.kind = 'i', .number = (int64_t)below(60)};
  uint64_t drawn = below(10);
  if (drawn < 5) return value;
  value.kind = 't';
  if (drawn < 7) {
    snprintf(value.text, sizeof value.text, "%lld", (long long)value.number);
  } else {
    snprintf(value.text, sizeof value.text, "%s", texts[below(4)]);
  }
  value.number = 0;
  return value;
}

static livery_layer some_layer(void) {
  static const livery_layer layers[] = {1, 2, 3, 3, 3, 4, 5};
  return layers[below(COUNT_OF(layers))];
}

static void some_edits(model_change *change, int most, bool may_reset) {
  bool is_seen[MODEL_NAMES] = {false};
  change->count = 1 + (int)below((uint64_t)most);
  for (int index = 0; index < change->count; index++) {
    int name = (int)below(MODEL_NAMES);
    // The last edit of a name counts; so each is there once.
    while (is_seen[name]) name = (name + 1) % MODEL_NAMES;
    is_seen[name] = true;
    change->edits[index] = (model_edit){.name = name, .is_reset = may_reset && below(4) == 0, .value = some_value()};
  }
}

static void make_schema(uint64_t version, bool *is_open, model_declaration fresh[MODEL_NAMES], char *json) {
  *is_open = below(4) != 0;
  size_t used = (size_t)snprintf(json, TEXT, "{\"Version\": %llu, \"Open\": %s, \"Groups\": [{\"Title\": \"G\", \"Settings\": "
                                 "[{\"Type\": \"Header\", \"Title\": \"H\"}", (unsigned long long)version,
                                 *is_open ? "true" : "false");
  for (int name = 0; name < MODEL_NAMES; name++) {
    fresh[name] = (model_declaration){.is_declared = name < 8 && below(5) != 0, .is_integer = below(3) != 0};
    if (!fresh[name].is_declared) continue;
    fresh[name].is_read_only = below(10) == 0;
    fresh[name].maximum = fresh[name].is_integer ? (int64_t)(20 + below(60)) : (int64_t)(1 + below(14));
    used += (size_t)snprintf(json + used, TEXT - used, ", {\"Title\": \"T\", \"Key\": \"%s\"%s, ", model_name(name),
                             fresh[name].is_read_only ? ", \"ReadOnly\": true" : "");
    used += (size_t)snprintf(json + used, TEXT - used,
                             fresh[name].is_integer ? "\"Type\": \"Number\", \"Format\": \"integer\", \"Maximum\": %lld"
                                                    : "\"Type\": \"TextField\", \"MaxLength\": %lld",
                             (long long)fresh[name].maximum);
    if (below(3)) {
      char value[64];
      fresh[name].otherwise = fresh[name].is_integer ? (model_value){.kind = 'i', .number = (int64_t)below(20)}
                                                     : (model_value){.kind = 't', .text = "d"};
      put_model_value(value, sizeof value, &fresh[name].otherwise);
      used += (size_t)snprintf(json + used, TEXT - used, ", \"Value\": %s", value);
    }
    used += (size_t)snprintf(json + used, TEXT - used, "}");
  }
  snprintf(json + used, TEXT - used, "]}]}");
}

static void tell_change(const char *what, int index, const model_change *change) {
  size_t used = (size_t)snprintf(told, sizeof told, "process %d, %s, layer %d%s", index, what, change->layer,
                                 change->clears ? ", all" : "");
  for (int edit = 0; edit < change->count && used < sizeof told; edit++) {
    char value[64];
    put_model_value(value, sizeof value, &change->edits[edit].value);
    used += (size_t)snprintf(told + used, sizeof told - used, ", %s %s", model_name(change->edits[edit].name),
                             change->edits[edit].is_reset ? "reset" : value);
  }
}

static void open_in(int index) {
  snprintf(mail[index].path, sizeof mail[index].path, "%s", path);
  if (ask(index, OPEN) != LIVERY_OK) wrong("process %d cannot open the store", index);
}

static void run_seed(int operations) {
  static oracle now, held_then[PROCESSES];
  bool is_held[PROCESSES] = {false};
  static char text[TEXT];
  has_failed = false;
  seed_with(seed);
  now = (oracle){.is_open = true};
  operation = 0;
  snprintf(told, sizeof told, "opening");
  snprintf(path, sizeof path, "%s/%llu", torture_directory, (unsigned long long)seed);
  for (int index = 0; index < PROCESSES; index++) open_in(index);
  for (operation = 1; operation <= operations && !has_failed; operation++) {
    int index = (int)below(PROCESSES), name = (int)below(MODEL_NAMES), drawn = (int)below(1000);
    mailbox *box = &mail[index];
    model_change *change = &box->change;
    *change = (model_change){.layer = some_layer()};
    if (drawn < 350) {
      some_edits(change, 1, true);
      tell_change("set", index, change);
      livery_status status = ask(index, SET);
      expect_status(status, model_commit_change(&now, change), &now, index);
    } else if (drawn < 550) {
      some_edits(change, MODEL_EDITS, true);
      change->clears = below(8) == 0;
      if (below(5) == 0) {
        change->has_expectation = true;
        change->expected_name = (int)below(MODEL_NAMES);
        change->expected_revision = now.revision - below(now.revision < 6 ? now.revision + 1 : 6);
      }
      tell_change("change set", index, change);
      livery_status status = ask(index, CHANGE);
      expect_status(status, model_commit_change(&now, change), &now, index);
    } else if (drawn < 580) {
      // What may not be changed but is so already is passed over by an import; so it is left to settings without.
      some_edits(change, 3, false);
      bool is_plain = true;
      for (int edit = 0; edit < change->count; edit++)
        is_plain &= model_refusal(&now, change, &change->edits[edit]) == LIVERY_OK;
      tell_change("import", index, change);
      if (is_plain) {
        livery_status status = ask(index, IMPORT);
        expect_status(status, model_commit_change(&now, change), &now, index);
      }
    } else if (drawn < 610 && now.revision + 2 < MODEL_COMMITS) {
      uint64_t revision = now.revision - below(now.revision < 5 ? now.revision + 1 : 5);
      bool is_forced = below(3) == 0, crosses_schema = false;
      for (uint64_t later = revision + 1; later <= now.revision; later++) crosses_schema |= model_log[later].is_schema;
      if (crosses_schema) is_forced = true;
      snprintf(told, sizeof told, "process %d, undo %llu%s", index, (unsigned long long)revision, is_forced ? " by force" : "");
      box->revision = revision;
      box->is_forced = is_forced;
      livery_status expected = model_undoing(&now, revision, is_forced, change);
      model_change undoing = *change;
      livery_status status = ask(index, UNDO);
      if (expected == LIVERY_OK) expected = model_commit_change(&now, &undoing);
      expect_status(status, expected, &now, index);
    } else if (drawn < 622) {
      bool is_open;
      model_declaration fresh[MODEL_NAMES];
      make_schema(now.version + 1, &is_open, fresh, box->text);
      snprintf(told, sizeof told, "process %d, schema of version %llu", index, (unsigned long long)now.version + 1);
      livery_status status = ask(index, APPLY);
      model_apply(&now, now.version + 1, is_open, fresh);
      expect_status(status, LIVERY_OK, &now, index);
    } else if (drawn < 640) {
      snprintf(told, sizeof told, "process %d, export", index);
      model_export(&now, text, sizeof text);
      expect_status(ask(index, EXPORT), LIVERY_OK, &now, index);
      if (strcmp(text, box->text) != 0) wrong("exports\n    %.400s\n  should be\n    %.400s", box->text, text);
    } else if (drawn < 670) {
      snprintf(told, sizeof told, "process %d, watch", index);
      size_t used = 0;
      for (int which = 0; which < MODEL_NAMES; which++) {
        char value[64] = "";
        model_effective state = model_state(&now, which);
        if (state.value.kind) put_model_value(value, sizeof value, &state.value);
        used += (size_t)snprintf(text + used, sizeof text - used, "%s=%s;", model_name(which), value);
      }
      expect_status(ask(index, DISPATCH), LIVERY_OK, &now, index);
      if (strcmp(text, box->text) != 0) wrong("the watch of process %d knows %.300s, should be %.300s", index, box->text, text);
    } else if (drawn < 690) {
      snprintf(told, sizeof told, "process %d, snapshot", index);
      expect_status(ask(index, is_held[index] ? RELEASE : HOLD), LIVERY_OK, &now, index);
      is_held[index] = !is_held[index];
      held_then[index] = now;
    } else if (drawn < 730 && is_held[index]) {
      snprintf(told, sizeof told, "process %d, reading a snapshot", index);
      box->name = name;
      expect_value(ask(index, READ_HELD), &held_then[index], index, name, "the snapshot");
      if (box->answered_revision != held_then[index].revision) wrong("the snapshot's revision");
    } else if (drawn < 735) {
      snprintf(told, sizeof told, "process %d, close and open", index);
      if (ask(index, CLOSE) != LIVERY_OK) wrong("closing");
      is_held[index] = false;
      open_in(index);
    } else if (drawn < 738) {
      snprintf(told, sizeof told, "process %d, killed", index);
      kill(processes[index], SIGKILL);
      waitpid(processes[index], NULL, 0);
      is_held[index] = false;
      start(index);
      open_in(index);
    } else {
      snprintf(told, sizeof told, "process %d, read", index);
    }
    // Somebody else looks.
    int other = (int)below(PROCESSES);
    mail[other].name = name;
    if (!has_failed) expect_value(ask(other, READ), &now, other, name, "reading");
  }
  for (int index = 0; index < PROCESSES; index++) {
    if (!has_failed && ask(index, CLOSE) != LIVERY_OK) wrong("closing");
    if (!has_failed) continue;
    kill(processes[index], SIGKILL);
    waitpid(processes[index], NULL, 0);
    start(index);
  }
  if (has_failed) {
    // Nothing of an old answer may be taken for a new one.
    for (int index = 0; index < PROCESSES; index++) {
      char bytes[16];
      fcntl(answers[index][0], F_SETFL, O_NONBLOCK);
      while (read(answers[index][0], bytes, sizeof bytes) > 0) {}
      fcntl(answers[index][0], F_SETFL, 0);
    }
  }
  remove_tree(path);
}

int main(int argc, char **argv) {
  begin_torture("model", argc, argv);
  uint64_t one = option_number("--seed", 0), seeds = one ? 1 : option_number("--seeds", 20);
  uint64_t from = one ? one : option_number("--from", 1);
  int operations = (int)option_number("--operations", 1000);
  oracle_forgets_locks = option_given("--broken");
  mail = shared_memory(sizeof *mail * PROCESSES);
  for (int index = 0; index < PROCESSES; index++) {
    if (pipe(requests[index]) != 0 || pipe(answers[index]) != 0) give_up("no pipes");
    start(index);
  }
  double began = seconds_now();
  uint64_t done = 0;
  for (seed = from; seed < from + seeds; seed++, done++) {
    run_seed(operations);
    if (findings() >= 5) break;
  }
  for (int index = 0; index < PROCESSES; index++) {
    kill(processes[index], SIGKILL);
    waitpid(processes[index], NULL, 0);
  }
  printf("model: seeds=%llu operations=%llu processes=%d errors=%llu seconds=%.1f from=%llu\n", (unsigned long long)done,
         (unsigned long long)done * (unsigned long long)operations, PROCESSES, (unsigned long long)findings(),
         seconds_now() - began, (unsigned long long)from);
  return findings() ? 1 : 0;
}
