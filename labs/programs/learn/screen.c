// screen.c - see screen.h.

#define _GNU_SOURCE

#include "programs/learn/screen.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "programs/learn/place.h"
#include "programs/learn/text.h"

void screen_clear(const struct terminal *terminal)
{
    fputs(terminal->screen ? "\033[2J\033[H" : "\n", stdout);
}

// The first one that does not pass, stride further each time.
static size_t open_one(const struct course *course, size_t current, size_t stride)
{
    const size_t count = course->exercise_count;
    size_t i = current;
    for (size_t step = 1; step <= count; step++) {
        i = (i + stride) % count;
        if (course->exercises[i].state != PASSING) {
            return i;
        }
    }
    return count;
}

// The first exercise before current in its lab that is written and fails, or exercise_count.
static size_t broken_before(const struct course *course, size_t current)
{
    for (size_t i = course->labs[course->exercises[current].lab].first; i < current;
         i++) {
        if (course->exercises[i].state == FAILING) {
            return i;
        }
    }
    return course->exercise_count;
}

size_t screen_next(const struct course *course, size_t current)
{
    const size_t broken = course->exercises[current].state == PASSING
                              ? broken_before(course, current)
                              : course->exercise_count;
    return broken < course->exercise_count ? broken : open_one(course, current, 1);
}

size_t screen_back(const struct course *course, size_t current)
{
    return open_one(course, current, course->exercise_count - 1);
}

// ---- the report ----------------------------------------------------------------------------

// Copies a line without colours.
static void plain(char *out, size_t size, const char *line)
{
    size_t n = 0;
    for (; *line != '\0' && n + 1 < size; line++) {
        if (line[0] == '\033' && line[1] == '[') {
            line += strcspn(line, "m");
            if (*line == '\0') {
                break;
            }
        } else {
            out[n++] = *line;
        }
    }
    out[n] = '\0';
}

// A row of a tensor, "       |   -3     1" or "     0 |  -1.5".
static bool is_row(const char *line)
{
    const char *rest = line + strspn(line, " ");
    return begins_with(line, "   ") && rest[strspn(rest, "0123456789 ")] == '|';
}

// A tensor's name and shape, "  q (T d)".
static bool is_name(const char *line)
{
    const size_t blanks = strspn(line, " ");
    const char *word = line + blanks;
    const size_t length = strspn(word, "abcdefghijklmnopqrstuvwxyz_0123456789");
    return blanks == 2 && length > 0 && begins_with(word + length, " (") &&
           word[strlen(word) - 1] == ')';
}

static bool is_number(const struct lines *lines, size_t i)
{
    char line[400], next[400];
    plain(line, sizeof line, lines->line[i]);
    plain(next, sizeof next, i + 1 < lines->count ? lines->line[i + 1] : "");
    return is_row(line) || (is_name(line) && is_row(next));
}

static const char next_line[] = "next: ", numbers_left_out[] = "  (d shows the numbers)";

static bool has_start(const struct lines *lines, size_t i, const char *start)
{
    char line[80];
    plain(line, sizeof line, lines->line[i]);
    return begins_with(line, start);
}

// Prints lines from first on, up to the last or the line "next: ", which the foot says with a file and a
// line. brief: without the numbers.
static void print_lines(const struct lines *lines, size_t first, size_t last, bool brief)
{
    bool said = false;
    for (size_t i = first; i < last && !has_start(lines, i, next_line); i++) {
        if (!brief || !is_number(lines, i)) {
            puts(lines->line[i]);
        } else if (!said) {
            puts(numbers_left_out);
            said = true;
        }
    }
}

// A compiler's lines look like rows of numbers, and say what is wrong.
static bool can_be_brief(const char *report)
{
    return strstr(report, "does not compile") == NULL;
}

void screen_report(const char *report, int rows)
{
    struct lines lines = lines_of(print("%s", report));
    const bool brief = rows > 0 && lines.count > (size_t)rows && can_be_brief(report);
    print_lines(&lines, 0, lines.count, brief);
    lines_free(&lines);
}

// ---- the report on a whole lab ---------------------------------------------------------------

