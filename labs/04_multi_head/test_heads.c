// test_heads.c - worked examples of lab 4: the handout's numbers, PyTorch's numbers, the
// published trace, and properties that hold for any numbers. Run them with "make unit
// LAB=4", and add your own.
//
// The program runs in the top folder of the repository, which contains datasets/.

#include "04_multi_head/heads.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "common/expect.h"
#include "common/rng.h"
#include "common/tensor_file.h"

// ---- 4.1 views ----------------------------------------------------------------------------

// The twelve numbers of the handout: 100 * token + 10 * head + channel.
static const float numbers[] = {0,   1,   10,  11,  //
                                100, 101, 110, 111, //
                                200, 201, 210, 211};

static void expect_sizes(const char *what, const size_t *got, const size_t *expected,
                         size_t axes)
{
    for (size_t a = 0; a < axes; a++) {
        cr_expect(got[a] == expected[a], "%s[%zu] is %zu and should be %zu", what, a,
                  got[a], expected[a]);
    }
}

static struct view handout_view(void) // (B,T,NH,hs)
{
    struct view view;
    must_succeed(view_of(&view, numbers, (size_t[]){1, 3, 2, 2}, 4));
    return view;
}

static struct view handout_moved(void) // (B,NH,T,hs)
{
    struct view view = handout_view(), moved;
    must_succeed(view_transpose(&moved, &view, 1, 2));
    return moved;
}

static bool contiguous(const struct view *view)
{
    bool answer;
    must_succeed(view_is_contiguous(&answer, view));
    return answer;
}

Test(view_of, the_last_index_runs_fastest)
{
    struct view view = handout_view();
    cr_expect(view.data == numbers);
    cr_expect(view.axes == 4);
    expect_sizes("size", view.size, (size_t[]){1, 3, 2, 2}, 4);
    expect_sizes("stride", view.stride, (size_t[]){12, 4, 2, 1}, 4);
}

Test(view_of, a_size_of_zero_or_too_many_axes_is_refused)
{
    const size_t seven[] = {1, 1, 1, 1, 1, 1, 1};
    struct view view = {.axes = 99};
    must_return(view_of(&view, numbers, (size_t[]){3, 0}, 2), LAB_ESHAPE);
    must_return(view_of(&view, numbers, seven, 0), LAB_ESHAPE);
    must_return(view_of(&view, numbers, seven, 7), LAB_ESHAPE);
    cr_expect(view.axes == 99, "out was changed");
}

Test(view_transpose, swaps_sizes_and_strides_and_moves_no_number)
{
    struct view moved = handout_moved();
    cr_expect(moved.data == numbers);
    expect_sizes("size", moved.size, (size_t[]){1, 2, 3, 2}, 4);
    expect_sizes("stride", moved.stride, (size_t[]){12, 2, 4, 1}, 4);
}

Test(view_transpose, twice_restores_the_view)
{
    struct view view = handout_view(), moved = handout_moved();
    must_succeed(view_transpose(&moved, &moved, 2, 1)); // out may be in
    expect_sizes("size", moved.size, view.size, 4);
    expect_sizes("stride", moved.stride, view.stride, 4);
}

Test(view_transpose, an_axis_that_does_not_exist_is_refused)
{
    struct view view = handout_view(), out = {.axes = 99};
    must_return(view_transpose(&out, &view, 1, 4), LAB_ESHAPE);
    cr_expect(out.axes == 99, "out was changed");
}

Test(view_is_contiguous, a_transposed_view_is_not)
{
    struct view view = handout_view(), moved = handout_moved();
    cr_expect(contiguous(&view));
    cr_expect(!contiguous(&moved));
}

Test(view_is_contiguous, an_axis_of_size_1_may_have_any_stride)
{
    struct view one_token;
    must_succeed(view_of(&one_token, numbers, (size_t[]){1, 1, 3, 4}, 4));
    must_succeed(view_transpose(&one_token, &one_token, 1, 2));
    cr_expect(contiguous(&one_token));
}

Test(view_as, reads_the_same_numbers_in_another_shape)
{
    struct view view = handout_view();
    must_succeed(view_as(&view, &view, (size_t[]){3, 4}, 2)); // out may be in
    cr_expect(view.data == numbers);
    cr_expect(view.axes == 2);
    expect_sizes("size", view.size, (size_t[]){3, 4}, 2);
    expect_sizes("stride", view.stride, (size_t[]){4, 1}, 2);
}

