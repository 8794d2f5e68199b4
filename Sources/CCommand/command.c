#include "command.h"

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int command_exit_status(const command *command, livery_status status) {
  if (status == command->unavailable && status != LIVERY_OK) return SYSTEM;
  switch (status) {
    case LIVERY_OK: return DONE;
    case LIVERY_ERROR_INVALID_ARGUMENT: return USAGE;
    case LIVERY_ERROR_NOT_FOUND: case LIVERY_ERROR_NO_VALUE: return MISSING;
    case LIVERY_ERROR_INVALID_VALUE: case LIVERY_ERROR_TYPE_MISMATCH: case LIVERY_ERROR_PARSE: case LIVERY_ERROR_SCHEMA_INVALID:
    case LIVERY_ERROR_SCHEMA_NEWER: case LIVERY_ERROR_MIGRATION: return INVALID;
    case LIVERY_ERROR_LOCKED: case LIVERY_ERROR_READ_ONLY: case LIVERY_ERROR_CONFLICT: return REFUSED;
    case LIVERY_ERROR_REFUSED: return REFUSED;
    case LIVERY_ERROR_BUSY: return BUSY;
    case LIVERY_ERROR_NOT_A_STORE: case LIVERY_ERROR_CORRUPT: case LIVERY_ERROR_FORMAT_NEWER: return UNREADABLE;
    case LIVERY_ERROR_PERMISSION: case LIVERY_ERROR_NO_SPACE: case LIVERY_ERROR_IO: case LIVERY_ERROR_GONE:
    case LIVERY_ERROR_NO_MEMORY: case LIVERY_ERROR_DUPLICATE: case LIVERY_ERROR_NETWORK: case LIVERY_ERROR_TIMEOUT:
    case LIVERY_ERROR_UNAVAILABLE: return SYSTEM;
    default: return OTHER;
  }
}

void command_print_text(const char *text) {
  putchar('"');
  for (; *text; text++) {
    unsigned char byte = (unsigned char)*text;
    if (byte == '"' || byte == '\\') printf("\\%c", byte);
    else if (byte < 32) printf("\\u%04x", byte);
    else putchar(byte);
  }
  putchar('"');
}

// How many bytes of a text make one character; 0 for bytes that are none.
static size_t character_length(const unsigned char *text) {
  static const struct { unsigned char mask, lead; uint32_t least; } kinds[] = {{0xE0, 0xC0, 0x80}, {0xF0, 0xE0, 0x800}, {0xF8, 0xF0, 0x10000}};
  if (*text < 0x80) return 1;
  for (size_t kind = 0; kind < 3; kind++) {
    if ((*text & kinds[kind].mask) != kinds[kind].lead) continue;
    uint32_t character = *text & (unsigned char)~kinds[kind].mask;
    for (size_t index = 1; index <= kind + 1; index++) {
      if ((text[index] & 0xC0) != 0x80) return 0;
      character = character << 6 | (text[index] & 0x3F);
    }
    bool is_character = character >= kinds[kind].least && character <= 0x10FFFF && (character < 0xD800 || character > 0xDFFF);
    return is_character ? kind + 2 : 0;
  }
  return 0;
}

// Puts U+FFFD in the place of what is cut, or is no UTF-8, and of what a terminal would do in place of showing it.
static void make_plain(char *plain, size_t size, const char *message) {
  const unsigned char *text = (const unsigned char *)message;
  size_t used = 0;
  while (*text && used + 5 < size) {
    size_t length = character_length(text);
    bool is_control = length == 1 ? *text < 32 || *text == 127 : length == 2 && *text == 0xC2 && text[1] < 0xA0;
    if (length == 0 || is_control) {
      memcpy(plain + used, "\xEF\xBF\xBD", 3);
      used += 3;
      // The rest of a character that was cut.
      if (length == 0) for (text++; (*text & 0xC0) == 0x80;) text++;
      else text += length;
      continue;
    }
    memcpy(plain + used, text, length);
    used += length;
    text += length;
  }
  plain[used] = 0;
}

// A line on standard error, and in JSON also an object.
static void tell(const command *command, const char *status, const char *told) {
  char message[6000];
  make_plain(message, sizeof message, told);
  fprintf(stderr, "%s: %s\n", command->name, message);
  if (!command->is_json) return;
  printf("{\"error\":{\"status\":\"%s\",\"message\":", status);
  command_print_text(message);
  puts("}}");
}

