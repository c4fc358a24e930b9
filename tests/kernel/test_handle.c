/*
 * test_handle.c - the dispatcher without a socket: which messages a request gives, in which order.
 */
#include "kernel/handle.h"
#include "tensor/text.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define COUNT(array) (sizeof (array) / sizeof *(array))
#define RAN "busy execute_input "

typedef struct Row { const char *name, *type, *content, *told; } Row;

static const Row rows[] = {
    { "an expression", "execute_request", "{\"code\":\"1\"}", RAN "execute_result execute_reply:ok idle" },
    { "a statement", "execute_request", "{\"code\":\"x = 1\"}", RAN "execute_reply:ok idle" },
    { "text", "execute_request", "{\"code\":\"print(1)\"}", RAN "stream execute_reply:ok idle" },
    { "both streams", "execute_request", "{\"code\":\"import sys\\nprint(1)\\nprint(2, file=sys.stderr)\\n3\"}",
      RAN "stream stream execute_result execute_reply:ok idle" },
    { "an error", "execute_request", "{\"code\":\"print(1)\\n1/0\"}", RAN "stream error execute_reply:ZeroDivisionError idle" },
    { "a syntax error", "execute_request", "{\"code\":\"1 +\"}", RAN "error execute_reply:SyntaxError idle" },
    { "a card", "execute_request", "{\"code\":\"import torch\\nX = torch.ones(2)\"}", RAN "display_data execute_reply:ok idle" },
    { "a command", "execute_request", "{\"code\":\"%who\"}", RAN "display_data execute_reply:ok idle" },
    { "an unknown command", "execute_request", "{\"code\":\"%nothing\"}", RAN "error execute_reply:NameError idle" },
    { "silent", "execute_request", "{\"code\":\"print(1)\\n1\",\"silent\":true}", "busy execute_reply:ok idle" },
    { "silent error", "execute_request", "{\"code\":\"1/0\",\"silent\":true}", "busy execute_reply:ZeroDivisionError idle" },
    { "input, nobody there", "execute_request", "{\"code\":\"input()\",\"allow_stdin\":true}", RAN "error execute_reply:RuntimeError idle" },
    { "code with a zero", "execute_request", "{\"code\":\"'a\\u0000b'\"}", NULL },
    { "no code", "execute_request", "{}", "busy execute_reply:ProtocolError idle" },
    { "code a number", "execute_request", "{\"code\":1}", "busy execute_reply:ProtocolError idle" },
    { "content a list", "execute_request", "[]", "busy execute_reply:ProtocolError idle" },
    { "content empty", "execute_request", "", "busy execute_reply:ProtocolError idle" },
    { "content no UTF-8", "execute_request", "{\"code\":\"\xff\"}", "busy execute_reply:ProtocolError idle" },
    { "a lone surrogate", "execute_request", "{\"code\":\"\\ud800\"}", "busy execute_reply:ProtocolError idle" },
    { "kernel info", "kernel_info_request", "{}", "busy kernel_info_reply:ok idle" },
    { "complete", "complete_request", "{\"code\":\"pri\",\"cursor_pos\":3}", "busy complete_reply:ok idle" },
    { "complete, cursor text", "complete_request", "{\"code\":\"pri\",\"cursor_pos\":\"3\"}", "busy complete_reply:ProtocolError idle" },
    { "inspect", "inspect_request", "{\"code\":\"print\",\"cursor_pos\":3}", "busy inspect_reply:ok idle" },
    { "is complete", "is_complete_request", "{\"code\":\"(\"}", "busy is_complete_reply:incomplete idle" },
    { "history", "history_request", "{\"hist_access_type\":\"tail\",\"n\":3}", "busy history_reply:ok idle" },
    { "history, unknown access", "history_request", "{\"hist_access_type\":\"x\"}", "busy history_reply:ProtocolError idle" },
    { "comm info", "comm_info_request", "{}", "busy comm_info_reply:ok idle" },
    { "comm open", "comm_open", "{\"comm_id\":\"a\"}", "busy comm_close idle" },
    { "comm message", "comm_msg", "{\"comm_id\":\"a\"}", "busy idle" },
    { "comm open without id", "comm_open", "{}", "busy idle" },
    { "unknown", "usage_request", "{}", "busy idle" },
    { "interrupt", "interrupt_request", "{}", "busy interrupt_reply:ok idle" },
    { "shutdown", "shutdown_request", "{\"restart\":false}", "busy shutdown_reply:ok idle stop" },
    { "shutdown, wrong field", "shutdown_request", "{\"restart\":3}", "busy shutdown_reply:ProtocolError idle" },
};

