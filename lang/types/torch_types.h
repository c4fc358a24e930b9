/*
 * torch_types.h - the small objects around tensors: torch.dtype, torch.device, torch.Size, torch.Generator, and what
 * the files about tensors share.
 */
#ifndef LANG_TYPES_TORCH_TYPES_H
#define LANG_TYPES_TORCH_TYPES_H
#include "lang/run/state.h"

typedef struct DTypeObject { Object head; DType dtype; } DTypeObject;
typedef struct DeviceObject { Object head; Device device; bool indexed; } DeviceObject;
typedef struct GeneratorObject { Object head; Generator *generator; bool owned; } GeneratorObject;

/* torch.float32 …: one object each for the session, a new reference. */
bool dtype_value(Session *s, DType dtype, Value *out, Err *err);
bool device_value(Session *s, Device device, Value *out, Err *err);
bool size_value(Session *s, int n, const int64_t *shape, Value *out, Err *err);
/* A torch.dtype, or the classes float, int and bool; false for another value. */
bool dtype_from_value(Session *s, Value v, DType *dtype);
/* "cpu", an index, a torch.device. False: err set for a device that is not there, err untouched for another type. */
bool device_from_value(Session *s, Value v, Device *device, Err *err);
static inline bool call_bool_arg(const Arg *arg) { return arg->kind == ARG_BOOL && arg->b; }

/* torch.tensor and its kin: reads nested lists, numbers, tensors. dtype DT_NONE: inferred. */
bool tensor_from_value(Session *s, Value data, DType dtype, Tensor **out, Err *err);
bool array_from_value(Session *s, Value data, DType dtype, Tensor **out, Err *err);      /* np.array: an ndarray */
/* 0 torch.contiguous_format, 1 preserve_format, 2 channels_last; false for another value. */
bool memory_format(Value v, int64_t *format);
/* An index x[…] as items (room for DIMS_INDEX of them); tensors made from lists are kept in `made`. */
enum { INDEX_ITEMS = 72 };
typedef struct IndexList { IndexItem item[INDEX_ITEMS]; int n; Tensor *made[INDEX_ITEMS]; int made_n; } IndexList;
bool index_from_value(Session *s, Value key, IndexList *list, Err *err);
void index_free(IndexList *list);

/* The method `name` of tensors as a function that takes self first: borrowed and cached; NULL without err when there is none. */
Builtin *tensor_find_method(Session *s, Str *name, Err *err);
bool tensor_to_list(Session *s, const Tensor *t, Value *out, Err *err);
/* Rows that ndarrays, laid out alike, share. */
void tensor_drop(Object *self);
void tensor_visit(Object *self, Visitor *visitor);
Module *module_torch(Session *s, Err *err);

extern const Type type_tensor, type_storage, type_dtype, type_device, type_generator_rng, type_builtin;
#endif
