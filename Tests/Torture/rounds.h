// Harnesses that run in scenes: each makes a store, lets several processes loose on it, and looks at what is left. A scene is
// repeated from the seed and its number. A process that does not end in time is a finding, with what it was doing.
//
// And what these processes write: settings of which each commit changes all, to values that belong to one stamp, so that a
// reader can tell any mixture, any page that was used again, and any step back.
#ifndef ROUNDS_H
#define ROUNDS_H

#include "torture.h"

// Scenes

static const char *scene_harness;
static uint64_t scene_seed, scene_number;
static char scene_path[256];
// How many were run, and the harness's count of rounds, which its processes share.
static uint64_t scene_count;
static const _Atomic uint64_t *scene_rounds;
static double scenes_began;

/** Tells what was found, why as the library says it, and how to see it again. */
#define wrong(...) wrong_at(livery_last_error()->message, __VA_ARGS__)
__attribute__((format(printf, 2, 3))) UNUSED static void wrong_at(const char *message, const char *format, ...) {
  char text[1200];
  va_list list;
  va_start(list, format);
  vsnprintf(text, sizeof text, format, list);
  va_end(list);
  finding("%s: %s (last error: %s)\n  again: scripts/torture again %s --seed %#llx --from %llu --rounds 1 --keep", scene_harness, text,
          message, scene_harness, (unsigned long long)scene_seed, (unsigned long long)scene_number);
}

/** Draws the numbers of a scene and names its store, which is not there yet. */
UNUSED static void begin_scene(uint64_t number) {
  scene_number = number;
  seed_with(scene_seed + number * 0x9e3779b9u);
  snprintf(scene_path, sizeof scene_path, "%s/%" PRIu64, torture_directory, number);
}
UNUSED static void end_scene(void) {
  if (!findings() || !option_given("--keep")) remove_tree(scene_path);
}

UNUSED static void begin_scenes(const char *name, int argc, char **argv) {
  begin_torture(name, argc, argv);
  scene_harness = name;
  scene_seed = option_number("--seed", fresh_seed());
}

/** Runs scenes until they have made as many rounds as is asked for, or something was found. */
UNUSED static void run_scenes(void (*scene)(void), const _Atomic uint64_t *rounds, uint64_t otherwise) {
  uint64_t most = option_number("--rounds", otherwise);
  scene_rounds = rounds;
  scenes_began = seconds_now();
  for (uint64_t number = option_number("--from", 0); *rounds < most && findings() == 0; number++, scene_count++) {
    begin_scene(number);
    scene();
    end_scene();
  }
}

/** Prints the line of figures. What main returns. */
UNUSED static int end_scenes(void) {
  printf("%s: rounds=%" PRIu64 " scenes=%" PRIu64 " %serrors=%" PRIu64 " seconds=%.1f seed=%#" PRIx64 "\n", scene_harness,
         *scene_rounds, scene_count, torture_figures, findings(), seconds_now() - scenes_began, scene_seed);
  return findings() ? 1 : 0;
}

// Processes of a scene

enum { CREW_MOST = 16 };
typedef struct crew_member {
  pid_t process;
  const char *role;
} crew_member;
static crew_member crew[CREW_MOST];
static size_t crew_count;
// What each is doing, and how often it has begun something: shared.
static struct crew_place {
  const char *_Atomic doing;
  _Atomic uint64_t steps;
} *crew_places;
static size_t crew_self;

UNUSED static void doing(const char *what) {
  crew_places[crew_self].doing = what;
  crew_places[crew_self].steps++;
}

UNUSED static void crew_add(const char *role, void (*work)(int), int argument) {
  if (!crew_places) crew_places = shared_memory(4096);
  if (crew_count == CREW_MOST) give_up("too many processes");
  uint64_t own = random_bits();
  crew_places[crew_count].doing = "starting";
  fflush(NULL);
  pid_t child = fork();
  if (child < 0) give_up("no process");
  if (child == 0) {
    crew_self = crew_count;
    seed_with(own);
    work(argument);
    _exit(0);
  }
  crew[crew_count++] = (crew_member){child, role};
}

