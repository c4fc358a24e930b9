/*
 * itertools.c - the module itertools: iterators built of iterators.
 */
#include "lang/modules/modules.h"
#include "lang/types/iterator.h"
#include "lang/types/native.h"

static bool give(Iterator *it, Value *out)
{
    if (it)
        *out = value_object_take(it);
    return it;
}

/* ---- count, repeat, cycle ------------------------------------------------------------------------------- */
static IterStatus next_count(Session *s, Iterator *it, Value *out, Err *err)
{
    Value next;
    if (!value_binary(s, BIN_ADD, it->over, it->with, &next, err))
        return ITER_ERROR;
    *out = it->over;
    it->over = next;
    return ITER_VALUE;
}

/* end: how many are left, or -1. */
static IterStatus next_repeat(Session *s, Iterator *it, Value *out, Err *err)
{
    (void)s, (void)err;
    if (!it->end)
        return ITER_END;
    it->end -= it->end > 0;
    *out = value_retain(it->over);
    return ITER_VALUE;
}

/* over: an iterator, until it ends; with: a list of what it gave. */
static IterStatus next_cycle(Session *s, Iterator *it, Value *out, Err *err)
{
    List *seen = (List *)it->with.object;
    if (!value_is_unset(it->over)) {
        IterStatus status = value_next(s, it->over, out, err);
        if (status == ITER_VALUE && !list_append(s, seen, *out, err)) {
            value_release(*out);
            return ITER_ERROR;
        }
        if (status != ITER_END)
            return status;
        value_replace(&it->over, value_unset());
    }
    if (!seen->n)
        return ITER_END;
    *out = value_retain(seen->item[it->at]);
    it->at = (it->at + 1) % seen->n;
    return ITER_VALUE;
}

static const IteratorKind kind_count = { "count", next_count, NULL }, kind_repeat = { "repeat", next_repeat, NULL },
    kind_cycle = { "cycle", next_cycle, NULL };

NATIVE(itertools_count)
{
    (void)self;
    return give(iterator_new(s, &kind_count, arg[0], arg[1], err), out);
}

NATIVE(itertools_repeat)
{
    int64_t times = -1;
    (void)self;
    if (!value_is_unset(arg[1]) && !value_index(s, arg[1], "times", &times, err))
        return false;
    Iterator *it = iterator_new(s, &kind_repeat, arg[0], value_unset(), err);
    if (it)
        it->end = value_is_unset(arg[1]) ? -1 : times < 0 ? 0 : times;
    return give(it, out);
}

NATIVE(itertools_cycle)
{
    Value inner;
    (void)self;
    if (!value_iter(s, arg[0], &inner, err))
        return false;
    List *seen = list_new(s, 0, err);
    Iterator *it = seen ? iterator_new(s, &kind_cycle, inner, (Value){ V_OBJECT, { .object = &seen->head } }, err) : NULL;
    if (seen)
        object_release(&seen->head);
    value_release(inner);
    return give(it, out);
}

/* ---- chain ---------------------------------------------------------------------------------------------- */
/* over: an iterator of iterables; with: the iterator of the present one. */
static IterStatus next_chain(Session *s, Iterator *it, Value *out, Err *err)
{
    for (;;) {
        Value iterable, inner;
        if (value_is_unset(it->over))
            return ITER_END;
        if (!value_is_unset(it->with)) {
            IterStatus status = value_next(s, it->with, out, err);
            if (status != ITER_END)
                return status;
            value_replace(&it->with, value_unset());
        }
        IterStatus status = value_next(s, it->over, &iterable, err);
        if (status != ITER_VALUE)
            return status == ITER_END ? iterator_end(it) : status;
        bool ok = value_iter(s, iterable, &inner, err);
        value_release(iterable);
        if (!ok)
            return ITER_ERROR;
        value_replace(&it->with, inner);
    }
}

static const IteratorKind kind_chain = { "chain", next_chain, NULL };

