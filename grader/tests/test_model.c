// test_model.c - labs/common/model.[ch]: the layout of the memory, rejected shapes, and drawn
// weights.

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "common/expect.h"
#include "common/model.h"

static const struct model_shape odd_shape = {.B = 2,
                                             .T = 5,
                                             .T_max = 6,
                                             .V = 7,
                                             .C = 6,
                                             .NH = 3,
                                             .H = 10,
                                             .L = 2,
                                             .causal = true,
                                             .positions = POSITIONS_LEARNED,
                                             .dropout = 0.1f};

Test(model, the_copy_task_has_13610_parameters)
{
    const struct model_shape shape = {.B = 32,
                                      .T = 8,
                                      .T_max = 8,
                                      .V = 10,
                                      .C = 32,
                                      .NH = 4,
                                      .H = 128,
                                      .L = 1,
                                      .positions = POSITIONS_LEARNED};
    cr_expect(model_count(model_params_rows, &shape) == 13610);
    struct model_shape without = shape;
    without.positions = POSITIONS_NONE;
    cr_expect(model_count(model_params_rows, &without) == 13610 - 8 * 32);
}

// The rows follow each other, from the start of a piece to its end, without gaps.
static void expect_rows(void *tensors, size_t pointers, const struct lab_row *rows,
                        const float *start)
{
    const float *next = start;
    for (const struct lab_row *row = rows; row->name != NULL; row++, pointers--) {
        cr_expect(*lab_row_pointer(tensors, row) == next, "%s", row->name);
        next += model_row_count(row, &odd_shape);
    }
    cr_expect(pointers == 0, "%zu pointers are in no row", pointers);
    cr_expect(next == start + model_count(rows, &odd_shape));
}

Test(model, every_pointer_has_a_row_and_rows_do_not_overlap)
{
    struct model m;
    must_succeed(model_new(&m, &odd_shape));
    const size_t pointer = sizeof(float *);
    expect_rows(&m.params, sizeof m.params / pointer, model_params_rows, m.param);
    expect_rows(&m.grads, sizeof m.grads / pointer, model_params_rows, m.grad);
    expect_rows(&m.activations,
                sizeof m.activations / pointer - 1, // the mask is not float
                model_activations_rows, m.activations.embedded);
    expect_rows(&m.gradients, sizeof m.gradients / pointer, model_gradients_rows,
                m.gradients.dlogits);
    cr_expect(m.P == model_count(model_params_rows, &odd_shape));
    // everything lies inside the arena: the sanitizers notice a write past its end
    memset(m.activations.mask, 1, 2 * 5 * 5);
    memset(m.uniforms, 0, 2 * 5 * 6 * sizeof(float));
    memset(m.targets, 0, 2 * 5 * sizeof(size_t));
    model_free(&m);
    model_free(&m);
    cr_expect(m.arena == NULL);
}

Test(model, blocks_follow_each_other)
{
    struct model m;
    must_succeed(model_new(&m, &odd_shape));
    const struct block_params p = model_block_params(&m.params, &odd_shape, 1);
    const struct block_grads g = model_block_grads(&m.grads, &odd_shape, 1);
    const struct block_buffers b = model_block_buffers(&m.activations, &odd_shape, 1);
    cr_expect(p.ln1_bias == m.params.ln1_bias + 6);
    cr_expect(p.attention.w_qkv == m.params.w_qkv + 3 * 6 * 6);
    cr_expect(p.mlp.b_fc == m.params.b_fc + 10);
    cr_expect(g.w_proj == m.grads.w_proj + 6 * 10);
    cr_expect(b.hidden == m.activations.hidden + 2 * 5 * 10);
    cr_expect(b.attention.scores == m.activations.scores + 2 * 3 * 5 * 5);
    cr_expect(b.attention.k_heads == m.activations.k_heads + 2 * 5 * 6);
    cr_expect(b.attention.mask == m.activations.mask);
    model_free(&m);
}

