/*
 * dtype.c - what is known of each dtype, promotion, and numbers in and out of memory.
 */
#include "tensor/impl.h"
#include "tensor/half.h"
#include <float.h>
#include <math.h>

static const struct { const char *name; uint8_t size, kind; } rows[DT_COUNT] = {
#define DTYPE(id, name, suffix, type, kind) [DT_##id] = { name, sizeof(type), DKIND_##kind },
#include "tensor/dtypes.def"
};

const char *dtype_name(DType dtype) { return rows[dtype].name; }
size_t dtype_size(DType dtype) { return rows[dtype].size; }
DKind dtype_kind(DType dtype) { return (DKind)rows[dtype].kind; }

DType dtype_promote(DType a, DType b)
{
    if (a == b)
        return a;
    if (rows[a].kind != rows[b].kind)
        return rows[a].kind > rows[b].kind ? a : b;
    if ((a == DT_F16 && b == DT_BF16) || (a == DT_BF16 && b == DT_F16))
        return DT_F32;
    if ((a == DT_U8 && b == DT_I8) || (a == DT_I8 && b == DT_U8))
        return DT_I16;
    return a > b ? a : b;                                       /* rows stand in order of size */
}

bool dtype_can_cast(DType from, DType to)
{
    return rows[from].kind <= rows[to].kind;
}

bool dtype_info(DType dtype, DTypeInfo *info)
{
    static const DTypeInfo floats[DT_COUNT] = {
        [DT_F16] = { 65504.0, -65504.0, 0x1p-10, 0x1p-14, 0x1p-14, 1e-3, 0, 0, 16 },
        [DT_BF16] = { 0x1.fep127, -0x1.fep127, 0x1p-7, 0x1p-126, 0x1p-126, 1e-2, 0, 0, 16 },
        [DT_F32] = { FLT_MAX, -FLT_MAX, FLT_EPSILON, FLT_MIN, FLT_MIN, 1e-6, 0, 0, 32 },
        [DT_F64] = { DBL_MAX, -DBL_MAX, DBL_EPSILON, DBL_MIN, DBL_MIN, 1e-15, 0, 0, 64 },
    };
    static const DTypeInfo ints[DT_COUNT] = {
        [DT_U8] = { .imax = UINT8_MAX, .bits = 8 },
        [DT_I8] = { .imax = INT8_MAX, .imin = INT8_MIN, .bits = 8 },
        [DT_I16] = { .imax = INT16_MAX, .imin = INT16_MIN, .bits = 16 },
        [DT_I32] = { .imax = INT32_MAX, .imin = INT32_MIN, .bits = 32 },
        [DT_I64] = { .imax = INT64_MAX, .imin = INT64_MIN, .bits = 64 },
    };
    *info = rows[dtype].kind == DKIND_FLOAT ? floats[dtype] : ints[dtype];
    return info->bits != 0;
}

double number_double(Number number)
{
    return number.kind == DKIND_FLOAT ? number.f : number.kind == DKIND_INT ? (double)number.i : number.b;
}

int64_t number_int(Number number)
{
    if (number.kind != DKIND_FLOAT)
        return number.kind == DKIND_INT ? number.i : number.b;
    /* What x86-64's conversion gives outside the range, on every machine. */
    return number.f >= -0x1p63 && number.f < 0x1p63 ? (int64_t)number.f : INT64_MIN;
}

/* For ints of 32 bits and fewer: floats go by way of 32 bits, again as x86-64 converts them. */
static int32_t number_int32(Number number)
{
    if (number.kind != DKIND_FLOAT)
        return (int32_t)number_int(number);
    return number.f > -0x1p31 - 1 && number.f < 0x1p31 ? (int32_t)number.f : INT32_MIN;
}

Number number_load(DType dtype, const void *address)
{
    switch (dtype) {
    case DT_BOOL: return (Number){ DKIND_BOOL, { .b = *(const uint8_t *)address != 0 } };
    case DT_U8:   return (Number){ DKIND_INT, { .i = *(const uint8_t *)address } };
    case DT_I8:   return (Number){ DKIND_INT, { .i = *(const int8_t *)address } };
    case DT_I16:  return (Number){ DKIND_INT, { .i = *(const int16_t *)address } };
    case DT_I32:  return (Number){ DKIND_INT, { .i = *(const int32_t *)address } };
    case DT_I64:  return (Number){ DKIND_INT, { .i = *(const int64_t *)address } };
    case DT_F16:  return (Number){ DKIND_FLOAT, { .f = (double)f16_to_float(*(const uint16_t *)address) } };
    case DT_BF16: return (Number){ DKIND_FLOAT, { .f = (double)bf16_to_float(*(const uint16_t *)address) } };
    case DT_F32:  return (Number){ DKIND_FLOAT, { .f = (double)*(const float *)address } };
    default:      return (Number){ DKIND_FLOAT, { .f = *(const double *)address } };
    }
}