// Its parts: the heading, a row for each exercise, a paragraph for each that fails, and the points.
struct lab_report {
    // lines; failure is 0 if nothing fails
    size_t rows, rows_end, failure, failure_end, points;
};

static bool is_blank(const struct lines *lines, size_t i)
{
    char line[80];
    plain(line, sizeof line, lines->line[i]);
    return line[0] == '\0';
}

static size_t end_of_paragraph(const struct lines *lines, size_t i)
{
    while (i < lines->count && !is_blank(lines, i)) {
        i++;
    }
    return i;
}

static bool is_exercise(const struct lines *lines, size_t i)
{
    return has_start(lines, i, "  ✓") || has_start(lines, i, "  ✗") ||
           has_start(lines, i, "  ·") || has_start(lines, i, "  -");
}

static struct lab_report find_parts(const struct lines *lines)
{
    struct lab_report parts = {.rows_end = end_of_paragraph(lines, 0)};
    while (parts.rows < parts.rows_end && !is_exercise(lines, parts.rows)) {
        parts.rows++; // a long path makes the heading longer
    }
    size_t last = parts.rows_end;
    for (size_t i = last + 1; i < lines->count; i = last + 1) {
        char line[80];
        plain(line, sizeof line, lines->line[i]);
        last = end_of_paragraph(lines, i);
        if (strstr(line, " points  seed ") != NULL) {
            parts.points = i;
            break;
        }
        if (parts.failure == 0) {
            parts.failure = i;
            parts.failure_end = last;
        }
    }
    return parts;
}

// How many lines print_lines prints.
static size_t count_lines(const struct lines *lines, size_t first, size_t last,
                          bool brief)
{
    size_t count = 0, numbers = 0;
    for (size_t i = first; i < last; i++) {
        numbers += brief && is_number(lines, i);
        count += !brief || !is_number(lines, i);
    }
    return count + (numbers > 0);
}

// The end of the row that begins at line i: it may have more than one line.
static size_t end_of_row(const struct lines *lines, size_t i, size_t last)
{
    do {
        i++;
    } while (i < last && has_start(lines, i, "    "));
    return i;
}

// The rows of exercises that do not pass, as many as there is room for, at least one.
static void print_rows(const struct lines *lines, size_t first, size_t last, size_t room)
{
    size_t printed = 0;
    for (size_t i = first, end; i < last; i = end) {
        end = end_of_row(lines, i, last);
        if (has_start(lines, i, "  ✓")) {
            continue;
        }
        if (printed > 0 && printed + end - i > room) {
            break;
        }
        print_lines(lines, i, end, false);
        printed += end - i;
    }
}

void screen_lab_report(const char *report, int rows)
{
    enum { NOTE = 1, BLANK = 1, POINTS = 1 };
    struct lines lines = lines_of(print("%s", report));
    const struct lab_report parts = find_parts(&lines);
    const size_t all = parts.points > 0 ? parts.points + POINTS : lines.count;
    if (rows <= 0 || all <= (size_t)rows || parts.points == 0) {
        print_lines(&lines, 0, lines.count, false);
        lines_free(&lines);
        return;
    }
    const bool brief = can_be_brief(report);
    const size_t around =
        parts.rows + NOTE + BLANK + POINTS + (parts.failure > 0 ? BLANK : 0);
    const size_t most = (size_t)rows > around + 1 ? (size_t)rows - around - 1 : 1;
    size_t size = count_lines(&lines, parts.failure, parts.failure_end, brief);
    size_t end = parts.failure_end;
    while (!brief && size > most) { // a compiler's first lines are those that count
        end--;
        size--;
    }
    print_lines(&lines, 0, parts.rows, false);
    print_rows(&lines, parts.rows, parts.rows_end,
               most + 1 - (size < most ? size : most));
    puts("  (d shows the whole lab)");
    if (parts.failure > 0) {
        putchar('\n');
        print_lines(&lines, parts.failure, end, brief);
    }
    putchar('\n');
    puts(lines.line[parts.points]);
    lines_free(&lines);
}

// Characters of the first n bytes of UTF-8.
static int width_of(const char *text, int n)
{
    int columns = 0;
    for (int i = 0; i < n; i++) {
        columns += ((unsigned char)text[i] & 0xC0) != 0x80;
    }
    return columns;
}

