/*
 * snapshot.c - what every name holds, as plain data in one arena. Nothing of the program runs for it: a
 * class's own
 * __repr__ and properties are not asked, and no operation on tensors is called.
 */
#include <inttypes.h>
#include <string.h>
#include "lang/run/state.h"
#include "lang/syntax/ast.h"
#include "lang/types/rows.h"

enum { SEARCH = 2000, INT_DIGITS = 4000 };

typedef struct Path { const struct Path *outer; const Object *object; } Path;  /* what we are inside of */
typedef struct Maker {
    Session *s;
    Arena   *arena;
    size_t   width;
    int64_t  budget;                    /* of the search for tensors in what is cut off */
    bool     failed;
} Maker;

static void *take(Maker *m, size_t bytes)
{
    void *memory = arena_take(m->arena, bytes ? bytes : 1);
    m->failed = m->failed || !memory;
    if (memory)
        memset(memory, 0, bytes);
    return memory;
}

static const char *copy(Maker *m, const char *s, size_t n)
{
    char *text = take(m, n + 1);
    if (text && n)
        memcpy(text, s, n);
    return text;
}

/* Takes the text over. */
static const char *copy_text(Maker *m, Text *text, size_t *n)
{
    const char *s = text->failed ? NULL : copy(m, text->n ? text->s : "", text->n);
    m->failed = m->failed || !s;
    if (n)
        *n = text->n;
    text_free(text);
    return s;
}

/* ---- what an object holds ---- */
typedef struct Members { const Value *item; int64_t n; Dict *dict; } Members;

/* An instance of a class derived from list, tuple or dict is shown as what it is derived from. */
static bool is_derived_holder(Value v)
{
    Value content = value_content(v);
    return value_is(content, TYPE_LIST) || value_is(content, TYPE_TUPLE) || value_is(content, TYPE_DICT);
}

static Members members_of(Value v)
{
    if (value_tag(v) != V_OBJECT)
        return (Members){ 0 };
    if (is_derived_holder(v))
        return members_of(value_content(v));
    switch (v.object->type) {
    case TYPE_LIST: return (Members){ ((List *)v.object)->item, ((List *)v.object)->n, NULL };
    case TYPE_TUPLE: case TYPE_NAMEDTUPLE: case TYPE_SIZE: return (Members){ ((Tuple *)v.object)->item,
            ((Tuple *)v.object)->n, NULL };
    case TYPE_DICT: return (Members){ .dict = (Dict *)v.object };
    case TYPE_INSTANCE: return (Members){ .dict = ((Instance *)v.object)->dict };
    case TYPE_EXCEPTION: return (Members){ .dict = ((Exception *)v.object)->dict };
    default: return (Members){ 0 };
    }
}

static bool is_tensor(Value v)
{
    return value_is(v, TYPE_TENSOR) || value_is(v, TYPE_NDARRAY);
}

/* Is a tensor in it, however deep (as far as the budget goes)? */
static bool holds_tensor(Maker *m, Value v, int depth)
{
    if (is_tensor(v))
        return true;
    if (depth > 40 || m->budget-- <= 0 || !session_enough_stack(m->s))
        return false;
    Members in = members_of(v);
    for (int64_t i = 0; i < in.n && m->budget > 0; i++)
        if (holds_tensor(m, in.item[i], depth + 1))
            return true;
    int64_t position = 0;
    Value key, value;
    while (in.dict && m->budget > 0 && dict_next(in.dict, &position, &key, &value))
        if (!value_is_unset(value) && holds_tensor(m, value, depth + 1))
            return true;
    return false;
}

static TensorFact *tensor_fact(Maker *m, Tensor *t)
{
    TensorFact *fact = take(m, sizeof *fact);
    if (!fact)
        return NULL;
    Storage *storage = tensor_storage(t);
    *fact = (TensorFact){
        .tensor = t, .storage = storage_serial(storage), .dtype = tensor_dtype(t), .device = tensor_device(t),
        .ndim = tensor_ndim(t), .shape = tensor_shape(t), .stride = tensor_strides(t), .offset =
            tensor_offset(t),
        .numel = tensor_numel(t), .version = tensor_version(t), .bytes = (int64_t)storage_bytes(storage),
        .reserved = (int64_t)storage_reserved(storage), .data = (uint64_t)(uintptr_t)tensor_data(t),
        .block = (uint64_t)(uintptr_t)storage_data(storage), .requires_grad = tensor_requires_grad(t),
        .is_leaf = tensor_is_leaf(t), .is_view = tensor_base(t) != NULL, .is_contiguous =
            tensor_is_contiguous(t),
    };
    return fact;
}

