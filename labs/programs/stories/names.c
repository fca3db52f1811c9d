// names.c - what the names in braces stand for. Start reading at grammar_resolve.

#include "programs/stories/grammar.h"

#include <ctype.h>
#include <string.h>

bool grammar_is_name(const char *word)
{
    return islower((unsigned char)*word) &&
           word[strspn(word, "abcdefghijklmnopqrstuvwxyz0123456789_")] == '\0';
}

static bool same(const char *a, const char *b)
{
    return strcmp(a, b) == 0;
}

static struct set *find_set(const struct grammar *g, const char *name)
{
    for (size_t i = 0; i < g->set_count; i++) {
        if (same(g->sets[i].name, name)) {
            return &g->sets[i];
        }
    }
    return NULL;
}

static struct rule *find_rule(const struct grammar *g, const char *name)
{
    for (size_t i = 0; i < g->rule_count; i++) {
        if (same(g->rules[i].name, name)) {
            return &g->rules[i];
        }
    }
    return NULL;
}

static const struct variable *find_variable(const struct grammar *g, const char *name)
{
    for (size_t i = 0; i < g->variable_count; i++) {
        if (same(g->variables[i].name, name)) {
            return &g->variables[i];
        }
    }
    return NULL;
}

lab_status grammar_check_new(struct grammar *g, size_t line, const char *name)
{
    const struct set *set = find_set(g, name);
    const struct rule *rule = find_rule(g, name);
    if (!grammar_is_name(name)) {
        return grammar_bad(g, line, "'%.40s' is no name: a-z, 0-9 and _, a letter first",
                           name);
    }
    if (set != NULL || rule != NULL) {
        return grammar_bad(g, line, "%.40s is already the name of line %zu", name,
                           set != NULL ? set->line : rule->line);
    }
    return LAB_OK;
}

static lab_status declare(struct grammar *g, struct piece *piece)
{
    const struct set *set = find_set(g, piece->part);
    if (set == NULL) {
        return grammar_bad(g, piece->line, "there is no set %.40s", piece->part);
    }
    piece->set = (size_t)(set - g->sets);
    const struct variable *old = find_variable(g, piece->text);
    if (old == NULL) {
        LAB_TRY(grammar_check_new(g, piece->line, piece->text));
        if (g->variable_count == GRAMMAR_VARIABLES) {
            return grammar_bad(g, piece->line, "more than %d variables",
                               GRAMMAR_VARIABLES);
        }
        old = &g->variables[g->variable_count];
        g->variables[g->variable_count++] =
            (struct variable){piece->text, piece->line, piece->set};
    }
    if (old->set != piece->set) {
        return grammar_bad(g, piece->line, "%s is drawn from %s in line %zu", piece->text,
                           g->sets[old->set].name, old->line);
    }
    piece->variable = (size_t)(old - g->variables);
    return LAB_OK;
}

static lab_status find_column(struct grammar *g, struct piece *piece, size_t set_index)
{
    const struct set *set = &g->sets[set_index];
    piece->set = set_index;
    piece->column = 0;
    while (piece->part != NULL && piece->column < set->columns &&
           !same(set->column[piece->column], piece->part)) {
        piece->column++;
    }
    if (piece->column == set->columns) {
        return grammar_bad(g, piece->line, "the set %s has no column %.40s", set->name,
                           piece->part);
    }
    return LAB_OK;
}

static lab_status look_up(struct grammar *g, struct piece *piece)
{
    const struct rule *rule = find_rule(g, piece->text);
    const struct set *set = find_set(g, piece->text);
    const struct variable *variable = find_variable(g, piece->text);
    if (rule != NULL) {
        piece->kind = PIECE_RULE;
        piece->rule = (size_t)(rule - g->rules);
        if (piece->part != NULL || piece->capital) {
            return grammar_bad(g, piece->line,
                               "%s is a rule: it has no columns and no capital letter",
                               rule->name);
        }
        return LAB_OK;
    }
    if (variable != NULL) {
        piece->kind = PIECE_WRITE;
        piece->variable = (size_t)(variable - g->variables);
        return find_column(g, piece, variable->set);
    }
    if (set != NULL) {
        piece->kind = PIECE_ANY;
        return find_column(g, piece, (size_t)(set - g->sets));
    }
    return grammar_bad(g, piece->line, "there is no rule, set or variable %.40s",
                       piece->text);
}

lab_status grammar_resolve(struct grammar *g)
{
    for (size_t i = 0; i < g->piece_count; i++) {
        if (g->pieces[i].kind == PIECE_DRAW) {
            LAB_TRY(declare(g, &g->pieces[i]));
        }
    }
    for (size_t i = 0; i < g->piece_count; i++) {
        if (g->pieces[i].kind == PIECE_NAME) {
            LAB_TRY(look_up(g, &g->pieces[i]));
        }
    }
    const struct rule *start = find_rule(g, "story");
    if (start == NULL) {
        return grammar_bad(g, 1, "there is no rule named story, where a story begins");
    }
    g->start = (size_t)(start - g->rules);
    LAB_TRY(grammar_measure(g));
    for (size_t i = 0; i < g->rule_count; i++) {
        if (!g->rules[i].used) {
            return grammar_bad(g, g->rules[i].line, "no story leads to the rule %s",
                               g->rules[i].name);
        }
    }
    return LAB_OK;
}
