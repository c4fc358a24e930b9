/*
 * call.c - frames, and the binding of arguments to the parameters of functions of the language.
 */
#include "lang/run/frame.h"
#include "lang/types/rows.h"
#include <string.h>
#include <sys/mman.h>

enum { FRAME_STACK = 256 << 20 };       /* address space: pages come as they are touched */

bool frames_open(Session *s, Err *err)
{
    s->frames = mmap(NULL, FRAME_STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (s->frames == MAP_FAILED) {
        s->frames = NULL;
        return err_memory(err, FRAME_STACK);
    }
    s->frame_top = s->frames;
    s->frame_end = s->frames + FRAME_STACK;
    s->depth_limit = 1000;
    return true;
}

void frames_close(Session *s)
{
    if (s->frames)
        munmap(s->frames, FRAME_STACK);
    s->frames = NULL;
}

Place frame_place(const Frame *frame)
{
    return frame->code->place[frame->pc - frame->code->code];
}

static Frame *frame_take(Session *s, Code *code, Err *err)
{
    size_t bytes = sizeof(Frame) + (size_t)(code->locals + code->stack + 1) * sizeof(Value);
    if (s->depth >= s->depth_limit || bytes > (size_t)(s->frame_end - s->frame_top)) {
        err_set(err, ERR_RECURSION, "maximum recursion depth exceeded");
        return NULL;
    }
    Frame *frame = (Frame *)s->frame_top;
    s->frame_top += bytes;
    s->depth++;
    frame->back = s->frame;
    frame->function = NULL;
    frame->code = code;                                 /* kept alive by the function, or below */
    frame->slot = (Value *)(frame + 1);
    frame->stack = frame->top = frame->slot + code->locals;
    frame->pc = code->code;
    frame->names = NULL;
    frame->instance = value_unset();
    frame->entry = frame->generator = false;
    for (int k = 0; k < code->locals; k++)
        frame->slot[k] = value_unset();
    return frame;
}

void frame_release(Session *s, Frame *frame)
{
    (void)s;
    for (Value *slot = frame->slot, *end = slot + frame->code->locals; slot < end; slot++) {
        if (value_tag(*slot) != V_OBJECT)
            continue;
        Object *held = slot->object;
        slot->tag = V_UNSET;
        object_release(held);
    }
    value_release(frame->instance);
    if (frame->names)
        object_release(&frame->names->head);
    object_release(frame->function ? &frame->function->head : &frame->code->head);
}

void frame_end(Session *s, Frame *frame)
{
    Frame *back = frame->back;
    frame_release(s, frame);
    s->frame_top = (char *)frame;
    s->depth--;
    s->frame = back;
}

/* ---- binding ---------------------------------------------------------------------------------------------- */
static const char *name_of(const Function *f) { return f->qualname->s; }

static bool too_many(const Function *f, int n, Err *err)
{
    const Code *code = f->code;
    int most = code->positional, least = most - (f->defaults ? (int)f->defaults->n : 0);
    if (least == most)
        return err_set(err, ERR_TYPE, "%s() takes %d positional argument%s but %d %s given", name_of(f), most, most == 1 ? "" : "s", n,
                       n == 1 ? "was" : "were");
    return err_set(err, ERR_TYPE, "%s() takes from %d to %d positional arguments but %d %s given", name_of(f), least, most, n, n == 1 ? "was" : "were");
}

static bool bind_keyword(Session *s, const Function *f, Frame *frame, Dict *rest, Str *name, Value v, Err *err)
{
    const Code *code = f->code;
    for (int k = code->positional_only; k < code->positional + code->keyword_only; k++) {
        if (code->local[k] != name && !str_equal(code->local[k], name))
            continue;
        if (!value_is_unset(frame->slot[k]))
            return err_set(err, ERR_TYPE, "%s() got multiple values for argument '%s'", name_of(f), name->s);
        frame->slot[k] = value_retain(v);
        return true;
    }
    if (rest)
        return dict_set(s, rest, value_object_take(name), v, err);
    for (int k = 0; k < code->positional_only; k++)
        if (str_equal(code->local[k], name))
            return err_set(err, ERR_TYPE, "%s() got some positional-only arguments passed as keyword arguments: '%s'", name_of(f), name->s);
    err_set(err, ERR_TYPE, "%s() got an unexpected keyword argument '%s'", name_of(f), name->s);
    Nearest nearest;
    nearest_begin(&nearest, name->s);
    for (int k = code->positional_only; k < code->positional + code->keyword_only; k++)
        nearest_look(&nearest, code->local[k]->s);
    if (nearest.best[0])
        err_hint(err, "did you mean '%s'?", nearest.best);
    return false;
}

static bool bind_defaults(const Function *f, Frame *frame, Err *err)
{
    const Code *code = f->code;
    int defaults = f->defaults ? (int)f->defaults->n : 0, missing = 0;
    const Str *first = NULL, *last = NULL;
    for (int k = 0; k < code->positional; k++) {
        if (!value_is_unset(frame->slot[k]))
            continue;
        int at = k - (code->positional - defaults);
        if (at >= 0) {
            frame->slot[k] = value_retain(f->defaults->item[at]);
            continue;
        }
        first = first ? first : code->local[k];
        last = code->local[k];
        missing++;
    }
    if (missing)
        return missing == 1
            ? err_set(err, ERR_TYPE, "%s() missing 1 required positional argument: '%s'", name_of(f), first->s)
            : err_set(err, ERR_TYPE, "%s() missing %d required positional arguments: '%s'%s'%s'", name_of(f), missing, first->s,
                      missing == 2 ? " and " : " … ", last->s);
    for (int k = code->positional; k < code->positional + code->keyword_only; k++) {
        if (!value_is_unset(frame->slot[k]))
            continue;
        Value *value = f->keyword_defaults ? dict_find_str(f->keyword_defaults, code->local[k]) : NULL;
        if (!value)
            return err_set(err, ERR_TYPE, "%s() missing 1 required keyword-only argument: '%s'", name_of(f), code->local[k]->s);
        frame->slot[k] = value_retain(*value);
    }
    return true;
}

static bool bind(Session *s, const Function *f, Frame *frame, const Value *args, int n, int nkw, Tuple *names, Err *err)
{
    const Code *code = f->code;
    int at = code->positional + code->keyword_only, given = n < code->positional ? n : code->positional;
    for (int k = 0; k < given; k++)
        frame->slot[k] = value_retain(args[k]);
    if (code->flags & CODE_VARARGS) {
        Tuple *rest = tuple_new(s, n - given, err);
        if (!rest)
            return false;
        for (int k = given; k < n; k++)
            rest->item[k - given] = value_retain(args[k]);
        frame->slot[at++] = value_object_take(rest);
    } else if (n > code->positional)
        return too_many(f, n, err);
    Dict *rest = NULL;
    if (code->flags & CODE_VARKEYWORDS) {
        if (!(rest = dict_new(s, err)))
            return false;
        frame->slot[at] = value_object_take(rest);
    }
    for (int k = 0; k < nkw; k++)
        if (!bind_keyword(s, f, frame, rest, (Str *)names->item[k].object, args[n + k], err))
            return false;
    return bind_defaults(f, frame, err);
}

static bool make_cells(Session *s, const Function *f, Frame *frame, Err *err)
{
    const Code *code = frame->code;
    for (int k = 0; k < code->cells; k++) {
        int from = code->cell_of_param ? code->cell_of_param[k] : -1;
        Value moved = value_unset();
        if (from >= 0) {
            moved = frame->slot[from];
            frame->slot[from] = value_unset();
        }
        Cell *cell = cell_new(s, moved, err);
        if (!cell)
            return false;
        frame->slot[code->cell_first + k] = value_object_take(cell);
    }
    for (int k = 0; k < code->frees; k++)
        frame->slot[code->free_first + k] = value_retain(f->closure->item[k]);
    return true;
}

Frame *frame_new(Session *s, Function *function, const Value *args, int n, int nkw, Tuple *names, Err *err)
{
    const Code *code = function->code;
    Frame *frame = frame_take(s, function->code, err);
    if (!frame)
        return NULL;
    function->head.count++;
    frame->function = function;
    bool ok = true;
    if (!nkw && n == code->positional && !code->keyword_only && !(code->flags & (CODE_VARARGS | CODE_VARKEYWORDS)))
        for (int k = 0; k < n; k++)
            frame->slot[k] = value_retain(args[k]);
    else
        ok = bind(s, function, frame, args, n, nkw, names, err);
    if (ok && code->cells + code->frees)
        ok = make_cells(s, function, frame, err);
    if (ok)
        return frame;
    frame_end(s, frame);
    return NULL;
}

Frame *frame_new_module(Session *s, Code *code, Err *err)
{
    Frame *frame = frame_take(s, code, err);
    if (frame)
        code->head.count++;
    if (frame && !make_cells(s, NULL, frame, err)) {
        frame_end(s, frame);
        return NULL;
    }
    return frame;
}

Frame *frame_quick(Session *s, Function *function, Value *args, int n)
{
    Code *code = function->code;
    size_t bytes = sizeof(Frame) + (size_t)(code->locals + code->stack + 1) * sizeof(Value);
    if (n != code->positional || code->keyword_only || code->flags & (CODE_VARARGS | CODE_VARKEYWORDS | CODE_GENERATOR) || code->cells + code->frees
        || s->depth >= s->depth_limit || bytes > (size_t)(s->frame_end - s->frame_top))
        return NULL;
    Frame *frame = (Frame *)s->frame_top;
    s->frame_top += bytes;
    s->depth++;
    frame->back = s->frame;
    frame->function = function;
    frame->code = code;
    frame->slot = (Value *)(frame + 1);
    frame->stack = frame->top = frame->slot + code->locals;
    frame->pc = code->code;
    frame->names = NULL;
    frame->instance.tag = V_UNSET;
    frame->entry = frame->generator = false;
    for (int k = 0; k < n; k++) {
        frame->slot[k].tag = args[k].tag;
        frame->slot[k].i = args[k].i;
    }
    for (int k = n; k < code->locals; k++)
        frame->slot[k].tag = V_UNSET;
    return frame;
}

bool function_call(Session *s, Function *function, const Value *args, int n, int nkw, Tuple *names, Value *out, Err *err)
{
    if (!session_enough_stack(s))
        return recursion_error(err);
    Frame *frame = frame_new(s, function, args, n, nkw, names, err);
    if (!frame)
        return false;
    if (function->code->flags & CODE_GENERATOR)
        return generator_object(s, frame, out, err);
    frame->entry = true;
    s->frame = frame;
    return vm_run(s, frame, out, err) == RUN_RETURNED;
}

bool value_call(Session *s, Value callee, Value *args, int n, int nkw, Tuple *names, Value *out, Err *err)
{
    if (value_is(callee, TYPE_FUNCTION))
        return function_call(s, (Function *)callee.object, args, n, nkw, names, out, err);
    const Type *type = value_type(callee);
    if (!type->call)
        return err_set(err, ERR_TYPE, "'%s' object is not callable", value_type_name(callee));
    if (!session_enough_stack(s))
        return recursion_error(err);
    return type->call(s, callee, args, n, nkw, names, out, err);
}
