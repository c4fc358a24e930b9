/*
 * wait.c - the one place that waits: for a time, or until something can be read. An interrupt ends it.
 */
#include "lang/run/frame.h"
#include <errno.h>
#include <poll.h>
#include <time.h>

static int64_t now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

bool session_wait(Session *s, int fd, int64_t ms, bool *ready, Err *err)
{
    int64_t end = ms < 0 ? 0 : now_ms() + ms;
    *ready = false;
    for (;;) {
        if (s->interrupt) {
            session_clear_interrupt(s);
            return err_set(err, ERR_KEYBOARD_INTERRUPT, "%s", "");
        }
        struct pollfd polled[2] = { { .fd = s->interrupt_fd, .events = POLLIN }, { .fd = fd, .events = POLLIN } };
        int64_t left = ms < 0 ? -1 : end - now_ms();
        if (ms >= 0 && left <= 0)
            return true;
        int n = poll(polled, fd < 0 ? 1 : 2, left > 1000000 ? 1000000 : (int)left);
        if (n < 0 && errno != EINTR)
            return err_set(err, ERR_OS, "waiting failed");
        if (n > 0 && fd >= 0 && polled[1].revents) {
            *ready = true;
            return true;
        }
    }
}
