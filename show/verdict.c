/* verdict.c - the events of a statement, with the world before and after it, reduced to rows. */
#include "show/reduce.h"
#include <stdlib.h>
#include <string.h>

Row *rows_add(Rows *rows, Verdict verdict, const char *name)
{
    if (rows->rows == rows->capacity) {
        size_t capacity = rows->capacity ? 2 * rows->capacity : 8;
        Row *more = pool_array(rows->pool, capacity, sizeof *more);
        if (!more)
            return NULL;
        if (rows->rows)
            memcpy(more, rows->row, rows->rows * sizeof *more);
        rows->row = more;
        rows->capacity = capacity;
    }
    Row *row = &rows->row[rows->rows++];
    *row = (Row){ .verdict = verdict, .name = name };
    return row;
}

void row_note(Rows *rows, Row *row, Text *text)
{
    const char *s = row->notes < ROW_NOTES ? pool_take(rows->pool, text) : NULL;
    text_free(text);
    if (s)
        row->note[row->notes++] = (Note){ .full = s };
}

void rows_free(Heap *heap, Rows *rows)
{
    if (!rows)
        return;
    pool_free(rows->pool);
    mem_free(heap, rows);
}

/* ---- storages ---- */
static int by_storage(const void *a, const void *b)
{
    uint64_t x = ((const Block *)a)->storage, y = ((const Block *)b)->storage;
    return (x > y) - (x < y);
}

Block *reduce_block(Reduce *r, uint64_t storage)
{
    Block key = { .storage = storage };
    return r->blocks ? bsearch(&key, r->block, r->blocks, sizeof key, by_storage) : NULL;
}

static bool find_blocks(Reduce *r)
{
    const Record *record = r->record;
    size_t most = r->before->objects + r->after->objects + record->count;
    if (!(r->block = pool_array(r->pool, most, sizeof *r->block)))
        return false;
    const World *worlds[2] = { r->before, r->after };
    for (int w = 0; w < 2; w++)
        for (size_t i = 0; i < worlds[w]->objects; i++) {
            const Known *k = worlds[w]->object[i];
            if (k->is_tensor)
                r->block[r->blocks++] = (Block){ .storage = k->storage, .data = k->block, .bytes = k->bytes,
                                                 .reserved = k->reserved, .device = k->device };
        }
    for (size_t i = 0; i < record->count; i++) {
        const Event *ev = &record->event[i];
        if (ev->kind == EVENT_ALLOC || ev->kind == EVENT_FREE)
            r->block[r->blocks++] = (Block){ .storage = ev->storage,
                                             .data = ev->address,
                                             .bytes = ev->bytes,
                                             .reserved = ev->reserved,
                                             .device = { ev->device, ev->device_index } };
    }
    qsort(r->block, r->blocks, sizeof *r->block, by_storage);
    size_t kept = 0;
    for (size_t i = 0; i < r->blocks; i++)
        if (!kept || r->block[kept - 1].storage != r->block[i].storage)
            r->block[kept++] = r->block[i];
    r->blocks = kept;
    for (size_t i = 0; i < kept; i++)
        r->block[i].made = r->block[i].storage >= record->first_storage;
    for (size_t i = 0; i < record->count; i++) {
        const Event *ev = &record->event[i];
        Block *block = ev->kind == EVENT_ALLOC || ev->kind == EVENT_FREE ? reduce_block(r, ev->storage) : NULL;
        if (!block)
            continue;
        if (ev->kind == EVENT_ALLOC) {
            block->alloc = ev;
            block->bytes = ev->bytes;
            block->reserved = ev->reserved;
        } else {
            block->freed = true;
            block->to = (Origin)ev->origin;
        }
    }
    return true;
}

Spot reduce_spot(Reduce *r, uint64_t storage, uint64_t data, SpotKind kind)
{
    const Block *block = reduce_block(r, storage);
    Spot spot = {
        .storage = storage, .data = data, .kind = kind, .color = palette_color(&r->show->palette, storage)
    };
    if (block) {
        spot.bytes = block->bytes;
        spot.reserved = block->reserved;
        spot.device = block->device;
        if (!data)
            spot.data = block->data;
    }
    return spot;
}

