/* mail.h - messages for iopub on their way from any thread to the one that owns the socket. */
#ifndef KERNEL_MAIL_H
#define KERNEL_MAIL_H
#include "kernel/port.h"
#include <pthread.h>

typedef struct Mail {                   /* one message, in one piece of memory */
    struct Mail *next;
    Bytes        topic, dict[DICTS];
    size_t       size;
} Mail;

typedef struct MailQueue {
    pthread_mutex_t lock;
    pthread_cond_t  room;
    Mail           *first, *last;
    size_t          size;               /* bytes that wait; a sender of more waits until there is room */
    int             fd;                 /* eventfd: can be read when something was put in */
} MailQueue;

bool  mail_open(MailQueue *queue);
void  mail_close(MailQueue *queue);
void  mail_put(MailQueue *queue, Bytes topic, const Bytes dict[DICTS]);        /* copies; without memory: nothing */
Mail *mail_take_all(MailQueue *queue);                                          /* a chain in order; free each */
void  mail_wake(MailQueue *queue);
#endif
