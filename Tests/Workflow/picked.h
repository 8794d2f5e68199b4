// Who picks, who is asked and what takes pictures, by scripts: for tests of picking.
#ifndef PICKED_H
#define PICKED_H

#include "asked.h"
#include <livery/picker.h>

// What was told of picking, and what to answer: a letter for each question, the last one for all that follow.
typedef struct picked {
  atomic_int done, destroyed, asked, refused;
  livery_status status;
  livery_picker_source source;
  livery_picker_permission permission, known;
  char message[512], asset[80], why[512];
  int64_t width;
  uint64_t revision;
  livery_picker *_Atomic picker;
  livery_picker_ask *_Atomic ask;
  // g granted, d denied, r restricted, n not decided, l granted by another thread, t granted twice, c cancels, w waits, m granted as
  // soon as there is memory
  const char *permits;
  // s stop, a again, F, C and U another source, T stop twice, c cancels, w waits
  const char *decisions;
} picked;

static inline void note_picked(const livery_picker_result *result, void *user_data) {
  picked *told = user_data;
  EXPECT(result->struct_size == sizeof *result && result->message != NULL);
  EXPECT((result->status == LIVERY_OK) == (result->asset != NULL));
  EXPECT((result->status == LIVERY_OK) == (result->info != NULL));
  EXPECT((result->status == LIVERY_OK) == (result->message[0] == 0));
  told->status = result->status;
  told->source = result->source;
  told->permission = result->permission;
  told->revision = result->revision;
  snprintf(told->message, sizeof told->message, "%s", result->message);
  if (result->asset) snprintf(told->asset, sizeof told->asset, "%s", result->asset);
  livery_value *width = NULL;
  if (result->info && livery_value_member(result->info, "width", &width) == LIVERY_OK) livery_value_as_int(width, &told->width);
  livery_value_release(width);
  atomic_fetch_add(&told->done, 1);
}

static inline void note_picked_destroyed(void *user_data) { atomic_fetch_add(&((picked *)user_data)->destroyed, 1); }

static inline char letter_of(const char *script, atomic_int *count) {
  size_t place = (size_t)atomic_fetch_add(count, 1), length = strlen(script);
  return script[place < length ? place : length - 1];
}

static inline void *grant_later(void *user_data) {
  picked *told = user_data;
  usleep(5000);
  OK(livery_picker_permit(told->ask, LIVERY_PICKER_GRANTED));
  return NULL;
}

static inline void permit(livery_picker_ask *ask, livery_picker_source source, livery_picker_permission known, void *user_data) {
  picked *told = user_data;
  EXPECT(source >= LIVERY_PICKER_FOLDER && source <= LIVERY_PICKER_UPLOAD);
  told->known = known;
  told->ask = ask;
  char letter = letter_of(told->permits, &told->asked);
  pthread_t thread;
  switch (letter) {
    case 'g': OK(livery_picker_permit(ask, LIVERY_PICKER_GRANTED)); break;
    // Whoever cancels may have been there first.
    case 'e': {
      livery_status status = livery_picker_permit(ask, LIVERY_PICKER_GRANTED);
      EXPECT(status == LIVERY_OK || status == LIVERY_ERROR_CLOSED);
      break;
    }
    case 'd': OK(livery_picker_permit(ask, LIVERY_PICKER_DENIED)); break;
    case 'r': OK(livery_picker_permit(ask, LIVERY_PICKER_RESTRICTED)); break;
    case 'n': OK(livery_picker_permit(ask, LIVERY_PICKER_NOT_ASKED)); break;
    case 't':
      EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT, livery_picker_permit(ask, 4));
      EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT, livery_picker_permit(ask, -1));
      EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT, livery_picker_decide(ask, LIVERY_PICKER_STOP, 0));
      OK(livery_picker_permit(ask, LIVERY_PICKER_GRANTED));
      EXPECT_STATUS(LIVERY_ERROR_CLOSED, livery_picker_permit(ask, LIVERY_PICKER_DENIED));
      break;
    case 'l':
      pthread_create(&thread, NULL, grant_later, told);
      pthread_detach(thread);
      break;
    case 'm':
      for (int tries = 0; tries < 5000 && livery_picker_permit(ask, LIVERY_PICKER_GRANTED) == LIVERY_ERROR_NO_MEMORY; tries++) usleep(1000);
      break;
    case 'c':
      for (int tries = 0; tries < 1000 && !told->picker; tries++) usleep(1000);
      OK(livery_picker_cancel(told->picker));
      break;
    default: break;
  }
}

