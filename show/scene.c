/* scene.c - the facts of one moment, sorted for drawing. */
#include "show/past.h"
#include <stdlib.h>
#include <string.h>

typedef struct Gather { Pool *pool; const void **item; size_t n, capacity; bool failed; } Gather;

static void gather(void *to, uint64_t key, const void *fact, size_t size)
{
    Gather *g = to;
    (void)key, (void)size;
    if (g->n == g->capacity) {
        size_t capacity = g->capacity ? 2 * g->capacity : 64;
        const void **more = pool_array(g->pool, capacity, sizeof *more);
        g->failed = g->failed || !more;
        if (!more)
            return;
        if (g->n)
            memcpy(more, g->item, g->n * sizeof *more);
        g->item = more;
        g->capacity = capacity;
    }
    g->item[g->n++] = fact;
}

static Gather facts(Pool *pool, const Ledger *ledger, LedgerKind kind)
{
    Gather g = { .pool = pool };
    ledger_each(ledger, kind, gather, &g);
    return g;
}

static int compare(uint64_t x, uint64_t y) { return (x > y) - (x < y); }

static int by_address(const void *a, const void *b)
{
    return compare((*(const PastBlock *const *)a)->address, (*(const PastBlock *const *)b)->address);
}

static int by_storage(const void *a, const void *b)     /* of tensors: by storage, then by serial */
{
    const PastTensor *x = *(const PastTensor *const *)a, *y = *(const PastTensor *const *)b;
    return x->storage != y->storage ? compare(x->storage, y->storage) : compare(x->object, y->object);
}

static int by_object(const void *a, const void *b)      /* of names: by object, hidden ones last, then by age */
{
    const PastName *x = *(const PastName *const *)a, *y = *(const PastName *const *)b;
    if (x->object != y->object)
        return compare(x->object, y->object);
    return x->hidden != y->hidden ? (x->hidden ? 1 : -1) : compare(x->order, y->order);
}

static int named_first(const void *a, const void *b)    /* of storages: those that names reach, then by serial */
{
    const SceneStorage *x = a, *y = b;
    if ((x->tensors > 0) != (y->tensors > 0))
        return x->tensors ? -1 : 1;
    return compare(x->block->storage, y->block->storage);
}

static void sort(void *array, size_t n, size_t size, int (*order)(const void *, const void *))
{
    if (n)
        qsort(array, n, size, order);
}

static bool fill_names(Scene *scene, SceneTensor *tensor, const Gather *names)
{
    size_t low = 0, high = names->n;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (((const PastName *)names->item[middle])->object < tensor->tensor->object)
            low = middle + 1;
        else
            high = middle;
    }
    size_t end = low;
    while (end < names->n && ((const PastName *)names->item[end])->object == tensor->tensor->object)
        end++;
    if (!(tensor->name = pool_array(scene->pool, end - low, sizeof *tensor->name)))
        return false;
    for (; low < end; low++) {
        const PastName *name = names->item[low];
        tensor->name[tensor->names++] = name->path;
        tensor->shown += !name->hidden;
    }
    return true;
}

static bool fill_storages(Scene *scene, const Ledger *ledger, const Gather *tensors, const Gather *names)
{
    SceneTensor *tensor = pool_array(scene->pool, tensors->n, sizeof *tensor);
    scene->storage = pool_array(scene->pool, scene->blocks, sizeof *scene->storage);
    if (!tensor || !scene->storage)
        return false;
    for (size_t i = 0; i < tensors->n; i++) {
        tensor[i].tensor = tensors->item[i];
        if (!fill_names(scene, &tensor[i], names))
            return false;
    }
    for (size_t i = 0; i < scene->blocks; i++) {
        const PastBlock *block = scene->block[i];
        if (!block->storage) {
            scene->cached += block->reserved;
            continue;
        }
        SceneStorage *storage = &scene->storage[scene->storages++];
        size_t low = 0, high = tensors->n;
        scene->live += block->bytes;
        scene->reserved += block->reserved;
        storage->block = block;
        storage->values = ledger_get(ledger, LEDGER_VALUES, block->storage, &storage->value_bytes);
        while (low < high) {
            size_t middle = (low + high) / 2;
            if (tensor[middle].tensor->storage < block->storage)
                low = middle + 1;
            else
                high = middle;
        }
        storage->tensor = tensor + low;
        while (low + storage->tensors < tensors->n && tensor[low + storage->tensors].tensor->storage == block->storage)
            storage->tensors++;
        scene->named += storage->tensors > 0;
    }
    sort(scene->storage, scene->storages, sizeof *scene->storage, named_first);
    return true;
}

Scene *scene_new(Heap *heap, const Ledger *ledger)
{
    Pool *pool = pool_new(heap);
    Scene *scene = pool ? pool_get(pool, sizeof *scene) : NULL;
    if (!scene) {
        pool_free(pool);
        return NULL;
    }
    scene->pool = pool;
    Gather blocks = facts(pool, ledger, LEDGER_BLOCK), tensors = facts(pool, ledger, LEDGER_TENSOR), names = facts(pool, ledger, LEDGER_NAME);
    sort(blocks.item, blocks.n, sizeof *blocks.item, by_address);
    sort(tensors.item, tensors.n, sizeof *tensors.item, by_storage);
    sort(names.item, names.n, sizeof *names.item, by_object);
    scene->block = (const PastBlock **)blocks.item;
    scene->blocks = blocks.n;
    if (blocks.failed || tensors.failed || names.failed || !fill_storages(scene, ledger, &tensors, &names)) {
        pool_free(pool);
        return NULL;
    }
    return scene;
}

void scene_free(Scene *scene)
{
    if (scene)
        pool_free(scene->pool);
}

const char *scene_name(const SceneStorage *storage)
{
    for (size_t i = 0; i < storage->tensors; i++)
        if (storage->tensor[i].names)
            return storage->tensor[i].name[0];
    return "";
}
