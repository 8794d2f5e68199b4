#define _GNU_SOURCE
#include "library.h"

#include <cclient.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

// Of use once `is_loaded`, which is set with `lock` held.
static lvb_functions library;
static bool is_loaded;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static void before_fork(void) { pthread_mutex_lock(&lock); }
static void after_fork(void) { pthread_mutex_unlock(&lock); }
static void watch_forks(void) { pthread_atfork(before_fork, after_fork, after_fork); }

// NULL, or why there is none. It is never let go of: called without a lock, for the loader has one of its own, which
// constructors of other libraries may hold while they fork.
static const char *load(lvb_functions *found) {
  void *handle = dlopen("libmosquitto.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!handle) return "it is not installed, or cannot be loaded";
  bool is_whole = true;
#define TAKE(name) is_whole = (found->name = (__typeof__(found->name))dlsym(handle, "mosquitto_" #name)) && is_whole;
  LVB_FUNCTIONS(TAKE)
#undef TAKE
  if (!is_whole || found->lib_version(NULL, NULL, NULL) < 2000000) return "the one that is installed is older than 2.0";
  // A thread that is reaching a broker cannot be interrupted.
  lvc_openssl_keep();
  return NULL;
}

const lvb_functions *lvb_library(void) {
  pthread_once(&once, watch_forks);
  pthread_mutex_lock(&lock);
  bool was_loaded = is_loaded;
  pthread_mutex_unlock(&lock);
  if (was_loaded) return &library;
  lvb_functions found;
  const char *missing = load(&found);
  pthread_mutex_lock(&lock);
  if (!missing && !is_loaded) {
    if (found.lib_init() == MOSQ_ERR_SUCCESS) {
      library = found;
      is_loaded = true;
    } else {
      missing = "it cannot be set up";
    }
  }
  pthread_mutex_unlock(&lock);
  if (!missing) return &library;
  char message[200];
  snprintf(message, sizeof message, "libmosquitto is missing (%s): install libmosquitto1, or go without a broker", missing);
  livery_error_leave(LIVERY_ERROR_UNAVAILABLE, message);
  return NULL;
}
