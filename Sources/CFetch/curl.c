// The transport by libcurl: answers are handed to the functions of livery/fetch.h.
#include "cfetch.h"

#include <assert.h>
#include <ccurl.h>

static_assert(sizeof(lvu_field) == sizeof(livery_fetch_header), "fields are the same for both");

static bool answer(void *exchange, int32_t status, const lvu_field *fields, size_t count) {
  return livery_fetch_answer(exchange, status, (const livery_fetch_header *)fields, count) == LIVERY_OK;
}

static bool receive(void *exchange, const void *bytes, size_t length) {
  return livery_fetch_receive(exchange, bytes, length) == LIVERY_OK;
}

// Where an answer leads to is read of its head.
static void finish(void *exchange, livery_status status, const char *message, const char *redirect) {
  (void)redirect;
  livery_fetch_finish(exchange, status, message);
}

static const lvu_receiver receiver = {", or use a transport of your own", answer, receive, finish, NULL};

livery_status lvf_curl_begin(const livery_fetch_request *wanted, livery_fetch_exchange *exchange) {
  const lvu_request request = {
    .url = wanted->url, .fields = (const lvu_field *)wanted->headers, .field_count = wanted->header_count,
    .ca_file = wanted->ca_file, .proxy = wanted->proxy,
  };
  return lvu_begin(&request, &receiver, exchange);
}

void lvf_curl_cancel(livery_fetch_exchange *exchange) { lvu_cancel(&receiver, exchange); }
