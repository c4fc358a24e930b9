/* test_view.c - views and arrangements: shape, strides, offset and elements, as PyTorch gives them. */
#include "tests/tensor/with_heap.h"

typedef struct Case {
    const char *name;
    OpId    op;
    int     ndim;
    int64_t shape[3];                   /* of a tensor that counts from 0 */
    bool    turned;                     /* its dimensions from back to front */
    int     args;
    Arg     arg[3];
    int     result_ndim;                /* -1: an error of this kind */
    int64_t result[4], strides[4], offset, first, last;
    ErrKind error;
} Case;

#define ERROR_(kind) -1, { 0 }, { 0 }, 0, 0, 0, ERR_##kind
static const Case cases[] = {
    { "view: -1 is worked out", OP_view, 2, { 3, 4 }, false, 1, { INTS(2, -1) }, 2, { 2, 6 }, { 6, 1 }, 0, 0, 11, 0 },
    { "view: other order in memory", OP_view, 2, { 2, 3 }, true, 1, { INTS(6) }, ERROR_(RUNTIME) },
    { "view: wrong size", OP_view, 1, { 6 }, false, 1, { INTS(4, 2) }, ERROR_(RUNTIME) },
    { "view: two -1", OP_view, 1, { 6 }, false, 1, { INTS(-1, -1) }, ERROR_(RUNTIME) },
    { "view: int64 as bytes", OP_view_dtype, 1, { 2 }, false, 1, { DTYPE_(U8) }, 1, { 16 }, { 1 }, 0, 0, 0, 0 },
    { "reshape: copies when it must", OP_reshape, 2, { 2, 3 }, true, 1, { INTS(6) }, 1, { 6 }, { 1 }, 0, 0, 5, 0 },
    { "flatten: some dims", OP_flatten, 3, { 2, 3, 4 }, false, 1, { INT(1) }, 2, { 2, 12 }, { 12, 1 }, 0, 0, 23, 0 },
    { "unflatten", OP_unflatten, 1, { 6 }, false, 2, { INT(0), INTS(2, -1) }, 2, { 2, 3 }, { 3, 1 }, 0, 0, 5, 0 },
    { "transpose", OP_transpose, 3, { 2, 3, 4 }, false, 2, { INT(0), INT(-1) }, 3, { 4, 3, 2 }, { 1, 4, 12 }, 0, 0, 23, 0 },
    { "transpose: out of range", OP_transpose, 2, { 2, 3 }, false, 2, { INT(0), INT(2) }, ERROR_(INDEX) },
    { "permute", OP_permute, 3, { 2, 3, 4 }, false, 1, { INTS(2, 0, 1) }, 3, { 4, 2, 3 }, { 1, 12, 4 }, 0, 0, 23, 0 },
    { "permute: a dim twice", OP_permute, 2, { 2, 3 }, false, 1, { INTS(0, 0) }, ERROR_(RUNTIME) },
    { "movedim", OP_movedim, 3, { 2, 3, 4 }, false, 2, { INT(0), INT(-1) }, 3, { 3, 4, 2 }, { 4, 1, 12 }, 0, 0, 23, 0 },
    { "squeeze: all ones", OP_squeeze, 3, { 1, 3, 1 }, false, 0, { NONE }, 1, { 3 }, { 1 }, 0, 0, 2, 0 },
    { "unsqueeze: last", OP_unsqueeze, 1, { 3 }, false, 1, { INT(-1) }, 2, { 3, 1 }, { 1, 1 }, 0, 0, 2, 0 },
    { "unsqueeze: of a transpose", OP_unsqueeze, 2, { 2, 3 }, true, 1, { INT(1) }, 3, { 3, 1, 2 }, { 1, 6, 3 }, 0, 0, 5, 0 },
    { "expand: a row again", OP_expand, 2, { 1, 3 }, false, 1, { INTS(2, 2, -1) }, 3, { 2, 2, 3 }, { 0, 0, 1 }, 0, 0, 2, 0 },
    { "expand: not from 3 to 4", OP_expand, 1, { 3 }, false, 1, { INTS(2, 4) }, ERROR_(RUNTIME) },
    { "narrow: columns", OP_narrow, 2, { 3, 4 }, false, 3, { INT(1), INT(1), INT(2) }, 2, { 3, 2 }, { 4, 1 }, 1, 1, 10, 0 },
    { "narrow: too long", OP_narrow, 1, { 5 }, false, 3, { INT(0), INT(3), INT(3) }, ERROR_(RUNTIME) },
    { "select: a column", OP_select, 2, { 2, 3 }, false, 2, { INT(1), INT(2) }, 1, { 2 }, { 3 }, 2, 2, 5, 0 },
    { "select: out of range", OP_select, 2, { 2, 3 }, false, 2, { INT(0), INT(2) }, ERROR_(INDEX) },
    { "diagonal: below", OP_diagonal, 2, { 3, 4 }, false, 1, { INT(-1) }, 1, { 2 }, { 5 }, 4, 4, 9, 0 },
    { "unfold: windows", OP_unfold, 1, { 7 }, false, 3, { INT(0), INT(3), INT(2) }, 2, { 3, 3 }, { 2, 1 }, 0, 0, 6, 0 },
    { "as_strided: beyond the storage", OP_as_strided, 1, { 6 }, false, 2, { INTS(3, 3), INTS(3, 1) }, ERROR_(RUNTIME) },
    { "split: the last is shorter", OP_split, 1, { 10 }, false, 1, { INT(4) }, 1, { 2 }, { 1 }, 8, 8, 9, 0 },
    { "split: sizes", OP_split_sizes, 2, { 3, 4 }, false, 2, { INTS(1, 3), INT(1) }, 2, { 3, 3 }, { 4, 1 }, 1, 1, 11, 0 },
    { "split: sizes do not add up", OP_split_sizes, 1, { 4 }, false, 1, { INTS(1, 2) }, ERROR_(RUNTIME) },
    { "chunk", OP_chunk, 1, { 7 }, false, 1, { INT(3) }, 1, { 1 }, { 1 }, 6, 6, 6, 0 },
    { "tensor_split", OP_tensor_split, 1, { 7 }, false, 1, { INT(3) }, 1, { 2 }, { 1 }, 5, 5, 6, 0 },
    { "unbind: columns", OP_unbind, 2, { 3, 2 }, false, 1, { INT(1) }, 1, { 3 }, { 2 }, 1, 1, 5, 0 },
    { "flip keeps the order in memory", OP_flip, 2, { 2, 3 }, true, 1, { INTS(0) }, 2, { 3, 2 }, { 1, 3 }, 0, 2, 3, 0 },
    { "roll: without dims", OP_roll, 2, { 2, 3 }, false, 1, { INTS(1) }, 2, { 2, 3 }, { 3, 1 }, 0, 5, 4, 0 },
    { "rot90", OP_rot90, 2, { 2, 3 }, false, 0, { NONE }, 2, { 3, 2 }, { 1, 3 }, 0, 2, 3, 0 },
    { "repeat: adds dimensions", OP_repeat, 2, { 1, 2 }, false, 1, { INTS(2, 1, 2) }, 3, { 2, 1, 4 }, { 4, 4, 1 }, 0, 0, 1, 0 },
    { "repeat_interleave", OP_repeat_interleave, 1, { 3 }, false, 1, { INT(2) }, 1, { 6 }, { 1 }, 0, 0, 2, 0 },
    { "tril", OP_tril, 2, { 3, 3 }, true, 0, { NONE }, 2, { 3, 3 }, { 3, 1 }, 0, 0, 8, 0 },
    { "pad: a smaller result", OP_pad, 1, { 4 }, false, 3, { INTS(-1, 2), NONE, INT(7) }, 1, { 5 }, { 1 }, 0, 1, 7, 0 },
};

