/**
 * @file livery/images.h
 * Images that text is shown on: an extension, liblivery-images.so, that decodes images and judges by their pixels.
 *
 * Text is legible where its contrast (WCAG 2.x) with what is behind it is at least 4.5. An image that is judged is decoded
 * once, when it is stored or later, and what legibility follows from is kept with the asset: at most 4 KiB, which answer for
 * any color of text afterwards. livery_branding_check() reads it too.
 *
 *     char id[LIVERY_ASSET_ID_SIZE];
 *     livery_images_put(store, png, png_length, 0, id);
 *     livery_images_legibility(store, id, white, background, NULL, &share);
 *
 * PNG, JPEG, WebP and SVG are judged; of an animation the first frame. What is not opaque is judged over the background
 * color that is given. An image is refused that has more than 67,108,864 pixels, that takes more than 256 MiB or 10 s to
 * decode, or that is damaged. The time is looked at between rows, for WebP between pieces of the file. SVG is drawn with a
 * longer side of 1,024 pixels, without anything that the document refers to outside of itself, by the program `livery-images`
 * in a process of its own, which has 512 MiB of address space and the same 10 s.
 */
#ifndef LIVERY_IMAGES_H
#define LIVERY_IMAGES_H

#include <livery.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Statuses of its own. */
enum {
  /**
   * The program `livery-images`, which draws SVG, is not there, cannot be started, or ended otherwise than by the document:
   * without libraries that it needs, say, or by the kernel for want of memory. The message says which.
   */
  LIVERY_IMAGES_ERROR_UNAVAILABLE = -1101
};

/** Bits of livery_images_put() and livery_images_put_into(). */
enum {
  /** Store images, too, that cannot be judged. The reason is kept with the asset. */
  LIVERY_IMAGES_ANY = 1 << 0
};

/**
 * Store an image as an asset, and with it what legibility follows from, in one commit.
 *
 * Like livery_asset_put() it makes no revision and no event. An image that is stored already is judged anew.
 *
 * Threads: any. Decodes on this thread. Waits for other writers, at most `busy_timeout_ms`, and for the disk.
 *
 * @param store     an open store
 * @param bytes     the content of an image file; copied
 * @param length    in bytes, 1 to #LIVERY_ASSET_MAX
 * @param flags     0, or #LIVERY_IMAGES_ANY
 * @param[out] id   a buffer of #LIVERY_ASSET_ID_SIZE bytes: the asset's id; may be NULL; untouched on failure
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_PARSE               the bytes are no image, or one that is damaged or refused; the message says why
 *   - #LIVERY_ERROR_INVALID_VALUE       there are no bytes, or more than #LIVERY_ASSET_MAX
 *   - #LIVERY_ERROR_READ_ONLY           the store was opened read-only
 *   - #LIVERY_IMAGES_ERROR_UNAVAILABLE  an SVG image, and nothing that draws it now
 *   - #LIVERY_ERROR_NO_MEMORY           there is no memory to decode with
 *   - #LIVERY_ERROR_INVALID_ARGUMENT    `store` or `bytes` is NULL, or an unknown flag
 *   - any other of livery_change_commit()
 * @since 0.1
 */
LIVERY_API livery_status livery_images_put(livery_store *store, const void *bytes, size_t length, uint32_t flags, char *id);

/**
 * Add an image and what legibility follows from to a change set: both are stored by the same commit as the edits.
 *
 * Threads: any; calls on one change set wait for each other. Decodes on this thread.
 *
 * @param change    a change set
 * @param bytes     the content of an image file; copied
 * @param length    in bytes, 1 to #LIVERY_ASSET_MAX
 * @param flags     0, or #LIVERY_IMAGES_ANY
 * @param[out] id   a buffer of #LIVERY_ASSET_ID_SIZE bytes: the asset's id; may be NULL; untouched on failure
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_PARSE               the bytes are no image, or one that is damaged or refused; the message says why
 *   - #LIVERY_ERROR_INVALID_VALUE       there are no bytes, or more than #LIVERY_ASSET_MAX
 *   - #LIVERY_IMAGES_ERROR_UNAVAILABLE  an SVG image, and nothing that draws it now
 *   - #LIVERY_ERROR_NO_MEMORY           there is no memory to decode with
 *   - #LIVERY_ERROR_INVALID_ARGUMENT    `change` or `bytes` is NULL, or an unknown flag
 *   - any other of livery_change_put_asset()
 * @since 0.1
 */
