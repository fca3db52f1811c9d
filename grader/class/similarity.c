// similarity.c - finds identical and similar hand-ins of a lab.
//
// Files are compared by their fingerprints (fingerprint.h). First, hand-ins with identical
// fingerprints form a group, and those identical to the workbook's solution form another. Then
// pairs are compared. Fingerprints that more than a tenth of the class (and more than five
// people) have in common are ignored, because the exercise may require this code; equal
// hand-ins count as one person there, so that many copies do not hide one that was changed a
// little. The similarity of a pair is the number of common fingerprints divided by the size of the smaller
// set.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "class/class_report.h"
#include "class/fingerprint.h"
#include "class/own.h"
#include "base/memory.h"
#include "report/html.h"

enum {
    FEWEST_COMMON = 6, // minimum fingerprints in common, about 50 tokens
    LEAST_PERCENT = 60,
    MOST_PAIRS = 40, // listed at most
    // Minimum size for a group: about 140 tokens, two short functions. Shorter identical
    // files may just be the obvious solution.
    FEWEST_IN_GROUP = 20,
    LARGE_GROUP = 3, // smallest group; two are listed as a pair
};

struct work {
    char *name, *hash;
    uint32_t *prints;
    size_t count;
    bool own;     // not a hand-in but the workbook's solution
    size_t group; // the first work with the same fingerprints
    size_t size;  // number of hand-ins in the group that begins here
    bool paired;  // the group that begins here has two people, listed as a pair
};

struct pair {
    size_t a, b, common;
    double percent;
    bool same; // hand-ins identical byte for byte
};

struct class_work {
    struct work *works; // the workbook's solutions come first
    size_t count;
    size_t people;
};

static struct work *add_work(struct class_work *all, const char *name, const char *hash,
                             const void *prints, size_t bytes)
{
    all->works = grader_resize(all->works, (all->count + 1) * sizeof *all->works);
    struct work *work = &all->works[all->count++];
    *work = (struct work){.name = grader_print("%s", name)};
    work->hash = grader_print("%s", hash);
    work->count = bytes / sizeof *work->prints;
    work->prints = grader_alloc(bytes);
    memcpy(work->prints, prints != NULL ? prints : "", prints != NULL ? bytes : 0);
    return work;
}

// Adds the workbook's solution with its .cu files and, if it has any, also without them.
static void add_own(struct class_work *all, const char *root, int lab)
{
    struct fingerprints known = own_skeletons(root);
    size_t before = 0;
    for (int gpu = 1; gpu >= 0; gpu--) {
        struct fingerprints prints = own_solution(root, lab, gpu, &known);
        if (prints.count > 0 && prints.count != before) {
            add_work(all, "the workbook's own solution", "", prints.values,
                     prints.count * sizeof *prints.values)
                ->own = true;
        }
        before = prints.count;
        fingerprints_free(&prints);
    }
    fingerprints_free(&known);
}

static struct class_work read_class(struct report *report, int lab)
{
    struct class_work all = {NULL, 0, 0};
    add_own(&all, report->root, lab);
    sqlite3_stmt *row = gradebook_query(
        &report->book,
        "SELECT name, source.hash, fingerprints, max(run) FROM piece "
        "JOIN counted ON counted.id = submission "
        "JOIN student ON student.id = student JOIN source ON source.hash = piece.hash "
        "AND source.lab = piece.lab WHERE piece.lab = ? GROUP BY student.id "
        "ORDER BY name, key",
        "i", (int64_t)lab);
    while (gradebook_next(&report->book, &row)) {
        add_work(&all, gradebook_text(row, 0), gradebook_text(row, 1),
                 sqlite3_column_blob(row, 2), (size_t)sqlite3_column_bytes(row, 2));
        all.people++;
    }
    return all;
}

static void free_class(struct class_work *all)
{
    for (size_t i = 0; i < all->count; i++) {
        free(all->works[i].name);
        free(all->works[i].hash);
        free(all->works[i].prints);
    }
    free(all->works);
}

// ---- groups -------------------------------------------------------------------------------

static bool equal(const struct work *a, const struct work *b)
{
    return a->count == b->count && a->count >= FEWEST_IN_GROUP &&
           memcmp(a->prints, b->prints, a->count * sizeof *a->prints) == 0;
}

// Called while all fingerprints are still present.
static void find_groups(struct class_work *all)
{
    for (size_t i = 0; i < all->count; i++) {
        struct work *work = &all->works[i];
        work->group = 0;
        while (work->group < i && !equal(&all->works[work->group], work)) {
            work->group++;
        }
        all->works[work->group].size += !work->own;
    }
}

// Returns true if these two are listed in the same group. a may be the workbook's solution.
static bool grouped(const struct class_work *all, const struct work *a,
                    const struct work *b)
{
    const struct work *first = &all->works[a->group];
    if (a->own) {
        return all->works[b->group].own;
    }
    return a->group == b->group && (first->own || first->size >= LARGE_GROUP);
}

