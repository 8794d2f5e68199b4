// Requests by libcurl: one thread of the process drives all of them.
//
// libcurl is loaded by the first request, and stays: a program that makes none starts without it.
#define _GNU_SOURCE
#include "ccurl.h"
#include "unpack.h"

#include <cclient.h>
#include <curl/curl.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

enum {
  // How many requests are under way at once, in all and of one server.
  MOST = 64,
  MOST_OF_A_SERVER = 16,
  // How much of a head is kept.
  FIELDS_MAX = 500,
  HEAD_MAX = 256 * 1024,
};

#define FUNCTIONS(each)                                                                                                  \
  each(global_init) each(version_info) each(easy_init) each(easy_setopt) each(easy_getinfo) each(easy_strerror)          \
  each(easy_cleanup) each(slist_append) each(slist_free_all) each(multi_init) each(multi_add_handle)                     \
  each(multi_remove_handle) each(multi_perform) each(multi_info_read) each(multi_poll) each(multi_wakeup)                \
  each(multi_cleanup)

typedef struct functions {
#define PLACE(name) __typeof__(curl_##name) *name;
  FUNCTIONS(PLACE)
#undef PLACE
} functions;

// What is called of libcurl; of use once `is_loaded`, which is set with `lock` held.
static functions curl;
static atomic_bool is_loaded;

typedef struct request {
  struct request *next;
  CURL *easy;
  struct curl_slist *headers;
  const lvu_receiver *receiver;
  void *exchange;
  char *server;
  uint8_t *body;
  bool is_cancelled, has_answered, is_head_too_large, takes_packed;
  lvu_field *fields;
  size_t count, bytes;
  // Of a body that comes packed.
  unpacker *unpacker;
  // What is wrong with the answer; "" for nothing.
  char problem[100];
  char error[CURL_ERROR_SIZE];
} request;

typedef struct driver {
  pid_t process;
  CURLM *multi;
  // Guarded by `lock`: what was begun and what was cancelled, the latest first.
  pthread_mutex_t lock;
  request *begun;
  struct cancelled {
    struct cancelled *next;
    const lvu_receiver *receiver;
    void *exchange;
  } *cancelled;
  // The thread's own.
  request *waiting, **last_waiting, *running;
  int running_count;
} driver;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static driver *current;

static void forget_head(request *r) {
  for (size_t index = 0; index < r->count; index++) {
    free((char *)r->fields[index].name);
    free((char *)r->fields[index].value);
  }
  r->count = r->bytes = 0;
}

static void free_request(request *r) {
  forget_head(r);
  free(r->fields);
  free(r->server);
  free(r->body);
  lvu_unpacker_free(r->unpacker);
  curl.slist_free_all(r->headers);
  if (r->easy) curl.easy_cleanup(r->easy);
  free(r);
}

// One field, without the space around it. Whether it was kept.
static bool keep_field(request *r, const char *line, size_t length) {
  const char *colon = memchr(line, ':', length);
  if (!colon || colon == line) return true;
  if (r->count >= FIELDS_MAX || r->bytes + length > HEAD_MAX) return false;
  if (r->count % 16 == 0) {
    lvu_field *larger = realloc(r->fields, (r->count + 16) * sizeof *larger);
    if (!larger) return false;
    r->fields = larger;
  }
  const char *value = colon + 1, *end = line + length;
  while (value < end && (*value == ' ' || *value == '\t')) value++;
  while (end > value && (end[-1] == ' ' || end[-1] == '\t')) end--;
  lvu_field field = {strndup(line, (size_t)(colon - line)), strndup(value, (size_t)(end - value))};
  if (!field.name || !field.value) {
    free((char *)field.name);
    free((char *)field.value);
    return false;
  }
  r->fields[r->count++] = field;
  r->bytes += length;
  return true;
}

static bool is_word(const char *text, size_t length, const char *word) {
  return strlen(word) == length && strncasecmp(text, word, length) == 0;
}

