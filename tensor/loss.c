/*
 * loss.c - losses of torch.nn.functional: a value for each element or sample, then their mean or sum.
 */
#include "tensor/compose.h"
#include "tensor/cpu/map.h"

#define FORWARD(name) bool forward_##name(Context *ctx, OpId op, Call *call, Plan *plan, Err *err)
#define OP(id, name, forms, signature, result, dtype, shape, forward, grad) FORWARD(forward);
#include "tensor/ops/nn.def"
#undef OP

typedef enum Reduction { REDUCTION_NONE, REDUCTION_MEAN, REDUCTION_SUM, REDUCTION_BATCHMEAN } Reduction;

/* `reduction` at k; the older size_average and reduce (at `old` and `old2`; 0: there are none) come first. */
static bool reduction_of(OpId op, const Call *call, int k, int old, int old2, Reduction *reduction, Err *err)
{
    const char *word = call_has(call, k) ? call->arg[k].str : "mean";
    static const char *const words[] = { "none", "mean", "sum", "batchmean" };
    if (old && (call_has(call, old) || call_has(call, old2))) {
        *reduction = !call_bool(call, old2, true) ? REDUCTION_NONE : call_bool(call, old, true) ? REDUCTION_MEAN : REDUCTION_SUM;
        return true;
    }
    for (int r = 0; r < (op == OP_kl_div ? 4 : 3); r++)
        if (!strcmp(word, words[r]))
            return *reduction = (Reduction)r, true;
    return err_set(err, ERR_VALUE, "%s(): reduction is 'none', 'mean' or 'sum', not '%s'", op_info[op].name, word);
}

static Tensor *reduced(Compose *c, Tensor *t, Reduction reduction)
{
    Tensor *result = !t ? NULL : reduction == REDUCTION_MEAN ? DO(mean, T(t), NONE) : reduction == REDUCTION_NONE ? t : DO(sum, T(t), NONE);
    if (t && reduction == REDUCTION_BATCHMEAN && t->ndim)
        result = DO(div, T(result), I(shape_of(t)[0]));
    return result;
}

/* ---- a value for each element ------------------------------------------------------------------------------------------- */
static Tensor *mapped(Compose *c, OpId op, Tensor *a, Tensor *b, double param)
{
    Tensor *operand[2] = { a, b };
    Number none[2] = { { 0 }, { 0 } };
    double p[3] = { param, 0, 0 };
    int64_t shape[DIMS_MAX];
    int ndim;
    DType dtype = a && b ? dtype_promote((DType)a->dtype, (DType)b->dtype) : DT_F32;
    operand[0] = compose_cast(c, a, dtype);
    operand[1] = compose_cast(c, b, dtype);
    if (c->failed || !operand[0] || !operand[1] || !shape_broadcast(a->ndim, shape_of(a), b->ndim, shape_of(b), &ndim, shape, c->err))
        return compose_keep(c, NULL);
    Tensor *out = compose_keep(c, tensor_new_dense(c->ctx, dtype, (Device){ 0, 0 }, ndim, shape, NULL, c->err));
    return out && map_elements(c->ctx, op, out, 2, operand, none, dtype, p, c->err) ? out : compose_keep(c, NULL);
}

static bool same_sizes(OpId op, const Tensor *a, const Tensor *b, Err *err)
{
    char left[200], right[200];
    if (a->ndim == b->ndim && !memcmp(shape_of(a), shape_of(b), (size_t)a->ndim * sizeof(int64_t)))
        return true;
    shape_print_to(left, sizeof left, a->ndim, shape_of(a));
    shape_print_to(right, sizeof right, b->ndim, shape_of(b));
    return err_set(err, ERR_VALUE, "%s(): the input is of shape %s, the target of %s", op_info[op].name, left, right);
}

