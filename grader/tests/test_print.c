// test_print.c - labs/common/print.[ch]: matrices to read, maps to draw, and files that are
// written completely or not at all. Also tests labs/common/timer.[ch].

#define _POSIX_C_SOURCE 200809L

#include <criterion/criterion.h>
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/print.h"
#include "common/replace.h"
#include "common/timer.h"

static const char *const words[] = {"the", "cat", "sat"};

// The output of lab_print_matrix; the caller frees it.
static char *printed(const char *title, const float *a, size_t rows, size_t columns,
                     const char *const *row_names, const char *const *column_names,
                     int width, int precision)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    lab_status status = lab_print_matrix(out, title, a, rows, columns, row_names,
                                         column_names, width, precision);
    fclose(out);
    cr_assert_eq(status, LAB_OK);
    return text;
}

static void expect_text(char *got, const char *expected)
{
    cr_assert_str_eq(got, expected, "printed\n%s\ninstead of\n%s", got, expected);
    free(got);
}

Test(print, names_rows_and_columns_and_aligns)
{
    const float a[] = {1, 0, 0, 0.25f, 0.75f, 0};
    struct lab_names k;
    expect_text(printed("weights", a, 2, 3, words, lab_names(&k, "k", 3), 6, 4),
                "weights\n"
                "         k0      k1      k2\n"
                "the  1.0000  0.0000  0.0000\n"
                "cat  0.2500  0.7500  0.0000\n");
}

Test(print, without_names_numbers_them)
{
    const float a[] = {1, -2};
    expect_text(printed(NULL, a, 2, 1, NULL, NULL, 0, 1), "      0\n0   1.0\n1  -2.0\n");
}

Test(print, columns_widen_for_long_numbers_and_names)
{
    const float a[] = {123456, 1, -3e12f, 2};
    static const char *const columns[] = {"a", "a long name"};
    expect_text(printed(NULL, a, 2, 2, words, columns, 0, 2),
                "               a  a long name\n"
                "the    123456.00         1.00\n"
                "cat    -3.00e+12         2.00\n");
}

Test(print, infinities_and_nan_read_as_such)
{
    const float a[] = {-INFINITY, INFINITY, NAN, -NAN};
    expect_text(printed(NULL, a, 1, 4, words, NULL, 4, 3),
                "        0     1     2     3\nthe  -inf   inf   nan   nan\n");
}

Test(print, what_rounds_to_zero_has_no_minus_sign)
{
    const float a[] = {-0.0f, -0.00004f, -0.0006f};
    expect_text(printed(NULL, a, 1, 3, words, NULL, 0, 3),
                "          0       1       2\nthe   0.000   0.000  -0.001\n");
}

Test(print, utf8_counts_in_characters_and_control_characters_show)
{
    const float a[] = {1, 2, 3, 4};
    static const char *const rows[] = {"caf\xc3\xa9", "x"};
    static const char *const columns[] = {"\n", "\x1b[1m"};
    expect_text(printed(NULL, a, 2, 2, rows, columns, 0, 0),
                "           \\n  \\x1b[1m\n"
                "caf\xc3\xa9        1        2\n"
                "x           3        4\n");
}

Test(print, refuses_bad_sizes_and_prints_nothing)
{
    const float a[] = {1};
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    cr_assert_eq(lab_print_matrix(out, "t", a, 0, 1, NULL, NULL, 5, 2), LAB_ESHAPE);
    cr_assert_eq(lab_print_matrix(out, "t", a, 1, 0, NULL, NULL, 5, 2), LAB_ESHAPE);
    cr_assert_eq(lab_print_matrix(out, "t", a, 1, 1, NULL, NULL, 5, 10), LAB_EVALUE);
    cr_assert_eq(lab_print_matrix(out, "t", a, 1, 1, NULL, NULL, -1, 2), LAB_EVALUE);
    cr_assert_eq(lab_print_matrix(out, "t", a, 1, 1, NULL, NULL, 81, 2), LAB_EVALUE);
    fclose(out);
    cr_assert_eq(size, 0);
    free(text);
}

Test(print, says_when_the_output_is_full)
{
    const float a[] = {1};
    FILE *full = fopen("/dev/full", "w");
    cr_assert_not_null(full);
    setvbuf(full, NULL, _IONBF, 0);
    cr_assert_eq(lab_print_matrix(full, "t", a, 1, 1, NULL, NULL, 5, 2), LAB_EIO);
    fclose(full);
}

Test(print, too_many_made_up_names_become_numbers)
{
    struct lab_names names;
    cr_assert_null(lab_names(&names, "q", LAB_NAMES_MAX + 1));
    const char *const *all = lab_names(&names, "q", LAB_NAMES_MAX);
    cr_assert_str_eq(all[LAB_NAMES_MAX - 1], "q511");
}

// ---- files --------------------------------------------------------------------------------

static char folder[64];
static char path[96];

static void make_folder(void)
{
    strcpy(folder, "/tmp/test_print.XXXXXX");
    cr_assert_not_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/map.tsv", folder);
}

static void remove_folder(void)
{
    unlink(path);
    rmdir(folder);
}

TestSuite(map, .init = make_folder, .fini = remove_folder);

static void expect_file(const char *expected)
{
    char text[512] = "";
    FILE *in = fopen(path, "rb");
    cr_assert_not_null(in, "there is no file");
    text[fread(text, 1, sizeof text - 1, in)] = '\0';
    fclose(in);
    cr_assert_str_eq(text, expected, "the file holds\n%s", text);
}

