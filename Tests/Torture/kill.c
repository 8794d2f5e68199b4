// Kills processes at random moments with SIGKILL, while others go on: writers, readers, programs that open and make
// stores, and one that upgrades the schema and moves a value by it. What a commit has acknowledged must be there afterwards, what is there must
// belong together, and another writer must get on at once.
//
//     kill [--kills N] [--seed S] [--keep] [--broken]
#include "torture.h"

enum { WRITERS = 3, READERS = 1, OPENERS = 1, UPGRADERS = 1, PROCESSES = WRITERS + READERS + OPENERS + UPGRADERS };

typedef enum role { WRITER, READER, OPENER, UPGRADER } role;

// Shared by all processes. A commit is intended before it is begun and acknowledged after it has returned.
typedef struct slot {
  _Atomic int64_t intended, acknowledged;
  _Atomic uint64_t rounds;
} slot;
static struct shared {
  slot slots[PROCESSES];
  // When the first commit after a kill was acknowledged.
  _Atomic uint64_t first_acknowledged;
  _Atomic uint64_t commits, snapshots, opens, made, upgrades;
} *shared;

static char path[256];
static uint64_t seed;
// For seeing the harness fail: what is not committed yet counts as acknowledged.
static bool is_broken;

static uint64_t now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void wrong(const char *what, int index, int64_t value) {
  const slot *slot = &shared->slots[index];
  finding("kill: process %d: %s: %lld, acknowledged %lld, intended %lld (%s)\n  again: scripts/torture again kill --seed %#llx --keep", index,
          what, (long long)value, (long long)slot->acknowledged, (long long)slot->intended,
          livery_last_error()->message, (unsigned long long)seed);
}

static const char *name_of(int index, char part) {
  static char names[4][32];
  static int next;
  char *name = names[next++ % 4];
  snprintf(name, sizeof names[0], "writer%d.%c", index, part);
  return name;
}

/** The text that belongs to a number: up to 3,000 bytes, so that some records take pages of their own. */
static size_t text_for(int index, int64_t number, char text[4096]) {
  uint64_t bits = mixed((uint64_t)number * 31 + (uint64_t)index);
  size_t length = (size_t)snprintf(text, 64, "%d/%lld/", index, (long long)number);
  size_t whole = length + (bits % 8 ? bits % 60 : bits % 3000);
  for (; length < whole; length++) text[length] = (char)('a' + (bits >> (length % 40)) % 26);
  return whole;
}

// One layer's three values of a writer were committed together.
static bool belongs(int index, int64_t a, int64_t b, const char *text, size_t length) {
  char expected[4096];
  if (a == 0 && b == 0 && length == 0) return true;
  return a == b && text_for(index, a, expected) == length && memcmp(text, expected, length) == 0;
}

static int64_t snapshot_number(livery_snapshot *snapshot, const char *name) {
  livery_value *value = NULL;
  int64_t number = -1;
  if (livery_snapshot_get(snapshot, name, &value) != LIVERY_OK || livery_value_as_int(value, &number) != LIVERY_OK)
    number = -1;
  livery_value_release(value);
  return number;
}

/** The number that a writer's settings hold in a snapshot, after looking whether they agree. */
static int64_t check_writer(livery_snapshot *snapshot, int index) {
  livery_value *value = NULL;
  const char *text = "";
  size_t length = 0;
  int64_t a = snapshot_number(snapshot, name_of(index, 'a')), b = snapshot_number(snapshot, name_of(index, 'b'));
  if (livery_snapshot_get(snapshot, name_of(index, 't'), &value) != LIVERY_OK
      || livery_value_as_string(value, &text, &length) != LIVERY_OK)
    wrong("a text cannot be read", index, a);
  if (a < 0 || !belongs(index, a, b, text, length)) wrong("a commit is there in part", index, a);
  livery_value_release(value);
  return a;
}

/** Looks at all writers: nothing acknowledged is missing, nothing is there that nobody intended. */
static void check_all(livery_store *store, int64_t last[WRITERS]) {
  livery_snapshot *snapshot = NULL;
  int64_t acknowledged[WRITERS];
  for (int index = 0; index < WRITERS; index++) acknowledged[index] = shared->slots[index].acknowledged;
  if (livery_snapshot_open(store, &snapshot) != LIVERY_OK) return wrong("no snapshot", 0, -1);
  for (int index = 0; index < WRITERS; index++) {
    int64_t number = check_writer(snapshot, index);
    if (number < acknowledged[index]) wrong("an acknowledged commit is lost", index, number);
    if (number > shared->slots[index].intended) wrong("a value that nobody set", index, number);
    if (number < last[index]) wrong("a value went back", index, number);
    last[index] = number;
  }
  livery_snapshot_close(snapshot);
}

