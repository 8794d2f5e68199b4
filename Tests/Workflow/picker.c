// Picking: each permission, each source, each fault; with one end each.
#include "picked.h"

#include <dlfcn.h>
#include <sys/syscall.h>

// What reading of one file does, in place of reading: an error of errno, waiting, or an end that comes too early. With `pulled` it
// happens to a medium that is pulled out at that moment: its folder is gone.
static _Atomic ino_t faulty;
static _Atomic int fault;
static atomic_int stalled;
static const char *_Atomic pulled;
enum { STALLS = -1, ENDS = -2 };

static void pull(void) {
  const char *folder = atomic_exchange(&pulled, NULL);
  char away[400];
  if (!folder) return;
  snprintf(away, sizeof away, "%s.away", folder);
  EXPECT_INT(0, rename(folder, away));
}

ssize_t read(int descriptor, void *to, size_t room) {
  struct stat found;
  if (faulty && fstat(descriptor, &found) == 0 && found.st_ino == faulty) {
    pull();
    if (fault == ENDS) return 0;
    if (fault != STALLS) return errno = fault, -1;
    stalled++;
    while (faulty && fault == STALLS) usleep(1000);
  }
  return syscall(SYS_read, descriptor, to, room);
}

// What happens right before an image is looked at, and right after.
static void (*_Atomic before_look)(int folder, const char *name), (*_Atomic after_look)(int folder, const char *name);
// When it was changed, as its medium has it.
static struct timespec odd_time;
static _Atomic bool is_odd;

int fstatat(int folder, const char *restrict name, struct stat *restrict found, int flags) {
  static int (*_Atomic next)(int, const char *, struct stat *, int);
  if (!next) next = (int (*)(int, const char *, struct stat *, int))(uintptr_t)dlsym(RTLD_NEXT, "fstatat");
  if (!strstr(name, ".png")) return next(folder, name, found, flags);
  void (*before)(int, const char *) = atomic_exchange(&before_look, NULL);
  if (before) before(folder, name);
  int status = next(folder, name, found, flags);
  void (*after)(int, const char *) = atomic_exchange(&after_look, NULL);
  if (after) after(folder, name);
  return status;
}

int fstat(int descriptor, struct stat *found) {
  static int (*_Atomic next)(int, struct stat *);
  if (!next) next = (int (*)(int, struct stat *))(uintptr_t)dlsym(RTLD_NEXT, "fstat");
  int status = next(descriptor, found);
  if (is_odd) found->st_mtim = odd_time;
  return status;
}

static const livery_layer user = LIVERY_LAYER_USER, enforced = LIVERY_LAYER_ENFORCED;

static livery_store *picking_store(void) {
  livery_store *store = NULL;
  livery_open_options options = LIVERY_OPEN_OPTIONS_INIT;
  options.flags = LIVERY_OPEN_CREATE;
  OK(livery_open(fresh_path(), &options, &store));
  OK(livery_set_string(store, user, "usage.camera", TEXT("Your picture is your badge")));
  return store;
}

static livery_picker_options of(livery_picker_source source) {
  livery_picker_options options = LIVERY_PICKER_OPTIONS_INIT;
  options.source = source;
  return options;
}

static livery_picker_options in_folder(const char *folder, const char *file) {
  livery_picker_options options = of(LIVERY_PICKER_FOLDER);
  options.folder = folder;
  options.file = file;
  return options;
}

static livery_picker_options good(void) { return in_folder(FIXTURES "/images", "rgb.png"); }

static void expect_known(livery_store *store, livery_picker_source source, livery_picker_permission wanted) {
  livery_picker_permission known = -1;
  OK(livery_picker_known_permission(store, source, &known));
  EXPECT_INT(wanted, known);
}

// -- Permission

TEST("a source is asked about once, and what a person said is kept", asked_once) {
  livery_store *store = picking_store();
  picked first = {.permits = "g"}, second = {.permits = "d"};
  expect_known(store, LIVERY_PICKER_FOLDER, LIVERY_PICKER_NOT_ASKED);
  begin_picking(store, good(), &first);
  expect_end(&first, LIVERY_OK);
  EXPECT_INT(1, first.asked);
  EXPECT_INT(LIVERY_PICKER_NOT_ASKED, first.known);
  EXPECT_INT(LIVERY_PICKER_GRANTED, first.permission);
  expect_known(store, LIVERY_PICKER_FOLDER, LIVERY_PICKER_GRANTED);
  expect_known(store, LIVERY_PICKER_CAMERA, LIVERY_PICKER_NOT_ASKED);
  begin_picking(store, good(), &second);
  expect_end(&second, LIVERY_OK);
  EXPECT_INT(0, second.asked);
  EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT, livery_picker_known_permission(store, 0, &first.known));
  EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT, livery_picker_known_permission(store, 4, &first.known));
  EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT, livery_picker_known_permission(store, 1, NULL));
  EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT, livery_picker_known_permission(NULL, 1, &first.known));
  OK(livery_close(store));
}

TEST("who says no is asked no more; who is not asked, or leaves it open, is asked again", answers) {
  livery_store *store = picking_store();
  picked denied = {.permits = "d"}, again = {.permits = "g"}, open = {.permits = "n"}, restricted = {.permits = "r"}, none = {0};
  begin_picking(store, good(), &open);
  expect_end(&open, LIVERY_ERROR_REFUSED);
  expect_known(store, LIVERY_PICKER_FOLDER, LIVERY_PICKER_NOT_ASKED);
  begin_picking(store, good(), &restricted);
  expect_end(&restricted, LIVERY_ERROR_REFUSED);
  EXPECT_INT(LIVERY_PICKER_RESTRICTED, restricted.permission);
  expect_known(store, LIVERY_PICKER_FOLDER, LIVERY_PICKER_NOT_ASKED);
  begin_picking(store, good(), &denied);
  expect_end(&denied, LIVERY_ERROR_REFUSED);
  EXPECT_INT(LIVERY_PICKER_DENIED, denied.permission);
  expect_known(store, LIVERY_PICKER_FOLDER, LIVERY_PICKER_DENIED);
  begin_picking(store, good(), &again);
  expect_end(&again, LIVERY_ERROR_REFUSED);
  EXPECT_INT(0, again.asked);
  begin_picking(store, good(), &none);
  expect_end(&none, LIVERY_ERROR_REFUSED);
  OK(livery_close(store));
}

