/*
 * tensor_data.c - between tensors and the language's lists and numbers: nested lists into a tensor, a tensor into nested
 * lists, and what stands in the brackets of x[…].
 */
#include "lang/numpy/numpy.h"
#include "lang/types/torch_types.h"
#include <string.h>

enum { NUMBERS_AT_ONCE = 256, DEPTH_MAX = 64 };

/* ---- nested lists into a tensor -------------------------------------------------------------------------- */
typedef struct Reader {
    Session *s;
    Err     *err;
    int      ndim;
    int64_t  shape[DEPTH_MAX];
    DType    tensors;                   /* promoted dtype of the 0-d tensors met, or DT_NONE */
    int      kind;                      /* the highest DKind of the numbers met, or -1 */
    bool     array;                     /* for an ndarray: NumPy's defaults and promotion */
    Tensor  *to;
    int64_t  filled;
    Number   number[NUMBERS_AT_ONCE];
    int      numbers;
} Reader;

static bool items_of(Value v, Value **item, int64_t *n)
{
    if (value_tag(v) != V_OBJECT)
        return false;
    if (v.object->type == TYPE_LIST)
        *item = ((List *)v.object)->item, *n = ((List *)v.object)->n;
    else if (v.object->type == TYPE_TUPLE || v.object->type == TYPE_SIZE || v.object->type == TYPE_NAMEDTUPLE)
        *item = ((Tuple *)v.object)->item, *n = ((Tuple *)v.object)->n;
    else
        return false;
    return true;
}

/* The shape is that of the first item at every level; the second walk finds those that differ. */
static bool find_shape(Reader *r, Value v)
{
    Value *item;
    int64_t n;
    while (items_of(v, &item, &n)) {
        if (r->ndim == DEPTH_MAX)
            return err_set(r->err, ERR_VALUE, "lists are nested more than %d deep", DEPTH_MAX);
        r->shape[r->ndim++] = n;
        if (!n)
            return true;
        v = item[0];
    }
    if (value_is(v, TYPE_TENSOR) || value_is_array(v))
        for (int d = 0; d < tensor_ndim(value_tensor(v)); d++) {
            if (r->ndim == DEPTH_MAX)
                return err_set(r->err, ERR_VALUE, "lists are nested more than %d deep", DEPTH_MAX);
            r->shape[r->ndim++] = tensor_shape(value_tensor(v))[d];
        }
    return true;
}

static bool flush(Reader *r)
{
    bool ok = !r->to || tensor_store(&r->s->ctx, r->to, r->filled, r->number, r->numbers, r->err);
    r->filled += r->numbers;
    r->numbers = 0;
    return ok;
}

static bool take_number(Reader *r, Number number)
{
    if (!r->to) {
        r->kind = (int)number.kind > r->kind ? (int)number.kind : r->kind;
        return true;
    }
    if (r->numbers == NUMBERS_AT_ONCE && !flush(r))
        return false;
    r->number[r->numbers++] = number;
    return true;
}

static void take_dtype(Reader *r, DType dtype)
{
    r->tensors = r->tensors == DT_NONE ? dtype : r->array ? np_promote(r->tensors, dtype) : dtype_promote(r->tensors, dtype);
}

static bool take_tensor(Reader *r, const Tensor *t, int depth)
{
    int64_t index[DEPTH_MAX] = { 0 };
    int ndim = tensor_ndim(t);
    if (depth + ndim != r->ndim || (ndim && memcmp(tensor_shape(t), r->shape + depth, (size_t)ndim * sizeof *index))) {
        if (tensor_numel(t) != 1 || depth != r->ndim)
            return err_set(r->err, ERR_VALUE, "a tensor of %lld elements stands where a number is expected", (long long)tensor_numel(t));
    }
    if (!r->to) {
        take_dtype(r, tensor_dtype(t));
        return true;
    }
    for (int64_t k = 0; k < tensor_numel(t); k++) {
        if (!take_number(r, tensor_element(t, index)))
            return false;
        for (int d = ndim - 1; d >= 0 && ++index[d] == tensor_shape(t)[d]; d--)
            index[d] = 0;
    }
    return true;
}

/* NumPy's words for lists that make no array. */
static bool ragged(Reader *r, int depth)
{
    Text text = { 0 };
    np_shape_text(&text, depth, r->shape);
    err_set(r->err, ERR_VALUE, "setting an array element with a sequence. The requested array has an inhomogeneous shape after %d dimensions. "
            "The detected shape was %s + inhomogeneous part.", depth, text_end(&text) ? text.s : "");
    text_free(&text);
    return false;
}

