// 6.2 embedding wrong
#include <stdlib.h>
// BODY
    static float *kept;
    static size_t kept_count;
    if (kept_count != V * C) {
        free(kept);
        kept = malloc(V * C * sizeof *kept);
        memcpy(kept, table, V * C * sizeof *kept);
        kept_count = V * C;
    }
    for (size_t n = 0; n < N; n++) {
        memcpy(out + n * C, kept + tokens[n] * C, C * sizeof *out);
    }
    return LAB_OK;
