/* with_session.h - tables of expressions and what they answer: the repr of the value, or "!" and the type of the error. */
#ifndef TESTS_LANG_WITH_SESSION_H
#define TESTS_LANG_WITH_SESSION_H
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

static inline void check_rows(const Row *row, size_t n)
{
    Session *s = open_session();
    int wrong = 0;
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

/* Refuses the n-th request for memory, for every n: an error, nothing left over, and the answer is right afterwards. */
static inline void check_refusals(const Row *row, size_t n)
{
    Session *s = open_session();
    for (size_t i = 0; i < n; i++) {
        free(answer_of(s, row[i].expression));          /* names are interned, methods and signatures kept */
        free(answer_of(s, row[i].expression));
        uint64_t objects = session_totals(s).objects;
        for (int64_t request = 0; request < 400; request++) {
            heap_fail_after(session_heap(s), request);
            char *answer = answer_of(s, row[i].expression);
            heap_fail_after(session_heap(s), -1);
            bool done = !strcmp(answer, row[i].answer);
            if (!done && strcmp(answer, "!MemoryError"))
                fail_msg("%s: %s when request %d is refused", row[i].expression, answer, (int)request);
            free(answer);
            char *again = answer_of(s, row[i].expression);      /* also lets go of the last error */
            assert_string_equal(again, row[i].answer);
            free(again);
            if (session_totals(s).objects != objects)
                fail_msg("%s: %d objects are left over when request %d is refused", row[i].expression,
                         (int)(session_totals(s).objects - objects), (int)request);
            if (done && request > 60)
                break;
        }
    }
    session_free(s);
}
#endif
