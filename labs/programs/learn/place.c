// place.c - see place.h. Finds functions by the markers of the exercise in the solutions, or, in the
// student archive, in the skeletons. A function begins and ends in the first column.

#define _GNU_SOURCE

#include "programs/learn/place.h"

#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "programs/learn/code.h"
#include "programs/learn/text.h"

enum { MOST_FUNCTIONS = 8, NAME = 64, BESIDE = 150 };

struct function {
    char name[NAME], file[NAME];
};

static const char *reference(void)
{
    return access("solutions", F_OK) == 0 ? "solutions" : "grader/skeletons";
}

// ---- functions in a file -------------------------------------------------------------------

// "lab_status matmul(float *out, ..." begins a function: its name.
static bool begins_function(const char *line, char name[NAME])
{
    const char *bracket = strchr(line, '(');
    if (bracket == NULL || !(isalpha((unsigned char)line[0]) || line[0] == '_')) {
        return false;
    }
    const char *start = bracket;
    while (start > line && (isalnum((unsigned char)start[-1]) || start[-1] == '_')) {
        start--;
    }
    snprintf(name, NAME, "%.*s", (int)(bracket - start), start);
    return bracket > start;
}

// The line in which the function begins, or lines->count. A declaration ends with a semicolon.
static size_t find_function(const struct lines *lines, const char *wanted)
{
    char name[NAME];
    for (size_t i = 0; i < lines->count; i++) {
        if (begins_function(lines->line[i], name) && strcmp(name, wanted) == 0) {
            size_t end = i;
            while (end + 1 < lines->count && strpbrk(lines->line[end], ";{") == NULL &&
                   lines->line[end + 1][0] != '{') {
                end++;
            }
            if (strchr(lines->line[end], ';') == NULL) {
                return i;
            }
        }
    }
    return lines->count;
}

static size_t end_of_function(const struct lines *lines, size_t from)
{
    while (from < lines->count && lines->line[from][0] != '}') {
        from++;
    }
    return from < lines->count ? from + 1 : from;
}

// In two parts, because the search for answers in the student archive looks for the whole.
#define BEGIN_MARK                                                                       \
    "// BEGIN "                                                                          \
    "SOLUTION "

// "// TODO 1.3: ..." or BEGIN_MARK "1.3 ..."; mark is the part before the number.
static bool is_marker(const char *line, const char *mark, const char *id)
{
    const char *at = strstr(line, mark);
    const size_t length = strlen(id);
    if (at == NULL || !begins_with(at + strlen(mark), id)) {
        return false;
    }
    at += strlen(mark) + length;
    return !isdigit((unsigned char)at[0]) &&
           (at[0] != '.' || !isdigit((unsigned char)at[1]));
}

// ---- all files of a lab --------------------------------------------------------------------

typedef void visit(void *context, const char *file, const struct lines *lines);

static void visit_sources(const struct course *course, const char *folder, visit *visit,
                          void *context)
{
    struct dirent **entries = NULL;
    const int count = scandir(folder, &entries, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        const char *name = entries[i]->d_name;
        if (course_is_source(course, name)) {
            char *path = print("%s/%s", folder, name);
            struct lines lines = lines_read(path);
            visit(context, name, &lines);
            lines_free(&lines);
            free(path);
        }
        free(entries[i]);
    }
    free(entries);
}

struct search {
    const char *id;
    struct function functions[MOST_FUNCTIONS];
    size_t count;
    char file[NAME]; // of the first TODO with nothing written
    size_t line;     // its line, or 0
};

static void add_functions(void *context, const char *file, const struct lines *lines)
{
    struct search *search = context;
    for (size_t i = 0; i < lines->count; i++) {
        struct function found = {{0}, {0}};
        size_t above = i;
        if (lines->line[i][0] != ' ' ||
            (!is_marker(lines->line[i], BEGIN_MARK, search->id) &&
             !is_marker(lines->line[i], "// TODO ", search->id))) {
            continue;
        }
        while (above > 0 && !begins_function(lines->line[above], found.name)) {
            above--;
        }
        bool known = found.name[0] == '\0' || search->count == MOST_FUNCTIONS;
        for (size_t f = 0; f < search->count; f++) {
            known = known || strcmp(search->functions[f].name, found.name) == 0;
        }
        if (!known) {
            snprintf(found.file, NAME, "%.63s", file);
            search->functions[search->count++] = found;
        }
    }
}

