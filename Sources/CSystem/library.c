#include "csystem.h"

#include <dlfcn.h>

static bool find(const lvs_library *library, const char *file, void **functions) {
  void *handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  if (!handle) return false;
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
  void **functions = malloc(library->count * sizeof *functions);
  if (!functions) return false;
  bool is_found = false;
  for (size_t index = 0; index < 2 && !is_found; index++)
    is_found = library->files[index] && find(library, library->files[index], functions);
  void **none = NULL;
  // Another thread has found the same if it was quicker.
  if (!is_found || !__atomic_compare_exchange_n(&library->functions, &none, functions, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
    free(functions);
  return is_found;
}
