/* past.c - keeps the ledger of blocks, tensors, names and values in step with the session. */
#include "show/past.h"
#include <stddef.h>
#include <string.h>

enum { UNDO_LIMIT = 16 << 20 };

struct Past {
    Ledger  *ledger;                    /* owned */
    Heap    *heap;                      /* borrowed */
    uint64_t order;                     /* of the next name */
    bool     failed;                    /* no memory: the facts are not whole, they are read anew with the next statement */
};

const Ledger *past_ledger(const Past *past) { return past->ledger; }

static void set(Past *h, LedgerKind kind, uint64_t key, const void *fact, size_t size)
{
    h->failed = !ledger_set(h->ledger, kind, key, fact, size) || h->failed;
}

/* The beginning of `utf8`, cut between characters. */
static void cut_text(char *to, size_t room, const char *utf8, size_t n)
{
    const char *newline = n ? memchr(utf8, '\n', n) : NULL;
    if (newline)
        n = (size_t)(newline - utf8);
    if (n >= room)
        for (n = room - 1; n && ((unsigned char)utf8[n] & 0xC0) == 0x80; n--)
            continue;
    memset(to, 0, room);
    if (n)
        memcpy(to, utf8, n);
}

static uint64_t path_key(const char *path)              /* FNV-1a, 64 bits */
{
    uint64_t h = 0xCBF29CE484222325u;
    for (const unsigned char *c = (const unsigned char *)path; *c; c++)
        h = (h ^ *c) * 0x100000001B3u;
    return h;
}

/* ---- blocks ---- */
static const char *storage_name(const World *world, uint64_t storage)
{
    for (size_t i = 0; world && i < world->names; i++)
        if (world->name[i].known->is_tensor && world->name[i].known->storage == storage && !world->name[i].hidden)
            return world->name[i].path;
    return NULL;
}

static void block_living(Past *h, const Event *ev, const Statement *done)
{
    PastBlock block;
    memset(&block, 0, sizeof block);
    block.address = ev->address;
    block.storage = ev->storage;
    block.was = ev->was;
    block.bytes = ev->bytes;
    block.reserved = ev->reserved;
    block.device = (Device){ .type = ev->device, .index = ev->device_index };
    block.made = done->number;
    set(h, LEDGER_BLOCK, block.address, &block, sizeof block);
}

static void block_freed(Past *h, const Event *ev, const World *before)
{
    PastBlock block;
    if (ev->origin != ORIGIN_CACHE) {
        ledger_remove(h->ledger, LEDGER_BLOCK, ev->address);
        return;
    }
    const char *name = storage_name(before, ev->storage);
    memset(&block, 0, sizeof block);
    block.address = ev->address;
    block.was = ev->storage;
    block.reserved = ev->reserved;
    block.device = (Device){ .type = ev->device, .index = ev->device_index };
    cut_text(block.name, sizeof block.name, name ? name : "", name ? strlen(name) : 0);
    set(h, LEDGER_BLOCK, block.address, &block, sizeof block);
    ledger_remove(h->ledger, LEDGER_VALUES, ev->storage);
}

/* Reads all blocks anew: what is living and cached now replaces what the ledger says. */
typedef struct Sweep { Past *h; Ledger *seen; int number; } Sweep;

static void sweep_set(Sweep *sweep, PastBlock *block)
{
    const PastBlock *old = ledger_get(sweep->h->ledger, LEDGER_BLOCK, block->address, NULL);
    char here = 1;
    sweep->h->failed = !ledger_set(sweep->seen, LEDGER_BLOCK, block->address, &here, 1) || sweep->h->failed;
    if (old && old->storage == block->storage && old->was == block->was && old->reserved == block->reserved)
        return;
    if (old && !block->storage)
        memcpy(block->name, old->name, sizeof block->name);
    set(sweep->h, LEDGER_BLOCK, block->address, block, sizeof *block);
}

