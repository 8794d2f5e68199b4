// The functions of prompts (livery/prompt.h): of a library that pages without them do not need.
#define _GNU_SOURCE
#include "cpage.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#define FUNCTIONS(each) each(provide) each(withdraw) each(answer) each(dismiss)

// They are there where the library is linked into the same program.
#pragma weak livery_prompt_provide
#pragma weak livery_prompt_withdraw
#pragma weak livery_prompt_answer
#pragma weak livery_prompt_dismiss

typedef struct functions {
#define PLACE(name) __typeof__(livery_prompt_##name) *name;
  FUNCTIONS(PLACE)
#undef PLACE
} functions;

// What is called; of use once `is_loaded`, which is set with `lock` held.
static functions prompts;
static atomic_bool is_loaded;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static const char file[] = "liblivery-workflow.so.0";

static bool find(functions *found, const char *path) {
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) return false;
  bool is_whole = true;
#define FIND(name) is_whole = (found->name = (__typeof__(found->name))dlsym(library, "livery_prompt_" #name)) && is_whole;
  FUNCTIONS(FIND)
#undef FIND
  // One that stands on another copy of liblivery.so would not know the handles of this one.
  return is_whole && dlsym(library, "livery_post") == (void *)livery_post;
}

// Called without a lock, for the loader has one of its own, which constructors of other libraries may hold while they fork.
static bool find_all(functions *found) {
  if (livery_prompt_provide) {
#define TAKE(name) found->name = livery_prompt_##name;
    FUNCTIONS(TAKE)
#undef TAKE
    return true;
  }
  // Where this library lies, and where the loader looks.
  Dl_info own;
  char path[4096];
  const char *end = dladdr((void *)lvp_prompts_load, &own) && own.dli_fname ? strrchr(own.dli_fname, '/') : NULL;
  int length = end ? (int)(end + 1 - own.dli_fname) : 0;
  if (length > 0 && length < (int)(sizeof path - sizeof file)) {
    snprintf(path, sizeof path, "%.*s%s", length, own.dli_fname, file);
    if (find(found, path)) return true;
  }
  return find(found, file);
}

static pthread_once_t once = PTHREAD_ONCE_INIT;
static void before_fork(void) { pthread_mutex_lock(&lock); }
static void after_fork(void) { pthread_mutex_unlock(&lock); }
static void watch_forks(void) { pthread_atfork(before_fork, after_fork, after_fork); }

bool lvp_prompts_load(void) {
  if (atomic_load(&is_loaded)) return true;
  functions found;
  if (!find_all(&found)) return false;
  pthread_once(&once, watch_forks);
  pthread_mutex_lock(&lock);
  if (!atomic_load(&is_loaded)) prompts = found;
  atomic_store(&is_loaded, true);
  pthread_mutex_unlock(&lock);
  return true;
}

livery_status lvp_prompt_provide(livery_store *store, livery_prompt_present_fn present, livery_prompt_dismiss_fn dismiss,
                                 void *object, livery_destroy_fn destroy, livery_prompt_provider **provider) {
  livery_prompt_functions functions = {sizeof functions, 0, present, dismiss};
  return prompts.provide(store, LIVERY_PROMPT_ANY, &functions, object, destroy, provider);
}

livery_status lvp_prompt_withdraw(livery_prompt_provider *provider) { return prompts.withdraw(provider); }

livery_status lvp_prompt_answer(livery_prompt *prompt, livery_value *answer, livery_prompt_verdict_fn verdict, void *object,
                                livery_destroy_fn destroy) {
  return prompts.answer(prompt, answer, verdict, object, destroy);
}

livery_status lvp_prompt_dismiss(livery_prompt *prompt) { return prompts.dismiss(prompt); }

// Of memory.c, through which an extension of the device build allocates.
extern __attribute__((weak)) void lvs_memory_wipe(void);

void lvp_memory_wipe(void) {
  if (lvs_memory_wipe) lvs_memory_wipe();
}
