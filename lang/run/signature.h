/*
 * signature.h - signatures are text, parsed once: binding, defaults, help, completion and "unexpected keyword" read the
 * same thing. Native functions get bound values; operations of the tensor library get a Call.
 *
 *   name[|other name …][: type[?]][ = default], …     `*` the rest by keyword only, `/` those before by position only,
 *   `*name` and `**name` collect. A default is None, True, False, a number, 'text' or … ("..." leaves it unset).
 */
#ifndef LANG_RUN_SIGNATURE_H
#define LANG_RUN_SIGNATURE_H
#include "lang/run/state.h"

typedef enum ParamType {
    PARAM_ANY, PARAM_TENSOR, PARAM_OPERAND, PARAM_NUMBER, PARAM_INT, PARAM_FLOAT, PARAM_BOOL, PARAM_INTS, PARAM_SIZES, PARAM_LIST,
    PARAM_TENSORS, PARAM_DTYPE, PARAM_DEVICE, PARAM_STR, PARAM_INDEX, PARAM_GENERATOR, PARAM_NUMBERS, PARAM_FORMAT, PARAM_AXES
} ParamType;
typedef enum ParamKind { PARAM_NORMAL, PARAM_POSITIONAL, PARAM_KEYWORD, PARAM_VARARGS, PARAM_VARKEYWORDS } ParamKind;

typedef struct SigParam {
    const char *name;                   /* in the signature's text; alias likewise, or NULL */
    int         name_size;
    const char *alias;
    int         alias_size;
    ParamType   type;
    ParamKind   kind;
    bool        optional;               /* `type?`: must be given, and may be None */
    bool        has_default;            /* default_value is used, which may be unset */
    Value       default_value;          /* owned (strings) */
} SigParam;

enum { SIGNATURE_PARAMS = 16 };
typedef struct Signature {
    const char *text;
    int         params, positional;     /* in all; how many by position (varargs not among them) */
    int         varargs, varkeywords;   /* their index, or -1 */
    SigParam    param[SIGNATURE_PARAMS];
} Signature;

/* Parses at first use and keeps by the text's address, which must live as long as the session. NULL: no memory. */
const Signature *signature_get(Session *s, const char *text, Err *err);
/*
 * Binds arguments to parameters: bound[k] is borrowed, but for *args and **kwargs a new tuple or dict, which
 * signature_unbind lets go of. A keyword whose value is unset is passed over. TypeError names `function` and what is wrong. `skip` parameters are bound already
 * (self of a method form).
 */
bool signature_bind(Session *s, const Signature *sig, const char *function, int skip, Value *args, int n, int nkw,
                    Tuple *names, Value *bound, Err *err);
/* Is there a parameter of this name? */
bool signature_has(const Signature *sig, const Str *name);
void signature_unbind(const Signature *sig, Value *bound);
/* Calls a native function: binds, runs, lets go. `sig` is the row's signature. */
bool native_call(Session *s, const NativeRow *row, const Signature *sig, Value self, Value *args, int n, int nkw,
                 Tuple *names, Value *out, Err *err);
/* "key=None, reverse=False" as help prints it. */
void signature_print(const Signature *sig, int skip, Text *text);
void signatures_free(Session *s);

/* ---- operations by name --------------------------------------------------------------------------------- */
typedef enum Face { FACE_FUNCTION, FACE_METHOD, FACE_INPLACE, FACE_ATTRIBUTE, FACE_LINALG, FACE_FUNCTIONAL, FACE_COUNT } Face;
/* The overloads of one name: torch.max, Tensor.max; `builtin` is the object that stands for them (owned). */
typedef struct OpGroup {
    const char *name;                   /* in a row's text: ends after name_size bytes */
    int         name_size;
    char        shown[48];              /* as it is written in a call: with the underscore of the in-place face */
    Face        face;
    int         count;
    OpId        id[6];
    const struct Signature *signature[6];       /* of each; NULL until first used */
    Builtin    *builtin;
    struct OpGroup *next;
} OpGroup;
/* Before the first look: false, with err set, when there is no memory for the table. */
bool     op_groups_open(Session *s, Err *err);
/* NULL when there is none. For methods in place the name ends with an underscore. */
OpGroup *op_group_find(Session *s, Face face, const char *name, size_t n);
void     op_group_names(Session *s, Face face, void (*each)(void *to, const char *name), void *to);
/* The function object of a group: borrowed. Called with self as first argument where it is a method. */
Builtin *op_group_builtin(Session *s, OpGroup *group, Err *err);
bool     op_group_call(Session *s, OpGroup *group, Value *args, int n, int nkw, Tuple *names, Value *out, Err *err);
void     op_groups_free(Session *s);
/* Results of a call as a value, as the row says. Takes over what is in call. */
bool     op_result(Session *s, OpId id, Call *call, Value *out, Err *err);
/* A value as an operand (tensor or number); false, err untouched, when it is neither. */
bool     operand_from_value(Value v, Arg *arg);
#endif
