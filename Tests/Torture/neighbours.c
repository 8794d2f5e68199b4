// A hostile member of the group, who may write to all files of the store: pipes, links, directories and devices where files
// are expected, files of other sizes and contents before they are opened, forged numbers in what processes share while
// they are at work. Others get a status or the right value, soon, and nothing is written outside of the store's folder.
//
//     neighbours [--rounds N] [--seed S] [--from N] [--only before|shared|mutex|told] [--broken]
//
// What nothing can be done about is left out: cutting files that are open, and forging LMDB's pages or the number of its
// last commit beside open handles. Needs to be run by root, to be another user too.
#include "attacks.h"

enum { NAMES = 10, TIMEOUT_MS = 150, SLACK_MS = 250 };

static char template[300], untouched[300];
static bool is_broken;
static livery_store *store;
static struct shared {
  _Atomic uint64_t opened, refused, stale, busy, slowest_us;
  uint32_t last;
} *shared;

// Time

static uint64_t call_began, call_waited;
// How often a call may wait where only the end of it is promised.
static unsigned patience = 1;
static void begin_call(void) {
  rounds->beat_ns = now_ns();
  call_waited = kept_waiting_ns();
  call_began = now_ns();
}

/** A call that may wait for others some times has ended. What copies and syncs has no bound of its own. */
static livery_status ended(const char *what, unsigned waits, livery_status status) {
  uint64_t took = now_ns() - call_began, waited = kept_waiting_ns() - call_waited;
  took = took > waited ? took - waited : 0;
  if (took / 1000000 > (uint64_t)waits * TIMEOUT_MS * patience + SLACK_MS)
    wrong("%s took %llu ms: %s", what, (unsigned long long)(took / 1000000), livery_status_name(status));
  if (took / 1000 > shared->slowest_us) shared->slowest_us = took / 1000;
  static const livery_status fit[] = {
    LIVERY_ERROR_BUSY, LIVERY_ERROR_IO, LIVERY_ERROR_PERMISSION, LIVERY_ERROR_GONE, LIVERY_ERROR_CORRUPT, LIVERY_ERROR_NOT_A_STORE,
    LIVERY_ERROR_NOT_FOUND, LIVERY_ERROR_FORMAT_NEWER, LIVERY_ERROR_NO_SPACE, LIVERY_ERROR_READ_ONLY, 0};
  is_fit(what, status, fit);
  if (status == LIVERY_ERROR_BUSY) shared->busy++;
  return status;
}
#define CALL(what, waits, call) (begin_call(), ended(what, waits, call))

// The honest one

static livery_status open_store(uint32_t flags) {
  livery_open_options options = LIVERY_OPEN_OPTIONS_INIT;
  options.flags = flags | LIVERY_OPEN_DEFERRED;
  options.map_size = 1 << 24;
  options.busy_timeout_ms = TIMEOUT_MS;
  options.max_readers = 64;
  options.backup_commits = below(4) ? UINT32_MAX : 1;
  store = NULL;
  livery_status status = livery_open(path, &options, &store);
  return status;
}

static const char *name_of(unsigned index) {
  static char name[16];
  snprintf(name, sizeof name, "value.%u", index);
  return name;
}

static void make_template(void) {
  snprintf(path, sizeof path, "%s", template);
  if (mkdir(path, 0770) != 0 || (is_root && chown(path, 0, TEAM) != 0) || chmod(path, 02770) != 0) give_up("%s", path);
  if (open_store(LIVERY_OPEN_CREATE | LIVERY_OPEN_GROUP) != LIVERY_OK) give_up("the store");
  for (unsigned index = 0; index < NAMES; index++) livery_set_int(store, LIVERY_LAYER_USER, name_of(index), 1000 + index);
  if (livery_backup(store, NULL) != LIVERY_OK) give_up("the backup");
  livery_close(store);
}

static void hear(const livery_event *events, size_t count, void *context) { (void)events, (void)count, (void)context; }

static void read_all(int64_t expected) {
  for (unsigned index = 0; index < NAMES; index++) {
    int64_t value = 0;
    if (CALL("get_int", 1, livery_get_int(store, name_of(index), &value)) == LIVERY_OK && value != expected + index)
      wrong("value %u is %lld and not %lld", index, (long long)value, (long long)(expected + index));
  }
}

static livery_status set_all(int64_t base) {
  livery_change *change = NULL;
  livery_status status = livery_change_begin(store, LIVERY_LAYER_USER, &change);
  for (unsigned index = 0; index < NAMES && status == LIVERY_OK; index++)
    status = livery_change_set_int(change, name_of(index), base + index);
  if (status == LIVERY_OK) status = CALL("commit", 1, livery_change_commit(change, NULL));
  if (status != LIVERY_OK) livery_change_discard(change);
  return status;
}

