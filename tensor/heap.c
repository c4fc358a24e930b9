/*
 * heap.c - the one door to memory: regions of objects, blocks of data with a cache of freed ones, and malloc for the rest.
 *
 * Objects lie in chunks at multiples of CHUNK, so that the heap is found by masking an address. A chunk holds objects of one
 * size: a multiple of 16 up to 512 bytes, above a power of two; what is larger than a quarter of a chunk has chunks of its own.
 * So the objects of a chunk can be walked; a free one has type 0.
 * Data blocks come in classes: multiples of 64 up to 4 KiB, above eight classes for each power of two. A freed block waits in
 * the stack of its class, and the last freed is handed out first.
 */
#include "tensor/heap.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sysinfo.h>
#include <time.h>
#include <unistd.h>

enum {
    CHUNK = 1 << 20, SMALL = 512, POWERS = 10,          /* powers of two: 1 KiB … 256 KiB */
    ALIGNMENT = 64, DATA_CHUNK = 1 << 20, OWN_BLOCK = 256 << 10, HUGE_PAGE = 2 << 20,
    FINE = 4096, FINE_CLASSES = FINE / ALIGNMENT, CLASSES = FINE_CLASSES + 1 + 8 * 52
};

typedef struct FreeObject { uint64_t type_none; struct FreeObject *next; } FreeObject;     /* in place of an Object */
typedef struct Chunk {                  /* at the start of each */
    Heap  *heap;
    struct Chunk *next;
    size_t bytes, size;                 /* of the mapping; of each object */
    char  *end;                         /* behind the last object that was cut */
} Chunk;
typedef struct Cached { void *block; uint64_t was; size_t reserved; bool trimmed; } Cached;
typedef struct Stack { Cached *item; size_t n, capacity; } Stack;
typedef struct DataChunk { char *at; struct DataChunk *next; } DataChunk;

struct HeapPrivate {
    Chunk      *chunk;                  /* all of them, for heap_free */
    Chunk      *newest[SMALL / 16 + 1 + POWERS];    /* for each size the chunk that objects are cut from */
    FreeObject *power[POWERS];
    Stack       cache[CLASSES];
    DataChunk  *data;
    char       *data_bump, *data_end;
    char       *hint;                   /* where the next mapping is asked for; NULL: anywhere */
    int64_t     mem_alive;
    uint64_t    born;
    size_t      machine;                /* bytes that there can be at most; 0: not asked for yet */
};

static uint64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

uint64_t heap_clock(const Heap *heap)
{
    return now() - heap->priv->born;
}

/* A mapping of `bytes` (whole pages) at a multiple of `align`; NULL when the system has none. */
static char *map(struct HeapPrivate *p, size_t bytes, size_t align)
{
    size_t whole = bytes + align;
    if (whole < bytes)
        return NULL;
    char *hint = p->hint ? p->hint : NULL;
    char *at = mmap(hint, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED)
        return NULL;
    char *start = (char *)(((uintptr_t)at + align - 1) & ~(uintptr_t)(align - 1));
    if (start > at)
        munmap(at, (size_t)(start - at));
    if (start + bytes < at + whole)
        munmap(start + bytes, (size_t)(at + whole - start - bytes));
    if (hint)
        p->hint = start + bytes;
    return start;
}

static bool refused(Heap *heap)
{
    if (heap->fail_after < 0)
        return false;
    if (heap->fail_after-- > 0)
        return false;
    heap->fail_after = -1;
    return true;
}

void heap_fail_after(Heap *heap, int64_t requests)
{
    heap->fail_after = requests;
}

Heap *heap_new(bool fixed_addresses, Err *err)
{
    Heap *heap = calloc(1, sizeof *heap);
    struct HeapPrivate *p = calloc(1, sizeof *p);
    if (!heap || !p) {
        free(heap);
        free(p);
        err_memory(err, sizeof *heap + sizeof *p);
        return NULL;
    }
    p->born = now();
    p->hint = fixed_addresses ? (char *)(uintptr_t)0x200000000000u : NULL;
    heap->priv = p;
    heap->fail_after = -1;
    heap->totals.next_storage = heap->totals.next_object = 1;
    return heap;
}

void heap_free(Heap *heap)
{
    if (!heap)
        return;
    struct HeapPrivate *p = heap->priv;
    heap_empty_cache(heap);
    for (int k = 0; k < CLASSES; k++)
        free(p->cache[k].item);
    for (Chunk *c = p->chunk, *next; c; c = next) {
        next = c->next;
        munmap(c, c->bytes);
    }
    for (DataChunk *d = p->data, *next; d; d = next) {
        next = d->next;
        munmap(d->at, DATA_CHUNK);
        free(d);
    }
    free(p);
    free(heap);
}

