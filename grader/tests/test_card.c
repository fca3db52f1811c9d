// test_card.c - the architecture passed to nvcc follows from the output of the driver's
// nvidia-smi.

#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "build/card.h"

// Our own nvidia-smi, first in PATH.
static void nvidia_smi(const char *script)
{
    char folder[] = "build/tmp/card.XXXXXX";
    mkdir("build/tmp", 0777);
    cr_assert_not_null(mkdtemp(folder));
    char path[256], all[4096];
    snprintf(path, sizeof path, "%s/nvidia-smi", folder);
    FILE *file = fopen(path, "w");
    cr_assert_not_null(file);
    fprintf(file, "#!/bin/sh\nrm -r '%s'\n%s\n", folder, script);
    cr_assert_eq(fclose(file), 0);
    cr_assert_eq(chmod(path, 0755), 0);
    char *absolute = realpath(folder, NULL);
    snprintf(all, sizeof all, "%s:%s", absolute, getenv("PATH"));
    free(absolute);
    setenv("PATH", all, 1);
}

Test(card, architecture_is_that_of_the_first_card)
{
    nvidia_smi("echo 9.0; echo 12.0");
    cr_expect_str_eq(card_architecture(), "sm_90");
    cr_expect_str_eq(card_architecture(), "sm_90", "asked once: the script is gone");
}

Test(card, architecture_may_have_three_digits)
{
    nvidia_smi("echo 12.0");
    cr_expect_str_eq(card_architecture(), "sm_120");
}

Test(card, nvcc_asks_the_driver_where_nvidia_smi_fails)
{
    nvidia_smi("echo 9.0; exit 9");
    cr_expect_str_eq(card_architecture(), "native");
}

Test(card, nvcc_asks_the_driver_where_nvidia_smi_says_something_else)
{
    nvidia_smi("echo No devices were found");
    cr_expect_str_eq(card_architecture(), "native");
}
