// main.c - build/ask: asks the questions of a lab, checks each answer, explains.
//
//     make ask LAB=3
//     build/ask labs/03_causal_mask/questions.txt build/questions/03.answers --question 4
//     printf '0\n' | build/ask ... --question 4      the answer may come from anywhere
//
// Exit status: see --help. Start reading at ask.

#define _GNU_SOURCE // POSIX functions

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/option_table.h"
#include "programs/ask/progress.h"
#include "programs/ask/questions.h"
#include "programs/ask/run.h"
#include "programs/ask/show.h"

enum { TRIES = 3, MOST_FILES = 4, NOT_RIGHT = 1, WRONG_FILE = 2 };

struct options {
    const char *files[MOST_FILES];
    size_t count, question;
    const char *title, *progress, *run;
    bool list, answers;
};

struct session {
    struct questions q;
    enum state *states;
    const struct options *o;
    char *line; // the last answer
    size_t room;
};

// ---- input ---------------------------------------------------------------------------------

// Reads a line; false at the end of the input, or after "q".
static bool read_answer(struct session *s, const char *prompt)
{
    fputs(prompt, stdout);
    fflush(stdout);
    const bool got = getline(&s->line, &s->room, stdin) >= 0;
    if (!got || !isatty(STDIN_FILENO)) {
        putchar('\n'); // a terminal has echoed one, unless the input has ended
    }
    if (!got) {
        return false;
    }
    s->line[strcspn(s->line, "\r\n")] = '\0';
    return strcmp(s->line, "q") != 0 && strcmp(s->line, "Q") != 0;
}

// ---- verdicts ------------------------------------------------------------------------------

enum verdict { RIGHT, WRONG, UNREADABLE };

static enum verdict wrong_because(const struct item *item)
{
    show_text(TONE_WRONG, 2, "  ", "Not quite:");
    show_text(TONE_PLAIN, 2, "  ", item->reason);
    return WRONG;
}

static enum verdict judge_prediction(const struct question *question, const char *line)
{
    double answer;
    if (!parse_number(&answer, line)) {
        puts("  A number, please, such as 0.25, 1/4, 25% or 1e-3.\n");
        return UNREADABLE;
    }
    if (is_right(question, answer)) {
        return RIGHT;
    }
    const struct item *known = wrong_prediction(question, answer);
    if (known != NULL) {
        return wrong_because(known);
    }
    show_text(TONE_WRONG, 2, "  ",
              isnan(answer)                         ? "No, it is a number."
              : fabs(answer) < fabs(question->right) ? "No, the value is further from 0."
                                                     : "No, that is not the value.");
    return WRONG;
}

static enum verdict judge_choice(const struct question *question, const char *line)
{
    const size_t letter = (size_t)(tolower((unsigned char)line[0]) - 'a');
    if (letter >= question->letters || line[1] != '\0') {
        printf("  One letter, please, from a to %c.\n\n", (char)('a' + question->letters - 1));
        return UNREADABLE;
    }
    const struct item *item = &question->items[question->shown[letter]];
    return item->mark == '+' ? RIGHT : wrong_because(item);
}

// Whether the places (from 0) are those of a line "! 2 1 3 | why".
static bool is_order(const struct item *item, const size_t *places, size_t n)
{
    char *text = item->text;
    for (size_t i = 0; i < n; i++) {
        if (strtoul(text, &text, 10) != places[i] + 1) {
            return false;
        }
    }
    return true;
}

static enum verdict judge_order(const struct question *question, const char *line)
{
    size_t places[MOST_ITEMS], n = 0, used = 0;
    for (; *line != '\0'; line++) {
        const size_t letter = (size_t)(tolower((unsigned char)*line) - 'a');
        if (*line == ' ' || *line == ',') {
            continue;
        }
        if (letter >= question->letters || n == question->letters ||
            (used & (size_t)1 << letter) != 0) {
            n = 0;
            break;
        }
        used |= (size_t)1 << letter;
        places[n++] = question->shown[letter];
    }
    if (n != question->letters) {
        puts("  Each letter once, please, the first step first, such as: b a c\n");
        return UNREADABLE;
    }
    size_t same = 0;
    while (same < n && places[same] == same) {
        same++;
    }
    if (same == n) {
        return RIGHT;
    }
    for (size_t i = 0; i < question->count; i++) {
        if (question->items[i].mark == '!' && is_order(&question->items[i], places, n)) {
            return wrong_because(&question->items[i]);
        }
    }
    char text[80];
    snprintf(text, sizeof text, "No. The first %zu of %zu are in their place.", same, n);
    show_text(TONE_WRONG, 2, "  ", same == 0 ? "No. Something else comes first." : text);
    return WRONG;
}

// ---- one question --------------------------------------------------------------------------