TEST("each decision where a source may not be used is what comes then", decisions) {
  static const struct { const char *permits, *decisions; livery_status status; int asked, refused; livery_picker_source source; } cases[] = {
    {"d", "s", LIVERY_ERROR_REFUSED, 1, 1, LIVERY_PICKER_CAMERA},
    {"dg", "a", LIVERY_OK, 2, 1, LIVERY_PICKER_CAMERA},
    {"dddg", "aaa", LIVERY_OK, 4, 3, LIVERY_PICKER_CAMERA},
    {"dd", "as", LIVERY_ERROR_REFUSED, 2, 2, LIVERY_PICKER_CAMERA},
    {"dg", "F", LIVERY_OK, 2, 1, LIVERY_PICKER_FOLDER},
    {"dd", "Fs", LIVERY_ERROR_REFUSED, 2, 2, LIVERY_PICKER_FOLDER},
    {"r", "s", LIVERY_ERROR_REFUSED, 1, 1, LIVERY_PICKER_CAMERA},
    {"rg", "a", LIVERY_OK, 2, 1, LIVERY_PICKER_CAMERA},
    {"n", "s", LIVERY_ERROR_REFUSED, 1, 1, LIVERY_PICKER_CAMERA},
    {"d", "c", LIVERY_ERROR_CANCELLED, 1, 1, LIVERY_PICKER_CAMERA},
    {"l", "s", LIVERY_OK, 1, 0, LIVERY_PICKER_CAMERA},
    {"t", "s", LIVERY_OK, 1, 0, LIVERY_PICKER_CAMERA},
    {"c", "s", LIVERY_ERROR_CANCELLED, 1, 0, LIVERY_PICKER_CAMERA},
  };
  for (size_t place = 0; place < sizeof cases / sizeof *cases; place++) {
    int before = check_failures;
    livery_store *store = picking_store();
    booth camera = {0};
    picked told = {.permits = cases[place].permits, .decisions = cases[place].decisions};
    livery_picker_options options = good();
    build_booth(store, &camera, "p");
    options.source = LIVERY_PICKER_CAMERA;
    begin_picking(store, options, &told);
    expect_end(&told, cases[place].status);
    EXPECT_INT(cases[place].asked, told.asked);
    EXPECT_INT(cases[place].refused, told.refused);
    EXPECT_INT(cases[place].source, told.source);
    // Neither answers nor handles count from here on.
    if (told.ask) EXPECT_STATUS(LIVERY_ERROR_CLOSED, livery_picker_permit(told.ask, LIVERY_PICKER_GRANTED));
    EXPECT_STATUS(LIVERY_ERROR_CLOSED, livery_picker_cancel(told.picker));
    OK(livery_close(store));
    EXPECT_INT(1, camera.destroyed);
    if (check_failures > before) fprintf(stderr, "  permits %s, decisions %s\n", cases[place].permits, cases[place].decisions);
  }
}

TEST("a decision is taken once, and only one that can be", wrong_decisions) {
  livery_store *store = picking_store();
  booth camera = {0};
  picked told = {.permits = "d", .decisions = "T"};
  build_booth(store, &camera, "p");
  begin_picking(store, of(LIVERY_PICKER_CAMERA), &told);
  expect_end(&told, LIVERY_ERROR_REFUSED);
  OK(livery_close(store));
}

TEST("what an administrator enforces has the last word, and nobody is asked", restricted_by_setting) {
  livery_store *store = picking_store();
  picked told = {.permits = "g", .decisions = "s"};
  booth camera = {0};
  build_booth(store, &camera, "p");
  OK(livery_set_string(store, enforced, "picker.camera", TEXT("restricted")));
  begin_picking(store, of(LIVERY_PICKER_CAMERA), &told);
  expect_end(&told, LIVERY_ERROR_REFUSED);
  EXPECT_INT(0, told.asked);
  EXPECT_INT(1, told.refused);
  EXPECT_CONTAINS("picker.camera", told.why);
  // Also against who says otherwise when he is asked again.
  told = (picked){.permits = "g", .decisions = "as"};
  begin_picking(store, of(LIVERY_PICKER_CAMERA), &told);
  expect_end(&told, LIVERY_ERROR_REFUSED);
  EXPECT_INT(1, told.asked);
  EXPECT_INT(LIVERY_PICKER_RESTRICTED, told.permission);
  EXPECT_INT(0, camera.taken);
  OK(livery_close(store));
}

TEST("asking again where nobody asks looks once more, and is no circle", again_without_function) {
  livery_store *store = picking_store();
  booth camera = {0};
  picked denied = {.decisions = "a"}, system = {.decisions = "a"}, repaired = {.decisions = "a"};
  build_booth(store, &camera, "PPPp");
  OK(livery_set_string(store, user, "picker.camera", TEXT("denied")));
  begin_picking(store, of(LIVERY_PICKER_CAMERA), &denied);
  expect_end(&denied, LIVERY_ERROR_REFUSED);
  EXPECT_INT(1, denied.refused);
  EXPECT_INT(0, camera.taken);
  OK(livery_reset(store, user, "picker.camera"));
  begin_picking(store, of(LIVERY_PICKER_CAMERA), &system);
  expect_end(&system, LIVERY_ERROR_PERMISSION);
  EXPECT_INT(1, system.refused);
  EXPECT_INT(2, camera.taken);
  begin_picking(store, of(LIVERY_PICKER_CAMERA), &repaired);
  expect_end(&repaired, LIVERY_OK);
  EXPECT_INT(1, repaired.refused);
  OK(livery_close(store));
}

TEST("what was kept and is none of the three texts is no permission", unknown_permission) {
  livery_store *store = picking_store();
  booth camera = {0};
  build_booth(store, &camera, "p");
  // Before anything is picked, nobody looks at what is set.
  OK(livery_set_string(store, user, "picker.camera", TEXT("DENIED")));
  OK(livery_set_bool(store, user, "picker.upload", true));
  expect_known(store, LIVERY_PICKER_CAMERA, LIVERY_PICKER_RESTRICTED);
  expect_known(store, LIVERY_PICKER_UPLOAD, LIVERY_PICKER_RESTRICTED);
  picked told = {.permits = "g"};
  begin_picking(store, of(LIVERY_PICKER_CAMERA), &told);
  expect_end(&told, LIVERY_ERROR_REFUSED);
  EXPECT_INT(0, told.asked);
  EXPECT_INT(0, camera.taken);
  OK(livery_close(store));
}

