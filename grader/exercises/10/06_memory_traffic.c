// 06_memory_traffic.c - exercise 10.6, what attention moves: cases, known mistakes and hints.
//
// Everything is a whole number and must be exactly right.

#include "exercises/exercise.h"

#include "10_flash_attention/flash_attention.h"

// What an int and an unsigned int keep of a sum.
#define IN_INT(value) ((size_t)(int32_t)(uint32_t)(value))
#define IN_UNSIGNED(value) ((size_t)(uint32_t)(value))

// ---- flash_tile_sizes -----------------------------------------------------------------------

static const struct case_spec sizes_cases[] = {
    {.dims = "M=1 hs=1", .note = "one byte"},
    {.dims = "M=16 hs=1", .note = "one row of one float"},
    {.dims = "M=17 hs=1", .note = "one byte more than a row"},
    {.dims = "M=33 hs=2", .note = "one byte more than a row"},
    {.dims = "M=32 hs=2", .note = "exactly one row"},
    {.dims = "M=2048 hs=64", .note = "two rows, fewer than hs"},
    {.dims = "M=2049 hs=64"},
    {.dims = "M=102400 hs=64", .note = "100 kB"},
    {.dims = "M=102401 hs=64", .note = "100 kB and a byte"},
    {.dims = "M=192 hs=3", .note = "Br is one more than hs"},
    {.dims = "M=144 hs=3", .note = "Br equals hs"},
    {.dims = "M=96 hs=3", .note = "Br is one less than hs"},
    {.dims = "M=1000..99999 hs=5..129", .draws = 5},
    {.dims = "M=196608 hs=128", .note = "the shared memory of a large GPU"},
    {.dims = "M=48000000000 hs=1", .note = "more rows than an int holds"},
    {.dims = "M=1000000000000 hs=7", .note = "more than 32 bits hold"},
    {.dims = "M=7 hs=1000000000", .note = "a wide head"},
    {.dims = "M=100000000000 hs=300000001",
     .note = "a row has more bytes than 32 bits hold"},
    {.dims = "M=0 hs=4", .note = "a size of 0"},
    {.dims = "M=4 hs=0", .note = "a size of 0"},
    {0},
};

// Br and Bc, expressions of M and hs.
#define SIZES(name, br, bc)                                                              \
    static lab_status name(size_t *Br, size_t *Bc, size_t M, size_t hs)                  \
    {                                                                                    \
        if (M == 0 || hs == 0) {                                                         \
            return LAB_ESHAPE;                                                           \
        }                                                                                \
        *Br = br;                                                                        \
        *Bc = bc;                                                                        \
        return LAB_OK;                                                                   \
    }
#define ROW (16 * hs)
#define ROUNDED_UP ((M - 1) / ROW + 1)
#define LESS(a, b) ((a) < (b) ? (a) : (b))

SIZES(sizes_down, M / ROW, LESS(M / ROW, hs))
SIZES(sizes_down_to_1, M < ROW ? 1 : M / ROW, LESS(*Br, hs))
SIZES(sizes_one_more, M / ROW + 1, LESS(*Br, hs))
SIZES(sizes_numbers, (M - 1) / (4 * hs) + 1, LESS(*Br, hs))
SIZES(sizes_one_block, (M - 1) / (4 * hs) + 1, *Br)
SIZES(sizes_three_blocks, (M - 1) / (12 * hs) + 1, LESS(*Br, hs))
SIZES(sizes_eight_bytes, (M - 1) / (32 * hs) + 1, LESS(*Br, hs))
SIZES(sizes_no_limit, ROUNDED_UP, *Br)
SIZES(sizes_hs_always, ROUNDED_UP, hs)
SIZES(sizes_larger, ROUNDED_UP, *Br > hs ? *Br : hs)
SIZES(sizes_swapped, LESS(ROUNDED_UP, hs), ROUNDED_UP)
SIZES(sizes_int, IN_INT(ROUNDED_UP), LESS(*Br, hs))
SIZES(sizes_unsigned, IN_UNSIGNED(ROUNDED_UP), LESS(*Br, hs))

