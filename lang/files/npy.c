/*
 * npy.c - np.save and np.load: a header that says dtype and shape, then the elements; .npz is a zip archive of such files.
 */
#include "lang/files/files.h"

/* ---- the header ------------------------------------------------------------------------------------------------------ */
typedef struct Header { DType dtype; bool columns, object, swapped; int ndim; int64_t shape[64]; size_t data; } Header;

static bool bad(const char *why, Err *err) { return err_set(err, ERR_VALUE, "this is no .npy file, or a damaged one: %s", why); }

static const char *skip(const char *p, const char *end)
{
    while (p < end && (*p == ' ' || *p == '\n'))
        p++;
    return p;
}

static const char *quoted(const char *p, const char *end, const char **text, size_t *n)
{
    char quote = p < end ? *p : 0;
    if (quote != '\'' && quote != '"')
        return NULL;
    const char *close = memchr(p + 1, quote, (size_t)(end - p - 1));
    *text = p + 1;
    *n = close ? (size_t)(close - p - 1) : 0;
    return close ? close + 1 : NULL;
}

static const char *read_shape(const char *p, const char *end, Header *h)
{
    if (p == end || *p++ != '(')
        return NULL;
    for (h->ndim = 0; (p = skip(p, end)) < end && *p != ')'; ) {
        int64_t size = 0;
        const char *from = p;
        for (; p < end && *p >= '0' && *p <= '9'; p++)
            if (__builtin_mul_overflow(size, (int64_t)10, &size) || __builtin_add_overflow(size, (int64_t)(*p - '0'), &size))
                return NULL;
        if (p < end && *p == 'L')
            p++;
        if (p == from || h->ndim == 64)
            return NULL;
        h->shape[h->ndim++] = size;
        p = skip(p, end);
        if (p < end && *p == ',')
            p++;
        else if (p == end || *p != ')')
            return NULL;
    }
    return p < end ? p + 1 : NULL;
}

static bool read_dtype(const char *text, size_t n, Header *h, Err *err)
{
    static const struct { const char *name; DType dtype; } names[] = {
        { "b1", DT_BOOL }, { "u1", DT_U8 }, { "i1", DT_I8 }, { "i2", DT_I16 }, { "i4", DT_I32 }, { "i8", DT_I64 }, { "f2", DT_F16 },
        { "f4", DT_F32 }, { "f8", DT_F64 },
    };
    if (n == 2 && text[1] == 'O')
        return err_set(err, ERR_VALUE, "Object arrays cannot be loaded when allow_pickle=False");
    for (size_t k = 0; n == 3 && k < sizeof names / sizeof *names; k++)
        if (!memcmp(text + 1, names[k].name, 2) && (strchr("<=|", text[0]) || (text[0] == '>' && dtype_size(names[k].dtype) == 1))) {
            h->dtype = names[k].dtype;
            return true;
        }
    return err_set(err, ERR_VALUE, "arrays of dtype '%.*s' are not supported by Locus", n > 40 ? 40 : (int)n, text);
}

/* The header is a dict as Python writes it, of three entries in any order. */
static bool read_dict(const char *p, const char *end, Header *h, Err *err)
{
    int seen = 0;
    const char *key, *text;
    size_t n, size;
    p = skip(p, end);
    if (p == end || *p++ != '{')
        return bad("its header is no dict", err);
    while ((p = skip(p, end)) < end && *p != '}') {
        if (!(p = quoted(p, end, &key, &n)) || (p = skip(p, end)) == end || *p++ != ':')
            return bad("its header cannot be read", err);
        p = skip(p, end);
        if (n == 5 && !memcmp(key, "descr", 5)) {
            if (!(p = quoted(p, end, &text, &size)))
                return err_set(err, ERR_VALUE, "arrays of structures are not supported by Locus");
            if (!read_dtype(text, size, h, err))
                return false;
            seen |= 1;
        } else if (n == 13 && !memcmp(key, "fortran_order", 13)) {
            h->columns = end - p >= 4 && !memcmp(p, "True", 4);
            if (!h->columns && (end - p < 5 || memcmp(p, "False", 5)))
                return bad("its header cannot be read", err);
            p += h->columns ? 4 : 5;
            seen |= 2;
        } else if (n == 5 && !memcmp(key, "shape", 5)) {
            if (!(p = read_shape(p, end, h)))
                return bad("its shape cannot be read", err);
            seen |= 4;
        } else
            return bad("its header has an unknown entry", err);
        p = skip(p, end);
        if (p < end && *p == ',')
            p++;
    }
    return (seen == 7 && p < end) || bad("its header is not whole", err);
}

