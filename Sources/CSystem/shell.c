#define _GNU_SOURCE
#include "csystem.h"

#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <sys/wait.h>

extern char **environ;

static sigset_t before;

int lvs_signals_catch(void) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGCHLD);
  // If it came ignored, children would vanish without a status.
  signal(SIGCHLD, SIG_DFL);
  if (sigprocmask(SIG_BLOCK, &set, &before) != 0) return -1;
  return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

void lvs_fill_standard_streams(void) {
  // A stream that was closed takes and gives nothing. Programs that are started inherit it, like any other stream.
  for (int descriptor = 0; descriptor < 3; descriptor++)
    if (fcntl(descriptor, F_GETFD) < 0 && errno == EBADF) open("/dev/null", descriptor == 0 ? O_WRONLY : O_RDONLY);
}

void lvs_ignore_broken_pipes(void) { signal(SIGPIPE, SIG_IGN); }

// The next signal that ends the program, or 0.
static int ending_signal(int signals) {
  struct signalfd_siginfo info;
  while (read(signals, &info, sizeof info) == (ssize_t)sizeof info) {
    if (info.ssi_signo != SIGCHLD) return (int)info.ssi_signo;
  }
  return 0;
}

int lvs_signals_wait(int signals, int descriptor) {
  for (;;) {
    struct pollfd sources[2] = {{.fd = signals, .events = POLLIN}, {.fd = descriptor, .events = POLLIN}};
    int count = poll(sources, 2, 1000);
    if (count < 0) {
      if (errno == EINTR) continue;
      return -1;
    }
    if (count == 0) return 2;
    if (sources[0].revents != 0 && ending_signal(signals) != 0) return 0;
    if (sources[1].revents != 0) return 1;
  }
}

int lvs_signals_write(int signals, int descriptor, const void *bytes, size_t count) {
  const char *next = bytes;
  while (count > 0) {
    struct pollfd sources[2] = {{.fd = signals, .events = POLLIN}, {.fd = descriptor, .events = POLLOUT}};
    if (poll(sources, 2, -1) < 0) {
      if (errno == EINTR) continue;
      return -1;
    }
    if (sources[0].revents != 0 && ending_signal(signals) != 0) return 0;
    if (sources[1].revents == 0) continue;
    // As much as a pipe has room for that takes anything.
    ssize_t written = write(descriptor, next, count < PIPE_BUF ? count : PIPE_BUF);
    if (written < 0 && errno != EINTR && errno != EAGAIN) return -1;
    if (written <= 0) continue;
    next += written;
    count -= (size_t)written;
  }
  return 1;
}

struct lvs_shell {
  char **environment;
  size_t count;
};

static bool is_of(const char *entry, const char *name) {
  size_t length = strlen(name);
  return strncmp(entry, name, length) == 0 && entry[length] == '=';
}

lvs_shell *lvs_shell_make(void) {
  lvs_shell *shell = calloc(1, sizeof *shell);
  if (shell == NULL) return NULL;
  size_t count = 0;
  while (environ[count] != NULL) count++;
  shell->environment = calloc(count + 1, sizeof *shell->environment);
  for (size_t index = 0; shell->environment != NULL && index < count; index++) {
    char *entry = strdup(environ[index]);
    if (entry != NULL) shell->environment[shell->count++] = entry;
  }
  if (shell->environment != NULL && shell->count == count) return shell;
  lvs_shell_free(shell);
  return NULL;
}

bool lvs_shell_set(lvs_shell *shell, const char *name, const char *value) {
  for (size_t index = 0; index < shell->count; index++) {
    if (!is_of(shell->environment[index], name)) continue;
    free(shell->environment[index]);
    shell->environment[index] = shell->environment[--shell->count];
    shell->environment[shell->count] = NULL;
    index--;
  }
  if (value == NULL) return true;
  char **grown = realloc(shell->environment, (shell->count + 2) * sizeof *grown);
  if (grown == NULL) return false;
  shell->environment = grown;
  if (asprintf(&grown[shell->count], "%s=%s", name, value) < 0) {
    grown[shell->count] = NULL;
    return false;
  }
  grown[++shell->count] = NULL;
  return true;
}