// One member changed.
#define REFUSED(member, value, status)                                                   \
    do {                                                                                 \
        struct model_shape shape = odd_shape;                                            \
        struct model m;                                                                  \
        shape.member = value;                                                            \
        must_return(model_new(&m, &shape), status);                                      \
        cr_expect(m.arena == NULL && m.P == 0);                                          \
    } while (0)

Test(model, a_shape_that_does_not_work_is_refused)
{
    REFUSED(B, 0, LAB_ESHAPE);
    REFUSED(T, 0, LAB_ESHAPE);
    REFUSED(V, 0, LAB_ESHAPE);
    REFUSED(C, 0, LAB_ESHAPE);
    REFUSED(NH, 0, LAB_ESHAPE);
    REFUSED(H, 0, LAB_ESHAPE);
    REFUSED(L, 0, LAB_ESHAPE);
    REFUSED(NH, 4, LAB_ESHAPE); // C is 6
    REFUSED(T, 7, LAB_ESHAPE);  // 6 positions
    REFUSED(C, (size_t)3 << 30, LAB_ESHAPE);
    REFUSED(B, (size_t)1 << 40, LAB_ESHAPE);
    REFUSED(V, SIZE_MAX, LAB_ESHAPE);
    REFUSED(positions, (enum positions)3, LAB_EVALUE);
    REFUSED(dropout, 1.0f, LAB_EVALUE);
    REFUSED(dropout, -0.1f, LAB_EVALUE);
    REFUSED(dropout, NAN, LAB_EVALUE);
}

Test(model, a_shape_larger_than_memory_is_refused)
{
    const struct model_shape shape = {.B = 1,
                                      .T = (size_t)1 << 30,
                                      .T_max = 1,
                                      .V = (size_t)1 << 30,
                                      .C = (size_t)1 << 20,
                                      .NH = (size_t)1 << 20,
                                      .H = (size_t)1 << 20,
                                      .L = (size_t)1 << 20};
    struct model m;
    must_return(model_new(&m, &shape), LAB_ENOMEM);
}

Test(model, without_a_table_of_positions_length_has_no_limit)
{
    struct model_shape shape = odd_shape;
    struct model m;
    shape.positions = POSITIONS_NONE;
    shape.T_max = 0;
    must_succeed(model_new(&m, &shape));
    cr_expect(m.params.position_table == NULL && m.grads.position_table == NULL);
    model_free(&m);
}

Test(model, sinusoidal_positions_are_no_parameters)
{
    struct model_shape shape = odd_shape;
    struct model m;
    shape.positions = POSITIONS_SINUSOIDAL;
    must_succeed(model_new(&m, &shape));
    cr_expect(m.grads.position_table == NULL);
    cr_expect(m.P == model_count(model_params_rows, &odd_shape) - 6 * 6);
    cr_expect(isnan(m.params.position_table[0]), "lab 7 has the numbers");
    model_free(&m);
}

Test(model, uniforms_are_drawn_for_dropout_only)
{
    struct model_shape shape = odd_shape;
    struct model m;
    struct lab_rng rng, again;
    float expected[2 * 5 * 6];
    lab_rng_seed(&rng, 42);
    must_succeed(model_new(&m, &shape));
    must_succeed(model_start(&m, &rng));
    again = rng; // dropout continues where the weights ended
    lab_rng_rand(&again, expected, 2 * 5 * 6);
    const float *uniforms = model_draw_uniforms(&m);
    cr_assert(uniforms != NULL);
    expect_close(uniforms, expected, 1, 2 * 5 * 6, 0.0f, 0.0f);
    model_free(&m);

    shape.dropout = 0;
    must_succeed(model_new(&m, &shape));
    cr_expect(model_draw_uniforms(&m) == NULL);
    model_free(&m);
}

Test(model, count_right_counts_the_largest_logit)
{
    const float logits[] = {1,   2, 0, //
                            5,   5, 0, // of equal logits the first counts
                            NAN, 1, 0};
    const size_t targets[] = {1, 0, 1};
    cr_expect(count_right(logits, targets, 3, 3) == 2);
}