static void sweep_storage(void *to, Object *object)
{
    Sweep *sweep = to;
    if (object->type != TYPE_STORAGE)
        return;
    const Storage *storage = (const Storage *)object;
    const PastBlock *old = ledger_get(sweep->h->ledger, LEDGER_BLOCK, (uint64_t)(uintptr_t)storage_data(storage), NULL);
    PastBlock block;
    memset(&block, 0, sizeof block);
    block.address = (uint64_t)(uintptr_t)storage_data(storage);
    block.storage = storage_serial(storage);
    block.bytes = (int64_t)storage_bytes(storage);
    block.reserved = (int64_t)storage_reserved(storage);
    block.device = storage_device(storage);
    bool same = old && old->storage == block.storage;
    block.was = same ? old->was : 0;
    block.made = same ? old->made : sweep->number;
    if (block.address)
        sweep_set(sweep, &block);
}

static void sweep_cached(void *to, uint64_t address, int64_t reserved, uint64_t was)
{
    PastBlock block;
    memset(&block, 0, sizeof block);
    block.address = address;
    block.reserved = reserved;
    block.was = was;
    sweep_set(to, &block);
}

typedef struct Keys { Heap *heap; uint64_t *key; size_t n, capacity; bool failed; } Keys;

static void collect_key(void *to, uint64_t key, const void *fact, size_t size)
{
    Keys *keys = to;
    (void)fact, (void)size;
    if (keys->n == keys->capacity) {
        size_t capacity = keys->capacity ? 2 * keys->capacity : 64;
        uint64_t *more = mem_resize(keys->heap, keys->key, capacity * sizeof *more);
        keys->failed = keys->failed || !more;
        if (!more)
            return;
        keys->key = more;
        keys->capacity = capacity;
    }
    keys->key[keys->n++] = key;
}

static void sweep_blocks(Past *h, int number)
{
    Sweep sweep = { h, ledger_new(h->heap, 0), number };
    Keys keys = { .heap = h->heap };
    if (!sweep.seen) {
        h->failed = true;
        return;
    }
    heap_each_object(h->heap, sweep_storage, &sweep);
    heap_each_cached(h->heap, sweep_cached, &sweep);
    ledger_each(h->ledger, LEDGER_BLOCK, collect_key, &keys);
    for (size_t i = 0; i < keys.n && !h->failed; i++)
        if (!ledger_get(sweep.seen, LEDGER_BLOCK, keys.key[i], NULL))
            ledger_remove(h->ledger, LEDGER_BLOCK, keys.key[i]);
    h->failed = h->failed || keys.failed;
    mem_free(h->heap, keys.key);
    ledger_free(sweep.seen);
}

/* ---- tensors ---- */
static bool has_all(const Record *record) { return record->seen <= RECORD_FULL; }

static const Event *event_of_tensor(const Record *record, uint64_t object)
{
    for (size_t i = 0; record && i < record->count; i++)
        if (record->event[i].kind == EVENT_TENSOR && record->event[i].object == object)
            return &record->event[i];
    return NULL;
}

static void tell_copy(PastTensor *t, const Event *copy, const World *before, const World *after)
{
    const Name *name = NULL;
    t->copied = copy->other;
    t->copied_object = copy->object;
    t->reason = copy->reason;
    t->copied_ndim = copy->ndim;
    memcpy(t->copied_dims, copy->shape, copy->ndim * sizeof(int64_t));
    memcpy(t->copied_dims + EVENT_DIMS, copy->stride, copy->ndim * sizeof(int64_t));
    if ((name = world_holder(before, copy->object)) || (name = world_holder(after, copy->object)))
        cut_text(t->copied_name, sizeof t->copied_name, name->path, strlen(name->path));
}

/* Where it comes from: the statement that made it, its base, what was copied into its storage. */
static void tell_origin(PastTensor *t, const Statement *done, const World *before, const World *after)
{
    const Event *made = event_of_tensor(done->record, t->object);
    if (!made)
        return;
    t->made = done->number;
    t->base = made->other;
    cut_text(t->maker, sizeof t->maker, done->text, done->text_size);
    for (size_t i = 0; i < done->record->count; i++) {
        const Event *ev = &done->record->event[i];
        if (ev->kind == EVENT_COPY && ev->storage == t->storage && ev->other != t->storage && ev->reason != COPY_ASSIGN)
            tell_copy(t, ev, before, after);
    }
}

