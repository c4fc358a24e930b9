/*
 * bigint.c - integers beyond 64 bits, held by GMP. A result that fits into 64 bits becomes an inline int.
 */
#include "lang/types/rows.h"
#include <gmp.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct Big { Object head; mpz_t z; } Big;
enum { BITS_MAX = 1 << 26 };            /* of a shift or a power: 8 MiB, beyond which it is MemoryError */

static void load(mpz_t z, Value v)
{
    if (value_is(v, TYPE_INT))
        mpz_init_set(z, ((Big *)v.object)->z);
    else
        mpz_init_set_si(z, value_tag(v) == V_BOOL ? v.b : v.i);
}

/* Takes z over. */
static bool give(Session *s, mpz_t z, Value *out, Err *err)
{
    if (mpz_fits_slong_p(z)) {
        *out = int_new(s, mpz_get_si(z));
        mpz_clear(z);
        return true;
    }
    Big *big = heap_object_new(s->heap, sizeof *big, TYPE_INT, err);
    if (!big) {
        mpz_clear(z);
        return false;
    }
    big->z[0] = z[0];
    *out = value_object_take(big);
    return true;
}

void big_drop(Object *self)
{
    mpz_clear(((Big *)self)->z);
    heap_object_free(self, sizeof(Big));
}

int big_sign(Value v)
{
    return value_is(v, TYPE_INT) ? mpz_sgn(((Big *)v.object)->z) : (v.i > 0) - (v.i < 0);
}

static bool power(Session *s, mpz_t a, mpz_t b, Value *out, Err *err)
{
    if (mpz_sgn(b) < 0) {
        double base = mpz_get_d(a), exponent = mpz_get_d(b);
        if (base == 0)
            return err_set(err, ERR_ZERO_DIVISION, "0.0 cannot be raised to a negative power");
        *out = float_new(s, pow(base, exponent));
        return true;
    }
    if (mpz_cmpabs_ui(a, 1) > 0 && (!mpz_fits_ulong_p(b) || mpz_get_ui(b) > BITS_MAX / mpz_sizeinbase(a, 2)))
        return err_set(err, ERR_MEMORY, "the power has more than %d bits", BITS_MAX);
    mpz_t z;
    mpz_init(z);
    if (mpz_cmpabs_ui(a, 1) > 0)
        mpz_pow_ui(z, a, mpz_get_ui(b));
    else if (mpz_sgn(a) < 0)
        mpz_set_si(z, mpz_odd_p(b) ? -1 : 1);
    else
        mpz_set_si(z, mpz_sgn(a) || !mpz_sgn(b));
    return give(s, z, out, err);
}

/* The nearest double to a / b, to even, also where both are far beyond a double's range. */
static bool true_quotient(Session *s, mpz_t a, mpz_t b, Value *out, Err *err)
{
    if (!mpz_sgn(b))
        return err_set(err, ERR_ZERO_DIVISION, "division by zero");
    mpz_t q, r;
    mpz_inits(q, r, NULL);
    bool negative = mpz_sgn(a) * mpz_sgn(b) < 0;
    mpz_abs(a, a);
    mpz_abs(b, b);
    long shift = 66 - (long)mpz_sizeinbase(a, 2) + (long)mpz_sizeinbase(b, 2);
    if (shift > 0)
        mpz_mul_2exp(a, a, (mp_bitcnt_t)shift);
    else
        mpz_mul_2exp(b, b, (mp_bitcnt_t)-shift);
    mpz_tdiv_qr(q, r, a, b);                            /* 66 or 67 bits */
    long extra = (long)mpz_sizeinbase(q, 2) - 53;
    double f = 0;
    if (mpz_sgn(q)) {
        bool half = mpz_tstbit(q, (mp_bitcnt_t)extra - 1), rest = mpz_sgn(r) || mpz_scan1(q, 0) < (mp_bitcnt_t)extra - 1;
        mpz_tdiv_q_2exp(q, q, (mp_bitcnt_t)extra);
        if (half && (rest || mpz_odd_p(q)))
            mpz_add_ui(q, q, 1);
        f = ldexp(mpz_get_d(q), (int)(extra - shift));
    }
    mpz_clears(q, r, NULL);
    if (isinf(f))
        return err_set(err, ERR_OVERFLOW, "integer division result too large for a float");
    *out = float_new(s, negative ? -f : f);
    return true;
}

static bool shifted(Session *s, BinaryOp op, mpz_t a, mpz_t b, Value *out, Err *err)
{
    if (mpz_sgn(b) < 0)
        return err_set(err, ERR_VALUE, "negative shift count");
    if (op == BIN_LSHIFT && mpz_sgn(a) && (!mpz_fits_ulong_p(b) || mpz_get_ui(b) > BITS_MAX))
        return err_set(err, ERR_MEMORY, "the shifted int has more than %d bits", BITS_MAX);
    mpz_t z;
    mpz_init(z);
    if (op == BIN_LSHIFT)
        mpz_mul_2exp(z, a, mpz_sgn(a) ? mpz_get_ui(b) : 0);
    else if (mpz_fits_ulong_p(b))
        mpz_fdiv_q_2exp(z, a, mpz_get_ui(b));
    else
        mpz_set_si(z, mpz_sgn(a) < 0 ? -1 : 0);
    return give(s, z, out, err);
}

