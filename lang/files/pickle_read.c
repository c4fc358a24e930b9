/*
 * pickle_read.c - the pickles inside PyTorch's files, read by a strict machine: it knows dicts, lists, tuples, sets, numbers, texts,
 * tensors and little else, calls nothing that a file names, and keeps to the limits of the file.
 */
#include "lang/files/files.h"
#include <stdlib.h>

enum { MARKS_MAX = 10000, TEXT_MAX = 1 << 28 };

/* What the few names that a file may use stand for. */
typedef enum Known_ {
    K_NONE, K_TENSOR, K_PARAMETER, K_ORDERED, K_SIZE, K_DEVICE, K_DTYPE, K_STORAGE, K_SET, K_FROZENSET
} Known_;

struct Unpickler {
    Session *s;
    const unsigned char *p, *end;
    Value   *stack;                     /* owned */
    size_t   n, capacity;
    size_t  *mark;                      /* where marks stand: the size of the stack then */
    int      marks;
    Value   *memo;                      /* owned */
    size_t   memos;
    FindStorage find;
    void    *self;
};

static bool broken(const char *why, Err *err) { return err_set(err, ERR_RUNTIME, "the file's pickle is damaged or not supported by Locus: %s", why); }

/* A name of the file, between the opcode that names it and the one that uses it: number says which, held[0] a tensor. */
static const Type type_known = { .name = "pickled name" };
static bool is_known(Value v, Known_ what) { return is_native(v, &type_known) && ((NativeObject *)v.object)->number % 256 == (int64_t)what; }
static DType known_dtype(Value v) { return (DType)(((NativeObject *)v.object)->number / 256); }

/* ---- the stack ------------------------------------------------------------------------------------------------------- */
static bool push(Unpickler *u, Value taken, Err *err)
{
    if (u->n == u->capacity) {
        size_t capacity = u->capacity ? 2 * u->capacity : 64;
        Value *larger = mem_resize(u->s->heap, u->stack, capacity * sizeof *larger);
        if (!larger) {
            value_release(taken);
            return err_memory(err, capacity * sizeof *larger);
        }
        u->stack = larger;
        u->capacity = capacity;
    }
    u->stack[u->n++] = taken;
    return true;
}

static bool has(const Unpickler *u, size_t n, Err *err)
{
    size_t floor = u->marks ? u->mark[u->marks - 1] : 0;
    return u->n - floor >= n || broken("it takes more from its stack than there is", err);
}

/* The size of the stack at the last mark, which is taken away. */
static bool pop_mark(Unpickler *u, size_t *at, Err *err)
{
    if (!u->marks)
        return broken("a mark is missing", err);
    *at = u->mark[--u->marks];
    return *at <= u->n || broken("its marks are out of order", err);
}

static void drop_to(Unpickler *u, size_t n)
{
    while (u->n > n)
        value_release(u->stack[--u->n]);
}

static bool bytes(Unpickler *u, size_t n, const unsigned char **at, Err *err)
{
    if ((size_t)(u->end - u->p) < n)
        return broken("it ends too early", err);
    *at = u->p;
    u->p += n;
    return true;
}

static bool number(Unpickler *u, int n, uint64_t *to, Err *err)
{
    const unsigned char *at = NULL;
    if (!bytes(u, (size_t)n, &at, err))
        return false;
    *to = bytes_le(at, n);
    return true;
}

/* Names of the file may be used, not kept. */
static bool is_value(Value v, int depth)
{
    if (is_native(v, &type_known))
        return false;
    if (value_is(v, TYPE_TUPLE) && depth < 100)
        for (int64_t k = 0; k < ((Tuple *)v.object)->n; k++)
            if (!is_value(((Tuple *)v.object)->item[k], depth + 1))
                return false;
    return true;
}