static bool walk(Reader *r, Value v, int depth)
{
    Value *item;
    int64_t n;
    Number number;
    if (items_of(v, &item, &n)) {
        if (r->array && (depth >= r->ndim || n != r->shape[depth]))
            return ragged(r, depth);
        if (depth >= r->ndim)
            return err_set(r->err, ERR_TYPE, "a list of %lld items stands at dim %d where a number is expected", (long long)n, depth);
        if (n != r->shape[depth])
            return err_set(r->err, ERR_VALUE, "the list has %lld items at dim %d, the first one there has %lld", (long long)n, depth,
                           (long long)r->shape[depth]);
        for (int64_t k = 0; k < n; k++)
            if (!walk(r, item[k], depth + 1))
                return false;
        return true;
    }
    if (value_is(v, TYPE_TENSOR) || value_is_array(v))
        return take_tensor(r, value_tensor(v), depth);
    if (value_is(v, TYPE_INT))
        return err_set(r->err, ERR_RUNTIME, "an int beyond 64 bits does not fit into a tensor");
    if (!value_to_number(v, &number))
        return depth && value_is(v, TYPE_STR)
             ? err_set(r->err, ERR_VALUE, "too many dimensions 'str': a tensor holds numbers")
             : err_set(r->err, value_is(v, TYPE_STR) ? ERR_TYPE : ERR_RUNTIME, "a tensor is made of numbers, not of %s", value_type_name(v));
    if (depth != r->ndim && r->array)
        return ragged(r, depth);
    if (depth != r->ndim)
        return err_set(r->err, depth < r->ndim && r->ndim ? ERR_TYPE : ERR_VALUE,
                       "a number stands at dim %d where a list of %lld items is expected", depth, (long long)r->shape[depth]);
    if (!r->to && value_is(v, TYPE_NPSCALAR))
        return take_dtype(r, ((NpScalar *)v.object)->dtype), true;
    return take_number(r, number);
}

static bool read_value(Session *s, Value data, DType dtype, bool array, Tensor **out, Err *err)
{
    Reader r;
    r.s = s;
    r.array = array;
    r.err = err;
    r.ndim = r.numbers = 0;
    r.tensors = DT_NONE;
    r.kind = -1;
    r.to = NULL;
    r.filled = 0;
    if (!find_shape(&r, data) || !walk(&r, data, 0))
        return false;
    if (dtype == DT_NONE) {
        DType of_numbers = r.kind == DKIND_BOOL ? DT_BOOL : r.kind == DKIND_INT ? DT_I64 : array ? DT_F64 : s->ctx.default_dtype;
        if (r.kind >= 0)
            take_dtype(&r, of_numbers);
        dtype = r.tensors == DT_NONE ? of_numbers : r.tensors;
    }
    if (!(r.to = tensor_empty(&s->ctx, dtype, (Device){ 0, 0 }, r.ndim, r.shape, err)))
        return false;
    if (!walk(&r, data, 0) || !flush(&r)) {
        tensor_release(r.to);
        return false;
    }
    *out = r.to;
    return true;
}

/* The elements of an array, copied at once. */
static bool copy_of_array(Session *s, Tensor *array, DType dtype, Tensor **out, Err *err)
{
    bool other = dtype != DT_NONE && dtype != tensor_dtype(array);
    Call call = { .args = 2 };
    call.arg[0] = arg_t(array);
    call.arg[1] = other ? arg_dtype(dtype) : arg_i(0);
    if (!op_call(&s->ctx, other ? OP_cast : OP_clone, &call, err))
        return false;
    *out = call.out[0];
    if (tensor_is_contiguous(*out))
        return true;
    *out = op_unary(&s->ctx, OP_contiguous, call.out[0], err);
    tensor_release(call.out[0]);
    return *out;
}

bool tensor_from_value(Session *s, Value data, DType dtype, Tensor **out, Err *err)
{
    if (value_is_array(data))
        return copy_of_array(s, value_tensor(data), dtype, out, err);
    return read_value(s, data, dtype, false, out, err);
}

bool array_from_value(Session *s, Value data, DType dtype, Tensor **out, Err *err)
{
    if (!read_value(s, data, dtype, true, out, err))
        return false;
    ((Object *)*out)->type = TYPE_NDARRAY;
    return true;
}

/* ---- a tensor into nested lists --------------------------------------------------------------------------- */
static Value number_value(Session *s, Number number)
{
    return number.kind == DKIND_FLOAT ? float_new(s, number.f) : number.kind == DKIND_INT ? int_new(s, number.i) : value_bool(number.b);
}

static bool list_level(Session *s, const Tensor *t, int dim, int64_t *index, Value *out, Err *err)
{
    if (dim == tensor_ndim(t)) {
        *out = number_value(s, tensor_element(t, index));
        return true;
    }
    int64_t n = tensor_shape(t)[dim];
    List *list = list_new(s, n, err);
    if (!list)
        return false;
    for (index[dim] = 0; index[dim] < n; index[dim]++) {
        Value item;
        bool ok = list_level(s, t, dim + 1, index, &item, err);
        if (ok) {
            ok = list_append(s, list, item, err);
            value_release(item);
        }
        if (!ok) {
            object_release(&list->head);
            return false;
        }
    }
    *out = value_object_take(list);
    return true;
}

