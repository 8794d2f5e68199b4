// Under processes that have a store open, or are opening it, its directory is moved, deleted, made anew, or exchanged for that of
// another store; the link to it is turned; its files are deleted or exchanged. Meanwhile they commit, compact, back up and
// restore. A commit that returned OK is in the store that lies at the path; into one that had gone before it began none goes
// (GONE). No store ever holds what belongs to another one, in its file or its backups, and nobody crashes or hangs.
//
// Also: backups onto the files of the store itself, by whatever path, are refused and destroy nothing.
//
// A round is one exchange, or one such backup.
//
//     exchanged [--rounds N] [--seed S] [--from SCENE] [--only directory|link|file|own] [--keep] [--broken]
#include "marks.h"

#include <sys/syscall.h>

enum { IDS = 40, SERVICES = 4, MOST_ROUNDS = 8 };
enum kind { DIRECTORY, LINK, SINGLE_FILES, OWN_FILES, KINDS };
static const char *const kind_names[KINDS] = {"directory", "link", "file", "own"};

typedef struct known {
  // Where it lies; empty for one that was deleted.
  char place[280];
  _Atomic int64_t intended[SERVICES], acknowledged[SERVICES];
  // Its counters went back, or its file was exchanged for another one.
  _Atomic bool is_restored, is_mixed;
} known;

static struct shared {
  // Odd while something is being exchanged.
  _Atomic uint64_t changes;
  // Which store lies at the path.
  _Atomic int present;
  known known[IDS];
  _Atomic bool is_over;
  _Atomic uint64_t rounds, commits, gone, opens, refused_opens, compactions, backups, restores, own_files;
} *shared;

static char path[280], box[280];
static enum kind kind;

static livery_status open_at(const char *place, uint32_t flags, livery_store **store) {
  livery_open_options options = LIVERY_OPEN_OPTIONS_INIT;
  options.flags = flags | LIVERY_OPEN_DEFERRED;
  options.log_entries = 20;
  options.map_size = 1 << 26;
  options.busy_timeout_ms = 15000;
  // Copies are to be made often.
  options.backup_commits = 1 + (uint32_t)below(12);
  options.backup_age_s = below(2) ? UINT32_MAX : 1;
  return livery_open(place, &options, store);
}

// The services

typedef struct service {
  livery_store *store;
  livery_watch *watch;
  livery_snapshot *snapshot;
  int id, index;
  // At which number of changes it was opened; 0 if something was exchanged meanwhile.
  uint64_t opened_at;
} service;

static void hear(const livery_event *events, size_t count, void *context) { (void)events, (void)count, (void)context; }

enum what { READS, COMMITS, MAINTAINS };

// What a call may say about a store. `is_stable` if nothing was exchanged meanwhile.
static void judge(const service *self, uint64_t before, livery_status status, const char *call, enum what what) {
  int present = shared->present;
  uint64_t after = shared->changes;
  if (status == LIVERY_ERROR_GONE) shared->gone++;
  if (kind == SINGLE_FILES || before != after || before % 2) return;
  // Two that compact at once; and there may be no backup to restore.
  if (what == MAINTAINS && (status == LIVERY_ERROR_BUSY || status == LIVERY_ERROR_NOT_FOUND)) return;
  if (present != self->id) {
    if (kind == LINK && (status == LIVERY_OK || status == LIVERY_ERROR_GONE)) return;
    if (what == COMMITS && status != LIVERY_ERROR_GONE)
      wrong("%s gave %s, into store %d, while %d lies at the path", call, livery_status_name(status), self->id, present);
    else if (status != LIVERY_OK && status != LIVERY_ERROR_GONE)
      wrong("%s of a store that is gone gave %s", call, livery_status_name(status));
    return;
  }
  if (status == LIVERY_OK || (status == LIVERY_ERROR_GONE && self->opened_at != before)) return;
  wrong("%s gave %s, and nothing was exchanged", call, livery_status_name(status));
}

