// gdbm: a hash file that has many readers or one writer. Values as in raw_lmdb.c.
#include "workload.h"

#include <gdbm.h>
#include <sys/stat.h>

typedef struct session {
  GDBM_FILE file;
} session;

static char path_of_file[512];
static GDBM_FILE writer;
static session *main_reader;

static GDBM_FILE opened(int mode) {
  GDBM_FILE file = gdbm_open(path_of_file, 0, mode, 0600, NULL);
  if (!file) fail("gdbm", gdbm_strerror(gdbm_errno));
  return file;
}

static void put(GDBM_FILE file, const char *name, char type, const void *value, size_t length) {
  char bytes[TEXT_SIZE + 1];
  bytes[0] = type;
  memcpy(bytes + 1, value, length);
  datum place = {(char *)name, (int)strlen(name)}, data = {bytes, (int)length + 1};
  if (gdbm_store(file, place, data, GDBM_REPLACE) != 0) fail("gdbm", gdbm_db_strerror(file));
}

static void subject_open(const char *path, long count) {
  (void)count;
  snprintf(path_of_file, sizeof path_of_file, "%s/settings.gdbm", path);
}

static void subject_close(void) {
  if (writer) gdbm_close(writer);
}

static void subject_make(const char *path, long count) {
  char name[NAME_SIZE], text[TEXT_SIZE];
  mkdir(path, 0700);
  subject_open(path, count);
  GDBM_FILE file = opened(GDBM_NEWDB);
  for (long index = 0; index < count; index++) {
    bool truth = bool_value(index);
    int64_t integer = int_value(index);
    double number = double_value(index);
    setting_name(name, index);
    switch (index % TYPES) {
      case BOOL: put(file, name, 'b', &truth, sizeof truth); break;
      case INT: put(file, name, 'i', &integer, sizeof integer); break;
      case DOUBLE: put(file, name, 'd', &number, sizeof number); break;
      default:
        text_value(text, index);
        put(file, name, 's', text, strlen(text));
    }
  }
  gdbm_sync(file);
  gdbm_close(file);
}

/** A writer keeps readers out, so one gives way to the other. */
static GDBM_FILE read_from(session *reader) {
  if (!reader->file) {
    if (writer) gdbm_close(writer);
    writer = NULL;
    reader->file = opened(GDBM_READER);
  }
  return reader->file;
}

static session *session_open(void) {
  session *reader = allocated(sizeof *reader);
  read_from(reader);
  if (!main_reader) main_reader = reader;
  return reader;
}

static void session_close(session *reader) {
  if (reader->file) gdbm_close(reader->file);
  if (reader == main_reader) main_reader = NULL;
  free(reader);
}

static inline size_t read_value(session *reader, const char *name, char type, void *value, size_t size) {
  datum data = gdbm_fetch(read_from(reader), (datum){(char *)name, (int)strlen(name)});
  if (!data.dptr || data.dsize < 1 || data.dptr[0] != type || (size_t)data.dsize - 1 > size)
    fail("gdbm", "missing, or another type");
  memcpy(value, data.dptr + 1, (size_t)data.dsize - 1);
  free(data.dptr);
  return (size_t)data.dsize - 1;
}

static inline bool read_bool(session *reader, const char *name) {
  bool value = false;
  read_value(reader, name, 'b', &value, sizeof value);
  return value;
}

static inline int64_t read_int(session *reader, const char *name) {
  int64_t value = 0;
  read_value(reader, name, 'i', &value, sizeof value);
  return value;
}

static inline double read_double(session *reader, const char *name) {
  double value = 0;
  read_value(reader, name, 'd', &value, sizeof value);
  return value;
}

static inline size_t read_string(session *reader, const char *name, char *buffer, size_t size) {
  size_t length = read_value(reader, name, 's', buffer, size - 1);
  buffer[length] = 0;
  return length;
}

static void subject_commit(const char *const *names, const int64_t *values, int count) {
  if (main_reader && main_reader->file) {
    gdbm_close(main_reader->file);
    main_reader->file = NULL;
  }
  if (!writer) writer = opened(GDBM_WRITER);
  for (int index = 0; index < count; index++) put(writer, names[index], 'i', &values[index], sizeof values[index]);
  if (gdbm_sync(writer) != 0) fail("gdbm", gdbm_db_strerror(writer));
}

#include "driver.h"
