/* test_random.c - a seed gives the tensors that it gives in PyTorch on a CPU, bit by bit. */
#include "tests/tensor/with_heap.h"

typedef struct Case {
    const char *name;
    OpId     op;
    uint64_t seed;
    int      args;
    Arg      arg[3];
    bool     inplace, weighted;         /* of a tensor of 8 zeros; of the weights 1, 2, 3, 4 */
    int      values;
    double   value[8];                  /* the first of the result */
    double   last;
} Case;

static const Case cases[] = {
    { "rand", OP_rand, 0, 1, { INTS(3) }, false, false, 2, { 0x1.fc2ab0p-2, 0x1.89545ep-1 }, 0x1.6a675p-4 },
    { "rand: float64", OP_rand, 0, 3, { INTS(2), NONE, DTYPE_(F64) }, false, false, 1, { 0x1.f0aac97c4aa2fp-1 }, 0x1.6a675d821ccc0p-1 },
    { "randn: one by one", OP_randn, 42, 1, { INTS(5) }, false, false, 4,
      { 0x1.58c55cp-2, 0x1.07cd3ap-3, 0x1.e02dcep-3, 0x1.d7b8d8p-3 }, -0x1.1f7384p+0 },
    { "randn: 16 at a time", OP_randn, 0, 1, { INTS(16) }, false, false, 4,
      { -0x1.20370ap+0, -0x1.270114p+0, -0x1.0097acp-2, -0x1.bc4abap-2 }, -0x1.fa6cf8p-3 },
    { "randn: the last 16 again", OP_randn, 1, 1, { INTS(17) }, false, false, 4,
      { -0x1.868d74p+0, -0x1.2927aap+0, 0x1.662a6cp-1, 0x1.97b81cp-3 }, -0x1.98cd1ap-1 },
    { "randint", OP_randint, 0, 2, { INT(10), INTS(8) }, false, false, 8, { 4, 9, 3, 0, 3, 9, 7, 3 }, 3 },
    { "randperm", OP_randperm, 0, 1, { INT(8) }, false, false, 8, { 4, 0, 7, 3, 2, 5, 1, 6 }, 6 },
    { "bernoulli_", OP_bernoulli_p, 7, 1, { FLOAT(0.3) }, true, false, 8, { 1, 1, 0, 0, 0, 0, 1, 0 }, 0 },
    { "multinomial: each once", OP_multinomial, 7, 1, { INT(3) }, false, true, 3, { 1, 3, 0 }, 0 },
};

static double value_at(const Tensor *t, int64_t i)
{
    return number_double(tensor_element(t, &i));
}

static void draws(void **state)
{
    const Case *c = *state;
    Context ctx;
    Err err = { 0 };
    assert_true(with_heap(&ctx, &err));
    Tensor *self = c->inplace ? run(&ctx, OP_zeros, NULL, (Arg[]){ INTS(8) }, 1, false, &err)
                 : c->weighted ? run(&ctx, OP_arange_from, NULL, (Arg[]){ FLOAT(1), FLOAT(5) }, 2, false, &err) : NULL;
    generator_seed(ctx.generator, c->seed);
    Tensor *t = run(&ctx, c->op, self, c->arg, c->args, c->inplace, &err);
    assert_non_null(t);
    for (int i = 0; i < c->values; i++)
        assert_true(value_at(t, i) == c->value[i]);
    assert_true(value_at(t, tensor_numel(t) - 1) == c->last);
    assert_int_equal(tensor_version(t), c->inplace);
    tensor_release(t);
    tensor_release(self);
    without_heap(&ctx);
}

/* A state that is put back gives the same numbers, the normal number that waits included. */
static void a_state_comes_back(void **state)
{
    (void)state;
    Context ctx;
    Err err = { 0 };
    char kept[8000];
    assert_true(with_heap(&ctx, &err));
    assert_int_equal(generator_state_size(), 5056);
    generator_seed(ctx.generator, 5);
    tensor_release(run(&ctx, OP_randn, NULL, (Arg[]){ INTS(1) }, 1, false, &err));
    generator_get_state(ctx.generator, kept);
    Tensor *a = run(&ctx, OP_randn, NULL, (Arg[]){ INTS(3) }, 1, false, &err);
    assert_true(generator_set_state(ctx.generator, kept, &err));
    Tensor *b = run(&ctx, OP_randn, NULL, (Arg[]){ INTS(3) }, 1, false, &err);
    for (int64_t i = 0; i < 3; i++)
        assert_true(value_at(a, i) == value_at(b, i));
    assert_int_equal(generator_initial_seed(ctx.generator), 5);
    tensor_release(a);
    tensor_release(b);
    without_heap(&ctx);
}

int main(void)
{
    struct CMUnitTest tests[COUNT(cases) + 1];
    for (size_t i = 0; i < COUNT(cases); i++)
        tests[i] = (struct CMUnitTest){ cases[i].name, draws, NULL, NULL, (void *)&cases[i] };
    tests[COUNT(cases)] = (struct CMUnitTest)cmocka_unit_test(a_state_comes_back);
    return cmocka_run_group_tests_name("random", tests, NULL, NULL);
}
