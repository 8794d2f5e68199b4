// Lets every call that the store makes of the operating system fail, once and for good, under every function that
// changes something, and looks at what is left: what was there, or what was to be there; the same when it is opened
// anew; no descriptor and no memory lost; and the next change succeeds.
//
//     fault_sweep [--seed S] [--operation NAME] [--call NAME] [--kind NAME] [--nth N] [--sticky] [--limit N]
//                 [--every N] [--without OPERATION] [--broken]
//
// It starts itself anew with the library of faults.c preloaded.
#include "faults.h"
#include "fault_sweep_operations.h"

static fault_arm_fn arm;
static fault_disarm_fn disarm;
static fault_blocks_fn live_blocks;

static const char *const call_names[FAULT_CALLS] = {
  "pwrite", "write", "writev", "fdatasync", "fsync", "msync", "ftruncate", "posix_fallocate", "open", "stat", "rename",
  "link", "unlink", "mkdir", "opendir", "mmap", "fcntl", "read", "eventfd", "pthread_create", "malloc"};
static const char *const kind_names[FAULT_KINDS] = {"EIO", "ENOSPC", "EINTR", "short", "EMFILE", "EACCES", "drop"};

// What a failure of each call is like.
static const unsigned char kinds_of[FAULT_CALLS][4] = {
  [FAULT_PWRITE] = {FAULT_EIO, FAULT_ENOSPC, FAULT_EINTR, FAULT_SHORT},
  [FAULT_WRITE] = {FAULT_EIO, FAULT_ENOSPC, FAULT_EINTR, FAULT_SHORT},
  [FAULT_WRITEV] = {FAULT_EIO, FAULT_ENOSPC, FAULT_EINTR, FAULT_SHORT},
  [FAULT_FDATASYNC] = {FAULT_EIO, FAULT_ENOSPC, FAULT_EINTR, FAULT_KINDS},
  [FAULT_FSYNC] = {FAULT_EIO, FAULT_ENOSPC, FAULT_EINTR, FAULT_KINDS},
  [FAULT_MSYNC] = {FAULT_EIO, FAULT_ENOSPC, FAULT_KINDS, FAULT_KINDS},
  [FAULT_FTRUNCATE] = {FAULT_EIO, FAULT_ENOSPC, FAULT_EINTR, FAULT_KINDS},
  [FAULT_FALLOCATE] = {FAULT_EIO, FAULT_ENOSPC, FAULT_EINTR, FAULT_KINDS},
  [FAULT_OPEN] = {FAULT_EMFILE, FAULT_EACCES, FAULT_EINTR, FAULT_EIO},
  [FAULT_STAT] = {FAULT_EIO, FAULT_EACCES, FAULT_KINDS, FAULT_KINDS},
  [FAULT_RENAME] = {FAULT_EIO, FAULT_ENOSPC, FAULT_EACCES, FAULT_KINDS},
  [FAULT_LINK] = {FAULT_EIO, FAULT_ENOSPC, FAULT_EACCES, FAULT_KINDS},
  [FAULT_UNLINK] = {FAULT_EIO, FAULT_EACCES, FAULT_KINDS, FAULT_KINDS},
  [FAULT_MKDIR] = {FAULT_EIO, FAULT_ENOSPC, FAULT_EACCES, FAULT_KINDS},
  [FAULT_OPENDIR] = {FAULT_EMFILE, FAULT_EACCES, FAULT_KINDS, FAULT_KINDS},
  [FAULT_MMAP] = {FAULT_EIO, FAULT_KINDS, FAULT_KINDS, FAULT_KINDS},
  [FAULT_FCNTL] = {FAULT_EIO, FAULT_EINTR, FAULT_KINDS, FAULT_KINDS},
  [FAULT_READ] = {FAULT_EIO, FAULT_EINTR, FAULT_SHORT, FAULT_KINDS},
  [FAULT_EVENTFD] = {FAULT_EMFILE, FAULT_KINDS, FAULT_KINDS, FAULT_KINDS},
  [FAULT_THREAD] = {FAULT_EIO, FAULT_KINDS, FAULT_KINDS, FAULT_KINDS},
  [FAULT_MALLOC] = {FAULT_EIO, FAULT_KINDS, FAULT_KINDS, FAULT_KINDS},
};

