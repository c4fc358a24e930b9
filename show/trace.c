/* trace.c - one JSON line for every statement: what it printed, its result, every name's value, its events. */
#include "show/rows.h"
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>

typedef struct Trace { FILE *file; char path[512]; Text out; } Trace;
enum { TRACE_DEPTH = 64, TRACE_VALUES = 4096 };
static const int64_t EXACT = (int64_t)1 << 53; /* integers beyond are not exact in every reader of JSON */

/* ---- plain values ---- */
/* Bytes that are no UTF-8 become U+FFFD. */
static json_t *json_text(const char *utf8, size_t n)
{
    json_t *text = utf8 || !n ? json_stringn(utf8 ? utf8 : "", n) : NULL;
    if (text)
        return text;
    Text good = { 0 };
    for (size_t i = 0; i < n;) {
        utf8proc_int32_t c;
        utf8proc_ssize_t step =
            utf8proc_iterate((const utf8proc_uint8_t *)utf8 + i, (utf8proc_ssize_t)(n - i), &c);
        text_add(&good, step > 0 ? utf8 + i : "\xef\xbf\xbd", step > 0 ? (size_t)step : 3);
        i += step > 0 ? (size_t)step : 1;
    }
    text = good.failed ? NULL : json_stringn(good.s ? good.s : "", good.n);
    text_free(&good);
    return text;
}

static json_t *json_word(const char *text)
{
    return text ? json_text(text, strlen(text)) : json_null();
}

static json_t *json_int(int64_t i)
{
    if (i >= -EXACT && i <= EXACT)
        return json_integer(i);
    return json_sprintf("%lld", (long long)i);
}

static json_t *json_float(double f)
{
    return isnan(f) ? json_string("nan") : isinf(f) ? json_string(f > 0 ? "inf" : "-inf") : json_real(f);
}

static json_t *json_serial(uint64_t serial)
{
    return serial ? json_int((int64_t)serial) : json_null();
}

static json_t *json_ints(int n, const int64_t *ints)
{
    json_t *list = json_array();
    for (int i = 0; i < n; i++)
        json_array_append_new(list, json_int(ints[i]));
    return list;
}

static json_t *json_device(Device device)
{
    Text text = { 0 };
    device_print(device, &text);
    json_t *name = json_word(text_end(&text));
    text_free(&text);
    return name;
}

/* ---- values of names ---- */
static json_t *tensor_values(const TensorFact *t)
{
    json_t *list = json_array();
    int64_t index[64] = { 0 };
    for (int64_t i = 0; i < t->numel; i++) {
        Number number = tensor_element(t->tensor, index);
        json_array_append_new(list, number.kind == DKIND_BOOL ? json_boolean(number.b)
                                    : number.kind == DKIND_INT ? json_int(number.i) : json_float(number.f));
        for (int d = t->ndim - 1; d >= 0 && ++index[d] == t->shape[d]; d--)     /* the next one, row-major */
            index[d] = 0;
    }
    return list;
}

static json_t *tensor_json(const Fact *fact)
{
    const TensorFact *t = fact->tensor;
    json_t *o = json_object();
    json_object_set_new(o, "kind", json_string("tensor"));
    json_object_set_new(o, "object", json_serial(fact->object));
    json_object_set_new(o, "storage", json_serial(t->storage));
    json_object_set_new(o, "dtype", json_string(dtype_name(t->dtype)));
    json_object_set_new(o, "device", json_device(t->device));
    json_object_set_new(o, "shape", json_ints(t->ndim, t->shape));
    json_object_set_new(o, "stride", json_ints(t->ndim, t->stride));
    json_object_set_new(o, "offset", json_int(t->offset));
    json_object_set_new(o, "version", json_int(t->version));
    json_object_set_new(o, "requires_grad", json_boolean(t->requires_grad));
    json_object_set_new(o, "is_leaf", json_boolean(t->is_leaf));
    if (t->numel <= TRACE_VALUES && t->ndim <= 64 && t->tensor)
        json_object_set_new(o, "values", tensor_values(t));
    return o;
}

