/*
 * elementwise.c - the loops of element-wise operations, made from scalar.def once for each dtype.
 */
#include "tensor/cpu/elementwise.h"
#include "tensor/half.h"
#include <tgmath.h>

/* Loops are compiled for several widths of vectors where the compiler and the sanitizers allow it. */
#if defined(__x86_64__) && defined(__gnu_linux__) && !defined(__SANITIZE_ADDRESS__)
#define CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define CLONES
#endif
#define ABS(a) ((a) < 0 || 1 / (a) < 0 ? -(a) : (a))

static inline int64_t floor_divide(int64_t a, int64_t b)
{
    if (b == -1)
        return 0 - a;
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

static inline int64_t floor_remainder(int64_t a, int64_t b)
{
    int64_t rest = b == -1 ? 0 : a % b;
    return rest + (rest != 0 && (rest < 0) != (b < 0) ? b : 0);
}

static inline int64_t whole_power(int64_t a, int64_t b)
{
    int64_t result = 1;
    if (b < 0)                                          /* as PyTorch for a tensor of exponents */
        return a == 1 ? 1 : a == -1 ? (b & 1 ? -1 : 1) : 0;
    for (; b; b >>= 1, a *= a)
        if (b & 1)
            result *= a;
    return result;
}

/* As PyTorch: shifts by less than 0 or by all bits give 0, or the sign. */
static inline int64_t shift_left(int64_t a, int64_t b) { return b < 0 || b > 63 ? 0 : a << b; }
static inline int64_t shift_right(int64_t a, int64_t b) { return b < 0 || b > 63 ? (a < 0 ? -1 : 0) : a >> b; }

static inline double modulo_f64(double a, double b)
{
    double rest = fmod(a, b);
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

static inline float modulo_f32(float a, float b)
{
    float rest = fmod(a, b);
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}
#define modulo(a, b) _Generic((a), float: modulo_f32, default: modulo_f64)(a, b)

/* The floor of a / b that agrees with the remainder, as Python and PyTorch define it. */
static inline double floor_quotient_f64(double a, double b)
{
    if (b == 0)
        return a / b;
    double rest = fmod(a, b), quotient = (a - rest) / b;
    if (rest != 0 && (b < 0) != (rest < 0))
        quotient -= 1;
    if (quotient == 0)
        return copysign(0.0, a / b);
    double down = floor(quotient);
    return quotient - down > 0.5 ? down + 1 : down;
}
#define floor_quotient(a, b) (WIDE)floor_quotient_f64((double)(a), (double)(b))

static inline void store_truth(char *p, bool truth) { *(uint8_t *)p = truth; }

/* How each dtype is read, written and takes a number. */
#define WHOLE(suffix, type)                                                                                     \
    static inline int64_t load_##suffix(const char *p) { return (int64_t)*(const type *)p; }                   \
    static inline void store_##suffix(char *p, int64_t x) { *(type *)p = (type)x; }                            \
    static inline int64_t scalar_##suffix(Number number) { return number_int(number); }
WHOLE(u8, uint8_t)
WHOLE(i8, int8_t)
WHOLE(i16, int16_t)
WHOLE(i32, int32_t)
WHOLE(i64, int64_t)
static inline int64_t load_b8(const char *p) { return *(const uint8_t *)p != 0; }
static inline void store_b8(char *p, int64_t x) { *(uint8_t *)p = x != 0; }
static inline int64_t scalar_b8(Number number) { return number_double(number) != 0; }
static inline float load_f32(const char *p) { return *(const float *)p; }
static inline void store_f32(char *p, float x) { *(float *)p = x; }
static inline float scalar_f32(Number number) { return (float)number_double(number); }
static inline double load_f64(const char *p) { return *(const double *)p; }
static inline void store_f64(char *p, double x) { *(double *)p = x; }
static inline double scalar_f64(Number number) { return number_double(number); }
static inline float load_f16(const char *p) { return f16_to_float(*(const uint16_t *)p); }
static inline void store_f16(char *p, float x) { *(uint16_t *)p = float_to_f16(x); }
static inline float scalar_f16(Number number) { return (float)number_double(number); }
static inline float load_bf16(const char *p) { return bf16_to_float(*(const uint16_t *)p); }
static inline void store_bf16(char *p, float x) { *(uint16_t *)p = float_to_bf16(x); }
static inline float scalar_bf16(Number number) { return (float)number_double(number); }

#define T        uint8_t
#define WIDE     int64_t
#define NAME(x)  x##_b8
#define IS_FLOAT 0
#define INVERT(a) !(a)
#include "tensor/cpu/elementwise.inc"
#define T        uint8_t
#define WIDE     int64_t
#define NAME(x)  x##_u8
#define IS_FLOAT 0
#include "tensor/cpu/elementwise.inc"
#define T        int8_t
#define WIDE     int64_t
#define NAME(x)  x##_i8
#define IS_FLOAT 0
#include "tensor/cpu/elementwise.inc"
#define T        int16_t
#define WIDE     int64_t
#define NAME(x)  x##_i16
#define IS_FLOAT 0
#include "tensor/cpu/elementwise.inc"
#define T        int32_t
#define WIDE     int64_t
#define NAME(x)  x##_i32
#define IS_FLOAT 0
#include "tensor/cpu/elementwise.inc"
#define T        int64_t
#define WIDE     int64_t
#define NAME(x)  x##_i64
#define IS_FLOAT 0
#include "tensor/cpu/elementwise.inc"
#define T        uint16_t
#define WIDE     float
#define NAME(x)  x##_f16
#define IS_FLOAT 1
#include "tensor/cpu/elementwise.inc"
#define T        uint16_t
#define WIDE     float
#define NAME(x)  x##_bf16
#define IS_FLOAT 1
#include "tensor/cpu/elementwise.inc"
#define T        float
#define WIDE     float
#define NAME(x)  x##_f32
#define IS_FLOAT 1
#include "tensor/cpu/elementwise.inc"
#define T        double
#define WIDE     double
#define NAME(x)  x##_f64
#define IS_FLOAT 1
#include "tensor/cpu/elementwise.inc"

typedef struct Kernel { RunKernel run[DT_COUNT]; bool truth; } Kernel;

#define FLOATS(op) [DT_F16] = op##_f16, [DT_BF16] = op##_bf16, [DT_F32] = op##_f32, [DT_F64] = op##_f64
#define ALL(op)    [DT_BOOL] = op##_b8, [DT_U8] = op##_u8, [DT_I8] = op##_i8, [DT_I16] = op##_i16, [DT_I32] = op##_i32,   \
                   [DT_I64] = op##_i64, FLOATS(op)
static const Kernel kernels[OP_COUNT] = {
#define UNARY(op, ints, floats)  [OP_##op] = { { ALL(op) }, false },
#define FLOATING(op, expr)       [OP_##op] = { { FLOATS(op) }, false },
#define BINARY(op, ints, floats) [OP_##op] = { { ALL(op) }, false },
#define COMPARE(op, expr)        [OP_##op] = { { ALL(op) }, true },
#define TEST(op, ints, floats)   [OP_##op] = { { ALL(op) }, true },
#include "tensor/scalar.def"
};

RunKernel elementwise_kernel(OpId id, DType dtype, bool *truth)
{
    *truth = kernels[id].truth;
    return kernels[id].run[dtype];
}
