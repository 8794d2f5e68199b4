// One moment of a store, held still.
#include "fixture.h"

#include <dirent.h>

TEST("a snapshot shows the moment it was opened, whatever is committed since", still) {
  livery_store *store = new_store(fresh_path(), KIOSK_SCHEMA);
  livery_snapshot *snapshot = NULL;
  livery_value *value = NULL;
  uint64_t opened = 0, revision = 0;
  OK(livery_set_int(store, LIVERY_LAYER_USER, "pair.a", 1));
  OK(livery_revision(store, &opened));
  OK(livery_snapshot_open(store, &snapshot));
  OK(livery_set_int(store, LIVERY_LAYER_USER, "pair.a", 2));
  OK(livery_snapshot_revision(snapshot, &revision));
  EXPECT_INT(opened, revision);
  OK(livery_snapshot_get(snapshot, "pair.a", &value));
  EXPECT_JSON("1", value);
  EXPECT_STATUS(LIVERY_ERROR_NOT_FOUND, livery_snapshot_get(snapshot, "pair.c", &value));
  EXPECT_STATUS(LIVERY_ERROR_NO_VALUE, livery_snapshot_get(snapshot, "note", &value));
  OK(livery_snapshot_close(snapshot));
  int64_t number = 0;
  OK(livery_get_int(store, "pair.a", &number));
  EXPECT_INT(2, number);
  OK(livery_close(store));
}

TEST("a snapshot is walked in the order of names, all of it or by pattern", walk) {
  livery_store *store = new_store(fresh_path(), KIOSK_SCHEMA);
  livery_snapshot *snapshot = NULL;
  livery_value *value = NULL;
  OK(livery_snapshot_open(store, &snapshot));
  char name[LIVERY_NAME_MAX + 1] = "", before[LIVERY_NAME_MAX + 1] = "";
  int count = 0;
  livery_status status;
  while ((status = livery_snapshot_next(snapshot, NULL, name, &value)) == LIVERY_OK) {
    EXPECT(strcmp(before, name) < 0);
    memcpy(before, name, sizeof before);
    livery_value_release(value);
    if (++count > 100) break;
  }
  EXPECT_INT(LIVERY_ERROR_NOT_FOUND, status);
  EXPECT_INT(14, count);

  name[0] = 0;
  OK(livery_snapshot_next(snapshot, "pair.*", name, &value));
  EXPECT_TEXT("pair.a", name);
  EXPECT_JSON("0", value);
  OK(livery_snapshot_next(snapshot, "pair.*", name, &value));
  EXPECT_TEXT("pair.b", name);
  EXPECT_JSON("0", value);
  value = NULL;
  EXPECT_STATUS(LIVERY_ERROR_NOT_FOUND, livery_snapshot_next(snapshot, "pair.*", name, &value));
  EXPECT_TEXT("pair.b", name);
  EXPECT(value == NULL);
  OK(livery_snapshot_close(snapshot));
  OK(livery_close(store));
}

TEST("when all reader slots are taken, a snapshot is BUSY until one is closed", slots) {
  livery_store *store = NULL;
  livery_open_options options = LIVERY_OPEN_OPTIONS_INIT;
  options.flags = LIVERY_OPEN_CREATE;
  options.max_readers = 8;
  OK(livery_open(fresh_path(), &options, &store));
  OK(livery_set_int(store, LIVERY_LAYER_USER, "n", 3));
  int64_t number = 0;
  OK(livery_get_int(store, "n", &number));
  livery_snapshot *snapshots[16] = {NULL};
  int opened = 0;
  livery_status status = LIVERY_OK;
  while (opened < 16 && (status = livery_snapshot_open(store, &snapshots[opened])) == LIVERY_OK) opened++;
  EXPECT(opened >= 4 && opened <= 8);
  EXPECT_INT(LIVERY_ERROR_BUSY, status);
  livery_snapshot *more = NULL;
  EXPECT_STATUS(LIVERY_ERROR_BUSY, livery_snapshot_open(store, &more));
  // Plain reads go on.
  OK(livery_get_int(store, "n", &number));
  OK(livery_set_int(store, LIVERY_LAYER_USER, "n", 4));
  OK(livery_snapshot_close(snapshots[0]));
  OK(livery_snapshot_open(store, &more));
  OK(livery_snapshot_close(more));
  OK(livery_get_int(store, "n", &number));
  EXPECT_INT(4, number);
  OK(livery_close(store));
}

