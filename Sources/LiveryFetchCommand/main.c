// `livery fetch`, `livery brand download` and `livery asset put URL`: what takes the network.
#include <command.h>
#include <errno.h>
#include <livery/fetch.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

static const char help[] =
  "livery fetch: images and documents by URL, kept in the store\n"
  "\n"
  "  livery fetch [OPTION…] URL…     fetch what URLs lead to, or take it from the store where that is as good\n"
  "  livery asset put URL…           the same for images, which are then assets\n"
  "  livery brand download           fetch the remote images of the brand in effect, and swap all of them in at once\n"
  "\n"
  "  --store PATH           the directory of the store; else $LIVERY_STORE\n"
  "  --document             anything, in place of an image\n"
  "  --output FILE          write the bytes of one URL to a file, - for standard output\n"
  "  --revalidate           ask the server also where what is stored is fresh\n"
  "  --offline              ask nobody: what the store holds\n"
  "  --all                  with brand download: for all devices; for what options tell of one without it\n"
  "  --idiom WORD           of the device: phone, tablet, tv, desktop or watch\n"
  "  --scale NUMBER         of the device: pixels a point\n"
  "  --watch                with brand download: go on, whenever the brand changes, until SIGTERM or SIGINT\n"
  "  --placeholder ID       an asset to show where an image cannot be had\n"
  "  --max-size BYTES       the largest body; 16777216 without it\n"
  "  --quota BYTES          the most that the store keeps of what was fetched; 268435456 without it\n"
  "  --wait MS              how long all of it may take; 60000 without it\n"
  "  --attempts NUMBER      how often to try where the network fails; 4 without it\n"
  "  --ca-file FILE         certificates that servers are verified with, in place of the system's\n"
  "  --proxy URL            a proxy; \"\" for none\n"
  "  --timeout MS           how long to wait for other writers; 5000 without it\n"
  "  --json                 print what was fetched as JSON, a line each\n"
  "  -h, --help             print this\n"
  "  --version              print the version\n";

static livery_fetch_options fetch_options = LIVERY_FETCH_OPTIONS_INIT;
static livery_traits traits = LIVERY_TRAITS_INIT;
static bool wants_document, revalidates, is_offline, wants_all, watches;
static const char *output;

// 0 for what is no number from 1 to the most.
static unsigned long long number_in(const char *value, unsigned long long most) {
  char *end = NULL;
  unsigned long long number = strtoull(value, &end, 10);
  return !*value || *end || value[0] < '0' || value[0] > '9' || number > most ? 0 : number;
}

static const char *take_size(const char *value, void *place) {
  unsigned long long number = number_in(value, INT64_MAX);
  if (number == 0) return "takes a number from 1 to 9223372036854775807";
  *(uint64_t *)place = number;
  return NULL;
}

static const char *take_count(const char *value, void *place) {
  unsigned long long number = number_in(value, UINT32_MAX);
  if (number == 0) return "takes a number from 1 to 4294967295";
  *(uint32_t *)place = (uint32_t)number;
  return NULL;
}

static const char *take_idiom(const char *value, void *unused) {
  static const char *const names[] = {"phone", "tablet", "tv", "desktop", "watch"};
  (void)unused;
  for (size_t index = 0; index < sizeof names / sizeof *names; index++) {
    if (strcmp(names[index], value) != 0) continue;
    traits.idiom = (livery_idiom)(LIVERY_IDIOM_PHONE + index);
    return NULL;
  }
  return "takes phone, tablet, tv, desktop or watch";
}

static const char *take_scale(const char *value, void *unused) {
  (void)unused;
  char *end = NULL;
  traits.scale = strtod(value, &end);
  return *value && !*end && traits.scale > 0 ? NULL : "takes a number above 0";
}

static const command_option options[] = {
  {"document", .flag = &wants_document}, {"output", "FILE", .text = &output}, {"revalidate", .flag = &revalidates},
  {"offline", .flag = &is_offline}, {"all", .flag = &wants_all}, {"watch", .flag = &watches},
  {"idiom", "WORD", .take = take_idiom}, {"scale", "NUMBER", .take = take_scale},
  {"placeholder", "ID", .text = &fetch_options.placeholder}, {"ca-file", "FILE", .text = &fetch_options.ca_file},
  {"proxy", "URL", .text = &fetch_options.proxy, .may_be_empty = true},
  {"max-size", "BYTES", .take = take_size, .user_data = &fetch_options.max_size},
  {"quota", "BYTES", .take = take_size, .user_data = &fetch_options.quota},
  {"wait", "MS", .take = take_count, .user_data = &fetch_options.timeout_ms},
  {"attempts", "NUMBER", .take = take_count, .user_data = &fetch_options.attempts},
};

// What is under way.
typedef struct work {
  const command *command;
  int missing, done;
  bool has_bar, is_ended;
} work;

static void print_time(const char *name, int64_t microseconds) {
  if (microseconds) printf(",\"%s\":%lld", name, (long long)(microseconds / 1000000));
}

