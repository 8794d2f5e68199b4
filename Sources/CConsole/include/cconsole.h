// What LiveryConsole takes of libc: files of its own, who runs it, and being told to stop.
#ifndef CCONSOLE_H
#define CCONSOLE_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The console's program, in Swift: the arguments of main(), and its exit status.
int livery_console_main(int count, const char *const *words);

// The bytes of a file, of so many at most: free() them. NULL with an errno.
uint8_t *lvo_read(const char *path, size_t most, size_t *count, int *error);
void lvo_free(void *pointer);
// Makes a file, whole and on the disk before its name is there. One that is there is replaced, or is EEXIST. 0 or an errno.
int lvo_write(const char *path, const uint8_t *bytes, size_t count, unsigned mode, bool replaces);
// A folder and those above it; one that is there is fine. 0 or an errno.
int lvo_make_folder(const char *path, unsigned mode);
// Whether others than its owner may read a file.
bool lvo_is_open_to_others(const char *path);
// Changes whenever a file is exchanged or written to; 0 if there is none.
uint64_t lvo_stamp(const char *path);
// Keeps a folder from everybody else who keeps it so, waiting for them: a descriptor, or -1 with an errno. Let go of by lvo_unlock(),
// and with the process.
int lvo_lock(const char *folder, int *error);
void lvo_unlock(int lock);
const char *lvo_reason(int error);

// What an address of numbers is known by: the four bytes of IPv4, also where IPv6 has them mapped, and of IPv6 the first eight, which are
// a network's. How many bytes; 0 for what is no such address.
size_t lvo_network(const char *address, uint8_t network[8]);

// Who runs this program, and a variable of its environment; "" if there is none.
void lvo_user(char *name, size_t size);
const char *lvo_environment(const char *name);

// How many bytes a file system has left for whoever is not root; -1 if that is not known.
int64_t lvo_room(const char *folder);

// Output as it is; false if it was not taken.
bool lvo_print(bool is_error, const char *text, size_t count);
// Whether something of it could not be written to standard output.
bool lvo_print_has_failed(void);

// SIGTERM and SIGINT are kept for lvo_wait() from now on.
void lvo_catch_signals(void);
// Waits for so many milliseconds; true if the program is to stop.
bool lvo_wait(int milliseconds);
// So many things that are waited for, each of which ends once. NULL if there is no memory.
typedef struct lvo_latch lvo_latch;
lvo_latch *lvo_latch_make(size_t count);
void lvo_latch_end_one(lvo_latch *latch);
// Waits until all have ended, and frees it.
void lvo_latch_wait(lvo_latch *latch);
// The description of the API, in the format of OpenAPI: free() it. NULL if there is no memory.
uint8_t *lvo_openapi(size_t *count);

// Becomes another program beside this one, with these words; returns an errno.
int lvo_become(const char *program, const char *const *words);

#endif