int lvs_shell_run(lvs_shell *shell, const char *line, int signals, bool *is_ended) {
  posix_spawnattr_t attributes;
  if ((errno = posix_spawnattr_init(&attributes)) != 0) return -1;
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  posix_spawnattr_setsigmask(&attributes, &before);
  char *arguments[] = {"sh", "-c", "--", (char *)line, NULL};
  pid_t child = 0;
  int failure = posix_spawn(&child, "/bin/sh", NULL, &attributes, arguments, shell->environment);
  posix_spawnattr_destroy(&attributes);
  if (failure != 0) {
    errno = failure;
    return -1;
  }
  for (;;) {
    int status = 0;
    pid_t ended = waitpid(child, &status, WNOHANG);
    if (ended == child) return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    if (ended < 0 && errno != EINTR) return -1;
    struct pollfd source = {.fd = signals, .events = POLLIN};
    poll(&source, 1, -1);
    int signal = ending_signal(signals);
    if (signal == 0) continue;
    *is_ended = true;
    kill(child, signal);
  }
}

void lvs_shell_free(lvs_shell *shell) {
  if (shell == NULL) return;
  for (size_t index = 0; index < shell->count; index++) free(shell->environment[index]);
  free(shell->environment);
  free(shell);
}

static bool end_file(int descriptor, const void *bytes, size_t count, bool is_lasting) {
  bool is_written = lvs_write_all(descriptor, bytes, count) >= 0 && (!is_lasting || fsync(descriptor) == 0);
  int code = errno;
  if (close(descriptor) == 0 && is_written) return true;
  if (!is_written) errno = code;
  return false;
}

static bool write_in_place(const char *path, const void *bytes, size_t count, bool is_private) {
  int descriptor = lvs_open(path, O_WRONLY | O_CREAT | O_TRUNC, is_private ? 0600 : 0666);
  if (descriptor < 0) return false;
  struct stat facts;
  // One that is there keeps its mode when it is opened.
  if (is_private && (fstat(descriptor, &facts) != 0 || (S_ISREG(facts.st_mode) && fchmod(descriptor, S_IRUSR | S_IWUSR) != 0))) {
    int code = errno;
    close(descriptor);
    errno = code;
    return false;
  }
  return end_file(descriptor, bytes, count, false);
}

// A new file beside another one; the umask counts.
static int open_beside(const char *path, char beside[PATH_MAX], mode_t mode) {
  for (int attempt = 0; attempt < 100; attempt++) {
    uint32_t number = 0;
    if (getrandom(&number, sizeof number, 0) != (ssize_t)sizeof number) number = (uint32_t)getpid() + (uint32_t)attempt;
    if (snprintf(beside, PATH_MAX, "%s.%08x", path, number) >= PATH_MAX) return errno = ENAMETOOLONG, -1;
    int file = open(beside, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
    if (file >= 0 || errno != EEXIST) return file;
  }
  return -1;
}

// Whether a file can be exchanged for another one: a link, a pipe, a file with another name or owner, or with a list of who may do
// what, stays what it is; what may not be written is not replaced either.
static bool may_be_replaced(const char *path, const struct stat *facts) {
  return S_ISREG(facts->st_mode) && facts->st_nlink == 1 && facts->st_uid == geteuid() && access(path, W_OK) == 0
         && lgetxattr(path, "system.posix_acl_access", NULL, 0) < 0;
}

bool lvs_write_file(const char *path, const void *bytes, size_t count, bool is_private) {
  struct stat facts;
  bool is_there = lstat(path, &facts) == 0, is_replaced = path[0] && (!is_there || may_be_replaced(path, &facts));
  char beside[PATH_MAX];
  int descriptor = is_replaced ? open_beside(path, beside, is_private || is_there ? 0600 : 0666) : -1;
  if (descriptor < 0) {
    bool is_barred = !is_replaced || errno == EACCES || errno == EPERM || errno == EROFS || errno == ENAMETOOLONG;
    return is_barred && write_in_place(path, bytes, count, is_private);
  }
  // Where the group cannot be kept, or a mode, the file itself stays.
  bool is_prepared = !is_there || fchown(descriptor, (uid_t)-1, facts.st_gid) == 0;
  if (is_private || is_there) is_prepared = is_prepared && fchmod(descriptor, is_private ? 0600 : facts.st_mode & 07777) == 0;
  if (!is_prepared) close(descriptor);
  if (is_prepared && end_file(descriptor, bytes, count, true) && rename(beside, path) == 0) return true;
  int code = errno;
  unlink(beside);
  errno = code;
  // Something is mounted on it.
  bool is_held = is_prepared && (code == EBUSY || code == EXDEV);
  return (!is_prepared || is_held) && write_in_place(path, bytes, count, is_private);
}