static inline void refuse(livery_picker_ask *ask, livery_picker_source source, livery_picker_permission permission, const char *message,
                          void *user_data) {
  picked *told = user_data;
  (void)source;
  EXPECT(permission == LIVERY_PICKER_DENIED || permission == LIVERY_PICKER_RESTRICTED);
  EXPECT(message && *message);
  snprintf(told->why, sizeof told->why, "%s", message);
  told->ask = ask;
  switch (letter_of(told->decisions, &told->refused)) {
    case 's': OK(livery_picker_decide(ask, LIVERY_PICKER_STOP, 0)); break;
    case 'a': OK(livery_picker_decide(ask, LIVERY_PICKER_AGAIN, 0)); break;
    case 'F': OK(livery_picker_decide(ask, LIVERY_PICKER_OTHER, LIVERY_PICKER_FOLDER)); break;
    case 'C': OK(livery_picker_decide(ask, LIVERY_PICKER_OTHER, LIVERY_PICKER_CAMERA)); break;
    case 'U': OK(livery_picker_decide(ask, LIVERY_PICKER_OTHER, LIVERY_PICKER_UPLOAD)); break;
    case 'T':
      EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT, livery_picker_decide(ask, 3, 0));
      EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT, livery_picker_decide(ask, LIVERY_PICKER_STOP, LIVERY_PICKER_CAMERA));
      EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT, livery_picker_decide(ask, LIVERY_PICKER_OTHER, 0));
      EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT, livery_picker_decide(ask, LIVERY_PICKER_OTHER, 9));
      // The options have no folder.
      EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT, livery_picker_decide(ask, LIVERY_PICKER_OTHER, LIVERY_PICKER_FOLDER));
      EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT, livery_picker_permit(ask, LIVERY_PICKER_GRANTED));
      OK(livery_picker_decide(ask, LIVERY_PICKER_STOP, 0));
      EXPECT_STATUS(LIVERY_ERROR_CLOSED, livery_picker_decide(ask, LIVERY_PICKER_STOP, 0));
      break;
    case 'c': OK(livery_picker_cancel(told->picker)); break;
    default: break;
  }
}

static inline void *read_whole(const char *path, size_t *length) {
  FILE *file = fopen(path, "rb");
  void *bytes = malloc(1 << 20);
  *length = file ? fread(bytes, 1, 1 << 20, file) : 0;
  EXPECT(*length > 0);
  if (file) fclose(file);
  return bytes;
}

// A camera. The script: p hands over a picture at once, l later, t twice, m as soon as there is memory, j what is no image, N fails with NETWORK, w never does; b, P,
// u and i fail to begin, with BUSY, PERMISSION, UNAVAILABLE and IO; c cancels picking; x closes the store, X after it has handed a picture over.
typedef struct booth {
  const char *script;
  bool is_absent, closes_when_asked, closes_when_cancelled;
  atomic_int taken, cancelled, destroyed;
  uint32_t width, height;
  livery_picker_shot *_Atomic shot;
  picked *told;
  livery_store *store;
} booth;

static inline livery_status hand_over(livery_picker_shot *shot) {
  size_t length = 0;
  void *bytes = read_whole(FIXTURES "/images/rgb.png", &length);
  livery_status status = livery_picker_taken(shot, LIVERY_OK, bytes, length);
  free(bytes);
  return status;
}

static inline void *hand_over_later(void *user_data) {
  booth *self = user_data;
  usleep(5000);
  OK(hand_over(self->shot));
  return NULL;
}

