// model.c - runs a model, and measures heads, with the functions of lab 11.
//
// Both are programs of their own, build/read_model and build/measure: they build the code of the
// labs first, and a mistake in it cannot harm this program. Files carry the numbers.

#include "programs/attnmap/attnmap.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/plural.h"
#include "common/tensor_file.h"

// Runs build/NAME --src SRC words...; exits with its status if that is not 0.
static void run(const char *name, const struct model_options *o, const char *const *words)
{
    enum { WORDS = 8 };
    char *arguments[WORDS + 4] = {(char *)map_above(name)};
    size_t count = 1;
    if (o->src != NULL) {
        arguments[count++] = "--src";
        arguments[count++] = (char *)o->src;
    }
    while (*words != NULL) {
        arguments[count++] = (char *)*words++;
    }
    const int status = map_run(arguments, "make programs builds it", NULL);
    if (status != 0) { // it has said why
        exit(status == MAP_USAGE ? MAP_USAGE : MAP_FAILED);
    }
}

const char *model_run(const struct model_options *o)
{
    static char path[SCRATCH_PATH];
    scratch_path(path, "model.safetensors");
    run("/read_model", o,
        (const char *const[]){o->model, "--text", o->text, "--quiet", "--out", path,
                              NULL});
    return path;
}

// ---- measures -----------------------------------------------------------------------------

// The numbers that stand for the tokens: equal names have equal numbers.
static int64_t *token_numbers(const struct token_list *tokens)
{
    int64_t *numbers = map_allocate(tokens->count, sizeof *numbers);
    for (size_t t = 0; t < tokens->count; t++) {
        size_t first = 0;
        while (strcmp(tokens->names[first], tokens->names[t]) != 0) {
            first++;
        }
        numbers[t] = (int64_t)first;
    }
    return numbers;
}

// A blank cell is a pair that the mask forbids: its weight is 0. Returns how many there are.
static size_t fill_blanks(float *weights, size_t count)
{
    size_t blanks = 0;
    for (size_t i = 0; i < count; i++) {
        if (!isfinite(weights[i])) {
            weights[i] = 0.0f;
            blanks++;
        }
    }
    return blanks;
}

// One sequence of the weights, as a file for build/measure.
static void write_weights(const char *path, const struct attention *a, size_t batch)
{
    struct lab_tensor_file file = {0};
    const size_t each = a->NH * a->T * a->S;
    const size_t shape[] = {a->L, a->NH, a->T, a->S};
    float *weights = map_allocate(a->L * each, sizeof *weights);
    int64_t *numbers = a->named ? token_numbers(&a->keys) : NULL;
    for (size_t l = 0; l < a->L; l++) {
        memcpy(weights + l * each, a->weights + (l * a->B + batch) * each,
               each * sizeof *weights);
    }
    if (fill_blanks(weights, a->L * each) > 0) {
        fprintf(stderr, "attnmap: %s: blank cells count as 0 here\n", a->source);
    }
    lab_status status =
        lab_tensor_file_add(&file, "attentions", LAB_F32, weights, 4, shape);
    if (status == LAB_OK && numbers != NULL) {
        status = lab_tensor_file_add(&file, "ids", LAB_I64, numbers, 1, shape + 3);
    }
    if (status != LAB_OK || lab_tensor_file_save(&file, path) != LAB_OK) {
        map_fail(MAP_FAILED, "%s", file.error[0] != '\0' ? file.error : "out of memory");
    }
    lab_tensor_file_close(&file);
    free(numbers);
    free(weights);
}

struct attention model_measure(const struct attention *a, size_t batch,
                               const char *measure, const struct model_options *o)
{
    char weights[SCRATCH_PATH], result[SCRATCH_PATH];
    const bool rollout = strcmp(measure, "rollout") == 0;
    if (a->T != a->S) {
        map_fail(MAP_FAILED, "%s: T = %zu and S = %zu; measures need self-attention",
                 a->source, a->T, a->S);
    }
    if (batch >= a->B) {
        map_fail(MAP_USAGE, "--batch %zu: there %s %zu sequence%s, numbered from 0",
                 batch, a->B == 1 ? "is" : "are", a->B, plural((double)a->B));
    }
    scratch_path(weights, "weights.safetensors");
    scratch_path(result, "measure.safetensors");
    write_weights(weights, a, batch);
    run("/measure", o, (const char *const[]){weights, measure, "--out", result, NULL});

    const struct read_options read = {.tensor = "measure"};
    struct attention measured = attention_read(result, &read);
    tokens_free(&measured.queries);
    tokens_free(&measured.keys);
    measured.queries = rollout ? tokens_copy(&a->queries) : tokens_numbers(a->L);
    measured.keys = rollout ? tokens_copy(&a->keys) : tokens_numbers(a->NH);
    measured.named = rollout && a->named;
    measured.by_head = !rollout;
    measured.measure = rollout ? "share" : measure;
    snprintf(measured.source, sizeof measured.source, "%s of %.120s", measure, a->source);
    return measured;
}
