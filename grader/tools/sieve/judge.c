// judge.c - finds out which of many changed solutions the cases reject (for mutant_sieve.py).
//
//     judge EXERCISE cpu|gpu
//
// Each input line, "WORKER NUMBER", names a program with changed files (worker.c) and the
// number of one change. The answer is a line "refused WHY" or "survives". The cases are drawn
// and computed once. A change runs on a few small cases first, which reject most changes.
// Number 0 of the first worker is the unchanged solution, which determines the time limit.

#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "cases/case.h"
#include "cases/compare.h"
#include "cases/list.h"
#include "cases/tables.h"
#include "judge/trial.h"
#include "judge/wire.h"
#include "tools/sieve/sieve.h"

enum { FEW = 4, SEED = 1 };

// The limit in microseconds of processor time: several times that of the solution.
enum { TIMES = 5, LEAST = 100000, MOST = 20000000 };

// A set of cases, and the files that carry them to the worker and back.
struct set {
    struct wire_part parts[MAX_PARTS];
    size_t part_count, calls;
    struct wire wire;
    long microseconds; // for a change; 0 until the solution has run
};

static void add_part(struct set *set, const struct lab_place *place,
                     const struct part *part, size_t most)
{
    const struct entry *entry = part_entry(place, part);
    if (place->gpu && !entry->gpu) {
        return;
    }
    struct wire_part *next = &set->parts[set->part_count++];
    next->entry = (uint32_t)(entry - place->entries);
    next->cases = cases_draw(part, SEED, place->gpu);
    next->cases.count = cases_put_memory_last(&next->cases);
    if (next->cases.count > most) {
        next->cases.count = most;
    }
    for (size_t c = 0; c < next->cases.count; c++) {
        next->cases.cases[c].repeats = 0; // one call rejects nearly as many
    }
    cases_expect(&next->cases, entry);
    set->calls += next->cases.count;
}

static struct set draw(const struct lab_place *place, const struct exercise *exercise,
                       size_t most)
{
    struct set set = {.part_count = 0};
    for (const struct part *part = exercise->parts; part->function != NULL; part++) {
        add_part(&set, place, part, most);
    }
    set.wire = wire_open(set.parts, set.part_count, 0, false);
    return set;
}

// Clears the answers of the previous change.
static void forget_answers(const struct set *set)
{
    const struct answer none = {.progress = NOT_REACHED};
    for (size_t i = 0; i < set->calls; i++) {
        if (pwrite(set->wire.answer, &none, sizeof none, (off_t)(i * sizeof none)) !=
            sizeof none) {
            grader_fail("sieve: the answers cannot be written");
        }
    }
}

static bool all_right(struct set *set)
{
    bool right = wire_read(&set->wire, set->parts, set->part_count).test == NULL;
    for (size_t p = 0; p < set->part_count; p++) {
        const struct case_list *cases = &set->parts[p].cases;
        for (size_t c = 0; c < cases->count && right; c++) {
            right = cases->cases[c].progress == RETURNED &&
                    compare_case(&cases->cases[c]).fault == NO_FAULT;
        }
    }
    return right;
}

// Runs a change on a set of cases. If they reject it, prints the reason and returns false.
static bool survives(struct set *sets, int which, int change,
                     const struct sieve_pipes *pipes)
{
    struct set *set = &sets[which];
    forget_answers(set);
    const struct sieve_command command = {
        change, which, set->microseconds > 0 ? set->microseconds : MOST};
    struct sieve_outcome outcome;
    if (write(pipes->commands, &command, sizeof command) != sizeof command ||
        read(pipes->outcomes, &outcome, sizeof outcome) != sizeof outcome) {
        grader_fail("sieve: the worker has ended");
    }
    if (set->microseconds == 0) {
        set->microseconds = LEAST + TIMES * outcome.microseconds;
    }
    if (outcome.code != 0) {
        printf("refused by code %d\n", outcome.code);
        return false;
    }
    if (!all_right(set)) {
        puts("refused by its numbers");
        return false;
    }
    return true;
}

static const struct lab_place *gpu_side(const struct lab_place *cpu)
{
    const struct lab_place *place = gpu_places;
    while (place->folder != NULL && place->number != cpu->number) {
        place++;
    }
    return place->folder != NULL ? place : NULL;
}

static void serve(struct set sets[SIEVE_SETS])
{
    const int files[] = {sets[0].wire.request, sets[0].wire.answer, sets[1].wire.request,
                         sets[1].wire.answer};
    struct sieve_pipes pipes = {-1, -1};
    char worker[3000], before[sizeof worker] = "";
    int change;
    while (scanf("%2999s %d", worker, &change) == 2) {
        if (strcmp(worker, before) != 0) {
            if (*before != '\0') {
                sieve_end(&pipes);
            }
            memcpy(before, worker, sizeof before);
            pipes = sieve_start(worker, files);
        }
        if (survives(sets, 0, change, &pipes) && survives(sets, 1, change, &pipes)) {
            puts("survives");
        }
        fflush(stdout);
    }
}

int main(int count, char **words)
{
    const struct lab_place *place;
    const struct exercise *exercise;
    const bool gpu = count == 3 && strcmp(words[2], "gpu") == 0;
    if (count != 3 || !find_exercise(words[1], &place, &exercise) ||
        (gpu && (place = gpu_side(place)) == NULL)) {
        fputs("usage: judge EXERCISE cpu|gpu\n", stderr);
        return 2;
    }
    struct set sets[SIEVE_SETS] = {draw(place, exercise, FEW),
                                   draw(place, exercise, SIZE_MAX)};
    serve(sets);
    return 0;
}
