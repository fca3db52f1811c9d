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

// The largest distance of f over all cases. *itself: whether diagnose() recognises it as f.
static double farthest(const struct case_list *cases, const struct entry *entry,
                       any_function f, bool *itself)
{
    double largest = 0;
    *itself = true;
    for (size_t c = 0; c < cases->count; c++) {
        const struct test_case *test = &cases->cases[c];
        void *output[MAX_TENSORS];
        lab_status status = case_call(test, entry->call, f, output);
        bool out = status == LEAVES_ARGUMENTS;
        double gap = out ? 0.0 : distance(test, status, output, NULL);
        largest = gap > largest ? gap : largest;
        *itself = *itself && (out || same_as_got(test, status, output, false));
        case_free_outputs(output);
    }
    return largest;
}

static bool measure(FILE *file, const struct case_list *drawn, const struct entry *entry,
                    const struct exercise *exercise, const struct mistake *list,
                    bool wrong, bool whole)
{
    bool fine = true;
    struct case_list cases = *drawn;
    for (; list != NULL && list->id != NULL; list++) {
        bool itself;
        cases_pretend(&cases, entry, list->function);
        double gap = farthest(&cases, entry, list->function, &itself);
        bool kept = wrong ? gap >= MISTAKE_MARGIN : gap <= ALTERNATIVE_MARGIN;
        const char *remark = kept ? "" : "  <-- TOO CLOSE OR TOO FAR";
        if (wrong) {
            // Measures everything once; for other seeds survey.c reuses results.
            bool named = whole ? diagnose(drawn, entry) == list
                               : itself && !diagnosed_before(drawn, entry, list);
            if (!named) {
                kept = false;
                remark = "  <-- LOOKS LIKE ANOTHER MISTAKE";
            }
        }
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
