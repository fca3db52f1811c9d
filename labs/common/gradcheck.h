// gradcheck.h - how a lab's gradcheck.c describes a backward function, for make gradcheck.
//
//     struct numbers { float x[8], dx[8], dy[8], y[8]; };
//
//     static lab_status start(struct gradcheck_call *c)
//     {
//         static struct numbers s;
//         c->state = &s;
//         GRADIENT(c, s, x, WRITTEN, 2, 4); // draws x (2, 4); its gradient is dx
//         DRAW(c, s.dy);
//         return LAB_OK;
//     }
//     static lab_status forward(double *loss, struct gradcheck_call *c)
//     {
//         struct numbers *s = c->state;
//         LAB_TRY(FORWARD(c, gelu)(s->y, s->x, 8));
//         *loss = gradcheck_sum(s->y, s->dy, 8);
//         return LAB_OK;
//     }
//
// The loss is the sum of y dy, so its gradient with respect to y is dy: the backward function must
// give the gradient of this loss. labs/programs/gradcheck measures this gradient and compares.

#ifndef LAB_GRADCHECK_H
#define LAB_GRADCHECK_H

#include <stdbool.h>
#include <stddef.h>

#include "common/rng.h"
#include "common/rows.h"
#include "common/status.h"

enum { GRADCHECK_MOST = 24 }; // gradients of one function

// Whether the backward function writes a gradient or adds to it.
enum gradient_kind { WRITTEN, ADDED };

struct gradient {
    const char *name; // "dx"
    float *value;     // x: changed a little, to measure the slope
    float *got;       // dx, from the student's function
    enum gradient_kind kind;
    size_t axes, size[LAB_AXES], n;
};

typedef void gradcheck_function(void);

struct gradcheck_call {
    struct gradient gradients[GRADCHECK_MOST];
    size_t count;
    struct lab_rng rng;
    void *state; // of the check: inputs and buffers
    void *ours;  // a library with our forward functions; NULL: the student's are used
};

struct gradcheck {
    const char *exercise, *function; // "6.8", "layernorm_backward"; NULL ends the table
    const char *forward;             // "layernorm (5.1)"
    lab_status (*start)(struct gradcheck_call *c);
    // Computes the loss. Leaves the intermediate results where backward reads them.
    lab_status (*run_forward)(double *loss, struct gradcheck_call *c);
    lab_status (*run_backward)(struct gradcheck_call *c);
};

// The checks of this lab.
extern const struct gradcheck gradchecks[];

// Announces a gradient; sizes is its shape.
void gradcheck_add(struct gradcheck_call *c, const char *name, float *value, float *got,
                   enum gradient_kind kind, const size_t *sizes, size_t axes);

// Announces the gradients of a table of parameters whose pointers are in two structs.
void gradcheck_add_row(struct gradcheck_call *c, const struct lab_row *row, void *values,
                       void *gradients, const size_t *sizes, size_t axes);

// Sum of y dy over n numbers.
double gradcheck_sum(const float *y, const float *dy, size_t n);

// The forward function that measures the slope: the student's, or ours of the same name.
gradcheck_function *gradcheck_find(struct gradcheck_call *c, const char *name,
                                   gradcheck_function *yours);

#define FORWARD(c, function)                                                             \
    ((__typeof__(&(function)))gradcheck_find((c), #function,                             \
                                             (gradcheck_function *)(function)))

#define DRAW(c, array) lab_rng_randn(&(c)->rng, (array), sizeof(array) / sizeof *(array))

#define GRADIENT(c, s, x, kind, ...)                                                     \
    do {                                                                                 \
        const size_t gradient_sizes[] = {__VA_ARGS__};                                   \
        DRAW(c, (s).x);                                                                  \
        gradcheck_add((c), "d" #x, (s).x, (s).d##x, (kind), gradient_sizes,              \
                      sizeof gradient_sizes / sizeof *gradient_sizes);                   \
    } while (0)

#endif
