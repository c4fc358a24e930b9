/*
 * triangular.c - matrices as products of triangular and orthogonal ones, by plain loops: QR by Householder's reflections where LAPACK is missing, Cholesky's,
 * LU with the largest pivot of each column (Golub and Van Loan, Matrix Computations), and what they solve.
 */
#include "tensor/compose.h"
#include "tensor/cpu/lapack.h"
#include "tensor/matrices.h"
#include <math.h>

#define FORWARD(name) bool forward_##name(Context *ctx, OpId op, Call *call, Plan *plan, Err *err)
#define OP(id, name, forms, signature, result, dtype, shape, forward, grad) FORWARD(forward);
#include "tensor/ops/decompose.def"
#undef OP

/* ---- QR ------------------------------------------------------------------------------------------------------------------- */
/* v becomes (I - tau w wᵀ) v; w has a 1 first. */
static void reflect(const double *w, double tau, double *v, int64_t n)
{
    double sum = v[0];
    for (int64_t i = 1; i < n; i++)
        sum += w[i] * v[i];
    v[0] -= tau * sum;
    for (int64_t i = 1; i < n; i++)
        v[i] -= tau * sum * w[i];
}

/* a (m, n) becomes R above the diagonal, and the reflections below; signs as LAPACK's. */
static void reflections(double *a, double *tau, int64_t m, int64_t n)
{
    for (int64_t c = 0; c < m && c < n; c++) {
        double *x = a + c * m + c, norm = 0, first = x[0];
        for (int64_t i = 1; i < m - c; i++)
            norm = hypot(norm, x[i]);
        tau[c] = 0;
        if (norm == 0)
            continue;
        double beta = -copysign(hypot(first, norm), first);
        tau[c] = (beta - first) / beta;
        for (int64_t i = 1; i < m - c; i++)
            x[i] /= first - beta;
        for (int64_t j = c + 1; j < n; j++)
            reflect(x, tau[c], a + j * m + c, m - c);
        x[0] = beta;
    }
}

/* Q's first `columns` columns. */
static void unfold_reflections(const double *a, const double *tau, double *q, int64_t m, int64_t n, int64_t columns)
{
    for (int64_t k = 0; k < m * columns; k++)
        q[k] = k / m == k % m;
    for (int64_t c = (m < n ? m : n) - 1; c >= 0; c--)
        for (int64_t j = 0; j < columns; j++)
            reflect(a + c * m + c, tau[c], q + j * m + c, m - c);
}

FORWARD(qr)
{
    Matrices x;
    const char *mode = op == OP_qr ? (call_bool(call, 1, true) ? "reduced" : "complete") : call_has(call, 1) ? call->arg[1].str : "reduced";
    bool complete = !strcmp(mode, "complete"), only_r = !strcmp(mode, "r");
    int64_t none = 0;
    (void)plan;
    if (!complete && !only_r && strcmp(mode, "reduced"))
        return err_set(err, ERR_RUNTIME, "qr(): mode is 'reduced', 'complete' or 'r', not '%s'", mode);
    if (!matrices_open(ctx, op, call_tensor(call, 0), false, &x, err))
        return false;
    int64_t m = x.m, n = x.n, least = m < n ? m : n, columns = complete ? m : least;
    double *a = matrices_room(ctx, &x, m * n + least + m * columns + columns * n, err);
    Tensor *q = !a ? NULL : only_r ? call_result(ctx, op, call, 0, x.dtype, 1, &none, NULL, err) : matrices_result(ctx, op, call, 0, &x, m, columns, err);
    Tensor *r = q ? matrices_result(ctx, op, call, 1, &x, columns, n, err) : NULL;
    for (int64_t k = 0; r && k < x.count; k++) {
        double *tau = a + m * n, *of_q = tau + least, *of_r = of_q + m * columns;
        matrices_read(&x, k, a);
        bool whole = lapack_qr(ctx, x.dtype, m, n, a, columns, of_q);
        if (!whole)
            reflections(a, tau, m, n);
        for (int64_t i = 0; i < columns; i++)
            for (int64_t j = 0; j < n; j++)
                of_r[j * columns + i] = i <= j ? a[j * m + i] : 0;
        matrices_write(r, k, columns * n, of_r);
        if (only_r)
            continue;
        if (!whole)
            unfold_reflections(a, tau, of_q, m, n, columns);
        matrices_write(q, k, m * columns, of_q);
    }
    matrices_close(ctx, &x);
    return r;
}

