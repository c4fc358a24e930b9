/*
 * zip.c - zip archives as NumPy and PyTorch write them: entries stored or deflated, found through the directory at the end.
 * (PKWARE, APPNOTE.TXT 6.3: sections 4.3 and 4.5.3.) And files as a whole.
 */
#include "lang/files/files.h"
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <zlib.h>

/* ---- files ------------------------------------------------------------------------------------------------------- */
uint64_t bytes_le(const unsigned char *p, int n)
{
    uint64_t number = 0;
    for (int k = n - 1; k >= 0; k--)
        number = number << 8 | p[k];
    return number;
}

void text_le(Text *text, uint64_t number, int n)
{
    for (int k = 0; k < n; k++, number >>= 8)
        text_char(text, (char)(number & 0xff));
}

bool want_path(Session *s, Value v, const char *function, Str **path, Err *err)
{
    if (!value_is(v, TYPE_STR) && !value_is(v, TYPE_INSTANCE))
        return err_set(err, ERR_TYPE, "%s() takes the name of a file, not %s", function, value_type_name(v));
    if (!want_path_str(s, v, "the name of a file", path, err))
        return false;
    return strlen((*path)->s) == (size_t)(*path)->size || err_set(err, ERR_VALUE, "embedded null byte");
}

bool blob_read(Session *s, const Str *path, Blob *blob, Err *err)
{
    struct stat about;
    *blob = (Blob){ NULL, 0 };
    FILE *file = fopen(path->s, "rb");
    if (!file)
        return os_error(errno, path->s, err);
    if (fstat(fileno(file), &about) || !S_ISREG(about.st_mode)) {
        int number = S_ISDIR(about.st_mode) ? EISDIR : EINVAL;
        fclose(file);
        return os_error(number, path->s, err);
    }
    size_t n = (size_t)about.st_size;
    bool ok = (blob->data = mem_new(s->heap, n ? n : 1)) || err_memory(err, n);
    if (ok)
        blob->n = fread(blob->data, 1, n, file);        /* a file that shrinks meanwhile is a shorter file */
    if (ok && ferror(file))
        ok = os_error(errno, path->s, err);
    fclose(file);
    if (!ok) {
        mem_free(s->heap, blob->data);
        blob->data = NULL;
    }
    return ok;
}

FILE *file_create(const Str *path, Err *err)
{
    FILE *file = fopen(path->s, "wb");
    if (!file)
        os_error(errno, path->s, err);
    return file;
}

bool file_put(FILE *file, const void *data, size_t n, const Str *path, Err *err)
{
    return !n || fwrite(data, 1, n, file) == n || os_error(errno, path->s, err);
}

bool file_end(FILE *file, const Str *path, bool ok, Err *err)
{
    return (fclose(file) == 0 || !ok || os_error(errno, path->s, err)) && ok;
}

/* ---- reading ------------------------------------------------------------------------------------------------------- */
enum { END_SIZE = 22, CENTRAL_SIZE = 46, LOCAL_SIZE = 30, LOCATOR_SIZE = 20, END64_SIZE = 56 };
static const uint32_t END_MARK = 0x06054b50, CENTRAL_MARK = 0x02014b50, LOCAL_MARK = 0x04034b50, LOCATOR_MARK = 0x07064b50, END64_MARK = 0x06064b50;

static bool damaged(const char *why, Err *err) { return err_set(err, ERR_RUNTIME, "this is no zip archive, or a damaged one: %s", why); }

