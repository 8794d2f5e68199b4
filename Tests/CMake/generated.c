// A program with accessors that the build has made of a schema, which is its argument.
#include "kiosk_settings.h"

#include <stdio.h>
#include <string.h>

int main(int count, char **arguments) {
  static char text[65536];
  livery_store *store;
  livery_open_options options = LIVERY_OPEN_OPTIONS_INIT;
  kiosk_settings settings;
  int64_t seconds = 0;
  char greeting[32];
  FILE *file = count == 2 ? fopen(arguments[1], "r") : NULL;
  size_t size = file ? fread(text, 1, sizeof text, file) : 0;

  if (file) fclose(file);
  options.flags = LIVERY_OPEN_MEMORY;
  if (size == 0 || livery_open("", &options, &store) || livery_schema_apply(store, text, size, NULL, NULL)) return 1;
  if (kiosk_open(store, 0, &settings)) return 2;
  if (kiosk_get_idle_seconds(&settings, &seconds) || seconds != 30) return 3;
  if (kiosk_set_idle_seconds(&settings, LIVERY_LAYER_USER, 90) || kiosk_get_idle_seconds(&settings, &seconds) || seconds != 90) return 4;
  if (kiosk_get_greeting(&settings, greeting, sizeof greeting, NULL) || strcmp(greeting, "Hello")) return 5;
  kiosk_close(&settings);
  livery_close(store);
  return 0;
}
