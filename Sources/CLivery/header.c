#if __SIZEOF_POINTER__ < 8
#error "Livery needs a 64-bit target: handles are 64-bit numbers, and so are the numbers of commits that processes share."
#endif
#include <livery.h>
