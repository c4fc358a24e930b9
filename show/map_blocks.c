/*
 * map_blocks.c - all blocks of memory in the order of their addresses, as bars to scale: storages by name, free blocks with the name
 * that they had; then the largest storages. Neighbours in memory make one bar.
 */
#include "show/map.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STRETCHES = 6, LARGEST = 9, BAR_LEAST = 3, GAP_MOST = 64 << 10, BAR = 40 };

typedef enum PieceKind { PIECE_LIVING, PIECE_FREE, PIECE_GAP, PIECE_MANY } PieceKind;
typedef struct Piece {                  /* a block, a gap between blocks, or several that are too narrow to draw */
    PieceKind kind;
    const PastBlock *block;             /* NULL: several, or a gap */
    int64_t bytes;
    int     count, columns;
    double  share;                      /* of the whole bar */
} Piece;

typedef struct Stretch {                /* blocks that lie close together */
    size_t  first, end;                 /* in scene->block */
    int64_t bytes, used;
} Stretch;

typedef struct Plan {
    const Show *show;
    const Scene *scene;
    Stretch *stretch;                   /* in the pool */
    size_t   stretches;
    int64_t  largest_free;
    int64_t  free_blocks;
    int64_t  alone, alone_bytes;        /* blocks that lie by themselves; they need no bar */
} Plan;

static bool find_stretches(Plan *p)
{
    const Scene *scene = p->scene;
    p->stretch = pool_array(scene->pool, scene->blocks, sizeof *p->stretch);
    if (!p->stretch)
        return false;
    uint64_t end = 0;
    for (size_t i = 0; i < scene->blocks; i++) {
        const PastBlock *b = scene->block[i];
        if (!p->stretches || b->address > end + GAP_MOST)
            p->stretch[p->stretches++] = (Stretch){ .first = i };
        Stretch *s = &p->stretch[p->stretches - 1];
        s->end = i + 1;
        end = b->address + (uint64_t)b->reserved;
        s->bytes = (int64_t)(end - scene->block[s->first]->address);
        s->used += b->storage ? b->reserved : 0;
        if (!b->storage) {
            p->free_blocks++;
            p->largest_free = b->reserved > p->largest_free ? b->reserved : p->largest_free;
        }
    }
    size_t kept = 0;
    for (size_t i = 0; i < p->stretches; i++)
        if (p->stretch[i].end - p->stretch[i].first > 1)
            p->stretch[kept++] = p->stretch[i];
        else {
            p->alone++;
            p->alone_bytes += p->stretch[i].bytes;
        }
    p->stretches = kept;
    return true;
}

/* The pieces of a stretch for a bar of `room` columns or pixels; what is narrower than `least` joins its neighbours. */
static size_t find_pieces(const Plan *p, const Stretch *s, int room, double least, Piece **out)
{
    size_t n = 0;
    Piece *piece = pool_array(p->scene->pool, 2 * (s->end - s->first), sizeof *piece);
    uint64_t at = p->scene->block[s->first]->address;
    *out = piece;
    for (size_t i = s->first; piece && i < s->end; i++) {
        const PastBlock *b = p->scene->block[i];
        Piece both[2] = { { .kind = PIECE_GAP, .bytes = (int64_t)(b->address - at) },
                          { .kind = b->storage ? PIECE_LIVING : PIECE_FREE, .block = b, .bytes = b->reserved, .count = 1 } };
        for (int k = both[0].bytes ? 0 : 1; k < 2; k++) {
            both[k].share = (double)both[k].bytes / (double)s->bytes;
            bool narrow = both[k].share * room < least;
            if (narrow && n && piece[n - 1].kind == PIECE_MANY) {
                piece[n - 1].bytes += both[k].bytes;
                piece[n - 1].share += both[k].share;
                piece[n - 1].count += both[k].count;
                continue;
            }
            piece[n] = both[k];
            if (narrow)
                piece[n].kind = PIECE_MANY;
            n++;
        }
        at = b->address + (uint64_t)b->reserved;
    }
    return n;
}

/* Columns for each piece, their sum and the borders between them filling the bar: the wide ones give and take what is over. */
static void give_columns(Piece *piece, size_t n, int inner)
{
    int left = inner - (int)n + 1;
    for (size_t i = 0; i < n; i++) {
        piece[i].columns = (int)(piece[i].share * inner + 0.5) - 1;
        piece[i].columns = piece[i].columns < 1 ? 1 : piece[i].columns;
        left -= piece[i].columns;
    }
    while (left) {
        size_t widest = 0;
        for (size_t i = 1; i < n; i++)
            if (piece[i].columns > piece[widest].columns)
                widest = i;
        if (left < 0 && piece[widest].columns == 1)
            return;
        piece[widest].columns += left > 0 ? 1 : -1;
        left += left > 0 ? -1 : 1;
    }
}

