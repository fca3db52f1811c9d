// slip_words.c - see slip_words.h.

#include "grade/slip_words.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

// For one slip, and for several. NULL: the words name the place (below), or there is never more than one.
struct words {
    const char *id, *what, *what_several, *why, *why_several;
};

#define ELEMENTS "a number of elements is given instead of a number of bytes"

static const struct words words_of[SLIP_KINDS] = {
    [UNSET_VARIABLE] =
        {"unset-variable", "a local variable is read before it is set",
         "local variables are read before they are set",
         "A local variable holds any number until you set it. If this one "
         "starts at 0, every call is right.",
         "A local variable holds any number until you set it. If these start "
         "at 0, every call is right."},
    [LOOP_FROM_1] =
        {"loop-from-1", "a loop starts at 1, not at 0", "loops start at 1, not at 0",
         "Indices in C start at 0. If this loop starts at 0, every call is right.",
         "Indices in C start at 0. If these loops start at 0, every call is right."},
    [FRACTION_IN_INT] = {"fraction-in-int", "an integer drops fractions", NULL,
                         "An int drops the fraction of each number that it gets, as in a "
                         "sum, and int / int is an int: 1 / 2 is 0. With a float or a "
                         "double in its place, every call is right.",
                         NULL},
    [OTHER_BASE] = {.id = "other-base"},
    [SMALL_NUMBER] = {"small-number", "a small number changes the results", NULL,
                      "With 1e-30 in its place, every call is right. Leave it out, and "
                      "handle the case that it is meant for, such as a division by 0, "
                      "with an if.",
                      NULL},
    [FLOAT_SUM] =
        {"sum-in-float", "a sum in float loses digits", NULL,
         "A float has about seven digits, so what is small beside the sum is "
         "rounded away, and a large sum is infinite. With a double in its place, "
         "every call is right.",
         NULL},
    [MAXIMUM_START] = {.id = "maximum-start",
                       .why =
                           "If all numbers are below its start, the maximum is none of "
                           "them. With -INFINITY in its place, every call is right."},
    [BYTES_OF_FLOATS] = {.id = "elements-for-bytes", .what = ELEMENTS},
    [BYTES_OF_SIZES] = {.id = "elements-for-bytes", .what = ELEMENTS},
    [LOOP_TOO_SHORT] =
        {"loop-too-short", "a loop ends one step too early",
         "loops end one step too early",
         "With one step more, every call is right: s < S runs S times, and "
         "s < S - 1 leaves out the last one.",
         NULL},
    [START_AT_1] = {"starts-at-1", "a variable starts at 1, not at 0", NULL,
                    "A sum of nothing is 0. If this variable starts at 0, every call is "
                    "right.",
                    NULL},
    [OTHER_SIGN] = {"other-sign", "a sign is wrong", NULL,
                    "With the other sign, plus or minus, every call is right.", NULL},
    [OTHER_DIRECTION] = {"other-direction", "a comparison is the wrong way round", NULL,
                         "With < in place of >, or > in place of <, every call is right.",
                         NULL},
};

struct slip_words slip_words(enum slip_kind kind, const char *text,
                             const struct slip *slips, size_t count)
{
    const struct words *words = &words_of[kind];
    const char *place = text + slips[0].at, *by = slips[0].by;
    const int length = (int)slips[0].length;
    const char *what =
        count > 1 && words->what_several ? words->what_several : words->what;
    const char *why = count > 1 && words->why_several ? words->why_several : words->why;
    struct slip_words said = {.id = words->id};
    if (kind == OTHER_BASE) { // "exp2f has the base 2, not e"
        const char *base = memchr(place, '2', slips[0].length) != NULL ? "2" : "10";
        said.what = grader_print("%.*s has the base %s, not e", length, place, base);
        said.why = grader_print("With %s in its place, every call is right.", by);
    } else if (kind == MAXIMUM_START) { // "a maximum starts at 0.0f"
        said.what = grader_print("a maximum starts at %.*s", length, place);
        said.why = grader_print("%s", why);
    } else if (kind == BYTES_OF_FLOATS || kind == BYTES_OF_SIZES) {
        said.what = grader_print("%s", what);
        said.why = grader_print("memcpy, memmove and memset count bytes. With %sin front "
                                "of it, every call is right.",
                                by);
    } else {
        said.what = grader_print("%s", what);
        said.why = grader_print("%s", why);
    }
    return said;
}

void free_slip_words(struct slip_words *words)
{
    free(words->what);
    free(words->why);
}
