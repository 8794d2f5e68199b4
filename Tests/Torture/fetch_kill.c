// Kills processes with SIGKILL that fetch images by URL: two that fetch a brand again and again, of which each generation is
// another one, two that fetch single images from a server that does much wrong, and one that reads meanwhile. After each kill
// the store is opened and looked at: no image is there in part, is another one or is lost; the former ones are there until the
// new ones are; a brand is never of two generations; what was acknowledged stays; whoever comes next gets on.
//
//     fetch_kill [--kills N] [--seed S] [--keep] [--broken]
#include "image_server.h"

enum { BRANDS = 2, SINGLE_FETCHERS = 2, READERS = 1, PROCESSES = BRANDS + SINGLE_FETCHERS + READERS };

typedef enum role { BRAND_FETCHER, SINGLE_FETCHER, READER } role;

// Shared by all processes.
static struct state {
  // Whether the process has looked at the store since it was started.
  _Atomic bool has_looked[PROCESSES];
  _Atomic uint64_t generation, singles[SINGLES];
  _Atomic bool is_trimmed;
  // The latest generation that was seen, and how many were.
  _Atomic uint64_t latest, swaps;
  _Atomic uint64_t looks, brands, fetches, failures, cancelled, longest_us;
} *state;

static char path[256];
static uint64_t seed;
// For seeing the harness fail: what is being fetched counts as acknowledged.
static bool is_broken;
// Of this process.
static int self;

__attribute__((format(printf, 1, 2))) static void wrong(const char *format, ...) {
  char text[1400];
  va_list list;
  va_start(list, format);
  vsnprintf(text, sizeof text, format, list);
  va_end(list);
  finding("fetch_kill: process %d: %s\n  again: scripts/torture again fetch_kill --seed %#" PRIx64 " --keep", self, text, seed);
}

static role role_of(int index) {
  return index < BRANDS ? BRAND_FETCHER : index < BRANDS + SINGLE_FETCHERS ? SINGLE_FETCHER : READER;
}

static void raise_to(_Atomic uint64_t *place, uint64_t number) {
  uint64_t known = *place;
  while (known < number && !atomic_compare_exchange_weak(place, &known, number)) continue;
}

/** Looks at all that was fetched: it is true, nothing acknowledged is missing, and nothing is there that the server has not. */
static void look(livery_store *store, holding *last) {
  holding held, before = {.generation = state->generation};
  for (int number = 0; number < SINGLES; number++) before.singles[number] = state->singles[number];
  if (!is_all_true(store, &held)) return wrong("%s", fetched_fault);
  if (held.generation < before.generation || held.generation < last->generation || held.generation > served->generation)
    wrong("generation %" PRIu64 " is there: %" PRIu64 " was acknowledged, %" PRIu64 " seen, %" PRIu64 " begun", held.generation,
          before.generation, last->generation, served->generation);
  for (int number = 0; number < SINGLES; number++) {
    uint64_t version = held.singles[number];
    // The quota removes what nothing shows.
    bool may_be_gone = version == 0 && state->is_trimmed;
    if (!may_be_gone && (version < before.singles[number] || version > served->versions[number]))
      wrong("version %" PRIu64 " of s%d is there, %" PRIu64 " was acknowledged, %" PRIu64 " served", version, number,
            before.singles[number], served->versions[number]);
  }
  *last = held;
  uint64_t latest = state->latest;
  if (held.generation > latest && atomic_compare_exchange_strong(&state->latest, &latest, held.generation)) state->swaps++;
  state->looks++;
}

static livery_store *opened(uint32_t flags, holding *last) {
  livery_store *store = NULL;
  if (open_with(path, flags, &store) != LIVERY_OK) {
    wrong("the store does not open: %s", livery_last_error()->message);
    _exit(1);
  }
  look(store, last);
  state->has_looked[self] = true;
  return store;
}

/** Waits for the end of a fetch, of which some are cancelled or closed under way. */
static void end_somehow(livery_store **store, livery_fetch *fetch, fetched_end *end) {
  double began = seconds_now();
  uint64_t way = below(16);
  if (way < 2) sleep_us(below(8000));
  if (way == 0) livery_fetch_cancel(fetch);
  if (way == 1) {
    livery_close(*store);
    *store = NULL;
  }
  if (!wait_for_end(end, 40)) {
    wrong("a fetch does not end");
    _exit(1);
  }
  state->cancelled += end->status == LIVERY_ERROR_CANCELLED || end->status == LIVERY_ERROR_CLOSED;
  raise_to(&state->longest_us, (uint64_t)((seconds_now() - began) * 1e6));
}

