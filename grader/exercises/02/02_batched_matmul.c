// 02_batched_matmul.c - exercise 2.2, batched_matmul: cases, known mistakes and hints.

#include "exercises/exercise.h"
#include "exercises/02/shared.h"
#include "exercises/common/inputs.h"

#include <math.h>

#include "02_batching/batching.h"

static lab_status many_products(float *out, struct layout lo, const float *a,
                                struct layout la, const float *b, struct layout lb,
                                size_t B, size_t M, size_t N, size_t K)
{
    if (B == 0 || M == 0 || N == 0 || K == 0) {
        return LAB_ESHAPE;
    }
    multiply(out, lo, a, la, b, lb, B, M, N, K);
    return LAB_OK;
}

// The distance of a used for b. For M > N this reads past the end of b. So of the cases
// with B > 1, except the special ones, only a small one has M > N. There the student's
// BLAS, which no sanitizer checks, reads the worker's guard zone, which is NaN.
enum { MOST_BEYOND = 64 };
static lab_status products_by_stride_of_a(float *out, const float *a, const float *b,
                                          struct layout lb, size_t B, size_t M, size_t N,
                                          size_t K)
{
    const struct layout lo = {M * N, N, 1}, la = {M * K, K, 1};
    if (M > N && (B - 1) * (M - N) * K > MOST_BEYOND) {
        return LEAVES_ARGUMENTS; // past the guard zone as well
    }
    lb.matrix = (M < N ? M : N) * K;
    const lab_status status = many_products(out, lo, a, la, b, lb, B, M, N, K);
    for (size_t i = 0; status == LAB_OK && M > N && i < B * M * N; i++) {
        const size_t start = i / (M * N) * M * K, n = i % N;
        const size_t last = start + (K - 1) * lb.row + n * lb.column;
        const float *b_i = b + start, *a_im = a + i / N * K;
        float sum = last < B * K * N ? 0.0f : NAN;
        for (size_t k = 0; k < K && last < B * K * N; k++) {
            sum += a_im[k] * b_i[k * lb.row + n * lb.column];
        }
        out[i] = sum;
    }
    return status;
}

#define BATCHED_ARGUMENTS                                                                \
    float *out, const float *a, const float *b, size_t B, size_t M, size_t N, size_t K

// BATCHED(name, products, out, a, b): that many products of matrices with these layouts.
#define BATCHED(name, products, out_lies, a_lies, b_lies)                                \
    static lab_status name(BATCHED_ARGUMENTS)                                            \
    {                                                                                    \
        return many_products(out, out_lies, a, a_lies, b, b_lies, products, M, N, K);    \
    }
// A matrix for each sequence, by rows or by columns; or the first matrix for all.
#define BY_ROWS(rows, columns) ((struct layout){(rows) * (columns), columns, 1})
#define BY_COLUMNS(rows, columns) ((struct layout){(rows) * (columns), 1, rows})
#define FIRST_BY_ROWS(columns) ((struct layout){0, columns, 1})
#define FIRST_BY_COLUMNS(rows) ((struct layout){0, 1, rows})
#define BATCH_FASTEST(columns) ((struct layout){1, (columns)*B, B})

BATCHED(batched_always_first, B, BY_ROWS(M, N), FIRST_BY_ROWS(K), FIRST_BY_ROWS(N))
BATCHED(batched_b_always_first, B, BY_ROWS(M, N), BY_ROWS(M, K), FIRST_BY_ROWS(N))
// A grid one block deep, and no loop: the other sequences are never written.
BATCHED(batched_first_only, B > 0, BY_ROWS(M, N), BY_ROWS(M, K), BY_ROWS(K, N))
BATCHED(batched_b_flagged, B, BY_ROWS(M, N), BY_ROWS(M, K), BY_COLUMNS(K, N))
BATCHED(batched_loops, B, BY_ROWS(M, N), BY_ROWS(M, K), BY_ROWS(K, N))

