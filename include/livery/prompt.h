/**
 * @file livery/prompt.h
 * Prompts: the pieces of user interface that a workflow needs, provided by the program itself or by another process.
 *
 * Of the library liblivery-workflow.so; livery.h does not include it.
 *
 * Who needs something of a person makes a request, and is told once what became of it:
 *
 *     static void done(const livery_prompt_result *result, void *user_data) {
 *       if (result->outcome == LIVERY_PROMPT_COMPLETED) log_in(result->answer);
 *       else fprintf(stderr, "%s\n", result->message);
 *     }
 *
 *     livery_prompt_request_start(store, "login", NULL, NULL, done, NULL, NULL, NULL);
 *
 * Who can show such a thing provides it, in the same process or in another one that has the store open:
 *
 *     static livery_status present(livery_prompt *prompt, livery_value *request, void *user_data) { … }
 *     static void dismiss(livery_prompt *prompt, livery_status reason, const char *message, void *user_data) { … }
 *
 *     livery_prompt_functions functions = {sizeof functions, 0, present, dismiss};
 *     livery_prompt_provide(store, "login", &functions, NULL, NULL, NULL);
 *
 * and when the person has answered calls livery_prompt_answer() with an object whose members are those of the kind's form.
 *
 * Asked are those who provide the kind by the same handle on the store, then those of other handles and processes, each the
 * newest first, and in the same order those who provide #LIVERY_PROMPT_ANY, until one of them shows it; when that one ends before the person has answered, the next, and
 * then who has come meanwhile. Processes find each other by sockets in the store's folder, on which only the same
 * user and root are heard. What is asked and answered goes by them alone: it is never stored, and the library wipes what it held.
 *
 * What a person has agreed to is kept: the answers of `user-agreement`, `location-consent` and `bluetooth-consent` become the
 * settings `prompt.<kind>` of the layer `user`, before `done` is told of them.
 *
 * docs/workflow.md tells the rest.
 */
#ifndef LIVERY_PROMPT_H
#define LIVERY_PROMPT_H

#include <livery.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The longest name of a kind, in bytes: letters from a to z, digits and hyphens, a letter first. */
#define LIVERY_PROMPT_KIND_MAX 32
/** For livery_prompt_provide(): every kind, pinned or not. Who names a kind is asked before. */
#define LIVERY_PROMPT_ANY "*"
/** The most bytes that a request, an answer or a message has on its way to another process. */
#define LIVERY_PROMPT_SIZE_MAX 65536

/** A request for a prompt, at who has made it. */
typedef struct livery_prompt_request livery_prompt_request;
/** A prompt, at who shows it. */
typedef struct livery_prompt livery_prompt;
/** Who shows prompts of a kind. */
typedef struct livery_prompt_provider livery_prompt_provider;

/** What became of a request. The numbers are pinned for ever. */
typedef int32_t livery_prompt_outcome;
enum {
  /** There is an answer. */
  LIVERY_PROMPT_COMPLETED = 1,
  /** There is none, and will be none. */
  LIVERY_PROMPT_FAILED = 2,
  /** The person has closed it, or the requester has taken it away. */
  LIVERY_PROMPT_DISMISSED = 3,
  /** The time was over. */
  LIVERY_PROMPT_TIMED_OUT = 4
};

/** The outcome of a request. It and all that it points to are valid during the call. */
typedef struct livery_prompt_result {
  /** The size of this struct in the library, in bytes. */
  size_t struct_size;
  /** One of `LIVERY_PROMPT_COMPLETED` to `LIVERY_PROMPT_TIMED_OUT`. */
  livery_prompt_outcome outcome;
  /** #LIVERY_OK for what is completed; else why not. */
  livery_status status;
  /** One line for people: why it is not completed; "" if it is. Never NULL. */
  const char *message;
  /** An object with the members of the kind's form, each in its type; NULL if it is not completed. Retain it to keep it. */
  livery_value *answer;
  /** Whether nobody provides the kind and the answer is the kind's default. */
  bool is_default;
} livery_prompt_result;

/** Receives the outcome, on the store's watcher thread or in livery_dispatch(). It may call anything. */
typedef void (*livery_prompt_done_fn)(const livery_prompt_result *result, void *user_data);

/**
 * Receives an answer, to be decided on by livery_prompt_accept() or livery_prompt_reject(), now or later and on any thread.
 *
 * Called where `done` is, for each answer, and not after it. The answer is valid during the call.
 */
typedef void (*livery_prompt_answered_fn)(livery_prompt_request *request, livery_value *answer, void *user_data);

