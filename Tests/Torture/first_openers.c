// Holds a process still at each system call of its opening of a store, as the first one to do so, deletes lock files of the store
// there, and has another process open it and commit, which would be the first one by other lock files. That one is held as well, at
// some system call, while the first one goes on, and goes on after it. What either was told is committed is in the store afterwards,
// no copy was brought back in its place, and nobody crashes or hangs.
//
// A round is one stop.
//
//     first_openers [--every N] [--from N [--once]] [--keep]
#include "tracer.h"

#include <pthread.h>

enum { WORKERS = 8, COMMITS = 30, SETTINGS = 200, WAIT_S = 20, OTHER_STOPS = 3000 };
enum { GATE = 1, TABLE = 2, BOTH = GATE | TABLE };
static const int ways[] = {GATE, TABLE, BOTH};

static struct shared {
  // Of a worker: what was told to be committed, by the held process and by the other one.
  struct told {
    _Atomic int64_t held, other;
  } told[WORKERS];
  _Atomic uint64_t next, rounds, opened, held_both, both;
  // Of those without and with a thread before, which make more stops.
  _Atomic uint64_t last[2];
} *shared;

static char made[256], path[256];
static int worker;

static livery_status open_at(const char *place, uint32_t flags, livery_store **store) {
  livery_open_options options = LIVERY_OPEN_OPTIONS_INIT;
  options.flags = flags | LIVERY_OPEN_DEFERRED;
  options.busy_timeout_ms = 300;
  options.backup_commits = UINT32_MAX;
  options.backup_age_s = UINT32_MAX;
  return livery_open(place, &options, store);
}
static livery_status open_here(livery_store **store) { return open_at(path, 0, store); }

static void make(void) {
  livery_store *store = NULL;
  livery_change *change = NULL;
  char name[16], text[1500];
  memset(text, 'x', sizeof text);
  if (open_at(made, LIVERY_OPEN_CREATE, &store) != LIVERY_OK || livery_change_begin(store, LIVERY_LAYER_USER, &change) != LIVERY_OK)
    give_up("%s cannot be made", made);
  for (int index = 0; index < SETTINGS; index++) {
    snprintf(name, sizeof name, "text%d", index);
    livery_change_set_string(change, name, text, sizeof text);
  }
  // A copy to go back to.
  if (livery_change_commit(change, NULL) != LIVERY_OK || livery_backup(store, NULL) != LIVERY_OK || livery_close(store) != LIVERY_OK)
    give_up("%s cannot be made", made);
}

static uint64_t point;
static int way;

static void *nothing(void *argument) { return argument; }

// Where it has threads LMDB opens its files in a child.
static void held(void) {
  livery_store *store = NULL;
  pthread_t thread;
  if (point % 2 && pthread_create(&thread, NULL, nothing, NULL) == 0) pthread_join(thread, NULL);
  raise(SIGSTOP);
  if (open_here(&store) != LIVERY_OK) return;
  if (livery_set_int(store, LIVERY_LAYER_USER, "held", 1) == LIVERY_OK) shared->told[worker].held = 1;
  livery_close(store);
}

static void other(void) {
  livery_store *store = NULL;
  char text[1500], name[16];
  raise(SIGSTOP);
  if (open_here(&store) != LIVERY_OK) return;
  for (int64_t number = 1; number <= COMMITS; number++) {
    livery_change *change = NULL;
    memset(text, 'a' + (int)(number % 26), sizeof text);
    snprintf(name, sizeof name, "text%d", (int)(number * 37 % SETTINGS));
    if (livery_change_begin(store, LIVERY_LAYER_USER, &change) != LIVERY_OK) break;
    livery_change_set_int(change, "other", number);
    livery_change_set_string(change, name, text, sizeof text);
    if (livery_change_commit(change, NULL) != LIVERY_OK) {
      livery_change_discard(change);
      break;
    }
    shared->told[worker].other = number;
  }
  livery_close(store);
}

__attribute__((format(printf, 1, 2))) static void wrong(const char *format, ...) {
  char text[500];
  va_list list;
  va_start(list, format);
  vsnprintf(text, sizeof text, format, list);
  va_end(list);
  finding("first_openers: held at stop %" PRIu64 ", %s%s deleted: %s\n  again: scripts/torture again first_openers --from %" PRIu64 " --once --keep",
          point, way & GATE ? "livery.lock " : "", way & TABLE ? "lock.mdb" : "", text, point);
}

static int64_t stored(livery_store *store, const char *name) {
  int64_t number = 0;
  return livery_get_int(store, name, &number) == LIVERY_OK ? number : 0;
}

