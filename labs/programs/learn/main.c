// main.c - make learn and make watch: judges at each save, and takes single keys.
//
//     make learn                    from the first exercise that is not done
//     make watch LAB=3              judges the whole lab at each save
//     build/learn --lab 3 --poll    without inotify
//
// The parts, each in its own file, called by session.c only:
//
//     terminal   keys, signals, colors          watched    which files were saved
//     course     the labs and exercises          progress   which of them passed
//     place      where an exercise is written    command    runs programs
//     judge      the workbook's commands         screen     what the student sees
//
// Exit status: see --help. Start reading at session_run.

#define _GNU_SOURCE

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "common/option_table.h"
#include "programs/learn/course.h"
#include "programs/learn/session.h"

enum { BAD_USAGE = 2 };

#define AT(member) offsetof(struct session_options, member)
static const struct option_row rows[] = {
    {"--src", "DIR", "the folder with your code (labs)", OPTION_TEXT, AT(source)},
    {"--lab", "N", "open at the first exercise of this lab that does not pass",
     OPTION_INT, AT(lab), 1, 99},
    {"--exercise", "X.Y", "open at this exercise", OPTION_TEXT, AT(exercise)},
    {"--watch", NULL, "at each save judge all of --lab, or --exercise", OPTION_YES,
     AT(watch)},
    {"--seed", "S", "judge on the cases of this seed", OPTION_TEXT, AT(seed)},
    {"--backend", "WHAT", "judge the .cu files: gpu, gpu-simulated, gpu-device",
     OPTION_TEXT, AT(backend)},
    {"--profile", NULL, "report the kernels' memory accesses", OPTION_YES, AT(profile)},
    {"--build", "DIR", "the folder of the built programs (build)", OPTION_TEXT,
     AT(build)},
    {"--with-parent", NULL, "end when the program that started this one ends", OPTION_YES,
     AT(with_parent)},
    {"--poll", NULL, "look for changes several times a second, without inotify",
     OPTION_YES, AT(poll)},
    {NULL},
};

static const struct option_table table = {
    .program = "learn",
    .more = "see build/learn --help",
    .before =
        "usage: learn [options], in the folder of the workbook\n"
        "Judges your code at each save. make learn and make watch LAB=3 start it.\n\n",
    .rows = rows,
    .column = 18,
    .after =
        "\n"
        "keys: n next exercise, b back, l list, h hint (again: more), s the workbook's\n"
        "      solution, d all numbers of the case, p the lab's pictures, r its worked\n"
        "      examples, a the section's question, q or Ctrl-C quit\n"
        "exit status: 0 ended by q or Ctrl-C, 2 the command line is wrong, there is no\n"
        "             terminal (--watch needs none), or the grader could not be built\n",
};

// "lab 1 has 1.1 to 1.6", for an exercise that is not there or a lab.
_Noreturn static void refuse_choice(const struct session_options *options)
{
    static struct course course;
    const int number = options->exercise != NULL ? atoi(options->exercise) : options->lab;
    course_read(&course, options->source, options->backend != NULL);
    for (size_t i = 0; i < course.lab_count; i++) {
        const struct lab *lab = &course.labs[i];
        const char *side = course.gpu ? " on the GPU" : "";
        if (lab->number == number && lab->count == 0) {
            option_refuse(&table, "lab %d has no exercises%s", number, side);
        }
        if (lab->number == number) {
            option_refuse(&table, "there is no exercise %s%s: lab %d has %s to %s",
                          options->exercise, side, number,
                          course.exercises[lab->first].id,
                          course.exercises[lab->first + lab->count - 1].id);
        }
    }
    if (options->exercise != NULL) {
        option_refuse(&table, "there is no exercise %s: they are %s to %s",
                      options->exercise, course.exercises[0].id,
                      course.exercises[course.exercise_count - 1].id);
    }
    option_refuse(&table, "there is no lab %d: the labs are %d to %d", number,
                  course.labs[0].number, course.labs[course.lab_count - 1].number);
}

_Noreturn static void refuse_without_terminal(void)
{
    fputs(
        "learn: needs a terminal, because you control it with single keys. Without one, use\n"
        "make check, or make watch LAB=1, which judges a lab at each save until Ctrl-C\n",
        stderr);
    exit(BAD_USAGE);
}

int main(int argc, char **argv)
{
    struct session_options options = {.source = "labs", .build = "build"};
    option_table_read(&table, &options, argc, argv);
    if (access("grader/points.txt", R_OK) != 0) {
        option_refuse(&table, "start it in the folder of the workbook");
    }
    if (options.with_parent) {
        prctl(PR_SET_PDEATHSIG, SIGTERM);
    }
    setenv("IN_LEARN", "1", 1); // for the Makefile: a failing example is no error of make
    // make passes its own options and variables on to every make below it.
    unsetenv("MAKEFLAGS");
    unsetenv("MFLAGS");
    unsetenv("MAKELEVEL");
    unsetenv("MAKEOVERRIDES");
    // make learn LAB=3 is no limit for make unit EX=4.1 later; judge.c passes GPU to the
    // grader, and pictures and questions run on the CPU.
    static const char *const chosen[] = {"LAB", "EX", "GPU", "PROFILE"};
    for (size_t i = 0; i < sizeof chosen / sizeof *chosen; i++) {
        unsetenv(chosen[i]);
    }
    switch (session_run(&options)) {
    case SESSION_ENDED:
        return EXIT_SUCCESS;
    case SESSION_NO_LAB:
        refuse_choice(&options);
    case SESSION_NO_TERMINAL:
        refuse_without_terminal();
    default:
        return BAD_USAGE;
    }
}
