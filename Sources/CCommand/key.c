// The key of a store that seals its secrets, for programs of other libraries than liblivery-secrets: that is loaded for it.
#include "command.h"

#include <dlfcn.h>
#include <livery/secrets.h>

#define LIBRARY "liblivery-secrets.so.0"

static livery_secrets *taken;
static void *library;

livery_status command_take_key(const command_key *key, livery_store *store) {
  if (!library) library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
  livery_status (*open)(livery_store *, const livery_secrets_options *, livery_secrets **) = NULL;
  if (library) *(void **)&open = dlsym(library, "livery_secrets_open");
  if (!open) {
    livery_error_leave(LIVERY_ERROR_UNAVAILABLE, LIBRARY " is missing, which opens what is sealed: install livery-secrets");
    return LIVERY_ERROR_UNAVAILABLE;
  }
  livery_secrets_options options = LIVERY_SECRETS_OPTIONS_INIT;
  options.file = key->file;
  options.keyring = key->keyring;
  options.credential = key->credential;
  return open(store, &options, &taken);
}

void command_drop_key(void) {
  livery_status (*close)(livery_secrets *) = NULL;
  if (library) *(void **)&close = dlsym(library, "livery_secrets_close");
  if (close) close(taken);
  taken = NULL;
}
