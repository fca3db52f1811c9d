// 03_byte_pair_merge.c - exercise 11.3, byte_pair_merge: cases, known mistakes and hints.
//
// Everything is a whole number and must be exactly right.

#include "exercises/exercise.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

#include "11_reading_attention/reading.h"
#include "common/rng.h"

// ---- cases ----------------------------------------------------------------------------------

// The unit, repeated. The token of a character is its code.
static void fill_tokens(struct test_case *test, const char *unit)
{
    const size_t N = case_dim(test, "N"), length = strlen(unit);
    assert(N % length == 0);
    for (size_t n = 0; n < N; n++) {
        case_size(test, "tokens")[n] = (size_t)unit[n % length];
    }
}

// pairs: left, right and merged token of each, with one blank between two pairs
static void fill_table(struct test_case *test, const char *pairs)
{
    const size_t M = case_dim(test, "M");
    assert(strlen(pairs) + 1 == 4 * M);
    for (size_t m = 0; m < M; m++) {
        case_size(test, "left")[m] = (size_t)pairs[4 * m];
        case_size(test, "right")[m] = (size_t)pairs[4 * m + 1];
        case_size(test, "merged")[m] = (size_t)pairs[4 * m + 2];
    }
}

// TOKENS(name, unit, pairs): a fill
#define TOKENS(name, unit, pairs)                                                        \
    static void name(struct test_case *test, struct lab_rng *rng)                        \
    {                                                                                    \
        (void)rng;                                                                       \
        fill_tokens(test, unit);                                                         \
        fill_table(test, pairs);                                                         \
    }

TOKENS(fill_example, "lower", "loA AwB erC")
TOKENS(fill_none, "xyzx", "abA zyB yyC")
TOKENS(fill_single, "a", "aaA")
TOKENS(fill_one_of_three, "x", "abA zyB yyC")
TOKENS(fill_two, "ab", "abX")
TOKENS(fill_twice_nothing, "ba", "abX aaY")
TOKENS(fill_right_first, "abc", "bcX abY")
TOKENS(fill_left_first, "abc", "abX bcY")
TOKENS(fill_ends, "abxcd", "cdX abY xYZ")
TOKENS(fill_last_rank, "xab", "xyX yxY abZ")
TOKENS(fill_token_order, "abc", "bcZ abY")
TOKENS(fill_everywhere, "abcabdab", "abX")
TOKENS(fill_aaa, "aaa", "aaA")
TOKENS(fill_aaaa, "aaaa", "aaA")
TOKENS(fill_aaaaa, "aaaaa", "AAB aaA")
TOKENS(fill_cascade, "abcdefg", "fgU ceV eUW dWX cXY bYZ aZT")
TOKENS(fill_lower_rank, "aba", "XaY abX")
TOKENS(fill_lower_rank_twice, "abab", "XaY abX")
TOKENS(fill_same_token, "abcdx", "abX cdX XXY")
TOKENS(fill_own_part, "abbbc", "acX aba")
TOKENS(fill_right_part, "abcbc", "bcb abX")
TOKENS(fill_long, "abc", "caX abY YcZ ZZW")
TOKENS(fill_long_run, "a", "aaA AAB BBC CBD")

// Tokens that 32 bits do not hold, and that differ only above them.
static void fill_large_tokens(struct test_case *test, struct lab_rng *rng)
{
    const size_t high = (size_t)1 << 40;
    fill_lower_rank_twice(test, rng);
    case_size(test, "tokens")[0] += high;
    case_size(test, "left")[0] += high;
    case_size(test, "merged")[1] += high;
}

// Every token is as large.
static void fill_all_large(struct test_case *test, struct lab_rng *rng)
{
    static const char *const names[] = {"tokens", "left", "right", "merged"};
    fill_lower_rank_twice(test, rng);
    for (size_t i = 0; i < 4; i++) {
        for (size_t n = 0; n < case_count(test, names[i]); n++) {
            case_size(test, names[i])[n] += (size_t)1 << 40;
        }
    }
}

static void fill_no_table(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    fill_tokens(test, "aab");
}

