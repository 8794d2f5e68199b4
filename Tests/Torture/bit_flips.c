// Flips single bits of a store's file, one at a time, opens it and reads everything: each value is the right one or an
// error, whatever the bit; nothing ends the process, nothing takes for ever. Then something is set, and all is read again.
// Every second bit has the store's own copies beside the file: then it is opened whatever the bit, and what is brought back
// has to be right as well.
//
//     bit_flips [--flips N] [--seed S] [--classes]     bits drawn at random, half of them from pages' headers
//     bit_flips --bit K [--seed S] [--keep]            one bit, counted from the start of the file
//     bit_flips --all                                  every bit
//     bit_flips --mangle …                             not one bit but worse: bytes, sectors, pages; cut short, made longer
//     bit_flips --broken                               must find something
#include "workload.h"

#include <dirent.h>
#include <sys/time.h>

enum { PAGE = 4096, NAMES_MOST = 64 };

static char place[300], data_path[340], kept_copies[340];
static unsigned char *sound;
static size_t sound_length;
static uint64_t seed;

static char *names[NAMES_MOST];
static char *expected[NAMES_MOST];
static size_t name_count, asset_count;
static char *expected_export, *expected_layers, *expected_assets;

typedef enum outcome { HARMLESS, REFUSED, RECOVERED, HELPLESS, VANISHED, WRONG, CRASHED, HUNG, OUTCOMES } outcome;
static const char *const outcome_names[OUTCOMES] = {"harmless", "refused", "recovered", "helpless", "vanished",
                                                   "wrong", "crashed", "hung"};

typedef enum region { META, BRANCH_HEADER, BRANCH, LEAF_HEADER, LEAF_OFFSETS, LEAF, OVERFLOW, FREE_PAGE, REGIONS } region;
static const char *const region_names[REGIONS] = {"meta", "branch header", "branch", "leaf header", "leaf offsets", "leaf nodes",
                                                  "overflow", "other"};

static struct shared {
  _Atomic uint64_t index, done, by_outcome[OUTCOMES], by_region[REGIONS][OUTCOMES];
  _Atomic uint64_t bit, recovered;
  _Atomic int stage;
  char what[4000];
} *shared;

static region region_of(uint64_t bit) {
  size_t page = (size_t)(bit / 8 / PAGE), offset = (size_t)(bit / 8 % PAGE);
  uint16_t flags, lower, upper;
  memcpy(&flags, sound + page * PAGE + 10, 2);
  memcpy(&lower, sound + page * PAGE + 12, 2);
  memcpy(&upper, sound + page * PAGE + 14, 2);
  if (page < 2) return META;
  if ((flags & 0x0f) == 1) return offset < 16 ? BRANCH_HEADER : BRANCH;
  if ((flags & 0x0f) == 2) return offset < 16 ? LEAF_HEADER : offset < lower ? LEAF_OFFSETS : LEAF;
  if ((flags & 0x0f) == 4 && offset < 16) return OVERFLOW;
  return FREE_PAGE;
}

static char *json_of(livery_value *value) {
  char *text = NULL;
  if (livery_value_to_json(value, 0, &text, NULL) != LIVERY_OK) return NULL;
  return text;
}

// The store that is damaged

static void make(void) {
  livery_store *store = NULL;
  unsigned version = 0;
  seed_with(seed);
  if (open_with(place, LIVERY_OPEN_CREATE, &store) != LIVERY_OK) give_up("%s", place);
  static char schema[8192];
  workload_schema(schema, sizeof schema, ++version);
  if (livery_schema_apply(store, schema, LIVERY_ZERO_TERMINATED, NULL, NULL) != LIVERY_OK) give_up("the schema");
  for (int step = 0; step < 120; step++) workload_step(store, &version);
  // What is brought back is to be what was there.
  if (livery_backup(store, NULL) != LIVERY_OK) give_up("the copy");
  livery_close(store);
}

static void learn(void) {
  livery_store *store = NULL;
  livery_value *list = NULL;
  size_t count = 0;
  if (open_with(place, 0, &store) != LIVERY_OK || livery_list(store, NULL, NULL, &list) != LIVERY_OK
      || livery_value_count(list, &count) != LIVERY_OK)
    give_up("the sound store");
  for (size_t index = 0; index < count && name_count + 1 < NAMES_MOST; index++) {
    livery_value *item = NULL, *member = NULL, *value = NULL;
    const char *name = NULL;
    livery_value_at(list, index, &item);
    livery_value_member(item, "name", &member);
    livery_value_as_string(member, &name, NULL);
    names[name_count] = strdup(name);
    expected[name_count++] = livery_get_value(store, name, &value) == LIVERY_OK ? json_of(value) : NULL;
    livery_value_release(value);
    livery_value_release(member);
    livery_value_release(item);
  }
  livery_value_release(list);
  names[name_count++] = strdup("there.is.none");
  // For seeing the harness fail.
  if (option_given("--broken")) expected[0] = strdup("\"something else\"");
  if (livery_export_json(store, 0, &expected_export, NULL) != LIVERY_OK
      || livery_export_json(store, LIVERY_EXPORT_LAYERS, &expected_layers, NULL) != LIVERY_OK
      || livery_asset_list(store, &list) != LIVERY_OK)
    give_up("the sound store");
  expected_assets = json_of(list);
  livery_value_count(list, &asset_count);
  livery_value_release(list);
  livery_close(store);
}

