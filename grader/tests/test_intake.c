// test_intake.c - which files of a submission are used. Run from the workbook's folder.

#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "sandbox/intake.h"

static char submission[] = "build/tmp/intake.XXXXXX";

static void make_submission(void)
{
    cr_assert(mkdir("build/tmp", 0777) == 0 || access("build/tmp", W_OK) == 0);
    cr_assert_not_null(mkdtemp(submission));
    cr_assert_eq(chdir(submission), 0);
    cr_assert_eq(mkdir("lab", 0755), 0);
    cr_assert_eq(mkdir("taken", 0755), 0);
}

static void remove_submission(void)
{
    cr_assert_eq(chdir("../../.."), 0);
    char command[64];
    snprintf(command, sizeof command, "rm -rf %s", submission);
    cr_assert_eq(system(command), 0);
}

TestSuite(intake, .init = make_submission, .fini = remove_submission);

static void make_file(const char *path, size_t bytes)
{
    int file = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
    cr_assert_geq(file, 0);
    cr_assert_eq(ftruncate(file, (off_t)bytes), 0);
    close(file);
}

static const struct lab_place contract[] = {{.folder = "lab", .sources = {"a.c"}}, {0}};

// The error of the copy, or an empty string.
static char *taken(void)
{
    static char text[512];
    intake_take(".", contract, "taken");
    FILE *file = fopen("taken/lab/a.c", "r");
    text[file != NULL ? fread(text, 1, sizeof text - 1, file) : 0] = '\0';
    if (file != NULL) {
        fclose(file);
    }
    return text;
}

Test(intake, takes_a_regular_file)
{
    struct stat copy;
    make_file("lab/a.c", 12345);
    taken();
    cr_assert_eq(stat("taken/lab/a.c", &copy), 0);
    cr_expect_eq(copy.st_size, 12345);
    cr_expect_eq(copy.st_mode & 0777, 0644);
}

Test(intake, takes_nothing_else)
{
    make_file("lab/a.c", 1);
    make_file("lab/a.h", 1);
    make_file("lab/b.c", 1);
    make_file("a.c", 1);
    taken();
    cr_expect_eq(access("taken/lab/a.c", F_OK), 0);
    cr_expect_neq(access("taken/lab/a.h", F_OK), 0);
    cr_expect_neq(access("taken/lab/b.c", F_OK), 0);
    cr_expect_neq(access("taken/a.c", F_OK), 0);
}

Test(intake, makes_nothing_of_what_is_not_there)
{
    taken();
    cr_expect_neq(access("taken/lab/a.c", F_OK), 0);
    cr_assert_eq(rmdir("lab"), 0);
    cr_assert_eq(rmdir("taken/lab"), 0);
    taken();
    cr_expect_neq(access("taken/lab", F_OK), 0);
}

static void refuses(const char *words)
{
    char *text = taken();
    cr_expect(strncmp(text, "#error ", 7) == 0 && strstr(text, words) != NULL,
              "'%s' does not refuse with '%s'", text, words);
    cr_expect_eq(strcspn(text, "\n") + 1, strlen(text), "'%s' is not one line", text);
}

Test(intake, refuses_a_link)
{
    make_file("other.c", 10);
    cr_assert_eq(symlink("../other.c", "lab/a.c"), 0);
    refuses("a symbolic link");
}

Test(intake, refuses_a_link_to_nothing)
{
    cr_assert_eq(symlink("nothing", "lab/a.c"), 0);
    refuses("a symbolic link");
}

Test(intake, refuses_a_folder_that_is_a_link)
{
    cr_assert_eq(rename("lab", "elsewhere"), 0);
    make_file("elsewhere/a.c", 10);
    cr_assert_eq(symlink("elsewhere", "lab"), 0);
    refuses("is not a folder");
}

Test(intake, refuses_a_pipe_without_waiting)
{
    cr_assert_eq(mkfifo("lab/a.c", 0600), 0);
    refuses("a pipe");
}

Test(intake, refuses_a_socket)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX, .sun_path = "lab/a.c"};
    int ear = socket(AF_UNIX, SOCK_STREAM, 0);
    cr_assert_eq(bind(ear, (void *)&name, sizeof name), 0);
    refuses("a socket");
    close(ear);
}

Test(intake, refuses_a_folder)
{
    cr_assert_eq(mkdir("lab/a.c", 0755), 0);
    refuses("a folder");
}

Test(intake, refuses_a_file_with_two_names)
{
    make_file("other.c", 10);
    cr_assert_eq(link("other.c", "lab/a.c"), 0);
    refuses("hard link");
}

Test(intake, refuses_a_file_that_is_too_large)
{
    make_file("lab/a.c", INTAKE_BYTES + 1);
    refuses("bytes");
}

Test(intake, takes_the_largest_that_is_allowed)
{
    struct stat copy;
    make_file("lab/a.c", INTAKE_BYTES);
    taken();
    cr_assert_eq(stat("taken/lab/a.c", &copy), 0);
    cr_expect_eq(copy.st_size, INTAKE_BYTES);
}
