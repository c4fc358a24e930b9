/*
 * handle.c - the dispatcher: finds the row of a request, and sends busy, reply and idle around its handler.
 */
#include "kernel/desk.h"
#include <stdlib.h>
#include <string.h>

enum { S = 1, C = 2 };

typedef struct Row { const char *name, *reply; unsigned channels; Handler *handle; } Row;
static const Row rows[] = {
#define REQUEST(name, reply, channels, handler) { #name "_request", #reply, channels, handle_##handler },
#define NOTICE(name, channels, handler) { #name, NULL, channels, handle_##handler },
#include "kernel/messages.def"
};

static const Row *find(const char *type, Channel channel)
{
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        if (!strcmp(rows[k].name, type))
            return rows[k].channels & (channel == CHANNEL_CONTROL ? C : S) ? &rows[k] : NULL;
    return NULL;
}

/* ---- fields ------------------------------------------------------------------------------------------- */
static json_t *field(const Desk *desk, const char *name)
{
    json_t *value = json_object_get(desk->content, name);
    return json_is_null(value) ? NULL : value;
}

static void wrong(Desk *desk, const char *name, const char *wanted)
{
    if (!desk->problem[0])
        snprintf(desk->problem, sizeof desk->problem, "the field %s of the request is not %s", name, wanted);
}

bool field_is_there(const Desk *desk, const char *name)
{
    return field(desk, name);
}

Bytes field_text(Desk *desk, const char *name, const char *missing)
{
    json_t *value = field(desk, name);
    if (json_is_string(value))
        return (Bytes){ json_string_value(value), json_string_length(value) };
    if (value || !missing)
        wrong(desk, name, "text");
    return bytes_of(missing ? missing : "");
}

bool field_bool(Desk *desk, const char *name, bool missing)
{
    json_t *value = field(desk, name);
    if (value && !json_is_boolean(value))
        wrong(desk, name, "true or false");
    return json_is_boolean(value) ? json_is_true(value) : missing;
}

int64_t field_int(Desk *desk, const char *name, int64_t missing)
{
    json_t *value = field(desk, name);
    if (value && !json_is_integer(value))
        wrong(desk, name, "a whole number");
    return json_is_integer(value) ? json_integer_value(value) : missing;
}

/* ---- sending ------------------------------------------------------------------------------------------ */
json_t *error_content(const char *ename, const char *evalue, const char *traceback)
{
    json_t *lines = json_array();
    for (const char *line = traceback; line && *line; ) {
        size_t n = strcspn(line, "\n");
        json_array_append_new(lines, json_utf8(line, n));
        line += n + (line[n] == '\n');
    }
    return json_pack("{s:s, s:o, s:o, s:o}", "status", "error", "ename", json_word(ename), "evalue", json_word(evalue),
                     "traceback", lines);
}

static bool on_control(const Desk *desk)
{
    return desk->request->channel == CHANNEL_CONTROL;
}

void desk_publish(Desk *desk, const char *type, json_t *taken)
{
    Publisher *publisher = &desk->kernel->publisher;
    if (!on_control(desk)) {
        publish(publisher, type, taken);
        return;
    }
    char *content = json_text_take(taken);
    if (content)
        message_send(publisher, CHANNEL_IOPUB, type, NULL, desk->request->dict[DICT_HEADER], bytes_of(content));
    free(content);
}

static void state(Desk *desk, const char *busy)
{
    char content[64];
    snprintf(content, sizeof content, "{\"execution_state\":\"%s\"}", busy);
    if (on_control(desk))
        message_send(&desk->kernel->publisher, CHANNEL_IOPUB, "status", NULL, desk->request->dict[DICT_HEADER], bytes_of(content));
    else
        publish_state(&desk->kernel->publisher, busy);
}

static void reply(Desk *desk, const char *type, json_t *taken)
{
    static const char none[] = "{\"status\":\"error\",\"ename\":\"MemoryError\",\"evalue\":\"no memory for the reply\","
                               "\"traceback\":[\"MemoryError: no memory for the reply\"]}";
    char *content = json_text_take(taken);
    if (!on_control(desk))
        publish_flush(&desk->kernel->publisher);
    message_send(&desk->kernel->publisher, desk->request->channel, type, desk->request->route, desk->request->dict[DICT_HEADER],
                 bytes_of(content ? content : none));
    free(content);
}

