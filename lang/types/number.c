/*
 * number.c - int, bool and float: operators, comparison, text, methods.
 */
#include "lang/types/rows.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

Value value_int(Session *s, int64_t i) { return int_new(s, i); }
Value value_float(Session *s, double f) { return float_new(s, f); }

bool value_is_int(Value v)
{
    return value_tag(v) == V_INT || value_tag(v) == V_BOOL || value_is(v, TYPE_INT);
}

static bool is_number(Value v) { return value_is_int(v) || value_tag(v) == V_FLOAT; }
static int64_t small(Value v) { return value_tag(v) == V_BOOL ? v.b : v.i; }

/* ---- ints ----------------------------------------------------------------------------------------------- */
static int64_t floor_quotient(int64_t a, int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0)); }

static bool int_binary(Session *s, BinaryOp op, Value a, Value b, Value *out, Err *err)
{
    *out = not_implemented_value();
    if (!value_is_int(a) || !value_is_int(b) || op == BIN_MATMUL)
        return true;
    if (value_tag(a) == V_BOOL && value_tag(b) == V_BOOL && op >= BIN_AND) {
        *out = value_bool(op == BIN_AND ? a.b && b.b : op == BIN_OR ? a.b || b.b : a.b != b.b);
        return true;
    }
    if (value_tag(a) == V_OBJECT || value_tag(b) == V_OBJECT)
        return big_binary(s, op, a, b, out, err);
    int64_t x = small(a), y = small(b), z;
    switch (op) {
    case BIN_ADD: if (__builtin_add_overflow(x, y, &z)) return big_binary(s, op, a, b, out, err); break;
    case BIN_SUB: if (__builtin_sub_overflow(x, y, &z)) return big_binary(s, op, a, b, out, err); break;
    case BIN_MUL: if (__builtin_mul_overflow(x, y, &z)) return big_binary(s, op, a, b, out, err); break;
    case BIN_TRUEDIV:
        if (!y)
            return err_set(err, ERR_ZERO_DIVISION, "division by zero");
        if (llabs(x) > INT64_C(1) << 53 || llabs(y) > INT64_C(1) << 53 || x == INT64_MIN || y == INT64_MIN)
            return big_binary(s, op, a, b, out, err);
        *out = float_new(s, (double)x / (double)y);
        return true;
    case BIN_FLOORDIV: case BIN_MOD:
        if (!y)
            return err_set(err, ERR_ZERO_DIVISION, op == BIN_MOD ? "integer modulo by zero" : "integer division or modulo by zero");
        if (x == INT64_MIN && y == -1)
            return big_binary(s, op, a, b, out, err);
        z = floor_quotient(x, y);
        z = op == BIN_FLOORDIV ? z : x - z * y;
        break;
    case BIN_AND: z = x & y; break;
    case BIN_OR: z = x | y; break;
    case BIN_XOR: z = x ^ y; break;
    case BIN_RSHIFT:
        if (y < 0)
            return err_set(err, ERR_VALUE, "negative shift count");
        z = x >> (y > 63 ? 63 : y);
        break;
    default: return big_binary(s, op, a, b, out, err);
    }
    *out = int_new(s, z);
    return true;
}

static bool int_unary(Session *s, UnaryOp op, Value a, Value *out, Err *err)
{
    if (value_tag(a) == V_OBJECT || (op == UN_NEG && small(a) == INT64_MIN)) {
        if (op == UN_POS)
            return *out = value_retain(a), true;
        return big_unary(s, op, a, out, err);
    }
    if (op == UN_POS)
        *out = value_tag(a) == V_INT ? a : int_new(s, small(a));
    else
        *out = int_new(s, op == UN_NEG ? -small(a) : ~small(a));
    return true;
}

/* An int against a double, exactly. */
static int compare_with_double(Value a, double f)
{
    if (isinf(f))
        return f > 0 ? -1 : 1;
    double whole = floor(f);
    if (value_tag(a) != V_OBJECT && f >= -0x1p63 && f < 0x1p63) {
        int64_t x = small(a), y = (int64_t)whole;
        return x != y ? (x > y) - (x < y) : f > whole ? -1 : 0;
    }
    if (value_tag(a) != V_OBJECT)
        return f > 0 ? -1 : 1;
    bool overflow;
    double x = int_to_double(a, &overflow);
    return overflow ? big_sign(a) : (x > f) - (x < f);
}

