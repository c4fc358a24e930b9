/*
 * random.c - the module random: the Mersenne Twister and the rules by which Python makes numbers of its bits, so that a seed
 * brings the same numbers as in Python.
 */
#include "lang/modules/modules.h"
#include "lang/types/rows.h"
#include <math.h>
#include <sys/random.h>

enum { N = 624, M = 397 };
typedef struct Stream_ { uint32_t word[N]; int at; bool has_gauss; double gauss; } Twister;

/* ---- the generator -------------------------------------------------------------------------------------- */
static void seed_number(Twister *t, uint32_t seed)
{
    t->word[0] = seed;
    for (uint32_t i = 1; i < N; i++)
        t->word[i] = 1812433253u * (t->word[i - 1] ^ (t->word[i - 1] >> 30)) + i;
    t->at = N;
}

static void seed_words(Twister *t, const uint32_t *key, size_t n)
{
    size_t i = 1, j = 0;
    uint32_t *w = t->word;
    seed_number(t, 19650218u);
    for (size_t k = n > N ? n : N; k; k--) {
        w[i] = (w[i] ^ ((w[i - 1] ^ (w[i - 1] >> 30)) * 1664525u)) + key[j] + (uint32_t)j;
        if (++i == N)
            w[0] = w[N - 1], i = 1;
        j = j + 1 == n ? 0 : j + 1;
    }
    for (int k = N - 1; k; k--) {
        w[i] = (w[i] ^ ((w[i - 1] ^ (w[i - 1] >> 30)) * 1566083941u)) - (uint32_t)i;
        if (++i == N)
            w[0] = w[N - 1], i = 1;
    }
    w[0] = 0x80000000u;
    t->has_gauss = false;
}

static uint32_t next_word(Twister *t)
{
    uint32_t *w = t->word, y;
    if (t->at >= N) {
        for (int k = 0; k < N; k++) {
            y = (w[k] & 0x80000000u) | (w[(k + 1) % N] & 0x7fffffffu);
            w[k] = w[(k + M) % N] ^ (y >> 1) ^ (y & 1 ? 0x9908b0dfu : 0);
        }
        t->at = 0;
    }
    y = w[t->at++];
    y ^= y >> 11;
    y ^= (y << 7) & 0x9d2c5680u;
    y ^= (y << 15) & 0xefc60000u;
    return y ^ (y >> 18);
}

static double next_double(Twister *t)
{
    uint32_t a = next_word(t) >> 5, b = next_word(t) >> 6;
    return (a * 67108864.0 + b) * (1.0 / 9007199254740992.0);
}

static uint64_t next_bits(Twister *t, int bits)
{
    if (bits <= 0)
        return 0;
    if (bits <= 32)
        return next_word(t) >> (32 - bits);
    uint64_t low = next_word(t);
    return low | (uint64_t)(next_word(t) >> (64 - bits)) << 32;
}

/* An int from 0 up to n, which is left out. */
static uint64_t below(Twister *t, uint64_t n)
{
    int bits = n ? 64 - __builtin_clzll(n) : 0;
    uint64_t r = next_bits(t, bits);
    while (r >= n)
        r = next_bits(t, bits);
    return r;
}

static void seed_fresh(Twister *t)
{
    uint32_t key[N];
    if (getrandom(key, sizeof key, 0) != (ssize_t)sizeof key)
        memset(key, 0x5a, sizeof key);
    seed_words(t, key, N);
}

static Twister *twister(Session *s, Err *err)
{
    Twister *t = s->random_module;
    if (!t) {
        if (!(t = s->random_module = mem_new(s->heap, sizeof *t)))
            return err_memory(err, sizeof *t), NULL;
        seed_fresh(t);
    }
    return t;
}

#define TWISTER Twister *t = twister(s, err); (void)self; if (!t) return false

