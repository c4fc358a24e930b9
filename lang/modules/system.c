/*
 * system.c - the modules sys, time and gc.
 */
#include "lang/modules/modules.h"
#include "lang/run/frame.h"
#include "lang/types/native.h"
#include <float.h>
#include <time.h>

static Value text_value(Session *s, const char *text, Err *err)
{
    return str_value(str_new(s, text, (int64_t)strlen(text), err));
}

/* ---- sys ------------------------------------------------------------------------------------------------ */
/* As the language would count: the argument itself is one. */
NATIVE(sys_getrefcount)
{
    (void)self, (void)err;
    *out = value_int(s, value_tag(arg[0]) == V_OBJECT ? (int64_t)arg[0].object->count : 3);
    return true;
}

/* What CPython answers for such an object. */
NATIVE(sys_getsizeof)
{
    int64_t size = 56;
    (void)self, (void)err;
    Value v = arg[0];
    if (value_tag(v) != V_OBJECT)
        size = value_tag(v) == V_NONE ? 16 : value_tag(v) == V_INT ? (v.i == 0 ? 24 : v.i >= (1 << 30) || v.i <= -(1 << 30) ? 32 : 28)
             : value_tag(v) == V_BOOL ? (v.i ? 28 : 24) : 24;
    else
        switch (v.object->type) {
        case TYPE_STR: size = (((Str *)v.object)->head.flags & STR_ASCII ? 49 : 74) + ((Str *)v.object)->size; break;
        case TYPE_BYTES: size = 33 + ((Str *)v.object)->size; break;
        case TYPE_LIST: size = 56 + 8 * ((List *)v.object)->capacity; break;
        case TYPE_TUPLE: case TYPE_SIZE: case TYPE_NAMEDTUPLE: size = 40 + 8 * ((Tuple *)v.object)->n; break;
        case TYPE_DICT: size = ((Dict *)v.object)->index ? 64 + 13 * ((int64_t)((Dict *)v.object)->mask + 1) + 64 : 64; break;
        case TYPE_SET: case TYPE_FROZENSET:
            size = 216 + (((Dict *)v.object)->mask > 7 ? 16 * ((int64_t)((Dict *)v.object)->mask + 1) : 0);
            break;
        case TYPE_TENSOR: size = 72; break;
        case TYPE_NPSCALAR: size = 24 + (int64_t)dtype_size(((NpScalar *)v.object)->dtype); break;
        case TYPE_NDARRAY:              /* an ndarray counts its elements where they are its own */
            size = 96 + 16 * tensor_ndim((Tensor *)v.object) + (v.object->flags & ARRAY_SHARES || tensor_base((Tensor *)v.object) ? 0
                 : tensor_numel((Tensor *)v.object) * (int64_t)dtype_size(tensor_dtype((Tensor *)v.object)));
            break;
        case TYPE_INT: size = 24 + 4 * ((int_bit_length(v) + 29) / 30); break;
        case TYPE_RANGE: size = 48; break;
        }
    *out = value_int(s, size);
    return true;
}

NATIVE(sys_exit)
{
    (void)self, (void)out;
    return raise_with(s, ERR_SYSTEM_EXIT, arg, value_is_none(arg[0]) ? 0 : 1, err);
}

NATIVE(sys_getrecursionlimit)
{
    (void)self, (void)arg, (void)err;
    *out = value_int(s, 1000);
    return true;
}

NATIVE(sys_intern)
{
    Str *str;
    (void)self;
    return want_str(arg[0], "intern()'s argument", &str, err) && str_out(str_intern(s, str->s, str->size, err), out);
}

NATIVE(sys_getdefaultencoding)
{
    (void)self, (void)arg;
    *out = text_value(s, "utf-8", err);
    return !value_is_unset(*out);
}

static bool sys_find(Session *s, Module *m, Str *name, Value *out, Err *err)
{
    (void)m;
    if (!strcmp(name->s, "modules")) {
        if (!s->modules && !(s->modules = dict_new(s, err)))
            return false;
        *out = value_retain((Value){ V_OBJECT, { .object = &s->modules->head } });
        return true;
    }
    return false;
}

static void sys_names(Session *s, Module *m, void (*each)(void *to, const char *name), void *to)
{
    (void)s, (void)m;
    each(to, "modules");
}

static const NativeRow sys_rows[] = {
    { "exit", sys_exit, "status = None, /", 0, "Ends the program: raises SystemExit." },
    { "getdefaultencoding", sys_getdefaultencoding, "", 0, NULL },
    { "getrecursionlimit", sys_getrecursionlimit, "", 0, "How deep calls may be." },
    { "getrefcount", sys_getrefcount, "object, /", 0, "How many references an object has, that of the argument among them." },
    { "getsizeof", sys_getsizeof, "object, default = None", 0, "Bytes of the object itself, as CPython has it; not of what it refers to." },
    { "intern", sys_intern, "string, /", 0, "The one object for this text." },
    { 0 }
};

static Value argument_list(Session *s, Err *err)
{
    List *list = list_new(s, s->options.argc, err);
    bool ok = list;
    for (int i = 0; ok && i < s->options.argc; i++) {
        Value one = text_value(s, s->options.argv[i], err);
        ok = !value_is_unset(one) && list_append(s, list, one, err);
        value_release(one);
    }
    if (ok && !s->options.argc) {
        Value empty = text_value(s, "", err);
        ok = !value_is_unset(empty) && list_append(s, list, empty, err);
        value_release(empty);
    }
    if (ok)
        return value_object_take(list);
    if (list)
        object_release(&list->head);
    return value_unset();
}

static Value stream(Session *s, Stream which, Err *err)
{
    File *file = file_stream(s, which, err);
    return file ? value_object_take(file) : value_unset();
}