static void look(void) {
  livery_store *store = NULL;
  const struct told *told = &shared->told[worker];
  alarm(WAIT_S);
  if (open_here(&store) != LIVERY_OK) return wrong("it does not open: %s", livery_last_error()->message);
  if (stored(store, "other") < told->other || stored(store, "held") < told->held)
    wrong("the other's commit %" PRId64 " and the held one's %" PRId64 " were told, and %" PRId64 " and %" PRId64 " are there", told->other,
          told->held, stored(store, "other"), stored(store, "held"));
  if (livery_check(path, NULL) != LIVERY_OK) wrong("it is not sound: %s", livery_last_error()->message);
  livery_close(store);
  char damaged[300];
  snprintf(damaged, sizeof damaged, "%s/damaged", path);
  DIR *directory = opendir(damaged);
  for (struct dirent *entry; directory && (entry = readdir(directory));)
    if (entry->d_name[0] != '.') wrong("a copy was brought back for a file that nothing had damaged: %s", entry->d_name);
  if (directory) closedir(directory);
}

static void begin(traced *process, void (*work)(void)) {
  pid_t number = fork();
  if (number < 0) give_up("no process");
  if (number == 0) {
    work();
    _exit(0);
  }
  if (!trace(process, number)) give_up("a process cannot be traced");
}

static void end(const char *what, traced *process) {
  if (!process->is_over) run_to(process, UINT64_MAX, WAIT_S);
  if (!process->is_over || process->status != 0)
    wrong("the %s one %s", what, process->is_over ? ending(process->status) : "hangs");
  end_trace(process);
}

static void delete_one(const char *name) {
  char file[300];
  snprintf(file, sizeof file, "%s/%s", path, name);
  unlink(file);
}

/** Whether the opening makes so many stops. */
static bool hold_at(void) {
  traced held_one, other_one;
  char file[300];
  int status;
  remove_tree(path);
  copy_tree(made, path);
  // It is not noted to be sound.
  snprintf(file, sizeof file, "%s/livery.wake", path);
  unlink(file);
  shared->told[worker].held = shared->told[worker].other = 0;
  begin(&held_one, held);
  if (!run_to(&held_one, point, WAIT_S)) {
    if (!held_one.is_over || held_one.status != 0) wrong("the held one %s", held_one.is_over ? ending(held_one.status) : "hangs before");
    end_trace(&held_one);
    return false;
  }
  if (way & GATE) delete_one("livery.lock");
  if (way & TABLE) delete_one("lock.mdb");
  begin(&other_one, other);
  // What it waits for may be held: the first one goes on before it hangs.
  if (run_to(&other_one, 1 + (point * 7919 + (uint64_t)way * 1237) % OTHER_STOPS, 2)) shared->held_both++;
  // And the other way about.
  if (!other_one.is_over) run_to(&held_one, UINT64_MAX, 2);
  end("other", &other_one);
  end("held", &held_one);
  if ((status = run_child(look)) != 0) wrong("the look %s", ending(status));
  shared->rounds++;
  shared->opened += shared->told[worker].other > 0;
  shared->both += shared->told[worker].other > 0 && shared->told[worker].held > 0;
  return true;
}

static void work(int index) {
  uint64_t every = option_number("--every", 1);
  worker = index;
  snprintf(path, sizeof path, "%s/store%d", torture_directory, index);
  while (findings() < 10) {
    uint64_t number = shared->next++;
    point = option_number("--from", 1) + number / COUNT_OF(ways) * every;
    way = ways[number % COUNT_OF(ways)];
    _Atomic uint64_t *last = &shared->last[point % 2];
    if (option_given("--once") && number >= COUNT_OF(ways)) break;
    if (point < *last && !hold_at() && point < *last) *last = point;
    if (point >= *last && (every % 2 == 0 || point >= shared->last[1 - point % 2])) break;
  }
}

int main(int argc, char **argv) {
  begin_torture("first_openers", argc, argv);
  shared = shared_memory(sizeof *shared);
  shared->last[0] = shared->last[1] = UINT64_MAX;
  snprintf(made, sizeof made, "%s/made", torture_directory);
  double began = seconds_now();
  if (run_child(make) != 0) give_up("no store");
  pid_t workers[WORKERS];
  for (int index = 0; index < WORKERS; index++) {
    workers[index] = fork();
    if (workers[index] == 0) {
      work(index);
      _exit(0);
    }
  }
  for (int index = 0; index < WORKERS; index++) {
    int status = 0;
    waitpid(workers[index], &status, 0);
    if (status != 0) finding("first_openers: a worker %s", ending(status));
  }
  if (!option_given("--once") && !findings() && (shared->opened == 0 || shared->opened == shared->rounds))
    finding("first_openers: the other one opened the store at %s stop", shared->opened ? "every" : "no");
  printf("first_openers: rounds=%" PRIu64 " stops=%" PRIu64 " opened=%" PRIu64 " held_both=%" PRIu64 " both=%" PRIu64 " errors=%" PRIu64 " seconds=%.1f\n",
         shared->rounds, shared->last[1] == UINT64_MAX ? 0 : shared->last[1], shared->opened, shared->held_both, shared->both, findings(), seconds_now() - began);
  return findings() != 0;
}