// Whether the body is packed by gzip, once, or not at all.
static bool is_unpackable(request *r, const char *value) {
  static const char between[] = ", \t";
  for (value += strspn(value, between); *value; value += strspn(value, between)) {
    size_t length = strcspn(value, between);
    bool is_gzip = is_word(value, length, "gzip") || is_word(value, length, "x-gzip");
    if (is_gzip && (r->unpacker || !(r->unpacker = lvu_unpacker_new()))) return false;
    if (!is_gzip && !is_word(value, length, "identity") && !is_word(value, length, "none")) return false;
    value += length;
  }
  return true;
}

// What the body is packed in. Whether it can be taken out, where that was asked for.
static bool take_packing(request *r, long status) {
  if (status > 599) {
    snprintf(r->problem, sizeof r->problem, "the server answers %ld, which is no status", status);
    return false;
  }
  // What else an answer brings along nobody looks at.
  bool has_content = status == 200 || status == 203 || status == 206;
  for (size_t index = 0; r->takes_packed && has_content && index < r->count; index++) {
    const char *value = r->fields[index].value;
    if (strcasecmp(r->fields[index].name, "Content-Encoding") != 0 || is_unpackable(r, value)) continue;
    snprintf(r->problem, sizeof r->problem, "the answer is packed by `%.30s`, which was not asked for", value);
    return false;
  }
  return true;
}

static size_t take_line(char *line, size_t size, size_t count, void *context) {
  request *r = context;
  size_t length = size * count, taken = length;
  while (length > 0 && (line[length - 1] == '\n' || line[length - 1] == '\r')) length--;
  // What follows the body is left out.
  if (r->has_answered) return taken;
  if (length >= 5 && memcmp(line, "HTTP/", 5) == 0) {
    forget_head(r);
    return taken;
  }
  if (length > 0) {
    if (keep_field(r, line, length)) return taken;
    r->is_head_too_large = true;
    return 0;
  }
  long status = 0;
  curl.easy_getinfo(r->easy, CURLINFO_RESPONSE_CODE, &status);
  if (status < 200) return taken;
  r->has_answered = true;
  if (!take_packing(r, status)) return 0;
  const bool goes_on = r->receiver->answer(r->exchange, (int32_t)status, r->fields, r->count);
  forget_head(r);
  return goes_on ? taken : 0;
}

static size_t take_body(char *bytes, size_t size, size_t count, void *context) {
  request *r = context;
  size_t length = size * count;
  if (!r->unpacker) return r->receiver->receive(r->exchange, bytes, length) ? length : 0;
  unpacking done = lvu_unpack(r->unpacker, bytes, length, r->receiver->receive, r->exchange);
  if (done == UNPACKING_DAMAGED) strcpy(r->problem, "what the answer is packed in is damaged");
  return done == UNPACKING_GOES_ON ? length : 0;
}

// The scheme, the host and the port.
static char *server_of(const char *url) {
  const char *start = strstr(url, "://");
  size_t length = start ? (size_t)(start + 3 - url) : 0;
  length += strcspn(url + length, "/?#");
  return strndup(url, length);
}

