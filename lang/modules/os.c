/*
 * os.c - the modules os and os.path: folders, names of files, the environment.
 */
#include "lang/modules/modules.h"
#include "lang/types/native.h"
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* A path argument as terminated text. */
static bool want_path(Session *s, Value v, const char **path, Err *err)
{
    Str *str = NULL;
    if (!want_path_str(s, v, "a path", &str, err))
        return false;
    *path = str->s;
    return strlen(str->s) == (size_t)str->size || err_set(err, ERR_VALUE, "embedded null byte");
}

static bool give_text(Session *s, const char *text, size_t n, Value *out, Err *err)
{
    return str_out(str_new(s, text, (int64_t)n, err), out);
}

/* ---- os.path -------------------------------------------------------------------------------------------- */
NATIVE(path_join)
{
    const Tuple *parts = (Tuple *)arg[1].object;
    const char *part;
    Text text = { 0 };
    (void)self;
    if (!want_path(s, arg[0], &part, err))
        return false;
    text_put(&text, part);
    for (int64_t i = 0; i < parts->n; i++) {
        if (!want_path(s, parts->item[i], &part, err))
            return text_free(&text), false;
        if (*part == '/')
            text.n = 0;
        else if (text.n && text.s[text.n - 1] != '/')
            text_char(&text, '/');
        text_put(&text, part);
    }
    return text_out(s, &text, out, err);
}

/* exists, isfile, isdir: the payload is 0, 1, 2. */
NATIVE(path_test)
{
    const char *path;
    struct stat st;
    (void)self;
    if (!want_path(s, arg[0], &path, err))
        return false;
    bool there = !stat(path, &st);
    *out = value_bool(there && (arg[-1].i == 0 || (arg[-1].i == 1 ? S_ISREG(st.st_mode) : S_ISDIR(st.st_mode))));
    return true;
}

/* basename, dirname: the payload is 0, 1. */
NATIVE(path_part)
{
    const char *path;
    (void)self;
    if (!want_path(s, arg[0], &path, err))
        return false;
    const char *slash = strrchr(path, '/');
    if (!arg[-1].i)
        return give_text(s, slash ? slash + 1 : path, strlen(slash ? slash + 1 : path), out, err);
    size_t n = slash ? (size_t)(slash - path) + 1 : 0;
    while (n > 1 && path[n - 1] == '/' && strspn(path, "/") < n)
        n--;
    return give_text(s, path, n, out, err);
}

/* split and splitext: the payload is 0, 1. */
NATIVE(path_split)
{
    const char *path;
    (void)self;
    if (!want_path(s, arg[0], &path, err))
        return false;
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *dot = strrchr(name, '.');
    size_t n = (size_t)(name - path), first = n;
    if (arg[-1].i) {
        n = dot && strspn(name, ".") < (size_t)(dot - name + 1) && dot != name ? (size_t)(dot - path) : strlen(path);
        first = n;
    } else
        while (first > 1 && path[first - 1] == '/')
            first--;
    Tuple *pair = tuple_new(s, 2, err);
    if (!pair)
        return false;
    Value left, right;
    bool ok = give_text(s, path, first, &left, err);
    if (ok) {
        pair->item[0] = left;
        ok = give_text(s, path + n, strlen(path + n), &right, err);
    }
    if (ok) {
        pair->item[1] = right;
        *out = value_object_take(pair);
    } else
        object_release(&pair->head);
    return ok;
}

NATIVE(path_getsize)
{
    const char *path;
    struct stat st;
    (void)self;
    if (!want_path(s, arg[0], &path, err))
        return false;
    if (stat(path, &st))
        return os_error(errno, path, err);
    *out = value_int(s, st.st_size);
    return true;
}

/* A path from the root, without "." and "..". */
NATIVE(path_abspath)
{
    const char *path;
    char here[4096];
    Text text = { 0 };
    (void)self;
    if (!want_path(s, arg[0], &path, err))
        return false;
    if (*path != '/') {
        if (!getcwd(here, sizeof here))
            return os_error(errno, NULL, err);
        text_put(&text, here);
        text_char(&text, '/');
    }
    text_put(&text, path);
    char *whole = text_end(&text), *save = NULL;
    Text clean = { 0 };
    for (char *part = whole ? strtok_r(whole, "/", &save) : NULL; part; part = strtok_r(NULL, "/", &save)) {
        if (!strcmp(part, "."))
            continue;
        if (!strcmp(part, "..")) {
            while (clean.n && clean.s[--clean.n] != '/')
                continue;
            continue;
        }
        text_char(&clean, '/');
        text_put(&clean, part);
    }
    if (!clean.n)
        text_char(&clean, '/');
    text_free(&text);
    return text_out(s, &clean, out, err);
}

NATIVE(path_expanduser)
{
    const char *path, *home = getenv("HOME");
    (void)self;
    if (!want_path(s, arg[0], &path, err))
        return false;
    if (path[0] != '~' || (path[1] && path[1] != '/') || !home)
        return *out = value_retain(arg[0]), true;
    Text text = { 0 };
    text_put(&text, home);
    text_put(&text, path + 1);
    return text_out(s, &text, out, err);
}

static const NativeRow path_rows[] = {
    { "abspath", path_abspath, "path", 0, "The path from the root." },
    { "basename", path_part, "p", 0, "What is behind the last slash." },
    { "dirname", path_part, "p", 1, "What is before the last slash." },
    { "exists", path_test, "path", 0, "Is there such a file or folder?" },
    { "expanduser", path_expanduser, "path", 0, "With the home folder in the place of ~." },
    { "getsize", path_getsize, "filename", 0, "The size of a file in bytes." },
    { "isdir", path_test, "s", 2, "Is it a folder?" },
    { "isfile", path_test, "path", 1, "Is it a file?" },
    { "join", path_join, "a, *p", 0, "Names put together with slashes." },
    { "split", path_split, "p", 0, "Folder and name." },
    { "splitext", path_split, "p", 1, "What is before the last dot, and the rest." },
    { 0 }
};