// What the student's code computes, beside the right value.
static void show_run(const struct session *s, const struct question *question)
{
    double value;
    char why[80], text[200];
    if (s->o->run == NULL || question->kind != KIND_PREDICT) {
        return;
    }
    if (access(s->o->run, X_OK) != 0) {
        puts("  Your code does not compile yet, so it was not run.");
    } else if (!run_prediction(&value, why, sizeof why, s->o->run, question->name)) {
        printf("  Your own code was run, too: %s.\n", why);
    } else {
        snprintf(text, sizeof text, "Your own code computes %.6g%s", value,
                 is_right(question, value) ? "." : ", which is not right: make check says more.");
        show_text(is_right(question, value) ? TONE_PLAIN : TONE_WRONG, 2, "  ", text);
    }
}

static const char *prompt(const struct question *question)
{
    switch (question->kind) {
    case KIND_PREDICT:
        return "your prediction (a number; ? shows the answer, q quits): ";
    case KIND_CHOOSE:
        return "your choice (a letter; ? shows the answer, q quits): ";
    default:
        return "the order (letters; ? shows the answer, q quits): ";
    }
}

// Asks until the answer is right, shown, or the input ends. Returns STATE_OPEN at its end.
static enum state ask_for_answer(struct session *s, const struct question *question)
{
    static enum verdict (*const judge[])(const struct question *, const char *) = {
        judge_prediction, judge_choice, judge_order};
    for (size_t wrong = 0; wrong < TRIES;) {
        if (!read_answer(s, prompt(question))) {
            return STATE_OPEN;
        }
        if (strcmp(s->line, "?") == 0) {
            break;
        }
        char *end = s->line + strlen(s->line);
        while (end > s->line && isspace((unsigned char)end[-1])) {
            *--end = '\0';
        }
        const enum verdict verdict =
            judge[question->kind](question, s->line + strspn(s->line, " \t"));
        if (verdict == RIGHT) {
            show_text(TONE_RIGHT, 2, "  ", "Right.");
            return wrong == 0 ? STATE_FIRST : STATE_LATER;
        }
        if (verdict == WRONG) {
            putchar('\n');
            wrong++;
        }
    }
    return STATE_SHOWN;
}

// An explanation cannot be checked by a program: the student compares it with the points. Counts
// as right at once if it has all of them.
static enum state ask_for_explanation(struct session *s, const struct question *question)
{
    size_t had = 0;
    puts("  Write your explanation; an empty line ends it (q quits).");
    bool more = read_answer(s, "> ");
    if (!more) {
        return STATE_OPEN;
    }
    while (more && s->line[0] != '\0') {
        more = read_answer(s, "> ");
    }
    puts("  Compare it with these points. Did you say it?");
    for (size_t i = 0; i < question->count; i++) {
        show_text(TONE_PLAIN, 5, "  -  ", question->items[i].text);
        do {
            if (!read_answer(s, "     y or n: ")) {
                return STATE_OPEN;
            }
        } while (strchr("ynYN", s->line[0]) == NULL || s->line[0] == '\0');
        had += tolower((unsigned char)s->line[0]) == 'y';
    }
    printf("  %zu of %zu points.\n", had, question->count);
    return had == question->count ? STATE_FIRST : STATE_LATER;
}

// Asks one question. The result is STATE_OPEN if the input has ended.
static enum state ask(struct session *s, size_t i)
{
    const struct question *question = &s->q.all[i];
    show_question(question, s->o->title, i + 1, s->q.count);
    const enum state state = question->kind == KIND_EXPLAIN
                                 ? ask_for_explanation(s, question)
                                 : ask_for_answer(s, question);
    if (state == STATE_OPEN) {
        return state;
    }
    show_solution(question);
    show_run(s, question);
    // The first answer counts: a question whose answer was seen is no longer a question.
    if (s->states[i] == STATE_OPEN) {
        s->states[i] = state;
        progress_write(s->states, s->o->progress, &s->q);
    }
    return state;
}

// ---- all of them ---------------------------------------------------------------------------

static size_t count_states(const struct session *s, enum state state)
{
    size_t n = 0;
    for (size_t i = 0; i < s->q.count; i++) {
        n += s->states[i] == state;
    }
    return n;
}

static void print_sum(const struct session *s)
{
    printf("\n%s: %zu of %zu questions answered, %zu right at once, %zu after a wrong answer, "
           "%zu shown\n",
           s->o->title, s->q.count - count_states(s, STATE_OPEN), s->q.count,
           count_states(s, STATE_FIRST), count_states(s, STATE_LATER),
           count_states(s, STATE_SHOWN));
}

static int print_list(const struct session *s)
{
    for (size_t i = 0; i < s->q.count; i++) {
        printf("%3zu  %-6s %-8s %s\n", i + 1, state_names[s->states[i]],
               kind_names[s->q.all[i].kind], s->q.all[i].title);
    }
    print_sum(s);
    return EXIT_SUCCESS;
}

// The letters of the steps in an order: places[i] is the step, from 0, that comes as number i.
static void print_letters(const struct question *question, const size_t *places)
{
    for (size_t i = 0; i < question->letters; i++) {
        for (size_t j = 0; j < question->letters; j++) {
            if (question->shown[j] == places[i]) {
                printf("%c", (char)('a' + j));
            }
        }
    }
}

