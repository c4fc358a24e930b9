/*
 * vm.c - the loop that runs instructions.
 * Calls from language to language stay in one loop: a call links a new frame in, a return unlinks it. Order is meaning: a result
 * exists before its operands die, and they die from left to right; a name is bound before what it held is dropped.
 */
#include "lang/run/attr_cache.h"
#include "lang/run/class.h"
#include "lang/types/iterator.h"
#include <string.h>
#pragma GCC diagnostic ignored "-Wpedantic"         /* labels as values: one jump for each instruction */
/* A value is written as two words. Read back as one of 16 bytes, the processor would have to wait for both to reach the cache:
 * so the loop moves values word by word, and the compiler must not join the words. */
#ifdef __GNUC__
#pragma GCC optimize("no-tree-slp-vectorize")
#endif

/* The state of the loop that lives in registers; SAVE puts it where others can see it. */
#define ARG       instr_arg(*pc)
#define WORD      pc[1]
#define CACHE     (&frame->code->cache[pc[1]])
#define MOVE(to, from) ((to)->tag = (from)->tag, (to)->i = (from)->i)
#define PUSH(v)   (top->tag = (v).tag, top->i = (v).i, top++)
#define RETAIN(v) do { if (value_tag(*(v)) == V_OBJECT) (v)->object->count++; } while (0)
#define NEXT(n)   do { pc += (n); goto *labels[*pc & 0xff]; } while (0)
#define SAVE()    (frame->pc = pc, frame->top = top)
#define FAIL()    goto failed
#define TRY(call) do { SAVE(); if (!(call)) FAIL(); } while (0)

/* Leaves the frame: its caller goes on after its call. */
static Frame *leave(Session *s, Frame *frame)
{
    Frame *back = frame->back;
    frame_end(s, frame);
    return back;
}

/* int op int, float op float and the mixtures, in place of the left one, without asking the types. False: not one of these, or it
 * overflows. */
static inline bool quick_binary(Session *s, BinaryOp op, Value *a, const Value *b)
{
    Tag left = value_tag(*a), right = value_tag(*b);
    if (left == V_INT && right == V_INT) {
        int64_t z;
        switch (op) {
        case BIN_ADD: if (__builtin_add_overflow(a->i, b->i, &z)) return false; break;
        case BIN_SUB: if (__builtin_sub_overflow(a->i, b->i, &z)) return false; break;
        case BIN_MUL: if (__builtin_mul_overflow(a->i, b->i, &z)) return false; break;
        default: return false;
        }
        a->tag = V_INT | ((uint64_t)(z + 5) <= 261 ? 0 : ++s->number_serial << 8);
        a->i = z;
        return true;
    }
    if ((left != V_FLOAT && right != V_FLOAT) || (left != V_FLOAT && left != V_INT) || (right != V_FLOAT && right != V_INT))
        return false;
    double x = left == V_FLOAT ? a->f : (double)a->i, y = right == V_FLOAT ? b->f : (double)b->i;
    switch (op) {
    case BIN_ADD: x += y; break;
    case BIN_SUB: x -= y; break;
    case BIN_MUL: x *= y; break;
    case BIN_TRUEDIV: if (y == 0) return false; x /= y; break;
    default: return false;
    }
    a->tag = V_FLOAT | ++s->number_serial << 8;
    a->f = x;
    return true;
}

static inline bool quick_compare(CompareOp op, const Value *a, const Value *b, bool *truth)
{
    if (value_tag(*a) == V_INT && value_tag(*b) == V_INT) {
        int64_t x = a->i, y = b->i;
        *truth = op == CMP_LT ? x < y : op == CMP_LE ? x <= y : op == CMP_EQ ? x == y : op == CMP_NE ? x != y : op == CMP_GT ? x > y : x >= y;
        return true;
    }
    if (value_tag(*a) == V_FLOAT && value_tag(*b) == V_FLOAT) {
        double x = a->f, y = b->f;
        *truth = op == CMP_LT ? x < y : op == CMP_LE ? x <= y : op == CMP_EQ ? x == y : op == CMP_NE ? x != y : op == CMP_GT ? x > y : x >= y;
        return true;
    }
    return false;
}

/* Binds a slot: the new value first, then the old one is let go. */
static inline void bind(Value *slot, Value taken)
{
    Value old = *slot;
    *slot = taken;
    value_release(old);
}

