/*
 * torch.c - the module torch: dtypes, constants, operations by name, and the functions that are more than a row of the table.
 * Members are made when they are first asked for.
 */
#include "lang/modules/torch.h"
#include "lang/run/signature.h"
#include "lang/numpy/numpy.h"
#include "lang/types/torch_types.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- tensors from data ---------------------------------------------------------------------------------- */
static bool want_dtype(Session *s, Value v, const char *function, DType *dtype, Err *err)
{
    *dtype = DT_NONE;
    return value_is_none(v) || dtype_from_value(s, v, dtype)
        || err_set(err, ERR_TYPE, "%s(): argument 'dtype' must be a torch.dtype, not %s", function, value_type_name(v));
}

static bool want_cpu(Session *s, Value v, const char *function, Err *err)
{
    Device device;
    if (value_is_none(v))
        return true;
    if (!device_from_value(s, v, &device, err))
        return err->kind ? false : err_set(err, ERR_TYPE, "%s(): argument 'device' must be a device, not %s", function, value_type_name(v));
    return device.type == DEVICE_CPU || err_set(err, ERR_RUNTIME, "%s(): there is no cuda device here", function);
}

static bool torch_tensor(Session *s, Value self, Value *arg, Value *out, Err *err)
{
    DType dtype;
    Tensor *made;
    bool grad;
    (void)self;
    if (!want_dtype(s, arg[1], "tensor", &dtype, err) || !want_cpu(s, arg[2], "tensor", err) || !value_truth(s, arg[3], &grad, err))
        return false;
    if (!tensor_from_value(s, arg[0], dtype, &made, err))
        return false;
    if (grad && !tensor_set_requires_grad(&s->ctx, made, true, err)) {
        tensor_release(made);
        return false;
    }
    *out = value_tensor_take(made);
    return true;
}

/* A tensor of the right dtype comes back as itself; all else is copied. */
static bool torch_as_tensor(Session *s, Value self, Value *arg, Value *out, Err *err)
{
    DType dtype;
    Tensor *made;
    (void)self;
    if (!want_dtype(s, arg[1], "as_tensor", &dtype, err) || !want_cpu(s, arg[2], "as_tensor", err))
        return false;
    if (value_is(arg[0], TYPE_TENSOR) && (dtype == DT_NONE || dtype == tensor_dtype(value_tensor(arg[0]))))
        return *out = value_retain(arg[0]), true;
    if (value_is_array(arg[0])) {                       /* shared where nothing changes */
        Value shared;
        if (!tensor_of_array(s, arg[0], &shared, err))
            return false;
        arg[0] = shared;
        bool ok = torch_as_tensor(s, self, arg, out, err);
        value_release(shared);
        return ok;
    }
    if (!tensor_from_value(s, arg[0], dtype, &made, err))
        return false;
    *out = value_tensor_take(made);
    return true;
}

static bool torch_from_numpy(Session *s, Value self, Value *arg, Value *out, Err *err)
{
    (void)self;
    return tensor_of_array(s, arg[0], out, err);
}

static bool torch_is_tensor(Session *s, Value self, Value *arg, Value *out, Err *err)
{
    (void)s, (void)self, (void)err;
    *out = value_bool(value_is(arg[0], TYPE_TENSOR));
    return true;
}

static bool one_tensor(Value v, const char *function, Err *err)
{
    return value_is(v, TYPE_TENSOR) || err_set(err, ERR_TYPE, "%s() takes a Tensor, not %s", function, value_type_name(v));
}

static bool torch_numel(Session *s, Value self, Value *arg, Value *out, Err *err)
{
    (void)self;
    if (!one_tensor(arg[0], "numel", err))
        return false;
    *out = int_new(s, tensor_numel(value_tensor(arg[0])));
    return true;
}

static bool torch_is_floating(Session *s, Value self, Value *arg, Value *out, Err *err)
{
    (void)s, (void)self;
    if (!one_tensor(arg[0], "is_floating_point", err))
        return false;
    *out = value_bool(dtype_kind(tensor_dtype(value_tensor(arg[0]))) == DKIND_FLOAT);
    return true;
}