/* ---- a port that writes down -------------------------------------------------------------------------- */
static void note(Text *told, const char *word)
{
    text_print(told, "%s%s", told->n ? " " : "", word);
}

static void port_send(void *self, const Packet *packet)
{
    Text *told = self;
    json_t *header = wire_header(packet->dict[DICT_HEADER]), *content = json_read_object(packet->dict[DICT_CONTENT]);
    assert_non_null(header);
    assert_non_null(content);
    assert_string_equal(json_string_value(json_object_get(header, "msg_type")), packet->type);
    const char *state = json_string_value(json_object_get(content, "execution_state"));
    const char *status = json_string_value(json_object_get(content, "status"));
    const char *ename = json_string_value(json_object_get(content, "ename"));
    note(told, state ? state : packet->type);
    if (status)
        text_print(told, ":%s", !strcmp(status, "error") ? ename : status);
    json_decref(header);
    json_decref(content);
}

static void port_stop(void *self)
{
    note(self, "stop");
}

static bool ask(Kernel *kernel, Channel channel, const char *type, const char *content, bool aborted)
{
    char header[128];
    snprintf(header, sizeof header, "{\"msg_id\":\"1\",\"msg_type\":\"%s\"}", type);
    Request request = { .channel = channel, .dict = { bytes_of(header), bytes_of("{}"), bytes_of("{}"), bytes_of(content) },
                        .aborted = aborted };
    return kernel_handle(kernel, &request);
}

static Kernel *open_kernel(const Port *port)
{
    Err err = { 0 };
    Kernel *kernel = kernel_new(port, &(KernelOptions){ .session = "5e5510" }, &err);
    assert_non_null(kernel);
    return kernel;
}

static void check(void **state)
{
    const Row *row = *state;
    Text told = { 0 };
    Port port = { .self = &told, .send = port_send, .stop = port_stop };
    Kernel *kernel = open_kernel(&port);
    for (int round = 0; round < 2; round++) {           /* the same again, after whatever it was */
        text_free(&told);
        assert_true(ask(kernel, CHANNEL_SHELL, row->type, row->content, false));
        if (row->told)
            assert_string_equal(text_end(&told), row->told);
        else
            assert_string_equal(text_end(&told) + told.n - 4, "idle");
    }
    kernel_free(kernel);
    text_free(&told);
}

static void check_aborted(void **state)
{
    (void)state;
    Text told = { 0 };
    Port port = { .self = &told, .send = port_send };
    Kernel *kernel = open_kernel(&port);
    ask(kernel, CHANNEL_SHELL, "execute_request", "{\"code\":\"print(1)\"}", true);
    ask(kernel, CHANNEL_SHELL, "kernel_info_request", "{}", true);
    assert_string_equal(text_end(&told), "busy execute_reply:aborted idle busy kernel_info_reply:ok idle");
    kernel_free(kernel);
    text_free(&told);
}

static void check_control(void **state)
{
    (void)state;
    Text told = { 0 };
    Port port = { .self = &told, .send = port_send };
    Kernel *kernel = open_kernel(&port);
    ask(kernel, CHANNEL_CONTROL, "kernel_info_request", "{}", false);
    ask(kernel, CHANNEL_CONTROL, "execute_request", "{\"code\":\"1\"}", false);     /* not here */
    assert_string_equal(text_end(&told), "busy kernel_info_reply:ok idle busy idle");
    kernel_free(kernel);
    text_free(&told);
}

static void check_no_header(void **state)
{
    (void)state;
    Text told = { 0 };
    Port port = { .self = &told, .send = port_send };
    Kernel *kernel = open_kernel(&port);
    Request request = { .channel = CHANNEL_SHELL, .dict = { bytes_of("{}"), bytes_of("{}"), bytes_of("{}"), bytes_of("{}") } };
    assert_false(kernel_handle(kernel, &request));
    assert_int_equal(told.n, 0);
    kernel_free(kernel);
}

int main(void)
{
    struct CMUnitTest tests[COUNT(rows) + 3] = { cmocka_unit_test(check_aborted), cmocka_unit_test(check_control),
                                                 cmocka_unit_test(check_no_header) };
    for (size_t k = 0; k < COUNT(rows); k++)
        tests[3 + k] = (struct CMUnitTest){ rows[k].name, check, NULL, NULL, (void *)&rows[k] };
    return cmocka_run_group_tests_name("handle", tests, NULL, NULL);
}
