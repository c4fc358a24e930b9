/*
 * safetensors.c - the module safetensors.torch: eight bytes that say how long the header is, a header in JSON that says dtype, shape
 * and place of each tensor, then their bytes, without holes and without sharing.
 */
#include "lang/files/files.h"
#include <jansson.h>
#include <stdlib.h>

enum { HEADER_MAX = 100000000 };
static const char *const names[DT_COUNT] = { "BOOL", "U8", "I8", "I16", "I32", "I64", "F16", "BF16", "F32", "F64" };

static bool bad(const char *why, Err *err) { return err_set(err, ERR_VALUE, "this is no safetensors file, or a damaged one: %s", why); }

/* ---- reading ----------------------------------------------------------------------------------------------------------- */
typedef struct Part { const char *name; DType dtype; int ndim; int64_t shape[64]; uint64_t begin, end; } Part;

static bool read_part(const char *name, json_t *about, Part *part, Err *err)
{
    const char *dtype = json_string_value(json_object_get(about, "dtype"));
    json_t *shape = json_object_get(about, "shape"), *offsets = json_object_get(about, "data_offsets");
    int64_t bytes;
    *part = (Part){ .name = name, .dtype = DT_NONE };
    for (int k = 0; dtype && k < DT_COUNT; k++)
        if (!strcmp(names[k], dtype))
            part->dtype = (DType)k;
    if (!dtype || !json_is_array(shape) || json_array_size(shape) > 64 || !json_is_array(offsets) || json_array_size(offsets) != 2)
        return bad("a tensor is not described as one", err);
    if (part->dtype == DT_NONE)
        return err_set(err, ERR_VALUE, "tensors of dtype %.20s are not supported by Locus", dtype);
    bytes = (int64_t)dtype_size(part->dtype);
    for (size_t d = 0; d < json_array_size(shape); d++) {
        json_t *size = json_array_get(shape, d);
        if (!json_is_integer(size) || json_integer_value(size) < 0)
            return bad("a shape is no list of sizes", err);
        part->shape[part->ndim++] = json_integer_value(size);
        if (__builtin_mul_overflow(bytes, part->shape[d], &bytes))
            return bad("a shape is beyond all memory", err);
    }
    for (size_t k = 0; k < 2; k++) {
        json_t *at = json_array_get(offsets, k);
        if (!json_is_integer(at) || json_integer_value(at) < 0)
            return bad("an offset is no number", err);
        *(k ? &part->end : &part->begin) = (uint64_t)json_integer_value(at);
    }
    return (part->end >= part->begin && part->end - part->begin == (uint64_t)bytes) || bad("a tensor's place does not fit its shape", err);
}

static int by_place(const void *a, const void *b)
{
    const Part *x = a, *y = b;
    return x->begin != y->begin ? (x->begin > y->begin) - (x->begin < y->begin) : (x->end > y->end) - (x->end < y->end);
}

/* All of the header's tensors, in the order of their bytes, which they cover without a hole. *n of them, from mem_new. */
static Part *read_parts(Session *s, json_t *header, size_t bytes, size_t *n, Err *err)
{
    const char *name;
    json_t *about;
    uint64_t at = 0;
    *n = 0;
    Part *part = mem_new(s->heap, (json_object_size(header) + 1) * sizeof *part);
    if (!part)
        return err_memory(err, json_object_size(header) * sizeof *part), NULL;
    bool ok = true;
    json_object_foreach(header, name, about) {
        if (!strcmp(name, "__metadata__"))
            continue;
        if (!(ok = read_part(name, about, &part[*n], err)))
            break;
        ++*n;
    }
    if (ok && *n)
        qsort(part, *n, sizeof *part, by_place);
    for (size_t k = 0; ok && k < *n; k++) {
        ok = part[k].begin == at || bad("tensors overlap, or there is a hole between them", err);
        at = part[k].end;
    }
    if (ok && at != bytes)
        ok = bad("it has more or fewer bytes than its header says", err);
    if (!ok) {
        mem_free(s->heap, part);
        return NULL;
    }
    return part;
}

static bool add_tensor(Session *s, Dict *to, const Part *part, const unsigned char *bytes, Err *err)
{
    Str *name = str_new(s, part->name, (int64_t)strlen(part->name), err);
    Tensor *t = name ? tensor_empty(&s->ctx, part->dtype, (Device){ 0, 0 }, part->ndim, part->shape, err) : NULL;
    size_t n = (size_t)(part->end - part->begin);
    if (t && n)
        memcpy(tensor_data(t), bytes + part->begin, n);
    for (size_t k = 0; t && part->dtype == DT_BOOL && k < n; k++)
        ((uint8_t *)tensor_data(t))[k] = ((uint8_t *)tensor_data(t))[k] != 0;
    bool ok = t && dict_set(s, to, value_object_take(name), value_object_take(t), err);
    tensor_release(t);
    if (name)
        object_release(&name->head);
    return ok;
}