// For seeing the harness fail: writes that are said to be made and are not.
static const unsigned char broken_kinds[4] = {FAULT_DROP, FAULT_KINDS, FAULT_KINDS, FAULT_KINDS};
static bool is_broken;

// A store to begin with, put back before each run.

static char saved[300];

static void make_store(void) {
  livery_store *store = NULL;
  static char first[8192];
  workload_schema(first, sizeof first, 1);
  if (open_with(place, LIVERY_OPEN_CREATE, &store) != LIVERY_OK) give_up("%s", place);
  if (livery_schema_apply(store, first, LIVERY_ZERO_TERMINATED, NULL, NULL) != LIVERY_OK) give_up("the schema");
  // Its next version is for an operation.
  for (int index = 0; index < 40; index++) workload_step(store, NULL);
  livery_set_int(store, LIVERY_LAYER_USER, "two", 2);
  if (livery_backup(store, backup) != LIVERY_OK) give_up("the backup");
  if (apply_console(store, "{\"colors\": {\"Toolbar\": \"#FF0000\", \"Accent\": \"#00FF00\"}}") != LIVERY_OK)
    give_up("the brand");
  if (livery_asset_put(store, stored_image, sizeof stored_image - 1, 0, NULL) != LIVERY_OK) give_up("the image");
  if (livery_set_int(store, LIVERY_LAYER_USER, "one", 1) != LIVERY_OK) give_up("the first value");
  livery_close(store);
}

static void put_back(void) {
  char from[320], to[320];
  size_t length = 0;
  snprintf(from, sizeof from, "%s/data.mdb", saved);
  snprintf(to, sizeof to, "%s/data.mdb", place);
  unsigned char *content = file_content(from, &length);
  unlink(to);
  put_file(to, content, length);
  free(content);
  remove_tree(fresh_place);
  // What earlier runs have copied.
  snprintf(to, sizeof to, "%s/backups", place);
  remove_tree(to);
}

// A watcher's thread ends in its own time, and with it what it holds of a store that is closed.
static void wait_for_threads(void) {
  struct stat facts;
  for (int pause = 0; pause < 5000 && stat("/proc/self/task", &facts) == 0 && facts.st_nlink > 3; pause++) sleep_us(1000);
}

static int open_descriptors(void) {
  int count = 0;
  for (int descriptor = 0; descriptor < 256; descriptor++) count += fcntl(descriptor, F_GETFD) >= 0;
  return count;
}

/** What a store holds apart from when it was set; 0 if it cannot be read. */
static uint64_t content_of(livery_store *store) {
  char *text = NULL;
  size_t length = 0;
  uint64_t hash = 0, revision = 0;
  if (livery_revision(store, &revision) != LIVERY_OK) return 0;
  if (livery_export_json(store, 0, &text, &length) != LIVERY_OK) return 0;
  hash = hash_bytes(revision, text, length) | 1;
  livery_free(text);
  livery_value *history = NULL, *assets = NULL;
  size_t count = 0;
  if (livery_asset_list(store, &assets) != LIVERY_OK) return 0;
  livery_value_count(assets, &count);
  livery_value_release(assets);
  hash = hash_bytes(hash, &count, sizeof count);
  if (livery_history(store, NULL, &history) != LIVERY_OK) return 0;
  livery_value_count(history, &count);
  livery_value_release(history);
  return hash_bytes(hash, &count, sizeof count) | 1;
}

static uint64_t content_at(const char *path) {
  livery_store *store = NULL;
  if (open_with(path, 0, &store) != LIVERY_OK) return 0;
  uint64_t hash = content_of(store);
  livery_close(store);
  return hash;
}

// Figures of all workers.
static struct figures {
  _Atomic uint64_t sites, runs, failed_statuses, kept_new, succeeded, crashes, aborts_without_memory;
  // Of the run under way.
  _Atomic uint64_t nth, call_count;
  _Atomic int by_status[64];
} *figures;

static char command[400];

static void wrong(const char *what) {
  finding("fault_sweep: %s: %s (%s)", command, what, livery_last_error()->message);
}

typedef struct result { livery_status status; uint64_t seen, struck; int64_t lost; } result;

