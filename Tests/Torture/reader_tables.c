// Processes that ask for reader tables and maps of different sizes open one store in any order, hold more snapshots than the
// small tables have room for, and commit and compact meanwhile. The first to open decides how many there may be; the others
// get BUSY when the table is full. A snapshot goes on showing what it showed, and nobody crashes.
//
// A round is one opener with its snapshots.
//
//     reader_tables [--rounds N] [--seed S] [--from SCENE] [--keep] [--equal] [--broken]
#include "rounds.h"

enum { MOST = 7, HELD = 320 };

static struct shared {
  stamps stamps;
  _Atomic uint64_t rounds, snapshots, looks, commits, compactions, full, no_space;
  _Atomic bool is_over;
} *shared;

typedef struct held {
  livery_snapshot *snapshot;
  int64_t stamp;
  uint64_t revision;
} held;

// A table that is full is BUSY; a map that cannot grow while snapshots hold it is NO_SPACE for commits. Nothing else is fine.
static bool accept(livery_status status, bool writes, const char *call) {
  if (status == LIVERY_OK) return true;
  if (status == LIVERY_ERROR_BUSY) shared->full++;
  else if (status == LIVERY_ERROR_NO_SPACE && writes) shared->no_space++;
  else wrong("%s gave %s", call, livery_status_name(status));
  return false;
}

static void look(const held *one) {
  uint64_t revision = 0;
  doing("looking at a snapshot");
  int64_t stamp = stamp_seen(&linked, one->snapshot);
  shared->looks++;
  if (livery_snapshot_revision(one->snapshot, &revision) != LIVERY_OK || revision != one->revision || stamp != one->stamp)
    wrong("a snapshot of revision %llu with %#llx shows revision %llu with %#llx", (unsigned long long)one->revision,
          (long long)one->stamp, (unsigned long long)revision, (long long)stamp);
}

static void let_go(held *all, size_t *count, size_t index) {
  look(&all[index]);
  doing("livery_snapshot_close");
  if (livery_snapshot_close(all[index].snapshot) != LIVERY_OK) wrong("a snapshot does not close");
  all[index] = all[--*count];
}

static void open_and_hold(int index) {
  static const uint32_t sizes[] = {8, 8, 64, 64, 126, 1024, 0};
  livery_open_options options = LIVERY_OPEN_OPTIONS_INIT;
  options.flags = LIVERY_OPEN_CREATE | (below(3) ? 0 : LIVERY_OPEN_DEFERRED);
  options.max_readers = below(4) ? sizes[below(COUNT_OF(sizes))] : (uint32_t)(8 + below(2000));
  options.map_size = below(3) ? (uint64_t)1 << (22 + below(9)) : (uint64_t)((4 << 20) + below(60 << 20));
  // For comparison: all ask for the same.
  if (option_given("--equal")) options.max_readers = 4096, options.map_size = 1 << 28;
  options.busy_timeout_ms = 2000;
  options.log_entries = 20;
  options.backup_commits = options.backup_age_s = UINT32_MAX;
  static held all[HELD];
  size_t count = 0, most = below(3) ? 4 + below(40) : HELD;
  livery_store *store = NULL;
  sleep_us(below(6000));
  doing("livery_open");
  if (!accept(livery_open(scene_path, &options, &store), false, "livery_open")) return;
  for (uint64_t steps = 8 + below(16); steps > 0 && findings() == 0; steps--) {
    switch (below(8)) {
      case 0: case 1: case 2:
        for (uint64_t more = 1 + below(most); more > 0 && count < most; more--) {
          held *fresh = &all[count];
          doing("livery_snapshot_open");
          if (!accept(stamp_open(&linked, store, &shared->stamps, &fresh->snapshot, &fresh->stamp), false,
                      "livery_snapshot_open"))
            break;
          if (livery_snapshot_revision(fresh->snapshot, &fresh->revision) != LIVERY_OK) wrong("a snapshot without a revision");
          shared->snapshots++;
          count++;
        }
        break;
      case 3: case 4: case 5:
        for (uint64_t more = 1 + below(8); more > 0; more--) {
          doing("livery_change_commit");
          shared->commits += accept(stamp_commit(&linked, store, &shared->stamps, index, NULL), true, "livery_change_commit");
        }
        break;
      case 6:
        if (below(4)) {
          for (uint64_t fewer = below(count + 1); fewer > 0; fewer--) let_go(all, &count, (size_t)below(count));
        } else {
          doing("livery_compact");
          shared->compactions += accept(livery_compact(store), true, "livery_compact");
        }
        break;
      default: sleep_us(below(2000)); break;
    }
    for (uint64_t looks = count ? below(count < 12 ? count + 1 : 12) : 0; looks > 0; looks--) look(&all[below(count)]);
  }
  while (count > 0) let_go(all, &count, count - 1);
  doing("livery_close");
  if (livery_close(store) != LIVERY_OK) wrong("a store does not close");
  shared->rounds++;
}

// For seeing the harness fail: what a process does that does not see the slots of others, and so lets their pages be used.
static void blind(int unused) {
  (void)unused;
  char path[300];
  snprintf(path, sizeof path, "%s/lock.mdb", scene_path);
  for (int pause = 0; pause < 400; pause++, sleep_us(500)) {
    int file = open(path, O_RDWR | O_CLOEXEC);
    struct stat facts;
    if (file < 0) continue;
    if (fstat(file, &facts) != 0) return;
    // LMDB's slots, 64 bytes each: the number of the commit that is read, then the process.
    for (off_t slot = 128; slot + 64 <= facts.st_size; slot += 64) {
      uint64_t entry[2] = {0}, none = UINT64_MAX;
      if (pread(file, entry, sizeof entry, slot) == sizeof entry && (uint32_t)entry[1] != 0 && entry[0] != none
          && pwrite(file, &none, sizeof none, slot) < 0)
        return;
    }
    close(file);
  }
}

static void look_at_end(int unused) {
  (void)unused;
  livery_store *store = NULL;
  livery_snapshot *snapshot = NULL;
  int64_t stamp = 0;
  livery_open_options options = LIVERY_OPEN_OPTIONS_INIT;
  options.flags = LIVERY_OPEN_CREATE;
  livery_status status = livery_open(scene_path, &options, &store);
  if (status == LIVERY_OK) status = stamp_open(&linked, store, &shared->stamps, &snapshot, &stamp);
  if (status != LIVERY_OK) wrong("the store does not read at the end: %s", livery_status_name(status));
  livery_close(store);
  status = livery_check(scene_path, NULL);
  if (status != LIVERY_OK) wrong("the store is not sound at the end: %s", livery_status_name(status));
}

static void one_scene(void) {
  memset(&shared->stamps, 0, sizeof shared->stamps);
  int members = 2 + (int)below(MOST - 1);
  for (int index = 0; index < members; index++) crew_add("opener", open_and_hold, index);
  if (option_given("--broken")) crew_add("meddler", blind, 0);
  crew_end(look_at_end);
  // Openers that met a full table count for nothing; if all do, nothing is tested.
  if (shared->rounds < scene_count / 2) wrong("hardly anybody gets in");
}

int main(int argc, char **argv) {
  begin_scenes("reader_tables", argc, argv);
  shared = shared_memory(sizeof *shared);
  run_scenes(one_scene, &shared->rounds, 500);
  figure("snapshots", shared->snapshots);
  figure("looks", shared->looks);
  figure("commits", shared->commits);
  figure("compactions", shared->compactions);
  figure("busy", shared->full);
  figure("no_space", shared->no_space);
  return end_scenes();
}