static bool whole(OpId op, const Tensor *t, Err *err)
{
    return dtype_kind((DType)t->dtype) == DKIND_FLOAT
        || err_set(err, ERR_RUNTIME, "%s() is not there for %s", op_info[op].name, dtype_name((DType)t->dtype));
}

FORWARD(loss)
{
    COMPOSE;
    bool weighted = op == OP_binary_cross_entropy;
    Tensor *a = call_tensor(call, 0), *b = call_tensor(call, 1), *each = NULL;
    Reduction reduction = REDUCTION_MEAN;
    double param = op == OP_huber_loss ? call_float(call, 3, 1) : call_float(call, 5, 1);
    if (op == OP_huber_loss ? !reduction_of(op, call, 2, 0, 0, &reduction, err)
                            : !reduction_of(op, call, weighted ? 5 : 4, weighted ? 3 : 2, weighted ? 4 : 3, &reduction, err))
        return false;
    if (weighted && !same_sizes(op, a, b, err))
        return false;
    if ((op == OP_huber_loss || op == OP_smooth_l1_loss) && (param < 0 || (op == OP_huber_loss && param == 0)))
        return err_set(err, ERR_RUNTIME, "%s(): %s must not be %s", op_info[op].name, op == OP_huber_loss ? "delta" : "beta",
                       op == OP_huber_loss ? "0 or less" : "negative");
    if (op != OP_l1_loss && op != OP_mse_loss && !whole(op, a, err))
        return false;
    if (op == OP_mse_loss) {
        if (dtype_kind((DType)a->dtype) != DKIND_FLOAT && dtype_kind((DType)b->dtype) != DKIND_FLOAT)
            return whole(op, a, err);
        each = DO(square, T(DO(sub, T(a), T(b))));
    } else if (op == OP_l1_loss || (op == OP_smooth_l1_loss && param == 0))
        each = DO(abs, T(DO(sub, T(a), T(b))));
    else
        each = mapped(c, op, a, b, param);
    if (weighted && call_tensor(call, 2))
        each = DO(mul, T(each), call->arg[2]);
    for (int64_t k = 0; weighted && each && k < a->numel && a->numel; k++) {       /* NaN passes, as in PyTorch it does not: it is refused */
        int64_t index[DIMS_MAX], rest = k;
        for (int d = a->ndim - 1; d >= 0; d--)
            index[d] = rest % shape_of(a)[d], rest /= shape_of(a)[d];
        double x = number_double(tensor_element(a, index));
        if (!(x >= 0 && x <= 1)) {
            err_set(err, ERR_RUNTIME, "binary_cross_entropy(): the input has probabilities from 0 to 1, and %g is none", x);
            err_hint(err, "binary_cross_entropy_with_logits() takes the values before the sigmoid");
            return compose_fail(c);
        }
    }
    return compose_end(c, op, call, reduced(c, each, reduction));
}

/* (1 - y) x + (1 + (w - 1) y) (log(1 + exp(-|x|)) + max(-x, 0)), where w weighs the positive ones. */
FORWARD(loss_of_logits)
{
    COMPOSE;
    Tensor *x = call_tensor(call, 0), *y = call_tensor(call, 1), *w = call_tensor(call, 6);
    Reduction reduction = REDUCTION_MEAN;
    if (!reduction_of(op, call, 5, 3, 4, &reduction, err) || !same_sizes(op, x, y, err))
        return false;
    Tensor *soft = DO(neg, T(DO(logsigmoid, T(x))));
    if (w) {
        Tensor *factor = DO(add, T(DO(mul, T(DO(sub, T(w), I(1))), T(y))), I(1));
        soft = DO(mul, T(factor), T(soft));
    }
    Tensor *each = DO(add, T(DO(mul, T(DO(rsub, T(y), I(1))), T(x))), T(soft));
    if (call_tensor(call, 2))
        each = DO(mul, T(each), call->arg[2]);
    return compose_end(c, op, call, reduced(c, each, reduction));
}

