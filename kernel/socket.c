/*
 * socket.c - sockets and threads. A socket is used by its owner only: main has shell and stdin, three threads the others.
 */
#include "kernel/socket.h"
#include "kernel/mail.h"
#include <errno.h>
#include <poll.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>
#include <utf8proc.h>
#include <zmq.h>

enum { QUIET_MS = 20, GATHER_MS = 200, END_MS = 700, LINGER_MS = 1000, END_LINGER_MS = 300, IOPUB_ROOM = 50000 };

typedef struct Incoming {               /* a received message */
    struct Incoming *next;
    zmq_msg_t frame[WIRE_FRAMES];
    size_t    frames;
    Wire      wire;
} Incoming;

typedef struct Server {
    const Connection *connection;
    Life       life;
    Port       port;
    Kernel    *kernel;
    void      *context, *socket[SOCKETS];
    MailQueue  mail;                    /* for iopub */
    char       topic[128];              /* "kernel.SESSION.", then the type */
    size_t     topic_size;
    int        stop_fd;                 /* eventfd, never read: can be read once the end is asked for */
    sem_t      ended;                   /* main has left its loop and sent everything */
    pthread_t  thread[SOCKETS];
    bool       runs[SOCKETS], closing;
    Incoming  *waiting, **waiting_end;  /* gathered while a cell failed */
} Server;

/* ---- frames ------------------------------------------------------------------------------------------- */
static bool send_frame(void *socket, Bytes frame, bool more)
{
    int n;
    do
        n = zmq_send(socket, frame.n ? frame.s : "", frame.n, ZMQ_DONTWAIT | (more ? ZMQ_SNDMORE : 0));
    while (n < 0 && errno == EINTR);
    return n >= 0;
}

/* What follows the identities or the topic. */
static void send_dicts(const Server *server, void *socket, const Bytes dict[DICTS])
{
    char signature[SIGNATURE_SIZE + 1];
    wire_sign(bytes_of(server->connection->key), dict, signature);
    bool ok = send_frame(socket, bytes_of(WIRE_DELIMITER), true) && send_frame(socket, bytes_of(signature), true);
    for (int k = 0; ok && k < DICTS; k++)
        ok = send_frame(socket, dict[k], k + 1 < DICTS);
}

static void incoming_free(Incoming *incoming)
{
    if (!incoming)
        return;
    for (size_t k = 0; k < incoming->frames; k++)
        zmq_msg_close(&incoming->frame[k]);
    free(incoming);
}

static int receive_frame(void *socket, zmq_msg_t *frame, int flags)
{
    int n;
    zmq_msg_init(frame);
    do
        n = zmq_msg_recv(frame, socket, flags);
    while (n < 0 && errno == EINTR);
    if (n < 0)
        zmq_msg_close(frame);
    return n;
}

/* One whole message that waits; frames beyond what a message needs are let go of. NULL: none, or no good one (then *more). */
static Incoming *receive(const Server *server, void *socket, bool *more)
{
    Incoming *incoming = calloc(1, sizeof *incoming);
    Bytes frame[WIRE_FRAMES];
    zmq_msg_t next;
    *more = false;
    while (receive_frame(socket, &next, ZMQ_DONTWAIT) >= 0) {
        *more = true;
        bool last = !zmq_msg_more(&next);
        if (incoming && incoming->frames < WIRE_FRAMES) {
            zmq_msg_t *kept = &incoming->frame[incoming->frames];
            zmq_msg_init(kept);
            zmq_msg_move(kept, &next);
            frame[incoming->frames++] = (Bytes){ zmq_msg_data(kept), zmq_msg_size(kept) };
        }
        zmq_msg_close(&next);
        if (last)
            break;
    }
    if (incoming && incoming->frames && wire_read(frame, incoming->frames, bytes_of(server->connection->key), &incoming->wire))
        return incoming;
    incoming_free(incoming);
    return NULL;
}

static Incoming *receive_good(const Server *server, void *socket)
{
    bool more;
    Incoming *incoming;
    do
        incoming = receive(server, socket, &more);
    while (!incoming && more);
    return incoming;
}

