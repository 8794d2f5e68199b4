// Kills and power cuts around trials. A process begins a trial of several settings in two layers, and confirms it, takes it
// back, or leaves it, until it is killed. Meanwhile the time of the trial may pass, and another process reads. Afterwards the
// system goes on, or starts anew after a cut. Whatever comes first, the settings are found as they were or as they were to
// be: all of them, at the first read, and what an answer has said.
//
//     trial_kill [--kills N] [--seed N] [--broken]
#include "torture.h"

#include <sys/syscall.h>

enum { SETTINGS = 8, MINUTE = 60000000 };

typedef struct shared {
  // By how much the clock since the start of the system is moved, in microseconds, and that clock as it is.
  _Atomic int64_t passed;
  // What the writer has asked for, and what it was answered. 1 begun, 2 answered with success, 3 with something else.
  _Atomic int begin, confirm, revert;
  _Atomic bool ends;
  _Atomic uint64_t looks;
  char boot[300], path[300];
  int64_t before, wanted;
  uint64_t seed;
  bool broken, only_reads;
  int64_t found;
  char state[16];
} shared;

static shared *common;

int clock_gettime(clockid_t clock, struct timespec *time) {
  int result = (int)syscall(SYS_clock_gettime, clock, time);
  if (clock != CLOCK_BOOTTIME || !common) return result;
  int64_t now = (int64_t)time->tv_sec * 1000000 + time->tv_nsec / 1000 + common->passed;
  time->tv_sec = (time_t)(now / 1000000);
  time->tv_nsec = (long)(now % 1000000 * 1000);
  return result;
}

int open(const char *path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  mode_t mode = va_arg(rest, mode_t);
  va_end(rest);
  if (common && strcmp(path, "/proc/sys/kernel/random/boot_id") == 0) path = common->boot;
  return openat(AT_FDCWD, path, flags, mode);
}

// The clock since the start of the system begins anew, with another boot.
static void start_anew(uint64_t number) {
  struct timespec now;
  char text[64];
  syscall(SYS_clock_gettime, CLOCK_BOOTTIME, &now);
  common->passed = -(int64_t)now.tv_sec * 1000000 + (int64_t)below(90) * 1000000 + 1000000;
  int length = snprintf(text, sizeof text, "%08" PRIx64 "-0000-4000-8000-000000000000\n", number);
  put_file(common->boot, text, (size_t)length);
}

static const char *name_of(int index) {
  static char name[8];
  snprintf(name, sizeof name, "s%d", index);
  return name;
}

static livery_store *open_common(uint32_t flags) {
  livery_store *store = NULL;
  if (open_with(common->path, flags, &store) != LIVERY_OK) {
    finding("trial_kill: the store cannot be opened: %s", livery_last_error()->message);
    _exit(1);
  }
  return store;
}

static livery_status begin(livery_store *store, uint64_t *revision) {
  livery_change *change = NULL;
  livery_status status = livery_change_begin(store, LIVERY_LAYER_USER, &change);
  for (int index = 0; index < SETTINGS && status == LIVERY_OK; index++) {
    // A fault that is to be found: half of them are no part of the trial.
    if (common->broken && index == SETTINGS / 2) {
      for (int other = index; other < SETTINGS; other++)
        livery_set_int(store, LIVERY_LAYER_USER, name_of(other), common->wanted);
      break;
    }
    if (index == SETTINGS - 2) status = livery_change_layer(change, LIVERY_LAYER_RECOMMENDED);
    if (status == LIVERY_OK) status = livery_change_set_int(change, name_of(index), common->wanted);
  }
  if (status == LIVERY_OK) status = livery_change_trial(change, MINUTE);
  if (status == LIVERY_OK) status = livery_change_commit(change, revision);
  if (status != LIVERY_OK) livery_change_discard(change);
  return status;
}

static void write_until_killed(void) {
  seed_with(common->seed);
  livery_store *store = open_common(LIVERY_OPEN_CREATE);
  uint64_t revision = 0, what = below(4);
  common->begin = 1;
  livery_status status = begin(store, &revision);
  common->begin = status == LIVERY_OK ? 2 : 3;
  if (status != LIVERY_OK) finding("trial_kill: no trial can be begun: %s", livery_last_error()->message);
  if (below(2)) sleep_us(below(1500));
  // What others do meanwhile is no part of it.
  if (below(2)) livery_set_int(store, LIVERY_LAYER_USER, "other", (int64_t)random_bits());
  if (what < 2) {
    common->confirm = 1;
    common->confirm = livery_trial_confirm(store, revision, "harness") == LIVERY_OK ? 2 : 3;
  } else if (what == 2) {
    common->revert = 1;
    common->revert = livery_trial_revert(store, revision, "harness") == LIVERY_OK ? 2 : 3;
  }
  if (below(2)) livery_set_int(store, LIVERY_LAYER_USER, "other", (int64_t)random_bits());
  while (!common->ends) sleep_us(200);
  livery_close(store);
  _exit(0);
}

// All of them as one transaction finds them; -2 if they are not alike.
static int64_t found_together(livery_store *store) {
  livery_snapshot *snapshot = NULL;
  int64_t all = -1;
  if (livery_snapshot_open(store, &snapshot) != LIVERY_OK) return -3;
  for (int index = 0; index < SETTINGS; index++) {
    livery_value *value = NULL;
    int64_t number = 0;
    if (livery_snapshot_get(snapshot, name_of(index), &value) != LIVERY_OK || livery_value_as_int(value, &number) != LIVERY_OK)
      number = -3;
    livery_value_release(value);
    all = index == 0 || all == number ? number : -2;
    if (all < 0) break;
  }
  livery_snapshot_close(snapshot);
  return all;
}

