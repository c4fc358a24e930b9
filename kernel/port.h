/*
 * port.h - where the dispatcher's messages go. The sockets are one such place; a test or a page in a browser is another.
 */
#ifndef KERNEL_PORT_H
#define KERNEL_PORT_H
#include "kernel/wire.h"
#include "tensor/err.h"

typedef enum Channel { CHANNEL_SHELL, CHANNEL_CONTROL, CHANNEL_STDIN, CHANNEL_IOPUB } Channel;

typedef struct Packet {                 /* a message on its way out; borrowed during the call */
    Channel     channel;
    const char *type;
    const void *route;                  /* of the request that it answers; NULL on iopub */
    Bytes       dict[DICTS];
} Packet;

/* Functions may be NULL, but not send. Those marked * are called from any thread that handles requests. */
typedef struct Port {
    void *self;
    void (*send)(void *self, const Packet *packet);                     /* * */
    void (*wake)(void *self);           /* * text waits: call kernel_flush_due within 100 ms */
    void (*interrupt)(void *self);      /* * stop what runs */
    void (*stop)(void *self);           /* * the client asked for the end, and has its reply */
    void (*gather)(void *self);         /* a cell failed: what waits on shell is to be handled as aborted */
    bool (*answer)(void *self, char **content, size_t *n, Err *err);    /* waits for an input_reply; content is malloc'ed */
} Port;
#endif
