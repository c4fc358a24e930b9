/*
 * impl.h - struct definitions and functions that the files of tensor/ share among themselves.
 */
#ifndef TENSOR_IMPL_H
#define TENSOR_IMPL_H
#include <assert.h>
#include <string.h>
#include "tensor/tensor.h"

enum { DIMS_INLINE = 5, DIMS_MAX = 64, PLAN_DIMS = 8, PLAN_OPERANDS = 6 };

/* Counts writes to a family of tensors: a new tensor, its views and what is detached from them. */
typedef struct Version {
    uint32_t count;                     /* references; the first family's lies inside its Storage and keeps that alive */
    Storage *inside;                    /* the storage whose `first` this is, or NULL: from mem_new */
    int64_t  writes;
} Version;

struct Storage {
    Object   head;                      /* TYPE_STORAGE; serial from birth */
    void    *data;
    size_t   bytes, reserved;
    Device   device;
    Version  first;
    Tensor  *oldest, *newest;           /* living tensors over it, borrowed */
    int64_t  last_reader;               /* unused bytes kept for the layout of 16 */
};

typedef struct Node Node;               /* grad.c, when autograd comes */

struct Tensor {
    Object   head;                      /* TYPE_TENSOR or TYPE_NDARRAY; serial from birth */
    Storage *storage;                   /* owned */
    Version *version;                   /* owned */
    Tensor  *base;                      /* owned: the root that this is a view of, or NULL */
    Tensor  *older, *newer;             /* over the same storage */
    int64_t  offset, numel;             /* elements */
    int64_t *dims;                      /* shape, then strides: `inlined`, or from mem_new for more than DIMS_INLINE */
    uint8_t  dtype, ndim, requires_grad, flags;
    struct Autograd *autograd;          /* owned: grad, grad_fn, hooks; NULL for most */
    void    *extra;                     /* lang/'s */
    int64_t  inlined[2 * DIMS_INLINE];
};

/* ---- tensor.c, storage.c ------------------------------------------------------------------------------ */
Storage *storage_new(Context *ctx, Device device, size_t bytes, Err *err);      /* not initialised */
/* A handle over `storage` (a reference is taken), its own version family when version is NULL, else sharing it. */
Tensor  *tensor_new(Context *ctx, Storage *storage, DType dtype, int ndim, const int64_t *shape,
                    const int64_t *strides, int64_t offset, Tensor *base, Version *version, Err *err);
/* A new tensor over a new storage with the given strides (NULL: row-major). */
Tensor  *tensor_new_dense(Context *ctx, DType dtype, Device device, int ndim, const int64_t *shape,
                          const int64_t *strides, Err *err);
/* A view of t: same storage, same family, base = t's base or t. offset in elements from the storage's start. */
Tensor  *tensor_new_view(Context *ctx, Tensor *t, int ndim, const int64_t *shape, const int64_t *strides,
                         int64_t offset, Err *err);
/* Gives a handle other dims over its storage (squeeze_, t_, resize_). */
bool     tensor_set_dims(Tensor *t, int ndim, const int64_t *shape, const int64_t *strides, int64_t offset, Err *err);
/* Are two shapes of ndim sizes the same? They are few: a call of memcmp would cost more. */
static inline bool same_dims(int ndim, const int64_t *a, const int64_t *b)
{
    while (ndim && a[ndim - 1] == b[ndim - 1])
        ndim--;
    return !ndim;
}
static inline const int64_t *shape_of(const Tensor *t) { return t->dims; }
static inline const int64_t *strides_of(const Tensor *t) { return t->dims + t->ndim; }
static inline char *data_of(const Tensor *t)
{
    extern size_t dtype_size(DType);
    return (char *)t->storage->data + (size_t)t->offset * dtype_size((DType)t->dtype);
}