/* The same with the value taken from the stack; what a slot holds mostly is a number. */
static inline void bind_from(Value *slot, const Value *from)
{
    if (value_tag(*slot) == V_OBJECT) {
        Object *old = slot->object;
        MOVE(slot, from);
        object_release(old);
    } else
        MOVE(slot, from);
}

static bool interrupted_here(Session *s, Err *err)
{
    s->interrupt = 0;
    return err_set(err, ERR_KEYBOARD_INTERRUPT, "%s", "");
}

/* Finds the handler for the instruction; NULL: the frame does not catch. */
static const Handler *handler_of(const Frame *frame)
{
    int at = (int)(frame->pc - frame->code->code);
    for (int k = 0; k < frame->code->handlers; k++)
        if (at >= frame->code->handler[k].start && at < frame->code->handler[k].end)
            return &frame->code->handler[k];
    return NULL;
}

/*
 * The frame has failed with err. The stack's temporaries die first. True: its handler goes on, with the exception pushed.
 */
static bool handle(Session *s, Frame *frame, Err *err)
{
    if (err->kind == ERR_KEYBOARD_INTERRUPT)            /* taken note of, wherever it was noticed */
        session_clear_interrupt(s);
    Exception *exception = session_exception(s, err);
    const Handler *handler = handler_of(frame);
    Value *floor = frame->stack + (handler ? handler->depth : 0);
    while (frame->top > floor)
        value_release(*--frame->top);
    exception_trace(s, exception, frame, !handler);
    if (!handler) {
        session_raise(s, exception, err);
        object_release(&exception->head);
        return false;
    }
    *frame->top++ = value_object_take(exception);
    frame->pc = frame->code->code + handler->handler;
    return true;
}

RunStatus vm_throw(Session *s, Frame *frame, Value *out, Err *err)
{
    /* A frame that waits at a yield stands behind it: the error belongs to the yield itself. */
    if (frame->pc > frame->code->code)
        frame->pc -= instr_op(frame->pc[-1]) == CODE_YIELD;
    return handle(s, frame, err) ? vm_run(s, frame, out, err) : RUN_FAILED;
}

