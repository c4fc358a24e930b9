/*
 * builtins_more.c - built-in functions about objects, text, input and output.
 */
#include "lang/modules/modules.h"
#include "lang/look.h"
#include "lang/types/native.h"
#include <stdlib.h>

/* ---- attributes ----------------------------------------------------------------------------------------- */
static bool attribute_name(Session *s, Value v, const char *function, Str **name, Err *err)
{
    if (!value_is(v, TYPE_STR))
        return err_set(err, ERR_TYPE, "%s: attribute name must be string", function);
    const Str *str = (Str *)v.object;
    *name = str_intern(s, str->s, str->size, err);
    return *name;
}

/* An attribute that may be missing: *out unset. An AttributeError on the way counts as missing. */
static bool find_attribute(Session *s, Value v, Str *name, Value *out, Err *err)
{
    if (value_find_attr(s, v, name, out, err))
        return true;
    if (!error_is(s, err, ERR_ATTRIBUTE))
        return false;
    error_clear(s, err);
    *out = value_unset();
    return true;
}

NATIVE(builtin_getattr)
{
    Str *name = NULL;
    (void)self;
    if (!attribute_name(s, arg[1], "getattr()", &name, err))
        return false;
    bool ok;
    if (value_is_unset(arg[2]))
        ok = value_get_attr(s, arg[0], name, out, err);
    else if ((ok = find_attribute(s, arg[0], name, out, err)) && value_is_unset(*out))
        *out = value_retain(arg[2]);
    object_release(&name->head);
    return ok;
}

NATIVE(builtin_hasattr)
{
    Str *name = NULL;
    Value found;
    (void)self;
    if (!attribute_name(s, arg[1], "hasattr()", &name, err))
        return false;
    bool ok = find_attribute(s, arg[0], name, &found, err);
    object_release(&name->head);
    if (ok) {
        *out = value_bool(!value_is_unset(found));
        value_release(found);
    }
    return ok;
}

/* setattr and delattr, which has no value. */
NATIVE(builtin_setattr)
{
    Str *name = NULL;
    (void)self;
    if (!attribute_name(s, arg[1], arg[-1].i ? "delattr()" : "setattr()", &name, err))
        return false;
    bool ok = value_set_attr(s, arg[0], name, arg[-1].i ? value_unset() : arg[2], err);
    object_release(&name->head);
    *out = value_none();
    return ok;
}

typedef struct Names { Session *s; List *list; Err *err; bool failed; } Names;

static void add_name(void *to, const char *name)
{
    Names *names = to;
    Str *str = names->failed ? NULL : str_intern(names->s, name, (int64_t)strlen(name), names->err);
    names->failed = !str || !list_append(names->s, names->list, (Value){ V_OBJECT, { .object = &str->head } }, names->err);
    if (str)
        object_release(&str->head);
}

NATIVE(builtin_dir)
{
    (void)self;
    Names names = { s, list_new(s, 64, err), err, false };
    if (!names.list)
        return false;
    if (value_is_unset(arg[0]))
        for (int i = 0; i < s->globals; i++) {
            if (!value_is_unset(s->global[i].value))
                add_name(&names, s->global[i].name->s);
        }
    else
        value_dir(s, arg[0], add_name, &names);
    if (names.failed || !values_sort(s, names.list->item, names.list->n, value_none(), false, err)) {
        object_release(&names.list->head);
        return false;
    }
    int64_t kept = 0;                   /* the same name once */
    for (int64_t i = 0; i < names.list->n; i++) {
        Value *item = names.list->item;
        if (kept && item[kept - 1].object == item[i].object)
            value_release(item[i]);
        else
            item[kept++] = item[i];
    }
    names.list->n = kept;
    *out = value_object_take(names.list);
    return true;
}

NATIVE(builtin_vars)
{
    (void)self;
    Str *name = str_intern(s, "__dict__", 8, err);
    if (!name)
        return false;
    bool ok = find_attribute(s, arg[0], name, out, err);
    object_release(&name->head);
    return ok && (!value_is_unset(*out) || err_set(err, ERR_TYPE, "vars() argument must have __dict__ attribute"));
}

/* ---- classes and identity ------------------------------------------------------------------------------- */
NATIVE(builtin_isinstance)
{
    bool yes;
    (void)self;
    if (!value_isinstance(s, arg[0], arg[1], &yes, err))
        return false;
    *out = value_bool(yes);
    return true;
}

