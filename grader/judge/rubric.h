// rubric.h - the points table, grader/points.txt, read at every run.

#ifndef GRADER_RUBRIC_H
#define GRADER_RUBRIC_H

struct rule {
    char exercise[16];
    double points;
    double seconds;
    unsigned long megabytes;
};

struct rubric;

// Reads the table. A line that cannot be read or a double one ends the grader with EXIT_GRADER and
// one line naming file and line.
struct rubric *rubric_read(const char *path);
const struct rule *rubric_find(const struct rubric *rubric, const char *exercise);
// The same, but an exercise without a line ends the grader so, naming file and exercise.
const struct rule *rubric_need(const struct rubric *rubric, const char *exercise);
void rubric_free(struct rubric *rubric);

#endif
