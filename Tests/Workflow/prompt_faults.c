// Prompts where calls of the system fail, or something happens in the midst of them: the library's calls come here first.
#include "asked.h"

#include <dirent.h>
#include <dlfcn.h>
#include <poll.h>
#include <sys/socket.h>

#define NEXT(name, type, ...) ((type (*)(__VA_ARGS__))(uintptr_t)dlsym(RTLD_NEXT, #name))

// What happens once, right before a socket for prompts loses its name, and right after it has got it.
static void (*_Atomic before_removal)(void), (*_Atomic after_naming)(void);
// How many connections are not let in for want of descriptors, and the listener of which the last one was.
static atomic_int refusals;
static atomic_int refused_listener = -1, polled_again;

int unlinkat(int folder, const char *name, int flags) {
  void (*before)(void) = strncmp(name, "prompt.", 7) == 0 ? atomic_exchange(&before_removal, NULL) : NULL;
  if (before) before();
  return NEXT(unlinkat, int, int, const char *, int)(folder, name, flags);
}

int renameat(int from, const char *name, int to, const char *other) {
  int status = NEXT(renameat, int, int, const char *, int, const char *)(from, name, to, other);
  void (*after)(void) = strncmp(other, "prompt.", 7) == 0 ? atomic_exchange(&after_naming, NULL) : NULL;
  if (after) after();
  return status;
}

int accept4(int listener, __SOCKADDR_ARG address, socklen_t *restrict size, int flags) {
  if (refusals > 0) {
    refusals--;
    refused_listener = listener;
    return errno = EMFILE, -1;
  }
  return NEXT(accept4, int, int, struct sockaddr *, socklen_t *, int)(listener, address.__sockaddr__, size, flags);
}

int poll(struct pollfd *all, nfds_t count, int timeout) {
  int listener = atomic_exchange(&refused_listener, -1);
  for (nfds_t place = 0; listener >= 0 && place < count; place++) polled_again += all[place].fd == listener;
  return NEXT(poll, int, struct pollfd *, nfds_t, int)(all, count, timeout);
}

static livery_store *made_store(const char *path) {
  livery_open_options options = LIVERY_OPEN_OPTIONS_INIT;
  options.flags = LIVERY_OPEN_CREATE;
  livery_store *store = NULL;
  OK(livery_open(path, &options, &store));
  return store;
}

static int open_descriptors(void) {
  int count = 0;
  DIR *entries = opendir("/proc/self/fd");
  while (entries && readdir(entries)) count++;
  if (entries) closedir(entries);
  return count;
}

static bool has_descriptors(int wanted) {
  for (int tries = 0; tries < 5000 && open_descriptors() != wanted; tries++) usleep(1000);
  return open_descriptors() == wanted;
}

static livery_store *closed_meanwhile;

static void *close_it(void *unused) {
  OK(livery_close(closed_meanwhile));
  return unused;
}

static void close_by_a_thread(void) {
  pthread_t thread;
  EXPECT_INT(0, pthread_create(&thread, NULL, close_it, NULL));
  pthread_join(thread, NULL);
}

TEST("who is withdrawn while the store is closed ends once, with what it shows", withdrawn_while_closing) {
  for (int round = 0; round < 2; round++) {
    const char *path = fresh_path();
    closed_meanwhile = made_store(path);
    livery_store *asking = made_store(path);
    shower self = {.script = "w", .answer = kinds[0].answer};
    outcome told = {0};
    livery_prompt_provider *provider = provide(closed_meanwhile, "login", &self);
    if (round) {
      OK(livery_prompt_request_start(asking, "login", NULL, NULL, note_done, &told, note_destroyed, NULL));
      EXPECT(comes(&self.presented, 1));
    }
    before_removal = close_by_a_thread;
    OK(livery_prompt_withdraw(provider));
    EXPECT(before_removal == NULL);
    EXPECT(comes(&self.destroyed, 1));
    EXPECT_INT(round, self.dismissed);
    if (round) {
      EXPECT(comes(&told.destroyed, 1));
      EXPECT_INT(LIVERY_ERROR_UNAVAILABLE, told.status);
    }
    OK(livery_close(asking));
    EXPECT_INT(1, self.destroyed);
  }
}

typedef struct withdrawing {
  pthread_barrier_t *barrier;
  livery_prompt_provider *provider;
} withdrawing;

static void *withdraw_it(void *user_data) {
  withdrawing *self = user_data;
  pthread_barrier_wait(self->barrier);
  livery_status status = livery_prompt_withdraw(self->provider);
  EXPECT(status == LIVERY_OK || status == LIVERY_ERROR_CLOSED);
  return NULL;
}

