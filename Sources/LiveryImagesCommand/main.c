// `livery images`: stores images so that text on them can be judged, and judges those that are there.
#include "draw.h"

#include <cimages.h>
#include <command.h>
#include <livery/images.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { AREAS_MAX = 64 };

// What is asked for.
static const char *text_color, *background_color, *bundle;
static bool takes_any, again;
static livery_images_area areas[AREAS_MAX];
static size_t area_count;

static const char help[] =
  "livery images: judge on which images text is legible\n"
  "\n"
  "  livery images put FILE… [--any]           store images, and what legibility follows from\n"
  "  livery images apply FILE [--bundle DIR]   apply a brand's property list, which is a file, as `livery brand apply`,\n"
  "                                            and judge its images\n"
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
  "  --timeout MS        how long to wait for other writers; 5000 if not given\n"
  "  --json              print the result as one JSON value\n"
  "  -h, --help          print this\n"
  "  --version           print the version\n";

static bool read_area(const char *text, livery_images_area *area) {
  int end = 0;
  area->weight = 1;
  if (sscanf(text, "%lf,%lf,%lf,%lf%n", &area->x, &area->y, &area->width, &area->height, &end) != 4) return false;
  int rest = 0;
  return !text[end] || (sscanf(text + end, ",%lf%n", &area->weight, &rest) == 1 && !text[end + rest]);
}

static const char *take_area(const char *value, void *unused) {
  (void)unused;
  if (area_count == AREAS_MAX) return "is there more than 64 times";
  return read_area(value, &areas[area_count++]) ? NULL : "takes an area";
}

static const command_option options[] = {
  {"any", .flag = &takes_any, .only = "put"}, {"all", .flag = &again, .only = "judge"},
  {"text", "COLOR", .text = &text_color, .only = "show"}, {"background", "COLOR", .text = &background_color, .only = "show"},
  {"bundle", "DIR", .text = &bundle, .only = "apply"}, {"area", "AREA", .take = take_area, .only = "show"},
};

