/* test_index.c - reading and writing x[…], where x counts from 0 with shape (2, 3, 4), as PyTorch does. */
#include "tests/tensor/with_heap.h"

#define I(x)       { .kind = INDEX_INT, .start = (x) }
#define ALL        { .kind = INDEX_SLICE, .step = 1 }
#define S(a, b, s) { .kind = INDEX_SLICE, .start = (a), .stop = (b), .step = (s), .has_start = true, .has_stop = true }
#define N          { .kind = INDEX_NONE }
#define DOTS       { .kind = INDEX_ELLIPSIS }
#define TRUE_      { .kind = INDEX_BOOL, .flag = true }
#define V(k)       { .kind = INDEX_TENSOR, .start = (k) }      /* the k-th of the tensors below */

enum { POSITIONS, COLUMN, OUTSIDE, THREE, ROW_MASK, CELL_MASK, TENSORS };

typedef struct Case {
    const char *name;
    int       items;
    IndexItem item[4];
    bool      view;
    int       ndim;                     /* -1: an error */
    int64_t   shape[4], strides[4];
    int64_t   sum;                      /* of the elements read, and so of 1 written to each: their number */
    ErrKind   error;
} Case;

static const Case cases[] = {
    { "int", 1, { I(-1) }, true, 2, { 3, 4 }, { 4, 1 }, 210, 0 },
    { "ints, slice", 3, { I(0), ALL, I(2) }, true, 1, { 3 }, { 4 }, 18, 0 },
    { "slice with step", 3, { ALL, ALL, S(1, 9, 2) }, true, 3, { 2, 3, 2 }, { 12, 4, 2 }, 144, 0 },
    { "slice from behind", 2, { DOTS, S(-3, -1, 1) }, true, 3, { 2, 3, 2 }, { 12, 4, 1 }, 138, 0 },
    { "slice that is empty", 1, { S(2, 1, 1) }, true, 3, { 0, 3, 4 }, { 12, 4, 1 }, 0, 0 },
    { "None", 2, { N, I(1) }, true, 3, { 1, 3, 4 }, { 24, 4, 1 }, 210, 0 },
    { "Ellipsis", 2, { DOTS, I(0) }, true, 2, { 2, 3 }, { 12, 4 }, 60, 0 },
    { "Ellipsis alone", 1, { DOTS }, true, 3, { 2, 3, 4 }, { 12, 4, 1 }, 276, 0 },
    { "True copies", 1, { TRUE_ }, false, 4, { 1, 2, 3, 4 }, { 24, 12, 4, 1 }, 276, 0 },
    { "positions", 1, { V(POSITIONS) }, false, 3, { 2, 3, 4 }, { 12, 4, 1 }, 276, 0 },
    { "positions in the middle", 2, { ALL, V(POSITIONS) }, false, 3, { 2, 2, 4 }, { 8, 4, 1 }, 152, 0 },
    { "positions side by side", 3, { ALL, V(POSITIONS), V(POSITIONS) }, false, 2, { 2, 2 }, { 2, 1 }, 34, 0 },
    { "positions apart move to the front", 3, { V(POSITIONS), ALL, V(POSITIONS) }, false, 2, { 2, 3 }, { 3, 1 }, 63, 0 },
    { "positions that broadcast", 2, { V(COLUMN), V(POSITIONS) }, false, 3, { 2, 2, 4 }, { 8, 4, 1 }, 152, 0 },
    { "mask of a dimension", 2, { ALL, V(ROW_MASK) }, false, 3, { 2, 2, 4 }, { 8, 4, 1 }, 184, 0 },
    { "mask of two dimensions", 1, { V(CELL_MASK) }, false, 2, { 3, 4 }, { 4, 1 }, 162, 0 },
    { "too many", 4, { I(0), I(0), I(0), I(0) }, false, -1, { 0 }, { 0 }, 0, ERR_INDEX },
    { "int out of range", 2, { ALL, I(3) }, false, -1, { 0 }, { 0 }, 0, ERR_INDEX },
    { "position out of range", 1, { V(OUTSIDE) }, false, -1, { 0 }, { 0 }, 0, ERR_INDEX },
    { "shapes that do not broadcast", 2, { V(POSITIONS), V(THREE) }, false, -1, { 0 }, { 0 }, 0, ERR_INDEX },
    { "mask of another size", 1, { V(ROW_MASK) }, false, -1, { 0 }, { 0 }, 0, ERR_INDEX },
    { "step backwards", 1, { S(0, 2, -1) }, false, -1, { 0 }, { 0 }, 0, ERR_VALUE },
};

