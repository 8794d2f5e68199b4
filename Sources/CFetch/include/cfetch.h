// What LiveryFetch takes of libcurl.
#ifndef CFETCH_H
#define CFETCH_H

#include <livery/fetch.h>

// The transport by libcurl. Answers are handed to the functions of livery/fetch.h.
livery_status lvf_curl_begin(const livery_fetch_request *request, livery_fetch_exchange *exchange);
void lvf_curl_cancel(livery_fetch_exchange *exchange);

#endif