static bool open_service(service *self) {
  livery_status status;
  int64_t id = 0;
  uint64_t before = shared->changes;
  self->store = NULL;
  self->watch = NULL;
  self->snapshot = NULL;
  doing("livery_open");
  status = open_at(path, 0, &self->store);
  shared->opens++;
  if (status != LIVERY_OK) {
    shared->refused_opens++;
    if (kind != SINGLE_FILES && before % 2 == 0 && before == shared->changes)
      wrong("livery_open gave %s, and nothing was exchanged", livery_status_name(status));
    return false;
  }
  doing("reading the mark");
  status = livery_get_int(self->store, "mark", &id);
  int present = shared->present;
  self->opened_at = before == shared->changes && before % 2 == 0 ? before : 0;
  if (status != LIVERY_OK || id <= 0 || id >= IDS) {
    if (kind != SINGLE_FILES && self->opened_at) wrong("a store without its mark: %s", livery_status_name(status));
    livery_close(self->store);
    return false;
  }
  self->id = (int)id;
  if (self->opened_at && kind != SINGLE_FILES && present != id)
    wrong("store %lld was opened where %d lies", (long long)id, present);
  if (below(4) == 0) livery_watch_start(self->store, "text*", NULL, hear, NULL, NULL, &self->watch);
  return true;
}

static void commit(service *self) {
  char text[2048], name[16], own[16];
  known *known = &shared->known[self->id];
  livery_change *change = NULL;
  uint64_t before = shared->changes;
  int64_t number = known->intended[self->index] + 1;
  known->intended[self->index] = number;
  snprintf(name, sizeof name, "text%d", self->index);
  snprintf(own, sizeof own, "own%d", self->index);
  doing("livery_change_commit");
  livery_status status = livery_change_begin(self->store, LIVERY_LAYER_USER, &change);
  if (status == LIVERY_OK) status = livery_change_set_string(change, name, text, mark_text(self->id, number, text));
  if (status == LIVERY_OK) status = livery_change_set_int(change, own, number);
  if (status == LIVERY_OK) status = livery_change_commit(change, NULL);
  if (status != LIVERY_OK) livery_change_discard(change);
  // One that began before an exchange and ended after it may be in either: the former store's file is looked at too.
  if (status == LIVERY_OK) {
    known->acknowledged[self->index] = number;
    shared->commits++;
  }
  judge(self, before, status, "a commit", COMMITS);
}

static void look(service *self) {
  int64_t id = 0;
  uint64_t before = shared->changes;
  livery_value *value = NULL;
  doing("livery_get_int");
  livery_status status = livery_get_int(self->store, "mark", &id);
  if (status == LIVERY_OK && id != self->id && kind != SINGLE_FILES)
    wrong("store %d shows the mark of %lld", self->id, (long long)id);
  judge(self, before, status, "a read", READS);
  doing("livery_snapshot_open");
  if (!self->snapshot && livery_snapshot_open(self->store, &self->snapshot) != LIVERY_OK) return;
  doing("livery_snapshot_get");
  status = livery_snapshot_get(self->snapshot, "mark", &value);
  if (status == LIVERY_OK) status = livery_value_as_int(value, &id);
  livery_value_release(value);
  if (kind != SINGLE_FILES && (status != LIVERY_OK || id != self->id))
    wrong("a snapshot of store %d shows the mark of %lld (%s)", self->id, (long long)id, livery_status_name(status));
  if (below(2)) livery_snapshot_close(self->snapshot), self->snapshot = NULL;
}

static void maintain(service *self) {
  uint64_t before = shared->changes;
  switch (below(5)) {
    case 0: case 1:
      doing("livery_compact");
      judge(self, before, livery_compact(self->store), "livery_compact", MAINTAINS);
      shared->compactions++;
      break;
    case 2: case 3:
      doing("livery_backup");
      judge(self, before, livery_backup(self->store, NULL), "livery_backup", MAINTAINS);
      shared->backups++;
      break;
    default:
      if (below(3)) break;
      shared->known[self->id].is_restored = true;
      doing("livery_restore");
      judge(self, before, livery_restore(self->store, NULL, NULL, NULL), "livery_restore", MAINTAINS);
      shared->restores++;
      break;
  }
}

