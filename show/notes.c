/* notes.c - the notes of a row, the most important first: who else sees it, why it was copied, … */
#include "show/reduce.h"
#include <string.h>

static void note(Reduce *r, Row *row, Text *text)
{
    row_note(r->rows, row, text);
}

void notes_words(Reduce *r, Row *row, WordId id, const char *a, const char *b, const char *c)
{
    Text text = { 0 };
    say(&text, r->show->language, id, a, b, c);
    note(r, row, &text);
}

void place_text(const Reduce *r, Place place, Text *text)
{
    size_t n = 0;
    const char *utf8 = place.source ? session_place_text(r->show->session, place, &n) : NULL;
    if (utf8)
        text_flat(text, utf8, n);
}

/* ---- lists of names ---- */
enum { NAMES_SHOWN = 4 };
typedef struct NameList { const char *name[NAMES_SHOWN]; size_t count; } NameList;

static void list_add(NameList *list, const char *name)
{
    if (list->count < NAMES_SHOWN)
        list->name[list->count] = name;
    list->count++;
}

static void note_names(Reduce *r, Row *row, WordId id, const NameList *list)
{
    if (!list->count)
        return;
    Text names = { 0 };
    text_put(&names, BOLD_ON);
    for (size_t i = 0; i < list->count && i < NAMES_SHOWN; i++) {
        if (i)
            text_put(&names, ", ");
        text_cut_name(&names, list->name[i]);
    }
    text_put(&names, BOLD_OFF);
    if (list->count > NAMES_SHOWN) {
        Digits more;
        say(&names, r->show->language, WORD_AND_MORE, digits(&more, (int64_t)(list->count - NAMES_SHOWN)));
    }
    const char *text = text_end(&names);
    if (text)
        notes_words(r, row, id, text, NULL, NULL);
    text_free(&names);
}

/* Does `name` lie inside the holder that `touch` is about? */
static bool within(const Reduce *r, const Touch *touch, const Name *name)
{
    return touch->new && name >= touch->new && name < r->after->name + touch->new->end;
}

/* Names of other tensors over the storage. */
static void sharers(Reduce *r, const Touch *touch, uint64_t storage, NameList *list)
{
    uint64_t own = touch->new ? touch->new->known->object : 0;
    for (size_t i = 0; i < r->after->names; i++) {
        const Name *name = &r->after->name[i];
        if (!name->hidden && name->known->is_tensor && name->known->storage == storage
            && name->known->object != own && strcmp(name->path, touch->path) != 0 && !within(r, touch, name))
            list_add(list, name->path);
    }
}

static void namesakes(Reduce *r, const Touch *touch, uint64_t object, NameList *list)
{
    for (size_t i = 0; i < r->after->names; i++) {
        const Name *name = &r->after->name[i];
        if (!name->hidden && name->known->object == object && strcmp(name->path, touch->path) != 0)
            list_add(list, name->path);
    }
}

/* ---- facts ---- */
/* A view may do without its dtype where there is little room: it is that of the names it is shared with. */
static void note_shape(Reduce *r, Row *row, const Known *k, bool stride, bool view)
{
    Text full = { 0 }, brief = { 0 }, dims = { 0 }, rest = { 0 };
    text_dims(&dims, k->ndim, k->shape);
    if (stride) {
        Text strides = { 0 };
        text_strides(&strides, k->type, k->dtype, k->ndim, k->stride);
        const char *s = text_end(&strides);
        text_char(&rest, ' ');
        say(&rest, r->show->language, WORD_STRIDE, s ? s : "");
        text_free(&strides);
    }
    if (k->requires_grad)
        text_put(&rest, " requires_grad");
    if (k->device.type != DEVICE_CPU) {
        text_char(&rest, ' ');
        device_print(k->device, &rest);
    }
    text_print(&full, "%s%s ", is_ndarray(k->type) ? "ndarray " : "", dtype_name(k->dtype));
    text_add(&full, dims.s, dims.n);
    text_add(&full, rest.s, rest.n);
    text_add(&brief, dims.s, dims.n);
    text_add(&brief, rest.s, rest.n);
    text_free(&dims);
    text_free(&rest);
    int at = row->notes;
    note(r, row, &full);
    if (row->notes > at && view)
        row->note[at].brief = pool_take(r->pool, &brief);
    text_free(&brief);
}

static void note_offset(Reduce *r, Row *row, const Known *k)
{
    Digits a, b;
    if (k->offset)
        notes_words(r, row, WORD_OFFSET, digits(&a, k->offset), NULL, NULL);
    int64_t size = (int64_t)dtype_size(k->dtype), total = size ? k->bytes / size : 0;
    if (k->numel < total)
        notes_words(r, row, WORD_ELEMENTS_OF, digits(&a, k->numel), digits(&b, total), NULL);
}

