// cgroup_place.c - finds out whether and where this grader may create control groups.
// cgroup.h has the rules; start reading at cgroup_find.

#define _GNU_SOURCE
#include "sandbox/cgroup.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/memory.h"

enum { MEMORY, PIDS, KINDS };
static const char *const kinds[KINDS] = {"memory", "pids"};

// One hierarchy: its mount point, and our group in it.
struct hierarchy {
    char *root, *point; // of the mount: the group at its root, and the folder
    char *path;         // our group, as in /proc/self/cgroup
    char *folder;       // our group as a folder; NULL if it is outside the mount
};

struct hierarchies {
    struct hierarchy unified, old[KINDS];
};

// ---- reading ------------------------------------------------------------------------------

// Returns true if the word is in the list, which is separated by commas, blanks or
// newlines.
static bool has_word(const char *list, const char *word)
{
    size_t length = strlen(word);
    while (*list != '\0') {
        size_t next = strcspn(list, ", \n");
        if (next == length && strncmp(list, word, length) == 0) {
            return true;
        }
        list += next + (list[next] != '\0');
    }
    return false;
}

// The first bytes of a kernel file; empty if it cannot be read.
static void read_start(const char *folder, const char *name, char *text, size_t size)
{
    char *path = grader_print("%s/%s", folder, name);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t length = file >= 0 ? read(file, text, size - 1) : -1;
    text[length > 0 ? length : 0] = '\0';
    if (file >= 0) {
        close(file);
    }
    free(path);
}

static void set(char **text, const char *to)
{
    free(*text);
    *text = grader_print("%s", to);
}

// "4:memory:/group" is of version 1, "0::/group" of version 2.
static void read_membership(struct hierarchies *all, const char *file)
{
    FILE *lines = fopen(file, "re");
    char *line = NULL;
    size_t size = 0;
    while (lines != NULL && getline(&line, &size, lines) > 0) {
        line[strcspn(line, "\n")] = '\0';
        char *list = strchr(line, ':'), *path = list != NULL ? strchr(++list, ':') : NULL;
        if (path == NULL) {
            continue;
        }
        *path++ = '\0';
        if (strncmp(line, "0:", 2) == 0 && *list == '\0') {
            set(&all->unified.path, path);
        }
        for (int kind = 0; kind < KINDS; kind++) {
            if (has_word(list, kinds[kind])) {
                set(&all->old[kind].path, path);
            }
        }
    }
    free(line);
    if (lines != NULL) {
        fclose(lines);
    }
}

static void add_mount(struct hierarchy *hierarchy, const char *root, const char *point)
{
    set(&hierarchy->root, root);
    set(&hierarchy->point, point);
}

// "30 23 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw": proc(5).
static void read_mounts(struct hierarchies *all, const char *file)
{
    FILE *lines = fopen(file, "re");
    char *line = NULL;
    size_t size = 0;
    while (lines != NULL && getline(&line, &size, lines) > 0) {
        char root[512], point[512], type[32], options[512];
        char *rest = strstr(line, " - ");
        if (rest == NULL || sscanf(line, "%*s %*s %*s %511s %511s", root, point) != 2 ||
            sscanf(rest, " - %31s %*s %511s", type, options) != 2) {
            continue;
        }
        if (strcmp(type, "cgroup2") == 0) {
            add_mount(&all->unified, root, point);
        }
        for (int kind = 0; kind < KINDS && strcmp(type, "cgroup") == 0; kind++) {
            if (has_word(options, kinds[kind])) {
                add_mount(&all->old[kind], root, point);
            }
        }
    }
    free(line);
    if (lines != NULL) {
        fclose(lines);
    }
}

