/* test_shape.c - which shapes are views of which strides, as PyTorch answers; inferring sizes. */
#include "tensor/impl.h"
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

typedef struct ViewCase {
    const char *name;
    int ndim;
    int64_t shape[4], strides[4];
    int to_ndim;
    int64_t to[4];
    bool possible;
    int64_t result[4];
} ViewCase;

static const ViewCase views[] = {
    { "dense to flat",               2, {3, 4}, {4, 1},        1, {12},      true,  {1} },
    { "flat to dense",               1, {12}, {1},             2, {3, 4},    true,  {4, 1} },
    { "transposed to flat",          2, {4, 3}, {1, 4},        1, {12},      false, {0} },
    { "transposed, rows split",      2, {4, 3}, {1, 4},        3, {2, 2, 3}, true,  {2, 1, 4} },
    { "slice of columns to flat",    2, {3, 2}, {4, 1},        1, {6},       false, {0} },
    { "every second element",        1, {6}, {2},              2, {2, 3},    true,  {6, 2} },
    { "expanded rows stay",          2, {3, 4}, {0, 1},        3, {3, 2, 2}, true,  {0, 2, 1} },
    { "expanded rows to flat",       2, {3, 4}, {0, 1},        1, {12},      false, {0} },
    { "dims of one are free",        3, {1, 3, 4}, {99, 4, 1}, 2, {12, 1},   true,  {1, 1} },
    { "a scalar to (1, 1)",          0, {0}, {0},              2, {1, 1},    true,  {1, 1} },
    { "another number of elements",  1, {6}, {1},              1, {5},       false, {0} },
    { "empty",                       2, {0, 3}, {3, 1},        2, {3, 0},    true,  {1, 1} },
};

static void view_case(void **state)
{
    const ViewCase *c = *state;
    int64_t result[4];
    assert_int_equal(shape_view(c->ndim, c->shape, c->strides, c->to_ndim, c->to, result), c->possible);
    for (int d = 0; c->possible && d < c->to_ndim; d++)
        assert_int_equal(result[d], c->result[d]);
}

static void sizes_are_inferred(void **state)
{
    (void)state;
    Err err = { 0 };
    int64_t to[3];
    static const int64_t good[] = { 2, -1, 3 }, twice[] = { -1, -1 }, bad[] = { 5, -1 }, any[] = { 0, -1 };
    assert_true(shape_infer(24, 3, good, to, &err));
    assert_int_equal(to[1], 4);
    assert_false(shape_infer(24, 2, twice, to, &err));
    assert_false(shape_infer(24, 2, bad, to, &err));
    assert_string_equal(err.message, "24 elements do not make the shape (5, -1)");
    assert_false(shape_infer(0, 2, any, to, &err));
    assert_int_equal(err.kind, ERR_RUNTIME);
}

static void clones_keep_the_order_of_dense_dims(void **state)
{
    (void)state;
    int64_t result[3];
    static const int64_t shape[] = { 4, 2, 3 }, permuted[] = { 1, 12, 4 }, gaps[] = { 1, 24, 8 };
    assert_true(shape_is_dense(3, shape, permuted));
    shape_like(3, shape, permuted, result);
    assert_int_equal(result[0], 1);
    assert_int_equal(result[1], 12);
    assert_false(shape_is_dense(3, shape, gaps));
}

int main(void)
{
    enum { VIEWS = sizeof views / sizeof *views };
    struct CMUnitTest tests[VIEWS + 2];
    for (size_t i = 0; i < VIEWS; i++)
        tests[i] = (struct CMUnitTest){ views[i].name, view_case, NULL, NULL, (void *)&views[i] };
    tests[VIEWS] = (struct CMUnitTest)cmocka_unit_test(sizes_are_inferred);
    tests[VIEWS + 1] = (struct CMUnitTest)cmocka_unit_test(clones_keep_the_order_of_dense_dims);
    return cmocka_run_group_tests_name("shape", tests, NULL, NULL);
}
