/*
 * pickle_write.c - values as a pickle of protocol 2, in the form that torch.save gives its own: what is one object stays one.
 */
#include "lang/files/files.h"

typedef struct Pickler {
    Session *s;
    Text    *text;
    Dict    *memo;                      /* the address of an object -> its index */
    KeepStorage keep;
    void    *self;
    int      depth;
} Pickler;

enum { DEPTH_MAX = 900 };               /* deeper ones end Python's own reader */

static bool put(Pickler *p, Value v, Err *err);

static void put_global(Pickler *p, const char *module, const char *name) { text_print(p->text, "c%s\n%s\n", module, name); }

static void put_int(Pickler *p, int64_t i)
{
    if (i >= 0 && i < 256) {
        text_char(p->text, 'K');
        text_le(p->text, (uint64_t)i, 1);
    } else if (i >= 0 && i < 65536) {
        text_char(p->text, 'M');
        text_le(p->text, (uint64_t)i, 2);
    } else if (i >= INT32_MIN && i <= INT32_MAX) {
        text_char(p->text, 'J');
        text_le(p->text, (uint64_t)i, 4);
    } else {
        int n = 8;                                      /* as many bytes as its sign needs */
        while (n > 1 && ((i >> (8 * n - 9)) == 0 || (i >> (8 * n - 9)) == -1))
            n--;
        text_char(p->text, (char)0x8a);
        text_le(p->text, (uint64_t)n, 1);
        text_le(p->text, (uint64_t)i, n);
    }
}

static void put_double(Pickler *p, double f)
{
    uint64_t bits;
    memcpy(&bits, &f, sizeof bits);
    text_char(p->text, 'G');
    for (int k = 56; k >= 0; k -= 8)
        text_char(p->text, (char)(bits >> k & 0xff));
}

static void put_text(Pickler *p, const char *s, size_t n)
{
    text_char(p->text, 'X');
    text_le(p->text, n, 4);
    text_add(p->text, s, n);
}

static Value address(const void *object) { return (Value){ V_INT, { .i = (int64_t)(uintptr_t)object } }; }

/* Gives the object on the stack an index. */
static bool remember(Pickler *p, const void *object, Err *err)
{
    int64_t index = p->memo->used;
    text_char(p->text, index < 256 ? 'q' : 'r');
    text_le(p->text, (uint64_t)index, index < 256 ? 1 : 4);
    return dict_set(p->s, p->memo, address(object), (Value){ V_INT, { .i = index } }, err);
}

static bool recalled(Pickler *p, const void *object, bool *found, Err *err)
{
    Value index;
    if (!dict_get(p->s, p->memo, address(object), &index, err))
        return false;
    if ((*found = !value_is_unset(index))) {
        text_char(p->text, index.i < 256 ? 'h' : 'j');
        text_le(p->text, (uint64_t)index.i, index.i < 256 ? 1 : 4);
    }
    return true;
}

static void put_dims(Pickler *p, int n, const int64_t *dims)
{
    text_char(p->text, '(');
    for (int d = 0; d < n; d++)
        put_int(p, dims[d]);
    text_char(p->text, 't');
}

static bool put_tensor(Pickler *p, Tensor *t, Err *err)
{
    static const char *const storages[DT_COUNT] = {
        "BoolStorage", "ByteStorage", "CharStorage", "ShortStorage", "IntStorage", "LongStorage", "HalfStorage", "BFloat16Storage",
        "FloatStorage", "DoubleStorage",
    };
    char key[24];
    int which;
    if (!p->keep(p->self, t, &which, err))
        return false;
    snprintf(key, sizeof key, "%d", which);
    put_global(p, "torch._utils", "_rebuild_tensor_v2");
    text_put(p->text, "((");
    put_text(p, "storage", 7);
    put_global(p, "torch", storages[tensor_dtype(t)]);
    put_text(p, key, strlen(key));
    put_text(p, "cpu", 3);
    put_int(p, (int64_t)(storage_bytes(tensor_storage(t)) / dtype_size(tensor_dtype(t))));
    text_put(p->text, "tQ");
    put_int(p, tensor_offset(t));
    put_dims(p, tensor_ndim(t), tensor_shape(t));
    put_dims(p, tensor_ndim(t), tensor_strides(t));
    text_char(p->text, (char)(tensor_requires_grad(t) ? 0x88 : 0x89));
    put_global(p, "collections", "OrderedDict");
    text_put(p->text, ")RtR");
    return remember(p, t, err);
}