static bool read_header(const unsigned char *data, size_t n, Header *h, Err *err)
{
    if (n < 10 || memcmp(data, "\x93NUMPY", 6))
        return bad("it does not begin as one", err);
    size_t wide = data[6] == 1 ? 2 : 4, from = 8 + wide;
    if (data[6] < 1 || data[6] > 3 || n < from)
        return bad("its version is unknown", err);
    uint64_t size = bytes_le(data + 8, (int)wide);
    if (size > n - from || size > 1 << 20)
        return bad("its header is cut off", err);
    h->data = from + (size_t)size;
    return read_dict((const char *)data + from, (const char *)data + h->data, h, err);
}

static bool array_of_bytes(Session *s, const unsigned char *data, size_t n, Value *out, Err *err)
{
    Header h = { .dtype = DT_NONE };
    *out = value_unset();
    if (!read_header(data, n, &h, err))
        return false;
    int64_t bytes = (int64_t)dtype_size(h.dtype);
    for (int d = 0; d < h.ndim; d++)
        if (__builtin_mul_overflow(bytes, h.shape[d], &bytes))
            return bad("its shape is beyond all memory", err);
    if ((uint64_t)bytes > n - h.data)
        return err_set(err, ERR_VALUE, "the file ends after %zu of %lld bytes of elements", n - h.data, (long long)bytes);
    for (int d = 0; h.columns && d < h.ndim / 2; d++) {
        int64_t kept = h.shape[d];
        h.shape[d] = h.shape[h.ndim - 1 - d];
        h.shape[h.ndim - 1 - d] = kept;
    }
    Tensor *t = np_empty(s, h.dtype, h.ndim, h.shape, err);
    if (!t)
        return false;
    if (bytes)
        memcpy(tensor_data(t), data + h.data, (size_t)bytes);
    if (h.dtype == DT_BOOL)
        for (int64_t k = 0; k < bytes; k++)             /* a bool is 0 or 1, whatever the file says */
            ((uint8_t *)tensor_data(t))[k] = ((uint8_t *)tensor_data(t))[k] != 0;
    if (h.columns && h.ndim > 1) {
        Tensor *turned = np_op(s, OP_T, 1, (Arg[]){ arg_t(t) }, err);
        tensor_release(t);
        t = turned;
    }
    return array_out(t, out);
}

/* The header of an array, padded so that the elements begin at a multiple of 64; room for the first size to grow. */
static void write_header(const Tensor *t, bool columns, Text *text)
{
    static const char *const names[DT_COUNT] = { [DT_BOOL] = "|b1", [DT_U8] = "|u1", [DT_I8] = "|i1", [DT_I16] = "<i2", [DT_I32] = "<i4",
                                                 [DT_I64] = "<i8", [DT_F16] = "<f2", [DT_F32] = "<f4", [DT_F64] = "<f8" };
    Text dict = { 0 };
    text_print(&dict, "{'descr': '%s', 'fortran_order': %s, 'shape': (", names[tensor_dtype(t)], columns ? "True" : "False");
    for (int d = 0; d < tensor_ndim(t); d++)
        text_print(&dict, d ? ", %lld" : "%lld", (long long)tensor_shape(t)[d]);
    text_put(&dict, tensor_ndim(t) == 1 ? ",), }" : "), }");
    if (tensor_ndim(t)) {
        int digits = snprintf(NULL, 0, "%lld", (long long)tensor_shape(t)[columns ? tensor_ndim(t) - 1 : 0]);
        text_fill(&dict, ' ', (size_t)(21 - digits));
    }
    size_t padding = 64 - (10 + dict.n + 1) % 64;
    text_add(text, "\x93NUMPY\1\0", 8);
    text_le(text, dict.n + padding + 1, 2);
    text_add(text, dict.s, dict.n);
    text_fill(text, ' ', padding);
    text_char(text, '\n');
    text->failed = text->failed || dict.failed;
    text_free(&dict);
}