static void serve(int index) {
  service self = {.index = index};
  // One of them opens all the time.
  bool only_opens = index == SERVICES - 1;
  while (!shared->is_over && findings() == 0) {
    if (!open_service(&self)) {
      sleep_us(below(300));
      continue;
    }
    for (uint64_t steps = only_opens ? below(2) : 1 + below(40); steps > 0 && !shared->is_over && findings() == 0; steps--) {
      switch (below(8)) {
        case 0: case 1: case 2: commit(&self); break;
        case 3: case 4: look(&self); break;
        case 5: if (kind != OWN_FILES) maintain(&self); break;
        default: sleep_us(below(600)); break;
      }
    }
    doing("livery_close");
    livery_watch_stop(self.watch);
    if (livery_close(self.store) != LIVERY_OK) wrong("a store does not close");
  }
}

// The exchanges

static int made;

static void make_at(const char *place, int id) {
  livery_store *store = NULL;
  livery_change *change = NULL;
  char text[2048];
  // In one commit: a copy is made as soon as there is one, and may be restored.
  if (open_at(place, LIVERY_OPEN_CREATE, &store) != LIVERY_OK || livery_change_begin(store, LIVERY_LAYER_BUNDLE, &change) != LIVERY_OK
      || livery_change_set_string(change, "text", text, mark_text(id, 0, text)) != LIVERY_OK
      || livery_change_set_int(change, "mark", id) != LIVERY_OK || livery_change_commit(change, NULL) != LIVERY_OK
      || livery_close(store) != LIVERY_OK)
    give_up("%s cannot be made", place);
}

/** A store that lies beside. */
static int make_one(void) {
  int id = ++made;
  snprintf(shared->known[id].place, sizeof shared->known[id].place, "%s/s%d", scene_path, id);
  doing("making a store");
  make_at(shared->known[id].place, id);
  return id;
}

static void move(const char *from, const char *to) {
  if (rename(from, to) != 0) give_up("%s to %s", from, to);
}
static void exchange(const char *left, const char *right) {
  if (syscall(SYS_renameat2, AT_FDCWD, left, AT_FDCWD, right, 2) != 0) give_up("%s for %s", left, right);
}

static void turn_link(const char *target) {
  char fresh[300];
  snprintf(fresh, sizeof fresh, "%s.fresh", path);
  if (symlink(target, fresh) != 0) give_up("%s", fresh);
  move(fresh, path);
}

// Somebody who backs up may write into it meanwhile.
static void delete_all(const char *place) {
  for (int tries = 0; tries < 2000 && access(place, F_OK) == 0; tries++) remove_tree(place);
  if (access(place, F_OK) == 0) give_up("%s does not go", place);
}

static void exchange_directory(void) {
  int old = shared->present, next = below(3) || made < 3 ? make_one() : 1 + (int)below((uint64_t)made);
  known *gone = &shared->known[old], *fresh = &shared->known[next];
  char place[280], other[280], inner[300];
  doing("exchanging directories");
  // A name that no store lies under: what was exchanged lies under the other's.
  static int moves;
  snprintf(place, sizeof place, "%s/away%d.%d", scene_path, old, moves++);
  snprintf(other, sizeof other, "%s/box%d", scene_path, made);
  if (next == old || !fresh->place[0]) {
    // Moved away and back.
    shared->changes++;
    move(path, place);
    sleep_us(below(1500));
    move(place, path);
    shared->changes++;
    return;
  }
  uint64_t way = below(4);
  shared->changes++;
  switch (way) {
    case 0:
      move(path, place);
      sleep_us(below(2) ? below(1000) : 0);
      move(fresh->place, path);
      strcpy(gone->place, place);
      break;
    case 1:
      exchange(path, fresh->place);
      strcpy(gone->place, fresh->place);
      break;
    case 2:
      delete_all(path);
      move(fresh->place, path);
      gone->place[0] = 0;
      break;
    default:
      // The directory that it lies in.
      if (mkdir(other, 0700) != 0 && errno != EEXIST) give_up("%s", other);
      snprintf(inner, sizeof inner, "%s/store", other);
      if (access(inner, F_OK) == 0) give_up("%s is taken", inner);
      move(fresh->place, inner);
      exchange(box, other);
      move(inner, place);
      strcpy(gone->place, place);
      break;
  }
  strcpy(fresh->place, path);
  // For seeing the harness fail: what an automatic copy of the former store would leave in the new one's folder.
  if (option_given("--broken") && gone->place[0]) {
    size_t length = 0;
    snprintf(inner, sizeof inner, "%s/data.mdb", gone->place);
    unsigned char *content = file_content(inner, &length);
    snprintf(inner, sizeof inner, "%s/backups", path);
    if (mkdir(inner, 0700) != 0 && errno != EEXIST) give_up("%s", inner);
    snprintf(inner, sizeof inner, "%s/backups/left.mdb", path);
    put_file(inner, content, length);
    free(content);
  }
  shared->present = next;
  shared->changes++;
}

