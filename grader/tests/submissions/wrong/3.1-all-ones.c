// 3.1 causal_mask all-ones
#include <string.h>
// BODY
    memset(mask, 1, T * S);
    return LAB_OK;
