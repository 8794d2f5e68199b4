// What LiverySecrets takes of libsodium and of the system.
#ifndef CSECRETS_H
#define CSECRETS_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Bytes of a key, of what tells keys apart, and of what a sealed value has before and behind it.
enum { LVK_KEY = 32, LVK_ID = 8, LVK_NONCE = 24, LVK_TAG = 16, LVK_BLOCK = 32 };
// The most keys of a source, and the most bytes of its text.
enum { LVK_MOST_KEYS = 8, LVK_MOST_TEXT = 4096 };

// Whether libsodium works.
bool lvk_begin(void);

// Memory for a key that is not written to swap or core dumps; NULL if there is none.
uint8_t *lvk_key_make(void);
void lvk_key_free(uint8_t *key);
void lvk_random(void *bytes, size_t count);
void lvk_key_id(const uint8_t *key, uint8_t *id);
void lvk_wipe(void *bytes, size_t count);

// The key's id, a nonce, the value padded to blocks under XChaCha20-Poly1305 with context and id as associated data. The bytes
// written; 0 if there is no room.
size_t lvk_seal(const uint8_t *key, const void *context, size_t context_length, const void *bytes, size_t length,
                void *buffer, size_t capacity);
// The same back; false if it is damaged, or was sealed with another key or context.
bool lvk_open(const uint8_t *key, const void *context, size_t context_length, const void *bytes, size_t length,
              void *buffer, size_t capacity, size_t *written);

// What tells whether a file is still the same.
typedef struct lvk_stamp {
  uint64_t device, inode, size;
  int64_t seconds, nanoseconds;
} lvk_stamp;

// Each returns 0 or an errno.

// `is_private`: refused with EPERM unless it is a file of this user or root that nobody else may read.
int lvk_file_read(const char *path, bool is_private, void *buffer, size_t capacity, size_t *length, lvk_stamp *stamp);
int lvk_file_stamp(const char *path, lvk_stamp *stamp);
// A new file of mode 0400, where the path's links lead: EEXIST if there is one.
int lvk_file_make(const char *path, const void *bytes, size_t length);

// Held by one process at a time that exchanges what it is of; EWOULDBLOCK while another one has it. It ends by lvk_unlock().
typedef struct lvk_lock lvk_lock;
int lvk_file_lock(const char *path, lvk_lock **lock);
// NULL is nothing to end.
void lvk_unlock(lvk_lock *lock);
// Puts another file in the place of the one that is locked, with its owner and mode, on the disk; the lock is of that one then. It is
// written beside it, as `PATH.rotating`.
int lvk_file_replace(lvk_lock *lock, const void *bytes, size_t length);

// Of the kernel's keyrings: of the session, then of the user.
int lvk_keyring_read(const char *name, void *buffer, size_t capacity, size_t *length);
// A key in the user's keyring, or another payload of the very key that is read. EIO if something else is read afterwards.
int lvk_keyring_make(const char *name, const void *bytes, size_t length);
int lvk_keyring_replace(const char *name, const void *bytes, size_t length);

// The folder of systemd's credentials; NULL if there is none.
const char *lvk_credentials(void);

// The number of this process.
int64_t lvk_process(void);

// Milliseconds of a clock that never goes back.
int64_t lvk_now_ms(void);

#endif
