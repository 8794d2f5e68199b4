// A line that somebody types and nobody is to see.
#include "command.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <termios.h>
#include <unistd.h>

static struct termios shown;

// Whoever gives up typing is to see again what is typed next.
static void show_again(int signal) {
  tcsetattr(STDIN_FILENO, TCSAFLUSH, &shown);
  raise(signal);
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
  char *line = NULL;
  size_t size = 0;
  ssize_t count = getline(&line, &size, stdin);
  if (hides) {
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &shown);
    for (int index = 0; index < COUNT; index++) sigaction(endings[index], &former[index], NULL);
    fputc('\n', stderr);
  }
  if (count < 0) {
    free(line);
    return NULL;
  }
  if (count > 0 && line[count - 1] == '\n') line[--count] = 0;
  if (count > 0 && line[count - 1] == '\r') line[--count] = 0;
  *length = (size_t)count;
  return line;
}
