/* world.c - what all names hold, copied from a snapshot and flattened to paths; pools; colours of storages. */
#include "show/rows.h"
#include <stdlib.h>
#include <string.h>

/* ---- pools ---- */
enum { POOL_BLOCK = 8192 };
typedef struct PoolBlock { struct PoolBlock *next; size_t used, size; max_align_t data[]; } PoolBlock;
struct Pool { Heap *heap; PoolBlock *block; };

Pool *pool_new(Heap *heap)
{
    Pool *pool = mem_new(heap, sizeof *pool);
    if (pool)
        *pool = (Pool){ .heap = heap };
    return pool;
}

void pool_free(Pool *pool)
{
    if (!pool)
        return;
    for (PoolBlock *b = pool->block, *next; b; b = next) {
        next = b->next;
        mem_free(pool->heap, b);
    }
    mem_free(pool->heap, pool);
}

void *pool_get(Pool *pool, size_t bytes)
{
    bytes = (bytes + 15) & ~(size_t)15;
    if (!pool->block || pool->block->size - pool->block->used < bytes) {
        size_t size = bytes > POOL_BLOCK ? bytes : POOL_BLOCK;
        PoolBlock *block = mem_new(pool->heap, sizeof *block + size);
        if (!block)
            return NULL;
        block->next = pool->block;
        block->used = 0;
        block->size = size;
        pool->block = block;
    }
    void *at = (char *)pool->block->data + pool->block->used;
    pool->block->used += bytes;
    return memset(at, 0, bytes);
}

void *pool_array(Pool *pool, size_t count, size_t size)
{
    return pool_get(pool, (count ? count : 1) * size);
}

char *pool_text(Pool *pool, const char *utf8, size_t n)
{
    char *copy = pool_get(pool, n + 1);
    if (copy && n)
        memcpy(copy, utf8, n);
    return copy;
}

char *pool_take(Pool *pool, Text *text)
{
    char *copy = text->failed ? NULL : pool_text(pool, text->s, text->n);
    text_free(text);
    return copy;
}

/* ---- the world ---- */
enum { WORLD_DEPTH = 6, WORLD_WIDTH = 64 };

static int by_serial(const void *a, const void *b)
{
    uint64_t x = (*(const Known *const *)a)->object, y = (*(const Known *const *)b)->object;
    return (x > y) - (x < y);
}

static bool world_facts(World *world, const Fact *fact, Known *known)
{
    *known = (Known){ .object = fact->object, .id = fact->id, .holds = fact->holds_tensor, .items = fact->length > fact->items ? fact->length : fact->items,
                      .is_tensor = fact->kind == FACT_TENSOR };
    if (!(known->type =
              pool_text(world->pool, fact->type ? fact->type : "", fact->type ? strlen(fact->type) : 0)))
        return false;
    const TensorFact *t = fact->tensor;
    if (!known->is_tensor || !t)
        return true;
    known->holds = true;
    known->storage = t->storage;
    known->data = t->data;
    known->block = t->block;
    known->dtype = t->dtype;
    known->device = t->device;
    known->ndim = t->ndim;
    known->offset = t->offset;
    known->numel = t->numel;
    known->version = t->version;
    known->bytes = t->bytes;
    known->reserved = t->reserved;
    known->requires_grad = t->requires_grad;
    known->is_contiguous = t->is_contiguous;
    known->bytes_now = t->tensor && t->device.type == DEVICE_CPU ? storage_data(tensor_storage(t->tensor)) : NULL;
    known->shape = pool_array(world->pool, 2 * (size_t)t->ndim, sizeof(int64_t));
    if (!known->shape)
        return false;
    known->stride = known->shape + t->ndim;
    if (t->ndim) {
        memcpy(known->shape, t->shape, (size_t)t->ndim * sizeof(int64_t));
        memcpy(known->stride, t->stride, (size_t)t->ndim * sizeof(int64_t));
    }
    return true;
}

/* The dicts in which a module keeps its parts: their entries are written as attributes, net.weight and net[0].
 */
