/*
 * connection.c - reads and checks a connection file; never writes it.
 */
#include "kernel/connection.h"
#include "kernel/json.h"
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const socket_name[SOCKETS] = { "shell", "control", "stdin", "iopub", "heartbeat" };
static const char *const port_name[SOCKETS] = { "shell_port", "control_port", "stdin_port", "iopub_port", "hb_port" };

typedef struct Report { char *text; int size; const char *path; } Report;

__attribute__((format(printf, 2, 3))) static bool wrong(const Report *report, const char *format, ...)
{
    va_list args;
    int n = snprintf(report->text, (size_t)report->size, "%s: ", report->path);
    va_start(args, format);
    if (n > 0 && n < report->size)
        vsnprintf(report->text + n, (size_t)(report->size - n), format, args);
    va_end(args);
    return false;
}

/* Text of the file, or `missing` where the field is not there; NULL when it is something else. */
static const char *text_field(const json_t *file, const char *name, const char *missing)
{
    const json_t *field = json_object_get(file, name);
    return !field || json_is_null(field) ? missing : json_string_value(field);
}

static bool one_address(const json_t *file, Socket k, const char *transport, const char *ip, char **address,
                        const Report *report)
{
    const json_t *port = json_object_get(file, port_name[k]);
    bool tcp = !strcmp(transport, "tcp");
    if (!port)
        return wrong(report, "%s is missing", port_name[k]);
    if (!json_is_integer(port))
        return wrong(report, "%s is not a whole number", port_name[k]);
    json_int_t number = json_integer_value(port);
    if (number < 1 || number > (tcp ? 65535 : INT32_MAX))
        return wrong(report, "%s is %lld, which is no port", port_name[k], (long long)number);
    size_t size = strlen(transport) + strlen(ip) + 32;
    if (!(*address = malloc(size)))
        return wrong(report, "no memory");
    snprintf(*address, size, tcp ? "%s://%s:%lld" : "%s://%s-%lld", transport, ip, (long long)number);
    return true;
}

static bool fill(const json_t *file, Connection *connection, const Report *report)
{
    const char *transport = text_field(file, "transport", "tcp");
    const char *scheme = text_field(file, "signature_scheme", "hmac-sha256");
    const char *ip = text_field(file, "ip", NULL), *key = text_field(file, "key", NULL);
    if (!transport || (strcmp(transport, "tcp") && strcmp(transport, "ipc")))
        return wrong(report, "the transport is '%s', not tcp or ipc", transport ? transport : "?");
    if (!key)
        return wrong(report, "there is no text for key");
    if (*key && (!scheme || strcmp(scheme, "hmac-sha256")))
        return wrong(report, "the signature scheme is '%s', not hmac-sha256", scheme ? scheme : "?");
    if (!ip || !*ip)
        return wrong(report, "there is no text for ip");
    if (!(connection->key = strdup(key)))
        return wrong(report, "no memory");
    for (int k = 0; k < SOCKETS; k++)
        if (!one_address(file, (Socket)k, transport, ip, &connection->address[k], report))
            return false;
    for (int k = 0; k < SOCKETS; k++)
        for (int j = 0; j < k; j++)
            if (!strcmp(connection->address[j], connection->address[k]))
                return wrong(report, "%s and %s are the same", port_name[j], port_name[k]);
    return true;
}

bool connection_read(const char *path, Connection *connection, char *problem, int size)
{
    Report report = { problem, size, path };
    json_error_t error;
    *connection = (Connection){ 0 };
    FILE *in = fopen(path, "rb");
    if (!in)
        return wrong(&report, "%s", strerror(errno));
    json_t *file = json_loadf(in, 0, &error);
    fclose(in);
    if (!file)
        return wrong(&report, "this is no JSON: %s (line %d)", error.text, error.line);
    bool ok = json_is_object(file) ? fill(file, connection, &report) : wrong(&report, "this is no JSON object");
    json_decref(file);
    if (!ok)
        connection_free(connection);
    return ok;
}

void connection_free(Connection *connection)
{
    free(connection->key);
    for (int k = 0; k < SOCKETS; k++)
        free(connection->address[k]);
    *connection = (Connection){ 0 };
}
