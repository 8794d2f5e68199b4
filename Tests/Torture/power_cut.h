// Records what a workload writes, then builds every state that a power cut could leave of it, opens each, and looks
// whether it holds what the last acknowledged commit left, or the one under way.
//
//     NAME --seed S --commits N        a fresh recording of N commits
//     NAME --log FILE [--state K]      a recording kept from a failure, or one state of it
//     NAME --canary …                  the waits for the disk are ignored, as by a disk that lies: must fail
//
// After each entry of the log a power cut leaves all that is on the disk, and of what was written since: everything;
// the last write torn at each multiple of 512 bytes, either part missing; any one write missing; any name given since
// missing with those after it; and random mixtures of sectors.
#ifndef POWER_CUT_H
#define POWER_CUT_H

#include "torture.h"
#include "write_log.h"

enum { SECTOR = 512, FILES = 4096, MIXTURES = 3, CANARY_WINDOW = 24 };

// What is recorded, and how the states that it leaves are told apart.
typedef struct workload {
  const char *name;
  /** After a store was opened; may be NULL. */
  void (*prepare)(livery_store *store);
  /** One step; false, with the last error, for what a sound store does not answer. */
  bool (*step)(livery_store *store);
  /** A number for all that the steps have left; 0 if that cannot be read or is not true. */
  uint64_t (*digest)(livery_store *store, livery_status *status);
  /** What is wrong with the files of a state, before it is opened; NULL for nothing. May be NULL. */
  const char *(*inspect)(void);
} workload;
static const workload *recorded;

// Recording

static void (*record_commit)(int, uint64_t, uint64_t, int);

static void run_workload(const char *path, uint64_t seed, uint64_t commits) {
  livery_store *stores[2] = {NULL, NULL};
  record_commit = (void (*)(int, uint64_t, uint64_t, int))(uintptr_t)dlsym(RTLD_DEFAULT, "record_commit");
  if (!record_commit) give_up("the recorder is not there");
  seed_with(seed);
  record_commit(0, 0, 0, 0);
  for (uint64_t number = 0; number <= commits; number++) {
    // Handles of both kinds, deferred and not, closed and opened again from time to time.
    if (number == 0 || below(25) == 0) {
      for (int index = 0; index < 2; index++) livery_close(stores[index]);
      for (uint32_t index = 0; index < 2; index++) {
        if (open_with(path, LIVERY_OPEN_CREATE | (index ? LIVERY_OPEN_DEFERRED : 0), &stores[index]) != LIVERY_OK)
          give_up("%s", path);
        if (recorded->prepare) recorded->prepare(stores[index]);
      }
    }
    bool is_deferred = number > 0 && below(12) == 0;
    if (number > 0) {
      record_commit(0, number, 0, is_deferred);
      if (!recorded->step(stores[is_deferred])) give_up("commit %llu", (unsigned long long)number);
    }
    uint64_t digest = recorded->digest(stores[0], NULL);
    if (digest == 0) give_up("reading after commit %llu", (unsigned long long)number);
    record_commit(1, number, digest, is_deferred);
  }
}

// The log

static unsigned char *log_bytes;
static size_t log_length;
static log_entry **entries;
static size_t entry_count;
static uint64_t *digests;
static uint64_t commit_count;

static const unsigned char *bytes_of(const log_entry *entry) { return (const unsigned char *)(entry + 1); }

static void load_log(const char *path) {
  size_t offset = 0, room = 0;
  unsigned char *content = file_content(path, &log_length);
  // Entries are of any length; each is copied to an aligned place.
  while (offset + sizeof(log_entry) <= log_length) {
    log_entry head;
    memcpy(&head, content + offset, sizeof head);
    if (offset + sizeof head + head.length > log_length) break;
    if (entry_count == room) entries = realloc(entries, (room = room ? room * 2 : 1024) * sizeof *entries);
    entries[entry_count] = malloc(sizeof head + head.length + 1);
    memcpy(entries[entry_count], content + offset, sizeof head + head.length);
    offset += sizeof head + head.length;
    if (head.kind == LOG_END && head.offset + 1 > commit_count) commit_count = head.offset + 1;
    entry_count++;
  }
  log_bytes = content;
  digests = calloc(commit_count + 1, sizeof *digests);
  for (size_t index = 0; index < entry_count; index++) {
    if (entries[index]->kind == LOG_END) digests[entries[index]->offset] = entries[index]->file;
  }
}