static json_t *int_json(const char *digits_text)
{
    size_t n = strlen(digits_text);
    long long value = n < 18 ? atoll(digits_text) : 0;
    return n < 18 && value >= -EXACT && value <= EXACT ? json_integer(value) : json_string(digits_text);
}

static json_t *fact_json(const Fact *fact)
{
    if (fact->kind == FACT_TENSOR && fact->tensor && strcmp(fact->type, "ndarray") != 0)
        return tensor_json(fact);
    json_t *o = json_object();
    switch (fact->kind) {
    case FACT_NONE:
        json_object_set_new(o, "kind", json_string("none"));
        json_object_set_new(o, "value", json_null());
        break;
    case FACT_BOOL:
        json_object_set_new(o, "kind", json_string("bool"));
        json_object_set_new(o, "value", json_boolean(fact->b));
        break;
    case FACT_INT:
        json_object_set_new(o, "kind", json_string("int"));
        json_object_set_new(o, "value", int_json(fact->text ? fact->text : "0"));
        break;
    case FACT_FLOAT:
        json_object_set_new(o, "kind", json_string("float"));
        json_object_set_new(o, "value", json_float(fact->f));
        break;
    case FACT_STR:
        json_object_set_new(o, "kind", json_string("str"));
        json_object_set_new(o, "value", json_text(fact->text, fact->text_size));
        break;
    case FACT_LIST:
    case FACT_TUPLE: {
        json_object_set_new(o, "kind", json_string(fact->kind == FACT_LIST ? "list" : "tuple"));
        json_object_set_new(o, "object", json_serial(fact->object));
        json_t *items = json_array();
        for (size_t i = 0; i < fact->items; i++)
            json_array_append_new(items, fact_json(&fact->item[i]));
        json_object_set_new(o, "items", items);
        break;
    }
    default:
        json_object_set_new(o, "kind", json_string("other"));
        json_object_set_new(o, "type", json_word(fact->type));
    }
    return o;
}

static json_t *vars_json(Show *show)
{
    Snapshot *snapshot = session_snapshot(show->session, TRACE_DEPTH, SIZE_MAX);
    if (!snapshot)
        return NULL;
    json_t *vars = json_object();
    for (size_t i = 0; i < snapshot->names; i++) {
        const char *name = snapshot->name[i].name;
        size_t n = strlen(name);
        bool special = n > 4 && strncmp(name, "__", 2) == 0 && strcmp(name + n - 2, "__") == 0;
        if (snapshot->name[i].fact.kind != FACT_HIDDEN && !special)
            json_object_set_new(vars, name, fact_json(&snapshot->name[i].fact));
    }
    snapshot_free(snapshot);
    return vars;
}

/* ---- events ---- */
static json_t *reason_json(const Event *ev)
{
    if (ev->reason == COPY_DTYPE)
        return json_sprintf("dtype %s to %s", dtype_name((DType)ev->from_dtype), dtype_name((DType)ev->dtype));
    return json_string(copy_reason_name((CopyReason)ev->reason));
}

static json_t *op_json(const Event *ev)
{
    return ev->op < OP_COUNT && op_info[ev->op].name ? json_string(op_info[ev->op].name) : json_null();
}

