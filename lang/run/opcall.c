/*
 * opcall.c - calling the operations of the tensor library by name: overloads, conversion of values to arguments as the
 * rows' signatures say, and results as values.
 */
#include "lang/run/signature.h"
#include "lang/types/torch_types.h"
#include <stdio.h>
#include <string.h>

enum { GROUP_SLOTS = 2048, POOL_INTS = 128, POOL_TENSORS = 32, POOL_NUMBERS = 64 };

struct OpGroups {
    OpGroup   *slot[GROUP_SLOTS];       /* chained by OpGroup.next */
    TupleNames names[OP_COUNT + 1];         /* of named results, made at first use */
    const char *field[OP_COUNT + 1][CALL_OUTS];
};

/* ---- names ---------------------------------------------------------------------------------------------- */
static size_t group_slot(Face face, const char *name, size_t n)
{
    size_t hash = face;
    for (size_t i = 0; i < n; i++)
        hash = hash * 31 + (unsigned char)name[i];
    return hash % GROUP_SLOTS;
}

static OpGroup *group_lookup(struct OpGroups *groups, Face face, const char *name, size_t n)
{
    for (OpGroup *g = groups->slot[group_slot(face, name, n)]; g; g = g->next)
        if (g->face == face && (size_t)g->name_size == n && !memcmp(g->name, name, n))
            return g;
    return NULL;
}

static bool group_add(Session *s, struct OpGroups *groups, Face face, const char *name, size_t n, OpId id)
{
    OpGroup *group = group_lookup(groups, face, name, n);
    if (!group) {
        if (!(group = mem_new(s->heap, sizeof *group)))
            return false;
        size_t at = group_slot(face, name, n);
        *group = (OpGroup){ .name = name, .name_size = (int)n, .face = face, .next = groups->slot[at] };
        snprintf(group->shown, sizeof group->shown, "%.*s%s", (int)n, name, face == FACE_INPLACE ? "_" : "");
        groups->slot[at] = group;
    }
    if (group->count < (int)(sizeof group->id / sizeof *group->id))
        group->id[group->count++] = id;
    return true;
}

static bool groups_fill(Session *s, struct OpGroups *groups)
{
    static const struct { char form; Face face; } faces[] = {
        { 'f', FACE_FUNCTION }, { 'm', FACE_METHOD }, { 'i', FACE_INPLACE }, { 'p', FACE_ATTRIBUTE },
        { 'l', FACE_LINALG }, { 'F', FACE_FUNCTIONAL },
    };
    for (int id = 0; id < OP_COUNT; id++)
        for (const char *name = op_info[id].name; *name; ) {
            size_t n = strcspn(name, "|");
            for (size_t k = 0; k < sizeof faces / sizeof *faces; k++)
                if (strchr(op_info[id].forms, faces[k].form) && !group_add(s, groups, faces[k].face, name, n, (OpId)id))
                    return false;
            name += n + (name[n] == '|');
        }
    return true;
}

static struct OpGroups *groups_of(Session *s)
{
    if (s->op_groups)
        return s->op_groups;
    struct OpGroups *groups = mem_new(s->heap, sizeof *groups);
    if (!groups)
        return NULL;
    memset(groups, 0, sizeof *groups);
    s->op_groups = groups;
    if (!groups_fill(s, groups))
        op_groups_free(s);
    return s->op_groups;
}

bool op_groups_open(Session *s, Err *err)
{
    return groups_of(s) || err_memory(err, sizeof(struct OpGroups));
}

OpGroup *op_group_find(Session *s, Face face, const char *name, size_t n)
{
    struct OpGroups *groups = groups_of(s);
    if (!groups)
        return NULL;
    if (face == FACE_INPLACE) {
        if (n < 2 || name[n - 1] != '_' || name[n - 2] == '_')
            return NULL;
        n--;
    }
    return group_lookup(groups, face, name, n);
}

void op_group_names(Session *s, Face face, void (*each)(void *to, const char *name), void *to)
{
    struct OpGroups *groups = groups_of(s);
    for (size_t i = 0; groups && i < GROUP_SLOTS; i++)
        for (OpGroup *g = groups->slot[i]; g; g = g->next)
            if (g->face == face)
                each(to, g->shown);
}