// Whether the code below a TODO is what the skeleton has there. Many people leave the comment above
// their code.
static bool is_open(const struct lines *lines, size_t todo)
{
    for (size_t i = todo + 1; i < lines->count; i++) {
        const char *code = lines->line[i] + strspn(lines->line[i], " \t");
        if (*code != '\0' && !begins_with(code, "//")) {
            return lines->line[i][0] == '}' || begins_with(code, "return lab_todo(");
        }
    }
    return false;
}

static void add_todo(void *context, const char *file, const struct lines *lines)
{
    struct search *search = context;
    for (size_t i = 0; i < lines->count && search->line == 0; i++) {
        if (is_marker(lines->line[i], "// TODO ", search->id) && is_open(lines, i)) {
            search->line = i + 1;
            snprintf(search->file, NAME, "%.63s", file);
        }
    }
}

static void find_functions(struct search *search, const struct course *course,
                           const struct exercise *exercise)
{
    char *folder = print("%s/%s", reference(), course->labs[exercise->lab].folder);
    search->id = exercise->id;
    visit_sources(course, folder, add_functions, search);
    free(folder);
}

// The first line of a function in the student's file; line 1 if it is not there.
static struct place place_of_function(const char *folder, const struct function *function)
{
    struct place place = {.path = print("%s/%s", folder, function->file)};
    struct lines lines = lines_read(place.path);
    const size_t at = find_function(&lines, function->name);
    place.line = at < lines.count ? at + 1 : 1;
    lines_free(&lines);
    return place;
}

struct place place_of(const struct course *course, const struct exercise *exercise)
{
    struct search todo = {.id = exercise->id}, search = {.id = exercise->id};
    char *folder = course_folder(course, exercise->lab);
    struct place place = {0};
    visit_sources(course, folder, add_todo, &todo);
    if (todo.line > 0) {
        place = (struct place){print("%s/%s", folder, todo.file), todo.line, true};
    } else {
        find_functions(&search, course, exercise);
        if (search.count > 0) {
            place = place_of_function(folder, &search.functions[0]);
        }
    }
    free(folder);
    return place;
}

// "labs/01_simple_attention/attention.c:18" in a line of the report, which may leave out the folders
// above: the student's file and line. A warning at the end of a report is no reason for a failure.
static bool read_place(struct place *place, const char *line, const char *folder)
{
    const char *lab = strrchr(folder, '/') != NULL ? strrchr(folder, '/') + 1 : folder;
    const char *name = strstr(line, lab);
    if (name == NULL || name[strlen(lab)] != '/' || strstr(line, ": warning:") != NULL) {
        return false;
    }
    name += strlen(lab) + 1;
    const size_t length = strcspn(name, ": ");
    if (name[length] != ':' || !isdigit((unsigned char)name[length + 1])) {
        return false;
    }
    *place = (struct place){.path = print("%s/%.*s", folder, (int)length, name),
                            .line = strtoul(name + length + 1, NULL, 10)};
    return true;
}

// "  matmul(M=1, N=1, K=1), whole numbers": the call of one of the exercise's functions.
static const struct function *called(const struct search *search, const char *line)
{
    for (size_t i = 0; begins_with(line, "  ") && i < search->count; i++) {
        const size_t length = strlen(search->functions[i].name);
        if (begins_with(line + 2, search->functions[i].name) && line[2 + length] == '(') {
            return &search->functions[i];
        }
    }
    return NULL;
}

// "next: fix the error in labs/01_simple_attention/attention.c:18", which may go on in the next line: the
// report's own choice among the lines of the compiler's errors.
static struct place place_of_error(const struct lines *lines, const char *folder)
{
    struct place place = {0};
    for (size_t i = 0; i < lines->count && place.path == NULL; i++) {
        if (begins_with(lines->line[i], "next: fix the error in") &&
            !read_place(&place, lines->line[i], folder) && i + 1 < lines->count) {
            read_place(&place, lines->line[i + 1], folder);
        }
    }
    return place;
}

