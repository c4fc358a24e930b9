/* map.c - %map: which storages are drawn, and how; ranges of storages that are too large for cells. */
#include "show/map.h"
#include <stdio.h>
#include <string.h>

enum { RANGE_COLUMNS = 40, RANGES = 12, CELL_STORAGES = 3 };

const char *map_int(Digits *to, int64_t number)
{
    snprintf(to->s, sizeof to->s, "%lld", (long long)number);
    return to->s;
}

bool map_wants(const MapWanted *wanted, const SceneTensor *tensor)
{
    for (size_t i = 0; i < wanted->n; i++)
        if (wanted->object[i] == tensor->tensor->object)
            return true;
    return false;
}

void map_names(const SceneTensor *tensor, size_t most, Language language, Text *text)
{
    Digits more;
    if (!tensor->names)
        text_print(text, "#%llu", (unsigned long long)tensor->tensor->object);
    for (size_t i = 0; i < tensor->names && i < most; i++) {
        text_put(text, i ? ", " : "");
        text_cut_name(text, tensor->name[i]);
    }
    if (tensor->names > most)
        say(text, language, WORD_AND_MORE, digits(&more, (int64_t)(tensor->names - most)));
}

void map_head(const Show *show, const SceneStorage *storage, const Layout *layout, Text *text, Text *svg, double *y)
{
    const PastBlock *b = storage->block;
    Text facts = { 0 }, device = { 0 };
    char address[32];
    Digits bytes;
    snprintf(address, sizeof address, "0x%llx", (unsigned long long)b->address);
    device_print(b->device, &device);
    say(&facts, show->language, WORD_ON_DEVICE, digits_bytes(&bytes, b->bytes), text_end(&device) ? device.s : "", address);
    if (storage->tensors) {
        text_put(&facts, "  ");
        say(&facts, show->language, WORD_VERSION, map_int(&bytes, storage->tensor[0].tensor->version));
    }
    Line line = { text, layout, 0 };
    Spot spot = { .storage = b->storage, .color = palette_color(&show->palette, b->storage), .bytes = b->bytes, .reserved = b->reserved };
    spot.color = spot.color < 0 ? 0 : spot.color;
    line_chip(&line, &spot);
    line_put(&line, STYLE_PLAIN, " ");
    line_put(&line, STYLE_PLAIN, text_end(&facts) ? facts.s : "");
    line_end(&line);
    if (svg) {
        char serial[32];
        int n = snprintf(serial, sizeof serial, "S%llu", (unsigned long long)b->storage);
        svg_rect(svg, 12, *y - 13, 10 + 7.2 * n, 17, storage_ground(spot.color), "#555", false);
        svg_text(svg, 12 + (10 + 7.2 * n) / 2, *y, 11.5, storage_ink(spot.color), ANCHOR_MIDDLE, true, serial);
        svg_text(svg, 12 + 18 + 7.2 * n, *y, 11, "#1a1a1a", ANCHOR_START, false, facts.s ? facts.s : "");
        *y += 20;
    }
    text_free(&facts);
    text_free(&device);
}

void map_also(const Show *show, const SceneStorage *storage, const bool *drawn, Text *text)
{
    size_t n = 0;
    Digits d;
    for (size_t i = 0; i < storage->tensors; i++) {
        const SceneTensor *t = &storage->tensor[i];
        if (i < 256 && drawn[i])
            continue;
        if (!n)
            say(text, show->language, WORD_ALSO_ON, map_int(&d, (int64_t)storage->block->storage));
        if (n++ >= 4)
            continue;
        text_put(text, n > 1 ? ", " : "");
        map_names(t, 2, show->language, text);
        if (t->names)
            text_print(text, " (#%llu)", (unsigned long long)t->tensor->object);
    }
    if (n > 4)
        say(text, show->language, WORD_AND_MORE, digits(&d, (int64_t)n - 4));
}

/* ---- ranges ---- */
static int range_color(const Show *show, const SceneStorage *storage) { return palette_color(&show->palette, storage->block->storage); }

