/* ledger.c - an open-addressed table of facts (linear probing, deletion by shifting back: D. E. Knuth, TAOCP 3, 6.4 R) with an undo list. */
#include "show/ledger.h"
#include <string.h>

typedef struct Entry { uint64_t key; void *fact; uint32_t size; uint8_t kind; bool used; } Entry;
typedef struct Undo { uint64_t key; void *fact; uint32_t size; uint8_t kind; int number; } Undo;    /* fact NULL: there was none */

struct Ledger {
    Heap   *heap;                       /* borrowed */
    Entry  *entry;                      /* owned; a power of two of places */
    size_t  places, used;
    Undo   *undo;                       /* owned; oldest first, from `start` on */
    size_t  start, end, capacity, bytes, limit;
    int     first, last;
};

Ledger *ledger_new(Heap *heap, size_t undo_limit)
{
    Ledger *ledger = mem_new(heap, sizeof *ledger);
    if (ledger)
        *ledger = (Ledger){ .heap = heap, .limit = undo_limit };
    return ledger;
}

void ledger_free(Ledger *ledger)
{
    if (!ledger)
        return;
    for (size_t i = 0; i < ledger->places; i++)
        if (ledger->entry[i].used)
            mem_free(ledger->heap, ledger->entry[i].fact);
    for (size_t i = ledger->start; i < ledger->end; i++)
        mem_free(ledger->heap, ledger->undo[i].fact);
    mem_free(ledger->heap, ledger->entry);
    mem_free(ledger->heap, ledger->undo);
    mem_free(ledger->heap, ledger);
}

int ledger_first(const Ledger *ledger) { return ledger->first; }
int ledger_last(const Ledger *ledger) { return ledger->last; }
size_t ledger_undo_bytes(const Ledger *ledger) { return ledger->bytes; }

/* ---- the table ---- */
static size_t home(const Ledger *ledger, LedgerKind kind, uint64_t key)
{
    uint64_t h = (key + (uint64_t)kind * 0x9E3779B97F4A7C15u) * 0xD6E8FEB86659FD93u;
    return (size_t)(h ^ h >> 32) & (ledger->places - 1);
}

/* Where the fact is, or the free place where it would go. */
static size_t place_of(const Ledger *ledger, LedgerKind kind, uint64_t key)
{
    size_t at = home(ledger, kind, key);
    while (ledger->entry[at].used && !(ledger->entry[at].key == key && ledger->entry[at].kind == kind))
        at = (at + 1) & (ledger->places - 1);
    return at;
}

static bool grow(Ledger *ledger)
{
    if (ledger->places && 4 * (ledger->used + 1) <= 3 * ledger->places)
        return true;
    Ledger larger = *ledger;
    larger.places = ledger->places ? 2 * ledger->places : 64;
    if (!(larger.entry = mem_new(ledger->heap, larger.places * sizeof *larger.entry)))
        return false;
    memset(larger.entry, 0, larger.places * sizeof *larger.entry);
    for (size_t i = 0; i < ledger->places; i++)
        if (ledger->entry[i].used)
            larger.entry[place_of(&larger, ledger->entry[i].kind, ledger->entry[i].key)] = ledger->entry[i];
    mem_free(ledger->heap, ledger->entry);
    *ledger = larger;
    return true;
}

const void *ledger_get(const Ledger *ledger, LedgerKind kind, uint64_t key, size_t *size)
{
    if (!ledger->places)
        return NULL;
    const Entry *entry = &ledger->entry[place_of(ledger, kind, key)];
    if (!entry->used)
        return NULL;
    if (size)
        *size = entry->size;
    return entry->fact;
}

/* Closes the gap at `at`: facts behind it that would not be found any more move into it. */
static void take_out(Ledger *ledger, size_t at)
{
    size_t mask = ledger->places - 1;
    for (size_t next = (at + 1) & mask; ledger->entry[next].used; next = (next + 1) & mask) {
        size_t wanted = home(ledger, ledger->entry[next].kind, ledger->entry[next].key);
        if (((next - wanted) & mask) < ((next - at) & mask))
            continue;
        ledger->entry[at] = ledger->entry[next];
        at = next;
    }
    ledger->entry[at].used = false;
    ledger->used--;
}

