// read.c - from the text of a grammar to struct grammar. datasets/stories/stories.grammar explains
// the language.
//
// Three passes: read.c turns lines into sets, rules and choices, keeping names as words;
// names.c looks up every name in braces; mean.c follows every path through the rules and finds
// the remaining errors. Names and texts are not copied: they point into the file's text.
//
// Start reading at grammar_from_text.

#define _POSIX_C_SOURCE 200809L // strdup

#include "programs/stories/grammar.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/plural.h"

enum { FILE_MOST = 1 << 20, WEIGHT_MOST = 1000 };

lab_status grammar_bad(struct grammar *g, size_t line, const char *format, ...)
{
    va_list arguments;
    int used = snprintf(g->error, sizeof g->error, "%.100s:%zu: ", g->file, line);
    va_start(arguments, format);
    vsnprintf(g->error + used, sizeof g->error - (size_t)used, format, arguments);
    va_end(arguments);
    return LAB_EFORMAT;
}

char grammar_letter(const struct piece *piece, const char *word, size_t i)
{
    return (char)(piece->capital && i == 0 ? toupper((unsigned char)word[i]) : word[i]);
}

// ---- words --------------------------------------------------------------------------------

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

// Removes spaces at both ends.
static char *trimmed(char *text)
{
    char *end = text + strlen(text);
    while (end > text && is_blank(end[-1])) {
        *--end = '\0';
    }
    return text + strspn(text, " \t");
}

// ---- sets ---------------------------------------------------------------------------------

// Splits "a, b, c" at the commas into words (most) and returns their number.
static size_t split(const char **words, size_t most, char *text)
{
    size_t count = 0;
    for (char *next; text != NULL; text = next) {
        next = strchr(text, ',');
        if (next != NULL) {
            *next++ = '\0';
        }
        if (count < most) {
            words[count] = trimmed(text);
        }
        count++;
    }
    return count;
}

enum { COLUMNS = 16 };

// Reads what follows "set ": "person: name, he, him, his".
static lab_status read_set(struct grammar *g, size_t line, char *text)
{
    const char *words[COLUMNS];
    char *colon = strchr(text, ':');
    if (colon == NULL) {
        return grammar_bad(g, line, "a set is 'set NAME: COLUMN, COLUMN ...'");
    }
    *colon = '\0';
    struct set new = {.name = trimmed(text), .line = line};
    LAB_TRY(grammar_check_new(g, line, new.name));
    new.columns = split(words, COLUMNS, colon + 1);
    if (new.columns > COLUMNS) {
        return grammar_bad(g, line, "more than %d columns", COLUMNS);
    }
    for (size_t i = 0; i < new.columns; i++) {
        if (!grammar_is_name(words[i])) {
            return grammar_bad(g, line, "'%.40s' is not a column name", words[i]);
        }
    }
    new.column = g->words + g->word_count;
    memcpy(new.column, words, new.columns * sizeof *words);
    g->word_count += new.columns;
    new.cell = g->words + g->word_count;
    g->sets[g->set_count++] = new;
    return LAB_OK;
}

static lab_status read_row(struct grammar *g, struct set *set, size_t line, char *text)
{
    const char *words[COLUMNS];
    const size_t count = split(words, COLUMNS, text);
    if (count != set->columns) {
        return grammar_bad(g, line, "%zu word%s for %zu column%s of the set %s", count,
                           plural((double)count), set->columns,
                           plural((double)set->columns), set->name);
    }
    for (size_t i = 0; i < count; i++) {
        if (*words[i] == '\0' || strpbrk(words[i], "{}\\|") != NULL) {
            return grammar_bad(g, line, "'%.40s' is not a word for the column %s",
                               words[i], set->column[i]);
        }
        g->words[g->word_count++] = words[i];
    }
    set->rows++;
    return LAB_OK;
}

// ---- rules --------------------------------------------------------------------------------

static void add_piece(struct grammar *g, struct piece piece)
{
    g->pieces[g->piece_count++] = piece;
    g->choices[g->choice_count - 1].count++;
}

// Reads the text in braces: "hero = person", "hero.he", "Hero.he" or "opening".
static lab_status read_braces(struct grammar *g, size_t line, char *inside)
{
    struct piece piece = {.kind = PIECE_NAME, .line = line};
    char *between = strpbrk(inside, ".=");
    const char sign[2] = {between != NULL ? *between : '\0', '\0'};
    if (between != NULL) {
        piece.kind = *between == '=' ? PIECE_DRAW : PIECE_NAME;
        *between = '\0';
        piece.part = trimmed(between + 1);
    }
    char *name = trimmed(inside), *last = between != NULL ? trimmed(between + 1) : name;
    if (piece.kind == PIECE_NAME && isupper((unsigned char)*last)) {
        piece.capital = true;
        *last = (char)tolower((unsigned char)*last);
    }
    piece.text = name;
    if (!grammar_is_name(name) || !grammar_is_name(last)) {
        return grammar_bad(g, line,
                           "{%.40s%s%.40s}: braces hold NAME, NAME.COLUMN or NAME = SET",
                           name, sign, between != NULL ? last : "");
    }
    add_piece(g, piece);
    return LAB_OK;
}

