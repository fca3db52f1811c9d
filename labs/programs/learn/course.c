// course.c - see course.h.

#define _GNU_SOURCE

#include "programs/learn/course.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "programs/learn/text.h"

static int is_lab(const struct dirent *entry)
{
    const char *name = entry->d_name;
    return strspn(name, "0123456789") == 2 && name[2] == '_';
}

// "# Lab 1: Simple attention" and "## 1.3 Scores".
static void read_titles(struct course *course, size_t i)
{
    struct lab *lab = &course->labs[i];
    char *path = print("labs/%s/README.md", lab->folder);
    struct lines page = lines_read(path);
    for (size_t n = 0; n < page.count; n++) {
        const char *line = page.line[n], *colon = strchr(line, ':');
        if (begins_with(line, "# Lab ") && colon != NULL && lab->title[0] == '\0') {
            snprintf(lab->title, sizeof lab->title, "%s",
                     colon + 1 + strspn(colon + 1, " "));
            lab->title[0] = (char)toupper((unsigned char)lab->title[0]);
        }
        for (size_t e = lab->first; e < lab->first + lab->count; e++) {
            struct exercise *exercise = &course->exercises[e];
            const size_t length = strlen(exercise->id);
            if (begins_with(line, "## ") && begins_with(line + 3, exercise->id) &&
                line[3 + length] == ' ') {
                snprintf(exercise->title, sizeof exercise->title, "%s",
                         line + 4 + length);
            }
        }
    }
    lines_free(&page);
    free(path);
}

static void read_folders(struct course *course)
{
    struct dirent **entries = NULL;
    const int count = scandir("labs", &entries, is_lab, alphasort);
    for (int i = 0; i < count; i++) {
        if (course->lab_count < MOST_LABS) {
            struct lab *lab = &course->labs[course->lab_count++];
            lab->number = atoi(entries[i]->d_name);
            snprintf(lab->folder, sizeof lab->folder, "%.59s", entries[i]->d_name);
        }
        free(entries[i]);
    }
    free(entries);
}

// A line of points.txt: "1.3   20   5   512"; the number of a GPU exercise ends with g.
static void add_exercise(struct course *course, const char *line)
{
    char id[16];
    int lab = 0, number = 0, length = 0;
    if (sscanf(line, "%d.%d%n", &lab, &number, &length) != 2 ||
        (line[length] == 'g') != course->gpu ||
        course->exercise_count == MOST_EXERCISES) {
        return;
    }
    snprintf(id, sizeof id, "%d.%d", lab, number);
    for (size_t i = 0; i < course->lab_count; i++) {
        if (course->labs[i].number == lab &&
            strlen(id) < sizeof course->exercises[0].id) {
            struct exercise *exercise = &course->exercises[course->exercise_count];
            strcpy(exercise->id, id);
            exercise->lab = i;
            if (course->labs[i].count++ == 0) {
                course->labs[i].first = course->exercise_count;
            }
            course->exercise_count++;
        }
    }
}

bool course_read(struct course *course, const char *source, bool gpu)
{
    course->source = source;
    course->gpu = gpu;
    read_folders(course);
    struct lines points = lines_read("grader/points.txt");
    for (size_t i = 0; i < points.count; i++) {
        add_exercise(course, points.line[i]);
    }
    lines_free(&points);
    for (size_t i = 0; i < course->lab_count; i++) {
        read_titles(course, i);
    }
    return course->exercise_count > 0;
}

char *course_folder(const struct course *course, size_t lab)
{
    return print("%s/%s", course->source, course->labs[lab].folder);
}

static bool ends_with(const char *text, const char *end)
{
    const size_t length = strlen(text), tail = strlen(end);
    return length > tail && strcmp(text + length - tail, end) == 0;
}

bool course_is_source(const struct course *course, const char *name)
{
    static const char *const given[] = {"explore.c", "predict.c", "gradcheck.c"};
    for (size_t i = 0; i < sizeof given / sizeof *given; i++) {
        if (strcmp(name, given[i]) == 0) {
            return false;
        }
    }
    return name[0] != '.' && ends_with(name, course->gpu ? ".cu" : ".c") &&
           !begins_with(name, "test_");
}

size_t course_find(const struct course *course, const char *id)
{
    size_t i = 0;
    while (i < course->exercise_count && strcmp(course->exercises[i].id, id) != 0) {
        i++;
    }
    return i;
}

size_t course_passing(const struct course *course, size_t first, size_t count)
{
    size_t passing = 0;
    for (size_t i = first; i < first + count; i++) {
        passing += course->exercises[i].state == PASSING;
    }
    return passing;
}
