// commit.c - see commit.h. Start reading at commit_read.

#define _GNU_SOURCE
#include "class/commit.h"

#include <errno.h>
#include <fcntl.h>
#include <git2.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "class/sources.h"
#include "sandbox/wall.h"

enum { MOST_SECONDS = 10, MOST_CLOCK_SECONDS = 30, MOST_MEGABYTES = 1024 };

// What the child knows about a clone.
struct clone {
    git_repository *repository;
    git_commit *head;
    const char *folder;
    struct sources sources;
    struct commit_times times;
    bool changed[MOST_COMMITTED]; // the lab has a file that is not as committed
};

// ---- one file -----------------------------------------------------------------------------

// The id of a file in a commit. Returns false if it has none.
static bool find_blob(git_commit *commit, const char *path, git_oid *id)
{
    git_tree *tree;
    git_tree_entry *entry;
    if (git_commit_tree(&tree, commit) != 0) {
        return false;
    }
    bool found = git_tree_entry_bypath(&entry, tree, path) == 0;
    if (found) {
        git_oid_cpy(id, git_tree_entry_id(entry));
        git_tree_entry_free(entry);
    }
    git_tree_free(tree);
    return found;
}

// The parent that has the same file, or NULL: then this commit changed it. The boundary of
// a shallow clone has no parents to compare with.
static git_commit *parent_with(git_commit *commit, const char *path, const git_oid *id)
{
    git_oid other;
    for (unsigned i = 0; i < git_commit_parentcount(commit); i++) {
        git_commit *parent;
        if (git_commit_parent(&parent, commit, i) != 0) {
            continue;
        }
        if (find_blob(parent, path, &other) && git_oid_equal(id, &other)) {
            return parent;
        }
        git_commit_free(parent);
    }
    return NULL;
}

// The commit that gave a file its content, as git log shows it.
static git_commit *origin_of(const struct clone *clone, const char *path,
                             const git_oid *id)
{
    git_commit *commit;
    if (git_commit_dup(&commit, clone->head) != 0) {
        return NULL;
    }
    for (git_commit *parent; (parent = parent_with(commit, path, id)) != NULL;) {
        git_commit_free(commit);
        commit = parent;
    }
    return commit;
}

// The file in the folder, which is what gets marks, is the one that was committed.
static bool is_as_committed(const struct clone *clone, const char *path,
                            const git_oid *id)
{
    git_oid there;
    char *file = grader_print("%s/%s", clone->folder, path);
    struct stat status;
    bool same = lstat(file, &status) == 0 && S_ISREG(status.st_mode) &&
                status.st_size <= LARGEST_SOURCE &&
                git_odb_hashfile(&there, file, GIT_OBJECT_BLOB) == 0 &&
                git_oid_equal(&there, id);
    free(file);
    return same;
}

// ---- all files ----------------------------------------------------------------------------

static int place_of(struct clone *clone, int lab)
{
    struct commit_times *times = &clone->times;
    for (int i = 0; i < times->count; i++) {
        if (times->labs[i].lab == lab) {
            return i;
        }
    }
    if (times->count == MOST_COMMITTED) {
        return -1;
    }
    times->labs[times->count].lab = lab;
    return times->count++;
}

// The newest commit of a lab counts.
static void take_file(struct clone *clone, int lab, const char *path, const git_oid *id)
{
    int place = place_of(clone, lab);
    git_commit *commit = place >= 0 && is_as_committed(clone, path, id)
                             ? origin_of(clone, path, id)
                             : NULL;
    if (commit == NULL) {
        clone->changed[place < 0 ? 0 : place] = true;
        return;
    }
    int64_t committed = git_commit_committer(commit)->when.time;
    if (committed > clone->times.labs[place].committed) {
        clone->times.labs[place].committed = committed;
        clone->times.labs[place].authored = git_commit_author(commit)->when.time;
    }
    git_commit_free(commit);
}

static int look_at(const char *folder, const git_tree_entry *entry, void *context)
{
    struct clone *clone = context;
    int line = 0;
    const char *name = git_tree_entry_name(entry);
    if (git_tree_entry_type(entry) == GIT_OBJECT_TREE) {
        return sources_skip(name) ? 1 : 0; // 1: leave this folder out
    }
    char *path = grader_print("%s%s", folder, name);
    struct source *source = sources_find(&clone->sources, path, &line);
    if (source != NULL && git_tree_entry_type(entry) == GIT_OBJECT_BLOB) {
        take_file(clone, source->place->number, path, git_tree_entry_id(entry));
    }
    free(path);
    return 0;
}