struct place place_of_failure(const struct course *course,
                              const struct exercise *exercise, const char *report)
{
    struct search search = {.id = exercise->id};
    struct lines lines = lines_of(print("%s", report));
    char *folder = course_folder(course, exercise->lab);
    struct place place = place_of_error(&lines, folder);
    find_functions(&search, course, exercise);
    for (size_t i = 0; i < lines.count && place.path == NULL; i++) {
        const struct function *function = called(&search, lines.line[i]);
        if (!read_place(&place, lines.line[i], folder) && function != NULL) {
            place = place_of_function(folder, function);
        }
    }
    lines_free(&lines);
    free(folder);
    return place.path != NULL ? place : place_of(course, exercise);
}

static bool is_within(const struct function *function, const char *folder,
                      const struct place *place)
{
    char *path = print("%s/%s", folder, function->file);
    bool within = strcmp(path, place->path) == 0;
    if (within) {
        struct lines lines = lines_read(path);
        const size_t begin = find_function(&lines, function->name);
        within = place->line > begin && place->line <= end_of_function(&lines, begin);
        lines_free(&lines);
    }
    free(path);
    return within;
}

size_t place_owner(const struct course *course, size_t lab, const struct place *place)
{
    const struct lab *of = &course->labs[lab];
    char *folder = course_folder(course, lab);
    size_t owner = course->exercise_count;
    for (size_t e = of->first; place->path != NULL && e < of->first + of->count; e++) {
        struct search search = {0};
        find_functions(&search, course, &course->exercises[e]);
        for (size_t f = 0; f < search.count; f++) {
            if (is_within(&search.functions[f], folder, place)) {
                owner = e;
            }
        }
    }
    free(folder);
    return owner;
}

// ---- the rest of the files -----------------------------------------------------------------

struct around {
    struct search search;
    uint64_t hash;
};

static void add_around(void *context, const char *file, const struct lines *lines)
{
    struct around *around = context;
    const struct search *search = &around->search;
    size_t begin[MOST_FUNCTIONS], f;
    for (f = 0; f < search->count; f++) {
        const bool here = strcmp(search->functions[f].file, file) == 0;
        begin[f] = here ? find_function(lines, search->functions[f].name) : lines->count;
    }
    for (size_t i = 0; i < lines->count;) {
        for (f = 0; f < search->count && begin[f] != i; f++) {
        }
        if (f < search->count) {
            i = end_of_function(lines, i);
            continue;
        }
        for (const char *at = lines->line[i]; *at != '\0'; at++) {
            around->hash = (around->hash ^ (unsigned char)*at) * 0x100000001B3u; // FNV-1a
        }
        around->hash = (around->hash ^ '\n') * 0x100000001B3u;
        i++;
    }
}

uint64_t place_around(const struct course *course, const struct exercise *exercise)
{
    struct around around = {.hash = 0xCBF29CE484222325u};
    char *folder = course_folder(course, exercise->lab);
    find_functions(&around.search, course, exercise);
    visit_sources(course, folder, add_around, &around);
    free(folder);
    return around.hash;
}

// ---- both versions -------------------------------------------------------------------------

// A row of code, and blanks up to a width.
static void print_row(FILE *out, const struct code_row *row, int width)
{
    int columns = fprintf(out, "%*s%s", row->indent, "", row->lead);
    for (size_t i = 0; i < row->size; i++) {
        if (row->text[i] == '\t') {
            columns += fprintf(out, "    ");
        } else {
            fputc(row->text[i], out);
            columns += ((unsigned char)row->text[i] & 0xC0) != 0x80;
        }
    }
    fprintf(out, "%*s", columns < width ? width - columns : 0, "");
}

// The line behind a marker and the rest of its text, which is the skeleton's TODO: this ends with
// "(about 10 lines)" in the same comment.
static size_t behind_marker(const struct lines *lines, size_t marker, size_t end)
{
    size_t i = marker;
    while (i < end && strstr(lines->line[i], "(about ") == NULL) {
        const char *next = i + 1 < end ? lines->line[i + 1] : "";
        if (!begins_with(next + strspn(next, " \t"), "//")) {
            return marker + 1;
        }
        i++;
    }
    return i + 1;
}

