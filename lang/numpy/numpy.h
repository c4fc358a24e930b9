/*
 * numpy.h - what the files of the module numpy share. An ndarray is a Tensor struct with another type: the same storages,
 * views and kernels, with NumPy's defaults, promotion, errors and text. Numbers taken out of one are NpScalars.
 */
#ifndef LANG_NUMPY_NUMPY_H
#define LANG_NUMPY_NUMPY_H
#include "lang/modules/modules.h"
#include "lang/run/signature.h"
#include "lang/types/rows.h"
#include "lang/types/native.h"
#include "lang/types/torch_types.h"
#include <stdio.h>
#include <strings.h>

typedef struct NpDType { Object head; DType dtype; } NpDType;
enum { TWISTER_WORDS = 624, ABSTRACT_CLASSES = 6 };
typedef struct NumPy {
    NpDType *dtype[DT_COUNT];           /* owned: np.dtype('float64') …: one each */
    Class   *scalar[DT_COUNT];          /* owned: np.float64 … */
    Class   *abstract[ABSTRACT_CLASSES];        /* owned: np.generic, number, integer … */
    int      precision, threshold, edgeitems, linewidth, suppress;      /* np.set_printoptions */
    uint32_t twister[TWISTER_WORDS];    /* the legacy random stream */
    int      twister_at;                /* TWISTER_WORDS + 1: not seeded yet */
    bool     has_gauss;
    double   gauss;
} NumPy;
NumPy *numpy_state(Session *s, Err *err);               /* made at first use */

/* ---- dtypes and scalars (state.c, scalar.c) ---------------------------------------------------------------- */
bool   np_dtype_value(Session *s, DType dtype, Value *out, Err *err);
/* None (DT_NONE), a dtype, np.float32, float, 'float32', 'f4'; TypeError for others. */
bool   np_dtype_from(Session *s, Value v, DType *dtype, Err *err);
bool   np_dtype_known(Session *s, Value v, DType *dtype);
Class *np_abstract_class(Session *s, const char *name, Err *err);      /* NULL without err for another name */
DType  np_promote(DType a, DType b);                    /* as NumPy: int32 with float32 is float64 */
DType  np_weak(DType dtype, DKind number);              /* an array with a Python number */
bool   scalar_value(Session *s, DType dtype, Number number, Value *out, Err *err);     /* cast to dtype */
Value  number_to_value(Session *s, Number number);      /* a Python number */
double number_as_double(Number number);
int64_t number_as_int(Number number);
/* a op b of two numbers of the dtype `in`, as NumPy's scalars do it; *result is of dtype *of. */
bool   scalar_arithmetic(BinaryOp op, DType in, Number a, Number b, DType *of, Number *result, Err *err);

/* ---- operations (operate.c) --------------------------------------------------------------------------------- */
/* One operation of the tensor library with NumPy's defaults; the result is an ndarray. NULL: RuntimeErrors became ValueErrors. */
bool    np_error(Err *err);                             /* makes an error of the library one of NumPy's; false */
Tensor *np_op(Session *s, OpId id, int n, const Arg *arg, Err *err);
bool    np_call(Session *s, OpId id, Call *call, Err *err);     /* the same for other calls: in place, out=, several results */
static inline Arg arg_t(Tensor *t) { return (Arg){ .kind = ARG_TENSOR, .tensor = t }; }
static inline Arg arg_i(int64_t i) { return (Arg){ .kind = ARG_INT, .i = i }; }
static inline Arg arg_b(bool b) { return (Arg){ .kind = ARG_BOOL, .b = b }; }
static inline Arg arg_f(double f) { return (Arg){ .kind = ARG_FLOAT, .f = f }; }
static inline Arg arg_none(void) { return (Arg){ .kind = ARG_NONE }; }
static inline Arg arg_dtype(DType d) { return d == DT_NONE ? arg_none() : (Arg){ .kind = ARG_DTYPE, .dtype = d }; }
static inline Arg arg_ints(int n, const int64_t *ints) { return (Arg){ .kind = ARG_INTS, .n = n, .ints = ints }; }
Arg     arg_number(Number number);

static inline Value array_take(Tensor *t) { return value_object_take(t); }
static inline bool array_out(Tensor *taken, Value *out)
{
    *out = taken ? array_take(taken) : value_unset();
    return taken;
}
/* As an ndarray operation answers: a 0-d result is a scalar. Takes over; NULL: false. */
bool    array_or_scalar(Session *s, Tensor *taken, Value *out, Err *err);
/* np.asarray: a new reference to an ndarray. Tensors are shared, lists and numbers read. DT_NONE: as they are. */
Tensor *np_array(Session *s, Value v, DType dtype, Err *err);
Tensor *np_cast(Session *s, Tensor *t, DType dtype, Err *err);  /* t itself (one more reference) when it is so */
Tensor *np_empty(Session *s, DType dtype, int ndim, const int64_t *shape, Err *err);
bool    np_writable(const Tensor *t, Err *err);
bool    np_shape(Session *s, Value v, int *ndim, int64_t shape[64], Err *err);     /* an int or a sequence of ints */
bool    np_axis(Session *s, Value v, int ndim, int *axis, Err *err);               /* wrapped; AxisError */
bool    np_axes(Session *s, Value v, int ndim, uint64_t *mask, Err *err);          /* None: all of them */
bool    np_broadcast(const Tensor *a, const Tensor *b, Err *err);                  /* ValueError in NumPy's words */
void    np_shape_text(Text *text, int n, const int64_t *shape);                    /* "(3,)", "(2,3)" as its errors say */

typedef enum Rule { RULE_SAME, RULE_DIVIDE, RULE_FLOAT, RULE_TRUTH, RULE_BITS, RULE_LOGIC } Rule;
/* a op b, elements of tensors, scalars, numbers and nested lists. NotImplemented when one of them is none of these. */
bool    np_binary(Session *s, OpId id, Rule rule, Value a, Value b, Value result, Value *out, Err *err);
bool    np_unary(Session *s, OpId id, Rule rule, Value a, Value result, Value *out, Err *err);
bool    np_inplace(Session *s, OpId id, BinaryOp op, Value a, Value b, Value *out, Err *err);
OpId    np_binary_op(BinaryOp op, Rule *rule);
bool    np_matmul(Session *s, Value a, Value b, Value *out, Err *err);
/* Are two arrays parts of one storage, with a byte in common but not the same elements? */
bool    np_overlap(const Tensor *a, const Tensor *b);

/* ---- text (print.c) ------------------------------------------------------------------------------------------ */
bool array_text(Session *s, const Tensor *t, bool repr, Text *text, Err *err);
void scalar_text(DType dtype, Number number, Text *text);

/* ---- reductions (reduce.c), the bridge (bridge.c), the tables ------------------------------------------------ */
Tensor *np_sum(Session *s, Tensor *t, uint64_t axes, bool keepdims, DType dtype, Err *err);
bool array_of_tensor(Session *s, Tensor *t, Value *out, Err *err);     /* Tensor.numpy() */
bool tensor_of_array(Session *s, Value array, Value *out, Err *err);   /* torch.from_numpy */
/* Functions serve as rows of the module (the array is the first argument) and as methods (it is self). */
#define THE_ARRAY Value first = value_is_unset(self) ? *arg++ : self
extern const NativeRow array_methods[], reduce_rows[], reduce_methods[], make_rows[], shape_rows[], shape_methods[], join_rows[],
    ufunc_rows[], random_numpy_rows[], linalg_numpy_rows[], npfile_rows[];
#endif