// ---- progress ------------------------------------------------------------------------------

// One lab of the line of progress: ✓, -, or how many exercises pass. brief: ~ instead of the numbers.
static void add_progress(FILE *out, const struct course *course, const struct lab *lab,
                         bool brief)
{
    const size_t passing = course_passing(course, lab->first, lab->count);
    fprintf(out, "  %d ", lab->number);
    if (passing == lab->count) {
        fputs("✓", out);
    } else if (passing == 0) {
        fputs("-", out);
    } else if (brief) {
        fputs("~", out);
    } else {
        fprintf(out, "%zu/%zu", passing, lab->count);
    }
}

// The line of progress. brief: only the current lab has numbers.
static char *progress_line(const struct course *course, size_t current, bool brief)
{
    char *line = NULL;
    size_t size = 0;
    FILE *out = or_die(open_memstream(&line, &size));
    fprintf(out, "done %zu of %zu:", course_passing(course, 0, course->exercise_count),
            course->exercise_count);
    for (size_t i = 0; i < course->lab_count; i++) {
        if (course->labs[i].count > 0) {
            add_progress(out, course, &course->labs[i],
                         brief && i != course->exercises[current].lab);
        }
    }
    fclose(out);
    return or_die(line);
}

void screen_progress(const struct course *course, size_t current)
{
    char *line = progress_line(course, current, false);
    if (width_of(line, (int)strlen(line)) > terminal_columns()) {
        free(line);
        line = progress_line(course, current, true);
    }
    puts(line);
    free(line);
}

// "next: file:line  exercise", in two lines if it is too long for one.
static void print_place(const struct place *place, const struct exercise *exercise,
                        const char *more)
{
    char *where = print("next: %s:%zu", place->path != NULL ? place->path : "(not found)",
                        place->line);
    char *what = print("%s %s%s", exercise->id, exercise->title, more);
    const int width =
        width_of(where, (int)strlen(where)) + 2 + width_of(what, (int)strlen(what));
    printf("%s%s%s\n", where, width <= terminal_columns() ? "  " : "\n      ", what);
    free(where);
    free(what);
}

static void print_next(const struct course *course, size_t current, const char *report)
{
    const struct exercise *exercise = &course->exercises[current];
    const bool passes = exercise->state == PASSING;
    const size_t next = passes ? screen_next(course, current) : current;
    if (next == course->exercise_count) {
        puts("next: nothing; every exercise passes");
        return;
    }
    exercise = &course->exercises[next];
    struct place place = next == current && report != NULL && exercise->state == FAILING
                             ? place_of_failure(course, exercise, report)
                             : place_of(course, exercise);
    print_place(&place, exercise, passes ? " (press n)" : "");
    free(place.path);
}

void screen_foot(const struct terminal *terminal, const struct watched *watched,
                 const struct course *course, size_t current, const char *report)
{
    putchar('\n');
    print_next(course, current, report);
    screen_progress(course, current);
    if (watched->polls != NULL) {
        printf("looks for changes every %.2f s, without inotify (%s)\n",
               LOOK_MILLISECONDS / 1000.0, watched->polls);
    }
    puts(
        terminal->keys
            ? "n next  b back  l list  h hint  s solution  d case  p plot  r run  a ask  q quit"
            : "judging again at each save; Ctrl-C stops");
    fflush(stdout);
}

static const char *mark(enum state state)
{
    return state == PASSING ? "✓" : state == FAILING ? "✗" : state == TODO ? "·" : "?";
}

void screen_list(const struct course *course, size_t current)
{
    const size_t here = course->exercises[current].lab;
    for (size_t i = 0; i < course->lab_count; i++) {
        const struct lab *lab = &course->labs[i];
        if (lab->count == 0) {
            continue;
        }
        printf("%2d  %-36s %zu/%zu\n", lab->number, lab->title,
               course_passing(course, lab->first, lab->count), lab->count);
        for (size_t e = lab->first; i == here && e < lab->first + lab->count; e++) {
            const struct exercise *exercise = &course->exercises[e];
            printf("  %s %s %-5s %s\n", e == current ? ">" : " ", mark(exercise->state),
                   exercise->id, exercise->title);
        }
    }
}