static void fill_no_tokens(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    fill_table(test, "abX bbY");
}

static void draw_tokens(struct test_case *test, struct lab_rng *rng, size_t kinds)
{
    for (size_t n = 0; n < case_dim(test, "N"); n++) {
        case_size(test, "tokens")[n] = lab_rng_next32(rng) % kinds;
    }
}

// Different pairs of the tokens 0 to 5, in any order. Each becomes 3, 4 or 5.
static void fill_any(struct test_case *test, struct lab_rng *rng)
{
    enum { TOKENS = 6, PAIRS = TOKENS * TOKENS };
    size_t order[PAIRS];
    for (size_t i = 0; i < PAIRS; i++) {
        const size_t other = lab_rng_next32(rng) % (i + 1);
        order[i] = order[other];
        order[other] = i;
    }
    for (size_t m = 0; m < case_dim(test, "M"); m++) {
        case_size(test, "left")[m] = order[m] / TOKENS;
        case_size(test, "right")[m] = order[m] % TOKENS;
        case_size(test, "merged")[m] = 3 + lab_rng_next32(rng) % 3;
    }
    draw_tokens(test, rng, 3);
}

// Is this pair in the first M places of the table?
static bool listed(const struct test_case *test, size_t left, size_t right, size_t M)
{
    for (size_t m = 0; m < M; m++) {
        if (((const size_t *)case_input(test, "left"))[m] == left &&
            ((const size_t *)case_input(test, "right"))[m] == right) {
            return true;
        }
    }
    return false;
}

// Like a trained table: pair m consists of older tokens and becomes token 3 + m.
static void fill_trained(struct test_case *test, struct lab_rng *rng)
{
    for (size_t m = 0; m < case_dim(test, "M"); m++) {
        size_t left, right;
        do {
            left = lab_rng_next32(rng) % (3 + m);
            right = lab_rng_next32(rng) % (3 + m);
        } while (listed(test, left, right, m));
        case_size(test, "left")[m] = left;
        case_size(test, "right")[m] = right;
        case_size(test, "merged")[m] = 3 + m;
    }
    draw_tokens(test, rng, 3);
}

static void set_pair(struct test_case *test, size_t m, size_t left, size_t right,
                     size_t merged)
{
    case_size(test, "left")[m] = left;
    case_size(test, "right")[m] = right;
    case_size(test, "merged")[m] = merged;
}

// Each round merges one pair, at the beginning of the word, and the new pair has a lower rank. The
// last three tokens are two pairs, whose ranks have the other order if only 8 bits are compared.
static void fill_rounds(struct test_case *test, struct lab_rng *rng)
{
    enum { BEGINS, NEXT, X, Y, Z, FIRST_NEW };
    enum { Y_Z = 10, X_Y = 257 }; // ranks
    const size_t N = case_dim(test, "N"), M = case_dim(test, "M");
    size_t *tokens = case_size(test, "tokens"), begins = BEGINS, merged = FIRST_NEW;
    (void)rng;
    for (size_t m = M; m-- > 0; merged++) {
        if (m == Y_Z || m == X_Y) {
            set_pair(test, m, m == Y_Z ? Y : X, m == Y_Z ? Z : Y, merged);
        } else {
            set_pair(test, m, begins, NEXT, merged);
            begins = merged;
        }
    }
    for (size_t n = 0; n < N; n++) {
        tokens[n] = n == 0 ? BEGINS : n + 3 < N ? NEXT : X + n + 3 - N;
    }
}

// Longer than GPT-2's table of 50000. In the word EBCABCD, BC comes first, and then A and BC; if only 16 bits of a rank are
// compared, AB does. All other pairs are the same one, which the word does not have: that keeps the archive small.
static void fill_long_table(struct test_case *test, struct lab_rng *rng)
{
    enum { A, B, C, D, E, BC, ABC, OTHER };
    enum { RANK_BC = 65530, RANK_ABC = 65550, RANK_AB = 65600, RANK_EB = 65650 };
    static const size_t word[] = {E, B, C, A, B, C, D};
    const size_t M = case_dim(test, "M");
    (void)rng;
    for (size_t m = 0; m < M; m++) {
        set_pair(test, m, OTHER, OTHER, OTHER); // of equal pairs, the first counts
    }
    set_pair(test, RANK_BC, B, C, BC);
    set_pair(test, RANK_ABC, A, BC, ABC);
    set_pair(test, RANK_AB, A, B, OTHER);
    set_pair(test, RANK_EB, E, B, OTHER);
    set_pair(test, M - 1, ABC, D, OTHER);
    memcpy(case_size(test, "tokens"), word, sizeof word);
}

