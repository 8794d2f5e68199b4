// `livery picker`: images from folders, cameras and people into a store, and what there is to pick from.
#include <command.h>
#include <livery/picker.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

static const char help[] =
  "livery picker: images from a folder, a camera or a person\n"
  "\n"
  "  livery picker media                  the removable media that are mounted\n"
  "  livery picker list FOLDER            the images in a folder\n"
  "  livery picker folder FOLDER FILE     store an image of a folder\n"
  "  livery picker camera                 store a picture that a camera takes\n"
  "  livery picker upload                 store an image that a person uploads, by the prompt photo-upload\n"
  "  livery picker permission [SOURCE]    what is known about the permission to use folder, camera and upload\n"
  "\n"
  "  --store PATH           the directory of the store; else $LIVERY_STORE\n"
  "  --set SETTING          with folder, camera and upload: the setting that is to show the image, in the same commit\n"
  "  --layer LAYER          with --set: where it is set: recommended, user (as without it), session or enforced\n"
  "  --max-size BYTES       the most bytes that the image may have; 16777216 without it\n"
  "  --wait MS              how long the source may take\n"
  "  --device PATH          with camera: the device; the first one without it\n"
  "  --size WxH             with camera: how large a picture is wanted, in pixels\n"
  "  --timeout MS           how long to wait for other writers; 5000 without it\n"
  "  --json                 print everything as JSON\n"
  "  -h, --help             print this\n"
  "  --version              print the version\n";

static livery_picker_options picking = LIVERY_PICKER_OPTIONS_INIT;

// A number from 1 to `most`, and nothing behind it but `end`.
static bool take_number(const char **text, char end, unsigned long most, uint32_t *number) {
  char *rest = NULL;
  unsigned long found = strtoul(*text, &rest, 10);
  if ((*text)[0] < '0' || (*text)[0] > '9' || *rest != end || found == 0 || found > most) return false;
  *number = (uint32_t)found;
  *text = rest + (end != 0);
  return true;
}

static const char *take_size(const char *value, void *unused) {
  (void)unused;
  return take_number(&value, 'x', 16384, &picking.width) && take_number(&value, 0, 16384, &picking.height)
           ? NULL : "takes width and height in pixels, such as 1280x720";
}

static const char *take_wait(const char *value, void *unused) {
  (void)unused;
  return take_number(&value, 0, 86400000, &picking.timeout_ms) ? NULL : "takes milliseconds, from 1 to 86400000";
}

static const char *take_most(const char *value, void *unused) {
  (void)unused;
  return take_number(&value, 0, LIVERY_ASSET_MAX, &picking.max_size) ? NULL : "takes the bytes of an asset, at least 1";
}

static const char *take_layer(const char *value, void *unused) {
  (void)unused;
  static const struct { const char *name; livery_layer layer; } layers[] = {
    {"recommended", LIVERY_LAYER_RECOMMENDED}, {"user", LIVERY_LAYER_USER}, {"session", LIVERY_LAYER_SESSION},
    {"enforced", LIVERY_LAYER_ENFORCED},
  };
  for (size_t index = 0; index < sizeof layers / sizeof *layers; index++)
    if (strcmp(layers[index].name, value) == 0) return picking.layer = layers[index].layer, NULL;
  return "takes recommended, user, session or enforced";
}

static const command_option options[] = {
  {"set", "SETTING", .text = &picking.setting}, {"layer", "LAYER", .take = take_layer}, {"max-size", "BYTES", .take = take_most},
  {"wait", "MS", .take = take_wait}, {"device", "PATH", .text = &picking.device}, {"size", "WxH", .take = take_size},
};

static const char *const sources[] = {"", "folder", "camera", "upload"};
enum { SOURCES = sizeof sources / sizeof *sources };

static livery_picker_source source_of(const char *name) {
  for (livery_picker_source source = 1; source < SOURCES; source++)
    if (strcmp(sources[source], name) == 0) return source;
  return 0;
}

static const char *permission_name(livery_picker_permission permission) {
  static const char *const names[] = {"not asked", "granted", "denied", "restricted"};
  return permission >= 0 && permission < 4 ? names[permission] : "unknown";
}

// -- What there is