static void tensor_note(Past *h, const Known *k, const Statement *done, const World *before, const World *after)
{
    size_t dims = 2 * (size_t)k->ndim * sizeof(int64_t), size = offsetof(PastTensor, dims) + dims;
    const PastTensor *old = ledger_get(h->ledger, LEDGER_TENSOR, k->object, NULL);
    PastTensor *t = mem_new(h->heap, size);
    if (!t) {
        h->failed = true;
        return;
    }
    if (old)
        memcpy(t, old, offsetof(PastTensor, dims));     /* where it comes from stays */
    else
        memset(t, 0, size);
    t->object = k->object;
    t->id = k->id;
    t->storage = k->storage;
    t->data = k->data;
    t->offset = k->offset;
    t->numel = k->numel;
    t->version = k->version;
    t->dtype = k->dtype;
    t->device = k->device;
    t->ndim = k->ndim;
    t->requires_grad = k->requires_grad;
    t->is_array = is_ndarray(k->type);
    t->is_contiguous = k->is_contiguous;
    if (dims) {
        memcpy(t->dims, k->shape, dims / 2);
        memcpy(t->dims + k->ndim, k->stride, dims / 2);
    }
    if (!old && done)
        tell_origin(t, done, before, after);
    set(h, LEDGER_TENSOR, k->object, t, size);
    mem_free(h->heap, t);
}

/* ---- names ---- */
static void name_note(Past *h, const Name *name)
{
    uint64_t key = path_key(name->path);
    const PastName *old = ledger_get(h->ledger, LEDGER_NAME, key, NULL);
    size_t n = strlen(name->path) + 1, size = offsetof(PastName, path) + n;
    size = size < sizeof(PastName) ? sizeof(PastName) : size;
    PastName *fact = mem_new(h->heap, size);
    if (!fact) {
        h->failed = true;
        return;
    }
    memset(fact, 0, size);
    fact->object = name->known->object;
    fact->order = old ? old->order : h->order++;
    fact->hidden = name->hidden;
    memcpy(fact->path, name->path, n);
    set(h, LEDGER_NAME, key, fact, size);
    mem_free(h->heap, fact);
}

static bool same_known(const Known *a, const Known *b)
{
    return a->object == b->object && a->is_tensor == b->is_tensor
           && (!a->is_tensor || (a->version == b->version && a->storage == b->storage && a->data == b->data && a->dtype == b->dtype
                                 && a->ndim == b->ndim && a->offset == b->offset && a->requires_grad == b->requires_grad
                                 && a->bytes == b->bytes
                                 && (!a->ndim || memcmp(a->shape, b->shape, 2 * (size_t)a->ndim * sizeof *a->shape) == 0)));
}

/* Facts of the names that differ between two worlds; before NULL: of all. */
static void names_note(Past *h, const World *before, const World *after, const Statement *done)
{
    size_t old_names = before ? before->names : 0, at = 0;
    while (at < old_names && at < after->names && strcmp(before->name[at].path, after->name[at].path) == 0) {
        if (!same_known(before->name[at].known, after->name[at].known)) {
            if (after->name[at].known->is_tensor)
                tensor_note(h, after->name[at].known, done, before, after);
            name_note(h, &after->name[at]);
        }
        at++;
    }
    for (size_t i = at; i < after->names; i++) {
        if (after->name[i].known->is_tensor)
            tensor_note(h, after->name[i].known, done, before, after);
        name_note(h, &after->name[i]);
    }
    for (size_t i = at, near = at; i < old_names; i++)
        if (!after->names || !world_path_near(after, before->name[i].path, &near))
            ledger_remove(h->ledger, LEDGER_NAME, path_key(before->name[i].path));
    for (size_t i = 0; before && i < before->objects; i++)
        if (before->object[i]->is_tensor && !world_object(after, before->object[i]->object))
            ledger_remove(h->ledger, LEDGER_TENSOR, before->object[i]->object);
}

/* ---- values of small storages, and who wrote last ---- */
static void values_note(Past *h, const Known *k)
{
    if (k->bytes_now && k->bytes > 0 && k->bytes <= PAST_VALUES)
        set(h, LEDGER_VALUES, k->storage, k->bytes_now, (size_t)k->bytes);
}