BATCHED(batched_nt_always_first, B, BY_ROWS(M, N), FIRST_BY_ROWS(K), FIRST_BY_COLUMNS(K))
BATCHED(batched_nt_b_always_first, B, BY_ROWS(M, N), BY_ROWS(M, K), FIRST_BY_COLUMNS(K))
BATCHED(batched_nt_first_only, B > 0, BY_ROWS(M, N), BY_ROWS(M, K), BY_COLUMNS(K, N))
BATCHED(batched_nt_no_flag, B, BY_ROWS(M, N), BY_ROWS(M, K), BY_ROWS(K, N))
// b (B, N, K) read as (K, N, B): the batch becomes the fastest axis.
BATCHED(batched_nt_batch_fastest, B, BY_ROWS(M, N), BY_ROWS(M, K), BATCH_FASTEST(N))
BATCHED(batched_nt_out_transposed, B, BY_COLUMNS(M, N), BY_ROWS(M, K), BY_COLUMNS(K, N))
BATCHED(batched_nt_loops, B, BY_ROWS(M, N), BY_ROWS(M, K), BY_COLUMNS(K, N))

static lab_status batched_b_stride(BATCHED_ARGUMENTS)
{
    return products_by_stride_of_a(out, a, b, FIRST_BY_ROWS(N), B, M, N, K);
}

static lab_status batched_nt_b_stride(BATCHED_ARGUMENTS)
{
    return products_by_stride_of_a(out, a, b, FIRST_BY_COLUMNS(K), B, M, N, K);
}

// The distances from one sequence to the next.
struct steps {
    size_t out, a, b;
};

// Numbers behind the end of a or b are those of the guard zone. false: they are behind it, too.
static bool read_beyond(const float *tensor, size_t count, size_t at, float *number)
{
    *number = at < count ? tensor[at] : NAN;
    return at < count + MOST_BEYOND;
}

static lab_status products_apart(struct steps step, struct layout lb, BATCHED_ARGUMENTS)
{
    if (B == 0 || M == 0 || N == 0 || K == 0) {
        return LAB_ESHAPE;
    }
    for (size_t i = 0; i < B; i++) {
        for (size_t j = 0; j < M * N; j++) {
            const size_t m = j / N, n = j % N;
            float sum = 0.0f;
            for (size_t k = 0; k < K; k++) {
                float x, y;
                if (!read_beyond(a, B * M * K, i * step.a + m * K + k, &x) ||
                    !read_beyond(b, B * K * N, i * step.b + k * lb.row + n * lb.column,
                                 &y)) {
                    return LEAVES_ARGUMENTS;
                }
                sum += x * y;
            }
            if (i * step.out + j >= B * M * N) {
                return LEAVES_ARGUMENTS;
            }
            out[i * step.out + j] = sum;
        }
    }
    return LAB_OK;
}

// APART(name, out, a, b): the products if the tensors move by these distances. It defines name for
// batched_matmul and nt_name for batched_matmul_nt.
#define APART(name, ...)                                                                 \
    static lab_status apart_##name(BATCHED_ARGUMENTS)                                    \
    {                                                                                    \
        return products_apart((struct steps){__VA_ARGS__}, FIRST_BY_ROWS(N), out, a, b,  \
                              B, M, N, K);                                               \
    }                                                                                    \
    static lab_status apart_nt_##name(BATCHED_ARGUMENTS)                                 \
    {                                                                                    \
        return products_apart((struct steps){__VA_ARGS__}, FIRST_BY_COLUMNS(K), out, a,  \
                              b, B, M, N, K);                                            \
    }

APART(a_first, M *N, 0, K *N)
APART(a_as_out, M *N, M *N, K *N)
APART(a_as_b, M *N, K *N, K *N)
APART(b_as_out, M *N, M *K, M *N)
APART(out_as_a, M *K, M *K, K *N)
APART(all_as_out, M *N, M *N, M *N)
APART(by_numbers, 1, 1, 1)

// By the number of rows.
static lab_status apart_by_rows(BATCHED_ARGUMENTS)
{
    return products_apart((struct steps){M, M, K}, FIRST_BY_ROWS(N), out, a, b, B, M, N,
                          K);
}

static lab_status apart_nt_by_rows(BATCHED_ARGUMENTS)
{
    return products_apart((struct steps){M, M, N}, FIRST_BY_COLUMNS(K), out, a, b, B, M,
                          N, K);
}

// b (B, N, K) really transposed to (K, N, B), then read as B matrices (K, N).
static lab_status batched_nt_all_axes(BATCHED_ARGUMENTS)
{
    if (B == 0 || M == 0 || N == 0 || K == 0) {
        return LAB_ESHAPE;
    }
    for (size_t i = 0; i < B; i++) {
        for (size_t m = 0; m < M; m++) {
            for (size_t n = 0; n < N; n++) {
                float sum = 0.0f;
                for (size_t k = 0; k < K; k++) {
                    const size_t place = (i * K + k) * N + n; // in the transposed buffer
                    const size_t from_k = place / (N * B), from_n = place / B % N;
                    sum +=
                        a[(i * M + m) * K + k] * b[(place % B * N + from_n) * K + from_k];
                }
                out[(i * M + m) * N + n] = sum;
            }
        }
    }
    return LAB_OK;
}