static void exchange_link(void) {
  int next = below(3) || made < 3 ? make_one() : 1 + (int)below((uint64_t)made);
  doing("turning the link");
  shared->changes++;
  turn_link(shared->known[next].place);
  shared->present = next;
  shared->changes++;
}

static void exchange_file(void) {
  static const char *const names[] = {"data.mdb", "lock.mdb", "livery.lock", "livery.wake", "backups"};
  const char *name = names[below(COUNT_OF(names))];
  char from[400], to[400];
  bool is_data = strcmp(name, "data.mdb") == 0;
  int other = below(2) ? make_one() : 0;
  doing("exchanging a file");
  snprintf(to, sizeof to, "%s/%s", path, name);
  shared->changes++;
  if (is_data || strcmp(name, "backups") == 0)
    for (int id = 1; id <= made; id++) shared->known[id].is_mixed = true;
  if (other == 0) {
    remove_tree(to);
    remove(to);
  } else {
    snprintf(from, sizeof from, "%s/%s", shared->known[other].place, name);
    if (access(from, F_OK) == 0 && access(to, F_OK) == 0) exchange(from, to);
  }
  shared->changes++;
}

// Backups onto the store's own files

static void back_up_onto(service *self, const char *target, const char *own) {
  struct stat before, after;
  if (stat(own, &before) != 0) give_up("%s", own);
  doing("livery_backup onto the store's own file");
  livery_status status = livery_backup(self->store, target);
  if (status == LIVERY_OK) wrong("a backup onto %s, which is %s, gave OK", target, own);
  if (stat(own, &after) != 0 || after.st_ino != before.st_ino || after.st_dev != before.st_dev)
    wrong("a backup onto %s exchanged %s", target, own);
  shared->own_files++;
  shared->rounds++;
}

static void own_files(void) {
  static const char *const names[] = {"data.mdb", "lock.mdb", "livery.lock", "livery.wake"};
  service self = {.index = 0};
  char own[320], target[640], linked[320], here[320];
  if (!open_service(&self)) return wrong("the store does not open");
  commit(&self);
  snprintf(linked, sizeof linked, "%s/linked", scene_path);
  if (symlink(path, linked) != 0 && errno != EEXIST) give_up("%s", linked);
  for (size_t index = 0; index < COUNT_OF(names) && findings() == 0; index++) {
    snprintf(own, sizeof own, "%s/%s", path, names[index]);
    back_up_onto(&self, own, own);
    snprintf(target, sizeof target, "%s/./backups/../%s", path, names[index]);
    back_up_onto(&self, target, own);
    snprintf(target, sizeof target, "%s/%s", linked, names[index]);
    back_up_onto(&self, target, own);
    if (chdir(path) != 0) give_up("%s", path);
    back_up_onto(&self, names[index], own);
    if (chdir("/") != 0) give_up("/");
    snprintf(here, sizeof here, "%s/soft%zu", scene_path, index);
    remove(here);
    if (symlink(own, here) != 0) give_up("%s", here);
    back_up_onto(&self, here, own);
    snprintf(here, sizeof here, "%s/hard%zu", scene_path, index);
    remove(here);
    if (link(own, here) != 0) give_up("%s", here);
    back_up_onto(&self, here, own);
    commit(&self);
    look(&self);
  }
  livery_close(self.store);
}

// The scene

