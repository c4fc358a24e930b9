/*
 * math.c - the module math: functions of floats, and exact ones of ints.
 */
#include "lang/modules/gamma.h"
#include "lang/modules/modules.h"
#include "lang/types/rows.h"
#include <errno.h>
#include <float.h>
#include <math.h>

static bool domain_error(Err *err)
{
    return err_set(err, ERR_VALUE, "math domain error");
}

/* A result with the errors that Python makes of it. */
static bool give(Session *s, double result, bool finite_arguments, Value *out, Err *err)
{
    if (finite_arguments && isnan(result))
        return domain_error(err);
    if (finite_arguments && isinf(result))
        return err_set(err, ERR_OVERFLOW, "math range error");
    *out = value_float(s, result);
    return true;
}

/* ---- functions of one float: the payload is their place here --------------------------------------------- */
static double degrees(double x) { return x * (180 / M_PI); }
static double radians(double x) { return x * (M_PI / 180); }
static double ulp(double x)
{
    x = fabs(x);
    double next = nextafter(x, INFINITY);
    return isinf(next) ? x - nextafter(x, -INFINITY) : next - x;
}

static double (*const functions[])(double) = {
    acos, acosh, asin, asinh, atan, atanh, cbrt, cos, cosh, degrees, erf, erfc, exp, expm1, fabs, log_gamma_of, radians, sin, sinh, sqrt, tan, tanh,
    gamma_of, exp2, ulp,
};
enum {
    F_ACOS, F_ACOSH, F_ASIN, F_ASINH, F_ATAN, F_ATANH, F_CBRT, F_COS, F_COSH, F_DEGREES, F_ERF, F_ERFC, F_EXP, F_EXPM1, F_FABS, F_LGAMMA, F_RADIANS,
    F_SIN, F_SINH, F_SQRT, F_TAN, F_TANH, F_GAMMA, F_EXP2, F_ULP
};

NATIVE(math_function)
{
    double x;
    int which = (int)arg[-1].i;
    (void)self;
    if (!value_to_double(s, arg[0], &x, err))
        return false;
    bool pole = (which == F_ATANH && fabs(x) == 1) || ((which == F_GAMMA || which == F_LGAMMA) && x <= 0 && x == floor(x));
    if (pole && isfinite(x))
        return domain_error(err);
    double result = functions[which](x);
    if (isinf(x) && isnan(result))
        return domain_error(err);
    return give(s, result, isfinite(x), out, err);
}

/* ---- logarithms ----------------------------------------------------------------------------------------- */
/* The logarithm of a positive int or float; ints may be larger than any float. */
static bool log_of(Session *s, Value v, double (*function)(double), double *result, Err *err)
{
    double x;
    bool overflow;
    if (value_is(v, TYPE_INT) && big_sign(v) > 0) {
        x = int_to_double(v, &overflow);
        if (!overflow)
            return *result = function(x), true;
        int64_t shift = int_bit_length(v) - 64;
        Value top;
        if (!value_binary(s, BIN_RSHIFT, v, int_new(s, shift), &top, err))
            return false;
        *result = function(int_to_double(top, &overflow)) + (double)shift * function(2);
        value_release(top);
        return true;
    }
    if (!value_to_double(s, v, &x, err))
        return false;
    if (x <= 0)
        return domain_error(err);
    *result = function(x);
    return true;
}

/* log, log2, log10, log1p: the payload is 0, 2, 10, 1. */
NATIVE(math_log)
{
    double x, base = 0;
    (void)self;
    if (arg[-1].i == 1) {
        if (!value_to_double(s, arg[0], &x, err))
            return false;
        return x <= -1 ? domain_error(err) : give(s, log1p(x), isfinite(x), out, err);
    }
    if (!log_of(s, arg[0], arg[-1].i == 2 ? log2 : arg[-1].i == 10 ? log10 : log, &x, err))
        return false;
    if (arg[-1].i == 0 && !value_is_unset(arg[1])) {
        if (!log_of(s, arg[1], log, &base, err))
            return false;
        if (base == 0)
            return err_set(err, ERR_ZERO_DIVISION, "float division by zero");
        x /= base;
    }
    *out = value_float(s, x);
    return true;
}