/* sys.path: the folder of the script, which is where its modules would be. */
static Value path_list(Session *s, Err *err)
{
    const char *script = s->options.argc ? s->options.argv[0] : "", *slash = strrchr(script, '/');
    Str *folder = str_new(s, script, slash ? slash - script : 0, err);
    List *list = folder ? list_new(s, 1, err) : NULL;
    if (list && !list_append(s, list, (Value){ V_OBJECT, { .object = &folder->head } }, err)) {
        object_release(&list->head);
        list = NULL;
    }
    if (folder)
        object_release(&folder->head);
    return list ? value_object_take(list) : value_unset();
}

Module *module_sys(Session *s, Err *err)
{
    Module *m = module_new(s, "sys", sys_rows, err);
    if (!m)
        return NULL;
    m->find = sys_find;
    m->names = sys_names;
    if (add_constant(s, m, "maxsize", value_int(s, INT64_MAX), err) && add_constant(s, m, "argv", argument_list(s, err), err)
        && add_constant(s, m, "version", text_value(s, "3.11.0 (Locus)", err), err)
        && add_constant(s, m, "platform", text_value(s, "linux", err), err) && add_constant(s, m, "byteorder", text_value(s, "little", err), err)
        && add_constant(s, m, "executable", text_value(s, "locus", err), err) && add_constant(s, m, "path", path_list(s, err), err)
        && add_constant(s, m, "stdout", stream(s, STREAM_OUT, err), err) && add_constant(s, m, "stderr", stream(s, STREAM_ERR, err), err))
        return m;
    object_release(&m->head);
    return NULL;
}

/* ---- time ----------------------------------------------------------------------------------------------- */
/* The payload: a clock, and + 100 for whole nanoseconds. */
NATIVE(time_clock)
{
    struct timespec now;
    (void)self, (void)arg, (void)err;
    clock_gettime((clockid_t)(arg[-1].i % 100), &now);
    if (arg[-1].i >= 100)
        *out = value_int(s, (int64_t)now.tv_sec * 1000000000 + now.tv_nsec);
    else
        *out = value_float(s, (double)now.tv_sec + 1e-9 * (double)now.tv_nsec);
    return true;
}

NATIVE(time_sleep)
{
    double seconds;
    bool ready;
    (void)self;
    if (!value_to_double(s, arg[0], &seconds, err))
        return false;
    if (!(seconds >= 0))
        return err_set(err, ERR_VALUE, "sleep length must be non-negative");
    if (seconds >= 9223372036)                          /* nanoseconds in 64 bits, as in CPython */
        return err_set(err, ERR_OVERFLOW, "timestamp too large to convert to C _PyTime_t");
    *out = value_none();
    return session_wait(s, -1, (int64_t)(seconds * 1000 + 0.5), &ready, err);
}

static bool calendar(Session *s, Value v, struct tm *tm, Err *err)
{
    double seconds;
    time_t now = time(NULL);
    if (!value_is_none(v)) {
        if (!value_to_double(s, v, &seconds, err))
            return false;
        now = (time_t)seconds;
    }
    return localtime_r(&now, tm) || err_set(err, ERR_OVERFLOW, "this time is out of range");
}

NATIVE(time_ctime)
{
    struct tm tm;
    char text[64];
    (void)self;
    if (!calendar(s, arg[0], &tm, err))
        return false;
    size_t n = strftime(text, sizeof text, "%a %b %e %H:%M:%S %Y", &tm);
    return str_out(str_new(s, text, (int64_t)n, err), out);
}

static const NativeRow time_rows[] = {
    { "ctime", time_ctime, "seconds = None, /", 0, "A time as text." },
    { "monotonic", time_clock, "", CLOCK_MONOTONIC, "Seconds of a clock that is never set." },
    { "monotonic_ns", time_clock, "", CLOCK_MONOTONIC + 100, "Nanoseconds of a clock that is never set." },
    { "perf_counter", time_clock, "", CLOCK_MONOTONIC, "Seconds, for measuring how long something takes." },
    { "perf_counter_ns", time_clock, "", CLOCK_MONOTONIC + 100, "Nanoseconds, for measuring how long something takes." },
    { "process_time", time_clock, "", CLOCK_PROCESS_CPUTIME_ID, "Seconds of processor time of this program." },
    { "sleep", time_sleep, "seconds, /", 0, "Waits." },
    { "time", time_clock, "", CLOCK_REALTIME, "Seconds since 1970." },
    { "time_ns", time_clock, "", CLOCK_REALTIME + 100, "Nanoseconds since 1970." },
    { 0 }
};

Module *module_time(Session *s, Err *err)
{
    return module_new(s, "time", time_rows, err);
}

/* ---- gc ------------------------------------------------------------------------------------------------- */
NATIVE(gc_collect)
{
    (void)self, (void)arg, (void)err;
    *out = value_int(s, cycle_collect(s));
    return true;
}

NATIVE(gc_nothing)
{
    (void)s, (void)self, (void)arg, (void)err;
    *out = arg[-1].i ? value_bool(true) : value_none();
    return true;
}

static const NativeRow gc_rows[] = {
    { "collect", gc_collect, "generation = 2", 0, "Frees objects that only refer to each other; how many it found." },
    { "disable", gc_nothing, "", 0, "Collections happen between statements; this changes nothing." },
    { "enable", gc_nothing, "", 0, "Collections happen between statements; this changes nothing." },
    { "isenabled", gc_nothing, "", 1, NULL },
    { 0 }
};

Module *module_gc(Session *s, Err *err)
{
    return module_new(s, "gc", gc_rows, err);
}
