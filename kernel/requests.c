/*
 * requests.c - the handlers that run nothing: what the kernel is, completion, help, completeness, history, the end.
 */
#include "kernel/desk.h"
#include <stdlib.h>
#include <string.h>

json_t *handle_kernel_info(Desk *desk)
{
    (void)desk;
    json_t *language = json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s}", "name", "python", "version", "3.11.0", "mimetype",
                                 "text/x-python", "file_extension", ".py", "pygments_lexer", "python3", "codemirror_mode", "python",
                                 "nbconvert_exporter", "python");
    json_t *links = json_pack("[{s:s, s:s}, {s:s, s:s}]", "text", "Python", "url", "https://docs.python.org/3.11", "text", "PyTorch",
                              "url", "https://pytorch.org/docs/stable/index.html");
    return json_pack("{s:s, s:s, s:s, s:s, s:s, s:o, s:o, s:[]}", "status", "ok", "protocol_version", PROTOCOL_VERSION,
                     "implementation", "locus", "implementation_version", KERNEL_VERSION, "banner",
                     "Locus " KERNEL_VERSION ": Python and PyTorch, with what happens to memory. %help lists the commands.",
                     "language_info", language, "help_links", links, "supported_features");
}

/* ---- help for the one who types ----------------------------------------------------------------------- */
/* The cursor as a byte offset; at the end where it is missing or odd. */
static size_t cursor(Desk *desk, Bytes code)
{
    return utf8_offset(code.s, code.n, field_int(desk, "cursor_pos", -1));
}

json_t *handle_complete(Desk *desk)
{
    Bytes code = field_text(desk, "code", NULL);
    size_t at = cursor(desk, code);
    Completion found = { 0 };
    if (desk->problem[0])
        return NULL;
    json_t *matches = json_array();
    bool any = show_complete(desk->kernel->show, code.s, code.n, at, &found) && found.count;
    size_t start = any ? found.start : at, end = any ? found.end : at;
    for (size_t k = 0; k < found.count; k++)
        json_array_append_new(matches, json_word(found.match[k]));
    completion_free(&found);
    return json_pack("{s:s, s:o, s:i, s:i, s:{}}", "status", "ok", "matches", matches,
                     "cursor_start", (int)utf8_points(code.s, start), "cursor_end", (int)utf8_points(code.s, end), "metadata");
}

json_t *handle_inspect(Desk *desk)
{
    Bytes code = field_text(desk, "code", NULL);
    size_t at = cursor(desk, code);
    int detail = field_int(desk, "detail_level", 0) > 0;
    if (desk->problem[0])
        return NULL;
    char *help = session_inspect(desk->kernel->session, code.s, code.n, at, detail);
    json_t *text = help ? json_word(help) : NULL;
    json_t *data = text ? json_pack("{s:o}", "text/plain", text) : json_object();
    bool found = text;
    free(help);
    return json_pack("{s:s, s:b, s:o, s:{}}", "status", "ok", "found", found, "data", data, "metadata");
}

json_t *handle_is_complete(Desk *desk)
{
    static const char *const word[] = { [INPUT_COMPLETE] = "complete", [INPUT_INCOMPLETE] = "incomplete",
                                        [INPUT_INVALID] = "invalid" };
    Bytes code = field_text(desk, "code", NULL);
    int indent = 0;
    if (desk->problem[0])
        return NULL;
    Completeness state = code.n ? session_check(desk->kernel->session, code.s, code.n, &indent) : INPUT_COMPLETE;
    json_t *answer = json_pack("{s:s}", "status", word[state]);
    if (state == INPUT_INCOMPLETE) {
        Text blanks = { 0 };
        text_fill(&blanks, ' ', indent > 0 ? (size_t)indent : 0);
        json_object_set_new(answer, "indent", json_utf8(blanks.s, blanks.n));
        text_free(&blanks);
    }
    return answer;
}

/* ---- history ------------------------------------------------------------------------------------------ */
json_t *handle_history(Desk *desk)
{
    const History *history = &desk->kernel->history;
    Bytes type = field_text(desk, "hist_access_type", "tail"), pattern = field_text(desk, "pattern", "*");
    bool output = field_bool(desk, "output", false), unique = field_bool(desk, "unique", false);
    int64_t n = field_int(desk, "n", -1), session = field_int(desk, "session", 0), start = field_int(desk, "start", 0);
    int64_t stop = field_int(desk, "stop", 0);
    json_t *list;
    if (desk->problem[0])
        return NULL;
    if (!strcmp(type.s, "tail"))
        list = history_tail(history, n < 0 ? 10 : n, output);
    else if (!strcmp(type.s, "search"))
        list = history_search(history, pattern, n, unique, output);
    else if (!strcmp(type.s, "range"))
        list = session ? json_array() : history_range(history, start, stop, field_is_there(desk, "stop"), output);
    else {
        snprintf(desk->problem, sizeof desk->problem, "the field hist_access_type of the request is not tail, range or search");
        return NULL;
    }
    return json_pack("{s:s, s:o}", "status", "ok", "history", list);
}

/* ---- comms: there are none ---------------------------------------------------------------------------- */
json_t *handle_comm_info(Desk *desk)
{
    (void)desk;
    return json_pack("{s:s, s:{}}", "status", "ok", "comms");
}

json_t *handle_comm_open(Desk *desk)
{
    Bytes id = field_text(desk, "comm_id", NULL);
    if (!desk->problem[0])
        desk_publish(desk, "comm_close", json_pack("{s:o, s:{}}", "comm_id", json_utf8(id.s, id.n), "data"));
    return NULL;
}

/* ---- control ------------------------------------------------------------------------------------------ */
json_t *handle_interrupt(Desk *desk)
{
    if (desk->kernel->port->interrupt)
        desk->kernel->port->interrupt(desk->kernel->port->self);
    else
        kernel_interrupt(desk->kernel);
    return json_pack("{s:s}", "status", "ok");
}

/* The dispatcher stops the kernel when the reply is on its way. */
json_t *handle_shutdown(Desk *desk)
{
    bool restart = field_bool(desk, "restart", false);
    return json_pack("{s:s, s:b}", "status", "ok", "restart", restart);
}