/* ---- to ints -------------------------------------------------------------------------------------------- */
/* floor, ceil, trunc: the payload is 0, 1, 2. */
NATIVE(math_whole)
{
    static const char *const names[] = { "__floor__", "__ceil__", "__trunc__" };
    double x;
    bool found = false;
    (void)self;
    if (value_is_int(arg[0])) {
        *out = value_tag(arg[0]) == V_BOOL ? value_int(s, arg[0].i) : value_retain(arg[0]);
        return true;
    }
    if (value_is(arg[0], TYPE_INSTANCE) && !call_method(s, arg[0], names[arg[-1].i], NULL, 0, &found, out, err))
        return false;
    if (found)
        return true;
    if (!value_to_double(s, arg[0], &x, err))
        return false;
    return int_from_double(s, arg[-1].i == 0 ? floor(x) : arg[-1].i == 1 ? ceil(x) : trunc(x), out, err);
}

static bool want_int(Value v, Err *err)
{
    return value_is_int(v) || err_set(err, ERR_TYPE, "'%s' object cannot be interpreted as an integer", value_type_name(v));
}

/* *total = *total op v. */
static bool step(Session *s, BinaryOp op, Value *total, Value v, Err *err)
{
    Value next;
    if (!value_binary(s, op, *total, v, &next, err))
        return false;
    value_replace(total, next);
    return true;
}

static bool gcd(Session *s, Value a, Value b, Value *out, Err *err)
{
    Value x = value_retain(a), y = value_retain(b), rest;
    while (big_sign(y)) {
        if (!value_binary(s, BIN_MOD, x, y, &rest, err)) {
            value_release(x);
            value_release(y);
            return false;
        }
        value_release(x);
        x = y;
        y = rest;
    }
    value_release(y);
    if (big_sign(x) >= 0)
        return *out = value_tag(x) == V_BOOL ? value_int(s, x.i) : x, true;
    bool ok = value_unary(s, UN_NEG, x, out, err);
    value_release(x);
    return ok;
}

/* gcd and lcm: the payload is 0 and 1. */
NATIVE(math_gcd)
{
    const Tuple *all = (Tuple *)arg[0].object;
    Value total = value_int(s, arg[-1].i), common, next;
    bool ok = true;
    (void)self;
    for (int64_t i = 0; ok && i < all->n; i++) {
        if (!(ok = want_int(all->item[i], err) && gcd(s, total, all->item[i], &common, err)))
            break;
        if (!arg[-1].i)
            next = common;
        else if (!big_sign(common))
            next = value_int(s, 0), value_release(common);
        else {
            next = value_retain(total);
            ok = step(s, BIN_FLOORDIV, &next, common, err) && step(s, BIN_MUL, &next, all->item[i], err);
            if (ok && big_sign(next) < 0) {
                Value positive;
                if ((ok = value_unary(s, UN_NEG, next, &positive, err)))
                    value_replace(&next, positive);
            }
            value_release(common);
        }
        value_replace(&total, next);
    }
    if (ok)
        *out = total;
    else
        value_release(total);
    return ok;
}

NATIVE(math_factorial)
{
    int64_t n;
    (void)self;
    if (!want_int(arg[0], err) || !value_index(s, arg[0], "n", &n, err))
        return false;
    if (n < 0)
        return err_set(err, ERR_VALUE, "factorial() not defined for negative values");
    if (n > 100000)
        return err_set(err, ERR_OVERFLOW, "factorial() argument should not exceed 100000 here");
    Value total = value_int(s, 1);
    for (int64_t i = 2; i <= n; i++)
        if (!step(s, BIN_MUL, &total, int_new(s, i), err))
            return value_release(total), false;
    *out = total;
    return true;
}

/* comb and perm: the payload is 0 and 1. */
NATIVE(math_choose)
{
    int64_t n, k;
    (void)self;
    if (!want_int(arg[0], err) || !value_index(s, arg[0], "n", &n, err))
        return false;
    k = n;
    if (!value_is_none(arg[1]) && (!want_int(arg[1], err) || !value_index(s, arg[1], "k", &k, err)))
        return false;
    if (n < 0 || k < 0)
        return err_set(err, ERR_VALUE, "%s must be a non-negative integer", n < 0 ? "n" : "k");
    if (k > n)
        return *out = value_int(s, 0), true;
    if (!arg[-1].i && k > n - k)
        k = n - k;
    Value total = value_int(s, 1);
    for (int64_t i = 0; i < k; i++)
        if (!step(s, BIN_MUL, &total, int_new(s, n - i), err) || (!arg[-1].i && !step(s, BIN_FLOORDIV, &total, int_new(s, i + 1), err)))
            return value_release(total), false;
    *out = total;
    return true;
}

