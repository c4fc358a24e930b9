/*
 * why.c - %why NAME: where a tensor comes from, who else reads and writes its bytes, why an operation copied them, what keeps them, and
 * the fewest `del`s that would give them back.
 */
#include "lang/owners.h"
#include "show/cover.h"
#include "show/past.h"
#include "show/report.h"
#include <stdio.h>
#include <string.h>

enum { STRIP = 12, SHARERS = 12, CHAINS_SHOWN = 16, LABELS = 12, NAMES = 12 };

typedef struct Why {
    const Show   *show;
    const char   *asked;                /* as it was written */
    const Owners *owners;
    const Ledger *ledger;               /* NULL: nobody watches */
    Report        report;
    Language      language;
    int           color;
} Why;

static const char *number(Digits *to, int64_t n)        /* without commas */
{
    snprintf(to->s, sizeof to->s, "%lld", (long long)n);
    return to->s;
}

static const Sharer *target(const Why *w) { return &w->owners->sharer[0]; }

static const PastTensor *past_tensor(const Why *w, uint64_t object)
{
    return w->ledger ? ledger_get(w->ledger, LEDGER_TENSOR, object, NULL) : NULL;
}

static void put_facts(const Sharer *s, bool stride, Text *text)
{
    text_print(text, "%s%s ", s->is_array ? "ndarray " : "", dtype_name(s->fact.dtype));
    text_dims(text, s->fact.ndim, s->fact.shape);
    if (stride) {
        text_put(text, " stride ");
        text_dims(text, s->fact.ndim, s->fact.stride);
    }
}

static void put_head(Why *w)
{
    const TensorFact *t = &target(w)->fact;
    Text facts = { 0 };
    Digits count;
    char address[32];
    snprintf(address, sizeof address, "0x%llx", (unsigned long long)t->data);
    text_print(&facts, "#%llu  ", (unsigned long long)target(w)->object);
    put_facts(target(w), !t->is_contiguous, &facts);
    text_put(&facts, "  ");
    say(&facts, w->language, WORD_ELEMENTS_AT, digits(&count, t->numel), address);
    Spot spot = { .storage = t->storage, .color = w->color < 0 ? 0 : w->color, .bytes = t->bytes, .reserved = t->reserved, .device = t->device };
    report_head(&w->report, w->asked, &spot, text_end(&facts) ? facts.s : "");
    text_free(&facts);
}

static bool is_living(const Why *w, uint64_t object)
{
    for (size_t i = 0; i < w->owners->sharers; i++)
        if (w->owners->sharer[i].object == object)
            return true;
    return past_tensor(w, object) != NULL;
}

static void put_origin(Why *w)
{
    const PastTensor *past = past_tensor(w, target(w)->object);
    const TensorFact *t = &target(w)->fact;
    const PastBlock *block = w->ledger ? ledger_get(w->ledger, LEDGER_BLOCK, t->block, NULL) : NULL;
    Text line = { 0 }, device = { 0 };
    Digits a, b;
    if (past && past->made) {
        say(&line, w->language, WORD_STATEMENT_TEXT, number(&a, past->made), past->maker);
        if (past->base) {
            snprintf(b.s, sizeof b.s, "#%llu", (unsigned long long)past->base);
            say(&line, w->language, WORD_VIEW_OF, b.s);
            if (!is_living(w, past->base))
                text_put(&line, word(w->language, WORD_NOW_GONE));
        } else if (past->copied && *past->copied_name)
            say(&line, w->language, WORD_COPIED_FROM, digits_bytes(&a, t->numel * (int64_t)dtype_size(t->dtype)), past->copied_name);
    } else
        text_put(&line, word(w->language, WORD_BEFORE_WATCH));
    report_line(&w->report, word(w->language, WORD_MADE_BY), text_end(&line) ? line.s : "");
    text_free(&line);
    device_print(t->device, &device);
    text_print(&line, "S%llu  %s", (unsigned long long)t->storage, digits_bytes(&a, t->bytes));
    text_print(&line, ", %s  ", text_end(&device) ? device.s : "");
    say(&line, w->language, WORD_VERSION, number(&a, t->version));
    if (block && block->storage == t->storage && block->written)
        say(&line, w->language, WORD_WRITTEN_BY, number(&a, block->written), block->writer);
    if (block && block->storage == t->storage && block->was) {
        text_put(&line, ", ");
        say(&line, w->language, WORD_BLOCK_LEFT, number(&a, (int64_t)block->was));
    }
    report_line(&w->report, word(w->language, WORD_STORAGE), text_end(&line) ? line.s : "");
    text_free(&line);
    text_free(&device);
}