/** Waits for all; false if one crashed or did not end within the time, after which all are killed. */
UNUSED static bool crew_wait(double seconds) {
  double limit = seconds_now() + seconds;
  bool is_good = true, is_late = false;
  for (size_t left = crew_count; left > 0;) {
    left = 0;
    for (size_t index = 0; index < crew_count; index++) {
      if (crew[index].process == 0) continue;
      int status = 0;
      pid_t ended = waitpid(crew[index].process, &status, WNOHANG);
      if (ended == 0) {
        left++;
        continue;
      }
      crew[index].process = 0;
      if (status == 0 || (is_late && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)) continue;
      wrong_at("", "%s %zu %s, in %s", crew[index].role, index, ending(status), crew_places[index].doing);
      is_good = false;
    }
    if (left > 0 && !is_late && seconds_now() > limit) {
      is_late = true;
      is_good = false;
      for (size_t index = 0; index < crew_count; index++)
        if (crew[index].process)
          wrong_at("", "%s %zu hangs in %s", crew[index].role, index, crew_places[index].doing);
      for (size_t index = 0; index < crew_count; index++)
        if (crew[index].process) kill(crew[index].process, SIGKILL);
    }
    if (left > 0) sleep_us(200);
  }
  crew_count = 0;
  return is_good;
}

/** Waits for all, and if none of them failed has one more process look at what is left. */
UNUSED static void crew_end(void (*look_at_end)(int)) {
  if (!crew_wait(60)) return;
  crew_add("last", look_at_end, 0);
  crew_wait(60);
}

// The functions of one copy of the library

#define ENGINE_FUNCTIONS(X)                                                                                            \
  X(open) X(close) X(revision) X(get_int) X(set_int) X(change_begin) X(change_set_int) X(change_set_string)          \
  X(change_commit) X(change_discard) X(snapshot_open) X(snapshot_close) X(snapshot_get) X(snapshot_revision)          \
  X(value_as_int) X(value_as_string) X(value_release) X(compact) X(backup) X(check) X(last_error) X(watch_start)      \
  X(watch_stop)

typedef struct engine {
#define X(name) __typeof__(&livery_##name) name;
  ENGINE_FUNCTIONS(X)
#undef X
} engine;

#define X(name) livery_##name,
static const engine linked UNUSED = {ENGINE_FUNCTIONS(X)};
#undef X

