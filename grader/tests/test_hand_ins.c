// test_hand_ins.c - names, times, files and fingerprints of what is handed in.

#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "class/due.h"
#include "class/fingerprint.h"
#include "class/metadata.h"
#include "class/names.h"
#include "class/slot.h"
#include "class/sources.h"

// ---- names --------------------------------------------------------------------------------

static struct who read_name(const char *entry, bool folder)
{
    char why[128];
    struct who who;
    cr_assert(names_read(entry, folder, &who, why, sizeof why), "%s: %s", entry, why);
    return who;
}

Test(names, canvas_exports_are_read)
{
    struct who who = read_name("doejane_12345_67890_lab1.zip", false);
    cr_expect_str_eq(who.canvas, "12345");
    cr_expect_str_eq(who.name, "doejane");
    cr_expect_str_eq(who.file, "lab1.zip");
    cr_expect_not(who.late);
    who = read_name("doejane_LATE_12345_67891_my_lab_1.tar.gz", false);
    cr_expect_str_eq(who.key, "canvas 12345");
    cr_expect_str_eq(who.file, "my_lab_1.tar.gz");
    cr_expect(who.late);
}

Test(names, a_file_handed_in_again_has_its_own_name_back)
{
    cr_expect_str_eq(read_name("doe_1_2_attention-3.c", false).file, "attention.c");
    cr_expect_str_eq(read_name("doe_1_2_attention-12.cu", false).file, "attention.cu");
    cr_expect_str_eq(read_name("doe_1_2_attention.c", false).file, "attention.c");
    cr_expect_str_eq(read_name("doe_1_2_attention (1)-2.c", false).file,
                     "attention (1).c");
    cr_expect_str_eq(read_name("doe_1_2_lab-1.zip", false).file, "lab-1.zip");
}

Test(names, moodle_exports_are_read)
{
    struct who who = read_name("Jane van Doe_345_assignsubmission_file_", true);
    cr_expect_str_eq(who.name, "Jane van Doe");
    cr_expect_str_eq(who.participant, "345");
    who = read_name("Jane Doe_77_assignsubmission_file_lab1.zip", false);
    cr_expect_str_eq(who.file, "lab1.zip");
    cr_expect_str_eq(who.key, "Jane Doe");
}

Test(names, anything_else_is_its_own_name)
{
    cr_expect_str_eq(read_name("jane.doe.tar.gz", false).key, "jane.doe");
    cr_expect_str_eq(read_name("jane_doe", true).key, "jane_doe");
    cr_expect_str_eq(read_name("a_1_b", true).key, "a_1_b");
    cr_expect_str_eq(read_name("_1_2_x.zip", false).key, "_1_2_x");
}

// Canvas keeps the underscores of a name.
Test(names, a_canvas_name_may_have_underscores)
{
    struct who who = read_name("picardjean_luc_345_900_attention.c", false);
    cr_expect_str_eq(who.key, "canvas 345");
    cr_expect_str_eq(who.name, "picardjean_luc");
    cr_expect_str_eq(who.file, "attention.c");
    who = read_name("a__b_LATE_345_900_lab_1_2_x.zip", false);
    cr_expect_str_eq(who.key, "canvas 345");
    cr_expect_str_eq(who.name, "a__b");
    cr_expect_str_eq(who.file, "lab_1_2_x.zip");
    cr_expect(who.late);
    cr_expect_str_eq(read_name("a_b_1_c_2_d", true).key, "a_b_1_c_2_d");
}

Test(names, an_upload_of_another_kind_is_somebodys)
{
    struct who who = read_name("name_8_1008_lab1.rar", false);
    cr_expect_str_eq(who.key, "canvas 8");
    cr_expect_str_eq(who.file, "lab1.rar");
    cr_expect(who.other);
    who = read_name("Jane Doe_358_assignsubmission_file_report.pdf", false);
    cr_expect_str_eq(who.key, "Jane Doe");
    cr_expect(who.other);
    cr_expect_not(read_name("doe_1_2_attention.cu", false).other);
    cr_expect_not(read_name("doe_1_2_lab1.tar.xz", false).other);
    cr_expect_not(read_name("Jane Doe_358_assignsubmission_file_", true).other);
}

