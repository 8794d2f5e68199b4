// `livery console`: the console of a fleet. All of it is Swift.
#include <cconsole.h>

int main(int count, char **words) { return livery_console_main(count, (const char *const *)words); }