static void fetch_brands(void) {
  holding last = {0};
  livery_store *store = opened(0, &last);
  for (;;) {
    fetched_end end = {0};
    livery_fetch *fetch = NULL;
    livery_fetch_options options = LIVERY_FETCH_OPTIONS_INIT;
    options.flags = LIVERY_FETCH_REVALIDATE;
    options.proxy = begin_download(self);
    options.attempts = 20;
    options.timeout_ms = 30000;
    if (is_broken) raise_to(&state->generation, served->generation + 1);
    if (livery_fetch_brand_start(store, NULL, &options, note_brand_end, &end, NULL, &fetch) != LIVERY_OK)
      wrong("the brand is not fetched: %s", livery_last_error()->message);
    end_somehow(&store, fetch, &end);
    if (end.status == LIVERY_OK) {
      raise_to(&state->generation, served->generation_of[self]);
      state->brands++;
      if (end.counts[0] != BRAND) wrong("%d of %d images are ready", (int)end.counts[0], BRAND);
    } else if (end.status != LIVERY_ERROR_CANCELLED && end.status != LIVERY_ERROR_CLOSED) {
      wrong("the brand was not fetched: %s", end.message);
    }
    if (!store) store = opened(0, &last);
    else if (below(4) == 0) look(store, &last);
  }
}

// What a fetch of one image is for.
typedef struct wanted {
  fetched_end end;
  fetched_name name;
} wanted;

static void note_single_end(const livery_fetch_result *result, void *user_data) {
  wanted *wanted = user_data;
  fetched_name told = {0};
  if (result->status == LIVERY_OK) {
    if (!result->etag || !parse_tag(result->etag, &told) || told.kind != 's' || told.number != wanted->name.number)
      wrong("s%u has the ETag %s", wanted->name.number, result->etag ? result->etag : "(none)");
    else if (!are_bytes_of(&told, result->data, result->length))
      wrong("%zu bytes are handed out that are not version %" PRIu64 " of s%u", result->length, told.version, told.number);
    else if (result->id && result->source == LIVERY_FETCH_FROM_NETWORK) raise_to(&state->singles[told.number], told.version);
  }
  wanted->end.status = result->status;
  snprintf(wanted->end.message, sizeof wanted->end.message, "%s", result->message);
  wanted->end.is_over = 1;
}

static void fetch_singles(void) {
  holding last = {0};
  livery_store *store = opened(0, &last);
  for (;;) {
    wanted wanted = {.name = {.number = (unsigned)below(SINGLES)}};
    livery_fetch *fetch = NULL;
    livery_fetch_options options = LIVERY_FETCH_OPTIONS_INIT;
    static const uint32_t flags[] = {0, LIVERY_FETCH_REVALIDATE, LIVERY_FETCH_REVALIDATE, LIVERY_FETCH_OFFLINE};
    char url[80];
    snprintf(url, sizeof url, FETCHED_HOST "s%u", wanted.name.number);
    options.flags = flags[below(COUNT_OF(flags))];
    options.kind = below(2) ? LIVERY_FETCH_ANY : LIVERY_FETCH_IMAGE;
    options.proxy = begin_download(self);
    options.attempts = 1 + (uint32_t)below(3);
    options.timeout_ms = below(8) ? 3000 : 1 + (uint32_t)below(50);
    options.max_size = below(16) ? 0 : 500;
    if (below(40) == 0) {
      options.quota = 20000;
      state->is_trimmed = true;
    }
    if (livery_fetch_start(store, url, &options, note_single_end, &wanted, NULL, &fetch) != LIVERY_OK)
      wrong("%s is not fetched: %s", url, livery_last_error()->message);
    end_somehow(&store, fetch, &wanted.end);
    state->fetches++;
    state->failures += wanted.end.status != LIVERY_OK;
    if (!store) store = opened(0, &last);
    else if (below(8) == 0) look(store, &last);
  }
}

static void read_on(void) {
  holding last = {0};
  livery_store *store = opened(below(2) ? LIVERY_OPEN_READ_ONLY : 0, &last);
  for (;; sleep_us(below(500))) look(store, &last);
}

static uint64_t own_seed;
static void work(void) {
  seed_with(own_seed);
  switch (role_of(self)) {
    case BRAND_FETCHER: fetch_brands(); break;
    case SINGLE_FETCHER: fetch_singles(); break;
    case READER: read_on(); break;
  }
}

static pid_t start(int index) {
  self = index;
  own_seed = random_bits();
  state->has_looked[index] = false;
  return start_child(work);
}

static void make(void) {
  livery_store *store = NULL;
  if (open_with(path, LIVERY_OPEN_CREATE, &store) != LIVERY_OK || put_brand(store) != LIVERY_OK) give_up("the store");
  livery_close(store);
}

static void expect_known(const char *entry, const char *name, const struct stat *facts, void *context) {
  static const char *const known[] = {"data.mdb", "lock.mdb", "livery.lock", "livery.wake", "fetch.lock"};
  (void)entry, (void)facts, (void)context;
  // The engine makes one by itself every day.
  if (strncmp(name, "backups", 7) == 0) return;
  for (size_t index = 0; index < COUNT_OF(known); index++)
    if (strcmp(name, known[index]) == 0) return;
  wrong("%s is left behind", name);
}

