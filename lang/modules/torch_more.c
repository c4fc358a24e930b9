/*
 * torch_more.c - torch's classes as callables, and the context managers of gradient mode.
 */
#include "lang/modules/torch.h"
#include "lang/run/signature.h"
#include "lang/types/torch_types.h"
#include <string.h>

/* ---- classes ----------------------------------------------------------------------------------------------- */
static bool make_size(Session *s, Class *cls, Value *args, int n, int nkw, Tuple *names, Value *out, Err *err)
{
    int64_t shape[64] = { 0 };
    (void)cls, (void)names;
    if (n > 1 || nkw)
        return err_set(err, ERR_TYPE, "Size() takes one sequence of ints");
    List *items = n ? value_to_list(s, args[0], err) : list_new(s, 0, err);
    if (!items)
        return false;
    bool ok = items->n <= 64 || err_set(err, ERR_VALUE, "a size of more than 64 dimensions");
    for (int64_t d = 0; ok && d < items->n; d++)
        ok = value_index(s, items->item[d], "a size", &shape[d], err);
    ok = ok && size_value(s, (int)items->n, shape, out, err);
    object_release(&items->head);
    return ok;
}

static bool make_device(Session *s, Class *cls, Value *args, int n, int nkw, Tuple *names, Value *out, Err *err)
{
    Device device;
    int64_t index;
    (void)cls, (void)names;
    if (n < 1 || n > 2 || nkw)
        return err_set(err, ERR_TYPE, "device() takes a name such as 'cpu' or 'cuda:0', or a name and an index");
    if (!device_from_value(s, args[0], &device, err))
        return err->kind ? false : err_set(err, ERR_TYPE, "device() takes a name or an index, not %s", value_type_name(args[0]));
    if (!device_value(s, device, out, err))
        return false;
    DeviceObject *made = (DeviceObject *)out->object;
    made->indexed = value_tag(args[0]) == V_INT || (value_is(args[0], TYPE_STR) && strchr(((Str *)args[0].object)->s, ':'));
    if (n == 2) {
        if (!value_index(s, args[1], "the index", &index, err) || index < 0 || index > 255)
            return value_release(*out), err->kind ? false : err_set(err, ERR_RUNTIME, "a device's index goes from 0 to 255");
        made->device.index = (uint8_t)index;
        made->indexed = true;
    }
    return true;
}

static bool make_generator(Session *s, Class *cls, Value *args, int n, int nkw, Tuple *names, Value *out, Err *err)
{
    Device device = { 0, 0 };
    (void)cls, (void)names;
    if (n + nkw > 1 || (n + nkw == 1 && !device_from_value(s, args[0], &device, err)))
        return err->kind ? false : err_set(err, ERR_TYPE, "Generator() takes a device");
    if (device.type != DEVICE_CPU)
        return err_set(err, ERR_RUNTIME, "there is no cuda device here");
    GeneratorObject *g = heap_object_new(s->heap, sizeof *g, TYPE_GENERATOR_RNG, err);
    if (!g)
        return false;
    g->owned = true;
    if (!(g->generator = generator_new(s->heap, 67280421310721u, err))) {
        heap_object_free(g, sizeof *g);
        return false;
    }
    *out = value_object_take(g);
    return true;
}

/* torch.Tensor(2, 3) is not initialised, torch.Tensor([1, 2]) holds the numbers; always of the default dtype. */
static bool make_tensor(Session *s, Class *cls, Value *args, int n, int nkw, Tuple *names, Value *out, Err *err)
{
    int64_t shape[64] = { 0 };
    Tensor *made;
    bool sizes = n > 0;
    (void)cls, (void)names;
    if (nkw || n > 64)
        return err_set(err, ERR_TYPE, "Tensor() takes sizes or nested lists of numbers");
    for (int k = 0; k < n; k++) {
        sizes = sizes && value_tag(args[k]) == V_INT;
        shape[k] = sizes ? args[k].i : 0;
    }
    if (n == 0)
        made = tensor_empty(&s->ctx, s->ctx.default_dtype, (Device){ 0, 0 }, 1, shape, err);
    else if (sizes)
        made = tensor_empty(&s->ctx, s->ctx.default_dtype, (Device){ 0, 0 }, n, shape, err);
    else if (n > 1)
        return err_set(err, ERR_TYPE, "Tensor() takes sizes or nested lists of numbers");
    else if (!tensor_from_value(s, args[0], s->ctx.default_dtype, &made, err))
        return false;
    *out = made ? value_tensor_take(made) : value_unset();
    return made;
}

Class *torch_class(Session *s, TypeId type, Err *err)
{
    Class *cls = class_of_type(s, type, V_OBJECT);
    if (!cls) {
        err_memory(err, sizeof *cls);
        return NULL;
    }
    cls->module = "torch";
    cls->make = type == TYPE_SIZE ? make_size : type == TYPE_DEVICE ? make_device : type == TYPE_GENERATOR_RNG ? make_generator
              : type == TYPE_TENSOR ? make_tensor : cls->make;
    return cls;
}

