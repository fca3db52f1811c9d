// test_slips.c - the places in a function where a slip of one word may be are found, and no others.

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "grade/slips.h"

static bool is_matmul(const void *context, const char *name)
{
    (void)context;
    return strcmp(name, "matmul") == 0;
}

// Expects the text of all of linear's slips changed, or the same text if it has none.
static void expect_changed(const char *text, enum slip_kind kind, const char *expected)
{
    static const char *const functions[] = {"linear", NULL};
    struct slip slips[MOST_SLIPS];
    const size_t count = find_slips(text, functions, is_matmul, NULL, kind, slips);
    char *changed = change_slips(text, slips, count);
    cr_expect_str_eq(changed, expected);
    free(changed);
}

// Ends the test with a signal after so many seconds of its own, however busy the machine is.
static void limit_seconds(rlim_t seconds)
{
    const struct rlimit limit = {seconds, seconds};
    cr_assert_eq(setrlimit(RLIMIT_CPU, &limit), 0);
}

Test(slips, a_loop_from_1_is_found_however_it_is_written)
{
    expect_changed("int linear(int n)\n{\n"
                   "    for (size_t i = 1; i < n; i++) {}\n"
                   "    for(int i=1u;i<n;i++) {}\n"
                   "    for (i = 1UL ; i < n; i++) {}\n"
                   "    for (int j = 3, i = 1; i < n; i++) {}\n"
                   "}\n",
                   LOOP_FROM_1,
                   "int linear(int n)\n{\n"
                   "    for (size_t i = 0; i < n; i++) {}\n"
                   "    for(int i=0u;i<n;i++) {}\n"
                   "    for (i = 0UL ; i < n; i++) {}\n"
                   "    for (int j = 3, i = 0; i < n; i++) {}\n"
                   "}\n");
}

Test(slips, a_variable_without_a_value_gets_0)
{
    expect_changed("int linear(int n)\n{\n"
                   "    float sum;\n"
                   "    double max, total = 1, count[4] ;\n"
                   "    unsigned int i;\n"
                   "    for (i = 0; i < n; i++) { size_t k; }\n"
                   "}\n",
                   UNSET_VARIABLE,
                   "int linear(int n)\n{\n"
                   "    float sum = 0;\n"
                   "    double max = 0, total = 1, count[4]  = {0};\n"
                   "    unsigned int i = 0;\n"
                   "    for (i = 0; i < n; i++) { size_t k = 0; }\n"
                   "}\n");
}

Test(slips, what_is_no_variable_without_a_value_stays_as_it_is)
{
    const char *text = "int linear(float a, int n, float b)\n{\n"
                       "    float sum = 0, c = a, *p;\n"
                       "    float d = f(a, n, b);\n"
                       "    float e[2] = {a, b};\n"
                       "    static float kept;\n"
                       "    __shared__ float tile[4];\n"
                       "    a = b, n++;\n"
                       "    // float sum;\n"
                       "    return n;\n"
                       "}\n";
    expect_changed(text, UNSET_VARIABLE, text);
}

Test(slips, other_loops_stay_as_they_are)
{
    const char *text = "int linear(int n)\n{\n"
                       "    for (int i = 0; i < n; i++) {}\n"
                       "    for (int i = 11; i < n; i++) {}\n"
                       "    for (int i = n - 1; i-- > 0;) {}\n"
                       "    for (int i = a1; i < n; i++) {}\n"
                       "    for (; i == 1; i++) {}\n"
                       "    for (i += 1; i < n; i++) {}\n"
                       "    // for (int i = 1; i < n; i++) {}\n"
                       "    /* for (int i = 1; i < n; i++) {} */\n"
                       "    puts(\"for (int i = 1; i < n; i++) {}\");\n"
                       "    before(int i = 1; i < n; i++);\n"
                       "}\n";
    expect_changed(text, LOOP_FROM_1, text);
}

