// Two copies of the library in one process: a wheel's and the system's, or two versions. The second one that opens a store is
// refused with DUPLICATE and a sentence; other stores are fine; the first goes on working after the other has tried, whatever
// it did. Other processes write and check meanwhile: no snapshot changes, no acknowledged value is lost, nobody hangs.
//
// With --other LIBRARY the second copy is that one, of an older version perhaps, which cannot be expected to refuse: then only
// what the first copy and the other processes show is judged.
//
// A round is one try of a second copy.
//
//     two_engines [--rounds N] [--seed S] [--from SCENE] [--other LIBRARY] [--keep] [--alone] [--broken]
#include "rounds.h"

enum { HELD = 12, NEIGHBOURS = 2 };

static struct shared {
  stamps stamps;
  _Atomic uint64_t rounds, refused, accepted, separate, after, snapshots, looks, commits, separated_namespaces;
  _Atomic bool is_over;
} *shared;

static char copy_path[300];
static const char *other_library;

typedef struct held {
  livery_snapshot *snapshot;
  int64_t stamp;
} held;

typedef struct side {
  const engine *with;
  livery_store *store;
  held held[HELD];
  size_t count;
  // Of a version that cannot refuse: what it says is not judged.
  bool is_foreign;
} side;

static void must(const side *self, livery_status status, const char *call) {
  if (status != LIVERY_OK && !self->is_foreign)
    wrong_at(self->with->last_error()->message, "%s gave %d", call, (int)status);
}

static livery_status open_at(const engine *with, const char *path, livery_store **store) {
  livery_open_options options = LIVERY_OPEN_OPTIONS_INIT;
  options.flags = LIVERY_OPEN_CREATE | LIVERY_OPEN_DEFERRED;
  options.log_entries = 20;
  options.map_size = 1 << 26;
  options.busy_timeout_ms = 15000;
  options.backup_commits = options.backup_age_s = UINT32_MAX;
  return with->open(path, &options, store);
}

static void look(const side *self, const held *one) {
  doing("looking at a snapshot");
  int64_t stamp = stamp_seen(self->with, one->snapshot);
  shared->looks++;
  if (stamp != one->stamp) wrong("a snapshot with %#llx shows %#llx", (long long)one->stamp, (long long)stamp);
}

static void work(side *self, int writer, uint64_t steps) {
  for (; steps > 0 && findings() == 0; steps--) {
    switch (below(6)) {
      case 0: case 1:
        if (self->count == HELD) break;
        doing("livery_snapshot_open");
        held *fresh = &self->held[self->count];
        fresh->snapshot = NULL;
        must(self, stamp_open(self->with, self->store, &shared->stamps, &fresh->snapshot, &fresh->stamp), "livery_snapshot_open");
        self->count += fresh->snapshot != NULL;
        shared->snapshots++;
        break;
      case 2: case 3: {
        int64_t number = 0;
        doing("livery_change_commit");
        must(self, stamp_commit(self->with, self->store, &shared->stamps, writer, NULL), "livery_change_commit");
        doing("livery_get_int");
        must(self, self->with->get_int(self->store, stamp_own[writer], &number), "livery_get_int");
        if (number != shared->stamps.acknowledged[writer])
          wrong("a commit of %lld reads as %lld", (long long)shared->stamps.acknowledged[writer], (long long)number);
        shared->commits++;
        break;
      }
      case 4:
        if (self->count == 0) break;
        look(self, &self->held[--self->count]);
        doing("livery_snapshot_close");
        must(self, self->with->snapshot_close(self->held[self->count].snapshot), "livery_snapshot_close");
        break;
      default: sleep_us(below(400)); break;
    }
    if (self->count) look(self, &self->held[below(self->count)]);
  }
}

static void end(side *self) {
  while (self->count > 0) {
    look(self, &self->held[--self->count]);
    doing("livery_snapshot_close");
    must(self, self->with->snapshot_close(self->held[self->count].snapshot), "livery_snapshot_close");
  }
  doing("livery_close");
  must(self, self->with->close(self->store), "livery_close");
}

// Has a second copy try what a program would, and work in what it got.
static void try_second(side *second) {
  char path[300];
  livery_store *store = NULL;
  // For seeing the harness fail: the second copy is led to another store, and gets in.
  snprintf(path, sizeof path, option_given("--broken") ? "%s.led" : below(2) ? "%s" : "%s/.", scene_path);
  doing("livery_open of a second copy");
  livery_status status = open_at(second->with, path, &store);
  if (status == LIVERY_ERROR_DUPLICATE) {
    shared->refused++;
    if (strlen(second->with->last_error()->message) < 20) wrong("DUPLICATE without a sentence");
  } else if (!second->is_foreign) {
    wrong_at(second->with->last_error()->message, "a second copy was not refused: %d", (int)status);
  }
  if (status == LIVERY_OK) {
    // It works in it, as well as it can.
    int64_t number = 0;
    livery_snapshot *snapshot = NULL;
    shared->accepted++;
    if (second->is_foreign) {
      second->with->get_int(store, "stamp.0", &number);
      if (second->with->snapshot_open(store, &snapshot) == LIVERY_OK) second->with->snapshot_close(snapshot);
      second->with->set_int(store, LIVERY_LAYER_USER, "foreign", (int64_t)below(1000));
    }
    doing("livery_close of a second copy");
    second->with->close(store);
  }
}

