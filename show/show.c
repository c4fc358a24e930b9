/* show.c - the Show of a session: what is kept from one statement to the next, and when it is worth looking. */
#include "show/past.h"
#include <string.h>

Show *show_new(Session *session, Err *err)
{
    Heap *heap = session_heap(session);
    Show *show = mem_new(heap, sizeof *show);
    if (!show) {
        err_memory(err, sizeof *show);
        return NULL;
    }
    *show = (Show){ .session = session, .heap = heap };
    show_set_level(show, LEVEL_NORMAL);
    return show;
}

static void drop_rows(Show *show)
{
    for (size_t i = 0; i < show->count; i++)
        rows_free(show->heap, show->rows[i]);
    show->count = 0;
}

void show_free(Show *show)
{
    if (!show)
        return;
    show_trace_close(show);
    drop_rows(show);
    past_free(show->past);
    world_free(show->world);
    mem_free(show->heap, show->rows);
    mem_free(show->heap, show->palette.painted);
    mem_free(show->heap, show->timeline.moment);
    mem_free(show->heap, show);
}

Level show_level(const Show *show)
{
    return show->level;
}

/* Without lines and without a trace nobody asks for events, and nothing is looked at. */
void show_set_level(Show *show, Level level)
{
    bool starts = show->level == LEVEL_OFF && level != LEVEL_OFF;
    show->level = level;
    session_watch(show->session, level != LEVEL_OFF || show->trace != NULL);
    if (starts || level == LEVEL_OFF) {
        world_free(show->world);
        show->world = level == LEVEL_OFF ? NULL : world_new(show->session);
        if (show->world)
            palette_update(show, show->world);
        past_free(show->past);
        show->past = show->world ? past_new(show, show->last_statement) : NULL;
    }
}

static void remember_ids(Show *show, const World *after)
{
    for (size_t i = 0; show->world && i < show->world->objects; i++) {
        const Known *old = show->world->object[i];
        if (!world_object(after, old->object))
            show->former[show->formers++ % FORMER_IDS] = (Former){ old->id, old->object };
    }
}

static bool keep_rows(Show *show, Rows *rows)
{
    if (show->count == show->capacity) {
        size_t capacity = show->capacity ? 2 * show->capacity : 8;
        Rows **more = mem_resize(show->heap, show->rows, capacity * sizeof *more);
        if (!more)
            return false;
        show->rows = more;
        show->capacity = capacity;
    }
    show->rows[show->count++] = rows;
    return true;
}

void show_statement(Show *show, const Statement *done)
{
    if (!show->in_cell)
        drop_rows(show);
    show->cell_statements++;
    show->last_statement = done->number > show->last_statement ? done->number : show->last_statement;
    show->shown_at = 0;
    if (show->level == LEVEL_OFF || !done->record)
        return;
    World *after = world_new(show->session);
    if (!after) {
        world_free(show->world);
        show->world = NULL;
        return;
    }
    if (!show->world) {                 /* no memory the last time: what was before is not known */
        show->world = after;
        return;
    }
    Rows *rows = rows_reduce(show, done, show->world, after);
    if (rows)
        timeline_note(show, done, rows);
    if (rows && (!rows->rows || !keep_rows(show, rows)))
        rows_free(show->heap, rows);
    remember_ids(show, after);
    if (show->past)
        past_note(show->past, done, show->world, after);
    world_free(show->world);
    show->world = after;
}

void show_cell_begin(Show *show, int cell)
{
    (void)cell;
    drop_rows(show);
    show->in_cell = true;
    show->cell_statements = 0;
}

bool show_cell_empty(const Show *show)
{
    return show->level == LEVEL_OFF || !show->count;
}
