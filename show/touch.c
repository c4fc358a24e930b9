/* touch.c - which names a statement bound, unbound or wrote: from its events, and what changed without one. */
#include "show/reduce.h"
#include <stdlib.h>
#include <string.h>

bool reduce_inside(const Reduce *r, Place place)
{
    return place.source == r->st->source && place.line >= r->st->line && place.line <= r->st->end_line;
}

bool text_word_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || (c & 0x80);
}

bool text_has_name(const char *text, size_t n, const char *name)
{
    size_t size = strlen(name);
    for (size_t i = 0; text && size && i + size <= n; i++)
        if (memcmp(text + i, name, size) == 0 && !(i && (text_word_char(text[i - 1]) || text[i - 1] == '.'))
            && !(i + size < n && text_word_char(text[i + size])))
            return true;
    return false;
}

static Touch *touch_get(Reduce *r, const char *path, size_t order)
{
    for (size_t i = 0; i < r->touches; i++)
        if (strcmp(r->touch[i].path, path) == 0)
            return &r->touch[i];
    if (r->touches == r->touch_capacity) {
        size_t capacity = r->touch_capacity ? 2 * r->touch_capacity : 16;
        Touch *more = pool_array(r->pool, capacity, sizeof *more);
        if (!more)
            return NULL;
        if (r->touches)
            memcpy(more, r->touch, r->touches * sizeof *more);
        r->touch = more;
        r->touch_capacity = capacity;
    }
    Touch *touch = &r->touch[r->touches++];
    *touch = (Touch){ .path = path, .order = order, .line = r->st->is_compound ? 0 : r->st->line,
                      .old = world_path(r->before, path, strlen(path)), .new = world_path(r->after, path, strlen(path)) };
    return touch;
}

uint64_t name_object(const Name *name)
{
    return name ? name->known->object : 0;
}

/* Has the holder that a path lies in stayed the same object? A name of its own lies in none. */
static bool same_parent(const Reduce *r, const Name *old, const Name *new)
{
    int a = old ? old->parent : -1, b = new ? new->parent : -1;
    if (old && new)
        return a < 0 ? b < 0 : b >= 0 && name_object(&r->before->name[a]) == name_object(&r->after->name[b]);
    if (new && b >= 0)
        return world_path(r->before, r->after->name[b].path, strlen(r->after->name[b].path))
               && name_object(world_path(r->before, r->after->name[b].path, strlen(r->after->name[b].path)))
                  == name_object(&r->after->name[b]);
    if (old && a >= 0)
        return name_object(world_path(r->after, r->before->name[a].path, strlen(r->before->name[a].path)))
               == name_object(&r->before->name[a]);
    return true;
}

/* Is the object in the same holder of the other world, at whatever index? (Moved within a list: no line.) */
static bool still_inside(const World *world, const World *of, const Name *name)
{
    if (name->parent < 0)
        return false;
    uint64_t holder = of->name[name->parent].known->object;
    for (size_t i = 0; i < world->names; i++) {
        const Name *other = &world->name[i];
        if (other->parent >= 0 && other->known->object == name->known->object
            && world->name[other->parent].known->object == holder)
            return true;
    }
    return false;
}

/* One object that is reached by several names: the one that is written in the expression, else the first. */
static const Name *name_of(const Reduce *r, uint64_t object, Place place)
{
    const Name *first = NULL, *said = NULL;
    size_t n = 0;
    const char *text = place.source ? session_place_text(r->show->session, place, &n) : NULL;
    for (size_t i = 0; i < r->after->names; i++) {
        const Name *name = &r->after->name[i];
        if (name->hidden || name->known->object != object)
            continue;
        if (!first)
            first = name;
        if (text && text_has_name(text, n, name->path))
            return name;
        if (!said && text_has_name(r->st->text, r->st->text_size, name->path))
            said = name;
    }
    return said ? said : first;
}