// With B > 1, M is below N except in one small case and the special ones, so that the
// judge can name the wrong distance of b (products_by_stride_of_a).
static const struct case_spec batched_cases[] = {
    {.dims = "B=1 M=1 N=1 K=1",
     .note = "whole numbers, to check by hand",
     .fill = whole_factors},
    {.dims = "B=2 M=1 N=1 K=1",
     .note = "whole numbers, to check by hand",
     .fill = whole_factors},
    {.dims = "B=2 M=1 N=2 K=1",
     .note = "whole numbers, to check by hand",
     .fill = whole_factors},
    {.dims = "B=3 M=2 N=3 K=2",
     .note = "whole numbers, to check by hand",
     .fill = whole_factors},
    {.dims = "B=1 M=3 N=2 K=4", .note = "one sequence"},
    {.dims = "B=2 M=1 N=2 K=3",
     .note = "whole numbers, to check by hand",
     .fill = whole_factors,
     .apart = true},
    {.dims = "B=2 M=3 N=4 K=5"},
    {.dims = "B=3 M=3 N=3 K=3", .note = "every size is the same"},
    {.dims = "B=3 M=2 N=5 K=4"},
    {.dims = "B=2..5 M=2..4 N=5..8 K=2..7", .draws = 5},
    {.dims = "B=7 M=13 N=17 K=33", .note = "larger, odd sizes"},
    {.dims = "B=2 M=5 N=4 K=3", .note = "more rows than columns"},
    {"B=3 M=67 N=71 K=131", 1, "larger than 64", small_factors},
    {"B=523 M=2 N=5 K=3", 1, "more than 512 sequences", small_factors},
    {"B=2 M=3 N=257 K=263", 1, "more than 65536 numbers in each b[i]", small_factors},
    {"B=1 M=1031 N=67 K=2", 1, "more than 1024 rows", small_factors},
    {"B=2 M=5 N=1031 K=7", 1, "more than 1024 columns", small_factors},
    {"B=2 M=5 N=7 K=1031", 1, "sums of more than 1024 terms", small_factors},
    {.dims = "B=3 M=2 N=4 K=1", .note = "one product for each sum"},
    {.dims = "B=256 M=2 N=5 K=3", .fill = small_factors, .note = "exactly 256 sequences"},
    {.dims = "B=1 M=256 N=64 K=2", .fill = small_factors, .note = "exactly 256 rows"},
    {.dims = "B=2 M=4 N=256 K=64", .fill = small_factors, .note = "exactly 256 columns"},
    {.dims = "B=2 M=4 N=8 K=256",
     .fill = small_factors,
     .note = "sums of exactly 256 terms"},
    {.dims = "B=0 M=2 N=3 K=4", .note = "a size is zero"},
    {.dims = "B=2 M=0 N=3 K=4", .note = "a size is zero"},
    {.dims = "B=2 M=2 N=0 K=4", .note = "a size is zero"},
    {.dims = "B=2 M=2 N=3 K=0", .note = "a size is zero"},
    {"B=1 M=2055 N=3 K=2", 1, "more than 2048 rows", small_factors, .gpu_only = true},
    {.dims = "B=2 M=3 N=4 K=5",
     .note = TINY_NOTE,
     .fill = tiny_factors,
     .unit = TINY * TINY},
    {.dims = "B=2 M=3 N=4 K=5", .note = LARGE_NOTE, .fill = large_factors},
    {.dims = "B=3 M=131 N=67 K=5",
     .note = "more rows than columns",
     .fill = small_factors,
     .apart = true,
     .cpu_only = true},
    {.dims = "B=2 M=521 N=3 K=7",
     .note = "many more rows than columns",
     .fill = small_factors,
     .apart = true,
     .cpu_only = true},
    // A grid ends at 65535 blocks along y and z.
    // Also 327685 numbers, more than 1024 blocks of 256 threads, and different distances to the next sequence.
    {.dims = "B=65537 M=1 N=5 K=2",
     .note = "65537 sequences",
     .gpu_only = true,
     .launch_only = true},
    {MOST("B=1 M=2 N=1 K=1", "M")},
    {MOST("B=1 M=1 N=2 K=1", "N")},
    {MOST("B=1 M=1 N=1 K=2", "K")},
    // 48 KiB of shared memory hold 12288 floats.
    {"B=1 M=2 N=3 K=12301", 1, "more than 12288 terms", small_factors, .gpu_only = true},
    {.dims = "B=3 M=4 N=1 K=5", .note = "one column", .apart = true},
    {TOO_LARGE("B=2 M=3 N=4 K=5", "B", "B")},
    {TOO_LARGE("B=2 M=3 N=4 K=5", "M", "M")},
    {TOO_LARGE("B=2 M=3 N=4 K=5", "N", "N")},
    {TOO_LARGE("B=2 M=3 N=4 K=5", "K", "K")},
    {TOO_LARGE_FOR_BLAS("B=2 M=3 N=4 K=5", "M", "M")},
    {TOO_LARGE_FOR_BLAS("B=2 M=3 N=4 K=5", "N", "N")},
    {TOO_LARGE_FOR_BLAS("B=2 M=3 N=4 K=5", "K", "K")},
    {MOST_CALLS("B=2 M=1 N=1 K=1", "B")},
    {0},
};