static bool is_part_dict(const Fact *holder, const Fact *item)
{
    static const char *const parts[] = { "_parameters", "_buffers", "_modules" };
    if (holder->kind != FACT_INSTANCE || item->kind != FACT_DICT || !item->key)
        return false;
    for (int i = 0; i < 3; i++)
        if (strcmp(item->key, parts[i]) == 0)
            return true;
    return false;
}

static void print_path(Text *to, const char *path, const Fact *holder, size_t i, bool part)
{
    const Fact *item = &holder->item[i];
    const char *key = item->key ? item->key : "?";
    size_t n = strlen(key);
    text_put(to, path);
    if (part && n > 2 && (*key == '\'' || *key == '"')) {
        bool number = strspn(key + 1, "0123456789") == n - 2;
        text_print(to, number ? "[%.*s]" : ".%.*s", (int)n - 2, key + 1);
    } else if (holder->kind == FACT_INSTANCE)
        text_print(to, ".%s", key);
    else if (holder->kind == FACT_DICT)
        text_print(to, "[%s]", key);
    else
        text_print(to, "[%zu]", i);
}

static bool world_items(World *world, const Fact *holder, const char *path, int parent, bool hidden, bool part);

static bool world_add(World *world, const Fact *fact, const char *path, int parent, bool hidden)
{
    bool holder = fact->kind == FACT_LIST || fact->kind == FACT_TUPLE || fact->kind == FACT_DICT
                  || fact->kind == FACT_INSTANCE;
    if (!(fact->kind == FACT_TENSOR && fact->tensor) && !(holder && (fact->holds_tensor || parent < 0)))
        return true;
    if (world->names == world->capacity) {
        size_t capacity = world->capacity ? 2 * world->capacity : 64;
        Name *more = pool_array(world->pool, capacity, sizeof *more);
        if (!more)
            return false;
        if (world->names)
            memcpy(more, world->name, world->names * sizeof *more);
        world->name = more;
        world->capacity = capacity;
    }
    Known *known = pool_get(world->pool, sizeof *known);
    if (!known || !world_facts(world, fact, known))
        return false;
    int at = (int)world->names++;
    world->name[at] = (Name){ .path = path, .known = known, .parent = parent, .hidden = hidden };
    if (holder && !world_items(world, fact, path, at, hidden, false))
        return false;
    world->name[at].end = (int)world->names;
    return true;
}

static bool world_items(World *world, const Fact *holder, const char *path, int parent, bool hidden, bool part)
{
    for (size_t i = 0; i < holder->items; i++) {
        const Fact *item = &holder->item[i];
        if (!part && is_part_dict(holder, item)) {
            if (!world_items(world, item, path, parent, hidden, true))
                return false;
            continue;
        }
        Text inner = { 0 };
        print_path(&inner, path, holder, i, part);
        const char *inner_path = pool_take(world->pool, &inner);
        if (!inner_path || !world_add(world, item, inner_path, parent, hidden))
            return false;
    }
    return true;
}

World *world_new(Session *session)
{
    Heap *heap = session_heap(session);
    Snapshot *snapshot = session_snapshot_holders(session, WORLD_DEPTH, WORLD_WIDTH);
    World *world = snapshot ? mem_new(heap, sizeof *world) : NULL;
    if (!world) {
        snapshot_free(snapshot);
        return NULL;
    }
    *world = (World){ .pool = pool_new(heap) };
    if (!world->pool) {
        mem_free(heap, world);
        snapshot_free(snapshot);
        return NULL;
    }
    bool good = true;
    for (int hidden = 0; hidden < 2; hidden++) {
        const NamedFact *name = hidden ? snapshot->hidden : snapshot->name;
        size_t names = hidden ? snapshot->hidden_names : snapshot->names;
        for (size_t i = 0; good && i < names; i++) {
            const char *path = pool_text(world->pool, name[i].name, strlen(name[i].name));
            good = path && world_add(world, &name[i].fact, path, -1, hidden);
        }
    }
    snapshot_free(snapshot);
    good = good && (world->object = pool_array(world->pool, world->names, sizeof *world->object));
    if (!good) {
        world_free(world);
        return NULL;
    }
    for (size_t i = 0; i < world->names; i++)
        world->object[i] = world->name[i].known;
    qsort(world->object, world->names, sizeof *world->object, by_serial);
    for (size_t i = 0; i < world->names; i++)
        if (!world->objects || world->object[world->objects - 1]->object != world->object[i]->object)
            world->object[world->objects++] = world->object[i];
    return world;
}

