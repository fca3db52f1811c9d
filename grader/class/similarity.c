// similarity.c - writes which hand-ins of a lab are alike (alike.h), and a page for each
// similar pair (beside.h).

#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "class/alike.h"
#include "class/beside.h"
#include "class/class_report.h"
#include "common/plural.h"
#include "report/html.h"

// ---- reading ------------------------------------------------------------------------------

// Adds the files of the last hand-in. Returns false if the gradebook does not have them.
static bool add_files(struct report *report, struct alike *all, int lab, const char *hash)
{
    bool any = false;
    sqlite3_stmt *text = gradebook_query(
        &report->book, "SELECT bytes FROM text WHERE hash = ? AND lab = ? ORDER BY name",
        "ti", hash, (int64_t)lab);
    while (gradebook_next(&report->book, &text)) {
        const void *bytes = sqlite3_column_blob(text, 0);
        alike_add_file(all, bytes != NULL ? bytes : "",
                       (size_t)sqlite3_column_bytes(text, 0));
        any = true;
    }
    return any;
}

// Returns how many hand-ins are known only by their fingerprints: those that an older grader
// has collected.
static size_t read_class(struct report *report, struct alike *all, int lab)
{
    size_t without = 0;
    alike_begin(all, report->root, lab);
    // Each student's newest hand-in. The partners of a group who have the same code (Moodle gives each of them the
    // group's files) are one author.
    sqlite3_stmt *row = gradebook_query(
        &report->book,
        "WITH newest AS (SELECT called.id AS who, name, key, label, team, source.hash AS "
        "hash, fingerprints, max(run) FROM piece "
        "JOIN counted ON counted.id = submission "
        "JOIN called ON called.id = counted.student "
        "LEFT JOIN listed ON listed.student = called.id "
        "JOIN source ON source.hash = piece.hash "
        "AND source.lab = piece.lab WHERE piece.lab = ? GROUP BY called.id), "
        "author AS (SELECT *, count(*) OVER same AS many, row_number() OVER (same ORDER "
        "BY name, key) AS place FROM newest WINDOW same AS (PARTITION BY coalesce('team ' "
        "|| team, who), fingerprints)) "
        "SELECT label || CASE many WHEN 1 THEN '' WHEN 2 THEN ' and 1 partner' ELSE ' and ' "
        "|| (many - 1) || ' partners' END, hash, fingerprints, team FROM author WHERE "
        "place = 1 ORDER BY name, key",
        "i", (int64_t)lab);
    while (gradebook_next(&report->book, &row)) {
        alike_add(all, gradebook_text(row, 0), gradebook_text(row, 1));
        if (sqlite3_column_type(row, 3) != SQLITE_NULL) {
            alike_set_team(all, gradebook_text(row, 3));
        }
        size_t count = (size_t)sqlite3_column_bytes(row, 2) / sizeof(uint32_t);
        if (!add_files(report, all, lab, gradebook_text(row, 1)) && count > 0) {
            alike_add_prints(all, sqlite3_column_blob(row, 2), count);
            without++;
        }
    }
    alike_find(all);
    return without;
}

// ---- groups -------------------------------------------------------------------------------

// Returns true if all files of a group are identical, not only their tokens.
static bool same_files(const struct alike *all, size_t group)
{
    for (size_t i = group; i < all->count; i++) {
        if (all->works[i].group == group &&
            strcmp(all->works[i].hash, all->works[group].hash) != 0) {
            return false;
        }
    }
    return true;
}

// "12 hand-ins are identical except for names, numbers and comments: Ann, Bo, ..."
static void write_group(FILE *file, const struct alike *all, size_t group,
                        const char *between,
                        void (*write_name)(FILE *file, const char *name))
{
    const struct alike_work *first = &all->works[group];
    fprintf(file, "%zu hand-in%s %s", first->size, first->size == 1 ? "" : "s",
            first->size == 1 ? "is" : "are");
    if (first->own != NULL) {
        fprintf(file, " identical to %s, except for names, numbers and comments: ",
                first->name);
    } else {
        fputs(same_files(all, group)
                  ? " the same files: "
                  : " identical except for names, numbers and comments: ",
              file);
    }
    bool any = false;
    for (size_t i = group; i < all->count; i++) {
        if (all->works[i].group == group && all->works[i].own == NULL) {
            fputs(any ? between : "", file);
            write_name(file, all->works[i].name);
            any = true;
        }
    }
}

static size_t write_groups(FILE *file, const struct alike *all, const char *between)
{
    size_t count = 0;
    for (size_t i = 0; i < all->count; i++) {
        if (alike_listed(&all->works[i])) {
            fputs("<p>", file);
            write_group(file, all, i, between, html_text);
            fputs("</p>\n", file);
            count++;
        }
    }
    return count;
}

