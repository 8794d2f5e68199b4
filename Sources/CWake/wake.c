// The page that the processes on a store share.
#define _GNU_SOURCE
#include "cwake.h"

#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>

enum { WAKE_VERSION = 1 };

// Takes the descriptor over.
lvs_wake *lvs_wake_open(int file) {
  lvs_wake *wake = lvs_reserve(file, sizeof(lvs_wake)) == 0 ? lvs_page_map(file) : NULL;
  int failure = errno;
  close(file);
  errno = failure;
  return wake;
}

bool lvs_wake_is_known(lvs_wake *wake) { return __atomic_load_n(&wake->version, __ATOMIC_ACQUIRE) == WAKE_VERSION; }

void lvs_wake_reset(lvs_wake *wake) {
  if (lvs_wake_is_known(wake)) return;
  uint32_t generation = wake->generation;
  memset(wake, 0, sizeof *wake);
  wake->generation = generation;
  __atomic_store_n(&wake->version, WAKE_VERSION, __ATOMIC_RELEASE);
}

bool lvs_wake_is_in(int file) {
  struct stat facts;
  uint32_t version = 0;
  lvs_read_at(file, &version, sizeof version, offsetof(lvs_wake, version));
  return fstat(file, &facts) == 0 && facts.st_size == sizeof(lvs_wake) && version == WAKE_VERSION;
}

static lvs_wake *make_at(void *address, int fixed) {
  lvs_wake *wake = mmap(address, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | fixed, -1, 0);
  if (wake == MAP_FAILED) return NULL;
  lvs_wake_reset(wake);
  return wake;
}

lvs_wake *lvs_wake_make(void) { return make_at(NULL, 0); }
int lvs_wake_part(lvs_wake *wake) { return make_at(wake, MAP_FIXED) ? 0 : -1; }

void lvs_wake_close(lvs_wake *wake) { lvs_page_unmap(wake); }
uint32_t lvs_wake_count(lvs_wake *wake) { return __atomic_load_n(&wake->count, __ATOMIC_SEQ_CST); }
void lvs_wake_join(lvs_wake *wake) { __atomic_fetch_add(&wake->sleepers, 1, __ATOMIC_SEQ_CST); }
void lvs_wake_leave(lvs_wake *wake) { __atomic_fetch_sub(&wake->sleepers, 1, __ATOMIC_SEQ_CST); }

uint32_t lvs_wake_generation(lvs_wake *wake) { return __atomic_load_n(&wake->generation, __ATOMIC_ACQUIRE); }
void lvs_wake_begin_replacing(lvs_wake *wake) { __atomic_store_n(&wake->replacing, 1, __ATOMIC_SEQ_CST); }
bool lvs_wake_is_replacing(lvs_wake *wake) { return __atomic_load_n(&wake->replacing, __ATOMIC_SEQ_CST) != 0; }

void lvs_wake_end_replacing(lvs_wake *wake) {
  __atomic_fetch_add(&wake->generation, 1, __ATOMIC_SEQ_CST);
  __atomic_store_n(&wake->replacing, 0, __ATOMIC_SEQ_CST);
}

static int64_t nanoseconds(struct timespec time) { return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec; }

static uint64_t sum_of(const lvs_wake *note) {
  uint64_t sum = 0x9E3779B97F4A7C15u;
  const uint64_t parts[] = {note->boot, note->device, note->inode, note->size, (uint64_t)note->changed_ns};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) sum = (sum ^ parts[i]) * 0xBF58476D1CE4E5B9u + (sum >> 29);
  return sum;
}

static bool describe(lvs_wake *note, int folder, const char *name) {
  struct stat found;
  if (fstatat(folder, name, &found, AT_SYMLINK_NOFOLLOW) != 0) return false;
  note->device = found.st_dev;
  note->inode = found.st_ino;
  note->size = (uint64_t)found.st_size;
  note->changed_ns = nanoseconds(found.st_ctim);
  return true;
}