/* ---- rows ---- */
static void facts(Reduce *r, Row *row, const Known *k)
{
    row->id = k->id;
    for (size_t i = 0; i < r->show->formers && i < FORMER_IDS; i++)
        if (r->show->former[i].id == k->id && r->show->former[i].object > row->id_was
            && r->show->former[i].object < k->object)
            row->id_was = r->show->former[i].object;
    for (size_t i = 0; i < r->before->objects; i++)
        if (r->before->object[i]->id == k->id && r->before->object[i]->object < k->object)
            row->id_was = r->before->object[i]->object;
    if (!k->is_tensor)
        return;
    row->data = k->data;
    row->has_facts = true;
    row->offset = k->offset;
    row->version = k->version;
    Text stride = { 0 };
    text_strides(&stride, k->type, k->dtype, k->ndim, k->stride);
    row->stride = pool_take(r->pool, &stride);
}

static bool row_freed(Reduce *r, Block *block, const char *held_by)
{
    if (!block || !block->freed || block->claimed || block->made)
        return true;
    Row *row = rows_add(r->rows, VERDICT_FREED, "");
    if (!row)
        return false;
    block->claimed = true;
    row->to = reduce_spot(r, block->storage, 0, SPOT_LEFT);
    row->minus = block->bytes;
    notes_words(r, row, block->to == ORIGIN_CACHE ? WORD_TO_CACHE : WORD_TO_SYSTEM, NULL, NULL, NULL);
    if (held_by)
        notes_words(r, row, WORD_WAS_IN, held_by, NULL, NULL);
    return true;
}

static void add_chip(Reduce *r, Row *row, uint64_t storage, SpotKind kind)
{
    for (int c = 0; c < row->chips; c++)
        if (row->chip[c].storage == storage)
            return;
    if (row->chips < ROW_CHIPS) {
        row->chip[row->chips] = reduce_spot(r, storage, 0, kind);
        row->chip[row->chips++].data = 0;
    }
}

/* The name is gone, or holds nothing with tensors any more. */
static bool row_gone(Reduce *r, const Touch *touch, bool detail)
{
    const Known *old = touch->old->known;
    Row *row = rows_add(r->rows, VERDICT_UNBOUND, touch->path);
    if (!row)
        return false;
    row->line = touch->line;
    row->object = old->object;
    bool dropped = !world_object(r->after, old->object);
    row->gone = dropped;
    for (const Name *in = touch->old; in < r->before->name + touch->old->end; in++) {
        Block *block = in->known->is_tensor ? reduce_block(r, in->known->storage) : NULL;
        if (!block)
            continue;
        bool dead = block->freed && !block->made;
        if (old->is_tensor)
            row->to = reduce_spot(r, block->storage, in->known->data, dead ? SPOT_LEFT : SPOT_LIVE);
        else
            add_chip(r, row, block->storage, dead ? SPOT_LEFT : SPOT_LIVE);
        if (!dead || block->claimed)
            continue;
        row->verdict = VERDICT_FREED;
        if (detail) {
            block->claimed = true;
            row->minus += block->bytes;
        }
        if (!row->notes)
            notes_words(r, row, block->to == ORIGIN_CACHE ? WORD_TO_CACHE : WORD_TO_SYSTEM, NULL, NULL, NULL);
    }
    if (row->verdict == VERDICT_UNBOUND) {
        row->gone = row->gone && old->is_tensor && world_holder(r->before, old->object) == touch->old;
        notes_gone(r, row, touch);
    }
    return true;
}

