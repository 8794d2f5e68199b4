// Prompts in one process and in two: each kind, and each way in which it can end.
#include "asked.h"
#include "searched.h"

#include <glob.h>
#include <sys/socket.h>
#include <sys/un.h>

TEST("fourteen kinds have names and forms, and those that are not required a default", kinds_are_told) {
  livery_value *list = NULL, *form = NULL;
  OK(livery_prompt_kinds(&list));
  size_t count = 0, required = 0;
  OK(livery_value_count(list, &count));
  EXPECT_INT(KINDS, count);
  for (size_t index = 0; index < count; index++) {
    livery_value *kind = NULL, *is_required = NULL, *answer = NULL;
    bool flag = false;
    OK(livery_value_at(list, index, &kind));
    OK(livery_value_member(kind, "required", &is_required));
    OK(livery_value_as_bool(is_required, &flag));
    required += flag;
    EXPECT_INT(kinds[index].is_required, flag);
    EXPECT_INT(flag ? LIVERY_ERROR_NOT_FOUND : LIVERY_OK, livery_value_member(kind, "default", &answer));
    livery_value_release(answer);
    livery_value_release(is_required);
    livery_value_release(kind);
    OK(livery_prompt_form(kinds[index].name, &form));
    livery_value *groups = NULL;
    OK(livery_value_member(form, "groups", &groups));
    livery_value_release(groups);
    livery_value_release(form);
  }
  EXPECT_INT(9, required);
  livery_value_release(list);
  EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT, livery_prompt_kinds(NULL));
  EXPECT_STATUS(LIVERY_ERROR_NOT_FOUND, livery_prompt_form("tea", &form));
  EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT, livery_prompt_form("Tea", &form));
  EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT, livery_prompt_form(NULL, &form));
  EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT, livery_prompt_form("login", NULL));
}

// A child of a program with threads hangs under ThreadSanitizer, in a lock of its own.
#ifdef LIVERY_SANITIZED
#define NEEDS_PROCESSES SKIP("it forks")
#else
#define NEEDS_PROCESSES
#endif

// Another process that shows prompts of a kind, with the same script as here.
typedef struct other {
  pid_t process;
  int ready, end;
} other;

static other show_elsewhere(const char *path, const char *kind, const char *script, const char *answer) {
  int ready[2], end[2];
  if (pipe(ready) != 0 || pipe(end) != 0) abort();
  pid_t process = fork();
  if (process == 0) {
    close(ready[0]), close(end[1]);
    check_failures = 0;
    livery_store *store = NULL;
    OK(livery_open(path, NULL, &store));
    shower self = {.script = script, .answer = answer};
    provide(store, kind, &self);
    char byte = 0;
    ssize_t told = write(ready[1], "r", 1);
    told = read(end[0], &byte, 1);
    (void)told;
    // What was shown has gone, without this process ending it.
    for (int tries = 0; tries < 5000 && self.prompt; tries++) usleep(1000);
    OK(livery_close(store));
    int shown = 0;
    for (size_t place = 0; place < (size_t)self.presented; place++)
      shown += !strchr("df", script[place < strlen(script) ? place : strlen(script) - 1]);
    EXPECT_INT(shown, self.dismissed);
    EXPECT_INT(1, self.destroyed);
    _exit(check_failures ? 1 : 0);
  }
  close(ready[1]), close(end[0]);
  char byte = 0;
  EXPECT(read(ready[0], &byte, 1) == 1);
  close(ready[0]);
  return (other){process, ready[0], end[1]};
}