/* ---- shape.c: pure functions -------------------------------------------------------------------------- */
int64_t shape_numel(int ndim, const int64_t *shape, Err *err);  /* -1 with err set: negative size or beyond 2^63 bytes */
void    shape_row_major(int ndim, const int64_t *shape, int64_t *strides);
bool    shape_is_contiguous(int ndim, const int64_t *shape, const int64_t *strides);
bool    shape_is_dense(int ndim, const int64_t *shape, const int64_t *strides);     /* some order of dims is row-major, no gaps */
/* Strides that `t.clone()` and unary operations give: t's own where it is dense, else dense with its dims in the same order. */
void    shape_like(int ndim, const int64_t *shape, const int64_t *strides, int64_t *result);
bool    shape_dim(int64_t dim, int ndim, int *result, Err *err);        /* wraps a negative dim; IndexError as PyTorch's */
/* Reduces a list of dims to a mask; IndexError out of range, RuntimeError for one that appears twice. */
bool    shape_dims(const int64_t *dims, int n, int ndim, uint64_t *mask, Err *err);
/* Strides for viewing (shape, strides) as `to`; false, err untouched, when that needs a copy. */
bool    shape_view(int ndim, const int64_t *shape, const int64_t *strides, int to_ndim, const int64_t *to, int64_t *result);
/* Fills in one -1 of `to`; RuntimeError when sizes do not agree. */
bool    shape_infer(int64_t numel, int n, const int64_t *sizes, int64_t *to, Err *err);
void    shape_print(Text *text, int n, const int64_t *shape);   /* "(3, 4)", "(3,)", "()" */
void    shape_print_to(char *buffer, size_t size, int n, const int64_t *shape);

/* ---- op.c: rules, plan, the one path ------------------------------------------------------------------ */
/*
 * What the rules decide before anything is allocated. Lives on the C stack and is never cleared as a whole.
 */
typedef struct Plan {
    DType   dtype;                      /* of the result(s) */
    DType   compute;                    /* in which the kernel computes: operands are cast to it */
    int     ndim;                       /* of the result */
    int64_t shape[DIMS_MAX];
    int64_t strides[DIMS_MAX];          /* of the result to be made; set by the planner */
    bool    strides_set;
    int     dim;                        /* rows with one dim: wrapped */
    uint64_t dims;                      /* rows with several: a mask */
    bool    keepdim;
} Plan;

typedef bool (*DTypeRule)(Context *ctx, OpId id, Call *call, Plan *plan, Err *err);
typedef bool (*ShapeRule)(Context *ctx, OpId id, Call *call, Plan *plan, Err *err);
typedef bool (*Forward)(Context *ctx, OpId id, Call *call, Plan *plan, Err *err);
typedef struct Op {
    DTypeRule dtype;
    ShapeRule shape;
    Forward   forward;
} Op;
extern const Op ops[];                  /* OP_COUNT rows */

/*
 * Results for a forward function: result k of the call, of plan's dtype, shape and strides unless others are given. Allocates, or
 * checks what was given for out= (resizes it as PyTorch does, casts at the end) or in place. The tensor to write
 * into comes back, owned by call->out; write_done then counts versions and reports the write.
 */
Tensor *call_result(Context *ctx, OpId id, Call *call, int k, DType dtype, int ndim, const int64_t *shape,
                    const int64_t *strides, Err *err);
bool    call_finish(Context *ctx, OpId id, Call *call, Err *err);       /* after the kernel: out= casts, versions, events */
void    call_drop(Call *call);                                          /* releases what was made so far */

static inline Tensor *call_tensor(const Call *call, int k)
{
    return k >= 0 && k < call->args && call->arg[k].kind == ARG_TENSOR ? call->arg[k].tensor : NULL;
}
static inline bool call_has(const Call *call, int k)
{
    return (unsigned)k < (unsigned)call->args && call->arg[(unsigned)k].kind != ARG_NONE;
}
static inline bool call_bool(const Call *call, int k, bool otherwise)
{
    return k < call->args && call->arg[k].kind == ARG_BOOL ? call->arg[k].b : otherwise;
}
static inline int64_t call_int(const Call *call, int k, int64_t otherwise)
{
    return k >= call->args ? otherwise : call->arg[k].kind == ARG_INT ? call->arg[k].i
         : call->arg[k].kind == ARG_BOOL ? call->arg[k].b : otherwise;
}
static inline double call_float(const Call *call, int k, double otherwise)
{
    return k >= call->args ? otherwise : call->arg[k].kind == ARG_FLOAT ? call->arg[k].f
         : call->arg[k].kind == ARG_INT ? (double)call->arg[k].i : call->arg[k].kind == ARG_BOOL ? call->arg[k].b : otherwise;
}
static inline DType call_dtype(const Call *call, int k)
{
    return k < call->args && call->arg[k].kind == ARG_DTYPE ? call->arg[k].dtype : DT_NONE;
}