int command_fail(const command *command, livery_status status, const char *what) {
  const livery_error *error = livery_last_error();
  char message[2000];
  snprintf(message, sizeof message, "%s%s%s", what ? what : "", what ? ": " : "", error ? error->message : livery_status_name(status));
  tell(command, livery_status_name(status), message);
  return command_exit_status(command, status);
}

int command_usage(const command *command, const char *format, ...) {
  char message[500];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  size_t length = strlen(message);
  snprintf(message + length, sizeof message - length, "; see `%s --help`", command->name);
  tell(command, livery_status_name(LIVERY_ERROR_INVALID_ARGUMENT), message);
  return USAGE;
}

static int fail_with_file(const command *command, const char *action, const char *file) {
  bool is_missing = errno == ENOENT || errno == ENOTDIR;
  char message[2000];
  snprintf(message, sizeof message, "cannot %s %s: %s", action, file, strerror(errno));
  tell(command, livery_status_name(is_missing ? LIVERY_ERROR_NOT_FOUND : LIVERY_ERROR_IO), message);
  return is_missing ? MISSING : SYSTEM;
}

int command_unreadable(const command *command, const char *file) { return fail_with_file(command, "read", file); }
int command_unwritable(const command *command, const char *file) { return fail_with_file(command, "write", file); }

int command_end(const command *command, int done) {
  if (fflush(stdout) == 0 && !ferror(stdout)) return done;
  fprintf(stderr, "%s: standard output cannot be written to\n", command->name);
  return done == DONE ? SYSTEM : done;
}

static const char *take_timeout(const char *value, void *user_data) {
  command *command = user_data;
  unsigned long long number = strtoull(value, NULL, 10);
  if (value[strspn(value, "0123456789")] || strlen(value) > 10 || number == 0 || number > UINT32_MAX)
    return "takes milliseconds, from 1 to 4294967295";
  command->timeout_ms = (uint32_t)number;
  return NULL;
}

// A dash alone is standard input, and one before a digit or point a negative number.
static bool is_option(const char *word) {
  return word[0] == '-' && word[1] && !(word[1] >= '0' && word[1] <= '9') && word[1] != '.';
}

static const command_option *find(const command_option *options, size_t count, const char *name, size_t length) {
  for (size_t index = 0; index < count; index++)
    if (strlen(options[index].name) == length && memcmp(options[index].name, name, length) == 0) return &options[index];
  return NULL;
}

// Takes one option, and the next argument if that is its value.
static int read_option(command *command, const command_option *option, const char *inline_value, int count, char **arguments,
                       int *index) {
  if (!option->value) {
    if (inline_value) return command_usage(command, "--%s takes no value", option->name);
    *option->flag = true;
    return GO_ON;
  }
  const char *value = inline_value ? inline_value : *index + 1 < count ? arguments[++*index] : NULL;
  if (!value || (!*value && !option->may_be_empty)) return command_usage(command, "--%s needs a value: %s", option->name, option->value);
  if (option->text) *option->text = value;
  const char *problem = option->take ? option->take(value, option->user_data) : NULL;
  return problem ? command_usage(command, "--%s %s: %.80s", option->name, problem, value) : GO_ON;
}

static bool is_for(const command_option *option, const char *verb) {
  size_t length = strlen(verb);
  for (const char *word = option->only; word; word = strchr(word, ' ') ? strchr(word, ' ') + 1 : NULL)
    if (strncmp(word, verb, length) == 0 && (word[length] == ' ' || !word[length])) return true;
  return !option->only;
}

// An option of another action would be passed over without a word.
static int check_option(const command *command, const command_option *option) {
  const char *verb = command->count ? command->words[0] : "-";
  if (is_for(option, verb)) return GO_ON;
  char words[200] = "";
  size_t used = 0;
  for (const char *word = option->only; word && used + 60 < sizeof words; word = strchr(word, ' ') ? strchr(word, ' ') + 1 : NULL) {
    int length = (int)strcspn(word, " ");
    bool is_none = length == 1 && *word == '-';
    used += (size_t)snprintf(words + used, sizeof words - used, "%s`%s%s%.*s`", used ? " and " : "", command->name, is_none ? "" : " ",
                             is_none ? 0 : length, word);
  }
  return command_usage(command, "--%s is for %s", option->name, words);
}