static char *text_of(livery_value *object, const char *name) {
  livery_value *member = NULL;
  char *text = NULL;
  const char *start = NULL;
  size_t length = 0;
  if (livery_value_member(object, name, &member) == LIVERY_OK && livery_value_as_string(member, &start, &length) == LIVERY_OK)
    text = strndup(start, length);
  livery_value_release(member);
  return text;
}

static int64_t number_of(livery_value *object, const char *name) {
  livery_value *member = NULL;
  int64_t number = 0;
  if (livery_value_member(object, name, &member) == LIVERY_OK) livery_value_as_int(member, &number);
  livery_value_release(member);
  return number;
}

// Text that a medium has brought along: what a terminal would take for more than text is a question mark.
static void print_plain(const char *text) {
  for (; text && *text; text++) {
    // The control characters C0 and C1, the latter in UTF-8.
    bool is_c1 = (unsigned char)*text == 0xc2 && (unsigned char)text[1] >= 0x80 && (unsigned char)text[1] < 0xa0;
    putchar((unsigned char)*text < 32 || *text == 127 || is_c1 ? '?' : *text);
    if (is_c1) text++;
  }
}

static void print_image(livery_value *image) {
  char *name = text_of(image, "name"), *type = text_of(image, "type");
  printf("%-14s %10" PRId64 "  ", type ? type : "", number_of(image, "bytes"));
  print_plain(name);
  putchar('\n');
  free(name), free(type);
}

static void print_medium(livery_value *medium) {
  char *path = text_of(medium, "path"), *device = text_of(medium, "device"), *type = text_of(medium, "fileSystem");
  livery_value *member = NULL;
  bool is_read_only = false;
  if (livery_value_member(medium, "readOnly", &member) == LIVERY_OK) livery_value_as_bool(member, &is_read_only);
  livery_value_release(member);
  print_plain(path);
  fputs("  ", stdout);
  print_plain(device);
  printf(" (%s%s)\n", type ? type : "", is_read_only ? ", read-only" : "");
  free(path), free(device), free(type);
}

static int print_list(const command *command, livery_status status, livery_value *list, void (*print)(livery_value *)) {
  char *text = NULL;
  size_t count = 0;
  if (status == LIVERY_OK && command->is_json) status = livery_value_to_json(list, 0, &text, NULL);
  if (status == LIVERY_OK && !command->is_json) status = livery_value_count(list, &count);
  if (text) puts(text);
  livery_free(text);
  for (size_t index = 0; status == LIVERY_OK && index < count; index++) {
    livery_value *item = NULL;
    status = livery_value_at(list, index, &item);
    if (status == LIVERY_OK) print(item);
    livery_value_release(item);
  }
  livery_value_release(list);
  return status == LIVERY_OK ? DONE : command_fail(command, status, NULL);
}

static int print_permissions(const command *command, livery_store *store, livery_picker_source only) {
  const char *before = "{";
  for (livery_picker_source source = 1; source < SOURCES; source++) {
    livery_picker_permission permission = LIVERY_PICKER_NOT_ASKED;
    if (only && source != only) continue;
    livery_status status = livery_picker_known_permission(store, source, &permission);
    if (status != LIVERY_OK) return command_fail(command, status, NULL);
    if (command->is_json) printf("%s\"%s\":\"%s\"", before, sources[source], permission ? permission_name(permission) : "");
    else if (only) puts(permission_name(permission));
    else printf("%-8s %s\n", sources[source], permission_name(permission));
    before = ",";
  }
  if (command->is_json) puts("}");
  return DONE;
}

// -- Picking

typedef struct work {
  const command *command;
  bool is_over, was_stopped;
  int done;
} work;

static void print_picked(const livery_picker_result *result) {
  int64_t width = number_of(result->info, "width"), height = number_of(result->info, "height");
  char *type = text_of(result->info, "type");
  printf("%s  %s, ", result->asset, type ? type : "");
  if (width && height) printf("%" PRId64 " × %" PRId64 ", ", width, height);
  printf("%" PRId64 " bytes\n", number_of(result->info, "bytes"));
  free(type);
}

