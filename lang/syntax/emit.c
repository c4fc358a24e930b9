/*
 * emit.c - instructions, labels, handlers, names and constants of a unit, and the Code that is made of them at its end.
 * Constants are shared in one source: equal ones of one type are one value, with one identity.
 */
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "lang/run/state.h"
#include "lang/syntax/compile.h"

enum { ARG_LIMIT = 1 << 24 };

/* ---- errors ---- */
void compile_error(Compiler *c, const Node *at, const char *format, ...)
{
    char message[800];
    if (c->failed)
        return;
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    err_set(c->err, ERR_SYNTAX, "%s", message);
    c->error_start = at->start;
    c->error_end = at->end;
    c->failed = true;
}

void compile_memory(Compiler *c)
{
    if (!c->failed)
        err_memory(c->err, 0);
    c->failed = true;
}

bool compile_deep(Compiler *c, const Node *at)
{
    if (!session_enough_stack(c->s))
        compile_error(c, at, "this is nested too deeply");
    return !c->failed;
}

bool compile_room(Compiler *c, void *array, int n, int *capacity, size_t size)
{
    if (n < *capacity)
        return !c->failed;
    void *old;
    memcpy(&old, array, sizeof old);
    size_t more = *capacity ? 2 * (size_t)*capacity : 16;
    void *grown = more < ((size_t)1 << 30) ? mem_resize(c->s->heap, old, more * size) : NULL;
    if (!grown) {
        compile_memory(c);
        return false;
    }
    memcpy(array, &grown, sizeof grown);
    *capacity = (int)more;
    return true;
}

/* ---- maps ---- */
static uint32_t map_place(const Map *map, uint64_t a, uint64_t b)
{
    uint64_t hash = (a * 0x9e3779b97f4a7c15u) ^ ((b + 0x7f4a7c15u) * 0xc2b2ae3d27d4eb4fu);
    uint32_t i = (uint32_t)(hash >> 32) & (map->size - 1);
    while (map->row[i].value >= 0 && (map->row[i].a != a || map->row[i].b != b))
        i = (i + 1) & (map->size - 1);
    return i;
}

static int map_get(const Map *map, uint64_t a, uint64_t b)
{
    return map->size ? map->row[map_place(map, a, b)].value : -1;
}

static void map_set(Compiler *c, Map *map, uint64_t a, uint64_t b, int value)
{
    if (4 * (map->used + 1) > 3 * map->size) {
        Map larger = { .size = map->size ? 2 * map->size : 16, .used = map->used };
        if (!(larger.row = mem_new(c->s->heap, larger.size * sizeof *larger.row))) {
            compile_memory(c);
            return;
        }
        for (uint32_t i = 0; i < larger.size; i++)
            larger.row[i].value = -1;
        for (uint32_t i = 0; i < map->size; i++)
            if (map->row[i].value >= 0)
                larger.row[map_place(&larger, map->row[i].a, map->row[i].b)] = map->row[i];
        mem_free(c->s->heap, map->row);
        *map = larger;
    }
    map->row[map_place(map, a, b)] = (struct MapRow){ a, b, value };
    map->used++;
}