TEST("permissions are three texts of three sources, whoever sets them", permissions_claimed) {
  livery_store *store = picking_store();
  picked told = {.permits = "g"};
  begin_picking(store, good(), &told);
  expect_end(&told, LIVERY_OK);
  EXPECT_STATUS(LIVERY_ERROR_INVALID_VALUE, livery_set_string(store, user, "picker.camera", TEXT("perhaps")));
  EXPECT_STATUS(LIVERY_ERROR_TYPE_MISMATCH, livery_set_bool(store, user, "picker.camera", true));
  EXPECT_STATUS(LIVERY_ERROR_NOT_FOUND, livery_set_string(store, user, "picker.tea", TEXT("granted")));
  OK(livery_set_string(store, user, "picker.camera", TEXT("denied")));
  expect_known(store, LIVERY_PICKER_CAMERA, LIVERY_PICKER_DENIED);
  OK(livery_close(store));
}

// -- The camera

TEST("each way of a camera ends in its status, and `cancel` is called for what was not handed over", cameras) {
  static const struct { const char *script; livery_status status; uint32_t timeout_ms; int cancelled; } cases[] = {
    {"p", LIVERY_OK, 0, 0}, {"l", LIVERY_OK, 0, 0}, {"t", LIVERY_OK, 0, 0},
    {"j", LIVERY_ERROR_PARSE, 0, 0}, {"0", LIVERY_ERROR_PARSE, 0, 0}, {"N", LIVERY_ERROR_NETWORK, 0, 0},
    {"b", LIVERY_ERROR_BUSY, 0, 0}, {"P", LIVERY_ERROR_PERMISSION, 0, 0}, {"u", LIVERY_ERROR_UNAVAILABLE, 0, 0},
    {"i", LIVERY_ERROR_IO, 0, 0}, {"w", LIVERY_ERROR_TIMEOUT, 30, 1}, {"c", LIVERY_ERROR_CANCELLED, 0, 1},
  };
  for (size_t place = 0; place < sizeof cases / sizeof *cases; place++) {
    int before = check_failures;
    livery_store *store = picking_store();
    picked told = {0};
    booth camera = {.told = &told};
    livery_picker_options options = of(LIVERY_PICKER_CAMERA);
    options.timeout_ms = cases[place].timeout_ms;
    options.width = 640;
    options.height = 480;
    build_booth(store, &camera, cases[place].script);
    begin_picking(store, options, &told);
    expect_end(&told, cases[place].status);
    EXPECT_INT(1, camera.taken);
    EXPECT_INT(640, camera.width);
    EXPECT_INT(480, camera.height);
    EXPECT_STATUS(LIVERY_ERROR_CLOSED, hand_over(camera.shot));
    OK(livery_close(store));
    EXPECT_INT(cases[place].cancelled, camera.cancelled);
    EXPECT_INT(1, camera.destroyed);
    if (check_failures > before) fprintf(stderr, "  script %s\n", cases[place].script);
  }
}

TEST("what the operating system denies is the program's to decide, and is not kept", denied_by_system) {
  livery_store *store = picking_store();
  picked told = {.decisions = "F"}, again = {.decisions = "s"};
  booth camera = {0};
  livery_picker_options options = good();
  options.source = LIVERY_PICKER_CAMERA;
  build_booth(store, &camera, "P");
  begin_picking(store, options, &told);
  expect_end(&told, LIVERY_OK);
  EXPECT_INT(LIVERY_PICKER_FOLDER, told.source);
  EXPECT_TEXT("the booth is locked", told.why);
  begin_picking(store, options, &again);
  expect_end(&again, LIVERY_ERROR_PERMISSION);
  expect_known(store, LIVERY_PICKER_CAMERA, LIVERY_PICKER_NOT_ASKED);
  OK(livery_close(store));
}

TEST("a camera is used only where `usage.camera` tells what for", usage) {
  livery_store *store = picking_store();
  picked told = {.permits = "g"}, empty = {0};
  booth camera = {0};
  bool available = false;
  build_booth(store, &camera, "p");
  OK(livery_picker_camera_available(store, &available));
  EXPECT(available);
  OK(livery_reset(store, user, "usage.camera"));
  OK(livery_picker_camera_available(store, &available));
  EXPECT(!available);
  begin_picking(store, of(LIVERY_PICKER_CAMERA), &told);
  expect_end(&told, LIVERY_ERROR_UNAVAILABLE);
  EXPECT_CONTAINS("usage.camera", told.message);
  EXPECT_INT(0, told.asked);
  OK(livery_set_string(store, user, "usage.camera", TEXT("")));
  begin_picking(store, of(LIVERY_PICKER_CAMERA), &empty);
  expect_end(&empty, LIVERY_ERROR_UNAVAILABLE);
  EXPECT_INT(0, camera.taken);
  EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT, livery_picker_camera_available(store, NULL));
  EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT, livery_picker_camera_available(NULL, &available));
  OK(livery_close(store));
}

TEST("a camera that is not there, is exchanged or taken away", other_cameras) {
  livery_store *store = picking_store();
  picked absent = {0}, two = {0}, other = {0};
  booth camera = {.is_absent = true}, next = {0};
  bool available = true;
  build_booth(store, &camera, "w");
  OK(livery_picker_camera_available(store, &available));
  EXPECT(!available);
  begin_picking(store, of(LIVERY_PICKER_CAMERA), &absent);
  expect_end(&absent, LIVERY_ERROR_UNAVAILABLE);
  EXPECT_INT(0, camera.taken);
  camera.is_absent = false;
  // Two pictures at once, of two cameras.
  begin_picking(store, of(LIVERY_PICKER_CAMERA), &two);
  EXPECT(comes(&camera.taken, 1));
  build_booth(store, &next, "l");
  EXPECT_INT(0, camera.destroyed);
  begin_picking(store, of(LIVERY_PICKER_CAMERA), &other);
  expect_end(&other, LIVERY_OK);
  OK(hand_over(camera.shot));
  expect_end(&two, LIVERY_OK);
  EXPECT_TEXT(other.asset, two.asset);
  EXPECT(comes(&camera.destroyed, 1));
  OK(livery_picker_set_camera(store, NULL, NULL, NULL));
  EXPECT(comes(&next.destroyed, 1));
  livery_picker_camera none = {sizeof none, 0, NULL, NULL, NULL}, odd = {sizeof odd, 1, NULL, booth_take, NULL};
  EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT, livery_picker_set_camera(store, &none, &next, booth_destroyed));
  EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT, livery_picker_set_camera(store, &odd, &next, booth_destroyed));
  EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT, livery_picker_set_camera(NULL, &odd, &next, booth_destroyed));
  EXPECT_INT(4, next.destroyed);
  EXPECT_INT(1, camera.destroyed);
  OK(livery_close(store));
}

