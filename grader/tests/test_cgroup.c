// test_cgroup.c - tests how the grader finds a place for control groups. The hierarchies here
// are ordinary files and folders. test_cgroup.sh tests real groups.

#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/memory.h"
#include "sandbox/cgroup.h"

static char folder[64]; // of one test
static struct cgroup_view view;

// A file in the folder, which is created with its parents.
static void put(const char *name, const char *text)
{
    char *path = grader_print("%s/%s", folder, name);
    for (char *slash = path + strlen(folder) + 1; (slash = strchr(slash, '/')); slash++) {
        *slash = '\0';
        mkdir(path, 0755);
        *slash = '/';
    }
    FILE *file = fopen(path, "w");
    cr_assert_not_null(file, "%s", path);
    fputs(text, file);
    cr_assert_eq(fclose(file), 0);
    free(path);
}

// Does the file begin with this?
static bool reads(const char *name, const char *text)
{
    char bytes[256] = "", *path = grader_print("%s/%s", folder, name);
    FILE *file = fopen(path, "r");
    size_t size = file != NULL ? fread(bytes, 1, sizeof bytes - 1, file) : 0;
    if (file != NULL) {
        fclose(file);
    }
    free(path);
    return size > 0 && strncmp(bytes, text, strlen(text)) == 0;
}

static void group_of_version_2(const char *name, const char *processes)
{
    static const char *const files[] = {"cgroup.controllers", "cgroup.type",
                                        "cgroup.subtree_control", "cgroup.procs"};
    const char *const texts[] = {"cpu memory pids\n", "domain\n", "", processes};
    for (size_t i = 0; i < 4; i++) {
        char *path = grader_print("%s/%s", name, files[i]);
        put(path, texts[i]);
        free(path);
    }
}

static void mounts(const char *format)
{
    char line[1024];
    snprintf(line, sizeof line, format, folder, folder, folder);
    put("mounts", line);
}

#define UNIFIED "30 23 0:26 / %s/v2 rw,nosuid shared:4 - cgroup2 cgroup2 rw\n"

static void begin(void)
{
    static char membership[80], mounted[80];
    snprintf(folder, sizeof folder, "/tmp/cgroup.XXXXXX");
    cr_assert_not_null(mkdtemp(folder));
    snprintf(membership, sizeof membership, "%s/membership", folder);
    snprintf(mounted, sizeof mounted, "%s/mounts", folder);
    view = (struct cgroup_view){membership, mounted, NULL};
    group_of_version_2("v2/ours", "");
    mounts(UNIFIED);
    put("membership", "0::/ours\n");
}

static void end(void)
{
    char *command = grader_print("rm -rf '%s'", folder);
    cr_assert_eq(system(command), 0);
    free(command);
}

TestSuite(groups, .init = begin, .fini = end);

static void expect_none(const char *why)
{
    struct cgroup_place place = cgroup_find(&view);
    cr_expect_eq(place.version, 0);
    cr_expect_null(cgroup_make(&place, 16, 8), "none is made");
    cr_expect(place.reason != NULL && strstr(place.reason, why) != NULL, "%s: %s", why,
              place.reason);
    cgroup_free_place(&place);
}

// Expects that the search finds that many folders, and that the first one ends like this.
static struct cgroup_place expect_place(int version, size_t count, const char *first)
{
    struct cgroup_place place = cgroup_find(&view);
    char *path = grader_print("%s/%s", folder, first);
    cr_assert_eq(place.version, version, "%s", place.reason);
    cr_assert_eq(place.folder_count, count);
    cr_expect_str_eq(place.folders[0], path);
    free(path);
    return place;
}

Test(groups, a_named_group_is_used_and_told_to_hand_down)
{
    view.named = "/ours";
    struct cgroup_place place = expect_place(2, 1, "v2/ours");
    cr_expect(reads("v2/ours/cgroup.subtree_control", "+memory +pids"));
    cr_expect_str_eq(place.name, "/ours");
    cgroup_free_place(&place);
}

Test(groups, one_that_hands_down_already_is_not_written_to)
{
    put("v2/ours/cgroup.subtree_control", "cpu memory pids\n");
    view.named = "/ours";
    struct cgroup_place place = expect_place(2, 1, "v2/ours");
    cr_expect(reads("v2/ours/cgroup.subtree_control", "cpu memory pids\n"));
    cgroup_free_place(&place);
}

// The folder belongs to the user who runs this test, like an ordinary user's group.
Test(groups, a_group_that_nobody_handed_over_is_left_alone)
{
    if (geteuid() != 0) {
        cr_skip_test("its owner is this user, and so it was handed over");
    }
    expect_none("was not delegated");
    cr_expect_not(reads("v2/ours/cgroup.subtree_control", "+"));
}