static void end_elsewhere(other process, bool is_killed) {
  close(process.end);
  int status = 0;
  waitpid(process.process, &status, 0);
  if (is_killed) EXPECT(WIFSIGNALED(status));
  else EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

// How a prompt ends, by what is done to it.
typedef struct ending {
  const char *script, *decisions;
  uint32_t timeout_ms;
  livery_prompt_outcome outcome;
  livery_status status;
  int answers;
} ending;

enum { ANY = -1 };

static const ending endings[] = {
  // answered
  {"a", NULL, 0, LIVERY_PROMPT_COMPLETED, LIVERY_OK, 0},
  {"l", "a", 0, LIVERY_PROMPT_COMPLETED, LIVERY_OK, 1},
  // rejected then answered
  {"a", "rra", 0, LIVERY_PROMPT_COMPLETED, LIVERY_OK, 3},
  // rejected for good
  {"a", "x", 0, LIVERY_PROMPT_FAILED, LIVERY_ERROR_REFUSED, 1},
  // declined
  {"d", NULL, 0, LIVERY_PROMPT_FAILED, LIVERY_ERROR_UNAVAILABLE, 0},
  // failed
  {"f", NULL, 0, LIVERY_PROMPT_FAILED, LIVERY_ERROR_IO, 0},
  // closed by the person
  {"c", NULL, 0, LIVERY_PROMPT_DISMISSED, LIVERY_ERROR_CANCELLED, 0},
  // timed out
  {"w", NULL, 20, LIVERY_PROMPT_TIMED_OUT, LIVERY_ERROR_TIMEOUT, 0},
  // timed out while the requester looked at the answer
  {"a", "w", 100, LIVERY_PROMPT_TIMED_OUT, LIVERY_ERROR_TIMEOUT, ANY},
};

static void expect_ending(const ending *wanted, const struct kind *kind, const outcome *told, bool is_killed) {
  int before = check_failures;
  bool is_default = !kind->is_required && strcmp(wanted->script, "d") == 0;
  EXPECT_INT(is_default ? LIVERY_PROMPT_COMPLETED : wanted->outcome, told->outcome);
  EXPECT_INT(is_default ? LIVERY_OK : wanted->status, told->status);
  EXPECT_INT(is_default, told->is_default);
  if (wanted->answers != ANY) EXPECT_INT(wanted->answers, told->answers);
  EXPECT_INT(1, told->done);
  EXPECT_INT(1, told->destroyed);
  if (told->outcome == LIVERY_PROMPT_COMPLETED && !is_default && strcmp(kind->name, "location-consent") != 0)
    EXPECT_TEXT(kind->answer, told->answer);
  if (check_failures > before)
    fprintf(stderr, "  %s, script %s, decisions %s%s: %s\n", kind->name, wanted->script, wanted->decisions ? wanted->decisions : "-",
            is_killed ? ", killed" : "", told->message);
}

static livery_store *made_store(const char *path) {
  livery_open_options options = LIVERY_OPEN_OPTIONS_INIT;
  options.flags = LIVERY_OPEN_CREATE;
  livery_store *store = NULL;
  OK(livery_open(path, &options, &store));
  return store;
}

static void end_in_each_way(livery_store *asking, livery_store *showing) {
  for (size_t kind = 0; kind < KINDS; kind++) {
    for (size_t place = 0; place < sizeof endings / sizeof *endings; place++) {
      outcome told = {0};
      shower self = {.script = endings[place].script, .answer = kinds[kind].answer};
      livery_prompt_provider *provider = provide(showing, kinds[kind].name, &self);
      ask(asking, kinds[kind].name, endings[place].decisions, endings[place].timeout_ms, &told);
      expect_ending(&endings[place], &kinds[kind], &told, false);
      bool is_shown = !strchr("df", endings[place].script[0]);
      if (is_shown) EXPECT(comes(&self.dismissed, 1));
      OK(livery_prompt_withdraw(provider));
      EXPECT(comes(&self.destroyed, 1));
      EXPECT_INT(1, self.presented);
      EXPECT_INT(is_shown, self.dismissed);
      EXPECT_STATUS(LIVERY_ERROR_CLOSED, livery_prompt_withdraw(provider));
    }
  }
}

TEST("each kind ends once in each way, in one process", one_process) {
  livery_store *store = made_store(fresh_path());
  end_in_each_way(store, store);
  OK(livery_close(store));
}

TEST("each kind ends once in each way, between two handles on a store", two_handles) {
  const char *path = fresh_path();
  livery_store *one = made_store(path), *other = made_store(path);
  end_in_each_way(one, other);
  OK(livery_close(other));
  OK(livery_close(one));
}

TEST("each kind ends once in each way, in two processes", two_processes) {
  NEEDS_PROCESSES;
  for (size_t kind = 0; kind < KINDS; kind++) {
    const char *path = fresh_path();
    livery_store *store = made_store(path);
    for (size_t place = 0; place < sizeof endings / sizeof *endings; place++) {
      outcome told = {0};
      other process = show_elsewhere(path, kinds[kind].name, endings[place].script, kinds[kind].answer);
      ask(store, kinds[kind].name, endings[place].decisions, endings[place].timeout_ms, &told);
      expect_ending(&endings[place], &kinds[kind], &told, false);
      end_elsewhere(process, false);
    }
    OK(livery_close(store));
  }
}

TEST("where who shows it is killed, the next one is asked, or it fails; once", provider_killed) {
  NEEDS_PROCESSES;
  for (size_t kind = 0; kind < KINDS; kind++) {
    const char *path = fresh_path();
    livery_store *store = made_store(path);
    outcome alone = {0}, next = {0};
    other process = show_elsewhere(path, kinds[kind].name, "k", kinds[kind].answer);
    ask(store, kinds[kind].name, NULL, 0, &alone);
    // Nobody has shown it yet.
    EXPECT_INT(kinds[kind].is_required ? LIVERY_PROMPT_FAILED : LIVERY_PROMPT_COMPLETED, alone.outcome);
    EXPECT_INT(kinds[kind].is_required ? LIVERY_ERROR_UNAVAILABLE : LIVERY_OK, alone.status);
    end_elsewhere(process, true);
    other older = show_elsewhere(path, kinds[kind].name, "a", kinds[kind].answer);
    other newer = show_elsewhere(path, kinds[kind].name, "k", kinds[kind].answer);
    ask(store, kinds[kind].name, NULL, 0, &next);
    EXPECT_INT(LIVERY_PROMPT_COMPLETED, next.outcome);
    EXPECT_INT(0, next.is_default);
    end_elsewhere(newer, true);
    end_elsewhere(older, false);
    // What the killed have left is gone.
    livery_value *missing = NULL;
    size_t count = 0;
    OK(livery_prompt_missing(store, &missing));
    OK(livery_value_count(missing, &count));
    EXPECT_INT(KINDS, count);
    livery_value_release(missing);
    OK(livery_close(store));
    char command[512];
    snprintf(command, sizeof command, "! ls -A %s | grep -q prompt", path);
    EXPECT_INT(0, system(command));
  }
}

TEST("a request that is taken back ends once, whenever that comes, in one process and in two", taken_back) {
  NEEDS_PROCESSES;
  for (size_t kind = 0; kind < KINDS; kind++) {
    for (int round = 0; round < 6; round++) {
      const char *path = fresh_path();
      livery_store *store = made_store(path);
      shower self = {.script = "w", .answer = kinds[kind].answer};
      bool is_here = round % 2 == 0;
      other elsewhere = {0};
      if (is_here) provide(store, kinds[kind].name, &self);
      else elsewhere = show_elsewhere(path, kinds[kind].name, "w", kinds[kind].answer);
      outcome told = {0};
      livery_prompt_request *request = NULL;
      OK(livery_prompt_request_start(store, kinds[kind].name, NULL, NULL, note_done, &told, note_destroyed, &request));
      usleep((useconds_t)(round / 2 * 1500));
      OK(livery_prompt_request_cancel(request));
      EXPECT(comes(&told.destroyed, 1));
      EXPECT_INT(LIVERY_PROMPT_DISMISSED, told.outcome);
      EXPECT_INT(LIVERY_ERROR_CANCELLED, told.status);
      EXPECT_STATUS(LIVERY_ERROR_CLOSED, livery_prompt_request_cancel(request));
      OK(livery_close(store));
      EXPECT_INT(1, told.done);
      EXPECT_INT(1, told.destroyed);
      if (is_here) EXPECT_INT(self.presented, self.dismissed);
      else end_elsewhere(elsewhere, false);
    }
  }
}

TEST("where who shows it is killed or withdrawn while it is shown, the next one is asked, or it fails; once", provider_gone) {
  NEEDS_PROCESSES;
  for (size_t kind = 0; kind < KINDS; kind++) {
    const char *path = fresh_path();
    livery_store *store = made_store(path);
    outcome killed = {0}, withdrawn = {0}, next = {0};
    other process = show_elsewhere(path, kinds[kind].name, "w", kinds[kind].answer);
    OK(livery_prompt_request_start(store, kinds[kind].name, NULL, NULL, note_done, &killed, note_destroyed, NULL));
    usleep(20000);
    kill(process.process, SIGKILL);
    EXPECT(comes(&killed.destroyed, 1));
    // An optional kind that was not shown yet, on a machine that is busy, is its default.
    if (kinds[kind].is_required || !killed.is_default) EXPECT_INT(LIVERY_ERROR_UNAVAILABLE, killed.status);
    end_elsewhere(process, true);

    shower self = {.script = "w", .answer = kinds[kind].answer}, second = {.script = "a", .answer = kinds[kind].answer};
    livery_prompt_provider *provider = provide(store, kinds[kind].name, &self);
    OK(livery_prompt_request_start(store, kinds[kind].name, NULL, NULL, note_done, &withdrawn, note_destroyed, NULL));
    EXPECT(comes(&self.presented, 1));
    usleep(2000);
    OK(livery_prompt_withdraw(provider));
    EXPECT(comes(&withdrawn.destroyed, 1));
    EXPECT_INT(LIVERY_ERROR_UNAVAILABLE, withdrawn.status);
    EXPECT(comes(&self.destroyed, 1));
    EXPECT_INT(1, self.dismissed);

    self = (shower){.script = "w", .answer = kinds[kind].answer};
    provide(store, kinds[kind].name, &second);
    provider = provide(store, kinds[kind].name, &self);
    OK(livery_prompt_request_start(store, kinds[kind].name, NULL, NULL, note_done, &next, note_destroyed, NULL));
    EXPECT(comes(&self.presented, 1));
    OK(livery_prompt_withdraw(provider));
    EXPECT(comes(&next.destroyed, 1));
    EXPECT_INT(LIVERY_PROMPT_COMPLETED, next.outcome);
    EXPECT_INT(1, second.presented);
    OK(livery_close(store));
    EXPECT_INT(1, self.dismissed);
    EXPECT_INT(1, second.dismissed);
    EXPECT_INT(1, second.destroyed);
  }
}

TEST("where who asks is killed, the prompt is dismissed; once", requester_killed) {
  NEEDS_PROCESSES;
  for (size_t kind = 0; kind < KINDS; kind++) {
    const char *path = fresh_path();
    livery_store *store = made_store(path);
    shower self = {.script = "w", .answer = kinds[kind].answer};
    provide(store, kinds[kind].name, &self);
    pid_t process = fork();
    if (process == 0) {
      livery_store *own = NULL;
      OK(livery_open(path, NULL, &own));
      outcome told = {0};
      ask(own, kinds[kind].name, NULL, 0, &told);
      _exit(0);
    }
    EXPECT(comes(&self.presented, 1));
    usleep(2000);
    EXPECT_INT(0, self.dismissed);
    kill(process, SIGKILL);
    waitpid(process, NULL, 0);
    EXPECT(comes(&self.dismissed, 1));
    EXPECT_INT(LIVERY_ERROR_CANCELLED, self.reason);
    OK(livery_close(store));
    EXPECT_INT(1, self.dismissed);
    EXPECT_INT(1, self.destroyed);
  }
}

TEST("without anybody who shows it a required kind is UNAVAILABLE, naming the call, and another one is its default", nobody) {
  livery_store *store = made_store(fresh_path());
  for (size_t kind = 0; kind < KINDS; kind++) {
    outcome told = {0};
    ask(store, kinds[kind].name, "a", 0, &told);
    EXPECT_INT(kinds[kind].is_required ? LIVERY_PROMPT_FAILED : LIVERY_PROMPT_COMPLETED, told.outcome);
    EXPECT_INT(kinds[kind].is_required ? LIVERY_ERROR_UNAVAILABLE : LIVERY_OK, told.status);
    EXPECT_INT(!kinds[kind].is_required, told.is_default);
    if (kinds[kind].is_required) EXPECT_CONTAINS("livery_prompt_provide(store, ", told.message);
  }
  OK(livery_close(store));
}

TEST("with another process on the store that shows other kinds it is the same", nobody_elsewhere) {
  NEEDS_PROCESSES;
  for (size_t kind = 0; kind < KINDS; kind++) {
    const char *path = fresh_path();
    livery_store *store = made_store(path);
    other process = show_elsewhere(path, kinds[(kind + 1) % KINDS].name, "a", kinds[(kind + 1) % KINDS].answer);
    outcome told = {0};
    ask(store, kinds[kind].name, "a", 0, &told);
    EXPECT_INT(kinds[kind].is_required ? LIVERY_PROMPT_FAILED : LIVERY_PROMPT_COMPLETED, told.outcome);
    EXPECT_INT(kinds[kind].is_required ? LIVERY_ERROR_UNAVAILABLE : LIVERY_OK, told.status);
    EXPECT_INT(!kinds[kind].is_required, told.is_default);
    EXPECT_INT(1, told.destroyed);
    end_elsewhere(process, false);
    OK(livery_close(store));
  }
}

TEST("who declines leaves it to the next one: of this handle first, the newest first", order) {
  NEEDS_PROCESSES;
  const char *path = fresh_path();
  livery_store *store = made_store(path);
  other elsewhere = show_elsewhere(path, "login", "a", kinds[0].answer);
  shower first = {.script = "d"}, second = {.script = "d"};
  provide(store, "login", &first);
  provide(store, "login", &second);
  outcome told = {0};
  ask(store, "login", NULL, 0, &told);
  EXPECT_INT(LIVERY_PROMPT_COMPLETED, told.outcome);
  EXPECT_INT(1, first.presented);
  EXPECT_INT(1, second.presented);
  livery_value *missing = NULL;
  size_t count = 0;
  OK(livery_prompt_missing(store, &missing));
  OK(livery_value_count(missing, &count));
  EXPECT_INT(KINDS - 1, count);
  livery_value_release(missing);
  end_elsewhere(elsewhere, false);
  OK(livery_close(store));
}

static size_t missing_kinds(livery_store *store) {
  livery_value *missing = NULL;
  size_t count = 0;
  OK(livery_prompt_missing(store, &missing));
  OK(livery_value_count(missing, &count));
  livery_value_release(missing);
  return count;
}

TEST("who provides any kind is asked after all who name it, in this process and in others", any_kind) {
  NEEDS_PROCESSES;
  const char *path = fresh_path();
  livery_store *store = made_store(path);
  EXPECT_INT(KINDS, missing_kinds(store));
  shower all = {.script = "a", .answer = kinds[0].answer};
  livery_prompt_provider *any = provide(store, LIVERY_PROMPT_ANY, &all);
  EXPECT_INT(0, missing_kinds(store));
  // Another process names the kind: it comes before this handle, which does not.
  other named = show_elsewhere(path, "login", "a", kinds[0].answer);
  outcome told = {0};
  ask(store, "login", NULL, 0, &told);
  EXPECT_INT(LIVERY_PROMPT_COMPLETED, told.outcome);
  EXPECT_INT(0, all.presented);
  end_elsewhere(named, false);
  // It declines, or is killed: the next one is who shows any.
  for (int round = 0; round < 2; round++) {
    named = show_elsewhere(path, "login", round ? "k" : "d", kinds[0].answer);
    outcome next = {0};
    ask(store, "login", NULL, 0, &next);
    EXPECT_INT(LIVERY_PROMPT_COMPLETED, next.outcome);
    EXPECT_INT(round + 1, all.presented);
    end_elsewhere(named, round);
  }
  // A kind with a name of its own, too; of two who show any the newest, and those of this handle first.
  other elsewhere = show_elsewhere(path, LIVERY_PROMPT_ANY, "a", "\"elsewhere\"");
  shower newest = {.script = "d", .answer = "\"newest\""};
  livery_prompt_provider *second = provide(store, LIVERY_PROMPT_ANY, &newest);
  all.answer = "\"here\"";
  outcome own = {0};
  ask(store, "tea", NULL, 0, &own);
  EXPECT_TEXT("\"here\"", own.answer);
  EXPECT_INT(1, newest.presented);
  OK(livery_prompt_withdraw(any));
  outcome other_one = {0};
  ask(store, "tea", NULL, 0, &other_one);
  EXPECT_TEXT("\"elsewhere\"", other_one.answer);
  EXPECT_INT(0, missing_kinds(store));
  end_elsewhere(elsewhere, false);
  OK(livery_prompt_withdraw(second));
  EXPECT_INT(KINDS, missing_kinds(store));
  // What is withdrawn while it shows hands it on, and what is killed.
  shower waits = {.script = "w"};
  any = provide(store, LIVERY_PROMPT_ANY, &waits);
  outcome handed = {0};
  elsewhere = show_elsewhere(path, LIVERY_PROMPT_ANY, "a", "\"elsewhere\"");
  OK(livery_prompt_request_start(store, "tea", NULL, NULL, note_done, &handed, note_destroyed, NULL));
  EXPECT(comes(&waits.presented, 1));
  OK(livery_prompt_withdraw(any));
  EXPECT(comes(&handed.destroyed, 1));
  EXPECT_TEXT("\"elsewhere\"", handed.answer);
  end_elsewhere(elsewhere, false);
  elsewhere = show_elsewhere(path, LIVERY_PROMPT_ANY, "k", "1");
  outcome lost = {0};
  ask(store, "tea", NULL, 0, &lost);
  EXPECT_INT(LIVERY_ERROR_UNAVAILABLE, lost.status);
  end_elsewhere(elsewhere, true);
  EXPECT_INT(KINDS, missing_kinds(store));
  // It is no kind to ask for, and has no form.
  livery_value *form = NULL;
  outcome none = {0};
  EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT,
                livery_prompt_request_start(store, LIVERY_PROMPT_ANY, NULL, NULL, note_done, &none, note_destroyed, NULL));
  EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT, livery_prompt_form(LIVERY_PROMPT_ANY, &form));
  OK(livery_close(store));
  char command[512];
  snprintf(command, sizeof command, "! ls -A %s | grep -q prompt", path);
  EXPECT_INT(0, system(command));
}