/* What a method of tensors answers, as a function: torch.is_nonzero(x). */
static bool torch_by_method(Session *s, Value self, Value *arg, Value *out, Err *err)
{
    static const char *const names[] = { "is_nonzero", "is_same_size", "is_complex", "is_signed", "get_device", "is_conj" };
    const char *name = names[arg[-1].i];
    (void)self;
    if (!one_tensor(arg[0], name, err))
        return false;
    Str *text = str_intern(s, name, (int64_t)strlen(name), err);
    Value method;
    bool ok = text && value_get_attr(s, arg[0], text, &method, err);
    if (text)
        object_release(&text->head);
    if (!ok)
        return false;
    ok = value_call(s, method, arg + 1, arg[-1].i == 1, 0, NULL, out, err);
    value_release(method);
    return ok;
}

static bool torch_is_storage(Session *s, Value self, Value *arg, Value *out, Err *err)
{
    (void)s, (void)self, (void)err;
    *out = value_bool(value_is(arg[0], TYPE_STORAGE));
    return true;
}

/* ---- dtypes --------------------------------------------------------------------------------------------- */
static bool torch_get_default_dtype(Session *s, Value self, Value *arg, Value *out, Err *err)
{
    (void)self, (void)arg;
    return dtype_value(s, s->ctx.default_dtype, out, err);
}

static bool torch_set_default_dtype(Session *s, Value self, Value *arg, Value *out, Err *err)
{
    DType dtype;
    (void)self;
    if (!want_dtype(s, arg[0], "set_default_dtype", &dtype, err))
        return false;
    if (dtype == DT_NONE || dtype_kind(dtype) != DKIND_FLOAT)
        return err_set(err, ERR_TYPE, "the default dtype must be a floating one");
    s->ctx.default_dtype = dtype;
    *out = value_none();
    return true;
}

static bool two_dtypes(Session *s, Value *arg, const char *function, DType dtype[2], Err *err)
{
    for (int k = 0; k < 2; k++)
        if (!dtype_from_value(s, arg[k], &dtype[k]))
            return err_set(err, ERR_TYPE, "%s() takes two dtypes, not %s", function, value_type_name(arg[k]));
    return true;
}

static bool torch_promote_types(Session *s, Value self, Value *arg, Value *out, Err *err)
{
    DType dtype[2];
    (void)self;
    return two_dtypes(s, arg, "promote_types", dtype, err) && dtype_value(s, dtype_promote(dtype[0], dtype[1]), out, err);
}

static bool torch_can_cast(Session *s, Value self, Value *arg, Value *out, Err *err)
{
    DType dtype[2];
    (void)self;
    if (!two_dtypes(s, arg, "can_cast", dtype, err))
        return false;
    *out = value_bool(dtype_can_cast(dtype[0], dtype[1]));
    return true;
}

static bool torch_result_type(Session *s, Value self, Value *arg, Value *out, Err *err)
{
    Call call;
    (void)self;
    call.args = 2;
    for (int k = 0; k < 2; k++)
        if (!operand_from_value(arg[k], &call.arg[k]))
            return err_set(err, ERR_TYPE, "result_type() takes Tensors and numbers, not %s", value_type_name(arg[k]));
    return dtype_value(s, call_promote(&s->ctx, &call), out, err);
}

/* ---- shapes --------------------------------------------------------------------------------------------- */
static bool torch_broadcast_shapes(Session *s, Value self, Value *arg, Value *out, Err *err)
{
    const Tuple *shapes = (Tuple *)arg[0].object;
    int64_t shape[64] = { 0 }, whole[64], other[64];
    int ndim = 0;
    (void)self;
    for (int64_t k = 0; k < shapes->n; k++) {
        List *sizes = value_tag(shapes->item[k]) == V_INT ? NULL : value_to_list(s, shapes->item[k], err);
        int n = sizes ? (int)sizes->n : 1;
        bool ok = sizes || value_tag(shapes->item[k]) == V_INT;
        for (int d = 0; ok && d < n && d < 64; d++)
            ok = value_index(s, sizes ? sizes->item[d] : shapes->item[k], "a size", &other[d], err);
        if (sizes)
            object_release(&sizes->head);
        if (ok && n > 64)
            ok = err_set(err, ERR_RUNTIME, "a shape of more than 64 dimensions");
        if (!ok || !shape_broadcast(ndim, whole, n, other, &ndim, shape, err))
            return false;
        memcpy(whole, shape, (size_t)ndim * sizeof *shape);
    }
    return size_value(s, ndim, shape, out, err);
}

