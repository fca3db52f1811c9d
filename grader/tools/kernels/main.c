// main.c - make margins for the kernels: measures the solutions' .cu files, compiled with fused
// multiply-adds as nvcc does, on the simulated GPU. Their results must stay as close to the
// judge's as those of any other right way.
//
//   build/margins/kernels/survey [--lab N] [--exercise X.Y] [--seed S] [--seeds N]
//
// The judge's simulated GPU does not fuse, so without this only a card shows a case that
// magnifies the rounding of a product.

#include <stdio.h>
#include <stdlib.h>

#include "base/exit_code.h"
#include "base/root.h"
#include "base/surroundings.h"
#include "command/options.h"
#include "grade/survey.h"
#include "tools/kernels/kernels.h"

int main(int argc, char **argv)
{
    surroundings_prepare(argv);
    if (!kernels_are_fused) {
        puts("the kernels are not measured: this processor has no fused multiply-add");
        return EXIT_PASS;
    }
    struct command_line line = {.options = {.seed = public_seed()}, .seeds = 1};
    char *root = workbook_root();
    line.options.root = root;
    command_line_read(&line, argc, argv);
    const struct kernels kernels = {kernel_labs, kernel_call};
    bool fine = margins_survey(stdout, &line.options, line.seeds, &kernels);
    free(root);
    return fine ? EXIT_PASS : EXIT_FAIL;
}