static const SceneStorage *storage_of(const Scene *scene, uint64_t serial)
{
    for (size_t part = 0; part < 2; part++) {           /* two sorted parts: with names, without */
        size_t low = part ? scene->named : 0, high = part ? scene->storages : scene->named;
        while (low < high) {
            size_t middle = (low + high) / 2;
            if (scene->storage[middle].block->storage < serial)
                low = middle + 1;
            else
                high = middle;
        }
        if (low < scene->storages && scene->storage[low].block->storage == serial)
            return &scene->storage[low];
    }
    return NULL;
}

/* What is written on a piece. */
static void label_of(const Plan *p, const Piece *piece, Text *text)
{
    if (piece->kind == PIECE_MANY) {
        text_print(text, piece->count > 1 ? "+%d" : "+", piece->count);
        return;
    }
    if (piece->kind == PIECE_FREE) {
        if (*piece->block->name)
            say(text, p->show->language, WORD_WAS_IN, piece->block->name);
        return;
    }
    if (piece->kind == PIECE_GAP)
        return;
    const SceneStorage *storage = storage_of(p->scene, piece->block->storage);
    const char *name = storage ? scene_name(storage) : "";
    if (*name)
        text_cut_name(text, name);
    else
        text_print(text, "S%llu", (unsigned long long)piece->block->storage);
}

/* ---- as text ---- */
static void put_border(Line *line, const Piece *piece, size_t n, const char *left, const char *middle, const char *right)
{
    for (size_t i = 0; i < n; i++) {
        line_put(line, STYLE_PLAIN, i ? middle : left);
        for (int k = 0; k < piece[i].columns; k++)
            line_put(line, STYLE_PLAIN, "\xe2\x94\x80");
    }
    line_put(line, STYLE_PLAIN, right);
    line_end(line);
}

static void put_piece(const Plan *p, Line *line, const Piece *piece)
{
    Text label = { 0 }, shown = { 0 };
    label_of(p, piece, &label);
    const char *s = text_end(&label) ? label.s : "", *fill = piece->kind == PIECE_FREE ? "\xe2\x96\x91" : " ";
    int width = line_width(line->layout, s), room = piece->columns;
    bool free_block = piece->kind == PIECE_FREE, fits = width + (free_block ? 4 : 0) <= room;
    if (piece->kind == PIECE_MANY && !fits)
        s = "+", width = 1, fits = true;
    if (!fits && piece->kind == PIECE_LIVING && room >= 4) {            /* the name's beginning */
        size_t n = text_fit(s, strlen(s), room);
        text_add(&shown, s, n);
        text_put(&shown, "\xe2\x80\xa6");
        s = text_end(&shown) ? shown.s : "";
        width = line_width(line->layout, s);
        fits = width <= room;
    }
    int before = fits ? (room - width) / 2 : room;
    Text all = { 0 };
    for (int i = 0; i < (fits ? before - (free_block && width) : room); i++)
        text_put(&all, fill);
    if (fits) {
        text_put(&all, free_block && width ? " " : "");
        text_put(&all, s);
        text_put(&all, free_block && width ? " " : "");
        for (int i = before + width + (free_block && width); i < room; i++)
            text_put(&all, fill);
    }
    int color = piece->kind == PIECE_LIVING ? palette_color(&p->show->palette, piece->block->storage) : -1;
    line_paint(line, color, text_end(&all) ? all.s : "");
    text_free(&label);
    text_free(&shown);
    text_free(&all);
}

static void stretch_head(const Plan *p, const Stretch *s, bool whole, Text *left, Text *right)
{
    Digits size;
    char address[32], percent[16];
    Language language = p->show->language;
    snprintf(address, sizeof address, "0x%llx", (unsigned long long)p->scene->block[s->first]->address);
    snprintf(percent, sizeof percent, "%.0f %%", 100.0 * (double)s->used / (double)s->bytes);
    say(left, language, WORD_SEGMENT, whole ? digits_round(&size, s->bytes) : digits_bytes(&size, s->bytes), address);
    say(right, language, WORD_PERCENT_USED, percent);
}

