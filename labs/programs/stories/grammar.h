// grammar.h - stories from a probabilistic grammar, their probabilities, and recognizing them.
//
//   read.c    reads the text of a grammar into struct grammar; reports errors with their lines
//   names.c   finds what the names in it refer to
//   mean.c    expected nats and characters of a story; computed, not sampled
//   story.c   writes random stories from a seed, each with its probability
//   parse.c   the reverse: finds the derivations of a text
//   main.c    build/stories; start reading there
//
// datasets/stories/stories.grammar is the grammar of lab 8; its first lines explain the language.
//
//     struct grammar g;
//     struct story story;
//     if (grammar_open(&g, "datasets/stories/stories.grammar") != LAB_OK) {
//         puts(g.error);
//     } else if (story_begin(&story, &g, 42) == LAB_OK) {
//         story_next(&story);
//         fwrite(story.text, 1, story.length, stdout);
//         story_end(&story);
//     }
//     grammar_close(&g);

#ifndef LAB_GRAMMAR_H
#define LAB_GRAMMAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/rng.h"
#include "common/status.h"

enum {
    GRAMMAR_ERROR = 300,      // bytes of a message
    GRAMMAR_VARIABLES = 64,   // a set of variables is a uint64_t
    GRAMMAR_LONGEST = 100000, // characters of a story
};

// A table of words; all rows are equally likely. In a grammar: set people: name, he, him, his
struct set {
    const char *name;
    size_t line, columns, rows;
    const char **column; // (columns)
    const char **cell;   // (rows, columns)
};

enum piece_kind {
    PIECE_TEXT,  // Once there was a
    PIECE_RULE,  // {opening}
    PIECE_DRAW,  // {hero = people}: writes nothing
    PIECE_WRITE, // {hero.he}
    PIECE_ANY,   // {colors}: any row of a set
    PIECE_NAME,  // {x}, until the whole file is read: one of PIECE_RULE, _WRITE, _ANY
};

struct piece {
    enum piece_kind kind;
    size_t line;
    const char *text; // of a TEXT; otherwise the name in the braces
    size_t length;    // of a TEXT
    const char *part; // the second name in the braces, or NULL
    size_t rule, variable, set, column;
    bool capital; // {hero.He}: the first letter is a capital
};

struct choice {
    size_t line, weight, first, count; // pieces[first] ...
};

struct rule {
    const char *name;
    size_t line, first, count; // choices[first] ...
    size_t weight;             // of all its choices
    bool used;
};

struct variable {
    const char *name;
    size_t line, set;
};

// The entropy and length of a story or of a part of one, computed over all derivations.
struct measure {
    double nats;   // expected -ln p of a derivation
    double length; // expected number of characters
    size_t shortest, longest;
};

struct grammar {
    struct set *sets;
    struct rule *rules;
    struct choice *choices;
    struct piece *pieces;
    const char **words; // of all sets
    size_t set_count, rule_count, choice_count, piece_count, word_count;
    struct variable variables[GRAMMAR_VARIABLES];
    size_t variable_count;
    size_t start;              // the rule "story"
    struct measure mean;       // of a story with the blank line after it
    bool alphabet[128];        // the characters that stories are made of
    char *text;                // of the file: names and texts point into it
    const char *file;          // for messages
    char error[GRAMMAR_ERROR]; // "stories.grammar:12: ..." after LAB_EFORMAT, LAB_EIO
};

// ---- read.c -------------------------------------------------------------------------------

// Reads and checks a grammar and computes g->mean and g->alphabet. Returns LAB_EIO, LAB_EFORMAT
// or LAB_ENOMEM on an error; then g->error describes it, and the grammar need not be closed.
LAB_CHECKED lab_status grammar_open(struct grammar *g, const char *path);

// The same for a grammar in memory; messages use name.
LAB_CHECKED lab_status grammar_from_text(struct grammar *g, const char *name,
                                         const char *text);

void grammar_close(struct grammar *g);

// Sets g->error to "file:line: ..." and returns LAB_EFORMAT.
LAB_CHECKED lab_status grammar_bad(struct grammar *g, size_t line, const char *format,
                                   ...) __attribute__((format(printf, 3, 4)));

// Returns letter i of a row's word as it appears in the story.
char grammar_letter(const struct piece *piece, const char *word, size_t i);

// ---- names.c ------------------------------------------------------------------------------

// Returns true if word is a name: lowercase letters, digits and _, beginning with a letter.
bool grammar_is_name(const char *word);

// Returns LAB_EFORMAT unless name is a name and no set or rule has it.
LAB_CHECKED lab_status grammar_check_new(struct grammar *g, size_t line,
                                         const char *name);

// Finds the rule, variable or set of every name in braces, and the rule story; then measures
// (mean.c). Returns LAB_EFORMAT on an error, for example if no story uses a rule.
LAB_CHECKED lab_status grammar_resolve(struct grammar *g);

// ---- mean.c -------------------------------------------------------------------------------

// Sets g->mean and g->alphabet, and marks the rules that stories use. Returns LAB_EFORMAT if a
// rule leads back to itself, if a variable is written before it is drawn or is drawn twice, or
// if no row is left to draw.
LAB_CHECKED lab_status grammar_measure(struct grammar *g);

// Returns how many of the variables in the bit set drawn come from this set of words.
size_t grammar_rows_drawn(const struct grammar *g, uint64_t drawn, size_t set);

// ---- story.c ------------------------------------------------------------------------------

struct story {
    char *text; // ends with "\n\n" and '\0'
    size_t length;
    double nats; // -ln of its probability
    const struct grammar *grammar;
    struct lab_rng rng;
    size_t row[GRAMMAR_VARIABLES]; // what was drawn
    uint64_t drawn;                // the variables that have a value now
};

// The same seed gives the same stories. Returns LAB_ENOMEM if there is no memory.
LAB_CHECKED lab_status story_begin(struct story *story, const struct grammar *g,
                                   uint64_t seed);
void story_next(struct story *story);
void story_end(struct story *story);

// ---- parse.c ------------------------------------------------------------------------------

struct parsed {
    uint64_t
        derivations; // the number of ways to write this text; 0: not a story of the grammar
    double nats;     // -ln p of the likeliest of them
    size_t furthest; // characters from the beginning that can begin a story
};

// Parses one story without the blank line after it.
struct parsed story_parse(const struct grammar *g, const char *text, size_t length);

#endif
