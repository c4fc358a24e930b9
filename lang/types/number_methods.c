/*
 * number_methods.c - what ints and floats have as methods: bits, bytes, fractions, hexadecimal floats.
 */
#include "lang/types/rows.h"
#include <gmp.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define METHOD(name) static bool name(Session *s, Value self, Value *arg, Value *out, Err *err)

/* bit_length, conjugate, is_integer: the payload is 0, 1, 2. */
METHOD(int_plain)
{
    (void)err;
    *out = arg[-1].i == 0 ? int_new(s, int_bit_length(self)) : arg[-1].i == 1 ? value_retain(self) : value_bool(true);
    return true;
}

/* The digits of an int to base 16, without its sign. */
static char *hex_digits(Value v, Text *text)
{
    big_print(v, 16, text);
    char *digits = text_end(text);
    return digits && *digits == '-' ? digits + 1 : digits;
}

METHOD(bit_count)
{
    Text text = { 0 };
    int64_t n = 0;
    (void)arg;
    Value v = value_tag(self) == V_BOOL ? int_new(s, self.b) : self;
    for (const char *c = hex_digits(v, &text); c && *c; c++)
        n += __builtin_popcount((unsigned)(*c <= '9' ? *c - '0' : *c - 'a' + 10));
    text_free(&text);
    (void)err;
    *out = int_new(s, n);
    return true;
}

static bool pair(Session *s, Value a, Value b, Value *out, Err *err)
{
    Tuple *made = tuple_new(s, 2, err);
    if (!made)
        return false;
    made->item[0] = a;
    made->item[1] = b;
    *out = value_object_take(made);
    return true;
}

METHOD(int_ratio)
{
    (void)arg;
    return pair(s, value_tag(self) == V_BOOL ? int_new(s, self.b) : value_retain(self), int_new(s, 1), out, err);
}

static bool order(Value v, bool *little, Err *err)
{
    const char *text = value_is(v, TYPE_STR) ? ((Str *)v.object)->s : "";
    *little = !strcmp(text, "little");
    return *little || !strcmp(text, "big") || err_set(err, ERR_VALUE, "byteorder must be either 'little' or 'big'");
}

METHOD(to_bytes)
{
    Text text = { 0 };
    int64_t size;
    bool little;
    if (!value_index(s, arg[0], "length", &size, err) || !order(arg[1], &little, err))
        return false;
    if (big_sign(self) < 0)
        return err_set(err, ERR_OVERFLOW, "can't convert negative int to unsigned");
    if (size < 0 || size > 1 << 20)
        return err_set(err, ERR_VALUE, "length argument must be non-negative, and here at most 1048576");
    const char *digits = hex_digits(value_tag(self) == V_BOOL ? int_new(s, self.b) : self, &text);
    int64_t n = digits ? (int64_t)strlen(digits) : 0;
    char *bytes = calloc((size_t)size + 1, 1);
    bool ok = bytes && (size * 2 >= n || !strcmp(digits, "0") || err_set(err, ERR_OVERFLOW, "int too big to convert"));
    for (int64_t k = 0; ok && k < n && k < 2 * size; k++) {
        char c = digits[n - 1 - k];
        int digit = c <= '9' ? c - '0' : c - 'a' + 10;
        bytes[little ? k / 2 : size - 1 - k / 2] |= (char)(digit << (k % 2 * 4));
    }
    ok = ok && str_out(bytes_new(s, bytes, size, err), out);
    free(bytes);
    text_free(&text);
    return ok;
}

METHOD(from_bytes)
{
    Text text = { 0 };
    bool little, is_signed;
    (void)self;
    if (!value_is(arg[0], TYPE_BYTES))
        return err_set(err, ERR_TYPE, "cannot convert '%s' object to bytes", value_type_name(arg[0]));
    if (!order(arg[1], &little, err) || !value_truth(s, arg[2], &is_signed, err))
        return false;
    if (is_signed)
        return err_set(err, ERR_VALUE, "signed=True is not supported by Locus");
    const Str *b = (Str *)arg[0].object;
    for (int64_t k = 0; k < b->size; k++)
        text_print(&text, "%02x", (unsigned char)b->s[little ? b->size - 1 - k : k]);
    text_put(&text, b->size ? "" : "0");
    bool ok = text_end(&text) && int_from_text(s, text.s, text.n, 16, out, err);
    text_free(&text);
    return ok;
}