Test(view_as, refuses_a_transposed_view_and_another_number_of_elements)
{
    struct view view = handout_view(), moved = handout_moved(), out = {.axes = 99};
    must_return(view_as(&out, &moved, (size_t[]){1, 3, 4}, 3), LAB_ESHAPE);
    must_return(view_as(&out, &view, (size_t[]){3, 5}, 2), LAB_ESHAPE);
    cr_expect(out.axes == 99, "out was changed");
}

Test(view_contiguous, copies_in_reading_order)
{
    const float expected[] = {0,  1,  100, 101, 200, 201, // head 0
                              10, 11, 110, 111, 210, 211};
    struct view moved = handout_moved();
    float out[12];
    poison(out, 12);
    must_succeed(view_contiguous(out, &moved));
    expect_close(out, expected, 6, 2, 0.0f, 0.0f);
}

// ---- 4.2 to 4.4 ---------------------------------------------------------------------------

Test(split_qkv, cuts_every_token_into_three)
{
    const float qkv[] = {1, 2, 3, 4,  5,  6, // token 0: q is 1 2, k is 3 4, v is 5 6
                         7, 8, 9, 10, 11, 12};
    float q[4], k[4], v[4];
    poison(q, 4), poison(k, 4), poison(v, 4);
    must_succeed(split_qkv(q, k, v, qkv, 1, 2, 2));
    expect_close(q, ((const float[]){1, 2, 7, 8}), 2, 2, 0.0f, 0.0f);
    expect_close(k, ((const float[]){3, 4, 9, 10}), 2, 2, 0.0f, 0.0f);
    expect_close(v, ((const float[]){5, 6, 11, 12}), 2, 2, 0.0f, 0.0f);
}

Test(split_heads, is_view_transpose_contiguous)
{
    struct view moved = handout_moved();
    float by_views[12], out[12];
    must_succeed(view_contiguous(by_views, &moved));
    poison(out, 12);
    must_succeed(split_heads(out, numbers, 1, 3, 4, 2));
    expect_close(out, by_views, 6, 2, 0.0f, 0.0f);
}

Test(merge_heads, undoes_split_heads)
{
    enum { B = 2, T = 5, C = 12, NH = 3, N = B * T * C };
    float x[N], heads[N], back[N];
    struct lab_rng rng;
    lab_rng_seed(&rng, 1);
    lab_rng_randn(&rng, x, N);
    poison(heads, N), poison(back, N);
    must_succeed(split_heads(heads, x, B, T, C, NH));
    must_succeed(merge_heads(back, heads, B, T, C, NH));
    expect_close(back, x, B * T, C, 0.0f, 0.0f);
}

Test(split_heads, heads_that_do_not_divide_the_channels_are_refused)
{
    float out[1] = {7};
    must_return(split_heads(out, numbers, 1, 2, 5, 2), LAB_ESHAPE);
    must_return(split_heads(out, numbers, 1, 2, 4, 0), LAB_ESHAPE);
    must_return(merge_heads(out, numbers, 1, 2, 5, 2), LAB_ESHAPE);
    cr_expect(out[0] == 7);
}

// ---- buffers for an attention -------------------------------------------------------------

enum { MOST = 512 };
struct room {
    float out[MOST], weights[MOST], qkv[3 * MOST], q[MOST], k[MOST], v[MOST];
    float q_heads[MOST], k_heads[MOST], v_heads[MOST];
    float scores[MOST], out_heads[MOST], merged[MOST];
    uint8_t mask[MOST];
};

static struct attention_buffers self_buffers(struct room *r)
{
    poison(r->out, MOST), poison(r->weights, MOST);
    return (struct attention_buffers){
        .qkv = r->qkv,
        .q = r->q,
        .k = r->k,
        .v = r->v,
        .q_heads = r->q_heads,
        .k_heads = r->k_heads,
        .v_heads = r->v_heads,
        .scores = r->scores,
        .out_heads = r->out_heads,
        .merged = r->merged,
        .mask = r->mask,
    };
}

