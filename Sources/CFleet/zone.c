// The zone of the device, as libc reads it: TZif files, or a rule in TZ.
#define _GNU_SOURCE
#include "cfleet.h"

#include <time.h>

int32_t lvd_zone_offset(int64_t seconds) {
  time_t moment = (time_t)seconds;
  struct tm parts;
  // localtime_r() alone need not look whether TZ has changed.
  tzset();
  if (moment != seconds || !localtime_r(&moment, &parts)) return 0;
  return (int32_t)parts.tm_gmtoff;
}