NATIVE(builtin_issubclass)
{
    const Tuple *several = value_is(arg[1], TYPE_TUPLE) ? (Tuple *)arg[1].object : NULL;
    bool yes = false;
    (void)s, (void)self;
    if (!value_is(arg[0], TYPE_CLASS))
        return err_set(err, ERR_TYPE, "issubclass() arg 1 must be a class");
    for (int64_t i = 0; !yes && i < (several ? several->n : 1); i++) {
        Value of = several ? several->item[i] : arg[1];
        if (!value_is(of, TYPE_CLASS))
            return err_set(err, ERR_TYPE, "issubclass() arg 2 must be a class or a tuple of classes");
        yes = class_is_subclass((Class *)arg[0].object, (Class *)of.object);
    }
    *out = value_bool(yes);
    return true;
}

NATIVE(builtin_callable)
{
    Value found;
    (void)self;
    if (!value_is(arg[0], TYPE_INSTANCE)) {
        *out = value_bool(value_type(arg[0])->call != NULL);
        return true;
    }
    Str *name = str_intern(s, "__call__", 8, err);
    if (!name)
        return false;
    bool ok = find_attribute(s, arg[0], name, &found, err);
    object_release(&name->head);
    if (ok) {
        *out = value_bool(!value_is_unset(found));
        value_release(found);
    }
    return ok;
}

NATIVE(builtin_id)
{
    (void)self, (void)err;
    *out = value_int(s, (int64_t)value_id(s, arg[0]));
    return true;
}

NATIVE(builtin_hash)
{
    uint64_t hash;
    (void)self;
    if (!value_hash(s, arg[0], &hash, err))
        return false;
    *out = value_int(s, (int64_t)hash);
    return true;
}

/* ---- text ----------------------------------------------------------------------------------------------- */
NATIVE(builtin_repr)
{
    Text text = { 0 };
    (void)self;
    if (!value_repr(s, arg[0], &text, err))
        return text_free(&text), false;
    return text_out(s, &text, out, err);
}

NATIVE(builtin_ascii)
{
    Text text = { 0 }, plain = { 0 };
    (void)self;
    if (!value_repr(s, arg[0], &text, err))
        return text_free(&text), false;
    for (size_t i = 0; i < text.n;) {
        unsigned char c = (unsigned char)text.s[i];
        if (c < 0x80) {
            text_char(&plain, (char)c);
            i++;
            continue;
        }
        int more = c >= 0xf0 ? 3 : c >= 0xe0 ? 2 : 1;
        uint32_t code = c & (0x3fu >> more);
        for (int k = 1; k <= more && i + (size_t)k < text.n; k++)
            code = code << 6 | ((unsigned char)text.s[i + (size_t)k] & 0x3fu);
        text_print(&plain, code > 0xffff ? "\\U%08x" : code > 0xff ? "\\u%04x" : "\\x%02x", code);
        i += (size_t)more + 1;
    }
    text_free(&text);
    return text_out(s, &plain, out, err);
}

NATIVE(builtin_format)
{
    Text text = { 0 };
    Str *spec;
    (void)self;
    if (!want_str(arg[1], "format() argument 2", &spec, err))
        return false;
    if (!value_format(s, arg[0], spec->s, (size_t)spec->size, &text, err))
        return text_free(&text), false;
    return text_out(s, &text, out, err);
}

NATIVE(builtin_chr)
{
    int64_t code;
    char utf8[4];
    int n;
    (void)self;
    if (!value_index(s, arg[0], "chr()'s argument", &code, err))
        return false;
    if (code < 0 || code > 0x10ffff)
        return err_set(err, ERR_VALUE, "chr() arg not in range(0x110000)");
    if (code >= 0xd800 && code < 0xe000)
        return err_set(err, ERR_VALUE, "chr() of half a surrogate pair is not supported by Locus");
    uint32_t c = (uint32_t)code;
    if (c < 0x80)
        utf8[0] = (char)c, n = 1;
    else if (c < 0x800)
        utf8[0] = (char)(0xc0 | c >> 6), utf8[1] = (char)(0x80 | (c & 0x3f)), n = 2;
    else if (c < 0x10000)
        utf8[0] = (char)(0xe0 | c >> 12), utf8[1] = (char)(0x80 | (c >> 6 & 0x3f)), utf8[2] = (char)(0x80 | (c & 0x3f)), n = 3;
    else {
        utf8[0] = (char)(0xf0 | c >> 18), utf8[1] = (char)(0x80 | (c >> 12 & 0x3f));
        utf8[2] = (char)(0x80 | (c >> 6 & 0x3f)), utf8[3] = (char)(0x80 | (c & 0x3f)), n = 4;
    }
    return str_out(str_new(s, utf8, n, err), out);
}

