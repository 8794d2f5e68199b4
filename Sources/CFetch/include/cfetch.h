// What LiveryFetch takes of libcurl and libc.
#ifndef CFETCH_H
#define CFETCH_H

#include <livery/fetch.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The transport by libcurl, on one thread of the process. Answers are handed to the functions of livery/fetch.h.

livery_status lvf_curl_begin(const livery_fetch_request *request, livery_fetch_exchange *exchange);
void lvf_curl_cancel(livery_fetch_exchange *exchange);

// A thread that runs functions one after another, some of them later.

typedef struct lvf_queue lvf_queue;
// `has_ended`: the queue has ended before the function's turn; it lets go of the context and does nothing else.
typedef void (*lvf_work)(void *context, bool has_ended);
// NULL if no thread can be had.
lvf_queue *lvf_queue_make(void);
// False if the queue has ended, or there is no memory: the function is not called then.
bool lvf_queue_add(lvf_queue *queue, int64_t delay_us, lvf_work function, void *context);
// What is under way goes on; what waits is let go of by the queue's own thread. Nobody is waited for.
void lvf_queue_end(lvf_queue *queue);
// What functions of a program's are waited for: those that tell an outcome, from when it is expected until it was told, and others
// while they run.
typedef enum lvf_kind { LVF_OUTCOME, LVF_CALL } lvf_kind;
void lvf_queue_count(lvf_queue *queue, lvf_kind kind, int change);
// Such a function is called between these two, on any thread; the place is the caller's, until the second has returned.
typedef struct lvf_telling {
  lvf_queue *queue;
  lvf_kind kind;
  struct lvf_telling *outer;
} lvf_telling;
void lvf_telling_begin(lvf_telling *telling, lvf_queue *queue, lvf_kind kind);
void lvf_telling_end(lvf_telling *telling);
// Waits until there are none, but for those that this thread is calling, and those of threads that wait here themselves.
void lvf_queue_wait(lvf_queue *queue, lvf_kind kind);
// Ends it, and the caller's use of it.
void lvf_queue_free(lvf_queue *queue);

// A detached thread that no signal interrupts. Whether there is one.
bool lvf_thread_start(void *(*function)(void *), void *argument);

// Leases: places in a file that one process at a time holds, and loses when it dies.

// The descriptor of the file in a folder; negative where there is none to be had. A forked child does not keep it.
int lvf_lease_open(const char *folder);
void lvf_lease_close(int descriptor);
// Whether it is taken now; false while another one has it.
bool lvf_lease_take(int descriptor, uint64_t place);
// Nothing happens if the file is closed.
void lvf_lease_give(int descriptor, uint64_t place);

// Microseconds of a clock that never goes back.
int64_t lvf_now_us(void);
// A number by chance.
uint64_t lvf_random(void);

#endif