static struct cross_attention_buffers cross_buffers(struct room *r)
{
    poison(r->out, MOST), poison(r->weights, MOST);
    return (struct cross_attention_buffers){
        .q = r->q,
        .k = r->k,
        .v = r->v,
        .q_heads = r->q_heads,
        .k_heads = r->k_heads,
        .v_heads = r->v_heads,
        .scores = r->scores,
        .out_heads = r->out_heads,
        .merged = r->merged,
    };
}

// ---- 4.5 scaled_dot_product_attention -----------------------------------------------------

// The heads of the handout: NH = 2, T = 3, hs = 2.
static const float q_heads[] = {1, 0, 0, 2, 1, 2, /* head 1 */ 2, 0, 0, 1, 2, 1};
static const float k_heads[] = {1, 1, 0, 1, 1, 2, /* head 1 */ 0, 2, 2, 1, 2, 3};
static const float v_heads[] = {1, 0, 0, 1, 1, 1, /* head 1 */ 0, 1, 1, 0, 1, 1};
static const float handout_weights[] = {0.401112f, 0.197776f, 0.401112f, // head 0
                                        0.163579f, 0.163579f, 0.672842f, //
                                        0.178370f, 0.087949f, 0.733681f, //
                                        0.028705f, 0.485648f, 0.485648f, // head 1
                                        0.283995f, 0.140029f, 0.575975f, //
                                        0.022907f, 0.191090f, 0.786003f};

Test(scaled_dot_product_attention, gives_the_digits_of_the_handout)
{
    const float expected[] = {0.802224f, 0.598888f, //
                              0.836421f, 0.836421f, //
                              0.912051f, 0.821630f, //
                              0.971295f, 0.514352f, // head 1
                              0.716005f, 0.859971f, //
                              0.977093f, 0.808910f};
    float out[12], weights[18], scores[18];
    poison(out, 12), poison(weights, 18);
    must_succeed(scaled_dot_product_attention(out, weights, scores, q_heads, k_heads,
                                              v_heads, NULL, 1, 2, 3, 3, 2));
    expect_close(weights, handout_weights, 6, 3, 1e-6f, 1e-5f);
    expect_close(out, expected, 6, 2, 1e-6f, 1e-5f);
}

Test(scaled_dot_product_attention, a_query_without_a_key_gets_zeros)
{
    const uint8_t mask[] = {1, 1, 1, //
                            0, 0, 0, //
                            1, 0, 0};
    const float zeros[3] = {0};
    float out[12], weights[18], scores[18];
    poison(out, 12), poison(weights, 18);
    must_succeed(scaled_dot_product_attention(out, weights, scores, q_heads, k_heads,
                                              v_heads, mask, 1, 2, 3, 3, 2));
    for (size_t h = 0; h < 2; h++) {
        expect_close(weights + (h * 3 + 1) * 3, zeros, 1, 3, 0.0f, 0.0f);
        expect_close(out + (h * 3 + 1) * 2, zeros, 1, 2, 0.0f, 0.0f);
        expect_close(weights + (h * 3 + 2) * 3, ((const float[]){1, 0, 0}), 1, 3, 0.0f,
                     0.0f); // one key: all the weight
    }
}

// ---- 4.6 multi_head_attention -------------------------------------------------------------

// The handout's attention: T = 3, C_in = 2, C = 4, NH = 2.
static const float handout_x[] = {1, 0, 0, 1, 1, 1};
static const float handout_w_qkv[] = {1, 0, 0, 2, 2, 0, 0, 1,  // q
                                      1, 0, 1, 1, 0, 2, 2, 1,  // k
                                      1, 0, 0, 1, 0, 1, 1, 0}; // v
static const float handout_w_o[] = {1, 0, 1,  0,               //
                                    0, 1, 0,  1,               //
                                    1, 0, -1, 0,               //
                                    0, 1, 0,  -1};

Test(multi_head_attention, gives_the_digits_of_the_handout)
{
    const float out[] = {1.773520f, 1.113240f, -0.169071f, 0.084536f,  //
                         1.552426f, 1.696392f, 0.120416f,  -0.023550f, //
                         1.889145f, 1.630539f, -0.065042f, 0.012720f};
    const struct attention_params params = {.w_qkv = handout_w_qkv, .w_o = handout_w_o};
    struct room r;
    struct attention_buffers buffers = self_buffers(&r);
    must_succeed(multi_head_attention(r.out, r.weights, &buffers, handout_x, &params,
                                      false, 1, 3, 2, 4, 2));
    expect_close(r.weights, handout_weights, 6, 3, 1e-6f, 1e-5f);
    expect_close(r.out, out, 3, 4, 2e-6f, 1e-5f);
}

