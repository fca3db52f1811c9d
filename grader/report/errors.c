// errors.c - see errors.h. A message of the compiler is a line with "error:", the code below it, and
// notes with code of their own. If a macro of the workbook holds the place of the error, the notes name
// the student's line, and the message is written with that. Start reading at errors_write.

#define _GNU_SOURCE
#include "report/errors.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "report/semicolon.h"
#include "report/source.h"

bool span_holds(struct span span, const char *words)
{
    return memmem(span.start, span.size, words, strlen(words)) != NULL;
}

bool span_names_function(struct span line)
{
    return line.size > 0 && line.start[0] != ' ' && span_holds(line, ": In ") &&
           strchr(":,", line.start[line.size - 1]) != NULL &&
           !span_holds(line, ": warning: ") && !span_holds(line, ": error: ") &&
           !span_holds(line, ": note: ");
}

static bool starts_with(struct span line, const char *words)
{
    return line.size > strlen(words) && memcmp(line.start, words, strlen(words)) == 0;
}

// The line at text; *text goes on to the next one.
static struct span take_line(const char **text)
{
    const char *start = *text, *end = strchrnul(start, '\n');
    *text = *end != '\0' ? end + 1 : end;
    return (struct span){start, (size_t)(end - start)};
}

// ---- kinds of lines ------------------------------------------------------------------------

static bool is_include(struct span line)
{
    return starts_with(line, "In file included from ") ||
           starts_with(line, "                 from ");
}

// Lines that say where the next warning or error is: in which function, included by which file,
// inlined or instantiated where
static bool says_where(struct span line)
{
    return span_names_function(line) || span_holds(line, ": At top level:") ||
           starts_with(line, "At top level:") || // gcc 11
           span_holds(line, " | At top level:") || is_include(line) ||
           starts_with(line, "    inlined from ") || span_holds(line, ":   required ");
}

static bool is_error(struct span line)
{
    return span_holds(line, ": error: ") || span_holds(line, ": fatal error: ");
}

static bool is_warning(struct span line)
{
    return span_holds(line, ": warning: ");
}

static bool is_note(struct span line)
{
    return line.size > 0 && line.start[0] != ' ' && span_holds(line, ": note: ");
}

// The errors after a missing brace, gcc's and g++'s: what follows in the file then belongs to the function.
static bool lacks_brace(struct span line)
{
    return span_holds(line, "expected declaration or statement at end of input") ||
           span_holds(line, "expected '}' at end of input") ||
           span_holds(line, "invalid storage class for function");
}

static bool lacks_semicolon(struct span line)
{
    return (span_holds(line, "error: expected ';' before ") ||
            span_holds(line, "error: expected ',' or ';' before ")) &&
           !span_holds(line, "before '{' token"); // "whlie (n > 0) {"
}

// gcc's and g++'s words for a function that ends without a return.
static bool lacks_return(struct span line)
{
    return span_holds(line, "control reaches end of non-void function") ||
           span_holds(line, "no return statement in function returning non-void");
}

// The compiler stops at a number of errors that the student has not chosen, in words about an option.
static bool says_stopped(struct span line)
{
    return span_holds(line, "compilation terminated due to -fmax-errors");
}

// ---- places --------------------------------------------------------------------------------

struct position {
    struct span path;
    size_t line, column; // 0: not said
};

// "labs/01_simple_attention/attention.c:68:5: error: ..."; without a path if there is no place.
static struct position read_position(struct span text)
{
    struct position position = {{text.start, 0}, 0, 0};
    const char *end = text.start + text.size, *at = text.start;
    while ((at = memchr(at, ':', (size_t)(end - at))) != NULL) {
        if (at + 1 < end && isdigit((unsigned char)at[1])) {
            char *after;
            position.path.size = (size_t)(at - text.start);
            position.line = strtoul(at + 1, &after, 10);
            const bool more = *after == ':' && isdigit((unsigned char)after[1]);
            position.column = more ? strtoul(after + 1, NULL, 10) : 0;
            break;
        }
        at++;
    }
    return position;
}

// A file that students edit, not a header of the workbook or the system.
static bool is_students(struct position position, const struct complaint *of)
{
    const struct span path = position.path;
    char *folder = grader_print("%s/", of->place->folder);
    const bool within = span_holds(path, folder);
    free(folder);
    return within && path.size > 2 && memcmp(path.start + path.size - 2, ".h", 2) != 0;
}

// The student's file. The compiler's path may be shorter; both have the lab's folder.
static char *path_of(struct position position, const struct complaint *of)
{
    char *folder = grader_print("%s/", of->place->folder);
    const struct span path = position.path;
    const char *at = memmem(path.start, path.size, folder, strlen(folder));
    char *full =
        grader_print("%s/%.*s", of->source, (int)(path.start + path.size - at), at);
    free(folder);
    return full;
}

// ---- messages ------------------------------------------------------------------------------