TEST("however a provider is withdrawn beside the end of its store, it ends once", withdrawn_beside) {
  for (int round = 0; round < 200; round++) {
    livery_open_options options = LIVERY_OPEN_OPTIONS_INIT;
    options.flags = LIVERY_OPEN_MEMORY;
    livery_store *store = NULL;
    OK(livery_open("withdrawn", &options, &store));
    shower self = {.script = "w", .answer = kinds[0].answer};
    pthread_barrier_t barrier;
    pthread_barrier_init(&barrier, NULL, 2);
    withdrawing other = {&barrier, provide(store, "login", &self)};
    pthread_t thread;
    EXPECT_INT(0, pthread_create(&thread, NULL, withdraw_it, &other));
    pthread_barrier_wait(&barrier);
    OK(livery_close(store));
    pthread_join(thread, NULL);
    EXPECT(comes(&self.destroyed, 1));
    EXPECT_INT(1, self.destroyed);
    pthread_barrier_destroy(&barrier);
  }
}

TEST("who is to be provided while the store is closed is told so, and leaves nothing open", provided_while_closing) {
  const char *path = fresh_path();
  livery_store *other = made_store(path);
  // What the process opens once, it has.
  closed_meanwhile = made_store(path);
  shower first = {.script = "w"}, self = {.script = "w"};
  provide(closed_meanwhile, "login", &first);
  close_by_a_thread();
  EXPECT_INT(1, first.destroyed);
  usleep(20000);
  int before = open_descriptors();
  closed_meanwhile = made_store(path);
  after_naming = close_by_a_thread;
  livery_prompt_functions functions = {sizeof functions, 0, show, hide};
  livery_prompt_provider *provider = NULL;
  EXPECT_STATUS(LIVERY_ERROR_CLOSED,
                livery_prompt_provide(closed_meanwhile, "login", &functions, &self, note_shower_destroyed, &provider));
  EXPECT(provider == NULL);
  EXPECT_INT(1, self.destroyed);
  EXPECT(has_descriptors(before));
  OK(livery_close(other));
}

TEST("without a descriptor for who asks, he is let in as soon as there is one, and nothing spins", no_descriptor) {
  const char *path = fresh_path();
  livery_store *store = made_store(path), *asking = made_store(path);
  shower self = {.script = "a", .answer = kinds[0].answer};
  provide(store, "login", &self);
  outcome told = {0};
  polled_again = 0;
  refusals = 2;
  ask(asking, "login", NULL, 0, &told);
  EXPECT_INT(LIVERY_PROMPT_COMPLETED, told.outcome);
  EXPECT_INT(0, refusals);
  EXPECT_INT(0, polled_again);
  OK(livery_close(asking));
  OK(livery_close(store));
}

// A call in livery_dispatch(), or in livery_close(), is on the thread that made that.
static pthread_t told_on;
static livery_prompt_request *_Atomic under_way;

static void note_thread(const livery_prompt_result *result, void *user_data) {
  told_on = pthread_self();
  note_done(result, user_data);
}

static void hear_nothing(const livery_event *events, size_t count, void *user_data) { (void)events, (void)count, (void)user_data; }

// The first of what belongs to the store has ended, and others are there still.
static void cancel_it(void *user_data) {
  (void)user_data;
  livery_prompt_request *request = atomic_exchange(&under_way, NULL);
  if (!request) return;
  // What ends the requests may have been the first.
  livery_status status = livery_prompt_request_cancel(request);
  EXPECT(status == LIVERY_OK || status == LIVERY_ERROR_CLOSED);
  usleep(20000);
}

TEST("what is to be called where the host dispatches is called by no other thread while the store is closed", dispatched_while_closing) {
  for (int round = 0; round < 5; round++) {
    livery_store *store = made_store(fresh_path());
    shower self = {.script = "w", .answer = kinds[0].answer};
    provide(store, "login", &self);
    for (int each = 0; each < 20; each++) {
      livery_watch *watch = NULL;
      OK(livery_watch_start(store, "any.*", NULL, hear_nothing, NULL, cancel_it, &watch));
    }
    outcome told = {0};
    livery_prompt_request *request = NULL;
    livery_prompt_options options = LIVERY_PROMPT_OPTIONS_INIT;
    options.flags = LIVERY_PROMPT_DISPATCH;
    OK(livery_prompt_request_start(store, "login", NULL, &options, note_thread, &told, note_destroyed, &request));
    EXPECT(comes(&self.presented, 1));
    under_way = request;
    OK(livery_close(store));
    EXPECT_INT(1, told.done);
    EXPECT_INT(1, told.destroyed);
    EXPECT(pthread_equal(told_on, pthread_self()));
  }
}