// The files of the store that have no name any more, and that this process keeps.
static int former_files(void) {
  char line[600];
  int count = 0;
  FILE *maps = fopen("/proc/self/maps", "r");
  while (maps && fgets(line, sizeof line, maps)) count += strstr(line, "data.mdb (deleted)") != NULL;
  if (maps) fclose(maps);
  return count;
}

TEST("files that were replaced while a snapshot was held are let go with it", let_go) {
  NEEDS_FILES;
  livery_store *store = new_store(fresh_path(), KIOSK_SCHEMA);
  livery_snapshot *snapshot = NULL;
  livery_value *value = NULL;
  OK(livery_set_int(store, LIVERY_LAYER_USER, "pair.a", 1));
  OK(livery_snapshot_open(store, &snapshot));
  for (int64_t round = 2; round < 5; round++) {
    OK(livery_compact(store));
    OK(livery_set_int(store, LIVERY_LAYER_USER, "pair.a", round));
  }
  OK(livery_snapshot_get(snapshot, "pair.a", &value));
  EXPECT_JSON("1", value);
  EXPECT_INT(1, former_files());
  OK(livery_snapshot_close(snapshot));
  EXPECT_INT(0, former_files());
  OK(livery_close(store));
}

static const char *grown_path;

// More than fits into a map of a mebibyte.
static void grow(void) {
  static char text[600000];
  memset(text, 'x', sizeof text);
  livery_store *store = NULL;
  OK(livery_open(grown_path, NULL, &store));
  for (int index = 0; index < 5; index++) {
    char name[8];
    snprintf(name, sizeof name, "text%d", index);
    OK(livery_set_string(store, LIVERY_LAYER_USER, name, text, sizeof text));
  }
  OK(livery_close(store));
}

static int open_files(void) {
  DIR *directory = opendir("/proc/self/fd");
  int count = 0;
  while (directory && readdir(directory)) count++;
  if (directory) closedir(directory);
  return count;
}

TEST("when all reader slots are taken and the file has outgrown the map, reads and commits go on", slots_outgrown) {
  NEEDS_FILES;
  livery_store *store = NULL;
  livery_open_options options = LIVERY_OPEN_OPTIONS_INIT;
  options.flags = LIVERY_OPEN_CREATE;
  options.max_readers = 8;
  options.map_size = 1 << 20;
  grown_path = fresh_path();
  OK(livery_open(grown_path, &options, &store));
  OK(livery_set_int(store, LIVERY_LAYER_USER, "n", 3));
  livery_snapshot *snapshots[16] = {NULL};
  livery_value *value = NULL;
  int opened = 1;
  OK(livery_snapshot_open(store, &snapshots[0]));
  IN_CHILD(grow);
  while (opened < 16 && livery_snapshot_open(store, &snapshots[opened]) == LIVERY_OK) opened++;
  EXPECT(opened < 16);
  int64_t number = 0;
  int before = 0;
  for (int index = 0; index < 200; index++) {
    OK(livery_set_int(store, LIVERY_LAYER_USER, "n", index));
    OK(livery_get_int(store, "n", &number));
    EXPECT_INT(index, number);
    if (index == 0) before = open_files();
  }
  EXPECT_INT(before, open_files());
  OK(livery_snapshot_get(snapshots[0], "n", &value));
  EXPECT_JSON("3", value);
  OK(livery_close(store));
}