LIVERY_API livery_status livery_images_put_into(livery_change *change, const void *bytes, size_t length, uint32_t flags,
                                                char *id);

/** Bits of livery_images_judge(). */
enum {
  /** Judge images, too, that were judged before. */
  LIVERY_IMAGES_AGAIN = 1 << 0
};

/**
 * Judge assets that were stored without it, as livery_asset_put() and livery_branding_apply_plist() do: one, or all.
 *
 * What is found out about each is committed by itself. Assets that are no images are passed over. Where an image is
 * refused the reason is kept, so that it is not decoded again.
 *
 * The report is an object: `judged` and `known` (numbers: images that were judged now, and before), and `refused`, a list
 * of objects `id`, `reason` and `final` (bool; false: the reason is not kept, and it may be judged another time, as nothing
 * drew SVG now, or there was no memory, or the stored asset is damaged).
 *
 * Threads: any. Decodes on this thread. Waits for other writers, at most `busy_timeout_ms`, and for the disk.
 *
 * @param store         an open store
 * @param id            an asset's id, in either letter case, or NULL for all assets
 * @param flags         0, or #LIVERY_IMAGES_AGAIN
 * @param[out] report   release it; may be NULL; untouched on failure
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_NOT_FOUND         there is no such asset
 *   - #LIVERY_ERROR_READ_ONLY         the store was opened read-only
 *   - #LIVERY_ERROR_CORRUPT           the asset of the id is damaged, or a stored value is
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  `store` is NULL, the text is no id, or an unknown flag
 *   - any other of livery_asset_list() and livery_change_commit(); what was judged before that stays
 * @since 0.1
 */
LIVERY_API livery_status livery_images_judge(livery_store *store, const char *id, uint32_t flags, livery_value **report);

/** A part of an image that text lies on, in fractions of its sides as shown: 0, 0 is the upper left corner. */
typedef struct livery_images_area {
  double x, y, width, height;
  /** How much the area counts for its size; not negative. */
  double weight;
} livery_images_area;

/** How legibility is judged. Zero in any member means its default. */
typedef struct livery_images_options {
  /** sizeof(livery_images_options) */
  size_t struct_size;
  /** Where text lies; NULL for the whole image. What lies outside of the image does not count. */
  const livery_images_area *areas;
  /** How many there are, at most 1,000. */
  size_t area_count;
  /** The contrast wanted, from 1 to 21; 0 counts as 4.5. */
  double required;
} livery_images_options;

/** The defaults. */
#define LIVERY_IMAGES_OPTIONS_INIT { sizeof(livery_images_options), NULL, 0, 0 }

/**
 * Tell on how much of an image a text is illegible: the share of pixels with which it has too little contrast.
 *
 * Nothing is decoded. Without areas the share is exact to 0.004 for an opaque image; with areas it is taken from a grid of
 * 10 by 10 cells. A pixel counts to one side or the other where its contrast is within 0.05 % of the one wanted; with areas
 * within 1 %, save in cells of one luminance. Pixels that are not opaque are seen over the background, and that is seen over white. What the image does
 * not cover of the screen is not part of it. Of text that is not opaque the color behind it is taken for the gray of the same
 * luminance.
 *
 * Threads: any. Never blocks, never waits for a writer.
 *
 * @param store       an open store
 * @param id          the asset's id, in either letter case
 * @param text        the color of the text
 * @param background  the color beneath the image
 * @param options     NULL for the defaults
 * @param[out] share  from 0 to 1; untouched on failure
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_NOT_FOUND         there is no such asset
 *   - #LIVERY_ERROR_NO_VALUE          the image was never judged (livery_images_judge()), or cannot be; the message says which
 *   - #LIVERY_ERROR_CORRUPT           the stored asset is damaged: put the same bytes again, or restore a backup
 *   - #LIVERY_ERROR_INVALID_VALUE     a component of a color is not a number from 0 to 1, or an area has a negative size or
 *     weight, or no area is in the image
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  a pointer is NULL, the text is no id, or an option is malformed
 * @since 0.1
 */
LIVERY_API livery_status livery_images_legibility(livery_store *store, const char *id, livery_color text,
                                                  livery_color background, const livery_images_options *options,
                                                  double *share);

#ifdef __cplusplus
}
#endif

#endif
