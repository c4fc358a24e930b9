/*
 * str.c - text: UTF-8 inside, code points to the user. Names are interned: one object for one text.
 */
#include "lang/types/rows.h"
#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>

enum { INDEX_STEP = 64 };

/* ---- making --------------------------------------------------------------------------------------------- */
/* Counts code points of valid UTF-8; -1 when it is none. */
static int64_t count_points(const char *utf8, int64_t size, bool *ascii)
{
    int64_t n = 0;
    *ascii = true;
    for (int64_t i = 0; i < size; n++) {
        if ((unsigned char)utf8[i] < 0x80) {
            i++;
            continue;
        }
        utf8proc_int32_t point;
        utf8proc_ssize_t used = utf8proc_iterate((const utf8proc_uint8_t *)utf8 + i, size - i, &point);
        if (used <= 0)
            return -1;
        *ascii = false;
        i += used;
    }
    return n;
}

static Str *str_room(Session *s, int64_t size, Err *err)
{
    Str *str = heap_object_new(s->heap, sizeof *str + (size_t)size + 1, TYPE_STR, err);
    if (!str)
        return NULL;
    str->hash = 0;
    str->size = size;
    str->index = NULL;
    str->s[size] = 0;
    return str;
}

Str *str_new(Session *s, const char *utf8, int64_t size, Err *err)
{
    bool ascii;
    int64_t length = count_points(utf8, size, &ascii);
    if (length < 0) {
        err_set(err, ERR_VALUE, "the text is not valid UTF-8");
        return NULL;
    }
    Str *str = str_room(s, size, err);
    if (!str)
        return NULL;
    str->length = length;
    str->head.flags = ascii ? STR_ASCII : 0;
    memcpy(str->s, utf8, (size_t)size);
    return str;
}

Str *str_of_size(Session *s, int64_t size, int64_t length, Err *err)
{
    Str *str = str_room(s, size, err);
    if (str) {
        str->length = length;
        str->head.flags = size == length ? STR_ASCII : 0;
    }
    return str;
}

Str *str_from_text(Session *s, Text *text, Err *err)
{
    Str *str = NULL;
    if (text->failed)
        err_memory(err, text->n);
    else
        str = str_new(s, text->s ? text->s : "", (int64_t)text->n, err);
    text_free(text);
    return str;
}

bool text_out(Session *s, Text *text, Value *out, Err *err)
{
    return str_out(str_from_text(s, text, err), out);
}

uint64_t str_hash(Str *a)
{
    if (!a->hash) {
        uint64_t hash = 14695981039346656037u;          /* FNV-1a */
        for (int64_t i = 0; i < a->size; i++)
            hash = (hash ^ (unsigned char)a->s[i]) * 1099511628211u;
        a->hash = hash ? hash : 1;
    }
    return a->hash;
}

bool str_equal(const Str *a, const Str *b)
{
    return a == b || (a->size == b->size && !memcmp(a->s, b->s, (size_t)a->size));
}

/* ---- interned texts ------------------------------------------------------------------------------------- */
struct Interned { Str **slot; size_t used, capacity; };

static bool interned_grow(Session *s, struct Interned *table, Err *err)
{
    size_t capacity = table->capacity ? 2 * table->capacity : 512;
    Str **slot = mem_new(s->heap, capacity * sizeof *slot);
    if (!slot)
        return err_memory(err, capacity * sizeof *slot);
    memset(slot, 0, capacity * sizeof *slot);
    for (size_t i = 0; i < table->capacity; i++)
        if (table->slot[i]) {
            size_t at = str_hash(table->slot[i]) & (capacity - 1);
            while (slot[at])
                at = (at + 1) & (capacity - 1);
            slot[at] = table->slot[i];
        }
    mem_free(s->heap, table->slot);
    table->slot = slot;
    table->capacity = capacity;
    return true;
}

Str *str_intern(Session *s, const char *utf8, int64_t size, Err *err)
{
    struct Interned *table = s->interned;
    if (!table) {
        if (!(table = mem_new(s->heap, sizeof *table)))
            return err_memory(err, sizeof *table), NULL;
        memset(table, 0, sizeof *table);
        s->interned = table;
    }
    if (2 * table->used >= table->capacity && !interned_grow(s, table, err))
        return NULL;
    uint64_t hash = 14695981039346656037u;
    for (int64_t i = 0; i < size; i++)
        hash = (hash ^ (unsigned char)utf8[i]) * 1099511628211u;
    size_t at = (hash ? hash : 1) & (table->capacity - 1);
    for (; table->slot[at]; at = (at + 1) & (table->capacity - 1))
        if (table->slot[at]->size == size && !memcmp(table->slot[at]->s, utf8, (size_t)size)) {
            table->slot[at]->head.count++;
            return table->slot[at];
        }
    Str *str = str_new(s, utf8, size, err);
    if (!str)
        return NULL;
    str->head.flags |= STR_INTERNED;
    str->head.count++;                                  /* the table's */
    str_hash(str);
    table->slot[at] = str;
    table->used++;
    return str;
}

