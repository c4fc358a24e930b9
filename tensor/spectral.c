/*
 * spectral.c - singular values and eigenvalues, and what they answer: pseudo-inverse, rank, condition, least squares, norms of
 * matrices.
 */
#include "tensor/compose.h"
#include "tensor/cpu/lapack.h"
#include "tensor/matrices.h"
#include <math.h>

#define FORWARD(name) bool forward_##name(Context *ctx, OpId op, Call *call, Plan *plan, Err *err)
#define OP(id, name, forms, signature, result, dtype, shape, forward, grad) FORWARD(forward);
#include "tensor/ops/decompose.def"
#undef OP

/* ---- singular values ---------------------------------------------------------------------------------------------------- */
static void unit(double *to, int64_t n)
{
    for (int64_t k = 0; k < n * n; k++)
        to[k] = k / n == k % n;
}

/* torch.linalg.svd gives Vh, torch.svd V, svdvals the values alone. */
FORWARD(svd)
{
    Matrices x;
    (void)plan;
    bool values = op == OP_svdvals || (op == OP_svd && !call_bool(call, 2, true));
    bool full = op == OP_linalg_svd ? call_bool(call, 1, true) : op == OP_svd && !call_bool(call, 1, true);
    if (op == OP_svd && values)
        return err_set(err, ERR_NOT_IMPLEMENTED, "svd(): compute_uv=False is not supported by Locus; torch.linalg.svdvals() gives the values alone");
    if (!matrices_open(ctx, op, call_tensor(call, 0), false, &x, err))
        return false;
    int64_t m = x.m, n = x.n, least = m < n ? m : n, wide_u = full ? m : least, high_v = full ? n : least;
    Tensor *u = NULL, *s = NULL, *v = NULL;
    double *a = matrices_room(ctx, &x, m * n + least + (values ? 0 : m * wide_u + 2 * high_v * n), err);
    bool ok = a;
    if (ok && !values)
        ok = (u = matrices_result(ctx, op, call, 0, &x, m, wide_u, err));
    if (ok)
        ok = (s = matrices_result(ctx, op, call, values ? 0 : 1, &x, -1, least, err));
    if (ok && !values)
        ok = (v = matrices_result(ctx, op, call, 2, &x, high_v, n, err));
    double *of_s = a + m * n, *of_u = of_s + least, *of_v = of_u + m * wide_u;
    for (int64_t k = 0; ok && k < x.count; k++) {
        matrices_read(&x, k, a);
        if (least)
            ok = lapack_svd(ctx, x.dtype, values ? 'N' : full ? 'A' : 'S', m, n, a, of_s, of_u, of_v, err);
        else if (!values)
            unit(of_u, wide_u), unit(of_v, high_v);
        if (!ok)
            break;
        matrices_write(s, k, least, of_s);
        if (!values) {
            matrices_write(u, k, m * wide_u, of_u);
            matrices_write(v, k, high_v * n, of_v);
        }
    }
    matrices_close(ctx, &x);
    if (ok && op == OP_svd) {                           /* V is a view of Vh, turned round */
        Call turned = { .args = 1 };
        turned.arg[0] = T(v);
        ok = op_call(ctx, OP_mT, &turned, err);
        tensor_release(v);
        call->out[2] = ok ? turned.out[0] : NULL;
    }
    return ok;
}

FORWARD(eigh)
{
    Matrices x;
    const char *part = call_has(call, 1) ? call->arg[1].str : "L";
    bool vectors = op == OP_linalg_eigh;
    (void)plan;
    if (strlen(part) != 1 || !strchr("LlUu", *part))
        return err_set(err, ERR_RUNTIME, "%s(): UPLO is 'L' or 'U', not '%s'", op_info[op].name, part);
    if (!matrices_open(ctx, op, call_tensor(call, 0), true, &x, err))
        return false;
    double *a = matrices_room(ctx, &x, x.n * x.n + x.n, err);
    Tensor *w = a ? matrices_result(ctx, op, call, 0, &x, -1, x.n, err) : NULL;
    Tensor *v = w && vectors ? matrices_result(ctx, op, call, 1, &x, x.n, x.n, err) : NULL;
    bool ok = w && (v || !vectors);
    for (int64_t k = 0; ok && x.n && k < x.count; k++) {
        matrices_read(&x, k, a);
        if (!(ok = lapack_eigh(ctx, x.dtype, vectors, *part == 'L' || *part == 'l' ? 'L' : 'U', x.n, a, a + x.n * x.n, err)))
            break;
        matrices_write(w, k, x.n, a + x.n * x.n);
        if (vectors)
            matrices_write(v, k, x.n * x.n, a);
    }
    matrices_close(ctx, &x);
    return ok;
}