static const struct case_spec merge_cases[] = {
    {.dims = "N=5 M=3", .fill = fill_example, .note = "lower, the example of the header"},
    {.dims = "N=4 M=3", .fill = fill_none, .note = "no pair is in the table"},
    {.dims = "N=1 M=1", .fill = fill_single, .note = "a word of one token"},
    {.dims = "N=2 M=1", .fill = fill_two, .note = "two tokens"},
    {.dims = "N=2 M=2", .fill = fill_twice_nothing, .note = "a pair in the other order"},
    {.dims = "N=3 M=2",
     .fill = fill_right_first,
     .note = "the right one of two pairs has the lower rank"},
    {.dims = "N=3 M=2",
     .fill = fill_left_first,
     .note = "the left one of two pairs has the lower rank"},
    {.dims = "N=5 M=3", .fill = fill_ends, .note = "a pair at either end"},
    {.dims = "N=3 M=3", .fill = fill_last_rank, .note = "the last rank of the table"},
    {.dims = "N=3 M=2",
     .fill = fill_token_order,
     .note = "the lower rank gives the larger token"},
    {.dims = "N=8 M=1", .fill = fill_everywhere, .note = "one pair three times"},
    {.dims = "N=3 M=1", .fill = fill_aaa, .note = "three equal tokens"},
    {.dims = "N=4 M=1", .fill = fill_aaaa, .note = "four equal tokens"},
    {.dims = "N=5 M=2",
     .fill = fill_aaaaa,
     .note = "five equal tokens, and a lower rank for the result"},
    {.dims = "N=7 M=7", .fill = fill_cascade, .note = "each new token is merged again"},
    {.dims = "N=3 M=2",
     .fill = fill_lower_rank,
     .note = "the pair of a new token has a lower rank"},
    {.dims = "N=4 M=2",
     .fill = fill_lower_rank_twice,
     .note = "a pair occurs twice, and the pair of the new token has a lower rank"},
    {.dims = "N=5 M=3",
     .fill = fill_same_token,
     .note = "two pairs become the same token"},
    {.dims = "N=5 M=2",
     .fill = fill_own_part,
     .note = "a new token equals its left part"},
    {.dims = "N=5 M=2",
     .fill = fill_right_part,
     .note = "a new token equals its right part"},
    {.dims = "N=4 M=2",
     .fill = fill_large_tokens,
     .note = "tokens that 32 bits do not hold"},
    {.dims = "N=6..20 M=12", .draws = 12, .fill = fill_any, .note = "ranks in any order"},
    {.dims = "N=12..40 M=14",
     .draws = 8,
     .fill = fill_trained,
     .note = "ranks as in a trained table"},
    {.dims = "N=61 M=256", .fill = fill_trained, .note = "256 pairs in the table"},
    {.dims = "N=303 M=4", .fill = fill_long, .note = "303 tokens"},
    {.dims = "N=301 M=4", .fill = fill_long_run, .note = "301 equal tokens"},
    {.dims = "N=3 M=0", .fill = fill_no_table, .note = "an empty table"},
    {.dims = "N=1 M=3", .fill = fill_one_of_three, .note = "one token, three pairs"},
    {.dims = "N=256 M=4", .fill = fill_long_run, .note = "256 equal tokens"},
    {.dims = "N=2001 M=4", .fill = fill_long, .note = "2001 tokens"},
    {.dims = "N=0 M=2", .fill = fill_no_tokens, .note = "a size of 0"},
    {.dims = "N=274 M=272",
     .fill = fill_rounds,
     .note = "more than 256 rounds, and ranks above 255"},
    {.dims = "N=7 M=65700",
     .fill = fill_long_table,
     .note = "a table of 65700 pairs, and ranks above 65535"},
    {.dims = "N=4 M=2",
     .fill = fill_all_large,
     .note = "every token is one that 32 bits do not hold"},
    {0},
};

