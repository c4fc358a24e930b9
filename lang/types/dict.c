/*
 * dict.c - the hash table of dict and set. A dict keeps its entries in the order they came. A set is walked in the order of
 * its slots, which are chosen as CPython chooses them, so that sets of numbers show in the same order.
 *
 * Comparing keys may run code of the program that changes the table: the version tells, and the search begins again.
 */
#include "lang/types/containers.h"
#include <string.h>

enum { SLOT_EMPTY = -1, SLOT_DELETED = -2, LEAST_SLOTS = 8, SET_PROBES = 9 };

static bool table_is_set(const Dict *d)
{
    return d->head.type != TYPE_DICT;
}

static Dict *table_new(Session *s, TypeId type, Err *err)
{
    Dict *d = heap_object_new(s->heap, sizeof *d, type, err);
    if (!d)
        return NULL;
    d->used = d->filled = d->capacity = 0;
    d->entry = NULL;
    d->index = NULL;
    d->mask = d->version = 0;
    return d;
}

Dict *dict_new(Session *s, Err *err)
{
    return table_new(s, TYPE_DICT, err);
}

Dict *set_new(Session *s, TypeId type, Err *err)
{
    return table_new(s, type, err);
}

bool key_error(Session *s, Value key, Err *err)
{
    Value exception, argument = key;
    Class *cls = class_of_error(s, ERR_KEY);
    if (!cls)
        return err_memory(err, sizeof *cls);
    if (!value_call(s, value_object_take(cls), &argument, 1, 0, NULL, &exception, err))
        return false;
    session_raise(s, (Exception *)exception.object, err);
    value_release(exception);
    return false;
}

bool key_error_text(Session *s, const char *text, Err *err)
{
    Str *str = str_new(s, text, (int64_t)strlen(text), err);
    if (!str)
        return false;
    key_error(s, value_object_take(str), err);
    object_release(&str->head);
    return false;
}

/* ---- slots ---------------------------------------------------------------------------------------------- */
/* The slots to look at for a hash, one after another: runs of neighbours in a set, single ones in a dict. */
typedef struct Probe { uint64_t i, perturb, mask; uint32_t at, left; bool runs; } Probe;

static void probe_run(Probe *probe)
{
    probe->at = (uint32_t)probe->i;
    probe->left = probe->runs && probe->i + SET_PROBES <= probe->mask ? SET_PROBES : 0;
}

static Probe probe_begin(const Dict *d, uint64_t hash)
{
    Probe probe = { .i = hash & d->mask, .perturb = hash, .mask = d->mask, .runs = table_is_set(d) };
    probe_run(&probe);
    return probe;
}

static void probe_next(Probe *probe)
{
    if (probe->left) {
        probe->left--;
        probe->at++;
        return;
    }
    probe->perturb >>= 5;
    probe->i = (probe->i * 5 + 1 + probe->perturb) & probe->mask;
    probe_run(probe);
}

static int64_t capacity_of(const Dict *d, int64_t slots)
{
    return table_is_set(d) ? slots * 3 / 5 + 2 : slots * 2 / 3;
}