// -- A folder

static const char *images_of_people(void) {
  const char *folder = fresh_path();
  char command[2000];
  snprintf(command, sizeof command,
           "mkdir %s && cd %s && cp %s/images/rgb.png a.png && cp %s/images/baseline.jpg b.jpg && ln -s a.png link.png && mkdir folder.png && "
           "mkfifo pipe.png && : > empty.png && echo tea > tea.png && head -c 20 a.png > half.png && cp a.png '\303\244 b.png' && "
           "ln -s /etc/passwd out && cp a.png locked.png && chmod 0 locked.png && cp a.png \"$(printf 'bad\\377.png')\"",
           folder, folder, FIXTURES, FIXTURES);
  EXPECT_INT(0, system(command));
  return folder;
}

TEST("what is no file, no image, or not here is told as that, and nothing is stored", files) {
  static const struct { const char *file; livery_status status; } cases[] = {
    {"a.png", LIVERY_OK}, {"b.jpg", LIVERY_OK}, {"\303\244 b.png", LIVERY_OK}, {"none.png", LIVERY_ERROR_NOT_FOUND},
    {"link.png", LIVERY_ERROR_NOT_FOUND}, {"out", LIVERY_ERROR_NOT_FOUND}, {"folder.png", LIVERY_ERROR_NOT_FOUND},
    {"pipe.png", LIVERY_ERROR_NOT_FOUND}, {"empty.png", LIVERY_ERROR_PARSE}, {"tea.png", LIVERY_ERROR_PARSE},
    {"half.png", LIVERY_ERROR_PARSE},
  };
  const char *folder = images_of_people();
  livery_store *store = picking_store();
  for (size_t place = 0; place < sizeof cases / sizeof *cases; place++) {
    int before = check_failures;
    picked told = {0};
    livery_picker_options options = in_folder(folder, cases[place].file);
    options.setting = "logo";
    begin_picking(store, options, &told);
    expect_end(&told, cases[place].status);
    EXPECT_INT(LIVERY_PICKER_FOLDER, told.source);
    livery_value *value = NULL;
    const char *id = NULL;
    size_t length = 0;
    if (cases[place].status == LIVERY_OK) {
      OK(livery_get_value(store, "logo", &value));
      OK(livery_value_as_string(value, &id, &length));
      EXPECT_TEXT(told.asset, id);
      EXPECT_INT(64, length);
      livery_value_release(value);
      OK(livery_reset(store, user, "logo"));
    } else {
      EXPECT_STATUS(LIVERY_ERROR_NOT_FOUND, livery_get_value(store, "logo", &value));
    }
    if (check_failures > before) fprintf(stderr, "  %s\n", cases[place].file);
  }
  picked gone = {0}, file = {0}, large = {0};
  begin_picking(store, in_folder("/no/such/folder", "a.png"), &gone);
  expect_end(&gone, LIVERY_ERROR_UNAVAILABLE);
  char path[400];
  snprintf(path, sizeof path, "%s/a.png", folder);
  begin_picking(store, in_folder(path, "a.png"), &file);
  expect_end(&file, LIVERY_ERROR_UNAVAILABLE);
  livery_picker_options small = in_folder(folder, "a.png");
  small.max_size = 10;
  begin_picking(store, small, &large);
  expect_end(&large, LIVERY_ERROR_INVALID_VALUE);
  OK(livery_close(store));
}

TEST("what this process may not read is PERMISSION, and the program decides what then", unreadable) {
  if (geteuid() != 0) SKIP("it takes root to be another user");
  const char *folder = images_of_people();
  livery_store *store = picking_store();
  picked told = {.decisions = "s"};
  EXPECT_INT(0, chmod(folder, 0700));
  // Threads are started with the rights of who starts them, and the loop's is there already.
  picked first = {0};
  begin_picking(store, in_folder(folder, "a.png"), &first);
  expect_end(&first, LIVERY_OK);
  EXPECT_INT(0, seteuid(65534));
  livery_value *images = NULL;
  EXPECT_STATUS(LIVERY_ERROR_PERMISSION, livery_picker_list(folder, &images));
  begin_picking(store, in_folder(folder, "a.png"), &told);
  expect_end(&told, LIVERY_ERROR_PERMISSION);
  EXPECT_INT(0, seteuid(0));
  EXPECT_INT(1, told.refused);
  EXPECT_INT(LIVERY_PICKER_DENIED, told.permission);
  expect_known(store, LIVERY_PICKER_FOLDER, LIVERY_PICKER_NOT_ASKED);
  OK(livery_close(store));
}

