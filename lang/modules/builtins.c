/*
 * builtins.c - the functions that are there without an import: numbers, iterables, sorting.
 */
#include "lang/modules/modules.h"
#include "lang/run/class.h"
#include "lang/types/rows.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- helpers of all modules ----------------------------------------------------------------------------- */
bool call_method(Session *s, Value v, const char *name, Value *args, int n, bool *found, Value *out, Err *err)
{
    Value method;
    Str *text = str_intern(s, name, (int64_t)strlen(name), err);
    *found = false;
    if (!text)
        return false;
    bool ok = value_find_attr(s, v, text, &method, err);
    object_release(&text->head);
    if (!ok || value_is_unset(method))
        return ok;
    *found = true;
    ok = value_call(s, method, args, n, 0, NULL, out, err);
    value_release(method);
    return ok;
}

bool error_is(Session *s, const Err *err, ErrKind kind)
{
    ErrKind is = err->kind == ERR_RAISED ? (s->raised ? s->raised->cls->error : ERR_BASE) : err->kind;
    while (is != kind && is != ERR_BASE)
        is = err_parent(is);
    return is == kind;
}

void error_clear(Session *s, Err *err)
{
    if (err->kind == ERR_RAISED && s->raised) {
        Exception *was = s->raised;
        s->raised = NULL;
        object_release(&was->head);
    }
    err->kind = ERR_NONE;
}

bool raise_with(Session *s, ErrKind kind, Value *args, int n, Err *err)
{
    Value exception;
    Class *cls = class_of_error(s, kind);
    if (!cls)
        return err_memory(err, sizeof *cls);
    if (!value_call(s, (Value){ V_OBJECT, { .object = &cls->head } }, args, n, 0, NULL, &exception, err))
        return false;
    session_raise(s, (Exception *)exception.object, err);
    value_release(exception);
    return false;
}

bool want_path_str(Session *s, Value v, const char *what, Str **str, Err *err)
{
    Value text;
    bool found = false;
    if (value_is(v, TYPE_INSTANCE)) {
        if (!call_method(s, v, "__fspath__", NULL, 0, &found, &text, err))
            return false;
        if (found) {
            value_replace(&s->path[s->path_at++ % 4], text);
            return want_str(text, what, str, err);
        }
    }
    return value_is(v, TYPE_STR) ? want_str(v, what, str, err)
         : err_set(err, ERR_TYPE, "expected str, bytes or os.PathLike object, not %s", value_type_name(v));
}

bool want_str(Value v, const char *what, Str **str, Err *err)
{
    if (!value_is(v, TYPE_STR))
        return err_set(err, ERR_TYPE, "%s must be str, not %s", what, value_type_name(v));
    *str = (Str *)v.object;
    return true;
}

bool add_constant(Session *s, Module *m, const char *name, Value taken, Err *err)
{
    return !value_is_unset(taken) && module_set(s, m, name, taken, err);
}

bool value_to_double(Session *s, Value v, double *f, Err *err)
{
    Number number;
    bool overflow, found;
    Value made;
    if (value_tag(v) == V_FLOAT)
        return *f = v.f, true;
    if (value_is_int(v)) {
        *f = int_to_double(v, &overflow);
        return !overflow || err_set(err, ERR_OVERFLOW, "int too large to convert to float");
    }
    if (value_is(v, TYPE_TENSOR) || value_is_array(v) || value_is(v, TYPE_NPSCALAR)) {
        if (!value_to_number(v, &number) && !tensor_item(value_tensor(v), &number, err))
            return false;
        *f = number.kind == DKIND_FLOAT ? number.f : number.kind == DKIND_INT ? (double)number.i : number.b;
        return true;
    }
    if (value_is_int(value_content(v)) || value_tag(value_content(v)) == V_FLOAT)
        return value_to_double(s, value_content(v), f, err);
    if (value_is(v, TYPE_INSTANCE)) {
        if (!call_method(s, v, "__float__", NULL, 0, &found, &made, err)
            || (!found && !call_method(s, v, "__index__", NULL, 0, &found, &made, err)))
            return false;
        if (found) {
            bool number_came = value_tag(made) == V_FLOAT || value_is_int(made);
            bool ok = number_came ? value_to_double(s, made, f, err)
                    : err_set(err, ERR_TYPE, "__float__ returned non-float (type %s)", value_type_name(made));
            value_release(made);
            return ok;
        }
    }
    return err_set(err, ERR_TYPE, "must be real number, not %s", value_type_name(v));
}

