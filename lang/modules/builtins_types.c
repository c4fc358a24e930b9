/*
 * builtins_types.c - the built-in types as functions: int("3"), list(x), dict(a=1), type(x).
 */
#include "lang/modules/modules.h"
#include "lang/run/class.h"
#include "lang/run/signature.h"
#include "lang/types/containers.h"
#include <stdlib.h>

static Value class_value(Class *cls)
{
    return (Value){ V_OBJECT, { .object = &cls->head } };
}

/* ---- text to numbers ------------------------------------------------------------------------------------ */
static void strip(const char **text, size_t *n)
{
    while (*n && strchr(" \t\n\r\f\v", **text))
        ++*text, --*n;
    while (*n && strchr(" \t\n\r\f\v", (*text)[*n - 1]))
        --*n;
}

static bool bad_int(const Str *str, int base, Err *err)
{
    return err_set(err, ERR_VALUE, "invalid literal for int() with base %d: '%.200s'", base, str->s);
}

static bool int_from_str(Session *s, const Str *str, int base, Value *out, Err *err)
{
    const char *text = str->s;
    size_t n = (size_t)str->size;
    int given = base;
    bool negative;
    strip(&text, &n);
    negative = n && *text == '-';
    if (n && (*text == '-' || *text == '+'))
        text++, n--;
    if (n > 2 && text[0] == '0') {
        int prefix = (text[1] | 32) == 'x' ? 16 : (text[1] | 32) == 'o' ? 8 : (text[1] | 32) == 'b' ? 2 : 0;
        if (prefix && (base == 0 || base == prefix)) {
            base = prefix;
            text += 2;
            n -= 2;
            if (n > 1 && *text == '_')
                text++, n--;
        }
    }
    if (base == 0)
        base = 10;
    bool digits = n && text[0] != '_' && text[n - 1] != '_', zeros = true;
    for (size_t i = 0; digits && i < n; i++) {
        char c = text[i];
        int digit = c >= '0' && c <= '9' ? c - '0' : (c | 32) >= 'a' && (c | 32) <= 'z' ? (c | 32) - 'a' + 10 : 99;
        digits = c == '_' ? text[i - 1] != '_' : digit < base;
        zeros = zeros && (c == '0' || c == '_');
    }
    if (!digits || (given == 0 && base == 10 && text[0] == '0' && !zeros))
        return bad_int(str, given, err);
    if (base == 10 && n > 4300)
        return err_set(err, ERR_VALUE, "Exceeds the limit (4300 digits) for integer string conversion: value has %zu digits", n);
    if (!int_from_text(s, text, n, base, out, err))
        return false;
    if (negative) {
        Value positive = *out;
        bool ok = value_unary(s, UN_NEG, positive, out, err);
        value_release(positive);
        return ok;
    }
    return true;
}

static bool float_from_str(Session *s, const Str *str, Value *out, Err *err)
{
    const char *text = str->s;
    size_t n = (size_t)str->size, used = 0;
    char small[64], *copy = small, *end;
    strip(&text, &n);
    if (n >= sizeof small && !(copy = mem_new(s->heap, n + 1)))
        return err_memory(err, n + 1);
    bool good = n > 0;
    for (size_t i = 0; i < n; i++) {
        bool around = i && i + 1 < n && text[i - 1] >= '0' && text[i - 1] <= '9' && text[i + 1] >= '0' && text[i + 1] <= '9';
        if (text[i] == '_')
            good = good && around;
        else
            copy[used++] = text[i];
        good = good && text[i] && !strchr("xXpP(", text[i]);        /* forms that strtod has and Python has not */
    }
    copy[used] = 0;
    double f = strtod(copy, &end);
    good = good && end == copy + used && used && !strchr(" \t\n\r\f\v", copy[0]);
    if (copy != small)
        mem_free(s->heap, copy);
    if (!good)
        return err_set(err, ERR_VALUE, "could not convert string to float: '%.200s'", str->s);
    *out = value_float(s, f);
    return true;
}

