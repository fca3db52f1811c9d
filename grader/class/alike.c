// alike.c - see alike.h. Start reading at alike_find.

#include "class/alike.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "class/passages.h"

// ---- the works ----------------------------------------------------------------------------

static struct alike_work *add_work(struct alike *all, const char *name, const char *hash)
{
    all->works = grader_resize(all->works, (all->count + 1) * sizeof *all->works);
    struct alike_work *work = &all->works[all->count++];
    *work = (struct alike_work){.name = grader_print("%s", name)};
    work->hash = grader_print("%s", hash);
    return work;
}

// Is this solution equal to one that is there already? Labs may have no .cu files, and no
// fast twin.
static bool have_own(const struct alike *all, const struct fingerprints *prints)
{
    bool have = prints->count == 0;
    for (size_t i = 0; i < all->count; i++) {
        const struct fingerprints *other = &all->works[i].prints;
        have = have || (other->count == prints->count &&
                        memcmp(other->values, prints->values,
                               prints->count * sizeof *prints->values) == 0);
    }
    return have;
}

static void add_own(struct alike *all, int lab, bool fast, bool gpu)
{
    struct fingerprints prints = own_solution(all->root, lab, fast, gpu, &all->skeletons);
    if (have_own(all, &prints)) {
        fingerprints_free(&prints);
        return;
    }
    struct alike_work *work = add_work(
        all, fast ? "the workbook's fast solution" : "the workbook's own solution", "");
    work->prints = prints;
    work->own = fast ? "solutions/fast" : "solutions";
}

void alike_begin(struct alike *all, const char *root, int lab)
{
    *all = (struct alike){.root = root, .skeletons = own_skeletons(root)};
    all->own = own_code_read(root);
    for (int fast = 0; fast <= 1; fast++) {
        add_own(all, lab, fast, true);
        add_own(all, lab, fast, false);
    }
}

void alike_add(struct alike *all, const char *name, const char *hash)
{
    add_work(all, name, hash);
    all->people++;
}

void alike_set_team(struct alike *all, const char *team)
{
    all->works[all->count - 1].team = grader_print("%s", team);
}

void alike_add_file(struct alike *all, const char *text, size_t size)
{
    struct alike_work *work = &all->works[all->count - 1];
    passages_add(&work->passages, text, size);
    fingerprints_add(&work->prints, text, size, 0);
}

void alike_add_prints(struct alike *all, const uint32_t *prints, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        fingerprints_keep(&all->works[all->count - 1].prints, prints[i]);
    }
}

void alike_end(struct alike *all)
{
    for (size_t i = 0; i < all->count; i++) {
        struct alike_work *work = &all->works[i];
        free(work->name);
        free(work->hash);
        free(work->team);
        fingerprints_free(&work->prints);
        fingerprints_free(&work->runs);
        fingerprints_free(&work->passages);
    }
    free(all->works);
    free(all->pairs);
    fingerprints_free(&all->skeletons);
    own_code_free(&all->own);
}

static void finish_work(struct alike *all, struct alike_work *work)
{
    if (work->own != NULL) {
        return;
    }
    fingerprints_finish(&work->prints, &all->skeletons);
    for (size_t i = 0; i < work->prints.count; i++) {
        fingerprints_keep(&work->runs, work->prints.values[i]);
    }
    fingerprints_drop(&work->runs, &all->own.runs);
    fingerprints_finish(&work->passages, &all->own.passages);
}

// ---- groups -------------------------------------------------------------------------------

static bool equal(const struct alike_work *a, const struct alike_work *b)
{
    return a->prints.count == b->prints.count &&
           a->prints.count >= ALIKE_FEWEST_IN_GROUP &&
           memcmp(a->prints.values, b->prints.values,
                  a->prints.count * sizeof *a->prints.values) == 0;
}

static void find_groups(struct alike *all)
{
    for (size_t i = 0; i < all->count; i++) {
        struct alike_work *work = &all->works[i];
        while (work->group < i && !equal(&all->works[work->group], work)) {
            work->group++;
        }
        all->works[work->group].size += work->own == NULL;
    }
}

// Returns true if these two are listed in the same group. a may be the workbook's solution.
static bool grouped(const struct alike *all, const struct alike_work *a,
                    const struct alike_work *b)
{
    const struct alike_work *first = &all->works[a->group];
    if (a->own != NULL) {
        return all->works[b->group].own != NULL;
    }
    return a->group == b->group &&
           (first->own != NULL || first->size >= ALIKE_LARGE_GROUP);
}

bool alike_listed(const struct alike_work *work)
{
    return work->own != NULL ? work->size > 0 : work->size >= 2 && !work->paired;
}

// ---- what many have -----------------------------------------------------------------------

size_t alike_most_people(const struct alike *all)
{
    return all->people / 10 > 5 ? all->people / 10 : 5;
}

// Returns true if an earlier hand-in is the same file or has the same fingerprints.
static bool is_copy(const struct alike *all, size_t place)
{
    const struct alike_work *work = &all->works[place];
    for (size_t i = 0; i < place; i++) {
        const struct alike_work *other = &all->works[i];
        if (other->own == NULL &&
            (other->group == work->group || strcmp(other->hash, work->hash) == 0)) {
            return true;
        }
    }
    return false;
}

static struct fingerprints *part_of(struct alike_work *work, bool passages)
{
    return passages ? &work->passages : &work->runs;
}

