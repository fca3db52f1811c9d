// main.c - build/ask: asks the questions of a lab, checks each answer, explains.
//
//     make ask LAB=3
//     build/ask labs/03_causal_mask/questions.txt build/questions/03.answers --question 4
//     printf '0\n' | build/ask ... --question 4      the answer may come from anywhere
//
// Exit status: see --help. Start reading at ask.

#define _GNU_SOURCE // POSIX functions

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/option_table.h"
#include "common/plural.h"
#include "programs/ask/answers.h"
#include "programs/ask/interrupt.h"
#include "programs/ask/judge.h"
#include "programs/ask/progress.h"
#include "programs/ask/questions.h"
#include "programs/ask/right.h"
#include "programs/ask/run.h"
#include "programs/ask/show.h"

enum { TRIES = 3, MOST_FILES = 4, NOT_RIGHT = 1, BAD_INPUT = 2 };

struct options {
    const char *files[MOST_FILES];
    size_t count, question;
    const char *title, *progress, *run;
    bool list, answers;
};

struct session {
    struct questions q;
    struct progress *progress;
    const struct options *o;
    char *line; // the last answer
    size_t room;
    bool piped; // the answers come from a file or a program
    bool ended; // before the last question
};

// ---- input ---------------------------------------------------------------------------------

