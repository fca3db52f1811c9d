// test_box.c - the box holds, and each wall is needed: without it, the same attempt succeeds.
// The attempts are in box_probe.c. If this machine cannot make a box, they are skipped, with the reason.
// Run from the workbook's folder.

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <dirent.h>
#include <fcntl.h>
#include <grp.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/surroundings.h"
#include "sandbox/available.h"
#include "sandbox/process.h"
#include "sandbox/orders.h"
#include "sandbox/tree.h"

enum { HELD = 0, THROUGH = 1 };

static const char probe[] = "build/box/probe";
static char absolute[4096]; // the workbook's folder
static char marker[64];     // an environment variable of every boxed program in this test

static void find_box(void)
{
    char reason[512];
    if (!box_available(".", reason, sizeof reason)) {
        cr_skip("no box here: %s", reason);
    }
    cr_assert_not_null(realpath(".", absolute));
    snprintf(marker, sizeof marker, "BOX_TEST=%ld.%ld", (long)getpid(), (long)time(NULL));
}

TestSuite(box, .init = find_box);

// On every machine, also on one that makes no box.
Test(no_box, is_made_without_its_helper_and_the_reason_is_one_line)
{
    char reason[512] = "";
    cr_expect_not(box_available("labs", reason, sizeof reason));
    cr_expect_gt(strlen(reason), 0);
    cr_expect_null(strchr(reason, '\n'), "%s", reason);
}

// One attempt in a box without the walls in leave_out.
static struct outcome attempt(const char *what, const char *argument, unsigned leave_out,
                              size_t megabytes)
{
    char inside[] = "/probe", here[4200], helper[4200];
    static const char *const readable[] = {
        "/usr", "/lib", "/lib64", "/etc/ld.so.cache", "/proc/self", NULL};
    static const char *const writable[] = {"/dev/null", "/scratch", NULL};
    const struct wall wall = {readable, writable, false};
    // If the box shows the whole host, no new folder can be made for the probe.
    bool host = (leave_out & BOX_MOUNTS) != 0;
    snprintf(here, sizeof here, "%s/%s", absolute, probe);
    snprintf(helper, sizeof helper, "%s/build/box/inside", absolute);
    const struct box_path moved[] = {{host ? NULL : probe, inside}, {NULL, NULL}};
    const char *const also[] = {"/usr", "/lib", "/lib64", here, NULL};
    const struct wall wider = {also, writable, false};
    bool scratch = strstr(what, "scratch") != NULL || strstr(what, "large") != NULL;
    const struct box box = {.kind = scratch ? BOX_COMPILER : BOX_WORKER,
                            .helper = helper,
                            .wall = host ? &wider : &wall,
                            .moved = moved,
                            .scratch = scratch ? "/scratch" : NULL,
                            .leave_out = leave_out};
    const struct limits limits = {30, megabytes, 1 << 16, 0, 0, 0, 0};
    char *arguments[] = {host ? here : inside, (char *)what, (char *)argument, NULL};
    char *environment[] = {marker, NULL};
    const struct program program = {.arguments = arguments,
                                    .environment = environment,
                                    .limits = &limits,
                                    .box = &box};
    return process_run(&program);
}

static int tried(const char *what, const char *argument, unsigned leave_out)
{
    struct outcome outcome = attempt(what, argument, leave_out, 512);
    cr_expect_eq(outcome.ending, EXITED, "%s without %#x: ending %d, %s", what, leave_out,
                 (int)outcome.ending, outcome.output);
    int code = outcome.code;
    if (code != HELD && code != THROUGH) {
        cr_expect(false, "%s without %#x: status %d, %s", what, leave_out, code,
                  outcome.output);
    } else if (leave_out == 0 && code == THROUGH) {
        fprintf(stderr, "%s: %s", what, outcome.output);
    }
    free(outcome.output);
    return code;
}

static void held_by(unsigned walls, const char *what, const char *argument)
{
    cr_expect_eq(tried(what, argument, 0), HELD, "%s gets through", what);
    cr_expect_eq(tried(what, argument, walls), THROUGH,
                 "%s is not noticed without the walls %#x", what, walls);
}

// ---- files --------------------------------------------------------------------------------

