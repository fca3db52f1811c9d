// batch.c - several texts as one batch: each is padded to the length of the longest.

#include "programs/reading/read_model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t longest(const struct encoding *encodings, size_t B)
{
    size_t T = 0;
    for (size_t b = 0; b < B; b++) {
        T = encodings[b].tokens.count > T ? encodings[b].tokens.count : T;
        if (encodings[b].tokens.count == 0) {
            reader_fail(READER_FAILED, "there are no tokens in the text");
        }
    }
    return T;
}

struct batch batch_new(const struct encoding *encodings, size_t B, size_t padding)
{
    const size_t T = longest(encodings, B);
    struct batch batch = {
        .B = B,
        .T = T,
        .tokens = reader_allocate(B * T, sizeof *batch.tokens),
        .types = reader_allocate(B * T, sizeof *batch.types),
        .lengths = reader_allocate(B, sizeof *batch.lengths),
    };
    for (size_t b = 0; b < B; b++) {
        const size_t length = encodings[b].tokens.count;
        memcpy(batch.tokens + b * T, encodings[b].tokens.at,
               length * sizeof *batch.tokens);
        memcpy(batch.types + b * T, encodings[b].types.at, length * sizeof *batch.types);
        for (size_t t = length; t < T; t++) {
            batch.tokens[b * T + t] = padding;
        }
        batch.lengths[b] = length;
    }
    return batch;
}

void batch_make_room(struct batch *batch, const struct config *c)
{
    const size_t B = batch->B, T = batch->T;
    batch->hidden = reader_floats(4, (size_t[]){c->L + 1, B, T, c->C});
    batch->attentions = reader_floats(5, (size_t[]){c->L, B, c->NH, T, T});
}

static bool all_finite(const float *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!isfinite(numbers[i])) {
            return false;
        }
    }
    return true;
}

void batch_report(const struct batch *batch, const struct config *c)
{
    const size_t step = batch->B * batch->T * c->C;
    for (size_t l = 0; l <= c->L; l++) {
        if (!all_finite(batch->hidden + l * step, step)) {
            char place[64] = "the embeddings";
            if (l > 0) {
                snprintf(place, sizeof place, "the output of layer %zu", l - 1);
            }
            reader_say("%s has NaN or infinite numbers: the weights in the files or your "
                       "functions are wrong",
                       place);
            return;
        }
    }
}

void batch_free(struct batch *batch)
{
    free(batch->tokens);
    free(batch->types);
    free(batch->lengths);
    free(batch->hidden);
    free(batch->attentions);
    *batch = (struct batch){0};
}
