// test_alike.c - the normal form of statements, and which hand-ins are alike: precision and
// recall on the pairs of similar/pairs.txt.

#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"
#include "class/alike.h"
#include "class/passages.h"
#include "class/statements.h"

// ---- statements ---------------------------------------------------------------------------

static void expect_form(const char *one, const char *other, bool equal)
{
    struct statements a = statements_read(one, strlen(one));
    struct statements b = statements_read(other, strlen(other));
    bool same = a.count == b.count && a.count > 0;
    for (size_t i = 0; same && i < a.count; i++) {
        same = a.list[i].hash == b.list[i].hash;
    }
    cr_expect(same == equal, "%s\n%s\n(%zu and %zu statements)", one, other, a.count,
              b.count);
    statements_free(&a);
    statements_free(&b);
}

static void same(const char *one, const char *other)
{
    expect_form(one, other, true);
}

static void differ(const char *one, const char *other)
{
    expect_form(one, other, false);
}

Test(statements, a_for_loop_is_a_while_loop)
{
    same("void f(void) { for (int i = 0; i < n; i++) { g(i); h(); } }",
         "void f(void) { int i = 0; while (i < n) { g(i); h(); i += 1; } }");
    same("{ for (;;) { g(); } x = 1; }", "{ for (;;) g(); x = 1; }");
    same(
        "{ for (i = 0, j = 1; i < n; i++, --j) for (k = 0; k < n; k++) g(k); x = 1; }",
        "{ i = 0; j = 1; while (i < n) { k = 0; while (k < n) { g(k); k++; } i++; j--; } "
        "x = 1; }");
    same("{ for (i = 0; i < n; i++) if (i) a(); else b(1); x = 1; }",
         "{ i = 0; while (i < n) { if (i) { a(); } else { b(1); } i++; } x = 1; }");
    differ("{ for (i = 0; i < n; i++) g(i); }", "{ for (i = n; i-- > 0;) g(i); }");
}

Test(statements, names_types_casts_and_parentheses_do_not_count)
{
    same("float sum = 0.0f;", "double total = 0;");
    same("const size_t a = (size_t)b, c = d;", "int e = f; int g = (h);");
    same("y[i] = (float)(a * b);", "out[k] = c * d;");
    same("uint8_t *p = q;", "p = (uint8_t *)q;");
    same("float x; y = 1;", "y = 1;");
    differ("y = sqrtf(x);", "y = expf(x);");
    same("y = sqrtf(x);", "y = sqrt((double)x);");
    differ("y = a * b;", "y = a + b;");
}

Test(statements, an_element_is_one_however_it_is_reached)
{
    same("sum += row[j] * w[i * n + j];", "sum += x[t * d + j] * *p;");
    same("a[i] = a[i] + b;", "c[n * m] += d;");
    same("x = x + 1;", "x++;");
    same("if (a < b) { f(); }", "if (d > c) f();");
    differ("sum += row[j];", "sum += row;");
}

Test(statements, a_helpers_body_is_like_the_same_code_in_its_caller)
{
    static const char helper[] =
        "static float top(const float *row, size_t n)\n{\n"
        "float high = row[0];\nfor (size_t i = 1; i < n; i++) {\n"
        "if (row[i] > high) {\nhigh = row[i];\n}\n}\n"
        "return high;\n}\n";
    static const char caller[] =
        "void f(void)\n{\nfloat high = x[t * S];\nsize_t s = 1;\n"
        "while (s < S) {\nif (x[t * S + s] > high)\n"
        "high = x[t * S + s];\ns++;\n}\ng(high);\n}\n";
    struct fingerprints a = {NULL, 0, 0, 0}, b = {NULL, 0, 0, 0};
    passages_add(&a, helper, sizeof helper - 1);
    passages_add(&b, caller, sizeof caller - 1);
    fingerprints_finish(&a, NULL);
    fingerprints_finish(&b, NULL);
    cr_expect_eq(a.count, 6);
    cr_expect_eq(fingerprints_common(&a, &b), 5); // all but the return
    fingerprints_free(&a);
    fingerprints_free(&b);
}