// Removes labs with a file that was changed after the commit.
static void drop_changed(struct clone *clone)
{
    struct commit_times *times = &clone->times;
    int kept = 0;
    for (int i = 0; i < times->count; i++) {
        if (!clone->changed[i] && times->labs[i].committed > 0) {
            times->labs[kept++] = times->labs[i];
        }
    }
    times->count = kept;
}

static bool read_clone(struct clone *clone)
{
    git_object *object;
    git_tree *tree;
    if (git_repository_open_ext(&clone->repository, clone->folder,
                                GIT_REPOSITORY_OPEN_NO_SEARCH, NULL) != 0 ||
        git_revparse_single(&object, clone->repository, "HEAD^{commit}") != 0) {
        return false;
    }
    clone->head = (git_commit *)object;
    if (git_commit_tree(&tree, clone->head) != 0) {
        return false;
    }
    bool read = git_tree_walk(tree, GIT_TREEWALK_PRE, look_at, clone) == 0;
    drop_changed(clone);
    return read;
}

// ---- the child ----------------------------------------------------------------------------

// The library would wait forever for a pipe in place of a file of .git, and that takes no processor time.
static void set_clock(void)
{
    sigset_t ours;
    sigemptyset(&ours);
    sigaddset(&ours, SIGALRM);
    signal(SIGALRM, SIG_DFL);
    sigprocmask(SIG_UNBLOCK, &ours, NULL);
    alarm(MOST_CLOCK_SECONDS);
}

static void set_limits(void)
{
    set_clock();
    struct rlimit seconds = {MOST_SECONDS, MOST_SECONDS}, none = {0, 0};
    setrlimit(RLIMIT_CPU, &seconds);
    setrlimit(RLIMIT_CORE, &none);
    setrlimit(RLIMIT_FSIZE, &none);
#ifndef __SANITIZE_ADDRESS__
    struct rlimit memory = {(rlim_t)MOST_MEGABYTES << 20, (rlim_t)MOST_MEGABYTES << 20};
    setrlimit(RLIMIT_AS, &memory);
#endif
}

// Without the configuration of this machine's users, which may belong to the instructor.
static bool prepare_library(void)
{
    if (git_libgit2_init() < 0) {
        return false;
    }
    for (int level = GIT_CONFIG_LEVEL_PROGRAMDATA; level <= GIT_CONFIG_LEVEL_GLOBAL;
         level++) {
        git_libgit2_opts(GIT_OPT_SET_SEARCH_PATH, level, "");
    }
    // A repository may belong to another user: it is only read. Versions before 1.5 do not check.
#if LIBGIT2_VER_MAJOR > 1 || LIBGIT2_VER_MINOR >= 5
    git_libgit2_opts(GIT_OPT_SET_OWNER_VALIDATION, 0);
#endif
    return true;
}

static _Noreturn void child(const char *folder, int answer)
{
    int nothing = open("/dev/null", O_RDWR);
    if (nothing < 0 || dup2(nothing, 0) < 0 || dup2(nothing, 1) < 0 ||
        dup2(nothing, 2) < 0 || dup2(answer, 3) < 0) {
        _exit(1);
    }
    close_range(4, ~0u, 0);
    set_limits();
    if (!prepare_library()) {
        _exit(1);
    }
    const char *const readable[] = {folder, NULL};
    const char *const writable[] = {NULL};
    wall_raise(&(struct wall){readable, writable, false});
    struct clone *clone = grader_alloc(sizeof *clone);
    clone->folder = folder;
    sources_begin(&clone->sources);
    if (!read_clone(clone) ||
        write(3, &clone->times, sizeof clone->times) != (ssize_t)sizeof clone->times) {
        _exit(1);
    }
    _exit(0);
}

// A folder, not a link or a file that names another place.
static bool is_clone(const char *folder)
{
    struct stat status;
    char *inside = grader_print("%s/.git", folder);
    bool is = lstat(folder, &status) == 0 && S_ISDIR(status.st_mode) &&
              lstat(inside, &status) == 0 && S_ISDIR(status.st_mode);
    free(inside);
    return is;
}

static bool receive(int from, struct commit_times *times)
{
    size_t size = 0;
    ssize_t got;
    while (size < sizeof *times &&
           ((got = read(from, (char *)times + size, sizeof *times - size)) > 0 ||
            (got < 0 && errno == EINTR))) {
        size += got > 0 ? (size_t)got : 0;
    }
    return size == sizeof *times && times->count >= 0 && times->count <= MOST_COMMITTED;
}

bool commit_read(const char *folder, struct commit_times *times)
{
    int ends[2], status = 1;
    if (!is_clone(folder) || pipe2(ends, O_CLOEXEC) != 0) {
        return false;
    }
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        child(folder, ends[1]);
    }
    close(ends[1]);
    bool received = pid > 0 && receive(ends[0], times);
    close(ends[0]);
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    return received && status == 0;
}