/* ---- seeds ---------------------------------------------------------------------------------------------- */
NATIVE(random_seed)
{
    TWISTER;
    Value v = arg[0], word;
    uint32_t key[N];
    size_t n = 0;
    *out = value_none();
    if (value_is_none(v))
        return seed_fresh(t), true;
    if (value_tag(v) == V_FLOAT) {
        uint64_t hash;
        if (!value_hash(s, v, &hash, err))
            return false;
        v = int_new(s, (int64_t)hash);
    }
    if (!value_is_int(v))
        return err_set(err, ERR_TYPE, "a seed must be an int, a float or None here, not %s", value_type_name(v));
    if (value_tag(v) != V_OBJECT) {
        uint64_t u = v.i < 0 ? -(uint64_t)v.i : (uint64_t)v.i;
        key[n++] = (uint32_t)u;
        if (u >> 32)
            key[n++] = (uint32_t)(u >> 32);
        return seed_words(t, key, n), true;
    }
    Value left;
    if (big_sign(v) < 0 ? !value_unary(s, UN_NEG, v, &left, err) : (left = value_retain(v), false))
        return false;
    bool ok = true;
    while (ok && big_sign(left) && n < N) {
        Value next;
        ok = value_binary(s, BIN_AND, left, int_new(s, UINT32_MAX), &word, err) && value_binary(s, BIN_RSHIFT, left, int_new(s, 32), &next, err);
        if (ok) {
            key[n++] = (uint32_t)word.i;
            value_replace(&left, next);
        }
    }
    value_release(left);
    if (ok)
        seed_words(t, key, n);
    return ok;
}

NATIVE(random_getstate)
{
    TWISTER;
    (void)arg;
    Tuple *words = tuple_new(s, N + 1, err), *state = words ? tuple_new(s, 3, err) : NULL;
    if (!state) {
        if (words)
            object_release(&words->head);
        return false;
    }
    for (int i = 0; i < N; i++)
        words->item[i] = int_new(s, t->word[i]);
    words->item[N] = int_new(s, t->at);
    state->item[0] = int_new(s, 3);
    state->item[1] = value_object_take(words);
    state->item[2] = t->has_gauss ? float_new(s, t->gauss) : value_none();
    *out = value_object_take(state);
    return true;
}

NATIVE(random_setstate)
{
    TWISTER;
    const Tuple *state = (Tuple *)arg[0].object;
    if (!value_is(arg[0], TYPE_TUPLE) || state->n != 3 || !value_is(state->item[1], TYPE_TUPLE) || ((Tuple *)state->item[1].object)->n != N + 1)
        return err_set(err, ERR_VALUE, "state vector is the wrong size");
    const Tuple *words = (Tuple *)state->item[1].object;
    for (int i = 0; i <= N; i++)
        if (value_tag(words->item[i]) != V_INT)
            return err_set(err, ERR_VALUE, "a state holds ints only");
    for (int i = 0; i < N; i++)
        t->word[i] = (uint32_t)words->item[i].i;
    t->at = words->item[N].i < 0 || words->item[N].i > N ? N : (int)words->item[N].i;
    t->has_gauss = value_tag(state->item[2]) == V_FLOAT;
    t->gauss = t->has_gauss ? state->item[2].f : 0;
    *out = value_none();
    return true;
}

/* ---- numbers -------------------------------------------------------------------------------------------- */
NATIVE(random_random)
{
    TWISTER;
    (void)arg;
    *out = value_float(s, next_double(t));
    return true;
}

NATIVE(random_getrandbits)
{
    TWISTER;
    int64_t bits;
    if (!value_index(s, arg[0], "the number of bits", &bits, err))
        return false;
    if (bits < 0)
        return err_set(err, ERR_VALUE, "number of bits must be non-negative");
    if (bits < 64)
        return *out = value_int(s, (int64_t)next_bits(t, (int)bits)), true;
    if (bits > 1000000)
        return err_set(err, ERR_OVERFLOW, "at most 1000000 bits at once");
    Value total = value_int(s, 0), word, next;
    for (int64_t done = 0; done < bits; done += 32) {
        int now = bits - done < 32 ? (int)(bits - done) : 32;
        bool ok = value_binary(s, BIN_LSHIFT, int_new(s, next_word(t) >> (32 - now)), int_new(s, done), &word, err);
        if (ok) {
            ok = value_binary(s, BIN_OR, total, word, &next, err);
            value_release(word);
        }
        if (!ok)
            return value_release(total), false;
        value_replace(&total, next);
    }
    *out = total;
    return true;
}

