/*
 * square.c - what is computed from square matrices, and sums over named dimensions: trace, det, inverse, solve, powers, cross,
 * kron, einsum, tensordot.
 * Elimination is Gauss' with the largest pivot of each column (Golub and Van Loan, Matrix Computations, 3.4), in double precision.
 */
#include "tensor/cpu/matmul.h"
#include "tensor/part.h"
#include <math.h>

#define FORWARD(name) bool forward_##name(Context *ctx, OpId op, Call *call, Plan *plan, Err *err)
#define OP(id, name, forms, signature, result, dtype, shape, forward, grad) FORWARD(forward);
#include "tensor/ops/linalg.def"
#undef OP

FORWARD(trace)
{
    const Tensor *t = call_tensor(call, 0);
    (void)plan;
    if (t->ndim != 2)
        return err_set(err, ERR_RUNTIME, "trace() takes a matrix, not a tensor of %d dimensions", t->ndim);
    DType dtype = dtype_kind((DType)t->dtype) == DKIND_FLOAT ? (DType)t->dtype : DT_I64;
    Number sum = dtype == DT_I64 ? (Number){ DKIND_INT, { .i = 0 } } : (Number){ DKIND_FLOAT, { .f = 0 } };
    for (int64_t k = 0; k < shape_of(t)[0] && k < shape_of(t)[1]; k++) {
        Number x = tensor_element(t, (int64_t[]){ k, k });
        if (sum.kind == DKIND_INT)
            sum.i += number_int(x);
        else
            sum.f += x.f;
    }
    Tensor *out = call_result(ctx, op, call, 0, dtype, 0, NULL, NULL, err);
    if (out)
        number_store(dtype, data_of(out), sum);
    return out;
}

/* ---- elimination ---------------------------------------------------------------------------------------------------- */
static bool square_floats(OpId op, const Tensor *t, Err *err)
{
    int n = t->ndim;
    if (n < 2 || shape_of(t)[n - 1] != shape_of(t)[n - 2]) {
        char shape[200];
        shape_print_to(shape, sizeof shape, n, shape_of(t));
        return err_set(err, ERR_RUNTIME, "%s() takes square matrices, not the shape %s", op_info[op].id, shape);
    }
    return dtype_kind((DType)t->dtype) == DKIND_FLOAT
        || err_set(err, ERR_RUNTIME, "%s() needs a floating dtype, and the tensor is %s", op_info[op].id, dtype_name((DType)t->dtype));
}

/* Reduces a (n, n) to the unit matrix, doing the same to b (n, m). The determinant comes back; 0: it is singular. */
static double eliminate(double *a, double *b, int64_t n, int64_t m)
{
    double det = 1;
    for (int64_t c = 0; c < n; c++) {
        int64_t pivot = c;
        for (int64_t r = c + 1; r < n; r++)
            if (fabs(a[r * n + c]) > fabs(a[pivot * n + c]))
                pivot = r;
        double p = a[pivot * n + c];
        if (p == 0 || isnan(p))
            return p == 0 ? 0 : NAN;
        for (int64_t j = 0; pivot != c && j < n; j++) {
            double swap = a[c * n + j];
            a[c * n + j] = a[pivot * n + j];
            a[pivot * n + j] = swap;
        }
        for (int64_t j = 0; pivot != c && j < m; j++) {
            double swap = b[c * m + j];
            b[c * m + j] = b[pivot * m + j];
            b[pivot * m + j] = swap;
        }
        det *= pivot == c ? p : -p;
        for (int64_t r = m ? 0 : c + 1; r < n; r++) {
            double f = a[r * n + c] / p;
            if (r == c || f == 0)
                continue;
            for (int64_t j = c; j < n; j++)
                a[r * n + j] -= f * a[c * n + j];
            for (int64_t j = 0; j < m; j++)
                b[r * m + j] -= f * b[c * m + j];
        }
    }
    for (int64_t r = 0; r < n; r++)
        for (int64_t j = 0; j < m; j++)
            b[r * m + j] /= a[r * n + r];
    return det;
}

