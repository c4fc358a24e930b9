/* attr_cache.c - attributes with a cache beside the instruction. */
#include "lang/run/attr_cache.h"
#include "lang/run/class.h"
#include "lang/types/torch_types.h"

/* ---- objects of classes of the language ---------------------------------------------------------------------- */
/* The object's own value of a name: where it was last time, else by search. NULL: it has none. */
static inline Value *own_value(const Instance *instance, Str *name, AttrCache *cache)
{
    Dict *dict = instance->dict;
    if (!dict)
        return NULL;
    if ((uint64_t)cache->entry < (uint64_t)dict->filled) {
        DictEntry *entry = &dict->entry[cache->entry];
        if (value_tag(entry->key) == V_OBJECT && entry->key.object == &name->head)
            return &entry->value;
    }
    Value *found = dict_find_str(dict, name);
    cache->entry = found ? (int32_t)((DictEntry *)(void *)((char *)found - offsetof(DictEntry, value)) - dict->entry) : -1;
    return found;
}

/* Whether the cache knows the class: that it has no property of that name, and when `setting` no __setattr__ of its own. */
static inline bool knows_class(Session *s, const Instance *instance, Str *name, bool setting, AttrCache *cache)
{
    if (cache->owner == instance->cls && cache->version == s->class_changes)
        return true;
    Value *found = class_lookup(instance->cls, name);
    cache->owner = NULL;
    bool bound = found && (value_is(*found, TYPE_PROPERTY)
                           || (value_is(*found, TYPE_INSTANCE) && special_find(s, class_of_instance(*found), SPECIAL_GET)));
    if (bound || (setting && special_find(s, instance->cls, SPECIAL_SETATTR)))
        return false;
    *cache = (AttrCache){ instance->cls, s->class_changes, -1, NULL, found ? *found : value_unset() };
    return true;
}

/* ---- modules ---------------------------------------------------------------------------------------------------- */
static inline bool module_member(Value object, Str *name, AttrCache *cache, Value *out)
{
    Module *module = (Module *)object.object;
    if (cache->owner != module || cache->version != module->dict->version) {
        Value *place = dict_find_str(module->dict, name);
        if (!place)
            return false;                               /* not made yet: the module makes it now */
        *cache = (AttrCache){ module, module->dict->version, -1, place, value_unset() };
    }
    *out = value_retain(*cache->place);
    return true;
}

/* ---- the three instructions ------------------------------------------------------------------------------------- */
bool attr_get(Session *s, Value object, Str *name, AttrCache *cache, Value *out, Err *err)
{
    if (value_is(object, TYPE_INSTANCE)) {
        const Instance *instance = (Instance *)object.object;
        Value *own = knows_class(s, instance, name, false, cache) ? own_value(instance, name, cache) : NULL;
        if (own)
            return *out = value_retain(*own), true;
    } else if (value_is(object, TYPE_MODULE) && module_member(object, name, cache, out))
        return true;
    return value_get_attr(s, object, name, out, err);
}

bool attr_set(Session *s, Value object, Str *name, Value value, AttrCache *cache, Err *err)
{
    if (value_is(object, TYPE_INSTANCE)) {
        const Instance *instance = (Instance *)object.object;
        Value *own = knows_class(s, instance, name, true, cache) ? own_value(instance, name, cache) : NULL;
        if (own) {
            value_replace(own, value_retain(value));
            return true;
        }
    }
    return value_set_attr(s, object, name, value, err);
}

bool attr_method(Session *s, Value object, Str *name, AttrCache *cache, Value *function, Value *self, Err *err)
{
    *self = value_unset();
    if (value_is(object, TYPE_INSTANCE)) {
        const Instance *instance = (Instance *)object.object;
        if (knows_class(s, instance, name, false, cache) && value_is(cache->value, TYPE_FUNCTION) && !own_value(instance, name, cache)) {
            *function = value_retain(cache->value);
            *self = object;
            return true;
        }
    } else if (value_is(object, TYPE_TENSOR) && !tensor_extra(value_tensor(object))) {
        if (cache->owner != s->op_groups || !s->op_groups) {
            Builtin *method = tensor_find_method(s, name, err);
            if (!method)
                return err->kind ? false : value_get_attr(s, object, name, function, err);
            *cache = (AttrCache){ s->op_groups, 0, -1, NULL, value_object_take(method) };
        }
        *function = value_retain(cache->value);
        *self = object;
        return true;
    } else if (value_is(object, TYPE_MODULE) && module_member(object, name, cache, function))
        return true;
    return value_get_attr(s, object, name, function, err);
}