/* ---- the memo ---------------------------------------------------------------------------------------------------------- */
static bool memoize(Unpickler *u, uint64_t index, Err *err)
{
    if (!has(u, 1, err))
        return false;
    if (index >= u->memos) {
        if (index > 2 * u->memos + 1024 || index > 1u << 26)    /* indices come one after the other */
            return broken("a memo index is out of order", err);
        size_t memos = (size_t)index + 64 + u->memos / 2;
        Value *larger = mem_resize(u->s->heap, u->memo, memos * sizeof *larger);
        if (!larger)
            return err_memory(err, memos * sizeof *larger);
        u->memo = larger;
        while (u->memos < memos)
            u->memo[u->memos++] = value_unset();
    }
    value_replace(&u->memo[index], value_retain(u->stack[u->n - 1]));
    return true;
}

static bool recall(Unpickler *u, uint64_t index, Err *err)
{
    if (index >= u->memos || value_is_unset(u->memo[index]))
        return broken("it recalls what was not kept", err);
    return push(u, value_retain(u->memo[index]), err);
}

/* ---- containers ----------------------------------------------------------------------------------------------------------- */
static bool make_tuple(Unpickler *u, size_t from, Err *err)
{
    Tuple *made = tuple_new(u->s, (int64_t)(u->n - from), err);
    if (!made)
        return false;
    for (size_t k = from; k < u->n; k++)
        made->item[k - from] = u->stack[k];
    u->n = from;
    return push(u, value_object_take(made), err);
}

static Dict *dict_under(const Unpickler *u, size_t at)
{
    Value v = u->stack[at - 1];
    return value_is(v, TYPE_DICT) ? (Dict *)v.object : ordered_dict(v);
}

static bool set_items(Unpickler *u, size_t from, Err *err)
{
    size_t floor = u->marks ? u->mark[u->marks - 1] : 0;
    if (from <= floor || (u->n - from) % 2 || !dict_under(u, from))
        return broken("entries are set in what is no dict", err);
    for (size_t k = from; k < u->n; k += 2) {
        if (!is_value(u->stack[k], 0) || !is_value(u->stack[k + 1], 0))
            return broken("it keeps what is no value", err);
        if (!dict_set(u->s, dict_under(u, from), u->stack[k], u->stack[k + 1], err))
            return false;
    }
    drop_to(u, from);
    return true;
}

static bool append(Unpickler *u, size_t from, Err *err)
{
    size_t floor = u->marks ? u->mark[u->marks - 1] : 0;
    if (from <= floor || !(value_is(u->stack[from - 1], TYPE_LIST) || value_is(u->stack[from - 1], TYPE_SET)))
        return broken("items are added to what is no list", err);
    for (size_t k = from; k < u->n; k++) {
        Value to = u->stack[from - 1];
        if (!is_value(u->stack[k], 0))
            return broken("it keeps what is no value", err);
        if (!(value_is(to, TYPE_LIST) ? list_append(u->s, (List *)to.object, u->stack[k], err) : set_add(u->s, (Dict *)to.object, u->stack[k], err)))
            return false;
    }
    drop_to(u, from);
    return true;
}

