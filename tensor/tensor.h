/*
 * tensor.h - the one header of tensor/ for lang/: handles, their facts, and op_call, the path of every operation.
 * Arguments are borrowed, returned pointers are new references, false or NULL means that err is set.
 */
#ifndef TENSOR_TENSOR_H
#define TENSOR_TENSOR_H
#include "tensor/err.h"
#include "tensor/event.h"
#include "tensor/heap.h"
#include "tensor/object.h"
#include "tensor/text.h"

/* ---- dtypes and devices ------------------------------------------------------------------------------- */
typedef enum DType {
#define DTYPE(id, name, suffix, type, kind) DT_##id,
#include "tensor/dtypes.def"
    DT_COUNT,
    DT_NONE = 255                       /* not given */
} DType;
typedef enum DKind { DKIND_BOOL, DKIND_INT, DKIND_FLOAT } DKind;

const char *dtype_name(DType dtype);    /* "float32" */
size_t      dtype_size(DType dtype);    /* bytes of an element */
DKind       dtype_kind(DType dtype);
DType       dtype_promote(DType a, DType b);            /* as torch.promote_types */
bool        dtype_can_cast(DType from, DType to);       /* as torch.can_cast */
/* For torch.finfo and torch.iinfo; false for the wrong kind. */
typedef struct DTypeInfo { double max, min, eps, tiny, smallest_normal, resolution; int64_t imax, imin; int bits; } DTypeInfo;
bool        dtype_info(DType dtype, DTypeInfo *info);

typedef struct Device { uint8_t type, index; } Device;  /* type 0: cpu, 1: cuda, 2: meta */
enum { DEVICE_CPU, DEVICE_CUDA };
/* Reads "cpu", "cuda", "cuda:1"; RuntimeError with PyTorch's list for another. */
bool        device_parse(const char *text, Device *device, Err *err);
void        device_print(Device device, Text *text);    /* "cpu", "cuda:0" */

/* ---- storages and tensors ----------------------------------------------------------------------------- */
typedef struct Storage Storage;
typedef struct Tensor Tensor;
typedef struct Generator Generator;

uint64_t storage_serial(const Storage *storage);
size_t   storage_bytes(const Storage *storage);         /* asked for */
size_t   storage_reserved(const Storage *storage);      /* of its block */
void    *storage_data(const Storage *storage);
Device   storage_device(const Storage *storage);
Storage *storage_retain(Storage *storage);
void     storage_release(Storage *storage);
/* The living tensors over a storage, oldest first: borrowed. */
Tensor  *storage_first(const Storage *storage);
Tensor  *tensor_next_sharer(const Tensor *tensor);

Tensor  *tensor_retain(Tensor *tensor);                 /* returns its argument */
void     tensor_release(Tensor *tensor);                /* NULL is allowed */
DType    tensor_dtype(const Tensor *t);
Device   tensor_device(const Tensor *t);
int      tensor_ndim(const Tensor *t);
const int64_t *tensor_shape(const Tensor *t);           /* as long as the tensor is not resized */
const int64_t *tensor_strides(const Tensor *t);         /* in elements */
int64_t  tensor_numel(const Tensor *t);
int64_t  tensor_offset(const Tensor *t);                /* storage_offset, in elements */
Storage *tensor_storage(const Tensor *t);               /* borrowed */
int      tensor_storage_holds(const Tensor *t);         /* its references to it: 2 when its version counter lies in the storage, else 1 */
void    *tensor_data(const Tensor *t);                  /* data_ptr: the first element; NULL without elements */
int64_t  tensor_version(const Tensor *t);
Tensor  *tensor_base(const Tensor *t);                  /* _base: borrowed, NULL for none */
/* Another handle over t's elements, with a family of versions of its own: writes through one do not count for the other. */
typedef struct Context Context;
Tensor  *tensor_share(Context *ctx, Tensor *t, Err *err);
/* A tensor over t's storage with these dims; every element must lie in it (the caller has checked). Own versions, from 1 on; no base. */
Tensor  *tensor_over(Context *ctx, Tensor *t, int ndim, const int64_t *shape, const int64_t *strides, int64_t offset, Err *err);
void     tensor_set_base(Tensor *t, Tensor *taken);
uint64_t tensor_serial(const Tensor *t);                /* the object's number; every tensor has one from birth */
bool     tensor_is_contiguous(const Tensor *t);
bool     tensor_is_leaf(const Tensor *t);
bool     tensor_requires_grad(const Tensor *t);
bool     tensor_is_set_to(const Tensor *a, const Tensor *b);
bool     tensor_overlap(const Tensor *a, const Tensor *b);      /* do they have a byte in common? exact up to a bound */
/* What lang/ hangs on a tensor (attributes); let go of through Heap.drop_extra, before the tensor's bytes. */
void    *tensor_extra(const Tensor *t);
void     tensor_set_extra(Tensor *t, void *extra);