Test(box, mounts_and_landlock_hide_the_solutions)
{
    char path[4300];
    snprintf(path, sizeof path, "%s/solutions/01_simple_attention/attention.c", absolute);
    held_by(BOX_MOUNTS | BOX_LANDLOCK | BOX_USER, "reads", path);
    cr_expect_eq(tried("reads", path, BOX_LANDLOCK | BOX_USER), HELD, "mounts alone");
    if (wall_version() > 0) {
        cr_expect_eq(tried("reads", path, BOX_MOUNTS | BOX_USER), HELD, "Landlock alone");
    }
}

Test(box, mounts_and_landlock_hide_the_users_of_the_machine)
{
    held_by(BOX_MOUNTS | BOX_LANDLOCK, "reads", "/etc/passwd");
}

Test(box, nothing_can_be_written)
{
    cr_expect_eq(tried("writes-anywhere", "", 0), HELD);
    cr_expect_eq(tried("writes-anywhere", "", BOX_LANDLOCK), HELD, "mounts alone");
}

Test(box, devices_are_not_there)
{
    cr_expect_eq(tried("opens-devices", "", 0), HELD);
    cr_expect_eq(tried("opens-devices", "", BOX_LANDLOCK | BOX_USER), HELD,
                 "mounts alone");
}

Test(box, scratch_folder_is_bounded)
{
    held_by(BOX_SCRATCH_SIZE, "fills-scratch", "/scratch");
}

Test(box, a_file_is_bounded)
{
    held_by(BOX_LIMITS, "writes-large-file", "/scratch");
}

Test(box, files_in_scratch_are_counted)
{
    struct outcome outcome = attempt("floods-scratch", "/scratch", 0, 512);
    cr_expect_eq(outcome.ending, OUT_OF_MEMORY, "ending %d: %s", (int)outcome.ending,
                 outcome.output);
    free(outcome.output);
    cr_expect_eq(tried("floods-scratch", "/scratch", BOX_TREE), THROUGH);
}

// The program has only its own descriptors, and none of those that bwrap uses.
Test(box, no_descriptor_of_the_judge_comes_along)
{
    cr_expect_eq(tried("has-descriptors", "", 0), HELD);
    static const char *const readable[] = {"/usr", "/lib", "/lib64", NULL};
    const struct wall wall = {readable, readable + 3, false};
    const struct box_path moved[] = {{probe, "/probe"}, {NULL, NULL}};
    const struct box box = {.helper = "build/box/inside", .wall = &wall, .moved = moved};
    const struct limits limits = {5, 64, 1 << 16, 0, 0, 0, 0};
    char *arguments[] = {"/probe", "has-descriptors", NULL}, *environment[] = {NULL};
    int descriptors[] = {0};
    const struct program program = {.arguments = arguments,
                                    .environment = environment,
                                    .descriptors = descriptors,
                                    .descriptor_count = 1,
                                    .limits = &limits,
                                    .box = &box};
    struct outcome outcome = process_run(&program);
    cr_expect_eq(outcome.ending, EXITED);
    cr_expect_eq(outcome.code, THROUGH, "a descriptor that was given is not noticed");
    free(outcome.output);
}

// As for a workbook in /opt: the program can read that folder, but not the workbook.
Test(box, a_workbook_below_the_system_is_hidden)
{
    char path[4300], folder[4200], here[4200];
    snprintf(path, sizeof path, "%s/solutions/01_simple_attention/attention.c", absolute);
    snprintf(here, sizeof here, "%s/%s", absolute, probe);
    snprintf(folder, sizeof folder, "%s", absolute);
    *strrchr(folder, '/') = '\0';
    const char *const readable[] = {"/usr", "/lib", "/lib64", *folder ? folder : "/",
                                    here,   NULL};
    static const char *const writable[] = {"/dev/null", NULL};
    const struct wall wall = {readable, writable, false};
    const struct limits limits = {5, 64, 1 << 16, 0, 0, 0, 0};
    char *arguments[] = {here, "reads", path, NULL}, *environment[] = {NULL};
    for (int hide = 0; hide <= 1; hide++) {
        const struct box box = {.helper = "build/box/inside",
                                .hidden = hide == 1 ? "." : NULL,
                                .wall = &wall,
                                .leave_out = BOX_USER};
        const struct program program = {.arguments = arguments,
                                        .environment = environment,
                                        .limits = &limits,
                                        .box = &box};
        struct outcome outcome = process_run(&program);
        cr_expect_eq(outcome.ending, EXITED);
        cr_expect_eq(outcome.code, hide == 1 ? HELD : THROUGH, "hidden %d: %s", hide,
                     outcome.output);
        free(outcome.output);
    }
}

