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

/* The next n words, as n calls of random_32 give them. */
void random_words(Generator *g, uint32_t *to, int64_t n)
{
    while (n > 0) {
        if (g->left == 1) {                             /* the words are used up */
            make_words(g);
            g->left++;
        }
        int64_t part = g->left - 1 < n ? g->left - 1 : n;
        const uint32_t *word = g->word + g->next;
        for (int64_t i = 0; i < part; i++) {
            uint32_t y = word[i];
            y ^= y >> 11;
            y ^= y << 7 & 0x9d2c5680u;
            y ^= y << 15 & 0xefc60000u;
            to[i] = y ^ y >> 18;
        }
        g->left -= (int)part;
        g->next += (int)part;
        to += part;
        n -= part;
    }
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
static inline __attribute__((always_inline)) float log_f32(float x)                   /* x > 0 */
{
    union { float f; int32_t i; } bits = { x > 0x1p-126f ? x : 0x1p-126f };
    int32_t exponent = (bits.i >> 23) - 126;
    bits.i = (bits.i & 0x007fffff) | 0x3f000000;        /* in [0.5, 1) */
    float m = bits.f, low = m < 0.707106781186547524f ? 1.0f : 0.0f, twice = m < 0.707106781186547524f ? m : 0.0f;
    float e = (float)exponent - low;
    m = (m - 1) + twice;
    float z = m * m, y = fmaf(7.0376836292e-2f, m, -1.1514610310e-1f);  /* written out: a loop here hinders vector code */
    y = fmaf(y, m, 1.1676998740e-1f);
    y = fmaf(y, m, -1.2420140846e-1f);
    y = fmaf(y, m, 1.4249322787e-1f);
    y = fmaf(y, m, -1.6668057665e-1f);
    y = fmaf(y, m, 2.0000714765e-1f);
    y = fmaf(y, m, -2.4999993993e-1f);
    y = fmaf(y, m, 3.3333331174e-1f);
    y = fmaf(y * m, z, e * -2.12194440e-4f);
    y = fmaf(-z, 0.5f, y);
    return fmaf(e, 0.693359375f, m + y);
}

static inline __attribute__((always_inline)) void sincos_f32(float x, float *sine, float *cosine)     /* x >= 0 */
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
    float up = octant & 2 ? c : s, along = octant & 2 ? s : c;
    union { float f; int32_t i; } to_sine = { up }, to_cosine = { along };
    to_sine.i ^= (octant & 4) << 29;                    /* the sign bit */
    to_cosine.i ^= (~(octant - 2) & 4) << 29;
    *sine = to_sine.f;
    *cosine = to_cosine.f;
}

/* One rounding where a product meets a sum takes a library call, unless the processor has an instruction for it. */
#if defined(__x86_64__) && defined(__gnu_linux__) && !defined(__SANITIZE_ADDRESS__)
#define FUSED __attribute__((target_clones("avx512f", "fma", "default")))
#else
#define FUSED
#endif
FUSED static void pairs_f32(float *data, int64_t groups, float mean, float std)
{
    enum { PART = 32 };                                 /* groups at a time: long enough for vector code */
    float first[8 * PART], second[8 * PART];
    for (int64_t k = 0; k < groups; k += PART, data += 16 * PART) {
        int part = groups - k < PART ? (int)(groups - k) : PART;
        for (int g = 0; g < part; g++) {
            memcpy(first + 8 * g, data + 16 * g, 8 * sizeof *first);
            memcpy(second + 8 * g, data + 16 * g + 8, 8 * sizeof *first);
        }
        for (int j = 0; j < 8 * part; j++) {
            float radius = sqrtf(-2 * log_f32(1 - first[j])), sine, cosine;
            sincos_f32((float)(2 * M_PI) * second[j], &sine, &cosine);
            first[j] = fmaf(radius * cosine, std, mean);
            second[j] = fmaf(radius * sine, std, mean);
        }
        for (int g = 0; g < part; g++) {
            memcpy(data + 16 * g, first + 8 * g, 8 * sizeof *first);
            memcpy(data + 16 * g + 8, second + 8 * g, 8 * sizeof *first);
        }
    }
}

FUSED void uniform_fill_f32(Generator *g, float *data, int64_t n, float from, float to)
{
    enum { PIECE = 512 };
    uint32_t word[PIECE];
    const float range = to - from;
    for (int64_t i = 0; i < n; i += PIECE) {
        int64_t part = n - i < PIECE ? n - i : PIECE;
        random_words(g, word, part);
        for (int64_t k = 0; k < part; k++)
            data[i + k] = fmaf((float)(int32_t)(word[k] & 0xffffff) * 0x1p-24f, range, from);
    }
}

FUSED void uniform_fill_f64(Generator *g, double *data, int64_t n, double from, double to)
{
    enum { PIECE = 256 };
    uint32_t word[2 * PIECE];
    const double range = to - from;
    for (int64_t i = 0; i < n; i += PIECE) {
        int64_t part = n - i < PIECE ? n - i : PIECE;
        random_words(g, word, 2 * part);
        for (int64_t k = 0; k < part; k++) {
            uint64_t bits = ((uint64_t)word[2 * k] << 32 | word[2 * k + 1]) & (((uint64_t)1 << 53) - 1);
            data[i + k] = fma((double)(int64_t)bits * 0x1p-53, range, from);
        }
    }
}

void normal_fill_f32(Generator *g, float *data, int64_t n, float mean, float std)
{
    uniform_fill_f32(g, data, n, 0, 1);
    pairs_f32(data, n / 16, mean, std);
    if (n % 16 == 0)
        return;
    data += n - 16;                     /* what is left over overlaps the group before: these 16 are drawn again */
    uniform_fill_f32(g, data, 16, 0, 1);
    pairs_f32(data, 1, mean, std);
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