static bool chain_of(Session *s, Value iterables, Value *out, Err *err)
{
    Value outer;
    if (!value_iter(s, iterables, &outer, err))
        return false;
    Iterator *it = iterator_new(s, &kind_chain, outer, value_unset(), err);
    value_release(outer);
    return give(it, out);
}

NATIVE(chain_from_iterable)
{
    (void)self;
    return chain_of(s, arg[0], out, err);
}

static bool chain_call(Session *s, Value self, Value *args, int n, int nkw, Tuple *names, Value *out, Err *err)
{
    (void)self, (void)names;
    if (nkw)
        return err_set(err, ERR_TYPE, "chain() takes no keyword arguments");
    Tuple *all = tuple_new(s, n, err);
    if (!all)
        return false;
    for (int k = 0; k < n; k++)
        all->item[k] = value_retain(args[k]);
    bool ok = chain_of(s, (Value){ V_OBJECT, { .object = &all->head } }, out, err);
    object_release(&all->head);
    return ok;
}

static bool chain_repr(Session *s, Value self, Text *text, Err *err)
{
    (void)s, (void)self, (void)err;
    text_put(text, "<class 'itertools.chain'>");
    return true;
}

static const NativeRow chain_methods[] = {
    { "from_iterable", chain_from_iterable, "iterable, /", 0, "The elements of the iterables that an iterable gives." },
    { 0 }
};
static const Type type_chain = { .name = "type", .repr = chain_repr, .call = chain_call, .methods = chain_methods };

/* ---- slices and conditions ------------------------------------------------------------------------------ */
/* at: the next place; end: one past the last (-1: none); step; `left` counts in `at` what was taken from over already. */
static IterStatus next_islice(Session *s, Iterator *it, Value *out, Err *err)
{
    int64_t *taken = &it->with.i;
    while (!value_is_unset(it->over)) {
        if (it->end >= 0 && it->at >= it->end)
            break;
        IterStatus status = value_next(s, it->over, out, err);
        if (status != ITER_VALUE)
            return status == ITER_END ? iterator_end(it) : status;
        if ((*taken)++ == it->at) {
            it->at += it->step;
            return ITER_VALUE;
        }
        value_release(*out);
    }
    return iterator_end(it);
}

/* takewhile, dropwhile, filterfalse; step: which; with: the function. */
enum { TAKE_WHILE, DROP_WHILE, FILTER_FALSE };

static IterStatus next_while(Session *s, Iterator *it, Value *out, Err *err)
{
    for (;;) {
        Value answer;
        bool truth;
        if (value_is_unset(it->over))
            return ITER_END;
        IterStatus status = value_next(s, it->over, out, err);
        if (status != ITER_VALUE)
            return status == ITER_END ? iterator_end(it) : status;
        if (it->step == DROP_WHILE && it->at)
            return ITER_VALUE;
        Value function = value_retain(it->with);
        bool ok = value_is_none(function) || value_call(s, function, out, 1, 0, NULL, &answer, err);
        if (ok && value_is_none(function))
            answer = value_retain(*out);
        value_release(function);
        if (ok) {
            ok = value_truth(s, answer, &truth, err);
            value_release(answer);
        }
        if (ok && truth == (it->step == TAKE_WHILE)) {
            it->at = 1;
            return ITER_VALUE;
        }
        value_release(*out);
        if (!ok)
            return ITER_ERROR;
        if (it->step == TAKE_WHILE)
            return iterator_end(it);
    }
}

static const IteratorKind kind_islice = { "islice", next_islice, NULL },
    kind_while[] = { { "takewhile", next_while, NULL }, { "dropwhile", next_while, NULL }, { "filterfalse", next_while, NULL } };

