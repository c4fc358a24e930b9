/*
 * map.c - element-wise operations of up to three operands. Each piece of a walk brings its operands into rooms of the type that is
 * computed in, unless they lie there as such; so that one dense loop serves every dtype and stride.
 */
#include "tensor/cpu/map.h"
#include "tensor/half.h"
#include "tensor/plan.h"
#include <tgmath.h>

#if defined(__x86_64__) && defined(__gnu_linux__) && !defined(__SANITIZE_ADDRESS__)
#define CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define CLONES
#endif
#define ABS(a)        ((a) < 0 ? -(a) : (a))
#define finite(a)     (ABS(a) < (WIDE)INFINITY)
#define CUT(a, top)   ((a) < 0 ? 0 : (a) > (top) ? (top) : (a))
#define ATLEAST(a, b) ((a) < (b) ? (WIDE)(b) : (a))

typedef void (*MapKernel)(int64_t n, void *to, const void *const *in, const double *param);

#define PICK(ints, floats) floats
#define WIDE    float
#define NAME(x) x##_f32
#include "tensor/cpu/map.inc"
#define PICK(ints, floats) floats
#define WIDE    double
#define NAME(x) x##_f64
#include "tensor/cpu/map.inc"
#define PICK(ints, floats) ints
#define WIDE    int64_t
#define NAME(x) x##_i64
#include "tensor/cpu/map.inc"

static const struct { MapKernel f32, f64, i64; } kernels[OP_COUNT] = {
#define MAP(op, ints, floats) [OP_##op] = { map_##op##_f32, map_##op##_f64, map_##op##_i64 },
#include "tensor/map.def"
};

/* ---- rooms -------------------------------------------------------------------------------------------------------------- */
enum { PIECE = 1024 };
typedef union Room { float f32[PIECE]; double f64[PIECE]; int64_t i64[PIECE]; } Room;

#define BRING(wide, expr) for (int64_t i = 0; i < n; i++, from += step) to->wide[i] = (expr)
#define AS(type) (*(const type *)from)
static void bring(DType wide, DType dtype, Room *to, const char *from, int64_t step, int64_t n)
{
    switch (dtype) {
    case DT_BOOL: BRING(i64, AS(uint8_t) != 0); break;
    case DT_U8: BRING(i64, AS(uint8_t)); break;
    case DT_I8: BRING(i64, AS(int8_t)); break;
    case DT_I16: BRING(i64, AS(int16_t)); break;
    case DT_I32: BRING(i64, AS(int32_t)); break;
    case DT_I64: BRING(i64, AS(int64_t)); break;
    case DT_F16: BRING(f32, f16_to_float(AS(uint16_t))); break;
    case DT_BF16: BRING(f32, bf16_to_float(AS(uint16_t))); break;
    case DT_F32: BRING(f32, AS(float)); break;
    default: BRING(f64, AS(double));
    }
    (void)wide;
}

#define PUT(type, expr) for (int64_t i = 0; i < n; i++, to += step) *(type *)to = (type)(expr)
static void put(DType wide, DType dtype, char *to, int64_t step, const Room *from, int64_t n)
{
    switch (dtype) {
    case DT_BOOL:
        if (wide == DT_I64)
            PUT(uint8_t, from->i64[i] != 0);
        else if (wide == DT_F32)
            PUT(uint8_t, from->f32[i] != 0);
        else
            PUT(uint8_t, from->f64[i] != 0);
        break;
    case DT_U8: PUT(uint8_t, from->i64[i]); break;
    case DT_I8: PUT(int8_t, from->i64[i]); break;
    case DT_I16: PUT(int16_t, from->i64[i]); break;
    case DT_I32: PUT(int32_t, from->i64[i]); break;
    case DT_I64: PUT(int64_t, from->i64[i]); break;
    case DT_F16: PUT(uint16_t, float_to_f16(from->f32[i])); break;
    case DT_BF16: PUT(uint16_t, float_to_bf16(from->f32[i])); break;
    case DT_F32: PUT(float, from->f32[i]); break;
    default: PUT(double, from->f64[i]);
    }
}

/* ---- the walk ------------------------------------------------------------------------------------------------------------ */
typedef struct Walk {
    MapKernel kernel;
    Steps     steps;
    char     *base[1 + MAP_OPERANDS];   /* NULL: the number */
    Number    number[MAP_OPERANDS];
    DType     dtype, out, wide;
    double    param[3];
    int64_t   total;
    int       operands, size;           /* size: of an element, where two are chosen from */
} Walk;

typedef void (*Piece)(const Walk *w, int64_t n, char *const *at, const int64_t *step);

/* Cuts elements [begin, end), counted along the steps, into pieces of the innermost dimension. */
static void walk_range(const Walk *w, int64_t begin, int64_t end, int64_t most, Piece piece)
{
    const Steps *s = &w->steps;
    int inner = s->ndim - 1;
    int64_t length = inner < 0 ? 1 : s->shape[inner], step[1 + MAP_OPERANDS];
    for (int o = 0; o <= w->operands; o++)
        step[o] = inner < 0 ? 0 : s->stride[o][inner];
    for (int64_t k = begin; k < end; ) {
        char *at[1 + MAP_OPERANDS];
        int64_t i = k % length, rest = k / length, n = length - i;
        n = n < end - k ? n : end - k;
        n = n < most ? n : most;
        for (int o = 0; o <= w->operands; o++)
            at[o] = w->base[o] ? w->base[o] + i * step[o] : NULL;
        for (int d = inner - 1; d >= 0; d--) {
            int64_t index = rest % s->shape[d];
            rest /= s->shape[d];
            for (int o = 0; o <= w->operands; o++)
                if (at[o])
                    at[o] += index * s->stride[o][d];
        }
        piece(w, n, at, step);
        k += n;
    }
}