// Known before the rest is, so that mistakes in the rest are told in the form asked for.
static bool asks_for_json(int count, char **arguments) {
  for (int index = 1; index < count && strcmp(arguments[index], "--") != 0; index++)
    if (strcmp(arguments[index], "--json") == 0) return true;
  return false;
}

bool command_has_key(const command *command) { return command->key.file || command->key.keyring || command->key.credential; }

// Where the key lies: as it is given, or in the environment.
static int find_key(command *command) {
  command_key *key = &command->key;
  if ((key->file != NULL) + (key->keyring != NULL) + (key->credential != NULL) > 1)
    return command_usage(command, "one of --key-file, --keyring and --credential");
  const char *file = getenv("LIVERY_KEY_FILE");
  if (command->takes_key && !command_has_key(command) && file && file[0]) key->file = file;
  return GO_ON;
}

// What no status tells of: a store that was brought back from a copy, say.
static void log_line(int32_t level, const char *message, void *name) {
  if (level == LIVERY_LOG_ERROR) fprintf(stderr, "%s: %s\n", (const char *)name, message);
}

int command_read(command *command, int count, char **arguments) {
  livery_set_log_handler(log_line, (void *)command->name, NULL);
  bool asks_for_help = false, asks_for_version = false, is_ended = false;
  const command_option *given[64];
  size_t given_count = 0;
  const command_option shared[] = {
    {"store", "PATH", .text = &command->store}, {"timeout", "MS", .take = take_timeout, .user_data = command},
    {"json", .flag = &command->is_json}, {"help", .flag = &asks_for_help},
    {"version", .flag = &asks_for_version},
    {"key-file", "FILE", .text = &command->key.file}, {"keyring", "NAME", .text = &command->key.keyring},
    {"credential", "NAME", .text = &command->key.credential},
  };
  const size_t shared_count = sizeof shared / sizeof *shared - (command->takes_key ? 0 : 3);
  command->store = getenv("LIVERY_STORE");
  command->is_json = asks_for_json(count, arguments);
  command->words = arguments;
  for (int index = 1; index < count; index++) {
    char *word = arguments[index];
    if (is_ended || !is_option(word)) {
      arguments[command->count++] = word;
      continue;
    }
    if (strcmp(word, "--") == 0) {
      is_ended = true;
      continue;
    }
    const char *name = strcmp(word, "-h") == 0 ? "help" : word[1] == '-' ? word + 2 : "", *equals = strchr(name, '=');
    size_t length = equals ? (size_t)(equals - name) : strlen(name);
    const command_option *option = find(shared, shared_count, name, length);
    if (!option) option = find(command->options, command->option_count, name, length);
    if (!option) return command_usage(command, "there is no option `%.40s`", word);
    int done = read_option(command, option, equals ? equals + 1 : NULL, count, arguments, &index);
    if (done != GO_ON) return done;
    if (option->only && given_count < sizeof given / sizeof *given) given[given_count++] = option;
  }
  if (asks_for_help || asks_for_version) {
    if (asks_for_help) fputs(command->help, stdout);
    else printf(command->is_json ? "\"%s%s\"\n" : "%s %s\n", command->is_json ? "" : command->name, livery_version_string());
    return command_end(command, DONE);
  }
  for (size_t index = 0; index < given_count; index++) {
    int done = check_option(command, given[index]);
    if (done != GO_ON) return done;
  }
  return find_key(command);
}

int command_open(const command *command, uint32_t flags, livery_store **store) {
  if (!command->store || !command->store[0]) return command_usage(command, "no store given: use --store PATH or set LIVERY_STORE");
  livery_open_options options = LIVERY_OPEN_OPTIONS_INIT;
  options.flags = flags == COMMAND_OPEN_AS_MAY_BE ? 0 : flags;
  if (command->timeout_ms) options.busy_timeout_ms = command->timeout_ms;
  livery_status status = livery_open(command->store, &options, store);
  if (status != LIVERY_OK && flags == COMMAND_OPEN_AS_MAY_BE) {
    options.flags = LIVERY_OPEN_READ_ONLY;
    status = livery_open(command->store, &options, store);
  }
  bool is_open = status == LIVERY_OK;
  if (is_open && command->takes_key && command_has_key(command)) status = command_take_key(&command->key, *store);
  if (status == LIVERY_OK) return GO_ON;
  int done = command_fail(command, status, NULL);
  if (is_open) livery_close(*store);
  *store = NULL;
  return done;
}
