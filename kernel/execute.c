/*
 * execute.c - execute_request: runs a cell, publishes what it gives, and its memory card.
 */
#include "kernel/desk.h"
#include <stdlib.h>
#include <string.h>

/* ---- the session tells -------------------------------------------------------------------------------- */
static void on_text(void *self, Stream to, const char *utf8, size_t n)
{
    Kernel *kernel = self;
    if (kernel->tracing)
        show_trace_output(kernel->show, to, utf8, n);
    if (!kernel->silent)
        publish_stream(&kernel->publisher, to, utf8, n);
}

static void on_statement(void *self, const Statement *done)
{
    Kernel *kernel = self;
    Err err;
    if (done->echo && done->result) {
        kernel->has_result = true;
        text_add(&kernel->result, done->result, done->result_size);
    }
    show_statement(kernel->show, done);
    if (kernel->tracing && !show_trace_statement(kernel->show, done, &err)) {
        kernel->tracing = false;
        publish_stream(&kernel->publisher, STREAM_ERR, err.message, strlen(err.message));
        publish_stream(&kernel->publisher, STREAM_ERR, "\n", 1);
    }
}

static char *input_value(const char *content, size_t n, Err *err)
{
    json_t *object = json_read_object((Bytes){ content, n });
    const char *value = json_string_value(json_object_get(object, "value"));
    char *line = value ? strdup(value) : NULL;
    if (!value)
        err_set(err, ERR_EOF, "the reply to input() has no text");
    else if (!line)
        err_memory(err, strlen(value));
    json_decref(object);
    return line;
}

static bool on_input(void *self, const char *prompt, bool password, char **line, Err *err)
{
    Kernel *kernel = self;
    const Port *port = kernel->port;
    char *answer = NULL;
    size_t n = 0;
    if (!kernel->allow_stdin || !port->answer) {
        err_set(err, ERR_RUNTIME, "input() is not available: this client takes no questions");
        return err_hint(err, "run the cell in a notebook or a console, or give the value in the code");
    }
    publish_flush(&kernel->publisher);
    json_t *text = json_word(prompt);
    char *content = json_text_take(text ? json_pack("{s:o, s:b}", "prompt", text, "password", password) : NULL);
    if (!content)
        return err_memory(err, strlen(prompt));
    message_send(&kernel->publisher, CHANNEL_STDIN, "input_request", kernel->route, kernel->publisher.parent, bytes_of(content));
    free(content);
    if (!port->answer(port->self, &answer, &n, err))
        return false;
    *line = input_value(answer, n, err);
    free(answer);
    return *line;
}

static bool on_command(void *self, const char *line, size_t n, Err *err)
{
    static const Layout layout = { .width = 80 };
    Kernel *kernel = self;
    Text text = { 0 }, html = { 0 };
    bool ok = show_command(kernel->show, line, n, &layout, &text, &html, err);
    if (html.n && !kernel->silent)
        publish_display(&kernel->publisher, &text, &html);
    else if (text.n)
        on_text(kernel, STREAM_OUT, text.s, text.n);
    text_free(&text);
    text_free(&html);
    return ok;
}

bool cell_open(Kernel *kernel, const KernelOptions *options, Err *err)
{
    static char *no_arguments[] = { "", NULL };
    Observer observer = { kernel, on_text, on_statement, on_input, on_command };
    SessionOptions wanted = { .argc = 1, .argv = no_arguments };
    if (!(kernel->session = session_new(&observer, &wanted, err)) || !(kernel->show = show_new(kernel->session, err)))
        return false;
    kernel->tracing = options->trace;
    return !options->trace || show_trace_open(kernel->show, options->trace, err);
}

void cell_close(Kernel *kernel)
{
    if (kernel->tracing)
        show_trace_close(kernel->show);
    text_free(&kernel->result);
    show_free(kernel->show);
    session_free(kernel->session);
}

/* ---- errors ------------------------------------------------------------------------------------------- */
/* The error in full: three fields, the same for iopub and the reply. */
static json_t *session_error_content(const Kernel *kernel, const Err *err)
{
    const ErrorInfo *info = session_error(kernel->session);
    Text text = { 0 };
    if (info)
        session_print_error(info, true, &text);
    else
        text_print(&text, "\033[1;31m%s\033[0m: %s\n", err_name(err->kind), err->message);
    const char *traceback = text_end(&text);
    const char *ename = info ? info->type : err_name(err->kind), *evalue = info ? info->message : err->message;
    json_t *content = traceback ? error_content(ename, evalue, traceback) : NULL;
    text_free(&text);
    return content;
}

