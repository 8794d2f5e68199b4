#include "cjansson.h"

#include <csystem.h>

#define FUNCTIONS(USE)                                                                                                  \
  USE(loadb) USE(delete) USE(array_size) USE(array_get) USE(object_size) USE(object_iter) USE(object_iter_next)         \
  USE(object_iter_key) USE(object_iter_key_len) USE(object_iter_value) USE(string_value) USE(string_length)             \
  USE(integer_value) USE(real_value)

typedef struct functions {
#define DECLARE(name) __typeof__(json_##name) *name;
  FUNCTIONS(DECLARE)
#undef DECLARE
} functions;

static lvs_library library = {
    .files = {LVS_JANSSON},
    .names =
        (const char *const[]){
#define NAME(name) "json_" #name,
            FUNCTIONS(NAME)
#undef NAME
        },
    .count = sizeof(functions) / sizeof(void *),
};

// Once it was loaded.
static const functions *the(void) { return lvs_library_functions(&library); }

bool lvs_json_load(void) { return lvs_library_load(&library); }

json_t *lvs_json_loadb(const char *bytes, size_t count, size_t flags, json_error_t *failure) {
  return the()->loadb(bytes, count, flags, failure);
}

void lvs_json_decref(json_t *node) {
  if (node && node->refcount != (size_t)-1 && JSON_INTERNAL_DECREF(node) == 0) the()->delete(node);
}

size_t lvs_json_array_size(const json_t *node) { return the()->array_size(node); }
json_t *lvs_json_array_get(const json_t *node, size_t index) { return the()->array_get(node, index); }
size_t lvs_json_object_size(const json_t *node) { return the()->object_size(node); }
void *lvs_json_object_iter(json_t *node) { return the()->object_iter(node); }
void *lvs_json_object_iter_next(json_t *node, void *iterator) { return the()->object_iter_next(node, iterator); }
const char *lvs_json_object_iter_key(void *iterator) { return the()->object_iter_key(iterator); }
size_t lvs_json_object_iter_key_len(void *iterator) { return the()->object_iter_key_len(iterator); }
json_t *lvs_json_object_iter_value(void *iterator) { return the()->object_iter_value(iterator); }
const char *lvs_json_string_value(const json_t *node) { return the()->string_value(node); }
size_t lvs_json_string_length(const json_t *node) { return the()->string_length(node); }
json_int_t lvs_json_integer_value(const json_t *node) { return the()->integer_value(node); }
double lvs_json_real_value(const json_t *node) { return the()->real_value(node); }
