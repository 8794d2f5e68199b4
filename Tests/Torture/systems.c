// Systems that are against the store: full ones, without inodes, read-only, foreign, with few descriptors, and several
// with process numbers of their own. No signal, a status that fits, old values readable, and nothing grows for ever.
//
//     systems [--only NAME] [--without NAME,…] [--broken]
//
// Needs the right to mount, as root or in a namespace of its own; says what it skips without.
#include "torture.h"

#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>

static char mounted[300], path[340];
static struct figures { _Atomic uint64_t cases, refused, opened; _Atomic int said[64]; } *figures;
static const char *scenario;

__attribute__((format(printf, 1, 2))) static void wrong(const char *format, ...) {
  char text[600];
  va_list list;
  va_start(list, format);
  vsnprintf(text, sizeof text, format, list);
  va_end(list);
  finding("systems: %s: %s (%s)\n  again: scripts/torture again systems --only %s", scenario, text,
          livery_last_error()->message, scenario);
}

/** Runs in a child; a signal is a finding. */
static void in_child(void (*body)(int), int argument) {
  figures->cases++;
  pid_t child = fork();
  if (child == 0) {
    body(argument);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (status != 0) wrong("case %d: the process %s", argument, ending(status));
}

static bool is_one_of(livery_status status, const livery_status *accepted) {
  // For seeing the harness fail: nothing may be refused.
  for (; *accepted && !option_given("--broken"); accepted++)
    if (*accepted == status) return true;
  return status == LIVERY_OK;
}

static livery_status said(livery_status status) {
  if (status == LIVERY_OK) {
    figures->opened++;
  } else {
    figures->refused++;
    figures->said[-status & 63]++;
  }
  return status;
}

static livery_status open_here(uint32_t flags, livery_store **store) { return said(open_with(path, flags, store)); }

static void make_store(int argument) {
  (void)argument;
  livery_store *store = NULL;
  if (open_with(path, LIVERY_OPEN_CREATE, &store) != LIVERY_OK
      || livery_set_string(store, LIVERY_LAYER_USER, "title", "before", LIVERY_ZERO_TERMINATED) != LIVERY_OK)
    wrong("the store cannot be made");
  livery_close(store);
}

static void expect_old(livery_store *store) {
  char text[32] = "";
  livery_status status = livery_get_string(store, "title", text, sizeof text, NULL);
  if (status != LIVERY_OK || (strcmp(text, "before") != 0 && strcmp(text, "after") != 0))
    wrong("the old value is not read: %s %s", livery_status_name(status), text);
}

static bool mount_memory(const char *options) {
  snprintf(mounted, sizeof mounted, "%s/mounted", torture_directory);
  mkdir(mounted, 0755);
  umount2(mounted, MNT_DETACH);
  if (mount("tmpfs", mounted, "tmpfs", 0, options) != 0) return false;
  snprintf(path, sizeof path, "%s/store", mounted);
  return true;
}

// A full file system, with so many pages left

static void fill(int free_pages) {
  char name[340];
  static const char page[4096];
  snprintf(name, sizeof name, "%s/filler", mounted);
  int file = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  off_t size = 0;
  while (write(file, page, sizeof page) == sizeof page) size += (off_t)sizeof page;
  size -= (off_t)free_pages * 4096;
  if (ftruncate(file, size < 0 ? 0 : size) != 0) wrong("filling");
  close(file);
}

static void use_full(int free_pages) {
  static const livery_status accepted[] = {LIVERY_ERROR_NO_SPACE, 0};
  static char large[50000];
  livery_store *store = NULL;
  int descriptor;
  memset(large, 'x', sizeof large);
  fill(free_pages);
  livery_status status = open_here(0, &store);
  if (!is_one_of(status, accepted)) wrong("%d pages left: opening: %s", free_pages, livery_status_name(status));
  if (status == LIVERY_OK) {
    expect_old(store);
    livery_event_fd(store, &descriptor);
    for (int round = 0; round < 6; round++) {
      status = said(round % 2 ? livery_set_string(store, LIVERY_LAYER_USER, "title", "after", LIVERY_ZERO_TERMINATED)
                              : livery_set_string(store, LIVERY_LAYER_USER, "large", large, sizeof large - (size_t)round));
      if (!is_one_of(status, accepted)) wrong("%d pages left: setting: %s", free_pages, livery_status_name(status));
      expect_old(store);
    }
    livery_close(store);
  }
  char kept[340];
  snprintf(kept, sizeof kept, "%s", path);
  snprintf(path, sizeof path, "%s/new", mounted);
  status = open_here(LIVERY_OPEN_CREATE, &store);
  if (!is_one_of(status, accepted)) wrong("%d pages left: making: %s", free_pages, livery_status_name(status));
  if (status == LIVERY_OK) livery_close(store);
  snprintf(path, sizeof path, "%s", kept);
  // Room again: everything works again.
  char name[340];
  snprintf(name, sizeof name, "%s/filler", mounted);
  unlink(name);
  if (open_with(path, 0, &store) != LIVERY_OK
      || livery_set_string(store, LIVERY_LAYER_USER, "title", "after", LIVERY_ZERO_TERMINATED) != LIVERY_OK)
    wrong("%d pages left: it does not get on when there is room", free_pages);
  livery_close(store);
}

static void full(void) {
  for (int free_pages = 0; free_pages < 48; free_pages++) {
    if (!mount_memory("size=1m")) return;
    in_child(make_store, 0);
    in_child(use_full, free_pages);
    umount2(mounted, MNT_DETACH);
  }
}

// No inodes

static void use_without_inodes(int inodes) {
  static const livery_status accepted[] = {LIVERY_ERROR_NO_SPACE, 0};
  livery_store *store = NULL;
  livery_status status = open_here(LIVERY_OPEN_CREATE, &store);
  if (!is_one_of(status, accepted)) wrong("%d inodes: making: %s", inodes, livery_status_name(status));
  if (status != LIVERY_OK) return;
  status = said(livery_set_string(store, LIVERY_LAYER_USER, "title", "before", LIVERY_ZERO_TERMINATED));
  if (!is_one_of(status, accepted)) wrong("%d inodes: setting: %s", inodes, livery_status_name(status));
  if (status == LIVERY_OK) expect_old(store);
  livery_close(store);
}

static void no_inodes(void) {
  for (int inodes = 1; inodes < 16; inodes++) {
    char options[60];
    snprintf(options, sizeof options, "size=4m,nr_inodes=%d", inodes);
    if (!mount_memory(options)) return;
    in_child(use_without_inodes, inodes);
    umount2(mounted, MNT_DETACH);
  }
}

// Read-only

static void use_read_only(int flags) {
  static const livery_status accepted[] = {LIVERY_ERROR_PERMISSION, LIVERY_ERROR_READ_ONLY, 0};
  livery_store *store = NULL;
  livery_status status = open_here((uint32_t)flags, &store);
  // For reading it is opened, and for nothing else.
  bool is_to_open = (flags & LIVERY_OPEN_READ_ONLY) != 0 && !option_given("--broken");
  if (is_to_open ? status != LIVERY_OK : status != LIVERY_ERROR_PERMISSION)
    wrong("opening with flags %d: %s", flags, livery_status_name(status));
  if (status != LIVERY_OK) return;
  expect_old(store);
  status = said(livery_set_string(store, LIVERY_LAYER_USER, "title", "after", LIVERY_ZERO_TERMINATED));
  if (status == LIVERY_OK || !is_one_of(status, accepted)) wrong("setting: %s", livery_status_name(status));
  expect_old(store);
  livery_close(store);
}

static void read_only(void) {
  if (!mount_memory("size=4m")) return;
  in_child(make_store, 0);
  if (mount(NULL, mounted, NULL, MS_REMOUNT | MS_RDONLY, "size=4m") != 0) wrong("mounting read-only");
  in_child(use_read_only, LIVERY_OPEN_READ_ONLY);
  in_child(use_read_only, 0);
  in_child(use_read_only, LIVERY_OPEN_CREATE);
  // Without what only processes alive share.
  mount(NULL, mounted, NULL, MS_REMOUNT, "size=4m");
  char name[400];
  static const char *const shared[] = {"lock.mdb", "livery.lock", "livery.wake"};
  for (size_t index = 0; index < COUNT_OF(shared); index++) {
    snprintf(name, sizeof name, "%s/%s", path, shared[index]);
    unlink(name);
  }
  mount(NULL, mounted, NULL, MS_REMOUNT | MS_RDONLY, "size=4m");
  in_child(use_read_only, LIVERY_OPEN_READ_ONLY);
  in_child(use_read_only, 0);
  umount2(mounted, MNT_DETACH);
}

// Somebody else's

static void become_nobody(void) {
  if (setgid(65534) != 0 || setuid(65534) != 0) wrong("becoming nobody");
}

static void use_foreign(int flags) {
  static const livery_status accepted[] = {LIVERY_ERROR_PERMISSION, LIVERY_ERROR_NOT_FOUND, 0};
  become_nobody();
  livery_store *store = NULL;
  livery_status status = open_here((uint32_t)flags, &store);
  if (!is_one_of(status, accepted)) wrong("opening with flags %d: %s", flags, livery_status_name(status));
  if (status == LIVERY_OK) {
    expect_old(store);
    if (said(livery_set_int(store, LIVERY_LAYER_USER, "a", 1)) == LIVERY_OK) wrong("somebody else may write");
    livery_close(store);
  }
}

static void use_no_right_to_make(int argument) {
  (void)argument;
  become_nobody();
  livery_store *store = NULL;
  snprintf(path, sizeof path, "%s/none", mounted);
  livery_status status = open_here(LIVERY_OPEN_CREATE, &store);
  if (status != LIVERY_ERROR_PERMISSION) wrong("making: %s", livery_status_name(status));
}

static void foreign(void) {
  if (geteuid() != 0 || !mount_memory("size=4m,mode=755")) return;
  chmod(torture_directory, 0755);
  in_child(make_store, 0);
  static const mode_t modes[] = {0700, 0711, 0755};
  for (size_t index = 0; index < COUNT_OF(modes); index++) {
    chmod(path, modes[index]);
    in_child(use_foreign, 0);
    in_child(use_foreign, LIVERY_OPEN_READ_ONLY);
  }
  // Files that may be read and not written.
  char name[400];
  static const char *const all[] = {"data.mdb", "lock.mdb", "livery.lock", "livery.wake"};
  for (size_t index = 0; index < COUNT_OF(all); index++) {
    snprintf(name, sizeof name, "%s/%s", path, all[index]);
    chmod(name, 0644);
  }
  in_child(use_foreign, 0);
  in_child(use_foreign, LIVERY_OPEN_READ_ONLY);
  in_child(use_no_right_to_make, 0);
  umount2(mounted, MNT_DETACH);
}

// Few descriptors, little address space

static void use_descriptors(int count) {
  static const livery_status accepted[] = {LIVERY_ERROR_IO, LIVERY_ERROR_NO_SPACE, LIVERY_ERROR_BUSY, 0};
  livery_store *store = NULL;
  struct rlimit limit = {(rlim_t)count, (rlim_t)count};
  setrlimit(RLIMIT_NOFILE, &limit);
  livery_status status = open_here(0, &store);
  if (!is_one_of(status, accepted)) wrong("%d descriptors: opening: %s", count, livery_status_name(status));
  if (status != LIVERY_OK) return;
  expect_old(store);
  status = said(livery_set_string(store, LIVERY_LAYER_USER, "title", "after", LIVERY_ZERO_TERMINATED));
  if (!is_one_of(status, accepted)) wrong("%d descriptors: setting: %s", count, livery_status_name(status));
  int descriptor;
  status = livery_event_fd(store, &descriptor);
  if (!is_one_of(status, accepted)) wrong("%d descriptors: a descriptor: %s", count, livery_status_name(status));
  livery_close(store);
}

static void use_address_space(int mebibytes) {
  static const livery_status accepted[] = {LIVERY_ERROR_IO, LIVERY_ERROR_NO_SPACE, LIVERY_ERROR_NO_MEMORY, 0};
  livery_store *store = NULL;
  struct rlimit limit = {(rlim_t)mebibytes << 20, (rlim_t)mebibytes << 20};
  setrlimit(RLIMIT_AS, &limit);
  livery_status status = said(livery_open(path, NULL, &store));
  if (!is_one_of(status, accepted)) wrong("%d MiB: opening: %s", mebibytes, livery_status_name(status));
  if (status == LIVERY_OK) expect_old(store);
  livery_close(store);
}

static void little(void) {
  snprintf(path, sizeof path, "%s/little", torture_directory);
  in_child(make_store, 0);
  for (int count = 3; count < 20; count++) in_child(use_descriptors, count);
  for (int mebibytes = 64; mebibytes < 1400; mebibytes += 90) in_child(use_address_space, mebibytes);
}

// Namespaces of process numbers: in each the process has the number 1

static struct stage { _Atomic int reading[2], wrong, done, is_wanted[2]; } *stage;

static void live_in_namespace(int index) {
  livery_store *store = NULL;
  livery_snapshot *snapshot = NULL;
  int64_t first = -1, again = -1;
  livery_status status = said(open_with(path, 0, &store));
  if (status != LIVERY_OK || livery_snapshot_open(store, &snapshot) != LIVERY_OK) {
    wrong("process 1 of namespace %d cannot open the store: %s", index, livery_status_name(status));
    stage->wrong = 1;
    return;
  }
  livery_value *value = NULL;
  if (livery_snapshot_get(snapshot, "counter", &value) == LIVERY_OK) livery_value_as_int(value, &first);
  livery_value_release(value);
  stage->reading[index] = 1;
  while (stage->is_wanted[index] == 0) sleep_us(1000);
  // The pages of a live reader are not used again.
  value = NULL;
  status = livery_snapshot_get(snapshot, "counter", &value);
  if (status == LIVERY_OK) livery_value_as_int(value, &again);
  livery_value_release(value);
  if (status != LIVERY_OK || again != first)
    wrong("the snapshot of process 1 of namespace %d shows %lld, showed %lld", index, (long long)again, (long long)first);
  livery_snapshot_close(snapshot);
  if (livery_set_int(store, LIVERY_LAYER_USER, "from.a.namespace", index) != LIVERY_OK) wrong("setting in a namespace");
  livery_close(store);
}

static pid_t start_namespace(int index) {
  pid_t child = fork();
  if (child != 0) return child;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (unshare(CLONE_NEWPID) != 0) _exit(9);
  pid_t first = fork();
  if (first == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    live_in_namespace(index);
    _exit(0);
  }
  int status = 0;
  waitpid(first, &status, 0);
  _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 0);
}

