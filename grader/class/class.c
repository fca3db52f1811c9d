// class.c - see class.h. Start reading at class_command.

#define _GNU_SOURCE
#include "class/class.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "class/before.h"
#include "class/copy.h"
#include "class/due.h"
#include "class/roster.h"
#include "class/slice.h"
#include "class/slot.h"
#include "class/times.h"
#include "base/columns.h"
#include "base/exit_code.h"
#include "base/memory.h"
#include "base/pool.h"
#include "report/fold.h"
#include "sandbox/cgroup.h"
#include "sandbox/tree.h"
#include "sandbox/wall.h"

// ---- the run ------------------------------------------------------------------------------

// Reads the options of the last unfinished run.
static void resume(struct class *class)
{
    struct class_options *options = &class->options;
    sqlite3_stmt *run = gradebook_query(
        &class->book,
        "SELECT id, folder, lab, seed, hidden_seed, backend, trusted, follow FROM run "
        "WHERE finished IS NULL AND id NOT IN (SELECT run FROM slice) "
        "AND id NOT IN (SELECT run FROM undone) ORDER BY id DESC LIMIT 1",
        "");
    if (!gradebook_next(&class->book, &run)) {
        fprintf(stderr,
                "grade: every run in %s is finished, so there is nothing to resume\n",
                options->db);
        exit(CLASS_USAGE);
    }
    class->run = sqlite3_column_int64(run, 0);
    options->folder = grader_print("%s", gradebook_text(run, 1));
    options->lab = sqlite3_column_int(run, 2);
    class_set(&options->seed, gradebook_text(run, 3));
    class_set(&options->hidden_seed, gradebook_text(run, 4));
    class_set(&options->backend, gradebook_text(run, 5));
    class_set(&options->follow, gradebook_text(run, 7));
    options->trust = options->trust || sqlite3_column_int(run, 6) != 0;
    sqlite3_finalize(run);
}

// Finds an unfinished run with the same options, to continue it.
static void begin_run(struct class *class)
{
    const struct class_options *options = &class->options;
    struct gradebook *book = &class->book;
    class->run =
        options->parts > 0
            ? slice_run(class)
            : gradebook_number(
                  book, 0,
                  "SELECT max(id) FROM run WHERE finished IS NULL AND folder = ? AND "
                  "lab = ? AND seed = ? AND hidden_seed = ? AND backend = ? AND "
                  "follow = ? AND id NOT IN (SELECT run FROM slice) "
                  "AND id NOT IN (SELECT run FROM undone)",
                  "titttt", options->folder, (int64_t)options->lab, options->seed,
                  options->hidden_seed, options->backend, options->follow);
    if (class->run == 0) {
        gradebook_do(
            book,
            "INSERT INTO run (folder, lab, seed, hidden_seed, backend, follow, trusted, "
            "started) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            "tittttii", options->folder, (int64_t)options->lab, options->seed,
            options->hidden_seed, options->backend, options->follow,
            (int64_t)options->trust, gradebook_now());
        class->run = sqlite3_last_insert_rowid(book->db);
    }
    if (options->parts > 0) {
        slice_note(class);
    }
}

// --due without --lab sets the same deadline for all labs. It must not change deadlines
// that were set for single labs.
static void check_deadlines(struct class *class)
{
    const struct class_options *options = &class->options;
    if (options->due == NULL || options->lab != 0) {
        return;
    }
    int64_t lab = gradebook_number(
        &class->book, 0, "SELECT lab FROM deadline WHERE due != ? ORDER BY lab LIMIT 1",
        "i", options->due_seconds);
    if (lab != 0) {
        option_refuse(&class_table,
                      "lab %d has its own deadline in %s: use --lab with --due", (int)lab,
                      options->db);
    }
}

static void tell_deadline(struct class *class, int64_t lab)
{
    sqlite3_stmt *row = gradebook_query(
        &class->book, "SELECT due, printf('%g', penalty) FROM deadline WHERE lab = ?",
        "i", lab);
    while (gradebook_next(&class->book, &row)) {
        char due[64];
        due_write(sqlite3_column_int64(row, 0), due, sizeof due);
        printf("lab %d is due %s; each day late costs %s %% of its points\n", (int)lab,
               due, gradebook_text(row, 1));
    }
}

