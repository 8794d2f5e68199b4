/**
 * @file livery/picker.h
 * Picking an image: from a folder or a removable medium, from a camera, or from a person who uploads it.
 *
 * Part of liblivery-workflow.so; livery.h does not include it.
 *
 *     static void done(const livery_picker_result *result, void *user_data) {
 *       if (result->status == LIVERY_OK) printf("%s\n", result->asset);
 *       else fprintf(stderr, "%s\n", result->message);
 *     }
 *
 *     livery_picker_options options = LIVERY_PICKER_OPTIONS_INIT;
 *     options.source = LIVERY_PICKER_CAMERA;
 *     options.setting = "branding.image.backgroundImage";
 *     livery_picker_start(store, &options, done, NULL, NULL, NULL);
 *
 * What comes of it is an asset (livery/asset.h), and one commit stores it together with the setting that shows it: nobody ever
 * sees the one without the other.
 *
 * Before a source is used there is permission. What is known of it is the setting `picker.<source>` with the source's name,
 * `folder`, `camera` or `upload`, and one of the texts "granted", "denied" and "restricted"; anything else counts as the last.
 * Where nothing is known the program's function is asked, and what it says of a person is kept in the layer `user`, with its
 * history. A console that enforces `picker.camera` as "restricted" has the last word on all devices. Where permission is denied
 * another function of the program decides what comes then: asking again, another source, or the end.
 *
 * A camera is one that the program brings along (livery_picker_set_camera()), or a device of Video4Linux. It is used only if the
 * setting `usage.camera` has a text that tells people what for; declare it in the schema, or set it.
 *
 * An upload is a request for the prompt `photo-upload` (livery/prompt.h), which the page of liblivery-page.so shows where nobody else
 * does.
 *
 * docs/workflow.md tells the rest.
 */
#ifndef LIVERY_PICKER_H
#define LIVERY_PICKER_H

#include <livery.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The most bytes that an image may have if `max_size` is 0. */
#define LIVERY_PICKER_SIZE_DEFAULT 16777216
/** The most files that livery_picker_list() tells of. */
#define LIVERY_PICKER_LIST_MAX 10000

/** Picking, while it is under way. */
typedef struct livery_picker livery_picker;
/** A question to the program, to be answered once: see livery_picker_permit() and livery_picker_decide(). */
typedef struct livery_picker_ask livery_picker_ask;
/** A picture that the program's camera is to take: see livery_picker_taken(). */
typedef struct livery_picker_shot livery_picker_shot;

/** Where an image comes from. The numbers are pinned for ever. */
typedef int32_t livery_picker_source;
enum {
  /** A file in a folder, which may be that of a removable medium. */
  LIVERY_PICKER_FOLDER = 1,
  /** A camera. */
  LIVERY_PICKER_CAMERA = 2,
  /** A person, by the prompt `photo-upload`. */
  LIVERY_PICKER_UPLOAD = 3
};

/** What is known about the permission to use a source. The numbers are pinned for ever. */
typedef int32_t livery_picker_permission;
enum {
  /** Nobody was asked yet. */
  LIVERY_PICKER_NOT_ASKED = 0,
  /** It may be used. */
  LIVERY_PICKER_GRANTED = 1,
  /** A person, or the operating system, said no. */
  LIVERY_PICKER_DENIED = 2,
  /** It may not be used here, whatever a person says: the program or an administrator has decided so. */
  LIVERY_PICKER_RESTRICTED = 3
};

/** What is to happen where a source may not be used. The numbers are pinned for ever. */
typedef int32_t livery_picker_decision;
enum {
  /** Nothing more: picking ends. */
  LIVERY_PICKER_STOP = 0,
  /** Ask for permission again. Where there is no function to ask, the source is tried once more, and what comes of that is the end. */
  LIVERY_PICKER_AGAIN = 1,
  /** Use another source. */
  LIVERY_PICKER_OTHER = 2
};

/** What came of it. It and all that it points to are valid during the call. */
typedef struct livery_picker_result {
  /** The size of this struct in the library, in bytes. */
  size_t struct_size;
  /** #LIVERY_OK, or why there is no image; see livery_picker_start(). */
  livery_status status;
  /** One line for people: why there is none; "" if there is one. Never NULL. */
  const char *message;
  /** The source that was used last. */
  livery_picker_source source;
  /** What was known about the permission to use it. */
  livery_picker_permission permission;
  /** The asset's id; NULL if there is none. */
  const char *asset;
  /** What is known of the asset, as livery_asset_info() tells it; NULL if there is none. Retain it to keep it. */
  livery_value *info;
  /** The revision of the commit that stored asset and setting, or the present one if nothing had to change; 0 if there is none. */
  uint64_t revision;
} livery_picker_result;

