/*
 * native.h - small objects of modules: a row of behaviour each, and three values that they hold. And text files.
 */
#ifndef LANG_TYPES_NATIVE_H
#define LANG_TYPES_NATIVE_H
#include "lang/types/rows.h"
#include <stdio.h>

typedef struct NativeObject {
    Object head;                        /* TYPE_NATIVE */
    const Type *row;                    /* its name, call, repr, get_attr, methods …; drop and visit are the same for all */
    Value  held[3];                     /* owned */
    int64_t number;
} NativeObject;
/* The held values are retained; pass unset ones for none. */
NativeObject *native_new(Session *s, const Type *row, Value a, Value b, Value c, Err *err);
static inline bool is_native(Value v, const Type *row) { return value_is(v, TYPE_NATIVE) && ((NativeObject *)v.object)->row == row; }

typedef struct File {
    Object head;                        /* TYPE_FILE */
    FILE  *file;                        /* owned; NULL: closed, or a stream of the session */
    int    stream;                      /* a Stream, or -1 */
    bool   closed, reads, writes, binary;
    bool   raw_newlines;                /* open(…, newline=''): \r\n stays as it is */
    Str   *name, *mode;                 /* owned; mode NULL for a stream of the session */
} File;
ErrKind os_error_kind(int number);                                /* of an errno */
File *file_stream(Session *s, Stream stream, Err *err);         /* sys.stdout, sys.stderr */
bool  file_open(Session *s, Str *name, const char *mode, Value *out, Err *err);
/* An OSError of the right kind for errno. Returns false. */
bool  os_error(int number, const char *name, Err *err);
#endif
