/*
 * unit.c - the code of one function, class body, comprehension or module: begun, and made into a Code at its
 * end.
 */
#include <stdio.h>
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
    const char *before = outer && outer->scope->kind != SCOPE_MODULE ? outer->qualname : "";
    const char *between = !*before ? "" : outer->scope->kind == SCOPE_CLASS ? "." : ".<locals>.";
    Node *node = scope->node;
    Symbol *symbol = outer && node && (node->kind == S_DEF || node->kind == S_CLASS)
        ? scope_find(outer->scope, node->name) : NULL;
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
        code->place[i] = same ? code->place[i - 1] : source_place(c->text, c->source, u->span[i][0],
                                                                  u->span[i][1]);
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
        code->flags = kinds[u->scope->kind] | (u->scope->generator ? CODE_GENERATOR : 0) | (u->scope->cells
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
