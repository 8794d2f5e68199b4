// Maintenance by another owner: root, or another member of the group, compacts, restores, backs up, mends and opens the store
// of an ordinary user or of a group. Afterwards the owner, and each member of the group, still reads and writes everything,
// and every file has the owner, the group and the mode that it had; or it was refused with PERMISSION and nothing changed.
//
//     owners [--rounds N] [--seed S] [--from N] [--broken]
//
// Needs to be run by root.
#include "batches.h"

#include <grp.h>

enum { OWNER = 65533, MEMBER = 65534, TEAM = 65531, ELSEWHERE = 65530, FILES = 64, NAMES = 12 };

static char path[300];
static bool is_group, is_broken;

static struct shared {
  _Atomic int64_t value;
  _Atomic int status;
  _Atomic uint64_t refused, root_done, member_done;
} *shared;

/** For this process and good: an ordinary user, whose first group is the team's or not. */
static void become(unsigned user) {
  // What a store of a group is for: its members need not have it as their first one.
  gid_t first = user == OWNER ? TEAM : ELSEWHERE;
  gid_t groups[] = {TEAM};
  if (user == 0) return;
  if (setgroups(is_group ? 1 : 0, groups) != 0 || setgid(user == OWNER && !is_group ? ELSEWHERE : first) != 0 || setuid(user) != 0)
    give_up("cannot be user %u", user);
}

static livery_status open_store(livery_store **store, uint32_t flags) {
  livery_open_options options = LIVERY_OPEN_OPTIONS_INIT;
  options.flags = flags | LIVERY_OPEN_DEFERRED;
  options.map_size = 1 << 24;
  options.backup_commits = UINT32_MAX;
  return livery_open(path, &options, store);
}

static const char *name_of(unsigned index) {
  static char name[16];
  snprintf(name, sizeof name, "value.%u", index);
  return name;
}

static livery_status set_all(livery_store *store, int64_t value) {
  livery_change *change = NULL;
  livery_status status = livery_change_begin(store, LIVERY_LAYER_USER, &change);
  for (unsigned index = 0; index < NAMES && status == LIVERY_OK; index++)
    status = livery_change_set_int(change, name_of(index), value + index);
  if (status == LIVERY_OK) status = livery_change_commit(change, NULL);
  if (status != LIVERY_OK) livery_change_discard(change);
  return status;
}

static uint64_t make_seed;
static void make(void) {
  livery_store *store = NULL;
  become(OWNER);
  umask(022);
  if (!is_fit("making", open_store(&store, LIVERY_OPEN_CREATE | (is_group ? LIVERY_OPEN_GROUP : 0)), NULL)) return;
  is_fit("setting", set_all(store, 0), NULL);
  if (make_seed & 1) is_fit("backing up", livery_backup(store, NULL), NULL);
  livery_close(store);
}

// Who uses the store afterwards: reads, writes, and maintains it too.
static unsigned user;
static void use(void) {
  static const livery_status refused[] = {LIVERY_ERROR_PERMISSION, 0};
  livery_store *store = NULL;
  int64_t value = 0;
  become(user);
  if (!is_fit(user == OWNER ? "opening by the owner" : "opening by a member", open_store(&store, 0), NULL)) return;
  for (unsigned index = 0; index < NAMES; index++)
    if (!is_fit("reading", livery_get_int(store, name_of(index), &value), NULL) || value != shared->value + index)
      wrong("user %u reads %lld and not %lld", user, (long long)value, (long long)(shared->value + index));
  shared->value += 100;
  is_fit("setting", set_all(store, shared->value), NULL);
  switch (below(5)) {
    case 0: is_fit("backing up", livery_backup(store, NULL), NULL); break;
    // The file would come to be the member's, which a member cannot help.
    case 1: is_fit("compacting", livery_compact(store), user == MEMBER ? refused : NULL); break;
    case 2:
      is_fit("backing up", livery_backup(store, NULL), NULL);
      is_fit("restoring", livery_restore(store, NULL, NULL, NULL), NULL);
      break;
    default: break;
  }
  livery_close(store);
}

// Facts of all files

static struct listing {
  size_t count;
  struct facts { char name[120]; uid_t uid; gid_t gid; mode_t mode; ino_t inode; } all[FILES];
} before, after;

static void note_entry(const char *file, const char *name, const struct stat *facts, void *context) {
  (void)file;
  struct listing *listing = context;
  if (listing->count == FILES) return;
  struct facts *next = &listing->all[listing->count++];
  snprintf(next->name, sizeof next->name, "%.100s", name);
  next->uid = facts->st_uid, next->gid = facts->st_gid, next->mode = facts->st_mode;
  next->inode = facts->st_ino;
}