// A loop of another exercise's function is not this one's.
Test(slips, the_functions_that_it_calls_belong_to_it)
{
    expect_changed("static float dot(int n) { for (int i = 1; i < n; i++) {} }\n"
                   "int matmul(int n) { for (int i = 1; i < n; i++) {} }\n"
                   "int unused(int n) { for (int i = 1; i < n; i++) {} }\n"
                   "int linear(int n) { return matmul(n) + sum(n); }\n"
                   "int linear(int n);\n"
                   "static int sum(int n) { if (n) { dot (n); } row<<<1, n>>>(n); }\n"
                   "__global__ void row(int n) { for (int i = 1; i < n; i++) {} }\n",
                   LOOP_FROM_1,
                   "static float dot(int n) { for (int i = 0; i < n; i++) {} }\n"
                   "int matmul(int n) { for (int i = 1; i < n; i++) {} }\n"
                   "int unused(int n) { for (int i = 1; i < n; i++) {} }\n"
                   "int linear(int n) { return matmul(n) + sum(n); }\n"
                   "int linear(int n);\n"
                   "static int sum(int n) { if (n) { dot (n); } row<<<1, n>>>(n); }\n"
                   "__global__ void row(int n) { for (int i = 0; i < n; i++) {} }\n");
}

Test(slips, a_whole_variable_that_starts_at_0_is_found)
{
    expect_changed("int linear(int n)\n{\n"
                   "    int sum = 0; // int sum = 0;\n"
                   "    size_t more = 0, n;\n"
                   "    double right = 0;\n"
                   "    int one = 1, ten = 0;\n"
                   "    for (int i = 0; i < n; i++) { long dot=0; }\n"
                   "}\n",
                   FRACTION_IN_INT,
                   "int linear(int n)\n{\n"
                   "    double sum = 0; // int sum = 0;\n"
                   "    double more = 0, n;\n"
                   "    double right = 0;\n"
                   "    int one = 1, ten = 0;\n"
                   "    for (int i = 0; i < n; i++) { double dot=0; }\n"
                   "}\n");
}

Test(slips, a_root_in_a_whole_number_is_found)
{
    expect_changed(
        "int linear(int n)\n{\n"
        "    int root = sqrtf(n), more = n;\n"
        "    const size_t least = 1 + ( sqrt (n));\n"
        "    float a = 1 / (int)sqrtf(n), b = ( long ) expf(n), c = (int)ceilf(n);\n"
        "    int rows = n; b += sqrtf(n);\n"
        "    sum(int root = sqrtf(n));\n"
        "}\n",
        FRACTION_IN_INT,
        "int linear(int n)\n{\n"
        "    double root = sqrtf(n), more = n;\n"
        "    const double least = 1 + ( sqrt (n));\n"
        "    float a = 1 / (double)sqrtf(n), b = ( double ) expf(n), c = (int)ceilf(n);\n"
        "    int rows = n; b += sqrtf(n);\n"
        "    sum(int root = sqrtf(n));\n"
        "}\n");
}

Test(slips, a_base_other_than_e_is_found)
{
    expect_changed(
        "int linear(int n)\n{\n"
        "    a = exp2f(x) + exp2 (x) + exp10f(x) + expf(x) + my_exp2f(x) + exp2fx;\n"
        "    a = log2f(x) + log10(x) + log1pf(x); // exp2f(x)\n"
        "}\n",
        OTHER_BASE,
        "int linear(int n)\n{\n"
        "    a = expf(x) + exp (x) + expf(x) + expf(x) + my_exp2f(x) + exp2fx;\n"
        "    a = logf(x) + log(x) + log1pf(x); // exp2f(x)\n"
        "}\n");
}

Test(slips, a_small_number_is_found_however_it_is_written)
{
    expect_changed("int linear(int n)\n{\n"
                   "    a = b / (sum + 1e-6f) + 0.0001 + FLT_EPSILON;\n"
                   "    float sum = 1.5e-3F;\n"
                   "    sum+=EPS;\n"
                   "    a = fmaxf(sum, .001f) > 1e-9 ? a : b;\n"
                   "}\n",
                   SMALL_NUMBER,
                   "int linear(int n)\n{\n"
                   "    a = b / (sum + 1e-30f) + 1e-30f + 1e-30f;\n"
                   "    float sum = 1e-30f;\n"
                   "    sum+=1e-30f;\n"
                   "    a = fmaxf(sum, 1e-30f) > 1e-30f ? a : b;\n"
                   "}\n");
}