/* The elements in the order in which they are written, and the header: a new reference. */
static Tensor *prepare(Session *s, Value v, Text *header, Err *err)
{
    Tensor *t = np_array(s, v, DT_NONE, err), *dense = NULL;
    if (!t)
        return NULL;
    Tensor *turned = tensor_is_contiguous(t) ? NULL : np_op(s, OP_T, 1, (Arg[]){ arg_t(t) }, err);
    bool columns = turned && tensor_is_contiguous(turned);
    dense = columns ? tensor_retain(turned) : np_op(s, OP_contiguous, 1, (Arg[]){ arg_t(t) }, err);
    write_header(t, columns, header);
    tensor_release(turned);
    tensor_release(t);
    return dense;
}

/* ---- np.save, np.savez -------------------------------------------------------------------------------------------------- */
static Str *with_ending(Session *s, Str *path, const char *ending, Err *err)
{
    size_t n = strlen(ending), size = (size_t)path->size;
    if (size >= n && !strcmp(path->s + size - n, ending))
        return (Str *)value_retain(value_object_take(path)).object;
    Text text = { 0 };
    text_add(&text, path->s, size);
    text_put(&text, ending);
    return str_from_text(s, &text, err);
}

NATIVE(np_save)
{
    Str *path;
    Text header = { 0 };
    (void)self;
    *out = value_none();
    if (!want_path(s, arg[0], "save", &path, err) || !(path = with_ending(s, path, ".npy", err)))
        return false;
    Tensor *t = prepare(s, arg[1], &header, err);
    bool ok = t && (!header.failed || err_memory(err, header.n));
    FILE *file = ok ? file_create(path, err) : NULL;
    ok = file && file_put(file, header.s, header.n, path, err)
      && file_put(file, tensor_data(t), (size_t)tensor_numel(t) * dtype_size(tensor_dtype(t)), path, err);
    if (file)
        ok = file_end(file, path, ok, err);
    text_free(&header);
    tensor_release(t);
    object_release(&path->head);
    return ok;
}

static bool add_array(Session *s, ZipWriter *w, const char *name, Value v, bool deflated, Err *err)
{
    Text text = { 0 }, full = { 0 };
    Tensor *t = prepare(s, v, &text, err);
    if (t)
        text_add(&text, tensor_numel(t) ? tensor_data(t) : "", (size_t)tensor_numel(t) * dtype_size(tensor_dtype(t)));
    text_print(&full, "%s.npy", name);
    bool ok = t && ((!text.failed && text_end(&full)) || err_memory(err, text.n))
           && zip_add(w, full.s, text.s, text.n, 0, deflated, err);
    tensor_release(t);
    text_free(&text);
    text_free(&full);
    return ok;
}

