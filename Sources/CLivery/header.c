#include <livery.h>
