/*
 * generator.c - the stream of random numbers, drawn as PyTorch draws them on a CPU,
     so that a seed gives the same tensors.
 * Fewer than 16 normal numbers come one by one in double precision. From 16 on the whole run is filled with uniform
 * numbers, and each group of 16 becomes 8 pairs: the first half gives the radius, the second the angle.
 */
#include <math.h>
#include "tensor/generator.h"

static void reseed(Generator *g, uint64_t seed)
{
    g->seed = seed;
    g->word[0] = (uint32_t)seed;
    for (uint32_t i = 1; i < TWISTER_WORDS; i++)
        g->word[i] = 1812433253u * (g->word[i - 1] ^ g->word[i - 1] >> 30) + i;
    g->left = 1;
    g->next = 0;
    g->has_normal = false;
    g->normal = 0;
}

Generator *generator_new(Heap *heap, uint64_t seed, Err *err)
{
    Generator *g = mem_new(heap, sizeof *g);
    if (!g) {
        err_memory(err, sizeof *g);
        return NULL;
    }
    g->heap = heap;
    reseed(g, seed);
    return g;
}

void generator_free(Generator *g)
{
    if (g)
        mem_free(g->heap, g);
}

void generator_seed(Generator *g, uint64_t seed)
{
    reseed(g, seed);
}

uint64_t generator_initial_seed(const Generator *g)
{
    return g->seed;
}

static uint32_t next_word(uint32_t far, uint32_t here, uint32_t after)
{
    return far ^ ((here & 0x80000000u) | (after & 0x7fffffffu)) >> 1 ^ (after & 1 ? 0x9908b0dfu : 0);
}

static void make_words(Generator *g)
{
    enum { AHEAD = 397 };
    uint32_t *word = g->word;
    int i = 0;
    for (; i < TWISTER_WORDS - AHEAD; i++)
        word[i] = next_word(word[i + AHEAD], word[i], word[i + 1]);
    for (; i < TWISTER_WORDS - 1; i++)
        word[i] = next_word(word[i + AHEAD - TWISTER_WORDS], word[i], word[i + 1]);
    word[i] = next_word(word[AHEAD - 1], word[i], word[0]);
    g->left = TWISTER_WORDS;
    g->next = 0;
}

uint32_t random_32(Generator *g)
{
    if (--g->left == 0)
        make_words(g);
    uint32_t y = g->word[g->next++];
    y ^= y >> 11;
    y ^= y << 7 & 0x9d2c5680u;
    y ^= y << 15 & 0xefc60000u;
    return y ^ y >> 18;
}

uint64_t random_64(Generator *g)
{
    uint64_t high = random_32(g);
    return high << 32 | random_32(g);
}

double random_unit(Generator *g)
{
    return (double)(random_64(g) & (((uint64_t)1 << 53) - 1)) * 0x1p-53;
}

double random_normal(Generator *g)
{
    if (g->has_normal) {
        g->has_normal = false;
        return g->normal;
    }
    double u1 = random_unit(g), u2 = random_unit(g);
    double radius = sqrt(-2.0 * log(1 - u2)), angle = 2.0 * M_PI * u1;
    g->normal = radius * sin(angle);
    g->has_normal = true;
    return radius * cos(angle);
}

/* ---- the state, in the 5,056 bytes that torch.get_rng_state() gives ---------------------------------------- */
typedef struct State {
    uint64_t seed;
    int32_t  left, seeded;
    uint64_t next, word[TWISTER_WORDS];
    double   unused, normal, unused_too;
    int32_t  has_normal;
    float    float_normal;
    int64_t  has_float_normal;
} State;

size_t generator_state_size(void)
{
    return sizeof(State);
}

void generator_get_state(const Generator *g, void *state)
{
    State s = { .seed = g->seed, .left = g->left, .seeded = 1, .next = (uint64_t)g->next, .normal = g->normal,
               .has_normal = g->has_normal };
    for (int i = 0; i < TWISTER_WORDS; i++)
        s.word[i] = g->word[i];
    memcpy(state, &s, sizeof s);
}

bool generator_set_state(Generator *g, const void *state, Err *err)
{
    State s;
    memcpy(&s, state, sizeof s);
    if (s.left < 1 || s.left > TWISTER_WORDS || s.next > TWISTER_WORDS)
        return err_set(err, ERR_RUNTIME, "these bytes are not the state of a random stream");
    for (int i = 0; i < TWISTER_WORDS; i++)
        g->word[i] = (uint32_t)s.word[i];
    g->seed = s.seed;
    g->left = s.left;
    g->next = (int)s.next;
    g->has_normal = s.has_normal != 0;
    g->normal = s.normal;
    return true;
}

/* ---- runs of normal numbers --------------------------------------------------------------------------------- */
/*
 * The logarithm, sine and cosine of single precision below are the polynomials of the Cephes library (S. Moshier), each
 * product that meets a sum rounded once: the results of a vector unit with fused multiply and add,
     bit by bit.
 */
static float log_f32(float x)
{
    static const float p[] = { 7.0376836292e-2f, -1.1514610310e-1f, 1.1676998740e-1f, -1.2420140846e-1f,
                              1.4249322787e-1f,
                               -1.6668057665e-1f, 2.0000714765e-1f, -2.4999993993e-1f, 3.3333331174e-1f };
    int exponent;
    float m = frexpf(x > 0x1p-126f ? x : 0x1p-126f, &exponent), e, y = p[0];
    if (m < 0.707106781186547524f) {
        exponent--;
        m = (m - 1) + m;
    } else {
        m -= 1;
    }
    e = (float)exponent;
    float z = m * m;
    for (int i = 1; i < 9; i++)
        y = fmaf(y, m, p[i]);
    y = fmaf(y * m, z, e * -2.12194440e-4f);
    y = fmaf(-z, 0.5f, y);
    return fmaf(e, 0.693359375f, m + y);
}

