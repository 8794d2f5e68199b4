// A line that somebody types and nobody is to see.
#include "command.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

static struct termios shown;

// Whoever gives up typing is to see again what is typed next.
static void show_again(int signal) {
  tcsetattr(STDIN_FILENO, TCSAFLUSH, &shown);
  raise(signal);
}

// A byte at a time: what follows is left to whoever reads next, and nothing of a secret stays behind in a buffer.
static char *read_line(size_t *length) {
  size_t count = 0, size = 256;
  char *line = malloc(size);
  while (line) {
    ssize_t got = read(STDIN_FILENO, line + count, 1);
    bool is_over = got <= 0 || line[count] == '\n';
    if (got > 0 && !is_over) count++;
    if (got < 0 || (got == 0 && count == 0)) break;
    if (is_over) {
      line[count] = 0;
      *length = count;
      return line;
    }
    if (count < size) continue;
    char *larger = malloc(size * 2);
    if (larger) memcpy(larger, line, count);
    explicit_bzero(line, size);
    free(line);
    line = larger;
    size *= 2;
  }
  if (line) explicit_bzero(line, size);
  free(line);
  return NULL;
}

char *command_read_line(const char *title, bool is_hidden, size_t *length) {
  static const int endings[] = {SIGINT, SIGTERM, SIGQUIT, SIGHUP};
  enum { COUNT = sizeof endings / sizeof *endings };
  struct sigaction former[COUNT];
  bool is_terminal = isatty(STDIN_FILENO), hides = is_hidden && is_terminal && tcgetattr(STDIN_FILENO, &shown) == 0;
  if (hides) {
    struct termios quiet = shown;
    quiet.c_lflag &= ~(tcflag_t)ECHO;
    struct sigaction action = {.sa_handler = show_again, .sa_flags = SA_RESETHAND};
    for (int index = 0; index < COUNT; index++) sigaction(endings[index], &action, &former[index]);
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &quiet);
  }
  if (is_terminal || !is_hidden) fprintf(stderr, "%s: ", title);
  size_t count = 0;
  char *line = read_line(&count);
  if (hides) {
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &shown);
    for (int index = 0; index < COUNT; index++) sigaction(endings[index], &former[index], NULL);
    fputc('\n', stderr);
  }
  if (!line) return NULL;
  if (count > 0 && line[count - 1] == '\r') line[--count] = 0;
  *length = count;
  return line;
}