static void read_others(void) {
  livery_value *value = NULL;
  livery_snapshot *snapshot = NULL;
  uint64_t revision = 0;
  CALL("list", 1, livery_list(store, NULL, NULL, &value));
  livery_value_release(value);
  value = NULL;
  CALL("history", 1, livery_history(store, NULL, &value));
  livery_value_release(value);
  CALL("revision", 1, livery_revision(store, &revision));
  if (CALL("snapshot", 1, livery_snapshot_open(store, &snapshot)) == LIVERY_OK) livery_snapshot_close(snapshot);
  value = NULL;
  CALL("backups", 1, livery_backups(store, &value));
  livery_value_release(value);
}

static void use(void) {
  read_all(1000);
  read_others();
  livery_watch *watch = NULL;
  size_t count = 0;
  livery_watch_options options = LIVERY_WATCH_OPTIONS_INIT;
  options.flags = LIVERY_WATCH_DISPATCH;
  if (below(3) == 0) CALL("watch", 1, livery_watch_start(store, NULL, &options, hear, NULL, NULL, &watch));
  if (below(2)) CALL("backup", 30, livery_backup(store, NULL));
  if (below(2) && set_all(2000) == LIVERY_OK) read_all(2000);
  if (watch) CALL("dispatch", 1, livery_dispatch(store, &count));
  switch (below(4)) {
    case 0: CALL("compact", 30, livery_compact(store)); break;
    case 1: CALL("restore", 30, livery_restore(store, NULL, NULL, NULL)); break;
    default: break;
  }
  CALL("set", 1, livery_set_int(store, LIVERY_LAYER_BUNDLE, "last", 1));
}

// What lies outside, and must stay as it is

static void hash_entry(const char *file, const char *name, const struct stat *facts, void *context) {
  uint64_t *hash = context;
  *hash += hash_bytes(1, name, strlen(name)) ^ mixed(facts->st_mode) ^ mixed((uint64_t)facts->st_uid << 32 | facts->st_gid);
  if (!S_ISREG(facts->st_mode)) return;
  size_t length = 0;
  unsigned char *content = file_content(file, &length);
  *hash += hash_bytes(2, content, length);
  free(content);
}
static uint64_t hash_outside(void) {
  uint64_t hash = 0;
  visit_entries(outside, hash_entry, &hash);
  return hash;
}

static void make_outside(void) {
  char name[340];
  mkdir(untouched, 0777);
  snprintf(name, sizeof name, "%s/folder", untouched);
  mkdir(name, 0777);
  snprintf(name, sizeof name, "%s/victim", untouched);
  put_file(name, "what belongs to somebody else\n", 30);
  if (is_root && chown(name, 0, TEAM) != 0) give_up("%s", name);
  chmod(name, 0660);
}

// The hostile one

static void damage(void) {
  char file[340];
  size_t length = 0;
  snprintf(file, sizeof file, "%s/data.mdb", path);
  unsigned char *content = file_content(file, &length);
  for (size_t at = 8192; at < length; at += 4096) memset(content + at + 8, 0x5a, 24);
  put_file(file, content, length);
  free(content);
}

static void in_attacker(void (*work)(void)) {
  int status = run_child(work);
  if (status != 0) give_up("an attacker %s", ending(status));
}

static void before_opening(void) {
  copy_tree(untouched, outside);
  bool is_damaged = below(4) == 0;
  char what[160] = "";
  for (uint64_t left = 1 + (below(3) == 0); left > 0; left--) {
    attack_form = (form)below(FORMS);
    attack_target = targets[below(COUNT_OF(targets))];
    attacks_as_member = below(2);
    size_t length = strlen(what);
    snprintf(what + length, sizeof what - length, "; %s is %s", attack_target, form_names[attack_form]);
    if (is_damaged) damage(), is_damaged = false, strncat(what, ", damaged", sizeof what - strlen(what) - 1);
    in_attacker(attack);
  }
  doing("before an opening%s", what);
  uint64_t hash = hash_outside();
  livery_status status = CALL("open", 2, open_store(below(4) ? 0 : LIVERY_OPEN_READ_ONLY));
  if (status == LIVERY_OK) {
    shared->opened++;
    use();
    CALL("close", 1, livery_close(store));
  } else {
    shared->refused++;
  }
  // For seeing the harness fail: something is written through a link.
  if (is_broken && below(2)) {
    char name[340];
    snprintf(name, sizeof name, "%s/victim", outside);
    write_junk(name, 0, 8, false);
  }
  if (hash_outside() != hash) wrong("something was written outside of the folder");
}

// While it is open: what processes share. The layout is that of lvs_wake and of LMDB 0.9 on 64-bit systems.