Builtin *op_group_builtin(Session *s, OpGroup *group, Err *err)
{
    if (!group->builtin) {
        Builtin *made = builtin_new(s, NULL, value_unset(), err);
        if (made)
            made->group = group;
        group->builtin = made;
    }
    return group->builtin;
}

void op_groups_free(Session *s)
{
    struct OpGroups *groups = s->op_groups;
    if (!groups)
        return;
    s->op_groups = NULL;
    for (int id = 0; id < OP_COUNT; id++)
        if (groups->names[id].cls)
            object_release(&groups->names[id].cls->head);
    for (size_t i = 0; i < GROUP_SLOTS; i++)
        for (OpGroup *g = groups->slot[i], *next; g; g = next) {
            next = g->next;
            if (g->builtin)
                object_release(&g->builtin->head);
            mem_free(s->heap, g);
        }
    mem_free(s->heap, groups);
}

/* ---- values to arguments -------------------------------------------------------------------------------- */
/* Room on the C stack for lists of ints and tensors; longer ones come from the heap. */
typedef struct Pool {
    Session *s;
    int64_t  ints[POOL_INTS];
    Tensor  *tensors[POOL_TENSORS];
    Number   numbers[POOL_NUMBERS];
    IndexList index;                    /* of an index parameter; made: its tensors */
    bool     has_index;
    int      ints_used, tensors_used, numbers_used, extras;
    void    *extra[CALL_ARGS];
} Pool;

static void *pool_take(Pool *pool, void *room, int *used, int capacity, size_t size, int64_t n, Err *err)
{
    if (n <= capacity - *used) {
        char *at = (char *)room + (size_t)*used * size;
        *used += (int)n;
        return at;
    }
    void *extra = mem_new(pool->s->heap, (size_t)n * size);
    if (!extra)
        return err_memory(err, (size_t)n * size), NULL;
    return pool->extra[pool->extras++] = extra;
}

static void pool_free(Pool *pool)
{
    if (pool->has_index)
        index_free(&pool->index);
    while (pool->extras)
        mem_free(pool->s->heap, pool->extra[--pool->extras]);
}

typedef enum Fit { FIT_OK, FIT_NOT, FIT_UNBOUND, FIT_ERROR } Fit;     /* NOT: another type; UNBOUND: other arguments; ERROR: err is set */

bool operand_from_value(Value v, Arg *arg)
{
    switch (value_tag(v)) {
    case V_BOOL: *arg = (Arg){ .kind = ARG_BOOL, .b = v.b }; return true;
    case V_INT: *arg = (Arg){ .kind = ARG_INT, .i = v.i }; return true;
    case V_FLOAT: *arg = (Arg){ .kind = ARG_FLOAT, .f = v.f }; return true;
    case V_OBJECT:
        if (v.object->type == TYPE_NPSCALAR) {          /* beside a tensor it counts as a Python number */
            Number number = ((NpScalar *)v.object)->number;
            *arg = number.kind == DKIND_FLOAT ? (Arg){ .kind = ARG_FLOAT, .f = number.f }
                 : number.kind == DKIND_INT ? (Arg){ .kind = ARG_INT, .i = number.i } : (Arg){ .kind = ARG_BOOL, .b = number.b };
            return true;
        }
        if (v.object->type != TYPE_TENSOR)
            return false;
        *arg = (Arg){ .kind = ARG_TENSOR, .tensor = value_tensor(v) };
        return true;
    default: return false;
    }
}

static Fit fit_number(Value v, Number *number, Err *err)
{
    if (value_to_number(v, number))
        return FIT_OK;
    if (value_is(v, TYPE_INT))
        return err_set(err, ERR_OVERFLOW, "the int does not fit into 64 bits"), FIT_ERROR;
    if (value_is(v, TYPE_TENSOR) && tensor_ndim(value_tensor(v)) == 0)
        return tensor_item(value_tensor(v), number, err) ? FIT_OK : FIT_ERROR;
    return FIT_NOT;
}