static json_t *event_json(const Record *record, const Event *ev)
{
    Device device = { ev->device, ev->device_index };
    int ndim = ev->ndim < EVENT_DIMS ? ev->ndim : EVENT_DIMS;
    json_t *o = json_object();
    json_object_set_new(o, "kind", json_string(event_name((EventKind)ev->kind)));
    json_object_set_new(o, "time", json_int((int64_t)(ev->time ? ev->time : record->time)));
    json_object_set_new(o, "span",
                        ev->place.source ? json_pack("[iiii]", ev->place.line, ev->place.column,
                                                     ev->place.end_line, ev->place.end_column)
                                         : json_null());
    switch ((EventKind)ev->kind) {
    case EVENT_ALLOC:
        json_object_set_new(o, "storage", json_serial(ev->storage));
        json_object_set_new(o, "bytes", json_int(ev->bytes));
        json_object_set_new(o, "reserved", json_int(ev->reserved));
        json_object_set_new(o, "address", json_int((int64_t)ev->address));
        json_object_set_new(o, "device", json_device(device));
        json_object_set_new(o, "origin", json_string(origin_name((Origin)ev->origin)));
        if (ev->was)
            json_object_set_new(o, "was", json_serial(ev->was));
        break;
    case EVENT_FREE:
        json_object_set_new(o, "storage", json_serial(ev->storage));
        json_object_set_new(o, "bytes", json_int(ev->bytes));
        json_object_set_new(o, "device", json_device(device));
        json_object_set_new(o, "to", json_string(ev->origin == ORIGIN_CACHE ? "cache" : "system"));
        break;
    case EVENT_TENSOR:
        json_object_set_new(o, "object", json_serial(ev->object));
        json_object_set_new(o, "storage", json_serial(ev->storage));
        json_object_set_new(o, "shape", json_ints(ndim, ev->shape));
        json_object_set_new(o, "stride", json_ints(ndim, ev->stride));
        json_object_set_new(o, "offset", json_int(ev->offset));
        json_object_set_new(o, "dtype", json_string(dtype_name((DType)ev->dtype)));
        json_object_set_new(o, "op", op_json(ev));
        json_object_set_new(o, "base", json_serial(ev->other));
        break;
    case EVENT_DROP:
        json_object_set_new(o, "object", json_serial(ev->object));
        break;
    case EVENT_BIND:
    case EVENT_UNBIND:
        json_object_set_new(o, "target", json_text(record->text + ev->text, ev->text_size));
        if (ev->kind == EVENT_BIND)
            json_object_set_new(o, "object", json_serial(ev->object));
        json_object_set_new(o, "was", json_serial(ev->was));
        break;
    case EVENT_WRITE: {
        json_t *aliases = json_array();
        for (uint32_t i = 0; i < ev->alias_count; i++)
            json_array_append_new(aliases, json_serial(record->alias[ev->alias + i]));
        json_object_set_new(o, "object", json_serial(ev->object));
        json_object_set_new(o, "storage", json_serial(ev->storage));
        json_object_set_new(o, "op", op_json(ev));
        json_object_set_new(o, "version", json_int(ev->version));
        json_object_set_new(o, "aliases", aliases);
        break;
    }
    case EVENT_COPY:
        json_object_set_new(o, "from", json_serial(ev->other));
        json_object_set_new(o, "to", json_serial(ev->storage));
        json_object_set_new(o, "bytes", json_int(ev->bytes));
        json_object_set_new(o, "reason", reason_json(ev));
        break;
    case EVENT_SAVE:
    case EVENT_RELEASE:
        json_object_set_new(o, "object", json_serial(ev->object));
        json_object_set_new(o, "storage", json_serial(ev->storage));
        json_object_set_new(o, "bytes", json_int(ev->bytes));
        json_object_set_new(o, "node",
                            ev->op < OP_COUNT && op_info[ev->op].grad
                                ? json_sprintf("%s0", op_info[ev->op].grad)
                                : json_null());
        break;
    case EVENT_OOM:
        json_object_set_new(o, "device", json_device(device));
        json_object_set_new(o, "requested", json_int(ev->bytes));
        json_object_set_new(o, "free", json_int(ev->reserved));
        json_object_set_new(o, "limit", json_int(ev->version));
        break;
    case EVENT_KINDS:
        break;
    }
    return o;
}