static livery_store *opened(const char *place, uint32_t flags, int index) {
  livery_store *store = NULL;
  if (open_with(place, flags, &store) != LIVERY_OK) {
    wrong("the store does not open", index, -1);
    _exit(1);
  }
  return store;
}

static void write_on(int index) {
  slot *slot = &shared->slots[index];
  livery_store *store = opened(path, 0, index);
  int64_t last[WRITERS] = {0};
  check_all(store, last);
  // A commit under way when the process was killed may have been made or not.
  int64_t number = last[index];
  if (number < slot->acknowledged || number > slot->intended) wrong("an acknowledged commit is lost", index, number);
  for (;;) {
    livery_change *change = NULL;
    char text[4096];
    size_t length = text_for(index, ++number, text);
    slot->intended = number;
    if (is_broken) slot->acknowledged = number;
    livery_status status = livery_change_begin(store, LIVERY_LAYER_USER, &change);
    if (status == LIVERY_OK) status = livery_change_set_int(change, name_of(index, 'a'), number);
    if (status == LIVERY_OK) status = livery_change_set_int(change, name_of(index, 'b'), number);
    if (status == LIVERY_OK) status = livery_change_set_string(change, name_of(index, 't'), text, length);
    if (status == LIVERY_OK) status = livery_change_commit(change, NULL);
    if (status != LIVERY_OK) {
      wrong("a commit failed", index, number);
      _exit(1);
    }
    slot->acknowledged = number;
    uint64_t none = 0;
    atomic_compare_exchange_strong(&shared->first_acknowledged, &none, now_ns());
    shared->commits++;
    slot->rounds++;
    if (below(4) == 0) sleep_us(below(300));
  }
}

static void read_on(int index) {
  livery_store *store = opened(path, below(2) ? LIVERY_OPEN_READ_ONLY : 0, index);
  int64_t last[WRITERS] = {0};
  for (;;) {
    check_all(store, last);
    for (int writer = 0; writer < WRITERS; writer++) {
      int64_t number = 0, acknowledged = shared->slots[writer].acknowledged;
      if (livery_get_int(store, name_of(writer, 'b'), &number) != LIVERY_OK) wrong("a read failed", writer, -1);
      if (number < acknowledged) wrong("an acknowledged commit is not seen", writer, number);
    }
    shared->snapshots++;
    shared->slots[index].rounds++;
    sleep_us(below(500));
  }
}

// Opens the store again and again, and makes stores of its own.
static void open_on(int index) {
  slot *slot = &shared->slots[index];
  char own[300];
  snprintf(own, sizeof own, "%s-made", path);
  for (;;) {
    livery_store *store = opened(path, LIVERY_OPEN_CREATE, index);
    int64_t last[WRITERS] = {0};
    check_all(store, last);
    livery_close(store);
    shared->opens++;

    // What was killed while it made a store leaves something that opens, with what it had acknowledged.
    store = opened(own, LIVERY_OPEN_CREATE, index);
    int64_t number = 0;
    livery_status status = livery_get_int(store, "stage", &number);
    if (slot->acknowledged > 0 && (status != LIVERY_OK || number < slot->acknowledged))
      wrong("a new store lost what it had", index, status == LIVERY_OK ? number : -status);
    for (int64_t stage = number + 1; stage <= number + 3; stage++) {
      slot->intended = stage;
      if (livery_set_int(store, LIVERY_LAYER_USER, "stage", stage) != LIVERY_OK) wrong("a new store", index, stage);
      slot->acknowledged = stage;
    }
    livery_close(store);
    if (below(2)) {
      slot->acknowledged = 0;
      remove_tree(own);
    }
    shared->made++;
    slot->rounds++;
  }
}

