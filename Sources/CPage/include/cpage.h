// What LiveryPage takes of liblivery-workflow.so, zlib and libc.
#ifndef CPAGE_H
#define CPAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <livery/prompt.h>

// Prompts, of liblivery-workflow.so: nothing else may be called before that is loaded, or where it cannot be.
bool lvp_prompts_load(void);
// Provides what nobody provides by its kind.
livery_status lvp_prompt_provide(livery_store *store, livery_prompt_present_fn present, livery_prompt_dismiss_fn dismiss,
                                 void *object, livery_destroy_fn destroy, livery_prompt_provider **provider);
livery_status lvp_prompt_withdraw(livery_prompt_provider *provider);
livery_status lvp_prompt_answer(livery_prompt *prompt, livery_value *answer, livery_prompt_verdict_fn verdict, void *object,
                                livery_destroy_fn destroy);
livery_status lvp_prompt_dismiss(livery_prompt *prompt);
// From now on memory is wiped before it is given back.
void lvp_memory_wipe(void);

// Memory that livery_free gives back; NULL if there is none.
void *lvp_allocate(size_t count);

// What is sent to browsers as it is.
typedef enum lvp_asset_name { LVP_STYLE, LVP_SCRIPT, LVP_WORKER } lvp_asset_name;
// For livery_free; nothing if there is no memory.
uint8_t *lvp_asset(lvp_asset_name name, size_t *count);

#endif