static bool row_bound(Reduce *r, size_t at, bool detail)
{
    const Touch *touch = &r->touch[at];
    const Known *k = touch->new->known, *old = touch->old ? touch->old->known : NULL;
    bool alias = k->object < r->record->first_object;
    for (size_t t = 0; t < at && !alias; t++)
        alias = name_object(r->touch[t].new) == k->object;
    Block *block = k->is_tensor ? reduce_block(r, k->storage) : NULL;
    Row *row = rows_add(r->rows, alias ? VERDICT_ALIAS : VERDICT_NEW, touch->path);
    if (!row)
        return false;
    row->line = touch->line;
    row->object = k->object;
    facts(r, row, k);
    if (old && old->holds) {
        row->old_object = old->object;
        row->old_id = old->id;
    }
    if (!k->is_tensor) {
        for (const Name *in = touch->new; in < r->after->name + touch->new->end; in++) {
            Block *inner = in->known->is_tensor ? reduce_block(r, in->known->storage) : NULL;
            if (!inner)
                continue;
            add_chip(r, row, inner->storage, SPOT_LIVE);
            if (detail && inner->made && !inner->claimed && !inner->freed) {
                inner->claimed = true;
                row->plus += inner->bytes;
            }
        }
        if (alias)
            notes_alias(r, row, touch);
        notes_holder(r, row, touch);
        return true;
    }
    row->to = reduce_spot(r, k->storage, k->data, SPOT_LIVE);
    if (old && old->is_tensor) {
        if (old->storage != k->storage || old->data != k->data) {
            row->from = reduce_spot(r, old->storage, old->data, SPOT_LEFT);
            row->old_data = old->data;
        } else
            row->spot_stays = true;
    }
    bool fresh = block && block->made && !block->claimed;
    if (!alias && !fresh)
        row->verdict = VERDICT_VIEW;
    if (fresh && !alias) {
        block->claimed = true;
        if (detail)
            row->plus = block->bytes;
    }
    if (alias)
        notes_alias(r, row, touch);
    else if (fresh)
        notes_new(r, row, touch);
    else
        notes_view(r, row, touch);
    return true;
}

static bool row_kept(Reduce *r, const Touch *touch)
{
    const Known *k = touch->new->known;
    if (!touch->written && !touch->rebound)
        return true;
    Row *row = rows_add(r->rows, touch->written ? VERDICT_IN_PLACE : VERDICT_SAME, touch->path);
    if (!row)
        return false;
    row->line = touch->line;
    row->object = k->object;
    row->stays = touch->written;
    facts(r, row, k);
    row->id_was = 0;
    if (k->is_tensor) {
        row->to = reduce_spot(r, k->storage, k->data, SPOT_LIVE);
        row->spot_stays = touch->written;
    }
    if (touch->written)
        notes_in_place(r, row, touch);
    else
        notes_same(r, row, touch);
    return true;
}

static bool row_touch(Reduce *r, size_t at, bool detail)
{
    const Touch *touch = &r->touch[at];
    if (!touch->new)
        return !touch->old || row_gone(r, touch, detail);
    if (!touch->new->known->holds && touch->old && touch->old->known->holds)
        return row_gone(r, touch, detail);
    if (name_object(touch->old) == name_object(touch->new))
        return row_kept(r, touch);
    if (touch->written && world_object(r->before, name_object(touch->new)) && !touch->rebound &&
        !row_kept(r, touch))
        return false;
    if (!row_bound(r, at, detail))
        return false;
    if (!detail || !touch->old)
        return true;
    for (const Name *in = touch->old; in < r->before->name + touch->old->end; in++)
        if (in->known->is_tensor && !row_freed(r, reduce_block(r, in->known->storage), NULL))
            return false;
    return true;
}

/* ---- what came and went on the way ---- */
static bool same_place(Place a, Place b)
{
    return a.source == b.source && a.line == b.line && a.column == b.column && a.end_line == b.end_line
           && a.end_column == b.end_column;
}

