/*
 * value.h - what a name can hold: a tagged value of 16 bytes, and the row of behaviour of each type of object.
 * Numbers, bool and None are inline; all else points at a counted object. Arguments are borrowed, values that come out are
 * new references; `_take` in a name: the argument's reference is taken over, also on failure.
 */
#ifndef LANG_TYPES_VALUE_H
#define LANG_TYPES_VALUE_H
#include "tensor/tensor.h"

typedef struct Session Session;

typedef enum Tag {
    V_UNSET,                            /* no value: an unbound name, an argument that was not given */
    V_NONE, V_BOOL, V_INT, V_FLOAT,
    V_ELLIPSIS, V_NOT_IMPLEMENTED,
    V_OBJECT                            /* counted: object->type says what it is */
} Tag;

/*
 * `tag`: Tag in the low 8 bits; for a number a serial in the other 56, taken when the number is made (copies keep it;
 * ints -5 … 256 have 0), so that `is` and id() answer as in CPython.
 */
typedef struct Value {
    uint64_t tag;
    union { int64_t i; double f; Object *object; bool b; };
} Value;

static inline Tag value_tag(Value v) { return (Tag)(v.tag & 0xff); }
static inline Value value_none(void) { return (Value){ V_NONE, { 0 } }; }
static inline Value value_unset(void) { return (Value){ V_UNSET, { 0 } }; }
static inline Value value_bool(bool b) { return (Value){ V_BOOL, { .i = b } }; }
static inline Value value_object_take(void *object) { return (Value){ V_OBJECT, { .object = object } }; }
static inline bool value_is_unset(Value v) { return value_tag(v) == V_UNSET; }
static inline bool value_is_none(Value v) { return value_tag(v) == V_NONE; }
static inline bool value_is(Value v, TypeId type) { return value_tag(v) == V_OBJECT && v.object->type == type; }
static inline Value value_retain(Value v)
{
    if (value_tag(v) == V_OBJECT)
        v.object->count++;
    return v;
}
void object_drop(Object *object);       /* its count is 0: nested drops beyond 50 levels are queued */
static inline void object_release(Object *object)
{
    if (--object->count == 0)
        object_drop(object);
}
static inline void value_release(Value v)
{
    if (value_tag(v) == V_OBJECT)
        object_release(v.object);
}
/* Bind first, release after: a finalizer may look the place up again. */
static inline void value_replace(Value *place, Value taken)
{
    Value old = *place;
    *place = taken;
    value_release(old);
}

/* ---- numbers ------------------------------------------------------------------------------------------ */
/* New numbers: they take a serial. (state.h has inline forms for the interpreter's loop.) */
Value value_int(Session *s, int64_t i);
Value value_float(Session *s, double f);

/* ---- the objects' layouts ------------------------------------------------------------------------------ */
typedef struct Str {                    /* UTF-8, immutable, terminated by a zero byte that is not counted */
    Object   head;                      /* flags: STR_ASCII, STR_INTERNED */
    uint64_t hash;                      /* 0: not computed yet */
    int64_t  size, length;              /* bytes; code points */
    void    *index;                     /* offsets of every 64th code point of long ones, made at first use */
    char     s[];
} Str;
enum { STR_ASCII = 1, STR_INTERNED = 2 };

typedef struct Tuple {                  /* also torch.Size (all ints) and named tuples */
    Object   head;
    int64_t  n;
    struct TupleNames *names;           /* NAMEDTUPLE: "torch.return_types.max" and its fields; else NULL */
    Value    item[];
} Tuple;
enum { TUPLE_FIRST_BORROWED = 1 };      /* flags: item 0 is not counted (the class in its own order of bases) */
typedef struct TupleNames {
    const char *type, *const *field;    /* field names end at a comma or with the text */
    int n;
    struct Class *cls;                  /* owned; NULL until it was asked for */
} TupleNames;

typedef struct List { Object head; int64_t n, capacity; Value *item; bool sorting; } List;

typedef struct DictEntry { Value key, value; uint64_t hash; } DictEntry;    /* key unset: deleted */
typedef struct Dict {                   /* insertion ordered; SET and FROZENSET use it with values unset */
    Object     head;
    int64_t    used, filled, capacity;  /* living entries; entries with deleted ones; room */
    DictEntry *entry;
    int32_t   *index;                   /* open addressing over entries, a power of two; -1 empty, -2 deleted */
    uint32_t   mask;
    uint32_t   version;                 /* changes with every change of keys: iterators and caches look at it */
} Dict;

typedef struct NpScalar { Object head; DType dtype; Number number; } NpScalar;      /* np.float64(3.0): immutable */
typedef struct Range { Object head; int64_t start, stop, step, length; } Range;
typedef struct Slice { Object head; Value start, stop, step; } Slice;
typedef struct Cell { Object head; Value value; } Cell;
typedef struct Method { Object head; Value self, function; } Method;        /* a bound method of a class in the language */

