// Memory that ends when a test says so, and a store that has to be well afterwards. The program's malloc is the one that the
// library calls.
#ifndef MEMORY_H
#define MEMORY_H

#include "allocator.h"
#include "fixture.h"

#include <dlfcn.h>
#include <stdatomic.h>

static const livery_layer user = LIVERY_LAYER_USER;

/** How many allocations succeed yet; negative: all. Then one fails, or all from there on. */
static _Atomic long left = -1;
static bool fails_for_good;
static _Atomic long struck;

static bool ends(const void *caller) {
  long now = left;
  if (now < 0 || !is_looked_after(caller)) return false;
  // A thread of the library may be here when the test says that memory is back.
  while (now > 0)
    if (atomic_compare_exchange_weak(&left, &now, now - 1)) return false;
  if (now < 0) return false;
  if (struck > 0 && !fails_for_good) return false;
  struck++;
  errno = ENOMEM;
  return true;
}

#define CALLER __builtin_return_address(0)
void *malloc(size_t size) { return ends(CALLER) ? NULL : __libc_malloc(size); }
void *calloc(size_t count, size_t size) { return ends(CALLER) ? NULL : __libc_calloc(count, size); }
void *realloc(void *memory, size_t size) { return ends(CALLER) ? NULL : __libc_realloc(memory, size); }
void *aligned_alloc(size_t alignment, size_t size) { return ends(CALLER) ? NULL : __libc_memalign(alignment, size); }
int posix_memalign(void **memory, size_t alignment, size_t size) {
  void *found = ends(CALLER) ? NULL : __libc_memalign(alignment, size);
  if (found) *memory = found;
  return found ? 0 : ENOMEM;
}
size_t malloc_usable_size(void *memory) {
  static size_t (*found)(void *);
  if (!found) *(void **)&found = dlsym(RTLD_NEXT, "malloc_usable_size");
  return found(memory);
}

__attribute__((unused)) static void memory_ends_after(long count, bool for_good) {
  look_after_libraries();
  fails_for_good = for_good;
  struck = 0;
  left = count;
}
__attribute__((unused)) static void memory_is_back(void) { left = -1; }

/** Whether the library looks whether it was given memory. */
static bool can_run_out(void) { return (livery_features() & LIVERY_FEATURE_STANDALONE) != 0; }

__attribute__((unused)) static livery_store *ready_store(const char *path, const char *schema) {
  livery_store *store = new_store(path, schema);
  OK(livery_set_string(store, user, "title", TEXT("a title")));
  OK(livery_set_string(store, user, "note", TEXT("before")));
  OK(livery_set_int(store, user, "pair.a", 1));
  return store;
}

__attribute__((unused)) static void expect_all_well(livery_store *store) {
  int64_t number = 0;
  char *text = NULL;
  OK(livery_set_int(store, user, "pair.b", 8));
  OK(livery_set_int(store, user, "pair.b", 9));
  OK(livery_get_int(store, "pair.b", &number));
  EXPECT_INT(9, number);
  OK(livery_export_json(store, 0, &text, NULL));
  livery_free(text);
}

#endif
