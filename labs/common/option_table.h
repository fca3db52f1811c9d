// option_table.h - one table describes a program's options, for parsing and for --help.
//
//     #define AT(member) offsetof(struct settings, member)
//     static const struct option_row rows[] = {
//         {"--steps", "N", "train until step N (2000)", OPTION_SIZE, AT(steps), 0, 1000000},
//         {"--quiet", NULL, "print nothing but errors", OPTION_YES, AT(quiet)},
//         {NULL},
//     };
//     static const struct option_table table = {
//         .program = "train", .more = "see build/train --help", .rows = rows, .column = 22};
//
//     option_table_read(&table, &settings, argc, argv);
//
// Both "--steps 5" and "--steps=5" work. A name may be abbreviated as long as the
// abbreviation is unique. "--help" exists in every table. After an invalid command line the
// program prints one line on stderr and exits with status 2.

#ifndef LAB_OPTION_TABLE_H
#define LAB_OPTION_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Omitted fields of a table's rows are 0.
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

enum { OPTION_EXIT = 2 };

// The type of an option's value, and what is stored at its offset.
enum option_kind {
    OPTION_YES,  // bool: true; the option takes no value
    OPTION_NO,   // bool: false; the option takes no value
    OPTION_TEXT, // const char *: the argument itself
    OPTION_INT,  // int, size_t, uint64_t: an integer from least to most
    OPTION_SIZE,
    OPTION_UINT64,
    OPTION_FLOAT, // float, double: a number from least to most; most 0 means no limit
    OPTION_DOUBLE,
    OPTION_WORD, // an enum: the index of the word in words
    OPTION_CALL, // calls take with the argument
};

struct option_row {
    const char *name;  // "--steps"; NULL: help is a line of text between options
    const char *value; // name of the value in --help: "N"; NULL if the option takes none
    const char *help;  // "\n" starts a new line; NULL: not shown in --help
    enum option_kind kind;
    size_t place; // offset in the program's struct: offsetof
    uint64_t least, most;
    bool below;        // for FLOAT and DOUBLE: the value must be below most
    const char *words; // for WORD: "cpu gpu all"
    bool once; // an error if given twice, because the user may expect both to count
    // word is NULL if the option takes no value.
    void (*take)(void *settings, const struct option_row *row, const char *word);
};

struct option_table {
    const char *program; // "grade": printed before an error message
    const char *more;    // "see build/grade --help": printed after an error message
    const char *before, *after;    // the text of --help around the options
    const struct option_row *rows; // the last row is all 0
    int column;                    // column in which the help texts begin
    // Called with an argument that is not an option; NULL: such an argument is an error.
    void (*argument)(void *settings, const char *word);
};

void option_table_read(const struct option_table *table, void *settings, int argc,
                       char **argv);

// Prints the help and exits with 0.
_Noreturn void option_help(const struct option_table *table);

// Prints "grade: no such thing (see build/grade --help)" and exits with 2.
_Noreturn void option_refuse(const struct option_table *table, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

// For OPTION_CALL and for values from the environment: parses a value, or reports the error
// and exits.
uint64_t option_whole(const struct option_table *table, const char *name,
                      const char *word, uint64_t least, uint64_t most);
double option_real(const struct option_table *table, const struct option_row *row,
                   const char *word);
size_t option_word(const struct option_table *table, const char *name, const char *word,
                   const char *words);

#endif
