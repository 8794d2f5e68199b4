// Measures who waits. A process that maintains a store is held still at each of its system calls, or at any instant while many
// of its threads take readers' slots, or with LMDB's lock of the readers in its hands; and meanwhile another one calls every
// function that says how it waits. Those that never wait must answer, rightly and at once; those that wait for writers must
// answer or say BUSY when their time is up. One whose commit fails is held still while another replaces the file: what covers the
// failed commit must not be written into the former one.
//
// What is measured is the time that passes less the time in which the thread could have run and no processor was free.
//
// A round is one stop.
//
//     stopped [--rounds N] [--seed S] [--from RUN] [--only OPERATION] [--every N] [--bar-ms N] [--keep] [--broken]
#include "stopped_probes.h"
#include "tracer.h"

#include <dirent.h>
#include <poll.h>
#include <pthread.h>
#include <sys/syscall.h>

enum { FUNCTIONS = COUNT_OF(reading) + COUNT_OF(writing) + 3, HANG_S = 40 };
enum { OPEN = COUNT_OF(reading) + COUNT_OF(writing), READ_AFTER_OPEN, CLOSE };

static struct shared {
  struct figures {
    const char *name;
    double ms_max;
    const char *operation_max;
    uint64_t ok, busy, waited;
  } figures[FUNCTIONS];
  const char *_Atomic doing;
  uint64_t rounds, runs, values;
  char asset[LIVERY_ASSET_ID_SIZE];
  // Of the present run.
  uint32_t timeout_ms;
  const char *operation;
  uint64_t round, stop, busy_reads;
  bool may_be_busy;
} *shared;

static char made[256], path[256];
static uint64_t seed, run_number;
static double bar_ms;

__attribute__((format(printf, 1, 2))) static void wrong(const char *format, ...) {
  char text[1000];
  va_list list;
  va_start(list, format);
  vsnprintf(text, sizeof text, format, list);
  va_end(list);
  finding("stopped: while %s stands at stop %llu: %s\n  again: scripts/torture again stopped --seed %#llx --from %llu --rounds 1 --keep",
          shared->operation, (unsigned long long)shared->stop, text, (unsigned long long)seed, (unsigned long long)run_number);
}

#include "stopped_operations.h"

// Measuring

/** Milliseconds in which this thread could not run although it wanted to. */
static double held_up_ms(void) {
  static int file = -1;
  static pid_t whose;
  char text[100];
  unsigned long long ran = 0, held_up = 0;
  if (whose != getpid()) {
    file = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
    whose = getpid();
  }
  ssize_t length = file < 0 ? 0 : pread(file, text, sizeof text - 1, 0);
  text[length > 0 ? length : 0] = 0;
  return sscanf(text, "%llu %llu", &ran, &held_up) == 2 ? (double)held_up / 1e6 : 0;
}

static double allowed_ms(wait_class waits) {
  switch (waits) {
    case NEVER: return bar_ms;
    case WRITES: return bar_ms + shared->timeout_ms;
    case WRITES_TWICE: return bar_ms + 2.0 * shared->timeout_ms;
    default: return bar_ms + 5000;
  }
}

static livery_status timed(size_t function, const probe *probe, double *ms) {
  shared->doing = probe->name;
  double held_up = held_up_ms(), began = seconds_now();
  livery_status status = probe->run();
  *ms = (seconds_now() - began) * 1e3 - (held_up_ms() - held_up);
  struct figures *figures = &shared->figures[function];
  figures->name = probe->name;
  if (*ms > figures->ms_max) {
    figures->ms_max = *ms;
    figures->operation_max = shared->operation;
  }
  figures->ok += status == LIVERY_OK;
  figures->busy += status == LIVERY_ERROR_BUSY;
  shared->busy_reads += status == LIVERY_ERROR_BUSY;
  figures->waited += *ms > 20;
  shared->values += status == LIVERY_OK;
  return status;
}