/* ---- random streams ------------------------------------------------------------------------------------- */
static bool torch_manual_seed(Session *s, Value self, Value *arg, Value *out, Err *err)
{
    int64_t seed;
    (void)self;
    if (!value_index(s, arg[0], "the seed", &seed, err))
        return false;
    generator_seed(s->ctx.generator, (uint64_t)seed);
    GeneratorObject *g = heap_object_new(s->heap, sizeof *g, TYPE_GENERATOR_RNG, err);
    if (!g)
        return false;
    g->generator = s->ctx.generator;
    g->owned = false;
    *out = value_object_take(g);
    return true;
}

static bool torch_initial_seed(Session *s, Value self, Value *arg, Value *out, Err *err)
{
    (void)self, (void)arg, (void)err;
    *out = int_new(s, (int64_t)generator_initial_seed(s->ctx.generator));
    return true;
}

/* ---- printing ------------------------------------------------------------------------------------------- */
static bool torch_set_printoptions(Session *s, Value self, Value *arg, Value *out, Err *err)
{
    PrintOptions *print = &s->ctx.print;
    int *const place[] = { &print->precision, &print->threshold, &print->edgeitems, &print->linewidth };
    (void)self;
    if (value_is(arg[4], TYPE_STR)) {
        const char *profile = ((Str *)arg[4].object)->s;
        bool is_full = !strcmp(profile, "full"), is_short = !strcmp(profile, "short");
        if (!is_full && !is_short && strcmp(profile, "default"))
            return err_set(err, ERR_VALUE, "profile is 'default', 'short' or 'full', not '%s'", profile);
        *print = (PrintOptions){ is_short ? 2 : 4, is_full ? INT32_MAX : 1000, is_short ? 2 : 3, 80, print->sci_mode };
    }
    for (int k = 0; k < 4; k++) {
        Number number;
        if (value_is_none(arg[k]))
            continue;
        if (!value_to_number(arg[k], &number))
            return err_set(err, ERR_TYPE, "set_printoptions() takes ints, not %s", value_type_name(arg[k]));
        double n = number.kind == DKIND_FLOAT ? number.f : number.kind == DKIND_INT ? (double)number.i : number.b;
        *place[k] = n >= INT32_MAX ? INT32_MAX : n < 0 ? 0 : (int)n;
    }
    print->sci_mode = value_is_none(arg[5]) ? -1 : value_tag(arg[5]) == V_BOOL && arg[5].b;
    *out = value_none();
    return true;
}

/* ---- grad modes ----------------------------------------------------------------------------------------- */
static bool torch_is_grad_enabled(Session *s, Value self, Value *arg, Value *out, Err *err)
{
    (void)self, (void)arg, (void)err;
    *out = value_bool(s->ctx.grad_mode);
    return true;
}

static bool torch_threads(Session *s, Value self, Value *arg, Value *out, Err *err)
{
    (void)self;
    if (!arg[-1].i)
        return *out = int_new(s, parallel_threads(&s->ctx)), true;
    if (value_tag(arg[0]) != V_INT || arg[0].i < 1 || arg[0].i > 1024)
        return err_set(err, value_tag(arg[0]) == V_INT ? ERR_RUNTIME : ERR_TYPE, "set_num_threads expects a positive integer");
    parallel_set_threads(&s->ctx, (int)arg[0].i);
    *out = value_none();
    return true;
}

/* ---- cuda: what can be asked without a device ------------------------------------------------------------ */
static bool cuda_answer(Session *s, Value self, Value *arg, Value *out, Err *err)
{
    (void)s, (void)self, (void)err;
    *out = arg[-1].i == 0 ? value_bool(false) : arg[-1].i == 1 ? (Value){ V_INT, { .i = 0 } } : value_none();
    return true;
}

