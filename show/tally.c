/*
 * tally.c - loops: a statement that did the same thing many times is summed up by its own source lines; what functions do
 * counts where they were called. Names keep their
 * final verdict; how often storages came and went is counted per line, from all rows of the record and its
 * sums.
 */
#include "show/reduce.h"
#include <stdlib.h>
#include <string.h>

typedef struct Tally {
    int      line;
    uint64_t allocs, frees, binds, writes;
    int64_t  plus, minus;
    const Event *first;                 /* the first allocation on the line */
    bool     claimed;
} Tally;

bool tally_needed(const Reduce *r)
{
    const Record *record = r->record;
    if (record->seen > record->count)
        return true;
    if (!r->st->is_compound)
        return false;
    for (size_t t = 0; t < r->touches; t++)
        if (r->touch[t].binds > 1)
            return true;
    return false;
}

static Tally *tally_get(Tally *tally, size_t *count, int line)
{
    for (size_t i = 0; i < *count; i++)
        if (tally[i].line == line)
            return &tally[i];
    tally[*count] = (Tally){ .line = line };
    return &tally[(*count)++];
}

/* What the line's functions bind on the way are no names of the line. */
static void tally_count(Tally *tally, uint8_t kind, bool called, uint64_t count, int64_t bytes)
{
    if (kind == EVENT_ALLOC) {
        tally->allocs += count;
        tally->plus += bytes;
    } else if (kind == EVENT_FREE) {
        tally->frees += count;
        tally->minus += bytes;
    } else if (kind == EVENT_BIND && !called)
        tally->binds += count;
    else if (kind == EVENT_WRITE)
        tally->writes += count;
}

static int by_line(const void *a, const void *b)
{
    return ((const Tally *)a)->line - ((const Tally *)b)->line;
}

/* The row that speaks for a line: the first that was bound there. */
static Row *row_of(Reduce *r, int line)
{
    for (size_t i = 0; i < r->rows->rows; i++) {
        Row *row = &r->rows->row[i];
        if (row->line == line && (row->verdict == VERDICT_NEW || row->verdict == VERDICT_VIEW ||
                                  row->verdict == VERDICT_ALIAS || row->verdict == VERDICT_FREED))
            return row;
    }
    return NULL;
}

static size_t binds_of(const Reduce *r, const Row *row)
{
    for (size_t t = 0; t < r->touches; t++)
        if (strcmp(r->touch[t].path, row->name) == 0)
            return r->touch[t].binds;
    return 0;
}

/* Does each line of the loop's body run once a turn? Only then its names tell how many turns there were. */
static bool is_plain_loop(const Statement *st)
{
    static const char *const branch[] = { "for", "while", "if", "elif", "else", "try", "break", "continue", "return" };
    const char *s = st->text, *end = s + st->text_size;
    bool first = true;
    while (s < end) {
        const char *stop = memchr(s, '\n', (size_t)(end - s));
        stop = stop ? stop : end;
        while (s < stop && (*s == ' ' || *s == '\t'))
            s++;
        size_t n = 0;
        while (s + n < stop && text_word_char(s[n]))
            n++;
        bool found = false;
        for (size_t i = 0; i < sizeof branch / sizeof *branch; i++)
            found |= strlen(branch[i]) == n && memcmp(branch[i], s, n) == 0 && !(first && i > 1);
        if (found != first)
            return false;
        first = false;
        s = stop + 1;
    }
    return true;
}