Test(multi_head_attention, causal_token_zero_sees_itself_in_every_head)
{
    const struct attention_params params = {.w_qkv = handout_w_qkv, .w_o = handout_w_o};
    struct room r;
    struct attention_buffers buffers = self_buffers(&r);
    must_succeed(multi_head_attention(r.out, r.weights, &buffers, handout_x, &params,
                                      true, 1, 3, 2, 4, 2));
    for (size_t h = 0; h < 2; h++) {
        expect_close(r.weights + h * 9, ((const float[]){1, 0, 0}), 1, 3, 0.0f, 0.0f);
    }
}

Test(multi_head_attention, heads_that_do_not_divide_the_channels_are_refused)
{
    const struct attention_params params = {.w_qkv = handout_w_qkv, .w_o = handout_w_o};
    struct room r;
    struct attention_buffers buffers = self_buffers(&r);
    r.out[0] = 7;
    must_return(multi_head_attention(r.out, r.weights, &buffers, handout_x, &params,
                                     false, 1, 3, 2, 4, 3),
                LAB_ESHAPE);
    cr_expect(r.out[0] == 7);
}

// ---- 4.7 cross_attention ------------------------------------------------------------------

// With memory = x this is self-attention with three separate projections.
Test(cross_attention, of_a_text_with_itself_is_self_attention)
{
    enum { B = 2, T = 4, C = 6, NH = 3 };
    float x[B * T * C], w_qkv[3 * C * C], b_qkv[3 * C], w_o[C * C], b_o[C];
    struct lab_rng rng;
    lab_rng_seed(&rng, 2);
    lab_rng_randn(&rng, x, B * T * C);
    must_succeed(lab_rng_linear(&rng, w_qkv, b_qkv, 3 * C, C));
    must_succeed(lab_rng_linear(&rng, w_o, b_o, C, C));
    const struct attention_params self = {w_qkv, b_qkv, w_o, b_o};
    const struct cross_attention_params cross = {
        .w_q = w_qkv,
        .b_q = b_qkv,
        .w_k = w_qkv + C * C,
        .b_k = b_qkv + C,
        .w_v = w_qkv + 2 * C * C,
        .b_v = b_qkv + 2 * C,
        .w_o = w_o,
        .b_o = b_o,
    };
    struct room a, b;
    struct attention_buffers self_room = self_buffers(&a);
    struct cross_attention_buffers cross_room = cross_buffers(&b);
    must_succeed(multi_head_attention(a.out, a.weights, &self_room, x, &self, false, B, T,
                                      C, C, NH));
    must_succeed(cross_attention(b.out, b.weights, &cross_room, x, x, &cross, NULL, B, T,
                                 T, C, NH));
    expect_close(b.weights, a.weights, B * NH * T, T, 1e-6f, 1e-4f);
    expect_close(b.out, a.out, B * T, C, 1e-5f, 1e-4f);
}

// ---- 4.8 the published trace --------------------------------------------------------------

static const float *tensor(struct lab_tensor_file *file, const char *name, size_t dims,
                           const size_t *shape)
{
    const float *data = lab_tensor_f32(file, name, dims, shape);
    cr_assert(data != NULL, "%s", file->error);
    return data;
}

static struct lab_tensor_file open_file(const char *path)
{
    struct lab_tensor_file file;
    lab_status status = lab_tensor_file_open(&file, path);
    cr_assert(status == LAB_OK, "%s", file.error);
    return file;
}

// Four decimals: q, k and the printed scores are each off by up to 5e-5.
Test(published_scores, gives_the_scores_that_were_printed)
{
    const size_t rows[] = {2, 3, 6}, maps[] = {2, 3, 3, 3};
    struct lab_tensor_file file = open_file("datasets/published_trace.safetensors");
    const float *q = tensor(&file, "q", 3, rows), *k = tensor(&file, "k", 3, rows);
    float scores[54];
    poison(scores, 54);
    must_succeed(published_scores(scores, q, k, 2, 3, 6, 3));
    expect_close(scores, tensor(&file, "scores", 4, maps), 18, 3, 1e-4f, 0.0f);
    lab_tensor_file_close(&file);
}

