/*
 * constant.c - literals become values. They are shared in one source: equal ones of one type are one value,
 * with one
 * identity.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "lang/run/state.h"
#include "lang/syntax/compile.h"
#include "lang/types/rows.h"

Str *name_str(Compiler *c, Name *name)
{
    if (!name->str && !c->failed) {
        bool is_name = true;            /* such texts are one object everywhere, as in Python */
        for (uint32_t i = 0; i < name->n; i++)
            is_name = is_name && (isalnum((unsigned char)name->s[i]) || name->s[i] == '_');
        name->str = is_name ? str_intern(c->s, name->s, name->n, c->err) : str_new(c->s, name->s, name->n,
                c->err);
        c->failed = !name->str;
    }
    return name->str;
}

int constant_take(Compiler *c, Value taken)
{
    if (c->failed || !compile_room(c, &c->constant, c->constants, &c->constant_capacity,
                                   sizeof *c->constant)) {
        value_release(taken);
        return -1;
    }
    c->constant[c->constants] = taken;
    return c->constants++;
}

/* Keys: what kind, and its bits. */
enum { KEY_INT = 1, KEY_FLOAT, KEY_TEXT, KEY_LONG, KEY_TUPLE, KEY_WORD, KEY_BYTES };

static int constant_keyed(Compiler *c, uint64_t kind, uint64_t bits, Value taken)
{
    int number = constant_take(c, taken);
    if (number >= 0)
        map_set(c, &c->constant_map, kind, bits, number);
    return number;
}

int constant_string(Compiler *c, Name *text)
{
    int number = map_get(&c->constant_map, KEY_TEXT, (uint64_t)(uintptr_t)text);
    Str *str = number < 0 ? name_str(c, text) : NULL;
    if (!str)
        return number;
    return constant_keyed(c, KEY_TEXT, (uint64_t)(uintptr_t)text, value_retain(value_object_take(str)));
}

int constant_tuple(Compiler *c, const int32_t *item, int n)
{
    Name *key = tree_name(c->tree, (const char *)item, (size_t)n * sizeof *item);
    if (!key) {
        compile_memory(c);
        return -1;
    }
    int number = map_get(&c->constant_map, KEY_TUPLE, (uint64_t)(uintptr_t)key);
    if (number >= 0 || c->failed)
        return number;
    Tuple *tuple = tuple_new(c->s, n, c->err);
    if (!tuple) {
        c->failed = true;
        return -1;
    }
    for (int i = 0; i < n; i++)
        tuple->item[i] = value_retain(c->constant[item[i]]);
    return constant_keyed(c, KEY_TUPLE, (uint64_t)(uintptr_t)key, value_object_take(tuple));
}

static int constant_int(Compiler *c, int64_t i)
{
    int number = map_get(&c->constant_map, KEY_INT, (uint64_t)i);
    return number >= 0 ? number : constant_keyed(c, KEY_INT, (uint64_t)i, value_int(c->s, i));
}

static int constant_float(Compiler *c, double f)
{
    uint64_t bits;
    memcpy(&bits, &f, sizeof bits);
    int number = map_get(&c->constant_map, KEY_FLOAT, bits);
    return number >= 0 ? number : constant_keyed(c, KEY_FLOAT, bits, value_float(c->s, f));
}

/* A number literal, its underscores taken out. */
static int constant_number(Compiler *c, const Node *node, bool negative)
{
    size_t n = node->end - node->start;
    char small[64], *s = n < sizeof small ? small : mem_new(c->s->heap, n + 1);
    if (!s) {
        compile_memory(c);
        return -1;
    }
    size_t k = 0;
    bool is_float = false;
    for (size_t i = 0; i < n; i++)
        if (c->text->text[node->start + i] != '_')
            s[k++] = c->text->text[node->start + i];
    s[k] = 0;
    int base = s[0] != '0' || k < 2 ? 10 : (s[1] | 32) == 'x' ? 16 : (s[1] | 32) == 'o' ? 8
        : (s[1] | 32) == 'b' ? 2 : 10;
    for (size_t i = 0; base == 10 && i < k; i++)
        is_float = is_float || !isdigit((unsigned char)s[i]);
    int number = -1;
    const char *digits = base == 10 ? s : s + 2;
    size_t count = k - (size_t)(digits - s);
    if (is_float) {
        double f = strtod(s, NULL);
        number = constant_float(c, negative ? -f : f);
    } else if (count <= (base == 10 ? 18 : base == 16 ? 15 : base == 8 ? 20 : 62)) {
        int64_t i = (int64_t)strtoll(digits, NULL, base);
        number = constant_int(c, negative ? -i : i);
    } else if (base == 10 && count > 4300) {
        compile_error(c, node, "a decimal number of %zu digits is too long (at most 4300)", count);
    } else if (!negative) {
        Name *key = tree_name(c->tree, s, k);
        number = key ? map_get(&c->constant_map, KEY_LONG, (uint64_t)(uintptr_t)key) : -1;
        Value value;
        if (!key)
            compile_memory(c);
        else if (number < 0 && !int_from_text(c->s, digits, count, base, &value, c->err))
            c->failed = true;
        else if (number < 0)
            number = constant_keyed(c, KEY_LONG, (uint64_t)(uintptr_t)key, value);
    }
    if (s != small)
        mem_free(c->s->heap, s);
    return number;
}

