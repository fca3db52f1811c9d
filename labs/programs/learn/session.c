// session.c - see session.h. One exercise is current; only n and b change it. A save judges it, and
// after a pass, or if more than its functions changed, the whole lab, so that a change of another
// exercise is seen. Start reading at session_run.

#define _GNU_SOURCE

#include "programs/learn/session.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "programs/learn/command.h"
#include "programs/learn/course.h"
#include "programs/learn/judge.h"
#include "programs/learn/place.h"
#include "programs/learn/progress.h"
#include "programs/learn/screen.h"
#include "programs/learn/terminal.h"
#include "programs/learn/text.h"
#include "programs/learn/watched.h"

enum { HINTS = 3, FOOT_ROWS = 8 };
enum { NOT_JUDGED = 0 }; // unlike any place_around

enum running { NOTHING, THE_EXERCISE, THE_LAB };

struct session {
    const struct session_options *options;
    struct course course;
    struct judge judge;
    struct terminal terminal;
    struct watched watched;
    struct command command;
    enum running running;
    size_t current, prepared; // exercise; lab whose grader is built
    uint64_t around,
        judged; // place_around: of this run; when the whole lab was judged, or NOT_JUDGED
    char *progress, *report;
    int hints, waiting_key;
    bool solution_asked, over, progress_shown;
    enum state before[MOST_EXERCISES]; // until the last run ended
    bool report_complete;              // on the screen
    bool passed_before;                // the current exercise, until its last run
    enum session_end end;
};

static struct exercise *current(struct session *s)
{
    return &s->course.exercises[s->current];
}

static int lab_number(struct session *s)
{
    return s->course.labs[current(s)->lab].number;
}

// ---- judging -------------------------------------------------------------------------------

static void start(struct session *s, enum running what)
{
    const bool whole =
        what == THE_LAB || (s->options->watch && s->options->exercise == NULL);
    command_stop(&s->command);
    s->around = place_around(&s->course, current(s));
    judge_start(&s->judge, &s->command, lab_number(s), whole ? NULL : current(s)->id);
    s->running = what;
    s->progress_shown = false;
    if (what == THE_EXERCISE) {
        if (whole) {
            printf("judging lab %d ...\n", lab_number(s));
        } else {
            printf("judging %s ...\n", current(s)->id);
        }
        fflush(stdout);
    }
}

// The first question that names the exercise, and its text.
struct found_question {
    size_t number; // 0: none
    char title[80];
    char *text; // one line; the caller frees it
};

// "= value 1%", "+ an option"; in the student archive such a line is "%...".
static bool has_mark(const char *line)
{
    return line[0] == '#' || line[0] == '%' ||
           (line[0] != '\0' && strchr("=!+->*:", line[0]) != NULL && line[1] == ' ');
}

// Joins the lines of a question's text, from line i on: those before the first with a mark.
static char *question_text(const struct lines *lines, size_t i)
{
    char *text = print("%s", "");
    for (; i < lines->count && !has_mark(lines->line[i]); i++) {
        char *longer = print("%s%s%s", text, *text != '\0' ? " " : "",
                             lines->line[i] + strspn(lines->line[i], " "));
        free(text);
        text = longer;
    }
    return text;
}

static struct found_question find_question(struct session *s)
{
    char *path = print("labs/%s/questions.txt", s->course.labs[current(s)->lab].folder);
    struct lines lines = lines_read(path);
    struct found_question question = {0};
    size_t number = 0, begin = 0;
    for (size_t i = 0; i < lines.count && question.number == 0; i++) {
        const char *line = lines.line[i];
        if (begins_with(line, "## ")) {
            number++;
            begin = i;
            line += 3 + strcspn(line + 3, " ");
            snprintf(question.title, sizeof question.title, "%.70s",
                     line + strspn(line, " "));
        }
        if (number > 0 && line[0] != '=' && names_exercise(line, current(s)->id)) {
            question.number = number;
            question.text = question_text(&lines, begin + 1);
        }
    }
    lines_free(&lines);
    free(path);
    return question;
}

static void foot(struct session *s)
{
    screen_foot(&s->terminal, &s->watched, &s->course, s->current, s->report);
    s->progress_shown = true;
}

static bool passes(struct session *s)
{
    return current(s)->state == PASSING && !s->course.uncompiled;
}

// Is this an exercise of the current lab that the last change has made right?
static bool is_new_pass(struct session *s, size_t e)
{
    const struct exercise *exercise = &s->course.exercises[e];
    return exercise->lab == current(s)->lab && exercise->state == PASSING &&
           !s->course.uncompiled && (s->before[e] == TODO || s->before[e] == FAILING);
}