/* ---- numbers -------------------------------------------------------------------------------------------- */
NATIVE(builtin_abs)
{
    bool found, negative;
    Value less;
    UNUSED;
    if (value_tag(arg[0]) == V_FLOAT)
        return *out = value_float(s, fabs(arg[0].f)), true;
    if (value_is_int(arg[0])) {
        if (!value_compare(s, CMP_LT, arg[0], int_new(s, 0), &less, err))
            return false;
        negative = less.i;
        if (negative)
            return value_unary(s, UN_NEG, arg[0], out, err);
        *out = value_tag(arg[0]) == V_BOOL ? value_int(s, arg[0].i) : value_retain(arg[0]);
        return true;
    }
    if (!call_method(s, arg[0], value_is(arg[0], TYPE_TENSOR) ? "abs" : "__abs__", NULL, 0, &found, out, err))
        return false;
    return found || err_set(err, ERR_TYPE, "bad operand type for abs(): '%s'", value_type_name(arg[0]));
}

/* A float rounded to so many decimal places, exactly as its decimal expansion says; halves to even. */
static double round_places(double f, int64_t places)
{
    char text[512];
    int exponent;
    if (!isfinite(f) || f == 0 || places > 350)
        return f;
    if (places < -310)
        return copysign(0, f);
    if (places >= 0) {
        snprintf(text, sizeof text, "%.*f", (int)places, f);
        return strtod(text, NULL);
    }
    snprintf(text, sizeof text, "%.0e", f);
    exponent = atoi(strchr(text, 'e') + 1);
    int digits = exponent + 1 + (int)places;        /* significant ones that stay; the exponent may be one too high */
    if (digits < 0)
        return copysign(0, f);
    double unit = pow(10, (double)-places), part = fmod(fabs(f), unit), whole = fabs(f) - part;
    bool up = part > unit / 2 || (part == unit / 2 && fmod(whole / unit, 2) == 1);
    return copysign(whole + (up ? unit : 0), f);
}

/* An int rounded to a multiple of 10 ** places, halves to even. */
static bool round_int(Session *s, Value v, int64_t places, Value *out, Err *err)
{
    Value unit, half, rest, twice, answer, moved;
    if (places > 4300)
        places = 4300;
    if (!value_binary(s, BIN_POW, int_new(s, 10), int_new(s, places), &unit, err))
        return false;
    bool ok = value_binary(s, BIN_MOD, v, unit, &rest, err);
    if (ok && (ok = value_binary(s, BIN_MUL, rest, int_new(s, 2), &twice, err))) {
        ok = value_compare(s, CMP_GT, twice, unit, &answer, err);
        bool up = ok && answer.i;
        if (ok && (ok = value_compare(s, CMP_EQ, twice, unit, &answer, err)) && answer.i) {
            ok = value_binary(s, BIN_FLOORDIV, v, unit, &half, err);
            if (ok) {
                ok = value_binary(s, BIN_MOD, half, int_new(s, 2), &answer, err);
                value_release(half);
                up = ok && answer.i == 1;
            }
        }
        if (ok && (ok = value_binary(s, BIN_SUB, v, rest, &moved, err))) {
            if (up) {
                ok = value_binary(s, BIN_ADD, moved, unit, out, err);
                value_release(moved);
            } else
                *out = moved;
        }
        value_release(twice);
    }
    if (ok)
        value_release(rest);
    value_release(unit);
    return ok;
}

bool int_from_double(Session *s, double f, Value *out, Err *err)
{
    if (isnan(f))
        return err_set(err, ERR_VALUE, "cannot convert float NaN to integer");
    if (isinf(f))
        return err_set(err, ERR_OVERFLOW, "cannot convert float infinity to integer");
    if (fabs(f) < 9e18)
        return *out = value_int(s, (int64_t)f), true;
    return big_from_double(s, trunc(f), out, err);
}

