// 4 processes of 4 threads read and write one store for $LIVERY_STRESS_SECONDS (5). Writers commit five settings that
// must agree; readers check through snapshots that they do, and that what a thread reads never goes back. Any status
// that is not expected, and any disagreement, is a failure. Prints one line of figures.
#define _GNU_SOURCE
#include <livery.h>

#include <ftw.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PROCESSES = 4, THREADS = 4, GROUP = 5 };

static const char *const group[GROUP] = {"group.a", "group.b", "group.c", "group.d", "group.e"};
static char path[256];

// Shared by all processes.
static struct counts {
  uint64_t commits, conflicts, snapshots, reads, failures;
} *counts;

static double seconds_to_run, started;

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void add(uint64_t *count) { __atomic_add_fetch(count, 1, __ATOMIC_RELAXED); }

static void fail(const char *what) {
  add(&counts->failures);
  fprintf(stderr, "stress: process %d: %s: %s\n", (int)getpid(), what, livery_last_error()->message);
}

static int64_t snapshot_value(livery_snapshot *snapshot, const char *name) {
  livery_value *value = NULL;
  int64_t number = -1;
  if (livery_snapshot_get(snapshot, name, &value) != LIVERY_OK || livery_value_as_int(value, &number) != LIVERY_OK)
    fail("reading from a snapshot");
  livery_value_release(value);
  return number;
}

// All five settings, in one commit, one more than a snapshot shows; another writer may be first.
static void write_group(livery_store *store) {
  livery_snapshot *snapshot = NULL;
  livery_change *change = NULL;
  uint64_t revision = 0, committed = 0;
  if (livery_snapshot_open(store, &snapshot) != LIVERY_OK) {
    fail("opening a snapshot");
    return;
  }
  int64_t next = snapshot_value(snapshot, group[0]) + 1;
  if (livery_snapshot_revision(snapshot, &revision) != LIVERY_OK) fail("a snapshot's revision");
  if (livery_snapshot_close(snapshot) != LIVERY_OK) fail("closing a snapshot");

  if (livery_change_begin(store, LIVERY_LAYER_USER, &change) != LIVERY_OK) {
    fail("beginning a change set");
    return;
  }
  for (int index = 0; index < GROUP; index++)
    if (livery_change_set_int(change, group[index], next) != LIVERY_OK) fail("adding to a change set");
  if (livery_change_expect(change, group[0], revision) != LIVERY_OK) fail("expecting");
  livery_status status = livery_change_commit(change, &committed);
  if (status == LIVERY_OK) {
    add(&counts->commits);
    if (committed <= revision) fail("a commit's revision did not rise");
  } else {
    if (status != LIVERY_ERROR_CONFLICT) fail("committing");
    add(&counts->conflicts);
    if (livery_change_discard(change) != LIVERY_OK) fail("discarding");
  }
}

static void read_group(livery_store *store, int64_t *last, uint64_t *last_revision) {
  livery_snapshot *snapshot = NULL;
  uint64_t revision = 0;
  if (livery_snapshot_open(store, &snapshot) != LIVERY_OK) {
    fail("opening a snapshot");
    return;
  }
  int64_t first = snapshot_value(snapshot, group[0]);
  for (int index = 1; index < GROUP; index++)
    if (snapshot_value(snapshot, group[index]) != first) fail("a commit was seen in part");
  if (livery_snapshot_revision(snapshot, &revision) != LIVERY_OK) fail("a snapshot's revision");
  if (first < *last || revision < *last_revision) fail("a snapshot went back");
  *last = first;
  *last_revision = revision;
  if (livery_snapshot_close(snapshot) != LIVERY_OK) fail("closing a snapshot");
  add(&counts->snapshots);
}

static livery_store *shared;
static livery_key *shared_key;

