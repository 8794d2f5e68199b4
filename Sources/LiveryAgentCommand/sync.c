// The device in its fleet.
#include "agent.h"

#include <livery/sync.h>
#include <string.h>

static livery_sync *running;
static livery_store *place;

static bool is_wanted(const agent_settings *settings) { return settings->sync.is_enabled; }

static bool is_same(const agent_settings *one, const agent_settings *other) {
  return memcmp(&one->sync, &other->sync, sizeof one->sync) == 0 && memcmp(&one->network, &other->network, sizeof one->network) == 0;
}

static const char *given(const char *text) { return text[0] ? text : NULL; }

static livery_status start(livery_store *store, const agent_settings *settings) {
  livery_sync_options options = LIVERY_SYNC_OPTIONS_INIT;
  options.flags = LIVERY_SYNC_DISPATCH;
  options.scope = given(settings->sync.app);
  options.ca_file = given(settings->network.ca_file);
  options.proxy = given(settings->network.proxy);
  options.broker = given(settings->sync.broker);
  options.broker_user = given(settings->sync.broker_user);
  options.broker_password_file = given(settings->sync.broker_password_file);
  place = store;
  return livery_sync_start(store, &options, &running);
}

static void stop(void) {
  livery_sync_stop(running);
  running = NULL;
}

static void describe(FILE *output) {
  livery_value *status = NULL;
  char *text = NULL;
  if (livery_sync_status(place, &status) == LIVERY_OK && livery_value_to_json(status, 0, &text, NULL) == LIVERY_OK)
    fprintf(output, ",\"fleet\":%s", text);
  livery_free(text);
  livery_value_release(status);
}

part agent_sync = {
  .name = "sync", .has_network = true, .is_wanted = is_wanted, .is_same = is_same, .start = start, .stop = stop, .describe = describe};
