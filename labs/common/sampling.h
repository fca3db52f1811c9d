// sampling.h - how the next token is drawn, for the labs that generate text (8.10, 8.11, 9.7).

#ifndef LAB_SAMPLING_H
#define LAB_SAMPLING_H

#include <stdbool.h>
#include <stddef.h>

struct sampling {
    float temperature; // 0: always the most likely token
    size_t top_k;      // only the k most likely tokens; 0: no limit
    float top_p; // only the smallest set with at least this probability; 1: no limit
};

// Are the settings allowed, and are all count uniforms in [0, 1)?
bool sampling_allowed(const struct sampling *sampling, const float *uniforms,
                      size_t count);

#endif
