// What is held still: each operation is set up, stops itself, and does its work when it goes on. Part of stopped.c.
#ifndef STOPPED_OPERATIONS_H
#define STOPPED_OPERATIONS_H

static livery_status open_at(const char *place, uint32_t flags, uint64_t map_size, bool copies, livery_store **store) {
  livery_open_options options = LIVERY_OPEN_OPTIONS_INIT;
  options.flags = flags;
  options.busy_timeout_ms = shared->timeout_ms;
  options.map_size = map_size;
  options.log_entries = 100;
  if (!copies) options.backup_commits = options.backup_age_s = UINT32_MAX;
  return livery_open(place, &options, store);
}

typedef struct operation {
  const char *name;
  livery_status (*work)(livery_store *store);
  bool opens_itself, is_damaged, has_no_backups, has_small_map;
  // It is held still once at each of its calls, and the file is replaced meanwhile.
  bool is_replaced;
} operation;

// The end of a commit is what is written into one of the first two pages, and the next such write of this process fails.
static bool next_end_fails;

ssize_t pwrite(int descriptor, const void *bytes, size_t length, off_t offset) {
  if (next_end_fails && length < 1000 && offset < 2 * sysconf(_SC_PAGESIZE)) {
    next_end_fails = false;
    errno = EIO;
    return -1;
  }
  return (ssize_t)syscall(SYS_pwrite64, descriptor, bytes, length, offset);
}

static livery_status do_compact(livery_store *store) { return livery_compact(store); }
static livery_status do_restore(livery_store *store) { return livery_restore(store, NULL, NULL, NULL); }
static livery_status do_backup(livery_store *store) { return livery_backup(store, NULL); }
static livery_status do_backup_file(livery_store *store) {
  char file[300];
  snprintf(file, sizeof file, "%s.backup", path);
  return livery_backup(store, file);
}
static livery_status do_check(livery_store *store) { return store ? livery_check(path, NULL) : LIVERY_OK; }
static livery_status do_open(livery_store *store) {
  (void)store;
  livery_store *mine = NULL;
  livery_status status = open_at(path, 0, 0, false, &mine);
  if (status == LIVERY_OK) status = livery_close(mine);
  return status;
}
// When there is no copy at all the last handle of a process makes one.
static livery_status do_close(livery_store *store) { return livery_close(store); }
static livery_status do_grow(livery_store *store) {
  static char text[60000];
  livery_status status = LIVERY_OK;
  memset(text, 'g', sizeof text);
  for (int index = 0; index < 16 && status == LIVERY_OK; index++) {
    char name[32];
    snprintf(name, sizeof name, "large%d", index);
    status = livery_set_string(store, LIVERY_LAYER_USER, name, text, sizeof text);
  }
  return status;
}
static livery_status do_commit(livery_store *store) {
  return livery_set_string(store, LIVERY_LAYER_USER, "scratch.commit", "committed", LIVERY_ZERO_TERMINATED);
}
// It fails, opens the file anew, covers what the first attempt left in it, and is made once more.
static livery_status do_commit_anew(livery_store *store) {
  next_end_fails = true;
  livery_status status = livery_set_int(store, LIVERY_LAYER_USER, "scratch.anew", 1);
  return next_end_fails ? LIVERY_ERROR_CONFLICT : status;
}
static livery_status do_schema(livery_store *store) {
  return livery_schema_apply(store, probe_next_json, LIVERY_ZERO_TERMINATED, NULL, NULL);
}
// Copies are made by the commits themselves.
static livery_status do_copy(livery_store *store) {
  livery_status status = LIVERY_OK;
  for (int index = 0; index < 4 && status == LIVERY_OK; index++)
    status = livery_set_int(store, LIVERY_LAYER_USER, "scratch.copy", index);
  return status;
}

static const operation operations[] = {
    {.name = "compact", .work = do_compact},
    {.name = "commit_anew", .work = do_commit_anew, .is_replaced = true},
    {.name = "restore", .work = do_restore},
    {.name = "backup", .work = do_backup},
    {.name = "backup_to_a_file", .work = do_backup_file},
    {.name = "check", .work = do_check},
    {.name = "recovery", .work = do_open, .opens_itself = true, .is_damaged = true},
    {.name = "open", .work = do_open, .opens_itself = true},
    {.name = "close_with_copy", .work = do_close, .has_no_backups = true},
    {.name = "growth", .work = do_grow, .has_small_map = true},
    {.name = "commit", .work = do_commit},
    {.name = "schema", .work = do_schema},
    {.name = "copy_after_commit", .work = do_copy, .has_no_backups = true},
};
enum { SLOTS = COUNT_OF(operations), READER_LOCK, OPERATIONS };

static livery_store *maintained;
static livery_status set_up(const operation *operation) {
  if (operation->opens_itself) return LIVERY_OK;
  livery_status status = open_at(path, 0, operation->has_small_map ? 1 << 20 : 0, operation->has_no_backups, &maintained);
  if (status == LIVERY_OK && operation->work == do_close) status = livery_set_int(maintained, LIVERY_LAYER_USER, "scratch", -1);
  return status;
}

static void maintain(const operation *operation) {
  if (set_up(operation) != LIVERY_OK) _exit(4);
  raise(SIGSTOP);
  livery_status status = operation->work(maintained);
  // It may have stood for longer than its time.
  if (status != LIVERY_OK && status != LIVERY_ERROR_BUSY && !(operation->has_small_map && status == LIVERY_ERROR_NO_SPACE))
    wrong("it gave %s in the end: %s", livery_status_name(status), livery_last_error()->message);
  _exit(0);
}

static void *take_slots(void *store) {
  livery_snapshot *held[40];
  for (;;) {
    size_t count = 0;
    while (count < COUNT_OF(held) && livery_snapshot_open(store, &held[count]) == LIVERY_OK) count++;
    while (count > 0) livery_snapshot_close(held[--count]);
  }
  return NULL;
}

static void take_slots_on(const operation *unused) {
  (void)unused;
  livery_store *store = NULL;
  pthread_t threads[6];
  if (open_at(path, 0, 0, false, &store) != LIVERY_OK) _exit(4);
  for (size_t index = 0; index < COUNT_OF(threads); index++) pthread_create(&threads[index], NULL, take_slots, store);
  pthread_join(threads[0], NULL);
}

// LMDB's lock of the readers' table, which is a mutex behind the first two words of the file.
static void hold_reader_lock(const operation *unused) {
  (void)unused;
  char file[300];
  livery_store *store = NULL;
  snprintf(file, sizeof file, "%s/lock.mdb", path);
  if (open_at(path, 0, 0, false, &store) != LIVERY_OK) _exit(4);
  int descriptor = open(file, O_RDWR | O_CLOEXEC);
  unsigned char *place = descriptor < 0 ? MAP_FAILED : mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  uint32_t magic = 0;
  // The other one has opened the store by the time when this goes on.
  raise(SIGSTOP);
  if (place != MAP_FAILED) memcpy(&magic, place, sizeof magic);
  if (magic != 0xBEEFC0DE || pthread_mutex_lock((pthread_mutex_t *)(void *)(place + 8)) != 0) _exit(6);
  raise(SIGSTOP);
  pthread_mutex_unlock((pthread_mutex_t *)(void *)(place + 8));
  _exit(0);
}

#endif