// Looking at a damaged one

static outcome worse(outcome a, outcome b) { return a > b ? a : b; }

__attribute__((format(printf, 1, 2))) static void note(const char *format, ...) {
  va_list list;
  va_start(list, format);
  vsnprintf(shared->what, sizeof shared->what, format, list);
  va_end(list);
}

static bool is_absence(livery_status status) { return status == LIVERY_ERROR_NOT_FOUND || status == LIVERY_ERROR_NO_VALUE; }

static outcome judge(size_t index, livery_status status, char *text, const char *how) {
  const char *right = expected[index];
  if (status == LIVERY_OK) {
    if (right && text && strcmp(text, right) == 0) return HARMLESS;
    note("%s of %s: %.80s, should be %.80s", how, names[index], text ? text : "?", right ? right : "absent");
    return WRONG;
  }
  if (is_absence(status)) {
    if (!right) return HARMLESS;
    note("%s of %s: %s", how, names[index], livery_status_name(status));
    return VANISHED;
  }
  return REFUSED;
}

// Whether the store said that it put itself right.
static void take_log(int32_t level, const char *message, void *user_data) {
  (void)level, (void)user_data;
  if (strstr(message, "brought back")) shared->recovered = 1;
}

// The copies of the sound store, as further names of the same files.
static void put_copies(void) {
  char from[700], to[700];
  DIR *copies = opendir(kept_copies);
  if (!copies) return;
  snprintf(to, sizeof to, "%s/backups", place);
  mkdir(to, 0700);
  for (struct dirent *entry; (entry = readdir(copies));) {
    if (entry->d_name[0] == '.') continue;
    snprintf(from, sizeof from, "%s/%s", kept_copies, entry->d_name);
    snprintf(to, sizeof to, "%s/backups/%s", place, entry->d_name);
    if (link(from, to) != 0) give_up("%s", to);
  }
  closedir(copies);
}

// An export says of which revision it is; one that was brought back is of a later one.
static const char *without_revision(const char *text) {
  const char *layers = strstr(text, "\"Layers\"");
  return layers ? layers : text;
}

static outcome read_assets(livery_store *store) {
  livery_value *list = NULL;
  size_t count = 0;
  shared->stage = 16;
  if (livery_asset_list(store, &list) != LIVERY_OK) return REFUSED;
  livery_value_count(list, &count);
  outcome found = count < asset_count ? VANISHED : HARMLESS;
  if (found != HARMLESS) note("%zu assets are listed, should be %zu", count, asset_count);
  for (size_t index = 0; index < count; index++) {
    livery_value *item = NULL, *member = NULL;
    livery_value_at(list, index, &item);
    char *text = json_of(item);
    if (livery_value_member(item, "damaged", &member) == LIVERY_OK) {
      found = worse(found, REFUSED);
    } else if (!text || !strstr(expected_assets, text)) {
      note("the asset %s is not among %s", text ? text : "?", expected_assets);
      found = WRONG;
    } else {
      const char *id = NULL;
      void *bytes = NULL;
      size_t length = 0;
      livery_value_member(item, "id", &member);
      livery_value_as_string(member, &id, NULL);
      livery_status status = livery_asset_get(store, id, &bytes, &length);
      if (status != LIVERY_OK) found = worse(found, status == LIVERY_ERROR_NOT_FOUND ? VANISHED : REFUSED);
      livery_free(bytes);
    }
    livery_free(text);
    livery_value_release(member);
    livery_value_release(item);
  }
  livery_value_release(list);
  return found;
}

