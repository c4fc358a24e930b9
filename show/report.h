/*
 * report.h - an answer of several labelled lines, written once for both forms: as text with a column of labels, and as a table for
 * a notebook. A Report is begun, filled from top to bottom, and ended.
 */
#ifndef SHOW_REPORT_H
#define SHOW_REPORT_H
#include "show/rows.h"

typedef struct Report {
    const Layout *layout;
    Text *text, *html;                  /* borrowed; html may be NULL */
    int   labels;                       /* columns that labels take in the text */
} Report;

void report_begin(Report *report, const Layout *layout, Text *text, Text *html, int labels);
void report_end(Report *report);
/* The first line: a name in bold, a storage's chip (NULL: none), facts. */
void report_head(Report *report, const char *name, const Spot *spot, const char *facts);
void report_line(Report *report, const char *label, const char *what);     /* wrapped at the edge, under itself */
void report_section(Report *report, const char *title);                     /* a heading, with room above */
/* A line as it is, in a face of equal widths, its first `painted` columns from `from` on the storage's colour (painted 0: none). */
void report_drawn(Report *report, const char *line, int from, int painted, int color);
#endif
