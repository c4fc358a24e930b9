/*
 * ufunc.c - NumPy's element-wise functions: rows of a name, an operation and the rule of its dtype.
 */
#include "lang/numpy/numpy.h"
#include <math.h>

typedef struct Ufunc { const char *name; OpId id; Rule rule; } Ufunc;
static const Ufunc unary[] = {
    { "exp", OP_exp, RULE_FLOAT }, { "exp2", OP_exp2, RULE_FLOAT }, { "expm1", OP_expm1, RULE_FLOAT }, { "log", OP_log, RULE_FLOAT },
    { "log2", OP_log2, RULE_FLOAT }, { "log10", OP_log10, RULE_FLOAT }, { "log1p", OP_log1p, RULE_FLOAT }, { "sqrt", OP_sqrt, RULE_FLOAT },
    { "sin", OP_sin, RULE_FLOAT }, { "cos", OP_cos, RULE_FLOAT }, { "tan", OP_tan, RULE_FLOAT }, { "arcsin", OP_asin, RULE_FLOAT },
    { "arccos", OP_acos, RULE_FLOAT }, { "arctan", OP_atan, RULE_FLOAT }, { "sinh", OP_sinh, RULE_FLOAT }, { "cosh", OP_cosh, RULE_FLOAT },
    { "tanh", OP_tanh, RULE_FLOAT }, { "deg2rad", OP_deg2rad, RULE_FLOAT }, { "radians", OP_deg2rad, RULE_FLOAT },
    { "rad2deg", OP_rad2deg, RULE_FLOAT }, { "degrees", OP_rad2deg, RULE_FLOAT },
    { "abs", OP_abs, RULE_SAME }, { "absolute", OP_abs, RULE_SAME }, { "fabs", OP_abs, RULE_FLOAT }, { "negative", OP_neg, RULE_SAME },
    { "positive", OP_clone, RULE_SAME }, { "sign", OP_sign, RULE_SAME }, { "square", OP_square, RULE_SAME }, { "floor", OP_floor, RULE_SAME },
    { "ceil", OP_ceil, RULE_SAME }, { "trunc", OP_trunc, RULE_SAME }, { "rint", OP_round, RULE_FLOAT },
    { "reciprocal", OP_reciprocal, RULE_FLOAT }, { "isnan", OP_isnan, RULE_SAME }, { "isinf", OP_isinf, RULE_SAME },
    { "isfinite", OP_isfinite, RULE_SAME }, { "logical_not", OP_logical_not, RULE_SAME }, { "invert", OP_bitwise_not, RULE_SAME },
    { "bitwise_not", OP_bitwise_not, RULE_SAME },
};
static const Ufunc binary[] = {
    { "add", OP_add, RULE_SAME }, { "subtract", OP_sub, RULE_SAME }, { "multiply", OP_mul, RULE_SAME }, { "divide", OP_div, RULE_DIVIDE },
    { "true_divide", OP_div, RULE_DIVIDE }, { "floor_divide", OP_floor_divide, RULE_SAME }, { "mod", OP_remainder, RULE_SAME },
    { "remainder", OP_remainder, RULE_SAME }, { "fmod", OP_fmod, RULE_SAME }, { "power", OP_pow, RULE_SAME },
    { "maximum", OP_maximum, RULE_SAME }, { "minimum", OP_minimum, RULE_SAME }, { "fmax", OP_fmax, RULE_SAME }, { "fmin", OP_fmin, RULE_SAME },
    { "arctan2", OP_atan2, RULE_FLOAT }, { "hypot", OP_hypot, RULE_FLOAT }, { "logaddexp", OP_logaddexp, RULE_FLOAT },
    { "equal", OP_eq, RULE_TRUTH }, { "not_equal", OP_ne, RULE_TRUTH }, { "less", OP_lt, RULE_TRUTH }, { "less_equal", OP_le, RULE_TRUTH },
    { "greater", OP_gt, RULE_TRUTH }, { "greater_equal", OP_ge, RULE_TRUTH }, { "logical_and", OP_logical_and, RULE_LOGIC },
    { "logical_or", OP_logical_or, RULE_LOGIC }, { "logical_xor", OP_logical_xor, RULE_LOGIC }, { "bitwise_and", OP_bitwise_and, RULE_BITS },
    { "bitwise_or", OP_bitwise_or, RULE_BITS }, { "bitwise_xor", OP_bitwise_xor, RULE_BITS }, { "left_shift", OP_bitwise_left_shift, RULE_BITS },
    { "right_shift", OP_bitwise_right_shift, RULE_BITS },
};