static void put_range(const Show *show, const SceneStorage *storage, const SceneTensor *t, const Cover *cover, const Layout *layout, Text *text,
                      Text *svg, double *y)
{
    Line line = { text, layout, 0 };
    Text names = { 0 }, range = { 0 };
    int64_t unit = storage->block->bytes / (cover->units ? cover->units : 1);
    int columns = layout->width > 80 ? RANGE_COLUMNS : layout->width - 42;
    Digits from, to;
    columns = columns < 8 ? 8 : columns;
    map_names(t, 2, show->language, &names);
    line_put(&line, STYLE_BOLD, text_end(&names) ? names.s : "");
    line_to(&line, 14, 1);
    for (int i = 0; i < columns; i++) {
        int64_t a = cover->units * i / columns, b = cover->units * (i + 1) / columns;
        int part = cover_part(cover, a, b > a ? b : a + 1);
        line_put(&line, STYLE_PLAIN, part == 2 ? "\xe2\x96\x88" : part ? "\xe2\x96\x92" : "\xc2\xb7");
    }
    digits(&from, cover->low * unit);
    digits(&to, cover->high * unit);
    text_print(&range, "%s..%s", from.s, to.s);
    line_to(&line, 14 + columns + 2, 1);
    line_put(&line, STYLE_PLAIN, text_end(&range) ? range.s : "");
    line_end(&line);
    if (svg) {
        int color = range_color(show, storage);
        svg_text(svg, 84, *y, 10.5, "#1a1a1a", ANCHOR_END, false, names.s ? names.s : "");
        svg_rect(svg, 90, *y - 10, 190, 12, "#fff", "#bbb", false);
        for (int i = 0; i < 95; i++) {
            int64_t a = cover->units * i / 95, b = cover->units * (i + 1) / 95;
            int part = cover_part(cover, a, b > a ? b : a + 1);
            if (part)
                svg_rect(svg, 90 + 2 * i, *y - (part == 2 ? 10 : 7), 2, part == 2 ? 12 : 6, storage_ground(color), NULL, false);
        }
        svg_text(svg, 388, *y, 10, "#333", ANCHOR_END, false, range.s ? range.s : "");
        *y += 16;
    }
    text_free(&names);
    text_free(&range);
}

bool map_ranges(const Show *show, const SceneStorage *storage, const MapWanted *wanted, const Layout *layout, Text *text, Text *svg, double *y)
{
    size_t shown = 0;
    bool good = true, drawn[256] = { false };
    map_head(show, storage, layout, text, svg, y);
    if (svg)
        *y += 4;
    for (size_t i = 0; good && i < storage->tensors && shown < RANGES; i++) {
        const SceneTensor *t = &storage->tensor[i];
        int64_t size = (int64_t)dtype_size(t->tensor->dtype);
        Cover cover;
        if (!(wanted->n ? map_wants(wanted, t) : t->shown > 0))
            continue;
        good = cover_make(show->heap, &cover, storage->block->bytes / size, t->tensor->ndim, t->tensor->dims,
                          t->tensor->dims + t->tensor->ndim, t->tensor->offset, 1);
        if (good)
            put_range(show, storage, t, &cover, layout, text, svg, y);
        cover_free(&cover);
        shown++;
        if (i < 256)
            drawn[i] = true;
    }
    Text also = { 0 };
    map_also(show, storage, drawn, &also);
    if (also.n)
        text_print(text, "%s\n", text_end(&also) ? also.s : "");
    if (also.n && svg) {
        svg_text(svg, 12, *y + 2, 10.5, "#333", ANCHOR_START, false, also.s);
        *y += 16;
    }
    if (svg)
        *y += 8;
    text_free(&also);
    return good;
}

/* ---- the command ---- */
static const PastTensor *tensor_named(const Scene *scene, const char *path, size_t n)
{
    for (size_t i = 0; i < scene->named; i++)
        for (size_t k = 0; k < scene->storage[i].tensors; k++) {
            const SceneTensor *t = &scene->storage[i].tensor[k];
            for (size_t j = 0; j < t->names; j++)
                if (strlen(t->name[j]) == n && memcmp(t->name[j], path, n) == 0)
                    return t->tensor;
        }
    return NULL;
}

/* Names between blanks and commas; what stands in brackets is part of a name. */
static size_t next_name(const char *s, size_t *start)
{
    size_t at = *start + strspn(s + *start, " \t,"), end = at;
    for (int depth = 0; s[end] && (depth || !strchr(" \t,", s[end])); end++)
        depth += s[end] == '[' ? 1 : s[end] == ']' && depth ? -1 : 0;
    *start = at;
    return end - at;
}