static void change_one_product(struct test_case *second, struct lab_rng *rng)
{
    (void)rng;
    change_middle(second, "a");
    change_middle(second, "b");
}

// BEGIN HANDED OUT
static bool other_products_unchanged(const struct test_case *first,
                                     const struct test_case *second, char *why,
                                     size_t why_size)
{
    return others_unchanged(first, second, "out", why, why_size);
}
// END HANDED OUT

static const struct property batched_properties[] = {
    {
        .id = "sequences-apart",
        .claim = "changing one sequence does not change the products of the others",
        .dims = "B=3 M=2 N=4 K=5",
        .change = change_one_product,
        HOLDS(other_products_unchanged),
    },
    {0},
};

#define DISTANCES_WHY(of_b)                                                              \
    "The distance from one sequence to the next is the product of a tensor's last two "  \
    "sizes: M*K for a, " of_b " for b, M*N for out."

static const struct mistake batched_matmul_mistakes[] = {
    {
        .id = "always-first",
        .what = "every sequence gets the product of sequence 0, not its own",
        .why = "a and b must move with the batch: sequence i of a starts at a + i * M * "
               "K, and of b at b + i * K * N.",
        .function = LIKE(batched_matmul, batched_always_first),
    },
    {
        .id = "b-always-first",
        .what = "b stays at sequence 0 while a and out move",
        .why = "Every sequence has its own b: sequence i starts at b + i * K * N.",
        .function = LIKE(batched_matmul, batched_b_always_first),
    },
    {
        .id = "b-stride",
        .what = "b moves by M*K, the distance of a, not by its own distance",
        .why = DISTANCES_WHY("K*N"),
        .function = LIKE(batched_matmul, batched_b_stride),
    },
    {
        .id = "a-always-first",
        .what = "a stays at sequence 0 while b and out move",
        .why = "Every sequence has its own a: sequence i starts at a + i * M * K.",
        .function = LIKE(batched_matmul, apart_a_first),
    },
    {
        .id = "a-stride-of-out",
        .what = "a moves by M*N, the distance of out, not by its own distance",
        .why = DISTANCES_WHY("K*N"),
        .function = LIKE(batched_matmul, apart_a_as_out),
    },
    {
        .id = "a-stride-of-b",
        .what = "a moves by K*N, the distance of b, not by its own distance",
        .why = DISTANCES_WHY("K*N"),
        .function = LIKE(batched_matmul, apart_a_as_b),
    },
    {
        .id = "b-stride-of-out",
        .what = "b moves by M*N, the distance of out, not by its own distance",
        .why = DISTANCES_WHY("K*N"),
        .function = LIKE(batched_matmul, apart_b_as_out),
    },
    {
        .id = "out-stride-of-a",
        .what = "out moves by M*K, the distance of a, not by its own distance",
        .why = DISTANCES_WHY("K*N"),
        .function = LIKE(batched_matmul, apart_out_as_a),
    },
    {
        .id = "by-rows",
        .what =
            "the tensors move by their number of rows for each sequence, not by whole matrices",
        .why = DISTANCES_WHY("K*N"),
        .function = LIKE(batched_matmul, apart_by_rows),
    },
    {
        .id = "all-stride-of-out",
        .what = "all three tensors move by M*N, the distance of out",
        .why = DISTANCES_WHY("K*N"),
        .function = LIKE(batched_matmul, apart_all_as_out),
    },
    {
        .id = "by-numbers",
        .what = "each sequence starts one number after the one before, not one matrix",
        .why = DISTANCES_WHY("K*N"),
        .function = LIKE(batched_matmul, apart_by_numbers),
    },
    {
        .id = "b-flagged",
        .what = "each b[i] is multiplied as if it were stored transposed, (N, K)",
        .why = "Here b[i] is (K, N) and is not transposed. Only batched_matmul_nt "
               "transposes.",
        .function = LIKE(batched_matmul, batched_b_flagged),
    },
    {
        .id = "first-only",
        .what = "only the first sequence is multiplied; the rest of out is never written",
        .why =
            "out holds B products. On the CPU, loop over the batch. On the GPU, use the "
            "z axis of the grid: blockIdx.z is the sequence.",
        .function = LIKE(batched_matmul, batched_first_only),
    },
    {0},
};

