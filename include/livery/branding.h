/**
 * @file livery/branding.h
 * Branding: colors, images that are matched to the device, brands that are switched as one, and their legibility.
 *
 * What is in effect are settings: `branding.color.Toolbar`, `branding.image.logo`, `branding.url.help`,
 * `branding.file.…`, `branding.option.…`, `branding.name` and `branding.identifier`. They are read, watched, explained
 * and undone like any other, and a schema need not declare them. Where they come from is told by their layers: the
 * console's payload is in `recommended`, what the app ships in `bundle`, and the built-in default is the schema's
 * default. A source that is switched off, and a brand that is not active, has its values in settings named `brands.…`,
 * which are this module's own. docs/branding.md tells the rest.
 */
#ifndef LIVERY_BRANDING_H
#define LIVERY_BRANDING_H

#include "change.h"

#ifdef __cplusplus
extern "C" {
#endif

/** One of the six colors that every brand has: the bar at the top. */
#define LIVERY_COLOR_TOOLBAR "Toolbar"
/** One of the six colors that every brand has: what is written on it. */
#define LIVERY_COLOR_TOOLBAR_TEXT "ToolbarText"
/** One of the six colors that every brand has: the background of all screens. */
#define LIVERY_COLOR_PRIMARY_HIGHLIGHT "PrimaryHighlight"
/** One of the six colors that every brand has: what is written on it. */
#define LIVERY_COLOR_PRIMARY_TEXT "PrimaryText"
/** One of the six colors that every brand has: the background of what stands out. */
#define LIVERY_COLOR_SECONDARY_HIGHLIGHT "SecondaryHighlight"
/** One of the six colors that every brand has: what is written on it. */
#define LIVERY_COLOR_SECONDARY_TEXT "SecondaryText"

/** How to write a color. */
typedef int32_t livery_color_style;
enum {
  /** `#RRGGBB`, or `#RRGGBBAA` if it is not opaque. */
  LIVERY_COLOR_HEX = 0,
  /** `#RRGGBBAA`. */
  LIVERY_COLOR_HEX_ALPHA = 1,
  /** `rgb(12, 38, 64)`, or `rgba(12, 38, 64, 0.5)`. */
  LIVERY_COLOR_RGB = 2,
  /** `hsl(210, 68.42%, 14.9%)`, or `hsla(…, 0.5)`. */
  LIVERY_COLOR_HSL = 3,
  /** The name in CSS, such as `navy`; as #LIVERY_COLOR_HEX for a color without one. */
  LIVERY_COLOR_NAME = 4
};

/** Kinds of devices. */
typedef int32_t livery_idiom;
enum {
  LIVERY_IDIOM_PHONE = 1,
  LIVERY_IDIOM_TABLET = 2,
  LIVERY_IDIOM_TV = 3,
  LIVERY_IDIOM_DESKTOP = 4,
  LIVERY_IDIOM_WATCH = 5
};

/** Values of livery_traits.appearance. */
enum { LIVERY_APPEARANCE_LIGHT = 1, LIVERY_APPEARANCE_DARK = 2 };
/** Values of livery_traits.orientation. */
enum { LIVERY_ORIENTATION_PORTRAIT = 1, LIVERY_ORIENTATION_LANDSCAPE = 2 };
/** Values of livery_traits.contrast. */
enum { LIVERY_CONTRAST_NORMAL = 1, LIVERY_CONTRAST_HIGH = 2 };

/** What is known of a device and its settings. Zero in any member means that it is not known. */
typedef struct livery_traits {
  /** sizeof(livery_traits) */
  size_t struct_size;
  /** One of `LIVERY_IDIOM_*`. */
  livery_idiom idiom;
  /** One of `LIVERY_APPEARANCE_*`. */
  int32_t appearance;
  /** One of `LIVERY_ORIENTATION_*`; 0 for what `width` and `height` say. */
  int32_t orientation;
  /** One of `LIVERY_CONTRAST_*`. */
  int32_t contrast;
  /** Pixels a point, at most 100; 0 counts as 1. */
  double scale;
  /** The screen's size in points, at most 1,000,000. */
  double width, height;
  /** A language tag such as "de-AT", at most 63 bytes; NULL if it is not known. */
  const char *locale;
} livery_traits;

/** Nothing is known. */
#define LIVERY_TRAITS_INIT { sizeof(livery_traits), 0, 0, 0, 0, 0, 0, 0, NULL }

/** A rectangle; x and y are those of its upper left corner. */
typedef struct livery_rect {
  double x, y, width, height;
} livery_rect;

/** Bits of livery_branding_options.flags. */
enum {
  /** Keep the brand for livery_branding_use(), unless it is the active one. */
  LIVERY_BRANDING_KEEP = 1 << 0
};

/** How to apply a branding property list. Zero in any member means its default. */
typedef struct livery_branding_options {
  /** sizeof(livery_branding_options) */
  size_t struct_size;
  /** The identifier of the brand, at most 200 bytes; NULL for the bundle's own, or "default" if it tells none. */
  const char *brand;
  /** The directory that the images named are in: they are stored as assets by the same commit. NULL to keep names. */
  const char *bundle;
  /** Kept with each value, as with livery_change_origin(); NULL for "bundle". */
  const char *origin;
  /** A sum of `LIVERY_BRANDING_*` bits. */
  uint32_t flags;
  /** 0 */
  uint32_t reserved;
} livery_branding_options;

/** The defaults. */
#define LIVERY_BRANDING_OPTIONS_INIT { sizeof(livery_branding_options), NULL, NULL, NULL, 0, 0 }

/**
 * Read a color as CSS Color 4 writes it: `#RGB` `#RGBA` `#RRGGBB` `#RRGGBBAA`, `rgb()` `rgba()` `hsl()` `hsla()` with
 * commas or spaces, `hwb()` `lab()` `lch()` `oklab()` `oklch()`, `color()` with the predefined spaces (`srgb`,
 * `srgb-linear`, `display-p3`, `a98-rgb`, `prophoto-rgb`, `rec2020`, `xyz`, `xyz-d50`, `xyz-d65`), the named colors and
 * `transparent`, in any letter case.
 *
 * Components out of range are brought into it, as CSS does, and `none` is 0. A color that sRGB does not have is cut to
 * it, component by component. Space around the color and comments are skipped. Where a color is spelled by whole 8-bit
 * components the result is exact: it equals that of every other spelling.
 *
 * Threads: any. Never blocks.
 *
 * @param text        UTF-8
 * @param length      in bytes, or #LIVERY_ZERO_TERMINATED; at most 1,024
 * @param[out] color  untouched on failure
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_PARSE             not a color as CSS writes it
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  a pointer is NULL
 * @since 0.1
 */
LIVERY_API livery_status livery_color_parse(const char *text, size_t length, livery_color *color);

/**
 * Write a color, rounded to 8 bits a component. livery_color_parse() reads the same 8 bits back, from every style.
 *
 * Threads: any. Never blocks.
 *
 * @param color        a color
 * @param style        one of `LIVERY_COLOR_*`
 * @param[out] buffer  gets the text and a NUL; 64 bytes are always enough; NULL with capacity 0 to ask for the length
 * @param capacity     of the buffer, in bytes
 * @param[out] length  of the text without the NUL, also stored if it does not fit; may be NULL
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_INVALID_VALUE     a component is not a number from 0 to 1
 *   - #LIVERY_ERROR_BUFFER_TOO_SMALL  the buffer cannot hold text and NUL
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  no such style, or `buffer` is NULL and `capacity` is not 0
 * @since 0.1
 */
LIVERY_API livery_status livery_color_format(livery_color color, livery_color_style style, char *buffer,
                                             size_t capacity, size_t *length);

/**
 * The contrast of WCAG 2.x between text and its background: 1 for none to 21 for black on white. 4.5 is enough for
 * text, 3 for large text.
 *
 * Text that is not opaque is seen over the background, and a background that is not opaque over white.
 *
 * Threads: any. Never blocks.
 *
 * @param text        a color
 * @param background  a color
 * @param[out] ratio  untouched on failure
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_INVALID_VALUE     a component is not a number from 0 to 1
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  a pointer is NULL
 * @since 0.1
 */
LIVERY_API livery_status livery_color_contrast(livery_color text, livery_color background, double *ratio);

/**
 * Black or white, whichever is more legible on a background.
 *
 * Threads: any. Never blocks.
 *
 * @param background  a color
 * @param[out] text   untouched on failure
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_INVALID_VALUE     a component is not a number from 0 to 1
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  a pointer is NULL
 * @since 0.1
 */
LIVERY_API livery_status livery_color_legible_on(livery_color background, livery_color *text);

/**
 * The color nearest to one that has a contrast with another: hue and saturation (HSL) stay, lightness moves by the
 * least that is enough, in steps of 1/1024, darker if both ways are as far. The result is opaque and of 8 bits a
 * component, so that it has the contrast also as it is written.
 *
 * Threads: any. Never blocks.
 *
 * @param color         the color to change
 * @param other         what it is seen with, such as the background of text
 * @param ratio         the contrast wanted, from 1 to 21
 * @param[out] nearest  untouched on failure
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_NO_VALUE          not even black or white has that contrast with `other`
 *   - #LIVERY_ERROR_INVALID_VALUE     a component is not a number from 0 to 1
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  `nearest` is NULL, or `ratio` is not from 1 to 21
 * @since 0.1
 */
LIVERY_API livery_status livery_color_nearest_passing(livery_color color, livery_color other, double ratio,
                                                      livery_color *nearest);

/**
 * Where an image goes that is shown whole, as large as it can be and in the middle. What it does not cover shows the
 * background color.
 *
 * Threads: any. Never blocks.
 *
 * @param width             of the image
 * @param height            of the image
 * @param available_width   of the place
 * @param available_height  of the place
 * @param[out] rect         in the units of the place; untouched on failure
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  `rect` is NULL, or a side is not more than 0 and at most 1,000,000,000
 * @since 0.1
 */
LIVERY_API livery_status livery_aspect_fit(double width, double height, double available_width, double available_height,
                                           livery_rect *rect);

/**
 * Choose among variants of an image by a device, without a store.
 *
 * A variant is an object: `image` (an image reference or a URL) and, where they matter, `locale` (text), `idiom`
 * (`phone` `tablet` `tv` `desktop` `watch`), `appearance` (`light` `dark`), `contrast` (`normal` `high`),
 * `orientation` (`portrait` `landscape`), `width`, `height` and `longest` (points that the screen, or its longer
 * side, has at least), `aspect` (such as `16:9`) and `scale`. Other members mean nothing.
 *
 * The rule: variants that contradict the device drop out. Then these qualities decide one after another, in this
 * order; of the variants that are left those stay that fit best. One that asks for what the device has fits better
 * than one that asks for nothing, which fits better than one that asks for what is not known of the device. Of
 * locales the longest fits best, of sizes the largest, of aspects the nearest. The scale comes last: the smallest
 * that is large enough, else the largest. Of variants that are alike in all of this the one is taken whose bytes come
 * first; the order in which they are given means nothing.
 *
 * The match is an object: `index` (the place of the variant; missing if none fits) and `steps`, a list of objects
 * `stage` (`contradiction`, `preference` or `tie`), `qualifier` and `dropped` (the places of those that dropped out).
 *
 * Threads: any. Never blocks.
 *
 * @param variants    a list of at most 1,000 variants, or one alone
 * @param traits      NULL if nothing is known
 * @param[out] match  release it; untouched on failure
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_INVALID_VALUE     a variant is malformed; the message says which and where
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  `variants` or `match` is NULL, or a trait is out of range
 * @since 0.1
 */
LIVERY_API livery_status livery_branding_match(livery_value *variants, const livery_traits *traits,
                                               livery_value **match);

/**
 * Read the color of a role that is in effect: console over bundle over built-in default.
 *
 * The roles are #LIVERY_COLOR_TOOLBAR, #LIVERY_COLOR_TOOLBAR_TEXT, #LIVERY_COLOR_PRIMARY_HIGHLIGHT,
 * #LIVERY_COLOR_PRIMARY_TEXT, #LIVERY_COLOR_SECONDARY_HIGHLIGHT and #LIVERY_COLOR_SECONDARY_TEXT; a brand may have any
 * others. The same as livery_get_color() of `branding.color.ROLE`.
 *
 * Threads: any. Never blocks, never waits for a writer.
 *
 * @param store       an open store
 * @param role        the name of the color
 * @param[out] color  untouched on failure
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_NO_VALUE          no source that counts has the color: the message says what waits, and of a name that
 *     reads like a role which is meant; livery_branding_shown_color() has a color for the six
 *   - #LIVERY_ERROR_TYPE_MISMATCH     a schema declares the setting as something else, and the value is no color
 *   - #LIVERY_ERROR_CORRUPT           a stored record is damaged: set the setting anew, or restore a backup
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  a pointer is NULL, or the name is malformed
 * @since 0.1
 */
LIVERY_API livery_status livery_branding_color(livery_store *store, const char *role, livery_color *color);

/**
 * Read the color that a role is shown in: the one in effect, or for want of one the built-in, which no source has set
 * and no list has. Built-in are the six roles: `Toolbar` #1B2A3A, `PrimaryHighlight` #2A4D69, `SecondaryHighlight`
 * #E6EBF0, and of each text black or white, whichever is more legible on the background that is in effect.
 *
 * Threads: any. Never blocks, never waits for a writer.
 *
 * @param store          an open store
 * @param role           the name of the color
 * @param[out] color     untouched on failure
 * @param[out] built_in  whether it is the built-in; untouched on failure; may be NULL
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_NO_VALUE          no source that counts has the color, and it is none of the six
 *   - #LIVERY_ERROR_TYPE_MISMATCH     a schema declares the setting as something else, and the value is no color
 *   - #LIVERY_ERROR_CORRUPT           a stored record is damaged: set the setting anew, or restore a backup
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  `store`, `role` or `color` is NULL, or the name is malformed
 * @since 0.1
 */
LIVERY_API livery_status livery_branding_shown_color(livery_store *store, const char *role, livery_color *color,
                                                     bool *built_in);

/**
 * Read the two ends of a gradient that is in effect, as of one moment: of the gradient `listBackground` the colors
 * `listBackgroundDark` and `listBackgroundLight`.
 *
 * Threads: any. Never blocks, never waits for a writer.
 *
 * @param store       an open store
 * @param name        the name of the gradient
 * @param[out] dark   untouched on failure
 * @param[out] light  untouched on failure
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_NO_VALUE          no source that counts has one of the two: the message says which
 *   - #LIVERY_ERROR_TYPE_MISMATCH     a schema declares the setting as something else, and the value is no color
 *   - #LIVERY_ERROR_CORRUPT           a stored record is damaged: set the setting anew, or restore a backup
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  a pointer is NULL, or the name is malformed
 * @since 0.1
 */
LIVERY_API livery_status livery_branding_gradient(livery_store *store, const char *name, livery_color *dark,
                                                  livery_color *light);

/**
 * Set the color of a role in a layer.
 *
 * In the layers of the sources, `bundle` and `recommended`, the color becomes part of the source: while it is
 * switched off the color is kept and does not count. A name that reads like one of the roles, such as `PrimaryColor`,
 * is a color of its own; livery_branding_check() tells of it.
 *
 * Threads: any. Waits for other writers, at most `busy_timeout_ms`, and for the disk.
 *
 * @param store  an open store
 * @param layer  one of `LIVERY_LAYER_*`
 * @param role   the name of the color
 * @param color  the color
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_TYPE_MISMATCH     a schema declares the setting as something else
 *   - #LIVERY_ERROR_INVALID_VALUE     a component is not a number from 0 to 1, or the layer is `override`, whose values need
 *     an expiry
 *   - #LIVERY_ERROR_LOCKED            the `enforced` layer holds a value
 *   - #LIVERY_ERROR_READ_ONLY         the store was opened read-only, the schema says ReadOnly, or the layer is
 *     `defaults`, or `override` in a store that was not opened to allow it
 *   - #LIVERY_ERROR_BUSY              another writer kept the store for longer than `busy_timeout_ms`
 *   - #LIVERY_ERROR_NO_SPACE          the file system is full; nothing was changed
 *   - #LIVERY_ERROR_IO                another failure of the operating system; nothing was changed
 *   - #LIVERY_ERROR_CORRUPT           a stored record is damaged: set the setting anew, or restore a backup
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  a pointer is NULL, the name is malformed, or no such layer
 * @since 0.1
 */
LIVERY_API livery_status livery_branding_set_color(livery_store *store, livery_layer layer, const char *role,
                                                   livery_color color);

/**
 * Set the variants of an image in a layer. Images are named `background`, `logo` and `splash` in property lists; a
 * brand may have any others.
 *
 * As with livery_branding_set_color() the image becomes part of the source whose layer it is.
 *
 * Threads: any. Waits for other writers, at most `busy_timeout_ms`, and for the disk.
 *
 * @param store     an open store
 * @param layer     one of `LIVERY_LAYER_*`
 * @param name      the name of the image
 * @param variants  a list of variants as of livery_branding_match(), or one alone
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_TYPE_MISMATCH     a schema declares the setting as something else
 *   - #LIVERY_ERROR_INVALID_VALUE     a variant is malformed; the message says which and where; or the layer is `override`,
 *     whose values need an expiry
 *   - #LIVERY_ERROR_LOCKED            the `enforced` layer holds a value
 *   - #LIVERY_ERROR_READ_ONLY         the store was opened read-only, the schema says ReadOnly, or the layer is
 *     `defaults`, or `override` in a store that was not opened to allow it
 *   - #LIVERY_ERROR_BUSY              another writer kept the store for longer than `busy_timeout_ms`
 *   - #LIVERY_ERROR_NO_SPACE          the file system is full; nothing was changed
 *   - #LIVERY_ERROR_IO                another failure of the operating system; nothing was changed
 *   - #LIVERY_ERROR_CORRUPT           a stored record is damaged: set the setting anew, or restore a backup
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  a pointer is NULL, the name is malformed, or no such layer
 * @since 0.1
 */
LIVERY_API livery_status livery_branding_set_image(livery_store *store, livery_layer layer, const char *name,
                                                   livery_value *variants);

/**
 * Read the variant of an image that fits a device best, by the rule of livery_branding_match().
 *
 * The image is the variant as it was set, with `pixelWidth`, `pixelHeight` and `type` (such as "image/png") if the
 * store holds the asset: `image` is then its SHA-256, for livery_asset_get(). The options `UsePrimaryImage` and
 * `UseSecondaryImage` of a brand switch `background` and `logo` off.
 *
 * `state` tells how it stands: "ready"; "placeholder" for one that stands in for what could not be fetched, for a blank URL or
 * for an image that no source has; "loading" for a URL that nobody has fetched yet, and "failed" for one that could not be, or
 * for an asset that the store does not hold. It is missing where `image` is a name that the app gives a meaning to. The extension
 * `fetch` (livery/fetch.h) brings what URLs lead to; `source`, `etag` and `fetched` then tell where the image came from.
 *
 * What is shown unless it is ready is the first that there is:
 *
 *   - the image that was shown before the URL was set, with its own `source`, `etag` and `fetched`. Setting a URL keeps it, by the
 *     same commit, in the member `former` of the variant, until the new one is there
 *   - the image `placeholder` of the brand, chosen like any other, if the store holds it; `source` is then the URL. It stands in
 *     also where no source has the image or no variant fits, but not for what the brand switches off
 *   - `data`, the bytes of a PNG of one pixel in the color `PrimaryHighlight`, beside `image` as it was set
 *
 * Threads: any. Never blocks, never waits for a writer.
 *
 * @param store       an open store
 * @param name        the name of the image
 * @param traits      NULL if nothing is known
 * @param[out] image  an object: release it; untouched on failure
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_NO_VALUE          the brand switches the image off; or no source has it or no variant fits the device, and
 *     there is no `placeholder`
 *   - #LIVERY_ERROR_INVALID_VALUE     the setting holds no variants
 *   - #LIVERY_ERROR_CORRUPT           a stored record is damaged: set the setting anew, or restore a backup
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  a pointer is NULL, the name is malformed, or a trait is out of range
 * @since 0.1
 */
LIVERY_API livery_status livery_branding_image(livery_store *store, const char *name, const livery_traits *traits,
                                               livery_value **image);

/**
 * Tell how the variant of an image is chosen for a device.
 *
 * The explanation is an object: `name`, `layer` (where the image comes from), `variants` (all of them), `steps` and
 * `index` as of livery_branding_match(), `reason` (a sentence) and, if one fits and the image is not switched off,
 * `image` as of livery_branding_image(). For a color there is livery_inspect().
 *
 * Threads: any. Never blocks, never waits for a writer.
 *
 * @param store             an open store
 * @param name              the name of the image
 * @param traits            NULL if nothing is known
 * @param[out] explanation  an object: release it; untouched on failure
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_NO_VALUE          no source has the image
 *   - #LIVERY_ERROR_INVALID_VALUE     the setting holds no variants
 *   - #LIVERY_ERROR_CORRUPT           a stored record is damaged: set the setting anew, or restore a backup
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  a pointer is NULL, the name is malformed, or a trait is out of range
 * @since 0.1
 */
LIVERY_API livery_status livery_branding_explain(livery_store *store, const char *name, const livery_traits *traits,
                                                 livery_value **explanation);

/**
 * Apply a branding property list, XML or binary: what it says is the brand of the layer `bundle`, in one commit with
 * the images. The dialects `skin.plist`, `AWSDKDefaultSettings.plist` and `CharacterVariantsConfiguration` of an
 * Info.plist are told apart by their content; the dialect is kept with the brand, for livery_branding_check().
 *
 * A variant's logo and loading image are those of the bundle that `logoImageName` and `loadingImageName` name, else
 * the URLs `logoImage` and `loadingImage`, which stay readable as `branding.url.*`.
 *
 * The brand becomes the active one, unless #LIVERY_BRANDING_KEEP is given; a brand of another identifier that was
 * active is kept for later. A list that says `EnableBranding` false is there and does not count. What is locked by
 * `enforced` is set beneath it.
 *
 * The report is an object: `applied` (bool), `dialect` (`skin`, `AWSDKDefaultSettings` or
 * `CharacterVariantsConfiguration`), `brand` (its identifier), `active`, `enabled` (bools), `revision`, `images` (the
 * number stored), `former` (if another brand had the identifier and was replaced: an object of its `name` and of
 * `differing`, the number of values that are others), and the lists `read` (objects `path`, `setting`), `converted`
 * and `ignored` (`path`, `message`) and `problems` (`path`, `code`, `message`). Paths are JSON pointers (RFC 6901)
 * into the document. What does not apply is missing.
 *
 * What is wrong with a part, such as a color without a component or an image outside the bundle, refuses the whole: the
 * report has it under `problems`, and the store is unchanged. A file of the bundle that is no image, or a damaged one,
 * is under `problems` as well (`bad-image`), and is left out alone. So are, and refuse nothing: a color that is none of
 * the six roles and reads like one (`misspelled-role`), and a name, identifier or URL that another brand has too
 * (`same-name`, `same-identifier`, `same-url`). What was cut of a color that sRGB does not have is told under
 * `converted`.
 *
 * Threads: any. Waits for other writers, at most `busy_timeout_ms`, and for the disk.
 *
 * @param store        an open store
 * @param bytes        the property list
 * @param length       in bytes; at most #LIVERY_DOCUMENT_MAX
 * @param options      NULL for the defaults
 * @param[out] report  release it; stored on success, and also when the document was read and refused; may be NULL
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_PARSE             not a property list, or one that says nothing about branding
 *   - #LIVERY_ERROR_INVALID_VALUE     a part is malformed; the message says which
 *   - #LIVERY_ERROR_TYPE_MISMATCH     a schema declares a setting as something else
 *   - #LIVERY_ERROR_NOT_FOUND         there is no such directory as `bundle`
 *   - #LIVERY_ERROR_PERMISSION        a file of the bundle may not be read
 *   - #LIVERY_ERROR_READ_ONLY         the store was opened read-only
 *   - #LIVERY_ERROR_BUSY              another writer kept the store for longer than `busy_timeout_ms`
 *   - #LIVERY_ERROR_NO_SPACE          the file system is full; nothing was changed
 *   - #LIVERY_ERROR_IO                another failure of the operating system; nothing was changed
 *   - #LIVERY_ERROR_CORRUPT           a stored record is damaged: set the setting anew, or restore a backup
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  `store` or `bytes` is NULL, an unknown flag, or an option is malformed
 * @since 0.1
 */
LIVERY_API livery_status livery_branding_apply_plist(livery_store *store, const void *bytes, size_t length,
                                                     const livery_branding_options *options, livery_value **report);

/**
 * Find the branding property list of a directory, and apply it as livery_branding_apply_plist() does: `skin.plist`,
 * `AWSDKDefaultSettings.plist`, `Info.plist` or the one whose name ends with `-Info.plist`, the first that is there.
 * It is looked for in the directory, in its `Resources` and in its `Contents/Resources` (an `Info.plist` also in
 * `Contents`); one named so that says nothing about branding is passed over. The images are those beside it.
 *
 * The report is as of livery_branding_apply_plist(), with `file`, the name of the list from the directory on.
 *
 * Threads: any. Waits for other writers, at most `busy_timeout_ms`, and for the disk.
 *
 * @param store        an open store
 * @param directory    a path
 * @param options      NULL for the defaults; `bundle` for images that are elsewhere
 * @param[out] report  release it; stored on success, and also when a list was read and refused; may be NULL
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_NOT_FOUND         there is no such directory, or none of the lists in it: the message names them
 *   - #LIVERY_ERROR_PARSE             the list is no property list
 *   - #LIVERY_ERROR_INVALID_VALUE     a part is malformed, the message says which; or there are several variants, and
 *     each is to be applied by itself
 *   - #LIVERY_ERROR_TYPE_MISMATCH     a schema declares a setting as something else
 *   - #LIVERY_ERROR_PERMISSION        the directory or a file in it may not be read
 *   - #LIVERY_ERROR_READ_ONLY         the store was opened read-only
 *   - #LIVERY_ERROR_BUSY              another writer kept the store for longer than `busy_timeout_ms`
 *   - #LIVERY_ERROR_NO_SPACE          the file system is full; nothing was changed
 *   - #LIVERY_ERROR_IO                another failure of the operating system; nothing was changed
 *   - #LIVERY_ERROR_CORRUPT           a stored record is damaged: set the setting anew, or restore a backup
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  `store` or `directory` is NULL, an unknown flag, or an option is malformed
 * @since 0.1
 */
LIVERY_API livery_status livery_branding_apply_directory(livery_store *store, const char *directory,
                                                         const livery_branding_options *options, livery_value **report);

/**
 * Save what the console sends, in the layer `recommended`, in one commit: all that it sent before is replaced.
 *
 * The payload is an object: `enabled` (whether its values count; true if missing), `name`, `identifier`, `colors`
 * (name → color as text or as an object of components), `images` (name → URL; or name → object of device class → URL;
 * or name → list of variants), `urls` (name → URL) and `options` (name → truth value). A device class is an idiom
 * with a scale if need be, such as `phone` or `tablet@2x`, or `iPhone` or `iPad2X`, or `any`. In the place of a URL
 * there may be the SHA-256 of an asset. The six roles, `EnableBranding` (for `enabled`), the switches of images, and
 * images as consoles call them (`CompanyLogo`, `Background`, `CompanyLogo_iPhone2X`, `PrimaryiPad2X`) may also stand
 * by themselves, or in a member `Branding`. Other members are under `ignored` in the report.
 *
 * `whole` (true or false) makes this source count alone: while it is there and switched on, the brand of the bundle
 * waits as if it were switched off. `replace` makes what is sent become active, as livery_change_replace() does: what
 * people have set of it in `user` and `session` goes, in the same commit, and undo brings it back. Of what is switched off
 * that is kept for the commit that switches it on.
 *
 * The report is as of livery_branding_apply_plist(), without `dialect` and `brand`.
 *
 * Threads: any. Waits for other writers, at most `busy_timeout_ms`, and for the disk.
 *
 * @param store        an open store
 * @param payload      an object, such as livery_value_from_json() makes
 * @param origin       kept with each value; NULL for "console"
 * @param[out] report  release it; stored on success, and also when a part was refused; may be NULL
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_INVALID_VALUE     a part is malformed; the message says which
 *   - #LIVERY_ERROR_TYPE_MISMATCH     a schema declares a setting as something else
 *   - #LIVERY_ERROR_READ_ONLY         the store was opened read-only
 *   - #LIVERY_ERROR_BUSY              another writer kept the store for longer than `busy_timeout_ms`
 *   - #LIVERY_ERROR_NO_SPACE          the file system is full; nothing was changed
 *   - #LIVERY_ERROR_IO                another failure of the operating system; nothing was changed
 *   - #LIVERY_ERROR_CORRUPT           a stored record is damaged: set the setting anew, or restore a backup
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  `store` or `payload` is NULL, or the origin is malformed
 * @since 0.1
 */
LIVERY_API livery_status livery_branding_apply_console(livery_store *store, livery_value *payload, const char *origin,
                                                       livery_value **report);

/**
 * Whether the values of a source count.
 *
 * Threads: any. Never blocks, never waits for a writer.
 *
 * @param store         an open store
 * @param layer         #LIVERY_LAYER_BUNDLE for what the app ships, #LIVERY_LAYER_RECOMMENDED for the console
 * @param[out] enabled  untouched on failure
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_CORRUPT           a stored record is damaged: set the setting anew, or restore a backup
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  a pointer is NULL, or the layer is neither
 * @since 0.1
 */
LIVERY_API livery_status livery_branding_enabled(livery_store *store, livery_layer layer, bool *enabled);

/**
 * Switch a source on or off, in one commit: all its values count, or stop counting, at once, for every reader. For
 * `bundle` it is the switch of the active brand, `EnableBranding` of its property list.
 *
 * Threads: any. Waits for other writers, at most `busy_timeout_ms`, and for the disk.
 *
 * @param store    an open store
 * @param layer    #LIVERY_LAYER_BUNDLE for what the app ships, #LIVERY_LAYER_RECOMMENDED for the console
 * @param enabled  whether its values are to count
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_TYPE_MISMATCH     a schema declares a setting of the brand as something else by now
 *   - #LIVERY_ERROR_INVALID_VALUE     a value of it no longer satisfies the schema, or a brand is too large to be put away
 *   - #LIVERY_ERROR_READ_ONLY         the store was opened read-only
 *   - #LIVERY_ERROR_BUSY              another writer kept the store for longer than `busy_timeout_ms`
 *   - #LIVERY_ERROR_NO_SPACE          the file system is full; nothing was changed
 *   - #LIVERY_ERROR_IO                another failure of the operating system; nothing was changed
 *   - #LIVERY_ERROR_CORRUPT           a stored record is damaged: set the setting anew, or restore a backup
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  `store` is NULL, or the layer is neither
 * @since 0.1
 */
LIVERY_API livery_status livery_branding_set_enabled(livery_store *store, livery_layer layer, bool enabled);

/**
 * Remove everything of branding that the console has set, in `recommended` and in `enforced`, its switch included, in
 * one commit. A brand of the bundle that waited for it counts again.
 *
 * Threads: any. Waits for other writers, at most `busy_timeout_ms`, and for the disk.
 *
 * @param store  an open store
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_TYPE_MISMATCH     a schema declares a setting of the brand that waited as something else by now
 *   - #LIVERY_ERROR_INVALID_VALUE     a value of it no longer satisfies the schema
 *   - #LIVERY_ERROR_READ_ONLY         the store was opened read-only
 *   - #LIVERY_ERROR_BUSY              another writer kept the store for longer than `busy_timeout_ms`
 *   - #LIVERY_ERROR_NO_SPACE          the file system is full; nothing was changed
 *   - #LIVERY_ERROR_IO                another failure of the operating system; nothing was changed
 *   - #LIVERY_ERROR_CORRUPT           a stored record is damaged: set the setting anew, or restore a backup
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  `store` is NULL
 * @since 0.1
 */
LIVERY_API livery_status livery_branding_wipe(livery_store *store);

/**
 * Make another brand the active one, in one commit: every reader sees all of the old one or all of the new one, and
 * every watch hears of it as one.
 *
 * Threads: any. Waits for other writers, at most `busy_timeout_ms`, and for the disk.
 *
 * @param store  an open store
 * @param brand  its identifier
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_NOT_FOUND         no such brand: the message names the nearest
 *   - #LIVERY_ERROR_TYPE_MISMATCH     a schema declares a setting of the brand as something else by now
 *   - #LIVERY_ERROR_INVALID_VALUE     a value of it no longer satisfies the schema, or a brand is too large to be put away
 *   - #LIVERY_ERROR_READ_ONLY         the store was opened read-only
 *   - #LIVERY_ERROR_BUSY              another writer kept the store for longer than `busy_timeout_ms`
 *   - #LIVERY_ERROR_NO_SPACE          the file system is full; nothing was changed
 *   - #LIVERY_ERROR_IO                another failure of the operating system; nothing was changed
 *   - #LIVERY_ERROR_CORRUPT           a stored record is damaged: set the setting anew, or restore a backup
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  a pointer is NULL, or the identifier is malformed
 * @since 0.1
 */
LIVERY_API livery_status livery_branding_use(livery_store *store, const char *brand);

/**
 * Remove a brand. If it is the active one, no brand is active afterwards. Its images stay as assets until
 * livery_asset_collect().
 *
 * Threads: any. Waits for other writers, at most `busy_timeout_ms`, and for the disk.
 *
 * @param store  an open store
 * @param brand  its identifier
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_NOT_FOUND         no such brand: the message names the nearest
 *   - #LIVERY_ERROR_READ_ONLY         the store was opened read-only
 *   - #LIVERY_ERROR_BUSY              another writer kept the store for longer than `busy_timeout_ms`
 *   - #LIVERY_ERROR_NO_SPACE          the file system is full; nothing was changed
 *   - #LIVERY_ERROR_IO                another failure of the operating system; nothing was changed
 *   - #LIVERY_ERROR_CORRUPT           a stored record is damaged: set the setting anew, or restore a backup
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  a pointer is NULL, or the identifier is malformed
 * @since 0.1
 */
LIVERY_API livery_status livery_branding_remove(livery_store *store, const char *brand);

/**
 * All brands in the order of their identifiers: a list of objects `id`, `active`, `enabled` (bools) and, if the brand
 * tells them, `name` and `identifier`. Of one whose name, identifier or URL another brand has as well there is `twins`,
 * a list of objects `brand` (the other) and `part` (`name`, `identifier` or `url.NAME`), of at most 100 others.
 *
 * Threads: any. Never blocks, never waits for a writer.
 *
 * @param store        an open store
 * @param[out] brands  release it; untouched on failure
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_CORRUPT           a stored record is damaged: set the setting anew, or restore a backup
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  a pointer is NULL
 * @since 0.1
 */
LIVERY_API livery_status livery_branding_list(livery_store *store, livery_value **brands);

/**
 * Read a whole brand, active or not: an object `id`, `active`, `enabled`, `name` and `identifier` if it tells them,
 * `dialect` if it came from a property list, and the objects `colors`, `images`, `urls`, `files` and `options`. If
 * there are gradients (see livery_branding_gradient()) they are in `gradients`: name → object `dark`, `light`.
 *
 * Threads: any. Never blocks, never waits for a writer.
 *
 * @param store       an open store
 * @param brand       its identifier, or NULL for what is in effect, of all sources: there are then no `id`, `active`
 *   and `enabled`
 * @param[out] value  release it; untouched on failure
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_NOT_FOUND         no such brand: the message names the nearest
 *   - #LIVERY_ERROR_CORRUPT           a stored record is damaged: set the setting anew, or restore a backup
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  `store` or `value` is NULL, or the identifier is malformed
 * @since 0.1
 */
LIVERY_API livery_status livery_branding_get(livery_store *store, const char *brand, livery_value **value);

/**
 * Look for what makes a brand hard to read or incomplete.
 *
 * The report is an object: `passes` (bool: there are no findings), `errors` and `warnings` (numbers), `pairs` and
 * `findings`. A pair is an object `text`, `background` (names of colors), `textColor`, `backgroundColor`, `ratio`,
 * `passes` (4.5 at least) and `passesLarge` (3 at least). A finding is an object `code`, `severity` ("error",
 * "warning"), `message` and what it is about. `notes` tells what could not be looked at, which is no finding: a list of
 * objects `code`, `message` and what it is about.
 *
 *   - `low-contrast`: `text` on `background` has a `ratio` less than `required`; `nearest` is the text color that
 *     would do
 *   - `whitish-background`: login text is always white, and PrimaryHighlight is too light for it; `nearest` is the
 *     background that would do
 *   - `same-as-toolbar`: `text`, PrimaryText or SecondaryText, cannot be told from Toolbar; `nearest` is the toolbar
 *     that would do
 *   - `missing-role`: one of the six colors is missing (`color`)
 *   - `missing-part`: the property list that the brand came from has no `key`, such as `SecondaryiPad2X`
 *   - `misspelled-role`: `color` is none of the six and reads like `role`
 *   - `same-name`, `same-identifier`, `same-url`: `brand` and `other` have the `setting` in common
 *   - `missing-image`: `image` has no variant, or none for the device
 *   - `missing-asset`: a `variant` of `image` refers to what the store does not hold
 *   - `missing-scale`: `image` has no `variant` for sharp screens, or for the device
 *   - `image-too-small`: the `variant` has fewer pixels (`pixelWidth`, `pixelHeight`) than the screen
 *   - `bad-image`: the variants of `image` are malformed
 *   - `illegible-image`: `text` (a color's name, or "white" for the login screen), which is `textColor`, has a contrast
 *     of less than `required` on more than a tenth of the `variant` of the image `background`; `share` is how much
 *
 * The pixels of images are known where the extension `images` has judged them (livery/images.h). The note
 * `unjudged-image` tells of `images` of which they are not.
 *
 * Threads: any. Never blocks, never waits for a writer.
 *
 * @param store        an open store
 * @param brand        its identifier, or NULL for what is in effect, and for what brands have in common
 * @param traits       a device that images have to be large enough for, or NULL
 * @param[out] report  release it; untouched on failure
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_NOT_FOUND         no such brand: the message names the nearest
 *   - #LIVERY_ERROR_CORRUPT           a stored record is damaged: set the setting anew, or restore a backup
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  `store` or `report` is NULL, the identifier is malformed, or a trait is out of
 *     range
 * @since 0.1
 */
LIVERY_API livery_status livery_branding_check(livery_store *store, const char *brand, const livery_traits *traits,
                                               livery_value **report);

/**
 * Tell what the brand in effect would be if a change set were committed now, and what would be wrong with it. So a brand
 * can be tried before anybody sees it; livery_change_discard() drops it. Images of livery_change_put_asset() are there.
 *
 * Nothing is held meanwhile: other commits may come before. Brand and report are of one moment.
 *
 * Threads: any; calls on one change set wait for each other. Never waits for a writer.
 *
 * @param change       an open change set
 * @param traits       a device that images have to be large enough for, or NULL
 * @param[out] brand   an object as of livery_branding_get() with NULL: release it; untouched on failure
 * @param[out] report  an object as of livery_branding_check() with NULL: release it; untouched on failure
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_TYPE_MISMATCH     what was set does not convert to the setting's type without loss
 *   - #LIVERY_ERROR_INVALID_VALUE     what was set violates a constraint
 *   - #LIVERY_ERROR_CORRUPT           a stored record is damaged: set the setting anew, or restore a backup
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  a pointer is NULL, or a trait is out of range
 * @since 0.1
 */
LIVERY_API livery_status livery_branding_preview(livery_change *change, const livery_traits *traits, livery_value **brand,
                                                 livery_value **report);

#ifdef __cplusplus
}
#endif

#endif