// Returns true if all files of a group are identical, not only their tokens.
static bool same_files(const struct class_work *all, size_t group)
{
    for (size_t i = group; i < all->count; i++) {
        if (all->works[i].group == group &&
            strcmp(all->works[i].hash, all->works[group].hash) != 0) {
            return false;
        }
    }
    return true;
}

static bool told_as_group(const struct work *work)
{
    return work->own ? work->size > 0 : work->size >= 2 && !work->paired;
}

// "12 hand-ins are identical except for names, numbers and comments: Ann, Bo, ..."
static void write_group(FILE *file, const struct class_work *all, size_t group,
                        void (*write_name)(FILE *file, const char *name))
{
    const struct work *first = &all->works[group];
    fprintf(file, "%zu hand-in%s %s%s: ", first->size, first->size == 1 ? "" : "s",
            first->size == 1 ? "is" : "are",
            first->own               ? " identical to the workbook's own solution, "
                                       "except for names, numbers and comments"
            : same_files(all, group) ? " the same files"
                                     : " identical except for names, numbers and "
                                       "comments");
    bool any = false;
    for (size_t i = group; i < all->count; i++) {
        if (all->works[i].group == group && !all->works[i].own) {
            fputs(any ? ", " : "", file);
            write_name(file, all->works[i].name);
            any = true;
        }
    }
}

// ---- pairs --------------------------------------------------------------------------------

