/* text.c - rows as lines of a terminal, and the text form of a notebook's card. */
#include "show/rows.h"
#include <string.h>
#include <utf8proc.h>

enum { AT_VERDICT = 5, AT_OBJECT = 15, AT_PLACES = 25, AT_NOTES = 49, BYTES_WIDTH = 10 };

static const struct { int deep, on, plain;
} chip_color[PALETTE_COLORS] = {
    /* 256 colours: ground, text */
    { 25, 15, 44 }, { 214, 16, 43 }, { 36, 16, 42 },  { 175, 16, 45 },
    { 74, 16, 46 }, { 166, 16, 41 }, { 227, 16, 43 },
};
static const struct { int deep, on, plain;
} pill_color[VERDICTS] = {
    [VERDICT_NEW] = { 194, 22, 42 },     [VERDICT_IN_PLACE] = { 221, 16, 43 },
    [VERDICT_VIEW] = { 195, 17, 46 },    [VERDICT_ALIAS] = { 195, 17, 46 },
    [VERDICT_SAME] = { 253, 16, 47 },    [VERDICT_UNBOUND] = { 253, 16, 47 },
    [VERDICT_REFUSED] = { 224, 52, 41 },
};

/* ---- characters, counted ---- */
static const char *ascii_of(utf8proc_int32_t c)
{
    switch (c) {
    case 0x2192: return "->";       /* → */
    case 0x2026: return "~";        /* … */
    case 0x2212: return "-";        /* − */
    case 0xB7:   return ".";        /* · */
    case 0xD7:   return "x";        /* × */
    case 0x2588: return "#";        /* █ */
    case 0x2592: return "%";        /* ▒ */
    case 0x2591: return ".";        /* ░ */
    case 0x2500: return "-";        /* ─ */
    case 0x2502: return "|";        /* │ */
    case 0x2191: return "^";        /* ↑ */
    case 0xFF1A: return ":";
    default:     return c > 0x2502 && c < 0x2540 ? "+" : "?";       /* corners and crossings of boxes */
    }
}

/* Draws (out not NULL) or only measures; marks of bold become escapes. Stops before column `limit`. */
static int draw(const Layout *layout, Text *out, const char *utf8, int limit)
{
    int width = 0;
    bool color = layout->color != COLOR_NONE;
    for (const char *s = utf8; *s;) {
        if (*s == *BOLD_ON || *s == *BOLD_OFF) {
            if (out && color)
                text_put(out, *s == *BOLD_ON ? "\33[1m" : "\33[0m");
            s++;
            continue;
        }
        utf8proc_int32_t c;
        utf8proc_ssize_t step = utf8proc_iterate((const utf8proc_uint8_t *)s, -1, &c);
        if (step < 1) {
            step = 1;
            c = '?';
        }
        const char *plain = layout->ascii && c > 0x7E ? ascii_of(c) : NULL;
        int more = plain ? (int)strlen(plain) : utf8proc_charwidth(c);
        if (width + more > limit)
            break;
        width += more;
        if (out && plain)
            text_put(out, plain);
        else if (out)
            text_add(out, s, (size_t)step);
        s += step;
    }
    return width;
}

int line_width(const Layout *layout, const char *utf8)
{
    return draw(layout, NULL, utf8, 1 << 20);
}

void line_put(Line *line, Style style, const char *utf8)
{
    bool color = line->layout->color != COLOR_NONE && style != STYLE_PLAIN && *utf8;
    if (color)
        text_put(line->out, style == STYLE_BOLD ? "\33[1m" : "\33[2m");
    line->column += draw(line->layout, line->out, utf8, 1 << 20);
    if (color)
        text_put(line->out, "\33[0m");
}

void line_cut(Line *line, Style style, const char *utf8, int room)
{
    if (line_width(line->layout, utf8) <= room) {
        line_put(line, style, utf8);
        return;
    }
    bool color = line->layout->color != COLOR_NONE && style != STYLE_PLAIN;
    if (color)
        text_put(line->out, style == STYLE_BOLD ? "\33[1m" : "\33[2m");
    line->column += draw(line->layout, line->out, utf8, room - 1);
    line_put(line, STYLE_PLAIN, "\xe2\x80\xa6");
    if (line->layout->color != COLOR_NONE)
        text_put(line->out, "\33[0m");
}

void line_to(Line *line, int column, int gap)
{
    int blanks = column - line->column;
    blanks = blanks < gap ? gap : blanks;
    text_fill(line->out, ' ', (size_t)blanks);
    line->column += blanks;
}

