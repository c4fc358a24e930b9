/*
 * timeline.c - %timeline: live, cached and peak bytes after each statement that did something to memory.
 * What is remembered of a statement is a few numbers and the beginning of its text. When there are too many, two neighbours become
 * one that keeps their last live bytes and their highest peak.
 */
#include "show/rows.h"
#include <string.h>

enum { KEPT = 1024, SHOWN = 40, SOURCE = 22 };

static void join_neighbours(Timeline *line)
{
    size_t to = 0;
    for (size_t i = 0; i + 1 < line->count; i += 2) {
        Moment *both = &line->moment[to++], first = line->moment[i], last = line->moment[i + 1];
        *both = last;
        both->number = first.number;
        both->statements = first.statements + last.statements;
        both->peak = first.peak > last.peak ? first.peak : last.peak;
    }
    if (line->count % 2)
        line->moment[to++] = line->moment[line->count - 1];
    line->count = to;
}

void timeline_note(Show *show, const Statement *done, const Rows *rows)
{
    Timeline *line = &show->timeline;
    if ((!rows->rows && !done->error) || done->number <= line->last)
        return;                                         /* an error of a command, or of text that did not run, is no statement's */
    line->last = done->number;
    if (line->count == KEPT)
        join_neighbours(line);
    if (line->count == line->capacity) {
        size_t capacity = line->capacity ? 2 * line->capacity : 32;
        Moment *more = mem_resize(show->heap, line->moment, capacity * sizeof *more);
        if (!more)
            return;                                     /* it is a memory of what was: a gap does no harm */
        line->moment = more;
        line->capacity = capacity;
    }
    Moment *moment = &line->moment[line->count++];
    *moment = (Moment){ .number = done->number, .statements = 1, .failed = done->error, .live = rows->live, .peak = rows->peak,
                        .cached = rows->cached, .verdict = rows->rows ? rows->row[0].verdict : VERDICTS };
    size_t n = strcspn(rows->source, "\n");
    if (n > rows->source_size)
        n = rows->source_size;
    if (n >= sizeof moment->source)
        for (n = sizeof moment->source - 1; n && ((unsigned char)rows->source[n] & 0xC0) == 0x80; n--)
            continue;
    memcpy(moment->source, rows->source, n);
    moment->source[n] = 0;
}

const char *timeline_source(const Timeline *timeline, int number)
{
    for (size_t i = timeline->count; i--; )
        if (timeline->moment[i].number == number && timeline->moment[i].statements == 1)
            return timeline->moment[i].source;
    return NULL;
}

/* ---- as text ---- */
/* The source, cut to its column; what stands for several says so. */
static void put_source(Text *text, const Layout *layout, const Moment *m)
{
    Text source = { 0 };
    if (m->statements > 1)
        text_print(&source, "(%lld) %s", (long long)m->statements, m->source);
    else
        text_put(&source, m->source);
    if (text_end(&source)) {
        while (source.n && line_width(layout, source.s) > SOURCE - 1) {
            do
                source.n--;
            while (source.n && ((unsigned char)source.s[source.n] & 0xC0) == 0x80);
            source.s[source.n] = 0;
            if (line_width(layout, source.s) <= SOURCE - 1) {
                text_put(&source, "\xe2\x80\xa6");
                text_end(&source);
                break;
            }
        }
        text_put(text, source.s ? source.s : "");
    }
    text_free(&source);
}

static void right(Line *line, int end, int gap, const char *what)
{
    line_to(line, end - line_width(line->layout, what), gap);
    line_put(line, STYLE_PLAIN, what);
}

static const char *verdict_of(const Moment *m, Language language)
{
    return m->failed ? "error" : m->verdict < VERDICTS ? word(language, (WordId)m->verdict) : "";
}

/* How many columns of `width` bytes take, at least one where there are any. */
static int columns(int64_t bytes, int64_t most, int width)
{
    int64_t n = most ? (int64_t)((double)bytes / (double)most * width + 0.5) : 0;
    return (int)(bytes > 0 && n == 0 ? 1 : n);
}

static void put_bar(Line *line, const Moment *m, int64_t most, int width)
{
    Text bar = { 0 };
    int live = columns(m->live, most, width), peak = columns(m->peak, most, width);
    for (int i = 0; i < (peak > live ? peak : live); i++)
        text_put(&bar, i < live ? "\xe2\x96\x88" : "\xe2\x96\x91");
    if (text_end(&bar))
        line_put(line, STYLE_PLAIN, bar.s);
    text_free(&bar);
}

