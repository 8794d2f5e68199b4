#ifndef CPLIST_H
#define CPLIST_H

#include <plist/plist.h>
#include <stdbool.h>

// libplist, which is loaded when the first property list is read. Each function does what libplist's of the same name does,
// and may be called once lvs_plist_load() has been true.

#define LVS_PLIST "libplist-2.0.so"

/** Whether the library is there. Waits for the loader alone; if it is not, it may be another time. */
bool lvs_plist_load(void);

plist_t lvs_plist_from_bin(const char *bytes, uint32_t count);

/** In the locale "C": libplist reads numbers in the thread's, where a comma may take the place of the point. */
plist_t lvs_plist_from_xml(const char *text, uint32_t count);

void lvs_plist_free(plist_t node);
plist_type lvs_plist_get_node_type(plist_t node);
void lvs_plist_get_bool_val(plist_t node, uint8_t *value);
void lvs_plist_get_uint_val(plist_t node, uint64_t *value);
void lvs_plist_get_real_val(plist_t node, double *value);
void lvs_plist_get_uid_val(plist_t node, uint64_t *value);
const char *lvs_plist_get_string_ptr(plist_t node, uint64_t *count);
const char *lvs_plist_get_data_ptr(plist_t node, uint64_t *count);
void lvs_plist_array_new_iter(plist_t node, plist_array_iter *iterator);
void lvs_plist_array_next_item(plist_t node, plist_array_iter iterator, plist_t *item);
void lvs_plist_dict_new_iter(plist_t node, plist_dict_iter *iterator);
void lvs_plist_dict_next_item(plist_t node, plist_dict_iter iterator, char **key, plist_t *value);
void lvs_plist_to_bin(plist_t node, char **bytes, uint32_t *count);
void lvs_plist_to_bin_free(char *bytes);

#endif
