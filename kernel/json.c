/*
 * json.c - JSON text and code points.
 */
#include "kernel/json.h"
#include "tensor/text.h"
#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>

Bytes bytes_of(const char *text)
{
    return (Bytes){ text, strlen(text) };
}

json_t *json_utf8(const char *s, size_t n)
{
    json_t *string = json_stringn(n ? s : "", n);
    if (string || !n)
        return string;
    Text good = { 0 };
    for (size_t i = 0; i < n; ) {
        utf8proc_int32_t point;
        utf8proc_ssize_t used = utf8proc_iterate((const utf8proc_uint8_t *)s + i, (utf8proc_ssize_t)(n - i), &point);
        text_add(&good, used > 0 ? s + i : "\xef\xbf\xbd", used > 0 ? (size_t)used : 3);
        i += used > 0 ? (size_t)used : 1;
    }
    string = good.failed ? NULL : json_stringn(good.s, good.n);
    text_free(&good);
    return string;
}

json_t *json_word(const char *text)
{
    return json_utf8(text, strlen(text));
}

json_t *json_read_object(Bytes text)
{
    json_error_t problem;
    json_t *value = text.n ? json_loadb(text.s, text.n, JSON_ALLOW_NUL, &problem) : NULL;
    if (value && !json_is_object(value)) {
        json_decref(value);
        return NULL;
    }
    return value;
}

char *json_text_take(json_t *value)
{
    char *text = value ? json_dumps(value, JSON_COMPACT) : NULL;
    json_decref(value);
    return text;
}

static bool continues(char c)
{
    return (c & 0xc0) == 0x80;
}

size_t utf8_whole(const char *s, size_t n)
{
    size_t back = 0;
    while (back < 3 && back < n && continues(s[n - 1 - back]))
        back++;
    if (back == n)
        return n;
    unsigned char first = (unsigned char)s[n - 1 - back];
    size_t size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 1;
    return size > back + 1 ? n - back - 1 : n;
}

size_t utf8_points(const char *s, size_t n)
{
    size_t points = 0;
    for (size_t i = 0; i < n; i++)
        points += !continues(s[i]);
    return points;
}

size_t utf8_offset(const char *s, size_t n, int64_t points)
{
    if (points < 0)
        return n;
    for (size_t i = 0; i < n; i++)
        if (!continues(s[i]) && points-- == 0)
            return i;
    return n;
}
