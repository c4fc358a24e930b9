/*
 * source.c - every text that a session ran, kept to its end: names, lines, spans.
 * The parser counts bytes; people count lines and code points. An index of code points, one entry for 64
 * bytes, turns one
 * into the other in constant time, also within a line of ten megabytes.
 */
#include "lang/syntax/source.h"
#include <string.h>
#include "lang/run/state.h"

enum { STEP = 64, SIZE_LIMIT = 1 << 30 };

struct Sources { Source **at; int n, capacity; };

/* The length of the well-formed UTF-8 sequence at s, or 0. */
static size_t sequence(const unsigned char *s, size_t n)
{
    if (s[0] < 0x80)
        return 1;
    size_t length = s[0] >= 0xf0 && s[0] <= 0xf4 ? 4 : s[0] >= 0xe0 && s[0] < 0xf0 ? 3 : s[0] >= 0xc2 &&
        s[0] < 0xe0 ? 2 : 0;
    if (length == 0 || length > n)
        return 0;
    for (size_t i = 1; i < length; i++)
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) || (s[0] == 0xf0 && s[1] < 0x90) ||
        (s[0] == 0xf4 && s[1] > 0x8f))
        return 0;                       /* overlong, a surrogate, or beyond U+10FFFF */
    return length;
}

bool source_is_utf8(const char *utf8, size_t n)
{
    for (size_t i = 0, length; i < n; i += length)
        if ((length = sequence((const unsigned char *)utf8 + i, n - i)) == 0)
            return false;
    return true;
}

