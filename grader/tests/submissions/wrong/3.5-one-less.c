// 3.5 padding_mask one-less
#include <string.h>
// BODY
    memset(mask, 0, B * S);
    for (size_t b = 0; b < B; b++) {
        for (size_t s = 1; s < lengths[b]; s++) {
            mask[b * S + s - 1] = 1;
        }
    }
    return LAB_OK;