static const NativeRow cuda_rows[] = {
    { "is_available", cuda_answer, "", 0, "Is there a CUDA device?" },
    { "is_initialized", cuda_answer, "", 0, NULL },
    { "device_count", cuda_answer, "", 1, "How many CUDA devices there are." },
    { "empty_cache", cuda_answer, "", 2, "Gives cached blocks of the devices back; without a device there are none." },
    { "memory_allocated", cuda_answer, "device = None", 1, NULL },
    { "memory_reserved", cuda_answer, "device = None", 1, NULL },
    { "max_memory_allocated", cuda_answer, "device = None", 1, NULL },
    { "manual_seed_all", cuda_answer, "seed", 2, NULL },
    { "manual_seed", cuda_answer, "seed", 2, NULL },
    { 0 },
};
static const NativeRow random_rows[] = {
    { "manual_seed", torch_manual_seed, "seed: int", 0, NULL },
    { "initial_seed", torch_initial_seed, "", 0, NULL },
    { 0 },
};
static const NativeRow no_rows[] = { { 0 } };

static const NativeRow rows[] = {
    { "tensor", torch_tensor, "data, *, dtype = None, device = None, requires_grad: bool = False", 0, "A new tensor with the numbers of nested lists." },
    { "as_tensor", torch_as_tensor, "data, dtype = None, device = None", 0, "A tensor of the data: itself where nothing changes." },
    { "asarray", torch_as_tensor, "obj, *, dtype = None, device = None", 0, NULL },
    { "from_numpy", torch_from_numpy, "ndarray, /", 0, "A tensor over the storage of an ndarray." },
    { "save", torch_save, "obj, f", 0, "Writes tensors, and dicts, lists and tuples of them, into a file." },
    { "load", torch_load, "f, map_location = None, *, weights_only = None", 0, "Reads what torch.save() wrote." },
    { "is_tensor", torch_is_tensor, "obj", 0, NULL },
    { "numel", torch_numel, "input", 0, NULL },
    { "is_floating_point", torch_is_floating, "input", 0, NULL },
    { "is_nonzero", torch_by_method, "input", 0, NULL },
    { "is_same_size", torch_by_method, "input, other", 1, NULL },
    { "is_complex", torch_by_method, "input", 2, NULL },
    { "is_signed", torch_by_method, "input", 3, NULL },
    { "get_device", torch_by_method, "input", 4, NULL },
    { "is_conj", torch_by_method, "input", 5, NULL },
    { "is_storage", torch_is_storage, "obj", 0, NULL },
    { "get_default_dtype", torch_get_default_dtype, "", 0, NULL },
    { "set_default_dtype", torch_set_default_dtype, "d", 0, NULL },
    { "promote_types", torch_promote_types, "type1, type2", 0, NULL },
    { "can_cast", torch_can_cast, "from_, to", 0, NULL },
    { "result_type", torch_result_type, "tensor1, tensor2", 0, "The dtype of an arithmetic operation on the two." },
    { "broadcast_shapes", torch_broadcast_shapes, "*shapes", 0, "The shape that shapes broadcast to." },
    { "finfo", torch_info, "type = ...", 0, "The range and precision of a floating dtype." },
    { "iinfo", torch_info, "type = ...", 1, "The range of a dtype of whole numbers." },
    { "manual_seed", torch_manual_seed, "seed: int", 0, "Starts the random stream that belongs to a seed." },
    { "initial_seed", torch_initial_seed, "", 0, NULL },
    { "set_printoptions", torch_set_printoptions,
      "precision = None, threshold = None, edgeitems = None, linewidth = None, profile = None, sci_mode = None", 0, NULL },
    { "get_num_threads", torch_threads, "", 0, "How many threads work on a large operation." },
    { "set_num_threads", torch_threads, "int", 1, "How many threads work on a large operation from now on." },
    { "is_grad_enabled", torch_is_grad_enabled, "", 0, NULL },
    { "no_grad", torch_grad_mode, "", GRAD_OFF, "Operations inside keep nothing for backward." },
    { "enable_grad", torch_grad_mode, "", GRAD_ON, NULL },
    { "inference_mode", torch_grad_mode, "mode: bool = True", GRAD_INFERENCE, NULL },
    { "set_grad_enabled", torch_grad_mode, "mode: bool", GRAD_SET, NULL },
    { 0 },
};