/** One run from the store that was saved; where something is wrong, it is told. */
static result run(const struct operation *operation, fault_call call, fault_kind kind, uint64_t nth, bool is_sticky,
                  uint64_t before, uint64_t after) {
  livery_store *store = NULL;
  const char *path = operation->run == do_make ? fresh_place : place;
  result result = {0};
  wait_for_threads();
  put_back();
  int descriptors = open_descriptors();
  int64_t blocks = live_blocks();
  if (!operation->opens_itself && open_with(place, 0, &store) != LIVERY_OK) wrong("the store does not open before the fault");

  if (nth) arm(call, kind, nth, is_sticky);
  result.status = operation->run(store);
  result.seen = disarm(&result.struck);

  // What is seen now, and what is seen by whoever opens the store next.
  uint64_t now = 0;
  if (store) {
    now = content_of(store);
    if (now == 0) wrong("the store cannot be read after the fault");
    livery_close(store);
  }
  wait_for_threads();
  // A thread's own memory is kept for the next one.
  int64_t lost = live_blocks() - blocks, spare = operation->run == do_watch ? 4 : 0;
  result.lost = lost > spare || lost < -spare ? lost : 0;
  if (open_descriptors() != descriptors) wrong("a descriptor is lost");
  uint64_t reopened;
  if (operation->run == do_make && result.status != LIVERY_OK) {
    // A store that could not be made can be made afterwards.
    if (open_and_close(fresh_place, LIVERY_OPEN_CREATE, true) != LIVERY_OK) wrong("a store cannot be made after a failure");
    return result;
  }
  reopened = content_at(path);
  if (reopened == 0) wrong("the store does not open after the fault");
  if (before && reopened != before && reopened != after) wrong("neither what was there nor what was to be there");
  if (now && now != reopened) wrong("what was seen is not what is there after opening it anew");
  if (after && result.status == LIVERY_OK && reopened != after) wrong("it was said to be done and is not");
  if (before && before != after && result.status != LIVERY_OK && reopened == after) figures->kept_new++;
  if (open_and_close(path, 0, true) != LIVERY_OK) wrong("nothing can be set after the fault");
  return result;
}

static void sweep(const struct operation *operation, fault_call call, fault_kind kind, bool is_sticky, uint64_t from,
                  uint64_t limit) {
  // Twice without a fault: what is made once and kept, and what is there before and after.
  put_back();
  uint64_t before = operation->run == do_make ? 0 : content_at(place), after = 0;
  command[0] = 0;
  // A thread's first error takes memory for all of them.
  livery_revision(NULL, NULL);
  for (int round = 0; round < 2; round++) {
    result whole = run(operation, call, kind, 0, false, 0, 0);
    if (whole.status != LIVERY_OK) wrong("it fails without a fault");
    put_back();
    livery_store *store = NULL;
    if (!operation->opens_itself && open_with(place, 0, &store) != LIVERY_OK) wrong("the store does not open");
    operation->run(store);
    livery_close(store);
    wait_for_threads();
    after = content_at(operation->run == do_make ? fresh_place : place);
  }
  if (operation->run == do_read || operation->run == do_open) after = before;
  for (uint64_t nth = from; nth <= limit; nth++) {
    figures->nth = nth;
    snprintf(command, sizeof command, "fault_sweep --operation %s --call %s --kind %s --nth %llu%s", operation->name,
             call_names[call], kind_names[kind], (unsigned long long)nth, is_sticky ? " --sticky" : "");
    result result = run(operation, call, kind, nth, is_sticky, before, after);
    if (result.struck == 0) break;
    // What is made once and kept is not lost: the same failure takes no more of it.
    if (result.lost && run(operation, call, kind, nth, is_sticky, before, after).lost) {
      char text[80];
      snprintf(text, sizeof text, "%lld pieces of memory are lost", (long long)result.lost);
      wrong(text);
    }
    figures->sites++;
    if (result.status == LIVERY_OK) {
      figures->succeeded++;
    } else {
      figures->failed_statuses++;
      int index = -result.status;
      if (index > 0 && index < 64) figures->by_status[index]++;
      // What the system refused is told as such, and not as a mistake of the caller.
      if (result.status == LIVERY_ERROR_INVALID_ARGUMENT || result.status == LIVERY_ERROR_CLOSED
          || strcmp(livery_status_name(result.status), "LIVERY_ERROR_UNKNOWN") == 0)
        wrong("an unfitting status");
    }
  }
}

static bool is_chosen(const char *option, const char *name) {
  const char *text = option_text(option, NULL);
  return !text || strcmp(text, name) == 0;
}

