// A process that has the store open reads all files of its folder, as a backup tool does, has them checked, copies and hashes
// them: each closing of a file drops what POSIX locks the process had on it. Meanwhile it holds snapshots, commits and
// watches, and so do others, which open, close and compact. No snapshot may change, no commit may be lost, no two writers may
// be at it at once, and none may wait for ever.
//
// A round is one reading of the folder, or one check.
//
//     lost_locks [--rounds N] [--seed S] [--from SCENE] [--keep] [--quiet] [--broken]
#include "rounds.h"

enum { MOST = 5, HELD = 24, REVISIONS = 1 << 16 };

static struct shared {
  stamps stamps;
  _Atomic uint64_t rounds, snapshots, looks, commits, compactions, busy, opens, heard;
  // Who made a revision. Two who say so wrote at once.
  _Atomic int8_t made_by[REVISIONS];
} *shared;

typedef struct held {
  livery_snapshot *snapshot;
  int64_t stamp;
} held;

typedef struct member {
  livery_store *store;
  livery_watch *watch;
  held held[HELD];
  size_t count;
  int index;
} member;

static void must(livery_status status, const char *call) {
  if (status != LIVERY_OK) wrong("%s gave %s", call, livery_status_name(status));
}

// The folder

// Reads and closes one file, and writes it elsewhere if that is asked for.
static void read_file_of(const char *path, const char *copy) {
  static char block[1 << 16];
  int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), to = -1;
  ssize_t got;
  uint64_t hash = 0;
  if (file < 0) return;
  if (copy) to = open(copy, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  while ((got = read(file, block, sizeof block)) > 0) {
    hash = hash_bytes(hash, block, (size_t)got);
    if (to >= 0 && write(to, block, (size_t)got) != got) break;
  }
  if (to >= 0) close(to);
  close(file);
}

static void read_entry(const char *path, const char *name, const struct stat *facts, void *copy) {
  char to[600] = "";
  if (copy) snprintf(to, sizeof to, "%s/%.255s", (const char *)copy, name);
  if (copy && S_ISDIR(facts->st_mode)) mkdir(to, 0700);
  else if (S_ISREG(facts->st_mode)) read_file_of(path, copy ? to : NULL);
}

static void read_folder(const member *self) {
  char path[340];
  // For comparison: the folder is left alone.
  if (option_given("--quiet")) {
    shared->rounds++;
    return;
  }
  switch (below(6)) {
    case 0: case 1:
      doing("reading all files");
      visit_entries(scene_path, read_entry, NULL);
      break;
    case 2:
      doing("copying the folder");
      snprintf(path, sizeof path, "%s.copy%d", scene_path, self->index);
      mkdir(path, 0700);
      visit_entries(scene_path, read_entry, path);
      remove_tree(path);
      break;
    case 3: {
      static const char *const names[] = {"data.mdb", "lock.mdb", "livery.lock", "livery.wake"};
      doing("reading one file");
      snprintf(path, sizeof path, "%s/%s", scene_path, names[below(COUNT_OF(names))]);
      read_file_of(path, NULL);
      break;
    }
    case 4:
      doing("livery_check of data.mdb");
      snprintf(path, sizeof path, "%s/data.mdb", scene_path);
      must(livery_check(path, NULL), "livery_check of data.mdb");
      break;
    default:
      doing("livery_check of the folder");
      must(livery_check(scene_path, NULL), "livery_check of the folder");
      break;
  }
  shared->rounds++;
}

// The members

static void hear(const livery_event *events, size_t count, void *context) {
  uint64_t *last = context;
  for (size_t index = 0; index < count; index++) {
    if (events[index].kind == LIVERY_EVENT_INITIAL) continue;
    if (events[index].revision < *last)
      wrong("a watch hears revision %llu after %llu", (unsigned long long)events[index].revision, (unsigned long long)*last);
    *last = events[index].revision;
  }
  shared->heard += count;
}

static void look(const held *one) {
  doing("looking at a snapshot");
  int64_t stamp = stamp_seen(&linked, one->snapshot);
  shared->looks++;
  if (stamp != one->stamp)
    wrong("a snapshot with %#llx shows %#llx", (long long)one->stamp, (long long)stamp);
}

static void let_go(member *self, size_t index) {
  look(&self->held[index]);
  doing("livery_snapshot_close");
  must(livery_snapshot_close(self->held[index].snapshot), "livery_snapshot_close");
  self->held[index] = self->held[--self->count];
}

static void hold(member *self) {
  held *fresh = &self->held[self->count];
  if (self->count == HELD) return;
  doing("livery_snapshot_open");
  must(stamp_open(&linked, self->store, &shared->stamps, &fresh->snapshot, &fresh->stamp), "livery_snapshot_open");
  if (fresh->snapshot) self->count++;
  shared->snapshots++;
}

