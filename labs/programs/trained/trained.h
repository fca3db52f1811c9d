// trained.h - a trained language model with your attention in it: make plot LAB=3 TEXT="...".
//
//   main.c      the command line, the text, what the model predicts
//   model.c     everything in the model except attention
//   lab_03.c    attention with the functions of labs 1 and 3
//   lab_04.c    attention with the function of lab 4
//
// The model is lab 8's story model (datasets/story_model.safetensors), so a head's queries and keys are
// already turned by their positions (lab 7) when attention gets them.

#ifndef LAB_TRAINED_H
#define LAB_TRAINED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/language.h"
#include "common/status.h"

// One call of the lab's attention.
struct attention_call {
    float *out, *weights, *scores; // (NH, T, hs), (NH, T, T), (NH, T, T): written
    const float *q, *k, *v;        // (NH, T, hs)
    const uint8_t *mask;           // (T, T): 1 where the query may see the key
    size_t NH, T, hs;
    const char *failed; // the function that did not return LAB_OK: "3.3 masked_softmax"
};

// Runs CALL, and returns its status if it is not LAB_OK; then c->failed is WHO.
#define CALL_OF(c, call, who)                                                            \
    do {                                                                                 \
        const lab_status call_status = (call);                                           \
        if (call_status != LAB_OK) {                                                     \
            (c)->failed = (who);                                                         \
            return call_status;                                                          \
        }                                                                                \
    } while (0)

// In lab_03.c or lab_04.c.
extern const char attention_functions[]; // "attention_scores (1.3), ..."
LAB_CHECKED lab_status attention_mask(struct attention_call *c, uint8_t *mask, size_t T);
LAB_CHECKED lab_status attention_run(struct attention_call *c);

// What is switched off.
struct switches {
    bool mask,
        scale; // false: every query sees every key; scores are not divided by sqrt(hs)
};

// Runs the model on T tokens. logits (T, V) and weights (L, NH, T, T) written. After an error,
// *failed names the function, or is NULL: out of memory.
LAB_CHECKED lab_status trained_run(float *logits, float *weights, const char **failed,
                                   const struct language *model, const size_t *tokens,
                                   size_t T, const struct switches *switches);

#endif
