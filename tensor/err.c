/* err.c - kinds of errors, and the text of one. */
#include "tensor/err.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char *const names[ERR_COUNT] = {
    [ERR_NONE] = "None", [ERR_RAISED] = "Exception",
#define ERROR(kind, name, parent) [ERR_##kind] = #name,
#include "tensor/errors.def"
};
static const ErrKind parents[ERR_COUNT] = {
#define ERROR(kind, name, parent) [ERR_##kind] = ERR_##parent,
#include "tensor/errors.def"
};

/* Marks a text that was cut with "…", at the start of a code point. */
static void mark_cut(char *text, size_t size, int written)
{
    static const char mark[] = "…";
    if (written < 0 || (size_t)written < size)
        return;
    size_t at = size - sizeof mark;
    while (at && ((unsigned char)text[at] & 0xC0) == 0x80)
        at--;
    memcpy(text + at, mark, sizeof mark);
}

bool err_set(Err *err, ErrKind kind, const char *format, ...)
{
    va_list args;
    err->kind = kind;
    err->hint[0] = 0;
    va_start(args, format);
    mark_cut(err->message, sizeof err->message, vsnprintf(err->message, sizeof err->message, format, args));
    va_end(args);
    return false;
}

bool err_hint(Err *err, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    mark_cut(err->hint, sizeof err->hint, vsnprintf(err->hint, sizeof err->hint, format, args));
    va_end(args);
    return false;
}

bool err_memory(Err *err, size_t bytes)
{
    return err_set(err, ERR_MEMORY, "no memory for %zu bytes", bytes);
}

const char *err_name(ErrKind kind)
{
    return (unsigned)kind < ERR_COUNT ? names[kind] : "Exception";
}

ErrKind err_parent(ErrKind kind)
{
    return (unsigned)kind < ERR_COUNT ? parents[kind] : ERR_EXCEPTION;
}
