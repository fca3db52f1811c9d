// test_stories.c - the stories of lab 8: their English, their probabilities, and the reader of
// grammars (labs/programs/stories, datasets/stories/stories.grammar).
//
// The English is checked on the text alone, using only the word lists of the grammar.

#include <criterion/criterion.h>
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "programs/stories/grammar.h"

enum { STORIES = 2000, WORDS = 400, WORD = 24 };

static struct grammar g;
static struct story story;

static void open_grammar(void)
{
    lab_status status = grammar_open(&g, "datasets/stories/stories.grammar");
    cr_assert_eq(status, LAB_OK, "%s", g.error);
    cr_assert_eq(story_begin(&story, &g, 7), LAB_OK);
}

static void close_grammar(void)
{
    story_end(&story);
    grammar_close(&g);
}

TestSuite(stories, .init = open_grammar, .fini = close_grammar);
TestSuite(english, .init = open_grammar, .fini = close_grammar);

// ---- words --------------------------------------------------------------------------------

// A story's words in small letters, and the place where each word begins. The word "" ends a
// sentence, a quotation or a bracket.
struct words {
    char word[WORDS][WORD];
    size_t count;
};

static void split(struct words *words, const char *text)
{
    *words = (struct words){.count = 0};
    for (const char *c = text; *c != '\0';) {
        cr_assert(words->count + 2 < WORDS);
        if (isalnum((unsigned char)*c)) {
            char *word = words->word[words->count++];
            for (size_t i = 0; isalnum((unsigned char)*c) && i + 1 < WORD; i++) {
                word[i] = (char)tolower((unsigned char)*c++);
            }
        } else {
            words->count += *c != ' ' && *c != '\n'; // an empty word
            c++;
        }
    }
}

static const struct set *set_of(const char *name)
{
    size_t i = 0;
    while (i < g.set_count && strcmp(g.sets[i].name, name) != 0) {
        i++;
    }
    cr_assert_lt(i, g.set_count, "there is no set %s", name);
    return &g.sets[i];
}

static size_t column_of(const struct set *set, const char *name)
{
    size_t c = 0;
    while (c < set->columns && strcmp(set->column[c], name) != 0) {
        c++;
    }
    cr_assert_lt(c, set->columns, "%s has no column %s", set->name, name);
    return c;
}

// Compares the words, ignoring a capital first letter in cell.
static bool same(const char *cell, const char *word)
{
    return tolower((unsigned char)*cell) == *word && strcmp(cell + 1, word + 1) == 0;
}

// The row that has the word in that column of that set of the grammar, or NULL.
static const char **row_of(const char *word, const char *set_name, const char *column)
{
    const struct set *set = set_of(set_name);
    const size_t c = column_of(set, column);
    for (size_t r = 0; *word != '\0' && r < set->rows; r++) {
        if (same(set->cell[r * set->columns + c], word)) {
            return &set->cell[r * set->columns];
        }
    }
    return NULL;
}

static bool is_in(const char *word, const char *set, const char *column)
{
    return row_of(word, set, column) != NULL;
}

static bool is_singular(const char *word)
{
    return is_in(word, "animals", "one") || is_in(word, "foods", "one");
}

static bool is_plural(const char *word)
{
    return is_in(word, "animals", "many") || is_in(word, "foods", "many");
}

static int number(const char *word)
{
    static const char *const names[] = {"zero", "one",    "two",   "three", "four",
                                        "five", "six",    "seven", "eight", "nine",
                                        "ten",  "eleven", "twelve"};
    for (int n = 0; n <= 12; n++) {
        if (strcmp(word, names[n]) == 0) {
            return n;
        }
    }
    return -1;
}

// ---- English ------------------------------------------------------------------------------