/* ---- Cholesky ------------------------------------------------------------------------------------------------------------- */
/* The lower triangle of a (n, n) becomes L, the rest 0. The order of the minor that is not positive comes back, 0: all are. */
static int64_t root_of(double *a, int64_t n)
{
    for (int64_t j = 0; j < n; j++) {
        double pivot = a[j * n + j];
        for (int64_t l = 0; l < j; l++)
            pivot -= a[l * n + j] * a[l * n + j];
        if (!(pivot > 0))
            return j + 1;
        a[j * n + j] = sqrt(pivot);
        for (int64_t i = j + 1; i < n; i++) {
            double sum = a[j * n + i];
            for (int64_t l = 0; l < j; l++)
                sum -= a[l * n + i] * a[l * n + j];
            a[j * n + i] = sum / a[j * n + j];
        }
        for (int64_t i = 0; i < j; i++)
            a[j * n + i] = 0;
    }
    return 0;
}

static void turn_square(double *a, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < i; j++) {
            double swap = a[i * n + j];
            a[i * n + j] = a[j * n + i];
            a[j * n + i] = swap;
        }
}

FORWARD(cholesky)
{
    Matrices x;
    bool upper = call_bool(call, 1, false);
    (void)plan;
    if (!matrices_open(ctx, op, call_tensor(call, 0), true, &x, err))
        return false;
    double *a = matrices_room(ctx, &x, x.n * x.n, err);
    Tensor *out = a ? matrices_result(ctx, op, call, 0, &x, x.n, x.n, err) : NULL;
    bool ok = out;
    for (int64_t k = 0; ok && k < x.count; k++) {
        matrices_read(&x, k, a);
        if (upper)
            turn_square(a, x.n);                        /* its upper triangle is read */
        int64_t minor = root_of(a, x.n);
        if (minor) {
            err_set(err, ERR_LINALG, "cholesky(): the matrix is not positive definite: its leading minor of order %lld is not positive", (long long)minor);
            ok = err_hint(err, "a symmetric matrix A @ A.mT + eps * torch.eye(n) is");
            break;
        }
        if (upper)
            turn_square(a, x.n);
        matrices_write(out, k, x.n * x.n, a);
    }
    matrices_close(ctx, &x);
    return ok;
}

/* (L Lᵀ)⁻¹ B by two triangular solutions. */
FORWARD(cholesky_solve)
{
    COMPOSE;
    bool upper = call_bool(call, 2, false);
    Tensor *l = call_tensor(call, 1), *turned = DO(mT, T(l));
    Tensor *lower = upper ? turned : l, *high = upper ? l : turned;
    Tensor *half = DO(solve_triangular, T(lower), call->arg[0], B(false), B(true), B(false));
    return compose_end(c, op, call, DO(solve_triangular, T(high), T(half), B(true), B(true), B(false)));
}

FORWARD(cholesky_inverse)
{
    COMPOSE;
    Tensor *l = call_tensor(call, 0);
    if (l->ndim < 2)
        return err_set(err, ERR_RUNTIME, "cholesky_inverse() takes matrices, not a tensor of %d dimensions", l->ndim);
    Tensor *eye = DO(eye, I(shape_of(l)[l->ndim - 1]), NONE, DT((DType)l->dtype));
    return compose_end(c, op, call, DO(cholesky_solve, T(eye), T(l), B(call_bool(call, 1, false))));
}