/* ---- instructions ---- */
int code_effect(Opcode op, uint32_t arg, uint32_t word, bool jumps)
{
    int n = (int)arg;
    switch (op) {
    case CODE_NOP: case CODE_SWAP: case CODE_ROT3: case CODE_ROT4: case CODE_DEL_LOCAL: case CODE_DEL_GLOBAL: case CODE_DEL_CELL:
    case CODE_DEL_CLASS_NAME: case CODE_ATTR: case CODE_UNARY: case CODE_NOT: case CODE_JUMP: case CODE_JUMP_BACK:
    case CODE_LIST_TO_TUPLE: case CODE_ITER: case CODE_YIELD: case CODE_EXCEPTION_MATCH: case CODE_STATEMENT:
    case CODE_STATEMENT_END: case CODE_COMMAND:
        return 0;
    case CODE_DUP: case CODE_CONST: case CODE_NONE: case CODE_TRUE: case CODE_FALSE: case CODE_INT: case CODE_LOCAL:
    case CODE_GLOBAL: case CODE_CELL: case CODE_CLOSURE: case CODE_CLASS_NAME: case CODE_METHOD: case CODE_ENTER_HANDLER:
    case CODE_WITH: case CODE_WITH_ERROR: case CODE_IMPORT: case CODE_IMPORT_LEAF: case CODE_IMPORT_FROM:
        return 1;
    case CODE_DUP2:
        return 2;
    case CODE_POP: case CODE_SET_LOCAL: case CODE_SET_GLOBAL: case CODE_SET_CELL: case CODE_SET_CLASS_NAME: case CODE_DEL_ATTR:
    case CODE_ITEM: case CODE_BINARY: case CODE_INPLACE: case CODE_COMPARE: case CODE_IS: case CODE_IN: case CODE_IF_FALSE:
    case CODE_IF_TRUE: case CODE_LIST_APPEND: case CODE_SET_ADD: case CODE_LIST_EXTEND: case CODE_SET_UPDATE:
    case CODE_DICT_UPDATE: case CODE_DICT_MERGE: case CODE_BUILD_CLASS: case CODE_RETURN: case CODE_YIELD_FROM:
    case CODE_LEAVE_HANDLER: case CODE_RERAISE: case CODE_WITH_END: case CODE_IMPORT_STAR: case CODE_RESULT:
        return -1;
    case CODE_SET_ATTR: case CODE_DEL_ITEM: case CODE_SLICE: case CODE_COMPARE_IF_FALSE: case CODE_DICT_ADD:
        return -2;
    case CODE_SET_ITEM:
        return -3;
    case CODE_FALSE_OR_POP: case CODE_TRUE_OR_POP:
        return jumps ? 0 : -1;
    case CODE_FOR:
        return jumps ? -1 : 1;
    case CODE_CALL: case CODE_CALL_KW:
        return -n;
    case CODE_CALL_EX:
        return -1 - (n & 1);
    case CODE_CALL_METHOD: case CODE_CALL_METHOD_KW:
        return -n - 1;
    case CODE_TUPLE: case CODE_LIST: case CODE_SET: case CODE_STRING:
        return 1 - n;
    case CODE_DICT:
        return 1 - 2 * n;
    case CODE_FORMAT:
        return n & 128 ? -1 : 0;
    case CODE_UNPACK:
        return n - 1;
    case CODE_UNPACK_STAR:
        return (n & 255) + (n >> 8);
    case CODE_FUNCTION:
        return 1 - (int)((word & 1) + (word >> 1 & 1) + (word >> 2 & 1) + (word >> 3 & 1));
    case CODE_RAISE: case CODE_ASSERTION:
        return -n;
    case CODE_COUNT:
        break;
    }
    return 0;
}

static void put(Compiler *c, uint32_t word, const Node *at)
{
    Unit *u = c->unit;
    if (u->size == u->capacity) {
        int spans = u->capacity;
        if (!compile_room(c, &u->span, u->size, &spans, sizeof *u->span) ||
            !compile_room(c, &u->code, u->size, &u->capacity, sizeof *u->code))
            return;
    }
    u->code[u->size] = word;
    u->span[u->size][0] = at->start;
    u->span[u->size][1] = at->end;
    u->size++;
}

static void emit_words(Compiler *c, Opcode op, uint32_t arg, uint32_t word, bool two, const Node *at)
{
    if (c->failed)
        return;
    if (arg >= ARG_LIMIT || c->unit->size >= ARG_LIMIT - 2) {
        compile_error(c, at, "this is too large to compile");
        return;
    }
    put(c, (uint32_t)op | arg << 8, at);
    if (two)
        put(c, word, at);
    Unit *u = c->unit;
    u->depth += code_effect(op, arg, word, false);
    if (u->depth > u->deepest)
        u->deepest = u->depth;
}

void emit(Compiler *c, Opcode op, uint32_t arg, const Node *at)
{
    emit_words(c, op, arg, 0, false, at);
}

void emit2(Compiler *c, Opcode op, uint32_t arg, uint32_t word, const Node *at)
{
    emit_words(c, op, arg, word, true, at);
}

int name_index(Compiler *c, Name *name)
{
    Unit *u = c->unit;
    int index = map_get(&u->name_map, (uint64_t)(uintptr_t)name, 0);
    if (index >= 0 || c->failed)
        return index < 0 ? 0 : index;
    if (!compile_room(c, &u->names_, u->names, &u->name_capacity, sizeof *u->names_))
        return 0;
    map_set(c, &u->name_map, (uint64_t)(uintptr_t)name, 0, u->names);
    u->names_[u->names] = name;
    return u->names++;
}

void emit_attr(Compiler *c, Opcode op, Name *name, const Node *at)
{
    uint32_t index = (uint32_t)name_index(c, name);
    if (op == CODE_DEL_ATTR)
        emit(c, op, index, at);
    else
        emit2(c, op, index, (uint32_t)c->unit->caches++, at);
}

