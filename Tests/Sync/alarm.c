// What wakes a device: its time, and a clock that is set.
#include "check.h"

#include <csync.h>
#include <dirent.h>

typedef struct rung {
  _Atomic uint32_t reasons;
  _Atomic int times;
  _Atomic int64_t at;
} rung;

static void ring(uint32_t reasons, void *context) {
  rung *rung = context;
  rung->at = lvy_uptime();
  rung->reasons |= reasons;
  rung->times++;
}

static bool comes(rung *rung, uint32_t reason) {
  for (int tries = 0; tries < 4000 && !(rung->reasons & reason); tries++) usleep(5000);
  return (rung->reasons & reason) != 0;
}

static int descriptors(void) {
  int count = 0;
  DIR *folder = opendir("/proc/self/fd");
  while (folder && readdir(folder)) count++;
  if (folder) closedir(folder);
  return count;
}

// The timers of this process, as the kernel tells them.
static int timers(const char *line) {
  int count = 0;
  DIR *folder = opendir("/proc/self/fdinfo");
  struct dirent *entry;
  while (folder && (entry = readdir(folder))) {
    char path[300], text[2000] = "";
    snprintf(path, sizeof path, "/proc/self/fdinfo/%s", entry->d_name);
    FILE *file = fopen(path, "r");
    if (!file) continue;
    size_t length = fread(text, 1, sizeof text - 1, file);
    text[length] = 0;
    fclose(file);
    if (strstr(text, line)) count++;
  }
  if (folder) closedir(folder);
  return count;
}

TEST("it comes at its time and not before, and the last time that was said counts", due) {
  int before = descriptors();
  rung rung = {0};
  lvy_alarm *alarm = lvy_alarm_make(ring, &rung);
  EXPECT(alarm != NULL);
  if (!alarm) return;
  int64_t wanted = lvy_uptime() + 50;
  lvy_alarm_set(alarm, wanted + 3600000);
  lvy_alarm_set(alarm, wanted);
  EXPECT(comes(&rung, LVY_ALARM_DUE));
  EXPECT(rung.at >= wanted);
  EXPECT_INT(1, rung.times);
  // What is past comes at once.
  rung.reasons = 0;
  lvy_alarm_set(alarm, 0);
  EXPECT(comes(&rung, LVY_ALARM_DUE));
  lvy_alarm_set(alarm, lvy_uptime() + 3600000);
  lvy_alarm_free(alarm);
  EXPECT_INT(before, descriptors());
}

TEST("its time goes on while the system sleeps, and a clock that is set wakes it", clocks) {
  rung rung = {0};
  lvy_alarm *alarm = lvy_alarm_make(ring, &rung);
  EXPECT(alarm != NULL);
  if (!alarm) return;
  lvy_alarm_set(alarm, lvy_uptime() + 3600000);
  // CLOCK_BOOTTIME; and CLOCK_REALTIME with TFD_TIMER_ABSTIME and TFD_TIMER_CANCEL_ON_SET, octal.
  EXPECT_INT(1, timers("clockid: 7\n"));
  EXPECT_INT(1, timers("clockid: 0\nticks: 0\nsettime flags: 03\n"));
  EXPECT_INT(0, rung.times);
  lvy_alarm_free(alarm);
}

TEST("without a descriptor to be had there is no alarm, and nothing is left behind", none) {
  struct rlimit former, low;
  getrlimit(RLIMIT_NOFILE, &former);
  int before = descriptors();
  rung rung = {0};
  int made = 0;
  for (rlim_t room = 3; room < 12; room++) {
    low = former;
    low.rlim_cur = room;
    setrlimit(RLIMIT_NOFILE, &low);
    lvy_alarm *alarm = lvy_alarm_make(ring, &rung);
    setrlimit(RLIMIT_NOFILE, &former);
    if (!alarm) continue;
    made++;
    rung.reasons = 0;
    lvy_alarm_set(alarm, 0);
    EXPECT(comes(&rung, LVY_ALARM_DUE));
    lvy_alarm_free(alarm);
  }
  EXPECT(made > 0 && made < 9);
  EXPECT_INT(before, descriptors());
}

TEST("a thousand are made and freed while they ring", churn) {
  int before = descriptors();
  rung rung = {0};
  for (int round = 0; round < 1000; round++) {
    lvy_alarm *alarm = lvy_alarm_make(ring, &rung);
    if (!alarm) continue;
    lvy_alarm_set(alarm, lvy_uptime() + round % 3);
    lvy_alarm_free(alarm);
  }
  EXPECT_INT(before, descriptors());
}
