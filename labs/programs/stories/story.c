// story.c - one story after the other. Start reading at story_next.

#include "programs/stories/grammar.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void put(struct story *story, const char *text, size_t length)
{
    memcpy(story->text + story->length, text, length);
    story->length += length;
}

static void put_word(struct story *story, const struct piece *piece, size_t row)
{
    const struct set *set = &story->grammar->sets[piece->set];
    const char *word = set->cell[row * set->columns + piece->column];
    for (size_t i = 0; word[i] != '\0'; i++) {
        story->text[story->length++] = grammar_letter(piece, word, i);
    }
}

// One of n that are equally likely.
static size_t one_of(struct story *story, size_t n)
{
    story->nats += log((double)n);
    return (size_t)lab_rng_int(&story->rng, 0, (int64_t)n);
}

static bool is_taken(const struct story *story, size_t set, size_t row)
{
    const struct grammar *g = story->grammar;
    for (size_t v = 0; v < g->variable_count; v++) {
        if ((story->drawn >> v & 1) && g->variables[v].set == set &&
            story->row[v] == row) {
            return true;
        }
    }
    return false;
}

// Any row that no other variable stands for.
static void draw(struct story *story, const struct piece *piece)
{
    const struct grammar *g = story->grammar;
    const size_t left =
        g->sets[piece->set].rows - grammar_rows_drawn(g, story->drawn, piece->set);
    size_t row = 0;
    for (size_t skip = one_of(story, left) + 1; skip > 0; row++) {
        skip -= !is_taken(story, piece->set, row);
    }
    story->row[piece->variable] = row - 1;
    story->drawn |= (uint64_t)1 << piece->variable;
}

static const struct choice *choose(struct story *story, const struct rule *rule)
{
    const struct choice *choice = story->grammar->choices + rule->first;
    size_t at = (size_t)lab_rng_int(&story->rng, 0, (int64_t)rule->weight);
    while (at >= choice->weight) {
        at -= choice->weight;
        choice++;
    }
    story->nats -= log((double)choice->weight / (double)rule->weight);
    return choice;
}

// What a choice draws stands for something until its end.
static void expand(struct story *story, size_t rule)
{
    const struct grammar *g = story->grammar;
    const struct choice *choice = choose(story, &g->rules[rule]);
    const uint64_t before = story->drawn;
    for (size_t i = 0; i < choice->count; i++) {
        const struct piece *piece = &g->pieces[choice->first + i];
        switch (piece->kind) {
        case PIECE_TEXT:
            put(story, piece->text, piece->length);
            break;
        case PIECE_RULE:
            expand(story, piece->rule);
            break;
        case PIECE_DRAW:
            draw(story, piece);
            break;
        case PIECE_WRITE:
            put_word(story, piece, story->row[piece->variable]);
            break;
        case PIECE_ANY:
            put_word(story, piece, one_of(story, g->sets[piece->set].rows));
            break;
        case PIECE_NAME: // none is left
            break;
        }
    }
    story->drawn = before;
}

lab_status story_begin(struct story *story, const struct grammar *g, uint64_t seed)
{
    *story = (struct story){.grammar = g, .text = malloc(g->mean.longest + 1)};
    lab_rng_seed(&story->rng, seed);
    return story->text != NULL ? LAB_OK : LAB_ENOMEM;
}

void story_next(struct story *story)
{
    story->length = 0;
    story->nats = 0;
    expand(story, story->grammar->start);
    put(story, "\n\n", 2);
    story->text[story->length] = '\0';
}

void story_end(struct story *story)
{
    free(story->text);
    *story = (struct story){0};
}
