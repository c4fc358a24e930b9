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

/* As PyTorch: the greatest common divisor is not negative, and that of two zeros is 0. */
static inline int64_t common_divisor(int64_t a, int64_t b)
{
    a = a < 0 ? 0 - a : a;
    b = b < 0 ? 0 - b : b;
    while (a) {
        int64_t rest = a == -1 ? 0 : b % a;
        b = a;
        a = rest;
    }
    return b;
}

static inline int64_t common_multiple(int64_t a, int64_t b)
{
    int64_t divisor = common_divisor(a, b), whole = divisor ? a / divisor * b : 0;
    return whole < 0 ? 0 - whole : whole;
}

/* Rational approximations and two steps of Newton's method, as PyTorch computes it. */
static inline double inverse_erf(double y)
{
    static const double a[] = { 0.886226899, -1.645349621, 0.914624893, -0.140543331 };
    static const double b[] = { -2.118377725, 1.442710462, -0.329097515, 0.012229801 };
    static const double c[] = { -1.970840454, -1.624906493, 3.429567803, 1.641345311 }, d[] = { 3.543889200, 1.637067800 };
    double size = fabs(y), x;
    if (!(size <= 1))
        return NAN;
    if (size == 1)
        return copysign(INFINITY, y);
    if (size <= 0.7) {
        double z = y * y;
        x = y * (((a[3] * z + a[2]) * z + a[1]) * z + a[0]) / ((((b[3] * z + b[2]) * z + b[1]) * z + b[0]) * z + 1);
    } else {
        double z = sqrt(-log((1 - size) / 2));
        x = copysign((((c[3] * z + c[2]) * z + c[1]) * z + c[0]) / ((d[1] * z + d[0]) * z + 1), y);
    }
    for (int k = 0; k < 2; k++)
        x -= (erf(x) - y) / (2 / sqrt(3.14159265358979323846) * exp(-x * x));
    return x;
}

/* By reflection for negative numbers, recurrence up to 10 and the asymptotic series beyond (Abramowitz and Stegun, 6.3). */
static inline double digamma(double x)
{
    static const double b[] = { 1.0 / 12, -1.0 / 120, 1.0 / 252, -1.0 / 240, 1.0 / 132, -691.0 / 32760, 1.0 / 12 };
    double result = 0;
    if (x == 0)
        return copysign(INFINITY, -x);
    if (x < 0) {
        if (x == floor(x))
            return NAN;
        result = -3.14159265358979323846 / tan(3.14159265358979323846 * (x - floor(x)));
        x = 1 - x;
    }
    for (; x < 10; x++)
        result -= 1 / x;
    double power = 1 / (x * x), tail = 0;
    for (int k = 6; k >= 0; k--)
        tail = (tail + b[k]) * power;
    return result + log(x) - 0.5 / x - tail;
}

static inline double bessel_i0(double x)
{
    double quarter = x * x / 4, term = 1, sum = 1;
    if (isinf(x) || fabs(x) > 713)
        return INFINITY;
    for (int k = 1; term > sum * 1e-17; k++)
        sum += term *= quarter / ((double)k * k);
    return sum;
}

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
