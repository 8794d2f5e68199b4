// Kills an upgrade before and after every system call that it makes. The store must then be as before or as after, what is in
// the folder of backups must be the state before, and the upgrade must go through when it is tried again.
//
//     kill_upgrade [--every N] [--from N [--once]] [--broken]
#include "torture.h"

#include <dirent.h>
#include <sys/ptrace.h>

static char made[256], path[256], copy[256];
static char *old_layers, *old_values, *new_values;

#define SETTINGS 40

static const char *schema(unsigned version) {
  static char text[32768];
  size_t used = (size_t)snprintf(text, sizeof text, "{\"Version\": %u, \"Groups\": [{\"Title\": \"G\", \"Settings\": [", version);
  for (unsigned index = 0; index < SETTINGS; index++)
    used += (size_t)snprintf(text + used, sizeof text - used,
                             "%s{\"Type\": \"Number\", \"Format\": \"integer\", \"Title\": \"N\", \"Key\": \"%s%u\", \"Value\": %u}",
                             index ? ", " : "", version == 1 ? "minutes" : "seconds", index, index * version);
  used += (size_t)snprintf(text + used, sizeof text - used, "]}]");
  if (version > 1) {
    used += (size_t)snprintf(text + used, sizeof text - used, ", \"Migrations\": [{\"To\": %u, \"Steps\": [", version);
    for (unsigned index = 0; index < SETTINGS; index++)
      used += (size_t)snprintf(text + used, sizeof text - used,
                               "%s{\"Op\": \"rename\", \"From\": \"minutes%u\", \"Into\": \"seconds%u\"}, "
                               "{\"Op\": \"convert\", \"Key\": \"seconds%u\", \"Type\": \"integer\", \"Scale\": 60}",
                               index ? ", " : "", index, index, index);
    used += (size_t)snprintf(text + used, sizeof text - used, "]}]");
  }
  snprintf(text + used, sizeof text - used, "}");
  return text;
}

static livery_status upgrade(livery_store *store) {
  // Two commits where there should be one.
  if (option_given("--broken")) livery_set_int(store, LIVERY_LAYER_USER, "minutes0", 77);
  return livery_schema_apply(store, schema(2), LIVERY_ZERO_TERMINATED, NULL, NULL);
}

static char *exported(livery_store *store, uint32_t flags) {
  char *text = NULL;
  return livery_export_json(store, flags, &text, NULL) == LIVERY_OK ? text : NULL;
}

static bool is_same(const char *left, const char *right) { return left && right && strcmp(left, right) == 0; }

static bool copy_file(const char *from, const char *to) {
  size_t length = 0;
  unsigned char *content = file_content(from, &length);
  put_file(to, content, length);
  free(content);
  return true;
}

// The store without what its processes share.
static void copy_store(void) {
  char from[300], to[300];
  remove_tree(path);
  if (mkdir(path, 0700) != 0) give_up("%s", path);
  snprintf(from, sizeof from, "%s/data.mdb", made);
  snprintf(to, sizeof to, "%s/data.mdb", path);
  copy_file(from, to);
}

static void make(void) {
  livery_store *store = NULL;
  if (open_with(made, LIVERY_OPEN_CREATE, &store) != LIVERY_OK
      || livery_schema_apply(store, schema(1), LIVERY_ZERO_TERMINATED, NULL, NULL) != LIVERY_OK)
    give_up("%s cannot be made", made);
  static const livery_layer layers[] = {LIVERY_LAYER_BUNDLE, LIVERY_LAYER_RECOMMENDED, LIVERY_LAYER_USER,
                                        LIVERY_LAYER_SESSION, LIVERY_LAYER_ENFORCED};
  for (unsigned layer = 0; layer < COUNT_OF(layers); layer++) {
    livery_change *change = NULL;
    if (livery_change_begin(store, layers[layer], &change) != LIVERY_OK) give_up("no change");
    for (unsigned index = layer; index < SETTINGS; index += 3) {
      char name[32];
      snprintf(name, sizeof name, "minutes%u", index);
      if (livery_change_set_int(change, name, index + layer) != LIVERY_OK) give_up("%s", name);
    }
    if (livery_change_commit(change, NULL) != LIVERY_OK) give_up("no commit");
  }
  livery_close(store);
}

// What the store is before and after, for all the children.
static void learn(void) {
  livery_store *store = NULL;
  copy_store();
  if (open_with(path, 0, &store) != LIVERY_OK) give_up("%s", path);
  old_layers = exported(store, LIVERY_EXPORT_LAYERS);
  old_values = exported(store, 0);
  if (upgrade(store) != LIVERY_OK) give_up("no upgrade");
  new_values = exported(store, 0);
  livery_close(store);
  if (!old_layers || !old_values || !new_values || is_same(old_values, new_values)) give_up("nothing to compare");
}

