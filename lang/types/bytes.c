/*
 * bytes.c - bytes: laid out as a Str, whose `s` holds any bytes and whose length is its size.
 */
#include "lang/types/containers.h"
#include "lang/types/native.h"
#include "lang/types/rows.h"
#include <string.h>

Str *bytes_new(Session *s, const char *bytes, int64_t size, Err *err)
{
    Str *made = heap_object_new(s->heap, sizeof *made + (size_t)size + 1, TYPE_BYTES, err);
    if (!made)
        return NULL;
    made->hash = 0;
    made->size = made->length = size;
    made->index = NULL;
    if (size)
        memcpy(made->s, bytes, (size_t)size);
    made->s[size] = 0;
    return made;
}

static bool bytes_out(Session *s, const char *bytes, int64_t size, Value *out, Err *err)
{
    return str_out(bytes_new(s, bytes, size, err), out);
}

/* What a Text has gathered, which is freed. */
static bool gathered(Session *s, Text *text, Value *out, Err *err)
{
    bool ok = !text->failed ? bytes_out(s, text->n ? text->s : "", (int64_t)text->n, out, err) : err_memory(err, text->n);
    text_free(text);
    return ok;
}

static void bytes_drop(Object *self)
{
    heap_object_free(self, sizeof(Str) + (size_t)((Str *)self)->size + 1);
}

static bool bytes_repr(Session *s, Value self, Text *text, Err *err)
{
    const Str *b = (Str *)self.object;
    char quote = memchr(b->s, '\'', (size_t)b->size) && !memchr(b->s, '"', (size_t)b->size) ? '"' : '\'';
    (void)s, (void)err;
    text_print(text, "b%c", quote);
    for (int64_t i = 0; i < b->size; i++) {
        unsigned char c = (unsigned char)b->s[i];
        if (c == '\\' || c == quote)
            text_print(text, "\\%c", c);
        else if (c == '\n' || c == '\t' || c == '\r')
            text_put(text, c == '\n' ? "\\n" : c == '\t' ? "\\t" : "\\r");
        else
            text_print(text, c >= 32 && c < 127 ? "%c" : "\\x%02x", c);
    }
    text_char(text, quote);
    return true;
}

static bool bytes_hash(Session *s, Value self, uint64_t *hash, Err *err)
{
    (void)s, (void)err;
    *hash = str_hash((Str *)self.object);
    return true;
}

static bool bytes_length(Session *s, Value self, int64_t *length, Err *err)
{
    (void)s, (void)err;
    *length = ((Str *)self.object)->size;
    return true;
}

static bool bytes_compare(Session *s, CompareOp op, Value a, Value b, Value *out, Err *err)
{
    (void)s, (void)err;
    *out = not_implemented_value();
    if (!value_is(a, TYPE_BYTES) || !value_is(b, TYPE_BYTES))
        return true;
    const Str *x = (Str *)a.object, *y = (Str *)b.object;
    int64_t least = x->size < y->size ? x->size : y->size;
    int order = least ? memcmp(x->s, y->s, (size_t)least) : 0;
    if (!order)
        order = x->size < y->size ? -1 : x->size > y->size;
    *out = value_bool(op == CMP_LT ? order < 0 : op == CMP_LE ? order <= 0 : op == CMP_EQ ? order == 0 : op == CMP_NE ? order != 0
                    : op == CMP_GT ? order > 0 : order >= 0);
    return true;
}

static bool bytes_binary(Session *s, BinaryOp op, Value a, Value b, Value *out, Err *err)
{
    *out = not_implemented_value();
    if (op == BIN_ADD && value_is(a, TYPE_BYTES) && value_is(b, TYPE_BYTES)) {
        Text text = { 0 };
        text_add(&text, ((Str *)a.object)->s, (size_t)((Str *)a.object)->size);
        text_add(&text, ((Str *)b.object)->s, (size_t)((Str *)b.object)->size);
        return gathered(s, &text, out, err);
    }
    if (op == BIN_MUL && (value_is_int(a) || value_is_int(b))) {
        const Str *one = (Str *)(value_is_int(a) ? b : a).object;
        int64_t n = 0;
        Text text = { 0 };
        if (!value_index(s, value_is_int(a) ? a : b, "the number of copies", &n, err))
            return false;
        if (n > 0 && one->size > INT32_MAX / n)
            return err_memory(err, (size_t)INT64_MAX);
        for (; n > 0; n--)
            text_add(&text, one->s, (size_t)one->size);
        return gathered(s, &text, out, err);
    }
    return true;
}

