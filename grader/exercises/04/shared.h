// shared.h - what several exercises of lab 4 share.

#ifndef GRADER_04_SHARED_H
#define GRADER_04_SHARED_H

#include "exercises/exercise.h"

#define ORDER_WHY                                                                        \
    "The rows of w_qkv are those of q, then of k, then of v, so the channels of a "      \
    "token "                                                                             \
    "come in this order, too. A model trained with another order works as well, but "    \
    "not with the weights of this one."

#endif