static const struct mistake batched_matmul_alternatives[] = {
    {.id = "loops",
     .what = "four loops",
     .function = LIKE(batched_matmul, batched_loops)},
    {0},
};

static const struct mistake batched_matmul_nt_mistakes[] = {
    {
        .id = "all-axes",
        .what = "all three axes of b are transposed, not only the last two",
        .why = "b (B, N, K) became (K, N, B). Read as B matrices (K, N), its numbers "
               "mix the sequences. Leave the batch axis in place and transpose each "
               "b[i] separately.",
        .source = "HomericIntelligence/Odyssey#5648",
        .function = LIKE(batched_matmul_nt, batched_nt_all_axes),
    },
    {
        .id = "batch-fastest",
        .what = "b is read as (K, N, B), with the batch as its fastest axis",
        .why = "The batch axis comes first: element (i, n, k) of b is b[(i * N + n) * K "
               "+ k].",
        .source = "HomericIntelligence/Odyssey#5648",
        .function = LIKE(batched_matmul_nt, batched_nt_batch_fastest),
    },
    {
        .id = "no-flag",
        .what = "b[i] is not transposed: its memory is read as (K, N)",
        .why = "Each b[i] is (N, K), and the product needs its transpose. Call "
               "matmul_nt, not matmul.",
        .function = LIKE(batched_matmul_nt, batched_nt_no_flag),
    },
    {
        .id = "always-first",
        .what = "every sequence gets the product of sequence 0, not its own",
        .why = "a and b must move with the batch: sequence i of a starts at a + i * M * "
               "K, and of b at b + i * N * K.",
        .function = LIKE(batched_matmul_nt, batched_nt_always_first),
    },
    {
        .id = "b-always-first",
        .what = "b stays at sequence 0 while a and out move",
        .why = "Every sequence has its own b: sequence i starts at b + i * N * K.",
        .function = LIKE(batched_matmul_nt, batched_nt_b_always_first),
    },
    {
        .id = "b-stride",
        .what = "b moves by M*K, the distance of a, not by its own distance",
        .why = DISTANCES_WHY("N*K"),
        .function = LIKE(batched_matmul_nt, batched_nt_b_stride),
    },
    {
        .id = "a-always-first",
        .what = "a stays at sequence 0 while b and out move",
        .why = "Every sequence has its own a: sequence i starts at a + i * M * K.",
        .function = LIKE(batched_matmul_nt, apart_nt_a_first),
    },
    {
        .id = "a-stride-of-out",
        .what = "a moves by M*N, the distance of out, not by its own distance",
        .why = DISTANCES_WHY("N*K"),
        .function = LIKE(batched_matmul_nt, apart_nt_a_as_out),
    },
    {
        .id = "a-stride-of-b",
        .what = "a moves by N*K, the distance of b, not by its own distance",
        .why = DISTANCES_WHY("N*K"),
        .function = LIKE(batched_matmul_nt, apart_nt_a_as_b),
    },
    {
        .id = "b-stride-of-out",
        .what = "b moves by M*N, the distance of out, not by its own distance",
        .why = DISTANCES_WHY("N*K"),
        .function = LIKE(batched_matmul_nt, apart_nt_b_as_out),
    },
    {
        .id = "out-stride-of-a",
        .what = "out moves by M*K, the distance of a, not by its own distance",
        .why = DISTANCES_WHY("N*K"),
        .function = LIKE(batched_matmul_nt, apart_nt_out_as_a),
    },
    {
        .id = "by-rows",
        .what =
            "the tensors move by their number of rows for each sequence, not by whole matrices",
        .why = DISTANCES_WHY("N*K"),
        .function = LIKE(batched_matmul_nt, apart_nt_by_rows),
    },
    {
        .id = "all-stride-of-out",
        .what = "all three tensors move by M*N, the distance of out",
        .why = DISTANCES_WHY("N*K"),
        .function = LIKE(batched_matmul_nt, apart_nt_all_as_out),
    },
    {
        .id = "by-numbers",
        .what = "each sequence starts one number after the one before, not one matrix",
        .why = DISTANCES_WHY("N*K"),
        .function = LIKE(batched_matmul_nt, apart_nt_by_numbers),
    },
    {
        .id = "out-transposed",
        .what = "each result is b a^T instead of a b^T: out holds (B, N, M)",
        .why = "In scores = q k^T this swaps queries and keys. a[i] comes first, and its "
               "rows are the rows of out[i].",
        .source = "karpathy/llm.c#531",
        .function = LIKE(batched_matmul_nt, batched_nt_out_transposed),
    },
    {
        .id = "first-only",
        .what = "only the first sequence is multiplied; the rest of out is never written",
        .why =
            "out holds B products. On the CPU, loop over the batch. On the GPU, use the "
            "z axis of the grid: blockIdx.z is the sequence.",
        .function = LIKE(batched_matmul_nt, batched_nt_first_only),
    },
    {0},
};

