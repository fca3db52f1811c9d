// stack.c - see stack.h.

#define _GNU_SOURCE
#include "judge/stack.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "judge/options.h"

// Frames of one stack trace, and of all traces of a report.
enum { MOST_FRAMES = 4, MOST_OF_ALL = 12, LONGEST_NAME = 64 };

const char *report_start(const struct outcome *outcome)
{
    static const char *const marks[] = {"AddressSanitizer:DEADLYSIGNAL",
                                        "\n==", ": runtime error: "};
    const char *start = outcome->output + outcome->output_size;
    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++) {
        const char *found = strstr(outcome->output, marks[i]);
        start = found != NULL && found < start ? found : start;
    }
    while (start > outcome->output && start[-1] != '\n') {
        start--; // the whole line
    }
    return start;
}

const char *late_report_start(const struct outcome *outcome)
{
    const char *end = outcome->output + outcome->output_size, *last = NULL;
    const char *at = outcome->output;
    while ((at = memmem(at, (size_t)(end - at), PLACE_MARK, strlen(PLACE_MARK))) !=
           NULL) {
        last = at++;
    }
    return last != NULL ? last + 1
                        : report_start(outcome); // the mark begins with a newline
}

// A position in the student's file, as given in a report.
struct place {
    const char *file, *digits; // one of the lab's files; the line ends at `end`
    const char *begin, *end;   // length of the whole word
};

// Finds the next "path/01_simple_attention/attention.c:34" in a report. Returns false if
// there is none.
static bool next_place(const struct trial *trial, const char *from, struct place *place)
{
    const char *best = NULL;
    for (size_t i = 0; i < 8 && trial->build->place->sources[i] != NULL; i++) {
        char *name = grader_print("/%s/%s:", trial->build->place->folder,
                                  trial->build->place->sources[i]);
        const char *found = strstr(from, name);
        if (found != NULL && (best == NULL || found < best)) {
            best = found;
            place->file = trial->build->place->sources[i];
            place->digits = best + strlen(name);
        }
        free(name);
    }
    if (best == NULL) {
        return false;
    }
    place->begin = best;
    while (place->begin > from && !isspace((unsigned char)place->begin[-1])) {
        place->begin--;
    }
    place->end = place->digits + strspn(place->digits, "0123456789");
    return true;
}

// The student's code may have forged the path, so print our own name of the file.
static void show_place(const struct trial *trial, const char *how,
                       const struct place *place)
{
    const struct options *options = trial->options;
    int digits = (int)(place->end - place->digits);
    fprintf(trial->text.file, "  %s %s%s%s/%s:%.*s", how,
            options->strangers ? "" : options->source, options->strangers ? "" : "/",
            trial->build->place->folder, place->file, digits < 9 ? digits : 9,
            place->digits);
}

// In "#0 0x401aff in attention_scores path:83", finds the function name, which must be a C
// identifier. Returns its length, or 0 if this is not such a line.
static size_t function_before(const struct trial *trial, const struct place *place,
                              const char **name)
{
    const char *start = trial->outcome.output, *end = place->begin - 1, *begin = end;
    while (begin > start && (isalnum((unsigned char)begin[-1]) || begin[-1] == '_')) {
        begin--;
    }
    bool frame = begin - 4 > start && strncmp(begin - 4, " in ", 4) == 0;
    *name = begin;
    return frame && end - begin < LONGEST_NAME ? (size_t)(end - begin) : 0;
}

// The lab that has a function of this name, with length characters; 0 if none has.
static int lab_with(const char *name, size_t length)
{
    for (const struct lab_place *place = lab_places; place->folder != NULL; place++) {
        for (const struct entry *entry = place->entries; entry->name != NULL; entry++) {
            if (strlen(entry->name) == length && memcmp(entry->name, name, length) == 0) {
                return place->number;
            }
        }
    }
    return 0;
}

// If the stack trace begins in a function of a lab that the student's file calls, says which: the
// function may be the workbook's own, or in another file. The trace ends at `end`.
static void show_callee(const struct trial *trial, const char *trace, const char *end)
{
    static const char mark[] = " in ";
    const char *outermost = NULL;
    size_t width = 0;
    int lab = 0;
    for (const char *at = strstr(trace, mark); at != NULL && at < end;
         at = strstr(at + 1, mark)) {
        const char *name = at + strlen(mark);
        const size_t length = strcspn(name, " \n");
        const int found = lab_with(name, length);
        if (found != 0 && name + length < end) {
            outermost = name, width = length, lab = found;
        }
    }
    if (outermost != NULL) {
        fprintf(trial->text.file, "  in %.*s of lab %d, called\n", (int)width, outermost,
                lab);
    }
}

// A report on memory from malloc has further stack traces, of other calls: how their first lines are shown.
// Returns NULL if no such trace begins between `from` and `to`.
static const char *other_trace(const char *from, const char *to)
{
    static const struct {
        const char *mark, *words;
    } table[] = {
        {"\nfreed by thread ", "freed at"},
        {"allocated by thread ", "malloc at"},
        {" created by T", "in a thread from"},
        {" is located in stack of thread ", "a variable of the function at"},
    };
    const char *words = NULL, *last = from;
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        const char *found = strstr(from, table[i].mark);
        if (found != NULL && found < to && found >= last) {
            last = found;
            words = table[i].words;
        }
    }
    return words;
}

void show_stack(const struct trial *trial)
{
    const char *at = trial->outcome.ending == TIMED_OUT
                         ? late_report_start(&trial->outcome)
                         : report_start(&trial->outcome);
    struct place place, first;
    int frames = 0;
    bool any = next_place(trial, at, &first);
    for (int depth = 0;
         depth < MOST_FRAMES && frames < MOST_OF_ALL && next_place(trial, at, &place);
         depth++) {
        const char *name, *other = other_trace(at, place.begin);
        size_t length = function_before(trial, &place, &name);
        if (length > 0) {
            if (frames == 0) {
                show_callee(trial, at, name);
            }
            depth = other != NULL ? 0 : depth;
            show_place(trial,
                       frames == 0     ? "at"
                       : other != NULL ? other
                                       : "from",
                       &place);
            fprintf(trial->text.file, " in %.*s\n", (int)length, name);
            frames++;
        }
        at = place.end;
    }
    if (frames == 0 && any) { // UndefinedBehaviorSanitizer reports only the line
        show_place(trial, "at", &first);
        fputc('\n', trial->text.file);
    }
}