static outcome read_all(livery_store *store) {
  outcome found = HARMLESS;
  for (size_t index = 0; index < name_count; index++) {
    livery_value *value = NULL;
    shared->stage = 10;
    livery_status status = livery_get_value(store, names[index], &value);
    char *text = status == LIVERY_OK ? json_of(value) : NULL;
    found = worse(found, judge(index, status, text, "reading"));
    livery_free(text);
    livery_value_release(value);
    value = NULL;
    shared->stage = 11;
    status = livery_inspect(store, names[index], &value);
    if (is_absence(status) && expected[index]) found = worse(found, VANISHED);
    if (status != LIVERY_OK && !is_absence(status)) found = worse(found, REFUSED);
    livery_value_release(value);
  }
  char *text = NULL;
  shared->stage = 12;
  livery_status status = livery_export_json(store, 0, &text, NULL);
  if (status != LIVERY_OK) {
    found = worse(found, REFUSED);
  } else if (strcmp(text, expected_export) != 0) {
    note("the export of what is in effect has %zu bytes, should have %zu", strlen(text), strlen(expected_export));
    found = worse(found, strlen(text) < strlen(expected_export) ? VANISHED : WRONG);
  }
  livery_free(text);
  text = NULL;
  shared->stage = 13;
  status = livery_export_json(store, LIVERY_EXPORT_LAYERS, &text, NULL);
  if (status != LIVERY_OK) {
    found = worse(found, REFUSED);
  } else if (strcmp(without_revision(text), without_revision(expected_layers)) != 0) {
    note("the export of all layers has %zu bytes, should have %zu", strlen(text), strlen(expected_layers));
    found = worse(found, strlen(text) < strlen(expected_layers) ? VANISHED : WRONG);
  }
  livery_free(text);
  found = worse(found, read_assets(store));
  livery_value *history = NULL;
  shared->stage = 14;
  if (livery_history(store, NULL, &history) != LIVERY_OK) found = worse(found, REFUSED);
  livery_value_release(history);
  livery_snapshot *snapshot = NULL;
  shared->stage = 15;
  status = livery_snapshot_open(store, &snapshot);
  if (status == LIVERY_OK) {
    char name[LIVERY_NAME_MAX + 1] = "";
    livery_value *value = NULL;
    while (livery_snapshot_next(snapshot, NULL, name, &value) == LIVERY_OK) livery_value_release(value);
    livery_snapshot_close(snapshot);
  } else {
    found = worse(found, REFUSED);
  }
  return found;
}

// The damaged file: one bit is another, or all that a number stands for.
static unsigned char *mangled;
static size_t mangled_length;
static bool is_mangling;

static void damage(uint64_t number) {
  memcpy(mangled, sound, sound_length);
  mangled_length = sound_length;
  if (!is_mangling) {
    mangled[number / 8] ^= (unsigned char)(1u << (number % 8));
    return;
  }
  uint64_t before = torture_state, pages = sound_length / PAGE;
  seed_with(number);
  for (uint64_t count = 1 + below(6); count > 0; count--) {
    unsigned char *page = mangled + below(pages) * PAGE, *other = mangled + below(pages) * PAGE;
    size_t at = below(4) ? below(PAGE) : below(96);
    switch (below(9)) {
      case 0: page[at] = (unsigned char)random_bits(); break;
      case 1: page[at] = below(2) ? 0xff : 0; break;
      case 2: for (size_t index = 0; index < 2 && at + index < PAGE; index++) page[at + index] = (unsigned char)random_bits(); break;
      case 3: for (size_t index = 0; index < 8 && at + index < PAGE; index++) page[at + index] = (unsigned char)random_bits(); break;
      case 4: memset(page + at / 512 * 512, 0, 512); break;
      case 5: for (size_t index = 0; index < 512; index++) page[at / 512 * 512 + index] = (unsigned char)random_bits(); break;
      case 6: memcpy(page, other, PAGE); break;
      case 7: memset(page, 0, PAGE); break;
      case 8: mangled_length = below(3) ? below(sound_length) : sound_length + below(3 * PAGE); break;
    }
  }
  torture_state = before;
}

static outcome look(uint64_t bit) {
  livery_store *store = NULL;
  shared->what[0] = 0;
  shared->recovered = 0;
  remove_tree(place);
  mkdir(place, 0700);
  bool has_copies = mixed(bit) & 1;
  if (has_copies) put_copies();
  damage(bit);
  put_file(data_path, mangled, mangled_length);
  shared->stage = 1;
  livery_status status = open_with(place, 0, &store);
  if (status != LIVERY_OK) {
    note("%s: %.300s", livery_status_name(status), livery_last_error()->message);
    return has_copies ? HELPLESS : REFUSED;
  }
  outcome found = read_all(store);
  // Writers meet other pages: those of free ones.
  for (int round = 0; round < 3 && found != WRONG; round++) {
    int64_t back = 0;
    shared->stage = 20;
    status = livery_set_int(store, LIVERY_LAYER_BUNDLE, "after.the.flip", round);
    if (status == LIVERY_OK) {
      status = livery_get_int(store, "after.the.flip", &back);
      if (status == LIVERY_OK && back != round) {
        note("what was set is read as %lld, should be %d", (long long)back, round);
        found = WRONG;
      }
    } else {
      found = worse(found, REFUSED);
    }
  }
  for (size_t index = 0; index < name_count; index++) {
    livery_value *value = NULL;
    shared->stage = 21;
    status = livery_get_value(store, names[index], &value);
    char *text = status == LIVERY_OK ? json_of(value) : NULL;
    found = worse(found, judge(index, status, text, "reading, after a change,"));
    livery_free(text);
    livery_value_release(value);
  }
  shared->stage = 22;
  livery_close(store);
  return shared->recovered && found == HARMLESS ? RECOVERED : found;
}

