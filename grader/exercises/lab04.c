// lab04.c - how to call the functions of lab 4, many heads. 04/ has a file for each
// exercise; lab01.c explains their order.
//
// Most mistakes of this lab are a right computation that reads or writes one tensor in
// the wrong order. One function, attend (04/attention.h), computes attention from a
// struct plan, which gives the distances between the sequences, heads, tokens and
// channels of each tensor. A mistake is the right plan with one change, shown in its
// definition.
//
// A mistake must not touch memory outside its arguments. The usual mistake of cross
// attention, T instead of S, would do so if there are more queries than keys. So its
// adaptor gives it more room than it needs (struct room).
//
// Start reading at struct plan in 04/attention.h, then at
// 04/05_scaled_dot_product_attention.c.

#include "exercises/exercise.h"

#include <stdlib.h>
#include <string.h>

#include "04_multi_head/heads.h"
#ifdef GPU
#include "04_multi_head/heads_gpu.h"
#endif

// ---- both sides: how to call the student --------------------------------------------------

#ifndef GPU // views and cross attention have no GPU variant

// Returns a view as tensors: its number of axes, its sizes, its strides, and whether it
// points to the right numbers. Before the call its fields hold the poison of the first of
// them, which shows the fields that the student never writes.
enum { OUT_AXES, OUT_SIZE, OUT_STRIDE, OUT_SAME_DATA, DATA, REST };

static struct view unwritten_view(void *const *t)
{
    struct view view;
    for (size_t at = 0; at < sizeof view; at += sizeof(size_t)) {
        memcpy((char *)&view + at, t[OUT_AXES], sizeof(size_t));
    }
    return view;
}

static void view_to_tensors(void *const *t, const struct view *view, size_t axes)
{
    const struct view unwritten = unwritten_view(t);
    const size_t count = axes < VIEW_AXES ? axes : VIEW_AXES;
    memcpy(t[OUT_AXES], &view->axes, sizeof view->axes);
    memcpy(t[OUT_SIZE], view->size, count * sizeof view->size[0]);
    memcpy(t[OUT_STRIDE], view->stride, count * sizeof view->stride[0]);
    if (view->data != unwritten.data) {
        *(uint8_t *)t[OUT_SAME_DATA] = view->data == (const float *)t[DATA];
    }
}

static struct view view_from_tensors(const float *data, const void *size,
                                     const void *stride, size_t axes)
{
    const size_t count = axes < VIEW_AXES ? axes : VIEW_AXES;
    struct view view = {.data = data, .axes = axes};
    for (size_t a = count; a < VIEW_AXES; a++) { // elements that do not count: anything
        view.size[a] = 2;
        view.stride[a] = 3;
    }
    memcpy(view.size, size, count * sizeof view.size[0]);
    memcpy(view.stride, stride, count * sizeof view.stride[0]);
    return view;
}

static lab_status call_view_of(any_function f, void *const *t, const size_t *n)
{
    struct view out = unwritten_view(t);
    lab_status status = ((__typeof__(view_of) *)f)(&out, t[DATA], t[REST], n[0]);
    view_to_tensors(t, &out, n[0]);
    return status;
}

static bool same_view(const struct view *a, const struct view *b)
{
    const size_t bytes = (a->axes < VIEW_AXES ? a->axes : VIEW_AXES) * sizeof a->size[0];
    return a->data == b->data && a->axes == b->axes &&
           memcmp(a->size, b->size, bytes) == 0 &&
           memcmp(a->stride, b->stride, bytes) == 0;
}

// If out is in (the last size says so), a rejected call that leaves it unchanged counts
// as writing nothing.
static lab_status call_view_transpose(any_function f, void *const *t, const size_t *n)
{
    struct view in = view_from_tensors(t[DATA], t[REST], t[REST + 1], n[0]);
    const struct view before = in;
    struct view out = n[3] != 0 ? in : unwritten_view(t);
    const struct view *from = n[3] != 0 ? &out : &in;
    lab_status status = ((__typeof__(view_transpose) *)f)(&out, from, n[1], n[2]);
    if (n[3] == 0 || status == LAB_OK || !same_view(&out, &before)) {
        view_to_tensors(t, &out, n[0]);
    }
    return status;
}

