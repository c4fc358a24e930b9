/*
 * exception.c - exceptions as objects: made from an Err when they are caught, raised again as they are.
 */
#include "lang/run/frame.h"
#include "lang/types/native.h"
#include "lang/types/rows.h"
#include <stdlib.h>
#include <string.h>

/* ---- classes ------------------------------------------------------------------------------------------------ */
Class *class_of_error(Session *s, ErrKind kind)
{
    Err err = { 0 };
    if (!s->error_class[kind]) {
        Class *base = kind == ERR_BASE ? s->object_class : class_of_error(s, err_parent(kind));
        s->error_class[kind] = base ? class_new_builtin(s, err_name(kind), base, TYPE_EXCEPTION, kind, &err) : NULL;
        if (s->error_class[kind])
            s->error_class[kind]->make = exception_make;
    }
    return s->error_class[kind];
}

Exception *exception_new(Session *s, Class *cls, Tuple *args, Err *err)
{
    Exception *e = heap_object_new(s->heap, sizeof *e, TYPE_EXCEPTION, err);
    if (!e)
        return NULL;
    e->cls = cls;
    e->args = args;
    cls->head.count++;
    args->head.count++;
    e->dict = NULL;
    e->cause = e->context = e->value = value_unset();
    e->suppress_context = false;
    e->trace = NULL;
    e->hint = NULL;
    return e;
}

static bool is_os_error(const Class *cls)
{
    ErrKind kind = cls->error;
    while (kind != ERR_BASE && kind != ERR_NONE && kind != ERR_OS)
        kind = err_parent(kind);
    return kind == ERR_OS;
}

static bool set_own(Session *s, Exception *e, const char *name, Value value, Err *err)
{
    Str *key = str_intern(s, name, (int64_t)strlen(name), err);
    bool ok = key && (e->dict || (e->dict = dict_new(s, err))) && dict_set(s, e->dict, value_object_take(key), value, err);
    if (key)
        object_release(&key->head);
    return ok;
}

bool exception_make(Session *s, Class *cls, Value *args, int n, int nkw, Tuple *names, Value *out, Err *err)
{
    if (nkw && cls->error != ERR_IMPORT && cls->error != ERR_MODULE_NOT_FOUND)
        return err_set(err, ERR_TYPE, "%s() takes no keyword arguments", cls->name->s);
    (void)names;
    bool named = n == 3 && is_os_error(cls);             /* OSError(number, text, file): the file is no argument */
    if (cls == s->error_class[ERR_OS] && n >= 2 && value_tag(args[0]) == V_INT)     /* OSError(2, …) is a FileNotFoundError */
        cls = class_of_error(s, os_error_kind((int)args[0].i));
    n -= named;
    Tuple *tuple = tuple_new(s, n, err);
    for (int k = 0; tuple && k < n; k++)
        tuple->item[k] = value_retain(args[k]);
    Exception *e = tuple ? exception_new(s, cls, tuple, err) : NULL;
    if (tuple)
        object_release(&tuple->head);
    if (e && n && (cls->error == ERR_STOP_ITERATION || cls->error == ERR_SYSTEM_EXIT))
        e->value = value_retain(args[0]);
    if (e && named && !set_own(s, e, "filename", args[2], err)) {
        object_release(&e->head);
        return false;
    }
    *out = e ? value_object_take(e) : value_unset();
    return e;
}

/* ---- from and to an Err ------------------------------------------------------------------------------------- */
bool session_raise(Session *s, Exception *exception, Err *err)
{
    Exception *old = s->raised;
    exception->head.count++;
    if (s->handled && s->handled != exception && value_is_unset(exception->context))
        exception->context = value_retain(value_object_take(s->handled));
    s->raised = exception;
    err->kind = ERR_RAISED;
    if (old)
        object_release(&old->head);
    return false;
}