// ---- known mistakes -------------------------------------------------------------------------

enum fault {
    NONE,
    LEFTMOST,
    LEFTMOST_EVERYWHERE,
    HIGHEST,
    LOWEST_TOKEN,
    RANK_0_MISSED,
    LAST_RANK_MISSED,
    FIRST_PAIR_MISSED,
    LAST_PAIR_MISSED,
    SWAPPED,
    EITHER_ORDER,
    ONCE,
    FROM_RIGHT,
    ONE_ROUND,
    RANK_FOR_TOKEN,
    LAST_FOUND,
    LAST_PAIR,
    COUNT_IS_N,
    MOST_FREQUENT,
};

#define MERGE_ARGUMENTS                                                                  \
    size_t *tokens, size_t *count, const struct lab_merges *merges, size_t N

static size_t rank_of(const struct lab_merges *merges, size_t left, size_t right,
                      enum fault fault)
{
    const size_t rank = lab_merge_rank(merges, left, right);
    const size_t swapped = lab_merge_rank(merges, right, left);
    const size_t found = fault == SWAPPED                          ? swapped
                         : fault == EITHER_ORDER && swapped < rank ? swapped
                                                                   : rank;
    const bool missed = (fault == RANK_0_MISSED && found == 0) ||
                        (fault == LAST_RANK_MISSED && found + 1 == merges->M);
    return missed ? merges->M : found;
}

// Is this rank to be taken rather than the best so far?
static bool comes_before(const struct lab_merges *merges, size_t rank, size_t best,
                         enum fault fault)
{
    if (fault == LAST_PAIR) {
        return true;
    }
    if (best == merges->M || rank == merges->M) {
        return best == merges->M;
    }
    switch (fault) {
    case LEFTMOST:
    case LEFTMOST_EVERYWHERE:
        return false;
    case LAST_FOUND:
        return true;
    case HIGHEST:
        return rank > best;
    case LOWEST_TOKEN:
        return merges->merged[rank] < merges->merged[best];
    default:
        return rank < best;
    }
}

// The rank of the pair that occurs most often in the word; of several, the first one's.
static size_t most_frequent(const size_t *tokens, const struct lab_merges *merges,
                            size_t N)
{
    size_t best = merges->M, most = 0;
    for (size_t n = 1; n < N; n++) {
        const size_t rank = lab_merge_rank(merges, tokens[n - 1], tokens[n]);
        size_t times = 0;
        for (size_t i = 1; i < N && rank < merges->M; i++) {
            times += tokens[i - 1] == tokens[n - 1] && tokens[i] == tokens[n];
        }
        best = times > most ? rank : best;
        most = times > most ? times : most;
    }
    return best;
}

// The rank that is merged next; M if there is none.
static size_t next_rank(const size_t *tokens, const struct lab_merges *merges, size_t N,
                        enum fault fault)
{
    if (fault == MOST_FREQUENT) {
        return most_frequent(tokens, merges, N);
    }
    size_t best = merges->M;
    const size_t first = fault == FIRST_PAIR_MISSED ? 2 : 1;
    for (size_t n = first; n + (fault == LAST_PAIR_MISSED) < N; n++) {
        const size_t rank = rank_of(merges, tokens[n - 1], tokens[n], fault);
        best = comes_before(merges, rank, best, fault) ? rank : best;
    }
    return best;
}

// Merges the tokens n and n + 1 of N.
static void merge_at(size_t *tokens, size_t n, size_t token, size_t N)
{
    tokens[n] = token;
    memmove(tokens + n + 1, tokens + n + 2, (N - n - 2) * sizeof *tokens);
}

