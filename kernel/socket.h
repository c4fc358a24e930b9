/*
 * socket.h - the five sockets and the threads that own them: shell and stdin (main), control, heartbeat, iopub.
 */
#ifndef KERNEL_SOCKET_H
#define KERNEL_SOCKET_H
#include "kernel/connection.h"
#include "kernel/handle.h"

typedef struct Life {
    bool verbose;                       /* a line for each request, on standard error */
    int  parent;                        /* process to live as long as; 0: none */
} Life;

/* Binds the sockets and serves until the end is asked for. Returns the exit status; a problem is told on standard error. */
int socket_serve(const Connection *connection, const KernelOptions *options, const Life *life);
#endif
