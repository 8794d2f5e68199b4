// What LiveryWorkflow takes of libc.
#ifndef CWORKFLOW_H
#define CWORKFLOW_H

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Microseconds of a clock that never goes back, and of the system's clock.
int64_t lvw_now_us(void);
int64_t lvw_time_us(void);

// Makes bytes zero, also where nobody reads them again.
void lvw_wipe(void *bytes, size_t count);

// Has the library's allocator wipe what is given back from now on: it may have held what a person has typed.
void lvw_memory_wipe(void);

// Whether so many bytes could be had at this moment.
bool lvw_memory_can_have(size_t count);

// What C has allocated for Swift.
void lvw_free(void *bytes);

// A number of the calling thread.
uint64_t lvw_thread(void);

// A detached thread that no signal interrupts. Whether there is one.
bool lvw_thread_start(void *(*function)(void *), void *argument);

// Waits until a function says that no thread is within calls of a program's: 0, or the thread that is, which has to call
// lvw_calls_end() afterwards. A thread that waits here itself, or this one, is not waited for.
void lvw_calls_wait(uint64_t (*caller)(void *context), void *context);
void lvw_calls_end(void);

// What one thread waits for and another one opens: each of the two ends its use with one call.
typedef struct lvw_gate lvw_gate;
lvw_gate *lvw_gate_make(void);
void lvw_gate_open(lvw_gate *gate);
void lvw_gate_wait(lvw_gate *gate);

// Descriptors. All that are opened here are closed in a forked child, which would keep them open for others. Those that fail
// give a negative errno.

// The folder of a store; negative where there is none, as for a store in memory.
int lvw_folder_open(const char *path);
// Calls a function with the name of each socket in a folder that begins with a prefix.
void lvw_folder_list(int folder, const char *prefix, void (*function)(const char *name, void *user_data), void *user_data);
void lvw_folder_remove(int folder, const char *name);
// A socket that listens at a name in the folder, for the user alone. Nobody finds it before it listens.
int lvw_listen(int folder, const char *name);
int lvw_connect(int folder, const char *name);
// -EAGAIN when nobody waits.
int lvw_accept(int listener);
// Whether the other side is a process of the same user, or of root.
bool lvw_peer_is_trusted(int descriptor);
// Whether a message was sent as a whole. Never waits.
bool lvw_send(int descriptor, const void *bytes, size_t count);
// One message: how many bytes, 0 when the other side has ended, -EAGAIN when there is none, -EMSGSIZE if it is longer than the room.
long lvw_receive(int descriptor, void *bytes, size_t room);
// A descriptor that lvw_wake() makes readable, and lvw_sleep() not.
int lvw_wake_open(void);
// A device, for reading and writing, which does not wait.
int lvw_device_open(const char *path);
void lvw_wake(int descriptor);
void lvw_sleep(int descriptor);
void lvw_close(int descriptor);
// Waits until one of the descriptors is readable, at most so many milliseconds; -1 for any time.
int lvw_poll(struct pollfd *descriptors, size_t count, int milliseconds);

// Folders with images of people, on media that may be pulled out at any moment. What fails gives a negative errno. All of it may
// wait for the medium.

int lvw_medium_open(const char *path);
void lvw_medium_close(int descriptor);
// Whether a folder is still the one at its path, and the kernel still knows the device that it is on.
bool lvw_medium_is_there(int folder, const char *path);
// Calls a function with each name, until it returns false.
int lvw_medium_list(int folder, bool (*function)(const char *name, void *context), void *context);
// A regular file in a folder, with its size and the time of its last change, brought within the years 1 to 9999; -ENOENT for links
// and all that is no file.
int lvw_medium_file(int folder, const char *name, int64_t *size, int64_t *changed_us);
// How many bytes; 0 at the end.
long lvw_medium_read(int file, void *to, size_t room);
// The beginning of a file: how many bytes.
long lvw_file_text(const char *path, void *to, size_t room);
// Whether a block device is a medium that people take away, and not of the disk with the system's root; `sysfs` is "/sys".
bool lvw_medium_is_removable(const char *sysfs, uint32_t major, uint32_t minor, uint32_t root_major, uint32_t root_minor);

// A camera by Video4Linux (the kernel's userspace API, V4L2). Nothing here needs a library. Any thread; each call opens the device
// and closes it.

// The path of the first device that captures pictures, /dev/video0 first: its length, or a negative errno: -ENODEV where there is
// none, -EACCES or -EBUSY where there is only one that cannot be asked, -ENAMETOOLONG.
int lvw_camera_find(char *path, size_t room);
// Whether a device captures pictures, without using it: 0 or a negative errno (-EACCES, -EBUSY, -ENODEV, -ENOENT, -ENOTTY for what
// is none, -ENOTSUP for one whose formats are not known here).
int lvw_camera_check(const char *path);
// Takes one picture, a JPEG or a PNG that malloc has made, of the size that is nearest to the wanted one (0: the largest that the
// device offers, up to 1920 x 1080). 0 or a negative errno, with no picture: -EBUSY somebody else uses it, -EACCES, -ENODEV it is not
// there, is gone or was pulled out, -ENOTTY no camera, -ETIMEDOUT no picture came in time, -ECANCELED, -EFBIG more bytes than
// `most`, -ENOTSUP only formats that are not known here, -EPROTO it says what cannot be, -ENOMEM, or another of the kernel's (-EIO).
// `is_cancelled` is asked every 50 ms or so, and may be NULL.
int lvw_camera_capture(const char *path, uint32_t width, uint32_t height, int timeout_ms, size_t most,
                       bool (*is_cancelled)(void *context), void *context, void **bytes, size_t *length);

#endif
