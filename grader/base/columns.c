// columns.c - see columns.h.

#define _GNU_SOURCE
#include "base/columns.h"

#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { NARROWEST = 40, WIDEST = 1000 };

size_t grader_columns(void)
{
    const char *given = getenv("GRADE_COLUMNS");
    struct winsize size = {0};
    size_t columns = given != NULL ? strtoul(given, NULL, 10) : 0;
    if (columns == 0 && isatty(STDOUT_FILENO) &&
        ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0) {
        columns = size.ws_col;
    }
    return columns == 0          ? 0
           : columns < NARROWEST ? NARROWEST
           : columns > WIDEST    ? WIDEST
                                 : columns;
}
