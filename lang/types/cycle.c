/*
 * cycle.c - finds what only reference cycles keep alive, and lets go of it.
 * Trial deletion as CPython's collector does it (N. Schemenauer, 2000): the references that objects have from each other are
 * subtracted from their counts; what is left over is held from outside, and what that reaches lives. The rest is garbage: its
 * edges are cut, and the counts do the freeing.
 */
#include "lang/run/class.h"
#include "lang/types/rows.h"
#include <stdlib.h>
#include <string.h>

typedef struct Found { Object *object; int64_t outside; bool reached; } Found;
typedef struct Collector {
    Visitor visitor;                    /* first: edges are given to it */
    Found  *found;                      /* sorted by address */
    size_t  n, capacity;
    size_t *todo, todos;                /* reached, its own edges not followed yet */
    bool    failed;
} Collector;

static bool can_hold(const Object *object)
{
    return object->type != TYPE_STORAGE && type_rows[object->type] && type_rows[object->type]->visit;
}

static void add(void *to, Object *object)
{
    Collector *c = to;
    if (c->failed || !can_hold(object))
        return;
    if (c->n == c->capacity) {
        size_t capacity = c->capacity ? 2 * c->capacity : 1024;
        Found *found = realloc(c->found, capacity * sizeof *found);
        if (!found) {
            c->failed = true;
            return;
        }
        c->found = found;
        c->capacity = capacity;
    }
    c->found[c->n++] = (Found){ object, object->count, false };
}

static int by_address(const void *a, const void *b)
{
    uintptr_t x = (uintptr_t)((const Found *)a)->object, y = (uintptr_t)((const Found *)b)->object;
    return (x > y) - (x < y);
}

static Found *find(const Collector *c, Value v)
{
    if (value_tag(v) != V_OBJECT)
        return NULL;
    Found key = { v.object, 0, false };
    return c->n ? bsearch(&key, c->found, c->n, sizeof key, by_address) : NULL;
}

static void subtract(Visitor *visitor, Value to, const char *kind, const char *name, int64_t index)
{
    Found *found = find((Collector *)visitor, to);
    (void)kind, (void)name, (void)index;
    if (found)
        found->outside--;
}

static void reach(Visitor *visitor, Value to, const char *kind, const char *name, int64_t index)
{
    Collector *c = (Collector *)visitor;
    Found *found = find(c, to);
    (void)kind, (void)name, (void)index;
    if (found && !found->reached) {
        found->reached = true;
        c->todo[c->todos++] = (size_t)(found - c->found);
    }
}

static void replace(void *place)
{
    Object **object = place, *old = *object;
    *object = NULL;
    if (old)
        object_release(old);
}

/* Lets go of what a piece of garbage holds, in place. The object itself stays until its count falls. */
static void cut(Session *s, Object *object)
{
    (void)s;
    switch (object->type) {
    case TYPE_LIST: {
        List *list = (List *)object;
        while (list->n)
            value_release(list->item[--list->n]);
        break;
    }
    case TYPE_DICT: case TYPE_SET: dict_clear((Dict *)object); break;
    case TYPE_CELL: value_replace(&((Cell *)object)->value, value_unset()); break;
    case TYPE_INSTANCE: replace(&((Instance *)object)->dict); break;
    case TYPE_CLASS: dict_clear(((Class *)object)->dict); break;
    case TYPE_GENERATOR: generator_cut(object); break;
    case TYPE_FUNCTION: {
        Function *f = (Function *)object;
        if (f->closure && f->closure->n)
            for (int64_t k = 0; k < f->closure->n; k++)
                value_replace(&((Cell *)f->closure->item[k].object)->value, value_unset());
        replace(&f->dict);
        break;
    }
    case TYPE_EXCEPTION: {
        Exception *e = (Exception *)object;
        replace(&e->trace);
        replace(&e->dict);
        value_replace(&e->context, value_unset());
        value_replace(&e->cause, value_unset());
        break;
    }
    case TYPE_TENSOR: {
        void *extra = tensor_extra((Tensor *)object);
        tensor_set_extra((Tensor *)object, NULL);
        if (extra)
            object_release(extra);
        break;
    }
    default: break;                     /* a tuple, a method …: what it is in is cut elsewhere */
    }
}

int64_t cycle_collect(Session *s)
{
    enum { AT_LEAST = 64 << 20 };       /* bytes that come in between two collections */
    Collector c = { .visitor = { subtract } };
    int64_t before = (int64_t)s->heap->totals.objects;
    heap_each_object(s->heap, add, &c);
    if (!c.failed && c.n && (c.todo = malloc(c.n * sizeof *c.todo))) {
        qsort(c.found, c.n, sizeof *c.found, by_address);
        for (size_t k = 0; k < c.n; k++)
            type_rows[c.found[k].object->type]->visit(c.found[k].object, &c.visitor);
        c.visitor.edge = reach;
        for (size_t k = 0; k < c.n; k++)
            if (c.found[k].outside > 0 && !c.found[k].reached) {
                c.found[k].reached = true;
                c.todo[c.todos++] = k;
            }
        while (c.todos) {
            Object *object = c.found[c.todo[--c.todos]].object;
            type_rows[object->type]->visit(object, &c.visitor);
        }
        for (size_t k = 0; k < c.n; k++)
            if (!c.found[k].reached)
                c.found[k].object->count++;             /* nobody goes while the others are cut */
        for (size_t k = 0; k < c.n; k++)
            if (!c.found[k].reached)
                cut(s, c.found[k].object);
        for (size_t k = 0; k < c.n; k++)
            if (!c.found[k].reached)
                object_release(c.found[k].object);
    }
    free(c.todo);
    free(c.found);
    int64_t live = s->heap->totals.live;
    s->collect_at = live + (live / 2 > AT_LEAST ? live / 2 : AT_LEAST);
    return before - (int64_t)s->heap->totals.objects;
}