void interned_free(Session *s)
{
    struct Interned *table = s->interned;
    if (!table)
        return;
    for (size_t i = 0; i < table->capacity; i++)
        if (table->slot[i])
            object_release(&table->slot[i]->head);
    mem_free(s->heap, table->slot);
    mem_free(s->heap, table);
    s->interned = NULL;
}

/* ---- code points ---------------------------------------------------------------------------------------- */
static int64_t walk(const Str *str, int64_t at, int64_t points)
{
    for (; points; points--) {
        at++;
        while (((unsigned char)str->s[at] & 0xC0) == 0x80)
            at++;
    }
    return at;
}

int64_t str_offset(const Str *str, int64_t index)
{
    if (str->head.flags & STR_ASCII)
        return index;
    if (index == str->length)
        return str->size;
    if (str->length < 2 * INDEX_STEP)
        return walk(str, 0, index);
    int64_t *offsets = str->index;
    if (!offsets) {
        int64_t n = str->length / INDEX_STEP + 1;
        if (!(offsets = malloc((size_t)n * sizeof *offsets)))
            return walk(str, 0, index);
        offsets[0] = 0;
        for (int64_t k = 1; k < n; k++)
            offsets[k] = walk(str, offsets[k - 1], INDEX_STEP);
        ((Str *)str)->index = offsets;
    }
    return walk(str, offsets[index / INDEX_STEP], index % INDEX_STEP);
}

Str *str_slice(Session *s, Str *str, int64_t start, int64_t stop, Err *err)
{
    if (start == 0 && stop == str->length) {
        str->head.count++;
        return str;
    }
    if (stop <= start)
        return str_intern(s, "", 0, err);
    int64_t from = str_offset(str, start), to = str_offset(str, stop);
    if (stop - start == 1)
        return str_intern(s, str->s + from, to - from, err);    /* single characters are shared, as in CPython for Latin-1 */
    return str_new(s, str->s + from, to - from, err);
}

/* ---- the row -------------------------------------------------------------------------------------------- */
static void str_drop(Object *self)
{
    Str *str = (Str *)self;
    free(str->index);
    heap_object_free(str, sizeof *str + (size_t)str->size + 1);
}

static bool str_str(Session *s, Value self, Text *text, Err *err)
{
    (void)s, (void)err;
    text_add(text, ((Str *)self.object)->s, (size_t)((Str *)self.object)->size);
    return true;
}

static bool printable(utf8proc_int32_t point)
{
    switch (utf8proc_category(point)) {
    case UTF8PROC_CATEGORY_CC: case UTF8PROC_CATEGORY_CF: case UTF8PROC_CATEGORY_CS: case UTF8PROC_CATEGORY_CO: case UTF8PROC_CATEGORY_CN:
    case UTF8PROC_CATEGORY_ZL: case UTF8PROC_CATEGORY_ZP: return false;
    case UTF8PROC_CATEGORY_ZS: return point == ' ';
    default: return true;
    }
}

static bool str_repr(Session *s, Value self, Text *text, Err *err)
{
    const Str *str = (Str *)self.object;
    char quote = memchr(str->s, '\'', (size_t)str->size) && !memchr(str->s, '"', (size_t)str->size) ? '"' : '\'';
    (void)s, (void)err;
    text_char(text, quote);
    for (int64_t i = 0; i < str->size; ) {
        utf8proc_int32_t point;
        utf8proc_ssize_t used = utf8proc_iterate((const utf8proc_uint8_t *)str->s + i, str->size - i, &point);
        if (point == quote || point == '\\')
            text_print(text, "\\%c", (char)point);
        else if (point == '\n' || point == '\r' || point == '\t')
            text_put(text, point == '\n' ? "\\n" : point == '\r' ? "\\r" : "\\t");
        else if (printable(point))
            text_add(text, str->s + i, (size_t)used);
        else
            text_print(text, point < 0x100 ? "\\x%02x" : point < 0x10000 ? "\\u%04x" : "\\U%08x", (unsigned)point);
        i += used;
    }
    text_char(text, quote);
    return true;
}

static bool str_hash_row(Session *s, Value self, uint64_t *hash, Err *err)
{
    (void)s, (void)err;
    *hash = str_hash((Str *)self.object);
    return true;
}

static bool str_compare(Session *s, CompareOp op, Value a, Value b, Value *out, Err *err)
{
    (void)s, (void)err;
    *out = not_implemented_value();
    if (!value_is(a, TYPE_STR) || !value_is(b, TYPE_STR))
        return true;
    const Str *x = (Str *)a.object, *y = (Str *)b.object;
    if (op == CMP_EQ || op == CMP_NE)
        return *out = value_bool(str_equal(x, y) == (op == CMP_EQ)), true;
    int order = memcmp(x->s, y->s, (size_t)(x->size < y->size ? x->size : y->size));    /* UTF-8 keeps the order of code points */
    if (!order)
        order = (x->size > y->size) - (x->size < y->size);
    *out = value_bool(op == CMP_LT ? order < 0 : op == CMP_LE ? order <= 0 : op == CMP_GT ? order > 0 : order >= 0);
    return true;
}