TEST("a medium that fails, or is pulled out, while it is read", failing_media) {
  static const struct { int error; livery_status status; } cases[] = {
    {EIO, LIVERY_ERROR_IO}, {ENODEV, LIVERY_ERROR_UNAVAILABLE}, {ESTALE, LIVERY_ERROR_UNAVAILABLE}, {ENXIO, LIVERY_ERROR_UNAVAILABLE},
    {ENOTCONN, LIVERY_ERROR_UNAVAILABLE}, {ENOMEDIUM, LIVERY_ERROR_UNAVAILABLE}, {EACCES, LIVERY_ERROR_PERMISSION},
    {EPERM, LIVERY_ERROR_PERMISSION}, {ENOMEM, LIVERY_ERROR_NO_MEMORY}, {STALLS, LIVERY_ERROR_TIMEOUT}, {ENDS, LIVERY_ERROR_IO},
  };
  const char *folder = images_of_people();
  char path[400];
  struct stat found;
  snprintf(path, sizeof path, "%s/a.png", folder);
  EXPECT_INT(0, stat(path, &found));
  livery_store *store = picking_store();
  for (size_t place = 0; place < sizeof cases / sizeof *cases; place++) {
    int before = check_failures;
    picked told = {0};
    livery_picker_options options = in_folder(folder, "a.png");
    options.timeout_ms = cases[place].error == STALLS ? 30 : 0;
    fault = cases[place].error;
    faulty = found.st_ino;
    begin_picking(store, options, &told);
    expect_end(&told, cases[place].status);
    livery_value *images = NULL;
    if (cases[place].error > 0 && (cases[place].status == LIVERY_ERROR_IO || cases[place].status == LIVERY_ERROR_UNAVAILABLE))
      EXPECT_STATUS(cases[place].status, livery_picker_list(folder, &images));
    faulty = 0;
    if (check_failures > before) fprintf(stderr, "  %s\n", strerror(cases[place].error));
  }
  OK(livery_close(store));
}

static void take_away(int folder, const char *name) {
  (void)folder, (void)name;
  pull();
}

static void make_pipe(int folder, const char *name) {
  unlinkat(folder, name, 0);
  EXPECT_INT(0, mkfifoat(folder, name, 0600));
}

static void make_link(int folder, const char *name) {
  unlinkat(folder, name, 0);
  EXPECT_INT(0, symlinkat("/etc/passwd", folder, name));
}

TEST("a medium that is pulled out is told from a file that is not there, and from one that cannot be read", pulled_out) {
  static const struct { const char *file; int error; } cases[] = {
    {"a.png", EIO}, {"a.png", ENDS}, {"a.png", EINVAL}, {"a.png", 0}, {"none.png", 0},
  };
  livery_store *store = picking_store();
  for (size_t place = 0; place < sizeof cases / sizeof *cases; place++) {
    int before = check_failures;
    for (int lists = 0; lists < 2; lists++) {
      const char *folder = images_of_people();
      char path[400];
      struct stat found;
      snprintf(path, sizeof path, "%s/a.png", folder);
      EXPECT_INT(0, stat(path, &found));
      pulled = folder;
      fault = cases[place].error;
      if (cases[place].error) faulty = found.st_ino;
      else before_look = take_away;
      if (lists) {
        livery_value *images = NULL;
        // An end that comes early is that of a file that is no image.
        livery_status status = livery_picker_list(folder, &images);
        if (cases[place].error && cases[place].error != ENDS) EXPECT_INT(LIVERY_ERROR_UNAVAILABLE, status);
        livery_value_release(images);
      } else {
        picked told = {0};
        begin_picking(store, in_folder(folder, cases[place].file), &told);
        expect_end(&told, strcmp(cases[place].file, "a.png") == 0 && !cases[place].error ? LIVERY_OK : LIVERY_ERROR_UNAVAILABLE);
      }
      EXPECT(!pulled);
      faulty = 0;
    }
    if (check_failures > before) fprintf(stderr, "  case %zu\n", place);
  }
  OK(livery_close(store));
}

TEST("a file that becomes a pipe or a link while it is looked at is not opened", exchanged) {
  static void (*const exchanges[])(int, const char *) = {make_pipe, make_link};
  livery_store *store = picking_store();
  for (size_t place = 0; place < 2; place++) {
    const char *folder = images_of_people();
    picked told = {0};
    after_look = exchanges[place];
    begin_picking(store, in_folder(folder, "a.png"), &told);
    expect_end(&told, LIVERY_ERROR_NOT_FOUND);
    livery_value *images = NULL;
    after_look = exchanges[place];
    OK(livery_picker_list(folder, &images));
    livery_value_release(images);
  }
  OK(livery_close(store));
}

TEST("files may have been changed at any time", odd_times) {
  static const struct { int64_t seconds; int64_t wanted; } cases[] = {
    {0, 0}, {INT64_MIN, -62135596800000000}, {INT64_MAX, 253402300799999999}, {-62135596801, -62135596800000000},
    {-62135596800, -62135596800000000}, {253402300800, 253402300799999999}, {253402300799, 253402300799000000},
  };
  const char *folder = images_of_people();
  for (size_t place = 0; place < sizeof cases / sizeof *cases; place++) {
    livery_value *images = NULL, *image = NULL, *date = NULL;
    int64_t changed = 1;
    odd_time = (struct timespec){cases[place].seconds, 0};
    is_odd = true;
    OK(livery_picker_list(folder, &images));
    is_odd = false;
    OK(livery_value_at(images, 0, &image));
    OK(livery_value_member(image, "time", &date));
    OK(livery_value_as_date(date, &changed));
    EXPECT_INT(cases[place].wanted, changed);
    livery_value_release(date);
    livery_value_release(image);
    livery_value_release(images);
  }
}

TEST("closing waits for no medium that does not answer", close_while_reading) {
  const char *folder = images_of_people();
  char path[400];
  struct stat found;
  struct timespec begun, ended;
  snprintf(path, sizeof path, "%s/a.png", folder);
  EXPECT_INT(0, stat(path, &found));
  livery_store *store = picking_store();
  picked told = {0}, cancelled = {0};
  fault = STALLS;
  faulty = found.st_ino;
  begin_picking(store, in_folder(folder, "a.png"), &cancelled);
  usleep(5000);
  OK(livery_picker_cancel(cancelled.picker));
  expect_end(&cancelled, LIVERY_ERROR_CANCELLED);
  begin_picking(store, in_folder(folder, "a.png"), &told);
  usleep(5000);
  clock_gettime(CLOCK_MONOTONIC, &begun);
  OK(livery_close(store));
  clock_gettime(CLOCK_MONOTONIC, &ended);
  EXPECT(ended.tv_sec - begun.tv_sec < 3);
  EXPECT_INT(LIVERY_ERROR_CLOSED, told.status);
  EXPECT_INT(1, told.done);
  EXPECT_INT(1, told.destroyed);
  faulty = 0;
  usleep(20000);
}