/* ---- names and calls ---------------------------------------------------------------------------------------------------- */
static Known_ name_of(const char *module, size_t m, const char *name, size_t n, DType *dtype)
{
    static const struct { const char *module, *name; Known_ what; } names[] = {
        { "torch._utils", "_rebuild_tensor_v2", K_TENSOR }, { "torch._utils", "_rebuild_parameter", K_PARAMETER },
        { "collections", "OrderedDict", K_ORDERED }, { "torch", "Size", K_SIZE }, { "torch", "device", K_DEVICE },
        { "builtins", "set", K_SET }, { "__builtin__", "set", K_SET }, { "builtins", "frozenset", K_FROZENSET },
        { "__builtin__", "frozenset", K_FROZENSET },
    };
    static const struct { const char *name; DType dtype; } storages[] = {
        { "FloatStorage", DT_F32 }, { "DoubleStorage", DT_F64 }, { "HalfStorage", DT_F16 }, { "BFloat16Storage", DT_BF16 }, { "LongStorage", DT_I64 },
        { "IntStorage", DT_I32 }, { "ShortStorage", DT_I16 }, { "CharStorage", DT_I8 }, { "ByteStorage", DT_U8 }, { "BoolStorage", DT_BOOL },
    };
#define IS(text, size, wanted) (strlen(wanted) == (size) && !memcmp(text, wanted, size))
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (IS(module, m, names[k].module) && IS(name, n, names[k].name))
            return names[k].what;
    if (!IS(module, m, "torch"))
        return K_NONE;
    for (size_t k = 0; k < sizeof storages / sizeof *storages; k++)
        if (IS(name, n, storages[k].name))
            return *dtype = storages[k].dtype, K_STORAGE;
    for (int k = 0; k < DT_COUNT; k++)
        if (IS(name, n, dtype_name((DType)k)))
            return *dtype = (DType)k, K_DTYPE;
    return K_NONE;
}

static bool push_name(Unpickler *u, const char *module, size_t m, const char *name, size_t n, Err *err)
{
    DType dtype = DT_BOOL;
    Known_ what = name_of(module, m, name, n, &dtype);
    if (what == K_NONE) {
        err_set(err, ERR_RUNTIME, "the file holds %.*s.%.*s, which Locus does not load", m > 60 ? 60 : (int)m, module, n > 60 ? 60 : (int)n, name);
        return err_hint(err, "tensors, dicts, lists, tuples, numbers and texts are loaded: torch.save(net.state_dict(), …)");
    }
    if (what == K_DTYPE) {
        Value v;
        return dtype_value(u->s, dtype, &v, err) && push(u, v, err);
    }
    NativeObject *made = native_new(u->s, &type_known, value_unset(), value_unset(), value_unset(), err);
    if (!made)
        return false;
    made->number = (int64_t)what + 256 * (int64_t)dtype;
    return push(u, value_object_take(made), err);
}

static bool line(Unpickler *u, const char **text, size_t *n, Err *err)
{
    const unsigned char *end = memchr(u->p, '\n', (size_t)(u->end - u->p));
    if (!end)
        return broken("it ends too early", err);
    *text = (const char *)u->p;
    *n = (size_t)(end - u->p);
    u->p = end + 1;
    return true;
}

/* Sizes or strides: a tuple of ints that are not negative. */
static bool dims(Value v, int *n, int64_t *to)
{
    if (!value_is(v, TYPE_TUPLE) && !value_is(v, TYPE_SIZE))
        return false;
    const Tuple *tuple = (Tuple *)v.object;
    if (tuple->n > 64)
        return false;
    *n = (int)tuple->n;
    for (int d = 0; d < *n; d++)
        if (value_tag(tuple->item[d]) != V_INT || (to[d] = tuple->item[d].i) < 0)
            return false;
    return true;
}

/* Does every element lie in the storage? */
static bool inside(int64_t numel, int64_t offset, int n, const int64_t *shape, const int64_t *stride)
{
    int64_t last = offset, step, elements = 1;
    for (int d = 0; d < n; d++) {
        if (!shape[d])
            return offset <= numel;
        if (__builtin_mul_overflow(shape[d] - 1, stride[d], &step) || __builtin_add_overflow(last, step, &last)
            || __builtin_mul_overflow(elements, shape[d], &elements))
            return false;
    }
    return last < numel;
}

