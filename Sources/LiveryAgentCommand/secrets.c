// The key of the settings' store, where that seals its secrets: the fleet's key and a PIN's hash are of them.
#include "agent.h"

#include <string.h>

static bool is_wanted(const agent_settings *settings) {
  return settings->secrets.key_file[0] || settings->secrets.keyring[0] || settings->secrets.credential[0];
}

static bool is_same(const agent_settings *one, const agent_settings *other) {
  return memcmp(&one->secrets, &other->secrets, sizeof one->secrets) == 0;
}

static const char *given(const char *text) { return text[0] ? text : NULL; }

livery_status agent_secrets_open(livery_store *store, const agent_settings *settings) {
  command_key key = {given(settings->secrets.key_file), given(settings->secrets.keyring), given(settings->secrets.credential)};
  return command_take_key(&key, store);
}

static livery_status start(livery_store *store, const agent_settings *settings) {
  livery_status status = agent_secrets_open(store, settings);
  // What has failed may have failed for want of it.
  if (status == LIVERY_OK) agent_parts_retry();
  return status;
}

part agent_secrets = {.name = "secrets", .is_helper = true, .is_wanted = is_wanted, .is_same = is_same, .start = start, .stop = command_drop_key};
