// The same client in C++, with the handle in a smart pointer.
#include <cstdio>
#include <livery.h>
#include <memory>

struct CloseStore {
  void operator()(livery_store *store) const { livery_close(store); }
};

int main(int argc, char **argv) {
  if (argc != 2) return std::fprintf(stderr, "usage: %s DIRECTORY\n", argv[0]), 2;
  livery_open_options options = LIVERY_OPEN_OPTIONS_INIT;
  options.flags = LIVERY_OPEN_CREATE;
  livery_store *handle = nullptr;
  if (livery_open(argv[1], &options, &handle) != LIVERY_OK)
    return std::fprintf(stderr, "%s\n", livery_last_error()->message), 1;
  std::unique_ptr<livery_store, CloseStore> store(handle);
  int64_t seconds = 0;
  if (livery_set_int(store.get(), LIVERY_LAYER_USER, "idleResetSeconds", 90) != LIVERY_OK
      || livery_get_int(store.get(), "idleResetSeconds", &seconds) != LIVERY_OK)
    return std::fprintf(stderr, "%s\n", livery_last_error()->message), 1;
  std::printf("livery %s: %lld seconds\n", livery_version_string(), static_cast<long long>(seconds));
  return seconds == 90 ? 0 : 1;
}