// Reads the text up to the next brace and replaces "\n" with a newline in place.
static lab_status read_letters(struct grammar *g, size_t line, char **text)
{
    char *from = *text, *to = *text;
    struct piece piece = {.kind = PIECE_TEXT, .line = line, .text = *text};
    while (*from != '\0' && *from != '{') {
        if (*from == '}') {
            return grammar_bad(g, line, "a '}' without a '{' before it");
        }
        if (*from == '\\' && from[1] != 'n') {
            return grammar_bad(g, line, "'\\%.1s': the only escape is '\\n'", from + 1);
        }
        const bool escape = *from == '\\';
        *to++ = (char)(escape ? '\n' : *from);
        from += escape ? 2 : 1;
    }
    piece.length = (size_t)(to - *text);
    *text = from;
    add_piece(g, piece);
    return LAB_OK;
}

// A draw writes nothing, and neither do the spaces after it.
static lab_status read_pieces(struct grammar *g, size_t line, char *text)
{
    while (*text != '\0') {
        if (*text != '{') {
            LAB_TRY(read_letters(g, line, &text));
            continue;
        }
        char *end = strchr(text, '}');
        if (end == NULL) {
            return grammar_bad(g, line, "a '{' without a '}' after it");
        }
        *end = '\0';
        LAB_TRY(read_braces(g, line, text + 1));
        text = end + 1;
        if (g->pieces[g->piece_count - 1].kind == PIECE_DRAW) {
            text += strspn(text, " \t");
        }
    }
    return LAB_OK;
}

static lab_status begin_choice(struct grammar *g, struct rule *rule, size_t line,
                               const char *weight)
{
    char *end;
    const long value = strtol(weight, &end, 10);
    if (!isdigit((unsigned char)*weight) || *end != '\0' || value < 1 ||
        value > WEIGHT_MOST) {
        return grammar_bad(g, line,
                           "a weight is a whole number from 1 to %d, not '%.40s'",
                           WEIGHT_MOST, weight);
    }
    g->choices[g->choice_count++] =
        (struct choice){line, (size_t)value, g->piece_count, 0};
    rule->count++;
    rule->weight += (size_t)value;
    return LAB_OK;
}

// Joins the lines of a choice with a space, unless the first line ends with a draw or ends a
// line of the story.
static lab_status go_on(struct grammar *g, const struct rule *rule, size_t line)
{
    if (rule->count == 0) {
        return grammar_bad(g, line, "the first choice of %s has no weight", rule->name);
    }
    const struct piece *last = &g->pieces[g->piece_count - 1];
    if (last->kind != PIECE_DRAW &&
        (last->kind != PIECE_TEXT || last->text[last->length - 1] != '\n')) {
        add_piece(g, (struct piece){.line = line, .text = " ", .length = 1});
    }
    return LAB_OK;
}

// "3 | text" is a choice; "| text" continues the one above.
static lab_status read_choice(struct grammar *g, struct rule *rule, size_t line,
                              char *text)
{
    char *bar = strchr(text, '|');
    if (bar == NULL) {
        return grammar_bad(g, line, "a choice is 'WEIGHT | TEXT'; '| TEXT' continues it");
    }
    *bar = '\0';
    const char *weight = trimmed(text);
    char *rest = trimmed(bar + 1);
    LAB_TRY(*weight != '\0' ? begin_choice(g, rule, line, weight) : go_on(g, rule, line));
    if (*rest == '\0') {
        return grammar_bad(g, line, "a choice without text");
    }
    return read_pieces(g, line, rest);
}

// "opening:"
static lab_status read_rule(struct grammar *g, size_t line, char *text)
{
    char *colon = strchr(text, ':');
    if (colon == NULL || *trimmed(colon + 1) != '\0') {
        return grammar_bad(g, line, "a rule is 'NAME:', with its choices below it");
    }
    *colon = '\0';
    const char *name = trimmed(text);
    LAB_TRY(grammar_check_new(g, line, name));
    g->rules[g->rule_count++] =
        (struct rule){.name = name, .line = line, .first = g->choice_count};
    return LAB_OK;
}

// ---- lines --------------------------------------------------------------------------------

// The set or rule that indented lines belong to.
enum section { NOTHING, IN_SET, IN_RULE };

