/* html.c - the same rows as the card under a notebook's cell: a table that reads well without its styles. */
#include "show/rows.h"
#include <string.h>

#define FACE   "font-family:Menlo,Consolas,DejaVu Sans Mono,monospace"
#define MONO   FACE ";font-size:12px"
#define CELL   "border:0;padding:2px 7px 2px 0;line-height:1.5;text-align:left;vertical-align:top"
#define SMALL  CELL ";padding-top:0;font-size:11px"
#define MUTED  "opacity:.7"             /* never inside of another one: at half the ink text is hard to read */
#define RIGHT  ";text-align:right;white-space:nowrap;padding-right:0"
#define TABLE                                                                                                  \
    "<table style=\"border-collapse:separate;border-spacing:0;padding-left:8px;border-left:3px solid "         \
    "#999;margin:4px 0;"                                                                                       \
    "font-size:13px;line-height:1.5;max-width:640px;table-layout:auto\">\n<tbody>\n"
#define ROW    "<tr style=\"background:transparent\">"

static const struct { const char *ground, *text; } chip_color[PALETTE_COLORS] = {
    { "#0072B2", "#fff" }, { "#E69F00", "#000" }, { "#009E73", "#000" }, { "#CC79A7", "#000" },
    { "#56B4E9", "#000" }, { "#D55E00", "#000" }, { "#F0E442", "#000" },
};
static const struct { const char *ground, *text; bool dashed; } pill_color[VERDICTS] = {
    [VERDICT_NEW] = { "#CFEFD8", "#063", false },   [VERDICT_IN_PLACE] = { "#FFE08A", "#420", false },
    [VERDICT_VIEW] = { "#D3E9FA", "#034", false },  [VERDICT_ALIAS] = { "#D3E9FA", "#034", false },
    [VERDICT_SAME] = { "#E4E4E4", "#222", false },  [VERDICT_UNBOUND] = { "#E4E4E4", "#222", false },
    [VERDICT_FREED] = { "#fff", "#444", true },     [VERDICT_TEMPORARY] = { "#fff", "#444", true },
    [VERDICT_REFUSED] = { "#FFD3C9", "#500", false },
};

const char *storage_ground(int color) { return color < 0 ? "#ddd" : chip_color[color].ground; }
const char *storage_ink(int color) { return color < 0 ? "#000" : chip_color[color].text; }

void html_text(Text *html, const char *utf8, size_t n)
{
    for (size_t i = 0; i < n; i++)
        switch (utf8[i]) {
        case '<': text_put(html, "&lt;"); break;
        case '>': text_put(html, "&gt;"); break;
        case '&': text_put(html, "&amp;"); break;
        case '"': text_put(html, "&quot;"); break;
        case '\1': text_put(html, "<b>"); break;
        case '\2': text_put(html, "</b>"); break;
        default: text_char(html, utf8[i]);
        }
}

static void html_put(Text *html, const char *utf8)
{
    html_text(html, utf8, strlen(utf8));
}

void html_chip(Text *html, const Spot *spot)
{
    Text title = { 0 };
    Digits bytes, block;
    text_print(&title, "S%llu: %s in a ", (unsigned long long)spot->storage, digits_bytes(&bytes, spot->bytes));
    text_print(&title, "%s block on ", digits_bytes(&block, spot->reserved));
    device_print(spot->device, &title);
    text_put(html, "<span title=\"");
    html_text(html, title.s, title.failed ? 0 : title.n);
    text_free(&title);
    if (spot->kind == SPOT_LEFT)
        text_print(html,
                   "\" style=\"background:#fff;color:#555;border:2px dashed %s;border-radius:4px;padding:0 4px;"
                   "text-decoration:line-through\">",
                   chip_color[spot->color].ground);
    else if (spot->kind == SPOT_TEMPORARY)
        text_put(
            html,
            "\" style=\"background:#DDDDDD;color:#000;border:1px dashed #555;border-radius:4px;padding:1px 5px;"
            "font-weight:bold\">");
    else
        text_print(html,
                   "\" style=\"background:%s;color:%s;border:1px solid #777;border-radius:4px;padding:1px 5px;"
                   "font-weight:bold\">",
                   chip_color[spot->color].ground, chip_color[spot->color].text);
    text_print(html, "S%llu</span>", (unsigned long long)spot->storage);
}

