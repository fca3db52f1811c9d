// similarity.c - whose files of a lab share more than the exercise asks for.
//
// Two files are compared by their fingerprints (fingerprint.h). What more than a tenth of the
// class has (and more than five people) is what the exercise makes everybody write, and is left
// out. Of what remains the share that the smaller of two sets has in common is the likeness.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "class/class_report.h"
#include "class/fingerprint.h"
#include "judge/memory.h"
#include "report/html.h"

enum {
    FEWEST_COMMON = 6, // fingerprints, about 50 tokens, before two are named
    LEAST_PERCENT = 60,
    MOST_PAIRS = 40, // told
};

struct work {
    char *name, *hash;
    uint32_t *prints;
    size_t count;
};

struct pair {
    size_t a, b, common;
    double percent;
    bool same; // hand-ins equal byte for byte
};

struct class_work {
    struct work *works;
    size_t count;
};

static void add_work(struct class_work *all, const char *name, const char *hash,
                     const void *prints, size_t bytes)
{
    all->works = grader_resize(all->works, (all->count + 1) * sizeof *all->works);
    struct work *work = &all->works[all->count++];
    work->name = grader_print("%s", name);
    work->hash = grader_print("%s", hash);
    work->count = bytes / sizeof *work->prints;
    work->prints = grader_alloc(bytes);
    memcpy(work->prints, prints != NULL ? prints : "", prints != NULL ? bytes : 0);
}

static struct class_work read_class(struct report *report, int lab)
{
    struct class_work all = {NULL, 0};
    sqlite3_stmt *row = gradebook_query(
        &report->book,
        "SELECT name, source.hash, fingerprints, max(run) FROM piece "
        "JOIN submission ON submission.id = submission "
        "JOIN student ON student.id = student JOIN source ON source.hash = piece.hash "
        "AND source.lab = piece.lab WHERE piece.lab = ? GROUP BY student.id "
        "ORDER BY name, key",
        "i", (int64_t)lab);
    while (gradebook_next(&report->book, &row)) {
        add_work(&all, gradebook_text(row, 0), gradebook_text(row, 1),
                 sqlite3_column_blob(row, 2), (size_t)sqlite3_column_bytes(row, 2));
    }
    return all;
}

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

// The fingerprints that too many have for them to say anything.
static struct fingerprints find_common(const struct class_work *all)
{
    struct fingerprints every = {NULL, 0, 0, 0};
    for (size_t i = 0; i < all->count; i++) {
        every.room += all->works[i].count;
    }
    every.values = grader_alloc(every.room * sizeof *every.values);
    for (size_t i = 0; i < all->count; i++) {
        memcpy(every.values + every.count, all->works[i].prints,
               all->works[i].count * sizeof *every.values);
        every.count += all->works[i].count;
    }
    qsort(every.values, every.count, sizeof *every.values, by_value);
    size_t most = all->count / 10 > 5 ? all->count / 10 : 5, kept = 0;
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

static void drop_common(struct class_work *all)
{
    struct fingerprints common = find_common(all);
    for (size_t i = 0; i < all->count; i++) {
        size_t kept = 0;
        for (size_t p = 0; p < all->works[i].count; p++) {
            if (!contains(&common, all->works[i].prints[p])) {
                all->works[i].prints[kept++] = all->works[i].prints[p];
            }
        }
        all->works[i].count = kept;
    }
    fingerprints_free(&common);
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

static int by_likeness(const void *a, const void *b)
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

static size_t find_pairs(const struct class_work *all, struct pair **pairs)
{
    size_t count = 0;
    *pairs = NULL;
    for (size_t a = 0; a < all->count; a++) {
        for (size_t b = a + 1; b < all->count; b++) {
            const struct work *x = &all->works[a], *y = &all->works[b];
            size_t smaller = x->count < y->count ? x->count : y->count;
            size_t common = count_common(x, y);
            double percent = smaller > 0 ? 100.0 * (double)common / (double)smaller : 0;
            if (common >= FEWEST_COMMON && percent >= LEAST_PERCENT) {
                *pairs = grader_resize(*pairs, (count + 1) * sizeof **pairs);
                (*pairs)[count++] =
                    (struct pair){a, b, common, percent, strcmp(x->hash, y->hash) == 0};
            }
        }
    }
    if (count > 0) {
        qsort(*pairs, count, sizeof **pairs, by_likeness);
    }
    return count;
}

static void write_pairs(FILE *file, const struct class_work *all,
                        const struct pair *pairs, size_t count)
{
    fputs("<table><tr><th>one</th><th>other</th><th class=\"number\">in common</th>"
          "<th class=\"number\">likeness</th></tr>\n",
          file);
    for (size_t i = 0; i < count && i < MOST_PAIRS; i++) {
        fputs("<tr><td>", file);
        html_text(file, all->works[pairs[i].a].name);
        fputs("</td><td>", file);
        html_text(file, all->works[pairs[i].b].name);
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

void similarity_write(struct report *report, FILE *file, int lab)
{
    struct class_work all = read_class(report, lab);
    drop_common(&all);
    struct pair *pairs;
    size_t count = find_pairs(&all, &pairs);
    fprintf(file, "<h3>Lab %d</h3>\n", lab);
    if (count == 0) {
        fputs("<p class=\"soft\">No two hand-ins share more than the exercises make "
              "everybody write.</p>\n",
              file);
    } else {
        write_pairs(file, &all, pairs, count);
    }
    for (size_t i = 0; i < all.count; i++) {
        free(all.works[i].name);
        free(all.works[i].hash);
        free(all.works[i].prints);
    }
    free(all.works);
    free(pairs);
}