static int put(livery_store *store, const command *command) {
  livery_change *change = NULL;
  livery_status status = livery_change_begin(store, LIVERY_LAYER_USER, &change);
  if (status != LIVERY_OK) return command_fail(command, status, NULL);
  char (*ids)[LIVERY_ASSET_ID_SIZE] = calloc((size_t)command->count, sizeof *ids);
  int done = ids ? DONE : SYSTEM;
  for (int index = 1; index < command->count && done == DONE; index++) {
    size_t length = 0;
    char *bytes = command_read_file(command->words[index], LIVERY_ASSET_MAX, &length);
    if (!bytes) {
      done = command_unreadable(command, command->words[index]);
      break;
    }
    status = livery_images_put_into(change, bytes, length, takes_any ? LIVERY_IMAGES_ANY : 0, ids[index]);
    if (status != LIVERY_OK) done = command_fail(command, status, command->words[index]);
    free(bytes);
  }
  if (done == DONE) {
    status = livery_change_commit(change, NULL);
    if (status != LIVERY_OK) done = command_fail(command, status, NULL);
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

// What became of one judgement after the other.
typedef struct sum {
  int64_t judged, known;
  livery_value **refused;
  size_t count;
} sum;

static int64_t number(livery_value *object, const char *key) {
  livery_value *member = NULL;
  int64_t value = 0;
  if (livery_value_member(object, key, &member) == LIVERY_OK) livery_value_as_int(member, &value);
  livery_value_release(member);
  return value;
}

static bool add_report(sum *sum, livery_value *report) {
  livery_value *refused = NULL;
  size_t count = 0;
  if (livery_value_member(report, "refused", &refused) == LIVERY_OK) livery_value_count(refused, &count);
  livery_value **larger = realloc(sum->refused, (sum->count + count + 1) * sizeof *larger);
  if (larger) sum->refused = larger;
  for (size_t index = 0; larger && index < count; index++)
    if (livery_value_at(refused, index, &sum->refused[sum->count]) == LIVERY_OK) sum->count++;
  sum->judged += number(report, "judged");
  sum->known += number(report, "known");
  livery_value_release(refused);
  return larger;
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

static void print_sum(const sum *sum, bool is_json) {
  if (is_json) printf("{\"judged\":%lld,\"known\":%lld,\"refused\":[", (long long)sum->judged, (long long)sum->known);
  for (size_t index = 0; index < sum->count; index++) {
    char *json = NULL;
    if (!is_json) print_refused(sum->refused[index]);
    else if (livery_value_to_json(sum->refused[index], 0, &json, NULL) == LIVERY_OK) printf("%s%s", index ? "," : "", json);
    livery_free(json);
  }
  if (is_json) puts("]}");
  else printf("%lld judged, %lld known before, %zu refused\n", (long long)sum->judged, (long long)sum->known, sum->count);
}

// One image, or all; false with the exit status.
static bool judge_into(sum *sum, livery_store *store, const command *command, const char *id, int *done) {
  livery_value *report = NULL;
  livery_status status = livery_images_judge(store, id, again ? LIVERY_IMAGES_AGAIN : 0, &report);
  if (status != LIVERY_OK) *done = command_fail(command, status, NULL);
  else if (!add_report(sum, report)) *done = SYSTEM;
  livery_value_release(report);
  return *done == DONE;
}

static int judge_each(livery_store *store, const command *command, char **ids, int count) {
  sum sum = {0};
  int done = DONE;
  if (count == 0) judge_into(&sum, store, command, NULL, &done);
  for (int index = 0; index < count && done == DONE; index++) judge_into(&sum, store, command, ids[index], &done);
  if (done == DONE) print_sum(&sum, command->is_json);
  for (size_t index = 0; index < sum.count; index++) livery_value_release(sum.refused[index]);
  free(sum.refused);
  return done;
}

static int judge(livery_store *store, const command *command) {
  return judge_each(store, command, command->words + 1, command->count - 1);
}

static int apply(livery_store *store, const command *command) {
  livery_branding_options options = LIVERY_BRANDING_OPTIONS_INIT;
  options.bundle = bundle;
  size_t length = 0;
  char *list = command_read_file(command->words[1], LIVERY_ASSET_MAX, &length);
  if (!list) return command_unreadable(command, command->words[1]);
  livery_value *report = NULL;
  livery_status status = livery_branding_apply_plist(store, list, length, &options, &report);
  free(list);
  livery_value_release(report);
  if (status != LIVERY_OK) return command_fail(command, status, command->words[1]);
  return judge_each(store, command, NULL, 0);
}

typedef struct shown {
  char color[64];
  double share;
} shown;

static livery_status look(livery_store *store, const char *id, const char *text, shown *shown) {
  livery_color color, background;
  livery_images_options options = {.struct_size = sizeof options, .areas = areas, .area_count = area_count};
  const char *beneath = background_color ? background_color : "white";
  livery_status status = livery_color_parse(text, LIVERY_ZERO_TERMINATED, &color);
  if (status == LIVERY_OK) status = livery_color_parse(beneath, LIVERY_ZERO_TERMINATED, &background);
  if (status == LIVERY_OK) status = livery_images_legibility(store, id, color, background, &options, &shown->share);
  if (status == LIVERY_OK) livery_color_format(color, LIVERY_COLOR_HEX, shown->color, sizeof shown->color, NULL);
  return status;
}

static void print_shown(const shown *shown, int count, const command *command, int texts) {
  if (command->is_json) printf("[");
  for (int index = 0; index < count; index++) {
    const char *id = command->words[1 + index / texts];
    if (command->is_json)
      printf("%s{\"id\":\"%s\",\"text\":\"%s\",\"share\":%.6f}", index ? "," : "", id, shown[index].color, shown[index].share);
    else printf("%.12s  %s is illegible on %.1f %%\n", id, shown[index].color, 100 * shown[index].share);
  }
  if (command->is_json) printf("]\n");
}

static int show(livery_store *store, const command *command) {
  static const char *const usual[] = {"white", "black"};
  int texts = text_color ? 1 : 2, count = (command->count - 1) * texts, done = DONE;
  shown *shown = calloc((size_t)count, sizeof *shown);
  if (!shown) return SYSTEM;
  for (int index = 0; index < count && done == DONE; index++) {
    const char *text = text_color ? text_color : usual[index % texts];
    livery_status status = look(store, command->words[1 + index / texts], text, &shown[index]);
    if (status != LIVERY_OK) done = command_fail(command, status, NULL);
  }
  if (done == DONE) print_shown(shown, count, command, texts);
  free(shown);
  return done;
}

int main(int count, char **words) {
  if (count == 2 && strcmp(words[1], LVI_DRAW_SVG) == 0) draw_svg();
  command command = {.name = "livery images", .help = help, .options = options,
                     .option_count = sizeof options / sizeof *options, .unavailable = LIVERY_IMAGES_ERROR_UNAVAILABLE};
  int done = command_read(&command, count, words);
  if (done != GO_ON) return done;
  if (command.count == 0) return command_usage(&command, "no command given");
  const char *action = command.words[0];
  bool puts = strcmp(action, "put") == 0, judges = strcmp(action, "judge") == 0, shows = strcmp(action, "show") == 0,
       applies = strcmp(action, "apply") == 0;
  if (!puts && !judges && !shows && !applies) return command_usage(&command, "there is no command %s", action);
  if (command.count == 1 && shows) return command_usage(&command, "show needs an ID");
  if (command.count == 1 && !judges) return command_usage(&command, "what is missing is a FILE, for %s", action);
  if (command.count > 2 && applies) return command_usage(&command, "apply takes one FILE");
  livery_store *store = NULL;
  done = command_open(&command, shows ? LIVERY_OPEN_READ_ONLY : 0, &store);
  if (done != GO_ON) return done;
  done = puts ? put(store, &command) : judges ? judge(store, &command) : applies ? apply(store, &command) : show(store, &command);
  livery_close(store);
  return command_end(&command, done);
}
