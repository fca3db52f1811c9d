// test_option_table.c - one table reads a command line and prints --help.

#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/option_table.h"

struct settings {
    bool quiet, mask;
    const char *file, *argument;
    size_t seed;
    int seeds;
    float share;
    enum { RED, GREEN, BLUE } color;
};

static void take_argument(void *settings, const char *word)
{
    ((struct settings *)settings)->argument = word;
}

#define AT(member) offsetof(struct settings, member)
static const struct option_row rows[] = {
    {.help = "what"},
    {"--quiet", NULL, "print nothing", OPTION_YES, AT(quiet)},
    {"--no-mask", NULL, NULL, OPTION_NO, AT(mask)},
    {"--file", "FILE", "two\nlines", OPTION_TEXT, AT(file)},
    {"--seed", "S", "where it begins", OPTION_SIZE, AT(seed), 0, UINT64_MAX},
    {"--seeds", "N", NULL, OPTION_INT, AT(seeds), 1, 9},
    {"--share", "X", NULL, OPTION_FLOAT, AT(share), 0, 1, .below = true},
    {"--color", "WHAT", NULL, OPTION_WORD, AT(color), .words = "red green blue",
     .once = true},
    {NULL},
};
static const struct option_table table = {.program = "paint",
                                          .more = "see paint --help",
                                          .before = "usage: paint\n",
                                          .after = "the end\n",
                                          .rows = rows,
                                          .column = 14,
                                          .argument = take_argument};

static struct settings given(int argc, ...)
{
    struct settings settings = {.mask = true};
    char *argv[9] = {"paint"};
    va_list words;
    va_start(words, argc);
    for (int i = 1; i <= argc; i++) {
        argv[i] = va_arg(words, char *);
    }
    va_end(words);
    option_table_read(&table, &settings, argc + 1, argv);
    return settings;
}

Test(option_table, every_kind_writes_its_own_type)
{
    struct settings s = given(6, "--quiet", "--no-mask", "--file=a=b", "--seeds=9",
                              "--share=0.5", "--color=blue");
    cr_expect(s.quiet && !s.mask);
    cr_expect_str_eq(s.file, "a=b");
    cr_expect_eq(s.seeds, 9);
    cr_expect_eq(s.share, 0.5f);
    cr_expect_eq(s.color, BLUE);
}

Test(option_table, a_value_may_be_the_next_word_and_look_like_an_option)
{
    cr_expect_str_eq(given(2, "--file", "--quiet").file, "--quiet");
}

Test(option_table, a_name_may_be_cut_short_and_a_whole_one_wins)
{
    cr_expect(given(1, "--qui").quiet);
    struct settings s = given(2, "--seed", "7");
    cr_expect_eq(s.seed, 7);
    cr_expect_eq(s.seeds, 0);
}

Test(option_table, words_and_all_behind_two_dashes_are_arguments)
{
    cr_expect_str_eq(given(2, "folder", "--quiet").argument, "folder");
    struct settings s = given(2, "--", "--quiet");
    cr_expect_str_eq(s.argument, "--quiet");
    cr_expect_not(s.quiet);
    cr_expect_str_eq(given(1, "-").argument, "-");
}

// Exits without cleaning up: in a fork of a program with threads, a leak sanitizer would print
// a report.
static void leave(int status, void *unused)
{
    (void)unused;
    fflush(NULL);
    _exit(status);
}

// The output and the exit status of a program with these arguments.
static void expect_end(int status, const char *printed, int argc, char **words)
{
    FILE *file = tmpfile();
    cr_assert_not_null(file);
    const pid_t child = fork();
    cr_assert(child >= 0);
    if (child == 0) {
        struct settings settings = {.quiet = false};
        dup2(fileno(file), STDOUT_FILENO);
        dup2(fileno(file), STDERR_FILENO);
        on_exit(leave, NULL);
        option_table_read(&table, &settings, argc, words);
        _exit(0);
    }
    int ended;
    char text[512] = "";
    cr_assert_eq(waitpid(child, &ended, 0), child);
    rewind(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    cr_expect(WIFEXITED(ended) && WEXITSTATUS(ended) == status, "%s", text);
    cr_expect_str_eq(text, printed);
}

#define EXPECT_REFUSAL(line, ...)                                                        \
    expect_end(OPTION_EXIT, "paint: " line " (see paint --help)\n",                      \
               (int)(sizeof((char *[]){"paint", __VA_ARGS__}) / sizeof(char *)),         \
               (char *[]){"paint", __VA_ARGS__})

Test(option_table, what_makes_no_sense_is_refused_in_one_line)
{
    EXPECT_REFUSAL("unknown option --colt", "--colt");
    EXPECT_REFUSAL("unknown option -q", "-q");
    EXPECT_REFUSAL("unknown option --see", "--see=7"); // --seed or --seeds
    EXPECT_REFUSAL("--file needs a value", "--file");
    EXPECT_REFUSAL("--quiet takes no value", "--quiet=1");
    EXPECT_REFUSAL("--color is red, green or blue, not 'gree'", "--color", "gree");
    EXPECT_REFUSAL("--color is red, green or blue, not ''", "--color=");
}

Test(option_table, an_option_that_may_be_given_once_is_refused_twice)
{
    EXPECT_REFUSAL("--color takes one value: it is given twice", "--color=red",
                   "--col=red");
}

Test(option_table, numbers_out_of_range_are_refused)
{
    EXPECT_REFUSAL("--seeds takes a whole number from 1 to 9, not '10'", "--seeds=10");
    EXPECT_REFUSAL("--seeds takes a whole number from 1 to 9, not '-1'", "--seeds", "-1");
    EXPECT_REFUSAL("--seeds takes a whole number from 1 to 9, not '3x'", "--seeds=3x");
    EXPECT_REFUSAL("--share takes a number from 0 to below 1, not '1'", "--share=1");
    EXPECT_REFUSAL("--share takes a number from 0 to below 1, not 'nan'", "--share=nan");
}

Test(option_table, help_is_made_of_the_table)
{
    expect_end(0,
               "usage: paint\n"
               "what\n"
               "  --quiet     print nothing\n"
               "  --file FILE  two\n"
               "              lines\n"
               "  --seed S    where it begins\n"
               "  --help      this text\n"
               "the end\n",
               2, (char *[]){"paint", "--help"});
}