static bool answer(CompareOp op, int order, Value *out)
{
    static const bool truth[6][3] = { { 1, 0, 0 }, { 1, 1, 0 }, { 0, 1, 0 }, { 1, 0, 1 }, { 0, 0, 1 }, { 0, 1, 1 } };
    *out = value_bool(truth[op][order + 1]);
    return true;
}

static bool number_compare(Session *s, CompareOp op, Value a, Value b, Value *out, Err *err)
{
    (void)s, (void)err;
    *out = not_implemented_value();
    if (!is_number(a) || !is_number(b))
        return true;
    if ((value_tag(a) == V_FLOAT && isnan(a.f)) || (value_tag(b) == V_FLOAT && isnan(b.f)))
        return *out = value_bool(op == CMP_NE), true;
    if (value_tag(a) == V_FLOAT && value_tag(b) == V_FLOAT)
        return answer(op, (a.f > b.f) - (a.f < b.f), out);
    if (value_tag(a) == V_FLOAT)
        return answer(op, -compare_with_double(b, a.f), out);
    if (value_tag(b) == V_FLOAT)
        return answer(op, compare_with_double(a, b.f), out);
    if (value_tag(a) == V_OBJECT || value_tag(b) == V_OBJECT)
        return answer(op, big_compare(a, b), out);
    return answer(op, (small(a) > small(b)) - (small(a) < small(b)), out);
}

/* Python's hash: an int by 2**61 - 1; a float as the same fraction, so that equal numbers have equal hashes. */
static bool int_hash(Session *s, Value self, uint64_t *hash, Err *err)
{
    (void)s, (void)err;
    if (value_tag(self) == V_OBJECT)
        return *hash = big_hash(self), true;
    const int64_t prime = (INT64_C(1) << 61) - 1;
    int64_t rest = small(self) % prime;
    *hash = (uint64_t)(rest == -1 ? -2 : rest);
    return true;
}

static bool float_hash(Session *s, Value self, uint64_t *hash, Err *err)
{
    const uint64_t prime = (UINT64_C(1) << 61) - 1;
    int exponent;
    if (isnan(self.f))
        return *hash = value_id(s, self) >> 4, true;
    if (isinf(self.f))
        return *hash = (uint64_t)(self.f > 0 ? 314159 : -314159), true;
    double m = frexp(fabs(self.f), &exponent);
    uint64_t x = 0;
    while (m != 0) {                                    /* 28 bits at a time, rotated as multiplying by 2**28 does */
        x = (x << 28 & prime) | x >> 33;
        m *= 0x1p28;
        exponent -= 28;
        uint64_t y = (uint64_t)m;
        m -= (double)y;
        x += y;
        if (x >= prime)
            x -= prime;
    }
    exponent = exponent >= 0 ? exponent % 61 : 60 - (-1 - exponent) % 61;
    x = (x << exponent & prime) | x >> (61 - exponent);
    int64_t signed_hash = self.f < 0 ? -(int64_t)x : (int64_t)x;
    *hash = (uint64_t)(signed_hash == -1 ? -2 : signed_hash);
    (void)err;
    return true;
}

static bool int_repr(Session *s, Value self, Text *text, Err *err)
{
    (void)s;
    if (value_tag(self) == V_BOOL)
        text_put(text, self.b ? "True" : "False");
    else if (value_tag(self) == V_OBJECT)
        return int_print(self, 10, text, err);
    else
        text_print(text, "%lld", (long long)self.i);
    return true;
}

static bool int_truth(Session *s, Value self, bool *truth, Err *err)
{
    (void)s, (void)err;
    *truth = big_sign(self) != 0;
    return true;
}

/* ---- floats --------------------------------------------------------------------------------------------- */
static bool to_double(Value v, double *f, Err *err)
{
    bool overflow = false;
    *f = value_tag(v) == V_FLOAT ? v.f : int_to_double(v, &overflow);
    return !overflow || err_set(err, ERR_OVERFLOW, "int too large to convert to float");
}

