/*
 * lapack.c - LAPACK, opened by dlopen at the first decomposition. Fortran's conventions: arguments by address, 32-bit integers, the
 * lengths of texts behind all others. Single and double precision have the same arguments, so that one type names both.
 */
#include "tensor/cpu/lapack.h"
#include <dlfcn.h>
#include <stdlib.h>

typedef void (*Gesdd)(const char *job, const int *m, const int *n, void *a, const int *lda, void *s, void *u, const int *ldu, void *vt,
                      const int *ldvt, void *work, const int *lwork, int *iwork, int *info, size_t);
typedef void (*Syevd)(const char *job, const char *part, const int *n, void *a, const int *lda, void *w, void *work, const int *lwork,
                      int *iwork, const int *liwork, int *info, size_t, size_t);
typedef void (*Geqrf)(const int *m, const int *n, void *a, const int *lda, void *tau, void *work, const int *lwork, int *info);
typedef void (*Orgqr)(const int *m, const int *n, const int *k, void *a, const int *lda, const void *tau, void *work, const int *lwork, int *info);

/* Single, then double. The library is the process's, not a session's. */
static struct { bool asked; Gesdd gesdd[2]; Syevd syevd[2]; Geqrf geqrf[2]; Orgqr orgqr[2]; } lapack;

static bool find(void *library, const char *name, void *place, size_t size)
{
    void *symbol = dlsym(library, name);
    memcpy(place, &symbol, size);
    return symbol;
}

#define FIND(member, single, two) (find(library, single, &lapack.member[0], sizeof lapack.member[0]) && find(library, two, &lapack.member[1], sizeof lapack.member[1]))
static bool is_there(void)
{
    if (!lapack.asked) {
        const char *wanted = getenv("LOCUS_LAPACK");    /* another library, or "none" */
        void *library = dlopen(wanted && *wanted ? wanted : "liblapack.so.3", RTLD_NOW | RTLD_LOCAL);
        lapack.asked = true;
        if (library && !(FIND(gesdd, "sgesdd_", "dgesdd_") && FIND(syevd, "ssyevd_", "dsyevd_") && FIND(geqrf, "sgeqrf_", "dgeqrf_")
                         && FIND(orgqr, "sorgqr_", "dorgqr_")))
            lapack.gesdd[0] = NULL;
    }
    return lapack.gesdd[0];
}

static bool open_lapack(Err *err)
{
    if (is_there())
        return true;
    err_set(err, ERR_RUNTIME, "this decomposition is LAPACK's, and liblapack.so.3 is not on this machine");
    return err_hint(err, "on Debian and Ubuntu: apt install liblapack3");
}

static bool all_finite(const double *a, int64_t n, Err *err)
{
    for (int64_t k = 0; k < n; k++)
        if (!(a[k] - a[k] == 0))
            return err_set(err, ERR_LINALG, "the matrix holds values that are not finite: it has no such decomposition");
    return true;
}

static bool small_enough(int64_t m, int64_t n, Err *err)
{
    return (m < 30000 && n < 30000) || err_set(err, ERR_RUNTIME, "a matrix of %lld rows and %lld columns is too large for LAPACK", (long long)m, (long long)n);
}

static bool converged(int info, Err *err)
{
    return !info || err_set(err, ERR_LINALG, "the decomposition did not converge");
}

/* In single precision a matrix of doubles is narrowed where it lies, and widened after. */
static void narrow(DType dtype, double *a, int64_t n)
{
    for (int64_t k = 0; dtype == DT_F32 && k < n; k++)
        ((volatile float *)a)[k] = (float)a[k];
}

static void widen(DType dtype, double *a, int64_t n)
{
    for (int64_t k = n - 1; dtype == DT_F32 && k >= 0; k--) {
        float f;
        memcpy(&f, (char *)a + (size_t)k * sizeof f, sizeof f);
        a[k] = (double)f;
    }
}

/* What LAPACK answers when it is asked how much room it wants. */
static int wanted_room(DType dtype, const double *answer)
{
    float f;
    memcpy(&f, answer, sizeof f);
    return dtype == DT_F32 ? (int)f : (int)*answer;
}