/** Bits of livery_prompt_options.flags and of livery_prompt_functions.flags. */
enum {
  /** Call the functions from livery_dispatch() alone, for programs with a main loop, in place of the watcher thread. */
  LIVERY_PROMPT_DISPATCH = 1 << 0,
  /** Of a request: it takes the place of the topmost one that was made by this handle on the store, which is dismissed. Without
      it requests lie upon each other. */
  LIVERY_PROMPT_REPLACE = 1 << 1
};

/** How to ask. Zero or NULL in any member means its default. */
typedef struct livery_prompt_options {
  /** sizeof(livery_prompt_options) */
  size_t struct_size;
  /** A sum of `LIVERY_PROMPT_*` bits. */
  uint32_t flags;
  /** How long all of it may take, in milliseconds; 0 for as long as the person needs; at most 86,400,000. */
  uint32_t timeout_ms;
  /** How long each provider may take to say whether it shows it, in milliseconds; default 10,000, at most 86,400,000. Then the
      next one is asked. */
  uint32_t patience_ms;
  /** Of a kind with a name of its own: a schema (docs/schema-reference.md) whose settings are the members of an answer. Without it an
      answer may be any value. NULL for kinds that livery_prompt_kinds() lists. */
  const char *schema;
  /** Is given each answer, to accept or to reject it. Without it the first answer that fits the form is accepted. */
  livery_prompt_answered_fn answered;
} livery_prompt_options;

/** The defaults. */
#define LIVERY_PROMPT_OPTIONS_INIT { sizeof(livery_prompt_options), 0, 0, 0, NULL, NULL }

/**
 * Shows a prompt: called once for each.
 *
 * `request` is an object: `kind`, `title` (text; of pinned kinds), `subject` (what the requester has given), `form` (of the answer, as
 * livery_form() tells one; of kinds that have one), `attempt` (1, and more if answers were rejected before), `message` (text: why the
 * last answer was rejected, "" if none was), `depth` (how many prompts of the same requester lie beneath) and `placement` ("push"
 * or "replace"). It is valid during the call; retain it to keep it.
 *
 * The function should return soon, and let the person take time. It may call anything, also livery_prompt_answer().
 *
 * @return #LIVERY_OK if it is shown, #LIVERY_ERROR_UNAVAILABLE for the next provider to be asked, any other status for the
 *   request to fail with it and with what livery_error_leave() has left
 */
typedef livery_status (*livery_prompt_present_fn)(livery_prompt *prompt, livery_value *request, void *user_data);

/**
 * Takes a prompt away: called once for each that `present` has returned #LIVERY_OK for, after its last answer's outcome.
 *
 * `reason` is #LIVERY_OK if it was completed, else why it has ended: #LIVERY_ERROR_CANCELLED, #LIVERY_ERROR_TIMEOUT,
 * #LIVERY_ERROR_REFUSED (the answer was rejected for good), #LIVERY_ERROR_CLOSED or another one that the request has failed with. The
 * prompt's handle ends when this returns.
 */
typedef void (*livery_prompt_dismiss_fn)(livery_prompt *prompt, livery_status reason, const char *message, void *user_data);

/**
 * Is told what became of an answer: called once for each.
 *
 * `status` is #LIVERY_OK if it was accepted, else it says with `message` why not: show it to the person. With `retry` another
 * answer may be given; without it `dismiss` follows.
 */
typedef void (*livery_prompt_verdict_fn)(livery_status status, const char *message, bool retry, void *user_data);

/** How a program shows prompts. */
typedef struct livery_prompt_functions {
  /** sizeof(livery_prompt_functions) */
  size_t struct_size;
  /** 0 or #LIVERY_PROMPT_DISPATCH. */
  uint32_t flags;
  livery_prompt_present_fn present;
  livery_prompt_dismiss_fn dismiss;
} livery_prompt_functions;

/**
 * The kinds of prompts that every program knows by the same names.
 *
 * The result is a list of objects: `kind`, `title` (text), `required` (bool: whether a workflow cannot go on where nobody provides
 * it) and, of one that is not required, `default` (what a request is answered where nobody provides it).
 *
 * Threads: any. Never blocks.
 *
 * @param[out] kinds  a list: release it; untouched on failure
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  `kinds` is NULL
 * @since 0.1
 */
LIVERY_API livery_status livery_prompt_kinds(livery_value **kinds);

/**
 * What an answer of a pinned kind looks like, ready to be drawn: a form as livery_form() tells one.
 *
 * Threads: any. Does not wait.
 *
 * @param kind       the name of a kind
 * @param[out] form  an object: release it; untouched on failure
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_NOT_FOUND         no kind that livery_prompt_kinds() lists
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  a pointer is NULL, or the kind is no name of one
 *   - any other of livery_open() for a store in memory
 * @since 0.1
 */
