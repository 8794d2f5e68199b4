/**
 * @file livery/form.h
 * What a person may set, ready to be drawn; and finding it.
 *
 * A form is the store's schema with everything that people see of it, in its own order, together with the state of each
 * setting at one moment. A page, a native view or a generator of code needs nothing else of the schema.
 */
#ifndef LIVERY_FORM_H
#define LIVERY_FORM_H

#include "store.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The longest query of livery_search(), in bytes. */
#define LIVERY_QUERY_MAX 1024

/** Of which form livery_form() tells. Zero or NULL in any member means its default. */
typedef struct livery_form_options {
  /** sizeof(livery_form_options) */
  size_t struct_size;
  /** The layer that the form is to change, if `has_layer`; otherwise #LIVERY_LAYER_USER. */
  livery_layer layer;
  bool has_layer;
  /** Whether to tell of what the schema hides, too. */
  bool hidden;
  /** The language of texts, as a tag of BCP 47 such as `de-AT`; NULL for them as the schema has them. */
  const char *locale;
} livery_form_options;

/** The defaults. */
#define LIVERY_FORM_OPTIONS_INIT { sizeof(livery_form_options), 0, false, false, NULL }

/**
 * What a person may set, in the schema's order, ready to be drawn.
 *
 * The result is an object: `title` (the schema's), `version` (of the schema, 0 if none was applied), `revision` (that the form
 * shows), `layer` (text: that it is to change), `languages` (a list of the tags that the schema has texts in), `locale` (which
 * of them is asked first, if any is) and `groups`: a list of objects `title`, `description` and `elements`. Members
 * that do not apply are missing, here and below. A store without a schema has no groups.
 *
 * An element is an object. All have `kind`, `title`, `description` and `hidden` (true, only if so). `kind` is "header" for a
 * heading and "pane" for a page of its own, which has `elements`. All others are settings:
 *
 * | kind | value |
 * |---|---|
 * | "text", "url", "image" | string, URL, image |
 * | "secret" | a string that is shown to nobody: there is no `value` |
 * | "switch", "integer", "number" | bool, int, double |
 * | "color", "date", "data" | color, date, data |
 * | "choice", "choices" | the value of one of `options`, a list of such |
 * | "list" | a list of objects, or of plain values, that `template` describes: there is `items` in place of `value` |
 *
 * What the schema says of a setting: `name`, `aliases` (a list of text), `placeholder`, `unit`, `options` (a list of objects
 * `title`, `value`), `minimum`, `maximum`, `step`, `minLength`, `maxLength`, `pattern`, `maxItems`, `uniqueBy`, `required`,
 * `readOnly`, `restart`, `volatile` (true, only if so), `survives` (a list of text), `since`, `deprecated` (text), `enabledBy` (an object `name`, `equals`), `default`
 * (not of a secret) and, of a list, `template`: elements as these, without state; where the items are
 * plain values, the one setting among them has no `name`.
 *
 * And its state: `value`, or of a list `items` (as they are set, where members that an item lacks have their defaults),
 * `isSet` (bool: whether there is a value in effect; of a secret, one that is not empty), `layer` (text), `origin`, `time` (date) and `revision` of what is in
 * effect, `isDefault` (bool: nobody has set it), `hasOwnValue` (bool: the form's layer holds a value, which
 * livery_change_reset() takes away), and `writable` (bool). If it is not writable there is `reason`: "locked" (`lockedBy` is the
 * layer that locks it), "read-only" (the schema leaves it to the console, or the store or the layer cannot be changed), or
 * "disabled" (by what `enabledBy` asks for: `disabledBy` is an object `name`, `title`, `equals` of the setting that has
 * another value). The library takes a change of what is only disabled.
 *
 * `unavailable` (true, only if so) tells of a secret that is sealed and cannot be opened here. No value of a secret is in a form. In `items` and in `default` of a list, a member that is secret is a bool: whether it has
 * a text.
 *
 * `title`, `description`, `placeholder`, `unit`, `deprecated` and titles of options are in the language asked for, as far as
 * the schema's `Texts` have it: each is looked up as RFC 4647 §3.4 has it, for `de-AT` in `de-AT`, then in `de`, else it is as
 * the schema has it. `de_AT.UTF-8` is taken for `de-AT`.
 *
 * The revision of a form is what livery_change_expect() takes, for a change that is refused if somebody else came first.
 *
 * Threads: any. Never waits for a writer.
 *
 * @param store        an open store
 * @param options      NULL for the defaults
 * @param[out] value   an object: release it; untouched on failure
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_CORRUPT           what it has to read of the store is damaged: restore a backup
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  `store` or `value` is NULL, no such layer, or the locale is no tag of a language
 *   - #LIVERY_ERROR_IO                the library that reads JSON is not installed, or cannot be loaded
 * @since 0.1
 */
