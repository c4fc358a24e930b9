/* test_elementwise.c - arithmetic over dtypes and layouts, promotion, results' strides, writes in place and their refusals. */
#include "tensor/impl.h"
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

typedef struct Case {
    const char *name;
    OpId        op;
    DType       dtype_a, dtype_b;       /* DT_NONE: b is the number b[0] */
    int         ndim_a, ndim_b;
    int64_t     shape_a[2], strides_a[2], shape_b[2], strides_b[2];     /* strides 0 0: row-major */
    double      a[6], b[6];
    DType       dtype;
    int         n;
    double      expected[6];
} Case;

static const Case cases[] = {
    { "add: rows and a row", OP_add, DT_F32, DT_F32, 2, 1, {2, 3}, {0}, {3}, {0}, {1, 2, 3, 4, 5, 6}, {10, 20, 30}, DT_F32, 6, {11, 22, 33, 14, 25, 36} },
    { "add: b is a transpose", OP_add, DT_F32, DT_F32, 2, 2, {2, 2}, {0}, {2, 2}, {1, 2}, {1, 2, 3, 4}, {10, 20, 30, 40}, DT_F32, 4, {11, 32, 23, 44} },
    { "mul: a column and a row", OP_mul, DT_I64, DT_I64, 2, 1, {2, 1}, {0}, {2}, {0}, {2, 3}, {5, 7}, DT_I64, 4, {10, 14, 15, 21} },
    { "add: int tensor and float number", OP_add, DT_I32, DT_NONE, 1, 0, {2}, {0}, {0}, {0}, {1, 2}, {0.5}, DT_F32, 2, {1.5, 2.5} },
    { "add: uint8 wraps", OP_add, DT_U8, DT_U8, 1, 1, {1}, {0}, {1}, {0}, {200}, {100}, DT_U8, 1, {44} },
    { "add: int8 and uint8", OP_add, DT_I8, DT_U8, 1, 1, {1}, {0}, {1}, {0}, {-1}, {200}, DT_I16, 1, {199} },
    { "add: a 0-d double does not promote", OP_add, DT_F32, DT_F64, 1, 0, {2}, {0}, {0}, {0}, {1, 2}, {0.5}, DT_F32, 2, {1.5, 2.5} },
    { "add: bool is or", OP_add, DT_BOOL, DT_BOOL, 1, 1, {2}, {0}, {2}, {0}, {1, 0}, {1, 0}, DT_BOOL, 2, {1, 0} },
    { "div: ints give floats", OP_div, DT_I64, DT_I64, 1, 1, {2}, {0}, {2}, {0}, {7, 1}, {2, 4}, DT_F32, 2, {3.5, 0.25} },
    { "floor_divide: signs", OP_floor_divide, DT_I64, DT_NONE, 1, 0, {2}, {0}, {0}, {0}, {-7, 7}, {2}, DT_I64, 2, {-4, 3} },
    { "remainder: sign of the divisor", OP_remainder, DT_I64, DT_I64, 1, 1, {2}, {0}, {2}, {0}, {-7, 7}, {2, -3}, DT_I64, 2, {1, -2} },
    { "lt answers bool", OP_lt, DT_F64, DT_I32, 1, 1, {2}, {0}, {2}, {0}, {1.5, 3}, {2, 2}, DT_BOOL, 2, {1, 0} },
    { "pow of ints", OP_pow, DT_I64, DT_I64, 1, 1, {3}, {0}, {3}, {0}, {2, 3, -1}, {10, 2, 3}, DT_I64, 3, {1024, 9, -1} },
    { "float16 rounds each result", OP_add, DT_F16, DT_F16, 1, 1, {1}, {0}, {1}, {0}, {2048}, {1}, DT_F16, 1, {2048} },
    { "bfloat16 and float16", OP_mul, DT_BF16, DT_F16, 1, 1, {1}, {0}, {1}, {0}, {3}, {0.5}, DT_F32, 1, {1.5} },
};

static Tensor *filled(Context *ctx, DType dtype, int ndim, const int64_t *shape, const int64_t *strides, const double *values, Err *err)
{
    Tensor *t = tensor_new_dense(ctx, dtype, (Device){ 0, 0 }, ndim, shape, ndim && strides[0] ? strides : NULL, err);
    for (int64_t i = 0; t && i < t->numel; i++)
        number_store(dtype, (char *)t->storage->data + (size_t)i * dtype_size(dtype), (Number){ DKIND_FLOAT, { .f = values[i] } });
    return t;
}