static void preload_self(char **argv) {
  char self[512], library[600];
  ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
  if (length < 0) give_up("/proc/self/exe");
  self[length] = 0;
  snprintf(library, sizeof library, "%.*s/libfaults.so", (int)(strrchr(self, '/') - self), self);
  setenv("LD_PRELOAD", library, 1);
  execv(self, argv);
  give_up("%s", self);
}

int main(int argc, char **argv) {
  arm = (fault_arm_fn)(uintptr_t)dlsym(RTLD_DEFAULT, "fault_arm");
  if (!arm) preload_self(argv);
  disarm = (fault_disarm_fn)(uintptr_t)dlsym(RTLD_DEFAULT, "fault_disarm");
  live_blocks = (fault_blocks_fn)(uintptr_t)dlsym(RTLD_DEFAULT, "fault_blocks");
  begin_torture("faults", argc, argv);
  unsetenv("LD_PRELOAD");
  is_broken = option_given("--broken");
  uint64_t seed = option_number("--seed", 1), only = option_number("--nth", 0);
  // A part of all combinations: every Nth of them, from a number on.
  uint64_t every = option_number("--every", 1), number = seed;
  seed_with(seed);
  prepare_operations();
  snprintf(saved, sizeof saved, "%s/saved", torture_directory);
  figures = shared_memory(sizeof *figures);
  double began = seconds_now();

  // The library lives in children alone, so that a crash is a finding and not the end.
  int status = run_child(make_store);
  if (status != 0) give_up("no store could be made");
  char from[320], to[320];
  size_t length = 0;
  mkdir(saved, 0700);
  snprintf(from, sizeof from, "%s/data.mdb", place);
  snprintf(to, sizeof to, "%s/data.mdb", saved);
  unsigned char *content = file_content(from, &length);
  put_file(to, content, length);
  free(content);

  for (size_t index = 0; index < COUNT_OF(operations); index++) {
    if (!is_chosen("--operation", operations[index].name)) continue;
    if (strcmp(option_text("--without", ""), operations[index].name) == 0) continue;
    for (int call = 0; call < FAULT_CALLS; call++) {
      if (!is_chosen("--call", call_names[call])) continue;
      for (int which = 0; which < 4; which++) {
        fault_kind kind = is_broken && call == FAULT_PWRITE ? broken_kinds[which] : kinds_of[call][which];
        if (kind == FAULT_KINDS || !is_chosen("--kind", kind_names[kind])) continue;
        for (int is_sticky = 0; is_sticky < 2; is_sticky++) {
          if (only && is_sticky != option_given("--sticky")) continue;
          if (number++ % every != 0) continue;
          uint64_t nth = only ? only : 1;
          // After a crash, on from the next call.
          for (;;) {
            figures->nth = 0;
            pid_t child = fork();
            if (child == 0) {
              alarm(120);
              sweep(&operations[index], (fault_call)call, kind, is_sticky, nth, only ? only : option_number("--limit", 400));
              _exit(0);
            }
            waitpid(child, &status, 0);
            if (status == 0) break;
            figures->crashes++;
            figures->sites++;
            if (call == FAULT_MALLOC && WIFSIGNALED(status) && option_given("--no-memory-may-abort")) {
              figures->aborts_without_memory++;
              figures->crashes--;
            } else {
              finding("fault_sweep: %s\n  again: scripts/torture again fault_sweep --operation %s --call %s --kind %s --nth %llu%s", ending(status),
                      operations[index].name, call_names[call], kind_names[kind], (unsigned long long)figures->nth,
                      is_sticky ? " --sticky" : "");
            }
            nth = figures->nth + 1;
            if (only || figures->nth == 0) break;
          }
        }
      }
    }
  }
  printf("fault_sweep: sites=%llu refused=%llu overcome=%llu refused_but_done=%llu crashes=%llu aborts_without_memory=%llu "
         "errors=%llu seconds=%.1f seed=%llu\n",
         (unsigned long long)figures->sites, (unsigned long long)figures->failed_statuses,
         (unsigned long long)figures->succeeded, (unsigned long long)figures->kept_new, (unsigned long long)figures->crashes,
         (unsigned long long)figures->aborts_without_memory, (unsigned long long)findings(), seconds_now() - began,
         (unsigned long long)seed);
  if (option_given("--statuses"))
    for (int index = 0; index < 64; index++)
      if (figures->by_status[index]) printf("  %s: %d\n", livery_status_name(-index), figures->by_status[index]);
  return findings() ? 1 : 0;
}