// ---- processes ----------------------------------------------------------------------------

Test(box, processes_are_counted)
{
    held_by(BOX_LIMITS | BOX_GROUP, "forks", "");
}

Test(box, limits_cannot_be_raised)
{
    held_by(BOX_LIMITS, "raises-limits", "");
}

Test(box, other_processes_are_not_there)
{
    char pid[32];
    snprintf(pid, sizeof pid, "%ld", (long)getpid());
    held_by(BOX_NAMESPACES, "sees-process", pid);
}

// Counts the processes that carry our marker. If the caller asks for it, ends each of them by
// its number.
static int count_marked(bool end_them)
{
    int found = 0;
    DIR *processes = opendir("/proc");
    for (struct dirent *entry; (entry = readdir(processes)) != NULL;) {
        char path[300], text[4096];
        snprintf(path, sizeof path, "/proc/%s/environ", entry->d_name);
        int file = atoi(entry->d_name) > 0 ? open(path, O_RDONLY) : -1;
        ssize_t length = file >= 0 ? read(file, text, sizeof text) : -1;
        if (length > 0 && memmem(text, (size_t)length, marker, strlen(marker)) != NULL) {
            found++;
            if (end_them) {
                kill(atoi(entry->d_name), SIGKILL);
            }
        }
        if (file >= 0) {
            close(file);
        }
    }
    closedir(processes);
    return found;
}

Test(box, nothing_is_left_when_it_ends)
{
    free(attempt("leaves-orphan", "", 0, 512).output);
    cr_expect_eq(count_marked(true), 0, "an orphan goes on");
    free(attempt("leaves-orphan", "", BOX_NAMESPACES, 512).output);
    cr_expect_gt(count_marked(true), 0, "without namespaces an orphan goes unnoticed");
}

// Starts boxes one after another until it is killed.
static pid_t start_judge(void)
{
    pid_t judge = fork();
    if (judge == 0) {
        for (;;) {
            free(attempt("leaves-orphan", "", 0, 512).output);
        }
    }
    return judge;
}

// The judge may be killed at any moment, even between bwrap making the first process of a box
// and letting it run.
Test(box, nothing_is_left_when_the_judge_is_killed)
{
    if (geteuid() != 0) {
        cr_skip_test("an ordinary user's bwrap has no namespace around it; see box.h");
    }
    int left = 0;
    for (int i = 0; i < 60; i++) {
        pid_t judge = start_judge();
        const struct timespec some = {0, (20 + i % 30) * 300 * 1000};
        nanosleep(&some, NULL); // the kernel then chooses its place
        kill(judge, SIGKILL);
        cr_assert_eq(waitpid(judge, NULL, 0), judge);
        for (int look = 0; look < 1000 && (left = count_marked(false)) > 0; look++) {
        }
        cr_assert_eq(left, 0, "%d processes are left of judge %d", left, i);
    }
}

// Four processes of 60 megabytes, with a limit of 128.
Test(box, memory_of_all_processes_counts_together)
{
    struct outcome outcome = attempt("shares-memory-out", "60", 0, 128);
    cr_expect_eq(outcome.ending, OUT_OF_MEMORY, "ending %d: %s", (int)outcome.ending,
                 outcome.output);
    free(outcome.output);
    outcome = attempt("shares-memory-out", "60", BOX_TREE | BOX_GROUP, 128);
    cr_expect_eq(outcome.ending, EXITED, "each of them alone is over the limit");
    free(outcome.output);
}

Test(box, page_tables_are_memory)
{
    struct outcome outcome = attempt("page-tables", "200", 0, 64);
    cr_expect_eq(outcome.ending, OUT_OF_MEMORY, "ending %d: %s", (int)outcome.ending,
                 outcome.output);
    free(outcome.output);
    outcome = attempt("page-tables", "200", BOX_TREE | BOX_GROUP, 64);
    cr_expect_eq(outcome.ending, EXITED, "%s", outcome.output);
    cr_expect_eq(outcome.code, THROUGH, "%s", outcome.output);
    free(outcome.output);
}