/* _rebuild_tensor_v2(storage, offset, sizes, strides, requires_grad, hooks) */
static bool rebuild_tensor(Unpickler *u, const Tuple *arg, Value *out, Err *err)
{
    int64_t shape[64], stride[64];
    int n = 0, m = 0;
    if (arg->n < 6 || !is_known(arg->item[0], K_TENSOR) || value_tag(arg->item[1]) != V_INT || arg->item[1].i < 0
        || !dims(arg->item[2], &n, shape) || !dims(arg->item[3], &m, stride) || n != m || value_tag(arg->item[4]) != V_BOOL)
        return broken("a tensor is not described as one", err);
    Tensor *whole = value_tensor(((NativeObject *)arg->item[0].object)->held[0]);
    if (!inside(tensor_numel(whole), arg->item[1].i, n, shape, stride))
        return broken("a tensor reaches beyond its storage", err);
    Tensor *t = tensor_over(&u->s->ctx, whole, n, shape, stride, arg->item[1].i, err);
    if (!t)
        return false;
    if (arg->item[4].b && !tensor_set_requires_grad(&u->s->ctx, t, true, err)) {
        tensor_release(t);
        return false;
    }
    *out = value_tensor_take(t);
    return true;
}

static bool call_name(Unpickler *u, Value name, const Tuple *arg, Value *out, Err *err)
{
    Session *s = u->s;
    int64_t shape[64];
    int n;
    if (is_known(name, K_TENSOR) && value_is_unset(((NativeObject *)name.object)->held[0]))
        return rebuild_tensor(u, arg, out, err);
    if (is_known(name, K_ORDERED) && arg->n == 0) {
        Dict *dict = dict_new(s, err);
        return dict && ordered_new(s, dict, out, err);
    }
    if (is_known(name, K_SIZE) && arg->n == 1 && dims(arg->item[0], &n, shape))
        return size_value(s, n, shape, out, err);
    if (is_known(name, K_DEVICE) && arg->n >= 1 && value_is(arg->item[0], TYPE_STR)) {
        Device device;
        return device_from_value(s, arg->item[0], &device, err) && device_value(s, device, out, err);
    }
    if ((is_known(name, K_SET) || is_known(name, K_FROZENSET)) && arg->n == 1 && value_is(arg->item[0], TYPE_LIST)) {
        Dict *set = set_new(s, is_known(name, K_SET) ? TYPE_SET : TYPE_FROZENSET, err);
        bool ok = set && set_update(s, set, arg->item[0], err);
        if (set && !ok)
            object_release(&set->head);
        *out = ok ? value_object_take(set) : value_unset();
        return ok;
    }
    if (is_known(name, K_PARAMETER)) {
        err_set(err, ERR_NOT_IMPLEMENTED, "the file holds a Parameter, which Locus does not load");
        return err_hint(err, "torch.save(net.state_dict(), …) saves its tensors");
    }
    return broken("it calls what is no function", err);
}

static bool reduce(Unpickler *u, Err *err)
{
    Value out = value_unset();
    if (!has(u, 2, err))
        return false;
    if (!value_is(u->stack[u->n - 1], TYPE_TUPLE))
        return broken("a call has no arguments", err);
    bool ok = call_name(u, u->stack[u->n - 2], (Tuple *)u->stack[u->n - 1].object, &out, err);
    drop_to(u, u->n - 2);
    return ok && push(u, out, err);
}

/* ('storage', FloatStorage, '0', 'cpu', 12): the storage as a tensor over all of it. */
static bool persistent(Unpickler *u, Err *err)
{
    if (!has(u, 1, err))
        return false;
    Value id = u->stack[u->n - 1];
    const Tuple *t = value_is(id, TYPE_TUPLE) ? (Tuple *)id.object : NULL;
    if (!t || t->n < 5 || !value_is(t->item[0], TYPE_STR) || strcmp(((Str *)t->item[0].object)->s, "storage") || !is_known(t->item[1], K_STORAGE)
        || !value_is(t->item[2], TYPE_STR) || !value_is(t->item[3], TYPE_STR) || value_tag(t->item[4]) != V_INT || t->item[4].i < 0)
        return broken("a storage is not described as one", err);
    const Str *key = (Str *)t->item[2].object, *place = (Str *)t->item[3].object;
    Tensor *whole = u->find(u->self, key->s, (size_t)key->size, place->s, known_dtype(t->item[1]), t->item[4].i, err);
    if (!whole)
        return false;
    NativeObject *made = native_new(u->s, &type_known, array_take(whole), value_unset(), value_unset(), err);
    tensor_release(whole);
    if (!made)
        return false;
    made->number = K_TENSOR;
    drop_to(u, u->n - 1);
    return push(u, value_object_take(made), err);
}

