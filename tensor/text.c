/* text.c - text that grows by doubling. */
#include "tensor/text.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Room for n more bytes and a zero; false, and the text failed, when there is none. */
static bool reserve(Text *text, size_t n)
{
    if (text->failed)
        return false;
    if (n < text->capacity - text->n)                   /* capacity is 0, or more than n */
        return true;
    size_t capacity = text->capacity ? text->capacity : 64;
    while (capacity - text->n <= n) {
        if (capacity > (size_t)-1 / 2)
            return text->failed = true, false;
        capacity *= 2;
    }
    char *s = realloc(text->s, capacity);
    if (!s)
        return text->failed = true, false;
    text->s = s;
    text->capacity = capacity;
    return true;
}

void text_add(Text *text, const char *utf8, size_t n)
{
    if (!n || !reserve(text, n))
        return;
    memcpy(text->s + text->n, utf8, n);
    text->n += n;
}

void text_put(Text *text, const char *utf8)
{
    text_add(text, utf8, strlen(utf8));
}

void text_char(Text *text, char c)
{
    text_add(text, &c, 1);
}

void text_fill(Text *text, char c, size_t n)
{
    if (!n || !reserve(text, n))
        return;
    memset(text->s + text->n, c, n);
    text->n += n;
}

void text_print(Text *text, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, format, args);
    if (n > 0 && reserve(text, (size_t)n)) {
        vsnprintf(text->s + text->n, (size_t)n + 1, format, again);
        text->n += (size_t)n;
    }
    va_end(again);
    va_end(args);
}

char *text_end(Text *text)
{
    if (!reserve(text, 0))
        return NULL;
    text->s[text->n] = 0;
    return text->s;
}

void text_free(Text *text)
{
    free(text->s);
    *text = (Text){ 0 };
}