static struct outcome alone(const char *what, const char *argument, bool in_box)
{
    static const char *const readable[] = {"/usr", "/lib", "/lib64", NULL};
    static const char *const writable[] = {"/dev/null", NULL};
    static const struct box_path moved[] = {{"build/box/probe", "/probe"}, {NULL, NULL}};
    const char *const also[] = {"/usr", "/lib", "/lib64", probe, NULL};
    const struct wall wall = {in_box ? readable : also, writable, true};
    const struct box box = {
        .kind = BOX_WORKER, .helper = "build/box/inside", .wall = &wall, .moved = moved};
    const struct limits limits = {30, 512, 1 << 16, 0, 0, 0, 0};
    char *arguments[] = {in_box ? "/probe" : (char *)probe, (char *)what,
                         (char *)argument, NULL};
    char *environment[] = {NULL};
    const struct program program = {.arguments = arguments,
                                    .environment = environment,
                                    .limits = &limits,
                                    .wall = in_box ? NULL : &wall,
                                    .box = in_box ? &box : NULL};
    return process_run(&program);
}

// This must work every time, even on a busy machine. Threads do not count as processes.
Test(box, who_is_alone_ends_with_the_first_process_it_starts)
{
    static const char *const ways[] = {"forks", "spawns", "vforks"};
    for (int in_box = 0; in_box <= 1; in_box++) {
        for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
            struct outcome outcome = alone(ways[i], "", in_box);
            cr_expect_eq(outcome.ending, SIGNALED, "%s, box %d: ending %d, %s", ways[i],
                         in_box, (int)outcome.ending, outcome.output);
            cr_expect_eq(outcome.code, SIGSYS, "%s, box %d", ways[i], in_box);
            free(outcome.output);
        }
        struct outcome outcome = alone("threads", "", in_box);
        cr_expect_eq(outcome.ending, EXITED, "box %d: %s", in_box, outcome.output);
        cr_expect_eq(outcome.code, THROUGH, "box %d: %s", in_box, outcome.output);
        free(outcome.output);
    }
}

// Neither outside a box, where the wall lists what is refused, nor in a box, whose filter lists
// what is allowed.
Test(box, who_is_alone_cannot_hide_memory)
{
    for (int in_box = 0; in_box <= 1; in_box++) {
        struct outcome outcome = alone("hides-memory", "", in_box);
        cr_expect_eq(outcome.ending, EXITED, "box %d: %s", in_box, outcome.output);
        cr_expect_eq(outcome.code, HELD, "box %d: %s", in_box, outcome.output);
        free(outcome.output);
    }
}

// Outside a box, the judge is visible and belongs to the same user. Calls that name another
// process are refused, for compilers and for programs on a card, too.
Test(box, who_is_behind_the_wall_cannot_change_its_parent)
{
    const char *const readable[] = {"/usr", "/lib", "/lib64", probe, NULL};
    static const char *const writable[] = {"/dev/null", NULL};
    const struct limits limits = {30, 512, 1 << 16, 0, 0, 0, 0};
    for (int alone = 0; alone <= 1; alone++) {
        const struct wall wall = {readable, writable, alone == 1};
        char *arguments[] = {(char *)probe, "names-its-parent", alone == 1 ? "alone" : "",
                             NULL};
        char *environment[] = {NULL};
        const struct program program = {.arguments = arguments,
                                        .environment = environment,
                                        .limits = &limits,
                                        .wall = &wall};
        struct outcome outcome = process_run(&program);
        cr_expect_eq(outcome.ending, EXITED, "alone %d: %s", alone, outcome.output);
        cr_expect_eq(outcome.code, HELD, "alone %d: %s", alone, outcome.output);
        free(outcome.output);
    }
}

// The measurement includes a child that has used processor time and ended.
Test(box, processor_time_of_children_counts)
{
    struct tree before = tree_measure(getpid());
    pid_t pid = fork();
    if (pid == 0) {
        for (clock_t end = clock() + CLOCKS_PER_SEC / 4; clock() < end;) {
        }
        _exit(0);
    }
    cr_assert_eq(waitpid(pid, NULL, 0), pid);
    struct tree after = tree_measure(getpid());
    cr_expect_geq(after.seconds - before.seconds, 0.2);
    cr_expect_gt(after.megabytes, 0);
}