/* ---- gradient modes ----------------------------------------------------------------------------------------- */
typedef struct Mode {
    Object head;                        /* TYPE_CONTEXT */
    int    kind;                        /* GRAD_… */
    bool   on;                          /* the mode inside */
    bool   saved, saved_inference;      /* the modes outside */
} Mode;

bool torch_grad_mode(Session *s, Value self, Value *arg, Value *out, Err *err)
{
    int kind = (int)arg[-1].i;
    bool on = kind == GRAD_ON;
    (void)self;
    if (kind >= GRAD_INFERENCE && !value_truth(s, arg[0], &on, err))
        return false;
    Mode *mode = heap_object_new(s->heap, sizeof *mode, TYPE_CONTEXT, err);
    if (!mode)
        return false;
    mode->kind = kind;
    mode->on = on;
    mode->saved = s->ctx.grad_mode;
    mode->saved_inference = s->ctx.inference_mode;
    if (kind == GRAD_SET)                               /* takes effect at once, also without `with` */
        s->ctx.grad_mode = on;
    *out = value_object_take(mode);
    return true;
}

static bool mode_enter(Session *s, Value self, Value *arg, Value *out, Err *err)
{
    Mode *mode = (Mode *)self.object;
    (void)arg, (void)err;
    if (mode->kind != GRAD_SET) {
        mode->saved = s->ctx.grad_mode;
        mode->saved_inference = s->ctx.inference_mode;
    }
    if (mode->kind == GRAD_INFERENCE) {
        s->ctx.inference_mode = mode->on;
        s->ctx.grad_mode = mode->on ? false : s->ctx.grad_mode;
    } else
        s->ctx.grad_mode = mode->on;
    *out = value_none();
    return true;
}

static bool mode_exit(Session *s, Value self, Value *arg, Value *out, Err *err)
{
    const Mode *mode = (Mode *)self.object;
    (void)arg, (void)err;
    s->ctx.grad_mode = mode->saved;
    s->ctx.inference_mode = mode->saved_inference;
    *out = value_bool(false);
    return true;
}

/* self is the tuple (mode, function): calls the function inside the mode. */
static bool call_inside(Session *s, Value self, Value *arg, Value *out, Err *err)
{
    Tuple *pair = (Tuple *)self.object, *positional = (Tuple *)arg[0].object, *names = NULL;
    Dict *keywords = (Dict *)arg[1].object;
    int n = (int)positional->n, nkw = (int)keywords->used;
    Value *args = mem_new(s->heap, (size_t)(n + nkw + 1) * sizeof *args), key, value, ignored;
    int64_t at = 0;
    bool ok = args && (names = tuple_new(s, nkw, err));
    if (!args)
        return err_memory(err, (size_t)(n + nkw + 1) * sizeof *args);
    for (int k = 0; k < n; k++)
        args[k] = positional->item[k];
    for (int k = 0; ok && k < nkw && dict_next(keywords, &at, &key, &value); k++) {
        names->item[k] = value_retain(key);
        args[n + k] = value;
    }
    if (ok) {
        mode_enter(s, pair->item[0], NULL, &ignored, err);
        ok = value_call(s, pair->item[1], args, n, nkw, names, out, err);
        mode_exit(s, pair->item[0], NULL, &ignored, err);
        object_release(&names->head);
    }
    mem_free(s->heap, args);
    return ok;
}

static const NativeRow inside_row = { "wrapper", call_inside, "*args, **kwargs", 0, NULL };

/* @torch.no_grad(): the function that runs inside the mode. */
static bool mode_call(Session *s, Value self, Value *args, int n, int nkw, Tuple *names, Value *out, Err *err)
{
    (void)names;
    if (n != 1 || nkw)
        return err_set(err, ERR_TYPE, "as a decorator it takes one function");
    Tuple *pair = tuple_new(s, 2, err);
    if (!pair)
        return false;
    pair->item[0] = value_retain(self);
    pair->item[1] = value_retain(args[0]);
    Builtin *made = builtin_new(s, &inside_row, value_object_take(pair), err);
    object_release(&pair->head);
    *out = made ? value_object_take(made) : value_unset();
    return made;
}

static void mode_drop(Object *self) { heap_object_free(self, sizeof(Mode)); }

static bool mode_repr(Session *s, Value self, Text *text, Err *err)
{
    static const char *const names[] = { "no_grad", "enable_grad", "inference_mode", "set_grad_enabled" };
    (void)s, (void)err;
    text_print(text, "<torch.%s object at 0x%llx>", names[((Mode *)self.object)->kind], (unsigned long long)(uintptr_t)self.object);
    return true;
}

static const NativeRow mode_methods[] = {
    { "__enter__", mode_enter, "", 0, NULL },
    { "__exit__", mode_exit, "type, value, traceback", 0, NULL },
    { 0 },
};

const Type type_context = { .name = "no_grad", .drop = mode_drop, .repr = mode_repr, .call = mode_call, .methods = mode_methods };
