// margins.c - measures the distance of mistakes and alternatives from the reference.
//
// Also finds mistakes that give the same numbers on every case, by passing each mistake's
// outputs to diagnose() as if a student had made them.

#include "grade/margins.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cases/case.h"
#include "cases/compare.h"
#include "cases/diagnose.h"
#include "cases/list.h"
#include "cases/pretend.h"
#include "cases/tables.h"
#include "judge/options.h"

// The larger one of largest and the distance of one call's results.
static double farther(double largest, const struct test_case *test, lab_status status,
                      void *const output[MAX_TENSORS])
{
    double gap = status == LEAVES_ARGUMENTS ? 0.0 : distance(test, status, output, NULL);
    return gap > largest ? gap : largest;
}

// The largest distance of f over all cases. *itself: whether diagnose() recognizes it as f.
static double farthest(const struct case_list *cases, const struct entry *entry,
                       any_function f, bool *itself)
{
    double largest = 0;
    *itself = true;
    for (size_t c = 0; c < cases->count; c++) {
        const struct test_case *test = &cases->cases[c];
        void *output[MAX_TENSORS];
        lab_status status = case_call(test, entry->call, f, output);
        largest = farther(largest, test, status, output);
        *itself = *itself && (status == LEAVES_ARGUMENTS ||
                              same_as_got(test, status, output, false));
        case_free_outputs(output);
    }
    return largest;
}

// The same of the results that the cases hold already.
static double farthest_got(const struct case_list *cases)
{
    double largest = 0;
    for (size_t c = 0; c < cases->count; c++) {
        const struct test_case *test = &cases->cases[c];
        void *output[MAX_TENSORS] = {NULL};
        for (size_t i = 0; i < test->tensors; i++) {
            output[i] = test->tensor[i].got;
        }
        largest = farther(largest, test, (lab_status)test->got_status, output);
    }
    return largest;
}

// Whether diagnose() names a mistake that has been pretended. Measures everything, which calls it once more; for
// other seeds than 1, survey.c reuses results.
static double measure_mistake(const struct case_list *cases, const struct entry *entry,
                              const struct mistake *mistake, bool whole, bool *named)
{
    if (whole) {
        *named = diagnose(cases, entry) == mistake;
        return farthest_got(cases);
    }
    double gap = farthest(cases, entry, mistake->function, named);
    *named = *named && !diagnosed_before(cases, entry, mistake);
    return gap;
}

static bool measure(FILE *file, const struct case_list *drawn, const struct entry *entry,
                    const struct exercise *exercise, const struct mistake *list,
                    bool wrong, bool whole)
{
    bool fine = true;
    struct case_list cases = *drawn;
    for (; list != NULL && list->id != NULL; list++) {
        bool named = true;
        double gap;
        if (wrong) {
            cases_pretend(&cases, entry, list->function);
            gap = measure_mistake(&cases, entry, list, whole, &named);
        } else {
            bool itself;
            cases_start_over(&cases);
            gap = farthest(&cases, entry, list->function, &itself);
        }
        bool kept = wrong ? gap >= MISTAKE_MARGIN : gap <= ALTERNATIVE_MARGIN;
        const char *remark = !named ? "  <-- LOOKS LIKE ANOTHER MISTAKE"
                             : kept ? ""
                                    : "  <-- TOO CLOSE OR TOO FAR";
        kept = kept && named;
        fprintf(file, "%-4s %-20s %-11s %-32s %12.4g%s\n", exercise->id, entry->name,
                wrong ? "mistake" : "alternative", list->id, gap, remark);
        fine = fine && kept;
    }
    return fine;
}

bool margins_wanted(const struct options *options, const struct lab_place *place,
                    const struct exercise *exercise)
{
    return options_choose(options, place->number, exercise->id);
}

static bool measure_part(FILE *file, const struct exercise *exercise,
                         const struct part *part, const struct entry *entry,
                         uint64_t seed)
{
    struct case_list drawn = cases_draw(part, seed, false);
    cases_expect(&drawn, entry);
    struct case_list asked = drawn;
    asked.count = cases_put_memory_last(&drawn);
    bool far = measure(file, &asked, entry, exercise, part->mistakes, true, seed == 1);
    bool near = measure(file, &drawn, entry, exercise, part->alternatives, false, false);
    cases_free(&drawn);
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
