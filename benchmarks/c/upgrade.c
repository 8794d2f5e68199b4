// What an upgrade of the schema costs, beside setting the same values anew.
//
//     bench-upgrade DIRECTORY [ROUNDS]
//
// For 100 settings with values in all layers, and for 100,000 with a value each, with 10 steps. An upgrade makes a backup first,
// which is a copy of the file: `backup` is an upgrade that has nothing to do but that, and `steps` what the other takes
// beyond. Ratios are of medians, measured in turn; `anew` is one change set for each layer.
#include "timing.h"

#include <string.h>
#include <sys/stat.h>

enum { steps = 10, most_rounds = 501 };

static const livery_layer layers[] = {LIVERY_LAYER_BUNDLE,  LIVERY_LAYER_RECOMMENDED, LIVERY_LAYER_USER,
                                      LIVERY_LAYER_SESSION, LIVERY_LAYER_OVERRIDE,    LIVERY_LAYER_ENFORCED};

// The first settings are renamed from version to version, and half of them doubled.
static char *schema(int settings, int version, int has_steps) {
  static char *text;
  static size_t room;
  size_t needed = (size_t)settings * 100 + 4096, used;
  if (needed > room) text = realloc(text, room = needed);
  if (!text) exit(1);
  used = (size_t)sprintf(text, "{\"Version\": %d, \"Groups\": [{\"Title\": \"G\", \"Settings\": [", version);
  for (int index = 0; index < settings; index++)
    used += (size_t)sprintf(text + used, "%s{\"Type\": \"Number\", \"Title\": \"N\", \"Key\": \"%c%d\", \"Value\": 1}",
                            index ? "," : "", index < steps / 2 && version / 2 % 2 ? 'm' : 'n', index);
  used += (size_t)sprintf(text + used, "]}]");
  if (has_steps) {
    used += (size_t)sprintf(text + used, ", \"Migrations\": [{\"To\": %d, \"Steps\": [", version);
    for (int index = 0; index < steps / 2; index++)
      used += (size_t)sprintf(text + used,
                              "%s{\"Op\": \"rename\", \"From\": \"%c%d\", \"Into\": \"%c%d\"},"
                              "{\"Op\": \"convert\", \"Key\": \"n%d\", \"Type\": \"number\", \"Scale\": %s}",
                              index ? "," : "", version / 2 % 2 ? 'n' : 'm', index, version / 2 % 2 ? 'm' : 'n', index, index + steps,
                              version / 2 % 2 ? "2" : "0.5");
    used += (size_t)sprintf(text + used, "]}]");
  }
  sprintf(text + used, "}");
  return text;
}

static double upgrade(livery_store *store, int settings, int version, int has_steps) {
  const char *text = schema(settings, version, has_steps);
  size_t length = strlen(text);
  double begin = now_ms();
  OK(livery_schema_apply(store, text, length, NULL, NULL));
  return now_ms() - begin;
}

static double set_anew(livery_store *store, int settings, int version, int first, int count, double add) {
  char name[32];
  livery_change *unlock = NULL;
  OK(livery_change_begin(store, LIVERY_LAYER_ENFORCED, &unlock));
  OK(livery_change_reset_all(unlock));
  OK(livery_change_commit(unlock, NULL));
  double begin = now_ms();
  for (int layer = first; layer < first + count; layer++) {
    livery_change *change = NULL;
    OK(livery_change_begin(store, layers[layer], &change));
    if (layers[layer] == LIVERY_LAYER_OVERRIDE) OK(livery_change_expires(change, ((int64_t)time(NULL) + 86400) * 1000000));
    for (int index = 0; index < settings; index++) {
      snprintf(name, sizeof name, "%c%d", index < steps / 2 && version / 2 % 2 ? 'm' : 'n', index);
      OK(livery_change_set_double(change, name, index + add));
    }
    OK(livery_change_commit(change, NULL));
  }
  return now_ms() - begin;
}

static void measure(const char *directory, int settings, int first, int count, int rounds) {
  static double whole[most_rounds], backup[most_rounds], anew[most_rounds];
  char path[4096];
  snprintf(path, sizeof path, "%s/%d", directory, settings);
  livery_open_options options = LIVERY_OPEN_OPTIONS_INIT;
  options.flags = LIVERY_OPEN_CREATE | LIVERY_OPEN_ALLOW_OVERRIDE;
  livery_store *store = NULL;
  OK(livery_open(path, &options, &store));
  int version = 1;
  upgrade(store, settings, version, 0);
  set_anew(store, settings, version, first, count, 0);
  for (int round = 0; round < rounds; round++) {
    whole[round] = upgrade(store, settings, ++version, 1);
    backup[round] = upgrade(store, settings, ++version, 0);
    anew[round] = set_anew(store, settings, version, first, count, round % 2 + 1);
  }
  OK(livery_close(store));
  double all = median(whole, rounds), copied = median(backup, rounds), written = median(anew, rounds);
  printf("settings=%d layers=%d steps=%d rounds=%d upgrade_ms=%.2f backup_ms=%.2f steps_ms=%.2f anew_ms=%.2f "
         "ratio_to_anew=%.3f\n", settings, count, steps, rounds, all, copied, all - copied, written, all / written);
}

int main(int argc, char **argv) {
  if (argc < 2) return 2;
  int rounds = argc > 2 ? atoi(argv[2]) : 101;
  if (rounds < 1 || rounds > most_rounds) return 2;
  mkdir(argv[1], 0700);
  measure(argv[1], 100, 0, 6, rounds);
  measure(argv[1], 100000, 2, 1, rounds / 20 + 1);
  return 0;
}