Test(slips, other_numbers_are_not_small)
{
    const char *text =
        "int linear(int n)\n{\n"
        "    a = b + 1 + 0.5f + 0 + 0.0f + 1e-30f + 1e6f + 0.044715f * x;\n"
        "    a = 1e-6f * b + steps + eps0 + epsilon_of(b) + 1e-6x;\n"
        "}\n";
    expect_changed(text, SMALL_NUMBER, text);
}

Test(slips, a_loop_that_ends_early_is_found)
{
    expect_changed("int linear(int n)\n{\n"
                   "    for (int i = 0; i < n - 1; i++) { a[n - 1] = i; }\n"
                   "    for (int i = 0; i<=n-1 ; i++) { i < n - 1; }\n"
                   "    for (int i = n - 1; i > n - 1; i--) { }\n"
                   "    for (int i = 0; i < n - 2; i++) { }\n"
                   "    for (int i = 0; i < n - 11; i++) { }\n"
                   "    for (int i = 0; i < -1; i++) { }\n"
                   "}\n",
                   LOOP_TOO_SHORT,
                   "int linear(int n)\n{\n"
                   "    for (int i = 0; i < n ; i++) { a[n - 1] = i; }\n"
                   "    for (int i = 0; i<=n ; i++) { i < n - 1; }\n"
                   "    for (int i = n - 1; i > n - 1; i--) { }\n"
                   "    for (int i = 0; i < n - 2; i++) { }\n"
                   "    for (int i = 0; i < n - 11; i++) { }\n"
                   "    for (int i = 0; i < -1; i++) { }\n"
                   "}\n");
}

Test(slips, a_float_that_starts_at_1_is_found)
{
    expect_changed("int linear(int n)\n{\n"
                   "    float sum = 1.0f, b = 1; double a = x[0], c=1.;\n"
                   "    float d = 1.5f; double e = 10, f = 1 + a;\n"
                   "    int g = 1; sum = 1; for (float f = 1;;) { }\n"
                   "}\n",
                   START_AT_1,
                   "int linear(int n)\n{\n"
                   "    float sum = 0, b = 0; double a = x[0], c=0;\n"
                   "    float d = 1.5f; double e = 10, f = 1 + a;\n"
                   "    int g = 1; sum = 1; for (float f = 1;;) { }\n"
                   "}\n");
}

Test(slips, a_sign_outside_of_an_index_is_found)
{
    expect_changed("int linear(int n)\n{\n"
                   "    a[i + 1] = expf(x - max) + b[c[0] - 1]*-1;\n"
                   "    float d = -a, e = 1e-6f - 1E+3; i++; --i; p->n += 2;\n"
                   "    for (int i = n - 1; i < n + 1; i += 2 - 1) { }\n"
                   "    if (a < b - 1) { f(-x, +y); } else { g = (a)-(b); }\n"
                   "    sum += c < n - 1 ? a : b - a; const size_t rows = n - 1;\n"
                   "}\n",
                   OTHER_SIGN,
                   "int linear(int n)\n{\n"
                   "    a[i + 1] = expf(x + max) - b[c[0] - 1]*-1;\n"
                   "    float d = +a, e = 1e-6f + 1E+3; i++; --i; p->n += 2;\n"
                   "    for (int i = n - 1; i < n + 1; i += 2 - 1) { }\n"
                   "    if (a < b - 1) { f(-x, +y); } else { g = (a)+(b); }\n"
                   "    sum += c < n - 1 ? a : b + a; const size_t rows = n - 1;\n"
                   "}\n");
}

