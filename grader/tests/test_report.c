// test_report.c - what a report prints is clean, a file is replaced whole, and the points table is read.

#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/exit_code.h"
#include "base/memory.h"
#include "report/text.h"

// ---- reports ------------------------------------------------------------------------------

Test(report, cleans_control_characters_and_broken_utf8)
{
    static const char dirty[] =
        "a\x1b[31m\x00 b\xff\xc3\xa9\xed\xa0\x80\tc\n\xc0\xaf\x7f";
    char *clean = report_clean(dirty, sizeof dirty - 1);
#define BAD "\xef\xbf\xbd"
    cr_expect_str_eq(clean, "a" BAD "[31m" BAD " b" BAD "\xc3\xa9" BAD BAD BAD
                            "\tc\n" BAD BAD BAD);
#undef BAD
    free(clean);
}

Test(report, cleans_what_turns_the_order_of_letters_around_or_begins_a_line)
{
    static const uint16_t controls[] = {0x061c, 0x200e, 0x200f, 0x2028, 0x2029,
                                        0x202a, 0x202b, 0x202c, 0x202d, 0x202e,
                                        0x2066, 0x2067, 0x2068, 0x2069};
    static const uint16_t letters[] = {0x05d0, 0x061b, 0x061d, 0x200d, 0x2010,
                                       0x2027, 0x202f, 0x2065, 0x206a};
    size_t tried = sizeof controls / sizeof controls[0];
    for (size_t i = 0; i < tried + sizeof letters / sizeof letters[0]; i++) {
        unsigned code = i < tried ? controls[i] : letters[i - tried];
        char raw[8], two = code < 0x800;
        snprintf(raw, sizeof raw, two ? "%c%c" : "%c%c%c",
                 two ? 0xc0 | (int)(code >> 6) : 0xe0 | (int)(code >> 12),
                 0x80 | (int)((two ? code : code >> 6) & 0x3f),
                 0x80 | (int)(code & 0x3f));
        char *clean = report_clean(raw, strlen(raw));
        cr_expect_eq(strcmp(clean, raw) == 0, i >= tried, "U+%04X", code);
        free(clean);
    }
}

Test(report, what_marks_up_is_escaped_for_xml_and_html_alike)
{
    for (int attribute = 0; attribute <= 1; attribute++) {
        struct text text;
        text_begin(&text);
        report_escape(text.file, "a<b>&\"'\n]]>", attribute == 1);
        char *escaped = text_end(&text);
        cr_expect_str_eq(escaped, attribute == 1 ? "a&lt;b&gt;&amp;&quot;&#39;&#10;]]&gt;"
                                                 : "a&lt;b&gt;&amp;&quot;&#39;\n]]&gt;");
        free(escaped);
    }
}

Test(report, replaces_a_file_whole_or_leaves_it_alone)
{
    char folder[] = "/tmp/report.XXXXXX";
    cr_assert_not_null(mkdtemp(folder));
    char *path = grader_print("%s/results.json", folder);
    char *beyond = grader_print("%s/none/results.json", folder);
    cr_expect(report_write(path, "old", 3));
    cr_expect(report_write(path, "newer", 5));
    FILE *file = fopen(path, "r");
    char content[16] = "";
    cr_expect_eq(fread(content, 1, sizeof content, file), 5);
    fclose(file);
    cr_expect_str_eq(content, "newer");
    cr_expect_not(report_write(beyond, "x", 1));
    cr_expect_not(report_write(folder, "x", 1), "a folder cannot be replaced by a file");
    unlink(path);
    cr_expect_eq(rmdir(folder), 0, "no temporary file is left");
    free(path);
    free(beyond);
}

// As with /dev/stdout, the name is a symbolic link, which a rename would replace.
Test(report, writes_through_a_symbolic_link)
{
    char folder[] = "/tmp/report.XXXXXX";
    cr_assert_not_null(mkdtemp(folder));
    char *target = grader_print("%s/target", folder);
    char *link = grader_print("%s/link", folder);
    cr_expect(report_write(target, "old", 3));
    cr_assert_eq(symlink(target, link), 0);
    cr_expect(report_write(link, "newer", 5));
    struct stat status;
    cr_expect_eq(lstat(link, &status), 0);
    cr_expect(S_ISLNK(status.st_mode), "the link is still a link");
    cr_expect_eq(stat(target, &status), 0);
    cr_expect_eq(status.st_size, 5, "what it leads to is replaced");
    unlink(link);
    unlink(target);
    cr_expect_eq(rmdir(folder), 0, "no temporary file is left");
    free(target);
    free(link);
}

// ---- the points table ---------------------------------------------------------------------

// A table in memory, with a path that disappears with the test.
static char *write_table(const char *content)
{
    int descriptor = memfd_create("points", 0);
    cr_assert_geq(descriptor, 0);
    cr_assert_eq(write(descriptor, content, strlen(content)), (ssize_t)strlen(content));
    return grader_print("/proc/self/fd/%d", descriptor);
}

Test(rubric, reads_points_and_limits)
{
    char *path = write_table("# a comment\n\n1.1  15  5  512\n10.12 2.5 0.5 64\n");
    struct rubric *rubric = rubric_read(path);
    cr_expect_eq(rubric_find(rubric, "1.1")->points, 15);
    cr_expect_eq(rubric_find(rubric, "10.12")->points, 2.5);
    cr_expect_eq(rubric_find(rubric, "10.12")->megabytes, 64);
    cr_expect_null(rubric_find(rubric, "1.2"));
    rubric_free(rubric);
    free(path);
}

#define REFUSED(name, content)                                                           \
    Test(rubric, name, .exit_code = EXIT_GRADER)                                         \
    {                                                                                    \
        rubric_read(write_table(content));                                               \
    }
REFUSED(refuses_a_word_for_a_number, "1.1 many 5 512\n")
REFUSED(refuses_a_missing_column, "1.1 15 5\n")
REFUSED(refuses_a_column_too_many, "1.1 15 5 512 3\n")
REFUSED(refuses_negative_points, "1.1 -15 5 512\n")
REFUSED(refuses_nan, "1.1 nan 5 512\n")
REFUSED(refuses_no_time, "1.1 15 0 512\n")
REFUSED(refuses_an_exercise_twice, "1.1 15 5 512\n1.1 15 5 512\n")

Test(rubric, needs_a_line_for_an_exercise, .exit_code = EXIT_GRADER)
{
    static struct rubric *rubric; // static, so that it is no leak
    rubric = rubric_read(write_table("1.1 15 5 512\n"));
    rubric_need(rubric, "1.3");
}

Test(rubric, refuses_a_table_that_is_not_there, .exit_code = EXIT_GRADER)
{
    rubric_read("/tmp/there-is-no-such-table.txt");
}