static lab_status call_view_as(any_function f, void *const *t, const size_t *n)
{
    struct view in = view_from_tensors(t[DATA], t[REST], t[REST + 1], n[1]);
    const struct view before = in;
    struct view out = n[2] != 0 ? in : unwritten_view(t);
    const struct view *from = n[2] != 0 ? &out : &in;
    lab_status status = ((__typeof__(view_as) *)f)(&out, from, t[REST + 2], n[0]);
    if (n[2] == 0 || status == LAB_OK || !same_view(&out, &before)) {
        view_to_tensors(t, &out, n[0]);
    }
    return status;
}

// Copies the answer byte by byte, because poison is not a valid value of a bool.
static lab_status call_view_is_contiguous(any_function f, void *const *t, const size_t *n)
{
    bool answer;
    const struct view in = view_from_tensors(t[1], t[2], t[3], n[0]);
    memcpy(&answer, t[0], sizeof answer);
    lab_status status = ((__typeof__(view_is_contiguous) *)f)(&answer, &in);
    memcpy(t[0], &answer, sizeof answer);
    return status;
}

static lab_status call_view_contiguous(any_function f, void *const *t, const size_t *n)
{
    const struct view in = view_from_tensors(t[1], t[2], t[3], n[0]);
    return ((__typeof__(view_contiguous) *)f)(t[0], &in);
}

#endif

GPU_ADAPTOR(split_qkv, t[0], t[1], t[2], t[3], n[0], n[1], n[2])
GPU_ADAPTOR(split_heads, t[0], t[1], n[0], n[1], n[2], n[3])
GPU_ADAPTOR(merge_heads, t[0], t[1], n[0], n[1], n[2], n[3])
GPU_ADAPTOR_CUBLAS(scaled_dot_product_attention, t[0], t[1], t[2], t[3], t[4], t[5], t[6],
                   n[0], n[1], n[2], n[3], n[4])
ADAPTOR(published_scores, t[0], t[1], t[2], n[0], n[1], n[2], n[3])

static lab_status call_multi_head_attention(any_function f, void *const *t,
                                            const size_t *n)
{
    const struct attention_buffers buffers = {
        .qkv = t[2],
        .q = t[3],
        .k = t[4],
        .v = t[5],
        .q_heads = t[6],
        .k_heads = t[7],
        .v_heads = t[8],
        .scores = t[9],
        .out_heads = t[10],
        .merged = t[11],
        .mask = t[12],
    };
    const struct attention_params params = {
        .w_qkv = t[14], .b_qkv = t[15], .w_o = t[16], .b_o = t[17]};
#ifdef GPU
    return ((__typeof__(multi_head_attention_gpu) *)f)(
        t[0], t[1], &buffers, t[13], &params, n[5] != 0, n[0], n[1], n[2], n[3], n[4],
        gpu_cublas, gpu_stream);
#else
    return ((__typeof__(multi_head_attention) *)f)(
        t[0], t[1], &buffers, t[13], &params, n[5] != 0, n[0], n[1], n[2], n[3], n[4]);
#endif
}

#ifndef GPU

// The tensors of cross_attention, in the order of its part.
enum {
    CROSS_OUT,
    CROSS_WEIGHTS,
    CROSS_Q,
    CROSS_K,
    CROSS_V,
    CROSS_Q_HEADS,
    CROSS_K_HEADS,
    CROSS_V_HEADS,
    CROSS_SCORES,
    CROSS_OUT_HEADS,
    CROSS_MERGED,
    CROSS_X,
    CROSS_MEMORY,
    CROSS_W, // w_q, b_q, w_k, b_k, w_v, b_v, w_o, b_o
    CROSS_MASK = CROSS_W + 8,
    CROSS_TENSORS,
};