/** The functions of a library that was loaded; false if one is missing. */
UNUSED static bool load_engine(void *library, engine *functions) {
  bool is_whole = true;
#define X(name)                                                                                                        \
  functions->name = (__typeof__(&livery_##name))dlsym(library, "livery_" #name);                                      \
  is_whole = is_whole && functions->name;
  ENGINE_FUNCTIONS(X)
#undef X
  return is_whole;
}

// Stamped values

enum { STAMPED = 6, STAMP_WRITERS = 12 };

/** What writers have begun and what was acknowledged: shared. */
typedef struct stamps {
  _Atomic int64_t intended[STAMP_WRITERS], acknowledged[STAMP_WRITERS];
} stamps;

UNUSED static int64_t stamp_of(int writer, int64_t number) { return ((int64_t)(writer + 1) << 40) | number; }

UNUSED static size_t stamp_text(int64_t stamp, int index, char text[4096]) {
  uint64_t bits = mixed((uint64_t)stamp * 31 + (uint64_t)index);
  size_t length = (size_t)snprintf(text, 64, "%llx/%d/", (long long)stamp, index);
  size_t whole = length + (bits % 4 ? bits % 50 : bits % 2500);
  for (; length < whole; length++) text[length] = (char)('a' + (bits >> (length % 40)) % 26);
  return whole;
}

static const char *const stamp_numbers[STAMPED] = {"stamp.0", "stamp.1", "stamp.2", "stamp.3", "stamp.4", "stamp.5"};
static const char *const stamp_texts[STAMPED] = {"text.0", "text.1", "text.2", "text.3", "text.4", "text.5"};
static const char *const stamp_own[STAMP_WRITERS] = {"own.0", "own.1", "own.2", "own.3", "own.4", "own.5",
                                                     "own.6", "own.7", "own.8", "own.9", "own.10", "own.11"};

/** Commits the writer's next stamp; acknowledges it if that succeeded. */
UNUSED static livery_status stamp_commit(const engine *with, livery_store *store, stamps *shared, int writer, uint64_t *revision) {
  livery_change *change = NULL;
  char text[4096];
  int64_t number = shared->intended[writer] + 1, stamp = stamp_of(writer, number);
  shared->intended[writer] = number;
  livery_status status = with->change_begin(store, LIVERY_LAYER_USER, &change);
  for (int index = 0; index < STAMPED && status == LIVERY_OK; index++) {
    status = with->change_set_int(change, stamp_numbers[index], stamp);
    if (status == LIVERY_OK) status = with->change_set_string(change, stamp_texts[index], text, stamp_text(stamp, index, text));
  }
  if (status == LIVERY_OK) status = with->change_set_int(change, stamp_own[writer], number);
  if (status == LIVERY_OK) status = with->change_commit(change, revision);
  if (status == LIVERY_OK) {
    shared->acknowledged[writer] = number;
  } else {
    with->change_discard(change);
  }
  return status;
}

UNUSED static livery_status snapshot_int(const engine *with, livery_snapshot *snapshot, const char *name, int64_t *number) {
  livery_value *value = NULL;
  livery_status status = with->snapshot_get(snapshot, name, &value);
  if (status == LIVERY_OK) status = with->value_as_int(value, number);
  with->value_release(value);
  return status;
}

/** Looks at all of a snapshot: the stamp that all its values belong to, 0 before the first, -1 if it tells a lie. */
UNUSED static int64_t stamp_seen(const engine *with, livery_snapshot *snapshot) {
  int64_t stamp = 0;
  for (int index = 0; index < STAMPED; index++) {
    int64_t number = 0;
    char expected[4096];
    livery_value *value = NULL;
    const char *text = "";
    size_t length = 0;
    livery_status status = snapshot_int(with, snapshot, stamp_numbers[index], &number);
    if (index == 0 && status == LIVERY_ERROR_NOT_FOUND) return 0;
    if (index == 0) stamp = number;
    if (status == LIVERY_OK) status = with->snapshot_get(snapshot, stamp_texts[index], &value);
    if (status == LIVERY_OK) status = with->value_as_string(value, &text, &length);
    bool is_right = status == LIVERY_OK && number == stamp && stamp_text(stamp, index, expected) == length
      && memcmp(text, expected, length) == 0;
    if (!is_right)
      wrong_at(with->last_error()->message, "a snapshot shows %#llx and \"%.24s\" beside %#llx (%s)", (long long)number, text,
               (long long)stamp, livery_status_name(status));
    with->value_release(value);
    if (!is_right) return -1;
  }
  return stamp;
}

/** Opens a snapshot and looks at it: nothing that was acknowledged before is missing. */
UNUSED static livery_status stamp_open(const engine *with, livery_store *store, stamps *shared, livery_snapshot **snapshot,
                                       int64_t *stamp) {
  int64_t before[STAMP_WRITERS];
  for (int writer = 0; writer < STAMP_WRITERS; writer++) before[writer] = shared->acknowledged[writer];
  livery_status status = with->snapshot_open(store, snapshot);
  if (status != LIVERY_OK) return status;
  *stamp = stamp_seen(with, *snapshot);
  for (int writer = 0; writer < STAMP_WRITERS; writer++) {
    int64_t number = 0, most = shared->intended[writer];
    if (most == 0) continue;
    status = snapshot_int(with, *snapshot, stamp_own[writer], &number);
    if (status == LIVERY_ERROR_NOT_FOUND) number = 0;
    else if (status != LIVERY_OK) number = -1;
    if (number < before[writer] || number > most)
      wrong_at(with->last_error()->message, "writer %d: %lld is there, %lld was acknowledged, %lld begun (%s)", writer,
               (long long)number, (long long)before[writer], (long long)most, livery_status_name(status));
  }
  return LIVERY_OK;
}

#endif