Test(statements, lines_are_those_of_the_file)
{
    static const char text[] = "\xef\xbb\xbf// one\n/* two\nthree */ a = 1;\nb =\n  2;\n";
    struct statements all = statements_read(text, sizeof text - 1);
    cr_assert_eq(all.count, 2);
    cr_expect_eq(all.list[0].first, 3);
    cr_expect_eq(all.list[1].first, 4);
    cr_expect_eq(all.list[1].last, 5);
    statements_free(&all);
}

// Processor seconds for a hand-in's largest file: each value in braces looked for its "=" from the
// beginning.
Test(statements, many_values_in_braces_take_no_time)
{
    enum { SIGNS = 100000, BRACES = 50000 };
    char *text = malloc(SIGNS + 2 * BRACES + 2), *end = text + SIGNS;
    memset(text, '+', SIGNS);
    *end++ = '=';
    for (size_t i = 0; i < BRACES; i++, end += 2) {
        memcpy(end, "{}", 2);
    }
    const clock_t start = clock();
    struct statements all = statements_read(text, (size_t)(end - text));
    cr_expect_lt(clock() - start, CLOCKS_PER_SEC);
    statements_free(&all);
    free(text);
}

// Text that is no C, and text that would be slow or deep for a parser with recursion.
Test(statements, any_bytes_are_read_to_their_end)
{
    static const char *const pieces[] = {
        "{",   "}",     "(",   ")",      "[",      "for (", "if (", "else ",   "do ",
        ",",   "= ",    "x",   "while(", "return", "\"",    "/*",   "*&",      ";",
        "->a", "a = a", "\\",  "case ",  "= {",    "?:",    "++",   "\xff",    "for(;;",
        "#",   "'",     "[=[", "x[",     "(x)",    "a,b",   "a.",   "struct ", "int *"};
    enum { SIZE = 200000 };
    char *text = malloc(SIZE + 16);
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        size_t size = 0;
        while (size < SIZE) {
            size += (size_t)sprintf(text + size, "%s", pieces[i]);
        }
        char *exact = malloc(size); // AddressSanitizer knows where it ends
        memcpy(exact, text, size);
        clock_t begin = clock();
        struct statements all = statements_read(exact, size);
        double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
        cr_expect_lt(seconds, 20, "%s took %g seconds", pieces[i], seconds);
        statements_free(&all);
        free(exact);
    }
    srand(1);
    for (int round = 0; round < 2000; round++) {
        size_t size = 0;
        while (size < 200) {
            size += (size_t)sprintf(
                text + size, "%s ",
                pieces[(size_t)rand() % (sizeof pieces / sizeof *pieces)]);
        }
        char *exact = malloc(size);
        memcpy(exact, text, size);
        struct statements all = statements_read(exact, size);
        statements_free(&all);
        free(exact);
    }
    free(text);
}

// ---- the pairs ----------------------------------------------------------------------------

// The text of "01/rows@swapped+renamed+while". Caller frees.
static char *text_of(const char *what, size_t *size)
{
    char file[64] = "", section[64] = "right", edits[64] = "";
    sscanf(what, "%63[^@+]", file);
    const char *at = strchr(what, '@'), *plus = strchr(what, '+');
    if (at != NULL) {
        sscanf(at, "@%63[^+]", section);
    }
    snprintf(edits, sizeof edits, "%s", plus != NULL ? plus : "");
    for (char *c = edits; *c != '\0'; c++) {
        *c = *c == '+' ? ' ' : *c;
    }
    char *command = grader_print(
        "awk -v name=%s -f grader/tools/section.awk grader/tests/submissions/similar/%s.c | "
        "grader/tests/submissions/similar/edit.sh%s",
        section, file, edits);
    FILE *pipe = popen(command, "r");
    cr_assert_not_null(pipe);
    char *text = grader_alloc(1 << 16);
    *size = fread(text, 1, 1 << 16, pipe);
    cr_assert_eq(pclose(pipe), 0, "%s", command);
    cr_assert_gt(*size, 1000, "%s", command);
    free(command);
    return text;
}

static void add(struct alike *all, const char *what)
{
    size_t size;
    char *text = text_of(what, &size);
    alike_add(all, what, what);
    alike_add_file(all, text, size);
    free(text);
}

struct tally {
    int pairs, found, missed, accused, own; // own: beside the workbook's solution
};

