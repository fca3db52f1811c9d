// questions.c - see questions.h. The kinds of questions are in ask_*.h; here they are chosen.
//
// Of a student's hand-in that counts, every function of an exercise that passes or is wrong may be
// asked about. The student's key decides where the search begins, so that neighbors get
// different questions, and the same student gets the same ones in every report.

#define _GNU_SOURCE
#include "class/questions.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cases/tables.h"
#include "class/ask_change.h"
#include "class/ask_failure.h"
#include "class/ask_index.h"
#include "class/ask_mistake.h"
#include "class/triage.h"
#include "report/html.h"
#include "report/text.h"

enum { MOST_SUBJECTS = 64, MOST_TEXTS = 16, MOST_LINES = 80 };

struct text_file {
    char *name, *bytes;
    size_t size;
};

// What is known of a student's lab.
struct viva {
    struct text_file texts[MOST_TEXTS];
    size_t text_count;
    struct subject subjects[MOST_SUBJECTS];
    struct code codes[MOST_SUBJECTS];
    char *strings[MOST_SUBJECTS][3]; // call, report, diagnosis
    unsigned used[MOST_SUBJECTS];    // the kinds of questions about it, a bit each
    size_t count;
    struct question questions[QUESTIONS_EACH];
    const struct subject *about[QUESTIONS_EACH];
    size_t asked;
};

// ---- the hand-in --------------------------------------------------------------------------

static void read_texts(struct report *report, struct viva *viva, int64_t submission,
                       int lab)
{
    sqlite3_stmt *row = gradebook_query(
        &report->book,
        "SELECT name, bytes FROM text JOIN piece ON piece.hash = text.hash AND piece.lab "
        "= text.lab WHERE submission = ? AND text.lab = ? ORDER BY name",
        "ii", submission, (int64_t)lab);
    while (gradebook_next(&report->book, &row)) {
        const char *name = gradebook_text(row, 0);
        size_t size = (size_t)sqlite3_column_bytes(row, 1);
        const char *end = strrchr(name, '.');
        if (viva->text_count < MOST_TEXTS && end != NULL && strcmp(end, ".c") == 0) {
            struct text_file *text = &viva->texts[viva->text_count++];
            *text = (struct text_file){grader_print("%s", name), grader_alloc(size + 1),
                                       size};
            memcpy(text->bytes, sqlite3_column_blob(row, 1), size);
        }
    }
}

static bool find_code(struct viva *viva, const char *function, struct code *code)
{
    for (size_t i = 0; i < viva->text_count; i++) {
        const struct text_file *text = &viva->texts[i];
        if (code_find(code, text->name, text->bytes, text->size, function)) {
            return true;
        }
        code_free(code);
    }
    return false;
}

static char *copy_of(const char *text)
{
    return text != NULL && *text != '\0' ? grader_print("%s", text) : NULL;
}

// Is the failing call one of this function?
static bool is_about(const char *call, const char *function)
{
    char *start = grader_print("{\"function\":\"%s\"", function);
    bool about = strncmp(call, start, strlen(start)) == 0;
    free(start);
    return about;
}

static void add_subjects(struct viva *viva, uint64_t seed, sqlite3_stmt *mark)
{
    const struct lab_place *place;
    const struct exercise *exercise;
    if (!find_exercise(gradebook_text(mark, 0), &place, &exercise)) {
        return;
    }
    const char *call = gradebook_text(mark, 3);
    for (const struct part *part = exercise->parts; part->function != NULL; part++) {
        size_t at = viva->count;
        if (at == MOST_SUBJECTS || !find_code(viva, part->function, &viva->codes[at])) {
            continue;
        }
        bool failing = is_about(call, part->function);
        viva->strings[at][0] = failing ? copy_of(call) : NULL;
        viva->strings[at][1] = failing ? copy_of(gradebook_text(mark, 2)) : NULL;
        viva->strings[at][2] = failing ? copy_of(gradebook_text(mark, 1)) : NULL;
        viva->subjects[at] = (struct subject){place,
                                              exercise,
                                              part,
                                              &viva->codes[at],
                                              seed + at,
                                              viva->strings[at][0],
                                              viva->strings[at][1],
                                              viva->strings[at][2]};
        viva->count++;
    }
}

// Nothing about hidden cases: their failing calls are not stored, and their diagnosis is left
// out.
static void read_subjects(struct report *report, struct viva *viva, uint64_t seed,
                          int64_t grading)
{
    sqlite3_stmt *mark = gradebook_query(
        &report->book,
        "SELECT exercise, CASE WHEN hidden THEN '' ELSE coalesce(diagnosis, '') END, "
        "output, CASE WHEN hidden THEN '' ELSE coalesce(call, '') END FROM mark WHERE "
        "grading = ? AND verdict IN ('pass', 'wrong') AND backend = 'cpu' ORDER BY place",
        "i", grading);
    while (gradebook_next(&report->book, &mark)) {
        add_subjects(viva, seed, mark);
    }
}

static void free_viva(struct viva *viva)
{
    for (size_t i = 0; i < viva->count; i++) {
        code_free(&viva->codes[i]);
        for (int s = 0; s < 3; s++) {
            free(viva->strings[i][s]);
        }
    }
    for (size_t i = 0; i < viva->text_count; i++) {
        free(viva->texts[i].name);
        free(viva->texts[i].bytes);
    }
    for (size_t i = 0; i < viva->asked; i++) {
        question_free(&viva->questions[i]);
    }
    free(viva);
}

// ---- the choice ---------------------------------------------------------------------------

// The kinds of questions, as bits of `used`.
static asker *const kinds[] = {ask_failure, ask_index, ask_mistake, ask_change};
enum { FAILURE, INDEX, KINDS = sizeof kinds / sizeof *kinds };