static const struct mistake sizes_mistakes[] = {
    {
        .id = "rounded-down",
        .what = "Br is rounded down",
        .why = "M / (16 hs) is rounded up, so that Br is never 0: (M - 1) / (16 hs) + 1.",
        .source = NULL,
        .function = LIKE(flash_tile_sizes, sizes_down),
    },
    {
        .id = "rounded-down-to-1",
        .what = "Br is rounded down, but never below 1",
        .why = "M / (16 hs) is rounded up: (M - 1) / (16 hs) + 1.",
        .source = NULL,
        .function = LIKE(flash_tile_sizes, sizes_down_to_1),
    },
    {
        .id = "one-more",
        .what = "Br is one too large where 16 hs divides M",
        .why =
            "M / (16 hs) + 1 rounds up only if there is a remainder. (M - 1) / (16 hs) + "
            "1 is always right.",
        .source = NULL,
        .function = LIKE(flash_tile_sizes, sizes_one_more),
    },
    {
        .id = "numbers-not-bytes",
        .what = "M is divided by 4 hs, not by 16 hs",
        .why =
            "M is in bytes, and a float has 4. Four blocks (of q, k, v and out) have Br rows of hs "
            "floats each: 16 hs bytes for each row.",
        .source = NULL,
        .function = LIKE(flash_tile_sizes, sizes_numbers),
    },
    {
        .id = "one-block",
        .what = "one block of Br rows fills the memory, and Bc is Br",
        .why = "There are four blocks: of q, k, v and out. Divide by 16 hs.",
        .source = NULL,
        .function = LIKE(flash_tile_sizes, sizes_one_block),
    },
    {
        .id = "three-blocks",
        .what = "only three blocks fill the memory",
        .why =
            "The tile of out is in the fast memory, too: q, k, v and out are four blocks.",
        .source = NULL,
        .function = LIKE(flash_tile_sizes, sizes_three_blocks),
    },
    {
        .id = "eight-bytes",
        .what = "a number is counted with 8 bytes",
        .why = "A float has 4 bytes: four rows of hs floats are 16 hs bytes.",
        .source = NULL,
        .function = LIKE(flash_tile_sizes, sizes_eight_bytes),
    },
    {
        .id = "no-limit",
        .what = "Bc is Br, even where Br is above hs",
        .why =
            "Bc is the smaller of Br and hs, so that a tile of scores is not larger than "
            "the tiles of q, k, v and out.",
        .source = NULL,
        .function = LIKE(flash_tile_sizes, sizes_no_limit),
    },
    {
        .id = "hs-always",
        .what = "Bc is hs, even where Br is below it",
        .why = "Bc is the smaller of Br and hs.",
        .source = NULL,
        .function = LIKE(flash_tile_sizes, sizes_hs_always),
    },
    {
        .id = "larger",
        .what = "Bc is the larger of Br and hs",
        .why = "It is the smaller of the two.",
        .source = NULL,
        .function = LIKE(flash_tile_sizes, sizes_larger),
    },
    {
        .id = "swapped",
        .what = "Br and Bc are exchanged",
        .why = "In the first paper, the outer loop is over the keys, and Br is the "
               "limited one. Here the outer loop is over the queries, so Br is the large "
               "one.",
        .source = NULL,
        .function = LIKE(flash_tile_sizes, sizes_swapped),
        .convention = true,
    },
    {
        .id = "int-overflow",
        .what = "the size overflows an int",
        .why = "Use size_t for every variable, also for intermediate results.",
        .source = NULL,
        .function = LIKE(flash_tile_sizes, sizes_int),
    },
    {
        .id = "unsigned-overflow",
        .what = "the size overflows 32 bits",
        .why = "Use size_t for every variable, also for intermediate results.",
        .source = NULL,
        .function = LIKE(flash_tile_sizes, sizes_unsigned),
    },
    {0},
};

SIZES(sizes_by_remainder, M / ROW + (M % ROW != 0), *Br > hs ? hs : *Br)

static const struct mistake sizes_alternatives[] = {
    {.id = "by-remainder", .function = LIKE(flash_tile_sizes, sizes_by_remainder)},
    {0},
};

// ---- memory_traffic -------------------------------------------------------------------------