// ---- after a pass --------------------------------------------------------------------------

// The cell of a table row "| a | b | c |", copied; it may end with "...".
static char *cell(const char *row, int number)
{
    for (; number > 0 && row != NULL; number--) {
        row = strchr(row + 1, '|');
    }
    if (row == NULL) {
        return print("%s", "");
    }
    row += strspn(row, "| ");
    return print("%.*s", (int)(strcspn(row, "|") > 0 ? strcspn(row, "|") - 1 : 0), row);
}

// "you wrote" and "you see" of the table of labs in README.md; *wrote is NULL without it.
static void read_row(const struct lab *lab, char **wrote, char **see)
{
    struct lines page = lines_read("README.md");
    *wrote = *see = NULL;
    for (size_t i = 0; i < page.count && *wrote == NULL; i++) {
        if (page.line[i][0] == '|' && strstr(page.line[i], lab->folder) != NULL) {
            *wrote = cell(page.line[i], 1);
            *see = cell(page.line[i], 2);
        }
    }
    lines_free(&page);
}

// Prints text in lines of at most 78 columns, behind a label or, without one, indented by two.
static void print_wrapped(const char *label, const char *text)
{
    const int indent = label != NULL ? 13 : 2;
    int column = indent;
    printf("  %-*s", indent - 2, label != NULL ? label : "");
    while (*text != '\0') {
        const int length = (int)strcspn(text, " ");
        if (column > indent && column + 1 + width_of(text, length) > 78) {
            printf("\n%*s", indent, "");
            column = indent;
        } else if (column > indent) {
            putchar(' ');
            column++;
        }
        printf("%.*s", length, text);
        column += width_of(text, length);
        text += length;
        text += strspn(text, " ");
    }
    putchar('\n');
}

static void print_end_of_lab(const struct course *course, size_t i)
{
    const struct lab *lab = &course->labs[i];
    char *wrote, *see;
    printf("Lab %d is done: all %zu exercises pass.\n", lab->number, lab->count);
    read_row(lab, &wrote, &see);
    if (wrote != NULL) {
        print_wrapped("you wrote", wrote);
        print_wrapped("p shows", see);
    }
    free(wrote);
    free(see);
    printf("  hand in    make handin LAB=%d\n", lab->number);
    if (i + 1 < course->lab_count) {
        read_row(&course->labs[i + 1], &wrote, &see);
        char *text = print("lab %d, %s: %s (labs/%s/README.md)",
                           course->labs[i + 1].number, course->labs[i + 1].title,
                           wrote != NULL ? wrote : "", course->labs[i + 1].folder);
        print_wrapped("comes next", text);
        free(text);
        free(wrote);
        free(see);
    }
}

void screen_changes(const struct course *course, size_t current, const enum state *before)
{
    const struct lab *lab = &course->labs[course->exercises[current].lab];
    for (size_t e = lab->first; e < lab->first + lab->count; e++) {
        const struct exercise *exercise = &course->exercises[e];
        const bool passes = exercise->state == PASSING;
        if (e != current && passes != (before[e] == PASSING)) {
            printf("%s %s %s.\n", exercise->id, exercise->title,
                   passes ? "passes now" : "does not pass any more");
        }
    }
}

void screen_pass(const struct course *course, size_t current, size_t question,
                 const char *title, const char *text)
{
    const struct exercise *exercise = &course->exercises[current];
    const struct lab *lab = &course->labs[exercise->lab];
    putchar('\n');
    if (access("solutions", F_OK) == 0) {
        printf("%s passes. s shows the workbook's version beside yours.\n", exercise->id);
    } else {
        printf("%s passes.\n", exercise->id);
    }
    if (question > 0) {
        printf("Question %zu, %s (press a to answer):\n", question, title);
        print_wrapped(NULL, text);
    }
    for (size_t e = lab->first; e < lab->first + lab->count; e++) {
        if (course->exercises[e].state == FAILING) {
            printf("%s %s does not pass (any more).\n", course->exercises[e].id,
                   course->exercises[e].title);
        }
    }
    if (course_passing(course, lab->first, lab->count) == lab->count) {
        print_end_of_lab(course, exercise->lab);
    }
}
