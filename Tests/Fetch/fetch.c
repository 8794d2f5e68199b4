#include "fixture.h"
#include <livery/fetch.h>
int main(void) { return 0; }
