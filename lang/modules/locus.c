/*
 * locus.c - the module _locus: what the library that is written in the language (prelude/) needs from below it.
 */
#include "lang/modules/modules.h"
#include "lang/run/frame.h"
#include "lang/run/runner.h"
#include "lang/types/native.h"
#include "lang/types/rows.h"
#include <errno.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* The text that an uncaught exception has. */
NATIVE(format_exception)
{
    Text text = { 0 };
    (void)self;
    if (!value_is(arg[0], TYPE_EXCEPTION))
        return err_set(err, ERR_TYPE, "an exception is wanted, not %s", value_type_name(arg[0]));
    return (runner_error_text(s, (Exception *)arg[0].object, &text) || (text_free(&text), err_memory(err, 1024))) && text_out(s, &text, out, err);
}

/* The exception that is being handled, or None. */
NATIVE(handled)
{
    (void)self, (void)arg, (void)err;
    *out = s->handled ? value_retain(value_object_take(s->handled)) : value_none();
    return true;
}

/* Where the program stands: its file, line and the line's text. */
NATIVE(caller)
{
    Event row = { 0 };
    size_t n = 0;
    (void)self, (void)arg;
    run_where(s, &row);
    const Place place = row.place;
    const char *file = source_name(s, place.source), *line = source_line(s, place.source, place.line, &n);
    while (n && (*line == ' ' || *line == '\t'))
        line++, n--;
    Tuple *made = tuple_new(s, 3, err);
    if (!made)
        return false;
    made->item[0] = str_value(str_new(s, file ? file : "?", (int64_t)strlen(file ? file : "?"), err));
    made->item[1] = int_new(s, place.line);
    made->item[2] = str_value(str_new(s, line ? line : "", (int64_t)n, err));
    *out = value_object_take(made);
    if (!value_is_unset(made->item[0]) && !value_is_unset(made->item[2]))
        return true;
    value_release(*out);
    return false;
}

static bool tuple_of_time(Session *s, const struct tm *tm, Value *out, Err *err)
{
    const int part[] = { tm->tm_year + 1900, tm->tm_mon + 1, tm->tm_mday, tm->tm_hour, tm->tm_min, tm->tm_sec, (tm->tm_wday + 6) % 7, tm->tm_yday + 1, tm->tm_isdst };
    Tuple *made = tuple_new(s, 9, err);
    for (int k = 0; made && k < 9; k++)
        made->item[k] = int_new(s, part[k]);
    *out = made ? value_object_take(made) : value_unset();
    return made;
}

/* calendar(seconds, utc): nine ints. */
NATIVE(calendar)
{
    int64_t seconds;
    struct tm tm;
    bool utc;
    (void)self;
    if (!value_index(s, arg[0], "seconds", &seconds, err) || !value_truth(s, arg[1], &utc, err))
        return false;
    time_t time = (time_t)seconds;
    if (!(utc ? gmtime_r(&time, &tm) : localtime_r(&time, &tm)))
        return err_set(err, ERR_OVERFLOW, "timestamp out of range");
    return tuple_of_time(s, &tm, out, err);
}

static bool time_of_tuple(Session *s, Value v, struct tm *tm, Err *err)
{
    List *list = value_to_list(s, v, err);
    int64_t part[9] = { 0 };
    bool ok = list && (list->n >= 9 || err_set(err, ERR_TYPE, "a time of nine ints is wanted"));
    for (int k = 0; ok && k < 9; k++)
        ok = value_index(s, list->item[k], "a part of a time", &part[k], err);
    if (list)
        object_release(&list->head);
    *tm = (struct tm){ .tm_year = (int)part[0] - 1900, .tm_mon = (int)part[1] - 1, .tm_mday = (int)part[2], .tm_hour = (int)part[3], .tm_min = (int)part[4],
                       .tm_sec = (int)part[5], .tm_wday = (int)(part[6] + 1) % 7, .tm_yday = (int)part[7] - 1, .tm_isdst = (int)part[8] };
    return ok;
}