/* The state of an OrderedDict (a module's _metadata) is of no use here; other objects have none. */
static bool build(Unpickler *u, Err *err)
{
    if (!has(u, 2, err))
        return false;
    if (!ordered_dict(u->stack[u->n - 2]) || !value_is(u->stack[u->n - 1], TYPE_DICT))
        return broken("it sets attributes of an object", err);
    drop_to(u, u->n - 1);
    return true;
}

/* ---- opcodes ----------------------------------------------------------------------------------------------------------------- */
static bool push_text(Unpickler *u, int width, Err *err)
{
    const unsigned char *at = NULL;
    uint64_t n = 0;
    if (!number(u, width, &n, err))
        return false;
    if (n > TEXT_MAX || !bytes(u, (size_t)n, &at, err))
        return err->kind ? false : broken("a text is too long", err);
    Str *made = str_new(u->s, (const char *)at, (int64_t)n, err);
    return made && push(u, value_object_take(made), err);
}

static bool push_long(Unpickler *u, Err *err)
{
    const unsigned char *at = NULL;
    uint64_t n = 0, value;
    if (!number(u, 1, &n, err) || !bytes(u, (size_t)n, &at, err))
        return false;
    if (n > 8)
        return broken("an int is beyond 64 bits", err);
    value = bytes_le(at, (int)n);
    if (n && n < 8 && at[n - 1] & 0x80)
        value |= ~(uint64_t)0 << (8 * n);
    return push(u, int_new(u->s, (int64_t)value), err);
}

static bool push_double(Unpickler *u, Err *err)
{
    const unsigned char *at = NULL;
    uint64_t bits = 0;
    double f;
    if (!bytes(u, 8, &at, err))
        return false;
    for (int k = 0; k < 8; k++)
        bits = bits << 8 | at[k];
    memcpy(&f, &bits, sizeof f);
    return push(u, float_new(u->s, f), err);
}

static bool push_mark(Unpickler *u, Err *err)
{
    if (u->marks == MARKS_MAX)
        return broken("it is nested too deep", err);
    u->mark[u->marks++] = u->n;
    return true;
}

static bool push_object(Unpickler *u, int opcode, Err *err)
{
    void *made = opcode == '}' ? (void *)dict_new(u->s, err) : opcode == ']' ? (void *)list_new(u->s, 0, err)
               : opcode == ')' ? (void *)tuple_new(u->s, 0, err) : (void *)set_new(u->s, TYPE_SET, err);
    return made && push(u, value_object_take(made), err);
}

static bool stack_global(Unpickler *u, Err *err)
{
    if (!has(u, 2, err))
        return false;
    Value module = u->stack[u->n - 2], name = u->stack[u->n - 1];
    if (!value_is(module, TYPE_STR) || !value_is(name, TYPE_STR))
        return broken("a name is no text", err);
    const Str *m = (Str *)module.object, *n = (Str *)name.object;
    bool ok = push_name(u, m->s, (size_t)m->size, n->s, (size_t)n->size, err);
    if (ok) {                                           /* it lies above the two texts */
        Value made = u->stack[--u->n];
        drop_to(u, u->n - 2);
        ok = push(u, made, err);
    }
    return ok;
}

enum { STOPPED = 1, GOES_ON = 0, FAILED = -1 };

