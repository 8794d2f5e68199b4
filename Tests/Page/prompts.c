// Prompts at a page: what is shown when a page stops, and when a store is closed, in whatever order.
#include "../Workflow/asked.h"

#include <livery/page.h>

static livery_store *made_store(const char *path) {
  livery_open_options options = LIVERY_OPEN_OPTIONS_INIT;
  options.flags = LIVERY_OPEN_CREATE;
  livery_store *store = NULL;
  OK(livery_open(path, &options, &store));
  return store;
}

static livery_page *serve(livery_store *store, uint32_t flags) {
  livery_page_options options = LIVERY_PAGE_OPTIONS_INIT;
  livery_page *page = NULL;
  options.flags = flags;
  OK(livery_page_start(store, &options, NULL, NULL, NULL, &page));
  return page;
}

static size_t missing_kinds(livery_store *store) {
  livery_value *missing = NULL;
  size_t count = 0;
  OK(livery_prompt_missing(store, &missing));
  OK(livery_value_count(missing, &count));
  livery_value_release(missing);
  return count;
}

TEST("a page shows prompts of any kind where it was told to", provides) {
  livery_store *store = made_store(fresh_path());
  livery_page *page = serve(store, 0);
  EXPECT_INT(KINDS, missing_kinds(store));
  OK(livery_page_stop(page));
  page = serve(store, LIVERY_PAGE_PROMPTS | LIVERY_PAGE_READ_ONLY);
  EXPECT_INT(0, missing_kinds(store));
  OK(livery_page_stop(page));
  EXPECT_INT(KINDS, missing_kinds(store));
  OK(livery_close(store));
}

TEST("whatever ends first, each request ends once", orders) {
  enum { STOP, CLOSE, CLOSE_OTHER, CANCEL, TIME, WAYS };
  static const livery_status wanted[] = {LIVERY_ERROR_UNAVAILABLE, LIVERY_ERROR_CLOSED, LIVERY_ERROR_UNAVAILABLE,
                                         LIVERY_ERROR_CANCELLED, LIVERY_ERROR_TIMEOUT};
  for (int round = 0; round < 4 * WAYS; round++) {
    int way = round % WAYS;
    const char *path = fresh_path();
    // By the same handle, or by another one.
    livery_store *store = made_store(path), *other = way == CLOSE_OTHER || round % 2 ? made_store(path) : store;
    livery_page *page = serve(other, round % 4 < 2 ? LIVERY_PAGE_PROMPTS : LIVERY_PAGE_PROMPTS | LIVERY_PAGE_DISPATCH);
    livery_prompt_options options = LIVERY_PROMPT_OPTIONS_INIT;
    options.timeout_ms = way == TIME ? 30 : 0;
    outcome told[3] = {{0}};
    livery_prompt_request *requests[3] = {NULL};
    for (int each = 0; each < 3; each++)
      OK(livery_prompt_request_start(store, each ? "login" : "tea", NULL, &options, note_done, &told[each], note_destroyed,
                                     &requests[each]));
    // Before it is shown, while that is under way, and after.
    usleep((useconds_t)(round / WAYS) * 4000);
    if (way == STOP) OK(livery_page_stop(page));
    if (way == CLOSE) OK(livery_close(store));
    if (way == CLOSE_OTHER) OK(livery_close(other));
    for (int each = 0; way == CANCEL && each < 3; each++) OK(livery_prompt_request_cancel(requests[each]));
    for (int each = 0; each < 3; each++) {
      EXPECT(comes(&told[each].destroyed, 1));
      EXPECT_INT(1, told[each].done);
      EXPECT_INT(wanted[way], told[each].status);
    }
    if (way != CLOSE) OK(livery_close(store));
    if (other != store && way != CLOSE_OTHER) OK(livery_close(other));
    char command[512];
    snprintf(command, sizeof command, "! ls -A %s | grep -q prompt", path);
    EXPECT_INT(0, system(command));
    for (int each = 0; each < 3; each++) EXPECT_INT(1, told[each].done);
  }
}

TEST("pages come and go while prompts are asked for", comings_and_goings) {
  livery_store *store = made_store(fresh_path());
  for (int round = 0; round < 20; round++) {
    livery_page *page = serve(store, LIVERY_PAGE_PROMPTS), *second = serve(store, LIVERY_PAGE_PROMPTS);
    outcome told = {0};
    OK(livery_prompt_request_start(store, "login", NULL, NULL, note_done, &told, note_destroyed, NULL));
    if (round % 2) usleep(3000);
    // The one that came last shows it; then the other one.
    OK(livery_page_stop(second));
    usleep(3000);
    EXPECT_INT(0, told.done);
    OK(livery_page_stop(page));
    EXPECT(comes(&told.destroyed, 1));
    EXPECT_INT(LIVERY_ERROR_UNAVAILABLE, told.status);
  }
  OK(livery_close(store));
}
