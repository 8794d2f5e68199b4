// What Swift cannot import by itself: variadics, errno, thread-locals, fork detection, regular expressions.
#ifndef CSYSTEM_H
#define CSYSTEM_H

#if __SIZEOF_POINTER__ < 8
#error "Livery needs a 64-bit target: handles are 64-bit numbers, and so are the numbers of commits that processes share."
#endif

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

static inline int lvs_errno(void) { return errno; }

// Files. Each returns -1 and sets errno on failure, as the calls they stand for.
int lvs_open(const char *path, int flags, unsigned mode);
/** A second descriptor of the same open file, closed on exec; -1 with errno. */
int lvs_duplicate(int descriptor);
// A directory, also one that may be entered and not listed.
int lvs_open_directory(const char *path);
void lvs_close_on_exec(int descriptor);
// Under a name that no method hides.
static inline void lvs_close(int descriptor) { close(descriptor); }
// A file of a folder, whose name is no link; the open of a pipe does not wait.
int lvs_open_at(int folder, const char *name, int flags, unsigned mode);
// Gives a file real blocks up to a size, and that size if it is shorter.
int lvs_reserve(int descriptor, uint64_t size);
// Gives a file blocks behind its end, which its size does not tell of. -1 and ENOSPC where there is no room; 0 also where
// the file system has no such thing.
int lvs_reserve_behind(int descriptor, uint64_t from, uint64_t count);
// Whether the file's system writes a change where the former content lies, and has new blocks written down elsewhere first.
bool lvs_writes_over(int descriptor);
// Writes zeros, as far as that goes.
void lvs_write_zeros(int descriptor, uint64_t from, uint64_t to);
// Gives back all blocks from a place on, of which the file is cut off.
void lvs_release_behind(int descriptor, uint64_t end);
// The bytes of the file system of a file, used or not; 0 if that cannot be told.
uint64_t lvs_file_system_size(int descriptor);
// How many bytes of it the process may still use; UINT64_MAX if that cannot be told, or there is no limit.
uint64_t lvs_file_system_room(int descriptor);
// Gives what the caller owns the mode that lets its group in; nothing happens if `mode` does not.
void lvs_let_group_in(int descriptor, unsigned mode);
// Whose the files of a store are.
typedef struct lvs_owner {
  uint32_t user, group;
  // Whether the group is among those who use the store, so that its files must be the group's.
  bool is_shared;
} lvs_owner;
// Gives a file that the caller made to the store's owner. If `is_loose`, it is enough for a shared store that the group can
// use it. EPERM where that is not allowed.
int lvs_give(int descriptor, const lvs_owner *owner, bool is_loose);
// Opens a file of a folder for reading and writing, making it, for its owner, if it is missing.
int lvs_make_at(int folder, const char *name, int flags, unsigned mode, const lvs_owner *owner, bool is_loose);
int lvs_make_folder_at(int folder, const char *name, unsigned mode, const lvs_owner *owner);
ssize_t lvs_write_all(int descriptor, const void *bytes, size_t count);
// Writes the whole of a file, as the owner's alone if it is private. Whoever reads it finds what it was or what it is, and one that
// cannot be written is as it was; but a pipe, a link, or a file with a second name or another owner is written where it is. False with
// errno.
bool lvs_write_file(const char *path, const void *bytes, size_t count, bool is_private);
// The whole of a file (descriptor 0 and up, or path when descriptor is -1), malloc'ed and NUL-terminated; NULL and errno
// on failure; EFBIG past `limit`.
char *lvs_read_file(const char *path, int descriptor, size_t limit, size_t *count);
// The whole of a regular file beneath a directory, by a relative path without `..` and without symbolic links; as
// lvs_read_file. EXDEV and ELOOP for a path that leads out or through a link, EINVAL for what is no regular file.
char *lvs_read_beneath(const char *folder, const char *path, size_t limit, size_t *count);