// Merges the pairs of this rank. Returns the new number of tokens.
static size_t merge_rank(size_t *tokens, const struct lab_merges *merges, size_t rank,
                         size_t N, enum fault fault)
{
    const size_t token = fault == RANK_FOR_TOKEN ? rank : merges->merged[rank];
    const size_t places = N - 1;
    for (size_t i = 0; i < places; i++) {
        const size_t n = fault == FROM_RIGHT ? places - 1 - i : i;
        if (n + 1 < N && rank_of(merges, tokens[n], tokens[n + 1], fault) == rank) {
            merge_at(tokens, n, token, N);
            N--;
            if (fault == ONCE || fault == LEFTMOST) {
                break;
            }
        }
    }
    return N;
}

static lab_status merge(MERGE_ARGUMENTS, enum fault fault)
{
    if (N == 0) {
        return LAB_ESHAPE;
    }
    const size_t N_at_first = N;
    size_t rank;
    while ((rank = next_rank(tokens, merges, N, fault)) < merges->M) {
        N = merge_rank(tokens, merges, rank, N, fault);
        if (fault == ONE_ROUND) {
            break;
        }
    }
    *count = fault == COUNT_IS_N ? N_at_first : N;
    return LAB_OK;
}

#define WRONG(name, fault)                                                               \
    static lab_status name(MERGE_ARGUMENTS)                                              \
    {                                                                                    \
        return merge(tokens, count, merges, N, fault);                                   \
    }

WRONG(merge_leftmost, LEFTMOST)
WRONG(merge_leftmost_everywhere, LEFTMOST_EVERYWHERE)
WRONG(merge_highest, HIGHEST)
WRONG(merge_lowest_token, LOWEST_TOKEN)
WRONG(merge_rank_0_missed, RANK_0_MISSED)
WRONG(merge_last_rank_missed, LAST_RANK_MISSED)
WRONG(merge_first_pair_missed, FIRST_PAIR_MISSED)
WRONG(merge_last_pair_missed, LAST_PAIR_MISSED)
WRONG(merge_swapped, SWAPPED)
WRONG(merge_either_order, EITHER_ORDER)
WRONG(merge_once, ONCE)
WRONG(merge_from_right, FROM_RIGHT)
WRONG(merge_one_round, ONE_ROUND)
WRONG(merge_rank_for_token, RANK_FOR_TOKEN)
WRONG(merge_last_found, LAST_FOUND)
WRONG(merge_last_pair, LAST_PAIR)
WRONG(merge_count_is_N, COUNT_IS_N)
WRONG(merge_most_frequent, MOST_FREQUENT)

// Goes through the table once, in the order of the ranks.
static lab_status merge_in_one_pass(MERGE_ARGUMENTS)
{
    if (N == 0) {
        return LAB_ESHAPE;
    }
    for (size_t rank = 0; rank < merges->M; rank++) {
        N = merge_rank(tokens, merges, rank, N, NONE);
    }
    *count = N;
    return LAB_OK;
}

// In a run of equal tokens, each pair becomes one, so a token may be used twice: a a a becomes A A.
static lab_status merge_overlapping(MERGE_ARGUMENTS)
{
    if (N == 0) {
        return LAB_ESHAPE;
    }
    size_t rank;
    while ((rank = next_rank(tokens, merges, N, NONE)) < merges->M) {
        size_t kept = 0;
        bool used = false;
        for (size_t n = 0; n < N; n++) {
            const bool here =
                n + 1 < N && lab_merge_rank(merges, tokens[n], tokens[n + 1]) == rank;
            if (here || !used) {
                tokens[kept++] = here ? merges->merged[rank] : tokens[n];
            }
            used = here;
        }
        N = kept;
    }
    *count = N;
    return LAB_OK;
}

