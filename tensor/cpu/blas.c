/*
 * blas.c - oneDNN's product, opened by dlopen at the first product that is large enough to gain from it.
 * It brings an OpenMP whose threads would burn time after each product: OMP_WAIT_POLICY=passive is set before it is opened,
 * unless the user has set it.
 */
#include "tensor/cpu/matmul.h"
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

/* dnnl_sgemm: row-major; dimensions and leading dimensions are 64-bit; 0 is success. */
typedef int (*Sgemm)(char transpose_a, char transpose_b, int64_t m, int64_t n, int64_t k, float alpha, const float *a, int64_t lda,
                     const float *b, int64_t ldb, float beta, float *c, int64_t ldc);

static Sgemm open_sgemm(void)
{
    static const char *const names[] = { "libdnnl.so.3", "libdnnl.so.2" };
    const char *wanted = getenv("LOCUS_BLAS");
    if (wanted && !strcmp(wanted, "own"))
        return NULL;
    setenv("OMP_WAIT_POLICY", "passive", 0);
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        void *library = dlopen(names[k], RTLD_NOW | RTLD_LOCAL);
        void *symbol = library ? dlsym(library, "dnnl_sgemm") : NULL;
        Sgemm sgemm;
        if (symbol) {
            memcpy(&sgemm, &symbol, sizeof sgemm);
            return sgemm;
        }
    }
    return NULL;
}

/* A matrix that oneDNN can read as it lies: in rows, or in columns, which is a transpose in rows. */
static bool leading(int64_t rows, int64_t columns, int64_t row, int64_t column, char *transposed, int64_t *ld)
{
    if (column == 1 && (row >= columns || rows == 1)) {
        *transposed = 'N';
        *ld = rows == 1 ? columns : row;
        return true;
    }
    *transposed = 'T';
    *ld = columns == 1 ? rows : column;
    return row == 1 && (column >= rows || columns == 1);
}

bool blas_product(const Product *p)
{
    static const int64_t LARGE = INT64_C(1) << 23;      /* multiplications from which opening it pays */
    static Sgemm sgemm;                                 /* the library is the process's, not a session's */
    static bool asked;
    char a, b;
    int64_t lda, ldb;
    if (p->m * p->n < LARGE / (p->k ? p->k : 1) || p->m < 2 || p->n < 2)
        return false;
    if (!asked) {
        sgemm = open_sgemm();
        asked = true;
    }
    return sgemm && leading(p->m, p->k, p->a_row, p->a_column, &a, &lda) && leading(p->k, p->n, p->b_row, p->b_column, &b, &ldb)
        && !sgemm(a, b, p->m, p->n, p->k, 1, p->a, lda, p->b, ldb, 0, p->c, p->n);
}