static bool float_power(Session *s, double x, double y, Value *out, Err *err)
{
    if (x == 0 && y < 0)
        return err_set(err, ERR_ZERO_DIVISION, "0.0 cannot be raised to a negative power");
    double z = pow(x, y);
    if (isnan(z) && !isnan(x) && !isnan(y))
        return err_set(err, ERR_NOT_IMPLEMENTED, "a negative number to a fractional power is a complex number, which Locus does not have");
    if (isinf(z) && !isinf(x) && !isinf(y))
        return err_set(err, ERR_OVERFLOW, "(34, 'Numerical result out of range')");
    *out = float_new(s, z);
    return true;
}

static bool float_binary(Session *s, BinaryOp op, Value a, Value b, Value *out, Err *err)
{
    double x, y;
    *out = not_implemented_value();
    if (!is_number(a) || !is_number(b) || op > BIN_POW)
        return true;
    if (!to_double(a, &x, err) || !to_double(b, &y, err))
        return false;
    if (y == 0 && (op == BIN_TRUEDIV || op == BIN_FLOORDIV || op == BIN_MOD))
        return err_set(err, ERR_ZERO_DIVISION, op == BIN_TRUEDIV ? "float division by zero" : op == BIN_MOD ? "float modulo" : "float floor division by zero");
    double rest;
    switch (op) {
    case BIN_ADD: x += y; break;
    case BIN_SUB: x -= y; break;
    case BIN_MUL: x *= y; break;
    case BIN_TRUEDIV: x /= y; break;
    case BIN_POW: return float_power(s, x, y, out, err);
    default:
        rest = fmod(x, y);
        if (op == BIN_MOD) {
            x = rest != 0 ? ((rest < 0) != (y < 0) ? rest + y : rest) : copysign(0.0, y);
            break;
        }
        double quotient = (x - rest) / y;
        if (rest != 0 && (rest < 0) != (y < 0))
            quotient -= 1;
        double down = floor(quotient);
        x = quotient != 0 ? down + (quotient - down > 0.5) : copysign(0.0, x / y);
    }
    *out = float_new(s, x);
    return true;
}

static bool float_unary(Session *s, UnaryOp op, Value a, Value *out, Err *err)
{
    (void)err;
    *out = op == UN_NEG ? float_new(s, -a.f) : op == UN_POS ? a : not_implemented_value();
    return true;
}

static bool float_repr(Session *s, Value self, Text *text, Err *err)
{
    (void)s, (void)err;
    number_print((Number){ DKIND_FLOAT, { .f = self.f } }, text);
    return true;
}

/* ---- attributes; methods are in number_methods.c ---------------------------------------------------------- */
static bool number_attr(Session *s, Value self, Str *name, Value *out, Err *err)
{
    (void)err;
    *out = value_unset();
    if (!strcmp(name->s, "real") || (!strcmp(name->s, "numerator") && value_tag(self) != V_FLOAT))
        *out = value_tag(self) == V_BOOL ? int_new(s, self.b) : value_retain(self);
    else if (!strcmp(name->s, "imag"))
        *out = value_tag(self) == V_FLOAT ? float_new(s, 0) : int_new(s, 0);
    else if (!strcmp(name->s, "denominator") && value_tag(self) != V_FLOAT)
        *out = int_new(s, 1);
    return true;
}

const Type type_int = {
    .name = "int", .drop = big_drop, .repr = int_repr, .hash = int_hash, .truth = int_truth, .compare = number_compare, .binary = int_binary,
    .unary = int_unary, .get_attr = number_attr, .format = format_number, .methods = int_methods,
};
const Type type_bool = {
    .name = "bool", .repr = int_repr, .hash = int_hash, .compare = number_compare, .binary = int_binary, .unary = int_unary,
    .get_attr = number_attr, .format = format_number, .methods = int_methods,
};
const Type type_float = {
    .name = "float", .repr = float_repr, .hash = float_hash, .compare = number_compare, .binary = float_binary, .unary = float_unary,
    .get_attr = number_attr, .format = format_number, .methods = float_methods,
};
