/*
 * publish.c - what the clients see: streams, results, displays, states, in the order of the program.
 */
#include "kernel/publish.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

bool publisher_open(Publisher *p, const Port *port, const char *session)
{
    *p = (Publisher){ .port = port, .session = session };
    return !pthread_mutex_init(&p->lock, NULL);
}

void publisher_close(Publisher *p)
{
    text_free(&p->text);
    pthread_mutex_destroy(&p->lock);
}

static int64_t now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* ---- one message -------------------------------------------------------------------------------------- */
void message_send(Publisher *p, Channel channel, const char *type, const void *route, Bytes parent, Bytes content)
{
    char header[512], date[32];
    struct timespec t;
    struct tm utc;
    clock_gettime(CLOCK_REALTIME, &t);
    gmtime_r(&t.tv_sec, &utc);
    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%S", &utc);
    snprintf(header, sizeof header, "{\"msg_id\":\"%s_%llu\",\"session\":\"%s\",\"username\":\"locus\",\"date\":\"%s.%06ldZ\","
             "\"msg_type\":\"%s\",\"version\":\"" PROTOCOL_VERSION "\"}", p->session, atomic_fetch_add(&p->messages, 1) + 1, p->session,
             date, t.tv_nsec / 1000, type);
    Packet packet = { channel, type, route, { bytes_of(header), parent.n ? parent : bytes_of("{}"), bytes_of("{}"), content } };
    p->port->send(p->port->self, &packet);
}

/* ---- text that waits: the lock is held ---------------------------------------------------------------- */
static void send_taken(Publisher *p, const char *type, json_t *taken)
{
    char *content = json_text_take(taken);
    if (content)
        message_send(p, CHANNEL_IOPUB, type, NULL, p->parent, bytes_of(content));
    free(content);
}

/* Sends what is there; a character that is not whole stays, unless everything must go. */
static void send_text(Publisher *p, bool all)
{
    size_t n = all ? p->text.n : utf8_whole(p->text.s, p->text.n);
    if (!n)
        return;
    json_t *text = json_utf8(p->text.s, n);
    const char *name = p->to == STREAM_OUT ? "stdout" : "stderr";
    send_taken(p, "stream", text ? json_pack("{s:s, s:o}", "name", name, "text", text) : NULL);
    memmove(p->text.s, p->text.s + n, p->text.n - n);
    p->text.n -= n;
    if (p->text.capacity > 4 * STREAM_FULL && !p->text.n)       /* an idle kernel keeps no large buffer */
        text_free(&p->text);
}

/* ---- the running thread ------------------------------------------------------------------------------- */
void publish_parent(Publisher *p, Bytes parent)
{
    pthread_mutex_lock(&p->lock);
    send_text(p, true);
    p->parent = parent;
    pthread_mutex_unlock(&p->lock);
}

void publish(Publisher *p, const char *type, json_t *taken)
{
    pthread_mutex_lock(&p->lock);
    send_text(p, true);
    send_taken(p, type, taken);
    pthread_mutex_unlock(&p->lock);
}

void publish_state(Publisher *p, const char *state)
{
    char content[64];
    snprintf(content, sizeof content, "{\"execution_state\":\"%s\"}", state);
    atomic_store(&p->busy, !strcmp(state, "busy"));
    pthread_mutex_lock(&p->lock);
    send_text(p, true);
    message_send(p, CHANNEL_IOPUB, "status", NULL, p->parent, bytes_of(content));
    pthread_mutex_unlock(&p->lock);
}

void publish_stream(Publisher *p, Stream to, const char *utf8, size_t n)
{
    bool first = false;
    if (!n)
        return;
    pthread_mutex_lock(&p->lock);
    if (p->to != to)
        send_text(p, true);
    p->to = to;
    if (!p->text.n) {
        p->since = now_ms();
        first = true;
    }
    text_add(&p->text, utf8, n);
    if (p->text.failed) {                               /* no room: what was there goes, the rest by itself */
        p->text.failed = false;
        send_text(p, true);
        text_add(&p->text, utf8, n);
        p->text.failed = false;
    }
    if (p->text.n >= STREAM_FULL)
        send_text(p, false);
    pthread_mutex_unlock(&p->lock);
    if (first && p->port->wake)
        p->port->wake(p->port->self);
}

void publish_flush(Publisher *p)
{
    pthread_mutex_lock(&p->lock);
    send_text(p, true);
    pthread_mutex_unlock(&p->lock);
}

static json_t *bundle(const char *plain, size_t n, const Text *html)
{
    json_t *text = json_utf8(plain, n), *page = html && html->n ? json_utf8(html->s, html->n) : NULL;
    json_t *data = text ? json_pack("{s:o}", "text/plain", text) : NULL;
    bool drawing = page && strncmp(html->s, "<svg", 4) == 0;
    if (page && data)
        json_object_set(data, drawing ? "image/svg+xml" : "text/html", page);
    json_decref(page);
    return data;
}

void publish_result(Publisher *p, int count, const char *utf8, size_t n)
{
    json_t *data = bundle(utf8, n, NULL);
    publish(p, "execute_result",
            data ? json_pack("{s:i, s:o, s:{}}", "execution_count", count, "data", data, "metadata") : NULL);
}

void publish_display(Publisher *p, const Text *plain, const Text *html)
{
    json_t *data = bundle(plain->s, plain->n, html);
    publish(p, "display_data", data ? json_pack("{s:o, s:{}, s:{}}", "data", data, "metadata", "transient") : NULL);
}

/* ---- any thread --------------------------------------------------------------------------------------- */
int publish_due(Publisher *p)
{
    int left = -1;
    pthread_mutex_lock(&p->lock);
    if (p->text.n) {
        int64_t age = now_ms() - p->since;
        if (age >= STREAM_DUE_MS) {
            send_text(p, false);
            p->since = now_ms();
        }
        left = !p->text.n ? -1 : age >= STREAM_DUE_MS ? STREAM_DUE_MS : (int)(STREAM_DUE_MS - age);
    }
    pthread_mutex_unlock(&p->lock);
    return left;
}
