// GSettings on dconf: a schema for each group of settings, and a value for each setting in the user's database. The
// environment says where the schemas and the database are, and which bus the service is on.
#define NAME_SEPARATOR "/"
#include "workload.h"

#include <errno.h>
#include <gio/gio.h>
#include <sys/stat.h>

typedef struct session {
  GSettings *root;
  GSettings **groups;
} session;

static long group_count;
static session *writer, *batch_writer;

static session *session_open(void) {
  session *opened = allocated(sizeof *opened);
  opened->root = g_settings_new("bench");
  opened->groups = allocated((size_t)group_count * sizeof(GSettings *));
  return opened;
}

static void session_close(session *opened) {
  for (long index = 0; index < group_count; index++)
    if (opened->groups[index]) g_object_unref(opened->groups[index]);
  g_object_unref(opened->root);
  free(opened->groups);
  free(opened);
}

static void subject_open(const char *path, long count) {
  (void)path;
  group_count = (count + 99) / 100;
}

static void subject_close(void) {
  if (writer) session_close(writer);
  if (batch_writer) session_close(batch_writer);
}

/** The group's object, which a program would have at hand, and the name in the group. */
static inline GSettings *group_of(session *session, const char **name) {
  long number = 0;
  const char *next = *name + strlen("group");
  while (*next != '/') number = number * 10 + (*next++ - '0');
  if (!session->groups[number]) {
    char *group = g_strndup(*name, (gsize)(next - *name));
    session->groups[number] = g_settings_get_child(session->root, group);
    g_free(group);
  }
  *name = next + 1;
  return session->groups[number];
}

static FILE *created(const char *directory, const char *name) {
  char *path = g_build_filename(directory, name, NULL);
  g_mkdir_with_parents(directory, 0700);
  FILE *file = fopen(path, "w");
  if (!file) fail(path, strerror(errno));
  g_free(path);
  return file;
}

static void run(const char *program, const char *first, const char *second, const char *third) {
  const char *arguments[] = {program, first, second, third, NULL};
  int status = 1;
  GError *error = NULL;
  if (!g_spawn_sync(NULL, (char **)arguments, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL, NULL, &status, &error)
      || status != 0)
    fail(program, error ? error->message : "failed");
}

/** The user's database is compiled at once: by way of the service so many values take minutes. */
static void subject_make(const char *path, long count) {
  static const char *const types[TYPES] = {"s", "b", "x", "d", "s", "s"};
  static const char *const defaults[TYPES] = {"''", "false", "0", "0.0", "''", "''"};
  char name[NAME_SIZE], text[TEXT_SIZE];
  char *schemas = g_build_filename(path, "schemas", NULL), *values = g_build_filename(path, "values", NULL);
  char *database = g_build_filename(path, "config", "dconf", NULL);
  FILE *schema = created(schemas, "bench.gschema.xml"), *keys = created(values, "bench");
  fputs("<schemalist>\n", schema);
  for (long index = 0; index < count; index++) {
    int type = (int)(index % TYPES);
    if (index % 100 == 0) {
      fprintf(schema, "%s<schema id=\"bench.group%ld\" path=\"/bench/group%ld/\">\n", index ? "</schema>\n" : "",
              index / 100, index / 100);
      fprintf(keys, "[bench/group%ld]\n", index / 100);
    }
    fprintf(schema, "<key name=\"setting%ld\" type=\"%s\"><default>%s</default></key>\n", index, types[type],
            defaults[type]);
    snprintf(name, sizeof name, "setting%u", (unsigned)index);
    switch (type) {
      case BOOL: fprintf(keys, "%s=%s\n", name, bool_value(index) ? "true" : "false"); break;
      case INT: fprintf(keys, "%s=int64 %lld\n", name, (long long)int_value(index)); break;
      case DOUBLE: fprintf(keys, "%s=%.2f\n", name, double_value(index)); break;
      default:
        text_value(text, index);
        fprintf(keys, "%s='%s'\n", name, text);
    }
  }
  fputs("</schema>\n<schema id=\"bench\" path=\"/bench/\">\n", schema);
  for (long group = 0; group * 100 < count; group++)
    fprintf(schema, "<child name=\"group%ld\" schema=\"bench.group%ld\"/>\n", group, group);
  fputs("</schema></schemalist>\n", schema);
  if (fclose(schema) != 0 || fclose(keys) != 0) fail(path, strerror(errno));
  run("glib-compile-schemas", schemas, NULL, NULL);
  g_mkdir_with_parents(database, 0700);
  char *file = g_build_filename(database, "user", NULL);
  run("dconf", "compile", file, values);
  g_free(schemas), g_free(values), g_free(database), g_free(file);
}

static inline bool read_bool(session *session, const char *name) {
  GSettings *group = group_of(session, &name);
  return g_settings_get_boolean(group, name);
}

static inline int64_t read_int(session *session, const char *name) {
  GSettings *group = group_of(session, &name);
  return g_settings_get_int64(group, name);
}

static inline double read_double(session *session, const char *name) {
  GSettings *group = group_of(session, &name);
  return g_settings_get_double(group, name);
}

static inline size_t read_string(session *session, const char *name, char *buffer, size_t size) {
  GSettings *group = group_of(session, &name);
  char *text = g_settings_get_string(group, name);
  size_t length = strlen(text);
  if (length < size) memcpy(buffer, text, length + 1);
  g_free(text);
  return length;
}

static void set(session *session, const char *name, int64_t value) {
  GSettings *group = group_of(session, &name);
  g_settings_set_int64(group, name, value);
}

static void subject_commit(const char *const *names, const int64_t *values, int count) {
  if (count == 1) {
    if (!writer) writer = session_open();
    set(writer, names[0], values[0]);
  } else {
    if (!batch_writer) {
      batch_writer = session_open();
      // The groups inherit it.
      g_settings_delay(batch_writer->root);
    }
    for (int index = 0; index < count; index++) set(batch_writer, names[index], values[index]);
    g_settings_apply(batch_writer->root);
  }
  g_settings_sync();
}

#include "driver.h"
