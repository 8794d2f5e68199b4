// Opens a Livery store and reads one setting.
#include "common.h"

#include <livery.h>

int main(int argc, char **argv) {
  if (argc != 3) return 2;
  long index = middle(atol(argv[2]));
  char name[64];
  setting_name(name, sizeof name, index);
  livery_store *store = NULL;
  int64_t number = 0;
  if (livery_open(argv[1], NULL, &store) != LIVERY_OK || livery_get_int(store, name, &number) != LIVERY_OK)
    return fprintf(stderr, "start_livery: %s\n", livery_last_error()->message), 1;
  livery_close(store);
  return number == index * 7 ? 0 : 1;
}