static Fit fit_int(Value v, int64_t *i, Err *err)
{
    Number number;
    if (value_tag(v) == V_INT)
        return *i = v.i, FIT_OK;
    if (value_is(v, TYPE_INT))
        return err_set(err, ERR_OVERFLOW, "the int does not fit into 64 bits"), FIT_ERROR;
    if (value_is(v, TYPE_NPSCALAR) && value_to_number(v, &number) && number.kind == DKIND_INT)
        return *i = number.i, FIT_OK;
    if (!value_is(v, TYPE_TENSOR) || tensor_numel(value_tensor(v)) != 1 || dtype_kind(tensor_dtype(value_tensor(v))) != DKIND_INT)
        return FIT_NOT;
    if (!tensor_item(value_tensor(v), &number, err))
        return FIT_ERROR;
    return *i = number.i, FIT_OK;
}

static bool sequence(Value v, Value **items, int64_t *n)
{
    if (value_tag(v) != V_OBJECT)
        return false;
    switch (v.object->type) {
    case TYPE_LIST: *items = ((List *)v.object)->item; *n = ((List *)v.object)->n; return true;
    case TYPE_TUPLE: case TYPE_SIZE: case TYPE_NAMEDTUPLE:
        *items = ((Tuple *)v.object)->item; *n = ((Tuple *)v.object)->n; return true;
    default: return false;
    }
}

static Fit fit_ints(Pool *pool, Value *items, int64_t n, Arg *arg, Err *err)
{
    int64_t *ints = pool_take(pool, pool->ints, &pool->ints_used, POOL_INTS, sizeof *ints, n, err);
    if (!ints)
        return FIT_ERROR;
    for (int64_t i = 0; i < n; i++) {
        Fit fit = fit_int(items[i], &ints[i], err);
        if (fit != FIT_OK)
            return fit;
    }
    *arg = (Arg){ .kind = ARG_INTS, .n = (int32_t)n, .ints = ints };
    return FIT_OK;
}

/* Two lists of ints, one behind the other, and how long the first is before them. */
static Fit fit_axes(Pool *pool, Value v, Arg *arg, Err *err)
{
    Value *both, *items[2];
    int64_t n, count[2];
    if (!sequence(v, &both, &n) || n != 2 || !sequence(both[0], &items[0], &count[0]) || !sequence(both[1], &items[1], &count[1]))
        return FIT_NOT;
    int64_t *ints = pool_take(pool, pool->ints, &pool->ints_used, POOL_INTS, sizeof *ints, 1 + count[0] + count[1], err);
    if (!ints)
        return FIT_ERROR;
    ints[0] = count[0];
    for (int64_t i = 0; i < count[0] + count[1]; i++) {
        Fit fit = fit_int(i < count[0] ? items[0][i] : items[1][i - count[0]], &ints[1 + i], err);
        if (fit != FIT_OK)
            return fit;
    }
    *arg = (Arg){ .kind = ARG_INTS, .n = (int32_t)(1 + count[0] + count[1]), .ints = ints };
    return FIT_OK;
}

static Fit fit_tensors(Pool *pool, const SigParam *param, Value v, Arg *arg, Err *err)
{
    Value *items;
    int64_t n;
    if (!sequence(v, &items, &n))
        return FIT_NOT;
    if (param->kind == PARAM_VARARGS && n == 1 && (value_is(items[0], TYPE_LIST) || value_is(items[0], TYPE_TUPLE)))
        sequence(items[0], &items, &n);                 /* f(*tensors) called with one list of them */
    Tensor **tensors = pool_take(pool, pool->tensors, &pool->tensors_used, POOL_TENSORS, sizeof *tensors, n, err);
    if (!tensors)
        return FIT_ERROR;
    for (int64_t i = 0; i < n; i++) {
        if (!value_is(items[i], TYPE_TENSOR))
            return FIT_NOT;
        tensors[i] = value_tensor(items[i]);
    }
    *arg = (Arg){ .kind = ARG_TENSORS, .n = (int32_t)n, .tensors = tensors };
    return FIT_OK;
}