static void read_matrix(double *to, const Tensor *dense, int64_t matrix, int64_t rows, int64_t columns)
{
    int64_t size = (int64_t)dtype_size((DType)dense->dtype);
    const char *from = data_of(dense) + matrix * rows * columns * size;
    for (int64_t i = 0; i < rows * columns; i++)
        to[i] = number_double(number_load((DType)dense->dtype, from + i * size));
}

/* By columns, as LAPACK and so PyTorch leaves an inverse and a solution. */
static void write_matrix(Tensor *to, int64_t matrix, int64_t rows, int64_t columns, const double *from)
{
    int64_t size = (int64_t)dtype_size((DType)to->dtype);
    char *at = data_of(to) + matrix * rows * columns * size;
    for (int64_t j = 0; j < columns; j++)
        for (int64_t i = 0; i < rows; i++, at += size)
            number_store((DType)to->dtype, at, (Number){ DKIND_FLOAT, { .f = from[i * columns + j] } });
}

/* For each matrix of t: its determinant, its inverse, or the solution for the right side. */
static bool each_matrix(Context *ctx, OpId op, Call *call, Tensor *t, const Tensor *right, int ndim, const int64_t *shape, int64_t m, Err *err)
{
    int64_t n = shape_of(t)[t->ndim - 1], matrices = n ? t->numel / (n * n) : 1;
    for (int d = 0; !n && d < t->ndim - 2; d++)
        matrices *= shape_of(t)[d];
    int64_t strides[DIMS_MAX];
    shape_row_major(ndim, shape, strides);
    if (op != OP_det && ndim > 1) {
        strides[ndim - 2] = 1;
        strides[ndim - 1] = n > 1 ? n : 1;
    }
    Tensor *in = copy_dense(ctx, t, (DType)t->dtype, COPY_NOT_CONTIGUOUS, err);
    Tensor *out = in ? call_result(ctx, op, call, 0, (DType)t->dtype, ndim, shape, strides, err) : NULL;
    double *room = out ? mem_new(ctx->heap, (size_t)(n * n + n * m + 1) * sizeof *room) : NULL;
    bool ok = room || (out && err_memory(err, (size_t)(n * n + n * m) * sizeof *room));
    for (int64_t k = 0; ok && k < matrices; k++) {
        double *a = room, *b = room + n * n;
        read_matrix(a, in, k, n, n);
        for (int64_t i = 0; op != OP_solve && i < n * m; i++)
            b[i] = i / m == i % m;
        if (op == OP_solve)
            read_matrix(b, right, right->ndim > 2 ? k : 0, n, m);
        double det = eliminate(a, b, n, m);
        if (op == OP_det)
            write_matrix(out, k, 1, 1, &det);
        else if (det == 0)
            ok = err_set(err, ERR_LINALG, "%s(): the matrix is singular: it has no inverse", op_info[op].id);
        else
            write_matrix(out, k, n, m, b);
        ok = ok && ((k & 15) != 15 || !interrupted(ctx, err));
    }
    mem_free(ctx->heap, room);
    tensor_release(in);
    return ok;
}

FORWARD(det)
{
    Tensor *t = call_tensor(call, 0);
    (void)plan;
    return square_floats(op, t, err) && each_matrix(ctx, op, call, t, NULL, t->ndim - 2, shape_of(t), 0, err);
}

FORWARD(inverse)
{
    Tensor *t = call_tensor(call, 0);
    (void)plan;
    return square_floats(op, t, err) && each_matrix(ctx, op, call, t, NULL, t->ndim, shape_of(t), shape_of(t)[t->ndim - 1], err);
}