LIVERY_API livery_status livery_prompt_form(const char *kind, livery_value **form);

/**
 * The pinned kinds that nobody provides, neither this handle on the store nor another process.
 *
 * The result is a list of objects as livery_prompt_kinds() has them: what is required fails, what has a `default` is answered
 * by it.
 *
 * Threads: any. Does not wait for anybody; looks at the store's folder.
 *
 * @param store          an open store
 * @param[out] missing   a list: release it; untouched on failure
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_BUSY              no thread or no descriptor can be had
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  a pointer is NULL
 *   - any other of livery_watch_start()
 * @since 0.1
 */
LIVERY_API livery_status livery_prompt_missing(livery_store *store, livery_value **missing);

/**
 * Provide prompts of a kind, or of any, until livery_prompt_withdraw() or until the store is closed.
 *
 * Who provides #LIVERY_PROMPT_ANY is asked for what nobody shows who names the kind, in this process or in another one: a kind is
 * not missing then.
 *
 * Other processes that have the store open find it too: there is a socket in the store's folder meanwhile, for the same user and
 * root alone, which goes with it. What a process that was killed has left is removed by who next meets it. A store in memory has
 * no folder: there the handle's own requests are answered alone.
 *
 * `present` and `dismiss` are called one after another, on the watcher thread or in livery_dispatch(), and when the store is
 * closed on the thread that closes it. `destroy` is called once, after all of them.
 *
 * Threads: any. Does not wait.
 *
 * @param store           an open store
 * @param kind            a pinned kind, a name of one's own, or #LIVERY_PROMPT_ANY
 * @param functions       how prompts are shown; copied
 * @param user_data       handed to the functions
 * @param destroy         called once, also when providing fails; may be NULL
 * @param[out] provider   a handle; untouched on failure; may be NULL
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_BUSY              no thread or no descriptor can be had
 *   - #LIVERY_ERROR_PERMISSION        this process may not make a socket in the store's folder
 *   - #LIVERY_ERROR_NO_SPACE          the file system is full
 *   - #LIVERY_ERROR_IO                another failure of the operating system
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  `store`, `kind`, `functions` or one of them is NULL, the kind is no name of one, or a flag is
 *     unknown
 *   - any other of livery_watch_start()
 * @since 0.1
 */
LIVERY_API livery_status livery_prompt_provide(livery_store *store, const char *kind, const livery_prompt_functions *functions,
                                               void *user_data, livery_destroy_fn destroy,
                                               livery_prompt_provider **provider);

/**
 * Provide no longer: what is shown is dismissed, and the next provider is asked.
 *
 * Threads: any, also from inside the functions. Never blocks.
 *
 * @param provider  a provider, or NULL for nothing to happen
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_CLOSED  it has ended
 * @since 0.1
 */
LIVERY_API livery_status livery_prompt_withdraw(livery_prompt_provider *provider);

/**
 * Ask for a prompt.
 *
 * `done` is called exactly once, and `destroy` once after it: on the watcher thread, or in livery_dispatch(); when the store is
 * closed first, mostly on the thread that closes it; when starting fails with the same status on this thread, before this function
 * returns. What it is told in livery_prompt_result.status unless it is completed:
 *
 *   - #LIVERY_ERROR_UNAVAILABLE  nobody provides the kind, and it has no default: the message names the call that provides it;
 *     or who showed it has ended, and there is nobody else
 *   - #LIVERY_ERROR_CANCELLED    it was dismissed: by the person, by livery_prompt_request_cancel(), livery_prompt_pop() or by one that
 *     replaces it
 *   - #LIVERY_ERROR_TIMEOUT      the time was over
 *   - #LIVERY_ERROR_REFUSED      livery_prompt_reject() without `retry`; or who provides it in another process is another user
 *   - #LIVERY_ERROR_CLOSED       the store was closed
 *   - what `present` has returned
 *   - any of livery_claim() and livery_change_commit(), for an answer that has to be kept and cannot be: #LIVERY_ERROR_READ_ONLY where
 *     the store is
 *
 * When who shows it ends, another one is asked; an answer that was given already counts. When the requester's process ends, the
 * prompt is dismissed.
 *
 * Threads: any. Does not wait.
 *
 * @param store         an open store
 * @param kind          a pinned kind, or a name of one's own
 * @param subject       what it is about, for who shows it: an object such as {"user": "ada", "version": "3"}; NULL for none
 * @param options       NULL for the defaults
 * @param done          the function to call
 * @param user_data     handed to `done`, `answered` and `destroy`
 * @param destroy       called once, after `done`; may be NULL
 * @param[out] request  a handle, which ends when `done` is called; untouched on failure; may be NULL
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_BUSY              no thread or no descriptor can be had
 *   - #LIVERY_ERROR_INVALID_VALUE     the subject or the schema is larger than half and a third of #LIVERY_PROMPT_SIZE_MAX, or
 *     the subject is nested so deep that no object may hold it
 *   - #LIVERY_ERROR_SCHEMA_INVALID    the schema has errors
 *   - #LIVERY_ERROR_PARSE             the schema is no JSON
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  `store`, `kind` or `done` is NULL, the kind is no name of one, an option is unknown or out of range,
 *     or there is a schema for a pinned kind
 *   - any other of livery_watch_start()
 * @since 0.1
 */
