/* map_cells.c - a small storage as cells: its values once, then a lane for each tensor with its indices where it has elements. */
#include "show/map.h"
#include <stdio.h>
#include <string.h>

enum { LANES = 6, LABEL = 10, CELL_TEXT = 24, CELL_LEAST = 4, CELL_MOST = 9, ROW_CELLS = 12 };

typedef struct Lane {
    const SceneTensor *of;
    char index[CELLS_MOST][CELL_TEXT];  /* of each cell; "": it has no element there */
} Lane;

typedef struct Cells {
    const SceneStorage *storage;
    DType   dtype;
    int64_t n, size;                    /* elements; bytes of one */
    char    value[CELLS_MOST][CELL_TEXT];
    Lane    lane[LANES];
    size_t  lanes;
    bool    drawn[256];                 /* of storage->tensor: has it a lane? */
    int     width, per_row;             /* columns of a cell without its border; cells in a row */
    int     color;
} Cells;

bool map_has_cells(const SceneStorage *storage)
{
    if (!storage->values || !storage->tensors)
        return false;
    int64_t size = (int64_t)dtype_size(storage->tensor[0].tensor->dtype);
    return size && storage->block->bytes / size <= CELLS_MOST && storage->block->bytes >= size;
}

static void print_value(char to[CELL_TEXT], DType dtype, const void *address)
{
    Number v = number_load(dtype, address);
    if (v.kind == DKIND_BOOL)
        snprintf(to, CELL_TEXT, "%s", v.b ? "True" : "False");
    else if (v.kind == DKIND_INT)
        snprintf(to, CELL_TEXT, "%lld", (long long)v.i);
    else {
        snprintf(to, CELL_TEXT - 1, "%.4g", v.f);
        if (!strpbrk(to, ".en"))
            strcat(to, ".");                            /* as PyTorch prints a whole float */
    }
}

/* The indices of a tensor's elements, each at the cell where it lies; a dimension of stride 0 is ":". */
static void fill_lane(Lane *lane, int64_t cells)
{
    const PastTensor *t = lane->of->tensor;
    const int64_t *shape = t->dims, *stride = t->dims + t->ndim;
    int64_t index[64] = { 0 };
    memset(lane->index, 0, sizeof lane->index);
    for (int d = 0; d < t->ndim; d++)
        if (!shape[d])
            return;
    for (;;) {
        int64_t at = t->offset;
        int n = 0;
        char text[CELL_TEXT * 2] = "";
        for (int d = 0; d < t->ndim; d++) {
            at += index[d] * stride[d];
            bool tied = shape[d] > 1 && !stride[d];
            int room = (int)sizeof text - n;
            n += tied ? snprintf(text + n, (size_t)room, "%s:", d ? "," : "")
                      : snprintf(text + n, (size_t)room, "%s%lld", d ? "," : "", (long long)index[d]);
            n = n < (int)sizeof text ? n : (int)sizeof text - 1;
        }
        if (at >= 0 && at < cells) {
            char *cell = lane->index[at];
            if (!*cell)
                snprintf(cell, CELL_TEXT, "%.*s", CELL_TEXT - 2, t->ndim ? text : "\xc2\xb7");
            else if (cell[strlen(cell) - 1] != '+')
                strcat(cell, "+");                      /* several elements lie here */
        }
        int d = t->ndim - 1;
        for (; d >= 0; d--) {
            if (++index[d] < shape[d] && stride[d])
                break;
            index[d] = 0;
        }
        if (d < 0)
            return;
    }
}

