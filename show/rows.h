/*
 * rows.h - what show/ knows between two statements (a World) and what it has to say about one (Rows).
 * Both are plain data in a Pool: nothing in them points into the session. verdict.c makes rows, text.c and
 * html.c lay them out.
 */
#ifndef SHOW_ROWS_H
#define SHOW_ROWS_H
#include "show/show.h"
#include "show/words.h"

/* ---- pools: memory that is freed at once -------------------------------------------------------------- */
typedef struct Pool Pool;
Pool *pool_new(Heap *heap);                             /* NULL: no memory */
void  pool_free(Pool *pool);                            /* NULL is allowed */
void *pool_get(Pool *pool, size_t bytes);               /* cleared; NULL: no memory */
void *pool_array(Pool *pool, size_t count, size_t size);
char *pool_text(Pool *pool, const char *utf8, size_t n);        /* a copy, terminated */
char *pool_take(Pool *pool, Text *text);                /* a copy of a text, which is freed; NULL if it failed */

/* ---- the world: what names hold, flattened to paths like "net.weight" and "L[0]" ----------------------- */
typedef struct Known {                  /* one object: a tensor, or a holder (list, tuple, dict, instance) */
    uint64_t object, id;
    bool     is_tensor, holds;          /* holds: it is a tensor, or one is inside */
    const char *type;
    size_t   items;
    /* tensors */
    uint64_t storage, data, block;
    DType    dtype;
    Device   device;
    int      ndim;
    int64_t *shape, *stride;
    int64_t  offset, numel, version, bytes, reserved;
    bool     requires_grad, is_contiguous;
    const void *bytes_now;              /* of the whole storage, on the CPU: borrowed until the session runs again; or NULL */
} Known;

typedef struct Name {
    const char  *path;
    const Known *known;
    int          parent;                /* the Name of the holder it is in; -1: a name of its own */
    int          end;                   /* one past the last Name that lies inside it */
    bool         hidden;                /* "_", "Out[3]", "last error" */
} Name;

typedef struct World {
    Pool         *pool;                 /* owned; everything lies in it */
    Name         *name;
    size_t        names, capacity;
    const Known **object;               /* by serial, each once */
    size_t        objects;
} World;
World       *world_new(Session *session);               /* NULL: no memory */
void         world_free(World *world);                  /* NULL is allowed */
const Known *world_object(const World *world, uint64_t object);         /* NULL: no name reaches it */
const Name  *world_path(const World *world, const char *path, size_t n);
/* The same, looked for from *near on, which moves along: two worlds have most names in one order. */
const Name  *world_path_near(const World *world, const char *path, size_t *near);
const Name  *world_holder(const World *world, uint64_t object);         /* its first name that is not hidden */

/* ---- rows --------------------------------------------------------------------------------------------- */
typedef enum Verdict {                  /* as the first words of words.def */
    VERDICT_NEW, VERDICT_VIEW, VERDICT_ALIAS, VERDICT_IN_PLACE, VERDICT_SAME, VERDICT_FREED, VERDICT_UNBOUND,
    VERDICT_TEMPORARY, VERDICT_REFUSED, VERDICTS
} Verdict;

typedef enum SpotKind { SPOT_LIVE, SPOT_LEFT, SPOT_TEMPORARY } SpotKind;
typedef struct Spot {                   /* where bytes lie; storage 0: none */
    uint64_t storage, data;             /* data 0: no address is shown */
    SpotKind kind;
    int      color;                     /* 0 to 6 */
    int64_t  bytes, reserved;
    Device   device;
} Spot;

typedef struct Note { const char *full, *brief; } Note; /* brief: where the full one does not fit; or NULL */
enum { ROW_NOTES = 10, ROW_CHIPS = 5 };

typedef struct Row {
    const char *name;                   /* "" for what came and went */
    Verdict  verdict;
    uint64_t old_object, object;        /* 0: none */
    bool     stays, gone;               /* the object */
    Spot     from, to;                  /* from.storage 0: it did not move */
    bool     spot_stays;
    Spot     chip[ROW_CHIPS];           /* of a holder: the first storages inside */
    int      chips;
    const char *in_words;               /* in place of a spot; or NULL */
    Note     note[ROW_NOTES];           /* the most important first */
    int      notes;
    uint64_t old_id, id, old_data, data;        /* for the second line; 0: none */
    uint64_t id_was;                    /* serial of the dead object that had this id; 0: none */
    const char *stride;                 /* texts of level full; or NULL */
    int64_t  offset, version;
    bool     has_facts;                 /* offset and version count */
    int64_t  plus, minus;               /* bytes that came and went */
    bool     both;                      /* shown apart: "+48 −48 B" */
    int      line;                      /* of the source; 0: unknown */
} Row;

typedef struct Rows {
    Pool   *pool;                       /* owned */
    Row    *row;
    size_t  rows, capacity;
    const char *source;                 /* the statement's text */
    size_t  source_size;
    int     line, end_line;
    bool    is_compound;
    uint64_t turns;                     /* of a loop; 0: not known */
    const char *totals;                 /* of a loop: "9,600 B allocated, …"; or NULL */
    int64_t live, peak, cached, change;
    int     peak_line;
} Rows;

/* Which storage has which colour: the one that has been free longest is given next. */
typedef struct Painted { uint64_t storage; int color; } Painted;
typedef struct Palette {
    Painted *painted;                   /* owned; by serial */
    size_t   count, capacity;
    uint64_t clock, free_since[7];
    size_t   used[7];
} Palette;
enum { PALETTE_COLORS = 7 };