Test(english, numbers_agree_with_nouns_and_verbs)
{
    size_t nouns = 0, verbs = 0;
    struct words w;
    for (size_t i = 0; i < STORIES; i++) {
        story_next(&story);
        split(&w, story.text);
        for (size_t k = 0; k + 2 < w.count; k++) {
            const char *first = w.word[k], *noun = w.word[k + 1], *verb = w.word[k + 2];
            const bool one = is_singular(noun), many = is_plural(noun);
            if (number(first) > 0 && (one || many)) {
                cr_assert_eq(one, number(first) == 1, "%s %s: %s", first, noun,
                             story.text);
                nouns++;
            }
            if ((one || many) && (number(first) > 0 || strcmp(first, "the") == 0) &&
                (is_in(verb, "acts", "sleeps") || is_in(verb, "acts", "sleep"))) {
                cr_assert_eq(one, is_in(verb, "acts", "sleeps"), "%s %s: %s", noun, verb,
                             story.text);
                verbs++;
            }
            if ((one || many) &&
                (strcmp(verb, "was") == 0 || strcmp(verb, "were") == 0)) {
                cr_assert_eq(one, verb[2] == 's', "%s %s: %s", noun, verb, story.text);
                verbs++;
            }
        }
    }
    cr_assert(nouns > STORIES && verbs > STORIES / 4, "%zu nouns, %zu verbs", nouns,
              verbs);
}

Test(english, a_comes_before_consonants_and_an_before_vowels)
{
    struct words w;
    size_t an = 0;
    for (size_t i = 0; i < STORIES; i++) {
        story_next(&story);
        split(&w, story.text);
        for (size_t k = 0; k + 1 < w.count; k++) {
            const char *article = w.word[k], *next = w.word[k + 1];
            if (strcmp(article, "a") == 0 || strcmp(article, "an") == 0) {
                cr_assert_neq(*next, '\0', "%s", story.text);
                cr_assert_eq(strchr("aeiou", *next) != NULL, article[1] == 'n',
                             "%s %s: %s", article, next, story.text);
                an += article[1] == 'n';
            }
        }
    }
    cr_assert_gt(an, STORIES / 20);
}

Test(english, sums_are_right_and_the_words_after_them_too)
{
    size_t sums = 0;
    for (size_t i = 0; i < STORIES; i++) {
        story_next(&story);
        for (const char *at = story.text; (at = strstr(at, " + ")) != NULL; at++) {
            const char *begin = at;
            int a, b, c;
            struct words w;
            while (isdigit((unsigned char)begin[-1])) {
                begin--;
            }
            cr_assert_eq(sscanf(begin, "%d + %d = %d", &a, &b, &c), 3, "%s", story.text);
            cr_assert_eq(a + b, c, "%s", story.text);
            split(&w, at);
            size_t k = 0;
            while (k < w.count && number(w.word[k]) < 0) {
                k++;
            }
            cr_assert(k < w.count && number(w.word[k]) == c, "%s", story.text);
            sums++;
        }
    }
    cr_assert_gt(sums, STORIES / 5);
}

Test(english, brackets_and_quotes_close_in_the_line_they_open_in)
{
    size_t brackets = 0, quotes = 0, inside = 0;
    for (size_t i = 0; i < STORIES; i++) {
        char open[8];
        size_t depth = 0;
        story_next(&story);
        for (const char *c = story.text; *c != '\0'; c++) {
            if (*c == '(' || (*c == '"' && (depth == 0 || open[depth - 1] != '"'))) {
                cr_assert_lt(depth, sizeof open);
                inside += depth > 0;
                open[depth++] = *c;
                brackets += *c == '(';
                quotes += *c == '"';
            } else if (*c == ')' || *c == '"') {
                cr_assert(depth > 0 && open[depth - 1] == (*c == ')' ? '(' : '"'), "%s",
                          story.text);
                depth--;
            } else if (*c == '\n') {
                cr_assert_eq(depth, 0, "%s", story.text);
            }
        }
    }
    cr_assert(brackets > STORIES / 2 && quotes > STORIES && inside > STORIES / 20,
              "%zu %zu %zu", brackets, quotes, inside);
}

static size_t times(const struct words *w, const char *word)
{
    size_t count = 0;
    for (size_t k = 0; k < w->count; k++) {
        count += same(word, w->word[k]);
    }
    return count;
}