/* ---- who else ---- */
/* The names of a sharer: what its chains begin with. Returns how many there are. */
static size_t put_names(const Why *w, size_t sharer, size_t most, Text *text)
{
    const Owners *o = w->owners;
    size_t n = 0;
    Digits more;
    for (size_t i = 0; i < o->chains; i++) {
        if (o->chain[i].sharer != sharer || !o->chain[i].links)
            continue;
        if (n < most) {
            text_put(text, n ? ", " : "");
            text_cut_name(text, o->chain[i].link[0]);
        }
        n++;
    }
    if (n > most)
        say(text, w->language, WORD_AND_MORE, digits(&more, (int64_t)(n - most)));
    return n;
}

static bool cover_of(const Why *w, const Sharer *s, int64_t unit, Cover *cover)
{
    return cover_make(w->show->heap, cover, target(w)->fact.bytes / unit, s->fact.ndim, s->fact.shape, s->fact.stride, s->fact.offset,
                      (int64_t)dtype_size(s->fact.dtype) / unit);
}

/* The largest unit that all element sizes are multiples of. */
static int64_t common_unit(const Why *w)
{
    int64_t unit = 8;
    for (size_t i = 0; i < w->owners->sharers; i++) {
        int64_t size = (int64_t)dtype_size(w->owners->sharer[i].fact.dtype);
        unit = size < unit ? size : unit;
    }
    return unit;
}

static void put_sharer(Why *w, size_t at, int64_t unit, const Cover *own, int widest)
{
    const Sharer *s = &w->owners->sharer[at];
    Cover cover;
    if (!cover_of(w, s, unit, &cover))
        return;
    Text line = { 0 };
    Layout plain = { .width = 1 << 20 };
    Line columns = { &line, &plain, 0 };
    Text part = { 0 };
    put_names(w, at, 4, &part);
    line_put(&columns, STYLE_PLAIN, "  ");
    line_cut(&columns, STYLE_PLAIN, text_end(&part) && part.n ? part.s : "", 13);
    text_free(&part);
    text_print(&part, "#%llu", (unsigned long long)s->object);
    line_to(&columns, 16, 1);
    line_put(&columns, STYLE_PLAIN, text_end(&part) ? part.s : "");
    text_free(&part);
    put_facts(s, !s->fact.is_contiguous, &part);
    line_to(&columns, 22, 1);
    line_put(&columns, STYLE_PLAIN, text_end(&part) ? part.s : "");
    text_free(&part);
    line_to(&columns, 22 + widest + 2, 1);
    int from = columns.column;
    for (int i = 0; i < STRIP; i++) {
        int64_t a = cover.units * i / STRIP, b = cover.units * (i + 1) / STRIP;
        int some = cover_part(&cover, a, b > a ? b : a + 1);
        line_put(&columns, STYLE_PLAIN, some == 2 ? "\xe2\x96\x88" : some ? "\xe2\x96\x92" : "\xc2\xb7");
    }
    Digits low, high, shared, all;
    digits(&low, cover.low * unit);
    digits(&high, cover.high * unit);
    text_print(&part, "  %s..%s", low.s, high.s);
    if (at) {
        int64_t scale = (int64_t)dtype_size(target(w)->fact.dtype) / unit;
        int64_t both = cover_both(own, &cover), whole = cover_count(own);
        text_put(&part, "  ");
        say(&part, w->language, WORD_OF_ELEMENTS, digits(&shared, both / scale), w->asked, digits(&all, whole / scale));
    }
    line_put(&columns, STYLE_PLAIN, text_end(&part) ? part.s : "");
    if (text_end(&line))
        report_drawn(&w->report, line.s, from, STRIP, w->color);
    text_free(&part);
    text_free(&line);
    cover_free(&cover);
}

static bool has_name(const Why *w, size_t sharer)
{
    for (size_t i = 0; i < w->owners->chains; i++)
        if (w->owners->chain[i].sharer == sharer && w->owners->chain[i].links)
            return true;
    return false;
}

