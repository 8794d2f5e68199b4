// The settings in a browser.
#include "agent.h"

#include <livery/page.h>
#include <string.h>

static livery_page *page;

static bool is_wanted(const agent_settings *settings) { return settings->page.is_enabled; }

static bool is_same(const agent_settings *one, const agent_settings *other) {
  return memcmp(&one->page, &other->page, sizeof one->page) == 0;
}

static const char *given(const char *text) { return text[0] ? text : NULL; }

static void note_end(const livery_page_finished *finished, void *unused) {
  (void)unused;
  if (finished->count > 0) agent_say("page", "%zu settings were changed, up to revision %llu", finished->count, (unsigned long long)finished->last_revision);
}

static livery_status start(livery_store *store, const agent_settings *settings) {
  livery_page_options options = LIVERY_PAGE_OPTIONS_INIT;
  options.flags = LIVERY_PAGE_DISPATCH | (settings->page.shows_prompts ? LIVERY_PAGE_PROMPTS : 0)
                  | (settings->page.shows_hidden ? LIVERY_PAGE_HIDDEN : 0) | (settings->page.is_read_only ? LIVERY_PAGE_READ_ONLY : 0);
  options.listen = given(settings->page.listen);
  options.hosts = given(settings->page.hosts);
  options.pin_setting = given(settings->page.pin_setting);
  options.title = given(settings->page.title);
  options.locale = given(settings->page.locale);
  options.idle_s = (uint32_t)settings->page.idle_s;
  return livery_page_start(store, &options, note_end, NULL, NULL, &page);
}

static void stop(void) {
  livery_page_stop(page);
  page = NULL;
}

static void describe(FILE *output) {
  // It opens the page for whoever has it: each answer has another.
  char *address = NULL;
  if (!page || livery_page_address(page, &address, NULL) != LIVERY_OK) return;
  fputs(",\"address\":", output);
  agent_print_text(output, address);
  livery_free(address);
}

part agent_page = {.name = "page", .is_wanted = is_wanted, .is_same = is_same, .start = start, .stop = stop, .describe = describe};