TEST("media that never answer take so many threads, and no more", stalled_media) {
  enum { MOST = 32 };
  const char *folder = images_of_people();
  char path[400];
  struct stat found;
  snprintf(path, sizeof path, "%s/a.png", folder);
  EXPECT_INT(0, stat(path, &found));
  livery_store *store = picking_store();
  static picked told[MOST], busy, well;
  stalled = 0;
  fault = STALLS;
  faulty = found.st_ino;
  for (int place = 0; place < MOST; place++) {
    begin_picking(store, in_folder(folder, "a.png"), &told[place]);
    // Given up, each goes on to wait.
    EXPECT(comes(&stalled, place + 1));
    if (place % 2) continue;
    OK(livery_picker_cancel(told[place].picker));
    expect_end(&told[place], LIVERY_ERROR_CANCELLED);
  }
  begin_picking(store, in_folder(folder, "b.jpg"), &busy);
  expect_end(&busy, LIVERY_ERROR_BUSY);
  faulty = 0;
  for (int place = 1; place < MOST; place += 2) expect_end(&told[place], LIVERY_OK);
  // Those that were given up are over soon.
  for (int tries = 0; tries < 100; tries++) {
    well = (picked){0};
    begin_picking(store, in_folder(folder, "b.jpg"), &well);
    EXPECT(comes(&well.destroyed, 1));
    if (well.status == LIVERY_OK) break;
    usleep(10000);
  }
  EXPECT_INT(LIVERY_OK, well.status);
  OK(livery_close(store));
}

TEST("a folder's images are listed in the order of their names, without links, pipes and other files", listed) {
  static const char *const names[] = {"a.png", "b.jpg", "half.png", "locked.png", "\303\244 b.png"};
  const char *folder = images_of_people();
  livery_value *images = NULL;
  size_t count = 0;
  OK(livery_picker_list(folder, &images));
  OK(livery_value_count(images, &count));
  size_t wanted = sizeof names / sizeof *names, place = 0;
  for (size_t index = 0; index < count && place < wanted; index++, place++) {
    // Root reads what is locked, others do not.
    if (geteuid() != 0 && strcmp(names[place], "locked.png") == 0) place++;
    livery_value *image = NULL, *name = NULL, *bytes = NULL, *date = NULL;
    const char *text = NULL;
    size_t length = 0;
    int64_t size = 0;
    OK(livery_value_at(images, index, &image));
    OK(livery_value_member(image, "name", &name));
    OK(livery_value_as_string(name, &text, &length));
    EXPECT_TEXT(names[place], text);
    OK(livery_value_member(image, "bytes", &bytes));
    OK(livery_value_as_int(bytes, &size));
    EXPECT(size > 0);
    OK(livery_value_member(image, "time", &date));
    livery_value_release(date);
    livery_value_release(bytes);
    livery_value_release(name);
    livery_value_release(image);
  }
  EXPECT_INT(wanted, place);
  livery_value_release(images);
  EXPECT_STATUS(LIVERY_ERROR_UNAVAILABLE, livery_picker_list("/no/such/folder", &images));
  EXPECT_STATUS(LIVERY_ERROR_UNAVAILABLE, livery_picker_list(FIXTURES "/images/rgb.png", &images));
  EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT, livery_picker_list(NULL, &images));
  EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT, livery_picker_list("/", NULL));
  EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT, livery_picker_list("\377", &images));
  EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT, livery_picker_media(NULL));
  OK(livery_picker_media(&images));
  livery_value_release(images);
}

// -- An upload

static void note_only(livery_status status, const char *message, bool retry, void *user_data) {
  shower *self = user_data;
  (void)message;
  self->verdict = status;
  self->retry = retry;
  atomic_fetch_add(&self->verdicts, 1);
}

static livery_status answer_once(livery_prompt *prompt, livery_value *request, void *user_data) {
  shower *self = user_data;
  livery_value *value = NULL;
  (void)request;
  OK(livery_value_from_json(self->answer, strlen(self->answer), &value));
  OK(livery_prompt_answer(prompt, value, note_only, self, NULL));
  livery_value_release(value);
  return LIVERY_OK;
}

TEST("an upload is what a person answers to photo-upload", uploads) {
  livery_store *store = picking_store();
  picked nobody = {0}, answered = {0}, closed = {0}, late = {0}, declined = {0};
  begin_picking(store, of(LIVERY_PICKER_UPLOAD), &nobody);
  expect_end(&nobody, LIVERY_ERROR_UNAVAILABLE);

  size_t length = 0;
  void *bytes = read_whole(FIXTURES "/images/rgb.png", &length);
  char id[80] = "", answer[120];
  OK(livery_asset_put(store, bytes, length, 0, id));
  free(bytes);
  snprintf(answer, sizeof answer, "{\"photo\":\"%s\"}", id);
  livery_picker_options options = of(LIVERY_PICKER_UPLOAD);
  options.setting = "logo";
  shower self = {.script = "l", .answer = answer};
  livery_prompt_provider *provider = provide(store, "photo-upload", &self);
  begin_picking(store, options, &answered);
  expect_end(&answered, LIVERY_OK);
  EXPECT_TEXT(id, answered.asset);
  EXPECT_INT(LIVERY_PICKER_UPLOAD, answered.source);
  EXPECT(answered.revision > 0);
  OK(livery_prompt_withdraw(provider));

  options = of(LIVERY_PICKER_UPLOAD);
  shower closer = {.script = "c"}, waiter = {.script = "w"}, decliner = {.script = "d"};
  provider = provide(store, "photo-upload", &closer);
  begin_picking(store, options, &closed);
  expect_end(&closed, LIVERY_ERROR_CANCELLED);
  OK(livery_prompt_withdraw(provider));
  provider = provide(store, "photo-upload", &decliner);
  begin_picking(store, options, &declined);
  expect_end(&declined, LIVERY_ERROR_UNAVAILABLE);
  OK(livery_prompt_withdraw(provider));
  provider = provide(store, "photo-upload", &waiter);
  options.timeout_ms = 30;
  begin_picking(store, options, &late);
  expect_end(&late, LIVERY_ERROR_TIMEOUT);
  EXPECT(comes(&waiter.dismissed, 1));
  OK(livery_prompt_withdraw(provider));
  // One that is too large, or that nobody has, is rejected, and the person may try again until the time is over.
  static const char *const wrong[] = {NULL, "{\"photo\":\"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef\"}"};
  livery_prompt_functions functions = {sizeof functions, 0, answer_once, hide};
  for (size_t place = 0; place < 2; place++) {
    picked told = {0};
    shower person = {.answer = wrong[place] ? wrong[place] : answer};
    options.timeout_ms = 300;
    options.max_size = wrong[place] ? 0 : 10;
    OK(livery_prompt_provide(store, "photo-upload", &functions, &person, NULL, &provider));
    begin_picking(store, options, &told);
    EXPECT(comes(&person.verdicts, 1));
    EXPECT(person.verdict != LIVERY_OK && person.retry);
    expect_end(&told, LIVERY_ERROR_TIMEOUT);
    EXPECT(comes(&person.dismissed, 1));
    OK(livery_prompt_withdraw(provider));
  }
  OK(livery_close(store));
}