TEST("closing the store ends what is under way, each once", closing) {
  for (int round = 0; round < 20; round++) {
    livery_store *store = made_store(fresh_path());
    shower self = {.script = "w", .answer = kinds[0].answer};
    provide(store, "login", &self);
    outcome told[3] = {{0}};
    for (int each = 0; each < 3; each++)
      OK(livery_prompt_request_start(store, "login", NULL, NULL, note_done, &told[each], note_destroyed, NULL));
    if (round % 2) EXPECT(comes(&self.presented, 1));
    OK(livery_close(store));
    for (int each = 0; each < 3; each++) {
      EXPECT(comes(&told[each].destroyed, 1));
      EXPECT_INT(1, told[each].done);
      EXPECT_INT(LIVERY_ERROR_CLOSED, told[each].status);
    }
    EXPECT(comes(&self.destroyed, 1));
    EXPECT_INT(self.presented, self.dismissed);
  }
}

TEST("requests lie upon each other; one replaces the topmost, and the topmost is taken away", stack) {
  livery_store *store = made_store(fresh_path());
  shower self = {.script = "w", .answer = kinds[0].answer};
  provide(store, "login", &self);
  livery_prompt_options options = LIVERY_PROMPT_OPTIONS_INIT;
  outcome bottom = {0}, middle = {0}, top = {0};
  OK(livery_prompt_request_start(store, "login", NULL, &options, note_done, &bottom, note_destroyed, NULL));
  OK(livery_prompt_request_start(store, "login", NULL, &options, note_done, &middle, note_destroyed, NULL));
  options.flags = LIVERY_PROMPT_REPLACE;
  livery_prompt_request *request = NULL;
  OK(livery_prompt_request_start(store, "login", NULL, &options, note_done, &top, note_destroyed, &request));
  EXPECT(comes(&middle.destroyed, 1));
  EXPECT_INT(LIVERY_PROMPT_DISMISSED, middle.outcome);
  EXPECT_CONTAINS("replaced", middle.message);
  EXPECT_STATUS(LIVERY_ERROR_NO_VALUE, livery_prompt_accept(request));
  EXPECT_STATUS(LIVERY_ERROR_NO_VALUE, livery_prompt_reject(request, "no", true));
  OK(livery_prompt_pop(store));
  EXPECT(comes(&top.destroyed, 1));
  EXPECT_STATUS(LIVERY_ERROR_CLOSED, livery_prompt_accept(request));
  EXPECT_STATUS(LIVERY_ERROR_CLOSED, livery_prompt_request_cancel(request));
  EXPECT_INT(0, bottom.done);
  OK(livery_prompt_pop(store));
  EXPECT(comes(&bottom.destroyed, 1));
  EXPECT_STATUS(LIVERY_ERROR_NOT_FOUND, livery_prompt_pop(store));
  OK(livery_close(store));
}