// "1.3 attention_scores passes now.", where the rest is about another exercise. Returns the number of lines.
static int show_new_passes(struct session *s, bool print)
{
    int count = 0;
    for (size_t e = 0; !passes(s) && e < s->course.exercise_count; e++) {
        if (is_new_pass(s, e)) {
            count++;
            if (print) {
                printf("%s %s passes now.\n", s->course.exercises[e].id,
                       s->course.exercises[e].title);
            }
        }
    }
    return count;
}

static void show_report(struct session *s, bool all)
{
    const bool whole = s->options->watch && s->options->exercise == NULL;
    const int foot = whole && !passes(s)
                         ? screen_foot_rows(&s->terminal, &s->watched, &s->course,
                                            s->current, s->report) +
                               show_new_passes(s, false) + 1 // the cursor
                         : FOOT_ROWS;
    const int room = terminal_rows() - foot;
    const bool fit = !all && s->terminal.screen && s->terminal.keys; // d shows the rest
    const int rows = !fit ? 0 : room > 1 ? room : 1;
    const char *report = s->report != NULL ? s->report : "";
    screen_clear(&s->terminal);
    const bool complete =
        whole ? screen_lab_report(report, rows) : screen_report(report, rows);
    if (all && s->report_complete) {
        puts("(that is the whole report; nothing was left out before)");
    }
    s->report_complete = complete;
    fflush(stdout);
}

static bool fails_elsewhere(struct session *s)
{
    const struct lab *lab = &s->course.labs[current(s)->lab];
    bool fails = false;
    for (size_t e = lab->first; e < lab->first + lab->count; e++) {
        fails = fails || s->course.exercises[e].state == FAILING;
    }
    return fails;
}

// The question is left out if it was shown before and another exercise fails now.
static void show_pass(struct session *s)
{
    if (passes(s)) {
        const struct found_question question = find_question(s);
        const bool asks = !s->passed_before || !fails_elsewhere(s);
        screen_pass(&s->terminal, &s->course, s->current, asks ? question.number : 0,
                    question.title, question.text);
        free(question.text);
    }
}

// In watch mode the keys are about the first exercise that does not pass. If all pass, they are about the
// last one that the change has made right, or else about the lab's last one.
static void follow_lab(struct session *s)
{
    const struct lab *lab = &s->course.labs[current(s)->lab];
    const size_t last = lab->first + lab->count - 1;
    size_t i = lab->first;
    while (i < last && s->course.exercises[i].state == PASSING) {
        i++;
    }
    const bool all = i == last && s->course.exercises[last].state == PASSING;
    for (size_t e = lab->first; all && e <= last; e++) {
        i = is_new_pass(s, e) ? e : i;
    }
    s->hints = i != s->current ? 0 : s->hints;
    s->current = i;
}

// A run has ended.
static void finish(struct session *s, int status)
{
    const enum running what = s->running;
    const bool whole = s->options->watch && s->options->exercise == NULL;
    for (size_t i = 0; i < s->course.exercise_count; i++) {
        s->before[i] = s->course.exercises[i].state;
    }
    s->running = NOTHING;
    judge_take(&s->judge, &s->course);
    if (what == THE_EXERCISE) {
        free(s->report);
        s->report = print("%s", s->command.output != NULL ? s->command.output : "");
        if (status > 1) { // the grader failed; its message is the report
            current(s)->state = UNKNOWN;
        }
        if (whole) {
            follow_lab(s);
        }
        s->passed_before = s->before[s->current] == PASSING;
        show_report(s, false);
        if (!whole && !s->course.uncompiled &&
            (current(s)->state == PASSING || s->around != s->judged)) {
            start(s, THE_LAB);
            return;
        }
    } else {
        s->judged = s->around;
    }
    if (s->course.uncompiled) {
        s->judged = NOT_JUDGED;
    }
    if (whole) {
        follow_lab(s);
    }
    progress_write(&s->course, s->progress);
    show_pass(s);
    if (what == THE_LAB) {
        screen_others(&s->course, s->current, s->before);
    } else if (whole) {
        show_new_passes(s, true);
    }
    foot(s);
}

// ---- which exercise ------------------------------------------------------------------------

static bool prepare(struct session *s, size_t lab)
{
    if (s->prepared != lab && !judge_prepare(&s->judge, &s->course, lab)) {
        s->over = true;
        s->end = SESSION_NO_GRADER;
        return false;
    }
    s->prepared = lab;
    return true;
}

// Whether the current lab was judged since its files changed.
static bool is_known(struct session *s)
{
    const struct lab *lab = &s->course.labs[current(s)->lab];
    bool known = true;
    for (size_t e = lab->first; e < lab->first + lab->count; e++) {
        known = known && s->course.exercises[e].state != UNKNOWN;
    }
    return known;
}

