// side.c - see side.h.

#include "grade/side.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "build/build.h"
#include "judge/result.h"

static size_t lab_index(const struct run *run, const char *folder)
{
    size_t i = 0;
    while (run->places[i].folder != NULL && strcmp(run->places[i].folder, folder) != 0) {
        i++;
    }
    if (run->places[i].folder == NULL) {
        grader_fail("another lab uses %s, which does not exist", folder);
    }
    return i;
}

bool is_ours(const struct run *run, const struct result *result)
{
    return result->chosen && result->place->gpu == (run->places == gpu_places);
}

bool is_judged(const struct run *run, size_t lab)
{
    for (size_t i = 0; i < run->grading->count; i++) {
        const struct result *result = &run->grading->results[i];
        if (result->chosen && result->place == &run->places[lab]) {
            return true;
        }
    }
    return false;
}

bool is_asked(const struct run *run, size_t lab)
{
    bool asked = false;
    for (size_t i = 0; i < run->grading->count; i++) {
        const struct result *result = &run->grading->results[i];
        asked = asked || (result->asked && result->place == &run->places[lab]);
    }
    return asked;
}

static bool uses_lab(const struct run *run, size_t lab, size_t other)
{
    size_t used[MAX_USED], count = used_labs(run, lab, used);
    bool uses = false;
    for (size_t u = 0; u < count; u++) {
        uses = uses || used[u] == other;
    }
    return uses;
}

bool is_second(const struct run *run, const struct result *result)
{
    const size_t lab = (size_t)(result->place - run->places);
    bool second = !result->asked && is_asked(run, lab);
    for (size_t other = 0; second && other < run->labs; other++) {
        second = !is_judged(run, other) || !uses_lab(run, other, lab);
    }
    return second;
}

size_t used_labs(const struct run *run, size_t lab, size_t used[MAX_USED])
{
    size_t count = 0;
    while (count < MAX_USED && run->places[lab].uses[count] != NULL) {
        used[count] = lab_index(run, run->places[lab].uses[count]);
        count++;
    }
    return count;
}

// A replaced lab is the workbook's.
void list_beneath(const struct run *run, size_t lab, struct build *beneath[MAX_USED])
{
    size_t used[MAX_USED], count = used_labs(run, lab, used);
    for (size_t u = 0; u < count; u++) {
        const struct build *build =
            run->stood_in[lab][u] ? &run->reference[used[u]] : &run->own[used[u]];
        beneath[u] = (struct build *)build;
    }
}

struct build *reference_of(struct run *run, size_t lab)
{
    struct build *reference = &run->reference[lab];
    pthread_mutex_lock(&run->compiling);
    if (reference->object == NULL) {
        build_compile(run->workshop, reference);
    }
    pthread_mutex_unlock(&run->compiling);
    return reference->compiled ? reference : NULL;
}

bool has_solutions(const struct run *run)
{
    char *folder = grader_print("%s/solutions", run->workshop->root);
    bool has = access(folder, F_OK) == 0;
    free(folder);
    return has;
}