// A class of two, where nothing else says which code is usual.
static void try_pair(struct tally *tally, const char *kind, const char *one,
                     const char *other)
{
    struct alike all;
    alike_begin(&all, ".", atoi(one));
    add(&all, one);
    add(&all, other);
    alike_find(&all);
    bool copy = strcmp(kind, "copy") == 0, listed = false;
    double percent = 0;
    for (size_t i = 0; i < all.pair_count; i++) {
        bool own = all.works[all.pairs[i].a].own != NULL;
        listed = listed || !own;
        percent = own ? percent : all.pairs[i].percent;
        tally->own += own;
    }
    tally->pairs++;
    tally->found += copy && listed;
    tally->missed += copy && !listed;
    tally->accused += !copy && listed;
    printf("%-12s %-38s %-50s %s %.0f %%\n", kind, one, other,
           listed == copy ? "      "
           : copy         ? "MISSED"
                          : "WRONG ",
           percent);
    alike_end(&all);
}

static struct tally try_pairs(const char *lab)
{
    struct tally tally = {0};
    char line[256], kind[32], one[64], other[64];
    FILE *list = fopen("grader/tests/submissions/similar/pairs.txt", "r");
    cr_assert_not_null(list);
    while (fgets(line, sizeof line, list) != NULL) {
        if (line[0] != '#' && sscanf(line, "%31s %63s %63s", kind, one, other) == 3 &&
            strncmp(one, lab, 2) == 0) {
            cr_assert(strcmp(kind, "copy") == 0 || strcmp(kind, "independent") == 0);
            try_pair(&tally, kind, one, other);
        }
    }
    fclose(list);
    printf("lab %s: %d pairs, precision %.2f, recall %.2f, %d listed beside the "
           "workbook's solution\n\n",
           lab, tally.pairs, tally.found / (double)(tally.found + tally.accused),
           tally.found / (double)(tally.found + tally.missed), tally.own);
    fflush(stdout);
    return tally;
}

Test(alike, precision_and_recall_on_the_pairs_of_lab_1)
{
    struct tally tally = try_pairs("01");
    cr_expect_geq(tally.pairs, 40);
    cr_expect_eq(tally.accused, 0);
    cr_expect_eq(tally.own, 0);
    cr_expect_geq(20 * tally.found, 19 * (tally.found + tally.missed)); // 95 %
}

Test(alike, precision_and_recall_on_the_pairs_of_lab_7)
{
    struct tally tally = try_pairs("07");
    cr_expect_geq(tally.pairs, 10);
    cr_expect_eq(tally.accused, 0);
    cr_expect_eq(tally.own, 0);
    cr_expect_geq(tally.found, 5);
}

// ---- a large class ------------------------------------------------------------------------

// 300 different hand-ins: the authors, with a comment and a number of their own each.
static void add_class(struct alike *all, int people)
{
    static const char *const authors[] = {"01/rows",          "01/helpers",  "01/flat",
                                          "01/pointers",      "01/beginner", "01/plain",
                                          "01/rows@extracted"};
    enum { AUTHORS = sizeof authors / sizeof *authors };
    char *texts[AUTHORS], name[32];
    size_t sizes[AUTHORS];
    for (int i = 0; i < AUTHORS; i++) {
        texts[i] = text_of(authors[i], &sizes[i]);
    }
    for (int i = 0; i < people; i++) {
        int author = i % AUTHORS;
        snprintf(name, sizeof name, "student %d", i);
        alike_add(all, name, name);
        alike_add_file(all, texts[author], sizes[author]);
        for (int line = 0; line < i % 11; line++) {
            char *more = grader_print("float f%d(float x) { return x %s 2.0f; }", line,
                                      line * i % 3 == 0 ? "*" : "+");
            alike_add_file(all, more, strlen(more));
            free(more);
        }
    }
    for (int i = 0; i < AUTHORS; i++) {
        free(texts[i]);
    }
}

Test(alike, a_class_of_300_takes_seconds)
{
    struct alike all;
    clock_t begin = clock();
    alike_begin(&all, ".", 1);
    add_class(&all, 300);
    alike_find(&all);
    double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
    cr_expect_eq(all.people, 300);
    cr_expect_lt(seconds, 60);
    printf("300 hand-ins of lab 1: %zu pairs listed, %.2f s of processor time\n",
           all.pair_count, seconds);
    fflush(stdout);
    alike_end(&all);
}