// The disk: what is on it for certain, and what was written since

typedef struct disk_file {
  uint64_t file;
  unsigned char *bytes;
  size_t size, room;
} disk_file;

typedef struct disk_name {
  char name[128];
  uint64_t file;
} disk_name;

typedef struct disk {
  disk_file files[FILES];
  disk_name names[FILES];
  size_t file_count, name_count;
} disk;

// Files that processes alive share are not part of what a power cut leaves: it may leave anything there.
static bool is_shared(const char *name) {
  const char *last = strrchr(name, '/');
  last = last ? last + 1 : name;
  return strcmp(last, "lock.mdb") == 0 || strcmp(last, "livery.lock") == 0 || strcmp(last, "livery.wake") == 0;
}

static disk_file *file_in(disk *disk, uint64_t file) {
  for (size_t index = 0; index < disk->file_count; index++)
    if (disk->files[index].file == file) return &disk->files[index];
  if (disk->file_count == FILES) give_up("too many files");
  disk_file *fresh = &disk->files[disk->file_count++];
  *fresh = (disk_file){.file = file};
  return fresh;
}

static void set_size(disk_file *file, size_t size) {
  if (size > file->room) {
    file->room = size * 2;
    file->bytes = realloc(file->bytes, file->room);
  }
  if (size > file->size) memset(file->bytes + file->size, 0, size - file->size);
  file->size = size;
}

static void put_bytes(disk_file *file, uint64_t offset, const unsigned char *bytes, size_t length) {
  if (offset + length > file->size) set_size(file, offset + length);
  memcpy(file->bytes + offset, bytes, length);
}

static void remove_name(disk *disk, const char *name) {
  for (size_t index = 0; index < disk->name_count; index++) {
    if (strcmp(disk->names[index].name, name) != 0) continue;
    disk->names[index] = disk->names[--disk->name_count];
    return;
  }
}

static void put_name(disk *disk, const char *name, size_t length, uint64_t file) {
  if (disk->name_count == FILES || length >= sizeof disk->names[0].name) give_up("too many names");
  disk_name fresh = {.file = file};
  memcpy(fresh.name, name, length);
  remove_name(disk, fresh.name);
  disk->names[disk->name_count++] = fresh;
}

static bool concerns_names(const log_entry *entry) {
  return entry->kind == LOG_NAME || entry->kind == LOG_RENAME || entry->kind == LOG_REMOVE;
}

static void apply(disk *disk, const log_entry *entry) {
  const char *text = (const char *)bytes_of(entry);
  switch (entry->kind) {
    case LOG_NAME: put_name(disk, text, entry->length, entry->file); break;
    case LOG_WRITE: put_bytes(file_in(disk, entry->file), entry->offset, bytes_of(entry), entry->length); break;
    case LOG_SIZE: set_size(file_in(disk, entry->file), entry->offset); break;
    case LOG_REMOVE: {
      char name[128] = "";
      memcpy(name, text, entry->length < 127 ? entry->length : 127);
      remove_name(disk, name);
      break;
    }
    case LOG_RENAME: {
      const char *to = text + strlen(text) + 1;
      for (size_t index = 0; index < disk->name_count; index++) {
        if (strcmp(disk->names[index].name, text) != 0) continue;
        uint64_t file = disk->names[index].file;
        remove_name(disk, text);
        put_name(disk, to, strlen(to), file);
        break;
      }
      break;
    }
    default: break;
  }
}

// Entries since: in order, with those that are on the disk for certain although earlier ones may not be.
static struct pending { const log_entry *entry; bool is_fixed; } pending[4096];
static size_t pending_count;

static bool is_needed(const disk *disk, uint64_t file) {
  for (size_t index = 0; index < disk->name_count; index++)
    if (disk->names[index].file == file) return true;
  for (size_t index = 0; index < pending_count; index++)
    if (pending[index].entry->file == file) return true;
  return false;
}

// What has no name any more is left out.
static void copy_disk(disk *to, const disk *from) {
  to->name_count = from->name_count;
  memcpy(to->names, from->names, from->name_count * sizeof from->names[0]);
  for (size_t index = 0; index < from->file_count; index++) {
    disk_file *target = &to->files[index];
    if (index >= to->file_count) *target = (disk_file){0};
    target->file = from->files[index].file;
    target->size = 0;
    if (!is_needed(from, target->file)) continue;
    set_size(target, from->files[index].size);
    if (target->size) memcpy(target->bytes, from->files[index].bytes, target->size);
  }
  to->file_count = from->file_count;
}