static int by_value(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

// The values that come more often than this. The list is sorted and keeps only those.
static void keep_frequent(struct fingerprints *every, size_t most)
{
    size_t kept = 0;
    if (every->count > 0) {
        qsort(every->values, every->count, sizeof *every->values, by_value);
    }
    for (size_t i = 0; i < every->count;) {
        size_t end = i;
        while (end < every->count && every->values[end] == every->values[i]) {
            end++;
        }
        if (end - i > most) {
            every->values[kept++] = every->values[i];
        }
        i = end;
    }
    every->count = kept;
}

// Removes from all hand-ins what many people have.
static void drop_common(struct alike *all, bool passages)
{
    struct fingerprints every = {NULL, 0, 0, 0};
    for (size_t i = 0; i < all->count; i++) {
        const struct fingerprints *part = part_of(&all->works[i], passages);
        if (part->count > 0 && !is_copy(all, i)) {
            for (size_t p = 0; p < part->count; p++) {
                fingerprints_keep(&every, part->values[p]);
            }
        }
    }
    keep_frequent(&every, alike_most_people(all));
    for (size_t i = 0; i < all->count; i++) {
        fingerprints_drop(part_of(&all->works[i], passages), &every);
    }
    fingerprints_free(&every);
}

// ---- pairs --------------------------------------------------------------------------------

static size_t smaller(const struct fingerprints *a, const struct fingerprints *b)
{
    return a->count < b->count ? a->count : b->count;
}

// Replaces the pair's likeness by that of these two sets if it is larger.
static void compare(struct alike_pair *pair, const struct fingerprints *a,
                    const struct fingerprints *b, size_t least, bool rewritten)
{
    size_t size = smaller(a, b), common = fingerprints_common(a, b);
    size = size > least ? size : least;
    double percent = size > 0 ? 100.0 * (double)common / (double)size : 0;
    if (common >= ALIKE_FEWEST && percent > pair->percent) {
        pair->common = common;
        pair->percent = percent;
        pair->rewritten = rewritten;
    }
}

static int by_likeness(const void *a, const void *b)
{
    const struct alike_pair *x = a, *y = b;
    if (x->percent != y->percent) {
        return x->percent > y->percent ? -1 : 1;
    }
    if (x->common != y->common) {
        return x->common > y->common ? -1 : 1;
    }
    return x->a != y->a ? (x->a > y->a) - (x->a < y->a) : (x->b > y->b) - (x->b < y->b);
}

// A group that is listed as such stands for its members in the table of pairs: the first.
static bool stands_for_itself(const struct alike *all, size_t place)
{
    const struct alike_work *first = &all->works[all->works[place].group];
    return first->own != NULL || first->size < ALIKE_LARGE_GROUP ||
           all->works[place].group == place;
}

static void keep_pair(struct alike *all, struct alike_pair pair)
{
    all->pairs = grader_resize(all->pairs, (all->pair_count + 1) * sizeof *all->pairs);
    all->pairs[all->pair_count++] = pair;
}

// A hand-in beside the solution that it is most like.
static void find_own(struct alike *all, size_t b)
{
    struct alike_work *y = &all->works[b];
    struct alike_pair best = {.percent = 0};
    for (size_t a = 0; a < all->count && all->works[a].own != NULL; a++) {
        struct alike_pair pair = {.a = a, .b = b};
        compare(&pair, &all->works[a].prints, &y->prints, ALIKE_FEWEST_IN_GROUP, false);
        best = pair.percent > best.percent ? pair : best;
    }
    if (best.percent >= ALIKE_OWN_PERCENT && !grouped(all, &all->works[best.a], y) &&
        stands_for_itself(all, b)) {
        keep_pair(all, best);
    }
}

static void find_pair(struct alike *all, size_t a, size_t b)
{
    struct alike_work *x = &all->works[a], *y = &all->works[b];
    struct alike_pair pair = {.a = a, .b = b, .same = strcmp(x->hash, y->hash) == 0};
    if (x->team != NULL && y->team != NULL && strcmp(x->team, y->team) == 0) {
        return;
    }
    if (grouped(all, x, y) || !stands_for_itself(all, a) || !stands_for_itself(all, b)) {
        return;
    }
    compare(&pair, &x->runs, &y->runs, ALIKE_SMALLEST, false);
    compare(&pair, &x->passages, &y->passages, ALIKE_SMALLEST, true);
    if (equal(x, y) && pair.percent < 100) { // also where it is all like the workbook's
        pair.common = x->prints.count;
        pair.percent = 100;
        pair.rewritten = false;
    }
    if (pair.percent >= ALIKE_PERCENT) {
        keep_pair(all, pair);
    }
}

static void find_pairs(struct alike *all)
{
    for (size_t b = 0; b < all->count; b++) {
        if (all->works[b].own != NULL) {
            continue;
        }
        find_own(all, b);
        for (size_t a = 0; a < b; a++) {
            if (all->works[a].own == NULL) {
                find_pair(all, a, b);
            }
        }
    }
    if (all->pair_count > 0) {
        qsort(all->pairs, all->pair_count, sizeof *all->pairs, by_likeness);
    }
    for (size_t i = 0; i < all->pair_count && i < ALIKE_MOST_PAIRS; i++) {
        size_t group = all->works[all->pairs[i].a].group;
        if (group == all->works[all->pairs[i].b].group) {
            all->works[group].paired = true;
        }
    }
}

void alike_find(struct alike *all)
{
    for (size_t i = 0; i < all->count; i++) {
        finish_work(all, &all->works[i]);
    }
    find_groups(all);
    drop_common(all, false);
    drop_common(all, true);
    find_pairs(all);
}