static const Known *known_of_storage(const World *world, uint64_t storage)
{
    for (size_t i = 0; i < world->objects; i++)
        if (world->object[i]->is_tensor && world->object[i]->storage == storage)
            return world->object[i];
    return NULL;
}

static void written_note(Past *h, const Known *k, const Statement *done, bool write)
{
    const PastBlock *old = ledger_get(h->ledger, LEDGER_BLOCK, k->block, NULL);
    values_note(h, k);
    if (!old || old->storage != k->storage || !write)
        return;
    PastBlock block = *old;
    block.written = done->number;
    cut_text(block.writer, sizeof block.writer, done->text, done->text_size);
    set(h, LEDGER_BLOCK, k->block, &block, sizeof block);
}

static void writes_note(Past *h, const Statement *done, const World *after)
{
    const Record *record = done->record;
    if (!has_all(record)) {                             /* any of them may have been written */
        for (size_t i = 0; i < after->objects; i++)
            if (after->object[i]->is_tensor)
                written_note(h, after->object[i], done, false);
        return;
    }
    uint64_t last = 0;
    for (size_t i = 0; i < record->count; i++) {
        const Event *ev = &record->event[i];
        bool write = ev->kind == EVENT_WRITE;
        if ((!write && ev->kind != EVENT_ALLOC) || (write && ev->storage == last))
            continue;
        last = write ? ev->storage : last;
        const Known *k = known_of_storage(after, ev->storage);
        if (k)
            written_note(h, k, done, write);
    }
}

/* ---- in step ---- */
/* Facts about what is not there any more, when it is not known what went. */
static void drop_missing(Past *h, const World *after)
{
    for (LedgerKind kind = LEDGER_TENSOR; kind <= LEDGER_NAME; kind++) {
        Keys keys = { .heap = h->heap };
        ledger_each(h->ledger, kind, collect_key, &keys);
        for (size_t i = 0; i < keys.n; i++) {
            const PastName *name = ledger_get(h->ledger, LEDGER_NAME, keys.key[i], NULL);
            if (kind == LEDGER_TENSOR ? !world_object(after, keys.key[i]) : !world_path(after, name->path, strlen(name->path)))
                ledger_remove(h->ledger, kind, keys.key[i]);
        }
        h->failed = h->failed || keys.failed;
        mem_free(h->heap, keys.key);
    }
}

static void read_all(Past *h, const World *before, const World *after, const Statement *done)
{
    h->failed = false;
    sweep_blocks(h, done ? done->number : 0);
    names_note(h, before, after, done);
    drop_missing(h, after);
    for (size_t i = 0; i < after->objects; i++)
        if (after->object[i]->is_tensor)
            values_note(h, after->object[i]);
}

Past *past_new(Show *show, int number)
{
    Past *h = mem_new(show->heap, sizeof *h);
    if (!h)
        return NULL;
    *h = (Past){ .heap = show->heap, .ledger = ledger_new(show->heap, UNDO_LIMIT) };
    if (!h->ledger) {
        mem_free(show->heap, h);
        return NULL;
    }
    ledger_begin(h->ledger, number);
    if (show->world)
        read_all(h, NULL, show->world, NULL);
    return h;
}

void past_free(Past *past)
{
    if (!past)
        return;
    ledger_free(past->ledger);
    mem_free(past->heap, past);
}

void past_sync(Past *past, const World *after)
{
    read_all(past, NULL, after, NULL);
}

void past_note(Past *past, const Statement *done, const World *before, const World *after)
{
    const Record *record = done->record;
    Past *h = past;
    ledger_begin(h->ledger, done->number);
    if (h->failed) {
        read_all(h, NULL, after, done);
        return;
    }
    if (has_all(record))
        for (size_t i = 0; i < record->count; i++) {
            if (record->event[i].kind == EVENT_ALLOC && record->event[i].address)
                block_living(h, &record->event[i], done);
            else if (record->event[i].kind == EVENT_FREE && record->event[i].address)
                block_freed(h, &record->event[i], before);
        }
    else
        sweep_blocks(h, done->number);
    names_note(h, before, after, done);
    if (record->allocations || record->count)
        writes_note(h, done, after);
}