/* One element by its indices (ndim of them), as a number: kind says which member holds it. */
typedef struct Number { DKind kind; union { bool b; int64_t i; double f; }; } Number;
Number   tensor_element(const Tensor *t, const int64_t *index);
bool     tensor_item(const Tensor *t, Number *number, Err *err);    /* of one element, else PyTorch's error */
Number   number_load(DType dtype, const void *address);             /* what an element's bytes mean */
void     number_cast(DType dtype, Number *number);                  /* to what an element of that dtype would hold */

/* ---- the context of a session ------------------------------------------------------------------------- */
typedef struct PrintOptions { int precision, threshold, edgeitems, linewidth; int sci_mode; /* -1: decided by values */ } PrintOptions;
struct Context {
    Heap        *heap;                  /* owned */
    Generator   *generator;             /* owned: the default random stream of the CPU */
    DType        default_dtype;
    bool         grad_mode, inference_mode;
    volatile int *interrupted;          /* borrowed: long loops stop when it is not 0 */
    PrintOptions print;
    int          threads;               /* that work on a large operation; 0: as many as there are cores */
    struct Pool *pool;                  /* owned; NULL before the first large operation: see tensor/cpu/parallel.c */
    uint16_t     op;                    /* OpId of the operation that runs: events name it */
};
bool context_init(Context *ctx, bool fixed_addresses, Err *err);
void context_close(Context *ctx);

/* How many threads work on a large operation, the caller's among them. Setting ends those that sleep. */
int  parallel_threads(Context *ctx);
void parallel_set_threads(Context *ctx, int threads);

/* ---- operations --------------------------------------------------------------------------------------- */
typedef enum OpId {
#define OP(id, ...) OP_##id,
#include "tensor/ops.def"
    OP_COUNT
} OpId;

typedef enum ArgKind {
    ARG_NONE,                           /* not given, or None */
    ARG_TENSOR, ARG_BOOL, ARG_INT, ARG_FLOAT,           /* the last three also are operands: a number never becomes a tensor */
    ARG_INTS, ARG_TENSORS, ARG_DTYPE, ARG_DEVICE, ARG_STR, ARG_INDEX, ARG_GENERATOR, ARG_NUMBERS
} ArgKind;

/* One part of an index x[…]: see OP_index and OP_index_put_. */
typedef struct IndexItem {
    enum { INDEX_INT, INDEX_SLICE, INDEX_NONE, INDEX_ELLIPSIS, INDEX_TENSOR, INDEX_BOOL } kind;
    int64_t start, stop, step;          /* INT: start; SLICE: INT64_MIN for a start or stop that was left out */
    bool    has_start, has_stop;
    bool    flag;                       /* BOOL: a Python bool as index */
    Tensor *tensor;                     /* TENSOR: integers, or a mask; borrowed */
} IndexItem;

typedef struct Arg {
    ArgKind kind;
    int32_t n;                          /* INTS, TENSORS, INDEX, NUMBERS: how many */
    union {
        Tensor *tensor; bool b; int64_t i; double f;
        const int64_t *ints; Tensor **tensors; const IndexItem *index; const Number *numbers;
        DType dtype; Device device; const char *str; Generator *generator;
    };
} Arg;