/* A function in C. Arguments were bound by the signature: arg[k] is the k-th parameter's value, or its default, or unset;
 * borrowed. arg[-1] is the row's payload as an int. */
typedef bool (*NativeFn)(Session *s, Value self, Value *arg, Value *out, Err *err);
/*
 * One row: name, function, signature. The signature's text is parsed once (run/signature.h) and serves binding,
 * defaults, help and completion: "key, default = None, *, reverse: bool = False", "*args", "**kwargs", "x, /".
 * A default of `...` leaves the argument unset. `payload`: what several rows with one function tell apart.
 */
typedef struct NativeRow { const char *name; NativeFn fn; const char *signature; int payload; const char *doc; } NativeRow;
typedef struct Builtin {                /* a native function or a bound native method, as an object */
    Object           head;
    const NativeRow *row;               /* NULL for operations of torch */
    struct Signature *parsed;           /* borrowed from the session's cache; NULL until first used */
    Value            self;              /* unset for a plain function */
    struct OpGroup  *group;             /* the overloads of an operation (torch.NAME, Tensor.NAME), else NULL */
} Builtin;
enum { BUILTIN_UNBOUND = 1 };           /* flags: a method asked of its class, which takes self as first argument */

typedef struct Class {
    Object  head;
    Str    *name;                       /* owned */
    struct Class *base;                 /* owned; the first base; NULL for object */
    Tuple  *bases;                      /* owned: as the class statement names them */
    Tuple  *mro;                        /* owned: linearisation, itself first (C3) */
    Dict   *dict;                       /* owned: attributes of the class itself */
    TypeId  type;                       /* of its instances: INSTANCE, EXCEPTION, or a built-in type */
    ErrKind error;                      /* the nearest built-in exception among its ancestors, else ERR_NONE */
    struct Class *content;              /* borrowed: the built-in type among its ancestors (list, dict, str …), whose operations its
                                         * instances have on a value inside them; NULL for none */
    const char *module;                 /* "builtins", "__main__", "torch" */
    uint32_t known;                     /* of class_changes, when these two were looked up: */
    bool   slotted;                     /* all of its classes have __slots__: no other attributes */
    Value *init;                        /* __init__, where calling it makes a plain object and runs that; else NULL */
    bool  (*make)(Session *s, struct Class *cls, Value *args, int n, int nkw, Tuple *names, Value *out, Err *err);   /* calling a built-in type */
} Class;
typedef struct Instance { Object head; Class *cls; Dict *dict; } Instance;  /* INSTANCE; dict may be NULL until first used */
typedef struct Derived { Instance instance; Value content; } Derived;       /* an INSTANCE whose class has `content` */
typedef struct Exception {              /* EXCEPTION; the message is made from args */
    Object    head;
    Class    *cls;
    Dict     *dict;
    Tuple    *args;
    Value     cause, context;           /* exceptions, None or unset */
    bool      suppress_context;
    struct Traceback_ *trace;           /* the frames it passed, kept alive while it lives (run/) */
    char     *hint;                     /* from mem_new; NULL for none */
    Value     value;                    /* StopIteration.value, SystemExit.code, KeyError's key … or unset */
} Exception;
typedef struct Module {
    Object head;
    Str   *name;
    Dict  *dict;                        /* members that were made */
    const NativeRow *rows;              /* functions, made at first use; NULL: none */
    bool   more;                        /* the rest of it is written in the language, and not loaded yet */
    /* Makes a member at first use; false with err untouched (ERR_NONE) when there is none of that name. May be NULL. */
    bool (*find)(Session *s, struct Module *m, Str *name, Value *out, Err *err);
    /* Names that `find` would answer, for dir(), completion and `from m import *`. May be NULL. */
    void (*names)(Session *s, struct Module *m, void (*each)(void *to, const char *name), void *to);
} Module;

/* The value inside an instance of a class that is derived from a built-in type: borrowed; unset for all other values. */
static inline Value value_content(Value v)
{
    return value_is(v, TYPE_INSTANCE) && ((Instance *)v.object)->cls->content ? ((Derived *)v.object)->content : value_unset();
}

/* ---- the row of behaviour of a type -------------------------------------------------------------------- */
typedef enum BinaryOp {
    BIN_ADD, BIN_SUB, BIN_MUL, BIN_TRUEDIV, BIN_FLOORDIV, BIN_MOD, BIN_POW, BIN_MATMUL,
    BIN_LSHIFT, BIN_RSHIFT, BIN_AND, BIN_OR, BIN_XOR, BIN_COUNT
} BinaryOp;
typedef enum CompareOp { CMP_LT, CMP_LE, CMP_EQ, CMP_NE, CMP_GT, CMP_GE } CompareOp;
typedef enum UnaryOp { UN_NEG, UN_POS, UN_INVERT } UnaryOp;
typedef enum IterStatus { ITER_VALUE, ITER_END, ITER_ERROR } IterStatus;