/* ---- LU ------------------------------------------------------------------------------------------------------------------- */
/* a (m, n) becomes L below and U above; row i was exchanged with pivot[i]. The number of exchanges comes back. */
static int64_t pivoted(double *a, int64_t *pivot, int64_t m, int64_t n)
{
    int64_t swaps = 0;
    for (int64_t c = 0; c < m && c < n; c++) {
        int64_t best = c;
        for (int64_t i = c + 1; i < m; i++)
            if (fabs(a[c * m + i]) > fabs(a[c * m + best]))
                best = i;
        pivot[c] = best;
        swaps += best != c;
        for (int64_t j = 0; best != c && j < n; j++) {
            double swap = a[j * m + c];
            a[j * m + c] = a[j * m + best];
            a[j * m + best] = swap;
        }
        for (int64_t i = c + 1; i < m && a[c * m + c] != 0; i++) {
            double f = a[c * m + i] /= a[c * m + c];
            for (int64_t j = c + 1; f != 0 && j < n; j++)
                a[j * m + i] -= f * a[j * m + c];
        }
    }
    return swaps;
}

/* Row-major, as PyTorch makes P, L and U. */
static void write_rows(Tensor *out, int64_t k, int64_t rows, int64_t columns, const double *from, double *room)
{
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j++)
            room[i * columns + j] = from[j * rows + i];
    matrices_write(out, k, rows * columns, room);
}

static Tensor *rows_result(Context *ctx, OpId op, Call *call, int k, const Matrices *x, int64_t rows, int64_t columns, Err *err)
{
    int64_t shape[DIMS_MAX];
    memcpy(shape, x->shape, (size_t)x->batch * sizeof *shape);
    shape[x->batch] = rows;
    shape[x->batch + 1] = columns;
    return call_result(ctx, op, call, k, x->dtype, x->batch + 2, shape, NULL, err);
}

static void write_factors(Call *call, int64_t k, const Matrices *x, const double *a, const int64_t *pivot, double *room)
{
    int64_t m = x->m, n = x->n, least = m < n ? m : n;
    double *one = room, *two = room + m * m + m * n;
    int64_t *row = (int64_t *)two;
    for (int64_t i = 0; i < m; i++)
        row[i] = i;
    for (int64_t i = 0; i < least; i++) {
        int64_t swap = row[i];
        row[i] = row[pivot[i]];
        row[pivot[i]] = swap;
    }
    for (int64_t i = 0; i < m * m; i++)
        one[i] = 0;
    for (int64_t i = 0; i < m; i++)
        one[i * m + row[i]] = 1;                        /* by columns: P[row[i], i] */
    write_rows(call->out[0], k, m, m, one, two);
    for (int64_t j = 0; j < least; j++)
        for (int64_t i = 0; i < m; i++)
            one[j * m + i] = i == j ? 1 : i > j ? a[j * m + i] : 0;
    write_rows(call->out[1], k, m, least, one, two);
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < least; i++)
            one[j * least + i] = i <= j ? a[j * m + i] : 0;
    write_rows(call->out[2], k, least, n, one, two);
}

FORWARD(lu)
{
    Matrices x;
    (void)plan;
    if (!call_bool(call, 1, true))
        return err_set(err, ERR_RUNTIME, "%s(): pivot=False is not there on a CPU", op_info[op].name);
    if (!matrices_open(ctx, op, call_tensor(call, 0), false, &x, err))
        return false;
    int64_t m = x.m, n = x.n, least = m < n ? m : n;
    double *a = matrices_room(ctx, &x, m * n + least + 2 * (m * m + m * n), err);
    bool ok = a;
    if (ok && op == OP_linalg_lu)
        ok = rows_result(ctx, op, call, 0, &x, m, m, err) && rows_result(ctx, op, call, 1, &x, m, least, err)
          && rows_result(ctx, op, call, 2, &x, least, n, err);
    if (ok && op != OP_linalg_lu) {
        int64_t shape[DIMS_MAX];
        memcpy(shape, x.shape, (size_t)x.batch * sizeof *shape);
        shape[x.batch] = least;
        ok = matrices_result(ctx, op, call, 0, &x, m, n, err) && call_result(ctx, op, call, 1, DT_I32, x.batch + 1, shape, NULL, err);
    }
    for (int64_t k = 0; ok && k < x.count; k++) {
        int64_t *pivot = (int64_t *)(a + m * n);
        matrices_read(&x, k, a);
        pivoted(a, pivot, m, n);
        if (op == OP_linalg_lu)
            write_factors(call, k, &x, a, pivot, a + m * n + least);
        else
            matrices_write(call->out[0], k, m * n, a);
        for (int64_t i = 0; op != OP_linalg_lu && i < least; i++)
            ((int32_t *)data_of(call->out[1]))[k * least + i] = (int32_t)pivot[i] + 1;
    }
    matrices_close(ctx, &x);
    return ok;
}