static void put_sharers(Why *w)
{
    const Owners *o = w->owners;
    size_t named = 0, shown = 0;
    int widest = 0;
    Text title = { 0 };
    Digits d;
    for (size_t i = 0; i < o->sharers; i++) {
        if (i && !has_name(w, i))
            continue;
        Text facts = { 0 };
        put_facts(&o->sharer[i], !o->sharer[i].fact.is_contiguous, &facts);
        int width = text_width(facts.s ? facts.s : "", facts.n);
        widest = width > widest ? width : widest;
        named++;
        text_free(&facts);
    }
    if (named < 2) {
        report_line(&w->report, word(w->language, WORD_SHARED), word(w->language, WORD_WITH_NOBODY));
        return;
    }
    int64_t unit = common_unit(w);
    Cover own;
    if (!cover_of(w, target(w), unit, &own))
        return;
    say(&title, w->language, WORD_WHO_ELSE, number(&d, (int64_t)o->storage));
    report_section(&w->report, text_end(&title) ? title.s : "");
    text_free(&title);
    for (size_t i = 0; i < o->sharers && shown < SHARERS; i++)
        if (!i || has_name(w, i)) {
            put_sharer(w, i, unit, &own, widest);
            shown++;
        }
    if (shown < named) {
        say(&title, w->language, WORD_MORE_STORAGES, digits(&d, (int64_t)(named - shown)));
        report_line(&w->report, "", text_end(&title) ? title.s : "");
        text_free(&title);
    }
    cover_free(&own);
}

/* ---- why a copy ---- */
/* Dimensions of size 1 say nothing about where elements lie: shape and stride without them. */
static int without_ones(int ndim, const int64_t *shape, const int64_t *stride, int64_t *shape_out, int64_t *stride_out)
{
    int n = 0;
    for (int d = 0; d < ndim; d++)
        if (shape[d] != 1) {
            shape_out[n] = shape[d];
            if (stride)
                stride_out[n] = stride[d];
            n++;
        }
    return n;
}

static bool ends_block(int ndim, const int64_t *shape, int64_t product)
{
    int64_t all = 1;
    for (int d = 0; d < ndim; d++)
        if ((all *= shape[d]) == product)
            return true;
    return false;
}

static const char *name_of_copied(const PastTensor *past, Digits *to)
{
    if (*past->copied_name)
        return past->copied_name;
    snprintf(to->s, sizeof to->s, "#%llu", (unsigned long long)past->copied_object);
    return to->s;
}

/*
 * A reshape copies when two dimensions that become one do not merge: stride[d] must be size[d + 1] × stride[d + 1] (the rule of
 * Tensor.view in PyTorch's documentation). The first such pair is said.
 */
static void put_merge(Why *w, const PastTensor *past)
{
    int64_t shape[EVENT_DIMS], stride[EVENT_DIMS], to[64], product = 1;
    int n = without_ones(past->copied_ndim, past->copied_dims, past->copied_dims + EVENT_DIMS, shape, stride);
    int m = without_ones(past->ndim, past->dims, NULL, to, NULL);
    Text from = { 0 }, into = { 0 }, line = { 0 };
    Digits name, d[8];
    const char *source = name_of_copied(past, &name);
    text_dims(&from, past->copied_ndim, past->copied_dims);
    text_dims(&into, past->ndim, past->dims);
    bool said = false;
    for (int k = 0; k + 1 < n && !said; k++) {
        product *= shape[k];
        if (ends_block(m, to, product) || stride[k] == shape[k + 1] * stride[k + 1])
            continue;
        say(&line, w->language, WORD_WHY_MERGE, source, text_end(&from) ? from.s : "", text_end(&into) ? into.s : "", number(&d[0], k),
            number(&d[1], k + 1), number(&d[2], k + 1), number(&d[3], shape[k + 1]), number(&d[4], stride[k + 1]),
            number(&d[5], shape[k + 1] * stride[k + 1]), number(&d[6], stride[k]), source);
        said = true;
    }
    if (!said) {                                        /* the same shape: contiguous() or clone() in another order */
        text_free(&from);
        text_free(&into);
        text_dims(&from, past->copied_ndim, past->copied_dims + EVENT_DIMS);
        text_dims(&into, past->ndim, past->dims + past->ndim);
        say(&line, w->language, WORD_WHY_ORDER, source, text_end(&from) ? from.s : "", text_end(&into) ? into.s : "");
    }
    report_line(&w->report, word(w->language, WORD_WHY_COPY), text_end(&line) ? line.s : "");
    text_free(&from);
    text_free(&into);
    text_free(&line);
}