// Canvas keeps the name that a student has given to a file.
Test(names, an_upload_called_like_moodles_text_is_somebodys)
{
    cr_expect_str_eq(
        read_name("doejane_12_34_x_assignsubmission_onlinetext.zip", false).key,
        "canvas 12");
    cr_expect_str_eq(read_name("doejane_12_34_assignsubmission_onlinetext.c", false).key,
                     "canvas 12");
}

Test(names, what_is_nobodys_is_left_out)
{
    static const char *const silent[] = {".DS_Store", "__MACOSX",
                                         "submission_metadata.yml",
                                         "Jane_1_assignsubmission_onlinetext_"};
    char why[128];
    struct who who;
    for (size_t i = 0; i < sizeof silent / sizeof *silent; i++) {
        cr_expect_not(names_read(silent[i], i == 1, &who, why, sizeof why));
        cr_expect_str_empty(why);
    }
    cr_expect_not(names_read("marks.csv", false, &who, why, sizeof why));
    cr_expect_str_not_empty(why);
    cr_expect_not(names_read("mueller.rar", false, &who, why, sizeof why));
    cr_expect_str_not_empty(why);
    cr_expect_not(names_read("anon_ab3Xy_908_attention.c", false, &who, why, sizeof why));
    cr_expect(strstr(why, "anonymous grading") != NULL);
    cr_expect_not(
        names_read("LATE_anon_9Zk2p_908_lab.zip", false, &who, why, sizeof why));
    cr_expect(strstr(why, "anonymous grading") != NULL);
    cr_expect_not(names_read("attention.c", false, &who, why, sizeof why));
    cr_expect_str_not_empty(why);
}

static bool take_metadata(FILE *file, const char *submission, struct who *who)
{
    rewind(file);
    struct metadata *metadata = metadata_read(file);
    bool found = metadata_take(metadata, submission, who);
    who->partners = NULL;
    metadata_free(metadata);
    return found;
}

Test(names, gradescopes_metadata_says_who_and_when)
{
    static char yaml[] = "---\n"
                         "submission_1:\n  :submitters:\n  - :name: \"Al Be\"\n"
                         "    :email: al@example.org\n  - :name: Second\n"
                         "    :email: second@example.org\n"
                         "  :created_at: 2026-01-01 00:00:00.25 Z\n"
                         "submission_12:\n  :submitters:\n  - :name: Cy\n";
    FILE *file = fmemopen(yaml, sizeof yaml - 1, "r");
    struct who who = {.handed_in = 0};
    cr_expect(take_metadata(file, "submission_1", &who));
    cr_expect_str_eq(who.name, "Al Be");
    cr_expect_str_eq(who.email, "al@example.org");
    cr_expect_eq(who.handed_in, 1767225600);
    who = (struct who){.handed_in = 0};
    cr_expect(take_metadata(file, "submission_12", &who));
    cr_expect_str_eq(who.name, "Cy");
    cr_expect_not(take_metadata(file, "submission_2", &who));
    fclose(file);
}

