// mean.c - the entropy of a grammar, computed.
//
// A story's derivation is a row of decisions: which choice of a rule, which row of a set. Nowhere
// does the probability of one depend on which word another drew, so that
//
//     nats(rule) = sum over its choices of p (-ln p + sum over its pieces of nats(piece))
//
// is the expected -ln p, and the same with lengths. How many rows of a set are left does depend on
// which variables were drawn before, so a rule is measured once for each set of variables that it
// is reached with. Over all stories a variable gets every row of its set equally often, also when
// others were drawn before it: the expected length of {hero.he} is the mean of that column.
//
// When no text has two derivations (the tests look for one that has), this is the entropy of the
// text, and no model can have a smaller loss, on average, than nats / length for each character.
//
// Start reading at grammar_measure.

#include "programs/stories/grammar.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { OPEN_RULES = 200 }; // rules inside each other

// A rule, reached with these variables.
struct known {
    size_t rule;
    uint64_t drawn;
    struct measure measure;
};

struct walk {
    struct grammar *g;
    struct known *known;
    size_t known_count;
    bool *open; // (rules): being measured now
    size_t depth;
};

size_t grammar_rows_drawn(const struct grammar *g, uint64_t drawn, size_t set)
{
    size_t count = 0;
    for (size_t v = 0; v < g->variable_count; v++) {
        count += (drawn >> v & 1) && g->variables[v].set == set;
    }
    return count;
}

static void add(struct measure *sum, const struct measure *part)
{
    sum->nats += part->nats;
    sum->length += part->length;
    sum->shortest += part->shortest;
    sum->longest += part->longest;
}

static struct measure of_text(struct grammar *g, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        g->alphabet[(unsigned char)text[i]] = true;
    }
    return (struct measure){0, (double)length, length, length};
}

// Any word of a column, each as likely as another.
static struct measure of_column(struct grammar *g, const struct piece *piece)
{
    const struct set *set = &g->sets[piece->set];
    struct measure mean = {.shortest = SIZE_MAX};
    for (size_t r = 0; r < set->rows; r++) {
        const char *word = set->cell[r * set->columns + piece->column];
        const size_t length = strlen(word);
        for (size_t i = 0; i < length; i++) {
            g->alphabet[(unsigned char)grammar_letter(piece, word, i)] = true;
        }
        mean.length += (double)length / (double)set->rows;
        mean.shortest = length < mean.shortest ? length : mean.shortest;
        mean.longest = length > mean.longest ? length : mean.longest;
    }
    return mean;
}

static lab_status of_draw(struct measure *out, struct grammar *g,
                          const struct piece *piece, uint64_t *drawn)
{
    const struct set *set = &g->sets[piece->set];
    const uint64_t bit = (uint64_t)1 << piece->variable;
    const size_t taken = grammar_rows_drawn(g, *drawn, piece->set);
    if (*drawn & bit) {
        return grammar_bad(g, piece->line, "%s is drawn a second time here", piece->text);
    }
    if (taken == set->rows) {
        return grammar_bad(g, piece->line, "no row of %s is left for %s", set->name,
                           piece->text);
    }
    *drawn |= bit;
    *out = (struct measure){.nats = log((double)(set->rows - taken))};
    return LAB_OK;
}

static lab_status of_rule(struct measure *out, struct walk *walk, size_t rule,
                          uint64_t drawn, size_t line);

static lab_status of_piece(struct measure *out, struct walk *walk,
                           const struct piece *piece, uint64_t *drawn)
{
    struct grammar *g = walk->g;
    switch (piece->kind) {
    case PIECE_TEXT:
        *out = of_text(g, piece->text, piece->length);
        return LAB_OK;
    case PIECE_RULE:
        return of_rule(out, walk, piece->rule, *drawn, piece->line);
    case PIECE_DRAW:
        return of_draw(out, g, piece, drawn);
    case PIECE_WRITE:
        if (!(*drawn >> piece->variable & 1)) {
            return grammar_bad(g, piece->line,
                               "%s is not drawn before this on every way here",
                               g->variables[piece->variable].name);
        }
        *out = of_column(g, piece);
        return LAB_OK;
    case PIECE_ANY:
        *out = of_column(g, piece);
        out->nats = log((double)g->sets[piece->set].rows);
        return LAB_OK;
    case PIECE_NAME: // none is left
        break;
    }
    return LAB_EVALUE;
}

static lab_status of_choice(struct measure *out, struct walk *walk,
                            const struct choice *choice, uint64_t drawn)
{
    *out = (struct measure){0};
    for (size_t i = 0; i < choice->count; i++) {
        struct measure part = {0};
        LAB_TRY(of_piece(&part, walk, &walk->g->pieces[choice->first + i], &drawn));
        add(out, &part);
        if (out->longest > GRAMMAR_LONGEST) {
            return grammar_bad(walk->g, choice->line,
                               "this can be longer than %d characters", GRAMMAR_LONGEST);
        }
    }
    return LAB_OK;
}

static lab_status of_choices(struct measure *out, struct walk *walk,
                             const struct rule *rule, uint64_t drawn)
{
    *out = (struct measure){.shortest = SIZE_MAX};
    for (size_t i = 0; i < rule->count; i++) {
        const struct choice *choice = &walk->g->choices[rule->first + i];
        const double p = (double)choice->weight / (double)rule->weight;
        struct measure one;
        LAB_TRY(of_choice(&one, walk, choice, drawn));
        out->nats += p * (one.nats - log(p));
        out->length += p * one.length;
        out->shortest = one.shortest < out->shortest ? one.shortest : out->shortest;
        out->longest = one.longest > out->longest ? one.longest : out->longest;
    }
    return LAB_OK;
}

static lab_status remember(struct walk *walk, const struct known *known)
{
    struct known *more =
        realloc(walk->known, (walk->known_count + 1) * sizeof *walk->known);
    if (more == NULL) {
        return LAB_ENOMEM;
    }
    walk->known = more;
    walk->known[walk->known_count++] = *known;
    return LAB_OK;
}

static lab_status of_rule(struct measure *out, struct walk *walk, size_t rule,
                          uint64_t drawn, size_t line)
{
    struct grammar *g = walk->g;
    for (size_t i = 0; i < walk->known_count; i++) {
        if (walk->known[i].rule == rule && walk->known[i].drawn == drawn) {
            *out = walk->known[i].measure;
            return LAB_OK;
        }
    }
    if (walk->open[rule]) {
        return grammar_bad(g, line, "%s leads back to itself: a story might never end",
                           g->rules[rule].name);
    }
    if (walk->depth == OPEN_RULES) {
        return grammar_bad(g, line, "more than %d rules inside each other", OPEN_RULES);
    }
    walk->open[rule] = g->rules[rule].used = true;
    walk->depth++;
    LAB_TRY(of_choices(out, walk, &g->rules[rule], drawn));
    walk->depth--;
    walk->open[rule] = false;
    return remember(walk, &(struct known){rule, drawn, *out});
}

lab_status grammar_measure(struct grammar *g)
{
    struct walk walk = {.g = g, .open = calloc(g->rule_count, sizeof *walk.open)};
    const struct measure blank_line = of_text(g, "\n\n", 2);
    lab_status status = walk.open == NULL ? LAB_ENOMEM
                                          : of_rule(&g->mean, &walk, g->start, 0,
                                                    g->rules[g->start].line);
    add(&g->mean, &blank_line);
    free(walk.open);
    free(walk.known);
    return status;
}
