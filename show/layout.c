/* layout.c - what text.c and html.c share: addresses, cut names, second lines, the rest, the foot. */
#include "show/rows.h"
#include <langinfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <utf8proc.h>

Layout layout_detect(int fd)
{
    Layout layout = { .width = 80, .color = COLOR_NONE };
    struct winsize size;
    const char *columns = getenv("COLUMNS");
    if (columns && atoi(columns) > 0)
        layout.width = atoi(columns);
    else if (ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        layout.width = size.ws_col;
    if (layout.width > 100)
        layout.width = 100;
    if (layout.width < 20)
        layout.width = 20;
    const char *term = getenv("TERM"), *none = getenv("NO_COLOR"), *deep = getenv("COLORTERM");
    if (isatty(fd) && !(none && *none) && term && strcmp(term, "dumb") != 0)
        layout.color = strstr(term, "256") || (deep && *deep) ? COLOR_256 : COLOR_16;
    static const char *const variable[] = { "LC_ALL", "LC_CTYPE", "LANG" };
    const char *locale = "";
    for (int i = 0; i < 3 && !*locale; i++)
        if (getenv(variable[i]))
            locale = getenv(variable[i]);
    layout.ascii = !strstr(locale, "UTF-8") && !strstr(locale, "utf8") && !strstr(locale, "utf-8") &&
                   !strstr(locale, "UTF8");
    return layout;
}

bool level_parse(const char *text, Level *level)
{
    static const char *const name[] = { "off", "brief", "normal", "full" };
    for (int i = 0; i < 4; i++)
        if (strcmp(text, name[i]) == 0) {
            *level = (Level)i;
            return true;
        }
    return false;
}

/* ---- addresses ---- */
static int distinct_digits(uint64_t a, uint64_t b)
{
    int need = 4;
    if (!a || !b || a == b)
        return need;
    while (need < 16 && (a ^ b) << (64 - 4 * need) == 0)
        need++;
    return need;
}

int rows_address_digits(Rows *const *rows, size_t count)
{
    int need = 4;
    uint64_t seen[64];
    size_t n = 0;
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < rows[i]->rows; j++) {
            const uint64_t both[2] = { rows[i]->row[j].from.storage ? rows[i]->row[j].from.data : 0,
                                       rows[i]->row[j].to.storage ? rows[i]->row[j].to.data : 0 };
            for (int k = 0; k < 2; k++) {
                for (size_t s = 0; s < n; s++) {
                    int more = distinct_digits(seen[s], both[k]);
                    need = more > need ? more : need;
                }
                if (both[k] && n < 64)
                    seen[n++] = both[k];
            }
        }
    return need;
}

/* ---- bytes ---- */
int64_t row_bytes(const Row *row)
{
    return row->plus - row->minus;
}

void row_bytes_text(const Row *row, Text *text)
{
    if (!row->both) {
        text_signed_bytes(text, row_bytes(row));
        return;
    }
    Digits plus, minus;
    text_print(text, "+%s \xe2\x88\x92%s", digits(&plus, row->plus), digits_bytes(&minus, row->minus));
}

/* ---- names and source ---- */
void text_cut_name(Text *text, const char *name)
{
    size_t n = strlen(name);
    if (text_width(name, n) <= 12) {
        text_add(text, name, n);
        return;
    }
    /* 7 columns, "…", 4 columns, at borders of characters */
    size_t head = 0, tail = n;
    for (;;) {
        size_t next = head + 1;
        while (next < n && ((unsigned char)name[next] & 0xC0) == 0x80)
            next++;
        if (text_width(name, next) > 7)
            break;
        head = next;
    }
    for (;;) {
        size_t next = tail - 1;
        while (next > head && ((unsigned char)name[next] & 0xC0) == 0x80)
            next--;
        if (text_width(name + next, n - next) > 4)
            break;
        tail = next;
    }
    text_add(text, name, head);
    text_put(text, "\xe2\x80\xa6");
    text_add(text, name + tail, n - tail);
}

