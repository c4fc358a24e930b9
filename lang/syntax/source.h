/*
 * source.h - texts that were run, for the files of syntax/: offsets of bytes become lines and columns of
 * code points.
 */
#ifndef LANG_SYNTAX_SOURCE_H
#define LANG_SYNTAX_SOURCE_H
#include "lang/syntax/code.h"

struct Source {
    char     *text;                     /* terminated; it lies behind the name */
    size_t    size;
    uint32_t *line, only;               /* owned: offset at which each line begins; that of a single line is `only` */
    int       lines;
    uint32_t *points;                   /* owned: code points before each 64th byte; NULL when all is ASCII */
    char      name[];
};

bool   source_fits(size_t n, Err *err);                         /* SyntaxError for more bytes than can be counted */
/*
 * Copies a text with its newlines made \n and a byte order mark dropped to `copy`, which has room for n + 1 bytes; terminated.
 * False: SyntaxError for what is no UTF-8 or has a zero byte, with *bad the offset of it in `utf8`.
 */
bool   source_normalise(const char *utf8, size_t n, char *copy, size_t *size, size_t *bad, Err *err);
bool   source_is_utf8(const char *utf8, size_t n);
const Source *source_get(const Session *s, int source);         /* NULL: no such number */
Place  source_place(const Source *source, int number, size_t start, size_t end);
size_t source_offset(const Source *source, int line, int column);
#endif
