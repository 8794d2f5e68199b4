#ifndef DRAW_H
#define DRAW_H

// Draws the SVG document at standard input into the file at standard output, with limits on this process.
int draw_svg(void);

#endif
