// A sealer for tests, by arithmetic: it hides nothing from anybody who knows how, and finds out what was changed.
#ifndef SEALER_H
#define SEALER_H

#include "check.h"

#include <dirent.h>
#include <stdatomic.h>
#include <sys/random.h>

typedef struct toy {
  // A value opens with the key that it was sealed with, or with the other one.
  uint64_t key, former;
  atomic_int seals, opens, destroyed;
  // What to answer in place of doing it.
  livery_status answer;
  bool lies;
} toy;

static uint64_t toy_mix(uint64_t state, const void *bytes, size_t length) {
  const unsigned char *byte = bytes;
  for (size_t i = 0; i < length; i++) state = (state ^ byte[i]) * 0x100000001b3u, state ^= state >> 29;
  return state;
}

static void toy_crypt(uint64_t state, const unsigned char *from, unsigned char *to, size_t length) {
  for (size_t i = 0; i < length; i++) {
    state = toy_mix(state, &i, sizeof i);
    to[i] = (unsigned char)(from[i] ^ state >> 40);
  }
}

static uint64_t toy_sum(const toy *toy, uint64_t key, const livery_seal_place *place, const void *bytes, size_t length) {
  (void)toy;
  uint64_t state = toy_mix(toy_mix(0xcbf29ce484222325u, &key, sizeof key), place->context, place->context_length);
  return toy_mix(state, bytes, length);
}

// Key, a number for once, the sum of what follows, the value.
static livery_status toy_seal(const livery_seal_place *place, const void *bytes, size_t length, void *buffer,
                              size_t capacity, size_t *written, void *user_data) {
  static atomic_ulong once;
  toy *toy = user_data;
  toy->seals++;
  if (toy->answer != LIVERY_OK) return toy->answer;
  *written = length + 24;
  if (toy->lies) *written = capacity + 1;
  if (capacity < length + 24) return LIVERY_ERROR_INVALID_ARGUMENT;
  uint64_t head[3] = {toy->key, ++once, 0};
  unsigned char *to = buffer;
  toy_crypt(toy_mix(toy->key, &head[1], 8), bytes, to + 24, length);
  head[2] = toy_sum(toy, toy->key ^ head[1], place, to + 24, length);
  memcpy(to, head, 24);
  return LIVERY_OK;
}

static livery_status toy_open(const livery_seal_place *place, const void *bytes, size_t length, void *buffer,
                              size_t capacity, size_t *written, void *user_data) {
  toy *toy = user_data;
  toy->opens++;
  if (toy->answer != LIVERY_OK) return toy->answer;
  uint64_t head[3];
  if (length < 24 || capacity < length - 24) return LIVERY_ERROR_CORRUPT;
  memcpy(head, bytes, 24);
  if (head[0] != toy->key && head[0] != toy->former) return LIVERY_ERROR_UNAVAILABLE;
  const unsigned char *from = bytes;
  if (toy_sum(toy, head[0] ^ head[1], place, from + 24, length - 24) != head[2]) return LIVERY_ERROR_CORRUPT;
  *written = toy->lies ? capacity + 1 : length - 24;
  toy_crypt(toy_mix(head[0], &head[1], 8), from + 24, buffer, length - 24);
  return LIVERY_OK;
}

__attribute__((unused)) static void toy_destroy(void *user_data) { ((toy *)user_data)->destroyed++; }

static const livery_sealer toy_sealer __attribute__((unused)) = {sizeof(livery_sealer), toy_seal, toy_open};

// A handle that lends its sealer to all others on a store: nothing is sealed by that.
__attribute__((unused)) static livery_store *toy_reader(const char *path, toy *toy) {
  livery_store *reader = open_store_with(path, LIVERY_OPEN_READ_ONLY, 100);
  OK(livery_set_sealer(reader, &toy_sealer, toy, NULL));
  return reader;
}

__attribute__((unused)) static livery_status toy_set(livery_store *store, toy *toy) {
  livery_sealer sealer = LIVERY_SEALER_INIT;
  sealer.seal = toy_seal;
  sealer.open = toy_open;
  return livery_set_sealer(store, &sealer, toy, toy_destroy);
}

// A secret that is nowhere else by chance.
enum { LENGTH = 24 };
__attribute__((unused)) static void make_secret(char secret[LENGTH + 1]) {
  if (getrandom(secret, LENGTH, 0) != LENGTH) abort();
  for (int i = 0; i < LENGTH; i++) secret[i] = (char)('a' + (unsigned char)secret[i] % 26);
  secret[LENGTH] = 0;
}

// How often the files under a folder hold a text.
__attribute__((unused)) static int count_in(const char *path, const char *secret) {
  int count = 0;
  DIR *folder = opendir(path);
  for (struct dirent *entry; folder && (entry = readdir(folder)) != NULL;) {
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
    char file[900];
    snprintf(file, sizeof file, "%s/%s", path, entry->d_name);
    if (entry->d_type == DT_DIR) {
      count += count_in(file, secret);
      continue;
    }
    size_t size = 0;
    char *bytes = read_file(file, &size), *at = bytes;
    for (; bytes && (at = memmem(at, size - (size_t)(at - bytes), secret, strlen(secret))) != NULL; at++) count++;
    free(bytes);
  }
  if (folder) closedir(folder);
  return count;
}

#endif