void line_end(Line *line)
{
    while (line->out->n && line->out->s[line->out->n - 1] == ' ')
        line->out->n--;
    text_char(line->out, '\n');
    line->column = 0;
}

/* ---- parts ---- */
void line_chip(Line *line, const Spot *spot)
{
    Text serial = { 0 };
    text_print(&serial, "S%llu", (unsigned long long)spot->storage);
    const char *s = text_end(&serial);
    Color color = line->layout->color;
    bool filled = spot->kind != SPOT_LEFT && color != COLOR_NONE;
    if (s && filled) {
        if (spot->kind == SPOT_TEMPORARY && color == COLOR_256)
            text_put(line->out, "\33[48;5;252;38;5;16m");
        else if (color == COLOR_256)
            text_print(line->out, "\33[1;48;5;%d;38;5;%dm", chip_color[spot->color].deep,
                       chip_color[spot->color].on);
        else
            text_put(line->out, spot->kind == SPOT_TEMPORARY ? "\33[2m" : "\33[1m");
        text_print(line->out, " %s ", s);
        text_put(line->out, "\33[0m");
        line->column += (int)serial.n + 2;
    } else if (s) {
        line_put(line, STYLE_PLAIN, " ");
        if (color != COLOR_NONE)
            text_put(line->out, "\33[2;9m");
        line_put(line, STYLE_PLAIN, s);
        if (color != COLOR_NONE)
            text_put(line->out, "\33[0m");
        line_put(line, STYLE_PLAIN, " ");
    }
    text_free(&serial);
}

void line_paint(Line *line, int color, const char *utf8)
{
    bool painted = line->layout->color == COLOR_256 && color >= 0;
    if (painted)
        text_print(line->out, "\33[48;5;%d;38;5;%dm", chip_color[color].deep, chip_color[color].on);
    line->column += draw(line->layout, line->out, utf8, 1 << 20);
    if (painted)
        text_put(line->out, "\33[0m");
}

static void put_pill(Line *line, Language language, Verdict verdict)
{
    const char *name = word(language, (WordId)verdict);
    Color color = line->layout->color;
    bool pale = verdict == VERDICT_FREED || verdict == VERDICT_TEMPORARY;
    if (color == COLOR_NONE || pale) {
        line_to(line, AT_VERDICT, 1);
        line_put(line, STYLE_FAINT, name);
        return;
    }
    line_to(line, AT_VERDICT - 1, 0);
    if (color == COLOR_256)
        text_print(line->out, "\33[48;5;%d;38;5;%dm", pill_color[verdict].deep, pill_color[verdict].on);
    else
        text_print(line->out, "\33[30;%dm", pill_color[verdict].plain);
    text_print(line->out, " %s ", name);
    text_put(line->out, "\33[0m");
    line->column += line_width(line->layout, name) + 2;
}

static void put_address(Line *line, Style style, uint64_t data, int digits_shown)
{
    Text text = { 0 };
    text_print(
        &text, "\xe2\x80\xa6%0*llx", digits_shown,
        (unsigned long long)(digits_shown < 16 ? data & (((uint64_t)1 << (4 * digits_shown)) - 1) : data));
    const char *s = text_end(&text);
    if (s)
        line_put(line, style, s);
    text_free(&text);
}

static void put_object(Line *line, Language language, const Row *row)
{
    Text text = { 0 };
    if (row->old_object)
        text_print(&text, "#%llu \xe2\x86\x92 ", (unsigned long long)row->old_object);
    if (row->object)
        text_print(&text, "#%llu", (unsigned long long)row->object);
    if (row->gone)
        text_print(&text, " %s", word(language, WORD_GONE));
    const char *s = text_end(&text);
    if (s)
        line_put(line, STYLE_PLAIN, s);
    text_free(&text);
    if (row->stays) {
        line_put(line, STYLE_PLAIN, " ");
        line_put(line, STYLE_FAINT, word(language, WORD_STAYS));
    }
}

