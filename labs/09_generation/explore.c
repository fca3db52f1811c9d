// explore.c - experiments with your lab 9: what the cache holds, what it saves on the workbook's
// story model, what int8 costs, and what serving large models takes.
//
//     make plot LAB=9          builds, runs and draws
//     explore OUTDIR           writes the tables into the folder OUTDIR
//
// Written to OUTDIR (tab-separated; a file appears whole or not at all):
//     time.tsv      position, milliseconds of one core for its token without and with the cache
//     memory.tsv    length, then GiB of a cache: 32 heads of keys, 8, 1, a window of 4096
//     serving.tsv   sequences in a batch, then tokens a second at most: 32 heads of keys, 8, 1
//     int8.tsv      error of each weight of a row, in steps
//
// The model is datasets/story_model.safetensors, or the file that STORY_MODEL names.
// Exit status: 0 done, 1 an exercise failed, or there is no model, 2 wrong arguments, 3 an exercise is
// not written yet. Start reading at main.

#include "09_generation/generation.h"

#include <cblas.h>
#include <math.h>
#include <stdlib.h>

#include "common/explore.h"
#include "common/timer.h"
#include "programs/language/story.h"

// ---- 1. a cache -----------------------------------------------------------------------------

static void append_and_read(void)
{
    const float q[] = {2, 0, 0, 0}, new_key[] = {2, 0, 0, 0}, new_value[] = {10, 0, 0, 0};
    float keys[4 * 4] = {1}, values[4 * 4] = {1, 0, 0, 0, 0, 1};
    float out[4], weights[4], scores[4];
    size_t length = 2;
    explore_title("1. A cache of three tokens, and the query of the newest");
    explore_need(cache_append(keys, new_key, &length, 1, 1, 1, 4, 4), "9.1 cache_append");
    explore_need(cache_append(values, new_value, &length, 1, 1, 1, 4, 4),
                 "9.1 cache_append");
    length++;
    explore_blank(out);
    explore_blank(weights);
    explore_blank(scores);
    explore_need(
        attention_decode(out, weights, scores, q, keys, values, &length, 1, 1, 4, 4),
        "9.2 attention_decode");

    explore_show("keys", keys, 4, 4, "row ", "channel ");
    explore_show("values", values, 4, 4, "row ", "channel ");
    explore_show("weights", weights, 1, 4, "query ", "key ");
    explore_show("out", out, 1, 4, "query ", "channel ");
}

// ---- 2. a window ----------------------------------------------------------------------------

static void ring(void)
{
    enum { W = 4, LAST = 7 };
    float rows[W] = {NAN, NAN, NAN, NAN};
    explore_title("2. A ring of four rows, after each token");
    for (size_t position = 0; position < LAST; position++) {
        const float row[] = {(float)position};
        explore_need(ring_append(rows, row, &position, 1, 1, 1, W, 1), "9.5 ring_append");
        printf("    position %zu  ", position);
        for (size_t i = 0; i < W; i++) {
            if (isnan(rows[i])) {
                printf("  .");
            } else {
                printf("  %.0f", (double)rows[i]);
            }
        }
        printf("\n");
    }
    printf("\n");
}

// ---- 3. the story model ---------------------------------------------------------------------

// The story model, its cache, and what it works with.
struct writer {
    struct language model;
    struct alphabet alphabet;
    struct generation generation;
    struct generation_params params;
    size_t *tokens; // (T): a text of its own
    size_t T;
};

static const char prompt[] = "Once there was a girl named ";
static const struct sampling usual = {0.8f, 0, 1.0f};
enum { PROMPT = sizeof prompt - 1 };