/* Makes the table anew with so many slots; entries that were deleted go. A set's entries come in the order of its slots. */
static bool table_rebuild(Dict *d, int64_t slots, Err *err)
{
    Heap *heap = heap_of(d);
    int64_t capacity = capacity_of(d, slots);
    if (slots > INT32_MAX / 2)
        return err_memory(err, (size_t)slots * sizeof *d->entry);
    DictEntry *entry = mem_new(heap, (size_t)capacity * sizeof *entry);
    int32_t *index = entry ? mem_new(heap, (size_t)slots * sizeof *index) : NULL;
    if (!index) {
        mem_free(heap, entry);
        return err_memory(err, (size_t)capacity * sizeof *entry);
    }
    Dict old = *d;
    d->entry = entry;
    d->index = index;
    d->mask = (uint32_t)(slots - 1);
    d->capacity = capacity;
    d->filled = 0;
    d->version++;
    for (int64_t i = 0; i < slots; i++)
        index[i] = SLOT_EMPTY;
    int64_t places = table_is_set(d) ? (old.index ? (int64_t)old.mask + 1 : 0) : old.filled;
    for (int64_t k = 0; k < places; k++) {
        int64_t from = table_is_set(d) ? old.index[k] : k;
        if (from < 0 || value_is_unset(old.entry[from].key))
            continue;
        Probe probe = probe_begin(d, old.entry[from].hash);
        while (index[probe.at] != SLOT_EMPTY)
            probe_next(&probe);
        index[probe.at] = (int32_t)d->filled;
        entry[d->filled++] = old.entry[from];
    }
    mem_free(heap, old.entry);
    mem_free(heap, old.index);
    return true;
}

static int64_t slots_for(const Dict *d, int64_t entries)
{
    int64_t slots = LEAST_SLOTS;
    if (table_is_set(d))
        while (slots <= entries)
            slots <<= 1;
    else
        while (slots * 2 / 3 < entries)
            slots <<= 1;
    return slots;
}

bool set_reserve(Session *s, Dict *set, int64_t more, Err *err)
{
    (void)s;
    int64_t mask = set->index ? (int64_t)set->mask : LEAST_SLOTS - 1;
    if ((set->filled + more) * 5 < mask * 3)
        return true;
    return table_rebuild(set, slots_for(set, (set->used + more) * 2), err);
}

/* ---- finding -------------------------------------------------------------------------------------------- */
static bool key_same(Value a, Value b)
{
    if (value_tag(a) == V_OBJECT && value_tag(b) == V_OBJECT)
        return a.object == b.object || (a.object->type == TYPE_STR && b.object->type == TYPE_STR
                                        && str_equal((Str *)a.object, (Str *)b.object));
    return value_tag(a) == value_tag(b) && (value_tag(a) == V_INT ? a.i == b.i : value_same(a, b));
}

/* Two keys that only their own comparison can tell apart. */
static bool keys_need_compare(Value a, Value b)
{
    return !(value_is(a, TYPE_STR) && value_is(b, TYPE_STR)) && !(value_tag(a) == V_INT && value_tag(b) == V_INT);
}

static int64_t search(Session *s, Dict *d, Value key, uint64_t hash, uint32_t *slot, bool *again, Err *err)
{
    *again = false;
    if (!d->index)
        return -1;
    for (Probe probe = probe_begin(d, hash);; probe_next(&probe)) {
        int32_t at = d->index[probe.at];
        *slot = probe.at;
        if (at == SLOT_EMPTY)
            return -1;
        if (at < 0 || d->entry[at].hash != hash)
            continue;
        Value other = d->entry[at].key;
        if (key_same(other, key))
            return at;
        if (!keys_need_compare(other, key))
            continue;
        bool equal;
        uint32_t version = d->version;
        value_retain(other);
        bool ok = value_equal(s, other, key, &equal, err);
        value_release(other);
        if (!ok)
            return -2;
        if (d->version != version) {
            *again = true;
            return -1;
        }
        if (equal)
            return at;
    }
}

static int64_t find(Session *s, Dict *d, Value key, uint64_t hash, uint32_t *slot, Err *err)
{
    bool again;
    int64_t at;
    d->head.count++;                    /* the comparison may let go of the table */
    do
        at = search(s, d, key, hash, slot, &again, err);
    while (again);
    object_release(&d->head);
    return at;
}

int64_t table_find(Session *s, Dict *d, Value key, uint64_t hash, Err *err)
{
    uint32_t slot;
    return find(s, d, key, hash, &slot, err);
}

