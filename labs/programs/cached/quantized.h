// quantized.h - a model whose matrices are int8 (9.8).

#ifndef LAB_QUANTIZED_H
#define LAB_QUANTIZED_H

#include "common/generation.h"

struct quantized {
    struct generation_params params; // norms and the token table still lie in the model
    void *memory;
};

// Stores every matrix of the model as int8. *quantized is overwritten. Returns what quantize_rows
// returns, or LAB_ENOMEM; then *quantized may be freed.
LAB_CHECKED lab_status quantized_new(struct quantized *quantized,
                                     const struct language *model);

void quantized_free(struct quantized *quantized);

#endif