static Fit fit_numbers(Pool *pool, Value v, Arg *arg, Err *err)
{
    Value *items = &v;
    int64_t n = 1;
    sequence(v, &items, &n);
    Number *numbers = pool_take(pool, pool->numbers, &pool->numbers_used, POOL_NUMBERS, sizeof *numbers, n, err);
    if (!numbers)
        return FIT_ERROR;
    for (int64_t i = 0; i < n; i++) {
        Fit fit = fit_number(items[i], &numbers[i], err);
        if (fit != FIT_OK)
            return fit;
    }
    *arg = (Arg){ .kind = ARG_NUMBERS, .n = (int32_t)n, .numbers = numbers };
    return FIT_OK;
}

static void arg_from_number(Arg *arg, Number number)
{
    if (number.kind == DKIND_FLOAT)
        *arg = (Arg){ .kind = ARG_FLOAT, .f = number.f };
    else if (number.kind == DKIND_INT)
        *arg = (Arg){ .kind = ARG_INT, .i = number.i };
    else
        *arg = (Arg){ .kind = ARG_BOOL, .b = number.b };
}

static Fit fit(Pool *pool, const SigParam *param, Value v, Arg *arg, Err *err)
{
    Session *s = pool->s;
    Value *items;
    Number number;
    int64_t n;
    Fit result;
    arg->kind = ARG_NONE;
    if (value_is_unset(v))
        return FIT_OK;
    if (value_is_none(v))
        return param->optional || (param->has_default && (value_is_none(param->default_value) || value_is_unset(param->default_value))) ? FIT_OK : FIT_NOT;
    switch (param->type) {
    case PARAM_ANY: case PARAM_TENSOR:
        if (!value_is(v, TYPE_TENSOR))
            return FIT_NOT;
        *arg = (Arg){ .kind = ARG_TENSOR, .tensor = value_tensor(v) };
        return FIT_OK;
    case PARAM_OPERAND:
        if (value_is(v, TYPE_INT))
            return err_set(err, ERR_OVERFLOW, "the int does not fit into 64 bits"), FIT_ERROR;
        return operand_from_value(v, arg) ? FIT_OK : FIT_NOT;
    case PARAM_NUMBER: case PARAM_FLOAT:
        if ((result = fit_number(v, &number, err)) != FIT_OK)
            return result;
        arg_from_number(arg, number);
        return FIT_OK;
    case PARAM_INT:
        if ((result = fit_int(v, &n, err)) != FIT_OK)
            return result;
        *arg = (Arg){ .kind = ARG_INT, .i = n };
        return FIT_OK;
    case PARAM_BOOL:
        if (value_tag(v) != V_BOOL)
            return FIT_NOT;
        *arg = (Arg){ .kind = ARG_BOOL, .b = v.b };
        return FIT_OK;
    case PARAM_SIZES: case PARAM_LIST:
        return sequence(v, &items, &n) ? fit_ints(pool, items, n, arg, err) : FIT_NOT;
    case PARAM_INTS:
        items = &v, n = 1;
        sequence(v, &items, &n);
        return fit_ints(pool, items, n, arg, err);
    case PARAM_AXES:
        return fit_axes(pool, v, arg, err);
    case PARAM_TENSORS:
        return fit_tensors(pool, param, v, arg, err);
    case PARAM_NUMBERS:
        return fit_numbers(pool, v, arg, err);
    case PARAM_FORMAT:
        arg->kind = ARG_INT;
        return memory_format(v, &arg->i) ? FIT_OK : FIT_NOT;
    case PARAM_DTYPE:
        return dtype_from_value(s, v, &arg->dtype) ? (arg->kind = ARG_DTYPE, FIT_OK) : FIT_NOT;
    case PARAM_DEVICE:
        arg->kind = ARG_DEVICE;
        return device_from_value(s, v, &arg->device, err) ? FIT_OK : err->kind ? FIT_ERROR : FIT_NOT;
    case PARAM_STR:
        if (!value_is(v, TYPE_STR))
            return FIT_NOT;
        *arg = (Arg){ .kind = ARG_STR, .str = ((Str *)v.object)->s };
        return FIT_OK;
    case PARAM_GENERATOR:
        if (!value_is(v, TYPE_GENERATOR_RNG))
            return FIT_NOT;
        *arg = (Arg){ .kind = ARG_GENERATOR, .generator = ((GeneratorObject *)v.object)->generator };
        return FIT_OK;
    case PARAM_INDEX:
        if (pool->has_index || !index_from_value(s, v, &pool->index, err))
            return FIT_ERROR;
        pool->has_index = true;
        *arg = (Arg){ .kind = ARG_INDEX, .n = pool->index.n, .index = pool->index.item };
        return FIT_OK;
    }
    return FIT_NOT;
}