/* Ids of objects that died, to say whose id this was. */
enum { FORMER_IDS = 256 };
typedef struct Former { uint64_t id, object; } Former;

/* What %timeline remembers of a statement, or of several neighbours. */
typedef struct Moment {
    int      number;                    /* of the first */
    int64_t  statements;
    bool     failed;
    Verdict  verdict;                   /* of its first row; VERDICTS: none */
    int64_t  live, peak, cached;
    char     source[64];                /* the beginning of its text */
} Moment;
typedef struct Timeline { Moment *moment; size_t count, capacity; int last; } Timeline;      /* owned; last: number of the latest */

struct Show {
    Session *session;                   /* borrowed */
    Heap    *heap;                      /* borrowed */
    Level    level;
    Language language;
    World   *world;                     /* owned: after the last statement; NULL when nobody watched */
    Rows   **rows;                      /* owned: of the cell, or the last statement's alone */
    size_t   count, capacity;
    size_t   cell_statements;           /* how many statements ran in it, with lines or without */
    bool     in_cell;
    Palette  palette;
    Former   former[FORMER_IDS];
    size_t   formers;
    Timeline timeline;
    struct Past *past;            /* owned: what was after each statement; NULL when nobody watches */
    int      last_statement;            /* its number */
    int      shown_at;                  /* the statement that %at and %back went to; 0: now */
    struct Trace *trace;                /* owned; NULL: none is open */
};

int  palette_color(const Palette *palette, uint64_t storage);   /* -1: it has none */
/* Gives colours to storages of the world that have none, and takes back those of storages that are gone. */
bool palette_update(Show *show, const World *world);

/* Makes the rows of a statement (empty for one that merely read). NULL: no memory. rows_free takes NULL. */
Rows *rows_reduce(Show *show, const Statement *done, const World *before, const World *after);
void  rows_free(Heap *heap, Rows *rows);
Row  *rows_add(Rows *rows, Verdict verdict, const char *name);          /* NULL: no memory */
/* Adds a note; takes over what was written to `text`. */
void  row_note(Rows *rows, Row *row, Text *text);

/* ---- what text.c and html.c share ---------------------------------------------------------------------- */
/* How many hexadecimal digits tell apart the data addresses of all rows, 4 at least. */
int  rows_address_digits(Rows *const *rows, size_t count);
int64_t row_bytes(const Row *row);
void row_bytes_text(const Row *row, Text *text);
/* A line of the statement's source, without its indentation when `flat`; NULL: it has no such line. */
const char *rows_source_line(const Rows *rows, int line, size_t *n);
void text_cut_name(Text *text, const char *name);               /* at most 12 columns, "…" in the middle */
/* The items of a row's second line that stand beside the notes: id, data, and more at level full. */
enum { ROW_ITEMS = 6 };
int  row_items(const Row *row, Level level, Language language, Text item[ROW_ITEMS]);
enum { ROWS_LIMIT = 12 };
/* Says "and 30 more: 28 new, 2 in place, +1,440 B" about rows from `first` on; false: there are none. */
bool rows_rest(Rows *const *rows, size_t count, size_t first, Language language, Text *text);
/* The foot of a cell: live, peak, cache; the change is apart. */
typedef struct Foot { int64_t live, peak, cached, change; int peak_line; } Foot;
Foot rows_foot(Rows *const *rows, size_t count);

/* Remembers the statement when it had rows or failed. */
void timeline_note(Show *show, const Statement *done, const Rows *rows);
/* %who and %timeline in both forms. html may be NULL. */
bool show_timeline(Show *show, const Layout *layout, Text *text, Text *html, Err *err);
/* The beginning of a statement's text; NULL: it is not remembered alone. */
const char *timeline_source(const Timeline *timeline, int number);
/* %map and %at: what is where, now or after a statement. The drawing in `html` is SVG. */
bool show_map(Show *show, const char *names, const Layout *layout, Text *text, Text *html, Err *err);
/* %why: of the tensor that the expression `name` gives. */
bool show_why(Show *show, const char *name, const Layout *layout, Text *text, Text *html, Err *err);
bool show_at(Show *show, int number, const Layout *layout, Text *text, Text *html, Err *err);
bool show_who(Show *show, const Layout *layout, Text *text, Text *html, Err *err);
/* Parts of a line, for %who: a chip with its blanks, and text in a style. */
void html_text(Text *html, const char *utf8, size_t n);         /* escaped; bold marks become <b> */
void html_chip(Text *html, const Spot *spot);
const char *storage_ground(int color);                          /* "#0072B2"; what is written on it: */
const char *storage_ink(int color);

/* text.c: characters as the layout can show them (ASCII, colours), and columns counted. */
typedef struct Line { Text *out; const Layout *layout; int column; } Line;
typedef enum Style { STYLE_PLAIN, STYLE_BOLD, STYLE_FAINT } Style;
void line_put(Line *line, Style style, const char *utf8);
void line_cut(Line *line, Style style, const char *utf8, int room);     /* at most `room` columns; what is longer ends in "…" */
void line_to(Line *line, int column, int gap);          /* blanks up to a column, at least `gap` of them */
void line_chip(Line *line, const Spot *spot);           /* with one blank on each side, in colour or not */
void line_paint(Line *line, int color, const char *utf8);       /* on a storage's colour, where there are 256; color -1: plain */
void line_end(Line *line);
int  line_width(const Layout *layout, const char *utf8);        /* as line_put will draw it */
#endif
