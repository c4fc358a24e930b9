/*
 * str_search.h - methods of str that look for text in text; rows of the table in str_methods.c.
 */
#ifndef LANG_TYPES_STR_SEARCH_H
#define LANG_TYPES_STR_SEARCH_H
#include "lang/types/rows.h"

#define STR_METHOD(name) bool str_method_##name(Session *s, Value self, Value *arg, Value *out, Err *err)
enum { FIND_FIRST, FIND_LAST, FIND_OR_RAISE = 2 };     /* payload of find, rfind, index (+2), rindex */
STR_METHOD(find);
STR_METHOD(count);
STR_METHOD(affix);                      /* payload 0: startswith, 1: endswith */
STR_METHOD(remove_affix);
STR_METHOD(split);                      /* payload 0: split, 1: rsplit */
STR_METHOD(splitlines);
STR_METHOD(partition);                  /* payload 0: partition, 1: rpartition */
STR_METHOD(join);
STR_METHOD(replace);
/* The code point at byte `at` (not at the end); *next is where the next one begins. */
int32_t str_point(const Str *str, int64_t at, int64_t *next);
bool point_is_space(int32_t point);
#endif
