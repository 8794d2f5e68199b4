#ifndef DRAW_H
#define DRAW_H

// Draws the SVG document at standard input into the file at standard output, with limits on this process.
// Ends it with 0 if there is something in the file.
_Noreturn void draw_svg(void);

#endif
