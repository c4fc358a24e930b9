/*
 * shape.c - sizes and strides: pure functions, no allocation.
 */
#include "tensor/impl.h"

int64_t shape_numel(int ndim, const int64_t *shape, Err *err)
{
    int64_t numel = 1;
    bool empty = false, overflow = false;
    for (int d = 0; d < ndim; d++) {
        if (shape[d] < 0)
            return err_set(err, ERR_RUNTIME, "dimension %d has the negative size %lld", d, (long long)shape[d]), -1;
        empty |= shape[d] == 0;
        overflow |= __builtin_mul_overflow(numel, shape[d] ? shape[d] : 1, &numel);
    }
    if (overflow && !empty)
        return err_set(err, ERR_RUNTIME, "a tensor of more than 2**63 elements"), -1;
    return empty ? 0 : numel;
}

void shape_row_major(int ndim, const int64_t *shape, int64_t *strides)
{
    int64_t step = 1;
    for (int d = ndim - 1; d >= 0; d--) {
        strides[d] = step;
        step *= shape[d] > 1 ? shape[d] : 1;
    }
}

bool shape_is_contiguous(int ndim, const int64_t *shape, const int64_t *strides)
{
    int64_t step = 1;
    bool dense = true;
    for (int d = ndim - 1; d >= 0; d--) {
        if (shape[d] == 0)
            return true;
        dense &= shape[d] == 1 || strides[d] == step;
        step *= shape[d];
    }
    return dense;
}

bool shape_dim(int64_t dim, int ndim, int *result, Err *err)
{
    int64_t range = ndim ? ndim : 1;                    /* a 0-d tensor takes 0 and -1 */
    if (dim < -range || dim >= range)
        return err_set(err, ERR_INDEX, "dim %lld is out of range: it goes from %lld to %lld", (long long)dim,
                       (long long)-range, (long long)range - 1);
    *result = (int)(dim < 0 ? dim + range : dim);
    return true;
}

bool shape_dims(const int64_t *dims, int n, int ndim, uint64_t *mask, Err *err)
{
    *mask = 0;
    for (int k = 0; k < n; k++) {
        int dim = 0;
        if (!shape_dim(dims[k], ndim, &dim, err))
            return false;
        if (*mask >> dim & 1)
            return err_set(err, ERR_RUNTIME, "dim %d appears twice in the list of dims", dim);
        *mask |= (uint64_t)1 << dim;
    }
    return true;
}

bool shape_broadcast(int ndim_a, const int64_t *a, int ndim_b, const int64_t *b, int *ndim, int64_t *shape, Err *err)
{
    *ndim = ndim_a > ndim_b ? ndim_a : ndim_b;
    for (int k = 1; k <= *ndim; k++) {                  /* from the last dimension on */
        int64_t in_a = k <= ndim_a ? a[ndim_a - k] : 1, in_b = k <= ndim_b ? b[ndim_b - k] : 1;
        if (in_a != in_b && in_a != 1 && in_b != 1) {
            char text_a[200], text_b[200];
            shape_print_to(text_a, sizeof text_a, ndim_a, a);
            shape_print_to(text_b, sizeof text_b, ndim_b, b);
            err_set(err, ERR_RUNTIME, "shapes %s and %s do not broadcast: %lld against %lld at dimension %d", text_a,
                    text_b, (long long)in_a, (long long)in_b, *ndim - k);
            if (ndim_a == 2 && ndim_b == 1 && a[0] == b[0])
                err_hint(err, "the second one as a column goes: b.unsqueeze(1)");
            else if (ndim_a == 1 && ndim_b == 2 && a[0] == b[0])
                err_hint(err, "the first one as a column goes: a.unsqueeze(1)");
            return false;
        }
        shape[*ndim - k] = in_a == 1 ? in_b : in_a;
    }
    return true;
}

void shape_print(Text *text, int n, const int64_t *shape)
{
    text_char(text, '(');
    for (int d = 0; d < n; d++)
        text_print(text, d ? ", %lld" : "%lld", (long long)shape[d]);
    text_put(text, n == 1 ? ",)" : ")");
}

void shape_print_to(char *buffer, size_t size, int n, const int64_t *shape)
{
    Text text = { 0 };
    shape_print(&text, n, shape);
    const char *whole = text_end(&text);
    size_t used = whole && text.n < size ? text.n : 0;
    memcpy(buffer, whole ? whole : "", used);
    buffer[used] = 0;
    text_free(&text);
}