/* ---- objects -------------------------------------------------------------------------------------------- */
static int power_of(size_t size)                        /* 513 … 1024: 0 */
{
    int k = 0;
    while (((size_t)1024 << k) < size)
        k++;
    return k;
}

/* The number of the free list of a size that is not larger than CHUNK / 4; the size becomes that of the list. */
static int list_of(size_t *size)
{
    if (*size <= SMALL)
        return (int)(*size / 16);
    int k = power_of(*size);
    *size = (size_t)1024 << k;
    return SMALL / 16 + 1 + k;
}

static Chunk *chunk_new(Heap *heap, size_t size, size_t bytes)
{
    struct HeapPrivate *p = heap->priv;
    Chunk *chunk = (Chunk *)map(p, bytes, CHUNK);
    if (!chunk)
        return NULL;
    *chunk = (Chunk){ heap, p->chunk, bytes, size, (char *)chunk + ((sizeof(Chunk) + 15) & ~(size_t)15) };
    p->chunk = chunk;
    return chunk;
}

static void *object_cut(Heap *heap, int list, size_t size)
{
    Chunk **newest = &heap->priv->newest[list];
    if (!*newest || (*newest)->end + size > (char *)*newest + CHUNK) {
        Chunk *chunk = chunk_new(heap, size, CHUNK);
        if (!chunk)
            return NULL;
        *newest = chunk;
    }
    (*newest)->end += size;
    return (*newest)->end - size;
}

static void *object_alone(Heap *heap, size_t size)
{
    Chunk *chunk = chunk_new(heap, size, (size + sizeof(Chunk) + 16 + CHUNK - 1) & ~(size_t)(CHUNK - 1));
    if (!chunk)
        return NULL;
    chunk->end += size;
    return chunk->end - size;
}

static FreeObject **free_list(Heap *heap, int list)
{
    return list <= SMALL / 16 ? &heap->free_object[list] : &heap->priv->power[list - SMALL / 16 - 1];
}

/* The limit that the system sets for this process's group, if there is one. */
static size_t group_limit(const char *path)
{
    unsigned long long limit = 0;
    FILE *file = fopen(path, "r");
    if (file && fscanf(file, "%llu", &limit) != 1)
        limit = 0;
    if (file)
        fclose(file);
    return limit ? (size_t)limit : SIZE_MAX;
}

/* The system would promise more than there is, and end the process when it is written. */
static size_t machine_limit(void)
{
    struct sysinfo info;
    size_t limit = sysinfo(&info) ? SIZE_MAX : ((size_t)info.totalram + info.totalswap) * info.mem_unit;
    size_t group = group_limit("/sys/fs/cgroup/memory.max"), old = group_limit("/sys/fs/cgroup/memory/memory.limit_in_bytes");
    limit = group < limit ? group : limit;
    return old < limit ? old : limit;
}

static bool fits_machine(Heap *heap, size_t bytes)
{
    struct HeapPrivate *p = heap->priv;
    if (bytes < (size_t)1 << 28 && (size_t)heap->totals.reserved < (size_t)1 << 30)
        return true;                                    /* small: not worth asking the system */
    if (!p->machine)
        p->machine = machine_limit();
    if (bytes > p->machine || (size_t)heap->totals.reserved > p->machine - bytes)
        return false;
    if ((size_t)(heap->totals.reserved + heap->totals.cached) > p->machine - bytes)
        heap_empty_cache(heap);
    return true;
}

void *heap_object_new(Heap *heap, size_t size, TypeId type, Err *err)
{
    size_t whole = (size + 15) & ~(size_t)15;
    Object *object = NULL;
    if (!refused(heap)) {
        if (whole > CHUNK / 4)
            object = fits_machine(heap, whole) ? object_alone(heap, whole) : NULL;
        else {
            int list = list_of(&whole);
            FreeObject **first = free_list(heap, list);
            object = (Object *)*first;
            if (object)
                *first = (*first)->next;
            else
                object = object_cut(heap, list, whole);
        }
    }
    if (!object) {
        err_memory(err, size);
        return NULL;
    }
    *object = (Object){ .count = 1, .type = (uint16_t)type };
    heap->totals.objects++;
    return object;
}

void heap_each_object(Heap *heap, void (*each)(void *to, Object *object), void *to)
{
    for (Chunk *chunk = heap->priv->chunk, *next; chunk; chunk = next) {
        next = chunk->next;
        for (char *at = (char *)chunk + ((sizeof(Chunk) + 15) & ~(size_t)15); at < chunk->end; at += chunk->size)
            if (((Object *)at)->type != TYPE_NONE)
                each(to, (Object *)at);
    }
}