enum { U_exp, U_exp2, U_expm1, U_log, U_log2, U_log10, U_log1p, U_sqrt, U_sin, U_cos, U_tan, U_arcsin, U_arccos, U_arctan, U_sinh, U_cosh,
       U_tanh, U_deg2rad, U_radians, U_rad2deg, U_degrees, U_abs, U_absolute, U_fabs, U_negative, U_positive, U_sign, U_square, U_floor,
       U_ceil, U_trunc, U_rint, U_reciprocal, U_isnan, U_isinf, U_isfinite, U_logical_not, U_invert, U_bitwise_not };
enum { U_add, U_subtract, U_multiply, U_divide, U_true_divide, U_floor_divide, U_mod, U_remainder, U_fmod, U_power, U_maximum, U_minimum,
       U_fmax, U_fmin, U_arctan2, U_hypot, U_logaddexp, U_equal, U_not_equal, U_less, U_less_equal, U_greater, U_greater_equal,
       U_logical_and, U_logical_or, U_logical_xor, U_bitwise_and, U_bitwise_or, U_bitwise_xor, U_left_shift, U_right_shift };

NATIVE(ufunc_one)
{
    const Ufunc *u = &unary[arg[-1].i];
    (void)self;
    return np_unary(s, u->id, u->rule, arg[0], arg[1], out, err);
}

NATIVE(ufunc_two)
{
    const Ufunc *u = &binary[arg[-1].i];
    (void)self;
    if (!np_binary(s, u->id, u->rule, arg[0], arg[1], arg[2], out, err))
        return false;
    if (value_tag(*out) != V_NOT_IMPLEMENTED)
        return true;
    *out = value_unset();
    return err_set(err, ERR_TYPE, "%s() takes arrays and numbers, not %s and %s", u->name, value_type_name(arg[0]), value_type_name(arg[1]));
}

/* ---- choosing and comparing --------------------------------------------------------------------------------------- */
NATIVE(np_where)
{
    (void)self;
    *out = value_unset();
    Tensor *chosen = np_array(s, arg[0], DT_BOOL, err);
    if (!chosen)
        return false;
    if (value_is_unset(arg[1]) != value_is_unset(arg[2])) {
        tensor_release(chosen);
        return err_set(err, ERR_VALUE, "either both or neither of x and y should be given");
    }
    if (value_is_unset(arg[1])) {
        Call call = { .args = 2 };
        call.arg[0] = arg_t(chosen);
        call.arg[1] = arg_b(true);
        bool ok = np_call(s, OP_nonzero_tuple, &call, err) && op_result(s, OP_nonzero_tuple, &call, out, err);
        tensor_release(chosen);
        return ok;
    }
    Number n[2];
    bool weak[2];
    Tensor *t[2] = { NULL, NULL }, *cast[2] = { NULL, NULL }, *made = NULL;
    DType of[2], common;
    for (int k = 0; k < 2; k++) {
        weak[k] = value_to_number(arg[1 + k], &n[k]) && !value_is(arg[1 + k], TYPE_NPSCALAR);
        if (!(t[k] = np_array(s, arg[1 + k], DT_NONE, err)))
            break;
        of[k] = tensor_dtype(t[k]);
    }
    if (t[0] && t[1]) {
        common = weak[0] == weak[1] ? np_promote(of[0], of[1]) : weak[0] ? np_weak(of[1], n[0].kind) : np_weak(of[0], n[1].kind);
        cast[0] = np_cast(s, t[0], common, err);
        cast[1] = cast[0] ? np_cast(s, t[1], common, err) : NULL;
        if (cast[1] && np_broadcast(chosen, cast[0], err) && np_broadcast(chosen, cast[1], err) && np_broadcast(cast[0], cast[1], err))
            made = np_op(s, OP_where, 3, (Arg[]){ arg_t(chosen), arg_t(cast[0]), arg_t(cast[1]) }, err);
    }
    for (int k = 0; k < 2; k++) {
        tensor_release(t[k]);
        tensor_release(cast[k]);
    }
    tensor_release(chosen);
    return array_out(made, out);
}