bool lapack_svd(Context *ctx, DType dtype, char job, int64_t rows, int64_t columns, double *a, double *s, double *u, double *vt, Err *err)
{
    int m = (int)rows, n = (int)columns, least = m < n ? m : n, ldvt = job == 'S' ? least : n, info = 0, ask = -1, two = dtype == DT_F64;
    double answer = 0;
    if (!small_enough(rows, columns, err) || !all_finite(a, rows * columns, err) || !open_lapack(err))
        return false;
    narrow(dtype, a, rows * columns);
    lapack.gesdd[two](&job, &m, &n, a, &m, s, u, &m, vt, &ldvt, &answer, &ask, &info, &info, 1);
    int lwork = wanted_room(dtype, &answer);
    double *work = mem_new(ctx->heap, (size_t)lwork * sizeof *work);
    int *iwork = mem_new(ctx->heap, 8 * (size_t)least * sizeof *iwork);
    bool ok = (work && iwork) || err_memory(err, (size_t)lwork * sizeof *work);
    if (ok) {
        lapack.gesdd[two](&job, &m, &n, a, &m, s, u, &m, vt, &ldvt, work, &lwork, iwork, &info, 1);
        widen(dtype, s, least);
        if (job != 'N') {
            widen(dtype, u, rows * (job == 'A' ? rows : least));
            widen(dtype, vt, columns * (job == 'A' ? columns : least));
        }
    }
    mem_free(ctx->heap, iwork);
    mem_free(ctx->heap, work);
    return ok && converged(info, err);
}

bool lapack_eigh(Context *ctx, DType dtype, bool vectors, char part, int64_t size, double *a, double *w, Err *err)
{
    int n = (int)size, ask = -1, info = 0, isize = 1, two = dtype == DT_F64;
    double answer = 0;
    char job = vectors ? 'V' : 'N';
    if (!small_enough(size, size, err) || !all_finite(a, size * size, err) || !open_lapack(err))
        return false;
    narrow(dtype, a, size * size);
    lapack.syevd[two](&job, &part, &n, a, &n, w, &answer, &ask, &isize, &ask, &info, 1, 1);
    int lwork = wanted_room(dtype, &answer);
    double *work = mem_new(ctx->heap, (size_t)lwork * sizeof *work);
    int *iwork = mem_new(ctx->heap, (size_t)isize * sizeof *iwork);
    bool ok = (work && iwork) || err_memory(err, (size_t)lwork * sizeof *work);
    if (ok) {
        lapack.syevd[two](&job, &part, &n, a, &n, w, work, &lwork, iwork, &isize, &info, 1, 1);
        widen(dtype, w, size);
        widen(dtype, a, size * size);
    }
    mem_free(ctx->heap, iwork);
    mem_free(ctx->heap, work);
    return ok && converged(info, err);
}

bool lapack_qr(Context *ctx, DType dtype, int64_t rows, int64_t cols, double *a, int64_t columns, double *q)
{
    int m = (int)rows, n = (int)cols, least = m < n ? m : n, wide = (int)columns, info = 0, two = dtype == DT_F64;
    int lwork = 64 * (n > wide ? n : wide);
    if (rows >= 30000 || cols >= 30000 || !least || !is_there())
        return false;
    double *work = mem_new(ctx->heap, (size_t)lwork * sizeof *work), *tau = mem_new(ctx->heap, (size_t)least * sizeof *tau);
    bool ok = work && tau;
    if (ok) {
        size_t column = (size_t)m * (two ? sizeof(double) : sizeof(float));
        narrow(dtype, a, rows * cols);
        lapack.geqrf[two](&m, &n, a, &m, tau, work, &lwork, &info);
        memcpy(q, a, column * (size_t)(columns < cols ? columns : cols));
        lapack.orgqr[two](&m, &wide, &least, q, &m, tau, work, &lwork, &info);
        widen(dtype, a, rows * cols);
        widen(dtype, q, rows * columns);
    }
    mem_free(ctx->heap, tau);
    mem_free(ctx->heap, work);
    return ok;
}