NATIVE(itertools_islice)
{
    Value inner;
    int64_t start = 0, stop = -1, step = 1;
    bool one = value_is_unset(arg[2]);
    Value first = one ? value_none() : arg[1], last = one ? arg[1] : arg[2];
    (void)self;
    if ((!value_is_none(first) && !value_index(s, first, "start", &start, err)) || (!value_is_none(last) && !value_index(s, last, "stop", &stop, err))
        || (!value_is_none(arg[3]) && !value_index(s, arg[3], "step", &step, err)))
        return false;
    if (start < 0 || step < 1 || (!value_is_none(last) && stop < 0))
        return err_set(err, ERR_VALUE, "islice() takes None or numbers that are not negative");
    if (!value_iter(s, arg[0], &inner, err))
        return false;
    Iterator *it = iterator_new(s, &kind_islice, inner, (Value){ V_INT, { .i = 0 } }, err);
    value_release(inner);
    if (it) {
        it->at = start;
        it->end = stop;
        it->step = step;
    }
    return give(it, out);
}

NATIVE(itertools_while)
{
    Value inner;
    (void)self;
    if (!value_iter(s, arg[1], &inner, err))
        return false;
    Iterator *it = iterator_new(s, &kind_while[arg[-1].i], inner, arg[0], err);
    value_release(inner);
    if (it)
        it->step = arg[-1].i;
    return give(it, out);
}

/* ---- running totals, pairs ------------------------------------------------------------------------------ */
/* over: the iterator; with: a pair of the function (or None) and the last total (unset at first). */
static IterStatus next_accumulate(Session *s, Iterator *it, Value *out, Err *err)
{
    Value item, pair[2], next;
    if (value_is_unset(it->over))
        return ITER_END;
    Tuple *state = (Tuple *)it->with.object;
    if (it->step) {                     /* the initial value comes first */
        it->step = 0;
        *out = value_retain(state->item[1]);
        return ITER_VALUE;
    }
    IterStatus status = value_next(s, it->over, &item, err);
    if (status != ITER_VALUE)
        return status == ITER_END ? iterator_end(it) : status;
    if (value_is_unset(state->item[1])) {
        state->item[1] = item;
        *out = value_retain(item);
        return ITER_VALUE;
    }
    pair[0] = state->item[1];
    pair[1] = item;
    state->head.count++;
    bool ok = value_is_none(state->item[0]) ? value_binary(s, BIN_ADD, pair[0], pair[1], &next, err)
                                            : value_call(s, state->item[0], pair, 2, 0, NULL, &next, err);
    value_release(item);
    if (ok) {
        value_replace(&state->item[1], next);
        *out = value_retain(next);
    }
    object_release(&state->head);
    return ok ? ITER_VALUE : ITER_ERROR;
}

/* with: the item before. */
static IterStatus next_pairwise(Session *s, Iterator *it, Value *out, Err *err)
{
    Value item;
    if (value_is_unset(it->over))
        return ITER_END;
    if (value_is_unset(it->with)) {
        IterStatus status = value_next(s, it->over, &it->with, err);
        if (status != ITER_VALUE) {
            it->with = value_unset();
            return status == ITER_END ? iterator_end(it) : status;
        }
    }
    IterStatus status = value_next(s, it->over, &item, err);
    if (status != ITER_VALUE)
        return status == ITER_END ? iterator_end(it) : status;
    Tuple *pair = tuple_new(s, 2, err);
    if (!pair) {
        value_release(item);
        return ITER_ERROR;
    }
    pair->item[0] = it->with;
    pair->item[1] = value_retain(item);
    it->with = item;
    *out = value_object_take(pair);
    return ITER_VALUE;
}

/* starmap: over the tuples, with the function. */
static IterStatus next_starmap(Session *s, Iterator *it, Value *out, Err *err)
{
    Value item;
    if (value_is_unset(it->over))
        return ITER_END;
    IterStatus status = value_next(s, it->over, &item, err);
    if (status != ITER_VALUE)
        return status == ITER_END ? iterator_end(it) : status;
    Tuple *args = value_to_tuple(s, item, err);
    value_release(item);
    if (!args)
        return ITER_ERROR;
    Value function = value_retain(it->with);
    bool ok = value_call(s, function, args->item, (int)args->n, 0, NULL, out, err);
    value_release(function);
    object_release(&args->head);
    return ok ? ITER_VALUE : ITER_ERROR;
}