/** When all are dead: the brand can be fetched, and former images go within the time that is documented for it. */
static void look_at_end(void) {
  holding last = {0};
  livery_store *store = opened(0, &last);
  fetched_end end = {0};
  livery_fetch_options options = LIVERY_FETCH_OPTIONS_INIT;
  options.flags = LIVERY_FETCH_REVALIDATE;
  options.proxy = begin_download(self);
  options.attempts = 20;
  if (livery_fetch_brand_start(store, NULL, &options, note_brand_end, &end, NULL, NULL) != LIVERY_OK || !wait_for_end(&end, 40)
      || end.status != LIVERY_OK || end.counts[0] != BRAND)
    wrong("at the end the brand is not fetched: %s", end.message);
  look(store, &last);
  for (double limit = seconds_now() + 12; unused_assets(store) > 0 && seconds_now() < limit;) sleep_us(100000);
  if (unused_assets(store) > 0) wrong("%zu assets are left behind that nothing shows", unused_assets(store));
  look(store, &last);
  livery_status status = LIVERY_OK;
  if (digest_of(store, &status) == 0) wrong("the store cannot be read to the end: %s", livery_status_name(status));
  visit_entries(path, expect_known, NULL);
  livery_close(store);
}

// When a process is to be killed: at a moment drawn from when it has looked at the store, or soon after the last image of a
// brand has come, in the midst of the swap.
typedef struct victim {
  pid_t process;
  double started, end;
  bool waits_for_swap;
} victim;

static void begin(victim *victim, int index) {
  *victim = (struct victim){.process = start(index), .started = seconds_now()};
}

static bool is_due(victim *victim, int index) {
  double now = seconds_now();
  if (!state->has_looked[index]) {
    if (now - victim->started > 30) wrong("process %d does not get on", index);
    return false;
  }
  if (victim->end == 0) {
    bool is_brand = role_of(index) == BRAND_FETCHER;
    victim->waits_for_swap = is_brand && below(2);
    victim->end = now + (double)(victim->waits_for_swap ? 2000000 : below(is_brand ? 160000 : below(4) ? 12000 : 60000)) / 1e6;
  }
  if (victim->waits_for_swap && served->served_of[index] >= BRAND) {
    victim->waits_for_swap = false;
    victim->end = now + (double)below(below(2) ? 5000 : 50000) / 1e6;
  }
  return now >= victim->end;
}

int main(int argc, char **argv) {
  begin_torture("fetch_kill", argc, argv);
  uint64_t kills = option_number("--kills", 300), killed = 0, of[3] = {0};
  seed = option_number("--seed", fresh_seed());
  seed_with(seed);
  is_broken = option_given("--broken");
  snprintf(path, sizeof path, "%s/store", torture_directory);
  state = shared_memory(sizeof *state);
  pid_t server = start_serving();
  if (run_child(make) != 0) give_up("the store is not made");

  double began = seconds_now();
  victim victims[PROCESSES];
  for (int index = 0; index < PROCESSES; index++) begin(&victims[index], index);
  while (killed < kills && findings() == 0) {
    for (int index = 0; index < PROCESSES; index++) {
      if (!is_due(&victims[index], index)) continue;
      int status = 0;
      kill(victims[index].process, SIGKILL);
      waitpid(victims[index].process, &status, 0);
      if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGKILL) wrong("process %d %s", index, ending(status));
      killed++;
      of[role_of(index)]++;
      begin(&victims[index], index);
    }
    sleep_us(100);
  }
  for (int index = 0; index < PROCESSES; index++) {
    kill(victims[index].process, SIGKILL);
    waitpid(victims[index].process, NULL, 0);
  }
  self = 0;
  if (findings() == 0 && run_child(look_at_end) != 0) wrong("the last process did not end well");
  kill(server, SIGKILL);
  waitpid(server, NULL, 0);
  struct stat facts = {0};
  char file[300];
  snprintf(file, sizeof file, "%s/data.mdb", path);
  stat(file, &facts);
  figure("kills", killed);
  figure("brand_killed", of[BRAND_FETCHER]);
  figure("single_killed", of[SINGLE_FETCHER]);
  figure("reader_killed", of[READER]);
  figure("looks", state->looks);
  figure("brands", state->brands);
  figure("swaps", state->swaps);
  figure("generations", served->generation);
  figure("fetches", state->fetches);
  figure("failures", state->failures);
  figure("cancelled", state->cancelled);
  figure("requests", served->requests);
  figure("not_modified", served->not_modified);
  figure("resumed", served->partial);
  figure("faults", served->faults);
  figure_ms("fetch_ms_max", (double)state->longest_us / 1000);
  figure("file_kib_max", (uint64_t)facts.st_size >> 10);
  printf("fetch_kill: %serrors=%" PRIu64 " seconds=%.1f seed=%#" PRIx64 "\n", torture_figures, findings(), seconds_now() - began, seed);
  return findings() ? 1 : 0;
}