Value *dict_find_str(Dict *d, Str *key)
{
    if (!d->index)
        return NULL;
    uint64_t hash = str_hash(key);
    for (Probe probe = probe_begin(d, hash);; probe_next(&probe)) {
        int32_t at = d->index[probe.at];
        if (at == SLOT_EMPTY)
            return NULL;
        if (at < 0 || d->entry[at].hash != hash || !value_is(d->entry[at].key, TYPE_STR))
            continue;
        Str *other = (Str *)d->entry[at].key.object;
        if (other == key || str_equal(other, key))
            return &d->entry[at].value;
    }
}

bool dict_get(Session *s, Dict *d, Value key, Value *out, Err *err)
{
    uint64_t hash;
    *out = value_unset();
    if (!value_hash(s, key, &hash, err))
        return false;
    int64_t at = table_find(s, d, key, hash, err);
    if (at >= 0)
        *out = d->entry[at].value;
    return at > -2;
}

/* ---- changing ------------------------------------------------------------------------------------------- */
/* A new entry for a key that is not there: into the first empty slot of its way (never a deleted one, as sets do). */
static bool add_entry(Dict *d, Value key, Value value, uint64_t hash, Err *err)
{
    if (!d->index ? !table_rebuild(d, LEAST_SLOTS, err)
                  : !table_is_set(d) && d->filled >= d->capacity && !table_rebuild(d, slots_for(d, d->used * 2 + 1), err))
        return false;
    if (table_is_set(d) && d->filled >= d->capacity && !table_rebuild(d, slots_for(d, d->used * 4), err))
        return false;
    Probe probe = probe_begin(d, hash);
    while (d->index[probe.at] != SLOT_EMPTY)
        probe_next(&probe);
    d->index[probe.at] = (int32_t)d->filled;
    d->entry[d->filled++] = (DictEntry){ value_retain(key), value_retain(value), hash };
    d->used++;
    d->version++;
    if (table_is_set(d) && d->filled * 5 >= (int64_t)d->mask * 3) {
        Err ignored;                    /* without memory it stays as full as it is for now */
        table_rebuild(d, slots_for(d, d->used > 50000 ? d->used * 2 : d->used * 4), &ignored);
    }
    return true;
}

static bool set_hashed(Session *s, Dict *d, Value key, Value value, uint64_t hash, Err *err)
{
    int64_t at = table_find(s, d, key, hash, err);
    if (at == -2)
        return false;
    if (at < 0)
        return add_entry(d, key, value, hash, err);
    if (!table_is_set(d))
        value_replace(&d->entry[at].value, value_retain(value));
    return true;
}

bool dict_set(Session *s, Dict *d, Value key, Value value, Err *err)
{
    uint64_t hash;
    return value_hash(s, key, &hash, err) && set_hashed(s, d, key, value, hash, err);
}

bool set_add(Session *s, Dict *set, Value key, Err *err)
{
    return dict_set(s, set, key, value_unset(), err);
}

void table_take(Dict *d, int64_t entry, Value *key, Value *value)
{
    DictEntry *e = &d->entry[entry];
    Probe probe = probe_begin(d, e->hash);
    while (d->index[probe.at] != entry)
        probe_next(&probe);
    d->index[probe.at] = SLOT_DELETED;
    *key = e->key;
    *value = e->value;
    e->key = e->value = value_unset();
    d->used--;
    d->version++;
}

int64_t dict_last(Dict *d)
{
    int64_t at = d->filled - 1;
    while (at >= 0 && value_is_unset(d->entry[at].key))
        at--;
    return at;
}

void dict_take_last(Dict *d, int64_t entry, Value *key, Value *value)
{
    table_take(d, entry, key, value);
    d->capacity -= d->filled - entry;   /* the slots stay taken: as much less room until the table is made anew */
    d->filled = entry;
}

bool dict_delete(Session *s, Dict *d, Value key, bool *found, Err *err)
{
    uint64_t hash;
    Value old_key, old_value;
    *found = false;
    if (!value_hash(s, key, &hash, err))
        return false;
    int64_t at = table_find(s, d, key, hash, err);
    if (at < 0)
        return at == -1;
    table_take(d, at, &old_key, &old_value);
    *found = true;
    value_release(old_key);
    value_release(old_value);
    return true;
}

