// Takes out of bodies what they are packed in, and knows whether they are whole.
#ifndef UNPACK_H
#define UNPACK_H

#include <stdbool.h>
#include <stddef.h>

typedef struct unpacker unpacker;
typedef enum unpacking { UNPACKING_GOES_ON, UNPACKING_UNWANTED, UNPACKING_DAMAGED } unpacking;
// Whether more is wanted.
typedef bool (*unpacked_fn)(void *context, const void *bytes, size_t length);

// Whether there is a zlib.
bool lvu_can_unpack(void);
// NULL without memory, or without a zlib.
unpacker *lvu_unpacker_new(void);
void lvu_unpacker_free(unpacker *u);

// Hands on what comes out of a piece.
unpacking lvu_unpack(unpacker *u, const void *bytes, size_t length, unpacked_fn take, void *context);
// Whether what came has an end, or has not begun.
bool lvu_is_unpacked(const unpacker *u);

#endif