static const struct mistake merge_mistakes[] = {
    {
        .id = "leftmost-first",
        .what = "the first pair from the left that is in the table is merged",
        .why =
            "Look at all pairs of neighbors first; then merge the one with the lowest rank.",
        .source = NULL,
        .function = LIKE(byte_pair_merge, merge_leftmost),

    },
    {
        .id = "leftmost-everywhere",
        .what = "the first pair from the left that is in the table is merged everywhere",
        .why =
            "Look at all pairs of neighbors first; then merge the one with the lowest rank.",
        .source = NULL,
        .function = LIKE(byte_pair_merge, merge_leftmost_everywhere),
    },
    {
        .id = "highest-rank-first",
        .what = "the pair with the highest rank is merged first",
        .why = "The lowest rank comes first: rank 0 was the most frequent pair.",
        .source = NULL,
        .function = LIKE(byte_pair_merge, merge_highest),

    },
    {
        .id = "most-frequent-first",
        .what = "the pair that occurs most often in the word is merged first",
        .why = "Counting pairs is how the table was made, from the training text. Here "
               "the rank decides, which is the index of the pair in the table.",
        .source = NULL,
        .function = LIKE(byte_pair_merge, merge_most_frequent),

    },
    {
        .id = "lowest-token-first",
        .what = "the pair whose merged token is the smallest is merged first",
        .why = "The rank decides, which is the index of the pair in the table.",
        .source = NULL,
        .function = LIKE(byte_pair_merge, merge_lowest_token),

    },
    {
        .id = "rank-0-missed",
        .what = "the pair of rank 0 is never merged",
        .why =
            "Rank 0 is a rank like any other. A pair that is not in the table has rank M.",
        .source = NULL,
        .function = LIKE(byte_pair_merge, merge_rank_0_missed),

    },
    {
        .id = "last-rank-missed",
        .what = "the last pair of the table is never merged",
        .why = "The ranks go from 0 to M - 1; M means that the pair is not in the table.",
        .source = NULL,
        .function = LIKE(byte_pair_merge, merge_last_rank_missed),

    },
    {
        .id = "first-pair-missed",
        .what = "the search for the lowest rank leaves out the first two tokens",
        .why = "The pairs of neighbors begin at the tokens 0 and 1.",
        .source = NULL,
        .function = LIKE(byte_pair_merge, merge_first_pair_missed),

    },
    {
        .id = "last-pair-missed",
        .what = "the search for the lowest rank leaves out the last two tokens",
        .why =
            "With N tokens left there are N - 1 pairs of neighbors. The last is tokens "
            "N - 2 and N - 1.",
        .source = NULL,
        .function = LIKE(byte_pair_merge, merge_last_pair_missed),

    },
    {
        .id = "order-swapped",
        .what = "pairs are looked up with left and right swapped",
        .why =
            "The left neighbor comes first: lab_merge_rank(merges, tokens[n], tokens[n + 1]).",
        .source = NULL,
        .function = LIKE(byte_pair_merge, merge_swapped),

    },
    {
        .id = "either-order",
        .what = "pairs are merged in the other order, too",
        .why = "A pair has a left and a right token. b a is not a b.",
        .source = NULL,
        .function = LIKE(byte_pair_merge, merge_either_order),

    },
    {
        .id = "one-place-at-a-time",
        .what = "a round merges the pair at one place only",
        .why = "With a table from training, the result is the same. Here, a round merges "
               "the pair everywhere before ranks are compared again.",
        .source = NULL,
        .function = LIKE(byte_pair_merge, merge_once),
        .convention = true,
    },
    {
        .id = "from-the-right",
        .what = "the places of a pair are merged from the right",
        .why = "In a a a, the first two are merged: go from the left, and skip the token "
               "that was merged.",
        .source = NULL,
        .function = LIKE(byte_pair_merge, merge_from_right),

    },
    {
        .id = "one-round",
        .what = "only one pair is merged, and then nothing more",
        .why = "Repeat with the new tokens until no pair of neighbors is in the table.",
        .source = NULL,
        .function = LIKE(byte_pair_merge, merge_one_round),

    },
    {
        .id = "rank-for-token",
        .what = "the rank is written as the new token",
        .why = "The new token is merges->merged[rank].",
        .source = NULL,
        .function = LIKE(byte_pair_merge, merge_rank_for_token),

    },
    {
        .id = "one-pass",
        .what = "the merges are done only once, from rank 0 to the last",
        .why =
            "With a table from training, the result is the same. Here, a new token may "
            "be part of a pair with a lower rank: begin again at rank 0 after each "
            "round.",
        .source = NULL,
        .function = LIKE(byte_pair_merge, merge_in_one_pass),
        .convention = true,
    },
    {
        .id = "overlapping",
        .what = "a token is used twice: a a a becomes two new tokens",
        .why = "A merge uses up both tokens. The next pair begins after them.",
        .source = NULL,
        .function = LIKE(byte_pair_merge, merge_overlapping),

    },
    {
        .id = "last-found-first",
        .what = "the last pair from the left that is in the table is merged",
        .why =
            "Every pair that is found takes the place of the one before. Keep the lower "
            "of the two ranks.",
        .source = NULL,
        .function = LIKE(byte_pair_merge, merge_last_found),
    },
    {
        .id = "last-pair-alone",
        .what = "the rank of the last two tokens counts, whatever the others have",
        .why = "Every pair takes the place of the one before, even if it is not in the "
               "table. Keep the lower of the two ranks.",
        .source = NULL,
        .function = LIKE(byte_pair_merge, merge_last_pair),
    },
    {
        .id = "count-is-N",
        .what = "count is N, the number of tokens before the first merge",
        .why = "Each merge makes one token of two: count is what is left.",
        .source = NULL,
        .function = LIKE(byte_pair_merge, merge_count_is_N),
    },
    {0},
};