/* ---- one value ---- */
static FactKind kind_of(Value v)
{
    switch (value_tag(v)) {
    case V_NONE: return FACT_NONE;
    case V_BOOL: return FACT_BOOL;
    case V_INT: return FACT_INT;
    case V_FLOAT: return FACT_FLOAT;
    case V_OBJECT: break;
    default: return FACT_OTHER;
    }
    switch (v.object->type) {
    case TYPE_INT: return FACT_INT;
    case TYPE_STR: return FACT_STR;
    case TYPE_LIST: return FACT_LIST;
    case TYPE_TUPLE: case TYPE_SIZE: case TYPE_NAMEDTUPLE: return FACT_TUPLE;
    case TYPE_TENSOR: case TYPE_NDARRAY: return FACT_TENSOR;
    case TYPE_DICT: return FACT_DICT;
    case TYPE_INSTANCE: return is_derived_holder(v) ? kind_of(value_content(v)) : FACT_INSTANCE;
    case TYPE_MODULE: case TYPE_FUNCTION: case TYPE_CLASS: case TYPE_BUILTIN:
    case TYPE_METHOD: return FACT_HIDDEN;
    default: return FACT_OTHER;
    }
}

static const char *type_of(Maker *m, Value v)
{
    if (value_is(v, TYPE_DTYPE))
        return "torch.dtype";
    if (value_is(v, TYPE_DEVICE))
        return "torch.device";
    if (value_is(v, TYPE_SIZE))
        return "torch.Size";
    const char *name = value_is_array(v) ? "ndarray" : value_type_name(v);
    return copy(m, name, strlen(name));
}

/* Whose repr runs nothing of the program. */
static bool has_plain_repr(Value v)
{
    if (value_tag(v) != V_OBJECT)
        return true;
    switch (v.object->type) {
    case TYPE_INT: case TYPE_STR: case TYPE_RANGE: case TYPE_DTYPE: case TYPE_DEVICE: case TYPE_SIZE:
    case TYPE_BYTES:
        return true;
    default:
        return false;
    }
}

static const char *repr_of(Maker *m, Value v, size_t *n)
{
    Text text = { 0 };
    Err err = { .kind = ERR_NONE };
    bool plain = has_plain_repr(v);
    if (value_is(v, TYPE_SET) || value_is(v, TYPE_FROZENSET)) {
        Dict *set = (Dict *)v.object;
        int64_t position = 0;
        Value key, value;
        plain = set->used <= 100;
        while (plain && dict_next(set, &position, &key, &value))
            plain = has_plain_repr(key);
    }
    if (value_is(v, TYPE_INT))
        big_print(v, 10, &text);                        /* a trace has all digits */
    else if (!plain || !value_repr(m->s, v, &text, &err)) {
        text_free(&text);
        text_print(&text, "<%s object>", value_type_name(v));
    }
    return copy_text(m, &text, n);
}

static void fill(Maker *m, Value v, int depth, const Path *path, Fact *fact);

static bool is_inside(const Path *path, const Object *object)
{
    for (; path; path = path->outer)
        if (path->object == object)
            return true;
    return false;
}

static void fill_items(Maker *m, Value v, int depth, const Path *path, Fact *fact)
{
    Members in = members_of(v);
    int64_t total = in.dict ? in.dict->used : in.n;
    fact->length = (size_t)total;
    if (total == 0 || is_inside(path, v.object))
        return;
    if (depth <= 0 || !session_enough_stack(m->s)) {
        fact->cut = true;
        fact->holds_tensor = holds_tensor(m, v, 0);
        return;
    }
    Path here = { path, v.object };
    size_t n = (uint64_t)total < m->width ? (size_t)total : m->width;
    fact->cut = n < (size_t)total;
    fact->item = take(m, n * sizeof *fact->item);
    for (size_t i = 0; i < n && fact->item && !in.dict; i++)
        fill(m, in.item[i], depth - 1, &here, &fact->item[fact->items++]);
    int64_t position = 0;
    Value key, value;
    while (in.dict && fact->item && fact->items < n && dict_next(in.dict, &position, &key, &value)) {
        Fact *item = &fact->item[fact->items++];
        fill(m, value, depth - 1, &here, item);
        if (fact->kind != FACT_DICT && value_is(key, TYPE_STR))
            item->key = copy(m, ((Str *)key.object)->s, (size_t)((Str *)key.object)->size);
        else
            item->key = repr_of(m, key, NULL);
    }
    for (size_t i = 0; i < fact->items; i++)
        fact->holds_tensor = fact->holds_tensor || fact->item[i].holds_tensor;
    if (fact->cut && !fact->holds_tensor)
        fact->holds_tensor = holds_tensor(m, v, 0);
}

