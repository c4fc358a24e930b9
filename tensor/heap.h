/*
 * heap.h - the one door to memory.
 * Three kinds: objects (what id() shows; regions of their own, the last freed handed out first), data of storages
 * (what data_ptr() shows; blocks at multiples of 64, a cache of freed ones), and everything else (mem_…, malloc).
 * A heap belongs to one session. Any request can be refused for a test.
 */
#ifndef TENSOR_HEAP_H
#define TENSOR_HEAP_H
#include "tensor/err.h"
#include "tensor/event.h"
#include "tensor/object.h"

typedef struct Heap Heap;

typedef struct HeapTotals {
    int64_t  live, peak;                /* bytes asked for by living storages; the most since heap_reset_peak */
    int64_t  reserved;                  /* bytes of the blocks that living storages lie in */
    int64_t  cached;                    /* bytes of freed blocks kept for the next request */
    uint64_t storages, objects;         /* how many are alive */
    uint64_t next_storage, next_object; /* the serials that will be given next */
} HeapTotals;

/* The fields that hot paths of tensor/ and lang/ touch directly. The rest is heap.c's. */
struct Heap {
    Record    *record;                  /* borrowed; NULL: nobody watches */
    HeapTotals totals;
    uint32_t   sizes_ready;             /* see heap_object_new */
    struct FreeObject *free_object[33]; /* by size / 16, up to 512 bytes: last freed first */
    int64_t    fail_after;              /* < 0: never; counts down at each request of any kind */
    void      *owner;                   /* the session, for lang/: how an object finds it */
    void     (*drop_extra)(void *extra);        /* given by lang/: a tensor dies that it hung something on */
    struct HeapPrivate *priv;
};

/* fixed_addresses: map the regions at hints, so that runs show the same numbers (nothing else changes). */
Heap *heap_new(bool fixed_addresses, Err *err);
void  heap_free(Heap *heap);            /* everything must have been released; NULL is allowed */

/*
 * A counted object of `size` bytes (a multiple of 16 is reserved): count 1, type and serial 0 set, the rest not
 * cleared. NULL with err set. heap_of finds the heap of any object by its address.
 */
void *heap_object_new(Heap *heap, size_t size, TypeId type, Err *err);
void  heap_object_free(void *object, size_t size);      /* the same size as it was made with */
Heap *heap_of(const void *object);
/* Every living object, in the order of addresses within a chunk. `each` must neither make nor free any. */
void  heap_each_object(Heap *heap, void (*each)(void *to, Object *object), void *to);
uint64_t object_serial(void *object);   /* gives the object its serial number if it has none yet */

/* A block for `bytes` bytes of a storage on the CPU: at a multiple of 64, not initialised. Storage.c alone calls these. */
bool  heap_data_new(Heap *heap, uint64_t storage, size_t bytes, void **block, size_t *reserved, Err *err);
void  heap_data_free(Heap *heap, uint64_t storage, size_t bytes, void *block, size_t reserved);
/* Every cached block: its address and size, and the serial of the storage that left it. `each` must not change the heap. */
void  heap_each_cached(const Heap *heap, void (*each)(void *to, uint64_t address, int64_t reserved, uint64_t was), void *to);
void  heap_empty_cache(Heap *heap);     /* gives freed blocks back to the system */
void  heap_trim(Heap *heap);            /* gives back the pages of cached blocks; the blocks stay (after idle seconds) */
void  heap_reset_peak(Heap *heap);

/* Everything else. As malloc, realloc and free, but they take part in refusing and in finding leaks. */
void *mem_new(Heap *heap, size_t bytes);
void *mem_resize(Heap *heap, void *old, size_t bytes);  /* old is unchanged when NULL comes back */
void  mem_free(Heap *heap, void *memory);               /* NULL is allowed */
int64_t mem_count(const Heap *heap);    /* how many are alive */

void heap_fail_after(Heap *heap, int64_t requests);     /* refuse the request after so many, once; -1: never */
uint64_t heap_clock(const Heap *heap);  /* nanoseconds since heap_new */
#endif
