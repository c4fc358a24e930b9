/*
 * mail.c - the queue before iopub: bounded, in order, woken by an eventfd.
 */
#include "kernel/mail.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum { QUEUE_FULL = 32 << 20 };

bool mail_open(MailQueue *queue)
{
    *queue = (MailQueue){ .fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC) };
    return queue->fd >= 0 && !pthread_mutex_init(&queue->lock, NULL) && !pthread_cond_init(&queue->room, NULL);
}

void mail_close(MailQueue *queue)
{
    for (Mail *mail = mail_take_all(queue), *next; mail; mail = next) {
        next = mail->next;
        free(mail);
    }
    pthread_cond_destroy(&queue->room);
    pthread_mutex_destroy(&queue->lock);
    close(queue->fd);
}

void mail_wake(MailQueue *queue)
{
    uint64_t one = 1;
    while (write(queue->fd, &one, sizeof one) < 0 && errno == EINTR)
        ;
}

static char *append(Bytes *to, char *at, Bytes from)
{
    memcpy(at, from.n ? from.s : "", from.n);
    *to = (Bytes){ at, from.n };
    return at + from.n;
}

void mail_put(MailQueue *queue, Bytes topic, const Bytes dict[DICTS])
{
    size_t size = topic.n;
    for (int k = 0; k < DICTS; k++)
        size += dict[k].n;
    Mail *mail = malloc(sizeof *mail + size);
    if (!mail)
        return;
    char *at = append(&mail->topic, (char *)(mail + 1), topic);
    for (int k = 0; k < DICTS; k++)
        at = append(&mail->dict[k], at, dict[k]);
    mail->next = NULL;
    mail->size = sizeof *mail + size;
    pthread_mutex_lock(&queue->lock);
    while (queue->size > QUEUE_FULL)
        pthread_cond_wait(&queue->room, &queue->lock);
    bool was_empty = !queue->first;
    if (was_empty)
        queue->first = mail;
    else
        queue->last->next = mail;
    queue->last = mail;
    queue->size += mail->size;
    pthread_mutex_unlock(&queue->lock);
    if (was_empty)
        mail_wake(queue);
}

Mail *mail_take_all(MailQueue *queue)
{
    uint64_t count;
    if (read(queue->fd, &count, sizeof count) < 0 && errno == EINTR)
        return NULL;                                    /* it can be read still: the next turn takes what is there */
    pthread_mutex_lock(&queue->lock);
    Mail *all = queue->first;
    queue->first = queue->last = NULL;
    queue->size = 0;
    pthread_cond_signal(&queue->room);
    pthread_mutex_unlock(&queue->lock);
    return all;
}
