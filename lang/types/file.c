/*
 * file.c - text files as open() makes them, and sys.stdout and sys.stderr.
 */
#include "lang/types/native.h"
#include <errno.h>
#include <string.h>

bool os_error(int number, const char *name, Err *err)
{
    ErrKind kind = number == ENOENT ? ERR_FILE_NOT_FOUND : number == EEXIST ? ERR_FILE_EXISTS
                 : number == EACCES || number == EPERM ? ERR_PERMISSION : number == EISDIR ? ERR_IS_A_DIRECTORY : ERR_OS;
    char text[128];
    if (name)
        return err_set(err, kind, "[Errno %d] %s: '%.300s'", number, strerror_r(number, text, sizeof text), name);
    return err_set(err, kind, "[Errno %d] %s", number, strerror_r(number, text, sizeof text));
}

static File *make(Session *s, FILE *file, int stream, Str *name, Err *err)
{
    File *made = heap_object_new(s->heap, sizeof *made, TYPE_FILE, err);
    if (!made)
        return NULL;
    made->file = file;
    made->stream = stream;
    made->closed = made->binary = false;
    made->reads = made->writes = true;
    made->name = name;
    name->head.count++;
    return made;
}

File *file_stream(Session *s, Stream stream, Err *err)
{
    Str *name = str_intern(s, stream == STREAM_ERR ? "<stderr>" : "<stdout>", 8, err);
    File *made = name ? make(s, NULL, (int)stream, name, err) : NULL;
    if (name)
        object_release(&name->head);
    if (made)
        made->reads = false;
    return made;
}

bool file_open(Session *s, Str *name, const char *mode, Value *out, Err *err)
{
    char plain[4] = { 0 };
    size_t n = 0;
    bool known = strchr("rwax", mode[0]) && mode[0], plus = false;
    for (const char *c = mode; known && *c; c++) {
        if (*c == 'b')
            return err_set(err, ERR_VALUE, "binary files are not supported by Locus") || err_hint(err, "mode 'r' or 'w' opens a text file");
        plus = plus || *c == '+';
        known = c == mode || *c == 't' || *c == '+';
    }
    if (!known)
        return err_set(err, ERR_VALUE, "invalid mode: '%.20s'", mode);
    plain[n++] = mode[0] == 'x' ? 'w' : mode[0];
    if (plus)
        plain[n++] = '+';
    if (mode[0] == 'x')
        plain[n++] = 'x';
    if (strlen(name->s) != (size_t)name->size)
        return err_set(err, ERR_VALUE, "embedded null byte");
    FILE *file = fopen(name->s, plain);
    if (!file)
        return os_error(errno, name->s, err);
    File *made = make(s, file, -1, name, err);
    if (!made) {
        fclose(file);
        return false;
    }
    made->reads = mode[0] == 'r' || plus;
    made->writes = mode[0] != 'r' || plus;
    *out = value_object_take(made);
    return true;
}

static void file_drop(Object *self)
{
    File *f = (File *)self;
    Str *name = f->name;
    if (f->file)
        fclose(f->file);
    heap_object_free(f, sizeof *f);
    object_release(&name->head);
}

static bool file_repr(Session *s, Value self, Text *text, Err *err)
{
    const File *f = (File *)self.object;
    (void)s, (void)err;
    text_print(text, "<_io.TextIOWrapper name='%s' encoding='utf-8'>", f->name->s);
    return true;
}

static bool usable(const File *f, bool reading, Err *err)
{
    if (f->closed)
        return err_set(err, ERR_VALUE, "I/O operation on closed file.");
    if (reading ? f->reads : f->writes)
        return true;
    return err_set(err, ERR_OS, reading ? "not readable" : "not writable");
}

/* One line with its newline, or up to `most` bytes of all (< 0: everything). */
static bool read_text(Session *s, File *f, bool line, int64_t most, Value *out, Err *err)
{
    Text text = { 0 };
    int c;
    if (!usable(f, true, err))
        return false;
    int64_t points = 0;
    while ((most < 0 || points < most) && (c = f->file ? getc(f->file) : EOF) != EOF) {
        text_char(&text, (char)c);
        points++;
        for (int more = (c & 0xe0) == 0xc0 ? 1 : (c & 0xf0) == 0xe0 ? 2 : (c & 0xf8) == 0xf0 ? 3 : 0; more; more--)
            if ((c = getc(f->file)) != EOF)
                text_char(&text, (char)c);
        if (line && c == '\n')
            break;
    }
    if (f->file && ferror(f->file)) {
        text_free(&text);
        return os_error(errno, f->name->s, err);
    }
    if (text_out(s, &text, out, err))
        return true;
    return err->kind == ERR_VALUE ? err_set(err, ERR_UNICODE_DECODE, "'%s' is no UTF-8 text", f->name->s) : false;
}

