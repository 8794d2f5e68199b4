// Where a secret is, and where it is no longer once it was replaced, reset or forgotten.
#include "secret.h"

#include <dlfcn.h>
#include <sys/file.h>
#include <sys/uio.h>

static const livery_layer user = LIVERY_LAYER_USER;

static void set(livery_store *store, const char *secret) {
  OK(livery_set_string(store, user, "password", secret, LIVERY_ZERO_TERMINATED));
}

static livery_value *history_of(livery_store *store) {
  livery_value *commits = NULL;
  OK(livery_history(store, NULL, &commits));
  return commits;
}

static bool history_tells(livery_store *store, const char *secret) {
  livery_value *commits = history_of(store);
  char *text = NULL;
  OK(livery_value_to_json(commits, 0, &text, NULL));
  bool tells = strstr(text, secret) != NULL;
  livery_free(text);
  OK(livery_value_release(commits));
  return tells;
}

TEST("a reset of a secret forgets it in the log: who and when stay, undoing is refused", reset) {
  char first[LENGTH + 1], second[LENGTH + 1];
  make_secret(first), make_secret(second);
  livery_store *store = new_store(fresh_path(), SCHEMA);
  set(store, first);
  set(store, second);
  uint64_t replaced = 0;
  OK(livery_revision(store, &replaced));
  EXPECT(history_tells(store, first));
  OK(livery_reset(store, user, "password"));
  EXPECT(!history_tells(store, first));
  EXPECT(!history_tells(store, second));
  livery_value *commits = history_of(store), *commit = NULL, *changes = NULL;
  OK(livery_value_at(commits, 0, &commit));
  OK(livery_value_member(commit, "changes", &changes));
  EXPECT_JSON("[{\"name\":\"password\",\"layer\":\"user\",\"forgotten\":true,\"secret\":true}]", changes);
  OK(livery_value_release(commit));
  OK(livery_value_release(commits));
  EXPECT_STATUS(LIVERY_ERROR_NOT_FOUND, livery_undo(store, replaced, 0, NULL));
  EXPECT_CONTAINS("`password`", livery_last_error()->message);
  EXPECT_STATUS(LIVERY_ERROR_NOT_FOUND, livery_undo(store, replaced + 1, 0, NULL));
  // What was not set before needs no value to be undone.
  uint64_t revision = 0;
  OK(livery_undo(store, replaced - 1, LIVERY_UNDO_FORCE, &revision));
  EXPECT_INT(replaced + 1, revision);
  OK(livery_close(store));
}

TEST("a logout forgets the secrets of its layer, and undoing by force brings back all else", logout) {
  char secret[LENGTH + 1], text[8] = "";
  make_secret(secret);
  livery_store *store = new_store(fresh_path(), SCHEMA);
  OK(livery_set_string(store, LIVERY_LAYER_SESSION, "password", secret, LIVERY_ZERO_TERMINATED));
  OK(livery_set_string(store, LIVERY_LAYER_SESSION, "note", "n", 1));
  livery_change *change = NULL;
  uint64_t revision = 0;
  OK(livery_change_begin(store, LIVERY_LAYER_SESSION, &change));
  OK(livery_change_reset_all(change));
  OK(livery_change_commit(change, &revision));
  EXPECT(!history_tells(store, secret));
  EXPECT_STATUS(LIVERY_ERROR_NOT_FOUND, livery_undo(store, revision, 0, NULL));
  OK(livery_undo(store, revision, LIVERY_UNDO_FORCE, NULL));
  OK(livery_get_string(store, "note", text, sizeof text, NULL));
  EXPECT_TEXT("n", text);
  EXPECT_STATUS(LIVERY_ERROR_NO_VALUE, livery_get_string(store, "password", text, sizeof text, NULL));
  OK(livery_close(store));
}

typedef struct seen {
  int count;
  char last[LENGTH + 1];
  bool has_value, has_old;
} seen;

static void note(const livery_event *events, size_t count, void *data) {
  seen *seen = data;
  for (size_t i = 0; i < count; i++) {
    const char *text = "";
    seen->has_value = events[i].new_value && livery_value_as_string(events[i].new_value, &text, NULL) == LIVERY_OK;
    seen->has_old = events[i].old_value != NULL;
    EXPECT_INT(LIVERY_EVENT_CHANGED, events[i].kind);
    snprintf(seen->last, sizeof seen->last, "%s", text);
    seen->count++;
  }
}

