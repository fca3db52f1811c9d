// variables.c - see variables.h.
//
//     lab.o   ld -r --gc-sections --undefined=flash_attention ──> flash_attention, its callees and
//                                                                 variables ──> worker ──> judge 10.2
//
// Looking up which variables a function names would not be enough: its code could find another
// function's array at run time. In this worker there is no such array.

#include "grade/variables.h"

#include <stdlib.h>

#include "build/build.h"
#include "build/link.h"
#include "build/variant.h"
#include "cases/tables.h"
#include "judge/judge.h"

enum { MOST_PARTS = 64 };

// The symbols of an exercise's functions; ends with NULL. The caller frees each.
static void list_functions(const struct lab_place *place, const struct exercise *exercise,
                           char *functions[MOST_PARTS + 1])
{
    size_t count = 0;
    for (const struct part *part = exercise->parts; part->function != NULL; part++) {
        char *symbol = build_symbol(place, part_entry(place, part));
        if (symbol != NULL && count < MOST_PARTS) {
            functions[count++] = symbol;
        }
    }
    functions[count] = NULL;
}

static struct build link_alone(const struct run *run, size_t lab,
                               const struct build *build, const struct exercise *exercise)
{
    char *functions[MOST_PARTS + 1];
    struct build *beneath[MAX_USED];
    list_functions(build->place, exercise, functions);
    list_beneath(run, lab, beneath);
    struct build alone =
        build_alone(run->workshop, build, (const char *const *)functions, exercise->id);
    if (alone.compiled) {
        build_link(run->workshop, &alone, beneath);
    }
    for (size_t i = 0; functions[i] != NULL; i++) {
        free(functions[i]);
    }
    return alone;
}

void judge_with_own_variables(struct run *run, size_t lab, const struct build *build,
                              struct result *result)
{
    const struct options *options = &run->grading->options;
    const size_t kilobytes = result->exercise->heap_kilobytes;
    if (kilobytes == 0 || build->place->gpu || build->worker == NULL ||
        build->symbols.variable_bytes + build->symbols.constant_bytes <= kilobytes
                                                                             << 10) {
        judge_exercise(options, build, result);
        return;
    }
    struct build alone = link_alone(run, lab, build, result->exercise);
    judge_exercise(options, alone.worker != NULL ? &alone : build, result);
    build_free_alone(&alone);
}
