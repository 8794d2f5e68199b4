// Messages that the broker has not acknowledged, the latest for each topic.
#ifndef CMOSQUITTO_PENDING_H
#define CMOSQUITTO_PENDING_H

#include "cmosquitto.h"

enum { LVB_IN_FLIGHT_MAX = 20, LVB_BUCKETS = 4096 };

typedef struct lvb_message {
  // Those that wait, and those of the same bucket.
  struct lvb_message *next, *next_in_bucket;
  bool is_in_flight, has_changed;
  size_t length;
  uint8_t payload[LVB_PAYLOAD_MAX];
  char topic[];
} lvb_message;

typedef struct lvb_pending {
  lvb_message *first, **last;
  lvb_message *buckets[LVB_BUCKETS];
  size_t count;
  struct {
    int id;
    lvb_message *message;
  } in_flight[LVB_IN_FLIGHT_MAX];
  int in_flight_count;
} lvb_pending;

lvb_pending *lvb_pending_make(void);
void lvb_pending_free(lvb_pending *pending);
// LIVERY_ERROR_BUSY where there are too many, LIVERY_ERROR_NO_MEMORY.
livery_status lvb_pending_add(lvb_pending *pending, const char *topic, const void *payload, size_t length);
// The next one to be sent, under way from now on, with what it says now; NULL if there is none, or as many are under way as may
// be. Its topic stays as it is until it is acknowledged.
const lvb_message *lvb_pending_take(lvb_pending *pending, uint8_t payload[LVB_PAYLOAD_MAX], size_t *length);
// The one that was taken last was sent with this number.
void lvb_pending_sent(lvb_pending *pending, int id);
void lvb_pending_acknowledged(lvb_pending *pending, int id);
// The connection is lost: what was under way is to be sent again.
void lvb_pending_lost(lvb_pending *pending);

#endif