static unsigned check_backups(uint64_t point) {
  char folder[300], file[600], target[300];
  unsigned count = 0;
  snprintf(folder, sizeof folder, "%s/backups", path);
  DIR *directory = opendir(folder);
  for (struct dirent *entry; directory && (entry = readdir(directory));) {
    size_t length = strlen(entry->d_name);
    if (length < 4 || strcmp(entry->d_name + length - 4, ".mdb") != 0) continue;
    count++;
    remove_tree(copy);
    if (mkdir(copy, 0700) != 0) give_up("%s", copy);
    snprintf(file, sizeof file, "%s/%s", folder, entry->d_name);
    snprintf(target, sizeof target, "%s/data.mdb", copy);
    copy_file(file, target);
    livery_store *store = NULL;
    char *layers = open_with(copy, 0, &store) == LIVERY_OK ? exported(store, LIVERY_EXPORT_LAYERS) : NULL;
    if (!is_same(layers, old_layers)) finding("kill_upgrade --from %" PRIu64 ": the backup is not the state before", point);
    livery_free(layers);
    livery_close(store);
  }
  if (directory) closedir(directory);
  return count;
}

static void check(uint64_t point, uint64_t *upgraded) {
  livery_store *store = NULL;
  uint64_t version = 0;
  if (open_with(path, 0, &store) != LIVERY_OK || livery_schema_version(store, &version) != LIVERY_OK) {
    finding("kill_upgrade --from %" PRIu64 ": the store does not open: %s", point, livery_last_error()->message);
    return;
  }
  char *layers = exported(store, LIVERY_EXPORT_LAYERS), *values = exported(store, 0);
  if (version == 1 ? !is_same(layers, old_layers) || !is_same(values, old_values) : !is_same(values, new_values))
    finding("kill_upgrade --from %" PRIu64 ": the store of version %" PRIu64 " is between old and new", point, version);
  unsigned backups = check_backups(point);
  if (version == 2 && backups == 0) finding("kill_upgrade --from %" PRIu64 ": upgraded without a backup", point);
  *upgraded += version == 2;
  livery_free(layers);
  livery_free(values);
  if (upgrade(store) != LIVERY_OK)
    finding("kill_upgrade --from %" PRIu64 ": not again: %s", point, livery_last_error()->message);
  values = exported(store, 0);
  if (!is_same(values, new_values)) finding("kill_upgrade --from %" PRIu64 ": another outcome again", point);
  livery_free(values);
  livery_close(store);
}

/** Runs the upgrade up to a stop at a system call, and kills it there; false if it ended before. */
static bool kill_at(uint64_t point) {
  pid_t child = fork();
  if (child == 0) {
    livery_store *store = NULL;
    if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0) _exit(3);
    if (open_with(path, 0, &store) != LIVERY_OK) _exit(4);
    raise(SIGSTOP);
    _exit(upgrade(store) == LIVERY_OK ? 0 : 5);
  }
  int status = 0;
  if (waitpid(child, &status, 0) != child || !WIFSTOPPED(status)) give_up("a process cannot be traced");
  ptrace(PTRACE_SETOPTIONS, child, NULL, (void *)(PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL));
  int sent = 0;
  for (uint64_t stops = 0; stops < point;) {
    if (ptrace(PTRACE_SYSCALL, child, NULL, (void *)(intptr_t)sent) != 0) give_up("a process cannot be traced");
    if (waitpid(child, &status, 0) != child) give_up("a process is lost");
    if (WIFEXITED(status)) {
      if (WEXITSTATUS(status) != 0) finding("kill_upgrade: the upgrade %s", ending(status));
      return false;
    }
    if (WIFSIGNALED(status)) {
      finding("kill_upgrade: the upgrade was %s", ending(status));
      return false;
    }
    bool is_call = WSTOPSIG(status) == (SIGTRAP | 0x80);
    sent = is_call ? 0 : WSTOPSIG(status);
    stops += is_call;
  }
  kill(child, SIGKILL);
  waitpid(child, &status, 0);
  return true;
}

// Whether the upgrade makes so many calls.
static bool kill_and_check(uint64_t point, uint64_t *upgraded) {
  copy_store();
  if (!kill_at(point)) return false;
  // In a process of its own, so that nothing of a store is inherited.
  pid_t child = fork();
  if (child == 0) {
    check(point, upgraded);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (status != 0) finding("kill_upgrade --from %" PRIu64 ": the check %s", point, ending(status));
  return true;
}

int main(int argc, char **argv) {
  begin_torture("kill_upgrade", argc, argv);
  snprintf(made, sizeof made, "%s/made", torture_directory);
  snprintf(path, sizeof path, "%s/store", torture_directory);
  snprintf(copy, sizeof copy, "%s/copy", torture_directory);
  make();
  learn();
  uint64_t every = option_number("--every", 1), kills = 0;
  uint64_t *upgraded = shared_memory(4096);
  uint64_t point = option_number("--from", 1);
  while (kill_and_check(point, upgraded)) {
    kills++;
    if (option_given("--once")) break;
    point += every;
  }
  // The last calls come after the commit: they are too few to leave any out.
  for (uint64_t last = point - every + 1; every > 1 && last < point && !option_given("--once"); last++)
    kills += kill_and_check(last, upgraded);
  if (kills > 10 && (*upgraded == 0 || *upgraded == kills)) finding("kill_upgrade: the sweep missed the upgrade");
  printf("kill_upgrade: upgrade_kills=%" PRIu64 " upgraded=%" PRIu64 " errors=%" PRIu64 "\n", kills, *upgraded, findings());
  return findings() != 0;
}