static int constant_word(Compiler *c, uint8_t token)
{
    int number = map_get(&c->constant_map, KEY_WORD, token);
    Value value = token == T_NONE ? value_none() : token == T_ELLIPSIS ? (Value){ V_ELLIPSIS, { 0 } }
        : value_bool(token == T_TRUE);
    return number >= 0 ? number : constant_keyed(c, KEY_WORD, token, value);
}

static int constant_bytes(Compiler *c, const Name *text)
{
    int number = map_get(&c->constant_map, KEY_BYTES, (uint64_t)(uintptr_t)text);
    if (number >= 0 || c->failed)
        return number;
    char *bytes = mem_new(c->s->heap, text->n + 1);
    int64_t n = 0;
    for (uint32_t k = 0; bytes && k < text->n; k++, n++) {
        unsigned char lead = (unsigned char)text->s[k];
        bytes[n] = lead < 128 ? (char)lead : (char)((lead & 3) << 6 | ((unsigned char)text->s[++k] & 63));
    }
    Str *made = bytes ? bytes_new(c->s, bytes, n, c->err) : NULL;
    mem_free(c->s->heap, bytes);
    if (!made) {
        compile_memory(c);
        return -1;
    }
    return constant_keyed(c, KEY_BYTES, (uint64_t)(uintptr_t)text, value_object_take(made));
}

int constant_of(Compiler *c, const Node *node)
{
    if (c->failed)
        return -1;
    if (node->kind == E_NUMBER)
        return constant_number(c, node, false);
    if (node->kind == E_STRING)
        return node->op ? constant_bytes(c, node->name) : constant_string(c, node->name);
    if (node->kind == E_CONSTANT)
        return constant_word(c, node->op);
    if (node->kind == E_UNARY && node->op == UN_NEG && node->a->kind == E_NUMBER)
        return constant_number(c, node->a, true);
    if (node->kind != E_TUPLE || !session_enough_stack(c->s))
        return -1;
    int32_t small[16], *item = small;
    int n = 0, number = -1;
    if (node->n > 16 && !(item = mem_new(c->s->heap, node->n * sizeof *item))) {
        compile_memory(c);
        return -1;
    }
    const Node *it = node->a;
    for (; it && (item[n] = constant_of(c, it)) >= 0; it = it->next)
        n++;
    if (!it)
        number = constant_tuple(c, item, n);
    if (item != small)
        mem_free(c->s->heap, item);
    return number;
}

int constant_local(Compiler *c, int number)
{
    Unit *u = c->unit;
    if (c->failed)
        return 0;
    int index = map_get(&u->constant_map, (uint64_t)number, 0);
    if (index >= 0)
        return index;
    if (!compile_room(c, &u->constant, u->constants, &u->constant_capacity, sizeof *u->constant))
        return 0;
    map_set(c, &u->constant_map, (uint64_t)number, 0, u->constants);
    u->constant[u->constants] = number;
    return u->constants++;
}

void emit_constant(Compiler *c, int number, const Node *at)
{
    if (c->failed)
        return;
    Value value = c->constant[number];
    switch (value_tag(value)) {
    case V_NONE:
        emit(c, CODE_NONE, 0, at);
        break;
    case V_BOOL:
        emit(c, value.b ? CODE_TRUE : CODE_FALSE, 0, at);
        break;
    case V_INT:
        if (value.i >= 0 && value.i <= 256) {
            emit(c, CODE_INT, (uint32_t)value.i, at);
            break;
        }
        /* fall through */
    default:
        emit(c, CODE_CONST, (uint32_t)constant_local(c, number), at);
    }
}