static disk durable, present;
static bool is_canary;

static void settle(bool (*is_settled)(const log_entry *, uint64_t), uint64_t file) {
  size_t kept = 0;
  for (size_t index = 0; index < pending_count; index++) {
    if (is_settled(pending[index].entry, file)) {
      apply(&durable, pending[index].entry);
    } else {
      pending[kept++] = pending[index];
    }
  }
  pending_count = kept;
}
static bool is_of_file(const log_entry *entry, uint64_t file) { return !concerns_names(entry) && entry->file == file; }
static bool is_name(const log_entry *entry, uint64_t file) {
  (void)file;
  return concerns_names(entry);
}

static void advance(const log_entry *entry) {
  switch (entry->kind) {
    case LOG_SYNC:
      if (!is_canary) settle(is_of_file, entry->file);
      break;
    case LOG_SYNC_NAMES:
      if (!is_canary) settle(is_name, 0);
      break;
    case LOG_BEGIN:
    case LOG_END: break;
    default:
      if (pending_count == COUNT_OF(pending) || (is_canary && pending_count == CANARY_WINDOW)) {
        apply(&durable, pending[0].entry);
        memmove(pending, pending + 1, --pending_count * sizeof *pending);
      }
      pending[pending_count++] = (struct pending){entry, entry->flags & 1 && !is_canary};
  }
}

// Looking at states

static struct progress {
  _Atomic uint64_t state, opened, wrong, written;
} *progress;

static char place[256];
static uint64_t only_state, lowest, highest;
static size_t position;
static const char *kept_log;

static void put_state(const disk *disk) {
  char path[400];
  remove_tree(place);
  mkdir(place, 0700);
  for (size_t index = 0; index < disk->name_count; index++) {
    const disk_name *name = &disk->names[index];
    if (is_shared(name->name)) continue;
    // Backups have no part in opening a sound store; some states have them nevertheless.
    if (strncmp(name->name, "backups/", 8) == 0 && progress->state % 16 != 0) continue;
    snprintf(path, sizeof path, "%s", name->name);
    // Directories below the store's.
    for (char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/')) {
      char folder[800];
      snprintf(folder, sizeof folder, "%s/%.*s", place, (int)(slash - path), path);
      mkdir(folder, 0700);
    }
    snprintf(path, sizeof path, "%s/%s", place, name->name);
    const disk_file *file = NULL;
    for (size_t other = 0; other < disk->file_count; other++)
      if (disk->files[other].file == name->file) file = &disk->files[other];
    put_file(path, file ? (const void *)file->bytes : "", file ? file->size : 0);
  }
}