int label_new(Compiler *c)
{
    Unit *u = c->unit;
    if (!compile_room(c, &u->label, u->labels, &u->label_capacity, sizeof *u->label))
        return 0;
    u->label[u->labels] = -1;
    return u->labels++;
}

void label_here(Compiler *c, int label)
{
    if (!c->failed)
        c->unit->label[label] = c->unit->size;
}

void handler_open(Compiler *c, Block *block, int label, int depth)
{
    block->guarded = block->open = true;
    block->start = c->unit->size;
    block->handler = label;
    block->depth = depth;
}

void handler_close(Compiler *c, Block *block)
{
    Unit *u = c->unit;
    if (!block->guarded || !block->open)
        return;
    block->open = false;
    if (c->failed || block->start == u->size || !compile_room(c, &u->handler, u->handlers, &u->handler_capacity, sizeof *u->handler))
        return;
    u->handler[u->handlers++] = (Handler){ block->start, u->size, block->handler, block->depth };
}

/* ---- constants ---- */
Str *name_str(Compiler *c, Name *name)
{
    if (!name->str && !c->failed) {
        bool is_name = true;            /* such texts are one object everywhere, as in Python */
        for (uint32_t i = 0; i < name->n; i++)
            is_name = is_name && (isalnum((unsigned char)name->s[i]) || name->s[i] == '_');
        name->str = is_name ? str_intern(c->s, name->s, name->n, c->err) : str_new(c->s, name->s, name->n, c->err);
        c->failed = !name->str;
    }
    return name->str;
}

int constant_take(Compiler *c, Value taken)
{
    if (c->failed || !compile_room(c, &c->constant, c->constants, &c->constant_capacity, sizeof *c->constant)) {
        value_release(taken);
        return -1;
    }
    c->constant[c->constants] = taken;
    return c->constants++;
}

/* Keys: what kind, and its bits. */
enum { KEY_INT = 1, KEY_FLOAT, KEY_TEXT, KEY_LONG, KEY_TUPLE, KEY_WORD };

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
    int base = s[0] != '0' || k < 2 ? 10 : (s[1] | 32) == 'x' ? 16 : (s[1] | 32) == 'o' ? 8 : (s[1] | 32) == 'b' ? 2 : 10;
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
        compile_error(c, node, "a decimal number of %zu digits is too long (at most 4300); write it in hexadecimal", count);
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
    Value value = token == T_NONE ? value_none() : token == T_ELLIPSIS ? (Value){ V_ELLIPSIS, { 0 } } : value_bool(token == T_TRUE);
    return number >= 0 ? number : constant_keyed(c, KEY_WORD, token, value);
}