TEST("a watch that comes late is told what is in effect, and of each commit", watched) {
  char first[LENGTH + 1], second[LENGTH + 1];
  make_secret(first), make_secret(second);
  livery_store *store = new_store(fresh_path(), SCHEMA);
  livery_watch_options options = LIVERY_WATCH_OPTIONS_INIT;
  options.flags = LIVERY_WATCH_DISPATCH;
  seen seen = {0};
  livery_watch *watch = NULL;
  OK(livery_watch_start(store, "password", &options, note, &seen, NULL, &watch));
  set(store, first);
  OK(livery_reset(store, user, "password"));
  OK(livery_dispatch(store, NULL));
  EXPECT_INT(2, seen.count);
  EXPECT(!seen.has_value && !seen.has_old);
  set(store, first);
  set(store, second);
  OK(livery_compact(store));
  OK(livery_dispatch(store, NULL));
  EXPECT_INT(4, seen.count);
  EXPECT_TEXT(second, seen.last);
  OK(livery_watch_stop(watch));
  OK(livery_close(store));
}

TEST("nor does it leave one that a restore took away beneath another layer, of a secret by how its name begins", by_prefix) {
  NEEDS_FILES;
  char first[LENGTH + 1], second[LENGTH + 1];
  make_secret(first), make_secret(second);
  const char *path = fresh_path();
  livery_open_options options = LIVERY_OPEN_OPTIONS_INIT;
  options.flags = LIVERY_OPEN_CREATE;
  options.log_entries = 1;
  livery_store *store = NULL;
  char backup[900];
  snprintf(backup, sizeof backup, "%s.backup", path);
  OK(livery_open(path, &options, &store));
  OK(livery_claim(store, "kept.", takes_any, NULL, NULL));
  OK(livery_claim_secret(store, "kept.record."));
  OK(livery_set_string(store, user, "kept.record.a", "above", LIVERY_ZERO_TERMINATED));
  OK(livery_set_string(store, LIVERY_LAYER_BUNDLE, "kept.record.a", first, LIVERY_ZERO_TERMINATED));
  OK(livery_backup(store, backup));
  OK(livery_set_string(store, LIVERY_LAYER_BUNDLE, "kept.record.a", second, LIVERY_ZERO_TERMINATED));
  OK(livery_restore(store, backup, NULL, NULL));
  OK(livery_compact(store));
  EXPECT_INT(0, in_file(path, "data.mdb", second));
  EXPECT_INT(1, in_file(path, "data.mdb", first));
  OK(livery_close(store));
}

TEST("what a schema declares as none is no secret by how its name begins", declared) {
  NEEDS_FILES;
  for (int is_secret = 0; is_secret < 2; is_secret++) {
    char first[LENGTH + 1], second[LENGTH + 1];
    make_secret(first), make_secret(second);
    const char *path = fresh_path();
    livery_store *store = new_store(path, is_secret ? SECRET("1", "kept.name", PASSWORD, "") : SECRET("1", "kept.name", "", ""));
    OK(livery_claim(store, "kept.", takes_any, NULL, NULL));
    OK(livery_claim_secret(store, "kept."));
    OK(livery_set_string(store, user, "kept.name", first, LIVERY_ZERO_TERMINATED));
    OK(livery_set_string(store, user, "kept.name", second, LIVERY_ZERO_TERMINATED));
    OK(livery_compact(store));
    EXPECT_INT(!is_secret, in_file(path, "data.mdb", first) > 0);
    OK(livery_close(store));
  }
}

TEST("compaction leaves no former value of a secret", compacted) {
  NEEDS_FILES;
  char first[LENGTH + 1], second[LENGTH + 1];
  make_secret(first), make_secret(second);
  const char *path = fresh_path();
  livery_store *store = new_store(path, SCHEMA);
  uint64_t before = 0, after = 0;
  OK(livery_set_string(store, user, "note", "former", LIVERY_ZERO_TERMINATED));
  set(store, first);
  set(store, second);
  EXPECT(in_file(path, "data.mdb", first) > 0);
  OK(livery_revision(store, &before));
  OK(livery_compact(store));
  EXPECT_INT(0, in_file(path, "data.mdb", first));
  // What is in effect is stored once.
  EXPECT_INT(1, in_file(path, "data.mdb", second));
  OK(livery_revision(store, &after));
  EXPECT_INT(before, after);
  EXPECT(history_tells(store, "former"));
  OK(livery_reset(store, user, "password"));
  OK(livery_compact(store));
  EXPECT_INT(0, in_file(path, "data.mdb", second));
  OK(livery_close(store));
  EXPECT_INT(0, in_file(path, "data.mdb", first) + in_file(path, "data.mdb", second));
  OK(livery_check(path, NULL));
}

