/*
 * help.c - what is known about the name or call under the cursor, as a few lines of text. It runs nothing.
 */
#include <inttypes.h>
#include <string.h>
#include "lang/look.h"
#include "lang/syntax/ast.h"
#include "lang/syntax/code.h"

enum { SHOWN = 400 };

static void line(Text *text, const char *label, const char *s, size_t n)
{
    if (text->n > 0)
        text_char(text, '\n');
    text_print(text, "%-10s ", label);
    text_add(text, s, n);
}

/* A docstring with the indentation of its later lines taken away. */
static void put_doc(Text *text, const char *doc, size_t n)
{
    size_t margin = SIZE_MAX;
    for (size_t i = 0; i < n; i++) {
        if (doc[i] != '\n')
            continue;
        size_t blanks = 0;
        while (i + 1 + blanks < n && doc[i + 1 + blanks] == ' ')
            blanks++;
        if (i + 1 + blanks < n && doc[i + 1 + blanks] != '\n' && blanks < margin)
            margin = blanks;
    }
    while (n > 0 && (doc[n - 1] == ' ' || doc[n - 1] == '\n'))
        n--;
    line(text, "Docstring:", "", 0);
    for (size_t i = 0; i < n; i++) {
        text_char(text, doc[i]);
        if (doc[i] == '\n')
            for (size_t k = 0; k < margin && i + 1 < n && doc[i + 1] == ' '; k++)
                i++;
    }
}

/* The lines of a function, from its def on. */
static void put_source(Session *s, const Code *code, Text *text)
{
    int last = code->line;
    for (int i = 0; i < code->size; i++)
        if (code->place[i].end_line > last)
            last = code->place[i].end_line;
    line(text, "Source:", "", 0);
    for (int k = code->line; k <= last; k++) {
        size_t n;
        const char *source = source_line(s, code->source, k, &n);
        if (!source)
            break;
        text_char(text, '\n');
        text_add(text, source, n);
    }
}

static void put_tensor(Session *s, Value v, Text *text)
{
    Tensor *t = value_tensor(v);
    Text shape = { 0 };
    text_char(&shape, '(');
    for (int i = 0; i < tensor_ndim(t); i++)
        text_print(&shape, i + 1 < tensor_ndim(t) ? "%" PRId64 ", " : tensor_ndim(t) == 1 ? "%" PRId64 ","
                   : "%" PRId64,
                   tensor_shape(t)[i]);
    text_char(&shape, ')');
    line(text, "Shape:", shape.s ? shape.s : "", shape.n);
    line(text, "Dtype:", dtype_name(tensor_dtype(t)), strlen(dtype_name(tensor_dtype(t))));
    shape.n = 0;
    device_print(tensor_device(t), &shape);
    line(text, "Device:", shape.s ? shape.s : "", shape.n);
    shape.n = 0;
    text_print(&shape, "%zu bytes at 0x%" PRIxPTR, storage_bytes(tensor_storage(t)),
               (uintptr_t)storage_data(tensor_storage(t)));
    line(text, "Storage:", shape.s ? shape.s : "", shape.n);
    text_free(&shape);
    (void)s;
}

static void put_value(Session *s, Value v, Text *text)
{
    Arena arena = { .heap = s->heap };
    Fact fact;
    Text number = { 0 };
    if (!snapshot_fact(s, &arena, v, 0, 0, &fact)) {
        arena_free(&arena);
        return;
    }
    if (fact.kind == FACT_LIST || fact.kind == FACT_TUPLE || fact.kind == FACT_DICT) {
        text_print(&number, "%zu", fact.length);
        line(text, "Length:", number.s ? number.s : "", number.n);
    } else if (fact.kind <= FACT_STR || (fact.kind == FACT_OTHER && fact.text)) {
        Err err = { .kind = ERR_NONE };
        if (fact.kind == FACT_OTHER)
            text_add(&number, fact.text, fact.text_size);
        else
            value_repr(s, v, &number, &err);
        bool cut = number.n > SHOWN;
        size_t n = cut ? SHOWN : number.n;
        while (cut && n > 0 && ((unsigned char)number.s[n] & 0xc0) == 0x80)
            n--;
        line(text, "Value:", number.s ? number.s : "", n);
        if (cut)
            text_put(text, "…");
    }
    text_free(&number);
    arena_free(&arena);
}

static void describe(Session *s, Value v, const char *name, size_t size, int detail, Text *text)
{
    Text signature = { 0 };
    size_t n;
    text_add(&signature, name, size);
    bool callable = look_signature(s, v, &signature);
    if (callable)
        line(text, "Signature:", signature.s ? signature.s : "", signature.n);
    text_free(&signature);
    const char *type = value_type_name(v);
    line(text, "Type:", type, strlen(type));
    if (value_is(v, TYPE_TENSOR) || value_is(v, TYPE_NDARRAY))
        put_tensor(s, v, text);
    else if (!callable)
        put_value(s, v, text);
    const char *doc = look_doc(s, v, &n);
    if (doc)
        put_doc(text, doc, n);
    Value function = value_is(v, TYPE_METHOD) ? ((Method *)v.object)->function : v;
    if (detail > 0 && value_is(function, TYPE_FUNCTION)) {
        Tuple *defaults;
        Dict *keyword_defaults;
        put_source(s, function_code(function, &defaults, &keyword_defaults), text);
    }
}

char *session_inspect(Session *s, const char *utf8, size_t n, size_t cursor, int detail)
{
    Around around;
    look_around(s, utf8, n, cursor, true, &around);
    size_t start = around.kind == AROUND_ATTRIBUTE && around.owner_end > around.owner ? around.owner
        : around.start;
    size_t size = around.kind == AROUND_NOTHING ? 0 : around.end - start;
    Value v = value_unset();
    if (size > 0 && (around.kind != AROUND_ATTRIBUTE || around.owner_end > around.owner))
        v = look_up(s, utf8 + start, size);
    if (value_is_unset(v) && around.callee_end > around.callee) {       /* not the word: the call around it */
        start = around.callee;
        size = around.callee_end - start;
        v = look_up(s, utf8 + start, size);
    }
    if (value_is_unset(v))
        return NULL;
    Text text = { 0 };
    describe(s, v, utf8 + start, size, detail, &text);
    value_release(v);
    char *s_text = text_end(&text);
    if (!s_text)
        text_free(&text);
    return s_text;
}
