/*
 * json.h - what every file here needs of JSON: text that is valid UTF-8 whatever it was, frames as text, code points.
 */
#ifndef KERNEL_JSON_H
#define KERNEL_JSON_H
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Bytes { const char *s; size_t n; } Bytes;        /* borrowed, not terminated */

Bytes   bytes_of(const char *text);
/* A JSON string; bytes that are no UTF-8 become U+FFFD. NULL: no memory. */
json_t *json_utf8(const char *s, size_t n);
json_t *json_word(const char *text);
/* What the text says when it is one JSON object; else NULL. Its depth is limited by the parser. */
json_t *json_read_object(Bytes text);
/* The text of `value` in new memory (free it), or NULL; lets go of `value`, which may be NULL. */
char   *json_text_take(json_t *value);

/* How much of s is whole characters: less than n when the last one is cut. */
size_t  utf8_whole(const char *s, size_t n);
size_t  utf8_points(const char *s, size_t n);                   /* code points in n bytes */
size_t  utf8_offset(const char *s, size_t n, int64_t points);   /* byte offset of a code point; n when it is odd or beyond */
#endif