/* Where the directory is and how many entries it has. */
static bool find_directory(const Blob *b, uint64_t *at, uint64_t *size, uint64_t *count, Err *err)
{
    if (b->n < END_SIZE)
        return damaged("it is too short", err);
    size_t least = b->n > END_SIZE + 65535 ? b->n - END_SIZE - 65535 : 0, end = b->n - END_SIZE;
    while (bytes_le(b->data + end, 4) != END_MARK) {
        if (end == least)
            return damaged("it has no directory at its end", err);
        end--;
    }
    const unsigned char *p = b->data + end;
    *count = bytes_le(p + 10, 2);
    *size = bytes_le(p + 12, 4);
    *at = bytes_le(p + 16, 4);
    if ((*at == UINT32_MAX || *size == UINT32_MAX || *count == 0xffff) && end >= LOCATOR_SIZE && bytes_le(p - LOCATOR_SIZE, 4) == LOCATOR_MARK) {
        uint64_t far = bytes_le(p - LOCATOR_SIZE + 8, 8);
        if (far > b->n || b->n - far < END64_SIZE || bytes_le(b->data + far, 4) != END64_MARK)
            return damaged("its large directory is not where it should be", err);
        *count = bytes_le(b->data + far + 32, 8);
        *size = bytes_le(b->data + far + 40, 8);
        *at = bytes_le(b->data + far + 48, 8);
    }
    if (*at > b->n || *size > b->n - *at || *count > *size / CENTRAL_SIZE)
        return damaged("its directory reaches beyond its end", err);
    return true;
}

/* Sizes and places beyond 32 bits stand in an extra field, in this order, as far as they are needed. */
static bool large_fields(const unsigned char *extra, size_t n, ZipEntry *entry, uint64_t *local)
{
    uint64_t *const field[3] = { &entry->size, &entry->packed, local };
    for (size_t at = 0; at + 4 <= n; ) {
        size_t size = (size_t)bytes_le(extra + at + 2, 2);
        if (size > n - at - 4)
            return false;
        if (bytes_le(extra + at, 2) == 1) {
            size_t from = at + 4, end = from + size;
            for (int k = 0; k < 3; k++)
                if (*field[k] == UINT32_MAX) {
                    if (end - from < 8)
                        return false;
                    *field[k] = bytes_le(extra + from, 8);
                    from += 8;
                }
        }
        at += 4 + size;
    }
    return true;
}

/* One row of the directory; *step is its size. */
static bool read_entry(const Blob *b, const unsigned char *p, uint64_t left, ZipEntry *entry, uint64_t *step, Err *err)
{
    if (left < CENTRAL_SIZE || bytes_le(p, 4) != CENTRAL_MARK)
        return damaged("its directory ends too early", err);
    uint64_t name = bytes_le(p + 28, 2), extra = bytes_le(p + 30, 2), comment = bytes_le(p + 32, 2), local = bytes_le(p + 42, 4);
    *step = CENTRAL_SIZE + name + extra + comment;
    if (*step > left)
        return damaged("its directory ends too early", err);
    *entry = (ZipEntry){ .name = (const char *)p + CENTRAL_SIZE, .name_size = (size_t)name, .packed = bytes_le(p + 20, 4),
                         .size = bytes_le(p + 24, 4), .method = (int)bytes_le(p + 10, 2), .crc = (uint32_t)bytes_le(p + 16, 4) };
    if (!large_fields(p + CENTRAL_SIZE + name, (size_t)extra, entry, &local))
        return damaged("an extra field is cut off", err);
    if (bytes_le(p + 8, 2) & 1)
        return err_set(err, ERR_RUNTIME, "encrypted zip archives are not supported by Locus");
    if (local > b->n || b->n - local < LOCAL_SIZE || bytes_le(b->data + local, 4) != LOCAL_MARK)
        return damaged("an entry is not where the directory says", err);
    entry->at = (size_t)(local + LOCAL_SIZE + bytes_le(b->data + local + 26, 2) + bytes_le(b->data + local + 28, 2));
    if (entry->at > b->n || entry->packed > b->n - entry->at)
        return damaged("an entry reaches beyond its end", err);
    if (entry->method == 0 ? entry->size != entry->packed : entry->method == 8 ? entry->size / 1032 > entry->packed + 64 : 1)
        return entry->method == 0 || entry->method == 8 ? damaged("an entry has an impossible size", err)
             : err_set(err, ERR_RUNTIME, "zip archives packed by method %d are not supported by Locus", entry->method);
    return true;
}