/* ---- numbers -------------------------------------------------------------------------------------------- */
NATIVE(new_int)
{
    int64_t base = 10;
    Number number;
    bool found;
    (void)self;
    if (value_is_unset(arg[0]))
        return *out = value_int(s, 0), true;
    if (!value_is_unset(arg[1])) {
        if (!value_is(arg[0], TYPE_STR))
            return err_set(err, ERR_TYPE, "int() can't convert non-string with explicit base");
        if (!value_index(s, arg[1], "base", &base, err))
            return false;
        if (base && (base < 2 || base > 36))
            return err_set(err, ERR_VALUE, "int() base must be >= 2 and <= 36, or 0");
    }
    if (value_is(arg[0], TYPE_STR))
        return int_from_str(s, (Str *)arg[0].object, (int)base, out, err);
    if (value_tag(arg[0]) == V_FLOAT)
        return int_from_double(s, arg[0].f, out, err);
    if (value_is_int(arg[0])) {
        *out = value_tag(arg[0]) == V_BOOL ? value_int(s, arg[0].i) : value_retain(arg[0]);
        return true;
    }
    if (value_is(arg[0], TYPE_TENSOR) || value_is_array(arg[0]) || value_is(arg[0], TYPE_NPSCALAR)) {
        if (!value_to_number(arg[0], &number) && !tensor_item(value_tensor(arg[0]), &number, err))
            return false;
        if (number.kind == DKIND_FLOAT)
            return int_from_double(s, number.f, out, err);
        *out = value_int(s, number.kind == DKIND_INT ? number.i : number.b);
        return true;
    }
    if (!value_is_unset(value_content(arg[0]))) {
        Value content[] = { arg[-1], value_content(arg[0]), arg[1] };
        return new_int(s, self, content + 1, out, err);
    }
    static const char *const names[] = { "__int__", "__index__", "__trunc__" };
    for (int k = 0; value_is(arg[0], TYPE_INSTANCE) && k < 3; k++) {
        if (!call_method(s, arg[0], names[k], NULL, 0, &found, out, err))
            return false;
        if (found && value_is_int(*out))
            return true;
        if (found) {
            err_set(err, ERR_TYPE, "%s returned non-int (type %s)", names[k], value_type_name(*out));
            value_release(*out);
            return false;
        }
    }
    return err_set(err, ERR_TYPE, "int() argument must be a string, a bytes-like object or a real number, not '%s'", value_type_name(arg[0]));
}

NATIVE(new_float)
{
    double f;
    (void)self;
    if (value_is_unset(arg[0]))
        return *out = value_float(s, 0), true;
    if (value_tag(arg[0]) == V_FLOAT)
        return *out = arg[0], true;
    if (value_is(arg[0], TYPE_STR))
        return float_from_str(s, (Str *)arg[0].object, out, err);
    if (value_tag(arg[0]) != V_OBJECT ? !value_is_int(arg[0]) : arg[0].object->type != TYPE_INT && arg[0].object->type != TYPE_TENSOR
        && arg[0].object->type != TYPE_INSTANCE && arg[0].object->type != TYPE_NDARRAY && arg[0].object->type != TYPE_NPSCALAR)
        return err_set(err, ERR_TYPE, "float() argument must be a string or a real number, not '%s'", value_type_name(arg[0]));
    if (!value_to_double(s, arg[0], &f, err))
        return false;
    *out = value_float(s, f);
    return true;
}

NATIVE(new_bool)
{
    bool truth = false;
    (void)self;
    if (!value_is_unset(arg[0]) && !value_truth(s, arg[0], &truth, err))
        return false;
    *out = value_bool(truth);
    return true;
}

NATIVE(new_str)
{
    Text text = { 0 };
    (void)self;
    bool found;
    if (!value_is_unset(arg[1]))
        return value_is(arg[0], TYPE_BYTES) ? call_method(s, arg[0], "decode", &arg[1], 1, &found, out, err)
             : err_set(err, ERR_TYPE, "decoding to str: need a bytes-like object, %s found", value_type_name(arg[0]));
    if (value_is(arg[0], TYPE_STR))
        return *out = value_retain(arg[0]), true;
    if (!value_is_unset(arg[0]) && !value_str(s, arg[0], &text, err))
        return text_free(&text), false;
    return text_out(s, &text, out, err);
}

/* ---- containers ----------------------------------------------------------------------------------------- */
NATIVE(new_list)
{
    (void)self;
    List *list = value_is_unset(arg[0]) ? list_new(s, 0, err) : value_to_list(s, arg[0], err);
    if (list)
        *out = value_object_take(list);
    return list;
}

NATIVE(new_tuple)
{
    (void)self;
    if (value_is(arg[0], TYPE_TUPLE))
        return *out = value_retain(arg[0]), true;
    Tuple *tuple = value_is_unset(arg[0]) ? tuple_new(s, 0, err) : value_to_tuple(s, arg[0], err);
    if (tuple)
        *out = value_object_take(tuple);
    return tuple;
}