void number_store(DType dtype, void *address, Number number)
{
    switch (dtype) {
    case DT_BOOL: *(uint8_t *)address = number_double(number) != 0; break;
    case DT_U8:   *(uint8_t *)address = (uint8_t)number_int32(number); break;
    case DT_I8:   *(int8_t *)address = (int8_t)number_int32(number); break;
    case DT_I16:  *(int16_t *)address = (int16_t)number_int32(number); break;
    case DT_I32:  *(int32_t *)address = number_int32(number); break;
    case DT_I64:  *(int64_t *)address = number_int(number); break;
    case DT_F16:  *(uint16_t *)address = float_to_f16((float)number_double(number)); break;
    case DT_BF16: *(uint16_t *)address = float_to_bf16((float)number_double(number)); break;
    case DT_F32:  *(float *)address = (float)number_double(number); break;
    default:      *(double *)address = number_double(number);
    }
}

void number_cast(DType dtype, Number *number)
{
    uint64_t element = 0;
    number_store(dtype, &element, *number);
    *number = number_load(dtype, &element);
}

void number_wrap(DType dtype, Number *number)
{
    if (number->kind != DKIND_INT)
        return;
    switch (dtype) {
    case DT_U8:  number->i = (uint8_t)number->i; break;
    case DT_I8:  number->i = (int8_t)number->i; break;
    case DT_I16: number->i = (int16_t)number->i; break;
    case DT_I32: number->i = (int32_t)number->i; break;
    default: break;
    }
}

bool number_fits(DType dtype, Number number)
{
    DTypeInfo info;
    if (dtype == DT_BOOL)
        return true;
    dtype_info(dtype, &info);
    if (rows[dtype].kind == DKIND_FLOAT) {
        double f = number_double(number);
        return isinf(f) || isnan(f) || (f >= info.min && f <= info.max);
    }
    if (number.kind == DKIND_FLOAT)
        return number.f >= (double)info.imin && number.f <= (double)info.imax && !isnan(number.f);
    int64_t i = number_int(number);
    return (i >= info.imin || dtype == DT_U8) && i <= info.imax && (dtype != DT_U8 || i >= -UINT8_MAX);
}

DKind arg_kind_number(const Arg *arg, Number *number)
{
    if (arg->kind == ARG_FLOAT)
        *number = (Number){ DKIND_FLOAT, { .f = arg->f } };
    else if (arg->kind == ARG_INT)
        *number = (Number){ DKIND_INT, { .i = arg->i } };
    else
        *number = (Number){ DKIND_BOOL, { .b = arg->b } };
    return number->kind;
}

DType dtype_result(Context *ctx, const Call *call, int first, int n)
{
    DType of[2] = { DT_NONE, DT_NONE };                         /* tensors with dims; 0-d tensors */
    int number = -1;                                            /* the highest kind among numbers */
    for (int k = first; k < first + n && k < call->args; k++) {
        const Arg *arg = &call->arg[k];
        if (arg->kind == ARG_TENSOR) {
            DType *best = &of[arg->tensor->ndim == 0], dtype = (DType)arg->tensor->dtype;
            *best = *best == DT_NONE ? dtype : dtype_promote(*best, dtype);
        } else if (arg->kind == ARG_BOOL || arg->kind == ARG_INT || arg->kind == ARG_FLOAT) {
            int kind = arg->kind == ARG_BOOL ? DKIND_BOOL : arg->kind == ARG_INT ? DKIND_INT : DKIND_FLOAT;
            number = kind > number ? kind : number;
        }
    }
    DType result = of[0];
    if (result == DT_NONE || (of[1] != DT_NONE && rows[of[1]].kind > rows[result].kind))
        result = of[1];
    if (number >= 0 && (result == DT_NONE || number > (int)rows[result].kind))
        result = number == DKIND_BOOL ? DT_BOOL : number == DKIND_INT ? DT_I64 : ctx->default_dtype;
    return result;
}

DType call_promote(Context *ctx, const Call *call)
{
    return dtype_result(ctx, call, 0, call->args);
}