static const char *wanted(ParamType type)
{
    static const char *const words[] = {
        [PARAM_ANY] = "a Tensor", [PARAM_TENSOR] = "a Tensor", [PARAM_OPERAND] = "a Tensor or a number",
        [PARAM_NUMBER] = "a number", [PARAM_INT] = "an int", [PARAM_FLOAT] = "a number", [PARAM_BOOL] = "a bool",
        [PARAM_INTS] = "an int or a tuple of ints", [PARAM_SIZES] = "ints or a tuple of ints", [PARAM_LIST] = "a tuple of ints",
        [PARAM_TENSORS] = "a tuple or list of Tensors", [PARAM_DTYPE] = "a torch.dtype", [PARAM_DEVICE] = "a device",
        [PARAM_STR] = "a str", [PARAM_INDEX] = "an index", [PARAM_GENERATOR] = "a torch.Generator",
        [PARAM_NUMBERS] = "a number or a list of them", [PARAM_FORMAT] = "a torch.memory_format",
        [PARAM_AXES] = "two lists of dimensions",
    };
    return words[type];
}

/* ---- results -------------------------------------------------------------------------------------------- */
static TupleNames *result_names(struct OpGroups *groups, OpId id)
{
    TupleNames *names = &groups->names[id];
    if (!names->type) {
        const char *p = op_info[id].result;
        names->field = groups->field[id];
        while (*p && names->n < CALL_OUTS) {
            groups->field[id][names->n++] = p;          /* ends at a comma: readers know (tuple.c compares by length) */
            p += strcspn(p, ",");
            p += strspn(p, ", ");
        }
        names->type = strchr(op_info[id].forms, 'l') && !strchr(op_info[id].forms, 'f') ? op_info[id].id : op_info[id].name;    /* linalg_svd */
    }
    return names;
}

static bool many_result(Session *s, Call *call, bool list, Value *out, Err *err)
{
    bool ok = true;
    if (list) {
        List *made = list_new(s, call->many_count, err);
        for (int i = 0; made && i < call->many_count; i++)
            ok = ok && list_append(s, made, value_object_take(call->many[i]), err);
        *out = made ? value_object_take(made) : value_unset();
        ok = ok && made;
        for (int i = 0; i < call->many_count; i++)
            tensor_release(call->many[i]);
    } else {
        Tuple *made = tuple_new(s, call->many_count, err);
        for (int i = 0; i < call->many_count; i++)
            if (made)
                made->item[i] = value_tensor_take(call->many[i]);
            else
                tensor_release(call->many[i]);
        *out = made ? value_object_take(made) : value_unset();
        ok = made;
    }
    mem_free(s->heap, call->many);
    call->many = NULL;
    return ok;
}

bool op_result(Session *s, OpId id, Call *call, Value *out, Err *err)
{
    const char *result = op_info[id].result;
    if (!*result) {
        *out = value_tensor_take(call->out[0]);
        return true;
    }
    if (!strcmp(result, "number")) {
        Number number = call->number;
        *out = number.kind == DKIND_BOOL ? value_bool(number.b) : number.kind == DKIND_INT ? int_new(s, number.i) : float_new(s, number.f);
        return true;
    }
    if (!strcmp(result, "none")) {
        *out = value_none();
        return true;
    }
    if (!strcmp(result, "list") || !strcmp(result, "many"))
        return many_result(s, call, *result == 'l', out, err);
    if (call->outs == 1 && !strcmp(result, "tuple")) {
        *out = value_tensor_take(call->out[0]);
        return true;
    }
    Tuple *made = tuple_new(s, call->outs, err);
    for (int k = 0; k < call->outs; k++)
        if (made)
            made->item[k] = call->out[k] ? value_tensor_take(call->out[k]) : value_none();
        else
            tensor_release(call->out[k]);
    if (!made)
        return false;
    if (strcmp(result, "tuple")) {
        made->head.type = TYPE_NAMEDTUPLE;
        made->names = result_names(groups_of(s), id);
    }
    *out = value_object_take(made);
    return true;
}