int constant_of(Compiler *c, const Node *node)
{
    if (c->failed)
        return -1;
    if (node->kind == E_NUMBER)
        return constant_number(c, node, false);
    if (node->kind == E_STRING)
        return constant_string(c, node->name);
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

/* ---- names ---- */
static int global_slot(Compiler *c, Name *name, const Node *at)
{
    if (name->global == 0 && !c->failed) {
        Str *str = name_str(c, name);
        int slot = str ? session_global_slot(c->s, str, c->err) : -1;
        c->failed = c->failed || slot < 0;
        name->global = slot + 1;
        if (slot >= ARG_LIMIT)
            compile_error(c, at, "there are too many global names");
    }
    return name->global > 0 ? name->global - 1 : 0;
}

static int local_slot(Compiler *c, Symbol *symbol)
{
    Unit *u = c->unit;
    if (symbol->slot < 0 && compile_room(c, &u->local, u->locals, &u->local_capacity, sizeof *u->local)) {
        u->local[u->locals] = symbol;
        symbol->slot = u->locals++;
    }
    return symbol->slot < 0 ? 0 : symbol->slot;
}

typedef enum Use { USE_GET, USE_SET, USE_DEL } Use;
static void name_use(Compiler *c, Name *name, Use use, const Node *at)
{
    static const Opcode local[] = { CODE_LOCAL, CODE_SET_LOCAL, CODE_DEL_LOCAL };
    static const Opcode global[] = { CODE_GLOBAL, CODE_SET_GLOBAL, CODE_DEL_GLOBAL };
    static const Opcode cell[] = { CODE_CELL, CODE_SET_CELL, CODE_DEL_CELL };
    static const Opcode in_class[] = { CODE_CLASS_NAME, CODE_SET_CLASS_NAME, CODE_DEL_CLASS_NAME };
    if (c->failed)
        return;
    Scope *scope = c->unit->scope;
    Symbol *symbol = scope_find(scope, name);
    Where where = symbol ? (Where)symbol->where : WHERE_GLOBAL;
    if (where == WHERE_FREE && scope->kind == SCOPE_CLASS && use == USE_GET)
        emit2(c, CODE_CLASS_NAME, (uint32_t)name_index(c, name), (uint32_t)symbol->slot << 2 | 1, at);
    else if (where == WHERE_CLASS && use == USE_GET)
        emit2(c, CODE_CLASS_NAME, (uint32_t)name_index(c, name), (uint32_t)global_slot(c, name, at) << 2, at);
    else if (where == WHERE_CLASS)
        emit(c, in_class[use], (uint32_t)name_index(c, name), at);
    else if (where == WHERE_LOCAL)
        emit(c, local[use], (uint32_t)local_slot(c, symbol), at);
    else if (where == WHERE_GLOBAL)
        emit(c, global[use], (uint32_t)global_slot(c, name, at), at);
    else
        emit(c, cell[use], (uint32_t)symbol->slot, at);
}

void name_get(Compiler *c, Name *name, const Node *at) { name_use(c, name, USE_GET, at); }
void name_set(Compiler *c, Name *name, const Node *at) { name_use(c, name, USE_SET, at); }
void name_del(Compiler *c, Name *name, const Node *at) { name_use(c, name, USE_DEL, at); }

/* ---- units ---- */
bool unit_enter(Compiler *c, Unit *unit, Scope *scope, const char *name)
{
    Unit *outer = c->unit;
    *unit = (Unit){ .outer = outer, .scope = scope, .name = name };
    for (Symbol *it = scope->first; it; it = it->next)
        if (it->where == WHERE_LOCAL)   /* a finally block is compiled several times, with what is inside it */
            it->slot = -1;
    const char *before = outer && outer->scope->kind != SCOPE_MODULE ? outer->qualname : "";
    const char *between = !*before ? "" : outer->scope->kind == SCOPE_CLASS ? "." : ".<locals>.";
    Node *node = scope->node;
    Symbol *symbol = outer && node && (node->kind == S_DEF || node->kind == S_CLASS) ? scope_find(outer->scope, node->name) : NULL;
    if (symbol && symbol->where == WHERE_GLOBAL)
        before = between = "";
    size_t n = strlen(before) + strlen(between) + strlen(name) + 1;
    unit->qualname = c->failed ? NULL : mem_new(c->s->heap, n);
    c->unit = unit;
    if (!unit->qualname) {
        compile_memory(c);
        return false;
    }
    snprintf(unit->qualname, n, "%s%s%s", before, between, name);
    return true;
}

static bool is_jump(Opcode op)
{
    return op == CODE_JUMP || op == CODE_JUMP_BACK || op == CODE_IF_FALSE || op == CODE_IF_TRUE || op == CODE_FALSE_OR_POP ||
        op == CODE_TRUE_OR_POP || op == CODE_FOR;
}

static int words_of(Opcode op)
{
    static const uint8_t words[CODE_COUNT] = {
#define CODE(name, words, text) [CODE_##name] = words,
#include "lang/syntax/code.def"
    };
    return words[op];
}

/* Labels become places, numbers of cells become slots. */
static void resolve(Unit *u)
{
    for (int i = 0; i < u->size; i += words_of(instr_op(u->code[i]))) {
        Opcode op = instr_op(u->code[i]);
        uint32_t arg = instr_arg(u->code[i]);
        if (is_jump(op))
            u->code[i] = (uint32_t)op | (uint32_t)u->label[arg] << 8;
        else if (op == CODE_COMPARE_IF_FALSE)
            u->code[i + 1] = (uint32_t)u->label[u->code[i + 1]];
        else if (op == CODE_CELL || op == CODE_SET_CELL || op == CODE_DEL_CELL || op == CODE_CLOSURE)
            u->code[i] = (uint32_t)op | (arg + (uint32_t)u->locals) << 8;
        else if (op == CODE_CLASS_NAME && u->code[i + 1] & 1)
            u->code[i + 1] += (uint32_t)u->locals << 2;
    }
    for (int i = 0; i < u->handlers; i++)
        u->handler[i].handler = u->label[u->handler[i].handler];
}

static Str *retained(Compiler *c, Name *name)
{
    Str *str = name_str(c, name);
    if (str)
        str->head.count++;
    return str;
}

static void *array(Compiler *c, size_t n, size_t size)
{
    void *memory = mem_new(c->s->heap, n ? n * size : 1);
    if (memory)
        memset(memory, 0, n * size);
    else
        compile_memory(c);
    return memory;
}

/* The names of all slots, and where the cells of parameters get their values. */
static void fill_locals(Compiler *c, Code *code, Unit *u)
{
    Scope *scope = u->scope;
    code->cells = scope->cells;
    code->frees = scope->frees;
    code->cell_first = u->locals;
    code->free_first = u->locals + scope->cells;
    code->locals = u->locals + scope->cells + scope->frees;
    code->local = array(c, (size_t)code->locals, sizeof *code->local);
    code->cell_of_param = array(c, (size_t)code->cells, sizeof *code->cell_of_param);
    for (int i = 0; i < code->cells && !c->failed; i++)
        code->cell_of_param[i] = -1;
    for (int i = 0; i < u->locals && !c->failed; i++) {
        code->local[i] = retained(c, u->local[i]->name);
        if (u->local[i]->where == WHERE_CELL && !c->failed)
            code->cell_of_param[u->local[i]->slot] = i;
    }
    for (Symbol *it = scope->first; it && !c->failed; it = it->next) {
        bool has_slot = it->where == WHERE_CELL || it->where == WHERE_FREE || it->passed;
        if (has_slot && it->slot >= 0)
            code->local[u->locals + it->slot] = retained(c, it->name);
    }
}

static void fill(Compiler *c, Code *code, Unit *u)
{
    Name *name = tree_name(c->tree, u->name, strlen(u->name));
    Name *qualname = tree_name(c->tree, u->qualname, strlen(u->qualname));
    if (!name || !qualname) {
        compile_memory(c);
        return;
    }
    code->name = retained(c, name);
    code->qualname = retained(c, qualname);
    code->doc = u->doc ? retained(c, u->doc) : NULL;
    code->source = c->source;
    code->stack = u->deepest;
    code->caches = u->caches;
    code->cache = array(c, (size_t)u->caches, sizeof(AttrCache));
    fill_locals(c, code, u);
    code->place = array(c, (size_t)u->size, sizeof *code->place);
    code->constant = array(c, (size_t)u->constants, sizeof *code->constant);
    code->name_ = array(c, (size_t)u->names, sizeof *code->name_);
    if (c->failed)
        return;
    resolve(u);
    for (int i = 0; i < u->size; i++) {
        bool same = i > 0 && u->span[i][0] == u->span[i - 1][0] && u->span[i][1] == u->span[i - 1][1];
        code->place[i] = same ? code->place[i - 1] : source_place(c->text, c->source, u->span[i][0], u->span[i][1]);
    }
    for (; code->constants < u->constants; code->constants++)
        code->constant[code->constants] = value_retain(c->constant[u->constant[code->constants]]);
    for (; code->names < u->names && !c->failed; code->names++)
        code->name_[code->names] = retained(c, u->names_[code->names]);
    code->code = u->code;
    code->size = u->size;
    code->handler = u->handler;
    code->handlers = u->handlers;
    u->code = NULL;
    u->handler = NULL;
}

Code *unit_leave(Compiler *c, const Node *at)
{
    Unit *u = c->unit;
    Heap *heap = c->s->heap;
    Code *code = c->failed ? NULL : heap_object_new(heap, sizeof *code, TYPE_CODE, c->err);
    if (code) {
        Object head = code->head;
        *code = (Code){ .head = head };
        static const uint32_t kinds[] = { CODE_MODULE, 0, 0, CODE_CLASS };
        code->flags = kinds[u->scope->kind] | (u->scope->generator ? CODE_GENERATOR : 0) | (u->scope->cells ? CODE_HAS_CELLS : 0);
        fill(c, code, u);
        code->line = source_place(c->text, c->source, at->start, at->start).line;
        if (c->failed) {
            object_release(&code->head);
            code = NULL;
        }
    } else {
        c->failed = true;
    }
    mem_free(heap, u->qualname);
    mem_free(heap, u->code);
    mem_free(heap, u->span);
    mem_free(heap, u->handler);
    mem_free(heap, u->label);
    mem_free(heap, u->constant);
    mem_free(heap, u->names_);
    mem_free(heap, u->constant_map.row);
    mem_free(heap, u->name_map.row);
    mem_free(heap, u->local);
    c->unit = u->outer;
    return code;
}

void compiler_close(Compiler *c)
{
    for (int i = 0; i < c->constants; i++)
        value_release(c->constant[i]);
    mem_free(c->s->heap, c->constant);
    mem_free(c->s->heap, c->constant_map.row);
    mem_free(c->s->heap, c->spine);
}