void world_free(World *world)
{
    if (!world)
        return;
    Heap *heap = world->pool->heap;
    pool_free(world->pool);
    mem_free(heap, world);
}

const Known *world_object(const World *world, uint64_t object)
{
    size_t low = 0, high = world ? world->objects : 0;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (world->object[middle]->object < object)
            low = middle + 1;
        else
            high = middle;
    }
    return world && low < world->objects && world->object[low]->object == object ? world->object[low] : NULL;
}

const Name *world_path(const World *world, const char *path, size_t n)
{
    for (size_t i = 0; world && i < world->names; i++)
        if (strncmp(world->name[i].path, path, n) == 0 && !world->name[i].path[n])
            return &world->name[i];
    return NULL;
}

const Name *world_path_near(const World *world, const char *path, size_t *near)
{
    for (size_t i = 0; i < world->names; i++) {
        size_t at = (*near + i) % world->names;
        if (strcmp(world->name[at].path, path) == 0) {
            *near = at + 1;
            return &world->name[at];
        }
    }
    return NULL;
}

const Name *world_holder(const World *world, uint64_t object)
{
    for (size_t i = 0; world && object && i < world->names; i++)
        if (world->name[i].known->object == object && !world->name[i].hidden)
            return &world->name[i];
    return NULL;
}

/* ---- colours ---- */
static size_t palette_find(const Palette *palette, uint64_t storage)
{
    size_t low = 0, high = palette->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (palette->painted[middle].storage < storage)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

int palette_color(const Palette *palette, uint64_t storage)
{
    size_t at = palette_find(palette, storage);
    return at < palette->count && palette->painted[at].storage == storage ? palette->painted[at].color : -1;
}

static int palette_next(const Palette *palette)
{
    int best = 0;
    for (int c = 1; c < PALETTE_COLORS; c++)
        if (palette->used[c] < palette->used[best]
            || (palette->used[c] == palette->used[best] && palette->free_since[c] < palette->free_since[best]))
            best = c;
    return best;
}

static int by_number(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

bool palette_update(Show *show, const World *world)
{
    Palette *palette = &show->palette;
    size_t want = 0;
    uint64_t *live = mem_new(show->heap, (world->objects + 1) * sizeof *live);
    if (!live)
        return false;
    for (size_t i = 0; i < world->objects; i++)
        if (world->object[i]->is_tensor)
            live[want++] = world->object[i]->storage;
    qsort(live, want, sizeof *live, by_number);
    size_t unique = 0;
    for (size_t i = 0; i < want; i++)
        if (!unique || live[unique - 1] != live[i])
            live[unique++] = live[i];
    if (unique > palette->capacity) {
        Painted *more = mem_resize(show->heap, palette->painted, 2 * unique * sizeof *more);
        if (!more) {
            mem_free(show->heap, live);
            return false;
        }
        palette->painted = more;
        palette->capacity = 2 * unique;
    }
    size_t kept = 0;
    for (size_t i = 0, j = 0; i < palette->count; i++) {        /* colours of the dead become free */
        Painted one = palette->painted[i];
        while (j < unique && live[j] < one.storage)
            j++;
        if (j < unique && live[j] == one.storage)
            palette->painted[kept++] = one;
        else {
            palette->used[one.color]--;
            palette->free_since[one.color] = ++palette->clock;
        }
    }
    palette->count = kept;
    for (size_t i = 0; i < unique; i++) {
        size_t at = palette_find(palette, live[i]);
        if (at < palette->count && palette->painted[at].storage == live[i])
            continue;
        memmove(palette->painted + at + 1, palette->painted + at,
                (palette->count - at) * sizeof *palette->painted);
        int color = palette_next(palette);
        palette->painted[at] = (Painted){ live[i], color };
        palette->used[color]++;
        palette->count++;
    }
    mem_free(show->heap, live);
    return true;
}