// The results of older submissions hold such words, too. Addresses may be missing.
Test(names, gradescopes_partners_are_known_by_their_numbers)
{
    static char yaml[] = "submission_1:\n  :results:\n    :submitters:\n    - :name: No\n"
                         "    tests:\n    - output: \":created_at: 2020-01-01\"\n"
                         "  :submitters:\n  - :name: Al\n    :sid: '0017'\n    :email:\n"
                         "  - :name: Bo\n    :sid: '0018'\n    :email: ''\n"
                         "  - :name: Cy\n    :sid: ''\n  - :email: dee@example.org\n"
                         "  :created_at: 2026-01-01 00:00:00 Z\n  :history:\n"
                         "  - :created_at: 2020-01-01 00:00:00 Z\n    :submitters: []\n";
    static const char *const keys[] = {"id 0018", "Cy", "dee@example.org"};
    FILE *file = fmemopen(yaml, sizeof yaml - 1, "r");
    struct metadata *metadata = metadata_read(file);
    struct who who = {.handed_in = 0}, partner;
    cr_assert(metadata_take(metadata, "submission_1", &who));
    cr_expect_str_eq(who.name, "Al");
    cr_expect_str_eq(who.id, "0017");
    cr_expect_str_eq(who.key, "id 0017");
    cr_expect_eq(who.handed_in, 1767225600);
    cr_assert_eq(who.partner_count, 3);
    for (int i = 0; i < 3; i++) {
        metadata_partner(&who.partners[i], &partner);
        cr_expect_str_eq(partner.key, keys[i]);
    }
    cr_expect_str_eq(partner.name, "dee@example.org");
    metadata_free(metadata);
    fclose(file);
}

Test(names, a_name_in_gradescopes_metadata_is_a_name)
{
    // A header that is wrapped, quoted or a block of lines: its content must not be read as an
    // address or a date.
    static char yaml[] = "submission_1:\n  :submitters:\n"
                         "  - :name: 'Mal aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n"
                         "      :email: vera@uni.edu'\n    :email: mal@uni.edu\n"
                         "  :created_at: 2026-12-01 10:00:00 Z\n"
                         "submission_2:\n  :submitters:\n  - :name: |-\n"
                         "      Cy\n      :email: vera@uni.edu\n"
                         "      :created_at: 2026-10-01 10:00:00 Z\n"
                         "  :created_at: 2026-12-01 10:00:00 Z\n"
                         "submission_3:\n  :submitters:\n  - :name: '\"Q\": it''s'\n";
    FILE *file = fmemopen(yaml, sizeof yaml - 1, "r");
    struct who who = {.handed_in = 0};
    cr_expect(take_metadata(file, "submission_1", &who));
    cr_expect_str_eq(who.email, "mal@uni.edu");
    cr_expect_eq(who.handed_in, 1796119200);
    who = (struct who){.handed_in = 0};
    cr_expect(take_metadata(file, "submission_2", &who));
    cr_expect_str_eq(who.email, "");
    cr_expect_eq(who.handed_in, 1796119200);
    who = (struct who){.handed_in = 0};
    cr_expect(take_metadata(file, "submission_3", &who));
    cr_expect_str_eq(who.name, "\"Q\": it's");
    fclose(file);
}

// ---- times --------------------------------------------------------------------------------

static int64_t time_of(const char *text)
{
    int64_t seconds = -1;
    cr_assert(due_read(text, &seconds), "%s", text);
    return seconds;
}

Test(due, times_are_read_with_their_zones)
{
    setenv("TZ", "UTC", 1);
    cr_expect_eq(time_of("1970-01-01T00:00Z"), 0);
    cr_expect_eq(time_of("1970-01-01 01:00:30.75 +0100"), 30);
    cr_expect_eq(time_of("1969-12-31T19:00-05:00"), 0);
    cr_expect_eq(time_of("1970-01-02"), 2 * 86400 - 1);
    cr_expect_eq(time_of("2024-02-29T12:00Z"), 1709208000);
}

// Platforms show 23:59 and accept hand-ins until the end of that minute.
Test(due, the_last_minute_of_a_day_is_a_whole_one)
{
    setenv("TZ", "UTC", 1);
    cr_expect_eq(time_of("1970-01-01T23:59Z"), 86399);
    cr_expect_eq(time_of("1970-01-01 23:59"), 86399);
    cr_expect_eq(time_of("1970-01-01T23:59+01:00"), 86399 - 3600);
    cr_expect_eq(time_of("1970-01-01T23:59:00Z"), 86340);
    cr_expect_eq(time_of("1970-01-01T23:59:30Z"), 86370);
    cr_expect_eq(time_of("1970-01-01T23:58Z"), 86280);
    cr_expect_eq(time_of("1970-01-01T00:59Z"), 3540);
}