static int by_place(const void *a, const void *b)
{
    const ZipEntry *x = a, *y = b;
    return (x->at > y->at) - (x->at < y->at);
}

bool zip_open(Session *s, const Str *path, Zip *zip, Err *err)
{
    uint64_t at = 0, size = 0, count = 0, step = 0;
    *zip = (Zip){ .s = s };
    if (!blob_read(s, path, &zip->blob, err))
        return false;
    bool ok = find_directory(&zip->blob, &at, &size, &count, err);
    if (ok && !(zip->entry = mem_new(s->heap, (size_t)(count ? count : 1) * sizeof *zip->entry)))
        ok = err_memory(err, (size_t)count * sizeof *zip->entry);
    for (; ok && zip->n < count; at += step, size -= step)
        if ((ok = read_entry(&zip->blob, zip->blob.data + at, size, &zip->entry[zip->n], &step, err)))
            zip->n++;
        else
            step = 0;
    if (ok && zip->n)
        qsort(zip->entry, zip->n, sizeof *zip->entry, by_place);
    for (size_t k = 1; ok && k < zip->n; k++)           /* entries that share bytes: one way to make a small file large */
        if (zip->entry[k - 1].at + zip->entry[k - 1].packed > zip->entry[k].at)
            ok = damaged("two entries overlap", err);
    if (!ok)
        zip_close(zip);
    return ok;
}

void zip_close(Zip *zip)
{
    mem_free(zip->s->heap, zip->entry);
    mem_free(zip->s->heap, zip->blob.data);
    zip->entry = NULL;
    zip->blob = (Blob){ NULL, 0 };
    zip->n = 0;
}

const ZipEntry *zip_find(const Zip *zip, const char *name, size_t n)
{
    for (size_t k = 0; k < zip->n; k++)
        if (zip->entry[k].name_size == n && !memcmp(zip->entry[k].name, name, n))
            return &zip->entry[k];
    return NULL;
}

static uint32_t crc_of(const void *data, size_t n)
{
    uLong crc = crc32(0, NULL, 0);
    for (const unsigned char *p = data; n; ) {
        uInt part = n > 1u << 30 ? 1u << 30 : (uInt)n;
        crc = crc32(crc, p, part);
        p += part;
        n -= part;
    }
    return (uint32_t)crc;
}

static bool inflate_all(const unsigned char *from, size_t packed, unsigned char *to, size_t size)
{
    z_stream z = { .next_in = (unsigned char *)from, .next_out = to };
    int status = inflateInit2(&z, -15);
    bool begun = status == Z_OK;
    while (status == Z_OK) {
        uInt in = packed > 1u << 30 ? 1u << 30 : (uInt)packed, out = size > 1u << 30 ? 1u << 30 : (uInt)size;
        z.avail_in = in;
        z.avail_out = out;
        status = inflate(&z, Z_NO_FLUSH);
        if (status == Z_OK && z.avail_in == in && z.avail_out == out)
            status = Z_DATA_ERROR;                      /* no way on */
        packed -= in - z.avail_in;
        size -= out - z.avail_out;
    }
    if (begun)
        inflateEnd(&z);
    return status == Z_STREAM_END && !size;
}

bool zip_read(const Zip *zip, const ZipEntry *entry, void *to, Err *err)
{
    const unsigned char *from = zip->blob.data + entry->at;
    if (!entry->method) {
        if (entry->size)
            memcpy(to, from, (size_t)entry->size);
    } else if (!inflate_all(from, (size_t)entry->packed, to, (size_t)entry->size))
        return damaged("packed data cannot be unpacked", err);
    return crc_of(to, (size_t)entry->size) == entry->crc || damaged("an entry's checksum is wrong", err);
}