// The number of different people who are named and have that pronoun. Everyone must be named at
// least twice.
static size_t people(const struct words *w, const char *pronoun)
{
    const struct set *set = set_of("people");
    size_t count = 0;
    for (size_t r = 0; r < set->rows; r++) {
        const char *const *row = &set->cell[r * set->columns];
        const size_t named = times(w, row[0]);
        if (strcmp(row[0], "Will") != 0) { // the word, too
            cr_assert_neq(named, 1, "%s is named once: %s", row[0], story.text);
        }
        count += named > 0 && strcmp(row[column_of(set, "he")], pronoun) == 0;
    }
    return count;
}

Test(english, people_come_back_and_pronouns_have_somebody_to_refer_to)
{
    size_t pronouns = 0;
    struct words w;
    for (size_t i = 0; i < STORIES; i++) {
        story_next(&story);
        split(&w, story.text);
        const size_t hers = times(&w, "she") + times(&w, "her") + times(&w, "girl");
        const size_t his =
            times(&w, "he") + times(&w, "him") + times(&w, "his") + times(&w, "boy");
        const size_t girls = people(&w, "she"), boys = people(&w, "he");
        cr_assert(hers == 0 || girls > 0, "%s", story.text);
        cr_assert(his == 0 || boys > 0, "%s", story.text);
        cr_assert(girls + boys >= 1 && girls + boys <= 4, "%s", story.text);
        pronouns += hers + his;
    }
    cr_assert_gt(pronouns, 2 * STORIES);
}

Test(english, girls_are_named_as_girls_and_boys_as_boys)
{
    size_t named = 0;
    struct words w;
    for (size_t i = 0; i < STORIES; i++) {
        story_next(&story);
        split(&w, story.text);
        for (size_t k = 0; k + 2 < w.count; k++) {
            const bool girl = strcmp(w.word[k], "girl") == 0;
            if ((girl || strcmp(w.word[k], "boy") == 0) &&
                strcmp(w.word[k + 1], "named") == 0) {
                const char **row = row_of(w.word[k + 2], "people", "name");
                cr_assert_not_null(row, "%s", story.text);
                cr_assert_str_eq(row[1], girl ? "she" : "he", "%s", story.text);
                named++;
            }
        }
    }
    cr_assert_gt(named, STORIES / 4);
}

Test(english, it_refers_to_something_named_before)
{
    size_t refers = 0;
    struct words w;
    for (size_t i = 0; i < STORIES; i++) {
        bool something = false;
        story_next(&story);
        split(&w, story.text);
        for (size_t k = 0; k < w.count; k++) {
            const char *word = w.word[k];
            if (strcmp(word, "it") == 0) {
                cr_assert(something, "%s", story.text);
                refers++;
            }
            something = something || is_in(word, "things", "one") || is_singular(word) ||
                        is_plural(word) || strcmp(word, "letter") == 0 ||
                        strcmp(word, "noise") == 0;
        }
    }
    cr_assert_gt(refers, STORIES / 2);
}

Test(english, a_story_begins_afresh_and_ends_with_a_blank_line)
{
    size_t once = 0;
    for (size_t i = 0; i < STORIES; i++) {
        story_next(&story);
        once += strncmp(story.text, "Once ", 5) == 0;
        cr_assert(isupper((unsigned char)*story.text));
        cr_assert_str_eq(strstr(story.text, "\n\n"), "\n\n", "%s", story.text);
        cr_assert_eq(strlen(story.text), story.length);
        cr_assert_eq(strstr(story.text, "  "), NULL, "%s", story.text);
        cr_assert_eq(strstr(story.text, " \n"), NULL, "%s", story.text);
        cr_assert_eq(strstr(story.text, "\n "), NULL, "%s", story.text);
    }
    cr_assert_gt(once, STORIES / 2);
}

// ---- probabilities ------------------------------------------------------------------------

// FNV-1a
static uint64_t hash(uint64_t h, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        h = (h ^ (unsigned char)text[i]) * 1099511628211u;
    }
    return h;
}

static uint64_t hash_of_stories(uint64_t seed, size_t count)
{
    uint64_t h = 14695981039346656037u;
    struct story s;
    cr_assert_eq(story_begin(&s, &g, seed), LAB_OK);
    for (size_t i = 0; i < count; i++) {
        story_next(&s);
        h = hash(h, s.text, s.length);
    }
    story_end(&s);
    return h;
}