Test(due, nonsense_is_refused)
{
    static const char *const words[] = {
        "",           "tomorrow",         "2026-13-01",
        "2026-02-30", "2026-01-01T25:00", "2026-01-01T10:00X",
        "26-01-01",   "2026-01-01T10",    "2026-01-00"};
    int64_t seconds;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        cr_expect_not(due_read(words[i], &seconds), "'%s'", words[i]);
    }
}

Test(due, a_day_that_has_begun_counts)
{
    cr_expect_eq(due_days_late(100, 100), 0);
    cr_expect_eq(due_days_late(-5, 100), 0);
    cr_expect_eq(due_days_late(101, 100), 1);
    cr_expect_eq(due_days_late(100 + 86400, 100), 1);
    cr_expect_eq(due_days_late(101 + 86400, 100), 2);
    cr_expect_float_eq(due_share(3, 10), 0.7, 1e-12);
    cr_expect_eq(due_share(11, 10), 0);
    cr_expect_eq(due_share(0, 100), 1);
}

// In Berlin, 25 October 2026 has 25 hours, and 29 March 2026 has 23.
Test(due, days_end_at_the_same_time_when_the_clocks_change)
{
    setenv("TZ", "Europe/Berlin", 1);
    int64_t autumn = time_of("2026-10-24T23:59"), spring = time_of("2026-03-28T23:59");
    cr_expect_eq(due_days_late(time_of("2026-10-25T23:30"), autumn), 1);
    cr_expect_eq(due_days_late(time_of("2026-10-25T23:59:59"), autumn), 1);
    cr_expect_eq(due_days_late(time_of("2026-10-26T00:00"), autumn), 2);
    cr_expect_eq(due_days_late(time_of("2026-10-26T23:59"), autumn), 2);
    cr_expect_eq(due_days_late(time_of("2026-03-29T23:59"), spring), 1);
    cr_expect_eq(due_days_late(time_of("2026-03-30T00:00"), spring), 2);
    cr_expect_eq(due_later(autumn, 3), time_of("2026-10-27T23:59"));
    cr_expect_eq(due_later(spring, 3), time_of("2026-03-31T23:59"));
    cr_expect_eq(due_later(spring, 0), spring);
    setenv("TZ", "UTC", 1);
}

// ---- files --------------------------------------------------------------------------------

static int line_of(const char *path)
{
    struct sources sources;
    sources_begin(&sources);
    int line = 0;
    struct source *source = sources_find(&sources, path, &line);
    return source == NULL ? 0 : line;
}

Test(sources, files_are_found_where_people_put_them)
{
    cr_expect_eq(line_of("labs/01_simple_attention/attention.c"), 6);
    cr_expect_eq(line_of("a/b/labs/01_simple_attention/attention.c"), 6);
    cr_expect_eq(line_of("a/01_simple_attention/attention.c"), 5);
    cr_expect_eq(line_of("./attention.c"), 4);
    cr_expect_eq(line_of("a/attention.c"), 4);
}

Test(sources, a_browsers_suffix_is_taken_behind_every_plain_name)
{
    cr_expect_eq(line_of("labs/01_simple_attention/attention (1).c"), 3);
    cr_expect_eq(line_of("01_simple_attention/attention (12).c"), 2);
    cr_expect_eq(line_of("attention(1).c"), 1);
    cr_expect_eq(line_of("a/attention (1) (2).c"), 1);
    cr_expect_eq(line_of("attention (1).cu"), 1);
}

