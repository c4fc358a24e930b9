/* svg.c - rectangles, lines and text of drawings. */
#include "show/svg.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void attribute(Text *svg, const char *name, double value)
{
    char digits[32];
    snprintf(digits, sizeof digits, "%.2f", value);
    size_t n = strlen(digits);
    while (digits[n - 1] == '0')
        digits[--n] = 0;
    if (digits[n - 1] == '.')
        digits[--n] = 0;
    text_print(svg, " %s=\"%s\"", name, digits);
}

void svg_rect(Text *svg, double x, double y, double w, double h, const char *fill, const char *edge, bool dashed)
{
    text_put(svg, "<rect");
    attribute(svg, "x", x);
    attribute(svg, "y", y);
    attribute(svg, "width", w);
    attribute(svg, "height", h);
    text_print(svg, " fill=\"%s\"", fill);
    if (edge)
        text_print(svg, " stroke=\"%s\"%s", edge, dashed ? " stroke-width=\"1.5\" stroke-dasharray=\"3 2\"" : "");
    text_put(svg, "/>\n");
}

void svg_text(Text *svg, double x, double y, double size, const char *ink, Anchor anchor, bool bold, const char *utf8)
{
    text_put(svg, "<text");
    attribute(svg, "x", x);
    attribute(svg, "y", y);
    attribute(svg, "font-size", size);
    text_print(svg, " fill=\"%s\"%s%s xml:space=\"preserve\">", ink,
               anchor == ANCHOR_MIDDLE ? " text-anchor=\"middle\"" : anchor == ANCHOR_END ? " text-anchor=\"end\"" : "",
               bold ? " font-weight=\"bold\"" : "");
    for (const char *c = utf8; *c; c++)
        switch (*c) {
        case '<': text_put(svg, "&lt;"); break;
        case '>': text_put(svg, "&gt;"); break;
        case '&': text_put(svg, "&amp;"); break;
        case '\1': case '\2': break;                /* marks of bold */
        default: text_char(svg, *c);
        }
    text_put(svg, "</text>\n");
}

void svg_line(Text *svg, double x1, double y1, double x2, double y2, const char *ink)
{
    svg_path(svg, ink, "none", "M%.1f %.1fL%.1f %.1f", x1, y1, x2, y2);
}

void svg_path(Text *svg, const char *ink, const char *fill, const char *format, ...)
{
    char path[256];
    va_list list;
    va_start(list, format);
    vsnprintf(path, sizeof path, format, list);
    va_end(list);
    text_print(svg, "<path d=\"%s\" stroke=\"%s\" fill=\"%s\"/>\n", path, ink, fill);
}

void svg_whole(Text *svg, double height, const char *title, Text *body)
{
    Text plain = { 0 };
    html_text(&plain, title, strlen(title));
    text_print(svg, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%.0f\" viewBox=\"0 0 %d %.0f\" "
               "font-family=\"Menlo,Consolas,DejaVu Sans Mono,monospace\">\n<title>", SVG_WIDTH, height, SVG_WIDTH, height);
    text_add(svg, plain.s, plain.n);
    text_print(svg, "</title>\n<rect x=\"0.5\" y=\"0.5\" width=\"%d\" height=\"%.0f\" rx=\"4\" fill=\"#ffffff\" stroke=\"#bbbbbb\"/>\n",
               SVG_WIDTH - 1, height - 1);
    text_add(svg, body->s, body->n);
    text_put(svg, "</svg>\n");
    text_free(&plain);
    text_free(body);
}
