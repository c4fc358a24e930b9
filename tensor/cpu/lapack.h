/*
 * lapack.h - the decompositions that LAPACK does. Matrices lie by columns, without gaps, as doubles; those of a float32 tensor are
 * computed in single precision, so that results are PyTorch's to the sign of a zero. The library is opened at the first of them.
 */
#ifndef TENSOR_CPU_LAPACK_H
#define TENSOR_CPU_LAPACK_H
#include "tensor/impl.h"

/* a (m, n) = u diag(s) vt; a is used up. job: 'A' u (m, m) and vt (n, n); 'S' only min(m, n) columns and rows; 'N' s alone. */
bool lapack_svd(Context *ctx, DType dtype, char job, int64_t m, int64_t n, double *a, double *s, double *u, double *vt, Err *err);
/* Eigenvalues w, rising, of a symmetric a (n, n) of which the part 'L' or 'U' is read; with vectors they come in a, by columns. */
bool lapack_eigh(Context *ctx, DType dtype, bool vectors, char part, int64_t n, double *a, double *w, Err *err);
/* a (m, n) = q r: r above a's diagonal, and in q (m, columns) Q's first columns. False without a word: LAPACK is missing. */
bool lapack_qr(Context *ctx, DType dtype, int64_t m, int64_t n, double *a, int64_t columns, double *q);
#endif
