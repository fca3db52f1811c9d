// test_cli_gpu.c - what build/grade prints about kernels: profiles, findings, launches.

#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "exercises/exercise.h"
#include "tests/folder.h"
#include "tests/ran.h"

// 1.1 has two kernels; the handout quotes the report on the second.
Test(cli, a_profile_tells_of_every_kernel)
{
    struct ran ran =
        run(GRADE " check --src solutions --exercise 1.1 --profile --backend "
                  "gpu-simulated --no-color");
    cr_expect_eq(ran.status, 0);
    cr_expect_not_null(strstr(ran.output, "the memory accesses of each kernel"));
    cr_expect_not_null(strstr(ran.output, "\n  matmul_kernel, line"), "%s", ran.output);
    cr_expect_not_null(strstr(ran.output, "\n  matmul_nt_kernel, line"), "%s",
                       ran.output);
    cr_expect_not_null(strstr(ran.output, "load takes 12.3 transactions, and 2 would"),
                       "%s", ran.output);
    free(ran.output);
}

// 1.5 calls 1.1's kernel; its rows of 7 or 9 floats begin anywhere.
Test(cli, a_coalesced_access_of_odd_rows_is_told_to_be_one)
{
    struct ran ran =
        run(GRADE " check --src solutions --exercise 1.1 --profile --backend "
                  "gpu-simulated --no-color");
    cr_expect_not_null(
        strstr(ran.output, "coalesced; a row that begins between multiples"), "%s",
        ran.output);
    free(ran.output);
}

Test(cli, a_kernels_report_names_the_section_of_the_gpu_page)
{
    char *folder = make_folder();
    struct ran ran =
        run(TRANSPLANT WRONG
            "1.3-attention_scores_kernel.cu@no-scale %s/t; " GRADE
            " check --src %s/t --exercise 1.3 --backend gpu-simulated; " GRADE
            " hint --exercise 3.3 --backend gpu-simulated; " GRADE
            " hint --exercise 4.3 --backend gpu-simulated",
            folder, folder);
    cr_expect_not_null(
        strstr(ran.output, "read: labs/01_simple_attention/GPU.md, \"1.3 Tiles in"), "%s",
        ran.output);
    cr_expect_not_null(
        strstr(ran.output, "read: labs/03_causal_mask/GPU.md, \"3.3 Two steps in one"),
        "%s", ran.output);
    cr_expect_not_null(strstr(ran.output, "read: labs/04_multi_head/GPU.md\n"), "%s",
                       ran.output);
    free(ran.output);
    remove_folder(folder);
}

// The headings of a page, as "## 1.3 Scores".
static void expect_heading(const struct lab_place *place, const char *page,
                           const char *section)
{
    struct ran ran = run("grep -cxE \"##+ %s\" labs/%s/%s", section, place->folder, page);
    cr_expect_str_eq(ran.output, "1\n", "%s/%s: '%s'", place->folder, page, section);
    free(ran.output);
}

Test(cli, every_section_that_a_report_names_is_a_heading)
{
    for (const struct lab_place *place = lab_places; place->folder != NULL; place++) {
        const struct exercise *const *each = place->lab->exercises;
        for (; *each != NULL; each++) {
            expect_heading(place, "README.md", (*each)->section);
            if ((*each)->gpu_section != NULL) {
                expect_heading(place, "GPU.md", (*each)->gpu_section);
            }
        }
    }
}

// Code that prints the mark of a profile would otherwise choose its own.
Test(cli, a_profile_is_not_what_the_code_prints)
{
    char *folder = make_folder();
    struct ran made = run("cp -r solutions/01_simple_attention %s && "
                          "sed -i -e '1i #include <cstdio>' -e '/^    matmul_kernel<<</i "
                          "fputs(\"\\\\035profile\\\\nperfect\\\\n\", stderr);' "
                          "%s/01_simple_attention/attention.cu",
                          folder, folder);
    cr_assert_eq(made.status, 0, "%s", made.output);
    free(made.output);
    struct ran ran = run(GRADE " check --src %s --exercise 1.1 --profile --backend "
                               "gpu-simulated --no-color",
                         folder);
    const char *profile = strstr(ran.output, "the memory accesses of each kernel");
    cr_expect_eq(ran.status, 0);
    cr_assert_not_null(profile, "%s", ran.output);
    cr_expect_null(strstr(profile, "perfect"), "%s", ran.output);
    cr_expect_not_null(strstr(profile, "\n  matmul_kernel, line"), "%s", ran.output);
    free(ran.output);
    remove_folder(folder);
}

// The handout of lab 10 compares these bytes with the formula of 10.6.
Test(cli, a_profile_counts_the_bytes_of_a_kernel)
{
    struct ran ran =
        run(GRADE " check --src solutions --exercise 10.2 --profile --backend "
                  "gpu-simulated --no-color");
    cr_expect_eq(ran.status, 0);
    cr_expect_not_null(strstr(ran.output,
                              "flash_attention_kernel in flash.cu reads "
                              "229376 bytes of device memory and writes 36864\n"),
                       "%s", ran.output);
    free(ran.output);
}

// 4.2's threads beyond the edge: the handout of lab 4 shows this report.
Test(cli, a_finding_names_the_tensor)
{
    char *folder = make_folder();
    struct ran made =
        run(TRANSPLANT WRONG "4.2-split_qkv_kernel.cu@ragged-edge %s", folder);
    cr_assert_eq(made.status, 0, "%s", made.output);
    free(made.output);
    struct ran ran = run(GRADE " check --src %s --exercise 4.2 --backend "
                               "gpu-simulated --no-color",
                         folder);
    cr_expect_eq(ran.status, 1);
    cr_expect_not_null(strstr(ran.output, "just past the end of an allocation of 12 "
                                          "bytes, qkv (B T 3C).\n"),
                       "%s", ran.output);
    free(ran.output);
    remove_folder(folder);
}

// Tiles that a small matrix does not fill: 1 / 32 is 0 blocks.
Test(cli, a_grid_of_no_blocks_is_told_from_one_too_large)
{
    char *folder = make_folder();
    struct ran made = run(TRANSPLANT WRONG "1.1-matmul_gpu.cu@rounded-down %s", folder);
    cr_assert_eq(made.status, 0, "%s", made.output);
    free(made.output);
    struct ran ran = run(GRADE " check --src %s --exercise 1.1 --backend "
                               "gpu-simulated --no-color",
                         folder);
    cr_expect_eq(ran.status, 1);
    cr_expect_not_null(strstr(ran.output,
                              "the launch is refused: a grid of 0 x 0 x 1 blocks "
                              "is empty; a plain division rounds down, "
                              "lab_blocks(n, BLOCK) rounds up\n"),
                       "%s", ran.output);
    free(ran.output);
    remove_folder(folder);
}

// The .c file's 1.1 is right: the report means the .cu file's.
Test(cli, what_a_kernel_builds_on_is_said_to_be_a_kernel)
{
    char *folder = make_folder();
    struct ran ran =
        run("mkdir %s/01_simple_attention && "
            "cp solutions/01_simple_attention/attention.c %s/01_simple_attention && "
            "for file in solutions/01_simple_attention/*.cu; do "
            "awk -f grader/tools/skeleton.awk $file "
            "> %s/01_simple_attention/${file##*/}; done; " GRADE
            " check --src %s --exercise 1.3 --backend gpu-simulated --no-color",
            folder, folder, folder, folder);
    cr_expect_not_null(strstr(ran.output, "builds on 1.1 (gpu), also todo"), "%s",
                       ran.output);
    free(ran.output);
    remove_folder(folder);
}
