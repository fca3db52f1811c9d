// 02_split_qkv.c - exercise 4.2, split_qkv: cases, known mistakes and hints.

#include "exercises/common/inputs.h"
#include "exercises/exercise.h"
#include "exercises/04/shared.h"

#include "04_multi_head/heads.h"

// The student archive need not store the numbers of large cases.
static void fill_even(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    case_even(test, "qkv");
}

static void fill_every_size(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    rows_of_every_size(test, "qkv", 1);
}

static void repeated(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    repeat_numbers(test, "qkv", 1);
}

static const struct case_spec split_qkv_cases[] = {
    {.dims = "B=1 T=1 C=1"},
    {.dims = "B=1 T=1 C=2"},
    {.dims = "B=1 T=2 C=3"},
    {.dims = "B=2 T=3 C=4", .draws = 2},
    {.dims = "B=3 T=3 C=3", .note = "every size is the same"},
    {.dims = "B=2 T=5 C=5", .note = "T = C"},
    {.dims = "B=3 T=2 C=5"},
    {.dims = "B=2..3 T=4..6 C=7..12", .draws = 3},
    {.dims = "B=7..9 T=4..6 C=1..3", .draws = 2},
    {.dims = "B=259 T=2 C=3", .fill = fill_even, .all_set = true},
    {.dims = "B=3 T=257 C=5", .fill = fill_even, .all_set = true},
    {.dims = "B=2 T=2 C=1031", .fill = fill_even, .all_set = true},
    {.dims = "B=19 T=67 C=65",
     .fill = fill_even,
     .all_set = true,
     .note = "larger, odd sizes"},
    {.dims = "B=3 T=1 C=4", .note = "one token in each sequence"},
    {.dims = "B=256 T=2 C=3",
     .fill = fill_even,
     .all_set = true,
     .note = "exactly 256 sequences"},
    {.dims = "B=3 T=256 C=4",
     .fill = fill_even,
     .all_set = true,
     .note = "exactly 256 tokens"},
    {.dims = "B=5 T=3 C=256",
     .fill = fill_even,
     .all_set = true,
     .note = "exactly 256 channels"},
    {.dims = "B=0 T=2 C=3", .note = "a size of 0"},
    {.dims = "B=2 T=0 C=3", .note = "a size of 0"},
    {.dims = "B=2 T=3 C=0", .note = "a size of 0"},
    {.dims = "B=1 T=2 C=7", .fill = fill_every_size, .note = EVERY_SIZE_NOTE},
    // A grid ends at 65535 blocks along y and z.
    {.dims = "B=65537 T=1 C=1",
     .note = "65537 sequences",
     .gpu_only = true,
     .launch_only = true},
    // 327685 numbers: more than 1024 blocks of 256 threads.
    {.dims = "B=1 T=65537 C=5",
     .note = "65537 tokens",
     .gpu_only = true,
     .launch_only = true},
    {.dims = "B=65543 T=1 C=1",
     .fill = repeated,
     .note = "65543 sequences",
     .all_set = true,
     .memory_only = true,
     .apart = true},
    {.dims = "B=1 T=65543 C=1",
     .fill = repeated,
     .note = "65543 tokens",
     .all_set = true,
     .memory_only = true,
     .apart = true},
    {MOST("B=1 T=2 C=1", "T")},
    {MOST("B=1 T=1 C=2", "C")},
    {MORE_THAN_16_BITS("B=1 T=1 C=65543", repeated, "65543 channels")},
    {0},
};

// SPLIT_QKV(name, q, k, v): the source of the c-th number of token n of each.
#define SPLIT_QKV(name, from_q, from_k, from_v)                                          \
    static lab_status name(float *q, float *k, float *v, const float *qkv, size_t B,     \
                           size_t T, size_t C)                                           \
    {                                                                                    \
        if (B == 0 || T == 0 || C == 0) {                                                \
            return LAB_ESHAPE;                                                           \
        }                                                                                \
        const size_t N = B * T;                                                          \
        for (size_t n = 0; n < N; n++) {                                                 \
            for (size_t c = 0; c < C; c++) {                                             \
                q[n * C + c] = qkv[from_q];                                              \
                k[n * C + c] = qkv[from_k];                                              \
                v[n * C + c] = qkv[from_v];                                              \
            }                                                                            \
        }                                                                                \
        return LAB_OK;                                                                   \
    }
#define THIRD(i) (3 * n + (i)) * C + c

SPLIT_QKV(split_by_loops, THIRD(0), THIRD(1), THIRD(2))
SPLIT_QKV(split_k_q_v, THIRD(1), THIRD(0), THIRD(2))
SPLIT_QKV(split_q_v_k, THIRD(0), THIRD(2), THIRD(1))
SPLIT_QKV(split_v_k_q, THIRD(2), THIRD(1), THIRD(0))
SPLIT_QKV(split_k_v_q, THIRD(2), THIRD(0), THIRD(1))
SPLIT_QKV(split_v_q_k, THIRD(1), THIRD(2), THIRD(0))
SPLIT_QKV(split_blocks, n *C + c, (N + n) * C + c, (2 * N + n) * C + c)
SPLIT_QKV(split_interleaved, 3 * (n * C + c), 3 * (n * C + c) + 1, 3 * (n * C + c) + 2)
#define SEQUENCES_OF_C(i) (n / T * T + 3 * (n % T) + (i)) * C + c
#define TOKENS_OF_C(i) (n / T * T * 3 + n % T + (i)) * C + c
SPLIT_QKV(split_sequences_of_C, SEQUENCES_OF_C(0), SEQUENCES_OF_C(1), SEQUENCES_OF_C(2))
SPLIT_QKV(split_tokens_of_C, TOKENS_OF_C(0), TOKENS_OF_C(1), TOKENS_OF_C(2))
SPLIT_QKV(split_steps_of_C, n *C + c, (n + 1) * C + c, (n + 2) * C + c)