static void put_places(Line *line, Language language, const Row *row, int digits_shown)
{
    for (int c = 0; c < row->chips; c++)
        line_chip(line, &row->chip[c]);
    if (row->from.storage) {
        line_chip(line, &row->from);
        line_put(line, STYLE_PLAIN, " ");
        put_address(line, STYLE_FAINT, row->from.data, digits_shown);
        line_put(line, STYLE_PLAIN, line->layout->color == COLOR_NONE ? " \xe2\x86\x92" : " \xe2\x86\x92 ");
    }
    if (!row->to.storage)
        return;
    line_chip(line, &row->to);
    line_put(line, STYLE_PLAIN, " ");
    if (row->to.data)
        put_address(line, row->to.kind == SPOT_LEFT ? STYLE_FAINT : STYLE_PLAIN, row->to.data, digits_shown);
    if (row->spot_stays) {
        line_put(line, STYLE_PLAIN, " ");
        line_put(line, STYLE_FAINT, word(language, WORD_STAYS));
    }
}

/* ---- a row ---- */
/* Draws a second line's parts from the object column on, on as many lines as they need (one at `brief`). */
static void second_line(Text *out, const Layout *layout, Language language, const Row *row,
                        bool shown[ROW_NOTES], bool object_below, Level level)
{
    Text item[ROW_ITEMS];
    int items = row_items(row, level, language, item);
    Line line = { out, layout, 0 };
    bool any = false, full = false;
    if (object_below && (row->object || row->old_object)) {
        line_to(&line, AT_OBJECT, 0);
        put_object(&line, language, row);
        any = true;
    }
    bool after_note = false;
    for (int i = 0; i < row->notes + items && !full; i++) {
        bool is_note = i < row->notes;
        if (is_note && shown[i])
            continue;
        const char *s = is_note ? row->note[i].full : text_end(&item[i - row->notes]);
        if (!s || !*s)
            continue;
        int width = line_width(layout, s), gap = is_note && after_note ? 2 : 3;
        if (any && line.column + gap + width > layout->width) {
            if (level == LEVEL_BRIEF)
                break;
            if (is_note && after_note)
                line_put(&line, STYLE_PLAIN, ",");
            line_end(&line);
            any = false;
        }
        if (!any)
            line_to(&line, AT_OBJECT, 0);
        else
            line_put(&line, STYLE_PLAIN, gap == 2 ? ", " : "   ");
        line_cut(&line, is_note ? STYLE_PLAIN : STYLE_FAINT, s, layout->width - line.column);
        any = true;
        after_note = is_note;
    }
    if (any)
        line_end(&line);
    for (int i = 0; i < items; i++)
        text_free(&item[i]);
}

static void put_row(Text *out, const Layout *layout, Language language, const Row *row, Level level,
                    int digits_shown)
{
    Line line = { out, layout, 0 };
    Text name = { 0 }, bytes = { 0 };
    bool shown[ROW_NOTES] = { false };
    bool notes_below = layout->width < 80, object_below = layout->width < 60;
    text_cut_name(&name, row->name);
    row_bytes_text(row, &bytes);
    const char *n = text_end(&name), *b = text_end(&bytes);
    if (n && b) {
        line_put(&line, STYLE_BOLD, n);
        put_pill(&line, language, row->verdict);
        int places = object_below ? AT_OBJECT : AT_PLACES;
        if (!object_below && (row->object || row->old_object)) {
            line_to(&line, AT_OBJECT, 1);
            put_object(&line, language, row);
        }
        if (row->to.storage || row->chips) {
            line_to(&line, places, 0);
            put_places(&line, language, row, digits_shown);
        }
        int bytes_width = line_width(layout, b), right = layout->width - BYTES_WIDTH,
            first = row->in_words != NULL;
        if (row->in_words) {
            line_to(&line, object_below ? AT_OBJECT : notes_below ? AT_PLACES : AT_NOTES, 1);
            line_put(&line, STYLE_PLAIN, row->in_words);
        }
        for (int i = 0; i < row->notes && !notes_below; i++) {
            int gap = line.column < AT_NOTES ? AT_NOTES - line.column : first ? 2 : 1;
            int limit = first ? right : layout->width - bytes_width - 1;
            const char *s = row->note[i].full;
            if (line.column + gap + line_width(layout, s) > limit)
                s = row->note[i].brief;
            if (s && line.column + gap + line_width(layout, s) > limit)
                s = NULL;
            bool is_source = row->verdict == VERDICT_TEMPORARY && !i && (row->to.storage || row->notes > 1);
            if (!s && is_source && !first && limit - line.column - gap > 8) {
                line_to(&line, AT_NOTES, 1);            /* source text is cut at the edge */
                line_cut(&line, STYLE_PLAIN, row->note[i].full, limit - line.column);
                shown[i] = true;
                first++;
                continue;
            }
            if (!s)
                continue;
            if (first++)
                line_put(&line, STYLE_PLAIN, ", ");
            else
                line_to(&line, AT_NOTES, 1);
            line_put(&line, STYLE_PLAIN, s);
            shown[i] = true;
        }
        line_to(&line, layout->width - bytes_width, 1);
        line_put(&line, STYLE_PLAIN, b);
        line_end(&line);
        second_line(out, layout, language, row, shown, object_below, level);
    }
    text_free(&name);
    text_free(&bytes);
}

