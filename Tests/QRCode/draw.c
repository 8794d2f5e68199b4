// draw LEVEL: reads lines and draws the QR code of each. For each it writes the number of modules along a side, the modules row by
// row as 0 and 1, the image in SVG, and the blocks with and without colors, each part ended by a form feed.
#include <cqrcode.h>
#include <livery.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static lvq_code code;
static char text[1 << 20];

int main(int argc, char **argv) {
  lvq_level level = argc > 1 ? (lvq_level)atoi(argv[1]) : LVQ_ENROLLMENT;
  char line[8192];
  while (fgets(line, sizeof line, stdin)) {
    line[strcspn(line, "\n")] = 0;
    if (lvq_make(line, level, &code) != LIVERY_OK) {
      printf("0\f%s: %s\f\f\f\f", livery_status_name(livery_last_error()->status), livery_last_error()->message);
      continue;
    }
    printf("%zu\f", code.side);
    for (size_t index = 0; index < code.side * code.side; index++) putchar('0' + code.modules[index]);
    size_t length = lvq_draw_svg(&code, text, sizeof text);
    printf("\f%s\f", text);
    // What does not fit is counted all the same, and ended.
    char small[10];
    if (lvq_draw_svg(&code, small, sizeof small) != length || strlen(small) != 9 || lvq_draw_svg(&code, NULL, 0) != length) return 1;
    lvq_draw_blocks(&code, true, text, sizeof text);
    printf("%s\f", text);
    lvq_draw_blocks(&code, false, text, sizeof text);
    printf("%s\f", text);
  }
  return 0;
}
