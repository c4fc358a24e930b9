/*
 * rows.h - the rows of behaviour of all types, and what the files of this folder share.
 */
#ifndef LANG_TYPES_ROWS_H
#define LANG_TYPES_ROWS_H
#include "lang/run/state.h"

extern const Type type_none, type_ellipsis, type_not_implemented, type_int, type_bool, type_float, type_str, type_bytes, type_list, type_tuple,
    type_size, type_namedtuple, type_dict, type_dict_view, type_set, type_frozenset, type_range, type_slice, type_iterator, type_file, type_native,
    type_function, type_method, type_class, type_instance, type_exception, type_traceback, type_cell, type_generator, type_module,
    type_property, type_super, type_builtin, type_tensor, type_ndarray, type_npscalar, type_npdtype, type_storage, type_dtype, type_device, type_generator_rng, type_context, type_code;

Class *np_scalar_class(Session *s, DType dtype, Err *err);      /* np.float64 …: borrowed (numpy/scalar.c) */
const char *npscalar_type_name(DType dtype);           /* "numpy.float64" */
/* value_index of an instance: of the int inside it, or what __index__ gives (run/instance.c). */
bool instance_index(Session *s, Value v, const char *what, int64_t *index, Err *err);

/* The session that an object belongs to. */
static inline Session *session_of(const void *object) { return heap_of(object)->owner; }
static inline Value not_implemented_value(void) { return (Value){ V_NOT_IMPLEMENTED, { 0 } }; }
enum { ROW_STATIC = 1 << 24 };         /* in a row's payload: called on the type itself it takes no object (dict.fromkeys) */
/* A method of a built-in type, by name; NULL when it has none. Looked up by text: callers on hot paths keep the answer. */
const NativeRow *native_method(const Type *type, const Str *name);
/* __len__, __add__ … of a type whose row can do it; for types that have no such methods of their own. */
const NativeRow *slot_method(const Type *type, const Str *name);
bool slot_fits(const Type *type, const NativeRow *row);   /* is it such a method, and one that the type can do? */
/* The name of `names` nearest to `name`, if near enough to be what was meant; buffer empty otherwise. */
typedef struct Nearest { const char *name; char best[64]; int distance; } Nearest;
void nearest_begin(Nearest *nearest, const char *name);
void nearest_look(void *nearest, const char *candidate);

/* Objects that hold tensors: may a name bound to it have a line in the display? */
bool value_can_hold(Value v);

/* Iterators made in C: a table of kinds (iterator.c). */
bool iterator_over(Session *s, Value over, Value *out, Err *err);       /* list, tuple, str, dict, set, range, views */
bool iterator_enumerate(Session *s, Value iterable, int64_t start, Value *out, Err *err);
bool iterator_zip(Session *s, const Value *iterables, int64_t n, bool strict, Value *out, Err *err);
bool iterator_map(Session *s, Value function, const Value *iterables, int64_t n, Value *out, Err *err);
bool iterator_filter(Session *s, Value function, Value iterable, Value *out, Err *err);
bool iterator_reversed(Session *s, Value sequence, Value *out, Err *err);
bool iterator_calls(Session *s, Value callable, Value sentinel, Value *out, Err *err);

/* What tuples, lists and ranges share (sequence.c). sequence_find: *at is -1 when it is not there. */
bool sequence_index(Session *s, Value key, int64_t n, const char *what, int64_t *index, Err *err);
bool sequence_find(Session *s, const Value *item, int64_t n, Value wanted, int64_t *at, Err *err);
bool sequence_compare(Session *s, CompareOp op, const Value *a, int64_t n, const Value *b, int64_t m, Value *out, Err *err);

/* Repeats inside repr: true when the object is being shown already ("[...]"). */
bool repr_enter(Session *s, const void *object);
void repr_leave(Session *s, const void *object);

/* Sorting of n values in place, stable; key may be None. */
bool values_sort(Session *s, Value *item, int64_t n, Value key, bool reverse, Err *err);
/* Format specs and % formatting (format_spec.c). */
bool format_number(Session *s, Value number, const char *spec, size_t n, Text *text, Err *err);
bool format_text(Session *s, const char *utf8, size_t size, const char *spec, size_t n, Text *text, Err *err);
bool format_percent(Session *s, Str *format, Value arguments, Value *out, Err *err);
bool format_braces(Session *s, Str *format, Value positional, Value keywords, Value *out, Err *err);

void drop_queue_free(Session *s);
/* str helpers */
void interned_free(Session *s);
extern const NativeRow str_methods[];
int64_t str_offset(const Str *str, int64_t index);      /* byte offset of a code point; index 0 … length */
Str *bytes_new(Session *s, const char *bytes, int64_t size, Err *err);
Str *str_of_size(Session *s, int64_t size, int64_t length, Err *err);       /* its bytes are for the caller to fill in */
Str *str_slice(Session *s, Str *str, int64_t start, int64_t stop, Err *err);
static inline Value str_value(Str *taken) { return taken ? value_object_take(taken) : value_unset(); }
static inline bool str_out(Str *taken, Value *out) { *out = str_value(taken); return taken; }
bool text_out(Session *s, Text *text, Value *out, Err *err);    /* a str of the text, which is freed */

/* set algebra shared by set and frozenset; dict views */
bool set_add(Session *s, Dict *set, Value key, Err *err);
bool set_update(Session *s, Dict *set, Value iterable, Err *err);
bool dict_update(Session *s, Dict *dict, Value mapping, bool refuse_repeats, Err *err);     /* a mapping, or pairs */
void dict_clear(Dict *dict);

extern const NativeRow int_methods[], float_methods[];   /* number_methods.c */
/* big integers (bigint.c): objects of TYPE_INT */
void big_drop(Object *self);
bool big_binary(Session *s, BinaryOp op, Value a, Value b, Value *out, Err *err);
int  big_compare(Value a, Value b);
bool big_unary(Session *s, UnaryOp op, Value a, Value *out, Err *err);
void big_print(Value v, int base, Text *text);
bool int_print(Value v, int base, Text *text, Err *err);     /* as big_print, but ValueError for more decimal digits than Python writes */
uint64_t big_hash(Value v);
bool big_from_double(Session *s, double f, Value *out, Err *err);
int64_t int_bit_length(Value v);
bool big_is_odd(Value v);
int  big_sign(Value v);
#endif