static void check_state(const disk *disk, const char *what, size_t detail) {
  uint64_t number = progress->state++;
  if (number < lowest || number >= highest) return;
  livery_store *store = NULL;
  put_state(disk);
  const char *fault = recorded->inspect ? recorded->inspect() : NULL;
  livery_status status = open_with(place, LIVERY_OPEN_CREATE, &store);
  uint64_t digest = 0;
  if (status == LIVERY_OK) digest = recorded->digest(store, &status);
  progress->opened++;

  // The commits that it may hold: the last one that was acknowledged and not deferred, and all begun since. One that
  // changed nothing wrote nothing, and so did not bring to the disk what was deferred before it.
  bool is_right = false;
  uint64_t first = 0, last = 0, held = 0;
  for (size_t index = 0; index <= position; index++) {
    if (entries[index]->kind == LOG_BEGIN) last = entries[index]->offset;
    if (entries[index]->kind != LOG_END || entries[index]->flags & 1) continue;
    uint64_t commit = entries[index]->offset;
    if (commit == 0 || digests[commit] != digests[commit - 1]) first = commit;
  }
  for (uint64_t commit = first; commit <= last && !is_right; commit++)
    if (digest && digests[commit] == digest) is_right = true, held = commit;
  if (!is_right || fault) {
    progress->wrong++;
    if (!is_canary) {
      const char *found = fault ? fault : status != LIVERY_OK ? livery_last_error()->message : "another state";
      for (uint64_t commit = 0; digest && commit < commit_count; commit++)
        if (digests[commit] == digest) held = commit;
      finding("%s: state %llu (entry %zu, %s %zu) may hold commits %llu to %llu: %s %s, commit %llu\n"
              "  again: scripts/torture again %s --log %s --state %llu --keep", recorded->name, (unsigned long long)number, position, what, detail,
              (unsigned long long)first, (unsigned long long)last, livery_status_name(status), found,
              (unsigned long long)held, recorded->name, kept_log, (unsigned long long)number);
    }
  } else if (number % 8 == 0 && !is_canary) {
    // It goes on from there.
    int64_t back = 0;
    status = livery_set_int(store, LIVERY_LAYER_BUNDLE, "after.power.cut", (int64_t)number);
    livery_close(store);
    store = NULL;
    if (status == LIVERY_OK) status = open_with(place, 0, &store);
    if (status == LIVERY_OK) status = livery_get_int(store, "after.power.cut", &back);
    if (status != LIVERY_OK || back != (int64_t)number)
      finding("%s: state %llu (entry %zu, %s %zu) cannot be written: %s\n  again: scripts/torture again %s --log %s --state %llu --keep",
              recorded->name, (unsigned long long)number, position, what, detail, livery_last_error()->message, recorded->name, kept_log,
              (unsigned long long)number);
    progress->written++;
  }
  livery_close(store);
}

typedef enum omission { NOTHING, ONE, NAMES_FROM, HEAD_ONLY, TAIL_ONLY, RANDOM } omission;

static void check_with(omission omission, size_t index, size_t sectors, const char *what, size_t detail) {
  uint64_t number = progress->state;
  if (number < lowest || number >= highest) {
    progress->state++;
    return;
  }
  uint64_t before = torture_state;
  seed_with(number);
  copy_disk(&present, &durable);
  for (size_t other = 0; other < pending_count; other++) {
    const log_entry *entry = pending[other].entry;
    bool is_free = !pending[other].is_fixed;
    if (omission == ONE && other == index && is_free) continue;
    if (omission == NAMES_FROM && other >= index && concerns_names(entry)) continue;
    bool is_torn = (omission == HEAD_ONLY || omission == TAIL_ONLY) && other == index;
    if (entry->kind != LOG_WRITE || (!is_torn && omission != RANDOM) || !is_free) {
      if (omission == RANDOM && is_free && !concerns_names(entry) && below(4) == 0) continue;
      apply(&present, entry);
      continue;
    }
    // Sector by sector; a write that begins within a sector shares it with what was there.
    disk_file *file = file_in(&present, entry->file);
    uint64_t keep = below(3);
    size_t at = 0, count = 0;
    while (at < entry->length) {
      size_t part = SECTOR - (entry->offset + at) % SECTOR;
      if (part > entry->length - at) part = entry->length - at;
      bool is_there = omission == HEAD_ONLY ? count < sectors : omission == TAIL_ONLY ? count >= sectors
        : keep == 0 ? true : keep == 1 ? below(2) : below(8) != 0;
      if (is_there) put_bytes(file, entry->offset + at, bytes_of(entry) + at, part);
      at += part;
      count++;
    }
  }
  torture_state = before;
  check_state(&present, what, detail);
}

static size_t sectors_of(const log_entry *entry) {
  return (size_t)((entry->offset + entry->length + SECTOR - 1) / SECTOR - entry->offset / SECTOR);
}

// All states after the entry at `position`.
static void check_position(void) {
  const log_entry *entry = entries[position];
  bool is_last = position + 1 == entry_count;
  if (entry->kind == LOG_SYNC || entry->kind == LOG_SYNC_NAMES || entry->kind == LOG_BEGIN) {
    if (!is_last) return;
  }
  check_with(NOTHING, 0, 0, "all", 0);
  if (entry->kind == LOG_WRITE && !(entry->flags & 1 && !is_canary)) {
    for (size_t sectors = 1; sectors < sectors_of(entry); sectors++) {
      check_with(HEAD_ONLY, pending_count - 1, sectors, "sectors until", sectors);
      check_with(TAIL_ONLY, pending_count - 1, sectors, "sectors from", sectors);
    }
  }
  for (size_t index = 0; index < pending_count; index++) {
    if (pending[index].is_fixed) continue;
    if (concerns_names(pending[index].entry)) {
      check_with(NAMES_FROM, index, 0, "no names from", index);
    } else {
      check_with(ONE, index, 0, "not write", index);
    }
  }
  if (pending_count > 0)
    for (size_t mixture = 0; mixture < MIXTURES; mixture++) check_with(RANDOM, 0, 0, "mixture", mixture);
}