static void prepare(Cells *c, const Show *show, const SceneStorage *storage, const MapWanted *wanted, int width)
{
    memset(c, 0, sizeof *c);
    c->storage = storage;
    c->color = palette_color(&show->palette, storage->block->storage);
    const SceneTensor *first = storage->tensor;
    for (size_t i = 0; i < storage->tensors && wanted->n; i++)
        if (map_wants(wanted, &storage->tensor[i])) {
            first = &storage->tensor[i];
            break;
        }
    c->dtype = first->tensor->dtype;
    c->size = (int64_t)dtype_size(c->dtype);
    c->n = storage->block->bytes / c->size;
    int widest = CELL_LEAST;
    for (int64_t k = 0; k < c->n && k < CELLS_MOST; k++) {
        print_value(c->value[k], c->dtype, storage->values + k * c->size);
        widest = (int)strlen(c->value[k]) > widest ? (int)strlen(c->value[k]) : widest;
    }
    for (size_t i = 0; i < storage->tensors && c->lanes < LANES; i++) {
        const SceneTensor *t = &storage->tensor[i];
        if ((int64_t)dtype_size(t->tensor->dtype) != c->size || !(wanted->n ? map_wants(wanted, t) : t->shown > 0))
            continue;
        Lane *lane = &c->lane[c->lanes++];
        lane->of = t;
        fill_lane(lane, c->n < CELLS_MOST ? c->n : CELLS_MOST);
        for (int64_t k = 0; k < c->n && k < CELLS_MOST; k++)
            widest = (int)strlen(lane->index[k]) > widest ? (int)strlen(lane->index[k]) : widest;
        if (i < sizeof c->drawn)
            c->drawn[i] = true;
    }
    c->width = widest < CELL_MOST ? widest : CELL_MOST;
    c->per_row = (width - LABEL - 1) / (c->width + 1);
    c->per_row = c->per_row > ROW_CELLS ? ROW_CELLS : c->per_row < 1 ? 1 : c->per_row;
    for (int k = c->per_row; k > 4; k--)                /* rows of the tensor under each other, where that fits */
        if (first->tensor->ndim && c->n > c->per_row && first->tensor->dims[first->tensor->ndim - 1] % k == 0) {
            c->per_row = k;
            break;
        }
}

/* ---- as text ---- */
static void border(Line *line, const Cells *c, int64_t cells, const char *left, const char *middle, const char *right)
{
    line_to(line, LABEL, 0);
    for (int64_t k = 0; k <= cells; k++) {
        line_put(line, STYLE_PLAIN, k == 0 ? left : k == cells ? right : middle);
        for (int i = 0; k < cells && i < c->width; i++)
            line_put(line, STYLE_PLAIN, "\xe2\x94\x80");
    }
    line_end(line);
}

/* `text` in a cell's width: at its right when `right`, cut where it is too long. */
static void put_cell(Line *line, const Cells *c, int color, const char *text, bool right)
{
    char cell[3 * CELL_MOST + 8];
    int n = line_width(line->layout, text), blanks = c->width - n;
    if (blanks < 0)
        snprintf(cell, sizeof cell, "%.*s\xe2\x80\xa6", c->width - 1, text);
    else
        snprintf(cell, sizeof cell, "%*s%s%*s", right ? blanks : 0, "", text, right ? 0 : blanks, "");
    line_paint(line, color, cell);
}

static void put_cells(Line *line, const Cells *c, int64_t from, int64_t to, const Lane *lane)
{
    line_to(line, LABEL, 0);
    for (int64_t k = from; k < to; k++) {
        const char *text = lane ? lane->index[k] : c->value[k];
        line_put(line, STYLE_PLAIN, "\xe2\x94\x82");
        put_cell(line, c, lane && *text ? c->color : -1, text, !lane);
    }
    line_put(line, STYLE_PLAIN, "\xe2\x94\x82");
    line_end(line);
}

static void put_label(Line *line, const Lane *lane, Language language)
{
    Text names = { 0 };
    map_names(lane->of, lane->of->names, language, &names);
    line_cut(line, STYLE_BOLD, text_end(&names) ? names.s : "", LABEL - 1);
    text_free(&names);
}