static int step(Unpickler *u, Err *err)
{
    const unsigned char *at = NULL;
    const char *module = NULL, *name = NULL;
    size_t m = 0, n = 0, from = 0;
    uint64_t k = 0;
    if (!bytes(u, 1, &at, err))
        return FAILED;
    bool ok;
    switch (*at) {
    case 0x80: ok = number(u, 1, &k, err) && (k <= 5 || broken("its protocol is unknown", err)); break;
    case 0x95: ok = number(u, 8, &k, err); break;
    case '(': ok = push_mark(u, err); break;
    case '}': case ']': case ')': case 0x8f: ok = push_object(u, *at, err); break;
    case 'N': ok = push(u, value_none(), err); break;
    case 0x88: case 0x89: ok = push(u, value_bool(*at == 0x88), err); break;
    case 'K': ok = number(u, 1, &k, err) && push(u, int_new(u->s, (int64_t)k), err); break;
    case 'M': ok = number(u, 2, &k, err) && push(u, int_new(u->s, (int64_t)k), err); break;
    case 'J': ok = number(u, 4, &k, err) && push(u, int_new(u->s, (int32_t)(uint32_t)k), err); break;
    case 0x8a: ok = push_long(u, err); break;
    case 'G': ok = push_double(u, err); break;
    case 'X': ok = push_text(u, 4, err); break;
    case 0x8c: ok = push_text(u, 1, err); break;
    case 0x8d: ok = push_text(u, 8, err); break;
    case 'q': ok = number(u, 1, &k, err) && memoize(u, k, err); break;
    case 'r': ok = number(u, 4, &k, err) && memoize(u, k, err); break;
    case 0x94: ok = broken("it comes from a newer protocol", err); break;
    case 'h': ok = number(u, 1, &k, err) && recall(u, k, err); break;
    case 'j': ok = number(u, 4, &k, err) && recall(u, k, err); break;
    case 't': ok = pop_mark(u, &from, err) && make_tuple(u, from, err); break;
    case 0x85: case 0x86: case 0x87: ok = has(u, (size_t)*at - 0x84, err) && make_tuple(u, u->n - (*at - 0x84u), err); break;
    case 'a': ok = has(u, 2, err) && append(u, u->n - 1, err); break;
    case 'e': case 0x90: ok = pop_mark(u, &from, err) && append(u, from, err); break;
    case 's': ok = has(u, 3, err) && set_items(u, u->n - 2, err); break;
    case 'u': ok = pop_mark(u, &from, err) && set_items(u, from, err); break;
    case 'c': ok = line(u, &module, &m, err) && line(u, &name, &n, err) && push_name(u, module, m, name, n, err); break;
    case 0x93: ok = stack_global(u, err); break;
    case 'R': ok = reduce(u, err); break;
    case 'Q': ok = persistent(u, err); break;
    case 'b': ok = build(u, err); break;
    case '.': return has(u, 1, err) && (is_value(u->stack[u->n - 1], 0) || broken("it is no value", err)) ? STOPPED : FAILED;
    default:
        ok = err_set(err, ERR_RUNTIME, "the file's pickle has the opcode 0x%02x, which Locus does not take", *at);
    }
    return ok ? GOES_ON : FAILED;
}

bool unpickle(Session *s, const unsigned char *data, size_t n, FindStorage find, void *self, Value *out, Err *err)
{
    Unpickler u = { .s = s, .p = data, .end = data + n, .find = find, .self = self };
    int state = GOES_ON;
    *out = value_unset();
    err->kind = ERR_NONE;
    if (!(u.mark = mem_new(s->heap, MARKS_MAX * sizeof *u.mark)))
        return err_memory(err, MARKS_MAX * sizeof *u.mark);
    while (state == GOES_ON)
        state = step(&u, err);
    if (state == STOPPED)
        *out = value_retain(u.stack[u.n - 1]);
    drop_to(&u, 0);
    for (size_t k = 0; k < u.memos; k++)
        value_release(u.memo[k]);
    mem_free(s->heap, u.stack);
    mem_free(s->heap, u.memo);
    mem_free(s->heap, u.mark);
    return state == STOPPED;
}