FORWARD(solve)
{
    Tensor *t = call_tensor(call, 0), *right = call_tensor(call, 1);
    (void)plan;
    if (!square_floats(op, t, err))
        return false;
    bool vector = right->ndim == 1;
    int64_t n = shape_of(t)[t->ndim - 1], m = vector ? 1 : shape_of(right)[right->ndim - 1];
    if (right->dtype != t->dtype || !right->ndim || shape_of(right)[vector ? 0 : right->ndim - 2] != n || (right->ndim > 2 && right->ndim != t->ndim))
        return err_set(err, ERR_RUNTIME, "solve(): the right side must have %lld rows, one for each of the matrix, and its dtype", (long long)n);
    Tensor *dense = copy_dense(ctx, right, (DType)right->dtype, COPY_NOT_CONTIGUOUS, err);
    bool ok = dense && each_matrix(ctx, op, call, t, dense, right->ndim, shape_of(right), m, err);
    tensor_release(dense);
    return ok;
}

FORWARD(matrix_power)
{
    Tensor *t = call_tensor(call, 0), *base = tensor_retain(t), *result = NULL;
    int64_t n = call_int(call, 1, 0);
    (void)plan;
    bool ok = square_floats(op, t, err);
    if (ok && n < 0) {
        Tensor *inverse = op_unary(ctx, OP_inverse, t, err);
        tensor_release(base);
        base = inverse;
        ok = base;
        n = -n;
    }
    if (ok && n == 0) {
        Tensor *zero = copy_new(ctx, t, (DType)t->dtype, false, COPY_REASONS, err);
        int64_t rows = shape_of(t)[t->ndim - 1];
        for (int64_t k = 0; zero && k < zero->numel; k++)
            number_store((DType)zero->dtype, data_of(zero) + k * (int64_t)dtype_size((DType)zero->dtype),
                         (Number){ DKIND_FLOAT, { .f = k / rows % rows == k % rows } });
        result = zero;
        ok = zero;
    }
    for (; ok && n; n >>= 1) {
        if (n & 1) {
            Tensor *next = result ? op_binary(ctx, OP_matmul, result, base, err) : copy_new(ctx, base, (DType)base->dtype, false, COPY_REASONS, err);
            tensor_release(result);
            result = next;
            ok = next;
        }
        if (ok && n > 1) {
            Tensor *next = op_binary(ctx, OP_matmul, base, base, err);
            tensor_release(base);
            base = next;
            ok = next;
        }
    }
    tensor_release(base);
    if (!ok) {
        tensor_release(result);
        return false;
    }
    return call_take(call, result);
}

/* ---- cross and kron --------------------------------------------------------------------------------------------------- */
FORWARD(cross)
{
    const Tensor *a = call_tensor(call, 0), *b = call_tensor(call, 1);
    int64_t index[DIMS_MAX] = { 0 };
    int dim = -1;
    (void)plan;
    if (a->ndim != b->ndim || memcmp(shape_of(a), shape_of(b), (size_t)a->ndim * sizeof *index) || a->dtype != b->dtype)
        return err_set(err, ERR_RUNTIME, "cross() takes two tensors of one shape and dtype");
    if (call_has(call, 2)) {
        if (!shape_dim(call_int(call, 2, -1), a->ndim, &dim, err))
            return false;
    } else
        for (int d = 0; d < a->ndim && dim < 0; d++)
            dim = shape_of(a)[d] == 3 ? d : -1;
    if (dim < 0 || !a->ndim || shape_of(a)[dim] != 3)
        return err_set(err, ERR_RUNTIME, "cross() needs a dimension of size 3");
    Tensor *out = call_result(ctx, op, call, 0, (DType)a->dtype, a->ndim, shape_of(a), NULL, err);
    for (int64_t k = 0; out && k < out->numel; k++) {
        int64_t at = index[dim], i = (at + 1) % 3, j = (at + 2) % 3;
        Number ai, aj, bi, bj;
        index[dim] = i, ai = tensor_element(a, index), bi = tensor_element(b, index);
        index[dim] = j, aj = tensor_element(a, index), bj = tensor_element(b, index);
        index[dim] = at;
        Number x = ai.kind == DKIND_FLOAT ? (Number){ DKIND_FLOAT, { .f = ai.f * bj.f - aj.f * bi.f } }
                                          : (Number){ DKIND_INT, { .i = number_int(ai) * number_int(bj) - number_int(aj) * number_int(bi) } };
        number_store((DType)out->dtype, data_of(out) + k * (int64_t)dtype_size((DType)out->dtype), x);
        for (int d = out->ndim - 1; d >= 0 && ++index[d] == shape_of(out)[d]; d--)
            index[d] = 0;
    }
    return out;
}

