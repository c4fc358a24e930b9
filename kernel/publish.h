/*
 * publish.h - messages going out: headers, the order on iopub, and printed text, which is collected.
 * Text is sent when 8 KB are there, when 100 ms have passed, and before anything else. A lock keeps the order when another
 * thread sends what is due.
 */
#ifndef KERNEL_PUBLISH_H
#define KERNEL_PUBLISH_H
#include "kernel/port.h"
#include "lang/session.h"
#include <pthread.h>
#include <stdatomic.h>

#define PROTOCOL_VERSION "5.5"
enum { STREAM_FULL = 8192, STREAM_DUE_MS = 100 };

typedef struct Publisher {
    const Port     *port;               /* borrowed */
    const char     *session;            /* borrowed: the id of this kernel's run */
    atomic_ullong   messages;
    atomic_bool     busy;               /* the last state that was published */
    pthread_mutex_t lock;
    Bytes           parent;             /* header of the request that runs; borrowed */
    Text            text;               /* printed, not yet sent */
    Stream          to;
    int64_t         since;              /* ms, when the first of it was printed */
} Publisher;

bool publisher_open(Publisher *p, const Port *port, const char *session);
void publisher_close(Publisher *p);
/* Sends one message past the order of the running cell. `content` is JSON text. parent may be empty: {}. */
void message_send(Publisher *p, Channel channel, const char *type, const void *route, Bytes parent, Bytes content);

/* For the thread that runs the session. */
void publish_parent(Publisher *p, Bytes parent);
void publish(Publisher *p, const char *type, json_t *taken);    /* after the text that waits; without memory: nothing */
void publish_state(Publisher *p, const char *state);            /* busy, idle, starting */
void publish_stream(Publisher *p, Stream to, const char *utf8, size_t n);
void publish_flush(Publisher *p);
void publish_result(Publisher *p, int count, const char *utf8, size_t n);
void publish_display(Publisher *p, const Text *plain, const Text *html);        /* html may be NULL or empty */

/* For any thread: sends text that is due. Returns the ms until the rest is, or -1 when nothing waits. */
int  publish_due(Publisher *p);
#endif
