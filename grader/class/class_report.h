// class_report.h - grade report: from a gradebook to tables and pages.

#ifndef GRADER_CLASS_REPORT_H
#define GRADER_CLASS_REPORT_H

#include <stdio.h>

#include "class/gradebook.h"
#include "exercises/exercise.h"

enum { MOST_REPORTED = 64 };

// A lab of a student, as it counts: the newest submission that was graded or refused.
struct standing {
    bool there;      // the student has handed it in, or been refused
    bool refused;    // and therefore without points
    bool failed;     // a newer one could not be graded; what follows is of the older one
    bool graded;     // there is a grading
    bool absent;     // no file of this lab was handed in
    bool older;      // a newer hand-in, of a run of all labs, has nothing of this one
    int64_t grading; // or 0
    int64_t submission; // that it is of
    int64_t handed_in, days_late;
    double won, most; // before the penalty; most is 0 when nothing is known
    double share;     // of the points that is left after the penalty
    char seed[24];    // of the cases that everybody may see; "" when there is no grading
};

struct report {
    struct gradebook book;
    const char *root;
    int labs[MOST_REPORTED];
    int lab_count;
};

// The points of a standing, after the penalty, to hundredths.
double standing_points(const struct standing *standing);

// A student's result in a lab.
struct standing report_standing(struct report *report, int64_t student, int lab);

// "no file of lab 1 (attention.c); there is lab1_attention.c", where a student handed in files of
// other names, or no file of any lab; "" otherwise. Caller frees.
char *report_absence(struct report *report, int64_t student);
// The names of what a submission holds beside labs' files (others.h). Caller frees.
char *report_others(struct report *report, int64_t submission);

// Is the newest hand-in of the lab still to be judged, because a run was stopped?
bool report_waiting(struct report *report, int64_t student, int lab);
// "refused: lab1.zip is damaged", "not graded yet", ... or "". Caller frees.
char *report_note(struct report *report, int64_t student);

// The seeds that a lab's marks are of: "80431", or "1, 80431". Never a hidden one. Caller frees.
char *report_seeds(struct report *report, int lab);

// The points that a lab was worth when it was last judged.
double report_lab_points(struct report *report, int lab);

// Words on the lab, from our own tables; "" for one that is not known any more.
const char *report_lab_title(int lab);
// What a diagnosis means: "the scores are not divided by sqrt(d)", or NULL.
const char *report_diagnosis(const char *exercise, const char *id);

// "pass", "wrong", "todo", or "other" for crashes, timeouts and the like.
const char *report_kind(const char *verdict);

// class_csv.c. false when the file could not be written (one line was printed).
bool report_csv(struct report *report, const char *path);
// columns: "3=Lab 3 (12345)", the name of the assignment in Canvas; ends with NULL. blank: no
// points, not even 0, where nothing was taken.
bool report_canvas(struct report *report, const char *path, const char *const *columns,
                   bool blank);
// feedback.c: NAME.txt and NAME.html for every student.
bool report_feedback(struct report *report, const char *folder);
// The file name of a student's feedback without its ending. Caller frees.
char *feedback_name(const char *name, const char *key);
// class_page.c
bool report_page(struct report *report, const char *path, const char *feedback);

// similarity.c: the groups whose files of a lab are the same, and a table of pairs that share more
// than most.
void similarity_write(struct report *report, FILE *file, int lab);
// The groups alone, a line each.
void similarity_print(struct report *report, int lab);

int report_command(const char *root, int argc, char **argv);

#endif