typedef struct lvs_file_facts {
  uint64_t device, inode, size, allocated;
  int64_t changed_ns;
  uint32_t mode, user, group, names;
  bool is_directory, is_regular, is_link;
} lvs_file_facts;
int lvs_file_facts_of(const char *path, lvs_file_facts *facts);
int lvs_file_facts_at(int descriptor, lvs_file_facts *facts);
// Of what a name in a folder stands for itself, be it a link.
int lvs_file_facts_in(int folder, const char *name, lvs_file_facts *facts);
// Whether a path still leads to a directory: 1 or 0; 1 also where that cannot be told, as when the process may not look into
// the directories on the way, or has another root than `root`, the inode of its root when it opened the directory.
int lvs_leads_to(const char *path, uint64_t device, uint64_t inode, uint64_t root);
uint64_t lvs_root_inode(void);
// Where a store is: its directory, and which files are open in it.
typedef struct lvs_file_identity {
  uint64_t device, inode;
} lvs_file_identity;
enum { LVS_PLACE_DATA, LVS_PLACE_LOCK, LVS_PLACE_GATE, LVS_PLACE_WAKE, LVS_PLACE_FILES };
typedef struct lvs_place {
  char *path;
  int folder;
  lvs_file_identity directory, files[LVS_PLACE_FILES];
  // See lvs_leads_to.
  uint64_t root;
  // Whether the file system keeps when a directory was changed.
  bool keeps_changes;
  // When the directory had been changed last as all files were in their places; zero if it may have been changed since at what
  // is the same time to its file system.
  struct timespec settled;
} lvs_place;
// The name of a file that is not the one that is open any more; "" if the path leads elsewhere; NULL if all is in its place.
// Nothing is looked for in a directory that nobody has changed.
const char *lvs_place_check(lvs_place *place);
// Whether a directory's time of change tells of each entry that comes, goes or is exchanged.
bool lvs_keeps_changes(int folder);
// As many bytes as there are up to `count`, from an offset; how many.
ssize_t lvs_read_at(int descriptor, void *bytes, size_t count, uint64_t offset);
ssize_t lvs_write_at(int descriptor, const void *bytes, size_t count, uint64_t offset);
// The names in a directory, each followed by a NUL, malloc'ed; NULL and errno on failure.
char *lvs_directory_names(int folder, size_t *length);
int lvs_rename_at(int folder, const char *from, int other, const char *to);
int lvs_link_at(int folder, const char *from, int other, const char *to);
int lvs_unlink_at(int folder, const char *name);
// The first page of a file, shared with all who map it, beyond the descriptor. NULL and errno on failure.
void *lvs_page_map(int descriptor);
void lvs_page_unmap(void *page);
// Copies what one descriptor has left to another.
int lvs_copy(int from, int to);
// Makes what a directory lists durable.
int lvs_sync_folder(int folder);

// Whether the file system of a file has no room left.
bool lvs_is_full(int descriptor);
// Whether the file system of a file is read-only itself, and not just mounted so here: 1 or 0; -1 and errno where that
// cannot be told.
int lvs_is_read_only(const char *path);
// An empty file in memory; -1 and errno on failure.
int lvs_make_in_memory(void);
// The same open anew, as a path to it would open it; -1 and errno on failure.
int lvs_open_again(int file);
// Lets a descriptor stand for another open file; -1 and errno on failure.
int lvs_exchange(int descriptor, int file);

// The number of entries in a directory that no store makes; -1 on failure.
int lvs_count_foreign_entries(int folder);
// Gives a file a second name; where the file system has no such thing, that name alone.
int lvs_name_too(int folder, const char *name, const char *second);
// Waits until the names in a directory, and its own name in the directory around it, are on the disk.
int lvs_sync_names(int folder);