/* "[Errno 2] No such file or directory: 'x'" is an OSError(2, 'No such file or directory') with a filename. */
static void os_parts(Session *s, Exception *e, const char *message)
{
    Err err = { 0 };
    char *end;
    if (strncmp(message, "[Errno ", 7))
        return;
    long number = strtol(message + 7, &end, 10);
    if (strncmp(end, "] ", 2))
        return;
    const char *text = end + 2, *name = strstr(text, ": '"), *last = name ? strrchr(name, '\'') : NULL;
    Tuple *args = tuple_new(s, 2, &err);
    Str *what = args ? str_new(s, text, name ? name - text : (int64_t)strlen(text), &err) : NULL;
    if (what) {
        args->item[0] = int_new(s, number);
        args->item[1] = value_object_take(what);
        object_release(&e->args->head);
        e->args = args;
        Str *file = last > name + 2 ? str_new(s, name + 3, last - name - 3, &err) : NULL;
        if (file) {
            set_own(s, e, "filename", value_object_take(file), &err);
            object_release(&file->head);
        }
    } else if (args)
        object_release(&args->head);
}

static Exception *made_of(Session *s, Err *err)
{
    Err inner = { 0 };
    Class *cls = class_of_error(s, err->kind);
    Str *message = cls ? str_new(s, err->message, (int64_t)strlen(err->message), &inner) : NULL;
    Tuple *args = message ? tuple_new(s, err->message[0] ? 1 : 0, &inner) : NULL;
    Exception *e = NULL;
    if (args) {
        if (args->n)
            args->item[0] = value_retain(value_object_take(message));
        e = exception_new(s, cls, args, &inner);
    }
    if (e && is_os_error(cls))
        os_parts(s, e, err->message);
    if (e && err->hint[0] && (e->hint = mem_new(s->heap, strlen(err->hint) + 1)))
        strcpy(e->hint, err->hint);
    if (args)
        object_release(&args->head);
    if (message)
        object_release(&message->head);
    return e;
}

Exception *session_exception(Session *s, Err *err)
{
    Exception *e = NULL;
    if (err->kind == ERR_RAISED) {
        e = s->raised;
        s->raised = NULL;
    } else {
        e = made_of(s, err);
        if (!e) {                                       /* no memory for it: what is told instead takes little */
            err_set(err, ERR_MEMORY, "no memory");
            e = made_of(s, err);
        }
        if (!e) {
            e = s->spare_exception;
            e->head.count++;
        } else if (s->handled)
            e->context = value_retain(value_object_take(s->handled));
    }
    err->kind = ERR_NONE;
    return e;
}

/* ---- tracebacks ----------------------------------------------------------------------------------------------- */
void exception_trace(Session *s, Exception *exception, Frame *frame, bool take_locals)
{
    Err ignored;
    int n = take_locals && !frame->generator ? frame->code->locals : 0;
    if (exception == s->spare_exception || frame->code->flags & CODE_LIBRARY)
        return;
    Traceback_ *trace = heap_object_new(s->heap, sizeof *trace + (size_t)n * sizeof(Value), TYPE_TRACEBACK, &ignored);
    if (!trace)
        return;
    trace->code = frame->code;
    frame->code->head.count++;
    trace->place = frame_place(frame);
    trace->locals = n;
    for (int k = 0; k < n; k++) {
        trace->local[k] = frame->slot[k];
        frame->slot[k] = value_unset();
    }
    trace->next = exception->trace;
    exception->trace = trace;
}

static void traceback_drop(Object *self)
{
    Traceback_ *trace = (Traceback_ *)self;
    while (trace) {
        Traceback_ *next = trace->next;
        for (int k = 0; k < trace->locals; k++)
            value_release(trace->local[k]);
        object_release(&trace->code->head);
        heap_object_free(trace, sizeof *trace + (size_t)trace->locals * sizeof(Value));
        trace = next && --next->head.count == 0 ? next : NULL;
    }
}

static void traceback_visit(Object *self, Visitor *visitor)
{
    Traceback_ *trace = (Traceback_ *)self;
    for (int k = 0; k < trace->locals; k++)
        visitor->edge(visitor, trace->local[k], "local", trace->code->local[k]->s, k);
    if (trace->next)
        visitor->edge(visitor, value_object_take(trace->next), "traceback", NULL, 0);
}

const Type type_traceback = { .name = "traceback", .drop = traceback_drop, .visit = traceback_visit };

/* ---- the row ------------------------------------------------------------------------------------------------ */
static void exception_drop(Object *self)
{
    Exception *e = (Exception *)self;
    Heap *heap = heap_of(self);
    if (e->trace)
        object_release(&e->trace->head);
    value_release(e->cause);
    value_release(e->context);
    value_release(e->value);
    if (e->dict)
        object_release(&e->dict->head);
    object_release(&e->args->head);
    object_release(&e->cls->head);
    mem_free(heap, e->hint);
    heap_object_free(e, sizeof *e);
}