static const struct mistake batched_matmul_nt_alternatives[] = {
    {.id = "loops",
     .what = "four loops",
     .function = LIKE(batched_matmul_nt, batched_nt_loops)},
    {0},
};

static const struct part batched_parts[] = {
    {
        .function = "batched_matmul",
        .dims = "B M N K",
        .tensors = {{"out", "B M N", OUTPUT, F32, 2e-5f, 2e-5f},
                    {.name = "a", .shape = "B M K"},
                    {.name = "b", .shape = "B K N"}},
        .cases = batched_cases,
        .properties = batched_properties,
        .mistakes = batched_matmul_mistakes,
        .alternatives = batched_matmul_alternatives,
    },
    {
        .function = "batched_matmul_nt",
        .dims = "B M N K",
        .tensors = {{"out", "B M N", OUTPUT, F32, 2e-5f, 2e-5f},
                    {.name = "a", .shape = "B M K"},
                    {.name = "b", .shape = "B N K"}},
        .cases = batched_cases,
        .properties = batched_properties,
        .mistakes = batched_matmul_nt_mistakes,
        .alternatives = batched_matmul_nt_alternatives,
    },
    {0},
};

const struct exercise exercise_2_2 = {
    .id = "2.2",
    .name = "batched_matmul",
    .section = "2.2 One product per sequence",
    .gpu_section = "2.2 The sequence is a third axis",
    .uses = {"2.1"},
    .hints = {"Sequence i is an ordinary matrix that starts later in memory. How many "
              "floats come before it in a, in b and in out?",
              "out[i] = a[i] b[i] with a[i] at a + i*M*K, b[i] at b + i*K*N (or i*N*K: "
              "the same number), out[i] at out + i*M*N.",
              "for i below B:\n"
              "    LAB_TRY(matmul(out + i * M * N, a + i * M * K, b + i * K * N, M, N, "
              "K))\n"
              "return LAB_OK\n"
              "batched_matmul_nt: the same with matmul_nt"},
    .gpu_hints =
        {"The grid has a third axis. How must lab 1's kernel use blockIdx.z, and for "
         "which of the three pointers?",
         "i = blockIdx.z; a + i*M*K, b + i*K*N, out + i*M*N; then lab 1's kernel, "
         "unchanged. The grid is (N/16, M/16, B), each rounded up, and y and z at most "
         "GRID_MAX: loop for (i = blockIdx.z; i < B; i += gridDim.z).",
         "for i = blockIdx.z; i < B; i += gridDim.z:\n"
         "    a = a_dev + i * M * K; b = b_dev + i * K * N\n"
         "    the loops of 1.5 (of 1.3 for nt, with b[(n0 + y) * K + k0 + x])\n"
         "    out_dev[(i * M + m) * N + n] = sum\n"
         "launcher: grid((N + 15) / 16, min((M + 15) / 16, GRID_MAX),\n"
         "              min(B, GRID_MAX))"},
    .parts = batched_parts,
};