// Reads a line; false at the end of the input, after Ctrl-C, or after "q".
static bool read_answer(struct session *s, const char *prompt)
{
    fputs(prompt, stdout);
    fflush(stdout);
    const bool got = !interrupted() && getline(&s->line, &s->room, stdin) >= 0;
    if (!got || s->piped) {
        putchar('\n'); // a terminal has echoed one, unless the input has ended
    }
    s->ended = !got;
    if (!got) {
        return false;
    }
    s->line[strcspn(s->line, "\r\n")] = '\0';
    return strcmp(s->line, "q") != 0 && strcmp(s->line, "Q") != 0;
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
        printf("  No value from your own code: %s.\n", why);
    } else {
        snprintf(text, sizeof text, "Your own code computes %.6g%s", value,
                 is_right(question, value)
                     ? "."
                     : ", which is not right: make check says more.");
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

// Cuts the blanks at both ends of the last answer.
static const char *without_blanks(const struct session *s)
{
    char *end = s->line + strlen(s->line);
    while (end > s->line && isspace((unsigned char)end[-1])) {
        *--end = '\0';
    }
    return s->line + strspn(s->line, " \t");
}

// Asks until the answer is right, shown, or the input ends. Returns STATE_OPEN at its end.
static enum state ask_for_answer(struct session *s, const struct question *question)
{
    for (size_t wrong = 0; wrong < TRIES;) {
        if (!read_answer(s, prompt(question))) {
            return STATE_OPEN;
        }
        const char *answer = without_blanks(s);
        if (strcmp(answer, "?") == 0) {
            break;
        }
        const enum verdict verdict = judge_answer(question, answer, wrong + 1 == TRIES);
        if (verdict == RIGHT) {
            progress_keep(&s->progress[question - s->q.all], answer);
            show_text(TONE_RIGHT, 2, "  ", "Right.");
            return wrong == 0 ? STATE_FIRST : STATE_LATER;
        }
        if (verdict == WRONG) {
            wrong++;
            if (wrong + 1 == TRIES) {
                show_text(TONE_PLAIN, 2, "  ", "One more try; then you see the answer.");
            }
            putchar('\n');
        }
    }
    return STATE_SHOWN;
}

// Adds the lines up to an empty one to text. False after q, or if the input ends before the first.
static bool read_lines(struct session *s, char *text, size_t size)
{
    bool more = read_answer(s, "> ");
    bool any = more;
    while (more && s->line[0] != '\0') {
        const size_t length = strlen(text);
        snprintf(text + length, size - length, "%s%s", length > 0 ? " " : "", s->line);
        more = read_answer(s, "> ");
    }
    return more || (any && s->ended);
}

// Reads an explanation and keeps it. False if there is none. Asks once more for a sentence: one word
// cannot be compared with the points, and does not count where answers earn points.
static bool read_explanation(struct session *s, const struct question *question)
{
    char text[MOST_GIVEN + 1] = "";
    puts("  Write your explanation; an empty line ends it (q quits).");
    if (!read_lines(s, text, sizeof text)) {
        return false;
    }
    if (!s->ended && strlen(text) < EXPLANATION_LEAST) {
        puts("  Please write a sentence, to compare with the points that come next.");
        puts("  An empty line continues without one.");
        if (!read_lines(s, text, sizeof text)) {
            return false;
        }
    }
    progress_keep(&s->progress[question - s->q.all], text);
    return true;
}

// An explanation cannot be checked by a program: the student compares it with the points. Counts
// as right at once if it has all of them.
static enum state ask_for_explanation(struct session *s, const struct question *question)
{
    size_t had = 0;
    if (!read_explanation(s, question)) {
        return STATE_OPEN;
    }
    puts("  Compare it with these points. For each one: did you say it?");
    for (size_t i = 0; i < question->count; i++) {
        show_text(TONE_PLAIN, 5, "  -  ", question->items[i].text);
        do {
            if (!read_answer(s, "     y or n: ")) {
                return STATE_OPEN;
            }
        } while (strchr("ynYN", s->line[0]) == NULL || s->line[0] == '\0');
        had += tolower((unsigned char)s->line[0]) == 'y';
    }
    printf("  %zu of %zu point%s.\n", had, question->count,
           plural((double)question->count));
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
    if (s->progress[i].state == STATE_OPEN) {
        s->progress[i].state = state;
    }
    progress_write(s->progress, s->o->progress, &s->q);
    return state;
}

// ---- all of them ---------------------------------------------------------------------------

static size_t count_states(const struct session *s, enum state state)
{
    size_t n = 0;
    for (size_t i = 0; i < s->q.count; i++) {
        n += s->progress[i].state == state;
    }
    return n;
}

static void print_sum(const struct session *s)
{
    const size_t answered = s->q.count - count_states(s, STATE_OPEN);
    printf("\n%s: %zu of %zu questions answered", s->o->title, answered, s->q.count);
    if (answered > 0) {
        printf(": %zu right at the first try, %zu later, %zu with the answer shown",
               count_states(s, STATE_FIRST), count_states(s, STATE_LATER),
               count_states(s, STATE_SHOWN));
    }
    putchar('\n');
}

static void print_list(const struct session *s)
{
    for (size_t i = 0; i < s->q.count; i++) {
        printf("%3zu  %-6s %-8s %s\n", i + 1, state_names[s->progress[i].state],
               kind_names[s->q.all[i].kind], s->q.all[i].title);
    }
    print_sum(s);
}

// A person may stop at any question. That is no error, and make would report one. Piped answers must
// answer every question that is asked.
static int exit_status(const struct session *s, bool answered)
{
    return interrupted() ? INTERRUPTED : s->piped && !answered ? NOT_RIGHT : EXIT_SUCCESS;
}

static int ask_one(struct session *s)
{
    const enum state state = ask(s, s->o->question - 1);
    return exit_status(s, state != STATE_OPEN && state != STATE_SHOWN);
}

static int ask_all(struct session *s)
{
    if (count_states(s, STATE_OPEN) == 0) {
        puts("All questions are answered; Q=N (--question N) asks one again.");
    }
    for (size_t i = 0; i < s->q.count; i++) {
        if (s->progress[i].state == STATE_OPEN && ask(s, i) == STATE_OPEN) {
            break;
        }
    }
    print_sum(s);
    return exit_status(s, !s->ended);
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
    {"--question", "N", "ask only question N, even if it was answered before",
     OPTION_SIZE, AT(question), 1, 1000},
    {"--list", NULL, "list the questions and which are answered, and exit", OPTION_YES,
     AT(list)},
    {"--progress", "FILE", "record in FILE which questions are answered", OPTION_TEXT,
     AT(progress)},
    {"--run", "PROGRAM", "after a prediction, run this to see what your code computes",
     OPTION_TEXT, AT(run)},
    {"--title", "TEXT", "printed above each question (Questions)", OPTION_TEXT,
     AT(title)},
    {"--answers", NULL, "print every answer and exit: for instructors and tests",
     OPTION_YES, AT(answers)},
    {NULL},
};

static const struct option_table table = {
    .program = "ask",
    .more = "see build/ask --help",
    .before =
        "usage: ask QUESTIONS [ANSWERS] [options]\n"
        "Asks the questions in the file QUESTIONS. Values of predictions are in the file\n"
        "ANSWERS. make ask LAB=3 passes both files.\n\n",
    .rows = rows,
    .column = 20,
    .argument = add_file,
    .after =
        "\n"
        "? as an answer shows the answer; q or Ctrl-D ends. Answers may also be piped in.\n"
        "exit status: 0 done, or ended for now, 1 the piped answers ended too early,\n"
        "             or did not answer --question, 2 the command line or a file is\n"
        "             wrong, 130 Ctrl-C\n",
};

static int run(struct session *s)
{
    progress_read(s->progress, s->o->progress, &s->q);
    if (s->o->list) {
        print_list(s);
    } else if (s->o->answers) {
        print_answers(&s->q);
    } else {
        interrupt_begin();
        return s->o->question > 0 ? ask_one(s) : ask_all(s);
    }
    return EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
    struct options o = {.title = "Questions"};
    struct session s = {.o = &o, .piped = !isatty(STDIN_FILENO)};
    int status = BAD_INPUT;
    option_table_read(&table, &o, argc, argv);
    if (o.count == 0) {
        option_refuse(&table, "which questions? labs/03_causal_mask/questions.txt");
    }
    show_begin();
    if (!questions_read(&s.q, o.files, o.count)) {
        fprintf(stderr, "ask: %s\n", s.q.error);
    } else if (o.question > s.q.count) {
        fprintf(stderr, "ask: there are %zu questions\n", s.q.count);
    } else if ((s.progress = calloc(s.q.count, sizeof *s.progress)) == NULL) {
        fprintf(stderr, "ask: out of memory\n");
    } else {
        status = run(&s);
    }
    free(s.line);
    progress_free(s.progress, s.q.count);
    questions_close(&s.q);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        return BAD_INPUT;
    }
    return status;
}