FORWARD(kron)
{
    Tensor *a = call_tensor(call, 0), *b = call_tensor(call, 1);
    int64_t shape[DIMS_MAX], index[DIMS_MAX] = { 0 }, in_a[DIMS_MAX], in_b[DIMS_MAX];
    int ndim = a->ndim > b->ndim ? a->ndim : b->ndim;
    DType dtype = dtype_result(ctx, call, 0, 2);
    (void)plan;
    for (int d = 0; d < ndim; d++)
        shape[d] = (d < ndim - a->ndim ? 1 : shape_of(a)[d - ndim + a->ndim]) * (d < ndim - b->ndim ? 1 : shape_of(b)[d - ndim + b->ndim]);
    Tensor *out = call_result(ctx, op, call, 0, dtype, ndim, shape, NULL, err);
    for (int64_t k = 0; out && k < out->numel; k++) {
        for (int d = 0; d < ndim; d++) {
            int64_t of_b = d < ndim - b->ndim ? 1 : shape_of(b)[d - ndim + b->ndim];
            if (d >= ndim - a->ndim)
                in_a[d - ndim + a->ndim] = index[d] / of_b;
            if (d >= ndim - b->ndim)
                in_b[d - ndim + b->ndim] = index[d] % of_b;
        }
        Number x = tensor_element(a, in_a), y = tensor_element(b, in_b);
        number_store(dtype, data_of(out) + k * (int64_t)dtype_size(dtype),
                     dtype_kind(dtype) == DKIND_FLOAT ? (Number){ DKIND_FLOAT, { .f = number_double(x) * number_double(y) } }
                                                      : (Number){ DKIND_INT, { .i = number_int(x) * number_int(y) } });
        for (int d = ndim - 1; d >= 0 && ++index[d] == shape[d]; d--)
            index[d] = 0;
    }
    return out;
}

/* ---- einsum: a loop over all labels, the result's outside ------------------------------------------------------------- */
enum { LABELS = 52, OPERANDS = 8 };

typedef struct Sum {
    int     operands, labels, outer;    /* the first `outer` labels are the result's */
    int64_t size[LABELS], stride[OPERANDS][LABELS];
    const Tensor *operand[OPERANDS];
} Sum;

static Number sum_one(const Sum *s, const int64_t *start)
{
    int64_t index[LABELS] = { 0 }, at[OPERANDS], count = 1;
    bool is_float = dtype_kind((DType)s->operand[0]->dtype) == DKIND_FLOAT;
    double f = 0;
    int64_t i = 0;
    memcpy(at, start, sizeof at);
    for (int l = s->outer; l < s->labels; l++)
        count *= s->size[l];
    for (int64_t k = 0; k < count; k++) {
        double x = 1;
        int64_t whole = 1;
        for (int o = 0; o < s->operands; o++) {
            DType dtype = (DType)s->operand[o]->dtype;
            Number n = number_load(dtype, (const char *)s->operand[o]->storage->data + at[o] * (int64_t)dtype_size(dtype));
            if (is_float)
                x *= n.f;
            else
                whole *= number_int(n);
        }
        f += x;
        i += whole;
        for (int l = s->labels - 1; l >= s->outer; l--) {
            for (int o = 0; o < s->operands; o++)
                at[o] += s->stride[o][l];
            if (++index[l] < s->size[l])
                break;
            for (int o = 0; o < s->operands; o++)
                at[o] -= s->stride[o][l] * s->size[l];
            index[l] = 0;
        }
    }
    return is_float ? (Number){ DKIND_FLOAT, { .f = f } } : (Number){ DKIND_INT, { .i = i } };
}

