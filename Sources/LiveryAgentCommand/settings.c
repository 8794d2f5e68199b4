#include "agent.h"

#include <string.h>

livery_status agent_settings_check(livery_store *config) {
  uint64_t version = 0;
  bool is_enabled = false;
  livery_status status = livery_schema_version(config, &version);
  if (status != LIVERY_OK || version == 0) return status;
  if (livery_get_bool(config, "agent.page.enabled", &is_enabled) != LIVERY_ERROR_NOT_FOUND) return LIVERY_OK;
  livery_error_leave(LIVERY_ERROR_INVALID_ARGUMENT, "--config: the store has an app's schema: give the agent a store of its own");
  return LIVERY_ERROR_INVALID_ARGUMENT;
}

livery_status agent_settings_apply(livery_store *config) {
  // An app's own settings would go out of force with its schema.
  livery_status checked = agent_settings_check(config);
  if (checked != LIVERY_OK) return checked;
  livery_schema_options options = LIVERY_SCHEMA_OPTIONS_INIT;
  options.origin = "livery-agent";
  livery_status status = livery_schema_apply(config, agent_schema, LIVERY_ZERO_TERMINATED, &options, NULL);
  // A later agent's: what this one knows of it holds.
  return status == LIVERY_ERROR_SCHEMA_NEWER ? LIVERY_OK : status;
}

static bool flag(livery_store *config, const char *name) {
  bool value = false;
  livery_get_bool(config, name, &value);
  return value;
}

static void text(livery_store *config, const char *name, char *buffer, size_t capacity) {
  // What is too long is no less wrong than what is cut off: it is left out.
  if (livery_get_string(config, name, buffer, capacity, NULL) != LIVERY_OK) memset(buffer, 0, capacity);
}

static int64_t number(livery_store *config, const char *name, int64_t otherwise) {
  int64_t value = otherwise;
  livery_get_int(config, name, &value);
  return value;
}

void agent_settings_read(livery_store *config, agent_settings *settings) {
  memset(settings, 0, sizeof *settings);
#define TEXT(name, member) text(config, name, settings->member, sizeof settings->member)
  TEXT("agent.network.caFile", network.ca_file);
  TEXT("agent.network.proxy", network.proxy);
  TEXT("agent.secrets.keyFile", secrets.key_file);
  TEXT("agent.secrets.keyring", secrets.keyring);
  TEXT("agent.secrets.credential", secrets.credential);
  settings->page.is_enabled = flag(config, "agent.page.enabled");
  settings->page.shows_prompts = flag(config, "agent.page.prompts");
  settings->page.shows_hidden = flag(config, "agent.page.hidden");
  settings->page.is_read_only = flag(config, "agent.page.readOnly");
  settings->page.idle_s = number(config, "agent.page.idle", 300);
  TEXT("agent.page.listen", page.listen);
  TEXT("agent.page.hosts", page.hosts);
  TEXT("agent.page.pinSetting", page.pin_setting);
  TEXT("agent.page.title", page.title);
  TEXT("agent.page.locale", page.locale);
  settings->fetch.is_enabled = flag(config, "agent.fetch.enabled");
  settings->fetch.is_for_all = flag(config, "agent.fetch.all");
  settings->fetch.interval_s = number(config, "agent.fetch.interval", 21600);
  livery_get_double(config, "agent.fetch.scale", &settings->fetch.scale);
  TEXT("agent.fetch.idiom", fetch.idiom);
  settings->sync.is_enabled = flag(config, "agent.sync.enabled");
  TEXT("agent.sync.app", sync.app);
  TEXT("agent.sync.broker", sync.broker);
  TEXT("agent.sync.brokerUser", sync.broker_user);
  TEXT("agent.sync.brokerPasswordFile", sync.broker_password_file);
#undef TEXT
}