NATIVE(builtin_round)
{
    int64_t places;
    bool found, given = !value_is_none(arg[1]);
    (void)self;
    if (value_tag(arg[0]) == V_FLOAT) {
        if (!given)
            return int_from_double(s, nearbyint(arg[0].f), out, err);
        if (!value_index(s, arg[1], "the number of places", &places, err))
            return false;
        double f = round_places(arg[0].f, places);
        if (isinf(f) && !isinf(arg[0].f))
            return err_set(err, ERR_OVERFLOW, "rounded value too large to represent");
        return *out = value_float(s, f), true;
    }
    if (value_is_int(arg[0])) {
        if (given && !value_index(s, arg[1], "the number of places", &places, err))
            return false;
        if (given && places < 0)
            return round_int(s, arg[0], -places, out, err);
        *out = value_tag(arg[0]) == V_BOOL ? value_int(s, arg[0].i) : value_retain(arg[0]);
        return true;
    }
    if (value_is(arg[0], TYPE_TENSOR) && given)
        return err_set(err, ERR_TYPE, "round() of a tensor takes no places here") || err_hint(err, "x.round(decimals=n) does");
    if (!call_method(s, arg[0], value_is(arg[0], TYPE_TENSOR) ? "round" : "__round__", &arg[1], given, &found, out, err))
        return false;
    return found || err_set(err, ERR_TYPE, "type %s doesn't define __round__ method", value_type_name(arg[0]));
}

bool builtin_round_value(Session *s, const Value *pair, int n, Value *out, Err *err)
{
    Value args[2] = { pair[0], n > 1 ? pair[1] : value_none() };
    return builtin_round(s, value_unset(), args, out, err);
}

NATIVE(builtin_divmod)
{
    (void)self;
    for (int k = 0; k < 2; k++) {
        bool found = false;
        if (value_is(arg[k], TYPE_INSTANCE) && !call_method(s, arg[k], k ? "__rdivmod__" : "__divmod__", &arg[1 - k], 1, &found, out, err))
            return false;
        if (found && value_tag(*out) != V_NOT_IMPLEMENTED)
            return true;
    }
    Tuple *pair = tuple_new(s, 2, err);
    if (!pair)
        return false;
    Value first = value_unset(), second = value_unset();
    if (value_binary(s, BIN_FLOORDIV, arg[0], arg[1], &first, err)) {
        pair->item[0] = first;
        if (value_binary(s, BIN_MOD, arg[0], arg[1], &second, err)) {
            pair->item[1] = second;
            *out = value_object_take(pair);
            return true;
        }
    }
    object_release(&pair->head);
    return false;
}

/* The number that times `a` leaves 1 by the modulus, by Euclid's algorithm on ints of 64 bits. */
static bool inverse_mod(Session *s, Value a, Value modulus, Value *out, Err *err)
{
    if (value_is(a, TYPE_INT) || value_is(modulus, TYPE_INT) || !modulus.i)
        return err_set(err, ERR_VALUE, "pow() with a negative exponent takes ints of at most 64 bits here");
    int64_t m = modulus.i < 0 ? -modulus.i : modulus.i, r = m, next = (a.i % m + m) % m, x = 0, y = 1;
    while (next) {
        int64_t q = r / next, t = r % next;
        r = next;
        next = t;
        t = x - q * y;
        x = y;
        y = t;
    }
    if (r != 1)
        return err_set(err, ERR_VALUE, "base is not invertible for the given modulus");
    *out = value_int(s, x < 0 ? x + m : x);
    return true;
}

/* base ** exponent % modulus by squaring. */
static bool power_mod(Session *s, Value base, Value exponent, Value modulus, Value *out, Err *err)
{
    Value result, square, next, bit;
    if (!value_is_int(base) || !value_is_int(exponent) || !value_is_int(modulus))
        return err_set(err, ERR_TYPE, "pow() 3rd argument not allowed unless all arguments are integers");
    if (big_sign(exponent) < 0) {
        Value inverse, positive;
        if (!inverse_mod(s, base, modulus, &inverse, err))
            return false;
        bool good = value_unary(s, UN_NEG, exponent, &positive, err);
        if (good) {
            good = power_mod(s, inverse, positive, modulus, out, err);
            value_release(positive);
        }
        value_release(inverse);
        return good;
    }
    if (big_sign(modulus) == 0)
        return err_set(err, ERR_VALUE, "pow() 3rd argument cannot be 0");
    if (!value_binary(s, BIN_MOD, int_new(s, 1), modulus, &result, err))
        return false;
    if (!value_binary(s, BIN_MOD, base, modulus, &square, err))
        return value_release(result), false;
    Value left = value_retain(exponent);
    bool ok = true;
    while (ok && big_sign(left)) {
        ok = value_binary(s, BIN_AND, left, int_new(s, 1), &bit, err);
        for (int step = ok && bit.i ? 0 : 1; ok && step < 2; step++) {      /* first the result, if the bit is set; then the square */
            Value *place = step ? &square : &result;
            ok = value_binary(s, BIN_MUL, *place, square, &next, err);
            if (ok) {
                value_replace(place, next);
                ok = value_binary(s, BIN_MOD, *place, modulus, &next, err);
            }
            if (ok)
                value_replace(place, next);
        }
        if (ok && (ok = value_binary(s, BIN_RSHIFT, left, int_new(s, 1), &next, err)))
            value_replace(&left, next);
    }
    value_release(left);
    value_release(square);
    if (ok)
        *out = result;
    else
        value_release(result);
    return ok;
}