static bool load_bytes(Session *s, const Blob *blob, Value *out, Err *err)
{
    json_error_t problem;
    size_t n = 0;
    if (blob->n < 8)
        return bad("it is too short", err);
    uint64_t size = bytes_le(blob->data, 8);
    if (size > HEADER_MAX || size > blob->n - 8)
        return bad("its header is too long", err);
    json_t *header = json_loadb((const char *)blob->data + 8, (size_t)size, JSON_REJECT_DUPLICATES, &problem);
    if (!json_is_object(header)) {
        json_decref(header);
        return bad("its header is no JSON object", err);
    }
    Part *part = read_parts(s, header, blob->n - 8 - (size_t)size, &n, err);
    Dict *made = part ? dict_new(s, err) : NULL;
    bool ok = made;
    for (size_t k = 0; ok && k < n; k++)
        ok = add_tensor(s, made, &part[k], blob->data + 8 + size, err);
    if (made && !ok)
        object_release(&made->head);
    *out = ok ? value_object_take(made) : value_unset();
    mem_free(s->heap, part);
    json_decref(header);
    return ok;
}

NATIVE(safe_load)
{
    Str *path;
    Blob blob;
    Device device;
    (void)self;
    *out = value_unset();
    if (!want_path(s, arg[0], "load_file", &path, err))
        return false;
    if (!device_from_value(s, arg[1], &device, err) || device.type != DEVICE_CPU)
        return err->kind ? false : err_set(err, ERR_RUNTIME, "load_file(): there is no such device here");
    if (!blob_read(s, path, &blob, err))
        return false;
    bool ok = load_bytes(s, &blob, out, err);
    mem_free(s->heap, blob.data);
    return ok;
}

/* ---- writing ------------------------------------------------------------------------------------------------------------- */
typedef struct Entry_ { Str *name; Tensor *t; } Entry_;

/* Large elements first, so that all lie at multiples of their size; then by name. In the order of the format's own writer. */
static int by_alignment(const void *a, const void *b)
{
    static const char rank[DT_COUNT] = { [DT_BOOL] = 0, [DT_U8] = 1, [DT_I8] = 2, [DT_I16] = 3, [DT_F16] = 4, [DT_BF16] = 5, [DT_I32] = 6,
                                         [DT_F32] = 7, [DT_F64] = 8, [DT_I64] = 9 };
    const Entry_ *x = a, *y = b;
    int p = rank[tensor_dtype(x->t)], q = rank[tensor_dtype(y->t)];
    return p != q ? q - p : strcmp(x->name->s, y->name->s);
}

static bool take_entries(Dict *tensors, Entry_ *entry, Err *err)
{
    Value key, value;
    int64_t n = 0;
    for (int64_t at = 0; dict_next(tensors, &at, &key, &value); n++) {
        if (!value_is(key, TYPE_STR) || !value_is(value, TYPE_TENSOR))
            return err_set(err, ERR_VALUE, "Key `%s` is invalid, expected torch.Tensor but received %s", value_is(key, TYPE_STR) ? ((Str *)key.object)->s : "?",
                           value_type_name(value));
        Tensor *t = value_tensor(value);
        entry[n] = (Entry_){ (Str *)key.object, t };
        for (int64_t k = 0; k < n; k++)
            if (tensor_storage(entry[k].t) == tensor_storage(t) && tensor_numel(t) && tensor_numel(entry[k].t)) {
                err_set(err, ERR_RUNTIME, "Some tensors share memory, this will lead to duplicate memory on disk and potential differences when loading "
                        "them again: '%s' and '%s'", entry[k].name->s, entry[n].name->s);
                return err_hint(err, "clone() gives one of them bytes of its own");
            }
        if (!tensor_is_contiguous(t)) {
            err_set(err, ERR_VALUE, "You are trying to save a non contiguous tensor: `%s` which is not allowed.", entry[n].name->s);
            return err_hint(err, "contiguous() puts its elements in order");
        }
    }
    return true;
}

static size_t bytes_of(const Tensor *t) { return (size_t)tensor_numel(t) * dtype_size(tensor_dtype(t)); }