// An omitted --penalty keeps its old value.
static void note_deadlines(struct class *class)
{
    const struct class_options *options = &class->options;
    for (int i = 0; i < class->lab_count && options->due != NULL; i++) {
        int64_t lab = class->labs[i].place->number;
        gradebook_do(&class->book,
                     "INSERT INTO deadline (lab, due, penalty) VALUES (?1, ?2, ?3) ON "
                     "CONFLICT DO UPDATE SET due = excluded.due, penalty = CASE WHEN ?4 "
                     "THEN excluded.penalty ELSE penalty END",
                     "iidi", lab, options->due_seconds, options->penalty,
                     (int64_t)options->penalty_given);
    }
}

// After everything that may refuse the command line: nothing is said that did not happen.
static void tell_deadlines(struct class *class)
{
    for (int i = 0; i < class->lab_count && class->options.due != NULL; i++) {
        tell_deadline(class, class->labs[i].place->number);
    }
}

// Whether late points follow from the times of files.
static void note_file_times(struct class *class)
{
    const char *what = class->options.file_times;
    for (int i = 0; i < class->lab_count && what != NULL; i++) {
        gradebook_do(&class->book,
                     strcmp(what, "charge") == 0
                         ? "INSERT OR IGNORE INTO file_times VALUES (?)"
                         : "DELETE FROM file_times WHERE lab = ?",
                     "i", (int64_t) class->labs[i].place->number);
    }
}

// ---- waiting for processes ----------------------------------------------------------------

struct crew {
    struct class *class;
    struct slot slots[MOST_JOBS];
    int count;
    int64_t last; // submission taken
    bool stopped, all_taken;
    int signals; // a descriptor
};

static int busy_slots(const struct crew *crew)
{
    int busy = 0;
    for (int i = 0; i < crew->count; i++) {
        busy += crew->slots[i].submission != 0;
    }
    return busy;
}

// Each slot gets its share of the processors. N slots with N threads each would run N * N
// compilers at a time, in the same processor time but N times the memory. When no
// submission is waiting, the remaining slots share all processors.
static void share_processors(struct crew *crew)
{
    long slots = crew->all_taken ? busy_slots(crew) : crew->count;
    long share = slots > 0 ? sysconf(_SC_NPROCESSORS_ONLN) / slots : 1;
    crew->class->threads = share < 1              ? 1
                           : share > MOST_THREADS ? MOST_THREADS
                                                  : (int)share;
}

// Fills all free slots while submissions are waiting. A submission that needs no process,
// because all its gradings exist, frees its slot immediately.
static void fill_slots(struct crew *crew)
{
    for (int i = 0; i < crew->count; i++) {
        if (crew->slots[i].submission == 0 && !crew->stopped && !crew->all_taken) {
            crew->all_taken = !slot_take(&crew->slots[i], &crew->last);
        }
    }
    share_processors(crew);
}

static void wait_for_something(struct crew *crew)
{
    struct pollfd events[MOST_JOBS + 1] = {{crew->signals, POLLIN, 0}};
    struct slot *waiting[MOST_JOBS + 1];
    int count = 1;
    for (int i = 0; i < crew->count; i++) {
        if (crew->slots[i].pid != 0) {
            waiting[count] = &crew->slots[i];
            events[count++] = (struct pollfd){crew->slots[i].pidfd, POLLIN, 0};
        }
    }
    int ready = poll(events, (nfds_t)count, 500);
    if (ready > 0 && events[0].revents != 0) {
        crew->stopped = true;
        return;
    }
    for (int i = 1; i < count; i++) {
        if (ready > 0 && events[i].revents != 0) {
            slot_step(waiting[i]);
        } else if (slot_now() > waiting[i]->deadline) {
            slot_timeout(waiting[i]);
        }
    }
    progress_draw(&crew->class->progress);
}

