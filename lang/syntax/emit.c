/*
 * emit.c - instructions, labels, handlers and names of a unit of code.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "lang/run/state.h"
#include "lang/syntax/compile.h"

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

Name *compile_name(Compiler *c, FixedName which)
{
    static const char *const texts[] = { [NAME_CLASS] = "__class__", [NAME_SUPER] = "super", [NAME_ITERABLE] = ".0" };
    if (!c->fixed[which] && !(c->fixed[which] = tree_name(c->tree, texts[which], strlen(texts[which]))))
        compile_memory(c);
    return c->fixed[which];
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
    void *grown = more < ((size_t)1 << 30) ? arena_take(&c->tree->arena, more * size) : NULL;
    if (!grown) {
        compile_memory(c);
        return false;
    }
    if (*capacity)
        memcpy(grown, old, (size_t)*capacity * size);
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

int map_get(const Map *map, uint64_t a, uint64_t b)
{
    return map->size ? map->row[map_place(map, a, b)].value : -1;
}

void map_set(Compiler *c, Map *map, uint64_t a, uint64_t b, int value)
{
    if (4 * (map->used + 1) > 3 * map->size) {
        Map larger = { .size = map->size ? 2 * map->size : 16, .used = map->used };
        if (!(larger.row = arena_take(&c->tree->arena, larger.size * sizeof *larger.row))) {
            compile_memory(c);
            return;
        }
        for (uint32_t i = 0; i < larger.size; i++)
            larger.row[i].value = -1;
        for (uint32_t i = 0; i < map->size; i++)
            if (map->row[i].value >= 0)
                larger.row[map_place(&larger, map->row[i].a, map->row[i].b)] = map->row[i];
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
    case CODE_NOP: case CODE_SWAP: case CODE_ROT3: case CODE_ROT4: case CODE_DEL_LOCAL:
    case CODE_DEL_GLOBAL: case CODE_DEL_CELL:
    case CODE_DEL_CLASS_NAME: case CODE_ATTR: case CODE_UNARY: case CODE_NOT: case CODE_JUMP:
    case CODE_JUMP_BACK:
    case CODE_LIST_TO_TUPLE: case CODE_ITER: case CODE_YIELD: case CODE_EXCEPTION_MATCH: case CODE_STATEMENT:
    case CODE_STATEMENT_END: case CODE_COMMAND:
        return 0;
    case CODE_DUP: case CODE_CONST: case CODE_NONE: case CODE_TRUE: case CODE_FALSE: case CODE_INT:
    case CODE_LOCAL:
    case CODE_GLOBAL: case CODE_CELL: case CODE_CLOSURE: case CODE_CLASS_NAME: case CODE_METHOD:
    case CODE_ENTER_HANDLER:
    case CODE_WITH: case CODE_WITH_ERROR: case CODE_IMPORT: case CODE_IMPORT_LEAF: case CODE_IMPORT_FROM:
        return 1;
    case CODE_DUP2:
        return 2;
    case CODE_POP: case CODE_SET_LOCAL: case CODE_SET_GLOBAL: case CODE_SET_CELL:
    case CODE_SET_CLASS_NAME: case CODE_DEL_ATTR:
    case CODE_ITEM: case CODE_BINARY: case CODE_INPLACE: case CODE_COMPARE: case CODE_IS: case CODE_IN:
    case CODE_IF_FALSE:
    case CODE_IF_TRUE: case CODE_LIST_APPEND: case CODE_SET_ADD: case CODE_LIST_EXTEND: case CODE_SET_UPDATE:
    case CODE_DICT_UPDATE: case CODE_DICT_MERGE: case CODE_BUILD_CLASS: case CODE_RETURN:
    case CODE_YIELD_FROM:
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
    if (c->failed || block->start == u->size || !compile_room(c, &u->handler, u->handlers,
                                                              &u->handler_capacity, sizeof *u->handler))
        return;
    u->handler[u->handlers++] = (Handler){ block->start, u->size, block->handler, block->depth };
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

void name_get(Compiler *c, Name *name, const Node *at)
{
    name_use(c, name, USE_GET, at);
}

void name_set(Compiler *c, Name *name, const Node *at)
{
    name_use(c, name, USE_SET, at);
}

void name_del(Compiler *c, Name *name, const Node *at)
{
    name_use(c, name, USE_DEL, at);
}