// The next line that is not a marker, or NULL.
static const char *next_line(const struct lines *lines, size_t *at, size_t end)
{
    while (*at < end) {
        if (strstr(lines->line[*at], BEGIN_MARK) != NULL) {
            *at = behind_marker(lines, *at, end);
        } else if (strstr(lines->line[*at], "// END SOLUTION") != NULL) {
            ++*at;
        } else {
            break;
        }
    }
    return *at < end ? lines->line[(*at)++] : NULL;
}

static void print_one(FILE *out, const char *title, const struct lines *lines, size_t at,
                      int columns)
{
    const size_t end = end_of_function(lines, at);
    fprintf(out, "---- %s\n", title);
    if (at == lines->count) {
        fputs("(not found)\n", out);
    }
    struct code_inside inside = {0};
    for (const char *line; (line = next_line(lines, &at, end)) != NULL;) {
        struct code_row row = code_begin(line, inside);
        while (code_next_row(&row, columns)) {
            print_row(out, &row, 0);
            fputc('\n', out);
        }
        inside = row.inside;
    }
}

// One line of each side, in as many rows as the longer one needs. NULL is a side that has ended. inside: what
// the two lines, and then the next two, begin inside of.
static void print_pair(FILE *out, const char *left, const char *right, int width,
                       struct code_inside inside[2])
{
    struct code_row mine = code_begin(left != NULL ? left : "", inside[0]);
    struct code_row theirs = code_begin(right != NULL ? right : "", inside[1]);
    const struct code_row none = {.lead = "", .text = ""};
    for (;;) {
        const bool more = code_next_row(&mine, width);
        const bool more_of_theirs = code_next_row(&theirs, width);
        if (!more && !more_of_theirs) {
            break;
        }
        print_row(out, more ? &mine : &none, width);
        fputs(" | ", out);
        print_row(out, more_of_theirs ? &theirs : &none, 0);
        fputc('\n', out);
    }
    inside[0] = mine.inside;
    inside[1] = theirs.inside;
}

static void print_both(FILE *out, const struct lines *left, size_t at,
                       const struct lines *right, size_t other, int columns)
{
    const int width = (columns - 3) / 2;
    const size_t end = end_of_function(left, at), last = end_of_function(right, other);
    struct code_inside inside[2] = {{0}};
    print_pair(out, "---- yours", "---- the workbook's", width, inside);
    for (;;) {
        const char *mine = next_line(left, &at, end);
        const char *theirs = next_line(right, &other, last);
        if (mine == NULL && theirs == NULL) {
            break;
        }
        print_pair(out, mine, theirs, width, inside);
    }
}

// Whether the function is as the skeleton has it.
static bool is_unwritten(const struct lines *lines, size_t function)
{
    const size_t end = end_of_function(lines, function);
    for (size_t i = function; i < end; i++) {
        if (strstr(lines->line[i], "// TODO ") != NULL && is_open(lines, i)) {
            return true;
        }
    }
    return false;
}

static void compare(FILE *out, const struct function *function, const char *mine,
                    const char *theirs, int columns)
{
    char *left = print("%s/%s", mine, function->file);
    char *right = print("%s/%s", theirs, function->file);
    struct lines own = lines_read(left), given = lines_read(right);
    const size_t at = find_function(&own, function->name);
    const size_t other = find_function(&given, function->name);
    const bool unwritten = is_unwritten(&own, at);
    if (columns >= BESIDE && !unwritten) {
        print_both(out, &own, at, &given, other, columns);
    } else {
        if (!unwritten) {
            print_one(out, "yours", &own, at, columns);
        }
        print_one(out, "the workbook's", &given, other, columns);
    }
    lines_free(&own);
    lines_free(&given);
    free(left);
    free(right);
}

bool place_compare(FILE *out, const struct course *course,
                   const struct exercise *exercise, int columns)
{
    if (access("solutions", F_OK) != 0) {
        return false;
    }
    struct search search = {0};
    find_functions(&search, course, exercise);
    char *mine = course_folder(course, exercise->lab);
    char *theirs = print("solutions/%s", course->labs[exercise->lab].folder);
    for (size_t i = 0; i < search.count; i++) {
        compare(out, &search.functions[i], mine, theirs, columns);
    }
    free(mine);
    free(theirs);
    return true;
}
