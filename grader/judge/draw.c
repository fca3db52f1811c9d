// draw.c - draws the cases of one exercise and chooses their oracle: the solutions, or the
// bank of the student archive (cases/oracle.h).

#include "judge/draw.h"

#include <stdio.h>
#include <stdlib.h>

#include "bank/read.h"
#include "base/memory.h"
#include "build/backend.h"
#include "build/cache.h"
#include "cases/case.h"
#include "cases/list.h"
#include "cases/tables.h"
#include "judge/options.h"
#include "judge/result.h"
#include "judge/trial.h"

static char *bank_folder(const struct options *options)
{
    return grader_print("%s/grader/bank/cases", options->root);
}

// Draws from the seed or, in the student archive, reads the bank.
static struct case_list draw_cases(const struct options *options, const struct part *part,
                                   bool gpu)
{
    if (part->bank == NULL) {
        return cases_draw(part, options->seed, gpu);
    }
    char *folder = bank_folder(options);
    struct case_list cases = bank_draw(folder, part, gpu);
    free(folder);
    return cases;
}

static struct drawn *draw_parts(const struct options *options,
                                const struct lab_place *place,
                                const struct exercise *exercise)
{
    struct drawn *drawn = grader_alloc(sizeof *drawn);
    const struct part *part = exercise->parts;
    for (; part->function != NULL; part++) {
        const struct entry *entry = part_entry(place, part);
        if (place->gpu && !entry->gpu) {
            continue;
        }
        if (drawn->part_count == MAX_PARTS) {
            grader_fail("exercise %s has too many parts", exercise->id);
        }
        struct wire_part *next = &drawn->parts[drawn->part_count++];
        next->entry = (uint32_t)(entry - place->entries);
        next->cases = draw_cases(options, part, place->gpu);
        next->cases.kept =
            options->kept == NULL
                ? NULL
                : grader_print("%s/%s%s.%d.", options->kept, exercise->id,
                               place->gpu ? "gpu" : "", (int)(part - exercise->parts));
        drawn->elements += cases_elements(&next->cases);
    }
    return drawn;
}

// No repeats, because the simulated GPU itself finds reads of unwritten elements.
static void leave_repeats_out(struct drawn *drawn)
{
    for (size_t p = 0; p < drawn->part_count; p++) {
        for (size_t c = 0; c < drawn->parts[p].cases.count; c++) {
            drawn->parts[p].cases.cases[c].repeats = 0;
        }
    }
}

static void leave_kernels_out(struct drawn *drawn)
{
    for (size_t p = 0; p < drawn->part_count; p++) {
        for (size_t c = 0; c < drawn->parts[p].cases.count; c++) {
            drawn->parts[p].cases.cases[c].cpu = true;
        }
    }
}

// A device runs every kernel, so there are no calls in which none may run.
static void run_all_kernels(struct drawn *drawn)
{
    for (size_t p = 0; p < drawn->part_count; p++) {
        struct case_list *list = &drawn->parts[p].cases;
        cases_drop_most(list);
        for (size_t c = 0; c < list->count; c++) {
            list->cases[c].launch_only = false;
        }
    }
}

void judge_draw(const struct options *options, struct result *result)
{
    result->drawn = draw_parts(options, result->place, result->exercise);
    if (result->backend == GPU_SIMULATED) {
        leave_repeats_out(result->drawn);
    } else {
        run_all_kernels(result->drawn);
    }
    if (!result->place->gpu) {
        leave_kernels_out(result->drawn);
    }
}

static void identify_bank(FILE *words, const char *folder, const struct part *part)
{
    char *path = bank_path(folder, part), *identity = cache_identity(path);
    fprintf(words, "bank %s\n", identity != NULL ? identity : "missing");
    free(identity);
    free(path);
}

char *drawn_from(const struct options *options, const struct lab_place *place)
{
    char *folder = bank_folder(options);
    struct text words;
    text_begin(&words);
    for (const struct exercise *const *e = place->lab->exercises; *e != NULL; e++) {
        for (const struct part *part = (*e)->parts; part->function != NULL; part++) {
            if (part->bank != NULL) {
                identify_bank(words.file, folder, part);
            }
        }
    }
    free(folder);
    return text_end(&words);
}