enum { RECENT = 2048, RECENT_SIZE = 64, READER_MUTEX = 8, LAST_COMMIT = 48, WRITER_MUTEX = 64 };

static int open_shared(const char *file) {
  char name[340];
  snprintf(name, sizeof name, "%s/%s", path, file);
  int opened = open(name, O_RDWR | O_CLOEXEC);
  if (opened < 0) give_up("%s", name);
  return opened;
}
static void put_word(int file, off_t place, uint32_t word) {
  if (pwrite(file, &word, sizeof word, place) != sizeof word) give_up("forging");
}

static void forge_wake(void) {
  become_member();
  int file = open_shared("livery.wake");
  static const uint32_t words[] = {0, 1, 2, 0x7fffffff, 0x80000000, 0xffffffff};
  uint32_t recent[RECENT_SIZE / 4 * 32];
  switch (below(6)) {
    case 0: put_word(file, 8, (uint32_t)random_bits()); break;
    case 1: put_word(file, 12, words[1 + below(5)]); break;
    case 2: put_word(file, (off_t)below(2) * 4, words[below(COUNT_OF(words))]); break;
    case 3:
      for (size_t at = 0; at < COUNT_OF(recent); at++) recent[at] = below(2) ? words[below(COUNT_OF(words))] : (uint32_t)below(64);
      if (pwrite(file, recent, sizeof recent, RECENT) != sizeof recent) give_up("forging");
      break;
    case 4:
      for (off_t at = 0; at < 64; at += 4) put_word(file, at, words[below(COUNT_OF(words))]);
      break;
    default:
      for (uint64_t left = 1 + below(1024); left > 0; left--) put_word(file, (off_t)below(1024) * 4, (uint32_t)random_bits());
  }
  close(file);
}

static void open_in_another(void) {
  if (CALL("open beside", 2, open_store(0)) != LIVERY_OK) return;
  int64_t value = 0;
  CALL("get_int beside", 1, livery_get_int(store, name_of(0), &value));
  livery_status status = CALL("set beside", 1, livery_set_int(store, LIVERY_LAYER_BUNDLE, "beside", 2));
  if (status == LIVERY_OK) status = CALL("close beside", 1, livery_close(store));
}

// What is put into LMDB's lock file.
static int64_t forged_place;
static uint32_t forged_word;

/** A value may be an earlier one for a while. */
static void read_any(int64_t latest) {
  // Where each of them waits some will do.
  for (unsigned index = 0; index < (forged_word ? 2 : NAMES); index++) {
    int64_t value = 0;
    if (CALL("get_int", 1, livery_get_int(store, name_of(index), &value)) != LIVERY_OK) continue;
    int64_t base = value - (int64_t)index;
    if (base < 1000 || base > latest || base % 1000 != 0) wrong("value %u is %lld, which nobody set", index, (long long)value);
    shared->stale += base != latest;
  }
}

static void forge_shared(void) {
  doing("forging livery.wake");
  if (!is_fit("opening", open_store(0), NULL)) return;
  livery_watch *watch = NULL;
  if (below(3) == 0) CALL("watch", 1, livery_watch_start(store, NULL, NULL, hear, NULL, NULL, &watch));
  int64_t latest = 1000;
  read_any(latest);
  for (uint64_t left = 1 + below(5); left > 0; left--) {
    attacks_as_member = below(2);
    in_attacker(forge_wake);
    read_any(latest);
    if (set_all(latest + 1000) == LIVERY_OK) latest += 1000;
    read_any(latest);
    read_others();
    if (below(4) == 0) in_process(open_in_another);
    if (below(6) == 0) CALL("compact", 30, livery_compact(store));
  }
  // A second later, and after a commit, all is right.
  if (below(40) == 0) {
    sleep_us(1100000);
    set_all(latest + 1000);
    CALL("set", 1, livery_set_int(store, LIVERY_LAYER_USER, name_of(3), latest + 1003));
    if (livery_last_error()->status != LIVERY_ERROR_BUSY) read_any(latest + 1000);
  }
  CALL("close", 1, livery_close(store));
}

// In another process: closing the file here would take locks from LMDB.
static void forge_lock(void) {
  int file = open_shared("lock.mdb");
  if (forged_place == LAST_COMMIT && forged_word == 0 && pread(file, &shared->last, sizeof shared->last, LAST_COMMIT) < 0)
    give_up("reading");
  put_word(file, forged_place, forged_word);
  close(file);
}

/** The number of the last commit is 0 for a while, and others only read. */
static void forget_commit(void) {
  doing("the number of the last commit is forged to be 0");
  if (!is_fit("opening", open_store(0), NULL)) return;
  if (below(2)) read_any(1000);
  forged_place = LAST_COMMIT;
  forged_word = 0;
  in_attacker(forge_lock);
  patience = 20;
  read_any(1000);
  read_others();
  patience = 1;
  forged_word = shared->last;
  in_attacker(forge_lock);
  forged_word = 0;
  CALL("close", 1, livery_close(store));
}

