// generation.c - lays out the cache and the workspaces of lab 9 in one piece of memory.

#include "common/generation.h"

#include <stdlib.h>
#include <string.h>

// ---- the tables ---------------------------------------------------------------------------

// clang-format off
#define ROW(name, shape) {#name, shape, offsetof(struct kv_cache, name)}
const struct lab_row kv_cache_rows[] = {
    ROW(keys,   "L B NH T hs"),
    ROW(values, "L B NH T hs"),
    {0},
};
#undef ROW

#define ROW(name, shape) {#name, shape, offsetof(struct generation_buffers, name)}
const struct lab_row generation_buffers_rows[] = {
    ROW(stream,    "R C"),
    ROW(normed1,   "R C"),
    ROW(rrms1,     "R"),
    ROW(q,         "R C"),
    ROW(k,         "R C"),
    ROW(v,         "R C"),
    ROW(q_turned,  "R C"),
    ROW(k_turned,  "R C"),
    ROW(scores,    "R NH T"),
    ROW(weights,   "R NH T"),
    ROW(merged,    "R C"),
    ROW(attended,  "R C"),
    ROW(middle,    "R C"),
    ROW(normed2,   "R C"),
    ROW(rrms2,     "R"),
    ROW(gate,      "R H"),
    ROW(up,        "R H"),
    ROW(hidden,    "R H"),
    ROW(projected, "R C"),
    ROW(normed,    "R C"),
    ROW(rrms,      "R"),
    ROW(logits,    "B V"),
    {0},
};
#undef ROW
// clang-format on

static size_t rows_of(const struct language_shape *shape)
{
    return shape->B > shape->T ? shape->B : shape->T;
}

// What the words of the tables mean. The list fits into a struct, so that it can be returned.
struct generation_sizes {
    struct lab_size list[10];
};

static struct generation_sizes sizes_of(const struct language_shape *shape)
{
    return (struct generation_sizes){{
        {"R", rows_of(shape)},
        {"B", shape->B},
        {"T", shape->T},
        {"V", shape->V},
        {"C", shape->C},
        {"NH", shape->NH},
        {"hs", shape->C / shape->NH},
        {"H", shape->H},
        {"L", shape->L},
        {0},
    }};
}

size_t generation_count(const struct lab_row *rows, const struct language_shape *shape)
{
    return lab_rows_count(rows, sizes_of(shape).list);
}

// ---- parameters ---------------------------------------------------------------------------

static struct generation_matrix in_float(const float *weights)
{
    return (struct generation_matrix){.weights = weights};
}

struct generation_params generation_params(const struct language_params *params)
{
    return (struct generation_params){
        .token_table = params->token_table,
        .norm1 = params->norm1,
        .norm2 = params->norm2,
        .w_q = in_float(params->w_q),
        .w_k = in_float(params->w_k),
        .w_v = in_float(params->w_v),
        .w_o = in_float(params->w_o),
        .w_gate = in_float(params->w_gate),
        .w_up = in_float(params->w_up),
        .w_down = in_float(params->w_down),
        .norm = params->norm,
        .w_out = in_float(params->w_out),
    };
}

// The matrix of block l, when every block's is (O, I).
static struct generation_matrix matrix_of(struct generation_matrix all, size_t l,
                                          size_t O, size_t I)
{
    if (all.weights != NULL) {
        return in_float(all.weights + l * O * I);
    }
    return (struct generation_matrix){
        .rows = all.rows + l * O * I,
        .scales = all.scales + l * O,
    };
}

struct generation_block generation_block(const struct generation_params *params,
                                         const struct language_shape *shape, size_t l)
{
    const size_t C = shape->C, H = shape->H;
    return (struct generation_block){
        .norm1 = params->norm1 + l * C,
        .norm2 = params->norm2 + l * C,
        .w_q = matrix_of(params->w_q, l, C, C),
        .w_k = matrix_of(params->w_k, l, C, C),
        .w_v = matrix_of(params->w_v, l, C, C),
        .w_o = matrix_of(params->w_o, l, C, C),
        .w_gate = matrix_of(params->w_gate, l, H, C),
        .w_up = matrix_of(params->w_up, l, H, C),
        .w_down = matrix_of(params->w_down, l, C, H),
    };
}

// ---- the arena ----------------------------------------------------------------------------

static void take_pieces(struct generation *g, struct lab_arena *pieces)
{
    const struct language_shape *s = &g->shape;
    const size_t R = rows_of(s);
    float *cache = lab_take(pieces, generation_count(kv_cache_rows, s), sizeof(float));
    float *buffers =
        lab_take(pieces, generation_count(generation_buffers_rows, s), sizeof(float));
    g->cache.lengths = lab_take(pieces, s->B, sizeof(size_t));
    g->buffers.sequences = lab_take(pieces, R, sizeof(size_t));
    g->buffers.positions = lab_take(pieces, R, sizeof(size_t));
    g->buffers.next = lab_take(pieces, s->B, sizeof(size_t));
    if (pieces->memory != NULL) {
        const struct generation_sizes sizes = sizes_of(s);
        lab_rows_lay_out(&g->cache, kv_cache_rows, sizes.list, cache);
        lab_rows_lay_out(&g->buffers, generation_buffers_rows, sizes.list, buffers);
    }
}

lab_status generation_new(struct generation *generation,
                          const struct language_shape *shape)
{
    memset(generation, 0, sizeof *generation);
    LAB_TRY(language_shape_check(shape));

    struct generation made = {.shape = *shape};
    struct lab_arena count = {0};
    take_pieces(&made, &count);
    void *arena = count.overflow ? NULL : aligned_alloc(LAB_ALIGNMENT, count.used);
    if (arena == NULL) {
        return LAB_ENOMEM;
    }
    memset(arena, 0xff, count.used); // as floats, NaN
    struct lab_arena pieces = {.memory = arena};
    take_pieces(&made, &pieces);
    memset(made.cache.lengths, 0, shape->B * sizeof *made.cache.lengths);
    made.arena = arena;
    made.arena_bytes = count.used;
    *generation = made;
    return LAB_OK;
}

void generation_free(struct generation *generation)
{
    free(generation->arena);
    memset(generation, 0, sizeof *generation);
}
