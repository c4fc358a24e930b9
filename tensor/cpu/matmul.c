/*
 * matmul.c - products of matrices by loops of our own, blocked for the cache, for every dtype; halves are computed in float.
 */
#include "tensor/cpu/matmul.h"
#include "tensor/half.h"

#if defined(__x86_64__) && defined(__gnu_linux__) && !defined(__SANITIZE_ADDRESS__)
#define CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define CLONES
#endif

#define T       float
#define NAME(x) x##_f32
#include "tensor/cpu/matmul.inc"
#define T       double
#define NAME(x) x##_f64
#include "tensor/cpu/matmul.inc"
#define T       uint8_t
#define NAME(x) x##_u8
#include "tensor/cpu/matmul.inc"
#define T       int8_t
#define NAME(x) x##_i8
#include "tensor/cpu/matmul.inc"
#define T       int16_t
#define NAME(x) x##_i16
#include "tensor/cpu/matmul.inc"
#define T       int32_t
#define NAME(x) x##_i32
#include "tensor/cpu/matmul.inc"
#define T       int64_t
#define NAME(x) x##_i64
#include "tensor/cpu/matmul.inc"

static void widen(float *to, const void *from, DType dtype, int64_t rows, int64_t columns, int64_t row, int64_t column)
{
    const uint16_t *half = from;
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j++) {
            uint16_t x = half[i * row + j * column];
            to[i * columns + j] = dtype == DT_F16 ? f16_to_float(x) : bf16_to_float(x);
        }
}

static bool product_of_halves(Context *ctx, const Product *p, Err *err)
{
    size_t n = (size_t)(p->m * p->k + p->k * p->n + p->m * p->n);
    float *room = mem_new(ctx->heap, n * sizeof *room);
    if (!room)
        return err_memory(err, n * sizeof *room);
    float *a = room, *b = a + p->m * p->k, *c = b + p->k * p->n;
    widen(a, p->a, p->dtype, p->m, p->k, p->a_row, p->a_column);
    widen(b, p->b, p->dtype, p->k, p->n, p->b_row, p->b_column);
    Product wide = { DT_F32, p->m, p->n, p->k, a, b, c, p->k, 1, p->n, 1 };
    bool ok = product_run(ctx, &wide, err);
    for (int64_t i = 0; ok && i < p->m * p->n; i++)
        ((uint16_t *)p->c)[i] = p->dtype == DT_F16 ? float_to_f16(c[i]) : float_to_bf16(c[i]);
    mem_free(ctx->heap, room);
    return ok;
}

bool product_run(Context *ctx, const Product *p, Err *err)
{
    if (!p->m || !p->n)
        return true;
    switch (p->dtype) {
    case DT_F32: return blas_product(p) || product_f32(ctx, p, err);
    case DT_F64: return product_f64(ctx, p, err);
    case DT_U8: return product_u8(ctx, p, err);
    case DT_I8: return product_i8(ctx, p, err);
    case DT_I16: return product_i16(ctx, p, err);
    case DT_I32: return product_i32(ctx, p, err);
    case DT_I64: return product_i64(ctx, p, err);
    default: return product_of_halves(ctx, p, err);
    }
}