// Tries the ranks one after the other, without the hash table; then from the first again.
static lab_status merge_by_list(MERGE_ARGUMENTS)
{
    if (N == 0) {
        return LAB_ESHAPE;
    }
    for (size_t rank = 0; rank < merges->M;) {
        size_t kept = 0;
        for (size_t n = 0; n < N; kept++) {
            const bool here = n + 1 < N && tokens[n] == merges->left[rank] &&
                              tokens[n + 1] == merges->right[rank];
            tokens[kept] = here ? merges->merged[rank] : tokens[n];
            n += here ? 2 : 1;
        }
        rank = kept < N ? 0 : rank + 1;
        N = kept;
    }
    *count = N;
    return LAB_OK;
}

WRONG(merge_with_memmove, NONE)

static const struct mistake merge_alternatives[] = {
    {.id = "by-list", .function = LIKE(byte_pair_merge, merge_by_list)},
    {.id = "with-memmove", .function = LIKE(byte_pair_merge, merge_with_memmove)},
    {0},
};

// ---- tables ---------------------------------------------------------------------------------

static const struct part merge_part[] = {
    {
        .function = "byte_pair_merge",
        .dims = "N M",
        .tensors =
            {
                {"tokens", "N", UPDATED, SIZE, 0, 0},
                {"count", "1", OUTPUT, SIZE, 0, 0},
                {"left", "M", INPUT, SIZE, 0, 0},
                {"right", "M", INPUT, SIZE, 0, 0},
                {"merged", "M", INPUT, SIZE, 0, 0},
            },
        .cases = merge_cases,
        .mistakes = merge_mistakes,
        .alternatives = merge_alternatives,
    },
    {0},
};

const struct exercise exercise_11_3 = {
    .id = "11.3",
    .name = "byte_pair_merge",
    .section = "11.3 Merging pairs",
    .hints =
        {
            "Merge l o w e r by hand, with the ranks 0 \"l o\", 1 \"lo w\", 2 \"e r\". "
            "Write down the tokens after each round. What do you need to know before you "
            "merge anything in a round?",
            "Two loops in a round. First: rank = the lowest lab_merge_rank(merges, "
            "tokens[n], tokens[n + 1]) of all n. If it is M, you are done. Second: "
            "from the left, copy the tokens to the front of the array; at the pair, "
            "write merged[rank] and skip both tokens.",
            "count = N\n"
            "repeat:\n"
            "    lowest = M\n"
            "    for each n < count - 1:\n"
            "        lowest = min(lowest, rank of tokens[n], tokens[n + 1])\n"
            "    if lowest == M: stop\n"
            "    kept = 0, n = 0\n"
            "    while n < count:\n"
            "        if n + 1 < count and the pair at n is left[lowest], right[lowest]:\n"
            "            tokens[kept++] = merged[lowest]; n += 2\n"
            "        else: tokens[kept++] = tokens[n++]\n"
            "    count = kept",
        },
    .parts = merge_part,
};
