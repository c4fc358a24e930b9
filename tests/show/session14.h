/* session14.h - the session of X, Y, Z, A, V, T, S and R, one function a statement. */
#ifndef SESSION14_H
#define SESSION14_H
#include "stage.h"
static Prop *X, *Y, *Z, *V, *T, *S, *R;

static inline void make(const char *text, const char *name, Prop **prop, uint64_t object, uint64_t storage, int block, uint64_t was,
                        int id)
{
    stage_begin(text, false);
    stage_alloc(storage, block, was);
    *prop = stage_tensor(object, storage, block, DIMS(3, 4), DIMS(4, 1), 0, id);
    stage_bind(name, *prop);
}
static inline void do_X(void) { make("X = torch.arange(12.).view(3, 4)", "X", &X, 2, 1, 1, 0, 2); }
static inline void do_Y(void) { make("Y = torch.ones(3, 4)", "Y", &Y, 3, 2, 2, 0, 1); }
static inline void do_sum(void)
{
    make("Y = Y + X", "Y", &Y, 4, 3, 3, 0, 3);
    stage_free(2, 2);
}
static inline void do_Z(void) { make("Z = torch.zeros_like(Y)", "Z", &Z, 5, 4, 2, 2, 1); }
static inline void do_fill(void)
{
    stage_begin("Z[:] = X + Y", false);
    stage_at(1, "X + Y");
    stage_alloc(5, 4, 0);
    stage_at(1, "Z[:] = X + Y");
    stage_write(Z, NULL, NULL);
    stage_free(5, 4);
    stage.totals.next_object = 7;
}
static inline void do_A(void)
{
    stage_begin("A = X", false);
    stage_bind("A", X);
}
static inline void do_add(void)
{
    stage_begin("X += Y", false);
    stage_write(X, NULL, NULL);
    stage_bind("X", X);
}
static inline void do_V(void)
{
    stage_begin("V = X.view(-1)", false);
    V = stage_tensor(7, 1, 1, DIMS(12), DIMS(1), 0, 4);
    V->tensor.version = X->tensor.version;
    stage_bind("V", V);
}
static inline void do_store(void)
{
    stage_begin("V[0] = 100", false);
    stage_write(V, X, NULL);
}
static inline void do_T(void)
{
    stage_begin("T = X.t()", false);
    T = stage_tensor(8, 1, 1, DIMS(4, 3), DIMS(1, 4), 0, 5);
    stage_bind("T", T);
}
static inline void do_S(void)
{
    stage_begin("S = X[:, 1::2]", false);
    S = stage_tensor(9, 1, 1, DIMS(3, 2), DIMS(4, 2), 1, 6);
    stage_bind("S", S);
}
static inline void do_R(void)
{
    stage_begin("R = T.reshape(12)", false);
    stage_at(1, "T.reshape(12)");
    stage_alloc(6, 4, 5);
    Event *copy = stage_event(EVENT_COPY);
    copy->other = 1;
    copy->storage = 6;
    copy->bytes = 48;
    copy->reason = COPY_NOT_CONTIGUOUS;
    R = stage_tensor(10, 6, 4, DIMS(12), DIMS(1), 0, 7);
    stage_bind("R", R);
}
static inline void do_del(void)
{
    stage_begin("del Y", false);
    stage_unbind("Y");
    stage_free(3, 3);
}
static inline void do_last(void) { make("Y = X + 1", "Y", &Y, 11, 7, 3, 3, 3); }

static inline void do_loop(void)        /* for each turn: h takes a block, then Y */
{
    stage_begin("for i in range(100):\n    h = X * 2\n    Y = Y + h", true);
    Prop *h = NULL;
    for (int i = 0; i < 100; i++) {
        uint64_t s = 8 + 2 * (uint64_t)i;
        stage_at(2, "X * 2");
        stage_alloc(s, 10 + i % 2, 0);
        int props = stage.props;
        Prop *old = h;
        h = stage_tensor(12 + 2 * (uint64_t)i, s, 10 + i % 2, DIMS(3, 4), DIMS(4, 1), 0, 8);
        stage_at(2, "h = X * 2");
        stage_bind("h", h);
        if (old)
            stage_free(old->tensor.storage, 10 + (i + 1) % 2);
        stage_at(3, "Y + h");
        stage_alloc(s + 1, 20 + i % 2, 0);
        Prop *new = stage_tensor(13 + 2 * (uint64_t)i, s + 1, 20 + i % 2, DIMS(3, 4), DIMS(4, 1), 0, 9);
        stage_at(3, "Y = Y + h");
        uint64_t left = Y->tensor.storage;
        stage_bind("Y", new);
        Y = new;
        stage_free(left, 20);
        if (i < 99) {                   /* props are reused: two of each are enough */
            if (i % 2)
                stage.props = props - 2;
        }
    }
}
#endif