static bool wait_for(zmq_pollitem_t *item, int n, long ms)
{
    int ready;
    do
        ready = zmq_poll(item, n, ms);
    while (ready < 0 && errno == EINTR);
    return ready > 0;
}

/* ---- the port: what the dispatcher hands out ---------------------------------------------------------- */
static void port_send(void *self, const Packet *packet)
{
    Server *server = self;
    if (packet->channel == CHANNEL_IOPUB) {
        char topic[256];
        snprintf(topic, sizeof topic, "%s%s", server->topic, packet->type);
        mail_put(&server->mail, packet->route ? *(const Bytes *)packet->route : bytes_of(topic), packet->dict);
        return;
    }
    static const Socket of[] = { [CHANNEL_SHELL] = SOCKET_SHELL, [CHANNEL_CONTROL] = SOCKET_CONTROL,
                                 [CHANNEL_STDIN] = SOCKET_STDIN };
    void *socket = server->socket[of[packet->channel]];
    const Incoming *request = packet->route;
    for (size_t k = 0; k < request->wire.identities; k++) {
        const zmq_msg_t *identity = &request->frame[k];
        if (!send_frame(socket, (Bytes){ zmq_msg_data((zmq_msg_t *)identity), zmq_msg_size(identity) }, true))
            return;
    }
    send_dicts(server, socket, packet->dict);
}

static void port_wake(void *self)
{
    mail_wake(&((Server *)self)->mail);
}

static void port_interrupt(void *self)
{
    kernel_interrupt(((Server *)self)->kernel);
}

static void port_stop(void *self)
{
    Server *server = self;
    uint64_t one = 1;
    while (write(server->stop_fd, &one, sizeof one) < 0 && errno == EINTR)
        ;
    kernel_interrupt(server->kernel);
}

static bool is_stopping(const Server *server)
{
    struct pollfd stop = { .fd = server->stop_fd, .events = POLLIN };
    return poll(&stop, 1, 0) > 0;
}

static int64_t now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* Messages of a "Run All" are still on their way when its first cell fails at once. */
static void port_gather(void *self)
{
    Server *server = self;
    int64_t end = now_ms() + GATHER_MS;
    zmq_pollitem_t item[] = { { .socket = server->socket[SOCKET_SHELL], .events = ZMQ_POLLIN },
                              { .fd = server->stop_fd, .events = ZMQ_POLLIN } };
    for (int64_t left; (left = end - now_ms()) > 0; ) {
        if (!wait_for(item, 2, left < QUIET_MS ? left : QUIET_MS) || item[1].revents)
            return;
        for (Incoming *incoming; (incoming = receive_good(server, item[0].socket)); ) {
            *server->waiting_end = incoming;
            server->waiting_end = &incoming->next;
        }
    }
}

static bool is_input_reply(const Incoming *incoming)
{
    json_t *header = wire_header(incoming->wire.dict[DICT_HEADER]);
    bool is = header && !strcmp(json_string_value(json_object_get(header, "msg_type")), "input_reply");
    json_decref(header);
    return is;
}

static bool port_answer(void *self, char **content, size_t *n, Err *err)
{
    Server *server = self;
    zmq_pollitem_t item[] = { { .socket = server->socket[SOCKET_STDIN], .events = ZMQ_POLLIN },
                              { .fd = kernel_interrupt_fd(server->kernel), .events = ZMQ_POLLIN },
                              { .fd = server->stop_fd, .events = ZMQ_POLLIN } };
    for (;;) {
        wait_for(item, 3, -1);
        if (item[1].revents || item[2].revents)
            return err_set(err, ERR_KEYBOARD_INTERRUPT, "%s", "");
        Incoming *incoming = receive_good(server, item[0].socket);
        if (incoming && is_input_reply(incoming)) {
            Bytes text = incoming->wire.dict[DICT_CONTENT];
            if ((*content = malloc(text.n + 1)))
                memcpy(*content, text.s, *n = text.n);
            incoming_free(incoming);
            return *content || err_memory(err, text.n);
        }
        incoming_free(incoming);
    }
}

