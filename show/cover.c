/* cover.c - a bit for each unit of a storage. */
#include "show/cover.h"
#include <string.h>

static void set_run(Cover *cover, int64_t at, int64_t n)
{
    for (; n && at % 64; at++, n--)
        cover->bit[at / 64] |= (uint64_t)1 << at % 64;
    for (; n >= 64; at += 64, n -= 64)
        cover->bit[at / 64] = UINT64_MAX;
    for (; n; at++, n--)
        cover->bit[at / 64] |= (uint64_t)1 << at % 64;
}

/* Sets the units of all elements; the innermost dimension that is dense goes in one run. */
static void set_all(Cover *cover, int ndim, const int64_t *shape, const int64_t *stride, int64_t offset, int64_t scale)
{
    int64_t run = scale, index[64] = { 0 };
    while (ndim && stride[ndim - 1] * scale == run && shape[ndim - 1] > 0)
        run *= shape[--ndim];
    for (int64_t at = offset * scale; ; ) {
        set_run(cover, at, run);
        int d = ndim - 1;
        for (; d >= 0; d--) {
            at += stride[d] * scale;
            if (++index[d] < shape[d] && stride[d])     /* a stride of 0 comes to the same units again */
                break;
            at -= index[d] * stride[d] * scale;
            index[d] = 0;
        }
        if (d < 0)
            return;
    }
}

bool cover_make(Heap *heap, Cover *cover, int64_t units, int ndim, const int64_t *shape, const int64_t *stride, int64_t offset,
                int64_t scale)
{
    *cover = (Cover){ .heap = heap, .units = units, .low = offset * scale, .high = offset * scale + scale };
    for (int d = 0; d < ndim; d++) {
        if (!shape[d]) {
            cover->high = cover->low;
            return true;
        }
        int64_t reach = (shape[d] - 1) * stride[d] * scale;
        cover->high += reach > 0 ? reach : 0;
        cover->low += reach < 0 ? reach : 0;
    }
    if (units > COVER_UNITS || cover->low < 0 || cover->high > units)
        return true;
    size_t bytes = (size_t)(units + 63) / 64 * sizeof *cover->bit;
    if (!(cover->bit = mem_new(heap, bytes)))
        return false;
    memset(cover->bit, 0, bytes);
    set_all(cover, ndim, shape, stride, offset, scale);
    return true;
}

void cover_free(Cover *cover)
{
    if (cover->heap)
        mem_free(cover->heap, cover->bit);
    cover->bit = NULL;
}

int64_t cover_count(const Cover *cover)
{
    return cover_both(cover, cover);
}

int64_t cover_both(const Cover *a, const Cover *b)
{
    int64_t low = a->low > b->low ? a->low : b->low, high = a->high < b->high ? a->high : b->high, n = 0;
    if (!a->bit || !b->bit)
        return high > low ? high - low : 0;
    for (int64_t i = 0; i < (a->units + 63) / 64; i++)
        n += __builtin_popcountll((unsigned long long)(a->bit[i] & b->bit[i]));
    return n;
}

int cover_part(const Cover *cover, int64_t from, int64_t to)
{
    bool some = false, all = true;
    if (!cover->bit) {
        int64_t low = from > cover->low ? from : cover->low, high = to < cover->high ? to : cover->high;
        return high <= low ? 0 : high - low == to - from ? 2 : 1;
    }
    for (int64_t k = from; k < to; ) {
        bool whole = k % 64 == 0 && to - k >= 64;
        uint64_t word = cover->bit[k / 64];
        some = some || (whole ? word != 0 : word >> k % 64 & 1);
        all = all && (whole ? word == UINT64_MAX : word >> k % 64 & 1);
        k += whole ? 64 : 1;
    }
    return some ? 1 + all : 0;
}