static const Name *name_written(const Reduce *r, const Event *ev)
{
    const Name *name = name_of(r, ev->object, ev->place), *first = NULL;
    if (name && world_object(r->before, ev->object))
        return name;
    for (uint32_t a = 0; a < ev->alias_count; a++) { /* through a view without a name, or made just now */
        uint64_t object = r->record->alias[ev->alias + a];
        const Name *alias = world_object(r->before, object) ? name_of(r, object, ev->place) : NULL;
        if (!alias)
            continue;
        if (text_has_name(r->st->text, r->st->text_size, alias->path))
            return alias;
        if (!first)
            first = alias;
    }
    return first ? first : name;
}

static bool touch_by_events(Reduce *r)
{
    const Record *record = r->record;
    for (size_t i = 0; i < record->count; i++) {
        const Event *ev = &record->event[i];
        const Name *old = NULL, *new = NULL;
        if (ev->kind == EVENT_WRITE) {
            new = name_written(r, ev);
            Touch *touch = new ? touch_get(r, new->path, i) : NULL;
            if (new && !touch)
                return false;
            if (touch) {
                touch->written = true;
                if (!touch->line)
                    touch->line = ev->outer;
            }
        } else if (ev->kind == EVENT_BIND || ev->kind == EVENT_UNBIND) {
            const char *path = record->text + ev->text;
            old = world_path(r->before, path, ev->text_size);
            new = world_path(r->after, path, ev->text_size);
            if ((!old && !new) || !same_parent(r, old, new) ||
                !((old && old->known->holds) || (new &&new->known->holds)))
                continue;
            bool here = reduce_inside(r, ev->place);
            bool again = ev->kind == EVENT_BIND && here && ev->object && ev->object == ev->was &&
                         ev->object == name_object(new);
            if (name_object(old) == name_object(new) && !again)
                continue;
            Touch *touch = touch_get(r, new ? new->path : old->path, i);
            if (!touch)
                return false;
            touch->rebound |= ev->kind == EVENT_BIND;
            if (here) {
                touch->binds += ev->kind == EVENT_BIND;
                touch->line = ev->place.line;
            }
        }
    }
    return true;
}

/* What changed without an event of its own: elements appended, names bound by functions, `_`. */
static bool touch_by_differences(Reduce *r)
{
    size_t near = 0;
    for (size_t i = 0; i < r->after->names; i++) {
        const Name *new = &r->after->name[i], *old = world_path_near(r->before, new->path, &near);
        if (name_object(old) == name_object(new) || !same_parent(r, old, new) ||
            !(new->known->holds || (old && old->known->holds)))
            continue;
        if (new->parent >= 0 && still_inside(r->before, r->after, new))
            continue;
        if (new->hidden &&
            (new->known->object < r->record->first_object || world_holder(r->after, new->known->object)))
            continue;
        bool said = false;      /* the same element of the same holder, reached by another name */
        for (size_t t = 0; t < r->touches && !said; t++)
            said = r->touch[t].new &&name_object(r->touch[t].new) == name_object(new) &&
                   ((new->parent >= 0 && r->touch[t].new->parent >= 0 &&
                     name_object(&r->after->name[new->parent]) ==
                         name_object(&r->after->name[r->touch[t].new->parent])) ||
                    (new->hidden && r->touch[t].new->hidden));
        if (!said && !touch_get(r, new->path, SIZE_MAX))
            return false;
    }
    near = 0;
    for (size_t i = 0; i < r->before->names; i++) {
        const Name *old = &r->before->name[i];
        if (old->hidden || !old->known->holds || world_path_near(r->after, old->path, &near)
            || !same_parent(r, old, NULL) || (old->parent >= 0 && still_inside(r->after, r->before, old)))
            continue;
        if (!touch_get(r, old->path, SIZE_MAX))
            return false;
    }
    return true;
}

static int by_order(const void *a, const void *b)
{
    const Touch *x = a, *y = b;
    return x->order != y->order ? (x->order > y->order) - (x->order < y->order) : strcmp(x->path, y->path);
}

bool touch_all(Reduce *r)
{
    if (!touch_by_events(r) || !touch_by_differences(r))
        return false;
    if (r->touches)
        qsort(r->touch, r->touches, sizeof *r->touch, by_order);
    return true;
}