static void print_member(const char *name, const char *text) {
  if (!text) return;
  printf(",\"%s\":", name);
  command_print_text(text);
}

static void clear_bar(work *work) {
  if (work->has_bar) fputs("\r\x1b[K", stderr);
  work->has_bar = false;
}

static void show_progress(uint64_t received, uint64_t total, void *user_data) {
  work *work = user_data;
  if (!isatty(STDERR_FILENO) || work->command->is_json) return;
  work->has_bar = true;
  if (total == 0) {
    fprintf(stderr, "\r\x1b[K%llu KiB", (unsigned long long)(received / 1024));
    return;
  }
  int filled = (int)(received * 30 / total);
  fprintf(stderr, "\r\x1b[K[%.*s%*s] %3d %%", filled > 30 ? 30 : filled, "##############################", 30 - (filled > 30 ? 30 : filled),
          "", (int)(received * 100 / total));
}

static bool write_output(const livery_fetch_result *result) {
  bool is_standard = strcmp(output, "-") == 0;
  errno = 0;
  FILE *file = is_standard ? stdout : fopen(output, "wb");
  bool is_written = file && fwrite(result->data, 1, result->length, file) == result->length;
  if (file && !is_standard) is_written = fclose(file) == 0 && is_written;
  if (!is_written) fprintf(stderr, "livery fetch: cannot write %s: %s\n", output, strerror(errno));
  return is_written;
}

static void print_result(const livery_fetch_result *result, void *user_data) {
  static const char *const states[] = {"", "ready", "stale", "placeholder", "failed"};
  static const char *const sources[] = {"", "network", "revalidated", "store"};
  work *work = user_data;
  clear_bar(work);
  work->missing--;
  // What a signal has ended is told by nothing but the exit status.
  if (work->is_ended) return;
  bool is_good = result->status == LIVERY_OK;
  if (!is_good) {
    livery_error_leave(result->status, result->message);
    bool has_placeholder = result->state == LIVERY_FETCH_PLACEHOLDER && result->data;
    // One value of JSON for each URL, which has the message too.
    int done = has_placeholder && work->command->is_json ? command_exit_status(work->command, result->status)
                                                         : command_fail(work->command, result->status, NULL);
    if (!work->done) work->done = done;
    if (!has_placeholder) return;
  }
  if (output && !write_output(result)) work->done = SYSTEM;
  if (work->command->is_json) {
    printf("{\"url\":");
    command_print_text(result->url);
    print_member("state", states[result->state]);
    print_member("source", sources[result->source]);
    print_member("id", result->id);
    print_member("type", result->type);
    printf(",\"bytes\":%zu,\"received\":%llu", result->length, (unsigned long long)result->received);
    print_member("etag", result->etag);
    print_time("fetched", result->fetched);
    print_time("freshUntil", result->fresh_until);
    if (*result->message) print_member("message", result->message);
    puts("}");
  } else if (!output || strcmp(output, "-") != 0) {
    printf("%s  %s, %zu bytes, %s\n", result->id ? result->id : "not kept", result->type ? result->type : "unknown", result->length,
           result->state == LIVERY_FETCH_STALE ? "maybe outdated" : sources[result->source]);
    if (is_good && *result->message) fprintf(stderr, "livery fetch: %s\n", result->message);
  }
  fflush(stdout);
}

static int64_t number_of(livery_value *value, const char *name) {
  livery_value *member = NULL;
  int64_t number = 0;
  if (livery_value_member(value, name, &member) == LIVERY_OK) livery_value_as_int(member, &number);
  livery_value_release(member);
  return number;
}

static void print_failures(livery_value *report) {
  livery_value *images = NULL;
  size_t count = 0;
  if (livery_value_member(report, "images", &images) == LIVERY_OK) livery_value_count(images, &count);
  for (size_t index = 0; index < count; index++) {
    livery_value *image = NULL, *setting = NULL, *message = NULL;
    const char *name = NULL, *text = NULL;
    if (livery_value_at(images, index, &image) == LIVERY_OK && livery_value_member(image, "message", &message) == LIVERY_OK
        && livery_value_as_string(message, &text, NULL) == LIVERY_OK && livery_value_member(image, "setting", &setting) == LIVERY_OK
        && livery_value_as_string(setting, &name, NULL) == LIVERY_OK)
      fprintf(stderr, "livery brand download: %s: %s\n", name, text);
    livery_value_release(setting);
    livery_value_release(message);
    livery_value_release(image);
  }
  livery_value_release(images);
}

static void print_brand(livery_status status, const char *message, livery_value *report, void *user_data) {
  work *work = user_data;
  clear_bar(work);
  work->missing--;
  if (work->is_ended) return;
  if (status != LIVERY_OK) {
    livery_error_leave(status, message);
    work->done = command_fail(work->command, status, NULL);
    return;
  }
  int64_t failed = number_of(report, "failed");
  if (work->command->is_json) {
    char *text = NULL;
    if (livery_value_to_json(report, 0, &text, NULL) == LIVERY_OK) puts(text);
    livery_free(text);
  } else {
    printf("revision %lld: %lld ready, %lld maybe outdated, %lld failed\n", (long long)number_of(report, "revision"),
           (long long)number_of(report, "ready"), (long long)number_of(report, "stale"), (long long)failed);
    print_failures(report);
  }
  fflush(stdout);
  // That some cannot be had is a failure of the system, which may be better another time.
  if (failed > 0) work->done = SYSTEM;
}