/** Receives what came of it, on the store's watcher thread or in livery_dispatch(). It may call anything. */
typedef void (*livery_picker_done_fn)(const livery_picker_result *result, void *user_data);

/**
 * Is asked for permission to use a source; it answers by livery_picker_permit(), now or later and on any thread.
 *
 * Called where `done` is, only if nothing is known or #LIVERY_PICKER_AGAIN was decided: `known` says what.
 */
typedef void (*livery_picker_permission_fn)(livery_picker_ask *ask, livery_picker_source source, livery_picker_permission known,
                                            void *user_data);

/**
 * Decides what comes where a source may not be used; it answers by livery_picker_decide(), now or later and on any thread.
 *
 * Called where `done` is. `permission` is #LIVERY_PICKER_DENIED or #LIVERY_PICKER_RESTRICTED; `message` says by whom, and is
 * valid during the call.
 */
typedef void (*livery_picker_denied_fn)(livery_picker_ask *ask, livery_picker_source source,
                                        livery_picker_permission permission, const char *message, void *user_data);

/** Bits of livery_picker_options.flags. */
enum {
  /** Call the functions from livery_dispatch() alone, for programs with a main loop, in place of the watcher thread. */
  LIVERY_PICKER_DISPATCH = 1 << 0
};

/** What to pick, and from where. Zero or NULL in any member but `source` means its default. */
typedef struct livery_picker_options {
  /** sizeof(livery_picker_options) */
  size_t struct_size;
  /** A sum of `LIVERY_PICKER_*` bits. */
  uint32_t flags;
  /** Where from: one of `LIVERY_PICKER_FOLDER` to `LIVERY_PICKER_UPLOAD`. */
  livery_picker_source source;
  /** Of a folder: its path, UTF-8 of up to 4,096 bytes; required there, also to change to that source later. */
  const char *folder;
  /** Of a folder: the name of a file in it, as livery_picker_list() tells it; up to 255 bytes, without a slash. Required as
      `folder` is. */
  const char *file;
  /** Of a camera: the path of the device; by default the program's camera, or the first device there is. */
  const char *device;
  /** Of a camera: how large a picture is wanted, in pixels; the nearest size that it can take is used. 0 for the largest up to
      1,920 × 1,080; at most 16,384. */
  uint32_t width, height;
  /** The most bytes that the image may have; 0 for #LIVERY_PICKER_SIZE_DEFAULT, at most #LIVERY_ASSET_MAX. */
  uint32_t max_size;
  /** How long the source may take, in milliseconds; 0 for 10,000 with a camera, 60,000 with a folder, and as long as the person
      needs with an upload; at most 86,400,000. */
  uint32_t timeout_ms;
  /** The setting that is to show the image; NULL for none. */
  const char *setting;
  /** The layer that it is set in: `LIVERY_LAYER_*`; 0 for the layer `user`. */
  livery_layer layer;
  /** Asks for permission; NULL where that is none of the program's business: then a source that nothing is known about is used, and
      one that is known to be denied or restricted is not. */
  livery_picker_permission_fn permission;
  /** Decides what comes where there is none; NULL for the end. */
  livery_picker_denied_fn denied;
} livery_picker_options;

/** Nothing; `source` has to be said. */
#define LIVERY_PICKER_OPTIONS_INIT \
  { sizeof(livery_picker_options), 0, 0, NULL, NULL, NULL, 0, 0, 0, 0, NULL, 0, NULL, NULL }