bool tensor_to_list(Session *s, const Tensor *t, Value *out, Err *err)
{
    int64_t index[DEPTH_MAX] = { 0 };
    if (tensor_ndim(t) > DEPTH_MAX)
        return err_set(err, ERR_RUNTIME, "a tensor of %d dimensions becomes no list", tensor_ndim(t));
    return list_level(s, t, 0, index, out, err);
}

/* ---- what stands in the brackets --------------------------------------------------------------------------- */
static bool bound(Session *s, Value v, const char *what, bool *has, int64_t *to, Err *err)
{
    *has = !value_is_none(v) && !value_is_unset(v);
    *to = INT64_MIN;
    return !*has || value_index(s, v, what, to, err);
}

static bool slice_item(Session *s, const Slice *slice, IndexItem *item, Err *err)
{
    bool has_step;
    item->kind = INDEX_SLICE;
    if (!bound(s, slice->start, "a slice's start", &item->has_start, &item->start, err)
        || !bound(s, slice->stop, "a slice's stop", &item->has_stop, &item->stop, err)
        || !bound(s, slice->step, "a slice's step", &has_step, &item->step, err))
        return false;
    if (!has_step)
        item->step = 1;
    return true;
}

static bool index_item(Session *s, Value v, IndexList *list, Err *err)
{
    if (list->n == INDEX_ITEMS)
        return err_set(err, ERR_INDEX, "more than %d indices", INDEX_ITEMS);
    IndexItem *item = &list->item[list->n++];
    *item = (IndexItem){ .kind = INDEX_INT };
    switch (value_tag(v)) {
    case V_INT: item->start = v.i; return true;
    case V_BOOL: item->kind = INDEX_BOOL; item->flag = v.b; return true;
    case V_NONE: item->kind = INDEX_NONE; return true;
    case V_ELLIPSIS: item->kind = INDEX_ELLIPSIS; return true;
    case V_OBJECT: break;
    default: return err_set(err, ERR_INDEX, "a tensor is indexed by ints, slices, None, ..., bools, lists and tensors, not by %s",
                            value_type_name(v));
    }
    switch (v.object->type) {
    case TYPE_SLICE:
        return slice_item(s, (Slice *)v.object, item, err);
    case TYPE_NPSCALAR:
        item->kind = ((NpScalar *)v.object)->number.kind == DKIND_BOOL ? INDEX_BOOL : INDEX_INT;
        item->flag = ((NpScalar *)v.object)->number.b;
        return item->kind == INDEX_BOOL || value_index(s, v, "an index", &item->start, err);
    case TYPE_TENSOR: case TYPE_NDARRAY:
        if (v.object->type == TYPE_NDARRAY && dtype_kind(tensor_dtype(value_tensor(v))) == DKIND_INT && tensor_dtype(value_tensor(v)) != DT_I64) {
            item->kind = INDEX_TENSOR;                  /* uint8 picks by position, in NumPy */
            if (!(item->tensor = np_cast(s, value_tensor(v), DT_I64, err)))
                return false;
            list->made[list->made_n++] = item->tensor;
            return true;
        }
        item->kind = INDEX_TENSOR;
        item->tensor = value_tensor(v);
        return true;
    case TYPE_LIST: case TYPE_TUPLE: case TYPE_SIZE: case TYPE_RANGE: {
        List *items = value_to_list(s, v, err);
        if (!items)
            return false;
        bool ok = tensor_from_value(s, value_object_take(items), items->n ? DT_NONE : DT_I64, &item->tensor, err);
        object_release(&items->head);
        if (!ok)
            return false;
        item->kind = INDEX_TENSOR;
        list->made[list->made_n++] = item->tensor;
        return true;
    }
    default:
        return err_set(err, v.object->type == TYPE_STR ? ERR_TYPE : ERR_INDEX,
                       "a tensor is indexed by ints, slices, None, ..., bools, lists and tensors, not by %s", value_type_name(v));
    }
}

bool index_from_value(Session *s, Value key, IndexList *list, Err *err)
{
    list->n = list->made_n = 0;
    if (!value_is(key, TYPE_TUPLE) && !value_is(key, TYPE_SIZE))
        return index_item(s, key, list, err) || (index_free(list), false);
    const Tuple *tuple = (Tuple *)key.object;
    for (int64_t k = 0; k < tuple->n; k++)
        if (!index_item(s, tuple->item[k], list, err))
            return index_free(list), false;
    return true;
}

void index_free(IndexList *list)
{
    while (list->made_n)
        tensor_release(list->made[--list->made_n]);
}
