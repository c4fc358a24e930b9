/*
 * containers.h - the hash table under dict and set, and what the files of containers share.
 */
#ifndef LANG_TYPES_CONTAINERS_H
#define LANG_TYPES_CONTAINERS_H
#include "lang/types/rows.h"

/* A view of a dict: TYPE_DICT_VIEW. */
typedef enum ViewKind { VIEW_KEYS, VIEW_VALUES, VIEW_ITEMS } ViewKind;
typedef struct DictView { Object head; Dict *dict; ViewKind kind; } DictView;
DictView *dict_view_new(Session *s, Dict *dict, ViewKind kind, Err *err);

static inline bool is_set(Value v) { return value_is(v, TYPE_SET) || value_is(v, TYPE_FROZENSET); }
static inline bool is_tuple(Value v) { return value_is(v, TYPE_TUPLE) || value_is(v, TYPE_SIZE) || value_is(v, TYPE_NAMEDTUPLE); }

/* Raises KeyError with the key itself as its argument. Returns false. */
bool key_error(Session *s, Value key, Err *err);
bool key_error_text(Session *s, const char *text, Err *err);
/* The entry of a key: its place in `entry`, -1 when there is none, -2 on an error. */
int64_t table_find(Session *s, Dict *d, Value key, uint64_t hash, Err *err);
/* Takes the entry out of the table; what it held is handed over. */
void table_take(Dict *d, int64_t entry, Value *key, Value *value);
/* The last living entry of a dict, or -1; taking it leaves no hole. */
int64_t dict_last(Dict *d);
void dict_take_last(Dict *d, int64_t entry, Value *key, Value *value);
/* Room for `more` entries beside those that are there, as a set makes it before it takes another one in. */
bool set_reserve(Session *s, Dict *set, int64_t more, Err *err);
Dict *dict_copy(Session *s, Dict *dict, Err *err);
Dict *set_copy(Session *s, Dict *set, TypeId type, Err *err);
void dict_drop(Object *self);
void dict_visit(Object *self, Visitor *visitor);
#endif