/**
 * Pick an image.
 *
 * `done` is called exactly once, and `destroy` once after it: on the watcher thread, or in livery_dispatch(); when the store is
 * closed first, mostly on the thread that closes it; when starting fails with the same status on this thread, before this
 * function returns. What it is told in livery_picker_result.status unless there is an image:
 *
 *   - #LIVERY_ERROR_REFUSED        the source may not be used, as a person or the program said; or who was asked for an upload
 *     has refused
 *   - #LIVERY_ERROR_PERMISSION     the operating system lets this process use neither file nor device
 *   - #LIVERY_ERROR_UNAVAILABLE    there is no such folder, or its medium was pulled out, also while it was read; there is no camera, it
 *     was pulled out, or takes no pictures that are understood here; the setting `usage.camera` has no text; nobody shows the prompt
 *     `photo-upload`
 *   - #LIVERY_ERROR_NOT_FOUND      there is no such file in the folder, or what has the name is a link, a folder, a pipe or a device
 *   - #LIVERY_ERROR_BUSY           somebody else uses the camera, another writer kept the store for too long, or 32 media and devices have
 *     not answered this process yet, also those that were given up
 *   - #LIVERY_ERROR_TIMEOUT        the source took too long
 *   - #LIVERY_ERROR_INVALID_VALUE  the image is larger than `max_size`
 *   - #LIVERY_ERROR_PARSE          it is empty, no image that is known, or one whose header is damaged or cut short; what comes behind the
 *     header is not decoded
 *   - #LIVERY_ERROR_IO             another failure of medium or device, or the file has changed while it was read
 *   - #LIVERY_ERROR_NO_MEMORY      there is no memory for the image
 *   - #LIVERY_ERROR_CANCELLED      by livery_picker_cancel(), or the person has closed the prompt
 *   - #LIVERY_ERROR_CLOSED         the store was closed
 *   - what the program's camera has failed with
 *   - any of livery_change_put_asset() and livery_change_commit(), for the setting, and of livery_asset_info(), for an upload
 *
 * Threads: any. Does not wait: files and devices are read on a thread of its own.
 *
 * @param store        an open store
 * @param options      what to pick, and from where
 * @param done         the function to call
 * @param user_data    handed to `done`, `permission`, `denied` and `destroy`
 * @param destroy      called once, after `done`; may be NULL
 * @param[out] picker  a handle, which ends when `done` is called; untouched on failure; may be NULL
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  `store`, `options` or `done` is NULL; an option is unknown, malformed, out of range, or
 *     missing for the source; or `layer` is none
 *   - any other of livery_claim() and livery_watch_start()
 * @since 0.1
 */
LIVERY_API livery_status livery_picker_start(livery_store *store, const livery_picker_options *options,
                                             livery_picker_done_fn done, void *user_data, livery_destroy_fn destroy,
                                             livery_picker **picker);

/**
 * Pick no longer: `done` is told #LIVERY_ERROR_CANCELLED, unless it is on its way with something else. Nothing is stored then.
 *
 * Threads: any, also from inside the functions. Never blocks.
 *
 * @param picker  what is under way, or NULL for nothing to happen
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_CLOSED  it has ended
 * @since 0.1
 */
LIVERY_API livery_status livery_picker_cancel(livery_picker *picker);

/**
 * Answer a livery_picker_permission_fn, once.
 *
 * #LIVERY_PICKER_GRANTED and #LIVERY_PICKER_DENIED are kept as what a person said, in the setting `picker.<source>` of the layer
 * `user`; where that cannot be set they count for this time alone. #LIVERY_PICKER_RESTRICTED and #LIVERY_PICKER_NOT_ASKED (the
 * person has not decided, which counts as denied) are not kept.
 *
 * Threads: any.
 *
 * @param ask         the question
 * @param permission  one of `LIVERY_PICKER_NOT_ASKED` to `LIVERY_PICKER_RESTRICTED`
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_CLOSED            it was answered before, or picking has ended
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  `ask` is NULL or another question, or `permission` is none
 * @since 0.1
 */
LIVERY_API livery_status livery_picker_permit(livery_picker_ask *ask, livery_picker_permission permission);

/**
 * Answer a livery_picker_denied_fn, once.
 *
 * Threads: any.
 *
 * @param ask       the question
 * @param decision  one of `LIVERY_PICKER_STOP` to `LIVERY_PICKER_OTHER`
 * @param source    with #LIVERY_PICKER_OTHER the source to use, with the options that were given at the start; otherwise 0
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_CLOSED            it was answered before, or picking has ended
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  `ask` is NULL or another question, `decision` or `source` is none, or the options lack what the
 *     source needs
 * @since 0.1
 */
LIVERY_API livery_status livery_picker_decide(livery_picker_ask *ask, livery_picker_decision decision,
                                              livery_picker_source source);

/**
 * What is known about the permission to use a source: the setting `picker.<source>`.
 *
 * Threads: any. Never waits for a writer.
 *
 * @param store            an open store
 * @param source           one of `LIVERY_PICKER_FOLDER` to `LIVERY_PICKER_UPLOAD`
 * @param[out] permission  untouched on failure
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  a pointer is NULL, or `source` is none
 *   - #LIVERY_ERROR_CORRUPT           the stored record is damaged
 * @since 0.1
 */
LIVERY_API livery_status livery_picker_known_permission(livery_store *store, livery_picker_source source,
                                                        livery_picker_permission *permission);

/**
 * Whether there is a camera that can be used: one of the program's, or a device; and the setting `usage.camera` has a text.
 *
 * The answer is that of the moment; permission and other users of the camera are found out when a picture is taken: a device that this
 * process may not use, or that somebody else uses, is there.
 *
 * Threads: any. Looks at the devices, without using them. With a camera of the program's it calls its `available`.
 *
 * @param store           an open store
 * @param[out] available  untouched on failure
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  a pointer is NULL
 *   - #LIVERY_ERROR_CORRUPT           the stored record of `usage.camera` is damaged
 *   - any other of livery_claim() and livery_watch_start()
 * @since 0.1
 */