/* ---- copy.c: the only place that copies elements ------------------------------------------------------- */
/* dst[...] = src, broadcast and cast; strides of any kind; they may be the same memory only if identical. No version.
 * The reason COPY_REASONS makes no event: the elements are on their way into a result. */
bool    copy_elements(Context *ctx, Tensor *dst, const Tensor *src, CopyReason reason, Err *err);
/* A new tensor with src's values: of dtype, with strides as shape_like (preserve) or row-major. */
Tensor *copy_new(Context *ctx, const Tensor *src, DType dtype, bool preserve, CopyReason reason, Err *err);
/* t itself (one more reference) if it is row-major and of that dtype, else a copy. */
Tensor *copy_dense(Context *ctx, Tensor *t, DType dtype, CopyReason reason, Err *err);
bool    fill_elements(Context *ctx, Tensor *dst, Number number, Err *err);      /* cast; no version */

/* ---- inplace.c ---------------------------------------------------------------------------------------- */
/* May `t` be written by the operation that runs? Elements that share a byte (expand), a leaf that requires grad: RuntimeError. */
bool    inplace_check(Context *ctx, OpId id, Tensor *t, Err *err);
/* RuntimeError when `input` overlaps `written` partly: "unsupported operation: some elements of the input tensor …". */
bool    inplace_check_overlap(const Tensor *written, const Tensor *input, Err *err);
bool inplace_check_apart(const Tensor *written, const Tensor *input, Err *err);      /* the same, and they may not be one either */
void    inplace_done(Context *ctx, OpId id, Tensor *t);         /* version, write event with the aliases */

/* ---- dtype.c, half.h ---------------------------------------------------------------------------------- */
void    number_wrap(DType dtype, Number *number);      /* an int as a tensor of dtype holds it: −1 is 255 in uint8 */
void    number_store(DType dtype, void *address, Number number);        /* cast as PyTorch casts */
double  number_double(Number number);
int64_t number_int(Number number);
bool    number_fits(DType dtype, Number number);                        /* for "value cannot be converted … without overflow" */
DKind   arg_kind_number(const Arg *arg, Number *number);                /* an ARG_BOOL/INT/FLOAT as Number */
/* dtype of the result for operands: tensors with dims, then 0-d, then numbers: the first category decides unless a later is
 * of a higher kind. */
DType   dtype_result(Context *ctx, const Call *call, int first, int n);

/* ---- kernels ------------------------------------------------------------------------------------------ */
/* What a kernel gets: plain data. Operand 0 is the result. Strides in bytes, 0 where broadcast. Merged, innermost last. */
typedef struct Launch {
    int      ndim, operands;
    int64_t  shape[PLAN_DIMS];
    int64_t  stride[PLAN_OPERANDS][PLAN_DIMS];
    char    *data[PLAN_OPERANDS];
    Number   scalar[PLAN_OPERANDS];     /* an operand that is a number: data is NULL */
    double   param[4];                  /* alpha, min, max … */
    int64_t  iparam[4];
    volatile int *interrupted;
} Launch;
typedef struct Pool Pool;
void parallel_close(Context *ctx);      /* ends the threads */
/* Splits [0, n) into chunks over the pool's threads; `body` gets plain data. False after an interrupt (err set). */
bool parallel_for(Context *ctx, int64_t n, int64_t grain, void (*body)(void *data, int64_t begin, int64_t end), void *data, Err *err);
bool interrupted(Context *ctx, Err *err);       /* true, KeyboardInterrupt set: stop */

/* ---- random.c ----------------------------------------------------------------------------------------- */
uint32_t random_32(Generator *generator);
uint64_t random_64(Generator *generator);
#endif