static void note(struct listing *listing) {
  struct stat facts;
  listing->count = 0;
  if (stat(path, &facts) == 0) note_entry(path, ".", &facts, listing);
  visit_entries(path, note_entry, listing);
}

static const struct facts *before_of(const char *name) {
  for (size_t index = 0; index < before.count; index++)
    if (strcmp(before.all[index].name, name) == 0) return &before.all[index];
  return NULL;
}

/** Whether all files are for those who had them. */
static void compare(unsigned actor) {
  for (size_t index = 0; index < after.count; index++) {
    const struct facts *now = &after.all[index], *then = before_of(now->name);
    // Unfinished, since a copy's process ended or is at it: nobody reads it, and the next opening removes it.
    if (strncmp(now->name, "backups/.", 9) == 0) continue;
    mode_t expected = S_ISDIR(now->mode) ? is_group ? 0770 : 0700 : is_group ? 0660 : 0600;
    // What a member makes is the member's own; the group is what counts.
    bool may_be_members = is_group && actor == MEMBER;
    if (then && now->inode == then->inode) {
      if (now->uid != then->uid || now->gid != then->gid || now->mode != then->mode)
        wrong("%s was of %u:%u %o and is of %u:%u %o", now->name, then->uid, then->gid, then->mode, now->uid, now->gid, now->mode);
      continue;
    }
    if (now->uid != OWNER && !(may_be_members && now->uid == MEMBER)) wrong("%s is of user %u", now->name, now->uid);
    if (is_group && now->gid != TEAM) wrong("%s is of group %u", now->name, now->gid);
    if (!is_group && now->gid != before.all[0].gid && now->gid != ELSEWHERE) wrong("%s is of group %u", now->name, now->gid);
    if ((now->mode & 0777) != expected) wrong("%s has mode %o", now->name, now->mode & 07777);
  }
}

/** When it was refused: nothing has changed, but for what shared files are made of. */
static void compare_unchanged(void) {
  for (size_t index = 0; index < after.count; index++) {
    const struct facts *now = &after.all[index], *then = before_of(now->name);
    // Unfinished, since a copy's process ended or is at it: nobody reads it, and the next opening removes it.
    if (strncmp(now->name, "backups/.", 9) == 0) continue;
    if (!then) continue;
    // One that was taken away is made anew by whoever comes next.
    if (now->inode != then->inode && strcmp(now->name, "data.mdb") != 0) continue;
    if (now->uid != then->uid || now->gid != then->gid || now->mode != then->mode) wrong("it was refused, and %s has changed", now->name);
    if (strcmp(now->name, "data.mdb") == 0 && now->inode != then->inode) wrong("it was refused, and data.mdb is another file");
  }
}

// What another one does

enum { COMPACT, RESTORE, BACKUP, SET, CHECK, OPEN, ASSET, SCHEMA, COPIES, ACTS };
static const char *const act_names[ACTS] = {"compact", "restore", "backup", "set", "check", "open", "asset", "schema", "copies"};
static unsigned actor, act, umask_of_actor;
static bool is_damaged;

static void do_act(void) {
  livery_store *store = NULL;
  become(actor);
  umask(umask_of_actor);
  if (act == CHECK) {
    shared->status = livery_check(path, NULL);
    return;
  }
  livery_open_options options = LIVERY_OPEN_OPTIONS_INIT;
  options.flags = LIVERY_OPEN_DEFERRED;
  options.map_size = 1 << 24;
  options.backup_commits = act == COPIES ? 1 : UINT32_MAX;
  livery_status status = livery_open(path, &options, &store);
  if (status == LIVERY_OK) {
    switch (act) {
      case COMPACT: status = livery_compact(store); break;
      case BACKUP: status = livery_backup(store, NULL); break;
      case RESTORE:
        status = livery_backup(store, NULL);
        if (status == LIVERY_OK) status = livery_restore(store, NULL, NULL, NULL);
        break;
      case ASSET: status = livery_asset_put(store, "some bytes", 10, LIVERY_ASSET_ANY, NULL); break;
      case SCHEMA:
        status = livery_schema_apply(store, "{\"Version\": 1, \"Open\": true, \"Groups\": [{\"Title\": \"A\", \"Settings\": []}]}",
                                     LIVERY_ZERO_TERMINATED, NULL, NULL);
        break;
      case SET: case COPIES:
        status = set_all(store, shared->value + 100);
        if (status == LIVERY_OK) shared->value += 100;
        break;
      default: break;
    }
  }
  livery_close(store);
  shared->status = status;
}

