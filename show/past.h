/*
 * past.h - what names, tensors and blocks were after each statement: the facts that %map, %why, %at and %back draw from.
 * The facts lie in a ledger, one for each block of memory, tensor, name and small storage's values.
 */
#ifndef SHOW_PAST_H
#define SHOW_PAST_H
#include "show/ledger.h"
#include "show/rows.h"

enum { PAST_NAME = 32, PAST_SOURCE = 96, PAST_VALUES = 512 };

typedef struct PastBlock {              /* LEDGER_BLOCK, by address: of a living storage, or cached */
    uint64_t address, storage;          /* storage 0: cached */
    uint64_t was;                       /* cached: the storage that left it; living: whose block it was before, or 0 */
    int64_t  bytes, reserved;           /* bytes asked for; 0 when cached */
    int32_t  made, written;             /* numbers of statements; 0: not known */
    Device   device;
    char     name[PAST_NAME];           /* cached: the name that the storage had last; or "" */
    char     writer[PAST_SOURCE];       /* text of the statement that wrote it last */
} PastBlock;

typedef struct PastTensor {             /* LEDGER_TENSOR, by serial: what names reach */
    uint64_t object, id, storage, data, base;
    int64_t  offset, numel, version;
    DType    dtype;
    Device   device;
    int32_t  ndim;
    bool     requires_grad, is_array, is_contiguous;
    int32_t  made;                      /* number of the statement; 0: not known */
    char     maker[PAST_SOURCE];        /* its text */
    uint64_t copied;                    /* the storage that its elements were copied from; 0: none */
    uint64_t copied_object;
    char     copied_name[PAST_NAME];    /* a name of what was copied, "" for none */
    int32_t  reason, copied_ndim;       /* CopyReason; dims of what was copied */
    int64_t  copied_dims[2 * EVENT_DIMS];       /* shape, then strides */
    int64_t  dims[];                    /* shape, then strides */
} PastTensor;

typedef struct PastName {               /* LEDGER_NAME, by hash of the path */
    uint64_t object;
    uint64_t order;                     /* grows by age of the name */
    bool     hidden;
    char     path[];                    /* terminated */
} PastName;

typedef struct Past Past;
/* Begins with what is there now. NULL: no memory. */
Past *past_new(Show *show, int number);
void     past_free(Past *past);                /* NULL is allowed */
/* A recorded statement has ended. Without memory the past is shorter, nothing else. */
void     past_note(Past *past, const Statement *done, const World *before, const World *after);
/* Something changed without a statement (%reset, %xdel): what is there now counts as what the last statement left. */
void     past_sync(Past *past, const World *after);
const Ledger *past_ledger(const Past *past);

/* ---- a scene: facts of one moment, sorted for drawing ---- */
typedef struct SceneTensor {
    const PastTensor *tensor;
    const char **name;                  /* its names, oldest first; hidden ones last */
    size_t  names, shown;               /* shown: that are not hidden */
} SceneTensor;
typedef struct SceneStorage {
    const PastBlock *block;
    const SceneTensor *tensor;          /* over it, by serial */
    size_t  tensors;
    const unsigned char *values;        /* its bytes when they are few; or NULL */
    size_t  value_bytes;
} SceneStorage;
typedef struct Scene {
    Pool   *pool;                       /* owned */
    SceneStorage *storage;              /* with tensors that have names, by serial; then others */
    size_t  storages, named;            /* named: how many of them names reach */
    const PastBlock **block;            /* all, living and cached, by address */
    size_t  blocks;
    int64_t live, reserved, cached;
} Scene;
/* Valid until the ledger changes. NULL: no memory. */
Scene *scene_new(Heap *heap, const Ledger *ledger);
void   scene_free(Scene *scene);                        /* NULL is allowed */
const char *scene_name(const SceneStorage *storage);    /* its first name, or "" */
#endif
