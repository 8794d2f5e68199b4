#include "agent.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

enum {
  // Milliseconds until a part that failed is tried again, the first time and at most; each time up to as much more, by chance.
  FIRST_RETRY = 1000,
  LAST_RETRY = 60000,
};

part *const agent_parts[PARTS] = {&agent_secrets, &agent_page, &agent_fetch, &agent_sync};

int64_t agent_now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

void agent_say(const char *part, const char *format, ...) {
  char message[700];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  fprintf(stderr, "%s: %s\n", part, message);
}

void agent_copy(char *buffer, size_t capacity, const char *text) {
  size_t length = strnlen(text, capacity);
  if (length == capacity) {
    length--;
    while (length > 0 && ((unsigned char)text[length] & 0xC0) == 0x80) length--;
  }
  memcpy(buffer, text, length);
  buffer[length] = 0;
}

void agent_print_text(FILE *output, const char *text) {
  fputc('"', output);
  for (; *text; text++) {
    unsigned char byte = (unsigned char)*text;
    if (byte == '"' || byte == '\\') fprintf(output, "\\%c", byte);
    else if (byte < 32) fprintf(output, "\\u%04x", byte);
    else fputc(byte, output);
  }
  fputc('"', output);
}

static void end(part *part) {
  if (part->state == PART_RUNNING) {
    part->stop();
    agent_say(part->name, "is stopped");
  }
  part->state = PART_OFF;
  part->failures = 0;
  part->message[0] = 0;
}

static void begin(part *part, livery_store *store, const agent_settings *settings, int64_t now) {
  char message[sizeof part->message] = "";
  const char *certificates = part->has_network ? settings->network.ca_file : "";
  livery_status status = LIVERY_OK;
  if (certificates[0] && access(certificates, R_OK) != 0) {
    char whole[sizeof settings->network.ca_file + 200];
    snprintf(whole, sizeof whole, "agent.network.caFile: %s: %s", strerror(errno), certificates);
    agent_copy(message, sizeof message, whole);
    status = LIVERY_ERROR_NOT_FOUND;
  }
  if (status == LIVERY_OK) status = part->start(store, settings);
  if (status == LIVERY_OK) {
    part->state = PART_RUNNING;
    part->failures = 0;
    part->message[0] = 0;
    agent_say(part->name, "runs");
    return;
  }
  if (!message[0])
    agent_copy(message, sizeof message, livery_last_error() ? livery_last_error()->message : livery_status_name(status));
  // The same once more is no news.
  if (part->state != PART_FAILED || strcmp(message, part->message) != 0) agent_say(part->name, "cannot run: %s", message);
  agent_copy(part->message, sizeof part->message, message);
  part->state = PART_FAILED;
  int64_t wait = FIRST_RETRY << (part->failures < 6 ? part->failures : 6);
  if (wait > LAST_RETRY) wait = LAST_RETRY;
  uint32_t chance = 0;
  if (getrandom(&chance, sizeof chance, GRND_NONBLOCK) != (ssize_t)sizeof chance) chance = (uint32_t)now;
  part->again_ms = now + wait + (int64_t)(chance % (uint64_t)wait);
  part->failures++;
}

int64_t agent_parts_attend(livery_store *store, const agent_settings *settings, const agent_settings *former, int64_t now) {
  int64_t next = -1;
  for (size_t index = 0; index < PARTS; index++) {
    part *part = agent_parts[index];
    bool is_wanted = part->is_wanted(settings);
    if (part->state != PART_OFF && (!is_wanted || (former && !part->is_same(settings, former)))) end(part);
    if (is_wanted && (part->state == PART_OFF || (part->state == PART_FAILED && now >= part->again_ms))) begin(part, store, settings, now);
    int64_t wait = -1;
    if (part->state == PART_FAILED) wait = part->again_ms > now ? part->again_ms - now : 0;
    if (part->state == PART_RUNNING && part->attend) wait = part->attend(store, now);
    if (wait >= 0 && (next < 0 || wait < next)) next = wait;
  }
  return next;
}

void agent_parts_stop(void) {
  for (size_t index = 0; index < PARTS; index++) end(agent_parts[index]);
}

void agent_parts_retry(void) {
  for (size_t index = 0; index < PARTS; index++) agent_parts[index]->again_ms = 0;
}
