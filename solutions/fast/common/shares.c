// shares.c - see shares.h.

#include "fast/common/shares.h"

#include "common/parallel.h"

size_t lab_shares_of(size_t items)
{
    return items < lab_threads() ? items : lab_threads();
}

struct loop {
    lab_status (*work)(const void *context, struct lab_share share);
    const void *context;
    size_t items, shares;
    lab_status status[LAB_THREADS_MOST];
};

static void some_shares(void *context, size_t first, size_t count)
{
    struct loop *loop = context;
    for (size_t i = first; i < first + count; i++) {
        const struct lab_share share = {i, loop->items * i / loop->shares,
                                        loop->items * (i + 1) / loop->shares};
        loop->status[i] = loop->work(loop->context, share);
    }
}

lab_status lab_share_out(lab_status (*work)(const void *context, struct lab_share share),
                         const void *context, size_t items, size_t shares)
{
    struct loop loop = {work, context, items, shares, {LAB_OK}};
    lab_parallel(some_shares, &loop, shares);
    for (size_t i = 0; i < shares; i++) {
        LAB_TRY(loop.status[i]);
    }
    return LAB_OK;
}