static void put_schema(char schema[8192], int64_t version) {
  int length = snprintf(schema, 8192, "{\"Version\": %lld, \"Groups\": [{\"Title\": \"All\", \"Settings\": [",
                        (long long)version);
  for (int index = 0; index < WRITERS; index++)
    length += snprintf(schema + length, 8192 - (size_t)length,
                       "{\"Type\": \"Number\", \"Format\": \"integer\", \"Title\": \"A\", \"Key\": \"%s\", \"Value\": 0},"
                       "{\"Type\": \"Number\", \"Format\": \"integer\", \"Title\": \"B\", \"Key\": \"%s\", \"Value\": 0},"
                       "{\"Type\": \"TextField\", \"Title\": \"T\", \"Key\": \"%s\", \"Value\": \"\"},",
                       name_of(index, 'a'), name_of(index, 'b'), name_of(index, 't'));
  snprintf(schema + length, 8192 - (size_t)length,
           "{\"Type\": \"Number\", \"Format\": \"integer\", \"Title\": \"V\", \"Key\": \"version\", \"Value\": %lld},"
           "{\"Type\": \"TextField\", \"Title\": \"V\", \"Key\": \"only%lld\", \"Value\": \"new\"},"
           "{\"Type\": \"TextField\", \"Title\": \"C\", \"Key\": \"cargo%lld\"}]}], \"Migrations\": [{\"To\": %lld, \"Steps\": "
           "[{\"Op\": \"rename\", \"From\": \"cargo%lld\", \"Into\": \"cargo%lld\"}]}]}",
           (long long)version, (long long)version, (long long)version, (long long)version, (long long)version - 1,
           (long long)version);
}

static void upgrade_on(int index) {
  slot *slot = &shared->slots[index];
  livery_store *store = opened(path, 0, index);
  for (;;) {
    uint64_t version = 0;
    int64_t number = 0;
    char schema[8192], only[32], cargo[32], text[8], carried[8] = "";
    if (livery_schema_version(store, &version) != LIVERY_OK || livery_get_int(store, "version", &number) != LIVERY_OK)
      wrong("no schema", index, -1);
    snprintf(only, sizeof only, "only%lld", (long long)number);
    snprintf(cargo, sizeof cargo, "cargo%lld", (long long)number);
    if ((int64_t)version != number || livery_get_string(store, only, text, sizeof text, NULL) != LIVERY_OK
        || livery_get_string(store, cargo, carried, sizeof carried, NULL) != LIVERY_OK || strcmp(carried, "gold") != 0)
      wrong("an upgrade is there in part", index, number);
    if (number < slot->acknowledged || number > slot->intended) wrong("an upgrade is lost", index, number);
    slot->intended = number + 1;
    put_schema(schema, number + 1);
    if (livery_schema_apply(store, schema, LIVERY_ZERO_TERMINATED, NULL, NULL) != LIVERY_OK) {
      wrong("an upgrade failed", index, number + 1);
      _exit(1);
    }
    slot->acknowledged = number + 1;
    shared->upgrades++;
    slot->rounds++;
    sleep_us(below(3000));
  }
}

static role role_of(int index) {
  return index < WRITERS ? WRITER : index < WRITERS + READERS ? READER : index < WRITERS + READERS + OPENERS ? OPENER : UPGRADER;
}

static pid_t start(int index) {
  uint64_t own = random_bits();
  pid_t child = fork();
  if (child != 0) return child;
  seed_with(own);
  switch (role_of(index)) {
    case WRITER: write_on(index); break;
    case READER: read_on(index); break;
    case OPENER: open_on(index); break;
    case UPGRADER: upgrade_on(index); break;
  }
  _exit(0);
}

// In a process of its own, so that this one never opens the store and its children inherit nothing.
static void in_child(void (*work)(void)) {
  int status = run_child(work);
  if (status != 0) finding("kill: a process %s", ending(status));
}

static void make(void) {
  char schema[8192];
  put_schema(schema, 1);
  livery_store *store = opened(path, LIVERY_OPEN_CREATE, 0);
  if (livery_schema_apply(store, schema, LIVERY_ZERO_TERMINATED, NULL, NULL) != LIVERY_OK
      || livery_set_string(store, LIVERY_LAYER_USER, "cargo1", "gold", 4) != LIVERY_OK)
    give_up("the schema");
  livery_close(store);
}

static void check_at_end(void) {
  int64_t last[WRITERS] = {0};
  livery_store *store = opened(path, 0, 0);
  check_all(store, last);
  livery_status status = LIVERY_OK;
  if (digest_of(store, &status) == 0) wrong("the store cannot be read to the end", 0, status);
  livery_close(store);
}