NATIVE(new_dict)
{
    (void)self;
    Dict *dict = dict_new(s, err);
    if (dict && (value_is_unset(arg[0]) || dict_update(s, dict, arg[0], false, err)) && dict_update(s, dict, arg[1], false, err))
        return *out = value_object_take(dict), true;
    if (dict)
        object_release(&dict->head);
    return false;
}

/* set and frozenset: the payload says which. */
NATIVE(new_set)
{
    TypeId type = (TypeId)arg[-1].i;
    (void)self;
    if (type == TYPE_FROZENSET && value_is(arg[0], TYPE_FROZENSET))
        return *out = value_retain(arg[0]), true;
    Dict *set = set_new(s, type, err);
    if (set && (value_is_unset(arg[0]) || set_update(s, set, arg[0], err)))
        return *out = value_object_take(set), true;
    if (set)
        object_release(&set->head);
    return false;
}

/* range and slice: one argument is the stop. */
NATIVE(new_range)
{
    int64_t start = 0, stop, step = 1;
    (void)self;
    for (int k = 0; k < 3; k++)
        if (value_is(arg[k], TYPE_INSTANCE))
            continue;
        else if (value_tag(arg[k]) == V_FLOAT || (!value_is_unset(arg[k]) && !value_is_int(arg[k]) && !value_is(arg[k], TYPE_TENSOR)
                 && !value_is(arg[k], TYPE_NPSCALAR)))
            return err_set(err, ERR_TYPE, "'%s' object cannot be interpreted as an integer", value_type_name(arg[k]))
                || (value_tag(arg[k]) == V_FLOAT && err_hint(err, "int(x) makes an int, x // y divides ints"));
        else if (value_is(arg[k], TYPE_INT))
            return err_set(err, ERR_OVERFLOW, "range() takes ints of at most 64 bits");
    if (!value_index(s, arg[0], "range()", &stop, err))
        return false;
    if (!value_is_unset(arg[1])) {
        start = stop;
        if (!value_index(s, arg[1], "range()", &stop, err))
            return false;
    }
    if (!value_is_unset(arg[2]) && !value_index(s, arg[2], "range()", &step, err))
        return false;
    Range *range = range_new(s, start, stop, step, err);
    if (range)
        *out = value_object_take(range);
    return range;
}

NATIVE(new_slice)
{
    (void)self;
    bool one = value_is_unset(arg[1]);
    Slice *slice = slice_new(s, one ? value_none() : arg[0], one ? arg[0] : arg[1], value_is_unset(arg[2]) ? value_none() : arg[2], err);
    if (slice)
        *out = value_object_take(slice);
    return slice;
}

static bool bytes_of_ints(Session *s, Value iterable, Value *out, Err *err)
{
    Text text = { 0 };
    List *list = value_to_list(s, iterable, err);
    bool ok = list;
    for (int64_t k = 0, byte; ok && k < list->n; k++) {
        ok = value_index(s, list->item[k], "a byte", &byte, err)
          && ((byte >= 0 && byte < 256) || err_set(err, ERR_VALUE, "bytes must be in range(0, 256)"));
        if (ok)
            text_char(&text, (char)byte);
    }
    if (list)
        object_release(&list->head);
    ok = ok && str_out(bytes_new(s, text.n ? text.s : "", (int64_t)text.n, err), out);
    text_free(&text);
    return ok;
}

NATIVE(new_bytes)
{
    bool found;
    (void)self;
    if (value_is(arg[0], TYPE_BYTES))
        return *out = value_retain(arg[0]), true;
    int64_t n = 0;
    if (value_is_unset(arg[0]) || value_is_int(arg[0])) {
        if (value_is_int(arg[0]) && !value_index(s, arg[0], "bytes()", &n, err))
            return false;
        if (n < 0 || n > INT32_MAX)
            return err_set(err, n < 0 ? ERR_VALUE : ERR_MEMORY, n < 0 ? "negative count" : "so many bytes do not fit");
        char *zeros = calloc((size_t)n + 1, 1);
        bool ok = zeros ? str_out(bytes_new(s, zeros, n, err), out) : err_memory(err, (size_t)n);
        free(zeros);
        return ok;
    }
    if (!value_is(arg[0], TYPE_STR))
        return bytes_of_ints(s, arg[0], out, err);
    if (value_is_unset(arg[1]))
        return err_set(err, ERR_TYPE, "string argument without an encoding");
    return call_method(s, arg[0], "encode", &arg[1], 1, &found, out, err)
        && (found || err_set(err, ERR_TYPE, "this text cannot be encoded"));
}

