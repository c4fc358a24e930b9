/*
 * generator.c - a function that yields: its frame lies in the generator, and running it links the frame in.
 */
#include "lang/run/frame.h"
#include "lang/types/rows.h"
#include <string.h>

static size_t frame_bytes(const Code *code)
{
    return sizeof(Frame) + (size_t)(code->locals + code->stack + 1) * sizeof(Value);
}

bool generator_object(Session *s, Frame *frame, Value *out, Err *err)
{
    size_t bytes = frame_bytes(frame->code);
    Frame *kept = mem_new(s->heap, bytes);
    GeneratorFrame *g = kept ? heap_object_new(s->heap, sizeof *g, TYPE_GENERATOR, err) : NULL;
    Frame *back = frame->back;
    if (!g) {
        if (!kept)
            err_memory(err, bytes);
        mem_free(s->heap, kept);
        frame_end(s, frame);
        return false;
    }
    memcpy(kept, frame, bytes);
    kept->slot = (Value *)(kept + 1);
    kept->stack = kept->top = kept->slot + kept->code->locals;
    kept->generator = kept->entry = true;
    kept->back = NULL;
    s->frame_top = (char *)frame;                       /* what it held lies in the generator now */
    s->depth--;
    s->frame = back;
    g->frame = kept;
    g->name = kept->code->name;
    g->name->head.count++;
    g->running = g->started = false;
    g->result = value_unset();
    *out = value_object_take(g);
    return true;
}

static void finish(Session *s, GeneratorFrame *g)
{
    Frame *frame = g->frame;
    g->frame = NULL;
    while (frame->top > frame->stack)
        value_release(*--frame->top);
    frame_release(s, frame);
    mem_free(s->heap, frame);
}

/* Runs on with `sent` as the value of its yield; with err set that is raised there instead. */
static IterStatus resume(Session *s, GeneratorFrame *g, Value sent, bool failed, Value *out, Err *err)
{
    Frame *frame = g->frame, *caller = s->frame;
    RunStatus status = RUN_FAILED;
    if (g->running) {
        err_set(err, ERR_VALUE, "generator already executing");
        return ITER_ERROR;
    }
    if (!frame)
        return failed ? ITER_ERROR : ITER_END;
    if (s->depth >= s->depth_limit || !session_enough_stack(s)) {
        recursion_error(err);
        return ITER_ERROR;
    }
    g->head.count++;
    g->running = true;
    frame->back = caller;
    s->frame = frame;
    s->depth++;
    if (failed) {
        status = vm_throw(s, frame, out, err);
    } else {
        if (g->started)
            *frame->top++ = value_retain(sent);
        g->started = true;
        status = vm_run(s, frame, out, err);
    }
    s->depth--;
    s->frame = caller;
    g->running = false;
    if (status != RUN_YIELDED)
        finish(s, g);
    if (status == RUN_RETURNED) {
        g->result = *out;
        *out = value_unset();
    }
    object_release(&g->head);
    return status == RUN_YIELDED ? ITER_VALUE : status == RUN_RETURNED ? ITER_END : ITER_ERROR;
}

/* StopIteration that leaves a generator's body is a RuntimeError there. */
static IterStatus generator_next(Session *s, Value self, Value *out, Err *err)
{
    IterStatus status = resume(s, (GeneratorFrame *)self.object, value_none(), false, out, err);
    if (status == ITER_ERROR && err->kind == ERR_RAISED && s->raised && class_is_subclass(s->raised->cls, class_of_error(s, ERR_STOP_ITERATION))) {
        Exception *old = s->raised;
        s->raised = NULL;
        err_set(err, ERR_RUNTIME, "generator raised StopIteration");
        object_release(&old->head);
    }
    return status;
}

static bool generator_iter(Session *s, Value self, Value *out, Err *err)
{
    (void)s, (void)err;
    *out = value_retain(self);
    return true;
}

/* Raises err where the generator stands; inside a `yield from` in the generator that it waits for. */
static IterStatus throw_into(Session *s, GeneratorFrame *g, Value *out, Err *err)
{
    Frame *frame = g->frame;
    if (!frame || !g->started || g->running || frame->top == frame->stack || instr_op(*frame->pc) != CODE_YIELD_FROM
        || !value_is(frame->top[-1], TYPE_GENERATOR))
        return resume(s, g, value_none(), true, out, err);
    if (!session_enough_stack(s))
        return recursion_error(err), ITER_ERROR;
    g->running = true;
    IterStatus status = throw_into(s, (GeneratorFrame *)frame->top[-1].object, out, err);
    g->running = false;
    return status == ITER_VALUE ? status : resume(s, g, value_none(), status == ITER_ERROR, out, err);
}

