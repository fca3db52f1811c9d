// predict.h - the values behind the questions "predict before you run" (make ask). Each lab's
// predict.c lists them:
//
//     static lab_status weight_of_a_masked_key(double *value)
//     {
//         float weights[3];
//         LAB_TRY(masked_softmax(weights, scores, mask, 1, 3));
//         *value = (double)weights[2];
//         return LAB_OK;
//     }
//
//     const struct prediction predictions[] = {
//         PREDICT(weight_of_a_masked_key),
//         {NULL, NULL},
//     };
//
// labs/programs/predict prints them. Linked with the solutions, it prints the right answers;
// linked with your code, it prints what your code computes.

#ifndef LAB_PREDICT_H
#define LAB_PREDICT_H

#include <stddef.h>

#include "common/status.h"

struct prediction {
    const char *name; // used by questions.txt; NULL in the last row
    lab_status (*compute)(double *value);
};

#define PREDICT(function)                                                                \
    {                                                                                    \
#function, function                                                              \
    }

extern const struct prediction predictions[];

#endif
