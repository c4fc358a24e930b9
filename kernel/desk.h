/*
 * desk.h - shared by the dispatcher and the handlers of requests: the kernel's state, and fields of a request's content.
 * A handler returns the reply's content, which may be NULL without memory; it sends no busy, idle or reply itself.
 */
#ifndef KERNEL_DESK_H
#define KERNEL_DESK_H
#include "kernel/handle.h"
#include "kernel/history.h"
#include "kernel/publish.h"
#include "show/show.h"

struct Kernel {
    const Port   *port;                 /* borrowed */
    Session      *session;              /* owned */
    Show         *show;                 /* owned */
    History       history;
    Publisher     publisher;
    int           next;                 /* number of the next cell that counts */
    bool          tracing;

    /* ---- the cell that runs */
    const void   *route;                /* of its request, for input */
    int           cell;
    bool          silent, allow_stdin;
    Text          result;               /* of its last expression */
    bool          has_result;
};

typedef struct Desk {                   /* one request in the works; on the stack of its thread */
    Kernel        *kernel;
    const Request *request;
    const json_t  *content;
    char           problem[200];        /* not empty: a field is wrong, and the reply is an error */
} Desk;

typedef json_t *Handler(Desk *desk);
Handler handle_execute;                 /* execute.c */
Handler handle_kernel_info, handle_complete, handle_inspect, handle_is_complete, handle_history, handle_comm_info, handle_interrupt,
    handle_shutdown, handle_comm_open;  /* requests.c */

/* Fields: `missing` where there is none or it is null. A wrong type sets the problem, and `missing` is returned. */
Bytes   field_text(Desk *desk, const char *name, const char *missing);
bool    field_bool(Desk *desk, const char *name, bool missing);
int64_t field_int(Desk *desk, const char *name, int64_t missing);
bool    field_is_there(const Desk *desk, const char *name);

/* {status, ename, evalue, traceback}: of an Err, without the lines of a traceback. */
json_t *error_content(const char *ename, const char *evalue, const char *traceback);
/* Publishes in the order of the running cell on shell; at once on control. */
void    desk_publish(Desk *desk, const char *type, json_t *taken);

/* The session's observer. */
bool    cell_open(Kernel *kernel, const KernelOptions *options, Err *err);
void    cell_close(Kernel *kernel);
#endif
