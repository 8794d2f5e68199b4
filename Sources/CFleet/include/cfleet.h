// What LiveryFleet takes of libsodium, and of libc for whoever runs it.
#ifndef CFLEET_H
#define CFLEET_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

// Bytes of a hash, of both halves of a key pair, and of a signature.
enum { LVD_HASH = 32, LVD_PUBLIC = 32, LVD_SEED = 32, LVD_SECRET = 64, LVD_SIGNATURE = 64 };

// Whether libsodium works. To be asked before anything else here.
bool lvd_begin(void);

// Whether bytes are the same.
static inline bool lvd_is_same(const uint8_t *left, const uint8_t *right, size_t count) {
  return count == 0 || memcmp(left, right, count) == 0;
}

// SHA-256 (FIPS 180-4).
void lvd_hash(const uint8_t *bytes, size_t count, uint8_t *hash);
// The remainder of a hash, taken as a number with its highest byte first.
uint32_t lvd_remainder(const uint8_t *hash, uint32_t divisor);

// Ed25519 (RFC 8032). The secret half is the seed with the public half behind it.
void lvd_key_pair(const uint8_t *seed, uint8_t *public_key, uint8_t *secret_key);
bool lvd_sign(const uint8_t *secret_key, const uint8_t *bytes, size_t count, uint8_t *signature);
bool lvd_verify(const uint8_t *public_key, const uint8_t *bytes, size_t count, const uint8_t *signature);

void lvd_random(uint8_t *bytes, size_t count);
void lvd_wipe(void *bytes, size_t count);

// How many seconds the device's zone is ahead of UTC at a moment, in seconds since 1970.
int32_t lvd_zone_offset(int64_t seconds);

// A folder that a web server delivers: its descriptor, or an errno below zero.
int lvd_folder_open(const char *path);
// What stands for a folder that is not there yet, until lvd_folder_follow() has found it: nothing can be written there.
int lvd_folder_none(void);
void lvd_folder_close(int folder);
// Has the descriptor be of the folder that the path leads to now: 2 if that is another one, 1 if it is the same and lacks the fleet's
// manifest, 0 if it has it, an errno below zero if there is none.
int lvd_folder_follow(int folder, const char *path);
uint64_t lvd_folder_identity(int folder);
// Keeps all who publish to the folder by another descriptor from doing so, until it is unlocked or the process ends. 0 or an errno:
// EWOULDBLOCK if somebody else had it for so many milliseconds.
int lvd_folder_lock(int folder, int milliseconds);
void lvd_folder_unlock(int folder);
// Puts a file in its place beneath the folder, whole and on the disk, and makes the folders on the way. One that is immutable and
// there with the same size is left as it is; any other gets a time later by a second at least than the file that it replaces. 0 or an
// errno: EINVAL for a path with an empty part or one that begins with a dot.
int lvd_folder_write(int folder, const char *path, const uint8_t *bytes, size_t count, bool is_immutable);

#endif