/* What one edge from an object to another is called: "attribute w", "element 3", "cell h". */
typedef struct Visitor Visitor;
struct Visitor { void (*edge)(Visitor *visitor, Value to, const char *kind, const char *name, int64_t index); };

typedef struct Type {
    const char *name;
    /* Releases what it holds, in CPython's order, and gives the object back to the heap. */
    void (*drop)(Object *self);
    void (*visit)(Object *self, Visitor *visitor);
    bool (*repr)(Session *s, Value self, Text *text, Err *err);
    bool (*str)(Session *s, Value self, Text *text, Err *err);                      /* NULL: repr */
    bool (*hash)(Session *s, Value self, uint64_t *hash, Err *err);                 /* NULL: by identity; unhashable types set TypeError */
    bool (*truth)(Session *s, Value self, bool *truth, Err *err);                   /* NULL: by length, else true */
    /* `out` NotImplemented: try the other operand. Called for either side. NULL: identity for == and !=. */
    bool (*compare)(Session *s, CompareOp op, Value a, Value b, Value *out, Err *err);
    bool (*binary)(Session *s, BinaryOp op, Value a, Value b, Value *out, Err *err);    /* self may be a or b */
    bool (*inplace)(Session *s, BinaryOp op, Value a, Value b, Value *out, Err *err);   /* NULL: binary */
    bool (*unary)(Session *s, UnaryOp op, Value a, Value *out, Err *err);
    bool (*length)(Session *s, Value self, int64_t *length, Err *err);
    bool (*get_item)(Session *s, Value self, Value key, Value *out, Err *err);
    bool (*set_item)(Session *s, Value self, Value key, Value value, Err *err);
    bool (*del_item)(Session *s, Value self, Value key, Err *err);
    bool (*contains)(Session *s, Value self, Value item, bool *found, Err *err);    /* NULL: by iteration */
    bool (*iter)(Session *s, Value self, Value *out, Err *err);
    IterStatus (*next)(Session *s, Value self, Value *out, Err *err);
    bool (*call)(Session *s, Value self, Value *args, int n, int nkw, Tuple *names, Value *out, Err *err);
    /* Attributes beyond `methods`: answers true with *out unset when it has none of that name. */
    bool (*get_attr)(Session *s, Value self, Str *name, Value *out, Err *err);
    bool (*set_attr)(Session *s, Value self, Str *name, Value value, Err *err);     /* value unset: delete */
    bool (*format)(Session *s, Value self, const char *spec, size_t n, Text *text, Err *err);   /* NULL: str, TypeError for a spec */
    const NativeRow *methods;           /* ends with a row without name; NULL: none */
    void (*dir)(Session *s, Value self, void (*each)(void *to, const char *name), void *to);        /* names that get_attr answers */
} Type;
/* Rows for V_NONE, V_BOOL, V_INT (also TYPE_INT objects), V_FLOAT, … and for every TypeId. */
const Type *value_type(Value v);
const char *value_type_name(Value v);   /* "int", "NoneType", "Tensor", a class's own name */
extern const Type *const type_rows[TYPE_COUNT];     /* filled from the `const Type type_str` … of each file */