static void hold_mutex(void) {
  if (below(4) == 0) return forget_commit();
  int64_t latest = 1000;
  bool is_writers = below(2);
  doing("forging LMDB's mutex");
  if (!is_fit("opening", open_store(0), NULL)) return;
  if (below(2)) read_any(latest);
  forged_place = is_writers ? WRITER_MUTEX : READER_MUTEX;
  // Of a process that is there and will not give it back.
  forged_word = (uint32_t)getppid() | (below(2) ? 0x80000000u : 0);
  doing("LMDB's mutex for %s is forged to be held", is_writers ? "writing" : "reading");
  in_attacker(forge_lock);
  if (set_all(latest + 1000) == LIVERY_OK) latest += 1000;
  read_any(latest);
  read_others();
  if (below(2)) in_process(open_in_another);
  if (below(2)) CALL("backup", 30, livery_backup(store, NULL));
  if (below(3) == 0) CALL("compact", 30, livery_compact(store));
  bool closes = below(2);
  if (closes) CALL("close", 1, livery_close(store));
  forged_word = 0;
  in_attacker(forge_lock);
  doing("after LMDB's mutex was forged");
  if (closes && !is_fit("opening", open_store(0), NULL)) return;
  if (!is_fit("setting", set_all(latest + 1000), NULL)) return;
  read_all(latest + 1000);
  CALL("close", 1, livery_close(store));
}

/** Each commit is said to have changed nothing. */
static void forge_told(void) {
  become_member();
  int file = open_shared("livery.wake");
  for (off_t index = 0; index < 32; index++) put_word(file, RECENT + index * RECENT_SIZE + 16, 0);
  close(file);
}

static int64_t other_value;
static const char *other_name;
static void set_in_another(void) {
  if (!is_fit("opening beside", open_store(0), NULL)) return;
  is_fit("setting beside", livery_set_int(store, LIVERY_LAYER_USER, other_name, other_value), NULL);
  livery_close(store);
}

static void hide_commits(void) {
  doing("forging what commits tell");
  if (!is_fit("opening", open_store(0), NULL)) return;
  unsigned index = (unsigned)below(NAMES);
  int64_t value = 0;
  for (int round = 0; round < 3; round++) livery_get_int(store, name_of(index), &value);
  static char name[16];
  snprintf(name, sizeof name, "%s", name_of(index));
  livery_store *own = store;
  other_name = name;
  other_value = 77;
  in_process(set_in_another);
  store = own;
  attacks_as_member = below(2);
  in_attacker(forge_told);
  CALL("get_int", 1, livery_get_int(store, name, &value));
  shared->stale += value != 77;
  if (value != 77 && value != 1000 + (int64_t)index) wrong("the value is %lld, which nobody set", (long long)value);
  sleep_us(1050000);
  other_name = "another";
  in_process(set_in_another);
  store = own;
  if (below(2)) in_attacker(forge_told);
  if (CALL("get_int", 1, livery_get_int(store, name, &value)) == LIVERY_OK && value != 77)
    wrong("a commit a second later does not end a stale read");
  CALL("close", 1, livery_close(store));
}

static void one_round(void) {
  const char *only = option_text("--only", NULL);
  static const struct { const char *name; void (*run)(void); } kinds[] = {
    {"before", before_opening}, {"shared", forge_shared}, {"mutex", hold_mutex}, {"told", hide_commits}};
  uint64_t chance = below(1000);
  size_t kind = chance < 720 ? 0 : chance < 980 ? 1 : chance < 992 ? 2 : 3;
  for (size_t index = 0; only && index < COUNT_OF(kinds); index++)
    if (strcmp(only, kinds[index].name) == 0) kind = index;
  copy_tree(template, path);
  kinds[kind].run();
}

int main(int argc, char **argv) {
  begin_rounds("neighbours", argc, argv, 8000);
  is_broken = option_given("--broken");
  is_root = geteuid() == 0;
  shared = shared_memory(sizeof *shared);
  chmod(torture_directory, 0755);
  snprintf(template, sizeof template, "%s/template", torture_directory);
  snprintf(outside, sizeof outside, "%s/outside", torture_directory);
  snprintf(untouched, sizeof untouched, "%s/untouched", torture_directory);
  make_outside();
  in_process(make_template);
  snprintf(path, sizeof path, "%s/store", torture_directory);
  run_rounds(one_round, 25);
  figure("opened", shared->opened);
  figure("refused", shared->refused);
  figure("busy", shared->busy);
  figure("stale", shared->stale);
  figure_ms("call_ms_max", (double)shared->slowest_us / 1000);
  return end_rounds();
}
