#include "csystem.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>

// Whether the loader, which has no codes, says that it lacked memory: "failed to map segment", "cannot allocate memory".
static bool lacked_memory(void) {
  const char *said = dlerror();
  return said && (strstr(said, " map ") || strstr(said, "allocate"));
}

static bool find(const lvs_library *library, const char *file, void **functions, int *failure) {
  void *handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    if (lacked_memory()) *failure = ENOMEM;
    return false;
  }
  for (size_t index = 0; index < library->count; index++) {
    functions[index] = dlsym(handle, library->names[index]);
    if (!functions[index]) {
      dlclose(handle);
      return false;
    }
  }
  return true;
}

// Without a lock: a process may fork meanwhile, and the loader, which has one of its own, may run constructors that do.
bool lvs_library_load(lvs_library *library) {
  if (lvs_library_functions(library)) return true;
  int failure = ENOMEM;
  void **functions = malloc(library->count * sizeof *functions);
  bool is_found = false;
  if (functions) failure = ENOENT;
  for (size_t index = 0; functions && index < 2 && !is_found; index++)
    is_found = library->files[index] && find(library, library->files[index], functions, &failure);
  void **none = NULL;
  // Another thread has found the same if it was quicker.
  if (!is_found || !__atomic_compare_exchange_n(&library->functions, &none, functions, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
    free(functions);
  errno = failure;
  return is_found;
}
