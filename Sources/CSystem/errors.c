#define _GNU_SOURCE
#include "csystem.h"

// The thread's last error

// Thread-specific data rather than _Thread_local: that would need the dynamic loader by name, and the surplus of static
// TLS that a library loaded at run time gets is smaller than a message.
typedef struct thread_error {
  lvs_error error;
  bool has_setting;
  lvs_error_view view;
} thread_error;

static pthread_once_t thread_error_once = PTHREAD_ONCE_INIT;
static pthread_key_t thread_error_key;
static bool thread_error_has_key;

static void make_thread_error_key(void) { thread_error_has_key = pthread_key_create(&thread_error_key, free) == 0; }

// A thread that ends after the library was unloaded must not call into it.
__attribute__((destructor)) static void drop_thread_error_key(void) {
  if (thread_error_has_key) pthread_key_delete(thread_error_key);
}

static thread_error *own_thread_error(void) {
  // Shared by threads only when there is no memory left for one of their own.
  static thread_error last_resort;
  pthread_once(&thread_error_once, make_thread_error_key);
  if (!thread_error_has_key) return &last_resort;
  thread_error *own = pthread_getspecific(thread_error_key);
  if (own) return own;
  own = calloc(1, sizeof *own);
  if (!own) return &last_resort;
  if (pthread_setspecific(thread_error_key, own) != 0) {
    free(own);
    return &last_resort;
  }
  return own;
}

static void keep_line(char *buffer, size_t size, const char *text, size_t length) {
  size_t count = length < size ? length : size - 1;
  if (count < length)
    while (count > 0 && ((unsigned char)text[count] & 0xC0) == 0x80) count--;
  for (size_t i = 0; i < count; i++) {
    unsigned char c = (unsigned char)text[i];
    buffer[i] = c < 0x20 || c == 0x7F ? ' ' : text[i];
  }
  buffer[count] = 0;
}

void lvs_thread_error_set(int32_t status, int32_t system_error, uint32_t line, uint32_t column, const void *message,
                          size_t message_length, bool has_setting, const void *setting, size_t setting_length) {
  thread_error *own = own_thread_error();
  lvs_error *error = &own->error;
  error->status = status;
  error->system_error = system_error;
  error->line = line;
  error->column = column;
  keep_line(error->message, sizeof error->message, message, message_length);
  keep_line(error->setting, sizeof error->setting, setting, setting_length);
  own->has_setting = has_setting;
}

const lvs_error_view *lvs_thread_error_view(void) {
  thread_error *own = own_thread_error();
  lvs_error *error = &own->error;
  own->view = (lvs_error_view){
      .struct_size = sizeof own->view,
      .status = error->status,
      .system_error = error->system_error,
      .message = error->message,
      .setting = own->has_setting ? error->setting : NULL,
      .line = error->line,
      .column = error->column,
  };
  return &own->view;
}
