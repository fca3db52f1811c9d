// show.c - prints the simulated GPU's reports on the faulty programs of this folder, or on
// those named. The examples in docs/gpu.md come from here.
//
//     build/gpu/show                             or
//     build/gpu/show histogram_without_atomics unwritten_padding

#include <stdio.h>
#include <string.h>

#include "gpu/simulator.h"
#include "tests/gpu/kernel_case.h"

static void show(const struct gpu_finding *finding, void *data)
{
    const struct kernel_case *program = data;
    printf("%s (%s)\n", finding->kind, program->name);
    gpu_print_finding(finding, stdout);
    printf("\n");
}

static void run(void *data)
{
    const struct kernel_case *program = data;
    program->run();
}

static bool wanted(const char *name, int count, char **names)
{
    for (int i = 1; i < count; i++) {
        if (strcmp(names[i], name) == 0) {
            return true;
        }
    }
    return count < 2;
}

int main(int count, char **names)
{
    const struct kernel_case *const tables[] = {race_cases,   barrier_cases, warp_cases,
                                                memory_cases, call_cases,    fine_cases};
    int shown = 0;
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        for (const struct kernel_case *p = tables[i]; p->name != NULL; p++) {
            if (wanted(p->name, count, names)) {
                gpu_reset();
                gpu_on_finding(show, (void *)p);
                shown += !gpu_guard(run, (void *)p);
            }
        }
    }
    if (shown == 0) {
        fprintf(stderr, "show: no program of that name, or nothing to object to\n");
    }
    return shown == 0;
}
