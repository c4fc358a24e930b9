/*
 * session.c - a session: opened, run, asked, closed.
 */
#define _GNU_SOURCE 1
#include "lang/session.h"
#include "lang/modules/modules.h"
#include "lang/run/runner.h"
#include "lang/run/signature.h"
#include "lang/syntax/code.h"
#include "lang/types/rows.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum { STACK_RESERVE = 96 << 10 };      /* of the C stack: what an error and its unwinding may take */

/* ---- the C stack ---------------------------------------------------------------------------------------------- */
static char *stack_limit(void)
{
    pthread_attr_t attr;
    void *low = NULL;
    size_t size = 0;
    if (!pthread_getattr_np(pthread_self(), &attr)) {
        pthread_attr_getstack(&attr, &low, &size);
        pthread_attr_destroy(&attr);
    }
    if (size > (size_t)64 << 20) {                      /* unlimited: enough is enough */
        low = (char *)low + size - ((size_t)64 << 20);
    }
    return (char *)low + STACK_RESERVE;
}

bool session_enough_stack(const Session *s)
{
    char here;
    return &here > s->stack_end;
}

bool recursion_error(Err *err)
{
    return err_set(err, ERR_RECURSION, "maximum recursion depth exceeded");
}

/* ---- opening and closing ---------------------------------------------------------------------------------------- */
static bool open_parts(Session *s, Err *err)
{
    Str *main_name;
    if (!frames_open(s, err) || !runner_open(s, err) || !class_of_type(s, TYPE_INSTANCE, V_OBJECT))
        return err->kind ? false : err_memory(err, sizeof *s);
    Tuple *none = tuple_new(s, 0, err);
    Class *memory = none ? class_of_error(s, ERR_MEMORY) : NULL;
    s->spare_exception = memory ? exception_new(s, memory, none, err) : NULL;
    if (none)
        object_release(&none->head);
    if (!s->spare_exception || !(s->modules = dict_new(s, err)) || !(s->builtins = module_builtins(s, err)))
        return err->kind ? false : err_memory(err, sizeof *s);
    if (!(s->module_name = str_intern(s, "<module>", 8, err)) || !(main_name = str_intern(s, "__main__", 8, err)))
        return false;
    return module_set(s, s->builtins, "__name__", value_object_take(main_name), err);
}

/* A tensor's attributes die before its bytes, as in PyTorch. */
static void drop_extra(void *extra) { object_release(extra); }

Session *session_new(const Observer *observer, const SessionOptions *options, Err *err)
{
    Session *s = calloc(1, sizeof *s);
    if (!s)
        return err_memory(err, sizeof *s), NULL;
    if (!context_init(&s->ctx, options && options->fixed_addresses, err)) {
        free(s);
        return NULL;
    }
    s->heap = s->ctx.heap;
    s->heap->owner = s;
    s->heap->drop_extra = drop_extra;
    s->ctx.interrupted = &s->interrupt;
    s->observer = observer ? *observer : (Observer){ 0 };
    s->options = options ? *options : (SessionOptions){ 0 };
    s->stack_end = stack_limit();
    s->collect_at = 64 << 20;
    s->interrupt_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    if (!open_parts(s, err)) {
        session_free(s);
        return NULL;
    }
    session_watch(s, s->options.events);
    return s;
}

static void name_leak(void *to, Object *object)
{
    (void)to;
    fprintf(stderr, "leak: %s object %llu, %u references\n", value_type_name(value_object_take(object)), (unsigned long long)object->serial,
            object->count);
}

static void report_leaks(Session *s)
{
    const HeapTotals *t = &s->heap->totals;
    if (!t->objects && !t->storages && mem_count(s->heap) <= 1)      /* the random stream's state is the context's */
        return;
    fprintf(stderr, "leak: %llu objects, %llu storages, %lld other pieces of memory\n", (unsigned long long)t->objects,
            (unsigned long long)t->storages, (long long)mem_count(s->heap));
    heap_each_object(s->heap, name_leak, NULL);
}

static void drop(void *object)
{
    if (object)
        object_release(object);
}