NATIVE(math_isqrt)
{
    Value x, next, half;
    (void)self;
    if (!want_int(arg[0], err))
        return false;
    if (big_sign(arg[0]) < 0)
        return err_set(err, ERR_VALUE, "isqrt() argument must be nonnegative");
    if (!big_sign(arg[0]))
        return *out = value_int(s, 0), true;
    int64_t bits = (int_bit_length(arg[0]) + 1) / 2;        /* Newton's steps from above */
    if (!value_binary(s, BIN_LSHIFT, int_new(s, 1), int_new(s, bits), &x, err))
        return false;
    for (;;) {
        Value less;
        if (!value_binary(s, BIN_FLOORDIV, arg[0], x, &next, err))
            return value_release(x), false;
        bool ok = step(s, BIN_ADD, &next, x, err) && value_binary(s, BIN_RSHIFT, next, int_new(s, 1), &half, err);
        value_release(next);
        if (!ok)
            return value_release(x), false;
        if (!value_compare(s, CMP_LT, half, x, &less, err) || !less.i) {
            value_release(half);
            *out = x;
            return true;
        }
        value_replace(&x, half);
    }
}

/* ---- two floats: the payload says which ----------------------------------------------------------------- */
enum { PAIR_ATAN2, PAIR_COPYSIGN, PAIR_FMOD, PAIR_POW, PAIR_REMAINDER, PAIR_NEXTAFTER };

NATIVE(math_pair)
{
    double x, y, result = 0;
    (void)self;
    if (!value_to_double(s, arg[0], &x, err) || !value_to_double(s, arg[1], &y, err))
        return false;
    bool finite = isfinite(x) && isfinite(y);
    switch (arg[-1].i) {
    case PAIR_ATAN2: result = atan2(x, y); break;
    case PAIR_COPYSIGN: *out = value_float(s, copysign(x, y)); return true;
    case PAIR_NEXTAFTER: *out = value_float(s, nextafter(x, y)); return true;
    case PAIR_FMOD: result = fmod(x, y); break;
    case PAIR_REMAINDER: result = remainder(x, y); break;
    default:
        if (finite && x == 0 && y < 0)
            return domain_error(err);
        result = pow(x, y);
    }
    if (!isnan(x) && !isnan(y) && isnan(result))
        return domain_error(err);
    return give(s, result, finite, out, err);
}

/* ---- tests and parts ------------------------------------------------------------------------------------ */
NATIVE(math_test)
{
    double x;
    (void)self;
    if (!value_to_double(s, arg[0], &x, err))
        return false;
    *out = value_bool(arg[-1].i == 0 ? isnan(x) : arg[-1].i == 1 ? isinf(x) : isfinite(x));
    return true;
}

NATIVE(math_isclose)
{
    double a, b, relative, absolute;
    (void)self;
    if (!value_to_double(s, arg[0], &a, err) || !value_to_double(s, arg[1], &b, err) || !value_to_double(s, arg[2], &relative, err)
        || !value_to_double(s, arg[3], &absolute, err))
        return false;
    if (relative < 0 || absolute < 0)
        return err_set(err, ERR_VALUE, "tolerances must be non-negative");
    double difference = fabs(a - b);
    bool close = a == b || (isfinite(a) && isfinite(b)
                            && (difference <= fabs(relative * a) || difference <= fabs(relative * b) || difference <= absolute));
    *out = value_bool(close);
    return true;
}

static bool pair_of(Session *s, Value a, Value b, Value *out, Err *err)
{
    Tuple *pair = tuple_new(s, 2, err);
    if (!pair)
        return false;
    pair->item[0] = a;
    pair->item[1] = b;
    *out = value_object_take(pair);
    return true;
}

NATIVE(math_modf)
{
    double x, whole, part;
    (void)self;
    if (!value_to_double(s, arg[0], &x, err))
        return false;
    part = modf(x, &whole);
    return pair_of(s, value_float(s, part), value_float(s, whole), out, err);
}

NATIVE(math_frexp)
{
    double x;
    int exponent = 0;
    (void)self;
    if (!value_to_double(s, arg[0], &x, err))
        return false;
    x = isfinite(x) ? frexp(x, &exponent) : x;
    return pair_of(s, value_float(s, x), value_int(s, exponent), out, err);
}

NATIVE(math_ldexp)
{
    double x;
    int64_t n;
    (void)self;
    if (!value_to_double(s, arg[0], &x, err) || !want_int(arg[1], err) || !value_index(s, arg[1], "i", &n, err))
        return false;
    return give(s, ldexp(x, n > 100000 ? 100000 : n < -100000 ? -100000 : (int)n), isfinite(x), out, err);
}