static bool str_repeat(Session *s, const Str *str, Value times, Value *out, Err *err)
{
    int64_t n, size;
    if (!value_index(s, times, "the number of repeats", &n, err))
        return false;
    n = n < 0 ? 0 : n;
    if (__builtin_mul_overflow(n, str->size, &size) || size > (INT64_C(1) << 40))
        return err_memory(err, (size_t)-1);
    Str *made = str_room(s, size, err);
    if (!made)
        return false;
    if (size)
        memcpy(made->s, str->s, (size_t)str->size);
    for (int64_t done = str->size; done < size; done *= 2)      /* twice as much each time */
        memcpy(made->s + done, made->s, (size_t)(done < size - done ? done : size - done));
    made->length = n * str->length;
    made->head.flags = str->head.flags & STR_ASCII;
    return str_out(made, out);
}

static bool str_binary(Session *s, BinaryOp op, Value a, Value b, Value *out, Err *err)
{
    *out = not_implemented_value();
    bool left = value_is(a, TYPE_STR), right = value_is(b, TYPE_STR);
    if (op == BIN_MOD && left)
        return format_percent(s, (Str *)a.object, b, out, err);
    if (op == BIN_MUL && left && value_is_int(b))
        return str_repeat(s, (Str *)a.object, b, out, err);
    if (op == BIN_MUL && right && value_is_int(a))
        return str_repeat(s, (Str *)b.object, a, out, err);
    if (op == BIN_ADD && left && !right && !value_is(b, TYPE_INSTANCE)) {
        err_set(err, ERR_TYPE, "can only concatenate str (not \"%s\") to str", value_type_name(b));
        return err_hint(err, "str(x) or an f-string makes text of a value");
    }
    if (op != BIN_ADD || !left || !right)
        return true;
    const Str *x = (Str *)a.object, *y = (Str *)b.object;
    Str *made = str_room(s, x->size + y->size, err);
    if (!made)
        return false;
    memcpy(made->s, x->s, (size_t)x->size);
    memcpy(made->s + x->size, y->s, (size_t)y->size);
    made->length = x->length + y->length;
    made->head.flags = x->head.flags & y->head.flags & STR_ASCII;
    return str_out(made, out);
}

static bool str_length(Session *s, Value self, int64_t *length, Err *err)
{
    (void)s, (void)err;
    *length = ((Str *)self.object)->length;
    return true;
}

static bool str_get_item(Session *s, Value self, Value key, Value *out, Err *err)
{
    Str *str = (Str *)self.object;
    int64_t start, stop, step, count;
    if (!value_is(key, TYPE_SLICE)) {
        if (!value_is_int(key) && !value_is(key, TYPE_INSTANCE) && !value_is(key, TYPE_NPSCALAR))
            return err_set(err, ERR_TYPE, "string indices must be integers, not '%s'", value_type_name(key));
        if (!value_index(s, key, "a string index", &start, err))
            return false;
        if (start < -str->length || start >= str->length)
            return err_set(err, ERR_INDEX, "string index out of range");
        start += start < 0 ? str->length : 0;
        return str_out(str_slice(s, str, start, start + 1, err), out);
    }
    if (!slice_resolve(s, (Slice *)key.object, str->length, &start, &stop, &step, &count, err))
        return false;
    if (step == 1)
        return str_out(str_slice(s, str, start, start + count, err), out);
    Text text = { 0 };
    for (int64_t k = 0; k < count; k++) {
        int64_t at = str_offset(str, start + k * step);
        text_add(&text, str->s + at, (size_t)(walk(str, at, 1) - at));
    }
    return text_out(s, &text, out, err);
}

static bool str_contains(Session *s, Value self, Value item, bool *found, Err *err)
{
    (void)s;
    if (!value_is(item, TYPE_STR))
        return err_set(err, ERR_TYPE, "'in <string>' requires string as left operand, not %s", value_type_name(item));
    const Str *str = (Str *)self.object, *part = (Str *)item.object;
    *found = memmem(str->s, (size_t)str->size, part->s, (size_t)part->size) != NULL;
    return true;
}

static bool str_format_row(Session *s, Value self, const char *spec, size_t n, Text *text, Err *err)
{
    const Str *str = (Str *)self.object;
    return format_text(s, str->s, (size_t)str->size, spec, n, text, err);
}


const Type type_str = {
    .name = "str", .drop = str_drop, .repr = str_repr, .str = str_str, .hash = str_hash_row, .compare = str_compare, .binary = str_binary,
    .length = str_length, .get_item = str_get_item, .contains = str_contains, .iter = iterator_over, .format = str_format_row,
    .methods = str_methods,
};
