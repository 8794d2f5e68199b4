// How long a change takes from one process to another by way of GSettings and dconf, as in notify.c: from the moment
// when the service has put the new file in place until the callback runs. Prints "callback_p50 NANOSECONDS" and
// "callback_p99 NANOSECONDS".
//
//     gsettings_notify BOARD COMMITS      BOARD: a file, which the service stamps (dconf_stamp.c)
#define NAME_SEPARATOR "/"
#include "workload.h"
#include "dconf_stamp.h"

#include <gio/gio.h>
#include <signal.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;
static const char *const setting = "setting2";
static board *shared;

static void changed(GSettings *settings, const char *name, void *unused) {
  int64_t at = now();
  (void)unused;
  int64_t value = g_settings_get_int64(settings, name);
  __atomic_store_n(&shared->seen_at, at, __ATOMIC_RELAXED);
  __atomic_store_n(&shared->seen, value, __ATOMIC_RELEASE);
}

static void watch(void) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  GSettings *settings = g_settings_new("bench.group0");
  g_signal_connect(settings, "changed::setting2", G_CALLBACK(changed), NULL);
  // Signals come for what has been read.
  __atomic_store_n(&shared->seen, g_settings_get_int64(settings, setting), __ATOMIC_RELEASE);
  g_main_loop_run(g_main_loop_new(NULL, FALSE));
}

static void wait_for(int64_t value) {
  for (int64_t end = now() + 5000000000; __atomic_load_n(&shared->seen, __ATOMIC_ACQUIRE) != value; usleep(20))
    if (now() > end) fail("notify", "nothing came within 5 s");
  usleep(300);
}

static int by_size(const void *left, const void *right) {
  int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
  return a < b ? -1 : a > b;
}

int main(int argc, char **argv) {
  if (argc < 3) return 2;
  shared = board_at(argv[1]);
  if (!shared) fail(argv[1], "cannot map it");
  if (argc == 4) watch();
  int count = atoi(argv[2]);
  int64_t *times = allocated((size_t)count * sizeof *times);
  char *watcher[] = {argv[0], argv[1], argv[2], (char *)"watch", NULL};
  pid_t child;
  GSettings *settings = g_settings_new("bench.group0");
  int64_t first = g_settings_get_int64(settings, setting);
  shared->seen = -1;
  if (count < 1 || posix_spawn(&child, "/proc/self/exe", NULL, NULL, watcher, environ) != 0) fail("spawn", NULL);
  wait_for(first);
  for (int index = -10; index < count; index++) {
    int64_t value = first + index + 1000;
    g_settings_set_int64(settings, setting, value);
    g_settings_sync();
    wait_for(value);
    if (index >= 0) times[index] = shared->seen_at - __atomic_load_n(&shared->renamed_at, __ATOMIC_ACQUIRE);
  }
  kill(child, SIGKILL);
  waitpid(child, NULL, 0);
  if (shared->renamed_at == 0) fail("notify", "the service has stamped nothing");
  qsort(times, (size_t)count, sizeof *times, by_size);
  printf("callback_p50 %lld\ncallback_p99 %lld\n", (long long)times[(count - 1) / 2],
         (long long)times[(count - 1) * 99 / 100]);
  return 0;
}
