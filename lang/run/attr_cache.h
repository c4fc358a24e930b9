/*
 * attr_cache.h - what an attribute instruction finds, kept beside it.
 * A cache is good for objects of one class (until any class changes), for one module (until its keys change), or for tensors
 * without attributes of their own. Nothing in it is owned: what it points to lives as long as its version holds.
 */
#ifndef LANG_RUN_ATTR_CACHE_H
#define LANG_RUN_ATTR_CACHE_H
#include "lang/run/frame.h"

/* object.name as value_get_attr does it: *out is a new reference. */
bool attr_get(Session *s, Value object, Str *name, AttrCache *cache, Value *out, Err *err);
/* object.name = value as value_set_attr does it. */
bool attr_set(Session *s, Value object, Str *name, Value value, AttrCache *cache, Err *err);
/* For object.name(…): *function is a new reference; with *self set (borrowed: the object) it is called with that first, else as it is. */
bool attr_method(Session *s, Value object, Str *name, AttrCache *cache, Value *function, Value *self, Err *err);
#endif