static bool sum_all(Context *ctx, OpId op, Call *call, const Sum *s, Err *err)
{
    int64_t index[LABELS] = { 0 }, start[OPERANDS];
    DType dtype = (DType)s->operand[0]->dtype;
    for (int o = 1; o < s->operands; o++)
        if (s->operand[o]->dtype != dtype)
            return err_set(err, ERR_RUNTIME, "%s() needs one dtype, not %s and %s", op_info[op].id, dtype_name(dtype), dtype_name((DType)s->operand[o]->dtype));
    Tensor *out = call_result(ctx, op, call, 0, dtype, s->outer, s->size, NULL, err);
    for (int64_t k = 0; out && k < out->numel; k++) {
        for (int o = 0; o < s->operands; o++) {
            start[o] = s->operand[o]->offset;
            for (int l = 0; l < s->outer; l++)
                start[o] += index[l] * s->stride[o][l];
        }
        number_store(dtype, data_of(out) + k * (int64_t)dtype_size(dtype), sum_one(s, start));
        for (int l = s->outer - 1; l >= 0 && ++index[l] == s->size[l]; l--)
            index[l] = 0;
        if ((k & 255) == 255 && interrupted(ctx, err))
            return false;
    }
    return out;
}

static int label_of(char *labels, int *n, char c)
{
    for (int l = 0; l < *n; l++)
        if (labels[l] == c)
            return l;
    labels[*n] = c;
    return (*n)++;
}