static void fill(Maker *m, Value v, int depth, const Path *path, Fact *fact)
{
    if (m->failed)
        return;
    fact->kind = kind_of(v);
    fact->type = type_of(m, v);
    fact->id = value_id(m->s, v);
    switch (fact->kind) {
    case FACT_BOOL:
        fact->b = v.b;
        break;
    case FACT_FLOAT:
        fact->f = v.f;
        break;
    case FACT_INT:
        fact->text = repr_of(m, v, &fact->text_size);
        break;
    case FACT_STR:
        fact->text_size = (size_t)((Str *)v.object)->size;
        fact->text = copy(m, ((Str *)v.object)->s, fact->text_size);
        break;
    case FACT_TENSOR:
        fact->object = tensor_serial(value_tensor(v));
        fact->tensor = tensor_fact(m, value_tensor(v));
        fact->holds_tensor = true;
        break;
    case FACT_LIST: case FACT_TUPLE: case FACT_DICT: case FACT_INSTANCE:
        fact->object = object_serial(v.object);
        fill_items(m, v, depth, path, fact);
        break;
    case FACT_OTHER:
        fact->text = repr_of(m, v, &fact->text_size);
        break;
    default:
        break;
    }
}

/* A fact of one value, in an arena of the caller's; false: no memory. Used for the value of a statement too.
 * */
bool snapshot_fact(Session *s, Arena *arena, Value v, int depth, size_t width, Fact *fact)
{
    Maker m = { .s = s, .arena = arena, .width = width, .budget = SEARCH };
    *fact = (Fact){ 0 };
    fill(&m, v, depth, NULL, fact);
    return !m.failed;
}

typedef struct Hidden { Maker *m; Snapshot *snapshot; size_t capacity; int depth; } Hidden;

static void add_hidden(void *to, const char *name, Value v)
{
    Hidden *h = to;
    Snapshot *snapshot = h->snapshot;
    if (h->m->failed || value_is_unset(v))
        return;
    if (snapshot->hidden_names == h->capacity) {
        size_t capacity = h->capacity ? 2 * h->capacity : 8;
        NamedFact *larger = take(h->m, capacity * sizeof *larger);
        if (!larger)
            return;
        if (h->capacity)
            memcpy(larger, snapshot->hidden, h->capacity * sizeof *larger);
        snapshot->hidden = larger;
        h->capacity = capacity;
    }
    NamedFact *named = &snapshot->hidden[snapshot->hidden_names++];
    named->name = copy(h->m, name, strlen(name));
    fill(h->m, v, h->depth, NULL, &named->fact);
}

static bool is_holder(Value v)
{
    FactKind kind = value_tag(v) == V_OBJECT ? kind_of(v) : FACT_NONE;
    return kind == FACT_TENSOR || kind == FACT_LIST || kind == FACT_TUPLE || kind == FACT_DICT || kind == FACT_INSTANCE;
}

static Snapshot *snapshot_of(Session *s, int depth, size_t width, bool holders)
{
    Arena *arena = mem_new(s->heap, sizeof *arena);
    if (!arena)
        return NULL;
    *arena = (Arena){ .heap = s->heap };
    Maker m = { .s = s, .arena = arena, .width = width };
    Snapshot *snapshot = take(&m, sizeof *snapshot);
    size_t most = holders ? 0 : (size_t)s->globals;
    for (int i = 0; holders && i < s->globals; i++)
        most += is_holder(s->global[i].value);
    if (snapshot) {
        snapshot->arena = arena;
        snapshot->name = take(&m, most * sizeof *snapshot->name);
    }
    for (int i = 0; i < s->globals && !m.failed; i++) {
        GlobalSlot *slot = &s->global[i];
        if ((holders && !is_holder(slot->value)) || value_is_unset(slot->value)
            || (session_is_out(s, slot->value) && !strcmp(slot->name->s, "Out")))
            continue;
        NamedFact *named = &snapshot->name[snapshot->names++];
        named->name = copy(&m, slot->name->s, (size_t)slot->name->size);
        m.budget = SEARCH;
        fill(&m, slot->value, depth, NULL, &named->fact);
    }
    m.budget = SEARCH;
    Hidden hidden = { .m = &m, .snapshot = snapshot, .depth = depth };
    if (!m.failed)
        session_holders(s, add_hidden, &hidden);
    if (m.failed) {
        arena_free(arena);
        mem_free(s->heap, arena);
        return NULL;
    }
    return snapshot;
}

Snapshot *session_snapshot(Session *s, int depth, size_t width) { return snapshot_of(s, depth, width, false); }
Snapshot *session_snapshot_holders(Session *s, int depth, size_t width) { return snapshot_of(s, depth, width, true); }

void snapshot_free(Snapshot *snapshot)
{
    if (!snapshot)
        return;
    Arena *arena = snapshot->arena;
    Heap *heap = arena->heap;
    arena_free(arena);
    mem_free(heap, arena);
}