/* ---- copies ---- */
static const Event *copy_into(const Reduce *r, uint64_t storage)
{
    const Event *found = NULL;
    for (size_t i = 0; i < r->record->count; i++) {
        const Event *ev = &r->record->event[i];
        if (ev->kind == EVENT_COPY && ev->storage == storage && ev->other != storage &&
            ev->reason != COPY_ASSIGN)
            found = ev;
    }
    return found;
}

/* The name that the copy was most likely made through: written in the expression, and not contiguous if that
 * was the reason. */
static const Name *copy_source(const Reduce *r, const Event *copy)
{
    const Name *best = NULL;
    int best_score = -1;
    Text place = { 0 };
    place_text(r, copy->place, &place);
    const World *worlds[2] = { r->before, r->after };
    for (int w = 0; w < 2 && !best; w++)
        for (size_t i = 0; i < worlds[w]->names; i++) {
            const Name *name = &worlds[w]->name[i];
            if (name->hidden || !name->known->is_tensor || name->known->storage != copy->other)
                continue;
            int score = 2 * text_has_name(place.s, place.n, name->path)
                        + (copy->reason == COPY_NOT_CONTIGUOUS && !name->known->is_contiguous);
            if (score > best_score) {
                best_score = score;
                best = name;
            }
        }
    text_free(&place);
    return best;
}

static void note_copy(Reduce *r, Row *row, uint64_t storage)
{
    const Event *copy = copy_into(r, storage);
    if (!copy)
        return;
    Language language = r->show->language;
    const Name *source = copy_source(r, copy);
    Text from = { 0 }, why = { 0 };
    Digits bytes;
    if (source) {
        text_put(&from, BOLD_ON);
        text_cut_name(&from, source->path);
        text_put(&from, BOLD_OFF);
    } else
        text_print(&from, "S%llu", (unsigned long long)copy->other);
    switch ((CopyReason)copy->reason) {
    case COPY_NOT_CONTIGUOUS: {
        Text name = { 0 };
        bool known = source && !source->known->is_contiguous;
        if (known)
            text_cut_name(&name, source->path);
        const char *s = text_end(&name);
        say(&why, language, known ? WORD_NOT_DENSE : WORD_NOT_DENSE_VIEW, s ? s : "");
        text_free(&name);
        break;
    }
    case COPY_DTYPE:
        say(&why, language, WORD_FROM_TO, dtype_name((DType)copy->from_dtype), dtype_name((DType)copy->dtype));
        break;
    case COPY_DEVICE: {
        Text to = { 0 };
        device_print((Device){ copy->device, copy->device_index }, &to);
        const char *s = text_end(&to);
        say(&why, language, WORD_FROM_TO, source && source->known->device.type == DEVICE_CUDA ? "cuda" : "cpu",
            s ? s : "");
        text_free(&to);
        break;
    }
    case COPY_INDEXING:
        text_put(&why, word(language, WORD_INDEXING));
        break;
    default:
        break;
    }
    const char *f = text_end(&from), *w = text_end(&why);
    if (f && w)
        notes_words(r, row, *w ? WORD_COPIED_WHY : WORD_COPIED, f, digits_bytes(&bytes, copy->bytes), w);
    text_free(&from);
    text_free(&why);
}

/* ---- the verdicts ---- */
void notes_new(Reduce *r, Row *row, const Touch *touch)
{
    const Known *k = touch->new->known;
    NameList list = { 0 };
    sharers(r, touch, k->storage, &list);
    note_names(r, row, WORD_SHARED_WITH, &list);
    note_copy(r, row, k->storage);
    note_shape(r, row, k, !k->is_contiguous, false);
    note_offset(r, row, k);
    const Block *block = reduce_block(r, k->storage);
    if (block && block->alloc && block->alloc->was) {
        Text was = { 0 };
        text_print(&was, "%llu", (unsigned long long)block->alloc->was);
        const char *s = text_end(&was);
        if (s)
            notes_words(r, row, WORD_BLOCK_LEFT, s, NULL, NULL);
        text_free(&was);
    }
}

void notes_view(Reduce *r, Row *row, const Touch *touch)
{
    const Known *k = touch->new->known;
    NameList list = { 0 };
    sharers(r, touch, k->storage, &list);
    note_names(r, row, WORD_SHARED_WITH, &list);
    note_shape(r, row, k, true, true);
    note_offset(r, row, k);
}