static const struct case_spec traffic_cases[] = {
    {.dims = "T=1 S=1 hs=1 M=1"},
    {.dims = "T=3 S=5 hs=2 M=64", .note = "two tiles of queries"},
    {.dims = "T=4 S=5 hs=2 M=64", .note = "two full tiles of queries"},
    {.dims = "T=5 S=4 hs=2 M=64", .note = "the last tile has one query"},
    {.dims = "T=7 S=3 hs=11 M=352"},
    {.dims = "T=2 S=9 hs=3 M=4096", .note = "one tile holds all queries"},
    {.dims = "T=1024 S=1024 hs=64 M=102400", .note = "GPT-2's head, 100 kB"},
    {.dims = "T=16384 S=16384 hs=128 M=196608"},
    {.dims = "T=100..999 S=100..999 hs=5..99 M=1000..9999", .draws = 5},
    {.dims = "T=999 S=17 hs=31 M=1500", .note = "many queries"},
    {.dims = "T=17 S=999 hs=31 M=1500", .note = "many keys"},
    {.dims = "T=131071 S=131073 hs=96 M=49153", .note = "more than 32 bits hold"},
    {.dims = "T=600000011 S=600000001 hs=3 M=100000",
     .note = "more than a double counts exactly"},
    {.dims = "T=600000273 S=3 hs=3 M=100000", .note = "the last tile has one query"},
    {.dims = "T=0 S=3 hs=2 M=64", .note = "a size of 0"},
    {.dims = "T=3 S=0 hs=2 M=64", .note = "a size of 0"},
    {.dims = "T=3 S=4 hs=0 M=64", .note = "a size of 0"},
    {.dims = "T=3 S=4 hs=2 M=0", .note = "a size of 0"},
    {0},
};

// The two results in bytes, expressions of the sizes.
#define TRAFFIC(name, standard_bytes, tiled_bytes)                                       \
    static lab_status name(size_t *standard, size_t *tiled, size_t T, size_t S,          \
                           size_t hs, size_t M)                                          \
    {                                                                                    \
        if (T == 0 || S == 0 || hs == 0 || M == 0) {                                     \
            return LAB_ESHAPE;                                                           \
        }                                                                                \
        const size_t Br = ROUNDED_UP, tiles = (T - 1) / Br + 1;                          \
        (void)tiles;                                                                     \
        *standard = standard_bytes;                                                      \
        *tiled = tiled_bytes;                                                            \
        return LAB_OK;                                                                   \
    }
#define STANDARD(matrices) (4 * (2 * T * hs + 2 * S * hs + (matrices)*T * S))
#define TILED (4 * (2 * T * hs + tiles * 2 * S * hs + T))

TRAFFIC(traffic_numbers, STANDARD(4) / 4, TILED / 4)
TRAFFIC(traffic_standard_numbers, STANDARD(4) / 4, TILED)
TRAFFIC(traffic_tiled_numbers, STANDARD(4), TILED / 4)
TRAFFIC(traffic_one_matrix, STANDARD(1), TILED)
TRAFFIC(traffic_two_matrices, STANDARD(2), TILED)
TRAFFIC(traffic_three_matrices, STANDARD(3), TILED)
TRAFFIC(traffic_five_matrices, STANDARD(5), TILED)
TRAFFIC(traffic_no_inputs, 16 * T * S, TILED)
TRAFFIC(traffic_no_out, STANDARD(4) - 4 * T * hs, TILED)
TRAFFIC(traffic_no_out_at_all, STANDARD(4) - 4 * T * hs, TILED - 4 * T * hs)
TRAFFIC(traffic_S_for_T, 4 * (4 * S * hs + 4 * T * S), TILED)
TRAFFIC(traffic_tiles_once, STANDARD(4), 4 * (2 * T * hs + 2 * S * hs + T))
TRAFFIC(traffic_tiles_k_only, STANDARD(4), TILED - 4 * (tiles - 1) * S * hs)
TRAFFIC(traffic_one_of_k_and_v, STANDARD(4), TILED - 4 * tiles * S * hs)
TRAFFIC(traffic_rounded_down, STANDARD(4), 4 * (2 * T * hs + T / Br * 2 * S * hs + T))
TRAFFIC(traffic_one_more, STANDARD(4), 4 * (2 * T * hs + (T / Br + 1) * 2 * S * hs + T))
TRAFFIC(traffic_no_logsumexp, STANDARD(4), TILED - 4 * T)
TRAFFIC(traffic_max_and_sum, STANDARD(4), TILED + 4 * T)
TRAFFIC(traffic_q_each_time, STANDARD(4),
        4 * (((S - 1) / LESS(Br, hs) + 1) * T * hs + tiles * 2 * S * hs + T * hs + T))
TRAFFIC(traffic_keys_outside, STANDARD(4),
        4 * (((S - 1) / Br + 1) * 2 * T * hs + 2 * S * hs + T))
TRAFFIC(traffic_tiles_of_Bc, STANDARD(4),
        4 * (2 * T * hs + ((T - 1) / LESS(Br, hs) + 1) * 2 * S * hs + T))
TRAFFIC(traffic_real_quotient, STANDARD(4),
        4 * (2 * T * hs + T +
             (size_t)((double)T / (double)Br * 2 * (double)S * (double)hs)))