/* ---- requests ----------------------------------------------------------------------------------------- */
static void handle(Server *server, Channel channel, Incoming *incoming, bool aborted)
{
    Request request = { .channel = channel, .route = incoming, .aborted = aborted };
    memcpy(request.dict, incoming->wire.dict, sizeof request.dict);
    if (server->life.verbose)
        fprintf(stderr, "%s: %.*s\n", channel == CHANNEL_SHELL ? "shell" : "control", (int)request.dict[DICT_HEADER].n,
                request.dict[DICT_HEADER].s);
    kernel_handle(server->kernel, &request);
    incoming_free(incoming);
}

/* Answers to questions that are no longer asked. */
static void forget_answers(Server *server)
{
    for (Incoming *incoming; (incoming = receive_good(server, server->socket[SOCKET_STDIN])); )
        incoming_free(incoming);
}

static void serve_shell(Server *server)
{
    zmq_pollitem_t item[] = { { .socket = server->socket[SOCKET_SHELL], .events = ZMQ_POLLIN },
                              { .fd = server->stop_fd, .events = ZMQ_POLLIN } };
    bool idle = false;
    while (!is_stopping(server)) {
        Incoming *incoming = server->waiting;
        bool aborted = incoming;
        if (incoming) {
            if (!(server->waiting = incoming->next))
                server->waiting_end = &server->waiting;
        } else if (!(incoming = receive_good(server, item[0].socket))) {
            if (!wait_for(item, 2, idle ? -1 : KERNEL_IDLE_MS)) {
                kernel_idle(server->kernel);
                idle = true;
            }
            continue;
        }
        idle = false;
        forget_answers(server);
        handle(server, CHANNEL_SHELL, incoming, aborted);
    }
}

/* ---- control ------------------------------------------------------------------------------------------ */
/* The end was asked for: main has a moment to send what it has; then the process ends without it. */
static void end_without_main(Server *server)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += (until.tv_nsec / 1000000 + END_MS) / 1000;
    until.tv_nsec = (until.tv_nsec / 1000000 + END_MS) % 1000 * 1000000;
    int result;
    while ((result = sem_timedwait(&server->ended, &until)) && errno == EINTR)
        ;
    if (result)
        _exit(0);
}

static void *serve_control(void *self)
{
    Server *server = self;
    zmq_pollitem_t item[] = { { .socket = server->socket[SOCKET_CONTROL], .events = ZMQ_POLLIN },
                              { .fd = server->stop_fd, .events = ZMQ_POLLIN } };
    for (;;) {
        wait_for(item, 2, server->life.parent ? 1000 : -1);
        for (Incoming *incoming; (incoming = receive_good(server, item[0].socket)); )
            handle(server, CHANNEL_CONTROL, incoming, false);
        if (server->life.parent && getppid() != server->life.parent)
            port_stop(server);
        if (is_stopping(server))
            break;
    }
    int linger = END_LINGER_MS;
    zmq_setsockopt(item[0].socket, ZMQ_LINGER, &linger, sizeof linger);
    zmq_close(item[0].socket);
    end_without_main(server);
    return NULL;
}

/* ---- heartbeat ---------------------------------------------------------------------------------------- */
static void *serve_heartbeat(void *self)
{
    void *socket = ((Server *)self)->socket[SOCKET_HEARTBEAT];
    zmq_msg_t frame;
    while (receive_frame(socket, &frame, 0) >= 0) {
        int n, flags = zmq_msg_more(&frame) ? ZMQ_SNDMORE : 0;
        do
            n = zmq_msg_send(&frame, socket, flags);
        while (n < 0 && errno == EINTR);
        if (n < 0)
            zmq_msg_close(&frame);
    }
    zmq_close(socket);                                  /* the context ends */
    return NULL;
}

