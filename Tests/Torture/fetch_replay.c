// Power cuts while images are fetched by URL, one by one and a brand at a time: power_cut.h tells how they are replayed. Of each
// state all that was fetched is looked at: images are whole and what they are said to be, and a brand is of one generation.
//
// The answers come from here, without a network. Half of the stores have a small quota, by which images go that nothing shows.
#include "power_cut.h"

#include "fetched.h"
#include "skewed_clock.h"

static uint64_t generation, versions[SINGLES];

static bool has_quota(livery_store *store) {
  bool has = false;
  return livery_get_bool(store, "quota", &has) == LIVERY_OK && has;
}

static livery_status begin_request(const livery_fetch_request *request, livery_fetch_exchange *exchange, void *user_data) {
  (void)user_data;
  static _Thread_local unsigned char bytes[IMAGE_ROOM];
  fetched_name name = {0};
  char tag[80];
  if (!parse_url(request->url, &name)) return LIVERY_ERROR_INVALID_ARGUMENT;
  name.version = name.kind == 'b' ? brand_version(name.number, generation) : versions[name.number];
  snprintf(tag, sizeof tag, "\"%c%u-%" PRIu64 "\"", name.kind, name.number, name.version);
  livery_fetch_header headers[] = {{"ETag", tag}, {"Cache-Control", "max-age=0"}, {"Content-Type", "image/gif"}};
  bool is_known = false;
  for (size_t index = 0; index < request->header_count; index++)
    is_known |= strcmp(request->headers[index].name, "If-None-Match") == 0 && strcmp(request->headers[index].value, tag) == 0;
  livery_fetch_answer(exchange, is_known ? 304 : 200, headers, COUNT_OF(headers));
  if (!is_known) livery_fetch_receive(exchange, bytes, fetched_image(name.kind, name.number, name.version, bytes));
  return livery_fetch_finish(exchange, LIVERY_OK, NULL);
}

static void prepare(livery_store *store) {
  livery_fetch_transport transport = {sizeof transport, begin_request, NULL};
  if (livery_fetch_set_transport(store, &transport, NULL, NULL) != LIVERY_OK) give_up("the transport");
}

static void note_end(const livery_fetch_result *result, void *user_data) {
  note_brand_end(result->status, result->message, NULL, user_data);
}

static bool step(livery_store *store) {
  static int begun;
  if (begun < 2) return (begun++ ? put_brand(store) : livery_set_bool(store, LIVERY_LAYER_USER, "quota", below(2))) == LIVERY_OK;
  fetched_end end = {0};
  livery_fetch_options options = LIVERY_FETCH_OPTIONS_INIT;
  options.flags = LIVERY_FETCH_REVALIDATE;
  options.quota = has_quota(store) ? 30000 : 0;
  // Former images go with the next commit that comes later than their respite.
  if (below(3) == 0) ahead_us += 6000000;
  if (below(3) == 0) {
    generation++;
    livery_fetch_brand_start(store, NULL, &options, note_brand_end, &end, NULL, NULL);
  } else {
    unsigned number = (unsigned)below(SINGLES);
    char url[80];
    versions[number] += below(4) != 0 || versions[number] == 0;
    snprintf(url, sizeof url, FETCHED_HOST "s%u", number);
    livery_fetch_start(store, url, &options, note_end, &end, NULL, NULL);
  }
  return wait_for_end(&end, 20) && end.status == LIVERY_OK;
}

static uint64_t digest(livery_store *store, livery_status *status) {
  holding held;
  livery_status got = LIVERY_OK;
  if (digest_of(store, &got) == 0 || !is_all_true(store, &held)) {
    if (status && got != LIVERY_OK) *status = got;
    else if (!is_canary) fprintf(stderr, "%s\n", fetched_fault);
    return 0;
  }
  // The quota takes singles before the commit under way.
  if (has_quota(store)) memset(held.singles, 0, sizeof held.singles);
  held.revision = 0;
  return hash_bytes(1, &held, sizeof held) | 1;
}

int main(int argc, char **argv) {
  return replay(&(workload){"fetch_replay", prepare, step, digest, NULL}, argc, argv);
}