static void map_piece(const Walk *w, int64_t n, char *const *at, const int64_t *step)
{
    Room room[1 + MAP_OPERANDS];
    const void *in[MAP_OPERANDS];
    int64_t wide = (int64_t)dtype_size(w->wide);
    for (int k = 0; k < w->operands; k++) {
        char number[8];
        if (at[k + 1] && w->dtype == w->wide && step[k + 1] == wide) {
            in[k] = at[k + 1];
            continue;
        }
        if (!at[k + 1])
            number_store(w->dtype, number, w->number[k]);
        bring(w->wide, w->dtype, &room[k], at[k + 1] ? at[k + 1] : number, at[k + 1] ? step[k + 1] : 0, n);
        in[k] = &room[k];
    }
    for (int k = w->operands; k < MAP_OPERANDS; k++)
        in[k] = in[0];
    bool there = w->out == w->wide && step[0] == wide;
    w->kernel(n, there ? (void *)at[0] : &room[MAP_OPERANDS], in, w->param);
    if (!there)
        put(w->wide, w->out, at[0], step[0], &room[MAP_OPERANDS], n);
}

static void map_range(void *data, int64_t begin, int64_t end) { walk_range(data, begin, end, PIECE, map_piece); }

static bool walk_all(Context *ctx, Walk *w, Tensor *out, Tensor *const *operand, int n, void (*range)(void *, int64_t, int64_t), Err *err)
{
    plan_steps(&w->steps, out, operand, n);
    w->operands = n;
    w->total = out->numel;
    w->base[0] = data_of(out);
    for (int k = 0; k < n; k++)
        w->base[k + 1] = operand[k] ? data_of(operand[k]) : NULL;
    if (w->total <= 4 * PIECE) {
        if (w->total)
            range(w, 0, w->total);
        return true;
    }
    return parallel_for(ctx, w->total, 16 * PIECE, range, w, err);
}

bool map_elements(Context *ctx, OpId op, Tensor *out, int n, Tensor *const *operand, const Number *number, DType dtype,
                  const double *param, Err *err)
{
    Walk w = { .dtype = dtype, .out = (DType)out->dtype };
    w.wide = dtype_kind(dtype) != DKIND_FLOAT ? DT_I64 : dtype == DT_F64 ? DT_F64 : DT_F32;
    w.kernel = w.wide == DT_I64 ? kernels[op].i64 : w.wide == DT_F64 ? kernels[op].f64 : kernels[op].f32;
    assert(w.kernel);
    memcpy(w.param, param, sizeof w.param);
    for (int k = 0; k < n; k++)
        w.number[k] = number[k];
    return walk_all(ctx, &w, out, operand, n, map_range, err);
}

/* ---- one of two ---------------------------------------------------------------------------------------------------------- */
#define CHOOSE(type)                                                                                            \
    if (step[0] == sizeof(type) && step[1] == 1 && step[2] == sizeof(type) && step[3] == sizeof(type))          \
        for (int64_t i = 0; i < n; i++)                                                                         \
            ((type *)to)[i] = condition[i] ? ((const type *)a)[i] : ((const type *)b)[i];                       \
    else                                                                                                        \
        for (int64_t i = 0; i < n; i++)                                                                         \
            *(type *)(to + i * step[0]) = condition[i * step[1]] ? *(const type *)(a + i * step[2]) : *(const type *)(b + i * step[3]);

CLONES static void choose(int size, int64_t n, char *to, const char *condition, const char *a, const char *b, const int64_t *step)
{
    switch (size) {
    case 1: CHOOSE(uint8_t); break;
    case 2: CHOOSE(uint16_t); break;
    case 4: CHOOSE(uint32_t); break;
    default: CHOOSE(uint64_t);
    }
}

static void choose_piece(const Walk *w, int64_t n, char *const *at, const int64_t *step)
{
    uint64_t number[2] = { 0, 0 };
    int64_t steps[4] = { step[0], step[1], at[2] ? step[2] : 0, at[3] ? step[3] : 0 };
    for (int k = 0; k < 2; k++)
        if (!at[k + 2])
            number_store(w->out, &number[k], w->number[k]);
    choose(w->size, n, at[0], at[1], at[2] ? at[2] : (char *)&number[0], at[3] ? at[3] : (char *)&number[1], steps);
}

static void choose_range(void *data, int64_t begin, int64_t end) { walk_range(data, begin, end, INT64_MAX, choose_piece); }

bool map_choose(Context *ctx, Tensor *out, Tensor *condition, Tensor *const *operand, const Number *number, Err *err)
{
    Walk w = { .out = (DType)out->dtype, .size = (int)dtype_size((DType)out->dtype), .number = { number[0], number[1] } };
    Tensor *all[MAP_OPERANDS] = { condition, operand[0], operand[1] };
    return walk_all(ctx, &w, out, all, 3, choose_range, err);
}