// A question of this kind about a function that has none yet or, again, none of this kind.
static void try_kind(struct viva *viva, int kind, size_t begin, bool again)
{
    for (size_t i = 0; i < viva->count && viva->asked < QUESTIONS_EACH; i++) {
        size_t at = (begin + i) % viva->count;
        unsigned bit = 1u << kind;
        if ((viva->used[at] & (again ? bit : ~0u)) == 0 &&
            kinds[kind](&viva->subjects[at], &viva->questions[viva->asked])) {
            viva->used[at] |= bit;
            viva->about[viva->asked++] = &viva->subjects[at];
            return;
        }
    }
}

// A failing call first. Then one of each kind about other functions, then about the same ones.
static void choose_questions(struct viva *viva, uint64_t seed)
{
    try_kind(viva, FAILURE, 0, false);
    for (int round = 0; round < QUESTIONS_EACH; round++) {
        for (int kind = INDEX; kind < KINDS && viva->count > 0; kind++) {
            size_t begin = (size_t)((seed >> 8 * kind) % viva->count);
            try_kind(viva, kind, begin, round > 0);
        }
    }
}

// FNV-1a of a student's key and the lab.
static uint64_t seed_of(const char *key, int lab)
{
    uint64_t hash = 14695981039346656037u ^ (uint64_t)lab;
    for (; *key != '\0'; key++) {
        hash = (hash ^ (unsigned char)*key) * 1099511628211u;
    }
    return hash;
}

// ---- the page -----------------------------------------------------------------------------

static const char style[] =
    "<style>\n.code { margin: .5rem 0; } .code b { color: var(--soft); font-weight: 400; "
    "user-select: none; }\n"
    ".card > p:first-child { font-weight: 600; max-width: none; }\n"
    "details { margin-top: .75rem; } summary { cursor: pointer; color: var(--pass); }\n"
    "</style>\n";

static void write_code(FILE *file, const struct code *code,
                       const struct question *question)
{
    fputs("<pre class=\"code\">", file);
    uint32_t last = question->last;
    bool cut = last >= question->first + MOST_LINES;
    last = cut ? question->first + MOST_LINES - 1 : last;
    for (uint32_t line = question->first; line <= last; line++) {
        char *text = code_line(code, line);
        fprintf(file, "<b>%4u  </b>", (unsigned)line);
        html_text(file, text);
        fputc('\n', file);
        free(text);
    }
    fputs(cut ? "      ...\n</pre>\n" : "</pre>\n", file);
}

static void write_question(FILE *file, const struct viva *viva, size_t place)
{
    const struct question *question = &viva->questions[place];
    fprintf(file, "<section class=\"card\">\n<p>%zu. ", place + 1);
    html_text(file, question->ask);
    fputs("</p>\n", file);
    write_code(file, viva->about[place]->code, question);
    fputs("<pre>", file);
    html_text(file, question->call);
    fputs("</pre>\n<details><summary>Expected answer</summary><pre style=\"white-space: "
          "pre-wrap\">",
          file);
    html_text(file, question->answer);
    fputs("</pre></details>\n</section>\n", file);
}

// Why there are fewer than three questions.
static const char *reason_of(struct report *report, int lab,
                             const struct standing *standing, const struct viva *viva)
{
    int kind = triage_of(report, lab, standing);
    return standing->absent || !standing->graded ? "nothing of this lab was judged"
           : kind >= 0 && viva->count == 0       ? triage_kinds[kind].title
           : viva->text_count == 0
               ? "the gradebook does not have the code: run grade class again"
           : viva->count == 0 ? "no function is written and judged"
                              : "the functions have no line that a question fits";
}

static void write_lab(struct report *report, FILE *file, int64_t student, const char *key,
                      int lab)
{
    struct standing standing = report_standing(report, student, lab);
    if (!standing.there) {
        return;
    }
    struct viva *viva = grader_alloc(sizeof *viva);
    uint64_t seed = seed_of(key, lab);
    read_texts(report, viva, standing.submission, lab);
    read_subjects(report, viva, seed, standing.grading);
    choose_questions(viva, seed);
    fprintf(file, "<h3>Lab %d <span>", lab);
    html_text(file, report_lab_title(lab));
    fputs("</span></h3>\n", file);
    for (size_t i = 0; i < viva->asked; i++) {
        write_question(file, viva, i);
    }
    if (viva->asked < QUESTIONS_EACH) {
        fprintf(file,
                "<p class=\"note\">%s questions: ", viva->asked == 0 ? "No" : "No more");
        html_text(file, reason_of(report, lab, &standing, viva));
        fputs("</p>\n", file);
    }
    free_viva(viva);
}

bool report_questions(struct report *report, const char *path)
{
    struct text page;
    text_begin(&page);
    html_begin(page.file, "Questions for an oral exam");
    fputs(style, page.file);
    fputs("<header><h1>Questions for an oral exam</h1>\n<p class=\"soft\">For "
          "instructors. Each question is about the student's own lines, and each student "
          "gets different numbers. The answers come from the workbook's solutions and "
          "known mistakes, run on the same call.</p></header>\n",
          page.file);
    sqlite3_stmt *student = gradebook_query(
        &report->book, "SELECT id, label, key FROM called ORDER BY name, key", "");
    while (gradebook_next(&report->book, &student)) {
        fputs("<h2>", page.file);
        html_text(page.file, gradebook_text(student, 1));
        fputs("</h2>\n", page.file);
        for (int i = 0; i < report->lab_count; i++) {
            write_lab(report, page.file, sqlite3_column_int64(student, 0),
                      gradebook_text(student, 2), report->labs[i]);
        }
    }
    html_end(page.file);
    char *string = text_end(&page);
    bool written = report_write(path, string, strlen(string));
    free(string);
    return written;
}
