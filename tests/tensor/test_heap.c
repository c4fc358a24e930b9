/* test_heap.c - the door to memory: order of reuse, serials, totals, events, refusal; half floats and promotion; handles. */
#include "tensor/half.h"
#include "tensor/impl.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static void last_freed_object_comes_first(void **state)
{
    (void)state;
    Err err = { 0 };
    Heap *heap = heap_new(false, &err);
    static const size_t sizes[] = { 16, 160, 512, 520, 5000, 300000, 3000000 };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        Object *a = heap_object_new(heap, sizes[i], TYPE_LIST, &err);
        Object *b = heap_object_new(heap, sizes[i], TYPE_LIST, &err);
        assert_true(a && b && a != b);
        assert_ptr_equal(heap_of(a), heap);
        assert_ptr_equal(heap_of(b), heap);
        heap_object_free(b, sizes[i]);
        heap_object_free(a, sizes[i]);
        if (sizes[i] > 262144)
            continue;                                   /* has chunks of its own, given back at once */
        Object *c = heap_object_new(heap, sizes[i], TYPE_LIST, &err);
        assert_ptr_equal(c, a);
        heap_object_free(c, sizes[i]);
    }
    assert_int_equal(heap->totals.objects, 0);
    heap_free(heap);
}

static void freed_block_is_reused_and_named(void **state)
{
    (void)state;
    Err err = { 0 };
    Heap *heap = heap_new(false, &err);
    Record *record = record_new();
    void *a, *b;
    size_t reserved;
    assert_true(heap_data_new(heap, 1, 48, &a, &reserved, &err));
    assert_int_equal(reserved, 64);
    assert_int_equal((uintptr_t)a % 64, 0);
    heap_data_free(heap, 1, 48, a, reserved);
    assert_int_equal(heap->totals.cached, 64);
    heap->record = record;
    record_reset(record, heap->totals.live, 2, 1, 0);
    assert_true(heap_data_new(heap, 2, 40, &b, &reserved, &err));
    assert_ptr_equal(a, b);
    assert_int_equal(record->count, 1);
    assert_int_equal(record->event[0].was, 1);
    assert_int_equal(record->event[0].origin, ORIGIN_CACHE);
    assert_int_equal(record->event[0].bytes, 40);
    heap_data_free(heap, 2, 40, b, reserved);
    assert_int_equal(record->allocated, 40);
    assert_int_equal(record->freed, 40);
    assert_int_equal(record->peak, 40);
    assert_int_equal(heap->totals.live, 0);
    record_free(record);
    heap_free(heap);
}

static void every_size_fits_its_block(void **state)
{
    (void)state;
    Err err = { 0 };
    Heap *heap = heap_new(false, &err);
    for (size_t bytes = 0; bytes < 20000000; bytes = bytes * 3 / 2 + 1) {
        void *block;
        size_t reserved;
        assert_true(heap_data_new(heap, 1, bytes, &block, &reserved, &err));
        assert_true(reserved >= bytes && reserved >= 64 && reserved % 64 == 0);
        assert_true(bytes < 4096 || reserved <= bytes + bytes / 8 + 64);
        memset(block, 1, reserved);
        heap_data_free(heap, 1, bytes, block, reserved);
    }
    void *block;
    size_t reserved;
    assert_false(heap_data_new(heap, 1, (size_t)1 << 62, &block, &reserved, &err));
    assert_int_equal(err.kind, ERR_RUNTIME);
    heap_trim(heap);
    heap_empty_cache(heap);
    heap_free(heap);
}

static void rows_beyond_the_first_are_summed(void **state)
{
    (void)state;
    Record *record = record_new();
    record_reset(record, 0, 1, 1, 0);
    for (int i = 0; i < RECORD_FULL + 9000; i++) {
        Event *event = record_add(record, EVENT_ALLOC);
        event->place.line = 7;
        event->bytes = 4;
    }
    record_flush(record);
    record_flush(record);
    assert_int_equal(record->count, RECORD_FULL);
    assert_int_equal(record->sums, 1);
    assert_int_equal(record->sum[0].count, 9000);
    assert_int_equal(record->sum[0].bytes, 36000);
    assert_int_equal(record->sum[0].line, 7);
    record_free(record);
}

static void halves_round_trip(void **state)
{
    (void)state;
    for (uint32_t h = 0; h < 65536; h++) {
        float f = f16_to_float((uint16_t)h), b = bf16_to_float((uint16_t)h);
        if (!isnan(f))
            assert_int_equal(float_to_f16(f), h);
        if (!isnan(b))
            assert_int_equal(float_to_bf16(b), h);
    }
    assert_int_equal(float_to_f16(65504.f * 2), 0x7c00);
    assert_int_equal(float_to_f16(2049.f), float_to_f16(2048.f));        /* half way: to even */
    assert_int_equal(float_to_f16(0x1p-25f), 0);                         /* half of the least: to even */
    assert_int_equal(float_to_f16(0x1.8p-25f), 1);
    assert_true(bf16_to_float(float_to_bf16(257.f)) == 256.f);
}