static void exception_visit(Object *self, Visitor *visitor)
{
    Exception *e = (Exception *)self;
    visitor->edge(visitor, value_object_take(e->cls), "class", NULL, 0);
    visitor->edge(visitor, value_object_take(e->args), "arguments", NULL, 0);
    if (e->dict)
        visitor->edge(visitor, value_object_take(e->dict), "attributes", NULL, 0);
    if (e->trace)
        visitor->edge(visitor, value_object_take(e->trace), "traceback", NULL, 0);
    visitor->edge(visitor, e->cause, "cause", NULL, 0);
    visitor->edge(visitor, e->context, "context", NULL, 0);
    visitor->edge(visitor, e->value, "value", NULL, 0);
}

static bool has_method(Class *cls, const char *name, Session *s, Value *method)
{
    Err err = { 0 };
    Str *str = str_intern(s, name, (int64_t)strlen(name), &err);
    Value *found = str ? class_lookup(cls, str) : NULL;
    if (str)
        object_release(&str->head);
    *method = found ? *found : value_unset();
    return found;
}

/* The text of a method of a class of the language: __str__ or __repr__. */
static bool method_text(Session *s, Value method, Value self, Text *text, Err *err)
{
    Value result;
    if (!value_call(s, method, &self, 1, 0, NULL, &result, err))
        return false;
    bool ok = value_is(result, TYPE_STR) || err_set(err, ERR_TYPE, "__str__ returned non-string (type %s)", value_type_name(result));
    if (ok)
        text_add(text, ((Str *)result.object)->s, (size_t)((Str *)result.object)->size);
    value_release(result);
    return ok;
}

bool exception_message(Session *s, Exception *e, Text *text, Err *err)
{
    Value method;
    if (has_method(e->cls, "__str__", s, &method))
        return method_text(s, method, value_object_take(e), text, err);
    if (e->args->n == 0)
        return true;
    if (e->args->n > 1) {
        if (is_os_error(e->cls) && value_tag(e->args->item[0]) == V_INT) {
            Str *key = str_intern(s, "filename", 8, err);
            Value *name = key && e->dict ? dict_find_str(e->dict, key) : NULL;
            if (key)
                object_release(&key->head);
            text_print(text, "[Errno %lld] ", (long long)e->args->item[0].i);
            return key && value_str(s, e->args->item[1], text, err)
                && (!name || value_is_none(*name) || (text_put(text, ": "), value_repr(s, *name, text, err)));
        }
        return value_repr(s, value_object_take(e->args), text, err);
    }
    return e->cls->error == ERR_KEY ? value_repr(s, e->args->item[0], text, err) : value_str(s, e->args->item[0], text, err);
}

static bool exception_str(Session *s, Value self, Text *text, Err *err)
{
    return exception_message(s, (Exception *)self.object, text, err);
}

static bool exception_repr(Session *s, Value self, Text *text, Err *err)
{
    const Exception *e = (Exception *)self.object;
    Value method;
    if (has_method(e->cls, "__repr__", s, &method))
        return method_text(s, method, self, text, err);
    text_print(text, "%s(", e->cls->name->s);
    for (int64_t k = 0; k < e->args->n; k++) {
        text_put(text, k ? ", " : "");
        if (!value_repr(s, e->args->item[k], text, err))
            return false;
    }
    text_char(text, ')');
    return true;
}

