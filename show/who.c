/* who.c - %who: every name with the whole numbers, as lines or as a table. */
#include "show/rows.h"
#include <string.h>

typedef struct Who {                    /* a line: all names of one object, or one name of a plain value */
    Text names, facts, brief;           /* brief: without strides */
    const Fact *fact;
    Spot spot;
    bool shared;                        /* an earlier line has the storage's bytes */
} Who;

/* Names first, then what else keeps objects. */
static const NamedFact *named(const Snapshot *snapshot, size_t at)
{
    return at < snapshot->names ? &snapshot->name[at] : &snapshot->hidden[at - snapshot->names];
}

enum { GROUP_NONE, GROUP_TENSORS, GROUP_VALUES, GROUP_KEPT, GROUPS };

/* Which lines it stands among: tensors, then what holds them and plain values, then tensors that only `_` or Out keep. */
static int group_of(const Snapshot *snapshot, size_t at)
{
    const Fact *fact = &named(snapshot, at)->fact;
    if (fact->kind == FACT_HIDDEN)
        return GROUP_NONE;
    if (at >= snapshot->names && fact->kind != FACT_TENSOR)
        return GROUP_NONE;
    if (named(snapshot, at)->name[0] == '_' && !fact->holds_tensor)
        return GROUP_NONE;                              /* as in IPython; but what keeps bytes is shown */
    for (size_t i = 0; fact->object && i < at; i++)
        if (named(snapshot, i)->fact.object == fact->object)
            return GROUP_NONE;                          /* stands beside the first name */
    return at >= snapshot->names ? GROUP_KEPT : fact->kind == FACT_TENSOR ? GROUP_TENSORS : GROUP_VALUES;
}

static void who_names(Who *who, const Snapshot *snapshot, size_t at, Language language)
{
    size_t count = 0, end = at < snapshot->names ? snapshot->names : snapshot->names + snapshot->hidden_names;
    text_put(&who->names, BOLD_ON);
    for (size_t i = at; i < end; i++) {
        if (i != at && !(who->fact->object && named(snapshot, i)->fact.object == who->fact->object))
            continue;
        if (count && count < 4)
            text_put(&who->names, ", ");
        if (count++ < 4)
            text_cut_name(&who->names, named(snapshot, i)->name);
    }
    text_put(&who->names, BOLD_OFF);
    Digits more;
    if (count > 4)
        say(&who->names, language, WORD_AND_MORE, digits(&more, (int64_t)count - 4));
}

static void who_facts(Who *who, Language language)
{
    const Fact *fact = who->fact;
    const TensorFact *t = fact->tensor;
    if (fact->kind == FACT_TENSOR && t) {
        Text stride = { 0 };
        text_strides(&stride, fact->type, t->dtype, t->ndim, t->stride);
        text_print(&who->facts, "%s%s ", is_ndarray(fact->type) ? "ndarray " : "", dtype_name(t->dtype));
        text_dims(&who->facts, t->ndim, t->shape);
        text_add(&who->brief, who->facts.s, who->facts.n);
        text_char(&who->facts, ' ');
        const char *s = text_end(&stride);
        say(&who->facts, language, WORD_STRIDE, s ? s : "");
        text_free(&stride);
        if (t->requires_grad) {
            text_put(&who->facts, " requires_grad");
            text_put(&who->brief, " requires_grad");
        }
        return;
    }
    text_put(&who->facts, fact->type ? fact->type : "");
    Digits items;
    if (fact->kind == FACT_LIST || fact->kind == FACT_TUPLE || fact->kind == FACT_DICT) {
        text_put(&who->facts, ", ");
        size_t count = fact->length > fact->items ? fact->length : fact->items;
        if (count == 1)
            text_put(&who->facts, word(language, WORD_ITEM));
        else
            say(&who->facts, language, WORD_ITEMS, digits(&items, (int64_t)count));
    } else if (fact->kind == FACT_INT || fact->kind == FACT_STR) {
        text_char(&who->facts, ' ');
        size_t n = fact->text ? fact->kind == FACT_STR ? fact->text_size : strlen(fact->text) : 0,
               cut = n > 30 ? 30 : n;
        while (cut && cut < n && ((unsigned char)fact->text[cut] & 0xC0) == 0x80)
            cut--;
        if (fact->kind == FACT_STR)
            text_char(&who->facts, '\'');
        if (cut)
            text_flat(&who->facts, fact->text, cut);
        if (cut < n)
            text_put(&who->facts, "\xe2\x80\xa6");
        if (fact->kind == FACT_STR)
            text_char(&who->facts, '\'');
    } else if (fact->kind == FACT_BOOL)
        text_put(&who->facts, fact->b ? " True" : " False");
    else if (fact->kind == FACT_FLOAT) {
        text_char(&who->facts, ' ');
        number_print((Number){ .kind = DKIND_FLOAT, .f = fact->f }, &who->facts);
    }
    text_add(&who->brief, who->facts.s, who->facts.n);
}