LIVERY_API livery_status livery_prompt_request_start(livery_store *store, const char *kind, livery_value *subject,
                                                     const livery_prompt_options *options, livery_prompt_done_fn done,
                                                     void *user_data, livery_destroy_fn destroy,
                                                     livery_prompt_request **request);

/**
 * Accept the answer that `answered` was given: the request is completed by it.
 *
 * Threads: any. Never blocks.
 *
 * @param request  a request
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_NO_VALUE          there is no answer that is not decided on
 *   - #LIVERY_ERROR_CLOSED            it has ended
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  `request` is NULL
 * @since 0.1
 */
LIVERY_API livery_status livery_prompt_accept(livery_prompt_request *request);

/**
 * Reject the answer that `answered` was given.
 *
 * Threads: any. Never blocks.
 *
 * @param request  a request
 * @param message  one line for the person, such as "The password is wrong"; copied
 * @param retry    whether the person may answer again; otherwise the request fails with #LIVERY_ERROR_REFUSED
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_NO_VALUE          there is no answer that is not decided on
 *   - #LIVERY_ERROR_CLOSED            it has ended
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  a pointer is NULL, or the message is no UTF-8 or longer than 1,024 bytes
 * @since 0.1
 */
LIVERY_API livery_status livery_prompt_reject(livery_prompt_request *request, const char *message, bool retry);

/**
 * Take a request back: the prompt is dismissed, and `done` told #LIVERY_ERROR_CANCELLED unless another outcome is on its way.
 *
 * Threads: any. Never blocks.
 *
 * @param request  a request, or NULL for nothing to happen
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_CLOSED  it has ended
 * @since 0.1
 */
LIVERY_API livery_status livery_prompt_request_cancel(livery_prompt_request *request);

/**
 * Take back the topmost of the requests that were made by this handle on the store: the one that was made last.
 *
 * Threads: any. Never blocks.
 *
 * @param store  an open store
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_NOT_FOUND         there is none
 *   - #LIVERY_ERROR_BUSY              no thread or no descriptor can be had
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  `store` is NULL
 *   - any other of livery_watch_start()
 * @since 0.1
 */
LIVERY_API livery_status livery_prompt_pop(livery_store *store);

/**
 * Answer a prompt.
 *
 * The answer is judged by the form at once, as a change of settings would be, so that who shows it can say what is wrong. Then it
 * goes to the requester, and `verdict` is told what became of it, where `present` is called.
 *
 * Threads: any. Does not wait.
 *
 * @param prompt     a prompt
 * @param answer     an object with the members of the form; any value where there is no form
 * @param verdict    may be NULL
 * @param user_data  handed to `verdict` and `destroy`
 * @param destroy    called once, after `verdict`, or before this returns a failure; may be NULL
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_INVALID_VALUE     a member is missing, violates a constraint, or all is too large
 *   - #LIVERY_ERROR_TYPE_MISMATCH     it is no object, or a member does not convert to its type
 *   - #LIVERY_ERROR_NOT_FOUND         a member is not in the form
 *   - #LIVERY_ERROR_BUSY              an answer was given that is not decided on
 *   - #LIVERY_ERROR_CLOSED            the prompt has ended
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  `prompt` or `answer` is NULL
 *   - any other of livery_open() for a store in memory
 * @since 0.1
 */
LIVERY_API livery_status livery_prompt_answer(livery_prompt *prompt, livery_value *answer, livery_prompt_verdict_fn verdict,
                                              void *user_data, livery_destroy_fn destroy);

/**
 * Say that the person has closed a prompt: the request ends as dismissed.
 *
 * Threads: any. Never blocks.
 *
 * @param prompt  a prompt, or NULL for nothing to happen
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_CLOSED  it has ended
 * @since 0.1
 */
LIVERY_API livery_status livery_prompt_dismiss(livery_prompt *prompt);

#ifdef __cplusplus
}
#endif
#endif