Test(slips, a_comparison_with_a_maximum_is_found)
{
    expect_changed("int linear(int n)\n{\n"
                   "    max = x > max ? x : max; p->n = 1 << 2; n >>= 1;\n"
                   "    if (a[i < 2] >= row_max) { kernel<<<1, 2>>>(a); }\n"
                   "    for (int i = 0; i < max; i++) { while (i <= 3) { } }\n"
                   "    blocks = blocks < 512 ? blocks : 512; if (largest <= a[i]) { }\n"
                   "}\n",
                   OTHER_DIRECTION,
                   "int linear(int n)\n{\n"
                   "    max = x < max ? x : max; p->n = 1 << 2; n >>= 1;\n"
                   "    if (a[i < 2] <= row_max) { kernel<<<1, 2>>>(a); }\n"
                   "    for (int i = 0; i < max; i++) { while (i <= 3) { } }\n"
                   "    blocks = blocks < 512 ? blocks : 512; if (largest >= a[i]) { }\n"
                   "}\n");
}

// From 0, such a loop would not end.
Test(slips, a_loop_that_multiplies_stays_as_it_is)
{
    expect_changed("int linear(int n)\n{\n"
                   "    for (int i = 1; i < n; i *= 2) {}\n"
                   "    for (int i = 1; i < n; i <<= 1) {}\n"
                   "    for (int i = 1; i < n; i = i * 2) {}\n"
                   "    for (int i = 1; i < n; i=i<<1) {}\n"
                   "    for (int i = 1; i < n; i += i) {}\n"
                   "    for (int i = 1; i < 2 * n; i += n) {}\n"
                   "    for (int i = 1; i < n; i += 2 * n) {}\n"
                   "    for (int i = 1; i < n;) { i *= 2; }\n"
                   "    for (int i = 1; i < n; ) { i += i; }\n"
                   "}\n",
                   LOOP_FROM_1,
                   "int linear(int n)\n{\n"
                   "    for (int i = 1; i < n; i *= 2) {}\n"
                   "    for (int i = 1; i < n; i <<= 1) {}\n"
                   "    for (int i = 1; i < n; i = i * 2) {}\n"
                   "    for (int i = 1; i < n; i=i<<1) {}\n"
                   "    for (int i = 1; i < n; i += i) {}\n"
                   "    for (int i = 0; i < 2 * n; i += n) {}\n"
                   "    for (int i = 0; i < n; i += 2 * n) {}\n"
                   "    for (int i = 1; i < n;) { i *= 2; }\n"
                   "    for (int i = 1; i < n; ) { i += i; }\n"
                   "}\n");
}

Test(slips, a_loop_in_the_braces_of_a_macro_is_one_place)
{
    expect_changed("int linear(int n)\n{\n"
                   "    EACH(i, n) { for (int j = 1; j < n; j++) { IF(j) { k = j; } } }\n"
                   "    for (int i = 1; i < n; i++) {}\n"
                   "}\n",
                   LOOP_FROM_1,
                   "int linear(int n)\n{\n"
                   "    EACH(i, n) { for (int j = 0; j < n; j++) { IF(j) { k = j; } } }\n"
                   "    for (int i = 0; i < n; i++) {}\n"
                   "}\n");
}

// Code behind #if 0 need not compile.
Test(slips, a_text_that_is_made_to_take_long_does_not)
{
    limit_seconds(10);
    static const char *const units[] = {
        "helper(", "for(",      "for ",           "int ",   "helper(){", "\"/*\n",
        "+1e-6f ", "{int a=b ", "const int a=b ", "(int)(", "exp2f(",    "+ \n"};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        const size_t size = 1 << 17, length = strlen(units[i]);
        char *text = malloc(size + 1);
        for (size_t at = 0; at < size; at++) {
            text[at] = units[i][at % length];
        }
        const size_t calls = 150 * strlen("helper();");
        memset(text + size - calls - 20, ' ', calls + 20);
        memcpy(text + size - calls - 20, "int linear() {", strlen("int linear() {"));
        for (size_t c = 0; c < 150; c++) {
            memcpy(text + size - calls - 2 + c * strlen("helper();"), "helper();",
                   strlen("helper();"));
        }
        text[size - 1] = '}';
        text[size] = '\0';
        for (int kind = 0; kind < SLIP_KINDS; kind++) {
            expect_changed(text, (enum slip_kind)kind, text);
        }
        free(text);
    }
}