/* ---- the notes ---- */
/* Lets the oldest statements go until a quarter of the limit is free. */
static void forget(Ledger *ledger)
{
    while (ledger->start < ledger->end && ledger->bytes > ledger->limit / 4 * 3) {
        int number = ledger->undo[ledger->start].number;
        if (number == ledger->last)
            break;
        for (; ledger->start < ledger->end && ledger->undo[ledger->start].number == number; ledger->start++) {
            ledger->bytes -= sizeof(Undo) + ledger->undo[ledger->start].size;
            mem_free(ledger->heap, ledger->undo[ledger->start].fact);
        }
        ledger->first = number;
    }
}

void ledger_begin(Ledger *ledger, int number)
{
    ledger->last = number;
    if (ledger->bytes > ledger->limit)
        forget(ledger);
    if (ledger->start > ledger->capacity / 2) {
        memmove(ledger->undo, ledger->undo + ledger->start, (ledger->end - ledger->start) * sizeof *ledger->undo);
        ledger->end -= ledger->start;
        ledger->start = 0;
    }
}

/* Notes what was there: takes `fact` over. Without memory for it the past ends here. */
static void note(Ledger *ledger, LedgerKind kind, uint64_t key, void *fact, size_t size)
{
    if (ledger->end == ledger->capacity && ledger->limit) {
        size_t capacity = ledger->capacity ? 2 * ledger->capacity : 64;
        Undo *more = mem_resize(ledger->heap, ledger->undo, capacity * sizeof *more);
        if (more) {
            ledger->undo = more;
            ledger->capacity = capacity;
        }
    }
    if (ledger->end == ledger->capacity) {
        mem_free(ledger->heap, fact);
        for (size_t i = ledger->start; i < ledger->end; i++)
            mem_free(ledger->heap, ledger->undo[i].fact);
        ledger->start = ledger->end = ledger->bytes = 0;
        ledger->first = ledger->last;
        return;
    }
    ledger->undo[ledger->end++] = (Undo){ key, fact, fact ? (uint32_t)size : 0, (uint8_t)kind, ledger->last };
    ledger->bytes += sizeof(Undo) + (fact ? size : 0);
}

bool ledger_set(Ledger *ledger, LedgerKind kind, uint64_t key, const void *fact, size_t size)
{
    if (!grow(ledger))
        return false;
    Entry *entry = &ledger->entry[place_of(ledger, kind, key)];
    if (entry->used && entry->size == size && memcmp(entry->fact, fact, size) == 0)
        return true;
    void *copy = mem_new(ledger->heap, size ? size : 1);
    if (!copy)
        return false;
    memcpy(copy, fact, size);
    note(ledger, kind, key, entry->used ? entry->fact : NULL, entry->size);
    ledger->used += !entry->used;
    *entry = (Entry){ key, copy, (uint32_t)size, (uint8_t)kind, true };
    return true;
}

bool ledger_remove(Ledger *ledger, LedgerKind kind, uint64_t key)
{
    if (!ledger->places)
        return false;
    size_t at = place_of(ledger, kind, key);
    if (!ledger->entry[at].used)
        return false;
    note(ledger, kind, key, ledger->entry[at].fact, ledger->entry[at].size);
    take_out(ledger, at);
    return true;
}

void ledger_each(const Ledger *ledger, LedgerKind kind, void (*each)(void *to, uint64_t key, const void *fact, size_t size), void *to)
{
    for (size_t i = 0; i < ledger->places; i++)
        if (ledger->entry[i].used && ledger->entry[i].kind == kind)
            each(to, ledger->entry[i].key, ledger->entry[i].fact, ledger->entry[i].size);
}

/* ---- the past ---- */
Ledger *ledger_at(const Ledger *ledger, int number)
{
    Ledger *past = ledger_new(ledger->heap, 0);
    bool good = past;
    for (size_t i = 0; good && i < ledger->places; i++) {
        const Entry *e = &ledger->entry[i];
        good = !e->used || ledger_set(past, e->kind, e->key, e->fact, e->size);
    }
    for (size_t i = ledger->end; good && i-- > ledger->start && ledger->undo[i].number > number; ) {
        const Undo *undo = &ledger->undo[i];
        if (undo->fact)
            good = ledger_set(past, undo->kind, undo->key, undo->fact, undo->size);
        else
            ledger_remove(past, undo->kind, undo->key);
    }
    if (good) {
        past->first = past->last = number;
        return past;
    }
    ledger_free(past);
    return NULL;
}