NATIVE(format_time)
{
    Str *format;
    struct tm tm;
    char text[1024];
    (void)self;
    if (!want_str(arg[0], "the format", &format, err) || !time_of_tuple(s, arg[1], &tm, err))
        return false;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    size_t n = strftime(text, sizeof text, format->s, &tm);
#pragma GCC diagnostic pop
    return str_out(str_new(s, text, (int64_t)n, err), out);
}

NATIVE(make_time)
{
    struct tm tm;
    (void)self;
    if (!time_of_tuple(s, arg[0], &tm, err))
        return false;
    *out = value_float(s, (double)mktime(&tm));
    return true;
}

/* status(path): (mode, size, time of change), or None when there is none. */
NATIVE(status)
{
    Str *path;
    struct stat st;
    (void)self;
    if (!want_path_str(s, arg[0], "a path", &path, err))
        return false;
    if (stat(path->s, &st))
        return *out = value_none(), true;
    Tuple *made = tuple_new(s, 4, err);
    if (!made)
        return false;
    made->item[0] = int_new(s, st.st_mode);
    made->item[1] = int_new(s, st.st_size);
    made->item[2] = float_new(s, (double)st.st_mtime);
    made->item[3] = int_new(s, (int64_t)st.st_ino);
    *out = value_object_take(made);
    return true;
}

/* rename, chdir: the payload is 0, 1. */
NATIVE(change)
{
    Str *path, *to = NULL;
    (void)self;
    if (!want_path_str(s, arg[0], "a path", &path, err) || (!arg[-1].i && !want_path_str(s, arg[1], "a path", &to, err)))
        return false;
    *out = value_none();
    return !(to ? rename(path->s, to->s) : chdir(path->s)) || os_error(errno, path->s, err);
}

/* A text as JSON writes it. */
NATIVE(quote_json)
{
    Str *str;
    Text text = { 0 };
    bool ascii;
    (void)self;
    if (!want_str(arg[0], "the text", &str, err) || !value_truth(s, arg[1], &ascii, err))
        return false;
    text_char(&text, '"');
    for (const unsigned char *c = (unsigned char *)str->s, *end = c + str->size; c < end; c++) {
        static const char special[] = "\"\\\n\r\t\b\f", letter[] = "\"\\nrtbf";
        const char *at = *c && *c < 128 ? strchr(special, *c) : NULL;
        if (at)
            text_print(&text, "\\%c", letter[at - special]);
        else if (*c < 32)
            text_print(&text, "\\u%04x", *c);
        else if (*c < 128 || !ascii)
            text_char(&text, (char)*c);
        else {
            int more = *c >= 0xf0 ? 3 : *c >= 0xe0 ? 2 : 1;
            uint32_t point = *c & (0x3fu >> more);
            for (; more; more--)
                point = point << 6 | (*++c & 0x3f);
            if (point >= 0x10000)
                text_print(&text, "\\u%04x\\u%04x", 0xd800 + ((point - 0x10000) >> 10), 0xdc00 + ((point - 0x10000) & 0x3ff));
            else
                text_print(&text, "\\u%04x", point);
        }
    }
    text_char(&text, '"');
    return text_out(s, &text, out, err);
}

NATIVE(import_module)
{
    Str *name;
    (void)self;
    if (!want_str(arg[0], "a module's name", &name, err))
        return false;
    Module *m = session_import(s, name->s, err);
    *out = m ? value_object_take(m) : value_unset();
    return m;
}

static const NativeRow rows[] = {
    { "calendar", calendar, "seconds, utc, /", 0, NULL },
    { "caller", caller, "", 0, NULL },
    { "chdir", change, "path, to = None, /", 1, NULL },
    { "format_exception", format_exception, "exception, /", 0, NULL },
    { "format_time", format_time, "format, time, /", 0, NULL },
    { "handled", handled, "", 0, NULL },
    { "import_module", import_module, "name, /", 0, NULL },
    { "make_time", make_time, "time, /", 0, NULL },
    { "quote_json", quote_json, "text, ascii, /", 0, NULL },
    { "rename", change, "path, to, /", 0, NULL },
    { "status", status, "path, /", 0, NULL },
    { 0 }
};

Module *module_locus(Session *s, Err *err)
{
    return module_new(s, "_locus", rows, err);
}