static int by_value(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static bool contains(const struct fingerprints *set, uint32_t value)
{
    return set->count > 0 &&
           bsearch(&value, set->values, set->count, sizeof value, by_value) != NULL;
}

// Removes fingerprints that more people than this have.
static size_t most_people(const struct class_work *all)
{
    return all->people / 10 > 5 ? all->people / 10 : 5;
}

// Returns true if an earlier hand-in is the same file or has the same fingerprints.
static bool is_copy(const struct class_work *all, size_t place)
{
    const struct work *work = &all->works[place];
    for (size_t i = 0; i < place; i++) {
        const struct work *other = &all->works[i];
        if (!other->own &&
            (other->group == work->group || strcmp(other->hash, work->hash) == 0)) {
            return true;
        }
    }
    return false;
}

static struct fingerprints find_common(const struct class_work *all)
{
    struct fingerprints every = {NULL, 0, 0, 0};
    for (size_t i = 0; i < all->count; i++) {
        every.room += all->works[i].count;
    }
    every.values = grader_alloc(every.room * sizeof *every.values);
    for (size_t i = 0; i < all->count; i++) {
        const struct work *work = &all->works[i];
        if (!work->own && work->count > 0 && !is_copy(all, i)) {
            memcpy(every.values + every.count, work->prints,
                   work->count * sizeof *every.values);
            every.count += work->count;
        }
    }
    if (every.count > 0) {
        qsort(every.values, every.count, sizeof *every.values, by_value);
    }
    size_t most = most_people(all), kept = 0;
    for (size_t i = 0; i < every.count;) {
        size_t end = i;
        while (end < every.count && every.values[end] == every.values[i]) {
            end++;
        }
        if (end - i > most) {
            every.values[kept++] = every.values[i];
        }
        i = end;
    }
    every.count = kept;
    return every;
}

// Removes these fingerprints from all hand-ins; own: also from the workbook's solution.
static void drop(struct class_work *all, const struct fingerprints *what, bool own)
{
    for (size_t i = 0; i < all->count; i++) {
        size_t kept = 0;
        for (size_t p = 0; p < all->works[i].count && (own || !all->works[i].own); p++) {
            if (!contains(what, all->works[i].prints[p])) {
                all->works[i].prints[kept++] = all->works[i].prints[p];
            }
        }
        all->works[i].count = own || !all->works[i].own ? kept : all->works[i].count;
    }
}

static void drop_common(struct class_work *all)
{
    struct fingerprints common = find_common(all);
    drop(all, &common, true);
    fingerprints_free(&common);
}

// Two hand-ins that agree only in what the workbook's solution has, too, are not similar to
// each other, but each to that.
static void drop_own(struct class_work *all)
{
    for (size_t i = 0; i < all->count && all->works[i].own; i++) {
        const struct fingerprints own = {.values = all->works[i].prints,
                                         .count = all->works[i].count};
        drop(all, &own, false);
    }
}

static size_t count_common(const struct work *a, const struct work *b)
{
    size_t i = 0, j = 0, common = 0;
    while (i < a->count && j < b->count) {
        if (a->prints[i] == b->prints[j]) {
            common++;
            i++;
            j++;
        } else if (a->prints[i] < b->prints[j]) {
            i++;
        } else {
            j++;
        }
    }
    return common;
}

static int by_similarity(const void *a, const void *b)
{
    const struct pair *x = a, *y = b;
    if (x->percent != y->percent) {
        return x->percent > y->percent ? -1 : 1;
    }
    if (x->common != y->common) {
        return x->common > y->common ? -1 : 1;
    }
    return x->a != y->a ? (x->a > y->a) - (x->a < y->a) : (x->b > y->b) - (x->b < y->b);
}

// A group that is listed as such stands for its members in the table of pairs: the first.
static bool stands_for_itself(const struct class_work *all, size_t place)
{
    const struct work *first = &all->works[all->works[place].group];
    return first->own || first->size < LARGE_GROUP || all->works[place].group == place;
}

// Adds the similar pairs with the workbook's solution, or those of two hand-ins.
static void find_pairs(const struct class_work *all, bool own, struct pair **pairs,
                       size_t *count)
{
    for (size_t a = 0; a < all->count; a++) {
        for (size_t b = a + 1; b < all->count && all->works[a].own == own; b++) {
            const struct work *x = &all->works[a], *y = &all->works[b];
            size_t smaller = x->count < y->count ? x->count : y->count;
            size_t common = count_common(x, y);
            double percent = smaller > 0 ? 100.0 * (double)common / (double)smaller : 0;
            // Keep only the larger of the workbook's two versions.
            if (common >= FEWEST_COMMON && percent >= LEAST_PERCENT && !y->own &&
                !(x->own && a > 0) && !grouped(all, x, y) && stands_for_itself(all, a) &&
                stands_for_itself(all, b)) {
                *pairs = grader_resize(*pairs, (*count + 1) * sizeof **pairs);
                (*pairs)[(*count)++] =
                    (struct pair){a, b, common, percent, strcmp(x->hash, y->hash) == 0};
            }
        }
    }
}

static size_t find_all_pairs(struct class_work *all, struct pair **pairs)
{
    size_t count = 0;
    *pairs = NULL;
    drop_common(all);
    find_pairs(all, true, pairs, &count);
    drop_own(all);
    find_pairs(all, false, pairs, &count);
    if (count > 0) {
        qsort(*pairs, count, sizeof **pairs, by_similarity);
    }
    return count;
}

// "Ann", or "Ann and 5 equal hand-ins".
static void write_member(FILE *file, const struct class_work *all, size_t place)
{
    const struct work *work = &all->works[place];
    html_text(file, work->name);
    if (work->group == place && !work->own && work->size >= LARGE_GROUP) {
        fprintf(file, " and %zu equal hand-ins", work->size - 1);
    }
}

static void write_pairs(FILE *file, const struct class_work *all,
                        const struct pair *pairs, size_t count)
{
    fputs("<table><tr><th>one</th><th>other</th><th class=\"number\">in common</th><th "
          "class=\"number\">similarity</th></tr>\n",
          file);
    for (size_t i = 0; i < count && i < MOST_PAIRS; i++) {
        fputs("<tr><td>", file);
        write_member(file, all, pairs[i].a);
        fputs("</td><td>", file);
        write_member(file, all, pairs[i].b);
        fprintf(file,
                "</td><td class=\"number\">%zu passages</td><td class=\"number\">%.0f "
                "%%%s</td></tr>\n",
                pairs[i].common, pairs[i].percent, pairs[i].same ? ", same files" : "");
    }
    fputs("</table>\n", file);
    if (count > MOST_PAIRS) {
        fprintf(file, "<p class=\"soft\">and %zu more pairs</p>\n", count - MOST_PAIRS);
    }
}

static void note_pairs(struct class_work *all, const struct pair *pairs, size_t count)
{
    for (size_t i = 0; i < count && i < MOST_PAIRS; i++) {
        size_t group = all->works[pairs[i].a].group;
        if (group == all->works[pairs[i].b].group) {
            all->works[group].paired = true;
        }
    }
}

// ---- what is told -------------------------------------------------------------------------

static size_t write_groups(FILE *file, const struct class_work *all)
{
    size_t count = 0;
    for (size_t i = 0; i < all->count; i++) {
        if (told_as_group(&all->works[i])) {
            fputs("<p>", file);
            write_group(file, all, i, html_text);
            fputs("</p>\n", file);
            count++;
        }
    }
    return count;
}

void similarity_write(struct report *report, FILE *file, int lab)
{
    struct class_work all = read_class(report, lab);
    find_groups(&all);
    struct pair *pairs;
    size_t count = find_all_pairs(&all, &pairs);
    note_pairs(&all, pairs, count);
    fprintf(file, "<h3>Lab %d</h3>\n", lab);
    size_t groups = write_groups(file, &all);
    if (count > 0) {
        write_pairs(file, &all, pairs, count);
    } else {
        fprintf(
            file,
            "<p class=\"soft\">%s share %d %% of their code, not counting passages that "
            "more than %zu of the %zu students have.</p>\n",
            groups > 0 ? "No two others" : "No two are identical, and no two",
            (int)LEAST_PERCENT, most_people(&all), all.people);
    }
    free(pairs);
    free_class(&all);
}

static void write_plain(FILE *file, const char *name)
{
    fputs(name, file);
}

void similarity_print(struct report *report, int lab)
{
    struct class_work all = read_class(report, lab);
    find_groups(&all);
    for (size_t i = 0; i < all.count; i++) {
        if (told_as_group(&all.works[i])) {
            printf("lab %d: ", lab);
            write_group(stdout, &all, i, write_plain);
            putchar('\n');
        }
    }
    free_class(&all);
}
