// main.c - build/predict/SRC/NN: computes the values of a lab's predict.c with the code of SRC.
//
//     build/predict/solutions/03              all of them, one line each: @ name value
//     build/predict/labs/03 name              only this one
//
// Exit status: 0 done, 1 a function failed (one line on stderr), 2 wrong arguments.

#include <stdio.h>
#include <string.h>

#include "common/predict.h"

// Prints one value. The '@' begins the line even if the code that ran has printed something.
static int print_value(const struct prediction *p)
{
    double value = 0;
    const lab_status status = p->compute(&value);
    fflush(stdout);
    if (status != LAB_OK) {
        fprintf(stderr, "predict: %s: %s\n", p->name, lab_status_message(status));
        return 1;
    }
    printf("\n@ %s %.9g\n", p->name, value);
    return 0;
}

int main(int argc, char **argv)
{
    int status = argc == 2 ? 2 : 0;
    if (argc > 2 || (argc == 2 && argv[1][0] == '-')) {
        fprintf(stderr, "usage: predict [NAME]\n");
        return 2;
    }
    for (const struct prediction *p = predictions; p->name != NULL; p++) {
        if (argc == 1) {
            status |= print_value(p);
        } else if (strcmp(p->name, argv[1]) == 0) {
            status = print_value(p);
        }
    }
    if (status == 2) {
        fprintf(stderr, "predict: there is no value %s\n", argv[1]);
    }
    return fflush(stdout) == 0 && !ferror(stdout) ? status : 1;
}