void notes_alias(Reduce *r, Row *row, const Touch *touch)
{
    NameList list = { 0 };
    namesakes(r, touch, touch->new->known->object, &list);
    if (list.count)
        note_names(r, row, WORD_SAME_AS, &list);
    else {
        for (size_t i = 0; i < r->before->names; i++)
            if (r->before->name[i].known->object == touch->new->known->object)
                list_add(&list, r->before->name[i].path);
        note_names(r, row, WORD_WAS_IN, &list);
    }
}

static bool changed_by(const Reduce *r, uint64_t writer, uint64_t object)
{
    for (size_t i = 0; i < r->record->count; i++) {
        const Event *ev = &r->record->event[i];
        if (ev->kind != EVENT_WRITE)
            continue;
        bool by = ev->object == writer, to = ev->object == object;
        for (uint32_t a = 0; a < ev->alias_count; a++) {
            by |= r->record->alias[ev->alias + a] == writer;
            to |= r->record->alias[ev->alias + a] == object;
        }
        if (by && to)
            return true;
    }
    return false;
}

void notes_in_place(Reduce *r, Row *row, const Touch *touch)
{
    const Known *k = touch->new->known, *old = world_object(r->before, k->object);
    NameList list = { 0 };
    for (size_t i = 0; i < r->after->names; i++) {
        const Name *name = &r->after->name[i];
        if (name->hidden || !name->known->is_tensor || name->known->storage != k->storage
            || strcmp(name->path, touch->path) == 0)
            continue;
        if (name->known->object == k->object || changed_by(r, k->object, name->known->object))
            list_add(&list, name->path);
    }
    note_names(r, row, WORD_SEEN_THROUGH, &list);
    Digits a, b;
    if (old && (old->ndim != k->ndim || memcmp(old->shape, k->shape, (size_t)k->ndim * sizeof *k->shape) != 0))
        note_shape(r, row, k, !k->is_contiguous, false);
    if (old && old->version != k->version)
        notes_words(r, row, WORD_VERSIONS, digits(&a, old->version), digits(&b, k->version), NULL);
    else
        notes_words(r, row, WORD_VERSION_STAYS, digits(&a, k->version), NULL, NULL);
}

void notes_same(Reduce *r, Row *row, const Touch *touch)
{
    const Known *k = touch->new->known;
    notes_words(r, row, WORD_NOT_WRITTEN, NULL, NULL, NULL);
    if (!k->is_tensor)
        return;
    Digits version;
    notes_words(r, row, WORD_VERSION, digits(&version, k->version), NULL, NULL);
    note_shape(r, row, k, !k->is_contiguous, false);
}

void notes_holder(Reduce *r, Row *row, const Touch *touch)
{
    const Known *k = touch->new->known;
    NameList list = { 0 };
    for (const Name *in = touch->new + 1; in < r->after->name + touch->new->end; in++) {
        if (!in->known->is_tensor)
            continue;
        for (size_t i = 0; i < r->after->names; i++) {
            const Name *name = &r->after->name[i];
            if (!name->hidden && name->known->object == in->known->object && !within(r, touch, name)) {
                list_add(&list, name->path);
                break;
            }
        }
    }
    note_names(r, row, WORD_HOLDS, &list);
    Text text = { 0 };
    text_put(&text, k->type);
    if (strcmp(k->type, "list") == 0 || strcmp(k->type, "tuple") == 0 || strcmp(k->type, "dict") == 0) {
        Digits items;
        text_put(&text, ", ");
        if (k->items == 1)
            text_put(&text, word(r->show->language, WORD_ITEM));
        else
            say(&text, r->show->language, WORD_ITEMS, digits(&items, (int64_t)k->items));
    }
    note(r, row, &text);
}

void notes_gone(Reduce *r, Row *row, const Touch *touch)
{
    const Known *old = touch->old->known;
    NameList list = { 0 };
    namesakes(r, touch, old->object, &list);
    if (list.count)
        note_names(r, row, WORD_SAME_AS, &list);
    else if (old->is_tensor) {
        sharers(r, touch, old->storage, &list);
        note_names(r, row, WORD_SHARED_WITH, &list);
    }
    for (size_t i = 0; !list.count && i < r->after->names; i++) {
        const Name *name = &r->after->name[i];
        if (name->hidden && (name->known->object == old->object
                             || (old->is_tensor && name->known->is_tensor && name->known->storage == old->storage))) {
            list_add(&list, name->path);
            note_names(r, row, WORD_HELD_BY, &list);
        }
    }
}