// A file whose bytes are locked, closed in every forked child.
//
// The locks belong to the open file: the program may open and close the same file elsewhere without losing them, as it
// would lose those of the process. The kernel releases them when the process dies.
typedef struct lvs_lock_file lvs_lock_file;
// Takes the descriptor over. NULL without memory: it is closed then.
lvs_lock_file *lvs_lock_file_make(int descriptor);
void lvs_lock_file_free(lvs_lock_file *file);
// Locking does not wait: it fails with EAGAIN or EACCES while another open file has the byte.
int lvs_lock_byte(const lvs_lock_file *file, int64_t byte);
int lvs_unlock_byte(const lvs_lock_file *file, int64_t byte);
// A lock that is held together, and whether any other open file, or any process, has a lock of either kind on the byte.
int lvs_share_byte(const lvs_lock_file *file, int64_t byte);
bool lvs_is_byte_taken(const lvs_lock_file *file, int64_t byte);
// Locks a file or a directory as a whole, beside the locks on bytes, alone or together with others; does not wait either.
int lvs_lock_whole(lvs_lock_file *file, bool is_shared);
// The process whose own lock a byte has; 0 if nobody has it, or an open file.
pid_t lvs_lock_holder(const lvs_lock_file *file, int64_t byte);
// Takes over a lock that the process itself has exclusively on a byte, so that others find it taken at every moment.
int lvs_keep_byte(const lvs_lock_file *file, int64_t byte);
// Whether another lock file's open file of this process, other than this one, is open for writing on the same file: that of
// another copy of the library.
bool lvs_is_open_elsewhere(const lvs_lock_file *file);

// Runs a function in a process with a number of its own that shares memory and files with this one, while the thread waits.
// What the function returns, 0 to 255; -1 if it could not be run.
int lvs_call_as_child(int (*function)(void *), void *argument);
// Runs a function that opens up to three files without closing them on exec, in a way that no child of another thread can
// inherit them: they come to be in this process closed on exec, under the numbers that the function knows. 0, or -1 and
// errno if the files could not be had; 1 where the system does not allow that, or the process has no other thread: then
// they are open as the function opens them. A function that leaves names behind if it is killed is never run so if it can
// be avoided.
int lvs_call_opening(int (*function)(void *), void *argument, int folder, bool leaves_names);
// Runs a function for which two open files have names for the moment, the second that of the first with "-lock": links,
// gone when it returns, in a folder that is in memory if there is one. 0, or -1 and errno if no name could be had. In a
// child of lvs_call_opening they go also when the process is killed meanwhile.
int lvs_call_naming(int file, int lock, void (*function)(const char *path, void *argument), void *argument);

// Whether bytes lie somewhere in others.
bool lvs_holds(const void *bytes, size_t count, const void *part, size_t part_count);
// Where they begin; SIZE_MAX if they do not.
size_t lvs_find(const uint8_t *text, size_t count, const uint8_t *word, size_t length);
// A text as it is searched: letter case folded, marks left out. Writes at most LVS_FOLD_MOST times its bytes, and returns how
// many. See tools/fold.
enum { LVS_FOLD_MOST = 3 };
size_t lvs_fold(const uint8_t *text, size_t count, uint8_t *out);
// Turns a part of what a text folds to into the part of the text that it came from, with whole characters and their marks.
void lvs_fold_place(const uint8_t *text, size_t count, size_t *start, size_t *end);
// Overwrites bytes that nobody reads again.
void lvs_wipe(void *bytes, size_t count);
// LMDB frees the copies of pages that it has written as they are. Takes blocks of their size, which are those as far as the
// allocator gives them to this thread, overwrites them, and gives them back.
void lvs_wipe_freed_pages(void);

// Where a file is mapped, and shared, from its beginning that has something at that address; 0 if there is none, or no /proc.
uintptr_t lvs_map_start(const void *address);
// Takes pages of a file that is mapped out of the memory of this process; they are mapped again as they are looked at.
void lvs_forget_pages(uintptr_t start, size_t size);

// Whether so much address space can be had.
bool lvs_can_map(uint64_t size);

// Memory. Whether there is so much of it at once.
bool lvs_memory_can_have(size_t size);
// Whether there is none but the reserve: then nothing new may begin. See memory.c.
extern uint32_t lvs_memory_state;
bool lvs_memory_look(void);
static inline bool lvs_memory_is_short(void) {
  return __builtin_expect(__atomic_load_n(&lvs_memory_state, __ATOMIC_RELAXED) != 0, 0) && lvs_memory_look();
}
// Wipes what the library frees from now on, for good, and whether it does.
void lvs_memory_wipe(void);
bool lvs_memory_wipes(void);
// Around a fork, so that a child does not inherit the reserve locked.
void lvs_memory_before_fork(void);
void lvs_memory_after_fork(void);