static void check_all(void) {
  progress->state = 0;
  for (position = 0; position < entry_count; position++) {
    advance(entries[position]);
    check_position();
    if (progress->state >= highest) return;
  }
}

static void record(const char *log, uint64_t seed, uint64_t commits) {
  char root[256], self[512], recorder[600];
  ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
  if (length < 0) give_up("/proc/self/exe");
  self[length] = 0;
  snprintf(recorder, sizeof recorder, "%.*s/librecorder.so", (int)(strrchr(self, '/') - self), self);
  snprintf(root, sizeof root, "%s/recorded", torture_directory);
  unlink(log);
  pid_t child = fork();
  if (child == 0) {
    char seeds[32], counts[32];
    snprintf(seeds, sizeof seeds, "%llu", (unsigned long long)seed);
    snprintf(counts, sizeof counts, "%llu", (unsigned long long)commits);
    setenv("LD_PRELOAD", option_text("--recorder", recorder), 1);
    setenv("RECORD_LOG", log, 1);
    setenv("RECORD_ROOT", root, 1);
    execl(self, recorded->name, "--workload", root, "--seed", seeds, "--commits", counts, (char *)NULL);
    _exit(127);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (status != 0) give_up("the workload %s", ending(status));
}

/** The program: records, replays, and prints the line of figures. What main returns. */
UNUSED static int replay(const workload *of, int argc, char **argv) {
  recorded = of;
  torture_argc = argc;
  torture_argv = argv;
  const char *into = option_text("--workload", NULL), *given = option_text("--log", NULL);
  uint64_t seed = option_number("--seed", fresh_seed()), commits = option_number("--commits", 60);
  if (into) return run_workload(into, seed, commits), 0;

  begin_torture(of->name, argc, argv);
  double began = seconds_now();
  char fresh[256];
  snprintf(fresh, sizeof fresh, "%s/recorded-%#llx.log", torture_directory, (unsigned long long)seed);
  if (!given) record(fresh, seed, commits);
  kept_log = given ? given : option_text("--keep-log", fresh);
  load_log(given ? given : fresh);
  is_canary = option_given("--canary");
  only_state = option_number("--state", UINT64_MAX);
  highest = option_number("--states", UINT64_MAX);
  if (only_state != UINT64_MAX) lowest = only_state, highest = only_state + 1;
  progress = shared_memory(sizeof *progress);
  snprintf(place, sizeof place, "%s/state", torture_directory);

  // In workers: a state that kills one is a finding, and the next worker goes on after it.
  uint64_t crashes = 0;
  for (bool is_done = false; !is_done;) {
    int status = run_child(check_all);
    is_done = status == 0;
    if (is_done) break;
    uint64_t state = progress->state - 1;
    crashes++;
    if (!is_canary)
      finding("%s: state %llu: the process %s\n  again: scripts/torture again %s --log %s --state %llu --keep", of->name,
              (unsigned long long)state, ending(status), of->name, kept_log, (unsigned long long)state);
    lowest = state + 1;
    if (crashes > 200) break;
  }
  uint64_t wrong = progress->wrong + crashes;
  if (findings() && !given) {
    // For looking again.
    const char *keep = option_text("--keep-log", NULL);
    if (keep) put_file(keep, log_bytes, log_length);
  }
  printf("%s: states=%llu commits=%llu entries=%zu wrong=%llu crashes=%llu written_on=%llu seconds=%.1f seed=%#llx\n",
         is_canary ? "canary" : of->name, (unsigned long long)progress->opened, (unsigned long long)commit_count, entry_count,
         (unsigned long long)wrong, (unsigned long long)crashes, (unsigned long long)progress->written,
         seconds_now() - began, (unsigned long long)seed);
  if (is_canary) {
    if (wrong == 0) fprintf(stderr, "canary: no state was wrong although the disk lied: the replay sees nothing\n");
    return wrong == 0;
  }
  return findings() ? 1 : 0;
}

#endif