static uint64_t bit_at(uint64_t index, bool takes_all) {
  if (takes_all || is_mangling) return index;
  uint64_t bits = sound_length * 8, drawn = mixed(seed ^ mixed(index));
  if (drawn & 1) return (drawn >> 8) % bits;
  // Headers and offsets of pages, where damage does the most.
  uint64_t page = (drawn >> 8) % (sound_length / PAGE);
  return page * PAGE * 8 + mixed(drawn) % (page < 2 ? 152 * 8 : 96 * 8);
}

static void count(uint64_t bit, outcome found) {
  shared->by_outcome[found]++;
  if (!is_mangling) shared->by_region[region_of(bit)][found]++;
  shared->done++;
  if (found > RECOVERED)
    finding("bit_flips: %s %llu (%s, page %llu, byte %llu of it): %s (stage %d): %s\n  again: scripts/torture again bit_flips "
            "--seed %#llx --bit %llu%s", is_mangling ? "damage" : "bit", (unsigned long long)bit,
            is_mangling ? "anywhere" : region_names[region_of(bit)], (unsigned long long)(bit / 8 / PAGE),
            (unsigned long long)(bit / 8 % PAGE), outcome_names[found], shared->stage, shared->what,
            (unsigned long long)seed, (unsigned long long)bit, is_mangling ? " --mangle" : "");
}

int main(int argc, char **argv) {
  begin_torture("flips", argc, argv);
  seed = option_number("--seed", 1);
  uint64_t flips = option_number("--flips", 2000), one = option_number("--bit", UINT64_MAX);
  uint64_t from = option_number("--from", 0);
  bool takes_all = option_given("--all");
  double began = seconds_now();
  shared = shared_memory(sizeof *shared);
  snprintf(place, sizeof place, "%s/store", torture_directory);
  snprintf(data_path, sizeof data_path, "%s/data.mdb", place);
  int status = run_child(make);
  if (status != 0) give_up("no store: %s", ending(status));
  sound = file_content(data_path, &sound_length);
  char copies[340];
  snprintf(copies, sizeof copies, "%s/backups", place);
  snprintf(kept_copies, sizeof kept_copies, "%s/copies", torture_directory);
  if (access(copies, F_OK) == 0 && rename(copies, kept_copies) != 0) give_up("%s", copies);
  if (takes_all) flips = sound_length * 8;
  is_mangling = option_given("--mangle");
  mangled = calloc(1, sound_length + 3 * PAGE);
  shared->index = from;

  while (shared->index < from + flips && (one == UINT64_MAX || shared->done == 0)) {
    pid_t worker = fork();
    if (worker == 0) {
      remove_tree(place);
      mkdir(place, 0700);
      put_file(data_path, sound, sound_length);
      learn();
      livery_set_log_handler(take_log, NULL, NULL);
      struct itimerval limit = {{0, 0}, {10, 0}};
      while (shared->index < from + flips) {
        setitimer(ITIMER_VIRTUAL, &limit, NULL);
        uint64_t bit = one != UINT64_MAX ? one : bit_at(shared->index, takes_all);
        shared->bit = bit;
        count(bit, look(bit));
        shared->index++;
        if (one != UINT64_MAX) break;
      }
      _exit(0);
    }
    waitpid(worker, &status, 0);
    if (status == 0) break;
    bool is_hung = WIFSIGNALED(status) && WTERMSIG(status) == SIGVTALRM;
    snprintf(shared->what, sizeof shared->what, "%s", ending(status));
    count(shared->bit, is_hung ? HUNG : CRASHED);
    shared->index++;
  }
  if (option_given("--classes")) {
    for (int region = 0; region < REGIONS; region++) {
      printf("  %-14s", region_names[region]);
      for (int outcome = 0; outcome < OUTCOMES; outcome++)
        printf(" %s=%llu", outcome_names[outcome], (unsigned long long)shared->by_region[region][outcome]);
      printf("\n");
    }
  }
  printf("%s=%llu", is_mangling ? "mangled: files" : "bit_flips: flips", (unsigned long long)shared->done);
  for (int outcome = 0; outcome < OUTCOMES; outcome++)
    printf(" %s=%llu", outcome_names[outcome], (unsigned long long)shared->by_outcome[outcome]);
  printf(" file_kib=%zu seconds=%.1f seed=%#llx\n", sound_length >> 10, seconds_now() - began, (unsigned long long)seed);
  return findings() ? 1 : 0;
}