/* Arrows from below to the first elements that lie in the row, and what starts there. */
static void put_starts(Line *line, const Cells *c, int64_t from, int64_t to, Language language)
{
    int64_t start[LANES];
    int starts = 0;
    for (size_t i = 0; i < c->lanes; i++) {
        int64_t at = c->lane[i].of->tensor->offset;
        bool known = at < from || at >= to || !c->lane[i].of->tensor->numel;
        for (int k = 0; k < starts; k++)
            known = known || start[k] == at;
        if (!known)
            start[starts++] = at;
    }
    for (int i = 1; i < starts; i++)                    /* by place */
        for (int k = i; k && start[k - 1] > start[k]; k--) {
            int64_t other = start[k];
            start[k] = start[k - 1];
            start[k - 1] = other;
        }
    for (int i = 0; i < starts; i++) {
        line_to(line, LABEL + (int)(start[i] - from) * (c->width + 1), 0);
        line_put(line, STYLE_PLAIN, "\xe2\x86\x91");
    }
    if (starts)
        line_end(line);
    for (int i = starts; i--; ) {
        for (int k = 0; k < i; k++) {
            line_to(line, LABEL + (int)(start[k] - from) * (c->width + 1), 0);
            line_put(line, STYLE_PLAIN, "\xe2\x94\x82");
        }
        line_to(line, LABEL + (int)(start[i] - from) * (c->width + 1), 0);
        Text names = { 0 }, phrase = { 0 };
        size_t n = 0;
        for (size_t k = 0; k < c->lanes; k++)
            if (c->lane[k].of->tensor->offset == start[i] && c->lane[k].of->tensor->numel) {
                text_put(&names, n ? ", " : "");
                map_names(c->lane[k].of, c->lane[k].of->names, language, &names);
                n += c->lane[k].of->names > 1 ? 2 : 1;
            }
        Digits offset;
        const char *s = text_end(&names);
        say(&phrase, language, n > 1 ? WORD_START : WORD_STARTS, s ? s : "", map_int(&offset, start[i]));
        line_put(line, STYLE_PLAIN, "\xe2\x94\x94 ");
        line_put(line, STYLE_PLAIN, text_end(&phrase) ? phrase.s : "");
        line_end(line);
        text_free(&names);
        text_free(&phrase);
    }
}

static bool lies_in(const Lane *lane, int64_t from, int64_t to)
{
    for (int64_t k = from; k < to; k++)
        if (*lane->index[k])
            return true;
    return false;
}

static void put_row(const Show *show, const Cells *c, int64_t from, int64_t to, const Layout *layout, Text *text)
{
    Line line = { text, layout, 0 };
    Digits d;
    line_put(&line, STYLE_FAINT, word(show->language, WORD_BYTE));
    for (int64_t k = from; k <= to; k++) {
        line_to(&line, LABEL + (int)(k - from) * (c->width + 1), 0);
        if (line.column <= LABEL + (int)(k - from) * (c->width + 1))
            line_put(&line, STYLE_FAINT, map_int(&d, k * c->size));
    }
    line_end(&line);
    border(&line, c, to - from, "\xe2\x94\x8c", "\xe2\x94\xac", "\xe2\x94\x90");
    line_put(&line, STYLE_FAINT, word(show->language, WORD_VALUE));
    put_cells(&line, c, from, to, NULL);
    border(&line, c, to - from, "\xe2\x94\x9c", "\xe2\x94\xbc", "\xe2\x94\xa4");
    for (size_t i = 0; i < c->lanes; i++) {
        if (!lies_in(&c->lane[i], from, to))
            continue;
        put_label(&line, &c->lane[i], show->language);
        put_cells(&line, c, from, to, &c->lane[i]);
    }
    border(&line, c, to - from, "\xe2\x94\x94", "\xe2\x94\xb4", "\xe2\x94\x98");
    put_starts(&line, c, from, to, show->language);
}

/* ---- the table of tensors: what one step along a dimension means ---- */
enum { COLUMNS = 7 };

static void step_text(Text *text, const PastTensor *t, int from_last)
{
    int d = t->ndim - 1 - from_last;
    if (d < 0)
        return;
    int64_t stride = t->dims[t->ndim + d];
    text_print(text, "%s%lld (%lld B)", stride < 0 ? "" : "+", (long long)stride, (long long)(stride * (int64_t)dtype_size(t->dtype)));
}

static void table_row(const SceneTensor *of, Language language, Text cell[COLUMNS])
{
    const PastTensor *t = of->tensor;
    map_names(of, 3, language, &cell[0]);
    text_print(&cell[1], "#%llu", (unsigned long long)t->object);
    text_print(&cell[2], "%s%s", t->is_array ? "ndarray " : "", dtype_name(t->dtype));
    text_put(&cell[2], " ");
    text_dims(&cell[2], t->ndim, t->dims);
    text_dims(&cell[3], t->ndim, t->dims + t->ndim);
    text_print(&cell[4], t->offset ? "%lld (%lld B)" : "%lld", (long long)t->offset, (long long)(t->offset * (int64_t)dtype_size(t->dtype)));
    if (t->ndim > 1)
        step_text(&cell[5], t, 1);
    else
        text_put(&cell[5], "");
    step_text(&cell[6], t, 0);
}