Test(published_scores, other_sizes_are_refused)
{
    const float q[24] = {0};
    float scores[1] = {7};
    must_return(published_scores(scores, q, q, 1, 3, 7, 3), LAB_ESHAPE);
    cr_expect(scores[0] == 7);
}

// The result of the same q, k and v if heads and tokens are swapped in all three.
Test(scaled_dot_product_attention, gives_the_right_trace)
{
    const size_t rows[] = {2, 3, 6}, maps[] = {2, 3, 3, 3};
    struct lab_tensor_file file = open_file("datasets/published_trace.safetensors");
    struct lab_tensor_file right = open_file("datasets/goldens/lab04.safetensors");
    struct room r;
    uint8_t mask[] = {1, 0, 0, 1, 1, 0, 1, 1, 1, /* sequence 1 */ 1,
                      0, 0, 1, 1, 0, 1, 1, 1};
    poison(r.out, MOST), poison(r.weights, MOST);
    must_succeed(split_heads(r.q_heads, tensor(&file, "q", 3, rows), 2, 3, 6, 3));
    must_succeed(split_heads(r.k_heads, tensor(&file, "k", 3, rows), 2, 3, 6, 3));
    must_succeed(split_heads(r.v_heads, tensor(&file, "v", 3, rows), 2, 3, 6, 3));
    must_succeed(scaled_dot_product_attention(r.out_heads, r.weights, r.scores, r.q_heads,
                                              r.k_heads, r.v_heads, mask, 2, 3, 3, 3, 2));
    must_succeed(merge_heads(r.out, r.out_heads, 2, 3, 6, 3));
    expect_close(r.weights, tensor(&right, "trace.right_weights", 4, maps), 18, 3, 1e-6f,
                 1e-4f);
    expect_close(r.out, tensor(&right, "trace.right_merged", 3, rows), 6, 6, 1e-5f,
                 1e-4f);
    lab_tensor_file_close(&right);
    lab_tensor_file_close(&file);
}

// ---- PyTorch ------------------------------------------------------------------------------

enum { B = 2, T = 5, S = 7, C = 12, NH = 3, HS = 4 };
static const size_t tokens[] = {B, T, C}, keys[] = {B, S, C}, masks[] = {B, T, S};
static const size_t in_heads[] = {B, NH, T, HS}, keys_in_heads[] = {B, NH, S, HS};
static const size_t self_maps[] = {B, NH, T, T}, cross_maps[] = {B, NH, T, S};
static const size_t square[] = {C, C}, row[] = {C}, three_rows[] = {3 * C};

static struct lab_tensor_file open_goldens(void)
{
    return open_file("datasets/goldens/lab04.safetensors");
}

static const uint8_t *golden_mask(struct lab_tensor_file *file, const char *name)
{
    const uint8_t *data = lab_tensor_u8(file, name, 3, masks);
    cr_assert(data != NULL, "%s", file->error);
    return data;
}

Test(view_contiguous, matches_pytorch)
{
    struct lab_tensor_file file = open_goldens();
    float x[24], out[24];
    for (size_t i = 0; i < 24; i++) {
        x[i] = (float)i;
    }
    struct view view;
    must_succeed(view_of(&view, x, (size_t[]){1, 3, 2, 4}, 4));
    must_succeed(view_transpose(&view, &view, 1, 2));
    poison(out, 24);
    must_succeed(view_contiguous(out, &view));
    expect_close(out, tensor(&file, "view.moved.numbers", 4, (size_t[]){1, 2, 3, 4}), 6,
                 4, 0.0f, 0.0f);
    const int64_t *stride = lab_tensor_i64(&file, "view.moved.stride", 1, (size_t[]){4});
    cr_assert(stride != NULL, "%s", file.error);
    for (size_t a = 0; a < 4; a++) {
        cr_expect((int64_t)view.stride[a] == stride[a]);
    }

    struct view sliced = {.data = x + 2, .axes = 2, .size = {3, 4}, .stride = {8, 1}};
    poison(out, 24);
    must_succeed(view_contiguous(out, &sliced));
    expect_close(out, tensor(&file, "view.sliced.numbers", 2, (size_t[]){3, 4}), 3, 4,
                 0.0f, 0.0f);
    lab_tensor_file_close(&file);
}

