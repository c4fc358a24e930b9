/*
 * torch_file.c - torch.save and torch.load: a zip archive of a pickle and the bytes of each storage. Tensors over one storage
 * are saved over one, and are over one again when they are loaded.
 */
#include "lang/files/files.h"
#include "lang/modules/torch.h"

/* ---- torch.save --------------------------------------------------------------------------------------------------------- */
typedef struct Saved { Tensor *t; DType dtype; } Saved;
typedef struct Saver { Session *s; Saved *saved; int n, capacity; } Saver;     /* tensors, each the first over its storage: borrowed */

static bool keep_storage(void *self, Tensor *t, int *key, Err *err)
{
    Saver *w = self;
    for (*key = 0; *key < w->n; ++*key)
        if (tensor_storage(w->saved[*key].t) == tensor_storage(t))
            return w->saved[*key].dtype == tensor_dtype(t)
                || err_set(err, ERR_RUNTIME, "Cannot save multiple tensors or storages that view the same data as different types");
    if (w->n == w->capacity) {
        int capacity = w->capacity ? 2 * w->capacity : 64;
        Saved *larger = mem_resize(w->s->heap, w->saved, (size_t)capacity * sizeof *larger);
        if (!larger)
            return err_memory(err, (size_t)capacity * sizeof *larger);
        w->saved = larger;
        w->capacity = capacity;
    }
    w->saved[w->n++] = (Saved){ t, tensor_dtype(t) };
    return true;
}

/* The archive's folder is named after the file, without its ending. */
static void folder_of(const Str *path, Text *folder)
{
    const char *slash = strrchr(path->s, '/'), *name = slash ? slash + 1 : path->s, *dot = strrchr(name, '.');
    size_t n = dot && dot > name ? (size_t)(dot - name) : strlen(name);
    text_add(folder, n ? name : "archive", n ? n : 7);
}

static bool add(ZipWriter *w, const char *folder, const char *name, const void *data, size_t n, Err *err)
{
    Text full = { 0 };
    text_print(&full, "%s/%s", folder, name);
    bool ok = (text_end(&full) || err_memory(err, 0)) && zip_add(w, full.s, data, n, 64, false, err);
    text_free(&full);
    return ok;
}

static bool write_archive(const Saver *saver, const Str *path, const Text *pickled, Err *err)
{
    ZipWriter w;
    char name[32];
    Text folder = { 0 };
    folder_of(path, &folder);
    if (!text_end(&folder))
        return err_memory(err, 0);
    bool ok = zip_create(&w, path, err);
    if (ok) {
        ok = add(&w, folder.s, "data.pkl", pickled->s, pickled->n, err) && add(&w, folder.s, "byteorder", "little", 6, err);
        for (int k = 0; ok && k < saver->n; k++) {
            const Storage *storage = tensor_storage(saver->saved[k].t);
            snprintf(name, sizeof name, "data/%d", k);
            ok = add(&w, folder.s, name, storage_bytes(storage) ? storage_data(storage) : "", storage_bytes(storage), err);
        }
        ok = ok && add(&w, folder.s, "version", "3\n", 2, err);
        ok = zip_finish(&w, ok, err);
    }
    text_free(&folder);
    return ok;
}

bool torch_save(Session *s, Value self, Value *arg, Value *out, Err *err)
{
    Str *path;
    Text pickled = { 0 };
    Saver saver = { .s = s };
    (void)self;
    *out = value_none();
    if (!want_path(s, arg[1], "save", &path, err))
        return false;
    bool ok = pickle(s, arg[0], keep_storage, &saver, &pickled, err) && write_archive(&saver, path, &pickled, err);
    text_free(&pickled);
    mem_free(s->heap, saver.saved);
    return ok;
}

/* ---- torch.load ----------------------------------------------------------------------------------------------------------- */
typedef struct Loader {
    Session *s;
    bool     to_cpu;                    /* map_location='cpu': wherever the tensors were */
    Zip      zip;
    Text     folder;                    /* "name/data/" */
    Tensor **made;                      /* owned: the storages met so far, by the archive's entry */
} Loader;