static json_t *without_status(json_t *error)
{
    json_t *copy = json_copy(error);
    json_object_del(copy, "status");
    return copy;
}

static json_t *evaluate(Kernel *kernel, const char *expression)
{
    Err err = { 0 };
    char *value = session_evaluate(kernel->session, expression, strlen(expression), &err);
    if (!value) {
        Text text = { 0 };
        text_print(&text, "%s: %s", err_name(err.kind), err.message);
        json_t *error = text_end(&text) ? error_content(err_name(err.kind), err.message, text.s) : NULL;
        text_free(&text);
        return error;
    }
    json_t *bundle = json_pack("{s:s, s:{s:o}, s:{}}", "status", "ok", "data", "text/plain", json_word(value), "metadata");
    free(value);
    return bundle;
}

static json_t *evaluate_all(Kernel *kernel, json_t *expressions)
{
    json_t *made = json_object(), *expression;
    const char *name;
    json_object_foreach(expressions, name, expression)
        json_object_set_new(made, name, json_is_string(expression) ? evaluate(kernel, json_string_value(expression))
                            : error_content("TypeError", "an expression is text", "TypeError: an expression is text"));
    return made;
}

/* ---- the request -------------------------------------------------------------------------------------- */
static bool run(Kernel *kernel, Bytes code, Err *err)
{
    char name[40];
    snprintf(name, sizeof name, "<cell %d>", kernel->cell);
    text_free(&kernel->result);
    kernel->has_result = false;
    if (!kernel->silent)
        show_cell_begin(kernel->show, kernel->cell);
    session_clear_interrupt(kernel->session);
    return session_run(kernel->session, kernel->silent ? RUN_SILENT : RUN_CELL, name, code.s, code.n, kernel->cell, err);
}

static void publish_card(Kernel *kernel)
{
    Text plain = { 0 }, html = { 0 };
    if (show_cell_empty(kernel->show))
        return;
    show_cell_text(kernel->show, &plain);
    show_cell_html(kernel->show, &html);
    if (plain.n && !plain.failed)
        publish_display(&kernel->publisher, &plain, html.failed ? NULL : &html);
    text_free(&plain);
    text_free(&html);
}

json_t *handle_execute(Desk *desk)
{
    Kernel *kernel = desk->kernel;
    Publisher *publisher = &kernel->publisher;
    Err err = { 0 };
    Bytes code = field_text(desk, "code", NULL);
    bool silent = field_bool(desk, "silent", false), store = field_bool(desk, "store_history", !silent) && !silent;
    bool allow_stdin = field_bool(desk, "allow_stdin", false), stop_on_error = field_bool(desk, "stop_on_error", true);
    json_t *expressions = json_object_get(desk->content, "user_expressions");
    if (expressions && !json_is_null(expressions) && !json_is_object(expressions))
        snprintf(desk->problem, sizeof desk->problem, "the field user_expressions of the request is not an object");
    if (desk->problem[0])
        return NULL;
    if (desk->request->aborted)
        return json_pack("{s:s}", "status", "aborted");
    kernel->route = desk->request->route;
    kernel->silent = silent;
    kernel->allow_stdin = allow_stdin;
    kernel->cell = kernel->next;
    kernel->next += store;
    if (!silent)
        publish(publisher, "execute_input",
                json_pack("{s:o, s:i}", "code", json_utf8(code.s, code.n), "execution_count", kernel->cell));
    bool ok = run(kernel, code, &err);
    json_t *error = ok ? NULL : session_error_content(kernel, &err), *answer;
    if (kernel->has_result && !silent && !kernel->result.failed)
        publish_result(publisher, kernel->cell, kernel->result.s, kernel->result.n);
    if (error && !silent)
        publish(publisher, "error", without_status(error));
    if (store) {
        Bytes output = { kernel->has_result && kernel->result.n ? kernel->result.s : NULL, kernel->result.n };
        history_add(&kernel->history, kernel->cell, code, output);
    }
    text_free(&kernel->result);
    if (!silent)
        publish_card(kernel);
    if (ok)
        answer = json_pack("{s:s, s:i, s:o, s:[]}", "status", "ok", "execution_count", kernel->cell, "user_expressions",
                           evaluate_all(kernel, expressions), "payload");
    else if ((answer = error))
        json_object_set_new(answer, "execution_count", json_integer(kernel->cell));
    if (!ok && stop_on_error && !silent && kernel->port->gather)
        kernel->port->gather(kernel->port->self);
    kernel->silent = false;
    kernel->route = NULL;
    return answer;
}
