/* text.h - text that grows: what formatting functions write into. UTF-8; not terminated until text_end. */
#ifndef TENSOR_TEXT_H
#define TENSOR_TEXT_H
#include <stdbool.h>
#include <stddef.h>

typedef struct Text {
    char  *s;                           /* owned, plain malloc; NULL while empty */
    size_t n, capacity;
    bool   failed;                      /* memory ran out: later additions do nothing; check once at the end */
} Text;

void  text_add(Text *text, const char *utf8, size_t n);
void  text_put(Text *text, const char *utf8);               /* terminated text */
void  text_char(Text *text, char c);
void  text_fill(Text *text, char c, size_t n);
void  text_print(Text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
char *text_end(Text *text);             /* terminates; the text's own memory, valid until it changes; NULL if failed */
void  text_free(Text *text);            /* frees and empties; may be used again */
#endif