// A user of a university's directory may be in hundreds of groups. /proc lists them before the
// memory.
Test(box, memory_of_a_user_with_many_groups_counts)
{
    if (geteuid() != 0) {
        cr_skip("only root can join groups");
    }
    int ready[2];
    cr_assert_eq(pipe(ready), 0);
    pid_t pid = fork();
    if (pid == 0) {
        gid_t groups[1000];
        for (size_t i = 0; i < 1000; i++) {
            groups[i] = 1000000000 + (gid_t)i;
        }
        char done = setgroups(1000, groups) == 0 ? 'y' : 'n';
        _exit(write(ready[1], &done, 1) == 1 ? pause() : 1);
    }
    char done = 'n';
    cr_assert_eq(read(ready[0], &done, 1), 1);
    struct tree tree = tree_measure(pid);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    if (done != 'y') {
        cr_skip("this root must not join groups");
    }
    cr_expect_gt(tree.megabytes, 0);
}

static size_t files_kept_open(const struct tree_files *files)
{
    size_t kept = 0;
    for (size_t i = 0; i < MOST_KEPT; i++) {
        kept += files->of[i].pid != 0;
    }
    return kept;
}

// surroundings.c asks for as many as 16 judges at once need, without the files of /proc.
Test(box, files_of_proc_stay_open_only_where_descriptors_abound)
{
    struct rlimit limit;
    cr_assert_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
    if (limit.rlim_cur < 4 * (rlim_t)DESCRIPTORS_NEEDED) {
        cr_skip("the limit of open files is small already");
    }
    struct tree_files files = {{{.pid = 0}}};
    cr_expect_gt(tree_measure_again(getpid(), &files).megabytes, 0);
    cr_expect_eq(files_kept_open(&files), 1);
    tree_close(&files);
    limit.rlim_cur = DESCRIPTORS_NEEDED;
    cr_assert_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
    for (int again = 0; again < 2; again++) {
        cr_expect_gt(tree_measure_again(getpid(), &files).megabytes, 0);
        cr_expect_eq(files_kept_open(&files), 0);
    }
    tree_close(&files);
}

// The kernel counts processes per user, so two boxes must not share one. Half of the users are
// in use, as if by another grader.
Test(box, no_two_boxes_have_the_same_user)
{
    static const char *const nothing[] = {NULL};
    const struct wall wall = {nothing, nothing, false};
    const struct box box = {.helper = "build/box/inside", .wall = &wall};
    char *arguments[] = {"/x", NULL};
    bool seen[BOX_USERS] = {false};
    struct boxed boxed[20];
    if (geteuid() != 0) {
        cr_skip("as an ordinary user every box has a user namespace of its own");
    }
    for (unsigned i = 0; i < BOX_USERS; i += 2) {
        struct sockaddr_un name = {.sun_family = AF_UNIX};
        int length = snprintf(name.sun_path + 1, 64, "attention-workbook-box-%u",
                              BOX_FIRST_USER + i);
        int holder = socket(AF_UNIX, SOCK_DGRAM, 0);
        (void)!bind(
            holder, (void *)&name,
            (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length));
    }
    for (int i = 0; i < 20; i++) {
        struct orders orders;
        cr_assert_eq(box_wrap(&boxed[i], &box, arguments, 0), 0);
        cr_assert_eq(pread(boxed[i].descriptors[0], &orders, sizeof orders, 0),
                     (ssize_t)sizeof orders);
        unsigned number = orders.user - BOX_FIRST_USER;
        cr_assert_lt(number, (unsigned)BOX_USERS);
        cr_expect_eq(number % 2, 1, "user %u is taken", orders.user);
        cr_expect_not(seen[number], "two boxes are user %u", orders.user);
        seen[number] = true;
    }
    for (int i = 0; i < 20; i++) {
        box_ended(&boxed[i]);
    }
}

// ---- privileges and the kernel ------------------------------------------------------------

Test(box, user_is_nobody_with_no_rights)
{
    cr_expect_eq(tried("is-privileged", "", 0), HELD);
    if (geteuid() == 0) {
        cr_expect_eq(tried("is-privileged", "", BOX_USER), THROUGH);
    }
}

Test(box, filter_refuses_what_is_not_on_its_list)
{
    held_by(BOX_FILTER, "makes-calls", "");
}

// The kernel refuses a program that chroot has confined to a folder; then it is no test of the filter.
static bool makes_user_namespaces(void)
{
    long pid = syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0);
    if (pid == 0) {
        _exit(0);
    }
    return pid > 0 && waitpid((pid_t)pid, NULL, 0) == pid;
}

Test(box, filter_refuses_new_namespaces)
{
    cr_expect_eq(tried("makes-namespaces", "", 0), HELD);
    if (!makes_user_namespaces()) {
        cr_skip("no program can make a user namespace here");
    }
    // If bwrap is not run by root, its option --disable-userns also refuses the call.
    if (geteuid() == 0) {
        cr_expect_eq(tried("makes-namespaces", "", BOX_FILTER), THROUGH);
    }
}

