/*
 * torch.h - what the files of the module torch share.
 */
#ifndef LANG_MODULES_TORCH_H
#define LANG_MODULES_TORCH_H
#include "lang/run/state.h"

/* The classes torch.Tensor, torch.Size …, named and callable as in PyTorch: borrowed. */
Class *torch_class(Session *s, TypeId type, Err *err);
/* no_grad() and its kin: a context manager that is a decorator too; the payload is one of these. */
enum { GRAD_OFF, GRAD_ON, GRAD_INFERENCE, GRAD_SET };
bool torch_grad_mode(Session *s, Value self, Value *arg, Value *out, Err *err);
/* torch.save and torch.load (files/torch_file.c). */
bool torch_save(Session *s, Value self, Value *arg, Value *out, Err *err);
bool torch_load(Session *s, Value self, Value *arg, Value *out, Err *err);
/* torch.finfo (payload 0) and torch.iinfo (1). */
bool torch_info(Session *s, Value self, Value *arg, Value *out, Err *err);
/* torch.contiguous_format, preserve_format, channels_last: false without an error for another name. */
bool torch_format(Session *s, const char *name, Value *out, Err *err);
#endif