static int64_t at(const Tensor *t, bool last)
{
    int64_t index[8];
    for (int d = 0; d < tensor_ndim(t); d++)
        index[d] = last ? tensor_shape(t)[d] - 1 : 0;
    return tensor_element(t, index).i;
}

static Tensor *attempt(Context *ctx, const Case *c, Err *err)
{
    Tensor *t = counted(ctx, c->ndim, c->shape, err), *result = NULL;
    if (t && c->turned) {
        Tensor *turned = run(ctx, OP_T, t, NULL, 0, false, err);
        tensor_release(t);
        t = turned;
    }
    if (t)
        result = run(ctx, c->op, t, c->arg, c->args, false, err);
    tensor_release(t);
    return result;
}

static void check(void **state)
{
    const Case *c = *state;
    Context ctx;
    Err err = { 0 };
    assert_true(with_heap(&ctx, &err));
    Tensor *result = attempt(&ctx, c, &err);
    if (c->result_ndim < 0) {
        assert_null(result);
        assert_int_equal(err.kind, c->error);
        assert_true(err.message[0] != 0);
    } else {
        assert_non_null(result);
        assert_int_equal(tensor_ndim(result), c->result_ndim);
        assert_memory_equal(tensor_shape(result), c->result, sizeof(int64_t) * (size_t)c->result_ndim);
        assert_memory_equal(tensor_strides(result), c->strides, sizeof(int64_t) * (size_t)c->result_ndim);
        assert_int_equal(tensor_offset(result), c->offset);
        assert_int_equal(at(result, false), c->first);
        assert_int_equal(at(result, true), c->last);
    }
    tensor_release(result);
    for (int64_t n = 0; c->result_ndim >= 0; n++) {     /* every request for memory refused once */
        err.kind = ERR_NONE;
        heap_fail_after(ctx.heap, n);
        result = attempt(&ctx, c, &err);
        heap_fail_after(ctx.heap, -1);
        if (result)
            break;
        assert_true(err.kind == ERR_MEMORY || err.kind == ERR_RUNTIME);    /* a block of data is refused as PyTorch refuses it */
    }
    tensor_release(result);
    without_heap(&ctx);
}

