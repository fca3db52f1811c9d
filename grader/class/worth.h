// worth.h - what each exercise of a lab is worth. A grading keeps its verdicts if the points of
// grader/points.txt change: only its marks are computed again.

#ifndef GRADER_WORTH_H
#define GRADER_WORTH_H

#include <stdbool.h>
#include <stdint.h>

#include "class/gradebook.h"

enum { MOST_WORTHS = 64 };

struct worth {
    struct {
        const char *exercise; // "1.3"
        bool gpu;
        double points;
    } each[MOST_WORTHS];
    int count;
};

void worth_add(struct worth *worth, const char *exercise, bool gpu, double points);

// Returns the grading itself if its marks have these points. Otherwise adds another attempt with the
// same verdicts and reports and the new points, and returns its id; the old one stays in
// the history. Exercises that are not in the list keep their points.
int64_t worth_apply(const struct worth *worth, struct gradebook *book, int64_t grading);

#endif