static bool set_up(request *r, const lvu_request *wanted) {
  CURL *easy = r->easy;
  bool is_good = true;
#define SET(option, value) is_good = is_good && curl.easy_setopt(easy, option, value) == CURLE_OK
  SET(CURLOPT_URL, wanted->url);
  SET(CURLOPT_PROTOCOLS_STR, "http,https");
  SET(CURLOPT_NOSIGNAL, 1L);
  SET(CURLOPT_FOLLOWLOCATION, 0L);
  SET(CURLOPT_HTTP09_ALLOWED, 0L);
  SET(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
  SET(CURLOPT_SSL_VERIFYPEER, 1L);
  SET(CURLOPT_SSL_VERIFYHOST, 2L);
  SET(CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
  SET(CURLOPT_CONNECTTIMEOUT_MS, 15000L);
  // A server that sends next to nothing.
  SET(CURLOPT_LOW_SPEED_LIMIT, 16L);
  SET(CURLOPT_LOW_SPEED_TIME, 20L);
  SET(CURLOPT_ERRORBUFFER, r->error);
  SET(CURLOPT_PRIVATE, r);
  SET(CURLOPT_HEADERFUNCTION, take_line);
  SET(CURLOPT_HEADERDATA, r);
  SET(CURLOPT_WRITEFUNCTION, take_body);
  SET(CURLOPT_WRITEDATA, r);
  if (wanted->ca_file) SET(CURLOPT_CAINFO, wanted->ca_file);
  if (wanted->proxy) SET(CURLOPT_PROXY, wanted->proxy);
  if (wanted->body) {
    // Copied: the caller's is gone by then.
    r->body = malloc(wanted->body_length + 1);
    if (!r->body) return false;
    memcpy(r->body, wanted->body, wanted->body_length);
    SET(CURLOPT_POST, 1L);
    SET(CURLOPT_POSTFIELDS, (const char *)r->body);
    SET(CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)wanted->body_length);
    if (wanted->method) SET(CURLOPT_CUSTOMREQUEST, wanted->method);
  }
  for (size_t index = 0; index < wanted->field_count && is_good; index++) {
    const lvu_field *header = &wanted->fields[index];
    const char *value = header->value;
    if (strcasecmp(header->name, "Accept-Encoding") == 0 && strcasecmp(value, "gzip") == 0) {
      r->takes_packed = true;
      if (!lvu_can_unpack()) value = "identity";
    }
    char *line = NULL;
    if (asprintf(&line, "%s: %s", header->name, value) < 0) return false;
    struct curl_slist *longer = curl.slist_append(r->headers, line);
    free(line);
    if (!longer) return false;
    r->headers = longer;
  }
  SET(CURLOPT_HTTPHEADER, r->headers);
#undef SET
  return is_good;
}

static livery_status status_of(CURLcode code) {
  switch (code) {
    case CURLE_OK: return LIVERY_OK;
    case CURLE_OPERATION_TIMEDOUT: return LIVERY_ERROR_TIMEOUT;
    case CURLE_OUT_OF_MEMORY: case CURLE_FAILED_INIT: return LIVERY_ERROR_NO_MEMORY;
    case CURLE_URL_MALFORMAT: return LIVERY_ERROR_INVALID_ARGUMENT;
    // Of no use to try again.
    case CURLE_PEER_FAILED_VERIFICATION: case CURLE_SSL_CACERT_BADFILE: case CURLE_SSL_ISSUER_ERROR:
      return LIVERY_ERROR_REFUSED;
    default: return LIVERY_ERROR_NETWORK;
  }
}

static void finish(request *r, CURLcode code) {
  if (code == CURLE_OK && r->unpacker && !lvu_is_unpacked(r->unpacker) && !r->is_cancelled) {
    strcpy(r->problem, "the answer breaks off within what it is packed in");
    code = CURLE_PARTIAL_FILE;
  }
  // So libcurl says of a line that is longer than it takes.
  if (code == CURLE_OUT_OF_MEMORY && !r->has_answered) r->is_head_too_large = true;
  // Names and passwords of proxies are nobody's to read.
  bool may_quote = r->error[0] && code != CURLE_COULDNT_RESOLVE_PROXY && code != CURLE_URL_MALFORMAT && !strchr(r->error, '@');
  const char *message = r->is_head_too_large ? "the head of the answer is too large"
                        : r->problem[0]      ? r->problem
                        : may_quote          ? r->error
                        : code != CURLE_OK   ? curl.easy_strerror(code)
                                             : NULL;
  livery_status status = r->is_cancelled ? LIVERY_ERROR_CANCELLED : r->is_head_too_large || r->problem[0] ? LIVERY_ERROR_NETWORK : status_of(code);
  char *redirect = NULL;
  curl.easy_getinfo(r->easy, CURLINFO_REDIRECT_URL, &redirect);
  r->receiver->finish(r->exchange, status, message, redirect);
}

static void stop(driver *d, request *r, CURLcode code) {
  for (request **place = &d->running; *place; place = &(*place)->next) {
    if (*place != r) continue;
    *place = r->next;
    d->running_count--;
    break;
  }
  curl.multi_remove_handle(d->multi, r->easy);
  finish(r, code);
  free_request(r);
}

static void start(driver *d, request *r) {
  r->next = d->running;
  d->running = r;
  d->running_count++;
  if (curl.multi_add_handle(d->multi, r->easy) != CURLM_OK) stop(d, r, CURLE_FAILED_INIT);
}

static int running_of(const driver *d, const char *server) {
  int count = 0;
  for (const request *r = d->running; r; r = r->next) count += strcmp(r->server, server) == 0;
  return count;
}

// Begins what waits and may, the eldest first.
static void start_waiting(driver *d) {
  request **place = &d->waiting;
  // Of many that wait most do for one server.
  const char *busy = NULL;
  while (*place && d->running_count < MOST) {
    request *r = *place;
    if (!r->is_cancelled && ((busy && strcmp(r->server, busy) == 0) || running_of(d, r->server) >= MOST_OF_A_SERVER)) {
      busy = r->server;
      place = &r->next;
      continue;
    }
    *place = r->next;
    if (!*place) d->last_waiting = place;
    if (r->is_cancelled) {
      finish(r, CURLE_OK);
      free_request(r);
    } else {
      start(d, r);
    }
  }
}

static void take_orders(driver *d) {
  pthread_mutex_lock(&d->lock);
  request *begun = d->begun;
  struct cancelled *cancelled = d->cancelled;
  d->begun = NULL;
  d->cancelled = NULL;
  pthread_mutex_unlock(&d->lock);
  request *in_order = NULL;
  while (begun) {
    request *next = begun->next;
    begun->next = in_order;
    in_order = begun;
    begun = next;
  }
  *d->last_waiting = in_order;
  while (*d->last_waiting) d->last_waiting = &(*d->last_waiting)->next;
  while (cancelled) {
    struct cancelled *next = cancelled->next;
    for (request *r = d->waiting; r; r = r->next) r->is_cancelled |= r->exchange == cancelled->exchange;
    for (request *r = d->running, *after; r; r = after) {
      after = r->next;
      if (r->exchange != cancelled->exchange) continue;
      r->is_cancelled = true;
      stop(d, r, CURLE_OK);
    }
    if (cancelled->receiver->release) cancelled->receiver->release(cancelled->exchange);
    free(cancelled);
    cancelled = next;
  }
}

static void *drive(void *argument) {
  driver *d = argument;
  pthread_setname_np(pthread_self(), "livery-curl");
  for (;;) {
    take_orders(d);
    start_waiting(d);
    int still = 0, left = 0;
    curl.multi_perform(d->multi, &still);
    bool has_ended_any = false;
    for (CURLMsg *message; (message = curl.multi_info_read(d->multi, &left));) {
      if (message->msg != CURLMSG_DONE) continue;
      request *r = NULL;
      CURLcode code = message->data.result;
      curl.easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, (char **)&r);
      stop(d, r, code);
      has_ended_any = true;
    }
    if (!has_ended_any || !d->waiting) curl.multi_poll(d->multi, NULL, 0, d->running ? 1000 : 3600 * 1000, NULL);
  }
  return NULL;
}

