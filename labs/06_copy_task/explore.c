// explore.c - experiments with your lab 6: the handout's model learns to copy, in 50 steps from
// seed 42. Shows its heads before and after.
//
//     make plot LAB=6          builds, runs and draws
//     explore OUTDIR           writes the tables into the folder OUTDIR
//
// Written to OUTDIR (tab-separated; a file appears whole or not at all):
//     loss.tsv                        step, loss on the batch, right tokens in the batch
//     before0.tsv ... after3.tsv      the attention of each head, for the first sequence
//     gradients.tsv                   length of the gradient of each tensor, first and last step
//
// Every loss is the same as PyTorch's for this model after torch.manual_seed(42).
// Exit status: 0 done, 1 an exercise failed, 2 wrong arguments, 3 an exercise is not written yet.
// Start reading at main.

#include <math.h>

#include "06_copy_task/copy_task.h"
#include "common/explore.h"
#include "common/heads_print.h"

enum { B = 32, T = 8, V = 10, C = 32, NH = 4, R = 100, STEPS = 50 };

static const struct model_shape copy_model = {.B = B,
                                              .T = T,
                                              .T_max = T,
                                              .V = V,
                                              .C = C,
                                              .NH = NH,
                                              .H = 4 * C,
                                              .L = 1,
                                              .causal = true,
                                              .positions = POSITIONS_LEARNED};

// ---- 1. the tasks -------------------------------------------------------------------------

static void print_tokens(const char *what, const size_t *tokens)
{
    printf("    %-8s", what);
    for (size_t t = 0; t < T; t++) {
        printf(" %zu", tokens[t]);
    }
    printf("\n");
}

static void what_is_asked(const size_t *data)
{
    static const char *const names[] = {"copy", "reverse", "sort", "add"};
    explore_title("1. The tasks");
    printf("The first of 100 random sequences, and the right answer for each task:\n\n");
    print_tokens("input", data);
    for (int task = 0; task < TASK_COUNT; task++) {
        size_t targets[T];
        explore_need(make_targets(targets, data, (enum task)task, 1, T, V),
                     "6.1 make_targets");
        print_tokens(names[task], targets);
    }
    printf("\n");
}

// ---- 2. the heads -------------------------------------------------------------------------

// Runs the model on one sequence; its weights (NH, T, T) are then in the activations.
static void look_at_heads(const struct explore *e, struct model *model,
                          const size_t *sequence, const char *when)
{
    struct model_shape one = model->shape;
    one.B = 1;
    explore_need(model_forward(NULL, &model->activations, &model->params, sequence, NULL,
                               NULL, &one),
                 "6.11 model_forward");
    const float *weights = model->activations.weights;
    lab_print_heads(stdout, weights, NH, T, true);
    printf("\n");

    char text[T][8];
    const char *names[T];
    for (size_t t = 0; t < T; t++) {
        snprintf(text[t], sizeof text[t], "%zu", sequence[t]);
        names[t] = text[t];
    }
    for (size_t h = 0; h < NH; h++) {
        char name[32];
        float map[T * T];
        for (size_t i = 0; i < T * T; i++) {
            map[i] = i % T > i / T ? NAN : weights[h * T * T + i];
        }
        snprintf(name, sizeof name, "%s%zu.tsv", when, h);
        explore_map(e, name, map, T, T, names, names);
    }
}

// ---- 3. learning --------------------------------------------------------------------------

static size_t right_in_batch(struct model *model, const size_t *data)
{
    explore_need(
        make_copy_batch(model->inputs, model->targets, data, 0, TASK_COPY, R, B, T, V),
        "6.1 make_copy_batch");
    explore_need(model_forward(NULL, &model->activations, &model->params, model->inputs,
                               NULL, NULL, &model->shape),
                 "6.11 model_forward");
    return count_right(model->activations.logits, model->targets, B * T, V);
}