/* Ends it: GeneratorExit is raised at its yield, so that `finally` runs. */
static bool generator_end(Session *s, GeneratorFrame *g, Err *err)
{
    Value out;
    if (!g->frame || g->running)
        return true;
    if (!g->started) {
        finish(s, g);
        return true;
    }
    err_set(err, ERR_GENERATOR_EXIT, "%s", "");
    IterStatus status = throw_into(s, g, &out, err);
    if (status == ITER_VALUE) {
        value_release(out);
        return err_set(err, ERR_RUNTIME, "generator ignored GeneratorExit");
    }
    if (status == ITER_END)
        return true;
    if (err->kind == ERR_RAISED && s->raised
        && (class_is_subclass(s->raised->cls, class_of_error(s, ERR_GENERATOR_EXIT)) || class_is_subclass(s->raised->cls, class_of_error(s, ERR_STOP_ITERATION)))) {
        Exception *old = s->raised;
        s->raised = NULL;
        err->kind = ERR_NONE;
        object_release(&old->head);
        return true;
    }
    return false;
}

static void generator_drop(Object *self)
{
    GeneratorFrame *g = (GeneratorFrame *)self;
    Session *s = session_of(self);
    Err err = { 0 };
    self->count = 1;                                    /* alive while its finally blocks run */
    if (!generator_end(s, g, &err) && err.kind == ERR_RAISED && s->raised) {
        Exception *old = s->raised;                     /* reported and ignored, as in CPython */
        s->raised = NULL;
        object_release(&old->head);
    }
    if (--self->count)
        return;                                         /* somebody kept it */
    if (g->frame)
        finish(s, g);
    value_release(g->result);
    object_release(&g->name->head);
    heap_object_free(g, sizeof *g);
}

void generator_cut(Object *self)
{
    GeneratorFrame *g = (GeneratorFrame *)self;
    if (g->frame && !g->running)
        finish(session_of(self), g);
}

static void generator_visit(Object *self, Visitor *visitor)
{
    GeneratorFrame *g = (GeneratorFrame *)self;
    if (!g->frame || g->running)
        return;
    for (int k = 0; k < g->frame->code->locals; k++)
        visitor->edge(visitor, g->frame->slot[k], "local", g->frame->code->local[k]->s, k);
    if (g->frame->function)
        visitor->edge(visitor, value_object_take(g->frame->function), "function", NULL, 0);
    for (Value *v = g->frame->stack; v < g->frame->top; v++)
        visitor->edge(visitor, *v, "operand", NULL, v - g->frame->stack);
}

static bool generator_repr(Session *s, Value self, Text *text, Err *err)
{
    (void)s, (void)err;
    text_print(text, "<generator object %s at 0x%llx>", ((GeneratorFrame *)self.object)->name->s, (unsigned long long)(uintptr_t)self.object);
    return true;
}

static bool stopped(Session *s, GeneratorFrame *g, Err *err)
{
    Value made, result = value_is_unset(g->result) ? value_none() : g->result;
    if (!exception_make(s, class_of_error(s, ERR_STOP_ITERATION), &result, !value_is_none(result), 0, NULL, &made, err))
        return false;
    session_raise(s, (Exception *)made.object, err);
    value_release(made);
    return false;
}

IterStatus generator_send(Session *s, Value self, Value sent, Value *out, Err *err)
{
    return resume(s, (GeneratorFrame *)self.object, sent, false, out, err);
}

static bool method_send(Session *s, Value self, Value *arg, Value *out, Err *err)
{
    GeneratorFrame *g = (GeneratorFrame *)self.object;
    if (!g->started && !value_is_none(arg[0]))
        return err_set(err, ERR_TYPE, "can't send non-None value to a just-started generator");
    IterStatus status = resume(s, g, arg[0], false, out, err);
    return status == ITER_VALUE || (status == ITER_END && stopped(s, g, err));
}

static bool method_throw(Session *s, Value self, Value *arg, Value *out, Err *err)
{
    GeneratorFrame *g = (GeneratorFrame *)self.object;
    Value given = arg[0];
    if (!value_is_none(arg[1]) && value_is(given, TYPE_CLASS))     /* the old form: class, value */
        given = arg[1];
    vm_raise(s, 1, &given, err);
    IterStatus status = throw_into(s, g, out, err);
    return status == ITER_VALUE || (status == ITER_END && stopped(s, g, err));
}

static bool method_close(Session *s, Value self, Value *arg, Value *out, Err *err)
{
    (void)arg;
    *out = value_none();
    return generator_end(s, (GeneratorFrame *)self.object, err);
}

static const NativeRow methods[] = {
    { "send", method_send, "value, /", 0, NULL },
    { "throw", method_throw, "exception, value = None, traceback = None, /", 0, NULL },
    { "close", method_close, "", 0, NULL },
    { 0 },
};

const Type type_generator = {
    .name = "generator", .drop = generator_drop, .visit = generator_visit, .repr = generator_repr, .iter = generator_iter,
    .next = generator_next, .methods = methods,
};