static void catch_signals(struct crew *crew)
{
    sigset_t stops;
    sigemptyset(&stops);
    sigaddset(&stops, SIGINT);
    sigaddset(&stops, SIGTERM);
    sigaddset(&stops, SIGHUP);
    sigprocmask(SIG_BLOCK, &stops, NULL);
    crew->signals = signalfd(-1, &stops, SFD_CLOEXEC);
    if (crew->signals < 0) {
        grader_fail("signalfd: %s", strerror(errno));
    }
}

// If a grader is killed between two steps of bwrap, the first process of its box may wait
// forever (box.h). Such an orphan becomes a child of this process. When no hand-in is being
// judged, every child is such an orphan.
static void end_orphans(void)
{
    for (pid_t orphan; (orphan = tree_first_child(getpid())) > 0;) {
        if (kill(orphan, SIGKILL) != 0 || waitpid(orphan, NULL, 0) != orphan) {
            break; // not ours to end
        }
    }
}

static bool grade_all(struct class *class)
{
    struct crew *crew = grader_alloc(sizeof *crew);
    *crew = (struct crew){.class = class, .count = class->options.jobs};
    for (int i = 0; i < crew->count; i++) {
        crew->slots[i].class = class;
        crew->slots[i].folder = grader_print("%s/slot%d", class->scratch, i);
        if (mkdir(crew->slots[i].folder, 0777) != 0) {
            grader_fail("cannot make %s: %s", crew->slots[i].folder, strerror(errno));
        }
    }
    catch_signals(crew);
    prctl(PR_SET_CHILD_SUBREAPER, 1); // end_orphans
    for (;;) {
        fill_slots(crew);
        if (crew->stopped || (busy_slots(crew) == 0 && crew->all_taken)) {
            break;
        }
        wait_for_something(crew);
        if (class->options.copy != NULL &&
            class->graded + class->absent + class->refused > 0) {
            copy_sometimes(&class->book, class->options.copy, &class->next_copy);
        }
    }
    bool stopped = crew->stopped;
    for (int i = 0; i < crew->count; i++) {
        if (crew->slots[i].pid != 0) {
            slot_stop(&crew->slots[i]);
        }
        free(crew->slots[i].folder);
    }
    end_orphans();
    close(crew->signals);
    free(crew);
    return !stopped;
}

// ---- the end ------------------------------------------------------------------------------

static void write_end(FILE *file, const struct class *class, bool finished)
{
    struct rusage used, children;
    getrusage(RUSAGE_SELF, &used);
    getrusage(RUSAGE_CHILDREN, &children);
    double busy = (double)(children.ru_utime.tv_sec + children.ru_stime.tv_sec) +
                  1e-6 * (double)(children.ru_utime.tv_usec + children.ru_stime.tv_usec);
    // The system does not count the time of processes in a box.
    char *processors = class->options.trust
                           ? grader_print("%.0f s of processor time, ", busy)
                           : grader_print("%s", "");
    if (class->nobodys > 0) {
        fprintf(file,
                "without a student: %d entr%s of the folder; see \"left out\" above\n",
                class->nobodys, class->nobodys == 1 ? "y" : "ies");
    }
    fprintf(
        file,
        "%s %.0f s: %d graded, %d with no file of %s, %d refused, %d not graded "
        "(labs: %d judged now, %d judged already); the marks are in %s (%sthis program "
        "took up to %.1f MB of memory)\n",
        finished ? "done in" : "stopped after", slot_now() - class->progress.started,
        class->graded, class->absent, class->lab_count == 1 ? "the lab" : "any lab",
        class->refused, class->failed, class->made, class->known,
        class->options.copy != NULL ? class->options.copy : class->options.db, processors,
        (double)used.ru_maxrss / 1024);
    free(processors);
    bool one = class->left_out == 1;
    if (class->left_out > 0) {
        fprintf(file,
                "ignored: %d upload%s neither archive%s nor .c or .cu file%s; those of "
                "students with no file of a lab are named above\n",
                class->left_out, one ? " that is" : "s that are", one ? "" : "s",
                one ? "" : "s");
    }
    const int all = class->graded + class->absent + class->refused + class->failed;
    if (class->lab_count == 1 && all >= 3 && 2 * class->absent > all) {
        fprintf(
            file,
            "%d of %d hand-ins have no file of lab %d, and 0 points in it now: is %s "
            "the folder of another lab? grade undo %lld --db %s takes this run back\n",
            class->absent, all, class->labs[0].place->number, class->options.folder,
            (long long)class->run, class->options.db);
    }
    if (class->rated > 0) {
        fprintf(file,
                "grader/points.txt has changed: different lab hand-ins with new points: "
                "%d; none of them was judged again\n",
                class->rated);
    }
    if (class->unseen > 0) {
        fprintf(file,
                "not judged: edited .cu files (students: %d); --backend all also judges "
                "them, --backend gpu judges only them\n",
                class->unseen);
    }
    if (!finished && class->options.parts > 0) {
        fprintf(file, "to continue, run the same command\n");
    } else if (!finished) {
        fprintf(file,
                "to continue, run the same command, or: grade class --resume --db %s\n",
                class->options.db);
    }
}