// The shipped model was trained on these stories. If you change the grammar, change this number
// and train the model again.
Test(stories, a_seed_gives_the_same_stories_on_every_machine)
{
    cr_assert_eq(hash_of_stories(1, 1000), UINT64_C(6590631154129504189),
                 "the stories of seed 1 now: %llu",
                 (unsigned long long)hash_of_stories(1, 1000));
    cr_assert_neq(hash_of_stories(2, 1000), hash_of_stories(1, 1000));
}

Test(stories, the_entropy_is_the_mean_over_many_stories)
{
    enum { MANY = 50000 };
    double nats = 0, nats2 = 0, length = 0, length2 = 0;
    for (size_t i = 0; i < MANY; i++) {
        story_next(&story);
        const double l = (double)story.length;
        nats += story.nats / MANY;
        nats2 += story.nats * story.nats / MANY;
        length += l / MANY;
        length2 += l * l / MANY;
        cr_assert(story.length >= g.mean.shortest && story.length <= g.mean.longest);
    }
    const double error = sqrt((nats2 - nats * nats) / MANY);
    const double length_error = sqrt((length2 - length * length) / MANY);
    cr_expect(fabs(nats - g.mean.nats) < 4 * error, "%g, computed %g, error %g", nats,
              g.mean.nats, error);
    cr_expect(fabs(length - g.mean.length) < 4 * length_error,
              "%g, computed %g, error %g", length, g.mean.length, length_error);
    cr_expect(error < 0.001 * nats && length_error < 0.002 * length);
}

Test(stories, a_model_has_something_to_learn_and_few_letters_to_write_it_with)
{
    const double bits = g.mean.nats / g.mean.length / log(2);
    bool seen[128] = {false};
    size_t letters = 0;
    for (size_t i = 0; i < 10 * STORIES; i++) {
        story_next(&story);
        for (size_t k = 0; k < story.length; k++) {
            seen[(unsigned char)story.text[k]] = true;
        }
    }
    for (int c = 0; c < 128; c++) {
        cr_expect_eq(seen[c], g.alphabet[c], "'%c'", c);
        letters += seen[c];
    }
    cr_expect(letters <= 64, "%zu", letters);
    cr_expect(bits > 0.1 && bits < 0.35, "%g", bits);
}

Test(stories, every_story_has_one_derivation_of_the_probability_it_was_written_with)
{
    for (size_t i = 0; i < 3 * STORIES; i++) {
        story_next(&story);
        const struct parsed parsed = story_parse(&g, story.text, story.length - 2);
        cr_assert_eq(parsed.derivations, 1, "%llu: %s",
                     (unsigned long long)parsed.derivations, story.text);
        cr_assert_eq(parsed.furthest, story.length - 2);
        cr_assert(fabs(parsed.nats - story.nats) < 1e-9 * story.nats, "%g %g: %s",
                  parsed.nats, story.nats, story.text);
    }
}

Test(stories, a_story_with_one_letter_changed_is_none)
{
    struct lab_rng rng;
    size_t still = 0;
    lab_rng_seed(&rng, 1);
    for (size_t i = 0; i < STORIES; i++) {
        story_next(&story);
        const size_t at = (size_t)lab_rng_int(&rng, 0, (int64_t)story.length - 2);
        story.text[at] = story.text[at] == 'x' ? 'q' : 'x';
        const struct parsed parsed = story_parse(&g, story.text, story.length - 2);
        still += parsed.derivations > 0; // a box for a bag
        cr_assert(parsed.derivations > 0 || parsed.furthest >= at, "%zu of %zu: %s",
                  parsed.furthest, at, story.text);
    }
    cr_assert_eq(still, 0);
}

Test(stories, five_million_bytes_take_little_processor_time)
{
    const clock_t begin = clock();
    size_t bytes = 0;
    while (bytes < 5000000) {
        story_next(&story);
        bytes += story.length;
    }
    const double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
    cr_assert_lt(seconds, 5, "%g", seconds);
}

// ---- small grammars with known numbers ----------------------------------------------------