/* Both operands as arrays of one dtype; false with err set, or when one is none. */
static bool pair(Session *s, Value *arg, bool floats, Tensor *t[2], Err *err)
{
    Tensor *a = np_array(s, arg[0], DT_NONE, err), *b = a ? np_array(s, arg[1], DT_NONE, err) : NULL;
    t[0] = t[1] = NULL;
    if (b) {
        DType common = np_promote(tensor_dtype(a), tensor_dtype(b));
        common = floats && dtype_kind(common) != DKIND_FLOAT ? DT_F64 : common;
        t[0] = np_cast(s, a, common, err);
        t[1] = t[0] ? np_cast(s, b, common, err) : NULL;
    }
    tensor_release(a);
    tensor_release(b);
    if (!t[1])
        tensor_release(t[0]);
    return t[1];
}

enum { C_ISCLOSE, C_ALLCLOSE };

NATIVE(np_close)
{
    bool all = arg[-1].i == C_ALLCLOSE;
    Tensor *t[2], *made = NULL;
    double rtol, atol;
    bool equal_nan;
    (void)self;
    *out = value_unset();
    if (!value_to_double(s, arg[2], &rtol, err) || !value_to_double(s, arg[3], &atol, err) || !value_truth(s, arg[4], &equal_nan, err)
        || !pair(s, arg, true, t, err))
        return false;
    if (np_broadcast(t[0], t[1], err))
        made = np_op(s, OP_isclose, 5, (Arg[]){ arg_t(t[0]), arg_t(t[1]), arg_f(rtol), arg_f(atol), arg_b(equal_nan) }, err);
    tensor_release(t[0]);
    tensor_release(t[1]);
    if (!all || !made)
        return array_or_scalar(s, made, out, err);
    Number truth;
    Tensor *whole = np_op(s, OP_all, 1, (Arg[]){ arg_t(made) }, err);
    bool ok = whole && tensor_item(whole, &truth, err);
    *out = ok ? value_bool(truth.b) : value_unset();
    tensor_release(whole);
    tensor_release(made);
    return ok;
}

NATIVE(np_array_equal)
{
    Tensor *t[2], *equal = NULL, *all = NULL;
    Number truth = { .b = false };
    (void)self;
    *out = value_unset();
    if (!pair(s, arg, false, t, err))
        return false;
    bool same = tensor_ndim(t[0]) == tensor_ndim(t[1]), ok = true;
    for (int d = 0; same && d < tensor_ndim(t[0]); d++)
        same = tensor_shape(t[0])[d] == tensor_shape(t[1])[d];
    if (same) {
        equal = np_op(s, OP_eq, 2, (Arg[]){ arg_t(t[0]), arg_t(t[1]) }, err);
        all = equal ? np_op(s, OP_all, 1, (Arg[]){ arg_t(equal) }, err) : NULL;
        ok = all && tensor_item(all, &truth, err);
    }
    *out = ok ? value_bool(same && truth.b) : value_unset();
    tensor_release(t[0]);
    tensor_release(t[1]);
    tensor_release(equal);
    tensor_release(all);
    return ok;
}