TEST("what is forgotten in backups is in no file, and restoring one brings back no former value", backups) {
  NEEDS_FILES;
  char first[LENGTH + 1], second[LENGTH + 1], text[LENGTH + 1];
  make_secret(first), make_secret(second);
  const char *path = fresh_path();
  livery_store *store = new_store(path, SCHEMA);
  OK(livery_set_string(store, user, "note", "kept", LIVERY_ZERO_TERMINATED));
  set(store, first);
  OK(livery_backup(store, NULL));
  set(store, second);
  OK(livery_backup(store, NULL));
  EXPECT(in_folder(path, "backups", first) > 0);
  livery_value *report = NULL, *list = NULL;
  OK(livery_forget(store, "password", LIVERY_FORGET_BACKUPS, &report));
  EXPECT_TEXT("password", member_text(report, "name"));
  OK(livery_value_member(report, "backups", &list));
  size_t count = 0;
  OK(livery_value_count(list, &count));
  EXPECT_INT(2, count);
  OK(livery_value_release(list));
  OK(livery_value_release(report));
  EXPECT_INT(0, in_file(path, "data.mdb", first));
  EXPECT_INT(0, in_folder(path, "backups", first));
  // The latest backup has the present value still: recovery can rely on it.
  EXPECT(in_folder(path, "backups", second) > 0);
  OK(livery_restore(store, NULL, NULL, NULL));
  OK(livery_get_string(store, "password", text, sizeof text, NULL));
  EXPECT_TEXT(second, text);
  OK(livery_reset(store, user, "password"));
  OK(livery_forget(store, "password", LIVERY_FORGET_BACKUPS, NULL));
  EXPECT_INT(0, in_file(path, "data.mdb", second) + in_folder(path, "backups", second));
  OK(livery_restore(store, NULL, NULL, NULL));
  EXPECT_STATUS(LIVERY_ERROR_NO_VALUE, livery_get_string(store, "password", text, sizeof text, NULL));
  OK(livery_get_string(store, "note", text, sizeof text, NULL));
  EXPECT_TEXT("kept", text);
  OK(livery_close(store));
}

TEST("a backup that is damaged is removed when a secret is forgotten", damaged_backup) {
  NEEDS_FILES;
  char secret[LENGTH + 1], file[700] = "";
  make_secret(secret);
  const char *path = fresh_path();
  livery_store *store = new_store(path, SCHEMA);
  set(store, secret);
  OK(livery_backup(store, NULL));
  livery_value *all = NULL, *one = NULL;
  OK(livery_backups(store, &all));
  OK(livery_value_at(all, 0, &one));
  snprintf(file, sizeof file, "%s", member_text(one, "path"));
  OK(livery_value_release(one));
  OK(livery_value_release(all));
  int descriptor = open(file, O_RDWR | O_CLOEXEC);
  char *bytes = NULL;
  size_t size = 0;
  bytes = read_file(file, &size);
  char *place = memmem(bytes, size, secret, LENGTH);
  if (place == NULL || pwrite(descriptor, "#", 1, place - bytes + LENGTH - 1) != 1) EXPECT(false);
  close(descriptor);
  free(bytes);
  OK(livery_reset(store, user, "password"));
  OK(livery_forget(store, "password", LIVERY_FORGET_BACKUPS, NULL));
  EXPECT(access(file, F_OK) != 0);
  OK(livery_close(store));
}

// Of a store that is copied by itself as soon as it is opened.
static livery_store *open_copied(const char *path, uint32_t busy_timeout_ms) {
  livery_store *store = NULL;
  livery_open_options options = LIVERY_OPEN_OPTIONS_INIT;
  options.busy_timeout_ms = busy_timeout_ms;
  OK(livery_open(path, &options, &store));
  return store;
}