/* Dims in the order of falling strides; true when elements in that order lie without gaps. */
static bool dense_order(const PastTensor *past, int *order)
{
    int n = past->copied_ndim;
    const int64_t *shape = past->copied_dims, *stride = shape + EVENT_DIMS;
    int64_t next = 1;
    for (int d = 0; d < n; d++) {
        int k = d;
        for (; k && stride[order[k - 1]] < stride[d]; k--)
            order[k] = order[k - 1];
        order[k] = d;
    }
    for (int k = n; k--; next *= shape[order[k]])
        if (shape[order[k]] != 1 && stride[order[k]] != next)
            return false;
    return true;
}

enum { VIEWS_SAID = 2 };
typedef struct Candidates { const Why *w; const PastTensor *past; const PastName *name[VIEWS_SAID]; } Candidates;

/* Keeps the oldest names of tensors that could be viewed in the copy's shape. */
static void add_candidate(void *to, uint64_t key, const void *fact, size_t size)
{
    Candidates *c = to;
    const PastName *name = fact;
    const PastTensor *t = past_tensor(c->w, name->object);
    (void)key, (void)size;
    if (!t || name->hidden || t->storage != c->past->copied || t->numel != c->past->numel || !t->is_contiguous || strchr(name->path, '['))
        return;
    for (int k = 0; k < VIEWS_SAID; k++)
        if (!c->name[k] || name->order < c->name[k]->order) {
            const PastName *other = c->name[k];
            c->name[k] = name;
            if (!(name = other))
                return;
        }
}

static void put_views(Why *w, const PastTensor *past)
{
    Text dims = { 0 }, line = { 0 };
    for (int d = 0; d < past->ndim; d++)
        text_print(&dims, d ? ", %lld" : "%lld", (long long)past->dims[d]);
    const char *shape = text_end(&dims) ? dims.s : "";
    Candidates c = { .w = w, .past = past };
    ledger_each(w->ledger, LEDGER_NAME, add_candidate, &c);
    size_t n = 0;
    for (; n < VIEWS_SAID && c.name[n]; n++)
        text_print(&line, "%s%s.view(%s)", n ? ", " : "", c.name[n]->path, shape);
    int order[EVENT_DIMS] = { 0 };
    if (*past->copied_name && past->copied_ndim > 1 && dense_order(past, order)) {
        text_print(&line, "%s%s.", n ? ", " : "", past->copied_name);
        if (past->copied_ndim == 2)
            text_put(&line, "t()");
        else {
            text_put(&line, "permute(");
            for (int d = 0; d < past->copied_ndim; d++)
                text_print(&line, d ? ", %d" : "%d", order[d]);
            text_put(&line, ")");
        }
        text_print(&line, ".view(%s)", shape);
        n++;
    }
    if (n) {
        text_print(&line, ": %s", word(w->language, WORD_NO_BYTES));
        report_line(&w->report, word(w->language, WORD_A_VIEW_IS), text_end(&line) ? line.s : "");
    }
    text_free(&dims);
    text_free(&line);
}

static void put_copy(Why *w)
{
    const PastTensor *past = past_tensor(w, target(w)->object);
    if (!past || !past->copied)
        return;
    Text line = { 0 };
    Digits name;
    switch ((CopyReason)past->reason) {
    case COPY_NOT_CONTIGUOUS:
        put_merge(w, past);
        put_views(w, past);
        return;
    case COPY_DTYPE: {
        const PastTensor *from = past_tensor(w, past->copied_object);
        say(&line, w->language, WORD_WHY_DTYPE, name_of_copied(past, &name), from ? dtype_name(from->dtype) : "?", dtype_name(past->dtype));
        break;
    }
    case COPY_CLONE: text_put(&line, word(w->language, WORD_WHY_CLONE)); break;
    case COPY_INDEXING: text_put(&line, word(w->language, WORD_WHY_INDEX)); break;
    case COPY_DEVICE: text_put(&line, word(w->language, WORD_WHY_DEVICE)); break;
    default: return;
    }
    report_line(&w->report, word(w->language, WORD_WHY_COPY), text_end(&line) ? line.s : "");
    text_free(&line);
}

/* ---- what keeps it ---- */
static void put_link(const Why *w, const Chain *chain, Text *text)
{
    Digits d;
    if (chain->base_of)
        say(text, w->language, WORD_BASE_OF, number(&d, (int64_t)chain->base_of));
    else if (!chain->links)
        text_put(text, word(w->language, WORD_KEPT_ELSEWHERE));
    for (size_t i = 0; i < chain->links; i++)
        text_print(text, i ? " \xe2\x94\x80\xe2\x94\x80 %s" : "%s", chain->link[i]);
}

