/*
 * files.h - what reads and writes files of tensors and arrays share. Everything in a file is doubted: sizes, offsets, depth,
 * opcodes; a file that is cut, damaged or made to harm gives an error.
 */
#ifndef LANG_FILES_FILES_H
#define LANG_FILES_FILES_H
#include "lang/numpy/numpy.h"

/* ---- bytes (zip.c) ---------------------------------------------------------------------------------------------- */
typedef struct Blob { unsigned char *data; size_t n; } Blob;           /* a whole file, from mem_new */
bool blob_read(Session *s, const Str *path, Blob *blob, Err *err);
uint64_t bytes_le(const unsigned char *p, int n);                       /* a number of n bytes, the lowest first */
void text_le(Text *text, uint64_t number, int n);
/* A file name, or a path: TypeError for what is none. */
bool want_path(Session *s, Value v, const char *function, Str **path, Err *err);
FILE *file_create(const Str *path, Err *err);
bool file_put(FILE *file, const void *data, size_t n, const Str *path, Err *err);
bool file_end(FILE *file, const Str *path, bool ok, Err *err);         /* closes; false, err set, when something was not written */

/* ---- zip archives (zip.c) --------------------------------------------------------------------------------------- */
typedef struct ZipEntry { const char *name; size_t name_size, at; uint64_t size, packed; int method; uint32_t crc; } ZipEntry;
typedef struct Zip { Session *s; Blob blob; ZipEntry *entry; size_t n; } Zip;
bool zip_open(Session *s, const Str *path, Zip *zip, Err *err);        /* checks every entry's place; RuntimeError */
void zip_close(Zip *zip);
const ZipEntry *zip_find(const Zip *zip, const char *name, size_t n);  /* NULL when there is none */
bool zip_read(const Zip *zip, const ZipEntry *entry, void *to, Err *err);       /* entry->size bytes; checks the CRC */

typedef struct ZipWriter { FILE *file; const Str *path; Text central; uint64_t at; unsigned count; } ZipWriter;
bool zip_create(ZipWriter *w, const Str *path, Err *err);
/* Data begin at a multiple of `align` (0: anywhere). */
bool zip_add(ZipWriter *w, const char *name, const void *data, size_t n, unsigned align, bool deflated, Err *err);
bool zip_finish(ZipWriter *w, bool ok, Err *err);                       /* ok false: only closes */

/* ---- pickles (pickle_read.c, pickle_write.c) --------------------------------------------------------------------- */
typedef struct Unpickler Unpickler;
/* Makes the tensor storage that a persistent id names: a 1-d tensor over all of it. A new reference. */
typedef Tensor *(*FindStorage)(void *self, const char *key, size_t key_size, const char *place, DType dtype, int64_t numel, Err *err);
bool unpickle(Session *s, const unsigned char *data, size_t n, FindStorage find, void *self, Value *out, Err *err);
/* Tells the number under which a storage is saved. */
typedef bool (*KeepStorage)(void *self, Tensor *t, int *key, Err *err);
bool pickle(Session *s, Value v, KeepStorage keep, void *self, Text *text, Err *err);

Dict *ordered_dict(Value v);                                            /* of an OrderedDict; NULL for others (modules/collections.c) */
bool ordered_new(Session *s, Dict *dict, Value *out, Err *err);
#endif