NATIVE(builtin_ord)
{
    Str *str;
    (void)self;
    if (!want_str(arg[0], "ord()'s argument", &str, err))
        return false;
    if (str->length != 1)
        return err_set(err, ERR_TYPE, "ord() expected a character, but string of length %lld found", (long long)str->length);
    unsigned char c = (unsigned char)str->s[0];
    uint32_t code = c;
    if (c >= 0x80) {
        int more = c >= 0xf0 ? 3 : c >= 0xe0 ? 2 : 1;
        code = c & (0x3fu >> more);
        for (int k = 1; k <= more; k++)
            code = code << 6 | ((unsigned char)str->s[k] & 0x3fu);
    }
    *out = value_int(s, code);
    return true;
}

/* ---- input and output ----------------------------------------------------------------------------------- */
bool print_values(Session *s, Stream to, const Tuple *values, const char *sep, size_t sep_n, const char *end, size_t end_n, Err *err)
{
    Text text = { 0 };
    bool ok = true;
    for (int64_t i = 0; ok && i < values->n; i++) {
        if (i)
            text_add(&text, sep, sep_n);
        ok = value_str(s, values->item[i], &text, err);
    }
    text_add(&text, end, end_n);
    if (ok && text.failed)
        ok = err_memory(err, text.n);
    if (ok && text.n)
        session_write(s, to, text.s, text.n);
    text_free(&text);
    return ok;
}

NATIVE(builtin_print)
{
    const Tuple *values = (Tuple *)arg[0].object;
    Str *sep = NULL, *end = NULL;
    Value made;
    bool found;
    (void)self;
    if ((!value_is_none(arg[1]) && !want_str(arg[1], "sep", &sep, err)) || (!value_is_none(arg[2]) && !want_str(arg[2], "end", &end, err)))
        return false;
    const char *between = sep ? sep->s : " ", *after = end ? end->s : "\n";
    size_t between_n = sep ? (size_t)sep->size : 1, after_n = end ? (size_t)end->size : 1;
    *out = value_none();
    bool flush;
    if (!value_truth(s, arg[4], &flush, err))
        return false;
    if (value_is_none(arg[3])) {
        bool printed = print_values(s, STREAM_OUT, values, between, between_n, after, after_n, err);
        if (printed && flush)
            session_write(s, STREAM_OUT, "", 0);
        return printed;
    }
    Text text = { 0 };                  /* print(…, file=f): what it has of write() gets the text */
    bool ok = true;
    for (int64_t i = 0; ok && i < values->n; i++) {
        if (i)
            text_add(&text, between, between_n);
        ok = value_str(s, values->item[i], &text, err);
    }
    text_add(&text, after, after_n);
    if (!ok)
        return text_free(&text), false;
    if (!text_out(s, &text, &made, err))
        return false;
    Value answer = value_unset();
    ok = call_method(s, arg[3], "write", &made, 1, &found, &answer, err)
        && (found || err_set(err, ERR_ATTRIBUTE, "'%s' object has no attribute 'write'", value_type_name(arg[3])));
    value_release(answer);
    value_release(made);
    if (ok && flush) {
        answer = value_unset();
        ok = call_method(s, arg[3], "flush", NULL, 0, &found, &answer, err)
            && (found || err_set(err, ERR_ATTRIBUTE, "'%s' object has no attribute 'flush'", value_type_name(arg[3])));
        value_release(answer);
    }
    return ok;
}

NATIVE(builtin_input)
{
    Text prompt = { 0 };
    char *line = NULL;
    (void)self;
    if (!value_is_unset(arg[0]) && !value_str(s, arg[0], &prompt, err))
        return text_free(&prompt), false;
    const char *shown = prompt.n ? text_end(&prompt) : "";
    bool ok = s->observer.input ? s->observer.input(s->observer.self, shown ? shown : "", false, &line, err)
                                : err_set(err, ERR_EOF, "there is nobody to ask for input here");
    text_free(&prompt);
    if (!ok)
        return false;
    ok = str_out(str_new(s, line, (int64_t)strlen(line), err), out);
    free(line);
    return ok;
}

/* UTF-8 is what text files hold here; ASCII and Latin-1 text of ASCII characters is that too. */
static bool open_options(const Value *arg, const char *mode, Err *err)
{
    bool binary = strchr(mode, 'b');
    for (int k = 3; k < 6; k++)
        if (binary && !value_is_none(arg[k]))
            return err_set(err, ERR_VALUE, "binary mode doesn't take an %s argument", k == 3 ? "encoding" : k == 4 ? "errors" : "newline");
    if (value_is(arg[3], TYPE_STR)) {
        const char *encoding = ((Str *)arg[3].object)->s;
        if (strcasecmp(encoding, "utf-8") && strcasecmp(encoding, "utf8") && strcasecmp(encoding, "utf_8") && strcasecmp(encoding, "ascii"))
            return err_set(err, ERR_LOOKUP, "unknown encoding: %.100s", encoding) || err_hint(err, "Locus knows utf-8");
    }
    if (value_is(arg[4], TYPE_STR) && strcmp(((Str *)arg[4].object)->s, "strict"))
        return err_set(err, ERR_VALUE, "errors='%.50s' is not supported by Locus", ((Str *)arg[4].object)->s);
    if (value_is(arg[5], TYPE_STR) && ((Str *)arg[5].object)->size && strcmp(((Str *)arg[5].object)->s, "\n"))
        return err_set(err, ERR_VALUE, "newline=%s is not supported by Locus", "'\\r'");
    return true;
}

