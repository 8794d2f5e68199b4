#ifndef COMMAND_H
#define COMMAND_H

// Draws the SVG document at standard input to standard output, with limits on this process.
int draw_svg(void);

#endif