static void put_stretch(const Plan *p, const Stretch *s, const Layout *layout, Text *text)
{
    int inner = (layout->width > 80 ? 80 : layout->width) - 2, at = 1, hole_at = 0;
    Piece *piece;
    size_t n = find_pieces(p, s, inner, BAR_LEAST + 1, &piece);
    if (!piece)
        return;
    give_columns(piece, n, inner);
    Line line = { text, layout, 0 };
    Text left = { 0 }, right = { 0 };
    stretch_head(p, s, false, &left, &right);
    line_put(&line, STYLE_PLAIN, text_end(&left) ? left.s : "");
    line_to(&line, inner + 2 - line_width(layout, text_end(&right) ? right.s : ""), 1);
    line_put(&line, STYLE_PLAIN, right.s ? right.s : "");
    line_end(&line);
    put_border(&line, piece, n, "\xe2\x94\x8c", "\xe2\x94\xac", "\xe2\x94\x90");
    const Piece *hole = NULL;
    for (size_t i = 0; i < n; i++) {
        line_put(&line, STYLE_PLAIN, "\xe2\x94\x82");
        put_piece(p, &line, &piece[i]);
        if (piece[i].kind == PIECE_FREE && (!hole || piece[i].bytes > hole->bytes)) {
            hole = &piece[i];
            hole_at = at;
        }
        at += piece[i].columns + 1;
    }
    line_put(&line, STYLE_PLAIN, "\xe2\x94\x82");
    line_end(&line);
    put_border(&line, piece, n, "\xe2\x94\x94", "\xe2\x94\xb4", "\xe2\x94\x98");
    if (hole) {
        Text what = { 0 };
        Digits size;
        text_print(&what, "%s %s", word(p->show->language, WORD_HOLE), digits_bytes(&size, hole->bytes));
        int width = line_width(layout, text_end(&what) ? what.s : "");
        line_to(&line, hole_at + width > inner + 2 ? inner + 2 - width : hole_at, 0);
        line_put(&line, STYLE_FAINT, what.s ? what.s : "");
        line_end(&line);
        text_free(&what);
    }
    text_free(&left);
    text_free(&right);
}

static int by_size(const void *a, const void *b)        /* the largest first, then the oldest */
{
    const SceneStorage *x = *(const SceneStorage *const *)a, *y = *(const SceneStorage *const *)b;
    if (x->block->bytes != y->block->bytes)
        return x->block->bytes < y->block->bytes ? 1 : -1;
    return (x->block->storage > y->block->storage) - (x->block->storage < y->block->storage);
}

static void put_bar_line(const Layout *layout, Text *text, const char *serial, const char *name, int bar, int color, int64_t bytes)
{
    Line line = { text, layout, 0 };
    Text blocks = { 0 };
    Digits size;
    line_put(&line, STYLE_PLAIN, serial);
    line_to(&line, 5, 1);
    line_put(&line, STYLE_PLAIN, name);
    line_to(&line, 18, 1);
    for (int i = 0; i < bar; i++)
        text_put(&blocks, color < 0 || layout->color != COLOR_256 ? "\xe2\x96\x88" : " ");
    line_paint(&line, color, text_end(&blocks) ? blocks.s : "");
    int end = layout->width > 80 ? 80 : layout->width;
    line_to(&line, end - line_width(layout, digits_bytes(&size, bytes)), 1);
    line_put(&line, STYLE_PLAIN, size.s);
    line_end(&line);
    text_free(&blocks);
}

typedef struct Ranked { const SceneStorage **storage; size_t n, shown; int64_t rest; } Ranked;

static Ranked rank(const Scene *scene)
{
    Ranked r = { pool_array(scene->pool, scene->storages, sizeof *r.storage), scene->storages, 0, 0 };
    if (!r.storage)
        return (Ranked){ 0 };
    for (size_t i = 0; i < r.n; i++)
        r.storage[i] = &scene->storage[i];
    if (r.n)
        qsort(r.storage, r.n, sizeof *r.storage, by_size);
    r.shown = r.n > LARGEST + 1 ? LARGEST : r.n;
    for (size_t i = r.shown; i < r.n; i++)
        r.rest += r.storage[i]->block->bytes;
    return r;
}

static int bar_columns(int64_t bytes, int64_t most, int width)
{
    int n = most > 0 ? (int)((double)bytes / (double)most * width + 0.5) : 0;
    return bytes > 0 && !n ? 1 : n;
}

