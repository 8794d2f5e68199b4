// Disks that are full and stay so: small file systems in memory are filled by settings, assets, copies and other files until
// nothing goes any more. What was there is read, the message says a way out, what is in the store can be removed to the
// last value, the store can be compacted then, and be written to again.
//
//     full_disk [--rounds N] [--seed S] [--from N] [--broken]
//
// Needs the right to mount.
#include "batches.h"

#include <sched.h>
#include <sys/mount.h>
#include <sys/statvfs.h>

static char mounted[300], path[340], filler[340];
static struct shared {
  _Atomic uint64_t full, removed, compacted, without_room;
} *shared;
static livery_store *store;
static livery_open_options options;

// What was acknowledged: a value's bytes come from its number.
enum { NAMES = 80, ASSETS = 12, LARGE = 400000 };
static struct { livery_layer layer; uint64_t number; size_t length; bool is_there; } values[NAMES];
static struct { char id[LIVERY_ASSET_ID_SIZE]; uint64_t number; size_t length; bool is_there; } assets[ASSETS];
static char buffer[LARGE];
static size_t unit;

static const char *bytes_of(uint64_t number, size_t length) {
  memset(buffer, (int)('a' + number % 26), length);
  // The first byte is none that an image begins with.
  for (size_t at = 1; at + 8 <= length; at += 4096) memcpy(buffer + at, &number, 8);
  return buffer;
}

static const char *name_of(unsigned index) {
  static char name[24];
  snprintf(name, sizeof name, "value.%u", index);
  return name;
}

static bool is_full_status(livery_status status) { return status == LIVERY_ERROR_NO_SPACE; }

/** The way out has to be in the message. */
static void expect_advice(void) {
  const char *message = livery_last_error()->message;
  static uint64_t told = UINT64_MAX;
  if (told == rounds->round) return;
  if (!strstr(message, "remov") && !strstr(message, "reset") && !strstr(message, "compact") && !strstr(message, "free"))
    told = rounds->round, wrong("the message says no way out");
}

/** One change that needs room; whether there was some. */
static bool add(size_t most) {
  size_t length = 1 + (size_t)below(most);
  uint64_t number = random_bits();
  livery_status status;
  if (below(5) == 0) {
    unsigned index = (unsigned)below(ASSETS);
    if (assets[index].is_there) return true;
    status = livery_asset_put(store, bytes_of(number, length), length, LIVERY_ASSET_ANY, assets[index].id);
    if (status == LIVERY_OK) {
      assets[index].is_there = true;
      assets[index].number = number;
      assets[index].length = length;
    }
  } else {
    unsigned index = (unsigned)below(NAMES);
    livery_layer layer = values[index].is_there ? values[index].layer : below(3) ? LIVERY_LAYER_USER : LIVERY_LAYER_RECOMMENDED;
    status = livery_set_data(store, layer, name_of(index), bytes_of(number, length), length);
    if (status == LIVERY_OK) {
      values[index].is_there = true;
      values[index].layer = layer;
      values[index].number = number;
      values[index].length = length;
    }
  }
  if (status == LIVERY_OK) return true;
  if (!is_full_status(status)) wrong("writing: %s", livery_status_name(status));
  expect_advice();
  return false;
}