static void go_to(struct session *s, size_t i)
{
    s->current = i;
    s->hints = 0;
    s->solution_asked = false;
    if (!prepare(s, current(s)->lab)) {
        return;
    }
    char *folder = course_folder(&s->course, current(s)->lab);
    watched_end(&s->watched);
    watched_begin(&s->watched, folder, s->options->poll);
    free(folder);
    s->judged = is_known(s) ? place_around(&s->course, current(s)) : NOT_JUDGED;
    start(s, THE_EXERCISE);
}

// Judges a whole lab and waits.
static void settle(struct session *s, size_t lab)
{
    int status;
    if (prepare(s, lab)) {
        judge_start(&s->judge, &s->command, s->course.labs[lab].number, NULL);
        while (command_read(&s->command, &status)) {
        }
        judge_take(&s->judge, &s->course);
        progress_write(&s->course, s->progress);
    }
}

// The first exercise that does not pass, among count from first on. Labs that were edited since they
// were judged are judged now.
static size_t first_open(struct session *s, size_t first, size_t count)
{
    bool settled[MOST_LABS] = {false};
    for (size_t i = first; i < first + count && !s->over;) {
        const struct exercise *exercise = &s->course.exercises[i];
        if (exercise->state == UNKNOWN && !settled[exercise->lab]) {
            settled[exercise->lab] = true;
            settle(s, exercise->lab);
            if (s->course.labs[exercise->lab].uncompiled) {
                return i;
            }
        } else if (exercise->state != PASSING) {
            return i;
        } else {
            i++;
        }
    }
    return first;
}

// make watch goes on without keys. In make learn only a key leads to the next exercise.
static bool can_go_on(struct session *s)
{
    if (!s->options->watch && !s->terminal.keys) {
        s->end = SESSION_NO_TERMINAL;
        s->over = true;
    }
    return !s->over;
}

static bool open_first(struct session *s)
{
    const struct session_options *options = s->options;
    size_t first = 0, count = s->course.exercise_count;
    if (options->exercise != NULL) {
        first = course_find(&s->course, options->exercise);
        if (first == count) {
            return false;
        }
        if (can_go_on(s)) {
            go_to(s, first);
        }
        return true;
    }
    bool found = options->lab == 0;
    for (size_t i = 0; !found && i < s->course.lab_count; i++) {
        first = s->course.labs[i].first;
        count = s->course.labs[i].count;
        found = s->course.labs[i].number == options->lab && count > 0;
    }
    if (!found) {
        return false;
    }
    if (can_go_on(s)) {
        first = options->watch ? first : first_open(s, first, count);
    }
    if (!s->over) {
        go_to(s, first);
    }
    return true;
}

// ---- keys ----------------------------------------------------------------------------------

static void press_open(struct session *s, size_t next)
{
    if (next == s->course.exercise_count) {
        puts("Every exercise passes.");
    } else {
        go_to(s, next);
    }
}

static void press_back(struct session *s)
{
    const size_t back = screen_back(&s->course, s->current);
    if (back == s->course.exercise_count) {
        printf("Every exercise before %s passes.\n", current(s)->id);
    } else {
        go_to(s, back);
    }
}

static void press_hint(struct session *s)
{
    s->hints += s->hints < HINTS;
    judge_hint(&s->judge, current(s)->id, s->hints);
    puts(s->hints < HINTS ? "(h again shows more)" : "(this was the last hint)");
}

static void press_solution(struct session *s, bool again)
{
    const struct exercise *exercise = current(s);
    if (access("solutions", F_OK) != 0) {
        puts("This copy has no solutions; your instructor has them.");
    } else if (exercise->state != PASSING && !again) {
        printf("%s does not pass yet. Press s again to see the solution anyway.\n",
               exercise->id);
        s->solution_asked = true;
    } else {
        place_compare(stdout, &s->course, exercise, terminal_columns());
    }
}

static void press_ask(struct session *s)
{
    char *path = print("labs/%s/questions.txt", s->course.labs[current(s)->lab].folder);
    if (access(path, R_OK) == 0) {
        const struct found_question question = find_question(s);
        judge_make(&s->judge, "ask", lab_number(s), NULL, question.number);
        free(question.text);
    } else {
        puts("This lab has no questions.");
    }
    free(path);
}

