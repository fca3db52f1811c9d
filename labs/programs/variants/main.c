// main.c - runs one of the experiments of variants.h (make experiment).
//
//     variants encodings TABLE
//     variants depth TABLE
//
// Exit status: 0 done, 1 an error in a file or an exercise, 2 wrong arguments.

#include "programs/variants/variants.h"

#include <cblas.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/blas_core.h"
#include "common/replace.h"

void variants_need(lab_status status, const char *what)
{
    if (status != LAB_OK) {
        fprintf(stderr, "variants: %s: %s; see make check\n", what,
                lab_status_message(status));
        exit(1);
    }
}

int main(int argc, char **argv)
{
    lab_blas_core_use(argv);
    if (argc != 3 ||
        (strcmp(argv[1], "encodings") != 0 && strcmp(argv[1], "depth") != 0)) {
        fprintf(stderr, "usage: variants encodings|depth TABLE\n");
        return 2;
    }
    struct lab_replacement table;
    openblas_set_num_threads(1); // for small products, two threads are slower than one
    lab_status status = lab_replace_begin(&table, argv[2]);
    if (status == LAB_OK) {
        (argv[1][0] == 'e' ? encodings : depth)(table.file);
        status = lab_replace_commit(&table);
    }
    if (status != LAB_OK) {
        fprintf(stderr, "variants: cannot write %s: %s\n", argv[2], strerror(errno));
        return 1;
    }
    return 0;
}
