/*
 * runner.c - a run of source text: what module code tells the session, statement by statement, and errors as plain data.
 */
#include "lang/run/runner.h"
#include "lang/syntax/ast.h"
#include "lang/types/rows.h"
#include <stdio.h>
#include <string.h>

bool runner_open(Session *s, Err *err)
{
    struct Runner *r = mem_new(s->heap, sizeof *r);
    if (!r)
        return err_memory(err, sizeof *r);
    *r = (struct Runner){ .result = value_unset(), .last = value_unset() };
    s->runner = r;
    return true;
}

void runner_close(Session *s)
{
    struct Runner *r = s->runner;
    if (!r)
        return;
    runner_forget_error(s);
    value_release(r->result);
    value_release(r->last);
    if (r->out)
        object_release(&r->out->head);
    if (r->last_error)
        object_release(&r->last_error->head);
    s->runner = NULL;
    mem_free(s->heap, r);
}

/* ---- errors as plain data ------------------------------------------------------------------------------------- */
static void *take(Session *s, size_t bytes)
{
    void *memory = arena_take(s->runner->error_arena, bytes);
    if (memory)
        memset(memory, 0, bytes);
    return memory;
}

static const char *keep(Session *s, const char *text, size_t n)
{
    char *copy = take(s, n + 1);
    if (copy && n)
        memcpy(copy, text, n);
    return copy ? copy : "";
}

static bool fresh_arena(Session *s)
{
    runner_forget_error(s);
    Arena *arena = mem_new(s->heap, sizeof *arena);
    if (arena)
        *arena = (Arena){ .heap = s->heap };
    s->runner->error_arena = arena;
    return arena;
}

void runner_forget_error(Session *s)
{
    struct Runner *r = s->runner;
    if (r->error_arena) {
        arena_free(r->error_arena);
        mem_free(s->heap, r->error_arena);
    }
    r->error_arena = NULL;
    r->error = NULL;
}

static void fill_call(Session *s, Traceback *call, const char *function, Place place)
{
    size_t n = 0;
    const char *line = source_line(s, place.source, place.line, &n);
    const char *name = source_name(s, place.source);
    call->file = name ? name : "?";
    call->function = function;
    call->line = line ? keep(s, line, n) : NULL;
    call->place = place;
}

static void fill_exit(Session *s, const Exception *e, ErrorInfo *info)
{
    Value code = e->value;
    info->is_exit = e->cls->error == ERR_SYSTEM_EXIT;
    if (!info->is_exit || value_is_unset(code) || value_is_none(code))
        info->exit_status = 0;
    else if (value_tag(code) == V_INT || value_tag(code) == V_BOOL)
        info->exit_status = (int)((value_tag(code) == V_BOOL ? code.b : code.i) & 0xff);
    else
        info->exit_status = info->exit_says = 1;
    (void)s;
}

/* What add_note() has added, a line each. */
static void add_notes(Session *s, const Exception *e, Text *text)
{
    Err err = { 0 };
    Str *key = e->dict ? str_intern(s, "__notes__", 9, &err) : NULL;
    Value *notes = key ? dict_find_str(e->dict, key) : NULL;
    if (key)
        object_release(&key->head);
    for (int64_t k = 0; notes && value_is(*notes, TYPE_LIST) && k < ((List *)notes->object)->n; k++) {
        Value note = ((List *)notes->object)->item[k];
        text_char(text, '\n');
        text_put(text, value_is(note, TYPE_STR) ? ((Str *)note.object)->s : "?");
    }
}