static lab_status cross_with(any_function f, void *const *t, const size_t *n)
{
    const struct cross_attention_buffers buffers = {
        .q = t[CROSS_Q],
        .k = t[CROSS_K],
        .v = t[CROSS_V],
        .q_heads = t[CROSS_Q_HEADS],
        .k_heads = t[CROSS_K_HEADS],
        .v_heads = t[CROSS_V_HEADS],
        .scores = t[CROSS_SCORES],
        .out_heads = t[CROSS_OUT_HEADS],
        .merged = t[CROSS_MERGED],
    };
    void *const *w = t + CROSS_W;
    const struct cross_attention_params params = {
        .w_q = w[0],
        .b_q = w[1],
        .w_k = w[2],
        .b_k = w[3],
        .w_v = w[4],
        .b_v = w[5],
        .w_o = w[6],
        .b_o = w[7],
    };
    return ((__typeof__(cross_attention) *)f)(
        t[CROSS_OUT], t[CROSS_WEIGHTS], &buffers, t[CROSS_X], t[CROSS_MEMORY], &params,
        t[CROSS_MASK], n[0], n[1], n[2], n[3], n[4]);
}

// A tensor with extra room, zero after its end, during one call.
struct room {
    size_t tensor, bytes;
    void *place;
};

static void *lend(const void *from, size_t bytes, size_t room)
{
    void *place = calloc(room, 1);
    if (place == NULL) {
        abort();
    }
    return memcpy(place, from, bytes);
}

// With more queries than keys, every tensor with S tokens gets room for T. A student's
// function that uses T instead of S then stays inside, and the judge can name the mistake
// instead of reporting a crash. The calls with T <= S have no extra room and find
// accesses outside.
static lab_status call_cross_attention(any_function f, void *const *t, const size_t *n)
{
    const size_t B = n[0], T = n[1], S = n[2], C = n[3], NH = n[4];
    if (T <= S || B * T * S * C * NH == 0) {
        return cross_with(f, t, n);
    }
    const size_t channels = B * C * sizeof(float), maps = B * NH * T * sizeof(float);
    struct room rooms[] = {
        {CROSS_MEMORY, channels, NULL},  {CROSS_K, channels, NULL},
        {CROSS_V, channels, NULL},       {CROSS_K_HEADS, channels, NULL},
        {CROSS_V_HEADS, channels, NULL}, {CROSS_SCORES, maps, NULL},
        {CROSS_WEIGHTS, maps, NULL},     {CROSS_MASK, B * T, NULL},
    };
    enum { ROOMS = sizeof rooms / sizeof rooms[0] };
    void *wide[CROSS_TENSORS];
    memcpy(wide, t, sizeof wide);
    for (size_t i = 0; i < ROOMS; i++) {
        struct room *room = &rooms[i]; // its bytes are those of one token
        if (t[room->tensor] != NULL) {
            room->place = lend(t[room->tensor], room->bytes * S, room->bytes * T);
            wide[room->tensor] = room->place;
        }
    }
    lab_status status = cross_with(f, wide, n);
    memcpy(t[CROSS_WEIGHTS], wide[CROSS_WEIGHTS], maps * S);
    for (size_t i = 0; i < ROOMS; i++) {
        free(rooms[i].place);
    }
    return status;
}

#endif

const struct entry lab_entries[] = {
    ENTRY(view_of),
    ENTRY(view_transpose),
    ENTRY(view_is_contiguous),
    ENTRY(view_as),
    ENTRY(view_contiguous),
    GPU_ENTRY(split_qkv),
    GPU_ENTRY(split_heads),
    GPU_ENTRY(merge_heads),
    GPU_ENTRY(scaled_dot_product_attention),
    GPU_ENTRY(multi_head_attention),
    ENTRY(cross_attention),
    ENTRY(published_scores),
    {0},
};

#ifndef WORKER

const struct lab lab_04 = {
    .title = "Multi-head attention",
    .exercises = lab_exercises,
};

#endif
