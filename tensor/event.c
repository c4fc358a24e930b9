/*
 * event.c - the record of one statement: rows up to RECORD_FULL, sums by kind and line beyond.
 */
#include "tensor/event.h"
#include <stdlib.h>
#include <string.h>

/* The row that stands in for those beyond the first; the last of `event`'s RECORD_FULL + 1. */
static Event *scratch_of(Record *record)
{
    return &record->event[RECORD_FULL];
}

Record *record_new(void)
{
    Record *record = calloc(1, sizeof *record);
    if (record && !(record->event = malloc((RECORD_FULL + 1) * sizeof *record->event))) {
        free(record);
        return NULL;
    }
    return record;
}

void record_free(Record *record)
{
    if (!record)
        return;
    free(record->event);
    free(record->sum);
    free(record->text);
    free(record->alias);
    free(record);
}

void record_reset(Record *record, int64_t live, uint64_t next_storage, uint64_t next_object, uint64_t time)
{
    record->count = record->seen = record->sums = 0;
    record->text_size = record->aliases = 0;
    record->allocated = record->freed = 0;
    record->allocations = record->frees = 0;
    record->live_before = record->peak = live;
    record->peak_line = 0;
    record->first_storage = next_storage;
    record->first_object = next_object;
    record->time = time;
}

static bool belongs(const EventSum *sum, const Event *row)
{
    return sum->kind == row->kind && sum->line == row->place.line && sum->outer == row->outer && sum->called == row->called;
}

/* Adds the scratch row to its sum. Without memory for another sum the row is counted in `seen` alone. */
void record_flush(Record *record)
{
    if (record->seen <= record->count)
        return;
    Event *row = scratch_of(record);
    if (row->kind >= EVENT_KINDS)                               /* added already */
        return;
    size_t i = 0;
    while (i < record->sums && !belongs(&record->sum[i], row))
        i++;
    if (i == record->sum_capacity) {
        size_t capacity = record->sum_capacity ? 2 * record->sum_capacity : 16;
        EventSum *sum = realloc(record->sum, capacity * sizeof *sum);
        if (!sum)
            return;
        record->sum = sum;
        record->sum_capacity = capacity;
    }
    if (i == record->sums)
        record->sum[record->sums++] = (EventSum){ .kind = row->kind, .called = row->called, .line = row->place.line,
                                                   .outer = row->outer };
    record->sum[i].count++;
    record->sum[i].bytes += row->bytes;
    row->kind = EVENT_KINDS;
}

Event *record_add(Record *record, EventKind kind)
{
    Event *row = &record->event[record->count];
    if (record->count < RECORD_FULL)
        record->count++;
    else
        record_flush(record);
    record->seen++;
    memset(row, 0, sizeof *row);
    row->kind = (uint8_t)kind;
    if (record->where)
        record->where(record->self, row);
    return row;
}

void record_text(Record *record, Event *event, const char *utf8, size_t size)
{
    if (event == scratch_of(record))
        return;
    if (size > record->text_capacity - record->text_size) {
        size_t capacity = 2 * record->text_capacity + size + 256;
        char *text = realloc(record->text, capacity);
        if (!text)
            return;
        record->text = text;
        record->text_capacity = capacity;
    }
    event->text = (uint32_t)record->text_size;
    event->text_size = (uint32_t)size;
    memcpy(record->text + record->text_size, utf8, size);
    record->text_size += size;
}

void record_alias(Record *record, Event *event, uint64_t object)
{
    if (event == scratch_of(record))
        return;
    if (record->aliases == record->alias_capacity) {
        size_t capacity = record->alias_capacity ? 2 * record->alias_capacity : 64;
        uint64_t *alias = realloc(record->alias, capacity * sizeof *alias);
        if (!alias)
            return;
        record->alias = alias;
        record->alias_capacity = capacity;
    }
    if (!event->alias_count)
        event->alias = (uint32_t)record->aliases;
    record->alias[record->aliases++] = object;
    event->alias_count++;
}

const char *event_name(EventKind kind)
{
    static const char *const names[EVENT_KINDS] = {
#define EVENT(id, name) [EVENT_##id] = name,
#include "tensor/events.def"
    };
    return names[kind];
}

const char *origin_name(Origin origin)
{
    static const char *const names[] = { [ORIGIN_SYSTEM] = "system", [ORIGIN_CACHE] = "cache", [ORIGIN_POOL] = "pool" };
    return names[origin];
}

const char *copy_reason_name(CopyReason reason)
{
    static const char *const names[COPY_REASONS] = {
        [COPY_CLONE] = "clone", [COPY_NOT_CONTIGUOUS] = "not contiguous", [COPY_DTYPE] = "dtype",
        [COPY_DEVICE] = "device", [COPY_INDEXING] = "advanced indexing", [COPY_ASSIGN] = "assignment",
    };
    return names[reason];
}
