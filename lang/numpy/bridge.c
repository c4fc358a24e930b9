/*
 * bridge.c - from tensors to arrays and back: another object over the same storage, with a family of versions of its own, so
 * that a write through one is seen by the other and counted by itself alone.
 */
#include "lang/numpy/numpy.h"

bool array_of_tensor(Session *s, Tensor *t, Value *out, Err *err)
{
    if (tensor_requires_grad(t))
        return err_set(err, ERR_RUNTIME, "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.");
    if (tensor_device(t).type != DEVICE_CPU)
        return err_set(err, ERR_TYPE, "can't convert cuda:%d device type tensor to numpy. Use Tensor.cpu() to copy the tensor to host memory first.",
                       tensor_device(t).index);
    if (tensor_dtype(t) == DT_BF16)
        return err_set(err, ERR_TYPE, "Got unsupported ScalarType BFloat16");
    Tensor *made = tensor_share(&s->ctx, t, err);
    if (made) {
        ((Object *)made)->type = TYPE_NDARRAY;
        ((Object *)made)->flags |= ARRAY_SHARES;
    }
    return array_out(made, out);
}

bool tensor_of_array(Session *s, Value array, Value *out, Err *err)
{
    if (!value_is_array(array))
        return err_set(err, ERR_TYPE, "expected np.ndarray (got %s)", value_type_name(array));
    Tensor *made = tensor_share(&s->ctx, value_tensor(array), err);
    return array_out(made, out);
}