static const IteratorKind kind_accumulate = { "accumulate", next_accumulate, NULL }, kind_pairwise = { "pairwise", next_pairwise, NULL },
    kind_starmap = { "starmap", next_starmap, NULL };

NATIVE(itertools_accumulate)
{
    Value inner;
    (void)self;
    if (!value_iter(s, arg[0], &inner, err))
        return false;
    Tuple *state = tuple_new(s, 2, err);
    Iterator *it = NULL;
    if (state) {
        state->item[0] = value_retain(arg[1]);
        state->item[1] = value_is_none(arg[2]) ? value_unset() : value_retain(arg[2]);
        it = iterator_new(s, &kind_accumulate, inner, (Value){ V_OBJECT, { .object = &state->head } }, err);
        object_release(&state->head);
    }
    value_release(inner);
    if (it)
        it->step = !value_is_none(arg[2]);
    return give(it, out);
}

NATIVE(itertools_pairwise)
{
    Value inner;
    (void)self;
    if (!value_iter(s, arg[0], &inner, err))
        return false;
    Iterator *it = iterator_new(s, &kind_pairwise, inner, value_unset(), err);
    value_release(inner);
    return give(it, out);
}

NATIVE(itertools_starmap)
{
    Value inner;
    (void)self;
    if (!value_iter(s, arg[1], &inner, err))
        return false;
    Iterator *it = iterator_new(s, &kind_starmap, inner, arg[0], err);
    value_release(inner);
    return give(it, out);
}

/* zip_longest: over a tuple of iterators (None: ended), with the value for what is missing. */
static IterStatus next_longest(Session *s, Iterator *it, Value *out, Err *err)
{
    Tuple *from = (Tuple *)it->over.object;
    bool any = false, ok = true;
    if (value_is_unset(it->over))
        return ITER_END;
    Tuple *made = tuple_new(s, from->n, err);
    if (!made)
        return ITER_ERROR;
    from->head.count++;
    for (int64_t k = 0; ok && k < from->n; k++) {
        IterStatus status = value_is_none(from->item[k]) ? ITER_END : value_next(s, from->item[k], &made->item[k], err);
        ok = status != ITER_ERROR;
        any = any || status == ITER_VALUE;
        if (status != ITER_VALUE)
            made->item[k] = value_retain(it->with);
        if (status == ITER_END)
            value_replace(&from->item[k], value_none());
    }
    object_release(&from->head);
    if (ok && any) {
        *out = value_object_take(made);
        return ITER_VALUE;
    }
    object_release(&made->head);
    return ok ? iterator_end(it) : ITER_ERROR;
}

static const IteratorKind kind_longest = { "zip_longest", next_longest, NULL };

NATIVE(itertools_longest)
{
    const Tuple *all = (Tuple *)arg[0].object;
    Tuple *inner = tuple_new(s, all->n, err);
    bool ok = inner;
    (void)self;
    for (int64_t i = 0; ok && i < all->n; i++)
        if (!(ok = value_iter(s, all->item[i], &inner->item[i], err)))
            inner->item[i] = value_unset();
    Iterator *it = ok ? iterator_new(s, &kind_longest, (Value){ V_OBJECT, { .object = &inner->head } }, arg[1], err) : NULL;
    if (inner)
        object_release(&inner->head);
    return give(it, out);
}