FORWARD(no_complex)
{
    (void)ctx, (void)call, (void)plan;
    err_set(err, ERR_NOT_IMPLEMENTED, "%s() has complex results, which Locus does not have", op_info[op].id);
    return err_hint(err, "for symmetric matrices torch.linalg.eigh() gives real ones");
}

/* ---- what follows from them ----------------------------------------------------------------------------------------------- */
static double epsilon(DType dtype)
{
    DTypeInfo info;
    dtype_info(dtype, &info);
    return info.eps;
}

/* Below which a singular value counts as 0: the larger of atol and rtol times the largest. */
static double tolerance(const double *s, int64_t n, double atol, double rtol)
{
    double most = 0;
    for (int64_t k = 0; k < n; k++)
        most = fabs(s[k]) > most ? fabs(s[k]) : most;
    return rtol * most > atol ? rtol * most : atol;
}

/* The defaults of PyTorch: rtol is max(m, n) eps unless atol alone is given. */
static void tolerances(const Call *call, int atol_at, int rtol_at, const Matrices *x, double *atol, double *rtol)
{
    *atol = call_float(call, atol_at, 0);
    double standard = epsilon(x->dtype) * (double)(x->m > x->n ? x->m : x->n);
    *rtol = call_float(call, rtol_at, call_has(call, atol_at) && *atol > 0 ? 0 : standard);
}

FORWARD(pinv)
{
    Matrices x;
    double atol, rtol;
    (void)plan;
    if (!matrices_open(ctx, op, call_tensor(call, 0), false, &x, err))
        return false;
    int64_t m = x.m, n = x.n, least = m < n ? m : n;
    tolerances(call, 3, 1, &x, &atol, &rtol);
    double *a = matrices_room(ctx, &x, 2 * m * n + least + m * least + least * n, err);
    int64_t shape[DIMS_MAX];
    memcpy(shape, x.shape, (size_t)x.batch * sizeof *shape);
    shape[x.batch] = n;
    shape[x.batch + 1] = m;
    Tensor *out = a ? call_result(ctx, op, call, 0, x.dtype, x.batch + 2, shape, NULL, err) : NULL;
    bool ok = out;
    double *s = a + m * n, *u = s + least, *v = u + m * least, *result = v + least * n;
    for (int64_t k = 0; ok && least && k < x.count; k++) {
        matrices_read(&x, k, a);
        if (!(ok = lapack_svd(ctx, x.dtype, 'S', m, n, a, s, u, v, err)))
            break;
        double small = tolerance(s, least, atol, rtol);
        for (int64_t i = 0; i < n; i++)                 /* row-major: V diag(1/s) Uᵀ */
            for (int64_t j = 0; j < m; j++) {
                double sum = 0;
                for (int64_t l = 0; l < least; l++)
                    sum += s[l] > small ? v[i * least + l] / s[l] * u[l * m + j] : 0;
                result[i * m + j] = sum;
            }
        matrices_write(out, k, m * n, result);
    }
    matrices_close(ctx, &x);
    return ok;
}

FORWARD(matrix_rank)
{
    Matrices x;
    double atol, rtol;
    (void)plan;
    if (!matrices_open(ctx, op, call_tensor(call, 0), false, &x, err))
        return false;
    int64_t least = x.m < x.n ? x.m : x.n;
    tolerances(call, call_has(call, 1) ? 1 : 3, 4, &x, &atol, &rtol);
    double *a = matrices_room(ctx, &x, x.m * x.n + least, err);
    Tensor *out = a ? call_result(ctx, op, call, 0, DT_I64, x.batch, x.shape, NULL, err) : NULL;
    bool ok = out;
    for (int64_t k = 0; ok && k < x.count; k++) {
        double *s = a + x.m * x.n;
        int64_t rank = 0;
        matrices_read(&x, k, a);
        if (least && !(ok = lapack_svd(ctx, x.dtype, 'N', x.m, x.n, a, s, NULL, NULL, err)))
            break;
        for (int64_t i = 0; i < least; i++)
            rank += s[i] > tolerance(s, least, atol, rtol);
        ((int64_t *)data_of(out))[k] = rank;
    }
    matrices_close(ctx, &x);
    return ok;
}