NATIVE(builtin_pow)
{
    bool found = false;
    (void)self;
    if (!value_is_none(arg[2]) && value_is(arg[0], TYPE_INSTANCE) && (!call_method(s, arg[0], "__pow__", &arg[1], 2, &found, out, err) || found))
        return found;
    return value_is_none(arg[2]) ? value_binary(s, BIN_POW, arg[0], arg[1], out, err) : power_mod(s, arg[0], arg[1], arg[2], out, err);
}

/* hex, oct, bin: the payload is the base. */
NATIVE(builtin_digits)
{
    (void)self;
    Text text = { 0 };
    Value index = value_retain(value_is_int(value_content(arg[0])) ? value_content(arg[0]) : arg[0]);
    bool found = true;
    if (!value_is_int(index)) {
        found = false;
        if (value_is(arg[0], TYPE_INSTANCE) && !call_method(s, arg[0], "__index__", NULL, 0, &found, &index, err))
            return value_release(arg[0]), false;
        if (found)
            value_release(arg[0]);
    }
    if (!found || !value_is_int(index)) {
        value_release(index);
        return err_set(err, ERR_TYPE, "'%s' object cannot be interpreted as an integer", value_type_name(arg[0]));
    }
    if (big_sign(index) < 0) {
        Value positive;
        text_put(&text, "-");
        bool ok = value_unary(s, UN_NEG, index, &positive, err);
        value_release(index);
        if (!ok)
            return text_free(&text), false;
        index = positive;
    }
    int base = (int)arg[-1].i;
    text_put(&text, base == 16 ? "0x" : base == 8 ? "0o" : "0b");
    big_print(index, base, &text);
    value_release(index);
    return text_out(s, &text, out, err);
}

/* ---- iterables ------------------------------------------------------------------------------------------ */
NATIVE(builtin_len)
{
    int64_t length;
    (void)self;
    if (!value_length(s, arg[0], &length, err))
        return false;
    *out = int_new(s, length);
    return true;
}

NATIVE(builtin_sum)
{
    Value iterator, item, total = value_retain(arg[1]), next;
    IterStatus status = ITER_ERROR;
    (void)self;
    if (value_is(total, TYPE_STR)) {
        value_release(total);
        return err_set(err, ERR_TYPE, "sum() can't sum strings [use ''.join(seq) instead]");
    }
    if (!value_iter(s, arg[0], &iterator, err))
        return value_release(total), false;
    bool ok = true;
    while (ok && (status = value_next(s, iterator, &item, err)) == ITER_VALUE) {
        if (value_tag(total) == V_FLOAT && value_tag(item) == V_FLOAT)
            next = float_new(s, total.f + item.f);
        else
            ok = value_binary(s, BIN_ADD, total, item, &next, err);
        value_release(item);
        if (ok)
            value_replace(&total, next);
    }
    value_release(iterator);
    if (ok && status == ITER_END)
        return *out = total, true;
    value_release(total);
    return false;
}