static void measure(size_t function, const probe *probe) {
  double ms = 0, again = 0;
  livery_status status = timed(function, probe, &ms);
  bool may_be_busy = probe->waits != NEVER || shared->may_be_busy;
  double allowed = allowed_ms(probe->waits == NEVER && status == LIVERY_ERROR_BUSY ? WRITES : probe->waits);
  // One that is late once was held up by the machine; one that waits is late again.
  if (ms > allowed) {
    livery_status second = timed(function, probe, &again);
    if (again > allowed) wrong("livery_%s took %.1f ms and %.1f ms; %.0f are allowed", probe->name, ms, again, allowed);
    if (second != LIVERY_OK) status = second;
  }
  if (status == LIVERY_OK || (status == LIVERY_ERROR_BUSY && may_be_busy)) return;
  // A snapshot pins the map.
  if (status == LIVERY_ERROR_NO_SPACE && strcmp(shared->operation, "growth") == 0 && probe->waits != NEVER) return;
  wrong("livery_%s gave %s after %.1f ms: %s", probe->name, livery_status_name(status), ms, livery_last_error()->message);
}

static livery_status probe_open(void) { return open_at(path, 0, 0, self.round % 2, &self.store); }
static livery_status probe_close(void) {
  livery_store *store = self.store;
  self.store = NULL;
  return livery_close(store);
}

/** In a process of its own: opens, reads, closes. */
static void open_and_close(const operation *unused) {
  static const probe opening = {"open", WRITES, probe_open}, reads = {"get_int_after_open", NEVER, probe_get_int},
                     closing = {"close", NEVER, probe_close};
  (void)unused;
  self.round = shared->round;
  measure(OPEN, &opening);
  if (!self.store) return;
  measure(READ_AFTER_OPEN, &reads);
  measure(CLOSE, &closing);
}

static int orders[2], answers[2];

// Needs what another one makes.
static bool is_ready(const probe *probe) {
  if (probe->run == probe_key_get_bool || probe->run == probe_key_get_int || probe->run == probe_key_get_double) return self.key;
  if (probe->run == probe_key_get_string || probe->run == probe_key_close) return self.text_key;
  if (probe->run == probe_snapshot_revision || probe->run == probe_snapshot_get || probe->run == probe_snapshot_next
      || probe->run == probe_snapshot_get_layer || probe->run == probe_snapshot_list
      || probe->run == probe_snapshot_asset || probe->run == probe_snapshot_close)
    return self.snapshot;
  return true;
}

// Reads all that it knows on each order, beginning anywhere, and calls one function that waits.
static void measure_on(const operation *operation) {
  static const probe opening = {"open", WRITES, probe_open};
  char byte = 'a';
  self.takes_slots = !operation;
  shared->doing = "open";
  strcpy(self.asset, shared->asset);
  if (!operation || !operation->is_damaged) {
    if (open_at(path, 0, operation && operation->has_small_map ? 1 << 20 : 0, false, &self.store) != LIVERY_OK)
      wrong("livery_open before: %s", livery_last_error()->message);
    // What is read later is warm.
    for (size_t index = 0; self.store && index < COUNT_OF(reading); index++)
      if (is_ready(&reading[index]) && reading[index].run() != LIVERY_OK)
        wrong("livery_%s before: %s", reading[index].name, livery_last_error()->message);
    if (operation && operation->has_small_map && below(2)) {
      // A map that others have outgrown cannot be followed while a snapshot holds it.
      shared->may_be_busy = true;
      livery_snapshot_open(self.store, &self.held[self.held_count++]);
    }
  }
  while (write(answers[1], &byte, 1) == 1 && read(orders[0], &byte, 1) == 1 && byte != 'e') {
    self.round = shared->round;
    if (!self.store) measure(OPEN, &opening);
    if (!self.store) continue;
    if (byte == 'c') {
      measure(COUNT_OF(reading) + COUNT_OF(writing) - 2, &writing[COUNT_OF(writing) - 2]);
      continue;
    }
    size_t from = (size_t)below(COUNT_OF(reading));
    for (size_t each = 0; each < COUNT_OF(reading); each++) {
      size_t index = (from + each) % COUNT_OF(reading);
      // Where all wait, a few tell enough.
      if (shared->may_be_busy && shared->busy_reads > 4 && below(10)) continue;
      if (is_ready(&reading[index])) measure(index, &reading[index]);
    }
    shared->busy_reads = 0;
    // The last of them seldom: it may take five seconds.
    size_t index = (size_t)below(COUNT_OF(writing) - (below(60) != 0));
    // Who stops at each call would never have opened a file that is replaced at every few of them.
    if (writing[index].run == probe_compact && below(50)) index = 0;
    measure(COUNT_OF(reading) + index, &writing[index]);
  }
  shared->doing = "close";
  livery_close(self.store);
}

