// test_cache.c - when an object that was kept is still valid, and which objects a full cache drops.

#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <fcntl.h>
#include <glob.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "build/cache.h"
#include "sandbox/wall.h"
#include "tests/folder.h"

struct kept {
    char *folder, *source, *header, *object, *dependencies, *fetched;
    struct recipe recipe;
};

// A source and a header that were written seconds ago, and a cache entry made from them. A test
// cannot set the time of the last status change, so it makes the compiler start later.
static struct kept keep_source(const char *source, time_t seconds_later)
{
    struct kept kept = {.folder = make_folder()};
    kept.source = grader_print("%s/a.c", kept.folder);
    kept.header = grader_print("%s/a.h", kept.folder);
    kept.object = grader_print("%s/a.o", kept.folder);
    kept.fetched = grader_print("%s/fetched.o", kept.folder);
    kept.dependencies = grader_print("%s/a.d", kept.folder);
    char *build = grader_print("%s/build", kept.folder);
    cr_assert_eq(mkdir(build, 0777), 0);
    free(build);
    write_text(kept.source, source, strlen(source));
    write_text(kept.header, "2", 1);
    write_text(kept.object, "the object", 10);
    char *rule = grader_print("a.o: %s \\\n %s\n", kept.source, kept.header);
    write_text(kept.dependencies, rule, strlen(rule));
    free(rule);
    kept.recipe =
        (struct recipe){.root = kept.folder, .source = kept.source, .how = "gcc -O7"};
    struct timespec started;
    clock_gettime(CLOCK_REALTIME, &started);
    started.tv_sec += seconds_later;
    cache_keep(&kept.recipe, kept.object, "a warning\n", kept.dependencies, started);
    return kept;
}

static struct kept keep(time_t seconds_later)
{
    return keep_source("1", seconds_later);
}

static void forget(struct kept *kept)
{
    free(kept->source);
    free(kept->header);
    free(kept->object);
    free(kept->fetched);
    free(kept->dependencies);
    remove_folder(kept->folder);
}

static bool fetch(const struct kept *kept)
{
    char *warnings = NULL;
    bool there = cache_fetch(&kept->recipe, kept->fetched, &warnings);
    if (there) {
        size_t size;
        char *text = read_text(kept->fetched, &size);
        cr_expect(size == 10 && memcmp(text, "the object", size) == 0);
        cr_expect_str_eq(warnings, "a warning\n");
        free(text);
        cr_expect_eq(unlink(kept->fetched), 0);
    }
    free(warnings);
    return there;
}

Test(cache, an_object_holds_until_a_file_it_was_made_of_changes)
{
    if (wall_version() == 0) {
        cr_skip_test("this kernel has no Landlock: nothing is kept");
    }
    struct kept kept = keep(1);
    cr_expect(fetch(&kept));
    cr_expect(fetch(&kept), "a second time too");
    write_text(kept.header, "3", 1); // as long as before
    cr_expect_not(fetch(&kept));
    forget(&kept);
}

Test(cache, other_flags_are_another_object)
{
    if (wall_version() == 0) {
        cr_skip_test("this kernel has no Landlock: nothing is kept");
    }
    struct kept kept = keep(1);
    kept.recipe.how = "gcc -O8";
    cr_expect_not(fetch(&kept));
    forget(&kept);
}

// Puts two files with the same name into the cache, and moves the entry of one to the place of
// the other, as if their hashes were equal.
Test(cache, an_entry_is_not_taken_for_another_files)
{
    if (wall_version() == 0) {
        cr_skip_test("this kernel has no Landlock: nothing is kept");
    }
    struct kept kept = keep(1);
    char *command = grader_print("cd %s/build/cache && mv * ../first", kept.folder);
    cr_assert_eq(system(command), 0);
    free(command);
    kept.recipe.source = kept.header;
    struct timespec started;
    clock_gettime(CLOCK_REALTIME, &started);
    started.tv_sec++;
    cache_keep(&kept.recipe, kept.object, "a warning\n", kept.dependencies, started);
    cr_expect(fetch(&kept));
    command = grader_print("cd %s/build/cache && mv ../first \"$(ls)\"", kept.folder);
    cr_assert_eq(system(command), 0);
    free(command);
    cr_expect_not(fetch(&kept));
    forget(&kept);
}

