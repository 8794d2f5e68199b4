// The images of the brand in effect by URL: fetched when the brand changes, and every so often.
#include "agent.h"

#include <livery/fetch.h>
#include <stdlib.h>
#include <string.h>

enum {
  // Milliseconds after which what could not be had is asked for again, the first time and at most.
  FIRST_RETRY = 30000,
  LAST_RETRY = 3600000,
};

static livery_watch *watch;
static livery_fetch *running;
// A fetch whose end has not been told yet, also one that was cancelled.
static bool is_under_way, has_changed;
static agent_settings wanted;
static int64_t due_ms, retry_ms;
static int64_t ready, stale, failed;
static char problem[300];

static bool is_wanted(const agent_settings *settings) { return settings->fetch.is_enabled; }

static bool is_same(const agent_settings *one, const agent_settings *other) {
  return memcmp(&one->fetch, &other->fetch, sizeof one->fetch) == 0 && memcmp(&one->network, &other->network, sizeof one->network) == 0;
}

static void note_change(const livery_event *events, size_t count, void *unused) {
  (void)events, (void)count, (void)unused;
  has_changed = true;
}

static livery_status start(livery_store *store, const agent_settings *settings) {
  livery_watch_options options = LIVERY_WATCH_OPTIONS_INIT;
  options.flags = LIVERY_WATCH_DISPATCH;
  options.min_interval_ms = 500;
  livery_status status = livery_watch_start(store, "branding.**", &options, note_change, NULL, NULL, &watch);
  if (status != LIVERY_OK) return status;
  wanted = *settings;
  ready = stale = failed = 0;
  retry_ms = 0;
  has_changed = true;
  return LIVERY_OK;
}

static void stop(void) {
  livery_watch_stop(watch);
  watch = NULL;
  if (is_under_way) livery_fetch_cancel(running);
}

static int64_t number_of(livery_value *report, const char *name) {
  livery_value *member = NULL;
  int64_t number = 0;
  if (livery_value_member(report, name, &member) == LIVERY_OK) livery_value_as_int(member, &number);
  livery_value_release(member);
  return number;
}

static void note_end(livery_status status, const char *message, livery_value *report, void *unused) {
  (void)unused;
  is_under_way = false;
  running = NULL;
  if (!watch || status == LIVERY_ERROR_CANCELLED) return;
  int64_t now = agent_now_ms(), failed_before = failed;
  problem[0] = 0;
  if (status == LIVERY_OK) {
    ready = number_of(report, "ready");
    stale = number_of(report, "stale");
    failed = number_of(report, "failed");
    if (failed > 0) snprintf(problem, sizeof problem, "%lld images cannot be had", (long long)failed);
  } else {
    failed = failed > 0 ? failed : 1;
    agent_copy(problem, sizeof problem, message && message[0] ? message : livery_status_name(status));
  }
  if (failed != failed_before) agent_say("fetch", "%lld images are ready, %lld cannot be had", (long long)(ready + stale), (long long)failed);
  retry_ms = failed == 0 ? 0 : retry_ms == 0 ? FIRST_RETRY : retry_ms < LAST_RETRY / 2 ? retry_ms * 2 : LAST_RETRY;
  int64_t interval = wanted.fetch.interval_s * 1000;
  due_ms = now + (retry_ms && retry_ms < interval ? retry_ms : interval);
}

static void begin(livery_store *store) {
  static const char *const idioms[] = {"phone", "tablet", "tv", "desktop", "watch"};
  livery_traits traits = LIVERY_TRAITS_INIT;
  for (size_t index = 0; index < sizeof idioms / sizeof *idioms; index++)
    if (strcmp(idioms[index], wanted.fetch.idiom) == 0) traits.idiom = (livery_idiom)(LIVERY_IDIOM_PHONE + index);
  traits.scale = wanted.fetch.scale;
  livery_fetch_options options = LIVERY_FETCH_OPTIONS_INIT;
  options.flags = LIVERY_FETCH_DISPATCH;
  options.ca_file = wanted.network.ca_file[0] ? wanted.network.ca_file : NULL;
  options.proxy = wanted.network.proxy[0] ? wanted.network.proxy : NULL;
  has_changed = false;
  is_under_way = true;
  // What fails to start is told to note_end(), too.
  livery_fetch_brand_start(store, wanted.fetch.is_for_all ? NULL : &traits, &options, note_end, NULL, NULL, &running);
}

static int64_t attend(livery_store *store, int64_t now) {
  // Its own commit is heard of, too: it finds everything fresh then.
  if (!is_under_way && (has_changed || now >= due_ms)) begin(store);
  return is_under_way ? -1 : due_ms > now ? due_ms - now : 0;
}

static void describe(FILE *output) {
  fprintf(output, ",\"ready\":%lld,\"stale\":%lld,\"failed\":%lld", (long long)ready, (long long)stale, (long long)failed);
  if (!problem[0]) return;
  fputs(",\"problem\":", output);
  agent_print_text(output, problem);
}

part agent_fetch = {
  .name = "fetch", .has_network = true, .is_wanted = is_wanted, .is_same = is_same, .start = start, .stop = stop, .attend = attend, .describe = describe};
