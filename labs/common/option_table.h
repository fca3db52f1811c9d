// option_table.h - the options of a program in one table, for its command line and for --help.
//
//     #define AT(member) offsetof(struct settings, member)
//     static const struct option_row rows[] = {
//         {"--steps", "N", "train until step N (2000)", OPTION_SIZE, AT(steps), 0, 1000000},
//         {"--quiet", NULL, "print nothing but errors", OPTION_YES, AT(quiet)},
//         {NULL},
//     };
//     static const struct option_table table = {
//         .program = "train", .more = "see train --help", .rows = rows, .column = 22};
//
//     option_table_read(&table, &settings, argc, argv);
//
// An option is given as "--steps 5" or "--steps=5". Its name may be cut short as long as no other
// begins so. "--help" is in every table. A command line that makes no sense ends the program with
// exit status 2 and one line on stderr.

#ifndef LAB_OPTION_TABLE_H
#define LAB_OPTION_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The tables list the options; an omitted field is 0.
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

enum { OPTION_EXIT = 2 };

// What an option writes to its place.
enum option_kind {
    OPTION_YES,  // bool: true; the option takes no value
    OPTION_NO,   // bool: false; the option takes no value
    OPTION_TEXT, // const char *: the word itself
    OPTION_INT,  // int, size_t, uint64_t: a whole number from least to most
    OPTION_SIZE,
    OPTION_UINT64,
    OPTION_FLOAT, // float, double: a number from least to most (0: any), or to below it
    OPTION_DOUBLE,
    OPTION_WORD, // an enum: the place of the word in words
    OPTION_CALL, // whatever take does with the word
};

struct option_row {
    const char *name;  // "--steps"; NULL: help is a line of --help, between options
    const char *value; // what --help calls the value: "N"; NULL: there is none
    const char *help;  // "\n" begins another line; NULL: not in --help
    enum option_kind kind;
    size_t place; // in the program's struct: offsetof
    uint64_t least, most;
    bool below;        // of a FLOAT or DOUBLE: most itself is too much
    const char *words; // of a WORD: "cpu gpu all"
    // word is NULL when the option takes no value.
    void (*take)(void *settings, const struct option_row *row, const char *word);
};

struct option_table {
    const char *program;           // "grade": errors begin with it
    const char *more;              // errors end with it: "see grade --help"
    const char *before, *after;    // the rest of --help
    const struct option_row *rows; // ends with a row of NULLs
    int column;                    // where the help of an option begins
    // Takes a word that is no option; NULL: there must be none.
    void (*argument)(void *settings, const char *word);
};

void option_table_read(const struct option_table *table, void *settings, int argc,
                       char **argv);

// Prints --help, and exit(0).
_Noreturn void option_help(const struct option_table *table);

// "grade: no such thing (see grade --help)", and exit(2).
_Noreturn void option_refuse(const struct option_table *table, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

// For OPTION_CALL, and for what comes by the environment: the value, or the refusal.
uint64_t option_whole(const struct option_table *table, const char *name,
                      const char *word, uint64_t least, uint64_t most);
double option_real(const struct option_table *table, const struct option_row *row,
                   const char *word);
size_t option_word(const struct option_table *table, const char *name, const char *word,
                   const char *words);

#endif