static void chunk_drop(struct HeapPrivate *p, Chunk *chunk)
{
    Chunk **at = &p->chunk;
    while (*at != chunk)
        at = &(*at)->next;
    *at = chunk->next;
    munmap(chunk, chunk->bytes);
}

void heap_object_free(void *object, size_t size)
{
    Heap *heap = heap_of(object);
    size_t whole = (size + 15) & ~(size_t)15;
    heap->totals.objects--;
    if (whole > CHUNK / 4) {
        chunk_drop(heap->priv, (Chunk *)((uintptr_t)object & ~(uintptr_t)(CHUNK - 1)));
        return;
    }
    FreeObject **first = free_list(heap, list_of(&whole)), *freed = object;
    *freed = (FreeObject){ TYPE_NONE, *first };
    *first = freed;
}

Heap *heap_of(const void *object)
{
    return ((const Chunk *)((uintptr_t)object & ~(uintptr_t)(CHUNK - 1)))->heap;
}

uint64_t object_serial(void *object)
{
    Object *o = object;
    if (!o->serial)
        o->serial = heap_of(object)->totals.next_object++;
    return o->serial;
}

/* ---- data ----------------------------------------------------------------------------------------------- */
/* The class of a request and the size of its blocks. */
static int class_of(size_t bytes, size_t *reserved)
{
    size_t whole = bytes < ALIGNMENT ? ALIGNMENT : (bytes + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
    if (whole <= FINE) {
        *reserved = whole;
        return (int)(whole / ALIGNMENT);
    }
    int log = 63 - __builtin_clzll((unsigned long long)(whole - 1));     /* 2^log < whole <= 2^(log + 1) */
    size_t step = (size_t)1 << (log - 3);
    size_t eighth = (whole - ((size_t)1 << log) + step - 1) / step;       /* 1 … 8 */
    *reserved = ((size_t)1 << log) + eighth * step;
    return FINE_CLASSES + 8 * (log - 12) + (int)eighth;
}

static void *data_cut(struct HeapPrivate *p, size_t reserved)
{
    if (reserved >= OWN_BLOCK) {
        size_t page = reserved >= HUGE_PAGE ? HUGE_PAGE : 4096;
        char *block = map(p, (reserved + 4095) & ~(size_t)4095, page);
        if (block && reserved >= HUGE_PAGE)
            madvise(block, reserved & ~(size_t)(HUGE_PAGE - 1), MADV_HUGEPAGE);
        return block;
    }
    if (reserved > (size_t)(p->data_end - p->data_bump)) {
        DataChunk *chunk = malloc(sizeof *chunk);
        char *at = chunk ? map(p, DATA_CHUNK, 4096) : NULL;
        if (!at) {
            free(chunk);
            return NULL;
        }
        *chunk = (DataChunk){ at, p->data };
        p->data = chunk;
        p->data_bump = at;
        p->data_end = at + DATA_CHUNK;
    }
    p->data_bump += reserved;
    return p->data_bump - reserved;
}

static bool data_refused(Heap *heap, size_t bytes, Err *err)
{
    if (heap->record) {
        Event *event = record_add(heap->record, EVENT_OOM);
        event->bytes = (int64_t)bytes;
    }
    return err_set(err, ERR_RUNTIME, "no memory for a tensor of %zu bytes; %lld bytes are live", bytes,
                   (long long)heap->totals.live);
}

bool heap_data_new(Heap *heap, uint64_t storage, size_t bytes, void **block, size_t *reserved, Err *err)
{
    struct HeapPrivate *p = heap->priv;
    HeapTotals *t = &heap->totals;
    if (bytes > (size_t)1 << 47)
        return data_refused(heap, bytes, err);
    Stack *stack = &p->cache[class_of(bytes, reserved)];
    Cached found = { 0 };
    if (refused(heap))
        return data_refused(heap, bytes, err);
    if (stack->n) {
        found = stack->item[--stack->n];
        *reserved = found.reserved;
        t->cached -= (int64_t)found.reserved;
    } else if (!fits_machine(heap, *reserved) || !(found.block = data_cut(p, *reserved)))
        return data_refused(heap, bytes, err);
    *block = found.block;
    t->storages++;
    t->reserved += (int64_t)*reserved;
    t->live += (int64_t)bytes;
    if (t->live > t->peak)
        t->peak = t->live;
    Record *record = heap->record;
    if (!record)
        return true;
    Event *event = record_add(record, EVENT_ALLOC);
    event->storage = storage;
    event->bytes = (int64_t)bytes;
    event->reserved = (int64_t)*reserved;
    event->address = (uint64_t)(uintptr_t)found.block;
    event->origin = found.was ? ORIGIN_CACHE : ORIGIN_SYSTEM;
    event->was = found.was;
    event->time = found.was ? 0 : heap_clock(heap);
    record->allocated += (int64_t)bytes;
    record->allocations++;
    if (t->live > record->peak) {
        record->peak = t->live;
        record->peak_line = event->outer;
    }
    return true;
}

void heap_data_free(Heap *heap, uint64_t storage, size_t bytes, void *block, size_t reserved)
{
    struct HeapPrivate *p = heap->priv;
    HeapTotals *t = &heap->totals;
    size_t of_class;
    Stack *stack = &p->cache[class_of(reserved, &of_class)];
    bool kept = true;
    t->storages--;
    t->live -= (int64_t)bytes;
    t->reserved -= (int64_t)reserved;
    if (stack->n == stack->capacity) {
        size_t capacity = stack->capacity ? 2 * stack->capacity : 4;
        Cached *item = realloc(stack->item, capacity * sizeof *item);
        kept = item;
        if (kept)
            *stack = (Stack){ item, stack->n, capacity };
    }
    if (kept) {
        stack->item[stack->n++] = (Cached){ block, storage, reserved, false };
        t->cached += (int64_t)reserved;
    } else if (reserved >= OWN_BLOCK)                   /* a small one goes with its chunk */
        munmap(block, (reserved + 4095) & ~(size_t)4095);
    Record *record = heap->record;
    if (!record)
        return;
    Event *event = record_add(record, EVENT_FREE);
    event->storage = storage;
    event->bytes = (int64_t)bytes;
    event->reserved = (int64_t)reserved;
    event->address = (uint64_t)(uintptr_t)block;
    event->origin = kept ? ORIGIN_CACHE : ORIGIN_SYSTEM;
    record->freed += (int64_t)bytes;
    record->frees++;
}

void heap_empty_cache(Heap *heap)
{
    struct HeapPrivate *p = heap->priv;
    for (int k = 0; k < CLASSES; k++) {
        Stack *stack = &p->cache[k];
        size_t kept = 0;
        for (size_t i = 0; i < stack->n; i++)
            if (stack->item[i].reserved >= OWN_BLOCK) {
                munmap(stack->item[i].block, (stack->item[i].reserved + 4095) & ~(size_t)4095);
                heap->totals.cached -= (int64_t)stack->item[i].reserved;
            } else
                stack->item[kept++] = stack->item[i];   /* its chunk is shared with living blocks */
        stack->n = kept;
    }
}

void heap_each_cached(const Heap *heap, void (*each)(void *to, uint64_t address, int64_t reserved, uint64_t was), void *to)
{
    for (int k = 0; k < CLASSES; k++)
        for (size_t i = 0; i < heap->priv->cache[k].n; i++) {
            const Cached *c = &heap->priv->cache[k].item[i];
            each(to, (uint64_t)(uintptr_t)c->block, (int64_t)c->reserved, c->was);
        }
}

void heap_trim(Heap *heap)
{
    for (int k = 0; k < CLASSES; k++)
        for (size_t i = 0; i < heap->priv->cache[k].n; i++) {
            Cached *c = &heap->priv->cache[k].item[i];
            if (c->reserved >= OWN_BLOCK && !c->trimmed)
                c->trimmed = !madvise(c->block, (c->reserved + 4095) & ~(size_t)4095, MADV_DONTNEED);
        }
}

void heap_reset_peak(Heap *heap)
{
    heap->totals.peak = heap->totals.live;
}

/* ---- everything else ------------------------------------------------------------------------------------ */
void *mem_new(Heap *heap, size_t bytes)
{
    void *memory = refused(heap) || !fits_machine(heap, bytes) ? NULL : malloc(bytes ? bytes : 1);
    heap->priv->mem_alive += memory != NULL;
    return memory;
}

void *mem_resize(Heap *heap, void *old, size_t bytes)
{
    void *memory = refused(heap) || !fits_machine(heap, bytes) ? NULL : realloc(old, bytes ? bytes : 1);
    heap->priv->mem_alive += memory && !old;
    return memory;
}

void mem_free(Heap *heap, void *memory)
{
    heap->priv->mem_alive -= memory != NULL;
    free(memory);
}

int64_t mem_count(const Heap *heap)
{
    return heap->priv->mem_alive;
}
