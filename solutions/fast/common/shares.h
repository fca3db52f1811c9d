// shares.h - a loop whose items are shared out once: each thread gets one run of them.
//
// lab_parallel hands out items one by one, to whichever thread is free. Code that needs a workspace for
// each thread, or that adds up, wants something else: a fixed part of the items for each. Then the results
// depend on the number of threads only, never on which of them was faster.

#ifndef LAB_SHARES_H
#define LAB_SHARES_H

#include <stddef.h>

#include "common/status.h"

// Items from ... to - 1 of a loop; index is the number of this share, 0 first.
struct lab_share {
    size_t index, from, to;
};

// How many shares so many items have: one for each thread, none of them empty.
size_t lab_shares_of(size_t items);

// Calls work once for each of so many shares (1 to items, at most LAB_THREADS_MOST), several at a time.
// Returns the first status that is not LAB_OK, in the order of the shares.
lab_status lab_share_out(lab_status (*work)(const void *context, struct lab_share share),
                         const void *context, size_t items, size_t shares);

#endif