// ---- network ------------------------------------------------------------------------------

Test(box, loopback_is_another_one)
{
    struct sockaddr_in here = {.sin_family = AF_INET,
                               .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof here;
    int ear = socket(AF_INET, SOCK_STREAM, 0);
    char port[16];
    cr_assert_eq(bind(ear, (void *)&here, size), 0);
    cr_assert_eq(listen(ear, 8), 0);
    cr_assert_eq(getsockname(ear, (void *)&here, &size), 0);
    snprintf(port, sizeof port, "%d", ntohs(here.sin_port));
    held_by(BOX_NAMESPACES | BOX_FILTER | BOX_LANDLOCK, "connects", port);
    cr_expect_eq(tried("connects", port, BOX_FILTER | BOX_LANDLOCK), HELD,
                 "namespaces alone");
    cr_expect_eq(tried("connects", port, BOX_NAMESPACES | BOX_LANDLOCK), HELD,
                 "filter alone");
    close(ear);
}

Test(box, abstract_sockets_are_out_of_reach)
{
    struct sockaddr_un here = {.sun_family = AF_UNIX};
    int length = snprintf(here.sun_path + 1, 64, "box-test-%ld", (long)getpid());
    int ear = socket(AF_UNIX, SOCK_STREAM, 0);
    socklen_t size =
        (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length);
    cr_assert_eq(bind(ear, (void *)&here, size), 0);
    cr_assert_eq(listen(ear, 8), 0);
    held_by(BOX_NAMESPACES | BOX_FILTER | BOX_LANDLOCK, "connects-abstract",
            here.sun_path + 1);
    close(ear);
}

// ---- our fault ----------------------------------------------------------------------------

Test(box, a_box_that_cannot_be_built_is_our_fault)
{
    static const char *const nothing[] = {NULL};
    const struct wall wall = {nothing, nothing, false};
    const struct box_path moved[] = {{"build/there-is-no-such-file", "/x"}, {NULL, NULL}};
    const struct box box = {.helper = "build/box/inside", .wall = &wall, .moved = moved};
    const struct limits limits = {5, 64, 1 << 16, 0, 0, 0, 0};
    char *arguments[] = {"/x", NULL}, *environment[] = {NULL};
    const struct program program = {.arguments = arguments,
                                    .environment = environment,
                                    .limits = &limits,
                                    .box = &box};
    struct outcome outcome = process_run(&program);
    cr_expect_eq(outcome.ending, NOT_STARTED);
    cr_expect(strstr(outcome.output, "there-is-no-such-file") != NULL, "%s",
              outcome.output);
    free(outcome.output);
}

Test(box, a_program_that_is_not_there_is_our_fault)
{
    static const char *const readable[] = {"/usr", "/lib", "/lib64", NULL};
    const struct wall wall = {readable, readable + 3, false};
    const struct box box = {.helper = "build/box/inside", .wall = &wall};
    const struct limits limits = {5, 64, 1 << 16, 0, 0, 0, 0};
    char *arguments[] = {"/usr/bin/there-is-no-such-program", NULL},
         *environment[] = {NULL};
    const struct program program = {.arguments = arguments,
                                    .environment = environment,
                                    .limits = &limits,
                                    .box = &box};
    struct outcome outcome = process_run(&program);
    cr_expect_eq(outcome.ending, NOT_STARTED);
    free(outcome.output);
}

Test(box, a_death_by_signal_is_told_as_one)
{
    static const char *const readable[] = {"/usr", "/lib", "/lib64", "/bin", NULL};
    const struct wall wall = {readable, readable + 4, false};
    const struct box box = {.helper = "build/box/inside", .wall = &wall};
    const struct limits limits = {5, 64, 1 << 16, 0, 0, 0, 0};
    char *arguments[] = {"/bin/sh", "-c", "kill -SEGV $$", NULL}, *environment[] = {NULL};
    const struct program program = {.arguments = arguments,
                                    .environment = environment,
                                    .limits = &limits,
                                    .box = &box};
    struct outcome outcome = process_run(&program);
    cr_expect_eq(outcome.ending, SIGNALED);
    cr_expect_eq(outcome.code, SIGSEGV);
    free(outcome.output);
}
