// What it costs to find settings by words, and to tell of the whole form.
//
//     bench-search DIRECTORY [ROUNDS]
//
// `search` is the median of queries of one and two words that find many, few and no settings, with 20 results each; `first`
// is the first search of a schema, which folds its texts.
#include "timing.h"

#include <string.h>
#include <sys/stat.h>

enum { most_rounds = 501 };

static const char *const words[] = {"screen",   "brightness", "volume", "media",      "idle",  "time", "after", "seconds", "network",
                                    "proxy",    "server",     "list",   "color",      "logo",  "back", "title", "show",    "hide",
                                    "motor",    "door",       "light",  "sensor",     "sound", "alarm"};
static const char *const queries[] = {"screen", "brightness volume", "zzz", "scr", "motor door light", "e"};
enum { word_count = sizeof words / sizeof *words, query_count = sizeof queries / sizeof *queries };

static const char *word(void) {
  static unsigned state = 1;
  state = state * 1103515245u + 12345u;
  return words[(state >> 16) % word_count];
}

static char *schema(int settings) {
  char *text = malloc((size_t)settings * 320 + 4096);
  if (!text) exit(1);
  size_t used = (size_t)sprintf(text, "{\"Version\": 1, \"Groups\": [");
  for (int index = 0; index < settings; index++) {
    if (index % 50 == 0)
      used += (size_t)sprintf(text + used, "%s{\"Title\": \"%s %s\", \"Settings\": [", index ? "]}," : "", word(), word());
    used += (size_t)sprintf(text + used, "%s{\"Type\": \"TextField\", \"Title\": \"%s %s %s\", \"Key\": \"%s.%s.%d\"",
                            index % 50 ? "," : "", word(), word(), word(), word(), word(), index);
    used += (size_t)sprintf(text + used, ", \"Value\": \"%s %s\", \"Description\": \"%s %s %s %s %s %s\"}", word(), word(), word(),
                            word(), word(), word(), word(), word());
  }
  sprintf(text + used, "]}]}");
  return text;
}

static double search(livery_store *store, const char *query) {
  livery_search_options options = LIVERY_SEARCH_OPTIONS_INIT;
  livery_value *found = NULL;
  options.limit = 20;
  double begin = now_ms();
  OK(livery_search(store, query, &options, &found));
  double took = now_ms() - begin;
  OK(livery_value_release(found));
  return took;
}

static void measure(const char *directory, int settings, int rounds) {
  static double searches[most_rounds * query_count], forms[most_rounds];
  char path[4096];
  snprintf(path, sizeof path, "%s/%d", directory, settings);
  livery_open_options options = LIVERY_OPEN_OPTIONS_INIT;
  options.flags = LIVERY_OPEN_CREATE;
  livery_store *store = NULL;
  OK(livery_open(path, &options, &store));
  char *text = schema(settings);
  OK(livery_schema_apply(store, text, LIVERY_ZERO_TERMINATED, NULL, NULL));
  free(text);
  double first = search(store, "screen");
  for (int round = 0; round < rounds; round++) {
    for (int query = 0; query < query_count; query++)
      searches[round * query_count + query] = search(store, queries[query]);
    livery_value *form = NULL;
    double begin = now_ms();
    OK(livery_form(store, NULL, &form));
    forms[round] = now_ms() - begin;
    OK(livery_value_release(form));
  }
  OK(livery_close(store));
  printf("settings=%d first_ms=%.2f search_ms=%.3f form_ms=%.3f\n", settings, first,
         median(searches, rounds * query_count), median(forms, rounds));
}

int main(int argc, char **argv) {
  if (argc < 2) return 2;
  int rounds = argc > 2 ? atoi(argv[2]) : 101;
  if (rounds < 1 || rounds > most_rounds) return 2;
  mkdir(argv[1], 0700);
  measure(argv[1], 1000, rounds);
  measure(argv[1], 100000, rounds / 20 + 1);
  return 0;
}
