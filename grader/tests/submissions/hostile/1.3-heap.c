// 1.3 attention_scores memory
#include <stdlib.h>
#include <string.h>
// BODY
    for (size_t i = 0; i < (size_t)1 << 16; i++) {
        char *block = malloc((size_t)1 << 20);
        if (block != NULL) {
            memset(block, 1, (size_t)1 << 20);
            scores[0] = (float)block[i & 1023];
        }
    }
    return LAB_OK;