enum { CALL_ARGS = 10, CALL_OUTS = 4 };

/*
 * A call: arguments in the order of the row's signature (ops.def), borrowed. Results come in out[] as new references.
 * In-place form: set `inplace`, and leave out[] empty; out[0] comes back as a new reference to arg[0].tensor.
 * out= form: put the tensors into out[] and set `given`; they come back with a reference more.
 * Rows with any number of results (split, unbind …) put them into `many`, an array from mem_new, the caller's to free.
 */
typedef struct Call {
    int      args;                      /* how many of arg[] are set; the rest counts as ARG_NONE */
    bool     inplace;
    int      given;                     /* how many of out[] the caller gave for out= */
    int      outs;                      /* results that came back in out[] */
    int      many_count;
    Tensor **many;
    Number   number;                    /* rows that answer a number or a bool (equal, allclose, is_nonzero …): has_number */
    bool     has_number;
    Arg      arg[CALL_ARGS];            /* only the first `args` are ever read: never cleared as a whole */
    Tensor  *out[CALL_OUTS];
    Tensor  *staged[CALL_OUTS];         /* of given ones: where the result is computed first when out[] has another dtype or layout */
} Call;

/* The one path of every operation. On failure no result is left, and operands are as they were. */
bool op_call(Context *ctx, OpId id, Call *call, Err *err);

/* The dtype of an arithmetic operation on all the call's arguments (tensors and numbers). */
DType call_promote(Context *ctx, const Call *call);
/* The common shape, which may be one of the two; room for 64 sizes. RuntimeError when they do not broadcast. */
bool shape_broadcast(int ndim_a, const int64_t *a, int ndim_b, const int64_t *b, int *ndim, int64_t *shape, Err *err);

typedef struct OpInfo {
    const char *id;                     /* "max_dim" */
    const char *name;                   /* the Python name, "max": rows of one name are overloads, tried in order */
    const char *forms;                  /* f torch.name, m Tensor.name, i Tensor.name_, o takes out=, p a property: see ops.def */
    const char *signature;
    const char *result;                 /* names of a named result, "values, indices", or "" */
    const char *grad;                   /* "AddBackward0" without the 0, or "None" */
} OpInfo;
extern const OpInfo op_info[];          /* OP_COUNT rows */

/* Shortcuts over op_call for callers in C that need one result. */
Tensor *op_unary(Context *ctx, OpId id, Tensor *a, Err *err);
Tensor *op_binary(Context *ctx, OpId id, Tensor *a, Tensor *b, Err *err);

/* ---- making tensors from outside ---------------------------------------------------------------------- */
/* A new dense tensor, not initialised: what the reader of nested lists fills in. */
Tensor *tensor_empty(Context *ctx, DType dtype, Device device, int ndim, const int64_t *shape, Err *err);
/* Stores numbers in row-major order from element `first` on, cast to its dtype (OverflowError/RuntimeError as PyTorch). */
bool    tensor_store(Context *ctx, Tensor *t, int64_t first, const Number *numbers, int64_t n, Err *err);
/* x.data = y: t looks at other's storage from now on, with its shape and strides; the object and its version stay. */
bool    tensor_set_data(Tensor *t, Tensor *other, Err *err);
bool    tensor_set_requires_grad(Context *ctx, Tensor *t, bool on, Err *err);

/* ---- printing and random streams ---------------------------------------------------------------------- */
/* repr(t) as PyTorch prints it, `indent` columns already used on the first line (0 at the margin). */
bool tensor_print(Context *ctx, const Tensor *t, Text *text, Err *err);
/* format(t, spec) for one element is made by lang/ from tensor_item. A double as Python's repr: */
void number_print(Number number, Text *text);

Generator *generator_new(Heap *heap, uint64_t seed, Err *err);
void     generator_free(Generator *generator);
void     generator_seed(Generator *generator, uint64_t seed);
uint64_t generator_initial_seed(const Generator *generator);
size_t   generator_state_size(void);
void     generator_get_state(const Generator *generator, void *state);
bool     generator_set_state(Generator *generator, const void *state, Err *err);
#endif