TEST("a copy that is being made by itself keeps nothing that is forgotten meanwhile", copied_meanwhile) {
  NEEDS_FILES;
  static char text[4000];
  char secret[LENGTH + 1], kept[LENGTH + 1], name[32];
  make_secret(secret), make_secret(kept);
  memset(text, 'x', sizeof text - 1);
  const char *path = fresh_path();
  livery_store *store = open_store(path);
  set(store, secret);
  livery_change *change = NULL;
  OK(livery_change_begin(store, user, &change));
  for (int i = 0; i < 4000; i++) {
    snprintf(name, sizeof name, "large.%d", i);
    OK(livery_change_set_string(change, name, text, LIVERY_ZERO_TERMINATED));
  }
  OK(livery_change_commit(change, NULL));
  OK(livery_set_string(store, user, "note", kept, LIVERY_ZERO_TERMINATED));
  OK(livery_close(store));
  store = open_copied(path, 30000);
  OK(livery_reset(store, user, "password"));
  OK(livery_forget(store, "password", LIVERY_FORGET_BACKUPS, NULL));
  EXPECT_INT(0, in_file(path, "data.mdb", secret) + in_folder(path, "backups", secret));
  OK(livery_close(store));
  EXPECT(in_folder(path, "backups", kept) > 0);
  EXPECT_INT(0, in_file(path, "data.mdb", secret) + in_folder(path, "backups", secret));
}

TEST("what a killed process has begun to copy goes with what is forgotten, and a copy that goes on is waited for", begun_copies) {
  NEEDS_FILES;
  char secret[LENGTH + 1], folder[500], left[600];
  make_secret(secret);
  const char *path = fresh_path();
  livery_store *store = new_store(path, SCHEMA), *hasty = open_store_with(path, 0, 50);
  set(store, secret);
  OK(livery_backup(store, NULL));
  snprintf(folder, sizeof folder, "%s/backups", path);
  snprintf(left, sizeof left, "%s/.0123456789abcdef.tmp", folder);
  FILE *file = fopen(left, "w");
  EXPECT(file && fputs(secret, file) >= 0);
  if (file) fclose(file);
  OK(livery_reset(store, user, "password"));
  int copying = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  EXPECT_INT(0, flock(copying, LOCK_SH | LOCK_NB));
  OK(livery_backup(store, NULL));
  EXPECT_STATUS(LIVERY_ERROR_BUSY, livery_forget(hasty, "password", LIVERY_FORGET_BACKUPS, NULL));
  EXPECT_CONTAINS("backups: a backup was being made or changed for longer than 50 ms", livery_last_error()->message);
  EXPECT_INT(0, flock(copying, LOCK_EX | LOCK_NB));
  EXPECT_STATUS(LIVERY_ERROR_BUSY, livery_backup(hasty, NULL));
  close(copying);
  OK(livery_forget(hasty, "password", LIVERY_FORGET_BACKUPS, NULL));
  EXPECT(access(left, F_OK) != 0);
  EXPECT_INT(0, in_file(path, "data.mdb", secret) + in_folder(path, "backups", secret));
  OK(livery_close(hasty));
  OK(livery_close(store));
}

TEST("what is forgotten goes by its former name as well", renamed) {
  NEEDS_FILES;
  static const char before[] =
    "{\"Version\":1,\"Groups\":[{\"Title\":\"G\",\"Settings\":[{\"Type\":\"TextField\",\"Title\":\"P\",\"Key\":\"pin\",\"Class\":[\"Password\"]}]}]}";
  static const char after[] =
    "{\"Version\":2,\"Groups\":[{\"Title\":\"G\",\"Settings\":[{\"Type\":\"TextField\",\"Title\":\"P\",\"Key\":\"code\",\"Class\":[\"Password\"],"
    "\"Aliases\":[\"pin\"]}]}],\"Migrations\":[{\"To\":2,\"Steps\":[{\"Op\":\"rename\",\"From\":\"pin\",\"Into\":\"code\"}]}]}";
  const char *const names[] = {"pin", "code"};
  for (int which = 0; which < 2; which++) {
    char secret[LENGTH + 1];
    make_secret(secret);
    const char *path = fresh_path();
    livery_store *store = new_store(path, before);
    OK(livery_set_string(store, user, "pin", secret, LIVERY_ZERO_TERMINATED));
    // Makes a backup.
    OK(livery_schema_apply(store, after, LIVERY_ZERO_TERMINATED, NULL, NULL));
    EXPECT(in_folder(path, "backups", secret) > 0);
    OK(livery_reset(store, user, "code"));
    livery_value *report = NULL;
    OK(livery_forget(store, names[which], LIVERY_FORGET_BACKUPS, &report));
    EXPECT_TEXT("code", member_text(report, "name"));
    OK(livery_value_release(report));
    EXPECT_INT(0, in_folder(path, "backups", secret) + in_file(path, "data.mdb", secret));
    OK(livery_close(store));
    OK(livery_check(path, NULL));
  }
}

