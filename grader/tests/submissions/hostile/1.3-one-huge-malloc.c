// 1.3 attention_scores memory
#include <stdlib.h>
// BODY
    float *huge = malloc((size_t)1 << 36);
    scores[0] = huge[12345];
    free(huge);
    return LAB_OK;
