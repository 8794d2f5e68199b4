// A kiosk: opens its settings, applies its schema if one is given, reads what it needs with fallbacks, keeps a note of
// its start, and prints what is in effect.
//
//     kiosk STORE [SCHEMA.json]
#include <livery.h>

#include <stdio.h>
#include <stdlib.h>

// Reports the thread's last error and gives the program's exit status.
static int failed(const char *what) {
  const livery_error *error = livery_last_error();
  if (error->line > 0) {
    fprintf(stderr, "kiosk: %s: line %u, column %u: %s\n", what, error->line, error->column, error->message);
  } else {
    fprintf(stderr, "kiosk: %s: %s\n", what, error->message);
  }
  return EXIT_FAILURE;
}

// The whole of a file, malloc'ed; NULL if it cannot be read.
static char *read_file(const char *path, size_t *length) {
  FILE *file = fopen(path, "rb");
  char *content = NULL;
  if (file && fseek(file, 0, SEEK_END) == 0) {
    long size = ftell(file);
    rewind(file);
    content = size >= 0 ? malloc((size_t)size + 1) : NULL;
    if (content) *length = fread(content, 1, (size_t)size, file);
  }
  if (file) fclose(file);
  return content;
}

static int apply_schema(livery_store *store, const char *path) {
  size_t length = 0;
  char *json = read_file(path, &length);
  if (!json) return perror(path), EXIT_FAILURE;
  livery_status status = livery_schema_apply(store, json, length, NULL, NULL);
  free(json);
  // A newer schema is somebody else's: run with it.
  if (status != LIVERY_OK && status != LIVERY_ERROR_SCHEMA_NEWER) return failed(path);
  return EXIT_SUCCESS;
}

// A setting as a number, or a fallback if it is not there; anything else deserves a word.
static int64_t number_or(livery_store *store, const char *name, int64_t fallback) {
  int64_t number = fallback;
  livery_status status = livery_get_int(store, name, &number);
  if (status != LIVERY_OK && status != LIVERY_ERROR_NOT_FOUND && status != LIVERY_ERROR_NO_VALUE) failed(name);
  return number;
}

static int print_settings(livery_store *store) {
  livery_value *settings = NULL;
  char *text = NULL;
  if (livery_settings(store, &settings) != LIVERY_OK) return failed("reading all settings");
  livery_status status = livery_value_to_json(settings, LIVERY_JSON_PRETTY, &text, NULL);
  livery_value_release(settings);
  if (status != LIVERY_OK) return failed("writing JSON");
  printf("%s\n", text);
  livery_free(text);
  return EXIT_SUCCESS;
}

static int run(livery_store *store, const char *schema) {
  if (schema && apply_schema(store, schema) != EXIT_SUCCESS) return EXIT_FAILURE;

  int64_t starts = number_or(store, "kiosk.starts", 0);
  int64_t idle = number_or(store, "idleResetSeconds", 120);
  bool progress = true;
  livery_get_bool(store, "progressIndicator", &progress);

  // A schema that is not open has no place for the counter.
  livery_status status = livery_set_int(store, LIVERY_LAYER_USER, "kiosk.starts", starts + 1);
  if (status != LIVERY_OK && status != LIVERY_ERROR_NOT_FOUND) return failed("counting starts");

  printf("Start %lld; back to the first page after %lld s; progress indicator %s.\n", (long long)starts + 1,
         (long long)idle, progress ? "on" : "off");
  return print_settings(store);
}

int main(int argc, char **argv) {
  if (argc < 2 || argc > 3) return fprintf(stderr, "usage: kiosk STORE [SCHEMA.json]\n"), 2;
  livery_store *store = NULL;
  livery_open_options options = LIVERY_OPEN_OPTIONS_INIT;
  options.flags = LIVERY_OPEN_CREATE;
  if (livery_open(argv[1], &options, &store) != LIVERY_OK) return failed("opening");
  int result = run(store, argc == 3 ? argv[2] : NULL);
  livery_close(store);
  return result;
}