static void learn(const struct explore *e, struct model *model, const size_t *data)
{
    const struct training settings = {.adam = {1e-3, 0.9, 0.999, 1e-8, 0}};
    float losses[STEPS];
    size_t right[STEPS];
    explore_title("3. Learning to copy");
    printf("Each step uses the first 32 sequences; Adam, learning rate 0.001. Guessing\n"
           "costs log 10 = 2.3026 and is right one time in ten.\n\n"
           "    step      loss   right of 256 tokens\n");
    for (size_t i = 0; i < STEPS; i++) {
        right[i] = right_in_batch(model, data);
        explore_need(train(&losses[i], model, data, TASK_COPY, B, &settings, 1),
                     "6.14 train");
        if (i % 5 == 0 || i == STEPS - 1) {
            printf("    %4zu  %8.5f   %zu\n", i + 1, (double)losses[i], right[i]);
        }
    }
    printf("\n");

    struct lab_replacement table = explore_table(e, "loss.tsv", "step\tloss\tright");
    for (size_t i = 0; i < STEPS; i++) {
        fprintf(table.file, "%zu\t%.9g\t%.6g\n", i + 1, (double)losses[i],
                (double)right[i] / (B * T));
    }
    explore_table_end(e, "loss.tsv", &table);
}

// ---- 4. gradients -------------------------------------------------------------------------

enum { TENSORS = 16 };

// The length of the gradient of each parameter tensor after the last step.
static void gradient_lengths(double *lengths, struct model *model)
{
    for (size_t i = 0; model_params_rows[i].name != NULL && i < TENSORS; i++) {
        const float *g = *lab_row_pointer(&model->grads, &model_params_rows[i]);
        double sum = 0;
        for (size_t n = model_row_count(&model_params_rows[i], &model->shape); n-- > 0;) {
            sum += (double)g[n] * g[n];
        }
        lengths[i] = sqrt(sum);
    }
}

static void first_gradients(double *lengths, struct model *model, const size_t *data)
{
    float loss;
    (void)right_in_batch(model, data);
    explore_need(model_forward(&loss, &model->activations, &model->params, model->inputs,
                               model->targets, NULL, &model->shape),
                 "6.11 model_forward");
    memset(model->grad, 0, model->P * sizeof *model->grad);
    explore_need(model_backward(&model->grads, &model->gradients, &model->activations,
                                &model->params, model->inputs, model->targets, NULL,
                                &model->shape),
                 "6.11 model_backward");
    gradient_lengths(lengths, model);
}

static void show_gradients(const struct explore *e, const double *first,
                           const double *last)
{
    explore_title("5. Lengths of the gradients");
    printf("                      step 1    step 50\n");
    struct lab_replacement table =
        explore_table(e, "gradients.tsv", "tensor\tfirst\tlast");
    for (size_t i = 0; model_params_rows[i].name != NULL && i < TENSORS; i++) {
        const char *name = model_params_rows[i].name;
        printf("    %-16s %8.4f   %8.4f\n", name, first[i], last[i]);
        fprintf(table.file, "%s\t%.6g\t%.6g\n", name, first[i], last[i]);
    }
    printf("\n");
    explore_table_end(e, "gradients.tsv", &table);
}

static void learn_to_copy(const struct explore *e)
{
    struct model model;
    struct lab_rng rng;
    int64_t drawn[R * T];
    size_t data[R * T];
    double first[TENSORS], last[TENSORS];
    lab_rng_seed(&rng, 42);
    explore_need(model_new(&model, &copy_model), "model_new");
    explore_need(model_start(&model, &rng), "model_start");
    explore_need(lab_rng_randint(&rng, drawn, 0, V, R * T), "lab_rng_randint");
    for (size_t i = 0; i < R * T; i++) {
        data[i] = (size_t)drawn[i];
    }

    what_is_asked(data);
    explore_title("2. The attention maps before training (rows: query, columns: key)");
    look_at_heads(e, &model, data, "before");
    first_gradients(first, &model, data);
    learn(e, &model, data);
    gradient_lengths(last, &model);
    explore_title("4. The attention maps after 50 steps");
    look_at_heads(e, &model, data, "after");
    show_gradients(e, first, last);
    model_free(&model);
}

int main(int argc, char **argv)
{
    struct explore e = {.lab = 6};
    explore_arguments(&e, argc, argv);

    EXPLORE_PART(&e, learn_to_copy(&e));
    return explore_end(&e);
}
