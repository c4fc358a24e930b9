/*
 * print_error.c - an error as text: type, message, the line with its caret, the chain of calls, the hint.
 */
#include "lang/session.h"
#include <string.h>
#include <utf8proc.h>

static void paint(Text *text, bool color, const char *code, const char *s)
{
    if (color)
        text_print(text, "\033[%sm%s\033[0m", code, s);
    else
        text_put(text, s);
}

/* Display columns of the first `points` code points; all of them where there are fewer. */
static int columns(const char *s, int points)
{
    int width = 0;
    for (; *s && points > 0; points--) {
        utf8proc_int32_t point;
        utf8proc_ssize_t used = utf8proc_iterate((const utf8proc_uint8_t *)s, -1, &point);
        if (used <= 0)
            break;
        width += point == '\t' ? 1 : utf8proc_charwidth(point);
        s += used;
    }
    return width;
}

static void line_with_caret(const Traceback *call, bool color, Text *text)
{
    enum { LONG = 400 };
    const char *line = call->line;
    int blanks = 0;
    while (line[blanks] == ' ' || line[blanks] == '\t')
        blanks++;
    int length = columns(line, INT32_MAX), last = columns(line, call->place.line == call->place.end_line ? call->place.end_column : INT32_MAX);
    int first = columns(line, call->place.column), skip = columns(line, blanks);
    if (length > LONG)
        return;
    text_print(text, "    %s\n", line + blanks);
    if (last <= first || (first <= skip && last >= length && call->place.line == call->place.end_line && length - skip > 60))
        return;
    text_fill(text, ' ', (size_t)(4 + (first > skip ? first - skip : 0)));
    Text carets = { 0 };
    text_fill(&carets, '^', (size_t)(last - (first > skip ? first : skip) > 0 ? last - (first > skip ? first : skip) : 1));
    if (text_end(&carets))
        paint(text, color, "31", carets.s);
    text_free(&carets);
    text_char(text, '\n');
}

static void type_and_message(const ErrorInfo *error, bool color, Text *text)
{
    paint(text, color, "1;31", error->type);
    if (error->message[0])
        text_print(text, ": %s", error->message);
    text_char(text, '\n');
}

static const char cell[] = "<cell ";

static bool is_cell(const Traceback *call)
{
    return !strncmp(call->file, cell, sizeof cell - 1);
}

/* A cell is named by the number that stands beside it in the notebook. */
static void put_place(const Traceback *call, Text *text)
{
    const char *number = call->file + sizeof cell - 1;
    if (is_cell(call))
        text_print(text, "  Cell In[%.*s], line %d", (int)strcspn(number, ">"), number, call->place.line);
    else
        text_print(text, "  File \"%s\", line %d", call->file, call->place.line);
}

static bool is_typed(const Traceback *call)
{
    return call->file[0] == '<';
}

static bool is_syntax(const ErrorInfo *error)
{
    return !strcmp(error->type, "SyntaxError") || !strcmp(error->type, "IndentationError") || !strcmp(error->type, "TabError");
}

static void one_error(const ErrorInfo *error, bool color, Text *text)
{
    if (error->calls == 1 && is_typed(&error->call[0])) {       /* typed: what was typed stands above */
        type_and_message(error, color, text);
        if (is_cell(&error->call[0])) {
            put_place(&error->call[0], text);
            text_char(text, '\n');
        }
        if (error->call[0].line)
            line_with_caret(&error->call[0], color, text);
    } else {
        if (error->calls && !is_syntax(error))
            text_put(text, "Traceback (most recent call last):\n");
        for (size_t k = 0; k < error->calls; k++) {
            const Traceback *call = &error->call[k];
            size_t same = 0;                            /* a recursion is told once */
            while (k + same + 1 < error->calls && !strcmp(error->call[k + same + 1].function, call->function)
                   && error->call[k + same + 1].place.line == call->place.line)
                same++;
            put_place(call, text);
            if (!is_syntax(error))
                text_print(text, ", in %s", call->function);
            text_char(text, '\n');
            if (call->line)
                line_with_caret(call, color, text);
            if (same >= 3) {
                text_print(text, "  [Previous line repeated %zu more times]\n", same);
                k += same;
            }
        }
        type_and_message(error, color, text);
    }
    if (error->hint && error->hint[0])
        text_print(text, "hint: %s\n", error->hint);
}

void session_print_error(const ErrorInfo *error, bool color, Text *text)
{
    if (error->cause) {
        session_print_error(error->cause, color, text);
        text_put(text, "\nThe above exception was the direct cause of the following exception:\n\n");
    } else if (error->context) {
        session_print_error(error->context, color, text);
        text_put(text, "\nDuring handling of the above exception, another exception occurred:\n\n");
    }
    one_error(error, color, text);
}