TRAFFIC(traffic_swapped, TILED, STANDARD(4))
TRAFFIC(traffic_int, IN_INT(STANDARD(4)), IN_INT(TILED))
TRAFFIC(traffic_unsigned, IN_UNSIGNED(STANDARD(4)), IN_UNSIGNED(TILED))

#define THREE_STEPS                                                                       \
    "Three steps: q k^T reads q and k and writes the scores; the softmax reads them and " \
    "writes the weights; weights v reads the weights and v and writes out."
#define TILES                                                                            \
    "10.2 reads q once, k and v once for each tile of queries, and writes out and "      \
    "logsumexp once."

static const struct mistake traffic_mistakes[] = {
    {
        .id = "numbers-not-bytes",
        .what = "floats are counted, not bytes",
        .why = "A float has 4 bytes.",
        .source = NULL,
        .function = LIKE(memory_traffic, traffic_numbers),
    },
    {
        .id = "standard-in-numbers",
        .what = "standard counts floats, not bytes",
        .why = "A float has 4 bytes.",
        .source = NULL,
        .function = LIKE(memory_traffic, traffic_standard_numbers),
    },
    {
        .id = "tiled-in-numbers",
        .what = "tiled counts floats, not bytes",
        .why = "A float has 4 bytes.",
        .source = NULL,
        .function = LIKE(memory_traffic, traffic_tiled_numbers),
    },
    {
        .id = "one-matrix",
        .what = "standard moves T S floats once",
        .why = THREE_STEPS " So T S floats are moved four times.",
        .source = NULL,
        .function = LIKE(memory_traffic, traffic_one_matrix),
    },
    {
        .id = "two-matrices",
        .what = "standard moves T S floats twice",
        .why = THREE_STEPS " So T S floats are moved four times.",
        .source = NULL,
        .function = LIKE(memory_traffic, traffic_two_matrices),
    },
    {
        .id = "three-matrices",
        .what = "standard moves T S floats three times",
        .why = THREE_STEPS " So T S floats are moved four times.",
        .source = NULL,
        .function = LIKE(memory_traffic, traffic_three_matrices),
    },
    {
        .id = "five-matrices",
        .what = "standard moves T S floats five times",
        .why = THREE_STEPS " The softmax reads each score once here.",
        .source = NULL,
        .function = LIKE(memory_traffic, traffic_five_matrices),
    },
    {
        .id = "matrices-only",
        .what = "standard counts only the scores and weights",
        .why = THREE_STEPS " Add q, k, v and out.",
        .source = NULL,
        .function = LIKE(memory_traffic, traffic_no_inputs),
    },
    {
        .id = "no-out",
        .what = "standard does not count out",
        .why = THREE_STEPS,
        .source = NULL,
        .function = LIKE(memory_traffic, traffic_no_out),
    },
    {
        .id = "no-out-at-all",
        .what = "neither standard nor tiled counts out",
        .why = "A result that is written is moved, too.",
        .source = NULL,
        .function = LIKE(memory_traffic, traffic_no_out_at_all),
    },
    {
        .id = "S-for-T",
        .what = "standard counts q and out with S rows",
        .why = "q and out have T rows, k and v have S.",
        .source = NULL,
        .function = LIKE(memory_traffic, traffic_S_for_T),
    },
    {
        .id = "keys-once",
        .what = "tiled reads k and v only once",
        .why = TILES " The fast memory cannot keep all keys until the next tile.",
        .source = NULL,
        .function = LIKE(memory_traffic, traffic_tiles_once),
    },
    {
        .id = "v-once",
        .what = "tiled reads one of k and v for each tile of queries, and the other "
                "only once",
        .why = TILES,
        .source = NULL,
        .function = LIKE(memory_traffic, traffic_tiles_k_only),
    },
    {
        .id = "one-of-k-and-v",
        .what = "tiled counts only one of k and v",
        .why = TILES,
        .source = NULL,
        .function = LIKE(memory_traffic, traffic_one_of_k_and_v),
    },
    {
        .id = "tiles-rounded-down",
        .what = "the last tile of queries is not counted if it is not full",
        .why = "T / Br is rounded up: (T - 1) / Br + 1 tiles.",
        .source = NULL,
        .function = LIKE(memory_traffic, traffic_rounded_down),
    },
    {
        .id = "one-tile-more",
        .what = "one tile of queries too many is counted where Br divides T",
        .why =
            "T / Br + 1 rounds up only if there is a remainder. (T - 1) / Br + 1 is always "
            "right.",
        .source = NULL,
        .function = LIKE(memory_traffic, traffic_one_more),
    },
    {
        .id = "no-logsumexp",
        .what = "tiled does not count logsumexp",
        .why = TILES,
        .source = NULL,
        .function = LIKE(memory_traffic, traffic_no_logsumexp),
    },
    {
        .id = "max-and-sum",
        .what = "tiled writes two numbers for each query besides out",
        .why = TILES " max and sum stay in the fast memory.",
        .source = NULL,
        .function = LIKE(memory_traffic, traffic_max_and_sum),
    },
    {
        .id = "q-for-each-tile",
        .what = "tiled reads q again for each tile of keys",
        .why = TILES " A tile of q stays in the fast memory while the tiles of keys "
                     "are loaded.",
        .source = NULL,
        .function = LIKE(memory_traffic, traffic_q_each_time),
    },
    {
        .id = "keys-outside",
        .what = "q and out are counted for each tile of keys, k and v once",
        .why = "These are the loops of the first paper. Here the outer loop is over the "
               "queries. " TILES,
        .source = NULL,
        .function = LIKE(memory_traffic, traffic_keys_outside),
        .convention = true,
    },
    {
        .id = "tiles-of-Bc",
        .what = "the tiles of queries are counted with Bc",
        .why = "A tile of queries has Br rows, a tile of keys Bc.",
        .source = NULL,
        .function = LIKE(memory_traffic, traffic_tiles_of_Bc),
    },
    {
        .id = "fraction-of-a-tile",
        .what = "a tile with fewer queries counts as a fraction of a tile",
        .why = "It still reads every key: round T / Br up.",
        .source = NULL,
        .function = LIKE(memory_traffic, traffic_real_quotient),
    },
    {
        .id = "swapped",
        .what = "standard and tiled are swapped",
        .why = "standard comes first.",
        .source = NULL,
        .function = LIKE(memory_traffic, traffic_swapped),
    },
    {
        .id = "int-overflow",
        .what = "the bytes overflow an int",
        .why = "Use size_t for every variable, also for intermediate results.",
        .source = NULL,
        .function = LIKE(memory_traffic, traffic_int),
    },
    {
        .id = "unsigned-overflow",
        .what = "the bytes overflow 32 bits",
        .why = "Use size_t for every variable, also for intermediate results.",
        .source = NULL,
        .function = LIKE(memory_traffic, traffic_unsigned),
    },
    {0},
};