FORWARD(kl_div)
{
    COMPOSE;
    Tensor *x = call_tensor(call, 0), *y = call_tensor(call, 1), *each;
    Reduction reduction = REDUCTION_MEAN;
    if (!reduction_of(op, call, 4, 2, 3, &reduction, err))
        return false;
    if (call_bool(call, 5, false))
        each = DO(mul, T(DO(exp, T(y))), T(DO(sub, T(y), T(x))));
    else
        each = DO(sub, T(DO(xlogy, T(y), T(y))), T(DO(mul, T(y), T(x))));
    return compose_end(c, op, call, reduced(c, each, reduction));
}

/* ---- classes ------------------------------------------------------------------------------------------------------------ */
/* What the target says: one class for each sample; dimension 1 of the input (0 of a single sample) are the classes. */
static bool target_fits(OpId op, const Tensor *x, const Tensor *y, Err *err)
{
    int classes = x->ndim < 2 ? 0 : 1;
    bool ok = x->ndim >= 1 && y->ndim == x->ndim - 1;
    for (int d = 0, k = 0; ok && d < x->ndim; d++)
        if (d != classes)
            ok = shape_of(x)[d] == shape_of(y)[k++];
    if (ok && y->dtype != DT_I64 && y->dtype != DT_U8) {
        err_set(err, ERR_RUNTIME, "%s(): the target holds classes in an int64 tensor, not in one of %s", op_info[op].name, dtype_name((DType)y->dtype));
        return err_hint(err, "y.long() makes them whole numbers");
    }
    if (ok)
        return true;
    char left[200], right[200];
    shape_print_to(left, sizeof left, x->ndim, shape_of(x));
    shape_print_to(right, sizeof right, y->ndim, shape_of(y));
    bool batch = x->ndim >= 2 && y->ndim == x->ndim - 1 && shape_of(x)[0] != shape_of(y)[0];
    return err_set(err, batch || x->ndim < 1 ? ERR_VALUE : ERR_RUNTIME, "%s(): the input is of shape %s (samples, classes), and a target of shape %s does not fit",
                   op_info[op].name, left, right);
}

/* -w[class] x[class] for each sample; samples of class `ignored` are 0 and do not count. */
static Tensor *negative_likelihood(Compose *c, OpId op, Tensor *x, Tensor *y, Tensor *weight, int64_t ignored, Reduction reduction)
{
    int dim = x->ndim < 2 ? 0 : 1;
    int64_t classes = shape_of(x)[dim], index[DIMS_MAX] = { 0 };
    for (int64_t k = 0; k < y->numel; k++) {
        int64_t class = number_int(tensor_element(y, index));
        if (class != ignored && (class < 0 || class >= classes)) {
            err_set(c->err, ERR_INDEX, "%s(): the target %lld is none of the classes 0 to %lld", op_info[op].name, (long long)class, (long long)classes - 1);
            return compose_keep(c, NULL);
        }
        for (int d = y->ndim - 1; d >= 0 && ++index[d] == shape_of(y)[d]; d--)
            index[d] = 0;
    }
    Tensor *counts = DO(ne, T(y), I(ignored));
    Tensor *class = DO(where, T(counts), T(compose_cast(c, y, DT_I64)), I(0));
    Tensor *picked = DO(squeeze, T(DO(gather, T(x), I(dim), T(DO(unsqueeze, T(class), I(dim))))), INTS(((int64_t[]){ dim }), 1));
    Tensor *weights = weight ? DO(reshape, T(DO(index_select, T(weight), I(0), T(DO(reshape, T(class), INTS(((int64_t[]){ -1 }), 1))))),
                                  INTS(shape_of(y), y->ndim)) : NULL;
    Tensor *each = DO(neg, T(weight ? DO(mul, T(picked), T(weights)) : picked));
    each = DO(where, T(counts), T(each), F(0));
    Tensor *result = reduction == REDUCTION_NONE ? each : DO(sum, T(each), NONE);
    if (reduction == REDUCTION_MEAN) {
        Tensor *total = weight ? DO(sum, T(DO(where, T(counts), T(weights), F(0))), NONE) : DO(sum, T(counts), NONE);
        result = DO(div, T(result), T(total));
    }
    return result;
}

