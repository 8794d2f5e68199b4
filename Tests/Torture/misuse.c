// Calls of every function of the headers with every argument wrong in turn, and with several wrong at random: NULL, stale,
// closed, foreign and invented handles, broken text, huge lengths, extreme numbers. A status comes out that the header
// lists for the function, the thread's error fits it, and what the results were to be stored in is as it was.
//
//     misuse [--calls N] [--seed S] [--function NAME] [--broken]
//
// The calls are made from the headers, by misuse_calls.py, so that no function is left out. `scripts/torture` builds it
// with AddressSanitizer.
#include "torture.h"

#include "misuse_calls.h"

static uint64_t seed, calls, refused, call_number, unlisted;
static const char *calling = "";
static bool is_broken;

__attribute__((format(printf, 1, 2))) static void wrong(const char *format, ...) {
  char text[500];
  va_list list;
  va_start(list, format);
  vsnprintf(text, sizeof text, format, list);
  va_end(list);
  finding("misuse: call %llu, %s: %s\n  again: scripts/torture again misuse --seed %#llx --calls %llu", (unsigned long long)call_number,
          calling, text, (unsigned long long)seed, (unsigned long long)calls);
}

static void check_made(livery_status status, bool is_made, bool may_be_made_on_failure) {
  if (status != LIVERY_OK && is_made && !may_be_made_on_failure) wrong("stores a result although it gives %s", livery_status_name(status));
}

static void check_untouched(livery_status status, const void *result, size_t size) {
  const unsigned char *bytes = result;
  if (status == LIVERY_OK) return;
  for (size_t index = 0; index < size; index++)
    if (bytes[index] != 0x5a) return wrong("touches a result although it gives %s", livery_status_name(status));
}

static void note_status(const char *function, livery_status status, const livery_status *listed) {
  if (status != LIVERY_OK) {
    refused++;
    if (livery_last_error()->status != status)
      wrong("gives %s, and the thread's error has %s", livery_status_name(status), livery_status_name(livery_last_error()->status));
    if (!livery_last_error()->message[0]) wrong("gives %s without a message", livery_status_name(status));
  }
  // For seeing the harness fail: no status is listed but the first, which is OK.
  static const livery_status none[] = {1};
  if (is_broken && status != LIVERY_OK) listed = none;
  for (; *listed != 1; listed++)
    if (*listed == status) return;
  unlisted++;
  wrong("gives %s, which the header does not list for %s: %s", livery_status_name(status), function, livery_last_error()->message);
}

// Whatever kind of handle it was.
static void let_go(void *handle) {
  livery_value_release(handle);
  livery_change_discard(handle);
  livery_snapshot_close(handle);
  livery_key_close(handle);
  livery_watch_stop(handle);
}

static void keep(handle_kind kind, void *handle) {
  size_t index = below(HANDLES_A_KIND);
  void *before = handles[kind][index];
  // Some stay in the table although they have been closed, so that they are used again.
  if (kind == KIND_STORE) {
    if (before != kept_store) livery_close(before);
  } else {
    let_go(before);
  }
  handles[kind][index] = handle;
}

static livery_store *fresh_store(void) {
  livery_store *store = NULL;
  livery_open_options options = LIVERY_OPEN_OPTIONS_INIT;
  options.flags = LIVERY_OPEN_CREATE | LIVERY_OPEN_ALLOW_OVERRIDE | LIVERY_OPEN_DEFERRED;
  options.log_entries = 50;
  options.busy_timeout_ms = 200;
  if (livery_open("store", &options, &store) != LIVERY_OK) give_up("the store");
  return store;
}

static void check_margins(void) {
  for (size_t index = BUFFER; index < sizeof buffer; index++)
    if (buffer[index] != 0xee) return wrong("writes behind the buffer");
  for (size_t index = LIVERY_NAME_MAX + 1; index < sizeof name_buffer; index++)
    if (name_buffer[index] != '\xee') return wrong("writes behind the name");
}

// Inside of a callback of the calling thread: anything may be called. The watcher's thread has no part in the numbers.
static __thread bool is_caller;
static int depth;

static void call_from_callback(void) {
  if (!is_caller || depth > 0 || below(3)) return;
  const char *outer = calling;
  int position = bad_position;
  depth++;
  for (int count = 0; count < 3; count++) {
    size_t index = below(COUNT_OF(functions));
    calling = functions[index].name;
    bad_position = below(2) ? NONE_BAD : SOME_BAD;
    call_number++;
    functions[index].call();
  }
  depth--;
  calling = outer;
  bad_position = position;
}

static void call(size_t index, int position) {
  calling = functions[index].name;
  bad_position = position;
  call_number++;
  functions[index].call();
  check_margins();
  // A store is within reach whatever was closed.
  if (livery_revision(kept_store, &(uint64_t){0}) == LIVERY_ERROR_CLOSED) kept_store = fresh_store();
}

int main(int argc, char **argv) {
  begin_torture("misuse", argc, argv);
  calls = option_number("--calls", 20000);
  seed = option_number("--seed", fresh_seed());
  const char *only = option_text("--function", NULL);
  seed_with(seed);
  is_broken = option_given("--broken");
  memset(long_name, 'l', LIVERY_NAME_MAX + 1);
  memset(longest_name, 'm', LIVERY_NAME_MAX);
  memset(buffer, 0xee, sizeof buffer);
  memset(name_buffer, 0xee, sizeof name_buffer);
  if (chdir(torture_directory) != 0) give_up("%s", torture_directory);
  is_caller = true;
  for (const char *const *each = uncovered; *each; each++)
    finding("misuse: a parameter of a kind that Tests/Torture/misuse_calls.py does not know: %s", *each);
  double began = seconds_now();
  kept_store = fresh_store();
  for (size_t index = 0; index < HANDLES_A_KIND; index++) handles[KIND_STORE][index] = kept_store;
  // Each function first, good; then each argument of each bad in turn; then at random.
  uint64_t single = 0;
  for (int round = 0; round < 4; round++)
    for (size_t index = 0; index < COUNT_OF(functions); index++) call(index, NONE_BAD);
  for (int round = 0; round < 12; round++)
    for (size_t index = 0; index < COUNT_OF(functions); index++)
      for (int position = 0; position < functions[index].parameters; position++, single++) call(index, position);
  while (call_number < calls && findings() < 40) {
    size_t index = below(COUNT_OF(functions));
    if (only && strcmp(only, functions[index].name) != 0) continue;
    call(index, below(3) ? SOME_BAD : NONE_BAD);
  }
  calling = "the end";
  uint64_t revision = 0;
  if (livery_revision(kept_store, &revision) != LIVERY_OK) wrong("the store does not read any more");
  livery_close(kept_store);
  printf("misuse: calls=%llu functions=%zu single_arguments=%llu refused=%llu unlisted=%llu errors=%llu seconds=%.1f seed=%#llx\n",
         (unsigned long long)call_number, COUNT_OF(functions), (unsigned long long)single, (unsigned long long)refused,
         (unsigned long long)unlisted, (unsigned long long)findings(), seconds_now() - began, (unsigned long long)seed);
  return findings() ? 1 : 0;
}