NATIVE(np_savez)
{
    bool deflated = arg[-1].i;
    const Tuple *by_place = (Tuple *)arg[1].object;
    Dict *by_name = (Dict *)arg[2].object;
    Value key, value;
    ZipWriter w;
    Str *path;
    char name[32];
    (void)self;
    *out = value_none();
    if (!want_path(s, arg[0], "savez", &path, err) || !(path = with_ending(s, path, ".npz", err)))
        return false;
    bool ok = zip_create(&w, path, err);
    if (ok) {
        for (int64_t at = 0; ok && dict_next(by_name, &at, &key, &value); )
            ok = add_array(s, &w, ((Str *)key.object)->s, value, deflated, err);
        for (int64_t k = 0; ok && k < by_place->n; k++) {
            snprintf(name, sizeof name, "arr_%lld", (long long)k);
            ok = add_array(s, &w, name, by_place->item[k], deflated, err);
        }
        ok = zip_finish(&w, ok, err);
    }
    object_release(&path->head);
    return ok;
}

/* ---- np.load --------------------------------------------------------------------------------------------------------------- */
/* An open .npz: held[0] the path, held[1] the list of names. An array is read when it is asked for, as NumPy does. */
static NativeObject *npz_of(Value v) { return (NativeObject *)v.object; }
static Str *npz_path(Value v) { return (Str *)npz_of(v)->held[0].object; }
static List *npz_names(Value v) { return (List *)npz_of(v)->held[1].object; }

static bool member(Session *s, const Zip *zip, const ZipEntry *entry, Value *out, Err *err)
{
    unsigned char *data = mem_new(s->heap, (size_t)(entry->size ? entry->size : 1));
    bool ok = data ? zip_read(zip, entry, data, err) && array_of_bytes(s, data, (size_t)entry->size, out, err) : err_memory(err, (size_t)entry->size);
    mem_free(s->heap, data);
    return ok;
}

static bool npz_get_item(Session *s, Value self, Value key, Value *out, Err *err)
{
    Zip zip;
    Str *name;
    *out = value_unset();
    if (!want_str(key, "the name of an array", &name, err))
        return false;
    if (npz_of(self)->number)
        return err_set(err, ERR_ATTRIBUTE, "the file is closed");
    if (!zip_open(s, npz_path(self), &zip, err))
        return np_error(err);
    Text full = { 0 };
    text_print(&full, "%s.npy", name->s);
    const ZipEntry *entry = text_end(&full) ? zip_find(&zip, full.s, full.n) : NULL;
    if (!entry)
        entry = zip_find(&zip, name->s, (size_t)name->size);
    bool ok = entry ? member(s, &zip, entry, out, err) || np_error(err) : raise_with(s, ERR_KEY, &key, 1, err);
    text_free(&full);
    zip_close(&zip);
    return ok;
}

static bool npz_length(Session *s, Value self, int64_t *length, Err *err)
{
    (void)s, (void)err;
    *length = npz_names(self)->n;
    return true;
}

static bool npz_iter(Session *s, Value self, Value *out, Err *err) { return value_iter(s, npz_of(self)->held[1], out, err); }

static bool npz_contains(Session *s, Value self, Value item, bool *found, Err *err) { return value_contains(s, npz_of(self)->held[1], item, found, err); }

static bool npz_get_attr(Session *s, Value self, Str *name, Value *out, Err *err)
{
    (void)s, (void)err;
    *out = strcmp(name->s, "files") ? value_unset() : value_retain(npz_of(self)->held[1]);
    return true;
}

static bool npz_repr(Session *s, Value self, Text *text, Err *err)
{
    (void)s, (void)err;
    text_print(text, "NpzFile '%s' with keys: ", npz_path(self)->s);
    for (int64_t k = 0; k < npz_names(self)->n && k < 5; k++)
        text_print(text, k ? ", %s" : "%s", ((Str *)npz_names(self)->item[k].object)->s);
    if (npz_names(self)->n > 5)
        text_put(text, "...");
    return true;
}

enum { N_KEYS, N_VALUES, N_ITEMS };