/* ---- generic operations on values (types/value.c), as Python means them -------------------------------- */
bool value_repr(Session *s, Value v, Text *text, Err *err);
bool value_str(Session *s, Value v, Text *text, Err *err);
bool value_format(Session *s, Value v, const char *spec, size_t n, Text *text, Err *err);
bool value_truth(Session *s, Value v, bool *truth, Err *err);
bool value_hash(Session *s, Value v, uint64_t *hash, Err *err);
bool value_same(Value a, Value b);                                                  /* a is b */
uint64_t value_id(Session *s, Value v);                                             /* id(v) */
bool value_compare(Session *s, CompareOp op, Value a, Value b, Value *out, Err *err);
bool value_equal(Session *s, Value a, Value b, bool *equal, Err *err);              /* a is b or a == b, as containers ask */
bool value_binary(Session *s, BinaryOp op, Value a, Value b, Value *out, Err *err);
bool value_inplace(Session *s, BinaryOp op, Value a, Value b, Value *out, Err *err);
bool value_unary(Session *s, UnaryOp op, Value a, Value *out, Err *err);
bool value_length(Session *s, Value v, int64_t *length, Err *err);
bool value_get_item(Session *s, Value v, Value key, Value *out, Err *err);
bool value_set_item(Session *s, Value v, Value key, Value value, Err *err);
bool value_del_item(Session *s, Value v, Value key, Err *err);
bool value_contains(Session *s, Value v, Value item, bool *found, Err *err);
bool value_iter(Session *s, Value v, Value *out, Err *err);
IterStatus value_next(Session *s, Value iterator, Value *out, Err *err);
bool value_get_attr(Session *s, Value v, Str *name, Value *out, Err *err);          /* AttributeError with a near name as hint */
bool value_find_attr(Session *s, Value v, Str *name, Value *out, Err *err);         /* *out unset when there is none */
bool value_set_attr(Session *s, Value v, Str *name, Value value, Err *err);
bool value_call(Session *s, Value callee, Value *args, int n, int nkw, Tuple *names, Value *out, Err *err);  /* run/ provides it */
void value_dir(Session *s, Value v, void (*each)(void *to, const char *name), void *to);
/* Fills `out` (a new list) from any iterable. */
List *value_to_list(Session *s, Value iterable, Err *err);
/* An index: an int, a bool, a 0-d or one-element int tensor; TypeError naming `what` for others. Clamped to int64. */
bool value_index(Session *s, Value v, const char *what, int64_t *index, Err *err);
bool value_to_number(Value v, Number *number);      /* bool, int within 64 bits, float; false for others */
/* Resolves a slice against a length as slice.indices() does; *count is how many items it has. ValueError for a step of 0. */
bool slice_resolve(Session *s, const Slice *slice, int64_t length, int64_t *start, int64_t *stop, int64_t *step, int64_t *count, Err *err);
const char *binary_symbol(BinaryOp op);             /* "+" */
const char *compare_symbol(CompareOp op);

/* ---- making objects (each type's own file) ------------------------------------------------------------- */
Str   *str_new(Session *s, const char *utf8, int64_t size, Err *err);      /* must be valid UTF-8: else ValueError */
Str   *str_intern(Session *s, const char *utf8, int64_t size, Err *err);   /* one object for one text; names */
Str   *str_from_text(Session *s, Text *text, Err *err);                    /* frees the text, also on failure */
bool   str_equal(const Str *a, const Str *b);
uint64_t str_hash(Str *a);
Tuple *tuple_new(Session *s, int64_t n, Err *err);                         /* items unset: fill them in before anybody sees it */
List  *list_new(Session *s, int64_t capacity, Err *err);
bool   list_append(Session *s, List *list, Value v, Err *err);             /* retains v */
Dict  *dict_new(Session *s, Err *err);
Dict  *set_new(Session *s, TypeId set_or_frozenset, Err *err);
bool   dict_get(Session *s, Dict *d, Value key, Value *out, Err *err);     /* *out unset when absent: borrowed, not retained */
bool   dict_set(Session *s, Dict *d, Value key, Value value, Err *err);    /* retains both */
bool   dict_delete(Session *s, Dict *d, Value key, bool *found, Err *err);
Value *dict_find_str(Dict *d, Str *key);                                   /* place of the value, or NULL: no error possible */
bool   dict_next(const Dict *d, int64_t *position, Value *key, Value *value);  /* borrowed; from position 0 on */
Slice *slice_new(Session *s, Value start, Value stop, Value step, Err *err);
Range *range_new(Session *s, int64_t start, int64_t stop, int64_t step, Err *err);
Cell  *cell_new(Session *s, Value taken, Err *err);
Builtin *builtin_new(Session *s, const NativeRow *row, Value self, Err *err);
Module *module_new(Session *s, const char *name, const NativeRow *rows, Err *err);
bool   module_set(Session *s, Module *m, const char *name, Value taken, Err *err);
/* The class object that type(v) answers; and of a built-in type or exception kind. Borrowed. */
Class *value_class(Session *s, Value v);
Class *class_of_type(Session *s, TypeId type, Tag tag);
Class *class_of_error(Session *s, ErrKind kind);
bool   class_is_subclass(const Class *cls, const Class *of);
/* Is v an instance of `classes` (a class, or a tuple of them)? */
bool   value_isinstance(Session *s, Value v, Value classes, bool *yes, Err *err);
/* ndarrays are laid out as tensors, and have another row. */
enum { ARRAY_SHARES = 1, ARRAY_READ_ONLY = 2 };         /* flags of an ndarray: its elements are a tensor's; not to be written */
static inline bool value_is_array(Value v) { return value_is(v, TYPE_NDARRAY); }
/* A tensor as a value (takes the reference over). */
static inline Value value_tensor_take(Tensor *t) { return value_object_take(t); }
static inline Tensor *value_tensor(Value v) { return (Tensor *)v.object; }

/* Integers beyond 64 bits (number.c, GMP). */
bool value_is_int(Value v);             /* V_INT, V_BOOL or a large int */
bool int_from_text(Session *s, const char *digits, size_t n, int base, Value *out, Err *err);
double int_to_double(Value v, bool *overflow);
#endif