static void write_much(int from) {
  livery_store *store = NULL;
  static char text[20000];
  if (open_with(path, 0, &store) != LIVERY_OK) return wrong("opening");
  for (int number = from; number < from + 400; number++) {
    memset(text, 'a' + number % 26, sizeof text);
    if (livery_set_int(store, LIVERY_LAYER_USER, "counter", number) != LIVERY_OK
        || livery_set_string(store, LIVERY_LAYER_USER, "text", text, sizeof text) != LIVERY_OK) {
      wrong("setting");
      break;
    }
  }
  livery_close(store);
}

static uint64_t file_size(void) {
  char name[400];
  struct stat facts;
  snprintf(name, sizeof name, "%s/data.mdb", path);
  return stat(name, &facts) == 0 ? (uint64_t)facts.st_size : 0;
}

static void wait_until_reading(int index) {
  for (int pause = 0; pause < 20000 && !stage->reading[index] && !stage->wrong; pause++) sleep_us(1000);
}

static void namespaces(void) {
  snprintf(path, sizeof path, "%s/shared", torture_directory);
  in_child(make_store, 0);
  in_child(write_much, 1);
  stage = shared_memory(sizeof *stage);
  pid_t first = start_namespace(0);
  wait_until_reading(0);
  pid_t second = start_namespace(1);
  wait_until_reading(1);
  in_child(write_much, 1000);
  // The second goes on its way; the first stays, and has the same number as one that has gone.
  stage->is_wanted[1] = 1;
  int status = 0;
  waitpid(second, &status, 0);
  if (status != 0) wrong("the second process %s", ending(status));
  in_child(write_much, 2000);
  stage->is_wanted[0] = 1;
  waitpid(first, &status, 0);
  if (status != 0) wrong("the first process %s", ending(status));

  // One is killed while it reads; its slot is found although its number is alive elsewhere.
  memset(stage, 0, sizeof *stage);
  first = start_namespace(0);
  wait_until_reading(0);
  second = start_namespace(1);
  wait_until_reading(1);
  kill(first, SIGKILL);
  waitpid(first, &status, 0);
  sleep_us(50000);
  stage->is_wanted[1] = 1;
  waitpid(second, &status, 0);
  in_child(write_much, 3000);
  uint64_t before = file_size();
  in_child(write_much, 4000);
  in_child(write_much, 5000);
  uint64_t after = file_size();
  if (after > before + (4 << 20))
    wrong("the file grows after a reader was killed: from %llu to %llu bytes", (unsigned long long)before,
          (unsigned long long)after);
}

