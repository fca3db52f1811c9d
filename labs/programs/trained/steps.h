// steps.h - a model as a list of elementary steps in a text file (docs/formats.md, "Steps of a model").
//
//     struct steps *steps = steps_read("datasets/story_model.steps");
//     status = steps_run(logits, steps, &call);
//     steps_free(steps);

#ifndef LAB_TRAINED_STEPS_H
#define LAB_TRAINED_STEPS_H

#include <stdbool.h>
#include <stddef.h>

#include "common/language.h"
#include "common/status.h"

struct steps;

// Exits if there is no such file, or it is not valid.
struct steps *steps_read(const char *path);
void steps_free(struct steps *steps);

struct steps_call {
    const struct language *model; // the parameters, and T
    const size_t *tokens;         // (T)
    bool turned;                  // attention turns q and k itself, so the steps must not
    // out (T, C) written; q, k, v (T, C) read
    lab_status (*attention)(void *context, float *out, const float *q, const float *k,
                            const float *v, size_t layer);
    void *context;
};

// logits (T, V) written. Returns the status of attention, or LAB_ENOMEM. Exits if a step names
// what does not exist, or if shapes do not fit.
LAB_CHECKED lab_status steps_run(float *logits, const struct steps *steps,
                                 const struct steps_call *call);

#endif