static void *run_thread(void *argument) {
  int index = (int)(intptr_t)argument;
  int64_t last = 0, number = 0;
  uint64_t last_revision = 0, revision = 0;
  char own[32], text[64];
  snprintf(own, sizeof own, "own.%d.%d", (int)getpid(), index);
  // Half of the threads use the process's handle, half one of their own.
  livery_store *store = shared;
  if (index % 2 && livery_open(path, NULL, &store) != LIVERY_OK) return fail("opening"), NULL;
  for (uint64_t round = 1; now() - started < seconds_to_run; round++) {
    if (index == 0 || round % 8 == 0) write_group(store);
    read_group(store, &last, &last_revision);
    for (int repeat = 0; repeat < 20; repeat++) {
      livery_status status = index % 2 ? livery_get_int(store, group[repeat % GROUP], &number)
                                       : livery_key_get_int(shared_key, &number);
      if (status != LIVERY_OK) fail("reading");
      if (number < last) fail("a read went back");
      last = number;
      if (livery_revision(store, &revision) != LIVERY_OK) fail("the revision");
      if (revision < last_revision) fail("the revision went back");
      last_revision = revision;
      add(&counts->reads);
    }
    if (round % 32 == 0) {
      int length = snprintf(text, sizeof text, "round %llu", (unsigned long long)round);
      char back[64];
      if (livery_set_string(store, LIVERY_LAYER_USER, own, text, (size_t)length) != LIVERY_OK) fail("setting a string");
      if (livery_get_string(store, own, back, sizeof back, NULL) != LIVERY_OK || strcmp(text, back) != 0)
        fail("a thread does not read its own write");
      add(&counts->commits);
    }
  }
  if (index % 2 && livery_close(store) != LIVERY_OK) fail("closing");
  return NULL;
}

static void run_process(void) {
  pthread_t threads[THREADS];
  if (livery_open(path, NULL, &shared) != LIVERY_OK) {
    fail("opening");
    return;
  }
  if (livery_key_open(shared, group[0], &shared_key) != LIVERY_OK) {
    fail("opening a key");
    return;
  }
  for (int index = 0; index < THREADS; index++)
    pthread_create(&threads[index], NULL, run_thread, (void *)(intptr_t)index);
  for (int index = 0; index < THREADS; index++) pthread_join(threads[index], NULL);
  if (livery_close(shared) != LIVERY_OK) fail("closing");
}

static int remove_entry(const char *entry, const struct stat *facts, int type, struct FTW *walk) {
  (void)facts, (void)type, (void)walk;
  return remove(entry);
}

int main(void) {
  const char *seconds = getenv("LIVERY_STRESS_SECONDS"), *base = getenv("TMPDIR");
  seconds_to_run = seconds ? atof(seconds) : 5;
  counts = mmap(NULL, sizeof *counts, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  snprintf(path, sizeof path, "%s/livery-stress-XXXXXX", base && base[0] ? base : "/tmp");
  if (counts == MAP_FAILED || !mkdtemp(path)) return perror("stress"), 2;

  livery_store *store = NULL;
  livery_open_options options = LIVERY_OPEN_OPTIONS_INIT;
  options.flags = LIVERY_OPEN_CREATE;
  if (livery_open(path, &options, &store) != LIVERY_OK) return fail("making the store"), 1;
  for (int index = 0; index < GROUP; index++)
    if (livery_set_int(store, LIVERY_LAYER_USER, group[index], 0) != LIVERY_OK) return fail("setting"), 1;
  livery_close(store);

  started = now();
  pid_t children[PROCESSES];
  for (int index = 0; index < PROCESSES; index++) {
    children[index] = fork();
    if (children[index] == 0) {
      run_process();
      exit(0);
    }
  }
  for (int index = 0; index < PROCESSES; index++) {
    int status = 0;
    waitpid(children[index], &status, 0);
    // A sanitizer that found something exits with a status of its own.
    if (status != 0) {
      fprintf(stderr, "stress: a process ended with status 0x%x\n", status);
      add(&counts->failures);
    }
  }
  double elapsed = now() - started;

  int64_t last = -1;
  uint64_t revision = 0;
  if (livery_open(path, NULL, &store) != LIVERY_OK || livery_get_int(store, group[0], &last) != LIVERY_OK
      || livery_revision(store, &revision) != LIVERY_OK || livery_close(store) != LIVERY_OK)
    fail("reading at the end");
  // Each commit that was acknowledged made a revision; the first five made the group.
  if (revision != counts->commits + GROUP) fail("acknowledged commits and the revision differ");
  nftw(path, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
  printf("stress: %d processes x %d threads, %.1f s: %llu commits (%llu conflicts), %llu snapshots, %llu reads, "
         "group at %lld, %llu failures\n",
         PROCESSES, THREADS, elapsed, (unsigned long long)counts->commits, (unsigned long long)counts->conflicts,
         (unsigned long long)counts->snapshots, (unsigned long long)counts->reads, (long long)last,
         (unsigned long long)counts->failures);
  return counts->failures ? 1 : 0;
}