static void read_text(struct grammar *small, const char *text)
{
    lab_status status = grammar_from_text(small, "small", text);
    cr_assert_eq(status, LAB_OK, "%s", small->error);
}

static const char pets[] = "set pets: name, its\n"
                           "    dog, his\n"
                           "    cat, her\n"
                           "    ant, its\n";

Test(grammar, entropy_and_length_are_those_computed_by_hand)
{
    char text[500];
    struct grammar small;
    snprintf(text, sizeof text, "%s%s", pets,
             "story:\n"
             "    3 | {a = pets} {b = pets} {A} and {b}{end}\n"
             "    1 | {pets.its}\n"
             "end:\n"
             "    1 | !\n"
             "    1 | ??\n");
    read_text(&small, text);
    const double choice = 0.75 * log(4.0 / 3) + 0.25 * log(4);
    const double nats = choice + 0.75 * (log(3) + log(2) + log(2)) + 0.25 * log(3);
    cr_expect(fabs(small.mean.nats - nats) < 1e-12, "%g %g", small.mean.nats, nats);
    const double length = 0.75 * (3 + 5 + 3 + 1.5) + 0.25 * 3 + 2;
    cr_expect(fabs(small.mean.length - length) < 1e-12, "%g %g", small.mean.length,
              length);
    cr_expect_eq(small.mean.shortest, 5);
    cr_expect_eq(small.mean.longest, 15);
    grammar_close(&small);
}

Test(grammar, the_probabilities_of_all_stories_sum_to_one)
{
    enum { DRAWS = 4000, KINDS = 40 };
    char text[500], kinds[KINDS][40];
    size_t count = 0;
    double sum = 0;
    struct grammar small;
    struct story s;
    snprintf(text, sizeof text, "%s%s", pets,
             "story:\n"
             "    5 | {a = pets} {b = pets} {a} {b} {rest}\n"
             "    2 | only {pets}\n"
             "rest:\n"
             "    1 | and {c = pets} {c} with {c.its} {b}\n"
             "    2 | {a.its} {b.its}\n");
    read_text(&small, text);
    cr_assert_eq(story_begin(&s, &small, 3), LAB_OK);
    for (size_t i = 0; i < DRAWS; i++) {
        size_t k = 0;
        story_next(&s);
        while (k < count && strcmp(kinds[k], s.text) != 0) {
            k++;
        }
        if (k == count) {
            cr_assert(count < KINDS && s.length < sizeof kinds[0]);
            memcpy(kinds[count++], s.text, s.length + 1);
            sum += exp(-s.nats);
        }
    }
    cr_expect_eq(count, 6 * 2 + 3, "%zu", count);
    cr_expect(fabs(sum - 1) < 1e-12, "%.15g", sum);
    story_end(&s);
    grammar_close(&small);
}

Test(grammar, several_derivations_are_counted)
{
    char text[500];
    struct grammar small;
    snprintf(text, sizeof text, "%s%s", pets,
             "story:\n"
             "    1 | {pets.name} {end}\n"
             "    2 | cat{end}\n"
             "    1 | {a = pets} {b = pets} {a} !\n"
             "end:\n"
             "    1 | \\n.\n"
             "    1 | !\n");
    read_text(&small, text);
    struct parsed parsed = story_parse(&small, "cat !", 5);
    cr_expect_eq(parsed.derivations, 1 + 2, "%d", (int)parsed.derivations);
    parsed = story_parse(&small, "cat!", 4);
    cr_expect_eq(parsed.derivations, 1);
    cr_expect(fabs(parsed.nats - log(4)) < 1e-12, "%g", parsed.nats);
    parsed = story_parse(&small, "cat\n.", 5);
    cr_expect_eq(parsed.derivations, 1);
    parsed = story_parse(&small, "cat?", 4);
    cr_expect(parsed.derivations == 0 && parsed.furthest == 3);
    grammar_close(&small);
}

