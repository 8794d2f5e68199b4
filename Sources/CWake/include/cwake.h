// The page that all processes on a store share, livery.wake: what wakes them, and what they tell each other. All words of it
// are atomic, and each is a hint: the data file is the truth.
#ifndef CWAKE_H
#define CWAKE_H

#include "csystem.h"

// What one of the latest commits has changed, for processes that keep values: they need not look for what it did not.
enum { LVS_RECENT_COMMITS = 32, LVS_RECENT_NAMES = 11 };
typedef struct lvs_recent {
  // 0 while it is written, or if nothing can be told.
  uint64_t commit;
  uint64_t revision;
  uint32_t count;
  // Of the names whose effective values were stored or removed.
  uint32_t hashes[LVS_RECENT_NAMES];
} lvs_recent;

// A word in a small mapped file that all processes on a store share: it counts commits, and processes sleep on it.
typedef struct lvs_wake {
  uint32_t count;
  uint32_t sleepers;
  // Rises when the data file is replaced by another one.
  uint32_t generation;
  // Not 0 while the data file is being replaced.
  uint32_t replacing;
  // What the data file was when it was last known to be sound.
  uint64_t boot, device, inode, size;
  int64_t changed_ns;
  uint64_t sum;
  // The version of what this page means; a library that does not know it does without.
  uint32_t version, reserved;
  // Which file is the data file, as those know who have it open.
  uint64_t open_device, open_inode;
  // Which process has, or had last, each byte of livery.lock, for messages.
  uint32_t holders[4];
  // The last revision that was told: a file that takes a damaged one's place counts on from there. 0 for none.
  uint64_t revision;
  uint64_t unused[242];
  // A commit's place is its number modulo their count.
  lvs_recent recent[LVS_RECENT_COMMITS];
} lvs_wake;
_Static_assert(sizeof(lvs_wake) == 4096, "the file has a page");
// The last revision that a commit has told; 0 if none has.
uint64_t lvs_wake_revision(const lvs_wake *wake);
// Takes the descriptor over, and gives the file real blocks. NULL and errno on failure.
lvs_wake *lvs_wake_open(int file);
// Whether the page means what this library knows; and makes it so, with nothing noted, if it does not. To be called by the
// only process that opens the store.
bool lvs_wake_is_known(lvs_wake *wake);
void lvs_wake_reset(lvs_wake *wake);
// Puts a page of this process alone in its place, under the same address, where others share one that means something else.
// -1 and errno without memory.
int lvs_wake_part(lvs_wake *wake);
// Whether a file holds such a page, of a version that this library knows.
bool lvs_wake_is_in(int file);
// One of this process alone.
lvs_wake *lvs_wake_make(void);
void lvs_wake_close(lvs_wake *wake);
uint32_t lvs_wake_count(lvs_wake *wake);
// Counts a commit and wakes whoever sleeps.
void lvs_wake_signal(lvs_wake *wake);
uint32_t lvs_wake_generation(lvs_wake *wake);
// Marks the beginning and the end of a replacement; the end counts a generation.
void lvs_wake_begin_replacing(lvs_wake *wake);
void lvs_wake_end_replacing(lvs_wake *wake);
bool lvs_wake_is_replacing(lvs_wake *wake);
// What the processes on a store know of the clock that can be set: how far it was from the other one when it was last
// trusted, and how far it has been since when. Written by the holder of the right to write.
typedef struct lvs_clock {
  uint64_t boot;
  int64_t trusted, candidate, since;
} lvs_clock;
lvs_clock lvs_clock_read(lvs_wake *wake);
void lvs_clock_write(lvs_wake *wake, lvs_clock clock);
// Notes that a file is sound as it is, and whether it is still the one noted: not written to since, and in no other boot of
// the system, as a disk loses what memory still has. A file that was written to just now is not noted: its time may not
// tell the next write.
void lvs_wake_note(lvs_wake *wake, int folder, const char *name);
bool lvs_wake_is_noted(lvs_wake *wake, int folder, const char *name);
// Notes which file is open, for those who come later.
void lvs_wake_note_open(lvs_wake *wake, uint64_t device, uint64_t inode);
// Whether that is noted to be another file.
bool lvs_wake_is_other(lvs_wake *wake, uint64_t device, uint64_t inode);
void lvs_wake_hold(lvs_wake *wake, unsigned byte);
uint32_t lvs_wake_holder(lvs_wake *wake, unsigned byte);
// Tells what a commit has changed; to be called by its writer, while nobody else may write. More names than there is room
// for are not told.
void lvs_wake_tell(lvs_wake *wake, const lvs_recent *recent);
// Takes back all that was told: numbers of commits may come again after a failure of the system.
void lvs_wake_clear_recent(lvs_wake *wake);
// Sleeps until the count is another one, or the time is over.
void lvs_wake_wait(lvs_wake *wake, uint32_t count, uint64_t timeout_ns);
// Announces a sleeper, or that it has gone.
void lvs_wake_join(lvs_wake *wake);
void lvs_wake_leave(lvs_wake *wake);

#endif
