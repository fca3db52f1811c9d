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

// The first one behind current that does not pass. Behind the last comes the first.
static size_t open_one(const struct course *course, size_t current)
{
    const size_t count = course->exercise_count;
    size_t i = current;
    for (size_t step = 1; step <= count; step++) {
        i = (i + 1) % count;
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
    return broken < course->exercise_count ? broken : open_one(course, current);
}

size_t screen_back(const struct course *course, size_t current)
{
    for (size_t i = current; i-- > 0;) {
        if (course->exercises[i].state != PASSING) {
            return i;
        }
    }
    return course->exercise_count;
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

// ---- the report ----------------------------------------------------------------------------

// Copies a line without colors.
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

// A tensor's name and shape, "  q (T d)", perhaps with ", the matrix q[0]".
static bool is_name(const char *line)
{
    const size_t blanks = strspn(line, " ");
    const char *word = line + blanks;
    const size_t length = strspn(word, "abcdefghijklmnopqrstuvwxyz_0123456789");
    return blanks == 2 && length > 0 && begins_with(word + length, " (") &&
           strchr(word + length, ')') != NULL;
}

// The end of what begins at line i and goes on in lines that are indented further.
static size_t end_of_item(const struct lines *lines, size_t i)
{
    char line[400];
    do {
        i++;
        plain(line, sizeof line, i < lines->count ? lines->line[i] : "");
    } while (begins_with(line, "    ") && !is_row(line));
    return i;
}

// The end of the numbers that begin at line i: a row, the name above rows, or "  (rows 0 to 2 of 3, columns
// ...)" between them. It is i if there are none.
static size_t end_of_numbers(const struct lines *lines, size_t i)
{
    char line[400], below[400];
    plain(line, sizeof line, lines->line[i]);
    if (is_row(line)) {
        return i + 1;
    }
    const size_t end = end_of_item(lines, i);
    plain(below, sizeof below, end < lines->count ? lines->line[end] : "");
    const bool part = is_name(line) || begins_with(line, "  (rows ");
    return part && is_row(below) ? end : i;
}

static const char next_line[] = "next: ", numbers_left_out[] = "  (d shows the numbers)";

static bool has_start(const struct lines *lines, size_t i, const char *start)
{
    char line[80];
    plain(line, sizeof line, lines->line[i]);
    return begins_with(line, start);
}

// The lines to print, from first on, up to the last or the line "next: ", which the foot says with a file and
// a line. brief: without the numbers. The caller frees chosen.line.
struct chosen {
    const char **line;
    size_t count;
};

static struct chosen choose_lines(const struct lines *lines, size_t first, size_t last,
                                  bool brief)
{
    struct chosen chosen = {or_die(malloc((last - first + 1) * sizeof(char *))), 0};
    bool said = false;
    for (size_t i = first; i < last && !has_start(lines, i, next_line);) {
        const size_t end = brief ? end_of_numbers(lines, i) : i;
        if (end == i) {
            chosen.line[chosen.count++] = lines->line[i++];
            continue;
        }
        if (!said) {
            chosen.line[chosen.count++] = numbers_left_out;
        }
        said = true;
        i = end;
    }
    return chosen;
}

static void print_lines(const struct lines *lines, size_t first, size_t last, bool brief)
{
    const struct chosen chosen = choose_lines(lines, first, last, brief);
    for (size_t i = 0; i < chosen.count; i++) {
        puts(chosen.line[i]);
    }
    free(chosen.line);
}

// A compiler's lines look like rows of numbers, and say what is wrong.
static bool can_be_brief(const char *report)
{
    return strstr(report, "does not compile") == NULL;
}

bool screen_report(const char *report, int rows)
{
    struct lines lines = lines_of(print("%s", report));
    const bool brief = rows > 0 && lines.count > (size_t)rows && can_be_brief(report);
    print_lines(&lines, 0, lines.count, brief);
    lines_free(&lines);
    return !brief;
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

// How many rows of the terminal a line takes.
static size_t rows_of_line(const char *line)
{
    char text[1000];
    plain(text, sizeof text, line);
    const int columns = terminal_columns();
    const int width = width_of(text, (int)strlen(text));
    return width > columns ? (size_t)((width + columns - 1) / columns) : 1;
}

static size_t rows_of(const struct lines *lines, size_t first, size_t last)
{
    size_t rows = 0;
    for (size_t i = first; i < last; i++) {
        rows += rows_of_line(lines->line[i]);
    }
    return rows;
}

// The end of the row that begins at line i: it may have more than one line.
static size_t end_of_row(const struct lines *lines, size_t i, size_t last)
{
    do {
        i++;
    } while (i < last && has_start(lines, i, "    "));
    return i;
}

// The row of the first exercise that fails; without one, of the first that does not pass. last if there
// is none.
static size_t find_row(const struct lines *lines, size_t first, size_t last)
{
    size_t open = last;
    for (size_t i = first; i < last; i++) {
        if (has_start(lines, i, "  ✗")) {
            return i;
        }
        if (open == last && is_exercise(lines, i) && !has_start(lines, i, "  ✓")) {
            open = i;
        }
    }
    return open;
}

// What of a lab's report is printed.
struct excerpt {
    size_t heading_end;           // lines 0 to heading_end
    size_t row, row_end;          // of the exercise that fails
    size_t room;                  // for rows of others that do not pass
    struct chosen failure;        // of which the first failure_count are printed
    size_t failure_count, points; // line; 0: not printed
};

// Prints the row of the exercise that fails, and others that do not pass, as far as there is room.
static void print_rows(const struct lines *lines, size_t first, size_t last,
                       const struct excerpt *excerpt)
{
    size_t room = excerpt->room;
    for (size_t i = first, end; i < last; i = end) {
        end = end_of_row(lines, i, last);
        const size_t size = rows_of(lines, i, end);
        if (i == excerpt->row) {
            print_lines(lines, i, excerpt->row_end, false);
        } else if (!has_start(lines, i, "  ✓") && room > 0) {
            if (size <= room) {
                print_lines(lines, i, end, false);
            }
            room -= size <= room ? size : room;
        }
    }
}

// Chooses what fits in rows: the heading, the row and the beginning of the failure are always there.
static struct excerpt choose_excerpt(const struct lines *lines,
                                     const struct lab_report *parts, size_t rows,
                                     bool brief)
{
    enum { NOTE = 1, FRAME = 3, LEAST = 2, ENOUGH = 4 };
    struct excerpt excerpt = {.heading_end = parts->rows};
    excerpt.row = find_row(lines, parts->rows, parts->rows_end);
    excerpt.row_end = excerpt.row < parts->rows_end
                          ? end_of_row(lines, excerpt.row, parts->rows_end)
                          : excerpt.row;
    excerpt.failure = choose_lines(lines, parts->failure, parts->failure_end, brief);
    size_t heading = rows_of(lines, 0, excerpt.heading_end);
    size_t row = rows_of(lines, excerpt.row, excerpt.row_end);
    if (heading + row + NOTE + LEAST > rows && row > 0) {
        excerpt.row_end = excerpt.row + 1;
        row = rows_of(lines, excerpt.row, excerpt.row_end);
    }
    if (heading + row + NOTE + LEAST > rows) {
        excerpt.heading_end = 1;
        heading = rows_of(lines, 0, 1);
    }
    const size_t used = heading + row + NOTE;
    size_t left = rows > used ? rows - used : 0;
    if (left >= FRAME + ENOUGH) { // two blank lines and the points
        excerpt.points = parts->points;
        left -= FRAME;
    }
    for (size_t i = 0; i < excerpt.failure.count; i++) {
        const size_t size = rows_of_line(excerpt.failure.line[i]);
        if (size > left && i > 0) {
            left = 0;
            break;
        }
        left -= size < left ? size : left;
        excerpt.failure_count++;
    }
    excerpt.room = left;
    return excerpt;
}

bool screen_lab_report(const char *report, int rows)
{
    struct lines lines = lines_of(print("%s", report));
    const struct lab_report parts = find_parts(&lines);
    if (rows <= 0 || parts.points == 0 ||
        rows_of(&lines, 0, parts.points + 1) <= (size_t)rows) {
        print_lines(&lines, 0, lines.count, false);
        lines_free(&lines);
        return true;
    }
    const struct excerpt excerpt =
        choose_excerpt(&lines, &parts, (size_t)rows, can_be_brief(report));
    print_lines(&lines, 0, excerpt.heading_end, false);
    print_rows(&lines, parts.rows, parts.rows_end, &excerpt);
    puts("  (d shows the whole lab)");
    if (excerpt.points > 0 && parts.failure > 0) {
        putchar('\n');
    }
    for (size_t i = 0; i < excerpt.failure_count; i++) {
        puts(excerpt.failure.line[i]);
    }
    if (excerpt.points > 0) {
        putchar('\n');
        puts(lines.line[excerpt.points]);
    }
    free(excerpt.failure.line);
    lines_free(&lines);
    return false;
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

static void add_progress_line(FILE *out, const struct course *course, size_t current)
{
    char *line = progress_line(course, current, false);
    if (width_of(line, (int)strlen(line)) > terminal_columns()) {
        free(line);
        line = progress_line(course, current, true);
    }
    fprintf(out, "%s\n", line);
    free(line);
}

void screen_progress(const struct course *course, size_t current)
{
    add_progress_line(stdout, course, current);
}

// "next: file:line  exercise", in two lines if it is too long for one.
static void add_place(FILE *out, const struct place *place,
                      const struct exercise *exercise, const char *more)
{
    char *where = print("next: %s:%zu", place->path != NULL ? place->path : "(not found)",
                        place->line);
    char *what = print("%s %s%s", exercise->id, exercise->title, more);
    const int width =
        width_of(where, (int)strlen(where)) + 2 + width_of(what, (int)strlen(what));
    fprintf(out, "%s%s%s\n", where, width <= terminal_columns() ? "  " : "\n      ",
            what);
    free(where);
    free(what);
}

static void add_next(FILE *out, const struct course *course, size_t current,
                     const char *report, bool keys)
{
    const struct exercise *exercise = &course->exercises[current];
    const bool passes = exercise->state == PASSING && !course->uncompiled;
    const size_t next = passes ? screen_next(course, current) : current;
    if (next == course->exercise_count) {
        fputs("next: nothing; every exercise passes\n", out);
        return;
    }
    exercise = &course->exercises[next];
    const bool failure = exercise->state == FAILING || course->uncompiled;
    struct place place = next == current && report != NULL && failure
                             ? place_of_failure(course, exercise, report)
                             : place_of(course, exercise);
    const size_t owner = place_owner(course, exercise->lab, &place);
    if (course->uncompiled && owner < course->exercise_count) {
        exercise = &course->exercises[owner]; // where the error is
    }
    add_place(out, &place, exercise, passes && keys ? " (press n)" : "");
    free(place.path);
}

static char *foot_text(const struct terminal *terminal, const struct watched *watched,
                       const struct course *course, size_t current, const char *report)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = or_die(open_memstream(&text, &size));
    fputc('\n', out);
    add_next(out, course, current, report, terminal->keys);
    add_progress_line(out, course, current);
    if (watched->polls != NULL) {
        fprintf(out, "looks for changes every %.2f s, without inotify (%s)\n",
                LOOK_MILLISECONDS / 1000.0, watched->polls);
    }
    fputs(
        terminal->keys
            ? "n next  b back  l list  h hint  s solution  d case  p plot  r run  a ask  q quit\n"
            : "judging again at each save; Ctrl-C stops\n",
        out);
    fclose(out);
    return or_die(text);
}

void screen_foot(const struct terminal *terminal, const struct watched *watched,
                 const struct course *course, size_t current, const char *report)
{
    char *text = foot_text(terminal, watched, course, current, report);
    fputs(text, stdout);
    fflush(stdout);
    free(text);
}

int screen_foot_rows(const struct terminal *terminal, const struct watched *watched,
                     const struct course *course, size_t current, const char *report)
{
    struct lines lines = lines_of(foot_text(terminal, watched, course, current, report));
    const int rows = (int)rows_of(&lines, 0, lines.count);
    lines_free(&lines);
    return rows;
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

static void print_end_of_lab(const struct course *course, size_t i, bool keys)
{
    const struct lab *lab = &course->labs[i];
    char *wrote, *see;
    printf("Lab %d is done: all %zu exercises pass.\n", lab->number, lab->count);
    read_row(lab, &wrote, &see);
    if (wrote != NULL) {
        print_wrapped("you wrote", wrote);
        print_wrapped(keys ? "p shows" : "make plot", see);
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

void screen_others(const struct course *course, size_t current, const enum state *before)
{
    const struct lab *lab = &course->labs[course->exercises[current].lab];
    const bool passes = course->exercises[current].state == PASSING;
    for (size_t e = lab->first; e < lab->first + lab->count; e++) {
        const struct exercise *exercise = &course->exercises[e];
        const enum state old = before != NULL ? before[e] : UNKNOWN;
        if (e == current) {
            continue;
        }
        if (exercise->state == PASSING) {
            if (!passes && (old == TODO || old == FAILING)) {
                printf("%s %s passes now.\n", exercise->id, exercise->title);
            }
        } else if (old == PASSING || exercise->state == FAILING) {
            printf("%s %s does not pass%s.\n", exercise->id, exercise->title,
                   old == PASSING ? " any more" : "");
            if (exercise->state == FAILING) {
                print_wrapped(NULL, exercise->said);
            }
        }
    }
}

void screen_pass(const struct terminal *terminal, const struct course *course,
                 size_t current, size_t question, const char *title, const char *text)
{
    const struct exercise *exercise = &course->exercises[current];
    const struct lab *lab = &course->labs[exercise->lab];
    const bool keys = terminal->keys;
    printf("\n%s passes.%s\n", exercise->id,
           keys && access("solutions", F_OK) == 0 ? " s shows the workbook's version."
                                                  : "");
    if (question > 0 && keys) {
        printf("Question %zu, %s (press a to answer):\n", question, title);
    } else if (question > 0) {
        printf("Question %zu, %s (make ask LAB=%d Q=%zu):\n", question, title,
               lab->number, question);
    }
    if (question > 0) {
        print_wrapped(NULL, text);
    }
    if (course_passing(course, lab->first, lab->count) == lab->count) {
        print_end_of_lab(course, exercise->lab, keys);
    }
}
