// heads.h - queries, keys and values (B, heads, rows, hs) for the cases of 10.2 to 10.4, and what these
// exercises have in common.

#ifndef GRADER_10_HEADS_H
#define GRADER_10_HEADS_H

#include "exercises/exercise.h"

// Fills. hs is at least 2 in the first three, and 16 in those that are exact.
void fill_rising(struct test_case *test, struct lab_rng *rng);
void fill_falling(struct test_case *test, struct lab_rng *rng);
void fill_large_scores(struct test_case *test, struct lab_rng *rng);

// Exact scores: a query selects one channel of the keys. In channel 0 they are near 10000, equal or 64
// apart, and every fifth query negates them. In the others, the first, the last or a middle key is more
// than 100 ahead of the rest. (So far from 0, a weight that is neither 0 nor one of equals would depend
// on whether log2(e) was multiplied in before the maximum was subtracted.)
#define EXACT_NOTE "scores near 10000 and -10000, or one key ahead of the others by 100"
void fill_exact(struct test_case *test, struct lab_rng *rng);
// Exact, too.
void fill_far_below(struct test_case *test, struct lab_rng *rng);

// As in far_down.h.
void fill_far_down(struct test_case *test, struct lab_rng *rng);

// For wide heads: even scores that are wrongly multiplied stay small enough for a float.
void fill_quiet(struct test_case *test, struct lab_rng *rng);

// Every key has the same weight.
void fill_two_sizes(struct test_case *test, struct lab_rng *rng);

// Heads of width 1 with one query and two keys. All are the same, so they and all results take no room in the student
// archive.
void fill_heads_alike(struct test_case *test, struct lab_rng *rng);
#define MANY_HEADS_NOTE "65537 heads"

// Quarters: the student archive does not store them.
void fill_coarse(struct test_case *test, struct lab_rng *rng);

// Changes: the keys and values of each head in the opposite order; another last key and value.
void change_order_of_keys(struct test_case *second, struct lab_rng *rng);
void change_last_key(struct test_case *second, struct lab_rng *rng);

// A nan_call: a kernel refuses wide heads; the CPU's reference does not. hs is the fifth size.
lab_status refuse_wide_heads(adaptor *call, any_function f, void *const *t,
                             const size_t *n);

// clang-format off

// The fields of struct flash_buffers in their order.
#define FLASH_WORKSPACES                                                                 \
    {"z.scores",        "Br Bc", WORKSPACE, F32, 0, 0},                                  \
    {"z.max",           "Br",    WORKSPACE, F32, 0, 0},                                  \
    {"z.sum",           "Br",    WORKSPACE, F32, 0, 0},                                  \
    {"z.weighted",      "Br hs", WORKSPACE, F32, 0, 0},                                  \
    {"z.tile_max",      "Br",    WORKSPACE, F32, 0, 0},                                  \
    {"z.tile_sum",      "Br",    WORKSPACE, F32, 0, 0},                                  \
    {"z.tile_weighted", "Br hs", WORKSPACE, F32, 0, 0}
// clang-format on

// Tiles of 128 x 128 scores and more fit.
enum { HEAP_KILOBYTES = 256 };
#define HEAP_REASON "flash attention needs only a few tiles, which are in z"

// BEGIN HANDED OUT
#define OUT_TOLERANCE 1e-5f, 1e-4f
#define LOGSUMEXP_TOLERANCE 1e-5f, 2e-6f

// Are out and logsumexp the same but for rounding?
bool near_results(const struct test_case *first, const struct test_case *second,
                  char *why, size_t why_size);
// Are out and logsumexp of all queries but the last the same, bit for bit?
bool earlier_queries_stay(const struct test_case *first, const struct test_case *second,
                          char *why, size_t why_size);
// END HANDED OUT

#endif