/* min and max: the payload is the comparison by which a later one wins. */
NATIVE(builtin_extreme)
{
    const Tuple *args = (Tuple *)arg[0].object;
    Value key = arg[1], fallback = arg[2], iterator, item, best = value_unset(), best_key = value_unset();
    IterStatus status = ITER_ERROR;
    bool ok = true, many = args->n > 1;
    const char *name = arg[-1].i == CMP_LT ? "min" : "max";
    (void)self;
    if (!args->n)
        return err_set(err, ERR_TYPE, "%s expected at least 1 argument, got 0", name);
    if (many && !value_is_unset(fallback))
        return err_set(err, ERR_TYPE, "Cannot specify a default for %s() with multiple positional arguments", name);
    if (!value_iter(s, many ? arg[0] : args->item[0], &iterator, err))
        return false;
    while (ok && (status = value_next(s, iterator, &item, err)) == ITER_VALUE) {
        Value item_key = value_retain(item), answer;
        bool wins = true;
        if (!value_is_none(key)) {
            value_release(item_key);
            if (!(ok = value_call(s, key, &item, 1, 0, NULL, &item_key, err)))
                item_key = value_unset();
        }
        if (ok && !value_is_unset(best) && (ok = value_compare(s, (CompareOp)arg[-1].i, item_key, best_key, &answer, err))) {
            ok = value_truth(s, answer, &wins, err);
            value_release(answer);
        }
        if (ok && wins) {
            value_replace(&best, item);
            value_replace(&best_key, item_key);
        } else {
            value_release(item);
            value_release(item_key);
        }
    }
    value_release(iterator);
    value_release(best_key);
    ok = ok && status == ITER_END;
    if (ok && value_is_unset(best)) {
        if (value_is_unset(fallback))
            return err_set(err, ERR_VALUE, "%s() arg is an empty sequence", name);
        best = value_retain(fallback);
    }
    if (ok)
        *out = best;
    else
        value_release(best);
    return ok;
}

/* any and all: the payload is the answer that ends the search. */
NATIVE(builtin_any)
{
    Value iterator, item;
    IterStatus status;
    bool truth, ok = true;
    (void)self;
    if (!value_iter(s, arg[0], &iterator, err))
        return false;
    while ((status = value_next(s, iterator, &item, err)) == ITER_VALUE) {
        ok = value_truth(s, item, &truth, err);
        value_release(item);
        if (!ok || truth == (arg[-1].i != 0))
            break;
    }
    value_release(iterator);
    if (!ok || status == ITER_ERROR)
        return false;
    *out = value_bool(status == ITER_VALUE ? arg[-1].i : !arg[-1].i);
    return true;
}

NATIVE(builtin_sorted)
{
    bool reverse;
    (void)self;
    List *list = value_to_list(s, arg[0], err);
    if (!list)
        return false;
    if (value_truth(s, arg[2], &reverse, err) && values_sort(s, list->item, list->n, arg[1], reverse, err))
        return *out = value_object_take(list), true;
    object_release(&list->head);
    return false;
}

NATIVE(builtin_enumerate)
{
    int64_t start;
    (void)self;
    return value_index(s, arg[1], "start", &start, err) && iterator_enumerate(s, arg[0], start, out, err);
}

NATIVE(builtin_zip)
{
    const Tuple *all = (Tuple *)arg[0].object;
    bool strict;
    (void)self;
    return value_truth(s, arg[1], &strict, err) && iterator_zip(s, all->item, all->n, strict, out, err);
}

NATIVE(builtin_map)
{
    const Tuple *all = (Tuple *)arg[1].object;
    (void)self;
    if (!all->n)
        return err_set(err, ERR_TYPE, "map() must have at least two arguments.");
    return iterator_map(s, arg[0], all->item, all->n, out, err);
}

NATIVE(builtin_filter)
{
    (void)self;
    return iterator_filter(s, arg[0], arg[1], out, err);
}

NATIVE(builtin_reversed)
{
    bool found;
    (void)self;
    if (value_is(arg[0], TYPE_INSTANCE)) {
        if (!call_method(s, arg[0], "__reversed__", NULL, 0, &found, out, err))
            return false;
        if (found)
            return true;
    }
    return iterator_reversed(s, arg[0], out, err);
}

NATIVE(builtin_iter)
{
    (void)self;
    return value_is_unset(arg[1]) ? value_iter(s, arg[0], out, err) : iterator_calls(s, arg[0], arg[1], out, err);
}

