// stages.c - for a function with steps, finds the first step whose result differs from the
// solution's.
//
//     stages: q ✓ k ✓ v ✓ scores wrong from sequence 1 on, first at scores[1][0][0] = 2, expected 1
//
// A table lists the steps in order, each with its inputs: "q k v scores:q,k weights:scores
// out:weights,v". "dstreams<" is a step whose layers are computed from last to first. Most
// results are in workspaces, which are never judged, because a student may leave one unused
// or store something else in it. So a workspace
//
//     is not mentioned        if it is not completely written, if the next step overwrote it, or
//                             if a right result was computed from it
//     is called wrong         if its inputs are right and everything computed from it is wrong
//     is said to be possibly  in all other cases, and if it is a multiple of the expected result,
//     wrong                   because the factor may come later

#include "judge/stages.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cases/case.h"
#include "cases/compare.h"
#include "cases/poison.h"
#include "cases/repeats.h"
#include "cases/show.h"
#include "judge/trial.h"

enum { MOST_STAGES = 24 };

enum state { RIGHT, OFF, UNKNOWN };

struct stage {
    const char *name, *from; // in the table's text; from: "q,k"
    size_t name_length, from_length;
    const struct tensor *tensor;
    enum state state;
    size_t first, wrong; // the first element that is off, and how many are
    size_t layer;        // that it lies in
    bool way_back;       // from the last layer to the first
};

// ---- one tensor ---------------------------------------------------------------------------

static bool element_is_right(const struct tensor *tensor, size_t i, float slack)
{
    if (tensor->spec->type != F32) {
        size_t at = i * tensor->element_size;
        return memcmp((const char *)tensor->got + at, (const char *)tensor->expected + at,
                      tensor->element_size) == 0;
    }
    float got = ((const float *)tensor->got)[i];
    float expected = ((const float *)tensor->expected)[i];
    // The mask may be applied in place.
    return got == -INFINITY || close_enough(got, expected, slack, 1e-3f);
}

static float largest(const struct tensor *tensor)
{
    float most = 0;
    for (size_t i = 0; tensor->spec->type == F32 && i < tensor->count; i++) {
        float size = fabsf(((const float *)tensor->expected)[i]);
        most = isfinite(size) && size > most ? size : most;
    }
    return most;
}

// The element that was computed as number i, if each layer is computed in memory order.
static size_t in_order(const struct stage *stage, size_t i)
{
    size_t layers = stage->way_back ? stage->tensor->axis[0] : 1;
    size_t size = stage->tensor->count / layers;
    return (layers - 1 - i / size) * size + i % size;
}

static enum state look_at(struct stage *stage)
{
    const struct tensor *tensor = stage->tensor;
    const float slack = 1e-4f * largest(tensor);
    for (size_t number = 0; number < tensor->count; number++) {
        size_t i = in_order(stage, number);
        if (still_unset(tensor, i) && !tensor_is_judged(tensor)) {
            return UNKNOWN;
        }
        if (!element_is_right(tensor, i, slack) && stage->wrong++ == 0) {
            stage->first = i;
        }
    }
    return tensor_is_judged(tensor)
               ? (compare_tensor(tensor).fault == NO_FAULT ? RIGHT : OFF)
           : stage->wrong > 0 ? OFF
                              : RIGHT;
}

static bool is_multiple(const struct tensor *tensor)
{
    const float *got = tensor->got, *expected = tensor->expected;
    double dot = 0, square = 0;
    for (size_t i = 0; tensor->spec->type == F32 && i < tensor->count; i++) {
        dot += (double)got[i] * (double)expected[i];
        square += (double)expected[i] * (double)expected[i];
    }
    double ratio = square > 0 ? dot / square : 0, most = (double)largest(tensor);
    for (size_t i = 0; ratio != 0 && i < tensor->count; i++) {
        if (!(fabs((double)got[i] - ratio * (double)expected[i]) <=
              1e-4 * fabs(ratio) * most)) {
            return false;
        }
    }
    return ratio != 0;
}

// In a model with several layers, one tensor holds a step's results of all layers. "L1
// ...": the input, followed by the output of each layer.
static size_t layer_of(const struct stage *stage)
{
    const struct tensor *tensor = stage->tensor;
    const char *shape = tensor->spec->shape;
    size_t layers = strncmp(shape, "L ", 2) == 0 || strncmp(shape, "L1 ", 3) == 0
                        ? tensor->axis[0]
                        : 1;
    size_t layer = stage->first / (tensor->count / layers);
    return shape[0] == 'L' && shape[1] == '1' && layer > 0 ? layer - 1 : layer;
}

// ---- the steps ----------------------------------------------------------------------------