static void put_spot(Text *html, const Spot *spot, int digits_shown)
{
    text_put(html, digits_shown > 6 ? "<span>" : "<span style=\"white-space:nowrap\">");      /* long ones may go below */
    html_chip(html, spot);
    if (spot->data)
        text_print(html, " <span title=\"0x%llx\"%s>\xe2\x80\xa6%0*llx</span>", (unsigned long long)spot->data,
                   spot->kind == SPOT_LEFT ? " style=\"opacity:.7\"" : "", digits_shown, (unsigned long long)
                   (digits_shown < 16 ? spot->data & (((uint64_t)1 << (4 * digits_shown)) - 1) : spot->data));
    text_put(html, "</span>");
}

static void put_object(Text *html, uint64_t object, uint64_t id)
{
    if (id)
        text_print(html, "<span title=\"id %llu\">#%llu</span>", (unsigned long long)id,
                   (unsigned long long)object);
    else
        text_print(html, "#%llu", (unsigned long long)object);
}

static void put_places(Text *html, Language language, const Row *row, int digits_shown)
{
    if (row->in_words)
        html_put(html, row->in_words);
    for (int c = 0; c < row->chips; c++) {
        put_spot(html, &row->chip[c], digits_shown);
        text_char(html, ' ');
    }
    if (row->from.storage) {
        put_spot(html, &row->from, digits_shown);
        text_put(html, " \xe2\x86\x92 ");
    }
    if (row->to.storage) {
        put_spot(html, &row->to, digits_shown);
        if (row->spot_stays)
            text_print(html, " <span style=\"" MUTED "\">%s</span>", word(language, WORD_STAYS));
    }
}

static void put_name(Text *html, const char *whole)
{
    Text name = { 0 };
    text_cut_name(&name, whole);
    text_put(html, "<td style=\"" CELL "\"><b><span style=\"" MONO "\"");
    if (strcmp(whole, text_end(&name) ? name.s : "") != 0) {
        text_put(html, " title=\"");
        html_put(html, whole);
        text_char(html, '"');
    }
    text_char(html, '>');
    html_text(html, name.s, name.failed ? 0 : name.n);
    text_put(html, "</span></b></td>");
    text_free(&name);
}

static void put_verdict(Text *html, Language language, Verdict verdict)
{
    text_print(html,
               "<td style=\"" CELL "\"><span style=\"background:%s;color:%s;border:1px %s #777;border-radius:9px;"
               "padding:1px 7px;font-size:12px;white-space:nowrap\">%s</span></td>",
               pill_color[verdict].ground, pill_color[verdict].text, pill_color[verdict].dashed ? "dashed" : "solid",
               word(language, (WordId)verdict));
}

static void put_bytes(Text *html, const Row *row)
{
    text_put(html, "<td style=\"" CELL RIGHT "\"><span style=\"" MONO "\">");
    if (row->both) {
        text_signed_bytes(html, row->plus);
        text_put(html, "<br>");
        text_signed_bytes(html, -row->minus);
    } else
        text_signed_bytes(html, row_bytes(row));
    text_put(html, "</span></td>");
}

/* What came and went has no object and no numbers: its note stands beside its place. */
static bool has_note_beside(const Row *row)
{
    return row->notes && (row->verdict == VERDICT_TEMPORARY || row->verdict == VERDICT_FREED) && row->to.storage;
}