FORWARD(slogdet)
{
    Matrices x;
    (void)plan;
    if (!matrices_open(ctx, op, call_tensor(call, 0), true, &x, err))
        return false;
    double *a = matrices_room(ctx, &x, x.n * x.n + x.n, err);
    Tensor *sign = a ? matrices_result(ctx, op, call, 0, &x, -1, -1, err) : NULL;
    Tensor *size = sign ? matrices_result(ctx, op, call, 1, &x, -1, -1, err) : NULL;
    for (int64_t k = 0; size && k < x.count; k++) {
        matrices_read(&x, k, a);
        double s = pivoted(a, (int64_t *)(a + x.n * x.n), x.n, x.n) % 2 ? -1 : 1, sum = 0;
        for (int64_t i = 0; i < x.n; i++) {
            double p = a[i * x.n + i];
            s = p == 0 ? 0 : p < 0 ? -s : p > 0 ? s : p;
            sum += log(fabs(p));
        }
        matrices_write(sign, k, 1, &s);
        matrices_write(size, k, 1, &sum);
    }
    matrices_close(ctx, &x);
    return size;
}

/* NaN for a negative determinant, -inf for 0. */
FORWARD(logdet)
{
    COMPOSE;
    Tensor *sign = DO(slogdet, call->arg[0]), *size = DO_SECOND(slogdet, call->arg[0]);
    return compose_end(c, op, call, DO(where, T(DO(lt, T(sign), I(0))), F(NAN), T(size)));
}

/* ---- what they solve ------------------------------------------------------------------------------------------------------ */
/* A X = B by substitution; left=False: X A = B, which is Aᵀ Xᵀ = Bᵀ. */
FORWARD(solve_triangular)
{
    COMPOSE;
    Tensor *a = call_tensor(call, 0), *b = call_tensor(call, 1);
    bool upper = call_bool(call, 2, false), unit = call_bool(call, 4, false);
    Matrices x = { 0 }, right = { 0 };
    if (!call_bool(call, 3, true)) {
        Tensor *turned = DO(solve_triangular, T(DO(mT, T(a))), T(DO(mT, T(b))), B(!upper), B(true), B(unit));
        return compose_end(c, op, call, DO(mT, T(turned)));
    }
    bool ok = matrices_open(ctx, op, a, true, &x, err) && matrices_open(ctx, op, b, false, &right, err);
    if (ok && (right.m != x.n || right.dtype != x.dtype || (right.count != x.count && x.count != 1)))
        ok = err_set(err, ERR_RUNTIME, "solve_triangular(): the right side has %lld rows, and the matrix %lld", (long long)right.m, (long long)x.n);
    int64_t n = x.n;
    double *m = ok ? matrices_room(ctx, &x, n * n + n * right.n, err) : NULL;
    Tensor *out = m ? matrices_result(ctx, op, call, 0, &right, n, right.n, err) : NULL;
    for (int64_t k = 0; out && k < right.count; k++) {
        double *v = m + n * n;
        matrices_read(&x, x.count == 1 ? 0 : k, m);
        matrices_read(&right, k, v);
        for (int64_t j = 0; j < right.n; j++)
            for (int64_t step = 0; step < n; step++) {
                int64_t i = upper ? n - 1 - step : step;
                double sum = v[j * n + i];
                for (int64_t l = upper ? i + 1 : 0; l < (upper ? n : i); l++)
                    sum -= m[l * n + i] * v[j * n + l];
                v[j * n + i] = unit ? sum : sum / m[i * n + i];
            }
        matrices_write(out, k, n * right.n, v);
    }
    matrices_close(ctx, &right);
    matrices_close(ctx, &x);
    return out;
}

