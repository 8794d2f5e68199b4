// `livery images`: stores images so that text on them can be judged, and judges those that are there.
#include "command.h"

#include <cimages.h>
#include <livery/images.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Exit statuses as those of `livery`.
enum { DONE = 0, OTHER = 1, USAGE = 2, MISSING = 3, INVALID = 4, REFUSED = 5, BUSY = 6, UNREADABLE = 7, SYSTEM = 8 };

typedef struct command {
  const char *store, *text, *background, *bundle;
  bool is_json, takes_any, again;
  livery_images_area areas[64];
  size_t area_count;
  char **words;
  int count;
} command;

static const char help[] =
  "livery images: judge on which images text is legible\n"
  "\n"
  "  livery images put FILE… [--any]           store images, and what legibility follows from\n"
  "  livery images apply FILE [--bundle DIR]   apply a brand's property list as `livery brand apply`, and judge its images\n"
  "  livery images judge [ID…] [--all]         judge images that were stored without it; --all: every image anew\n"
  "  livery images show ID… [--text COLOR] [--background COLOR] [--area X,Y,WIDTH,HEIGHT[,WEIGHT]]\n"
  "                                            tell on how much of an image white, black or other text is illegible\n"
  "\n"
  "  --store PATH        the directory of the store; else $LIVERY_STORE\n"
  "  --any               store images, too, that cannot be judged\n"
  "  --bundle DIR        the directory of the images that a property list names\n"
  "  --all               judge also what was judged before\n"
  "  --text COLOR        the color of the text; white and black if not given\n"
  "  --background COLOR  what is seen where the image is not opaque; white if not given\n"
  "  --area AREA         where text lies, in fractions of the image; can be given more than once\n"
  "  --json              print the result as one JSON value\n"
  "  -h, --help          print this\n";

static int status_of(livery_status status) {
  switch (status) {
    case LIVERY_OK: return DONE;
    case LIVERY_ERROR_INVALID_ARGUMENT: return USAGE;
    case LIVERY_ERROR_NOT_FOUND: case LIVERY_ERROR_NO_VALUE: return MISSING;
    case LIVERY_ERROR_PARSE: case LIVERY_ERROR_INVALID_VALUE: case LIVERY_ERROR_TYPE_MISMATCH: return INVALID;
    case LIVERY_ERROR_READ_ONLY: case LIVERY_ERROR_LOCKED: case LIVERY_ERROR_CONFLICT: return REFUSED;
    case LIVERY_ERROR_BUSY: return BUSY;
    case LIVERY_ERROR_NOT_A_STORE: case LIVERY_ERROR_CORRUPT: case LIVERY_ERROR_FORMAT_NEWER: return UNREADABLE;
    case LIVERY_ERROR_PERMISSION: case LIVERY_ERROR_NO_SPACE: case LIVERY_ERROR_IO: case LIVERY_ERROR_NO_MEMORY:
    case LIVERY_IMAGES_ERROR_UNAVAILABLE: return SYSTEM;
    default: return OTHER;
  }
}

static int fail(livery_status status, const char *what) {
  fprintf(stderr, "livery images: %s%s%s\n", what ? what : "", what ? ": " : "", livery_last_error()->message);
  return status_of(status);
}

static int usage(const char *problem, const char *word) {
  fprintf(stderr, "livery images: %s%s%s; see `livery images --help`\n", problem, word ? " " : "", word ? word : "");
  return USAGE;
}

static bool read_area(const char *text, livery_images_area *area) {
  int end = 0;
  area->weight = 1;
  if (sscanf(text, "%lf,%lf,%lf,%lf%n", &area->x, &area->y, &area->width, &area->height, &end) != 4) return false;
  int rest = 0;
  return !text[end] || (sscanf(text + end, ",%lf%n", &area->weight, &rest) == 1 && !text[end + rest]);
}

// Whether a word is an option that takes a value, which is `*value` then; NULL if there is none.
static bool takes(const char *name, int count, char **words, int *index, const char **value) {
  size_t length = strlen(name);
  if (strncmp(words[*index], name, length) != 0) return false;
  if (words[*index][length] == '=') *value = words[*index] + length + 1;
  else if (words[*index][length]) return false;
  else *value = *index + 1 < count ? words[++*index] : NULL;
  return true;
}

