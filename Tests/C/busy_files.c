// Stores that are opened, written to and closed while other threads open and close files: each keeps to its own.
#include "fixture.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/stat.h>

enum { THREADS = 3, FILES = 16, ROUNDS = 300 };

static atomic_bool is_over;
static atomic_int faults;

// Opens and closes files in changing order, and looks whether each is still the one that was opened.
static void *churn(void *unused) {
  (void)unused;
  int files[FILES];
  struct stat null, facts;
  unsigned state = (unsigned)(uintptr_t)&null;
  if (stat("/dev/null", &null) != 0) exit(2);
  memset(files, -1, sizeof files);
  while (!is_over) {
    state = state * 1103515245 + 12345;
    int *file = &files[(state >> 16) % FILES];
    if (*file < 0) {
      *file = open("/dev/null", O_RDWR | O_CLOEXEC);
      continue;
    }
    if (fstat(*file, &facts) != 0 || facts.st_ino != null.st_ino || facts.st_dev != null.st_dev) faults++;
    else if (close(*file) != 0) faults++;
    *file = -1;
  }
  for (int index = 0; index < FILES; index++)
    if (files[index] >= 0 && close(files[index]) != 0) faults++;
  return NULL;
}

TEST("stores and other threads keep to their own files", busy_files) {
  const char *path = fresh_path();
  pthread_t threads[THREADS];
  for (int index = 0; index < THREADS; index++) pthread_create(&threads[index], NULL, churn, NULL);
  for (int64_t round = 1; round <= ROUNDS; round++) {
    livery_store *store = open_store(path);
    int64_t last = 0;
    OK(livery_set_int(store, LIVERY_LAYER_USER, "round", round));
    OK(livery_get_int(store, "round", &last));
    EXPECT_INT(round, last);
    OK(livery_close(store));
  }
  is_over = true;
  for (int index = 0; index < THREADS; index++) pthread_join(threads[index], NULL);
  EXPECT_INT(0, faults);
}