static inline bool booth_is_there(void *user_data) {
  booth *self = user_data;
  if (self->closes_when_asked) OK(livery_close(self->store));
  return !self->is_absent;
}

static inline livery_status booth_take(livery_picker_shot *shot, uint32_t width, uint32_t height, void *user_data) {
  booth *self = user_data;
  pthread_t thread;
  self->width = width;
  self->height = height;
  self->shot = shot;
  switch (letter_of(self->script, &self->taken)) {
    case 'p': OK(hand_over(shot)); break;
    case 'm':
      for (int tries = 0; tries < 5000 && hand_over(shot) == LIVERY_ERROR_NO_MEMORY; tries++) usleep(1000);
      break;
    case 'l':
      pthread_create(&thread, NULL, hand_over_later, self);
      pthread_detach(thread);
      break;
    case 't':
      EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT, livery_picker_taken(shot, LIVERY_OK, NULL, 1));
      EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT, livery_picker_taken(shot, 1, "", 1));
      OK(hand_over(shot));
      EXPECT_STATUS(LIVERY_ERROR_CLOSED, hand_over(shot));
      break;
    case 'j': OK(livery_picker_taken(shot, LIVERY_OK, "no image", 8)); break;
    case '0': OK(livery_picker_taken(shot, LIVERY_OK, "", 0)); break;
    case 'N': OK(livery_picker_taken(shot, LIVERY_ERROR_NETWORK, NULL, 0)); break;
    case 'X': OK(hand_over(shot)); OK(livery_close(self->store)); break;
    case 'x': OK(livery_close(self->store)); break;
    case 'b': return livery_error_leave(LIVERY_ERROR_BUSY, "the booth is taken"), LIVERY_ERROR_BUSY;
    case 'P': return livery_error_leave(LIVERY_ERROR_PERMISSION, "the booth is locked"), LIVERY_ERROR_PERMISSION;
    case 'u': return LIVERY_ERROR_UNAVAILABLE;
    case 'i': return livery_error_leave(LIVERY_ERROR_IO, "the lens is broken"), LIVERY_ERROR_IO;
    case 'c':
      for (int tries = 0; tries < 1000 && !self->told->picker; tries++) usleep(1000);
      OK(livery_picker_cancel(self->told->picker));
      break;
    default: break;
  }
  return LIVERY_OK;
}

static inline void booth_cancel(livery_picker_shot *shot, void *user_data) {
  booth *self = user_data;
  EXPECT(self->taken > 1 ? shot != NULL : shot == self->shot);
  atomic_fetch_add(&self->cancelled, 1);
  if (!self->closes_when_cancelled) return;
  OK(livery_close(self->store));
  // Nothing is left for later.
  EXPECT_INT(1, self->told->done);
  EXPECT_INT(1, self->told->destroyed);
}

static inline void booth_destroyed(void *user_data) { atomic_fetch_add(&((booth *)user_data)->destroyed, 1); }

static inline void build_booth(livery_store *store, booth *self, const char *script) {
  livery_picker_camera camera = {sizeof camera, 0, booth_is_there, booth_take, booth_cancel};
  self->script = script;
  OK(livery_picker_set_camera(store, &camera, self, booth_destroyed));
}

// Begins; `told` has the functions that have a script.
static inline void begin_picking(livery_store *store, livery_picker_options options, picked *told) {
  livery_picker *picker = NULL;
  if (told->permits) options.permission = permit;
  if (told->decisions) options.denied = refuse;
  OK(livery_picker_start(store, &options, note_picked, told, note_picked_destroyed, &picker));
  told->picker = picker;
}

static inline void expect_end(picked *told, livery_status status) {
  EXPECT(comes(&told->destroyed, 1));
  EXPECT_INT(1, told->done);
  EXPECT_INT(1, told->destroyed);
  if (told->status != status)
    check_fail(__FILE__, __LINE__, "it ended with %s, expected %s: %s", livery_status_name(told->status), livery_status_name(status),
               told->message);
}

#endif