/* ---- groups --------------------------------------------------------------------------------------------- */
/* groupby gives lists of groups at once: pairs of a key and an iterator over its run. with: (key function, waiting key, waiting item). */
static IterStatus next_group(Session *s, Iterator *it, Value *out, Err *err)
{
    Tuple *state = (Tuple *)it->with.object;
    if (value_is_unset(it->over))
        return ITER_END;
    List *group = list_new(s, 0, err);
    if (!group)
        return ITER_ERROR;
    Value key = state->item[1], item = state->item[2], next_key;
    IterStatus status = ITER_VALUE;
    bool ok = true;
    state->item[1] = state->item[2] = value_unset();
    state->head.count++;
    if (!value_is_unset(item)) {
        ok = list_append(s, group, item, err);
        value_release(item);
    }
    while (ok && (status = value_next(s, it->over, &item, err)) == ITER_VALUE) {
        bool same = true;
        if (value_is_none(state->item[0]))
            next_key = value_retain(item);
        else if (!(ok = value_call(s, state->item[0], &item, 1, 0, NULL, &next_key, err))) {
            value_release(item);
            break;
        }
        if (value_is_unset(key))
            key = value_retain(next_key);
        else
            ok = value_equal(s, key, next_key, &same, err);
        if (ok && !same) {
            state->item[1] = next_key;
            state->item[2] = item;
            break;
        }
        ok = ok && list_append(s, group, item, err);
        value_release(next_key);
        value_release(item);
    }
    object_release(&state->head);
    Tuple *pair = NULL;
    Value inner = value_unset();
    ok = ok && status != ITER_ERROR;
    if (ok && group->n)
        ok = iterator_over(s, (Value){ V_OBJECT, { .object = &group->head } }, &inner, err) && (pair = tuple_new(s, 2, err));
    bool any = group->n;
    object_release(&group->head);
    if (ok && pair) {
        pair->item[0] = key;
        pair->item[1] = inner;
        *out = value_object_take(pair);
        return ITER_VALUE;
    }
    value_release(key);
    value_release(inner);
    return ok && !any ? iterator_end(it) : ITER_ERROR;
}

static const IteratorKind kind_group = { "groupby", next_group, NULL };

NATIVE(itertools_groupby)
{
    Value inner;
    (void)self;
    if (!value_iter(s, arg[0], &inner, err))
        return false;
    Tuple *state = tuple_new(s, 3, err);
    Iterator *it = NULL;
    if (state) {
        state->item[0] = value_retain(arg[1]);
        it = iterator_new(s, &kind_group, inner, (Value){ V_OBJECT, { .object = &state->head } }, err);
        object_release(&state->head);
    }
    value_release(inner);
    return give(it, out);
}

static const NativeRow rows[] = {
    { "accumulate", itertools_accumulate, "iterable, func = None, *, initial = None", 0, "Running sums, or what a function makes of pairs." },
    { "count", itertools_count, "start = 0, step = 1", 0, "Numbers without end." },
    { "cycle", itertools_cycle, "iterable, /", 0, "The elements again and again." },
    { "dropwhile", itertools_while, "predicate, iterable, /", DROP_WHILE, "The elements from the first for which it is false." },
    { "filterfalse", itertools_while, "function, iterable, /", FILTER_FALSE, "The elements for which it is false." },
    { "groupby", itertools_groupby, "iterable, key = None", 0, "Pairs of a key and the run of elements that have it." },
    { "islice", itertools_islice, "iterable, start, stop = ..., step = None, /", 0, "Some of the elements, by their numbers." },
    { "pairwise", itertools_pairwise, "iterable, /", 0, "Each element with the next." },
    { "repeat", itertools_repeat, "object, times = ...", 0, "One object again and again." },
    { "starmap", itertools_starmap, "function, iterable, /", 0, "What the function answers for tuples of arguments." },
    { "takewhile", itertools_while, "predicate, iterable, /", TAKE_WHILE, "The elements up to the first for which it is false." },
    { "zip_longest", itertools_longest, "*iterables, fillvalue = None", 0, "Tuples of one element of each, until the longest ends." },
    { 0 }
};

Module *module_itertools(Session *s, Err *err)
{
    Module *m = module_new(s, "itertools", rows, err);
    NativeObject *chain = m ? native_new(s, &type_chain, value_unset(), value_unset(), value_unset(), err) : NULL;
    bool ok = chain && module_set(s, m, "chain", value_object_take(chain), err);
    for (const NativeRow *row = itertools_choices; ok && row->name; row++) {
        Builtin *function = builtin_new(s, row, value_unset(), err);
        ok = function && module_set(s, m, row->name, value_object_take(function), err);
    }
    if (ok)
        return m;
    if (m)
        object_release(&m->head);
    return NULL;
}
