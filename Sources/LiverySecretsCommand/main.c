// `livery secrets`: what takes the key of a store's secrets.
#include <command.h>
#include <livery/secrets.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
  "livery secrets: the secrets of a store, sealed with a key\n"
  "\n"
  "  livery secrets key         make a key, where there is none\n"
  "  livery secrets seal        seal what lies plainly in the store; from then on it takes the key to set a secret\n"
  "  livery secrets status      how the secrets lie in the store, and which keys there are\n"
  "  livery secrets rotate      exchange the key, and seal everything anew\n"
  "  livery secrets get NAME    print a setting's value, followed by a line break\n"
  "  livery secrets set NAME    set a setting to a line of standard input, a list as JSON\n"
  "  livery secrets export      settings as JSON, with the secrets\n"
  "\n"
  "  --store PATH           the directory of the store; else $LIVERY_STORE\n"
  "  --key-file FILE        the key is in a file that nobody else may read; else $LIVERY_KEY_FILE\n"
  "  --keyring NAME         the key is in the kernel's keyring, by its description\n"
  "  --credential NAME      the key is a credential of systemd's\n"
  "  --layer LAYER          what `set` sets: user (as without it), session, recommended, enforced, bundle\n"
  "  --layers               with export: one object for each layer\n"
  "  --timeout MS           how long to wait for other writers; 5000 without it\n"
  "  --json                 print what was done as JSON\n"
  "  -h, --help             print this\n"
  "  --version              print the version\n"
  "\n"
  "Keep a copy of the key apart from the store and its backups: without it nobody reads the secrets again. A key is one\n"
  "store's: `rotate` takes the former one away, also from another store that was sealed with it.\n";

static livery_secrets_options where = LIVERY_SECRETS_OPTIONS_INIT;
static livery_layer layer = LIVERY_LAYER_USER;
static bool wants_layers;

static const char *take_layer(const char *value, void *unused) {
  (void)unused;
  static const struct {
    const char *name;
    livery_layer layer;
  } layers[] = {{"user", LIVERY_LAYER_USER}, {"session", LIVERY_LAYER_SESSION}, {"recommended", LIVERY_LAYER_RECOMMENDED},
                {"enforced", LIVERY_LAYER_ENFORCED}, {"bundle", LIVERY_LAYER_BUNDLE}};
  for (size_t index = 0; index < sizeof layers / sizeof *layers; index++) {
    if (strcmp(layers[index].name, value) != 0) continue;
    layer = layers[index].layer;
    return NULL;
  }
  return "takes user, session, recommended, enforced or bundle";
}

static const command_option options[] = {
  {"layer", "LAYER", .take = take_layer, .only = "set"},
  {"layers", .flag = &wants_layers, .only = "export"},
};

static livery_status print_report(livery_value *report, bool is_json) {
  char *text = NULL;
  livery_status status = livery_value_to_json(report, is_json ? 0 : LIVERY_JSON_PRETTY, &text, NULL);
  if (status == LIVERY_OK) puts(text);
  livery_free(text);
  livery_value_release(report);
  return status;
}

static livery_status print_status(livery_store *store, livery_secrets *secrets, bool is_json) {
  livery_value *report = NULL;
  livery_status status = secrets ? livery_secrets_status(secrets, &report) : livery_sealing(store, &report);
  return status == LIVERY_OK ? print_report(report, is_json) : status;
}

static livery_status rotate(livery_secrets *secrets, bool is_json) {
  livery_value *report = NULL, *left = NULL;
  livery_status status = livery_secrets_rotate(secrets, &report);
  if (status != LIVERY_OK) return status;
  size_t count = 0;
  if (livery_value_member(report, "unavailable", &left) == LIVERY_OK) livery_value_count(left, &count);
  livery_value_release(left);
  if (count) fprintf(stderr, "livery secrets: %zu settings are sealed with a key that is not here; the former keys stay\n", count);
  return print_report(report, is_json);
}

static livery_status print_value(livery_store *store, const char *name, bool is_json) {
  livery_value *value = NULL;
  const char *text = NULL;
  size_t length = 0;
  livery_status status = livery_get_value(store, name, &value);
  if (status != LIVERY_OK) return status;
  if (is_json || livery_value_as_string(value, &text, &length) != LIVERY_OK) return print_report(value, true);
  fwrite(text, 1, length, stdout);
  putchar('\n');
  livery_value_release(value);
  return LIVERY_OK;
}

// Whether a setting holds a list or an object, which is given as JSON.
static bool is_of_parts(livery_store *store, const char *name) {
  livery_value *told = NULL, *type = NULL;
  const char *word = "";
  size_t length = 0;
  if (livery_inspect(store, name, &told) == LIVERY_OK && livery_value_member(told, "type", &type) == LIVERY_OK)
    livery_value_as_string(type, &word, &length);
  bool found = strcmp(word, "list") == 0 || strcmp(word, "object") == 0;
  livery_value_release(type);
  livery_value_release(told);
  return found;
}