typedef struct World { Context ctx; Tensor *x, *index[TENSORS]; } World;

static Tensor *numbers(Context *ctx, DType dtype, int ndim, const int64_t *shape, const int64_t *values)
{
    Err err = { 0 };
    Tensor *t = tensor_empty(ctx, dtype, (Device){ 0, 0 }, ndim, shape, &err);
    for (int64_t i = 0; i < tensor_numel(t); i++) {
        Number number = { .kind = DKIND_INT, .i = values[i] };
        number_store(dtype, (char *)tensor_data(t) + (size_t)i * dtype_size(dtype), number);
    }
    return t;
}

static void begin(World *w)
{
    Err err = { 0 };
    assert_true(with_heap(&w->ctx, &err));
    w->x = counted(&w->ctx, 3, (int64_t[]){ 2, 3, 4 }, &err);
    w->index[POSITIONS] = numbers(&w->ctx, DT_I64, 1, (int64_t[]){ 2 }, (int64_t[]){ 0, 1 });
    w->index[COLUMN] = numbers(&w->ctx, DT_I64, 2, (int64_t[]){ 2, 1 }, (int64_t[]){ 1, -2 });
    w->index[OUTSIDE] = numbers(&w->ctx, DT_I64, 1, (int64_t[]){ 2 }, (int64_t[]){ 0, 2 });
    w->index[THREE] = numbers(&w->ctx, DT_I64, 1, (int64_t[]){ 3 }, (int64_t[]){ 0, 1, 2 });
    w->index[ROW_MASK] = numbers(&w->ctx, DT_BOOL, 1, (int64_t[]){ 3 }, (int64_t[]){ 1, 0, 1 });
    w->index[CELL_MASK] = numbers(&w->ctx, DT_BOOL, 2, (int64_t[]){ 2, 3 }, (int64_t[]){ 1, 0, 0, 0, 1, 1 });
}

static void end(World *w)
{
    for (int k = 0; k < TENSORS; k++)
        tensor_release(w->index[k]);
    tensor_release(w->x);
    without_heap(&w->ctx);
}

static Arg index_arg(const World *w, const Case *c, IndexItem *item)
{
    memcpy(item, c->item, sizeof c->item);
    for (int i = 0; i < c->items; i++)
        if (item[i].kind == INDEX_TENSOR)
            item[i].tensor = w->index[item[i].start];
    return (Arg){ .kind = ARG_INDEX, .n = c->items, .index = item };
}

static int64_t sum(const Tensor *t)
{
    int64_t index[8] = { 0 }, total = 0;
    for (int64_t i = 0; i < tensor_numel(t); i++) {
        total += tensor_element(t, index).i;
        for (int d = tensor_ndim(t) - 1; d >= 0 && ++index[d] == tensor_shape(t)[d]; d--)
            index[d] = 0;
    }
    return total;
}