// "z.q" also matches "z.q, z.k, z.v".
static const struct tensor *find_tensor(const struct test_case *test, const char *name,
                                        size_t length)
{
    for (size_t i = 0; i < test->tensors; i++) {
        const char *whole = test->tensor[i].spec->name;
        if (strncmp(whole, name, length) == 0 &&
            (whole[length] == '\0' || whole[length] == ',')) {
            return &test->tensor[i];
        }
    }
    return NULL;
}

// Parses "scores:q,k". Leaves out steps without a tensor in this call.
static size_t read_stages(const struct test_case *test, struct stage stages[MOST_STAGES])
{
    size_t count = 0;
    const char *text = test->part->stages;
    while (count < MOST_STAGES && *(text += strspn(text, " ")) != '\0') {
        struct stage *stage = &stages[count];
        size_t word = strcspn(text, " "), name = strcspn(text, ": ");
        *stage = (struct stage){.name = text, .name_length = name, .from = text + name};
        if (name < word) {
            stage->from++;
            stage->from_length = word - name - 1;
        }
        stage->way_back = text[name - 1] == '<';
        name -= stage->way_back;
        stage->name_length = name;
        text += word;
        stage->tensor = find_tensor(test, stage->name, name);
        // Leaves out a step that the solution skips in this call, such as the mask if not
        // causal, and one that the bank of the student archive does not store.
        if (stage->tensor != NULL && !stage->tensor->absent && stage->tensor->count > 0 &&
            !poison_intact(stage->tensor->expected, stage->tensor->element_size)) {
            stage->state = look_at(stage);
            stage->layer = layer_of(stage);
            count++;
        }
    }
    return count;
}

static bool comes_from(const struct stage *stage, const struct stage *source)
{
    const char *name = stage->from, *end = name + stage->from_length;
    while (name < end) {
        size_t length = strcspn(name, ", ");
        if (length == source->name_length && memcmp(name, source->name, length) == 0) {
            return true;
        }
        name += length + 1;
    }
    return false;
}

// Returns true if the next step overwrote this one. If both have the same right result (one
// token attends only to itself, so out is v), equal results do not say that.
static bool is_reused(const struct stage *stages, size_t count, const struct stage *stage)
{
    const struct tensor *tensor = stage->tensor;
    for (size_t i = 0; i < count; i++) {
        const struct tensor *next = stages[i].tensor;
        size_t bytes = tensor->count * tensor->element_size;
        if (comes_from(&stages[i], stage) && next->count == tensor->count &&
            memcmp(next->got, tensor->got, bytes) == 0 &&
            memcmp(next->expected, tensor->expected, bytes) != 0) {
            return true;
        }
    }
    return false;
}

// If the input of the first layer is wrong, the layers cannot be compared.
static void settle_input(struct stage *stages, size_t count)
{
    const struct stage *input = NULL;
    for (size_t i = 0; i < count; i++) {
        const struct tensor *tensor = stages[i].tensor;
        bool streams = strncmp(tensor->spec->shape, "L1 ", 3) == 0;
        if (streams && stages[i].state == OFF &&
            stages[i].first < tensor->count / tensor->axis[0]) {
            input = &stages[i];
        }
    }
    for (size_t i = 0; input != NULL && i < count; i++) {
        if (stages[i].tensor->spec->shape[0] == 'L' && &stages[i] != input) {
            stages[i].state = UNKNOWN;
        }
    }
}

// After the first layer with a fault everything is wrong, so later layers are not compared.
static void settle(struct stage *stages, size_t count)
{
    size_t layer = SIZE_MAX;
    for (size_t i = 0; i < count; i++) {
        struct stage *stage = &stages[i];
        if (stage->state == OFF && !tensor_is_judged(stage->tensor) &&
            is_reused(stages, count, stage)) {
            stage->state = UNKNOWN;
        }
        if (stage->state == OFF && stage->tensor->spec->shape[0] == 'L' &&
            stage->layer < layer) {
            layer = stage->layer;
        }
    }
    for (size_t i = 0; i < count; i++) {
        bool layered = stages[i].tensor->spec->shape[0] == 'L';
        if (layered && stages[i].state == OFF && stages[i].layer > layer) {
            stages[i].state = RIGHT;
        }
    }
    settle_input(stages, count);
}

struct suspicion {
    bool any, sure;
};

static struct suspicion suspect(const struct stage *stages, size_t count, size_t which)
{
    const struct stage *stage = &stages[which];
    struct suspicion suspicion = {stage->state == OFF, stage->state == OFF};
    bool judged = tensor_is_judged(stage->tensor), used = false;
    for (size_t i = 0; i < count && suspicion.any; i++) {
        if (comes_from(stage, &stages[i]) && stages[i].state != RIGHT) {
            suspicion.any = stages[i].state == UNKNOWN;
            suspicion.sure = false;
        }
        if (!judged && comes_from(&stages[i], stage)) {
            used = used || stages[i].state == OFF;
            suspicion.sure = suspicion.sure && stages[i].state == OFF;
            suspicion.any = suspicion.any && stages[i].state != RIGHT;
        }
    }
    suspicion.sure = suspicion.sure && (judged || (used && !is_multiple(stage->tensor)));
    return suspicion;
}