// Loads the library; NULL, or why there is none, which may be otherwise another time. It is never let go of: called without a
// lock, for the loader has one of its own, which constructors of other libraries may hold while they fork.
static const char *load(functions *found) {
  void *library = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);
  if (!library) return "it is not installed, or cannot be loaded";
  bool is_whole = true;
#define TAKE(name) is_whole = (found->name = (__typeof__(found->name))dlsym(library, "curl_" #name)) && is_whole;
  FUNCTIONS(TAKE)
#undef TAKE
  if (!is_whole || found->version_info(CURLVERSION_NOW)->version_num < 0x075500) return "the one that is installed is older than 7.85";
  // The thread of the transfers goes on for as long as the process lives.
  lvc_openssl_keep();
  return NULL;
}

// A forked child has none of its parent's threads: its first request makes a driver of its own.
static pthread_once_t once = PTHREAD_ONCE_INIT;
static void before_fork(void) { pthread_mutex_lock(&lock); }
static void after_fork(void) { pthread_mutex_unlock(&lock); }
static void watch_forks(void) { pthread_atfork(before_fork, after_fork, after_fork); }

// NULL, with what is said of it.
static driver *driver_of_process(const char *alternative) {
  functions found;
  const char *missing = is_loaded ? NULL : load(&found);
  pthread_once(&once, watch_forks);
  pthread_mutex_lock(&lock);
  driver *d = current;
  if (!missing && !is_loaded) {
    curl = found;
    if (curl.global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK) is_loaded = true;
    else missing = "it cannot be set up";
  }
  if (missing) {
    d = NULL;
    char message[200];
    snprintf(message, sizeof message, "libcurl is missing (%s): install libcurl4%s", missing, alternative);
    livery_error_leave(LIVERY_ERROR_UNAVAILABLE, message);
  } else if (!d || d->process != getpid()) {
    d = calloc(1, sizeof *d);
    if (d) {
      d->process = getpid();
      d->last_waiting = &d->waiting;
      pthread_mutex_init(&d->lock, NULL);
      d->multi = curl.multi_init();
      if (!d->multi || !lvc_thread_start(drive, d)) {
        if (d->multi) curl.multi_cleanup(d->multi);
        free(d);
        d = NULL;
      }
    }
    if (d) current = d;
    if (!d) livery_error_leave(LIVERY_ERROR_BUSY, "no thread for transfers can be had");
  }
  pthread_mutex_unlock(&lock);
  return d;
}