static int by_value(const void *left, const void *right) {
  double a = *(const double *)left, b = *(const double *)right;
  return (a > b) - (a < b);
}

int main(int argc, char **argv) {
  begin_torture("kill", argc, argv);
  uint64_t kills = option_number("--kills", 500), killed = 0, of[4] = {0}, largest = 0;
  seed = option_number("--seed", fresh_seed());
  seed_with(seed);
  is_broken = option_given("--broken");
  snprintf(path, sizeof path, "%s/store", torture_directory);
  shared = shared_memory(sizeof *shared);
  shared->slots[PROCESSES - 1].intended = 1;
  in_child(make);

  double began = seconds_now(), *takeovers = calloc(kills + 1, sizeof *takeovers);
  size_t takeover_count = 0;
  pid_t children[PROCESSES];
  for (int index = 0; index < PROCESSES; index++) children[index] = start(index);
  while (killed < kills && findings() == 0) {
    static const int victims[] = {0, 1, 2, 0, 1, 2, WRITERS, WRITERS + READERS, WRITERS + READERS, PROCESSES - 1};
    int victim = victims[below(COUNT_OF(victims))];
    uint64_t rounds = shared->slots[victim].rounds;
    // Half of them while they are starting, half when they have got on.
    if (below(2)) {
      double limit = seconds_now() + 20;
      while (shared->slots[victim].rounds == rounds && seconds_now() < limit && findings() == 0) sleep_us(100);
      if (seconds_now() >= limit) finding("kill: process %d does not get on\n  again: scripts/torture again kill --seed %#llx", victim,
                                          (unsigned long long)seed);
    }
    sleep_us(below(2500));
    kill(children[victim], SIGKILL);
    uint64_t moment = now_ns();
    shared->first_acknowledged = 0;
    int status = 0;
    waitpid(children[victim], &status, 0);
    if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGKILL) finding("kill: process %d %s", victim, ending(status));
    killed++;
    of[role_of(victim)]++;
    double limit = seconds_now() + 20;
    while (shared->first_acknowledged == 0 && findings() == 0) {
      if (seconds_now() > limit) finding("kill: no writer got on within 20 s of a kill\n  again: scripts/torture again kill --seed %#llx",
                                         (unsigned long long)seed);
      sleep_us(50);
    }
    uint64_t first = shared->first_acknowledged;
    takeovers[takeover_count++] = first > moment ? (double)(first - moment) / 1e6 : 0;
    children[victim] = start(victim);
    if (killed % 500 == 0) {
      struct stat facts;
      char file[300];
      snprintf(file, sizeof file, "%s/data.mdb", path);
      if (stat(file, &facts) == 0 && (uint64_t)facts.st_size > largest) largest = (uint64_t)facts.st_size;
      // Dead readers must not keep pages for ever.
      if (largest > 64 << 20) finding("kill: the file has grown to %llu bytes", (unsigned long long)largest);
    }
  }
  for (int index = 0; index < PROCESSES; index++) {
    kill(children[index], SIGKILL);
    waitpid(children[index], NULL, 0);
  }
  in_child(check_at_end);
  qsort(takeovers, takeover_count, sizeof *takeovers, by_value);
  printf("kill: kills=%llu writers_killed=%llu readers_killed=%llu openers_killed=%llu upgraders_killed=%llu commits=%llu "
         "snapshots=%llu opens=%llu stores_made=%llu upgrades=%llu errors=%llu takeover_ms_median=%.2f "
         "takeover_ms_p99=%.2f takeover_ms_max=%.2f file_kib_max=%llu seconds=%.1f seed=%#llx\n",
         (unsigned long long)killed, (unsigned long long)of[WRITER], (unsigned long long)of[READER],
         (unsigned long long)of[OPENER], (unsigned long long)of[UPGRADER], (unsigned long long)shared->commits,
         (unsigned long long)shared->snapshots, (unsigned long long)shared->opens, (unsigned long long)shared->made,
         (unsigned long long)shared->upgrades, (unsigned long long)findings(),
         takeover_count ? takeovers[takeover_count / 2] : 0, takeover_count ? takeovers[takeover_count * 99 / 100] : 0,
         takeover_count ? takeovers[takeover_count - 1] : 0, (unsigned long long)(largest >> 10),
         seconds_now() - began, (unsigned long long)seed);
  return findings() ? 1 : 0;
}