const char *rows_source_line(const Rows *rows, int line, size_t *n)
{
    const char *s = rows->source, *end = s + rows->source_size;
    if (line < rows->line || line > rows->end_line)
        return NULL;
    for (int at = rows->line; at < line; at++) {
        const char *next = memchr(s, '\n', (size_t)(end - s));
        if (!next)
            return NULL;
        s = next + 1;
    }
    const char *stop = memchr(s, '\n', (size_t)(end - s));
    *n = (size_t)((stop ? stop : end) - s);
    while (*n && (s[*n - 1] == '\r' || s[*n - 1] == ' '))
        --*n;
    return s;
}

/* ---- the second line ---- */
static void moved(Text *text, Language language, WordId id, const char *format, uint64_t old, uint64_t new)
{
    Text numbers = { 0 };
    if (old && old != new) {
        text_print(&numbers, format, (unsigned long long)old);
        text_put(&numbers, " \xe2\x86\x92 ");
    }
    text_print(&numbers, format, (unsigned long long)new);
    const char *s = text_end(&numbers);
    say(text, language, id, s ? s : "");
    text_free(&numbers);
}

int row_items(const Row *row, Level level, Language language, Text item[ROW_ITEMS])
{
    int n = 0;
    memset(item, 0, ROW_ITEMS * sizeof *item);
    if (level < LEVEL_NORMAL || !row->id || row->gone)
        return 0;
    moved(&item[n++], language, WORD_ID, "%llu", row->old_id, row->id);
    if (level == LEVEL_FULL && row->id_was && row->id_was != row->old_object && !row->stays) {
        Text id = { 0 }, was = { 0 };
        text_print(&id, "%llu", (unsigned long long)row->id);
        text_print(&was, "%llu", (unsigned long long)row->id_was);
        const char *a = text_end(&id), *b = text_end(&was);
        if (a && b && !row->old_id) {
            text_free(&item[0]);
            say(&item[0], language, WORD_ID_WAS, a, b);
        }
        text_free(&id);
        text_free(&was);
    }
    if (row->data)
        moved(&item[n++], language, WORD_DATA, "0x%llx", row->old_data, row->data);
    if (level < LEVEL_FULL || !row->has_facts)
        return n;
    Digits number;
    if (row->stride)
        say(&item[n++], language, WORD_STRIDE, row->stride);
    say(&item[n++], language, WORD_OFFSET, digits(&number, row->offset));
    say(&item[n++], language, WORD_VERSION, digits(&number, row->version));
    return n;
}

/* ---- all rows of a cell ---- */
bool rows_rest(Rows *const *rows, size_t count, size_t first, Language language, Text *text)
{
    size_t at = 0, rest = 0, by[VERDICTS] = { 0 };
    int64_t bytes = 0;
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < rows[i]->rows; j++, at++)
            if (at >= first) {
                rest++;
                by[rows[i]->row[j].verdict]++;
                bytes += row_bytes(&rows[i]->row[j]);
            }
    if (!rest)
        return false;
    Digits number;
    say(text, language, WORD_ROWS_MORE, digits(&number, (int64_t)rest));
    for (int v = 0; v < VERDICTS; v++)
        if (by[v]) {
            text_put(text, digits(&number, (int64_t)by[v]));
            text_print(text, " %s, ", word(language, (WordId)v));
        }
    text_signed_bytes(text, bytes);
    return true;
}

Foot rows_foot(Rows *const *rows, size_t count)
{
    Foot foot = { 0 };
    for (size_t i = 0; i < count; i++) {
        if (!i || rows[i]->peak > foot.peak) {
            foot.peak = rows[i]->peak;
            bool inside = rows[i]->peak_line >= rows[i]->line && rows[i]->peak_line <= rows[i]->end_line;
            foot.peak_line = inside ? rows[i]->peak_line : 0;
        }
        foot.change += rows[i]->change;
        foot.live = rows[i]->live;
        foot.cached = rows[i]->cached;
    }
    return foot;
}
