// What LiveryClient takes of libc, and Swift cannot import by itself.
#ifndef CCLIENT_H
#define CCLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// A mutex. Those made with `lvc_mutex_make_global` stay for ever and are held over a fork, so that a child never inherits
// them locked: whoever holds one waits for nothing.
typedef struct lvc_mutex lvc_mutex;
lvc_mutex *lvc_mutex_make(void);
lvc_mutex *lvc_mutex_make_global(void);
void lvc_mutex_free(lvc_mutex *mutex);
void lvc_mutex_lock(lvc_mutex *mutex);
void lvc_mutex_unlock(lvc_mutex *mutex);

// Whether there is no memory but the allocator's reserve, so that nothing new may begin. Always false where memory.c of the
// device build is not linked.
bool lvc_memory_is_short(void);

// The number of this process.
int64_t lvc_process(void);

// Microseconds since 1970-01-01T00:00:00Z, of the system's clock.
int64_t lvc_realtime_us(void);

// The distance to the first NUL, or `limit` when there is none before.
size_t lvc_length(const char *text, size_t limit);

#endif
