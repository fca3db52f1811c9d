// main.cu - planted bugs: small programs with one bug each, and the same programs without it.
//
//     planted list              each bug: its name, the kind of its finding ("-": none) and its mark
//     planted NAME bug          runs the program with the bug
//     planted NAME twin         runs the program without it; nothing may be found
//
// One of a finding's lines must be the one with the comment "BUG mark". unseen.cu has the bugs that the
// simulator cannot find, with the reason.

#include "planted.h"

#include <cstdio>
#include <cstring>

float *numbers(int n)
{
    float x[1024], *x_dev;
    for (int i = 0; i < n; i++) {
        x[i] = (float)(i % 7);
    }
    cudaMalloc(&x_dev, n * sizeof(float));
    cudaMemcpy(x_dev, x, n * sizeof(float), cudaMemcpyHostToDevice);
    return x_dev;
}

float *unwritten(int n)
{
    float *x_dev;
    cudaMalloc(&x_dev, n * sizeof(float));
    return x_dev;
}

void launch(kernel_of_two *kernel, int blocks, int threads, size_t shared)
{
    float *y = unwritten(1024), *x = numbers(1024);
    kernel<<<blocks, threads, shared>>>(y, x);
    if (cudaGetLastError() != cudaSuccess) {
        printf("the launch failed\n");
    }
    cudaFree(x);
    cudaFree(y);
}

static void run(const struct planted *p, bool bug)
{
    const float w[5] = {1, 2, 3, 4, 5};
    cudaMemcpyToSymbol(weights, w, sizeof w);
    if (p->kernel[bug] != NULL) {
        launch(p->kernel[bug], p->blocks, p->threads, p->shared);
    } else {
        p->function[bug]();
    }
}

int main(int argc, char **argv)
{
    static const struct planted *const lists[] = {races_planted, memory_planted,
                                                  waits_planted, copies_planted,
                                                  calls_planted, unseen_planted};
    for (const struct planted *list : lists) {
        for (const struct planted *p = list; p->name != NULL; p++) {
            if (argc < 3) {
                printf("%s %s %s\n", p->name, p->kind, p->mark);
            } else if (strcmp(argv[1], p->name) == 0) {
                run(p, strcmp(argv[2], "bug") == 0);
            }
        }
    }
}