Test(cache, another_compiler_makes_another_object)
{
    if (wall_version() == 0) {
        cr_skip_test("this kernel has no Landlock: nothing is kept");
    }
    struct kept kept = keep(1);
    char *how = grader_print("%s -O7", kept.header); // runs the first word
    struct timespec started;
    clock_gettime(CLOCK_REALTIME, &started);
    started.tv_sec++;
    kept.recipe.how = how;
    write_text(kept.dependencies, "a.o: \n", 6);
    cache_keep(&kept.recipe, kept.object, "a warning\n", kept.dependencies, started);
    cr_expect(fetch(&kept));
    write_text(kept.header, "3", 1);
    cr_expect_not(fetch(&kept));
    free(how);
    forget(&kept);
}

// For a .cu file the compiler reads only a.cu.cpp, which is deleted afterwards.
static struct kept keep_translated(const char *source, const char *const *also)
{
    struct kept kept = keep_source(source, 1);
    char *passing = grader_print("%s/a.cu.cpp", kept.folder);
    char *rule = grader_print("a.o: %s\n", passing);
    write_text(kept.dependencies, rule, strlen(rule));
    free(rule);
    kept.recipe.how = "gcc -O6";
    kept.recipe.passing = passing;
    kept.recipe.also = also;
    struct timespec started;
    clock_gettime(CLOCK_REALTIME, &started);
    started.tv_sec++;
    cache_keep(&kept.recipe, kept.object, "a warning\n", kept.dependencies, started);
    return kept;
}

static void forget_translated(struct kept *kept)
{
    free((char *)kept->recipe.passing);
    forget(kept);
}

Test(cache, a_translated_object_holds_until_its_source_or_translator_changes)
{
    if (wall_version() == 0) {
        cr_skip_test("this kernel has no Landlock: nothing is kept");
    }
    char *tools = make_folder(), *translator = grader_print("%s/translator", tools);
    const char *const also[] = {translator, NULL};
    write_text(translator, "t", 1);
    struct kept kept = keep_translated("1", also);
    cr_expect(fetch(&kept));
    write_text(kept.source, "2", 1);
    cr_expect_not(fetch(&kept));
    forget_translated(&kept);
    kept = keep_translated("1", also);
    cr_expect(fetch(&kept));
    write_text(translator, "u", 1);
    cr_expect_not(fetch(&kept));
    forget_translated(&kept);
    free(translator);
    remove_folder(tools);
}

Test(cache, what_a_translated_source_hangs_on_and_does_not_name_is_not_kept)
{
    struct kept kept = keep_translated("#if __has_include(\"b.h\")\n#endif\n", NULL);
    cr_expect_not(fetch(&kept));
    forget_translated(&kept);
}

Test(cache, what_was_changed_a_moment_ago_is_not_kept)
{
    struct kept kept = keep(0);
    cr_expect_not(fetch(&kept));
    forget(&kept);
}

Test(cache, what_hangs_on_a_file_that_is_not_named_is_not_kept)
{
    static const char *const sources[] = {
        "1\n#if __has_include(\"b.h\")\n#error b.h is there\n#endif\n",
        "__asm__(\".incbin \\\"b\\\"\");\n",
        "__asm__(\".include \\\"b\\\"\");\n",
        "1\n#if __has_embed(\"b\")\n#error b is there\n#endif\n",
        "char b[] = {\n#embed \"b\"\n};\n",
        "char b[] = {\n  # /* of C23 */ embed<b>\n};\n",
        "char b[] = {\n%:\\\nembed \"b\"\n};\n",
        "#pragma GCC dependency \"b\"\n"};
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++) {
        struct kept kept = keep_source(sources[i], 1);
        cr_expect_not(fetch(&kept), "%s", sources[i]);
        forget(&kept);
    }
}

Test(cache, what_hangs_on_the_time_is_not_kept)
{
    static const char *const sources[] = {"const char *when = __DATE__;\n",
                                          "int odd(void) { return __TIME__[7] & 1; }\n"};
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++) {
        struct kept kept = keep_source(sources[i], 1);
        cr_expect_not(fetch(&kept), "%s", sources[i]);
        forget(&kept);
    }
}

// Lab 6 has an exercise of that name.
Test(cache, a_file_that_speaks_of_embeddings_is_kept)
{
    struct kept kept = keep_source("void embedding(void) { embed_all(); }\n", 1);
    cr_expect(fetch(&kept) || wall_version() == 0);
    forget(&kept);
}

Test(cache, a_broken_entry_is_none)
{
    if (wall_version() == 0) {
        cr_skip_test("this kernel has no Landlock: nothing is kept");
    }
    struct kept kept = keep(1);
    char *command = grader_print("for f in %s/build/cache/*; do truncate -s -1 $f; done",
                                 kept.folder);
    cr_assert_eq(system(command), 0);
    cr_expect_not(fetch(&kept));
    free(command);
    forget(&kept);
}