static bool weight_fits(OpId op, const Tensor *x, const Tensor *weight, Err *err)
{
    int64_t classes = shape_of(x)[x->ndim < 2 ? 0 : 1];
    if (weight && (weight->ndim != 1 || weight->numel != classes))
        return err_set(err, ERR_RUNTIME, "%s(): weight has one number for each of the %lld classes", op_info[op].name, (long long)classes);
    return !weight || weight->dtype == x->dtype
        || err_set(err, ERR_RUNTIME, "%s(): weight is %s, and the input %s", op_info[op].name, dtype_name((DType)weight->dtype), dtype_name((DType)x->dtype));
}

FORWARD(nll_loss)
{
    COMPOSE;
    Tensor *x = call_tensor(call, 0), *y = call_tensor(call, 1), *weight = call_tensor(call, 2);
    Reduction reduction = REDUCTION_MEAN;
    if (!reduction_of(op, call, 6, 3, 5, &reduction, err) || !whole(op, x, err) || !target_fits(op, x, y, err) || !weight_fits(op, x, weight, err))
        return false;
    return compose_end(c, op, call, negative_likelihood(c, op, x, y, weight, call_int(call, 4, -100), reduction));
}

/* -Σ y log softmax(x) for a target of probabilities, averaged over the samples. */
static Tensor *soft_targets(Compose *c, Tensor *logs, Tensor *y, Tensor *weight, double smoothing, Reduction reduction)
{
    int dim = logs->ndim < 2 ? 0 : 1;
    int64_t classes = shape_of(logs)[dim], shape[DIMS_MAX];
    if (smoothing > 0)
        y = DO(add, T(DO(mul, T(y), F(1 - smoothing))), F(smoothing / (double)classes));
    Tensor *each = DO(mul, T(logs), T(y));
    for (int d = 0; d < logs->ndim; d++)
        shape[d] = d == dim ? classes : 1;
    if (weight)
        each = DO(mul, T(each), T(DO(reshape, T(weight), INTS(shape, logs->ndim))));
    Tensor *result = DO(neg, T(DO(sum, T(each), INTS(((int64_t[]){ dim }), 1))));
    if (reduction != REDUCTION_NONE && result) {
        int64_t samples = result->numel;
        result = DO(sum, T(result), NONE);
        result = reduction == REDUCTION_MEAN ? DO(div, T(result), I(samples)) : result;
    }
    return result;
}