static void open_another(side *second) {
  char path[300];
  livery_store *store = NULL;
  int64_t number = 0, value = (int64_t)below(1000);
  snprintf(path, sizeof path, "%s.other", scene_path);
  doing("another store, by a second copy");
  livery_status status = open_at(second->with, path, &store);
  if (status == LIVERY_OK) status = second->with->set_int(store, LIVERY_LAYER_USER, "value", value);
  if (status == LIVERY_OK) status = second->with->get_int(store, "value", &number);
  must(second, status, "another store, by a second copy,");
  if (number != value && !second->is_foreign) wrong("another store says %lld for %lld", (long long)number, (long long)value);
  doing("livery_close of another store");
  must(second, second->with->close(store), "livery_close");
  shared->separate++;
}

static void two_copies(int unused) {
  (void)unused;
  engine copy;
  // Its own C library and LMDB, or those of the program.
  bool is_apart = below(2);
  void *library = is_apart ? dlmopen(LM_ID_NEWLM, copy_path, RTLD_NOW | RTLD_LOCAL) : dlopen(copy_path, RTLD_NOW | RTLD_LOCAL);
  if (!library && is_apart) library = dlopen(copy_path, RTLD_NOW | RTLD_LOCAL);
  if (!library || !load_engine(library, &copy)) return wrong("a second copy cannot be loaded: %s", dlerror());
  shared->separated_namespaces += is_apart;
  for (uint64_t times = 1 + below(3); times > 0 && findings() == 0; times--) {
    bool is_swapped = !other_library && below(2);
    side first = {.with = is_swapped ? &copy : &linked}, second = {.with = is_swapped ? &linked : &copy};
    second.is_foreign = other_library != NULL;
    doing("livery_open");
    must(&first, open_at(first.with, scene_path, &first.store), "livery_open");
    if (!first.store) return;
    work(&first, 0, below(6));
    for (uint64_t tries = 1 + below(6); tries > 0 && findings() == 0; tries--) {
      // For comparison: it does not try.
      if (!option_given("--alone")) try_second(&second);
      work(&first, 0, below(8));
      if (below(2)) open_another(&second);
      work(&first, 0, below(6));
      shared->rounds++;
    }
    end(&first);
    // Now nobody has it open here, and the other copy may.
    doing("livery_open after the first copy");
    double limit = seconds_now() + 3;
    livery_status status;
    do {
      status = open_at(second.with, scene_path, &second.store);
      if (status == LIVERY_ERROR_DUPLICATE) sleep_us(1000);
    } while (status == LIVERY_ERROR_DUPLICATE && seconds_now() < limit);
    must(&second, status, "livery_open after the first copy has closed");
    if (status != LIVERY_OK) continue;
    if (!second.is_foreign) work(&second, 0, 4);
    doing("livery_close of the second copy");
    if (!second.is_foreign) end(&second);
    else second.with->close(second.store);
    shared->after++;
  }
}

static void neighbour(int writer) {
  side self = {.with = &linked};
  while (!shared->is_over && findings() == 0) {
    doing("livery_open");
    must(&self, open_at(self.with, scene_path, &self.store), "livery_open");
    if (!self.store) return;
    work(&self, writer, 1 + below(12));
    if (below(8) == 0) {
      doing("livery_compact");
      livery_status status = self.with->compact(self.store);
      if (status != LIVERY_ERROR_BUSY) must(&self, status, "livery_compact");
    }
    end(&self);
  }
}

static void engines(int argument) {
  two_copies(argument);
  shared->is_over = true;
}

static void look_at_end(int unused) {
  (void)unused;
  side self = {.with = &linked};
  must(&self, open_at(self.with, scene_path, &self.store), "livery_open");
  if (!self.store) return;
  work(&self, 0, 4);
  end(&self);
  must(&self, livery_check(scene_path, NULL), "livery_check at the end");
}

static void one_scene(void) {
  char other[300];
  memset(&shared->stamps, 0, sizeof shared->stamps);
  shared->is_over = false;
  crew_add("engines", engines, 0);
  for (int index = 0; index < 1 + (int)below(NEIGHBOURS); index++) crew_add("neighbour", neighbour, index + 1);
  crew_end(look_at_end);
  snprintf(other, sizeof other, "%s.other", scene_path);
  remove_tree(other);
}

// A copy of the file is a library of its own for the linker.
static void copy_library(void) {
  Dl_info facts;
  size_t length = 0;
  if (!dladdr((void *)(uintptr_t)livery_open, &facts)) give_up("no library");
  unsigned char *content = file_content(other_library ? other_library : facts.dli_fname, &length);
  snprintf(copy_path, sizeof copy_path, "%s/libsecond.so", torture_directory);
  put_file(copy_path, content, length);
  free(content);
}

int main(int argc, char **argv) {
  begin_scenes("two_engines", argc, argv);
  other_library = option_text("--other", NULL);
  shared = shared_memory(sizeof *shared);
  copy_library();
  run_scenes(one_scene, &shared->rounds, 300);
  figure("refused", shared->refused);
  figure("accepted", shared->accepted);
  figure("separate", shared->separate);
  figure("after", shared->after);
  figure("snapshots", shared->snapshots);
  figure("looks", shared->looks);
  figure("commits", shared->commits);
  figure("namespaces", shared->separated_namespaces);
  return end_scenes();
}
