/*
 * matrices.h - a tensor as a batch of matrices in double precision, by columns: how decompositions read and write them.
 */
#ifndef TENSOR_MATRICES_H
#define TENSOR_MATRICES_H
#include "tensor/part.h"

typedef struct Matrices {
    Tensor *in;                         /* owned: row-major */
    DType   dtype;
    int     batch;                      /* dimensions before the last two, and their sizes */
    const int64_t *shape;
    int64_t count, m, n;
    double *room;                       /* owned */
} Matrices;

/* Reads t for `op`: floating (float32 or float64), of two dimensions or more, square where that is asked for. */
bool    matrices_open(Context *ctx, OpId op, Tensor *t, bool square, Matrices *x, Err *err);
/* Room for so many doubles; once. */
double *matrices_room(Context *ctx, Matrices *x, int64_t doubles, Err *err);
void    matrices_close(Context *ctx, Matrices *x);
/* Matrix k by columns. */
void    matrices_read(const Matrices *x, int64_t k, double *to);
/* Result k: (batch…, rows, columns), by columns; rows < 0: (batch…, columns); both < 0: (batch…). */
Tensor *matrices_result(Context *ctx, OpId op, Call *call, int k, const Matrices *x, int64_t rows, int64_t columns, Err *err);
/* Writes (rows, columns), by columns, as matrix k of a result. */
void    matrices_write(Tensor *result, int64_t k, int64_t count, const double *from);
#endif