static void put_foot(Text *out, const Layout *layout, Language language, const Foot *foot, bool several)
{
    Line line = { out, layout, 0 };
    Digits number;
    Text left = { 0 }, change = { 0 };
    text_print(&left, "%s %s   ", word(language, WORD_LIVE), digits_bytes(&number, foot->live));
    text_print(&left, "%s %s", word(language, WORD_PEAK), digits_bytes(&number, foot->peak));
    if (several && foot->peak_line)
        say(&left, language, WORD_IN_LINE, digits(&number, foot->peak_line));
    text_print(&left, "   %s %s", word(language, WORD_CACHE), digits_bytes(&number, foot->cached));
    text_signed_bytes(&change, foot->change);
    const char *s = text_end(&left), *c = text_end(&change);
    if (s && c) {
        line_put(&line, STYLE_PLAIN, s);
        line_to(&line, layout->width - line_width(layout, c), 1);
        line_put(&line, STYLE_PLAIN, c);
        line_end(&line);
    }
    text_free(&left);
    text_free(&change);
}

static void put_source(Text *out, const Layout *layout, Language language, const Rows *rows, int at)
{
    size_t n;
    const char *source = rows_source_line(rows, at, &n);
    if (!source)
        return;
    Text text = { 0 };
    text_print(&text, "%2d  ", at);
    text_add(&text, source, n);
    if (rows->turns && at == rows->line) {
        Digits turns;
        text_put(&text, "        ");
        say(&text, language, WORD_TURNS, digits(&turns, (int64_t)rows->turns));
    }
    const char *s = text_end(&text);
    Line line = { out, layout, 0 };
    if (s) {
        line_cut(&line, STYLE_FAINT, s, layout->width);
        line_end(&line);
    }
    text_free(&text);
}

static void put_all(const Show *show, const Layout *layout, Level level, bool sources, Text *text)
{
    int digits_shown = rows_address_digits(show->rows, show->count);
    size_t shown = 0, limit = level == LEVEL_FULL ? SIZE_MAX : ROWS_LIMIT;
    for (size_t i = 0; i < show->count; i++) {
        const Rows *rows = show->rows[i];
        if (shown >= limit)
            break;
        int at = rows->line;
        if (sources && rows->rows)
            put_source(text, layout, show->language, rows, at);
        for (size_t j = 0; j < rows->rows && shown < limit; j++, shown++) {
            const Row *row = &rows->row[j];
            if (sources && rows->is_compound && row->line && row->line != at)
                put_source(text, layout, show->language, rows, at = row->line);
            put_row(text, layout, show->language, row, level, digits_shown);
        }
        if (rows->totals) {
            Line line = { text, layout, 0 };
            line_put(&line, STYLE_PLAIN, rows->totals);
            line_end(&line);
        }
    }
    Line line = { text, layout, 0 };
    Text rest = { 0 };
    if (rows_rest(show->rows, show->count, shown, show->language, &rest) && text_end(&rest)) {
        line_put(&line, STYLE_PLAIN, rest.s);
        line_end(&line);
    }
    text_free(&rest);
}

void show_text(Show *show, const Layout *layout, Text *text)
{
    if (show->level == LEVEL_OFF || !show->count)
        return;
    Rows *last = show->rows[show->count - 1];
    if (!last->rows)
        return;
    Show one = *show;
    one.rows = &last;
    one.count = 1;
    put_all(&one, layout, show->level, false, text);
    if (show->level == LEVEL_FULL) {
        Foot foot = rows_foot(&last, 1);
        put_foot(text, layout, show->language, &foot, false);
    }
}

void show_cell_text(Show *show, Text *text)
{
    if (show_cell_empty(show))
        return;
    const Layout layout = { .width = 80 };
    bool several = show->cell_statements > 1;
    put_all(show, &layout, show->level, several || show->rows[0]->is_compound, text);
    Foot foot = rows_foot(show->rows, show->count);
    put_foot(text, &layout, show->language, &foot, several);
}
