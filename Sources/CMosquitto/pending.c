#include "pending.h"

#include <stdlib.h>
#include <string.h>

static lvb_message **bucket_of(lvb_pending *pending, const char *topic) {
  uint32_t hash = 2166136261u;
  for (const char *c = topic; *c; c++) hash = (hash ^ (uint8_t)*c) * 16777619u;
  return &pending->buckets[hash % LVB_BUCKETS];
}

lvb_pending *lvb_pending_make(void) {
  lvb_pending *pending = calloc(1, sizeof *pending);
  if (pending) pending->last = &pending->first;
  return pending;
}

void lvb_pending_free(lvb_pending *pending) {
  for (size_t index = 0; index < LVB_BUCKETS; index++)
    for (lvb_message *message = pending->buckets[index], *next; message; message = next) {
      next = message->next_in_bucket;
      free(message);
    }
  free(pending);
}

static void append(lvb_pending *pending, lvb_message *message) {
  message->next = NULL;
  *pending->last = message;
  pending->last = &message->next;
}

livery_status lvb_pending_add(lvb_pending *pending, const char *topic, const void *payload, size_t length) {
  lvb_message **bucket = bucket_of(pending, topic), *message = *bucket;
  while (message && strcmp(message->topic, topic) != 0) message = message->next_in_bucket;
  if (!message) {
    if (pending->count >= LVB_PENDING_MAX) return LIVERY_ERROR_BUSY;
    size_t size = strlen(topic) + 1;
    message = calloc(1, sizeof *message + size);
    if (!message) return LIVERY_ERROR_NO_MEMORY;
    memcpy(message->topic, topic, size);
    message->next_in_bucket = *bucket;
    *bucket = message;
    pending->count++;
    append(pending, message);
  }
  message->has_changed = message->is_in_flight;
  message->length = length;
  if (length > 0) memcpy(message->payload, payload, length);
  return LIVERY_OK;
}

const lvb_message *lvb_pending_take(lvb_pending *pending, uint8_t payload[LVB_PAYLOAD_MAX], size_t *length) {
  lvb_message *message = pending->first;
  if (!message || pending->in_flight_count == LVB_IN_FLIGHT_MAX) return NULL;
  pending->first = message->next;
  if (!pending->first) pending->last = &pending->first;
  message->is_in_flight = true;
  message->has_changed = false;
  // libmosquitto's numbers are above zero.
  int index = pending->in_flight_count++;
  pending->in_flight[index].id = 0;
  pending->in_flight[index].message = message;
  memcpy(payload, message->payload, message->length);
  *length = message->length;
  return message;
}

void lvb_pending_sent(lvb_pending *pending, int id) { pending->in_flight[pending->in_flight_count - 1].id = id; }

void lvb_pending_acknowledged(lvb_pending *pending, int id) {
  for (int index = 0; index < pending->in_flight_count; index++) {
    if (pending->in_flight[index].id != id) continue;
    lvb_message *message = pending->in_flight[index].message;
    pending->in_flight[index] = pending->in_flight[--pending->in_flight_count];
    message->is_in_flight = false;
    if (message->has_changed) {
      append(pending, message);
      return;
    }
    lvb_message **place = bucket_of(pending, message->topic);
    while (*place != message) place = &(*place)->next_in_bucket;
    *place = message->next_in_bucket;
    free(message);
    pending->count--;
    return;
  }
}

void lvb_pending_lost(lvb_pending *pending) {
  while (pending->in_flight_count > 0) {
    lvb_message *message = pending->in_flight[--pending->in_flight_count].message;
    message->is_in_flight = message->has_changed = false;
    append(pending, message);
  }
}