static void press(struct session *s, int key)
{
    const bool again = s->solution_asked;
    s->solution_asked = false;
    switch (key) {
    case 'n':
        press_open(s, screen_next(&s->course, s->current));
        break;
    case 'b':
        press_back(s);
        break;
    case 'l':
        screen_list(&s->course, s->current);
        break;
    case 'h':
        press_hint(s);
        break;
    case 's':
        press_solution(s, again);
        break;
    case 'd':
        show_report(s, true);
        break;
    case 'p':
        judge_make(&s->judge, "plot", lab_number(s), NULL, 0);
        break;
    case 'r':
        judge_make(&s->judge, "unit", lab_number(s), current(s)->id, 0);
        break;
    case 'a':
        press_ask(s);
        break;
    default:
        return;
    }
    if (s->running == NOTHING && !s->over) {
        foot(s);
    }
}

// Keys wait for the verdict, which would clear what they show; q does not.
static void take_key(struct session *s)
{
    const int key = terminal_key();
    if (key == 0 || key == 'q' || key == 'Q') {
        s->over = true;
    } else if (s->running != NOTHING) {
        s->waiting_key = key;
    } else {
        press(s, key);
    }
}

// ---- the loop ------------------------------------------------------------------------------

static void take_signal(struct session *s)
{
    switch (terminal_signal(&s->terminal)) {
    case SIGINT:
    case SIGTERM:
    case SIGHUP:
        s->over = true;
        break;
    case SIGTSTP: // continued
    case SIGWINCH:
        if (s->running == NOTHING && s->terminal.screen) {
            show_report(s, false);
            show_pass(s);
            if (passes(s)) {
                screen_others(&s->course, s->current, NULL);
            }
            foot(s);
        }
        break;
    default:
        break;
    }
}

static void take_output(struct session *s)
{
    int status;
    if (!command_read(&s->command, &status)) {
        finish(s, status);
    }
    if (s->running == NOTHING && s->waiting_key != 0) {
        const int key = s->waiting_key;
        s->waiting_key = 0;
        press(s, key);
    }
}

// An editor may write several files, or one in several steps: each change ends the run before it.
static void take_save(struct session *s)
{
    if (watched_changed(&s->watched)) {
        start(s, THE_EXERCISE);
    }
}

static void wait_for_something(struct session *s)
{
    struct pollfd ready[] = {
        {.fd = s->terminal.signals, .events = POLLIN},
        {.fd = s->running != NOTHING ? s->command.from : -1, .events = POLLIN},
        {.fd = s->watched.notify, .events = POLLIN},
        {.fd = s->terminal.keys ? STDIN_FILENO : -1, .events = POLLIN},
    };
    const int wait = s->watched.notify >= 0 ? -1 : LOOK_MILLISECONDS;
    if (poll(ready, sizeof ready / sizeof *ready, wait) < 0) {
        s->over = s->over || errno != EINTR;
        return;
    }
    if (ready[0].revents != 0) {
        take_signal(s);
    } else if (ready[3].revents != 0) {
        take_key(s);
    } else if (ready[2].revents != 0 || s->watched.notify < 0) {
        take_save(s);
    }
    if (!s->over && ready[1].revents != 0 && s->running != NOTHING &&
        s->command.from == ready[1].fd) {
        take_output(s);
    }
}

static void end(struct session *s)
{
    command_stop(&s->command);
    watched_end(&s->watched);
    terminal_raw(false);
    if (s->end == SESSION_ENDED && !s->progress_shown) {
        screen_progress(&s->course, s->current);
    }
    unlink(s->judge.json);
    free(s->judge.json);
    free(s->judge.grader);
    free(s->progress);
    free(s->report);
    free(s);
}

// "build/progress/labs" for the folder labs.
static char *progress_path(const struct session_options *options)
{
    char *path = print("%s/progress/%s%s", options->build, options->source,
                       options->backend != NULL ? "-gpu" : "");
    for (char *at = path + strlen(options->build) + strlen("/progress/"); *at; at++) {
        *at = *at == '/' ? '_' : *at;
    }
    return path;
}

enum session_end session_run(const struct session_options *options)
{
    struct session *s = or_die(calloc(1, sizeof *s));
    s->options = options;
    s->command.from = s->watched.notify = -1;
    s->prepared = MOST_LABS;
    s->progress = progress_path(options);
    s->judge = (struct judge){.build = options->build, .source = options->source};
    s->judge.seed = options->seed;
    s->judge.backend = options->backend;
    s->judge.profile = options->profile;
    s->judge.json = print("%s/progress.%d.json", options->build, (int)getpid());
    if (!course_read(&s->course, options->source, options->backend != NULL)) {
        s->end = SESSION_NO_LAB;
        s->over = true;
    } else {
        progress_read(&s->course, s->progress);
        terminal_begin(&s->terminal);
        s->judge.color = s->terminal.color;
        if (!open_first(s)) {
            s->end = SESSION_NO_LAB;
            s->over = true;
        }
    }
    while (!s->over) {
        wait_for_something(s);
    }
    const enum session_end how = s->end;
    end(s);
    return how;
}
