// Secrets that nothing else has, and where in a store's files one is.
#ifndef SECRET_H
#define SECRET_H

#include "check.h"

#include <dirent.h>
#include <sys/random.h>

#define SECRET(version, name, class, more)                                                                             \
  "{\"Version\": " version ", \"Groups\": [{\"Title\": \"All\", \"Settings\": ["                                       \
  "{\"Type\": \"TextField\", \"Title\": \"Password\", \"Key\": \"" name "\"" class "},"                                \
  "{\"Type\": \"TextField\", \"Title\": \"Note\", \"Key\": \"note\"}]}]" more "}"
#define PASSWORD ", \"Class\": [\"Password\"]"
#define SCHEMA SECRET("1", "password", PASSWORD, "")

// A secret that nothing else has: 24 letters.
enum { LENGTH = 24 };
static void make_secret(char secret[LENGTH + 1]) {
  if (getrandom(secret, LENGTH, 0) != LENGTH) abort();
  for (int i = 0; i < LENGTH; i++) secret[i] = (char)('a' + (unsigned char)secret[i] % 26);
  secret[LENGTH] = 0;
}

static int count_in(const char *bytes, size_t size, const char *secret) {
  int count = 0;
  const char *end = bytes + size;
  for (; (bytes = memmem(bytes, (size_t)(end - bytes), secret, LENGTH)) != NULL; bytes++) count++;
  return count;
}

// How often a file of the store holds a secret, or all in a folder of it.
__attribute__((unused)) static int in_file(const char *path, const char *name, const char *secret) {
  char file[800];
  snprintf(file, sizeof file, "%s/%s", path, name);
  size_t size = 0;
  char *bytes = read_file(file, &size);
  int count = bytes ? count_in(bytes, size, secret) : 0;
  free(bytes);
  return count;
}

__attribute__((unused)) static int in_folder(const char *path, const char *name, const char *secret) {
  char folder[500];
  snprintf(folder, sizeof folder, "%s/%s", path, name);
  DIR *directory = opendir(folder);
  int count = 0;
  for (struct dirent *entry; directory && (entry = readdir(directory)) != NULL;)
    if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
      count += in_file(folder, entry->d_name, secret);
  if (directory) closedir(directory);
  return count;
}

// Of a namespace whose owner takes every value.
__attribute__((unused)) static livery_status takes_any(const char *name, livery_value *value, livery_value **checked, void *user_data) {
  (void)name, (void)value, (void)checked, (void)user_data;
  return LIVERY_OK;
}

#endif