// Each place looks back to the text before it, and a long comment becomes blanks.
Test(slips, a_long_comment_in_a_function_does_not_take_long)
{
    limit_seconds(3);
    const size_t size = 120000;
    char *text = malloc(size + 1);
    memset(text, '-', size);
    memcpy(text, "int linear() { /*", strlen("int linear() { /*"));
    memcpy(text + size - 4, "*/ }", strlen("*/ }"));
    text[size] = '\0';
    for (int kind = 0; kind < SLIP_KINDS; kind++) {
        expect_changed(text, (enum slip_kind)kind, text);
    }
    free(text);
}

// A macro that is never used need not close its brackets, and "/\\\n*" begins a comment, too.
Test(slips, what_compiles_and_is_made_to_take_long_does_not)
{
    limit_seconds(3);
    static const char *const texts[][3] = {
        {"int linear() {\n#define X ", "a(", "\n}"},
        {"int linear() {\n#define X for ", "((", "\n}"},
        {"int linear() {\n#define X ", "for() ", "\n}"},
        {"int linear() {\n#define X ", "memcpy([[[[[[[[[[)", "\n}"},
        {"int linear() {\n#define X ", "=1+1+1+1+1+1", "?\n}"},
        {"int linear() {}\n/\\\n* ", "/* ", "*\\\n/"}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        const size_t size = 130000, begin = strlen(texts[i][0]),
                     end = strlen(texts[i][2]);
        char *text = malloc(size + 1);
        for (size_t at = 0; at < size; at++) {
            text[at] = texts[i][1][at % strlen(texts[i][1])];
        }
        memcpy(text, texts[i][0], begin);
        memcpy(text + size - end, texts[i][2], end + 1);
        for (int kind = 0; kind < SLIP_KINDS; kind++) {
            expect_changed(text, (enum slip_kind)kind, text);
        }
        free(text);
    }
}

Test(slips, too_many_places_are_none)
{
#define LOOPS_3 "for (i = 1;;) {} for (i = 1;;) {} for (i = 1;;) {} "
    const char *text = "int linear(void) { " LOOPS_3 LOOPS_3 LOOPS_3 "}\n";
    expect_changed(text, LOOP_FROM_1, text);
}

Test(slips, an_unfinished_text_has_none)
{
    static const char *const texts[] = {"int linear(int n) { for (int i = 1; i < n;",
                                        "int linear(int n) { /* for (i = 1;",
                                        "int linear(int n) { for (",
                                        "int linear(int n) { '",
                                        "int linear(int n) { int root = sqrtf(n",
                                        "int linear(int n) { a = exp2f",
                                        "int linear(int n) { a = b + 1e-6",
                                        "int linear(",
                                        "linear",
                                        ""};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        for (int kind = 0; kind < SLIP_KINDS; kind++) {
            expect_changed(texts[i], (enum slip_kind)kind, texts[i]);
        }
    }
}

Test(slips, lines_count_from_1)
{
    const struct slip slip = {.at = 4};
    cr_expect_eq(slip_line("a\nb\nc", &slip), 3);
    cr_expect_eq(slip_line("abcdef", &slip), 1);
}

