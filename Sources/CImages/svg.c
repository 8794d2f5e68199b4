// SVG is drawn by a process of its own, the program livery-images: whatever a document does to it ends with it.
#define _GNU_SOURCE
#include "images.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

// The program in a folder, of which so many bytes are the path.
static bool is_in(const char *folder, size_t length, const char *below, char program[PATH_MAX]) {
  int written = snprintf(program, PATH_MAX, "%.*s/%slivery-images", (int)length, folder, below);
  return written > 0 && written < PATH_MAX && access(program, X_OK) == 0;
}

static bool is_beside(const char *file, const char *below, char program[PATH_MAX]) {
  const char *end = strrchr(file, '/');
  return end && is_in(file, (size_t)(end - file), below, program);
}

// Where shells look for programs; not in folders that depend on where the host is.
static bool is_in_path(char program[PATH_MAX]) {
  const char *folder = secure_getenv("PATH");
  while (folder && *folder) {
    size_t length = strcspn(folder, ":");
    if (*folder == '/' && is_in(folder, length, "", program)) return true;
    folder += length + (folder[length] == ':');
  }
  return false;
}

// The program lies beside the library as it was built, or where it is installed together with it: beneath the same prefix, or
// wherever else programs are.
static bool find_program(char program[PATH_MAX]) {
  Dl_info info;
  char self[PATH_MAX];
  ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
  if (length > 0) self[length] = 0;
  const char *library = dladdr((void *)(uintptr_t)decode_svg, &info) ? info.dli_fname : NULL;
  static const char *const places[] = {"", "../bin/", "../../bin/", "../../../bin/"};
  for (size_t index = 0; index < sizeof places / sizeof *places; index++)
    if (library && is_beside(library, places[index], program)) return true;
  return (length > 0 && is_beside(self, "", program)) || is_in_path(program);
}

// 0, or the number of the error.
static int start(const char *program, int input, int output, pid_t *process) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  if (posix_spawn_file_actions_init(&actions) != 0) return ENOMEM;
  if (posix_spawnattr_init(&attributes) != 0) {
    posix_spawn_file_actions_destroy(&actions);
    return ENOMEM;
  }
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  bool is_set = posix_spawn_file_actions_adddup2(&actions, input, 0) == 0
                && posix_spawn_file_actions_adddup2(&actions, output, 1) == 0
                && posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0) == 0;
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 34)
  is_set = is_set && posix_spawn_file_actions_addclosefrom_np(&actions, 3) == 0;
#endif
  char *arguments[] = {(char *)(uintptr_t)program, (char *)(uintptr_t)LVI_DRAW_SVG, NULL};
  int failure = is_set ? posix_spawn(process, program, &actions, &attributes, arguments, environ) : ENOMEM;
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return failure;
}

// How the process has ended.
typedef enum ending { ENDED_WELL, ENDED_BADLY, ENDED_BY_DOCUMENT, ENDED_LATE, ENDED_UNKNOWN } ending;

static ending ending_of(int status) {
  if (WIFEXITED(status)) return WEXITSTATUS(status) == 0 ? ENDED_WELL : ENDED_BADLY;
  switch (WTERMSIG(status)) {
    case SIGXCPU: return ENDED_LATE;
    // What a library does to its own process. All else was done to it: by the kernel, for want of memory, or by somebody.
    case SIGABRT: case SIGBUS: case SIGFPE: case SIGILL: case SIGSEGV: case SIGSYS: case SIGTRAP: case SIGXFSZ: return ENDED_BY_DOCUMENT;
    default: return ENDED_BADLY;
  }
}

// Waits for the process, and ends it when it takes too long. A host that ignores SIGCHLD is not told how it ended, but only that
// there is no such child any more.
static ending wait_for(pid_t process, int64_t deadline) {
  bool is_killed = false;
  for (useconds_t pause = 500;; pause = pause < 8000 ? 2 * pause : pause) {
    int status = 0;
    pid_t found = waitpid(process, &status, is_killed ? 0 : WNOHANG);
    if (found == process || (found < 0 && errno != EINTR)) return is_killed ? ENDED_LATE : found < 0 ? ENDED_UNKNOWN : ending_of(status);
    if (now_ms() > deadline && !is_killed) {
      kill(process, SIGKILL);
      is_killed = true;
    } else usleep(pause);
  }
}