TEST("forgetting refuses what it does not know", refused) {
  const char *path = fresh_path();
  livery_store *store = new_store(path, SCHEMA);
  EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT, livery_forget(store, "password", 2, NULL));
  EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT, livery_forget(store, NULL, 0, NULL));
  EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT, livery_forget(NULL, "password", 0, NULL));
  EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT, livery_forget(store, "a\nb", 0, NULL));
  OK(livery_forget(store, "unknown", LIVERY_FORGET_BACKUPS, NULL));
  OK(livery_close(store));
  EXPECT_STATUS(LIVERY_ERROR_CLOSED, livery_forget(store, "password", 0, NULL));
  store = open_store_with(path, LIVERY_OPEN_READ_ONLY, 0);
  EXPECT_STATUS(LIVERY_ERROR_READ_ONLY, livery_forget(store, "password", 0, NULL));
  OK(livery_close(store));
}

// How often the memory of a stopped process holds a secret that it can write to.
static int in_memory(pid_t process, const char *secret) {
  char name[64], line[512];
  snprintf(name, sizeof name, "/proc/%d/maps", (int)process);
  FILE *maps = fopen(name, "re");
  int count = 0;
  while (maps && fgets(line, sizeof line, maps)) {
    unsigned long start = 0, end = 0;
    char mode[8] = "";
    if (sscanf(line, "%lx-%lx %7s", &start, &end, mode) != 3 || mode[1] != 'w' || strstr(line, ".mdb")) continue;
    enum { CHUNK = 1 << 20 };
    static char bytes[CHUNK + LENGTH];
    for (unsigned long place = start; place < end; place += CHUNK) {
      struct iovec own = {bytes, sizeof bytes < end - place ? sizeof bytes : end - place}, other = {(void *)place, own.iov_len};
      ssize_t size = process_vm_readv(process, &own, 1, &other, 1, 0);
      if (size > 0) {
        int found = count_in(bytes, (size_t)size, secret);
        count += found;
        if (found && getenv("LIVERY_VERBOSE")) fprintf(stderr, "%d in %s", found, line);
      }
    }
  }
  if (maps) fclose(maps);
  return count;
}

TEST("after close no memory of the process holds a secret", memory) {
  NEEDS_FILES;
  // The library of the package build leaves memory to the Swift runtime, which does not wipe it.
  if (dlsym(RTLD_DEFAULT, "swift_retain")) SKIP("the package build does not wipe what it frees");
  const char *path = fresh_path();
  int channel[2];
  if (pipe(channel) != 0) abort();
  pid_t child = fork();
  if (child == 0) {
    char secret[LENGTH + 1], text[LENGTH + 1];
    livery_store *store = new_store(path, SCHEMA);
    for (int round = 0; round < 2; round++) {
      make_secret(secret);
      if (write(channel[1], secret, LENGTH) != LENGTH) abort();
      set(store, secret);
      OK(livery_get_string(store, "password", text, sizeof text, NULL));
      explicit_bzero(secret, sizeof secret);
      explicit_bzero(text, sizeof text);
      livery_value *value = NULL;
      OK(livery_inspect(store, "password", &value));
      OK(livery_value_release(value));
    }
    OK(livery_reset(store, user, "password"));
    OK(livery_compact(store));
    OK(livery_close(store));
    raise(SIGSTOP);
    _exit(check_failures != 0);
  }
  close(channel[1]);
  int status = 0;
  waitpid(child, &status, WUNTRACED);
  for (int round = 0; round < 2; round++) {
    char secret[LENGTH + 1] = "";
    EXPECT_INT(LENGTH, read(channel[0], secret, LENGTH));
    EXPECT_INT(0, in_memory(child, secret));
  }
  close(channel[0]);
  kill(child, SIGCONT);
  waitpid(child, &status, 0);
  EXPECT_INT(0, status);
}
