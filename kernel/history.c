/*
 * history.c - kept in memory, for this run of the kernel alone: session 0.
 */
#include "kernel/history.h"
#include <stdlib.h>
#include <string.h>

enum { HISTORY_KEPT = 10000, OUTPUT_KEPT = 64 << 10 };

static char *copy(Bytes text)
{
    char *made = malloc(text.n + 1);
    if (made) {
        memcpy(made, text.n ? text.s : "", text.n);
        made[text.n] = 0;
    }
    return made;
}

static void drop(Entry *entry)
{
    free(entry->input);
    free(entry->output);
}

void history_add(History *history, int number, Bytes input, Bytes output)
{
    if (history->n == HISTORY_KEPT) {                   /* the older half goes */
        for (size_t k = 0; k < HISTORY_KEPT / 2; k++)
            drop(&history->entry[k]);
        history->n -= HISTORY_KEPT / 2;
        memmove(history->entry, history->entry + HISTORY_KEPT / 2, history->n * sizeof *history->entry);
    }
    if (history->n == history->capacity) {
        size_t capacity = history->capacity ? 2 * history->capacity : 16;
        Entry *more = realloc(history->entry, capacity * sizeof *more);
        if (!more)
            return;
        history->entry = more;
        history->capacity = capacity;
    }
    bool keeps = output.s && output.n <= OUTPUT_KEPT;
    Entry entry = { number, copy(input), keeps ? copy(output) : NULL, input.n, keeps ? output.n : 0 };
    if (entry.input)
        history->entry[history->n++] = entry;
    else
        drop(&entry);
}

void history_free(History *history)
{
    for (size_t k = 0; k < history->n; k++)
        drop(&history->entry[k]);
    free(history->entry);
    *history = (History){ 0 };
}

static json_t *row(const Entry *entry, bool output)
{
    json_t *input = json_utf8(entry->input, entry->input_size);
    if (!output)
        return json_pack("[i, i, o]", 0, entry->number, input);
    json_t *made = entry->output ? json_utf8(entry->output, entry->output_size) : json_null();
    return json_pack("[i, i, [o, o]]", 0, entry->number, input, made);
}

static json_t *rows(const History *history, size_t from, size_t to, bool output)
{
    json_t *list = json_array();
    for (size_t k = from; list && k < to; k++)
        if (json_array_append_new(list, row(&history->entry[k], output))) {
            json_decref(list);
            return NULL;
        }
    return list;
}

json_t *history_tail(const History *history, int64_t n, bool output)
{
    size_t count = n < 0 ? 0 : (uint64_t)n > history->n ? history->n : (size_t)n;
    return rows(history, history->n - count, history->n, output);
}

json_t *history_range(const History *history, int64_t start, int64_t stop, bool has_stop, bool output)
{
    size_t from = 0, to;
    int last = history->n ? history->entry[history->n - 1].number : 0;
    if (start < 0)                                      /* counted from the end */
        start += last + 1;
    if (has_stop && stop < 0)
        stop += last + 1;
    while (from < history->n && history->entry[from].number < start)
        from++;
    for (to = from; to < history->n && (!has_stop || history->entry[to].number < stop); to++)
        ;
    return rows(history, from, to, output);
}

/* The whole of s against a pattern: * any text, ? one character. Goes back to the last star only, so it cannot blow up. */
static bool matches(const char *s, size_t n, Bytes pattern)
{
    size_t i = 0, p = 0, star = SIZE_MAX, retry = 0;
    while (i < n) {
        if (p < pattern.n && pattern.s[p] == '*') {
            star = p++;
            retry = i;
        } else if (p < pattern.n && pattern.s[p] == '?') {
            i++, p++;
            while (i < n && (s[i] & 0xc0) == 0x80)
                i++;
        } else if (p < pattern.n && pattern.s[p] == s[i])
            i++, p++;
        else if (star != SIZE_MAX) {
            p = star + 1;
            i = ++retry;
        } else
            return false;
    }
    while (p < pattern.n && pattern.s[p] == '*')
        p++;
    return p == pattern.n;
}

static bool comes_later(const History *history, const json_t *found, const Entry *entry)
{
    for (size_t k = 0; k < json_array_size(found); k++) {
        const Entry *other = &history->entry[json_integer_value(json_array_get(found, k))];
        if (other->input_size == entry->input_size && !memcmp(other->input, entry->input, entry->input_size))
            return true;
    }
    return false;
}

json_t *history_search(const History *history, Bytes pattern, int64_t n, bool unique, bool output)
{
    json_t *found = json_array(), *list = json_array();
    for (size_t k = history->n; k-- > 0 && (n < 0 || (int64_t)json_array_size(found) < n); ) {
        const Entry *entry = &history->entry[k];
        if (matches(entry->input, entry->input_size, pattern) && !(unique && comes_later(history, found, entry)))
            json_array_append_new(found, json_integer((json_int_t)k));
    }
    for (size_t k = json_array_size(found); k-- > 0; )
        json_array_append_new(list, row(&history->entry[json_integer_value(json_array_get(found, k))], output));
    json_decref(found);
    return list;
}