static bool find_wanted(const Show *show, const Scene *scene, const char *names, MapWanted *wanted, Err *err)
{
    uint64_t *object = pool_array(scene->pool, strlen(names) / 2 + 1, sizeof *object);
    if (!object)
        return err_memory(err, 0);
    wanted->object = object;
    for (size_t at = 0, n; (n = next_name(names, &at)); at += n) {
        const PastTensor *t = tensor_named(scene, names + at, n);
        if (!t) {
            err_set(err, ERR_NAME, "no tensor has the name '%.*s'", (int)(n < 100 ? n : 100), names + at);
            return err_hint(err, "%s", show->shown_at ? "it may not have had it then" : "%who lists all names");
        }
        object[wanted->n++] = t->object;
    }
    return true;
}

static size_t count_wanted(const SceneStorage *storage, const MapWanted *wanted)
{
    size_t n = 0;
    for (size_t i = 0; i < storage->tensors; i++)
        n += map_wants(wanted, &storage->tensor[i]);
    return n;
}

static bool draw(const Show *show, const Scene *scene, const MapWanted *wanted, const Layout *layout, Text *text, Text *svg, double *y)
{
    bool small = scene->storages == scene->named && scene->storages <= CELL_STORAGES;
    for (size_t i = 0; i < scene->named; i++)
        small = small && map_has_cells(&scene->storage[i]);
    if (!wanted->n && !small)
        return map_blocks(show, scene, layout, text, svg, y);
    bool good = true, first = true;
    for (size_t i = 0; good && i < scene->named; i++) {     /* one name of a storage stands for all tensors over it */
        const SceneStorage *storage = &scene->storage[i];
        const MapWanted all = { 0 };
        size_t count = count_wanted(storage, wanted);
        if (wanted->n && !count)
            continue;
        if (!first)
            text_char(text, '\n');
        first = false;
        good = (map_has_cells(storage) ? map_cells : map_ranges)(show, storage, count > 1 ? wanted : &all, layout, text, svg, y);
    }
    return good;
}

bool show_map(Show *show, const char *names, const Layout *layout, Text *text, Text *html, Err *err)
{
    if (!show->past) {
        err_set(err, ERR_VALUE, "nothing is known of memory");
        return err_hint(err, "%%memory is off: %%memory normal watches again");
    }
    const Ledger *now = past_ledger(show->past);
    Ledger *then = show->shown_at ? ledger_at(now, show->shown_at) : NULL;
    Scene *scene = show->shown_at && !then ? NULL : scene_new(show->heap, then ? then : now);
    MapWanted wanted = { 0 };
    Text body = { 0 };
    double y = 24;
    bool good = scene ? find_wanted(show, scene, names, &wanted, err) : err_memory(err, 0);
    if (good && !scene->storages)
        text_print(text, "%s\n", word(show->language, WORD_NO_STORAGES));
    else if (good) {
        good = draw(show, scene, &wanted, layout, text, html ? &body : NULL, &y) || err_memory(err, 0);
        Text title = { 0 };
        Digits bytes, count;
        say(&title, show->language, WORD_IN_STORAGES, digits_bytes(&bytes, scene->live), digits(&count, (int64_t)scene->storages));
        if (good && html)
            svg_whole(html, y + 4, text_end(&title) ? title.s : "", &body);
        text_free(&title);
    }
    text_free(&body);
    scene_free(scene);
    ledger_free(then);
    return good;
}

bool show_at(Show *show, int number, const Layout *layout, Text *text, Text *html, Err *err)
{
    const Ledger *now = show->past ? past_ledger(show->past) : NULL;
    if (!now)
        return show_map(show, "", layout, text, html, err);
    if (number < ledger_first(now) || number > ledger_last(now)) {
        err_set(err, ERR_INDEX, "statement %d is not on record", number);
        return err_hint(err, "statements %d to %d are", ledger_first(now), ledger_last(now));
    }
    show->shown_at = number == ledger_last(now) ? 0 : number;
    const char *source = timeline_source(&show->timeline, number);
    Text cited = { 0 };
    Digits d;
    text_print(&cited, source ? ": %s" : "", source);
    say(text, show->language, WORD_AFTER_STATEMENT, map_int(&d, number), text_end(&cited) ? cited.s : "");
    text_char(text, '\n');
    text_free(&cited);
    return show_map(show, "", layout, text, html, err);
}