// Writes a file of one kilobyte that was last used that many seconds ago.
static void leave_entry(const char *folder, const char *name, time_t seconds)
{
    char bytes[1024] = "", *path = grader_print("%s/%s", folder, name);
    struct timespec used[2];
    clock_gettime(CLOCK_REALTIME, &used[0]);
    used[0].tv_sec -= seconds;
    used[1] = used[0];
    write_text(path, bytes, sizeof bytes);
    cr_assert_eq(utimensat(AT_FDCWD, path, used, 0), 0);
    free(path);
}

static bool is_left(const char *folder, const char *name)
{
    char *path = grader_print("%s/%s", folder, name);
    bool left = access(path, F_OK) == 0;
    free(path);
    return left;
}

Test(cache, a_sweep_removes_what_was_longest_unused_and_no_more_than_it_must)
{
    char *folder = make_folder();
    leave_entry(folder, "second", 300);
    leave_entry(folder, "new.killed", 400);
    leave_entry(folder, "last", 100);
    leave_entry(folder, "third", 200);
    cache_sweep(folder, 4, 4096);
    cr_expect(is_left(folder, "new.killed"), "all of it is within the bounds");
    cache_sweep(folder, 4, 4095);
    cr_expect_not(is_left(folder, "new.killed"), "by size; a draft counts");
    cr_expect(is_left(folder, "second"));
    cache_sweep(folder, 1, 1 << 20);
    cr_expect_not(is_left(folder, "second"));
    cr_expect_not(is_left(folder, "third"), "by number");
    cr_expect(is_left(folder, "last"));
    cache_sweep("no-such-folder", 0, 0);
    remove_folder(folder);
}

// The path of the only entry in a cache. The caller frees it.
static char *only_entry(const struct kept *kept)
{
    glob_t found;
    char *pattern = grader_print("%s/build/cache/*", kept->folder);
    cr_assert_eq(glob(pattern, 0, NULL, &found), 0);
    cr_assert_eq(found.gl_pathc, 1);
    char *path = grader_print("%s", found.gl_pathv[0]);
    globfree(&found);
    free(pattern);
    return path;
}

Test(cache, what_is_fetched_counts_as_used)
{
    if (wall_version() == 0) {
        cr_skip_test("this kernel has no Landlock: nothing is kept");
    }
    struct kept kept = keep(1);
    char *entry = only_entry(&kept);
    const struct timespec long_ago[2] = {{1000, 0}, {1000, 0}};
    struct stat status;
    cr_assert_eq(utimensat(AT_FDCWD, entry, long_ago, 0), 0);
    cr_expect(fetch(&kept));
    cr_assert_eq(stat(entry, &status), 0);
    cr_expect_gt(status.st_mtim.tv_sec, 1000);
    free(entry);
    forget(&kept);
}

static void *keep_and_fetch(void *argument)
{
    struct kept *kept = argument;
    char *folder = grader_print("%s/build/cache", kept->folder);
    char *object = grader_print("%s/%lx.o", kept->folder, (unsigned long)pthread_self());
    struct timespec started;
    clock_gettime(CLOCK_REALTIME, &started);
    started.tv_sec++;
    for (int i = 0; i < 1000; i++) {
        char *warnings = NULL;
        cache_keep(&kept->recipe, kept->object, "a warning\n", kept->dependencies,
                   started);
        if (cache_fetch(&kept->recipe, object, &warnings)) {
            size_t size;
            char *text = read_text(object, &size);
            cr_expect(size == 10 && memcmp(text, "the object", size) == 0);
            free(text);
            unlink(object);
        }
        free(warnings);
        cache_sweep(folder, 1, 100);
    }
    free(object);
    free(folder);
    return NULL;
}

Test(cache, several_graders_keep_fetch_and_sweep_at_a_time)
{
    if (wall_version() == 0) {
        cr_skip_test("this kernel has no Landlock: nothing is kept");
    }
    struct kept kept = keep(1);
    pthread_t others[3];
    for (size_t i = 0; i < 3; i++) {
        cr_assert_eq(pthread_create(&others[i], NULL, keep_and_fetch, &kept), 0);
    }
    for (size_t i = 0; i < 3; i++) {
        pthread_join(others[i], NULL);
    }
    cache_keep(&kept.recipe, kept.object, "a warning\n", kept.dependencies,
               (struct timespec){time(NULL) + 1, 0});
    free(only_entry(&kept)); // no temporary file is left
    cr_expect(fetch(&kept));
    forget(&kept);
}