Test(grammar, two_variables_never_stand_for_the_same_row)
{
    char text[500];
    struct grammar small;
    snprintf(text, sizeof text, "%s%s", pets,
             "story:\n    1 | {a = pets} {b = pets} {a} {b}\n");
    read_text(&small, text);
    cr_expect_eq(story_parse(&small, "dog cat", 7).derivations, 1);
    cr_expect_eq(story_parse(&small, "dog dog", 7).derivations, 0);
    grammar_close(&small);
}

// After "dog x dog" comes another {one}, which draws a again. That fails at the "x", and then a
// must still be the dog.
Test(grammar, a_variable_has_its_row_back_when_the_text_is_read_another_way)
{
    char text[500];
    struct grammar small;
    snprintf(text, sizeof text, "%s%s", pets,
             "story:\n"
             "    1 | {one} {one}\n"
             "one:\n"
             "    1 | {a = pets} {a} {between} {a}\n"
             "between:\n"
             "    1 | x\n"
             "    1 | x dog x\n");
    read_text(&small, text);
    cr_expect_eq(story_parse(&small, "dog x dog x dog cat x cat", 25).derivations, 1);
    cr_expect_eq(story_parse(&small, "dog x dog x cat cat x cat", 25).derivations, 0);
    grammar_close(&small);
}

Test(grammar, a_variable_ends_with_its_choice)
{
    char text[500];
    struct grammar small;
    struct story s;
    snprintf(text, sizeof text, "%s%s", pets,
             "story:\n"
             "    1 | {one} {one} {one}\n"
             "one:\n"
             "    1 | {a = pets} {a}\n");
    read_text(&small, text);
    cr_expect(fabs(small.mean.nats - 3 * log(3)) < 1e-12);
    cr_assert_eq(story_begin(&s, &small, 3), LAB_OK);
    for (size_t i = 0; i < 100; i++) {
        story_next(&s);
        cr_expect_eq(story_parse(&small, s.text, s.length - 2).derivations, 1);
    }
    cr_expect_eq(story_parse(&small, "dog dog dog", 11).derivations, 1);
    story_end(&s);
    grammar_close(&small);
}

// ---- faulty grammars ----------------------------------------------------------------------

static void expect_error(const char *text, const char *error)
{
    struct grammar bad;
    cr_expect_eq(grammar_from_text(&bad, "g", text), LAB_EFORMAT, "%s", text);
    cr_expect_str_eq(bad.error, error);
}

#define S "story:\n 1 | a\n"

Test(grammar, errors_tell_the_line_and_what_is_wrong)
{
    expect_error("", "g:1: there is no rule named story, where a story begins");
    expect_error("  1 | a\n", "g:1: this line belongs to no set and no rule");
    expect_error("story\n", "g:1: a rule is 'NAME:', with its choices below it");
    expect_error("story:\n", "g:1: the rule story has no choices");
    expect_error("story:\n a\n",
                 "g:2: a choice is 'WEIGHT | TEXT'; '| TEXT' continues it");
    expect_error("story:\n | a\n", "g:2: the first choice of story has no weight");
    expect_error("story:\n 1 |\n", "g:2: a choice without text");
    expect_error("story:\n 0 | a\n",
                 "g:2: a weight is a whole number from 1 to 1000, not '0'");
    expect_error("story:\n 1.5 | a\n",
                 "g:2: a weight is a whole number from 1 to 1000, not '1.5'");
    expect_error(S S, "g:3: story is already the name of line 1");
    expect_error("Story:\n 1 | a\n",
                 "g:1: 'Story' is not a name: a-z, 0-9 and _, beginning with a letter");
    expect_error("story:\n 1 | caf\xc3\xa9\n", "g:2: byte 195: stories are plain ASCII");
    expect_error("story:\r\n 1 | a\n", "g:1: byte 13: stories are plain ASCII");
}