/* ---- the call ------------------------------------------------------------------------------------------- */
static Fit take_out(Value v, Call *call)
{
    Value *items = &v;
    int64_t n = 1;
    sequence(v, &items, &n);
    if (n > CALL_OUTS)
        return FIT_NOT;
    for (int64_t i = 0; i < n; i++) {
        if (!value_is(items[i], TYPE_TENSOR))
            return FIT_NOT;
        call->out[i] = value_tensor(items[i]);
    }
    call->given = (int)n;
    return FIT_OK;
}

static bool is_method(Face face) { return face == FACE_METHOD || face == FACE_INPLACE; }

/* out= belongs to the functions, not to the methods. */
static bool takes_out(const OpGroup *group, const OpInfo *info) { return !is_method(group->face) && strpbrk(info->forms, "oO"); }

/* Of sizes that were given one by one: the first that is none. */
static Value misfit(const Value *args, int n)
{
    for (int k = 0; k < n; k++)
        if (!value_is_int(args[k]) && !value_is(args[k], TYPE_TENSOR))
            return args[k];
    return args[0];
}

/* Tries one overload. NOT, UNBOUND: err says why its signature does not fit. */
static Fit try_overload(Session *s, OpGroup *group, int which, Value *args, int n, int nkw, Tuple *names, Value *out, Err *err)
{
    const OpId id = group->id[which];
    const OpInfo *info = &op_info[id];
    const Signature *sig = group->signature[which];
    const char *name = group->shown;
    Value bound[SIGNATURE_PARAMS], local[SIGNATURE_PARAMS + 4];
    Pool pool;
    Call call;
    pool.s = s;
    pool.has_index = false;
    pool.ints_used = pool.tensors_used = pool.numbers_used = pool.extras = 0;
    if (!sig && !(sig = group->signature[which] = signature_get(s, info->signature, err)))
        return FIT_ERROR;
    call.args = sig->params;
    call.inplace = group->face == FACE_INPLACE;
    call.given = call.outs = call.many_count = 0;
    call.many = NULL;
    call.has_number = false;
    memset(call.out, 0, sizeof call.out);

    int many = -1, rest = 0;                    /* the sizes that were written as several arguments */
    for (int k = 0; k < sig->positional && k < n; k++)          /* x.view(2, 3), torch.zeros(2, 3); not torch.reshape(x, 2, 3) */
        if (sig->param[k].type == PARAM_SIZES && (k == 0 || is_method(group->face))
            && (value_is_int(args[k]) || n > sig->positional || value_is(args[k], TYPE_TENSOR) || value_is(args[k], TYPE_NPSCALAR)))
            many = k, rest = n - k;
    bool has_out = false;
    for (int k = 0; k < nkw; k++) {
        const Str *keyword = (Str *)names->item[k].object;
        has_out |= keyword->size == 3 && !memcmp(keyword->s, "out", 3);
    }
    Value *bind = args;
    int positional = n;
    if (many >= 0 || (has_out && takes_out(group, info))) {
        positional = many >= 0 ? many + 1 : n;
        if (positional + nkw > (int)(sizeof local / sizeof *local))
            return err_set(err, ERR_TYPE, "%s() got too many arguments", name), FIT_NOT;
        memcpy(local, args, (size_t)positional * sizeof *local);
        memcpy(local + positional, args + n, (size_t)nkw * sizeof *local);
        for (int k = 0; k < nkw; k++) {
            const Str *keyword = (Str *)names->item[k].object;
            if (!takes_out(group, info) || keyword->size != 3 || memcmp(keyword->s, "out", 3))
                continue;
            if (!value_is_none(local[positional + k]) && take_out(local[positional + k], &call) != FIT_OK)
                return err_set(err, ERR_TYPE, "%s(): out= takes a Tensor, not %s", name, value_type_name(local[positional + k])), FIT_NOT;
            local[positional + k] = value_unset();
        }
        bind = local;
    }
    if (!signature_bind(s, sig, name, 0, bind, positional, nkw, names, bound, err))
        return err->kind == ERR_TYPE ? FIT_UNBOUND : FIT_ERROR;
    Fit result = FIT_OK;
    bool wants_grad = false;
    for (int k = 0; k < sig->params && result == FIT_OK; k++) {
        const SigParam *param = &sig->param[k];
        result = k == many ? fit_ints(&pool, args + many, rest, &call.arg[k], err) : fit(&pool, param, bound[k], &call.arg[k], err);
        if (result == FIT_NOT)
            err_set(err, ERR_TYPE, "%s(): argument '%.*s' must be %s, not %s", name, param->name_size, param->name,
                    wanted(param->type), value_type_name(k == many ? misfit(args + many, rest) : bound[k]));
        wants_grad |= param->name_size == 13 && !memcmp(param->name, "requires_grad", 13) && call_bool_arg(&call.arg[k]);
    }
    if (result == FIT_OK && group->face == FACE_INPLACE && call.arg[0].kind != ARG_TENSOR)
        result = FIT_NOT;
    if (result == FIT_OK)
        result = op_call(&s->ctx, id, &call, err) ? FIT_OK : FIT_ERROR;
    pool_free(&pool);
    signature_unbind(sig, bound);
    if (result != FIT_OK)
        return result;
    if (wants_grad && call.outs && !tensor_set_requires_grad(&s->ctx, call.out[0], true, err)) {
        tensor_release(call.out[0]);
        return FIT_ERROR;
    }
    return op_result(s, id, &call, out, err) ? FIT_OK : FIT_ERROR;
}