static const struct { const char *name; void (*run)(void); } scenarios[] = {
  {"full", full}, {"no_inodes", no_inodes}, {"read_only", read_only}, {"foreign", foreign},
  {"little", little}, {"namespaces", namespaces},
};

int main(int argc, char **argv) {
  begin_torture("systems", argc, argv);
  const char *only = option_text("--only", NULL), *without = option_text("--without", "");
  figures = shared_memory(sizeof *figures);
  double began = seconds_now();
  // What is mounted is seen by nobody else and goes with the process.
  bool may_mount = unshare(CLONE_NEWNS) == 0;
  if (may_mount) mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL);
  int count = 0;
  for (size_t index = 0; index < COUNT_OF(scenarios) && may_mount; index++) {
    if ((only && strcmp(only, scenarios[index].name) != 0) || strstr(without, scenarios[index].name)) continue;
    scenario = scenarios[index].name;
    scenarios[index].run();
    count++;
  }
  if (!may_mount) fprintf(stderr, "systems: skipped: mounting is not allowed here\n");
  printf("systems: scenarios=%d cases=%llu done=%llu refused=%llu errors=%llu seconds=%.1f\n", count,
         (unsigned long long)figures->cases, (unsigned long long)figures->opened, (unsigned long long)figures->refused,
         (unsigned long long)findings(), seconds_now() - began);
  if (option_given("--statuses"))
    for (int index = 0; index < 64; index++)
      if (figures->said[index]) printf("  %s: %d\n", livery_status_name(-index), figures->said[index]);
  return findings() ? 1 : 0;
}