Test(sources, a_plain_name_wins_over_a_suffixed_one)
{
    struct sources sources;
    sources_begin(&sources);
    int line;
    struct source *source =
        sources_find(&sources, "labs/01_simple_attention/attention (1).c", &line);
    cr_expect(sources_take(&sources, source, line, "attention (1).c", "second", 6));
    source = sources_find(&sources, "attention.c", &line);
    cr_expect(sources_take(&sources, source, line, "attention.c", "plain", 5));
    source = sources_find(&sources, "attention (2).c", &line);
    cr_expect(sources_take(&sources, source, line, "attention (2).c", "third", 5));
    cr_expect_str_eq(source->bytes, "plain");
    cr_expect_str_empty(sources.refusal);
    sources_end(&sources);
}

Test(sources, nothing_else_is)
{
    static const char *const paths[] = {"solutions/01_simple_attention/attention.c",
                                        "x/.git/attention.c",
                                        "build/saved/01_simple_attention/attention.c",
                                        "attention.h",
                                        "01_simple_attention/attention.c/x",
                                        "attention.c~",
                                        "Attention.c",
                                        "attention (x).c",
                                        "attention ().c",
                                        "attention 1).c",
                                        "attention 2.c",
                                        "attention (1).c (2)",
                                        "lab1_attention.c",
                                        " (1).c",
                                        "(1).c",
                                        "__MACOSX/attention.c",
                                        ""};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        cr_expect_eq(line_of(paths[i]), 0, "%s", paths[i]);
    }
}

Test(sources, the_workbooks_place_goes_before_another)
{
    struct sources sources;
    sources_begin(&sources);
    int line;
    struct source *source = sources_find(&sources, "attention.c", &line);
    cr_expect(sources_take(&sources, source, 4, "attention.c", "old", 3));
    cr_expect(sources_take(&sources, source, 6, "labs/01_simple_attention/attention.c",
                           "new", 3));
    cr_expect(
        sources_take(&sources, source, 5, "x/01_simple_attention/attention.c", "odd", 3));
    cr_expect_str_eq(source->bytes, "new");
    cr_expect(sources_take(&sources, source, 6, "b/labs/01_simple_attention/attention.c",
                           "new", 3));
    cr_expect_not(sources_take(&sources, source, 6, "c/labs/x", "two", 3));
    cr_expect_str_not_empty(sources.refusal);
    sources_end(&sources);
}

static void take(struct sources *sources, const char *origin, const char *path,
                 const char *text)
{
    int line;
    struct source *source = sources_find(sources, path, &line);
    sources->origin = origin;
    sources_take(sources, source, line, path, text, strlen(text));
}

Test(sources, the_same_bytes_again_are_no_second_file)
{
    struct sources sources;
    sources_begin(&sources);
    take(&sources, "a.zip", "attention.c", "mine");
    take(&sources, "b.zip", "attention.c", "mine");
    take(&sources, "b.zip", "x/attention.c", "mine");
    take(&sources, "b.zip", "x/attention.c", "mine");
    cr_expect_str_empty(sources.refusal);
    sources_end(&sources);
}

