/*
 * object.h - the header of everything that is counted: storages, tensors and every object of the language.
 * An object lies in the heap's region of objects (heap.h); its address is what id() shows.
 */
#ifndef TENSOR_OBJECT_H
#define TENSOR_OBJECT_H
#include <stdint.h>

typedef enum TypeId {
    TYPE_NONE,                          /* no object */
#define TYPE(id, name) TYPE_##id,
#include "tensor/types.def"
    TYPE_COUNT
} TypeId;

typedef struct Object {
    uint32_t count;                     /* references; plain, since one thread touches objects */
    uint16_t type;                      /* TypeId */
    uint16_t flags;                     /* OBJECT_… and what the type says */
    uint64_t serial;                    /* never used again; 0: not given yet (object_serial gives it) */
} Object;

enum { OBJECT_QUEUED = 0x8000, OBJECT_IMMORTAL = 0x4000, OBJECT_MARKED = 0x2000 };
#endif