/* randrange(start, stop, step) and randint(a, b), whose payload is 1: b may come too. */
NATIVE(random_randrange)
{
    TWISTER;
    int64_t start, stop, step = 1;
    if (value_tag(arg[0]) == V_FLOAT || value_tag(arg[1]) == V_FLOAT)
        return err_set(err, ERR_TYPE, "'float' object cannot be interpreted as an integer");
    if (!value_index(s, arg[0], "start", &start, err))
        return false;
    if (value_is_none(arg[1]))
        stop = start, start = 0;
    else if (!value_index(s, arg[1], "stop", &stop, err))
        return false;
    if (!arg[-1].i && !value_index(s, arg[2], "step", &step, err))
        return false;
    if (!step)
        return err_set(err, ERR_VALUE, "zero step for randrange()");
    stop += arg[-1].i;
    uint64_t width = step > 0 ? stop > start ? (uint64_t)stop - (uint64_t)start : 0 : stop < start ? (uint64_t)start - (uint64_t)stop : 0;
    if (!width)
        return err_set(err, ERR_VALUE, "empty range for %s (%lld, %lld)", arg[-1].i ? "randint()" : "randrange()", (long long)start,
                       (long long)(stop - arg[-1].i));
    uint64_t stride = step > 0 ? (uint64_t)step : -(uint64_t)step;
    *out = value_int(s, start + step * (int64_t)below(t, (width - 1) / stride + 1));
    return true;
}

NATIVE(random_uniform)
{
    TWISTER;
    double a, b;
    if (!value_to_double(s, arg[0], &a, err) || !value_to_double(s, arg[1], &b, err))
        return false;
    *out = value_float(s, a + (b - a) * next_double(t));
    return true;
}

NATIVE(random_triangular)
{
    TWISTER;
    double low, high, mode, u;
    if (!value_to_double(s, arg[0], &low, err) || !value_to_double(s, arg[1], &high, err)
        || (!value_is_none(arg[2]) && !value_to_double(s, arg[2], &mode, err)))
        return false;
    u = next_double(t);
    double c = value_is_none(arg[2]) ? 0.5 : (mode - low) / (high - low);
    if (high == low)
        return *out = value_float(s, low), true;
    if (u > c) {
        double kept = low;
        u = 1 - u;
        c = 1 - c;
        low = high;
        high = kept;
    }
    *out = value_float(s, low + (high - low) * sqrt(u * c));
    return true;
}

/* Box and Muller, two at a time: the second is kept for the next call. */
NATIVE(random_gauss)
{
    TWISTER;
    double mu, sigma, z;
    if (!value_to_double(s, arg[0], &mu, err) || !value_to_double(s, arg[1], &sigma, err))
        return false;
    if (t->has_gauss) {
        z = t->gauss;
        t->has_gauss = false;
    } else {
        double angle = next_double(t) * (2 * M_PI), radius = sqrt(-2.0 * log(1.0 - next_double(t)));
        z = cos(angle) * radius;
        t->gauss = sin(angle) * radius;
        t->has_gauss = true;
    }
    *out = value_float(s, mu + z * sigma);
    return true;
}

/* The ratio of uniforms (Kinderman and Monahan). */
NATIVE(random_normalvariate)
{
    TWISTER;
    double mu, sigma, z;
    const double magic = 4 * exp(-0.5) / sqrt(2.0);
    if (!value_to_double(s, arg[0], &mu, err) || !value_to_double(s, arg[1], &sigma, err))
        return false;
    for (;;) {
        double u1 = next_double(t), u2 = 1.0 - next_double(t);
        z = magic * (u1 - 0.5) / u2;
        if (z * z / 4.0 <= -log(u2))
            break;
    }
    *out = value_float(s, mu + z * sigma);
    return true;
}

NATIVE(random_expovariate)
{
    TWISTER;
    double rate;
    if (!value_to_double(s, arg[0], &rate, err))
        return false;
    if (rate == 0)
        return err_set(err, ERR_ZERO_DIVISION, "float division by zero");
    *out = value_float(s, -log(1.0 - next_double(t)) / rate);
    return true;
}

