/* reduce.h - what verdict.c, notes.c and tally.c share while one statement is reduced to rows. */
#ifndef SHOW_REDUCE_H
#define SHOW_REDUCE_H
#include "show/rows.h"

typedef struct Block {                  /* a storage that this statement can have something to say about */
    uint64_t storage, data;
    int64_t  bytes, reserved;
    Device   device;
    bool     made, freed;               /* in this statement */
    bool     claimed;                   /* a row has its bytes */
    Origin   to;
    const Event *alloc;
} Block;

typedef struct Touch {                  /* a name or target that the statement bound, unbound or wrote */
    const char *path;
    const Name *old, *new;              /* what it was and is; NULL: nothing with tensors */
    size_t order;                       /* of its first event */
    size_t binds;
    int    line;
    bool   written;
    bool   rebound;                     /* there was a bind of its own, even to the same object */
} Touch;

typedef struct Reduce {
    Show  *show;
    const Statement *st;
    const Record *record;
    const World *before, *after;
    Rows  *rows;
    Pool  *pool;
    Block *block;
    size_t blocks;
    Touch *touch;
    size_t touches, touch_capacity;
} Reduce;

/* verdict.c */
Block *reduce_block(Reduce *r, uint64_t storage);       /* NULL: unknown */
Spot   reduce_spot(Reduce *r, uint64_t storage, uint64_t data, SpotKind kind);
/* touch.c */
bool   touch_all(Reduce *r);                            /* in program order; false: no memory */
bool   reduce_inside(const Reduce *r, Place place);     /* in the statement's own text */
uint64_t name_object(const Name *name);                 /* 0 for NULL */
bool   text_word_char(char c);
bool   text_has_name(const char *text, size_t n, const char *name);     /* as a whole word */
/* notes.c: adds the notes of a row whose object is named by `touch` now. */
void   notes_new(Reduce *r, Row *row, const Touch *touch);
void   notes_view(Reduce *r, Row *row, const Touch *touch);
void   notes_alias(Reduce *r, Row *row, const Touch *touch);
void   notes_in_place(Reduce *r, Row *row, const Touch *touch);
void   notes_same(Reduce *r, Row *row, const Touch *touch);
void   notes_holder(Reduce *r, Row *row, const Touch *touch);
void   notes_gone(Reduce *r, Row *row, const Touch *touch);
void   notes_words(Reduce *r, Row *row, WordId id, const char *a, const char *b, const char *c);
/* The place's text on one line; empty when unknown. */
void   place_text(const Reduce *r, Place place, Text *text);
/* tally.c: a statement that did the same thing many times is summed up line by line. */
bool   tally_needed(const Reduce *r);
bool   tally_rows(Reduce *r);                           /* after the rows of the touches; false: no memory */
#endif