static const struct mistake split_qkv_mistakes[] = {
    {
        .id = "order-k-q-v",
        .what = "the thirds are taken in the order k, q, v",
        .why = ORDER_WHY,
        .source = "jsbaan/transformer-from-scratch#1",
        .function = LIKE(split_qkv, split_k_q_v),
        .convention = true,
    },
    {
        .id = "order-q-v-k",
        .what = "the thirds are taken in the order q, v, k",
        .why = ORDER_WHY,
        .source = "jsbaan/transformer-from-scratch#1",
        .function = LIKE(split_qkv, split_q_v_k),
        .convention = true,
    },
    {
        .id = "order-v-k-q",
        .what = "the thirds are taken in the order v, k, q",
        .why = ORDER_WHY,
        .source = "jsbaan/transformer-from-scratch#1",
        .function = LIKE(split_qkv, split_v_k_q),
        .convention = true,
    },
    {
        .id = "order-k-v-q",
        .what = "the thirds are taken in the order k, v, q",
        .why = ORDER_WHY,
        .source = "jsbaan/transformer-from-scratch#1",
        .function = LIKE(split_qkv, split_k_v_q),
        .convention = true,
    },
    {
        .id = "order-v-q-k",
        .what = "the thirds are taken in the order v, q, k",
        .why = ORDER_WHY,
        .source = "jsbaan/transformer-from-scratch#1",
        .function = LIKE(split_qkv, split_v_q_k),
        .convention = true,
    },
    {
        .id = "blocks",
        .what = "the whole tensor is cut into three, not each token",
        .why = "qkv is (B,T,3C). Cut the last axis: each token has 3C numbers, and q of "
               "the next token starts 3C further on.",
        .source = NULL,
        .function = LIKE(split_qkv, split_blocks),
    },
    {
        .id = "interleaved",
        .what = "q, k and v are interleaved: each gets every third channel",
        .why = "Channel c of q is number c of its token, channel c of k is number C + c, "
               "and channel c of v is number 2C + c.",
        .source = NULL,
        .function = LIKE(split_qkv, split_interleaved),
    },
    {
        .id = "steps-of-C",
        .what = "the next token is read C numbers further on, not 3C",
        .why = "A token has C numbers in q, k and v, but 3C in qkv. With steps of C, the "
               "tokens overlap.",
        .source = NULL,
        .function = LIKE(split_qkv, split_steps_of_C),
    },
    {
        .id = "sequences-of-TC",
        .what = "sequence b is read from b * T * C on, not from b * T * 3 * C",
        .why = "A sequence has T C numbers in q, k and v, but 3 T C in qkv.",
        .source = NULL,
        .function = LIKE(split_qkv, split_sequences_of_C),
    },
    {
        .id = "tokens-of-C",
        .what = "within a sequence, the next token is read C numbers further on, not 3C",
        .why = "A token has C numbers in q, k and v, but 3C in qkv. With steps of C, the "
               "tokens overlap.",
        .source = NULL,
        .function = LIKE(split_qkv, split_tokens_of_C),
    },
    {0},
};

static const struct mistake split_qkv_alternatives[] = {
    {.id = "loops", .function = LIKE(split_qkv, split_by_loops)},
    {0},
};

static const struct part split_qkv_part[] = {
    {
        .function = "split_qkv",
        .dims = "B T C",
        .tensors =
            {
                {"q", "B T C", OUTPUT, F32, 0, 0}, // copied, never computed
                {"k", "B T C", OUTPUT, F32, 0, 0},
                {"v", "B T C", OUTPUT, F32, 0, 0},
                {"qkv", "B T 3C", INPUT, F32, 0, 0},
            },
        .cases = split_qkv_cases,
        .mistakes = split_qkv_mistakes,
        .alternatives = split_qkv_alternatives,
    },
    {0},
};

const struct exercise exercise_4_2 = {
    .id = "4.2",
    .name = "split_qkv",
    .section = "4.2 Splitting q, k and v",
    .hints =
        {
            "Write down the 3C numbers of one token. Where does the next token begin?",
            "Token n of qkv starts at n * 3C: C numbers of q, C of k, C of v. In q, "
            "k and v it starts at n * C.",
            "for each n below B * T:\n"
            "    memcpy(q + n*C, qkv + n*3*C, C floats)\n"
            "    k from qkv + n*3*C + C, v from qkv + n*3*C + 2*C",
        },
    .gpu_hints =
        {
            "There is nothing to compute: each thread moves three numbers. Which number "
            "of q, k and v does thread i write, and where in qkv are they?",
            "Thread i writes number i of q, k and v, all (B*T, C). Its token is i / C, "
            "its channel i % C. Token n of qkv begins at n * 3C, with C numbers of q, "
            "then of k, then of v.",
            "i = (size_t)blockIdx.x * blockDim.x + threadIdx.x\n"
            "if (i >= count) return\n"
            "qkv_n = qkv_dev + i / C * 3 * C\n"
            "q_dev[i] = qkv_n[i % C]; k_dev[i] = qkv_n[C + i % C]; v_dev[i] = qkv_n[2*C "
            "+ i % C]\n"
            "launcher: kernel<<<lab_blocks(B*T*C, BLOCK), BLOCK, 0, stream>>>(...)\n"
            "    return lab_cuda(cudaGetLastError())",
        },
    .parts = split_qkv_part,
};