static void who_spots(const Show *show, Who *who, size_t at)
{
    const TensorFact *t = who[at].fact->tensor;
    if (who[at].fact->kind != FACT_TENSOR || !t)
        return;
    int color = palette_color(&show->palette, t->storage);
    who[at].spot = (Spot){ .storage = t->storage,
                           .data = t->data,
                           .color = color < 0 ? 0 : color,
                           .bytes = t->bytes,
                           .reserved = t->reserved,
                           .device = t->device };
    for (size_t i = 0; i < at; i++)
        who[at].shared |= who[i].spot.storage == t->storage;
}

static void put_line(const Show *show, const Layout *layout, const Who *who, int names_width, int object_width,
                     int id_width, int chip_width, Text *text)
{
    Line line = { text, layout, 0 };
    Text part = { 0 };
    Digits number;
    line_put(&line, STYLE_PLAIN, who->names.s);
    line_to(&line, names_width + 2, 1);
    if (who->fact->object) {
        text_print(&part, "#%llu", (unsigned long long)who->fact->object);
        line_put(&line, STYLE_PLAIN, text_end(&part) ? part.s : "");
        text_free(&part);
    }
    line_to(&line, names_width + 2 + object_width, 2);
    text_print(&part, "id %llu", (unsigned long long)who->fact->id);
    line_put(&line, STYLE_PLAIN, text_end(&part) ? part.s : "");
    text_free(&part);
    int at = names_width + 2 + (object_width > 2 ? object_width : 2) + id_width;
    if (who->spot.storage) {
        line_to(&line, at + 2, 1);
        line_chip(&line, &who->spot);
        line_to(&line, at + 3 + chip_width, 1);
        text_print(&part, "0x%llx", (unsigned long long)who->spot.data);
        line_put(&line, STYLE_PLAIN, text_end(&part) ? part.s : "");
        text_free(&part);
    }
    const char *bytes = !who->spot.storage ? "" : who->shared ? word(show->language, WORD_SHARED)
                                                              : digits_bytes(&number, who->spot.bytes);
    int room = layout->width - line.column - 3 - (*bytes ? line_width(layout, bytes) + 1 : 0);
    const char *facts = line_width(layout, who->facts.s) <= room ? who->facts.s
                        : line_width(layout, who->brief.s) <= room ? who->brief.s : NULL;
    if (facts) {
        line_put(&line, STYLE_PLAIN, "   ");
        line_put(&line, STYLE_PLAIN, facts);
    }
    if (*bytes) {
        line_to(&line, layout->width - line_width(layout, bytes), 1);
        line_put(&line, STYLE_PLAIN, bytes);
    }
    line_end(&line);
    if (!facts) {
        line_to(&line, names_width + 2, 0);
        line_put(&line, STYLE_PLAIN, who->facts.s);
        line_end(&line);
    }
}

#define MONO "font-family:Menlo,Consolas,DejaVu Sans Mono,monospace;font-size:12px"
#define CELL "border:0;padding:2px 16px 2px 0;line-height:1.5;text-align:left;vertical-align:top;white-space:nowrap"
#define LAST ";text-align:right;padding-right:0"

