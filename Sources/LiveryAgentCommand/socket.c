#define _GNU_SOURCE
#include "agent.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

enum { ANSWER_MAX = 16 * 1024 * 1024 };

static livery_status leave(livery_status status, const char *what, int code) {
  char message[1400];
  snprintf(message, sizeof message, "%s%s%s", what, code ? ": " : "", code ? strerror(code) : "");
  livery_error_leave(status, message);
  return status;
}

// The socket by its folder, whose path may be longer than an address can be.
static struct sockaddr_un address_in(int folder) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  snprintf(address.sun_path, sizeof address.sun_path, "/proc/self/fd/%d/agent.socket", folder);
  return address;
}

livery_status agent_socket_open(const char *config, agent_socket *made) {
  *made = (agent_socket){-1, -1, -1};
  made->folder = open(config, O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (made->folder < 0) return leave(LIVERY_ERROR_IO, "the folder of the agent's store cannot be opened", errno);
  made->lock = openat(made->folder, "agent.lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  livery_status status = LIVERY_OK;
  if (made->lock < 0) status = leave(LIVERY_ERROR_IO, "the agent's lock cannot be made", errno);
  else if (flock(made->lock, LOCK_EX | LOCK_NB) != 0)
    status = errno == EWOULDBLOCK ? leave(LIVERY_ERROR_BUSY, "another agent runs with this store: livery agent status tells of it", 0)
                                  : leave(LIVERY_ERROR_IO, "the agent's lock cannot be taken", errno);
  if (status == LIVERY_OK) {
    struct sockaddr_un address = address_in(made->folder);
    unlinkat(made->folder, "agent.socket", 0);
    made->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    // Nobody reaches it before its mode is set: there is no way in without a right to write.
    mode_t mask = umask(0177);
    bool is_made = made->listener >= 0 && bind(made->listener, (struct sockaddr *)&address, sizeof address) == 0 && listen(made->listener, 8) == 0;
    int code = errno;
    umask(mask);
    if (!is_made) status = leave(LIVERY_ERROR_IO, "the agent's socket cannot be made", code);
  }
  if (status != LIVERY_OK) {
    if (made->listener >= 0) close(made->listener);
    if (made->lock >= 0) close(made->lock);
    close(made->folder);
    *made = (agent_socket){-1, -1, -1};
  }
  return status;
}

void agent_socket_close(agent_socket *made) {
  unlinkat(made->folder, "agent.socket", 0);
  close(made->listener);
  close(made->lock);
  close(made->folder);
}

void agent_socket_answer(const agent_socket *made, const char *text, size_t length) {
  int file = accept4(made->listener, NULL, NULL, SOCK_CLOEXEC);
  if (file < 0) {
    // Whoever asks goes on to wait where there is no descriptor left, and would keep the agent busy.
    if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) poll(NULL, 0, 200);
    return;
  }
  // Who does not read does not hold the agent up.
  struct timeval patience = {.tv_sec = 1};
  setsockopt(file, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  for (size_t sent = 0; sent < length;) {
    ssize_t part = send(file, text + sent, length - sent, MSG_NOSIGNAL);
    if (part <= 0) break;
    sent += (size_t)part;
  }
  close(file);
}

livery_status agent_socket_ask(const char *config, char **answer) {
  int folder = open(config, O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return leave(errno == ENOENT ? LIVERY_ERROR_NOT_FOUND : LIVERY_ERROR_IO, "the folder of the agent's store cannot be opened", errno);
  struct sockaddr_un address = address_in(folder);
  int file = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  struct timeval patience = {.tv_sec = 10};
  if (file >= 0) setsockopt(file, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  bool is_there = file >= 0 && connect(file, (struct sockaddr *)&address, sizeof address) == 0;
  int code = errno;
  close(folder);
  char *text = NULL;
  size_t length = 0, capacity = 0;
  livery_status status = LIVERY_OK;
  if (!is_there) {
    bool is_missing = code == ENOENT || code == ECONNREFUSED;
    status = is_missing ? leave(LIVERY_ERROR_NOT_FOUND, "no agent runs with this store", 0)
                        : leave(code == EACCES ? LIVERY_ERROR_PERMISSION : LIVERY_ERROR_IO, "the agent cannot be asked", code);
  }
  while (status == LIVERY_OK) {
    if (capacity - length < 4096) {
      char *larger = capacity < ANSWER_MAX ? realloc(text, capacity + 65536) : NULL;
      if (!larger) {
        status = leave(LIVERY_ERROR_NO_MEMORY, "there is no memory for the agent's answer", 0);
        break;
      }
      text = larger;
      capacity += 65536;
    }
    ssize_t part = recv(file, text + length, capacity - length - 1, 0);
    if (part < 0 && errno == EINTR) continue;
    if (part < 0) status = leave(LIVERY_ERROR_TIMEOUT, "the agent does not answer", errno);
    if (part <= 0) break;
    length += (size_t)part;
  }
  if (file >= 0) close(file);
  if (status == LIVERY_OK && length == 0) status = leave(LIVERY_ERROR_TIMEOUT, "the agent does not answer", 0);
  if (status != LIVERY_OK) {
    free(text);
    return status;
  }
  text[length] = 0;
  *answer = text;
  return LIVERY_OK;
}
