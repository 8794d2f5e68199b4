// Whoever maintains a store, it stays its owner's and its group's.
#include "fixture.h"

#include <grp.h>

enum { OWNER = 65533, MEMBER = 65534, TEAM = 65531, OTHER = 65530 };

static const char *path;
static uid_t user;
static bool is_group;

/** To be called in a child: the store is used by an ordinary user. */
static void become(void) {
  gid_t team = TEAM;
  if (setgroups(is_group, &team) != 0 || setgid(user == OWNER && is_group ? TEAM : OTHER) != 0 || setuid(user) != 0) _exit(101);
}

static void make(void) {
  become();
  livery_store *store = open_store_with(path, LIVERY_OPEN_CREATE | (is_group ? LIVERY_OPEN_GROUP : 0), 0);
  OK(livery_set_int(store, LIVERY_LAYER_USER, "number", 1));
  OK(livery_backup(store, NULL));
  OK(livery_close(store));
}

static void use(void) {
  int64_t number = 0;
  become();
  livery_store *store = open_store_with(path, 0, 0);
  if (!store) return;
  OK(livery_get_int(store, "number", &number));
  OK(livery_set_int(store, LIVERY_LAYER_USER, "number", number + 1));
  OK(livery_backup(store, NULL));
  // A file of the member's own would take the owner's place.
  EXPECT_STATUS(user == OWNER ? LIVERY_OK : LIVERY_ERROR_PERMISSION, livery_compact(store));
  OK(livery_close(store));
}

static int expect_own(const char *name, const struct stat *facts, int type, struct FTW *walk) {
  (void)walk;
  if (facts->st_uid != OWNER || facts->st_gid != (is_group ? TEAM : OTHER))
    check_fail(__FILE__, __LINE__, "%s is of %u:%u", name, facts->st_uid, facts->st_gid);
  mode_t mode = type == FTW_DP ? 0700 : 0600;
  if ((facts->st_mode & 0777) != (is_group ? mode | mode >> 3 : mode)) check_fail(__FILE__, __LINE__, "%s has mode %o", name, facts->st_mode);
  return 0;
}

static void expect_all_own(void) { EXPECT(nftw(path, expect_own, 8, FTW_DEPTH | FTW_PHYS) == 0); }

/** What an operator may do as root. */
static void maintain(void) {
  livery_store *store = open_store_with(path, 0, 0);
  if (!store) return;
  OK(livery_set_int(store, LIVERY_LAYER_USER, "number", 7));
  OK(livery_backup(store, NULL));
  OK(livery_restore(store, NULL, NULL, NULL));
  OK(livery_compact(store));
  OK(livery_close(store));
}

static void mend(void) {
  char file[400];
  snprintf(file, sizeof file, "%s/data.mdb", path);
  EXPECT(truncate(file, 9000) == 0);
  snprintf(file, sizeof file, "%s/livery.wake", path);
  EXPECT(unlink(file) == 0);
  snprintf(file, sizeof file, "%s/lock.mdb", path);
  EXPECT(unlink(file) == 0);
  OK(livery_close(open_store_with(path, 0, 0)));
}

static void keep_owner(void) {
  path = fresh_path();
  EXPECT(mkdir(path, 0700) == 0 && chown(path, OWNER, is_group ? TEAM : OTHER) == 0);
  if (is_group) EXPECT(chmod(path, 0770) == 0);
  user = OWNER;
  IN_CHILD(make);
  IN_CHILD(maintain);
  expect_all_own();
  IN_CHILD(use);
  IN_CHILD(mend);
  expect_all_own();
  IN_CHILD(use);
}

TEST("what root does leaves the store to its owner", root_on_a_users) {
  if (getuid() != 0) SKIP("only root can be somebody else");
  is_group = false;
  keep_owner();
}

TEST("what root and members do leaves the store to its group", root_on_a_groups) {
  if (getuid() != 0) SKIP("only root can be somebody else");
  is_group = true;
  keep_owner();
  user = MEMBER;
  IN_CHILD(use);
  user = OWNER;
  IN_CHILD(use);
}