static void sincos_f32(float x, float *sine, float *cosine)     /* x >= 0 */
{
    int octant = (int)(x * 1.27323954473516f);
    octant = (octant + 1) & ~1;
    float y = (float)octant;
    x = fmaf(y, -0.78515625f, x);
    x = fmaf(y, -2.4187564849853515625e-4f, x);
    x = fmaf(y, -3.77489497744594108e-8f, x);
    float z = x * x;
    float c = fmaf(fmaf(2.443315711809948e-5f, z, -1.388731625493765e-3f), z, 4.166664568298827e-2f);
    c = fmaf(c * z, z, -(z * 0.5f)) + 1;
    float s = fmaf(fmaf(-1.9515295891e-4f, z, 8.3321608736e-3f), z, -1.6666654611e-1f);
    s = fmaf(s * z, x, x);
    bool swap = octant & 2;
    float up = swap ? c : s, along = swap ? s : c;
    *sine = octant & 4 ? -up : up;
    *cosine = (octant - 2) & 4 ? along : -along;
}

static void pairs_f32(float *data, float mean, float std)
{
    for (int j = 0; j < 8; j++) {
        float radius = sqrtf(-2 * log_f32(1 - data[j])), sine, cosine;
        sincos_f32((float)(2 * M_PI) * data[j + 8], &sine, &cosine);
        data[j] = fmaf(radius * cosine, std, mean);
        data[j + 8] = fmaf(radius * sine, std, mean);
    }
}

static float unit_f32(Generator *g)
{
    return (float)(random_32(g) & 0xffffff) * 0x1p-24f;
}

void normal_fill_f32(Generator *g, float *data, int64_t n, float mean, float std)
{
    for (int64_t i = 0; i < n; i++)
        data[i] = unit_f32(g);
    for (int64_t i = 0; i < n - 15; i += 16)
        pairs_f32(data + i, mean, std);
    if (n % 16 == 0)
        return;
    data += n - 16;                     /* what is left over overlaps the group before: these 16 are drawn again */
    for (int i = 0; i < 16; i++)
        data[i] = unit_f32(g);
    pairs_f32(data, mean, std);
}

static double load(DType dtype, const char *at)
{
    return number_load(dtype, at).f;
}

static double rounded(DType dtype, double value)
{
    uint64_t bytes;
    if (dtype == DT_F64)
        return value;
    number_store(dtype, &bytes, (Number){ .kind = DKIND_FLOAT, .f = value });
    return load(dtype, (char *)&bytes);
}

static void pair_f64(double *a, double *b, double mean, double std)
{
    double radius = sqrt(-2 * log(1 - *a)), angle = 2.0 * M_PI * *b;
    *a = fma(radius * cos(angle), std, mean);
    *b = fma(radius * sin(angle), std, mean);
}

/* The halves in single precision, radius and angle rounded to what is stored; bfloat16 rounds after every step. */
static void pair_half(DType dtype, double *a, double *b, double mean, double std)
{
    DType step = dtype == DT_BF16 ? DT_BF16 : DT_F32;
    double log_u1 = rounded(step, logf((float)rounded(dtype, 1 - *a)));
    double radius = rounded(dtype, sqrtf((float)rounded(step, -2 * log_u1))), angle = rounded(dtype,
            2.0 * M_PI * *b);
    double along = rounded(step, cosf((float)angle)), up = rounded(step, sinf((float)angle));
    *a = rounded(step, rounded(step, radius * along) * std) + mean;
    *b = rounded(step, rounded(step, radius * up) * std) + mean;
}

static void pairs_wide(DType dtype, char *data, double mean, double std)
{
    int64_t size = (int64_t)dtype_size(dtype);
    for (int j = 0; j < 8; j++) {
        char *first = data + j * size, *second = data + (j + 8) * size;
        double a = load(dtype, first), b = load(dtype, second);
        if (dtype == DT_F64)
            pair_f64(&a, &b, mean, std);
        else
            pair_half(dtype, &a, &b, mean, std);
        number_store(dtype, first, (Number){ .kind = DKIND_FLOAT, .f = a });
        number_store(dtype, second, (Number){ .kind = DKIND_FLOAT, .f = b });
    }
}

static void units_wide(Generator *g, DType dtype, char *data, int64_t n)
{
    int digits = dtype == DT_F16 ? 11 : 8;
    for (int64_t i = 0; i < n; i++) {
        double u = dtype == DT_F64 ? random_unit(g) : ldexp((double)(random_32(g) & ((1u << digits) - 1)),
                                                            -digits);
        number_store(dtype, data + i * (int64_t)dtype_size(dtype), (Number){ .kind = DKIND_FLOAT, .f = u });
    }
}

void normal_fill_wide(Generator *g, DType dtype, char *data, int64_t n, double mean, double std)
{
    int64_t size = (int64_t)dtype_size(dtype);
    units_wide(g, dtype, data, n);
    for (int64_t i = 0; i < n - 15; i += 16)
        pairs_wide(dtype, data + i * size, mean, std);
    if (n % 16 == 0)
        return;
    data += (n - 16) * size;
    units_wide(g, dtype, data, 16);
    pairs_wide(dtype, data, mean, std);
}