static bool bytes_get_item(Session *s, Value self, Value key, Value *out, Err *err)
{
    const Str *b = (Str *)self.object;
    int64_t start, stop, step, count;
    Text text = { 0 };
    if (!value_is(key, TYPE_SLICE)) {
        if (!sequence_index(s, key, b->size, "bytes", &start, err))
            return false;
        *out = int_new(s, (unsigned char)b->s[start]);
        return true;
    }
    if (!slice_resolve(s, (Slice *)key.object, b->size, &start, &stop, &step, &count, err))
        return false;
    for (int64_t k = 0; k < count; k++)
        text_char(&text, b->s[start + k * step]);
    return gathered(s, &text, out, err);
}

static bool bytes_iter(Session *s, Value self, Value *out, Err *err)
{
    const Str *b = (Str *)self.object;
    List *list = list_new(s, b->size, err);
    bool ok = list;
    for (int64_t k = 0; ok && k < b->size; k++)
        ok = list_append(s, list, int_new(s, (unsigned char)b->s[k]), err);
    ok = ok && iterator_over(s, value_object_take(list), out, err);
    if (list)
        object_release(&list->head);
    return ok;
}

/* ---- methods ------------------------------------------------------------------------------------------------ */
#define METHOD(name) static bool name(Session *s, Value self, Value *arg, Value *out, Err *err)
#define SELF const Str *b = (Str *)self.object

static bool want_bytes(Value v, const Str **bytes, Err *err)
{
    *bytes = (Str *)v.object;
    return value_is(v, TYPE_BYTES) || err_set(err, ERR_TYPE, "a bytes-like object is required, not '%s'", value_type_name(v));
}

static int64_t find_from(const Str *b, const Str *part, int64_t at)
{
    if (at > b->size)
        return -1;
    const char *found = part->size ? memmem(b->s + at, (size_t)(b->size - at), part->s, (size_t)part->size) : b->s + at;
    return found ? found - b->s : -1;
}

static bool bytes_contains(Session *s, Value self, Value item, bool *found, Err *err)
{
    SELF;
    const Str *part;
    int64_t byte;
    if (value_is_int(item)) {
        if (!value_index(s, item, "a byte", &byte, err))
            return false;
        *found = byte >= 0 && byte < 256 && memchr(b->s, (int)byte, (size_t)b->size);
        return true;
    }
    if (!want_bytes(item, &part, err))
        return false;
    *found = find_from(b, part, 0) >= 0;
    return true;
}

METHOD(decode)
{
    SELF;
    const char *encoding = value_is(arg[0], TYPE_STR) ? ((Str *)arg[0].object)->s : "utf-8";
    const char *errors = value_is(arg[1], TYPE_STR) ? ((Str *)arg[1].object)->s : "strict";
    bool latin = !strcasecmp(encoding, "latin-1") || !strcasecmp(encoding, "latin1") || !strcasecmp(encoding, "iso-8859-1");
    bool ascii = !strcasecmp(encoding, "ascii");
    if (!latin && !ascii && strcasecmp(encoding, "utf-8") && strcasecmp(encoding, "utf8"))
        return err_set(err, ERR_LOOKUP, "unknown encoding: %.100s", encoding) || err_hint(err, "Locus knows utf-8, ascii and latin-1");
    Text text = { 0 };
    for (int64_t k = 0; k < b->size; k++) {
        unsigned char c = (unsigned char)b->s[k];
        if (latin && c >= 128) {
            text_char(&text, (char)(0xc0 | c >> 6));
            text_char(&text, (char)(0x80 | (c & 63)));
        } else if (ascii && c >= 128) {
            text_free(&text);
            return err_set(err, ERR_UNICODE_DECODE, "'ascii' codec can't decode byte 0x%02x in position %lld: ordinal not in range(128)", c, (long long)k);
        } else
            text_char(&text, (char)c);
    }
    if (text_out(s, &text, out, err))
        return true;
    if (err->kind != ERR_VALUE)
        return false;
    if (strcmp(errors, "strict"))
        return err_set(err, ERR_LOOKUP, "errors='%.50s' is not supported by Locus", errors);
    return err_set(err, ERR_UNICODE_DECODE, "'utf-8' codec can't decode these bytes: they are no UTF-8 text");
}