/* The tree's branches: "─" alone, "┬" the first of several, "├" between, "└" the last. */
static const char *branch(bool first, bool last)
{
    return first ? last ? "\xe2\x94\x80" : "\xe2\x94\xac" : last ? "\xe2\x94\x94" : "\xe2\x94\x9c";
}

static void put_chains(Why *w)
{
    const Owners *o = w->owners;
    Text title = { 0 }, head = { 0 };
    Digits a, b;
    say(&title, w->language, WORD_WHAT_KEEPS, number(&a, (int64_t)o->storage), digits_bytes(&b, target(w)->fact.bytes));
    report_section(&w->report, text_end(&title) ? title.s : "");
    text_free(&title);
    size_t shown = o->chains < CHAINS_SHOWN ? o->chains : CHAINS_SHOWN;
    text_print(&head, "  S%llu \xe2\x94\x80", (unsigned long long)o->storage);
    int indent = text_width(text_end(&head) ? head.s : "", head.n);
    for (size_t i = 0; i < shown; i++) {
        const Chain *chain = &o->chain[i];
        bool first = !i || o->chain[i - 1].sharer != chain->sharer, last = i + 1 == shown || chain[1].sharer != chain->sharer;
        bool more = o->chain[shown - 1].sharer != chain->sharer;        /* other tensors follow */
        Text line = { 0 }, serial = { 0 };
        text_print(&serial, " #%llu ", (unsigned long long)o->sharer[chain->sharer].object);
        if (i)
            text_fill(&line, ' ', (size_t)indent);
        else
            text_put(&line, head.s ? head.s : "");
        if (first)
            text_print(&line, "%s\xe2\x94\x80%s", branch(!i, !more), text_end(&serial) ? serial.s : "");
        else {
            text_put(&line, more ? "\xe2\x94\x82" : " ");
            text_fill(&line, ' ', serial.n + 1);
        }
        for (size_t k = serial.n; k < 6; k++)
            text_put(&line, first ? "\xe2\x94\x80" : " ");
        text_print(&line, "%s\xe2\x94\x80 ", branch(first, last));
        put_link(w, chain, &line);
        if (text_end(&line))
            report_drawn(&w->report, line.s, 0, 0, 0);
        text_free(&line);
        text_free(&serial);
    }
    if (o->more || shown < o->chains)
        report_line(&w->report, "", word(w->language, WORD_MORE_CHAINS));
    text_free(&head);
}

static void put_dels(Why *w)
{
    const Owners *o = w->owners;
    Text line = { 0 };
    Digits bytes;
    size_t names = 0;
    bool hidden = false;
    for (size_t i = 0; i < o->dels; i++) {
        hidden = hidden || o->del_hidden[i];
        if (!o->del_hidden[i] && names++ < NAMES)
            text_print(&line, "%s%s", names > 1 ? ", " : "del ", o->del[i]);
    }
    if (names > NAMES)
        say(&line, w->language, WORD_AND_MORE, digits(&bytes, (int64_t)(names - NAMES)));
    if (hidden) {
        text_put(&line, names ? "; " : "");
        say(&line, w->language, WORD_OR_XDEL, "%xdel NAME");
    }
    if (!o->frees_target || !o->dels) {
        text_free(&line);
        text_put(&line, word(w->language, WORD_NO_DEL));
    } else {
        text_put(&line, "   ");
        say(&line, w->language, WORD_GIVES_BACK, digits_bytes(&bytes, o->freed));
    }
    report_line(&w->report, word(w->language, WORD_TO_FREE), text_end(&line) ? line.s : "");
    text_free(&line);
}

bool show_why(Show *show, const char *name, const Layout *layout, Text *text, Text *html, Err *err)
{
    Owners *owners = session_owners(show->session, name, strlen(name), err);
    if (!owners)
        return false;
    Why w = { .show = show, .asked = name, .owners = owners, .ledger = show->past ? past_ledger(show->past) : NULL, .language = show->language,
              .color = palette_color(&show->palette, owners->storage) };
    report_begin(&w.report, layout, text, html, LABELS);
    put_head(&w);
    put_origin(&w);
    put_copy(&w);
    put_sharers(&w);
    put_chains(&w);
    put_dels(&w);
    report_end(&w.report);
    owners_free(owners);
    return true;
}