static void put_text(const Show *show, const Layout *layout, size_t first, int64_t most, Text *text)
{
    const Timeline *timeline = &show->timeline;
    const Language language = show->language;
    Digits d;
    int number = 2, figure = line_width(layout, digits(&d, most));
    for (int last = timeline->moment[timeline->count - 1].number; last > 99; last /= 10)
        number++;
    figure = figure < 5 ? 5 : figure;
    const int what = number + 2 + SOURCE, live = what + 10 + figure, peak = live + 1 + figure, cache = peak + 1 + figure;
    const int width = layout->width - cache - 2 > 48 ? 48 : layout->width - cache - 2 < 8 ? 8 : layout->width - cache - 2;
    Line line = { text, layout, 0 };
    right(&line, number, 0, "n");
    line_to(&line, number + 2, 1);
    line_put(&line, STYLE_PLAIN, word(language, WORD_COL_STATEMENT));
    line_to(&line, what, 1);
    line_put(&line, STYLE_PLAIN, word(language, WORD_COL_WHAT));
    right(&line, live, 1, word(language, WORD_LIVE));
    right(&line, peak, 1, word(language, WORD_PEAK));
    right(&line, cache, 1, word(language, WORD_CACHE));
    line_to(&line, cache + 2, 1);
    line_put(&line, STYLE_PLAIN, "0");
    right(&line, cache + 2 + width, 1, digits(&d, most));
    line_end(&line);
    for (size_t i = first; i < timeline->count; i++) {
        const Moment *m = &timeline->moment[i];
        Text source = { 0 };
        right(&line, number, 0, digits(&d, m->number));
        line_to(&line, number + 2, 1);
        put_source(&source, layout, m);
        line_put(&line, STYLE_PLAIN, text_end(&source) ? source.s : "");
        text_free(&source);
        line_to(&line, what, 1);
        line_put(&line, STYLE_PLAIN, verdict_of(m, language));
        right(&line, live, 1, digits(&d, m->live));
        right(&line, peak, 1, digits(&d, m->peak));
        right(&line, cache, 1, digits(&d, m->cached));
        line_to(&line, cache + 2, 1);
        put_bar(&line, m, most, width);
        line_end(&line);
    }
    line_end(&line);
    line_put(&line, STYLE_PLAIN, word(language, WORD_TIMELINE_KEY));
    line_end(&line);
}

/* ---- as a table for a notebook ---- */
#define MONO "font-family:Menlo,Consolas,DejaVu Sans Mono,monospace;font-size:12px"
#define CELL "border:0;padding:1px 7px 1px 0;text-align:left;vertical-align:top;white-space:nowrap"
enum { BAR = 240 };                     /* px */

static void put_html_bar(Text *html, const Moment *m, int64_t most)
{
    int live = columns(m->live, most, BAR), peak = columns(m->peak, most, BAR);
    text_print(html, "<span title=\"%lld B\" style=\"display:inline-block;width:%dpx;background:#0072B2\">&nbsp;</span>", (long long)m->live, live);
    if (peak > live)
        text_print(html, "<span title=\"%lld B\" style=\"display:inline-block;width:%dpx;background:#bcd;border:0\">&nbsp;</span>",
                   (long long)m->peak, peak - live);
}

static void put_html(const Show *show, size_t first, int64_t most, Text *html)
{
    static const WordId head[] = { WORD_COL_STATEMENT, WORD_COL_WHAT, WORD_LIVE, WORD_PEAK, WORD_CACHE };
    const Language language = show->language;
    Digits d;
    text_put(html, "<table style=\"border-collapse:separate;border-spacing:0;padding-left:8px;border-left:3px solid #999;margin:4px 0;"
                   "font-size:13px;line-height:1.5;table-layout:auto\">\n<tbody>\n<tr style=\"background:transparent\"><th></th>");
    for (size_t i = 0; i < sizeof head / sizeof *head; i++)
        text_print(html, "<th style=\"" CELL ";font-weight:normal;font-size:11px;opacity:.8%s\">%s</th>", i > 1 ? ";text-align:right" : "",
                   word(language, head[i]));
    text_print(html, "<th style=\"" CELL ";font-weight:normal;font-size:11px;opacity:.8\">0 \xe2\x80\xa6 %s</th></tr>\n", digits_bytes(&d, most));
    for (size_t i = first; i < show->timeline.count; i++) {
        const Moment *m = &show->timeline.moment[i];
        text_print(html, "<tr style=\"background:transparent\"><td style=\"" CELL ";text-align:right;" MONO "\">%d</td><td style=\"" CELL ";" MONO "\">", m->number);
        html_text(html, m->source, strlen(m->source));
        if (m->statements > 1)
            text_print(html, " (%lld)", (long long)m->statements);
        text_print(html, "</td><td style=\"" CELL "\">%s</td>", verdict_of(m, language));
        text_print(html, "<td style=\"" CELL ";text-align:right;" MONO "\">%s</td>", digits(&d, m->live));
        text_print(html, "<td style=\"" CELL ";text-align:right;" MONO "\">%s</td>", digits(&d, m->peak));
        text_print(html, "<td style=\"" CELL ";text-align:right;" MONO "\">%s</td><td style=\"" CELL "\">", digits(&d, m->cached));
        put_html_bar(html, m, most);
        text_put(html, "</td></tr>\n");
    }
    text_put(html, "</tbody>\n</table>\n");
}

bool show_timeline(Show *show, const Layout *layout, Text *text, Text *html, Err *err)
{
    const Timeline *line = &show->timeline;
    int64_t most = 0;
    if (!line->count) {
        err_set(err, ERR_VALUE, "nothing has happened to memory yet");
        return show->level == LEVEL_OFF ? err_hint(err, "%%memory is off: %%memory normal watches again") : false;
    }
    size_t first = line->count > SHOWN ? line->count - SHOWN : 0;
    for (size_t i = first; i < line->count; i++)
        most = line->moment[i].peak > most ? line->moment[i].peak : line->moment[i].live > most ? line->moment[i].live : most;
    if (first) {
        int64_t statements = 0, peak = 0;
        Digits count, highest;
        for (size_t i = 0; i < first; i++) {
            statements += line->moment[i].statements;
            peak = line->moment[i].peak > peak ? line->moment[i].peak : peak;
        }
        say(text, show->language, WORD_TIMELINE_EARLIER, digits(&count, statements), digits_bytes(&highest, peak));
        text_char(text, '\n');
    }
    put_text(show, layout, first, most, text);
    if (html)
        put_html(show, first, most, html);
    return true;
}
