// Damages single records of a store's file. In LMDB's leaf pages a node is: two bytes that say the data's size, again
// two, flags, the key's size, the key, the data. A record of the store begins with its checksum of 8 bytes.
#ifndef DAMAGE_H
#define DAMAGE_H

#include "check.h"

enum { NODE_FLAGS = 4, NODE_KEY_SIZE = 2 };

/** Flips a bit of every copy of the record with this key, so many bytes behind where that begins; returns how many. */
__attribute__((unused)) static int damage_record(const char *store_path, const void *key, size_t key_length, size_t behind) {
  char file[400];
  snprintf(file, sizeof file, "%s/data.mdb", store_path);
  size_t size = 0;
  char *content = read_file(file, &size);
  int descriptor = open(file, O_WRONLY), count = 0;
  for (size_t offset = 8; offset + key_length + 10 < size; offset++) {
    if (memcmp(content + offset, key, key_length) != 0) continue;
    uint16_t stored_length, flags;
    memcpy(&stored_length, content + offset - NODE_KEY_SIZE, 2);
    memcpy(&flags, content + offset - NODE_FLAGS, 2);
    if (stored_length != key_length || flags != 0) continue;
    off_t place = (off_t)(offset + behind);
    char flipped = (char)(content[place] ^ 0x10);
    if (pwrite(descriptor, &flipped, 1, place) == 1) count++;
  }
  close(descriptor);
  free(content);
  return count;
}

/** Flips a bit behind the checksum of every copy of the record with this key; returns how many. */
__attribute__((unused)) static int damage_key(const char *store_path, const void *key, size_t key_length) {
  return damage_record(store_path, key, key_length, key_length + 8);
}

/** Damages the entry of a revision in the log, which is among the latest; returns how many copies of it there were. */
__attribute__((unused)) static int damage_log_entry(const char *store_path, uint64_t revision) {
  unsigned char key[13] = ".log:";
  for (int place = 0; place < 8; place++) key[5 + place] = (unsigned char)(revision >> (56 - 8 * place));
  return damage_key(store_path, key, sizeof key);
}

/** Damages a setting's records: its declaration, and what its layers hold. */
__attribute__((unused)) static void damage_setting(const char *store_path, const char *name) {
  EXPECT(damage_key(store_path, name, strlen(name)) > 0);
}

/** Flips a bit in every copy of this text; returns how many. */
__attribute__((unused)) static int damage_text(const char *store_path, const char *text) {
  char file[400];
  snprintf(file, sizeof file, "%s/data.mdb", store_path);
  size_t size = 0, length = strlen(text);
  char *content = read_file(file, &size);
  int descriptor = open(file, O_WRONLY), count = 0;
  for (size_t offset = 0; offset + length <= size; offset++) {
    if (memcmp(content + offset, text, length) != 0) continue;
    char flipped = (char)(content[offset] ^ 0x01);
    if (pwrite(descriptor, &flipped, 1, (off_t)offset) == 1) count++;
  }
  close(descriptor);
  free(content);
  return count;
}

#endif