static void check(void **state)
{
    const Case *c = *state;
    for (int64_t n = 0;; n++) {                         /* n requests for memory succeed, the next is refused */
        Err err = { 0 };
        Context ctx = { .heap = heap_new(false, &err), .default_dtype = DT_F32 };
        Tensor *a = filled(&ctx, c->dtype_a, c->ndim_a, c->shape_a, c->strides_a, c->a, &err);
        Tensor *b = c->dtype_b == DT_NONE ? NULL : filled(&ctx, c->dtype_b, c->ndim_b, c->shape_b, c->strides_b, c->b, &err);
        Call call;
        call.args = 2;
        call.inplace = false;
        call.given = 0;
        call.arg[0] = (Arg){ .kind = ARG_TENSOR, .tensor = a };
        call.arg[1] = b ? (Arg){ .kind = ARG_TENSOR, .tensor = b }
                    : c->b[0] == (double)(int64_t)c->b[0] ? (Arg){ .kind = ARG_INT, .i = (int64_t)c->b[0] }
                    : (Arg){ .kind = ARG_FLOAT, .f = c->b[0] };
        heap_fail_after(ctx.heap, n);
        bool ok = op_call(&ctx, c->op, &call, &err);
        heap_fail_after(ctx.heap, -1);
        if (ok) {
            assert_int_equal(tensor_dtype(call.out[0]), c->dtype);
            assert_int_equal(tensor_numel(call.out[0]), c->n);
        }
        for (int i = 0; ok && i < c->n; i++) {
            int64_t columns = tensor_ndim(call.out[0]) == 2 ? tensor_shape(call.out[0])[1] : c->n;
            int64_t index[2] = { tensor_ndim(call.out[0]) == 2 ? i / columns : i, i % columns };
            assert_true(number_double(tensor_element(call.out[0], index)) == c->expected[i]);
        }
        if (ok)
            tensor_release(call.out[0]);
        tensor_release(b);
        tensor_release(a);
        assert_int_equal(ctx.heap->totals.objects, 0);
        assert_int_equal(ctx.heap->totals.live, 0);
        heap_free(ctx.heap);
        if (ok)
            return;
        assert_int_not_equal(err.kind, ERR_NONE);
        assert_true(n < 30);
    }
}

/* What PyTorch gives for p = (2, 3, 4) permuted to strides (1, 12, 4): the first operand's order is kept. */
static void results_keep_the_first_operands_order(void **state)
{
    (void)state;
    static const int64_t shape[] = { 4, 2, 3 }, permuted[] = { 1, 12, 4 };
    Err err = { 0 };
    Context ctx = { .heap = heap_new(false, &err), .default_dtype = DT_F32 };
    Tensor *p = tensor_new_dense(&ctx, DT_F32, (Device){ 0, 0 }, 3, shape, permuted, &err);
    Tensor *dense = tensor_new_dense(&ctx, DT_F32, (Device){ 0, 0 }, 3, shape, NULL, &err);
    Tensor *pp = op_binary(&ctx, OP_add, p, p, &err), *pd = op_binary(&ctx, OP_add, p, dense, &err);
    Tensor *dp = op_binary(&ctx, OP_add, dense, p, &err), *e = op_unary(&ctx, OP_exp, p, &err);
    static const int64_t row_major[] = { 6, 3, 1 };
    assert_memory_equal(tensor_strides(pp), permuted, sizeof permuted);
    assert_memory_equal(tensor_strides(pd), permuted, sizeof permuted);
    assert_memory_equal(tensor_strides(e), permuted, sizeof permuted);
    assert_memory_equal(tensor_strides(dp), row_major, sizeof row_major);
    Tensor *all[] = { p, dense, pp, pd, dp, e };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        tensor_release(all[i]);
    heap_free(ctx.heap);
}

static void refused_writes_leave_everything(void **state)
{
    (void)state;
    static const int64_t three[] = { 3 }, wide[] = { 2, 3 };
    static const double values[] = { 1, 2, 3, 4, 5, 6 };
    Err err = { 0 };
    Context ctx = { .heap = heap_new(false, &err), .default_dtype = DT_F32 };
    Tensor *k = filled(&ctx, DT_I64, 1, three, (int64_t[]){ 0 }, values, &err);
    Tensor *w = filled(&ctx, DT_I64, 2, wide, (int64_t[]){ 0, 0 }, values, &err);
    Call call;
    call.args = 2;
    call.given = 0;
    call.inplace = true;
    call.arg[0] = (Arg){ .kind = ARG_TENSOR, .tensor = k };
    call.arg[1] = (Arg){ .kind = ARG_FLOAT, .f = 0.5 };
    assert_false(op_call(&ctx, OP_add, &call, &err));
    assert_int_equal(err.kind, ERR_RUNTIME);
    call.arg[1] = (Arg){ .kind = ARG_TENSOR, .tensor = w };
    assert_false(op_call(&ctx, OP_add, &call, &err));
    call.arg[1] = (Arg){ .kind = ARG_INT, .i = 0 };
    assert_false(op_call(&ctx, OP_remainder, &call, &err));
    assert_int_equal(tensor_version(k), 0);
    assert_int_equal(((int64_t *)tensor_data(k))[2], 3);
    call.arg[1] = (Arg){ .kind = ARG_INT, .i = 2 };
    assert_true(op_call(&ctx, OP_mul, &call, &err));
    assert_ptr_equal(call.out[0], k);
    assert_int_equal(tensor_version(k), 1);
    assert_int_equal(((int64_t *)tensor_data(k))[2], 6);
    tensor_release(call.out[0]);
    tensor_release(w);
    tensor_release(k);
    heap_free(ctx.heap);
}

int main(void)
{
    enum { CASES = sizeof cases / sizeof *cases };
    struct CMUnitTest tests[CASES + 2];
    for (size_t i = 0; i < CASES; i++)
        tests[i] = (struct CMUnitTest){ cases[i].name, check, NULL, NULL, (void *)&cases[i] };
    tests[CASES] = (struct CMUnitTest)cmocka_unit_test(results_keep_the_first_operands_order);
    tests[CASES + 1] = (struct CMUnitTest)cmocka_unit_test(refused_writes_leave_everything);
    return cmocka_run_group_tests_name("elementwise", tests, NULL, NULL);
}
