// margins.c - measuring mistakes and alternatives against the reference.
//
// Mistakes that give the same numbers on every case could not be told apart; that is found
// by handing each mistake's outputs to diagnose() as if a student had made them.

#include "judge/margins.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "judge/compare.h"
#include "judge/judge.h"
#include "judge/memory.h"

// Runs f on every case as if it were the student's; returns the largest distance. *itself: would
// it be taken for f?
static double pretend(struct case_list *cases, const struct entry *entry, any_function f,
                      bool *itself)
{
    double largest = 0;
    *itself = true;
    for (size_t c = 0; c < cases->count; c++) {
        struct test_case *test = &cases->cases[c];
        void *output[MAX_TENSORS];
        lab_status status = case_call(test, entry->call, f, output);
        double gap =
            status == LEAVES_ARGUMENTS ? 0.0 : distance(test, status, output, NULL);
        largest = gap > largest ? gap : largest;
        test->progress = status == LEAVES_ARGUMENTS ? ENTERED : RETURNED;
        test->got_status = (int)status;
        for (size_t i = 0; i < test->tensors; i++) {
            if (output[i] != NULL) {
                memcpy(test->tensor[i].got, output[i],
                       test->tensor[i].count * test->tensor[i].element_size);
            }
        }
        *itself =
            *itself && (status == LEAVES_ARGUMENTS || same_as_got(test, status, output));
        case_free_outputs(output);
    }
    return largest;
}

static bool measure(FILE *file, const struct wire_part *part, const struct entry *entry,
                    const struct exercise *exercise, const struct mistake *list,
                    bool wrong, bool whole)
{
    bool fine = true;
    struct case_list cases = part->cases;
    for (; list != NULL && list->id != NULL; list++) {
        bool itself;
        double gap = pretend(&cases, entry, list->function, &itself);
        bool kept = wrong ? gap >= MISTAKE_MARGIN : gap <= ALTERNATIVE_MARGIN;
        const char *remark = kept ? "" : "  <-- TOO CLOSE OR TOO FAR";
        if (wrong) {
            // The whole way once; on other seeds a mistake is not computed a second time.
            bool named = whole ? diagnose(part, entry) == list
                               : itself && !diagnosed_before(part, entry, list);
            if (!named) {
                kept = false;
                remark = "  <-- LOOKS LIKE ANOTHER MISTAKE";
            }
        }
        fprintf(file, "%-4s %-20s %-11s %-32s %12.4g%s\n", exercise->id, entry->name,
                wrong ? "mistake" : "right too", list->id, gap, remark);
        fine = fine && kept;
    }
    return fine;
}

bool margins_wanted(const struct options *options, const struct lab_place *place,
                    const struct exercise *exercise)
{
    return options->exercise != NULL ? strcmp(options->exercise, exercise->id) == 0
                                     : options->lab == 0 || options->lab == place->number;
}

static bool measure_part(FILE *file, const struct exercise *exercise,
                         const struct part *part, const struct entry *entry,
                         uint64_t seed)
{
    struct wire_part drawn = {.cases = cases_draw(part, seed, false)};
    cases_expect(&drawn.cases, entry);
    bool far = measure(file, &drawn, entry, exercise, part->mistakes, true, seed == 1);
    bool near = measure(file, &drawn, entry, exercise, part->alternatives, false, false);
    cases_free(&drawn.cases);
    return far && near;
}

bool margins_print(FILE *file, const struct options *options)
{
    bool fine = true;
    fprintf(file,
            "distance from the expected outputs, in tolerances, on the case where it is "
            "largest (seed %llu)\n",
            (unsigned long long)options->seed);
    for (const struct lab_place *place = lab_places; place->folder != NULL; place++) {
        const struct exercise *const *each = place->lab->exercises;
        for (; *each != NULL; each++) {
            const struct part *part = (*each)->parts;
            if (!margins_wanted(options, place, *each)) {
                continue;
            }
            for (; part->function != NULL; part++) {
                fine = measure_part(file, *each, part, part_entry(place, part),
                                    options->seed) &&
                       fine;
            }
        }
    }
    return fine;
}