TEST("what is cancelled is not what the next one replaces", replaced_after_cancel) {
  for (int round = 0; round < 50; round++) {
    livery_store *store = made_store(fresh_path());
    shower self = {.script = "w", .answer = kinds[0].answer};
    provide(store, "login", &self);
    livery_prompt_options options = LIVERY_PROMPT_OPTIONS_INIT;
    outcome bottom = {0}, middle = {0}, top = {0};
    livery_prompt_request *request = NULL;
    OK(livery_prompt_request_start(store, "login", NULL, &options, note_done, &bottom, note_destroyed, NULL));
    OK(livery_prompt_request_start(store, "login", NULL, &options, note_done, &middle, note_destroyed, &request));
    OK(livery_prompt_request_cancel(request));
    options.flags = LIVERY_PROMPT_REPLACE;
    OK(livery_prompt_request_start(store, "login", NULL, &options, note_done, &top, note_destroyed, NULL));
    EXPECT(comes(&middle.destroyed, 1));
    EXPECT(comes(&bottom.destroyed, 1));
    EXPECT_INT(LIVERY_PROMPT_DISMISSED, bottom.outcome);
    EXPECT_CONTAINS("replaced", bottom.message);
    EXPECT_INT(0, top.done);
    OK(livery_close(store));
  }
}

