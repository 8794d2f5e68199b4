// What faults.c, a library to preload, offers to the program that it is loaded into.
#ifndef FAULTS_H
#define FAULTS_H

#include <stdint.h>

typedef enum fault_call {
  FAULT_PWRITE, FAULT_WRITE, FAULT_WRITEV, FAULT_FDATASYNC, FAULT_FSYNC, FAULT_MSYNC, FAULT_FTRUNCATE, FAULT_FALLOCATE,
  FAULT_OPEN, FAULT_STAT, FAULT_RENAME, FAULT_LINK, FAULT_UNLINK, FAULT_MKDIR, FAULT_OPENDIR, FAULT_MMAP, FAULT_FCNTL,
  FAULT_READ, FAULT_EVENTFD, FAULT_THREAD, FAULT_MALLOC, FAULT_CALLS
} fault_call;

typedef enum fault_kind { FAULT_EIO, FAULT_ENOSPC, FAULT_EINTR, FAULT_SHORT, FAULT_EMFILE, FAULT_EACCES, FAULT_DROP, FAULT_KINDS } fault_kind;

/** From now on the `nth` (1 …) call of this kind fails, and if `is_sticky` all after it. */
typedef void (*fault_arm_fn)(fault_call call, fault_kind kind, uint64_t nth, int is_sticky);
/** Ends that; how many such calls there were. `struck` tells how many failed. */
typedef uint64_t (*fault_disarm_fn)(uint64_t *struck);
/** Pieces of memory that are allocated and not freed. */
typedef int64_t (*fault_blocks_fn)(void);

#endif