// -- The setting

static atomic_int changes;
static void note_change(const livery_event *events, size_t count, void *user_data) {
  (void)events, (void)count, (void)user_data;
  atomic_fetch_add(&changes, 1);
}

TEST("asset and setting are one commit; what the setting does not take is told, and no asset is left", settings) {
  livery_store *store = picking_store();
  OK(livery_schema_apply(store, KIOSK_SCHEMA, LIVERY_ZERO_TERMINATED, NULL, NULL));
  picked told = {0}, mismatch = {0}, unknown = {0}, locked = {0};
  livery_picker_options options = good();
  livery_watch *watch = NULL;
  OK(livery_watch_start(store, NULL, NULL, note_change, NULL, NULL, &watch));
  changes = 0;
  uint64_t before = 0;
  OK(livery_revision(store, &before));
  options.setting = "branding.logo";
  begin_picking(store, options, &told);
  expect_end(&told, LIVERY_OK);
  EXPECT_INT(before + 1, told.revision);
  EXPECT(comes(&changes, 1));
  usleep(20000);
  EXPECT_INT(1, changes);
  OK(livery_watch_stop(watch));
  livery_value *info = NULL, *logo = NULL;
  OK(livery_get_value(store, "branding.logo", &logo));
  OK(livery_reset(store, user, "branding.logo"));
  options.setting = "branding.logo";
  OK(livery_set_value(store, enforced, "branding.logo", logo));
  begin_picking(store, options, &locked);
  expect_end(&locked, LIVERY_ERROR_LOCKED);
  OK(livery_reset(store, enforced, "branding.logo"));
  livery_value_release(logo);
  OK(livery_asset_remove(store, told.asset, 0));
  options.setting = "idleResetSeconds";
  begin_picking(store, options, &mismatch);
  expect_end(&mismatch, LIVERY_ERROR_TYPE_MISMATCH);
  options.setting = "no.such.setting";
  begin_picking(store, options, &unknown);
  expect_end(&unknown, LIVERY_ERROR_NOT_FOUND);
  EXPECT_STATUS(LIVERY_ERROR_NOT_FOUND, livery_asset_info(store, told.asset, &info));
  OK(livery_close(store));
}

TEST("a store that is only read takes no image", read_only) {
  NEEDS_FILES;
  const char *path = fresh_path();
  livery_open_options options = LIVERY_OPEN_OPTIONS_INIT;
  options.flags = LIVERY_OPEN_CREATE;
  livery_store *store = NULL;
  OK(livery_open(path, &options, &store));
  OK(livery_close(store));
  options.flags = LIVERY_OPEN_READ_ONLY;
  OK(livery_open(path, &options, &store));
  picked told = {.permits = "g"};
  begin_picking(store, good(), &told);
  expect_end(&told, LIVERY_ERROR_READ_ONLY);
  OK(livery_close(store));
}

// -- The end

TEST("a store that is closed ends picking once, wherever it is", closed) {
  static const struct { const char *permits, *decisions, *script; } cases[] = {
    {"w", NULL, "p"}, {"d", "w", "p"}, {"g", NULL, "w"}, {NULL, NULL, "w"}, {NULL, NULL, "l"}, {"l", NULL, "l"}, {NULL, NULL, "p"},
  };
  for (size_t place = 0; place < sizeof cases / sizeof *cases; place++) {
    for (int wait = 0; wait < 4; wait++) {
      int before = check_failures;
      livery_store *store = picking_store();
      picked told = {.permits = cases[place].permits, .decisions = cases[place].decisions};
      booth camera = {0};
      build_booth(store, &camera, cases[place].script);
      begin_picking(store, of(LIVERY_PICKER_CAMERA), &told);
      // What is answered later may be answered to somebody who is gone: only where it has come.
      bool answers_later = strchr(cases[place].script, 'l') || (told.permits && strchr(told.permits, 'l'));
      if (answers_later) EXPECT(comes(&told.done, 1));
      else usleep((useconds_t)(wait * 1500));
      OK(livery_close(store));
      EXPECT_INT(1, told.done);
      EXPECT_INT(1, told.destroyed);
      EXPECT(told.status == LIVERY_ERROR_CLOSED || told.status == LIVERY_OK);
      EXPECT_INT(1, camera.destroyed);
      if (strcmp(cases[place].script, "w") == 0) EXPECT_INT(camera.taken, camera.cancelled);
      EXPECT_STATUS(LIVERY_ERROR_CLOSED, livery_picker_cancel(told.picker));
      if (check_failures > before) fprintf(stderr, "  case %zu, wait %d\n", place, wait);
    }
  }
}

TEST("a camera may close the store while it is asked for a picture", closed_by_camera) {
  for (int round = 0; round < 4; round++) {
    livery_store *store = picking_store();
    // The first gives no picture, the second one before it closes the store, the third has another one waiting, and the fourth is only
    // asked whether it is there.
    static const char *const scripts[] = {"x", "X", "wx", "p"};
    booth camera = {.store = store, .closes_when_asked = round == 3};
    picked told = {0}, other = {0};
    build_booth(store, &camera, scripts[round]);
    if (round == 2) begin_picking(store, of(LIVERY_PICKER_CAMERA), &other);
    if (round == 2) EXPECT(comes(&camera.taken, 1));
    begin_picking(store, of(LIVERY_PICKER_CAMERA), &told);
    expect_end(&told, LIVERY_ERROR_CLOSED);
    if (round == 2) expect_end(&other, LIVERY_ERROR_CLOSED);
    EXPECT(comes(&camera.destroyed, 1));
    EXPECT_INT(round == 2 ? 2 : round == 0, camera.cancelled);
    if (round == 3) EXPECT_INT(0, camera.taken);
  }
}