LIVERY_API livery_status livery_picker_camera_available(livery_store *store, bool *available);

/**
 * A camera of the program's: its functions are called on any thread, with nothing locked, and return soon. They may call anything,
 * also livery_close().
 */
typedef struct livery_picker_camera {
  /** sizeof(livery_picker_camera) */
  size_t struct_size;
  /** 0. */
  uint32_t flags;
  /** Whether there is a camera at the moment; NULL for always. */
  bool (*available)(void *user_data);
  /**
   * Begins to take a picture, which livery_picker_taken() hands over, now or later. `width` and `height` are what was wanted, 0 for
   * nothing in particular.
   *
   * @return #LIVERY_OK, or the status that picking is to fail with and what livery_error_leave() has left: #LIVERY_ERROR_BUSY,
   *   #LIVERY_ERROR_PERMISSION (which counts as denied), #LIVERY_ERROR_UNAVAILABLE
   */
  livery_status (*take)(livery_picker_shot *shot, uint32_t width, uint32_t height, void *user_data);
  /** The picture is wanted no longer: called at most once for each that was not handed over; may be NULL. */
  void (*cancel)(livery_picker_shot *shot, void *user_data);
} livery_picker_camera;

/**
 * Use a camera of the program's for picking by this handle on the store, in place of devices; NULL for devices again.
 *
 * Threads: any.
 *
 * @param store      an open store
 * @param camera     its functions, copied; or NULL
 * @param user_data  handed to the functions
 * @param destroy    called once, when the functions are needed no more or this fails; may be NULL
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  `store` or `take` is NULL, or a flag is unknown
 *   - any other of livery_claim() and livery_watch_start()
 * @since 0.1
 */
LIVERY_API livery_status livery_picker_set_camera(livery_store *store, const livery_picker_camera *camera, void *user_data,
                                                  livery_destroy_fn destroy);

/**
 * Hand over the picture that a camera has taken, once for each that `take` has returned #LIVERY_OK for; or, with a status, say
 * why there is none.
 *
 * Threads: any.
 *
 * @param shot    what was asked for
 * @param status  #LIVERY_OK, or why there is no picture
 * @param bytes   an image in a format that assets know; copied, unless it is larger than it may be; ignored unless the status is
 *                #LIVERY_OK
 * @param length  how many
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_CLOSED            it was handed over before, or picking has ended
 *   - #LIVERY_ERROR_NO_MEMORY         there is no memory for the copy: it may be handed over again
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  `shot` is NULL, `bytes` is NULL with #LIVERY_OK, or `status` is none
 * @since 0.1
 */
LIVERY_API livery_status livery_picker_taken(livery_picker_shot *shot, livery_status status, const void *bytes, size_t length);

/**
 * The images in a folder, for people to choose from.
 *
 * The result is a list, in the order of the names, of objects: `name` (text), `type` (the media type, by content), `bytes` (an
 * integer) and `time` (a date: when it was changed last, or the nearest moment of the years 1 to 9999). It has regular files
 * alone, which are no links and whose names are UTF-8, and of those #LIVERY_PICKER_LIST_MAX at most. Each file's first bytes are
 * read.
 *
 * Threads: any. Waits for the medium.
 *
 * @param folder       its path, UTF-8 of up to 4,096 bytes
 * @param[out] images  a list: release it; untouched on failure
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_UNAVAILABLE       there is no such folder, or the medium was pulled out
 *   - #LIVERY_ERROR_PERMISSION        this process may not read it
 *   - #LIVERY_ERROR_IO                another failure of the medium
 *   - #LIVERY_ERROR_NO_MEMORY         there is no memory for it
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  a pointer is NULL, or the path is malformed
 * @since 0.1
 */
LIVERY_API livery_status livery_picker_list(const char *folder, livery_value **images);

/**
 * The removable media that are mounted: USB sticks, memory cards and the like.
 *
 * The result is a list, in the order in which they were mounted, of objects: `path` (text: the folder), `device` (text: such as
 * "/dev/sda1"), `fileSystem` (text: such as "vfat") and `readOnly` (bool). A device counts if the kernel calls it removable, or
 * if it is attached by USB or is a memory card (sysfs), and has not the system's root.
 *
 * Threads: any. Does not wait for the media.
 *
 * @param[out] media  a list: release it; untouched on failure
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_IO                /proc/self/mountinfo cannot be read
 *   - #LIVERY_ERROR_NO_MEMORY         there is no memory for it
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  `media` is NULL
 * @since 0.1
 */
LIVERY_API livery_status livery_picker_media(livery_value **media);

#ifdef __cplusplus
}
#endif

#endif