// Clocks.
uint64_t lvs_monotonic_ns(void);
// Within the years 1 to 9999, whatever the clock says.
int64_t lvs_realtime_us(void);
// Since the start of the system, sleep included: nobody sets it.
int64_t lvs_boottime_us(void);
// Another number after each start of the system, where that can be told; never 0.
enum { LVS_BOOT_UNKNOWN = 1 };
uint64_t lvs_boot_number(void);
void lvs_sleep_us(uint64_t microseconds);

// A thread of its own that receives no signals; 0, or an errno.
int lvs_thread_start(void (*function)(void *context), void *context);
// The same; `ended` is called on it if it ends before the function returns, as something that this called has ended it.
int lvs_thread_start_watched(void (*function)(void *context), void (*ended)(void *context), void *context);

// Work of threads that the end of the program waits for, though not for ever.
void lvs_background_begin(void);
void lvs_background_end(void);

// A descriptor that is readable from `signal` to `drain`.
int lvs_event_make(void);
void lvs_event_signal(int descriptor);
void lvs_event_drain(int descriptor);

// A number that differs between a process and its forked children; the page behind it is wiped by the kernel on fork.
extern uint64_t *lvs_process_token_page;
uint64_t lvs_process_token_make(void);
static inline uint64_t lvs_process_token(void) {
  uint64_t *page = __atomic_load_n(&lvs_process_token_page, __ATOMIC_ACQUIRE);
  uint64_t token = page ? __atomic_load_n(page, __ATOMIC_RELAXED) : 0;
  return token ? token : lvs_process_token_make();
}

// A mutex. Those made with `lvs_mutex_make_global` are held over a fork, so that a child never inherits them locked.
typedef struct lvs_mutex lvs_mutex;
lvs_mutex *lvs_mutex_make(void);
lvs_mutex *lvs_mutex_make_global(void);
void lvs_mutex_free(lvs_mutex *mutex);
void lvs_mutex_lock(lvs_mutex *mutex);
void lvs_mutex_unlock(lvs_mutex *mutex);
// False when the deadline (monotonic nanoseconds) passed first.
bool lvs_mutex_lock_until(lvs_mutex *mutex, uint64_t deadline_ns);

// A condition that threads wait for with a mutex held, which is released meanwhile. False when the deadline (monotonic
// nanoseconds) passed first.
typedef struct lvs_condition lvs_condition;
lvs_condition *lvs_condition_make(void);
void lvs_condition_free(lvs_condition *condition);
bool lvs_condition_wait(lvs_condition *condition, lvs_mutex *mutex, uint64_t deadline_ns);
void lvs_condition_wake_all(lvs_condition *condition);

// The calling thread's last error; freed when the thread ends.
enum { LVS_MESSAGE_SIZE = 4096, LVS_SETTING_SIZE = 256 };
typedef struct lvs_error {
  int32_t status;
  int32_t system_error;
  uint32_t line, column;
  char message[LVS_MESSAGE_SIZE];
  char setting[LVS_SETTING_SIZE];
} lvs_error;
// Keeps an error: text becomes one line, and what does not fit is cut between characters.
void lvs_thread_error_set(int32_t status, int32_t system_error, uint32_t line, uint32_t column, const void *message,
                          size_t message_length, bool has_setting, const void *setting, size_t setting_length);
// The same in the layout of the public livery_error.
typedef struct lvs_error_view {
  size_t struct_size;
  int32_t status, system_error;
  const char *message, *setting;
  uint32_t line, column;
} lvs_error_view;
const lvs_error_view *lvs_thread_error_view(void);

// A finite decimal number in the C locale that fills the whole text, and is 0 only if its digits are; false otherwise.
bool lvs_parse_double(const char *text, size_t length, double *value);
// Whether a number of JSON is 0 although its digits are not.
bool lvs_underflows(const char *text, size_t length);
// The shortest text that reads back as the same number; returns its length.
size_t lvs_format_double(double value, char buffer[40]);