static bool exception_get_attr(Session *s, Value self, Str *name, Value *out, Err *err)
{
    Exception *e = (Exception *)self.object;
    Value *own = e->dict ? dict_find_str(e->dict, name) : NULL, *found;
    *out = value_unset();
    if (own)
        *out = value_retain(*own);
    else if (!strcmp(name->s, "args"))
        *out = value_retain(value_object_take(e->args));
    else if (!strcmp(name->s, "__cause__"))
        *out = value_is_unset(e->cause) ? value_none() : value_retain(e->cause);
    else if (!strcmp(name->s, "__context__"))
        *out = value_is_unset(e->context) ? value_none() : value_retain(e->context);
    else if (!strcmp(name->s, "__traceback__"))
        *out = e->trace ? value_retain(value_object_take(e->trace)) : value_none();
    else if (!strcmp(name->s, "__suppress_context__"))
        *out = value_bool(e->suppress_context);
    else if (!strcmp(name->s, "value") && e->cls->error == ERR_STOP_ITERATION)
        *out = value_is_unset(e->value) ? value_none() : value_retain(e->value);
    else if (!strcmp(name->s, "code") && e->cls->error == ERR_SYSTEM_EXIT)
        *out = value_is_unset(e->value) ? value_none() : value_retain(e->value);
    else if (is_os_error(e->cls) && (!strcmp(name->s, "errno") || !strcmp(name->s, "strerror") || !strcmp(name->s, "filename"))) {
        int64_t at = name->s[0] == 's';
        *out = name->s[0] != 'f' && e->args->n >= 2 ? value_retain(e->args->item[at]) : value_none();
    } else if (!strcmp(name->s, "__dict__")) {
        if (!e->dict && !(e->dict = dict_new(s, err)))
            return false;
        *out = value_retain(value_object_take(e->dict));
    } else if (!strcmp(name->s, "__doc__"))
        *out = value_none();
    else if ((found = class_lookup(e->cls, name)))
        return class_bind(s, *found, self, e->cls, out, err);
    return true;
}

static bool exception_set_attr(Session *s, Value self, Str *name, Value value, Err *err)
{
    Exception *e = (Exception *)self.object;
    if (!strcmp(name->s, "__cause__") || !strcmp(name->s, "__context__")) {
        value_replace(name->s[3] == 'a' ? &e->cause : &e->context, value_retain(value));
        return true;
    }
    if (!strcmp(name->s, "args") && value_is(value, TYPE_TUPLE)) {
        Tuple *old = e->args;
        e->args = (Tuple *)value_retain(value).object;
        object_release(&old->head);
        return true;
    }
    if (!e->dict && !(e->dict = dict_new(s, err)))
        return false;
    if (!value_is_unset(value))
        return dict_set(s, e->dict, value_object_take(name), value, err);
    bool found;
    return dict_delete(s, e->dict, value_object_take(name), &found, err)
        && (found || err_set(err, ERR_ATTRIBUTE, "'%s' object has no attribute '%s'", e->cls->name->s, name->s));
}

/* super().__init__(*args) of an exception's class. */
static bool exception_init(Session *s, Value self, Value *arg, Value *out, Err *err)
{
    Exception *e = (Exception *)self.object;
    Tuple *old = e->args;
    (void)s, (void)err;
    e->args = (Tuple *)value_retain(arg[0]).object;
    object_release(&old->head);
    *out = value_none();
    return true;
}

static bool exception_with_traceback(Session *s, Value self, Value *arg, Value *out, Err *err)
{
    (void)s, (void)arg, (void)err;
    *out = value_retain(self);
    return true;
}

/* add_note(text): shown below the message. */
static bool exception_add_note(Session *s, Value self, Value *arg, Value *out, Err *err)
{
    Exception *e = (Exception *)self.object;
    Str *key = str_intern(s, "__notes__", 9, err);
    Value *known = key && e->dict ? dict_find_str(e->dict, key) : NULL;
    List *list = known && value_is(*known, TYPE_LIST) ? (List *)value_retain(*known).object : key ? list_new(s, 1, err) : NULL;
    bool ok = list && (value_is(arg[0], TYPE_STR) || err_set(err, ERR_TYPE, "note must be a str, not '%s'", value_type_name(arg[0])))
           && list_append(s, list, arg[0], err) && set_own(s, e, "__notes__", value_object_take(list), err);
    if (list)
        object_release(&list->head);
    if (key)
        object_release(&key->head);
    *out = value_none();
    return ok;
}

static const NativeRow methods[] = {
    { "__init__", exception_init, "*args", 0, NULL },
    { "add_note", exception_add_note, "note, /", 0, NULL },
    { "with_traceback", exception_with_traceback, "tb, /", 0, NULL },
    { 0 },
};

const Type type_exception = {
    .name = "BaseException", .drop = exception_drop, .visit = exception_visit, .repr = exception_repr, .str = exception_str,
    .get_attr = exception_get_attr, .set_attr = exception_set_attr, .methods = methods,
};