/* ---- iopub -------------------------------------------------------------------------------------------- */
static bool is_utf8(Bytes text)
{
    utf8proc_int32_t point;
    for (size_t i = 0; i < text.n; ) {
        utf8proc_ssize_t used = utf8proc_iterate((const utf8proc_uint8_t *)text.s + i, (utf8proc_ssize_t)(text.n - i), &point);
        if (used <= 0)
            return false;
        i += (size_t)used;
    }
    return true;
}

/* 1 and a topic: somebody listens from now on. */
static void greet(Server *server, void *socket)
{
    zmq_msg_t event;
    while (receive_frame(socket, &event, ZMQ_DONTWAIT) >= 0) {
        const char *s = zmq_msg_data(&event);
        Bytes topic = { s + 1, zmq_msg_size(&event) - 1 };
        if (zmq_msg_size(&event) && s[0] == 1 && is_utf8(topic))
            kernel_welcome(server->kernel, topic);
        zmq_msg_close(&event);
    }
}

static void deliver(Server *server, void *socket)
{
    for (Mail *mail = mail_take_all(&server->mail), *next; mail; mail = next) {
        next = mail->next;
        if (send_frame(socket, mail->topic, true))
            send_dicts(server, socket, mail->dict);
        free(mail);
    }
}

static void *serve_iopub(void *self)
{
    Server *server = self;
    void *socket = server->socket[SOCKET_IOPUB];
    zmq_pollitem_t item[] = { { .socket = socket, .events = ZMQ_POLLIN }, { .fd = server->mail.fd, .events = ZMQ_POLLIN } };
    for (int due = -1; ; ) {
        wait_for(item, 2, due);
        bool last = __atomic_load_n(&server->closing, __ATOMIC_ACQUIRE);
        greet(server, socket);
        due = kernel_flush_due(server->kernel);
        deliver(server, socket);
        if (last)
            break;
    }
    int linger = END_LINGER_MS;
    zmq_setsockopt(socket, ZMQ_LINGER, &linger, sizeof linger);
    zmq_close(socket);
    return NULL;
}

/* ---- signals: main takes them ------------------------------------------------------------------------- */
static Server *served;                  /* a signal handler has no other way to it */

static void on_signal(int number)
{
    int saved = errno;
    if (number == SIGINT)
        kernel_interrupt(served->kernel);
    else
        port_stop(served);
    errno = saved;
}

static void take_signals(Server *server, sigset_t *set)
{
    struct sigaction action = { .sa_handler = on_signal };
    served = server;
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGHUP, &action, NULL);
    pthread_sigmask(SIG_UNBLOCK, set, NULL);
}

/* ---- opening and closing ------------------------------------------------------------------------------ */
/* ZeroMQ takes over the file of an ipc socket without asking: somebody may listen there. */
static bool is_taken(const char *address)
{
    struct sockaddr_un name = { .sun_family = AF_UNIX };
    if (strncmp(address, "ipc://", 6) || strlen(address + 6) >= sizeof name.sun_path)
        return false;
    memcpy(name.sun_path, address + 6, strlen(address + 6));
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bool taken = fd >= 0 && !connect(fd, (struct sockaddr *)&name, sizeof name);
    if (fd >= 0)
        close(fd);
    return taken;
}

static bool open_socket(Server *server, Socket k)
{
    static const int type[SOCKETS] = { ZMQ_ROUTER, ZMQ_ROUTER, ZMQ_ROUTER, ZMQ_XPUB, ZMQ_ROUTER };
    const char *address = server->connection->address[k];
    int linger = LINGER_MS, yes = 1, room = IOPUB_ROOM, colons = 0;
    void *made = server->socket[k] = zmq_socket(server->context, type[k]);
    if (!made)
        return false;
    for (const char *c = address; *c; c++)
        colons += *c == ':';
    zmq_setsockopt(made, ZMQ_LINGER, &linger, sizeof linger);
    if (colons > 2)                                     /* one each after the transport and before the port */
        zmq_setsockopt(made, ZMQ_IPV6, &yes, sizeof yes);
    if (type[k] == ZMQ_ROUTER)
        zmq_setsockopt(made, ZMQ_ROUTER_HANDOVER, &yes, sizeof yes);    /* a client that comes back keeps its identity */
    else {
        zmq_setsockopt(made, ZMQ_XPUB_VERBOSE, &yes, sizeof yes);
        zmq_setsockopt(made, ZMQ_SNDHWM, &room, sizeof room);
    }
    if (is_taken(address)) {
        errno = EADDRINUSE;
        return false;
    }
    return !zmq_bind(made, address);
}