/* Rows and columns: b8 u8 i8 i16 i32 i64 f16 bf16 f32 f64, as torch.promote_types answers. */
static void promotion_as_pytorch(void **state)
{
    (void)state;
    static const char *const table[DT_COUNT] = {
        "0123456789", "1133456789", "2323456789", "3333456789", "4444456789",
        "5555556789", "6666666889", "7777778789", "8888888889", "9999999999",
    };
    for (int a = 0; a < DT_COUNT; a++)
        for (int b = 0; b < DT_COUNT; b++)
            assert_int_equal(dtype_promote((DType)a, (DType)b), table[a][b] - '0');
}

static void numbers_print_as_python(void **state)
{
    (void)state;
    static const struct { double f; const char *text; } cases[] = {
        { 0.1 + 0.2, "0.30000000000000004" }, { 3, "3.0" }, { 1e16, "1e+16" }, { 1e-5, "1e-05" }, { 0.0001, "0.0001" },
        { 123456789012345680, "1.2345678901234568e+17" }, { -0.0, "-0.0" }, { 1e22, "1e+22" }, { 5e-324, "5e-324" },
        { 9007199254740993, "9007199254740992.0" }, { INFINITY, "inf" }, { 1.5e300, "1.5e+300" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Text text = { 0 };
        number_print((Number){ DKIND_FLOAT, { .f = cases[i].f } }, &text);
        assert_string_equal(text_end(&text), cases[i].text);
        text_free(&text);
    }
}

static void handles_share_and_die(void **state)
{
    (void)state;
    Err err = { 0 };
    Context ctx = { .heap = heap_new(false, &err), .default_dtype = DT_F32 };
    static const int64_t shape[] = { 3, 4 }, turned[] = { 4, 3 }, strides[] = { 1, 4 };
    for (int64_t n = 0;; n++) {                         /* refuse each request once */
        heap_fail_after(ctx.heap, n);
        err.kind = ERR_NONE;
        Tensor *t = tensor_empty(&ctx, DT_F32, (Device){ 0, 0 }, 2, shape, &err);
        Tensor *v = t ? tensor_new_view(&ctx, t, 2, turned, strides, 0, &err) : NULL;
        bool whole = v;
        if (whole) {
            assert_ptr_equal(tensor_storage(t), tensor_storage(v));
            assert_ptr_equal(tensor_base(v), t);
            assert_ptr_equal(tensor_next_sharer(t), v);
            assert_false(tensor_is_contiguous(v));
            tensor_release(t);                          /* the view keeps base and bytes */
            assert_int_equal(ctx.heap->totals.live, 48);
            t = NULL;
        } else
            assert_true(err.kind == ERR_MEMORY || err.kind == ERR_RUNTIME);
        tensor_release(v);
        tensor_release(t);
        assert_int_equal(ctx.heap->totals.objects, 0);
        assert_int_equal(ctx.heap->totals.live, 0);
        assert_int_equal(mem_count(ctx.heap), 0);
        if (whole)
            break;
        assert_true(n < 20);
    }
    heap_free(ctx.heap);
}

static void shapes_broadcast(void **state)
{
    (void)state;
    Err err = { 0 };
    int64_t shape[8];
    int ndim;
    static const int64_t a[] = { 2, 1, 3 }, b[] = { 4, 1 }, c[] = { 2 };
    assert_true(shape_broadcast(3, a, 2, b, &ndim, shape, &err));
    assert_int_equal(ndim, 3);
    assert_int_equal(shape[0] * 100 + shape[1] * 10 + shape[2], 243);
    assert_false(shape_broadcast(3, a, 1, c, &ndim, shape, &err));
    assert_int_equal(err.kind, ERR_RUNTIME);
    assert_string_equal(err.message, "shapes (2, 1, 3) and (2,) do not broadcast: 3 against 2 at dimension 2");
    static const int64_t huge[] = { (int64_t)1 << 62, 4 };
    assert_int_equal(shape_numel(2, huge, &err), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(last_freed_object_comes_first), cmocka_unit_test(freed_block_is_reused_and_named),
        cmocka_unit_test(every_size_fits_its_block), cmocka_unit_test(rows_beyond_the_first_are_summed),
        cmocka_unit_test(halves_round_trip), cmocka_unit_test(promotion_as_pytorch), cmocka_unit_test(numbers_print_as_python),
        cmocka_unit_test(handles_share_and_die), cmocka_unit_test(shapes_broadcast),
    };
    return cmocka_run_group_tests_name("heap", tests, NULL, NULL);
}