bool big_binary(Session *s, BinaryOp op, Value left, Value right, Value *out, Err *err)
{
    mpz_t a, b, z;
    bool ok;
    load(a, left);
    load(b, right);
    if ((op == BIN_FLOORDIV || op == BIN_MOD) && !mpz_sgn(b))
        ok = err_set(err, ERR_ZERO_DIVISION, op == BIN_MOD ? "integer modulo by zero" : "integer division or modulo by zero");
    else if (op == BIN_POW)
        ok = power(s, a, b, out, err);
    else if (op == BIN_TRUEDIV)
        ok = true_quotient(s, a, b, out, err);
    else if (op == BIN_LSHIFT || op == BIN_RSHIFT)
        ok = shifted(s, op, a, b, out, err);
    else {
        mpz_init(z);
        switch (op) {
        case BIN_ADD: mpz_add(z, a, b); break;
        case BIN_SUB: mpz_sub(z, a, b); break;
        case BIN_MUL: mpz_mul(z, a, b); break;
        case BIN_FLOORDIV: mpz_fdiv_q(z, a, b); break;
        case BIN_MOD: mpz_fdiv_r(z, a, b); break;
        case BIN_AND: mpz_and(z, a, b); break;
        case BIN_OR: mpz_ior(z, a, b); break;
        default: mpz_xor(z, a, b);
        }
        ok = give(s, z, out, err);
    }
    mpz_clears(a, b, NULL);
    return ok;
}

int big_compare(Value left, Value right)
{
    mpz_t a, b;
    load(a, left);
    load(b, right);
    int result = mpz_cmp(a, b);
    mpz_clears(a, b, NULL);
    return (result > 0) - (result < 0);
}

bool big_unary(Session *s, UnaryOp op, Value a, Value *out, Err *err)
{
    mpz_t z;
    load(z, a);
    if (op == UN_NEG)
        mpz_neg(z, z);
    else if (op == UN_INVERT)
        mpz_com(z, z);
    return give(s, z, out, err);
}

void big_print(Value v, int base, Text *text)
{
    mpz_t z;
    load(z, v);
    char *digits = malloc(mpz_sizeinbase(z, base) + 2);
    if (digits)
        text_put(text, mpz_get_str(digits, base, z));
    else
        text->failed = true;
    free(digits);
    mpz_clear(z);
}

bool int_print(Value v, int base, Text *text, Err *err)
{
    enum { DIGITS_MAX = 4300 };
    size_t before = text->n;
    big_print(v, base, text);
    if (base != 10 || text->failed || text->n - before <= DIGITS_MAX + (text->s[before] == '-'))
        return true;
    text->n = before;
    return err_set(err, ERR_VALUE, "Exceeds the limit (%d digits) for integer string conversion", DIGITS_MAX);
}

/* Python's hash of an int: the remainder by 2**61 - 1 with its sign; -1 is -2. */
uint64_t big_hash(Value v)
{
    mpz_t z;
    load(z, v);
    bool negative = mpz_sgn(z) < 0;
    uint64_t rest = mpz_tdiv_ui(z, (UINT64_C(1) << 61) - 1);
    mpz_clear(z);
    int64_t hash = negative ? -(int64_t)rest : (int64_t)rest;
    return (uint64_t)(hash == -1 ? -2 : hash);
}

bool big_from_double(Session *s, double f, Value *out, Err *err)
{
    mpz_t z;
    mpz_init_set_d(z, f);
    return give(s, z, out, err);
}

int64_t int_bit_length(Value v)
{
    mpz_t z;
    load(z, v);
    int64_t n = mpz_sgn(z) ? (int64_t)mpz_sizeinbase(z, 2) : 0;
    mpz_clear(z);
    return n;
}

bool big_is_odd(Value v)
{
    return mpz_odd_p(((Big *)v.object)->z);
}

double int_to_double(Value v, bool *overflow)
{
    *overflow = false;
    if (!value_is(v, TYPE_INT))
        return value_tag(v) == V_BOOL ? v.b : (double)v.i;
    /* To nearest, ties to even: mpz_get_d cuts. Keep 64 bits, the last one sticky. */
    mpz_t z;
    load(z, v);
    bool negative = mpz_sgn(z) < 0;
    mpz_abs(z, z);
    long extra = (long)mpz_sizeinbase(z, 2) - 64;
    bool rest = extra > 0 && mpz_scan1(z, 0) < (mp_bitcnt_t)extra;
    if (extra > 0)
        mpz_tdiv_q_2exp(z, z, (mp_bitcnt_t)extra);
    uint64_t top = mpz_get_ui(z) | rest;
    mpz_clear(z);
    double f = ldexp((double)top, extra > 0 ? (int)extra : 0);
    *overflow = isinf(f);
    return negative ? -f : f;
}

bool int_from_text(Session *s, const char *digits, size_t n, int base, Value *out, Err *err)
{
    char small[32], *copy = small;
    size_t used = 0;
    mpz_t z;
    if (n >= sizeof small && !(copy = mem_new(s->heap, n + 1)))
        return err_memory(err, n + 1);
    for (size_t i = 0; i < n; i++)
        if (digits[i] != '_')
            copy[used++] = digits[i];
    copy[used] = 0;
    bool good = used && !mpz_init_set_str(z, copy + (*copy == '+'), base);
    if (copy != small)
        mem_free(s->heap, copy);
    if (good)
        return give(s, z, out, err);
    if (used)
        mpz_clear(z);
    return err_set(err, ERR_VALUE, "invalid literal for int() with base %d: '%.*s'", base, (int)(n > 200 ? 200 : n), digits);
}