static bool row_temporaries(Reduce *r)
{
    for (size_t i = 0; i < r->record->count; i++) {
        const Event *ev = &r->record->event[i];
        Block *block = ev->kind == EVENT_ALLOC ? reduce_block(r, ev->storage) : NULL;
        if (!block || !block->freed || block->claimed || !block->bytes)
            continue;
        Row *row = rows_add(r->rows, VERDICT_TEMPORARY, "");
        if (!row)
            return false;
        row->to = reduce_spot(r, block->storage, 0, SPOT_TEMPORARY);
        row->both = true;
        if (reduce_inside(r, ev->place))
            row->line = ev->place.line;
        size_t times = 0;
        for (size_t j = i; j < r->record->count; j++) {     /* all that this expression made and that died */
            const Event *more = &r->record->event[j];
            Block *other = more->kind == EVENT_ALLOC && same_place(more->place, ev->place)
                               ? reduce_block(r, more->storage)
                               : NULL;
            if (!other || !other->freed || other->claimed || (j > i && !ev->place.source))
                continue;
            other->claimed = true;
            row->plus += other->bytes;
            row->minus += other->bytes;
            times++;
        }
        Text text = { 0 };
        place_text(r, ev->place, &text);
        if (!text.n && ev->op < OP_COUNT)
            text_put(&text, op_info[ev->op].name);
        if (times > 1) {
            Digits number;
            const char *s = text_end(&text);
            notes_words(r, row, WORD_TIMES, s ? s : "", digits(&number, (int64_t)times), NULL);
            text_free(&text);
        } else
            row_note(r->rows, row, &text);
    }
    return true;
}

static const char *hidden_holder(const Reduce *r, uint64_t storage)
{
    for (size_t i = 0; i < r->before->names; i++)
        if (r->before->name[i].hidden && r->before->name[i].known->storage == storage)
            return r->before->name[i].path;
    return NULL;
}

/* Storages that no row has told of: freed ones, and new ones that something without a name keeps. */
static bool row_others(Reduce *r)
{
    for (size_t b = 0; b < r->blocks; b++) {
        Block *block = &r->block[b];
        if (block->freed && !block->made && !row_freed(r, block, hidden_holder(r, block->storage)))
            return false;
        if (!block->made || block->freed || block->claimed || !block->alloc || !block->bytes)
            continue;
        block->claimed = true;
        const char *name = "";
        WordId kept = WORD_KEPT_ELSEWHERE;
        uint64_t object = 0;
        for (size_t i = 0; i < r->record->count; i++) {
            const Event *ev = &r->record->event[i];
            if (ev->kind == EVENT_TENSOR && ev->storage == block->storage && !object)
                object = ev->object;
            else if (ev->kind == EVENT_SAVE && ev->storage == block->storage)
                kept = WORD_KEPT_FOR_BACKWARD;
            else if (ev->kind == EVENT_BIND && ev->object && ev->object == object
                     && memchr(r->record->text + ev->text, '.', ev->text_size))
                name = pool_text(r->pool, r->record->text + ev->text, ev->text_size);
        }
        const World *after = r->after;
        for (size_t i = 0; i < after->names && !*name; i++)
            if (after->name[i].known->is_tensor && after->name[i].known->storage == block->storage)
                name = after->name[i].path;
        Row *row = name ? rows_add(r->rows, VERDICT_NEW, name) : NULL;
        if (!row)
            return false;
        row->object = object;
        row->to = reduce_spot(r, block->storage, 0, SPOT_LIVE);
        row->plus = block->bytes;
        if (reduce_inside(r, block->alloc->place))
            row->line = block->alloc->place.line;
        if (!*name)
            notes_words(r, row, kept, NULL, NULL, NULL);
        Text text = { 0 };
        place_text(r, block->alloc->place, &text);
        if (text.n)
            row_note(r->rows, row, &text);
        text_free(&text);
    }
    return true;
}

/* ---- statements that failed ---- */
/* The name that the statement's text begins with, if it goes on as an assignment to it (`=`) or a write into
 * it. */
static size_t target_of(const char *text, size_t n, bool *binds, bool *writes)
{
    size_t i = 0;
    while (i < n && text_word_char(text[i]))
        i++;
    size_t size = i, depth = 0;
    bool index = false;
    while (i < n && (text[i] == '[' || depth)) {
        depth += text[i] == '[';
        depth -= text[i] == ']';
        index = true;
        i++;
    }
    while (i < n && text[i] == ' ')
        i++;
    bool equals = i + 1 < n && text[i] == '=' && text[i + 1] != '=';
    bool augmented = false;
    for (size_t j = i; j < i + 3 && j + 1 < n && strchr("+-*/%@&|^<>", text[j]); j++)
        augmented |= text[j + 1] == '=';
    bool method = false;
    if (i < n && text[i] == '.') {
        size_t j = i + 1;
        while (j < n && text_word_char(text[j]))
            j++;
        method = j < n && text[j] == '(' && text[j - 1] == '_' && j > i + 2;
    }
    *binds = equals && !index;
    *writes = augmented || method || (equals && index);
    return size;
}

