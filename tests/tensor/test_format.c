/* test_format.c - tensors and numbers as text, recorded from PyTorch and Python. */
#include "tests/tensor/with_heap.h"
#include <math.h>
#include <stdlib.h>

typedef struct Case {
    const char *text;
    DType   dtype;
    int     ndim;
    int64_t shape[3];
    int     values;                     /* 0: counted from 0 */
    double  value[8];
} Case;

static const Case cases[] = {
    { "tensor([1., 2., 3.])", DT_F32, 1, { 3 }, 3, { 1, 2, 3 } },
    { "tensor([0.5000, 1.2500, 2.0000])", DT_F32, 1, { 3 }, 3, { 0.5, 1.25, 2 } },
    { "tensor([1.0000e+09, 1.5000e+00])", DT_F32, 1, { 2 }, 2, { 1e9, 1.5 } },
    { "tensor([1.0000e+09])", DT_F32, 1, { 1 }, 1, { 1e9 } },
    { "tensor([5.0000e-01, 5.0100e+02])", DT_F32, 1, { 2 }, 2, { 0.5, 501 } },
    { "tensor([  0.5000, 499.0000])", DT_F32, 1, { 2 }, 2, { 0.5, 499 } },
    { "tensor([nan, 1.])", DT_F32, 1, { 2 }, 2, { NAN, 1 } },
    { "tensor([   inf,   -inf, 0.5000])", DT_F32, 1, { 3 }, 3, { INFINITY, -INFINITY, 0.5 } },
    { "tensor([-0., 0.])", DT_F32, 1, { 2 }, 2, { -0.0, 0 } },
    { "tensor(-1.0000e-06)", DT_F32, 0, { 0 }, 1, { -1e-6 } },
    { "tensor(7, dtype=torch.uint8)", DT_U8, 0, { 0 }, 1, { 7 } },
    { "tensor([ True, False])", DT_BOOL, 1, { 2 }, 2, { 1, 0 } },
    { "tensor([0.1000, 0.3333], dtype=torch.float64)", DT_F64, 1, { 2 }, 2, { 0.1, 1.0 / 3 } },
    { "tensor([0.0999, 0.5000], dtype=torch.float16)", DT_F16, 1, { 2 }, 2, { 0.0999, 0.5 } },
    { "tensor([0.1001, 0.5000], dtype=torch.bfloat16)", DT_BF16, 1, { 2 }, 2, { 0.1, 0.5 } },
    { "tensor([[   1, 1000],\n        [  -5,   20]])", DT_I64, 2, { 2, 2 }, 4, { 1, 1000, -5, 20 } },
    { "tensor([[[0, 1]],\n\n        [[2, 3]]])", DT_I64, 3, { 2, 1, 2 }, 0, { 0 } },
    { "tensor([])", DT_F32, 1, { 0 }, 0, { 0 } },
    { "tensor([], size=(2, 0))", DT_F32, 2, { 2, 0 }, 0, { 0 } },
    { "tensor([], size=(0, 3), dtype=torch.int64)", DT_I64, 2, { 0, 3 }, 0, { 0 } },
    { "tensor([   0,    1,    2,  ...,  998,  999, 1000])", DT_I64, 1, { 1001 }, 0, { 0 } },
    { "tensor([[   0,    1,    2,  ...,  997,  998,  999],\n        [1000, 1001, 1002,  ..., 1997, 1998, 1999]])", DT_I64, 2, { 2, 1000 },
      0, { 0 } },
    { "tensor([ 0,  1,  2,  3,  4,  5,  6,  7,  8,  9, 10, 11, 12, 13, 14, 15, 16, 17,\n        18, 19])", DT_I64, 1, { 20 }, 0, { 0 } },
};

static void prints(void **state)
{
    const Case *c = *state;
    Context ctx;
    Err err = { 0 };
    Text text = { 0 };
    assert_true(with_heap(&ctx, &err));
    Tensor *t = tensor_empty(&ctx, c->dtype, (Device){ 0, 0 }, c->ndim, c->shape, &err);
    for (int64_t i = 0; i < tensor_numel(t); i++) {
        Number number = { .kind = DKIND_FLOAT, .f = c->values ? c->value[i] : (double)i };
        number_store(c->dtype, (char *)tensor_data(t) + (size_t)i * dtype_size(c->dtype), number);
    }
    assert_true(tensor_print(&ctx, t, &text, &err));
    assert_string_equal(text_end(&text), c->text);
    text_free(&text);
    tensor_release(t);
    without_heap(&ctx);
}

static void options_change_the_form(void **state)
{
    (void)state;
    Context ctx;
    Err err = { 0 };
    Text text = { 0 };
    assert_true(with_heap(&ctx, &err));
    ctx.print = (PrintOptions){ .precision = 2, .threshold = 5, .edgeitems = 1, .linewidth = 30, .sci_mode = 1 };
    Tensor *t = run(&ctx, OP_arange, NULL, (Arg[]){ FLOAT(6.0) }, 1, false, &err);
    assert_true(tensor_print(&ctx, t, &text, &err));
    assert_string_equal(text_end(&text), "tensor([0.00e+00,  ..., 5.00e+00])");
    text_free(&text);
    tensor_release(t);
    without_heap(&ctx);
}

static void doubles_read_back(void **state)
{
    static const struct { double f; const char *text; } rows[] = {
        { 1e16, "1e+16" }, { 1e15, "1000000000000000.0" }, { 0.1, "0.1" }, { 1.0 / 3, "0.3333333333333333" }, { 1e-5, "1e-05" },
        { 1e-4, "0.0001" }, { -0.0, "-0.0" }, { 5e-324, "5e-324" }, { 123456789012345678.0, "1.2345678901234568e+17" },
        { 100, "100.0" }, { 1e22, "1e+22" }, { NAN, "nan" }, { -INFINITY, "-inf" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        Text text = { 0 };
        number_print((Number){ .kind = DKIND_FLOAT, .f = rows[i].f }, &text);
        assert_string_equal(text_end(&text), rows[i].text);
        text_free(&text);
    }
}

int main(void)
{
    struct CMUnitTest tests[COUNT(cases) + 2];
    for (size_t i = 0; i < COUNT(cases); i++)
        tests[i] = (struct CMUnitTest){ cases[i].text, prints, NULL, NULL, (void *)&cases[i] };
    tests[COUNT(cases)] = (struct CMUnitTest)cmocka_unit_test(options_change_the_form);
    tests[COUNT(cases) + 1] = (struct CMUnitTest)cmocka_unit_test(doubles_read_back);
    return cmocka_run_group_tests_name("format", tests, NULL, NULL);
}