TEST("a subject is nested as deep as who shows it can be given", deep_subject) {
  livery_store *store = made_store(fresh_path());
  shower self = {.script = "a", .answer = kinds[0].answer};
  outcome told = {0}, refused = {0};
  provide(store, "login", &self);
  livery_value *subject = json("1");
  for (int depth = 0; depth < 32; depth++) {
    livery_value *outer = NULL;
    const char *key = "in";
    OK(livery_value_make_object(&key, &subject, 1, &outer));
    OK(livery_value_release(subject));
    subject = outer;
    if (depth != 30) continue;
    OK(livery_prompt_request_start(store, "login", subject, NULL, note_done, &told, note_destroyed, NULL));
    EXPECT(comes(&told.destroyed, 1));
    EXPECT_INT(LIVERY_PROMPT_COMPLETED, told.outcome);
  }
  livery_status status = livery_prompt_request_start(store, "login", subject, NULL, note_done, &refused, note_destroyed, NULL);
  EXPECT_STATUS(LIVERY_ERROR_INVALID_VALUE, status);
  EXPECT_CONTAINS("subject", livery_last_error()->message);
  OK(livery_value_release(subject));
  OK(livery_close(store));
}

TEST("what a person has agreed to is a setting with its history", facts) {
  livery_store *store = made_store(fresh_path());
  shower self = {.script = "a", .answer = "{\"accepted\":true}"};
  provide(store, "user-agreement", &self);
  for (int version = 1; version <= 2; version++) {
    outcome told = {0};
    char text[64];
    livery_value *subject = NULL, *kept = NULL, *member = NULL;
    snprintf(text, sizeof text, "{\"user\":\"ada\",\"version\":\"%d\"}", version);
    OK(livery_value_from_json(text, strlen(text), &subject));
    OK(livery_prompt_request_start(store, "user-agreement", subject, NULL, note_done, &told, note_destroyed, NULL));
    livery_value_release(subject);
    EXPECT(comes(&told.destroyed, 1));
    EXPECT_INT(LIVERY_PROMPT_COMPLETED, told.outcome);
    OK(livery_get_value(store, "prompt.user-agreement", &kept));
    const char *found = NULL;
    size_t length = 0;
    OK(livery_value_member(kept, "version", &member));
    OK(livery_value_as_string(member, &found, &length));
    EXPECT_INT('0' + version, found[0]);
    livery_value_release(member);
    OK(livery_value_member(kept, "user", &member));
    livery_value_release(member);
    OK(livery_value_member(kept, "time", &member));
    livery_value_release(member);
    livery_value_release(kept);
  }
  // Nobody else writes it.
  EXPECT_STATUS(LIVERY_ERROR_TYPE_MISMATCH, livery_set_bool(store, LIVERY_LAYER_USER, "prompt.user-agreement", true));
  livery_value *history = NULL;
  size_t count = 0;
  livery_history_options asked = LIVERY_HISTORY_OPTIONS_INIT;
  asked.pattern = "prompt.user-agreement";
  OK(livery_history(store, &asked, &history));
  OK(livery_value_count(history, &count));
  EXPECT_INT(2, count);
  livery_value_release(history);
  OK(livery_close(store));
}