/* ---- least squares -------------------------------------------------------------------------------------------------------- */
typedef struct Squares { Matrices *x, *right; double rcond, *room; Tensor *solution, *residuals, *rank, *values; } Squares;

/* x = V diag(1/s) Uᵀ b: of all that come nearest, the shortest. */
static bool least_squares(Context *ctx, const Squares *q, int64_t k, bool *full, Err *err)
{
    int64_t m = q->x->m, n = q->x->n, least = m < n ? m : n, columns = q->right->n, rank = 0;
    double *a = q->room, *s = a + m * n, *u = s + least, *v = u + m * least, *b = v + least * n, *x = b + m * columns, *whole = x + n * columns;
    matrices_read(q->x, k, a);
    memcpy(whole, a, (size_t)(m * n) * sizeof *a);
    matrices_read(q->right, q->right->count == 1 ? 0 : k, b);
    if (!lapack_svd(ctx, DT_F64, 'S', m, n, a, s, u, v, err))
        return false;
    for (int64_t l = 0; l < least; l++)
        rank += s[l] > q->rcond * s[0];
    memset(x, 0, (size_t)(n * columns) * sizeof *x);
    for (int64_t c = 0; c < columns; c++)
        for (int64_t l = 0; l < rank; l++) {
            double sum = 0;
            for (int64_t i = 0; i < m; i++)
                sum += u[l * m + i] * b[c * m + i];
            for (int64_t j = 0; j < n; j++)
                x[c * n + j] += v[j * least + l] * sum / s[l];
        }
    matrices_write(q->solution, k, n * columns, x);
    if (q->rank)
        ((int64_t *)data_of(q->rank))[k] = rank;
    if (q->values)
        matrices_write(q->values, k, least, s);
    for (int64_t c = 0; q->residuals && c < columns; c++) {
        double sum = 0;
        for (int64_t i = 0; i < m; i++) {
            double r = -b[c * m + i];
            for (int64_t j = 0; j < n; j++)
                r += whole[j * m + i] * x[c * n + j];
            sum += r * r;
        }
        a[c] = sum;
    }
    if (q->residuals)
        matrices_write(q->residuals, k, columns, a);
    *full = *full && rank == n;
    return true;
}