static ErrorInfo *fill(Session *s, Exception *e, int depth)
{
    enum { CHAIN = 8 };
    ErrorInfo *info = take(s, sizeof *info);
    Text text = { 0 };
    Err err = { 0 };
    if (!info)
        return NULL;
    if (!exception_message(s, e, &text, &err)) {
        text_free(&text);
        text_put(&text, "<exception str() failed>");
        if (s->raised) {
            object_release(&s->raised->head);
            s->raised = NULL;
        }
    }
    add_notes(s, e, &text);
    info->type = keep(s, e->cls->name->s, (size_t)e->cls->name->size);
    info->message = keep(s, text.s ? text.s : "", text.n);
    text_free(&text);
    info->hint = e->hint ? keep(s, e->hint, strlen(e->hint)) : "";
    fill_exit(s, e, info);
    for (const Traceback_ *t = e->trace; t; t = t->next)
        info->calls++;
    if (info->calls && (info->call = take(s, info->calls * sizeof *info->call))) {
        Traceback *call = info->call;
        for (const Traceback_ *t = e->trace; t; t = t->next, call++)
            fill_call(s, call, keep(s, t->code->name->s, (size_t)t->code->name->size), t->place);
        info->line = info->call[0].place.line;
    } else
        info->calls = 0;
    if (depth < CHAIN && value_is(e->cause, TYPE_EXCEPTION))
        info->cause = fill(s, (Exception *)e->cause.object, depth + 1);
    else if (depth < CHAIN && value_is(e->context, TYPE_EXCEPTION) && !e->suppress_context)
        info->context = fill(s, (Exception *)e->context.object, depth + 1);
    return info;
}

const ErrorInfo *runner_error(Session *s, Exception *exception, Err *err)
{
    struct Runner *r = s->runner;
    Exception *old = r->last_error;
    r->last_error = exception;
    exception->head.count++;
    if (old)
        object_release(&old->head);
    if (!fresh_arena(s) || !(r->error = fill(s, exception, 0))) {
        err_memory(err, sizeof *r->error);
        return NULL;
    }
    return r->error;
}

bool runner_error_text(Session *s, Exception *exception, Text *text)
{
    struct Runner *r = s->runner;
    struct Arena *kept = r->error_arena;
    Arena arena = { .heap = s->heap };
    r->error_arena = &arena;
    const ErrorInfo *info = fill(s, exception, 0);
    r->error_arena = kept;
    if (info)
        session_print_error(info, false, text);
    arena_free(&arena);
    return info && !text->failed;
}

const ErrorInfo *runner_syntax_error(Session *s, const Err *err, Place where)
{
    struct Runner *r = s->runner;
    ErrorInfo *info = fresh_arena(s) ? take(s, sizeof *info) : NULL;
    if (!info)
        return NULL;
    info->type = err_name(err->kind);
    info->message = keep(s, err->message, strlen(err->message));
    info->hint = keep(s, err->hint, strlen(err->hint));
    info->line = where.line > 0 ? where.line : 1;
    if (where.source && (info->call = take(s, sizeof *info->call))) {
        fill_call(s, info->call, "<module>", where);
        info->calls = 1;
    }
    return r->error = info;
}

/* ---- statements ------------------------------------------------------------------------------------------------ */
void run_where(void *self, Event *row)
{
    const Session *s = self;
    const struct Runner *r = s->runner;
    const Frame *frame = s->frame;
    while (frame && frame->back && frame->code->flags & CODE_LIBRARY)
        frame = frame->back;
    if (!frame)
        return;
    row->place = frame_place(frame);
    row->called = r->inside && frame != r->frame;
    row->outer = row->called ? frame_place(r->frame).line : row->place.line;
}

void run_statement(Session *s, Frame *frame, uint32_t flags)
{
    struct Runner *r = s->runner;
    if (r->quiet)
        return;
    r->number++;
    r->inside = true;
    r->flags = flags;
    r->place = frame_place(frame);
    r->frame = frame;
    if (s->record) {
        const HeapTotals *t = &s->heap->totals;
        record_reset(s->record, t->live, t->next_storage, t->next_object, heap_clock(s->heap));
    }
}

void runner_tell(Session *s, const ErrorInfo *error)
{
    struct Runner *r = s->runner;
    Arena arena = { .heap = s->heap };
    Fact fact;
    Statement done = {
        .number = r->number, .line = r->place.line, .end_line = r->place.end_line, .source = r->place.source,
        .is_compound = r->flags & 1, .is_expression = r->flags & 2, .echo = r->echo, .error = error, .record = s->record,
    };
    r->inside = false;
    if (s->record)
        record_flush(s->record);
    done.text = source_span(s, r->place, &done.text_size);
    if (r->text.n && !error) {
        done.result = text_end(&r->text);
        done.result_size = r->text.n;
        if (!value_is_unset(r->result) && snapshot_fact(s, &arena, r->result, 3, 100, &fact))
            done.value = &fact;
    }
    if (s->observer.statement && !r->quiet)
        s->observer.statement(s->observer.self, &done);
    arena_free(&arena);
    text_free(&r->text);
    value_replace(&r->result, value_unset());
    r->echo = false;
}