/* type(x) answers the class of x. */
NATIVE(new_type)
{
    (void)self;
    if (!value_is_unset(arg[1])) {
        if (!value_is(arg[0], TYPE_STR) || !value_is(arg[1], TYPE_TUPLE) || !value_is(arg[2], TYPE_DICT))
            return err_set(err, ERR_TYPE, "type() takes one argument, or a name, a tuple of classes and a dict");
        return class_of_parts(s, (Str *)arg[0].object, (Tuple *)arg[1].object, (Dict *)arg[2].object, out, err);
    }
    Class *cls = value_class(s, arg[0]);
    if (!cls)
        return err_memory(err, sizeof *cls);
    *out = value_retain(class_value(cls));
    return true;
}

/* ---- the table ------------------------------------------------------------------------------------------ */
static const struct Constructor { TypeId type; Tag tag; NativeRow row; } constructors[] = {
    { TYPE_NONE, V_INT, { "int", new_int, "x = ..., base = ...", 0, "An int from a number, or from text to a base." } },
    { TYPE_NONE, V_FLOAT, { "float", new_float, "x = ..., /", 0, "A float from a number or from text." } },
    { TYPE_NONE, V_BOOL, { "bool", new_bool, "x = ..., /", 0, "Is it true?" } },
    { TYPE_STR, V_OBJECT, { "str", new_str, "object = ..., encoding = ..., errors = ...", 0, "The text of a value, as print() shows it." } },
    { TYPE_BYTES, V_OBJECT, { "bytes", new_bytes, "source = ..., encoding = ..., errors = 'strict'", 0, "The bytes of a text, of ints, or so many zeros." } },
    { TYPE_LIST, V_OBJECT, { "list", new_list, "iterable = ..., /", 0, "A new list of the elements." } },
    { TYPE_TUPLE, V_OBJECT, { "tuple", new_tuple, "iterable = ..., /", 0, "A tuple of the elements." } },
    { TYPE_DICT, V_OBJECT, { "dict", new_dict, "mapping = ..., /, **kwargs", 0, "A new dict from a mapping, from pairs, or from keywords." } },
    { TYPE_SET, V_OBJECT, { "set", new_set, "iterable = ..., /", TYPE_SET, "A new set of the elements." } },
    { TYPE_FROZENSET, V_OBJECT, { "frozenset", new_set, "iterable = ..., /", TYPE_FROZENSET, "A set of the elements that does not change." } },
    { TYPE_RANGE, V_OBJECT, { "range", new_range, "start, stop = ..., step = ..., /", 0, "The ints from start up to stop, which is left out." } },
    { TYPE_SLICE, V_OBJECT, { "slice", new_slice, "start, stop = ..., step = ..., /", 0, "What x[start:stop:step] asks x for." } },
    { TYPE_PROPERTY, V_OBJECT, { "property", NULL, "", 0, NULL } },         /* property_row */
    { TYPE_CLASS, V_OBJECT, { "type", new_type, "object, bases = ..., dict = ..., /", 0, "The class of a value." } },
};

static bool make(Session *s, Class *cls, Value *args, int n, int nkw, Tuple *names, Value *out, Err *err)
{
    for (size_t k = 0; k < sizeof constructors / sizeof *constructors; k++) {
        const struct Constructor *c = &constructors[k];
        if (c->tag == V_OBJECT ? s->type_class[c->type] != cls : s->tag_class[c->tag] != cls)
            continue;
        const NativeRow *row = c->row.fn ? &c->row : &property_row;
        const Signature *sig = signature_get(s, row->signature, err);
        return sig && native_call(s, row, sig, class_value(cls), args, n, nkw, names, out, err);
    }
    return err_set(err, ERR_TYPE, "cannot create '%s' instances", cls->name->s);
}

bool builtins_add_types(Session *s, Module *m, Err *err)
{
    for (size_t k = 0; k < sizeof constructors / sizeof *constructors; k++) {
        const struct Constructor *c = &constructors[k];
        Class *cls = class_of_type(s, c->type, c->tag);
        if (!cls)
            return err_memory(err, sizeof *cls);
        cls->make = make;
        if (!module_set(s, m, c->row.name, value_retain(class_value(cls)), err))
            return false;
    }
    if (!s->object_class)
        value_class(s, value_none());
    return !s->object_class || module_set(s, m, "object", value_retain(class_value(s->object_class)), err);
}