static Tensor *find_storage(void *self, const char *key, size_t n, const char *place, DType dtype, int64_t numel, Err *err)
{
    Loader *r = self;
    int64_t bytes;
    if (strcmp(place, "cpu") && !r->to_cpu)
        return err_set(err, ERR_RUNTIME, "Attempting to deserialize object on a CUDA device but torch.cuda.is_available() is False. If you are running "
                       "on a CPU-only machine, please use torch.load with map_location=torch.device('cpu') to map your storages to the CPU."), NULL;
    size_t kept = r->folder.n;
    text_add(&r->folder, key, n);
    const ZipEntry *entry = r->folder.failed ? NULL : zip_find(&r->zip, r->folder.s, r->folder.n);
    r->folder.n = kept;
    if (!entry)
        return err_set(err, ERR_RUNTIME, "the file has no record of storage '%.*s'", n > 40 ? 40 : (int)n, key), NULL;
    Tensor **made = &r->made[entry - r->zip.entry];
    if (*made && (tensor_dtype(*made) != dtype || tensor_numel(*made) != numel))
        return err_set(err, ERR_RUNTIME, "the file describes storage '%.*s' in two ways", n > 40 ? 40 : (int)n, key), NULL;
    if (*made)
        return tensor_retain(*made);
    if (__builtin_mul_overflow(numel, (int64_t)dtype_size(dtype), &bytes) || (uint64_t)bytes != entry->size)
        return err_set(err, ERR_RUNTIME, "storage '%.*s' of %lld elements of %s has %llu bytes in the file", n > 40 ? 40 : (int)n, key, (long long)numel,
                       dtype_name(dtype), (unsigned long long)entry->size), NULL;
    if (!(*made = tensor_empty(&r->s->ctx, dtype, (Device){ 0, 0 }, 1, &numel, err)))
        return NULL;
    if (numel && !zip_read(&r->zip, entry, tensor_data(*made), err)) {
        tensor_release(*made);
        return *made = NULL;
    }
    for (int64_t k = 0; dtype == DT_BOOL && k < numel; k++)
        ((uint8_t *)tensor_data(*made))[k] = ((uint8_t *)tensor_data(*made))[k] != 0;
    return tensor_retain(*made);
}

static const ZipEntry *find_pickle(const Zip *zip)
{
    for (size_t k = 0; k < zip->n; k++) {
        const ZipEntry *e = &zip->entry[k];
        const char *slash = memchr(e->name, '/', e->name_size);
        if (slash && (size_t)(slash - e->name) + 9 == e->name_size && !memcmp(slash, "/data.pkl", 9))
            return e;
    }
    return NULL;
}

static bool little_endian(Loader *r, const ZipEntry *pickled, Err *err)
{
    char order[8] = { 0 };
    Text name = { 0 };
    text_add(&name, pickled->name, pickled->name_size - 8);
    text_put(&name, "byteorder");
    const ZipEntry *entry = text_end(&name) ? zip_find(&r->zip, name.s, name.n) : NULL;
    text_free(&name);
    if (!entry || (entry->size < sizeof order && zip_read(&r->zip, entry, order, err) && !strcmp(order, "little")))
        return true;
    return err->kind ? false : err_set(err, ERR_RUNTIME, "files of another byte order are not supported by Locus");
}

static bool load_archive(Loader *r, Value *out, Err *err)
{
    Session *s = r->s;
    const ZipEntry *pickled = find_pickle(&r->zip);
    if (!pickled)
        return err_set(err, ERR_RUNTIME, "the zip archive holds no pickle: torch.save() did not make it");
    if (!little_endian(r, pickled, err))
        return false;
    unsigned char *data = mem_new(s->heap, (size_t)(pickled->size ? pickled->size : 1));
    if (data && (r->made = mem_new(s->heap, r->zip.n * sizeof *r->made)))
        memset(r->made, 0, r->zip.n * sizeof *r->made);
    text_add(&r->folder, pickled->name, pickled->name_size - 8);
    text_put(&r->folder, "data/");
    bool ok = r->made && !r->folder.failed ? zip_read(&r->zip, pickled, data, err) && unpickle(s, data, (size_t)pickled->size, find_storage, r, out, err)
            : err_memory(err, (size_t)pickled->size);
    for (size_t k = 0; r->made && k < r->zip.n; k++)
        tensor_release(r->made[k]);
    mem_free(s->heap, r->made);
    mem_free(s->heap, data);
    text_free(&r->folder);
    return ok;
}

bool torch_load(Session *s, Value self, Value *arg, Value *out, Err *err)
{
    Loader r = { .s = s, .to_cpu = !value_is_none(arg[1]) };
    Str *path;
    Device device;
    (void)self;
    *out = value_unset();
    if (!want_path(s, arg[0], "load", &path, err))
        return false;
    if (!value_is_none(arg[1]) && !device_from_value(s, arg[1], &device, err))
        return err->kind ? false : err_set(err, ERR_NOT_IMPLEMENTED, "map_location of type %s is not supported by Locus", value_type_name(arg[1]));
    if (!value_is_none(arg[1]) && device.type != DEVICE_CPU)
        return err_set(err, ERR_RUNTIME, "Attempting to deserialize object on a CUDA device but torch.cuda.is_available() is False.");
    if (!zip_open(s, path, &r.zip, err)) {
        if (err->kind == ERR_RUNTIME)
            err_hint(err, "files of PyTorch before 1.6, and pickles, are not loaded");
        return false;
    }
    bool ok = load_archive(&r, out, err);
    zip_close(&r.zip);
    return ok;
}