Module *module_os_path(Session *s, Err *err)
{
    return module_new(s, "os.path", path_rows, err);
}

/* ---- os ------------------------------------------------------------------------------------------------- */
NATIVE(os_getcwd)
{
    char here[4096];
    (void)self, (void)arg;
    if (!getcwd(here, sizeof here))
        return os_error(errno, NULL, err);
    return give_text(s, here, strlen(here), out, err);
}

NATIVE(os_listdir)
{
    const char *path;
    (void)self;
    if (!want_path(s, arg[0], &path, err))
        return false;
    DIR *dir = opendir(path);
    if (!dir)
        return os_error(errno, path, err);
    List *list = list_new(s, 0, err);
    bool ok = list;
    for (struct dirent *entry; ok && (entry = readdir(dir));) {
        Value name;
        if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
            continue;
        ok = give_text(s, entry->d_name, strlen(entry->d_name), &name, err);
        if (ok) {
            ok = list_append(s, list, name, err);
            value_release(name);
        }
    }
    closedir(dir);
    if (ok)
        *out = value_object_take(list);
    else if (list)
        object_release(&list->head);
    return ok;
}

/* mkdir, makedirs, rmdir, remove: the payload is 0 to 3. */
NATIVE(os_change)
{
    const char *path;
    int status = 0;
    bool may_exist = false;
    (void)self;
    *out = value_none();
    if (!want_path(s, arg[0], &path, err))
        return false;
    if (arg[-1].i == 1) {
        if (!value_truth(s, arg[2], &may_exist, err))
            return false;
        Text part = { 0 };
        for (const char *c = path; *c; c++) {
            if (*c == '/' && c > path && text_end(&part) && mkdir(part.s, 0777) && errno != EEXIST) {
                text_free(&part);
                return os_error(errno, path, err);
            }
            text_char(&part, *c);
        }
        text_free(&part);
    }
    if (arg[-1].i < 2)
        status = mkdir(path, 0777);
    else
        status = arg[-1].i == 2 ? rmdir(path) : unlink(path);
    if (status && !(may_exist && errno == EEXIST))
        return os_error(errno, path, err);
    return true;
}

NATIVE(os_getenv)
{
    const char *name;
    (void)self;
    if (!want_path(s, arg[0], &name, err))
        return false;
    const char *value = getenv(name);
    if (!value)
        return *out = value_retain(arg[1]), true;
    return give_text(s, value, strlen(value), out, err);
}

/* getpid and cpu_count: the payload is 0 and 1. */
NATIVE(os_number)
{
    (void)self, (void)arg, (void)err;
    *out = value_int(s, arg[-1].i ? sysconf(_SC_NPROCESSORS_ONLN) : getpid());
    return true;
}

static const NativeRow os_rows[] = {
    { "cpu_count", os_number, "", 1, "How many processors there are." },
    { "getcwd", os_getcwd, "", 0, "The folder that the program runs in." },
    { "getenv", os_getenv, "key, default = None", 0, "A variable of the environment." },
    { "getpid", os_number, "", 0, "The number of the process." },
    { "listdir", os_listdir, "path = '.'", 0, "The names in a folder." },
    { "makedirs", os_change, "name, mode = 511, exist_ok = False", 1, "Makes a folder and those above it." },
    { "mkdir", os_change, "path, mode = 511", 0, "Makes a folder." },
    { "remove", os_change, "path", 3, "Deletes a file." },
    { "rmdir", os_change, "path", 2, "Deletes an empty folder." },
    { "unlink", os_change, "path", 3, "Deletes a file." },
    { 0 }
};

/* A dict of the environment as it was at the import. */
static bool environment(Session *s, Value *out, Err *err)
{
    extern char **environ;
    Dict *dict = dict_new(s, err);
    bool ok = dict;
    for (char **entry = environ; ok && entry && *entry; entry++) {
        const char *sign = strchr(*entry, '=');
        Value key, value;
        Err ignored;
        if (!sign || !give_text(s, *entry, (size_t)(sign - *entry), &key, &ignored))
            continue;                   /* no UTF-8 */
        if (give_text(s, sign + 1, strlen(sign + 1), &value, &ignored)) {
            ok = dict_set(s, dict, key, value, err);
            value_release(value);
        }
        value_release(key);
    }
    if (ok)
        *out = value_object_take(dict);
    else if (dict)
        object_release(&dict->head);
    return ok;
}

static bool os_find(Session *s, Module *m, Str *name, Value *out, Err *err)
{
    (void)m;
    if (!strcmp(name->s, "path")) {
        Module *path = session_import(s, "os.path", err);
        if (path)
            *out = value_object_take(path);
        return path;
    }
    return !strcmp(name->s, "environ") && environment(s, out, err);
}

static void os_names(Session *s, Module *m, void (*each)(void *to, const char *name), void *to)
{
    (void)s, (void)m;
    each(to, "path");
    each(to, "environ");
}

Module *module_os(Session *s, Err *err)
{
    Module *m = module_new(s, "os", os_rows, err);
    if (!m)
        return NULL;
    m->find = os_find;
    m->names = os_names;
    if (add_constant(s, m, "sep", str_value(str_new(s, "/", 1, err)), err) && add_constant(s, m, "linesep", str_value(str_new(s, "\n", 1, err)), err)
        && add_constant(s, m, "name", str_value(str_new(s, "posix", 5, err)), err))
        return m;
    object_release(&m->head);
    return NULL;
}
