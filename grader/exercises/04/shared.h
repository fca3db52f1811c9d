// shared.h - shared by the exercises of lab 4.

#ifndef GRADER_04_SHARED_H
#define GRADER_04_SHARED_H

#include "exercises/exercise.h"

#define ORDER_WHY                                                                        \
    "The rows of w_qkv are those of q, then of k, then of v, so the channels of a "      \
    "token have the same order. You can train a model with another order, but you "      \
    "can't use it with these weights."

#endif
