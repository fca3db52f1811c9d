// rubric.h - the points table, grader/points.txt, read in every run.

#ifndef GRADER_RUBRIC_H
#define GRADER_RUBRIC_H

struct rule {
    char exercise[16];
    double points;
    double seconds;
    unsigned long megabytes;
    unsigned long least; // of "3.q": how many questions must be answered; 0: all
};

struct rubric;

// Reads the table. After an invalid or duplicate line, prints the file and line number and
// exits with EXIT_GRADER.
struct rubric *rubric_read(const char *path);
const struct rule *rubric_find(const struct rubric *rubric, const char *exercise);
// Also exits with EXIT_GRADER if an exercise has no line, and prints the file and the
// exercise.
const struct rule *rubric_need(const struct rubric *rubric, const char *exercise);
void rubric_free(struct rubric *rubric);

#endif