static void spoil(void) {
  char file[340];
  snprintf(file, sizeof file, "%s/data.mdb", path);
  size_t length = 0;
  if (access(file, F_OK) != 0) return;
  switch (below(3)) {
    case 0: unlink(file); break;
    case 1: if (truncate(file, 8192 + 100) != 0) give_up("truncate"); break;
    default: {
      unsigned char *content = file_content(file, &length);
      for (size_t at = 8192; at < length; at += 4096) memset(content + at + 8, 0x5a, 24);
      int opened = open(file, O_WRONLY | O_CLOEXEC);
      if (opened < 0 || write(opened, content, length) != (ssize_t)length) give_up("damage");
      close(opened);
      free(content);
    }
  }
}

static void one_round(void) {
  static const livery_status accepted[] = {LIVERY_ERROR_PERMISSION, 0};
  is_group = below(2);
  is_damaged = below(3) == 0;
  bool is_spoilt = false;
  make_seed = is_damaged ? 1 : random_bits();
  shared->value = 0;
  remove_tree(path);
  // A directory that is there already, as the system makes it.
  if (mkdir(path, 0700) != 0 || chown(path, OWNER, is_group ? TEAM : ELSEWHERE) != 0) give_up("%s", path);
  chmod(path, is_group ? below(2) ? 02770 : 0770 : 0700);
  doing("making a store of %s", is_group ? "a group" : "a user");
  in_process(make);
  if (findings() > 0 && rounds->crashes) return;
  actor = is_group && below(2) ? MEMBER : 0;
  for (uint64_t left = 1 + below(2); left > 0; left--) {
    act = (unsigned)below(ACTS);
    umask_of_actor = below(2) ? 022 : below(2) ? 077 : 0;
    bool loses = below(4) == 0;
    doing("%s by %s on the store of %s%s%s, umask %03o", act_names[act], actor ? "a member" : "root", is_group ? "a group" : "a user",
          is_damaged ? ", damaged" : "", loses ? ", without its lock files" : "", umask_of_actor);
    note(&before);
    if (is_damaged) spoil(), is_spoilt = true;
    if (loses) {
      static const char *const names[] = {"lock.mdb", "livery.lock", "livery.wake"};
      for (size_t index = 0; index < COUNT_OF(names); index++) {
        char name[340];
        snprintf(name, sizeof name, "%s/%s", path, names[index]);
        if (below(2)) unlink(name);
      }
    }
    shared->status = 0;
    // For seeing the harness fail: what the first version did.
    if (is_broken && actor == 0) {
      char name[340];
      snprintf(name, sizeof name, "%s/data.mdb", path);
      if (chown(name, 0, 0) != 0) continue;
    }
    if (in_process(do_act) != 0) return;
    livery_status status = shared->status;
    // The copy in damage's place is of the beginning.
    bool may_be_corrupt = act == CHECK && is_spoilt;
    if (act != CHECK) is_damaged = false;
    if (act != CHECK && status == LIVERY_OK) is_spoilt = false;
    if (!may_be_corrupt) is_fit("it", status, accepted);
    note(&after);
    if (status == LIVERY_OK || may_be_corrupt) {
      compare(actor);
      (*(actor ? &shared->member_done : &shared->root_done))++;
    } else {
      shared->refused++;
      compare_unchanged();
    }
  }
  user = OWNER;
  doing("use by the owner after %s by %s on the store of %s", act_names[act], actor ? "a member" : "root", is_group ? "a group" : "a user");
  in_process(use);
  if (is_group) {
    user = MEMBER;
    doing("use by a member after %s by %s", act_names[act], actor ? "a member" : "root");
    in_process(use);
    user = OWNER;
    doing("use by the owner after a member");
    in_process(use);
  }
}

int main(int argc, char **argv) {
  begin_rounds("owners", argc, argv, 20000);
  if (geteuid() != 0) return skip_rounds();
  is_broken = option_given("--broken");
  shared = shared_memory(sizeof *shared);
  chmod(torture_directory, 0755);
  snprintf(path, sizeof path, "%s/store", torture_directory);
  run_rounds(one_round, 50);
  figure("by_root", shared->root_done);
  figure("by_members", shared->member_done);
  figure("refused", shared->refused);
  return end_rounds();
}
