/*
 * stage.h - a session played by hand: a test says what names hold and what happened, statement by statement.
 * It defines the few functions of session.h that show/ calls, so that no interpreter is linked.
 */
#ifndef STAGE_H
#define STAGE_H
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "lang/owners.h"
#include "show/rows.h"

enum { STAGE_NAMES = 64 };
typedef struct Prop {                   /* one object on the stage */
    Fact       fact;
    TensorFact tensor;
    int64_t    shape[4], stride[4];
} Prop;
typedef struct Entry { char name[24]; Prop *prop; bool hidden; } Entry;
typedef struct Stage {
    Heap       *heap;
    Record     *record;
    HeapTotals  totals;
    Prop        prop[STAGE_NAMES];
    int         props;
    Entry       entry[STAGE_NAMES];
    int         entries;
    Statement   statement;
    Place       place;                  /* of the events that follow */
    int         called_from;            /* they happen in a function that this line of the statement calls; 0: in itself */
    bool        watched;
    Show       *show;
} Stage;
static Stage stage;

static const uint64_t STAGE_ID = 94086234840960u, STAGE_DATA = 0x5592c0de1b40u;

/* ---- what show/ calls ---- */
typedef struct StageArena { NamedFact name[STAGE_NAMES], hidden[STAGE_NAMES]; } StageArena;
Heap *session_heap(Session *session) { (void)session; return stage.heap; }
void session_watch(Session *session, bool events) { (void)session; stage.watched = events; }
HeapTotals session_totals(const Session *session) { (void)session; return stage.totals; }
void session_reset(Session *session) { (void)session; stage.entries = 0; stage.totals.live = 0; }
bool session_delete(Session *session, const char *name, Err *err)
{
    (void)session;
    return err_set(err, ERR_NAME, "name '%s' is not defined", name);
}
char *session_inspect(Session *session, const char *utf8, size_t n, size_t cursor, int detail)
{
    (void)session, (void)cursor, (void)detail;
    return n == 1 && *utf8 == 'X' ? strdup("X: a tensor") : NULL;
}
Owners *session_owners(Session *session, const char *expression, size_t n, Err *err)
{
    (void)session, (void)expression, (void)n;
    err_set(err, ERR_NAME, "nothing is known of owners here");
    return NULL;
}
void owners_free(Owners *owners) { (void)owners; }
const char *session_place_text(const Session *session, Place place, size_t *n)
{
    (void)session;
    const char *s = stage.statement.text;
    if (place.source != stage.statement.source)
        return NULL;
    for (int line = stage.statement.line; line < place.line; line++)
        s = strchr(s, '\n') + 1;
    *n = (size_t)(place.end_column - place.column);
    return s + place.column;
}
Snapshot *session_snapshot(Session *session, int depth, size_t width)
{
    (void)session, (void)depth, (void)width;
    Snapshot *snapshot = calloc(1, sizeof *snapshot);
    StageArena *arena = calloc(1, sizeof *arena);
    snapshot->arena = (struct Arena *)arena;
    snapshot->name = arena->name;
    snapshot->hidden = arena->hidden;
    for (int i = 0; i < stage.entries; i++) {
        NamedFact named = { stage.entry[i].name, stage.entry[i].prop->fact };
        if (stage.entry[i].hidden)
            arena->hidden[snapshot->hidden_names++] = named;
        else
            arena->name[snapshot->names++] = named;
    }
    return snapshot;
}
Snapshot *session_snapshot_holders(Session *session, int depth, size_t width)
{
    return session_snapshot(session, depth, width);
}
bool session_complete(Session *session, const char *text, size_t n, size_t cursor, Completion *found)
{
    (void)session, (void)text, (void)n, (void)cursor;
    *found = (Completion){ 0 };
    return true;
}
void completion_free(Completion *found) { (void)found; }
void snapshot_free(Snapshot *snapshot)
{
    if (snapshot)
        free(snapshot->arena);
    free(snapshot);
}

/* ---- what a test calls ---- */
static inline void stage_open(Level level)
{
    Err err;
    memset(&stage, 0, sizeof stage);
    stage.heap = heap_new(false, &err);
    stage.record = record_new();
    stage.show = show_new(NULL, &err);
    assert_non_null(stage.show);
    show_set_level(stage.show, level);
    stage.totals.next_object = 2;
    stage.totals.next_storage = 1;
}
static inline void stage_close(void)
{
    show_free(stage.show);
    record_free(stage.record);
    assert_int_equal(mem_count(stage.heap), 0);
    heap_free(stage.heap);
}
/* A float32 tensor over S`storage`, whose block is the `block`-th of 64 bytes; shape and strides end with -1. */
static inline Prop *stage_tensor(uint64_t object, uint64_t storage, int block, const int64_t *shape, const int64_t *stride,
                                 int64_t offset, int id)
{
    Prop *p = &stage.prop[stage.props++];
    *p = (Prop){ .fact = { .kind = FACT_TENSOR, .type = "Tensor", .id = STAGE_ID + 80 * (uint64_t)id, .object = object,
                           .holds_tensor = true } };
    TensorFact *t = &p->tensor;
    *t = (TensorFact){ .storage = storage, .dtype = DT_F32, .shape = p->shape, .stride = p->stride, .offset = offset, .numel = 1,
                       .bytes = 48, .reserved = 64, .block = STAGE_DATA + 64 * (uint64_t)block, .is_leaf = true };
    t->data = t->block + 4 * (uint64_t)offset;
    int64_t dense = 1;
    t->is_contiguous = true;
    while (shape[t->ndim] >= 0) {
        p->shape[t->ndim] = shape[t->ndim];
        p->stride[t->ndim] = stride[t->ndim];
        t->numel *= shape[t->ndim++];
    }
    for (int d = t->ndim - 1; d >= 0; dense *= shape[d--])
        t->is_contiguous &= stride[d] == dense;
    p->fact.tensor = t;
    return p;
}
#define DIMS(...) ((const int64_t[]){ __VA_ARGS__, -1 })