static struct writer open_model(void)
{
    const char *path = getenv("STORY_MODEL");
    path = path != NULL ? path : "datasets/story_model.safetensors";
    struct writer w;
    struct story_settings settings = {0};
    run_program = "explore";
    saved_settings(&settings, &w.alphabet, path);
    settings.shape.B = 1;
    settings.shape.T = settings.shape.T < 2 * PROMPT ? 2 * PROMPT : settings.shape.T;
    story_settings_check(&settings, TRAIN_FAILED, "the model: ");
    explore_need(language_new(&w.model, &settings.shape, false), "language_new");
    saved_parameters(&w.model, path);
    explore_need(generation_new(&w.generation, &settings.shape), "generation_new");
    w.params = generation_params(&w.model.params);
    w.T = settings.shape.T;
    w.tokens = calloc(w.T, sizeof *w.tokens);
    if (w.tokens == NULL) {
        explore_need(LAB_ENOMEM, "the tokens");
    }
    explore_need(
        encode(w.tokens, (const uint8_t *)prompt, w.alphabet.bytes, PROMPT, w.alphabet.V),
        "8.1 encode");
    return w;
}

// Fills the whole context, with the cache and without; the texts must be the same.
static void write_twice(struct writer *w)
{
    const size_t count = w->T - PROMPT, length = PROMPT;
    float *uniforms = calloc(count, sizeof *uniforms), probabilities[256];
    size_t *alone = calloc(w->T, sizeof *alone), order[256];
    uint8_t *text = calloc(w->T, 1);
    struct lab_rng rng;
    if (uniforms == NULL || alone == NULL || text == NULL) {
        explore_need(LAB_ENOMEM, "a text");
    }
    lab_rng_seed(&rng, 1);
    lab_rng_rand(&rng, uniforms, count);
    memcpy(alone, w->tokens, PROMPT * sizeof *alone);

    const double start = lab_seconds();
    explore_need(generate(alone, &w->model.activations, &w->model.params, probabilities,
                          order, uniforms, &usual, PROMPT, count, &w->model.shape),
                 "8.11 generate");
    const double between = lab_seconds();
    const lab_status cached = generate_cached(
        w->tokens, &w->generation.cache, &w->generation.buffers, &w->params,
        probabilities, order, uniforms, &length, &usual, count, &w->model.shape);
    const double end = lab_seconds();
    if (cached == LAB_TODO) {
        explore_need(cached, "9.7 generate_cached");
    }
    if (cached != LAB_OK) { // NaN cannot be sampled; the pictures show what the steps do
        printf("    9.7 generate_cached: %s; see make check LAB=9\n\n",
               lab_status_message(cached));
        memcpy(w->tokens, alone, w->T * sizeof *alone);
        free(uniforms);
        free(alone);
        free(text);
        return;
    }
    explore_need(decode(text, w->tokens, w->alphabet.bytes, w->T, w->alphabet.V),
                 "8.1 decode");

    printf("%.*s\n\n"
           "    8.11 generate         %6.0f characters a second\n"
           "    9.7 generate_cached   %6.0f characters a second, %s text\n\n",
           (int)w->T, (const char *)text, (double)count / (between - start),
           (double)count / (end - between),
           memcmp(alone, w->tokens, w->T * sizeof *alone) == 0 ? "the same" : "ANOTHER");
    free(uniforms);
    free(alone);
    free(text);
}

// ---- 4. the time of a token -----------------------------------------------------------------

enum { TIMES = 5 };

// Milliseconds for the token at a position: lab 8's way, the whole text again.
static double time_without(const struct writer *w, size_t position)
{
    double samples[TIMES];
    struct language_shape shape = w->model.shape;
    shape.T = position + 1;
    for (size_t i = 0; i < TIMES; i++) {
        const double start = lab_thread_seconds();
        explore_need(language_forward(NULL, &w->model.activations, &w->model.params,
                                      w->tokens, NULL, &shape),
                     "8.7 language_forward");
        samples[i] = 1e3 * (lab_thread_seconds() - start);
    }
    return lab_median(samples, TIMES);
}

// The same with the cache: a step at this length, taken back each time.
static double time_with(const struct writer *w, size_t position)
{
    double samples[TIMES];
    float logits[256];
    const struct kv_cache *cache = &w->generation.cache;
    for (size_t i = 0; i < TIMES; i++) {
        cache->lengths[0] = position;
        const double start = lab_thread_seconds();
        explore_need(decode_step(logits, cache, &w->generation.buffers, &w->params,
                                 w->tokens + position, &w->model.shape),
                     "9.3 decode_step");
        samples[i] = 1e3 * (lab_thread_seconds() - start);
    }
    return lab_median(samples, TIMES);
}