RunStatus vm_run(Session *s, Frame *frame, Value *out, Err *err)
{
    static const void *const labels[CODE_COUNT] = {
#define CODE(op, words, text) [CODE_##op] = &&do_##op,
#include "lang/syntax/code.def"
    };
    const Instr *pc = frame->pc;
    Value *top = frame->top, a, b, result;
    bool truth;
    goto *labels[*pc & 0xff];

do_NOP: NEXT(1);
do_POP:
    a = *--top;
    SAVE();
    value_release(a);
    NEXT(1);
do_DUP: MOVE(top, top - 1); RETAIN(top); top++; NEXT(1);
do_DUP2:
    top[0] = value_retain(top[-2]);
    top[1] = value_retain(top[-1]);
    top += 2;
    NEXT(1);
do_SWAP: a = top[-1]; top[-1] = top[-2]; top[-2] = a; NEXT(1);
do_ROT3: a = top[-1]; top[-1] = top[-2]; top[-2] = top[-3]; top[-3] = a; NEXT(1);
do_ROT4: a = top[-1]; top[-1] = top[-2]; top[-2] = top[-3]; top[-3] = top[-4]; top[-4] = a; NEXT(1);
do_CONST: MOVE(top, &frame->code->constant[ARG]); RETAIN(top); top++; NEXT(1);
do_NONE: PUSH(value_none()); NEXT(1);
do_TRUE: PUSH(value_bool(true)); NEXT(1);
do_FALSE: PUSH(value_bool(false)); NEXT(1);
do_INT: PUSH(((Value){ V_INT, { .i = (int64_t)ARG } })); NEXT(1);

    /* ---- names ---- */
do_LOCAL:
    MOVE(top, &frame->slot[ARG]);
    if (value_tag(*top) == V_UNSET)
        TRY(vm_unbound(s, frame, (int)ARG, err));
    RETAIN(top);
    top++;
    NEXT(1);
do_SET_LOCAL:
    --top;
    SAVE();
    bind_from(&frame->slot[ARG], top);
    NEXT(1);
do_DEL_LOCAL:
    if (value_is_unset(frame->slot[ARG]))
        TRY(vm_unbound(s, frame, (int)ARG, err));
    SAVE();
    bind(&frame->slot[ARG], value_unset());
    NEXT(1);
do_GLOBAL:
    MOVE(top, &s->global[ARG].value);
    if (value_tag(*top) == V_UNSET)
        TRY(vm_global(s, (int)ARG, top, err));
    else
        RETAIN(top);
    top++;
    NEXT(1);
do_SET_GLOBAL:
    a = *--top;
    SAVE();
    if (s->record)
        run_bind(s, frame, a, s->global[ARG].value);
    bind(&s->global[ARG].value, a);
    NEXT(1);
do_DEL_GLOBAL: TRY(vm_del_global(s, (int)ARG, err)); NEXT(1);
do_CELL:
    a = ((Cell *)frame->slot[ARG].object)->value;
    if (value_is_unset(a))
        TRY(vm_unbound(s, frame, (int)ARG, err));
    a = value_retain(a);
    PUSH(a);
    NEXT(1);
do_SET_CELL:
    --top;
    SAVE();
    bind(&((Cell *)frame->slot[ARG].object)->value, *top);
    NEXT(1);
do_DEL_CELL:
    if (value_is_unset(((Cell *)frame->slot[ARG].object)->value))
        TRY(vm_unbound(s, frame, (int)ARG, err));
    SAVE();
    bind(&((Cell *)frame->slot[ARG].object)->value, value_unset());
    NEXT(1);
do_CLOSURE: a = value_retain(frame->slot[ARG]); PUSH(a); NEXT(1);
do_CLASS_NAME: {
    Value *found = dict_find_str(frame->names, frame->code->name_[ARG]);
    uint32_t where = WORD;
    if (found)
        a = value_retain(*found);
    else if (where & 1) {
        a = value_retain(((Cell *)frame->slot[where >> 2].object)->value);
        if (value_is_unset(a))
            TRY(vm_unbound(s, frame, (int)(where >> 2), err));
    } else
        TRY(vm_global(s, (int)(where >> 2), &a, err));
    PUSH(a);
    NEXT(2);
}
do_SET_CLASS_NAME:
    TRY(dict_set(s, frame->names, value_object_take(frame->code->name_[ARG]), top[-1], err));
    a = *--top;
    SAVE();
    value_release(a);
    NEXT(1);
do_DEL_CLASS_NAME: {
    bool found;
    TRY(dict_delete(s, frame->names, value_object_take(frame->code->name_[ARG]), &found, err)
        && (found || err_set(err, ERR_NAME, "name '%s' is not defined", frame->code->name_[ARG]->s)));
    NEXT(1);
}

    /* ---- attributes and items ---- */
do_ATTR:
    TRY(attr_get(s, top[-1], frame->code->name_[ARG], CACHE, &result, err));
    a = top[-1];
    top[-1] = result;
    SAVE();
    value_release(a);
    NEXT(2);
do_SET_ATTR:
    SAVE();
    if (s->record && (value_can_hold(top[-2]))) {
        run_bind(s, frame, top[-2], value_unset());
    }
    TRY(attr_set(s, top[-1], frame->code->name_[ARG], top[-2], CACHE, err));
    b = *--top;
    a = *--top;
    SAVE();
    value_release(a);
    value_release(b);
    NEXT(2);
do_DEL_ATTR:
    TRY(value_set_attr(s, top[-1], frame->code->name_[ARG], value_unset(), err));
    a = *--top;
    SAVE();
    value_release(a);
    NEXT(1);
do_METHOD:
    TRY(attr_method(s, top[-1], frame->code->name_[ARG], CACHE, &a, &b, err));
    result = top[-1];
    if (value_is_unset(b)) {                            /* no method: what the attribute holds, called without self */
        top[-1] = value_unset();
        PUSH(a);
        SAVE();
        value_release(result);
    } else {
        top[-1] = a;
        PUSH(result);
    }
    NEXT(2);
do_ITEM:
    TRY(value_get_item(s, top[-2], top[-1], &result, err));
    b = *--top;
    a = top[-1];
    top[-1] = result;
    SAVE();
    value_release(a);
    value_release(b);
    NEXT(1);
do_SET_ITEM:
    SAVE();
    if (s->record && value_can_hold(top[-3]) && (value_is(top[-2], TYPE_LIST) || value_is(top[-2], TYPE_DICT)))
        run_bind(s, frame, top[-3], value_unset());
    TRY(value_set_item(s, top[-2], top[-1], top[-3], err));
    top -= 3;
    SAVE();
    a = top[0], b = top[1], result = top[2];
    value_release(a);
    value_release(b);
    value_release(result);
    NEXT(1);
do_DEL_ITEM:
    TRY(value_del_item(s, top[-2], top[-1], err));
    b = *--top;
    a = *--top;
    SAVE();
    value_release(a);
    value_release(b);
    NEXT(1);
do_SLICE: {
    Slice *slice = NULL;
    TRY((slice = slice_new(s, top[-3], top[-2], top[-1], err)));
    for (int k = -3; k < 0; k++)
        value_release(top[k]);
    top -= 2;
    top[-1] = value_object_take(slice);
    NEXT(1);
}

    /* ---- operators ---- */
do_BINARY:
    if (quick_binary(s, (BinaryOp)ARG, top - 2, top - 1)) {
        --top;
        NEXT(1);
    }
    a = top[-2], b = top[-1];
    TRY(value_binary(s, (BinaryOp)ARG, a, b, &result, err));
    --top;
    top[-1] = result;
    SAVE();
    value_release(a);
    value_release(b);
    NEXT(1);
do_INPLACE:
    if (quick_binary(s, (BinaryOp)ARG, top - 2, top - 1)) {
        --top;
        NEXT(1);
    }
    a = top[-2], b = top[-1];
    TRY(value_inplace(s, (BinaryOp)ARG, a, b, &result, err));
    --top;
    top[-1] = result;
    SAVE();
    value_release(a);
    value_release(b);
    NEXT(1);
do_UNARY:
    TRY(value_unary(s, (UnaryOp)ARG, top[-1], &result, err));
    a = top[-1];
    top[-1] = result;
    SAVE();
    value_release(a);
    NEXT(1);
do_NOT:
    TRY(value_truth(s, top[-1], &truth, err));
    a = top[-1];
    top[-1] = value_bool(!truth);
    SAVE();
    value_release(a);
    NEXT(1);
do_COMPARE:
    if (quick_compare((CompareOp)ARG, top - 2, top - 1, &truth)) {
        --top;
        top[-1].tag = V_BOOL;
        top[-1].i = truth;
        NEXT(1);
    }
    a = top[-2], b = top[-1];
    TRY(value_compare(s, (CompareOp)ARG, a, b, &result, err));
    --top;
    top[-1] = result;
    SAVE();
    value_release(a);
    value_release(b);
    NEXT(1);
do_IS:
    a = top[-2], b = top[-1];
    --top;
    top[-1] = value_bool(value_same(a, b) != (bool)ARG);
    SAVE();
    value_release(a);
    value_release(b);
    NEXT(1);
do_IN:
    TRY(value_contains(s, top[-1], top[-2], &truth, err));
    b = *--top;
    a = top[-1];
    top[-1] = value_bool(truth != (bool)ARG);
    SAVE();
    value_release(a);
    value_release(b);
    NEXT(1);

    /* ---- jumps ---- */
do_JUMP: pc = frame->code->code + ARG; NEXT(0);
do_JUMP_BACK:
    if (s->interrupt)
        TRY(interrupted_here(s, err));
    if (s->heap->totals.live > s->collect_at) {
        SAVE();
        cycle_collect(s);
    }
    pc = frame->code->code + ARG;
    NEXT(0);
do_IF_FALSE:
    if (value_tag(top[-1]) == V_BOOL) {
        --top;
        if (top->b)
            NEXT(1);
        pc = frame->code->code + ARG;
        NEXT(0);
    }
    a = top[-1];
    TRY(value_truth(s, a, &truth, err));
    --top;
    SAVE();
    value_release(a);
    if (truth)
        NEXT(1);
    pc = frame->code->code + ARG;
    NEXT(0);
do_IF_TRUE:
    a = top[-1];
    TRY(value_truth(s, a, &truth, err));
    --top;
    SAVE();
    value_release(a);
    if (!truth)
        NEXT(1);
    pc = frame->code->code + ARG;
    NEXT(0);
do_FALSE_OR_POP:
    TRY(value_truth(s, top[-1], &truth, err));
    if (!truth) {
        pc = frame->code->code + ARG;
        NEXT(0);
    }
    a = *--top;
    SAVE();
    value_release(a);
    NEXT(1);
do_TRUE_OR_POP:
    TRY(value_truth(s, top[-1], &truth, err));
    if (truth) {
        pc = frame->code->code + ARG;
        NEXT(0);
    }
    a = *--top;
    SAVE();
    value_release(a);
    NEXT(1);
do_COMPARE_IF_FALSE:
    if (!quick_compare((CompareOp)ARG, top - 2, top - 1, &truth)) {
        a = top[-2], b = top[-1];
        TRY(value_compare(s, (CompareOp)ARG, a, b, &result, err));
        top[-2] = result;
        --top;
        SAVE();
        value_release(a);
        value_release(b);
        TRY(value_truth(s, top[-1], &truth, err));
        a = *--top;
        SAVE();
        value_release(a);
    } else
        top -= 2;
    if (truth)
        NEXT(2);
    pc = frame->code->code + WORD;
    NEXT(0);

    /* ---- calls ---- */
#define ENTER(new_frame, words)                                                                                 \
    do {                                                                                                        \
        frame->pc = pc + (words) - 1;           /* a return goes on after the call; an error names its last word */ \
        frame = (new_frame);                                                                                    \
        s->frame = frame;                                                                                       \
        pc = frame->pc;                                                                                         \
        top = frame->top;                                                                                       \
        NEXT(0);                                                                                                \
    } while (0)
/* The callee and its arguments, from `from` up, die from left to right; the result takes their place. */
#define FINISH(from, words)                                                                                     \
    do {                                                                                                        \
        Value *bottom = (from), *last = top;                                                                     \
        a = *bottom;                                                                                            \
        *bottom = result;                                                                                       \
        top = bottom + 1;                                                                                       \
        SAVE();                                                                                                 \
        value_release(a);                                                                                       \
        for (Value *each = bottom + 1; each < last; each++)                                                     \
            value_release(*each);                                                                               \
        NEXT(words);                                                                                            \
    } while (0)
do_CALL: {
    int n = (int)ARG;
    Value *first = top - n - 1;
    if (s->interrupt)
        TRY(interrupted_here(s, err));
    if (value_is(*first, TYPE_FUNCTION)) {
        Frame *made = frame_quick(s, (Function *)first->object, first + 1, n);
        if (made) {
            top = first;
            SAVE();
            ENTER(made, 1);
        }
        TRY((made = frame_new(s, (Function *)first->object, first + 1, n, 0, NULL, err)));
        if (made->code->flags & CODE_GENERATOR) {
            TRY(generator_object(s, made, &result, err));
            FINISH(first, 1);
        }
        a = *first;
        for (Value *each = first + 1; each < top; each++)
            value_release(*each);
        value_release(a);
        top = first;
        SAVE();
        ENTER(made, 1);
    }
    if (value_is(*first, TYPE_CLASS)) {
        err->kind = ERR_NONE;
        SAVE();
        Frame *made = class_enter(s, (Class *)first->object, first + 1, n, err);
        if (made) {
            made->waiting = n + 1;
            ENTER(made, 1);
        }
        if (err->kind)
            FAIL();
    }
    TRY(value_call(s, *first, first + 1, n, 0, NULL, &result, err));
    FINISH(first, 1);
}
do_CALL_KW: {
    Tuple *names = (Tuple *)frame->code->constant[WORD].object;
    int n = (int)ARG;
    Value *first = top - n - 1;
    TRY(value_call(s, *first, first + 1, n - (int)names->n, (int)names->n, names, &result, err));
    FINISH(first, 2);
}
do_CALL_EX: {
    bool keywords = ARG & 1;
    Value *first = top - (keywords ? 3 : 2);
    TRY(vm_call_spread(s, first[0], first[1], keywords ? first[2] : value_unset(), &result, err));
    FINISH(first, 1);
}
do_CALL_METHOD: {
    int n = (int)ARG;
    Value *first = top - n - 2, *args = first + 2, function = first[0];
    if (s->interrupt)
        TRY(interrupted_here(s, err));
    if (value_is_unset(function))
        function = first[1];
    else
        args--, n++;
    if (value_is(function, TYPE_FUNCTION) && !(((Function *)function.object)->code->flags & CODE_GENERATOR)) {
        Frame *made = frame_quick(s, (Function *)function.object, args, n);
        if (made) {
            top = first;
            SAVE();
            ENTER(made, 1);
        }
        TRY((made = frame_new(s, (Function *)function.object, args, n, 0, NULL, err)));
        for (Value *each = first; each < top; each++)
            value_release(*each);
        top = first;
        SAVE();
        ENTER(made, 1);
    }
    TRY(value_call(s, function, args, n, 0, NULL, &result, err));
    FINISH(first, 1);
}
do_CALL_METHOD_KW: {
    Tuple *names = (Tuple *)frame->code->constant[WORD].object;
    int n = (int)ARG - (int)names->n;
    Value *first = top - (int)ARG - 2, *args = first + 2, function = first[0];
    if (value_is_unset(function))
        function = first[1];
    else
        args--, n++;
    TRY(value_call(s, function, args, n, (int)names->n, names, &result, err));
    FINISH(first, 2);
}

    /* ---- building ---- */
do_TUPLE: {
    int n = (int)ARG;
    Tuple *tuple = NULL;
    TRY((tuple = tuple_new(s, n, err)));
    memcpy(tuple->item, top - n, (size_t)n * sizeof *top);
    top -= n;
    PUSH(value_object_take(tuple));
    NEXT(1);
}
do_LIST: {
    int n = (int)ARG;
    List *list = NULL;
    TRY((list = list_new(s, n, err)));
    if (n)
        memcpy(list->item, top - n, (size_t)n * sizeof *top);
    list->n = n;
    top -= n;
    PUSH(value_object_take(list));
    NEXT(1);
}
do_SET: {
    int n = (int)ARG;
    Dict *set = NULL;
    TRY((set = set_new(s, TYPE_SET, err)));
    for (int k = 0; k < n; k++)
        if (!set_add(s, set, top[k - n], err)) {
            object_release(&set->head);
            FAIL();
        }
    for (int k = 0; k < n; k++)
        value_release(top[k - n]);
    top -= n;
    PUSH(value_object_take(set));
    NEXT(1);
}
do_DICT: {
    int n = 2 * (int)ARG;
    Dict *dict = NULL;
    TRY((dict = dict_new(s, err)));
    for (int k = 0; k < n; k += 2)
        if (!dict_set(s, dict, top[k - n], top[k - n + 1], err)) {
            object_release(&dict->head);
            FAIL();
        }
    for (int k = 0; k < n; k++)
        value_release(top[k - n]);
    top -= n;
    PUSH(value_object_take(dict));
    NEXT(1);
}
do_STRING: {
    int n = (int)ARG;
    TRY(vm_concat(s, top - n, n, &result, err));
    for (int k = 0; k < n; k++)
        value_release(top[k - n]);
    top -= n;
    PUSH(result);
    NEXT(1);
}
do_FORMAT: {
    bool spec = ARG & 128;
    TRY(vm_format(s, top[spec ? -2 : -1], ARG & 127, spec ? &top[-1] : NULL, &result, err));
    if (spec)
        value_release(*--top);
    a = top[-1];
    top[-1] = result;
    SAVE();
    value_release(a);
    NEXT(1);
}
do_LIST_APPEND:
    TRY(list_append(s, (List *)top[-1 - (int)ARG].object, top[-1], err));
    value_release(*--top);
    NEXT(1);
do_SET_ADD:
    TRY(set_add(s, (Dict *)top[-1 - (int)ARG].object, top[-1], err));
    value_release(*--top);
    NEXT(1);
do_DICT_ADD:
    TRY(dict_set(s, (Dict *)top[-2 - (int)ARG].object, top[-2], top[-1], err));
    value_release(*--top);
    value_release(*--top);
    NEXT(1);
do_LIST_EXTEND: {
    List *items = NULL;
    TRY((items = value_to_list(s, top[-1], err)));
    for (int64_t k = 0; k < items->n; k++)
        if (!list_append(s, (List *)top[-2].object, items->item[k], err)) {
            object_release(&items->head);
            FAIL();
        }
    object_release(&items->head);
    a = *--top;
    SAVE();
    value_release(a);
    NEXT(1);
}
do_SET_UPDATE:
    TRY(set_update(s, (Dict *)top[-2].object, top[-1], err));
    a = *--top;
    SAVE();
    value_release(a);
    NEXT(1);
do_DICT_UPDATE:
    TRY(dict_update(s, (Dict *)top[-2].object, top[-1], false, err));
    a = *--top;
    SAVE();
    value_release(a);
    NEXT(1);
do_DICT_MERGE:
    TRY(vm_merge_keywords(s, (Dict *)top[-2].object, top[-1], err));
    a = *--top;
    SAVE();
    value_release(a);
    NEXT(1);
do_LIST_TO_TUPLE: {
    List *list = (List *)top[-1].object;
    Tuple *tuple = NULL;
    TRY((tuple = tuple_new(s, list->n, err)));
    for (int64_t k = 0; k < list->n; k++)
        tuple->item[k] = value_retain(list->item[k]);
    object_release(&list->head);
    top[-1] = value_object_take(tuple);
    NEXT(1);
}
do_UNPACK: {
    int n = (int)ARG;
    a = top[-1];
    TRY(vm_unpack(s, a, n, 0, false, top - 1, err));
    top += n - 1;
    SAVE();
    value_release(a);
    NEXT(1);
}
do_UNPACK_STAR: {
    int before = (int)(ARG & 0xff), after = (int)(ARG >> 8);
    a = top[-1];
    TRY(vm_unpack(s, a, before, after, true, top - 1, err));
    top += before + after;
    SAVE();
    value_release(a);
    NEXT(1);
}

    /* ---- loops ---- */
do_ITER:
    TRY(value_iter(s, top[-1], &result, err));
    a = top[-1];
    top[-1] = result;
    SAVE();
    value_release(a);
    NEXT(1);
do_FOR: {
    Iterator *it = (Iterator *)top[-1].object;
    if (it->head.type == TYPE_ITERATOR && it->kind == &iterator_range && it->end > 0) {
        top->tag = V_INT | ((uint64_t)(it->at + 5) <= 261 ? 0 : ++s->number_serial << 8);
        top->i = it->at;
        it->at += it->step;
        it->end--;
        top++;
        NEXT(1);
    }
    SAVE();
    IterStatus status = value_next(s, top[-1], &result, err);
    if (status == ITER_VALUE) {
        PUSH(result);
        NEXT(1);
    }
    if (status == ITER_ERROR)
        FAIL();
    a = *--top;
    SAVE();
    value_release(a);
    pc = frame->code->code + ARG;
    NEXT(0);
}

    /* ---- functions and classes ---- */
do_FUNCTION:
    TRY(vm_function(s, frame, (Code *)frame->code->constant[ARG].object, WORD, &top, &result, err));
    PUSH(result);
    NEXT(2);
do_BUILD_CLASS:
    TRY(class_build(s, (Str *)frame->code->constant[ARG].object, (Tuple *)top[-2].object, (Function *)top[-1].object, &result, err));
    b = *--top;
    a = top[-1];
    top[-1] = result;
    SAVE();
    value_release(a);
    value_release(b);
    NEXT(2);
do_RETURN: {
    result = *--top;
    SAVE();
    bool entry = frame->entry;
    int waiting = frame->waiting;
    if (!value_is_unset(frame->instance)) {             /* of __init__: the call gives the instance */
        if (!value_is_none(result)) {
            PUSH(result);
            TRY(err_set(err, ERR_TYPE, "__init__() should return None, not '%s'", value_type_name(result)));
        }
        result = frame->instance;
        frame->instance = value_unset();
        frame = leave(s, frame);
        pc = frame->pc;
        top = frame->top;
        Value *first = top - waiting;
        FINISH(first, 1);
    }
    if (frame->generator) {
        *out = result;
        return RUN_RETURNED;
    }
    frame = leave(s, frame);
    if (entry) {
        *out = result;
        return RUN_RETURNED;
    }
    pc = frame->pc;
    top = frame->top;
    PUSH(result);
    NEXT(1);
}
do_YIELD:
    *out = *--top;
    frame->pc = pc + 1;
    frame->top = top;
    return RUN_YIELDED;
do_YIELD_FROM: {
    a = *--top;                                         /* what was sent in: None where `send` is not used */
    SAVE();
    IterStatus status = value_is_none(a) || !value_is(top[-1], TYPE_GENERATOR) ? value_next(s, top[-1], &result, err)
                                                                               : generator_send(s, top[-1], a, &result, err);
    value_release(a);
    if (status == ITER_VALUE) {
        *out = result;
        frame->pc = pc;                                 /* asks again when it is resumed */
        frame->top = top;
        return RUN_YIELDED;
    }
    if (status == ITER_ERROR)
        FAIL();
    a = top[-1];
    top[-1] = value_is(a, TYPE_GENERATOR) ? value_retain(((GeneratorFrame *)a.object)->result) : value_none();
    if (value_is_unset(top[-1]))
        top[-1] = value_none();
    SAVE();
    value_release(a);
    NEXT(1);
}

    /* ---- errors ---- */
do_RAISE: {
    int n = (int)ARG;
    SAVE();
    vm_raise(s, n, top - n, err);
    FAIL();
}
do_ENTER_HANDLER: {
    Exception *exception = (Exception *)top[-1].object;
    a = s->handled ? value_object_take(s->handled) : value_none();
    s->handled = exception;
    exception->head.count++;
    top[-1] = a;
    PUSH(value_object_take(exception));
    NEXT(1);
}
do_LEAVE_HANDLER: {
    Exception *old = s->handled;
    a = *--top;
    s->handled = value_is_none(a) ? NULL : (Exception *)a.object;
    SAVE();
    if (old)
        object_release(&old->head);
    NEXT(1);
}
do_EXCEPTION_MATCH:
    TRY(vm_exception_match(s, top[-2], top[-1], &truth, err));
    a = top[-1];
    top[-1] = value_bool(truth);
    SAVE();
    value_release(a);
    NEXT(1);
do_RERAISE:
    a = *--top;
    SAVE();
    session_raise(s, (Exception *)a.object, err);
    value_release(a);
    FAIL();
do_ASSERTION: {
    bool message = ARG & 1;
    Class *cls = class_of_error(s, ERR_ASSERTION);
    a = message ? top[-1] : value_unset();
    if (cls && exception_make(s, cls, &a, message, 0, NULL, &result, err)) {
        SAVE();
        session_raise(s, (Exception *)result.object, err);
        value_release(result);
    } else
        SAVE();
    FAIL();
}
do_WITH:
    TRY(vm_with(s, top[-1], &a, &b, err));
    result = top[-1];
    top[-1] = a;
    PUSH(b);
    SAVE();
    value_release(result);
    NEXT(1);
do_WITH_END: {
    Value none[3] = { value_none(), value_none(), value_none() };
    TRY(value_call(s, top[-1], none, 3, 0, NULL, &result, err));
    a = *--top;
    SAVE();
    value_release(result);
    value_release(a);
    NEXT(1);
}
do_WITH_ERROR: {
    Value given[3] = { value_object_take(((Exception *)top[-1].object)->cls), top[-1], value_none() };
    if (((Exception *)top[-1].object)->trace)
        given[2] = value_object_take(((Exception *)top[-1].object)->trace);
    TRY(value_call(s, top[-3], given, 3, 0, NULL, &result, err));
    SAVE();
    bool ok = value_truth(s, result, &truth, err);
    value_release(result);
    if (!ok)
        FAIL();
    PUSH(value_bool(truth));
    NEXT(1);
}

    /* ---- imports ---- */
do_IMPORT:
    TRY(vm_import(s, frame, frame->code->name_[ARG], false, &result, err));
    PUSH(result);
    NEXT(1);
do_IMPORT_LEAF:
    TRY(vm_import(s, frame, frame->code->name_[ARG], true, &result, err));
    PUSH(result);
    NEXT(1);
do_IMPORT_FROM:
    TRY(vm_import_from(s, top[-1], frame->code->name_[ARG], &result, err));
    PUSH(result);
    NEXT(1);
do_IMPORT_STAR:
    TRY(vm_import_star(s, top[-1], err));
    value_release(*--top);
    NEXT(1);

    /* ---- statements of a module ---- */
do_STATEMENT: SAVE(); run_statement(s, frame, ARG); NEXT(1);
do_STATEMENT_END: SAVE(); run_statement_end(s, frame); NEXT(1);
do_RESULT: {
    a = *--top;
    TRY(run_result(s, frame, a, ARG, err));
    NEXT(1);
}
do_COMMAND: TRY(run_command(s, frame->code->constant[ARG], err)); NEXT(1);

failed:
    for (;;) {
        bool entry = frame->entry;
        if (handle(s, frame, err)) {
            pc = frame->pc;
            top = frame->top;
            NEXT(0);
        }
        if (frame->generator)
            return RUN_FAILED;
        frame = leave(s, frame);
        if (entry)
            return RUN_FAILED;
    }
}
