/*
 * typed.c - what a typed line costs in Locus with the display off: parsed and run, and with the question before it
 * that a prompt asks, whether the text is whole.
 */
#include "lang/session.h"
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { N = 5000, ROUNDS = 7 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static bool type(Session *session, const char *line, bool asks, Err *err)
{
    int indent;
    size_t n = strlen(line);
    if (asks && session_check(session, line, n, &indent) != INPUT_COMPLETE)
        return err_set(err, ERR_VALUE, "not a whole line: %s", line);
    return session_run(session, RUN_PROMPT, "<stdin>", line, n, 0, err);
}

static bool measure(Session *session, const char *name, bool asks, Err *err)
{
    double least = 0;
    for (int round = 0; round < ROUNDS; round++) {
        double start = now();
        for (int k = 0; k < N; k++)
            if (!type(session, "z = X + Y", asks, err))
                return false;
        double took = (now() - start) / N;
        if (!round || took < least)
            least = took;
    }
    printf("{\"name\": \"%s\", \"value\": %.0f, \"unit\": \"ns\"}\n", name, least);
    return true;
}

int main(void)
{
    Err err = { 0 };
    Session *session = session_new(&(Observer){ 0 }, &(SessionOptions){ 0 }, &err);
    bool ok = session && type(session, "import torch; X = torch.ones(3, 4); Y = torch.ones(3, 4)", false, &err)
           && measure(session, "line", false, &err) && measure(session, "line at a prompt", true, &err);
    if (!ok)
        fprintf(stderr, "typed: %s\n", err.message);
    session_free(session);
    return !ok;
}