METHOD(hex)
{
    SELF;
    Text text = { 0 };
    (void)arg;
    for (int64_t k = 0; k < b->size; k++)
        text_print(&text, "%02x", (unsigned char)b->s[k]);
    return text_out(s, &text, out, err);
}

METHOD(fromhex)
{
    Text text = { 0 };
    (void)self;
    if (!value_is(arg[0], TYPE_STR))
        return err_set(err, ERR_TYPE, "fromhex() argument must be str, not %s", value_type_name(arg[0]));
    const Str *digits = (Str *)arg[0].object;
    static const char hex_digits[] = "0123456789abcdef";
    for (int64_t k = 0; k < digits->size; k += 2) {
        while (digits->s[k] == ' ')
            k++;
        const char *high = k < digits->size ? strchr(hex_digits, digits->s[k] | 32) : NULL;
        const char *low = high && k + 1 < digits->size ? strchr(hex_digits, digits->s[k + 1] | 32) : NULL;
        if (k < digits->size && !low) {
            text_free(&text);
            return err_set(err, ERR_VALUE, "non-hexadecimal number found in fromhex() arg at position %lld", (long long)(high ? k + 1 : k));
        }
        if (low)
            text_char(&text, (char)((high - hex_digits) << 4 | (low - hex_digits)));
    }
    return gathered(s, &text, out, err);
}

/* find, rfind, index, count: the payload is 0, 1, 2, 3. */
METHOD(find)
{
    SELF;
    const Str *part;
    int64_t at = -1, n = 0;
    if (!want_bytes(arg[0], &part, err))
        return false;
    for (int64_t next = 0; (next = find_from(b, part, next)) >= 0; next += part->size && arg[-1].i == 3 ? part->size : 1) {
        at = at < 0 || arg[-1].i == 1 ? next : at;
        n++;
        if (arg[-1].i == 0 || arg[-1].i == 2)
            break;
    }
    if (arg[-1].i == 2 && at < 0)
        return err_set(err, ERR_VALUE, "subsection not found");
    *out = int_new(s, arg[-1].i == 3 ? n : at);
    return true;
}

/* startswith, endswith: the payload is 0, 1. */
METHOD(begins)
{
    SELF;
    const Str *part;
    (void)s;
    if (!want_bytes(arg[0], &part, err))
        return false;
    *out = value_bool(part->size <= b->size && !memcmp(arg[-1].i ? b->s + b->size - part->size : b->s, part->s, (size_t)part->size));
    return true;
}

/* lower, upper: the payload is 0, 1. */
METHOD(letters)
{
    SELF;
    if (!bytes_out(s, b->s, b->size, out, err))
        return false;
    char *to = ((Str *)out->object)->s;
    (void)arg;
    for (int64_t k = 0; k < b->size; k++)
        if (arg[-1].i ? to[k] >= 'a' && to[k] <= 'z' : to[k] >= 'A' && to[k] <= 'Z')
            to[k] ^= 32;
    return true;
}

/* strip, lstrip, rstrip: the payload is 3, 1, 2. */
METHOD(strip)
{
    SELF;
    const Str *set = NULL;
    int64_t start = 0, stop = b->size;
    if (!value_is_none(arg[0]) && !want_bytes(arg[0], &set, err))
        return false;
    const char *blank = set ? set->s : " \t\n\r\f\v";
    size_t n = set ? (size_t)set->size : 6;
    while (arg[-1].i & 1 && start < stop && memchr(blank, b->s[start], n))
        start++;
    while (arg[-1].i & 2 && start < stop && memchr(blank, b->s[stop - 1], n))
        stop--;
    return bytes_out(s, b->s + start, stop - start, out, err);
}