static void put_largest(const Plan *p, const Layout *layout, Text *text)
{
    Ranked r = rank(p->scene);
    int width = (layout->width > 80 ? 80 : layout->width) - 18 - 16;
    width = width > BAR ? BAR : width < 4 ? 4 : width;
    int64_t most = r.n ? r.storage[0]->block->bytes : 0;
    most = r.rest > most ? r.rest : most;
    for (size_t i = 0; i < r.shown; i++) {
        const PastBlock *b = r.storage[i]->block;
        char serial[32];
        Text name = { 0 };
        snprintf(serial, sizeof serial, "S%llu", (unsigned long long)b->storage);
        text_cut_name(&name, scene_name(r.storage[i]));
        put_bar_line(layout, text, serial, text_end(&name) ? name.s : "", bar_columns(b->bytes, most, width),
                     palette_color(&p->show->palette, b->storage), b->bytes);
        text_free(&name);
    }
    Digits count;
    Text phrase = { 0 };
    if (r.shown < r.n) {
        say(&phrase, p->show->language, WORD_MORE_STORAGES, digits(&count, (int64_t)(r.n - r.shown)));
        put_bar_line(layout, text, "", text_end(&phrase) ? phrase.s : "", bar_columns(r.rest, most, width), -1, r.rest);
        text_free(&phrase);
    }
    if (r.n > 1) {
        say(&phrase, p->show->language, WORD_IN_ALL, digits(&count, (int64_t)r.n));
        put_bar_line(layout, text, "", text_end(&phrase) ? phrase.s : "", 0, -1, p->scene->live);
        text_free(&phrase);
    }
}

static void put_totals(const Plan *p, Text *live, Text *cache)
{
    Language language = p->show->language;
    Digits bytes, count, largest;
    Text in = { 0 };
    say(&in, language, WORD_IN_STORAGES, digits_bytes(&bytes, p->scene->live), digits(&count, (int64_t)p->scene->storages));
    text_print(live, "cpu   %s %s", word(language, WORD_LIVE), text_end(&in) ? in.s : "");
    text_free(&in);
    if (p->free_blocks)
        say(cache, language, WORD_CACHED_BLOCKS, digits_bytes(&bytes, p->scene->cached), digits(&count, p->free_blocks),
            digits_bytes(&largest, p->largest_free));
}

/* ---- as a drawing ---- */
static void svg_stretch(const Plan *p, const Stretch *s, Text *svg, double *y)
{
    enum { LEFT = 12, WIDE = 376 };
    Piece *piece;
    size_t n = find_pieces(p, s, WIDE, 3, &piece);
    Text left = { 0 }, right = { 0 };
    double x = LEFT, hole_x = 0;
    const Piece *hole = NULL;
    stretch_head(p, s, true, &left, &right);
    svg_text(svg, LEFT, *y, 10.5, "#444", ANCHOR_START, false, text_end(&left) ? left.s : "");
    svg_text(svg, LEFT + WIDE, *y, 10.5, "#444", ANCHOR_END, false, text_end(&right) ? right.s : "");
    *y += 5;
    for (size_t i = 0; piece && i < n; i++) {
        Piece *k = &piece[i];
        double w = k->share * WIDE;
        int color = k->kind == PIECE_LIVING ? palette_color(&p->show->palette, k->block->storage) : -1;
        Text label = { 0 };
        label_of(p, k, &label);
        const char *text = text_end(&label) ? label.s : "";
        bool fits = 7 * text_width(text, strlen(text)) + 4 <= w;
        if (k->kind == PIECE_FREE) {
            svg_rect(svg, x, *y, w, 26, "#fff", "#777", false);
            svg_rect(svg, x + 2, *y + 3, w > 5 ? w - 4 : 1, 20, "#fff", "#777", true);
            if (!hole || k->bytes > hole->bytes) {
                hole = k;
                hole_x = x;
            }
        } else if (k->kind != PIECE_GAP)
            svg_rect(svg, x, *y, w, 26, k->kind == PIECE_MANY ? "#ccc" : storage_ground(color), "#333", false);
        if (fits && *text)
            svg_text(svg, x + w / 2, *y + 17, k->kind == PIECE_FREE ? 10 : 11, k->kind == PIECE_FREE ? "#555" : storage_ink(color),
                     ANCHOR_MIDDLE, false, text);
        text_free(&label);
        x += w;
    }
    *y += 26;
    if (hole) {
        double w = hole->share * WIDE, middle = hole_x + w / 2;
        Text what = { 0 };
        Digits size;
        text_print(&what, "%s %s", word(p->show->language, WORD_HOLE), digits_bytes(&size, hole->bytes));
        double half = 3.2 * (double)what.n;
        middle = middle - half < LEFT ? LEFT + half : middle + half > LEFT + WIDE ? LEFT + WIDE - half : middle;
        svg_line(svg, hole_x, *y + 4, hole_x + w, *y + 4, "#555");
        svg_line(svg, hole_x, *y + 2, hole_x, *y + 6, "#555");
        svg_line(svg, hole_x + w, *y + 2, hole_x + w, *y + 6, "#555");
        svg_text(svg, middle, *y + 16, 10, "#333", ANCHOR_MIDDLE, false, text_end(&what) ? what.s : "");
        text_free(&what);
    }
    *y += hole ? 35 : 20;
    text_free(&left);
    text_free(&right);
}

