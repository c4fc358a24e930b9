/* test_op.c - the one path of operations: makers and views, sharing, refusals, every request for memory refused once. */
#include "tensor/impl.h"
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static Call call_of(int args)
{
    Call call = { .args = args };
    return call;
}

static Tensor *zeros(Context *ctx, int n, const int64_t *shape, Err *err)
{
    Call call = call_of(1);
    call.arg[0] = (Arg){ .kind = ARG_INTS, .n = n, .ints = shape };
    return op_call(ctx, OP_zeros, &call, err) ? call.out[0] : NULL;
}

static Tensor *viewed(Context *ctx, Tensor *t, int n, const int64_t *sizes, Err *err)
{
    Call call = call_of(2);
    call.arg[0] = (Arg){ .kind = ARG_TENSOR, .tensor = t };
    call.arg[1] = (Arg){ .kind = ARG_INTS, .n = n, .ints = sizes };
    return op_call(ctx, OP_view, &call, err) ? call.out[0] : NULL;
}

static Tensor *transposed(Context *ctx, Tensor *t, Err *err)
{
    Call call = call_of(3);
    call.arg[0] = (Arg){ .kind = ARG_TENSOR, .tensor = t };
    call.arg[1] = (Arg){ .kind = ARG_INT, .i = 0 };
    call.arg[2] = (Arg){ .kind = ARG_INT, .i = 1 };
    return op_call(ctx, OP_transpose, &call, err) ? call.out[0] : NULL;
}

static void views_share_and_strides_refuse(void **state)
{
    static const int64_t shape[] = { 3, 4 }, flat[] = { -1 };
    (void)state;
    for (int64_t n = 0;; n++) {
        Err err = { 0 };
        Context ctx = { .heap = heap_new(false, &err), .default_dtype = DT_F32 };
        heap_fail_after(ctx.heap, n);
        Tensor *x = zeros(&ctx, 2, shape, &err), *v = x ? viewed(&ctx, x, 1, flat, &err) : NULL;
        Tensor *t = v ? transposed(&ctx, x, &err) : NULL;
        heap_fail_after(ctx.heap, -1);
        if (t) {
            assert_int_equal(tensor_dtype(x), DT_F32);
            assert_ptr_equal(tensor_data(x), tensor_data(v));
            assert_int_equal(tensor_numel(v), 12);
            assert_int_equal(tensor_strides(t)[0], 1);
            assert_null(viewed(&ctx, t, 1, flat, &err));
            assert_int_equal(err.kind, ERR_RUNTIME);
            assert_true(err.hint[0] != 0);
            inplace_done(&ctx, OP_zeros, v);
            assert_int_equal(tensor_version(x), 1);     /* a view writes for its family */
        } else
            assert_true(err.kind != ERR_NONE);
        tensor_release(t);
        tensor_release(v);
        tensor_release(x);
        assert_int_equal(ctx.heap->totals.objects, 0);
        assert_int_equal(ctx.heap->totals.live, 0);
        assert_int_equal(mem_count(ctx.heap), 0);
        heap_free(ctx.heap);
        if (t)
            break;
        assert_true(n < 50);
    }
}

static void writes_name_whom_they_change(void **state)
{
    static const int64_t shape[] = { 4, 4 }, strides[] = { 4, 2 }, half[] = { 4, 2 };
    (void)state;
    Err err = { 0 };
    Context ctx = { .heap = heap_new(false, &err), .default_dtype = DT_F32 };
    Record *record = record_new();
    Tensor *x = zeros(&ctx, 2, shape, &err);
    Tensor *even = tensor_new_view(&ctx, x, 2, half, strides, 0, &err), *odd = tensor_new_view(&ctx, x, 2, half, strides, 1, &err);
    assert_true(tensor_overlap(x, even) && tensor_overlap(odd, x));
    assert_false(tensor_overlap(even, odd));
    ctx.heap->record = record;
    record_reset(record, ctx.heap->totals.live, 2, 4, 0);
    inplace_done(&ctx, OP_zeros, even);
    assert_int_equal(record->event[0].kind, EVENT_WRITE);
    assert_int_equal(record->event[0].alias_count, 1);
    assert_int_equal(record->alias[record->event[0].alias], tensor_serial(x));
    ctx.heap->record = NULL;
    record_free(record);
    tensor_release(odd);
    tensor_release(even);
    tensor_release(x);
    heap_free(ctx.heap);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(views_share_and_strides_refuse), cmocka_unit_test(writes_name_whom_they_change),
    };
    return cmocka_run_group_tests_name("op", tests, NULL, NULL);
}