// The folder of a group: its path relative to the root of the mount.
static void find_folder(struct hierarchy *hierarchy, const char *named)
{
    if (named != NULL) {
        set(&hierarchy->path, named);
    }
    const char *path = hierarchy->path, *root = hierarchy->root;
    if (path == NULL || root == NULL) {
        return;
    }
    size_t length = strcmp(root, "/") == 0 ? 0 : strlen(root);
    bool below =
        strncmp(path, root, length) == 0 && (path[length] == '/' || path[length] == '\0');
    if (below && strstr(path, "..") == NULL) {
        path += length;
        hierarchy->folder =
            grader_print("%s%s", hierarchy->point, strcmp(path, "/") == 0 ? "" : path);
    }
}

static void free_hierarchy(struct hierarchy *hierarchy)
{
    free(hierarchy->root);
    free(hierarchy->point);
    free(hierarchy->path);
    free(hierarchy->folder);
}

// ---- whose group is it? -------------------------------------------------------------------

static bool is_marked(const char *folder)
{
    static const char *const marks[] = {"user.delegate", "trusted.delegate"};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        char value = '0';
        if (getxattr(folder, marks[i], &value, 1) == 1 && value == '1') {
            return true;
        }
    }
    return false;
}

// Returns true if this group was delegated. "/" is the root of a container, or of a machine
// without a group manager.
static bool is_ours(const struct hierarchy *hierarchy)
{
    struct stat status;
    bool owned = geteuid() != 0 && stat(hierarchy->folder, &status) == 0 &&
                 status.st_uid == geteuid();
    return owned || strcmp(hierarchy->path, "/") == 0 || is_marked(hierarchy->folder);
}

// The reason why no groups may be created in this one, or NULL. Caller frees.
static char *objection(const struct hierarchy *hierarchy, bool named)
{
    if (hierarchy->folder == NULL) {
        return grader_print("group %s is not below a mounted hierarchy",
                            hierarchy->path != NULL ? hierarchy->path : "?");
    }
    char *processes = grader_print("%s/cgroup.procs", hierarchy->folder);
    bool writable = access(hierarchy->folder, W_OK) == 0 && access(processes, W_OK) == 0;
    char *why =
        writable ? NULL : grader_print("%s: %s", hierarchy->folder, strerror(errno));
    free(processes);
    if (why == NULL && !named && !is_ours(hierarchy)) {
        why = grader_print("group %s was not delegated to the grader "
                           "(docs/instructor.md: GRADE_CGROUP)",
                           hierarchy->path);
    }
    return why;
}

// ---- version 2 ----------------------------------------------------------------------------

static bool write_word(const char *folder, const char *name, const char *word)
{
    char *path = grader_print("%s/%s", folder, name);
    int file = open(path, O_WRONLY | O_CLOEXEC);
    bool written = file >= 0 && write(file, word, strlen(word)) == (ssize_t)strlen(word);
    int error = errno;
    if (file >= 0) {
        close(file);
    }
    free(path);
    errno = error;
    return written;
}

static bool hands_down(const char *folder)
{
    char words[512];
    read_start(folder, "cgroup.subtree_control", words, sizeof words);
    return has_word(words, kinds[MEMORY]) && has_word(words, kinds[PIDS]);
}

// The kernel's root group, which may contain both processes and groups, has no type.
static bool is_root_of_all(const char *folder)
{
    char *type = grader_print("%s/cgroup.type", folder);
    bool root = access(type, F_OK) != 0;
    free(type);
    return root;
}

// If this process is in the group, moves it into a leaf. Other processes stay, and then the
// controllers cannot be enabled for subgroups.
static char *move_out(const char *folder)
{
    char text[4096], self[32];
    read_start(folder, "cgroup.procs", text, sizeof text);
    snprintf(self, sizeof self, "%ld", (long)getpid());
    if (!has_word(text, self)) {
        return NULL;
    }
    if (strtok(text, "\n") != NULL && strtok(NULL, "\n") != NULL) {
        return grader_print("other processes are in the grader's group %s", folder);
    }
    char *leaf = grader_print("%s/attention-judge.%s", folder, self);
    bool moved = (mkdir(leaf, 0755) == 0 || errno == EEXIST) &&
                 write_word(leaf, "cgroup.procs", self);
    char *why = moved ? NULL : grader_print("%s: %s", leaf, strerror(errno));
    free(leaf);
    return why;
}