static void put_table(const Show *show, const Cells *c, const Layout *layout, Text *text)
{
    static const WordId head[COLUMNS] = { WORD_COL_NAME, WORD_COL_OBJECT, WORD_COL_TYPE, WORD_COL_STRIDE, WORD_COL_OFFSET, WORD_NEXT_ROW,
                                          WORD_NEXT_COLUMN };
    Text cell[LANES + 1][COLUMNS];
    int width[COLUMNS] = { 0 };
    memset(cell, 0, sizeof cell);
    for (size_t i = 0; i <= c->lanes; i++) {
        if (i)
            table_row(c->lane[i - 1].of, show->language, cell[i]);
        else
            for (int k = 0; k < COLUMNS; k++)
                text_put(&cell[0][k], word(show->language, head[k]));
        for (int k = 0; k < COLUMNS; k++) {
            const char *s = text_end(&cell[i][k]);
            int n = s ? line_width(layout, s) : 0;
            width[k] = n > width[k] ? n : width[k];
        }
    }
    for (size_t i = 0; i <= c->lanes; i++) {
        Line line = { text, layout, 0 };
        int at = 0;
        for (int k = 0; k < COLUMNS; k++) {
            line_to(&line, at, 0);
            line_put(&line, i ? STYLE_PLAIN : STYLE_FAINT, cell[i][k].s ? cell[i][k].s : "");
            at += width[k] + 2;
            text_free(&cell[i][k]);
        }
        line_end(&line);
    }
}

/* ---- as a drawing ---- */
enum { LEFT = 50, RIGHT = 386 };

static void svg_arc(Text *svg, double x1, double x2, double y)
{
    double deep = 12 + (x2 - x1 > 100 ? 10 : 0);
    svg_path(svg, "#444", "none", "M%.1f %.1fC%.1f %.1f %.1f %.1f %.1f %.1f", x1, y, x1, y + deep, x2, y + deep, x2, y + 3);
    svg_path(svg, "#444", "#444", "M%.1f %.1fL%.1f %.1fL%.1f %.1fZ", x2 - 3.5, y + 5, x2 + 3.5, y + 5, x2, y - 1);
}

static void svg_values(const Show *show, const Cells *c, int64_t from, int64_t to, double cell, Text *svg, double *y)
{
    Digits d;
    svg_text(svg, LEFT - 14, *y, 10, "#555", ANCHOR_END, false, word(show->language, WORD_BYTE));
    svg_text(svg, LEFT - 8, *y + 24, 10, "#555", ANCHOR_END, false, word(show->language, WORD_VALUE));
    for (int64_t k = from; k <= to; k++) {
        double x = LEFT + (double)(k - from) * cell;
        if ((k - from) % 2 == 0 || k == to)
            svg_text(svg, x, *y, 10, "#555", ANCHOR_MIDDLE, false, map_int(&d, k * c->size));
        svg_line(svg, x, *y + 3, x, *y + 8, "#777");
        if (k == to)
            break;
        svg_rect(svg, x, *y + 8, cell, 24, "#fff", "#333", false);
        svg_text(svg, x + cell / 2, *y + 24, strlen(c->value[k]) > 5 ? 10 : 11.5, "#1a1a1a", ANCHOR_MIDDLE, false, c->value[k]);
    }
    svg_rect(svg, LEFT, *y + 32, (double)(to - from) * cell, 5, storage_ground(c->color), "#333", false);
    *y += 50;
}