// ---- words --------------------------------------------------------------------------------

// " from sequence 1 on" or " in sequence 1", if this describes all errors along the first
// axis.
static void write_range(FILE *file, const struct stage *stage)
{
    static const char *const names[][2] = {
        {"B ", "sequence"}, {"T ", "token"}, {"L ", "layer"}, {"NH ", "head"}};
    const struct tensor *tensor = stage->tensor;
    const char *axis = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        bool is = strncmp(tensor->spec->shape, names[i][0], strlen(names[i][0])) == 0;
        axis = is ? names[i][1] : axis;
    }
    if (axis == NULL || tensor->axes < 2 || tensor->axis[0] < 2) {
        return;
    }
    const float slack = 1e-4f * largest(tensor);
    size_t block = tensor->count / tensor->axis[0], first = stage->first / block;
    size_t off = 0;
    for (size_t a = first; a < tensor->axis[0]; a++) {
        bool any = false;
        for (size_t i = a * block; i < (a + 1) * block; i++) {
            any = any || !element_is_right(tensor, i, slack);
        }
        off += any;
    }
    if (off == tensor->axis[0] - first && first > 0 && off > 1) {
        fprintf(file, " from %s %zu on", axis, first);
    } else if (off == 1) {
        fprintf(file, " in %s %zu alone", axis, first);
    }
}

static void write_stages(FILE *file, const struct stage *stages, size_t which, bool sure)
{
    fputs("  stages:", file);
    for (size_t i = 0; i < which; i++) {
        if (stages[i].state == RIGHT) {
            fprintf(file, " %.*s ✓", (int)stages[i].name_length, stages[i].name);
        }
    }
    const struct stage *stage = &stages[which];
    fprintf(file, " %.*s %s", (int)stage->name_length, stage->name,
            sure ? "wrong" : "may be wrong");
    write_range(file, stage);
    fputs(", first at ", file);
    show_element(file, stage->tensor, stage->first);
    show_got_and_expected(file, stage->tensor, stage->first);
    fputc('\n', file);
}

// The first step of a call that is wrong, or may be.
struct wrong_stage {
    struct stage stages[MOST_STAGES];
    size_t which;
    bool any, sure;
};

static void find_stage(const struct test_case *test, struct wrong_stage *found)
{
    struct stage *stages = found->stages;
    const size_t count = read_stages(test, stages);
    settle(stages, count);
    found->any = found->sure = false;
    for (size_t i = 0; i < count && !found->any; i++) {
        struct suspicion suspicion = suspect(stages, count, i);
        bool last = tensor_is_judged(stages[i].tensor) && i == 0;
        found->any = suspicion.any && stages[i].wrong > 0 && !last;
        found->sure = found->any && suspicion.sure;
        found->which = i;
    }
}

static bool has_wrong_values(const struct test_case *test)
{
    if (test->progress != RETURNED || test->again || case_is_repeat(test)) {
        return false;
    }
    const struct difference difference = compare_case(test);
    return difference.fault == DIFFERENT || difference.fault == UNWRITTEN;
}

// Where the sizes are 1, a wrong step may give the right numbers, so other failing calls are looked
// at: the first one that makes a step certain or else, one that makes a step possible.
static const struct test_case *find_in_others(const struct case_list *cases,
                                              const struct test_case *shown,
                                              struct wrong_stage *found)
{
    const struct test_case *possible = NULL;
    for (size_t c = 0; c < cases->count; c++) {
        const struct test_case *test = &cases->cases[c];
        if (test == shown || !has_wrong_values(test)) {
            continue;
        }
        find_stage(test, found);
        if (found->sure) {
            return test;
        }
        possible = found->any && possible == NULL ? test : possible;
    }
    if (possible != NULL) {
        find_stage(possible, found);
    }
    return possible;
}

void explain_stages(const struct trial *trial, const struct case_list *cases,
                    const struct test_case *shown)
{
    struct wrong_stage found;
    if (shown->part->stages == NULL || case_is_repeat(shown)) {
        return;
    }
    find_stage(shown, &found);
    if (!found.any) {
        const struct test_case *other = find_in_others(cases, shown, &found);
        if (other == NULL) {
            return;
        }
        fputs("  stages in ", trial->text.file);
        describe_call(trial, other);
        fputs(", which fails too:\n", trial->text.file);
    }
    write_stages(trial->text.file, found.stages, found.which, found.sure);
}
