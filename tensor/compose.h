/*
 * compose.h - operations that are made of other operations. Steps are written one after the other: after a step that failed every
 * further one answers NULL, and what the steps made is let go of at the end.
 */
#ifndef TENSOR_COMPOSE_H
#define TENSOR_COMPOSE_H
#include "tensor/part.h"

enum { COMPOSE_STEPS = 64 };
typedef struct Compose {
    Context *ctx;
    Err     *err;
    int      n;
    bool     failed;                    /* err is set; stale errors of earlier calls do not count */
    Tensor  *made[COMPOSE_STEPS];       /* owned */
} Compose;

/* Arguments of a step. */
#define T(x)  ((Arg){ .kind = ARG_TENSOR, .tensor = (x) })
#define F(x)  ((Arg){ .kind = ARG_FLOAT, .f = (x) })
#define I(x)  ((Arg){ .kind = ARG_INT, .i = (x) })
#define B(x)  ((Arg){ .kind = ARG_BOOL, .b = (x) })
#define DT(x) ((Arg){ .kind = ARG_DTYPE, .dtype = (x) })
#define NONE  ((Arg){ .kind = ARG_NONE })
#define STR(x) ((Arg){ .kind = ARG_STR, .str = (x) })
#define INTS(p, count) ((Arg){ .kind = ARG_INTS, .n = (count), .ints = (p) })
#define TENSORS(p, count) ((Arg){ .kind = ARG_TENSORS, .n = (count), .tensors = (p) })
/* The first result of an operation, borrowed; `c` is the composition; arguments in the order of its signature, those left out count as None. */
#define DO(op, ...) compose_step(c, OP_##op, (int)(sizeof((Arg[]){ __VA_ARGS__ }) / sizeof(Arg)), (Arg[]){ __VA_ARGS__ }, 0)
/* Its second result; the first is dropped. */
#define DO_SECOND(op, ...) compose_step(c, OP_##op, (int)(sizeof((Arg[]){ __VA_ARGS__ }) / sizeof(Arg)), (Arg[]){ __VA_ARGS__ }, 1)
#define COMPOSE Compose compose = { .ctx = ctx, .err = err }, *const c = &compose; (void)plan, (void)op

Tensor *compose_step(Compose *c, OpId id, int args, const Arg *arg, int result);
/* Takes over a tensor (NULL is allowed) and gives it back, borrowed. */
Tensor *compose_keep(Compose *c, Tensor *made);
/* t in another dtype: itself where that is its own. */
Tensor *compose_cast(Compose *c, Tensor *t, DType dtype);
/* The end: `result`, or what it is in place, is the call's; NULL is a failure. */
bool    compose_end(Compose *c, OpId id, Call *call, Tensor *result);
/* The same for several results. */
bool    compose_end_many(Compose *c, Call *call, int n, Tensor *const *result);
/* The end of what failed with err set. Always false. */
bool    compose_fail(Compose *c);
#endif