static void svg_lane(const Cells *c, const Lane *lane, int64_t from, int64_t to, double cell, Language language, Text *svg, double *y)
{
    const PastTensor *t = lane->of->tensor;
    bool starts = t->offset >= from && t->offset < to;
    if (!lies_in(lane, from, to))
        return;
    if (starts) {
        Text names = { 0 }, facts = { 0 };
        map_names(lane->of, 3, language, &names);
        double x = LEFT + (double)(t->offset - from) * cell, wide = 8 + 7.2 * text_width(names.s ? names.s : "", names.n);
        x = x + wide > 200 ? 200 - wide : x;            /* the facts beside it need their room */
        svg_rect(svg, x, *y, wide, 16, "#222", NULL, false);
        svg_text(svg, x + wide / 2, *y + 12, 11.5, "#fff", ANCHOR_MIDDLE, true, text_end(&names) ? names.s : "");
        text_print(&facts, "#%llu ", (unsigned long long)t->object);
        text_dims(&facts, t->ndim, t->dims);
        text_put(&facts, " stride ");
        text_dims(&facts, t->ndim, t->dims + t->ndim);
        text_print(&facts, " offset %lld", (long long)t->offset);
        svg_text(svg, x + wide + 6, *y + 12, 10.5, "#1a1a1a", ANCHOR_START, false, text_end(&facts) ? facts.s : "");
        double to_x = LEFT + (double)(t->offset - from) * cell + 8;
        svg_line(svg, to_x, *y + 16, to_x, *y + 22, "#222");
        svg_path(svg, "#222", "#222", "M%.1f %.1fL%.1f %.1fL%.1f %.1fZ", to_x - 3.5, *y + 21, to_x + 3.5, *y + 21, to_x, *y + 26);
        text_free(&names);
        text_free(&facts);
        *y += 27;
    }
    else {
        Text names = { 0 };
        map_names(lane->of, 1, language, &names);
        svg_text(svg, LEFT - 8, *y + 14, 10.5, "#1a1a1a", ANCHOR_END, true, text_end(&names) ? names.s : "");
        text_free(&names);
    }
    for (int64_t k = from; k < to; k++) {
        double x = LEFT + (double)(k - from) * cell;
        bool here = *lane->index[k];
        svg_rect(svg, x, *y, cell, 20, here ? storage_ground(c->color) : "#fff", here ? "#fff" : "#ccc", false);
        if (here)
            svg_text(svg, x + cell / 2, *y + 14, strlen(lane->index[k]) > 4 ? 10 : 11, storage_ink(c->color), ANCHOR_MIDDLE, false,
                     strcmp(lane->index[k], "\xc2\xb7") ? lane->index[k] : "()");
    }
    *y += 21;
    if (!starts) {
        *y += 6;
        return;
    }
    Text steps = { 0 };
    double first = LEFT + ((double)(t->offset - from) + 0.5) * cell, furthest = first;
    for (int back = 0; back < 2 && back < t->ndim; back++) {
        int d = t->ndim - 1 - back;
        int64_t stride = t->dims[t->ndim + d];
        if (t->dims[d] < 2 || stride <= 0 || t->offset + stride >= to)
            continue;
        double x = first + (double)stride * cell;
        svg_arc(svg, first, x, *y);
        furthest = x > furthest ? x : furthest;
    }
    if (t->ndim > 1) {
        text_put(&steps, "row ");
        step_text(&steps, t, 1);
        text_put(&steps, "  ");
    }
    if (t->ndim) {
        text_put(&steps, t->ndim > 1 ? "column " : "next ");
        step_text(&steps, t, 0);
        bool beside = furthest + 8 + 6.4 * (double)steps.n < RIGHT;
        svg_text(svg, beside ? furthest + 8 : RIGHT, *y + (beside ? 14 : 30), 10.5, "#333", beside ? ANCHOR_START : ANCHOR_END, false,
                 text_end(&steps) ? steps.s : "");
        *y += beside ? 26 : 38;
    }
    text_free(&steps);
}

bool map_cells(const Show *show, const SceneStorage *storage, const MapWanted *wanted, const Layout *layout, Text *text, Text *svg, double *y)
{
    Cells *c = mem_new(show->heap, sizeof *c);
    if (!c)
        return false;
    prepare(c, show, storage, wanted, layout->width);
    map_head(show, storage, layout, text, svg, y);
    text_char(text, '\n');
    for (int64_t from = 0; from < c->n; from += c->per_row)
        put_row(show, c, from, from + c->per_row < c->n ? from + c->per_row : c->n, layout, text);
    text_char(text, '\n');
    put_table(show, c, layout, text);
    Text also = { 0 };
    map_also(show, storage, c->drawn, &also);
    if (also.n)
        text_print(text, "%s\n", text_end(&also) ? also.s : "");
    if (svg) {
        int64_t row = c->n < ROW_CELLS ? c->n : c->per_row;
        double cell = (double)(RIGHT - LEFT) / (double)(row < 8 ? 8 : row);
        for (int64_t from = 0; from < c->n; from += row) {
            int64_t to = from + row < c->n ? from + row : c->n;
            svg_values(show, c, from, to, cell, svg, y);
            for (size_t i = 0; i < c->lanes; i++)
                svg_lane(c, &c->lane[i], from, to, cell, show->language, svg, y);
            *y += 8;
        }
        if (also.n) {
            svg_text(svg, 12, *y + 4, 10.5, "#333", ANCHOR_START, false, also.s);
            *y += 14;
        }
        *y += 6;
    }
    text_free(&also);
    mem_free(show->heap, c);
    return true;
}
