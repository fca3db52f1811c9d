// heads_print.c - one small table for each head.

#include "common/heads_print.h"

static void print_head(FILE *out, const float *weights_h, size_t shown, size_t T,
                       bool causal)
{
    fprintf(out, "       ");
    for (size_t s = 0; s < shown; s++) {
        fprintf(out, "%*s%zu", s < 10 ? 6 : 5, "T", s);
    }
    fputc('\n', out);
    for (size_t t = 0; t < shown; t++) {
        fprintf(out, "%*s%zu", t < 10 ? 5 : 4, "T", t);
        for (size_t s = 0; s < shown; s++) {
            if (causal && s > t) {
                fprintf(out, "%7s", "---");
            } else {
                fprintf(out, "%7.3f", (double)weights_h[t * T + s]);
            }
        }
        fputc('\n', out);
    }
}

void lab_print_heads(FILE *out, const float *weights, size_t NH, size_t T, bool causal)
{
    size_t shown = T < LAB_HEADS_SIDE ? T : LAB_HEADS_SIDE;
    for (size_t h = 0; h < NH; h++) {
        fprintf(out, "head %zu", h);
        if (shown < T) {
            fprintf(out, " (the first %zu of %zu tokens)", shown, T);
        }
        fputc('\n', out);
        print_head(out, weights + h * T * T, shown, T, causal);
    }
}