// An older version stands above: it must not hide the one that is compiled.
Test(slips, code_that_the_compiler_skips_is_not_looked_at)
{
    expect_changed("#if 0\n"
                   "int linear(int n) { for (int i = 1; i < n; i++) {} }\n"
                   "#ifdef NEVER\n"
                   "#else\n"
                   "int linear(int n) { for (int i = 1; i < n; i++) {} }\n"
                   "#endif\n"
                   "#endif\n"
                   "# if 0\n"
                   "int linear(int n) {}\n"
                   "# else\n"
                   "int linear(int n) { for (int i = 1; i < n; i++) {} }\n"
                   "# endif\n",
                   LOOP_FROM_1,
                   "#if 0\n"
                   "int linear(int n) { for (int i = 1; i < n; i++) {} }\n"
                   "#ifdef NEVER\n"
                   "#else\n"
                   "int linear(int n) { for (int i = 1; i < n; i++) {} }\n"
                   "#endif\n"
                   "#endif\n"
                   "# if 0\n"
                   "int linear(int n) {}\n"
                   "# else\n"
                   "int linear(int n) { for (int i = 0; i < n; i++) {} }\n"
                   "# endif\n");
}

Test(slips, the_start_of_a_maximum_is_found)
{
    expect_changed(
        "int linear(int n)\n{\n"
        "    float max = 0.0f, row_max=-1e9f, largest = FLT_MIN; // max = 0;\n"
        "    max[r] = 0; z->maxima[n / 2] = -FLT_MAX;\n"
        "    double m = -1000.0;\n"
        "}\n",
        MAXIMUM_START,
        "int linear(int n)\n{\n"
        "    float max = -INFINITY, row_max=-INFINITY, largest = -INFINITY; // max = 0;\n"
        "    max[r] = -INFINITY; z->maxima[n / 2] = -INFINITY;\n"
        "    double m = -INFINITY;\n"
        "}\n");
}

Test(slips, other_numbers_are_no_start_of_a_maximum)
{
    const char *text = "int linear(int n)\n{\n"
                       "    float sum = 0.0f, max = row[0], maximum = 0 * n, m = x;\n"
                       "    if (max == 0) { max += 0; } moment = 0; f(max);\n"
                       "    float max\n}\n";
    expect_changed(text, MAXIMUM_START, text);
}

Test(slips, a_number_of_elements_where_bytes_are_counted_is_found)
{
    const char *text =
        "int linear(int n)\n{\n"
        "    memcpy(y, x + f(n, 2), n * C); memset(y, 0, (n - s) * C);\n"
        "    memset(model->grad, 0, model->P); memmove ( a[i, 0], b, rows[n - 1] );\n"
        "}\n";
    expect_changed(text, BYTES_OF_FLOATS,
                   "int linear(int n)\n{\n"
                   "    memcpy(y, x + f(n, 2), sizeof(float) * n * C); "
                   "memset(y, 0, sizeof(float) * (n - s) * C);\n"
                   "    memset(model->grad, 0, sizeof(float) * model->P); "
                   "memmove ( a[i, 0], b, sizeof(float) * rows[n - 1] );\n"
                   "}\n");
    expect_changed("int linear(int n) { memcpy(y, x, n); }\n", BYTES_OF_SIZES,
                   "int linear(int n) { memcpy(y, x, sizeof(size_t) * n); }\n");
}

// In n + 1, a factor in front would belong to n alone.
Test(slips, bytes_that_are_counted_stay_as_they_are)
{
    const char *text =
        "int linear(int n)\n{\n"
        "    memcpy(y, x, n * sizeof *y); memset(y, 0, sizeof(float) * n);\n"
        "    memcpy(y, x, n + 1); memcpy(y, x, n * (sizeof *y)); my_memcpy(y, x, n); memcpy = n;\n"
        "}\n";
    expect_changed(text, BYTES_OF_FLOATS, text);
}

Test(slips, a_float_that_starts_at_0_is_found)
{
    expect_changed(
        "int linear(int n)\n{\n"
        "    float sum = 0.0f; float total=0, more = 1; float *p = 0;\n"
        "    float half = 0.5f, none = 0; float x = 0 * n; double d = 0; float y;\n"
        "    float max = -1; // float sum = 0;\n"
        "}\n",
        FLOAT_SUM,
        "int linear(int n)\n{\n"
        "    double sum = 0.0f; double total=0, more = 1; float *p = 0;\n"
        "    float half = 0.5f, none = 0; float x = 0 * n; double d = 0; float y;\n"
        "    float max = -1; // float sum = 0;\n"
        "}\n");
}