Test(view_is_contiguous, matches_pytorch)
{
    struct lab_tensor_file file = open_goldens();
    const uint8_t *expected =
        lab_tensor_u8(&file, "view.is_contiguous", 1, (size_t[]){5});
    cr_assert(expected != NULL, "%s", file.error);
    const struct view views[] = {
        {numbers, 4, {1, 3, 2, 4}, {24, 8, 4, 1}},
        {numbers, 4, {1, 2, 3, 4}, {24, 4, 8, 1}}, // transposed
        {numbers, 2, {3, 4}, {8, 1}},              // 4 of 8 columns
        {numbers, 4, {1, 1, 3, 4}, {24, 4, 8, 1}}, // one head
        {numbers, 4, {1, 2, 1, 4}, {24, 4, 8, 1}}, // one token
    };
    for (size_t i = 0; i < 5; i++) {
        cr_expect(contiguous(&views[i]) == (expected[i] == 1), "view %zu", i);
    }
    lab_tensor_file_close(&file);
}

Test(split_qkv, matches_pytorch)
{
    struct lab_tensor_file file = open_goldens();
    float q[B * T * C], k[B * T * C], v[B * T * C];
    must_succeed(split_qkv(
        q, k, v, tensor(&file, "split_qkv.qkv", 3, (size_t[]){B, T, 3 * C}), B, T, C));
    expect_close(q, tensor(&file, "split_qkv.q", 3, tokens), B * T, C, 0.0f, 0.0f);
    expect_close(k, tensor(&file, "split_qkv.k", 3, tokens), B * T, C, 0.0f, 0.0f);
    expect_close(v, tensor(&file, "split_qkv.v", 3, tokens), B * T, C, 0.0f, 0.0f);
    lab_tensor_file_close(&file);
}

Test(split_heads, matches_pytorch)
{
    struct lab_tensor_file file = open_goldens();
    float out[B * T * C];
    poison(out, B * T * C);
    must_succeed(
        split_heads(out, tensor(&file, "split_heads.x", 3, tokens), B, T, C, NH));
    expect_close(out, tensor(&file, "split_heads.out", 4, in_heads), B * NH * T, HS, 0.0f,
                 0.0f);
    lab_tensor_file_close(&file);
}

Test(merge_heads, matches_pytorch)
{
    struct lab_tensor_file file = open_goldens();
    float out[B * T * C];
    poison(out, B * T * C);
    must_succeed(
        merge_heads(out, tensor(&file, "split_heads.out", 4, in_heads), B, T, C, NH));
    expect_close(out, tensor(&file, "split_heads.x", 3, tokens), B * T, C, 0.0f, 0.0f);
    lab_tensor_file_close(&file);
}

// PyTorch gives NaN for a query without an allowed key; the golden file has zeros there.
Test(scaled_dot_product_attention, matches_pytorch)
{
#define SDPA "scaled_dot_product_attention."
    struct lab_tensor_file file = open_goldens();
    const float *q = tensor(&file, SDPA "q", 4, in_heads);
    const float *k = tensor(&file, SDPA "k", 4, keys_in_heads);
    const float *v = tensor(&file, SDPA "v", 4, keys_in_heads);
    const uint8_t *const given[] = {NULL, golden_mask(&file, SDPA "mask")};
    static const char *const names[][2] = {{SDPA "weights", SDPA "out"},
                                           {SDPA "masked.weights", SDPA "masked.out"}};
    for (size_t i = 0; i < 2; i++) {
        struct room r;
        poison(r.out, MOST), poison(r.weights, MOST);
        must_succeed(scaled_dot_product_attention(r.out, r.weights, r.scores, q, k, v,
                                                  given[i], B, NH, T, S, HS));
        expect_close(r.weights, tensor(&file, names[i][0], 4, cross_maps), B * NH * T, S,
                     1e-6f, 1e-4f);
        expect_close(r.out, tensor(&file, names[i][1], 4, in_heads), B * NH * T, HS,
                     1e-5f, 1e-4f);
    }
    lab_tensor_file_close(&file);
}