void session_free(Session *s)
{
    if (!s)
        return;
    s->heap->record = NULL;
    record_free(s->record);
    s->record = NULL;
    for (int k = s->globals - 1; k >= 0; k--)
        value_replace(&s->global[k].value, value_unset());
    drop(s->handled);
    drop(s->raised);
    s->handled = s->raised = NULL;
    runner_close(s);
    for (int k = 0; k < s->globals; k++)
        object_release(&s->global[k].name->head);
    mem_free(s->heap, s->global);
    drop(s->global_index);
    drop(s->modules);
    drop(s->builtins);
    drop(s->main_module);
    s->modules = NULL;
    s->builtins = NULL;
    for (int k = 0; k < 4; k++)
        value_replace(&s->path[k], value_unset());
    mem_free(s->heap, s->random_module);
    s->random_module = NULL;
    cycle_collect(s);
    drop(s->spare_exception);
    drop(s->module_name);
    numpy_close(s);
    classes_free(s);
    cycle_collect(s);
    for (int k = 0; k < DT_COUNT; k++)
        drop(s->dtype_object[k]);
    op_groups_free(s);
    signatures_free(s);
    sources_free(s);
    interned_free(s);
    drop_queue_free(s);
    frames_close(s);
    if (s->interrupt_fd >= 0)
        close(s->interrupt_fd);
    if (s->options.report_leaks)
        report_leaks(s);
    context_close(&s->ctx);
    free(s);
}

void session_watch(Session *s, bool events)
{
    if (events && !s->record && (s->record = record_new())) {
        s->record->where = run_where;
        s->record->self = s;
        record_reset(s->record, s->heap->totals.live, s->heap->totals.next_storage, s->heap->totals.next_object, 0);
    } else if (!events && s->record) {
        record_free(s->record);
        s->record = NULL;
    }
    s->heap->record = s->record;
}

Heap *session_heap(Session *s) { return s->heap; }
HeapTotals session_totals(const Session *s) { return s->heap->totals; }

void session_write(Session *s, Stream to, const char *utf8, size_t n)
{
    if (s->observer.text)
        s->observer.text(s->observer.self, to, utf8, n);
}

/* ---- running ------------------------------------------------------------------------------------------------------ */
static CompileMode compile_mode(RunMode mode)
{
    return mode == RUN_SCRIPT ? COMPILE_SCRIPT : mode == RUN_PROMPT ? COMPILE_PROMPT : COMPILE_CELL;
}

/* The error that ended a run, told and kept; err says it in short. */
static void failed(Session *s, Err *err)
{
    struct Runner *r = s->runner;
    Exception *exception = session_exception(s, err);
    ErrKind kind = exception->cls->error;
    Err inner = { 0 };
    const ErrorInfo *info = runner_error(s, exception, &inner);
    object_release(&exception->head);
    if (s->handled) {
        Exception *old = s->handled;
        s->handled = NULL;
        object_release(&old->head);
    }
    if (info && !r->quiet)
        runner_tell(s, info);
    err_set(err, kind, "%s", info ? info->message : "no memory");
}

static void told_syntax_error(Session *s, Err *err, Place where, int source)
{
    struct Runner *r = s->runner;
    if (!where.source && source)
        where = (Place){ source, 1, 0, 1, 0 };
    const ErrorInfo *info = runner_syntax_error(s, err, where);
    if (r->quiet)
        return;
    r->number++;
    r->flags = 0;
    r->place = (Place){ where.source, info && info->line ? info->line : 1, 0, info && info->line ? info->line : 1, 0 };
    if (s->record)
        record_reset(s->record, s->heap->totals.live, s->heap->totals.next_storage, s->heap->totals.next_object, heap_clock(s->heap));
    if (info)
        runner_tell(s, info);
}

/* Runs module code to its end. */
static bool run_code(Session *s, Code *code, Value *out, Err *err)
{
    Frame *back = s->frame, *frame = frame_new_module(s, code, err);
    if (!frame)
        return false;
    frame->entry = true;
    s->frame = frame;
    bool ok = vm_run(s, frame, out, err) == RUN_RETURNED;
    s->frame = back;
    return ok;
}

/* __file__ of the script that runs: made when it is asked for, so that the length of a path moves no other object. */
static bool script_find(Session *s, Module *m, Str *name, Value *out, Err *err)
{
    (void)m;
    *out = value_unset();
    if (!s->script || strcmp(name->s, "__file__") || source_name(s, s->script)[0] == '<')    /* -c has none */
        return true;
    Str *file = str_new(s, source_name(s, s->script), (int64_t)strlen(source_name(s, s->script)), err);
    *out = file ? value_object_take(file) : value_unset();
    return file;
}

/* What names that a script does not bind itself say of it: they are looked up last, like its __name__. */
static bool name_script(Session *s, int source, const Code *code, Err *err)
{
    s->script = source;
    s->builtins->find = script_find;
    return module_set(s, s->builtins, "__doc__", code->doc ? value_retain(value_object_take(code->doc)) : value_none(), err);
}