TEST("what has to be kept and cannot be fails, and who shows it is told", facts_on_a_store_that_is_read_only) {
  const char *path = fresh_path();
  OK(livery_close(made_store(path)));
  livery_open_options options = LIVERY_OPEN_OPTIONS_INIT;
  options.flags = LIVERY_OPEN_READ_ONLY;
  livery_store *store = NULL;
  OK(livery_open(path, &options, &store));
  shower self = {.script = "a", .answer = "{\"accepted\":true}"};
  provide(store, "user-agreement", &self);
  outcome told = {0};
  ask(store, "user-agreement", NULL, 0, &told);
  EXPECT_INT(LIVERY_PROMPT_FAILED, told.outcome);
  EXPECT_INT(LIVERY_ERROR_READ_ONLY, told.status);
  EXPECT(comes(&self.dismissed, 1));
  EXPECT_INT(LIVERY_ERROR_READ_ONLY, self.verdict);
  EXPECT_INT(LIVERY_ERROR_READ_ONLY, self.reason);
  OK(livery_close(store));
}

static livery_status judge(livery_prompt *prompt, const char *json) {
  livery_value *value = NULL;
  OK(livery_value_from_json(json, strlen(json), &value));
  livery_status status = livery_prompt_answer(prompt, value, NULL, NULL, NULL);
  livery_value_release(value);
  return status;
}

TEST("an answer is judged by the form where it is given", judged) {
  livery_store *store = made_store(fresh_path());
  shower self = {.script = "w", .answer = ""};
  provide(store, "login", &self);
  provide(store, "tea", &self);
  outcome told = {0}, own = {0};
  OK(livery_prompt_request_start(store, "login", NULL, NULL, note_done, &told, note_destroyed, NULL));
  EXPECT(comes(&self.presented, 1));
  usleep(1000);
  livery_prompt *prompt = self.prompt;
  EXPECT_STATUS(LIVERY_ERROR_INVALID_VALUE, judge(prompt, "{\"user\":\"ada\"}"));
  EXPECT_STATUS(LIVERY_ERROR_INVALID_VALUE, judge(prompt, "{\"user\":\"\",\"password\":\"x\"}"));
  EXPECT_STATUS(LIVERY_ERROR_TYPE_MISMATCH, judge(prompt, "[1]"));
  EXPECT_STATUS(LIVERY_ERROR_TYPE_MISMATCH, judge(prompt, "{\"user\":[1],\"password\":\"x\"}"));
  EXPECT_STATUS(LIVERY_ERROR_NOT_FOUND, judge(prompt, "{\"user\":\"a\",\"password\":\"x\",\"tea\":1}"));
  EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT, livery_prompt_answer(prompt, NULL, NULL, NULL, NULL));
  OK(judge(prompt, "{\"user\":\"a\",\"password\":\"x\"}"));
  EXPECT(comes(&told.destroyed, 1));
  EXPECT(comes(&self.dismissed, 1));
  EXPECT_STATUS(LIVERY_ERROR_CLOSED, judge(prompt, "{}"));
  EXPECT_STATUS(LIVERY_ERROR_CLOSED, livery_prompt_dismiss(prompt));

  livery_prompt_options options = LIVERY_PROMPT_OPTIONS_INIT;
  options.schema = "{\"Version\":1,\"Groups\":[{\"Title\":\"Tea\",\"Settings\":[{\"Type\":\"Number\",\"Title\":\"Cups\",\"Key\":\"cups\","
                   "\"Format\":\"integer\",\"Maximum\":4}]}]}";
  EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT, livery_prompt_request_start(store, "login", NULL, &options, note_done, &own, NULL, NULL));
  own = (outcome){0};
  OK(livery_prompt_request_start(store, "tea", NULL, &options, note_done, &own, note_destroyed, NULL));
  EXPECT(comes(&self.presented, 2));
  usleep(1000);
  EXPECT_STATUS(LIVERY_ERROR_INVALID_VALUE, judge(self.prompt, "{\"cups\":5}"));
  OK(judge(self.prompt, "{\"cups\":\"3\"}"));
  EXPECT(comes(&own.destroyed, 1));
  EXPECT_TEXT("{\"cups\":3}", own.answer);
  OK(livery_close(store));
}