void dict_clear(Dict *d)
{
    Heap *heap = heap_of(d);
    Dict old = *d;
    d->used = d->filled = d->capacity = 0;
    d->entry = NULL;
    d->index = NULL;
    d->mask = 0;
    d->version++;
    for (int64_t i = 0; i < old.filled; i++) {
        value_release(old.entry[i].key);
        value_release(old.entry[i].value);
    }
    mem_free(heap, old.entry);
    mem_free(heap, old.index);
}

/* ---- walking -------------------------------------------------------------------------------------------- */
bool dict_next(const Dict *d, int64_t *position, Value *key, Value *value)
{
    bool set = table_is_set(d);
    int64_t places = !set ? d->filled : d->index ? (int64_t)d->mask + 1 : 0;
    while (*position < places) {
        int64_t at = set ? d->index[*position] : *position;
        ++*position;
        if (at < 0 || value_is_unset(d->entry[at].key))
            continue;
        *key = d->entry[at].key;
        if (value)
            *value = d->entry[at].value;
        return true;
    }
    return false;
}

/* ---- copies and drops ----------------------------------------------------------------------------------- */
/* The same slots and entries, so that a set's order is kept as well. */
static Dict *copy_of(Session *s, Dict *from, TypeId type, Err *err)
{
    Dict *d = table_new(s, type, err);
    if (!d || !from->used)
        return d;
    if (!table_rebuild(d, type == TYPE_DICT ? slots_for(d, from->used) : (int64_t)from->mask + 1, err)) {
        object_release(&d->head);
        return NULL;
    }
    bool whole = type != TYPE_DICT && from->filled == from->used;
    if (whole)
        memcpy(d->index, from->index, ((size_t)from->mask + 1) * sizeof *d->index);
    for (int64_t i = 0; i < from->filled; i++) {
        DictEntry *e = &from->entry[i];
        if (value_is_unset(e->key))
            continue;
        if (!whole) {
            Probe probe = probe_begin(d, e->hash);
            while (d->index[probe.at] != SLOT_EMPTY)
                probe_next(&probe);
            d->index[probe.at] = (int32_t)d->filled;
        }
        d->entry[d->filled++] = (DictEntry){ value_retain(e->key), value_retain(e->value), e->hash };
    }
    d->used = d->filled;
    return d;
}

Dict *dict_copy(Session *s, Dict *dict, Err *err)
{
    return copy_of(s, dict, TYPE_DICT, err);
}

Dict *set_copy(Session *s, Dict *set, TypeId type, Err *err)
{
    if (set->filled == set->used && set->index && set->mask == LEAST_SLOTS - 1)
        return copy_of(s, set, type, err);
    Dict *d = set_new(s, type, err);
    if (d && !set_update(s, d, value_object_take(set), err)) {
        object_release(&d->head);
        return NULL;
    }
    return d;
}

/* Entries first to last, keys before values. */
void dict_drop(Object *self)
{
    dict_clear((Dict *)self);
    heap_object_free(self, sizeof(Dict));
}

void dict_visit(Object *self, Visitor *visitor)
{
    const Dict *d = (Dict *)self;
    for (int64_t i = 0; i < d->filled; i++) {
        const DictEntry *e = &d->entry[i];
        if (value_is_unset(e->key))
            continue;
        if (d->head.type == TYPE_DICT) {
            visitor->edge(visitor, e->key, "key", NULL, i);
            visitor->edge(visitor, e->value, "value", value_is(e->key, TYPE_STR) ? ((Str *)e->key.object)->s : NULL,
                          value_tag(e->key) == V_INT ? e->key.i : i);
        } else
            visitor->edge(visitor, e->key, "member", NULL, i);
    }
}