/* ---- many values ---------------------------------------------------------------------------------------- */
NATIVE(math_prod)
{
    Value iterator, item, total = value_retain(arg[1]);
    IterStatus status = ITER_ERROR;
    bool ok = value_iter(s, arg[0], &iterator, err);
    (void)self;
    if (!ok)
        return value_release(total), false;
    while (ok && (status = value_next(s, iterator, &item, err)) == ITER_VALUE) {
        ok = step(s, BIN_MUL, &total, item, err);
        value_release(item);
    }
    value_release(iterator);
    ok = ok && status == ITER_END;
    if (ok)
        *out = total;
    else
        value_release(total);
    return ok;
}

/* The exact sum, rounded once: partial sums that do not overlap (Shewchuk). */
NATIVE(math_fsum)
{
    enum { PARTS = 64 };
    double part[PARTS], special = 0;
    int parts = 0;
    (void)self;
    List *list = value_to_list(s, arg[0], err);
    if (!list)
        return false;
    bool ok = true;
    for (int64_t i = 0; ok && i < list->n; i++) {
        double x;
        int kept = 0;
        if (!(ok = value_to_double(s, list->item[i], &x, err)))
            break;
        if (!isfinite(x)) {
            special += x;
            continue;
        }
        for (int k = 0; k < parts; k++) {
            double y = part[k];
            if (fabs(x) < fabs(y)) {
                double swap = x;
                x = y;
                y = swap;
            }
            volatile double high = x + y;
            volatile double carried = high - x;
            double low = y - carried;
            if (low != 0)
                part[kept++] = low;
            x = high;
        }
        if (kept < PARTS)
            part[kept++] = x;
        parts = kept;
    }
    object_release(&list->head);
    if (!ok)
        return false;
    double high = parts ? part[--parts] : 0, low = 0;
    while (parts > 0) {
        double x = high, y = part[--parts];
        volatile double sum = x + y, carried = sum - x;
        high = sum;
        low = y - carried;
        if (low != 0)
            break;
    }
    if (parts > 0 && ((low < 0 && part[parts - 1] < 0) || (low > 0 && part[parts - 1] > 0))) {
        volatile double x = high + 2 * low;
        if (2 * low == x - high)
            high = x;
    }
    *out = value_float(s, special != 0 || isnan(special) ? special : high);
    return true;
}

static double length_of(const double *part, int64_t n)
{
    double largest = 0, sum = 0;
    for (int64_t i = 0; i < n; i++)
        largest = fmax(largest, fabs(part[i]));
    if (largest == 0 || isinf(largest))
        return largest;
    for (int64_t i = 0; i < n; i++)
        sum += (part[i] / largest) * (part[i] / largest);
    return largest * sqrt(sum);
}

NATIVE(math_hypot)
{
    const Tuple *all = (Tuple *)arg[0].object;
    double small[16], *part = small;
    bool ok = true;
    (void)self;
    if (all->n > 16 && !(part = mem_new(s->heap, (size_t)all->n * sizeof *part)))
        return err_memory(err, (size_t)all->n * sizeof *part);
    for (int64_t i = 0; ok && i < all->n; i++)
        ok = value_to_double(s, all->item[i], &part[i], err);
    if (ok)
        *out = value_float(s, all->n == 2 ? hypot(part[0], part[1]) : length_of(part, all->n));
    if (part != small)
        mem_free(s->heap, part);
    return ok;
}

NATIVE(math_dist)
{
    (void)self;
    List *p = value_to_list(s, arg[0], err), *q = p ? value_to_list(s, arg[1], err) : NULL;
    double *part = q ? mem_new(s->heap, (size_t)(p->n + 1) * sizeof *part) : NULL, x, y;
    bool ok = part && (p->n == q->n || err_set(err, ERR_VALUE, "both points must have the same number of dimensions"));
    if (q && !part)
        err_memory(err, (size_t)p->n * sizeof *part);
    for (int64_t i = 0; ok && i < p->n; i++)
        if ((ok = value_to_double(s, p->item[i], &x, err) && value_to_double(s, q->item[i], &y, err)))
            part[i] = x - y;
    if (ok)
        *out = value_float(s, p->n == 2 ? hypot(part[0], part[1]) : length_of(part, p->n));
    mem_free(s->heap, part);
    if (q)
        object_release(&q->head);
    if (p)
        object_release(&p->head);
    return ok;
}

