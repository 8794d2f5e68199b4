// What LiveryWorkflow takes of libc.
#ifndef CWORKFLOW_H
#define CWORKFLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Microseconds of a clock that never goes back.
int64_t lvw_now_us(void);

// Makes bytes zero, also where nobody reads them again.
void lvw_wipe(void *bytes, size_t count);

#endif