void lvs_wake_note(lvs_wake *wake, int folder, const char *name) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  lvs_wake note = {.boot = lvs_boot_number()};
  wake->sum = 0;
  if (note.boot == LVS_BOOT_UNKNOWN || !describe(&note, folder, name)) return;
  // Nobody has looked at another file that lies there now.
  if (note.device != wake->open_device || note.inode != wake->open_inode) return;
  int64_t age = nanoseconds(now) - note.changed_ns;
  if (age < 20000000) return;
  wake->boot = note.boot;
  wake->device = note.device;
  wake->inode = note.inode;
  wake->size = note.size;
  wake->changed_ns = note.changed_ns;
  wake->sum = sum_of(&note);
}

bool lvs_wake_is_noted(lvs_wake *wake, int folder, const char *name) {
  lvs_wake now = {0};
  if (wake->sum == 0 || wake->sum != sum_of(wake) || !describe(&now, folder, name)) return false;
  return now.device == wake->device && now.inode == wake->inode && now.size == wake->size &&
         now.changed_ns == wake->changed_ns && lvs_boot_number() == wake->boot;
}

void lvs_wake_note_open(lvs_wake *wake, uint64_t device, uint64_t inode) {
  __atomic_store_n(&wake->open_device, device, __ATOMIC_RELAXED);
  __atomic_store_n(&wake->open_inode, inode, __ATOMIC_RELEASE);
}

bool lvs_wake_is_other(lvs_wake *wake, uint64_t device, uint64_t inode) {
  uint64_t noted = __atomic_load_n(&wake->open_inode, __ATOMIC_ACQUIRE);
  return noted != 0 && (noted != inode || __atomic_load_n(&wake->open_device, __ATOMIC_RELAXED) != device);
}

void lvs_wake_hold(lvs_wake *wake, unsigned byte) {
  __atomic_store_n(wake->holders + byte % 4, (uint32_t)getpid(), __ATOMIC_RELAXED);
}

uint32_t lvs_wake_holder(lvs_wake *wake, unsigned byte) {
  return __atomic_load_n(wake->holders + byte % 4, __ATOMIC_RELAXED);
}

void lvs_wake_signal(lvs_wake *wake) {
  __atomic_fetch_add(&wake->count, 1, __ATOMIC_SEQ_CST);
  if (__atomic_load_n(&wake->sleepers, __ATOMIC_SEQ_CST) == 0) return;
  syscall(SYS_futex, &wake->count, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
}

uint64_t lvs_wake_revision(const lvs_wake *wake) { return __atomic_load_n(&wake->revision, __ATOMIC_RELAXED); }

void lvs_wake_tell(lvs_wake *wake, const lvs_recent *recent) {
  __atomic_store_n(&wake->revision, recent->revision, __ATOMIC_RELAXED);
  lvs_recent *place = wake->recent + recent->commit % LVS_RECENT_COMMITS;
  __atomic_store_n(&place->commit, 0, __ATOMIC_RELAXED);
  __atomic_thread_fence(__ATOMIC_RELEASE);
  if (recent->count > LVS_RECENT_NAMES) return;
  __atomic_store_n(&place->revision, recent->revision, __ATOMIC_RELAXED);
  __atomic_store_n(&place->count, recent->count, __ATOMIC_RELAXED);
  for (uint32_t i = 0; i < recent->count; i++)
    __atomic_store_n(place->hashes + i, recent->hashes[i], __ATOMIC_RELAXED);
  __atomic_store_n(&place->commit, recent->commit, __ATOMIC_RELEASE);
}

void lvs_wake_clear_recent(lvs_wake *wake) {
  for (int i = 0; i < LVS_RECENT_COMMITS; i++) __atomic_store_n(&wake->recent[i].commit, 0, __ATOMIC_SEQ_CST);
}

void lvs_wake_wait(lvs_wake *wake, uint32_t count, uint64_t timeout_ns) {
  struct timespec timeout = {.tv_sec = (time_t)(timeout_ns / 1000000000u), .tv_nsec = (long)(timeout_ns % 1000000000u)};
  syscall(SYS_futex, &wake->count, FUTEX_WAIT, count, &timeout, NULL, 0);
}
