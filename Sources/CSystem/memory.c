// Memory that ends, and memory that is given back.
//
// Embedded Swift has no way to fail when an allocation does: the process ends. So in the device build all allocations of
// the library come here (the linker's --wrap), and those that the system refuses are served from a reserve. What is under
// way is completed with that, while calls that come are refused until there is memory again (lvs_memory_is_short).
//
// The reserve is address space of the process, of which a piece is memory from the beginning. The rest becomes memory when
// it is needed; where only the address space is limited, that always succeeds.
//
// What is given back is wiped before, once the process may hold a secret (lvs_memory_wipe): its value does not stay behind
// in the heap.
#define _GNU_SOURCE
#include "csystem.h"

#ifdef LIVERY_EMBEDDED

#include <dlfcn.h>
#include <malloc.h>
#include <sys/mman.h>

#define HIDDEN __attribute__((visibility("hidden")))
#define LIKELY(condition) __builtin_expect(!!(condition), 1)

// Weak: what is not linked with --wrap has none of them, and asks malloc itself what there is.
#define REAL __attribute__((weak))
extern void *__real_malloc(size_t size) REAL;
extern void *__real_calloc(size_t count, size_t size) REAL;
extern void *__real_realloc(void *memory, size_t size) REAL;
extern int __real_posix_memalign(void **memory, size_t alignment, size_t size) REAL;
extern void __real_free(void *memory) REAL;

enum {
  UNIT = 16,
  STEP = 1 << 20,
  // C looks whether it was given memory: the reserve is not for what is larger.
  CHECKED_MAX = 64 << 10,
  // What has to be there before a call may begin, ordinarily and while more than half of the reserve is in use.
  PROBE = 128 << 10,
  LARGE_PROBE = 8 << 20,
};
static const size_t SPACE = sizeof(void *) > 4 ? (size_t)64 << 20 : (size_t)2 << 20;

// A block with its head, and the next one behind it.
typedef struct block {
  _Alignas(UNIT) size_t size;
  size_t is_used;
} block;

static struct {
  uintptr_t start;
  // 0 while there is no reserve.
  size_t space;
  // Whether freed blocks are wiped, and whether they can be.
  bool wipes, is_to_wipe;
  // How much of it is memory.
  size_t ready;
  size_t used;
  // Where to look for room next.
  block *next;
} reserve;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

// Not 0 before the reserve is made, and while any of it is in use.
HIDDEN uint32_t lvs_memory_state = 1;

static void *real_malloc(size_t size) { return __real_malloc ? __real_malloc(size) : malloc(size); }
static void real_free(void *memory) { __real_free ? __real_free(memory) : free(memory); }

static bool is_reserved(const void *memory) { return (uintptr_t)memory - reserve.start < reserve.space; }
static block *first_block(void) { return (block *)reserve.start; }
static char *end_of_ready(void) { return (char *)reserve.start + reserve.ready; }

// The sizes of blocks are told by malloc_usable_size, which has to be of those who made them: a program may bring a malloc
// of its own, and leave that out.
static bool tells_sizes(void) {
  Dl_info allocator, sizes;
  int found = dladdr((void *)(uintptr_t)__real_malloc, &allocator) != 0;
  if (found != (dladdr((void *)(uintptr_t)malloc_usable_size, &sizes) != 0)) return false;
  return !found || allocator.dli_fbase == sizes.dli_fbase;
}