// ---- pairs --------------------------------------------------------------------------------

// "Ann", or "Ann and 5 equal hand-ins".
static void write_member(FILE *file, const struct alike *all, size_t place)
{
    const struct alike_work *work = &all->works[place];
    html_text(file, work->name);
    if (work->group == place && work->own == NULL && work->size >= ALIKE_LARGE_GROUP) {
        fprintf(file, " and %zu equal hand-ins", work->size - 1);
    }
}

static void write_pair(struct report *report, FILE *file, const struct alike *all,
                       size_t place, int lab, struct pair_pages *pages)
{
    const struct alike_pair *pair = &all->pairs[place];
    char *link = pages != NULL ? beside_write(report, pages, all, pair, lab) : NULL;
    fputs("<tr><td>", file);
    write_member(file, all, pair->a);
    fputs("</td><td>", file);
    write_member(file, all, pair->b);
    fprintf(file,
            "</td><td class=\"number\">%zu passages</td><td class=\"number\">%.0f "
            "%%%s%s</td><td>",
            pair->common, pair->percent, pair->same ? ", same files" : "",
            pair->rewritten ? ", in other words" : "");
    if (link != NULL) {
        fputs("<a href=\"", file);
        html_text(file, link);
        fputs("\">side by side</a>", file);
    }
    fputs("</td></tr>\n", file);
    free(link);
}

static void write_pairs(struct report *report, FILE *file, const struct alike *all,
                        int lab, struct pair_pages *pages)
{
    fputs("<table><tr><th>one</th><th>other</th><th class=\"number\">in common</th><th "
          "class=\"number\">similarity</th><th></th></tr>\n",
          file);
    for (size_t i = 0; i < all->pair_count && i < ALIKE_MOST_PAIRS; i++) {
        write_pair(report, file, all, i, lab, pages);
    }
    fputs("</table>\n", file);
    if (all->pair_count > ALIKE_MOST_PAIRS) {
        fprintf(file, "<p class=\"soft\">and %zu more pair%s</p>\n",
                all->pair_count - ALIKE_MOST_PAIRS,
                plural((double)(all->pair_count - ALIKE_MOST_PAIRS)));
    }
}

// ---- what is told -------------------------------------------------------------------------

void similarity_write(struct report *report, FILE *file, int lab,
                      struct pair_pages *pages)
{
    struct alike all;
    size_t without = read_class(report, &all, lab);
    fprintf(file, "<h3>Lab %d</h3>\n", lab);
    if (without > 0) {
        fprintf(
            file,
            "<p class=\"note\">The gradebook has no code of %zu hand-in%s, because an "
            "older version of the grader collected %s: run grade class again.</p>\n",
            without, without == 1 ? "" : "s", without == 1 ? "it" : "them");
    }
    size_t groups = write_groups(file, &all, gradebook_between(&report->book));
    if (all.pair_count > 0) {
        write_pairs(report, file, &all, lab, pages);
    } else {
        fprintf(
            file,
            "<p class=\"soft\">%s share %d %% of their code, not counting passages that "
            "the workbook or more than %zu of the %zu students have.</p>\n",
            groups > 0 ? "No two others" : "No two are identical, and no two",
            (int)ALIKE_PERCENT, alike_most_people(&all), all.people);
    }
    alike_end(&all);
}

static void write_plain(FILE *file, const char *name)
{
    fputs(name, file);
}

// The class page lists two people with the same files as a pair, as it does groups of short files.
static void print_same_pairs(const struct alike *all, int lab, const char *between)
{
    for (size_t i = 0; i < all->pair_count && i < ALIKE_MOST_PAIRS; i++) {
        const struct alike_work *a = &all->works[all->pairs[i].a];
        const struct alike_work *b = &all->works[all->pairs[i].b];
        if (all->pairs[i].same && a->own == NULL && a->group != b->group) {
            printf("lab %d: 2 hand-ins are the same files: %s%s%s\n", lab, a->name,
                   between, b->name);
        }
    }
}

void similarity_print(struct report *report, int lab)
{
    struct alike all;
    const char *between = gradebook_between(&report->book);
    read_class(report, &all, lab);
    for (size_t i = 0; i < all.count; i++) {
        if (alike_listed(&all.works[i]) || all.works[i].paired) {
            printf("lab %d: ", lab);
            write_group(stdout, &all, i, between, write_plain);
            putchar('\n');
        }
    }
    print_same_pairs(&all, lab, between);
    alike_end(&all);
}
