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

static bool is_beside(const char *file, const char *from, char program[PATH_MAX]) {
  const char *end = strrchr(file, '/');
  if (!end) return false;
  int length = snprintf(program, PATH_MAX, "%.*s/%slivery-images", (int)(end - file), file, from);
  return length > 0 && length < PATH_MAX && access(program, X_OK) == 0;
}

// The program lies beside the library as it was built, or where it is installed together with it.
static bool find_program(char program[PATH_MAX]) {
  Dl_info info;
  char self[PATH_MAX];
  ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
  if (length > 0) self[length] = 0;
  const char *library = dladdr((void *)(uintptr_t)decode_svg, &info) ? info.dli_fname : NULL;
  static const char *const places[] = {"", "../bin/", "../../bin/"};
  for (size_t index = 0; index < sizeof places / sizeof *places; index++)
    if (library && is_beside(library, places[index], program)) return true;
  return length > 0 && is_beside(self, "", program);
}

static bool start(const char *program, int input, int output, pid_t *process) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  if (posix_spawn_file_actions_init(&actions) != 0) return false;
  if (posix_spawnattr_init(&attributes) != 0) {
    posix_spawn_file_actions_destroy(&actions);
    return false;
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
  return failure == 0;
}

// Waits for the process, and ends it when it takes too long; false then. A host that ignores SIGCHLD is not told of its end
// by anything but that there is no such child any more.
static bool wait_for(pid_t process, int64_t deadline) {
  bool is_ended = false, is_killed = false;
  for (useconds_t pause = 500; !is_ended; pause = pause < 8000 ? 2 * pause : pause) {
    pid_t found = waitpid(process, NULL, is_killed ? 0 : WNOHANG);
    if (found == process || (found < 0 && errno != EINTR)) is_ended = true;
    else if (now_ms() > deadline && !is_killed) {
      kill(process, SIGKILL);
      is_killed = true;
    } else usleep(pause);
  }
  return !is_killed;
}

bool take_pixels(source *source, const uint8_t *drawn, size_t size) {
  lvi_drawn head;
  if (size < sizeof head) return refuse(source, "the SVG image cannot be drawn within the limits");
  memcpy(&head, drawn, sizeof head);
  if (head.magic != LVI_DRAWN) return refuse(source, "the SVG image cannot be drawn within the limits");
  if (head.width == 0)
    return refuse(source, "the SVG image is damaged: %.*s", (int)sizeof head.reason, head.reason);
  if (head.width > LVI_SVG_SIDE || head.height > LVI_SVG_SIDE || head.height == 0
      || size != sizeof head + (size_t)head.width * head.height * 4)
    return refuse(source, "the SVG image cannot be drawn within the limits");
  if (!tally_begin(source, head.width, head.height)) return false;
  for (uint32_t y = 0; y < head.height; y++)
    tally_rgba(source->tally, y, 0, 1, drawn + sizeof head + (size_t)y * head.width * 4, head.width);
  return true;
}

static bool draw(source *source, const char *program, int input, int output) {
  pid_t process;
  if (write(input, source->bytes, source->length) != (ssize_t)source->length || lseek(input, 0, SEEK_SET) != 0
      || !start(program, input, output, &process)) {
    source->outcome = LVI_UNAVAILABLE;
    return refuse(source, "the program that draws SVG cannot be started");
  }
  if (!wait_for(process, source->deadline)) return refuse(source, "decoding the image takes too long");
  struct stat facts;
  if (fstat(output, &facts) != 0 || facts.st_size <= 0) return take_pixels(source, NULL, 0);
  size_t size = (size_t)facts.st_size;
  void *drawn = mmap(NULL, size, PROT_READ, MAP_PRIVATE, output, 0);
  if (drawn == MAP_FAILED) {
    source->outcome = LVI_NO_MEMORY;
    return refuse(source, "there is no memory");
  }
  bool is_taken = take_pixels(source, drawn, size);
  munmap(drawn, size);
  return is_taken;
}

// A file in memory that is none of the standard streams, also where the host has closed them.
static int make_file(const char *name) {
  int file = memfd_create(name, MFD_CLOEXEC);
  if (file < 0 || file > 2) return file;
  int other = fcntl(file, F_DUPFD_CLOEXEC, 3);
  close(file);
  return other;
}

bool decode_svg(source *source) {
  char program[PATH_MAX];
  if (source->length > LVI_SVG_BYTES_MAX) return refuse(source, "the SVG image has more than %d bytes", LVI_SVG_BYTES_MAX);
  if (!find_program(program)) {
    source->outcome = LVI_UNAVAILABLE;
    return refuse(source, "the program livery-images, which draws SVG, is not beside the library");
  }
  int input = make_file("livery-svg"), output = make_file("livery-pixels");
  bool is_drawn = false;
  if (input >= 0 && output >= 0) is_drawn = draw(source, program, input, output);
  else {
    source->outcome = LVI_NO_MEMORY;
    refuse(source, "there is no memory");
  }
  if (input >= 0) close(input);
  if (output >= 0) close(output);
  return is_drawn;
}