Test(sources, two_that_differ_are_named)
{
    static const struct {
        const char *origin[2], *path[2], *said;
    } cases[] = {
        {{"a.zip", "b.zip"},
         {"attention.c", "attention.c"},
         "which one counts? attention.c (a.zip) and attention.c (b.zip) differ"},
        {{"a.zip", "a.zip"},
         {"x/attention.c", "y/attention.c"},
         "which one counts? x/attention.c and y/attention.c differ"},
        {{"a.zip", "a.zip"},
         {"attention.c", "attention.c"},
         "which one counts? two files of a.zip are called attention.c and differ"},
        {{NULL, NULL},
         {"attention.c", "attention.c"},
         "which one counts? two files are called attention.c and differ"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct sources sources;
        sources_begin(&sources);
        take(&sources, cases[i].origin[0], cases[i].path[0], "one");
        take(&sources, cases[i].origin[1], cases[i].path[1], "two");
        cr_expect_str_eq(sources.refusal, cases[i].said);
        sources_end(&sources);
    }
}

Test(sources, only_the_files_of_judged_labs_can_differ)
{
    static const struct {
        const char *path;
        int lab; // that is judged
        bool refused;
    } cases[] = {{"batching.c", 1, false},  {"batching.cu", 1, false},
                 {"batching.c", 2, true},   {"batching.c", 0, true},
                 {"batching.c", 3, true},   {"attention.cu", 1, true},
                 {"attention.c", 3, false}, {"attention.cu", 3, true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct sources sources;
        sources_begin(&sources);
        sources.lab = cases[i].lab;
        take(&sources, "a.zip", cases[i].path, "one");
        take(&sources, "b.zip", cases[i].path, "two");
        cr_expect_eq(sources.refusal[0] != '\0', cases[i].refused, "%s of lab %d",
                     cases[i].path, cases[i].lab);
        sources_end(&sources);
    }
}

Test(sources, a_huge_file_of_another_lab_is_left_out)
{
    struct sources sources;
    sources_begin(&sources);
    sources.lab = 1;
    int line;
    struct source *source = sources_find(&sources, "batching.c", &line);
    cr_expect(sources_take(&sources, source, line, "batching.c", "", LARGEST_SOURCE + 1));
    cr_expect_eq(source->line, 0);
    sources_end(&sources);
}

// Places of files, until they hold as much as a hand-in may.
static size_t fill(struct sources *sources)
{
    static char bytes[LARGEST_SOURCE];
    size_t count = 0;
    for (; count < LARGEST_HAND_IN / LARGEST_SOURCE; count++) {
        sources_take(sources, &sources->list[count], 5, "a.c", bytes, sizeof bytes);
    }
    return count;
}

Test(sources, all_files_together_are_limited)
{
    struct sources sources;
    sources_begin(&sources);
    const size_t count = fill(&sources);
    cr_expect_str_empty(sources.refusal);
    cr_expect(sources_take(&sources, &sources.list[0], 6, "labs/a.c", "b", 1),
              "a file that replaces another one counts instead of it");
    cr_expect(sources_take(&sources, &sources.list[count], 5, "c.c", "c", 1));
    static char bytes[LARGEST_SOURCE];
    cr_expect_not(
        sources_take(&sources, &sources.list[count + 1], 5, "d.c", bytes, sizeof bytes));
    cr_expect(strstr(sources.refusal, "larger than 4 megabytes together") != NULL);
    sources_end(&sources);
}

Test(sources, where_nothing_is_taken_from_a_labs_file_is_noted)
{
    static const char *const nowhere[] = {"attention.c",          "x/.git/attention.c",
                                          "__MACOSX/attention.c", ".x/build/attention.c",
                                          "build/notes.txt",      "build"};
    struct sources sources;
    sources_begin(&sources);
    int line;
    struct source *source = sources_find(&sources, "attention.c", &line);
    for (size_t i = 0; i < sizeof nowhere / sizeof *nowhere; i++) {
        sources_note_elsewhere(&sources, nowhere[i]);
        cr_expect_null(source->elsewhere, "%s", nowhere[i]);
    }
    sources_note_elsewhere(&sources, "x/solutions/01_simple_attention/attention.c");
    sources_note_elsewhere(&sources, "x/build/saved/docs/attention.c");
    sources_note_elsewhere(&sources, "x/docs/attention.c");
    cr_expect_str_eq(source->elsewhere, "x/build/saved/docs/attention.c");
    cr_expect_eq(source->line, 0);
    sources_end(&sources);
}

// ---- reports ------------------------------------------------------------------------------

// Are the labs of a report with this exercise recorded from it?
static bool separable(const char *output, const char *extra)
{
    char path[] = "/tmp/report.XXXXXX";
    FILE *file = fdopen(mkstemp(path), "w");
    fprintf(file, "{\"tests\": [{\"output\": \"%s\", \"extra_data\": {%s}}]}", output,
            extra);
    fclose(file);
    const bool is = record_separable(path);
    unlink(path);
    return is;
}

// The output also has what the student's code prints, so only the grader's own mark counts.
Test(reports, what_a_program_prints_does_not_make_labs_be_judged_again)
{
    cr_expect(separable("wrong: wrong values in out\\n    | used up its time", ""));
    cr_expect(separable("timeout: not judged: this hand-in used up its time", ""));
    cr_expect_not(separable("timeout: not judged: this hand-in used up its time",
                            "\"unjudged\": true"));
}

// ---- fingerprints -------------------------------------------------------------------------

static struct fingerprints prints_of(const char *text, const struct fingerprints *known)
{
    struct fingerprints prints = {NULL, 0, 0, 0};
    fingerprints_add(&prints, text, strlen(text), 0);
    fingerprints_finish(&prints, known);
    return prints;
}

static const char original[] =
    "lab_status f(float *out, const float *x, size_t n)\n{\n"
    "    float sum = 0.0f; // the sum\n"
    "    for (size_t i = 0; i < n; i++) {\n        sum += x[i] * x[i];\n    }\n"
    "    for (size_t i = 0; i < n; i++) {\n        out[i] = x[i] / sqrtf(sum + 1e-5f);\n "
    "   }\n"
    "    return LAB_OK;\n}\n";

static const char renamed[] =
    "#include <math.h>\nlab_status g(float *y, const float *values, size_t count) {\n"
    "float total = 0.f; /* other words */ for (size_t k = 0; k < count; k++) { total += "
    "values[k] * values[k]; }\nfor (size_t k=0;k<count;k++) { y[k] = values[k] / "
    "sqrtf(total + 1e-6f); } return LAB_OK; }";

static const char different[] =
    "lab_status f(float *out, const float *x, size_t n)\n{\n    double mean = 0;\n"
    "    size_t i = n;\n    while (i-- > 0) {\n        mean = mean + (double)x[i];\n    "
    "}\n"
    "    mean /= (double)n;\n    do {\n        *out++ = (float)(*x++ - mean);\n"
    "    } while (--n > 0);\n    return LAB_OK;\n}\n";

static size_t shared(const struct fingerprints *a, const struct fingerprints *b)
{
    size_t count = 0;
    for (size_t i = 0; i < a->count; i++) {
        for (size_t j = 0; j < b->count; j++) {
            count += a->values[i] == b->values[j];
        }
    }
    return count;
}

Test(fingerprints, other_names_layout_and_comments_change_nothing)
{
    struct fingerprints a = prints_of(original, NULL), b = prints_of(renamed, NULL);
    cr_expect_gt(a.count, 5);
    cr_expect_eq(a.tokens, b.tokens);
    cr_expect_eq(shared(&a, &b), a.count);
    fingerprints_free(&a);
    fingerprints_free(&b);
}

Test(fingerprints, another_way_shares_little)
{
    struct fingerprints a = prints_of(original, NULL), b = prints_of(different, NULL);
    cr_expect_leq(3 * shared(&a, &b), a.count);
    fingerprints_free(&a);
    fingerprints_free(&b);
}

Test(fingerprints, what_was_handed_out_does_not_count)
{
    struct fingerprints known = {NULL, 0, 0, 0};
    fingerprints_add(&known, original, strlen(original), 1);
    fingerprints_finish(&known, NULL);
    struct fingerprints a = prints_of(original, &known);
    cr_expect_eq(a.count, 0);
    fingerprints_free(&a);
    fingerprints_free(&known);
}

Test(fingerprints, any_bytes_are_read_to_their_end)
{
    static const char *const texts[] = {"",   "/*",   "\"", "'\\",          "//\\", "#",
                                        "\\", "/* *", "1.", "\xff\xfe\x01", "a"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        // with this exact size, AddressSanitizer knows where it ends
        char *copy = malloc(strlen(texts[i]) + 1);
        memcpy(copy, texts[i], strlen(texts[i]));
        struct fingerprints prints = {NULL, 0, 0, 0};
        fingerprints_add(&prints, copy, strlen(texts[i]), 0);
        cr_expect_eq(prints.count, 0);
        fingerprints_free(&prints);
        free(copy);
    }
}