static lab_status read_line(struct grammar *g, enum section *section, size_t line,
                            char *text)
{
    for (const char *c = text; *c != '\0'; c++) {
        if ((*c < ' ' || *c > '~') && *c != '\t') {
            return grammar_bad(g, line, "byte %u: stories are plain ASCII",
                               (unsigned)(unsigned char)*c);
        }
    }
    const bool indented = is_blank(*text);
    if (*text == '#' || *trimmed(text) == '\0') {
        return LAB_OK;
    }
    if (!indented && strncmp(text, "set ", 4) == 0) {
        *section = IN_SET;
        return read_set(g, line, text + 4);
    }
    if (!indented) {
        *section = IN_RULE;
        return read_rule(g, line, text);
    }
    switch (*section) {
    case IN_SET:
        return read_row(g, &g->sets[g->set_count - 1], line, text);
    case IN_RULE:
        return read_choice(g, &g->rules[g->rule_count - 1], line, text);
    default:
        return grammar_bad(g, line, "this line belongs to no set and no rule");
    }
}

static lab_status read_lines(struct grammar *g)
{
    enum section section = NOTHING;
    size_t line = 1;
    for (char *text = g->text, *next; text != NULL; text = next, line++) {
        next = strchr(text, '\n');
        if (next != NULL) {
            *next++ = '\0';
        }
        LAB_TRY(read_line(g, &section, line, text));
    }
    for (size_t i = 0; i < g->set_count; i++) {
        if (g->sets[i].rows == 0) {
            return grammar_bad(g, g->sets[i].line, "the set %s has no rows",
                               g->sets[i].name);
        }
    }
    for (size_t i = 0; i < g->rule_count; i++) {
        if (g->rules[i].count == 0) {
            return grammar_bad(g, g->rules[i].line, "the rule %s has no choices",
                               g->rules[i].name);
        }
    }
    return LAB_OK;
}

// ---- from a text, from a file ---------------------------------------------------------------

void grammar_close(struct grammar *g)
{
    free(g->sets);
    free(g->rules);
    free(g->choices);
    free(g->pieces);
    free(g->words);
    free(g->text);
    g->sets = NULL;
    g->rules = NULL;
    g->choices = NULL;
    g->pieces = NULL;
    g->words = NULL;
    g->text = NULL;
}

static size_t count_of(const char *text, char c)
{
    size_t count = 0;
    for (; *text != '\0'; text++) {
        count += *text == c;
    }
    return count;
}

// Allocates as much as this number of lines, commas and braces can need.
static lab_status make_room(struct grammar *g)
{
    const size_t lines = count_of(g->text, '\n') + 1, braces = count_of(g->text, '{');
    g->sets = calloc(lines, sizeof *g->sets);
    g->rules = calloc(lines, sizeof *g->rules);
    g->choices = calloc(lines, sizeof *g->choices);
    g->pieces = calloc(2 * (lines + braces), sizeof *g->pieces);
    g->words = calloc(lines + count_of(g->text, ','), sizeof *g->words);
    const bool all = g->sets != NULL && g->rules != NULL && g->choices != NULL &&
                     g->pieces != NULL && g->words != NULL;
    return all ? LAB_OK : LAB_ENOMEM;
}

static lab_status read_all(struct grammar *g)
{
    LAB_TRY(make_room(g));
    LAB_TRY(read_lines(g));
    return grammar_resolve(g);
}

lab_status grammar_from_text(struct grammar *g, const char *name, const char *text)
{
    *g = (struct grammar){.file = name, .text = strdup(text)};
    lab_status status = g->text != NULL ? read_all(g) : LAB_ENOMEM;
    if (status == LAB_ENOMEM) {
        snprintf(g->error, sizeof g->error, "%.100s: out of memory", name);
    }
    if (status != LAB_OK) {
        grammar_close(g);
    }
    return status;
}

// Reads the whole file into text (FILE_MOST + 1), which is all zeros.
static lab_status read_file(struct grammar *g, char *text, const char *path)
{
    FILE *file = fopen(path, "rb");
    const size_t size = file != NULL ? fread(text, 1, FILE_MOST, file) : 0;
    const bool failed = file == NULL || ferror(file);
    const int why = errno;
    if (file != NULL) {
        fclose(file);
    }
    if (failed) {
        snprintf(g->error, sizeof g->error, "cannot read %.100s: %s", path,
                 strerror(why));
        return LAB_EIO;
    }
    if (size == FILE_MOST || strlen(text) != size) {
        snprintf(g->error, sizeof g->error, "%.100s is not a text of less than %d bytes",
                 path, FILE_MOST);
        return LAB_EFORMAT;
    }
    return LAB_OK;
}

lab_status grammar_open(struct grammar *g, const char *path)
{
    *g = (struct grammar){.file = path};
    char *text = calloc(FILE_MOST + 1, 1);
    if (text == NULL) {
        snprintf(g->error, sizeof g->error, "%.100s: out of memory", path);
        return LAB_ENOMEM;
    }
    lab_status status = read_file(g, text, path);
    if (status == LAB_OK) {
        status = grammar_from_text(g, path, text);
    }
    free(text);
    return status;
}
