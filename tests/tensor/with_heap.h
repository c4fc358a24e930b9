/* with_heap.h - a context over a heap of its own for tests of operations, and calls with few words. */
#ifndef TESTS_TENSOR_WITH_HEAP_H
#define TESTS_TENSOR_WITH_HEAP_H
#include "tensor/impl.h"
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof(a)[0])
#define INTS(...)  { .kind = ARG_INTS, .n = (int32_t)(sizeof((int64_t[]){ __VA_ARGS__ }) / sizeof(int64_t)), \
                     .ints = (const int64_t[]){ __VA_ARGS__ } }
#define INT(x)     { .kind = ARG_INT, .i = (x) }
#define FLOAT(x)   { .kind = ARG_FLOAT, .f = (x) }
#define NONE       { .kind = ARG_NONE }
#define DTYPE_(x)  { .kind = ARG_DTYPE, .dtype = DT_##x }

static inline bool with_heap(Context *ctx, Err *err)
{
    *ctx = (Context){ .default_dtype = DT_F32, .grad_mode = true, .print = { 4, 1000, 3, 80, -1 } };
    ctx->heap = heap_new(false, err);
    ctx->generator = ctx->heap ? generator_new(ctx->heap, 0, err) : NULL;
    return ctx->generator != NULL;
}

/* Nothing may be left: neither a tensor nor a storage nor other memory. */
static inline void without_heap(Context *ctx)
{
    generator_free(ctx->generator);
    assert_int_equal(ctx->heap->totals.storages, 0);
    assert_int_equal(ctx->heap->totals.objects, 0);
    assert_int_equal(mem_count(ctx->heap), 0);
    heap_free(ctx->heap);
}

/* The first result, or of many the last; NULL for an error. `self` comes first unless it is NULL. */
static inline Tensor *run(Context *ctx, OpId id, Tensor *self, const Arg *arg, int n, bool inplace, Err *err)
{
    Call call = { .inplace = inplace };
    if (self)
        call.arg[call.args++] = (Arg){ .kind = ARG_TENSOR, .tensor = self };
    for (int k = 0; k < n; k++)
        call.arg[call.args++] = arg[k];
    if (!op_call(ctx, id, &call, err))
        return NULL;
    if (!call.many)
        return call.out[0];
    Tensor *last = NULL;
    for (int k = 0; k < call.many_count; k++) {
        tensor_release(last);
        last = call.many[k];
    }
    mem_free(ctx->heap, call.many);
    return last;
}

/* 0, 1, 2, … with this shape, int64 */
static inline Tensor *counted(Context *ctx, int n, const int64_t *shape, Err *err)
{
    Tensor *t = tensor_empty(ctx, DT_I64, (Device){ 0, 0 }, n, shape, err);
    for (int64_t i = 0; t && i < tensor_numel(t); i++)
        ((int64_t *)tensor_data(t))[i] = i;
    return t;
}
#endif