/* ---- orders of dims ------------------------------------------------------------------------------------- */
/* Dims longer than 1 from the largest stride to the smallest; equal strides keep their order. Returns how many. */
static int by_stride(int ndim, const int64_t *shape, const int64_t *strides, int *order)
{
    int n = 0;
    for (int d = 0; d < ndim; d++) {
        if (shape[d] == 1)
            continue;
        int at = n++;
        for (; at && strides[order[at - 1]] < strides[d]; at--)
            order[at] = order[at - 1];
        order[at] = d;
    }
    return n;
}

bool shape_is_dense(int ndim, const int64_t *shape, const int64_t *strides)
{
    int order[DIMS_MAX], n = by_stride(ndim, shape, strides, order);
    int64_t step = 1;
    for (int d = 0; d < ndim; d++)
        if (shape[d] == 0)
            return true;
    for (int k = n - 1; k >= 0; k--) {
        if (strides[order[k]] != step)
            return false;
        step *= shape[order[k]];
    }
    return true;
}

void shape_like(int ndim, const int64_t *shape, const int64_t *has, int64_t *result)
{
    int order[DIMS_MAX];
    int64_t step = 1;
    if (shape_is_dense(ndim, shape, has)) {
        memmove(result, has, sizeof(int64_t) * (size_t)ndim);
        return;
    }
    for (int d = 0; d < ndim; d++)
        order[d] = ndim - 1 - d;        /* innermost first */
    for (int i = 1; i < ndim; i++) {
        for (int at = i, k = i - 1; k >= 0; k--) {
            int64_t a = has[order[k]], b = has[order[at]];
            bool tells = a != 0 && b != 0;      /* a repeated element has no place */
            if (tells && a < b)
                break;
            if (tells && (a > b || shape[order[k]] > shape[order[at]])) {
                int swap = order[k];
                order[k] = order[at];
                order[at] = swap;
                at = k;
            }
        }
    }
    for (int i = 0; i < ndim; i++) {
        result[order[i]] = step;
        step *= shape[order[i]] > 1 ? shape[order[i]] : 1;
    }
}

/* ---- the same elements under another shape -------------------------------------------------------------- */
/*
 * Dims are taken together from the last one on, as long as stride[d] == stride[d + 1] * shape[d + 1]; each such stretch of
 * memory must be cut up by whole dims of `to`.
 */
bool shape_view(int ndim, const int64_t *shape, const int64_t *strides, int to_ndim, const int64_t *to, int64_t *result)
{
    int64_t numel = 1, to_numel = 1;
    for (int d = 0; d < ndim; d++)
        numel *= shape[d];
    for (int d = 0; d < to_ndim; d++)
        to_numel *= to[d];
    if (numel != to_numel)
        return false;
    if (numel == 0) {
        shape_row_major(to_ndim, to, result);
        return true;
    }
    int at = to_ndim - 1;
    int64_t stretch = 1, cut = 1, base = ndim ? strides[ndim - 1] : 1;
    for (int d = ndim - 1; d >= 0; d--) {
        stretch *= shape[d];
        if (d && (shape[d - 1] == 1 || strides[d - 1] == stretch * base))
            continue;                                   /* the next dim goes on where this stretch ends */
        while (at >= 0 && (cut < stretch || to[at] == 1)) {
            result[at] = cut * base;
            cut *= to[at--];
        }
        if (cut != stretch)
            return false;
        if (d) {
            base = strides[d - 1];
            stretch = cut = 1;
        }
    }
    for (; at >= 0; at--)                               /* dims of 1 that are left, and all of them for a 0-d tensor */
        result[at] = 1;
    return true;
}

bool shape_infer(int64_t numel, int n, const int64_t *sizes, int64_t *to, Err *err)
{
    int64_t known = 1;
    int unknown = -1;
    char text[200];
    for (int d = 0; d < n; d++) {
        to[d] = sizes[d];
        if (sizes[d] == -1) {
            if (unknown >= 0)
                return err_set(err, ERR_RUNTIME, "only one size can be -1");
            unknown = d;
        } else if (sizes[d] < 0)
            return err_set(err, ERR_RUNTIME, "dimension %d has the negative size %lld", d, (long long)sizes[d]);
        else if (__builtin_mul_overflow(known, sizes[d], &known))
            return err_set(err, ERR_RUNTIME, "a shape of more than 2**63 elements");
    }
    if (unknown >= 0 && known == 0) {
        shape_print_to(text, sizeof text, n, sizes);
        return err_set(err, ERR_RUNTIME, "the -1 in %s could be any size, since another size is 0", text);
    }
    if (unknown >= 0 && numel % known == 0) {
        to[unknown] = numel / known;
        return true;
    }
    if (unknown < 0 && known == numel)
        return true;
    shape_print_to(text, sizeof text, n, sizes);
    return err_set(err, ERR_RUNTIME, "%lld elements do not make the shape %s", (long long)numel, text);
}