void run_statement_end(Session *s, Frame *frame)
{
    (void)frame;
    if (s->heap->totals.live > s->collect_at)
        cycle_collect(s);
    if (!s->runner->quiet)
        runner_tell(s, NULL);
}

/* `_` at a prompt, Out[n] in a cell: what keeps the last values. */
static bool keep_result(Session *s, Value v, Err *err)
{
    struct Runner *r = s->runner;
    if (!module_set(s, s->builtins, "_", value_retain(v), err))
        return false;
    value_replace(&r->last, value_retain(v));
    if (r->mode != RUN_CELL)
        return true;
    Str *name = str_intern(s, "Out", 3, err);
    int slot = name ? session_global_slot(s, name, err) : -1;
    if (name)
        object_release(&name->head);
    if (slot < 0 || (!r->out && !(r->out = dict_new(s, err))))
        return false;
    if (value_is_unset(s->global[slot].value))
        s->global[slot].value = value_retain(value_object_take(r->out));
    return dict_set(s, r->out, (Value){ V_INT, { .i = r->cell } }, v, err);
}

bool run_result(Session *s, Frame *frame, Value taken, uint32_t flags, Err *err)
{
    struct Runner *r = s->runner;
    bool echo = r->mode == RUN_PROMPT || (r->flags & 4), ok = true;
    (void)frame;
    if (r->quiet || value_is_none(taken) || !(echo || s->record)) {
        value_release(taken);
        return true;
    }
    Text text = { 0 };
    ok = value_repr(s, taken, &text, err);
    if (ok && (flags & 1)) {                            /* inside a loop at a prompt: shown at once */
        text_char(&text, '\n');
        if (text_end(&text))
            session_write(s, STREAM_OUT, text.s, text.n);
        text_free(&text);
        ok = keep_result(s, taken, err);
    } else if (ok) {
        r->text = text;
        text = (Text){ 0 };
        r->echo = echo;
        if (echo) {
            ok = keep_result(s, taken, err);
            value_replace(&r->result, value_retain(taken));
        }
    }
    text_free(&text);
    value_release(taken);
    return ok;
}

bool run_command(Session *s, Value text, Err *err)
{
    const Str *line = (Str *)text.object;
    if (!s->observer.command)
        return err_set(err, ERR_SYNTAX, "commands with %% are not available here");
    return s->observer.command(s->observer.self, line->s, (size_t)line->size, err);
}

/* ---- bind events ------------------------------------------------------------------------------------------------ */
static uint64_t serial_of(Value v)
{
    return !value_can_hold(v) ? 0 : value_is(v, TYPE_TENSOR) || value_is_array(v) ? tensor_serial(value_tensor(v)) : object_serial(v.object);
}

void session_bind_event(Session *s, const char *target, size_t n, Value v, Value was)
{
    if (!s->record || (!value_can_hold(v) && !value_can_hold(was)))
        return;
    Event *event = record_add(s->record, value_is_unset(v) ? EVENT_UNBIND : EVENT_BIND);
    event->object = serial_of(v);
    event->was = serial_of(was);
    record_text(s->record, event, target, n);
}

void run_bind(Session *s, Frame *frame, Value v, Value was)
{
    size_t n = 0;
    if (!value_can_hold(v) && !value_can_hold(was))
        return;
    const char *target = source_span(s, frame_place(frame), &n);
    session_bind_event(s, target ? target : "", target ? n : 0, v, was);
}

bool session_is_out(const Session *s, Value v)
{
    return s->runner->out && value_is(v, s->runner->out->head.type) && v.object == &s->runner->out->head;
}

void session_holders(Session *s, void (*each)(void *to, const char *name, Value v), void *to)
{
    struct Runner *r = s->runner;
    Value key, value;
    char name[32];
    if (!value_is_unset(r->last))
        each(to, "_", r->last);
    for (int64_t at = 0; r->out && dict_next(r->out, &at, &key, &value); ) {
        snprintf(name, sizeof name, "Out[%lld]", (long long)key.i);
        each(to, name, value);
    }
    if (r->last_error)
        each(to, "last error", value_object_take(r->last_error));
}