/* ---- sequences ------------------------------------------------------------------------------------------ */
NATIVE(random_choice)
{
    TWISTER;
    int64_t n;
    if (!value_length(s, arg[0], &n, err))
        return false;
    if (!n)
        return err_set(err, ERR_INDEX, "Cannot choose from an empty sequence");
    return value_get_item(s, arg[0], int_new(s, (int64_t)below(t, (uint64_t)n)), out, err);
}

NATIVE(random_shuffle)
{
    TWISTER;
    int64_t n;
    *out = value_none();
    if (!value_length(s, arg[0], &n, err))
        return false;
    for (int64_t i = n - 1; i > 0; i--) {
        Value a, b, at_i = int_new(s, i), at_j = int_new(s, (int64_t)below(t, (uint64_t)i + 1));
        if (!value_get_item(s, arg[0], at_i, &a, err))
            return false;
        bool ok = value_get_item(s, arg[0], at_j, &b, err);
        if (ok) {
            ok = value_set_item(s, arg[0], at_i, b, err) && value_set_item(s, arg[0], at_j, a, err);
            value_release(b);
        }
        value_release(a);
        if (!ok)
            return false;
    }
    return true;
}

static bool chosen(const int64_t *taken, int64_t n, int64_t j)
{
    for (int64_t i = 0; i < n; i++)
        if (taken[i] == j)
            return true;
    return false;
}

/* k different places of n, in Python's two ways: by a pool that shrinks where k is large, else by asking again. */
static bool places(Session *s, Twister *t, int64_t n, int64_t k, int64_t *place, Err *err)
{
    double size = 21;
    if (k > 5)
        size += pow(4, ceil(log((double)k * 3) / log(4)));
    if ((double)n <= size) {
        int64_t *pool = mem_new(s->heap, (size_t)(n + 1) * sizeof *pool);
        if (!pool)
            return err_memory(err, (size_t)n * sizeof *pool);
        for (int64_t i = 0; i < n; i++)
            pool[i] = i;
        for (int64_t i = 0; i < k; i++) {
            int64_t j = (int64_t)below(t, (uint64_t)(n - i));
            place[i] = pool[j];
            pool[j] = pool[n - i - 1];
        }
        mem_free(s->heap, pool);
        return true;
    }
    Dict *seen = k > 64 ? set_new(s, TYPE_SET, err) : NULL;
    bool ok = k <= 64 || seen;
    for (int64_t i = 0; ok && i < k; i++) {
        bool again = true;
        while (ok && again) {
            place[i] = (int64_t)below(t, (uint64_t)n);
            if (!seen)
                again = chosen(place, i, place[i]);
            else {
                int64_t before = seen->used;
                ok = set_add(s, seen, int_new(s, place[i]), err);
                again = seen->used == before;
            }
        }
    }
    if (seen)
        object_release(&seen->head);
    return ok;
}

NATIVE(random_sample)
{
    TWISTER;
    int64_t n, k;
    if (!value_index(s, arg[1], "k", &k, err) || !value_length(s, arg[0], &n, err))
        return false;
    if (value_is(arg[0], TYPE_SET) || value_is(arg[0], TYPE_FROZENSET) || value_is(arg[0], TYPE_DICT))
        return err_set(err, ERR_TYPE, "Population must be a sequence.  For dicts or sets, use sorted(d).");
    if (k < 0 || k > n)
        return err_set(err, ERR_VALUE, "Sample larger than population or is negative");
    int64_t *place = mem_new(s->heap, (size_t)(k + 1) * sizeof *place);
    List *list = place ? list_new(s, k, err) : NULL;
    bool ok = list && places(s, t, n, k, place, err);
    if (!place)
        err_memory(err, (size_t)k * sizeof *place);
    for (int64_t i = 0; ok && i < k; i++) {
        ok = value_get_item(s, arg[0], int_new(s, place[i]), &list->item[i], err);
        list->n += ok;
    }
    mem_free(s->heap, place);
    if (ok)
        *out = value_object_take(list);
    else if (list)
        object_release(&list->head);
    return ok;
}

