/* history.h - what was run, with what came out: the newest entries, in order. */
#ifndef KERNEL_HISTORY_H
#define KERNEL_HISTORY_H
#include "kernel/json.h"

typedef struct Entry { int number; char *input, *output; size_t input_size, output_size; } Entry;      /* output: NULL for none */
typedef struct History { Entry *entry; size_t n, capacity; } History;

/* An entry that no memory is left for is not kept. */
void    history_add(History *history, int number, Bytes input, Bytes output);
void    history_free(History *history);
/* Lists of [session, number, input], or [session, number, [input, output or null]]. NULL: no memory. */
json_t *history_tail(const History *history, int64_t n, bool output);
json_t *history_range(const History *history, int64_t start, int64_t stop, bool has_stop, bool output);
/* The newest n entries (n < 0: all) whose input matches the pattern with * and ?; unique: each input once, where it came last. */
json_t *history_search(const History *history, Bytes pattern, int64_t n, bool unique, bool output);
#endif