TEST("credentials are in no file of the store, and not in the library's freed memory", secrets) {
  NEEDS_PROCESSES;
  const char *path = fresh_path();
  livery_store *store = made_store(path);
  other elsewhere = show_elsewhere(path, "login", "a", kinds[0].answer);
  outcome told = {0};
  ask(store, "login", "ra", 0, &told);
  EXPECT_TEXT(kinds[0].answer, told.answer);
  end_elsewhere(elsewhere, false);
  char command[512];
  snprintf(command, sizeof command, "! grep -r -l Zq-secret-7731 %s", path);
  EXPECT_INT(0, system(command));
  OK(livery_close(store));
  EXPECT_INT(0, system(command));
}

// "a password that is long enough 4711", changed.
static const unsigned char changed[] = {52, 117, 37, 52, 38, 38, 34, 58, 39, 49, 117, 33, 61, 52, 33, 117, 60, 38, 117, 57, 58, 59, 50, 117,
                                        48, 59, 58, 32, 50, 61, 117, 97, 98, 100, 100};

static void check_password(livery_prompt_request *request, livery_value *answer, void *user_data) {
  outcome *told = user_data;
  EXPECT(answer != NULL);
  // The search finds what is there.
  EXPECT(found_in_memory(changed, sizeof changed) > 0);
  atomic_fetch_add(&told->answers, 1);
  OK(livery_prompt_accept(request));
}

static void note_end(const livery_prompt_result *result, void *user_data) {
  outcome *told = user_data;
  told->outcome = result->outcome;
  atomic_fetch_add(&told->done, 1);
}

TEST("what a person has typed is in no memory of the libraries once it is over", wiped) {
  if (!(livery_features() & LIVERY_FEATURE_STANDALONE)) SKIP("Swift's own runtime does not wipe");
  livery_store *store = made_store(fresh_path());
  shower self = {.script = "w", .answer = ""};
  provide(store, "login", &self);
  outcome told = {0};
  livery_prompt_options options = LIVERY_PROMPT_OPTIONS_INIT;
  options.answered = check_password;
  OK(livery_prompt_request_start(store, "login", NULL, &options, note_end, &told, note_destroyed, NULL));
  EXPECT(comes(&self.presented, 1));
  usleep(2000);
  const char *keys[] = {"user", "password"};
  livery_value *values[2] = {NULL, NULL}, *answer = NULL;
  char typed[sizeof changed];
  for (size_t place = 0; place < sizeof changed; place++) typed[place] = (char)(changed[place] ^ 0x55);
  OK(livery_value_make_string("ada", 3, &values[0]));
  OK(livery_value_make_string(typed, sizeof changed, &values[1]));
  OK(livery_value_make_object(keys, values, 2, &answer));
  OK(livery_prompt_answer(self.prompt, answer, NULL, NULL, NULL));
  livery_value_release(answer);
  livery_value_release(values[0]);
  livery_value_release(values[1]);
  explicit_bzero(typed, sizeof typed);
  EXPECT(comes(&told.destroyed, 1));
  EXPECT(comes(&self.dismissed, 1));
  EXPECT_INT(LIVERY_PROMPT_COMPLETED, told.outcome);
  usleep(10000);
  EXPECT_INT(0, found_in_memory(changed, sizeof changed));
  OK(livery_close(store));
}

