// parse.c - how many derivations does a text have?
//
// All of them are tried, depth first: match() reads one piece and goes on with the rest, and when
// it comes back, the next possibility is tried. A variable gets its row where it is first written;
// before that, every row is possible. frame is where a choice goes on when a rule in it is done.
//
// Start reading at story_parse.

#include "programs/stories/grammar.h"

#include <math.h>
#include <string.h>

static const size_t undecided = SIZE_MAX;

struct frame {
    const struct choice *choice;
    uint64_t drawn;   // the variables of this choice
    struct frame *up; // what goes on behind it ...
    size_t next;      // ... with this piece
};

struct parser {
    const struct grammar *g;
    const char *text;
    size_t length;
    size_t row[GRAMMAR_VARIABLES];
    uint64_t drawn;
    double nats;   // of the decisions so far
    uint64_t ways; // to decide what no text tells
    struct parsed result;
};

static void match(struct parser *p, struct frame *f, size_t piece, size_t at);

// Does text (length) follow at this place?
static bool follows(struct parser *p, size_t at, const char *text, size_t length,
                    const struct piece *capital)
{
    size_t i = 0;
    while (i < length && at + i < p->length &&
           p->text[at + i] == (capital ? grammar_letter(capital, text, i) : text[i])) {
        i++;
    }
    if (at + i > p->result.furthest) {
        p->result.furthest = at + i;
    }
    return i == length;
}

static bool is_taken(const struct parser *p, size_t set, size_t row)
{
    for (size_t v = 0; v < p->g->variable_count; v++) {
        if ((p->drawn >> v & 1) && p->g->variables[v].set == set && p->row[v] == row) {
            return true;
        }
    }
    return false;
}

static void match_word(struct parser *p, struct frame *f, size_t at, size_t next,
                       const struct piece *piece, size_t row)
{
    const struct set *set = &p->g->sets[piece->set];
    const char *word = set->cell[row * set->columns + piece->column];
    const size_t length = strlen(word);
    if (follows(p, at, word, length, piece)) {
        match(p, f, next, at + length);
    }
}

static void match_variable(struct parser *p, struct frame *f, size_t at, size_t next,
                           const struct piece *piece)
{
    size_t *row = &p->row[piece->variable];
    if (*row != undecided) {
        match_word(p, f, at, next, piece, *row);
        return;
    }
    for (size_t r = 0; r < p->g->sets[piece->set].rows; r++) {
        if (!is_taken(p, piece->set, r)) {
            *row = r;
            match_word(p, f, at, next, piece, r);
            *row = undecided;
        }
    }
}

static void match_rule(struct parser *p, struct frame *f, size_t at, size_t next,
                       size_t rule)
{
    const struct rule *r = &p->g->rules[rule];
    const double before = p->nats;
    for (size_t i = 0; i < r->count; i++) {
        struct frame inner = {&p->g->choices[r->first + i], 0, f, next};
        p->nats = before - log((double)inner.choice->weight / (double)r->weight);
        match(p, &inner, 0, at);
    }
    p->nats = before;
}

static void match_any(struct parser *p, struct frame *f, size_t at, size_t next,
                      const struct piece *piece)
{
    const size_t rows = p->g->sets[piece->set].rows;
    const double before = p->nats;
    p->nats += log((double)rows);
    for (size_t r = 0; r < rows; r++) {
        match_word(p, f, at, next, piece, r);
    }
    p->nats = before;
}

static void match_draw(struct parser *p, struct frame *f, size_t at, size_t next,
                       const struct piece *piece)
{
    const uint64_t bit = (uint64_t)1 << piece->variable;
    const double before = p->nats;
    p->nats += log((double)(p->g->sets[piece->set].rows -
                            grammar_rows_drawn(p->g, p->drawn, piece->set)));
    p->row[piece->variable] = undecided;
    p->drawn |= bit;
    f->drawn |= bit;
    match(p, f, next, at);
    p->drawn &= ~bit;
    f->drawn &= ~bit;
    p->nats = before;
}

// What a choice drew stands for nothing behind its end. A variable that was never written could
// have been any row that is left.
static void forget(struct parser *p, uint64_t variables)
{
    for (size_t v = 0; v < p->g->variable_count; v++) {
        if ((variables >> v & 1) && p->row[v] == undecided) {
            const size_t set = p->g->variables[v].set;
            p->drawn &= ~((uint64_t)1 << v);
            p->ways *= p->g->sets[set].rows - grammar_rows_drawn(p->g, p->drawn, set);
        }
    }
    p->drawn &= ~variables;
}

static void match_end(struct parser *p, struct frame *f, size_t at)
{
    const uint64_t drawn = p->drawn, ways = p->ways;
    forget(p, f->drawn);
    if (f->up != NULL) {
        // the rows must be back when another possibility is tried
        size_t row[GRAMMAR_VARIABLES];
        memcpy(row, p->row, sizeof row);
        match(p, f->up, f->next, at);
        memcpy(p->row, row, sizeof row);
    } else if (at == p->length) {
        p->result.derivations += p->ways;
        p->result.nats = fmin(p->result.nats, p->nats);
    }
    p->drawn = drawn;
    p->ways = ways;
}

static void match(struct parser *p, struct frame *f, size_t piece, size_t at)
{
    if (piece == f->choice->count) {
        match_end(p, f, at);
        return;
    }
    const struct piece *this = &p->g->pieces[f->choice->first + piece];
    switch (this->kind) {
    case PIECE_TEXT:
        if (follows(p, at, this->text, this->length, NULL)) {
            match(p, f, piece + 1, at + this->length);
        }
        break;
    case PIECE_RULE:
        match_rule(p, f, at, piece + 1, this->rule);
        break;
    case PIECE_DRAW:
        match_draw(p, f, at, piece + 1, this);
        break;
    case PIECE_WRITE:
        match_variable(p, f, at, piece + 1, this);
        break;
    case PIECE_ANY:
        match_any(p, f, at, piece + 1, this);
        break;
    case PIECE_NAME: // none is left
        break;
    }
}

struct parsed story_parse(const struct grammar *g, const char *text, size_t length)
{
    struct parser p = {
        .g = g, .text = text, .length = length, .ways = 1, .result = {.nats = INFINITY}};
    const struct rule *story = &g->rules[g->start];
    for (size_t i = 0; i < story->count; i++) {
        struct frame f = {.choice = &g->choices[story->first + i]};
        p.nats = -log((double)f.choice->weight / (double)story->weight);
        match(&p, &f, 0, 0);
    }
    return p.result;
}