static void note_done(const livery_picker_result *result, void *user_data) {
  work *work = user_data;
  work->is_over = true;
  if (result->status != LIVERY_OK) {
    livery_error_leave(result->status, result->message);
    work->done = command_fail(work->command, result->status, NULL);
    // By a person, as everything that people refuse.
    if (result->status == LIVERY_ERROR_CANCELLED && !work->was_stopped) work->done = REFUSED;
    return;
  }
  char *text = NULL;
  if (!work->command->is_json) {
    print_picked(result);
  } else if (livery_value_to_json(result->info, 0, &text, NULL) == LIVERY_OK) {
    printf("{\"asset\":\"%s\",\"source\":\"%s\",\"permission\":\"%s\",\"revision\":%" PRIu64 ",\"info\":%s}\n", result->asset,
           sources[result->source], result->permission ? permission_name(result->permission) : "", result->revision, text);
  } else {
    work->done = command_fail(work->command, LIVERY_ERROR_NO_MEMORY, NULL);
  }
  livery_free(text);
}

static int pick(const command *command, livery_store *store) {
  // Its end may come when the store is closed.
  static work work;
  work.command = command;
  livery_picker *picker = NULL;
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  sigprocmask(SIG_BLOCK, &signals, NULL);
  int stops = signalfd(-1, &signals, SFD_CLOEXEC), events = -1;
  livery_status status = livery_event_fd(store, &events);
  picking.flags = LIVERY_PICKER_DISPATCH;
  // What fails to start is told, too.
  if (status == LIVERY_OK) livery_picker_start(store, &picking, note_done, &work, NULL, &picker);
  struct pollfd waits[] = {{stops, POLLIN, 0}, {events, POLLIN, 0}};
  while (status == LIVERY_OK && !work.is_over) {
    if (poll(waits, 2, -1) < 0) continue;
    if (waits[0].revents) {
      struct signalfd_siginfo taken;
      if (read(stops, &taken, sizeof taken) < 0 || work.was_stopped) break;
      work.was_stopped = true;
      livery_picker_cancel(picker);
    }
    if (waits[1].revents) status = livery_dispatch(store, NULL);
  }
  close(stops);
  if (status != LIVERY_OK) return command_fail(command, status, NULL);
  return work.is_over ? work.done : OTHER;
}

int main(int count, char **words) {
  command command = {.name = "livery picker", .help = help, .options = options, .option_count = sizeof options / sizeof *options};
  int done = command_read(&command, count, words);
  if (done != GO_ON) return done;
  const char *verb = command.count > 0 ? command.words[0] : "";
  bool is_media = strcmp(verb, "media") == 0, is_list = strcmp(verb, "list") == 0, asks = strcmp(verb, "permission") == 0;
  picking.source = source_of(verb);
  if (!is_media && !is_list && !asks && !picking.source)
    return command_usage(&command, *verb ? "unknown argument %s" : "media, list, folder, camera, upload or permission?%s", verb);
  bool is_folder = picking.source == LIVERY_PICKER_FOLDER, is_camera = picking.source == LIVERY_PICKER_CAMERA;
  int least = is_folder ? 3 : is_list ? 2 : 1, most = asks ? 2 : least;
  if (command.count < least) return command_usage(&command, command.count < 2 ? "which FOLDER?" : "which FILE?");
  if (command.count > most) return command_usage(&command, "unknown argument %s", command.words[most]);
  if (!picking.source && (picking.setting || picking.layer || picking.max_size || picking.timeout_ms))
    return command_usage(&command, "--set, --layer, --max-size and --wait are for folder, camera and upload");
  if (!is_camera && (picking.device || picking.width)) return command_usage(&command, "--device and --size are for camera");
  if (picking.layer && !picking.setting) return command_usage(&command, "--layer is for --set");
  livery_picker_source only = asks && command.count > 1 ? source_of(command.words[1]) : 0;
  if (asks && command.count > 1 && !only) return command_usage(&command, "SOURCE is folder, camera or upload: %s", command.words[1]);

  livery_value *list = NULL;
  if (is_media || is_list) {
    livery_status status = is_list ? livery_picker_list(command.words[1], &list) : livery_picker_media(&list);
    return command_end(&command, print_list(&command, status, list, is_list ? print_image : print_medium));
  }
  if (is_folder) picking.folder = command.words[1], picking.file = command.words[2];
  livery_store *store = NULL;
  uint32_t flags = asks ? LIVERY_OPEN_READ_ONLY : picking.layer == LIVERY_LAYER_OVERRIDE ? LIVERY_OPEN_ALLOW_OVERRIDE : 0;
  done = command_open(&command, flags, &store);
  if (done != GO_ON) return done;
  done = asks ? print_permissions(&command, store, only) : pick(&command, store);
  livery_close(store);
  return command_end(&command, done);
}