bool source_normalise(const char *utf8, size_t n, char *copy, size_t *size, size_t *bad, Err *err)
{
    *bad = 0;
    size_t out = 0, i = n >= 3 && memcmp(utf8, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    while (i < n) {
        unsigned char c = (unsigned char)utf8[i];
        if (c < 0x80 && c != '\r' && c) {
            copy[out++] = (char)c;
            i++;
            continue;
        }
        size_t length = c == 0 ? 0 : sequence((const unsigned char *)utf8 + i, n - i);
        if (length == 0) {
            if (c == 0)
                err_set(err, ERR_SYNTAX, "source text holds a zero byte");
            else
                err_set(err, ERR_SYNTAX, "source text is not valid UTF-8 (byte 0x%02x)", c);
            *bad = i;
            return false;
        }
        if (c == '\r') {
            copy[out++] = '\n';
            i += i + 1 < n && utf8[i + 1] == '\n' ? 2 : 1;
            continue;
        }
        memcpy(copy + out, utf8 + i, length);
        out += length;
        i += length;
    }
    copy[out] = 0;
    *size = out;
    return true;
}

bool source_fits(size_t n, Err *err)
{
    return n <= SIZE_LIMIT || err_set(err, ERR_SYNTAX, "source text is too large (%zu bytes; at most %d)", n, SIZE_LIMIT);
}

static void source_free(Session *s, Source *source)
{
    if (!source)
        return;
    if (source->line != &source->only)
        mem_free(s->heap, source->line);
    mem_free(s->heap, source->points);
    mem_free(s->heap, source);
}

static bool is_continuation(char c)
{
    return ((unsigned char)c & 0xc0) == 0x80;
}

static bool index_lines(Session *s, Source *source)
{
    int lines = 1;
    bool ascii = true;
    for (size_t i = 0; i < source->size; i++) {
        lines += source->text[i] == '\n';
        ascii = ascii && (unsigned char)source->text[i] < 0x80;
    }
    source->line = lines == 1 ? &source->only : mem_new(s->heap, (size_t)lines * sizeof *source->line);
    if (!source->line)
        return false;
    source->line[source->lines++] = 0;
    for (size_t i = 0; i < source->size; i++)
        if (source->text[i] == '\n')
            source->line[source->lines++] = (uint32_t)(i + 1);
    if (ascii)
        return true;
    source->points = mem_new(s->heap, (source->size / STEP + 1) * sizeof *source->points);
    if (!source->points)
        return false;
    uint32_t count = 0;
    for (size_t i = 0; i <= source->size; i++) {
        if (i % STEP == 0)
            source->points[i / STEP] = count;
        count += i < source->size && !is_continuation(source->text[i]);
    }
    return true;
}

static bool keep(Session *s, Source *source)
{
    struct Sources *all = s->sources;
    if (!all) {
        if (!(all = mem_new(s->heap, sizeof *all)))
            return false;
        *all = (struct Sources){ 0 };
        s->sources = all;
    }
    if (all->n == all->capacity) {
        int capacity = all->capacity ? 2 * all->capacity : 16;
        Source **at = mem_resize(s->heap, all->at, (size_t)capacity * sizeof *at);
        if (!at)
            return false;
        all->at = at;
        all->capacity = capacity;
    }
    all->at[all->n++] = source;
    return true;
}

int source_add(Session *s, const char *name, const char *utf8, size_t n, Err *err)
{
    size_t bad;
    size_t length = strlen(name) + 1;
    if (!source_fits(n, err))
        return 0;
    Source *source = mem_new(s->heap, sizeof *source + length + n + 1);
    if (!source) {
        err_memory(err, sizeof *source);
        return 0;
    }
    *source = (Source){ 0 };
    memcpy(source->name, name, length);
    source->text = source->name + length;
    if (!source_normalise(utf8, n, source->text, &source->size, &bad, err))
        goto failed;
    if (!index_lines(s, source)) {
        err_memory(err, n);
        goto failed;
    }
    if (!keep(s, source)) {
        err_memory(err, sizeof source);
        goto failed;
    }
    return s->sources->n;
failed:
    source_free(s, source);
    return 0;
}

const Source *source_get(const Session *s, int number)
{
    return s->sources && number >= 1 && number <= s->sources->n ? s->sources->at[number - 1] : NULL;
}

const char *source_name(const Session *s, int number)
{
    const Source *source = source_get(s, number);
    return source ? source->name : "<unknown>";
}

const char *source_text(const Session *s, int number, size_t *n)
{
    const Source *source = source_get(s, number);
    *n = source ? source->size : 0;
    return source ? source->text : NULL;
}

const char *source_line(const Session *s, int number, int line, size_t *n)
{
    const Source *source = source_get(s, number);
    *n = 0;
    if (!source || line < 1 || line > source->lines)
        return NULL;
    size_t start = source->line[line - 1];
    *n = (line < source->lines ? source->line[line] - 1 : source->size) - start;
    return source->text + start;
}

static size_t points_before(const Source *source, size_t offset)
{
    if (!source->points)
        return offset;
    size_t count = source->points[offset / STEP];
    for (size_t i = offset / STEP * STEP; i < offset; i++)
        count += !is_continuation(source->text[i]);
    return count;
}

/* The line, from 0, that holds an offset. */
static int line_of(const Source *source, size_t offset)
{
    int low = 0, high = source->lines - 1;
    while (low < high) {
        int middle = low + (high - low + 1) / 2;
        if (source->line[middle] <= offset)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

Place source_place(const Source *source, int number, size_t start, size_t end)
{
    if (start > source->size)
        start = source->size;
    if (end > source->size)
        end = source->size;
    int first = line_of(source, start), last = line_of(source, end);
    return (Place){ number, first + 1, (int32_t)(points_before(source, start) - points_before(source,
            source->line[first])),
                    last + 1, (int32_t)(points_before(source, end) - points_before(source,
                            source->line[last])) };
}

size_t source_offset(const Source *source, int line, int column)
{
    if (line < 1)
        return 0;
    if (line > source->lines)
        return source->size;
    size_t at = source->line[line - 1];
    if (!source->points)
        at += (size_t)column;
    else
        for (; column > 0 && at < source->size; column--)
            for (at++; at < source->size && is_continuation(source->text[at]); )
                at++;
    return at < source->size ? at : source->size;
}

const char *source_span(const Session *s, Place place, size_t *n)
{
    const Source *source = source_get(s, place.source);
    *n = 0;
    if (!source)
        return NULL;
    size_t start = source_offset(source, place.line, place.column);
    size_t end = source_offset(source, place.end_line, place.end_column);
    *n = end > start ? end - start : 0;
    return source->text + start;
}

void sources_free(Session *s)
{
    if (!s->sources)
        return;
    for (int i = 0; i < s->sources->n; i++)
        source_free(s, s->sources->at[i]);
    mem_free(s->heap, s->sources->at);
    mem_free(s->heap, s->sources);
    s->sources = NULL;
}