/* ---- one request -------------------------------------------------------------------------------------- */
static json_t *protocol_error(const char *problem)
{
    char line[260];
    snprintf(line, sizeof line, "ProtocolError: %s", problem);
    return error_content("ProtocolError", problem, line);
}

static void run_row(Desk *desk, const Row *row)
{
    json_t *metadata = json_read_object(desk->request->dict[DICT_METADATA]);
    json_t *content = json_read_object(desk->request->dict[DICT_CONTENT]), *answer = NULL;
    desk->content = content;
    if (!metadata || !content)
        snprintf(desk->problem, sizeof desk->problem, "the %s of the request is no JSON object",
                 content ? "metadata" : "content");
    else
        answer = row->handle(desk);
    json_decref(metadata);
    json_decref(content);
    if (desk->problem[0]) {
        json_decref(answer);
        answer = protocol_error(desk->problem);
    }
    if (row->reply)
        reply(desk, row->reply, answer);
    else
        json_decref(answer);
}

bool kernel_handle(Kernel *kernel, const Request *request)
{
    Desk desk = { .kernel = kernel, .request = request };
    json_t *header = wire_header(request->dict[DICT_HEADER]);
    if (!header)
        return false;
    const Row *row = find(json_string_value(json_object_get(header, "msg_type")), request->channel);
    if (!on_control(&desk))
        publish_parent(&kernel->publisher, request->dict[DICT_HEADER]);
    state(&desk, "busy");
    if (row)
        run_row(&desk, row);
    state(&desk, "idle");
    if (!on_control(&desk))
        publish_parent(&kernel->publisher, (Bytes){ NULL, 0 });
    bool ends = row && row->handle == handle_shutdown && !desk.problem[0];
    json_decref(header);
    if (ends && kernel->port->stop)
        kernel->port->stop(kernel->port->self);
    return true;
}

/* ---- the kernel --------------------------------------------------------------------------------------- */
Kernel *kernel_new(const Port *port, const KernelOptions *options, Err *err)
{
    Kernel *kernel = calloc(1, sizeof *kernel);
    if (!kernel) {
        err_memory(err, sizeof *kernel);
        return NULL;
    }
    kernel->port = port;
    kernel->next = 1;
    if (!publisher_open(&kernel->publisher, port, options->session)) {
        err_memory(err, sizeof *kernel);
        free(kernel);
        return NULL;
    }
    if (!cell_open(kernel, options, err)) {
        kernel_free(kernel);
        return NULL;
    }
    return kernel;
}

void kernel_free(Kernel *kernel)
{
    if (!kernel)
        return;
    cell_close(kernel);
    history_free(&kernel->history);
    publisher_close(&kernel->publisher);
    free(kernel);
}

void kernel_starting(Kernel *kernel)
{
    publish_state(&kernel->publisher, "starting");
}

void kernel_welcome(Kernel *kernel, Bytes subscription)
{
    json_t *topic = json_stringn(subscription.n ? subscription.s : "", subscription.n);
    char *content = json_text_take(topic ? json_pack("{s:o}", "subscription", topic) : NULL);
    if (content)
        message_send(&kernel->publisher, CHANNEL_IOPUB, "iopub_welcome", &subscription, (Bytes){ NULL, 0 }, bytes_of(content));
    free(content);
    /* One who comes late, after a restart say, has missed the state. */
    message_send(&kernel->publisher, CHANNEL_IOPUB, "status", NULL, (Bytes){ NULL, 0 },
                 bytes_of(atomic_load(&kernel->publisher.busy) ? "{\"execution_state\":\"busy\"}" : "{\"execution_state\":\"idle\"}"));
}

int  kernel_flush_due(Kernel *kernel) { return publish_due(&kernel->publisher); }
void kernel_idle(Kernel *kernel) { session_idle(kernel->session); }
void kernel_interrupt(Kernel *kernel) { session_interrupt(kernel->session); }
int  kernel_interrupt_fd(const Kernel *kernel) { return session_interrupt_fd(kernel->session); }