// torch.nn.MultiheadAttention with the same weights: open, causal, and without biases.
Test(multi_head_attention, matches_pytorch)
{
#define MHA "multi_head_attention."
    struct lab_tensor_file file = open_goldens();
    const float *x = tensor(&file, MHA "x", 3, tokens);
    const struct attention_params with_bias = {
        .w_qkv = tensor(&file, MHA "w_qkv", 2, (size_t[]){3 * C, C}),
        .b_qkv = tensor(&file, MHA "b_qkv", 1, three_rows),
        .w_o = tensor(&file, MHA "w_o", 2, square),
        .b_o = tensor(&file, MHA "b_o", 1, row),
    };
    const struct attention_params without = {.w_qkv = with_bias.w_qkv,
                                             .w_o = with_bias.w_o};
    const struct {
        const struct attention_params *params;
        bool causal;
        const char *weights, *out;
    } goldens[] = {
        {&with_bias, false, MHA "open.weights", MHA "open.out"},
        {&with_bias, true, MHA "causal.weights", MHA "causal.out"},
        {&without, false, MHA "no_bias.weights", MHA "no_bias.out"},
    };
    for (size_t i = 0; i < 3; i++) {
        struct room r;
        struct attention_buffers buffers = self_buffers(&r);
        must_succeed(multi_head_attention(r.out, r.weights, &buffers, x,
                                          goldens[i].params, goldens[i].causal, B, T, C,
                                          C, NH));
        expect_close(r.weights, tensor(&file, goldens[i].weights, 4, self_maps),
                     B * NH * T, T, 1e-6f, 1e-4f);
        expect_close(r.out, tensor(&file, goldens[i].out, 3, tokens), B * T, C, 1e-5f,
                     1e-4f);
    }
    lab_tensor_file_close(&file);
}

// An input of another width, a bias in one projection only, causal.
Test(multi_head_attention, takes_an_input_of_another_width)
{
    struct lab_tensor_file file = open_goldens();
    const float *x = tensor(&file, MHA "wide.x", 3, (size_t[]){B, T, 7});
    const struct attention_params params = {
        .w_qkv = tensor(&file, MHA "wide.w_qkv", 2, (size_t[]){3 * C, 7}),
        .b_qkv = tensor(&file, MHA "wide.b_qkv", 1, three_rows),
        .w_o = tensor(&file, MHA "wide.w_o", 2, square),
    };
    struct room r;
    struct attention_buffers buffers = self_buffers(&r);
    must_succeed(multi_head_attention(r.out, r.weights, &buffers, x, &params, true, B, T,
                                      7, C, NH));
    expect_close(r.weights, tensor(&file, MHA "wide.weights", 4, self_maps), B * NH * T,
                 T, 1e-6f, 1e-4f);
    expect_close(r.out, tensor(&file, MHA "wide.out", 3, tokens), B * T, C, 1e-5f, 1e-4f);
    lab_tensor_file_close(&file);
}

Test(cross_attention, matches_pytorch)
{
#define CROSS "cross_attention."
    struct lab_tensor_file file = open_goldens();
    const float *x = tensor(&file, CROSS "x", 3, tokens);
    const float *memory = tensor(&file, CROSS "memory", 3, keys);
    const struct cross_attention_params params = {
        .w_q = tensor(&file, CROSS "w_q", 2, square),
        .b_q = tensor(&file, CROSS "b_q", 1, row),
        .w_k = tensor(&file, CROSS "w_k", 2, square),
        .b_k = tensor(&file, CROSS "b_k", 1, row),
        .w_v = tensor(&file, CROSS "w_v", 2, square),
        .b_v = tensor(&file, CROSS "b_v", 1, row),
        .w_o = tensor(&file, CROSS "w_o", 2, square),
        .b_o = tensor(&file, CROSS "b_o", 1, row),
    };
    const uint8_t *const given[] = {NULL, golden_mask(&file, CROSS "mask")};
    static const char *const names[][2] = {{CROSS "open.weights", CROSS "open.out"},
                                           {CROSS "masked.weights", CROSS "masked.out"}};
    for (size_t i = 0; i < 2; i++) {
        struct room r;
        struct cross_attention_buffers buffers = cross_buffers(&r);
        must_succeed(cross_attention(r.out, r.weights, &buffers, x, memory, &params,
                                     given[i], B, T, S, C, NH));
        expect_close(r.weights, tensor(&file, names[i][0], 4, cross_maps), B * NH * T, S,
                     1e-6f, 1e-4f);
        expect_close(r.out, tensor(&file, names[i][1], 3, tokens), B * T, C, 1e-5f,
                     1e-4f);
    }
    lab_tensor_file_close(&file);
}