static const char beyond_limits[] = "the SVG image cannot be drawn within the limits";

bool take_pixels(source *source, const uint8_t *drawn, size_t size) {
  lvi_drawn head = {0};
  if (size >= sizeof head) memcpy(&head, drawn, sizeof head);
  if (head.magic != LVI_DRAWN) return fail_for_now(source, LVI_UNAVAILABLE, "the program that draws SVG drew nothing");
  if (head.width == 0 && head.reason[0])
    return refuse(source, "the SVG image is damaged: %.*s", (int)sizeof head.reason, head.reason);
  if (head.width > LVI_SVG_SIDE || head.height > LVI_SVG_SIDE || head.width == 0 || head.height == 0
      || size != sizeof head + (size_t)head.width * head.height * 4)
    return refuse(source, beyond_limits);
  if (!tally_begin(source, head.width, head.height)) return false;
  for (uint32_t y = 0; y < head.height; y++)
    tally_rgba(source->tally, y, 0, 1, drawn + sizeof head + (size_t)y * head.width * 4, head.width);
  return true;
}

// Takes a copy of what was written: the process may have made a child that still writes.
static bool take_file(source *source, int output) {
  enum { MOST = sizeof(lvi_drawn) + 4 * LVI_SVG_SIDE * LVI_SVG_SIDE };
  struct stat facts;
  if (fstat(output, &facts) != 0 || facts.st_size > MOST) return refuse(source, beyond_limits);
  size_t size = 0, wanted = (size_t)facts.st_size;
  uint8_t *drawn = malloc(wanted + 1);
  if (!drawn) return fail_for_memory(source);
  for (ssize_t count = 1; size < wanted && count > 0; size += (size_t)count) {
    count = pread(output, drawn + size, wanted - size, (off_t)size);
    if (count < 0) break;
  }
  bool is_taken = take_pixels(source, drawn, size);
  free(drawn);
  return is_taken;
}

static bool has_begun(int output) {
  uint32_t magic = 0;
  return pread(output, &magic, sizeof magic, 0) == sizeof magic && magic == LVI_DRAWN;
}

static bool draw(source *source, const char *program, int input, int output) {
  pid_t process;
  int failure;
  errno = 0;
  if (pwrite(input, source->bytes, source->length, 0) != (ssize_t)source->length) failure = errno ? errno : ENOSPC;
  else failure = start(program, input, output, &process);
  if (failure)
    return fail_for_now(source, LVI_UNAVAILABLE, "the program that draws SVG cannot be started: %s", strerror(failure));
  switch (wait_for(process, source->deadline)) {
    case ENDED_LATE: return fail_for_time(source);
    case ENDED_BADLY: return fail_for_now(source, LVI_UNAVAILABLE, "the program that draws SVG has failed, or was ended");
    case ENDED_BY_DOCUMENT: return has_begun(output) ? refuse(source, beyond_limits) : take_pixels(source, NULL, 0);
    default: return take_file(source, output);
  }
}

// A file in memory that is none of the standard streams, also where the host has closed them.
static int make_file(const char *name) {
  int file = memfd_create(name, MFD_CLOEXEC);
  if (file < 0 || file > 2) return file;
  int other = fcntl(file, F_DUPFD_CLOEXEC, 3), failure = errno;
  close(file);
  errno = failure;
  return other;
}

static bool draw_with_files(source *source, const char *program) {
  int input = make_file("livery-svg"), output = input < 0 ? -1 : make_file("livery-pixels"), failure = errno;
  bool is_drawn = false;
  if (output >= 0) is_drawn = draw(source, program, input, output);
  else if (failure == ENOMEM) fail_for_memory(source);
  else fail_for_now(source, LVI_UNAVAILABLE, "there are no files to draw SVG with: %s", strerror(failure));
  if (input >= 0) close(input);
  if (output >= 0) close(output);
  return is_drawn;
}

bool decode_svg(source *source) {
  char program[PATH_MAX];
  if (source->length > LVI_SVG_BYTES_MAX) return refuse(source, "the SVG image has more than %d MiB", LVI_SVG_BYTES_MAX >> 20);
  if (!find_program(program))
    return fail_for_now(source, LVI_UNAVAILABLE, "the program livery-images, which draws SVG, is not beside the library");
  return draw_with_files(source, program);
}