static void put_first_line(Text *html, Language language, const Row *row, int digits_shown)
{
    text_put(html, ROW);
    put_name(html, row->name);
    put_verdict(html, language, row->verdict);
    text_put(html, "<td style=\"" CELL ";white-space:nowrap\"><span style=\"" MONO "\">");
    if (row->old_object) {
        put_object(html, row->old_object, row->old_id);
        text_put(html, " \xe2\x86\x92 ");
    }
    if (row->object)
        put_object(html, row->object, row->id);
    if (row->stays || row->gone)
        text_print(html, " <span style=\"" MUTED "\">%s</span>",
                   word(language, row->stays ? WORD_STAYS : WORD_GONE));
    text_put(html, "</span></td><td style=\"" CELL "\"><span style=\"" MONO "\">");
    put_places(html, language, row, digits_shown);
    if (has_note_beside(row)) {
        text_char(html, ' ');
        html_put(html, row->note[0].full);
    }
    text_put(html, "</span></td>");
    put_bytes(html, row);
    text_put(html, "</tr>\n");
}

/* Notes, then what level full adds, muted. */
static void put_notes(Text *html, const Row *row, Text *item, int items)
{
    int first = has_note_beside(row);
    if (row->notes <= first && items <= 0)
        return;
    text_put(html, ROW "<td style=\"" CELL ";padding-top:0\"></td><td colspan=\"4\" style=\"" CELL
             ";padding-top:0;font-size:12px\">");
    for (int i = first; i < row->notes + items; i++) {
        if (i > first)
            text_put(html, " \xc2\xb7 ");
        if (i < row->notes)
            html_put(html, row->note[i].full);
        else if (text_end(&item[i - row->notes])) {
            text_put(html, "<span style=\"" MUTED "\">");
            html_put(html, item[i - row->notes].s);
            text_put(html, "</span>");
        }
    }
    text_put(html, "</td></tr>\n");
}

/* A number and the one that it became; a narrow window breaks the line after the arrow and nowhere else. */
static void put_number(Text *html, Text *item)
{
    static const char arrow[] = " \xe2\x86\x92 ";
    const char *s = text_end(item), *at = s ? strstr(s, arrow) : NULL;
    size_t n = s ? strlen(s) : 0, split = at ? (size_t)(at - s) + sizeof arrow - 2 : n;
    text_put(html, "<span style=\"" FACE ";" MUTED "\"><span style=\"white-space:nowrap\">");
    html_text(html, s, split);
    text_put(html, "</span>");
    if (split < n) {
        text_put(html, " <span style=\"white-space:nowrap\">");
        html_text(html, s + split + 1, n - split - 1);
        text_put(html, "</span>");
    }
    text_put(html, "</span>");
}

/* The whole id and the whole data address, each below the other of the row above: columns of numbers are easy to compare. */
static void put_numbers(Text *html, Text *id, Text *data)
{
    text_put(html, ROW "<td style=\"" SMALL "\"></td><td colspan=\"2\" style=\"" SMALL "\">");
    put_number(html, id);
    text_put(html, "</td><td colspan=\"2\" style=\"" SMALL ";padding-right:0\">");
    if (data)
        put_number(html, data);
    text_put(html, "</td></tr>\n");
}

static void put_row(Text *html, Language language, const Row *row, Level level, int digits_shown)
{
    Text item[ROW_ITEMS];
    int items = row_items(row, level, language, item), numbers = items ? row->data ? 2 : 1 : 0;
    put_first_line(html, language, row, digits_shown);
    put_notes(html, row, item + numbers, items - numbers);
    if (numbers)
        put_numbers(html, &item[0], numbers == 2 ? &item[1] : NULL);
    for (int i = 0; i < items; i++)
        text_free(&item[i]);
}

/* A line of source: cut where the card ends, whole in its title. */
static void put_source(Text *html, Language language, const Rows *rows, int at)
{
    enum { COLUMNS = 78 };
    size_t n, indent = 0;
    const char *source = rows_source_line(rows, at, &n);
    if (!source)
        return;
    size_t shown = text_fit(source, n, COLUMNS);
    text_print(html,
               ROW "<td colspan=\"5\" style=\"" CELL ";padding-top:5px\"><span style=\"" MONO "\">"
                   "<span style=\"" MUTED "\">%d</span>&nbsp; ",
               at);
    for (; indent < shown && source[indent] == ' '; indent++)
        text_put(html, "&nbsp;");
    text_put(html, "<span style=\"opacity:.85;white-space:pre-wrap\"");
    if (shown < n) {
        text_put(html, " title=\"");
        html_text(html, source, n);
        text_char(html, '"');
    }
    text_char(html, '>');
    html_text(html, source + indent, shown - indent);
    text_put(html, shown < n ? "\xe2\x80\xa6</span>" : "</span>");
    if (rows->turns && at == rows->line) {
        Digits turns;
        text_put(html, " &nbsp; <b>");
        say(html, language, WORD_TURNS, digits(&turns, (int64_t)rows->turns));
        text_put(html, "</b>");
    }
    text_put(html, "</span></td></tr>\n");
}