NATIVE(builtin_open)
{
    Str *name = NULL, *mode = NULL;
    (void)self;
    return want_path_str(s, arg[0], "open()'s path", &name, err) && want_str(arg[1], "mode", &mode, err) && open_options(arg, mode->s, err)
        && file_open(s, name, mode->s, out, err) && (((File *)out->object)->raw_newlines = !value_is_none(arg[5]), true);
}

NATIVE(builtin_exit)
{
    (void)self, (void)out;
    return raise_with(s, ERR_SYSTEM_EXIT, arg, value_is_unset(arg[0]) ? 0 : 1, err);
}

NATIVE(builtin_help)
{
    Text text = { 0 };
    size_t n;
    (void)self;
    *out = value_none();
    if (value_is_unset(arg[0]))
        text_put(&text, "help(x) tells what x is and takes; x? does so at a prompt.\n");
    else {
        Value name = value_unset();
        Str *key = str_intern(s, "__name__", 8, err);
        bool ok = key && find_attribute(s, arg[0], key, &name, err);
        if (key)
            object_release(&key->head);
        if (!ok)
            return false;
        if (value_is(name, TYPE_STR))
            text_put(&text, ((Str *)name.object)->s);
        else
            text_print(&text, "an object of type %s", value_type_name(arg[0]));
        value_release(name);
        look_signature(s, arg[0], &text);
        text_char(&text, '\n');
        const char *doc = look_doc(s, arg[0], &n);
        if (doc && n) {
            text_put(&text, "    ");
            text_add(&text, doc, n);
            text_char(&text, '\n');
        }
    }
    if (text.n && !text.failed)
        session_write(s, STREAM_OUT, text.s, text.n);
    text_free(&text);
    return true;
}

const NativeRow builtins_more[] = {
    { "ascii", builtin_ascii, "object, /", 0, "repr() with \\ escapes for all that is not ASCII." },
    { "callable", builtin_callable, "object, /", 0, "Can it be called?" },
    { "chr", builtin_chr, "code, /", 0, "The character of a code point." },
    { "delattr", builtin_setattr, "object, name, /", 1, "del object.name" },
    { "dir", builtin_dir, "object = ..., /", 0, "The names of its attributes; without an argument, the names that are bound." },
    { "exit", builtin_exit, "code = ...", 0, "Ends the program: raises SystemExit." },
    { "format", builtin_format, "value, format_spec = '', /", 0, "The text of a value as a format spec says." },
    { "getattr", builtin_getattr, "object, name, default = ..., /", 0, "object.name, or the default if there is none." },
    { "hasattr", builtin_hasattr, "object, name, /", 0, "Is there an object.name?" },
    { "hash", builtin_hash, "object, /", 0, "The number by which dicts and sets find it." },
    { "help", builtin_help, "object = ..., /", 0, "Prints what a function, class or module is for." },
    { "id", builtin_id, "object, /", 0, "Its address: one number for one object while it lives." },
    { "input", builtin_input, "prompt = ..., /", 0, "Asks for a line of text." },
    { "isinstance", builtin_isinstance, "object, classinfo, /", 0, "Is it of this class, or of one of a tuple of classes?" },
    { "issubclass", builtin_issubclass, "cls, classinfo, /", 0, "Does the class come from the other, or from one of a tuple?" },
    { "open", builtin_open, "file, mode = 'r', buffering = -1, encoding = None, errors = None, newline = None", 0, "Opens a text file." },
    { "ord", builtin_ord, "character, /", 0, "The code point of a character." },
    { "print", builtin_print, "*args, sep = None, end = None, file = None, flush = False", 0, "Writes the texts of values, with sep between and end behind." },
    { "quit", builtin_exit, "code = ...", 0, "Ends the program: raises SystemExit." },
    { "repr", builtin_repr, "object, /", 0, "The text of a value as it would be typed." },
    { "setattr", builtin_setattr, "object, name, value, /", 0, "object.name = value" },
    { "vars", builtin_vars, "object, /", 0, "The dict of its attributes." },
    { 0 }
};