static void put_table(const Show *show, const Who *who, size_t count, int64_t live, Text *html)
{
    static const WordId head[] = { WORD_COL_NAME,   WORD_COL_OBJECT, WORD_ID,
                                   WORD_COL_PLACES, WORD_COL_TYPE,   WORD_COL_BYTES };
    Digits number;
    text_put(
        html,
        "<table style=\"border-collapse:separate;border-spacing:0;padding-left:8px;border-left:3px solid #999;"
        "margin:4px 0;font-size:13px;line-height:1.5;table-layout:auto\">\n<tbody>\n<tr "
        "style=\"background:transparent\">");
    for (int i = 0; i < 6; i++) {
        text_print(html, "<th style=\"" CELL ";font-weight:normal;font-size:11px;opacity:.7%s\">", i == 5 ? LAST : "");
        text_put(html, head[i] == WORD_ID ? "id" : word(show->language, head[i]));
        text_put(html, "</th>");
    }
    text_put(html, "</tr>\n");
    for (size_t i = 0; i < count; i++) {
        text_put(html, "<tr style=\"background:transparent\"><td style=\"" CELL ";" MONO "\">");
        html_text(html, who[i].names.s, who[i].names.n);
        text_put(html, "</td><td style=\"" CELL ";" MONO "\">");
        if (who[i].fact->object)
            text_print(html, "#%llu", (unsigned long long)who[i].fact->object);
        text_print(html, "</td><td style=\"" CELL ";" MONO "\">%llu</td><td style=\"" CELL ";" MONO "\">",
                   (unsigned long long)who[i].fact->id);
        if (who[i].spot.storage) {
            html_chip(html, &who[i].spot);
            text_print(html, " 0x%llx", (unsigned long long)who[i].spot.data);
        }
        text_put(html, "</td><td style=\"" CELL ";font-size:12px\">");
        html_text(html, who[i].facts.s, who[i].facts.n);
        text_put(html, "</td><td style=\"" CELL LAST ";" MONO "\">");
        if (who[i].spot.storage)
            text_put(html, who[i].shared ? word(show->language, WORD_SHARED)
                                         : digits_bytes(&number, who[i].spot.bytes));
        text_put(html, "</td></tr>\n");
    }
    text_print(html,
               "<tr style=\"background:transparent\"><td colspan=\"5\" style=\"" CELL
               ";border-top:1px solid #999;padding-top:4px;font-size:12px\">"
               "<b>%s</b></td><td style=\"" CELL ";border-top:1px solid #999;padding-top:4px" LAST ";" MONO
               "\"><b>%s</b></td></tr>\n"
               "</tbody>\n</table>\n",
               word(show->language, WORD_LIVE), digits_bytes(&number, live));
}

bool show_who(Show *show, const Layout *layout, Text *text, Text *html, Err *err)
{
    Snapshot *snapshot = session_snapshot(show->session, 1, 1);
    Who *who = snapshot ? mem_new(show->heap, (snapshot->names + snapshot->hidden_names + 1) * sizeof *who) : NULL;
    if (!who) {
        snapshot_free(snapshot);
        return err_memory(err, 0);
    }
    size_t count = 0;
    int names = 4, object = 5, id = 0, chip = 4;
    bool good = true;
    for (int group = GROUP_TENSORS; group < GROUPS; group++)
        for (size_t i = 0; i < snapshot->names + snapshot->hidden_names; i++) {
            if (group_of(snapshot, i) != group)
                continue;
            Who *one = &who[count];
            *one = (Who){ .fact = &named(snapshot, i)->fact };
            who_names(one, snapshot, i, show->language);
            who_facts(one, show->language);
            who_spots(show, who, count++);
            Text part = { 0 };
            good = good && text_end(&one->names) && text_end(&one->facts) && text_end(&one->brief);
            int width = good ? line_width(layout, one->names.s) : 0;
            names = width > names ? width : names;
            text_print(&part, "#%llu", (unsigned long long)one->fact->object);
            object = (int)part.n + 2 > object ? (int)part.n + 2 : object;
            text_free(&part);
            text_print(&part, "id %llu", (unsigned long long)one->fact->id);
            id = (int)part.n > id ? (int)part.n : id;
            text_free(&part);
            text_print(&part, " S%llu ", (unsigned long long)one->spot.storage);
            chip = (int)part.n > chip ? (int)part.n : chip;
            text_free(&part);
        }
    HeapTotals totals = session_totals(show->session);
    for (size_t i = 0; good && i < count; i++)
        put_line(show, layout, &who[i], names, object, id, chip, text);
    if (good && !count) {
        text_put(text, word(show->language, WORD_NO_NAMES));
        text_char(text, '\n');
    }
    if (good) {
        Line line = { text, layout, 0 };
        Digits live;
        line_put(&line, STYLE_PLAIN, word(show->language, WORD_LIVE));
        line_to(&line, layout->width - line_width(layout, digits_bytes(&live, totals.live)), 1);
        line_put(&line, STYLE_PLAIN, live.s);
        line_end(&line);
        if (html)
            put_table(show, who, count, totals.live, html);
    }
    for (size_t i = 0; i < count; i++) {
        text_free(&who[i].names);
        text_free(&who[i].facts);
        text_free(&who[i].brief);
    }
    mem_free(show->heap, who);
    snapshot_free(snapshot);
    return good || err_memory(err, 0);
}
