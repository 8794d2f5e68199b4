// The agent: the parts that it runs, what configures them, and what it says of them.
#ifndef AGENT_H
#define AGENT_H

#include <command.h>
#include <livery.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

// What the agent's own store says, as one value that can be compared: unused bytes are zero. Each text has room for as many
// characters as the schema lets it have, of four bytes.
typedef struct agent_settings {
  struct {
    char ca_file[4004], proxy[4004];
  } network;
  struct {
    char key_file[4004], keyring[1024], credential[1024];
  } secrets;
  struct {
    bool is_enabled, shows_prompts, shows_hidden, is_read_only;
    char listen[804], hosts[4004], pin_setting[1024], title[804], locale[244];
    int64_t idle_s;
  } page;
  struct {
    bool is_enabled, is_for_all;
    char idiom[16];
    double scale;
    int64_t interval_s;
  } fetch;
  struct {
    bool is_enabled;
    char app[132], broker[1204], broker_user[804], broker_password_file[4004];
  } sync;
} agent_settings;

// The schema of that store.
extern const char agent_schema[];

// INVALID_ARGUMENT if the store has the schema of something else.
livery_status agent_settings_check(livery_store *config);

// Applies the schema where the store has an earlier one or none; a later one is left as it is.
livery_status agent_settings_apply(livery_store *config);
void agent_settings_read(livery_store *config, agent_settings *settings);

typedef enum part_state { PART_OFF, PART_RUNNING, PART_FAILED } part_state;

// Something that the agent runs as long as that is wanted.
typedef struct part {
  const char *name;
  // Whether it is spoken of only where it is wanted: it does nothing for itself.
  bool is_helper;
  // Whether it asks servers, and takes the file of certificates for that.
  bool has_network;
  // Whether it is to run, and whether one of both has other options than the other.
  bool (*is_wanted)(const agent_settings *settings);
  bool (*is_same)(const agent_settings *one, const agent_settings *other);
  livery_status (*start)(livery_store *store, const agent_settings *settings);
  void (*stop)(void);
  // At least as often as it asks for; the milliseconds until it wants to be called again, or -1. NULL for never.
  int64_t (*attend)(livery_store *store, int64_t now_ms);
  // Members of its state, each with a comma before it. NULL for none.
  void (*describe)(FILE *output);
  part_state state;
  int failures;
  // When it is tried again, on the clock of agent_now_ms().
  int64_t again_ms;
  char message[400];
} part;

extern part agent_secrets, agent_page, agent_fetch, agent_sync;
enum { PARTS = 4 };
extern part *const agent_parts[PARTS];

// Starts and stops parts until they are as wanted; those that fail are tried again later and later, by chance more or less. The
// milliseconds until something is to be done, or -1.
int64_t agent_parts_attend(livery_store *store, const agent_settings *settings, const agent_settings *former, int64_t now_ms);
void agent_parts_stop(void);
// Has all that failed tried at once.
void agent_parts_retry(void);
// Opens what is sealed in a store, with the key that the settings name.
livery_status agent_secrets_open(livery_store *store, const agent_settings *settings);

// As much of a text as there is room for: whole characters.
void agent_copy(char *buffer, size_t capacity, const char *text);

// Milliseconds of a clock that never goes back.
int64_t agent_now_ms(void);
// A line on standard error: what happened to a part.
void agent_say(const char *part, const char *format, ...) __attribute__((format(printf, 2, 3)));
void agent_print_text(FILE *output, const char *text);

// Where others ask a running agent how it is: a socket in the folder of its store, which only its user reaches.
typedef struct agent_socket {
  int folder, lock, listener;
} agent_socket;

// LIVERY_ERROR_BUSY: another agent has the store. By livery_error_leave(), as everywhere.
livery_status agent_socket_open(const char *config, agent_socket *made);
void agent_socket_close(agent_socket *made);
// Answers whoever asks.
void agent_socket_answer(const agent_socket *made, const char *text, size_t length);
// What a running agent answers, to be freed. LIVERY_ERROR_NOT_FOUND: there is none.
livery_status agent_socket_ask(const char *config, char **text);

// Tells whoever started the agent, by $NOTIFY_SOCKET as systemd does it; nothing without one.
void agent_notify(const char *format, ...) __attribute__((format(printf, 1, 2)));
// How often systemd wants to hear "WATCHDOG=1", in milliseconds; 0 for never.
int64_t agent_watchdog_ms(void);

#endif