Test(grammar, errors_in_braces_are_told)
{
    expect_error("story:\n 1 | {a\n", "g:2: a '{' without a '}' after it");
    expect_error("story:\n 1 | a}\n", "g:2: a '}' without a '{' before it");
    expect_error("story:\n 1 | a\\t\n", "g:2: '\\t': the only escape is '\\n'");
    expect_error("story:\n 1 | a\\\n", "g:2: '\\': the only escape is '\\n'");
    expect_error("story:\n 1 | {}\n",
                 "g:2: {}: braces hold NAME, NAME.COLUMN or NAME = SET");
    expect_error("story:\n 1 | {a.b.c}\n",
                 "g:2: {a.b.c}: braces hold NAME, NAME.COLUMN or NAME = SET");
    expect_error("story:\n 1 | {a = }\n",
                 "g:2: {a=}: braces hold NAME, NAME.COLUMN or NAME = SET");
    expect_error("story:\n 1 | {who}\n", "g:2: there is no rule, set or variable who");
    expect_error("story:\n 1 | {a = who}\n", "g:2: there is no set who");
    expect_error("story:\n 1 | {Rest}\nrest:\n 1 | a\n",
                 "g:2: rest is a rule: it has no columns and no capital letter");
}

Test(grammar, errors_in_sets_are_told)
{
    expect_error("set a\n", "g:1: a set is 'set NAME: COLUMN, COLUMN ...'");
    expect_error("set a: b, C\n x, y\n" S, "g:1: 'C' is not a column name");
    expect_error("set a: b\n" S, "g:1: the set a has no rows");
    expect_error("set a: b, c\n x, y\n x\n" S, "g:3: 1 word for 2 columns of the set a");
    expect_error("set a: b, c\n x,\n" S, "g:2: '' is not a word for the column c");
    expect_error("set a: b\n {x}\n" S, "g:2: '{x}' is not a word for the column b");
    expect_error("set a: b\n x\nstory:\n 1 | {a.c}\n", "g:4: the set a has no column c");
    expect_error("set a: b\n x\nset a: b\n y\n" S,
                 "g:3: a is already the name of line 1");
}

Test(grammar, what_only_a_walk_through_the_rules_finds_is_told)
{
#define SETS "set a: b\n x\n y\nset c: d\n z\n"
    expect_error("story:\n 1 | {rest}\nrest:\n 1 | a {story}\n",
                 "g:4: story leads back to itself: a story might never end");
    expect_error(S "rest:\n 1 | a\n", "g:3: no story uses the rule rest");
    expect_error(SETS "story:\n 1 | {v} {v = a} {v}\n",
                 "g:7: v is not drawn on every path to this point");
    expect_error(SETS "story:\n 1 | {rest} {v}\nrest:\n 1 | {v = a} {v}\n",
                 "g:7: v is not drawn on every path to this point");
    expect_error(SETS "story:\n 1 | {v = a} {v} {v = a}\n",
                 "g:7: v is drawn a second time here");
    expect_error(SETS "story:\n 1 | {v = a} {w = a} {x = a} {x}\n",
                 "g:7: no row of a is left for x");
    expect_error(SETS "story:\n 1 | {v = a} {v}\n 1 | {v = c} {v}\n",
                 "g:8: v is drawn from a in line 7");
    expect_error(SETS "story:\n 1 | {a = c} {a}\n",
                 "g:7: a is already the name of line 1");
}

// ten rules, each of which repeats the next one ten times
Test(grammar, a_story_that_may_be_endless_is_refused)
{
    char text[4000] = "story:\n 1 | {r0}\n";
    size_t used = strlen(text);
    for (int i = 0; i < 10; i++) {
        used += (size_t)snprintf(text + used, sizeof text - used, "r%d:\n 1 | ", i);
        for (int k = 0; k < 10; k++) {
            used += (size_t)snprintf(text + used, sizeof text - used,
                                     i == 9 ? "a" : "{r%d}", i + 1);
        }
        used += (size_t)snprintf(text + used, sizeof text - used, "\n");
    }
    expect_error(text, "g:12: this can be longer than 100000 characters");
}

Test(grammar, a_file_that_is_none_is_refused)
{
    struct grammar bad;
    cr_expect_eq(grammar_open(&bad, "datasets/no.grammar"), LAB_EIO);
    cr_expect_str_eq(bad.error,
                     "cannot read datasets/no.grammar: No such file or directory");
    cr_expect_eq(grammar_open(&bad, "datasets"), LAB_EIO);
    cr_expect_eq(grammar_open(&bad, "datasets/goldens/lab01.safetensors"), LAB_EFORMAT);
}