METHOD(float_is_integer)
{
    (void)s, (void)arg, (void)err;
    *out = value_bool(isfinite(self.f) && floor(self.f) == self.f);
    return true;
}

/* The fraction that a float is exactly. */
METHOD(float_ratio)
{
    int exponent;
    (void)arg;
    if (!isfinite(self.f))
        return isnan(self.f) ? err_set(err, ERR_VALUE, "cannot convert NaN to integer ratio")
                             : err_set(err, ERR_OVERFLOW, "cannot convert Infinity to integer ratio");
    double mantissa = frexp(self.f, &exponent);
    for (int i = 0; i < 300 && mantissa != floor(mantissa); i++)
        mantissa *= 2, exponent--;
    Value top = int_new(s, (int64_t)mantissa), bottom = int_new(s, 1), *scaled = exponent > 0 ? &top : &bottom, made;
    if (!value_binary(s, BIN_LSHIFT, *scaled, int_new(s, exponent > 0 ? exponent : -exponent), &made, err))
        return false;
    *scaled = made;
    return pair(s, top, bottom, out, err);
}

METHOD(float_hex)
{
    Text text = { 0 };
    (void)arg;
    double f = fabs(self.f);
    if (!isfinite(f) || f == 0)
        text_print(&text, "%s%s", signbit(self.f) && !isnan(f) ? "-" : "", isnan(f) ? "nan" : f == 0 ? "0x0.0p+0" : "inf");
    else {
        uint64_t bits;
        memcpy(&bits, &f, sizeof bits);
        int exponent = (int)(bits >> 52);
        text_print(&text, "%s0x%d.%013llxp%+d", signbit(self.f) ? "-" : "", exponent != 0, (unsigned long long)(bits & 0xfffffffffffffull),
                   exponent ? exponent - 1023 : -1022);
    }
    return text_out(s, &text, out, err);
}

METHOD(float_fromhex)
{
    char *end = NULL;
    (void)self;
    if (!value_is(arg[0], TYPE_STR))
        return err_set(err, ERR_TYPE, "bad argument type for built-in operation");
    const char *text = ((Str *)arg[0].object)->s, *digits = text + strspn(text, " \t\n+-");
    char copy[128];
    bool marked = digits[0] == '0' && (digits[1] | 32) == 'x', word = (*digits | 32) == 'i' || (*digits | 32) == 'n';
    if (snprintf(copy, sizeof copy, "%.*s%s%s", (int)(digits - text), text, marked || word ? "" : "0x", digits) >= (int)sizeof copy)
        return err_set(err, ERR_VALUE, "this hexadecimal float is too long");
    double f = strtod(copy, &end);
    if (end == copy || end[strspn(end, " \t\n")])
        return err_set(err, ERR_VALUE, "invalid hexadecimal floating-point string");
    *out = float_new(s, f);
    return true;
}

const NativeRow int_methods[] = {
    { "as_integer_ratio", int_ratio, "", 0, NULL }, { "bit_count", bit_count, "", 0, NULL }, { "bit_length", int_plain, "", 0, NULL },
    { "conjugate", int_plain, "", 1, NULL }, { "from_bytes", from_bytes, "bytes, byteorder = 'big', *, signed = False", ROW_STATIC, NULL },
    { "is_integer", int_plain, "", 2, NULL }, { "to_bytes", to_bytes, "length = 1, byteorder = 'big'", 0, NULL }, { 0 },
};
const NativeRow float_methods[] = {
    { "as_integer_ratio", float_ratio, "", 0, NULL }, { "conjugate", int_plain, "", 1, NULL }, { "fromhex", float_fromhex, "string, /", ROW_STATIC, NULL },
    { "hex", float_hex, "", 0, NULL }, { "is_integer", float_is_integer, "", 0, NULL }, { 0 },
};