static bool put_entries(Pickler *p, Dict *dict, Err *err)
{
    Value key, value;
    text_char(p->text, '(');
    for (int64_t at = 0; dict_next(dict, &at, &key, &value); )
        if (!put(p, key, err) || !put(p, value, err))
            return false;
    text_char(p->text, 'u');
    return true;
}

static bool put_items(Pickler *p, const Value *item, int64_t n, Err *err)
{
    for (int64_t k = 0; k < n; k++)
        if (!put(p, item[k], err))
            return false;
    return true;
}

static bool put_object(Pickler *p, Value v, Err *err)
{
    Dict *ordered = ordered_dict(v);
    if (ordered) {
        put_global(p, "collections", "OrderedDict");
        text_put(p->text, ")R");
        return remember(p, v.object, err) && put_entries(p, ordered, err);
    }
    switch (v.object->type) {
    case TYPE_STR:
        put_text(p, ((Str *)v.object)->s, (size_t)((Str *)v.object)->size);
        return remember(p, v.object, err);
    case TYPE_DICT:
        text_char(p->text, '}');
        return remember(p, v.object, err) && put_entries(p, (Dict *)v.object, err);
    case TYPE_LIST:
        text_char(p->text, ']');
        if (!remember(p, v.object, err))
            return false;
        text_char(p->text, '(');
        if (!put_items(p, ((List *)v.object)->item, ((List *)v.object)->n, err))
            return false;
        text_char(p->text, 'e');
        return true;
    case TYPE_TUPLE: {
        const Tuple *t = (Tuple *)v.object;
        text_put(p->text, t->n ? "(" : ")");
        if (!put_items(p, t->item, t->n, err))
            return false;
        text_put(p->text, t->n ? "t" : "");
        return !t->n || remember(p, t, err);
    }
    case TYPE_SET: {
        Value key, value;
        put_global(p, "__builtin__", "set");
        text_put(p->text, "](");
        for (int64_t at = 0; dict_next((Dict *)v.object, &at, &key, &value); )
            if (!put(p, key, err))
                return false;
        text_put(p->text, "e\x85R");
        return remember(p, v.object, err);
    }
    case TYPE_SIZE: {
        const Tuple *t = (Tuple *)v.object;
        put_global(p, "torch", "Size");
        text_char(p->text, '(');
        for (int64_t k = 0; k < t->n; k++)
            put_int(p, t->item[k].i);
        text_put(p->text, "t\x85R");
        return remember(p, t, err);
    }
    case TYPE_DTYPE:
        put_global(p, "torch", dtype_name(((DTypeObject *)v.object)->dtype));
        return true;
    case TYPE_TENSOR:
        return put_tensor(p, value_tensor(v), err);
    default:
        err_set(err, ERR_TYPE, "save() does not take %s in Locus", value_type_name(v));
        return err_hint(err, value_is_array(v) ? "torch.from_numpy(a) makes a tensor of it"
                        : "tensors, dicts, lists, tuples, sets, numbers and texts are saved");
    }
}

static bool put(Pickler *p, Value v, Err *err)
{
    bool found = false;
    switch (value_tag(v)) {
    case V_NONE: text_char(p->text, 'N'); return true;
    case V_BOOL: text_char(p->text, (char)(v.b ? 0x88 : 0x89)); return true;
    case V_INT: put_int(p, v.i); return true;
    case V_FLOAT: put_double(p, v.f); return true;
    case V_OBJECT: break;
    default: return err_set(err, ERR_TYPE, "save() does not take %s in Locus", value_type_name(v));
    }
    if (!recalled(p, v.object, &found, err) || found)
        return found;
    if (p->depth == DEPTH_MAX || !session_enough_stack(p->s))
        return recursion_error(err);
    p->depth++;
    bool ok = put_object(p, v, err);
    p->depth--;
    return ok;
}

bool pickle(Session *s, Value v, KeepStorage keep, void *self, Text *text, Err *err)
{
    Pickler p = { .s = s, .text = text, .memo = dict_new(s, err), .keep = keep, .self = self };
    if (!p.memo)
        return false;
    text_put(text, "\x80\x02");
    bool ok = put(&p, v, err);
    text_char(text, '.');
    object_release(&p.memo->head);
    return ok && (!text->failed || err_memory(err, text->n));
}
