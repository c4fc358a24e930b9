/*
 * reduce.c - the runs of reductions, made once for each dtype, and the walk over what is reduced.
 */
#include "tensor/cpu/reduce.h"
#include "tensor/half.h"

#if defined(__x86_64__) && defined(__gnu_linux__) && !defined(__SANITIZE_ADDRESS__)
#define CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define CLONES
#endif

#define T        uint8_t
#define LOAD(x)  (int64_t)((x) != 0)
#define NAME(x)  x##_b8
#define IS_FLOAT 0
#include "tensor/cpu/reduce.inc"
#define T        uint8_t
#define LOAD(x)  (int64_t)(x)
#define NAME(x)  x##_u8
#define IS_FLOAT 0
#include "tensor/cpu/reduce.inc"
#define T        int8_t
#define LOAD(x)  (int64_t)(x)
#define NAME(x)  x##_i8
#define IS_FLOAT 0
#include "tensor/cpu/reduce.inc"
#define T        int16_t
#define LOAD(x)  (int64_t)(x)
#define NAME(x)  x##_i16
#define IS_FLOAT 0
#include "tensor/cpu/reduce.inc"
#define T        int32_t
#define LOAD(x)  (int64_t)(x)
#define NAME(x)  x##_i32
#define IS_FLOAT 0
#include "tensor/cpu/reduce.inc"
#define T        int64_t
#define LOAD(x)  (int64_t)(x)
#define NAME(x)  x##_i64
#define IS_FLOAT 0
#include "tensor/cpu/reduce.inc"
#define T        uint16_t
#define LOAD(x)  (double)f16_to_float(x)
#define NAME(x)  x##_f16
#define IS_FLOAT 1
#include "tensor/cpu/reduce.inc"
#define T        uint16_t
#define LOAD(x)  (double)bf16_to_float(x)
#define NAME(x)  x##_bf16
#define IS_FLOAT 1
#include "tensor/cpu/reduce.inc"
#define T        float
#define LOAD(x)  (double)(x)
#define NAME(x)  x##_f32
#define IS_FLOAT 1
#include "tensor/cpu/reduce.inc"
#define T        double
#define LOAD(x)  (double)(x)
#define NAME(x)  x##_f64
#define IS_FLOAT 1
#include "tensor/cpu/reduce.inc"

ReduceRun reduce_run(Reducer reducer, DType dtype)
{
#define ALL(op) { [DT_BOOL] = op##_b8, [DT_U8] = op##_u8, [DT_I8] = op##_i8, [DT_I16] = op##_i16, [DT_I32] = op##_i32, [DT_I64] = op##_i64, \
                  [DT_F16] = op##_f16, [DT_BF16] = op##_bf16, [DT_F32] = op##_f32, [DT_F64] = op##_f64 }
    static const ReduceRun runs[REDUCERS][DT_COUNT] = {
        [REDUCE_SUM] = ALL(sum), [REDUCE_PROD] = ALL(prod), [REDUCE_MAX] = ALL(max), [REDUCE_MIN] = ALL(min), [REDUCE_ANY] = ALL(any),
        [REDUCE_ALL] = ALL(all), [REDUCE_NONZERO] = ALL(nonzero), [REDUCE_NANSUM] = ALL(nansum),
    };
    return runs[reducer][dtype];
}

void reduce_begin(Reducer reducer, DKind kind, Acc *acc)
{
    *acc = (Acc){ .at = -1 };
    acc->f = reducer == REDUCE_PROD;
    acc->i = reducer == REDUCE_PROD || reducer == REDUCE_ALL;
    (void)kind;
}

void reduction_of(Reduction *r, const Tensor *t, uint64_t dims)
{
    int64_t size = (int64_t)dtype_size((DType)t->dtype);
    r->outer = r->inner = 0;
    r->results = r->each = 1;
    r->data = t->numel ? data_of(t) : NULL;
    for (int d = 0; d < t->ndim; d++) {
        int64_t n = shape_of(t)[d], stride = strides_of(t)[d] * size;
        if (!(dims >> d & 1)) {
            r->outer_shape[r->outer] = n;
            r->outer_stride[r->outer++] = stride;
            r->results *= n;
            continue;
        }
        r->each *= n;
        int last = r->inner - 1;
        if (last >= 0 && r->inner_stride[last] == stride * n) {       /* goes on where the outer one is cut */
            r->inner_shape[last] *= n;
            r->inner_stride[last] = stride;
            continue;
        }
        r->inner_shape[r->inner] = n;
        r->inner_stride[r->inner++] = stride;
    }
}

const char *reduction_base(const Reduction *r, int64_t k)
{
    const char *base = r->data;
    for (int d = r->outer - 1; d >= 0; d--) {
        base += k % r->outer_shape[d] * r->outer_stride[d];
        k /= r->outer_shape[d];
    }
    return base;
}

void reduction_walk(const Reduction *r, const char *base, ReduceRun run, Acc *acc)
{
    int64_t index[DIMS_MAX] = { 0 };
    int inner = r->inner - 1;
    if (!r->each)
        return;
    if (inner < 0) {
        run(acc, base, 1, 0, 0);
        return;
    }
    for (int64_t at = 0; at < r->each; at += r->inner_shape[inner]) {
        run(acc, base, r->inner_shape[inner], r->inner_stride[inner], at);
        for (int d = inner - 1; d >= 0; d--) {
            base += r->inner_stride[d];
            if (++index[d] < r->inner_shape[d])
                break;
            base -= r->inner_stride[d] * r->inner_shape[d];
            index[d] = 0;
        }
    }
}
