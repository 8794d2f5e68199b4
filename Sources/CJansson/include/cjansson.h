#ifndef CJANSSON_H
#define CJANSSON_H

#include <jansson.h>
#include <stdbool.h>

// libjansson, which is loaded when the first JSON is read: a process that only reads values starts without it. Each function
// does what jansson's of the same name does, and may be called once lvs_json_load() has been true.

#define LVS_JANSSON "libjansson.so.4"

/** Whether the library is there. Waits for the loader alone; if it is not, it may be another time. */
bool lvs_json_load(void);

json_t *lvs_json_loadb(const char *bytes, size_t count, size_t flags, json_error_t *failure);
void lvs_json_decref(json_t *node);
size_t lvs_json_array_size(const json_t *node);
json_t *lvs_json_array_get(const json_t *node, size_t index);
size_t lvs_json_object_size(const json_t *node);
void *lvs_json_object_iter(json_t *node);
void *lvs_json_object_iter_next(json_t *node, void *iterator);
const char *lvs_json_object_iter_key(void *iterator);
size_t lvs_json_object_iter_key_len(void *iterator);
json_t *lvs_json_object_iter_value(void *iterator);
const char *lvs_json_string_value(const json_t *node);
size_t lvs_json_string_length(const json_t *node);
json_int_t lvs_json_integer_value(const json_t *node);
double lvs_json_real_value(const json_t *node);

#endif
