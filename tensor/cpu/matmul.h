/*
 * matmul.h - the product of two matrices on the CPU.
 */
#ifndef TENSOR_CPU_MATMUL_H
#define TENSOR_CPU_MATMUL_H
#include "tensor/impl.h"

/* One product: C (m, n), row-major without gaps, = A (m, k) B (k, n). Strides in elements, of any kind: a transpose is not copied. */
typedef struct Product {
    DType   dtype;                      /* of all three; bool is not among them */
    int64_t m, n, k;
    const void *a, *b;
    void   *c;
    int64_t a_row, a_column, b_row, b_column;
} Product;
/* False: no memory for packing, or an interrupt. */
bool product_run(Context *ctx, const Product *product, Err *err);
/* oneDNN's product for float32, opened when a product is large enough to gain (blas.c). False: it is not there, or not for these strides. */
bool blas_product(const Product *product);
#endif