static bool start_threads(Server *server)
{
    static void *(*const body[SOCKETS])(void *) = { [SOCKET_CONTROL] = serve_control, [SOCKET_IOPUB] = serve_iopub,
                                                    [SOCKET_HEARTBEAT] = serve_heartbeat };
    pthread_attr_t attr;
    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, 512 << 10);
    for (int k = 0; k < SOCKETS; k++)
        server->runs[k] = body[k] && !pthread_create(&server->thread[k], &attr, body[k], server);
    pthread_attr_destroy(&attr);
    return server->runs[SOCKET_CONTROL] && server->runs[SOCKET_IOPUB] && server->runs[SOCKET_HEARTBEAT];
}

/* Everything that was sent leaves; then the threads end. */
static void shut_down(Server *server)
{
    int linger = END_LINGER_MS;
    for (Incoming *incoming = server->waiting, *next; incoming; incoming = next) {
        next = incoming->next;
        incoming_free(incoming);
    }
    __atomic_store_n(&server->closing, true, __ATOMIC_RELEASE);
    mail_wake(&server->mail);
    if (server->runs[SOCKET_IOPUB])
        pthread_join(server->thread[SOCKET_IOPUB], NULL);
    for (int k = 0; k < SOCKETS; k++)
        if (server->socket[k] && !server->runs[k]) {
            zmq_setsockopt(server->socket[k], ZMQ_LINGER, &linger, sizeof linger);
            zmq_close(server->socket[k]);
        }
    zmq_ctx_shutdown(server->context);
    if (server->runs[SOCKET_HEARTBEAT])
        pthread_join(server->thread[SOCKET_HEARTBEAT], NULL);
    while (zmq_ctx_term(server->context) && errno == EINTR)
        ;
    sem_post(&server->ended);
    if (server->runs[SOCKET_CONTROL])
        pthread_join(server->thread[SOCKET_CONTROL], NULL);
}

static int serve(Server *server, const KernelOptions *options)
{
    sigset_t set;
    Err err = { 0 };
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGHUP);
    for (int k = 0; k < SOCKETS; k++)
        if (!open_socket(server, (Socket)k)) {
            fprintf(stderr, "locus-kernel: %s socket at %s: %s\n", socket_name[k], server->connection->address[k],
                    zmq_strerror(errno));
            return 1;
        }
    if (!(server->kernel = kernel_new(&server->port, options, &err))) {
        fprintf(stderr, "locus-kernel: %s\n", err.message);
        return 1;
    }
    if (!start_threads(server)) {
        fprintf(stderr, "locus-kernel: no thread could be started\n");
        return 1;
    }
    kernel_starting(server->kernel);
    take_signals(server, &set);
    serve_shell(server);
    return 0;
}

int socket_serve(const Connection *connection, const KernelOptions *options, const Life *life)
{
    Server server = { .connection = connection, .life = *life, .stop_fd = eventfd(0, EFD_CLOEXEC) };
    server.port = (Port){ &server, port_send, port_wake, port_interrupt, port_stop, port_gather, port_answer };
    server.waiting_end = &server.waiting;
    snprintf(server.topic, sizeof server.topic, "kernel.%s.", options->session);
    bool ok = server.stop_fd >= 0 && mail_open(&server.mail) && !sem_init(&server.ended, 0, 0);
    if (!ok || !(server.context = zmq_ctx_new())) {
        fprintf(stderr, "locus-kernel: no memory\n");
        return 1;
    }
    int status = serve(&server, options);
    if (status)
        _exit(status);                                  /* nothing was sent; threads may wait for what does not come */
    shut_down(&server);
    kernel_free(server.kernel);
    mail_close(&server.mail);
    close(server.stop_fd);
    return status;
}
