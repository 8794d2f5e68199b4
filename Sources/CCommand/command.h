// What the programs of extensions share, so that `livery NOUN` takes its arguments and ends as every other command does.
#ifndef COMMAND_H
#define COMMAND_H

#include <livery.h>
#include <stdbool.h>

// The exit statuses of `livery`: `livery help` tells them.
enum { DONE = 0, OTHER = 1, USAGE = 2, MISSING = 3, INVALID = 4, REFUSED = 5, BUSY = 6, UNREADABLE = 7, SYSTEM = 8, LOSSY = 9 };

// What command_read() answers when there is something to do.
enum { GO_ON = -1 };

// An option, with one place that it is noted at.
typedef struct command_option {
  // Without the dashes.
  const char *name;
  // What it takes, as messages call it; NULL for nothing.
  const char *value;
  // True once it is given.
  bool *flag;
  // The last value that is given.
  const char **text;
  // Called for each value; NULL, or what is wrong with it, to follow the option's name: "takes a number".
  const char *(*take)(const char *value, void *user_data);
  void *user_data;
  // Whether "" says something, too.
  bool may_be_empty;
  // The first words that it is for, with spaces between them, "-" for none; NULL for all. It is refused with others.
  const char *only;
} command_option;

// Where the key of a store lies that seals its secrets: one of them, or none.
typedef struct command_key {
  const char *file, *keyring, *credential;
} command_key;

// What --help says of the options that name it; `gap` is what the other lines have beyond 21 columns.
#define COMMAND_KEY_HELP(gap) \
  "  --key-file FILE      " gap "the key of a store that seals its secrets is in a file; else $LIVERY_KEY_FILE\n" \
  "  --keyring NAME       " gap "it is in the kernel's keyring, by its description\n" \
  "  --credential NAME    " gap "it is a credential of systemd's\n"

typedef struct command {
  // "livery NOUN", and all of its help.
  const char *name, *help;
  const command_option *options;
  size_t option_count;
  // A status of the extension's own that is a failure of the system; 0 for none.
  livery_status unavailable;
  // Whether it has the options that name the key of its store, or else $LIVERY_KEY_FILE, and opens the store with it.
  bool takes_key;

  // What was given: --store or $LIVERY_STORE, --timeout or 0, --json, and the words that are no options.
  const char *store;
  uint32_t timeout_ms;
  bool is_json;
  command_key key;
  char **words;
  int count;
} command;

// Reads the arguments of main(), and moves the words that are no options to their front. Every program has --store, --timeout,
// --json, --version, --help and -h. GO_ON, or the exit status of a program that ends here.
int command_read(command *command, int count, char **arguments);

// Of a program that writes where it may, and otherwise only looks.
enum { COMMAND_OPEN_AS_MAY_BE = 1 << 30 };

// Opens the store, with the wait that was asked for, and with the key if it takes one. GO_ON, or the exit status.
int command_open(const command *command, uint32_t flags, livery_store **store);

bool command_has_key(const command *command);
// Lets the process read and write what is sealed in a store, until its handle is closed or command_drop_key().
livery_status command_take_key(const command_key *key, livery_store *store);
void command_drop_key(void);

// Each says what went wrong, and is the exit status. `what` is what it happened to, such as a file, or NULL.
int command_fail(const command *command, livery_status status, const char *what);
int command_usage(const command *command, const char *format, ...) __attribute__((format(printf, 2, 3)));
// By errno.
int command_unreadable(const command *command, const char *file);
int command_unwritable(const command *command, const char *file);

// Ends the program: SYSTEM if standard output did not take what is to be known.
int command_end(const command *command, int done);

// The whole of a file, or of standard input for "-", to be freed; a NUL follows it. NULL with errno where it cannot be read, or has
// more bytes than `most`.
char *command_read_file(const char *path, size_t most, size_t *length);

// A line of standard input without its end, to be freed; one that is hidden a terminal does not show, and whoever has it wipes it.
// NULL where there is none any more.
char *command_read_line(const char *title, bool is_hidden, size_t *length);

// Text as a string of JSON.
void command_print_text(const char *text);

int command_exit_status(const command *command, livery_status status);

#endif