#define ONE(name, which) { name, math_function, "x, /", which, NULL }
static const NativeRow rows[] = {
    ONE("acos", F_ACOS), ONE("acosh", F_ACOSH), ONE("asin", F_ASIN), ONE("asinh", F_ASINH), ONE("atan", F_ATAN), ONE("atanh", F_ATANH),
    ONE("cbrt", F_CBRT), ONE("cos", F_COS), ONE("cosh", F_COSH), ONE("degrees", F_DEGREES), ONE("erf", F_ERF), ONE("erfc", F_ERFC),
    ONE("exp", F_EXP), ONE("exp2", F_EXP2), ONE("expm1", F_EXPM1), ONE("fabs", F_FABS), ONE("gamma", F_GAMMA), ONE("lgamma", F_LGAMMA),
    ONE("radians", F_RADIANS), ONE("sin", F_SIN), ONE("sinh", F_SINH), ONE("sqrt", F_SQRT), ONE("tan", F_TAN), ONE("tanh", F_TANH),
    ONE("ulp", F_ULP),
    { "atan2", math_pair, "y, x, /", PAIR_ATAN2, "The angle of the point (x, y)." },
    { "ceil", math_whole, "x, /", 1, "The least int that is not smaller." },
    { "comb", math_choose, "n, k, /", 0, "In how many ways k of n can be chosen." },
    { "copysign", math_pair, "x, y, /", PAIR_COPYSIGN, "x with the sign of y." },
    { "dist", math_dist, "p, q, /", 0, "The distance of two points." },
    { "factorial", math_factorial, "n, /", 0, "The product of 1 to n." },
    { "floor", math_whole, "x, /", 0, "The largest int that is not larger." },
    { "fmod", math_pair, "x, y, /", PAIR_FMOD, "The remainder with the sign of x." },
    { "frexp", math_frexp, "x, /", 0, "Mantissa and exponent: x == m * 2 ** e." },
    { "fsum", math_fsum, "seq, /", 0, "The sum of floats, rounded once." },
    { "gcd", math_gcd, "*integers", 0, "The greatest common divisor." },
    { "hypot", math_hypot, "*coordinates", 0, "The length of a vector." },
    { "isclose", math_isclose, "a, b, *, rel_tol = 1e-09, abs_tol = 0.0", 0, "Are they nearly equal?" },
    { "isfinite", math_test, "x, /", 2, "Neither infinite nor NaN?" },
    { "isinf", math_test, "x, /", 1, "Infinite?" },
    { "isnan", math_test, "x, /", 0, "NaN?" },
    { "isqrt", math_isqrt, "n, /", 0, "The whole part of the square root of an int." },
    { "lcm", math_gcd, "*integers", 1, "The least common multiple." },
    { "ldexp", math_ldexp, "x, i, /", 0, "x * 2 ** i." },
    { "log", math_log, "x, base = ..., /", 0, "The natural logarithm, or that to a base." },
    { "log10", math_log, "x, /", 10, "The logarithm to base 10." },
    { "log1p", math_log, "x, /", 1, "log(1 + x), exact for small x." },
    { "log2", math_log, "x, /", 2, "The logarithm to base 2." },
    { "modf", math_modf, "x, /", 0, "The part behind the point, and the whole part." },
    { "nextafter", math_pair, "x, y, /", PAIR_NEXTAFTER, "The next float from x towards y." },
    { "perm", math_choose, "n, k = None, /", 1, "In how many ways k of n can be put in order." },
    { "pow", math_pair, "x, y, /", PAIR_POW, "x ** y as a float." },
    { "prod", math_prod, "iterable, /, *, start = 1", 0, "The product of all elements." },
    { "remainder", math_pair, "x, y, /", PAIR_REMAINDER, "The remainder to the nearest multiple of y." },
    { "trunc", math_whole, "x, /", 2, "The whole part." },
    { 0 }
};

Module *module_math(Session *s, Err *err)
{
    Module *m = module_new(s, "math", rows, err);
    if (m && module_set(s, m, "pi", value_float(s, M_PI), err) && module_set(s, m, "e", value_float(s, M_E), err)
        && module_set(s, m, "tau", value_float(s, 2 * M_PI), err) && module_set(s, m, "inf", value_float(s, INFINITY), err)
        && module_set(s, m, "nan", value_float(s, NAN), err))
        return m;
    if (m)
        object_release(&m->head);
    return NULL;
}
