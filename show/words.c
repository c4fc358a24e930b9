/* words.c - the table of words and how numbers are written. */
#include "show/words.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <utf8proc.h>

static const char *const words[WORD_COUNT][2] = {
#define WORD(id, english, chinese) [WORD_##id] = { english, chinese },
#include "show/words.def"
};

const char *word(Language language, WordId id)
{
    return words[id][language == LANGUAGE_CHINESE];
}

enum { SAID_MOST = 12 };

void say(Text *text, Language language, WordId id, ...)
{
    const char *arg[SAID_MOST];
    va_list list;
    va_start(list, id);
    int args = 0;
    const char *phrase = word(language, id);
    for (const char *s = phrase; *s; s++)
        if (*s == '%' && args < SAID_MOST)
            arg[args++] = va_arg(list, const char *);
    va_end(list);
    int next = 0;
    for (const char *s = phrase; *s; s++) {
        if (*s != '%') {
            text_char(text, *s);
            continue;
        }
        int which = next++;
        if (s[1] >= '1' && s[1] <= '4' && s[2] == '$') {        /* a translation may change the order */
            which = s[1] - '1';
            s += 2;
        }
        s++;                                                    /* the 's' */
        text_put(text, which < args ? arg[which] : "");
    }
}

const char *digits(Digits *to, int64_t number)
{
    char plain[24];
    int n = snprintf(plain, sizeof plain, "%lld", (long long)(number < 0 ? -number : number)), at = 0;
    if (number < 0)
        to->s[at++] = '-';
    for (int i = 0; i < n; i++) {
        if (i && (n - i) % 3 == 0)
            to->s[at++] = ',';
        to->s[at++] = plain[i];
    }
    to->s[at] = 0;
    return to->s;
}

const char *digits_bytes(Digits *to, int64_t bytes)
{
    digits(to, bytes);
    strcat(to->s, " B");
    return to->s;
}

const char *digits_round(Digits *to, int64_t bytes)
{
    static const char *const unit[] = { "GiB", "MiB", "KiB" };
    for (int i = 0; i < 3; i++) {
        int64_t size = (int64_t)1 << (30 - 10 * i);
        if (bytes >= size && bytes % size == 0) {
            digits(to, bytes / size);
            strcat(strcat(to->s, " "), unit[i]);
            return to->s;
        }
    }
    return digits_bytes(to, bytes);
}

void text_signed_bytes(Text *text, int64_t bytes)
{
    Digits number;
    if (bytes)
        text_put(text, bytes < 0 ? "\xe2\x88\x92" : "+");
    text_put(text, digits_bytes(&number, bytes < 0 ? -bytes : bytes));
}

void text_dims(Text *text, int ndim, const int64_t *dims)
{
    text_char(text, '(');
    for (int d = 0; d < ndim; d++)
        text_print(text, d ? ", %lld" : "%lld", (long long)dims[d]);
    text_put(text, ndim == 1 ? ",)" : ")");
}

bool is_ndarray(const char *type) { return type && strcmp(type, "ndarray") == 0; }

void text_strides(Text *text, const char *type, DType dtype, int ndim, const int64_t *stride)
{
    int64_t bytes[64];
    if (!is_ndarray(type)) {
        text_dims(text, ndim, stride);
        return;
    }
    for (int d = 0; d < ndim && d < 64; d++)
        bytes[d] = stride[d] * (int64_t)dtype_size(dtype);
    text_dims(text, ndim, bytes);
    text_put(text, " B");
}

void text_flat(Text *text, const char *utf8, size_t n)
{
    bool gap = false, any = false;
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)utf8[i];
        if (c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\\') {
            if (c == '\\' && !(i + 1 < n && (utf8[i + 1] == '\n' || utf8[i + 1] == '\r'))) {
                text_char(text, '\\');
                any = true;
                gap = false;
            } else
                gap = any;
            continue;
        }
        if (gap)
            text_char(text, ' ');
        gap = false;
        any = true;
        text_char(text, c < 0x20 || c == 0x7f ? '?' : (char)c);
    }
}

int text_width(const char *utf8, size_t n)
{
    int width = 0;
    for (size_t i = 0; i < n;) {
        utf8proc_int32_t c;
        utf8proc_ssize_t step =
            utf8proc_iterate((const utf8proc_uint8_t *)utf8 + i, (utf8proc_ssize_t)(n - i), &c);
        if (step < 1) {
            step = 1;
            c = '?';
        }
        if (c >= 0x20)
            width += utf8proc_charwidth(c);
        i += (size_t)step;
    }
    return width;
}

size_t text_fit(const char *utf8, size_t n, int columns)
{
    if (text_width(utf8, n) <= columns)
        return n;
    for (;;) {
        while (n && ((unsigned char)utf8[--n] & 0xC0) == 0x80)
            ;                                           /* back to where a character begins */
        if (!n || text_width(utf8, n) < columns)
            return n;
    }
}