static bool is_label(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/* Letters that the equation does not use stand for the dimensions of '...', counted from the last one. */
static bool einsum_of_ellipsis(Context *ctx, Call *call, Err *err)
{
    const char *equation = call->arg[0].str, *arrow = strstr(equation, "->");
    const Arg *given = &call->arg[1];
    char spare[LABELS + 1], text[512];
    int known = 0, most = 0, of[OPERANDS] = { 0 }, o = 0;
    size_t end = arrow ? (size_t)(arrow - equation) : strlen(equation), n = 0;
    for (int c = 'A'; c <= 'z'; c++)
        if (is_label((char)c) && !strchr(equation, c))
            spare[known++] = (char)c;
    bool dots = false;
    int letters = 0;
    for (size_t i = 0; i <= end; i++) {                 /* how many dimensions '...' has in each operand */
        if (i == end || equation[i] == ',') {
            if (o >= given->n)
                return err_set(err, ERR_RUNTIME, "einsum(): the equation has more operands than the %d given", given->n);
            of[o] = dots ? given->tensors[o]->ndim - letters : 0;
            if (of[o] < 0 || of[o] > known)
                return err_set(err, ERR_RUNTIME, "einsum(): operand %d has %d dimensions, fewer than its labels", o, given->tensors[o]->ndim);
            most = of[o] > most ? of[o] : most;
            o++;
            dots = false;
            letters = 0;
        } else {
            dots |= equation[i] == '.';
            letters += is_label(equation[i]);
        }
    }
    o = 0;
    for (size_t i = 0; equation[i]; i++) {
        bool result = arrow && equation + i >= arrow;
        if (n + LABELS + 8 > sizeof text)
            return err_set(err, ERR_RUNTIME, "einsum(): the equation is too long");
        o += equation[i] == ',';
        if (strncmp(equation + i, "...", 3)) {
            text[n++] = equation[i];
            continue;
        }
        int count = result ? most : of[o];
        memcpy(text + n, spare + most - count, (size_t)count);
        n += (size_t)count;
        i += 2;
    }
    if (!arrow) {                                       /* '...' first, then what stands once, in order */
        text[n++] = '-';
        text[n++] = '>';
        memcpy(text + n, spare, (size_t)most);
        n += (size_t)most;
        for (int c = 'A'; c <= 'z'; c++) {
            const char *at = is_label((char)c) ? strchr(equation, c) : NULL;
            if (at && !strchr(at + 1, c))
                text[n++] = (char)c;
        }
    }
    text[n] = 0;
    Call plain = { .args = 2 };
    plain.arg[0] = (Arg){ .kind = ARG_STR, .str = text };
    plain.arg[1] = *given;
    return op_call(ctx, OP_einsum, &plain, err) && call_take(call, plain.out[0]);
}

FORWARD(einsum)
{
    const char *equation = call->arg[0].str, *arrow = strstr(equation, "->");
    const Arg *given = &call->arg[1];
    char labels[LABELS], uses[128] = { 0 };
    int known = 0;
    Sum s = { .operands = given->n };
    (void)plan;
    if (call->args < 2 || given->kind != ARG_TENSORS || !given->n || given->n > OPERANDS)
        return err_set(err, ERR_RUNTIME, "einsum() takes an equation and 1 to %d tensors", OPERANDS);
    if (strstr(equation, "..."))
        return einsum_of_ellipsis(ctx, call, err);
    size_t end = arrow ? (size_t)(arrow - equation) : strlen(equation);
    for (size_t i = 0; i < end; i++)
        if (is_label(equation[i]))
            uses[(int)equation[i]]++;
        else if (equation[i] != ',' && equation[i] != ' ')
            return err_set(err, ERR_RUNTIME, "einsum(): '%c' is no label: letters name dimensions", equation[i]);
    for (const char *p = arrow ? arrow + 2 : NULL; p && *p; p++)         /* the result's labels come first */
        if (is_label(*p) && !uses[(int)*p])
            return err_set(err, ERR_RUNTIME, "einsum(): the label '%c' of the result names no dimension of an operand", *p);
        else if (is_label(*p) && memchr(labels, *p, (size_t)known))
            return err_set(err, ERR_RUNTIME, "einsum(): the label '%c' stands twice in the result", *p);
        else if (is_label(*p))
            label_of(labels, &known, *p);
    for (int c = 'A'; !arrow && c <= 'z'; c++)
        if (uses[c] == 1)
            label_of(labels, &known, (char)c);
    s.outer = known;
    for (int l = 0; l < LABELS; l++)
        s.size[l] = -1;
    size_t i = 0;
    for (int o = 0; o < given->n; o++, i++) {
        const Tensor *t = s.operand[o] = given->tensors[o];
        int d = 0;
        for (; i < end && equation[i] != ','; i++) {
            if (!is_label(equation[i]))
                continue;
            int l = label_of(labels, &known, equation[i]);
            if (d >= t->ndim)
                return err_set(err, ERR_RUNTIME, "einsum(): operand %d has %d dimensions, fewer than its labels", o, t->ndim);
            int64_t size = shape_of(t)[d];
            if (s.size[l] > 1 && size > 1 && s.size[l] != size)
                return err_set(err, ERR_RUNTIME, "einsum(): the label '%c' is %lld in one place and %lld in another", equation[i], (long long)s.size[l], (long long)size);
            s.size[l] = s.size[l] < 0 || s.size[l] == 1 ? size : s.size[l];
            s.stride[o][l] += size == 1 ? 0 : strides_of(t)[d];
            d++;
        }
        if (d != t->ndim || (i >= end && o + 1 < given->n))
            return err_set(err, ERR_RUNTIME, "einsum(): operand %d has %d dimensions, its labels name %d", o, t->ndim, d);
    }
    if (i <= end && i > 0 && equation[i - 1] == ',')
        return err_set(err, ERR_RUNTIME, "einsum(): the equation has more operands than the %d given", given->n);
    s.labels = known;
    return sum_all(ctx, op, call, &s, err);
}

/* Sums over pairs of dimensions, one of each tensor; what is left of the first stands before what is left of the second. */
static bool tensordot_axes(Context *ctx, OpId op, Call *call, const Tensor *a, const Tensor *b, Err *err)
{
    const Arg *axes = &call->arg[2];
    int pairs = (int)axes->ints[0], in_a[DIMS_MAX], in_b[DIMS_MAX], n = 0;
    uint64_t used_a = 0, used_b = 0;
    Sum s = { .operands = 2, .operand = { a, b } };
    if (axes->n != 1 + 2 * pairs)
        return err_set(err, ERR_RUNTIME, "tensordot(): dims names %d dimensions of the first and %d of the second", pairs, axes->n - 1 - pairs);
    if (!shape_dims(axes->ints + 1, pairs, a->ndim, &used_a, err) || !shape_dims(axes->ints + 1 + pairs, pairs, b->ndim, &used_b, err))
        return false;
    for (int d = 0; d < a->ndim; d++)
        if (!(used_a >> d & 1))
            s.size[n] = shape_of(a)[d], s.stride[0][n++] = strides_of(a)[d];
    for (int d = 0; d < b->ndim; d++)
        if (!(used_b >> d & 1))
            s.size[n] = shape_of(b)[d], s.stride[1][n++] = strides_of(b)[d];
    s.outer = n;
    for (int k = 0; k < pairs; k++, n++) {
        if (!shape_dim(axes->ints[1 + k], a->ndim, &in_a[k], err) || !shape_dim(axes->ints[1 + pairs + k], b->ndim, &in_b[k], err))
            return false;
        if (shape_of(a)[in_a[k]] != shape_of(b)[in_b[k]])
            return err_set(err, ERR_RUNTIME, "tensordot(): dimension %d of the first is %lld, dimension %d of the second %lld", in_a[k],
                           (long long)shape_of(a)[in_a[k]], in_b[k], (long long)shape_of(b)[in_b[k]]);
        s.size[n] = shape_of(a)[in_a[k]];
        s.stride[0][n] = strides_of(a)[in_a[k]];
        s.stride[1][n] = strides_of(b)[in_b[k]];
    }
    s.labels = n;
    return sum_all(ctx, op, call, &s, err);
}

FORWARD(tensordot)
{
    const Tensor *a = call_tensor(call, 0), *b = call_tensor(call, 1);
    int64_t dims = call_int(call, 2, 2);
    Sum s = { .operands = 2, .operand = { a, b } };
    int n = 0;
    (void)plan;
    if (op == OP_tensordot_axes)
        return tensordot_axes(ctx, op, call, a, b, err);
    if (dims < 0 || dims > a->ndim || dims > b->ndim)
        return err_set(err, ERR_RUNTIME, "tensordot(): %lld dims of tensors of %d and %d dimensions", (long long)dims, a->ndim, b->ndim);
    for (int d = 0; d < a->ndim - (int)dims; d++, n++)
        s.size[n] = shape_of(a)[d], s.stride[0][n] = strides_of(a)[d];
    for (int d = (int)dims; d < b->ndim; d++, n++)
        s.size[n] = shape_of(b)[d], s.stride[1][n] = strides_of(b)[d];
    s.outer = n;
    for (int d = 0; d < dims; d++, n++) {
        int in_a = a->ndim - (int)dims + d;
        if (shape_of(a)[in_a] != shape_of(b)[d])
            return err_set(err, ERR_RUNTIME, "tensordot(): dimension %d of the first is %lld, dimension %d of the second %lld", in_a,
                           (long long)shape_of(a)[in_a], d, (long long)shape_of(b)[d]);
        s.size[n] = shape_of(a)[in_a];
        s.stride[0][n] = strides_of(a)[in_a];
        s.stride[1][n] = strides_of(b)[d];
    }
    s.labels = n;
    return sum_all(ctx, op, call, &s, err);
}