#define FILE_METHOD(name) static bool file_##name(Session *s, Value self, Value *arg, Value *out, Err *err)
#define SELF File *f = (File *)self.object

FILE_METHOD(read)
{
    int64_t most = -1;
    if (!value_is_none(arg[0]) && !value_index(s, arg[0], "size", &most, err))
        return false;
    return read_text(s, (File *)self.object, false, most, out, err);
}

FILE_METHOD(readline)
{
    (void)arg;
    return read_text(s, (File *)self.object, true, -1, out, err);
}

static IterStatus file_next(Session *s, Value self, Value *out, Err *err)
{
    if (!read_text(s, (File *)self.object, true, -1, out, err))
        return ITER_ERROR;
    if (((Str *)out->object)->size)
        return ITER_VALUE;
    value_release(*out);
    return ITER_END;
}

FILE_METHOD(readlines)
{
    (void)arg;
    List *list = value_to_list(s, self, err);
    if (list)
        *out = value_object_take(list);
    return list;
}

static bool write_text(Session *s, File *f, const Str *str, Err *err)
{
    if (f->stream >= 0)
        session_write(s, (Stream)f->stream, str->s, (size_t)str->size);
    else if (fwrite(str->s, 1, (size_t)str->size, f->file) != (size_t)str->size)
        return os_error(errno, f->name->s, err);
    return true;
}

FILE_METHOD(write)
{
    SELF;
    if (!usable(f, false, err))
        return false;
    if (!value_is(arg[0], TYPE_STR))
        return err_set(err, ERR_TYPE, "write() argument must be str, not %s", value_type_name(arg[0]));
    *out = int_new(s, ((Str *)arg[0].object)->length);
    return write_text(s, f, (Str *)arg[0].object, err);
}

FILE_METHOD(writelines)
{
    SELF;
    if (!usable(f, false, err))
        return false;
    List *list = value_to_list(s, arg[0], err);
    bool ok = list;
    for (int64_t i = 0; ok && i < list->n; i++)
        ok = value_is(list->item[i], TYPE_STR) ? write_text(s, f, (Str *)list->item[i].object, err)
           : err_set(err, ERR_TYPE, "write() argument must be str, not %s", value_type_name(list->item[i]));
    if (list)
        object_release(&list->head);
    *out = value_none();
    return ok;
}

FILE_METHOD(close)
{
    SELF;
    FILE *file = f->file;
    (void)s, (void)arg;
    *out = value_none();
    f->closed = f->stream < 0;
    f->file = NULL;
    return !file || !fclose(file) || os_error(errno, f->name->s, err);
}

FILE_METHOD(flush)
{
    SELF;
    (void)arg;
    *out = value_none();
    if (f->stream >= 0)
        session_write(s, (Stream)f->stream, "", 0);
    return !f->file || !fflush(f->file) || os_error(errno, f->name->s, err);
}

FILE_METHOD(enter)
{
    (void)s, (void)arg, (void)err;
    *out = value_retain(self);
    return true;
}

FILE_METHOD(exit)
{
    if (!file_close(s, self, arg, out, err))
        return false;
    *out = value_bool(false);
    return true;
}

static bool file_iter(Session *s, Value self, Value *out, Err *err)
{
    (void)s;
    *out = value_retain(self);
    if (usable((File *)self.object, true, err))
        return true;
    value_release(self);
    return false;
}

static bool file_get_attr(Session *s, Value self, Str *name, Value *out, Err *err)
{
    SELF;
    (void)s, (void)err;
    *out = !strcmp(name->s, "closed") ? value_bool(f->closed)
         : !strcmp(name->s, "name") ? value_retain((Value){ V_OBJECT, { .object = &f->name->head } }) : value_unset();
    return true;
}

static const NativeRow file_methods[] = {
    { "__enter__", file_enter, "", 0, NULL },
    { "__exit__", file_exit, "*args", 0, NULL },
    { "close", file_close, "", 0, "Writes what is left and closes it." },
    { "flush", file_flush, "", 0, "Writes what is left." },
    { "read", file_read, "size = None, /", 0, "The rest of its text, or so many characters." },
    { "readline", file_readline, "", 0, "The next line with its newline; '' at the end." },
    { "readlines", file_readlines, "", 0, "A list of the lines that are left." },
    { "write", file_write, "text, /", 0, "Writes a text." },
    { "writelines", file_writelines, "lines, /", 0, "Writes several texts." },
    { 0 }
};

const Type type_file = {
    .name = "TextIOWrapper", .drop = file_drop, .repr = file_repr, .iter = file_iter, .next = file_next, .get_attr = file_get_attr,
    .methods = file_methods,
};
