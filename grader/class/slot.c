// slot.c - see slot.h.

#define _GNU_SOURCE
#include "class/slot.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/exit_code.h"
#include "base/memory.h"
#include "class/collect.h"
#include "report/text.h"
#include "sandbox/allowance.h"
#include "sandbox/process.h"

enum {
    // timeout for a broken machine; the tools' own limits are much shorter
    COLLECT_SECONDS = 300,
    COMPILE_SECONDS = 120, // extra time per lab, beyond the limits of its exercises
    MOST_ATTEMPTS = 2,     // attempts if the grader fails
    MOST_MESSAGE = 400,
};

double slot_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

// ---- processes ----------------------------------------------------------------------------

// Runs between fork and exec. Closes stdout and redirects stderr to the slot's file.
static _Noreturn void become(char *const *arguments, const char *errors, pid_t parent)
{
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    umask(gradebook_mask_before());
    setpgid(0, 0); // Ctrl-C is handled by grade class
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    int nothing = open("/dev/null", O_RDWR);
    int file = open(errors, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (getppid() != parent || nothing < 0 || file < 0 || dup2(nothing, 0) < 0 ||
        dup2(nothing, 1) < 0 || dup2(file, 2) < 0) {
        _exit(EXIT_GRADER);
    }
    close_range(3, ~0u, 0);
    execv(arguments[0], arguments);
    dprintf(2, "grade: cannot start %s: %s\n", arguments[0], strerror(errno));
    _exit(EXIT_GRADER);
}

static void start(struct slot *slot, char *const *arguments, double seconds)
{
    char *errors = grader_print("%s/errors", slot->folder);
    pid_t parent = getpid();
    slot->pid = fork();
    if (slot->pid == 0) {
        become(arguments, errors, parent);
    }
    if (slot->pid < 0) {
        grader_fail("cannot start a process: %s", strerror(errno));
    }
    slot->pidfd = (int)syscall(SYS_pidfd_open, slot->pid, 0);
    if (slot->pidfd < 0) {
        grader_fail("pidfd_open: %s (Linux 5.3 or newer is needed)", strerror(errno));
    }
    slot->started = slot_now();
    slot->deadline = slot->started + seconds;
    free(errors);
}

// Returns the exit status of the process that has ended, or -1 with the reason.
static int finish(struct slot *slot, char **why)
{
    int status = 0;
    while (waitpid(slot->pid, &status, 0) < 0 && errno == EINTR) {
    }
    kill(-slot->pid, SIGKILL);
    close(slot->pidfd);
    slot->pid = 0;
    *why = NULL;
    if (WIFEXITED(status)) {
        return WEXITSTATUS(status);
    }
    *why = grader_print("ended by signal %d (%s)", WTERMSIG(status),
                        strsignal(WTERMSIG(status)));
    return -1;
}

// The last line of its stderr, safe to print. Caller frees.
static char *complaint(const struct slot *slot)
{
    char bytes[8192];
    char *path = grader_print("%s/errors", slot->folder);
    FILE *file = fopen(path, "re");
    size_t size = file != NULL ? fread(bytes, 1, sizeof bytes - 1, file) : 0;
    if (file != NULL) {
        fclose(file);
    }
    free(path);
    while (size > 0 && bytes[size - 1] == '\n') {
        size--;
    }
    bytes[size] = '\0';
    char *last = strrchr(bytes, '\n');
    last = last != NULL ? last + 1 : bytes;
    last += strncmp(last, "grade: ", 7) == 0 ? 7 : 0;
    return report_clean(last, strnlen(last, MOST_MESSAGE));
}

// ---- collecting ---------------------------------------------------------------------------

static char *from_hex(const char *hex, size_t length)
{
    char *text = grader_alloc(length / 2 + 1);
    for (size_t i = 0; i + 1 < length; i += 2) {
        char pair[3] = {hex[i], hex[i + 1], '\0'};
        text[i / 2] = (char)strtoul(pair, NULL, 16);
    }
    return text;
}

// files is "name:path name:path ...", in hexadecimal digits (scan.c).
static void start_collect(struct slot *slot, const char *files)
{
    size_t most = 10;
    for (const char *at = files; *at != '\0'; at++) {
        most += *at == ':' ? 3 : 0;
    }
    char **arguments = grader_alloc(most * sizeof *arguments);
    size_t count = 0;
    arguments[count++] = grader_print("%s-class", slot->class->grade);
    arguments[count++] = grader_print("collect");
    arguments[count++] = grader_print("--into");
    arguments[count++] = grader_print("%s/tree", slot->folder);
    arguments[count++] = grader_print("--quiet");
    if (slot->class->options.lab != 0) {
        arguments[count++] = grader_print("--lab");
        arguments[count++] = grader_print("%d", slot->class->options.lab);
    }
    scratch_empty(slot->folder);
    mkdir(arguments[3], 0777);
    while (*files != '\0') {
        size_t name = strcspn(files, ":"), path = strcspn(files + name + 1, " ");
        arguments[count++] = grader_print("--as");
        arguments[count++] = from_hex(files, name);
        arguments[count++] = from_hex(files + name + 1, path);
        files += name + 1 + path + 1;
    }
    start(slot, arguments, COLLECT_SECONDS);
    for (size_t i = 0; i < count; i++) {
        free(arguments[i]);
    }
    free(arguments);
}

bool slot_take(struct slot *slot, int64_t *last)
{
    struct gradebook *book = &slot->class->book;
    sqlite3_stmt *next =
        gradebook_query(book,
                        "SELECT submission.id, label, files FROM submission JOIN called "
                        "ON called.id = student WHERE run = ? AND submission.id > ? "
                        "ORDER BY submission.id LIMIT 1",
                        "ii", slot->class->run, *last);
    if (!gradebook_next(book, &next)) {
        return false;
    }
    slot->submission = *last = sqlite3_column_int64(next, 0);
    slot->label = grader_print("%s", gradebook_text(next, 1));
    slot->lab = -1;
    slot->attempt = 0;
    slot->together = 0;
    slot->apart = false;
    slot->failed = false;
    slot->hung = slot->hung_hash = NULL;
    slot->points = slot->most = 0;
    slot->late = grader_print("%s", "");
    slot->absence.count = 0;
    char *files = grader_print("%s", gradebook_text(next, 2));
    sqlite3_finalize(next);
    start_collect(slot, files);
    free(files);
    return true;
}

cJSON *slot_read_json(const char *path, size_t most)
{
    struct stat status;
    cJSON *json = NULL;
    FILE *file = fopen(path, "re");
    if (file != NULL && fstat(fileno(file), &status) == 0 &&
        (size_t)status.st_size <= most) {
        char *text = grader_alloc((size_t)status.st_size + 1);
        size_t size = fread(text, 1, (size_t)status.st_size, file);
        text[size] = '\0';
        json = cJSON_Parse(text);
        free(text);
    }
    if (file != NULL) {
        fclose(file);
    }
    return json;
}

static cJSON *read_manifest(const struct slot *slot)
{
    char *path = grader_print("%s/tree/manifest.json", slot->folder);
    cJSON *manifest = slot_read_json(path, LARGEST_MANIFEST);
    free(path);
    return manifest;
}

// ---- grading ------------------------------------------------------------------------------

// The labs of a hand-in that have no grading, from the slot's on, are judged by one process: a lab
// uses earlier ones, which a process for each lab would compile and judge again. A lab's verdicts
// must not depend on files that it does not use, though. So if one of them takes too much time,
// the labs are judged one by one.
static void choose_labs(struct slot *slot, char **chosen, double *seconds)
{
    const struct class *class = slot->class;
    const bool one = slot->apart || slot->attempt > 0;
    const int first = slot->lab;
    slot->together = 0;
    *seconds = 0;
    for (; slot->lab < (one ? first + 1 : class->lab_count); slot->lab++) {
        const struct class_lab *lab = &class->labs[slot->lab];
        if (slot->lab == first || record_known(slot) == 0) {
            chosen[slot->together++] = grader_print("--lab=%d", lab->place->number);
            *seconds += MOST_TIMES_ITS_LIMIT * lab->seconds + COMPILE_SECONDS;
        }
    }
    slot->lab = first;
}

static void start_check(struct slot *slot)
{
    const struct class_options *options = &slot->class->options;
    char *tree = grader_print("%s/tree", slot->folder);
    char *json = grader_print("%s/result.json", slot->folder);
    char *threads = grader_print("%d", slot->class->threads);
    char *hung = grader_print("--hung=%s", slot->hung != NULL ? slot->hung : "");
    char *arguments[24 + MOST_LABS] = {slot->class->grade,
                                       "check",
                                       "--src",
                                       tree,
                                       "--seed",
                                       options->seed,
                                       "--follow",
                                       options->follow,
                                       "--backend",
                                       options->backend,
                                       "--jobs",
                                       threads,
                                       "--json",
                                       json,
                                       "--no-color",
                                       options->trust ? "--strangers" : UNTRUSTED_OPTION,
                                       slot->hung != NULL ? hung : NULL};
    char **chosen = arguments;
    while (*chosen != NULL) {
        chosen++;
    }
    double seconds;
    choose_labs(slot, chosen, &seconds);
    unlink(json);
    start(slot, arguments, wall_seconds(seconds));
    for (; *chosen != NULL; chosen++) {
        free(*chosen);
    }
    free(hung);
    free(threads);
    free(json);
    free(tree);
}

// ": no file of lab 1 (attention.c); there is notes.txt" if this may be unintended, or ": 6 do not
// compile" without any points; otherwise "". Caller frees.
static char *remark(const struct slot *slot)
{
    const char *others =
        cJSON_GetStringValue(cJSON_GetObjectItem(slot->manifest, "others"));
    int labs = slot->class->lab_count, absent = slot->absence.count;
    if (absent < labs && slot->points == 0 && slot->most > 0 && !slot->failed) {
        char *why = record_why_none(slot), *remark = grader_print(": %s", why);
        free(why);
        return remark;
    }
    if (absent == 0 || (absent < labs && *others == '\0')) {
        return grader_print("%s", "");
    }
    char *line = absence_line(&slot->absence, others);
    char *remark = grader_print(": %s", line);
    free(line);
    return remark;
}

static void release(struct slot *slot)
{
    struct class *class = slot->class;
    char *line;
    if (slot->manifest == NULL) {
        line = grader_print("%s: could not be graded", slot->label);
        class->failed++;
    } else if (strcmp(
                   cJSON_GetStringValue(cJSON_GetObjectItem(slot->manifest, "verdict")),
                   "taken") != 0) {
        line = grader_print(
            "%s: refused: %s", slot->label,
            cJSON_GetStringValue(cJSON_GetObjectItem(slot->manifest, "reason")));
        class->refused++;
    } else {
        char *more = remark(slot);
        bool absent = slot->absence.count == class->lab_count;
        line = slot->failed && slot->most == 0
                   ? grader_print("%s: could not be graded", slot->label)
                   : grader_print("%s: %g of %g points%s%s%s", slot->label, slot->points,
                                  slot->most, slot->late,
                                  slot->failed ? ", and a lab could not be graded" : "",
                                  more);
        free(more);
        class->graded += !slot->failed && !absent;
        class->absent += !slot->failed && absent;
        class->failed += slot->failed;
    }
    progress_step(&class->progress, line);
    free(line);
    free(slot->label);
    free(slot->late);
    free(slot->hung);
    free(slot->hung_hash);
    cJSON_Delete(slot->manifest);
    slot->manifest = NULL;
    slot->label = NULL;
    slot->submission = 0;
}

// Goes on to the next lab without a grading. Labs with one are recorded immediately. Returns
// false if no lab is left.
static bool find_next_lab(struct slot *slot)
{
    struct class *class = slot->class;
    slot->attempt = 0;
    while (++slot->lab < class->lab_count) {
        int64_t grading = record_known(slot);
        if (grading == 0) {
            return true;
        }
        class->known++;
        record_piece(slot, grading);
    }
    return false;
}

static void next_lab(struct slot *slot)
{
    if (find_next_lab(slot)) {
        start_check(slot);
    } else {
        release(slot);
    }
}

static void collected(struct slot *slot, int code, const char *why)
{
    slot->manifest = code == 0 || code == 1 ? read_manifest(slot) : NULL;
    char *said = why == NULL ? complaint(slot) : grader_print("the unpacker was %s", why);
    record_collected(slot, said);
    free(said);
    cJSON *verdict = cJSON_GetObjectItem(slot->manifest, "verdict");
    if (verdict != NULL && strcmp(cJSON_GetStringValue(verdict), "taken") == 0) {
        next_lab(slot);
    } else {
        release(slot);
    }
}

static void give_up_or_again(struct slot *slot, const char *reason)
{
    if (++slot->attempt < MOST_ATTEMPTS) {
        start_check(slot);
        return;
    }
    record_failure(slot, reason);
    slot->failed = true;
    next_lab(slot);
}

static void judge_apart(struct slot *slot)
{
    slot->apart = true;
    start_check(slot);
}

// Records the labs of a common report. Each gets an equal part of its time.
static void checked_together(struct slot *slot, int code)
{
    const double seconds = slot_now() - slot->started;
    char *path = grader_print("%s/result.json", slot->folder), *problem = NULL;
    bool fine = (code == EXIT_PASS || code == EXIT_FAIL) && record_separable(path);
    for (bool more = fine; more; more = problem == NULL && find_next_lab(slot)) {
        problem = record_report(slot, path, seconds / slot->together);
        slot->class->made += problem == NULL;
    }
    if (fine && problem == NULL) {
        release(slot);
    } else {
        judge_apart(slot);
    }
    free(problem);
    free(path);
}

static void checked(struct slot *slot, int code, const char *why)
{
    double seconds = slot_now() - slot->started;
    char *problem;
    if (code == EXIT_PASS || code == EXIT_FAIL) {
        char *path = grader_print("%s/result.json", slot->folder);
        problem = record_report(slot, path, seconds);
        free(path);
    } else if (why != NULL) {
        problem = grader_print("the grader was %s", why);
    } else {
        char *said = complaint(slot);
        problem = grader_print("the grader failed%s%s", *said != '\0' ? ": " : "", said);
        free(said);
    }
    if (problem == NULL) {
        slot->class->made++;
        next_lab(slot);
    } else {
        give_up_or_again(slot, problem);
    }
    free(problem);
}

void slot_step(struct slot *slot)
{
    char *why;
    int code = finish(slot, &why);
    if (slot->lab < 0) {
        collected(slot, code, why);
    } else if (slot->together > 1) {
        checked_together(slot, code);
    } else {
        checked(slot, code, why);
    }
    free(why);
}

void slot_timeout(struct slot *slot)
{
    char *why;
    kill(-slot->pid, SIGKILL);
    finish(slot, &why);
    free(why);
    if (slot->lab < 0) {
        collected(slot, -1, "stopped because it took too long");
    } else if (slot->together > 1) {
        judge_apart(slot);
    } else {
        give_up_or_again(slot, "the grader took too long and was stopped");
    }
}

void slot_stop(struct slot *slot)
{
    char *why;
    kill(-slot->pid, SIGKILL);
    finish(slot, &why);
    free(why);
    free(slot->label);
    free(slot->late);
    free(slot->hung);
    free(slot->hung_hash);
    cJSON_Delete(slot->manifest);
    slot->manifest = NULL;
    slot->label = NULL;
    slot->submission = 0;
}