/* Which overload was meant, for the message: the only one that took the arguments but for a type; else, when a keyword is
 * known to none or there are too many arguments for all, the one that takes most. -1: it is not clear. */
static int meant(const OpGroup *group, const Fit *result, int n, int nkw, const Tuple *names)
{
    int bound = 0, one = -1, largest = 0;
    for (int k = 0; k < group->count; k++) {
        if (result[k] == FIT_NOT)
            bound++, one = k;
        largest = group->signature[k]->positional > group->signature[largest]->positional ? k : largest;
    }
    if (bound)
        return bound == 1 ? one : -1;
    for (int i = 0; i < nkw; i++) {
        bool known = false;
        for (int k = 0; k < group->count; k++)
            known = known || signature_has(group->signature[k], (Str *)names->item[i].object);
        if (!known)
            return largest;
    }
    return n > group->signature[largest]->positional ? largest : -1;
}

static bool no_overload(Session *s, OpGroup *group, const Fit *result, Value *args, int n, int nkw, Tuple *names, Value *out, Err *err)
{
    int one = meant(group, result, n, nkw, names);
    if (one >= 0) {
        err->kind = ERR_NONE;
        try_overload(s, group, one, args, n, nkw, names, out, err);
        return false;
    }
    Text text = { 0 };
    text_print(&text, "%s() does not take (", group->shown);
    for (int k = 0; k < n + nkw; k++) {
        text_put(&text, k ? ", " : "");
        if (k >= n)
            text_print(&text, "%s=", ((Str *)names->item[k - n].object)->s);
        text_put(&text, value_type_name(args[k]));
    }
    text_put(&text, "); it takes ");
    for (int k = 0; k < group->count; k++) {
        const Signature *sig = signature_get(s, op_info[group->id[k]].signature, err);
        if (!sig)
            return text_free(&text), false;
        text_put(&text, k ? " or (" : "(");
        signature_print(sig, 0, &text);
        text_put(&text, ")");
    }
    char *whole = text_end(&text);
    err_set(err, ERR_TYPE, "%s", whole ? whole : "no overload takes these arguments");
    text_free(&text);
    return false;
}

bool op_group_call(Session *s, OpGroup *group, Value *args, int n, int nkw, Tuple *names, Value *out, Err *err)
{
    Fit result[sizeof group->id / sizeof *group->id];
    for (int k = 0; k < group->count; k++) {
        result[k] = try_overload(s, group, k, args, n, nkw, names, out, err);
        if (result[k] == FIT_OK || result[k] == FIT_ERROR)
            return result[k] == FIT_OK;
    }
    return group->count > 1 ? no_overload(s, group, result, args, n, nkw, names, out, err) : false;
}