Test(groups, one_that_systemd_has_marked_is_ours)
{
    char *path = grader_print("%s/v2/ours", folder);
    bool marked = setxattr(path, "user.delegate", "1", 1, 0) == 0;
    free(path);
    if (!marked) {
        cr_skip_test("this file system has no marks");
    }
    struct cgroup_place place = expect_place(2, 1, "v2/ours");
    cgroup_free_place(&place);
}

Test(groups, the_grader_moves_itself_into_a_leaf)
{
    char *self = grader_print("%ld", (long)getpid());
    char *leaf = grader_print("v2/ours/attention-judge.%s", self);
    char *processes = grader_print("%s/cgroup.procs", leaf);
    put("v2/ours/cgroup.procs", self);
    put(processes, ""); // the kernel creates it with the group
    view.named = "/ours";
    struct cgroup_place place = expect_place(2, 1, "v2/ours");
    cr_expect(reads(processes, self));
    cgroup_free_place(&place);
    free(processes);
    free(leaf);
    free(self);
}

Test(groups, and_nobody_else)
{
    char *both = grader_print("1\n%ld\n", (long)getpid());
    put("v2/ours/cgroup.procs", both);
    view.named = "/ours";
    expect_none("other processes are in the grader's group");
    cr_expect_not(reads("v2/ours/cgroup.subtree_control", "+"));
    free(both);
}

Test(groups, a_root_that_hands_nothing_down_is_not_told_to)
{
    put("membership", "0::/\n");
    put("v2/cgroup.controllers", "memory pids\n");
    put("v2/cgroup.procs", "");
    put("v2/cgroup.subtree_control", "cpu\n");
    expect_none("the root group does not pass memory and pids on");
    cr_expect(reads("v2/cgroup.subtree_control", "cpu\n"));
    put("v2/cgroup.subtree_control", "memory pids\n");
    struct cgroup_place place = expect_place(2, 1, "v2");
    cgroup_free_place(&place);
}

Test(groups, none_means_none)
{
    view.named = "none";
    expect_none("GRADE_CGROUP=none");
}

Test(groups, what_is_not_below_the_mount_cannot_be_used)
{
    put("mounts", "30 23 0:26 /docker/a /nowhere rw - cgroup2 cgroup2 rw\n");
    expect_none("no hierarchy with memory and pids");
    view.named = "/../ours";
    mounts(UNIFIED);
    group_of_version_2("v2", "");
    expect_none("not below a mounted hierarchy");
}

Test(groups, a_container_sees_its_own_group_as_the_top)
{
    char line[256];
    snprintf(line, sizeof line, "30 23 0:26 /docker/a %s/v2/ours rw - cgroup2 c rw\n",
             folder);
    put("mounts", line);
    view.named = "/docker/a";
    struct cgroup_place place = expect_place(2, 1, "v2/ours");
    cgroup_free_place(&place);
}

#define OLD                                                                              \
    "31 23 0:27 / %s/memory rw - cgroup memory rw,memory\n"                              \
    "32 23 0:28 / %s/pids rw - cgroup pids rw,pids\n"                                    \
    "33 23 0:29 / %s/v2 rw - cgroup2 cgroup2 rw\n"

Test(groups, version_1_has_a_folder_for_each)
{
    put("membership", "4:memory:/\n8:cpu,pids:/\n0::/ours\n");
    put("v2/ours/cgroup.controllers", "hugetlb\n");
    put("memory/cgroup.procs", "");
    put("pids/cgroup.procs", "");
    mounts(OLD);
    struct cgroup_place place = expect_place(1, 2, "memory");
    cgroup_free_place(&place);
    put("membership", "4:memory:/theirs\n8:cpu,pids:/\n0::/ours\n");
    put("memory/theirs/cgroup.procs", "");
    if (geteuid() == 0) {
        expect_none("memory: group /theirs was not delegated");
    }
}

Test(groups, a_group_gets_its_limits)
{
    view.named = "/ours";
    struct cgroup_place place = expect_place(2, 1, "v2/ours");
    struct cgroup *group = cgroup_make(&place, 512, 16);
    cr_assert_not_null(group);
    char *name = grader_print("v2/ours/attention-box.%ld.0", (long)getpid());
    static const char *const limits[][2] = {{"memory.max", "603979776"},
                                            {"memory.swap.max", "0"},
                                            {"memory.oom.group", "1"},
                                            {"pids.max", "24"}};
    for (size_t i = 0; i < 4; i++) {
        char *file = grader_print("%s/%s", name, limits[i][0]);
        cr_expect(reads(file, limits[i][1]), "%s", file);
        free(file);
    }
    cr_expect_not(cgroup_out_of_memory(group));
    cr_expect_not(cgroup_out_of_memory(NULL));
    cgroup_end(group);
    free(name);
    cgroup_free_place(&place);
}
