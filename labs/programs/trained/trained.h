// trained.h - trained models with your functions in them: make plot LAB=3 TEXT="...".
//
// Labs 3, 4, 7 and 10 put their attention into lab 8's story model:
//
//   story.c      the command line, the text, what the model predicts
//   host.c       cuts queries, keys and values into heads and calls the lab's attention
//   steps.c      everything else in the model, from datasets/story_model.steps
//   lab_03.c ... lab_10.c    attention with the functions of the lab
//
// Labs 5 and 6 are the model of two tasks, copying and reversing a word:
//
//   tasks.c      the command line, the word, what the models write
//   lab_05.c, lab_06.c       the model with the functions of the lab
//
//   words.c      what both programs share
//
// Students get this folder, so it contains no layer that a lab asks for. The layers of the story
// model around its attention are data, elementary step by elementary step.

#ifndef LAB_TRAINED_H
#define LAB_TRAINED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/language.h"
#include "common/model.h"
#include "common/option_table.h"
#include "common/status.h"

// What is switched off.
struct switches {
    // false: every query sees every key; scores are not divided by sqrt(hs); queries and keys are
    // not turned
    bool mask, scale, rope;
};

// Runs CALL, and returns its status if it is not LAB_OK; then *(failed) is WHO.
#define CALL_OF(failed, call, who)                                                       \
    do {                                                                                 \
        const lab_status call_status = (call);                                           \
        if (call_status != LAB_OK) {                                                     \
            *(failed) = (who);                                                           \
            return call_status;                                                          \
        }                                                                                \
    } while (0)

// ---- the attention of a lab, in the story model ----------------------------------------------

// One call of the lab's attention.
struct attention_call {
    float *out, *weights;    // (NH, T, hs), (NH, T, T): written
    float *work;             // floats(NH, T, hs): written
    const float *q, *k, *v;  // (NH, T, hs)
    const size_t *positions; // (T): 0, 1, ... T - 1
    size_t NH, T, hs;
    bool causal;        // false: every query sees every key
    const char *failed; // the function that did not return LAB_OK: "3.4 causal_attention"
};

// In lab_03.c and so on.
struct lab_attention {
    const char *functions;                            // "causal_attention (3.4)"
    size_t (*floats)(size_t NH, size_t T, size_t hs); // workspace of run
    lab_status (*run)(struct attention_call *c);
    // Turns q or k by its position: out (NH, T, hs) written. NULL: q and k come turned.
    lab_status (*turn)(struct attention_call *c, float *out, const float *x);
};
extern const struct lab_attention lab_attention;

// host.c: runs the story model on T tokens. logits (T, V) and weights (L, NH, T, T) written. After an
// error, *failed names the function, or is NULL: out of memory.
struct steps;
LAB_CHECKED lab_status story_run(float *logits, float *weights, const char **failed,
                                 const struct steps *steps, const struct language *model,
                                 const size_t *tokens, const struct switches *switches);

// ---- the model of a task ---------------------------------------------------------------------

// In lab_05.c and lab_06.c. Runs the model on one sequence of shape->T tokens. The logits (T, V) and
// the weights (L, NH, T, T) are those of model->activations. After an error, *failed names the
// function.
extern const char task_functions[]; // "model_forward (6.11)"
LAB_CHECKED lab_status task_run(struct model *model, const char **failed,
                                const size_t *tokens, const struct model_shape *shape);

// ---- words.c -----------------------------------------------------------------------------------

void *room_for(size_t count, size_t size); // zeroed; exits if there is no memory

// A character as the label of a row or a column: ␣ for a space. label is room for it.
const char *label_of(char label[8], uint8_t byte);

// "your", or "the workbook's" for the functions in the folder solutions or solutions/fast.
const char *whose(const char *source);

// Exits with the reason that status gives, and the function that returned it.
_Noreturn void run_failed(const char *failed, lab_status status);

// Writes weights (L, NH, T, T) of T characters to path, for build/attnmap.
void save_weights(const char *path, const float *weights, const char *text, size_t L,
                  size_t NH, size_t T);

// Ends the program: its output must have been written.
int finish(void);

#endif
