/*
 * file.c - files of text and of bytes as open() makes them, and sys.stdout and sys.stderr.
 */
#include "lang/types/native.h"
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

ErrKind os_error_kind(int number)
{
    return number == ENOENT ? ERR_FILE_NOT_FOUND : number == EEXIST ? ERR_FILE_EXISTS
                 : number == EACCES || number == EPERM ? ERR_PERMISSION : number == EISDIR ? ERR_IS_A_DIRECTORY : number == ENOTDIR ? ERR_NOT_A_DIRECTORY : ERR_OS;
}

bool os_error(int number, const char *name, Err *err)
{
    ErrKind kind = os_error_kind(number);
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
    made->raw_newlines = false;
    made->mode = NULL;
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
    char letter = 0;
    bool known = true, plus = false, binary = false, text = false;
    for (const char *c = mode; known && *c; c++) {
        known = *c == 'b' ? !binary : *c == 't' ? !text : *c == '+' ? !plus : strchr("rwax", *c) && !letter;
        binary = binary || *c == 'b';
        text = text || *c == 't';
        plus = plus || *c == '+';
        letter = strchr("rwax", *c) ? *c : letter;
    }
    known = known && letter && !(binary && text);
    if (!known)
        return err_set(err, ERR_VALUE, "invalid mode: '%.20s'", mode);
    plain[n++] = letter == 'x' ? 'w' : letter;
    if (plus)
        plain[n++] = '+';
    if (letter == 'x')
        plain[n++] = 'x';
    if (strlen(name->s) != (size_t)name->size)
        return err_set(err, ERR_VALUE, "embedded null byte");
    struct stat st;
    FILE *file = fopen(name->s, plain);
    if (!file)
        return os_error(errno, name->s, err);
    if (!fstat(fileno(file), &st) && S_ISDIR(st.st_mode)) {
        fclose(file);
        return os_error(EISDIR, name->s, err);
    }
    File *made = make(s, file, -1, name, err);
    if (!made) {
        fclose(file);
        return false;
    }
    made->reads = letter == 'r' || plus;
    made->writes = letter != 'r' || plus;
    made->binary = binary;
    made->mode = str_intern(s, mode, (int64_t)strlen(mode), err);
    *out = value_object_take(made);
    return true;
}

static void file_drop(Object *self)
{
    File *f = (File *)self;
    Str *name = f->name;
    if (f->file)
        fclose(f->file);
    if (f->mode)
        object_release(&f->mode->head);
    heap_object_free(f, sizeof *f);
    object_release(&name->head);
}

static bool file_repr(Session *s, Value self, Text *text, Err *err)
{
    const File *f = (File *)self.object;
    (void)s, (void)err;
    if (f->binary)
        text_print(text, "<_io.Buffered%s name='%s'>", f->writes ? f->reads ? "Random" : "Writer" : "Reader", f->name->s);
    else
        text_print(text, "<_io.TextIOWrapper name='%s' mode='%s' encoding='UTF-8'>", f->name->s, f->mode ? f->mode->s : f->stream >= 0 ? "w" : "r");
    return true;
}