static void reads(void **state)
{
    const Case *c = *state;
    World w;
    Err err = { 0 };
    IndexItem item[4];
    begin(&w);
    for (int64_t n = -1;; n++) {        /* first as it is, then with each request for memory refused */
        Arg arg = index_arg(&w, c, item);
        err.kind = ERR_NONE;
        heap_fail_after(w.ctx.heap, n);
        Tensor *result = run(&w.ctx, OP_index, w.x, &arg, 1, false, &err);
        heap_fail_after(w.ctx.heap, -1);
        if (c->ndim < 0) {
            assert_null(result);
            assert_int_equal(err.kind, c->error);
            break;
        }
        if (!result) {
            assert_true(n >= 0);
            assert_true(err.kind == ERR_MEMORY || err.kind == ERR_RUNTIME);    /* a block of data is refused as PyTorch refuses it */
            continue;
        }
        assert_int_equal(tensor_ndim(result), c->ndim);
        assert_memory_equal(tensor_shape(result), c->shape, sizeof(int64_t) * (size_t)c->ndim);
        assert_memory_equal(tensor_strides(result), c->strides, sizeof(int64_t) * (size_t)c->ndim);
        assert_int_equal(tensor_storage(result) == tensor_storage(w.x), c->view);
        assert_ptr_equal(tensor_base(result), c->view ? w.x : NULL);
        assert_int_equal(sum(result), c->sum);
        tensor_release(result);
        if (n >= 0)
            break;
    }
    end(&w);
}

static void writes(void **state)
{
    const Case *c = *state;
    World w;
    Err err = { 0 };
    IndexItem item[4];
    begin(&w);
    Arg arg[2] = { index_arg(&w, c, item), INT(-1) };
    int64_t before = sum(w.x);
    Tensor *result = run(&w.ctx, OP_index_put_, w.x, arg, 2, false, &err);
    if (c->ndim < 0) {
        assert_null(result);
        assert_int_equal(err.kind, c->error);
        assert_int_equal(tensor_version(w.x), 0);
        assert_int_equal(sum(w.x), before);
    } else {
        int64_t count = 1;
        for (int d = 0; d < c->ndim; d++)
            count *= c->shape[d];
        assert_ptr_equal(result, w.x);
        assert_int_equal(tensor_version(w.x), 1);
        assert_int_equal(sum(w.x), before - c->sum - count);
    }
    tensor_release(result);
    end(&w);
}

/* x[0] = 7 changes the view x[0] and not the view x[1], and one event says so. */
static void a_write_names_what_it_changed(void **state)
{
    (void)state;
    World w;
    Err err = { 0 };
    begin(&w);
    Record *record = record_new();
    IndexItem first = I(0), second = I(1);
    Arg arg[2] = { { .kind = ARG_INDEX, .n = 1, .index = &first }, INT(7) }, other = { .kind = ARG_INDEX, .n = 1, .index = &second };
    Tensor *a = run(&w.ctx, OP_index, w.x, arg, 1, false, &err), *b = run(&w.ctx, OP_index, w.x, &other, 1, false, &err);
    w.ctx.heap->record = record;
    Tensor *same = run(&w.ctx, OP_index_put_, w.x, arg, 2, false, &err);
    w.ctx.heap->record = NULL;
    assert_int_equal(record->count, 1);
    assert_int_equal(record->event[0].kind, EVENT_WRITE);
    assert_int_equal(record->event[0].object, tensor_serial(w.x));
    assert_int_equal(record->event[0].version, 1);
    assert_int_equal(record->event[0].alias_count, 1);
    assert_int_equal(record->alias[record->event[0].alias], tensor_serial(a));
    record_free(record);
    tensor_release(same);
    tensor_release(b);
    tensor_release(a);
    end(&w);
}

int main(void)
{
    struct CMUnitTest tests[2 * COUNT(cases) + 1];
    for (size_t i = 0; i < COUNT(cases); i++) {
        tests[2 * i] = (struct CMUnitTest){ cases[i].name, reads, NULL, NULL, (void *)&cases[i] };
        tests[2 * i + 1] = (struct CMUnitTest){ cases[i].name, writes, NULL, NULL, (void *)&cases[i] };
    }
    tests[2 * COUNT(cases)] = (struct CMUnitTest)cmocka_unit_test(a_write_names_what_it_changed);
    return cmocka_run_group_tests_name("index", tests, NULL, NULL);
}
