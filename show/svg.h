/* svg.h - what drawings for notebooks are put together from: attributes only, no style element, no id, its own white ground. */
#ifndef SHOW_SVG_H
#define SHOW_SVG_H
#include "show/rows.h"

typedef enum Anchor { ANCHOR_START, ANCHOR_MIDDLE, ANCHOR_END } Anchor;
enum { SVG_WIDTH = 400 };

/* A whole drawing: `body` within a frame of SVG_WIDTH × height, with a title that says the content in words. */
void svg_whole(Text *svg, double height, const char *title, Text *body);
void svg_rect(Text *svg, double x, double y, double w, double h, const char *fill, const char *edge, bool dashed);
void svg_text(Text *svg, double x, double y, double size, const char *ink, Anchor anchor, bool bold, const char *utf8);
void svg_line(Text *svg, double x1, double y1, double x2, double y2, const char *ink);
void svg_path(Text *svg, const char *ink, const char *fill, const char *format, ...);
#endif
