// class_report.h - grade report: writes tables and pages from a gradebook.

#ifndef GRADER_CLASS_REPORT_H
#define GRADER_CLASS_REPORT_H

#include <stdio.h>

#include "class/gradebook.h"
#include "class/standing.h"
#include "exercises/exercise.h"

enum { MOST_REPORTED = 64 };

struct report {
    struct gradebook book;
    const char *root;
    int labs[MOST_REPORTED];
    int lab_count;
};

// "no file of lab 1 (attention.c); there is lab1_attention.c" if a student handed in files
// with other names, or no file of any lab; otherwise "". Caller frees.
char *report_absence(struct report *report, int64_t student);
// The names of a submission's files that belong to no lab (others.h). Caller frees.
char *report_others(struct report *report, int64_t submission);

// Returns true if the newest hand-in of the lab is not judged yet because a run was
// stopped.
bool report_waiting(struct report *report, int64_t student, int lab);
// "refused: lab1.zip is damaged", "not graded yet", ... or "". Caller frees.
char *report_note(struct report *report, int64_t student);

// The name of a student. Caller frees.
char *report_name(struct report *report, int64_t student);
// The same, with an id if somebody else has that name: "Sam Smith (17)". Not for students' eyes.
char *report_label(struct report *report, int64_t student);
// The public seeds of a lab's marks: "80431", or "1, 80431". Caller frees.
char *report_seeds(struct report *report, int lab);

// The title of the lab; "" for a lab that no longer exists.
const char *report_lab_title(int lab);
// The meaning of a diagnosis: "the scores are not divided by sqrt(d)", or NULL.
const char *report_diagnosis(const char *exercise, const char *id);

// "pass", "wrong", "todo", or "other" for crashes, timeouts and the like.
const char *report_kind(const char *verdict);

// class_csv.c. Returns false, after printing one line, if the file could not be written.
bool report_csv(struct report *report, const char *path);
// columns: "3=Lab 3 (12345)", the name of the assignment in Canvas; ends with NULL. blank:
// leave the cell empty instead of 0 if nothing was accepted.
bool report_canvas(struct report *report, const char *path, const char *const *columns,
                   bool blank);
// feedback.c: writes NAME.txt and NAME.html for every student.
bool report_feedback(struct report *report, const char *folder);
// The two files' contents. Caller frees both.
void feedback_pages(struct report *report, int64_t student, char **text, char **html);
// The file name of a student's feedback without its suffix. Caller frees.
char *feedback_name(const char *name, const char *key);
// giveback.c: a platform's own table with the marks of our labs filled in. Moodle's grading
// worksheet is about one lab, the first of the report.
bool report_moodle(struct report *report, const char *worksheet, const char *path,
                   bool blank);
bool report_canvas_filled(struct report *report, const char *export, const char *path,
                          const char *const *columns, bool blank);
// A zip archive of feedback, under the names of Moodle's or Canvas's export.
bool report_feedback_zip(struct report *report, const char *path);
// class_page.c
bool report_page(struct report *report, const char *path, const char *feedback);
// A path as a link, with '#', '%' and the like escaped. Caller frees.
char *report_as_link(const char *path);

// similarity.c: writes the groups with identical files of a lab, and a table of similar
// pairs. pages: where pages with the pairs go (beside.h), or NULL for none.
struct pair_pages;
void similarity_write(struct report *report, FILE *file, int lab,
                      struct pair_pages *pages);
// Writes the groups only, one per line.
void similarity_print(struct report *report, int lab);

int report_command(const char *root, int argc, char **argv);

// Finds the labs of a gradebook (only: 0 for all). Returns how many.
int report_labs(struct report *report, int only);

#endif
