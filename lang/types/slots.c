/*
 * slots.c - what a type's row can do as methods with Python's names: [1].__len__(), (3).__add__(4).
 */
#include "lang/types/rows.h"
#include <string.h>

#define SLOT(name) static bool slot_##name(Session *s, Value self, Value *arg, Value *out, Err *err)

SLOT(length)
{
    int64_t length;
    (void)arg;
    if (!value_length(s, self, &length, err))
        return false;
    *out = int_new(s, length);
    return true;
}

SLOT(get_item)
{
    return value_get_item(s, self, arg[0], out, err);
}

SLOT(set_item)
{
    *out = value_none();
    return value_set_item(s, self, arg[0], arg[1], err);
}

SLOT(del_item)
{
    *out = value_none();
    return value_del_item(s, self, arg[0], err);
}

SLOT(contains)
{
    bool found;
    if (!value_contains(s, self, arg[0], &found, err))
        return false;
    *out = value_bool(found);
    return true;
}

SLOT(iter)
{
    (void)arg;
    return value_iter(s, self, out, err);
}

SLOT(next)
{
    (void)arg;
    IterStatus status = value_next(s, self, out, err);
    return status == ITER_VALUE || (status == ITER_END && err_set(err, ERR_STOP_ITERATION, "%s", ""));
}

/* repr, str, format: the payload is 0, 1, 2. */
SLOT(text)
{
    Text text = { 0 };
    bool ok;
    if (arg[-1].i == 2) {
        if (!value_is(arg[0], TYPE_STR))
            return err_set(err, ERR_TYPE, "__format__() argument must be str, not %s", value_type_name(arg[0]));
        ok = value_format(s, self, ((Str *)arg[0].object)->s, (size_t)((Str *)arg[0].object)->size, &text, err);
    } else
        ok = arg[-1].i ? value_str(s, self, &text, err) : value_repr(s, self, &text, err);
    if (!ok)
        return text_free(&text), false;
    return text_out(s, &text, out, err);
}

SLOT(hash)
{
    uint64_t hash;
    (void)arg;
    if (!value_hash(s, self, &hash, err))
        return false;
    *out = value_int(s, (int64_t)hash);
    return true;
}

SLOT(truth)
{
    bool truth;
    (void)arg;
    if (!value_truth(s, self, &truth, err))
        return false;
    *out = value_bool(truth);
    return true;
}

SLOT(binary)
{
    const Type *type = value_type(self);
    *out = not_implemented_value();
    return type->binary(s, (BinaryOp)arg[-1].i, self, arg[0], out, err);
}

/* The operands the other way round. */
SLOT(reflected)
{
    const Type *type = value_type(self);
    *out = not_implemented_value();
    return type->binary(s, (BinaryOp)arg[-1].i, arg[0], self, out, err);
}

SLOT(inplace)
{
    return value_inplace(s, (BinaryOp)arg[-1].i, self, arg[0], out, err);
}

SLOT(unary)
{
    return value_unary(s, (UnaryOp)arg[-1].i, self, out, err);
}

SLOT(compare)
{
    const Type *type = value_type(self);
    *out = not_implemented_value();
    if (type->compare)
        return type->compare(s, (CompareOp)arg[-1].i, self, arg[0], out, err);
    if (value_same(self, arg[0]))
        *out = value_bool(arg[-1].i == CMP_EQ);
    return true;
}

SLOT(call)
{
    const Tuple *args = (Tuple *)arg[0].object;
    return value_call(s, self, (Value *)args->item, (int)args->n, 0, NULL, out, err);
}

#define BINARY(name, op)                                                    \
    { "__" name "__", slot_binary, "other, /", op, NULL },                  \
    { "__r" name "__", slot_reflected, "other, /", op, NULL }
static const NativeRow rows[] = {
    { "__len__", slot_length, "", 0, NULL }, { "__getitem__", slot_get_item, "key, /", 0, NULL },
    { "__setitem__", slot_set_item, "key, value, /", 0, NULL }, { "__delitem__", slot_del_item, "key, /", 0, NULL },
    { "__contains__", slot_contains, "item, /", 0, NULL }, { "__iter__", slot_iter, "", 0, NULL }, { "__next__", slot_next, "", 0, NULL },
    { "__repr__", slot_text, "", 0, NULL }, { "__str__", slot_text, "", 1, NULL }, { "__format__", slot_text, "format_spec, /", 2, NULL },
    { "__hash__", slot_hash, "", 0, NULL }, { "__bool__", slot_truth, "", 0, NULL }, { "__call__", slot_call, "*args", 0, NULL },
    { "__eq__", slot_compare, "other, /", CMP_EQ, NULL }, { "__ne__", slot_compare, "other, /", CMP_NE, NULL },
    { "__lt__", slot_compare, "other, /", CMP_LT, NULL }, { "__le__", slot_compare, "other, /", CMP_LE, NULL },
    { "__gt__", slot_compare, "other, /", CMP_GT, NULL }, { "__ge__", slot_compare, "other, /", CMP_GE, NULL },
    { "__neg__", slot_unary, "", UN_NEG, NULL }, { "__pos__", slot_unary, "", UN_POS, NULL }, { "__invert__", slot_unary, "", UN_INVERT, NULL },
    BINARY("add", BIN_ADD), BINARY("sub", BIN_SUB), BINARY("mul", BIN_MUL), BINARY("truediv", BIN_TRUEDIV), BINARY("floordiv", BIN_FLOORDIV),
    BINARY("mod", BIN_MOD), BINARY("pow", BIN_POW), BINARY("matmul", BIN_MATMUL), BINARY("lshift", BIN_LSHIFT), BINARY("rshift", BIN_RSHIFT),
    BINARY("and", BIN_AND), BINARY("or", BIN_OR), BINARY("xor", BIN_XOR),
    { "__iadd__", slot_inplace, "other, /", BIN_ADD, NULL }, { "__isub__", slot_inplace, "other, /", BIN_SUB, NULL },
    { "__imul__", slot_inplace, "other, /", BIN_MUL, NULL }, { "__ior__", slot_inplace, "other, /", BIN_OR, NULL },
    { "__iand__", slot_inplace, "other, /", BIN_AND, NULL }, { "__itruediv__", slot_inplace, "other, /", BIN_TRUEDIV, NULL },
    { 0 }
};

/* Does the type do what the row asks of it? */
static bool can(const Type *type, const NativeRow *row)
{
    NativeFn fn = row->fn;
    return fn == slot_length ? type->length != NULL : fn == slot_get_item ? type->get_item != NULL : fn == slot_set_item ? type->set_item != NULL
         : fn == slot_del_item ? type->del_item != NULL : fn == slot_contains ? type->contains != NULL : fn == slot_iter ? type->iter != NULL
         : fn == slot_next ? type->next != NULL : fn == slot_truth ? type == &type_int || type == &type_float || type == &type_bool || type->truth
         : fn == slot_binary || fn == slot_reflected ? type->binary != NULL : fn == slot_inplace ? type->inplace != NULL
         : fn == slot_unary ? type->unary != NULL : fn == slot_call ? type->call != NULL : true;
}

const NativeRow *slot_method(const Type *type, const Str *name)
{
    if (name->size < 5 || name->s[0] != '_' || name->s[1] != '_')
        return NULL;
    for (const NativeRow *row = rows; row->name; row++)
        if (!strcmp(row->name, name->s))
            return can(type, row) ? row : NULL;
    return NULL;
}

bool slot_fits(const Type *type, const NativeRow *row)
{
    return row >= rows && row < rows + sizeof rows / sizeof *rows && can(type, row);
}