// The last lines, in rows that fit the terminal.
static void tell(const struct class *class, bool finished)
{
    struct text text;
    text_begin(&text);
    write_end(text.file, class, finished);
    char *lines = text_end(&text);
    report_fold(stdout, lines, grader_columns());
    free(lines);
}

static void tell_failures(struct class *class)
{
    sqlite3_stmt *failure = gradebook_query(
        &class->book,
        "SELECT label, lab, failure FROM piece JOIN submission ON submission.id = "
        "submission JOIN called ON called.id = student WHERE run = ? AND failure NOT "
        "NULL ORDER BY label, lab",
        "i", class->run);
    while (gradebook_next(&class->book, &failure)) {
        char *name = progress_line(gradebook_text(failure, 0));
        fprintf(stderr, "grade: %s, lab %d: %s\n", name, sqlite3_column_int(failure, 1),
                gradebook_text(failure, 2));
        free(name);
    }
}

// A child of a killed grader holds the lock until it executes another program, so try again
// for a moment.
static bool take_lock(int descriptor)
{
    enum { LOCK_SECONDS = 2 };
    for (double end = slot_now() + LOCK_SECONDS;
         flock(descriptor, LOCK_EX | LOCK_NB) != 0;) {
        if (errno != EWOULDBLOCK) {
            return true; // a file system without such locks
        }
        if (slot_now() > end) {
            return false;
        }
        poll(NULL, 0, 10);
    }
    return true;
}

// Only one grade class may write to a gradebook. This lock does not conflict with SQLite's,
// which are of another kind. It lasts until the descriptor is closed, so the descriptor
// stays open.
static void lock_gradebook(const char *path)
{
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor >= 0 && !take_lock(descriptor)) {
        grader_fail("another grade class is writing to %s; wait until it ends, then run "
                    "again",
                    path);
    }
}

static struct class *the_class; // for atexit alone

static void tidy_up(void)
{
    if (the_class != NULL && the_class->scratch != NULL) {
        scratch_close(the_class);
    }
}

// Without a box, untrusted code runs only with --trust. To test the box, a solution must
// pass in it.
static void check_box(const struct class *class)
{
    if (class->options.trust) {
        return;
    }
    cgroup_share();
    char *command =
        grader_print("umask %04o; said=$('%s' check %s --src '%s/solutions' --exercise "
                     "%s 2>&1); code=$?; "
                     "printf '%%s\\n' \"$said\" | tail -n 1; exit $code",
                     (unsigned)gradebook_mask_before(), class->grade, UNTRUSTED_OPTION,
                     class->options.root, lab_places[0].lab->exercises[0]->id);
    char line[512] = "it could not be tested";
    FILE *pipe = popen(command, "re");
    if (pipe != NULL && fgets(line, sizeof line, pipe) != NULL) {
        line[strcspn(line, "\n")] = '\0';
    }
    const int status = pipe != NULL ? pclose(pipe) : -1;
    free(command);
    if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_FAIL) {
        grader_fail(
            "the workbook's own solution of %s does not pass in a box. To see why: %s "
            "check %s --src '%s/solutions' --exercise %s",
            lab_places[0].lab->exercises[0]->id, class->grade, UNTRUSTED_OPTION,
            class->options.root, lab_places[0].lab->exercises[0]->id);
    }
    const char *why = strncmp(line, "grade: ", 7) == 0 ? line + 7 : line;
    static const char no_box[] = "no box for untrusted code";
    if (status != 0) {
        const bool said = strncmp(why, no_box, strlen(no_box)) == 0;
        grader_fail("%s%s%s. --trust grades without a box, under your own account",
                    said ? "" : no_box, said ? "" : ": ", why);
    }
}

