/*
 * show.h - the display, once for all front ends: the one header for repl/ and kernel/.
 * A Show belongs to a session. Front ends hand it each Statement; it keeps what it needs from one to the next, reduces the
 * events to rows (name, verdict, object, places, notes, bytes), and lays those out as text or HTML, or writes the trace.
 */
#ifndef SHOW_SHOW_H
#define SHOW_SHOW_H
#include "lang/session.h"

typedef enum Level { LEVEL_OFF, LEVEL_BRIEF, LEVEL_NORMAL, LEVEL_FULL } Level;
typedef enum Color { COLOR_NONE, COLOR_16, COLOR_256 } Color;

typedef struct Layout {
    int   width;                        /* columns, at most 100 are used */
    Color color;
    bool  ascii;                        /* no character beyond ASCII: "→" is "->" */
} Layout;

typedef struct Show Show;
Show  *show_new(Session *session, Err *err);
void   show_free(Show *show);                           /* before its session; NULL is allowed */
Level  show_level(const Show *show);
void   show_set_level(Show *show, Level level);
bool   level_parse(const char *word, Level *level);     /* "off", "brief", "normal", "full" */
/* What the terminal at `fd` can do, from NO_COLOR, TERM, COLORTERM and the locale. */
Layout layout_detect(int fd);

/* A top-level statement has ended: reduces it to rows (kept until the next call or show_cell_begin). */
void   show_statement(Show *show, const Statement *done);
/* The rows of the last statement as text lines with newlines; nothing when there are none or the level is off. */
void   show_text(Show *show, const Layout *layout, Text *text);

/* A notebook's cell: rows of all its statements are collected, and laid out as one card. */
void   show_cell_begin(Show *show, int cell);
bool   show_cell_empty(const Show *show);
void   show_cell_text(Show *show, Text *text);          /* text/plain, 80 columns, no escape */
void   show_cell_html(Show *show, Text *text);          /* text/html */

/* The trace of trace.md: a JSON line for every statement. */
bool   show_trace_open(Show *show, const char *path, Err *err);
void   show_trace_output(Show *show, Stream to, const char *utf8, size_t n);    /* what was printed belongs to the statement */
bool   show_trace_statement(Show *show, const Statement *done, Err *err);       /* false: the file cannot be written */
void   show_trace_close(Show *show);

/*
 * A `%` line or `obj?` (n bytes, as the parser met it): runs it and writes what it shows to `text`; `html`, when not NULL, gets the
 * same for a notebook (left empty where text suffices). An unknown command is an error that names the nearest one.
 */
bool   show_complete(Show *show, const char *text, size_t n, size_t cursor, Completion *found);  /* session_complete, and names of commands */
bool   show_command(Show *show, const char *line, size_t n, const Layout *layout, Text *text, Text *html, Err *err);
#endif