FORWARD(lstsq)
{
    Matrices x, right = { 0 };
    const char *driver = call_has(call, 3) ? call->arg[3].str : "gelsy";
    bool known = !strcmp(driver, "gels") || !strcmp(driver, "gelsy") || !strcmp(driver, "gelsd") || !strcmp(driver, "gelss");
    bool values = !strcmp(driver, "gelsd") || !strcmp(driver, "gelss"), ranked = strcmp(driver, "gels"), full = true;
    Tensor *t = call_tensor(call, 0), *b = call_tensor(call, 1), *column = NULL;
    int64_t none = 0;
    (void)plan;
    if (!known)
        return err_set(err, ERR_RUNTIME, "lstsq(): driver is 'gels', 'gelsy', 'gelsd' or 'gelss', not '%s'", driver);
    if (!matrices_open(ctx, op, t, false, &x, err))
        return false;
    bool vector = b->ndim == t->ndim - 1, ok = true;
    if (ok && vector) {
        Call unsqueeze = { .args = 2 };
        unsqueeze.arg[0] = T(b), unsqueeze.arg[1] = I(-1);
        ok = op_call(ctx, OP_unsqueeze, &unsqueeze, err);
        column = ok ? unsqueeze.out[0] : NULL;
    }
    ok = ok && matrices_open(ctx, op, vector ? column : b, false, &right, err);
    if (ok && (right.m != x.m || right.dtype != x.dtype || (right.count != x.count && right.count != 1)))
        ok = err_set(err, ERR_RUNTIME, "lstsq(): the right side has %lld rows, and the matrix %lld", (long long)right.m, (long long)x.m);
    int64_t least = x.m < x.n ? x.m : x.n;
    Squares q = { .x = &x, .right = &right, .rcond = call_float(call, 2, epsilon(x.dtype) * (double)(x.m > x.n ? x.m : x.n)) };
    if (ok)
        ok = (q.room = matrices_room(ctx, &x, 2 * x.m * x.n + least * (1 + x.m + x.n) + (x.m + x.n) * right.n, err));
    if (ok)
        ok = (q.solution = matrices_result(ctx, op, call, 0, &x, x.n, right.n, err));
    bool residuals = x.m > x.n && strcmp(driver, "gelsy");
    if (ok)
        ok = (q.residuals = residuals ? matrices_result(ctx, op, call, 1, &x, -1, right.n, err) : call_result(ctx, op, call, 1, x.dtype, 1, &none, NULL, err));
    if (ok)
        ok = (q.rank = call_result(ctx, op, call, 2, DT_I64, ranked ? x.batch : 1, ranked ? x.shape : &none, NULL, err));
    if (ok)
        ok = (q.values = values ? matrices_result(ctx, op, call, 3, &x, -1, least, err) : call_result(ctx, op, call, 3, x.dtype, 1, &none, NULL, err));
    Squares work = q;
    work.residuals = residuals ? q.residuals : NULL;
    work.rank = ranked ? q.rank : NULL;
    work.values = values ? q.values : NULL;
    for (int64_t k = 0; ok && least && k < x.count; k++)
        ok = least_squares(ctx, &work, k, &full, err);
    if (ok && residuals && !full)                       /* of a matrix without full rank there are none */
        ok = tensor_set_dims(q.residuals, 1, &none, (int64_t[]){ 1 }, 0, err);
    if (ok && vector) {
        int64_t shape[DIMS_MAX], strides[DIMS_MAX];
        memcpy(shape, shape_of(q.solution), sizeof(int64_t) * (size_t)(t->ndim - 1));
        memcpy(strides, strides_of(q.solution), sizeof(int64_t) * (size_t)(t->ndim - 1));
        ok = tensor_set_dims(q.solution, t->ndim - 1, shape, strides, 0, err);
    }
    tensor_release(column);
    matrices_close(ctx, &right);
    matrices_close(ctx, &x);
    return ok;
}

/* ---- norms of matrices ---------------------------------------------------------------------------------------------------- */
/* The norm of the matrices in the last two dimensions. */
static Tensor *norm_of_last(Compose *c, Tensor *t, const char *name, double order)
{
    static const int64_t both[] = { -2, -1 }, rows[] = { -2 }, columns[] = { -1 };
    if (name && !strcmp(name, "fro"))
        return DO(vector_norm, T(t), I(2), INTS(both, 2));
    if ((name && !strcmp(name, "nuc")) || (!name && fabs(order) == 2)) {
        Tensor *s = DO(svdvals, T(t));
        return name ? DO(sum, T(s), INTS(columns, 1)) : order > 0 ? DO(amax, T(s), INTS(columns, 1)) : DO(amin, T(s), INTS(columns, 1));
    }
    if (name || (fabs(order) != 1 && !isinf(order))) {
        if (name)
            err_set(c->err, ERR_RUNTIME, "the norm of a matrix is 'fro', 'nuc', inf, -inf, 1, -1, 2 or -2, not '%s'", name);
        else
            err_set(c->err, ERR_RUNTIME, "the norm of a matrix is 'fro', 'nuc', inf, -inf, 1, -1, 2 or -2, not %g", order);
        return compose_keep(c, NULL);
    }
    Tensor *sums = DO(sum, T(DO(abs, T(t))), INTS(isinf(order) ? columns : rows, 1));
    return order > 0 ? DO(amax, T(sums), INTS(columns, 1)) : DO(amin, T(sums), INTS(columns, 1));
}