static size_t files_in_folder(void)
{
    size_t count = 0;
    DIR *list = opendir(folder);
    for (struct dirent *entry = readdir(list); entry != NULL; entry = readdir(list)) {
        count += entry->d_name[0] != '.';
    }
    closedir(list);
    return count;
}

Test(map, holds_names_and_numbers_and_blanks)
{
    const float a[] = {0.1f, NAN, -NAN, 1, -INFINITY, 1e-30f};
    cr_assert_eq(lab_write_map_tsv(path, a, 2, 3, words, words), LAB_OK);
    expect_file("\tthe\tcat\tsat\n"
                "the\t0.100000001\tnan\tnan\n"
                "cat\t1\tnan\t1e-30\n");
    cr_assert_eq(files_in_folder(), 1);
}

Test(map, odd_names_stay_in_their_field)
{
    const float a[] = {1, 2, 3, 4};
    static const char *const rows[] = {"# note", "\""};
    static const char *const columns[] = {"a\tb", "\n"};
    cr_assert_eq(lab_write_map_tsv(path, a, 2, 2, rows, columns), LAB_OK);
    expect_file("\ta\\tb\t\\n\n# note\t1\t2\n\"\t3\t4\n");
}

Test(map, replaces_an_older_one_whole)
{
    const float a[] = {1, 2};
    cr_assert_eq(lab_write_map_tsv(path, a, 2, 1, words, NULL), LAB_OK);
    cr_assert_eq(lab_write_map_tsv(path, a, 1, 1, words, NULL), LAB_OK);
    expect_file("\t0\nthe\t1\n");
    cr_assert_eq(files_in_folder(), 1);
}

Test(map, refuses_sizes_of_zero_and_keeps_the_old_one)
{
    const float a[] = {1};
    cr_assert_eq(lab_write_map_tsv(path, a, 1, 1, NULL, NULL), LAB_OK);
    cr_assert_eq(lab_write_map_tsv(path, a, 0, 1, NULL, NULL), LAB_ESHAPE);
    cr_assert_eq(lab_write_map_tsv(path, a, 1, 0, NULL, NULL), LAB_ESHAPE);
    expect_file("\t0\n0\t1\n");
}

Test(map, says_why_it_cannot_be_written)
{
    const float a[] = {1};
    errno = 0;
    cr_assert_eq(lab_write_map_tsv("/nowhere/map.tsv", a, 1, 1, NULL, NULL), LAB_EIO);
    cr_assert_eq(errno, ENOENT);
    cr_assert_eq(lab_write_map_tsv(folder, a, 1, 1, NULL, NULL), LAB_EIO);
    cr_assert_eq(errno, EISDIR);
}

Test(map, never_takes_the_place_of_a_device)
{
    // A FIFO stands for the device. Never name a real device here: if the tested code had a bug
    // and ran as root, it would replace the machine's device by a file.
    const float a[] = {1};
    struct stat about;
    cr_assert_eq(mkfifo(path, 0600), 0);
    cr_assert_eq(lab_write_map_tsv(path, a, 1, 1, NULL, NULL), LAB_EIO);
    cr_assert_eq(errno, EINVAL);
    cr_assert_eq(stat(path, &about), 0);
    cr_assert(S_ISFIFO(about.st_mode), "a FIFO was replaced by a file");
    cr_assert_eq(files_in_folder(), 1);
}

Test(map, a_failed_write_keeps_the_old_file_and_leaves_no_other)
{
    const float a[] = {1};
    cr_assert_eq(lab_write_map_tsv(path, a, 1, 1, NULL, NULL), LAB_OK);
    struct lab_replacement replacement;
    cr_assert_eq(lab_replace_begin(&replacement, path), LAB_OK);
    // a full disk as the program sees it: the stream goes to /dev/full
    replacement.file = freopen("/dev/full", "w", replacement.file);
    cr_assert_not_null(replacement.file);
    fputs("half", replacement.file);
    cr_assert_eq(lab_replace_commit(&replacement), LAB_EIO);
    cr_assert_eq(errno, ENOSPC);
    expect_file("\t0\n0\t1\n");
    cr_assert_eq(files_in_folder(), 1);
}

Test(map, an_abandoned_write_keeps_the_old_file_and_leaves_no_other)
{
    const float a[] = {1};
    cr_assert_eq(lab_write_map_tsv(path, a, 1, 1, NULL, NULL), LAB_OK);
    struct lab_replacement replacement;
    cr_assert_eq(lab_replace_begin(&replacement, path), LAB_OK);
    fputs("half", replacement.file);
    lab_replace_abort(&replacement);
    expect_file("\t0\n0\t1\n");
    cr_assert_eq(files_in_folder(), 1);
}

// ---- timer --------------------------------------------------------------------------------

Test(timer, the_clock_goes_forward_in_seconds)
{
    struct timespec pause = {.tv_nsec = 20 * 1000 * 1000};
    double start = lab_seconds();
    nanosleep(&pause, NULL);
    double passed = lab_seconds() - start;
    cr_assert(passed >= 0.02 && passed < 10, "%g seconds", passed);
}

Test(timer, the_median_is_the_middle_one)
{
    double odd[] = {9, -1, 1000};
    double even[] = {4, 1, 1000, 2};
    cr_assert_eq(lab_median(odd, 3), 9);
    cr_assert_eq(lab_median(even, 4), 3);
    cr_assert(isnan(lab_median(odd, 0)));
}