static pid_t start(void (*work)(const operation *), const operation *operation) {
  uint64_t own = random_bits();
  pid_t child = fork();
  if (child != 0) return child;
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  seed_with(own);
  self.path = path;
  work(operation);
  _exit(0);
}

/** Waits for a process that measures: until it answers, or has ended where there is no answer. */
static bool wait_for(pid_t process, bool answers_us) {
  double limit = seconds_now() + HANG_S;
  for (;;) {
    struct pollfd place = {answers[0], POLLIN, 0};
    int status = 0;
    char byte;
    if (answers_us && poll(&place, 1, 50) == 1) return read(answers[0], &byte, 1) == 1;
    if (waitpid(process, &status, WNOHANG) == process) {
      if (status != 0) wrong("the process that measures %s, in livery_%s", ending(status), shared->doing);
      return !answers_us && status == 0;
    }
    if (seconds_now() > limit) {
      wrong("livery_%s does not return", shared->doing);
      kill(process, SIGKILL);
      waitpid(process, &status, 0);
      return false;
    }
    if (!answers_us) sleep_us(100);
  }
}

static bool one_round(pid_t measurer, const char *order) {
  shared->round++;
  shared->rounds++;
  if (write(orders[1], order, 1) != 1 || !wait_for(measurer, true)) return false;
  return shared->rounds % 3 || wait_for(start(open_and_close, NULL), false);
}

// Runs

static void copy_file(const char *from, const char *to, bool is_damaged) {
  size_t length = 0;
  unsigned char *content = file_content(from, &length);
  if (is_damaged) memset(content + length / 2, 0x5a, length / 4);
  put_file(to, content, length);
  free(content);
}

// A store without what its processes share.
static void copy_store(const operation *operation) {
  char from[600], to[600];
  remove_tree(path);
  snprintf(to, sizeof to, "%s/backups", path);
  if (mkdir(path, 0700) != 0 || mkdir(to, 0700) != 0) give_up("%s", path);
  snprintf(from, sizeof from, "%s/data.mdb", made);
  snprintf(to, sizeof to, "%s/data.mdb", path);
  copy_file(from, to, operation && operation->is_damaged);
  snprintf(from, sizeof from, "%s/backups", made);
  DIR *directory = operation && operation->has_no_backups ? NULL : opendir(from);
  for (struct dirent *entry; directory && (entry = readdir(directory));) {
    if (entry->d_name[0] == '.') continue;
    snprintf(from, sizeof from, "%s/backups/%.255s", made, entry->d_name);
    snprintf(to, sizeof to, "%s/backups/%.255s", path, entry->d_name);
    copy_file(from, to, false);
  }
  if (directory) closedir(directory);
}

static void make(const operation *unused) {
  (void)unused;
  livery_store *store = NULL;
  char bytes[5000];
  memset(bytes, 'x', sizeof bytes);
  livery_status status = open_at(made, LIVERY_OPEN_CREATE, 0, false, &store);
  DO(fill(store));
  DO(livery_asset_put(store, bytes, sizeof bytes, LIVERY_ASSET_ANY, shared->asset));
  DO(livery_set_string(store, LIVERY_LAYER_USER, "logo", shared->asset, LIVERY_ZERO_TERMINATED));
  DO(livery_backup(store, NULL));
  DO(livery_set_int(store, LIVERY_LAYER_USER, "scratch", 1));
  DO(livery_close(store));
  if (status != LIVERY_OK) give_up("%s cannot be made", made);
}