static void put_heads(Text *html, Language language)
{
    static const struct { WordId id; int width; } head[] = {
        { WORD_COL_NAME, 40 },    { WORD_COL_WHAT, 92 },  { WORD_COL_OBJECT, 146 },
        { WORD_COL_PLACES, 210 }, { WORD_COL_BYTES, 90 },
    };
    text_put(html, ROW);
    for (int i = 0; i < 5; i++)
        text_print(html,
                   "<th style=\"" CELL
                   ";width:%dpx;font-weight:normal;font-size:11px;opacity:.7;padding-bottom:0%s\">%s</th>",
                   head[i].width, i == 4 ? RIGHT : "", word(language, head[i].id));
    text_put(html, "</tr>\n");
}

static void put_wide(Text *html, const char *utf8)
{
    text_put(html, ROW "<td colspan=\"5\" style=\"" CELL ";padding-top:5px;font-size:12px\">");
    html_put(html, utf8);
    text_put(html, "</td></tr>\n");
}

static void put_foot(Text *html, Language language, const Foot *foot, bool several)
{
    Digits number;
    text_print(html,
               ROW "<td colspan=\"4\" style=\"" CELL
                   ";border-top:1px solid #999;padding-top:4px;font-size:12px\"><b>%s %s</b> \xc2\xb7 ",
               word(language, WORD_LIVE), digits_bytes(&number, foot->live));
    text_print(html, "%s %s", word(language, WORD_PEAK), digits_bytes(&number, foot->peak));
    if (several && foot->peak_line)
        say(html, language, WORD_IN_LINE, digits(&number, foot->peak_line));
    text_print(html, " \xc2\xb7 %s %s</td>", word(language, WORD_CACHE), digits_bytes(&number, foot->cached));
    text_put(html, "<td style=\"" CELL ";border-top:1px solid #999;padding-top:4px" RIGHT "\"><b><span style=\"" MONO "\">");
    text_signed_bytes(html, foot->change);
    text_put(html, "</span></b></td></tr>\n");
}

void show_cell_html(Show *show, Text *html)
{
    if (show_cell_empty(show))
        return;
    int digits_shown = rows_address_digits(show->rows, show->count);
    bool several = show->cell_statements > 1, sources = several || show->rows[0]->is_compound;
    size_t shown = 0, limit = show->level == LEVEL_FULL ? SIZE_MAX : ROWS_LIMIT;
    text_put(html, TABLE);
    put_heads(html, show->language);
    for (size_t i = 0; i < show->count && shown < limit; i++) {
        const Rows *rows = show->rows[i];
        int at = rows->line;
        if (sources && rows->rows)
            put_source(html, show->language, rows, at);
        for (size_t j = 0; j < rows->rows && shown < limit; j++, shown++) {
            const Row *row = &rows->row[j];
            if (sources && rows->is_compound && row->line && row->line != at)
                put_source(html, show->language, rows, at = row->line);
            put_row(html, show->language, row, show->level, digits_shown);
        }
        if (rows->totals)
            put_wide(html, rows->totals);
    }
    Text rest = { 0 };
    if (rows_rest(show->rows, show->count, shown, show->language, &rest) && text_end(&rest))
        put_wide(html, rest.s);
    text_free(&rest);
    Foot foot = rows_foot(show->rows, show->count);
    put_foot(html, show->language, &foot, several);
    text_put(html, "</tbody>\n</table>\n");
}