static int read_options(int count, char **words, command *command) {
  int kept = 0;
  bool is_ended = false;
  for (int index = 1; index < count; index++) {
    const char *word = words[index], *value = "", *timeout = "";
    if (is_ended || word[0] != '-') words[kept++] = words[index];
    else if (strcmp(word, "--") == 0) is_ended = true;
    else if (strcmp(word, "--json") == 0) command->is_json = true;
    else if (strcmp(word, "--any") == 0) command->takes_any = true;
    else if (strcmp(word, "--all") == 0) command->again = true;
    else if (takes("--store", count, words, &index, &command->store) || takes("--text", count, words, &index, &command->text)
             || takes("--background", count, words, &index, &command->background)
             || takes("--bundle", count, words, &index, &command->bundle)
             || takes("--timeout", count, words, &index, &timeout)) continue;
    else if (takes("--area", count, words, &index, &value)) {
      if (command->area_count == 64) return usage("more than 64 areas", NULL);
      if (!value || !read_area(value, &command->areas[command->area_count++])) return usage("no area:", value);
    } else return usage("unknown option", word);
  }
  command->words = words;
  command->count = kept;
  return DONE;
}

// The whole of a file; NULL if it cannot be read, or is larger than any asset.
static char *read_file(const char *path, size_t *length) {
  FILE *file = fopen(path, "rb");
  if (!file) return NULL;
  char *bytes = NULL;
  size_t size = 0;
  for (*length = 0; size <= 2 * (size_t)LIVERY_ASSET_MAX;) {
    size = size ? 2 * size : 1 << 16;
    char *larger = realloc(bytes, size);
    if (!larger) break;
    bytes = larger;
    *length += fread(bytes + *length, 1, size - *length, file);
    if (*length < size) break;
  }
  bool is_read = bytes && !ferror(file) && *length < size;
  fclose(file);
  if (!is_read) free(bytes), bytes = NULL;
  return bytes;
}

static int put(livery_store *store, const command *command) {
  livery_change *change = NULL;
  livery_status status = livery_change_begin(store, LIVERY_LAYER_USER, &change);
  if (status != LIVERY_OK) return fail(status, NULL);
  char (*ids)[LIVERY_ASSET_ID_SIZE] = calloc((size_t)command->count, sizeof *ids);
  int done = ids ? DONE : SYSTEM;
  for (int index = 1; index < command->count && done == DONE; index++) {
    size_t length = 0;
    char *bytes = read_file(command->words[index], &length);
    if (!bytes) {
      fprintf(stderr, "livery images: %s: cannot be read\n", command->words[index]);
      done = MISSING;
      break;
    }
    status = livery_images_put_into(change, bytes, length, command->takes_any ? LIVERY_IMAGES_ANY : 0, ids[index]);
    if (status != LIVERY_OK) done = fail(status, command->words[index]);
    free(bytes);
  }
  if (done == DONE) {
    status = livery_change_commit(change, NULL);
    if (status != LIVERY_OK) done = fail(status, NULL);
  }
  if (done != DONE) livery_change_discard(change);
  if (done == DONE && command->is_json) printf("[");
  for (int index = 1; index < command->count && done == DONE; index++) {
    if (command->is_json) printf("%s\"%s\"", index > 1 ? "," : "", ids[index]);
    else printf("%s  %s\n", ids[index], command->words[index]);
  }
  if (done == DONE && command->is_json) printf("]\n");
  free(ids);
  return done;
}

static int64_t number(livery_value *object, const char *key) {
  livery_value *member = NULL;
  int64_t value = 0;
  if (livery_value_member(object, key, &member) == LIVERY_OK) livery_value_as_int(member, &value);
  livery_value_release(member);
  return value;
}

static void print_refused(livery_value *refusal) {
  livery_value *id = NULL, *reason = NULL;
  const char *name = "", *text = "";
  livery_value_member(refusal, "id", &id);
  livery_value_member(refusal, "reason", &reason);
  livery_value_as_string(id, &name, NULL);
  livery_value_as_string(reason, &text, NULL);
  printf("refused %s: %s\n", name, text);
  livery_value_release(reason);
  livery_value_release(id);
}

static void print_report(livery_value *report, bool is_json) {
  char *json = NULL;
  if (is_json && livery_value_to_json(report, 0, &json, NULL) == LIVERY_OK) {
    printf("%s\n", json);
    livery_free(json);
    return;
  }
  livery_value *refused = NULL;
  size_t count = 0;
  if (livery_value_member(report, "refused", &refused) == LIVERY_OK) livery_value_count(refused, &count);
  for (size_t index = 0; index < count; index++) {
    livery_value *refusal = NULL;
    if (livery_value_at(refused, index, &refusal) == LIVERY_OK) print_refused(refusal);
    livery_value_release(refusal);
  }
  livery_value_release(refused);
  printf("%lld judged, %lld known before, %zu refused\n", (long long)number(report, "judged"),
         (long long)number(report, "known"), count);
}