static void print_answers_of(const struct question *question, size_t number)
{
    size_t places[MOST_ITEMS];
    for (size_t i = 0; i < MOST_ITEMS; i++) {
        places[i] = i;
    }
    if (question->kind == KIND_PREDICT) {
        printf("%zu\tright\t%.9g\t\n", number, question->right);
    } else if (question->kind == KIND_ORDER) {
        printf("%zu\tright\t", number);
        print_letters(question, places);
        printf("\t\n");
    } else if (question->kind == KIND_EXPLAIN) {
        printf("%zu\tpoints\t%zu\t\n", number, question->count);
    }
    for (size_t i = 0; i < question->count; i++) {
        const struct item *item = &question->items[i];
        if (question->kind == KIND_CHOOSE) {
            const size_t only[MOST_ITEMS] = {i};
            printf("%zu\t%s\t", number, item->mark == '+' ? "right" : "wrong");
            for (size_t j = 0; j < question->letters; j++) {
                if (question->shown[j] == only[0]) {
                    printf("%c", (char)('a' + j));
                }
            }
            printf("\t%s\n", item->mark == '+' ? "" : item->reason);
        } else if (item->mark == '!' && question->kind == KIND_PREDICT) {
            printf("%zu\twrong\t%.9g\t%s\n", number, item->value, item->reason);
        } else if (item->mark == '!') {
            char *text = item->text;
            for (size_t j = 0; j < question->letters; j++) {
                places[j] = strtoul(text, &text, 10) - 1;
            }
            printf("%zu\twrong\t", number);
            print_letters(question, places);
            printf("\t%s\n", item->reason);
        }
    }
}

static int print_answers(const struct session *s)
{
    for (size_t i = 0; i < s->q.count; i++) {
        print_answers_of(&s->q.all[i], i + 1);
    }
    return EXIT_SUCCESS;
}

static int ask_questions(struct session *s)
{
    const size_t only = s->o->question;
    if (only > 0) {
        const enum state state = ask(s, only - 1);
        return state == STATE_OPEN || state == STATE_SHOWN ? NOT_RIGHT : EXIT_SUCCESS;
    }
    if (count_states(s, STATE_OPEN) == 0) {
        puts("All questions are answered; --question N asks one again.");
    }
    for (size_t i = 0; i < s->q.count; i++) {
        if (s->states[i] == STATE_OPEN && ask(s, i) == STATE_OPEN) {
            print_sum(s);
            return NOT_RIGHT;
        }
    }
    print_sum(s);
    return EXIT_SUCCESS;
}

// ---- the command line ----------------------------------------------------------------------

static const struct option_table table;

static void add_file(void *settings, const char *word)
{
    struct options *o = settings;
    if (o->count == MOST_FILES) {
        option_refuse(&table, "at most %d files", MOST_FILES);
    }
    o->files[o->count++] = word;
}

#define AT(member) offsetof(struct options, member)
static const struct option_row rows[] = {
    {"--question", "N", "ask only question N, even if it was answered before", OPTION_SIZE,
     AT(question), 1, 1000},
    {"--list", NULL, "list the questions and which are answered, and exit", OPTION_YES,
     AT(list)},
    {"--progress", "FILE", "remember there which questions are answered", OPTION_TEXT,
     AT(progress)},
    {"--run", "PROGRAM", "after a prediction, run this to see what your code computes",
     OPTION_TEXT, AT(run)},
    {"--title", "TEXT", "printed above each question (Questions)", OPTION_TEXT, AT(title)},
    {"--answers", NULL, "print every answer and exit: for instructors and tests", OPTION_YES,
     AT(answers)},
    {NULL},
};

static const struct option_table table = {
    .program = "ask",
    .more = "see ask --help",
    .before = "usage: ask QUESTIONS [ANSWERS] [options]\n"
              "Asks the questions in the file QUESTIONS. Values of predictions are in the file\n"
              "ANSWERS. make ask LAB=3 knows both.\n\n",
    .rows = rows,
    .column = 20,
    .argument = add_file,
    .after = "\n"
             "? as an answer shows the answer; q or Ctrl-D ends. Answers may also be piped in.\n"
             "exit status: 0 answered, 1 ended before that (or with --question: the answer was\n"
             "             shown), 2 the command line or a file is wrong\n",
};

int main(int argc, char **argv)
{
    struct options o = {.title = "Questions"};
    struct session s = {.o = &o};
    int status = WRONG_FILE;
    option_table_read(&table, &o, argc, argv);
    if (o.count == 0) {
        option_refuse(&table, "which questions? labs/03_causal_mask/questions.txt");
    }
    show_begin();
    if (!questions_read(&s.q, o.files, o.count)) {
        fprintf(stderr, "ask: %s\n", s.q.error);
    } else if (o.question > s.q.count) {
        fprintf(stderr, "ask: there are %zu questions\n", s.q.count);
    } else if ((s.states = calloc(s.q.count, sizeof *s.states)) == NULL) {
        fprintf(stderr, "ask: out of memory\n");
    } else {
        progress_read(s.states, o.progress, &s.q);
        status = o.list      ? print_list(&s)
                 : o.answers ? print_answers(&s)
                             : ask_questions(&s);
    }
    free(s.line);
    free(s.states);
    questions_close(&s.q);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        return WRONG_FILE;
    }
    return status;
}
