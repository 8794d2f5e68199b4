#include <livery/turn.h>
