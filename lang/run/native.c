/*
 * native.c - functions in C as objects: plain ones, bound methods of built-in types, and operations of the tensor library.
 */
#include "lang/run/signature.h"
#include "lang/types/rows.h"
#include "lang/types/torch_types.h"
#include <string.h>

Builtin *builtin_new(Session *s, const NativeRow *row, Value self, Err *err)
{
    Builtin *made = heap_object_new(s->heap, sizeof *made, TYPE_BUILTIN, err);
    if (!made)
        return NULL;
    made->row = row;
    made->parsed = NULL;
    made->self = value_retain(self);
    made->group = NULL;
    return made;
}

static void builtin_drop(Object *self)
{
    Value held = ((Builtin *)self)->self;
    heap_object_free(self, sizeof(Builtin));
    value_release(held);
}

static void builtin_visit(Object *self, Visitor *visitor)
{
    visitor->edge(visitor, ((Builtin *)self)->self, "self of a method", NULL, 0);
}

static const char *builtin_name(const Builtin *b)
{
    return b->row ? b->row->name : b->group->shown;
}

static bool builtin_repr(Session *s, Value self, Text *text, Err *err)
{
    const Builtin *b = (Builtin *)self.object;
    (void)err;
    if (value_is_unset(b->self))
        text_print(text, b->group && b->group->face >= FACE_METHOD && b->group->face <= FACE_ATTRIBUTE
                   ? "<method '%s' of 'torch._C.TensorBase' objects>" : "<built-in function %s>", builtin_name(b));
    else
        text_print(text, "<built-in method %s of %s object at 0x%llx>", builtin_name(b), value_type_name(b->self),
                   (unsigned long long)value_id(s, b->self));
    return true;
}

/* Calls a native function whose self is known; used by the interpreter's CALL_METHOD too. */
bool native_call(Session *s, const NativeRow *row, const Signature *sig, Value self, Value *args, int n, int nkw,
                 Tuple *names, Value *out, Err *err)
{
    Value room[SIGNATURE_PARAMS + 1], *bound = room + 1;
    room[0] = (Value){ V_INT, { .i = row->payload } };
    if (!signature_bind(s, sig, row->name, 0, args, n, nkw, names, bound, err))
        return false;
    bool ok = row->fn(s, self, bound, out, err);
    signature_unbind(sig, bound);
    return ok;
}

/* Is the function one of this type's methods? Another type's data must not get into it. */
static bool has_row(const Type *type, const NativeRow *wanted)
{
    for (const NativeRow *row = type->methods; row && row->name; row++)
        if (row == wanted)
            return true;
    return false;
}

static bool builtin_call(Session *s, Value self, Value *args, int n, int nkw, Tuple *names, Value *out, Err *err)
{
    Builtin *b = (Builtin *)self.object;
    if (b->row) {
        if (!b->parsed && !(b->parsed = (struct Signature *)signature_get(s, b->row->signature, err)))
            return false;
        if (!(b->head.flags & BUILTIN_UNBOUND) || b->row->payload == ROW_STATIC)
            return native_call(s, b->row, b->parsed, b->self, args, n, nkw, names, out, err);
        Value on = n ? args[0] : value_unset();
        if (n && !value_is_unset(value_content(on)) && !has_row(value_type(on), b->row))
            on = value_content(on);                     /* list.append(self, x) in a class derived from list */
        if (!n || !(has_row(value_type(on), b->row) || slot_fits(value_type(on), b->row)))
            return err_set(err, ERR_TYPE, "%s() needs an object to work on", b->row->name);
        return native_call(s, b->row, b->parsed, on, args + 1, n - 1, nkw, names, out, err);
    }
    if (value_is_unset(b->self))
        return op_group_call(s, b->group, args, n, nkw, names, out, err);
    Value few[16], *all = few;                          /* a bound operation: self goes before the arguments */
    if (n + nkw >= 16 && !(all = mem_new(s->heap, (size_t)(n + nkw + 1) * sizeof *all)))
        return err_memory(err, (size_t)(n + nkw + 1) * sizeof *all);
    all[0] = b->self;
    if (n + nkw)
        memcpy(all + 1, args, (size_t)(n + nkw) * sizeof *all);
    bool ok = op_group_call(s, b->group, all, n + 1, nkw, names, out, err);
    if (all != few)
        mem_free(s->heap, all);
    return ok;
}

static bool builtin_get_attr(Session *s, Value self, Str *name, Value *out, Err *err)
{
    const Builtin *b = (Builtin *)self.object;
    const char *text = builtin_name(b);
    *out = value_unset();
    if (!strcmp(name->s, "__name__") || !strcmp(name->s, "__qualname__")) {
        Str *made = str_new(s, text, (int64_t)strlen(text), err);
        *out = made ? value_object_take(made) : value_unset();
        return made;
    }
    if (!strcmp(name->s, "__self__") && !value_is_unset(b->self))
        *out = value_retain(b->self);
    else if (!strcmp(name->s, "__doc__")) {
        if (!b->row || !b->row->doc)
            return *out = value_none(), true;
        Str *made = str_new(s, b->row->doc, (int64_t)strlen(b->row->doc), err);
        *out = made ? value_object_take(made) : value_unset();
        return made;
    }
    return true;
}

/* Two bound methods are equal when they are one function of one object. */
static bool builtin_compare(Session *s, CompareOp op, Value a, Value b, Value *out, Err *err)
{
    (void)s;
    (void)err;
    *out = (Value){ V_NOT_IMPLEMENTED, { 0 } };
    if (!value_is(a, TYPE_BUILTIN) || !value_is(b, TYPE_BUILTIN) || (op != CMP_EQ && op != CMP_NE))
        return true;
    const Builtin *x = (Builtin *)a.object, *y = (Builtin *)b.object;
    bool same = x->row == y->row && x->group == y->group
             && ((value_is_unset(x->self) && value_is_unset(y->self)) || value_same(x->self, y->self));
    *out = value_bool(same == (op == CMP_EQ));
    return true;
}

static bool builtin_hash(Session *s, Value self, uint64_t *hash, Err *err)
{
    const Builtin *b = (Builtin *)self.object;
    (void)err;
    *hash = ((uintptr_t)(b->row ? (const void *)b->row : (const void *)b->group) >> 4)
          ^ (value_is_unset(b->self) ? 0 : value_id(s, b->self));
    return true;
}

const Type type_builtin = {
    .name = "builtin_function_or_method", .drop = builtin_drop, .visit = builtin_visit, .repr = builtin_repr,
    .hash = builtin_hash, .compare = builtin_compare, .call = builtin_call, .get_attr = builtin_get_attr,
};
