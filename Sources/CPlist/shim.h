#include <locale.h>
#include <plist/plist.h>

// libplist reads numbers in the thread's locale, where a comma may take the place of the point.
static inline plist_t lvs_plist_from_xml(const char *text, uint32_t length) {
  plist_t root = 0;
  locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  if (!plain) return 0;
  locale_t before = uselocale(plain);
  plist_from_xml(text, length, &root);
  uselocale(before);
  freelocale(plain);
  return root;
}