static void svg_largest(const Plan *p, Text *svg, double *y)
{
    Ranked r = rank(p->scene);
    int64_t most = r.n ? r.storage[0]->block->bytes : 0;
    most = r.rest > most ? r.rest : most;
    for (size_t i = 0; i < r.shown + (r.shown < r.n); i++) {
        bool rest = i == r.shown;
        int64_t bytes = rest ? r.rest : r.storage[i]->block->bytes;
        int color = rest ? -1 : palette_color(&p->show->palette, r.storage[i]->block->storage);
        Digits d;
        Text name = { 0 };
        if (rest)
            say(&name, p->show->language, WORD_MORE_STORAGES, digits(&d, (int64_t)(r.n - r.shown)));
        else {
            char serial[32];
            snprintf(serial, sizeof serial, "S%llu", (unsigned long long)r.storage[i]->block->storage);
            svg_text(svg, 12, *y, 10.5, "#1a1a1a", ANCHOR_START, false, serial);
            text_cut_name(&name, scene_name(r.storage[i]));
        }
        svg_text(svg, 124, *y, 10.5, "#1a1a1a", ANCHOR_END, false, text_end(&name) ? name.s : "");
        svg_rect(svg, 130, *y - 9, bar_columns(bytes, most, 160), 10, storage_ground(color), "#333", false);
        svg_text(svg, 388, *y, 10.5, "#1a1a1a", ANCHOR_END, false, digits_bytes(&d, bytes));
        text_free(&name);
        *y += 13.5;
    }
}

bool map_blocks(const Show *show, const Scene *scene, const Layout *layout, Text *text, Text *svg, double *y)
{
    Plan p = { .show = show, .scene = scene };
    if (!find_stretches(&p))
        return false;
    Text live = { 0 }, cache = { 0 };
    put_totals(&p, &live, &cache);
    text_print(text, "%s\n", text_end(&live) ? live.s : "");
    if (cache.n)
        text_print(text, "      %s\n", text_end(&cache) ? cache.s : "");
    if (svg) {
        svg_text(svg, 12, *y, 11.5, "#1a1a1a", ANCHOR_START, true, live.s ? live.s : "");
        if (cache.n) {
            *y += 16;
            svg_text(svg, 12, *y, 10.5, "#1a1a1a", ANCHOR_START, false, cache.s);
        }
        *y += 22;
    }
    text_free(&live);
    text_free(&cache);
    size_t shown = p.stretches > STRETCHES ? STRETCHES : p.stretches;
    int64_t rest = 0;
    for (size_t i = shown; i < p.stretches; i++)
        rest += p.stretch[i].bytes;
    for (size_t i = 0; i < shown; i++) {
        text_char(text, '\n');
        put_stretch(&p, &p.stretch[i], layout, text);
        if (svg)
            svg_stretch(&p, &p.stretch[i], svg, y);
    }
    if (rest) {
        Digits count, bytes;
        say(text, show->language, WORD_SEGMENTS_MORE, digits(&count, (int64_t)(p.stretches - shown)), digits_bytes(&bytes, rest));
        text_char(text, '\n');
    }
    if (p.alone) {
        Digits count, bytes;
        text_char(text, '\n');
        say(text, show->language, WORD_ALONE, digits(&count, p.alone), digits_bytes(&bytes, p.alone_bytes));
        text_char(text, '\n');
    }
    text_char(text, '\n');
    put_largest(&p, layout, text);
    if (shown)
        text_print(text, "\n%s\n", word(show->language, WORD_MAP_KEY));
    if (svg)
        svg_largest(&p, svg, y);
    return true;
}