/* The same of any two dimensions. */
static Tensor *norm_of_two(Compose *c, OpId op, Tensor *t, const char *name, double order, const int64_t *dims, bool keepdim)
{
    static const int64_t last[] = { -2, -1 };
    int d[2];
    if (t->ndim < 2) {
        err_set(c->err, ERR_RUNTIME, "%s() takes matrices, not a tensor of %d dimensions", op_info[op].name, t->ndim);
        return compose_keep(c, NULL);
    }
    if (dtype_kind((DType)t->dtype) != DKIND_FLOAT) {
        err_set(c->err, ERR_RUNTIME, "%s() takes floating tensors, not %s", op_info[op].name, dtype_name((DType)t->dtype));
        return compose_keep(c, NULL);
    }
    if (!shape_dim(dims[0], t->ndim, &d[0], c->err) || !shape_dim(dims[1], t->ndim, &d[1], c->err))
        return compose_keep(c, NULL);
    if (d[0] == d[1]) {
        err_set(c->err, ERR_RUNTIME, "%s(): dim names one dimension twice", op_info[op].name);
        return compose_keep(c, NULL);
    }
    Tensor *norm = norm_of_last(c, DO(movedim, T(t), INTS(dims, 2), INTS(last, 2)), name, order);
    if (keepdim) {
        norm = DO(unsqueeze, T(norm), I(d[0] < d[1] ? d[0] : d[1]));
        norm = DO(unsqueeze, T(norm), I(d[0] < d[1] ? d[1] : d[0]));
    }
    return norm;
}

static Tensor *in_dtype(Compose *c, const Call *call, int k)
{
    return call_has(call, k) ? compose_cast(c, call_tensor(call, 0), call_dtype(call, k)) : call_tensor(call, 0);
}

FORWARD(matrix_norm)
{
    COMPOSE;
    static const int64_t last[] = { -2, -1 };
    int n = 0;
    const int64_t *dims = call_has(call, 2) ? call_ints(call, 2, &n) : last;
    if (call_has(call, 2) && n != 2)
        return err_set(err, ERR_RUNTIME, "matrix_norm(): dim names two dimensions, not %d", n);
    const char *name = op == OP_matrix_norm_name ? call->arg[1].str : NULL;
    return compose_end(c, op, call, norm_of_two(c, op, in_dtype(c, call, 4), name, call_float(call, 1, 2), dims, call_bool(call, 3, false)));
}

/* torch.linalg.norm: of all elements without ord and dim; of vectors along one dim; of matrices along two. */
FORWARD(linalg_norm)
{
    COMPOSE;
    Tensor *t = in_dtype(c, call, 4);
    bool named = op == OP_linalg_norm_name, ordered = call_has(call, 1), keepdim = call_bool(call, 3, false);
    static const int64_t last[] = { -2, -1 };
    int n = t ? t->ndim : 0;
    const int64_t *dims = call_has(call, 2) ? call_ints(call, 2, &n) : last;
    if (!t)
        return compose_fail(c);
    if (ordered && !call_has(call, 2) && t->ndim > 2)
        return err_set(err, ERR_RUNTIME, "norm(): of a tensor of %d dimensions dim= says which make the vectors or matrices", t->ndim);
    if (ordered && n == 2)
        return compose_end(c, op, call, norm_of_two(c, op, t, named ? call->arg[1].str : NULL, call_float(call, 1, 2), dims, keepdim));
    if (named)
        return err_set(err, ERR_RUNTIME, "norm(): '%s' is a norm of matrices; a vector's is a number", call->arg[1].str);
    return compose_end(c, op, call, DO(vector_norm, T(t), ordered ? call->arg[1] : I(2), call->arg[2], B(keepdim)));
}

FORWARD(cond)
{
    COMPOSE;
    static const int64_t last[] = { -2, -1 }, columns[] = { -1 };
    Tensor *t = call_tensor(call, 0);
    const char *name = op == OP_cond_name ? call->arg[1].str : NULL;
    double order = call_float(call, 1, 2);
    if (!name && fabs(order) == 2) {
        Tensor *s = DO(svdvals, T(t)), *most = DO(amax, T(s), INTS(columns, 1)), *least = DO(amin, T(s), INTS(columns, 1));
        return compose_end(c, op, call, order > 0 ? DO(div, T(most), T(least)) : DO(div, T(least), T(most)));
    }
    Tensor *inverse = DO(inverse, T(t));
    Tensor *norm = norm_of_two(c, op, t, name, order, last, false);
    return compose_end(c, op, call, DO(mul, T(norm), T(inverse ? norm_of_two(c, op, inverse, name, order, last, false) : NULL)));
}