static void commit(member *self) {
  uint64_t revision = 0;
  int64_t number = 0;
  doing("livery_change_commit");
  must(stamp_commit(&linked, self->store, &shared->stamps, self->index, &revision), "livery_change_commit");
  shared->commits++;
  if (revision > 0 && revision < REVISIONS) {
    int8_t nobody = 0;
    if (!atomic_compare_exchange_strong(&shared->made_by[revision], &nobody, (int8_t)(self->index + 1)))
      wrong("revision %llu was made by %d and by %d", (unsigned long long)revision, nobody - 1, self->index);
  }
  doing("livery_get_int");
  must(livery_get_int(self->store, stamp_own[self->index], &number), "livery_get_int");
  if (number != shared->stamps.acknowledged[self->index])
    wrong("a commit of %lld reads as %lld", (long long)shared->stamps.acknowledged[self->index], (long long)number);
}

static bool open_one(member *self, uint64_t *heard) {
  livery_open_options options = LIVERY_OPEN_OPTIONS_INIT;
  options.flags = LIVERY_OPEN_CREATE | LIVERY_OPEN_DEFERRED;
  options.log_entries = 20;
  options.busy_timeout_ms = 20000;
  options.backup_commits = options.backup_age_s = UINT32_MAX;
  doing("livery_open");
  livery_status status = livery_open(scene_path, &options, &self->store);
  shared->opens++;
  must(status, "livery_open");
  if (status != LIVERY_OK) return false;
  doing("livery_watch_start");
  *heard = 0;
  if (below(3) == 0) must(livery_watch_start(self->store, "own.*", NULL, hear, heard, NULL, &self->watch), "livery_watch_start");
  return true;
}

static void close_one(member *self) {
  while (self->count > 0) let_go(self, self->count - 1);
  doing("livery_watch_stop");
  if (self->watch) must(livery_watch_stop(self->watch), "livery_watch_stop");
  self->watch = NULL;
  doing("livery_close");
  must(livery_close(self->store), "livery_close");
  self->store = NULL;
}

static void work(int index, bool reads_folder) {
  static member self;
  static uint64_t heard;
  self.index = index;
  for (int times = reads_folder ? 1 + (int)below(2) : 2 + (int)below(5); times > 0 && findings() == 0; times--) {
    if (!open_one(&self, &heard)) return;
    for (uint64_t steps = reads_folder ? 12 + below(16) : below(8); steps > 0 && findings() == 0; steps--) {
      switch (below(8)) {
        case 0: case 1: hold(&self); break;
        case 2: case 3: commit(&self); break;
        case 4:
          if (below(6) == 0) {
            doing("livery_compact");
            livery_status status = livery_compact(self.store);
            // While another one replaces the file.
            if (status == LIVERY_ERROR_BUSY) shared->busy++;
            else must(status, "livery_compact");
            shared->compactions += status == LIVERY_OK;
          }
          break;
        case 5: if (self.count) let_go(&self, (size_t)below(self.count)); break;
        default: if (reads_folder) read_folder(&self); break;
      }
      if (self.count) look(&self.held[below(self.count)]);
    }
    close_one(&self);
  }
}

static void read_and_work(int index) { work(index, true); }
static void only_work(int index) {
  sleep_us(below(3000));
  work(index, false);
}

static void look_at_end(int unused) {
  (void)unused;
  static member self;
  static uint64_t heard;
  if (!open_one(&self, &heard)) return;
  hold(&self);
  close_one(&self);
  must(livery_check(scene_path, NULL), "livery_check at the end");
}

// For seeing the harness fail: locks that belong to the process, through a library that is loaded before.
static void load_posix_locks(char **argv) {
  char self[512], library[600];
  ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
  if (length < 0 || getenv("LIVERY_POSIX_LOCKS")) return;
  self[length] = 0;
  snprintf(library, sizeof library, "%.*s/libposix_locks.so", (int)(strrchr(self, '/') - self), self);
  setenv("LD_PRELOAD", library, 1);
  setenv("LIVERY_POSIX_LOCKS", "yes", 1);
  execv("/proc/self/exe", argv);
  give_up("%s", library);
}

static void one_scene(void) {
  memset(&shared->stamps, 0, sizeof shared->stamps);
  memset((void *)shared->made_by, 0, sizeof shared->made_by);
  int readers = 1 + (int)below(2), members = readers + 1 + (int)below(MOST - 2);
  for (int index = 0; index < members; index++) crew_add("process", index < readers ? read_and_work : only_work, index);
  crew_end(look_at_end);
}

int main(int argc, char **argv) {
  torture_argc = argc;
  torture_argv = argv;
  if (option_given("--broken")) load_posix_locks(argv);
  begin_scenes("lost_locks", argc, argv);
  shared = shared_memory(sizeof *shared);
  run_scenes(one_scene, &shared->rounds, 500);
  figure("snapshots", shared->snapshots);
  figure("looks", shared->looks);
  figure("commits", shared->commits);
  figure("compactions", shared->compactions);
  figure("busy", shared->busy);
  figure("opens", shared->opens);
  figure("events", shared->heard);
  return end_scenes();
}
