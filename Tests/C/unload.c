// A program that loads the library, uses it and unloads it again: unload LIBRARY. What runs on when the library is closed,
// such as a watching thread on its way out, must find it where it was.
#define _GNU_SOURCE
#include <livery.h>

#include <dlfcn.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *library;
static char directory[] = "/tmp/livery-unload-XXXXXX";
static int failures;

#define EXPECT(condition)                                                                                              \
  do {                                                                                                                 \
    if (!(condition)) fprintf(stderr, "%s:%d: expected: %s\n", __FILE__, __LINE__, #condition), failures++;            \
  } while (0)
#define FIND(name) __typeof__(&name) name##_found = (__typeof__(&name))(uintptr_t)dlsym(loaded, #name)

static int remove_one(const char *path, const struct stat *facts, int type, struct FTW *walk) {
  (void)facts, (void)type, (void)walk;
  return remove(path);
}

static void ignore(const livery_event *events, size_t count, void *user_data) {
  (void)events, (void)count;
  ++*(_Atomic int *)user_data;
}

static void use(int watches) {
  void *loaded = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (!loaded) {
    fprintf(stderr, "%s\n", dlerror());
    exit(2);
  }
  FIND(livery_open);
  FIND(livery_close);
  FIND(livery_set_int);
  FIND(livery_watch_start);
  FIND(livery_watch_stop);
  static _Atomic int told;
  told = 0;
  livery_store *store = NULL;
  livery_watch *watch = NULL;
  livery_open_options options = LIVERY_OPEN_OPTIONS_INIT;
  options.flags = LIVERY_OPEN_CREATE;
  EXPECT(livery_open_found(directory, &options, &store) == LIVERY_OK);
  for (int index = 0; index < watches; index++)
    EXPECT(livery_watch_start_found(store, NULL, NULL, ignore, (void *)&told, NULL, &watch) == LIVERY_OK);
  EXPECT(livery_set_int_found(store, LIVERY_LAYER_USER, "a", rand()) == LIVERY_OK);
  for (int pause = 0; pause < 300 && told < watches; pause++) usleep(10000);
  EXPECT(told >= watches);
  if (watches) EXPECT(livery_watch_stop_found(watch) == LIVERY_OK);
  EXPECT(livery_close_found(store) == LIVERY_OK);
  EXPECT(dlclose(loaded) == 0);
}

int main(int argc, char **argv) {
  if (argc != 2 || !mkdtemp(directory)) return 2;
  library = argv[1];
  // Without ever a watch; with one; and again, in the same place, while the thread of before may still be there.
  use(0);
  usleep(100000);
  for (int round = 0; round < 5; round++) use(1 + round % 2);
  // Longer than a watching thread sleeps.
  sleep(2);
  use(1);
  use(0);
  sleep(2);
  nftw(directory, remove_one, 8, FTW_DEPTH | FTW_PHYS);
  printf("%d passed, %d failed\n", failures ? 0 : 1, failures ? 1 : 0);
  return failures ? 1 : 0;
}