static inline Entry *stage_entry(const char *name)
{
    for (int i = 0; i < stage.entries; i++)
        if (strcmp(stage.entry[i].name, name) == 0)
            return &stage.entry[i];
    return NULL;
}
/* Begins a statement; places of its events are its whole text until stage_at. */
static inline void stage_begin(const char *text, bool compound)
{
    int number = stage.statement.number + 1, lines = 1;
    for (const char *s = text; *s; s++)
        lines += *s == '\n';
    stage.statement = (Statement){ .number = number, .line = 1, .end_line = lines, .source = 1, .text = text,
                                   .text_size = strlen(text), .is_compound = compound, .record = stage.record };
    record_reset(stage.record, stage.totals.live, stage.totals.next_storage, stage.totals.next_object, 0);
    stage.place = (Place){ 1, 1, 0, 1, (int32_t)strcspn(text, "\n") };
}
/* The events that follow come from `part` of the text, which stands on `line`. */
static inline void stage_at(int line, const char *part)
{
    const char *s = stage.statement.text;
    for (int i = 1; i < line; i++)
        s = strchr(s, '\n') + 1;
    const char *at = strstr(s, part);
    assert_non_null(at);
    stage.place = (Place){ 1, line, (int32_t)(at - s), line, (int32_t)(at - s + (long)strlen(part)) };
}
static inline Event *stage_event(EventKind kind)
{
    Event *ev = record_add(stage.record, kind);
    ev->place = stage.place;
    ev->called = stage.called_from || stage.place.source != stage.statement.source;
    ev->outer = stage.called_from ? stage.called_from : ev->called ? stage.statement.line : stage.place.line;
    return ev;
}
static inline void stage_alloc(uint64_t storage, int block, uint64_t was)
{
    Event *ev = stage_event(EVENT_ALLOC);
    ev->storage = storage;
    ev->bytes = 48;
    ev->reserved = 64;
    ev->address = STAGE_DATA + 64 * (uint64_t)block;
    ev->was = was;
    ev->origin = was ? ORIGIN_CACHE : ORIGIN_SYSTEM;
    stage.record->allocated += 48;
    stage.record->allocations++;
    stage.totals.live += 48;
    if (was)
        stage.totals.cached -= 64;
    if (stage.totals.live > stage.record->peak) {
        stage.record->peak = stage.totals.live;
        stage.record->peak_line = ev->outer;
    }
    stage.totals.next_storage = storage + 1;
}
static inline void stage_free(uint64_t storage, int block)
{
    Event *ev = stage_event(EVENT_FREE);
    ev->storage = storage;
    ev->bytes = 48;
    ev->reserved = 64;
    ev->address = STAGE_DATA + 64 * (uint64_t)block;
    ev->origin = ORIGIN_CACHE;
    stage.record->freed += 48;
    stage.record->frees++;
    stage.totals.live -= 48;
    stage.totals.cached += 64;
}
static inline void stage_bind(const char *name, Prop *prop)
{
    Entry *entry = stage_entry(name);
    Event *ev = stage_event(EVENT_BIND);
    record_text(stage.record, ev, name, strlen(name));
    ev->object = prop->fact.object;
    ev->was = entry ? entry->prop->fact.object : 0;
    if (!entry) {
        entry = &stage.entry[stage.entries++];
        strcpy(entry->name, name);
    }
    entry->prop = prop;
    if (prop->fact.object >= stage.totals.next_object)
        stage.totals.next_object = prop->fact.object + 1;
}
static inline void stage_unbind(const char *name)
{
    Entry *entry = stage_entry(name);
    Event *ev = stage_event(EVENT_UNBIND);
    record_text(stage.record, ev, name, strlen(name));
    ev->was = entry->prop->fact.object;
    memmove(entry, entry + 1, (size_t)(&stage.entry[--stage.entries] - entry) * sizeof *entry);
}
static inline void stage_write(Prop *prop, Prop *alias, Prop *other)
{
    Event *ev = stage_event(EVENT_WRITE);
    ev->object = prop->fact.object;
    ev->storage = prop->tensor.storage;
    for (int i = 0; i < stage.props; i++)
        if (stage.prop[i].tensor.storage == ev->storage)
            ev->version = ++stage.prop[i].tensor.version;
    if (alias)
        record_alias(stage.record, ev, alias->fact.object);
    if (other)
        record_alias(stage.record, ev, other->fact.object);
}
/* Ends it; the lines that it shows. */
static inline char *stage_show(const Layout *layout, Text *text)
{
    size_t before = stage.show->in_cell ? stage.show->count : 0;
    show_statement(stage.show, &stage.statement);
    if (stage.show->count > before) {   /* the bytes of all rows add up to the change of live bytes */
        const Rows *rows = stage.show->rows[stage.show->count - 1];
        int64_t sum = 0;
        for (size_t i = 0; i < rows->rows; i++)
            sum += row_bytes(&rows->row[i]);
        assert_int_equal(sum, stage.record->allocated - stage.record->freed);
    }
    text_free(text);
    show_text(stage.show, layout, text);
    char *shown = text_end(text);
    assert_non_null(shown);
    return shown;
}
#endif
