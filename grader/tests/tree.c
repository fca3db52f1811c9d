// tree.c - see tree.h.

#define _GNU_SOURCE
#include "tests/tree.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

char tree[64];

static void run(const char *command)
{
    cr_assert_eq(system(command), 0, "%s", command);
}

void make_tree(const char *snippets)
{
    strcpy(tree, "build/tmp/tree.XXXXXX");
    cr_assert(mkdir("build/tmp", 0777) == 0 || access("build/tmp", W_OK) == 0);
    cr_assert_not_null(mkdtemp(tree));
    char command[1024];
    snprintf(command, sizeof command,
             *snippets == '\0' ? "cp -R solutions/[0-9]* %s%s"
                               : "cd grader/tests/submissions/wrong && "
                                 "../../../tools/transplant.sh %s \"$OLDPWD/%s\"",
             snippets, tree);
    run(command);
}

void remove_tree(void)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", tree);
    run(command);
}

void edit_tree(const char *file, const char *script)
{
    char command[1024];
    snprintf(command, sizeof command, "sed -i '%s' %s/%s", script, tree, file);
    run(command);
}