static void times(const struct explore *e, const struct writer *w)
{
    enum { POINTS = 33 };
    double without[POINTS], with[POINTS];
    size_t position[POINTS];
    float logits[256];
    explore_title(
        "4. Milliseconds of one core for a token, by its position (median of %d)", TIMES);
    w->generation.cache.lengths[0] = 0;
    explore_need(prefill(logits, &w->generation.cache, &w->generation.buffers, &w->params,
                         w->tokens, 0, w->T, &w->model.shape),
                 "9.3 prefill");
    for (size_t i = 0; i < POINTS; i++) {
        position[i] = i * (w->T - 1) / (POINTS - 1);
        without[i] = time_without(w, position[i]);
        with[i] = time_with(w, position[i]);
    }

    printf("    position   without   with the cache\n");
    for (size_t i = 0; i < POINTS; i += 8) {
        printf("    %8zu %9.3f   %9.3f\n", position[i], without[i], with[i]);
    }
    printf("\n");
    struct lab_replacement table =
        explore_table(e, "time.tsv", "position\twithout\twith");
    for (size_t i = 0; i < POINTS; i++) {
        fprintf(table.file, "%zu\t%.5f\t%.5f\n", position[i], without[i], with[i]);
    }
    explore_table_end(e, "time.tsv", &table);
}

// ---- 5. what serving costs ------------------------------------------------------------------

// Llama 3 8B, whose 32 query heads share 8 heads of keys; with 32 it would be multi-head, with 1
// multi-query attention.
static struct decoder_sizes with_key_heads(size_t NKV)
{
    return (struct decoder_sizes){
        .L = 32, .C = 4096, .NH = 32, .NKV = NKV, .H = 14336, .V = 128256, .gated = true};
}

static const size_t key_heads[] = {32, 8, 1};
enum { FORMS = 3, BF16 = 2, WINDOW = 4096 };

static double gib(size_t bytes)
{
    return (double)bytes / (double)((size_t)1 << 30);
}

static void memory(const struct explore *e)
{
    struct lab_replacement table =
        explore_table(e, "memory.tsv", "length\tmha\tgqa\tmqa\twindow");
    explore_title(
        "5. GiB of one sequence's cache: Llama 3 8B in bfloat16, by its heads of keys");
    printf("    tokens      32 (MHA)   8 (GQA)   1 (MQA)   8, window of %d\n", WINDOW);
    for (size_t T = 1024; T <= 131072; T *= 2) {
        size_t bytes[FORMS + 1] = {0};
        for (size_t i = 0; i <= FORMS; i++) {
            const struct decoder_sizes sizes =
                with_key_heads(i < FORMS ? key_heads[i] : 8);
            const size_t kept = i == FORMS && T > WINDOW ? WINDOW : T;
            explore_need(cache_bytes(&bytes[i], &sizes, 1, kept, BF16),
                         "9.6 cache_bytes");
        }
        printf("    %6zu     %9.3f %9.3f %9.3f   %9.3f\n", T, gib(bytes[0]),
               gib(bytes[1]), gib(bytes[2]), gib(bytes[3]));
        fprintf(table.file, "%zu\t%.6f\t%.6f\t%.6f\t%.6f\n", T, gib(bytes[0]),
                gib(bytes[1]), gib(bytes[2]), gib(bytes[3]));
    }
    printf("\n");
    explore_table_end(e, "memory.tsv", &table);
}

// A memory that reads 3.35e12 bytes a second: NVIDIA H100 SXM, by its data sheet.
static void serving(const struct explore *e)
{
    const double bytes_a_second = 3.35e12;
    const size_t T = 8192;
    struct lab_replacement table =
        explore_table(e, "serving.tsv", "batch\tmha\tgqa\tmqa");
    explore_title(
        "6. Tokens a second at most, 8192 tokens in each cache, memory of 3.35 TB/s");
    printf("    sequences   32 (MHA)   8 (GQA)   1 (MQA)\n");
    for (size_t B = 1; B <= 256; B *= 2) {
        double most[FORMS];
        for (size_t i = 0; i < FORMS; i++) {
            const struct decoder_sizes sizes = with_key_heads(key_heads[i]);
            size_t bytes = 0;
            explore_need(decode_bytes(&bytes, &sizes, B, T, BF16, BF16),
                         "9.6 decode_bytes");
            most[i] = bytes_a_second / (double)bytes * (double)B;
        }
        printf("    %9zu  %9.0f %9.0f %9.0f\n", B, most[0], most[1], most[2]);
        fprintf(table.file, "%zu\t%.1f\t%.1f\t%.1f\n", B, most[0], most[1], most[2]);
    }
    printf("\n");
    explore_table_end(e, "serving.tsv", &table);
}