/** Takes what is left of the file system but for some pages. */
static void fill(unsigned pages) {
  static const char page[4096];
  int file = open(filler, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  off_t size = 0;
  while (write(file, page, sizeof page) == sizeof page) size += (off_t)sizeof page;
  size -= (off_t)pages * 4096;
  if (ftruncate(file, size < 0 ? 0 : size) != 0) wrong("filling");
  close(file);
}

static void check_all(const char *when) {
  for (unsigned index = 0; index < NAMES; index++) {
    void *bytes = NULL;
    size_t length = 0;
    livery_status status = livery_copy_data(store, name_of(index), &bytes, &length);
    if (!values[index].is_there) {
      if (status == LIVERY_OK) wrong("%s a value is there that was removed", when);
    } else if (status != LIVERY_OK || length != values[index].length
               || memcmp(bytes, bytes_of(values[index].number, length), length) != 0) {
      wrong("%s a value is another: %s", when, livery_status_name(status));
    }
    livery_free(bytes);
  }
  for (unsigned index = 0; index < ASSETS; index++) {
    void *bytes = NULL;
    size_t length = 0;
    if (!assets[index].is_there) continue;
    livery_status status = livery_asset_get(store, assets[index].id, &bytes, &length);
    if (status != LIVERY_OK || length != assets[index].length || memcmp(bytes, bytes_of(assets[index].number, length), length) != 0)
      wrong("%s an asset is another: %s", when, livery_status_name(status));
    livery_free(bytes);
  }
}

static livery_status reset_layer(livery_layer layer) {
  livery_change *change = NULL;
  livery_status status = livery_change_begin(store, layer, &change);
  if (status == LIVERY_OK) status = livery_change_reset_all(change);
  if (status == LIVERY_OK) status = livery_change_commit(change, NULL);
  if (status != LIVERY_OK) livery_change_discard(change);
  return status;
}

/** Everything goes, one by one or a layer at once. */
static bool remove_all(void) {
  bool is_good = true;
  for (unsigned index = 0; index < ASSETS; index++) {
    if (!assets[index].is_there || below(3) == 0) continue;
    is_good &= is_fit("removing an asset", livery_asset_remove(store, assets[index].id, 0), NULL);
    assets[index].is_there = false;
    shared->removed++;
  }
  if (below(2))
    for (unsigned index = 0; index < NAMES; index++) {
      if (!values[index].is_there || below(8) == 0) continue;
      is_good &= is_fit("resetting", livery_reset(store, values[index].layer, name_of(index)), NULL);
      if (!is_good) return false;
      values[index].is_there = false;
      shared->removed++;
    }
  static const livery_layer layers[] = {LIVERY_LAYER_USER, LIVERY_LAYER_RECOMMENDED};
  for (size_t index = 0; index < COUNT_OF(layers); index++) {
    livery_status status = reset_layer(layers[index]);
    if (status == LIVERY_ERROR_NO_SPACE) {
      // What they uncover may be too much for one commit: one by one it is not.
      for (unsigned each = 0; each < NAMES; each++)
        if (values[each].is_there && values[each].layer == layers[index])
          is_good &= is_fit("resetting one of a layer", livery_reset(store, values[each].layer, name_of(each)), NULL);
      status = reset_layer(layers[index]);
    }
    is_good &= is_fit("resetting a layer", status, NULL);
    shared->removed++;
  }
  for (unsigned index = 0; index < NAMES; index++) values[index].is_there = false;
  livery_collect_options all = LIVERY_COLLECT_OPTIONS_INIT;
  all.flags = LIVERY_COLLECT_IGNORE_LOG;
  is_good &= is_fit("collecting assets", livery_asset_collect(store, &all, NULL), NULL);
  for (unsigned index = 0; index < ASSETS; index++) assets[index].is_there = false;
  return is_good;
}

static bool reopen(const char *what) {
  livery_close(store);
  store = NULL;
  return is_fit(what, livery_open(path, &options, &store), NULL);
}

static void one_round(void) {
  // Most are small: those are full soon.
  uint64_t kib = 8192 + below(8 * 1024);
  bool has_backups = below(3) == 0, has_filler = below(2);
  char text[60];
  memset(values, 0, sizeof values);
  memset(assets, 0, sizeof assets);
  snprintf(text, sizeof text, "size=%lluk,mode=700", (unsigned long long)kib);
  umount2(mounted, MNT_DETACH);
  if (mount("tmpfs", mounted, "tmpfs", 0, text) != 0) give_up("mounting");
  options = (livery_open_options)LIVERY_OPEN_OPTIONS_INIT;
  options.flags = LIVERY_OPEN_CREATE | LIVERY_OPEN_DEFERRED;
  options.map_size = 1 << (below(2) ? 20 : 26);
  options.max_readers = 64;
  options.backup_commits = has_backups ? 1 + (uint32_t)below(20) : UINT32_MAX;
  options.backup_age_s = UINT32_MAX;
  options.log_entries = below(2) ? 0 : 8;
  unit = (size_t)(kib * 1024 / (4 + below(40)));
  if (unit > LARGE - 1) unit = LARGE - 1;
  doing("%llu KiB%s%s, values to %zu bytes", (unsigned long long)kib, has_backups ? ", with copies" : "",
        has_filler ? ", with other files" : "", unit);
  if (!is_fit("opening", livery_open(path, &options, &store), NULL)) return;
  // To the end, with less each time.
  uint64_t filled_at = has_filler ? below(60) : UINT64_MAX, count = 0;
  for (size_t most = unit; most > 20; most /= 3) {
    while (add(most)) {
      rounds->beat_ns = now_ns();
      if (++count == filled_at) fill((unsigned)below(40));
      // It takes the space of what it replaces, as the log is short: others fill the disk.
      if (count % 300 == 0) has_filler = true, fill((unsigned)below(8));
      if (count > 1000) break;
    }
  }
  if (has_filler) fill(below(3) ? 0 : (unsigned)below(8));
  shared->full++;
  // For seeing the harness fail: a value that was acknowledged is another.
  if (option_given("--broken"))
    for (unsigned index = 0; index < NAMES; index++)
      if (values[index].is_there) values[index].number++, index = NAMES;
  check_all("on a full disk");
  if (below(3) == 0) {
    if (!reopen("opening on a full disk")) return;
    check_all("opened on a full disk");
  }
  // Removing one makes room in the file for another, again and again.
  for (uint64_t left = below(6); left > 0; left--) {
    unsigned index = (unsigned)below(NAMES);
    if (!values[index].is_there) continue;
    is_fit("resetting one", livery_reset(store, values[index].layer, name_of(index)), NULL);
    values[index].is_there = false;
    shared->removed++;
    if (below(2)) add(unit / 4 + 1);
  }
  if (!remove_all()) {
    livery_close(store);
    return;
  }
  check_all("emptied");
  static const livery_status no_room[] = {LIVERY_ERROR_NO_SPACE, 0};
  livery_status status = livery_compact(store);
  if (is_fit("compacting", status, has_filler || has_backups ? no_room : NULL) && status == LIVERY_OK) shared->compacted++;
  if (status != LIVERY_OK) {
    // Others have the room that a copy needs: they have to give some back.
    shared->without_room++;
    unlink(filler);
    char backups[400];
    snprintf(backups, sizeof backups, "%s/backups", path);
    remove_tree(backups);
    if (is_fit("compacting with room", livery_compact(store), NULL)) shared->compacted++;
  }
  // A copy that is under way keeps the former file for as long as it takes.
  for (int pause = 0; pause < 10000; pause++) {
    status = livery_set_int(store, LIVERY_LAYER_USER, "afterwards", 1);
    if (status != LIVERY_ERROR_NO_SPACE || !has_backups) break;
    if (pause == 2000) {
      // What was copied when there was more may have all the room.
      shared->without_room++;
      char backups[400];
      snprintf(backups, sizeof backups, "%s/backups", path);
      remove_tree(backups);
    }
    sleep_us(1000);
  }
  is_fit("setting afterwards", status, NULL);
  unlink(filler);
  if (!reopen("opening at the end")) return;
  check_all("at the end");
  for (unsigned left = 4; left > 0; left--)
    if (!has_backups && !add(unit / 4 + 1)) wrong("there is no room again");
  check_all("filled again");
  livery_close(store);
  umount2(mounted, MNT_DETACH);
}

int main(int argc, char **argv) {
  begin_rounds("full_disk", argc, argv, 30000);
  shared = shared_memory(sizeof *shared);
  snprintf(mounted, sizeof mounted, "%s/mounted", torture_directory);
  snprintf(path, sizeof path, "%s/store", mounted);
  snprintf(filler, sizeof filler, "%s/filler", mounted);
  mkdir(mounted, 0700);
  if (unshare(CLONE_NEWNS) != 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0) return skip_rounds();
  run_rounds(one_round, 20);
  umount2(mounted, MNT_DETACH);
  figure("full", shared->full);
  figure("removed", shared->removed);
  figure("compacted", shared->compacted);
  figure("without_room", shared->without_room);
  return end_rounds();
}
