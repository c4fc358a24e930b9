/*
 * unit.c - the code of one function, class body, comprehension or module: begun, and made into a Code at its
 * end.
 */
#include <string.h>
#include "lang/run/state.h"
#include "lang/syntax/compile.h"

bool unit_enter(Compiler *c, Unit *unit, Scope *scope, const char *name)
{
    Unit *outer = c->unit;
    *unit = (Unit){ .outer = outer, .scope = scope, .name = name };
    for (Symbol *it = scope->first; it; it = it->next)
        if (it->where == WHERE_LOCAL)   /* a finally block is compiled several times */
            it->slot = -1;
    const char *before = outer && outer->scope->outer ? outer->qualname : "";
    const char *between = !*before ? "" : outer->scope->kind == SCOPE_CLASS ? "." : ".<locals>.";
    Node *node = scope->node;
    Symbol *symbol = outer && node && (node->kind == S_DEF || node->kind == S_CLASS)
        ? scope_find(outer->scope, node->name) : NULL;
    if (symbol && symbol->where == WHERE_GLOBAL)
        before = between = "";
    size_t n = strlen(before), m = strlen(between);
    unit->qualname = c->failed ? NULL : arena_take(&c->tree->arena, n + m + strlen(name) + 1);
    c->unit = unit;
    if (!unit->qualname) {
        compile_memory(c);
        return false;
    }
    memcpy(unit->qualname, before, n);
    memcpy(unit->qualname + n, between, m);
    strcpy(unit->qualname + n + m, name);
    return true;
}

static bool is_jump(Opcode op)
{
    return op == CODE_JUMP || op == CODE_JUMP_BACK || op == CODE_IF_FALSE || op == CODE_IF_TRUE ||
        op == CODE_FALSE_OR_POP ||
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

/* One block holds all of a code's arrays; each begins at a multiple of 16. */
static void lay_out(Compiler *c, Code *code, Unit *u)
{
    char *room = NULL;
    for (int turn = 0; turn < 2; turn++) {              /* measured, then laid out */
        size_t used = 0;
#define PART(field, n) (code->field = turn ? (void *)(room + used) : NULL, used += ((size_t)(n) * sizeof *code->field + 15) & ~(size_t)15)
        PART(cache, u->caches);
        PART(constant, u->constants);
        PART(name_, u->names);
        PART(local, code->locals);
        PART(place, u->size);
        PART(handler, u->handlers);
        PART(code, u->size);
        PART(cell_of_param, code->cells);
#undef PART
        if (!turn && !(code->room = room = mem_new(c->s->heap, used))) {
            compile_memory(c);
            return;
        }
        if (turn)
            memset(room, 0, used);
    }
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
    lay_out(c, code, u);
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
    Name *qualname = strcmp(u->name, u->qualname) ? tree_name(c->tree, u->qualname, strlen(u->qualname)) : name;
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
    fill_locals(c, code, u);
    if (c->failed)
        return;
    resolve(u);
    for (int i = 0; i < u->size; i++) {
        bool same = i > 0 && u->span[i][0] == u->span[i - 1][0] && u->span[i][1] == u->span[i - 1][1];
        code->place[i] = same ? code->place[i - 1] : source_place(c->text, c->source, u->span[i][0],
                                                                  u->span[i][1]);
    }
    for (; code->constants < u->constants; code->constants++)
        code->constant[code->constants] = value_retain(c->constant[u->constant[code->constants]]);
    for (; code->names < u->names && !c->failed; code->names++)
        code->name_[code->names] = retained(c, u->names_[code->names]);
    code->size = u->size;
    code->handlers = u->handlers;
    memcpy(code->code, u->code, (size_t)u->size * sizeof *u->code);
    if (u->handlers)
        memcpy(code->handler, u->handler, (size_t)u->handlers * sizeof *u->handler);
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
        code->flags = kinds[u->scope->kind] | (u->scope->generator ? CODE_GENERATOR : 0) |
            (c->mode == COMPILE_LIBRARY ? CODE_LIBRARY : 0) | (u->scope->cells
                ? CODE_HAS_CELLS : 0);
        fill(c, code, u);
        code->line = source_place(c->text, c->source, at->start, at->start).line;
        if (c->failed) {
            object_release(&code->head);
            code = NULL;
        }
    } else {
        c->failed = true;
    }
    c->unit = u->outer;
    return code;
}

void compiler_close(Compiler *c)
{
    for (int i = 0; i < c->constants; i++)
        value_release(c->constant[i]);
    if (c->spine != c->few)
        mem_free(c->s->heap, c->spine);
}