livery_status lvu_begin(const lvu_request *wanted, const lvu_receiver *receiver, void *exchange) {
  driver *d = driver_of_process(receiver->alternative);
  if (!d) return is_loaded ? LIVERY_ERROR_BUSY : LIVERY_ERROR_UNAVAILABLE;
  request *r = calloc(1, sizeof *r);
  if (r) {
    r->receiver = receiver;
    r->exchange = exchange;
    r->server = server_of(wanted->url);
    r->easy = curl.easy_init();
  }
  if (!r || !r->server || !r->easy) {
    if (r) free_request(r);
    livery_error_leave(LIVERY_ERROR_NO_MEMORY, "there is no memory for a request");
    return LIVERY_ERROR_NO_MEMORY;
  }
  if (!set_up(r, wanted)) {
    free_request(r);
    livery_error_leave(LIVERY_ERROR_INVALID_ARGUMENT, "libcurl does not take the request");
    return LIVERY_ERROR_INVALID_ARGUMENT;
  }
  pthread_mutex_lock(&d->lock);
  r->next = d->begun;
  d->begun = r;
  pthread_mutex_unlock(&d->lock);
  curl.multi_wakeup(d->multi);
  return LIVERY_OK;
}

void lvu_cancel(const lvu_receiver *receiver, void *exchange) {
  driver *d = driver_of_process("");
  struct cancelled *order = d ? calloc(1, sizeof *order) : NULL;
  if (!order) {
    if (receiver->release) receiver->release(exchange);
    return;
  }
  order->receiver = receiver;
  order->exchange = exchange;
  pthread_mutex_lock(&d->lock);
  order->next = d->cancelled;
  d->cancelled = order;
  pthread_mutex_unlock(&d->lock);
  curl.multi_wakeup(d->multi);
}