NATIVE(builtin_next)
{
    (void)self;
    IterStatus status = value_next(s, arg[0], out, err);
    if (status != ITER_END)
        return status == ITER_VALUE;
    if (value_is_unset(arg[1])) {
        Value result = value_is(arg[0], TYPE_GENERATOR) ? ((GeneratorFrame *)arg[0].object)->result : value_unset();
        return raise_with(s, ERR_STOP_ITERATION, &result, !value_is_unset(result) && !value_is_none(result), err);
    }
    *out = value_retain(arg[1]);
    return true;
}

static const NativeRow rows[] = {
    { "abs", builtin_abs, "x, /", 0, "The absolute value." },
    { "all", builtin_any, "iterable, /", 0, "Are all elements true?" },
    { "any", builtin_any, "iterable, /", 1, "Is any element true?" },
    { "bin", builtin_digits, "number, /", 2, "The digits of an int to base 2: '0b101'." },
    { "divmod", builtin_divmod, "x, y, /", 0, "The pair (x // y, x % y)." },
    { "enumerate", builtin_enumerate, "iterable, start = 0", 0, "Pairs of a running number and an element." },
    { "filter", builtin_filter, "function, iterable, /", 0, "The elements for which the function is true." },
    { "hex", builtin_digits, "number, /", 16, "The digits of an int to base 16: '0xff'." },
    { "iter", builtin_iter, "object, sentinel = ..., /", 0, "An iterator over the object, or over what calls answer until the sentinel comes." },
    { "len", builtin_len, "object, /", 0, "How many elements it has." },
    { "map", builtin_map, "function, *iterables", 0, "What the function answers for each element." },
    { "max", builtin_extreme, "*args, key = None, default = ...", CMP_GT, "The largest of the arguments, or of one iterable." },
    { "min", builtin_extreme, "*args, key = None, default = ...", CMP_LT, "The smallest of the arguments, or of one iterable." },
    { "next", builtin_next, "iterator, default = ..., /", 0, "The next element; at the end the default, or StopIteration." },
    { "oct", builtin_digits, "number, /", 8, "The digits of an int to base 8: '0o17'." },
    { "pow", builtin_pow, "base, exp, mod = None", 0, "base ** exp, or base ** exp % mod." },
    { "reversed", builtin_reversed, "sequence, /", 0, "The elements from the last to the first." },
    { "round", builtin_round, "number, ndigits = None", 0, "The nearest number with so many decimal places; halves go to the even one." },
    { "sorted", builtin_sorted, "iterable, /, *, key = None, reverse = False", 0, "A new list of the elements in order." },
    { "sum", builtin_sum, "iterable, /, start = 0", 0, "The sum of the elements." },
    { "zip", builtin_zip, "*iterables, strict = False", 0, "Tuples of one element of each, until one ends." },
    { 0 }
};

Module *module_builtins(Session *s, Err *err)
{
    Module *m = module_new(s, "builtins", rows, err);
    bool ok = m;
    const NativeRow *const more[] = { builtins_more, class_functions };
    for (int k = 0; k < 2; k++)
        for (const NativeRow *row = more[k]; ok && row->name; row++) {
            Builtin *function = builtin_new(s, row, value_unset(), err);
            ok = function && module_set(s, m, row->name, value_object_take(function), err);
        }
    for (int kind = ERR_RAISED + 1; ok && kind < ERR_COUNT; kind++) {
        Class *cls = class_of_error(s, (ErrKind)kind);
        if (kind == ERR_OUT_OF_MEMORY || kind == ERR_LINALG)
            continue;
        ok = cls && module_set(s, m, err_name((ErrKind)kind), value_retain((Value){ V_OBJECT, { .object = &cls->head } }), err);
    }
    if (ok) {
        Class *os_error = class_of_error(s, ERR_OS);
        ok = os_error && module_set(s, m, "IOError", value_retain((Value){ V_OBJECT, { .object = &os_error->head } }), err)
          && module_set(s, m, "EnvironmentError", value_retain((Value){ V_OBJECT, { .object = &os_error->head } }), err);
    }
    ok = ok && module_set(s, m, "NotImplemented", not_implemented_value(), err)
        && module_set(s, m, "Ellipsis", (Value){ V_ELLIPSIS, { 0 } }, err) && builtins_add_types(s, m, err);
    if (ok)
        return m;
    if (!err->kind)
        err_memory(err, sizeof *m);
    if (m)
        object_release(&m->head);
    return NULL;
}