static void handles_change_in_place(void **state)
{
    (void)state;
    Context ctx;
    Err err = { 0 };
    assert_true(with_heap(&ctx, &err));
    Tensor *t = counted(&ctx, 1, (int64_t[]){ 3 }, &err);
    Tensor *same = run(&ctx, OP_unsqueeze, t, (Arg[]){ INT(0) }, 1, true, &err);
    assert_ptr_equal(same, t);
    assert_int_equal(tensor_ndim(t), 2);
    assert_int_equal(tensor_version(t), 1);
    tensor_release(same);
    Tensor *detached = run(&ctx, OP_detach, t, NULL, 0, false, &err), *data = run(&ctx, OP_data, t, NULL, 0, false, &err);
    assert_null(tensor_base(detached));
    inplace_done(&ctx, OP_detach, detached);            /* a detached tensor counts with its origin, .data does not */
    assert_int_equal(tensor_version(t), 2);
    inplace_done(&ctx, OP_data, data);
    assert_int_equal(tensor_version(t), 2);
    tensor_release(data);
    tensor_release(detached);
    tensor_release(t);
    without_heap(&ctx);
}

int main(void)
{
    struct CMUnitTest tests[COUNT(cases) + 1];
    for (size_t i = 0; i < COUNT(cases); i++)
        tests[i] = (struct CMUnitTest){ cases[i].name, check, NULL, NULL, (void *)&cases[i] };
    tests[COUNT(cases)] = (struct CMUnitTest)cmocka_unit_test(handles_change_in_place);
    return cmocka_run_group_tests_name("view", tests, NULL, NULL);
}