static void times(double *to, const double *a, const double *b, int64_t n)
{
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < n; i++) {
            double sum = 0;
            for (int64_t l = 0; l < n; l++)
                sum += a[l * n + i] * b[j * n + l];
            to[j * n + i] = sum;
        }
}

/* The series of exp on a matrix that is halved until it is small, then squared as often. */
FORWARD(matrix_exp)
{
    Matrices x;
    (void)plan;
    if (!matrices_open(ctx, op, call_tensor(call, 0), true, &x, err))
        return false;
    int64_t n = x.n, size = n * n;
    double *a = matrices_room(ctx, &x, 4 * size, err), *sum = a + size, *term = sum + size, *next = term + size;
    Tensor *out = a ? rows_result(ctx, op, call, 0, &x, n, n, err) : NULL;
    for (int64_t k = 0; out && k < x.count; k++) {
        int halved = 0;
        double most = 0;
        matrices_read(&x, k, a);
        for (int64_t i = 0; i < size; i++)
            most += fabs(a[i]);
        for (; most > 0.5 && halved < 1000; halved++)
            most /= 2;
        for (int64_t i = 0; i < size; i++) {
            a[i] = ldexp(a[i], -halved);
            sum[i] = term[i] = i / n == i % n;
        }
        for (int p = 1; p <= 18; p++) {
            times(next, term, a, n);
            for (int64_t i = 0; i < size; i++)
                sum[i] += term[i] = next[i] / p;
        }
        for (; halved; halved--) {
            times(next, sum, sum, n);
            memcpy(sum, next, (size_t)size * sizeof *sum);
        }
        write_rows(out, k, n, n, sum, term);
    }
    matrices_close(ctx, &x);
    return out;
}

/* ---- products ------------------------------------------------------------------------------------------------------------- */
FORWARD(multi_dot)
{
    COMPOSE;
    const Arg *list = &call->arg[0];
    if (list->kind != ARG_TENSORS || list->n < (op == OP_chain_matmul ? 1 : 2))
        return err_set(err, ERR_RUNTIME, "%s() takes two tensors or more", op_info[op].name);
    if (list->n > COMPOSE_STEPS)
        return err_set(err, ERR_NOT_IMPLEMENTED, "%s() of more than %d tensors is not supported by Locus", op_info[op].name, COMPOSE_STEPS);
    Tensor *product = list->tensors[0];
    for (int k = 0; k < list->n; k++) {
        int ndim = list->tensors[k]->ndim;
        if (ndim != 2 && !(ndim == 1 && op == OP_multi_dot && (k == 0 || k == list->n - 1)))
            return compose_fail(c) || err_set(err, ERR_RUNTIME, "%s() takes matrices, and a vector first or last; tensor %d has %d dimensions", op_info[op].name, k, ndim);
        product = k ? DO(matmul, T(product), T(list->tensors[k])) : product;
    }
    return compose_end(c, op, call, product);
}

FORWARD(vecdot)
{
    COMPOSE;
    int64_t dim = call_int(call, 2, -1);
    return compose_end(c, op, call, DO(sum, T(DO(mul, call->arg[0], call->arg[1])), INTS(&dim, 1)));
}

FORWARD(linalg_diagonal)
{
    COMPOSE;
    return compose_end(c, op, call, DO(diagonal, call->arg[0], I(call_int(call, 1, 0)), I(call_int(call, 2, -2)), I(call_int(call, 3, -1))));
}
