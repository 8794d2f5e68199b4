// The form of the write log that recorder.c writes and replay.c reads: entries one after the other, each followed by
// its bytes.
#ifndef WRITE_LOG_H
#define WRITE_LOG_H

#include <stdint.h>

typedef enum log_kind {
  LOG_NAME = 1,    // a file got a name: the bytes are the path below the root
  LOG_WRITE,       // bytes written to a file at an offset; `flags` 1 if the call waited for the disk
  LOG_SIZE,        // a file got the size `offset`
  LOG_SYNC,        // all that was written to a file is on the disk
  LOG_SYNC_NAMES,  // all names given in a directory are on the disk
  LOG_RENAME,      // the bytes are the old path, NUL, the new path
  LOG_REMOVE,      // the bytes are a path
  LOG_BEGIN,       // the workload begins commit `offset`
  LOG_END,         // it has returned; `file` is the digest of the store, `flags` 1 if the commit was deferred
} log_kind;

typedef struct log_entry {
  uint32_t kind, flags;
  uint64_t file, offset, length;
} log_entry;

#endif