// Called with the lock held.
static bool make_reserve(void) {
  if (reserve.space) return true;
  for (size_t space = SPACE; space >= STEP; space /= 4) {
    void *place = mmap(NULL, space, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (place == MAP_FAILED) continue;
    if (mprotect(place, STEP, PROT_READ | PROT_WRITE) != 0) {
      munmap(place, space);
      return false;
    }
    reserve.start = (uintptr_t)place;
    reserve.ready = STEP;
    reserve.next = place;
    *reserve.next = (block){.size = STEP};
    reserve.space = space;
    return true;
  }
  return false;
}

// Makes more of the reserve memory, and a free block of it.
static bool grow(size_t size) {
  size_t more = (size + STEP - 1) / STEP * STEP;
  if (more > reserve.space - reserve.ready) return false;
  if (mprotect(end_of_ready(), more, PROT_READ | PROT_WRITE) != 0) return false;
  reserve.next = (block *)end_of_ready();
  *reserve.next = (block){.size = more};
  reserve.ready += more;
  return true;
}

static block *after(block *b) { return (block *)((char *)b + b->size); }

// Looks for room in the blocks from one on to another, where free neighbours become one.
static void *take_between(block *from, char *end, size_t alignment, size_t size) {
  for (block *b = from; (char *)b < end; b = after(b)) {
    if (b->is_used) continue;
    while ((char *)after(b) < end_of_ready() && !after(b)->is_used) {
      if (reserve.next == after(b)) reserve.next = b;
      b->size += after(b)->size;
    }
    uintptr_t content = ((uintptr_t)(b + 1) + alignment - 1) & ~(uintptr_t)(alignment - 1);
    size_t gap = content - (uintptr_t)(b + 1);
    if (b->size < sizeof *b + gap || b->size - sizeof *b - gap < size) continue;
    if (gap) {
      size_t whole = b->size;
      b->size = gap;
      b = after(b);
      *b = (block){.size = whole - gap};
    }
    if (b->size - sizeof *b - size >= 4 * sizeof *b) {
      block *rest = (block *)((char *)(b + 1) + size);
      *rest = (block){.size = b->size - sizeof *b - size};
      b->size = sizeof *b + size;
    }
    b->is_used = 1;
    reserve.used += b->size;
    reserve.next = (char *)after(b) < end_of_ready() ? after(b) : first_block();
    return b + 1;
  }
  return NULL;
}

static void *take(size_t alignment, size_t size) {
  if (size > SPACE) return NULL;
  size = (size + UNIT - 1) / UNIT * UNIT;
  if (alignment < UNIT) alignment = UNIT;
  pthread_mutex_lock(&lock);
  void *found = NULL;
  if (make_reserve()) {
    block *next = reserve.next;
    found = take_between(next, end_of_ready(), alignment, size);
    if (!found) found = take_between(first_block(), (char *)next, alignment, size);
    if (!found && grow(size + alignment + sizeof(block)))
      found = take_between(reserve.next, end_of_ready(), alignment, size);
    if (found) __atomic_store_n(&lvs_memory_state, 1, __ATOMIC_RELAXED);
  }
  pthread_mutex_unlock(&lock);
  return found;
}

static void give_back(void *memory) {
  int number = errno;
  block *b = (block *)memory - 1;
  explicit_bzero(memory, b->size - sizeof *b);
  pthread_mutex_lock(&lock);
  b->is_used = 0;
  reserve.used -= b->size;
  if (reserve.used == 0) {
    // Nothing is in use: it begins anew, and keeps no more memory than at first.
    madvise((void *)reserve.start, reserve.ready, MADV_DONTNEED);
    if (reserve.ready > STEP
        && mprotect((char *)reserve.start + STEP, reserve.ready - STEP, PROT_NONE) == 0)
      reserve.ready = STEP;
    reserve.next = first_block();
    *reserve.next = (block){.size = reserve.ready};
  }
  pthread_mutex_unlock(&lock);
  errno = number;
}

static size_t size_of(const void *memory) {
  return is_reserved(memory) ? ((const block *)memory - 1)->size - sizeof(block) : malloc_usable_size((void *)memory);
}

// What the library calls.

#define WRAPPED HIDDEN __attribute__((used))

WRAPPED void *__wrap_malloc(size_t size) {
  void *memory = __real_malloc(size);
  return LIKELY(memory) || size > CHECKED_MAX ? memory : take(UNIT, size);
}

WRAPPED void *__wrap_calloc(size_t count, size_t size) {
  void *memory = __real_calloc(count, size);
  if (LIKELY(memory) || (size && count > CHECKED_MAX / size)) return memory;
  memory = take(UNIT, count * size);
  return memory ? memset(memory, 0, count * size) : NULL;
}

static __attribute__((noinline)) int align_otherwise(void **memory, size_t alignment, size_t size) {
  void *found = NULL;
  if (alignment <= _Alignof(max_align_t) || __real_posix_memalign(&found, alignment, size) != 0)
    found = take(alignment, size);
  if (!found) return ENOMEM;
  *memory = found;
  return 0;
}

WRAPPED int __wrap_posix_memalign(void **memory, size_t alignment, size_t size) {
  // malloc is quicker, and aligns enough.
  void *found = LIKELY(alignment <= _Alignof(max_align_t)) ? __real_malloc(size) : NULL;
  if (!LIKELY(found)) return align_otherwise(memory, alignment, size);
  *memory = found;
  return 0;
}

// Small blocks are the most, and quicker wiped than a function is called.
static inline void wipe(char *place, size_t size) {
  if (size > 256) {
    explicit_bzero(place, size);
    return;
  }
  typedef long long pair __attribute__((vector_size(16), aligned(8), may_alias));
  char *end = place + size;
  for (; end - place >= 16; place += 16) {
    *(pair *)place = (pair){0};
    __asm__ volatile("" ::: "memory");
  }
  // Sizes of blocks are multiples of 8, as a rule.
  if (end - place >= 8) {
    memset(place, 0, 8);
    __asm__ volatile("" ::: "memory");
    place += 8;
  }
  for (; place < end; place++) {
    *place = 0;
    __asm__ volatile("" ::: "memory");
  }
  __asm__ volatile("" ::: "memory");
}

static __attribute__((noinline)) void free_otherwise(void *memory) {
  if (is_reserved(memory)) {
    give_back(memory);
  } else if (memory) {
    wipe(memory, malloc_usable_size(memory));
    __real_free(memory);
  }
}

WRAPPED void __wrap_free(void *memory) {
  if (LIKELY(!__atomic_load_n(&reserve.wipes, __ATOMIC_RELAXED) && !is_reserved(memory))) __real_free(memory);
  else free_otherwise(memory);
}

WRAPPED void *__wrap_realloc(void *memory, size_t size) {
  if (!memory) return __wrap_malloc(size);
  if (!reserve.wipes && !is_reserved(memory)) return __real_realloc(memory, size);
  size_t before = size_of(memory);
  if (size <= before) return memory;
  void *larger = __wrap_malloc(size);
  if (!larger) return NULL;
  memcpy(larger, memory, before);
  __wrap_free(memory);
  return larger;
}

HIDDEN bool lvs_memory_look(void) {
  pthread_mutex_lock(&lock);
  bool is_made = make_reserve();
  size_t used = reserve.used;
  pthread_mutex_unlock(&lock);
  if (!is_made) return true;
  void *probe = real_malloc(used > reserve.space / 2 ? LARGE_PROBE : PROBE);
  if (!probe) return true;
  real_free(probe);
  pthread_mutex_lock(&lock);
  if (reserve.used == 0) __atomic_store_n(&lvs_memory_state, 0, __ATOMIC_RELAXED);
  pthread_mutex_unlock(&lock);
  return false;
}

HIDDEN bool lvs_memory_can_have(size_t size) {
  // A compiler may leave out an allocation that nobody uses.
  void *volatile probe = real_malloc(size);
  real_free(probe);
  return probe != NULL;
}

HIDDEN void lvs_memory_wipe(void) {
  if (__atomic_exchange_n(&reserve.is_to_wipe, true, __ATOMIC_RELAXED)) return;
  __atomic_store_n(&reserve.wipes, tells_sizes(), __ATOMIC_RELAXED);
}

HIDDEN bool lvs_memory_wipes(void) { return __atomic_load_n(&reserve.is_to_wipe, __ATOMIC_RELAXED); }

HIDDEN void lvs_memory_before_fork(void) { pthread_mutex_lock(&lock); }
HIDDEN void lvs_memory_after_fork(void) { pthread_mutex_unlock(&lock); }

#else

uint32_t lvs_memory_state = 0;
bool lvs_memory_look(void) { return false; }
void lvs_memory_wipe(void) {}
bool lvs_memory_wipes(void) { return true; }
void lvs_memory_before_fork(void) {}
void lvs_memory_after_fork(void) {}

bool lvs_memory_can_have(size_t size) {
  // A compiler may leave out an allocation that nobody uses.
  void *volatile probe = malloc(size);
  free(probe);
  return probe != NULL;
}

#endif