// What a brand's images have been exchanged by is no change of the brand.
static void note_change(const livery_event *events, size_t count, void *user_data) {
  for (size_t index = 0; index < count; index++)
    if (!events[index].origin || strcmp(events[index].origin, "fetch") != 0) *(bool *)user_data = true;
}

static livery_status start_brand(livery_store *store, work *work) {
  work->missing = 1;
  return livery_fetch_brand_start(store, wants_all ? NULL : &traits, &fetch_options, print_brand, work, NULL, NULL);
}

// Goes on until nothing is missing, or until a signal.
static livery_status wait_for(livery_store *store, work *work, bool *has_changed) {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  sigprocmask(SIG_BLOCK, &signals, NULL);
  int stops = signalfd(-1, &signals, SFD_CLOEXEC), events = -1;
  livery_status status = livery_event_fd(store, &events);
  struct pollfd waits[] = {{stops, POLLIN, 0}, {events, POLLIN, 0}};
  while (status == LIVERY_OK && (work->missing > 0 || has_changed)) {
    if (poll(waits, 2, -1) < 0) continue;
    if (waits[0].revents) {
      if (!has_changed) work->done = OTHER;
      clear_bar(work);
      work->is_ended = true;
      break;
    }
    if (waits[1].revents) status = livery_dispatch(store, NULL);
    if (status != LIVERY_OK || !has_changed || !*has_changed || work->missing > 0) continue;
    *has_changed = false;
    work->done = DONE;
    status = start_brand(store, work);
  }
  close(stops);
  return status;
}

static livery_status download(livery_store *store, work *work) {
  bool has_changed = false;
  livery_watch *watch = NULL;
  livery_watch_options quiet = LIVERY_WATCH_OPTIONS_INIT;
  quiet.flags = LIVERY_WATCH_DISPATCH;
  quiet.min_interval_ms = 500;
  livery_status status = LIVERY_OK;
  if (watches) status = livery_watch_start(store, "branding.**", &quiet, note_change, &has_changed, NULL, &watch);
  if (status == LIVERY_OK) status = start_brand(store, work);
  if (status == LIVERY_OK) status = wait_for(store, work, watches ? &has_changed : NULL);
  livery_watch_stop(watch);
  return status;
}

static livery_status fetch_all(livery_store *store, work *work, char **urls, int count) {
  livery_status status = LIVERY_OK;
  for (int index = 0; index < count; index++) {
    work->missing++;
    // What fails to start is told, too.
    livery_fetch_start(store, urls[index], &fetch_options, print_result, work, NULL, NULL);
  }
  if (work->missing > 0) status = wait_for(store, work, NULL);
  return status;
}

int main(int count, char **words) {
  command command = {.name = "livery fetch", .help = help, .options = options, .option_count = sizeof options / sizeof *options};
  int done = command_read(&command, count, words);
  if (done != GO_ON) return done;
  bool is_brand = command.count > 0 && strcmp(command.words[0], "download") == 0;
  bool is_put = command.count > 0 && strcmp(command.words[0], "put") == 0;
  int skipped = is_brand || is_put ? 1 : 0;
  if (is_brand && command.count > 1) return command_usage(&command, "unknown argument %s", command.words[1]);
  if (!is_brand && command.count == skipped) return command_usage(&command, "which URL?");
  if (!is_brand && (wants_all || watches)) return command_usage(&command, "--all and --watch are for livery brand download");
  if (output && (is_brand || command.count - skipped > 1)) return command_usage(&command, "--output is for one URL");
  if (output && command.is_json && strcmp(output, "-") == 0)
    return command_usage(&command, "standard output is for the JSON: --output takes a file beside it");
  if (is_brand && wants_document) return command_usage(&command, "a brand has images, and no documents");
  fetch_options.flags = LIVERY_FETCH_DISPATCH | (revalidates ? LIVERY_FETCH_REVALIDATE : 0) | (is_offline ? LIVERY_FETCH_OFFLINE : 0);
  if (wants_document) fetch_options.kind = LIVERY_FETCH_DOCUMENT;
  livery_store *store = NULL;
  done = command_open(&command, 0, &store);
  if (done != GO_ON) return done;
  work work = {.command = &command, .done = DONE};
  fetch_options.progress = show_progress;
  livery_status status =
    is_brand ? download(store, &work) : fetch_all(store, &work, command.words + skipped, command.count - skipped);
  done = status == LIVERY_OK ? work.done : command_fail(&command, status, NULL);
  livery_close(store);
  return command_end(&command, done);
}
