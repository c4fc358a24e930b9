/*
 * itertools_choose.c - products, permutations and combinations.
 */
#include "lang/modules/modules.h"
#include "lang/types/iterator.h"

Tuple *value_to_tuple(Session *s, Value iterable, Err *err)
{
    List *list = value_to_list(s, iterable, err);
    Tuple *tuple = list ? tuple_new(s, list->n, err) : NULL;
    if (tuple) {
        for (int64_t i = 0; i < list->n; i++)
            tuple->item[i] = list->item[i];
        list->n = 0;
    }
    if (list)
        object_release(&list->head);
    return tuple;
}

/* ---- products and choices ------------------------------------------------------------------------------- */
/*
 * over: a tuple of pools (one tuple each); with: the present indices, a list of ints; step: how the indices move on;
 * at: 0 before the first.
 */
enum { PRODUCT, PERMUTATIONS, COMBINATIONS, REPLACED };

static int64_t pool_size(const Iterator *it, int64_t k)
{
    const Tuple *pools = (Tuple *)it->over.object;
    return ((Tuple *)pools->item[it->step == PRODUCT ? k : 0].object)->n;
}

static bool used_before(const Value *index, int64_t k, int64_t i)
{
    for (int64_t j = 0; j < k; j++)
        if (index[j].i == i)
            return true;
    return false;
}

/* The next indices in their order; false: there are none. */
static bool advance(Iterator *it)
{
    List *list = (List *)it->with.object;
    Value *index = list->item;
    int64_t n = list->n;
    for (int64_t k = n - 1; k >= 0; k--) {
        int64_t size = pool_size(it, k), most = it->step == COMBINATIONS ? size - n + k : size - 1, i = index[k].i;
        do
            i++;
        while (it->step == PERMUTATIONS && i <= most && used_before(index, k, i));
        if (i > most)
            continue;
        index[k] = (Value){ V_INT, { .i = i } };
        for (int64_t j = k + 1; j < n; j++) {
            int64_t next = it->step == COMBINATIONS ? index[j - 1].i + 1 : it->step == REPLACED ? i : 0;
            while (it->step == PERMUTATIONS && used_before(index, j, next))
                next++;
            index[j] = (Value){ V_INT, { .i = next } };
        }
        return true;
    }
    return false;
}

static IterStatus next_choice(Session *s, Iterator *it, Value *out, Err *err)
{
    if (value_is_unset(it->over))
        return ITER_END;
    if (it->at && !advance(it))
        return iterator_end(it);
    it->at = 1;
    const Tuple *pools = (Tuple *)it->over.object;
    const List *index = (List *)it->with.object;
    Tuple *made = tuple_new(s, index->n, err);
    if (!made)
        return ITER_ERROR;
    for (int64_t k = 0; k < index->n; k++)
        made->item[k] = value_retain(((Tuple *)pools->item[it->step == PRODUCT ? k : 0].object)->item[index->item[k].i]);
    *out = value_object_take(made);
    return ITER_VALUE;
}

static const IteratorKind kind_choice[] = { { "product", next_choice, NULL }, { "permutations", next_choice, NULL },
    { "combinations", next_choice, NULL }, { "combinations_with_replacement", next_choice, NULL } };

static bool choices(Session *s, int how, Tuple *pools, int64_t n, Value *out, Err *err)
{
    List *index = list_new(s, n, err);
    Iterator *it = NULL;
    bool ok = index, none = false;
    for (int64_t k = 0; ok && k < n; k++)
        ok = list_append(s, index, (Value){ V_INT, { .i = how == PERMUTATIONS || how == COMBINATIONS ? k : 0 } }, err);
    if (ok && (it = iterator_new(s, &kind_choice[how], (Value){ V_OBJECT, { .object = &pools->head } },
                                 (Value){ V_OBJECT, { .object = &index->head } }, err))) {
        it->step = how;
        for (int64_t k = 0; k < n; k++)
            none = none || !pool_size(it, k) || (how != PRODUCT && how != REPLACED && n > pool_size(it, k));
        if (none)
            iterator_end(it);
    }
    if (index)
        object_release(&index->head);
    if (it)
        *out = value_object_take(it);
    return it;
}

NATIVE(itertools_product)
{
    const Tuple *all = (Tuple *)arg[0].object;
    int64_t repeat;
    (void)self;
    if (!value_index(s, arg[1], "repeat", &repeat, err))
        return false;
    if (repeat < 0 || repeat > 1000)
        return err_set(err, ERR_VALUE, "repeat must be from 0 to 1000");
    Tuple *pools = tuple_new(s, all->n * repeat, err);
    bool ok = pools;
    for (int64_t i = 0; ok && i < all->n * repeat; i++) {
        Tuple *pool = i < all->n ? value_to_tuple(s, all->item[i], err) : (Tuple *)value_retain(pools->item[i - all->n]).object;
        ok = pool;
        pools->item[i] = pool ? value_object_take(pool) : value_unset();
    }
    ok = ok && choices(s, PRODUCT, pools, pools->n, out, err);
    if (pools)
        object_release(&pools->head);
    return ok;
}

NATIVE(itertools_choose)
{
    int64_t r;
    (void)self;
    Tuple *pool = value_to_tuple(s, arg[0], err), *pools = pool ? tuple_new(s, 1, err) : NULL;
    bool ok = pools;
    if (pools)
        pools->item[0] = value_object_take(pool);
    else if (pool)
        object_release(&pool->head);
    if (ok) {
        r = pool->n;
        ok = (value_is_unset(arg[1]) || value_is_none(arg[1]) || value_index(s, arg[1], "r", &r, err))
          && (r >= 0 || err_set(err, ERR_VALUE, "r must be non-negative")) && choices(s, (int)arg[-1].i, pools, r, out, err);
        object_release(&pools->head);
    }
    return ok;
}

const NativeRow itertools_choices[] = {
    { "combinations", itertools_choose, "iterable, r", COMBINATIONS, "All choices of r elements, in order." },
    { "combinations_with_replacement", itertools_choose, "iterable, r", REPLACED, "All choices of r elements, each any number of times." },
    { "permutations", itertools_choose, "iterable, r = None", PERMUTATIONS, "All orders of r elements." },
    { "product", itertools_product, "*iterables, repeat = 1", 0, "All tuples of one element of each." },
    { 0 }
};
