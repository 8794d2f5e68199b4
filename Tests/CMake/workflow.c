// A client of the extension `workflow`: the kinds of prompts are told, and the media that are there.
#include <livery/picker.h>
#include <livery/prompt.h>
#include <stdio.h>

int main(int argc, char **argv) {
  if (argc != 2) return fprintf(stderr, "usage: %s DIRECTORY\n", argv[0]), 2;
  livery_value *kinds = NULL;
  size_t count = 0;
  if (livery_prompt_kinds(&kinds) != LIVERY_OK || livery_value_count(kinds, &count) != LIVERY_OK)
    return fprintf(stderr, "%s\n", livery_last_error()->message), 1;
  livery_value_release(kinds);
  livery_value *media = NULL;
  if (livery_picker_media(&media) != LIVERY_OK) return fprintf(stderr, "%s\n", livery_last_error()->message), 1;
  livery_value_release(media);
  return count == 14 ? 0 : 1;
}