FORWARD(cross_entropy)
{
    COMPOSE;
    Tensor *x = call_tensor(call, 0), *y = call_tensor(call, 1), *weight = call_tensor(call, 2), *result;
    double smoothing = call_float(call, 7, 0);
    int64_t ignored = call_int(call, 4, -100);
    Reduction reduction = REDUCTION_MEAN;
    if (!reduction_of(op, call, 6, 3, 5, &reduction, err) || !x->ndim || !whole(op, x, err))
        return x->ndim ? false : err_set(err, ERR_RUNTIME, "cross_entropy(): the input has no dimension of classes");
    bool soft = y->ndim == x->ndim && dtype_kind((DType)y->dtype) == DKIND_FLOAT
             && !memcmp(shape_of(x), shape_of(y), (size_t)x->ndim * sizeof(int64_t));
    if (!(smoothing >= 0 && smoothing <= 1))
        return err_set(err, ERR_RUNTIME, "cross_entropy(): label_smoothing is a number from 0 to 1, not %g", smoothing);
    if ((!soft && !target_fits(op, x, y, err)) || !weight_fits(op, x, weight, err))
        return false;
    Tensor *logs = DO(log_softmax, T(x), I(x->ndim < 2 ? 0 : 1));
    if (!logs)
        return compose_fail(c);
    if (soft)
        return compose_end(c, op, call, soft_targets(c, logs, y, weight, smoothing, reduction));
    result = negative_likelihood(c, op, logs, y, weight, ignored, reduction);
    if (smoothing > 0 && result) {                      /* the rest of the weight goes to all classes alike */
        int dim = x->ndim < 2 ? 0 : 1;
        int64_t classes = shape_of(x)[dim], shape[DIMS_MAX];
        for (int d = 0; d < x->ndim; d++)
            shape[d] = d == dim ? classes : 1;
        Tensor *all = weight ? DO(mul, T(logs), T(DO(reshape, T(weight), INTS(shape, x->ndim)))) : logs;
        Tensor *counts = DO(ne, T(y), I(ignored));
        Tensor *smooth = DO(where, T(counts), T(DO(neg, T(DO(sum, T(all), INTS(((int64_t[]){ dim }), 1))))), F(0));
        if (reduction != REDUCTION_NONE)
            smooth = DO(sum, T(smooth), NONE);
        if (reduction == REDUCTION_MEAN) {
            Tensor *class = DO(reshape, T(DO(where, T(counts), T(y), I(0))), INTS(((int64_t[]){ -1 }), 1));
            Tensor *total = weight ? DO(sum, T(DO(where, T(counts), T(DO(reshape, T(DO(index_select, T(weight), I(0), T(class))),
                                        INTS(shape_of(y), y->ndim))), F(0))), NONE) : DO(sum, T(counts), NONE);
            smooth = DO(div, T(smooth), T(total));
        }
        result = DO(add, T(DO(mul, T(result), F(1 - smoothing))), T(DO(mul, T(smooth), F(smoothing / (double)classes))));
    }
    return compose_end(c, op, call, result);
}

/* ---- samples against each other ----------------------------------------------------------------------------------------- */
FORWARD(ranking_loss)
{
    COMPOSE;
    Tensor *y = call_tensor(call, 2), *each;
    double margin = call_float(call, 3, 0);
    Reduction reduction = REDUCTION_MEAN;
    if (!reduction_of(op, call, 6, 4, 5, &reduction, err))
        return false;
    if (op == OP_margin_ranking_loss) {
        Tensor *difference = DO(sub, call->arg[0], call->arg[1]);
        each = DO(clamp_min, T(DO(add, T(DO(mul, T(DO(neg, T(y))), T(difference))), F(margin))), I(0));
    } else {
        Tensor *cosine = DO(cosine_similarity, call->arg[0], call->arg[1], I(1), F(1e-12));
        Tensor *apart = DO(clamp_min, T(DO(sub, T(cosine), F(margin))), I(0)), *alike = DO(rsub, T(cosine), I(1));
        Tensor *zero = DO(where, T(DO(eq, T(y), I(-1))), T(apart), F(0));
        each = DO(where, T(DO(eq, T(y), I(1))), T(alike), T(zero));
    }
    return compose_end(c, op, call, reduced(c, each, reduction));
}

FORWARD(triplet_margin_loss)
{
    COMPOSE;
    Reduction reduction = REDUCTION_MEAN;
    if (!reduction_of(op, call, 7, 0, 0, &reduction, err))
        return false;
    Tensor *near = DO(pairwise_distance, call->arg[0], call->arg[1], call->arg[4], call->arg[5]);
    Tensor *far = DO(pairwise_distance, call->arg[0], call->arg[2], call->arg[4], call->arg[5]);
    if (call_bool(call, 6, false))
        far = DO(minimum, T(far), T(DO(pairwise_distance, call->arg[1], call->arg[2], call->arg[4], call->arg[5])));
    Tensor *each = DO(clamp_min, T(DO(add, T(DO(sub, T(near), T(far))), call->arg[3])), I(0));
    return compose_end(c, op, call, reduced(c, each, reduction));
}
