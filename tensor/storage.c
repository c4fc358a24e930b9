/*
 * storage.c - a counted block of bytes, and the list of the tensors over it.
 */
#include "tensor/impl.h"

Storage *storage_new(Context *ctx, Device device, size_t bytes, Err *err)
{
    if (device.type != DEVICE_CPU) {
        err_set(err, ERR_RUNTIME, "this build of Locus has no device for cuda tensors");
        return NULL;
    }
    Storage *storage = heap_object_new(ctx->heap, sizeof *storage, TYPE_STORAGE, err);
    if (!storage)
        return NULL;
    uint64_t serial = ctx->heap->totals.next_storage;
    storage->head.serial = serial;
    storage->bytes = bytes;
    storage->device = device;
    storage->first = (Version){ .inside = storage };
    storage->oldest = storage->newest = NULL;
    storage->last_reader = 0;
    if (!heap_data_new(ctx->heap, serial, bytes, &storage->data, &storage->reserved, err)) {
        heap_object_free(storage, sizeof *storage);
        return NULL;
    }
    ctx->heap->totals.next_storage++;
    return storage;
}

Storage *storage_retain(Storage *storage)
{
    storage->head.count++;
    return storage;
}

void storage_release(Storage *storage)
{
    if (!storage || --storage->head.count)
        return;
    heap_data_free(heap_of(storage), storage->head.serial, storage->bytes, storage->data, storage->reserved);
    heap_object_free(storage, sizeof *storage);
}

uint64_t storage_serial(const Storage *storage) { return storage->head.serial; }
size_t storage_bytes(const Storage *storage) { return storage->bytes; }
size_t storage_reserved(const Storage *storage) { return storage->reserved; }
void *storage_data(const Storage *storage) { return storage->data; }
Device storage_device(const Storage *storage) { return storage->device; }
Tensor *storage_first(const Storage *storage) { return storage->oldest; }
