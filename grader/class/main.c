// main.c - build/grade-class: the part of the grader that handles archives and gradebooks.
//
// For the commands class, report, collect, set, undo and show, build/grade executes this program. So a
// student's check starts without the libraries they need, and a student's machine need not
// have them.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "class/class.h"
#include "class/class_report.h"
#include "class/collect.h"
#include "class/gather.h"
#include "class/hand.h"
#include "base/root.h"
#include "base/surroundings.h"

int main(int argc, char **argv)
{
    surroundings_prepare(argv);
    const char *command = argc > 1 ? argv[1] : "";
    char *root = workbook_root();
    int code = CLASS_USAGE;
    if (strcmp(command, "class") == 0) {
        code = class_command(root, argc - 1, argv + 1);
    } else if (strcmp(command, "report") == 0) {
        code = report_command(root, argc - 1, argv + 1);
    } else if (strcmp(command, "collect") == 0 && gather_meant(argc - 1, argv + 1)) {
        code = gather_command(argc - 1, argv + 1);
    } else if (strcmp(command, "collect") == 0) {
        code = collect_command(root, argc - 1, argv + 1);
    } else if (strcmp(command, "set") == 0) {
        code = hand_set_command(root, argc - 1, argv + 1);
    } else if (strcmp(command, "undo") == 0) {
        code = hand_undo_command(argc - 1, argv + 1);
    } else if (strcmp(command, "show") == 0) {
        code = hand_show_command(root, argc - 1, argv + 1);
    } else {
        fputs("usage: grade class, report, collect, set, undo or show; each has --help\n",
              stderr);
    }
    free(root);
    return code;
}
