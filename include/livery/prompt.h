/**
 * @file livery/prompt.h
 * Prompts: pieces of user interface that a workflow needs and somebody else provides.
 *
 * Of the library liblivery-workflow.so; livery.h does not include it.
 */
#ifndef LIVERY_PROMPT_H
#define LIVERY_PROMPT_H

#include <livery.h>

#ifdef __cplusplus
extern "C" {
#endif

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

#ifdef __cplusplus
}
#endif
#endif
