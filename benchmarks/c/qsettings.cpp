// QSettings in its INI format.
#include "workload.h"

#include <QSettings>
#include <QVariant>

typedef QSettings session;

static QString file;

static session *session_open() { return new QSettings(file, QSettings::IniFormat); }
static void session_close(session *settings) { delete settings; }
static void subject_close() {}

static void subject_open(const char *path, long) { file = QString::fromUtf8(path) + "/settings.ini"; }

static void synchronize(session *settings) {
  settings->sync();
  if (settings->status() != QSettings::NoError) fail("qsettings", "cannot write");
}

static void subject_make(const char *path, long count) {
  char name[NAME_SIZE], text[TEXT_SIZE];
  subject_open(path, count);
  session *settings = session_open();
  for (long index = 0; index < count; index++) {
    setting_name(name, index);
    switch (index % TYPES) {
      case BOOL: settings->setValue(name, bool_value(index)); break;
      case INT: settings->setValue(name, qlonglong(int_value(index))); break;
      case DOUBLE: settings->setValue(name, double_value(index)); break;
      default:
        text_value(text, index);
        settings->setValue(name, QString::fromUtf8(text));
    }
  }
  synchronize(settings);
  session_close(settings);
}

static inline bool read_bool(session *settings, const char *name) { return settings->value(name).toBool(); }
static inline int64_t read_int(session *settings, const char *name) { return settings->value(name).toLongLong(); }
static inline double read_double(session *settings, const char *name) { return settings->value(name).toDouble(); }

static inline size_t read_string(session *settings, const char *name, char *buffer, size_t size) {
  QByteArray text = settings->value(name).toString().toUtf8();
  size_t length = size_t(text.size());
  if (length < size) memcpy(buffer, text.constData(), length + 1);
  return length;
}

static void subject_commit(const char *const *names, const int64_t *values, int count) {
  static session *writer = session_open();
  for (int index = 0; index < count; index++) writer->setValue(names[index], qlonglong(values[index]));
  synchronize(writer);
}

#include "driver.h"