/* ---- members ---------------------------------------------------------------------------------------------- */
static const struct { const char *name; DType dtype; } dtypes[] = {
#define DTYPE(id, name, suffix, type, kind) { name, DT_##id },
#include "tensor/dtypes.def"
    { "float", DT_F32 }, { "double", DT_F64 }, { "half", DT_F16 }, { "long", DT_I64 }, { "int", DT_I32 }, { "short", DT_I16 },
};
static const struct { const char *name; double f; } constants[] = {
    { "pi", 3.141592653589793 }, { "e", 2.718281828459045 }, { "inf", INFINITY }, { "nan", NAN },
};
static const struct { const char *name; TypeId type; } classes[] = {
    { "Tensor", TYPE_TENSOR }, { "Size", TYPE_SIZE }, { "dtype", TYPE_DTYPE }, { "device", TYPE_DEVICE },
    { "Generator", TYPE_GENERATOR_RNG }, { "UntypedStorage", TYPE_STORAGE },
};

static bool group_member(Session *s, Face face, const Str *name, Value *out, Err *err)
{
    OpGroup *group = op_groups_open(s, err) ? op_group_find(s, face, name->s, (size_t)name->size) : NULL;
    if (!group)
        return false;
    Builtin *made = op_group_builtin(s, group, err);
    if (!made)
        return false;
    *out = value_retain(value_object_take(made));
    return true;
}

/* Operations in place that are functions of torch too: torch.sin_(x). */
static const char *const inplace_names[] = {
    "abs_", "acos_", "acosh_", "arccos_", "arccosh_", "arcsin_", "arcsinh_", "arctan_", "arctanh_", "asin_", "asinh_", "atan_", "atanh_",
    "ceil_", "clamp_", "clamp_max_", "clamp_min_", "clip_", "cos_", "cosh_", "deg2rad_", "erf_", "erfc_", "exp_", "exp2_", "expm1_",
    "fill_", "fix_", "floor_", "frac_", "gcd_", "i0_", "lcm_", "ldexp_", "log_", "log10_", "log1p_", "log2_", "logit_", "nan_to_num_",
    "neg_", "negative_", "rad2deg_", "reciprocal_", "relu_", "round_", "rsqrt_", "sigmoid_", "sin_", "sinc_", "sinh_", "sqrt_", "square_",
    "tan_", "tanh_", "trunc_", "xlogy_", "zero_", "addmv_", "as_strided_", "index_put_",
};

static bool is_inplace_name(const char *name)
{
    for (size_t k = 0; k < sizeof inplace_names / sizeof *inplace_names; k++)
        if (!strcmp(inplace_names[k], name))
            return true;
    return false;
}

static bool functional_find(Session *s, Module *m, Str *name, Value *out, Err *err)
{
    (void)m;
    if (!strcmp(name->s, "relu_"))
        return group_member(s, FACE_INPLACE, name, out, err);
    return group_member(s, FACE_FUNCTIONAL, name, out, err);
}

static bool error_class(Session *s, ErrKind kind, Value *out, Err *err)
{
    Class *cls = class_of_error(s, kind);
    if (!cls)
        return err_memory(err, sizeof *cls);
    *out = value_retain((Value){ V_OBJECT, { .object = &cls->head } });
    return true;
}

static bool linalg_find(Session *s, Module *m, Str *name, Value *out, Err *err)
{
    (void)m;
    if (!strcmp(name->s, "LinAlgError"))
        return error_class(s, ERR_LINALG, out, err);
    return group_member(s, FACE_LINALG, name, out, err);
}

