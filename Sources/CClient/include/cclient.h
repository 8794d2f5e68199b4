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

// A thread that runs functions one after another, some of them later.

typedef struct lvc_queue lvc_queue;
// `has_ended`: the queue has ended before the function's turn; it lets go of the context and does nothing else.
typedef void (*lvc_work)(void *context, bool has_ended);
// NULL if no thread can be had. The name is the thread's, and stays the caller's: at most 15 bytes.
lvc_queue *lvc_queue_make(const char *name);
// False if the queue has ended, or there is no memory: the function is not called then.
bool lvc_queue_add(lvc_queue *queue, int64_t delay_us, lvc_work function, void *context);
// What is under way goes on; what waits is let go of by the queue's own thread. Nobody is waited for.
void lvc_queue_end(lvc_queue *queue);
// What functions of a program's are waited for: those that tell an outcome, from when it is expected until it was told, and others
// while they run.
typedef enum lvc_kind { LVC_OUTCOME, LVC_CALL } lvc_kind;
void lvc_queue_count(lvc_queue *queue, lvc_kind kind, int change);
// Such a function is called between these two, on any thread; the place is the caller's, until the second has returned.
typedef struct lvc_telling {
  lvc_queue *queue;
  lvc_kind kind;
  struct lvc_telling *outer;
} lvc_telling;
void lvc_telling_begin(lvc_telling *telling, lvc_queue *queue, lvc_kind kind);
void lvc_telling_end(lvc_telling *telling);
// Waits until there are none, but for those that this thread is calling, and those of threads that wait here themselves.
void lvc_queue_wait(lvc_queue *queue, lvc_kind kind);
// Ends it, and the caller's use of it.
void lvc_queue_free(lvc_queue *queue);

// A detached thread that no signal interrupts. Whether there is one.
bool lvc_thread_start(void *(*function)(void *), void *argument);

// Has OpenSSL stay as it is when the process ends: threads of ours that speak TLS outlive main, and it is not to be taken down under
// them. To be called before the first use of a library that has loaded it; of no effect if the program has set it up before. It
// takes the loader's lock: not with one held that forks wait for.
void lvc_openssl_keep(void);

// Descriptors that a forked child closes: whoever holds one keeps its lock or its port from others, and the other side of a connection
// from hearing of its end.

// What opens one stands between these two: nobody forks meanwhile. False with ENOMEM.
bool lvc_keep_begin(void);
// The descriptor, which may be none; errno stays as it is.
int lvc_keep_end(int descriptor);
// The end of one that somebody else closes; before that, as another may have its number then.
void lvc_kept_forget(int descriptor);
// Nothing happens if it is none.
void lvc_kept_close(int descriptor);
// Whether it is one, which stays so until lvc_kept_unlock(); that follows whatever the answer is.
bool lvc_kept_lock(int descriptor);
void lvc_kept_unlock(void);

// Leases: places in a file that one process at a time holds, and loses when it dies.

typedef enum lvc_lease {
  // It is no folder of a store: there is nothing to agree on with others.
  LVC_LEASE_NONE,
  // The file cannot be had now, or by this process: another one may have it.
  LVC_LEASE_FAILED,
  LVC_LEASE_OPEN
} lvc_lease;
// Opens the file with a name in a store's folder, which is made with the owner and the mode of the store's; the descriptor is negative
// unless it is open. A forked child does not keep it.
lvc_lease lvc_lease_open(const char *folder, const char *name, int *descriptor);
void lvc_lease_close(int descriptor);
// Whether it is taken now; false while another one has it.
bool lvc_lease_take(int descriptor, uint64_t place);
// Nothing happens if the file is closed.
void lvc_lease_give(int descriptor, uint64_t place);

// Microseconds of a clock that never goes back.
int64_t lvc_now_us(void);
// A number by chance.
uint64_t lvc_random(void);

#endif