static void look_at_end(const operation *unused) {
  (void)unused;
  livery_store *store = NULL;
  shared->timeout_ms = 10000;
  shared->doing = "open at the end";
  strcpy(self.asset, shared->asset);
  livery_status status = open_at(path, 0, 0, false, &store);
  self.store = store;
  for (size_t index = 0; store && index < COUNT_OF(reading); index++) {
    shared->doing = reading[index].name;
    if (!is_ready(&reading[index])) continue;
    status = reading[index].run();
    if (status != LIVERY_OK) wrong("livery_%s at the end: %s", reading[index].name, livery_last_error()->message);
  }
  if (!store) wrong("livery_open at the end: %s", livery_last_error()->message);
  livery_close(store);
  status = livery_check(path, NULL);
  if (status != LIVERY_OK) wrong("the store is not sound at the end: %s", livery_status_name(status));
}

// Stops the operation at each of its calls, or each so many.
static void stop_at_calls(const operation *operation, uint64_t every) {
  traced traced;
  pid_t process = start(maintain, operation);
  if (!trace(&traced, process)) return wrong("it cannot be set up: %s", ending(traced.status));
  pid_t measurer = start(measure_on, operation);
  bool is_there = wait_for(measurer, true);
  // Growth takes many commits: a part of them at a time.
  uint64_t most = operation->has_small_map ? 60 : UINT64_MAX, step = 1 + below(operation->has_small_map ? 600 : every);
  for (; is_there && run_to(&traced, step, HANG_S); step = most > 1 ? every : UINT64_MAX, most--) {
    shared->stop += step;
    is_there = one_round(measurer, "r");
  }
  if (is_there && !traced.is_over) wrong("it does not end");
  if (is_there && traced.is_over && traced.status != 0) wrong("it %s", ending(traced.status));
  end_trace(&traced);
  if (is_there && write(orders[1], "e", 1) == 1) wait_for(measurer, false);
}

// Stops the operation once, has the file replaced meanwhile, and lets it come to its end; false if that came before.
static bool stop_once(const operation *operation, uint64_t at) {
  traced traced;
  pid_t process = start(maintain, operation);
  if (!trace(&traced, process)) return wrong("it cannot be set up: %s", ending(traced.status)), false;
  pid_t measurer = start(measure_on, operation);
  bool is_there = wait_for(measurer, true), has_stopped = is_there && run_to(&traced, at, HANG_S);
  shared->stop = at;
  if (has_stopped) is_there = one_round(measurer, "c");
  if (is_there) run_to(&traced, UINT64_MAX, HANG_S);
  if (is_there && !traced.is_over) wrong("it does not end");
  if (is_there && traced.is_over && traced.status != 0) wrong("it %s", ending(traced.status));
  end_trace(&traced);
  // Others still have the store open.
  is_there = is_there && wait_for(start(open_and_close, NULL), false) && one_round(measurer, "r");
  if (is_there && write(orders[1], "e", 1) == 1) wait_for(measurer, false);
  return has_stopped && is_there;
}

// Stops it at any instant.
static void stop_at_instants(void (*work)(const operation *), int stops) {
  shared->may_be_busy = true;
  pid_t process = start(work, NULL);
  int status = 0;
  if (stops == 1 && (waitpid(process, &status, WUNTRACED) != process || !WIFSTOPPED(status)))
    return wrong("it cannot be set up: %s", ending(status));
  pid_t measurer = start(measure_on, NULL);
  bool is_there = wait_for(measurer, true);
  for (int stop = 0; stop < stops && is_there; stop++) {
    shared->stop++;
    if (stops > 1) {
      sleep_us(below(3000));
      kill(process, SIGSTOP);
    } else {
      kill(process, SIGCONT);
    }
    if (waitpid(process, &status, WUNTRACED) != process || !WIFSTOPPED(status)) {
      wrong("it %s", ending(status));
      break;
    }
    is_there = one_round(measurer, "r");
    kill(process, SIGCONT);
  }
  kill(process, SIGKILL);
  waitpid(process, &status, 0);
  if (is_there && write(orders[1], "e", 1) == 1) wait_for(measurer, false);
}