static char *judge_program(void)
{
    char path[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    if (length < 0) {
        grader_fail("cannot find the path of this program: %s", strerror(errno));
    }
    path[length] = '\0';
    *(strrchr(path, '/') + 1) = '\0';
    return grader_print("%sgrade", path);
}

// All hand-ins are judged on the same cases, so some expected results are computed only once
// (cases/kept.h). No student code may read or write there, so not without Landlock.
static void share_expected(const struct class *class)
{
    char *folder = grader_print("%s/expected", class->scratch);
    if (wall_version() > 0 && mkdir(folder, 0700) == 0) {
        setenv("GRADE_KEPT", folder, 1);
    }
    free(folder);
}

// Everything before the first hand-in is judged is one transaction: if it ends with an error
// or a question, the gradebook is as before. Returns the number of students.
static int prepare_run(struct class *class)
{
    gradebook_begin(&class->book);
    check_deadlines(class);
    if (!class->options.resume) {
        begin_run(class);
    }
    note_deadlines(class);
    note_file_times(class);
    roster_apply(class);
    times_read(class);
    int students = class_scan(class);
    extensions_apply(class);
    times_question(class);
    before_tell(class);
    gradebook_commit(&class->book);
    roster_tell_size(class);
    tell_deadlines(class);
    return students;
}

int class_command(const char *root, int argc, char **argv)
{
    struct class *class = grader_alloc(sizeof *class);
    struct class_options *options = &class->options;
    *options = (struct class_options){.root = root, .wait = 30};
    class_read_options(options, argc, argv);
    gradebook_keep_private();
    class->grade = judge_program();
    if (!options->resume) { // before any file is made
        class_choose_labs(class);
        class_check_folder(class);
        class_tell_seed(options);
    }
    if (options->copy != NULL) {
        copy_fetch(options->copy, options->db);
    }
    gradebook_open(&class->book, options->db, !options->resume, options->wait);
    lock_gradebook(options->db);
    if (options->resume) {
        resume(class);
        class_choose_labs(class);
    }
    check_box(class);
    // Not on a command line, because every user of the machine could read it.
    setenv("GRADE_HIDDEN_SEED", options->hidden_seed, 1);
    the_class = class;
    atexit(tidy_up);
    scratch_open(class);
    share_expected(class);
    int students = prepare_run(class);
    progress_begin(&class->progress, stdout, students);
    bool finished = grade_all(class);
    progress_clear(&class->progress);
    if (finished) {
        gradebook_do(&class->book, "UPDATE run SET finished = ? WHERE id = ?", "ii",
                     gradebook_now(), class->run);
        slice_finish(class);
    }
    if (options->copy != NULL) {
        copy_store(&class->book, options->copy);
    }
    tell(class, finished);
    times_tell(class);
    roster_tell(class);
    tell_failures(class);
    gradebook_close(&class->book);
    int code = !finished ? CLASS_STOPPED : class->failed > 0 ? CLASS_FAILED : CLASS_DONE;
    tidy_up();
    the_class = NULL;
    free(class->grade);
    csv_free(&class->times);
    free(options->folder);
    free(options->file_times);
    free(options->seed);
    free(options->hidden_seed);
    free(options->backend);
    free(options->follow);
    free(class);
    return code;
}