static bool row_failed(Reduce *r)
{
    if (!r->st->error)
        return true;
    bool binds, writes;
    size_t size = target_of(r->st->text, r->st->text_size, &binds, &writes);
    for (size_t i = 0; i < r->record->count; i++) {
        const Event *ev = &r->record->event[i];
        if (ev->kind != EVENT_OOM)
            continue;
        const char *name = pool_text(r->pool, r->st->text, binds ? size : 0);
        Row *row = name ? rows_add(r->rows, VERDICT_REFUSED, name) : NULL;
        if (!row)
            return false;
        Digits bytes;
        Text text = { 0 };
        say(&text, r->show->language, WORD_ONE_PIECE, digits_round(&bytes, ev->bytes));
        row->in_words = pool_take(r->pool, &text);
        if (ev->reserved > 0)
            notes_words(r, row, WORD_FREE_NOW, digits_round(&bytes, ev->reserved), NULL, NULL);
        return true;
    }
    const Name *name = writes && size ? world_path(r->after, r->st->text, size) : NULL;
    if (!name || !name->known->is_tensor)
        return true;
    for (size_t i = 0; i < r->rows->rows; i++)
        if (strcmp(r->rows->row[i].name, name->path) == 0)
            return true;
    Touch touch = { .path = name->path, .old = name, .new = name, .rebound = true, .line = r->st->line };
    return row_kept(r, &touch);
}

/* ---- all of it ---- */
static void paint(const Show *show, Spot *spot)
{
    if (spot->storage && spot->color < 0)
        spot->color = palette_color(&show->palette, spot->storage);
    if (spot->color < 0)
        spot->color = 0;
}

static bool reduce(Reduce *r)
{
    if (!find_blocks(r) || !touch_all(r))
        return false;
    bool tally = tally_needed(r);
    for (size_t t = 0; t < r->touches; t++)
        if (!row_touch(r, t, !tally))
            return false;
    if (tally)
        return tally_rows(r) && row_failed(r);
    return row_temporaries(r) && row_others(r) && row_failed(r);
}

Rows *rows_reduce(Show *show, const Statement *done, const World *before, const World *after)
{
    Rows *rows = mem_new(show->heap, sizeof *rows);
    if (!rows)
        return NULL;
    const Record *record = done->record;
    HeapTotals totals = session_totals(show->session);
    *rows = (Rows){ .pool = pool_new(show->heap),
                    .line = done->line,
                    .end_line = done->end_line,
                    .is_compound = done->is_compound,
                    .live = totals.live,
                    .cached = totals.cached,
                    .peak = record->peak,
                    .peak_line = record->peak_line,
                    .change = record->allocated - record->freed };
    Reduce r = { .show = show, .st = done, .record = record, .before = before, .after = after, .rows = rows,
                 .pool = rows->pool };
    bool good = rows->pool &&
                (rows->source = pool_text(rows->pool, done->text ? done->text : "", done->text_size)) != NULL;
    rows->source_size = done->text_size;
    /* The paths in rows point into the worlds, which are gone before the rows are: copy them. */
    good = good && reduce(&r) && palette_update(show, after);
    for (size_t i = 0; good && i < rows->rows; i++) {
        Row *row = &rows->row[i];
        good = (row->name = pool_text(rows->pool, row->name, strlen(row->name))) != NULL;
        paint(show, &row->from);
        paint(show, &row->to);
        for (int c = 0; c < row->chips; c++)
            paint(show, &row->chip[c]);
    }
    if (!good) {
        rows_free(show->heap, rows);
        return NULL;
    }
    return rows;
}
