/*
 * ledger.h - a table of facts that can be taken back. What a statement sets or removes is noted with what was there before, so
 * that the table as it was after any of the last statements can be made again. When the notes grow too large the oldest go.
 */
#ifndef SHOW_LEDGER_H
#define SHOW_LEDGER_H
#include "tensor/heap.h"

typedef enum LedgerKind { LEDGER_BLOCK, LEDGER_TENSOR, LEDGER_NAME, LEDGER_VALUES, LEDGER_KINDS } LedgerKind;
typedef struct Ledger Ledger;

/* undo_limit: bytes that the notes may take. NULL: no memory. */
Ledger *ledger_new(Heap *heap, size_t undo_limit);
void    ledger_free(Ledger *ledger);                    /* NULL is allowed */
/* What follows belongs to the statement with this number; numbers grow. */
void    ledger_begin(Ledger *ledger, int number);
/* The fact's bytes, borrowed until the ledger changes; NULL: there is none. size may be NULL. */
const void *ledger_get(const Ledger *ledger, LedgerKind kind, uint64_t key, size_t *size);
/* Copies size bytes. A fact that says the same already is left alone. False: no memory, and nothing changed. */
bool    ledger_set(Ledger *ledger, LedgerKind kind, uint64_t key, const void *fact, size_t size);
bool    ledger_remove(Ledger *ledger, LedgerKind kind, uint64_t key);
/* Facts of a kind, in no order. `each` must not change the ledger. */
void    ledger_each(const Ledger *ledger, LedgerKind kind, void (*each)(void *to, uint64_t key, const void *fact, size_t size), void *to);
/* The first and the last statement after which the table can be shown. */
int     ledger_first(const Ledger *ledger);
int     ledger_last(const Ledger *ledger);
/* A ledger without notes, as this one was after statement `number` (of first … last). NULL: no memory. */
Ledger *ledger_at(const Ledger *ledger, int number);
size_t  ledger_undo_bytes(const Ledger *ledger);
#endif