// An error with its notes.
struct message {
    struct span head;
    const char *rest, *end; // the lines below the head
    // the note "in expansion of macro" to lead with, because the head's place is in a header
    struct span use;
    struct position at; // the head's place or the use's
    bool students;      // at is in a file of the student
    size_t semicolon;   // the line at whose end a ; is missing; 0: none is
    bool brace;         // a } is missing before it: the end of its function is unknown
};

// Reads the message that begins with the head; text is behind it.
static struct message read_message(struct span head, const char *text,
                                   const struct complaint *of)
{
    struct message message = {.head = head, .rest = text, .at = read_position(head)};
    message.students = is_students(message.at, of);
    const bool own = message.students;
    while (*text != '\0') {
        const char *start = text;
        const struct span line = take_line(&text);
        if (says_where(line) || is_error(line) || is_warning(line) ||
            says_stopped(line)) {
            text = start;
            break;
        }
        const struct position at = read_position(line);
        if (!own && is_note(line) && span_holds(line, "in expansion of macro") &&
            is_students(at, of)) {
            message.use = line;
            message.at = at;
            message.students = true;
        }
    }
    message.end = text;
    if (message.students && lacks_semicolon(head)) {
        char *path = path_of(message.at, of);
        message.semicolon = semicolon_line(path, message.at.line, message.at.column);
        free(path);
    }
    return message;
}

static void write_line(FILE *file, struct span line)
{
    fprintf(file, "%.*s\n", (int)line.size, line.start);
}

// "attention.c:68:5: error: expected ';' before 'do', in expansion of macro 'LAB_TRY'"
static void write_head(FILE *file, const struct message *message)
{
    const struct span use = message->use, head = message->head;
    if (use.size == 0) {
        write_line(file, head);
        return;
    }
    const char *note = memmem(use.start, use.size, ": note: ", strlen(": note: "));
    const char *kind = is_warning(head) ? ": warning: " : ": error: ";
    const char *found = memmem(head.start, head.size, kind, strlen(kind));
    const char *says = found != NULL ? found : head.start + message->at.path.size;
    const char *macro = note + strlen(": note: ");
    fprintf(file, "%.*s%.*s, %.*s\n", (int)(note - use.start), use.start,
            (int)(head.start + head.size - says), says,
            (int)(use.start + use.size - macro), macro);
}

// Notes that say nothing about the student's code
static bool is_left_out(struct span note, const struct message *message,
                        const struct complaint *of)
{
    const bool macro = span_holds(note, "in definition of macro") ||
                       span_holds(note, "in expansion of macro");
    return span_holds(note, "identifier is reported only once") ||
           (macro && message->students &&
            (message->use.size > 0 || !is_students(read_position(note), of)));
}

// "error: stray '\\342' in program" names one byte of a character. The caller frees the words.
static char *name_stray(const struct message *message, const struct complaint *of)
{
    if (!message->students || !span_holds(message->head, "error: stray ")) {
        return NULL;
    }
    char *path = path_of(message->at, of);
    char *words = source_stray(path, message->at.line, message->at.column);
    free(path);
    return words;
}

static void write_message(FILE *file, const struct message *message,
                          const struct complaint *of)
{
    write_head(file, message);
    bool left_out = message->use.size > 0; // the header's code below the head
    for (const char *text = message->rest; text < message->end;) {
        const struct span line = take_line(&text);
        const bool is_use = line.start == message->use.start;
        if (is_note(line)) {
            left_out = !is_use && is_left_out(line, message, of);
        }
        if (!left_out && !is_use) {
            write_line(file, line);
        }
    }
    if (message->semicolon > 0) {
        fprintf(file, "  line %zu: a ; is missing\n", message->semicolon);
    }
    if (message->students && !message->brace && is_error(message->head) &&
        lacks_return(message->head)) {
        fprintf(
            file,
            "  line %zu: a return is missing above this }; the functions of a lab end "
            "with return LAB_OK;\n",
            message->at.line);
    }
    char *stray = name_stray(message, of);
    if (stray != NULL) {
        fprintf(file, "  line %zu: %s\n", message->at.line, stray);
    }
    free(stray);
}

// The lines that say where. Which files include a header is of no use if the student's line leads.
static void write_where(FILE *file, struct span where, bool students)
{
    const char *end = where.start + where.size;
    for (const char *text = where.start; text < end;) {
        const struct span line = take_line(&text);
        if (!students || !is_include(line)) {
            write_line(file, line);
        }
    }
}

// "attention.c: In function 'linear':" names linear; without such a line the function is not known.
static struct span function_of(struct span where)
{
    const char *quote = where.size > 0 ? memchr(where.start, '\'', where.size) : NULL;
    const char *name = quote != NULL ? quote + 1 : where.start;
    const size_t end =
        quote != NULL ? strcspn(name, "'(\n") : 0; // g++ adds the arguments
    size_t start = end;                            // and the type
    while (start > 0 &&
           (isalnum((unsigned char)name[start - 1]) || name[start - 1] == '_')) {
        start--;
    }
    return (struct span){name + start, end - start};
}