// Who is connected to a provider in another way than by the library.
static int connect_as(const char *path, const char *kind, uid_t user, const void *bytes, size_t count) {
  char command[700];
  snprintf(command, sizeof command, "chmod 0777 %s && chmod 0666 %s/prompt.%s.*", path, path, kind);
  EXPECT_INT(0, system(command));
  glob_t found = {0};
  snprintf(command, sizeof command, "%s/prompt.%s.*", path, kind);
  EXPECT_INT(0, glob(command, 0, NULL, &found));
  pid_t process = fork();
  if (process == 0) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%s", strrchr(found.gl_pathv[0], '/') + 1);
    int end = socket(AF_UNIX, SOCK_SEQPACKET, 0);
    char answer[64];
    if (chdir(path) != 0 || setresuid(user, user, user) != 0 || connect(end, (struct sockaddr *)&address, sizeof address) != 0) _exit(2);
    send(end, bytes, count, MSG_NOSIGNAL);
    // The end of the connection, or something.
    _exit(recv(end, answer, sizeof answer, 0) > 0 ? 1 : 0);
  }
  globfree(&found);
  int status = 0;
  waitpid(process, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST("who shows it hears no other user, and nothing that is no message", strangers) {
  NEEDS_PROCESSES;
  if (geteuid() != 0) SKIP("it takes root to be another user");
  static const unsigned char request[] = {1, 1, 11, 1, 0, 0, 0, 4, 0, 0, 0, 'k', 'i', 'n', 'd', 4, 5, 0, 0, 0, 'l', 'o', 'g', 'i', 'n'};
  static unsigned char large[200000];
  const char *path = fresh_path();
  livery_store *store = made_store(path);
  shower self = {.script = "f", .answer = kinds[0].answer};
  provide(store, "login", &self);
  EXPECT_INT(0, connect_as(path, "login", 65534, request, sizeof request));
  EXPECT_INT(0, self.presented);
  // The same of this user is heard, and answered.
  EXPECT_INT(1, connect_as(path, "login", 0, request, sizeof request));
  EXPECT_INT(1, self.presented);
  EXPECT_INT(0, connect_as(path, "login", 0, request, sizeof request - 1));
  EXPECT_INT(0, connect_as(path, "login", 0, "\1\7", 2));
  EXPECT_INT(0, connect_as(path, "login", 0, large, sizeof large));
  EXPECT_INT(1, self.presented);
  OK(livery_close(store));
}

TEST("what a process has left that was killed while it began to provide is removed by the next one", unfinished) {
  const char *path = fresh_path();
  char old[400], other[400];
  livery_store *store = made_store(path);
  snprintf(old, sizeof old, "%s/.prompt.login.1.1000000", path);
  snprintf(other, sizeof other, "%s/.prompt.login.1.99000000000000000", path);
  EXPECT_INT(0, mknod(old, S_IFSOCK | 0600, 0));
  EXPECT_INT(0, mknod(other, S_IFSOCK | 0600, 0));
  shower self = {.script = "a", .answer = kinds[0].answer};
  livery_prompt_provider *provider = provide(store, "login", &self);
  EXPECT_INT(-1, access(old, F_OK));
  EXPECT_INT(0, access(other, F_OK));
  OK(livery_prompt_withdraw(provider));
  OK(livery_close(store));
}

TEST("a store in memory has prompts in one process", in_memory) {
  livery_open_options options = LIVERY_OPEN_OPTIONS_INIT;
  options.flags = LIVERY_OPEN_MEMORY;
  livery_store *store = NULL;
  OK(livery_open("prompts", &options, &store));
  shower self = {.script = "a", .answer = kinds[0].answer};
  provide(store, "login", &self);
  outcome told = {0};
  ask(store, "login", NULL, 0, &told);
  EXPECT_INT(LIVERY_PROMPT_COMPLETED, told.outcome);
  OK(livery_close(store));
}

TEST("what is wrong with a call is told, and `done` and `destroy` run once", arguments) {
  livery_store *store = made_store(fresh_path());
  outcome told = {0};
  shower self = {.script = "a"};
  EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT,
                livery_prompt_request_start(store, "No kind", NULL, NULL, note_done, &told, note_destroyed, NULL));
  EXPECT_INT(1, told.done);
  EXPECT_INT(1, told.destroyed);
  EXPECT_INT(LIVERY_ERROR_INVALID_ARGUMENT, told.status);
  EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT, livery_prompt_request_start(store, "login", NULL, NULL, NULL, NULL, NULL, NULL));
  EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT, livery_prompt_request_start(NULL, "login", NULL, NULL, note_done, &told, NULL, NULL));
  livery_prompt_options options = LIVERY_PROMPT_OPTIONS_INIT;
  options.flags = 1u << 9;
  EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT, livery_prompt_request_start(store, "login", NULL, &options, note_done, &told, NULL, NULL));
  options = (livery_prompt_options)LIVERY_PROMPT_OPTIONS_INIT;
  options.timeout_ms = 86400001;
  EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT, livery_prompt_request_start(store, "login", NULL, &options, note_done, &told, NULL, NULL));
  options = (livery_prompt_options)LIVERY_PROMPT_OPTIONS_INIT;
  options.schema = "{";
  EXPECT_STATUS(LIVERY_ERROR_PARSE, livery_prompt_request_start(store, "tea", NULL, &options, note_done, &told, NULL, NULL));
  options.schema = "{}";
  EXPECT_STATUS(LIVERY_ERROR_SCHEMA_INVALID, livery_prompt_request_start(store, "tea", NULL, &options, note_done, &told, NULL, NULL));
  livery_prompt_functions functions = {sizeof functions, 0, show, NULL};
  EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT, livery_prompt_provide(store, "login", &functions, &self, note_shower_destroyed, NULL));
  EXPECT_INT(1, self.destroyed);
  EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT, livery_prompt_provide(store, "login", NULL, NULL, NULL, NULL));
  EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT, livery_prompt_provide(store, "/", &functions, NULL, NULL, NULL));
  EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT, livery_prompt_missing(store, NULL));
  OK(livery_prompt_withdraw(NULL));
  OK(livery_prompt_request_cancel(NULL));
  OK(livery_prompt_dismiss(NULL));
  EXPECT_STATUS(LIVERY_ERROR_CLOSED, livery_prompt_dismiss((livery_prompt *)store));
  OK(livery_close(store));
  EXPECT_STATUS(LIVERY_ERROR_CLOSED, livery_prompt_pop(store));
}