static bool usable(const File *f, bool reading, Err *err)
{
    if (f->closed)
        return err_set(err, ERR_VALUE, "I/O operation on closed file.");
    if (reading ? f->reads : f->writes) {
        if (f->file && f->reads && f->writes)           /* C wants a step between reading and writing */
            fseeko(f->file, 0, SEEK_CUR);
        return true;
    }
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
        if (c == '\r' && !f->binary && !f->raw_newlines) {         /* any newline reads as \n */
            if ((c = getc(f->file)) != '\n' && c != EOF)
                ungetc(c, f->file);
            c = '\n';
        }
        text_char(&text, (char)c);
        points++;
        for (int more = f->binary ? 0 : (c & 0xe0) == 0xc0 ? 1 : (c & 0xf0) == 0xe0 ? 2 : (c & 0xf8) == 0xf0 ? 3 : 0; more; more--)
            if ((c = getc(f->file)) != EOF)
                text_char(&text, (char)c);
        if (line && c == '\n')
            break;
    }
    if (f->file && ferror(f->file)) {
        text_free(&text);
        return os_error(errno, f->name->s, err);
    }
    if (f->binary) {
        bool ok = str_out(bytes_new(s, text.n ? text.s : "", (int64_t)text.n, err), out);
        text_free(&text);
        return ok;
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
    int64_t most = -1;
    if (!value_is_none(arg[0]) && !value_index(s, arg[0], "size", &most, err))
        return false;
    return read_text(s, (File *)self.object, true, most, out, err);
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

static bool fits(const File *f, Value v, Err *err)
{
    if (value_is(v, f->binary ? TYPE_BYTES : TYPE_STR))
        return true;
    return f->binary ? err_set(err, ERR_TYPE, "a bytes-like object is required, not '%s'", value_type_name(v))
                     : err_set(err, ERR_TYPE, "write() argument must be str, not %s", value_type_name(v));
}

FILE_METHOD(write)
{
    SELF;
    if (!usable(f, false, err))
        return false;
    if (!fits(f, arg[0], err))
        return false;
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
        ok = fits(f, list->item[i], err) && write_text(s, f, (Str *)list->item[i].object, err);
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

FILE_METHOD(seek)
{
    SELF;
    int64_t offset, whence = 0;
    if (f->closed || !f->file)
        return err_set(err, f->closed ? ERR_VALUE : ERR_OS, f->closed ? "I/O operation on closed file." : "this stream cannot seek");
    if (!value_index(s, arg[0], "offset", &offset, err) || !value_index(s, arg[1], "whence", &whence, err))
        return false;
    if (!f->binary && whence && offset)
        return err_set(err, ERR_OS, whence == 1 ? "can't do nonzero cur-relative seeks" : "can't do nonzero end-relative seeks");
    if (fseeko(f->file, (off_t)offset, whence == 1 ? SEEK_CUR : whence == 2 ? SEEK_END : SEEK_SET))
        return os_error(errno, NULL, err);
    *out = value_int(s, (int64_t)ftello(f->file));
    return true;
}

FILE_METHOD(tell)
{
    SELF;
    (void)arg;
    if (f->closed || !f->file)
        return err_set(err, f->closed ? ERR_VALUE : ERR_OS, f->closed ? "I/O operation on closed file." : "this stream cannot seek");
    *out = value_int(s, (int64_t)ftello(f->file));
    return true;
}

FILE_METHOD(truncate)
{
    SELF;
    int64_t size;
    if (!usable(f, false, err) || !f->file)
        return err->kind ? false : err_set(err, ERR_OS, "this stream cannot be cut");
    fflush(f->file);
    size = (int64_t)ftello(f->file);
    if (!value_is_none(arg[0]) && !value_index(s, arg[0], "size", &size, err))
        return false;
    if (ftruncate(fileno(f->file), (off_t)size))
        return os_error(errno, f->name->s, err);
    *out = value_int(s, size);
    return true;
}

/* readable, writable, seekable, isatty: the payload is 0, 1, 2, 3. */
FILE_METHOD(can)
{
    SELF;
    (void)s, (void)err;
    *out = value_bool(arg[-1].i == 0 ? f->reads : arg[-1].i == 1 ? f->writes : arg[-1].i == 2 ? f->file != NULL
                    : f->stream == STREAM_OUT ? isatty(1) : f->stream == STREAM_ERR ? isatty(2) : false);
    return true;
}

FILE_METHOD(fileno)
{
    SELF;
    (void)arg;
    if (f->closed)
        return err_set(err, ERR_VALUE, "I/O operation on closed file.");
    *out = value_int(s, f->file ? fileno(f->file) : f->stream == STREAM_ERR ? 2 : 1);
    return true;
}

FILE_METHOD(enter)
{
    (void)s, (void)arg;
    if (((File *)self.object)->closed)
        return err_set(err, ERR_VALUE, "I/O operation on closed file.");
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
    *out = value_unset();
    if ((!strcmp(name->s, "encoding") || !strcmp(name->s, "errors")) && !f->binary)
        return str_out(str_intern(s, name->s[1] == 'n' ? "UTF-8" : "strict", name->s[1] == 'n' ? 5 : 6, err), out);
    if (!strcmp(name->s, "mode"))
        return f->mode ? (*out = value_retain(value_object_take(f->mode)), true) : str_out(str_intern(s, f->reads ? "r" : "w", 1, err), out);
    *out = !strcmp(name->s, "closed") ? value_bool(f->closed)
         : !strcmp(name->s, "name") ? value_retain((Value){ V_OBJECT, { .object = &f->name->head } }) : value_unset();
    return true;
}

static const NativeRow file_methods[] = {
    { "__enter__", file_enter, "", 0, NULL },
    { "__exit__", file_exit, "*args", 0, NULL },
    { "close", file_close, "", 0, "Writes what is left and closes it." },
    { "fileno", file_fileno, "", 0, NULL },
    { "flush", file_flush, "", 0, "Writes what is left." },
    { "read", file_read, "size = None, /", 0, "The rest of its text, or so many characters." },
    { "isatty", file_can, "", 3, NULL },
    { "readable", file_can, "", 0, NULL },
    { "readline", file_readline, "size = None, /", 0, "The next line with its newline; '' at the end." },
    { "readlines", file_readlines, "", 0, "A list of the lines that are left." },
    { "seek", file_seek, "offset, whence = 0, /", 0, "Goes to a place in it." },
    { "seekable", file_can, "", 2, NULL },
    { "tell", file_tell, "", 0, "The place it is at." },
    { "truncate", file_truncate, "size = None, /", 0, "Cuts it off here, or at a size." },
    { "writable", file_can, "", 1, NULL },
    { "write", file_write, "text, /", 0, "Writes a text." },
    { "writelines", file_writelines, "lines, /", 0, "Writes several texts." },
    { 0 }
};

const Type type_file = {
    .name = "TextIOWrapper", .drop = file_drop, .repr = file_repr, .iter = file_iter, .next = file_next, .get_attr = file_get_attr,
    .methods = file_methods,
};