TEST("a camera may close the store while it is told that its picture is wanted no longer", closed_by_cancelled_camera) {
  for (int round = 0; round < 2; round++) {
    livery_store *store = picking_store();
    picked told = {0};
    booth camera = {.store = store, .told = &told, .closes_when_cancelled = true};
    livery_picker_options options = of(LIVERY_PICKER_CAMERA);
    if (round == 0) options.timeout_ms = 30;
    build_booth(store, &camera, "w");
    begin_picking(store, options, &told);
    EXPECT(comes(&camera.taken, 1));
    if (round == 1) OK(livery_picker_cancel(told.picker));
    expect_end(&told, round == 0 ? LIVERY_ERROR_TIMEOUT : LIVERY_ERROR_CANCELLED);
    EXPECT(comes(&camera.destroyed, 1));
    EXPECT_INT(1, camera.cancelled);
  }
}

TEST("picking that is cancelled ends once, whenever that comes", cancelled) {
  for (int wait = 0; wait < 20; wait++) {
    livery_store *store = picking_store();
    picked told = {.permits = "e"};
    livery_picker_options options = good();
    options.setting = "logo";
    begin_picking(store, options, &told);
    usleep((useconds_t)(wait * 200));
    livery_status status = livery_picker_cancel(told.picker);
    EXPECT(status == LIVERY_OK || status == LIVERY_ERROR_CLOSED);
    EXPECT(comes(&told.destroyed, 1));
    EXPECT_INT(status == LIVERY_OK ? LIVERY_ERROR_CANCELLED : LIVERY_OK, told.status);
    livery_value *logo = NULL;
    if (status == LIVERY_OK) EXPECT(livery_get_value(store, "logo", &logo) != LIVERY_OK);
    livery_value_release(logo);
    OK(livery_close(store));
    EXPECT_INT(1, told.done);
  }
}

TEST("functions are called by livery_dispatch() alone for who wants that", dispatched) {
  livery_store *store = picking_store();
  picked told = {.permits = "g"};
  livery_picker_options options = good();
  options.flags = LIVERY_PICKER_DISPATCH;
  int events = -1;
  OK(livery_event_fd(store, &events));
  begin_picking(store, options, &told);
  usleep(50000);
  EXPECT_INT(0, told.asked);
  for (int tries = 0; tries < 1000 && !told.destroyed; tries++) {
    OK(livery_dispatch(store, NULL));
    usleep(1000);
  }
  expect_end(&told, LIVERY_OK);
  OK(livery_close(store));
}

TEST("what is wrong with a call is told, and `done` and `destroy` run once", arguments) {
  livery_store *store = picking_store();
  livery_picker_options cases[16];
  size_t count = 0;
  char name[300], path[5000];
  memset(name, 'a', sizeof name - 1), name[sizeof name - 1] = 0;
  memset(path, 'a', sizeof path - 1), path[sizeof path - 1] = 0;
#define CASE(change)                                                                                                   \
  do {                                                                                                                 \
    livery_picker_options options = good();                                                                            \
    change;                                                                                                            \
    cases[count++] = options;                                                                                          \
  } while (0)
  CASE(options.source = 0);
  CASE(options.source = 4);
  CASE(options.flags = 1u << 7);
  CASE(options.folder = NULL);
  CASE(options.file = NULL);
  CASE(options.file = "");
  CASE(options.file = "..");
  CASE(options.file = "a/b");
  CASE(options.file = name);
  CASE(options.folder = path);
  CASE(options.file = "\377");
  CASE(options.width = 16385);
  CASE(options.max_size = LIVERY_ASSET_MAX + 1u);
  CASE(options.timeout_ms = 86400001);
  CASE(options.layer = 77);
  CASE(options.struct_size = 3);
  for (size_t place = 0; place < count; place++) {
    picked told = {0};
    livery_picker *picker = (livery_picker *)store;
    if (!EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT,
                       livery_picker_start(store, &cases[place], note_picked, &told, note_picked_destroyed, &picker)))
      fprintf(stderr, "  case %zu\n", place);
    EXPECT(picker == (livery_picker *)store);
    expect_end(&told, LIVERY_ERROR_INVALID_ARGUMENT);
  }
  livery_picker_options options = good();
  picked told = {0};
  EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT, livery_picker_start(NULL, &options, note_picked, &told, note_picked_destroyed, NULL));
  EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT, livery_picker_start(store, NULL, note_picked, &told, note_picked_destroyed, NULL));
  EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT, livery_picker_start(store, &options, NULL, &told, note_picked_destroyed, NULL));
  EXPECT_INT(2, told.done);
  EXPECT_INT(3, told.destroyed);
  OK(livery_picker_cancel(NULL));
  EXPECT_STATUS(LIVERY_ERROR_CLOSED, livery_picker_cancel((livery_picker *)store));
  EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT, livery_picker_permit(NULL, LIVERY_PICKER_GRANTED));
  EXPECT_STATUS(LIVERY_ERROR_CLOSED, livery_picker_permit((livery_picker_ask *)store, LIVERY_PICKER_GRANTED));
  EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT, livery_picker_decide(NULL, LIVERY_PICKER_STOP, 0));
  EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT, livery_picker_taken(NULL, LIVERY_OK, "", 1));
  EXPECT_STATUS(LIVERY_ERROR_CLOSED, livery_picker_taken((livery_picker_shot *)store, LIVERY_OK, "", 1));
  OK(livery_close(store));
  EXPECT_STATUS(LIVERY_ERROR_CLOSED, livery_picker_start(store, &options, note_picked, &told, note_picked_destroyed, NULL));
}

static livery_store *parents;
static void pick_in_child(void) {
  picked told = {0};
  livery_picker_options options = good();
  EXPECT_STATUS(LIVERY_ERROR_FORKED, livery_picker_start(parents, &options, note_picked, &told, note_picked_destroyed, NULL));
  expect_end(&told, LIVERY_ERROR_FORKED);
}

TEST("a child after fork() is told that the store is its parent's", forked) {
  parents = picking_store();
  picked told = {0};
  begin_picking(parents, good(), &told);
  expect_end(&told, LIVERY_OK);
  IN_CHILD(pick_in_child);
  OK(livery_close(parents));
}