bool session_run(Session *s, RunMode mode, const char *name, const char *utf8, size_t n, int cell, Err *err)
{
    struct Runner *r = s->runner;
    Place where = { 0 };
    Value result;
    err->kind = ERR_NONE;
    r->mode = mode;
    r->cell = cell;
    r->quiet = mode == RUN_SILENT;
    runner_forget_error(s);
    int source = source_add(s, name, utf8, n, err);
    Code *code = source ? compile_source(s, source, compile_mode(mode), &where, err) : NULL;
    if (!code) {
        told_syntax_error(s, err, where, source);
        return false;
    }
    bool ok = (mode != RUN_SCRIPT || name_script(s, source, code, err)) && run_code(s, code, &result, err);
    if (ok)
        value_release(result);
    else
        failed(s, err);
    object_release(&code->head);
    return ok;
}

bool session_compute(Session *s, const char *utf8, size_t n, Value *out, Err *err)
{
    struct Runner *r = s->runner;
    Place where = { 0 };
    bool quiet = r->quiet;
    err->kind = ERR_NONE;
    int source = source_add(s, "<expression>", utf8, n, err);
    Code *code = source ? compile_source(s, source, COMPILE_EXPRESSION, &where, err) : NULL;
    if (!code)
        return false;
    r->quiet = true;
    bool ok = run_code(s, code, out, err);
    if (!ok)
        failed(s, err);
    r->quiet = quiet;
    object_release(&code->head);
    return ok;
}

char *session_evaluate(Session *s, const char *utf8, size_t n, Err *err)
{
    struct Runner *r = s->runner;
    Value result;
    Text text = { 0 };
    if (!session_compute(s, utf8, n, &result, err))
        return NULL;
    bool quiet = r->quiet, ok;
    r->quiet = true;
    if (!(ok = value_repr(s, result, &text, err)))
        failed(s, err);
    r->quiet = quiet;
    value_release(result);
    if (!ok || !text_end(&text)) {
        text_free(&text);
        return NULL;
    }
    return text.s;
}

const ErrorInfo *session_error(const Session *s) { return s->runner->error; }

Completeness session_check(Session *s, const char *utf8, size_t n, int *indent)
{
    return syntax_check(s, utf8, n, indent);
}

void session_interrupt(Session *s)
{
    uint64_t one = 1;
    s->interrupt = 1;
    if (write(s->interrupt_fd, &one, sizeof one) < 0)
        return;                                         /* it is set already */
}

void session_clear_interrupt(Session *s)
{
    uint64_t count;
    s->interrupt = 0;
    if (read(s->interrupt_fd, &count, sizeof count) < 0)
        return;                                         /* it was not set */
}

void session_idle(Session *s) { heap_trim(s->heap); }

int session_interrupt_fd(const Session *s) { return s->interrupt_fd; }

static void forget_results(Session *s)
{
    struct Runner *r = s->runner;
    Err err = { 0 };
    bool found;
    Str *name = str_intern(s, "_", 1, &err);
    value_replace(&r->last, value_unset());
    if (name) {
        dict_delete(s, s->builtins->dict, value_object_take(name), &found, &err);
        object_release(&name->head);
    }
    if (r->out)
        dict_clear(r->out);
    if (r->last_error) {
        Exception *old = r->last_error;
        r->last_error = NULL;
        object_release(&old->head);
    }
}

void session_reset(Session *s)
{
    for (int k = 0; k < s->globals; k++)
        value_replace(&s->global[k].value, value_unset());
    forget_results(s);
    cycle_collect(s);
}

bool session_delete(Session *s, const char *name, Err *err)
{
    struct Runner *r = s->runner;
    for (int k = 0; k < s->globals; k++) {
        Value v = s->global[k].value, key, value;
        if (strcmp(s->global[k].name->s, name) || value_is_unset(v))
            continue;
        s->global[k].value = value_unset();
        if (value_same(r->last, v))
            forget_results(s);
        for (int64_t at = 0; r->out && dict_next(r->out, &at, &key, &value); )
            if (value_same(value, v))
                dict_set(s, r->out, key, value_none(), err);
        value_release(v);
        return true;
    }
    return err_set(err, ERR_NAME, "name '%s' is not defined", name);
}

const char *session_place_text(const Session *s, Place place, size_t *n)
{
    return place.source ? source_span(s, place, n) : NULL;
}

const char *session_source_line(const Session *s, int source, int line, size_t *n)
{
    return source_line(s, source, line, n);
}