static void exchange_all(int rounds) {
  for (; rounds > 0 && findings() == 0; rounds--) {
    sleep_us(500 + below(6000));
    switch (kind) {
      case DIRECTORY: exchange_directory(); break;
      case LINK: exchange_link(); break;
      case SINGLE_FILES: exchange_file(); break;
      default: own_files(); break;
    }
    shared->rounds += kind != OWN_FILES;
  }
  sleep_us(below(3000));
  shared->is_over = true;
}

static void make_first(int unused) {
  (void)unused;
  shared->present = make_one();
  if (kind == LINK) {
    turn_link(shared->known[1].place);
  } else {
    move(shared->known[1].place, path);
    strcpy(shared->known[1].place, path);
  }
}

static void look_at_end(int unused) {
  (void)unused;
  for (int id = 1; id < IDS; id++) {
    known *known = &shared->known[id];
    livery_store *store = NULL;
    int64_t mark = 0;
    if (!known->place[0]) continue;
    if (kind != SINGLE_FILES) scan(known->place, id);
    doing("livery_open at the end");
    livery_status status = open_at(known->place, 0, &store);
    if (kind == SINGLE_FILES && status != LIVERY_OK) continue;
    if (status == LIVERY_OK) status = livery_get_int(store, "mark", &mark);
    if (kind != SINGLE_FILES && (status != LIVERY_OK || mark != id))
      wrong("store %d at %s: %s, mark %lld", id, known->place, livery_status_name(status), (long long)mark);
    for (int index = 0; index < SERVICES && !known->is_restored && !known->is_mixed; index++) {
      char own[16];
      int64_t number = 0;
      snprintf(own, sizeof own, "own%d", index);
      if (livery_get_int(store, own, &number) != LIVERY_OK) number = 0;
      if (number < known->acknowledged[index] || number > known->intended[index])
        wrong("store %d (%s): service %d: %lld is there, %lld was acknowledged, %lld begun", id, kind_names[kind], index,
              (long long)number, (long long)known->acknowledged[index], (long long)known->intended[index]);
    }
    livery_close(store);
    if (kind == SINGLE_FILES) continue;
    status = livery_check(known->place, NULL);
    if (status != LIVERY_OK) wrong("store %d at %s is not sound: %s", id, known->place, livery_status_name(status));
  }
}

static enum kind drawn_kind(void) {
  const char *only = option_text("--only", NULL);
  for (int each = 0; only && each < KINDS; each++)
    if (strcmp(only, kind_names[each]) == 0) return (enum kind)each;
  static const enum kind all[] = {DIRECTORY, DIRECTORY, DIRECTORY, DIRECTORY, LINK, SINGLE_FILES, SINGLE_FILES, OWN_FILES};
  return all[below(COUNT_OF(all))];
}

static void one_scene(void) {
  kind = drawn_kind();
  memset(shared->known, 0, sizeof shared->known);
  shared->changes = 2;
  shared->is_over = false;
  snprintf(box, sizeof box, "%.200s/box", scene_path);
  snprintf(path, sizeof path, "%.200s/box/store", scene_path);
  if (mkdir(scene_path, 0700) != 0 || mkdir(box, 0700) != 0) give_up("%s", box);
  made = 0;
  crew_add("maker", make_first, 0);
  made = 1;
  if (!crew_wait(60)) return;
  int services = 1 + (int)below(SERVICES - 1);
  crew_add("mover", exchange_all, kind == OWN_FILES ? 1 : 2 + (int)below(MOST_ROUNDS));
  for (int index = 0; index < services; index++) crew_add("service", serve, kind == OWN_FILES ? index + 1 : index);
  if (kind != OWN_FILES) crew_add("opener", serve, SERVICES - 1);
  crew_end(look_at_end);
}

int main(int argc, char **argv) {
  begin_scenes("exchanged", argc, argv);
  shared = shared_memory(sizeof *shared);
  run_scenes(one_scene, &shared->rounds, 300);
  figure("commits", shared->commits);
  figure("gone", shared->gone);
  figure("opens", shared->opens);
  figure("opens_refused", shared->refused_opens);
  figure("compactions", shared->compactions);
  figure("backups", shared->backups);
  figure("restores", shared->restores);
  figure("own_files", shared->own_files);
  return end_scenes();
}
