// Requests by libcurl: loaded by the first of them, on one thread of the process. Whoever makes them receives answers by functions
// of its own.
#ifndef CCURL_H
#define CCURL_H

#include <livery.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// A field of a head.
typedef struct lvu_field {
  const char *name, *value;
} lvu_field;

// A request, which is valid during the call: http: or https:, GET, or POST if there is a body and no other method is named. It is made as it is: no redirect is
// followed.
typedef struct lvu_request {
  const char *url;
  // `Accept-Encoding: gzip` has the content taken out of what it is packed in, and told whether that is whole.
  const lvu_field *fields;
  size_t field_count;
  // A file of certificates and a proxy; NULL for the system's, and for what the environment says.
  const char *ca_file, *proxy;
  // NULL for GET.
  const void *body;
  size_t body_length;
  // What is done with the body, such as PUT; NULL for POST.
  const char *method;
} lvu_request;

// What receives answers, for as long as the process lives. It is called by the transfers' thread, without a lock held.
typedef struct lvu_receiver {
  // What may be done other than installing libcurl, to follow that in a message; "" for nothing.
  const char *alternative;
  // The head, once, before the body; and each piece of the body. Whether the answer is wanted any more.
  bool (*answer)(void *exchange, int32_t status, const lvu_field *fields, size_t count);
  bool (*receive)(void *exchange, const void *bytes, size_t length);
  // The end, exactly once. The message is one line or NULL; `redirect` where the answer leads to, absolute, or NULL.
  void (*finish)(void *exchange, livery_status status, const char *message, const char *redirect);
  // Gives back what was handed to lvu_cancel(); NULL for nothing to give back.
  void (*release)(void *exchange);
} lvu_receiver;

// Begins a request. Other than LIVERY_OK is its end, with the message that is left as the last error.
livery_status lvu_begin(const lvu_request *request, const lvu_receiver *receiver, void *exchange);
// Ends it soon, with LIVERY_ERROR_CANCELLED, if it has not ended. Until it is released no other exchange may be of this address.
void lvu_cancel(const lvu_receiver *receiver, void *exchange);

#endif