static livery_status put_json(livery_change *change, const char *name, const char *json, size_t length) {
  livery_value *value = NULL;
  livery_status status = livery_value_from_json(json, length, &value);
  if (status == LIVERY_OK) status = livery_change_set_value(change, name, value);
  livery_value_release(value);
  return status;
}

static livery_status set_line(livery_store *store, const char *name, const char *line, size_t length) {
  livery_change *change = NULL;
  livery_status status = livery_change_begin(store, layer, &change);
  if (status != LIVERY_OK) return status;
  status = livery_change_origin(change, "cli");
  if (status == LIVERY_OK)
    status = is_of_parts(store, name) ? put_json(change, name, line, length)
                                      : livery_change_set_string(change, name, line, length);
  if (status == LIVERY_OK) status = livery_change_commit(change, NULL);
  if (status != LIVERY_OK) livery_change_discard(change);
  return status;
}

// A line of standard input, which a terminal does not show.
static livery_status set_value(livery_store *store, const char *name) {
  size_t length = 0;
  char *line = command_read_line(name, true, &length);
  if (!line) {
    fputs("livery secrets: there is no line on standard input\n", stderr);
    return LIVERY_ERROR_NO_VALUE;
  }
  livery_status status = set_line(store, name, line, length);
  explicit_bzero(line, length);
  free(line);
  return status;
}

static void print_revision(livery_store *store) {
  uint64_t revision = 0;
  if (livery_revision(store, &revision) == LIVERY_OK) printf("{\"revision\":%llu}\n", (unsigned long long)revision);
}

static livery_status print_export(livery_store *store, bool is_json) {
  char *text = NULL;
  uint32_t flags = LIVERY_EXPORT_REVEAL | (wants_layers ? LIVERY_EXPORT_LAYERS : 0) | (is_json ? 0 : LIVERY_JSON_PRETTY);
  livery_status status = livery_export_json(store, flags, &text, NULL);
  if (status == LIVERY_OK) puts(text);
  livery_free(text);
  return status;
}

int main(int count, char **words) {
  command command = {.name = "livery secrets", .help = help, .options = options, .option_count = sizeof options / sizeof *options,
                     .takes_key = true};
  int done = command_read(&command, count, words);
  if (done != GO_ON) return done;
  if (command.count == 0) return command_usage(&command, "key, seal, status, rotate, get, set or export?");
  const char *verb = command.words[0];
  bool takes_name = strcmp(verb, "get") == 0 || strcmp(verb, "set") == 0;
  bool is_known = takes_name || strcmp(verb, "key") == 0 || strcmp(verb, "seal") == 0 || strcmp(verb, "status") == 0 ||
                  strcmp(verb, "rotate") == 0 || strcmp(verb, "export") == 0;
  if (!is_known) return command_usage(&command, "unknown argument %s", verb);
  if (takes_name && command.count < 2) return command_usage(&command, "which setting?");
  if (command.count > (takes_name ? 2 : 1)) return command_usage(&command, "unknown argument %s", command.words[takes_name ? 2 : 1]);
  where.file = command.key.file;
  where.keyring = command.key.keyring;
  where.credential = command.key.credential;
  // Not by command_open(): what is done here takes more than an open store.
  command.takes_key = false;
  bool is_status = strcmp(verb, "status") == 0;
  if (!command_has_key(&command) && !is_status) return command_usage(&command, "where is the key? --key-file, --keyring or --credential");
  if (strcmp(verb, "key") == 0) {
    livery_status status = livery_secrets_make_key(&where);
    if (status != LIVERY_OK) return command_fail(&command, status, NULL);
    if (command.is_json) puts("{\"made\":true}");
    return command_end(&command, DONE);
  }
  bool reads = is_status || strcmp(verb, "get") == 0 || strcmp(verb, "export") == 0;
  livery_store *store = NULL;
  done = command_open(&command, reads ? LIVERY_OPEN_READ_ONLY : 0, &store);
  if (done != GO_ON) return done;
  livery_secrets *secrets = NULL;
  livery_status status = command_has_key(&command) ? livery_secrets_open(store, &where, &secrets) : LIVERY_OK;
  if (status != LIVERY_OK) {
  } else if (is_status || strcmp(verb, "seal") == 0) {
    status = print_status(store, secrets, command.is_json);
  } else if (strcmp(verb, "rotate") == 0) {
    status = rotate(secrets, command.is_json);
  } else if (strcmp(verb, "get") == 0) {
    status = print_value(store, command.words[1], command.is_json);
  } else if (strcmp(verb, "set") == 0) {
    status = set_value(store, command.words[1]);
  } else {
    status = print_export(store, command.is_json);
  }
  if (status == LIVERY_OK && command.is_json && strcmp(verb, "set") == 0) print_revision(store);
  bool is_told = status == LIVERY_ERROR_NO_VALUE && strcmp(verb, "set") == 0;
  done = status == LIVERY_OK ? DONE : is_told ? MISSING : command_fail(&command, status, NULL);
  livery_secrets_close(secrets);
  livery_close(store);
  return command_end(&command, done);
}