static void write_brace(FILE *file, struct span where)
{
    const struct span name = function_of(where);
    fprintf(file,
            "  a } is missing%s%.*s: the rest of the file is read as a part of %s\n",
            name.size > 0 ? " in " : "", (int)name.size, name.start,
            name.size > 0 ? "it" : "the function above");
}

// The line of the function that a brace is missing in, which the compiler misses at the end of the file.
static size_t brace_line(struct position at, struct span where,
                         const struct complaint *of)
{
    const struct span name = function_of(where);
    char *path = path_of(at, of);
    const size_t line = source_function(path, name.start, name.size);
    free(path);
    return line;
}

// "esle" on a line of its own: the compiler does not know the word, and misses a ; behind it, too.
static bool is_misspelled(const struct message *message, size_t last_error,
                          const struct complaint *of)
{
    if (message->semicolon == 0 || message->semicolon != last_error) {
        return false;
    }
    char *path = path_of(message->at, of);
    const bool is = semicolon_is_behind_word(path, message->semicolon);
    free(path);
    return is;
}

size_t errors_write(FILE *file, const struct complaint *of)
{
    const char *text = of->text;
    size_t warnings = 0, errors = 0, last = 0;
    bool brace = false, header = false, stopped = false, left_out = false;
    struct span within = {text, 0}, brace_in = within;
    struct span where = {text, 0}; // not written yet
    while (*text != '\0') {
        const struct span line = take_line(&text);
        if (says_stopped(line)) {
            stopped = true;
        } else if (says_where(line)) {
            within = span_names_function(line) ? line : within;
            where.start = where.size == 0 || left_out ? line.start : where.start;
            where.size = (size_t)(line.start + line.size - where.start);
            left_out = false;
        } else if (is_warning(line) && !of->warnings) {
            left_out = true;
            warnings++;
        } else if (is_warning(line)) {
            const struct message message = read_message(line, text, of);
            write_where(file, where, message.students);
            where.size = 0;
            left_out = false;
            write_message(file, &message, of);
            text = message.end;
        } else if (is_error(line)) {
            struct message message = read_message(line, text, of);
            message.semicolon = is_misspelled(&message, last, of) ? 0 : message.semicolon;
            message.brace = brace;
            last = message.at.line;
            errors++;
            brace_in = lacks_brace(line) && !brace ? within : brace_in;
            brace = brace || lacks_brace(line);
            header = header || span_holds(line, "unknown type name 'lab_status'");
            write_where(file, where, message.students);
            where.size = 0;
            left_out = false;
            write_message(file, &message, of);
            text = message.end;
        } else if (!left_out) {
            write_where(file, where, false);
            where.size = 0;
            write_line(file, line);
        }
    }
    if (brace) {
        write_brace(file, brace_in);
    }
    if (header) {
        fputs("  lab_status is defined in the lab's header: is its #include missing?\n",
              file);
    }
    if (stopped) {
        fprintf(file, "  these are the first %zu errors; there may be more\n", errors);
    }
    return warnings;
}

void errors_write_one(FILE *file, struct span text, const struct complaint *of)
{
    const char *rest = text.start, *end = text.start + text.size;
    const struct span head = take_line(&rest);
    struct message message = read_message(head, rest, of);
    message.end = message.end < end ? message.end : end;
    write_message(file, &message, of);
}

// "In file included from labs/01_simple_attention/attention.c:13:": the place behind "from".
static struct position included_from(struct span line)
{
    const char *from = memmem(line.start, line.size, "from ", strlen("from "));
    const char *path = from != NULL ? from + strlen("from ") : line.start;
    return read_position((struct span){path, line.size - (size_t)(path - line.start)});
}

char *errors_first(const struct complaint *of)
{
    const char *text = of->text;
    struct span within = {text, 0};
    struct position included = {
        {text, 0}, 0, 0}; // the student's line that includes the header
    while (*text != '\0') {
        const struct span line = take_line(&text);
        if (is_include(line) && is_students(included_from(line), of)) {
            included = included_from(line);
        }
        within = span_names_function(line) ? line : within;
        if (!is_error(line)) {
            continue;
        }
        const struct message message = read_message(line, text, of);
        const struct position at = message.students ? message.at : included;
        const size_t brace =
            message.students && lacks_brace(line) ? brace_line(at, within, of) : 0;
        const size_t number = message.semicolon > 0 ? message.semicolon
                              : brace > 0           ? brace
                                                    : at.line;
        if (number == 0) {
            break;
        }
        // As the error above says it: a report on untrusted code has no path of the grader's machine.
        return grader_print("%.*s:%zu", (int)at.path.size, at.path.start, number);
    }
    return NULL;
}
