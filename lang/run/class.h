/*
 * class.h - what the files about classes share: special methods by number, properties, super.
 */
#ifndef LANG_RUN_CLASS_H
#define LANG_RUN_CLASS_H
#include "lang/run/frame.h"

typedef enum Special {
#define SPECIAL(id, name) SPECIAL_##id,
#include "lang/run/special.def"
    SPECIALS
} Special;

typedef enum PropertyKind { PROPERTY_PROPERTY, PROPERTY_STATIC, PROPERTY_CLASS } PropertyKind;
typedef struct Property { Object head; PropertyKind kind; Value get, set, del; } Property;     /* STATIC, CLASS: get is the function */
typedef struct Super { Object head; Class *start; Value self; } Super;       /* looks behind `start` in the order of self's class */

/* The name of a special method: interned, borrowed; NULL: no memory. */
Str   *special_name(Session *s, Special special);
/* The method of a value's class: borrowed, NULL when it has none. */
Value *special_find(Session *s, const Class *cls, Special special);
/* Calls it with self and the arguments; *found false (and nothing called) when there is none. */
bool   special_call(Session *s, Value self, Special special, Value *args, int n, bool *found, Value *out, Err *err);
/* The class of an INSTANCE or EXCEPTION. */
static inline Class *class_of_instance(Value v)
{
    return v.object->type == TYPE_EXCEPTION ? ((Exception *)v.object)->cls : ((Instance *)v.object)->cls;
}
bool property_new(Session *s, PropertyKind kind, Value get, Value set, Value del, Value *out, Err *err);
/* An instance of a class derived from a built-in type, with the value that calling that type gives inside it. */
bool class_derived(Session *s, Class *cls, Value *args, int n, int nkw, Tuple *names, Value *out, Err *err);
/* super, property, staticmethod, classmethod: functions for the builtins. */
extern const NativeRow class_functions[];
extern const NativeRow property_row;
#endif