/* All rows of one kind on one line, however they were reached; false: an earlier sum has them. */
static bool sum_of_line(const Record *record, size_t at, EventSum *whole)
{
    *whole = (EventSum){ .kind = record->sum[at].kind, .line = record->sum[at].line };
    for (size_t i = 0; i < record->sums; i++) {
        const EventSum *sum = &record->sum[i];
        if (sum->kind != whole->kind || sum->line != whole->line)
            continue;
        if (i < at)
            return false;
        whole->count += sum->count;
        whole->bytes += sum->bytes;
    }
    return true;
}

static json_t *events_json(const Record *record)
{
    json_t *list = json_array();
    for (size_t i = 0; record && i < record->count; i++)
        json_array_append_new(list, event_json(record, &record->event[i]));
    for (size_t i = 0; record && i < record->sums; i++) {
        EventSum whole, *sum = &whole;
        if (!sum_of_line(record, i, sum))
            continue;
        json_array_append_new(list, json_pack("{s:s, s:s, s:i, s:I, s:I}", "kind", "more", "of",
                                              event_name((EventKind)sum->kind), "line", (int)sum->line, "count",
                                              (json_int_t)sum->count, "bytes", (json_int_t)sum->bytes));
    }
    return list;
}

/* ---- the file ---- */
bool show_trace_open(Show *show, const char *path, Err *err)
{
    show_trace_close(show);
    FILE *file = fopen(path, "w");
    if (!file)
        return err_set(err, ERR_OS, "cannot write the trace to '%s': %s", path, strerror(errno));
    Trace *trace = mem_new(show->heap, sizeof *trace);
    if (!trace) {
        fclose(file);
        return err_memory(err, sizeof *trace);
    }
    *trace = (Trace){ .file = file };
    snprintf(trace->path, sizeof trace->path, "%s", path);
    show->trace = trace;
    session_watch(show->session, true);
    return true;
}

void show_trace_close(Show *show)
{
    if (!show->trace)
        return;
    fclose(show->trace->file);
    text_free(&show->trace->out);
    mem_free(show->heap, show->trace);
    show->trace = NULL;
    session_watch(show->session, show->level != LEVEL_OFF);
}

void show_trace_output(Show *show, Stream to, const char *utf8, size_t n)
{
    if (show->trace && to == STREAM_OUT)
        text_add(&show->trace->out, utf8, n);
}

static json_t *error_json(const ErrorInfo *error)
{
    if (!error)
        return json_null();
    json_t *o = json_object();
    json_object_set_new(o, "type", json_word(error->type));
    json_object_set_new(o, "message", json_word(error->message ? error->message : ""));
    json_object_set_new(o, "line", json_integer(error->line));
    return o;
}

bool show_trace_statement(Show *show, const Statement *done, Err *err)
{
    Trace *trace = show->trace;
    if (!trace)
        return true;
    json_t *vars = vars_json(show);
    json_t *line = vars ? json_object() : NULL;
    json_object_set_new(line, "n", json_integer(done->number));
    json_object_set_new(line, "line", json_integer(done->line));
    json_object_set_new(line, "stdout", trace->out.failed ? NULL : json_text(trace->out.s, trace->out.n));
    json_object_set_new(line, "result",
                        done->result ? json_text(done->result, done->result_size) : json_null());
    json_object_set_new(line, "error", error_json(done->error));
    json_object_set_new(line, "vars", vars);
    json_object_set_new(line, "events", events_json(done->record));
    char *text = line ? json_dumps(line, JSON_REAL_PRECISION(17)) : NULL;
    json_decref(line);
    text_free(&trace->out);
    if (!text)
        return err_memory(err, 0);
    bool good = fputs(text, trace->file) >= 0 && fputc('\n', trace->file) != EOF && fflush(trace->file) == 0;
    free(text);
    return good || err_set(err, ERR_OS, "cannot write the trace to '%s': %s", trace->path, strerror(errno));
}
