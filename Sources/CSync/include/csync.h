// What LiverySync takes of libc.
#ifndef CSYNC_H
#define CSYNC_H

#include <stdbool.h>
#include <stdint.h>

// Milliseconds since the system was started, also while it sleeps.
int64_t lvy_uptime(void);

// Wakes whoever has something to do: at a time of `lvy_uptime`, which comes also if the system has slept meanwhile; and when somebody
// has set the clock.
typedef struct lvy_alarm lvy_alarm;
typedef enum lvy_alarm_reason { LVY_ALARM_DUE = 1, LVY_ALARM_CLOCK = 2 } lvy_alarm_reason;
// With a sum of reasons, on the alarm's own thread; it waits for nothing.
typedef void (*lvy_alarm_function)(uint32_t reasons, void *context);
// NULL if there is no thread, descriptor or memory to be had.
lvy_alarm *lvy_alarm_make(lvy_alarm_function function, void *context);
// In place of the time before.
void lvy_alarm_set(lvy_alarm *alarm, int64_t uptime);
// When this returns the function is not called any more. Not on the alarm's own thread.
void lvy_alarm_free(lvy_alarm *alarm);

// What whoever takes part tells the other processes on a store: at the beginning of `sync.lock`, which it holds. It is no part of
// what is kept: times that change without anything else changing make no commit.
typedef struct lvy_note {
  // The process; 0 if it is no longer there.
  int64_t process;
  // Of the device's key, as it took part: another one has another.
  int64_t device;
  // Seconds since 1970: when the server was asked last, when it had what can be trusted, when it is asked again. 0 if never.
  int64_t asked, taken, next;
  // 0 for off, 1 for disconnected, 2 for connected.
  int64_t hints;
  // What is wrong: the word of reports, and a line. "" for nothing.
  char reason[16], message[240];
  // Why the broker of hints is not connected; "" for nothing.
  char hints_problem[160];
  // The app that documents are taken for; "" for none.
  char scope[40];
} lvy_note;

// Whether it was written.
bool lvy_note_write(int descriptor, const lvy_note *note);
bool lvy_note_is_same(const lvy_note *one, const lvy_note *other);
// Of the store in a folder. False if there is none that is whole.
bool lvy_note_read(const char *folder, lvy_note *note);
// Whether there is a file that this process cannot take part by.
bool lvy_note_is_barred(const char *folder);

// Calls a function on a thread of its own after the system has got an address or a route, for as long as the process lives; of all calls
// in a process the first one counts. Where the system forbids it nothing is ever heard.
typedef void (*lvy_network_heard)(void);
void lvy_network_watch(lvy_network_heard heard);

// The absolute path of a file, for another process to find it. False if it is longer than so many bytes with NUL.
bool lvy_absolute(const char *path, char *place, uint32_t size);

// Copies a text, cut to so many bytes with NUL.
void lvy_copy(char *place, const char *text, uint32_t size);

#endif