/* The sums of weights up to each place; NULL with err set. */
static double *cumulate(Session *s, Value weights, bool summed, int64_t n, Err *err)
{
    List *list = value_to_list(s, weights, err);
    if (!list)
        return NULL;
    double *sum = mem_new(s->heap, (size_t)(n + 1) * sizeof *sum), total = 0, weight;
    bool ok = sum && (list->n == n || err_set(err, ERR_VALUE, "The number of weights does not match the population"));
    if (!sum)
        err_memory(err, (size_t)n * sizeof *sum);
    for (int64_t i = 0; ok && i < n; i++) {
        ok = value_to_double(s, list->item[i], &weight, err);
        total = summed ? weight : total + weight;
        sum[i] = total;
    }
    object_release(&list->head);
    if (ok && (!n || sum[n - 1] <= 0))
        ok = err_set(err, ERR_VALUE, "Total of weights must be greater than zero");
    if (ok)
        return sum;
    mem_free(s->heap, sum);
    return NULL;
}

NATIVE(random_choices)
{
    TWISTER;
    int64_t n, k;
    bool weighted = !value_is_none(arg[1]) || !value_is_none(arg[2]);
    if (!value_index(s, arg[3], "k", &k, err) || !value_length(s, arg[0], &n, err))
        return false;
    if (!n)
        return err_set(err, ERR_INDEX, "Cannot choose from an empty population");
    double *sum = NULL;
    if (weighted && !(sum = cumulate(s, value_is_none(arg[1]) ? arg[2] : arg[1], value_is_none(arg[1]), n, err)))
        return false;
    List *list = list_new(s, k > 0 ? k : 0, err);
    bool ok = list;
    for (int64_t i = 0; ok && i < k; i++) {
        int64_t at;
        double u = next_double(t);
        if (!sum)
            at = (int64_t)floor(u * (double)n);
        else {
            double x = u * sum[n - 1];
            int64_t low = 0, high = n - 1;
            while (low < high) {
                int64_t middle = (low + high) / 2;
                if (x < sum[middle])
                    high = middle;
                else
                    low = middle + 1;
            }
            at = low;
        }
        ok = value_get_item(s, arg[0], int_new(s, at), &list->item[i], err);
        list->n += ok;
    }
    mem_free(s->heap, sum);
    if (ok)
        *out = value_object_take(list);
    else if (list)
        object_release(&list->head);
    return ok;
}

static const NativeRow rows[] = {
    { "choice", random_choice, "seq", 0, "One element." },
    { "choices", random_choices, "population, weights = None, *, cum_weights = None, k = 1", 0, "k elements, each from all of them." },
    { "expovariate", random_expovariate, "lambd", 0, "Exponentially distributed, with mean 1 / lambd." },
    { "gauss", random_gauss, "mu = 0.0, sigma = 1.0", 0, "Normally distributed." },
    { "getrandbits", random_getrandbits, "k, /", 0, "An int of k random bits." },
    { "getstate", random_getstate, "", 0, "The state of the stream, for setstate()." },
    { "normalvariate", random_normalvariate, "mu = 0.0, sigma = 1.0", 0, "Normally distributed." },
    { "randint", random_randrange, "a, b", 1, "An int from a to b, b among them." },
    { "random", random_random, "", 0, "A float from 0 up to 1." },
    { "randrange", random_randrange, "start, stop = None, step = 1", 0, "An element of range(start, stop, step)." },
    { "sample", random_sample, "population, k", 0, "k different elements." },
    { "seed", random_seed, "a = None, version = 2", 0, "Begins the stream that belongs to a number." },
    { "setstate", random_setstate, "state", 0, "Goes on from a state of getstate()." },
    { "shuffle", random_shuffle, "x", 0, "Puts a list into random order, in place." },
    { "triangular", random_triangular, "low = 0.0, high = 1.0, mode = None", 0, "From low to high, most often near mode." },
    { "uniform", random_uniform, "a, b", 0, "A float from a to b." },
    { 0 }
};

Module *module_random(Session *s, Err *err)
{
    return module_new(s, "random", rows, err);
}
