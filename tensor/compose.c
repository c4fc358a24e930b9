/*
 * compose.c - operations that are made of other operations.
 */
#include "tensor/compose.h"

Tensor *compose_keep(Compose *c, Tensor *made)
{
    if (made)
        c->made[c->n++] = made;
    c->failed |= !made;
    return made;
}

Tensor *compose_step(Compose *c, OpId id, int args, const Arg *arg, int result)
{
    Call call = { .args = args };
    assert(c->n < COMPOSE_STEPS);
    for (int k = 0; k < args; k++) {
        call.arg[k] = arg[k];
        c->failed |= arg[k].kind == ARG_TENSOR && !arg[k].tensor;
    }
    if (c->failed || !op_call(c->ctx, id, &call, c->err))
        return compose_keep(c, NULL);
    Tensor *made = call.out[result];
    call.out[result] = NULL;
    call_drop(&call);
    return compose_keep(c, made);
}

Tensor *compose_cast(Compose *c, Tensor *t, DType dtype)
{
    if (!t || t->dtype == dtype)
        return t;
    return compose_keep(c, copy_new(c->ctx, t, dtype, true, COPY_DTYPE, c->err));
}

static void let_go(Compose *c)
{
    while (c->n)
        tensor_release(c->made[--c->n]);
}

bool compose_fail(Compose *c)
{
    let_go(c);
    return false;
}

bool compose_end(Compose *c, OpId id, Call *call, Tensor *result)
{
    bool ok = result && !c->failed;
    if (ok && (call->inplace || call->given)) {
        Tensor *out = call_result(c->ctx, id, call, 0, (DType)result->dtype, result->ndim, shape_of(result), NULL, c->err);
        ok = out && copy_elements(c->ctx, out, result, COPY_REASONS, c->err) && call_finish(c->ctx, id, call, c->err);
    } else if (ok)
        ok = call_take(call, tensor_retain(result));
    let_go(c);
    return ok;
}

bool compose_end_many(Compose *c, Call *call, int n, Tensor *const *result)
{
    bool ok = !c->failed;
    for (int k = 0; k < n; k++)
        ok = ok && result[k];
    for (int k = 0; ok && k < n; k++)
        call->out[k] = tensor_retain(result[k]);
    call->outs = ok ? n : 0;
    let_go(c);
    return ok;
}
