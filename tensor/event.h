/*
 * event.h - what happened to memory, as fixed rows of plain numbers in one order.
 * With nobody watching a site costs one test of `heap->record`. A row keeps nothing alive: objects and storages
 * are serial numbers, text is made afterwards by whoever shows it.
 */
#ifndef TENSOR_EVENT_H
#define TENSOR_EVENT_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum EventKind {
#define EVENT(kind, name) EVENT_##kind,
#include "tensor/events.def"
    EVENT_KINDS
} EventKind;

typedef enum Origin { ORIGIN_SYSTEM, ORIGIN_CACHE, ORIGIN_POOL } Origin;    /* "system" "cache" "pool" */

typedef enum CopyReason {
    COPY_CLONE, COPY_NOT_CONTIGUOUS, COPY_DTYPE, COPY_DEVICE, COPY_INDEXING, COPY_ASSIGN, COPY_REASONS
} CopyReason;

/* A stretch of source text: lines from 1, columns from 0 in code points, end exclusive. source 0: unknown. */
typedef struct Place {
    int32_t source, line, column, end_line, end_column;
} Place;

enum { EVENT_DIMS = 8 };

typedef struct Event {
    uint8_t  kind;                      /* EventKind */
    uint8_t  dtype, device, device_index;
    uint8_t  origin;                    /* alloc: Origin; free: ORIGIN_CACHE or ORIGIN_SYSTEM it went to */
    uint8_t  reason;                    /* copy: CopyReason */
    uint8_t  from_dtype;                /* copy: dtype of the source */
    uint8_t  ndim;                      /* tensor; copy: of the source */
    uint16_t op;                        /* OpId of the operation that caused it */
    Place    place;
    int32_t  outer;                     /* line of the statement's own text that led here */
    bool     called;                    /* by way of a function: the place is inside it */
    uint64_t object;                    /* tensor, drop, bind (0: not a tensor or holder), write, save; copy: the source, if one tensor */
    uint64_t was;                       /* bind, unbind: object held before; alloc: storage whose block this was */
    uint64_t storage;                   /* alloc, free, tensor, write, save; copy: to */
    uint64_t other;                     /* tensor: object it is a view of; copy: storage copied from */
    int64_t  bytes, reserved;           /* oom: requested, free */
    uint64_t address;                   /* alloc, free: of the block */
    int64_t  offset;                    /* tensor: elements */
    int64_t  version;                   /* write: after it */
    int64_t  shape[EVENT_DIMS], stride[EVENT_DIMS];     /* tensor, copy (the source): the first 8 dimensions */
    uint32_t text, text_size;           /* bind, unbind: the target, in record->text */
    uint32_t alias, alias_count;        /* write: serials of other live tensors that it changed, in record->alias */
    uint64_t time;                      /* nanoseconds since the session began; alloc from the system only */
} Event;

/* Rows of one kind on one source line, beyond the first 1,000 of a statement. */
typedef struct EventSum {
    uint8_t  kind;
    bool     called;
    int32_t  line, outer;
    uint64_t count;
    int64_t  bytes;
} EventSum;

enum { RECORD_FULL = 1000 };

/*
 * The record of one statement. Totals stay exact however many rows there were.
 * `lines` tells a loop's story beyond RECORD_FULL; the arrays live until record_reset.
 */
typedef struct Record {
    Event    *event;                    /* owned; the first RECORD_FULL rows */
    size_t    count, seen;              /* rows kept; rows in all */
    EventSum *sum;                      /* owned */
    size_t    sums, sum_capacity;
    char     *text;                     /* owned: targets of bind and unbind */
    size_t    text_size, text_capacity;
    uint64_t *alias;                    /* owned */
    size_t    aliases, alias_capacity;
    int64_t   allocated, freed;         /* bytes asked for, this statement, all devices */
    uint64_t  allocations, frees;
    int64_t   live_before, peak;        /* live bytes when it began; most during it */
    int32_t   peak_line;                /* of the statement's own text */
    uint64_t  first_storage;            /* serial of the next storage when the statement began: older ones are older */
    uint64_t  first_object;
    uint64_t  time;                     /* when it began, nanoseconds since the session began */
    void    (*where)(void *self, Event *row);       /* fills in where each row comes from; set by the interpreter */
    void     *self;
} Record;

Record *record_new(void);               /* NULL when there is no memory */
void    record_free(Record *record);    /* NULL is allowed */
/* Forgets all rows and begins the next statement. */
void    record_reset(Record *record, int64_t live, uint64_t next_storage, uint64_t next_object, uint64_t time);
/*
 * A row to fill in: cleared, kind and place set, counted; beyond RECORD_FULL a scratch row that is added to the
 * sums by the next call or by record_flush. Never NULL.
 */
Event  *record_add(Record *record, EventKind kind);
void    record_flush(Record *record);
/* Appends a target's text for `event` (cut when there is no memory); or the serial of a tensor it changed. */
void    record_text(Record *record, Event *event, const char *utf8, size_t size);
void    record_alias(Record *record, Event *event, uint64_t object);
const char *event_name(EventKind kind);
const char *origin_name(Origin origin);
const char *copy_reason_name(CopyReason reason);    /* "not contiguous", "clone", … ("dtype" is completed by the reader) */
#endif