LIVERY_API livery_status livery_form(livery_store *store, const livery_form_options *options, livery_value **value);

/** What livery_search() tells. Zero or NULL in any member means its default. */
typedef struct livery_search_options {
  /** sizeof(livery_search_options) */
  size_t struct_size;
  /** The most results to return; 0 for no limit. */
  size_t limit;
  /** The language of texts that are searched, as at livery_form_options. */
  const char *locale;
  /** Whether to find what the schema hides, too. */
  bool hidden;
} livery_search_options;

/** The defaults. */
#define LIVERY_SEARCH_OPTIONS_INIT { sizeof(livery_search_options), 0, NULL, false }

/**
 * Find settings by words.
 *
 * A setting is found if it contains every word of the query: in its name, an alias, title, description, placeholder, unit, the
 * title of an option, the title of its group or of a pane that it is in, or in its value, unless that is a secret or holds
 * one. The value counts as text: numbers in decimal, a bool as `true` or `false`, a date as in RFC 3339, a color as
 * `#RRGGBBAA`, data not at all, lists and objects by each value in them. Words are what white space separates,
 * at most 64. Letter case and marks over and under letters make no difference: `uber` finds `Über`, `strasse` finds `STRAßE` (full case folding,
 * then canonical decomposition without nonspacing marks, by Unicode 14). A query without a word finds nothing.
 *
 * Settings that no schema declares are found by name and value where they count.
 *
 * The result is an object: `revision` (that was searched), `total` (how many were found, whatever the limit) and `results`, the
 * best first: a list of objects `name`, `type` (as at livery_list()), `kind` (as at livery_form()), `title`, `group` (a list: the
 * titles of its group and of the panes that it is in), `hidden`, `secret` (true, only if so), `value` (not of a secret) and
 * `matches`. Each word counts for where it is found best: at the beginning of the title, elsewhere in it, in name or alias, in
 * an option, in description, placeholder, unit, group or pane, in the value; the sum of that decides, then the schema's order,
 * and settings that it does not declare come last, in the order of names.
 *
 * `matches` is for highlighting: a list of objects `field` ("title", "name", "alias", "option", "description", "placeholder",
 * "unit", "group", "value"), `text` (in which it was found), `offset` and `length`: bytes of the text's UTF-8, on the borders of
 * characters. In a list or an object `pointer` (RFC 6901) says where in the value the text is. Each word is there once for each
 * text that contains it.
 *
 * Texts are searched as they were folded at the first search of a schema, which the store keeps in memory: about the size of
 * the schema for each of the last languages.
 *
 * Threads: any. Never waits for a writer.
 *
 * @param store        an open store
 * @param query        words: at most #LIVERY_QUERY_MAX bytes, and 64 words
 * @param options      NULL for the defaults
 * @param[out] value   an object: release it; untouched on failure
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_CORRUPT           what it has to read of the store is damaged: restore a backup
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  a pointer is NULL, the query is too long or not UTF-8, or the locale is no tag of
 *     a language
 *   - #LIVERY_ERROR_IO                the library that reads JSON is not installed, or cannot be loaded
 * @since 0.1
 */
LIVERY_API livery_status livery_search(livery_store *store, const char *query, const livery_search_options *options,
                                       livery_value **value);

#ifdef __cplusplus
}
#endif

#endif
