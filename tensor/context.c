/* context.c - what a session's operations share: heap, random stream, modes. */
#include "tensor/impl.h"

bool context_init(Context *ctx, bool fixed_addresses, Err *err)
{
    *ctx = (Context){ .default_dtype = DT_F32, .grad_mode = true, .print = { 4, 1000, 3, 80, -1 } };
    if (!(ctx->heap = heap_new(fixed_addresses, err)))
        return false;
    if (!(ctx->generator = generator_new(ctx->heap, 67280421310721u, err))) {     /* PyTorch's own first seed */
        heap_free(ctx->heap);
        return false;
    }
    return true;
}

void context_close(Context *ctx)
{
    parallel_close(ctx);
    generator_free(ctx->generator);
    heap_free(ctx->heap);
}