static void run(uint64_t number, const char *only, uint64_t every) {
  size_t which = number % OPERATIONS;
  run_number = number;
  seed_with(seed + number * 0x9e3779b9u);
  for (size_t index = 0; only && index < OPERATIONS; index++)
    if (strcmp(only, index < SLOTS ? operations[index].name : index == SLOTS ? "slots" : "reader_lock") == 0) which = index;
  const operation *operation = which < SLOTS ? &operations[which] : NULL;
  shared->operation = operation ? operation->name : which == SLOTS ? "slots" : "reader_lock";
  // A short time, in which many rounds can be made, and one that a read which waits would show.
  uint32_t timeout_ms = below(4) || !operation ? 60 : (uint32_t)(bar_ms * 2);
  shared->may_be_busy = false;
  shared->stop = 0;
  uint64_t at = 1 + below(every);
  for (bool is_over = false; !is_over; at += every) {
    shared->timeout_ms = timeout_ms;
    copy_store(operation);
    if (pipe2(orders, O_CLOEXEC) != 0 || pipe2(answers, O_CLOEXEC) != 0) give_up("no pipe");
    is_over = true;
    if (operation && operation->is_replaced) is_over = !stop_once(operation, at) || findings() > 0;
    else if (operation) stop_at_calls(operation, every);
    else stop_at_instants(which == SLOTS ? take_slots_on : hold_reader_lock, which == SLOTS ? 30 : 1);
    for (int side = 0; side < 2; side++) close(orders[side]), close(answers[side]);
    wait_for(start(look_at_end, NULL), false);
    shared->runs++;
  }
}

int main(int argc, char **argv) {
  begin_torture("stopped", argc, argv);
  shared = shared_memory(sizeof *shared);
  seed = option_number("--seed", fresh_seed());
  bar_ms = (double)option_number("--bar-ms", 250);
  snprintf(made, sizeof made, "%s/made", torture_directory);
  snprintf(path, sizeof path, "%s/store", torture_directory);
  uint64_t rounds = option_number("--rounds", 300), every = option_number("--every", 1);
  double began = seconds_now();
  shared->timeout_ms = 5000;
  if (!wait_for(start(make, NULL), false)) give_up("no store");
  for (uint64_t number = option_number("--from", 0); shared->rounds < rounds && findings() == 0; number++)
    run(number, option_text("--only", NULL), every);
  double worst[4] = {0};
  uint64_t waited = 0;
  for (size_t index = 0; index < FUNCTIONS; index++) {
    const struct figures *figures = &shared->figures[index];
    if (!figures->name) continue;
    printf("  livery_%-22s %9.2f ms at most (%s), %llu answered, %llu busy\n", figures->name, figures->ms_max,
           figures->operation_max, (unsigned long long)figures->ok, (unsigned long long)figures->busy);
    size_t group = index < COUNT_OF(reading) || index == READ_AFTER_OPEN ? 0 : index == OPEN ? 2 : index == CLOSE ? 3 : 1;
    if (figures->ms_max > worst[group]) worst[group] = figures->ms_max;
    if (group == 0) waited += figures->waited;
  }
  printf("stopped: rounds=%llu runs=%llu calls=%llu read_ms_max=%.1f slow_reads=%llu write_ms_max=%.1f open_ms_max=%.1f "
         "close_ms_max=%.1f errors=%llu seconds=%.1f seed=%#llx\n", (unsigned long long)shared->rounds,
         (unsigned long long)shared->runs, (unsigned long long)shared->values, worst[0], (unsigned long long)waited, worst[1],
         worst[2], worst[3], (unsigned long long)findings(), seconds_now() - began, (unsigned long long)seed);
  return findings() ? 1 : 0;
}