// ---- 7. int8 --------------------------------------------------------------------------------

static float extreme(const float *x, size_t n, float sign)
{
    float best = x[0];
    for (size_t i = 1; i < n; i++) {
        best = sign * x[i] > sign * best ? x[i] : best;
    }
    return best;
}

// The last token's logits with w_out in int8, and the errors of one row of it.
static void int8(const struct explore *e, struct writer *w)
{
    const size_t V = w->alphabet.V, C = w->model.shape.C;
    const float *w_out = w->params.w_out.weights;
    int8_t *rows = calloc(V * C, sizeof *rows);
    float *scales = calloc(V, sizeof *scales), logits[256], other[256];
    double largest = 0;
    if (rows == NULL || scales == NULL) {
        explore_need(LAB_ENOMEM, "int8 rows");
    }
    explore_blank_numbers(scales, V);
    explore_blank(logits);
    explore_blank(other);
    explore_need(quantize_rows(rows, scales, w_out, V, C), "9.8 quantize_rows");
    struct generation_params params = w->params;
    w->generation.cache.lengths[0] = 0;
    explore_need(prefill(logits, &w->generation.cache, &w->generation.buffers, &params,
                         w->tokens, 0, PROMPT, &w->model.shape),
                 "9.3 prefill");
    params.w_out = (struct generation_matrix){.rows = rows, .scales = scales};
    w->generation.cache.lengths[0] = 0;
    explore_need(prefill(other, &w->generation.cache, &w->generation.buffers, &params,
                         w->tokens, 0, PROMPT, &w->model.shape),
                 "9.3 prefill, 9.8 linear_int8");
    for (size_t i = 0; i < V; i++) {
        largest = explore_larger(largest, fabs((double)(other[i] - logits[i])));
    }

    printf("    bytes in float32 %zu, in int8 %zu\n"
           "    row 0: the largest weight is %.6f, one step is %.6f\n"
           "    largest change of a logit: %.4f (they go from %.1f to %.1f)\n\n",
           V * C * sizeof(float), V * C + V * sizeof(float), (double)(127 * scales[0]),
           (double)scales[0], largest, (double)extreme(logits, V, -1),
           (double)extreme(logits, V, 1));
    struct lab_replacement table = explore_table(e, "int8.tsv", "weight\terror");
    for (size_t i = 0; i < C; i++) {
        fprintf(table.file, "%.6f\t%.6f\n", (double)w_out[i],
                (double)(w_out[i] / scales[0] - (float)rows[i]));
    }
    explore_table_end(e, "int8.tsv", &table);
    free(rows);
    free(scales);
}

static void close_model(struct writer *w)
{
    free(w->tokens);
    generation_free(&w->generation);
    language_free(&w->model);
}

int main(int argc, char **argv)
{
    struct explore e = {.lab = 9};
    explore_arguments(&e, argc, argv);
    openblas_set_num_threads(1); // for small products, two threads are slower than one

    EXPLORE_PART(&e, append_and_read());
    EXPLORE_PART(&e, ring());
    EXPLORE_PART(&e, explore_title("3. The story model writes a text twice");
                 struct writer writer = open_model(); write_twice(&writer);
                 times(&e, &writer); close_model(&writer));
    EXPLORE_PART(&e, memory(&e));
    EXPLORE_PART(&e, serving(&e));
    EXPLORE_PART(&e, explore_title("7. The output matrix in int8");
                 struct writer writer = open_model(); int8(&e, &writer);
                 close_model(&writer));
    return explore_end(&e);
}