NATIVE(np_shares)
{
    Tensor *t[2] = { NULL, NULL };
    bool bounds = arg[-1].i;
    (void)self;
    for (int k = 0; k < 2; k++) {
        if (!value_is_array(arg[k]) && !value_is(arg[k], TYPE_TENSOR))
            return *out = value_bool(false), true;
        t[k] = value_tensor(arg[k]);
    }
    (void)s, (void)err;
    bool share = tensor_storage(t[0]) == tensor_storage(t[1]) && tensor_numel(t[0]) && tensor_numel(t[1]);
    if (share && bounds) {                              /* may_share_memory looks at the ends alone */
        const char *from[2], *to[2];
        for (int k = 0; k < 2; k++) {
            int64_t last = 0, size = (int64_t)dtype_size(tensor_dtype(t[k]));
            for (int d = 0; d < tensor_ndim(t[k]); d++)
                last += (tensor_shape(t[k])[d] - 1) * tensor_strides(t[k])[d];
            from[k] = tensor_data(t[k]);
            to[k] = from[k] + (last + 1) * size;
        }
        *out = value_bool(from[0] < to[1] && from[1] < to[0]);
    } else
        *out = value_bool(share && tensor_overlap(t[0], t[1]));
    return true;
}

NATIVE(np_nan_to_num)
{
    (void)self;
    Tensor *t = np_array(s, arg[0], DT_NONE, err);
    Number n[3];
    Arg all[4] = { t ? arg_t(t) : arg_none() };
    for (int k = 0; k < 3; k++)
        all[1 + k] = value_to_number(arg[1 + k], &n[k]) ? arg_f(number_as_double(n[k])) : arg_none();
    Tensor *made = t ? np_op(s, OP_nan_to_num, 4, all, err) : NULL;
    tensor_release(t);
    return array_or_scalar(s, made, out, err);
}

#define ONE(name) { #name, ufunc_one, "x, /, out = None", U_##name, NULL }
#define TWO(name) { #name, ufunc_two, "x1, x2, /, out = None", U_##name, NULL }
const NativeRow ufunc_rows[] = {
    ONE(exp), ONE(exp2), ONE(expm1), ONE(log), ONE(log2), ONE(log10), ONE(log1p), ONE(sqrt), ONE(sin), ONE(cos), ONE(tan), ONE(arcsin),
    ONE(arccos), ONE(arctan), ONE(sinh), ONE(cosh), ONE(tanh), ONE(deg2rad), ONE(radians), ONE(rad2deg), ONE(degrees), ONE(abs), ONE(absolute),
    ONE(fabs), ONE(negative), ONE(positive), ONE(sign), ONE(square), ONE(floor), ONE(ceil), ONE(trunc), ONE(rint), ONE(reciprocal), ONE(isnan),
    ONE(isinf), ONE(isfinite), ONE(logical_not), ONE(invert), ONE(bitwise_not),
    TWO(add), TWO(subtract), TWO(multiply), TWO(divide), TWO(true_divide), TWO(floor_divide), TWO(mod), TWO(remainder), TWO(fmod), TWO(power),
    TWO(maximum), TWO(minimum), TWO(fmax), TWO(fmin), TWO(arctan2), TWO(hypot), TWO(logaddexp), TWO(equal), TWO(not_equal), TWO(less),
    TWO(less_equal), TWO(greater), TWO(greater_equal), TWO(logical_and), TWO(logical_or), TWO(logical_xor), TWO(bitwise_and), TWO(bitwise_or),
    TWO(bitwise_xor), TWO(left_shift), TWO(right_shift),
    { "where", np_where, "condition, x = ..., y = ..., /", 0, "x where the condition holds, else y; alone: the positions." },
    { "isclose", np_close, "a, b, rtol = 1e-05, atol = 1e-08, equal_nan: bool = False", C_ISCLOSE, NULL },
    { "allclose", np_close, "a, b, rtol = 1e-05, atol = 1e-08, equal_nan: bool = False", C_ALLCLOSE, NULL },
    { "array_equal", np_array_equal, "a1, a2", 0, "Are the shapes and all elements the same?" },
    { "shares_memory", np_shares, "a, b", 0, "Do the two have a byte in common?" },
    { "may_share_memory", np_shares, "a, b", 1, "Could they, going by their ends?" },
    { "nan_to_num", np_nan_to_num, "x, nan = 0.0, posinf = None, neginf = None", 0, NULL },
    { 0 },
};