static char *make_header(const Entry_ *entry, int64_t n, Dict *metadata, Err *err)
{
    json_t *header = json_object();
    uint64_t at = 0;
    Value key, value;
    bool ok = header;
    if (metadata) {
        json_t *about = json_object();
        for (int64_t k = 0; dict_next(metadata, &k, &key, &value); )
            if (!value_is(key, TYPE_STR) || !value_is(value, TYPE_STR))
                ok = err_set(err, ERR_TYPE, "metadata is a dict of texts");
            else
                json_object_set_new(about, ((Str *)key.object)->s, json_stringn(((Str *)value.object)->s, (size_t)((Str *)value.object)->size));
        json_object_set_new(header, "__metadata__", about);
    }
    for (int64_t k = 0; ok && k < n; k++) {
        json_t *shape = json_array();
        for (int d = 0; d < tensor_ndim(entry[k].t); d++)
            json_array_append_new(shape, json_integer(tensor_shape(entry[k].t)[d]));
        json_t *about = json_pack("{s:s, s:o, s:[I, I]}", "dtype", names[tensor_dtype(entry[k].t)], "shape", shape, "data_offsets", (json_int_t)at,
                                  (json_int_t)(at + bytes_of(entry[k].t)));
        at += bytes_of(entry[k].t);
        ok = !json_object_set_new(header, entry[k].name->s, about) || err_memory(err, 0);
    }
    char *text = ok ? json_dumps(header, JSON_COMPACT) : NULL;
    if (ok && !text)
        err_memory(err, 0);
    json_decref(header);
    return text;
}

static bool save_entries(const Entry_ *entry, int64_t n, Dict *metadata, const Str *path, Err *err)
{
    char *json = make_header(entry, n, metadata, err);
    Text header = { 0 };
    if (!json)
        return false;
    size_t size = strlen(json), padding = (8 - size % 8) % 8;
    text_le(&header, size + padding, 8);
    text_add(&header, json, size);
    text_fill(&header, ' ', padding);
    free(json);
    FILE *file = header.failed ? (err_memory(err, header.n), NULL) : file_create(path, err);
    bool ok = file && file_put(file, header.s, header.n, path, err);
    for (int64_t k = 0; ok && k < n; k++)
        ok = file_put(file, tensor_data(entry[k].t), bytes_of(entry[k].t), path, err);
    if (file)
        ok = file_end(file, path, ok, err);
    text_free(&header);
    return ok;
}

NATIVE(safe_save)
{
    Str *path;
    Dict *tensors = value_is(arg[0], TYPE_DICT) ? (Dict *)arg[0].object : ordered_dict(arg[0]);
    Dict *metadata = value_is(arg[2], TYPE_DICT) ? (Dict *)arg[2].object : NULL;
    (void)self;
    *out = value_none();
    if (!tensors)
        return err_set(err, ERR_VALUE, "Expected a dict of [str, torch.Tensor] but received %s", value_type_name(arg[0]));
    if (!want_path(s, arg[1], "save_file", &path, err))
        return false;
    if (!metadata && !value_is_none(arg[2]))
        return err_set(err, ERR_TYPE, "metadata is a dict of texts, not %s", value_type_name(arg[2]));
    Entry_ *entry = mem_new(s->heap, (size_t)(tensors->used + 1) * sizeof *entry);
    if (!entry)
        return err_memory(err, (size_t)tensors->used * sizeof *entry);
    bool ok = take_entries(tensors, entry, err);
    if (ok && tensors->used)
        qsort(entry, (size_t)tensors->used, sizeof *entry, by_alignment);
    ok = ok && save_entries(entry, tensors->used, metadata, path, err);
    mem_free(s->heap, entry);
    return ok;
}

static const NativeRow torch_rows[] = {
    { "save_file", safe_save, "tensors, filename, metadata = None", 0, "Writes a dict of tensors." },
    { "load_file", safe_load, "filename, device = 'cpu'", 0, "Reads a dict of tensors." },
    { 0 },
};
static const NativeRow no_rows[] = { { 0 } };

static bool find_torch(Session *s, Module *m, Str *name, Value *out, Err *err)
{
    (void)m;
    if (strcmp(name->s, "torch"))
        return false;
    Module *made = module_new(s, "safetensors.torch", torch_rows, err);
    *out = made ? value_object_take(made) : value_unset();
    return made;
}

Module *module_safetensors(Session *s, Err *err)
{
    Module *made = module_new(s, "safetensors", no_rows, err);
    if (made)
        made->find = find_torch;
    return made;
}
