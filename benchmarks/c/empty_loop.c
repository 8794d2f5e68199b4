// No store: what the loops cost by themselves, and what a second thread can gain on this machine.
#include "workload.h"

#define UNCHECKED
#define HAS_KEYS
typedef int session;
typedef const char *key;

static session only;

static void subject_make(const char *path, long count) { (void)path, (void)count; }
static void subject_open(const char *path, long count) { (void)path, (void)count; }
static void subject_close(void) {}
static session *session_open(void) { return &only; }
static void session_close(session *reader) { (void)reader; }
static key key_open(session *reader, const char *name) { return (void)reader, name; }

/** A call that returns at once. */
static __attribute__((noinline)) int64_t nothing(const void *place) {
  __asm__ volatile("" : : "r"(place));
  return 0;
}

static inline bool read_bool(session *reader, const char *name) { return (void)reader, nothing(name) != 0; }
static inline int64_t read_int(session *reader, const char *name) { return (void)reader, nothing(name); }
static inline double read_double(session *reader, const char *name) { return (void)reader, (double)nothing(name); }
static inline bool read_bool_key(key key) { return nothing(key) != 0; }
static inline int64_t read_int_key(key key) { return nothing(key); }
static inline double read_double_key(key key) { return (double)nothing(key); }

static inline size_t read_string(session *reader, const char *name, char *buffer, size_t size) {
  (void)reader, (void)buffer, (void)size;
  return (size_t)nothing(name);
}

static void subject_commit(const char *const *names, const int64_t *values, int count) {
  (void)names, (void)values, (void)count;
}

#include "driver.h"