// One by one, as programs read; to be called once nothing changes any more.
static int64_t found_singly(livery_store *store) {
  int64_t all = -1;
  for (int index = 0; index < SETTINGS; index++) {
    int64_t number = -3;
    livery_get_int(store, name_of(index), &number);
    all = index == 0 || all == number ? number : -2;
    if (all < 0) break;
  }
  return all;
}

static void read_meanwhile(void) {
  livery_store *store = open_common(LIVERY_OPEN_READ_ONLY);
  while (!common->ends) {
    int64_t found = found_together(store);
    common->looks++;
    if (found != common->before && found != common->wanted)
      finding("trial_kill: %" PRId64 " is found while %" PRId64 " becomes %" PRId64 ", seed %" PRIu64, found, common->before,
              common->wanted, common->seed);
  }
  livery_close(store);
  _exit(0);
}

static void look(void) {
  livery_store *store = open_common(common->only_reads ? LIVERY_OPEN_READ_ONLY : 0);
  livery_value *status = NULL, *member = NULL;
  const char *text = "";
  common->found = found_singly(store);
  if (found_together(store) != common->found) common->found = -2;
  if (livery_trial_status(store, &status) == LIVERY_OK && livery_value_member(status, "state", &member) == LIVERY_OK)
    livery_value_as_string(member, &text, NULL);
  snprintf(common->state, sizeof common->state, "%s", text);
  // What the next commit writes down is what reads have found.
  if (!common->only_reads) {
    livery_set_int(store, LIVERY_LAYER_USER, "other", 1);
    if (found_singly(store) != common->found) common->found = -2;
  }
  livery_close(store);
  _exit(0);
}

static void run(void (*work)(void)) {
  pid_t child = start_child(work);
  int status = 0;
  waitpid(child, &status, 0);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) finding("trial_kill: a reader %s", ending(status));
}

static void make(void) {
  livery_store *store = open_common(LIVERY_OPEN_CREATE);
  for (int index = 0; index < SETTINGS; index++)
    if (livery_set_int(store, index < SETTINGS - 2 ? LIVERY_LAYER_USER : LIVERY_LAYER_RECOMMENDED, name_of(index), 0) != LIVERY_OK)
      give_up("setting");
  livery_close(store);
  _exit(0);
}

int main(int argc, char **argv) {
  begin_torture("trial_kill", argc, argv);
  uint64_t kills = option_number("--kills", 200), seed = option_number("--seed", fresh_seed());
  uint64_t killed = 0, cuts = 0, confirmed = 0, reverted = 0, undecided = 0;
  common = shared_memory(sizeof *common);
  common->broken = option_given("--broken");
  snprintf(common->path, sizeof common->path, "%s/store", torture_directory);
  snprintf(common->boot, sizeof common->boot, "%s/boot", torture_directory);
  seed_with(seed);
  start_anew(0);
  run(make);
  double began = seconds_now();
  for (uint64_t round = 1; killed < kills && !findings(); round++) {
    common->wanted = (int64_t)round;
    common->begin = common->confirm = common->revert = 0;
    common->ends = false;
    common->seed = random_bits();
    pid_t reader = start_child(read_meanwhile), writer = start_child(write_until_killed);
    bool passes = below(3) == 0;
    sleep_us(below(6000));
    if (passes) common->passed += 2 * MINUTE;
    sleep_us(below(3000));
    kill(writer, SIGKILL);
    int status = 0;
    waitpid(writer, &status, 0);
    if (WIFSIGNALED(status)) killed++;
    common->ends = true;
    waitpid(reader, &status, 0);
    int is_begun = common->begin, is_confirmed = common->confirm, is_reverted = common->revert;
    // It goes on until nothing is pending any more.
    if (below(2)) {
      start_anew(round);
      cuts++;
    } else {
      common->passed += 2 * MINUTE;
    }
    common->only_reads = below(2);
    run(look);
    int64_t found = common->found;
    bool may_be_new = is_confirmed == 1 || is_confirmed == 2, may_be_old = is_confirmed != 2;
    bool is_new = found == common->wanted, is_old = found == common->before;
    const char *says = is_new ? "confirmed" : is_begun == 2 || is_reverted == 2 ? "reverted" : common->state;
    if (!(is_new && may_be_new) && !(is_old && may_be_old))
      finding("trial_kill: %" PRId64 " is found where %" PRId64 " was to become %" PRId64 ": begun %d, confirmed %d, reverted %d",
              found, common->before, common->wanted, is_begun, is_confirmed, is_reverted);
    else if (strcmp(says, common->state) != 0)
      finding("trial_kill: the status says %s of what was %s", common->state, says);
    if (is_new) confirmed++; else reverted++;
    if (is_confirmed == 1) undecided++;
    if (findings()) fprintf(stderr, "again: trial_kill --kills %" PRIu64 " --seed %" PRIu64 "\n", kills, seed);
    common->before = found;
  }
  figure("kills", killed);
  figure("cuts", cuts);
  figure("confirmed", confirmed);
  figure("reverted", reverted);
  figure("undecided", undecided);
  figure("looks", common->looks);
  printf("trial_kill: %serrors=%" PRIu64 " seconds=%.1f seed=%" PRIu64 "\n", torture_figures, findings(), seconds_now() - began,
         seed);
  return findings() ? 1 : 0;
}
