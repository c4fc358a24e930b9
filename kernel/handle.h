/*
 * handle.h - the dispatcher: a request comes in as JSON text, messages go out through the port as JSON text. It knows no socket.
 * Every request gives: status busy, what its handler publishes, its reply, status idle.
 */
#ifndef KERNEL_HANDLE_H
#define KERNEL_HANDLE_H
#include "kernel/port.h"

#define KERNEL_VERSION "0.1.0"

typedef struct Kernel Kernel;

typedef struct Request {                /* borrowed during the call */
    Channel     channel;                /* shell or control */
    const void *route;                  /* handed back with the reply */
    Bytes       dict[DICTS];
    bool        aborted;                /* it waited while a cell failed: a cell is not run */
} Request;

typedef struct KernelOptions {
    const char *trace;                  /* file, or NULL */
    const char *session;                /* id of this run: at most 64 letters and digits; borrowed */
} KernelOptions;

/* The port must outlive the kernel. Requests on shell are handled by the thread that called this; control by one other. */
Kernel *kernel_new(const Port *port, const KernelOptions *options, Err *err);
void    kernel_free(Kernel *kernel);
void    kernel_starting(Kernel *kernel);                        /* publishes the status */
/* False: the header is none; nothing was done. */
bool    kernel_handle(Kernel *kernel, const Request *request);
/* Makes iopub_welcome for a subscription (UTF-8) and sends it. Any thread. */
void    kernel_welcome(Kernel *kernel, Bytes subscription);
/* Sends printed text that waited long enough. Any thread. Returns the ms until more is due, or -1. */
int     kernel_flush_due(Kernel *kernel);
void    kernel_idle(Kernel *kernel);            /* on main, when nothing came for KERNEL_IDLE_MS */
enum { KERNEL_IDLE_MS = 10000 };
void    kernel_interrupt(Kernel *kernel);       /* safe in a signal handler and from any thread */
int     kernel_interrupt_fd(const Kernel *kernel);              /* can be read while an interrupt waits */
#endif