static int judge(livery_store *store, const command *command) {
  for (int index = command->count > 1 ? 1 : 0; index < command->count; index++) {
    livery_value *report = NULL;
    const char *id = index > 0 ? command->words[index] : NULL;
    livery_status status = livery_images_judge(store, id, command->again ? LIVERY_IMAGES_AGAIN : 0, &report);
    if (status != LIVERY_OK) return fail(status, NULL);
    print_report(report, command->is_json);
    livery_value_release(report);
  }
  return DONE;
}

static int apply(livery_store *store, const command *command) {
  livery_branding_options options = LIVERY_BRANDING_OPTIONS_INIT;
  options.bundle = command->bundle;
  size_t length = 0;
  char *list = read_file(command->words[1], &length);
  if (!list) return fprintf(stderr, "livery images: %s: cannot be read\n", command->words[1]), MISSING;
  livery_value *report = NULL;
  livery_status status = livery_branding_apply_plist(store, list, length, &options, &report);
  free(list);
  livery_value_release(report);
  if (status != LIVERY_OK) return fail(status, command->words[1]);
  struct command all = *command;
  all.count = 1;
  return judge(store, &all);
}

static int show_text(livery_store *store, const command *command, const char *id, const char *text) {
  livery_color color, background;
  livery_images_options options = {.struct_size = sizeof options, .areas = command->areas, .area_count = command->area_count};
  const char *beneath = command->background ? command->background : "white";
  livery_status status = livery_color_parse(text, LIVERY_ZERO_TERMINATED, &color);
  if (status == LIVERY_OK) status = livery_color_parse(beneath, LIVERY_ZERO_TERMINATED, &background);
  double share = 0;
  if (status == LIVERY_OK) status = livery_images_legibility(store, id, color, background, &options, &share);
  if (status != LIVERY_OK) return fail(status, NULL);
  char shown[64];
  livery_color_format(color, LIVERY_COLOR_HEX, shown, sizeof shown, NULL);
  if (command->is_json) printf("{\"id\":\"%s\",\"text\":\"%s\",\"share\":%.6f}\n", id, shown, share);
  else printf("%.12s  %s is illegible on %.1f %%\n", id, shown, 100 * share);
  return DONE;
}

static int show(livery_store *store, const command *command) {
  static const char *const texts[] = {"white", "black"};
  for (int index = 1; index < command->count; index++) {
    for (int text = 0; text < (command->text ? 1 : 2); text++) {
      int done = show_text(store, command, command->words[index], command->text ? command->text : texts[text]);
      if (done != DONE) return done;
    }
  }
  return DONE;
}

int main(int count, char **words) {
  if (count == 2 && strcmp(words[1], LVI_DRAW_SVG) == 0) return draw_svg();
  for (int index = 1; index < count; index++) {
    if (strcmp(words[index], "--help") != 0 && strcmp(words[index], "-h") != 0) continue;
    fputs(help, stdout);
    return DONE;
  }
  command command = {.store = getenv("LIVERY_STORE")};
  int done = read_options(count, words, &command);
  if (done != DONE) return done;
  if (command.count == 0) return usage("no command given", NULL);
  const char *action = command.words[0];
  bool puts = strcmp(action, "put") == 0, judges = strcmp(action, "judge") == 0, shows = strcmp(action, "show") == 0,
       applies = strcmp(action, "apply") == 0;
  if (!puts && !judges && !shows && !applies) return usage("there is no command", action);
  if (command.count == 1 && !judges) return usage(shows ? "show needs an ID" : "what is missing is a FILE, for", shows ? NULL : action);
  if (command.count > 2 && applies) return usage("apply takes one FILE", NULL);
  if (!command.store || !command.store[0]) return usage("no store given: use --store PATH or $LIVERY_STORE", NULL);
  livery_open_options options = LIVERY_OPEN_OPTIONS_INIT;
  if (shows) options.flags = LIVERY_OPEN_READ_ONLY;
  livery_store *store = NULL;
  livery_status status = livery_open(command.store, &options, &store);
  if (status != LIVERY_OK) return fail(status, NULL);
  done = puts ? put(store, &command) : judges ? judge(store, &command) : applies ? apply(store, &command) : show(store, &command);
  livery_close(store);
  return fflush(stdout) == 0 ? done : SYSTEM;
}