METHOD(replace)
{
    SELF;
    const Str *from, *to;
    Text text = { 0 };
    int64_t at = 0, next;
    if (!want_bytes(arg[0], &from, err) || !want_bytes(arg[1], &to, err))
        return false;
    if (!from->size)
        return err_set(err, ERR_VALUE, "replace() of empty bytes is not supported by Locus");
    while ((next = find_from(b, from, at)) >= 0) {
        text_add(&text, b->s + at, (size_t)(next - at));
        text_add(&text, to->s, (size_t)to->size);
        at = next + from->size;
    }
    text_add(&text, b->s + at, (size_t)(b->size - at));
    return gathered(s, &text, out, err);
}

static bool add_piece(Session *s, List *list, const char *bytes, int64_t size, Err *err)
{
    Value piece;
    if (!bytes_out(s, bytes, size, &piece, err))
        return false;
    bool ok = list_append(s, list, piece, err);
    value_release(piece);
    return ok;
}

METHOD(split)
{
    SELF;
    const Str *by = NULL;
    List *list = NULL;
    bool ok = (value_is_none(arg[0]) || want_bytes(arg[0], &by, err)) && (!by || by->size || err_set(err, ERR_VALUE, "empty separator"))
           && (list = list_new(s, 0, err));
    int64_t at = 0, next;
    while (ok && by && (next = find_from(b, by, at)) >= 0) {
        ok = add_piece(s, list, b->s + at, next - at, err);
        at = next + by->size;
    }
    while (ok && !by) {
        at += (int64_t)strspn(b->s + at, " \t\n\r\f\v");
        if (at >= b->size)
            break;
        next = at + (int64_t)strcspn(b->s + at, " \t\n\r\f\v");
        ok = add_piece(s, list, b->s + at, next - at, err);
        at = next;
    }
    ok = ok && (!by || add_piece(s, list, b->s + at, b->size - at, err));
    if (ok)
        *out = value_object_take(list);
    else if (list)
        object_release(&list->head);
    return ok;
}

METHOD(join)
{
    SELF;
    Text text = { 0 };
    const Str *part;
    List *list = value_to_list(s, arg[0], err);
    bool ok = list;
    for (int64_t k = 0; ok && k < list->n; k++) {
        if (k)
            text_add(&text, b->s, (size_t)b->size);
        if ((ok = want_bytes(list->item[k], &part, err)))
            text_add(&text, part->s, (size_t)part->size);
    }
    if (list)
        object_release(&list->head);
    if (!ok)
        text_free(&text);
    return ok && gathered(s, &text, out, err);
}

static const NativeRow methods[] = {
    { "count", find, "sub, /", 3, NULL },
    { "decode", decode, "encoding = 'utf-8', errors = 'strict'", 0, "The text that they are." },
    { "endswith", begins, "suffix, /", 1, NULL },
    { "find", find, "sub, /", 0, NULL },
    { "fromhex", fromhex, "string, /", ROW_STATIC, NULL },
    { "hex", hex, "", 0, "Two hexadecimal digits for each." },
    { "index", find, "sub, /", 2, NULL },
    { "join", join, "iterable, /", 0, NULL },
    { "lower", letters, "", 0, NULL },
    { "lstrip", strip, "bytes = None, /", 1, NULL },
    { "replace", replace, "old, new, /", 0, NULL },
    { "rfind", find, "sub, /", 1, NULL },
    { "rstrip", strip, "bytes = None, /", 2, NULL },
    { "split", split, "sep = None", 0, NULL },
    { "startswith", begins, "prefix, /", 0, NULL },
    { "strip", strip, "bytes = None, /", 3, NULL },
    { "upper", letters, "", 1, NULL },
    { 0 }
};

const Type type_bytes = {
    .name = "bytes", .drop = bytes_drop, .repr = bytes_repr, .hash = bytes_hash, .length = bytes_length, .compare = bytes_compare,
    .binary = bytes_binary, .get_item = bytes_get_item, .contains = bytes_contains, .iter = bytes_iter, .methods = methods,
};
