// Prompts in one process.
#include "check.h"
#include <livery/prompt.h>

TEST("fourteen kinds have names, and those that are not required a default", kinds) {
  livery_value *list = NULL;
  OK(livery_prompt_kinds(&list));
  size_t count = 0, required = 0;
  OK(livery_value_count(list, &count));
  EXPECT_INT(14, count);
  for (size_t index = 0; index < count; index++) {
    livery_value *kind = NULL, *is_required = NULL, *answer = NULL;
    bool flag = false;
    OK(livery_value_at(list, index, &kind));
    OK(livery_value_member(kind, "required", &is_required));
    OK(livery_value_as_bool(is_required, &flag));
    required += flag;
    EXPECT_INT(flag ? LIVERY_ERROR_NOT_FOUND : LIVERY_OK, livery_value_member(kind, "default", &answer));
    livery_value_release(answer);
    livery_value_release(is_required);
    livery_value_release(kind);
  }
  EXPECT_INT(9, required);
  livery_value_release(list);
  EXPECT_INT(LIVERY_ERROR_INVALID_ARGUMENT, livery_prompt_kinds(NULL));
}
