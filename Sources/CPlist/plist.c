#define _GNU_SOURCE
#include "cplist.h"

#include <csystem.h>
#include <locale.h>

#define FUNCTIONS(USE)                                                                                                  \
  USE(from_bin) USE(from_xml) USE(free) USE(get_node_type) USE(get_bool_val) USE(get_uint_val) USE(get_real_val)        \
  USE(get_uid_val) USE(get_string_ptr) USE(get_data_ptr) USE(array_new_iter) USE(array_next_item) USE(dict_new_iter)    \
  USE(dict_next_item) USE(to_bin) USE(to_bin_free)

typedef struct functions {
#define DECLARE(name) __typeof__(plist_##name) *name;
  FUNCTIONS(DECLARE)
#undef DECLARE
} functions;

static lvs_library library = {
    // With what later ones count on, nothing changed of the functions above.
    .files = {LVS_PLIST ".3", LVS_PLIST ".4"},
    .names =
        (const char *const[]){
#define NAME(name) "plist_" #name,
            FUNCTIONS(NAME)
#undef NAME
        },
    .count = sizeof(functions) / sizeof(void *),
};

// Once it was loaded.
static const functions *the(void) { return lvs_library_functions(&library); }

bool lvs_plist_load(void) { return lvs_library_load(&library); }

plist_t lvs_plist_from_bin(const char *bytes, uint32_t count) {
  plist_t root = NULL;
  the()->from_bin(bytes, count, &root);
  return root;
}

plist_t lvs_plist_from_xml(const char *text, uint32_t count) {
  plist_t root = NULL;
  locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  if (!plain) return NULL;
  locale_t before = uselocale(plain);
  the()->from_xml(text, count, &root);
  uselocale(before);
  freelocale(plain);
  return root;
}

void lvs_plist_free(plist_t node) { the()->free(node); }
plist_type lvs_plist_get_node_type(plist_t node) { return the()->get_node_type(node); }
void lvs_plist_get_bool_val(plist_t node, uint8_t *value) { the()->get_bool_val(node, value); }
void lvs_plist_get_uint_val(plist_t node, uint64_t *value) { the()->get_uint_val(node, value); }
void lvs_plist_get_real_val(plist_t node, double *value) { the()->get_real_val(node, value); }
void lvs_plist_get_uid_val(plist_t node, uint64_t *value) { the()->get_uid_val(node, value); }
const char *lvs_plist_get_string_ptr(plist_t node, uint64_t *count) { return the()->get_string_ptr(node, count); }
const char *lvs_plist_get_data_ptr(plist_t node, uint64_t *count) { return the()->get_data_ptr(node, count); }
void lvs_plist_array_new_iter(plist_t node, plist_array_iter *iterator) { the()->array_new_iter(node, iterator); }
void lvs_plist_array_next_item(plist_t node, plist_array_iter iterator, plist_t *item) {
  the()->array_next_item(node, iterator, item);
}
void lvs_plist_dict_new_iter(plist_t node, plist_dict_iter *iterator) { the()->dict_new_iter(node, iterator); }
void lvs_plist_dict_next_item(plist_t node, plist_dict_iter iterator, char **key, plist_t *value) {
  the()->dict_next_item(node, iterator, key, value);
}
void lvs_plist_to_bin(plist_t node, char **bytes, uint32_t *count) { the()->to_bin(node, bytes, count); }
void lvs_plist_to_bin_free(char *bytes) { the()->to_bin_free(bytes); }