/* ---- writing --------------------------------------------------------------------------------------------------------- */
bool zip_create(ZipWriter *w, const Str *path, Err *err)
{
    *w = (ZipWriter){ .file = file_create(path, err), .path = path };
    return w->file;
}

static void common_fields(Text *text, unsigned flags, bool deflated, uint32_t crc, size_t packed, size_t size, size_t name)
{
    text_le(text, 20, 2);                               /* version that can read it */
    text_le(text, flags, 2);
    text_le(text, deflated ? 8 : 0, 2);
    text_le(text, 0, 2);                                /* time and date: none, so that equal contents make equal files */
    text_le(text, 0x21, 2);
    text_le(text, crc, 4);
    text_le(text, packed, 4);
    text_le(text, size, 4);
    text_le(text, name, 2);
}

bool zip_add(ZipWriter *w, const char *name, const void *data, size_t n, unsigned align, bool deflated, Err *err)
{
    Text local = { 0 };
    unsigned char *packed = NULL;
    size_t size = n, length = strlen(name), padding = 0;
    uint32_t crc = crc_of(data, n);
    if (w->at + n + 65536 > UINT32_MAX || w->count == 0xffff)
        return err_set(err, ERR_OVERFLOW, "files of more than 4 GiB are not supported by Locus");
    if (deflated) {
        z_stream z = { .next_in = (unsigned char *)data, .avail_in = (uInt)n };
        if (deflateInit2(&z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY) != Z_OK)
            return err_memory(err, n);
        uLong room = deflateBound(&z, (uLong)n);
        packed = malloc(room ? room : 1);
        z.next_out = packed;
        z.avail_out = (uInt)room;
        bool whole = packed && deflate(&z, Z_FINISH) == Z_STREAM_END;
        size = z.total_out;
        deflateEnd(&z);
        if (!whole) {
            free(packed);
            return err_memory(err, n);
        }
        data = packed;
    }
    if (align) {                                        /* an extra field fills up to the multiple */
        padding = (size_t)(align - (w->at + LOCAL_SIZE + length + 4) % align) % align;
        padding += 4;
    }
    text_le(&local, LOCAL_MARK, 4);
    common_fields(&local, 0, deflated, crc, size, n, length);
    text_le(&local, padding, 2);
    text_put(&local, name);
    if (padding) {
        text_put(&local, "FB");
        text_le(&local, padding - 4, 2);
        text_fill(&local, 'Z', padding - 4);
    }
    text_le(&w->central, CENTRAL_MARK, 4);
    text_le(&w->central, 20, 2);
    common_fields(&w->central, 0, deflated, crc, size, n, length);
    text_fill(&w->central, 0, 12);                      /* no extra field, comment, disk, attributes */
    text_le(&w->central, w->at, 4);
    text_put(&w->central, name);
    bool ok = !local.failed && !w->central.failed;
    ok = (ok || err_memory(err, local.n)) && file_put(w->file, local.s, local.n, w->path, err) && file_put(w->file, data, size, w->path, err);
    w->at += local.n + size;
    w->count++;
    text_free(&local);
    free(packed);
    return ok;
}

bool zip_finish(ZipWriter *w, bool ok, Err *err)
{
    Text end = { 0 };
    text_le(&end, END_MARK, 4);
    text_le(&end, 0, 4);
    text_le(&end, w->count, 2);
    text_le(&end, w->count, 2);
    text_le(&end, w->central.n, 4);
    text_le(&end, w->at, 4);
    text_le(&end, 0, 2);
    ok = ok && (!end.failed || err_memory(err, end.n)) && file_put(w->file, w->central.s, w->central.n, w->path, err)
      && file_put(w->file, end.s, end.n, w->path, err);
    ok = file_end(w->file, w->path, ok, err);
    text_free(&end);
    text_free(&w->central);
    return ok;
}
