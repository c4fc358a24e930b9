/* with_session.h - tables of expressions and what they answer: the repr of the value, or "!" and the type of the error. */
#ifndef TESTS_LANG_WITH_SESSION_H
#define TESTS_LANG_WITH_SESSION_H
#include "lang/run/frame.h"
#include "lang/session.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof(a)[0])
typedef struct Row { const char *expression, *answer; } Row;

static inline Session *open_session(void)
{
    Err err = { .kind = ERR_NONE };
    Session *s = session_new(NULL, NULL, &err);
    if (!s)
        fail_msg("no session: %s", err.message);
    return s;
}

/* New text from malloc. */
static inline char *answer_of(Session *s, const char *expression)
{
    Err err = { .kind = ERR_NONE };
    char *answer = session_evaluate(s, expression, strlen(expression), &err), text[80];
    if (answer)
        return answer;
    const ErrorInfo *error = session_error(s);
    snprintf(text, sizeof text, "!%s", error ? error->type : err_name(err.kind));
    return strdup(text);
}

static inline void check_rows_after(const char *before, const Row *row, size_t n)
{
    Session *s = open_session();
    Err err;
    int wrong = !session_run(s, RUN_SCRIPT, "before", before, strlen(before), 0, &err);
    for (size_t i = 0; i < n; i++) {
        char *answer = answer_of(s, row[i].expression);
        if (strcmp(answer, row[i].answer)) {
            print_error("%s\n    should be %s\n    is        %s\n", row[i].expression, row[i].answer, answer);
            wrong++;
        }
        free(answer);
    }
    session_free(s);
    assert_int_equal(wrong, 0);
}

static inline void check_rows(const Row *row, size_t n)
{
    check_rows_after("", row, n);
}

/* Refuses each request for memory once. Answers how many objects there are afterwards. */
static inline uint64_t refuse_each(Session *s, const Row *row)
{
    for (int64_t request = 0, done = 0; request < 400 && done < 3; request++) {
        heap_fail_after(session_heap(s), request);
        char *answer = answer_of(s, row->expression);
        heap_fail_after(session_heap(s), -1);
        if (!strcmp(answer, row->answer))
            done++;
        else if (strcmp(answer, "!MemoryError"))
            fail_msg("%s: %s when request %d is refused", row->expression, answer, (int)request);
        free(answer);
        char *again = answer_of(s, row->expression);    /* also lets go of the last error */
        assert_string_equal(again, row->answer);
        free(again);
    }
    cycle_collect(s);
    return session_totals(s).objects;
}

static inline void check_refusals(const Row *row, size_t n)
{
    Session *s = open_session();
    for (size_t i = 0; i < n; i++) {
        uint64_t objects = refuse_each(s, &row[i]);     /* names, signatures and classes of errors are made and kept */
        uint64_t later = refuse_each(s, &row[i]);
        if (later != objects)
            fail_msg("%s: %d objects are left over", row[i].expression, (int)(later - objects));
    }
    session_free(s);
}
#endif
