/* watched.h - a real session with its display: statements are typed, commands asked, and what they answer is compared. */
#ifndef TESTS_LOOK_WATCHED_H
#define TESTS_LOOK_WATCHED_H
#include "show/show.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

typedef struct Watched {
    Session *session;
    Show    *show;
    Text     printed, answer;
    Layout   layout;
} Watched;
static Watched watched;

static void on_text(void *self, Stream to, const char *utf8, size_t n)
{
    (void)self, (void)to;
    text_add(&watched.printed, utf8, n);
}

static void on_statement(void *self, const Statement *done)
{
    (void)self;
    show_statement(watched.show, done);
}

/* Addresses are the same in each session that is opened so. */
static inline void open_watched(void)
{
    Observer observer = { NULL, on_text, on_statement, NULL, NULL };
    SessionOptions options = { .fixed_addresses = true, .events = true };
    Err err = { .kind = ERR_NONE };
    watched = (Watched){ .layout = { .width = 80 } };
    watched.session = session_new(&observer, &options, &err);
    watched.show = watched.session ? show_new(watched.session, &err) : NULL;
    if (!watched.show)
        fail_msg("no session: %s", err.message);
}

static inline void close_watched(void)
{
    show_free(watched.show);
    session_free(watched.session);
    text_free(&watched.printed);
    text_free(&watched.answer);
}

static inline bool type_line(const char *line)
{
    Err err = { .kind = ERR_NONE };
    return session_run(watched.session, RUN_PROMPT, "<stdin>", line, strlen(line), 0, &err);
}

/* What a command answers; an error's message stands for it. Borrowed until the next. */
static inline const char *ask(const char *command)
{
    Err err = { .kind = ERR_NONE };
    text_free(&watched.answer);
    if (!show_command(watched.show, command, strlen(command), &watched.layout, &watched.answer, NULL, &err)) {
        text_free(&watched.answer);
        text_print(&watched.answer, "%s: %s", err_name(err.kind), err.message);
    }
    return text_end(&watched.answer) ? watched.answer.s : "";
}

/* The same with every address as 0x?: they differ between builds. */
static inline const char *ask_plain(const char *command)
{
    char *to = (char *)ask(command);
    for (char *s = to; *s; ) {
        if (strncmp(s, "0x", 2)) {
            *to++ = *s++;
            continue;
        }
        s += 2 + strspn(s + 2, "0123456789abcdef");
        memcpy(to, "0x?", 3);
        to += 3;
    }
    if (watched.answer.s)
        *to = 0;
    return watched.answer.s ? watched.answer.s : "";
}

static inline int64_t live_bytes(void) { return session_totals(watched.session).live; }

/* ---- random programs ---- */
static uint64_t dice;
static inline int roll(int sides)                       /* xorshift (G. Marsaglia, 2003) */
{
    dice ^= dice << 13;
    dice ^= dice >> 7;
    dice ^= dice << 17;
    return (int)(dice % (uint64_t)sides);
}

/* A statement about the names a to f that is likely to run; errors do no harm. */
static inline void random_statement(char *to, size_t room)
{
    static const char *const form[] = {
        "%1$c = torch.arange(12.).view(3, 4)", "%1$c = torch.ones(3, 4)", "%1$c = torch.zeros(6)", "%1$c = torch.arange(200)",
        "%1$c = %2$c", "%1$c = %2$c + 1", "%1$c += 1", "%1$c = %2$c.view(-1)", "%1$c = %2$c.t()", "%1$c = %2$c[1:]", "%1$c = %2$c[0]",
        "%1$c = %2$c.t().reshape(-1)", "%1$c = [%2$c, %3$c]", "%1$c = {'k': %2$c, 3: [%3$c]}", "del %1$c", "%1$c = %2$c.clone()",
        "%1$c = (lambda h: lambda: h)(%2$c)", "%1$c = %2$c.double()", "%1$c[0] = 5", "%1$c = %2$c[0].expand(2, 4)", "%1$c = 7",
        "%1$c.append(%2$c)", "%1$c = (%2$c, %3$c)", "%1$c = %2$c.contiguous()", "%1$c, %2$c = %2$c, %1$c", "%1$c = %2$c[%2$c > 1]",
        "for i in range(700): %1$c = torch.ones(5) + i",
    };
    int k = roll(4) ? roll((int)(sizeof form / sizeof *form) - 1) : roll((int)(sizeof form / sizeof *form));
    snprintf(to, room, form[k], 'a' + roll(6), 'a' + roll(6), 'a' + roll(6));
}
#endif