static void functional_names(Session *s, Module *m, void (*each)(void *to, const char *name), void *to)
{
    (void)m;
    op_group_names(s, FACE_FUNCTIONAL, each, to);
}

static void linalg_names(Session *s, Module *m, void (*each)(void *to, const char *name), void *to)
{
    (void)m;
    op_group_names(s, FACE_LINALG, each, to);
}

static bool nn_find(Session *s, Module *m, Str *name, Value *out, Err *err)
{
    (void)m;
    if (strcmp(name->s, "functional"))
        return false;
    Module *made = module_new(s, "torch.nn.functional", no_rows, err);
    if (!made)
        return false;
    made->find = functional_find;
    made->names = functional_names;
    *out = value_object_take(made);
    return true;
}

static bool submodule(Session *s, const char *name, Value *out, Err *err)
{
    static const struct {
        const char *name, *whole;
        const NativeRow *rows;
        bool (*find)(Session *, Module *, Str *, Value *, Err *);
        void (*names)(Session *, Module *, void (*)(void *, const char *), void *);
    } modules[] = {
        { "cuda", "torch.cuda", cuda_rows, NULL, NULL },
        { "random", "torch.random", random_rows, NULL, NULL },
        { "linalg", "torch.linalg", no_rows, linalg_find, linalg_names },
        { "nn", "torch.nn", no_rows, nn_find, NULL },
    };
    for (size_t i = 0; i < sizeof modules / sizeof *modules; i++) {
        if (strcmp(modules[i].name, name))
            continue;
        Module *made = module_new(s, modules[i].whole, modules[i].rows, err);
        if (!made)
            return false;
        made->find = modules[i].find;
        made->names = modules[i].names;
        *out = value_object_take(made);
        return true;
    }
    return false;
}

static bool torch_find(Session *s, Module *m, Str *name, Value *out, Err *err)
{
    (void)m;
    for (size_t i = 0; i < sizeof dtypes / sizeof *dtypes; i++)
        if (!strcmp(dtypes[i].name, name->s))
            return dtype_value(s, dtypes[i].dtype, out, err);
    for (size_t i = 0; i < sizeof constants / sizeof *constants; i++)
        if (!strcmp(constants[i].name, name->s))
            return *out = float_new(s, constants[i].f), true;
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
        if (!strcmp(classes[i].name, name->s)) {
            Class *cls = torch_class(s, classes[i].type, err);
            *out = cls ? value_retain(value_object_take(cls)) : value_unset();
            return cls;
        }
    if (torch_format(s, name->s, out, err))
        return true;
    if (!strcmp(name->s, "newaxis"))
        return *out = value_none(), true;
    if (!strcmp(name->s, "__version__")) {
        Str *text = str_new(s, "2.6.0+locus", 11, err);
        *out = text ? value_object_take(text) : value_unset();
        return text;
    }
    if (!strcmp(name->s, "OutOfMemoryError"))
        return error_class(s, ERR_OUT_OF_MEMORY, out, err);
    if (is_inplace_name(name->s))
        return group_member(s, FACE_INPLACE, name, out, err);
    return submodule(s, name->s, out, err) || (!err->kind && group_member(s, FACE_FUNCTION, name, out, err));
}

static void torch_names(Session *s, Module *m, void (*each)(void *to, const char *name), void *to)
{
    static const char *const others[] = { "cuda", "random", "linalg", "nn", "newaxis", "contiguous_format", "preserve_format" };
    (void)m;
    for (size_t i = 0; i < sizeof dtypes / sizeof *dtypes; i++)
        each(to, dtypes[i].name);
    for (size_t i = 0; i < sizeof constants / sizeof *constants; i++)
        each(to, constants[i].name);
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
        each(to, classes[i].name);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        each(to, others[i]);
    for (size_t i = 0; i < sizeof inplace_names / sizeof *inplace_names; i++)
        each(to, inplace_names[i]);
    op_group_names(s, FACE_FUNCTION, each, to);
}

Module *module_torch(Session *s, Err *err)
{
    Module *made = module_new(s, "torch", rows, err);
    if (!made)
        return NULL;
    made->find = torch_find;
    made->names = torch_names;
    return made;
}