static bool say_line(Reduce *r, Tally *line)
{
    Digits a, b, c;
    Row *row = row_of(r, line->line);
    if (row) {
        row->plus = line->plus;
        row->minus = line->minus;
        uint64_t times = r->record->seen > r->record->count ? line->binds : binds_of(r, row);
        if (times > 1)
            r->rows->turns = !r->rows->turns || r->rows->turns == times ? times : UINT64_MAX;
        if (times > 1 && row->verdict == VERDICT_NEW)
            notes_words(r, row, WORD_TIMES_NEW, digits(&a, (int64_t)times), digits(&b, (int64_t)line->allocs),
                        digits(&c, (int64_t)line->frees));
        else
            notes_words(r, row, WORD_TALLY, digits(&b, (int64_t)line->allocs), digits(&c, (int64_t)line->frees),
                        NULL);
        return true;
    }
    bool even = line->allocs && line->frees;
    row = rows_add(r->rows, even ? VERDICT_TEMPORARY : line->allocs ? VERDICT_NEW : VERDICT_FREED, "");
    if (!row)
        return false;
    row->line = line->line;
    row->plus = line->plus;
    row->minus = line->minus;
    row->both = even;
    Text text = { 0 };
    if (line->first && !line->first->called)
        place_text(r, line->first->place, &text);
    if (text.n)
        row_note(r->rows, row, &text);
    text_free(&text);
    notes_words(r, row, WORD_TALLY, digits(&a, (int64_t)line->allocs), digits(&b, (int64_t)line->frees), NULL);
    return true;
}

static int by_row_line(const void *a, const void *b)
{
    const Row *x = *(const Row *const *)a, *y = *(const Row *const *)b;
    if (x->line != y->line)
        return x->line - y->line;
    return (x > y) - (x < y);
}

/* In the order of their lines, as the source is read. */
static bool sort_rows(Reduce *r)
{
    Rows *rows = r->rows;
    Row **order = pool_array(r->pool, rows->rows, sizeof *order),
        *sorted = pool_array(r->pool, rows->rows, sizeof *sorted);
    if (!order || !sorted)
        return false;
    for (size_t i = 0; i < rows->rows; i++)
        order[i] = &rows->row[i];
    qsort(order, rows->rows, sizeof *order, by_row_line);
    for (size_t i = 0; i < rows->rows; i++)
        sorted[i] = *order[i];
    rows->row = sorted;
    rows->capacity = rows->rows;
    return true;
}

static int by_address(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static bool say_totals(Reduce *r)
{
    const Record *record = r->record;
    Text text = { 0 };
    Digits a, b;
    say(&text, r->show->language, WORD_TALLY, digits_bytes(&a, record->allocated),
        digits_bytes(&b, record->freed));
    if (record->seen == record->count) {
        uint64_t *address = pool_array(r->pool, record->count, sizeof *address);
        size_t count = 0, unique = 0;
        if (!address) {
            text_free(&text);
            return false;
        }
        for (size_t i = 0; i < record->count; i++)
            if (record->event[i].kind == EVENT_ALLOC)
                address[count++] = record->event[i].address;
        qsort(address, count, sizeof *address, by_address);
        for (size_t i = 0; i < count; i++)
            unique += !i || address[i] != address[i - 1];
        if (unique && unique < count)
            say(&text, r->show->language, WORD_IN_BLOCKS, digits(&a, (int64_t)unique));
    }
    return (r->rows->totals = pool_take(r->pool, &text)) != NULL;
}

bool tally_rows(Reduce *r)
{
    const Record *record = r->record;
    Tally *tally = pool_array(r->pool, record->count + record->sums, sizeof *tally);
    size_t count = 0;
    if (!tally)
        return false;
    for (size_t i = 0; i < record->count; i++) {
        const Event *ev = &record->event[i];
        if (ev->kind != EVENT_ALLOC && ev->kind != EVENT_FREE && ev->kind != EVENT_BIND &&
            ev->kind != EVENT_WRITE)
            continue;
        Tally *line = tally_get(tally, &count, ev->outer);
        tally_count(line, ev->kind, ev->called, 1, ev->bytes);
        if (ev->kind == EVENT_ALLOC && !line->first)
            line->first = ev;
    }
    for (size_t i = 0; i < record->sums; i++) {
        const EventSum *sum = &record->sum[i];
        tally_count(tally_get(tally, &count, sum->outer), sum->kind, sum->called, sum->count, sum->bytes);
    }
    qsort(tally, count, sizeof *tally, by_line);
    for (size_t i = 0; i < count; i++)
        if ((tally[i].allocs || tally[i].frees) && !say_line(r, &tally[i]))
            return false;
    if (r->rows->turns == UINT64_MAX || !is_plain_loop(r->st))
        r->rows->turns = 0;
    return sort_rows(r) && (!record->allocations || say_totals(r));
}