NATIVE(npz_lists)
{
    int what = (int)arg[-1].i;
    List *names = npz_names(self), *made = list_new(s, names->n, err);
    bool ok = made;
    for (int64_t k = 0; ok && k < names->n; k++) {
        Value item = value_unset();
        if (what == N_KEYS)
            ok = list_append(s, made, names->item[k], err);
        else if ((ok = npz_get_item(s, self, names->item[k], &item, err)) && what == N_ITEMS) {
            Tuple *pair = tuple_new(s, 2, err);
            if ((ok = pair)) {
                pair->item[0] = value_retain(names->item[k]);
                pair->item[1] = item;
                item = value_object_take(pair);
            }
        }
        ok = ok && (what == N_KEYS || list_append(s, made, item, err));
        value_release(item);
    }
    if (!ok && made)
        object_release(&made->head);
    *out = ok ? value_object_take(made) : value_unset();
    return ok;
}

NATIVE(npz_enter)
{
    UNUSED;
    *out = value_retain(self);
    return true;
}

NATIVE(npz_close)
{
    UNUSED;
    npz_of(self)->number = 1;
    *out = value_none();
    return true;
}

static const NativeRow npz_methods[] = {
    { "keys", npz_lists, "", N_KEYS, "The names of the arrays." },
    { "values", npz_lists, "", N_VALUES, NULL },
    { "items", npz_lists, "", N_ITEMS, NULL },
    { "close", npz_close, "", 0, NULL },
    { "__enter__", npz_enter, "", 0, NULL },
    { "__exit__", npz_close, "*args", 0, NULL },
    { 0 },
};
static const Type type_npz = {
    .name = "NpzFile", .repr = npz_repr, .length = npz_length, .get_item = npz_get_item, .contains = npz_contains, .iter = npz_iter,
    .get_attr = npz_get_attr, .methods = npz_methods,
};

static bool open_npz(Session *s, Str *path, Value *out, Err *err)
{
    Zip zip;
    if (!zip_open(s, path, &zip, err))
        return np_error(err);
    List *names = list_new(s, (int64_t)zip.n, err);
    bool ok = names;
    for (size_t k = 0; ok && k < zip.n; k++) {
        size_t n = zip.entry[k].name_size;
        n -= n > 4 && !memcmp(zip.entry[k].name + n - 4, ".npy", 4) ? 4 : 0;
        Str *name = str_new(s, zip.entry[k].name, (int64_t)n, err);
        ok = name && list_append(s, names, value_object_take(name), err);
        if (name)
            object_release(&name->head);
    }
    zip_close(&zip);
    NativeObject *made = ok ? native_new(s, &type_npz, value_object_take(path), value_object_take(names), value_unset(), err) : NULL;
    if (names)
        object_release(&names->head);
    *out = made ? value_object_take(made) : value_unset();
    return made;
}

NATIVE(np_load)
{
    Str *path;
    Blob blob;
    bool pickled;
    (void)self;
    *out = value_unset();
    if (!want_path(s, arg[0], "load", &path, err) || !value_truth(s, arg[1], &pickled, err))
        return false;
    if (pickled)
        return err_set(err, ERR_NOT_IMPLEMENTED, "load(allow_pickle=True) is not supported by Locus");
    if (!blob_read(s, path, &blob, err))
        return false;
    bool zipped = blob.n >= 4 && (!memcmp(blob.data, "PK\3\4", 4) || !memcmp(blob.data, "PK\5\6", 4));
    bool ok = zipped || array_of_bytes(s, blob.data, blob.n, out, err);
    mem_free(s->heap, blob.data);
    return zipped ? open_npz(s, path, out, err) : ok;
}

const NativeRow npfile_rows[] = {
    { "save", np_save, "file, arr", 0, "Writes an array into a .npy file." },
    { "savez", np_savez, "file, *args, **kwds", 0, "Writes several arrays into a .npz file." },
    { "savez_compressed", np_savez, "file, *args, **kwds", 1, NULL },
    { "load", np_load, "file, allow_pickle: bool = False", 0, "Reads a .npy or .npz file." },
    { 0 },
};