TRAFFIC(traffic_by_steps,
        4 * (T * hs + S * hs + T * S) + 4 * (T * S + T * S) +
            4 * (T * S + S * hs + T * hs),
        4 * T * (2 * hs + 1) + (T / Br + (T % Br != 0)) * 8 * S * hs)

static const struct mistake traffic_alternatives[] = {
    {.id = "by-steps", .function = LIKE(memory_traffic, traffic_by_steps)},
    {0},
};

// ---- the exercise ---------------------------------------------------------------------------

static const struct part traffic_parts[] = {
    {
        .function = "flash_tile_sizes",
        .dims = "M hs",
        .tensors = {{"Br", "1", OUTPUT, SIZE, 0, 0}, {"Bc", "1", OUTPUT, SIZE, 0, 0}},
        .cases = sizes_cases,
        .mistakes = sizes_mistakes,
        .alternatives = sizes_alternatives,
    },
    {
        .function = "memory_traffic",
        .dims = "T S hs M",
        .tensors = {{"standard", "1", OUTPUT, SIZE, 0, 0},
                    {"tiled", "1", OUTPUT, SIZE, 0, 0}},
        .cases = traffic_cases,
        .mistakes = traffic_mistakes,
        .alternatives = traffic_alternatives,
    },
    {0},
};

const struct exercise exercise_10_6 = {
    .id = "10.6",
    .name = "memory_traffic",
    .section = "10.6 How many bytes move",
    .hints =
        {
            "Write down what each step reads and writes, as a number of rows times a "
            "number of floats per row. What is moved more than once?",
            "Br = M / (16 hs), rounded up; Bc = min(Br, hs). Standard: T hs + S hs + T S, "
            "then 2 T S, then T S + S hs + T hs floats. Tiled: 2 T hs + T floats, and 2 S hs "
            "for each of the T / Br (rounded up) tiles of queries. A float has 4 bytes.",
            "size_t everywhere\n"
            "*Br = (M - 1) / (16 * hs) + 1\n"
            "*Bc = *Br < hs ? *Br : hs\n"
            "tiles = (T - 1) / Br + 1\n"
            "*standard = 4 * (2 * T * hs + 2 * S * hs + 4 * T * S)\n"
            "*tiled = 4 * (2 * T * hs + T + tiles * 2 * S * hs)",
        },
    .parts = traffic_parts,
};
