/*
 * disassemble.c - code as an object of the language, and as text.
 */
#include "lang/syntax/disassemble.h"
#include <inttypes.h>
#include "lang/run/state.h"

static const struct { const char *name; int words; } rows[CODE_COUNT] = {
#define CODE(name, words, text) [CODE_##name] = { #name, words },
#include "lang/syntax/code.def"
};

static void print_constant(Session *s, const Code *code, uint32_t i, Text *text)
{
    Err err = { .kind = ERR_NONE };
    if ((int)i >= code->constants)
        return;
    Value v = code->constant[i];
    text_put(text, " (");
    if (value_is(v, TYPE_CODE))
        text_put(text, ((Code *)v.object)->qualname->s);
    else
        value_repr(s, v, text, &err);
    text_put(text, ")");
}

static void print_one(Session *s, const Code *code, int at, Text *text)
{
    Instr i = code->code[at];
    uint32_t arg = instr_arg(i);
    Opcode op = instr_op(i);
    text_print(text, "%d %s", at, rows[op].name);
    if (rows[op].words == 2)
        text_print(text, " %u %u", arg, code->code[at + 1]);
    else
        text_print(text, " %u", arg);
    switch (op) {
    case CODE_CONST: case CODE_FUNCTION: case CODE_BUILD_CLASS: case CODE_COMMAND:
        print_constant(s, code, arg, text);
        break;
    case CODE_CALL_KW: case CODE_CALL_METHOD_KW:
        print_constant(s, code, code->code[at + 1], text);
        break;
    case CODE_LOCAL: case CODE_SET_LOCAL: case CODE_DEL_LOCAL: case CODE_CELL: case CODE_SET_CELL:
    case CODE_DEL_CELL:
    case CODE_CLOSURE:
        text_print(text, " (%s)", code->local[arg]->s);
        break;
    case CODE_GLOBAL: case CODE_SET_GLOBAL: case CODE_DEL_GLOBAL:
        if ((int)arg < s->globals && s->global[arg].name)
            text_print(text, " (%s)", s->global[arg].name->s);
        break;
    case CODE_ATTR: case CODE_SET_ATTR: case CODE_DEL_ATTR: case CODE_METHOD: case CODE_CLASS_NAME:
    case CODE_SET_CLASS_NAME:
    case CODE_DEL_CLASS_NAME: case CODE_IMPORT: case CODE_IMPORT_LEAF: case CODE_IMPORT_FROM:
        text_print(text, " (%s)", code->name_[arg]->s);
        break;
    case CODE_BINARY: case CODE_INPLACE:
        text_print(text, " (%s)", binary_symbol((BinaryOp)arg));
        break;
    case CODE_COMPARE: case CODE_COMPARE_IF_FALSE:
        text_print(text, " (%s)", compare_symbol((CompareOp)arg));
        break;
    default:
        break;
    }
    text_char(text, '\n');
}

void code_print(Session *s, const Code *code, Text *text)
{
    text_print(text, "%s: stack %d, locals %d, cells %d, free %d\n", code->qualname->s, code->stack,
               code->locals,
               code->cells, code->frees);
    for (int i = 0; i < code->size; i += rows[instr_op(code->code[i])].words)
        print_one(s, code, i, text);
    for (int i = 0; i < code->handlers; i++)
        text_print(text, "handler %d..%d to %d, depth %d\n", code->handler[i].start, code->handler[i].end,
                   code->handler[i].handler, code->handler[i].depth);
    for (int i = 0; i < code->constants; i++)
        if (value_is(code->constant[i], TYPE_CODE))
            code_print(s, (Code *)code->constant[i].object, text);
}

/* ---- the type ---- */
static void drop_str(Str *str)
{
    if (str)
        object_release(&str->head);
}

static void drop(Object *self)
{
    Code *code = (Code *)self;
    Heap *heap = heap_of(self);
    for (int i = 0; i < code->constants; i++)
        value_release(code->constant[i]);
    for (int i = 0; i < code->names; i++)
        drop_str(code->name_[i]);
    for (int i = 0; code->room && i < code->locals; i++)
        drop_str(code->local[i]);
    drop_str(code->name);
    drop_str(code->qualname);
    drop_str(code->doc);
    mem_free(heap, code->room);
    heap_object_free(code, sizeof *code);
}

static void visit(Object *self, Visitor *visitor)
{
    Code *code = (Code *)self;
    for (int i = 0; i < code->constants; i++)
        visitor->edge(visitor, code->constant[i], "constant", NULL, i);
}

static bool repr(Session *s, Value self, Text *text, Err *err)
{
    (void)err;
    Code *code = (Code *)self.object;
    text_print(text, "<code object %s at 0x%" PRIxPTR ", file \"%s\", line %d>", code->name->s,
               (uintptr_t)code,
               source_name(s, code->source), code->line);
    return true;
}

const Type type_code = { .name = "code", .drop = drop, .visit = visit, .repr = repr };