// SHA-256. `is_portable` leaves the processor's own instructions alone.
void lvs_sha256(const void *bytes, size_t count, bool is_portable, uint8_t digest[32]);

// POSIX extended regular expressions over UTF-8 bytes. NULL for a broken pattern, with the reason in `message`.
typedef struct lvs_regex lvs_regex;
lvs_regex *lvs_regex_make(const char *pattern, char *message, size_t message_size);
bool lvs_regex_matches(const lvs_regex *regex, const char *text, size_t length);
// How many characters of a text are slow to search: 0 where all are as bytes are.
size_t lvs_regex_slow_characters(const lvs_regex *regex, const char *text, size_t length);
void lvs_regex_free(lvs_regex *regex);

// A library that is loaded when it is needed first, and stays. `files` are what it may be called, `names` its functions, whose
// addresses come to `functions`.
typedef struct lvs_library {
  const char *files[2];
  const char *const *names;
  size_t count;
  void **functions;
} lvs_library;
// Whether it is there, with all its functions. It waits for the system's loader alone; if it is not there it is looked for anew
// the next time, and errno is ENOMEM if it is for want of memory.
bool lvs_library_load(lvs_library *library);
// The addresses; NULL before it was loaded.
static inline const void *lvs_library_functions(lvs_library *library) {
  return __atomic_load_n(&library->functions, __ATOMIC_ACQUIRE);
}

// The program's arguments and environment, for commands.
int lvs_argument_count(void);
const char *lvs_argument(int index);
// The names of the programs livery-NAME that lie beside this one or in ../libexec/livery, each with a NUL at its end; to be freed.
// NULL without memory.
char *lvs_extension_names(size_t *length);
// Goes on as the program livery-NAME that lies beside this one, in ../libexec/livery or in the folders of $PATH, with the same
// arguments but the one at an index; or, to show help, with --help alone. Returns only if there is none.
void lvs_become(const char *name, int left_out, bool shows_help);
// The same with other arguments: each ends with a NUL, `length` bytes together.
void lvs_become_with(const char *name, const void *words, size_t length);

// Gives standard streams that are closed a descriptor that neither reads nor writes, so that no file becomes one.
void lvs_fill_standard_streams(void);
// Writing to a pipe that nobody reads fails from now on.
void lvs_ignore_broken_pipes(void);
// Takes SIGINT, SIGTERM and SIGCHLD as a descriptor from now on, for programs with one thread so far; -1 and errno on
// failure.
int lvs_signals_catch(void);
// Waits a second at most until a descriptor is readable: 1; or SIGINT or SIGTERM came: 0; 2 if neither. -1 and errno on failure.
int lvs_signals_wait(int signals, int descriptor);
// Writes all of it, or until such a signal comes: also where nobody reads. 1, 0 for a signal, or -1 and errno.
int lvs_signals_write(int signals, int descriptor, const void *bytes, size_t count);

// A command line for /bin/sh, with the program's environment and what is set beside it.
typedef struct lvs_shell lvs_shell;
lvs_shell *lvs_shell_make(void);
// A value of NULL takes the variable away. False if there is no memory.
bool lvs_shell_set(lvs_shell *shell, const char *name, const char *value);
// Runs the line to its end; its exit status, or -1 and errno. An ending signal is passed on to it and told by `is_ended`.
int lvs_shell_run(lvs_shell *shell, const char *line, int signals, bool *is_ended);
void lvs_shell_free(lvs_shell *shell);

// Writes text in less space, as a block of LZ4, to where there is room for `lvs_squeeze_bound`: how many bytes it takes.
size_t lvs_squeeze_bound(size_t count);
size_t lvs_squeeze(const uint8_t *text, size_t count, uint8_t *out);
// Writes back what has `size` bytes; false if the block is none of so many.
bool lvs_unsqueeze(const uint8_t *block, size_t count, uint8_t *out, size_t size);

// Writes the message to standard error and aborts: the last resort for a broken invariant.
_Noreturn void lvs_die(const char *message);

#endif