// Enables limits for subgroups. Returns the reason if that fails, or NULL. Caller frees.
static char *hand_down(const char *folder)
{
    if (hands_down(folder)) {
        return NULL;
    }
    if (is_root_of_all(folder)) {
        return grader_print("the root group does not pass memory and pids on");
    }
    char *why = move_out(folder);
    if (why == NULL && !write_word(folder, "cgroup.subtree_control", "+memory +pids")) {
        why = errno == EBUSY ? grader_print("there are processes in group %s", folder)
                             : grader_print("%s does not pass memory and pids on: %s",
                                            folder, strerror(errno));
    }
    return why;
}

static bool has_controllers(const struct hierarchy *hierarchy)
{
    char words[512] = "";
    const char *folder = hierarchy->folder != NULL ? hierarchy->folder : hierarchy->point;
    if (folder != NULL) {
        read_start(folder, "cgroup.controllers", words, sizeof words);
    }
    return has_word(words, kinds[MEMORY]) && has_word(words, kinds[PIDS]);
}

// ---- either -------------------------------------------------------------------------------

static void add_folder(struct cgroup_place *place, const struct hierarchy *hierarchy)
{
    place->folders[place->folder_count++] = grader_print("%s", hierarchy->folder);
    set(&place->name, hierarchy->path);
}

static void find_unified(struct cgroup_place *place, const struct hierarchies *all,
                         bool named)
{
    place->reason = objection(&all->unified, named);
    if (place->reason == NULL) {
        place->reason = hand_down(all->unified.folder);
    }
    if (place->reason == NULL) {
        add_folder(place, &all->unified);
        place->version = 2;
    }
}

// The name by which child programs find the same place.
static void find_old(struct cgroup_place *place, const struct hierarchies *all,
                     bool named)
{
    for (int kind = 0; kind < KINDS && place->reason == NULL; kind++) {
        char *why = objection(&all->old[kind], named);
        if (why != NULL) {
            place->reason = grader_print("%s: %s", kinds[kind], why);
            free(why);
        }
    }
    if (place->reason == NULL &&
        strcmp(all->old[MEMORY].path, all->old[PIDS].path) != 0) {
        place->reason = grader_print("memory and pids are counted in different groups");
    }
    for (int kind = 0; kind < KINDS && place->reason == NULL; kind++) {
        add_folder(place, &all->old[kind]);
    }
    place->version = place->reason == NULL ? 1 : 0;
}

struct cgroup_place cgroup_find(const struct cgroup_view *view)
{
    struct cgroup_place place = {.version = 0};
    struct hierarchies all = {.unified = {.root = NULL}};
    bool named = view->named != NULL && *view->named != '\0';
    read_membership(&all, view->membership);
    read_mounts(&all, view->mounts);
    find_folder(&all.unified, named ? view->named : NULL);
    for (int kind = 0; kind < KINDS; kind++) {
        find_folder(&all.old[kind], named ? view->named : NULL);
    }
    bool old = all.old[MEMORY].point != NULL && all.old[PIDS].point != NULL;
    if (named && strcmp(view->named, "none") == 0) {
        place.reason = grader_print("GRADE_CGROUP=none");
    } else if (has_controllers(&all.unified)) {
        find_unified(&place, &all, named);
    } else if (old) {
        find_old(&place, &all, named);
    } else {
        place.reason = grader_print("no hierarchy with memory and pids is mounted");
    }
    free_hierarchy(&all.unified);
    free_hierarchy(&all.old[MEMORY]);
    free_hierarchy(&all.old[PIDS]);
    return place;
}

void cgroup_free_place(struct cgroup_place *place)
{
    for (size_t i = 0; i < place->folder_count; i++) {
        free(place->folders[i]);
    }
    free(place->name);
    free(place->reason);
}
